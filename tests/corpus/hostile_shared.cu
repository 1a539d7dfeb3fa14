// Shared memory in helpers, in inner scopes, of structs, twice under one name.
//: kernel shared_kinds
//: launch 64 / 16
//: thread no shared memory
//: group yes
//: args int[64] = mod 20; int[64] = 0; local 64
//: kernel without_barrier
//: launch 64 / 16
//: thread maybe
//: group yes
//: args int[64] = mod 20; int[64] = 0
struct pair {
    int first, second[16];
};

__device__ int *dynamic()
{
    extern __shared__ int pool[];
    return pool;
}

template <class T> __device__ T mirror(T value)
{
    __shared__ T box[16];
    __syncthreads();
    box[threadIdx.x] = value;
    __syncthreads();
    return box[15 - threadIdx.x];
}

__global__ void shared_kinds(const int *in, int *out)
{
    const int t = threadIdx.x, i = blockIdx.x * 16 + t;
    __shared__ pair p;
    int sum = mirror(in[i]) + (int)mirror(1.0f * t);
    if (t == 0) p.first = in[i];
    p.second[t] = t;
    {
        __shared__ int box[16];
        box[t] = in[i];
        __syncthreads();
        sum += box[t ^ 1] + p.first + p.second[15 - t];
    }
    for (int k = 0; k < 2; k++) {
        __shared__ short box[32];
        box[t + 16 * k] = k + t;
        __syncthreads();
        sum += box[t + 16 * k ^ 1] * (int)sizeof(box);
    }
    dynamic()[t] = sum;
    __syncthreads();
    out[i] = dynamic()[(t + 1) % 16];
}

__global__ void without_barrier(const int *in, int *out)
{
    __shared__ int slots[16][2];
    int *mine = slots[threadIdx.x];
    mine[0] = in[blockIdx.x * 16 + threadIdx.x];
    mine[1] = mine[0] * 2;
    out[blockIdx.x * 16 + threadIdx.x] = mine[0] + mine[1];
}
