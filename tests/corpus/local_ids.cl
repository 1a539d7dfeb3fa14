// Local and group ids and sizes, but neither barriers nor local memory.
//: kernel local_ids
//: launch 240 / 24
//: thread yes
//: group yes
//: args uint[1200] = 0
__kernel void local_ids(__global uint *out)
{
    const size_t lid = get_local_id(0), wg = get_group_id(0);
    const size_t i = wg * get_local_size(0) + lid;
    __global uint *row = out + i * 5;
    row[0] = (uint)lid + 1;
    row[1] = (uint)wg * 1000u;
    row[2] = (uint)get_num_groups(0);
    row[3] = (uint)get_local_size(0) + (uint)get_global_size(0) * 16u;
    row[4] = (uint)(get_global_id(0) - i) + (lid == get_local_size(0) - 1 ? 77u : 0u);
}
