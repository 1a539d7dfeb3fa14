// Tuning on a problem just large enough to keep the device busy (MSP-tuning). The throughput curve
// shows where that is; the search there takes less of the device's time (little on two cores, 2 to
// 10 times less on a GPU with large problems), and the best few race at the real size.
//
//     cc -std=c99 -O2 -I. examples/15_msp.c -o msp -lm
//
// On two processor cores (PoCL) it prints:
//           size   time (ms)  spread   10^9/s
//             16      0.0392    5.4 %    0.104     (and sizes between)
//            256      5.6335    0.6 %    2.978  MSP  settled
//            384     17.1138    2.6 %    3.309
//     too noisy; 0.55 s of launches
//     TILE_M=32 TILE_N=16 TILE_K=16 ITEMS_M=8 ..., 20.61 times the default's speed
//     100 trials at size 256, 7 raced at 384: 1.40 s of launches
//     the same trials at the real size: 1.55 s, 1.1 times as much
//     one element an item, the best tried: 0.80 times
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
               100 * (p->stats.q3 - p->stats.q1) / p->stats.median, p->throughput / 1e9,
               i == s->msp ? "  MSP" : "", i == s->settled ? "  settled" : "");
    }
    printf("%s; %.2g s of launches\n", gputune_verdict_name(s->verdict), curve->device_seconds);
}

static void print_cost(const gputune_outcome *o)
{
    const gputune_msp_outcome *m = o->msp;
    char text[256];
    printf("%s, %.2f times the default's speed%s%s\n",
           gputune_config_text(&o->config, text, sizeof text), o->speedup, *o->note ? ": " : "",
           o->note);
    if (!m) return; // known from an earlier run
    printf("%d trials at size %.0f, %d raced at %.0f: %.2f s of launches\n", m->trials, m->size,
           m->candidates, m->target, o->device_seconds);
    printf("the same trials at the real size: %.2f s, %.1f times as much\n", m->exhaustive_seconds,
           m->search_speedup);
}

// The fastest trial whose items make one element each: what tiles and work-groups alone are worth.
static void print_not_coarsened(gputune_kernel *kernel, const case_data *data, double seconds)
{
    const gputune_trial *best = NULL;
    gputune_stats stats;
    for (int i = 0; i < gputune_kernel_trial_count(kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(kernel, i);
        if (t->result == GPUTUNE_OK && (!best || t->value < best->value) &&
            gputune_get_int(&t->config, "ITEMS_M") * gputune_get_int(&t->config, "ITEMS_N") == 1)
            best = t;
    }
    if (best && gputune_time_config(kernel, &best->config, data->args, data->arg_count, 5,
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
    desc.tune.saturation.resize = "M = size, N = size, K = size";
    desc.tune.saturation.complexity = GPUTUNE_CUBIC;
    desc.tune.saturation.smallest = 16;
    desc.tune.saturation.ratio = 1.5;
    desc.tune.budget.trials = 100;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);

    gputune_curve curve;
    gputune_outcome outcome;
    bool ok = gputune_saturate(kernel, NULL, NULL, data.args, data.arg_count, &curve) == GPUTUNE_OK;
    if (ok) print_curve(&curve);
    ok = ok && gputune_tune(kernel, data.args, data.arg_count, &outcome) == GPUTUNE_OK;
    if (ok) print_cost(&outcome);
    if (ok && outcome.msp) print_not_coarsened(kernel, &data, outcome.default_stats.median);
    ok = ok && gputune_run(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    if (!ok) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    ok = ok && case_verify(&data);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
    return !ok;
}
