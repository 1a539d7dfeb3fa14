// One kernel, two problems: a sum in two launches, first of many segments, then of the segments'
// sums. What is best for millions of numbers is not what is best for a few dozen: each launch is
// tuned for its own arguments, and each answer is remembered.
//
//     cc -std=c99 -O2 -I. examples/05_reduction.c -o reduction -lm
//     ./reduction
//
// On two processor cores (PoCL) it prints:
//     n=2^23 length=65536: default 17.2812 ms, best 2.1787 ms
//         with BLOCK=32 VECTOR=2 ITEMS=2 STRIDED=0 SERIAL=8 UNROLL=0
//     n=2^7 length=128: default 0.0117 ms, best 0.0042 ms
//         with BLOCK=32 VECTOR=2 ITEMS=1 STRIDED=1 SERIAL=32 UNROLL=0
//     sum 4244614.0, expected 4244614.1
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

// Sums of the segments of x, each of `length` numbers; one line about it.
static bool reduce(gputune_kernel *kernel, int n, int length, void *x, void *sums)
{
    const size_t segments = ((size_t)n + (size_t)length - 1) / (size_t)length;
    const gputune_arg args[] = { gputune_int(n), gputune_int(length),
                                 gputune_in(x, (size_t)n * sizeof(float)),
                                 gputune_out(sums, segments * sizeof(float)) };
    const bool ok = gputune_run(kernel, args, 4) == GPUTUNE_OK;
    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    char text[256];
    fprintf(stderr, "\n");
    if (ok)
        printf("%s: default %.4f ms, best %.4f ms\n    with %s\n", o->problem,
               o->default_stats.median * 1e3, o->best_stats.median * 1e3,
               gputune_config_text(&o->config, text, sizeof text));
    else
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    return ok;
}

int main(void)
{
    const example_case *kind = case_find("reduction");
    gputune_device *device = gputune_cl_device(NULL);
    const int n = case_size(kind, device)[0], length = case_size(kind, device)[1];
    const int segments = (n + length - 1) / length;
    float *x = (float *)malloc((size_t)n * sizeof(float)), sum = 0;
    double expected = 0;
    for (int i = 0; x && i < n; i++) {
        x[i] = (float)(i % 1013) * 0.001f;
        expected += (double)x[i];
    }
    void *bx = gputune_buffer_create(device, (size_t)n * sizeof(float), x);
    void *bsums = gputune_buffer_create(device, (size_t)segments * sizeof(float), NULL);
    void *bsum = gputune_buffer_create(device, sizeof(float), NULL);

    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){ .file = kind->file,
                                        .name = "reduction",
                                        .tune.budget.seconds = 15,
                                        .tune.progress = gputune_progress_bar });
    bool ok = x && bx && bsums && bsum && reduce(kernel, n, length, bx, bsums) &&
              reduce(kernel, segments, (segments + 15) / 16 * 16, bsums, bsum) &&
              gputune_buffer_read(device, bsum, 0, &sum, sizeof sum) == GPUTUNE_OK;
    printf("sum %.1f, expected %.1f\n", (double)sum, expected);
    ok = ok && fabs((double)sum - expected) < 1e-5 * expected;
    if (!ok) fprintf(stderr, "%s\n", gputune_device_error(device)->text);

    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, bx);
    gputune_buffer_destroy(device, bsums);
    gputune_buffer_destroy(device, bsum);
    gputune_device_destroy(device);
    free(x);
    return !ok;
}
