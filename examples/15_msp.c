// Tuning on a problem just large enough to keep the device busy (MSP-tuning). The throughput curve
// shows where that is; the search there takes less of the device's time (little on two cores, 2 to
// 10 times less on a GPU with large problems), and the best few race at the real size.
//
//     cc -std=c99 -O2 -I. examples/15_msp.c -o msp -lm
//
// On two busy processor cores (PoCL) it prints:
//           size   time (ms)   10^9/s
//             16      0.0345    0.238     (and sizes between)
//            192      1.8376    7.703  MSP
//            384     21.0222    5.387
//     too noisy: 5.39e+09 of 7.7e+09 a second; 0.61 s of launches
//     20.05 x: TILE_M=32 TILE_N=128 TILE_K=32 ITEMS_M=8 ... (2.13 ms, default 42.6), 44 trials in
//         45.7 s; throughput too noisy: searched at the real size
//     one element an item, the best tried: 0.27 times
//     the output is right
// A quiet device saturates, and the search takes place at the smaller size.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

static void print_curve(const gputune_curve *curve)
{
    const gputune_saturation *s = &curve->saturation;
    printf("      size   time (ms)   10^9/s\n");
    for (int i = 0; i < curve->count; i++)
        printf("%10.0f  %10.4f  %7.3f%s\n", curve->size[i], curve->seconds[i] * 1e3,
               curve->work[i] / curve->seconds[i] / 1e9, i == s->msp ? "  MSP" : "");
    printf("%s; %.2g s of launches\n", s->text, curve->device_seconds);
}

// The fastest trial whose items make one element each: what tiles and work-groups alone are worth.
static void print_not_coarsened(gputune_kernel *kernel, const case_data *data, double seconds)
{
    const gputune_trial *best = NULL;
    gputune_stats stats;
    const gputune_trial *t;
    for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        if (t->result == GPUTUNE_OK && (!best || t->value < best->value) &&
            gputune_config_int(&t->config, "ITEMS_M") == 1 &&
            gputune_config_int(&t->config, "ITEMS_N") == 1)
            best = t;
    }
    if (best && gputune_kernel_time(kernel, &best->config, data->args, data->arg_count, 5,
                                    &stats) == GPUTUNE_OK)
        printf("one element an item, the best tried: %.2f times\n", seconds / stats.median);
}

int main(void)
{
    const example_case *kind = case_find("sgemm");
    gputune_device *device = gputune_cl_device(NULL);
    case_data data;
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        return fprintf(stderr, "%s\n", gputune_device_error(device)->text), 1;

    gputune_kernel_desc desc = { .file = kind->file, .name = "sgemm" };
    desc.tune.progress = gputune_progress_bar;
    desc.work = "flops = 2.0 * M * N * K";
    desc.tune.msp = &(gputune_saturation_desc){ .resize = "M = size; N = size; K = size",
                                                .smallest = 16 };
    desc.tune.budget.trials = 100;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);

    gputune_curve curve;
    bool ok = !gputune_kernel_curve(kernel, NULL, NULL, data.args, data.arg_count, &curve);
    if (ok) print_curve(&curve);
    ok = ok && gputune_tune(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    const gputune_outcome *outcome = gputune_kernel_outcome(kernel);
    if (ok) printf("%s\n", outcome->text);
    if (ok && outcome->curve) print_not_coarsened(kernel, &data, outcome->default_stats.median);
    ok = ok && gputune_run(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    if (!ok) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    ok = ok && case_verify(&data);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
    return !ok;
}
