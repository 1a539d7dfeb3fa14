// heat_cl_before.c with gputune: the kernel is the same file, its settings are the defaults.
//
//     cc -std=c99 -O2 -I../.. heat_cl_after.c -o after -lOpenCL -lm; ./after
//
// On an NVIDIA H200 it prints:
//     ten points from the left: 3.7663
//     3.81 x: WIDTH=128 ROWS=4 (43.2 us, default 164), 24 trials in 1.4 s
#include <stdio.h>
#include <stdlib.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

enum { STEPS = 100 };

int main(void)
{
    const cl_int n = 4096;
    const size_t bytes = sizeof(float) * n * n;
    float *plate = (float *)calloc(1, bytes);
    if (!plate) return 1;
    for (int i = 0; i < n; i++) plate[(size_t)i * n] = 100; // the left edge is hot
    cl_platform_id platforms[8];
    cl_device_id gpu = NULL;
    cl_uint count = 0;
    clGetPlatformIDs(8, platforms, &count);
    for (cl_uint i = 0; i < count && i < 8 && !gpu; i++)
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_GPU, 1, &gpu, NULL);
    if (!gpu && count) clGetDeviceIDs(platforms[0], CL_DEVICE_TYPE_ALL, 1, &gpu, NULL);
    cl_context context = clCreateContext(NULL, 1, &gpu, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, gpu, 0, NULL);
    cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes, plate, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, NULL);

    gputune_device *device = gputune_cl_device(queue);
    const gputune_param params[] = {
        { .name = "WIDTH", .values = "erange 16,512,2" }, // 16, 32, 64, ... 512
        { .name = "ROWS", .values = "set 1,2,4,8" }, { 0 } };
    const gputune_kernel_desc desc = { .file = "heat.cl", .name = "heat", .params = params,
                                       .compiler_options = "-DWIDTH=64 -DROWS=1", // the defaults
                                       .global = "n, ceil_div(n, ROWS)", .local = "WIDTH, 1" };
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    for (int step = 0; step < STEPS; step++) {
        const gputune_arg args[] = { gputune_int(n), gputune_in(from, bytes),
                                     gputune_out(to, bytes) };
        if (gputune_run(kernel, args, 3) != GPUTUNE_OK)
            return puts(gputune_kernel_error(kernel)->text), 1;
        cl_mem swapped = from;
        from = to;
        to = swapped;
    }
    clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, plate, 0, NULL, NULL);
    printf("ten points from the left: %.4f\n", plate[(size_t)n / 2 * n + 10]);
    puts(gputune_kernel_outcome(kernel)->text);
    return 0;
}
