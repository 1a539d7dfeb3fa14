// Operators that change what they are applied to.
//: kernel refuse_operator
//: launch 128 / 32
//: thread yes
//: group yes
//: merge no a return behind what must not be done twice
//: args int[128] = mod 97; int[256] = 0; int 5
struct adds_to {
    int *p;
    __device__ void operator=(int x) { *p += x; }
};
extern "C" __global__ void refuse_operator(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    adds_to w{ out + 2 * i };
    w = 3;
    if (in[i] > 50) return;
    out[2 * i + 1] = 5;
}
//: kernel operator_raises
//: launch 128 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[128] = mod 97; int[256] = 0; int 5
enum raise { raised };
__device__ int operator%(int &x, raise) { return x += 2; }
extern "C" __global__ void operator_raises(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] & 1) n % raised;
    out[2 * i] = n;
    for (int k = 0; k < n; k++) out[2 * i + 1] += k;
}
