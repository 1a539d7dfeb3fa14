// q = A p and s = A' r, by two kernels or by one that reads A once and leaves partial sums: KTT's
// composite bicg. The host says which are launched, by FUSED: 0: q_of_p and s_of_r; 1: fused, then
// finish; 2: clear, then fused, which adds by atomics.
#pragma gputune set 0,1,2
#define FUSED 0
#pragma gputune set 1,2,4,8
#define BICG_BATCH 1
#pragma gputune bool
#define USE_SHARED_MATRIX 1
#pragma gputune bool
#define UNROLL_BICG_STEP 0
#pragma gputune set 32,64,128
#define ROWS_PROCESSED 64
#pragma gputune set 16,32
#define TILE 16
// What has no effect on separate kernels keeps its default.
#pragma gputune require FUSED || (USE_SHARED_MATRIX && BICG_BATCH == 1 && ROWS_PROCESSED == 64)
#pragma gputune require ROWS_PROCESSED % TILE == 0

void add(__global float *to, float value)
{
    union { uint u; float f; } old, sum;
    do {
        old.u = *(volatile __global uint *)to;
        sum.f = old.f + value;
    } while (atomic_cmpxchg((volatile __global uint *)to, old.u, sum.u) != old.u);
}

#pragma gputune global rows
#pragma gputune local TILE
__kernel void q_of_p(int rows, int columns, __global const float *A, __global const float *p,
                     __global float *q)
{
    const int row = get_global_id(0);
    float sum = 0.0f;
    if (row >= rows) return;
#if UNROLL_BICG_STEP
#pragma unroll 4
#endif
    for (int c = 0; c < columns; c++) sum += A[row * columns + c] * p[c];
    q[row] = sum;
}

#pragma gputune global columns
#pragma gputune local TILE
__kernel void s_of_r(int rows, int columns, __global const float *A, __global const float *r,
                     __global float *s)
{
    const int column = get_global_id(0);
    float sum = 0.0f;
    if (column >= columns) return;
#if UNROLL_BICG_STEP
#pragma unroll 4
#endif
    for (int i = 0; i < rows; i++) sum += A[i * columns + column] * r[i];
    s[column] = sum;
}

#pragma gputune global max(rows, columns)
__kernel void clear(int rows, int columns, __global float *q, __global float *s)
{
    const int i = get_global_id(0);
    if (i < rows) q[i] = 0.0f;
    if (i < columns) s[i] = 0.0f;
}

// A group does TILE columns of ROWS_PROCESSED rows, tile by tile; TILE divides rows and columns.
// part: a row of it for each group in x (sums of q), then one for each in y (of s).
#pragma gputune global columns, ceil_div(rows, ROWS_PROCESSED) * (TILE / BICG_BATCH)
#pragma gputune local TILE, TILE / BICG_BATCH
__kernel void fused(int rows, int columns, __global const float *A, __global const float *p,
                    __global const float *r, __global float *q, __global float *s,
                    __global float *part)
{
    __local float tile[TILE][TILE + 1], sums[TILE][TILE + 1];
    const int x = get_local_id(0), y = get_local_id(1);
    const int column = get_group_id(0) * TILE, begin = get_group_id(1) * ROWS_PROCESSED;
    __global float *part_s = part + columns / TILE * rows;
    float own = 0.0f; // of s: of this column and these rows of each tile
    for (int row = begin; row < min(rows, begin + ROWS_PROCESSED); row += TILE) {
#if UNROLL_BICG_STEP
#pragma unroll
#endif
        for (int b = 0; b < BICG_BATCH; b++) {
            const int j = y + b * (TILE / BICG_BATCH);
            const float a = A[(row + j) * columns + column + x];
#if USE_SHARED_MATRIX
            tile[j][x] = a;
#else
            sums[j][x] = a * p[column + x];
#endif
            own += a * r[row + j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y == 0) {
            float sum = 0.0f;
            for (int c = 0; c < TILE; c++)
#if USE_SHARED_MATRIX
                sum += tile[x][c] * p[column + c];
#else
                sum += sums[x][c];
#endif
#if FUSED == 2
            add(q + row + x, sum);
#else
            part[get_group_id(0) * rows + row + x] = sum;
#endif
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[y][x] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y == 0) {
        for (int j = 1; j < TILE / BICG_BATCH; j++) own += sums[j][x];
#if FUSED == 2
        add(s + column + x, own);
#else
        part_s[get_group_id(1) * columns + column + x] = own;
#endif
    }
}

#pragma gputune global max(rows, columns)
__kernel void finish(int rows, int columns, __global const float *part, __global float *q,
                     __global float *s)
{
    const int i = get_global_id(0), across = columns / TILE;
    const int down = (rows + ROWS_PROCESSED - 1) / ROWS_PROCESSED;
    float sum = 0.0f;
    for (int g = 0; g < across && i < rows; g++) sum += part[g * rows + i];
    if (i < rows) q[i] = sum;
    sum = 0.0f;
    for (int g = 0; g < down && i < columns; g++) sum += part[across * rows + g * columns + i];
    if (i < columns) s[i] = sum;
}
