// Threads beyond the end leave before the barrier, which counts them as arrived; the next block of
// a coarsened one must not take that for its own.
//: kernel return_before
//: launch 128 / 32
//: thread no shared memory
//: group maybe
//: args int[100] = mod 90; int[100] = 0; int 100
//: kernel return_some
//: launch 128 / 32
//: thread no shared memory
//: group maybe
//: args int[128] = mod 90; int[128] = 0
//: kernel block_leaves
//: launch 128 / 32
//: thread no shared memory
//: group maybe
//: args int[128] = mod 90; int[128] = 0; int 3
__global__ void return_before(const int *in, int *out, int n)
{
    __shared__ int tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    tile[threadIdx.x] = in[i];
    __syncthreads();
    int last = min(31, n - 1 - (int)(blockIdx.x * blockDim.x));
    int value = tile[last - threadIdx.x];
    __syncthreads();
    tile[threadIdx.x] = value + 1;
    __syncthreads();
    out[i] = tile[threadIdx.x ? threadIdx.x - 1 : 0] * 2;
}

__global__ void return_some(const int *in, int *out)
{
    __shared__ int tile[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t % 4 == 3) return;
    tile[t] = in[i];
    __syncthreads();
    int other = tile[t % 4 == 2 ? t - 2 : t + 1];
    __syncthreads();
    tile[t] = other;
    __syncthreads();
    out[i] = tile[t & ~3] + other;
}

__global__ void block_leaves(const int *in, int *out, int blocks)
{
    __shared__ int tile[32];
    if (blockIdx.x >= blocks) return;
    tile[threadIdx.x] = in[blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = tile[31 - threadIdx.x];
}
