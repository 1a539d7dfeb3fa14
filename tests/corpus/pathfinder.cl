// A dynamic program over rows; the tile's own copy of a row.
//: kernel pathfinder
//: launch 96 / 16
//: thread no local memory
//: group yes
//: args int[432] = mod 10; int[72] = mod 10; int[72] = -1; int 72; int 2; local 64; local 64
__kernel void pathfinder(__global const int *wall, __global const int *source,
                         __global int *result, int cols, int height, __local int *previous,
                         __local int *current)
{
    int tx = get_local_id(0), size = get_local_size(0);
    int x = (size - 2 * height) * (int)get_group_id(0) - height + tx;
    bool inside = x >= 0 && x < cols;
    if (inside) previous[tx] = source[x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < height; i++) {
        bool doing = tx >= i + 1 && tx <= size - i - 2 && inside;
        if (doing) {
            int least = previous[tx];
            if (x > 0) least = min(least, previous[tx - 1]);
            if (x < cols - 1) least = min(least, previous[tx + 1]);
            current[tx] = least + wall[cols * i + x];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (doing) previous[tx] = current[tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tx >= height && tx <= size - height - 1 && inside) result[x] = previous[tx];
}
