// [pool]: safe points, pools of C functions and of replayed kernels in every mode.
#include "test.h"

// --- arithmetic ---

static void profiler_safe_points(void)
{
    static const uint64_t three[] = { 64, 96, 40 }, big[] = { UINT64_MAX / 3, UINT64_MAX / 5 };
    const uint64_t none[] = { 0 };
    uint64_t block = 0, a[2];
    CHECK(gt__safe_point(three, 3, &block));
    CHECK_INT(block, 960);
    CHECK(gt__safe_point(three, 0, &block));
    CHECK_INT(block, 1);
    CHECK(!gt__safe_point(big, 2, &block));
    CHECK(!gt__safe_point(none, 1, &block));
    for (a[0] = 1; a[0] < 30; a[0]++) // every smaller one fails one of the two
        for (a[1] = 1; a[1] < 30; a[1]++) {
            uint64_t n = 1;
            while (n % a[0] || n % a[1]) n++;
            CHECK(gt__safe_point(a, 2, &block));
            CHECK_INT(block, n);
        }
}

// --- C functions ---

// Each adds 1 + 2 * x to its items, and counts them.
static void pool_item(void *const *args, size_t i, int more)
{
    const int *x = (const int *)args[0], n = *(const int *)args[2];
    int *y = (int *)args[1];
    if (i < (size_t)n) y[i] += 1 + 2 * x[i] + more;
}

static void pool_plain(HOST_KERNEL)
{
    size_t i;
    for (i = range->begin[0]; i < range->end[0]; i++) pool_item(args, i, 0);
}

static void pool_backwards(HOST_KERNEL)
{
    size_t i;
    for (i = range->end[0]; i > range->begin[0]; i--) pool_item(args, i - 1, 0);
}

static void pool_slow(HOST_KERNEL)
{
    volatile int wait;
    size_t i;
    for (i = range->begin[0]; i < range->end[0]; i++) {
        for (wait = 0; wait < 40; wait++) continue;
        pool_item(args, i, 0);
    }
}

static void pool_wrong(HOST_KERNEL)
{
    size_t i;
    for (i = range->begin[0]; i < range->end[0]; i++) pool_item(args, i, i == 3);
}

// A kernel of a device's for each variant.
typedef struct pool_rig {
    gputune_device *device;
    gputune_kernel_desc kernels[9]; // ends with a NULL name
    gputune_function functions[8][2];
    int count;
    char log[8192];
} pool_rig;

static void pool_log(void *user, gputune_log_level level, const char *message)
{
    pool_rig *r = (pool_rig *)user;
    size_t used = strlen(r->log);
    (void)level;
    snprintf(r->log + used, sizeof r->log - used, "%s\n", message);
}

static gputune_options pool_options(pool_rig *r, const char *store)
{
    gputune_options options;
    memset(r, 0, sizeof *r);
    memset(&options, 0, sizeof options);
    options.store = store;
    options.log = pool_log;
    options.user = r;
    return options;
}

static void pool_host(pool_rig *r)
{
    gputune_options options = pool_options(r, "");
    r->device = gputune_host_device_create(&options);
}

static gputune_kernel_desc *pool_add_function(pool_rig *r, const char *name,
                                              gputune_host_fn function, const char *local)
{
    gputune_kernel_desc *kernel = &r->kernels[r->count];
    gputune_function *functions = r->functions[r->count++];
    functions[0].name = name;
    functions[0].function = function;
    kernel->name = name;
    kernel->functions = functions;
    kernel->signature = "int *x, int *y, int n";
    kernel->global = "n";
    kernel->local = local;
    return kernel;
}

// Puts that kernel first, but for what the first one says of the pool.
static void pool_begins(gputune_kernel_desc *kernels, size_t begin)
{
    const gputune_tune_desc tune = kernels[0].tune;
    const gputune_kernel_desc first = kernels[begin];
    kernels[begin] = kernels[0];
    kernels[begin].tune = first.tune;
    kernels[0] = first;
    kernels[0].tune = tune;
}

// The first variant takes twice the others' time for an item, whatever this machine's clock says:
// another one is the best, and is compared.
static gputune_host_fn pool_first;
static double pool_took; // by the last launch

static void pool_takes_long(HOST_KERNEL)
{
    pool_first(range, args, config, user);
    pool_took *= 2;
}

static gputune_result (*pool_submit)(void *self, void *code, const gputune_driver_launch *launch,
                                     int queue, void **ticket, gputune_error *error);

static gputune_result pool_submits(void *self, void *code, const gputune_driver_launch *launch,
                                   int queue, void **ticket, gputune_error *error)
{
    const gputune_grid *g = launch->grid;
    int d;
    pool_took = 1e-3;
    for (d = 0; d < 3 && g; d++)
        if (g->end[d] > g->begin[d]) pool_took *= (double)(g->end[d] - g->begin[d]);
    return pool_submit(self, code, launch, queue, ticket, error);
}

static gputune_result pool_polls(void *self, void *ticket, double patience, bool *done,
                                 gputune_span *span, gputune_error *error)
{
    gputune_result result = gt__host_poll(self, ticket, patience, done, span, error);
    span->end = span->begin + pool_took;
    return result;
}

static void pool_clock(pool_rig *r)
{
    pool_first = r->functions[0][0].function;
    r->functions[0][0].function = pool_takes_long;
    pool_submit = r->device->driver.submit;
    r->device->driver.submit = pool_submits;
    r->device->driver.poll = pool_polls;
}

static void pool_end(pool_rig *r)
{
    gputune_device_destroy(r->device);
}

// A pool of the rig's variants whose parts have 640 units.
static gputune_pool_desc pool_in_parts(const pool_rig *r, int mode)
{
    gputune_pool_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.kernels = r->kernels;
    desc.units = "n";
    desc.mode = (gputune_profile_mode)mode;
    desc.part = 640;
    return desc;
}

// One launch as a pool with another `.when` would have it, which knows what this one knows.
static gputune_result pool_run_when(gputune_pool *pool, const gputune_arg *args, int count,
                                    gputune_profile_when when)
{
    pool->desc.when = when;
    return gputune_pool_run(pool, args, count);
}

// Launches a job of n items several times and compares every item with what as many plain launches
// would have given: each item is done exactly once a launch.
static void pool_launches(pool_rig *r, const gputune_pool_desc *desc, int n, int launches,
                          const char *what)
{
    gputune_pool *pool = gputune_pool_create(r->device, desc);
    int *x = (int *)malloc(4 * (size_t)(n + 1)), *all = (int *)malloc(4 * (size_t)(n + 17));
    int *y = all + 16; // a part of a buffer
    gputune_arg args[3];
    int i, k, wrong = 0;
    for (i = 0; i <= n; i++) x[i] = i % 1009, y[i] = -i;
    args[0] = gputune_in(x, 4 * (size_t)n);
    args[1] = gputune_part(gputune_inout(all, 4 * (size_t)(n + 16)), 64, 4 * (size_t)n);
    args[2] = arg_int32(n);
    for (k = 1; k <= launches; k++) {
        gputune_result result = gputune_pool_run(pool, args, 3);
        CHECK_OR(result == GPUTUNE_OK, "%s: %s", what, gputune_pool_error(pool)->text);
        for (i = 0; i < n && !wrong; i++) wrong = y[i] != -i + k * (1 + 2 * x[i]) ? i + 1 : 0;
        CHECK_OR(!wrong && y[n] == -n, "%s: launch %d: y[%d] is %d", what, k, wrong ? wrong - 1 : n,
                 y[wrong ? wrong - 1 : n]);
    }
    gputune_pool_destroy(pool);
    free(x);
    free(all);
}

static void pool_functions(pool_rig *r)
{
    pool_host(r);
    pool_add_function(r, "slow", pool_slow, "64");
    pool_add_function(r, "plain", pool_plain, "96");
    pool_add_function(r, "wrong", pool_wrong, "32");
    pool_add_function(r, "backwards", pool_backwards, "40");
}

static void profiler_host_modes(void)
{
    static const int sizes[] = { 1, 959, 960, 961, 100003, 200000 };
    pool_rig r;
    size_t s;
    int mode, flow, when;
    pool_functions(&r);
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (mode = 0; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
            for (flow = 0; flow < 2; flow++)
                for (when = 0; when <= (int)GPUTUNE_PROFILE_ONLINE; when++) {
                    gputune_pool_desc desc;
                    char what[128];
                    snprintf(what, sizeof what, "%d items, mode %d, flow %d, when %d", sizes[s],
                             mode, flow, when);
                    memset(&desc, 0, sizeof desc);
                    desc.kernels = r.kernels;
                    desc.units = "n";
                    desc.mode = (gputune_profile_mode)mode;
                    desc.synchronous = flow != 0;
                    desc.part = 2000;
                    desc.ceiling = 100; // so that it is profiled, whatever this machine's times
                    desc.when = (gputune_profile_when)when;
                    pool_launches(&r, &desc, sizes[s],
                                  when == (int)GPUTUNE_PROFILE_ONLINE ? 12 : 3, what);
                }
    CHECK_HAS(r.log, "variant wrong is passed over");
    pool_end(&r);
}

// A variant whose groups do not cover the work, arguments that are not there, names that come
// twice, kernels that cannot be made: errors that name the culprit, and nothing is launched.
static void profiler_mistakes(void)
{
    pool_rig r;
    gputune_pool_desc desc;
    gputune_pool *pool;
    gputune_arg args[3];
    static const char *const lists[] = { "", "a", "0,x", "0,-1", "0,1,", "0;1" };
    int x[100], y[100];
    size_t i;
    memset(x, 0, sizeof x);
    memset(y, 0, sizeof y);
    args[0] = gputune_in(x, sizeof x);
    args[1] = gputune_inout(y, sizeof y);
    args[2] = arg_int32(100);
    pool_functions(&r);
    memset(&desc, 0, sizeof desc);
    desc.kernels = r.kernels;
    r.kernels[1].group_units = "1";
    pool = gputune_pool_create(r.device, &desc);
    CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_pool_error(pool)->text, "variant plain");
    CHECK_INT(y[5], 0);
    gputune_pool_destroy(pool);
    r.kernels[1].group_units = NULL;
    r.kernels[1].args = "0, 1,7";
    pool = gputune_pool_create(r.device, &desc);
    CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_pool_error(pool)->text, "argument 7 of 3");
    gputune_pool_destroy(pool);
    for (i = 0; i < sizeof lists / sizeof *lists; i++) {
        r.kernels[1].args = lists[i];
        pool = gputune_pool_create(r.device, &desc);
        CHECK_INT(gputune_pool_error(pool)->result, GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_pool_error(pool)->text, "variant plain: .args \"");
        gputune_pool_destroy(pool);
    }
    r.kernels[1].args = NULL;
    r.kernels[1].title = "slow";
    pool = gputune_pool_create(r.device, &desc);
    CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_pool_error(pool)->text, "slow");
    gputune_pool_destroy(pool);
    r.kernels[1].title = NULL;
    desc.mode = GPUTUNE_PROFILE_FULLY;
    r.kernels[1].config = "NO=1";
    pool = gputune_pool_create(r.device, &desc);
    CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_pool_error(pool)->text, "variant plain NO=1");
    gputune_pool_destroy(pool);
    r.kernels[1].config = NULL;
    r.kernels[1].file = "tests/nowhere.cl";
    pool = gputune_pool_create(r.device, &desc);
    CHECK(gputune_pool_run(pool, args, 3) != GPUTUNE_OK);
    CHECK_HAS(gputune_pool_error(pool)->text, "variant plain: ");
    CHECK_HAS(gputune_pool_error(pool)->text, "nowhere.cl");
    CHECK_INT(y[5], 0);
    gputune_pool_destroy(pool);
    pool_end(&r);
}

// What does not divide evenly is where variants are wrong most: items left out at the end. Seen
// beforehand, and never launched on the program's buffers.
static void pool_short(HOST_KERNEL)
{
    size_t i, n = (size_t)*(const int *)args[2];
    for (i = range->begin[0]; i < range->end[0]; i++)
        if (i < n / 8 * 8) pool_item(args, i, 0);
}

static void profiler_ends(void)
{
    static const int sizes[] = { 13, 4099, 100003, 400001 };
    size_t s;
    int part;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (part = 0; part < 2; part++) {
            pool_rig r;
            gputune_pool_desc desc;
            pool_host(&r);
            pool_add_function(&r, "slow", pool_slow, "64");
            pool_add_function(&r, "short", pool_short, "8");
            pool_clock(&r);
            memset(&desc, 0, sizeof desc);
            desc.kernels = r.kernels;
            desc.units = "n";
            desc.mode = GPUTUNE_PROFILE_FULLY;
            desc.part = part ? 640 : 0;
            pool_launches(&r, &desc, sizes[s], 3, "short of its end");
            CHECK_HAS(r.log, "variant short is passed over");
            pool_end(&r);
        }
}

// Grids of one to three dimensions, work in whole groups and beside, parts of every size: each item
// is done once, by whichever variant.
static void pool_cells(const gputune_grid *range, void *const *args, size_t x_step)
{
    const int *n = (const int *)args[1]; // three sizes
    int *y = (int *)args[0];
    size_t x, z, j;
    for (z = range->begin[2]; z < range->end[2]; z++)
        for (j = range->begin[1]; j < range->end[1]; j++)
            for (x = range->begin[0]; x < range->end[0]; x += x_step)
                if (x < (size_t)n[0] && j < (size_t)n[1] && z < (size_t)n[2])
                    y[(z * (size_t)n[1] + j) * (size_t)n[0] + x]++;
}

static void pool_cells_rows(HOST_KERNEL)
{
    pool_cells(range, args, 1);
}

static void pool_cells_again(HOST_KERNEL)
{
    pool_cells(range, args, 1);
}

static void profiler_shapes(void)
{
    static const int shapes[][3] = { { 13, 1, 1 }, { 5, 7, 1 }, { 4, 3, 5 }, { 1, 6, 1 },
                                     { 1, 1, 9 },  { 3, 1, 4 }, { 7, 5, 3 } };
    static const gputune_host_fn functions[] = { pool_cells_rows, pool_cells_again };
    size_t s;
    int mode, part, i, profiled = 0;
    for (s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++)
            for (part = 1; part <= 12; part++) {
                const int *n = shapes[s], total = n[0] * n[1] * n[2];
                gputune_pool_desc desc;
                gputune_pool *pool;
                gputune_arg args[5];
                pool_rig r;
                int y[105], wrong = 0;
                memset(y, 0, sizeof y);
                pool_host(&r);
                for (i = 0; i < 2; i++) {
                    gputune_kernel_desc *k =
                        pool_add_function(&r, i ? "again" : "rows", functions[i], "1, 1, 1");
                    k->signature = "int *y, int *n, int a, int b, int c";
                    k->global = "a, b, c";
                }
                memset(&desc, 0, sizeof desc);
                desc.kernels = r.kernels;
                desc.units = "a, b, c";
                desc.mode = (gputune_profile_mode)mode;
                desc.synchronous = part % 2 != 0;
                desc.part = part;
                desc.when = GPUTUNE_PROFILE_ALWAYS;
                pool = gputune_pool_create(r.device, &desc);
                args[0] = gputune_inout(y, (size_t)total * sizeof *y);
                args[1] = gputune_in((void *)(uintptr_t)n, sizeof shapes[s]);
                args[2] = arg_int32(n[0]);
                args[3] = arg_int32(n[1]);
                args[4] = arg_int32(n[2]);
                for (i = 0; i < 3; i++) {
                    CHECK_INT(gputune_pool_run(pool, args, 5), GPUTUNE_OK);
                    profiled += gputune_pool_outcome(pool)->profiled;
                }
                for (i = 0; i < total; i++) wrong += y[i] != 3;
                CHECK_OR(!wrong, "%d x %d x %d, parts of %d, mode %d: %d cells are wrong", n[0],
                         n[1], n[2], part, mode, wrong);
                gputune_pool_destroy(pool);
                pool_end(&r);
            }
    CHECK_OR(profiled > 100, "%d launches were profiled", profiled);
}

// Who reads what it writes has a sandbox to itself, which begins as the real one, and so has who
// may win the real place.
static int pool_seen; // items that were not as in the beginning; -1: nobody looks

static void pool_looks(HOST_KERNEL)
{
    const int n = *(const int *)args[2];
    const int *y = (const int *)args[1];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && i < (size_t)n && pool_seen >= 0; i++)
        pool_seen += y[i] != 1000 + (int)i;
    pool_plain(range, args, config, user);
}

static void pool_looks_too(HOST_KERNEL)
{
    pool_looks(range, args, config, user);
}

static void pool_looks_last(HOST_KERNEL)
{
    pool_looks(range, args, config, user);
}

static void profiler_sandboxes(void)
{
    enum { N = 60000 };
    static int x[N], y[N];
    int mode, i, launch;
    for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++) {
        gputune_pool_desc desc;
        gputune_pool *pool;
        gputune_arg args[3];
        pool_rig r;
        pool_host(&r);
        pool_add_function(&r, "looks", pool_looks, "64");
        pool_add_function(&r, "too", pool_looks_too, "64");
        pool_add_function(&r, "last", pool_looks_last, "64");
        desc = pool_in_parts(&r, mode);
        desc.synchronous = true;
        desc.when = GPUTUNE_PROFILE_ALWAYS;
        desc.ceiling = 100;
        pool = gputune_pool_create(r.device, &desc);
        for (i = 0; i < N; i++) x[i] = i % 7, y[i] = 1000 + i;
        args[0] = gputune_in(x, sizeof x);
        args[1] = gputune_inout(y, sizeof y);
        args[2] = arg_int32(N);
        pool_seen = -1;
        CHECK_INT(gputune_pool_prepare(pool, args, 3), GPUTUNE_OK);
        for (launch = 0; launch < 2; launch++) { // the second one without anybody new
            for (i = 0; i < N; i++) y[i] = 1000 + i;
            pool_seen = 0;
            CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_OK);
            CHECK(gputune_pool_outcome(pool)->profiled);
            CHECK_INT(gputune_pool_outcome(pool)->mode, mode);
            CHECK_OR(!pool_seen, "mode %d: %d items were not as in the beginning", mode, pool_seen);
            for (i = 0; i < N && y[i] == 1000 + i + 1 + 2 * x[i];) i++;
            CHECK_INT(i, N);
        }
        gputune_pool_destroy(pool);
        pool_end(&r);
    }
}

// What `prepare` has poisoned in a sandbox is what that call wrote. Where both outputs were one
// buffer, the second one's sandbox still has what an earlier launch left there.
static void pool_both(HOST_KERNEL)
{
    const int *x = (const int *)args[0];
    int *y = (int *)args[1], *z = (int *)args[2], n = *(const int *)args[3];
    size_t i;
    (void)config, (void)user;
    for (i = range->begin[0]; i < range->end[0] && i < (size_t)n; i++) y[i] = z[i] = 1 + x[i];
}

static void profiler_poisoned(void)
{
    enum { N = 60000 };
    static int x[N], y[N], z[N];
    gputune_pool_desc desc;
    gputune_pool *pool;
    gputune_arg args[5];
    pool_rig r;
    int i;
    pool_host(&r);
    for (i = 0; i < 2; i++)
        pool_add_function(&r, i ? "two" : "one", pool_both, "64")->signature =
            "int *x, int *y, int *z, int n, int m";
    pool_clock(&r);
    desc = pool_in_parts(&r, GPUTUNE_PROFILE_AUTO);
    pool = gputune_pool_create(r.device, &desc);
    args[0] = gputune_in(x, sizeof x);
    args[1] = gputune_out(y, sizeof y);
    args[3] = arg_int32(N);
    for (i = 0; i < 2; i++) { // two problems, for what is verified holds for one
        args[4] = arg_int32(i ? 1000 : 10);
        args[2] = gputune_out(y, sizeof y);
        if (i) CHECK_INT(gputune_pool_prepare(pool, args, 5), GPUTUNE_OK);
        args[2] = gputune_out(z, sizeof z);
        memset(z, 0, sizeof z);
        CHECK_INT(gputune_pool_run(pool, args, 5), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->winner, 1);
        CHECK_TEXT(gputune_pool_outcome(pool)->variants[1].reason, "");
        CHECK(z[0] == 1 && z[N - 1] == 1);
    }
    gputune_pool_destroy(pool);
    pool_end(&r);
}

// No part of the second variant ever has a time.
static int pool_untimed; // parts

static gputune_result pool_polls_untimed(void *self, void *ticket, double patience, bool *done,
                                         gputune_span *span, gputune_error *error)
{
    gputune_result result = gt__host_poll(self, ticket, patience, done, span, error);
    span->end = span->begin + (pool_took < 0 ? 0 : 1e-3);
    if (++pool_untimed < 1000) return result;
    return gt__error(error, GPUTUNE_ERROR_DEVICE_LOST, "parts without end");
}

static void pool_never_timed(HOST_KERNEL)
{
    pool_plain(range, args, config, user);
    pool_took = -1;
}

// Two launches of two variants, with another poll. The log has `text`, if any.
static void pool_pair(int mode, const char *name, gputune_host_fn first, gputune_host_fn second,
                      gputune_result (*polls)(void *self, void *ticket, double patience,
                                              bool *done, gputune_span *span,
                                              gputune_error *error),
                      const char *text)
{
    pool_rig r;
    gputune_pool_desc desc;
    pool_host(&r);
    pool_add_function(&r, "first", first, "64");
    pool_add_function(&r, name, second, "64");
    pool_clock(&r);
    if (polls) r.device->driver.poll = polls;
    desc = pool_in_parts(&r, mode);
    pool_launches(&r, &desc, 100003, 2, name);
    if (text) CHECK_HAS(r.log, text);
    pool_end(&r);
}

static void profiler_untimed(void)
{
    int mode;
    for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++) {
        pool_untimed = 0;
        pool_pair(mode, "untimed", pool_plain, pool_never_timed, pool_polls_untimed, NULL);
        CHECK_OR(pool_untimed > 4 && pool_untimed < 200, "%d parts", pool_untimed);
    }
}

// Rows of eight blocks, and variants of which the last takes the least.
static void pool_squares(HOST_KERNEL)
{
    int *y = (int *)args[0];
    const int cost = *(const int *)user;
    size_t i, j;
    (void)config;
    for (j = range->begin[1]; j < range->end[1]; j++)
        for (i = range->begin[0]; i < range->end[0]; i++) y[64 * j + i]++, pool_took += cost * 1e-6;
}

// What reads its output counts by whole rows. Where these are too few for all, nobody's part is
// empty, and the best one is found.
static void pool_rows(int count, int rows, int less, int winner, const char *text)
{
    static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
    int costs[6], y[64 * 80], i, k;
    char size[16];
    gputune_pool_desc desc;
    gputune_pool *pool;
    gputune_arg arg = gputune_inout(y, sizeof y);
    pool_rig r;
    snprintf(size, sizeof size, "64, %d", 8 * rows);
    pool_host(&r);
    for (i = 0; i < count; i++) {
        gputune_kernel_desc *kernel = pool_add_function(&r, names[i], pool_squares, "8, 8");
        costs[i] = 100 - less * i;
        r.functions[i][0].user = &costs[i];
        kernel->signature = "int *y";
        kernel->global = size;
    }
    pool_clock(&r);
    r.functions[0][0].function = pool_squares;
    memset(&desc, 0, sizeof desc);
    desc.kernels = r.kernels;
    desc.units = size;
    desc.mode = GPUTUNE_PROFILE_FULLY;
    desc.part = 64;
    desc.trusted = true;
    pool = gputune_pool_create(r.device, &desc);
    memset(y, 0, sizeof y);
    for (k = 1; k < 3; k++) {
        CHECK_INT(gputune_pool_run(pool, &arg, 1), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->winner, winner);
        if (k == 1) CHECK_HAS(gputune_pool_outcome(pool)->text, text);
        for (i = 0; i < 64 * 8 * rows && y[i] == k;) i++;
        CHECK_INT(i, 64 * 8 * rows);
    }
    for (i = 0; i < count; i++) CHECK(gputune_pool_outcome(pool)->variants[i].rate > 0);
    gputune_pool_destroy(pool);
    pool_end(&r);
}

static void profiler_rows(void)
{
    pool_rows(6, 8, 15, 5, "of at most 64 units"); // in sandboxes
    pool_rows(2, 10, 3, 0, ": 2 parts of at most 512 units, rounds: 1");
}

// Wrong in the first items, none of which are in the parts.
static void profiler_first_block(void)
{
    int mode;
    for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++)
        pool_pair(mode, "wrong", pool_slow, pool_wrong, NULL, "variant wrong is passed over");
}

// The program vouches for its variants: none is compared, so that a wrong one stays. Without that
// it is passed over.
static void profiler_trusted(void)
{
    enum { N = 100003 };
    int mode, trusted, i;
    for (mode = GPUTUNE_PROFILE_FULLY; mode <= (int)GPUTUNE_PROFILE_SWAP; mode++)
        for (trusted = 0; trusted < 2; trusted++) {
            pool_rig r;
            gputune_pool_desc desc;
            gputune_pool *pool;
            gputune_arg args[3];
            int *x = (int *)calloc(N, sizeof *x), *y = (int *)calloc(N, sizeof *y);
            pool_host(&r);
            pool_add_function(&r, "slow", pool_slow, "64");
            pool_add_function(&r, "wrong", pool_wrong, "64");
            pool_clock(&r);
            desc = pool_in_parts(&r, mode);
            desc.trusted = trusted != 0;
            pool = gputune_pool_create(r.device, &desc);
            args[0] = gputune_in(x, N * sizeof *x);
            args[1] = gputune_inout(y, N * sizeof *y);
            args[2] = arg_int32(N);
            for (i = 0; i < 4; i++) CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_OK);
            CHECK_INT(strstr(r.log, "is passed over") == NULL, trusted);
            CHECK_OR(trusted || y[3] == 4, "y[3] is %d", y[3]);
            CHECK_INT(y[N - 1], 4);
            gputune_pool_destroy(pool);
            free(x);
            free(y);
            pool_end(&r);
        }
}

// One more than what is right: within an absolute tolerance of one it stays.
static void pool_one_more(HOST_KERNEL)
{
    size_t i;
    for (i = range->begin[0]; i < range->end[0]; i++) pool_item(args, i, 1);
}

static void profiler_tolerance(void)
{
    enum { N = 100003 };
    int within, i;
    for (within = 0; within < 2; within++) {
        pool_rig r;
        gputune_pool_desc desc;
        gputune_pool *pool;
        gputune_arg args[3];
        int *x = (int *)calloc(N, sizeof *x), *y = (int *)calloc(N, sizeof *y);
        pool_host(&r);
        pool_add_function(&r, "plain", pool_plain, "64")->tune.absolute_tolerance = within;
        pool_add_function(&r, "more", pool_one_more, "64");
        pool_clock(&r);
        memset(&desc, 0, sizeof desc);
        desc.kernels = r.kernels;
        desc.units = "n";
        pool = gputune_pool_create(r.device, &desc);
        args[0] = gputune_in(x, N * sizeof *x);
        args[1] = gputune_inout(y, N * sizeof *y);
        args[2] = arg_int32(N);
        for (i = 0; i < 3; i++) CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_OK);
        CHECK_INT(strstr(r.log, "is passed over") == NULL, within);
        CHECK_INT(gputune_pool_outcome(pool)->winner, within);
        gputune_pool_destroy(pool);
        free(x);
        free(y);
        pool_end(&r);
    }
}

// Wrong in the middle, where neither end shows it: whole launches do, whoever they are between.
static void pool_middle(HOST_KERNEL)
{
    size_t i, n = (size_t)*(const int *)args[2];
    for (i = range->begin[0]; i < range->end[0]; i++) pool_item(args, i, i == n / 2);
}

static void profiler_middle(void)
{
    enum { N = 100003 };
    int *x = (int *)calloc(N, sizeof *x), *y = (int *)calloc(N, sizeof *y), online, k, turn;
    bool caught = false;
    const gputune_pool_report *o;
    pool_rig r;
    gputune_pool_desc desc;
    gputune_pool *pool;
    gputune_arg args[3];
    for (turn = 0; turn < 12; turn++) { // chance may say that it is never looked at
        online = turn / 6;
        if (turn == 6) CHECK(caught);
        if (turn % 6 == 0) caught = false;
        if (caught) continue;
        pool_host(&r);
        pool_add_function(&r, "first", pool_plain, "64"); // who is far behind is not compared
        pool_add_function(&r, "plain", pool_plain, "64");
        pool_add_function(&r, "middle", pool_middle, "64");
        memset(&desc, 0, sizeof desc);
        desc.kernels = r.kernels;
        desc.units = "n";
        desc.mode = GPUTUNE_PROFILE_FULLY;
        desc.part = 34000; // too many for a profile, and the middle is in none of those compared
        desc.ceiling = 1000;
        desc.when = online ? GPUTUNE_PROFILE_ONLINE : GPUTUNE_PROFILE_FIRST;
        pool = gputune_pool_create(r.device, &desc);
        args[0] = gputune_in(x, N * sizeof *x);
        args[1] = gputune_inout(y, N * sizeof *y);
        args[2] = arg_int32(N);
        memset(y, 0, N * sizeof *y);
        CHECK_INT(gputune_pool_prepare(pool, args, 3), GPUTUNE_OK);
        for (k = 0; k < 20; k++)
            CHECK_INT(gputune_pool_run(pool, args, 3), GPUTUNE_OK);
        o = gputune_pool_outcome(pool);
        CHECK_INT(o->variants[0].result, GPUTUNE_OK);
        CHECK_INT(o->variants[1].result, GPUTUNE_OK);
        caught = o->variants[2].result == GPUTUNE_ERROR_WRONG_OUTPUT;
        CHECK_INT(y[N / 2], k);
        gputune_pool_destroy(pool);
        pool_end(&r);
    }
    CHECK(caught);
    free(x);
    free(y);
}

#ifndef _WIN32
static void *profiler_thread(void *user)
{
    pool_rig r;
    gputune_pool_desc desc;
    int i;
    (void)user;
    pool_functions(&r);
    memset(&desc, 0, sizeof desc);
    desc.kernels = r.kernels;
    desc.units = "n";
    desc.mode = GPUTUNE_PROFILE_FULLY;
    desc.when = GPUTUNE_PROFILE_ALWAYS;
    for (i = 0; i < 5; i++) pool_launches(&r, &desc, 50000 + i, 3, "two threads");
    pool_end(&r);
    return NULL;
}

static void profiler_two_threads(void)
{
    pthread_t thread;
    CHECK_INT(pthread_create(&thread, NULL, profiler_thread, NULL), 0);
    profiler_thread(NULL);
    pthread_join(thread, NULL);
}
#endif

// --- replayed kernels ---

// How fast each variant is: seconds of one unit, of a launch; where on the grid; what goes wrong.
typedef struct pool_model {
    double unit[4], floor;
    double second_half[4]; // on the second half of the grid; 0: as on the first
    gputune_result fails[4];
    gputune_result compile[4];
    int after;             // launches that go well before
    int launches;
    double scale;          // of all times
    double units_of_group;
} pool_model;

static void pool_replay(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    pool_model *m = (pool_model *)user;
    int v = (int)gputune_config_int(config, "V");
    const gputune_grid *grid;
    double items = trial->items, per = m->unit[v];
    trial->compile_seconds = 1e-3;
    if (!test_launch(trial)) {
        trial->result = m->compile[v];
        return;
    }
    grid = test_launch(trial)->grid;
    if (grid && m->second_half[v] > 0 && 2 * grid->begin[0] >= grid->size[0] / grid->local[0])
        per = m->second_half[v];
    trial->seconds = m->floor + items * per;
    if (!grid && m->second_half[v] > 0)
        trial->seconds = m->floor + items / 2 * (m->unit[v] + m->second_half[v]);
    if (m->scale > 0) trial->seconds *= m->scale;
    if (m->fails[v] && m->launches++ >= m->after) trial->result = m->fails[v];
}

static void pool_on_replay(pool_rig *r, pool_model *model, const char *store, double noise,
                           int variants)
{
    static const char *const names[] = { "V=0", "V=1", "V=2", "V=3" };
    gputune_replay_desc desc;
    static const gputune_param params[] = { { "V", "set 0,1,2,3", "0" }, { NULL, NULL, NULL } };
    int i;
    memset(&desc, 0, sizeof desc);
    desc.options = pool_options(r, store);
    desc.trial = pool_replay;
    desc.user = model;
    desc.noise = noise;
    desc.seed = 7;
    desc.limits.is_gpu = 1;
    r->device = rig_replay(&desc, 5e-6, false);
    for (i = 0; i < variants; i++) {
        r->kernels[i].name = "job";
        r->kernels[i].params = params;
        r->kernels[i].signature = "uchar *y, uchar *z, int n";
        r->kernels[i].global = "n";
        r->kernels[i].local = "64";
        r->kernels[i].config = names[i];
    }
}

typedef struct pool_data {
    int n;
    unsigned char *y, *z;
    gputune_arg args[3];
} pool_data;

static void pool_data_make(pool_data *d, int n)
{
    d->n = n;
    d->y = (unsigned char *)malloc((size_t)n);
    d->z = (unsigned char *)malloc((size_t)n);
    memset(d->y, 1, (size_t)n);
    memset(d->z, 2, (size_t)n);
    d->args[0] = gputune_out(d->y, (size_t)n);
    d->args[1] = gputune_inout(d->z, (size_t)n);
    d->args[2] = arg_int32(n);
}

static void pool_data_free(pool_data *d)
{
    free(d->y);
    free(d->z);
}

// What a replayed launch writes (every eighth byte of what is read flips its lowest bit),
// `launches` times: nothing left out, nothing twice.
static void pool_data_check(const pool_data *d, int launches, const char *what)
{
    unsigned char flipped[64];
    int i;
    CHECK(d->n > 0);
    for (i = 0; i < 64; i++) flipped[i] = i % 8 == 0 && launches % 2 ? 3 : 2;
    for (i = 0; i + 64 <= d->n; i += 64) // by blocks, up to one that is wrong
        if (memcmp(d->y + i, rig_bytes, 64) != 0 || memcmp(d->z + i, flipped, 64) != 0) break;
    for (; i < d->n; i++) {
        int y = (i * 31 + 7) & 0x3f, z = flipped[i % 64];
        if (d->y[i] == y && d->z[i] == z) continue;
        TEST_FAIL("%s: byte %d of %d is %d and %d, expected %d and %d", what, i, d->n, d->y[i],
                  d->z[i], y, z);
        return;
    }
}

static const gputune_pool_report *pool_replayed(gputune_pool *pool, pool_data *d,
                                                 gputune_profile_when when)
{
    CHECK_OR(pool_run_when(pool, d->args, 3, when) == GPUTUNE_OK, "%s",
             gputune_pool_error(pool)->text);
    return gputune_pool_outcome(pool);
}

// The right one wins in every mode, under noise, whoever begins; twice the same gives the same.
static void profiler_replay_modes(void)
{
    int mode, flow, begin, again;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
        for (flow = 0; flow < 2; flow++)
            for (begin = 0; begin < 4; begin++) {
                gputune_pool_report first, second;
                char text[512] = "";
                memset(&first, 0, sizeof first);
                memset(&second, 0, sizeof second);
                for (again = 0; again < 2; again++) {
                    pool_model model = { { 150e-9, 50e-9, 58e-9, 1e-6 }, 4e-6, { 0 }, { 0 },
                                         { 0 },  0, 0, 0, 0 };
                    static const char *const names[] = { "job V=0", "job V=1", "job V=2",
                                                         "job V=3" };
                    gputune_pool_desc desc;
                    gputune_pool *pool;
                    pool_data data;
                    pool_rig r;
                    pool_on_replay(&r, &model, "", 0.01, 4);
                    pool_data_make(&data, 1000003);
                    memset(&desc, 0, sizeof desc);
                    desc.kernels = r.kernels;
                    desc.units = "n";
                    desc.mode = (gputune_profile_mode)mode;
                    desc.synchronous = !flow;
                    pool_begins(r.kernels, (size_t)begin);
                    pool = gputune_pool_create(r.device, &desc);
                    second = *pool_replayed(pool, &data, GPUTUNE_PROFILE_FIRST);
                    CHECK_OR(second.profiled, "%s", second.text);
                    CHECK_INT(second.winner, begin != 1);
                    CHECK_INT(second.mode, mode);
                    pool_data_check(&data, 1, names[begin]);
                    if (again) CHECK_NEAR(second.cost, first.cost, 0);
                    if (again) CHECK_TEXT(second.text, text);
                    snprintf(text, sizeof text, "%s", second.text);
                    first = second;
                    pool_replayed(pool, &data, GPUTUNE_PROFILE_FIRST);
                    CHECK(!gputune_pool_outcome(pool)->profiled);
                    CHECK_INT(gputune_pool_outcome(pool)->origin, GPUTUNE_FROM_TUNING);
                    pool_data_check(&data, 2, "again");
                    gputune_pool_destroy(pool);
                    pool_data_free(&data);
                    pool_end(&r);
                }
            }
}

// What goes wrong with a variant while it is compared or profiled, in the first launch or in one
// that profiles anew: the output is right, it is quarantined with its reason, the others go on,
// also those that a far better one had left behind.
static void profiler_failures(void)
{
    static const gputune_result fails[] = { GPUTUNE_ERROR_LAUNCH, GPUTUNE_ERROR_RESOURCES,
                                            GPUTUNE_ERROR_WRONG_OUTPUT,
                                            GPUTUNE_ERROR_OUT_OF_BOUNDS };
    size_t f;
    int mode, run, after, k, passed_over = 0;
    for (f = 0; f < sizeof fails / sizeof *fails; f++)
        for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
            for (run = 0; run < 9; run++)
                for (after = 0; after < 40; after++) {
                    const int who = run % 3, lone = run / 3; // one is far better than all others
                    pool_model model = { { 1.5e-6, 500e-9, 550e-9, 10e-6 }, 4e-6, { 0 }, { 0 },
                                         { 0 }, 0, 0, 0, 0 };
                    gputune_pool_desc desc;
                    gputune_pool *pool;
                    gputune_result result = GPUTUNE_OK;
                    pool_data data;
                    pool_rig r;
                    char what[96];
                    const bool refused = fails[f] == GPUTUNE_ERROR_LAUNCH ||
                                         fails[f] == GPUTUNE_ERROR_RESOURCES;
                    // Wrong output shows where it is compared: of the best one in the first launch,
                    // of one that is close to it before it does a whole launch, of others never.
                    // Writes beside the buffer show as long as it is in a sandbox.
                    const bool late = fails[f] == GPUTUNE_ERROR_WRONG_OUTPUT && who == 2;
                    const bool beside = fails[f] == GPUTUNE_ERROR_OUT_OF_BOUNDS &&
                                        who == 2 - lone && mode != (int)GPUTUNE_PROFILE_FULLY &&
                                        after < 5 - lone; // then it is left alone
                    if (!refused && after > 3 && !beside) continue;
                    // Each launch of a variant fails in one run at least, the first few in all.
                    if (after > 5 && (after + run) % 5) continue;
                    if ((who == 0 && !refused) || (late && lone)) continue;
                    if (lone) model.unit[2] = 2e-6;
                    model.fails[who] = fails[f];
                    model.after = after;
                    snprintf(what, sizeof what, "%s of %d after %d in mode %d",
                             gputune_result_name(fails[f]), who, after, mode);
                    pool_on_replay(&r, &model, "", 0, 4);
                    r.device->driver.usage = NULL; // which asks the model, too
                    pool_data_make(&data, 100003);
                    memset(&desc, 0, sizeof desc);
                    desc.kernels = r.kernels;
                    desc.units = "n";
                    desc.mode = (gputune_profile_mode)mode;
                    pool = gputune_pool_create(r.device, &desc);
                    for (k = 1; k < 13 && !result; k++) {
                        const gputune_variant_report *v;
                        result = gputune_pool_run(pool, data.args, 3);
                        CHECK_OR(!result, "%s: %s", what, gputune_pool_error(pool)->text);
                        if (result) break;
                        pool_data_check(&data, k, what);
                        v = &gputune_pool_outcome(pool)->variants[who];
                        if (late && k < 3 && !v->result) continue;
                        CHECK_OR(v->result == (model.launches > after ? fails[f] : GPUTUNE_OK),
                                 "%s: launch %d: %s", what, k, gputune_result_name(v->result));
                        if (v->result) {
                            CHECK(*v->reason);
                            CHECK_HAS(r.log, "is passed over");
                            passed_over++;
                            break;
                        }
                        gputune_pool_forget(pool);
                    }
                    gputune_pool_destroy(pool);
                    pool_data_free(&data);
                    pool_end(&r);
                }
    CHECK_OR(passed_over > 300, "%d passed over", passed_over);
}

// A clock that now and then, or always, gives no time for a part: it is done once, nobody is
// passed over, and who wins without it wins in the end.
static gputune_result (*pool_poll)(void *self, void *ticket, double patience, bool *done,
                                   gputune_span *span, gputune_error *error);
static int pool_polled_times, pool_no_times[2];

static gputune_result pool_poll_no_time(void *self, void *ticket, double patience, bool *done,
                                        gputune_span *span, gputune_error *error)
{
    gputune_result result = pool_poll(self, ticket, patience, done, span, error);
    if (*done && pool_polled_times >= pool_no_times[0] && pool_polled_times < pool_no_times[1])
        span->end = span->begin;
    pool_polled_times += *done;
    return result;
}

// Of four variants on n values, whose polls go through `poll`.
static gputune_pool *pool_polled(pool_rig *r, pool_model *model, pool_data *data, int n, int mode,
                                 gputune_result (*poll)(void *, void *, double, bool *,
                                                        gputune_span *, gputune_error *))
{
    gputune_pool_desc desc;
    pool_on_replay(r, model, "", 0, 4);
    pool_poll = r->device->driver.poll;
    r->device->driver.poll = poll;
    pool_polled_times = 0;
    pool_data_make(data, n);
    memset(&desc, 0, sizeof desc);
    desc.kernels = r->kernels;
    desc.units = "n";
    desc.mode = (gputune_profile_mode)mode;
    return gputune_pool_create(r->device, &desc);
}

static void profiler_no_time(void)
{
    int mode, at, k, i;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
        for (at = 0; at < 21; at++) {
            pool_model model = { { 150e-9, 50e-9, 51e-9, 1e-6 }, 4e-6, { 0 }, { 0 }, { 0 },
                                 0, 0, 0, 0 };
            pool_data data;
            pool_rig r;
            gputune_pool *pool = pool_polled(&r, &model, &data, 1000003, mode, pool_poll_no_time);
            char what[64];
            snprintf(what, sizeof what, "no time at %d in mode %d", at, mode);
            pool_no_times[0] = at % 20;
            pool_no_times[1] = at < 20 ? at + 1 : 1 << 30;
            for (k = 1; k < 4; k++) {
                const gputune_pool_report *o = pool_replayed(
                    pool, &data, mode < 3 ? GPUTUNE_PROFILE_FIRST : GPUTUNE_PROFILE_ALWAYS);
                pool_data_check(&data, k, what);
                for (i = 0; i < 4; i++)
                    CHECK_OR(!o->variants[i].result, "%s: %s", what, o->variants[i].reason);
                if (at < 20) CHECK_OR(o->winner == 1, "%s: %s", what, o->text);
            }
            CHECK_OR(pool_polled_times > 11, "%s: %d polls", what, pool_polled_times);
            gputune_pool_destroy(pool);
            pool_data_free(&data);
            pool_end(&r);
        }
}

// A part that fails while it runs, which the launch is told of when it asks for it. What is only
// written is done again; where it reads what it writes, the launch ends with an error, or it was
// aside. The next launches are right, and without it.
static int pool_fails_at;

static gputune_result pool_poll_fails(void *self, void *ticket, double patience, bool *done,
                                      gputune_span *span, gputune_error *error)
{
    gputune_result result = pool_poll(self, ticket, patience, done, span, error);
    if (*done && pool_polled_times++ == pool_fails_at)
        return gputune_error_set(error, GPUTUNE_ERROR_LAUNCH, "it stumbled");
    return result;
}

static gputune_result pool_no_room(void *self, size_t bytes, size_t guard, gputune_memory *memory,
                                   gputune_error *error)
{
    (void)self, (void)guard, (void)memory;
    return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES, "a buffer of %zu bytes", bytes);
}

static void profiler_stumbles(void)
{
    int mode, run, at, k, i, out, ended[2][2], twice = 0, crowded = 0, went_on = 0;
    memset(ended, 0, sizeof ended);
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
        for (run = 0; run < 9; run++)
            for (at = 0; at < 20; at++) {
                const int inout = run % 2 || run > 4, small = run / 2 > 0; // for turns
                const bool same = run == 4; // the input is the output
                const bool full = run > 4; // no room for another problem's sandboxes in between
                pool_model model = { { 1.5e-6, 500e-9, 550e-9, 10e-6 }, 4e-6, { 0 }, { 0 }, { 0 },
                                     0, 0, 0, 0 };
                gputune_pool *pool;
                pool_data data, other;
                gputune_result (*room)(void *, size_t, size_t, gputune_memory *, gputune_error *);
                pool_rig r;
                int done = 0;
                char what[64];
                snprintf(what, sizeof what, "poll %d in mode %d, run %d", at, mode, run);
                pool_fails_at = at;
                pool = pool_polled(&r, &model, &data, small ? 2003 : 100003, mode,
                                   pool_poll_fails);
                if (!inout) data.args[1] = gputune_in(same ? data.y : data.z, (size_t)data.n);
                pool_data_make(&other, 100003);
                room = r.device->driver.allocate;
                for (k = 0; k < 8; k++) {
                    const bool before = pool_polled_times > at;
                    const gputune_pool_report *o = gputune_pool_outcome(pool);
                    if (full && k == run - 4) {
                        r.device->driver.allocate = pool_no_room;
                        CHECK_INT(gputune_pool_run(pool, other.args, 3), GPUTUNE_OK);
                        r.device->driver.allocate = room;
                    }
                    if (gputune_pool_run(pool, data.args, 3)) {
                        CHECK_OR(!before && (inout || same || mode == (int)GPUTUNE_PROFILE_SWAP),
                                 "%s: %s", what, gputune_pool_error(pool)->text);
                        twice += same && mode != (int)GPUTUNE_PROFILE_SWAP;
                        crowded += full && k >= run - 4;
                        CHECK_HAS(gputune_pool_error(pool)->text, "cannot be done again");
                        ended[small][inout]++;
                        memset(data.z, 2, (size_t)data.n);
                        done = 0;
                        continue;
                    }
                    done += inout;
                    pool_data_check(&data, done, what);
                    went_on += !before && pool_polled_times > at;
                    for (i = out = 0; i < 4; i++) out += o->variants[i].result != GPUTUNE_OK;
                    CHECK_OR(out == (pool_polled_times > at), "%s: %d are out", what, out);
                }
                gputune_pool_destroy(pool);
                pool_data_free(&data);
                pool_data_free(&other);
                pool_end(&r);
            }
    CHECK_OR(ended[0][0] > 0 && ended[0][1] > 2 && ended[1][0] > 0 && ended[1][1] > 0 &&
                 went_on > 60 && twice > 0 && crowded > 0,
             "%d, %d, %d, %d, %d and %d ended, %d went on", ended[0][0], ended[0][1], ended[1][0],
             ended[1][1], twice, crowded, went_on);
}

// A device that cannot have several launches under way at once: the first kernel does it all.
static void profiler_plain_replay(void)
{
    static const gputune_param params[] = { { "V", "range 0,1", "0" }, { NULL, NULL, NULL } };
    gputune_replay_desc replay;
    gputune_kernel_desc kernels[3];
    gputune_pool_desc desc;
    gputune_device *device;
    gputune_pool *pool;
    pool_data data;
    int i;
    memset(&replay, 0, sizeof replay);
    memset(kernels, 0, sizeof kernels);
    memset(&desc, 0, sizeof desc);
    replay.options.store = "";
    replay.trial = tune_flat;
    device = gputune_replay_device_create(&replay);
    for (i = 0; i < 2; i++) {
        kernels[i].name = "job";
        kernels[i].params = params;
        kernels[i].signature = "uchar *y, uchar *z, int n";
        kernels[i].global = "n";
        kernels[i].local = "64";
        kernels[i].config = i ? "V=1" : "V=0";
    }
    desc.kernels = kernels;
    desc.units = "n";
    pool = gputune_pool_create(device, &desc);
    pool_data_make(&data, 100003);
    CHECK_INT(gputune_pool_run(pool, data.args, 3), GPUTUNE_OK);
    CHECK(!gputune_pool_outcome(pool)->profiled);
    CHECK_INT(gputune_pool_outcome(pool)->winner, 0);
    CHECK_HAS(gputune_pool_outcome(pool)->text, "the replay driver cannot tell parts' times");
    pool_data_check(&data, 1, "plain replay");
    pool_data_free(&data);
    gputune_pool_destroy(pool);
    gputune_device_destroy(device);
}

static const test_case profiler_cases[] = {
    { "plain_replay", profiler_plain_replay },
    { "safe points", profiler_safe_points },
    { "host: modes, flows, sizes", profiler_host_modes },
    { "mistakes", profiler_mistakes },
    { "shapes", profiler_shapes },
    { "sandboxes", profiler_sandboxes },
    { "poisoned", profiler_poisoned },
    { "rows", profiler_rows },
    { "untimed", profiler_untimed },
    { "ends", profiler_ends },
    { "first_block", profiler_first_block },
    { "middle", profiler_middle },
    { "trusted", profiler_trusted },
    { "tolerance", profiler_tolerance },
#ifndef _WIN32
    { "two threads", profiler_two_threads },
#endif
    { "replay: modes, flows, who begins", profiler_replay_modes },
    { "failures", profiler_failures },
    { "stumbles", profiler_stumbles },
    { "no_time", profiler_no_time },
    { NULL, NULL },
};
