// Tuning on a problem just large enough to keep the device busy (MSP-tuning). The throughput curve
// shows where that is; the search there takes less of the device's time (little on two cores, 2 to
// 10 times less on a GPU with large problems), and the best few race at the real size.
//
//     cc -std=c99 -O2 -I. examples/15_msp.c -o msp -lm
//
// On two processor cores (PoCL) it prints:
//           size   time (ms)  spread   10^9/s
//             16      0.0303    6.9 %    0.135     (and sizes between)
//            256      6.5031    1.7 %    2.580  MSP  settled
//            384     22.4439    0.7 %    2.523
//     saturated from size 256 on: 2.58e+09 of 2.58e+09 a second; 0.22 s of launches
//     TILE_M=128 TILE_N=128 TILE_K=32 ITEMS_M=2 ..., 17.28 times the default's speed
//     58 trials, 4 of them raced: searched at size 256 of 384 (saturated): 1.16 s of launches
//         instead of 2.32
//     one element an item, the best tried: 0.34 times
//     the output is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

static void print_curve(const gputune_curve *curve)
{
    const gputune_saturation *s = &curve->saturation;
    printf("      size   time (ms)  spread   10^9/s\n");
    for (int i = 0; i < curve->count; i++) {
        const gputune_curve_point *p = &curve->points[i];
        printf("%10.0f  %10.4f  %5.1f %%  %7.3f%s%s\n", p->size, p->stats.median * 1e3,
               100 * p->stats.iqr / p->stats.median, p->work / p->stats.median / 1e9,
               i == s->msp ? "  MSP" : "", i == s->settled ? "  settled" : "");
    }
    printf("%s; %.2g s of launches\n", s->text, curve->device_seconds);
}

static void print_cost(const gputune_outcome *o)
{
    const gputune_msp_outcome *m = o->msp;
    char text[256];
    printf("%s, %.2f times the default's speed%s%s\n",
           gputune_config_text(&o->config, text, sizeof text), o->speedup, *o->note ? ": " : "",
           o->note);
    if (!m) return; // known from an earlier run
    printf("%d trials, %d of them raced: %s\n", o->trials, m->candidates, m->text);
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
    desc.tune.progress = case_progress;
    desc.tune.msp = true;
    desc.tune.saturation.resize = "M = size; N = size; K = size";
    desc.tune.saturation.work = "1.0 * M * N * K";
    desc.tune.saturation.smallest = 16;
    desc.tune.saturation.ratio = 1.5;
    desc.tune.budget.trials = 100;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);

    gputune_curve curve;
    bool ok = !gputune_kernel_curve(kernel, NULL, NULL, data.args, data.arg_count, &curve);
    if (ok) print_curve(&curve);
    ok = ok && gputune_tune(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    const gputune_outcome *outcome = gputune_kernel_outcome(kernel);
    if (ok) print_cost(outcome);
    if (ok && outcome->msp) print_not_coarsened(kernel, &data, outcome->default_stats.median);
    ok = ok && gputune_run(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    if (!ok) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    ok = ok && case_verify(&data);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
    return !ok;
}
