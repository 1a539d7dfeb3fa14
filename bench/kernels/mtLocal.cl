// Matrix transposition through a tile in local memory, so that reads and writes are coalesced; the
// tile's rows are one longer so that its columns lie in different banks.

#define TILE 16

#pragma gputune global width, height
#pragma gputune local 16, 16
__kernel void mtLocal(__global float *output, __global const float *input, int width, int height)
{
    __local float tile[TILE][TILE + 1];
    unsigned int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        tile[get_local_id(1)][get_local_id(0)] = input[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    x = get_group_id(1) * TILE + get_local_id(0);
    y = get_group_id(0) * TILE + get_local_id(1);
    if (x < height && y < width)
        output[y * height + x] = tile[get_local_id(0)][get_local_id(1)];
}
