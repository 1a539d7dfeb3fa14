// out(x, y) = sum over i, j of filter(i, j) * image(x + i - size / 2, y + j - size / 2), with a
// filter of size x size floats, size odd. Beyond its border the image repeats its last pixel.
//
// A group of GROUP_X x GROUP_Y work-items does ITEMS_X x ITEMS_Y pixels a work-item, GROUP_X and
// GROUP_Y apart. tile and weights are local memory: the image under the group's pixels and the
// filter; one float if not used.

#pragma gputune erange 8,64,2
#define GROUP_X 16
#pragma gputune erange 1,16,2
#define GROUP_Y 16
#pragma gputune set 1,2,4
#define ITEMS_X 1
#pragma gputune set 1,2,4,8
#define ITEMS_Y 1
#pragma gputune bool
#define LOCAL_IMAGE 1 // the tile is copied into local memory first
#pragma gputune bool
#define LOCAL_FILTER 0 // so is the filter; 0: it is read from constant memory
#pragma gputune bool
#define PAD 0 // one float more in a row of the tile, against bank conflicts

#pragma gputune require GROUP_X * GROUP_Y >= 32 && GROUP_X * GROUP_Y <= max_group_size
#pragma gputune require LOCAL_IMAGE || !PAD
#pragma gputune require (LOCAL_IMAGE * (GROUP_X * ITEMS_X + size - 1 + PAD)                       \
                             * (GROUP_Y * ITEMS_Y + size - 1)                                   \
                         + LOCAL_FILTER * size * size + 2) * 4 <= local_memory

#pragma gputune global ceil_div(width, ITEMS_X), ceil_div(height, ITEMS_Y)
#pragma gputune local GROUP_X, GROUP_Y
__kernel __attribute__((reqd_work_group_size(GROUP_X, GROUP_Y, 1)))
void convolution(int width, int height, int size, __global const float *image,
                 __constant float *filter, __global float *out, __local float *tile,
                 __local float *weights)
{
    const int lx = (int)get_local_id(0), ly = (int)get_local_id(1);
    const int x0 = (int)get_group_id(0) * (GROUP_X * ITEMS_X);
    const int y0 = (int)get_group_id(1) * (GROUP_Y * ITEMS_Y);
    const int left = x0 - size / 2, top = y0 - size / 2; // of what the group reads
#if LOCAL_FILTER
    for (int i = ly * GROUP_X + lx; i < size * size; i += GROUP_X * GROUP_Y)
        weights[i] = filter[i];
#define WEIGHT weights
#else
#define WEIGHT filter
#endif
#if LOCAL_IMAGE
    const int stride = GROUP_X * ITEMS_X + size - 1 + PAD;
    for (int y = ly; y < GROUP_Y * ITEMS_Y + size - 1; y += GROUP_Y) {
        __global const float *row = image + (size_t)clamp(top + y, 0, height - 1) * width;
        for (int x = lx; x < GROUP_X * ITEMS_X + size - 1; x += GROUP_X)
            tile[y * stride + x] = row[clamp(left + x, 0, width - 1)];
    }
#endif
#if LOCAL_IMAGE || LOCAL_FILTER
    barrier(CLK_LOCAL_MEM_FENCE);
#endif

    float sum[ITEMS_Y][ITEMS_X];
#pragma unroll
    for (int v = 0; v < ITEMS_Y; v++)
#pragma unroll
        for (int u = 0; u < ITEMS_X; u++)
            sum[v][u] = 0.0f;
    for (int j = 0; j < size; j++) {
        // The rows under this row of the filter, one for each of the work-item's pixels.
#if LOCAL_IMAGE
        __local const float *row[ITEMS_Y];
#else
        __global const float *row[ITEMS_Y];
#endif
#pragma unroll
        for (int v = 0; v < ITEMS_Y; v++) {
            const int y = ly + v * GROUP_Y + j;
#if LOCAL_IMAGE
            row[v] = tile + y * stride + lx;
#else
            row[v] = image + (size_t)clamp(top + y, 0, height - 1) * width;
#endif
        }
        for (int i = 0; i < size; i++) {
            const float weight = WEIGHT[j * size + i];
#pragma unroll
            for (int u = 0; u < ITEMS_X; u++) {
#if LOCAL_IMAGE
                const int x = u * GROUP_X + i;
#else
                const int x = clamp(left + lx + u * GROUP_X + i, 0, width - 1);
#endif
#pragma unroll
                for (int v = 0; v < ITEMS_Y; v++)
                    sum[v][u] += weight * row[v][x];
            }
        }
    }

#pragma unroll
    for (int v = 0; v < ITEMS_Y; v++)
#pragma unroll
        for (int u = 0; u < ITEMS_X; u++) {
            const int x = x0 + lx + u * GROUP_X, y = y0 + ly + v * GROUP_Y;
            if (x < width && y < height)
                out[(size_t)y * width + x] = sum[v][u];
        }
}
