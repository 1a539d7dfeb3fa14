// A sum whose ways differ by the architecture that it is compiled for, as in programs for many: in
// what stands outside of the kernel, within it, and in a parameter that only some have.
#pragma gputune set 64,128
#define BLOCK 128
#pragma gputune set 1,2
#define ITEMS 1
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#pragma gputune set 2,3
#define STAGES 2
#endif

#if !defined(__CUDA_ARCH__)
inline int warp_sum(int x) { return x; }
#elif __CUDA_ARCH__ >= 800
__device__ int warp_sum(int x) { return (int)__reduce_add_sync(0xffffffffu, (unsigned)x); }
#else
__device__ int warp_sum(int x)
{
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    return x;
}
#endif

#pragma gputune global ceil_div(n, ITEMS)
#pragma gputune local BLOCK
extern "C" __global__ void sum(int n, const int *x, int *out)
{
    int own = 0;
    for (int k = 0; k < ITEMS; k++) {
        const int i = (blockIdx.x * ITEMS + k) * BLOCK + threadIdx.x;
        if (i < n) own += x[i];
    }
#if __CUDA_ARCH__ >= 900
    asm volatile("// stages: %0" : : "n"(STAGES));
#endif
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0) atomicAdd(out, own);
}
