// Conditions on what host compilers, other interfaces and NVRTC define, as public CUDA has them.
//: kernel hosts
//: launch 64 / 16
//: thread yes
//: group yes
//: skip emulate
//: args int[64] = mod 7
#if defined(__clang__) || defined(__GNUC__) || defined(__SSE2__) || defined(HIP_VERSION)
#error host
#endif
#ifdef CUB_TOP_K_AVAILABLE
#error cub
#endif
__global__ void hosts(int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = out[i] * 3 + 1;
}
