// Matrix times vector, one row a work-item: neighbours read elements that lie a row apart.

#pragma gputune global height
#pragma gputune local 256
__kernel void mvUncoal(__global const float *matrix, __global const float *vector, int width,
                       int height, __global float *product)
{
    uint y = get_global_id(0);
    if (y < height) {
        __global const float *row = matrix + (size_t)y * width;
        float sum = 0.0f;
        for (int x = 0; x < width; x++)
            sum += row[x] * vector[x];
        product[y] = sum;
    }
}
