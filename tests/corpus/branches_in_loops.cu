// Branches that the device decides, in bodies with loops and in functions that they call.
#if __CUDA_ARCH__ >= 300
#define ALONE __restrict__
#else
#define ALONE
#endif

//: kernel branch_in_loop
//: launch 128 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[128] = mod 50; int[128] = 0; int 120
__device__ int folded(int value, int turns)
{
#if __CUDA_ARCH__ >= 300
    for (int k = 0; k < turns; k++) value += value >> 1;
    return value;
#else
    for (int k = 0; k < turns; k++)
        value += value / 2;
    return value;
#endif
}

__global__ void branch_in_loop(const int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int k = 0; k < 3; k++) {
#if __CUDA_ARCH__ >= 300
        out[i] += folded(in[i], k);
#else
        out[i] = out[i] + folded(in[i], k);
#endif
    }
}

// In the branch that is left all reach the loop's barrier.
//: kernel branch_declares
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: args int[128] = mod 50; int[128] = 0; int 3
__global__ void branch_declares(const int *in, int *out, int n)
{
    __shared__ int tile[32];
    const int l = threadIdx.x;
#if __CUDA_ARCH__ >= 10000
    const int turns = l % 2;
#else
    const int turns = n;
#endif
    tile[l] = in[blockIdx.x * 32 + l];
    for (int k = 0; k < turns; k++)
        if (__syncthreads_or(tile[(l + k) % 32] > 40 + k)) tile[l] += k;
    out[blockIdx.x * 32 + l] = tile[l];
}

// A constant is one for all, whichever branch declares it.
//: kernel branch_constant
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: args int[128] = mod 50; int[128] = 0
#if __CUDA_ARCH__ >= 300
static const int turns_for_all = 3;
#else
static const int turns_for_all = 2 + 1;
#endif
__global__ void branch_constant(const int *in, int *out)
{
    __shared__ int tile[32];
    const int l = threadIdx.x;
    int sum = 0;
    if (l < 32
    )
        tile[l] = in[blockIdx.x * 32 + l];
    for (int k = 0; k < turns_for_all; k++) {
        if (__syncthreads_or(tile[(l + k) % 32] > 40)) sum += k;
#if __CUDA_ARCH__ >= 300
        sum += tile[(l + k) % 32];
#else
        sum = tile[(l + k) % 32] + sum;
#endif
    }
    out[blockIdx.x * 32 + l] = sum;
}

// Not all may come to a barrier in the branch that is left.
//: kernel branch_returns
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: args int[128] = mod 50; int[128] = 0; int 100
__global__ void branch_returns(const int *in, int *out, int n)
{
    __shared__ int tile[32];
    const int l = threadIdx.x, i = blockIdx.x * 32 + l;
    tile[l] = in[i];
#if __CUDA_ARCH__ >= 300
    if (i >= n) return;
#endif
    __syncthreads();
    out[i] = tile[(l + 1) % 32];
}

// Functions that the kernel does not reach are left out, and so are classes, specialised ones, too.
//: kernel specialised_unused
//: launch 128 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[128] = mod 50; int[128] = 0; int 120
template <int kind> struct meeting;
template <> struct meeting<1> {
    static __device__ int all(int x) { return __shfl_xor_sync(0xffffffff, x, 1); }
};
template <int kind> __device__ int met(int x)
{
    return meeting<kind>::all(x);
}

struct pair_of_ints {
    int first, second;
};

template <typename from, typename to> __device__ to changed(from x)
{
    return (to)x;
}

__device__ int first_of(int (&values)[2], int more)
{
    int * ALONE at = values;
    for (int k = 0; k < 2; k++) at[k] += more;
    return at[0];
}

__global__ void specialised_unused(const int *in, int *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int value = changed<int, int>(in[i]), more = 1;
    int values[2] = { value, value };
    pair_of_ints both = value > 20 ? pair_of_ints{ value, 2 } : pair_of_ints{ 1, value };
    for (int k = 0; k < 2; k++) more += first_of(values, k);
    out[i] = both.first * 100 + both.second + more + values[1];
}
