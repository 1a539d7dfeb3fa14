// What bounds the kernels of the examples, each with the winner of a short tuning.
//
//     sh bench/run.sh bounds [cuda|opencl|pocl [KERNEL|all [SECONDS]]]
//
//   KERNEL   a part of the name (all)      SECONDS  budget of one tuning (10)
//
//   memory_bandwidth, ...     gputune_device_figures, in GB/s, Gflop/s, MB, ns, us; figures_seconds
//                             what measuring them took
//   seconds_us_K              a launch of the winner (of its final race)
//   memory_percent_K          of it what K's bytes take at a copy's rate, arithmetic_percent_K what
//                             its operations take at the rate of multiply-adds
//   left_K                    the time over the bound: more is not to be gained
//   verdict_K                 memory, cache, arithmetic, launch, latency, overhead; the sentence as
//                             a comment
//   default_verdict_K, default_left_K    the same of the default
// Where Nsight Compute (ncu) is there and may read the GPU's counters, of the winner on CUDA:
//   ncu_dram_percent_K, ncu_memory_percent_K, ncu_compute_percent_K     dram__throughput,
//                             gpu__compute_memory_throughput and sm__throughput, of their peaks
//   ncu_verdict_K             the larger of the last two if it is 60 or more, else latency, as its
//                             guide has it
//   agrees_K                  1: the verdicts are the same; overhead, which needs little and keeps
//                             the device busy, is where ncu names what it keeps busy
#define _POSIX_C_SOURCE 200809L // setenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "../examples/cases.h"
#include "device.h"

static void row(const char *name, const char *of, double value, const char *unit)
{
    printf("result\t%s%s\t%.6g\t%s\n", name, of, value, unit);
    fflush(stdout);
}

static void word(const char *name, const char *of, const char *value)
{
    printf("result\t%s%s\t%s\tbound\n", name, of, value);
}

// What a launch needs at least: every number once.
static const char *const works[CASE_COUNT][2] = {
    { "saxpy", "bytes = 12.0 * n; flops = 2.0 * n" },
    { "sgemm", "bytes = 4.0 * (1.0 * M * K + 1.0 * K * N + 1.0 * M * N); flops = 2.0 * M * N * K" },
    { "transpose", "bytes = 8.0 * rows * cols" },
    { "convolution", "bytes = 8.0 * width * height; flops = 2.0 * width * height * size * size" },
    { "reduction", "bytes = 4.0 * n; flops = 1.0 * n" },
    { "spmv", "bytes = 8.0 * nonzeros + 12.0 * rows; flops = 2.0 * nonzeros" }, // x as long as y
};

static const char *const bounds_works[][2] = { // of examples/kernels/bounds.cl
    { "triad", "bytes = 12.0 * n; flops = 2.0 * n" },
    { "powers", "bytes = 8.0 * n; flops = 512.0 * n" },
    { "walk", "bytes = 4.0 * 1000 * 1024; flops = 1000 * 1024" },
};

static const char *work_of(const char *name)
{
    for (int i = 0; i < CASE_COUNT; i++)
        if (strcmp(works[i][0], name) == 0) return works[i][1];
    return NULL;
}

static void show(const char *which, const char *name, const gputune_bounds *b)
{
    char text[60];
    snprintf(text, sizeof text, "%sleft_", which);
    row(text, name, b->seconds / b->least, "x");
    snprintf(text, sizeof text, "%sverdict_", which);
    word(text, name, b->by);
    if (*which) return;
    row("seconds_us_", name, 1e6 * b->seconds, "us");
    row("memory_percent_", name, 100 * b->memory_seconds / b->seconds, "%");
    row("arithmetic_percent_", name, 100 * b->flops_seconds / b->seconds, "%");
    printf("# %s: %s\n", name, b->text);
}

// only: for a profiler, the winner that the store knows is launched twice, and nothing else.
static void explain(gputune_kernel *kernel, const char *name, const gputune_arg *args, int count,
                    bool only)
{
    gputune_config standard;
    const gputune_bounds *b;
    if (gputune_run(kernel, args, count) || (only && gputune_run(kernel, args, count))) {
        fprintf(stderr, "%s: %s\n", name, gputune_kernel_error(kernel)->text);
        exit(1);
    }
    if (only) return;
    b = gputune_kernel_explain(kernel, args, count, NULL);
    if (b) show("", name, b);
    standard = gputune_space_default(gputune_kernel_space(kernel, args, count));
    if (b) b = gputune_kernel_explain(kernel, args, count, &standard);
    if (b) show("default_", name, b);
    if (b) return;
    fprintf(stderr, "%s: %s\n", name, gputune_kernel_error(kernel)->text);
    exit(1);
}

int main(int argc, char **argv)
{
    const bool only = argc > 1 && strcmp(argv[1], "launch") == 0;
    const char *api = argc > 1 + only ? argv[1 + only] : "";
    const char *part = argc > 2 + only && strcmp(argv[2 + only], "all") ? argv[2 + only] : "";
    const double seconds = argc > 3 + only ? atof(argv[3 + only]) : 10;
    const double begin = gputune_now();
    gputune_device *device = bench_device(api);
    const bool gpu = gputune_device_limits(device)->is_gpu != 0;
    gputune_figures f;
    memset(&f, 0, sizeof f);
    if (!only && gputune_device_figures(device, &f)) {
        fprintf(stderr, "%s\n", gputune_device_error(device)->text);
        return 1;
    }
    if (!only) {
        printf("# %s\n", gputune_device_limits(device)->name);
        row("figures_seconds", "", gputune_now() - begin, "s, with the device's creation");
        row("memory_bandwidth", "", 1e-9 * f.memory_bandwidth, "GB/s");
        row("cache_bytes", "", 1e-6 * f.cache_bytes, "MB");
        row("cache_bandwidth", "", 1e-9 * f.cache_bandwidth, "GB/s");
        row("flops", "", 1e-9 * f.flops, "Gflop/s");
        row("double_flops", "", 1e-9 * f.double_flops, "Gflop/s");
        row("launch", "", 1e6 * f.launch, "us");
    }
    for (int i = 0; i < CASE_COUNT; i++) {
        const example_case *kind = &example_cases[i];
        gputune_kernel_desc desc = case_desc(kind);
        gputune_kernel *kernel;
        case_data data;
        if (!strstr(kind->name, part)) continue;
        desc.work = work_of(kind->name);
        desc.tune.budget.seconds = seconds;
        if (!case_make(&data, kind, device, gpu ? kind->large : kind->small, 1)) {
            fprintf(stderr, "%s: %s\n", kind->name, gputune_device_error(device)->text);
            return 1;
        }
        kernel = gputune_kernel_create(device, &desc);
        explain(kernel, kind->name, data.args, data.arg_count, only);
        gputune_kernel_destroy(kernel);
        case_free(&data);
    }
    for (size_t i = 0; i < sizeof bounds_works / sizeof *bounds_works; i++) {
        const int n = gpu ? 1 << 27 : 1 << 22;
        const size_t bytes = (size_t)n * sizeof(float);
        gputune_kernel_desc desc;
        gputune_kernel *kernel;
        gputune_arg args[3];
        float *host;
        if (!strstr(bounds_works[i][0], part)) continue;
        host = (float *)malloc(2 * bytes);
        for (int j = 0; host && j < 2 * n; j++) host[j] = (float)(j % 1000) * 1e-3f;
        memset(&desc, 0, sizeof desc);
        desc.file = KERNELS "/bounds.cl";
        desc.name = bounds_works[i][0];
        desc.work = bounds_works[i][1];
        desc.tune.budget.seconds = seconds;
        args[0] = gputune_int(n);
        args[1] = gputune_in(gputune_buffer_create(device, 2 * bytes, host), 2 * bytes);
        args[2] = gputune_out(gputune_buffer_create(device, bytes, NULL), bytes);
        kernel = gputune_kernel_create(device, &desc);
        explain(kernel, desc.name, args, 3, only);
        gputune_kernel_destroy(kernel);
        for (int a = 1; a < 3; a++) gputune_buffer_destroy(device, args[a].pointer);
        free(host);
    }
    gputune_device_destroy(device);
    return 0;
}
