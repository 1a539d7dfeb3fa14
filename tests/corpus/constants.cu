// __constant__ and __device__ tables, volatile, a typedef in the kernel.
//: kernel constants
//: launch 96 / 32
//: thread yes
//: group yes
//: args int[96] = mod 64; int[96] = 0
__constant__ int weights[4] = { 1, 10, 100, 1000 };
__device__ const int offsets[] = { 5, 6, 7 };
static constexpr int limit = 90;

__global__ void constants(const int *in, volatile int *out)
{
    typedef unsigned int index_t;
    const index_t i = blockIdx.x * blockDim.x + threadIdx.x;
    using std_int = int;
    std_int value = in[i] & 3;
    if (i < limit) out[i] = weights[value] + offsets[i % 3];
}
