// A tree in dynamic shared memory, and one whose end a warp does with shuffles.
//: kernel reduce_dynamic
//: launch 512 / 64
//: thread no local memory
//: group yes
//: args int[500] = random -1000 1000; int[8] = 0; int 500; local 256
//: kernel reduce_shuffle
//: launch 512 / 64
//: thread no shared memory
//: group yes
//: args int[512] = random -1000 1000; int[8] = 0
extern __shared__ int dynamic[];

__global__ void reduce_dynamic(const int *in, int *out, int n)
{
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    dynamic[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) dynamic[t] += dynamic[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = dynamic[0];
}

__inline__ __device__ int warp_sum(int value)
{
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        value += __shfl_down_sync(0xffffffff, value, offset);
    return value;
}

__global__ void reduce_shuffle(const int *in, int *out)
{
    static __shared__ int sums[32];
    int lane = threadIdx.x % warpSize, warp = threadIdx.x / warpSize;
    int sum = warp_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (lane == 0) sums[warp] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / warpSize ? sums[lane] : 0;
    if (warp == 0) sum = warp_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
