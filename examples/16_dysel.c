// Several kernels for one job, and the first launch finds out which is best: how many points lie
// near each of many places, with a work-item a place or with 64 work-items a place. It depends on
// the device and on how many places there are, so on data that only the running program has. Each
// kernel does a small part of the launch, and the faster one the rest.
//
//     cc -std=c99 -O2 -I. examples/16_dysel.c -o dysel -lm
//     ./dysel
//
// On two processor cores (PoCL) it prints:
//     the pool near: 6000000 places, 100000 points
//       near_scalar: 0.116 million places/s
//       near_group: 0.011 million places/s
//       near_scalar: 4 parts of at most 512 units, rounds: 1; hybrid: variant
//         near_scalar: no global atomics; 5.51e+04 ms, 3.2e+03 of them for profiling
//       the output is right
//     the pool near: 20000 places, 400000 points
//       near_scalar: 0.0672 million places/s
//       near_group: 0.00398 million places/s
//       near_scalar: 4 parts of at most 511 units, rounds: 1; hybrid: variant
//         near_scalar: no global atomics; 771 ms, 4.7e+02 of them for profiling
//       the output is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef KERNELS
#define KERNELS "examples/kernels" // the folder, as seen from where the program is started
#endif

static void print_pool(const gputune_pool_report *o)
{
    for (const gputune_variant_report *v = o->variants; v->name; v++) {
        printf("  %s: ", v->name);
        if (v->rate > 0) // NaN: it had no part yet, or was passed over
            printf("%.3g million places/s", v->rate * 1e-6);
        else
            printf("not measured");
        printf("%s%s\n", *v->reason ? ", passed over: " : "", v->reason);
    }
    printf("  %s\n", o->text);
}

// A hundred of the results, beside plain C.
static bool right(const float *x, int places, const float *p, int points, const int *counts)
{
    for (int n = 0; n < 100; n++) {
        const int i = (int)((double)places * n / 100);
        int count = 0;
        for (int k = 0; k < points; k++) count += fabsf(x[i] - p[k]) < 1;
        if (counts[i] != count) return false;
    }
    return true;
}

static float *spread(int count, float width)
{
    float *values = (float *)malloc((size_t)count * sizeof *values);
    uint32_t random = 1;
    if (!values) exit(1);
    for (int i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        values[i] = width * (float)(random >> 8) / (float)(1 << 24);
    }
    return values;
}

// One launch of the pool; what it did.
static bool run(gputune_pool *pool, gputune_device *device, int places, int points)
{
    const size_t x_bytes = (size_t)places * sizeof(float), p_bytes = (size_t)points * sizeof(float);
    float *x = spread(places, 100), *p = spread(points, 100);
    void *xs = gputune_buffer_create(device, x_bytes, x);
    void *ps = gputune_buffer_create(device, p_bytes, p);
    void *out = gputune_buffer_create(device, x_bytes, NULL);
    int *counts = (int *)malloc(x_bytes);
    const gputune_arg args[] = { gputune_int(places), gputune_int(points), gputune_in(xs, x_bytes),
                                 gputune_in(ps, p_bytes), gputune_out(out, x_bytes) };
    bool ok = gputune_pool_run(pool, args, 5) == GPUTUNE_OK &&
              gputune_buffer_read(device, out, 0, counts, x_bytes) == GPUTUNE_OK;
    if (ok) {
        printf("the pool near: %d places, %d points\n", places, points);
        print_pool(gputune_pool_outcome(pool));
        ok = right(x, places, p, points, counts);
        puts(ok ? "  the output is right" : "  the output is wrong");
    } else {
        const char *why = gputune_pool_error(pool)->text;
        fprintf(stderr, "the pool near: %s\n", *why ? why : gputune_device_error(device)->text);
    }
    gputune_buffer_destroy(device, xs);
    gputune_buffer_destroy(device, ps);
    gputune_buffer_destroy(device, out);
    free(x);
    free(p);
    free(counts);
    return ok;
}

int main(void)
{
    gputune_device *device = gputune_cl_device(NULL);
    const bool gpu = gputune_device_limits(device)->is_gpu != 0;

    const char *file = KERNELS "/near.cl";
    gputune_kernel_desc ways[] = { { .file = file, .name = "near_scalar", .group_units = "64" },
                                   { .file = file, .name = "near_group", .group_units = "1" },
                                   { 0 } }; // places of a work-group
    gputune_pool_desc desc = { .kernels = ways, .units = "places" };
    gputune_pool *pool = gputune_pool_create(device, &desc);
    // PoCL compiles a kernel at its first launch: 1.5 s, which count for profiling.
    const bool ok = run(pool, device, gpu ? 32000000 : 6000000, gpu ? 200000 : 100000) &&
                    run(pool, device, gpu ? 80000 : 20000, gpu ? 20000000 : 400000);
    gputune_pool_destroy(pool);
    gputune_device_destroy(device);
    return !ok;
}
