// A program that uses CUDA's runtime API. One of its kernels is text, compiled while it runs with
// the values that gputune finds, and launched in the program's stream between its other work.
//
//     nvcc -std=c++17 -O2 -I. examples/11_cuda_runtime.cu -o normalize
//     ./normalize
//
// On an NVIDIA H200 it prints:
//     tuned: 24 trials
//     1.44 times the default's speed: 0.141 ms with BLOCK=512 UNROLL=8
//     the rows have length 1
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include <cstdio>
#include <vector>

// Every row is divided by its length. nvcc does not see this; the same text in a file would do.
static const char source[] = R"(
#pragma gputune erange 32,1024,2
#define BLOCK 256 // threads that share a row
#pragma gputune set 1,2,4,8
#define UNROLL 1
#pragma gputune global rows * BLOCK
#pragma gputune local BLOCK
__global__ void normalize(int rows, int columns, const float *in, float *out)
{
    __shared__ float partial[BLOCK];
    const size_t first = (size_t)blockIdx.x * columns;
    float sum = 0;
#pragma unroll UNROLL
    for (int i = threadIdx.x; i < columns; i += BLOCK)
        sum += in[first + i] * in[first + i];
    partial[threadIdx.x] = sum;
    for (int left = BLOCK / 2; left > 0; left /= 2) {
        __syncthreads();
        if (threadIdx.x < left) partial[threadIdx.x] += partial[threadIdx.x + left];
    }
    __syncthreads();
    const float scale = rsqrtf(partial[0]);
#pragma unroll UNROLL
    for (int i = threadIdx.x; i < columns; i += BLOCK) out[first + i] = in[first + i] * scale;
}
)";

// Compiled by nvcc as ever.
__global__ void fill(size_t n, float *x)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 1 + (float)(i % 7);
}

static void must(cudaError_t result)
{
    if (result == cudaSuccess) return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    exit(1);
}

int main()
{
    const int rows = 16384, columns = 4096;
    const size_t n = (size_t)rows * columns, bytes = n * sizeof(float);
    float *in, *out;
    cudaStream_t stream;
    must(cudaMalloc(&in, bytes));
    must(cudaMalloc(&out, bytes));
    must(cudaStreamCreate(&stream));
    fill<<<(unsigned)((n + 255) / 256), 256, 0, stream>>>(n, in);
    must(cudaGetLastError());

    gputune_device *device = gputune_cuda_device(stream);
    gputune_kernel_desc desc = {};
    desc.source = source;
    desc.name = "normalize";
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    const gputune_arg args[] = { gputune_int(rows), gputune_int(columns), gputune_in(in, bytes),
                                 gputune_out(out, bytes) };
    if (gputune_run(kernel, args, 4) != GPUTUNE_OK)
        return fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text), 1;
    std::vector<float> result(n);
    must(cudaMemcpyAsync(result.data(), out, bytes, cudaMemcpyDeviceToHost, stream));
    must(cudaStreamSynchronize(stream));

    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    char text[128];
    printf("%s: %d trials\n", o->origin == GPUTUNE_FROM_STORE ? "known" : "tuned", o->trials);
    printf("%.2f times the default's speed: %.3f ms with %s\n", o->speedup,
           o->best_stats.median * 1e3, gputune_config_text(&o->config, text, sizeof text));
    bool right = true;
    for (size_t row = 0; row < n; row += columns) {
        double square = 0; // of the row's length
        for (int i = 0; i < columns; i++) square += (double)result[row + i] * result[row + i];
        right = right && square > 0.9999 && square < 1.0001;
    }
    puts(right ? "the rows have length 1" : "the rows are wrong");

    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    cudaFree(in);
    cudaFree(out);
    cudaStreamDestroy(stream);
    return !right;
}
