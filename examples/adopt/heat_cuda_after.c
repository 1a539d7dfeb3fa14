// heat_cuda_before.c with gputune: the kernel is the same file, its settings are the defaults.
//
//     cc -std=c99 -O2 -I../.. -I/usr/local/cuda/include heat_cuda_after.c -o after -lcuda -lm
//     ./after
//
// On an NVIDIA H200 it prints:
//     ten points from the left: 3.7663
//     3.97 x: WIDTH=128 ROWS=4 (161 us, default 638), 24 trials in 0.9 s
#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>

#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

enum { STEPS = 100 };

int main(void)
{
    int n = 8192;
    const size_t bytes = sizeof(float) * n * n;
    float *plate = (float *)calloc(1, bytes);
    CUdevice gpu;
    CUcontext context;
    CUstream stream;
    CUdeviceptr from, to;
    if (!plate || cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&gpu, 0) != CUDA_SUCCESS) return 1;
    for (int i = 0; i < n; i++) plate[(size_t)i * n] = 100; // the left edge is hot
    cuDevicePrimaryCtxRetain(&context, gpu);
    cuCtxSetCurrent(context);
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
    cuMemAlloc(&from, bytes);
    cuMemAlloc(&to, bytes);
    cuMemcpyHtoD(from, plate, bytes);

    gputune_device *device = gputune_cuda_device(stream);
    const gputune_param params[] = {
        { .name = "WIDTH", .values = "erange 16,512,2" }, // 16, 32, 64, ... 512
        { .name = "ROWS", .values = "set 1,2,4,8" }, { 0 } };
    const gputune_kernel_desc desc = { .file = "heat.cu", .name = "heat", .params = params,
                                       .compiler_options = "-DWIDTH=64 -DROWS=1", // the defaults
                                       .global = "n, ceil_div(n, ROWS)", .local = "WIDTH, 1" };
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    for (int step = 0; step < STEPS; step++) {
        const gputune_arg args[] = { gputune_int(n),
                                     gputune_in(gputune_cuda_pointer(from), bytes),
                                     gputune_out(gputune_cuda_pointer(to), bytes) };
        if (gputune_run(kernel, args, 3) != GPUTUNE_OK)
            return puts(gputune_kernel_error(kernel)->text), 1;
        CUdeviceptr swapped = from;
        from = to;
        to = swapped;
    }
    cuStreamSynchronize(stream);
    cuMemcpyDtoH(plate, from, bytes);
    printf("ten points from the left: %.4f\n", plate[(size_t)n / 2 * n + 10]);
    puts(gputune_kernel_outcome(kernel)->text);
    return 0;
}
