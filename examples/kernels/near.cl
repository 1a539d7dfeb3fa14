// near[i] = how many of the points p lie within 1 of place x[i]. Two kernels for this one job, for
// a pool of variants.

// A work-item a place.
#pragma gputune global places
#pragma gputune local 64
__kernel void near_scalar(int places, int points, __global const float *x,
                             __global const float *p, __global int *near)
{
    const int i = (int)get_global_id(0);
    int count = 0;
    if (i >= places)
        return;
    for (int k = 0; k < points; k++)
        count += fabs(x[i] - p[k]) < 1.0f;
    near[i] = count;
}

// 64 work-items a place, which read the points side by side and add up in local memory.
#pragma gputune global places * 64
#pragma gputune local 64
__kernel void near_group(int places, int points, __global const float *x,
                            __global const float *p, __global int *near)
{
    __local int partial[64];
    const int id = (int)get_local_id(0), i = (int)get_group_id(0);
    int count = 0;
    for (int k = id; k < points; k += 64)
        count += fabs(x[i] - p[k]) < 1.0f;
    partial[id] = count;
    for (int left = 32; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < left)
            partial[id] += partial[id + left];
    }
    if (id == 0)
        near[i] = partial[0];
}
