// How soon the answer is there, on a device: for bench_answer.c, which explains the rows.
#ifndef BENCH_ANSWER_H
#define BENCH_ANSWER_H

#ifdef ANSWER_BASE // an older gputune with its own cases.h: see bench/answer_base.c
#include "examples/cases.h"
#include "bench/device.h"
#define ANSWER_ROW "base_"
#else
#include "../examples/cases.h"
#include "device.h"
#define ANSWER_ROW ""
#endif

#ifndef BENCH_KERNELS
#define BENCH_KERNELS "bench/kernels"
#endif

enum { ANSWER_TRIALS = 1 << 16, ANSWER_SEEDS = 16 };

// ---------------------------------------------------------------------------------------------
// Kernels in CUDA C: nbody (bodies), polygon (points, edges), layernorm (rows, columns),
// dedisperse (measures, channels, times)
// ---------------------------------------------------------------------------------------------

static void answer_make_nbody(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    case_add_random(data, 4 * n);
    case_add_output(data, 4 * n);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = 20.0 * (double)n * (double)n;
}

// Masses are of both signs; the output's fourth component stays 0.
static double answer_nbody(const case_data *data, size_t at, double *magnitude)
{
    const float *body = case_floats(data, 0), *mine = body + at / 4 * 4;
    double sum = 0;
    *magnitude = 1e-30;
    for (int i = 0; i < data->size[0] && at % 4 < 3; i++) {
        double square = 0.01, term;
        for (int d = 0; d < 3; d++) {
            const double off = (double)body[4 * i + d] - (double)mine[d];
            square += off * off;
        }
        term = (double)body[4 * i + 3] / (square * sqrt(square)) *
               ((double)body[4 * (size_t)i + at % 4] - (double)mine[at % 4]);
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// A star with random spikes round the origin: edges as {x, y, next x, next y}.
static void answer_make_polygon(case_data *data)
{
    const size_t n = (size_t)data->size[0], edges = (size_t)data->size[1];
    float *edge;
    case_add_random(data, 2 * n);
    edge = (float *)case_add(data, 4 * edges);
    for (size_t i = 0; i < edges && edge; i++) {
        const double turn = 6.283185307179586 * (double)i / (double)edges;
        const double far = 0.2 + 0.001 * case_random(data, 700);
        edge[4 * i] = (float)(far * cos(turn));
        edge[4 * i + 1] = (float)(far * sin(turn));
    }
    for (size_t i = 0; i < edges && edge; i++)
        memcpy(edge + 4 * i + 2, edge + 4 * ((i + 1) % edges), 2 * sizeof *edge);
    case_add(data, n);
    data->buffers[2].type = CASE_UINTS;
    memset(data->buffers[2].host, 0xff, n * 4);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_int(data->size[1]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_in(data, 1));
    case_arg(data, case_out(data, 2));
    data->work = (double)n * (double)edges;
}

// The magnitude is infinite for a point so near to an edge that rounding decides.
static double answer_polygon(const case_data *data, size_t at, double *magnitude)
{
    const double x = (double)case_floats(data, 0)[2 * at];
    const double y = (double)case_floats(data, 0)[2 * at + 1];
    bool inside = false;
    *magnitude = 1e-30;
    for (int i = 0; i < data->size[1]; i++) {
        const float *e = case_floats(data, 1) + 4 * i;
        const double up = (double)e[3] - (double)e[1];
        const double slope = ((double)e[2] - (double)e[0]) / up;
        const double off = x - (double)e[0] - slope * (y - (double)e[1]);
        if (fabs(off) < 1e-4 || fabs(y - (double)e[1]) < 1e-6) *magnitude = 1e30;
        if (((double)e[1] > y) != ((double)e[3] > y) && off < 0) inside = !inside;
    }
    return inside;
}

static void answer_make_layernorm(case_data *data)
{
    const size_t rows = (size_t)data->size[0], columns = (size_t)data->size[1];
    case_add_random(data, rows * columns);
    case_add_random(data, columns);
    case_add_random(data, columns);
    case_add_output(data, rows * columns);
    case_upload(data);
    for (int i = 0; i < 2; i++) case_arg(data, gputune_int(data->size[i]));
    for (int i = 0; i < 3; i++) case_arg(data, case_in(data, i));
    case_arg(data, case_out(data, 3));
    data->work = 8.0 * (double)rows * (double)columns;
}

static double answer_layernorm(const case_data *data, size_t at, double *magnitude)
{
    const size_t columns = (size_t)data->size[1];
    const float *row = case_floats(data, 0) + at / columns * columns;
    double mean = 0, variance = 0, value;
    for (size_t i = 0; i < columns; i++) mean += (double)row[i] / (double)columns;
    for (size_t i = 0; i < columns; i++)
        variance += ((double)row[i] - mean) * ((double)row[i] - mean) / (double)columns;
    value = ((double)row[at % columns] - mean) / sqrt(variance + 1e-5) *
            (double)case_floats(data, 1)[at % columns];
    *magnitude = 10 + fabs(value);
    return value + (double)case_floats(data, 2)[at % columns];
}

enum { ANSWER_DELAY = 4096 };

static void answer_make_dedisperse(case_data *data)
{
    const size_t measures = (size_t)data->size[0], channels = (size_t)data->size[1];
    const size_t times = (size_t)data->size[2];
    int32_t *delay;
    case_add_random(data, channels * (times + ANSWER_DELAY));
    delay = (int32_t *)case_add(data, measures * channels);
    for (size_t m = 0; m < measures && delay; m++)
        for (size_t c = 0; c < channels; c++)
            delay[m * channels + c] = (int32_t)(ANSWER_DELAY * m * c / (measures * channels));
    case_add_output(data, measures * times);
    case_upload(data);
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    case_arg(data, gputune_int(ANSWER_DELAY));
    for (int i = 0; i < 2; i++) case_arg(data, case_in(data, i));
    case_arg(data, case_out(data, 2));
    data->work = (double)measures * (double)channels * (double)times;
}

static double answer_dedisperse(const case_data *data, size_t at, double *magnitude)
{
    const size_t channels = (size_t)data->size[1], times = (size_t)data->size[2];
    const int32_t *delay = case_ints(data, 1) + at / times * channels;
    double sum = 0;
    *magnitude = 0;
    for (size_t c = 0; c < channels; c++) {
        const double term = (double)case_floats(data, 0)[c * (times + ANSWER_DELAY) + at % times +
                                                         (size_t)delay[c]];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// --- the list ---

#define ANSWER_CASE(name, unit, tolerance, small, large)                                          \
    { #name, BENCH_KERNELS "/answer_" #name ".cu", #name, NULL, unit, tolerance, small, large,    \
      answer_make_##name, answer_##name }
#define SIZE(x, y, z) { x, y, z }

static const example_case answer_cuda_cases[] = {
    ANSWER_CASE(nbody, "GFLOP/s", 1e-5, SIZE(4096, 0, 0), SIZE(131072, 0, 0)),
    ANSWER_CASE(polygon, "G edges/s", 1e-6, SIZE(1 << 16, 500, 0), SIZE(1 << 24, 500, 0)),
    ANSWER_CASE(layernorm, "GFLOP/s", 1e-5, SIZE(256, 768, 0), SIZE(1 << 15, 4096, 0)),
    ANSWER_CASE(dedisperse, "G sums/s", 1e-6, SIZE(16, 64, 4096), SIZE(512, 512, 25000)),
};

// ---------------------------------------------------------------------------------------------
// Runs
// ---------------------------------------------------------------------------------------------

typedef struct answer_run {
    double at[ANSWER_TRIALS], value[ANSWER_TRIALS]; // seconds since it began; infinite: it failed
    int trials;
    double searched;                                // seconds of the search
    double seconds, best;                           // wall seconds, the winner's median
} answer_run;

static double answer_began;
static double answer_enough; // a trial that is no slower ends the search; 0: none does
static void (*answer_watch)(const gputune_trial *trial); // called with each trial, or NULL

static bool answer_progress(void *user, const gputune_progress *p)
{
    answer_run *r = (answer_run *)user;
    const gputune_trial *t = p->last;
    if (strcmp(p->phase, "search") != 0 || !t || p->trials <= r->trials ||
        r->trials == ANSWER_TRIALS)
        return true;
    r->searched = gputune_now() - answer_began;
    r->at[r->trials] = r->searched;
    r->value[r->trials++] = t->result ? HUGE_VAL : t->value;
    if (answer_watch) answer_watch(t);
    return !(answer_enough > 0) || t->result || t->value > answer_enough;
}

static void answer_row(const char *what, const char *kernel, double value, const char *unit)
{
    printf("result\t%s%s_%s\t%.6g\t%s\n", ANSWER_ROW, what, kernel, value, unit);
    fflush(stdout);
}

static void answer_fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_answer: %s: %s\n", what, why);
    exit(1);
}

// One first run of a kernel whose device and data are there; checks what it writes.
static gputune_kernel *answer_tuned(answer_run *r, const example_case *kind,
                                    gputune_device *device, case_data *data, uint64_t seed,
                                    double seconds)
{
    gputune_kernel_desc desc = case_desc(kind);
    gputune_kernel *kernel;
    gputune_outcome o;
    gputune_result result;
    char why[256] = "", text[512];
    memset(r, 0, sizeof *r);
    desc.tune.seed = seed;
    desc.tune.budget.seconds = seconds;
    desc.tune.progress = answer_progress;
#if defined ANSWER_BASE && ANSWER_BASE == 1
    desc.tune.progress_user = r;
    answer_began = gputune_now();
    kernel = gputune_kernel_create(device, &desc);
    result = gputune_tune(kernel, data->args, data->arg_count, &o);
#else
#if !defined ANSWER_BASE || ANSWER_BASE > 2
    desc.tune.budget.all = seconds > 0;
#endif
    desc.tune.user = r;
    answer_began = gputune_now();
    kernel = gputune_kernel_create(device, &desc);
    result = gputune_tune(kernel, data->args, data->arg_count);
    o = *gputune_kernel_outcome(kernel);
#endif
    if (result != GPUTUNE_OK) answer_fail(kind->name, gputune_kernel_error(kernel)->text);
    r->seconds = gputune_now() - answer_began;
    r->best = o.best_stats.median;
    if (!case_reset(data) || gputune_run(kernel, data->args, data->arg_count) != GPUTUNE_OK)
        answer_fail(kind->name, gputune_kernel_error(kernel)->text);
    if (!case_check(data, 500, why, sizeof why)) answer_fail("wrong output", why);
    gputune_config_text(&o.config, text, sizeof text);
    fprintf(stderr, "  %s, seed %d: %.3f us, %d trials in %.1f of %.1f s: %s\n", kind->name,
            (int)seed, 1e6 * r->best, r->trials, r->searched, r->seconds, text);
    return kernel;
}

static void answer_tune(answer_run *r, const example_case *kind, gputune_device *device,
                        case_data *data, uint64_t seed, double seconds)
{
    gputune_kernel_destroy(answer_tuned(r, kind, device, data, seed, seconds));
}

// The first trial that is within `margin` of the best known; negative: none is.
static int answer_within(const answer_run *r, double best, double margin)
{
    for (int i = 0; i < r->trials; i++)
        if (r->value[i] <= (1 + margin) * best) return i;
    return -1;
}

// prefix: of the rows' names.
static void answer_within_rows(const char *prefix, const char *kernel, const answer_run *runs,
                               int seeds, double best, double margin, double budget)
{
    double seconds[ANSWER_SEEDS], trials[ANSWER_SEEDS];
    char what[64];
    int missed = 0;
    for (int i = 0; i < seeds; i++) {
        const int first = answer_within(&runs[i], best, margin);
        seconds[i] = first < 0 ? budget : runs[i].at[first]; // at least
        trials[i] = first < 0 ? runs[i].trials : first + 1;
        missed += first < 0;
    }
    snprintf(what, sizeof what, "%sseconds_%g", prefix, 100 * margin);
    answer_row(what, kernel, gputune_stats_of(seconds, seeds).median, "s");
    snprintf(what, sizeof what, "%strials_%g", prefix, 100 * margin);
    answer_row(what, kernel, gputune_stats_of(trials, seeds).median, "trials");
    snprintf(what, sizeof what, "%smissed_%g", prefix, 100 * margin);
    answer_row(what, kernel, missed, "runs");
}

// What the searches were like beside the best, which is `best` or one of theirs; returns it.
static double answer_rows(const char *kernel, const answer_run *runs, int seeds, double best,
                          double budget)
{
    double rates[ANSWER_SEEDS], losses[ANSWER_SEEDS];
    int i;
    for (i = 0; i < seeds; i++) best = runs[i].best < best ? runs[i].best : best;
    for (i = 0; i < seeds; i++) {
        rates[i] = runs[i].trials / runs[i].searched;
        losses[i] = runs[i].best / best - 1;
    }
    answer_row("best_us", kernel, 1e6 * best, "us");
    answer_within_rows("", kernel, runs, seeds, best, 0.05, budget);
    answer_within_rows("", kernel, runs, seeds, best, 0.01, budget);
    answer_row("trials_rate", kernel, gputune_stats_of(rates, seeds).median, "trials/s");
    answer_row("loss", kernel, gputune_stats_of(losses, seeds).median, "");
    return best;
}

static void answer_first_rows(const char *kernel, const answer_run *first, double best)
{
    answer_row("first_run", kernel, first->seconds, "s");
    answer_row("first_trials", kernel, first->trials, "trials");
    answer_row("first_loss", kernel, first->best / best - 1, "");
}

#ifdef ANSWER_BASE
// best_us_K of the rows in that file; infinite: there is none.
static double answer_best_of(const char *path, const char *kernel)
{
    FILE *file = path ? fopen(path, "r") : NULL;
    char line[256], name[64];
    double best = HUGE_VAL, value;
    snprintf(name, sizeof name, "best_us_%s", kernel);
    while (file && fgets(line, sizeof line, file)) {
        char found[128];
        if (sscanf(line, "result %127s %lf", found, &value) == 2 && strcmp(found, name) == 0)
            best = 1e-6 * value;
    }
    if (file) fclose(file);
    return best;
}

static void answer_kernel(const char *api, const example_case *kind, int seeds, double seconds)
{
    static answer_run runs[ANSWER_SEEDS], first;
    gputune_device *device = bench_device(api);
    double best = answer_best_of(getenv("ANSWER_ROWS"), kind->name);
    case_data data;
    int i;
    if (gputune_device_error(device)->result)
        answer_fail(api, gputune_device_error(device)->text);
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        answer_fail(kind->name, gputune_device_error(device)->text);
    answer_tune(&first, kind, device, &data, 0, 0);
    for (i = 0; i < seeds; i++)
        answer_tune(&runs[i], kind, device, &data, (uint64_t)i + 1, seconds);
    if (first.best < best) best = first.best;
    best = answer_rows(kind->name, runs, seeds, best, seconds);
    answer_first_rows(kind->name, &first, best);
    case_free(&data);
    gputune_device_destroy(device);
}
#else
// What a driver gets of a configuration drawn at random. False: it cannot be launched.
static bool answer_program(gputune_kernel *kernel, const case_data *data, uint64_t *random,
                           gputune_build *build, char **text, gputune_error *error)
{
    const gputune_space *space = gputune_kernel_space(kernel, data->args, data->arg_count);
    const gputune_config config =
        gputune_space_at(space, gt__random_below(random, gputune_space_count(space)));
    static gt__call call;
    gt__variant v;
    *text = NULL;
    memset(&v, 0, sizeof v);
    return !gt__kernel_bind(kernel, &config, data->args, data->arg_count, &call, error) &&
           !gt__variant_shape_of(kernel, &config, &call, &v, error) &&
           !gt__kernel_build(kernel, &v, build, text, error);
}

// Translations a second with so many threads, of programs drawn at random; 0: it has no threads.
static double answer_compiles(gputune_device *device, gputune_kernel *kernel, case_data *data,
                              int threads)
{
    const int count = 4 * threads < 48 ? 48 : 4 * threads;
    uint64_t random = 7;
    gt__ahead *a;
    gputune_build build;
    gputune_error error;
    double begin;
    int i;
    if (!device->driver.translate) return 0;
    a = gt__ahead_open(&device->base, &device->driver, device->self, threads);
    if (!a) return 0;
    begin = gputune_now();
    for (i = 0; i < count; i++) {
        char *text;
        if (answer_program(kernel, data, &random, &build, &text, &error))
            gt__ahead_put(a, &build, &text);
        else
            gt__arr_free(&device->base, text);
    }
    for (i = 0; i < GT__AHEAD_MOST; i++) {
        gt__lock_enter(&a->lock);
        while (a->jobs[i].state == GT__JOB_WAITING ||
               a->jobs[i].state == GT__JOB_RUNNING)
            gt__signal_wait(&a->done, &a->lock);
        gt__lock_leave(&a->lock);
    }
    begin = gputune_now() - begin;
    begin = (double)a->rank / begin; // programs: what was drawn twice is one
    gt__ahead_close(a);
    return begin;
}

// The same for an OpenCL driver, of which gputune's makes no use: its compiler, asked by several
// threads, with what its build does; PoCL compiles the rest when a kernel is first launched.
typedef struct answer_builds {
    gt__lock lock;
    cl_context context;
    cl_device_id device;
    const char *options;
    char *texts[256];
    int count, next, failed;
} answer_builds;

static void answer_build(void *user)
{
    answer_builds *b = (answer_builds *)user;
    for (;;) {
        const char *text = NULL;
        cl_program program;
        cl_int status;
        gt__lock_enter(&b->lock);
        if (b->next < b->count) text = b->texts[b->next++];
        gt__lock_leave(&b->lock);
        if (!text) return;
        program = clCreateProgramWithSource(b->context, 1, &text, NULL, &status);
        if (!status) status = clBuildProgram(program, 1, &b->device, b->options, NULL, NULL);
        gt__lock_enter(&b->lock);
        b->failed += status != CL_SUCCESS;
        gt__lock_leave(&b->lock);
        if (program) clReleaseProgram(program);
    }
}

static double answer_builds_rate(gputune_device *device, gputune_kernel *kernel, case_data *data,
                                 int threads)
{
    const gt_cl__device *cl =
        (const gt_cl__device *)gputune_device_self(device, "opencl");
    static uint64_t random = 11; // what was built once may be kept
    static answer_builds b;
    gt__thread thread[64];
    double begin;
    int i, count = 0;
    memset(&b, 0, sizeof b);
    b.context = cl->context;
    b.device = cl->id;
    b.options = kernel->options ? kernel->options : "";
    b.count = 4 * threads < 48 ? 48 : 4 * threads;
    for (i = 0; i < b.count; i++) {
        gputune_build build;
        gputune_error error;
        if (!answer_program(kernel, data, &random, &build, &b.texts[i], &error))
            answer_fail(kernel->name, error.text);
    }
    gt__lock_init(&b.lock);
    begin = gputune_now();
    for (i = 0; i < threads; i++) count += gt__thread_start(&thread[count], answer_build, &b);
    for (i = 0; i < count; i++) gt__thread_join(&thread[i]);
    begin = gputune_now() - begin;
    gt__lock_end(&b.lock);
    for (i = 0; i < b.count; i++) gt__arr_free(&device->base, b.texts[i]);
    if (b.failed) fprintf(stderr, "  %d of %d programs failed\n", b.failed, b.count);
    return b.count / begin;
}

static void answer_kernel(const char *api, const example_case *kind, int seeds, double seconds)
{
    static answer_run runs[ANSWER_SEEDS], first, whole;
    static const int threads[] = { 1, 4, 8, 16 };
    gputune_device *device = bench_device(api);
    double best;
    case_data data;
    int i;
    if (gputune_device_error(device)->result)
        answer_fail(api, gputune_device_error(device)->text);
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        answer_fail(kind->name, gputune_device_error(device)->text);
    for (i = 0; i < 4; i++) {
        gputune_kernel_desc desc = case_desc(kind);
        gputune_kernel *kernel = gputune_kernel_create(device, &desc);
        char what[32];
        const bool cuda = strcmp(api, "cuda") == 0;
        const double rate = cuda ? answer_compiles(device, kernel, &data, threads[i])
                                 : answer_builds_rate(device, kernel, &data, threads[i]);
        snprintf(what, sizeof what, "compiles_%d", threads[i]);
        answer_row(what, kind->name, rate, "programs/s");
        gputune_kernel_destroy(kernel);
    }
    answer_tune(&whole, kind, device, &data, 1000, 3 * seconds);
    answer_tune(&first, kind, device, &data, 0, 0);
    for (i = 0; i < seeds; i++)
        answer_tune(&runs[i], kind, device, &data, (uint64_t)i + 1, seconds);
    best = whole.best < first.best ? whole.best : first.best;
    best = answer_rows(kind->name, runs, seeds, best, seconds);
    answer_first_rows(kind->name, &first, best);
    case_free(&data);
    gputune_device_destroy(device);
}

#endif // ANSWER_BASE

typedef void (*answer_kernel_fn)(const char *api, const example_case *kind, int seeds,
                                 double seconds);

static void answer_kernels(answer_kernel_fn each, const char *api, const char *part, int seeds,
                           double seconds)
{
    static const char *const examples[] = { "sgemm", "convolution", "reduction", "transpose",
                                            "spmv" };
    const size_t more = sizeof answer_cuda_cases / sizeof *answer_cuda_cases;
    for (size_t i = 0; i < 5; i++)
        if (strstr(examples[i], part)) each(api, case_find(examples[i]), seeds, seconds);
    for (size_t i = 0; i < more && strcmp(api, "cuda") == 0; i++)
        if (strstr(answer_cuda_cases[i].name, part))
            each(api, &answer_cuda_cases[i], seeds, seconds);
}

#endif
