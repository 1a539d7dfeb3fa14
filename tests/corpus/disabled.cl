// Kernels of the same name that are no part of the program.
//: kernel live
//: launch 80 / 16
//: thread yes
//: group yes
//: args int[80] = mod 23; int[80] = 0
/*
__kernel void live(__global int *a)
{
    __local int t[4];
}
*/
// __kernel void live(__global int *a) { barrier(CLK_LOCAL_MEM_FENCE); }
#if 0
__kernel void live(__global float *a, int n)
{
    __local float tile[16];
    barrier(CLK_LOCAL_MEM_FENCE);
#if 1
    a[0] = n;
#endif
}
#endif
void live_helper(__global int *p);
__kernel void live(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
#if 0
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    out[i] = in[i] * in[i];
#endif
}
