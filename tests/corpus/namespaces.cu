// Kernels and helpers in namespaces.
//: kernel add_one
//: instance outer::inner::add_one
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 40; int[64] = 0
namespace outer {
__device__ inline unsigned index() { return threadIdx.x + blockIdx.x * blockDim.x; }
namespace inner {
__device__ const int one = 1;
__global__ void add_one(const int *in, int *out)
{
    const unsigned i = index();
    out[i] = in[i] + one + (int)threadIdx.x;
}
} // namespace inner
} // namespace outer
