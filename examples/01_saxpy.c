// Quick start: a kernel says what may be tuned, and the program tunes it on its first run.
//
//     cc -std=c99 -O2 -I. examples/01_saxpy.c -o saxpy -lm
//     ./saxpy
//
// On two processor cores (PoCL) it prints:
//     2.91 x: BLOCK=128 ITEMS=16 (1.94 ms, default 5.65), 20 trials in 4.8 s
//     y is right
// and when it is started again:
//     2.91 x: BLOCK=128 ITEMS=16 (1.94 ms, default 5.65), from the store
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

int main(void)
{
    const int n = 1 << 23;
    const size_t bytes = (size_t)n * sizeof(float);
    float *host = (float *)malloc(bytes);
    if (!host) return 1;
    gputune_device *device = gputune_cl_device(NULL);
    for (int i = 0; i < n; i++) host[i] = (float)(i % 1000);
    void *x = gputune_buffer_create(device, bytes, host);
    for (int i = 0; i < n; i++) host[i] = 1;
    void *y = gputune_buffer_create(device, bytes, host);

    gputune_kernel_desc desc = { .source = source, .name = "saxpy" };
    desc.tune.progress = gputune_progress_bar;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    gputune_arg args[] = { gputune_int(n), gputune_float(2), gputune_in(x, bytes),
                           gputune_inout(y, bytes) };
    int wrong = gputune_run(kernel, args, 4) != GPUTUNE_OK; // once: y is 2x + 1 afterwards
    puts(gputune_kernel_outcome(kernel)->text); // or what went wrong
    wrong = wrong || gputune_buffer_read(device, y, 0, host, bytes) != GPUTUNE_OK;
    for (int i = 0; i < n && !wrong; i++) wrong = host[i] != 2 * (float)(i % 1000) + 1;
    puts(wrong ? "y is wrong" : "y is right");

    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, x);
    gputune_buffer_destroy(device, y);
    gputune_device_destroy(device);
    free(host);
    return wrong;
}
