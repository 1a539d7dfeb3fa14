// out(x, y) = sum over i, j of filter(i, j) * image(x + i, y + j), with a filter of SIZE x SIZE
// floats. The image has width + SIZE - 1 floats in each of its height + SIZE - 1 rows; width and
// height are multiples of 512: no configuration has to look after edges.
//
// A block of BLOCK_X x BLOCK_Y threads does ITEMS_X x ITEMS_Y pixels a thread, BLOCK_X and BLOCK_Y
// apart.

#define SIZE 17

#pragma gputune erange 16,64,2
#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#pragma gputune erange 1,16,2
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#pragma gputune set 1,2,4
#ifndef ITEMS_X
#define ITEMS_X 1
#endif
#pragma gputune set 1,2,4,8
#ifndef ITEMS_Y
#define ITEMS_Y 1
#endif
#pragma gputune bool
#ifndef SHARED_IMAGE
#define SHARED_IMAGE 1 // what the block reads of the image is copied into shared memory first
#endif
#pragma gputune bool
#ifndef SHARED_FILTER
#define SHARED_FILTER 0 // so is the filter; 0: it is read through the caches
#endif
#pragma gputune bool
#ifndef PAD
#define PAD 0 // one float more in a row of the shared image, against bank conflicts
#endif
#pragma gputune set 1,17
#ifndef UNROLL
#define UNROLL 1 // steps along a row of the filter
#endif

#define THREADS (BLOCK_X * BLOCK_Y)
#define TILE_X (BLOCK_X * ITEMS_X + SIZE - 1)
#define TILE_Y (BLOCK_Y * ITEMS_Y + SIZE - 1)

#pragma gputune require BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 512
#pragma gputune require ITEMS_X * ITEMS_Y <= 16
#pragma gputune require SHARED_IMAGE || (!PAD && UNROLL == 17)
#pragma gputune require SHARED_IMAGE * (BLOCK_X * ITEMS_X + 16 + PAD) * (BLOCK_Y * ITEMS_Y + 16)  \
                            * 4 + SHARED_FILTER * 1156 <= 49152

#pragma gputune global ceil_div(width, ITEMS_X), ceil_div(height, ITEMS_Y)
#pragma gputune local BLOCK_X, BLOCK_Y
extern "C" __global__ void __launch_bounds__(THREADS)
convolution(int width, int height, const float *__restrict__ image,
            const float *__restrict__ filter, float *__restrict__ out)
{
    const int tx = threadIdx.x, ty = threadIdx.y;
    const int x0 = blockIdx.x * (BLOCK_X * ITEMS_X), y0 = blockIdx.y * (BLOCK_Y * ITEMS_Y);
    const int stride = width + SIZE - 1;
    const float *first = image + (size_t)y0 * stride + x0; // of what the block reads
#if SHARED_FILTER
    __shared__ float weights[SIZE * SIZE];
    for (int i = ty * BLOCK_X + tx; i < SIZE * SIZE; i += THREADS)
        weights[i] = filter[i];
#else
    const float *weights = filter;
#endif
#if SHARED_IMAGE
    __shared__ float tile[TILE_Y][TILE_X + PAD];
    for (int y = ty; y < TILE_Y; y += BLOCK_Y)
        for (int x = tx; x < TILE_X; x += BLOCK_X)
            tile[y][x] = first[(size_t)y * stride + x];
#define PIXEL(x, y) tile[y][x]
#else
#define PIXEL(x, y) first[(size_t)(y) * stride + (x)]
#endif
#if SHARED_FILTER || SHARED_IMAGE
    __syncthreads();
#endif

    float sum[ITEMS_Y][ITEMS_X] = {};
#pragma unroll 1
    for (int j = 0; j < SIZE; j++) {
#pragma unroll UNROLL
        for (int i = 0; i < SIZE; i++) {
            const float weight = weights[j * SIZE + i];
#pragma unroll
            for (int v = 0; v < ITEMS_Y; v++)
#pragma unroll
                for (int u = 0; u < ITEMS_X; u++)
                    sum[v][u] += weight * PIXEL(tx + u * BLOCK_X + i, ty + v * BLOCK_Y + j);
        }
    }

#pragma unroll
    for (int v = 0; v < ITEMS_Y; v++)
#pragma unroll
        for (int u = 0; u < ITEMS_X; u++) {
            const int x = x0 + tx + u * BLOCK_X, y = y0 + ty + v * BLOCK_Y;
            out[(size_t)y * width + x] = sum[v][u];
        }
}
