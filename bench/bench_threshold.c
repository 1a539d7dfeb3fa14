// How the threshold of the minimum saturation point changes what MSP-tuning gains and costs:
// figure 7 of Magni.
//
//     sh bench/run.sh threshold [cuda|opencl|pocl] [PROGRAM ...] [options]
//
// Arguments as of bench_msp.c, but --threshold and the figures. On one measured curve each
// threshold of 0, 1, ... 15 % picks its size; each size picked is searched once, exhaustively, and
// the winner raced at the target.
//
// Rows: result<TAB>PROGRAM.name_T<TAB>value<TAB>unit, T the threshold in per cent, and mean.name_T:
//   msp_T                 work-items
//   speedup_T             the default's time at the target over the winner's; all winners and the
//                         default timed in turn, medians
//   search_speedup_T      seconds of all launches of the exhaustive search at the target over those
//                         of the curve, the search at the size and the race of its best
#define _POSIX_C_SOURCE 200809L // fork, unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "msp.h"

enum { THRESHOLDS = 16, SEARCHES_PLANNED = 5 };

// Which points of the curve the thresholds pick; returns how many different ones, at[] of each
// threshold being an index into points[].
static int pick(const gputune_curve *curve, int *points, int *at)
{
    int count = 0;
    for (int t = 0; t < THRESHOLDS; t++) {
        gputune_saturation saturation = gputune_saturation_of(
            curve->size, curve->work, curve->seconds, curve->count, t > 0 ? t / 100.0 : -1);
        int i = 0;
        while (i < count && points[i] != saturation.msp) i++;
        if (i == count) points[count++] = saturation.msp;
        at[t] = i;
    }
    return count;
}

static void print_rows(msp_job *job, const gputune_curve *curve, const int *points, const int *at,
                       const double *seconds, const double *costs)
{
    for (int t = 0; t < THRESHOLDS; t++) {
        char name[32];
        snprintf(name, sizeof name, "msp_%d", t);
        msp_row(job, name, msp_items_at(curve, points[at[t]]), "work-items");
        snprintf(name, sizeof name, "speedup_%d", t);
        msp_row(job, name, seconds[0] / seconds[2 + at[t]], "x");
        snprintf(name, sizeof name, "search_speedup_%d", t);
        msp_row(job, name, costs[THRESHOLDS] / (curve->device_seconds + costs[at[t]]), "x");
    }
}

static bool run(msp_job *job)
{
    static gputune_curve curve;
    static char winners[THRESHOLDS + 1][512]; // the first: of the search at the target
    double seconds[THRESHOLDS + 2], costs[THRESHOLDS + 1];
    int points[THRESHOLDS], at[THRESHOLDS], count;
    gputune_saturation_desc desc;
    gputune_tune_desc tune;
    gputune_kernel *kernel;
    gputune_outcome all;
    if (!msp_plan(job, SEARCHES_PLANNED)) return false;
    kernel = msp_kernel(job, NULL);
    job->items = msp_items(job, kernel);
    gputune_kernel_destroy(kernel);
    desc = msp_ladder(job);
    if (!msp_curve(job, &desc, NULL, &curve) || !msp_write_csv(job, "", &curve)) return false;
    msp_row(job, "target", job->items, "work-items");
    msp_row_text(job, "verdict", msp_verdict(&curve), "verdict");
    tune = msp_exhaustive(job, 0.4);
    if (!msp_search(job, "exhaustive", &tune, &all, NULL, winners[0], sizeof winners[0]))
        return false;
    costs[THRESHOLDS] = all.device_seconds;
    count = pick(&curve, points, at);
    for (int i = 0; i < count; i++) {
        if (points[i] == curve.count - 1) { // nothing smaller: the search at the target
            memcpy(winners[1 + i], winners[0], sizeof winners[0]);
            costs[i] = all.device_seconds;
        } else if (!msp_search_at(job, curve.size[points[i]], 0.4 / count, winners[1 + i],
                                  sizeof winners[0], &costs[i]))
            return false;
    }
    if (!msp_compare(job, winners, 1 + count, seconds)) return false;
    msp_row(job, "max_speedup", seconds[0] / seconds[1], "x");
    print_rows(job, &curve, points, at, seconds, costs);
    return true;
}

int main(int argc, char **argv)
{
    static const char *const quick[] = { "blackscholes", "sgemm", NULL };
    msp_settings settings = msp_parse(argc, argv, 600);
    msp_means means;
    char name[32];
    int failed;
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    setenv("POCL_KERNEL_CACHE", "0", 0); // as in bench_msp.c
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    failed = msp_main(&settings, quick, run, &means);
    msp_print_mean(&means, "max_speedup", "x");
    for (int t = 0; t < 2 * THRESHOLDS; t++) {
        snprintf(name, sizeof name, "%sspeedup_%d", t % 2 ? "search_" : "", t / 2);
        msp_print_mean(&means, name, "x");
    }
    return failed > 0;
}
