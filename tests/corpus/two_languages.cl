// A text for both languages, whose words of either are macros. On OpenCL the driver undefines this
// one.
#undef __CUDACC__
#if defined __CUDACC__ || defined __HIPCC__
#define ENTRY extern "C" __global__
#define DEVICE_MEMORY
#define ITEM (blockIdx.x * blockDim.x + threadIdx.x)
#else
#define ENTRY __kernel
#define DEVICE_MEMORY __global
#define ITEM get_global_id(0)
#endif

//: kernel two_languages
//: launch 120 / 24
//: thread yes
//: group yes
//: merge yes
//: args int[120] = mod 90; int[120] = 0; int 110
ENTRY void two_languages(DEVICE_MEMORY const int *in, DEVICE_MEMORY int *out, const int n)
{
    const int i = ITEM;
    if (i >= n) return;
    out[i] = in[n - 1 - i] * 3 + i;
}
