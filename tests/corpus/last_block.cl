// The last group to finish adds the partial sums up: no group waits for another.
//: kernel last_block
//: launch 128 / 16
//: thread no local memory
//: group yes
//: args int[128] = random -50 50; int[8] = 0; int[1] = 0; uint[1] = 0
__kernel void last_block(__global const int *in, volatile __global int *partial,
                         __global int *result, volatile __global uint *done)
{
    __local int cache[16];
    __local bool is_last;
    uint l = get_local_id(0);
    cache[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 8; s > 0; s /= 2) {
        if (l < s) cache[l] += cache[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        partial[get_group_id(0)] = cache[0];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        is_last = atomic_inc(done) == get_num_groups(0) - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (is_last && l == 0) {
        int sum = 0;
        for (uint g = 0; g < get_num_groups(0); g++) sum += partial[g];
        *result = sum;
    }
}
