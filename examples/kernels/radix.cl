// A radix sort of unsigned integers, the lowest digit first: for each digit three launches. Every
// work-item has CHUNK keys. OpenCL; CUDA C is made of it.
#pragma gputune set 2,4,8
#define BITS 2
#pragma gputune set 256,1024,4096
#define CHUNK 1024
#pragma gputune set 8,64
#define SCAN 64
#define BINS (1 << BITS)

// How often each digit comes in each chunk: counts[digit * chunks + chunk].
#pragma gputune global ceil_div(n, CHUNK)
__kernel void radix_count(int n, int shift, __global const uint *keys, __global uint *counts)
{
    const int chunk = get_global_id(0), chunks = get_global_size(0);
    uint own[BINS];
    for (int b = 0; b < BINS; b++) own[b] = 0;
    for (int i = chunk * CHUNK; i < min(n, (chunk + 1) * CHUNK); i++)
        own[keys[i] >> shift & (BINS - 1)]++;
    for (int b = 0; b < BINS; b++) counts[b * chunks + chunk] = own[b];
}

// Where the keys of each digit and chunk begin: one work-group.
#pragma gputune global SCAN
#pragma gputune local SCAN
__kernel void radix_scan(int n, __global uint *counts)
{
    __local uint sums[SCAN];
    const int length = BINS * ((n + CHUNK - 1) / CHUNK), each = (length + SCAN - 1) / SCAN;
    const int id = get_local_id(0), begin = id * each, end = min(length, begin + each);
    uint sum = 0;
    for (int i = begin; i < end; i++) sum += counts[i];
    sums[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int i = 0; i < id; i++) sum += sums[i];
    for (int i = begin; i < end; i++) {
        const uint count = counts[i];
        counts[i] = sum;
        sum += count;
    }
}

#pragma gputune global ceil_div(n, CHUNK)
__kernel void radix_scatter(int n, int shift, __global const uint *keys,
                            __global const uint *counts, __global uint *sorted)
{
    const int chunk = get_global_id(0), chunks = get_global_size(0);
    uint own[BINS];
    for (int b = 0; b < BINS; b++) own[b] = counts[b * chunks + chunk];
    for (int i = chunk * CHUNK; i < min(n, (chunk + 1) * CHUNK); i++)
        sorted[own[keys[i] >> shift & (BINS - 1)]++] = keys[i];
}
