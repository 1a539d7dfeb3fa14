// What merging work-items statement by statement is worth: five kernels (bench/kernels/merge.cl) as
// they stand, coarsened by a loop round the body, merged by gputune, and merged by hand.
//
//     sh bench/run.sh merge [cuda|opencl|pocl] [--small] [KERNEL ...]
//
// The work-group is the same everywhere (128, or 32 x 4), and so are the distances of the merged
// items (32 apart in one dimension, neighbours in y in two): nothing is tuned. --small: sizes for a
// processor. Each time is the median of 15 launches on private copies.
//
// Rows: result<TAB>KERNEL.name<TAB>value<TAB>unit
//   plain                         the kernel as it stands
//   loop_F, merge_F, hand_F       F = 2, 4, 8 work-items in one
//   loop, merge, hand             plain over the best of them: how much faster
//   share                         the best of hand over the best of merge: 1 is as fast as by hand
//   wrong                         outputs of all of these that are not those of the kernel as it
//                                 stands, to a relative 1e-4
// and share.least over the kernels.
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

enum { FACTORS = 3, SAMPLES = 15 };

typedef struct work {
    const char *name;
    int dimensions, n, small;
    int floats; // of out and of a, for each element
} work;

static const work works[] = {
    { "product", 2, 2048, 256, 1 }, { "window", 2, 8192, 512, 1 },
    { "norm", 1, 64 << 20, 1 << 20, 1 }, { "nbody", 1, 32 << 10, 2048, 4 },
    { "transpose", 2, 8192, 1024, 1 },
};

typedef struct data {
    gputune_device *device;
    gputune_arg args[4];
    float *out, *right;
    size_t bytes;
    void *buffers[3];
    int wrong;
} data;

static gputune_result row(const char *kernel, const char *name, double value, const char *unit)
{
    printf("result\t%s.%s\t%.6g\t%s\n", kernel, name, value, unit);
    fflush(stdout);
    return GPUTUNE_OK;
}

static bool open_data(data *d, const work *w, int n)
{
    const size_t count = (w->dimensions == 2 ? (size_t)n * (size_t)n : (size_t)n) *
                         (size_t)w->floats;
    float *a = (float *)malloc(count * sizeof *a);
    d->bytes = count * sizeof *a;
    d->out = (float *)calloc(count, sizeof *a);
    d->right = (float *)calloc(count, sizeof *a);
    if (!a || !d->out || !d->right) return false;
    for (size_t i = 0; i < count; i++) a[i] = (float)((i * 2654435761u >> 16) % 64) / 64;
    for (int i = 0; i < 3; i++)
        if (!(d->buffers[i] = gputune_buffer_create(d->device, d->bytes, i ? a : d->out)))
            return false;
    free(a);
    d->args[0] = gputune_out(d->buffers[0], d->bytes);
    d->args[1] = gputune_in(d->buffers[1], d->bytes);
    d->args[2] = gputune_in(d->buffers[2], d->bytes);
    d->args[3] = gputune_int(n);
    return true;
}

static void close_data(data *d)
{
    for (int i = 0; i < 3; i++) gputune_buffer_destroy(d->device, d->buffers[i]);
    free(d->out);
    free(d->right);
}

// Seconds of one configuration, whose output is compared with what was there first; NaN: it failed.
static double measure(data *d, gputune_kernel *k, const char *text, bool first)
{
    const gputune_space *space = gputune_kernel_space(k, d->args, 4);
    gputune_config config;
    gputune_stats stats;
    bool right = true;
    if (!space || !gputune_config_parse(space, text, &config)) {
        fprintf(stderr, "%s: %s\n", text, gputune_kernel_error(k)->text);
        return NAN;
    }
    memset(d->out, 0, d->bytes);
    if (gputune_buffer_write(d->device, d->buffers[0], 0, d->out, d->bytes) ||
        gputune_kernel_launch(k, &config, d->args, 4) ||
        gputune_buffer_read(d->device, d->buffers[0], 0, first ? d->right : d->out, d->bytes) ||
        gputune_kernel_time(k, &config, d->args, 4, SAMPLES, &stats)) {
        fprintf(stderr, "%s: %s\n", text, gputune_kernel_error(k)->text);
        return NAN;
    }
    for (size_t i = 0; i < d->bytes / sizeof *d->out && !first; i++)
        right = right && fabsf(d->out[i] - d->right[i]) <= 1e-4f * fabsf(d->right[i]);
    d->wrong += !right;
    return stats.median;
}

static gputune_kernel *make(data *d, const work *w, const char *name, const char *options, int less)
{
    gputune_kernel_desc desc;
    char global[64];
    memset(&desc, 0, sizeof desc);
    snprintf(global, sizeof global, w->dimensions == 2 ? "n, n / %d" : "n / %d", less);
    desc.file = "bench/kernels/merge.cl";
    desc.name = name;
    desc.compiler_options = options;
    desc.global = global;
    desc.local = w->dimensions == 2 ? "32, 4" : "128";
    if (!options) {
        desc.coarsen.form = GPUTUNE_COARSEN_THREAD;
        desc.coarsen.groups = "set 0";
    }
    return gputune_kernel_create(d->device, &desc);
}

// False: a kernel failed. *share: how near to that by hand.
static bool run(data *d, const work *w, int n, double *share)
{
    static const char *const forms[] = { "loop", "merge", "hand" };
    double best[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, plain;
    gputune_kernel *k = make(d, w, w->name, NULL, 1);
    char text[96], name[32];
    plain = measure(d, k, "", true);
    row(w->name, "plain", 1e6 * plain, "us");
    for (int form = 0; form < 3; form++) {
        for (int f = 2; f <= 1 << FACTORS; f *= 2) {
            double seconds;
            if (form == 2) {
                gputune_kernel *hand;
                snprintf(name, sizeof name, "%s_hand", w->name);
                snprintf(text, sizeof text, "-DF=%d", f);
                hand = make(d, w, name, text, f);
                seconds = measure(d, hand, "", false);
                gputune_kernel_destroy(hand);
            } else {
                snprintf(text, sizeof text, "FACTOR_%c=%d STRIDE_%c=%d COARSEN_FORM=%s",
                         w->dimensions == 2 ? 'Y' : 'X', f, w->dimensions == 2 ? 'Y' : 'X',
                         w->dimensions == 2 ? 1 : 32, forms[form]);
                seconds = measure(d, k, text, false);
            }
            snprintf(name, sizeof name, "%s_%d", forms[form], f);
            row(w->name, name, 1e6 * seconds, "us");
            best[form] = fmin(best[form], seconds);
        }
    }
    for (int form = 0; form < 3; form++) row(w->name, forms[form], plain / best[form], "x");
    *share = best[2] / best[1];
    row(w->name, "share", *share, "of the speed by hand");
    row(w->name, "wrong", d->wrong, "outputs");
    gputune_kernel_destroy(k);
    (void)n;
    return plain > 0 && d->wrong == 0;
}

int main(int argc, char **argv)
{
    const char *api = argc > 1 && *argv[1] != '-' ? argv[1] : "";
    double least = HUGE_VAL, share = 0;
    bool small = false, ok = true;
    int named = 0;
    data d;
    memset(&d, 0, sizeof d);
    d.device = bench_device(api);
    if (gputune_device_error(d.device)->result) {
        fprintf(stderr, "%s\n", gputune_device_error(d.device)->text);
        return 1;
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--small") == 0) small = true;
        for (size_t k = 0; k < sizeof works / sizeof *works; k++)
            named += strcmp(argv[i], works[k].name) == 0;
    }
    for (size_t k = 0; k < sizeof works / sizeof *works; k++) {
        const int n = small ? works[k].small : works[k].n;
        bool asked = !named;
        for (int i = 1; i < argc; i++) asked = asked || strcmp(argv[i], works[k].name) == 0;
        if (!asked) continue;
        d.wrong = 0;
        ok = open_data(&d, &works[k], n) && run(&d, &works[k], n, &share) && ok;
        least = fmin(least, share);
        close_data(&d);
    }
    printf("result\tshare.least\t%.6g\tof the speed by hand\n", least);
    gputune_device_destroy(d.device);
    return ok ? 0 : 1;
}
