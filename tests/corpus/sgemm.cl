// Two tiles, barriers twice a step; the width of the grid is the matrix's.
//: kernel sgemm
//: launch 24 16 / 8 8
//: thread no local memory
//: group yes
//: args float[512] = random -4 4; float[768] = random -4 4; float[384] = random -9 9; int 32
//: args float 2; float 0.5
#define BS 8
#define AS(i, j) As[j + i * BS]
#define Bs(i, j) b_tile[i][j]
__kernel void sgemm(__global float *A, __global float *B, __global float *C, int k, float alpha,
                    float beta)
{
    __local float As[BS * BS];
    __local float b_tile[BS][BS];
    const int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0),
              ty = get_local_id(1), n = get_global_size(0);
    float sum = 0.0f;
    for (int a = by * BS * k, b = bx * BS, end = a + k; a < end; a += BS, b += BS * n) {
        AS(ty, tx) = A[a + k * ty + tx];
        Bs(ty, tx) = B[b + n * ty + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
        for (int i = 0; i < BS; ++i) sum += AS(ty, i) * Bs(i, tx);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    __global float *c = &C[get_global_id(1) * get_global_size(0) + get_global_id(0)];
    *c = alpha * sum + beta * *c;
}
