// Scalar products of pairs of vectors; GROUPS work-groups take the pairs in turn.

#pragma gputune erange 32,512,2
#define GROUP 256
#pragma gputune set 32,128,512,2048
#define GROUPS 128
#pragma gputune set 1,2,4
#define UNROLL 1

#pragma gputune require GROUP <= max_group_size

#pragma gputune global min(pairs, GROUPS) * GROUP
#pragma gputune local GROUP
__kernel void adapt_scalar(int pairs, int length, __global const float *a, __global const float *b,
                           __global float *products)
{
    __local float partial[GROUP];
    const int id = (int)get_local_id(0);
    for (int pair = (int)get_group_id(0); pair < pairs; pair += (int)get_num_groups(0)) {
        __global const float *x = a + (size_t)pair * length, *y = b + (size_t)pair * length;
        float sum = 0.0f;
        int i = id;
        for (; i + (UNROLL - 1) * GROUP < length; i += UNROLL * GROUP) {
#pragma unroll
            for (int k = 0; k < UNROLL; k++)
                sum += x[i + k * GROUP] * y[i + k * GROUP];
        }
        for (; i < length; i += GROUP)
            sum += x[i] * y[i];
        partial[id] = sum;
        for (int step = GROUP / 2; step > 0; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            if (id < step)
                partial[id] += partial[id + step];
        }
        if (id == 0)
            products[pair] = partial[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
