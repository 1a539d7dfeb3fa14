// Regression trees of tuning spaces (jia-starchart): of its six kernels, with all their parameters,
// how well trees predict from so many random samples (figure 4), how many they need, what they say
// of the space, what they find; power trees and several goals at once (figure 10), two devices in
// one tree (figure 8), the input size as a parameter (nbody; VII.C).
//
//     sh bench/run.sh starchart [cuda|opencl|pocl] [KERNEL ...] [options] [FILE.csv ...]
//
//   cuda, opencl, pocl    the device: NVIDIA's through CUDA, a GPU through OpenCL, the processor
//                         through PoCL; none: the best OpenCL device
//   KERNEL                parts of names; none: all six, or none if there are files
//   FILE.csv              recorded samples in place of a kernel: parameters, then runtime (s) and,
//                         if known, wattage
//   --samples N           of each kernel (1000; --quick: 80), of which 200, or a quarter if fewer,
//                         are held out
//   --seconds N           for all kernels together (255; on a processor 420; --quick: 150); who is
//                         short of time takes fewer samples
//   --power N             samples of power of kmeans and matrix, where the device measures it (70;
//                         about 0.7 s each)
//   --repeats N           divisions into training and held-out samples (10)
//   --against API         hotspot on a second device, too: both in one tree
//   --csv FOLDER          the samples as FOLDER/KERNEL.csv, which can be read as FILE.csv
//   --quick               small problems, for two cores
//
// Rows: result<TAB>KERNEL.name<TAB>value<TAB>unit. Trees and sentences go to stderr.
//   configurations        of the space;  samples, failed: measured, and those that did not run
//   error_N               median of |predicted - measured| / measured over the held-out samples, of
//                         a tree grown from N others as in the paper; median over the divisions
//   log_error_N           of a tree of the times' logarithms, its leaves two samples or more
//   trend_error_N, forest_error_N    of gputune_tree_for_times, single and as a forest
//   share_200             200 samples over the configurations
//   adaptive_samples, adaptive_error, adaptive_share     where adaptive sampling (VI.A) ends that
//                         wants an error of 15 % (log tree)
//   default_us, best_us, best_speedup      the best of the samples raced with the default
//   tree_us, tree_predicted_us, tree_speedup    what the log tree of 200 samples predicts to be the
//                         best of 20,000 configurations: measured, predicted, against the default
//   best_mean_us, best_worst_us, best_samples    the tree's best subspace: its text is on stderr
//   sensitivity_PARAM     (most - least) / mean of mean predictions over the parameter's values
//   device_API_us         of hotspot's two devices in one tree, each one's best subspace
//   power_...             the same of power;  power_least, power_most: W
//   power_saved           W between the fastest sample and the most frugal within 10 % of its time
//   goals_inside          of samples that no tree has seen and that lie where trees promise both
//                         goals, the share that meets them;  goals_found: of those that meet
//                         them, the share that lies there;  goals_base: of all, the share that do
// The outputs of the winner, of the default and of what the tree found are compared with plain C;
// all trials with the default's, of bfs with plain C.
#define _POSIX_C_SOURCE 200809L // unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "starchart.h"
#include "device.h"

enum { MOST_NAMES = 16, MOST_REPEATS = 51, MOST_VALID = 200, DRAWN = 20000, LINE = 4096 };

static const int marks[] = { 20, 40, 60, 80, 100, 200, 400, 800 };
enum { MARKS = sizeof marks / sizeof *marks };

typedef struct settings {
    const char *api, *against, *csv;
    const char *names[MOST_NAMES], *files[MOST_NAMES];
    int name_count, file_count;
    int samples, power, repeats;
    double seconds;
    bool quick;
} settings;

// Samples of a kernel or a file. Rows of time and power are the same where power is known.
typedef struct sample_set {
    char name[64];
    const settings *s;
    gputune_dataset *time, *power, *power_time; // the last: times of the samples of power
    double count;                               // configurations
} sample_set;

typedef enum tree_kind { TREE_PAPER, TREE_LOG, TREE_TREND, TREE_FOREST, TREE_KINDS } tree_kind;

// ---------------------------------------------------------------------------------------------
// Command line, devices, rows
// ---------------------------------------------------------------------------------------------

static void usage(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s %s\n", what, why);
    exit(2);
}

static double number(const char *text, const char *option)
{
    char *end;
    const double value = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !(value >= 0)) usage(option, "wants a number");
    return value;
}

static bool is_api(const char *name)
{
    return name &&
           (strcmp(name, "cuda") == 0 || strcmp(name, "opencl") == 0 || strcmp(name, "pocl") == 0);
}

static void add_name(settings *s, const char *name)
{
    const size_t length = strlen(name);
    int known = 0;
    for (int i = 0; i < STARCHART_COUNT; i++)
        known += strstr(starchart_kinds[i].base.name, name) != NULL;
    if (s->name_count == MOST_NAMES || s->file_count == MOST_NAMES) usage(name, "is one too many");
    if (known)
        s->names[s->name_count++] = name;
    else if (length > 4 && strcmp(name + length - 4, ".csv") == 0)
        s->files[s->file_count++] = name;
    else
        usage(name, "is neither cuda, opencl, pocl, a kernel nor a file.csv");
}

static bool parse_number(settings *s, const char *option, const char *next)
{
    if (strcmp(option, "--samples") == 0)
        s->samples = (int)number(next, option);
    else if (strcmp(option, "--seconds") == 0)
        s->seconds = number(next, option);
    else if (strcmp(option, "--power") == 0)
        s->power = (int)number(next, option);
    else if (strcmp(option, "--repeats") == 0)
        s->repeats = (int)number(next, option);
    else
        return false;
    return true;
}

static settings parse(int argc, char **argv)
{
    settings s;
    memset(&s, 0, sizeof s);
    s.api = "";
    s.power = -1;
    s.repeats = 10;
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(o, "--quick") == 0)
            s.quick = true;
        else if (parse_number(&s, o, next))
            i++;
        else if (strcmp(o, "--against") == 0 && is_api(next))
            s.against = next, i++;
        else if (strcmp(o, "--csv") == 0 && next)
            s.csv = next, i++;
        else if (is_api(o))
            s.api = o;
        else
            add_name(&s, o);
    }
    if (s.samples == 0) s.samples = s.quick ? 80 : 1000;
    if (s.power < 0) s.power = s.quick ? 20 : 70;
    if (s.repeats < 1 || s.repeats > MOST_REPEATS) usage("--repeats", "wants 1 to 51");
    return s;
}

static void row(const sample_set *set, const char *name, double value, const char *unit)
{
    printf("result\t%s.%s\t%.6g\t%s\n", set->name, name, value, unit);
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

// ---------------------------------------------------------------------------------------------
// Trees
// ---------------------------------------------------------------------------------------------

static gputune_tree *fit(const gputune_samples *samples, tree_kind kind, int leaves)
{
    gputune_tree_desc desc;
    gputune_tree *tree;
    memset(&desc, 0, sizeof desc);
    if (kind == TREE_TREND) desc = gputune_tree_for_times(samples, GPUTUNE_FOREST_NONE);
    if (kind == TREE_FOREST) desc = gputune_tree_for_times(samples, GPUTUNE_FOREST_BAGGED);
    desc.samples = *samples;
    desc.log = kind != TREE_PAPER;
    if (kind == TREE_LOG) desc.min_leaf = 2;
    desc.leaves = leaves;
    desc.seed = 1;
    tree = gputune_tree_create(&desc);
    if (!tree || gputune_tree_error(tree)->result)
        fail("tree", tree ? gputune_tree_error(tree)->text : "out of memory");
    return tree;
}

// Rows in a random order: a copy, whose arrays the caller frees.
static gputune_samples shuffled(const gputune_samples *samples, uint64_t seed)
{
    const size_t width = (size_t)samples->feature_count, n = samples->count;
    gputune_samples s = *samples;
    double *x = (double *)malloc(n * width * sizeof *x), *y = (double *)malloc(n * sizeof *y);
    if (!x || !y) fail("samples", "out of memory");
    memcpy(x, samples->x, n * width * sizeof *x);
    memcpy(y, samples->y, n * sizeof *y);
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)case_draw(&seed, (uint32_t)i);
        const double swap = y[i - 1];
        y[i - 1] = y[k];
        y[k] = swap;
        for (size_t f = 0; f < width; f++) {
            const double other = x[(i - 1) * width + f];
            x[(i - 1) * width + f] = x[k * width + f];
            x[k * width + f] = other;
        }
    }
    s.x = x;
    s.y = y;
    s.weight = NULL;
    return s;
}

static void free_shuffled(gputune_samples *s)
{
    free((void *)s->x);
    free((void *)s->y);
}

// Those held out: the last ones.
static size_t held_out(const gputune_samples *s)
{
    return s->count / 4 < MOST_VALID ? s->count / 4 : MOST_VALID;
}

static double relative_error(const gputune_tree *tree, const gputune_samples *s)
{
    double errors[MOST_VALID];
    const size_t valid = held_out(s), width = (size_t)s->feature_count;
    for (size_t i = 0; i < valid; i++) {
        const size_t at = s->count - valid + i;
        errors[i] = fabs(gputune_tree_predict(tree, s->x + at * width, NULL) / s->y[at] - 1);
    }
    return median(errors, (int)valid);
}

// Median over the divisions of the error of trees of so many samples.
static double error_of(const sample_set *set, const gputune_samples *samples, tree_kind kind,
                       size_t training)
{
    double errors[MOST_REPEATS];
    for (int r = 0; r < set->s->repeats; r++) {
        gputune_samples s = shuffled(samples, (uint64_t)r + 1), some = s;
        gputune_tree *tree;
        some.count = training;
        tree = fit(&some, kind, 0);
        errors[r] = relative_error(tree, &s);
        gputune_tree_destroy(tree);
        free_shuffled(&s);
    }
    return median(errors, set->s->repeats);
}

// Figure 4. prefix: "" or "power_".
static void print_errors(const sample_set *set, const gputune_samples *samples, const char *prefix)
{
    static const char *const kinds[TREE_KINDS] = { "error", "log_error", "trend_error",
                                                   "forest_error" };
    const size_t most = samples->count - held_out(samples);
    if (held_out(samples) < 5) return;
    for (int kind = 0; kind < TREE_KINDS; kind++)
        for (int m = 0; m <= MARKS; m++) {
            // all that there are, where that is no mark
            const size_t n = m < MARKS ? (size_t)marks[m] : most;
            char name[64];
            if (n > most || (m == MARKS && most >= 800)) continue;
            snprintf(name, sizeof name, "%s%s_%zu", prefix, kinds[kind], n);
            row(set, name, 100 * error_of(set, samples, (tree_kind)kind, n), "%");
        }
}

// ---------------------------------------------------------------------------------------------
// What the trees say
// ---------------------------------------------------------------------------------------------

static gputune_subspaces *query(const gputune_goal *goals, int count,
                                const gputune_condition *within, bool merge)
{
    gputune_subspaces_desc desc;
    gputune_subspaces *all;
    memset(&desc, 0, sizeof desc);
    desc.goals = goals;
    desc.goal_count = count;
    desc.within = within;
    desc.merge = merge;
    all = gputune_subspaces_create(&desc);
    if (!all || gputune_subspaces_error(all)->result)
        fail("subspaces", all ? gputune_subspaces_error(all)->text : "out of memory");
    return all;
}

static gputune_goal goal_of(const gputune_tree *tree, const gputune_samples *samples)
{
    gputune_goal goal;
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.samples = *samples;
    return goal;
}

// The subspaces of a small tree, best first; scale: the unit's.
static void say_subspaces(const gputune_subspaces *all, double scale, const char *unit)
{
    for (int i = 0; i < gputune_subspaces_count(all); i++) {
        const gputune_subspace *s = gputune_subspaces_at(all, i);
        const gputune_subspace_value *v = &s->values[0];
        fprintf(stderr, "  %10.4g %s (%zu samples, %.4g to %.4g)  %s\n", scale * v->value, unit,
                v->count, scale * v->least, scale * v->most, s->text);
    }
}

// The best subspace of the space, the first eight as text, and which parameter matters.
static void print_subspaces(const sample_set *set, const gputune_samples *samples,
                            const char *prefix, double scale, const char *unit)
{
    gputune_tree *top = fit(samples, TREE_LOG, 8), *tree = fit(samples, TREE_LOG, 0);
    gputune_goal goals[2] = { goal_of(top, samples), goal_of(tree, samples) };
    gputune_subspaces *eight = query(&goals[0], 1, NULL, false);
    gputune_subspaces *all = query(&goals[1], 1, NULL, false);
    const gputune_subspace *best = gputune_subspaces_at(all, 0);
    gputune_sensitivity s;
    const char *text;
    char name[128];
    text = gputune_tree_text(top, 0);
    fprintf(stderr, "%s: the first seven splits, and where they lead\n%s", set->name,
            text ? text : "");
    say_subspaces(eight, scale, unit);
    fprintf(stderr, "%s: the best of %d subspaces: %s\n", set->name, gputune_subspaces_count(all),
            best->text);
    snprintf(name, sizeof name, "%sbest_mean_%s", prefix, unit);
    row(set, name, scale * best->values[0].mean, unit);
    snprintf(name, sizeof name, "%sbest_worst_%s", prefix, unit);
    row(set, name, scale * best->values[0].most, unit);
    snprintf(name, sizeof name, "%sbest_samples", prefix);
    row(set, name, (double)best->values[0].count, "");
    for (int f = 0; f < samples->feature_count; f++) {
        if (gputune_subspaces_sensitivity(all, -1, 0, f, &s) != GPUTUNE_OK) continue;
        snprintf(name, sizeof name, "%ssensitivity_%s", prefix, samples->features[f].name);
        row(set, name, s.spread, "of the mean");
    }
    gputune_subspaces_destroy(all);
    gputune_subspaces_destroy(eight);
    gputune_tree_destroy(tree);
    gputune_tree_destroy(top);
}

// W that a slowdown of up to 10 % saves among the samples.
static double power_saved(const gputune_samples *time, const gputune_samples *power)
{
    size_t fastest = 0;
    double least;
    for (size_t i = 1; i < time->count; i++)
        if (time->y[i] < time->y[fastest]) fastest = i;
    least = power->y[fastest];
    for (size_t i = 0; i < time->count; i++)
        if (time->y[i] <= 1.1 * time->y[fastest]) least = fmin(least, power->y[i]);
    return power->y[fastest] - least;
}

// Figure 10: subspaces where both time and power are small, from the first 60 % of the samples, and
// what the others say of them. Bounds: the fastest third's time, the most frugal half's power.
static void print_goals(const sample_set *set, const gputune_samples *time,
                        const gputune_samples *power)
{
    gputune_samples t = shuffled(time, 5), p = shuffled(power, 5); // the same order
    gputune_samples sorted[2] = { shuffled(time, 5), shuffled(power, 5) };
    gputune_goal goals[2];
    gputune_tree *trees[2];
    gputune_subspaces *met;
    const size_t width = (size_t)t.feature_count, total = t.count;
    size_t inside = 0, good = 0, both = 0;
    t.count = p.count = total * 6 / 10;
    trees[0] = fit(&t, TREE_LOG, 0);
    trees[1] = fit(&p, TREE_LOG, 0);
    for (int g = 0; g < 2; g++) {
        goals[g] = goal_of(trees[g], g ? &p : &t);
        goals[g].kind = GPUTUNE_GOAL_BELOW;
        gputune_stats_of((double *)sorted[g].y, (int)total); // sorts
        goals[g].bound = sorted[g].y[g ? total / 2 : total / 3];
    }
    met = query(goals, 2, NULL, true);
    fprintf(stderr, "%s: at most %.4g us and %.4g W:\n", set->name, 1e6 * goals[0].bound,
            goals[1].bound);
    for (int i = 0; i < gputune_subspaces_count(met) && i < 8; i++) {
        const gputune_subspace *s = gputune_subspaces_at(met, i);
        fprintf(stderr, "  %.4g us, %.4g W  %s\n", 1e6 * s->values[0].value, s->values[1].value,
                s->text);
    }
    for (size_t i = t.count; i < total; i++) {
        const bool meets = t.y[i] <= goals[0].bound && p.y[i] <= goals[1].bound;
        const bool there = gputune_subspaces_find(met, t.x + i * width) >= 0;
        inside += there;
        good += meets;
        both += there && meets;
    }
    if (inside > 0) row(set, "goals_inside", (double)both / (double)inside, "of those there");
    if (good > 0) row(set, "goals_found", (double)both / (double)good, "of those that meet them");
    row(set, "goals_base", (double)good / (double)(total - t.count), "of all");
    gputune_subspaces_destroy(met);
    for (int g = 0; g < 2; g++) {
        gputune_tree_destroy(trees[g]);
        free_shuffled(&sorted[g]);
    }
    free_shuffled(&t);
    free_shuffled(&p);
}

static void print_power(const sample_set *set)
{
    const gputune_samples power = gputune_dataset_works(set->power);
    const gputune_samples time = gputune_dataset_works(set->power_time);
    double least = HUGE_VAL, most = 0;
    if (power.count < 10) return;
    for (size_t i = 0; i < power.count; i++) {
        least = fmin(least, power.y[i]);
        most = fmax(most, power.y[i]);
    }
    row(set, "power_samples", (double)power.count, "");
    row(set, "power_least", least, "W");
    row(set, "power_most", most, "W");
    row(set, "power_saved", power_saved(&time, &power), "W");
    print_errors(set, &power, "power_");
    print_subspaces(set, &power, "power_", 1, "W");
    print_goals(set, &time, &power);
}

// ---------------------------------------------------------------------------------------------
// Sampling
// ---------------------------------------------------------------------------------------------

// Tunes by random search; the trials are the samples, but for the default's, which was not drawn.
static gputune_kernel *sample(const starchart_kind *kind, case_data *data, const char *objective,
                              int trials, double seconds, gputune_outcome *o)
{
    gputune_kernel_desc desc = starchart_desc(kind, data);
    gputune_kernel *kernel;
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.trials = trials + 1;
    desc.tune.budget.seconds = seconds;
    desc.tune.race_rounds = objective ? 1 : 9;
    desc.tune.objective = objective;
    desc.tune.seed = objective ? 2 : 1;
    kernel = gputune_kernel_create(data->device, &desc);
    if (gputune_tune(kernel, data->args, data->arg_count, o) != GPUTUNE_OK)
        fail(kind->base.name, gputune_kernel_error(kernel)->text);
    return kernel;
}

// Launches a configuration once and compares what it wrote with plain C.
static void check(const starchart_kind *kind, gputune_kernel *kernel, case_data *data,
                  const gputune_config *config)
{
    char why[256] = "";
    if (!case_reset(data) ||
        gputune_run_config(kernel, config, data->args, data->arg_count) != GPUTUNE_OK)
        fail(kind->base.name, gputune_kernel_error(kernel)->text);
    if (!starchart_check(data, kind, why, sizeof why)) fail("wrong output", why);
}

static void say_failures(const sample_set *set, const gputune_kernel *kernel)
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
            fprintf(stderr, "%s: %d x %s: %.200s\n", set->name, count,
                    gputune_result_name((gputune_result)r), reason);
    }
}

// The input size, where it is a parameter: then times are those of a unit of work.
static const gputune_feature size_feature = { "N", NULL };

// The trials as rows; returns how many failed.
static int add_trials(sample_set *set, const starchart_kind *kind, const case_data *data,
                      const gputune_kernel *kernel, bool power)
{
    const double n = data->size[0], per = kind->sizes ? data->work : 1;
    int failed = 0;
    for (int i = 1; i < gputune_kernel_trial_count(kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(kernel, i);
        gputune_result result = GPUTUNE_OK;
        if (t->result != GPUTUNE_OK) {
            failed++;
        } else if (power) {
            result = gputune_dataset_add(set->power, &n, &t->config, t->power);
            if (!result)
                result = gputune_dataset_add(set->power_time, &n, &t->config, t->stats.median);
        } else {
            result = gputune_dataset_add(set->time, &n, &t->config, t->value / per);
        }
        if (result) fail(set->name, "a sample does not fit");
    }
    return failed;
}

// Adaptive sampling over the trials as they came.
static void print_adaptive(const sample_set *set, const gputune_kernel *kernel)
{
    gputune_sampler_desc desc;
    gputune_sampler *sampler;
    const gputune_sampler_point *curve;
    const int trials = gputune_kernel_trial_count(kernel);
    int count;
    memset(&desc, 0, sizeof desc);
    desc.space = gputune_kernel_trial(kernel, 0)->config.space;
    desc.tree.log = true;
    desc.tree.min_leaf = 2;
    desc.validation = trials / 4 < MOST_VALID ? trials / 4 : MOST_VALID;
    desc.error = 0.15;
    desc.growth = 1.25;
    if (desc.validation < 5) return;
    sampler = gputune_sampler_create(&desc);
    if (!sampler) fail(set->name, "out of memory");
    for (int i = 1; i < trials; i++) {
        const gputune_trial *t = gputune_kernel_trial(kernel, i);
        gputune_sampler_tell(sampler, &t->config, t->value);
    }
    curve = gputune_sampler_curve(sampler, &count);
    if (count > 0) {
        if (!gputune_sampler_good(sampler))
            fprintf(stderr, "%s: 15 %% were not reached\n", set->name);
        row(set, "adaptive_samples", curve[count - 1].samples, "");
        row(set, "adaptive_error", 100 * curve[count - 1].median, "%");
        row(set, "adaptive_share", 100 * curve[count - 1].share, "% of the space");
    }
    gputune_sampler_destroy(sampler);
}

// What the tree of 200 samples predicts to be the best of many configurations, measured.
static void print_found(const sample_set *set, const starchart_kind *kind, gputune_kernel *kernel,
                        case_data *data, double default_seconds)
{
    const gputune_space *space = gputune_kernel_trial(kernel, 0)->config.space;
    const double n = data->size[0], per = kind->sizes ? data->work : 1;
    gputune_samples some = gputune_dataset_works(set->time);
    gputune_tree *tree;
    gputune_config best = gputune_space_default(space);
    gputune_stats stats;
    double least = HUGE_VAL, x[GPUTUNE_MAX_FEATURES];
    uint64_t random = 11;
    some.count = some.count < 200 ? some.count : 200;
    tree = fit(&some, TREE_LOG, 0);
    for (int i = 0; i < DRAWN; i++) {
        const gputune_config config =
            gputune_space_at(space, gputune__random_below(&random, gputune_space_count(space)));
        double value;
        gputune_dataset_row(set->time, &n, &config, x);
        value = gputune_tree_predict(tree, x, NULL);
        if (!(value < least)) continue;
        least = value;
        best = config;
    }
    if (gputune_time_config(kernel, &best, data->args, data->arg_count, 9, &stats) == GPUTUNE_OK) {
        check(kind, kernel, data, &best);
        row(set, "tree_us", 1e6 * stats.median, "us");
        row(set, "tree_predicted_us", 1e6 * least * per, "us");
        row(set, "tree_speedup", default_seconds / stats.median, "x");
    }
    gputune_tree_destroy(tree);
}

static void print_outcome(const sample_set *set, const starchart_kind *kind, gputune_kernel *kernel,
                          case_data *data, const gputune_outcome *o)
{
    const gputune_config usual = gputune_space_default(o->config.space);
    char text[512];
    gputune_stats stats;
    check(kind, kernel, data, &o->config);
    check(kind, kernel, data, &usual);
    if (gputune_time_config(kernel, &usual, data->args, data->arg_count, 9, &stats) != GPUTUNE_OK)
        fail(set->name, gputune_kernel_error(kernel)->text);
    fprintf(stderr, "%s: the best sample, %.2f x: %s\n", set->name, o->speedup,
            gputune_config_text(&o->config, text, sizeof text));
    row(set, "default_us", 1e6 * stats.median, "us");
    row(set, "best_us", 1e6 * stats.median / o->speedup, "us");
    row(set, "best_speedup", o->speedup, "x");
    print_found(set, kind, kernel, data, stats.median);
}

static void free_set(sample_set *set)
{
    gputune_dataset_destroy(set->time);
    gputune_dataset_destroy(set->power);
    gputune_dataset_destroy(set->power_time);
}

static void make_tables(sample_set *set, const gputune_space *space,
                        const gputune_feature *features, int count)
{
    gputune_dataset **const tables[] = { &set->time, &set->power, &set->power_time };
    for (int i = 0; i < 3; i++) {
        *tables[i] = gputune_dataset_create(space, features, count, NULL);
        if (!*tables[i] || gputune_dataset_error(*tables[i])->result) fail(set->name, "no table");
    }
}

static const int *size_of(const settings *s, const starchart_kind *kind, gputune_device *device)
{
    if (s->quick) return kind->base.small;
    return gputune_device_limits(device)->is_gpu ? kind->base.large : kind->middle;
}

// Samples of one kernel, at each of its input sizes. False: no room for the data.
static bool sample_kind(sample_set *set, const starchart_kind *kind, gputune_device *device,
                        const int *first, int samples, double seconds, bool print)
{
    int size[3], failed = 0, trials = 0;
    // of a processor, three input sizes
    const int sizes = !kind->sizes ? 1 : gputune_device_limits(device)->is_gpu ? kind->sizes : 3;
    memcpy(size, first, sizeof size);
    for (int i = 0; i < sizes; i++, size[0] *= 2) {
        gputune_kernel *kernel;
        gputune_outcome o;
        case_data data;
        if (!case_make(&data, &kind->base, device, size, 1)) return false;
        kernel = sample(kind, &data, NULL, samples / sizes, seconds / sizes, &o);
        if (!set->time) make_tables(set, o.config.space, &size_feature, kind->sizes > 0);
        set->count = (double)gputune_space_count(o.config.space) * sizes;
        failed += add_trials(set, kind, &data, kernel, false);
        trials += gputune_kernel_trial_count(kernel) - 1;
        say_failures(set, kernel);
        if (i == sizes - 1 && print) {
            row(set, "configurations", set->count, "");
            row(set, "samples", trials - failed, "");
            row(set, "failed", failed, "");
            if (sizes == 1) print_adaptive(set, kernel);
            print_outcome(set, kind, kernel, &data, &o);
        }
        gputune_kernel_destroy(kernel);
        case_free(&data);
    }
    return true;
}

// Samples of power, where the device measures it.
static void sample_power(sample_set *set, const starchart_kind *kind, gputune_device *device,
                         const int *size, int samples)
{
    gputune_kernel *kernel;
    gputune_outcome o;
    case_data data;
    if (!case_make(&data, &kind->base, device, size, 1)) return;
    kernel = sample(kind, &data, "power", samples, 3.0 * samples, &o);
    add_trials(set, kind, &data, kernel, true);
    say_failures(set, kernel);
    gputune_kernel_destroy(kernel);
    case_free(&data);
}

static bool has_power(const starchart_kind *kind)
{
    return strcmp(kind->base.name, "kmeans") == 0 || strcmp(kind->base.name, "matrix") == 0;
}

// ---------------------------------------------------------------------------------------------
// Files
// ---------------------------------------------------------------------------------------------

static void write_file(const sample_set *set, const gputune_dataset *times,
                       const gputune_dataset *powers, const char *ending)
{
    const gputune_samples t = gputune_dataset_works(times);
    const double *p = powers ? gputune_dataset_works(powers).y : NULL;
    char path[512];
    FILE *file;
    if (!set->s->csv || t.count == 0) return;
    snprintf(path, sizeof path, "%s/%s%s.csv", set->s->csv, set->name, ending);
    file = fopen(path, "w");
    if (!file) fail(path, "cannot be written");
    for (int f = 0; f < t.feature_count; f++) fprintf(file, "%s,", t.features[f].name);
    fprintf(file, p ? "runtime,wattage\n" : "runtime\n");
    for (size_t i = 0; i < t.count; i++) {
        for (int f = 0; f < t.feature_count; f++)
            fprintf(file, "%.9g,", t.x[i * (size_t)t.feature_count + (size_t)f]);
        fprintf(file, "%.9g", t.y[i]);
        if (p) fprintf(file, ",%.9g", p[i]);
        fprintf(file, "\n");
    }
    fclose(file);
}

// The words of a line between commas, in place; returns how many.
static int split(char *line, char **words)
{
    int count = 0;
    for (char *word = strtok(line, ",\r\n"); word; word = strtok(NULL, ",\r\n"))
        if (count < GPUTUNE_MAX_FEATURES) words[count++] = word;
    return count;
}

static void read_file(sample_set *set, const char *path)
{
    FILE *file = fopen(path, "r");
    char head[LINE], line[LINE], *words[GPUTUNE_MAX_FEATURES];
    gputune_feature features[GPUTUNE_MAX_FEATURES];
    double x[GPUTUNE_MAX_FEATURES];
    int columns, params, power;
    if (!file || !fgets(head, sizeof head, file)) fail(path, "cannot be read");
    columns = split(head, words);
    power = columns > 0 && strcmp(words[columns - 1], "wattage") == 0;
    params = columns - 1 - power;
    if (params < 1 || strcmp(words[params], "runtime") != 0)
        fail(path, "does not end with runtime or runtime,wattage");
    memset(features, 0, sizeof features);
    for (int f = 0; f < params; f++) features[f].name = words[f];
    make_tables(set, NULL, features, params);
    while (fgets(line, sizeof line, file)) {
        gputune_result result;
        if (split(line, words) != columns) continue;
        for (int f = 0; f < params; f++) x[f] = atof(words[f]);
        result = gputune_dataset_add_row(set->time, x, atof(words[params]));
        if (!result && power)
            result = gputune_dataset_add_row(set->power, x, atof(words[columns - 1]));
        if (!result && power)
            result = gputune_dataset_add_row(set->power_time, x, atof(words[params]));
        if (result) fail(path, gputune_dataset_error(set->time)->text);
    }
    fclose(file);
}

static void bench_file(const settings *s, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    gputune_samples samples;
    sample_set set;
    memset(&set, 0, sizeof set);
    set.s = s;
    snprintf(set.name, sizeof set.name, "%.*s", (int)(strlen(name) - 4), name);
    read_file(&set, path);
    samples = gputune_dataset_works(set.time);
    row(&set, "samples", (double)samples.count, "");
    print_errors(&set, &samples, "");
    print_subspaces(&set, &samples, "", 1e6, "us");
    print_power(&set);
    free_set(&set);
}

// ---------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------

// The samples of two devices as one table, the device as a parameter.
static gputune_dataset *stack(const sample_set *first, const sample_set *second,
                              const char *const *names)
{
    gputune_samples samples = gputune_dataset_works(first->time);
    gputune_feature features[GPUTUNE_MAX_FEATURES + 1];
    const int count = samples.feature_count;
    gputune_dataset *both;
    memcpy(features, samples.features, (size_t)count * sizeof *features);
    features[count].name = "device";
    features[count].names = names;
    both = gputune_dataset_create(NULL, features, count + 1, NULL);
    for (int d = 0; both && d < 2; d++) {
        const double at = d;
        if (d == 1) samples = gputune_dataset_works(second->time);
        if (gputune_dataset_append(both, &samples, &at) != GPUTUNE_OK)
            fail("two devices", gputune_dataset_error(both)->text);
    }
    return both;
}

// Figure 8: one kernel on two devices, in one tree.
static void print_devices(const sample_set *set, const starchart_kind *kind, const int *size)
{
    const char *names[3] = { *set->s->api ? set->s->api : "first", set->s->against, NULL };
    gputune_device *device = bench_device(set->s->against);
    sample_set other = *set;
    gputune_dataset *both;
    gputune_samples samples;
    gputune_goal goal;
    gputune_tree *tree;
    other.time = other.power = other.power_time = NULL;
    if (!device || gputune_device_error(device)->result) fail(set->s->against, "no device");
    if (strcmp(names[0], names[1]) == 0) names[0] = "first";
    if (!sample_kind(&other, kind, device, size, 200, 60, false)) fail(set->name, "no room");
    both = stack(set, &other, names);
    samples = gputune_dataset_works(both);
    tree = fit(&samples, TREE_LOG, 0);
    goal = goal_of(tree, &samples);
    for (int d = 0; d < 2; d++) {
        const gputune_condition within[] = { { "device", 0, 0, names[d] }, { NULL, 0, 0, NULL } };
        gputune_subspaces *all = query(&goal, 1, within, false);
        const gputune_subspace *best = gputune_subspaces_at(all, 0);
        char name[64];
        fprintf(stderr, "%s: best on %s: %s\n", set->name, names[d], best->text);
        snprintf(name, sizeof name, "device_%s_us", names[d]);
        row(set, name, 1e6 * best->values[0].value, "us");
        gputune_subspaces_destroy(all);
    }
    gputune_tree_destroy(tree);
    gputune_dataset_destroy(both);
    free_set(&other);
    gputune_device_destroy(device);
}

static void bench_kind(const settings *s, const starchart_kind *kind, gputune_device *device,
                       double seconds, bool power)
{
    const int *size = size_of(s, kind, device);
    gputune_samples samples;
    sample_set set;
    memset(&set, 0, sizeof set);
    set.s = s;
    snprintf(set.name, sizeof set.name, "%s", kind->base.name);
    if (!sample_kind(&set, kind, device, size, s->samples, seconds, true))
        fail(kind->base.name, gputune_device_error(device)->text);
    samples = gputune_dataset_works(set.time);
    row(&set, "share_200", 100 * 200 / set.count, "% of the space");
    if (samples.count >= 20) {
        print_errors(&set, &samples, "");
        print_subspaces(&set, &samples, "", kind->sizes ? 1e12 : 1e6, kind->sizes ? "ps" : "us");
    }
    write_file(&set, set.time, NULL, "");
    if (power && has_power(kind)) {
        sample_power(&set, kind, device, size, s->power);
        print_power(&set);
        write_file(&set, set.power_time, set.power, "_power");
    }
    if (s->against && strcmp(kind->base.name, "hotspot") == 0) print_devices(&set, kind, size);
    free_set(&set);
}

static bool selects(const settings *s, const starchart_kind *kind)
{
    for (int i = 0; i < s->name_count; i++)
        if (strstr(kind->base.name, s->names[i])) return true;
    return s->name_count == 0 && s->file_count == 0;
}

static void bench_kernels(settings *s)
{
    gputune_device *device = bench_device(s->api);
    const gputune_limits *limits;
    const double begin = gputune_now();
    bool power;
    int left = 0;
    if (!device || gputune_device_error(device)->result)
        fail("device", device ? gputune_device_error(device)->text : "out of memory");
    limits = gputune_device_limits(device);
    power = s->power > 0 && strcmp(s->api, "cuda") == 0; // whose driver has an energy counter
    if (!(s->seconds > 0)) s->seconds = s->quick ? 150 : limits->is_gpu ? 255 : 420;
    fprintf(stderr, "%s\n", limits->name);
    for (int i = 0; i < STARCHART_COUNT; i++) left += selects(s, &starchart_kinds[i]);
    for (int i = 0; i < STARCHART_COUNT; i++) {
        const starchart_kind *kind = &starchart_kinds[i];
        double rest = s->seconds - (gputune_now() - begin);
        if (!selects(s, kind)) continue;
        for (int k = i; k < STARCHART_COUNT; k++) // what samples of power will take
            if (power && has_power(&starchart_kinds[k]) && selects(s, &starchart_kinds[k]))
                rest -= 0.8 * s->power;
        bench_kind(s, kind, device, fmax(rest / left--, 5), power);
    }
    gputune_device_destroy(device);
}

int main(int argc, char **argv)
{
    settings s = parse(argc, argv);
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    setenv("POCL_KERNEL_CACHE", "0", 0);
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    for (int i = 0; i < s.file_count; i++) bench_file(&s, s.files[i]);
    if (s.name_count > 0 || s.file_count == 0) bench_kernels(&s);
    return 0;
}
