// 2-D convolution in a 1-D launch: one pixel a work-item; the mask is cut at the image's edges.

#pragma gputune global width * height
#pragma gputune local 256
__kernel void convolution(__global float *output, __global const float *input,
                          __global const float *mask, uint width, uint height, uint size)
{
    uint id = get_global_id(0);
    uint x = id % width, y = id / width, half_size = size / 2;
    if (y >= height)
        return;
    uint left = x < half_size ? 0 : x - half_size;
    uint right = min(x + half_size, width - 1);
    uint top = y < half_size ? 0 : y - half_size;
    uint bottom = min(y + half_size, height - 1);
    float sum = 0.0f;
    for (uint j = top; j <= bottom; j++)
        for (uint i = left; i <= right; i++) {
            uint at = (j + half_size - y) * size + (i + half_size - x);
            sum += input[j * width + i] * mask[at];
        }
    output[id] = sum;
}
