// Matrix transposition, one element a work-item: writes are scattered.

#pragma gputune global width, height
#pragma gputune local 16, 16
__kernel void mt(__global float *output, __global const float *input, int width, int height)
{
    unsigned int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        output[x * height + y] = input[y * width + x];
}
