// Quick start: a kernel says what may be tuned, and the program tunes it on its first run.
//
//     cc -std=c99 -O2 -I. examples/01_row_sums.c -o row_sums -lm
//     ./row_sums
//
// On two processor cores (PoCL) it prints:
//     4.25 x: LANES=1 (6.34 ms, default 26.9), 4 trials in 6.3 s
//     the sums are right
// and when it is started again:
//     4.25 x: LANES=1 (6.34 ms, default 26.9), from the store
//     the sums are right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <stdio.h>
#include <stdlib.h>

// The value after LANES is the default, as many as a warp of an NVIDIA GPU has. Without gputune it
// is the same kernel.
static const char source[] =
    "#pragma gputune set 1,4,8,32\n"
    "#define LANES 32 // work-items that add up one row\n"
    "#pragma gputune global rows * LANES\n"
    "#pragma gputune local 256\n"
    "__kernel void row_sums(int rows, int width, __global const float *in, __global float *out)\n"
    "{\n"
    "    __local float sum[256];\n"
    "    int me = get_local_id(0), lane = me % LANES, row = get_global_id(0) / LANES, i = lane;\n"
    "    for (sum[me] = 0; i < width && row < rows; i += LANES) sum[me] += in[row * width + i];\n"
    "    for (int step = LANES / 2; step > 0; step /= 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (lane < step) sum[me] += sum[me + step];\n"
    "    }\n"
    "    if (lane == 0 && row < rows) out[row] = sum[me];\n"
    "}\n";

int main(void)
{
    const int rows = 1 << 17, width = 64;
    const size_t count = (size_t)rows * width, in_bytes = count * sizeof(float);
    const size_t out_bytes = (size_t)rows * sizeof(float);
    float *host = (float *)malloc(in_bytes), *sums = (float *)malloc(out_bytes);
    if (!host || !sums) return 1;
    for (size_t i = 0; i < count; i++) host[i] = (float)(i % 1000);
    gputune_device *device = gputune_cl_device(NULL);
    void *in = gputune_buffer_create(device, in_bytes, host);
    void *out = gputune_buffer_create(device, out_bytes, NULL);

    gputune_kernel_desc desc = { 0 }; // field by field: for C++ before C++20
    desc.source = source;
    desc.name = "row_sums";
    desc.tune.problem = "rows, width"; // another length of rows is tuned for itself
    desc.tune.progress = gputune_progress_bar;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    gputune_arg args[] = { gputune_int(rows), gputune_int(width), gputune_in(in, in_bytes),
                           gputune_out(out, out_bytes) };
    int wrong = gputune_run(kernel, args, 4) != GPUTUNE_OK;
    puts(gputune_kernel_outcome(kernel)->text); // or what went wrong
    wrong = wrong || gputune_buffer_read(device, out, 0, sums, out_bytes) != GPUTUNE_OK;
    for (size_t row = 0; row < (size_t)rows && !wrong; row++) {
        float sum = 0; // of whole numbers: exact, in whatever order they are added
        for (size_t i = 0; i < (size_t)width; i++) sum += host[row * (size_t)width + i];
        wrong = sums[row] != sum;
    }
    puts(wrong ? "the sums are wrong" : "the sums are right");

    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, in);
    gputune_buffer_destroy(device, out);
    gputune_device_destroy(device);
    free(host);
    free(sums);
    return wrong;
}
