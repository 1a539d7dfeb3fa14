// C = alpha * A * B + beta * C, row major: A is M x K, B is K x N, C is M x N; each has fewer than
// 2^31 elements. With beta 0, what was in C does not matter (not even a NaN).
//
// A group computes a tile of TILE_M x TILE_N elements of C, a work-item ITEMS_M x ITEMS_N of them
// in registers. With LOCAL_MEMORY, the group copies TILE_K columns of A and rows of B at a time
// into local memory; without, work-items read both matrices through the caches.

#pragma gputune erange 16,128,2
#define TILE_M 64
#pragma gputune erange 16,128,2
#define TILE_N 64
#pragma gputune erange 8,32,2
#define TILE_K 16
#pragma gputune erange 1,8,2
#define ITEMS_M 4
#pragma gputune erange 1,8,2
#define ITEMS_N 4
#pragma gputune bool
#define LOCAL_MEMORY 1
#pragma gputune set 0,1,4
#define PAD 1 // floats between the columns of A's tile, against bank conflicts
#pragma gputune set 1,2,4,8
#define VECTOR 1 // floats that one access to B or C moves (and to A, with LOCAL_MEMORY)
#pragma gputune set 1,8
#define UNROLL 8 // steps along K

#define GROUP_X (TILE_N / ITEMS_N)
#define GROUP_Y (TILE_M / ITEMS_M)
#pragma gputune require (TILE_N / ITEMS_N) * (TILE_M / ITEMS_M) <= max_group_size
#pragma gputune require (TILE_N / ITEMS_N) * (TILE_M / ITEMS_M) >= warp_size
#pragma gputune require LOCAL_MEMORY * TILE_K * (TILE_M + PAD + TILE_N) * 4 <= local_memory
// A vector lies within the matrix or outside, never across its edge.
#pragma gputune require ITEMS_N % VECTOR == 0 && N % VECTOR == 0 && K % VECTOR == 0
// What has no effect without local memory keeps its default.
#pragma gputune require LOCAL_MEMORY || (TILE_K == 16 && PAD == 1)

#if VECTOR == 1
typedef float vector;
#elif VECTOR == 2
typedef float2 vector;
#elif VECTOR == 4
typedef float4 vector;
#else
typedef float8 vector;
#endif
#define VECTORS_N (ITEMS_N / VECTOR)

// sum += a column of A times a row of B.
static inline void multiply(vector sum[ITEMS_M][VECTORS_N], const float a[ITEMS_M],
                            const vector b[VECTORS_N])
{
#pragma unroll
    for (int i = 0; i < ITEMS_M; i++)
#pragma unroll
        for (int j = 0; j < VECTORS_N; j++)
            sum[i][j] += a[i] * b[j];
}

#if !LOCAL_MEMORY
static inline void step_along_k(vector sum[ITEMS_M][VECTORS_N],
                                __global const float *const from_a[ITEMS_M],
                                __global const float *const from_b[VECTORS_N], int k, int N)
{
    float a[ITEMS_M];
    vector b[VECTORS_N];
#pragma unroll
    for (int i = 0; i < ITEMS_M; i++)
        a[i] = from_a[i][k];
#pragma unroll
    for (int j = 0; j < VECTORS_N; j++)
        b[j] = *(__global const vector *)(from_b[j] + k * N);
    multiply(sum, a, b);
}
#endif

#pragma gputune global ceil_div(N, ITEMS_N), ceil_div(M, ITEMS_M) // up to whole tiles
#pragma gputune local TILE_N / ITEMS_N, TILE_M / ITEMS_M
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void sgemm(int M, int N, int K, float alpha, __global const float *A, __global const float *B,
           float beta, __global float *C)
{
    // Neighbouring work-items take neighbouring vectors of a row, and ITEMS_M rows one by one.
    const int tx = (int)get_local_id(0), ty = (int)get_local_id(1);
    const int row0 = (int)get_group_id(1) * TILE_M, column0 = (int)get_group_id(0) * TILE_N;
    const int row = row0 + ty * ITEMS_M, column = column0 + tx * VECTOR;
    vector sum[ITEMS_M][VECTORS_N];
#pragma unroll
    for (int i = 0; i < ITEMS_M; i++)
#pragma unroll
        for (int j = 0; j < VECTORS_N; j++)
            sum[i][j] = (vector)(0.0f);

#if LOCAL_MEMORY
    __local float tile_a[TILE_K][TILE_M + PAD]; // transposed: a step along K reads one row
    __local vector tile_b[TILE_K][TILE_N / VECTOR];
    const int id = ty * GROUP_X + tx;
    for (int k0 = 0; k0 < K; k0 += TILE_K) {
        for (int t = id; t < TILE_M * TILE_K / VECTOR; t += GROUP_X * GROUP_Y) {
            const int r = t / (TILE_K / VECTOR), k = t % (TILE_K / VECTOR) * VECTOR;
            vector v = (vector)(0.0f);
            if (row0 + r < M && k0 + k < K)
                v = *(__global const vector *)(A + (row0 + r) * K + k0 + k);
            const float *part = (const float *)&v;
#pragma unroll
            for (int i = 0; i < VECTOR; i++)
                tile_a[k + i][r] = part[i];
        }
        for (int t = id; t < TILE_K * TILE_N / VECTOR; t += GROUP_X * GROUP_Y) {
            const int k = t / (TILE_N / VECTOR), c = t % (TILE_N / VECTOR) * VECTOR;
            vector v = (vector)(0.0f);
            if (k0 + k < K && column0 + c < N)
                v = *(__global const vector *)(B + (k0 + k) * N + column0 + c);
            tile_b[k][c / VECTOR] = v;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE_K; k += UNROLL) {
#pragma unroll
            for (int u = 0; u < UNROLL; u++) {
                float a[ITEMS_M];
                vector b[VECTORS_N];
#pragma unroll
                for (int i = 0; i < ITEMS_M; i++)
                    a[i] = tile_a[k + u][ty * ITEMS_M + i];
#pragma unroll
                for (int j = 0; j < VECTORS_N; j++)
                    b[j] = tile_b[k + u][tx + j * GROUP_X];
                multiply(sum, a, b);
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#else
    // Beyond the edge the last row and vector are read again; those sums are not stored.
    __global const float *from_a[ITEMS_M];
    __global const float *from_b[VECTORS_N];
#pragma unroll
    for (int i = 0; i < ITEMS_M; i++)
        from_a[i] = A + min(row + i, M - 1) * K;
#pragma unroll
    for (int j = 0; j < VECTORS_N; j++)
        from_b[j] = B + min(column + j * GROUP_X * VECTOR, N - VECTOR);
    int k = 0;
    for (; k + UNROLL <= K; k += UNROLL) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            step_along_k(sum, from_a, from_b, k + u, N);
    }
    for (; k < K; k++)
        step_along_k(sum, from_a, from_b, k, N);
#endif

#pragma unroll
    for (int i = 0; i < ITEMS_M; i++)
#pragma unroll
        for (int j = 0; j < VECTORS_N; j++) {
            const int c = column + j * GROUP_X * VECTOR;
            if (row + i < M && c < N) {
                __global vector *to = (__global vector *)(C + (row + i) * N + c);
                *to = beta == 0.0f ? alpha * sum[i][j] : alpha * sum[i][j] + beta * *to;
            }
        }
}
