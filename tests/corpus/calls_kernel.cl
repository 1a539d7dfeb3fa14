// Kernels that call kernels, which become plain functions, one of which leaves early. NVIDIA's
// OpenCL compiler takes no such text as it stands.
//: kernel outer
//: launch 64 / 8
//: skip nvidia
//: thread yes
//: group yes
//: args int[64] = mod 21; int[64] = 0; int 3
//: kernel inner
//: launch 64 / 8
//: skip nvidia
//: thread yes
//: group yes
//: args int[64] = mod 21; int[64] = 0
//: kernel calls_another
//: launch 64 / 16
//: skip nvidia
//: thread yes
//: group yes
//: args int[64] = mod 50; int[64] = 0
__kernel void inner(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    out[i] += in[i] + (int)get_local_id(0);
}

__kernel void outer(__global const int *in, __global int *out, int times)
{
    for (int k = 0; k < times; k++) inner(in, out);
}

__kernel void helps(__global const int *in, __global int *out, int by)
{
    if (get_global_id(0) % 5 == 4) return;
    out[get_global_id(0)] += in[get_global_id(0)] * by;
}

__kernel void calls_another(__global const int *in, __global int *out)
{
    helps(in, out, 3);
    helps(in, out, 2);
}
