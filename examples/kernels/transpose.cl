// out = in transposed: in has rows x cols floats, row major, out cols x rows.

#pragma gputune erange 8,64,2
#define TILE 32 // a group's square of the matrix
#pragma gputune erange 1,32,2
#define ITEMS 4 // elements a work-item moves
#pragma gputune bool
#define LOCAL_MEMORY 1 // through a tile in local memory: both sides are coalesced
#pragma gputune bool
#define PAD 1 // against bank conflicts in that tile
#pragma gputune bool
#define WRITES 0 // without the tile: neighbouring work-items write neighbours, not read them

#pragma gputune require ITEMS <= TILE && TILE * TILE / ITEMS >= 32
#pragma gputune require TILE * TILE / ITEMS <= max_group_size
#pragma gputune require LOCAL_MEMORY * TILE * (TILE + PAD) * 4 <= local_memory
#pragma gputune require LOCAL_MEMORY ? !WRITES : PAD

#define GROUP_Y (TILE / ITEMS)

#pragma gputune global cols, ceil_div(rows, ITEMS) // up to whole tiles
#pragma gputune local TILE, TILE / ITEMS
__kernel __attribute__((reqd_work_group_size(TILE, GROUP_Y, 1)))
void transpose(int rows, int cols, __global const float *in, __global float *out)
{
    const int x0 = (int)get_group_id(0) * TILE, y0 = (int)get_group_id(1) * TILE;
    const int across = (int)get_local_id(0), down = (int)get_local_id(1);
#if LOCAL_MEMORY
    __local float tile[TILE][TILE + PAD];
    if (x0 + across < cols)
#pragma unroll
        for (int k = 0; k < TILE; k += GROUP_Y)
            if (y0 + down + k < rows)
                tile[down + k][across] = in[(size_t)(y0 + down + k) * cols + x0 + across];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y0 + across < rows)
#pragma unroll
        for (int k = 0; k < TILE; k += GROUP_Y)
            if (x0 + down + k < cols)
                out[(size_t)(x0 + down + k) * rows + y0 + across] = tile[across][down + k];
#else
#pragma unroll
    for (int k = 0; k < TILE; k += GROUP_Y) {
        const int x = x0 + (WRITES ? down + k : across), y = y0 + (WRITES ? across : down + k);
        if (x < cols && y < rows)
            out[(size_t)x * rows + y] = in[(size_t)y * cols + x];
    }
#endif
}
