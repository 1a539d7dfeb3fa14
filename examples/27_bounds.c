// Why is a kernel as fast as it is, and how much is left? Three kernels, one bound by memory, one
// by arithmetic, one by latency, beside what the device can do. How to read it: examples/README.md.
//
//     cc -std=c99 -O2 -I. examples/27_bounds.c -o bounds -lm
//     ./bounds         from the project's folder: the kernels are examples/kernels/bounds.cl
//
// .work says what a launch needs at least; the search ends where nothing is left to gain.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const kernels[][2] = {
    { "triad", "bytes = 12.0 * n; flops = 2.0 * n" },
    { "powers", "bytes = 8.0 * n; flops = 512.0 * n" },
    { "walk", "bytes = 4.0 * 1000 * 1024; flops = 1000 * 1024" },
};

int main(void)
{
    gputune_device *device = gputune_cl_device(NULL);
    const int n = gputune_device_limits(device)->is_gpu ? 1 << 27 : 1 << 22;
    const size_t bytes = (size_t)n * sizeof(float);
    float *host = (float *)malloc(2 * bytes);
    if (!host) return 1;
    for (int i = 0; i < 2 * n; i++) host[i] = (float)(i % 1000) * 1e-3f;
    void *x = gputune_buffer_create(device, 2 * bytes, host);
    void *y = gputune_buffer_create(device, bytes, NULL);
    gputune_figures f;
    bool ok = gputune_device_figures(device, &f) == GPUTUNE_OK;
    if (!ok) fprintf(stderr, "%s\n", gputune_device_error(device)->text);
    if (ok)
        printf("%s: %.0f GB/s from memory, %.0f within %.0f MB; %.1f Tflop/s (double %.1f); a "
               "launch %.1f us\n",
               gputune_device_limits(device)->name, f.memory_bandwidth / 1e9,
               f.cache_bandwidth / 1e9, f.cache_bytes / 1e6, f.flops / 1e12, f.double_flops / 1e12,
               f.launch * 1e6);
    for (int i = 0; i < 3 && ok; i++) {
        gputune_kernel_desc desc = { .file = "examples/kernels/bounds.cl", .name = kernels[i][0] };
        desc.work = kernels[i][1];
        desc.tune.budget.seconds = 5;
        gputune_kernel *kernel = gputune_kernel_create(device, &desc);
        gputune_arg args[] = { gputune_int(n), gputune_in(x, 2 * bytes), gputune_out(y, bytes) };
        ok = gputune_run(kernel, args, 3) == GPUTUNE_OK;
        printf("%s: %s\n", desc.name, gputune_kernel_outcome(kernel)->text);
        const gputune_bounds *b = ok ? gputune_kernel_explain(kernel, args, 3, NULL) : NULL;
        if (b) // a roofline's dot: operations a byte, operations a second
            printf("    %s\n    %.3g flop a byte, %.3g Gflop/s of at most %.3g\n", b->text,
                   b->flops / b->bytes, b->flops / b->seconds / 1e9, b->flops / b->least / 1e9);
        ok = b != NULL;
        if (!ok) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
        gputune_kernel_destroy(kernel);
    }
    gputune_buffer_destroy(device, x);
    gputune_buffer_destroy(device, y);
    gputune_device_destroy(device);
    free(host);
    return !ok;
}
