// Local memory behind a typedef, in a struct, and without any barrier.
//: kernel through_typedef
//: launch 64 / 8
//: skip nvrtc
//: thread maybe
//: group maybe
//: args int[64] = mod 31; int[64] = 0; local 32
//: kernel scratch_only
//: launch 64 / 8
//: thread maybe
//: group yes
//: args int[64] = mod 31; int[64] = 0; local 64
//: kernel pointer_in_struct
//: launch 64 / 8
//: skip nvrtc
//: thread no local memory
//: group maybe
//: args int[64] = mod 31; int[64] = 0
typedef __local int *box_pointer;
struct boxes {
    __local int *a, *b;
};

__kernel void through_typedef(__global const int *in, __global int *out, box_pointer box)
{
    int l = get_local_id(0);
    box[l] = in[get_global_id(0)];
    box[l] += l;
    out[get_global_id(0)] = box[l];
}

__kernel void scratch_only(__global const int *in, __global int *out, __local int *stack)
{
    __local int *mine = stack + 2 * get_local_id(0);
    mine[0] = in[get_global_id(0)];
    mine[1] = 2 * mine[0];
    out[get_global_id(0)] = mine[0] + mine[1];
}

__kernel void pointer_in_struct(__global const int *in, __global int *out)
{
    __local int memory[16];
    struct boxes s;
    int l = get_local_id(0);
    s.a = memory;
    s.b = memory + 8;
    s.a[l] = in[get_global_id(0)];
    s.b[7 - l] = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s.a[7 - l] + s.b[l] * 100;
}
