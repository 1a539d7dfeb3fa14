// Looking at the trials: after tuning, every configuration that was tried is there with its time or
// the reason why it failed. Here, the fastest and the slowest ways to transpose a matrix. A
// transpose computes nothing, so nothing but equal outputs will do.
//
//     cc -std=c99 -O2 -I. examples/03_transpose.c -o transpose -lm
//     ./transpose
//
// On two processor cores (PoCL) it prints:
//     transpose 2048 x 2048
//       default    10.630 ms      3.2 GB/s
//       best        3.811 ms      8.8 GB/s
//       speed-up     2.79
//       TILE=64 ITEMS=8 LOCAL_MEMORY=0 PAD=1 WRITES=1
//       72 trials in 28.2 s
//         1.     4.423 ms  TILE=16 ITEMS=8 LOCAL_MEMORY=0 PAD=1 WRITES=0
//         2.     4.523 ms  TILE=64 ITEMS=4 LOCAL_MEMORY=0 PAD=1 WRITES=1
//         3.     4.546 ms  TILE=64 ITEMS=8 LOCAL_MEMORY=0 PAD=1 WRITES=0
//        70.    16.904 ms  TILE=32 ITEMS=32 LOCAL_MEMORY=1 PAD=0 WRITES=0
//        71.    16.948 ms  TILE=64 ITEMS=32 LOCAL_MEMORY=1 PAD=0 WRITES=0
//        72.    18.175 ms  TILE=32 ITEMS=32 LOCAL_MEMORY=1 PAD=1 WRITES=0
//       the output is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

static int by_value(const void *a, const void *b)
{
    const double x = (*(const gputune_trial *const *)a)->value;
    const double y = (*(const gputune_trial *const *)b)->value;
    return (x > y) - (x < y); // failed ones are infinite: last
}

static void print_trials(const gputune_kernel *kernel)
{
    int count = 0;
    while (gputune_kernel_trial(kernel, count)) count++;
    const gputune_trial **trials =
        (const gputune_trial **)calloc((size_t)count + 1, sizeof *trials);
    if (!trials) return;
    for (int i = 0; i < count; i++) trials[i] = gputune_kernel_trial(kernel, i);
    qsort(trials, (size_t)count, sizeof *trials, by_value);
    for (int i = 0; i < count; i++) {
        char text[256];
        if (i < 3 || i >= count - 3)
            printf("  %3d. %9.3f ms  %s%s%s\n", i + 1, trials[i]->value * 1e3,
                   gputune_config_text(&trials[i]->config, text, sizeof text),
                   *trials[i]->reason ? ": " : "", trials[i]->reason);
    }
    free(trials);
}

int main(void)
{
    const example_case *kind = case_find("transpose");
    gputune_device *device = gputune_cl_device(NULL);
    case_data data;
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        return fprintf(stderr, "%s\n", gputune_device_error(device)->text), 1;

    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){ .file = kind->file,
                                        .name = "transpose",
                                        .tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE,
                                        .tune.absolute_tolerance = 1e-30, // in effect: equal
                                        .tune.progress = gputune_progress_bar });
    bool ok = gputune_run(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    if (ok) {
        case_print(&data, gputune_kernel_outcome(kernel));
        print_trials(kernel);
        ok = case_verify(&data);
    } else {
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    }
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
    return !ok;
}
