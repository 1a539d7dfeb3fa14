// A wavelet transform, several levels in one group; leaves the loop before the others.
//: kernel haar
//: launch 64 / 16
//: thread no local memory
//: group yes
//: args float[128] = random -8 8; float[128] = 0; float[4] = 0; int 4; local 128
__kernel void haar(__global const float *in, __global float *out, __global float *mean,
                   const int levels, __local float *shared)
{
    const size_t lid = get_local_id(0), group = get_group_id(0), size = get_local_size(0);
    const size_t base = group * size * 2;
    shared[lid] = in[base + lid];
    shared[lid + size] = in[base + lid + size];
    barrier(CLK_LOCAL_MEM_FENCE);
    size_t active = size;
    for (int level = 0; level < levels; level++) {
        float a = 0, b = 0;
        if (lid < active) {
            a = shared[2 * lid];
            b = shared[2 * lid + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < active) {
            shared[lid] = (a + b) * 0.5f;
            out[base + active + lid] = (a - b) * 0.5f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        active >>= 1;
    }
    if (lid < 2 * active) out[base + lid] = shared[lid];
    if (lid == 0) mean[group] = shared[0];
}
