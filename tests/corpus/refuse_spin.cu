// Blocks that wait for others: coarsened they could wait for themselves.
//: kernel spin
//: launch 64 / 16
//: thread no
//: group no wait
//: range no a loop that waits for others
//: args int[64] = 0; uint[1] = 0
//: kernel lookback
//: launch 64 / 16
//: thread no
//: group no wait
//: range no a loop that waits for others
//: args int[64] = 0; int[4] = 0
__device__ void grid_barrier(unsigned *arrived, unsigned goal)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (atomicAdd(arrived, 0u) < goal)
            ;
    }
    __syncthreads();
}

__global__ void spin(int *data, unsigned *arrived)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x;
    grid_barrier(arrived, gridDim.x);
    data[blockIdx.x * blockDim.x + threadIdx.x] += data[0];
}

__global__ void lookback(int *data, volatile int *flags)
{
    if (threadIdx.x == 0 && blockIdx.x > 0) {
        while (flags[blockIdx.x - 1] == 0) {
        }
    }
    __syncthreads();
    data[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        flags[blockIdx.x] = 1;
    }
}
