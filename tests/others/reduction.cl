// A sum of many numbers: KTT's composite reduction. Its restrictions are the host's, which shows
// what comes of configurations that they leave out.
#pragma gputune set 32,64,128,256,512
#define WORK_GROUP_SIZE_X 64
#pragma gputune bool
#define UNBOUNDED_WG 1 // as many groups as there are numbers for, in passes
#pragma gputune set 0,2,4,8
#define WG_NUM 0
#pragma gputune set 1,2,4,8,16
#define VECTOR_SIZE 1
#pragma gputune bool
#define USE_ATOMICS 0

#if VECTOR_SIZE == 1
typedef uint vector;
#elif VECTOR_SIZE == 2
typedef uint2 vector;
#elif VECTOR_SIZE == 4
typedef uint4 vector;
#elif VECTOR_SIZE == 8
typedef uint8 vector;
#else
typedef uint16 vector;
#endif

#pragma gputune global 1
__kernel void clear(__global uint *sum)
{
    if (get_global_id(0) == 0) sum[0] = 0;
}

// Of `in`, which has room for whole vectors, n numbers.
__kernel void add_up(int n, __global const uint *in, __global uint *out)
{
    __local uint sums[WORK_GROUP_SIZE_X];
    const int l = get_local_id(0), vectors = (n + VECTOR_SIZE - 1) / VECTOR_SIZE;
    uint sum = 0;
    for (int i = get_global_id(0); i < vectors; i += get_global_size(0)) {
        const vector v = ((__global const vector *)in)[i];
        const uint *part = (const uint *)&v;
        for (int k = 0; k < VECTOR_SIZE; k++)
            if (i * VECTOR_SIZE + k < n) sum += part[k];
    }
    sums[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int left = WORK_GROUP_SIZE_X / 2; left > 0; left /= 2) {
        if (l < left) sums[l] += sums[l + left];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l > 0) return;
#if USE_ATOMICS
    atomic_add(out, sums[0]);
#else
    out[get_group_id(0)] = sums[0];
#endif
}
