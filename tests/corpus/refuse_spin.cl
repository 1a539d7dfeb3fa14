// Groups that wait for other groups.
//: kernel spin
//: launch 64 / 16
//: thread no
//: group no wait
//: range no a loop that waits for others
//: args int[64] = 0; int[1] = 0
//: kernel flags
//: launch 64 / 16
//: thread no
//: group no wait
//: range no a loop that waits for others
//: args int[64] = 0; int[8] = 0
void wait_for_all(volatile __global int *arrived, int groups)
{
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_inc(arrived);
        while (atomic_add(arrived, 0) < groups) {
        }
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
}

__kernel void spin(__global int *data, volatile __global int *arrived)
{
    data[get_global_id(0)] = (int)get_local_id(0);
    wait_for_all(arrived, get_num_groups(0));
    data[get_global_id(0)] += data[0];
}

__kernel void flags(__global int *data, volatile __global int *flag)
{
    int g = get_group_id(0);
    if (get_local_id(0) == 0 && g > 0)
        while (flag[g - 1] == 0)
            ;
    barrier(CLK_GLOBAL_MEM_FENCE);
    data[get_global_id(0)] = g;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (get_local_id(0) == 0) flag[g] = 1;
}
