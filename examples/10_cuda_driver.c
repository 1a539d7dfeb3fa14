// A program that uses CUDA's driver API: its own context, stream and memory, on which gputune
// works. The kernel is CUDA C in a file; where gputune_run stands, a cuLaunchKernel stood before.
//
//     cc -std=c99 -O2 -I. -I/usr/local/cuda/include examples/10_cuda_driver.c -o heat -lcuda -lm
//     ./heat
//
// On an NVIDIA H200 it prints:
//     tuned: 108 trials
//     1.59 times the default's speed: 0.159 ms with WIDTH=128 HEIGHT=1 ROWS=4
//     the plate is right
#include <cuda.h>

#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8192, STEPS = 100 };

static void must(CUresult result)
{
    const char *text = "unknown error";
    if (result == CUDA_SUCCESS) return;
    cuGetErrorString(result, &text);
    fprintf(stderr, "CUDA: %s\n", text);
    exit(1);
}

// The plate is hot at the left edge, so all its rows are alike: one is computed here. Bit by bit.
static bool is_right(const float *plate)
{
    static float row[N], next[N];
    row[0] = 100;
    for (int step = 0; step < STEPS; step++) {
        for (int x = 0; x < N; x++) {
            const float left = row[x > 0 ? x - 1 : x], right = row[x < N - 1 ? x + 1 : x];
            next[x] = (left + right + row[x] + row[x]) / 4;
        }
        memcpy(row, next, sizeof row);
    }
    for (size_t y = 0; y < N; y++)
        if (memcmp(plate + y * N, row, sizeof row) != 0) return false;
    return true;
}

int main(void)
{
    const size_t bytes = sizeof(float) * N * N;
    float *plate = (float *)calloc(1, bytes);
    CUdevice gpu;
    CUcontext context;
    CUstream stream;
    CUdeviceptr from, to;
    if (!plate) return 1;
    for (size_t y = 0; y < N; y++) plate[y * N] = 100;
    must(cuInit(0));
    must(cuDeviceGet(&gpu, 0));
    must(cuDevicePrimaryCtxRetain(&context, gpu));
    must(cuCtxSetCurrent(context));
    must(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    must(cuMemAlloc(&from, bytes));
    must(cuMemAlloc(&to, bytes));
    must(cuMemcpyHtoDAsync(from, plate, bytes, stream));

    gputune_device *device =
        gputune_cuda_device_create(&(gputune_cuda_desc){ .context = context, .stream = stream });
    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){ .file = "examples/kernels/heat.cu", .name = "heat" });
    for (int step = 0; step < STEPS; step++) { // the first tunes, on copies of the plate
        gputune_arg args[] = { gputune_int(N), gputune_in(gputune_cuda_pointer(from), bytes),
                               gputune_out(gputune_cuda_pointer(to), bytes) };
        if (gputune_run(kernel, args, 3) != GPUTUNE_OK)
            return fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text), 1;
        const CUdeviceptr swapped = from;
        from = to;
        to = swapped;
    }
    must(cuMemcpyDtoHAsync(plate, from, bytes, stream));
    must(cuStreamSynchronize(stream)); // the steps and the copy

    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    char text[128];
    printf("%s: %d trials\n", o->origin == GPUTUNE_FROM_STORE ? "known" : "tuned", o->trials);
    printf("%.2f times the default's speed: %.3f ms with %s\n", o->speedup,
           o->best_stats.median * 1e3, gputune_config_text(&o->config, text, sizeof text));
    const bool right = is_right(plate);
    puts(right ? "the plate is right" : "the plate is wrong");

    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    cuMemFree(from);
    cuMemFree(to);
    cuStreamDestroy(stream);
    cuDevicePrimaryCtxRelease(gpu);
    free(plate);
    return !right;
}
