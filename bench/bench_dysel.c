// Productive micro-profiling (DySel): of its four case studies and of a histogram with
// atomics, the time of a launch through a pool beside that of the oracle, the best pure
// variant. Its figures 8 to 11, section 5.2, and what it leaves open.
//
//     sh bench/run.sh dysel [cuda|opencl|host|pocl] [CASE ...] [options]
//
//   cuda, opencl, host, pocl  (also --device X) the device: NVIDIA's through CUDA, a GPU through
//                     OpenCL, C functions on the processor, the processor through PoCL; none: the
//                     best OpenCL device. Studies I and half of IV are for the host; II, III, the
//                     other half of IV and the histogram for the rest (PoCL: II only when named)
//   CASE, --case CASE names or parts of names; none: all; `timers`: how exactly parts are timed
//   --scale F         so much of the work (1: bench/dysel.h; the most on a GPU, where indices of
//                     kernels come near what an int can count)
//   --reps N          launches of each kind (21; of modes other than AUTO's at most 7, of those
//                     that need a new pool each at most 5)
//   --only ROW,ROW    of the rows below these alone, and those of the variants by themselves:
//                     first, first_known, trusted, unprepared, prepare, twenty, again (auto_FLOW),
//                     modes (the others), every_iteration, equal, worst_initial, group, small,
//                     timers
//   --trace           prints each call of the driver in the first launches of first, first_known
//                     and trusted, in the next ones (twenty) and in `prepare`: since it began, how
//                     long it took (us), name, size
//   --pure            only the variants by themselves: uses no pool
//
// Rows: result<TAB>CASE.name<TAB>value<TAB>unit.
//   pure_VARIANT      median of plain launches, from the call until the device is idle, host clock;
//                     all variants in turn. Those over twice the best get fewer, at least 3
//   oracle, worst     the least and the most of them
//   group             a launch of one group of the slowest, launching included, over the oracle:
//                     beyond 5 % a launch is not thought to carry its profiling
//   mode              what AUTO took (host: what the case says); mode_expected: 1 if it is swap
//                     for atomics, else hybrid
//   MODE_FLOW.total   a launch through the pool that profiles, from the call until the device is
//                     idle: everything but `prepare`. auto_FLOW: in the mode that AUTO takes
//   MODE_FLOW.oracle  launches of the oracle between them
//   MODE_FLOW.overhead      median of (total - oracle) / oracle over pairs: launches of the oracle
//                     and of the pool take turns, so that a drift of the clock cancels
//   MODE_FLOW.cost    median of gputune_pool_report.cost, what the pool itself says it cost
//   MODE_FLOW.profiled        rate: launches that were not too small for it
//   MODE_FLOW.correct_choice   rate: the winner's pure median is within 2 % of the oracle's
//   MODE_FLOW.output  1: right. 2000 elements within the case's tolerance of plain C in double, and
//                     all within 1e-3 of a plain launch's; integers equal
//   MODE_FLOW.prepare seconds of making the pool and gputune_pool_prepare, which compiles: not in
//                     total
//   MODE_FLOW.first   the launch after that, the first of all, over the oracle's pure median: with
//                     what is done for variants that are new (loading, sandboxes, comparing)
//   MODE_FLOW.sum20   that and the next 19 launches, over 20 of the oracle's pure median;
//   MODE_FLOW.worst20 the longest of them, over one
// The first launch of a new pool, in the mode that AUTO takes, over the oracle's pure median:
//   first, first_worst          after `prepare`; the median of some pools, and the worst of them
//   first_known, ..._worst      the same, with all variants verified by an earlier pool that has
//                               written them to a store
//   trusted, ..._worst          the same, with gputune_pool_desc.trusted
//   unprepared, ..._worst       without `prepare`, compiling alone left out (the binaries are kept
//                               by this program; left out where the driver has none)
//   NAME.correct_choice         as above
//   prepare           ms of making a pool and gputune_pool_prepare, compiling left out
//   twenty            the first launch and the next 19, over 20 of the oracle's. Beside the rows
//                     first_known and trusted: first_known_twenty, trusted_twenty
//   every_iteration.* the same rows with profiling in every launch
//   equal.*           with the oracle three times under three names
//   worst_initial.*   with the worst variant to begin with, asynchronous if possible
//   small_N.*         of work of N groups of the initial variant; `initial`: its plain launches.
//                     Each launch of total begins as the first one of a new problem does
//   small_N.sum20     the first 20 launches of a pool, over 20 of the best variant's and one of
//                     each other's (medians of plain launches of this size); sum20_looks: what the
//                     pool says that looking cost it, over the same
//   small_N.online_*  launches with ONLINE behind the first, in a pool that has nothing prepared:
//                     how many until the ranking was settled, but 4,000 at least and 5 s at most;
//                     settled: 1, if it was; their median, the 99.9th percentile over it, and the
//                     longest
// Over the cases of this run, in the mode that AUTO takes, asynchronous where possible:
// worst_overhead, geomean_overhead, correct_choice; worst_every_iteration, worst_small,
// worst_equal; and of all pools outputs_right. `cases`, `launches` and `outputs` say of how many,
// so that runs of some cases each can be put together.
//   timer_events.LENGTH.error, .ranking    parts of that length, timed by the device's events:
//                     median relative error of the rate beside that of launches of the whole;
//                     how often the faster of two variants 5 % apart came out as such; .part: what
//                     it really took; .profiled: launches that count
#define _POSIX_C_SOURCE 200809L // mkdtemp, unsetenv
#include <pthread.h>
#include <stdlib.h>
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "dysel.h"
#include "device.h"
#include "trace.h"

enum {
    MOST_REPS = 201,
    MOST_NAMES = 32,
    SAMPLES = 2000,
    WARM_UP = 3,
    FEWEST = 3,
    TOGETHER = 20, // launches of a pool that are added up
    ONLINE = 4000,
    MOST_ONLINE = 400000,
    OTHER_REPS = 7,
    NEW_REPS = 5,
    BINARIES = 512,
    NONE = -1
};

typedef struct settings {
    const char *api; // cuda, opencl, host, pocl; "": the best OpenCL device
    const char *names[MOST_NAMES];
    const char *only; // names of rows between commas; NULL: all
    int name_count, reps;
    double scale;
    bool pure, trace;
} settings;

// What the totals are made of; one value a case.
typedef struct totals {
    double overhead_logs, worst_overhead, worst_every, worst_small, worst_equal;
    int cases, pools, launches, correct, outputs, outputs_right, failed;
} totals;

// One case on the device.
typedef struct job {
    const settings *s;
    const dysel_case *c;
    gputune_device *device;
    totals *t;
    case_data data;
    const dysel_variant *variants[DYSEL_VARIANTS]; // those that fit
    gputune_kernel *kernels[DYSEL_VARIANTS];
    dysel_plain plain[DYSEL_VARIANTS];
    double pure[DYSEL_VARIANTS]; // seconds
    int count, best, worst;
    void *expected, *got; // outputs of a plain launch and of another
    double mean;          // of the sizes of the first
    bool cpu;
} job;

// ---------------------------------------------------------------------------------------------
// Command line and device
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
    if (!text || end == text || *end || !(value > 0)) usage(option, "wants a number above 0");
    return value;
}

static bool is_api(const char *name)
{
    static const char *const apis[] = { "cuda", "opencl", "host", "pocl" };
    for (int i = 0; i < 4; i++)
        if (strcmp(name, apis[i]) == 0) return true;
    return false;
}

static void add_name(settings *s, const char *name)
{
    bool known = name && strcmp(name, "timers") == 0;
    for (int i = 0; name && i < DYSEL_COUNT; i++)
        known = known || strstr(dysel_cases[i].base.name, name) != NULL;
    if (!known || s->name_count == MOST_NAMES)
        usage(name ? name : "--case", "is neither cuda, opencl, host, pocl nor a case");
    s->names[s->name_count++] = name;
}

static const char *const row_names[] = { "first", "first_known", "trusted", "unprepared", "prepare",
                                         "twenty", "again", "modes", "every_iteration", "equal",
                                         "worst_initial", "group", "small", "timers", NULL };

// Does a list of names hold this one?
static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (strncmp(list, name, length) == 0 && (list[length] == ',' || !list[length])) return true;
    return false;
}

static bool wants(const settings *s, const char *name)
{
    return !s->only || listed(s->only, name);
}

static void check_rows(const char *list)
{
    if (!list) usage("--only", "wants names of rows");
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const char *const *name = row_names;
        while (*name && (strncmp(at, *name, strlen(*name)) != 0 ||
                         (at[strlen(*name)] && at[strlen(*name)] != ',')))
            name++;
        if (!*name) usage(at, "is no name of rows");
    }
}

static settings parse(int argc, char **argv)
{
    settings s;
    memset(&s, 0, sizeof s);
    s.api = "";
    s.reps = 21;
    s.scale = 1;
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(o, "--pure") == 0) {
            s.pure = true;
        } else if (strcmp(o, "--trace") == 0) {
            s.trace = true;
        } else if (strcmp(o, "--scale") == 0) {
            s.scale = number(next, o), i++;
        } else if (strcmp(o, "--reps") == 0) {
            s.reps = (int)number(next, o), i++;
            if (s.reps < 1 || s.reps > MOST_REPS) usage("--reps", "wants 1 to 201");
        } else if (strcmp(o, "--only") == 0) {
            check_rows(next);
            s.only = next, i++;
        } else if (strcmp(o, "--case") == 0) {
            add_name(&s, next), i++;
        } else if (strcmp(o, "--device") == 0) {
            if (!next || !is_api(next)) usage("--device", "wants cuda, opencl, host or pocl");
            s.api = next, i++;
        } else if (is_api(o)) {
            s.api = o;
        } else {
            add_name(&s, o);
        }
    }
    return s;
}

// A name that is a case's means that one alone: I_sgemm is a part of III_sgemm.
static bool named(const settings *s, const char *name)
{
    for (int i = 0; i < s->name_count; i++)
        if (dysel_find(s->names[i]) ? strcmp(s->names[i], name) == 0
                                    : strstr(name, s->names[i]) != NULL)
            return true;
    return false;
}

static bool selects(const settings *s, const dysel_case *c, bool cpu)
{
    if (c->host != (strcmp(s->api, "host") == 0)) return false;
    if (s->name_count > 0) return named(s, c->base.name);
    return !cpu || c->host || strncmp(c->base.name, "II_", 3) != 0;
}

// ---------------------------------------------------------------------------------------------
// Rows
// ---------------------------------------------------------------------------------------------

// part: "fully_sync" and so on, or "".
static void row(const job *j, const char *part, const char *name, double value, const char *unit)
{
    printf("result\t%s%s%s%s%s\t%.6g\t%s\n", j ? j->c->base.name : "", j ? "." : "", part,
           *part ? "." : "", name, value, unit);
    fflush(stdout);
}

// Says what went wrong and counts it; false.
static bool fail(job *j, const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s: %s\n", j->c->base.name, what, why);
    j->t->failed++;
    return false;
}

static double median(const double *values, int count)
{
    double sorted[MOST_REPS];
    memcpy(sorted, values, (size_t)count * sizeof *sorted);
    return gputune_stats_of(sorted, count).median;
}

// ---------------------------------------------------------------------------------------------
// Binaries of this process
// ---------------------------------------------------------------------------------------------

// What was translated, so that the rows without compiling need not be told apart by the clock.
static struct {
    uint64_t hash;
    gputune_binary binary;
} binaries[BINARIES];
static int binary_count;
static bool binaries_kept; // they are used
static pthread_mutex_t binaries_lock = PTHREAD_MUTEX_INITIALIZER;
static gputune_result (*translate)(void *self, const gputune_build *build, gputune_binary *binary,
                                   gputune_error *error);

// The driver's translate, once for each text. Threads call it.
static gputune_result translate_once(void *self, const gputune_build *build,
                                     gputune_binary *binary, gputune_error *error)
{
    const char *source = build->source ? build->source : "";
    uint64_t hash = gt__hash_text(source, gt__hash_text(build->name, 1));
    gputune_result result = GPUTUNE_OK;
    int i;
    hash = gt__hash_text(build->options, hash);
    pthread_mutex_lock(&binaries_lock);
    for (i = 0; i < binary_count && binaries[i].hash != hash;) i++;
    if (i == binary_count || !binaries_kept) {
        pthread_mutex_unlock(&binaries_lock);
        result = translate(self, build, binary, error);
        if (result) return result;
        pthread_mutex_lock(&binaries_lock);
        if (i == binary_count && i < BINARIES &&
            (binaries[i].binary.data = malloc(binary->bytes)) != NULL) {
            memcpy(binaries[i].binary.data, binary->data, binary->bytes);
            binaries[i].binary.bytes = binary->bytes;
            binaries[i].hash = hash;
            binary_count++;
        }
    } else {
        *binary = binaries[i].binary;
        binary->data = malloc(binary->bytes);
        memcpy(binary->data, binaries[i].binary.data, binary->bytes);
    }
    pthread_mutex_unlock(&binaries_lock);
    return result;
}

// With a store for what pools have verified, and nothing else: no binaries.
static gputune_device *open_device(const char *api)
{
    static char path[1024];
    const char *folder = getenv("TMPDIR");
    gputune_device *device;
    gt__answers *answers;
    snprintf(path, sizeof path - 16, "%s/dyselXXXXXX", folder ? folder : "/tmp");
    if (!mkdtemp(path)) usage(path, "cannot be made");
    strcat(path, "/store.txt");
    device = bench_device_of(api, path, NULL);
    if (gputune_device_error(device)->result) return device;
    answers = gt__device_answers(device);
    if (answers) answers->no_binaries = true;
    translate = device->driver.translate;
    if (translate) device->driver.translate = translate_once;
    return device;
}

// ---------------------------------------------------------------------------------------------
// Plain launches
// ---------------------------------------------------------------------------------------------

static bool wait_idle(job *j)
{
    gputune_error error;
    if (j->device->driver.wait(j->device->self, &error) == GPUTUNE_OK) return true;
    return fail(j, "waiting", error.text);
}

// What is added to needs the same beginning; what is only written does not.
static bool reset_sums(job *j)
{
    for (int i = 0; i < j->data.arg_count; i++)
        if (j->data.args[i].kind == GPUTUNE_ARG_INOUT)
            return (dysel_reset(&j->data) && wait_idle(j)) ||
                   fail(j, "output", "cannot be written");
    return true;
}

static bool time_plain(job *j, int variant, double *seconds)
{
    const dysel_plain *p = &j->plain[variant];
    double begin;
    if (!reset_sums(j)) return false;
    begin = gputune_now();
    if (dysel_launch(p) != GPUTUNE_OK || !wait_idle(j))
        return fail(j, j->variants[variant]->name, gputune_kernel_error(p->kernel)->text);
    *seconds = gputune_now() - begin;
    return true;
}

static bool read_output(job *j, void *host)
{
    const case_buffer *output = &j->data.buffers[case_first_output(&j->data)];
    return gputune_buffer_read(j->device, output->buffer, 0, host, output->bytes) == GPUTUNE_OK ||
           fail(j, "output", "cannot be read");
}

// Elements drawn at random, the first and the last among them, beside plain C.
static bool samples_right(job *j, const void *output, char *why, size_t size)
{
    const size_t count = j->data.buffers[case_first_output(&j->data)].bytes / 4;
    j->data.output = case_first_output(&j->data);
    for (int i = 0; i < SAMPLES; i++) {
        size_t at = case_random(&j->data, (uint32_t)count);
        at = i == 0 ? 0 : i == 1 ? count - 1 : at;
        if (!case_compare(&j->data, output, at, why, size)) return false;
    }
    return true;
}

// One plain launch on poisoned outputs, compared with plain C; its output is in `expected`.
static bool check_plain(job *j, int variant)
{
    char why[256] = "";
    double seconds;
    if (!dysel_reset(&j->data)) return fail(j, "output", "cannot be written");
    return time_plain(j, variant, &seconds) && read_output(j, j->expected) &&
           (samples_right(j, j->expected, why, sizeof why) ||
            fail(j, j->variants[variant]->name, why));
}

// The mean size of what is expected.
static double mean_expected(const job *j)
{
    const case_buffer *output = &j->data.buffers[case_first_output(&j->data)];
    const float *expected = (const float *)j->expected;
    const size_t count = output->type == CASE_FLOATS ? output->bytes / 4 : 0;
    double mean = 0, size = 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : mean, size)
#endif
    for (size_t i = 0; i < count; i++) {
        if (isnan(expected[i])) continue;
        mean += fabs((double)expected[i]);
        size++;
    }
    return size > 0 ? mean / size : 0;
}

// The whole output beside that of a plain launch: finds parts that nobody did.
static bool like_expected(const job *j)
{
    const case_buffer *output = &j->data.buffers[case_first_output(&j->data)];
    const float *got = (const float *)j->got, *expected = (const float *)j->expected;
    const size_t count = output->bytes / 4;
    size_t wrong = 0;
    if (output->type != CASE_FLOATS) return memcmp(got, expected, output->bytes) == 0;
#ifdef _OPENMP
#pragma omp parallel for reduction(+ : wrong)
#endif
    for (size_t i = 0; i < count; i++) {
        const double e = (double)expected[i], off = fabs((double)got[i] - e);
        wrong += isnan(e) != (bool)isnan(got[i]) || off > 1e-3 * (j->mean + fabs(e));
    }
    return wrong == 0;
}

static bool output_right(job *j)
{
    char why[256] = "another than a plain launch's";
    if (!read_output(j, j->got)) return false;
    if (like_expected(j) && samples_right(j, j->got, why, sizeof why)) return true;
    fprintf(stderr, "bench: %s: wrong output: %s\n", j->c->base.name, why);
    return false;
}

// All variants in turn; those that are slow only a few times.
static bool measure_pure(job *j)
{
    static double times[DYSEL_VARIANTS][MOST_REPS];
    int counts[DYSEL_VARIANTS] = { 0 };
    double least = HUGE_VAL, seconds;
    for (int v = 0; v < j->count; v++) {
        seconds = 0;
        for (int i = 0; i < WARM_UP && seconds < 0.1; i++) // what is slow needs none
            if (!time_plain(j, v, &seconds)) return false;
    }
    for (int r = 0; r < j->s->reps; r++)
        for (int v = 0; v < j->count; v++) {
            if (r >= FEWEST && median(times[v], counts[v]) > 2 * least) continue;
            if (!time_plain(j, v, &times[v][counts[v]])) return false;
            least = fmin(least, times[v][counts[v]++]);
        }
    j->best = j->worst = 0;
    for (int v = 0; v < j->count; v++) {
        char name[64];
        j->pure[v] = median(times[v], counts[v]);
        if (j->pure[v] < j->pure[j->best]) j->best = v;
        if (j->pure[v] > j->pure[j->worst]) j->worst = v;
        snprintf(name, sizeof name, "pure_%s", j->variants[v]->name);
        row(j, "", name, 1e6 * j->pure[v], "us");
    }
    row(j, "", "oracle", 1e6 * j->pure[j->best], "us");
    row(j, "", "worst", 1e6 * j->pure[j->worst], "us");
    return true;
}

// ---------------------------------------------------------------------------------------------
// Pools
// ---------------------------------------------------------------------------------------------

#define WORD(name, word) word,
static const char *const mode_words[] = { GPUTUNE_PROFILE_MODES(WORD) };

// How a pool is made and used.
typedef struct setup {
    const char *part; // of the rows' names
    gputune_profile_mode mode;
    bool asynchronous;
    gputune_profile_when when;
    int initial;  // the variant to begin with
    bool equal;   // the best variant three times
    int beside;   // the variant whose plain launches it is compared with
    int reps;
    const char *name; // of the store's entry, or NULL
    bool trusted;
} setup;

typedef struct verdict {
    double total, oracle, overhead; // s, those of the plain launches beside, and a part of one
    double cost;                    // gputune_pool_report.cost, s
    double sum, longest, looks;     // s of a new pool's first TOGETHER launches; .cost of them
    int launches, profiled, correct;
    gputune_profile_mode mode; // of the last
    bool output;
} verdict;

// Which variant is the pool's i-th: the initial one and the first change places.
static int ordered(const setup *s, int i)
{
    return i == 0 ? s->initial : i == s->initial ? 0 : i;
}

static gputune_pool *make_pool(const job *j, const setup *s)
{
    static const char *const names[] = { "first", "second", "third" };
    gputune_kernel_desc kernels[DYSEL_VARIANTS + 1];
    gputune_function functions[DYSEL_VARIANTS][2];
    char takes[DYSEL_VARIANTS][4 * CASE_ARGS];
    gputune_pool_desc desc;
    memset(kernels, 0, sizeof kernels);
    for (int i = 0; i < (s->equal ? 3 : j->count); i++) {
        const dysel_variant *v = j->variants[s->equal ? j->best : ordered(s, i)];
        kernels[i] = dysel_desc(j->c, v, functions[i]);
        kernels[i].title = s->equal ? names[i] : v->name;
        kernels[i].config = v->config;
        kernels[i].group_units = v->factor;
        if (dysel_takes(v, takes[i], sizeof takes[i])) kernels[i].args = takes[i];
    }
    // Long sums of terms of both signs, in another order: what is right is checked by the case.
    kernels[0].tune.tolerance = kernels[0].tune.absolute_tolerance = 1e-3;
    memset(&desc, 0, sizeof desc);
    desc.kernels = kernels;
    desc.units = j->c->units;
    desc.mode = s->mode;
    desc.synchronous = !s->asynchronous;
    desc.when = s->when;
    desc.name = s->name;
    desc.trusted = s->trusted;
    return gputune_pool_create(j->device, &desc);
}

static bool time_next(job *j, gputune_pool *pool, const setup *s, double *seconds)
{
    double begin;
    if (!reset_sums(j)) return false;
    begin = gputune_now();
    if (gputune_pool_run(pool, j->data.args, j->data.arg_count) != GPUTUNE_OK ||
        !wait_idle(j))
        return fail(j, s->part, gputune_pool_error(pool)->text);
    *seconds = gputune_now() - begin;
    return true;
}

// The same as if the problem were new.
static bool time_pool(job *j, gputune_pool *pool, const setup *s, double *seconds)
{
    if (s->when == GPUTUNE_PROFILE_FIRST) gputune_pool_forget(pool);
    return time_next(j, pool, s, seconds);
}

// The first launches of a pool, one after the other.
static bool time_together(job *j, gputune_pool *pool, const setup *s, verdict *v, double *first)
{
    v->sum = v->longest = v->looks = 0;
    for (int i = 0; i < TOGETHER; i++) {
        double seconds;
        if (!time_next(j, pool, s, &seconds)) return false;
        if (i == 0) *first = seconds;
        v->sum += seconds;
        v->longest = fmax(v->longest, seconds);
        v->looks += gputune_pool_outcome(pool)->cost;
    }
    return true;
}

// One launch of each, in an order that alternates.
static bool time_pair(job *j, gputune_pool *pool, const setup *s, bool swapped, double *plain,
                      double *pooled)
{
    if (swapped) return time_pool(j, pool, s, pooled) && time_plain(j, s->beside, plain);
    return time_plain(j, s->beside, plain) && time_pool(j, pool, s, pooled);
}

static bool measure_pool(job *j, gputune_pool *pool, const setup *s, verdict *v)
{
    double plain[MOST_REPS], pooled[MOST_REPS], over[MOST_REPS], costs[MOST_REPS], ignored;
    for (int r = -1; r < s->reps; r++) { // the first pair warms up
        const gputune_pool_report *o;
        const int i = r < 0 ? 0 : r;
        if (!time_pair(j, pool, s, r % 2 != 0, &plain[i], &pooled[i])) return false;
        over[i] = (pooled[i] - plain[i]) / plain[i];
        if (r < 0) continue;
        o = gputune_pool_outcome(pool);
        v->launches++;
        v->correct += s->equal || j->pure[ordered(s, o->winner)] <= 1.02 * j->pure[j->best];
        v->profiled += o->profiled;
        v->mode = o->mode;
        costs[i] = o->cost;
    }
    v->total = median(pooled, s->reps);
    v->oracle = median(plain, s->reps);
    v->overhead = median(over, s->reps);
    v->cost = median(costs, s->reps);
    if (!dysel_reset(&j->data) || !time_pool(j, pool, s, &ignored)) return false;
    v->output = output_right(j);
    j->t->outputs++;
    j->t->outputs_right += v->output;
    return true;
}

// What the last launch did, for who wants to know why.
static void print_note(const job *j, const setup *s, const gputune_pool_report *o)
{
    fprintf(stderr, "%s %s: %s\n", j->c->base.name, s->part, o->text);
}

// A pool from making to destroying, and its `prepare`.
static bool try_pool(job *j, const setup *s, verdict *v)
{
    const double begin = gputune_now(), oracle = j->pure[s->beside];
    double first;
    gputune_pool *pool = make_pool(j, s);
    bool ok = pool || fail(j, s->part, "out of memory");
    memset(v, 0, sizeof *v);
    if (ok)
        ok = gputune_pool_prepare(pool, j->data.args, j->data.arg_count) == GPUTUNE_OK ||
             fail(j, s->part, gputune_pool_error(pool)->text);
    if (ok) {
        row(j, s->part, "prepare", gputune_now() - begin, "s");
        ok = time_together(j, pool, s, v, &first);
    }
    if (ok) {
        if (strncmp(s->part, "small", 5) != 0) { // the medians are those of the large size
            row(j, s->part, "first", 100 * (first - oracle) / oracle, "%");
            row(j, s->part, "sum20", 100 * (v->sum / TOGETHER - oracle) / oracle, "%");
            row(j, s->part, "worst20", 100 * (v->longest - oracle) / oracle, "%");
        }
        ok = measure_pool(j, pool, s, v);
    }
    if (ok) print_note(j, s, gputune_pool_outcome(pool));
    gputune_pool_destroy(pool);
    return ok;
}

static setup setup_of(const job *j, const char *part)
{
    setup s;
    memset(&s, 0, sizeof s);
    s.part = part;
    s.mode = j->device->driver.takes_source ? GPUTUNE_PROFILE_AUTO : j->c->mode;
    s.when = GPUTUNE_PROFILE_FIRST;
    s.asynchronous = true;
    s.beside = j->best;
    s.reps = j->s->reps;
    return s;
}

static bool print_mode(job *j, const setup *s, verdict *v)
{
    if (!try_pool(j, s, v)) return false;
    row(j, s->part, "total", 1e6 * v->total, "us");
    row(j, s->part, "oracle", 1e6 * v->oracle, "us");
    row(j, s->part, "overhead", 100 * v->overhead, "%");
    row(j, s->part, "cost", 1e6 * v->cost, "us");
    row(j, s->part, "profiled", (double)v->profiled / v->launches, "of the launches");
    row(j, s->part, "correct_choice", (double)v->correct / v->launches, "of the launches");
    row(j, s->part, "output", v->output, "right");
    return true;
}

// A new pool, which knows what earlier ones of its name have verified; its first launch over the
// oracle's. *prepare: s before that. NULL: it failed.
static gputune_pool *first_launch(job *j, const setup *s, bool prepares, double *prepare,
                                  double *seconds)
{
    double begin = gputune_now();
    gputune_pool *pool = make_pool(j, s);
    bool ok = pool || fail(j, s->part, "out of memory");
    if (ok && s->name) { // the store's winner is to be found anew
        ok = !gputune_pool_prepare(pool, j->data.args, j->data.arg_count);
        gputune_pool_forget(pool);
    }
    if (ok && j->s->trace) trace_begin();
    if (ok && prepares) ok = !gputune_pool_prepare(pool, j->data.args, j->data.arg_count);
    if (ok && j->s->trace && prepares) trace_print(j->c->base.name, "prepare");
    if (pool && !ok) fail(j, s->part, gputune_pool_error(pool)->text);
    *prepare = gputune_now() - begin;
    ok = ok && (dysel_reset(&j->data) || fail(j, "output", "cannot be written"));
    ok = ok && wait_idle(j);
    if (ok && j->s->trace) trace_begin();
    ok = ok && time_next(j, pool, s, seconds);
    if (ok && j->s->trace) trace_print(j->c->base.name, s->part);
    if (ok) return pool;
    gputune_pool_destroy(pool);
    return NULL;
}

// The first launches of some new pools, and what they were worth.
static bool print_first(job *j, const char *part, setup s, bool prepares)
{
    const double oracle = j->pure[s.beside];
    const int reps = j->s->reps < NEW_REPS ? j->s->reps : NEW_REPS;
    double over[NEW_REPS], prepare[NEW_REPS], worst = -HUGE_VAL, sum = 0, seconds;
    char name[64], twenty[64] = "twenty";
    int correct = 0;
    s.part = part;
    bool many = prepares && wants(j->s, "twenty");
    if (strcmp(part, "first") != 0) snprintf(twenty, sizeof twenty, "%s_twenty", part);
    for (int r = 0; r < reps; r++) {
        gputune_pool *pool = first_launch(j, &s, prepares, &prepare[r], &sum);
        if (!pool) return false;
        over[r] = 100 * (sum / oracle - 1);
        worst = fmax(worst, over[r]);
        correct += j->pure[ordered(&s, gputune_pool_outcome(pool)->winner)] <=
                   1.02 * j->pure[j->best];
        if (r == 0) print_note(j, &s, gputune_pool_outcome(pool));
        if (r == 0) {
            j->t->outputs++;
            j->t->outputs_right += output_right(j);
        }
        for (int i = 1; r == reps - 1 && i < TOGETHER && many; i++) {
            if (j->s->trace) trace_begin();
            if (!time_next(j, pool, &s, &seconds)) return false;
            if (j->s->trace) trace_print(j->c->base.name, twenty);
            if (j->s->trace) print_note(j, &s, gputune_pool_outcome(pool));
            sum += seconds;
        }
        gputune_pool_destroy(pool);
    }
    if (wants(j->s, part)) {
        row(j, "", part, median(over, reps), "%");
        snprintf(name, sizeof name, "%s_worst", part);
        row(j, "", name, worst, "%");
        row(j, part, "correct_choice", (double)correct / reps, "of the launches");
    }
    if (strcmp(part, "first") == 0 && wants(j->s, "prepare"))
        row(j, "", "prepare", 1e3 * median(prepare, reps), "ms");
    if (many)
        row(j, "", twenty, 100 * (sum / TOGETHER / oracle - 1), "%");
    return true;
}

// A pool that has verified all of its variants and has written that to the store.
static bool verify_all(job *j, const setup *s)
{
    gputune_pool *pool = make_pool(j, s);
    double ignored;
    bool ok = pool != NULL;
    for (int i = 0; ok && i < TOGETHER; i++) ok = time_next(j, pool, s, &ignored);
    gputune_pool_destroy(pool);
    return ok;
}

static bool print_firsts(job *j)
{
    setup s = setup_of(j, "first");
    char name[64];
    binaries_kept = true;
    if ((wants(j->s, "first") || wants(j->s, "prepare") || wants(j->s, "twenty")) &&
        !print_first(j, "first", s, true))
        return false;
    if (wants(j->s, "unprepared") && j->device->driver.translate &&
        !print_first(j, "unprepared", s, false))
        return false;
    s.trusted = true;
    if (wants(j->s, "trusted") && !print_first(j, "trusted", s, true)) return false;
    s.trusted = false;
    snprintf(name, sizeof name, "dysel %s", j->c->base.name);
    s.name = name;
    return !wants(j->s, "first_known") ||
           (verify_all(j, &s) && print_first(j, "first_known", s, true));
}

static void add_worst(const job *j, double *worst, const verdict *v)
{
    *worst = fmax(*worst, v->overhead);
}

static void add_to_totals(totals *t, const verdict *v)
{
    t->overhead_logs += log1p(v->overhead);
    t->worst_overhead = fmax(t->worst_overhead, v->overhead);
    t->launches += v->launches;
    t->correct += v->correct;
    t->pools++;
}

// The mode that AUTO takes, synchronous and asynchronous, then the others.
static bool print_modes(job *j)
{
    setup s = setup_of(j, "auto_sync");
    verdict v, async;
    gputune_profile_mode own, expected = j->c->mode;
    if (!j->c->host && expected == GPUTUNE_PROFILE_FULLY) expected = GPUTUNE_PROFILE_HYBRID;
    s.asynchronous = false;
    if (!wants(j->s, "again") && !wants(j->s, "modes")) return true;
    if (!print_mode(j, &s, &v)) return false;
    own = v.mode;
    printf("result\t%s.mode\t%s\tmode\n", j->c->base.name, mode_words[own]);
    row(j, "", "mode_expected", own == expected, "yes");
    if (own != GPUTUNE_PROFILE_SWAP) {
        s.part = "auto_async";
        s.asynchronous = true;
        if (!print_mode(j, &s, &async)) return false;
        v = async;
    }
    add_to_totals(j->t, &v);
    s.reps = s.reps < OTHER_REPS ? s.reps : OTHER_REPS;
    if (!wants(j->s, "modes")) return true;
    for (int mode = GPUTUNE_PROFILE_FULLY; mode <= GPUTUNE_PROFILE_SWAP; mode++)
        for (int flow = 0; flow < 2; flow++) {
            char part[64];
            const char *const word = mode_words[mode];
            if (mode == (int)own || j->c->mode == GPUTUNE_PROFILE_SWAP) continue;
            if (mode == GPUTUNE_PROFILE_SWAP && flow) continue;
            snprintf(part, sizeof part, "%s_%s", word, flow ? "async" : "sync");
            s.part = part;
            s.mode = (gputune_profile_mode)mode;
            s.asynchronous = flow != 0;
            if (!print_mode(j, &s, &v)) return false;
        }
    return true;
}

static bool print_others(job *j)
{
    setup s = setup_of(j, "every_iteration");
    verdict v;
    s.when = GPUTUNE_PROFILE_ALWAYS;
    if (wants(j->s, "every_iteration")) {
        if (!print_mode(j, &s, &v)) return false;
        add_worst(j, &j->t->worst_every, &v);
    }
    s = setup_of(j, "equal");
    s.equal = true;
    if (wants(j->s, "equal")) {
        if (!print_mode(j, &s, &v)) return false;
        add_worst(j, &j->t->worst_equal, &v);
    }
    s = setup_of(j, "worst_initial");
    s.initial = j->worst;
    return !wants(j->s, "worst_initial") || print_mode(j, &s, &v);
}

// ---------------------------------------------------------------------------------------------
// One case
// ---------------------------------------------------------------------------------------------

static void close_job(job *j)
{
    for (int v = 0; v < j->count; v++) gputune_kernel_destroy(j->kernels[v]);
    free(j->expected);
    free(j->got);
    case_free(&j->data);
}

// Data, kernels, and what is right. False: nothing is open.
static bool open_job(job *j, const int size[3])
{
    size_t bytes;
    bool ok = true;
    j->count = 0;
    j->expected = j->got = NULL;
    if (!case_make(&j->data, &j->c->base, j->device, size, 1))
        return fail(j, "data", gputune_device_error(j->device)->text);
    for (const dysel_variant *v = j->c->variants; ok && v->name; v++) {
        if (!dysel_fits(v, &j->data)) continue;
        j->variants[j->count] = v;
        j->kernels[j->count] = dysel_kernel(j->c, v, j->device);
        ok = dysel_plan(&j->plain[j->count], j->kernels[j->count], v, &j->data);
        if (!ok) fail(j, v->name, gputune_kernel_error(j->kernels[j->count])->text);
        j->count++;
    }
    bytes = j->data.buffers[case_first_output(&j->data)].bytes;
    j->expected = malloc(bytes);
    j->got = malloc(bytes);
    ok = ok && ((j->expected && j->got) || fail(j, "outputs", "out of memory"));
    for (int v = j->count - 1; ok && v >= 0; v--) ok = check_plain(j, v);
    if (ok) j->mean = mean_expected(j); // of the first variant
    if (!ok) close_job(j);
    return ok;
}

// Median of a few plain launches.
static bool time_few(job *j, int variant, double *seconds)
{
    double times[FEWEST + 1];
    for (int i = 0; i <= FEWEST; i++) // the first one warms up
        if (!time_plain(j, variant, &times[i ? i - 1 : FEWEST])) return false;
    *seconds = median(times, FEWEST);
    return true;
}

// What the first launches of a pool may take that looks at its variants in turns: the best one's
// median for all of them, and each other's once.
static bool allowed(job *j, double *seconds)
{
    double one, best = HUGE_VAL;
    *seconds = 0;
    for (int v = 0; v < j->count; v++) {
        if (!time_few(j, v, &one)) return false;
        best = fmin(best, one);
        *seconds += one;
    }
    *seconds += (TOGETHER - 1) * best;
    return true;
}

// A pool that looks at its variants launch by launch, and compiles behind the program's back.
static bool print_online(job *j, const char *part)
{
    static double times[MOST_ONLINE];
    setup s = setup_of(j, part);
    gputune_pool *pool;
    double begin = gputune_now(), ignored;
    bool ok, settled = false;
    int count = 0;
    s.when = GPUTUNE_PROFILE_ONLINE;
    pool = make_pool(j, &s);
    ok = pool || fail(j, part, "out of memory");
    ok = ok && time_next(j, pool, &s, &ignored); // compiles the variant to begin with
    while (ok && count < MOST_ONLINE && (count < ONLINE || !settled) && gputune_now() - begin < 5) {
        ok = time_next(j, pool, &s, &times[count++]);
        settled = ok && strstr(gputune_pool_outcome(pool)->text, "settled") != NULL;
    }
    if (ok && count) {
        const double middle = gputune_stats_of(times, count).median; // sorts
        row(j, part, "online_launches", count, "launches");
        row(j, part, "online_settled", settled, "yes");
        row(j, part, "online_median", 1e6 * middle, "us");
        row(j, part, "online_p999", times[count - 1 - count / 1000] / middle, "x");
        row(j, part, "online_worst", 1e3 * times[count - 1], "ms");
    }
    gputune_pool_destroy(pool);
    return ok;
}

// Too little work to profile: it should cost nothing.
static bool print_small(const job *whole)
{
    int full[3];
    double most;
    dysel_size(whole->c, whole->cpu, whole->s->scale, full);
    most = 0.75 * dysel_groups(whole->c, full); // more is the whole
    for (int groups = 128; groups <= 1024; groups *= 2) {
        job small = *whole, *j = &small;
        char part[64];
        setup s;
        verdict v;
        int size[3];
        double most_seconds;
        bool ok;
        dysel_size_of_groups(j->c, j->cpu, groups, size);
        if (groups > most) continue;
        if (!open_job(j, size)) return false;
        snprintf(part, sizeof part, "small_%d", groups);
        s = setup_of(j, part);
        s.beside = 0;
        ok = allowed(j, &most_seconds) && try_pool(j, &s, &v);
        if (ok) {
            row(j, part, "sum20", 100 * (v.sum / most_seconds - 1), "%");
            row(j, part, "sum20_looks", 100 * v.looks / most_seconds, "%");
            row(j, part, "total", 1e6 * v.total, "us");
            row(j, part, "initial", 1e6 * v.oracle, "us");
            row(j, part, "overhead", 100 * v.overhead, "%");
            row(j, part, "output", v.output, "right");
            add_worst(j, &j->t->worst_small, &v);
        }
        if (ok && groups == 1024) ok = print_online(j, part);
        close_job(j);
        if (!ok) return false;
    }
    return true;
}

// What one group of the slowest takes: a launch that this is much of cannot be told apart in parts.
static bool print_group(const job *whole)
{
    job one = *whole, *j = &one;
    double most = 0;
    int size[3];
    bool ok;
    dysel_size(j->c, j->cpu, j->s->scale, size);
    for (int d = 0; d < 3; d++)
        if (j->c->group[d] > 0) size[d] = (int)j->c->group[d] + j->c->border;
    if (!open_job(j, size)) return false;
    ok = true;
    for (int v = 0; ok && v < j->count; v++) {
        double one = 0;
        ok = time_few(j, v, &one);
        most = fmax(most, one);
    }
    if (ok) row(whole, "", "group", 100 * most / whole->pure[whole->best], "%");
    close_job(j);
    return ok;
}

static bool run_case(job *j)
{
    char text[64];
    int size[3];
    const double begin = gputune_now();
    bool ok;
    dysel_size(j->c, j->cpu, j->s->scale, size);
    if (!open_job(j, size)) return false;
    fprintf(stderr, "%s %s: %d variants, ready after %.1f s\n", j->c->base.name,
            case_size_text(&j->data, text, sizeof text), j->count, gputune_now() - begin);
    ok = measure_pure(j);
    binaries_kept = false;
    if (ok && !j->s->pure) ok = print_modes(j) && print_others(j) && print_firsts(j);
    close_job(j);
    if (ok && wants(j->s, "group")) ok = print_group(j);
    j->t->cases++;
    if (ok && !j->s->pure && wants(j->s, "small")) ok = print_small(j);
    fprintf(stderr, "%s took %.1f s\n", j->c->base.name, gputune_now() - begin);
    return ok;
}

// ---------------------------------------------------------------------------------------------
// Timers
// ---------------------------------------------------------------------------------------------

enum { TIMER_ARGS = 4, TIMER_LENGTHS = 5, TIMER_MOST_PARTS = 1024 };

// Parts and how many the whole has: at least 10 ms, or it would be too small to profile.
static const struct {
    int microseconds, parts;
} timer_lengths[TIMER_LENGTHS] = {
    { 10, TIMER_MOST_PARTS }, { 30, 512 }, { 100, 256 }, { 300, 128 }, { 1000, 64 }
};

// Two variants of one kernel: the second takes 5 % more steps.
typedef struct spinner {
    gputune_device *device;
    gputune_kernel_desc desc;
    gputune_kernel *kernel; // of it, for launches of the whole
    void *out;
    gputune_arg args[TIMER_ARGS]; // items, steps of the first, of the second, out
    double part;                  // items of a part: several waves of work-groups
    int parts;                    // of the whole
    double rates[2];              // items a second, of launches of the whole
} spinner;

static const int spin_indices[2][3] = { { 0, 1, 3 }, { 0, 2, 3 } };

// Device seconds of the whole with one variant's steps.
static bool spin_time(spinner *x, int variant, double *seconds)
{
    const gputune_space *space;
    gputune_arg args[3];
    gputune_stats stats;
    gputune_config config;
    for (int i = 0; i < 3; i++) args[i] = x->args[spin_indices[variant][i]];
    space = gputune_kernel_space(x->kernel, args, 3);
    if (!space) return false;
    config = gputune_space_default(space);
    if (gputune_kernel_time(x->kernel, &config, args, 3, 15, &stats) != GPUTUNE_OK) return false;
    *seconds = stats.median;
    return true;
}

// Steps such that a part takes so long, and the truth about them.
static bool spin_calibrate(spinner *x, double part_seconds)
{
    double seconds;
    int steps = 64;
    for (int round = 0; round < 3; round++) {
        x->args[1] = gputune_int(steps);
        if (!spin_time(x, 0, &seconds)) return false;
        steps = (int)fmax(20, steps * part_seconds * x->parts / seconds);
    }
    x->args[1] = gputune_int(steps);
    x->args[2] = gputune_int((int)(1.05 * steps + 0.5));
    for (int v = 0; v < 2; v++) {
        if (!spin_time(x, v, &seconds)) return false;
        x->rates[v] = x->part * x->parts / seconds;
    }
    return true;
}

static bool spin_timer(spinner *x, const settings *s, const char *part)
{
    gputune_kernel_desc kernels[3];
    gputune_pool_desc desc;
    gputune_pool *pool;
    double errors[MOST_REPS];
    int ranked = 0, profiled = 0;
    bool ok;
    memset(kernels, 0, sizeof kernels);
    for (int v = 0; v < 2; v++) {
        kernels[v] = x->desc;
        kernels[v].title = v ? "slower" : "faster";
        kernels[v].args = v ? "0,2,3" : "0,1,3"; // spin_indices
    }
    kernels[0].tune.absolute_tolerance = 1e30; // other steps, other results
    memset(&desc, 0, sizeof desc);
    desc.kernels = kernels;
    desc.units = "items";
    desc.mode = GPUTUNE_PROFILE_FULLY;
    desc.synchronous = true;
    desc.part = x->part;
    desc.ceiling = 1;
    pool = gputune_pool_create(x->device, &desc);
    ok = pool && gputune_pool_prepare(pool, x->args, TIMER_ARGS) == GPUTUNE_OK;
    for (int r = 0; ok && r < s->reps; r++) {
        const gputune_pool_report *o;
        gputune_pool_forget(pool);
        ok = gputune_pool_run(pool, x->args, TIMER_ARGS) == GPUTUNE_OK;
        o = gputune_pool_outcome(pool);
        if (!ok || !o->profiled || !(o->variants[0].rate > 0)) continue;
        errors[profiled++] = fabs(o->variants[0].rate / x->rates[0] - 1);
        ranked += o->variants[0].rate > o->variants[1].rate;
    }
    if (ok) {
        row(NULL, part, "profiled", (double)profiled / s->reps, "of the launches");
        if (profiled > 0) {
            row(NULL, part, "part", x->part / x->rates[0] * 1e6, "us");
            row(NULL, part, "error", 100 * median(errors, profiled), "%");
            row(NULL, part, "ranking", (double)ranked / profiled, "right");
        }
    } else {
        fprintf(stderr, "bench: %s: %s\n", part,
                pool ? gputune_pool_error(pool)->text : "out of memory");
    }
    gputune_pool_destroy(pool);
    return ok;
}

static bool spin_lengths(spinner *x, const settings *s)
{
    bool ok = true;
    for (int i = 0; ok && i < TIMER_LENGTHS; i++) {
        x->parts = timer_lengths[i].parts;
        x->args[0] = gputune_int((int)x->part * x->parts);
        ok = spin_calibrate(x, 1e-6 * timer_lengths[i].microseconds);
        if (!ok) fprintf(stderr, "bench: timers: %s\n", gputune_kernel_error(x->kernel)->text);
        if (ok) {
            char part[64];
            snprintf(part, sizeof part, "timer_events.%d_us", timer_lengths[i].microseconds);
            ok = spin_timer(x, s, part);
        }
    }
    return ok;
}

static bool run_timers(gputune_device *device, const settings *s)
{
    const gputune_limits *limits = gputune_device_limits(device);
    const int units = limits->compute_units > 0 ? (int)limits->compute_units : 1;
    spinner x;
    size_t bytes;
    bool ok;
    memset(&x, 0, sizeof x);
    x.desc.file = DYSEL_FILE("spin");
    x.desc.name = "spin";
    x.device = device;
    x.part = (double)units * (limits->is_gpu ? 4 * 2048 : 1024); // 4 waves of work-items
    bytes = (size_t)x.part * TIMER_MOST_PARTS / 16 * 4;
    x.out = gputune_buffer_create(device, bytes, NULL);
    x.kernel = gputune_kernel_create(device, &x.desc);
    x.args[3] = gputune_out(x.out, bytes);
    ok = x.out && spin_lengths(&x, s);
    gputune_kernel_destroy(x.kernel);
    gputune_buffer_destroy(device, x.out);
    return ok;
}

// ---------------------------------------------------------------------------------------------

// Without a value: no case had it.
static void worst_row(const char *name, double value)
{
    if (value > NONE) row(NULL, "", name, 100 * value, "%");
}

static void print_totals(const totals *t)
{
    if (t->pools > 0) {
        row(NULL, "", "cases", t->pools, "cases");
        row(NULL, "", "geomean_overhead", 100 * expm1(t->overhead_logs / t->pools), "%");
        row(NULL, "", "launches", t->launches, "launches");
        row(NULL, "", "correct_choice", (double)t->correct / t->launches, "of the launches");
    }
    worst_row("worst_overhead", t->worst_overhead);
    worst_row("worst_every_iteration", t->worst_every);
    worst_row("worst_small", t->worst_small);
    worst_row("worst_equal", t->worst_equal);
    if (t->outputs == 0) return;
    row(NULL, "", "outputs", t->outputs, "outputs");
    row(NULL, "", "outputs_right", (double)t->outputs_right / t->outputs, "of the outputs");
}

int main(int argc, char **argv)
{
    const settings s = parse(argc, argv);
    totals t;
    gputune_device *device;
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    device = open_device(s.api);
    memset(&t, 0, sizeof t);
    t.worst_overhead = t.worst_every = t.worst_small = t.worst_equal = NONE;
    if (gputune_device_error(device)->result != GPUTUNE_OK) {
        fprintf(stderr, "bench: device: %s\n", gputune_device_error(device)->text);
        return 1;
    }
    fprintf(stderr, "%s, driver %s\n", gputune_device_limits(device)->name,
            gputune_device_limits(device)->driver);
    if (s.trace) trace_driver(&device->driver);
    if (gputune_device_limits(device)->is_gpu && s.scale > 1)
        usage("--scale", "wants at most 1 on a GPU");
    for (int i = 0; i < DYSEL_COUNT; i++) {
        static job j; // some kilobytes
        memset(&j, 0, sizeof j);
        j.s = &s;
        j.c = &dysel_cases[i];
        j.device = device;
        j.t = &t;
        j.cpu = !gputune_device_limits(device)->is_gpu;
        if (selects(&s, j.c, j.cpu)) run_case(&j);
    }
    if (!s.pure && wants(&s, "timers") && strcmp(s.api, "host") != 0 &&
        (s.name_count == 0 || named(&s, "timers")) && !run_timers(device, &s))
        t.failed++;
    print_totals(&t);
    gputune_device_destroy(device);
    return t.failed > 0 || t.outputs_right < t.outputs;
}
