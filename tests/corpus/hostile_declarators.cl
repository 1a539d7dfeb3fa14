// Local variables and a pointer, which is not local, in one declaration.
//: kernel mixed_declarators
//: launch 64 / 8
//: skip nvrtc
//: thread no local memory
//: group maybe
//: args int[64] = mod 31; int[64] = 0
__kernel void mixed_declarators(__global const int *in, __global int *out)
{
    __local int total, *pointer, counts[8];
    int l = get_local_id(0);
    counts[l] = in[get_global_id(0)];
    pointer = &counts[7 - l];
    if (l == 3) total = counts[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = *pointer + total;
}
