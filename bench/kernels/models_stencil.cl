// A step of a 5-point stencil on a square of n x n numbers; the border keeps its own. For
// bench_models.c, with a space of a few hundred configurations.
//
// A group of GROUP_X x GROUP_Y work-items does ITEMS_X x ITEMS_Y points a work-item, GROUP_X and
// GROUP_Y apart. With LOCAL_TILE it copies what it reads into local memory first.

#pragma gputune erange 8,256,2
#define GROUP_X 32
#pragma gputune erange 1,32,2
#define GROUP_Y 8
#pragma gputune set 1,2,4
#define ITEMS_X 1
#pragma gputune set 1,2,4,8
#define ITEMS_Y 1
#pragma gputune bool
#define LOCAL_TILE 0

#pragma gputune require GROUP_X * GROUP_Y >= 32 && GROUP_X * GROUP_Y <= max_group_size
#pragma gputune require GROUP_X * ITEMS_X <= n && GROUP_Y * ITEMS_Y <= n
#define TILE_X (GROUP_X * ITEMS_X + 2)
#define TILE_Y (GROUP_Y * ITEMS_Y + 2)
#pragma gputune require LOCAL_TILE * (GROUP_X * ITEMS_X + 2) * (GROUP_Y * ITEMS_Y + 2) * 4         \
                            <= local_memory

#pragma gputune global n / ITEMS_X, n / ITEMS_Y
#pragma gputune local GROUP_X, GROUP_Y
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void model_stencil(int n, __global const float *in, __global float *out)
{
    const int x0 = (int)get_group_id(0) * (GROUP_X * ITEMS_X);
    const int y0 = (int)get_group_id(1) * (GROUP_Y * ITEMS_Y);
    const int lx = (int)get_local_id(0), ly = (int)get_local_id(1);
#if LOCAL_TILE
    __local float tile[TILE_Y][TILE_X];
    for (int y = ly; y < TILE_Y; y += GROUP_Y)
        for (int x = lx; x < TILE_X; x += GROUP_X)
            tile[y][x] = in[clamp(y0 + y - 1, 0, n - 1) * n + clamp(x0 + x - 1, 0, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
#pragma unroll
    for (int v = 0; v < ITEMS_Y; v++)
#pragma unroll
        for (int u = 0; u < ITEMS_X; u++) {
            const int tx = lx + u * GROUP_X, ty = ly + v * GROUP_Y, x = x0 + tx, y = y0 + ty;
            const int at = y * n + x;
            const int border = x == 0 || y == 0 || x == n - 1 || y == n - 1;
#if LOCAL_TILE
            const float own = tile[ty + 1][tx + 1];
            const float sum = tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] +
                              tile[ty + 1][tx + 2];
#else
            const float own = in[at];
            const float sum = border ? 0.0f : in[at - n] + in[at + n] + in[at - 1] + in[at + 1];
#endif
            out[at] = border ? own : 0.2f * (own + sum);
        }
}
