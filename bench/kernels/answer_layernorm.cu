// Each row of `columns` less its mean, over its deviation, times scale plus shift.

#pragma gputune erange 32,1024,2
#define BLOCK 128
#pragma gputune set 1,2,4
#define VECTOR 1
#pragma gputune set 1,2,4,8
#define ROWS 1 // that a block does, one after another
#pragma gputune bool
#define KEPT 0 // the row stays in shared memory
#pragma gputune bool
#define TWICE 1 // mean first, then deviations; 0: sums of values and squares together
#pragma gputune bool
#define SHUFFLE 1
#pragma gputune require columns % VECTOR == 0
#pragma gputune require !KEPT || columns * 4 <= 40000
#pragma gputune global ceil_div(rows, ROWS) * BLOCK
#pragma gputune local BLOCK
static __device__ float all_of(float value, float *scratch)
{
    __syncthreads();
#if SHUFFLE
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xffffffffu, value, step);
    if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < BLOCK / 32; i++) sum += scratch[i];
    return sum;
#else
    scratch[threadIdx.x] = value;
    for (int step = BLOCK / 2; step > 0; step /= 2) {
        __syncthreads();
        if (threadIdx.x < step) scratch[threadIdx.x] += scratch[threadIdx.x + step];
    }
    __syncthreads();
    return scratch[0];
#endif
}

struct __align__(4 * VECTOR) pack { float value[VECTOR]; };

extern "C" __global__ void layernorm(int rows, int columns, const float *in, const float *scale,
                                     const float *shift, float *out)
{
    __shared__ float scratch[BLOCK];
#if KEPT
    __shared__ __align__(16) float kept[10000];
#endif
    for (int r = 0; r < ROWS; r++) {
        const int row = blockIdx.x * ROWS + r, packs = columns / VECTOR;
        if (row >= rows) return;
        const pack *x = (const pack *)(in + (size_t)row * columns);
        float sum = 0, squares = 0;
        for (int i = threadIdx.x; i < packs; i += BLOCK) {
            const pack p = x[i];
#if KEPT
            ((pack *)kept)[i] = p;
#endif
#pragma unroll
            for (int k = 0; k < VECTOR; k++) {
                sum += p.value[k];
                squares += p.value[k] * p.value[k];
            }
        }
#if KEPT
        __syncthreads();
        x = (const pack *)kept;
#endif
        const float mean = all_of(sum, scratch) / columns;
#if TWICE
        squares = 0;
        for (int i = threadIdx.x; i < packs; i += BLOCK) {
            const pack p = x[i];
#pragma unroll
            for (int k = 0; k < VECTOR; k++)
                squares += (p.value[k] - mean) * (p.value[k] - mean);
        }
        const float variance = all_of(squares, scratch) / columns;
#else
        const float variance = all_of(squares, scratch) / columns - mean * mean;
#endif
        const float factor = rsqrtf(variance + 1e-5f);
        for (int i = threadIdx.x; i < packs; i += BLOCK) {
            const pack p = x[i], s = ((const pack *)scale)[i], t = ((const pack *)shift)[i];
            pack result;
#pragma unroll
            for (int k = 0; k < VECTOR; k++)
                result.value[k] = (p.value[k] - mean) * factor * s.value[k] + t.value[k];
            ((pack *)(out + (size_t)row * columns))[i] = result;
        }
        __syncthreads();
    }
}
