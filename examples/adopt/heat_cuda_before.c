// A program with CUDA before gputune: a kernel from a file, its settings by -D, a loop that swaps
// two buffers. heat_cuda_after.c is what becomes of it; the README shows the difference.
//
//     cc -O2 -I/usr/local/cuda/include heat_cuda_before.c -o before -lcuda -lnvrtc; ./before
#include <stdio.h>
#include <stdlib.h>

#include <cuda.h>
#include <nvrtc.h>

enum { STEPS = 100 };

static CUfunction build(const char *path, const char *const *options, int count)
{
    static char text[10000], code[100000];
    FILE *file = fopen(path, "rb");
    nvrtcProgram program;
    CUmodule module;
    CUfunction function = NULL;
    if (!file) return NULL;
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    nvrtcCreateProgram(&program, text, path, 0, NULL, NULL);
    nvrtcCompileProgram(program, count, options);
    nvrtcGetPTX(program, code);
    cuModuleLoadData(&module, code);
    cuModuleGetFunction(&function, module, "heat");
    return function;
}

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

    const char *options[] = { "-DWIDTH=64", "-DROWS=1" };
    CUfunction kernel = build("heat.cu", options, 2);
    for (int step = 0; step < STEPS; step++) {
        void *args[] = { &n, &from, &to };
        cuLaunchKernel(kernel, n / 64, n, 1, 64, 1, 1, 0, stream, args, NULL);
        CUdeviceptr swapped = from;
        from = to;
        to = swapped;
    }
    cuStreamSynchronize(stream);
    cuMemcpyDtoH(plate, from, bytes);
    printf("ten points from the left: %.4f\n", plate[(size_t)n / 2 * n + 10]);
    return 0;
}
