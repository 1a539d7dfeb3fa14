// sums[s] = x[s * length] + ... + x[(s + 1) * length - 1], the last segment being cut at n: one
// group a segment. A second launch over the sums, as a single segment, gives the sum of all.

#pragma gputune erange 32,1024,2
#define BLOCK 256 // work-items in a group
#pragma gputune set 1,2,4
#define VECTOR 1 // floats in a vector
#pragma gputune erange 1,8,2
#define ITEMS 1 // sums of its own that a work-item keeps: loads in flight
#pragma gputune bool
#define STRIDED 1 // a work-item's vectors are BLOCK apart (1) or neighbours (0)
#pragma gputune set 1,8,32
#define SERIAL 1 // this many sums are left to one work-item at the end
#pragma gputune bool
#define UNROLL 0 // the steps of the tree

#pragma gputune require BLOCK <= max_group_size
#pragma gputune require BLOCK * 4 <= local_memory
#pragma gputune require length % VECTOR == 0
#pragma gputune require BLOCK > SERIAL || !UNROLL

#if VECTOR == 1
typedef float vector;
#define ADD_UP(v) (v)
#elif VECTOR == 2
typedef float2 vector;
#define ADD_UP(v) ((v).s0 + (v).s1)
#else
typedef float4 vector;
#define ADD_UP(v) (((v).s0 + (v).s1) + ((v).s2 + (v).s3))
#endif

#pragma gputune global ceil_div(n, length) * BLOCK
#pragma gputune local BLOCK
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void reduction(int n, int length, __global const float *x, __global float *sums)
{
    __local float partial[BLOCK];
    const int id = (int)get_local_id(0), segment = (int)get_group_id(0);
    __global const float *first = x + (size_t)segment * length;
    const int count = min(length, n - segment * length), whole = count / VECTOR;
    __global const vector *v = (__global const vector *)first;
#if STRIDED
    const int step = BLOCK, end = whole;
    int i = id;
#else
    const int step = 1, share = (whole + BLOCK - 1) / BLOCK, end = min((id + 1) * share, whole);
    int i = id * share;
#endif
    vector sum[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        sum[k] = (vector)(0.0f);
    for (; i + (ITEMS - 1) * step < end; i += ITEMS * step) {
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            sum[k] += v[i + k * step];
    }
    for (; i < end; i += step)
        sum[0] += v[i];
    float total = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        total += ADD_UP(sum[k]);
    if (whole * VECTOR + id < count) // what does not fill a vector
        total += first[whole * VECTOR + id];

    partial[id] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
#if UNROLL
#pragma unroll
#endif
    for (int left = BLOCK / 2; left >= SERIAL; left /= 2) {
        if (id < left)
            partial[id] += partial[id + left];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0) {
        total = 0.0f;
        for (int k = 0; k < SERIAL; k++)
            total += partial[k];
        sums[segment] = total;
    }
}
