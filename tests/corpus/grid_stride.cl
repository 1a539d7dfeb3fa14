// Loops over the whole grid: the number of work-items must stay the original one.
//: kernel grid_stride
//: launch 192 / 32
//: thread yes
//: group yes
//: args uint[1500] = mod 1000; uint[1500] = 0; uint[192] = 0; uint 1500
__kernel void grid_stride(__global const uint *in, __global uint *out, __global uint *sums,
                          uint n)
{
    uint sum = 0;
    for (size_t i = get_global_id(0); i < n; i += get_global_size(0)) {
        out[i] = in[i] * 2u + 1u;
        sum += in[i];
    }
    sums[get_global_id(0)] = sum + (uint)get_global_size(0);
}
