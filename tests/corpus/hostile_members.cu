// Members, parameters and constants named like ids; ids handed over by reference.
//: kernel members
//: launch 64 / 16
//: thread maybe
//: group maybe
//: args int[64] = mod 20
//: kernel by_reference
//: launch 64 / 16
//: thread maybe
//: group maybe
//: args int[64] = mod 20
//: kernel parameter_named
//: launch 64 / 16
//: thread maybe
//: group maybe
//: range no a variable of this name
//: args int[64] = mod 20; int 5
//: kernel local_struct
//: launch 64 / 16
//: thread maybe
//: group maybe
//: args int[64] = mod 20
struct launch_like {
    dim3 blockDim, gridDim;
    int threadIdx;
    static const int warpSize_ = 3;
};

__device__ int flat(const uint3 &thread, const uint3 &block, int blockDim)
{
    return block.x * blockDim + thread.x;
}

__global__ void members(int *data)
{
    launch_like l;
    l.blockDim = blockDim;
    l.gridDim = dim3(gridDim.x, 2);
    l.threadIdx = threadIdx.x;
    data[blockIdx.x * l.blockDim.x + l.threadIdx] += l.gridDim.x * l.gridDim.y + l.warpSize_;
}

__global__ void by_reference(int *data)
{
    data[flat(threadIdx, blockIdx, blockDim.x)] += gridDim.x;
}

__global__ void parameter_named(int *data, int gridDim)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += gridDim;
}

__global__ void local_struct(int *data)
{
    struct {
        int i;
        __device__ int next() { return i + threadIdx.x; }
    } s = { 5 };
    data[blockIdx.x * blockDim.x + threadIdx.x] += s.next();
}
