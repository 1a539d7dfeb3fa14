// Matrix times vector, one row a work-group: its work-items read neighbouring elements, and add up
// their sums in a tree in local memory.

#pragma gputune global height * 256
#pragma gputune local 256
__kernel void mvCoal(__global const float *matrix, __global const float *vector, int width,
                     int height, __global float *product, __local float *partial)
{
    uint id = get_local_id(0), size = get_local_size(0);
    __global const float *row = matrix + get_group_id(0) * width;
    float sum = 0.0f;
    for (int x = id; x < width; x += size)
        sum += row[x] * vector[x];
    partial[id] = sum;
    for (uint stride = size / 2; stride > 0; stride /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < stride)
            partial[id] += partial[id + stride];
    }
    if (id == 0)
        product[get_group_id(0)] = partial[0];
}
