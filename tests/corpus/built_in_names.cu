// What a kernel declares is not the built-in function or type of that name: variables, a functor
// and a method, each of which has another value for each item or stores.
//: kernel bounds
//: launch 72 / 8
//: thread yes
//: group yes
//: merge yes
//: args int[72] = mod 7; int[72] = 0; int 72
//: kernel values
//: launch 72 / 8
//: thread yes
//: group yes
//: merge yes
//: args int[72] = mod 31; int[144] = 0; int 9
//: kernel stores
//: launch 72 / 8
//: thread yes
//: group yes
//: merge no must not be done twice
//: args int[72] = mod 31; int[72] = 0; int 15
struct counter {
    int more;
    __device__ bool max(int *place, int least) const
    {
        *place += more;
        return *place < least;
    }
};
extern "C" __global__ void bounds(const int *in, int *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= n) return;
    int max = in[x], sum = 0;
    for (int i = 0; i < max; i++) sum += i + 1;
    out[x] = sum;
}
extern "C" __global__ void values(const int *in, int *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int half = in[x];
    out[x + 72] = half;
    int min = half + n, twice = min * 2;
    for (int k = 0; k < half % 5; k++) twice += k;
    out[x] = twice;
}
extern "C" __global__ void stores(const int *in, int *out, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    counter count;
    count.more = in[x];
    if (count.max(out + x, n)) return;
    out[x] += 100;
}
