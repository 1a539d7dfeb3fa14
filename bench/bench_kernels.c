// What tuning gains on the kernels of examples/kernels, and how far the winners of independent
// tunings differ.
//
//     sh bench/run.sh kernels [KERNEL|all [TUNINGS [SECONDS [PLATFORM]]]]
//
//   KERNEL     a part of the name; all: every one           TUNINGS  fresh tunings each (5)
//   SECONDS    budget of one tuning (60)                    PLATFORM part of the platform's name
//
//   speedup_K        default's time over the winner's, median of the tunings
//   speedup_min_K    the least of them
//   default_us_K, best_us_K      times of a launch in the last final race
//   trials_K, failed_K, tuning_seconds_K, configurations_K     medians; the space's size
//   repeat_spread_K  the winners measured again in turn: slowest over fastest
//   rate_K           work done per second by the best winner
#define _POSIX_C_SOURCE 200809L // unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "../examples/cases.h"

enum { MOST_TUNINGS = 32, ROUNDS = 7, SAMPLES = 9 };

typedef struct settings {
    int tunings;
    double seconds;
    const char *platform;
} settings;

static void row(const char *what, const char *kernel, double value, const char *unit)
{
    printf("result\t%s_%s\t%.6g\t%s\n", what, kernel, value, unit);
    fflush(stdout);
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_kernels: %s: %s\n", what, why);
    exit(1);
}

static double median(double *values, int count)
{
    return gputune_stats_of(values, count).median;
}

// One fresh tuning and one launch, whose output is compared with plain C.
static gputune_outcome tune_once(gputune_kernel *kernel, case_data *data)
{
    char why[256] = "";
    gputune_outcome o;
    if (gputune_tune(kernel, data->args, data->arg_count, &o) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    if (!case_reset(data) || gputune_run(kernel, data->args, data->arg_count) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    if (!case_check(data, 2000, why, sizeof why)) fail("wrong output", why);
    if (!case_reset(data)) fail(data->kind->name, "reset");
    return o;
}

// Why trials failed: each result with its count and its first reason.
static void print_failures(const gputune_kernel *kernel)
{
    for (int r = 1; r < GPUTUNE_RESULT_COUNT; r++) {
        const char *reason = NULL;
        int count = 0;
        for (int i = 0; i < gputune_kernel_trial_count(kernel); i++) {
            const gputune_trial *t = gputune_kernel_trial(kernel, i);
            if ((int)t->result != r) continue;
            if (!count++) reason = t->reason;
        }
        if (count)
            fprintf(stderr, "    %d x %s: %.160s\n", count, gputune_result_name((gputune_result)r),
                    reason);
    }
}

// Measures the winners in turn, several rounds; prints the spread and the best one's rate.
static void compare_winners(gputune_kernel *kernel, case_data *data, char (*texts)[512], int count)
{
    double rounds[MOST_TUNINGS][ROUNDS], least = 1e9, most = 0;
    const gputune_space *space;
    if (gputune_kernel_space(kernel, data->args, data->arg_count, &space) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i < count; i++) {
            gputune_config config;
            gputune_stats stats;
            if (!gputune_config_parse(space, texts[i], &config) ||
                gputune_time_config(kernel, &config, data->args, data->arg_count, SAMPLES,
                                    &stats) != GPUTUNE_OK)
                fail(data->kind->name, gputune_kernel_error(kernel)->text);
            rounds[i][r] = stats.median;
        }
    for (int i = 0; i < count; i++) {
        double seconds = median(rounds[i], ROUNDS);
        least = seconds < least ? seconds : least;
        most = seconds > most ? seconds : most;
        fprintf(stderr, "  winner %d: %.3f us with %s\n", i, 1e6 * seconds, texts[i]);
    }
    row("repeat_spread", data->kind->name, most / least, "x");
    row("rate", data->kind->name, 1e-9 * data->work / least, data->kind->unit);
}

static void print_times(const char *name, const gputune_outcome *o, const gputune_space *space)
{
    row("default_us", name, 1e6 * o->default_stats.median, "us");
    row("best_us", name, 1e6 * o->best_stats.median, "us");
    row("configurations", name, (double)gputune_space_count(space), "");
}

static void bench(gputune_device *device, const example_case *kind, const settings *s)
{
    double speedups[MOST_TUNINGS], seconds[MOST_TUNINGS];
    double trials[MOST_TUNINGS], failed[MOST_TUNINGS];
    char texts[MOST_TUNINGS][512];
    case_data data;
    gputune_kernel *kernel = NULL;
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        fail(kind->name, gputune_device_error(device)->text);
    for (int i = 0; i < s->tunings; i++) {
        gputune_kernel_desc desc = case_desc(kind);
        gputune_outcome o;
        desc.tune.seed = (uint64_t)i + 1;
        desc.tune.budget.seconds = s->seconds;
        gputune_kernel_destroy(kernel);
        kernel = gputune_kernel_create(device, &desc);
        o = tune_once(kernel, &data);
        speedups[i] = o.speedup;
        seconds[i] = o.seconds;
        trials[i] = o.trials;
        failed[i] = o.failed;
        gputune_config_text(&o.config, texts[i], sizeof texts[i]);
        fprintf(stderr, "  %s %d: %.2f x in %d trials, %.1f s: %s\n", kind->name, i, o.speedup,
                o.trials, o.seconds, texts[i]);
        print_failures(kernel);
        if (i == s->tunings - 1) print_times(kind->name, &o, o.config.space);
    }
    row("speedup", kind->name, median(speedups, s->tunings), "x");
    row("speedup_min", kind->name, speedups[0], "x"); // sorted by now
    row("trials", kind->name, median(trials, s->tunings), "");
    row("failed", kind->name, median(failed, s->tunings), "");
    row("tuning_seconds", kind->name, median(seconds, s->tunings), "s");
    compare_winners(kernel, &data, texts, s->tunings);
    gputune_kernel_destroy(kernel);
    case_free(&data);
}

int main(int argc, char **argv)
{
    const char *which = argc > 1 && strcmp(argv[1], "all") != 0 ? argv[1] : "";
    settings s = { 5, 60, NULL };
    gputune_cl_desc desc;
    gputune_device *device;
    int done = 0;
    if (argc > 2) s.tunings = atoi(argv[2]);
    if (argc > 3) s.seconds = atof(argv[3]);
    if (argc > 4) s.platform = argv[4];
    if (s.tunings < 1 || s.tunings > MOST_TUNINGS) fail("TUNINGS", "1 to 32");
    memset(&desc, 0, sizeof desc);
    desc.platform = s.platform;
    desc.options.store = "";
    unsetenv("GPUTUNE_STORE");
    device = gputune_cl_device_create(&desc);
    if (gputune_device_error(device)->result != GPUTUNE_OK)
        fail("device", gputune_device_error(device)->text);
    fprintf(stderr, "%s, driver %s\n", gputune_device_limits(device)->name,
            gputune_device_limits(device)->driver);
    for (int i = 0; i < CASE_COUNT; i++) {
        if (!strstr(example_cases[i].name, which)) continue;
        bench(device, &example_cases[i], &s);
        done++;
    }
    gputune_device_destroy(device);
    if (!done) fail(which, "no such kernel");
    return 0;
}
