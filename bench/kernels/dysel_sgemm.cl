// C = A * B, matrices stored by rows: A has m rows and k columns, B n columns. Any size.

// One element of C a work-item.
#pragma gputune global n, m
#pragma gputune local 16, 16
__kernel void sgemm_naive(int m, int n, int k, __global const float *A, __global const float *B,
                          __global float *C)
{
    const int column = get_global_id(0), row = get_global_id(1);
    if (column < n && row < m) {
        float sum = 0.0f;
        for (int i = 0; i < k; i++)
            sum += A[row * k + i] * B[i * n + column];
        C[row * n + column] = sum;
    }
}

// The same; a work-group keeps squares of A and B in local memory.
#pragma gputune global n, m
#pragma gputune local 16, 16
__kernel void sgemm_tile(int m, int n, int k, __global const float *A, __global const float *B,
                         __global float *C)
{
    __local float a[16][16], b[16][16];
    const int column = get_global_id(0), row = get_global_id(1);
    const int x = get_local_id(0), y = get_local_id(1);
    float sum = 0.0f;
    for (int first = 0; first < k; first += 16) {
        a[y][x] = row < m && first + x < k ? A[row * k + first + x] : 0.0f;
        b[y][x] = column < n && first + y < k ? B[(first + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 16; i++)
            sum += a[y][i] * b[i][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (column < n && row < m)
        C[row * n + column] = sum;
}

// A work-item has WORK * WORK elements of C in registers, a work-group a square of TILE * TILE.
#pragma gputune set 4,8
#define WORK 4
#define TILE (16 * WORK)
#define STEP 8

#pragma gputune global ceil_div(n, 16 * WORK) * 16, ceil_div(m, 16 * WORK) * 16
#pragma gputune local 16, 16
__kernel void sgemm_block(int m, int n, int k, __global const float *A, __global const float *B,
                          __global float *C)
{
    __local float a[STEP][TILE + 1], b[STEP][TILE];
    const int x = get_local_id(0), y = get_local_id(1), id = 16 * y + x;
    const int column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;
    float sum[WORK][WORK];
#pragma unroll
    for (int i = 0; i < WORK; i++)
#pragma unroll
        for (int j = 0; j < WORK; j++)
            sum[i][j] = 0.0f;
    for (int first = 0; first < k; first += STEP) {
#pragma unroll
        for (int t = 0; t < TILE * STEP; t += 256) {
            const int i = t + id;
            const int r = row + i / STEP, s = first + i % STEP;
            a[i % STEP][i / STEP] = r < m && s < k ? A[r * k + s] : 0.0f;
        }
#pragma unroll
        for (int t = 0; t < TILE * STEP; t += 256) {
            const int i = t + id;
            const int c = column + i % TILE, s = first + i / TILE;
            b[i / TILE][i % TILE] = c < n && s < k ? B[s * n + c] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int s = 0; s < STEP; s++) {
            float left[WORK], right[WORK];
#pragma unroll
            for (int i = 0; i < WORK; i++) {
                left[i] = a[s][y + 16 * i];
                right[i] = b[s][x + 16 * i];
            }
#pragma unroll
            for (int i = 0; i < WORK; i++)
#pragma unroll
                for (int j = 0; j < WORK; j++)
                    sum[i][j] += left[i] * right[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
#pragma unroll
    for (int i = 0; i < WORK; i++)
#pragma unroll
        for (int j = 0; j < WORK; j++) {
            const int r = row + y + 16 * i, c = column + x + 16 * j;
            if (r < m && c < n)
                C[r * n + c] = sum[i][j];
        }
}
