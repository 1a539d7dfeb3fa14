// C = alpha * A * B + beta * C, row major: A has M x K floats, B K x N, C M x N. M, N and K are
// multiples of 256: no configuration has to look after edges.
//
// A block of BLOCK_X x BLOCK_Y threads computes a tile of BLOCK_Y * ITEMS_Y rows by
// BLOCK_X * ITEMS_X columns of C, ITEMS_Y x ITEMS_X elements a thread, from TILE_K columns of A
// and rows of B at a time in shared memory.

#pragma gputune set 8,16,32
#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#pragma gputune set 4,8,16
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#pragma gputune erange 1,8,2
#ifndef ITEMS_X
#define ITEMS_X 4
#endif
#pragma gputune erange 1,8,2
#ifndef ITEMS_Y
#define ITEMS_Y 4
#endif
#pragma gputune set 8,16
#ifndef TILE_K
#define TILE_K 16
#endif
#pragma gputune set 1,2,4
#ifndef VECTOR
#define VECTOR 1 // floats that one access to A, B or C moves
#endif
#pragma gputune bool
#ifndef PAD
#define PAD 0 // one vector more in a row of A's tile, against bank conflicts
#endif
#pragma gputune set 1,8
#ifndef UNROLL
#define UNROLL 8 // steps along K
#endif

#define THREADS (BLOCK_X * BLOCK_Y)
#define TILE_M (BLOCK_Y * ITEMS_Y)
#define TILE_N (BLOCK_X * ITEMS_X)
#define ROW_A (TILE_M + PAD * 4)

#pragma gputune require BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 256
#pragma gputune require ITEMS_X * ITEMS_Y >= 8
#pragma gputune require ITEMS_X % VECTOR == 0
// Every thread copies equally much of both tiles.
#pragma gputune require BLOCK_Y * ITEMS_Y * TILE_K % (BLOCK_X * BLOCK_Y * VECTOR) == 0
#pragma gputune require BLOCK_X * ITEMS_X * TILE_K % (BLOCK_X * BLOCK_Y * VECTOR) == 0
#pragma gputune require TILE_K * (BLOCK_Y * ITEMS_Y + PAD * 4 + BLOCK_X * ITEMS_X) * 4 <= 49152

struct __align__(4 * VECTOR) vector {
    float at[VECTOR];
};

#pragma gputune global ceil_div(N, ITEMS_X), ceil_div(M, ITEMS_Y)
#pragma gputune local BLOCK_X, BLOCK_Y
extern "C" __global__ void __launch_bounds__(THREADS)
sgemm(int M, int N, int K, float alpha, const float *__restrict__ A, const float *__restrict__ B,
      float beta, float *__restrict__ C)
{
    __shared__ float tile_a[TILE_K][ROW_A]; // transposed: a step along K reads one row
    __shared__ vector tile_b[TILE_K][TILE_N / VECTOR];
    const int tx = threadIdx.x, ty = threadIdx.y, id = ty * BLOCK_X + tx;
    const int row0 = blockIdx.y * TILE_M, column0 = blockIdx.x * TILE_N;
    float sum[ITEMS_Y][ITEMS_X] = {};

    for (int k0 = 0; k0 < K; k0 += TILE_K) {
#pragma unroll
        for (int t = 0; t < TILE_M * TILE_K / VECTOR; t += THREADS) {
            const int r = (t + id) / (TILE_K / VECTOR), k = (t + id) % (TILE_K / VECTOR) * VECTOR;
            const vector v = *(const vector *)(A + (size_t)(row0 + r) * K + k0 + k);
#pragma unroll
            for (int i = 0; i < VECTOR; i++)
                tile_a[k + i][r] = v.at[i];
        }
#pragma unroll
        for (int t = 0; t < TILE_K * TILE_N / VECTOR; t += THREADS) {
            const int k = (t + id) / (TILE_N / VECTOR), c = (t + id) % (TILE_N / VECTOR);
            tile_b[k][c] = *(const vector *)(B + (size_t)(k0 + k) * N + column0 + c * VECTOR);
        }
        __syncthreads();
#pragma unroll UNROLL
        for (int k = 0; k < TILE_K; k++) {
            float a[ITEMS_Y];
            vector b[ITEMS_X / VECTOR];
#pragma unroll
            for (int i = 0; i < ITEMS_Y; i++)
                a[i] = tile_a[k][ty * ITEMS_Y + i];
#pragma unroll
            for (int j = 0; j < ITEMS_X / VECTOR; j++)
                b[j] = tile_b[k][tx + j * BLOCK_X];
#pragma unroll
            for (int i = 0; i < ITEMS_Y; i++)
#pragma unroll
                for (int j = 0; j < ITEMS_X; j++)
                    sum[i][j] += a[i] * b[j / VECTOR].at[j % VECTOR];
        }
        __syncthreads();
    }

    // Neighbouring threads have neighbouring vectors of a row, and ITEMS_Y rows one by one.
#pragma unroll
    for (int i = 0; i < ITEMS_Y; i++)
#pragma unroll
        for (int j = 0; j < ITEMS_X / VECTOR; j++) {
            const size_t row = row0 + ty * ITEMS_Y + i;
            vector *to = (vector *)(C + row * N + column0 + (tx + j * BLOCK_X) * VECTOR);
            vector v;
#pragma unroll
            for (int l = 0; l < VECTOR; l++)
                v.at[l] = alpha * sum[i][j * VECTOR + l];
            if (beta != 0.0f) {
                const vector old = *to;
#pragma unroll
                for (int l = 0; l < VECTOR; l++)
                    v.at[l] += beta * old.at[l];
            }
            *to = v;
        }
}
