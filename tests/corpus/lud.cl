// The inner blocks of an LU decomposition: two tiles, an offset, in place.
//: kernel lud_internal
//: launch 16 16 / 8 8
//: thread no local memory
//: group yes
//: args float[576] = random -2 2; int 24; int 0
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 8
#endif
__kernel void lud_internal(__global float *m, int matrix_dim, int offset)
{
    __local float peri_row[BLOCK_SIZE * BLOCK_SIZE], peri_col[BLOCK_SIZE * BLOCK_SIZE];
    int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    float sum = 0;
    int row = offset + (by + 1) * BLOCK_SIZE, col = offset + (bx + 1) * BLOCK_SIZE;
    peri_row[ty * BLOCK_SIZE + tx] = m[(offset + ty) * matrix_dim + col + tx];
    peri_col[ty * BLOCK_SIZE + tx] = m[(row + ty) * matrix_dim + offset + tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < BLOCK_SIZE; i++)
        sum += peri_col[ty * BLOCK_SIZE + i] * peri_row[i * BLOCK_SIZE + tx];
    m[(row + ty) * matrix_dim + col + tx] -= sum;
}
