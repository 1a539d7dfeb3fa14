// A helper that two kernels use; one of them is launched, both stay.
//: kernel first
//: launch 200 / 50
//: thread yes
//: group yes
//: args int[200] = 0
//: kernel second
//: launch 200 / 50
//: thread yes
//: group yes
//: args int[200] = 5; int 3
//: kernel first_again
//: launch 200 / 50
//: thread yes
//: group yes
//: args int[200] = 9
uint global_index(void);
uint global_index(void) { return get_local_id(0) + get_group_id(0) * get_local_size(0); }

__kernel void first(__global int *out) { out[global_index()] = (int)global_index() * 2; }

__kernel void second(__global int *out, int step)
{
    uint i = global_index();
    out[i] += (int)i * step;
}

__kernel void first_again(__global int *out) { out[global_index()] -= (int)get_group_id(0) + 1; }
