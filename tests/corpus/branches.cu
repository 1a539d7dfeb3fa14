// A head under #if, a list with #ifdef, macros for the head.
//: kernel axpby
//: options -DWITH_B
//: skip emulate
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 9; int 3; int[64] = mod 12; int 5; int 64
//: kernel axpby
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 9; int 3; int[64] = mod 12; int 64
#define GLOBAL_FUNCTION extern "C" __global__ void
#define NUM_THREADS 16
#ifdef __CUDA_ARCH__
#define DEVICE_ONLY 1
#endif
GLOBAL_FUNCTION __launch_bounds__(NUM_THREADS, 2) axpby(const int *__restrict__ x, int a, int *y,
#ifdef WITH_B
                                                       int b,
#endif
                                                       int n)
{
    int i = blockIdx.x * NUM_THREADS + threadIdx.x;
#ifdef WITH_B
    if (i < n) y[i] = a * x[i] + b * y[i];
#else
    if (i < n) y[i] = a * x[i] + y[i];
#endif
}
