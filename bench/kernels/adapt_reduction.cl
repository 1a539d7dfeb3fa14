// Sums of segments, one work-group a segment: short ones want small groups.

#pragma gputune erange 16,1024,2
#define BLOCK 256
#pragma gputune set 1,2,4
#define ITEMS 1 // sums of its own that a work-item keeps
#pragma gputune set 1,4
#define VECTOR 1 // floats that are read at once

#pragma gputune require BLOCK <= max_group_size

#pragma gputune global segments * BLOCK
#pragma gputune local BLOCK
__kernel void adapt_reduction(int segments, int length, __global const float *x,
                              __global float *sums)
{
    __local float partial[BLOCK];
    const int id = (int)get_local_id(0), count = length / VECTOR;
    __global const float *first = x + (size_t)get_group_id(0) * length;
    float sum[ITEMS];
    for (int k = 0; k < ITEMS; k++)
        sum[k] = 0.0f;
    for (int i = id; i < count; i += BLOCK * ITEMS)
        for (int k = 0; k < ITEMS; k++)
            if (i + k * BLOCK < count) {
#if VECTOR == 4
                const float4 v = vload4(i + k * BLOCK, first);
                sum[k] += (v.x + v.y) + (v.z + v.w);
#else
                sum[k] += first[i + k * BLOCK];
#endif
            }
    for (int k = 1; k < ITEMS; k++)
        sum[0] += sum[k];
    partial[id] = sum[0];
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < step)
            partial[id] += partial[id + step];
    }
    if (id == 0)
        sums[get_group_id(0)] = partial[0];
}
