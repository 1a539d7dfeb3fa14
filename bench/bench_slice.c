// What a tuning in parts costs (gputune_tune_desc.slice).
//
//     sh bench/run.sh slice [cuda|opencl|pocl [SECONDS [TRIALS [REPETITIONS]]]]
//
// Three of the examples' kernels are tuned with the same seed and the same TRIALS (30): by one
// call of gputune_run, and by calls that tune for SECONDS (0.02) each. This is done REPETITIONS (3)
// times in turn, after a tuning that does not count. Each tuning has a device and a kernel made
// anew, and no store. What the last call writes is compared with plain C. The rows are medians.
//     once_K     seconds of the one call
//     sliced_K   seconds of all calls that tune, together; their launches are among them
//     wall_K     seconds from the beginning of the first call to the end of the last one that
//                tunes. Between two calls the program waits for its launch and does nothing else
//     ratio_K    sliced over once;  wall_ratio_K: wall over once
//     calls_K    that tune
//     first_K    seconds of the first call, which compiles and measures the default
//     longest_K  seconds of the longest of the other calls
//     step_K     seconds of the longest step after the first call: from one call of the progress
//                function to the next, or from a call's beginning. A step is a trial, a round of
//                the race, or launches of the winner
//     over_K     longest less SECONDS and step; the program's launch is in it
//     winner_K   the time of the calls' winner over that of the one call's, by their races
#define _GNU_SOURCE
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "../examples/cases.h"
#include "device.h"

#include <stddef.h>

enum { SLICE_REPETITIONS = 15 };

typedef struct slice_steps {
    double last, longest; // seconds
} slice_steps;

static bool slice_progress(void *user, const gputune_progress *p)
{
    slice_steps *s = (slice_steps *)user;
    const double now = gputune_now();
    (void)p;
    s->longest = fmax(s->longest, now - s->last);
    s->last = now;
    return true;
}

static void slice_fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_slice: %s: %s\n", what, why);
    exit(1);
}

static void slice_row(const char *what, const char *kernel, double value, const char *unit)
{
    printf("result\t%s_%s\t%.4g\t%s\n", what, kernel, value, unit);
    fflush(stdout);
}

typedef struct slice_run {
    double seconds, wall, first, longest, winner;
    int calls, trials;
    slice_steps steps;
} slice_run;

static void slice_tune(slice_run *r, const char *api, const char *name, double slice, int trials)
{
    const example_case *kind = case_find(name);
    gputune_device *device = bench_device(api);
    gputune_kernel_desc desc = case_desc(kind);
    gputune_kernel *kernel;
    const gputune_outcome *o;
    case_data data;
    char why[256] = "";
    bool goes_on = true;
    gputune_error error;
    double start, took;
    memset(r, 0, sizeof *r);
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        slice_fail(name, gputune_device_error(device)->text);
    desc.tune.seed = 1;
    desc.tune.budget.seconds = -1;
    desc.tune.budget.trials = trials;
    desc.tune.budget.all = true;
    desc.tune.slice = slice;
    desc.tune.progress = slice_progress;
    desc.tune.user = &r->steps;
    kernel = gputune_kernel_create(device, &desc);
    start = gputune_now();
    for (r->calls = 0; goes_on; r->calls++) {
        const double begin = r->steps.last = gputune_now();
        if (gputune_run(kernel, data.args, data.arg_count))
            slice_fail(name, gputune_kernel_error(kernel)->text);
        took = gputune_now() - begin;
        goes_on = gputune_kernel_outcome(kernel)->goes_on;
        r->seconds += took;
        if (r->calls == 0) {
            r->first = took;
            r->steps.longest = 0;
        } else {
            r->longest = fmax(r->longest, took);
        }
        r->wall = gputune_now() - start;
        device->driver.wait(device->self, &error);
    }
    if (!case_reset(&data) || gputune_run(kernel, data.args, data.arg_count))
        slice_fail(name, gputune_kernel_error(kernel)->text);
    if (!case_check(&data, 200, why, sizeof why)) slice_fail(name, why);
    o = gputune_kernel_outcome(kernel);
    r->trials = o->trials;
    r->winner = o->best_stats.median;
    fprintf(stderr, "  %s: %s\n", name, o->text);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
}

static double slice_median(const slice_run *runs, int count, size_t field)
{
    double values[SLICE_REPETITIONS];
    for (int i = 0; i < count; i++)
        memcpy(&values[i], (const char *)&runs[i] + field, sizeof *values);
    return gputune_stats_of(values, count).median;
}

#define MEDIAN(runs, field) slice_median(runs, repetitions, offsetof(slice_run, field))

static void slice_kernel(const char *api, const char *name, double slice, int trials,
                         int repetitions)
{
    slice_run once[SLICE_REPETITIONS], sliced[SLICE_REPETITIONS];
    double whole, calls[SLICE_REPETITIONS];
    slice_tune(&once[0], api, name, 0, 2);
    for (int i = 0; i < repetitions; i++) {
        slice_tune(&once[i], api, name, 0, trials);
        slice_tune(&sliced[i], api, name, slice, trials);
        calls[i] = sliced[i].calls;
        if (once[i].trials != sliced[i].trials) slice_fail(name, "not as many trials");
    }
    whole = MEDIAN(once, seconds);
    slice_row("once", name, whole, "s");
    slice_row("sliced", name, MEDIAN(sliced, seconds), "s");
    slice_row("wall", name, MEDIAN(sliced, wall), "s");
    slice_row("ratio", name, MEDIAN(sliced, seconds) / whole, "");
    slice_row("wall_ratio", name, MEDIAN(sliced, wall) / whole, "");
    slice_row("calls", name, gputune_stats_of(calls, repetitions).median, "");
    slice_row("first", name, MEDIAN(sliced, first), "s");
    slice_row("longest", name, MEDIAN(sliced, longest), "s");
    slice_row("step", name, MEDIAN(sliced, steps.longest), "s");
    slice_row("over", name, MEDIAN(sliced, longest) - slice - MEDIAN(sliced, steps.longest), "s");
    slice_row("winner", name, MEDIAN(sliced, winner) / MEDIAN(once, winner), "");
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "sgemm", "convolution", "transpose" };
    const char *api = argc > 1 ? argv[1] : "";
    const double slice = argc > 2 ? atof(argv[2]) : 0.02;
    const int trials = argc > 3 ? atoi(argv[3]) : 30, repetitions = argc > 4 ? atoi(argv[4]) : 3;
    setenv("POCL_KERNEL_CACHE", "0", 1); // or the second run would find the first one's programs
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    if (!(slice > 0) || trials < 1 || repetitions < 1 || repetitions > SLICE_REPETITIONS)
        slice_fail("usage", "slice [cuda|opencl|pocl [SECONDS [TRIALS [REPETITIONS]]]]");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        slice_kernel(api, names[i], slice, trials, repetitions);
    return 0;
}
