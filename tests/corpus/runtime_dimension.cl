// The dimension is a variable.
//: kernel runtime_dimension
//: launch 10 6 4 / 5 2 2
//: thread yes
//: group yes
//: args int[960] = -1
__kernel void runtime_dimension(__global int *out)
{
    int at = 0, sum = 0;
    for (int d = (int)get_work_dim() - 1; d >= 0; d--)
        at = at * (int)get_global_size(d) + (int)get_global_id(d);
    for (uint d = 0; d < 3; d++)
        sum = sum * 16 + (int)get_local_id(d) + 5 * (int)get_group_id(d);
    out[4 * at] = sum;
    for (uint d = 0; d < 3; d++)
        out[4 * at + 1 + d] = (int)get_local_size(d) * 100 + (int)get_num_groups(d);
}
