// C = A * B (jia-starchart, table I), matrices stored by rows: a work-group computes X columns and
// Y rows of C, and goes along the inner dimension in tiles.

#pragma gputune range 1,1024
#define X 16
#pragma gputune range 1,1024
#define Y 16
// Elements of a row of A and a column of B that a thread processes in one iteration.
#pragma gputune range 1,1024
#define TILING 16
#pragma gputune range 1,16
#define UNROLL 1
// The tiles of A and B lie in local memory, there by columns instead of rows.
#pragma gputune bool
#define T_A 0
#pragma gputune bool
#define T_B 0
// Tiles go to local memory at all.
#pragma gputune bool
#define USE_SMEM 1
#pragma gputune require X * Y <= min(1024, max_group_size)
#pragma gputune require !USE_SMEM || (X + Y) * TILING * 4 <= local_memory

// Table II, where the driver makes parameters of them (CUDA): the most registers a thread may use
// before it spills, and whether what is read goes through the L1 cache.
#ifndef NREG
#define NREG 255
#endif
#ifndef USE_L1
#define USE_L1 1
#endif
#ifdef __CUDACC__
#define REGISTERS __attribute__((maxnreg(NREG)))
#define LOAD(from) (USE_L1 ? *(from) : __ldcg(from))
#else
#define REGISTERS
#define LOAD(from) *(from)
#endif

#if USE_SMEM
#if T_A
#define LEFT(k) a[(k) * Y + y]
#else
#define LEFT(k) a[y * TILING + (k)]
#endif
#if T_B
#define RIGHT(k) b[x * TILING + (k)]
#else
#define RIGHT(k) b[(k) * X + x]
#endif
#else
#define LEFT(k) LOAD(A + row * inner + first + (k))
#define RIGHT(k) LOAD(B + (first + (k)) * columns + column)
#endif

#pragma gputune global columns, rows
#pragma gputune local X, Y
__kernel REGISTERS void matrix(int columns, int rows, int inner, __global const float *A,
                               __global const float *B, __global float *C)
{
    const int x = get_local_id(0), y = get_local_id(1);
    const int column0 = get_group_id(0) * X, row0 = get_group_id(1) * Y;
    const int column = column0 + x, row = row0 + y;
    float sum = 0.0f;
#if USE_SMEM
    __local float a[Y * TILING], b[TILING * X];
#endif
    for (int first = 0; first < inner; first += TILING) {
        const int length = min(TILING, inner - first);
#if USE_SMEM
        const int thread = y * X + x;
        for (int t = thread; t < Y * TILING; t += X * Y) {
            const int r = t / TILING, k = t % TILING;
            const int inside = row0 + r < rows && k < length;
            a[T_A ? k * Y + r : r * TILING + k] =
                inside ? LOAD(A + (row0 + r) * inner + first + k) : 0.0f;
        }
        for (int t = thread; t < TILING * X; t += X * Y) {
            const int k = t / X, c = t % X;
            const int inside = column0 + c < columns && k < length;
            b[T_B ? c * TILING + k : k * X + c] =
                inside ? LOAD(B + (first + k) * columns + column0 + c) : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
        if (column < columns && row < rows) {
            int k = 0;
            for (; k + UNROLL <= length; k += UNROLL) {
#pragma unroll
                for (int u = 0; u < UNROLL; u++)
                    sum += LEFT(k + u) * RIGHT(k + u);
            }
            for (; k < length; k++)
                sum += LEFT(k) * RIGHT(k);
        }
#if USE_SMEM
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    if (column < columns && row < rows)
        C[row * columns + column] = sum;
}
