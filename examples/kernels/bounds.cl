// Three kernels that are as fast as they are for three reasons: memory, arithmetic, latency.
#pragma gputune erange 32,256,2
#define BLOCK 32
#pragma gputune set 1,2,4,8
#define ITEMS 1
#pragma gputune require BLOCK <= max_group_size

// Two floats read, one written: 12 bytes for two operations.
#pragma gputune global ceil_div(n, ITEMS)
#pragma gputune local BLOCK
__kernel void triad(int n, __global const float *x, __global float *y)
{
    const int all = (int)get_global_size(0);
    for (int i = (int)get_global_id(0); i < n; i += all) y[i] = 2.0f * x[i] + x[n + i];
}

// 256 multiply-adds for each number, four chains of them at a time.
#pragma gputune global ceil_div(n, ITEMS)
#pragma gputune local BLOCK
__kernel void powers(int n, __global const float *x, __global float *y)
{
    const int all = (int)get_global_size(0);
    for (int i = (int)get_global_id(0); i < n; i += all) {
        const float v = x[i];
        float a = v, b = v + 0.1f, c = v + 0.2f, d = v + 0.3f;
        for (int j = 0; j < 64; j++) {
            a = a * v + 0.5f;
            b = b * v + 0.5f;
            c = c * v + 0.5f;
            d = d * v + 0.5f;
        }
        y[i] = a + b + c + d;
    }
}

// Few work-items, and each has to wait for a number before it knows where the next one is.
#pragma gputune global 1024
#pragma gputune local BLOCK
__kernel void walk(int n, __global const float *x, __global float *y)
{
    uint at = (uint)get_global_id(0);
    float sum = 0;
    for (int j = 0; j < 1000; j++) {
        const float v = x[at % (uint)n];
        sum += v;
        at = at * 1664525u + 1013904223u + (uint)v;
    }
    y[get_global_id(0)] = sum;
}
