// What the group form of eleven kernels of tests/corpus is worth, of which gputune cannot prove
// that all work-items of a group reach each barrier. Barriers of the rewritten text vote: they ask
// all work-items of the group, which takes time at each barrier.
//
//     sh bench/run.sh voting [cuda|opencl] [--items N]
//
// OpenCL kernels run through OpenCL, CUDA kernels through CUDA. The launch has N work-items (2^24;
// last_works, whose buffer has room for 38 groups, 1,024). The work-group is the corpus's own. Each
// time is the median of 31 launches.
//
// Rows: result<TAB>KERNEL.name<TAB>value<TAB>unit
//   plain                 the kernel as it stands
//   group_F               F = 1, 2, 4 ... 32 work-groups in one
//   speedup               plain over the best of all; 1: no group form is faster
//   refused               1: this kernel has no group form; counts in no mean
// and speedup.mean, the geometric mean over the others; speedup.guards, that of kernels that leave
// by a return or goto; speedup.passing, that of kernels that pass a barrier by.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

typedef struct work {
    const char *name, *file, *options;
    int group, values; // below `values`: what `in` holds
    int guard;         // 1: an int, the number of elements, follows; 2: local memory and a count do
    int items;         // at most; 0: as said
    bool passing;      // a part of a group passes a barrier by, without a return or goto
} work;

static const work works[] = {
    { "leaves_first", "group_leaves.cl", NULL, 8, 67, 1, 0, false },
    { "leaves_by_macro", "group_leaves.cl", NULL, 8, 31, 1, 0, false },
    { "leaves_halfway", "group_leaves.cl", "-DCHECKED", 8, 31, 1, 0, false },
    { "odd_even", "sorting.cl", NULL, 16, 211, 2, 0, true },
    { "settle", "tables.cl", NULL, 16, 61, 0, 0, true },
    { "passes_by", "part_of_block.cu", NULL, 64, 40, 0, 0, true },
    { "passes_twice", "part_of_block.cu", NULL, 64, 40, 0, 0, true },
    { "breaks_early", "part_of_block.cu", NULL, 32, 40, 0, 0, true },
    { "jumps_over", "part_of_block.cu", NULL, 32, 90, 0, 0, false },
    { "last_works", "part_of_block.cu", NULL, 32, 50, 0, 1024, true },
    { "return_by_macro", "return_in_loop.cu", NULL, 32, 90, 1, 0, false },
};
enum { WORKS = sizeof works / sizeof *works, SAMPLES = 31 };

static double measure(gputune_kernel *k, const char *text, const gputune_arg *args, int count)
{
    const gputune_space *space = gputune_kernel_space(k, args, count);
    gputune_config config;
    gputune_stats stats;
    if (space && gputune_config_parse(space, text, &config) &&
        !gputune_kernel_time(k, &config, args, count, SAMPLES, &stats))
        return stats.median;
    fprintf(stderr, "%s: %s\n", text, gputune_kernel_error(k)->text);
    return NAN;
}

// Seconds as it stands over the best of all; 0: it has no group form; NaN: something failed.
static double run(gputune_device *device, const work *w, int items)
{
    gputune_kernel_desc desc;
    gputune_arg args[4];
    char file[80], global[32], local[32], bytes_of[32], text[64];
    const size_t bytes = (size_t)items * sizeof(int);
    int *data = (int *)malloc(bytes), count = 2;
    void *in, *out;
    double plain, best, one;
    if (!data) return NAN;
    for (int i = 0; i < items; i++) data[i] = (int)(((size_t)i * 7919 + 3) % (size_t)w->values);
    in = gputune_buffer_create(device, bytes, data);
    memset(data, 0, bytes);
    out = gputune_buffer_create(device, bytes, data);
    free(data);
    memset(&desc, 0, sizeof desc);
    snprintf(file, sizeof file, "tests/corpus/%s", w->file);
    snprintf(global, sizeof global, "%d", items);
    snprintf(local, sizeof local, "%d", w->group);
    desc.file = file;
    desc.name = w->name;
    desc.compiler_options = w->options;
    desc.global = global;
    desc.local = local;
    desc.coarsen.form = GPUTUNE_COARSEN_GROUP;
    desc.coarsen.strides = "set 1";
    args[0] = gputune_in(in, bytes);
    args[1] = gputune_inout(out, bytes);
    if (w->guard == 1) args[count++] = gputune_int(items - 16);
    if (w->guard == 2) {
        snprintf(bytes_of, sizeof bytes_of, "%d", w->group * (int)sizeof(int));
        args[count++] = gputune_local(bytes_of);
        args[count++] = gputune_int(w->group);
    }
    gputune_kernel *k = gputune_kernel_create(device, &desc);
    if (gputune_kernel_error(k)->result == GPUTUNE_ERROR_UNSUPPORTED) {
        printf("result\t%s.refused\t1\tkernel\n", w->name);
        fprintf(stderr, "%s\n", gputune_kernel_error(k)->text);
        gputune_kernel_destroy(k);
        gputune_buffer_destroy(device, in);
        gputune_buffer_destroy(device, out);
        return 0;
    }
    best = plain = measure(k, "", args, count);
    printf("result\t%s.plain\t%.6g\tus\n", w->name, plain * 1e6);
    for (int f = 2; f <= 32 && plain > 0; f *= 2) {
        snprintf(text, sizeof text, "FACTOR_X=%d", f);
        one = measure(k, text, args, count);
        printf("result\t%s.group_%d\t%.6g\tus\n", w->name, f, one * 1e6);
        if (one < best) best = one;
    }
    printf("result\t%s.speedup\t%.4g\ttimes\n", w->name, plain / best);
    fflush(stdout);
    gputune_kernel_destroy(k);
    gputune_buffer_destroy(device, in);
    gputune_buffer_destroy(device, out);
    return plain / best;
}

static void print_mean(const char *name, double sum, int count)
{
    if (count) printf("result\tspeedup.%s\t%.4g\ttimes\n", name, exp(sum / count));
}

int main(int argc, char **argv)
{
    const char *only = "";
    int items = 1 << 24, done[2] = { 0, 0 };
    double sum[2] = { 0, 0 };
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--items") == 0 && i + 1 < argc)
            items = atoi(argv[++i]);
        else
            only = argv[i];
    for (int api = 0; api < 2; api++) {
        const char *name = api ? "cuda" : strcmp(only, "pocl") ? "opencl" : "pocl";
        gputune_device *device;
        if (*only && strcmp(only, name)) continue;
        device = bench_device(name);
        if (!device || gputune_device_error(device)->result) {
            fprintf(stderr, "bench: %s\n", device ? gputune_device_error(device)->text : "memory");
            return 1;
        }
        for (int i = 0; i < WORKS; i++) {
            const work *w = &works[i];
            double speedup;
            if ((strstr(w->file, ".cu") != NULL) != (api == 1)) continue;
            speedup = run(device, w, w->items && w->items < items ? w->items : items);
            if (!(speedup >= 0)) return 1;
            if (!(speedup > 0)) continue;
            sum[w->passing] += log(speedup);
            done[w->passing]++;
        }
        gputune_device_destroy(device);
    }
    print_mean("guards", sum[0], done[0]);
    print_mean("passing", sum[1], done[1]);
    print_mean("mean", sum[0] + sum[1], done[0] + done[1]);
    return 0;
}
