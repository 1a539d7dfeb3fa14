// `void kernel`, and a type's macro.
//: kernel void_kernel
//: launch 64 / 16
//: skip nvrtc
//: thread yes
//: group yes
//: args int[64] = 0
#define VOID void
VOID __kernel void_kernel(global int *out)
{
    out[get_global_id(0)] = 3 + get_group_id(0);
}
