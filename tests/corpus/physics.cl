// Stencils in 3-D, lattices, particles: ids in helpers, indices in macros, exits at boundaries.
//: kernel wave3d
//: launch 12 10 9 / 4 2 3
//: thread yes
//: group yes
//: plain wave3d_plain
//: args int[1080] = mod 50; int[1080] = mod 31; int[1080] = 7
//: kernel diffuse_slices
//: launch 16 12 / 8 4
//: thread no local memory
//: group yes
//: plain diffuse_plain
//: args int[960] = mod 90; int[960] = 0; int 5
//: kernel lattice_stream
//: launch 15 8 / 5 4
//: thread yes
//: group yes
//: plain lattice_plain
//: args int[600] = mod 83; int[600] = 0
//: kernel gravity
//: launch 40 / 8
//: thread no local memory
//: group yes
//: plain gravity_plain
//: args int[40] = mod 100; int[40] = 0; int 37
#define BX 8
#define BY 4
#define TILE 8
#define NX ((int)get_global_size(0))
#define NY ((int)get_global_size(1))
#define NZ ((int)get_global_size(2))
#define IDX(x, y, z) (((z) * NY + (y)) * NX + (x))

static int4 cell(void)
{
    return (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
}

static bool at_boundary(int4 c)
{
    return c.x == 0 || c.y == 0 || c.z == 0 || c.x == NX - 1 || c.y == NY - 1 || c.z == NZ - 1;
}

__kernel void wave3d(__global const int *now, __global const int *before, __global int *after)
{
    const int4 c = cell();
    if (at_boundary(c)) {
        after[IDX(c.x, c.y, c.z)] = 0;
        return;
    }
    const int i = IDX(c.x, c.y, c.z);
    const int laplace = now[i - 1] + now[i + 1] + now[IDX(c.x, c.y - 1, c.z)] +
                        now[IDX(c.x, c.y + 1, c.z)] + now[IDX(c.x, c.y, c.z - 1)] +
                        now[IDX(c.x, c.y, c.z + 1)] - 6 * now[i];
    after[i] = 2 * now[i] - before[i] + laplace;
}

__kernel void wave3d_plain(__global const int *now, __global const int *before,
                           __global int *after)
{
    if (get_global_id(0) || get_global_id(1) || get_global_id(2)) return;
    for (int i = 0; i < 1080; i++) {
        int x = i % 12, y = i / 12 % 10, z = i / 120;
        if (x % 11 == 0 || y % 9 == 0 || z % 8 == 0)
            after[i] = 0;
        else
            after[i] = now[i - 1] + now[i + 1] + now[i - 12] + now[i + 12] + now[i - 120] +
                       now[i + 120] - 4 * now[i] - before[i];
    }
}

// Columns march through the slices; each is in local memory while it is the middle one.
__kernel void diffuse_slices(__global const int *in, __global int *out, int depth)
{
    __local int slice[BY + 2][BX + 2];
    const int x = get_global_id(0), y = get_global_id(1), w = get_global_size(0),
              h = get_global_size(1), lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
    for (int z = 0; z < depth; ++z) {
        const int here = (z * h + y) * w + x;
        slice[ly][lx] = in[here];
        if (lx == 1) slice[ly][0] = x ? in[here - 1] : 0;
        if (lx == BX) slice[ly][BX + 1] = x < w - 1 ? in[here + 1] : 0;
        if (ly == 1) slice[0][lx] = y ? in[here - w] : 0;
        if (ly == BY) slice[BY + 1][lx] = y < h - 1 ? in[here + w] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[here] = slice[ly][lx - 1] + slice[ly][lx + 1] + slice[ly - 1][lx] + slice[ly + 1][lx] +
                    (z ? in[here - w * h] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel void diffuse_plain(__global const int *in, __global int *out, int depth)
{
    if (get_global_id(0) || get_global_id(1)) return;
    for (int i = 0; i < 16 * 12 * depth; i++) {
        int x = i % 16, y = i / 16 % 12;
        out[i] = (x ? in[i - 1] : 0) + (x < 15 ? in[i + 1] : 0) + (y ? in[i - 16] : 0) +
                 (y < 11 ? in[i + 16] : 0) + (i >= 192 ? in[i - 192] : 0);
    }
}

#define PERIODIC(v, n) (((v) + (n)) % (n))
#define PULL(q, dx, dy) \
    to[(q) * cells + at] = from[(q) * cells + PERIODIC(y - (dy), h) * w + PERIODIC(x - (dx), w)]

__kernel void lattice_stream(__global const int *from, __global int *to)
{
    const int x = get_global_id(0), y = get_global_id(1);
    const int w = get_global_size(0), h = get_global_size(1), cells = w * h, at = y * w + x;
    PULL(0, 0, 0);
    PULL(1, 1, 0);
    PULL(2, 0, 1);
    PULL(3, -1, 0);
    PULL(4, 0, -1);
}

__kernel void lattice_plain(__global const int *from, __global int *to)
{
    const int dx[] = { 0, 1, 0, -1, 0 }, dy[] = { 0, 0, 1, 0, -1 };
    if (get_global_id(0) || get_global_id(1)) return;
    for (int q = 0; q < 5; q++)
        for (int i = 0; i < 120; i++)
            to[q * 120 + (i / 15 + dy[q] + 8) % 8 * 15 + (i % 15 + dx[q] + 15) % 15] =
                from[q * 120 + i];
}

// The last tile is not whole, and no item leaves.
__kernel void gravity(__global const int *pos, __global int *force, int n)
{
    __local int tile[TILE];
    const int i = get_global_id(0), me = i < n ? pos[i] : 0;
    int sum = 0;
    for (int t = 0; t < (n + TILE - 1) / TILE; t++) {
        const int at = t * TILE + get_local_id(0);
        tile[get_local_id(0)] = at < n ? pos[at] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (int k = 0; k < min(TILE, n - t * TILE); k++)
            sum += (tile[k] - me) * (int)abs(tile[k] - me);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (i < n) force[i] = sum;
}

__kernel void gravity_plain(__global const int *pos, __global int *force, int n)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++) {
            int d = pos[k] - pos[i];
            force[i] += d < 0 ? -d * d : d * d;
        }
}
