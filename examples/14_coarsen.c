// An unmodified kernel made faster by one call: thread coarsening. The kernel stands here as in any
// sample, one work-item an element. gputune rewrites it so that a work-item does several elements,
// and finds out how many, which ones, and in what work-groups.
//
//     cc -std=c99 -O2 -I. examples/14_coarsen.c -o coarsen -lm
//     ./coarsen
//
// On two processor cores (PoCL) it prints:
//     tuned: FACTOR_X=1 STRIDE_X=1 GROUP_X=128
//     as it stands 15.27 ms, tuned 1.01 ms: 15.07 times as fast, 252 trials
//     all of that is the work-group
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

// The fastest trial whose items do the work of one: what the work-group alone is worth.
static const gputune_trial *not_coarsened(const gputune_kernel *kernel)
{
    const gputune_trial *best = NULL;
    const gputune_trial *t;
    for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        if (t->result == GPUTUNE_OK && gputune_config_int(&t->config, "FACTOR_X") == 1 &&
            (!best || t->value < best->value))
            best = t;
    }
    return best; // NULL: known from an earlier run
}

int main(void)
{
    const int n = 3000017; // a prime: left alone, drivers find no work-group that divides it
    const size_t bytes = (size_t)n * sizeof(float);
    float *host = (float *)malloc(bytes);
    if (!host) return 1;
    for (int i = 0; i < n; i++) host[i] = (float)(i % 100);
    gputune_device *device = gputune_cl_device(NULL);
    void *x = gputune_buffer_create(device, bytes, host);
    void *y = gputune_buffer_create(device, bytes, host);
    void *z = gputune_buffer_create(device, bytes, NULL);

    gputune_kernel_desc desc = { .source = source, .name = "norm", .global = "n" };
    desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
    desc.tune.budget.seconds = 30;
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
        printf("as it stands %.2f ms, tuned %.2f ms: %.2f times as fast, %d trials\n",
               o->default_stats.median * 1e3, o->best_stats.median * 1e3, o->speedup, o->trials);
        const gputune_trial *group = not_coarsened(kernel);
        gputune_stats stats;
        if (gputune_config_int(&o->config, "FACTOR_X") == 1)
            printf("all of that is the work-group\n");
        else if (group &&
                 gputune_kernel_time(kernel, &group->config, args, 4, 15, &stats) == GPUTUNE_OK)
            printf("best work-group, not coarsened: %.2f ms\n", stats.median * 1e3);
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
