// How often each byte occurs in an array of numbers below 256, added to what is in bins.

// A number a work-item.
#pragma gputune global count
#pragma gputune local 256
__kernel void histogram_global(int count, __global const uint *numbers, __global uint *bins)
{
    const int id = get_global_id(0);
    if (id < count)
        atomic_inc(&bins[numbers[id]]);
}

#define EACH 16 // numbers a work-item: 4096 a work-group

// Equal numbers that follow each other within a work-item are added at once.
#pragma gputune global ceil_div(count, 4096) * 256
#pragma gputune local 256
__kernel void histogram_private(int count, __global const uint *restrict numbers,
                                __global uint *restrict bins)
{
    const int first = get_group_id(0) * 256 * EACH + get_local_id(0);
    uint last = 0, times = 0;
    for (int i = 0; i < EACH; i++) {
        const int at = first + i * 256;
        if (at < count) {
            const uint number = numbers[at];
            if (number != last && times > 0) {
                atomic_add(&bins[last], times);
                times = 0;
            }
            last = number;
            times++;
        }
    }
    if (times > 0)
        atomic_add(&bins[last], times);
}

// The group's own bins in local memory.
#pragma gputune global ceil_div(count, 4096) * 256
#pragma gputune local 256
__kernel void histogram_local(int count, __global const uint *restrict numbers,
                              __global uint *restrict bins)
{
    __local uint own[256];
    const int id = get_local_id(0), first = get_group_id(0) * 256 * EACH + id;
    own[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < EACH; i++)
        if (first + i * 256 < count)
            atomic_inc(&own[numbers[first + i * 256]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (own[id] > 0)
        atomic_add(&bins[id], own[id]);
}

// Four sets of them, so that neighbours seldom meet.
#pragma gputune global ceil_div(count, 4096) * 256
#pragma gputune local 256
__kernel void histogram_copies(int count, __global const uint *restrict numbers,
                               __global uint *restrict bins)
{
    __local uint own[4 * 257];
    const int id = get_local_id(0), first = get_group_id(0) * 256 * EACH + id;
    const int copy = id % 4 * 257;
    uint sum = 0;
    for (int i = id; i < 4 * 257; i += 256)
        own[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < EACH; i++)
        if (first + i * 256 < count)
            atomic_inc(&own[copy + numbers[first + i * 256]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 4; i++)
        sum += own[i * 257 + id];
    if (sum > 0)
        atomic_add(&bins[id], sum);
}
