// Macros of a program's own whose names look like CUDA's.
//: kernel strided
//: launch 48 / 12
//: thread yes
//: group yes
//: merge yes
//: args int[48] = mod 23; int[48] = 0; int 48
#define NDEBUG
#define CUDA_STEP (gridDim.x * blockDim.x)
#define CUDA_FOR_EACH(at, end)                                                                    \
    for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < (end); at += CUDA_STEP)
#ifdef NDEBUG
#define THRUST_REQUIRE(condition)
#else
#define THRUST_REQUIRE(condition) if (!(condition)) return;
#endif

__global__ void strided(const int *in, int *out, const int n)
{
    CUDA_FOR_EACH(i, n) { THRUST_REQUIRE(in[i] > 1000) out[i] = 3 * in[i] - 1; }
}
