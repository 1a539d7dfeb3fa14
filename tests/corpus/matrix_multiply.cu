// Tiles of a template's size.
//: kernel multiply
//: instance multiply<8>
//: launch 24 16 / 8 8
//: thread no shared memory
//: group yes
//: args float[384] = 0; float[512] = random -4 4; float[768] = random -4 4; int 32; int 24
template <int BLOCK_SIZE>
__global__ void multiply(float *C, float *A, float *B, int wA, int wB)
{
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int a_begin = wA * BLOCK_SIZE * by, a_end = a_begin + wA - 1;
    float sum = 0;
    for (int a = a_begin, b = BLOCK_SIZE * bx; a <= a_end; a += BLOCK_SIZE, b += BLOCK_SIZE * wB) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[ty][tx] = A[a + wA * ty + tx];
        Bs[ty][tx] = B[b + wB * ty + tx];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < BLOCK_SIZE; ++k) sum += As[ty][k] * Bs[k][tx];
        __syncthreads();
    }
    C[wB * BLOCK_SIZE * by + BLOCK_SIZE * bx + wB * ty + tx] = sum;
}
