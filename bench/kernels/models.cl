// For bench_models.c: micro-benchmarks whose times become the models' inputs, and the kernels that
// the models are asked about. A group is so many times 32 work-items; trip counts and constants are
// arguments, and results are used, so that no compiler can leave a loop out.

#pragma gputune set 1,2,4,8,16,32
#define WARPS 1
#pragma gputune set 1,4
#define CHAINS 1
#pragma gputune set 4,8,16,32
#define TILE 16
#pragma gputune set 0,1
#define TOGETHER 0

// Dependent multiplications with additions, CHAINS side by side: 64 * CHAINS a loop.
#pragma gputune global groups * 32 * WARPS
#pragma gputune local 32 * WARPS
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
#pragma gputune global groups * 32 * WARPS
#pragma gputune local 32 * WARPS
__kernel void model_int(__global int *out, int loops, int a, int b)
{
    int x = (int)get_local_id(0);
    for (int i = 0; i < loops; i++)
        for (int k = 0; k < 64; k++)
            x = x * a + b;
    out[get_global_id(0)] = x;
}

// Reads of local memory without conflicts, 16 a loop.
#pragma gputune global groups * 32 * WARPS
#pragma gputune local 32 * WARPS
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

// Reads of global memory, side by side, 16 * `count` numbers a work-item. TOGETHER is for
// processors, which run the work-items of a group one after another up to the next barrier.
#pragma gputune global groups * 32 * WARPS
#pragma gputune local 32 * WARPS
__kernel void model_read(__global float *out, __global const float *in, int count)
{
    const size_t all = get_global_size(0);
    size_t at = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < 16; k++, at += all)
            sum += in[at];
        if (TOGETHER)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = sum;
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
#pragma gputune global groups * 32 * WARPS
#pragma gputune local 32 * WARPS
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
