// y = A * x, A sparse in CSR form: row r has the non-zeros row_start[r] to row_start[r + 1] - 1.

// A row a work-item; everything in global memory, of which nothing is promised.
#pragma gputune global rows
#pragma gputune local 128
__kernel void spmv_scalar(int rows, __global int *row_start, __global int *column,
                          __global float *value, __global float *x, __global float *y)
{
    const int row = get_global_id(0);
    if (row < rows) {
        const int end = row_start[row + 1];
        float sum = 0.0f;
        for (int k = row_start[row]; k < end; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

// The same; what is only read may go through the cache for that.
#pragma gputune global rows
#pragma gputune local 128
__kernel void spmv_readonly(int rows, __global const int *restrict row_start,
                            __global const int *restrict column,
                            __global const float *restrict value,
                            __global const float *restrict x, __global float *restrict y)
{
    const int row = get_global_id(0);
    if (row < rows) {
        const int end = row_start[row + 1];
        float sum = 0.0f;
        for (int k = row_start[row]; k < end; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

// The group's row pointers in local memory.
#pragma gputune global rows
#pragma gputune local 128
__kernel void spmv_local_rows(int rows, __global const int *restrict row_start,
                              __global const int *restrict column,
                              __global const float *restrict value,
                              __global const float *restrict x, __global float *restrict y)
{
    __local int start[129];
    const int row = get_global_id(0), id = get_local_id(0);
    start[id] = row_start[min(row, rows)];
    if (id == 0)
        start[128] = row_start[min(row + 128, rows)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row < rows) {
        float sum = 0.0f;
        for (int k = start[id]; k < start[id + 1]; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

// x in constant memory, where it fits.
#pragma gputune global rows
#pragma gputune local 128
__kernel void spmv_constant(int rows, __global const int *restrict row_start,
                            __global const int *restrict column,
                            __global const float *restrict value, __constant float *x,
                            __global float *restrict y)
{
    const int row = get_global_id(0);
    if (row < rows) {
        const int end = row_start[row + 1];
        float sum = 0.0f;
        for (int k = row_start[row]; k < end; k++)
            sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

// The group's non-zeros, read side by side, pass through local memory a piece at a time; each
// work-item adds up what of a piece is its row's.
#define PIECE 1024

#pragma gputune global rows
#pragma gputune local 128
__kernel void spmv_local_pieces(int rows, __global const int *restrict row_start,
                                __global const int *restrict column,
                                __global const float *restrict value,
                                __global const float *restrict x, __global float *restrict y)
{
    __local float product[PIECE];
    const int id = get_local_id(0), row = get_global_id(0), first = row - id;
    const int from = row_start[min(row, rows)], to = row_start[min(row + 1, rows)];
    const int begin = row_start[first], end = row_start[min(first + 128, rows)];
    float sum = 0.0f;
    for (int base = begin; base < end; base += PIECE) {
        const int stop = min(base + PIECE, end);
        for (int k = base + id; k < stop; k += 128)
            product[k - base] = value[k] * x[column[k]];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = max(from, base); k < min(to, stop); k++)
            sum += product[k - base];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < rows)
        y[row] = sum;
}

// 32 work-items a row, which read its non-zeros side by side and add up in local memory.
#pragma gputune global rows * 32
#pragma gputune local 128
__kernel void spmv_vector(int rows, __global const int *restrict row_start,
                          __global const int *restrict column,
                          __global const float *restrict value,
                          __global const float *restrict x, __global float *restrict y)
{
    __local float partial[128];
    const int id = get_local_id(0), lane = id % 32, row = get_group_id(0) * 4 + id / 32;
    float sum = 0.0f;
    if (row < rows) { // the others only keep the barriers company
        const int end = row_start[row + 1];
        for (int k = row_start[row] + lane; k < end; k += 32)
            sum += value[k] * x[column[k]];
    }
    partial[id] = sum;
    for (int left = 16; left > 0; left /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < left)
            partial[id] += partial[id + left];
    }
    if (lane == 0 && row < rows)
        y[row] = partial[id];
}
