// A macro supplies some of the parameters, another one all that all kernels share.
//: kernel with_common
//: launch 60 / 12
//: thread maybe
//: group maybe
//: args int 60; int[60] = mod 19; int[60] = 0; int 4
#define COMMON int n, __global const int *in, __global int *out
#define AND_SHIFT , int shift
__kernel void with_common(COMMON AND_SHIFT)
{
    int i = get_global_id(0);
    if (i < n) out[i] = in[i] << shift;
}
