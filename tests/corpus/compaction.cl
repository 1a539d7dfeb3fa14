// Slots from a counter: which item gets which one is open.
//: kernel compact
//: launch 256 / 32
//: thread yes
//: group yes
//: args int[256] = mod 83; int[256] = 0 sorted; uint[1] = 0; int 40
__kernel void compact(__global const int *in, __global int *out, __global uint *count, int least)
{
    int value = in[get_global_id(0)];
    if (value < least) return;
    out[atomic_inc(count)] = value;
}
