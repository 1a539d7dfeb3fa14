// An unmodified kernel made faster by one call: thread coarsening. The kernel stands here as in any
// sample, one work-item an element. gputune rewrites it so that a work-item does several elements,
// and finds out how many, which ones, and in what work-groups.
//
//     cc -std=c99 -O2 -I. examples/14_coarsen.c -o coarsen -lm
//     ./coarsen
//
// On two processor cores (PoCL) it prints:
//     tuned: FACTOR_X=8 STRIDE_X=1 GROUP_X=128 COARSEN_FORM=loop
//     as it stands 21.19 ms, tuned 2.096 ms: 10.11 times as fast, 35 trials
//     the best work-group alone 6.2773 ms, coarsened 2.3081 ms: 2.7196 times as fast
//     z is right
// The size is prime, and PoCL, left alone, takes groups of one item. Merging items pays on GPUs, on
// a third of sixteen kernels: bench/results/msp_h200_cuda.txt, rows `coarsening`.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <stdio.h>
#include <stdlib.h>

static const char source[] =
    "__kernel void norm(int n, __global const float *x, __global const float *y,\n"
    "                   __global float *z)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    z[i] = x[i] * x[i] + y[i] * y[i];\n"
    "}\n";

// What the work-group alone is worth: the same kernel, tuned with one element a work-item. Prints
// how much faster the coarsened one is.
static void print_share(gputune_device *device, gputune_kernel_desc desc, gputune_kernel *kernel,
                        const gputune_arg *args, int count)
{
    const char *const alone[] = { "FACTOR_X == 1", NULL };
    gputune_stats group, tuned;
    desc.require = alone;
    gputune_kernel *other = gputune_kernel_create(device, &desc);
    if (gputune_tune(other, args, count) == GPUTUNE_OK &&
        gputune_kernel_time(other, &gputune_kernel_outcome(other)->config, args, count, 51,
                            &group) == GPUTUNE_OK &&
        gputune_kernel_time(kernel, &gputune_kernel_outcome(kernel)->config, args, count, 51,
                            &tuned) == GPUTUNE_OK)
        printf("the best work-group alone %.5g ms, coarsened %.5g ms: %.4f times as fast\n",
               group.median * 1e3, tuned.median * 1e3, group.median / tuned.median);
    else
        puts(gputune_kernel_error(other)->text);
    gputune_kernel_destroy(other);
}

int main(void)
{
    const int n = 3000017; // a prime: left alone, drivers find no work-group that divides it
    const size_t bytes = (size_t)n * sizeof(float);
    float *host = (float *)malloc(bytes);
    if (!host) return 1;
    for (int i = 0; i < n; i++) host[i] = (float)(i % 100);
    const gputune_cl_desc opened = { .options.tuning_seconds = 60 }; // both tunings have their 20 s
    gputune_device *device = gputune_cl_device_create(&opened);
    void *x = gputune_buffer_create(device, bytes, host);
    void *y = gputune_buffer_create(device, bytes, host);
    void *z = gputune_buffer_create(device, bytes, NULL);

    gputune_kernel_desc desc = { .source = source, .name = "norm", .global = "n" };
    desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
    desc.tune.budget.seconds = 20;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    gputune_arg args[] = { gputune_int(n), gputune_in(x, bytes), gputune_in(y, bytes),
                           gputune_out(z, bytes) };
    int wrong = gputune_run(kernel, args, 4) != GPUTUNE_OK;
    if (wrong) {
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    } else {
        const gputune_outcome *o = gputune_kernel_outcome(kernel);
        char text[256];
        printf("%s: %s\n", o->origin == GPUTUNE_FROM_STORE ? "known from an earlier run" : "tuned",
               gputune_config_text(&o->config, text, sizeof text));
        printf("as it stands %.4g ms, tuned %.4g ms: %.4g times as fast, %d trials\n",
               o->default_stats.median * 1e3, o->best_stats.median * 1e3, o->speedup, o->trials);
        print_share(device, desc, kernel, args, 4);
        wrong = gputune_buffer_read(device, z, 0, host, bytes) != GPUTUNE_OK;
    }
    for (int i = 0; i < n && !wrong; i++) wrong = host[i] != (float)(2 * (i % 100) * (i % 100));
    puts(wrong ? "z is wrong" : "z is right");

    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, x);
    gputune_buffer_destroy(device, y);
    gputune_buffer_destroy(device, z);
    gputune_device_destroy(device);
    free(host);
    return wrong;
}
