// Macros of a program's own whose names look like a vendor's, and a text for two languages.
//: kernel strided
//: launch 48 / 12
//: thread yes
//: group yes
//: merge yes
//: args int[48] = mod 23; int[48] = 0; int 48
//: kernel checked
//: launch 48 / 12
//: thread yes
//: group yes
//: merge no a return behind
//: args int[48] = mod 23; int[48] = 0; int 40
//: kernel blended
//: options -DROUNDS
//: launch 48 / 12
//: thread yes
//: group yes
//: merge yes
//: args int[48] = mod 23; int[48] = 0; int 48
#ifdef __NVCC__
#define __kernel extern "C" __global__
#define __global
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define STATEMENT(x) { x; __syncwarp(); }
#else
#define __device__
#define INDEX get_global_id(0)
#define STATEMENT(x) { x; }
#endif

#ifndef CUDA_STEP
#define CUDA_STEP get_global_size(0)
#endif
#define CUDA_FOR_EACH(at, end) for (int at = INDEX; at < (end); at += CUDA_STEP)
#define CUB_SQUARE(x) ((x) * (x))

__kernel void strided(__global const int *in, __global int *out, const int n)
{
    CUDA_FOR_EACH(i, n) { out[i] = CUB_SQUARE(in[i]) - 1; }
}

#ifdef NDEBUG
#define THRUST_REQUIRE(condition, at, value)
#else
#define THRUST_REQUIRE(condition, at, value) if (!(condition)) { STATEMENT(at = value) return; }
#endif
__device__ int twice(int x) { return x + x; }

__kernel void checked(__global const int *in, __global int *out, const int n)
{
    const int i = INDEX;
    THRUST_REQUIRE(i < n, out[i], -5)
    STATEMENT(out[i] = twice(in[i]))
}

#define BLEND(a, weight, b, shift) (((a) * (weight) + (b)) >> (shift))
__kernel void blended(__global const int *in, __global int *out, const int n)
{
    const int i = INDEX;
    if (i < n)
        out[i] = BLEND(in[i],
#ifdef ROUNDS
#if ROUNDS > 1
                       5, 6,
#else
                       BLEND(3, 2,
#endif
#ifndef NO_SUCH
                       in[n - 1 - i], 0), 4,
#endif
#else
                       1, 0,
#endif
                       1);
}
