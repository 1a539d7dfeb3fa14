// Matrix times vector: TEAM work-items a row. Tall matrices want few, wide ones many.

#pragma gputune erange 32,512,2
#define GROUP 256
#pragma gputune set 1,4,16,64,256
#define TEAM 256
#pragma gputune set 1,4
#define VECTOR 1 // floats that are read at once

#pragma gputune require TEAM <= GROUP && GROUP <= max_group_size

#pragma gputune global ceil_div(rows, GROUP / TEAM) * GROUP
#pragma gputune local GROUP
__kernel void adapt_mv(int rows, int columns, __global const float *matrix,
                       __global const float *vector, __global float *product)
{
    __local float partial[GROUP];
    const int id = (int)get_local_id(0), lane = id % TEAM;
    const int row = (int)get_group_id(0) * (GROUP / TEAM) + id / TEAM;
    float sum = 0.0f;
    if (row < rows) {
        __global const float *m = matrix + (size_t)row * columns;
        for (int i = lane; i < columns / VECTOR; i += TEAM) {
#if VECTOR == 4
            const float4 a = vload4(i, m), b = vload4(i, vector);
            sum += (a.x * b.x + a.y * b.y) + (a.z * b.z + a.w * b.w);
#else
            sum += m[i] * vector[i];
#endif
        }
    }
    partial[id] = sum;
    for (int step = TEAM / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < step)
            partial[id] += partial[id + step];
    }
    if (lane == 0 && row < rows)
        product[row] = partial[id];
}
