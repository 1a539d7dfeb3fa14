// What tuning gains on the kernels of examples/kernels, on any device, and how far the winners of
// independent tunings differ. For bench_kernels.c, where the rows are explained, and bench_cuda.c,
// which include gputune.h, a driver and then this.
#ifndef BENCH_KERNELS_H
#define BENCH_KERNELS_H

#include "../examples/cases.h"

enum { MOST_TUNINGS = 32, ROUNDS = 7, SAMPLES = 9 };

typedef struct settings {
    const char *kernel; // a part of the name; "": every one
    int tunings;
    double seconds; // budget of one tuning
} settings;

// kernel: "" where the figure is nobody's in particular.
static void row(const char *what, const char *kernel, double value, const char *unit)
{
    printf("result\t%s%s%s\t%.6g\t%s\n", what, *kernel ? "_" : "", kernel, value, unit);
    fflush(stdout);
}

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
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
    if (gputune_tune(kernel, data->args, data->arg_count) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    o = *gputune_kernel_outcome(kernel);
    if (!case_reset(data) || gputune_run(kernel, data->args, data->arg_count) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    if (!case_check(data, 2000, why, sizeof why)) fail("wrong output", why);
    if (!case_reset(data)) fail(data->kind->name, "reset");
    return o;
}

// Why trials failed: each result with its count and its first reason. Returns how many.
static int print_failures(const gputune_kernel *kernel)
{
    int failed = 0;
    for (int r = 1; r < GPUTUNE_RESULT_COUNT; r++) {
        const char *reason = NULL;
        int count = 0;
        const gputune_trial *t;
        for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
            if ((int)t->result != r) continue;
            if (!count++) reason = t->reason;
        }
        if (count)
            fprintf(stderr, "    %d x %s: %.160s\n", count, gputune_result_name((gputune_result)r),
                    reason);
        failed += count;
    }
    return failed;
}

// Measures the default and the winners in turn, several rounds, when all tuning is over; prints
// what they gain then, their spread and the best one's rate. One configuration has one time.
static void compare_winners(gputune_kernel *kernel, case_data *data, char (*texts)[512], int count)
{
    static double rounds[MOST_TUNINGS + 1][ROUNDS];
    double seconds[MOST_TUNINGS + 1], speedups[MOST_TUNINGS], least = 1e9, most = 0;
    gputune_config configs[MOST_TUNINGS + 1];
    const gputune_space *space = gputune_kernel_space(kernel, data->args, data->arg_count);
    if (!space)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    configs[0] = gputune_space_default(space);
    for (int i = 1; i <= count; i++)
        if (!gputune_config_parse(space, texts[i - 1], &configs[i]))
            fail(texts[i - 1], "not in the space");
    for (int r = 0; r < ROUNDS; r++)
        for (int i = 0; i <= count; i++) {
            gputune_stats stats;
            if (gputune_kernel_time(kernel, &configs[i], data->args, data->arg_count, SAMPLES,
                                    &stats) != GPUTUNE_OK)
                fail(data->kind->name, gputune_kernel_error(kernel)->text);
            rounds[i][r] = stats.median;
        }
    for (int i = 0; i <= count; i++) {
        char text[512], other[512];
        gputune_config_text(&configs[i], text, sizeof text);
        seconds[i] = median(rounds[i], ROUNDS);
        for (int k = 0; k < i; k++)
            if (strcmp(gputune_config_text(&configs[k], other, sizeof other), text) == 0)
                seconds[i] = seconds[k];
        if (i == 0) continue;
        speedups[i - 1] = seconds[0] / seconds[i];
        least = seconds[i] < least ? seconds[i] : least;
        most = seconds[i] > most ? seconds[i] : most;
        fprintf(stderr, "  winner %d: %.3f us with %s\n", i - 1, 1e6 * seconds[i], text);
    }
    row("default_us", data->kind->name, 1e6 * seconds[0], "us");
    row("best_us", data->kind->name, 1e6 * least, "us");
    row("speedup", data->kind->name, median(speedups, count), "x");
    row("speedup_min", data->kind->name, speedups[0], "x"); // sorted by now
    row("repeat_spread", data->kind->name, most / least, "x");
    row("rate", data->kind->name, 1e-9 * data->work / least, data->kind->unit);
}

static void bench_kernel(gputune_device *device, const example_case *kind, const settings *s)
{
    double speedups[MOST_TUNINGS], seconds[MOST_TUNINGS];
    double trials[MOST_TUNINGS], failed[MOST_TUNINGS], configurations = 0;
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
        desc.tune.budget.all = true;
        gputune_kernel_destroy(kernel);
        kernel = gputune_kernel_create(device, &desc);
        o = tune_once(kernel, &data);
        speedups[i] = o.speedup;
        seconds[i] = o.seconds;
        trials[i] = o.trials;
        gputune_config_text(&o.config, texts[i], sizeof texts[i]);
        fprintf(stderr, "  %s %d: %.2f x in %d trials, %.1f s: %s\n", kind->name, i, o.speedup,
                o.trials, o.seconds, texts[i]);
        failed[i] = print_failures(kernel);
        configurations = (double)gputune_space_count(o.config.space);
    }
    row("configurations", kind->name, configurations, "");
    row("budget_seconds", kind->name, s->seconds, "s");
    row("race_speedup", kind->name, median(speedups, s->tunings), "x");
    row("trials", kind->name, median(trials, s->tunings), "");
    row("failed", kind->name, median(failed, s->tunings), "");
    row("tuning_seconds", kind->name, median(seconds, s->tunings), "s");
    compare_winners(kernel, &data, texts, s->tunings);
    gputune_kernel_destroy(kernel);
    case_free(&data);
}

// "all" stands for every one.
static const char *part_of_name(const char *argument)
{
    return strcmp(argument, "all") == 0 ? "" : argument;
}

static void check_device(gputune_device *device)
{
    if (gputune_device_error(device)->result != GPUTUNE_OK)
        fail("device", gputune_device_error(device)->text);
    fprintf(stderr, "%s, driver %s\n", gputune_device_limits(device)->name,
            gputune_device_limits(device)->driver);
}

static void bench_kernels(gputune_device *device, const settings *s)
{
    for (int i = 0; i < CASE_COUNT; i++)
        if (strstr(example_cases[i].name, s->kernel)) bench_kernel(device, &example_cases[i], s);
}

// Ends the program unless the settings can be used.
static void check_settings(const settings *s)
{
    int fitting = 0;
    for (int i = 0; i < CASE_COUNT; i++)
        if (strstr(example_cases[i].name, s->kernel)) fitting++;
    if (!fitting) fail(s->kernel, "no such kernel");
    if (s->tunings < 1 || s->tunings > MOST_TUNINGS) fail("TUNINGS", "1 to 32");
}

#endif
