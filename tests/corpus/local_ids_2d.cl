// The same in two dimensions, with a dimension that the launch does not have.
//: kernel local_ids_2d
//: launch 24 18 / 8 3
//: thread yes
//: group yes
//: args int[1728] = 0
__kernel void local_ids_2d(__global int *out)
{
    int x = get_group_id(0) * get_local_size(0) + get_local_id(0);
    int y = get_group_id(1) * get_local_size(1) + get_local_id(1);
    int at = 4 * (y * (int)get_global_size(0) + x);
    out[at] = get_local_id(1) * 100 + get_local_id(0);
    out[at + 1] = get_group_id(1) * 100 + get_group_id(0);
    out[at + 2] = get_num_groups(0) * 10000 + get_num_groups(1) * 100 + get_local_size(2);
    out[at + 3] = get_global_id(2) + get_local_id(2) + get_group_id(2) + get_work_dim();
}
