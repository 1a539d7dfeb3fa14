// Attributes before, between and behind.
//: kernel before
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = 0
//: kernel between
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = 0
//: kernel on_arguments
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = 0
__attribute__((vec_type_hint(int))) __kernel void before(__global int *out)
{
    out[get_global_id(0)] = 1 + get_local_id(0);
}

__kernel __attribute__((work_group_size_hint(16, 1, 1)))
__attribute__((vec_type_hint(int)))
void between(__global int *out)
{
    out[get_global_id(0)] = 2 + get_local_id(0);
}

kernel void __attribute__((reqd_work_group_size(16, 1, 1)))
on_arguments(__global int *out __attribute__((unused)))
{
    out[get_global_id(0)] = 4 + get_num_groups(0);
}
