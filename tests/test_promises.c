// What the README promises, on the replay and host drivers: each case fails when some line of the
// library is changed (tests/mutants.txt). Beside what test_tune.c shows of whole tunings.
#include "test.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

// --- a C function that does what its parameter HOW says ---

enum { PROMISE_N = 1003, PROMISE_MOST = 64 };

typedef struct promise_rig {
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_outcome outcome;
} promise_rig;

// "starts" seems to take 0.6 ms, all else 1.
static gputune_result promise_starts_time(void *self, void *code,
                                          const gputune_driver_launch *launch, int batch,
                                          double time_limit, double hang_limit, double *seconds,
                                          gputune_error *error)
{
    const gputune_config *config = &((const gt__host_code *)code)->config;
    const gputune_result result =
        test_steady_time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
    if (strcmp(gputune_config_name(config, "HOW"), "starts") == 0) *seconds *= 0.6;
    return result;
}

static int promise_late;  // configurations that failed behind their trials
static bool promise_stop; // the program says so in the race

static bool promise_goes_on(void *user, const gputune_progress *p)
{
    (void)user;
    return !promise_stop || strcmp(p->phase, "race") != 0;
}

static void promise_hears(void *user, gputune_log_level level, const char *message)
{
    (void)user, (void)level;
    promise_late += strstr(message, "failed after its trial") != NULL;
}

// Tunes it over HOW, a set of names, and two work-groups, without a store.
static gputune_result promise_tune(promise_rig *r, const char *names, gputune_host_fn job,
                                   void *user, const char *signature, const gputune_arg *args,
                                   int count)
{
    gputune_param params[] = { { "HOW", names, strstr(names, "right") ? "right" : NULL },
                               { "BLOCK", "set 16,64", "64" },
                               { NULL, NULL, NULL } };
    gputune_function functions[] = { { "job", job, user }, { NULL, NULL, NULL } };
    gputune_options options;
    gputune_kernel_desc desc;
    memset(&options, 0, sizeof options);
    options.store = "";
    options.log = promise_hears;
    options.log_level = GPUTUNE_LOG_WARN;
    promise_late = 0;
    memset(&desc, 0, sizeof desc);
    desc.name = "job";
    desc.params = params;
    desc.functions = functions;
    desc.signature = signature;
    desc.global = "n";
    desc.local = "BLOCK";
    desc.tune.progress = promise_goes_on;
    r->device = test_steady(gputune_host_device_create(&options));
    r->device->driver.time = promise_starts_time;
    r->kernel = gputune_kernel_create(r->device, &desc);
    return test_tunes(r->kernel, args, count, &r->outcome);
}

static void promise_end(promise_rig *r)
{
    gputune_kernel_destroy(r->kernel);
    gputune_device_destroy(r->device);
}

static bool promise_is(const gputune_config *config, const char *how)
{
    return strcmp(gputune_config_name(config, "HOW"), how) == 0;
}

// Both trials of what HOW says ended so, with the text in their reason.
static void promise_trials(const promise_rig *r, const char *how, gputune_result result,
                           const char *text)
{
    int i, found = 0;
    for (i = 0; i < test_trials(r->kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(r->kernel, i);
        if (!promise_is(&t->config, how)) continue;
        found++;
        CHECK_INT(t->result, result);
        CHECK_HAS(t->reason, text);
    }
    CHECK_INT(found, 2);
}

// --- a wrong variant never wins ---

static void promise_outside(HOST_KERNEL)
{
    int n = *(const int *)args[0];
    float *y = (float *)args[1];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] = 1;
    if (range->begin[0] > 0) return;
    if (promise_is(config, "before")) y[-1] = -7;
    if (promise_is(config, "behind")) y[n] = -7;
    if (promise_is(config, "far")) y[n + 900] = -7;
}

// A write on either side of a buffer is seen, and not held against those that come after it.
static void test_promise_canaries(void)
{
    promise_rig r;
    gputune_arg args[2];
    float y[PROMISE_N] = { 0 };
    args[0] = arg_int32(PROMISE_N);
    args[1] = gputune_out(y, sizeof y);
    CHECK_INT(promise_tune(&r, "set right,before,behind,far,also,too", promise_outside, NULL,
                           "int n, float *y", args, 2),
              GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 6);
    promise_trials(&r, "before", GPUTUNE_ERROR_OUT_OF_BOUNDS, "4 bytes before the start");
    promise_trials(&r, "behind", GPUTUNE_ERROR_OUT_OF_BOUNDS, "past the end");
    promise_trials(&r, "far", GPUTUNE_ERROR_OUT_OF_BOUNDS, "past the end");
    promise_trials(&r, "also", GPUTUNE_OK, "");
    promise_trials(&r, "too", GPUTUNE_OK, "");
    promise_end(&r);
}

static void promise_forget(HOST_KERNEL)
{
    int n = *(const int *)args[0];
    const float *x = (const float *)args[1];
    float *y = (float *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) {
        if (promise_is(config, "nothing")) continue;
        if (promise_is(config, "most") && i == 1001) continue;
        y[i] = 2 * x[i];
    }
}

// What does not write an element finds no other configuration's result there.
static void test_promise_forgets(void)
{
    promise_rig r;
    gputune_arg args[3];
    float x[PROMISE_N], y[PROMISE_N] = { 0 };
    int i;
    for (i = 0; i < PROMISE_N; i++) x[i] = (float)(i + 1);
    args[0] = arg_int32(PROMISE_N);
    args[1] = gputune_in(x, sizeof x);
    args[2] = gputune_out(y, sizeof y);
    CHECK_INT(promise_tune(&r, "set right,nothing,most", promise_forget, NULL,
                           "int n, float *x, float *y", args, 3),
              GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 4);
    promise_trials(&r, "nothing", GPUTUNE_ERROR_WRONG_OUTPUT, "1003 of 1003");
    promise_trials(&r, "most", GPUTUNE_ERROR_WRONG_OUTPUT, "[1001]");
    promise_end(&r);
}

// Accumulates the least or the largest of 64 values. "starts" begins with what is there, and is
// faster.
typedef struct promise_extreme {
    const char *signature;
    gputune_type type;
    bool least;
    double sign;
    bool late; // neither of the two poisons of a trial shows it
} promise_extreme;

static void promise_extremes(HOST_KERNEL)
{
    const promise_extreme *e = (const promise_extreme *)user;
    const bool starts = promise_is(config, "starts");
    size_t i, k;
    for (i = range->begin[0]; i < range->end[0] && i < 64; i++)
        for (k = 0; k < 64; k++) {
            const double x = e->sign * (double)(1 + (i + k) % 64);
            float *f = (float *)args[1] + i;
            int *n = (int *)args[1] + i;
            unsigned *u = (unsigned *)args[1] + i;
            const bool first = !starts && !k;
            if (e->type == GPUTUNE_FLOAT && (first || (e->least ? x < *f : x > *f))) *f = (float)x;
            if (e->type == GPUTUNE_INT32 && (first || (e->least ? x < *n : x > *n))) *n = (int)x;
            if (e->type == GPUTUNE_UINT32 && (first || (e->least ? x < *u : x > *u)))
                *u = (unsigned)x;
        }
}

static const promise_extreme promise_extreme_rows[] = {
    { "int n, int *y", GPUTUNE_INT32, false, 1, false },
    { "int n, int *y", GPUTUNE_INT32, true, 1, false },
    { "int n, int *y", GPUTUNE_INT32, true, -1, false },
    { "int n, uint *y", GPUTUNE_UINT32, true, 1, true },
    { "int n, float *y", GPUTUNE_FLOAT, false, 1, false },
    { "int n, float *y", GPUTUNE_FLOAT, true, 1, false },
    { "int n, float *y", GPUTUNE_FLOAT, false, -1, false },
    { "int n, float *y", GPUTUNE_FLOAT, true, -1, true }
};

// Nothing that a variant begins with by chance is right: whichever way poison compares with what
// it accumulates, it does not win, and as a default it is refused.
static void test_promise_poisons(void)
{
    const size_t rows = sizeof promise_extreme_rows / sizeof *promise_extreme_rows;
    size_t i, n;
    for (i = 0; i < 2 * rows; i++) {
        promise_extreme e = promise_extreme_rows[i % rows];
        promise_rig r;
        gputune_arg args[2];
        float y[64] = { 0 };
        args[0] = arg_int32(64);
        args[1] = gputune_out(y, sizeof y);
        promise_stop = i >= rows;
        CHECK_INT(promise_tune(&r, "set right,starts", promise_extremes, &e, e.signature, args, 2),
                  GPUTUNE_OK);
        CHECK_OR(promise_is(&r.outcome.config, "right"), "row %d: %s", (int)i, r.outcome.text);
        CHECK_INT(promise_late, !e.late ? 0 : promise_stop ? 1 : 2);
        CHECK_INT(test_seen.failed, e.late ? promise_late : 2);
        if (test_seen.failed == 2)
            promise_trials(&r, "starts", GPUTUNE_ERROR_WRONG_OUTPUT, "64 of 64 elements differ");
        for (n = 0; n < 64; n++) CHECK(y[n] == 0);
        promise_end(&r);
        promise_stop = false;
        CHECK_INT(promise_tune(&r, "set starts", promise_extremes, &e, e.signature, args, 2),
                  GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, "gputune_inout");
        promise_end(&r);
    }
}

static void promise_by_little(HOST_KERNEL)
{
    float *y = (float *)args[1];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && i < 64; i++) {
        y[i] = 100;
        if (promise_is(config, "little") || gputune_config_int(config, "BLOCK") != 64)
            y[i] = 102; // of float 1e-4 is allowed
        if (promise_is(config, "much")) y[i] = 104;
    }
}

// Where all others are wrong by little the outcome says what may allow it.
static void test_promise_by_little(void)
{
    static const char *const names[] = { "set right,little", "set right,little,much",
                                         "set right,little,also", "set right,also" };
    int i;
    for (i = 0; i < 4; i++) {
        promise_rig r;
        gputune_arg args[2];
        float y[64] = { 0 };
        args[0] = arg_int32(64);
        args[1] = gputune_out(y, sizeof y);
        CHECK_INT(promise_tune(&r, names[i], promise_by_little, NULL, "int n, float *y", args, 2),
                  GPUTUNE_OK);
        if (i < 3)
            promise_trials(&r, "little", GPUTUNE_ERROR_WRONG_OUTPUT, "less than 300 times the tol");
        CHECK_INT(strstr(gputune_kernel_outcome(r.kernel)->text, ".tune.tolerance") != NULL,
                  i == 0);
        promise_end(&r);
    }
}

static void promise_pool_right(HOST_KERNEL)
{
    const int *x = (const int *)args[0];
    int *y = (int *)args[1], n = *(const int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] = 2 * x[i] + 1;
}

static void promise_pool_lazy(HOST_KERNEL) {}

// The least and the largest of what is right and what is there.
static void promise_pool_least(HOST_KERNEL)
{
    const int *x = (const int *)args[0];
    int *y = (int *)args[1], n = *(const int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++)
        if (y[i] > 2 * x[i] + 1) y[i] = 2 * x[i] + 1;
}

static void promise_pool_largest(HOST_KERNEL)
{
    const int *x = (const int *)args[0];
    int *y = (int *)args[1], n = *(const int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++)
        if (y[i] < 2 * x[i] + 1) y[i] = 2 * x[i] + 1;
}

// Right, and one element more on either side of the buffer.
static void promise_pool_outside(HOST_KERNEL)
{
    int *y = (int *)args[1], n = *(const int *)args[2];
    promise_pool_right(range, args, config, user);
    if (range->begin[0] == 0) y[-1] = 7;
    if ((int)range->end[0] >= n) y[n] = 7;
}

static gputune_result (*promise_submit)(void *self, void *code, const gputune_driver_launch *launch,
                                        int queue, void **ticket, gputune_error *error);
static int promise_submits, promise_refuses = -1; // which one

static gputune_result promise_counts_submits(void *self, void *code,
                                             const gputune_driver_launch *launch, int queue,
                                             void **ticket, gputune_error *error)
{
    if (promise_submits++ == promise_refuses)
        return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED, "no such launch");
    return promise_submit(self, code, launch, queue, ticket, error);
}

static void promise_clock(pool_rig *r)
{
    pool_clock(r);
    promise_submit = r->device->driver.submit;
    r->device->driver.submit = promise_counts_submits;
}

// In a pool, too, in every mode, whose variants are compared on parts or, where there is little
// work, on the whole: the second function fails so, and what the first one writes is there.
static void promise_pool_after(gputune_host_fn second, gputune_result result, bool before)
{
    int way;
    for (way = 0; way < 6; way++) {
        int whole = way % 2, n = whole ? 2000 : 100003, i, wrong = 0;
        int *x = (int *)calloc((size_t)n, 4), *all = (int *)calloc((size_t)n + 2, 4), *y = all + 1;
        pool_rig r;
        gputune_pool_desc desc;
        gputune_pool *pool;
        gputune_arg args[3];
        for (i = 0; i < n; i++) x[i] = i;
        pool_host(&r);
        pool_add_function(&r, "right", promise_pool_right, "64");
        pool_add_function(&r, "second", second, "64");
        promise_clock(&r);
        memset(&desc, 0, sizeof desc);
        desc.kernels = r.kernels;
        desc.units = "n";
        desc.mode = (gputune_profile_mode)(GPUTUNE_PROFILE_FULLY + way / 2);
        desc.part = whole ? 0 : 640;
        pool = gputune_pool_create(r.device, &desc);
        args[0] = gputune_in(x, 4 * (size_t)n);
        args[1] = gputune_out(y, 4 * (size_t)n);
        args[2] = arg_int32(n);
        for (i = 0; i < n && before; i++) y[i] = 2 * i + 1; // as an earlier launch left it
        CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->winner, 0);
        CHECK_INT(gputune_pool_outcome(pool)->variants[1].result, result);
        for (i = 0; i < n; i++) wrong += y[i] != 2 * i + 1 || x[i] != i;
        CHECK_INT(wrong, 0);
        CHECK(all[0] == 0 && all[n + 1] == 0);
        gputune_pool_destroy(pool);
        pool_end(&r);
        free(x);
        free(all);
    }
}

static struct {
    const int *real; // the program's
    int calls, astray;
} promise_place;

static void promise_pool_place(HOST_KERNEL)
{
    promise_pool_right(range, args, config, user);
    promise_place.calls++;
    promise_place.astray += ((uintptr_t)args[1] ^ (uintptr_t)promise_place.real) % 64 != 0;
}

// Sandboxes begin where the program's buffers do, modulo 64, in each launch anew.
static void test_promise_pool_aligned(void)
{
    enum { N = 100003 };
    int *x = (int *)calloc(N, 4), *y = (int *)calloc(N + 16, 4), at;
    pool_rig r;
    gputune_pool_desc desc;
    gputune_pool *pool;
    gputune_arg args[3];
    pool_host(&r);
    pool_add_function(&r, "one", promise_pool_place, "64");
    pool_add_function(&r, "other", promise_pool_place, "32");
    memset(&promise_place, 0, sizeof promise_place);
    desc = pool_in_parts(&r, GPUTUNE_PROFILE_HYBRID);
    desc.when = GPUTUNE_PROFILE_ALWAYS;
    pool = gputune_pool_create(r.device, &desc);
    args[0] = gputune_in(x, 4 * N);
    args[2] = arg_int32(N);
    for (at = 0; at < 4; at++) {
        promise_place.real = y + at;
        args[1] = gputune_out(y + at, 4 * N);
        CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->variants[1].result, GPUTUNE_OK);
    }
    CHECK(promise_place.calls > 100);
    CHECK_INT(promise_place.astray, 0);
    gputune_pool_destroy(pool);
    pool_end(&r);
    free(x);
    free(y);
}

static void promise_pool(gputune_host_fn second, gputune_result result)
{
    promise_pool_after(second, result, false);
}

static void test_promise_pool_forgets_again(void)
{
    promise_pool_after(promise_pool_lazy, GPUTUNE_ERROR_WRONG_OUTPUT, true);
}

// Right, but it writes its input, too, whose parameter is not const.
static void promise_pool_scribbles(HOST_KERNEL)
{
    int *x = (int *)args[0], n = *(const int *)args[2];
    size_t i;
    promise_pool_right(range, args, config, user);
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) x[i] = 0;
}

static void test_promise_pool_inputs(void)
{
    promise_pool(promise_pool_scribbles, GPUTUNE_ERROR_WRONG_OUTPUT);
}

static void test_promise_pool_forgets(void)
{
    promise_pool(promise_pool_lazy, GPUTUNE_ERROR_WRONG_OUTPUT);
}

static void test_promise_pool_poisons(void)
{
    promise_pool(promise_pool_least, GPUTUNE_ERROR_WRONG_OUTPUT);
    promise_pool(promise_pool_largest, GPUTUNE_ERROR_WRONG_OUTPUT);
}

static void test_promise_pool_bounds(void)
{
    promise_pool(promise_pool_outside, GPUTUNE_ERROR_OUT_OF_BOUNDS);
}

static void promise_pool_line(HOST_KERNEL)
{
    const float *x = (const float *)args[0];
    float *y = (float *)args[1];
    int n = *(const int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] = 2 * x[i] + 1;
}

static void promise_pool_by_five(HOST_KERNEL)
{
    float *y = (float *)args[1];
    int n = *(const int *)args[2];
    size_t i;
    promise_pool_line(range, args, config, user);
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++)
        if (i >= 64) y[i] += 5;
}

// A pool of two kernels of n floats in parts of 640, the launches of which are counted.
typedef struct promise_pair {
    pool_rig rig;
    gputune_pool *pool;
    int n;
    float *x, *y;
    gputune_arg args[3];
} promise_pair;

static void promise_pair_open(promise_pair *p, int n, int mode, gputune_host_fn right,
                              gputune_host_fn second)
{
    const char *const takes = "const float *x, float *y, int n";
    gputune_pool_desc desc;
    int i;
    pool_host(&p->rig);
    pool_add_function(&p->rig, "right", right, "64")->signature = takes;
    pool_add_function(&p->rig, "second", second, "64")->signature = takes;
    promise_clock(&p->rig);
    desc = pool_in_parts(&p->rig, mode);
    p->pool = gputune_pool_create(p->rig.device, &desc);
    p->n = n;
    p->x = (float *)calloc((size_t)n, 4);
    p->y = (float *)calloc((size_t)n, 4);
    for (i = 0; i < n; i++) p->x[i] = (float)(i % 97);
    p->args[0] = gputune_in(p->x, 4 * (size_t)n);
    p->args[1] = gputune_out(p->y, 4 * (size_t)n);
    p->args[2] = arg_int32(n);
}

// The first element from `begin` on that is not right, or n.
static int promise_pair_right(const promise_pair *p, int begin)
{
    while (begin < p->n && p->y[begin] == 2 * p->x[begin] + 1) begin++;
    return begin;
}

static void promise_pair_close(promise_pair *p)
{
    gputune_pool_destroy(p->pool);
    pool_end(&p->rig);
    free(p->x);
    free(p->y);
}

// A pool of floats, the first `count` of which are `first`: how many launches of 5 were not right
// in some element after them. Each launch must succeed.
static int promise_pool_floats(float first, int count, gputune_result result, const char *note)
{
    int mode, i, k, submits = 0, wrong = 0;
    for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++) {
        promise_pair p;
        promise_pair_open(&p, 100003, mode, promise_pool_line, promise_pool_by_five);
        for (i = 0; i < count; i++) p.x[i] = first;
        for (k = 0; k < 5; k++) {
            memset(p.y, 0, 4 * (size_t)p.n);
            CHECK_INT(gputune_pool_run(p.pool, p.args, 3), GPUTUNE_OK);
            wrong += promise_pair_right(&p, count) < p.n;
            if (note) CHECK_HAS(gputune_pool_outcome(p.pool)->text, note);
            if (note && k) CHECK_INT(promise_submits, submits); // once is enough
            submits = promise_submits;
        }
        CHECK_INT(gputune_pool_outcome(p.pool)->variants[1].result, result);
        promise_pair_close(&p);
    }
    return wrong;
}

// Huge numbers in the first block excuse nobody elsewhere.
static void test_promise_pool_scale(void)
{
    CHECK_INT(promise_pool_floats(1e12f, 64, GPUTUNE_ERROR_WRONG_OUTPUT, NULL), 0);
}

static gputune_result (*promise_read)(void *self, void *handle, size_t offset, void *data,
                                      size_t bytes, gputune_error *error);
static int promise_reads;

static gputune_result promise_counts_reads(void *self, void *handle, size_t offset, void *data,
                                           size_t bytes, gputune_error *error)
{
    promise_reads += bytes == 65536;
    return promise_read(self, handle, offset, data, bytes, error);
}

// Right, but that its first block writes where the last part will write over it.
static void promise_pool_strays(HOST_KERNEL)
{
    float *y = (float *)args[1];
    int n = *(const int *)args[2];
    promise_pool_line(range, args, config, user);
    if (range->begin[0] == 0) y[n - 1] = -7;
}

// Right, but for its first block.
static void promise_pool_begins(HOST_KERNEL)
{
    float *y = (float *)args[1];
    promise_pool_line(range, args, config, user);
    if (range->begin[0] == 0) y[5] += 1;
}

static void promise_pool_first_block(gputune_host_fn second)
{
    int mode, k;
    for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++) {
        promise_pair p;
        promise_pair_open(&p, 100003, mode, promise_pool_line, second);
        for (k = 0; k < 5; k++) {
            CHECK_INT(gputune_pool_run(p.pool, p.args, 3), GPUTUNE_OK);
            CHECK_INT(promise_pair_right(&p, 0), p.n);
        }
        CHECK_INT(gputune_pool_outcome(p.pool)->variants[1].result, GPUTUNE_ERROR_WRONG_OUTPUT);
        promise_pair_close(&p);
    }
}

static void test_promise_pool_stray(void)
{
    promise_pool_first_block(promise_pool_strays);
    promise_pool_first_block(promise_pool_begins);
}

// As far as rounding goes right.
static void promise_pool_rounds(HOST_KERNEL)
{
    float *y = (float *)args[1];
    int n = *(const int *)args[2];
    size_t i;
    promise_pool_line(range, args, config, user);
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] += i % 2 ? 2e-7f : 0;
}

// One element that is next to nothing does not say what is usual, be it the only one behind 64 KB.
static void test_promise_pool_scale_end(void)
{
    promise_pair p;
    int i;
    promise_pair_open(&p, 7 * 16384 + 1, GPUTUNE_PROFILE_HYBRID, promise_pool_line,
                      promise_pool_rounds);
    for (i = 1; i < p.n; i += 2) p.x[i] = -0.5f + 1e-7f; // about 0, where rounding shows
    p.x[p.n - 1] = -0.5f + 1e-7f;
    CHECK_INT(gputune_pool_run(p.pool, p.args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_pool_outcome(p.pool)->variants[1].result, GPUTUNE_OK);
    promise_pair_close(&p);
}

// What is usual in an output that is much larger than what a block writes is told from few pieces
// of it: the last and the first; of zeros from sixteen at most.
static void test_promise_pool_reads(void)
{
    int zeros, i;
    for (zeros = 0; zeros < 2; zeros++) {
        promise_pair p;
        promise_pair_open(&p, 1 << 21, GPUTUNE_PROFILE_HYBRID, promise_pool_line,
                          promise_pool_line);
        for (i = 0; i < p.n && zeros; i++) p.x[i] = -0.5f;
        promise_read = p.rig.device->driver.read;
        p.rig.device->driver.read = promise_counts_reads;
        promise_reads = 0;
        CHECK_INT(gputune_pool_run(p.pool, p.args, 3), GPUTUNE_OK);
        CHECK(gputune_pool_outcome(p.pool)->profiled);
        CHECK_INT(promise_reads, zeros ? 16 : 2);
        CHECK_INT(promise_pair_right(&p, 0), p.n);
        promise_pair_close(&p);
    }
}

// A variant that the device cannot launch is out, also the initial one: another is the yardstick.
static void test_promise_pool_refused(void)
{
    int who;
    for (who = 0; who < 2; who++) {
        const gputune_pool_report *o;
        promise_pair p;
        promise_pair_open(&p, 100003, GPUTUNE_PROFILE_HYBRID, promise_pool_line,
                          promise_pool_line);
        promise_refuses = promise_submits + who;
        CHECK_INT(gputune_pool_run(p.pool, p.args, 3), GPUTUNE_OK);
        promise_refuses = -1;
        o = gputune_pool_outcome(p.pool);
        CHECK_INT(o->variants[who].result, GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_INT(o->variants[!who].result, GPUTUNE_OK);
        CHECK_INT(o->winner, !who);
        CHECK_INT(promise_pair_right(&p, 0), p.n);
        promise_pair_close(&p);
    }
}

static void promise_pool_adds(HOST_KERNEL)
{
    const float *x = (const float *)args[0];
    float *y = (float *)args[1];
    int n = *(const int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] += 2 * x[i] + 1;
}

static void promise_pool_adds_more(HOST_KERNEL)
{
    float *y = (float *)args[1];
    int n = *(const int *)args[2];
    size_t i;
    promise_pool_adds(range, args, config, user);
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] += 1000;
}

// Nor do huge numbers that were there before, beside what is compared, where outputs are added to.
static void test_promise_pool_scale_before(void)
{
    int mode, i;
    for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++) {
        promise_pair p;
        promise_pair_open(&p, 100003, mode, promise_pool_adds, promise_pool_adds_more);
        for (i = 64; i < p.n - 640; i++)
            if (i < 20000 || i >= 98000) p.y[i] = 1e12f;
        p.args[1] = gputune_inout(p.y, 4 * (size_t)p.n);
        CHECK_INT(gputune_pool_run(p.pool, p.args, 3), GPUTUNE_OK);
        CHECK_INT(promise_pair_right(&p, 20000), 98000); // the first that was huge
        CHECK_INT(promise_pair_right(&p, p.n - 640), p.n);
        CHECK_INT(gputune_pool_outcome(p.pool)->variants[1].result, GPUTUNE_ERROR_WRONG_OUTPUT);
        promise_pair_close(&p);
    }
}

// Where the initial variant writes nothing but NaN nothing can be compared: nobody new touches the
// program's buffers, and the initial one does its work. A first block of NaN excuses nobody.
static void test_promise_pool_nan(void)
{
    CHECK_INT(promise_pool_floats(NAN, 100003, GPUTUNE_OK, "nothing to compare with"), 0);
    CHECK_INT(promise_pool_floats(NAN, 64, GPUTUNE_ERROR_WRONG_OUTPUT, NULL), 0);
}

// y, or z, too, where it is taken.
static void promise_pool_one(HOST_KERNEL)
{
    const int *x = (const int *)args[0];
    int *y = (int *)args[1], n = *(const int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] = 2 * x[i] + 1;
}

static void promise_pool_both(HOST_KERNEL)
{
    int *z = (int *)args[3], n = *(const int *)args[2];
    size_t i;
    promise_pool_one(range, args, config, user);
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) z[i] = 7;
}

// A variant that takes fewer outputs than the initial one, or more, does other work.
static void test_promise_pool_other_outputs(void)
{
    enum { N = 10003 };
    static int x[N], y[N], z[N];
    int way, i, wrong = 0;
    for (way = 0; way < 2; way++) {
        pool_rig r;
        gputune_pool_desc desc;
        gputune_pool *pool;
        gputune_arg args[4];
        pool_host(&r);
        for (i = 0; i < 2; i++) {
            const bool both = i == way;
            gputune_kernel_desc *k =
                pool_add_function(&r, i ? "second" : "first",
                                  both ? promise_pool_both : promise_pool_one, "64");
            k->signature = both ? "const int *x, int *y, int n, int *z"
                                : "const int *x, int *y, int n";
            k->args = both ? "0,1,2,3" : "0,1,2";
        }
        promise_clock(&r);
        desc = pool_in_parts(&r, GPUTUNE_PROFILE_AUTO);
        pool = gputune_pool_create(r.device, &desc);
        args[0] = gputune_in(x, sizeof x);
        args[1] = gputune_out(y, sizeof y);
        args[2] = arg_int32(N);
        args[3] = gputune_out(z, sizeof z);
        memset(z, 0, sizeof z);
        for (i = 0; i < N; i++) x[i] = i;
        CHECK_INT(gputune_pool_run(pool, args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->variants[1].result, GPUTUNE_ERROR_WRONG_OUTPUT);
        for (i = 0; i < N; i++) wrong += y[i] != 2 * i + 1 || z[i] != (way ? 0 : 7);
        CHECK_INT(wrong, 0);
        gputune_pool_destroy(pool);
        pool_end(&r);
    }
}

static void promise_outputs(HOST_KERNEL)
{
    int n = *(const int *)args[0], o;
    size_t i;
    char wrong[16];
    for (o = 1; o <= 5; o++) {
        int *y = (int *)args[o];
        for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] = o * (int)i;
        snprintf(wrong, sizeof wrong, "w%d", o);
        if (range->begin[0] == 0 && promise_is(config, wrong)) y[o]++;
    }
}

// All outputs are compared, wherever they stand among the arguments.
static void test_promise_every_output(void)
{
    static const char *const names[] = { "n", "a", "b", "c", "d", "e" };
    promise_rig r;
    gputune_arg args[6];
    static int y[6][PROMISE_N];
    char how[16], where[32];
    int i;
    args[0] = arg_int32(PROMISE_N);
    for (i = 1; i < 6; i++) args[i] = gputune_out(y[i], sizeof y[i]);
    CHECK_INT(promise_tune(&r, "set right,w1,w2,w3,w4,w5", promise_outputs, NULL,
                           "int n, int *a, int *b, int *c, int *d, int *e", args, 6),
              GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 10);
    for (i = 1; i < 6; i++) {
        snprintf(how, sizeof how, "w%d", i);
        snprintf(where, sizeof where, "%s[%d] is", names[i], i);
        promise_trials(&r, how, GPUTUNE_ERROR_WRONG_OUTPUT, where);
    }
    promise_end(&r);
}

// y = the part of x that begins 100 elements later; *user counts launches where it does not.
static void promise_part(HOST_KERNEL)
{
    const int n = *(const int *)args[0];
    const float *x = (const float *)args[1];
    float *y = (float *)args[2];
    const float *other = (const float *)args[3];
    size_t i;
    *(int *)user += y != x + 100;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++)
        if (!promise_is(config, "lazy") || i != 50) y[i] = x[i] + other[i];
    if (promise_is(config, "before")) y[-101] = -7;
    if (promise_is(config, "behind")) y[100] = -7;
}

// Parts of one buffer: those that overlap are one in trials, too; what lies outside is neither
// copied nor touched nor compared.
static void test_promise_parts(void)
{
    promise_rig r;
    gputune_arg args[4], whole;
    float all[500], before[500];
    int apart = 0, i, wrong = 0;
    for (i = 0; i < 500; i++) all[i] = i > 390 ? NAN : (float)i; // outside: no element of any part
    memcpy(before, all, sizeof all);
    whole = gputune_inout(all, sizeof all);
    args[0] = gputune_int(100);
    args[1] = gputune_part(gputune_in(all, sizeof all), 400, 800);
    args[2] = gputune_part(whole, 800, 400);
    args[3] = gputune_part(gputune_in(all, sizeof all), 0, 400);
    CHECK_INT(promise_tune(&r, "set right,before,behind,lazy", promise_part, &apart,
                           "int n, float *x, float *y, float *other", args, 4),
              GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 6);
    promise_trials(&r, "before", GPUTUNE_ERROR_OUT_OF_BOUNDS, "outside its 800 bytes");
    promise_trials(&r, "behind", GPUTUNE_ERROR_OUT_OF_BOUNDS, "outside its 800 bytes");
    promise_trials(&r, "lazy", GPUTUNE_ERROR_WRONG_OUTPUT, "[150] is");
    CHECK(memcmp(all, before, sizeof all) == 0);
    CHECK_INT(gputune_run(r.kernel, args, 4), GPUTUNE_OK);
    for (i = 0; i < 500; i++) {
        const float right = i < 200 || i >= 300 ? before[i] : before[i - 100] + before[i - 200];
        wrong += memcmp(&all[i], &right, sizeof right) != 0;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(apart, 0);
    promise_end(&r);
}

// Writes NaN as the element type that *user says.
static void promise_nan(HOST_KERNEL)
{
    gputune_type type = *(const gputune_type *)user;
    int n = *(const int *)args[0];
    bool nan = promise_is(config, "nan");
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) {
        const int all = ((const int *)args[2])[0];
        double value = nan && i == 77 ? (double)NAN : 0.5;
        if ((all == 1 && i == 99) || all == 2) value = (double)NAN; // all of them do
        if (type == GPUTUNE_DOUBLE) ((double *)args[1])[i] = value;
        if (type == GPUTUNE_FLOAT) ((float *)args[1])[i] = (float)value;
        if (type == GPUTUNE_HALF)
            ((uint16_t *)args[1])[i] = gt__is_nan(value) ? 0x7e00 : 0x3800;
    }
}

// NaN passes for no number, whatever the type; and a default that computes nothing else confirms
// nothing.
static void test_promise_nan(void)
{
    gputune_type types[] = { GPUTUNE_HALF, GPUTUNE_FLOAT, GPUTUNE_DOUBLE };
    static const char *const signatures[] = { "int n, half *y, int *all",
                                              "int n, float *y, int *all",
                                              "int n, double *y, int *all" };
    static const size_t bytes[] = { 2, 4, 8 };
    size_t t;
    for (t = 0; t < 3; t++) {
        promise_rig r;
        gputune_arg args[3];
        static double y[PROMISE_N];
        int all = 0;
        args[0] = arg_int32(PROMISE_N);
        args[1] = gputune_out(y, PROMISE_N * bytes[t]);
        args[2] = gputune_in(&all, sizeof all);
        CHECK_INT(promise_tune(&r, "set right,nan", promise_nan, &types[t], signatures[t], args, 3),
                  GPUTUNE_OK);
        CHECK_INT(test_seen.failed, 2);
        promise_trials(&r, "nan", GPUTUNE_ERROR_WRONG_OUTPUT, "[77] is");
        promise_end(&r);
        all = 1;
        CHECK_INT(promise_tune(&r, "set right,nan", promise_nan, &types[t], signatures[t], args, 3),
                  GPUTUNE_OK);
        CHECK_INT(test_seen.failed, 2);
        promise_end(&r);
        all = 2;
        CHECK_INT(promise_tune(&r, "set right,nan", promise_nan, &types[t], signatures[t], args, 3),
                  GPUTUNE_ERROR_WRONG_OUTPUT);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, "[0] is NaN");
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, gt__type_name(types[t]));
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, ".tune.check");
        promise_end(&r);
    }
}

// Integers in a buffer of floats, of which many are NaN.
static void promise_integers(HOST_KERNEL)
{
    const int n = *(const int *)args[0], last = promise_is(config, "wrong") ? -3 : -2;
    size_t i;
    (void)user;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++)
        ((int *)args[1])[i] = i == 5 ? last : (int)i - 3;
}

static void test_promise_integers_as_floats(void)
{
    promise_rig r;
    gputune_arg args[2];
    static float y[PROMISE_N];
    args[0] = arg_int32(PROMISE_N);
    args[1] = gputune_out(y, sizeof y);
    CHECK_INT(promise_tune(&r, "set right,wrong", promise_integers, NULL, "int n, float *y", args,
                           2),
              GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 2);
    promise_trials(&r, "wrong", GPUTUNE_ERROR_WRONG_OUTPUT, "[5] is");
    promise_trials(&r, "wrong", GPUTUNE_ERROR_WRONG_OUTPUT, "type float");
    promise_trials(&r, "wrong", GPUTUNE_ERROR_WRONG_OUTPUT, ".tune.check");
    promise_end(&r);
}

// --- outputs that the device compares ---

typedef struct promise_differ {
    int same, as_bytes, as_floats, strange; // comparisons without a difference, by type
    int poisons[256];                       // of outputs that were compared
} promise_differ;

static promise_differ promise_differs;

static gputune_result promise_compare(void *self, const gputune_comparison *c, uint64_t *count,
                                      gputune_error *error)
{
    const char *got = (const char *)c->got + c->got_offset;
    const char *expected = (const char *)c->expected + c->expected_offset;
    size_t i;
    (void)self, (void)error;
    for (i = 0, *count = 0; i < c->bytes; i++) *count += got[i] != expected[i];
    promise_differs.same += *count == 0;
    promise_differs.as_bytes += c->type == GPUTUNE_BYTES;
    promise_differs.as_floats += c->type == GPUTUNE_FLOAT;
    if (c->type == GPUTUNE_FLOAT) promise_differs.poisons[c->unwritten]++;
    promise_differs.strange += (c->type == GPUTUNE_BYTES && c->unwritten != c->poison) ||
                               c->poison != GT__POISON || c->bytes != 256 ||
                               (c->type == GPUTUNE_FLOAT && !(c->relative > 0));
    return GPUTUNE_OK;
}

// A device that can compare is asked about the right bytes, and believed in both cases.
static void test_promise_on_device(void)
{
    tune_rig r;
    gputune_outcome o;
    memset(&promise_differs, 0, sizeof promise_differs);
    tune_rig_init(&r, "");
    r.world.bad_word = "B=64 U=4";
    r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
    tune_open(&r);
    r.device->driver.differ = promise_compare;
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=3");
    CHECK_INT(test_seen.failed, 1);
    CHECK(promise_differs.as_bytes > 50); // the input
    CHECK(promise_differs.as_floats > 100);
    CHECK(promise_differs.same > 150);
    CHECK_INT(promise_differs.strange, 0);
    CHECK(promise_differs.poisons[0x7b] > 50 && promise_differs.poisons[0x84] > 0);
    CHECK(promise_differs.poisons[0x00] > 1 && promise_differs.poisons[0xfb] > 1);
    tune_close(&r);
}

// --- never slower than the default ---

// What a replayed configuration takes: the default, the best (B=64 U=4), the second (B=64 U=3), all
// others; and the best in the race, if > 0.
typedef struct promise_times {
    double standard, best, second, others, best_raced;
    const char *phase;
    int raced, stop_at; // samples in the race; progress says stop at so many, if > 0
    gputune_driver plain;
    int most_batch[2], least_batch[2]; // of the default's and the best's timed launches
    int turn, errs_at; // of the best in the race and the looks behind it: this one is wrong
    bool lazy;         // it writes nothing
} promise_times;

static promise_times *promise_now; // for driver calls

static void promise_time(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    promise_times *w = (promise_times *)user;
    bool raced = w->phase && strcmp(w->phase, "race") == 0;
    int64_t b = gputune_config_int(config, "B"), u = gputune_config_int(config, "U");
    trial->compile_seconds = 1e-3;
    trial->seconds = w->others;
    if (b == 32 && u == 1) trial->seconds = w->standard;
    if (b == 64 && u == 3) trial->seconds = w->second;
    if (b == 64 && u == 4) trial->seconds = raced && w->best_raced > 0 ? w->best_raced : w->best;
}

static bool promise_follow(void *user, const gputune_progress *p)
{
    promise_times *w = (promise_times *)user;
    w->phase = p->phase;
    return !(w->stop_at > 0 && w->raced >= w->stop_at);
}

static gputune_result promise_timed(void *self, void *code, const gputune_driver_launch *launch,
                                    int batch, double time_limit, double hang_limit,
                                    double *seconds, gputune_error *error)
{
    promise_times *w = promise_now;
    const gputune_config *config = (const gputune_config *)code;
    int64_t b = gputune_config_int(config, "B"), u = gputune_config_int(config, "U");
    int which = b == 32 && u == 1 ? 0 : b == 64 && u == 4 ? 1 : 2;
    bool raced = w->phase && strcmp(w->phase, "race") == 0;
    w->raced += raced;
    if (which < 2 && batch > w->most_batch[which]) w->most_batch[which] = batch;
    if (which < 2 && raced && (!w->least_batch[which] || batch < w->least_batch[which]))
        w->least_batch[which] = batch;
    return w->plain.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

static void promise_replay(tune_rig *r, promise_times *w, const char *store)
{
    tune_rig_init(r, store);
    r->replay.trial = promise_time;
    r->replay.user = w;
    r->desc.tune.progress = promise_follow;
    r->desc.tune.user = w;
}

static void promise_open(tune_rig *r, promise_times *w)
{
    tune_open(r);
    promise_now = w;
    w->phase = NULL;
    w->plain = r->device->driver;
    r->device->driver.time = promise_timed;
}

static promise_times promise_of(double standard, double best, double others)
{
    promise_times w;
    memset(&w, 0, sizeof w);
    w.standard = standard;
    w.best = best;
    w.second = w.others = others;
    return w;
}

static gputune_result promise_errs(void *self, void *code, const gputune_driver_launch *launch,
                                   int batch, double time_limit, double hang_limit,
                                   double *seconds, gputune_error *error)
{
    promise_times *w = promise_now;
    const gputune_config *config = (const gputune_config *)code;
    gputune_driver_launch asked = *launch;
    gputune_result result;
    bool now = w->phase && strcmp(w->phase, "race") == 0 &&
               gputune_config_int(config, "B") == 64 && gputune_config_int(config, "U") == 4;
    now = now && w->turn++ == w->errs_at;
    if (now && w->lazy) asked.arg_count = 0;
    result = w->plain.time(self, code, &asked, batch, time_limit, hang_limit, seconds, error);
    if (now && !w->lazy)
        ((unsigned char *)launch->args[2].handle)[launch->args[2].bytes - 1] ^= 0x40;
    return result;
}

// A single launch that is wrong, in any round of the race or among the 150 behind it, costs the
// win; so does one of the 150 that writes nothing, where the one before has left what is right.
static void test_promise_each_launch(void)
{
    enum { ROUNDS = 7, ALL = ROUNDS + 150 };
    static const int turns[] = { 0, 1, 2, 3, 4, 5, 6, ROUNDS, ROUNDS + 1, 80, ALL - 1, ALL };
    int i, lazy;
    for (lazy = 0; lazy < 2; lazy++)
        for (i = lazy ? ROUNDS : 0; i < (int)(sizeof turns / sizeof *turns); i++) {
            promise_times w = promise_of(3e-3, 1e-3, 2e-3);
            const bool errs = turns[i] < ALL;
            gputune_outcome o;
            tune_rig r;
            w.second = 1.05e-3;
            w.errs_at = turns[i];
            w.lazy = lazy == 1;
            promise_replay(&r, &w, "");
            r.desc.signature = "int n, float *in, float *out";
            promise_open(&r, &w);
            r.device->driver.time = promise_errs;
            CHECK_INT(test_tunes(r.kernel, r.args, 3, &o), GPUTUNE_OK);
            tune_expect(&o, errs ? "B=64 U=3" : "B=64 U=4");
            CHECK_INT(test_seen.failed, errs);
            CHECK_INT(w.turn, errs ? turns[i] + 1 : ALL);
            tune_close(&r);
        }
}

// Tunes with such times; the winner must be this.
static void promise_winner(promise_times *w, const char *config, double speedup)
{
    tune_rig r;
    gputune_outcome o;
    promise_replay(&r, w, "");
    promise_open(&r, w);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, config);
    CHECK_NEAR(o.speedup, speedup, 1e-6 * speedup);
    CHECK(speedup > 1 || *o.note);
    tune_close(&r);
}

// Without noise every round is won, and yet a quarter of a percent is nothing; half a percent is.
static void test_promise_tie(void)
{
    promise_times equal = promise_of(1e-3, 0.9975e-3, 1.05e-3);
    promise_times better = promise_of(1e-3, 0.995e-3, 1.05e-3);
    promise_winner(&equal, "B=32 U=1", 1);
    promise_winner(&better, "B=64 U=4", 1 / 0.995);
}

// A trial that came out a tenth too slow still races; so does a default that is far behind, and
// what wins is what the race says.
static void test_promise_race(void)
{
    promise_times late = promise_of(3e-3, 1.1e-3, 4e-3), fallen = promise_of(1e-3, 0.5e-3, 1.2e-3);
    late.second = 1e-3;
    late.best_raced = 0.8e-3;
    promise_winner(&late, "B=64 U=4", 3 / 0.8);
    fallen.best_raced = 1.1e-3; // it was nothing: the default stays
    promise_winner(&fallen, "B=32 U=1", 1);
}

// A speed-up is what it is, also when it comes from the store.
static void test_promise_speedup(void)
{
    promise_times w = promise_of(0.1, 1e-3, 0.05);
    gputune_outcome o;
    tune_rig r;
    int again;
    tune_temp();
    for (again = 0; again < 2; again++) {
        promise_replay(&r, &w, tune_store);
        promise_open(&r, &w);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(o.origin, again ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        CHECK_NEAR(o.speedup, 100, 1e-6);
        CHECK_NEAR(o.default_stats.median, 0.1, 1e-12);
        CHECK_NEAR(o.best_stats.median, 1e-3, 1e-12);
        tune_close(&r);
    }
    tune_clean();
}

// Kernels shorter than what a launch costs are timed in batches of at least 100 us and at most 64
// launches, each with a batch of its own; where outputs are read, too, one by one.
static void test_promise_batches(void)
{
    static const struct {
        double standard, best;
        bool inout;
        int batch[2];
    } cases[] = { { 4e-6, 2e-6, false, { 25, 50 } },  { 1e-3, 5e-6, false, { 1, 20 } },
                  { 60e-6, 1e-7, false, { 1, 64 } }, { 4e-6, 2e-6, true, { 1, 1 } } };
    size_t c;
    int i;
    for (c = 0; c < sizeof cases / sizeof *cases; c++) {
        promise_times w = promise_of(cases[c].standard, cases[c].best, 1e-3);
        gputune_outcome o;
        tune_rig r;
        promise_replay(&r, &w, "");
        if (!cases[c].inout) r.desc.signature = "int n, float *in, float *out";
        promise_open(&r, &w);
        CHECK_INT(test_tunes(r.kernel, r.args, cases[c].inout ? 4 : 3, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=4");
        for (i = 0; i < 2; i++) {
            CHECK(abs(w.most_batch[i] - cases[c].batch[i]) <= 1); // 100e-6 / 4e-6, rounded up
            CHECK(w.least_batch[i] == w.most_batch[i] || (i && w.least_batch[i] == 1));
        }
        CHECK_NEAR(o.best_stats.median, cases[c].best, 1e-9 * cases[c].best);
        CHECK_NEAR(o.default_stats.median, cases[c].standard, 1e-9 * cases[c].standard);
        tune_close(&r);
    }
}

// --- nobody waits longer than the budget says ---

// Launches of a second, all alike: the race takes its part of the budget, five rounds at least. The
// budget is 20 s where the program names none.
static void test_promise_race_budget(void)
{
    static const double budgets[] = { 80, 0 };
    int i;
    for (i = 0; i < 2; i++) {
        promise_times w = promise_of(1, 1, 1);
        double budget = budgets[i] > 0 ? budgets[i] : 20;
        gputune_outcome o;
        tune_rig r;
        promise_replay(&r, &w, "");
        r.desc.tune.budget.seconds = budgets[i];
        r.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
        promise_open(&r, &w);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        CHECK(w.raced >= 10 && w.raced <= 24); // a quarter of it, and a round or two
        CHECK(o.seconds > 0.9 * budget && o.seconds < 1.1 * budget);
        tune_close(&r);
    }
}

// A program that says stop in the middle of the race has its answer after that round.
static void test_promise_race_stopped(void)
{
    promise_times w = promise_of(1e-3, 1e-3, 1e-3);
    gputune_outcome o;
    tune_rig r;
    promise_replay(&r, &w, "");
    w.stop_at = 60;
    promise_open(&r, &w);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK(w.raced >= 60 && w.raced < 70); // of 320
    tune_expect(&o, "B=32 U=1");
    tune_close(&r);
}

// --- nothing is lost ---

typedef struct promise_world {
    gputune_result bad; // what B=64 U=4 does
    int asked, left;    // launches of it; of others after it, before the process ends
} promise_world;

static void promise_dying(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    promise_world *w = (promise_world *)user;
    trial->seconds = tune_formula(config);
    if (gputune_config_int(config, "B") == 64 && gputune_config_int(config, "U") == 4) {
        w->asked++;
        trial->result = w->bad == GPUTUNE_ERROR_TIMEOUT ? GPUTUNE_OK : w->bad;
        if (w->bad == GPUTUNE_ERROR_TIMEOUT) trial->seconds = 5;
        return;
    }
    if (w->asked && w->left > 0 && test_launch(trial) && --w->left == 0) _exit(77);
}

static gputune_result promise_run(promise_world *w, tune_rig *r, gputune_outcome *o)
{
    tune_rig_init(r, tune_store);
    r->replay.trial = promise_dying;
    r->replay.user = w;
    tune_open(r);
    return test_tunes(r->kernel, r->args, 4, o);
}

// Whatever a configuration did wrong before the run was interrupted: the next one knows, and does
// not even compile it.
static void test_promise_quarantine(void)
{
    static const gputune_result faults[] = { GPUTUNE_ERROR_WRONG_OUTPUT, GPUTUNE_ERROR_TIMEOUT,
                                             GPUTUNE_ERROR_OUT_OF_BOUNDS, GPUTUNE_ERROR_COMPILE,
                                             GPUTUNE_ERROR_LAUNCH, GPUTUNE_ERROR_RESOURCES };
    size_t f;
    for (f = 0; f < sizeof faults / sizeof *faults; f++) {
        promise_world w;
        tune_rig r;
        gputune_outcome o;
        pid_t child;
        int status = 0, i, found = 0;
        memset(&w, 0, sizeof w);
        w.bad = faults[f];
        w.left = 6; // in the second trial after it
        tune_temp();
        fflush(stdout);
        child = fork();
        if (child == 0) {
            promise_run(&w, &r, NULL);
            _exit(1);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
        w.left = 0;
        CHECK_INT(promise_run(&w, &r, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=3");
        CHECK(test_seen.resumed > 1);
        CHECK_INT(test_seen.failed, 1); // what the process ended in is tried again
        CHECK_INT(w.asked, 0);
        for (i = 0; i < test_trials(r.kernel); i++)
            found += gputune_kernel_trial(r.kernel, i)->result == faults[f];
        CHECK_INT(found, 1);
        tune_close(&r);
        tune_clean();
    }
}

// The order in which an asker with this seed hears of the configurations.
static void promise_order(uint64_t seed, gputune_strategy strategy, int count, int *order)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.space.params = tune_params;
    desc.space.require = tune_require;
    desc.space.options.store = "";
    desc.tune.strategy = strategy;
    desc.tune.seed = seed;
    tuner = gputune_tuner_create(&desc);
    for (i = 0; i < count && test_asks(tuner, &config); i++) {
        order[i] = config.choice[0] * 100 + config.choice[1];
        gputune_tell(tuner, &config, tune_formula(&config));
    }
    CHECK_INT(i, count);
    gputune_tuner_destroy(tuner);
}

// Of ask/tell, too: the same seed asks the same, another one asks otherwise.
static void test_promise_seed(void)
{
    static const gputune_strategy strategies[] = { GPUTUNE_STRATEGY_AUTO, GPUTUNE_STRATEGY_RANDOM,
                                                   GPUTUNE_STRATEGY_SURROGATE };
    size_t s;
    for (s = 0; s < sizeof strategies / sizeof *strategies; s++) {
        int order[3][20];
        promise_order(5, strategies[s], 20, order[0]);
        promise_order(5, strategies[s], 20, order[1]);
        promise_order(6, strategies[s], 20, order[2]);
        CHECK(memcmp(order[0], order[1], sizeof order[0]) == 0);
        CHECK(memcmp(order[0], order[2], sizeof order[0]) != 0);
    }
}

// --- quiet ---

// Everything that goes wrong, in a program that asked for no messages, has a log function, or asked
// for silence.
static void promise_mishaps(bool heard, bool quiet)
{
    tune_rig r;
    FILE *file = fopen(tune_store, "w");
    fprintf(file, "gputune store 1\nentry\tname=kernel\tcheck=00000000\n");
    fclose(file);
    tune_rig_init(&r, tune_store);
    if (!heard) r.replay.options.log = NULL;
    r.replay.options.quiet = quiet;
    r.world.bad_word = "U=5";
    r.world.bad = GPUTUNE_ERROR_COMPILE;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(test_kernel_seen(r.kernel).failed, 6);
    CHECK(gputune_run(r.kernel, r.args, 0) != GPUTUNE_OK); // no n
    CHECK(heard == (r.log.used > 0));
    tune_close(&r);
    tune_rig_init(&r, "/proc/nowhere/store.txt"); // cannot be made
    if (!heard) r.replay.options.log = NULL;
    r.replay.options.quiet = quiet;
    r.desc.global = "ceil_div(m, U)";
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_SYMBOL);
    tune_close(&r);
    tune_rig_init(&r, "");
    if (!heard) r.replay.options.log = NULL;
    r.replay.options.quiet = quiet;
    r.world.bad_word = "B=64 U=4";
    r.world.slow = 1e9;
    tune_open(&r);
    CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_ERROR_DEVICE_LOST);
    tune_close(&r);
}

// What could not be written is said by the outcome, too: in a program without a log function, too,
// and once. The file that stands where a folder should, and full disks, are as they were.
static void test_promise_unwritten(void)
{
    char store[3][200], report[200], text[700];
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    tune_rig r;
    int i;
    tune_temp();
    fclose(fopen(tune_store, "w"));
    snprintf(store[0], sizeof store[0], "%s/store.txt", tune_store);
    snprintf(store[1], sizeof store[1], "/proc/nowhere/store.txt");
    snprintf(store[2], sizeof store[2], "%s/full", tune_folder);
    CHECK_INT(symlink("/dev/full", store[2]), 0);
    snprintf(report, sizeof report, "%s/page.html", tune_store);
    for (i = 0; i < 3; i++) {
        tune_rig_init(&r, store[i]);
        r.replay.options.log = NULL;
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_TUNING);
        snprintf(text, sizeof text, "not stored: cannot %s %s", i < 2 ? "lock" : "read", store[i]);
        CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, text);
        CHECK_HAS(gputune_kernel_outcome(r.kernel)->note, text);
        CHECK(!strstr(strstr(r.kernel->sentence, "not stored") + 1, "not stored"));
        tune_close(&r);
    }
    setenv("GPUTUNE_REPORT", report, 1);
    tune_rig_init(&r, "");
    r.replay.options.log = NULL;
    tune_open(&r);
    CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
    snprintf(text, sizeof text, "no report: cannot write %s", report);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, text);
    CHECK(!strstr(r.kernel->sentence, "not stored")); // none was wanted
    tune_close(&r);
    for (i = 0; i < 2; i++) {
        memset(&desc, 0, sizeof desc);
        desc.space.params = tune_params;
        desc.space.options.store = i ? "" : store[0];
        desc.name = "a loop";
        if (!i) unsetenv("GPUTUNE_REPORT");
        tuner = gputune_tuner_create(&desc);
        while (test_asks(tuner, &config)) gputune_tell(tuner, &config, tune_formula(&config));
        CHECK_INT(gputune_tuner_error(tuner)->result, GPUTUNE_OK);
        CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
        CHECK_INT(gputune_tuner_error(tuner)->result, GPUTUNE_ERROR_FILE);
        CHECK_HAS(gputune_tuner_error(tuner)->text, i ? report : store[0]);
        CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
        gputune_tuner_destroy(tuner);
        setenv("GPUTUNE_REPORT", report, 1);
    }
    unsetenv("GPUTUNE_REPORT");
    tune_clean();
}

typedef struct promise_text {
    FILE *file;
    int saved;
    char text[16384];
} promise_text;

// What goes to stderr from here on ...
static void promise_catch(promise_text *t)
{
    fflush(stderr);
    t->file = tmpfile();
    t->saved = dup(2);
    dup2(fileno(t->file), 2);
}

// ... to here.
static const char *promise_caught(promise_text *t)
{
    fflush(stderr);
    dup2(t->saved, 2);
    close(t->saved);
    rewind(t->file);
    t->text[fread(t->text, 1, sizeof t->text - 1, t->file)] = 0;
    fclose(t->file);
    return t->text;
}

// How often a part occurs.
static int promise_often(const char *text, const char *part)
{
    int times = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) times++;
    return times;
}

// Two lines of a tuning that takes over a second, and none where somebody else is told.
static void test_promise_two_lines(void)
{
    static promise_text caught;
    int way;
    for (way = 0; way < 8; way++) {
        char begin[256], lines[2048] = "", text[1024];
        tune_rig r;
        tune_rig_init(&r, "");
        if (way != 2) r.replay.options.log = NULL;
        r.replay.options.quiet = way == 3;
        r.world.scale = way == 1 ? 0.01 : 10; // else by far over a second
        r.desc.tune.budget.seconds = way == 7 ? -1 : 30;
        r.desc.tune.budget.trials = way == 1 ? 5 : 30;
        if (way == 4) r.desc.tune.progress = promise_goes_on;
        if (way == 5) setenv("GPUTUNE_LOG", "off", 1);
        if (way == 6) setenv("GPUTUNE_LOG", "warn", 1);
        tune_open(&r);
        promise_catch(&caught);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK); // known by now
        promise_caught(&caught);
        unsetenv("GPUTUNE_LOG");
        snprintf(text, sizeof text, "%s", gputune_kernel_outcome(r.kernel)->text);
        CHECK((gputune_kernel_outcome(r.kernel)->seconds > 1) == (way != 1));
        snprintf(begin, sizeof begin, "gputune: kernel is tuned%s; GPUTUNE=off switches that off\n",
                 way == 7 ? "" : " for at most 30 s");
        if (way == 0 || way > 5)
            snprintf(lines, sizeof lines, "%sgputune: kernel: %s\n", begin, text);
        CHECK_TEXT(caught.text, lines);
        tune_close(&r);
    }
}

// A kernel that does not compile is compiled once and reported once, however often it is run.
static void test_promise_once(void)
{
    static promise_text caught;
    int heard, i, trials;
    for (heard = 0; heard < 2; heard++) {
        const char *text;
        tune_rig r;
        tune_rig_init(&r, "");
        if (!heard) r.replay.options.log = NULL;
        r.world.bad_word = "B=32 U=1";
        r.world.bad = GPUTUNE_ERROR_COMPILE;
        tune_open(&r);
        promise_catch(&caught);
        for (i = trials = 0; i < 3; i++) {
            CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_COMPILE);
            if (!i) trials = TEST_GET(r.world.trials);
            CHECK_HAS(gputune_kernel_error(r.kernel)->text, "does not compile");
        }
        CHECK_INT(TEST_GET(r.world.trials), trials);
        promise_caught(&caught);
        text = heard ? r.log.text : caught.text;
        CHECK_INT(promise_often(text, "does not compile"), 1);
        CHECK(heard == (*caught.text == 0));
        tune_close(&r);
        // The same warning from two tunings of one device.
        tune_rig_init(&r, "/proc/nowhere/store.txt");
        if (!heard) r.replay.options.log = NULL;
        tune_open(&r);
        promise_catch(&caught);
        for (i = 0; i < 2; i++) {
            tune_args(&r, 4096 << i);
            CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        }
        promise_caught(&caught);
        text = heard ? r.log.text : caught.text;
        CHECK_INT(promise_often(text, "the answer is not saved"), heard ? 2 : 1);
        tune_close(&r);
    }
}

// A pool's first launch has the two lines, too; one that fails says why.
static void test_promise_pool_lines(void)
{
    static promise_text caught;
    int way, i;
    for (way = 0; way < 3; way++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool *pool;
        char lines[2048] = "";
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        world.compile_seconds = way == 1 ? 1e-3 : 0.7;
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
        r.base.device->base.log = NULL; // as if the program had none
        gt__base_log(&r.base.device->base, NULL);
        pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_AUTO);
        promise_catch(&caught);
        for (i = 0; i < 2; i++) {
            CHECK_INT(gputune_pool_run(pool, r.data.args, way == 2 ? 2 : 3),
                      way == 2 ? GPUTUNE_ERROR_ARGUMENT : GPUTUNE_OK);
            if (i == 0 && way == 0)
                snprintf(lines, sizeof lines, "gputune: pool is tuned; GPUTUNE=off switches that "
                                              "off\ngputune: %s\n",
                         gputune_pool_outcome(pool)->text);
        }
        promise_caught(&caught);
        if (way < 2) CHECK_TEXT(caught.text, lines);
        if (way == 2) {
            CHECK_HAS(gputune_pool_outcome(pool)->text, "takes 3 arguments, 2 given");
            CHECK_INT(promise_often(caught.text, "gputune error: "), 1);
            CHECK_INT(promise_often(caught.text, "takes 3 arguments, 2 given"), 1);
        }
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// Without a home the answer is not kept, and its outcome says so; not where no store is wanted.
static void test_promise_no_home(void)
{
    static const char *const names[] = { "HOME", "XDG_STATE_HOME", "GPUTUNE_STORE" };
    static promise_text caught;
    char saved[3][256];
    int i, wanted;
    for (i = 0; i < 3; i++) {
        snprintf(saved[i], sizeof saved[i], "%s", getenv(names[i]) ? getenv(names[i]) : "");
        unsetenv(names[i]);
    }
    for (wanted = 0; wanted < 2; wanted++) {
        tune_rig r;
        tune_rig_init(&r, wanted ? NULL : "");
        r.replay.options.log = NULL;
        promise_catch(&caught);
        tune_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
        promise_caught(&caught);
        CHECK(!strstr(gputune_kernel_outcome(r.kernel)->text, "not stored: no HOME") == !wanted);
        CHECK_INT(promise_often(caught.text, "no store: the environment has no HOME"), wanted);
        tune_close(&r);
    }
    for (i = 0; i < 3; i++)
        if (*saved[i]) setenv(names[i], saved[i], 1);
}

// What it says on its two streams; the user has asked for messages, or has not, or wants none.
static void promise_listen(const char *asked, bool heard, bool quiet, char text[2][8192])
{
    char path[2][128];
    pid_t child;
    int status = 0, i;
    tune_temp();
    for (i = 0; i < 2; i++) snprintf(path[i], sizeof path[i], "%s/said%d.txt", tune_folder, i);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        for (i = 0; i < 2; i++) dup2(open(path[i], O_WRONLY | O_CREAT | O_APPEND, 0600), 1 + i);
        if (*asked) setenv("GPUTUNE_LOG", asked, 1);
        test_failures = 0;
        promise_mishaps(heard, quiet);
        fflush(stdout);
        _exit(test_failures ? 1 : 78);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 78);
    for (i = 0; i < 2; i++) {
        FILE *file = fopen(path[i], "r");
        CHECK(file != NULL);
        text[i][file ? fread(text[i], 1, sizeof text[i] - 1, file) : 0] = 0;
        if (file) fclose(file);
    }
    tune_clean();
}

// Not a word on stdout, and the program is still there at the end. To stderr warnings and errors,
// each once, or what the user asks for, where the program has no log function; nothing with .quiet.
static void test_promise_quiet(void)
{
    static const char *const asked[] = { "", "info", "off", "", "info", "" };
    static char text[2][8192];
    char *line, *end;
    int way;
    for (way = 0; way < 6; way++) {
        promise_listen(asked[way], way == 3 || way == 4, way == 5, text);
        CHECK_TEXT(text[0], "");
        if (way == 0) {
            CHECK_HAS(text[1], "gputune warning: store ");
            CHECK_HAS(text[1], "gputune error: kernel: kernel kernel: unknown symbol 'm'");
            CHECK(!strstr(text[1], "gputune info"));
        } else if (way == 1) {
            CHECK_HAS(text[1], "gputune info: kernel");
        } else {
            CHECK_TEXT(text[1], "");
        }
        for (line = text[1]; way == 0 && (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = 0;
            if (strncmp(line, "gputune: ", 9) != 0) // of other objects
                CHECK_OR(*line == 0 || !strstr(end + 1, line), "twice: %s", line);
        }
    }
}

static const test_case promises_cases[] = {
    { "canaries", test_promise_canaries },
    { "forgets", test_promise_forgets },
    { "poisons", test_promise_poisons },
    { "pool_poisons", test_promise_pool_poisons },
    { "by_little", test_promise_by_little },
    { "pool_aligned", test_promise_pool_aligned },
    { "pool_forgets", test_promise_pool_forgets },
    { "pool_forgets_again", test_promise_pool_forgets_again },
    { "pool_inputs", test_promise_pool_inputs },
    { "pool_bounds", test_promise_pool_bounds },
    { "pool_scale", test_promise_pool_scale },
    { "pool_scale_end", test_promise_pool_scale_end },
    { "pool_stray", test_promise_pool_stray },
    { "pool_reads", test_promise_pool_reads },
    { "pool_refused", test_promise_pool_refused },
    { "pool_scale_before", test_promise_pool_scale_before },
    { "pool_nan", test_promise_pool_nan },
    { "pool_other_outputs", test_promise_pool_other_outputs },
    { "every_output", test_promise_every_output },
    { "parts", test_promise_parts },
    { "nan", test_promise_nan },
    { "integers_as_floats", test_promise_integers_as_floats },
    { "on_device", test_promise_on_device },
    { "each_launch", test_promise_each_launch },
    { "tie", test_promise_tie },
    { "race", test_promise_race },
    { "speedup", test_promise_speedup },
    { "batches", test_promise_batches },
    { "race_budget", test_promise_race_budget },
    { "race_stopped", test_promise_race_stopped },
    { "quarantine", test_promise_quarantine },
    { "pool_quarantine", profiling_crash_compared },
    { "seed", test_promise_seed },
    { "unwritten", test_promise_unwritten },
    { "quiet", test_promise_quiet },
    { "two_lines", test_promise_two_lines },
    { "once", test_promise_once },
    { "no_home", test_promise_no_home },
    { "pool_lines", test_promise_pool_lines },
    { NULL, NULL },
};
