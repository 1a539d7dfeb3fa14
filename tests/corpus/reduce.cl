// A tree in local memory, with the barrier in the loop.
//: kernel reduce
//: launch 512 / 64
//: thread no local memory
//: group yes
//: args int[500] = random -1000 1000; int[8] = 0; int 500
//: kernel reduce_parameter
//: launch 512 / 64
//: thread no local memory
//: group yes
//: reference sum_of_group
//: args uint[512] = mod 1000; uint[8] = 0; local 256
__kernel void reduce(__global const int *in, __global int *out, int n)
{
    __local int cache[64];
    const int lid = get_local_id(0), gid = get_global_id(0);
    cache[lid] = gid < n ? in[gid] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (lid < s) cache[lid] += cache[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) out[get_group_id(0)] = cache[0];
}

__kernel void reduce_parameter(__global const uint *in, __global uint *out, __local uint *cache)
{
    uint lid = get_local_id(0);
    cache[lid] = in[get_global_id(0)];
    for (uint s = 1; s < get_local_size(0); s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid % (2 * s) == 0) cache[lid] += cache[lid + s];
    }
    if (lid == 0) out[get_group_id(0)] = cache[0] + get_num_groups(0);
}

// Without a barrier: in reduce_parameter PoCL 3.1 leaves the loop too early.
__kernel void sum_of_group(__global const uint *in, __global uint *out, __local uint *cache)
{
    uint sum = get_num_groups(0);
    for (uint k = 0; k < get_local_size(0); k++)
        sum += in[get_group_id(0) * get_local_size(0) + k];
    if (get_local_id(0) == 0) out[get_group_id(0)] = sum;
}
