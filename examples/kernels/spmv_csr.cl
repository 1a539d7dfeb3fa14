// y = A * x, A sparse in CSR form: row r has the non-zeros row_start[r] to row_start[r + 1] - 1,
// each with its column and value. Three kernels for this one job, for a pool of variants.

// A work-item a row.
#pragma gputune global rows
#pragma gputune local 128
__kernel void spmv_scalar(int rows, int nonzeros, __global const int *row_start,
                          __global const int *column, __global const float *value,
                          __global const float *x, __global float *y)
{
    const int row = (int)get_global_id(0);
    if (row >= rows)
        return;
    const int end = row_start[row + 1];
    float sum = 0.0f;
    for (int k = row_start[row]; k < end; k++)
        sum += value[k] * x[column[k]];
    y[row] = sum;
}

// A work-item a row, 16 non-zeros at a time: no sum waits for the one before.
#pragma gputune global rows
#pragma gputune local 128
__kernel void spmv_wide(int rows, int nonzeros, __global const int *row_start,
                        __global const int *column, __global const float *value,
                        __global const float *x, __global float *y)
{
    const int row = (int)get_global_id(0);
    if (row >= rows)
        return;
    const int end = row_start[row + 1];
    float sum[16];
    int k = row_start[row];
    for (int i = 0; i < 16; i++)
        sum[i] = 0.0f;
    for (; k + 16 <= end; k += 16)
        for (int i = 0; i < 16; i++)
            sum[i] += value[k + i] * x[column[k + i]];
    for (; k < end; k++)
        sum[0] += value[k] * x[column[k]];
    for (int i = 1; i < 16; i++)
        sum[0] += sum[i];
    y[row] = sum[0];
}

// 32 work-items a row, which read its non-zeros side by side and add up in local memory.
#pragma gputune global rows * 32
#pragma gputune local 128
__kernel void spmv_vector(int rows, int nonzeros, __global const int *row_start,
                          __global const int *column, __global const float *value,
                          __global const float *x, __global float *y)
{
    __local float partial[128];
    const int id = (int)get_local_id(0), lane = id % 32, row = (int)(get_global_id(0) / 32);
    float sum = 0.0f;
    if (row < rows) // the others only keep the barriers company
        for (int k = row_start[row] + lane; k < row_start[row + 1]; k += 32)
            sum += value[k] * x[column[k]];
    partial[id] = sum;
    for (int left = 16; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < left)
            partial[id] += partial[id + left];
    }
    if (lane == 0 && row < rows)
        y[row] = partial[id];
}
