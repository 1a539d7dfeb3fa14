// y = A * x, A sparse in JDS form: rows sorted by length, the longest first; diagonal d has the
// d-th non-zero of every row that is so long, from start[d] on. Row r of them is row place[r] of A.

// A row a work-item.
#pragma gputune global rows
#pragma gputune local 128
__kernel void jds_base(int rows, __global const int *length, __global const int *place,
                       __global const int *start, __global const int *column,
                       __global const float *value, __global const float *x, __global float *y)
{
    const int row = get_global_id(0);
    if (row < rows) {
        const int end = length[row];
        float sum = 0.0f;
        for (int d = 0; d < end; d++) {
            const int k = start[d] + row;
            sum += value[k] * x[column[k]];
        }
        y[place[row]] = sum;
    }
}

// Four non-zeros at a time.
#pragma gputune global rows
#pragma gputune local 128
__kernel void jds_unrolled(int rows, __global const int *restrict length,
                           __global const int *restrict place, __global const int *restrict start,
                           __global const int *restrict column,
                           __global const float *restrict value, __global const float *restrict x,
                           __global float *restrict y)
{
    const int row = get_global_id(0);
    if (row < rows) {
        const int end = length[row];
        float sum = 0.0f, second = 0.0f, third = 0.0f, fourth = 0.0f;
        int d = 0;
        for (; d + 3 < end; d += 4) {
            const int a = start[d] + row, b = start[d + 1] + row, c = start[d + 2] + row,
                      e = start[d + 3] + row;
            sum += value[a] * x[column[a]];
            second += value[b] * x[column[b]];
            third += value[c] * x[column[c]];
            fourth += value[e] * x[column[e]];
        }
        for (; d < end; d++)
            sum += value[start[d] + row] * x[column[start[d] + row]];
        y[place[row]] = (sum + second) + (third + fourth);
    }
}

// The next non-zero's column and value are on their way while this one is worked on.
#pragma gputune global rows
#pragma gputune local 128
__kernel void jds_prefetch(int rows, __global const int *restrict length,
                           __global const int *restrict place, __global const int *restrict start,
                           __global const int *restrict column,
                           __global const float *restrict value, __global const float *restrict x,
                           __global float *restrict y)
{
    const int row = get_global_id(0);
    if (row < rows) {
        const int end = length[row];
        int next_column = end > 0 ? column[row] : 0; // start[0] is 0
        float next_value = end > 0 ? value[row] : 0.0f, sum = 0.0f;
        for (int d = 1; d <= end; d++) {
            const int now_column = next_column;
            const float now_value = next_value;
            if (d < end) {
                const int k = start[d] + row;
                next_column = column[k];
                next_value = value[k];
            }
            sum += now_value * x[now_column];
        }
        y[place[row]] = sum;
    }
}

// Two rows a work-item, a work-group's width apart: about equally long, for they are sorted.
#pragma gputune global ceil_div(rows, 256) * 128
#pragma gputune local 128
__kernel void jds_coarse(int rows, __global const int *restrict length,
                         __global const int *restrict place, __global const int *restrict start,
                         __global const int *restrict column,
                         __global const float *restrict value, __global const float *restrict x,
                         __global float *restrict y)
{
    const int row = get_group_id(0) * 256 + get_local_id(0), other = row + 128;
    const int end = row < rows ? length[row] : 0, other_end = other < rows ? length[other] : 0;
    float sum = 0.0f, other_sum = 0.0f;
    int d = 0;
    for (; d < other_end; d++) { // not longer than the first
        const int k = start[d] + row;
        sum += value[k] * x[column[k]];
        other_sum += value[k + 128] * x[column[k + 128]];
    }
    for (; d < end; d++)
        sum += value[start[d] + row] * x[column[start[d] + row]];
    if (row < rows)
        y[place[row]] = sum;
    if (other < rows)
        y[place[other]] = other_sum;
}
