// The swap kernel of k-means (jia-starchart, figure 1a): points with their features side by side
// become features with their points side by side.

// Points of a block.
#pragma gputune range 1,1024
#define PPB 256
// Threads that share a point.
#pragma gputune range 1,32
#define TPP 1
// A point's threads take neighbouring features; else each takes a stretch of its own.
#pragma gputune bool
#define CONSEC 1
#pragma gputune require PPB * TPP <= min(1024, max_group_size)

// Table II, where the driver makes parameters of them (CUDA): the most registers a thread may use
// before it spills, and whether what is read goes through the L1 cache.
#ifndef NREG
#define NREG 255
#endif
#ifndef USE_L1
#define USE_L1 1
#endif
#ifdef __CUDACC__
#define REGISTERS __attribute__((maxnreg(NREG)))
#define LOAD(from) (USE_L1 ? *(from) : __ldcg(from))
#else
#define REGISTERS
#define LOAD(from) *(from)
#endif

#define EACH ((features + TPP - 1) / TPP)

#pragma gputune global ceil_div(points, PPB) * PPB * TPP
#pragma gputune local PPB * TPP
__kernel REGISTERS void kmeans(int points, int features, __global const float *from,
                               __global float *to)
{
    const int thread = get_global_id(0), point = thread / TPP, part = thread % TPP;
    if (point < points)
        for (int i = 0; i < EACH; i++) {
#if CONSEC
            const int k = TPP * i + part;
#else
            const int k = EACH * part + i;
#endif
            if (k < features)
                to[k * points + point] = LOAD(from + point * features + k);
        }
}
