// A tile with a halo that the edge's items load.
//: kernel stencil_halo
//: launch 32 24 / 8 4
//: thread no local memory
//: group yes
//: args int[768] = mod 300; int[768] = 0
#define W 8
#define H 4
#define CLAMP(i, n) ((i) < 0 ? 0 : (i) >= (n) ? (n) - 1 : (i))
__kernel void stencil_halo(const __global int *in, __global int *out)
{
    local int tile[H + 2][W + 2];
    const int gx = get_global_id(0), gy = get_global_id(1), nx = get_global_size(0),
              ny = get_global_size(1);
    const int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    tile[ly][lx] = in[gy * nx + gx];
    if (lx == 1) tile[ly][0] = in[gy * nx + CLAMP(gx - 1, nx)];
    if (lx == W) tile[ly][W + 1] = in[gy * nx + CLAMP(gx + 1, nx)];
    if (ly == 1) tile[0][lx] = in[CLAMP(gy - 1, ny) * nx + gx];
    if (ly == H) tile[H + 1][lx] = in[CLAMP(gy + 1, ny) * nx + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gy * nx + gx] = tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx] -
                        4 * tile[ly][lx];
}
