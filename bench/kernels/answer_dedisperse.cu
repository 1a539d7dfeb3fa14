// Out[m][t] = sum of in[c][t + delay[m][c]] over the channels c.

#pragma gputune erange 16,256,2
#define WIDTH 64
#pragma gputune erange 1,16,2
#define HEIGHT 1
#pragma gputune set 1,2,4,8
#define TIMES 1
#pragma gputune set 1,2,4,8
#define MEASURES 1
#pragma gputune set 1,2,4,8,16
#define UNROLL 1
#pragma gputune bool
#define SHARED 0 // the delays of a block's measures
#pragma gputune require WIDTH * HEIGHT <= max_group_size && WIDTH * HEIGHT >= 32
#pragma gputune require TIMES * MEASURES <= 32
#pragma gputune require !SHARED || HEIGHT * MEASURES * channels * 4 <= 40000
#pragma gputune global ceil_div(times, TIMES), ceil_div(measures, MEASURES)
#pragma gputune local WIDTH, HEIGHT
extern "C" __global__ void dedisperse(int measures, int channels, int times, int most,
                                      const float *in, const int *delay, float *out)
{
    const int t0 = blockIdx.x * (WIDTH * TIMES) + threadIdx.x;
    const int block = blockIdx.y * (HEIGHT * MEASURES), m0 = block + threadIdx.y * MEASURES;
    float sum[MEASURES][TIMES];
#if SHARED
    __shared__ int kept[10000];
    const int items = HEIGHT * MEASURES * channels;
    for (int i = threadIdx.y * WIDTH + threadIdx.x; i < items; i += WIDTH * HEIGHT)
        kept[i] = delay[min(block + i / channels, measures - 1) * channels + i % channels];
    __syncthreads();
#endif
#pragma unroll
    for (int m = 0; m < MEASURES; m++)
#pragma unroll
        for (int t = 0; t < TIMES; t++) sum[m][t] = 0;
#pragma unroll UNROLL
    for (int c = 0; c < channels; c++) {
#pragma unroll
        for (int m = 0; m < MEASURES; m++) {
#if SHARED
            const int late = kept[(threadIdx.y * MEASURES + m) * channels + c];
#else
            const int late = delay[min(m0 + m, measures - 1) * channels + c];
#endif
            const float *row = in + (size_t)c * (times + most) + late;
#pragma unroll
            for (int t = 0; t < TIMES; t++)
                sum[m][t] += row[min(t0 + t * WIDTH, times - 1)];
        }
    }
#pragma unroll
    for (int m = 0; m < MEASURES; m++)
#pragma unroll
        for (int t = 0; t < TIMES; t++)
            if (m0 + m < measures && t0 + t * WIDTH < times)
                out[(size_t)(m0 + m) * times + t0 + t * WIDTH] = sum[m][t];
}
