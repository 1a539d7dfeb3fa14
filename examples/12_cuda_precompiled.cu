// Kernels that nvcc has compiled ahead: instances of a template. A configuration selects one of
// them; nothing is compiled while the program runs, and NVRTC is not needed.
//
//     nvcc -std=c++17 -O2 -I. examples/12_cuda_precompiled.cu -o precompiled
//     ./precompiled
//
// On an NVIDIA H200 it prints:
//     tuned: 16 trials
//     1.47 times the default's speed: 0.218 ms with BLOCK=64 ITEMS=4
//     y is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include <cstdio>
#include <vector>

template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK) saxpy(int n, float a, const float *x, float *y)
{
    const int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
#pragma unroll
    for (int i = first; i < first + BLOCK * ITEMS; i += BLOCK)
        if (i < n) y[i] += a * x[i];
}

// Which instances there are.
static const struct instance {
    int block, items;
    const void *function;
} instances[] = {
#define INSTANCE(block, items) { block, items, (const void *)saxpy<block, items> }
#define INSTANCES(items)                                                                          \
    INSTANCE(64, items), INSTANCE(128, items), INSTANCE(256, items), INSTANCE(512, items)
    INSTANCES(1), INSTANCES(2), INSTANCES(4), INSTANCES(8)
};

// The instance of a configuration, as the driver API knows it. NULL: there is none.
static void *choose(void *, const gputune_config *config)
{
    cudaFunction_t function = NULL;
    for (const instance &i : instances)
        if (gputune_config_int(config, "BLOCK") == i.block &&
            gputune_config_int(config, "ITEMS") == i.items &&
            cudaGetFuncBySymbol(&function, i.function) == cudaSuccess)
            return function;
    return NULL;
}

static void must(cudaError_t result)
{
    if (result == cudaSuccess) return;
    fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(result));
    exit(1);
}

int main()
{
    const int n = 1 << 26;
    const size_t bytes = n * sizeof(float);
    std::vector<float> host(n, 1);
    float *x, *y;
    must(cudaMalloc(&x, bytes));
    must(cudaMalloc(&y, bytes));
    must(cudaMemcpy(x, host.data(), bytes, cudaMemcpyHostToDevice));
    must(cudaMemcpy(y, host.data(), bytes, cudaMemcpyHostToDevice));

    const gputune_param params[] = { { "BLOCK", "erange 64,512,2", "128" },
                                     { "ITEMS", "erange 1,8,2", "1" },
                                     {} };
    gputune_kernel_desc desc = {};
    desc.name = "saxpy";
    desc.signature = "int n, float a, const float *x, float *y"; // no source shows it
    desc.params = params;
    desc.global = "ceil_div(n, ITEMS)";
    desc.local = "BLOCK";
    desc.select = choose;
    gputune_device *device = gputune_cuda_device(NULL); // the default stream
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    const gputune_arg args[] = { gputune_int(n), gputune_float(2), gputune_in(x, bytes),
                                 gputune_inout(y, bytes) };
    if (gputune_run(kernel, args, 4) != GPUTUNE_OK)
        return fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text), 1;
    must(cudaMemcpy(host.data(), y, bytes, cudaMemcpyDeviceToHost));

    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    char text[128];
    printf("%s: %d trials\n", o->origin == GPUTUNE_FROM_STORE ? "known" : "tuned", o->trials);
    printf("%.2f times the default's speed: %.3f ms with %s\n", o->speedup,
           o->best_stats.median * 1e3, gputune_config_text(&o->config, text, sizeof text));
    bool right = true; // 2 * 1 + 1, added once: tuning worked on a copy
    for (float value : host) right = right && value == 3;
    puts(right ? "y is right" : "y is wrong");

    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    cudaFree(x);
    cudaFree(y);
    return !right;
}
