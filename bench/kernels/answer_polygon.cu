// 1 for each of n points that lies inside, by the crossings of a ray with the edges.

#pragma gputune erange 32,1024,2
#define BLOCK 256
#pragma gputune range 1,10
#define ITEMS 1
#pragma gputune set 1,2,3,4,6,8
#define UNROLL 1
#pragma gputune set 0,1,2
#define WHERE 0 // edges are read from memory, through the read-only cache, from shared memory
#pragma gputune bool
#define AREA 0 // one comparison of its sign, or two
#pragma gputune bool
#define XOR 0
#pragma gputune global ceil_div(n, ITEMS)
#pragma gputune local BLOCK
extern "C" __global__ void polygon(int n, int edges, const float2 *point, const float4 *edge,
                                   int *inside)
{
#if WHERE == 2
    __shared__ float4 kept[512];
    for (int i = threadIdx.x; i < edges; i += BLOCK) kept[i] = edge[i];
    __syncthreads();
#endif
    const int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    float2 at[ITEMS];
    int crossed[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        at[k] = point[min(first + k * BLOCK, n - 1)];
        crossed[k] = 0;
    }
#pragma unroll UNROLL
    for (int i = 0; i < edges; i++) {
#if WHERE == 0
        const float4 e = edge[i];
#elif WHERE == 1
        const float4 e = __ldg(&edge[i]);
#else
        const float4 e = kept[i];
#endif
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const bool between = (e.y > at[k].y) != (e.w > at[k].y);
            const float area = __fmaf_rn(at[k].x - e.x, e.w - e.y,
                                         -__fmul_rn(e.z - e.x, at[k].y - e.y));
#if AREA
            const bool left = (area < 0) == (e.w > e.y);
#else
            const bool left = (e.w > e.y && area < 0) || (e.w < e.y && area > 0);
#endif
#if XOR
            crossed[k] ^= between && left;
#else
            if (between && left) crossed[k] = !crossed[k];
#endif
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (first + k * BLOCK < n) inside[first + k * BLOCK] = crossed[k];
}
