// extern "C", a loop over the grid, sizes of it kept.
//: kernel grid_stride
//: launch 192 / 64
//: thread yes
//: group yes
//: args uint[1500] = mod 1000; uint[1500] = 0; uint[192] = 0; uint 1500
extern "C" __global__ void __launch_bounds__(64)
grid_stride(const unsigned *in, unsigned *out, unsigned *sums, unsigned n)
{
    unsigned sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        out[i] = in[i] * 2u + 1u;
        sum += __ldg(in + i);
    }
    sums[threadIdx.x + blockIdx.x * blockDim.x] = sum + gridDim.x;
}
