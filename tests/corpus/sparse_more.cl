// Sparse and linear algebra: a group for each row, elimination, panels; ids and exits in helpers.
//: kernel csr_group
//: launch 96 / 8
//: thread no local memory
//: group yes
//: plain csr_plain
//: args int[13] = ramp 5; int[60] = mod 20; int[60] = mod 9; int[20] = mod 13; int[12] = -1; int 11
//: kernel eliminate
//: launch 8 8 / 4 4
//: thread yes
//: group yes
//: plain eliminate_plain
//: args int[100] = mod 19; int[100] = mod 7; int 9; int 2
//: kernel ell_rows
//: launch 36 / 12
//: thread yes
//: group yes
//: plain ell_plain
//: args int[175] = mod 40; int[175] = mod 11; int[40] = mod 23; int[35] = -1; int 35; int 5
#define GROUP 8
int sum_group(__local int *part, int value)
{
    const int l = get_local_id(0);
    part[l] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = GROUP / 2; s > 0; s >>= 1) {
        if (l < s) part[l] += part[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[0];
}

__kernel void csr_group(__global const int *start, __global const int *column,
                        __global const int *value, __global const int *x, __global int *y, int rows)
{
    __local int part[GROUP];
    const int row = get_group_id(0);
    if (row >= rows) return;
    int sum = 0;
    for (int k = start[row] + get_local_id(0); k < start[row + 1]; k += GROUP)
        sum += value[k] * x[column[k]];
    sum = sum_group(part, sum);
    if (get_local_id(0) == 0) y[row] = sum;
}

__kernel void csr_plain(__global const int *start, __global const int *column,
                        __global const int *value, __global const int *x, __global int *y, int rows)
{
    if (get_global_id(0)) return;
    for (int r = 0; r < rows; r++) {
        y[r] = 0;
        for (int k = start[r]; k < start[r + 1]; k++) y[r] += value[k] * x[column[k]];
    }
}

static inline bool outside(int n, int t)
{
    return get_global_id(0) >= (size_t)(n - t) || get_global_id(1) >= (size_t)(n - 1 - t);
}

__kernel void eliminate(__global int *a, __global const int *m, const int size, const int t)
{
    if (outside(size, t)) return;
    const int row = get_global_id(1) + 1 + t, column = get_global_id(0) + t;
    a[row * size + column] -= m[row * size + t] * a[t * size + column];
}

__kernel void eliminate_plain(__global int *a, __global const int *m, const int size, const int t)
{
    if (get_global_id(0) || get_global_id(1)) return;
    for (int row = t + 1; row < size; row++)
        for (int column = t; column < size; column++)
            a[row * size + column] -= m[row * size + t] * a[t * size + column];
}

__kernel void ell_rows(__global const int *column, __global const int *value,
                       __global const int *x, __global int *y, uint rows, uint width)
{
    const uint row = get_global_id(0);
    if (row < rows) {
        int sum = 0;
        for (uint k = 0; k < width; k++) {
            const int v = value[k * rows + row];
            if (v == 0) continue;
            sum = mad24(v, x[column[k * rows + row]], sum);
        }
        y[row] = sum;
    }
}

__kernel void ell_plain(__global const int *column, __global const int *value,
                        __global const int *x, __global int *y, uint rows, uint width)
{
    if (get_global_id(0)) return;
    for (uint i = 0; i < rows; i++) {
        y[i] = 0;
        for (uint k = 0; k < width; k++) y[i] += value[k * rows + i] * x[column[k * rows + i]];
    }
}
