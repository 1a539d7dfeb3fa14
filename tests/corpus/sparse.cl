// A sparse matrix by rows, one work-item a row and one group a row.
//: kernel csr_scalar
//: launch 104 / 8
//: thread yes
//: group yes
//: args float[500] = random -3 3; int[500] = mod 100; int[101] = ramp 5; float[100] = random -4 4
//: args float[100] = 0; int 100
//: kernel csr_vector
//: launch 800 / 8
//: thread no local memory
//: group yes
//: args float[500] = random -3 3; int[500] = mod 100; int[101] = ramp 5; float[100] = random -4 4
//: args float[100] = 0
__kernel void csr_scalar(__global const float *restrict values,
                         __global const int *restrict columns,
                         __global const int *restrict rows, __global const float *restrict x,
                         __global float *restrict y, const int n)
{
    int row = get_global_id(0);
    if (row < n) {
        float sum = 0.0f;
        for (int j = rows[row]; j < rows[row + 1]; j++) sum += values[j] * x[columns[j]];
        y[row] = sum;
    }
}

__kernel void csr_vector(__global const float *restrict values,
                         __global const int *restrict columns,
                         __global const int *restrict rows, __global const float *restrict x,
                         __global float *restrict y)
{
    volatile __local float partial[8];
    int lane = get_local_id(0), row = get_group_id(0);
    float mine = 0;
    for (int j = rows[row] + lane; j < rows[row + 1]; j += 8) mine += values[j] * x[columns[j]];
    partial[lane] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < 4) partial[lane] += partial[lane + 4];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0) y[row] = partial[0] + partial[1] + partial[2] + partial[3];
}
