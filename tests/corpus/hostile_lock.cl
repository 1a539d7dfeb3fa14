// A lock that items take in turn: nobody waits for a group that has not begun.
//: kernel lock
//: launch 16 / 1
//: skip nvrtc
//: thread maybe
//: group maybe
//: range no a loop that waits for others
//: args int[1] = 0; int[4] = 0
__kernel void lock(volatile __global int *mutex, volatile __global int *sum)
{
    while (atomic_cmpxchg(mutex, 0, 1)) {
    }
    sum[0] += (int)get_global_id(0) + 1;
    sum[1] = max(sum[1], (int)get_group_id(0));
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(mutex, 0);
}
