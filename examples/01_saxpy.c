// Quick start: a kernel says what may be tuned, and the program tunes it on its first run.
//
//     cc -std=c99 -O2 -I. examples/01_saxpy.c -o saxpy -lm
//     ./saxpy
//
// On two processor cores (PoCL) it prints:
//     default   9.406 ms
//     speed-up  2.88, found in 20 trials, 12.1 s
//     stored in /home/me/.local/state/gputune/store.txt
//     best      3.266 ms with BLOCK=128 ITEMS=256
//     y is right
// and when it is started again:
//     nothing to tune: known from an earlier run
//     best      5.219 ms with BLOCK=128 ITEMS=256
//     y is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <stdio.h>
#include <stdlib.h>

// The values after BLOCK and ITEMS are the defaults; without gputune this is the same kernel.
static const char source[] =
    "#pragma gputune erange 32,256,2 // 32, 64, ... 256\n"
    "#define BLOCK 128\n"
    "#pragma gputune erange 1,256,4 // 1, 4, ... 256\n"
    "#define ITEMS 1\n"
    "#pragma gputune require BLOCK <= max_group_size\n"
    "#pragma gputune global ceil_div(n, ITEMS)\n"
    "#pragma gputune local BLOCK\n"
    "__kernel void saxpy(int n, float a, __global const float *x, __global float *y)\n"
    "{\n"
    "    const int first = get_global_id(0) * ITEMS;\n"
    "    for (int i = first; i < first + ITEMS && i < n; i++) y[i] += a * x[i];\n"
    "}\n";

static bool progress(void *user, const gputune_progress *p)
{
    (void)user;
    fprintf(stderr, "\r%s: %d of %d, best %.3f ms, %.0f s left ", p->phase, p->trials,
            p->trials_planned, p->best_value * 1e3, p->eta > 0 ? p->eta : 0);
    return true; // false would stop here and keep the best so far
}

static void report(gputune_kernel *kernel, const gputune_arg *args)
{
    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    gputune_stats now = o->best_stats;
    char text[256];
    if (o->origin != GPUTUNE_FROM_STORE) {
        fprintf(stderr, "\n");
        printf("default   %.3f ms\n", o->default_stats.median * 1e3);
        printf("speed-up  %.2f, found in %d trials, %.1f s\n", o->speedup, o->trials, o->seconds);
        printf("stored in %s\n", o->store ? o->store : "(nowhere)");
    } else {
        printf("nothing to tune: known from an earlier run\n");
        gputune_time_config(kernel, &o->config, args, 4, 11, &now);
    }
    printf("best      %.3f ms with %s\n", now.median * 1e3,
           gputune_config_text(&o->config, text, sizeof text));
}

int main(void)
{
    const int n = 1 << 23;
    const size_t bytes = (size_t)n * sizeof(float);
    float *host = (float *)malloc(bytes);
    if (!host) return 1;
    gputune_device *device = gputune_cl_device(NULL);
    for (int i = 0; i < n; i++) host[i] = (float)(i % 1000);
    void *x = gputune_buffer(device, bytes, host);
    for (int i = 0; i < n; i++) host[i] = 1;
    void *y = gputune_buffer(device, bytes, host);

    gputune_kernel_desc desc = { .source = source, .name = "saxpy", .tune.progress = progress };
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    gputune_arg args[] = { gputune_int(n), gputune_float(2), gputune_in(x, bytes),
                           gputune_inout(y, bytes) };
    int wrong = gputune_run(kernel, args, 4) != GPUTUNE_OK; // once: y is 2x + 1 afterwards
    if (wrong)
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    else
        report(kernel, args);
    wrong = wrong || gputune_buffer_read(device, y, host, bytes) != GPUTUNE_OK;
    for (int i = 0; i < n && !wrong; i++) wrong = host[i] != 2 * (float)(i % 1000) + 1;
    puts(wrong ? "y is wrong" : "y is right");

    gputune_kernel_destroy(kernel);
    gputune_buffer_free(device, x);
    gputune_buffer_free(device, y);
    gputune_device_destroy(device);
    free(host);
    return wrong;
}
