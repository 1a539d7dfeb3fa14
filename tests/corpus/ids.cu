// Every id and size for its own sake, in three dimensions.
//: kernel ids
//: launch 12 8 6 / 4 2 3
//: thread yes
//: group yes
//: args int[2304] = 0
//: kernel copies
//: launch 96 / 16
//: thread yes
//: group yes
//: args int[288] = 0
__global__ void ids(int *out)
{
    const dim3 total(gridDim.x * blockDim.x, gridDim.y * blockDim.y, gridDim.z * blockDim.z);
    const uint3 at = make_uint3(blockIdx.x * blockDim.x + threadIdx.x,
                                blockIdx.y * blockDim.y + threadIdx.y,
                                blockIdx.z * blockDim.z + threadIdx.z);
    int *row = out + 4 * ((at.z * total.y + at.y) * total.x + at.x);
    row[0] = 1 + threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
    row[1] = blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z;
    row[2] = blockDim.x + 10 * blockDim.y + 100 * blockDim.z;
    row[3] = gridDim.x + 10 * gridDim.y + 100 * gridDim.z;
}

__global__ void copies(int *out)
{
    const auto block = blockIdx;
    const uint3 &thread = threadIdx;
    auto size = blockDim;
    dim3 grid = gridDim;
    size.y = 2;
    const unsigned i = block.x * size.x + thread.x;
    out[3 * i] = thread.x + 1;
    out[3 * i + 1] = block.x + size.y * 100;
    out[3 * i + 2] = grid.x + blockDim.y * 1000;
}
