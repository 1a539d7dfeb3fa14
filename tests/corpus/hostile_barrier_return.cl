// Only some of a group return before a barrier (undefined in OpenCL, and seen): right or refused.
//: kernel some_leave
//: launch 64 / 16
//: skip opencl oclgrind
//: thread no local memory
//: group maybe
//: args int[64] = mod 31; int[64] = 0; int 56
__kernel void some_leave(__global const int *in, __global int *out, int n)
{
    __local int box[16];
    int g = get_global_id(0);
    if (g >= n) return;
    box[get_local_id(0)] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[get_local_id(0) ^ 1];
}
