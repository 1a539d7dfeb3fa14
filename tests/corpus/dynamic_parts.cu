// One dynamic array cut into pieces of several types, declared in the kernel.
//: kernel dynamic_parts
//: launch 96 / 16
//: thread no shared memory
//: group yes
//: args int[96] = mod 45; float[96] = random -9 9; float[96] = 0; local 128
__global__ void dynamic_parts(const int *a, const float *b, float *out)
{
    extern __shared__ __align__(16) unsigned char raw[];
    int *ints = reinterpret_cast<int *>(raw);
    float *reals = (float *)&ints[blockDim.x];
    const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    ints[t] = a[i];
    reals[blockDim.x - 1 - t] = b[i];
    __syncthreads();
    out[i] = ints[(t + 1) % blockDim.x] + reals[t];
}
