// For bench_models.c: micro-benchmarks whose times become the models' inputs, and the kernels that
// the models are asked about. A group is so many times 32 work-items; trip counts and constants are
// arguments, and results are used, so that no compiler can leave a loop out.

#pragma gputune set 1,4
#define CHAINS 1
#pragma gputune set 4,8,16,32
#define TILE 16
#pragma gputune set 0,1
#define TOGETHER 0

// Dependent multiplications with additions, CHAINS side by side: 64 * CHAINS a loop.
#pragma gputune global groups * 32 * warps
#pragma gputune local 32 * warps
__kernel void model_fma(__global float *out, int loops, float a, float b)
{
    float x[CHAINS], sum = 0.0f;
    for (int c = 0; c < CHAINS; c++)
        x[c] = (float)(get_local_id(0) + c);
    for (int i = 0; i < loops; i++)
        for (int k = 0; k < 64; k++)
            for (int c = 0; c < CHAINS; c++)
                x[c] = x[c] * a + b;
    for (int c = 0; c < CHAINS; c++)
        sum += x[c];
    out[get_global_id(0)] = sum;
}

// Whole numbers: 64 dependent multiplications with additions a loop.
#pragma gputune global groups * 32 * warps
#pragma gputune local 32 * warps
__kernel void model_int(__global int *out, int loops, int a, int b)
{
    int x = (int)get_local_id(0);
    for (int i = 0; i < loops; i++)
        for (int k = 0; k < 64; k++)
            x = x * a + b;
    out[get_global_id(0)] = x;
}

// Roots: 64 dependent ones a loop, each behind a multiplication with an addition.
#pragma gputune global groups * 32 * warps
#pragma gputune local 32 * warps
__kernel void model_special(__global float *out, int loops, float a, float b)
{
    float x = (float)(get_local_id(0) + 1);
    for (int i = 0; i < loops; i++)
        for (int k = 0; k < 64; k++)
            x = native_rsqrt(x * a + b);
    out[get_global_id(0)] = x;
}

// Reads of local memory without conflicts, 16 a loop.
#pragma gputune global groups * 32 * warps
#pragma gputune local 32 * warps
__kernel void model_local(__global float *out, int loops, int stride)
{
    __local float tile[1024 + 512];
    const int id = (int)get_local_id(0), size = (int)get_local_size(0);
    float sum = 0.0f;
    for (int i = id; i < 1024 + 512; i += size)
        tile[i] = (float)i;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < loops; i++) {
        const int at = (id + i * stride) & 1023;
        for (int k = 0; k < 16; k++)
            sum += tile[at + 32 * k];
    }
    out[get_global_id(0)] = sum;
}

// Reads of global memory, side by side, 16 * `count` numbers a work-item, so many times; each time
// what another group has read before, so that no multiprocessor has it. TOGETHER is for processors,
// which run the work-items of a group one after another up to the next barrier.
#pragma gputune global groups * 32 * warps
#pragma gputune local 32 * warps
__kernel void model_read(__global float *out, __global const float *in, int count, int passes)
{
    const size_t all = get_global_size(0), step = 7 * get_local_size(0);
    float sum = 0.0f;
    for (int p = 0; p < passes; p++) {
        size_t at = (get_global_id(0) + p * step) % all;
        for (int i = 0; i < count; i++) {
            for (int k = 0; k < 16; k++, at += all)
                sum += in[at];
            if (TOGETHER)
                barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(0)] = sum;
}

// Reads of a warp whose lanes are `stride` words apart, 8 a loop; mask: a power of two of words,
// less one. No line is read twice before all others were.
#pragma gputune global groups * 32 * warps
#pragma gputune local 32 * warps
__kernel void model_strided(__global float *out, __global const float *in, int loops, int stride,
                            int mask)
{
    const int id = (int)get_local_id(0);
    int at = id / 32 * 1024 + id % 32 * stride;
    float sum = 0.0f;
    for (int i = 0; i < loops; i++)
        for (int k = 0; k < 8; k++, at += 32 * 1024)
            sum += in[at & mask];
    out[get_global_id(0)] = sum;
}

// What PMAC calls idioms, beside model_read, its reduction: a number a work-item.
#pragma gputune global items
#pragma gputune local 256
__kernel void model_stream(__global float *out, __global const float *in)
{
    out[get_global_id(0)] = in[get_global_id(0)] + 1.0f;
}

#pragma gputune global items
#pragma gputune local 256
__kernel void model_neighbours(__global float *out, __global const float *in, int last)
{
    const int i = (int)get_global_id(0);
    out[i] = in[i > 0 ? i - 1 : 0] + in[i] + in[i < last ? i + 1 : last];
}

// index: any numbers of 32 bits.
#pragma gputune global items
#pragma gputune local 256
__kernel void model_gather(__global float *out, __global const float *in,
                           __global const uint *index, uint count)
{
    out[get_global_id(0)] = in[(uint)(((ulong)index[get_global_id(0)] * count) >> 32)];
}

// One work-item, from entry to entry.
#pragma gputune global 1
#pragma gputune local 1
__kernel void model_chase(__global uint *out, __global const uint *next, int steps)
{
    uint at = 0;
    for (int i = 0; i < steps; i++)
        at = next[at];
    out[0] = at;
}

// The same in local memory.
#pragma gputune global 1
#pragma gputune local 1
__kernel void model_local_chase(__global uint *out, int steps, int stride)
{
    __local uint next[1024];
    uint at = 0;
    for (int i = 0; i < 1024; i++)
        next[i] = (uint)(i + stride) & 1023;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < steps; i++)
        at = next[at];
    out[0] = at;
}

// 16 barriers a loop.
#pragma gputune global groups * 32 * warps
#pragma gputune local 32 * warps
__kernel void model_barrier(__global float *out, int loops)
{
    float x = 1.0f;
    for (int i = 0; i < loops; i++)
        for (int k = 0; k < 16; k++) {
            x += 1.0f;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    out[get_global_id(0)] = x;
}

// C = A B, n x n, a work-item a number.
#pragma gputune global n, n
#pragma gputune local TILE, TILE
__kernel void mm_naive(int n, __global const float *a, __global const float *b, __global float *c)
{
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    float sum = 0.0f;
    for (int k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

// The same in tiles: n is a multiple of TILE.
#pragma gputune global n, n
#pragma gputune local TILE, TILE
__kernel void mm_tiled(int n, __global const float *a, __global const float *b, __global float *c)
{
    __local float ta[TILE][TILE], tb[TILE][TILE];
    const int x = (int)get_global_id(0), y = (int)get_global_id(1);
    const int i = (int)get_local_id(0), j = (int)get_local_id(1);
    float sum = 0.0f;
    for (int t = 0; t < n; t += TILE) {
        ta[j][i] = a[y * n + t + i];
        tb[j][i] = b[(t + j) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += ta[j][k] * tb[k][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

// The sum of each 256 * count numbers.
#pragma gputune global n / count
#pragma gputune local 256
__kernel void model_sum(int n, int count, __global const float *in, __global float *out)
{
    __local float sums[256];
    const int id = (int)get_local_id(0);
    const size_t first = (size_t)get_group_id(0) * 256 * count + id;
    float sum = 0.0f;
    for (int k = 0; k < count; k++)
        sum += in[first + (size_t)k * 256];
    sums[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 128; step > 0; step /= 2) {
        if (id < step)
            sums[id] += sums[id + step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        out[get_group_id(0)] = sums[0];
}

// y = A x with A's rows one behind the other (CSR), a work-item a row.
#pragma gputune global rows
#pragma gputune local 256
__kernel void model_spmv(int rows, __global const int *start, __global const int *column,
                         __global const float *value, __global const float *x, __global float *y)
{
    const int row = (int)get_global_id(0), end = start[row + 1];
    float sum = 0.0f;
    for (int i = start[row]; i < end; i++)
        sum += value[i] * x[column[i]];
    y[row] = sum;
}

// Accelerations of bodies (x, y, z, mass), all pairs; 256 at a time are in local memory.
#pragma gputune global n
#pragma gputune local 256
__kernel void model_nbody(int n, __global const float4 *bodies, __global float4 *out)
{
    __local float4 tile[256];
    const int id = (int)get_local_id(0);
    const float4 me = bodies[get_global_id(0)];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int t = 0; t < n; t += 256) {
        tile[id] = bodies[t + id];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 256; k++) {
            const float4 other = tile[k];
            const float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            const float r = native_rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            const float f = other.w * r * r * r;
            ax += f * dx;
            ay += f * dy;
            az += f * dz;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = (float4)(ax, ay, az, 0.0f);
}

// A step of a bitonic sort: pairs `apart` from each other, ascending where `up` is not in an index.
#pragma gputune global n
#pragma gputune local 256
__kernel void model_sort(int n, int apart, int up, __global const float *in, __global float *out)
{
    const int i = (int)get_global_id(0), other = i ^ apart;
    const float mine = in[i], its = in[other];
    const int least = (i < other) == ((i & up) == 0);
    out[i] = least ? fmin(mine, its) : fmax(mine, its);
}

// A step of a breadth-first search from below: a vertex that has no level yet (-1) looks for a
// neighbour that is at `depth`, and at no more of them once it has one.
#pragma gputune global vertices
#pragma gputune local 256
__kernel void model_search(int vertices, int depth, __global const int *start,
                           __global const int *edge, __global const int *level,
                           __global int *next)
{
    const int v = (int)get_global_id(0);
    int found = level[v];
    if (found < 0) {
        const int end = start[v + 1];
        for (int i = start[v]; i < end && found < 0; i++)
            if (level[edge[i]] == depth)
                found = depth + 1;
    }
    next[v] = found;
}
