// Shared counters, global ones; slots from a counter.
//: kernel histogram
//: launch 256 / 32
//: thread no shared memory
//: group yes
//: args uchar[1000] = mod 251; uint[16] = 3; uint 1000
//: kernel compact
//: launch 256 / 32
//: thread yes
//: group yes
//: args int[256] = mod 83; int[256] = 0 sorted; uint[1] = 0; int 40
__global__ void histogram(const unsigned char *data, unsigned int *bins, unsigned n)
{
    __shared__ unsigned int counts[16];
    if (threadIdx.x < 16) counts[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[data[i] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(bins + threadIdx.x, counts[threadIdx.x]);
}

__global__ void compact(const int *in, int *out, unsigned *count, int least)
{
    int value = in[blockIdx.x * blockDim.x + threadIdx.x];
    if (value >= least) out[atomicAdd(count, 1u)] = value;
}
