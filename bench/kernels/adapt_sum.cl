// The sum of an array in one launch: GROUPS work-groups add up a share each, and the one that ends
// last adds up the shares. `ended` is 0 before and after.

#pragma gputune erange 64,1024,2
#define GROUP 256
#pragma gputune set 1,4,16,64,256,1024
#define GROUPS 64
#pragma gputune set 1,4
#define VECTOR 1 // floats that are read at once

#pragma gputune require GROUP <= max_group_size

#pragma gputune global GROUPS * GROUP
#pragma gputune local GROUP
__kernel void adapt_sum(int n, __global const float *x, __global volatile float *shares,
                        __global int *ended, __global float *total)
{
    __local float partial[GROUP];
    __local int last;
    const int id = (int)get_local_id(0), count = n / VECTOR;
    float sum = 0.0f;
    for (int i = (int)get_global_id(0); i < count; i += GROUPS * GROUP) {
#if VECTOR == 4
        const float4 v = vload4(i, x);
        sum += (v.x + v.y) + (v.z + v.w);
#else
        sum += x[i];
#endif
    }
    partial[id] = sum;
    for (int step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < step)
            partial[id] += partial[id + step];
    }
    if (id == 0) {
        shares[get_group_id(0)] = partial[0];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        last = atomic_inc(ended) == GROUPS - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last) {
        sum = 0.0f;
        for (int i = id; i < GROUPS; i += GROUP)
            sum += shares[i];
        partial[id] = sum;
        for (int step = GROUP / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (id < step)
                partial[id] += partial[id + step];
        }
        if (id == 0) {
            total[0] = partial[0];
            ended[0] = 0;
        }
    }
}
