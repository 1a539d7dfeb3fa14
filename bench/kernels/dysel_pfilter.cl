// Likelihoods of a particle filter that follows a disk through a film: for each particle the pixels
// of a disk round it, compared with what background and disk look like. Variants differ in where
// the disk's offsets are.

#define TERMS(from, pixels)                                                                       \
    float sum = 0.0f;                                                                             \
    for (int i = 0; i < count; i++) {                                                             \
        const int px = min(max((int)x + from[2 * i], 0), width - 1);                              \
        const int py = min(max((int)y + from[2 * i + 1], 0), height - 1);                         \
        const float pixel = pixels[py * width + px];                                              \
        sum += ((pixel - 100.0f) * (pixel - 100.0f) - (pixel - 228.0f) * (pixel - 228.0f)) *      \
               0.02f;                                                                             \
    }

// Everything in global memory, of which nothing is promised.
#pragma gputune global particles
#pragma gputune local 128
__kernel void pfilter_global(int particles, int count, int width, int height, __global int *disk,
                             __global uchar *frame, __global float *xs, __global float *ys,
                             __global float *likelihood)
{
    const int id = get_global_id(0);
    if (id < particles) {
        const float x = xs[id], y = ys[id];
        TERMS(disk, frame)
        likelihood[id] = sum / count;
    }
}

// What is only read may go through the cache for that.
#pragma gputune global particles
#pragma gputune local 128
__kernel void pfilter_readonly(int particles, int count, int width, int height,
                               __global const int *restrict disk,
                               __global const uchar *restrict frame,
                               __global const float *restrict xs,
                               __global const float *restrict ys,
                               __global float *restrict likelihood)
{
    const int id = get_global_id(0);
    if (id < particles) {
        const float x = xs[id], y = ys[id];
        TERMS(disk, frame)
        likelihood[id] = sum / count;
    }
}

// The offsets in constant memory.
#pragma gputune global particles
#pragma gputune local 128
__kernel void pfilter_constant(int particles, int count, int width, int height,
                               __constant int *disk, __global const uchar *restrict frame,
                               __global const float *restrict xs,
                               __global const float *restrict ys,
                               __global float *restrict likelihood)
{
    const int id = get_global_id(0);
    if (id < particles) {
        const float x = xs[id], y = ys[id];
        TERMS(disk, frame)
        likelihood[id] = sum / count;
    }
}

// The offsets in local memory: at most 128.
#pragma gputune global particles
#pragma gputune local 128
__kernel void pfilter_local(int particles, int count, int width, int height,
                            __global const int *restrict disk,
                            __global const uchar *restrict frame,
                            __global const float *restrict xs,
                            __global const float *restrict ys,
                            __global float *restrict likelihood)
{
    __local int stage[256];
    const int id = get_global_id(0);
    for (int t = 0; t < 2 * count; t += 128)
        if (t + get_local_id(0) < 2 * count)
            stage[t + get_local_id(0)] = disk[t + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < particles) {
        const float x = xs[id], y = ys[id];
        TERMS(stage, frame)
        likelihood[id] = sum / count;
    }
}
