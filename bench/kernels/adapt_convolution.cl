// Convolution of an image with a filter of size x size, size odd; beyond its border the image
// repeats its last pixel. ITEMS rows a work-item; WEIGHTS: the filter is copied to local memory.

#pragma gputune erange 8,64,2
#define GROUP_X 16
#pragma gputune erange 1,16,2
#define GROUP_Y 16
#pragma gputune set 1,2,4
#define ITEMS 1
#pragma gputune bool
#define WEIGHTS 0

#pragma gputune require GROUP_X * GROUP_Y >= 32 && GROUP_X * GROUP_Y <= max_group_size

#pragma gputune global ceil_div(width, GROUP_X) * GROUP_X, \
                       ceil_div(height, GROUP_Y * ITEMS) * GROUP_Y
#pragma gputune local GROUP_X, GROUP_Y
__kernel void adapt_convolution(int width, int height, int size, __global const float *image,
                                __global const float *filter, __global float *out)
{
    const int x = (int)get_global_id(0), half_size = size / 2;
    const int top = (int)get_group_id(1) * GROUP_Y * ITEMS + (int)get_local_id(1);
    float sum[ITEMS];
#if WEIGHTS
    __local float weights[32 * 32];
    for (int i = (int)get_local_id(1) * GROUP_X + (int)get_local_id(0); i < size * size;
         i += GROUP_X * GROUP_Y)
        weights[i] = filter[i];
    barrier(CLK_LOCAL_MEM_FENCE);
#else
    __global const float *weights = filter;
#endif
    for (int v = 0; v < ITEMS; v++)
        sum[v] = 0.0f;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) {
            const float w = weights[j * size + i];
            const int column = clamp(x + i - half_size, 0, width - 1);
#pragma unroll
            for (int v = 0; v < ITEMS; v++) {
                const int row = clamp(top + v * GROUP_Y + j - half_size, 0, height - 1);
                sum[v] += w * image[(size_t)row * width + column];
            }
        }
    for (int v = 0; v < ITEMS; v++)
        if (x < width && top + v * GROUP_Y < height)
            out[(size_t)(top + v * GROUP_Y) * width + x] = sum[v];
}
