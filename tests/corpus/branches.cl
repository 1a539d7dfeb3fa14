// One kernel under #if and #else, and parameters under #ifdef.
//: kernel blend
//: options -DUSE_WEIGHTS -DMODE=2
//: launch 180 / 20
//: thread yes
//: group yes
//: args int[180] = mod 77; int[180] = mod 5; int[180] = 0; int 180
//: kernel blend
//: options -DMODE=1
//: launch 180 / 20
//: thread yes
//: group yes
//: args int[180] = mod 77; int[180] = 0; int 180
#if MODE == 2
__kernel void blend(__global const int *in,
#ifdef USE_WEIGHTS
                    __global const int *weights,
#endif
                    __global int *out, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
#ifdef USE_WEIGHTS
    out[i] = in[i] * weights[i];
#else
    out[i] = in[i] * 2;
#endif
}
#else
__kernel void blend(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    if (i < n) out[i] = in[n - 1 - i] + 1;
}
#endif
