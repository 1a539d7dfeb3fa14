// Device functions with ids, two deep, a prototype, forced inlining, macros.
//: kernel from_helpers
//: launch 24 15 / 8 5
//: thread yes
//: group yes
//: args int[360] = 0; int[360] = mod 61
#define X_INDEX (blockIdx.x * blockDim.x + threadIdx.x)
#define INDEX_OF(d) (blockIdx.d * blockDim.d + threadIdx.d)
#define KERNEL_LOOP(i, n) \
    for (int i = X_INDEX; i < (n); i += blockDim.x * gridDim.x)

__device__ int row();

static __device__ __forceinline__ int position(int width) { return row() * width + X_INDEX; }

__device__ int row()
{
    return INDEX_OF(y);
}

__global__ void from_helpers(int *out, const int *in)
{
    int i = position(24);
    KERNEL_LOOP(k, 24) out[i] = 2 * in[row() * 24 + k] + row() * 100;
}
