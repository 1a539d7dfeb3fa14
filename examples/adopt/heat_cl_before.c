// A program with OpenCL before gputune: a kernel from a file, its settings by -D, a loop that swaps
// two buffers. heat_cl_after.c is what becomes of it; the README shows the difference.
//
//     cc -std=c99 -O2 heat_cl_before.c -o before -lOpenCL; ./before
#include <stdio.h>
#include <stdlib.h>

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

enum { STEPS = 100 };

static cl_kernel build(cl_context context, const char *path, const char *options)
{
    static char text[10000];
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *source = text;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    clBuildProgram(program, 0, NULL, options, NULL, NULL);
    return clCreateKernel(program, "heat", NULL);
}

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

    cl_kernel kernel = build(context, "heat.cl", "-DWIDTH=64 -DROWS=1");
    const size_t global[] = { (size_t)n, (size_t)n }, local[] = { 64, 1 };
    for (int step = 0; step < STEPS; step++) {
        clSetKernelArg(kernel, 0, sizeof n, &n);
        clSetKernelArg(kernel, 1, sizeof from, &from);
        clSetKernelArg(kernel, 2, sizeof to, &to);
        clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL);
        cl_mem swapped = from;
        from = to;
        to = swapped;
    }
    clEnqueueReadBuffer(queue, from, CL_TRUE, 0, bytes, plate, 0, NULL, NULL);
    printf("ten points from the left: %.4f\n", plate[(size_t)n / 2 * n + 10]);
    return 0;
}
