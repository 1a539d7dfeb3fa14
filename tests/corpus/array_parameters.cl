// Parameters written as arrays.
//: kernel array_parameters
//: launch 120 / 24
//: thread yes
//: group yes
//: args int[120] = mod 30; int[120] = 0; int[4] = ramp 10
__kernel void array_parameters(const __global int in[], __global int out[120],
                               __constant int table[4])
{
    int i = get_global_id(0);
    out[i] = in[i] + table[i & 3];
}
