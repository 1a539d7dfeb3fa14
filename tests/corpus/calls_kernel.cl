// A kernel that calls a kernel: a plain function then. NVIDIA's OpenCL compiler takes no such text.
//: kernel outer
//: launch 64 / 8
//: skip nvidia
//: thread maybe
//: group maybe
//: range no a kernel is called as a function
//: args int[64] = mod 21; int[64] = 0; int 3
//: kernel inner
//: launch 64 / 8
//: skip nvidia
//: thread maybe
//: group maybe
//: range no the kernel is called as a function
//: args int[64] = mod 21; int[64] = 0
__kernel void inner(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    out[i] += in[i] + (int)get_local_id(0);
}

__kernel void outer(__global const int *in, __global int *out, int times)
{
    for (int k = 0; k < times; k++) inner(in, out);
}
