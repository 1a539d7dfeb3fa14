// A counter tells the last block, which adds up; no block waits for another.
//: kernel last_block
//: launch 128 / 16
//: thread no shared memory
//: group yes
//: args int[128] = random -50 50; int[8] = 0; int[1] = 0
__device__ unsigned int finished = 0;

__global__ void last_block(const int *in, volatile int *partial, int *result)
{
    __shared__ int cache[16];
    __shared__ bool is_last;
    cache[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) cache[threadIdx.x] += cache[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = cache[0];
        __threadfence();
        unsigned ticket = atomicInc(&finished, gridDim.x);
        is_last = ticket == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned g = 0; g < gridDim.x; g++) sum += partial[g];
        *result = sum;
        finished = 0;
    }
}
