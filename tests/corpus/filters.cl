// Image filters as they are published: sorting macros, coordinates in a helper, exits at the edge.
//: kernel median3x3
//: launch 48 20 / 8 4
//: thread yes
//: group yes
//: plain median3x3_plain
//: args int[960] = mod 251; int[960] = -1; int 45; int 18
//: kernel erode_tiled
//: launch 40 24 / 8 8
//: thread no local memory
//: group yes
//: plain erode_plain
//: args int[960] = mod 251; int[960] = -1; int 40; int 20
//: kernel histogram_equalise
//: launch 256 / 32
//: thread yes
//: group yes
//: plain equalise_plain
//: args uchar[250] = mod 200; int[256] = ramp 2; uchar[256] = 0; int 250
#define TILE 8
#define RADIUS 2
#define SWAP(a, b) { int t = min(a, b); b = max(a, b); a = t; }
#define MIN3(a, b, c) SWAP(a, b) SWAP(a, c)
#define MAX3(a, b, c) SWAP(b, c) SWAP(a, c)
#define MNMX3(a, b, c) MAX3(a, b, c) SWAP(a, b)
#define MNMX4(a, b, c, d) SWAP(a, b) SWAP(c, d) SWAP(a, c) SWAP(b, d)
#define MNMX5(a, b, c, d, e) SWAP(a, b) SWAP(c, d) MIN3(a, c, e) MAX3(b, d, e)
#define MNMX6(a, b, c, d, e, f) SWAP(a, d) SWAP(b, e) SWAP(c, f) MIN3(a, b, c) MAX3(d, e, f)

static inline int2 pixel(void)
{
    return (int2)((int)get_global_id(0), (int)get_global_id(1));
}

int load(__global const int *in, int x, int y, int w, int h)
{
    return in[clamp(y, 0, h - 1) * w + clamp(x, 0, w - 1)];
}

__kernel void median3x3(__global const int *in, __global int *out, const int w, const int h)
{
    const int2 p = pixel();
    int v[9], n = 0;
    if (p.x >= w || p.y >= h) return;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) v[n++] = load(in, p.x + dx, p.y + dy, w, h);
    MNMX6(v[0], v[1], v[2], v[3], v[4], v[5])
    MNMX5(v[1], v[2], v[3], v[4], v[6])
    MNMX4(v[2], v[3], v[4], v[7])
    MNMX3(v[3], v[4], v[8])
    out[p.y * w + p.x] = v[4];
}

__kernel void median3x3_plain(__global const int *in, __global int *out, const int w, const int h)
{
    if (get_global_id(0) || get_global_id(1)) return;
    for (int i = 0; i < w * h; i++)
        for (int a = 0; a < 9; a++) {
            int v = load(in, i % w + a % 3 - 1, i / w + a / 3 - 1, w, h), less = 0, same = 0;
            for (int b = 0; b < 9; b++) {
                int u = load(in, i % w + b % 3 - 1, i / w + b / 3 - 1, w, h);
                less += u < v;
                same += u == v;
            }
            if (less <= 4 && less + same > 4) out[i] = v;
        }
}

// The halo is loaded by all, and only whole groups leave.
__kernel void erode_tiled(__global const int *in, __global int *out, const int w, const int h)
{
    __local int tile[TILE + 2 * RADIUS][TILE + 2 * RADIUS];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const int x0 = get_group_id(0) * TILE - RADIUS, y0 = get_group_id(1) * TILE - RADIUS;
    if (y0 + RADIUS >= h) return;
    for (int y = ly; y < TILE + 2 * RADIUS; y += TILE)
        for (int x = lx; x < TILE + 2 * RADIUS; x += TILE)
            tile[y][x] = load(in, x0 + x, y0 + y, w, h);
    barrier(CLK_LOCAL_MEM_FENCE);
    int least = tile[ly][lx];
    for (int y = 0; y <= 2 * RADIUS; y++)
        for (int x = 0; x <= 2 * RADIUS; x++) least = min(least, tile[ly + y][lx + x]);
    if (get_global_id(1) < h) out[get_global_id(1) * w + get_global_id(0)] = least;
}

__kernel void erode_plain(__global const int *in, __global int *out, const int w, const int h)
{
    if (get_global_id(0) || get_global_id(1)) return;
    for (int i = 0; i < w * h; i++) {
        int least = 1000;
        for (int y = -RADIUS; y <= RADIUS; y++)
            for (int x = -RADIUS; x <= RADIUS; x++)
                least = min(least, load(in, i % w + x, i / w + y, w, h));
        out[i] = least;
    }
}

__kernel void histogram_equalise(__global const uchar *in, __global const int *cdf,
                                 __global uchar *out, int n)
{
    const size_t gid = get_global_id(0);
    if (gid >= (size_t)n)
        return;
    const float scaled = 255.0f * (cdf[in[gid]] - cdf[0]) / (float)(n * 2 - cdf[0]);
    out[gid] = convert_uchar_sat(scaled);
}

__kernel void equalise_plain(__global const uchar *in, __global const int *cdf,
                             __global uchar *out, int n)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        float scaled = 255.0f * (cdf[in[i]] - cdf[0]) / (float)(n * 2 - cdf[0]);
        out[i] = scaled > 255 ? 255 : scaled < 0 ? 0 : (uchar)scaled;
    }
}
