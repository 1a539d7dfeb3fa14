// What a tuning in parts costs (gputune_tune_desc.slice).
//
//     sh bench/run.sh slice [cuda|opencl|pocl [SECONDS [TRIALS]]]
//
// Three of the examples' kernels are tuned with the same seed and the same TRIALS (30), once by one
// call of gputune_run and once by calls that tune for SECONDS (0.02) each. Both have a device and a
// kernel made anew, and no store. Outputs are compared with plain C.
//     once_K         seconds of the one call
//     sliced_K       seconds of all calls that tune, together; their launches are among them
//     ratio_K        of those two
//     calls_K        that tune
//     longest_K      seconds of the longest of these calls
//     longest_step_K seconds of the longest step: from one call of the progress function to the
//                    next, or from the call's beginning. A step is a trial with its compiling, a round of
//                    the race, or launches of the winner
//     winner_K       the time of the calls' winner over that of the one call's, by their races
#define _GNU_SOURCE
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "../examples/cases.h"
#include "device.h"

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
    double seconds, longest, winner;
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
    o = gputune_kernel_outcome(kernel);
    for (r->calls = 0; goes_on; r->calls++) {
        const double begin = r->steps.last = gputune_now();
        double took;
        if (!case_reset(&data) || gputune_run(kernel, data.args, data.arg_count))
            slice_fail(name, gputune_kernel_error(kernel)->text);
        took = gputune_now() - begin;
        if (!case_check(&data, 20, why, sizeof why)) slice_fail(name, why);
        o = gputune_kernel_outcome(kernel);
        goes_on = o->goes_on;
        r->seconds += took;
        r->longest = fmax(r->longest, took);
    }
    r->trials = o->trials;
    r->winner = o->best_stats.median;
    fprintf(stderr, "  %s: %s\n", name, o->text);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "sgemm", "convolution", "transpose" };
    const char *api = argc > 1 ? argv[1] : "";
    const double slice = argc > 2 ? atof(argv[2]) : 0.02;
    const int trials = argc > 3 ? atoi(argv[3]) : 30;
    setenv("POCL_KERNEL_CACHE", "0", 1); // or the second run would find the first one's programs
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    if (!(slice > 0) || trials < 1)
        slice_fail("usage", "slice [cuda|opencl|pocl [SECONDS [TRIALS]]]");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        slice_run once, sliced;
        slice_tune(&once, api, names[i], 0, trials);
        slice_tune(&sliced, api, names[i], slice, trials);
        if (once.trials != sliced.trials) slice_fail(names[i], "not the same number of trials");
        slice_row("once", names[i], once.seconds, "s");
        slice_row("sliced", names[i], sliced.seconds, "s");
        slice_row("ratio", names[i], sliced.seconds / once.seconds, "");
        slice_row("calls", names[i], sliced.calls, "");
        slice_row("longest", names[i], sliced.longest, "s");
        slice_row("longest_step", names[i], sliced.steps.longest, "s");
        slice_row("winner", names[i], sliced.winner / once.winner, "");
    }
    return 0;
}
