// The group's copy functions.
//: kernel async_copy
//: launch 64 / 16
//: skip nvrtc
//: thread no local memory
//: group yes
//: args int[64] = mod 59; int[64] = 0
__kernel void async_copy(__global const int *in, __global int *out)
{
    __local int from[16], to[16];
    int l = get_local_id(0);
    size_t base = get_group_id(0) * get_local_size(0);
    event_t e = async_work_group_copy(from, in + base, (size_t)16, 0);
    wait_group_events(1, &e);
    to[l] = from[15 - l] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + base, to, (size_t)16, 0);
    wait_group_events(1, &e);
}
