// ## that makes no word to be afraid of.
//: kernel pasted_harmless
//: launch 64 / 16
//: thread yes
//: group yes
//: args float[64] = mod 9; int[64] = 0
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
__kernel void pasted_harmless(__global const float *in, __global int *out)
{
    const int i = get_global_id(0);
    out[i] = JOIN(convert_, int)(in[i]) + 1;
}
