// A program that has its own OpenCL context, queue and buffers. gputune finds the values on that
// queue; compiling and launching with them stays with the program.
//
//     cc -std=c99 -O2 -I. examples/09_own_queue.c -o own_queue -lOpenCL -lm
//     ./own_queue
//
// On two processor cores (PoCL) it prints:
//     #define WIDTH 256
//     #define HEIGHT 1
//     // 2.10 times the default's speed
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <stdio.h>

#define N 2000

// One step of a heat flow over an n x n plate. What is tuned is the shape of a group.
static const char source[] =
    "#pragma gputune erange 1,256,2\n"
    "#define WIDTH 16\n"
    "#pragma gputune erange 1,256,2\n"
    "#define HEIGHT 16\n"
    "#pragma gputune require WIDTH * HEIGHT >= 32 && WIDTH * HEIGHT <= 256\n"
    "#pragma gputune global n, n\n"
    "#pragma gputune local WIDTH, HEIGHT\n"
    "__kernel void heat(int n, __global const float *from, __global float *to)\n"
    "{\n"
    "    const int x = get_global_id(0), y = get_global_id(1), i = y * n + x;\n"
    "    if (x >= n || y >= n) return;\n"
    "    const int left = max(x - 1, 0) - x, right = min(x + 1, n - 1) - x;\n"
    "    const int up = (max(y - 1, 0) - y) * n, down = (min(y + 1, n - 1) - y) * n;\n"
    "    to[i] = (from[i + left] + from[i + right] + from[i + up] + from[i + down]) / 4;\n"
    "}\n";

// The program's own way from a text to a launch.
static cl_int launch(cl_command_queue queue, cl_context context, const char *text,
                     const size_t local[2], cl_mem from, cl_mem to)
{
    const cl_int n = N;
    const size_t global[2] = { (N + local[0] - 1) / local[0] * local[0],
                               (N + local[1] - 1) / local[1] * local[1] };
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
    clBuildProgram(program, 0, NULL, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "heat", NULL);
    clSetKernelArg(kernel, 0, sizeof n, &n);
    clSetKernelArg(kernel, 1, sizeof from, &from);
    clSetKernelArg(kernel, 2, sizeof to, &to);
    const cl_int status = clEnqueueNDRangeKernel(queue, kernel, 2, 0, global, local, 0, 0, 0);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return status;
}

int main(void)
{
    static float plate[N * N]; // hot on the left, cold elsewhere
    for (int y = 0; y < N; y++) plate[y * N] = 100;
    cl_platform_id platform = NULL;
    cl_device_id id = NULL;
    clGetPlatformIDs(1, &platform, NULL);
    clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL);
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
    cl_command_queue queue = clCreateCommandQueue(context, id, 0, NULL); // no profiling: no matter
    cl_mem from = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof plate, plate, NULL);
    cl_mem to = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof plate, NULL, NULL);

    gputune_device *device = gputune_cl_device(queue);
    const gputune_kernel_desc desc = { .source = source, .name = "heat" };
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    const gputune_arg args[] = { gputune_int(N), gputune_in(from, sizeof plate),
                                 gputune_out(to, sizeof plate) };
    if (gputune_tune(kernel, args, 3) != GPUTUNE_OK)
        return fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text), 1;
    const gputune_outcome *found = gputune_kernel_outcome(kernel);
    char text[128];
    printf("%s// %.2f times the default's speed\n",
           gputune_config_defines(&found->config, text, sizeof text), found->speedup);

    const size_t local[2] = { (size_t)gputune_config_int(&found->config, "WIDTH"),
                              (size_t)gputune_config_int(&found->config, "HEIGHT") };
    const char *tuned = gputune_kernel_source(kernel, &found->config); // the values are in it
    cl_int status = launch(queue, context, tuned, local, from, to);
    status |= clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof plate, plate, 0, NULL, NULL);
    int wrong = status != CL_SUCCESS;
    for (int i = 0; i < N * N; i++) // the hot edge is its own neighbour at the left
        wrong |= plate[i] != (i % N == 0 ? 75 : i % N == 1 ? 25 : 0);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return wrong;
}
