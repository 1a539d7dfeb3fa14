// Regression trees of tuning spaces (Starchart): of its six kernels, with all their parameters,
// how well trees predict from so many random samples (figure 4), how many they need, what they say
// of the space, what they find; several devices in one tree (figure 8), the input's size as a
// parameter (figure 9), power trees and several goals at once (figure 10). Of table II's three
// hardware parameters, two are tuned through CUDA in kmeans and matrix (NREG, USE_L1).
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
//   --seconds N           for all kernels together (900; on a processor 420; --quick: 150); who is
//                         short of time takes fewer samples
//   --power N             samples of power of kmeans and matrix, where the device measures it (200;
//                         about 0.7 s each)
//   --repeats N           divisions into training and held-out samples (10)
//   --against API         hotspot (1024 x 1024) on a further device, too: cuda, opencl, pocl, or
//                         pocl:N, N cores of the processor; may be repeated
//   --csv FOLDER          the samples as FOLDER/KERNEL.csv, which can be read as FILE.csv, as soon
//                         as they are there
//   --quick               small problems, for two cores
//
// Rows: result<TAB>KERNEL.name<TAB>value<TAB>unit. Trees and sentences go to stderr.
//   configurations        of the space;  samples, failed: measured, and those that did not run
//   error_N               median of |predicted - measured| / measured over the held-out samples, of
//                         a tree grown from N others as in the paper; median over the divisions
//   log_error_N           of a tree of the times' logarithms, its leaves two samples or more
//   forest_error_N        of 100 trees of .log = true. In older results they, and the tree of
//                         trend_error_N, stand on a linear trend
//   share_200             200 samples over the configurations
//   adaptive_samples, adaptive_error, adaptive_share     where adaptive sampling (VI.A) ends that
//                         wants an error of 15 % (log tree; gt__tree_validate, as the samples
//                         came)
//   default_us, best_us, best_speedup      the best of the samples raced with the default
//   tree_us, tree_predicted_us, tree_speedup    what the log tree of 200 samples predicts to be the
//                         best of 20,000 configurations: measured, predicted, against the default
//   forest_us, forest_speedup    the best of the ten that the forest of 200 samples names, measured
//   best_mean_us, best_worst_us, best_samples    the tree's best subspace: its text is on stderr
//   sensitivity_PARAM     (most - least) / mean of mean predictions over the parameter's values
//   power_...             the same of power;  power_least, power_most: W
//   power_saved           W between the fastest sample and the most frugal within 10 % of its time
//   goals_base            of samples that no tree has seen, the share that meets two goals at once:
//                         as fast as the fastest 30 % of those seen, and no more power than the
//                         median of these;  goals_there: the share that lies where two trees
//                         promise both;  goals_inside: of those there, the share that meets them;
//                         goals_found: of those that meet them, the share that lies there
//   inputs_...            of samples of several inputs, throughput as the metric: error of the log
//                         tree from three quarters, sensitivity_PARAM, best: of the best subspace
//   device_samples, device_error    of hotspot's samples of several devices in one log tree, the
//                         device a parameter;  device_API_best_us, device_API_worst_us: means of
//                         each one's samples in what it takes for the best and worst subspace
//   hardware_samples, hardware_error    the same with the devices' figures in place of names
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
#include "../examples/subspaces.h"
#include "tests/table.h"
#include "device.h"

enum {
    MOST_NAMES = 16,
    MOST_DEVICES = 5,
    MOST_REPEATS = 51,
    MOST_VALID = 200,
    DRAWN = 20000,
    LINE = 4096
};

static const int marks[] = { 20, 40, 60, 80, 100, 200, 400, 800 };
enum { MARKS = sizeof marks / sizeof *marks };

typedef struct settings {
    const char *api, *csv;
    const char *names[MOST_NAMES], *files[MOST_NAMES], *against[MOST_DEVICES];
    int name_count, file_count, against_count;
    int samples, power, repeats;
    double seconds, until; // the latter: by gputune_now
    double wanted;         // seconds that all that is still to do would like to have
    bool quick;
} settings;

// Samples of a kernel or a file. Rows of time and power are the same where power is known.
typedef struct sample_set {
    char name[64];
    const settings *s;
    gputune_samples *time, *power, *power_time; // the last: times of the samples of power
    double count;                               // configurations
} sample_set;

typedef enum tree_kind { TREE_PAPER, TREE_LOG, TREE_FOREST, TREE_KINDS } tree_kind;

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
    return strcmp(name, "cuda") == 0 || strcmp(name, "opencl") == 0 || strcmp(name, "pocl") == 0;
}

static bool add_against(settings *s, const char *name)
{
    if (!name || (!is_api(name) && strncmp(name, "pocl:", 5) != 0)) return false;
    if (s->against_count == MOST_DEVICES - 1) usage(name, "is one too many");
    s->against[s->against_count++] = name;
    return true;
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
        else if (strcmp(o, "--against") == 0 && add_against(&s, next))
            i++;
        else if (strcmp(o, "--csv") == 0 && next)
            s.csv = next, i++;
        else if (is_api(o))
            s.api = o;
        else
            add_name(&s, o);
    }
    if (s.samples == 0) s.samples = s.quick ? 80 : 1000;
    if (s.power < 0) s.power = s.quick ? 20 : 200;
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

static gputune_tree *fit(const gputune_table *samples, tree_kind kind, int leaves)
{
    gputune_tree_desc desc;
    gputune_tree *tree;
    memset(&desc, 0, sizeof desc);
    desc.trees = kind == TREE_FOREST ? 100 : 1;
    desc.table = *samples;
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
static gputune_table shuffled(const gputune_table *samples, uint64_t seed)
{
    const size_t width = (size_t)table_width(samples), n = samples->count;
    gputune_table s = *samples;
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
    return s;
}

static void free_shuffled(gputune_table *s)
{
    free((void *)s->x);
    free((void *)s->y);
}

// Those held out: the last ones.
static size_t held_out(const gputune_table *s)
{
    return s->count / 4 < MOST_VALID ? s->count / 4 : MOST_VALID;
}

static double relative_error(const gputune_tree *tree, const gputune_table *s)
{
    double errors[MOST_VALID];
    const size_t valid = held_out(s), width = (size_t)table_width(s);
    for (size_t i = 0; i < valid; i++) {
        const size_t at = s->count - valid + i;
        errors[i] = fabs(gputune_tree_predict(tree, s->x + at * width, NULL) / s->y[at] - 1);
    }
    return median(errors, (int)valid);
}

// Median over the divisions of the error of trees of so many samples.
static double error_of(const sample_set *set, const gputune_table *samples, tree_kind kind,
                       size_t training)
{
    double errors[MOST_REPEATS];
    for (int r = 0; r < set->s->repeats; r++) {
        gputune_table s = shuffled(samples, (uint64_t)r + 1), some = s;
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
static void print_errors(const sample_set *set, const gputune_table *samples, const char *prefix)
{
    static const char *const kinds[TREE_KINDS] = { "error", "log_error", "forest_error" };
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

static subspaces *query(const subspace_goal *goals, int count, const char *within)
{
    subspace_goal asked[3];
    subspaces *all;
    memset(asked, 0, sizeof asked);
    memcpy(asked, goals, (size_t)count * sizeof *asked);
    all = subspaces_find(asked, within);
    if (!all || all->result) fail("subspaces", all ? all->error : "out of memory");
    return all;
}

static subspace_goal goal_of(const gputune_tree *tree, const gputune_table *samples)
{
    subspace_goal goal;
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.table = *samples;
    return goal;
}

// The subspaces of a small tree, best first; scale: the unit's.
static void say_subspaces(const subspaces *all, double scale, const char *unit)
{
    for (int i = 0; i < all->count; i++) {
        const subspace *s = subspaces_at(all, i, 0);
        fprintf(stderr, "  %10.4g %s (%zu samples, %.4g to %.4g)  %s\n", scale * s->value, unit,
                s->count, scale * s->least, scale * s->most, s->text);
    }
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// How much one column matters: means of predictions for all rows, with each of the column's values
// in turn (partial dependence; Friedman, Annals of Statistics 29, 2001, 8.2). Their range over the
// mean of these means, each counted as often as rows have its value.
static double sensitivity(gputune_tree *tree, const gputune_table *s, int column)
{
    const size_t width = (size_t)table_width(s), count = s->count;
    double *values = (double *)malloc(count * sizeof *values), x[GPUTUNE_MAX_COLUMNS];
    double least = HUGE_VAL, most = -HUGE_VAL, mean = 0, all = 0;
    if (!values) fail("samples", "out of memory");
    for (size_t i = 0; i < count; i++) values[i] = s->x[i * width + (size_t)column];
    qsort(values, count, sizeof *values, ascending);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || values[i] > values[i - 1]) {
            mean = 0;
            for (size_t k = 0; k < count; k++) {
                memcpy(x, s->x + k * width, width * sizeof *x);
                x[column] = values[i];
                mean += (gputune_tree_predict(tree, x, NULL) - mean) / (double)(k + 1);
            }
            least = fmin(least, mean);
            most = fmax(most, mean);
        }
        all += mean / (double)count;
    }
    free(values);
    return most > least ? (most - least) / fabs(all) : 0;
}

// The best subspace of the space, the first eight as text, and which parameter matters.
static void print_subspaces(const sample_set *set, const gputune_table *samples,
                            const char *prefix, double scale, const char *unit)
{
    gputune_tree *top = fit(samples, TREE_LOG, 8), *tree = fit(samples, TREE_LOG, 0);
    subspace_goal goals[2] = { goal_of(top, samples), goal_of(tree, samples) };
    subspaces *eight = query(&goals[0], 1, NULL);
    subspaces *all = query(&goals[1], 1, NULL);
    const subspace *best = subspaces_at(all, 0, 0);
    const char *text;
    char name[128];
    text = gputune_tree_text(top, GPUTUNE_TREE_TEXT, NULL);
    fprintf(stderr, "%s: the first seven splits, and where they lead\n%s", set->name,
            text ? text : "");
    say_subspaces(eight, scale, unit);
    fprintf(stderr, "%s: the best of %d subspaces: %s\n", set->name, all->count, best->text);
    snprintf(name, sizeof name, "%sbest_mean_%s", prefix, unit);
    row(set, name, scale * best->mean, unit);
    snprintf(name, sizeof name, "%sbest_worst_%s", prefix, unit);
    row(set, name, scale * best->most, unit);
    snprintf(name, sizeof name, "%sbest_samples", prefix);
    row(set, name, (double)best->count, "");
    for (int f = 0; f < table_width(samples); f++) {
        snprintf(name, sizeof name, "%ssensitivity_%s", prefix, samples->columns[f].name);
        row(set, name, sensitivity(tree, samples, f), "of the mean");
    }
    subspaces_free(all);
    subspaces_free(eight);
    gputune_tree_destroy(tree);
    gputune_tree_destroy(top);
}

// W that a slowdown of up to 10 % saves among the samples.
static double power_saved(const gputune_table *time, const gputune_table *power)
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

// The first question of figure 10 that makes sense on any device: of the fastest 30 % of these
// samples, the more frugal half.
static void choose_bounds(const gputune_table *time, const gputune_table *power, double *bounds)
{
    gputune_table sorted = shuffled(time, 1);
    double *watts = (double *)malloc(power->count * sizeof *watts);
    int count = 0;
    if (!watts) fail("samples", "out of memory");
    gputune_stats_of((double *)sorted.y, (int)sorted.count); // sorts
    bounds[0] = sorted.y[sorted.count * 3 / 10];
    for (size_t i = 0; i < time->count; i++)
        if (time->y[i] <= bounds[0]) watts[count++] = power->y[i];
    bounds[1] = median(watts, count);
    free(watts);
    free_shuffled(&sorted);
}

static void say_goals(const sample_set *set, const subspaces *met, const double *bounds)
{
    fprintf(stderr, "%s: at most %.4g us and %.4g W:\n", set->name, 1e6 * bounds[0], bounds[1]);
    for (int i = 0; i < met->count && i < 8; i++) {
        const subspace *s = subspaces_at(met, i, 0);
        fprintf(stderr, "  %.4g us, %.4g W  %s\n", 1e6 * s->value,
                subspaces_at(met, i, 1)->value, s->text);
    }
}

typedef struct answers {
    size_t inside, good, both, total; // of the samples held out
} answers;

// Where trees of 60 % of the samples promise both, and what the others say of that.
static void ask_goals(const sample_set *set, const gputune_table *time,
                      const gputune_table *power, int division, answers *found)
{
    gputune_table s[2] = { shuffled(time, (uint64_t)division + 5),
                             shuffled(power, (uint64_t)division + 5) }; // the same order
    const size_t width = (size_t)table_width(time), total = time->count;
    subspace_goal goals[2];
    gputune_tree *trees[2];
    subspaces *met;
    double bounds[2];
    char wants[2][40];
    s[0].count = s[1].count = total * 6 / 10;
    choose_bounds(&s[0], &s[1], bounds);
    for (int g = 0; g < 2; g++) {
        trees[g] = fit(&s[g], TREE_LOG, 0);
        goals[g] = goal_of(trees[g], &s[g]);
        snprintf(wants[g], sizeof wants[g], "<= %.17g", bounds[g]);
        goals[g].want = wants[g];
    }
    met = query(goals, 2, NULL);
    if (division == 0) say_goals(set, met, bounds);
    for (size_t i = s[0].count; i < total; i++) {
        const bool meets = s[0].y[i] <= bounds[0] && s[1].y[i] <= bounds[1];
        const bool there = gputune_tree_predict(trees[0], s[0].x + i * width, NULL) <= bounds[0] &&
                           gputune_tree_predict(trees[1], s[1].x + i * width, NULL) <= bounds[1];
        found->total++;
        found->inside += there;
        found->good += meets;
        found->both += there && meets;
    }
    subspaces_free(met);
    for (int g = 0; g < 2; g++) {
        gputune_tree_destroy(trees[g]);
        free_shuffled(&s[g]);
    }
}

// Figure 10, summed over the divisions.
static void print_goals(const sample_set *set, const gputune_table *time,
                        const gputune_table *power)
{
    answers a = { 0, 0, 0, 0 };
    for (int r = 0; r < set->s->repeats; r++) ask_goals(set, time, power, r, &a);
    row(set, "goals_base", (double)a.good / (double)a.total, "of all");
    row(set, "goals_there", (double)a.inside / (double)a.total, "of all");
    if (a.inside > 0) row(set, "goals_inside", (double)a.both / (double)a.inside, "of those there");
    if (a.good > 0)
        row(set, "goals_found", (double)a.both / (double)a.good, "of those that meet them");
}

static void print_power(const sample_set *set)
{
    const gputune_table power = worked(set->power);
    const gputune_table time = worked(set->power_time);
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
// Samples that go into one tree are drawn from seeds of their own, or what is held out of one
// input's would be known from another's.
static gputune_kernel *sample(const starchart_kind *kind, case_data *data, const char *objective,
                              uint64_t seed, int trials, double seconds, gputune_outcome *o)
{
    gputune_kernel_desc desc = starchart_desc(kind, data);
    gputune_kernel *kernel;
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.trials = trials + 1;
    desc.tune.budget.seconds = seconds;
    desc.tune.objective = objective;
    desc.tune.seed = seed;
    kernel = gputune_kernel_create(data->device, &desc);
    if (gputune_tune(kernel, data->args, data->arg_count) != GPUTUNE_OK)
        fail(kind->base.name, gputune_kernel_error(kernel)->text);
    *o = *gputune_kernel_outcome(kernel);
    return kernel;
}

// Launches a configuration once and compares what it wrote with plain C.
static void check(const starchart_kind *kind, gputune_kernel *kernel, case_data *data,
                  const gputune_config *config)
{
    char why[256] = "";
    if (!case_reset(data) ||
        gputune_kernel_launch(kernel, config, data->args, data->arg_count) != GPUTUNE_OK)
        fail(kind->base.name, gputune_kernel_error(kernel)->text);
    if (!starchart_check(data, kind, why, sizeof why)) fail("wrong output", why);
}

static void say_failures(const sample_set *set, const gputune_kernel *kernel)
{
    for (int r = 1; r < GPUTUNE_RESULT_COUNT; r++) {
        const char *reason = NULL;
        int count = 0;
        const gputune_trial *t;
        for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
            if ((int)t->result != r) continue;
            if (!count++) reason = t->reason;
        }
        if (count)
            fprintf(stderr, "%s: %d x %s: %.200s\n", set->name, count,
                    gputune_result_name((gputune_result)r), reason);
    }
}

// The trials as rows, with the input's size before the parameters and the time of a unit of work
// where there are several inputs; returns how many failed.
static int add_trials(sample_set *set, const case_data *data, const gputune_kernel *kernel,
                      bool inputs, bool power)
{
    const double own[3] = { data->size[0], data->size[1], data->size[2] };
    const double per = inputs ? data->work : 1;
    int failed = 0;
    const gputune_trial *t;
    for (int i = 1; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        gputune_result result = GPUTUNE_OK;
        if (t->result != GPUTUNE_OK) {
            failed++;
        } else if (power) {
            result = gputune_samples_add(set->power, own, &t->config, t->value);
            if (!result)
                result = gputune_samples_add(set->power_time, own, &t->config, t->stats.median);
        } else {
            result = gputune_samples_add(set->time, own, &t->config, t->value / per);
        }
        if (result) fail(set->name, "a sample does not fit");
    }
    return failed;
}

// Adaptive sampling over the trials as they came: when would enough have been known?
static void print_adaptive(const sample_set *set, const gputune_space *space)
{
    gputune_tree_desc desc;
    const gputune_table all = worked(set->time);
    double error = 1;
    memset(&desc, 0, sizeof desc);
    desc.log = true;
    desc.min_leaf = 2;
    desc.table = all;
    for (size_t count = 25; error > 0.15 && count < all.count + count / 4; count += count / 4) {
        desc.table.count = count < all.count ? count : all.count;
        error = gt__tree_validate(&desc);
        if (isnan(error)) return;
    }
    if (error > 0.15) fprintf(stderr, "%s: 15 %% were not reached\n", set->name);
    row(set, "adaptive_samples", (double)desc.table.count, "");
    row(set, "adaptive_error", 100 * error, "%");
    row(set, "adaptive_share",
        100 * (double)desc.table.count / (double)gputune_space_count(space), "% of the space");
}

// What a tree of 200 samples predicts to be the best of many configurations, up to `most` of them,
// best first; returns how many.
static int best_predicted(const sample_set *set, const case_data *data, const gputune_space *space,
                          tree_kind kind, gputune_config *best, double *values, int most)
{
    const double own[3] = { data->size[0], data->size[1], data->size[2] };
    gputune_table some = worked(set->time);
    double x[GPUTUNE_MAX_COLUMNS];
    gputune_tree *tree;
    uint64_t random = 11;
    int count = 0;
    some.count = some.count < 200 ? some.count : 200;
    tree = fit(&some, kind, 0);
    for (int i = 0; i < DRAWN; i++) {
        const gputune_config config =
            gputune_space_at(space, gt__random_below(&random, gputune_space_count(space)));
        double value;
        int at, same = 0;
        gputune_samples_row(set->time, own, &config, x);
        value = gputune_tree_predict(tree, x, NULL);
        for (int k = 0; k < count; k++) same += gt__same_choice(&best[k], &config);
        if (same || (count == most && !(value < values[most - 1]))) continue;
        for (at = count < most ? count++ : most - 1; at > 0 && values[at - 1] > value; at--) {
            best[at] = best[at - 1];
            values[at] = values[at - 1];
        }
        best[at] = config;
        values[at] = value;
    }
    gputune_tree_destroy(tree);
    return count;
}

// Measures the best that the log tree names, and the ten best that the forest does.
static void print_found(const sample_set *set, const starchart_kind *kind, gputune_kernel *kernel,
                        case_data *data, double default_seconds)
{
    const gputune_space *space = gputune_kernel_trial(kernel, 0)->config.space;
    const double per = kind->sized ? data->work : 1;
    gputune_config best[10];
    double values[10], fastest = HUGE_VAL;
    gputune_stats stats;
    int count = best_predicted(set, data, space, TREE_LOG, best, values, 1), at = 0;
    if (gputune_kernel_time(kernel, best, data->args, data->arg_count, 9, &stats) == GPUTUNE_OK) {
        check(kind, kernel, data, best);
        row(set, "tree_us", 1e6 * stats.median, "us");
        row(set, "tree_predicted_us", 1e6 * values[0] * per, "us");
        row(set, "tree_speedup", default_seconds / stats.median, "x");
    }
    count = best_predicted(set, data, space, TREE_FOREST, best, values, 10);
    for (int i = 0; i < count; i++) {
        if (gputune_kernel_time(kernel, &best[i], data->args, data->arg_count, 9, &stats) ||
            !(stats.median < fastest))
            continue;
        fastest = stats.median;
        at = i;
    }
    if (count == 0 || fastest == HUGE_VAL) return;
    check(kind, kernel, data, &best[at]);
    row(set, "forest_us", 1e6 * fastest, "us");
    row(set, "forest_speedup", default_seconds / fastest, "x");
}

static void print_outcome(const sample_set *set, const starchart_kind *kind, gputune_kernel *kernel,
                          case_data *data, const gputune_outcome *o)
{
    const gputune_config usual = gputune_space_default(o->config.space);
    char text[512];
    gputune_stats stats;
    check(kind, kernel, data, &o->config);
    check(kind, kernel, data, &usual);
    if (gputune_kernel_time(kernel, &usual, data->args, data->arg_count, 9, &stats) != GPUTUNE_OK)
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
    gputune_samples_destroy(set->time);
    gputune_samples_destroy(set->power);
    gputune_samples_destroy(set->power_time);
}

static void make_tables(sample_set *set, const gputune_space *space,
                        const gputune_param *features, int count)
{
    gputune_samples **const tables[] = { &set->time, &set->power, &set->power_time };
    for (int i = 0; i < 3; i++) {
        *tables[i] = samples_of(space, features, count, NULL);
        if (!*tables[i] || gputune_samples_error(*tables[i])->result) fail(set->name, "no table");
    }
}

static const int *size_of(const settings *s, const starchart_kind *kind, gputune_device *device)
{
    if (s->quick) return kind->base.small;
    return gputune_device_limits(device)->is_gpu ? kind->base.large : kind->middle;
}

// What is left of the time, for a part that would like to have so much of what all still want.
static double grant(settings *s, double wanted)
{
    const double seconds = fmax(s->until - gputune_now(), 5) * wanted / fmax(s->wanted, wanted);
    s->wanted -= wanted;
    return fmax(seconds, 2);
}

// Samples of one kernel and input as rows, and what else the caller wants of them.
typedef struct draw_run {
    uint64_t seed;
    bool inputs; // the input's size is a feature
    gputune_kernel *kernel;
    gputune_outcome outcome;
    case_data data;
    int trials, failed;
} draw_run;

static bool open_run(draw_run *one, sample_set *set, const starchart_kind *kind,
                         gputune_device *device, const int *size, int samples, double seconds)
{
    gputune_param features[3] = { { 0 } };
    int count = 0;
    if (!case_make(&one->data, &kind->base, device, size, 1)) return false;
    one->kernel = sample(kind, &one->data, NULL, one->seed, samples, seconds, &one->outcome);
    for (; one->inputs && count < 3 && kind->names[count]; count++) {
        features[count].name = kind->names[count];
    }
    if (!set->time) make_tables(set, one->outcome.config.space, features, count);
    one->failed = add_trials(set, &one->data, one->kernel, one->inputs, false);
    while (gputune_kernel_trial(one->kernel, one->trials + 1)) one->trials++;
    set->count += (double)gputune_space_count(one->outcome.config.space);
    say_failures(set, one->kernel);
    return true;
}

static void close_run(draw_run *one)
{
    gputune_kernel_destroy(one->kernel);
    case_free(&one->data);
}

// Samples of one kernel, at each of its input sizes if that is a parameter. False: no room.
static bool sample_kind(sample_set *set, const starchart_kind *kind, gputune_device *device,
                        const int *base, int samples, double seconds)
{
    const bool gpu = gputune_device_limits(device)->is_gpu != 0;
    const double until = gputune_now() + seconds;
    int size[3], count = 0, trials = 0, failed = 0;
    while (kind->sized && starchart_input(kind, gpu, count, base, size)) count++;
    if (count == 0) memcpy(size, base, sizeof size);
    for (int i = 0; i < (count ? count : 1); i++) {
        const int left = count ? count - i : 1;
        draw_run one = { (uint64_t)i + 1, count > 0 };
        if (count) starchart_input(kind, gpu, i, base, size);
        if (!open_run(&one, set, kind, device, size, samples / (count ? count : 1),
                          fmax(until - gputune_now(), 1) / left))
            return false;
        trials += one.trials;
        failed += one.failed;
        if (left == 1) {
            row(set, "configurations", set->count, "");
            row(set, "samples", trials - failed, "");
            row(set, "failed", failed, "");
            if (!count) print_adaptive(set, gputune_kernel_trial(one.kernel, 0)->config.space);
            print_outcome(set, kind, one.kernel, &one.data, &one.outcome);
        }
        close_run(&one);
    }
    return true;
}

// Samples of power, where the device measures it.
static void sample_power(sample_set *set, const starchart_kind *kind, gputune_device *device,
                         const int *size, int samples, double seconds)
{
    gputune_kernel *kernel;
    gputune_outcome o;
    case_data data;
    if (!case_make(&data, &kind->base, device, size, 1)) return;
    kernel = sample(kind, &data, "power", 2, samples, seconds, &o);
    add_trials(set, &data, kernel, false, true);
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

static void write_file(const sample_set *set, const gputune_samples *times,
                       const gputune_samples *powers, const char *ending)
{
    const gputune_table t = worked(times);
    const double *p = powers ? worked(powers).y : NULL;
    char path[512];
    FILE *file;
    if (!set->s->csv || t.count == 0) return;
    snprintf(path, sizeof path, "%s/%s%s.csv", set->s->csv, set->name, ending);
    file = fopen(path, "w");
    if (!file) fail(path, "cannot be written");
    for (int f = 0; f < table_width(&t); f++) fprintf(file, "%s,", t.columns[f].name);
    fprintf(file, p ? "runtime,wattage\n" : "runtime\n");
    for (size_t i = 0; i < t.count; i++) {
        for (int f = 0; f < table_width(&t); f++)
            fprintf(file, "%.9g,", t.x[i * (size_t)table_width(&t) + (size_t)f]);
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
        if (count < GPUTUNE_MAX_COLUMNS) words[count++] = word;
    return count;
}

static void read_file(sample_set *set, const char *path)
{
    FILE *file = fopen(path, "r");
    char head[LINE], line[LINE], *words[GPUTUNE_MAX_COLUMNS];
    gputune_param features[GPUTUNE_MAX_COLUMNS];
    double x[GPUTUNE_MAX_COLUMNS];
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
        result = gputune_samples_add(set->time, x, NULL, atof(words[params]));
        if (!result && power)
            result = gputune_samples_add(set->power, x, NULL, atof(words[columns - 1]));
        if (!result && power)
            result = gputune_samples_add(set->power_time, x, NULL, atof(words[params]));
        if (result) fail(path, gputune_samples_error(set->time)->text);
    }
    fclose(file);
}

static void bench_file(const settings *s, const char *path)
{
    const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    gputune_table samples;
    sample_set set;
    memset(&set, 0, sizeof set);
    set.s = s;
    snprintf(set.name, sizeof set.name, "%.*s", (int)(strlen(name) - 4), name);
    read_file(&set, path);
    samples = worked(set.time);
    row(&set, "samples", (double)samples.count, "");
    print_errors(&set, &samples, "");
    print_subspaces(&set, &samples, "", 1e6, "us");
    print_power(&set);
    free_set(&set);
}

// ---------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------

typedef cl_int(CL_API_CALL *part_fn)(cl_device_id, const cl_device_partition_property *, cl_uint,
                                     cl_device_id *, cl_uint *);

// A part of the processor: so many of its cores, as PoCL's sub-device of their own. It is never
// released: PoCL 3.1 would forget it under the context that uses it. NULL: it cannot be had.
static gputune_device *open_cores(int cores)
{
    static const char *const libraries[] = { "libOpenCL.so.1", "libOpenCL.so", NULL };
    const cl_device_partition_property how[] = { CL_DEVICE_PARTITION_BY_COUNTS, cores,
                                                 CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
    gputune_device *whole = bench_device("pocl"), *device = NULL;
    gt_cl__device *cl = (gt_cl__device *)gputune_device_self(whole, "opencl");
    void *library = gputune_library_open(libraries, NULL);
    cl_context context = NULL;
    cl_device_id part;
    gputune_cl_desc desc;
    part_fn split_device = NULL;
    memset(&desc, 0, sizeof desc);
    desc.options.store = "";
    desc.options.mode = GPUTUNE_MODE_ON;
    desc.options.tuning_seconds = 1e6; // further tunings do not wait
    if (cl && library && gputune_library_symbol(library, "clCreateSubDevices", &split_device) &&
        split_device(gputune_cl_device_id(whole), how, 1, &part, NULL) == CL_SUCCESS)
        context = cl->call.clCreateContext(NULL, 1, &part, NULL, NULL, NULL);
    if (context)
        desc.queue = cl->call.clCreateCommandQueue(context, part, CL_QUEUE_PROFILING_ENABLE, NULL);
    if (desc.queue) {
        device = gputune_cl_device_create(&desc);
        cl->call.clReleaseCommandQueue(desc.queue);
        cl->call.clReleaseContext(context);
    }
    gputune_device_destroy(whole);
    return device;
}

// pocl:4 is four cores. NULL and a word on stderr: there is none.
static gputune_device *open_device(const char *api)
{
    gputune_device *device = strncmp(api, "pocl:", 5) == 0
                                 ? open_cores((int)number(api + 5, "pocl:"))
                                 : bench_device(api);
    if (device && !gputune_device_error(device)->result) return device;
    fprintf(stderr, "bench: %s is left out: %s\n", api,
            device ? gputune_device_error(device)->text : "no part of the processor");
    gputune_device_destroy(device);
    return NULL;
}

// What gputune knows of every device's hardware, as features beside or in place of its name.
enum { FACTS = 4 };
static const char *const fact_names[FACTS] = { "compute_units", "clock_mhz", "cache_bytes",
                                               "local_memory" };

static void facts_of(const gputune_device *device, double facts[FACTS])
{
    const gputune_limits *limits = gputune_device_limits(device);
    const int64_t values[FACTS] = { limits->compute_units, limits->clock_mhz, limits->cache_bytes,
                                    limits->local_memory };
    for (int i = 0; i < FACTS; i++) facts[i] = (double)values[i];
}

// Appends one device's samples to the two tables, which are made for the first device: with its
// name, and with what is known of its hardware.
static void stack(const sample_set *one, const char *const *names, int device,
                  const double facts[FACTS], gputune_samples *tables[2])
{
    const gputune_table samples = worked(one->time);
    const double at = device;
    const int count = table_width(&samples);
    gputune_param features[GPUTUNE_MAX_COLUMNS];
    char values[1024] = "set ";
    for (int d = 0; names[d]; d++)
        snprintf(values + strlen(values), sizeof values - strlen(values), "%s%s", d ? "," : "",
                 names[d]);
    memset(features, 0, sizeof features);
    memcpy(features, samples.columns, (size_t)count * sizeof *features);
    features[count].name = "device";
    features[count].values = values;
    if (device == 0) tables[0] = samples_of(NULL, features, count + 1, NULL);
    for (int i = 0; i < FACTS; i++) {
        features[count + i].name = fact_names[i];
        features[count + i].values = NULL;
    }
    if (device == 0) tables[1] = samples_of(NULL, features, count + FACTS, NULL);
    for (int t = 0; t < 2; t++)
        for (size_t i = 0; i < samples.count; i++) {
            double x[GPUTUNE_MAX_COLUMNS];
            memcpy(x, samples.x + i * (size_t)count, (size_t)count * sizeof *x);
            memcpy(x + count, t ? facts : &at, (t ? FACTS : 1) * sizeof *x);
            if (!tables[t] || gputune_samples_add(tables[t], x, NULL, samples.y[i]))
                fail("several devices", tables[t] ? gputune_samples_error(tables[t])->text : "");
        }
}

// The first splits, and how well the tree predicts what it has not seen.
static void print_table(const sample_set *set, const gputune_table *samples, const char *what)
{
    gputune_tree *top = fit(samples, TREE_LOG, 8);
    const char *text = gputune_tree_text(top, GPUTUNE_TREE_TEXT, NULL);
    const size_t most = samples->count - held_out(samples);
    char name[64];
    fprintf(stderr, "%s, %s: the first seven splits\n%s", set->name, what, text ? text : "");
    snprintf(name, sizeof name, "%s_samples", what);
    row(set, name, (double)samples->count, "");
    snprintf(name, sizeof name, "%s_error", what);
    if (held_out(samples) >= 5)
        row(set, name, 100 * error_of(set, samples, TREE_LOG, most), "%");
    gputune_tree_destroy(top);
}

// Figure 8: on each device its best and its worst subspace.
static void print_places(const sample_set *set, const gputune_table *samples,
                         const char *const *names, int count)
{
    gputune_tree *tree = fit(samples, TREE_LOG, 0);
    subspace_goal goal = goal_of(tree, samples);
    for (int d = 0; d < count; d++) {
        char name[64], within[128];
        subspaces *all;
        const subspace *best, *worst;
        snprintf(within, sizeof within, "device == \"%s\"", names[d]);
        all = query(&goal, 1, within);
        worst = best = subspaces_at(all, 0, 0);
        for (int i = 1; i < all->count; i++) // those without samples come last
            if (subspaces_at(all, i, 0)->count > 0)
                worst = subspaces_at(all, i, 0);
        fprintf(stderr, "%s: best on %s: %s\n", set->name, names[d], best->text);
        snprintf(name, sizeof name, "device_%s_best_us", names[d]);
        row(set, name, 1e6 * best->mean, "us");
        snprintf(name, sizeof name, "device_%s_worst_us", names[d]);
        row(set, name, 1e6 * worst->mean, "us");
        subspaces_free(all);
    }
    gputune_tree_destroy(tree);
}

// hotspot's samples of one device, in both tables.
static void sample_device(const settings *s, const starchart_kind *kind, gputune_device *device,
                          const char *const *names, int at, double seconds,
                          gputune_samples *tables[2])
{
    static const int rodinia[3] = { 1024, 1024, 0 }; // that every device can do
    double facts[FACTS];
    sample_set set;
    draw_run one = { (uint64_t)at + 1, false };
    memset(&set, 0, sizeof set);
    set.s = s;
    snprintf(set.name, sizeof set.name, "%s", names[at]);
    facts_of(device, facts);
    if (!open_run(&one, &set, kind, device, s->quick ? kind->base.small : rodinia,
                      s->samples < 200 ? s->samples : 200, seconds))
        fail(names[at], "no room");
    stack(&set, names, at, facts, tables);
    close_run(&one);
    free_set(&set);
}

// Figure 8 and table II: one kernel on several devices, in one tree with the device's name, in
// another with its hardware's figures.
static void print_devices(const sample_set *set, const starchart_kind *kind, gputune_device *first,
                          double seconds)
{
    const settings *s = set->s;
    const char *names[MOST_DEVICES + 1] = { *s->api ? s->api : "first" };
    gputune_device *devices[MOST_DEVICES] = { first };
    const double until = gputune_now() + seconds;
    gputune_samples *tables[2] = { NULL, NULL };
    gputune_table samples;
    int count = 1;
    for (int i = 0; i < s->against_count; i++) {
        devices[count] = open_device(s->against[i]);
        if (devices[count]) names[count++] = s->against[i];
    }
    for (int d = 0; d < count; d++) {
        const double left = fmax(until - gputune_now(), 2);
        sample_device(s, kind, devices[d], names, d, left / (count - d), tables);
        if (d) gputune_device_destroy(devices[d]);
    }
    samples = worked(tables[0]);
    print_table(set, &samples, "device");
    print_places(set, &samples, names, count);
    samples = worked(tables[1]);
    print_table(set, &samples, "hardware");
    for (int t = 0; t < 2; t++) gputune_samples_destroy(tables[t]);
}

// Figure 9: the input's size as a parameter, work over time as the metric. times: of one unit.
static void print_inputs(const sample_set *set, const gputune_table *times)
{
    gputune_table samples = *times;
    double *rates = (double *)malloc(times->count * sizeof *rates);
    gputune_tree *tree;
    subspace_goal goal;
    subspaces *all;
    if (!rates) fail(set->name, "out of memory");
    for (size_t i = 0; i < times->count; i++) rates[i] = 1e-9 / times->y[i];
    samples.y = rates;
    print_table(set, &samples, "inputs");
    tree = fit(&samples, TREE_LOG, 0);
    goal = goal_of(tree, &samples);
    goal.want = "most";
    all = query(&goal, 1, NULL);
    fprintf(stderr, "%s: most work: %s\n", set->name, subspaces_at(all, 0, 0)->text);
    row(set, "inputs_best", subspaces_at(all, 0, 0)->value,
        starchart_find(set->name)->base.unit);
    for (int f = 0; f < table_width(&samples); f++) {
        char name[64];
        snprintf(name, sizeof name, "inputs_sensitivity_%s", samples.columns[f].name);
        row(set, name, sensitivity(tree, &samples, f), "of the mean");
    }
    subspaces_free(all);
    gputune_tree_destroy(tree);
    free(rates);
}

// Samples of several inputs, for kernels of which that is no parameter of their own.
static void bench_inputs(const sample_set *main, const starchart_kind *kind,
                         gputune_device *device, const int *base, double seconds)
{
    const bool gpu = gputune_device_limits(device)->is_gpu != 0;
    const double until = gputune_now() + seconds;
    gputune_table samples;
    sample_set set = *main;
    int size[3], count = 0;
    set.time = set.power = set.power_time = NULL;
    while (starchart_input(kind, gpu, count, base, size)) count++;
    for (int i = 0; i < count; i++) {
        draw_run one = { (uint64_t)i + 1, true };
        starchart_input(kind, gpu, i, base, size);
        if (!open_run(&one, &set, kind, device, size, set.s->samples / 2 / count,
                          fmax(until - gputune_now(), 1) / (count - i)))
            fail(set.name, "no room");
        close_run(&one);
    }
    write_file(&set, set.time, NULL, "_inputs");
    samples = worked(set.time);
    if (samples.count >= 20) print_inputs(&set, &samples);
    free_set(&set);
}

// Seconds that the parts of a kernel's benchmark would like to have (H200: 37 ms a sample of small
// problems, compiling included; 0.7 s one of power). Only their ratios count.
typedef struct wishes {
    double main, power, inputs, devices;
} wishes;

static wishes wishes_of(const settings *s, const starchart_kind *kind)
{
    wishes w = { 0.06 * s->samples, 0, 0, 0 };
    const bool nvml = strcmp(s->api, "cuda") == 0; // whose driver has an energy counter
    if (nvml && has_power(kind)) w.power = 0.75 * s->power;
    if (!kind->sized && kind->names[0]) w.inputs = 0.03 * s->samples;
    if (s->against_count && strcmp(kind->base.name, "hotspot") == 0)
        w.devices = 0.1 * (s->samples < 200 ? s->samples : 200) * (1 + s->against_count);
    return w;
}

static void bench_kind(settings *s, const starchart_kind *kind, gputune_device *device)
{
    const wishes w = wishes_of(s, kind);
    const int *size = size_of(s, kind, device);
    gputune_table samples;
    sample_set set;
    memset(&set, 0, sizeof set);
    set.s = s;
    snprintf(set.name, sizeof set.name, "%s", kind->base.name);
    if (!sample_kind(&set, kind, device, size, s->samples, grant(s, w.main)))
        fail(kind->base.name, gputune_device_error(device)->text);
    write_file(&set, set.time, NULL, "");
    samples = worked(set.time);
    row(&set, "share_200", 100 * 200 / set.count, "% of the space");
    if (samples.count >= 20) {
        print_errors(&set, &samples, "");
        print_subspaces(&set, &samples, "", kind->sized ? 1e12 : 1e6, kind->sized ? "ps" : "us");
        if (kind->sized) print_inputs(&set, &samples);
    }
    if (w.power > 0) {
        sample_power(&set, kind, device, size, s->power, grant(s, w.power));
        write_file(&set, set.power_time, set.power, "_power");
        print_power(&set);
    }
    if (w.inputs > 0) bench_inputs(&set, kind, device, size, grant(s, w.inputs));
    if (w.devices > 0) print_devices(&set, kind, device, grant(s, w.devices));
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
    if (!device || gputune_device_error(device)->result)
        fail("device", device ? gputune_device_error(device)->text : "out of memory");
    limits = gputune_device_limits(device);
    if (!(s->seconds > 0)) s->seconds = s->quick ? 150 : limits->is_gpu ? 900 : 420;
    s->until = gputune_now() + s->seconds;
    fprintf(stderr, "%s\n", limits->name);
    for (int i = 0; i < STARCHART_COUNT; i++) {
        const wishes w = wishes_of(s, &starchart_kinds[i]);
        if (selects(s, &starchart_kinds[i])) s->wanted += w.main + w.power + w.inputs + w.devices;
    }
    for (int i = 0; i < STARCHART_COUNT; i++)
        if (selects(s, &starchart_kinds[i])) bench_kind(s, &starchart_kinds[i], device);
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
