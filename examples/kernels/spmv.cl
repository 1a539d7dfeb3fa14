// y = A * x, A sparse in CSR form: row r has the non-zeros row_start[r] to row_start[r + 1] - 1,
// each with its column and value. Two implementations: a row is done by one work-item, or by
// ITEMS_PER_ROW of them, which read its non-zeros side by side and add up in local memory.

#pragma gputune kernel spmv_scalar,spmv_vector
#define SPMV spmv_scalar
#pragma gputune erange 32,1024,2
#define BLOCK 128 // work-items in a group
#pragma gputune erange 1,64,2
#define ITEMS_PER_ROW 1
#pragma gputune set 1,2,4
#define UNROLL 1 // non-zeros a work-item has in flight

#pragma gputune require BLOCK <= max_group_size && BLOCK * 4 <= local_memory
#pragma gputune require ITEMS_PER_ROW <= BLOCK
#pragma gputune require SPMV == "spmv_vector" || ITEMS_PER_ROW == 1

// The sum over the non-zeros first, first + step ... before end.
static inline float dot(int first, int end, int step, __global const int *column,
                        __global const float *value, __global const float *x)
{
    float sum[UNROLL];
    int k = first;
#pragma unroll
    for (int u = 0; u < UNROLL; u++)
        sum[u] = 0.0f;
    for (; k + (UNROLL - 1) * step < end; k += UNROLL * step) {
#pragma unroll
        for (int u = 0; u < UNROLL; u++)
            sum[u] += value[k + u * step] * x[column[k + u * step]];
    }
    for (; k < end; k += step)
        sum[0] += value[k] * x[column[k]];
#pragma unroll
    for (int u = 1; u < UNROLL; u++)
        sum[0] += sum[u];
    return sum[0];
}

#pragma gputune global rows
#pragma gputune local BLOCK
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void spmv_scalar(int rows, int nonzeros, __global const int *row_start,
                 __global const int *column, __global const float *value,
                 __global const float *x, __global float *y)
{
    const int row = (int)get_global_id(0);
    if (row < rows)
        y[row] = dot(row_start[row], row_start[row + 1], 1, column, value, x);
}

#pragma gputune global rows * ITEMS_PER_ROW
#pragma gputune local BLOCK
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1)))
void spmv_vector(int rows, int nonzeros, __global const int *row_start,
                 __global const int *column, __global const float *value,
                 __global const float *x, __global float *y)
{
    __local float partial[BLOCK];
    const int id = (int)get_local_id(0), lane = id % ITEMS_PER_ROW;
    const int row = (int)(get_global_id(0) / ITEMS_PER_ROW);
    float sum = 0.0f;
    if (row < rows) // the others only keep the barriers company
        sum = dot(row_start[row] + lane, row_start[row + 1], ITEMS_PER_ROW, column, value, x);
    partial[id] = sum;
    for (int left = ITEMS_PER_ROW / 2; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < left)
            partial[id] += partial[id + left];
    }
    if (lane == 0 && row < rows)
        y[row] = partial[id];
}
