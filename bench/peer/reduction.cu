// sums[r] = x[r * length] + ... + x[(r + 1) * length - 1]: one block a row. length is a multiple of
// 32768: no configuration has to look after ends.

#pragma gputune erange 64,1024,2
#ifndef BLOCK
#define BLOCK 256 // threads
#endif
#pragma gputune set 1,2,4
#ifndef VECTOR
#define VECTOR 1 // floats that one access moves
#endif
#pragma gputune erange 1,8,2
#ifndef ITEMS
#define ITEMS 1 // sums of its own that a thread keeps: loads in flight
#endif
#pragma gputune set 0,1,2
#ifndef ORDER
#define ORDER 0 // a thread's vectors: 0 BLOCK apart, 1 ITEMS neighbours at a time, 2 one long run
#endif
#pragma gputune set 0,1,2
#ifndef LOADS
#define LOADS 0 // 0 plain, 1 through the read-only cache, 2 streaming
#endif
#pragma gputune bool
#ifndef SHUFFLE
#define SHUFFLE 0 // threads' sums are added within warps first, by shuffles
#endif
#pragma gputune bool
#ifndef UNROLL
#define UNROLL 0 // the steps of the tree in shared memory
#endif

#pragma gputune require ITEMS > 1 || ORDER != 1
#pragma gputune require ORDER != 2 || LOADS == 0
#pragma gputune require !SHUFFLE || !UNROLL
#pragma gputune require BLOCK * VECTOR * ITEMS <= 32768

struct __align__(4 * VECTOR) vector {
    float at[VECTOR];
};

static __device__ __forceinline__ vector load(const vector *from)
{
#if LOADS == 0
    return *from;
#else
#if LOADS == 1
#define LOAD __ldg
#else
#define LOAD __ldcs
#endif
    vector v;
#if VECTOR == 1
    v.at[0] = LOAD((const float *)from);
#elif VECTOR == 2
    const float2 f = LOAD((const float2 *)from);
    v.at[0] = f.x;
    v.at[1] = f.y;
#else
    const float4 f = LOAD((const float4 *)from);
    v.at[0] = f.x;
    v.at[1] = f.y;
    v.at[2] = f.z;
    v.at[3] = f.w;
#endif
    return v;
#endif
}

#pragma gputune global rows * BLOCK
#pragma gputune local BLOCK
extern "C" __global__ void __launch_bounds__(BLOCK)
reduction(int rows, int length, const float *__restrict__ x, float *__restrict__ sums)
{
    __shared__ float partial[BLOCK];
    const int id = threadIdx.x, vectors = length / VECTOR;
    const vector *v = (const vector *)(x + (size_t)blockIdx.x * length);
#if ORDER == 0
    const int first = id, step = BLOCK, apart = BLOCK, end = vectors;
#elif ORDER == 1
    const int first = id * ITEMS, step = BLOCK, apart = 1, end = vectors;
#else
    const int share = vectors / BLOCK, first = id * share, step = 1, apart = 1;
    const int end = first + share;
#endif
    float sum[ITEMS] = {};
#pragma unroll 1
    for (int i = first; i < end; i += ITEMS * step) {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const vector part = load(v + i + k * apart);
#pragma unroll
            for (int l = 0; l < VECTOR; l++)
                sum[k] += part.at[l];
        }
    }
    float total = 0.0f;
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        total += sum[k];

#if SHUFFLE
#pragma unroll
    for (int left = 16; left > 0; left /= 2)
        total += __shfl_down_sync(0xffffffffu, total, left);
    if (id % 32 == 0)
        partial[id / 32] = total;
    __syncthreads();
    const int left_over = BLOCK / 32;
#else
    partial[id] = total;
    __syncthreads();
    const int left_over = BLOCK;
#endif
#if UNROLL
#pragma unroll
#else
#pragma unroll 1
#endif
    for (int left = left_over / 2; left > 0; left /= 2) {
        if (id < left)
            partial[id] += partial[id + left];
        __syncthreads();
    }
    if (id == 0)
        sums[blockIdx.x] = partial[0];
}
