// Layers as neural networks have them: several ids folded out of one, negative values.
//: kernel maxpool
//: launch 100
//: thread yes
//: args int 4; int 4; int 5; int 2; float[320] = random -50 50; float[80] = -1; int[80] = -1
//: kernel softmax_group
//: launch 48 / 8
//: thread no local memory
//: group yes
//: args int 12; float[72] = random 0 16; float[72] = 0
__kernel void maxpool(int h, int w, int channels, int size, __global float *input,
                      __global float *output, __global int *indexes)
{
    int id = get_global_id(1) * get_global_size(0) + get_global_id(0);
    if (id >= h * w * channels) return;
    int j = id % w, i = (id / w) % h, k = id / (w * h), best = -1;
    float most = -INFINITY;
    for (int l = 0; l < size; ++l)
        for (int m = 0; m < size; ++m) {
            int at = j * size + m + w * size * (i * size + l + k * h * size);
            if (input[at] > most) {
                most = input[at];
                best = at;
            }
        }
    output[id] = most;
    indexes[id] = best;
}

__kernel void softmax_group(int n, __global const float *x, __global float *y)
{
    __local float buffer[8];
    int t = get_local_id(0), row = get_group_id(0) * n;
    float most = -100.0f, sum = 0;
    for (int i = t; i < n; i += 8) most = fmax(most, x[row + i]);
    buffer[t] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++) most = fmax(most, buffer[i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = t; i < n; i += 8) sum += 1.0f / (1.0f + most - x[row + i]);
    buffer[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int i = 0; i < 8; i++) sum += buffer[i];
    for (int i = t; i < n; i += 8) y[row + i] = (1.0f / (1.0f + most - x[row + i])) / sum;
}
