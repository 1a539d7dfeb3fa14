// The address space behind the type, arrays of arrays of vectors, macros that name an array.
//: kernel local_odd
//: launch 64 4 / 8 2
//: thread no local memory
//: group yes
//: args float[1024] = random -8 8; float[1024] = 0
#define N_ROWS 2
#define TILE_ROW(r) tile[r]
#define SCRATCH scratch
typedef float4 row_type[8];

__kernel void local_odd(__global const float4 *in, __global float4 *out)
{
    float4 local tile[N_ROWS][8];
    float __local SCRATCH[N_ROWS * 8], first;
    __local row_type rows[N_ROWS];
    __local float (*flat)[8] = (__local float (*)[8])scratch;
    __local float4 *mine = &tile[get_local_id(1)][get_local_id(0)];
    const size_t x = get_local_id(0), y = get_local_id(1),
                 g = get_global_id(1) * get_global_size(0) + get_global_id(0);
    *mine = in[g];
    flat[y][x] = in[g].x;
    rows[y][7 - x] = in[g] * 2.0f;
    if (x + y == 0) first = in[g].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = TILE_ROW(1 - y)[7 - x] + SCRATCH[y * 8 + (x + 1) % 8] + rows[y][x] + first;
}
