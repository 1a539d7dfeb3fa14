// Offsets and dimensions.
//: kernel offsets
//: launch 60 / 10
//: thread yes
//: group yes
//: args int[60] = -1
__kernel void offsets(__global int *out)
{
    size_t i = get_global_id(0) - get_global_offset(0);
    out[i] = (int)(get_work_dim() * 100 + get_global_offset(1) + i);
}
