// Sums of unsigned integers, four at a time: a work-group adds up twice as many vectors as it has
// work-items, in a tree in local memory.

#pragma gputune local 256
__kernel void reduce(__global const uint4 *input, __global uint4 *sums, __local uint4 *shared)
{
    unsigned int id = get_local_id(0), pair = 2 * get_global_id(0);
    shared[id] = input[pair] + input[pair + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned int left = get_local_size(0) / 2; left > 0; left /= 2) {
        if (id < left)
            shared[id] += shared[id + left];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        sums[get_group_id(0)] = shared[0];
}
