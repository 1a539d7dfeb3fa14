// What a new centre would gain in stream clustering (jia-starchart, table I): each point's distance
// to it, weighted, against what the point costs now. Points {weight, cost} come in two layouts,
// records or one array each; coordinates have an array each.

// Threads in a block.
#pragma gputune range 32,1024
#define BLOCK 256
// Points that a thread processes.
#pragma gputune range 1,16
#define PPT 1
// Weights and costs in an array each.
#pragma gputune bool
#define PA_POINT 0
// The points of a block go to local memory first.
#pragma gputune bool
#define USE_SMEM 0
#pragma gputune require BLOCK <= min(1024, max_group_size)

#if PA_POINT
#define POINT(i, which) points[4 * n + (which) * n + (i)]
#else
#define POINT(i, which) points[4 * (i) + (which)]
#endif

#pragma gputune global ceil_div(n, BLOCK * PPT) * BLOCK
#pragma gputune local BLOCK
__kernel void streamcluster(int n, int dimensions, int centre, __global const float *points,
                            __global const float *coordinates, __global float *gain,
                            __global int *centre_of)
{
#if USE_SMEM
    __local float shared[4 * BLOCK];
#endif
    const int lane = get_local_id(0), first = get_group_id(0) * BLOCK * PPT;
    for (int p = 0; p < PPT; p++) {
        const int base = first + p * BLOCK, point = base + lane;
#if USE_SMEM
        for (int t = lane; t < 4 * BLOCK; t += BLOCK) {
            const int at = PA_POINT ? t % BLOCK : t / 4, which = PA_POINT ? t / BLOCK : t % 4;
            if (base + at < n)
                shared[t] = POINT(base + at, which);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (point < n) {
            float distance = 0.0f;
            for (int d = 0; d < dimensions; d++) {
                const float off = coordinates[d * n + point] - coordinates[d * n + centre];
                distance += off * off;
            }
#if USE_SMEM
#define MINE(which) shared[PA_POINT ? (which) * BLOCK + lane : 4 * lane + (which)]
#else
#define MINE(which) POINT(point, which)
#endif
            const float cost = distance * MINE(0);
            const int moves = cost < MINE(1);
            gain[point] = moves ? MINE(1) - cost : 0.0f;
            centre_of[point] = moves ? centre : (int)MINE(2);
        }
#if USE_SMEM
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
}
