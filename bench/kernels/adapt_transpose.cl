// Transposes a matrix, TILE x TILE elements a work-group, ITEMS of them a work-item, through local
// memory or not.

#pragma gputune erange 4,32,2
#define TILE 16
#pragma gputune erange 1,8,2
#define ITEMS 1
#pragma gputune bool
#define LOCAL 0
#pragma gputune bool
#define PAD 0 // one float more in a row of the tile, against bank conflicts

#pragma gputune require TILE % ITEMS == 0 && TILE * TILE / ITEMS <= max_group_size
#pragma gputune require LOCAL || !PAD

#pragma gputune global ceil_div(columns, TILE) * TILE, ceil_div(rows, TILE) * (TILE / ITEMS)
#pragma gputune local TILE, TILE / ITEMS
__kernel void adapt_transpose(int rows, int columns, __global const float *in, __global float *out)
{
    const int lx = (int)get_local_id(0), ly = (int)get_local_id(1);
    const int left = (int)get_group_id(0) * TILE, top = (int)get_group_id(1) * TILE;
#if LOCAL
    __local float tile[TILE][TILE + PAD];
    for (int k = 0; k < TILE; k += TILE / ITEMS)
        if (left + lx < columns && top + ly + k < rows)
            tile[ly + k][lx] = in[(size_t)(top + ly + k) * columns + left + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE; k += TILE / ITEMS)
        if (top + lx < rows && left + ly + k < columns)
            out[(size_t)(left + ly + k) * rows + top + lx] = tile[lx][ly + k];
#else
    for (int k = 0; k < TILE; k += TILE / ITEMS)
        if (left + lx < columns && top + ly + k < rows)
            out[(size_t)(left + lx) * rows + top + ly + k] =
                in[(size_t)(top + ly + k) * columns + left + lx];
#endif
}
