// Tables of the program's scope.
//: kernel lookup
//: launch 111
//: thread yes
//: args int[111] = mod 256; int[111] = 0
__constant int table[8] = { 3, 1, 4, 1, 5, 9, 2, 6 };
constant int factors[] = { 1, 10, 100 };
__constant const float unused_weights[2][2] = { { 1, 2 }, { 3, 4 } };

__kernel void lookup(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    out[i] = table[in[i] & 7] * factors[i % 3] + (int)unused_weights[i & 1][1];
}
