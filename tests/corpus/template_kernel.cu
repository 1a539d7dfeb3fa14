// Type and value parameters, default arguments, an explicit instance.
//: kernel scale
//: instance scale<float, 3>
//: launch 128 / 32
//: thread yes
//: group yes
//: args float[120] = random -8 8; float[360] = 0; int 120
//: kernel fill
//: instance fill<int>
//: launch 128 / 32
//: thread yes
//: group yes
//: args int[120] = -1; int 120; int 9
//: kernel block_sum
//: instance block_sum<int, 32>
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: args int[128] = random -50 50; int[4] = 0
template <typename T, int N>
__global__ void scale(const T *__restrict__ in, T *__restrict__ out, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
#pragma unroll
    for (int k = 0; k < N; k++) out[i * N + k] = in[i] * static_cast<T>(k + 1);
}

template <class T = float, int Step = 2, bool Reverse = (Step > 1)>
__global__ void fill(T *out, int n, T value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[Reverse ? n - 1 - i : i] = value + T(i * Step);
}

template <typename T, unsigned int Size>
__global__ void block_sum(const T *in, T *out)
{
    __shared__ T cache[Size];
    const unsigned t = threadIdx.x;
    cache[t] = in[blockIdx.x * Size + t];
    __syncthreads();
    if (Size >= 32 && t < 16) cache[t] += cache[t + 16];
    __syncthreads();
    for (unsigned s = 8; s > 0; s >>= 1) {
        if (t < s) cache[t] += cache[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = cache[0];
}

template __global__ void scale<float, 3>(const float *__restrict__, float *__restrict__, int);
