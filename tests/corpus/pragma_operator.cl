// _Pragma, by itself and from a macro, before a loop that leaves; a directive at a body's end.
//: kernel unrolled
//: launch 48 / 12
//: skip nvrtc
//: thread yes
//: group yes
//: merge no a return in a loop
//: args int[48] = mod 7; int[48] = 0
//: kernel ends_by_line
//: launch 48 / 12
//: skip nvrtc
//: thread yes
//: group yes
//: merge yes
//: args int[48] = mod 7; int[48] = 0
#define UNROLL(n) _Pragma("unroll")
__kernel void unrolled(__global const int *in, __global int *out)
{
    const int i = get_global_id(0);
    UNROLL(4)
    for (int k = 0; k < 8; k++) {
        if (in[i] == k) return;
        out[i] += k;
    }
}

__kernel void ends_by_line(__global const int *in, __global int *out)
{
    const int i = get_global_id(0);
    out[i] = in[i] * 3;
    if (in[i] > 3) out[i]++;
#line 40
}
