// Saturation (Magni): of the paper's sixteen programs, unmodified, the throughput curve,
// the minimum saturation point (MSP), an exhaustive search of the coarsening space at the target
// size, and tuning at the MSP. Its figures 2 and 6, table 3; 3 and 5 on request.
//
//     sh bench/run.sh msp [cuda|opencl|pocl] [PROGRAM ...] [options]
//
//   cuda, opencl, pocl    the device: NVIDIA's through CUDA, a GPU through OpenCL, the processor
//                         through PoCL; none: the best OpenCL device
//   PROGRAM               parts of names; none: all
//   --seconds N           for all of them together (600); how it is spent: bench/msp.h
//   --configs N           at most so many configurations, the same for both searches
//   --largest N           most work-items of a target
//   --beyond N            targets up to N times those of table 1, which is of 2014
//   --least MS            targets whose default launch takes at least MS milliseconds, the smallest
//                         by doubling (convolution: a mask of 31 x 31), and --configs (64) drawn
//                         configurations, by the default strategy; what reaches none is left out.
//                         --figure3 and 5 and rows about work-groups: not with this
//   --threshold T         of the MSP (0.1)
//   --csv FOLDER          the curves as FOLDER/PROGRAM.csv, which must exist
//   --quick               a reduced set for two cores in two minutes; on such it is the default
//   --figure5             curves for the factors 1, 2, 4, 8, 16 (rows factorF_peak; CSV)
//   --figure3             the best of each size, raced at the target (rows best_of_N: the share of
//                         the maximum reached when searching at N work-items)
//
// Rows: result<TAB>PROGRAM.name<TAB>value<TAB>unit, and mean.name: geometric means.
//   msp                   work-items at the MSP as the paper defines it;  verdict: of the curve
//   searched              work-items of the problem that MSP-tuning searched on
//   target                work-items of the target
//   configurations        of the space searched by both;  space: of the whole one. Fewer: drawn
//   max_speedup, msp_speedup      the default's time at the target over that of the exhaustive
//                         search's winner, and of MSP-tuning's; all timed in turn, medians
//   group_speedup         the same of the best work-group without coarsening (FACTOR_* of 1), of
//                         the exhaustive search's trials;  coarsening: max_speedup / group_speedup,
//                         what coarsening itself is worth
//   fraction              msp_speedup / max_speedup;  default_fraction: 1 / max_speedup, what the
//                         default alone scores without any search
//   search_speedup        equation 2: seconds of all launches of the exhaustive search over those
//                         of the curve, the search at the MSP and the final race at the target.
//                         Launches are those of trials, verification's and the race's included;
//                         not counted: filling and copying buffers, comparing outputs, compiling
//   wall_speedup          the same in wall time, everything included
//   search_seconds, msp_seconds   that wall time;  race_share: the part of the former's that came
//                         behind its last trial
// Rows of older results, extrapolated_cost and whole_curve_speedup: of a curve that ended where a
// model of it was certain. Over 16 programs it took 0.97 (OpenCL: 1.01) of the whole one's launches
// and left search_speedup as it was (3.51 and 3.51, 0.49 and 0.50): it is gone.
// Every winner's output at the target is compared with plain C.
#define _POSIX_C_SOURCE 200809L // fork, unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "msp.h"

static void print_space(msp_job *job)
{
    gputune_kernel *kernel = msp_kernel(job, NULL);
    const gputune_space *space = msp_space(job, kernel);
    job->items = msp_items(job, kernel);
    msp_row(job, "target", job->items, "work-items");
    if (space) msp_row(job, "configurations", (double)gputune_space_count(space), "");
    msp_row(job, "space", job->count, "");
    gputune_kernel_destroy(kernel);
}

static bool print_curve(msp_job *job, gputune_curve *curve)
{
    gputune_saturation_desc desc = msp_ladder(job);
    if (!msp_curve(job, &desc, NULL, curve) || !msp_write_csv(job, "", curve)) return false;
    msp_row(job, "msp", msp_items_at(curve, curve->saturation.msp), "work-items");
    msp_row_text(job, "verdict", msp_verdict(curve), "verdict");
    return true;
}

static void print_figure5(msp_job *job)
{
    gputune_saturation_desc desc = msp_ladder(job);
    gputune_curve *curve = (gputune_curve *)calloc(1, sizeof *curve);
    for (int factor = 1; curve && factor <= 16; factor *= 2) {
        char text[64], name[64];
        snprintf(text, sizeof text, "FACTOR_X=%d", factor);
        snprintf(name, sizeof name, "factor%d_peak", factor);
        if (!msp_curve(job, &desc, text, curve)) continue;
        double peak = 0;
        for (int i = 0; i < curve->count; i++)
            peak = fmax(peak, curve->work[i] / curve->seconds[i]);
        msp_row(job, name, peak, "units/s");
        snprintf(name, sizeof name, ".factor%d", factor);
        msp_write_csv(job, name, curve);
    }
    free(curve);
}

static bool print_figure3(msp_job *job, const gputune_curve *curve, const char *best)
{
    static char winners[MSP_VALUES][512];
    double seconds[MSP_VALUES + 1], items[MSP_VALUES];
    int count = 1;
    snprintf(winners[0], sizeof winners[0], "%s", best);
    for (int i = 0; i < curve->count - 1 && count < MSP_VALUES - 1 && msp_left(job) > 0; i++) {
        double cost;
        items[count] = msp_items_at(curve, i);
        if (msp_search_at(job, curve->size[i], 0.2, winners[count], sizeof winners[0], &cost))
            count++;
    }
    if (!msp_compare(job, winners, count, seconds)) return false;
    for (int i = 1; i < count; i++) {
        char name[64];
        snprintf(name, sizeof name, "best_of_%.0f", items[i]);
        msp_row(job, name, seconds[1] / seconds[i + 1], "of the maximum");
    }
    return true;
}

// Keeps when the last trial was told.
static bool see_trial(void *user, const gputune_progress *p)
{
    if (strcmp(p->phase, "search") == 0) *(double *)user = p->seconds;
    return true;
}

// Everything of one program.
static bool run(msp_job *job)
{
    static gputune_curve curve;
    static gputune_curve cut;
    static char winners[3][512];
    const bool whole = !(job->settings->least > 0);
    double seconds[4], cost, searched = 0;
    gputune_saturation_desc ladder;
    gputune_tune_desc tune;
    gputune_outcome all, at_msp;
    if (!msp_plan(job, 2)) return !whole; // it was said why
    print_space(job);
    if (whole && !print_curve(job, &curve)) return false;
    if (whole && job->settings->figure5) print_figure5(job);
    tune = msp_exhaustive(job, 0.6);
    tune.progress = see_trial;
    tune.user = &searched;
    if (!msp_search(job, whole ? "exhaustive" : "at the target", &tune, &all, NULL, winners[0],
                    sizeof winners[0]))
        return false;
    snprintf(winners[1], sizeof winners[1], "%s", winners[0]);
    tune = msp_exhaustive(job, 0.6);
    ladder = msp_ladder(job);
    tune.msp = &ladder;
    if (!msp_search(job, "MSP", &tune, &at_msp, &cut, winners[1], sizeof winners[0])) return !whole;
    cost = at_msp.device_seconds;
    msp_say(job, "on the device: curve %.3f s, search of %d and race %.3f s; %s",
            cut.device_seconds, at_msp.trials, cost - cut.device_seconds, at_msp.note);
    if (!whole) msp_row(job, "msp", msp_items_at(&cut, cut.saturation.msp), "work-items");
    if (!whole) msp_row_text(job, "verdict", msp_verdict(&cut), "verdict");
    msp_row(job, "searched", at_msp.search_size, "as the ladder counts");
    if (!whole && at_msp.search_size >= job->items) return true; // no saturation, no figures
    snprintf(winners[2], sizeof winners[2], "%s", job->group);
    if (whole) msp_say(job, "not coarsened: %s", job->group);
    if (!msp_compare(job, winners, whole ? 3 : 2, seconds)) return false;
    msp_row(job, "default_us", 1e6 * seconds[0], "us");
    msp_row(job, "max_speedup", seconds[0] / seconds[1], "x");
    msp_row(job, "msp_speedup", seconds[0] / seconds[2], "x");
    if (whole) msp_row(job, "group_speedup", seconds[0] / seconds[3], "x");
    if (whole) msp_row(job, "coarsening", seconds[3] / seconds[1], "x");
    msp_row(job, "fraction", seconds[1] / seconds[2], "of the maximum");
    msp_row(job, "default_fraction", seconds[1] / seconds[0], "of the maximum");
    msp_row(job, "search_speedup", all.device_seconds / cost, "x");
    msp_row(job, "wall_speedup", all.seconds / at_msp.seconds, "x");
    msp_row(job, "search_seconds", all.seconds, "s");
    msp_row(job, "msp_seconds", at_msp.seconds, "s");
    msp_row(job, "race_share", 1 - searched / all.seconds, "of search_seconds");
    return !whole || !job->settings->figure3 || print_figure3(job, &curve, winners[0]);
}

int main(int argc, char **argv)
{
    static const char *const names[] = { "fraction",      "default_fraction", "max_speedup",
                                         "group_speedup", "coarsening",       "msp_speedup",
                                         "search_speedup", "wall_speedup" };
    enum { NAMES = sizeof names / sizeof *names };
    static const char *const quick[] = { "blackscholes", "mvCoal", "sgemm", NULL };
    static const char *const deep[] = { "convolution", "mriQ", "nbody", "sgemm", NULL };
    msp_settings settings = msp_parse(argc, argv, 600);
    msp_means means;
    int failed;
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    setenv("POCL_KERNEL_CACHE", "0", 0); // else a second search would find what a first compiled
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    for (int i = 0; deep[i] && settings.least > 0 && settings.name_count == i; i++)
        settings.names[settings.name_count++] = deep[i]; // much work an item
    failed = msp_main(&settings, quick, run, &means);
    for (int i = 0; i < NAMES; i++)
        msp_print_mean(&means, names[i], i < 3 ? "" : "x");
    return failed > 0;
}
