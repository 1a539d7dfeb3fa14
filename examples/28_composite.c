// Several launches tuned as one: a radix sort of three kernels, for each digit of the keys one
// launch of each. By itself each kernel likes few bits, which are few counts, and the scan long
// chunks. But few bits are many digits, and only the whole can weigh that.
//
//     cc -std=c99 -O2 -I. examples/28_composite.c -o composite -lm
//     ./composite
//
// On two processor cores (PoCL) it prints:
//     radix_count alone: BITS=2 CHUNK=256 SCAN=64 (217.5 us a digit)
//     radix_scan alone: BITS=2 CHUNK=4096 SCAN=8 (2.3 us a digit)
//     the whole, sorted: 2.91 x: BITS=8 CHUNK=4096 SCAN=8 (4.31 ms, default 12.5), 18 trials in
//         4.1 s
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

static const gputune_kernel_desc count_digits = { .name = "radix_count" };
static const gputune_kernel_desc scan_counts = { .name = "radix_scan" };
static const gputune_kernel_desc scatter_keys = { .name = "radix_scatter" };

// What is launched for a configuration. In trials the arguments are private copies.
static gputune_result sort(void *user, gputune_kernel *kernel, const gputune_config *config,
                           const gputune_arg *args, int count, void *queue)
{
    const int bits = (int)gputune_config_int(config, "BITS");
    gputune_arg from = args[1], to = args[2];
    (void)user, (void)count, (void)queue;
    for (int shift = 0; shift < 32; shift += bits) {
        const gputune_arg digits[4] = { args[0], gputune_int(shift), from, args[3] };
        const gputune_arg scan[2] = { args[0], args[3] };
        const gputune_arg scatter[5] = { args[0], gputune_int(shift), from, args[3], to };
        const gputune_arg other = from;
        gputune_launch(kernel, config, &count_digits, digits, 4);
        gputune_launch(kernel, config, &scan_counts, scan, 2);
        gputune_launch(kernel, config, &scatter_keys, scatter, 5);
        from = to;
        to = other;
    }
    return GPUTUNE_OK; // the first failure of a gputune_launch counts anyway
}

// The configuration with which one of the kernels is the fastest by itself.
static void alone(gputune_device *device, const char *file, const char *name,
                  const gputune_arg *args, int count)
{
    gputune_kernel *kernel =
        gputune_kernel_create(device, &(gputune_kernel_desc){ .file = file, .name = name });
    const gputune_space *space = gputune_kernel_space(kernel, args, count);
    gputune_config best = { 0 };
    double seconds = INFINITY;
    char text[128];
    for (uint64_t i = 0; space && i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        gputune_stats stats;
        if (gputune_kernel_time(kernel, &config, args, count, 9, &stats) == GPUTUNE_OK &&
            stats.median < seconds)
            best = config, seconds = stats.median;
    }
    if (seconds < INFINITY)
        printf("%s alone: %s (%.1f us a digit)\n", name,
               gputune_config_text(&best, text, sizeof text), 1e6 * seconds);
    gputune_kernel_destroy(kernel);
}

int main(void)
{
    enum { N = 1 << 18 };
    const char *file = "examples/kernels/radix.cl";
    const size_t bytes = N * sizeof(unsigned);
    gputune_device *device = gputune_cl_device(NULL);
    unsigned *keys = malloc(bytes), random = 1;
    for (int i = 0; keys && i < N; i++) keys[i] = random = random * 1664525 + 1013904223;
    void *buffer = gputune_buffer_create(device, bytes, keys);
    gputune_arg args[] = { gputune_int(N), gputune_inout(buffer, bytes), gputune_scratch(bytes),
                           gputune_scratch(bytes) }; // at most 256 counts for 256 keys
    gputune_arg count[] = { gputune_int(N), gputune_int(0), gputune_in(buffer, bytes),
                            gputune_scratch(bytes) };
    gputune_arg scan[] = { gputune_int(N), gputune_scratch(bytes) };
    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){
                    .file = file,
                    .name = "radix sort",
                    .signature = "int n, unsigned *keys, unsigned *other, unsigned *counts",
                    .launch = sort,
                    .tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE });
    bool ok = keys && buffer && gputune_run(kernel, args, 4) == GPUTUNE_OK &&
              gputune_buffer_read(device, buffer, 0, keys, bytes) == GPUTUNE_OK;
    for (int i = 1; i < N && ok; i++) ok = keys[i - 1] <= keys[i];
    alone(device, file, "radix_count", count, 4);
    alone(device, file, "radix_scan", scan, 2);
    printf("the whole, %s: %s\n", ok ? "sorted" : "failed", gputune_kernel_outcome(kernel)->text);

    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, buffer);
    gputune_device_destroy(device);
    free(keys);
    return !ok;
}
