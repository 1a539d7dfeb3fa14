// A part of a block passes barriers by without a return: by an `if` at the end, a loop that it
// leaves early, a goto. All barriers vote then; those that ask or count are refused.
//: kernel passes_by
//: launch 256 / 64
//: thread no shared memory
//: group yes
//: plain passes_by_plain
//: args int[256] = mod 40; int[256] = -1
//: kernel passes_twice
//: launch 256 / 64
//: thread no shared memory
//: group yes
//: plain passes_twice_plain
//: args int[256] = mod 40; int[256] = -1
//: kernel breaks_early
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: plain breaks_early_plain
//: args int[128] = mod 40; int[128] = -1
//: kernel jumps_over
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: args int[128] = mod 90; int[128] = -1
//: kernel asks_some
//: launch 256 / 64
//: thread no __syncthreads
//: group no not all of the group may come to this barrier
//: args int[256] = mod 40; int[256] = -1
//: kernel settles
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: args int[128] = mod 61; int[128] = -1
//: kernel settles_while
//: launch 128 / 32
//: thread no a barrier
//: group yes
//: args int 3; int[128] = mod 61; int[128] = -1
//: kernel settles_early
//: launch 128 / 32
//: thread no a barrier
//: group no not all of the group may come to this barrier
//: args int[128] = mod 61; int[128] = -1
//: kernel settles_some
//: launch 128 / 32
//: thread no a barrier
//: group no not all of the group may come to this barrier
//: args int[128] = mod 61; int[128] = -1
//: kernel last_works
//: launch 96 / 32
//: thread no shared memory
//: group yes
//: plain last_works_plain
//: args int[96] = mod 50; int[40] = 0
//: kernel function_ends
//: launch 128 / 32
//: thread no shared memory
//: group no a function may end here before its barrier
//: args int[128] = mod 50; int[128] = 0
//: kernel counts_some
//: launch 128 / 32
//: thread no __syncthreads
//: group no not all of the group may come to this barrier
//: args int[128] = mod 50; int[128] = 0
__global__ void passes_by(const int *in, int *out)
{
    __shared__ int sh[64];
    const int t = threadIdx.x, limit = 64 - (blockIdx.x % 3) * 13;
    if (t < limit) {
        sh[t] = in[blockIdx.x * 64 + t];
        __syncthreads();
        for (int r = 0; r < 5; r++) {
            const int v = sh[(t * 7 + r) % limit];
            __syncthreads();
            sh[t] += v & 15;
            __syncthreads();
        }
        out[blockIdx.x * 64 + t] = sh[limit - 1 - t];
    }
}

__global__ void passes_by_plain(const int *in, int *out)
{
    int a[64], b[64];
    if (blockIdx.x || threadIdx.x) return;
    for (int g = 0; g < 4; g++) {
        const int limit = 64 - (g % 3) * 13;
        for (int t = 0; t < limit; t++) a[t] = in[g * 64 + t];
        for (int r = 0; r < 5; r++) {
            for (int t = 0; t < limit; t++) b[t] = a[t] + (a[(t * 7 + r) % limit] & 15);
            for (int t = 0; t < limit; t++) a[t] = b[t];
        }
        for (int t = 0; t < limit; t++) out[g * 64 + t] = a[limit - 1 - t];
    }
}

__global__ void passes_twice(const int *in, int *out)
{
    __shared__ int sh[64];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    sh[t] = in[i];
    __syncthreads();
    if (t % 4) {
        const int v = sh[t - 1];
        __syncthreads();
        sh[t] = v;
        if (t % 4 != 3) {
            __syncthreads();
            out[i] = sh[t] * 100 + sh[(t + 4) % 64];
        }
    }
}

__global__ void passes_twice_plain(const int *in, int *out)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < 256; i++)
        if (i % 4 == 1 || i % 4 == 2)
            out[i] = in[i - 1] * 100 + in[i / 64 * 64 + (i + 3) % 64];
}

__global__ void breaks_early(const int *in, int *out)
{
    __shared__ int sh[32];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, most = in[i] % 6;
    int v = 0;
    sh[t] = in[i];
    __syncthreads();
    for (int r = 0; r < 8; r++) {
        if (r > most) break;
        v += sh[(t + r) % 32];
        __syncthreads();
    }
    out[i] = v;
}

__global__ void breaks_early_plain(const int *in, int *out)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < 128; i++) {
        out[i] = 0;
        for (int r = 0; r <= in[i] % 6; r++) out[i] += in[i / 32 * 32 + (i + r) % 32];
    }
}

__global__ void jumps_over(const int *in, int *out)
{
    __shared__ int sh[32];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (in[i] > 50) goto end;
    sh[t] = in[i];
end:
    __syncthreads();
    if (in[i] <= 50) out[i] = sh[t] + 1;
}

__global__ void asks_some(const int *in, int *out)
{
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 48 - (int)blockIdx.x) {
        int more = __syncthreads_or(in[i] > 37);
        __syncthreads();
        if (__syncthreads_or(in[i] == 39)) more += 100;
        if (__syncthreads_and(in[i] < 39)) more += 1000;
        out[i] = more;
    }
}

__global__ void settles(const int *in, int *out)
{
    __shared__ int value[32];
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int least;
    value[t] = in[i];
    do {
        __syncthreads();
        least = min(value[t], value[(t + 1) % 32]);
        __syncthreads();
        value[t] = least;
        __syncthreads();
    } while (__syncthreads_or(least != value[(t + 1) % 32]));
    out[i] = least;
}

__global__ void settles_while(int least, const int *in, int *out)
{
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    int value = in[i];
    while (least < 9 && __syncthreads_count(value > least) > 2)
        value -= value > least;
    const bool all = __syncthreads_and(value < 50);
    if (all) {
        __syncthreads();
        out[i] = value;
    }
}

__global__ void settles_early(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    do {
        if (value == 7) break;
        value -= value > 3;
    } while (__syncthreads_or(value > 3));
    out[i] = value;
}

__global__ void settles_some(const int *in, int *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int value = in[i];
    do
        value -= value > 3;
    while (value > 3 && __syncthreads_or(value > 5));
    out[i] = value;
}

// The block that comes last sums up what the others left.
__device__ int block_sum(int value)
{
    __shared__ int part[32];
    part[threadIdx.x] = value;
    __syncthreads();
    for (int step = blockDim.x / 2; step > 0; step >>= 1) {
        if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
        __syncthreads();
    }
    return part[0];
}

__global__ void last_works(const int *in, int *out)
{
    __shared__ bool am_last;
    const int sum = block_sum(in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x == 0) {
        out[1 + blockIdx.x] = sum;
        __threadfence();
        am_last = atomicAdd(&out[39], 1) == (int)gridDim.x - 1;
    }
    __syncthreads();
    if (am_last) {
        const int all = block_sum(threadIdx.x < gridDim.x ? out[1 + threadIdx.x] : 0);
        if (threadIdx.x == 0) out[0] = all;
    }
}

__global__ void last_works_plain(const int *in, int *out)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < 96; i++) {
        out[1 + i / 32] += in[i];
        out[0] += in[i];
    }
    out[39] = 3;
}

__device__ int turned(int *sh, int limit, int v)
{
    const int t = threadIdx.x;
    if (t >= limit) return 0;
    sh[t] = v;
    __syncthreads();
    return sh[limit - 1 - t];
}

__global__ void function_ends(const int *in, int *out)
{
    __shared__ int sh[32];
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = turned(sh, 32 - (blockIdx.x % 3) * 8, in[i]);
}

__global__ void counts_some(const int *in, int *out)
{
    const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    if (t < 20) out[i] = __syncthreads_count(in[i] > 20);
}
