// Searches that a relative's answer teaches, when searches end, and where their time goes: for
// bench_answer.c, which explains the rows.
#ifndef BENCH_ANSWER_RELATIVES_H
#define BENCH_ANSWER_RELATIVES_H

#include "answer.h"

#include <limits.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// Where the time goes: the driver's functions, each with a clock before and behind it
// ---------------------------------------------------------------------------------------------

// Seconds. Of the calling thread all but the compilers'.
typedef struct relatives_spent {
    double compilers;         // of all threads together
    double launches, loading; // of configurations; of what was compiled
    double data;              // copied, filled, compared
    double own;               // a compiler on the calling thread
    double here, busy;        // in all of these functions but `compilers`; of it processor time
} relatives_spent;

typedef struct relatives_moment {
    double wall, busy;
} relatives_moment;

static gputune_driver relatives_driver; // the device's own functions
static pthread_t relatives_thread;      // the calling one
static gt__lock relatives_lock;         // of .compilers
static relatives_spent relatives_now;
static relatives_moment relatives_begin;

static relatives_moment relatives_enter(void)
{
    struct timespec t;
    relatives_moment m;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    m.busy = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    m.wall = gputune_now();
    return m;
}

static void relatives_leave(relatives_moment begin, double *spent)
{
    const relatives_moment end = relatives_enter();
    *spent += end.wall - begin.wall;
    relatives_now.here += end.wall - begin.wall;
    relatives_now.busy += end.busy - begin.busy;
}

static gputune_result relatives_translate(void *self, const gputune_build *build,
                                          gputune_binary *binary, gputune_error *error)
{
    const relatives_moment begin = relatives_enter();
    const gputune_result result = relatives_driver.translate(self, build, binary, error);
    gt__lock_enter(&relatives_lock);
    relatives_now.compilers += gputune_now() - begin.wall;
    gt__lock_leave(&relatives_lock);
    if (pthread_equal(pthread_self(), relatives_thread))
        relatives_leave(begin, &relatives_now.own);
    return result;
}

#define RELATIVES_TIMED(name, spent, parameters, arguments)                                       \
    static gputune_result relatives_##name parameters                                             \
    {                                                                                             \
        const relatives_moment begin = relatives_enter();                                         \
        const gputune_result result = relatives_driver.name arguments;                            \
        relatives_leave(begin, &relatives_now.spent);                                             \
        return result;                                                                            \
    }

RELATIVES_TIMED(compile, loading, (void *self, const gputune_build *build, void **code,
                                   gputune_error *error), (self, build, code, error))
RELATIVES_TIMED(time, launches, (void *self, void *code, const gputune_driver_launch *launch,
                                 int batch, double limit, double hang, double *seconds,
                                 gputune_error *error),
                (self, code, launch, batch, limit, hang, seconds, error))
RELATIVES_TIMED(copy, data, (void *self, void *to, size_t to_offset, void *from,
                             size_t from_offset, size_t bytes, gputune_error *error),
                (self, to, to_offset, from, from_offset, bytes, error))
RELATIVES_TIMED(fill, data, (void *self, void *to, size_t offset, unsigned char byte, size_t bytes,
                             gputune_error *error), (self, to, offset, byte, bytes, error))
RELATIVES_TIMED(read, data, (void *self, void *from, size_t offset, void *host, size_t bytes,
                             gputune_error *error), (self, from, offset, host, bytes, error))
RELATIVES_TIMED(differ, data, (void *self, const gputune_comparison *comparison, uint64_t *count,
                               gputune_error *error), (self, comparison, count, error))
RELATIVES_TIMED(wait, data, (void *self, gputune_error *error), (self, error))

static void relatives_watch_driver(gputune_device *device)
{
    gputune_driver *d = &device->driver;
    relatives_driver = *d;
    relatives_thread = pthread_self();
    if (d->translate) d->translate = relatives_translate;
    if (d->differ) d->differ = relatives_differ;
    d->compile = relatives_compile;
    d->time = relatives_time;
    d->copy = relatives_copy;
    d->fill = relatives_fill;
    d->read = relatives_read;
    d->wait = relatives_wait;
}

// What a search was like.
typedef struct relatives_seed {
    relatives_spent spent;
    double waiting;          // neither in the driver nor at work: for compilers
    double longest;          // between two trials' ends
    double failed, dropped, dropped_launches; // dropped: behind its first launch
    double compiles[ANSWER_TRIALS], ended;
    int trials;
} relatives_seed;

static relatives_seed *relatives_watched;
static relatives_spent relatives_before; // at the trial before
static char relatives_name[96];        // of the search, for the log

// ANSWER_LOG names a file that gets a line for each trial.
static void relatives_log(const gputune_trial *t, double seconds, double waiting)
{
    static FILE *file;
    char text[512];
    if (!file && getenv("ANSWER_LOG")) file = fopen(getenv("ANSWER_LOG"), "a");
    if (!file) return;
    fprintf(file, "%s\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.4g\t%s%s%.40s\t%s\n",
            relatives_name, relatives_watched->trials, gputune_now() - answer_began, seconds,
            waiting, relatives_now.launches - relatives_before.launches,
            relatives_now.data - relatives_before.data, t->compile_seconds, t->value,
            gputune_result_name(t->result), *t->reason ? ": " : "", t->reason,
            gputune_config_text(&t->config, text, sizeof text));
    fflush(file);
}

static double relatives_waiting(void)
{
    const relatives_moment now = relatives_enter();
    const double away = now.wall - relatives_begin.wall - relatives_now.here;
    return away - (now.busy - relatives_begin.busy - relatives_now.busy) + relatives_now.own;
}

static void relatives_watch(const gputune_trial *t)
{
    relatives_seed *s = relatives_watched;
    const double now = gputune_now() - answer_began, waiting = relatives_waiting();
    s->longest = fmax(s->longest, now - s->ended);
    s->compiles[s->trials] = t->compile_seconds;
    relatives_log(t, now - s->ended, waiting - s->waiting);
    s->trials++;
    s->waiting = waiting;
    s->ended = now;
    s->failed += t->result != GPUTUNE_OK;
    if (!t->result && *t->reason) {
        s->dropped++;
        s->dropped_launches += relatives_now.launches - relatives_before.launches;
    }
    gt__lock_enter(&relatives_lock);
    s->spent = relatives_before = relatives_now;
    gt__lock_leave(&relatives_lock);
}

static void relatives_watch_begin(relatives_seed *s, const char *kernel, const char *store,
                                  int seed)
{
    snprintf(relatives_name, sizeof relatives_name, "%s\t%s\t%d", kernel,
             store ? "taught" : "alone", seed);
    memset(s, 0, sizeof *s);
    memset(&relatives_now, 0, sizeof relatives_now);
    memset(&relatives_before, 0, sizeof relatives_before);
    relatives_watched = s;
    relatives_begin = relatives_enter();
    answer_watch = relatives_watch;
}

static void relatives_seed_row(int seed, const char *what, const char *kernel, double value,
                               const char *unit)
{
    char name[64];
    snprintf(name, sizeof name, "seed_%d_%s", seed, what);
    answer_row(name, kernel, value, unit);
}

static void relatives_seed_rows(int seed, const char *kernel, relatives_seed *s)
{
    const relatives_spent *p = &s->spent;
    const double rest = s->ended - s->waiting - p->launches - p->loading - p->data;
    double most = 0;
    int i;
    for (i = 0; i < s->trials; i++) most = fmax(most, s->compiles[i]);
    relatives_seed_row(seed, "trials", kernel, s->trials, "trials");
    relatives_seed_row(seed, "rate", kernel, s->trials / s->ended, "trials/s");
    relatives_seed_row(seed, "waiting", kernel, s->waiting, "s");
    relatives_seed_row(seed, "launches", kernel, p->launches, "s");
    relatives_seed_row(seed, "data", kernel, p->data, "s");
    relatives_seed_row(seed, "loading", kernel, p->loading, "s");
    relatives_seed_row(seed, "rest", kernel, rest, "s");
    relatives_seed_row(seed, "longest", kernel, s->longest, "s");
    relatives_seed_row(seed, "threads", kernel, p->compilers / s->ended, "threads");
    relatives_seed_row(seed, "compile", kernel, gputune_stats_of(s->compiles, s->trials).median,
                       "s");
    relatives_seed_row(seed, "compile_most", kernel, most, "s");
    relatives_seed_row(seed, "failed", kernel, s->failed / s->trials, "");
    relatives_seed_row(seed, "dropped", kernel, s->dropped / s->trials, "");
    relatives_seed_row(seed, "dropped_launches", kernel, s->dropped_launches, "s");
}

// ---------------------------------------------------------------------------------------------
// When it ends
// ---------------------------------------------------------------------------------------------

enum { RELATIVES_RULES = 2 };
static const int relatives_rules[RELATIVES_RULES] = { 40, 80 };
static double relatives_sums[RELATIVES_RULES]; // over the kernels

// The trial after which a search has made so many without a gain of 1 %, as the library counts
// them; else its last, and not *met. *found: the least value by then.
static int relatives_end(const answer_run *r, int rule, double *found, bool *met)
{
    int i, since = 0;
    *found = HUGE_VAL;
    *met = true;
    for (i = 0; i < r->trials; i++) {
        const bool gain = r->value[i] < HUGE_VAL &&
                          (!(*found < HUGE_VAL) || *found - r->value[i] > 0.01 * *found);
        since = gain ? 0 : since + 1;
        *found = fmin(*found, r->value[i]);
        if (since >= rule && *found < HUGE_VAL) return i;
    }
    *met = false;
    return i - 1;
}

// Means over these searches.
static void relatives_stop_rows(const char *kernel, const answer_run *runs, int count,
                                double best)
{
    for (int k = 0; k < RELATIVES_RULES; k++) {
        double seconds = 0, loss = 0, found, trials = 0;
        char what[32];
        int met = 0;
        for (int i = 0; i < count; i++) {
            bool ends;
            const int last = relatives_end(&runs[i], relatives_rules[k], &found, &ends);
            seconds += runs[i].at[last] / count;
            loss += (found / best - 1) / count;
            trials += (last + 1.0) / count;
            met += ends;
        }
        found = seconds + 1000 * loss * best;
        relatives_sums[k] += found;
        snprintf(what, sizeof what, "stop_%d_trials", relatives_rules[k]);
        answer_row(what, kernel, trials, "trials");
        snprintf(what, sizeof what, "stop_%d_seconds", relatives_rules[k]);
        answer_row(what, kernel, seconds, "s");
        snprintf(what, sizeof what, "stop_%d_loss", relatives_rules[k]);
        answer_row(what, kernel, loss, "");
        snprintf(what, sizeof what, "stop_%d_cost", relatives_rules[k]);
        answer_row(what, kernel, found, "s");
        snprintf(what, sizeof what, "stop_%d_met", relatives_rules[k]);
        answer_row(what, kernel, met, "runs");
    }
}

// ---------------------------------------------------------------------------------------------
// A relative
// ---------------------------------------------------------------------------------------------

static gputune_device *relatives_open(const char *api, const char *store, const char *shared)
{
    gputune_device *device = bench_device_of(api, store, shared);
    if (gputune_device_error(device)->result)
        answer_fail(api, gputune_device_error(device)->text);
    return device;
}

static void relatives_make(case_data *data, const example_case *kind, gputune_device *device,
                           const int size[3])
{
    if (!case_make(data, kind, device, size, 1))
        answer_fail(kind->name, gputune_device_error(device)->text);
}

// The answer for half of each extent: a filter's and a row's non-zeros are as many.
static void relatives_teach(const char *api, const example_case *kind, const char *store)
{
    static answer_run run;
    gputune_device *device = relatives_open(api, store, NULL);
    const int *whole = case_size(kind, device);
    case_data data;
    int size[3], i;
    for (i = 0; i < 3; i++) size[i] = whole[i] > 100 ? whole[i] / 2 : whole[i];
    relatives_make(&data, kind, device, size);
    answer_tune(&run, kind, device, &data, 0, 0);
    case_free(&data);
    gputune_device_destroy(device);
}

static bool relatives_tried(const gputune_kernel *kernel, const gputune_config *config)
{
    const gputune_trial *t;
    for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++)
        if (gt__same_choice(&t->config, config)) return true;
    return false;
}

// How many starts a relative gave the kernel's search, and how many of these were tried.
typedef struct relatives_starts {
    int given, tried;
} relatives_starts;

static relatives_starts relatives_starts_of(const gputune_kernel *kernel)
{
    const gputune_tuner *tuner = kernel->last->tuner;
    const gt__search *search = tuner ? tuner->search : NULL;
    relatives_starts starts = { 0, 0 };
    for (int i = 1; search && i < search->start_count; i++) {
        starts.given++;
        starts.tried += relatives_tried(kernel, &search->starts[i]);
    }
    return starts;
}

// Searches of the kernel: the i-th has that seed; the 0th, without a relative, is a default one.
// Returns the starts of the one that tried least.
static relatives_starts relatives_searches(const char *api, const example_case *kind,
                                           const char *shared, answer_run *runs, int seeds,
                                           double seconds, relatives_seed *spent)
{
    gputune_device *device = relatives_open(api, "", shared);
    case_data data;
    relatives_starts least = { INT_MAX, INT_MAX };
    int i;
    relatives_watch_driver(device);
    relatives_make(&data, kind, device, case_size(kind, device));
    for (i = shared ? 1 : 0; i <= seeds; i++) {
        relatives_starts starts;
        gputune_kernel *kernel;
        relatives_watch_begin(&spent[i], kind->name, shared, i);
        kernel = answer_tuned(&runs[i], kind, device, &data, (uint64_t)i, i ? seconds : 0);
        starts = relatives_starts_of(kernel);
        if (starts.tried < least.tried) least = starts;
        gputune_kernel_destroy(kernel);
    }
    answer_watch = NULL;
    case_free(&data);
    gputune_device_destroy(device);
    return least;
}

static void relatives_rows(const example_case *kind, const answer_run *alone,
                           const answer_run *taught, int seeds, double seconds)
{
    double best = HUGE_VAL, least = HUGE_VAL, found;
    bool met;
    int i;
    for (i = 0; i <= seeds; i++) {
        best = fmin(best, alone[i].best);
        if (i && taught[i].best > 0) best = fmin(best, taught[i].best);
        relatives_end(&alone[i], INT_MAX, &found, &met);
        least = fmin(least, found);
        if (i) relatives_end(&taught[i], INT_MAX, &found, &met);
        least = fmin(least, found);
    }
    best = answer_rows(kind->name, alone + 1, seeds, best, seconds);
    answer_first_rows(kind->name, alone, best);
    answer_within_rows("relative_", kind->name, taught + 1, seeds, best, 0.05, seconds);
    relatives_stop_rows(kind->name, alone, seeds + 1, least);
}

static void relatives_kernel(const char *api, const example_case *kind, int seeds, double seconds)
{
    static answer_run alone[ANSWER_SEEDS + 1], taught[ANSWER_SEEDS + 1];
    static relatives_seed spent[ANSWER_SEEDS + 1], ignored[ANSWER_SEEDS + 1];
    char folder[] = "/tmp/gputune-answer-XXXXXX", store[64], command[96];
    double best = HUGE_VAL;
    relatives_starts none, starts;
    int i;
    if (!mkdtemp(folder)) answer_fail(folder, "cannot be made");
    snprintf(store, sizeof store, "%s/store.txt", folder);
    relatives_teach(api, kind, store);
    none = relatives_searches(api, kind, NULL, alone, seeds, seconds, spent);
    for (i = 0; i <= seeds; i++) best = fmin(best, alone[i].best);
    answer_enough = 1.02 * best; // what comes later tells nothing here
    starts = relatives_searches(api, kind, store, taught, seeds, seconds, ignored);
    answer_enough = 0;
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command) != 0) answer_fail(folder, "cannot be removed");
    answer_row("relative_starts", kind->name, starts.given, "configurations");
    answer_row("relative_tried", kind->name, starts.tried, "configurations");
    relatives_rows(kind, alone, taught, seeds, seconds);
    for (i = 0; i <= seeds; i++) relatives_seed_rows(i, kind->name, &spent[i]);
    // The default may be as good as anything.
    if (!starts.given || (!starts.tried && alone->value[0] > 1.02 * best))
        answer_fail(kind->name, "no relative has taught");
    if (none.given) answer_fail(kind->name, "a relative has taught where there is none");
}

static void answer_relatives(const char *api, const char *part, int seeds, double seconds)
{
    gt__lock_init(&relatives_lock);
    answer_kernels(relatives_kernel, api, part, seeds, seconds);
    for (int k = 0; k < RELATIVES_RULES; k++)
        printf("result\tstop_sum_%d\t%.6g\ts\n", relatives_rules[k], relatives_sums[k]);
}

#endif
