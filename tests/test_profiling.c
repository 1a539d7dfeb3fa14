// [pool]: what pools promise: store and journal, launch by launch, mistakes of the
// world. On the replay device, whose clock is virtual, and with C functions.
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

// --- a job on the replay device ---

enum { PROFILING_MOST = 70 };

// How its variants behave.
typedef struct profiling_world {
    double unit[PROFILING_MOST], floor; // seconds of a work-item, of a launch
    int late;           // another variant's share of work-items: see profiling_place
    gputune_result bad; // what happens to the bad one
    int bad_one;
    int bad_after;      // launches of it that go well before
    double bad_seconds; // and how long it takes then, if > 0
    bool bad_kills;     // or the process ends
    bool bad_whole;     // launches of the whole go well
    int launches[PROFILING_MOST], bad_launches;
    double compile_seconds;
    double (*place)(int variant, double where); // of the unit's time, by place on the grid
    bool translates; // side by side, as CUDA does
} profiling_world;

typedef struct profiling_rig {
    profiling_world *world;
    pool_rig base;
    pool_data data;
    gputune_replay_desc desc;
    gputune_kernel_desc kernels[PROFILING_MOST + 1];
    gputune_arg args[4];
    char configs[PROFILING_MOST][16];
    int n;        // work-items; the buffers are smaller
    int launches; // of the job, so far
} profiling_rig;

// The mean of place over the launch's groups.
static double profiling_place(const profiling_world *w, int v, const gputune_grid *grid)
{
    double sum = 0, groups;
    uint64_t i, begin = 0, end = 1000, all = 1000;
    if (!w->place) return 1;
    if (grid) {
        all = (grid->size[0] + grid->local[0] - 1) / grid->local[0];
        begin = grid->begin[0];
        end = grid->end[0] < all ? grid->end[0] : all;
    }
    groups = (double)(end - begin);
    for (i = begin; i < end; i++) sum += w->place(v, ((double)i + 0.5) / (double)all);
    return groups > 0 ? sum / groups : 1;
}

static void profiling_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    profiling_world *w = (profiling_world *)user;
    int v = (int)gputune_config_int(config, "V");
    trial->compile_seconds = w->compile_seconds;
    if (!test_launch(trial)) return;
    trial->seconds =
        w->floor + trial->items * w->unit[v] * profiling_place(w, v, test_launch(trial)->grid);
    w->launches[v]++;
    if (v != w->bad_one || (w->bad_whole && !test_launch(trial)->grid)) return;
    if (w->bad_launches++ < w->bad_after) return;
    if (w->bad_kills) _exit(77);
    trial->result = w->bad;
    if (w->bad_seconds > 0) trial->seconds = w->bad_seconds;
}

static void profiling_world_make(profiling_world *w, double first, double second, double third,
                                 double fourth)
{
    memset(w, 0, sizeof *w);
    w->unit[0] = first;
    w->unit[1] = second;
    w->unit[2] = third;
    w->unit[3] = fourth;
    w->floor = 4e-6;
    w->bad_one = -1;
    w->compile_seconds = 1e-3;
}

// A device, and a kernel with as many configurations as there are variants.
static void profiling_open(profiling_rig *r, profiling_world *world, const char *store,
                           gputune_mode mode, int variants, int n)
{
    static const gputune_param params[] = { { "V", "range 0,69", "0" }, { NULL, NULL, NULL } };
    int i;
    memset(r, 0, sizeof *r);
    r->world = world;
    r->desc.options = pool_options(&r->base, store);
    r->desc.options.mode = mode;
    r->desc.trial = profiling_trial;
    r->desc.user = world;
    r->desc.limits.is_gpu = 1;
    r->base.device = rig_replay(&r->desc, 5e-6, world->translates);
    for (i = 0; i < variants; i++) {
        snprintf(r->configs[i], sizeof r->configs[i], "V=%d", i);
        r->kernels[i].name = "job";
        r->kernels[i].params = params;
        r->kernels[i].signature = "uchar *y, uchar *z, int n";
        r->kernels[i].tune.classes = "n"; // the rigs lie at other addresses
        r->kernels[i].global = "n";
        r->kernels[i].local = "64";
        r->kernels[i].config = r->kernels[i].title = r->configs[i];
    }
    r->n = n;
    pool_data_make(&r->data, 4099);
    r->data.args[2] = arg_int32(n);
}

static void profiling_close(profiling_rig *r)
{
    pool_data_free(&r->data);
    pool_end(&r->base);
}

static gputune_pool *profiling_pool(profiling_rig *r, const char *name, gputune_profile_mode mode)
{
    gputune_pool_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = name;
    desc.kernels = r->kernels;
    desc.units = "n";
    desc.mode = mode;
    return gputune_pool_create(r->base.device, &desc);
}

// The virtual clock when all is done.
static double profiling_now(profiling_rig *r)
{
    gputune_error error;
    r->base.device->driver.wait(r->base.device->self, &error);
    return gt__device_now(r->base.device);
}

// Launches it so many times; together they must do all the work as often. The program looks at the
// output now and then, so that the host is not far ahead of the device.
static const char *profiling_winner(const gputune_pool *pool)
{
    const gputune_pool_report *o = gputune_pool_outcome(pool);
    return o->variants[o->winner].name;
}

static const gputune_pool_report *profiling_run(profiling_rig *r, gputune_pool *pool,
                                                gputune_profile_when when, int launches)
{
    int i;
    for (i = 0; i < launches; i++) {
        gputune_result result = pool_run_when(pool, r->data.args, 3, when);
        r->launches++;
        if (i % 16 == 15) profiling_now(r);
        if (result != GPUTUNE_OK) {
            TEST_FAIL("launch %d: %s", r->launches, gputune_pool_error(pool)->text);
            break;
        }
    }
    pool_data_check(&r->data, r->launches, gputune_pool_outcome(pool)->text);
    return gputune_pool_outcome(pool);
}

static double profiling_whole(const profiling_rig *r, int variant)
{
    const profiling_world *w = r->world;
    double items = (double)((r->n + 63) / 64 * 64);
    return w->floor + items * w->unit[variant] * profiling_place(w, variant, NULL);
}

// --- launch by launch ---

// Thousands of launches never take longer than the ceiling allows; the best is found and stays.
static void profiling_online_ceiling(void)
{
    static const double ceilings[] = { 0.01, 0.05, 0.2 };
    size_t c;
    int mode;
    for (c = 0; c < sizeof ceilings / sizeof *ceilings; c++)
        for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
            profiling_world world;
            profiling_rig r;
            gputune_pool_desc desc;
            gputune_pool *pool;
            const gputune_pool_report *o;
            double begin;
            int i;
            profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.55e-9);
            profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
            memset(&desc, 0, sizeof desc);
            desc.kernels = r.kernels;
            desc.units = "n";
            desc.mode = (gputune_profile_mode)mode;
            desc.ceiling = ceilings[c];
            pool = gputune_pool_create(r.base.device, &desc);
            begin = profiling_now(&r);
            for (i = 0; i < 60; i++) {
                double most, taken;
                profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 200);
                // What the initial one alone would have taken, compiling it, and two launches.
                most = (1 + ceilings[c]) * r.launches * profiling_whole(&r, 0) +
                       world.compile_seconds + 2 * profiling_whole(&r, 0);
                taken = profiling_now(&r) - begin;
                CHECK_OR(taken <= most, "ceiling %g, mode %d: %d launches took %g s, allowed %g s",
                         ceilings[c], mode, r.launches, taken, most);
            }
            o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 1);
            CHECK_OR(o->winner == 1, "ceiling %g, mode %d: the winner is %d: %s", ceilings[c], mode,
                     o->winner, o->text);
            CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
            CHECK_HAS(o->text, "settled");
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

// Launches of many sizes: those of one bucket share a ranking; another bucket is profiled anew.
static void profiling_online_sizes(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    const gputune_pool_report *o;
    int i;
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 8000);
    CHECK_INT(o->winner, 1);
    for (i = 0; i < 4; i++) {
        r.data.args[2] = arg_int32(i % 2 ? 1000003 : 550000);
        o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 200);
        CHECK_INT(o->winner, 1);
    }
    r.data.args[2] = arg_int32(4000000);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 1);
    CHECK_INT(o->winner, 0);
    CHECK_INT(o->origin, GPUTUNE_FROM_DEFAULT);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 8000);
    CHECK_INT(o->winner, 1);
    CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// Problems of two buckets in turn: what is reported and foreseen is each launch's own.
static void profiling_online_alternating(void)
{
    static const int sizes[] = { 1000003, 4000000 };
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    int i, right = 0;
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
    for (i = 0; i < 16000; i++) {
        const gputune_pool_report *o;
        double whole;
        r.n = sizes[i % 2];
        r.data.args[2] = arg_int32(r.n);
        o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 1);
        whole = profiling_whole(&r, o->winner);
        CHECK_OR(gt__is_nan(o->seconds) ||
                     (o->seconds >= 0.8 * whole && o->seconds <= 1.25 * whole),
                 "launch %d of %d items: %g s instead of %g s", i, r.n, o->seconds, whole);
        right += o->seconds > 0;
        if (i >= 15998) CHECK_INT(o->winner, 1);
    }
    CHECK(right >= 4);
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// Plain launches with the same arguments as the one before: each does its work; another argument, a
// failure and forgetting are seen.
static void profiling_repeated(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    const gputune_pool_report *o;
    int before;
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 40000003);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 5);
    CHECK_INT(o->winner, 1);
    CHECK(!o->profiled);
    before = world.launches[1];
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 3);
    CHECK_INT(world.launches[1], before + 3);
    r.data.args[2] = arg_int32(999);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 2); // another problem
    CHECK(!(o->seconds > 1e-3));
    r.data.args[2] = arg_int32(40000003);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 3);
    CHECK_INT(o->winner, 1);
    gputune_pool_forget(pool);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
    CHECK(o->profiled);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 2);
    CHECK(!o->profiled);
    world.bad_one = 1;
    world.bad = GPUTUNE_ERROR_LAUNCH;
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 2);
    CHECK_INT(o->winner, 3); // found by the second of them
    CHECK_INT(o->variants[1].result, GPUTUNE_ERROR_LAUNCH);
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// What turns out to be too small for parts that say something is looked at in turns, one launch for
// each, and then that is that.
static void profiling_always_small(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    int i;
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 100003);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
    for (i = 0; i < 200; i++) {
        const gputune_pool_report *o = profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 1);
        CHECK_INT(o->profiled, i < 4);
        CHECK_INT(o->winner, 1);
        CHECK_HAS(o->text, !i      ? "8 parts of at most"
                           : i < 4 ? "too small to profile: a turn of"
                                   : "the ranking is settled");
        if (test_failures) break;
    }
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// Work that cannot be cut: each other variant has a turn beside a launch, in which it is compared
// (five launches of the whole in all), those near to the best a second one, which is the program's
// own launch. Then the best does it alone.
static void profiling_turns(void)
{
    int mode;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool *pool;
        double begin, taken, most;
        int i, launches[4];
        profiling_world_make(&world, 100e-9, 50e-9, 400e-9, 55e-9);
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 4000);
        r.base.device->driver.usage = NULL; // which asks the world, too
        pool = profiling_pool(&r, NULL, (gputune_profile_mode)mode);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        begin = profiling_now(&r);
        CHECK_HAS(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->text,
                  "too small to profile: a turn of V=1, 2 left");
        profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 19);
        taken = profiling_now(&r) - begin;
        // 21 of the best, two of each other and one of the first for each comparison, and what 3
        // turns launch beside: 5 us each.
        most = 21 * profiling_whole(&r, 1) + 2 * profiling_whole(&r, 2) +
               2 * profiling_whole(&r, 3) + 5 * profiling_whole(&r, 0) + 50 * 15e-6;
        CHECK_OR(taken <= most, "mode %d: %g s, allowed %g s", mode, taken, most);
        for (i = 0; i < 4; i++) launches[i] = world.launches[i];
        CHECK_INT(launches[2], 4); // prepared, and a turn
        CHECK_INT(launches[3], 5); // and one that is the program's
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 5)->winner, 1);
        CHECK_HAS(gputune_pool_outcome(pool)->text, "the ranking is settled");
        CHECK_INT(world.launches[1], launches[1] + 5);
        for (i = 0; i < 4; i++) CHECK(i == 1 || world.launches[i] == launches[i]);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// A launch with room for parts of some of many variants: the others have theirs in the next ones.
// None takes a third longer than the best alone.
static void profiling_some_at_once(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    double begin, most;
    int i, k, tried, profiled = 0;
    profiling_world_make(&world, 50e-9, 40e-9, 55e-9, 52e-9);
    for (i = 4; i < 16; i++) world.unit[i] = (i == 11 ? 30 : 50 + i) * 1e-9;
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 16, 60000);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
    pool->desc.part = 2500;
    CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
    for (i = 0; i < 20; i++) {
        begin = profiling_now(&r);
        profiled += profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->profiled;
        most = 1.34 * profiling_whole(&r, 0) + 150e-6;
        CHECK_OR(profiling_now(&r) - begin <= most, "launch %d: %g s, allowed %g s", i,
                 profiling_now(&r) - begin, most);
        for (k = tried = 0; k < 16; k++) tried += pool->problem->tried[k] > 0;
        if (!i) CHECK(tried > 2 && tried < 16);
    }
    CHECK_INT(tried, 16);
    CHECK(profiled > 1 && profiled < 9);
    CHECK_INT(gputune_pool_outcome(pool)->winner, 11);
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// The same with sizes that change all the time: what was seen of one serves the others of its
// bucket.
static void profiling_always_sizes(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    int i, k, before;
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 100003);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
    for (i = 0; i < 100; i++) {
        r.data.args[2] = arg_int32(100003 + 97 * (i % 7));
        for (before = k = 0; k < 4; k++) before += world.launches[k];
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 1)->winner, 1);
        for (k = 0; k < 4; k++) before -= world.launches[k];
        if (i >= 50) CHECK_INT(before, -1); // before that each class has its first launches
        if (test_failures) break;
    }
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

static void profiling_pass(void *self, double now)
{
    ((gt__replay *)self)->clock = now;
}

static int profiling_differs[2];    // how often it was asked to get ready, and to compare
static double profiling_differs_at; // when it was asked to get ready

static gputune_result profiling_differ(void *self, const gputune_comparison *c, uint64_t *count,
                                       gputune_error *error)
{
    profiling_differs[c->bytes > 0]++;
    if (!c->bytes) profiling_differs_at = ((gt__replay *)self)->clock;
    *count = 0;
    return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED, "it cannot");
}

// What one compiler takes five seconds for one after the other, threads do in two: the first one
// alone, then the others together, and with them what compares.
static void profiling_side_by_side(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    double begin, taken;
    int threads;
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    world.unit[4] = 2e-9;
    world.compile_seconds = 1;
    for (threads = -1; threads <= 4; threads += 5) {
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 5, 40000003);
        gputune_device_destroy(r.base.device);
        r.desc.options.threads = threads;
        r.base.device = rig_replay(&r.desc, 5e-6, true);
        r.base.device->driver.pass = profiling_pass;
        r.base.device->driver.differ = profiling_differ;
        profiling_differs[0] = profiling_differs[1] = 0;
        pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
        begin = profiling_now(&r);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        taken = profiling_now(&r) - begin;
        CHECK_NEAR(taken, threads > 0 ? 2 : 5, 0.01);
        CHECK_INT(profiling_differs[0], 1);
        CHECK_INT(profiling_differs[1], 0);
        if (threads > 0) CHECK_NEAR(profiling_differs_at - begin, 1, 0.01);
        begin = profiling_now(&r);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        CHECK_NEAR(profiling_now(&r) - begin, 0, 0);
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->winner, 1);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

static int profiling_allocations;

static void *profiling_counted(void *user, void *memory, size_t bytes)
{
    (void)user;
    if (!bytes) {
        free(memory);
        return NULL;
    }
    profiling_allocations += bytes > 40; // texts of kernels, not numbers
    return realloc(memory, bytes);
}

// Where threads compile no launch of ONLINE waits for them: others do it until they have, and those
// launches do not make the texts of who is being compiled again and again.
static void profiling_online_no_compiler(void)
{
    enum { LAUNCHES = 6000 };
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    double begin, took, worst = 0, whole;
    char sources[4][200];
    int i, waited = 0, allocated = 0;
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    world.compile_seconds = 0.25;
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
    gputune_device_destroy(r.base.device);
    r.desc.options.threads = 2;
    r.desc.options.reallocate = profiling_counted;
    r.base.device = rig_replay(&r.desc, 5e-6, true);
    r.base.device->driver.pass = profiling_pass;
    r.base.device->driver.takes_source = true; // parts and wholes have texts of their own
    for (i = 0; i < 4; i++) {
        snprintf(sources[i], sizeof sources[i],
                 "__kernel void %s(__global uchar *y, __global uchar *z, int n) { }",
                 r.kernels[i].name);
        r.kernels[i].source = sources[i];
    }
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
    pool->desc.when = GPUTUNE_PROFILE_ONLINE;
    whole = profiling_whole(&r, 0);
    for (i = 0; i < LAUNCHES; i++) {
        profiling_allocations = 0;
        begin = profiling_now(&r);
        if (pool_run_when(pool, r.data.args, 3, GPUTUNE_PROFILE_ONLINE) != GPUTUNE_OK) break;
        took = profiling_now(&r) - begin;
        if (i && took > worst) worst = took; // the first one compiles the initial variant
        if (!strstr(gputune_pool_outcome(pool)->text, "is being compiled")) continue;
        waited++;
        allocated += profiling_allocations;
    }
    CHECK_INT(i, LAUNCHES);
    CHECK_OR(allocated < 3 * waited, "%d allocations in %d launches", allocated, waited);
    CHECK_OR(worst <= 1.5 * whole, "a launch took %g s, usually it is %g s", worst, whole);
    CHECK_INT(gputune_pool_outcome(pool)->winner, 1);
    CHECK_HAS(gputune_pool_outcome(pool)->text, "settled");
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// With an answer in the store nothing is left to prepare but its compiling.
static void profiling_prepare_known(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    int run, i, launches;
    tune_temp();
    profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
    for (run = 0; run < 2; run++) {
        memset(world.launches, 0, sizeof world.launches);
        profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 40000003);
        pool = profiling_pool(&r, "prepared", GPUTUNE_PROFILE_FULLY);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        for (i = launches = 0; i < 4; i++) launches += world.launches[i];
        CHECK_INT(launches, run ? 0 : 8); // two forms of each, in sandboxes
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->winner, 1);
        CHECK_INT(gputune_pool_outcome(pool)->origin,
                  run ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
    tune_clean();
}

// Two variants of one kernel that take other arguments.
static void profiling_other_arguments(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    gputune_arg args[4];
    int when, i;
    for (when = 0; when <= (int)GPUTUNE_PROFILE_ONLINE; when++) {
        profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 40000003);
        memcpy(args, r.data.args, 3 * sizeof *args);
        args[3] = arg_int32(5);
        for (i = 0; i < 4; i++) {
            r.kernels[i].args = i % 2 ? "0,1,2,3" : "0,1,2";
            if (i % 2) r.kernels[i].signature = "uchar *y, uchar *z, int n, int k";
        }
        pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
        for (i = 0; i < 3; i++)
            CHECK_INT(pool_run_when(pool, args, 4, (gputune_profile_when)when), GPUTUNE_OK);
        pool_data_check(&r.data, 3, "other arguments");
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// Many variants: whatever fits into a round, each item is done once.
static void profiling_crowd(void)
{
    static const int parts[] = { 640, 6400, 25600, 64000 };
    size_t k;
    int mode;
    for (k = 0; k < sizeof parts / sizeof *parts; k++)
        for (mode = 1; mode <= (int)GPUTUNE_PROFILE_HYBRID; mode++) {
            profiling_world world;
            profiling_rig r;
            gputune_pool_desc desc;
            gputune_pool *pool;
            profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
            profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 16, 1 << 22);
            memset(&desc, 0, sizeof desc);
            desc.kernels = r.kernels;
            desc.units = "n";
            desc.mode = (gputune_profile_mode)mode;
            desc.part = parts[k];
            pool = gputune_pool_create(r.base.device, &desc);
            profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
            CHECK(gputune_pool_outcome(pool)->profiled);
            profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 2);
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

// --- store ---

// One run of a program on the common store: a new device, a pool, one launch. What the launch did,
// without texts. factor: of the second variant; driver: the device's version.
typedef struct profiling_once {
    gputune_mode mode;
    gputune_profile_when when;
    int variants, n;
    const char *name, *factor, *driver;
    gputune_result result; // expected
    gputune_profile_mode how;
    double time_limit, hang_limit;
    char error[1536], log[8192], reason[4][256];
    gputune_result results[4];
} profiling_once;

static gputune_pool_report profiling_once_more(profiling_once *once, profiling_world *world)
{
    profiling_rig r;
    gputune_pool_report o;
    gputune_pool_desc desc;
    gputune_pool *pool;
    gputune_result result;
    int i;
    memset(world->launches, 0, sizeof world->launches);
    profiling_open(&r, world, tune_store, once->mode, once->variants ? once->variants : 4,
                   once->n ? once->n : 1000003);
    if (once->driver)
        snprintf(r.base.device->limits.driver, sizeof r.base.device->limits.driver, "%s",
                 once->driver);
    r.base.device->driver.usage = NULL; // which asks the world, too
    r.kernels[1].group_units = once->factor;
    memset(&desc, 0, sizeof desc);
    desc.name = once->name;
    desc.kernels = r.kernels;
    desc.units = "n";
    desc.mode = once->how ? once->how : GPUTUNE_PROFILE_FULLY;
    r.kernels[0].tune.time_limit = once->time_limit;
    r.kernels[0].tune.hang_limit = once->hang_limit;
    desc.when = once->when;
    pool = gputune_pool_create(r.base.device, &desc);
    result = gputune_pool_run(pool, r.data.args, 3);
    snprintf(once->error, sizeof once->error, "%s", gputune_pool_error(pool)->text);
    CHECK_OR(result == once->result, "%s instead of %s: %s", gputune_result_name(result),
             gputune_result_name(once->result), once->error);
    if (result == GPUTUNE_OK) pool_data_check(&r.data, 1, gputune_pool_outcome(pool)->text);
    o = *gputune_pool_outcome(pool);
    for (i = 0; o.variants[i].name && i < 4; i++) {
        once->results[i] = o.variants[i].result;
        snprintf(once->reason[i], sizeof once->reason[i], "%s", o.variants[i].reason);
    }
    o.text = NULL;
    o.variants = NULL;
    gputune_pool_destroy(pool);
    snprintf(once->log, sizeof once->log, "%s", r.base.log);
    profiling_close(&r);
    return o;
}

static const profiling_once profiling_named = { GPUTUNE_MODE_DEFAULT,
                                                GPUTUNE_PROFILE_FIRST,
                                                0,
                                                0,
                                                "a pool",
                                                NULL,
                                                NULL,
                                                GPUTUNE_OK,
                                                GPUTUNE_PROFILE_AUTO,
                                                0,
                                                0,
                                                "",
                                                "",
                                                { "", "", "", "" },
                                                { GPUTUNE_OK, GPUTUNE_OK, GPUTUNE_OK,
                                                  GPUTUNE_OK } };

// Does the store hold the text?
static bool profiling_stored(const char *what)
{
    char *text = (char *)calloc(1, 1 << 16);
    FILE *file = fopen(tune_store, "rb");
    bool found;
    if (file) CHECK(fread(text, 1, (1 << 16) - 1, file) > 0);
    if (file) fclose(file);
    found = strstr(text, what) != NULL;
    free(text);
    return found;
}

// A second run knows the winner; one with anything else does not.
static void profiling_store(void)
{
    profiling_world world;
    profiling_once once;
    gputune_pool_report o;
    int i;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    once = profiling_named;
    o = profiling_once_more(&once, &world);
    CHECK(o.profiled);
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(o.winner, 1);
    for (i = 0; i < (int)GPUTUNE_PROFILE_MODE_COUNT; i++) { // however it is to be profiled
        once.how = (gputune_profile_mode)i;
        o = profiling_once_more(&once, &world);
        CHECK(!o.profiled);
        CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
        CHECK_INT(o.winner, 1);
        CHECK_INT(world.launches[0] + world.launches[2] + world.launches[3], 0);
        CHECK_INT(world.launches[1], 1);
    }
    for (i = 0; i < 6; i++) {
        once = profiling_named;
        if (i == 0) once.variants = 3;
        if (i == 1) once.factor = "64 + 0";
        if (i == 2) once.driver = "2";
        if (i == 3) once.n = 8000000;
        if (i == 4) once.name = "another pool";
        if (i == 5) once.mode = GPUTUNE_MODE_FORCE;
        o = profiling_once_more(&once, &world);
        CHECK_OR(o.profiled && o.origin == GPUTUNE_FROM_TUNING && o.winner == 1,
                 "change %d: winner %d, origin %d", i, o.winner, (int)o.origin);
    }
    once = profiling_named; // all of it is in the store, beside the rest
    CHECK_INT(profiling_once_more(&once, &world).origin, GPUTUNE_FROM_STORE);
    tune_clean();
}

static void profiling_store_modes(void)
{
    profiling_world world;
    profiling_once once;
    gputune_pool_report o;
    FILE *file;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    once = profiling_named; // nothing is known: the initial one, and nothing is written
    once.mode = GPUTUNE_MODE_READONLY;
    o = profiling_once_more(&once, &world);
    CHECK(!o.profiled);
    CHECK_INT(o.winner, 0);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_INT(world.launches[0], 1);
    CHECK_INT(world.launches[1], 0);
    once.mode = GPUTUNE_MODE_DEFAULT;
    once.name = NULL; // nor by a pool without a name
    CHECK(profiling_once_more(&once, &world).profiled);
    CHECK(profiling_once_more(&once, &world).profiled);
    file = fopen(tune_store, "rb");
    CHECK(file == NULL);
    if (file) fclose(file);
    once = profiling_named;
    CHECK(profiling_once_more(&once, &world).profiled);
    once.mode = GPUTUNE_MODE_READONLY;
    o = profiling_once_more(&once, &world);
    CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
    CHECK_INT(o.winner, 1);
    once.mode = GPUTUNE_MODE_OFF;
    o = profiling_once_more(&once, &world);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_INT(o.winner, 0);
    CHECK(!o.profiled);
    world.unit[3] = 20e-9; // force finds what is true now, and saves it
    once.mode = GPUTUNE_MODE_FORCE;
    o = profiling_once_more(&once, &world);
    CHECK(o.profiled);
    CHECK_INT(o.winner, 3);
    once = profiling_named;
    o = profiling_once_more(&once, &world);
    CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
    CHECK_INT(o.winner, 3);
    tune_clean();
}

// Preparing says nothing to the store, and does not profile where that is switched off.
static void profiling_prepare_modes(void)
{
    static const gputune_mode modes[] = { GPUTUNE_MODE_OFF, GPUTUNE_MODE_READONLY };
    size_t m;
    for (m = 0; m < 2; m++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool *pool;
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        profiling_open(&r, &world, "", modes[m], 4, 1000003);
        pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_FULLY);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        CHECK_INT(world.launches[0] + world.launches[1] + world.launches[2], 0);
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 3)->winner, 0);
        CHECK_TEXT(gputune_pool_outcome(pool)->text, "V=0: the initial one");
        CHECK_INT(world.launches[0], 3);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// Whatever happens to the store's bytes: profiled anew, or known; never anything else.
static void profiling_store_damaged(void)
{
    profiling_world world;
    profiling_once once;
    gputune_pool_report o;
    static char text[65536];
    size_t size, i;
    FILE *file;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    once = profiling_named;
    profiling_once_more(&once, &world);
    file = fopen(tune_store, "rb");
    size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file) fclose(file);
    CHECK(size > 50);
    for (i = 0; i < size; i += 7) {
        text[i] ^= 1;
        file = fopen(tune_store, "wb");
        CHECK(file && fwrite(text, 1, i % 2 ? size : i, file) == (i % 2 ? size : i));
        if (file) fclose(file);
        text[i] ^= 1;
        o = profiling_once_more(&once, &world);
        CHECK_INT(o.winner, 1);
        CHECK(o.profiled ? o.origin == GPUTUNE_FROM_TUNING : o.origin == GPUTUNE_FROM_STORE);
    }
    tune_clean();
}

// A stored winner that is a tenth slower does all launches of an ONLINE pool; one that is half as
// slow again, or as fast, is looked at again, and what comes of it is stored.
static void profiling_store_strays(void)
{
    static const double paces[] = { 1.1, 0.9, 1.5, 0.5 };
    int i, n;
    for (i = 0; i < 4; i++) {
        const bool strays = paces[i] > 1.2 || paces[i] < 0.8;
        profiling_world world;
        profiling_rig r;
        profiling_once once;
        gputune_pool *pool;
        gputune_pool_report o;
        tune_temp();
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        once = profiling_named;
        profiling_once_more(&once, &world);
        world.unit[1] *= paces[i];
        for (n = 0; n < 2; n++) {
            profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, n ? 1000003 : 600001);
            pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_FULLY);
            CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 4)->origin,
                      GPUTUNE_FROM_STORE);
            o = *profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 400);
            CHECK_INT(o.winner, paces[i] > 1.2 ? 3 : 1);
            CHECK_INT(o.origin, strays && !n ? GPUTUNE_FROM_TUNING : GPUTUNE_FROM_STORE);
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
        tune_clean();
    }
}

// While the stored winner is compiled the first does the work: that is no time of the winner's.
static void profiling_store_waits(void)
{
    profiling_world world;
    profiling_rig r;
    profiling_once once;
    gputune_pool *pool;
    int i;
    tune_temp();
    profiling_world_make(&world, 150e-9, 100e-9, 1e-6, 50e-9);
    once = profiling_named;
    profiling_once_more(&once, &world);
    world.translates = true;
    world.compile_seconds = 30;
    profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 300000);
    pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_FULLY);
    profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 3); // another problem
    r.data.args[2] = arg_int32(1000003);
    for (i = 0; i < 12; i++) {
        const gputune_pool_report *o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 1);
        CHECK_INT(o->winner, 3);
        CHECK_INT(o->origin, GPUTUNE_FROM_STORE);
        CHECK_INT(pool->problem->off, 0);
    }
    gputune_pool_destroy(pool);
    profiling_close(&r);
    tune_clean();
}

// A program's later launches find another winner: the store learns it, and after `forget`, too.
static void profiling_store_again(void)
{
    static const gputune_profile_when whens[] = { GPUTUNE_PROFILE_ALWAYS, GPUTUNE_PROFILE_FIRST,
                                                  GPUTUNE_PROFILE_ONLINE };
    int forget;
    for (forget = 0; forget < 3; forget++) {
        profiling_world world;
        profiling_rig r;
        profiling_once once;
        gputune_pool *pool;
        gputune_pool_report o;
        tune_temp();
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        once = profiling_named;
        profiling_once_more(&once, &world);
        profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 1000003);
        pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_FULLY);
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->origin, GPUTUNE_FROM_STORE);
        world.unit[3] = 20e-9;
        if (forget) gputune_pool_forget(pool);
        o = *profiling_run(&r, pool, whens[forget], forget == 1 ? 1 : 400);
        CHECK_INT(o.winner, 3);
        CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
        gputune_pool_destroy(pool);
        profiling_close(&r);
        o = profiling_once_more(&once, &world);
        CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
        CHECK_INT(o.winner, 3);
        tune_clean();
    }
}

// The store without what it says of verified variants.
static void profiling_unverified(void)
{
    gt__base b;
    gt__store *store;
    gt__entry entry;
    gputune_error error;
    int at = 0;
    gt__base_init(&b, NULL);
    store = gt__store_open(&b, tune_store);
    entry = *gt__store_next(store, "a pool", &at);
    CHECK(entry.classes && *entry.classes);
    entry.classes = NULL;
    CHECK_INT(gt__store_put(store, &entry.key, &entry, &error), GPUTUNE_OK);
    gt__store_close(store);
}

// What a run has verified the next one need not verify. With another text, driver, size or other
// arguments of a variant it must, and where the program asks for it. Then the store has what that
// run has verified, and nothing else.
static void profiling_store_verified(void)
{
    enum { FIRST, SAME, TEXT, DRIVER, SIZE, ARGUMENTS, FORCE, AFTER, RUNS };
    int run, v;
    tune_temp();
    for (run = 0; run < RUNS; run++) {
        profiling_world world;
        profiling_rig r;
        gputune_arg args[4];
        gputune_pool *pool;
        const gputune_pool_report *o;
        const int more = run == FORCE ? 0 : 9;
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        profiling_open(&r, &world, tune_store,
                       run == FORCE ? GPUTUNE_MODE_FORCE : GPUTUNE_MODE_DEFAULT, 4,
                       run == SIZE ? 8000003 : 1000003);
        snprintf(r.base.device->limits.driver, sizeof r.base.device->limits.driver, "%s",
                 run == DRIVER ? "2" : "1");
        if (run == TEXT) r.kernels[1].group_units = "64 + 0";
        for (v = 0; v < 4; v++) r.kernels[v].args = "0,1,2";
        if (run == ARGUMENTS) r.kernels[1].args = "0,1,3";
        memcpy(args, r.data.args, sizeof r.data.args);
        args[3] = args[2];
        pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_AUTO);
        CHECK_INT(gputune_pool_prepare(pool, args, 4), GPUTUNE_OK);
        CHECK_INT(pool->problem->verified[1], run == SAME || run == AFTER);
        CHECK_INT(pool->problem->verified[3], run == SAME);
        CHECK(!pool->problem->verified[2]); // it is far behind
        gputune_pool_forget(pool);
        CHECK_INT(pool_run_when(pool, args, 4, run == FORCE ? GPUTUNE_PROFILE_ALWAYS
                                                            : GPUTUNE_PROFILE_FIRST),
                  GPUTUNE_OK);
        if (run == FORCE) CHECK(!pool->problem->verified[3]); // it is not the best
        for (v = 0; v < 4; v++) world.launches[v] = 0;
        for (v = 0; v < more; v++)
            CHECK_INT(pool_run_when(pool, args, 4, GPUTUNE_PROFILE_FIRST), GPUTUNE_OK);
        pool_data_check(&r.data, 1 + more, "ten launches");
        o = gputune_pool_outcome(pool);
        CHECK_INT(o->winner, 1);
        CHECK(world.launches[2] == 0);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
    tune_clean();
}

// A pool on the store for calls of one of two classes.
static gputune_pool *profiling_class_pool(profiling_rig *r, profiling_world *world, int at)
{
    int v;
    profiling_open(r, world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 1000003);
    for (v = 0; v < 4; v++) {
        r->kernels[v].signature = "uchar *y, uchar *z, int n, int at";
        r->kernels[v].tune.classes = "n, at";
        r->kernels[v].args = "0,1,2,3";
    }
    memcpy(r->args, r->data.args, sizeof r->data.args);
    r->args[3] = arg_int32(at);
    return profiling_pool(r, "a pool", GPUTUNE_PROFILE_HYBRID);
}

// Two programs verify variants in two classes of calls at the same time, and the store has both. A
// variant that fails later has to be verified again.
static void profiling_store_states(void)
{
    profiling_world world;
    profiling_rig r[2];
    gputune_pool *pool[2];
    int i, k, run;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    for (run = 0; run < 4; run++) {
        for (i = 0; i < 2; i++) {
            pool[i] = profiling_class_pool(&r[i], &world, i ? 1 : 16);
            CHECK_INT(gputune_pool_prepare(pool[i], r[i].args, 4), GPUTUNE_OK);
            CHECK_INT(pool[i]->problem->verified[1], run > 0);
            CHECK_INT(pool[i]->problem->verified[3], run == 1 || run == 2 || (run == 3 && i));
        }
        if (run == 2) { // another winner, in one of the classes
            world.unit[1] = 400e-9;
            world.bad_one = 3;
            world.bad = GPUTUNE_ERROR_LAUNCH;
        }
        for (i = 0; i < (run == 2 ? 1 : 2); i++) {
            gputune_pool_forget(pool[i]);
            for (k = 0; k < 10; k++)
                CHECK_INT(pool_run_when(pool[i], r[i].args, 4, run == 2 ? GPUTUNE_PROFILE_ALWAYS
                                                                      : GPUTUNE_PROFILE_FIRST),
                          GPUTUNE_OK);
        }
        for (i = 0; i < 2; i++) {
            gputune_pool_destroy(pool[i]);
            profiling_close(&r[i]);
        }
    }
    tune_clean();
}

// A pool that vouches for its variants stores a wrong winner. A pool that does not vouch for them
// does not use that answer.
static void profiling_store_trusted(void)
{
    int trusted;
    tune_temp();
    for (trusted = 1; trusted >= 0; trusted--) {
        profiling_world world;
        profiling_rig r;
        gputune_pool_desc desc;
        gputune_pool *pool;
        int i;
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        world.bad_one = 1;
        world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
        profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 1000003);
        memset(&desc, 0, sizeof desc);
        desc.name = "a pool";
        desc.kernels = r.kernels;
        desc.units = "n";
        desc.trusted = trusted != 0;
        pool = gputune_pool_create(r.base.device, &desc);
        for (i = 0; i < 9; i++)
            CHECK_INT(gputune_pool_run(pool, r.data.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->winner, trusted ? 1 : 3);
        if (!trusted) pool_data_check(&r.data, 9, "nine launches");
        CHECK(profiling_stored(trusted ? "VARIANT=1" : "VARIANT=3"));
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
    tune_clean();
}

// A program may launch once and end. Where nothing is left to find out, that launch saves.
static void profiling_first_saves(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 400e-9);
    profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 1000003);
    pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_AUTO);
    CHECK(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->profiled);
    CHECK(profiling_stored("VARIANT=1"));
    CHECK(profiling_stored("classes=+"));
    gputune_pool_destroy(pool);
    profiling_close(&r);
    tune_clean();
}

// The winner of an earlier run is wrong in this one, from its first or second launch on: who is not
// shown to be right writes nothing into the program's buffers, whatever the store says.
static void profiling_store_wrong(void)
{
    int way;
    for (way = 0; way < 6; way++) {
        profiling_world world;
        profiling_once once;
        gputune_pool_report o;
        tune_temp();
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        once = profiling_named;
        CHECK_INT(profiling_once_more(&once, &world).winner, 1);
        profiling_unverified();
        world.bad_one = 1;
        world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
        world.bad_after = way % 2;
        once.when = GPUTUNE_PROFILE_ALWAYS;
        once.how = (gputune_profile_mode)(GPUTUNE_PROFILE_FULLY + way / 2);
        o = profiling_once_more(&once, &world);
        CHECK_INT(once.results[1], GPUTUNE_ERROR_WRONG_OUTPUT);
        CHECK_INT(o.winner, 3);
        tune_clean();
    }
}

// Work that is too small to be cut, whose winner the store knows: launches of ALWAYS, which find
// nothing out there, leave it as it is.
static void profiling_store_small(void)
{
    int run;
    tune_temp();
    for (run = 0; run < 3; run++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool *pool;
        const gputune_pool_report *o;
        profiling_world_make(&world, 100e-9, 50e-9, 400e-9, 55e-9);
        profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 4000);
        pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_HYBRID);
        o = profiling_run(&r, pool, run ? GPUTUNE_PROFILE_ALWAYS : GPUTUNE_PROFILE_FIRST, 20);
        CHECK_INT(o->winner, 1);
        CHECK_INT(o->origin, run ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
    tune_clean();
}

// Two variants, of which the other one wins: later launches are profiled, too.
static void profiling_two(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    int i;
    profiling_world_make(&world, 60e-9, 50e-9, 0, 0);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 2, 1000003);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
    pool->desc.ceiling = 100;
    for (i = 0; i < 5; i++) {
        const gputune_pool_report *o = profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 1);
        CHECK_INT(o->winner, 1);
        CHECK(o->profiled);
    }
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// --- what a launch takes ---

static gputune_result (*profiling_fills)(void *, void *, size_t, unsigned char, size_t,
                                         gputune_error *);

static gputune_result profiling_slow_fill(void *self, void *handle, size_t offset,
                                          unsigned char byte, size_t bytes, gputune_error *error)
{
    ((gt__replay *)self)->clock += 1e-3;
    return profiling_fills(self, handle, offset, byte, bytes, error);
}

static gputune_result (*profiling_copies)(void *, void *, size_t, void *, size_t, size_t,
                                          gputune_error *);

static gputune_result profiling_slow_copy(void *self, void *to, size_t to_offset, void *from,
                                          size_t from_offset, size_t bytes, gputune_error *error)
{
    ((gt__replay *)self)->clock += 1e-3;
    return profiling_copies(self, to, to_offset, from, from_offset, bytes, error);
}

// .cost has what the verification and the sandboxes take, too: it and the winner's time are what
// the launch took.
static void profiling_cost(void)
{
    int mode, small, again;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
        for (small = 0; small < 2; small++) { // its parts do not take long enough to tell
            profiling_world world;
            profiling_rig r;
            gputune_pool *pool;
            const gputune_pool_report *o;
            double begin, taken;
            profiling_world_make(&world, small ? 1e-9 : 60e-9, small ? 2e-7 : 50e-9, 65e-9, 55e-9);
            profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, small ? 2 : 4,
                           small ? 40003 : 1000003);
            profiling_fills = r.base.device->driver.fill;
            if (!small) r.base.device->driver.fill = profiling_slow_fill;
            profiling_copies = r.base.device->driver.copy;
            if (!small) r.base.device->driver.copy = profiling_slow_copy;
            pool = profiling_pool(&r, NULL, (gputune_profile_mode)mode);
            pool->desc.synchronous = true;
            CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
            for (again = 0; again < 2; again++) { // and with nobody new
                begin = profiling_now(&r);
                o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
                taken = profiling_now(&r) - begin;
                CHECK(o->profiled);
                if (!small && !again) CHECK(o->cost > 8e-3);
                CHECK_NEAR(profiling_whole(&r, o->winner) + o->cost, taken,
                           (small ? 0.15 : 0.02) * taken);
                gputune_pool_forget(pool);
            }
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

// A variant that is fifty, or 400, times slower: its part would take longer than the launch, and
// has to wait.
static void profiling_much_slower(void)
{
    int mode;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool *pool;
        const gputune_pool_report *o;
        double begin, taken, most;
        int i;
        profiling_world_make(&world, 55e-9, 50e-9, mode == 1 ? 2500e-9 : 20000e-9, 53e-9);
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 60000);
        pool = profiling_pool(&r, NULL, (gputune_profile_mode)mode);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        begin = profiling_now(&r);
        o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
        taken = profiling_now(&r) - begin;
        most = 2 * profiling_whole(&r, 0);
        CHECK(o->profiled);
        CHECK_OR(taken <= most, "mode %d: %g s, allowed %g s", mode, taken, most);
        for (i = 0; i < 30; i++) o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
        CHECK_INT(o->winner, 1);
        CHECK(o->variants[2].rate > 0);
        CHECK(!o->profiled);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// The third variant's parts, which are in the middle, take less than its whole says.
static double profiling_quick_end(int variant, double where)
{
    return variant == 2 && where > 0.45 && where < 0.8 ? 0.72 : 1;
}

// A launch so short that its parts cannot tell near variants apart: their next launches do. Where a
// launch is long enough nobody has any. Who makes one launch has what its parts said next time.
static void profiling_short_parts(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    double begin, taken;
    int i, k, n, launches;
    tune_temp();
    for (n = 60000; n <= 600000; n *= 10) { // the best takes 1.6 and 16 ms
        const bool brief = n == 60000;
        profiling_world_make(&world, 40e-9, 26e-9, 33e-9, 32e-9);
        world.place = brief ? profiling_quick_end : NULL;
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, n);
        pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        begin = profiling_now(&r);
        CHECK(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->profiled);
        CHECK_INT(gputune_pool_outcome(pool)->winner, brief ? 2 : 1); // as far as parts tell
        for (i = k = 0; i < 4; i++) k += world.launches[i];
        for (launches = 1; launches < 20; launches++)
            profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
        taken = profiling_now(&r) - begin;
        if (brief) CHECK_OR(taken < 1.15 * 20 * profiling_whole(&r, 1), "%g s", taken);
        CHECK_INT(gputune_pool_outcome(pool)->winner, 1);
        if (!brief) CHECK_INT(world.launches[0] + world.launches[1] + world.launches[2] +
                              world.launches[3], k + 19);
        for (i = 0; i < 4; i++) world.launches[i] = 0;
        profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 5);
        CHECK_INT(world.launches[1], 5);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
    for (i = 0; i < 2; i++) {
        profiling_world_make(&world, 40e-9, 26e-9, 33e-9, 32e-9);
        profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 60000);
        pool = profiling_pool(&r, "short", GPUTUNE_PROFILE_HYBRID);
        CHECK(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->profiled == !i);
        CHECK_INT(gputune_pool_outcome(pool)->winner, 1);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
    tune_clean();
}

// The initial variant is refused at its first, second, ... launch: the others are not blamed for
// it, one of them takes its place, and the work is done. What was compared with that one alone is
// not stored.
static void profiling_initial_fails(void)
{
    int way;
    for (way = 0; way < 15; way++) {
        profiling_world world;
        profiling_once once;
        gputune_pool_report o;
        int i;
        tune_temp();
        profiling_world_make(&world, 60e-9, 50e-9, 65e-9, 55e-9);
        world.bad_one = 0;
        world.bad = GPUTUNE_ERROR_LAUNCH;
        world.bad_after = way % 5;
        once = profiling_named;
        once.how = (gputune_profile_mode)(GPUTUNE_PROFILE_FULLY + way / 5);
        o = profiling_once_more(&once, &world);
        if (world.bad_launches > world.bad_after) CHECK_INT(once.results[0], GPUTUNE_ERROR_LAUNCH);
        CHECK(way % 5 > 1 || once.results[0]);
        for (i = 1; i < 4; i++) CHECK_INT(once.results[i], GPUTUNE_OK);
        CHECK_INT(o.winner, 1);
        CHECK(profiling_stored("VARIANT=1") == !once.results[0]);
        CHECK(profiling_stored("classes=") == !once.results[0]);
        tune_clean();
    }
}

// --- journal ---

// A variant that never comes back while it is compared: the first run says so and leaves the
// program's buffers alone, the next one passes it over. whose: the bad one.
static void profiling_hang_compared(void)
{
    int whose, when;
    for (whose = 0; whose < 3; whose++)
        for (when = 0; when < 2; when++) {
            profiling_world world;
            profiling_once once;
            gputune_pool_report o;
            char name[16];
            tune_temp();
            profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
            world.bad_one = whose;
            world.bad_whole = true;
            world.bad_seconds = 100;
            once = profiling_named;
            once.when = when ? GPUTUNE_PROFILE_ALWAYS : GPUTUNE_PROFILE_FIRST;
            once.result = GPUTUNE_ERROR_DEVICE_LOST;
            profiling_once_more(&once, &world);
            snprintf(name, sizeof name, "V=%d", whose);
            CHECK_HAS(once.error, name);
            CHECK_HAS(once.error, "still running");
            once.result = GPUTUNE_OK;
            o = profiling_once_more(&once, &world);
            CHECK_INT(world.launches[whose], 0);
            CHECK_INT(once.results[whose], GPUTUNE_ERROR_DEVICE_LOST);
            CHECK_HAS(once.reason[whose], "still running");
            CHECK_INT(o.winner, whose == 1 ? 3 : 1);
            CHECK(o.profiled);
            tune_clean();
        }
}

// The process dies there, twice.
static void profiling_crash_compared(void)
{
    int whose, death, launch;
    for (launch = 0; launch < 5; launch++) { // the first, the second; a slow one has no second
        profiling_world world;
        profiling_once once;
        gputune_pool_report o;
        pid_t child;
        int status = 0;
        whose = launch / 2;
        tune_temp();
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        world.bad_one = whose;
        world.bad_whole = true;
        world.bad_kills = true;
        world.bad_after = launch % 2;
        once = profiling_named;
        for (death = 0; death < 2; death++) {
            child = fork();
            if (child == 0) {
                profiling_once_more(&once, &world);
                _exit(1);
            }
            CHECK(child > 0 && waitpid(child, &status, 0) == child);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
        }
        o = profiling_once_more(&once, &world);
        CHECK_INT(world.launches[whose], 0);
        CHECK_INT(once.results[whose], GPUTUNE_ERROR_CRASHED);
        CHECK_INT(o.winner, whose == 1 ? 3 : 1);
        tune_clean();
    }
}

// The process dies in the winner's first launch on the program's own buffers: the next run passes
// it over.
static void profiling_crash_launched(void)
{
    profiling_world world;
    profiling_once once = profiling_named;
    gputune_pool_report o;
    int status = 0, launches;
    pid_t child;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    CHECK_INT(profiling_once_more(&once, &world).winner, 1);
    launches = world.launches[1];
    CHECK(launches > 2);
    tune_clean();
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    world.bad_one = 1;
    world.bad_kills = true;
    world.bad_after = launches - 1; // the last
    child = fork();
    if (child == 0) {
        profiling_once_more(&once, &world);
        _exit(1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
    o = profiling_once_more(&once, &world);
    CHECK_INT(world.launches[1], 0);
    CHECK_INT(once.results[1], GPUTUNE_ERROR_CRASHED);
    CHECK_INT(o.winner, 3);
    tune_clean();
}

// A stored winner is verified once for another class of calls, and for no class again.
static void profiling_classes(void)
{
    static const int sizes[] = { 1000000, 1000001, 1000000, 1000003 };
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    int i, k, others;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    for (i = 0; i < 4; i++) { // each in a process of its own
        memset(world.launches, 0, sizeof world.launches);
        profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, sizes[i]);
        pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_HYBRID);
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->winner, 1);
        for (k = 2, others = 0; k < 4; k++) others += world.launches[k];
        CHECK((others > 0) == (i == 0));
        CHECK((world.launches[0] > 0) == (i < 2)); // what the winner is compared with
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
    tune_clean();
}

// It never comes back from one of its launches, the first block, the first part, or one that is
// measured: named, and passed over by the next run.
static void profiling_hang_profiled(void)
{
    int mode, whose, after;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
        for (whose = 0; whose < 3; whose++)
            for (after = 0; after < (whose == 2 ? 2 : 3); after++) {
                profiling_world world;
                profiling_once once;
                gputune_pool_report o;
                char name[16];
                tune_temp();
                profiling_world_make(&world, 70e-9, 50e-9, 60e-9, 55e-9);
                world.bad_one = whose;
                world.bad_after = 1000000;
                world.bad_seconds = 100;
                once = profiling_named;
                once.name = NULL;
                once.how = (gputune_profile_mode)mode;
                o = profiling_once_more(&once, &world);
                CHECK(o.profiled);
                CHECK(world.bad_launches > after);
                world.bad_launches = 0;
                world.bad_after = after;
                once.name = "a pool";
                once.result = GPUTUNE_ERROR_DEVICE_LOST;
                profiling_once_more(&once, &world);
                snprintf(name, sizeof name, "V=%d", whose);
                CHECK_HAS(once.error, name);
                once.result = GPUTUNE_OK;
                world.bad_launches = 0;
                o = profiling_once_more(&once, &world);
                CHECK_INT(once.results[whose], GPUTUNE_ERROR_DEVICE_LOST);
                CHECK_OR(o.winner == (whose == 1 ? 3 : 1), "mode %d, V=%d after %d: %d wins", mode,
                         whose, after, o.winner);
                CHECK_INT(world.launches[whose], 0);
                tune_clean();
            }
}

// --- limits ---

// Slower than the limit in a part: out, but what it has done stays.
static void profiling_time_limit(void)
{
    int mode;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
        profiling_world world;
        profiling_once once;
        gputune_pool_report o;
        tune_temp();
        profiling_world_make(&world, 150e-9, 50e-9, 60e-9, 55e-9);
        once = profiling_named;
        once.how = (gputune_profile_mode)mode;
        world.bad_one = 2;
        world.bad_after = 1000000;
        once.name = NULL;
        profiling_once_more(&once, &world);
        CHECK(world.bad_launches > 1);
        world.bad_after = world.bad_launches - 1; // the last of its parts
        world.bad_launches = 0;
        world.bad_seconds = 0.1;
        once.time_limit = 0.05;
        once.hang_limit = 10;
        o = profiling_once_more(&once, &world);
        CHECK_INT(once.results[2], GPUTUNE_ERROR_TIMEOUT);
        CHECK_HAS(once.reason[2], "the limit is 0.05 s");
        CHECK_INT(o.winner, 1);
        world.bad_after = world.bad_launches = 0; // in the comparison, too
        o = profiling_once_more(&once, &world);
        CHECK_INT(once.results[2], GPUTUNE_ERROR_TIMEOUT);
        CHECK_INT(o.winner, 1);
        CHECK_INT(world.bad_launches, 1);
        tune_clean();
    }
}

// --- every launch ---

// The ceiling holds over a thousand launches, from the second on; every variant has its turn, the
// far slower ones, too; and a change is seen.
static void profiling_always(void)
{
    static const double ceilings[] = { 0.01, 0.05, 0.2 };
    size_t c;
    int mode, i;
    for (c = 0; c < sizeof ceilings / sizeof *ceilings; c++)
        for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
            profiling_world world;
            profiling_rig r;
            gputune_pool_desc desc;
            gputune_pool *pool;
            const gputune_pool_report *o;
            double begin, most, taken;
            int turns[4], before, k, v;
            profiling_world_make(&world, 10e-9, 5e-9, 17e-9, 9e-9);
            profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 5000003);
            memset(&desc, 0, sizeof desc);
            desc.kernels = r.kernels;
            desc.units = "n";
            desc.mode = (gputune_profile_mode)mode;
            desc.ceiling = ceilings[c];
            desc.part = 300000;
            pool = gputune_pool_create(r.base.device, &desc);
            o = profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 1);
            CHECK(o->profiled);
            CHECK_INT(o->winner, 1);
            memset(turns, 0, sizeof turns);
            begin = profiling_now(&r);
            for (i = 0; i < 10; i++) {
                for (k = 0; k < 99; k++) {
                    CHECK_INT(pool_run_when(pool, r.data.args, 3, GPUTUNE_PROFILE_ALWAYS),
                              GPUTUNE_OK);
                    r.launches++;
                    if (k % 16 == 15) profiling_now(&r);
                    for (v = 0; v < 4; v++) turns[v] = pool->problem->tried[v];
                }
                o = profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 1);
                taken = profiling_now(&r) - begin;
                most = (r.launches - 1) *
                       (profiling_whole(&r, 1) + ceilings[c] * profiling_whole(&r, 0) +
                        12 * world.floor); // of parts, chunks, the rest
                CHECK_OR(taken <= most, "ceiling %g, mode %d: %d launches took %g s, allowed %g s",
                         ceilings[c], mode, r.launches - 1, taken, most);
            }
            CHECK_INT(o->winner, 1);
            for (i = 0; i < 4; i++)
                CHECK_OR(turns[i], "ceiling %g, mode %d: variant %d never has its turn",
                         ceilings[c], mode, i);
            world.unit[3] = 2e-9;
            before = r.launches;
            while (r.launches < before + 2000 && gputune_pool_outcome(pool)->winner != 3)
                profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 1);
            CHECK_INT(gputune_pool_outcome(pool)->winner, 3);
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

// What launches of ALWAYS find out is in the store while they go on, once.
static void profiling_always_saves(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    char text[1 << 16];
    size_t size = 0;
    int part;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 1000003);
    pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_AUTO);
    for (part = 0; part < 2; part++) {
        FILE *file;
        size_t now;
        profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 100);
        file = fopen(tune_store, "rb");
        CHECK(file != NULL);
        if (!file) break;
        now = fread(text, 1, sizeof text - 1, file);
        text[now] = 0;
        fclose(file);
        CHECK_HAS(text, "VARIANT=1");
        CHECK_HAS(text, "classes=+");
        if (part) CHECK_INT(now, size);
        size = now;
    }
    gputune_pool_destroy(pool);
    profiling_close(&r);
    tune_clean();
}

// --- anything, at random ---

typedef struct profiling_chaos {
    double unit[6];
    int fails_at[6], launches[6]; // from which launch on it is refused; 0: never
    int many;
    double slow_from, slow[6]; // where on the grid times change, and how
} profiling_chaos;

static void profiling_chaos_trial(void *user, const gputune_config *config,
                                  gputune_replay_trial *trial)
{
    profiling_chaos *w = (profiling_chaos *)user;
    int v = (int)gputune_config_int(config, "V");
    const gputune_grid *grid;
    trial->compile_seconds = 1e-3;
    if (!test_launch(trial)) return;
    grid = test_launch(trial)->grid;
    trial->seconds = 1e-6 + trial->items * w->unit[v];
    if (grid && (double)grid->begin[1] > w->slow_from * (double)grid->size[1] / 2)
        trial->seconds *= w->slow[v];
    w->launches[v]++;
    w->many++;
    if (w->fails_at[v] && w->launches[v] >= w->fails_at[v]) trial->result = GPUTUNE_ERROR_LAUNCH;
}

typedef struct profiling_plane {
    pool_rig rig;
    profiling_chaos world;
    pool_data data;
    gputune_arg args[5];
    char configs[6][16];
    int launches;
} profiling_plane;

static void profiling_plane_open(profiling_plane *r, const gputune_options *options, int width,
                                 int height, int depth, int variants)
{
    gputune_replay_desc desc;
    static const gputune_param params[] = { { "V", "range 0,5", "0" }, { NULL, NULL, NULL } };
    int i;
    memset(&desc, 0, sizeof desc);
    desc.options = pool_options(&r->rig, "");
    if (options) desc.options = *options;
    desc.trial = profiling_chaos_trial;
    desc.user = &r->world;
    r->rig.device = rig_replay(&desc, 5e-6, false);
    for (i = 0; i < variants; i++) {
        snprintf(r->configs[i], sizeof r->configs[i], "V=%d", i);
        r->rig.kernels[i].name = "job";
        r->rig.kernels[i].params = params;
        r->rig.kernels[i].signature = "uchar *y, uchar *z, int width, int height, int depth";
        r->rig.kernels[i].tune.classes = "";
        r->rig.kernels[i].global = "width, height, depth";
        r->rig.kernels[i].local = "4, 2, 1";
        r->rig.kernels[i].config = r->configs[i];
    }
    pool_data_make(&r->data, 16 * ((width + 3) / 4) * ((height + 1) / 2) * depth);
    r->args[0] = r->data.args[0];
    r->args[1] = r->data.args[1];
    r->args[2] = arg_int32(width);
    r->args[3] = arg_int32(height);
    r->args[4] = arg_int32(depth);
    r->launches = 0;
}

static void profiling_plane_close(profiling_plane *r)
{
    pool_data_free(&r->data);
    gputune_device_destroy(r->rig.device);
}

// Grids of one to three dimensions, parts of any size, any mode, variants that are
// refused at any moment: as long as the initial one is not, every launch does all the work once.
static void profiling_random(void)
{
    uint64_t random = 99;
    int round, i, profiled = 0, mended = 0;
    for (round = 0; round < 500; round++) {
#define DRAW(n) ((int)gt__random_below(&random, (uint64_t)(n)))
        static profiling_plane r;
        int variants = 2 + DRAW(5), depth = DRAW(2) ? 1 : 1 + DRAW(4);
        gputune_pool_desc desc;
        gputune_pool *pool;
        memset(&r.world, 0, sizeof r.world);
        r.world.slow_from = DRAW(3) ? 1 : 0.3;
        for (i = 0; i < variants; i++) {
            r.world.unit[i] = i ? 1e-6 * (1 + DRAW(9)) : 2e-5;
            r.world.slow[i] = 1 + DRAW(3);
            if (i && DRAW(3) == 0) r.world.fails_at[i] = 1 + DRAW(60);
        }
        profiling_plane_open(&r, NULL, 1 + DRAW(200), 1 + DRAW(100), depth, variants);
        memset(&desc, 0, sizeof desc);
        desc.kernels = r.rig.kernels;
        desc.units = "width, height, depth";
        desc.mode = (gputune_profile_mode)(1 + DRAW(3));
        desc.synchronous = DRAW(3) == 0;
        desc.part = 8 * (1 + DRAW(30));
        desc.ceiling = 100;
        pool = gputune_pool_create(r.rig.device, &desc);
        for (i = 0; i < 12; i++) {
            gputune_profile_when when = (gputune_profile_when)(DRAW(2) ? DRAW(3) : 1);
            gputune_result result = pool_run_when(pool, r.args, 5, when);
            char what[160];
            int before = test_failures;
            if (DRAW(8) == 0) gputune_pool_forget(pool);
            snprintf(what, sizeof what, "round %d, launch %d, mode %d, flow %d, when %d", round, i,
                     (int)desc.mode, (int)!desc.synchronous, (int)when);
            CHECK_OR(!result, "%s: %s", what, gputune_pool_error(pool)->text);
            if (result) break;
            r.launches++;
            profiled += gputune_pool_outcome(pool)->profiled;
            pool_data_check(&r.data, r.launches, what);
            if (test_failures != before) break;
        }
        for (i = 0; i < variants; i++)
            mended += gputune_pool_outcome(pool)->variants[i].result != GPUTUNE_OK;
        gputune_pool_destroy(pool);
        profiling_plane_close(&r);
        if (test_failures > 5) return;
#undef DRAW
    }
    if (profiled < 1000 || mended < 100) // it would look at too little
        TEST_FAIL("%d launches profiled, %d variants out", profiled, mended);
}

// --- memory ---

// The n-th allocation fails, and then all do or only that one; all that is alive is counted.
typedef struct profiling_heap {
    size_t live, asked, fails_at;
    size_t made; // so many were asked for by what makes the device, the kernels and the pool
    bool once;
} profiling_heap;

static void *profiling_reallocate(void *user, void *memory, size_t bytes)
{
    profiling_heap *h = (profiling_heap *)user;
    size_t *block = memory ? (size_t *)memory - 2 : NULL, old = block ? *block : 0;
    if (!bytes) {
        h->live -= old;
        free(block);
        return NULL;
    }
    h->asked++;
    if (h->fails_at && (h->once ? h->asked == h->fails_at : h->asked >= h->fails_at)) return NULL;
    block = (size_t *)realloc(block, bytes + 2 * sizeof *block);
    if (!block) return NULL;
    h->live += bytes - old;
    *block = bytes;
    return block + 2;
}

// One life of a pool with this heap. What goes wrong is for want of memory, and everything stays
// usable: with memory again the pool goes on as if nothing had been.
static void profiling_life(profiling_heap *heap, int mode, gputune_profile_when when,
                           const char *store)
{
    static profiling_plane r;
    gputune_options options;
    gputune_pool_desc desc;
    gputune_pool *pool;
    int i, launches = when == GPUTUNE_PROFILE_ONLINE ? 6 : 2;
    memset(&r, 0, sizeof r);
    memset(&options, 0, sizeof options);
    options.reallocate = profiling_reallocate;
    options.user = heap;
    options.store = store;
    for (i = 0; i < 6; i++) r.world.unit[i] = 1e-6 * (4 - i % 4), r.world.slow[i] = 1;
    profiling_plane_open(&r, &options, 60, 25, 1, 3);
    memset(&desc, 0, sizeof desc);
    desc.name = "a pool";
    desc.kernels = r.rig.kernels;
    desc.units = "width, height, depth";
    desc.mode = (gputune_profile_mode)mode;
    desc.ceiling = 100;
    desc.when = when;
    pool = gputune_pool_create(r.rig.device, &desc);
    heap->made = heap->asked;
    if (!pool) CHECK(heap->fails_at);
    for (i = 0; pool && i < launches; i++) {
        gputune_result result = gputune_pool_run(pool, r.args, 5);
        if (result == GPUTUNE_OK) {
            pool_data_check(&r.data, 1, "short of memory");
        } else if (!heap->fails_at || result != GPUTUNE_ERROR_MEMORY) {
            TEST_FAIL("allocation %zu, mode %d, when %d, launch %d: %s", heap->fails_at, mode,
                      (int)when, i, gputune_pool_error(pool)->text);
        }
        memset(r.data.y, 1, (size_t)r.data.n); // as before
        memset(r.data.z, 2, (size_t)r.data.n);
    }
    if (pool && !pool->broken && heap->fails_at) {
        heap->fails_at = 0;
        for (i = 0; i < launches; i++) {
            CHECK_OR(gputune_pool_run(pool, r.args, 5) == GPUTUNE_OK,
                     "mode %d, when %d: with memory again: %s", mode, (int)when,
                     gputune_pool_error(pool)->text);
            pool_data_check(&r.data, 1, "with memory again");
            memset(r.data.y, 1, (size_t)r.data.n);
            memset(r.data.z, 2, (size_t)r.data.n);
        }
        for (i = 0; i < 3; i++) {
            const gputune_variant_report *v = &gputune_pool_outcome(pool)->variants[i];
            CHECK_OR(v->result == GPUTUNE_OK, "mode %d, when %d: %s is out: %s", mode, (int)when,
                     v->name, v->reason);
        }
    }
    gputune_pool_destroy(pool);
    profiling_plane_close(&r);
    CHECK_OR(!heap->live, "mode %d, when %d: %zu bytes are left", mode, (int)when, heap->live);
}

static void profiling_memory(void)
{
    int mode, when, once, stored;
    for (stored = 0; stored < 2; stored++)
        for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
            for (when = 0; when <= (int)GPUTUNE_PROFILE_ONLINE; when++)
                for (once = 0; once < 2; once++) {
                    profiling_heap heap;
                    size_t n, all;
                    int before = test_failures;
                    if (stored && mode != (int)GPUTUNE_PROFILE_HYBRID) continue;
                    memset(&heap, 0, sizeof heap);
                    tune_temp();
                    profiling_life(&heap, mode, (gputune_profile_when)when,
                                   stored ? tune_store : "");
                    all = heap.asked;
                    CHECK(heap.made > 10 && heap.made < all);
                    // What makes a pool is the same for all modes.
                    n = mode == (int)GPUTUNE_PROFILE_HYBRID && !when ? 1 : heap.made;
                    // Each allocation alone; from every third on all that follow.
                    for (; n <= all && test_failures < before + 3; n += once ? 1 : 3) {
                        memset(&heap, 0, sizeof heap);
                        heap.fails_at = n;
                        heap.once = once;
                        if (stored) remove(tune_store);
                        profiling_life(&heap, mode, (gputune_profile_when)when,
                                       stored ? tune_store : "");
                    }
                    tune_clean();
                }
}

// No device memory at all: nobody new can be looked at, nothing is profiled, and the initial
// variant does the work.
static void profiling_full_device(void)
{
    int mode;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool *pool;
        int i;
        profiling_world_make(&world, 150e-9, 50e-9, 60e-9, 55e-9);
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
        r.base.device->driver.allocate = pool_no_room;
        pool = profiling_pool(&r, NULL, (gputune_profile_mode)mode);
        CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        for (i = 0; i < r.data.n; i++)
            if (r.data.y[i] != 1 || r.data.z[i] != 2) {
                TEST_FAIL("mode %d: byte %d is %d and %d", mode, i, r.data.y[i], r.data.z[i]);
                break;
            }
        for (i = 0; i < 4; i++)
            CHECK_INT(gputune_pool_outcome(pool)->variants[i].result, GPUTUNE_OK);
        for (i = 0; i < 4; i++) {
            CHECK_INT(profiling_run(&r, pool, (gputune_profile_when)(i / 2), 1)->winner, 0);
            CHECK(!gputune_pool_outcome(pool)->profiled);
            CHECK_HAS(gputune_pool_outcome(pool)->text, "no memory for sandboxes");
        }
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

static void *profiling_no_large(void *user, void *memory, size_t bytes)
{
    if (bytes == (size_t)6 << 15 && *(bool *)user) return NULL; // what is compared
    if (bytes) return realloc(memory, bytes);
    free(memory);
    return NULL;
}

// No memory on the host to compare with: the same, and no variant is to blame.
static void profiling_no_scratch(void)
{
    int mode, i;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
        static profiling_plane r;
        gputune_options options;
        gputune_pool_desc desc;
        gputune_pool *pool;
        bool full = true;
        memset(&r, 0, sizeof r);
        memset(&options, 0, sizeof options);
        memset(&desc, 0, sizeof desc);
        options.reallocate = profiling_no_large;
        options.user = &full;
        options.store = "";
        for (i = 0; i < 6; i++) r.world.unit[i] = 1e-6 * (4 - i), r.world.slow[i] = 1;
        profiling_plane_open(&r, &options, 600, 25, 1, 3);
        desc.kernels = r.rig.kernels;
        desc.units = "width, height, depth";
        desc.mode = (gputune_profile_mode)mode;
        pool = gputune_pool_create(r.rig.device, &desc);
        for (i = 1; i < 4; i++) {
            if (i == 3) full = false;
            if (i == 3) gputune_pool_forget(pool);
            CHECK_INT(gputune_pool_run(pool, r.args, 5), GPUTUNE_OK);
            pool_data_check(&r.data, i, "without scratch");
            CHECK_INT(gputune_pool_outcome(pool)->profiled, i == 3);
            CHECK_INT(gputune_pool_outcome(pool)->winner, i == 3 ? 2 : 0);
            if (i < 3) CHECK_HAS(gputune_pool_outcome(pool)->text, "out of memory");
        }
        for (i = 0; i < 3; i++)
            CHECK_INT(gputune_pool_outcome(pool)->variants[i].result, GPUTUNE_OK);
        gputune_pool_destroy(pool);
        profiling_plane_close(&r);
    }
}

// --- odd arguments ---

// As the GPU drivers: there are no buffers of nothing.
static gputune_result profiling_no_nothing(void *self, size_t bytes, size_t guard,
                                           gputune_memory *memory, gputune_error *error)
{
    if (bytes + guard == 0) return pool_no_room(self, bytes, guard, memory, error);
    return gt__plain_allocate(self, bytes, guard, memory, error);
}

// The same buffer as two arguments, and an output with nothing in it.
static void profiling_aliases(void)
{
    int mode;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool_desc desc;
        gputune_pool *pool;
        gputune_arg args[6];
        unsigned char nothing = 9;
        int when, i;
        profiling_world_make(&world, 150e-9, 50e-9, 60e-9, 55e-9);
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
        r.base.device->driver.allocate = profiling_no_nothing;
        for (i = 0; i < 4; i++)
            r.kernels[i].signature = "uchar *y, uchar *in, int n, uchar *z, uchar *none, uchar *no";
        args[0] = r.data.args[0];
        args[1] = gputune_in(r.data.z, (size_t)r.data.n);
        args[2] = r.data.args[2];
        args[3] = r.data.args[1];
        args[4] = gputune_out(&nothing, 0);
        args[5] = gputune_inout(NULL, 0);
        memset(&desc, 0, sizeof desc);
        desc.kernels = r.kernels;
        desc.units = "n";
        desc.mode = (gputune_profile_mode)mode;
        desc.ceiling = 10;
        pool = gputune_pool_create(r.base.device, &desc);
        for (when = 0; when < 9; when++) {
            CHECK_OR(pool_run_when(pool, args, 6, (gputune_profile_when)(when / 3)) == GPUTUNE_OK,
                     "mode %d, when %d: %s", mode, when / 3, gputune_pool_error(pool)->text);
            CHECK_INT(gputune_pool_outcome(pool)->winner, 1);
            pool_data_check(&r.data, when + 1, "aliases");
        }
        CHECK_INT(nothing, 9);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// No work at all, one work-item, one variant, as many as can be.
static void profiling_extremes(void)
{
    static const int variants[] = { 1, 2, 64 };
    size_t k;
    int when, n, mode;
    for (k = 0; k < sizeof variants / sizeof *variants; k++)
        for (n = 0; n < 3; n++)
            for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
                profiling_world world;
                profiling_rig r;
                gputune_pool *pool;
                int i;
                profiling_world_make(&world, 40e-9, 10e-9, 20e-9, 15e-9);
                for (i = 4; i < PROFILING_MOST; i++) world.unit[i] = (20 + i) * 1e-9;
                profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, variants[k],
                               n < 2 ? n : 30000000);
                pool = profiling_pool(&r, NULL, (gputune_profile_mode)mode);
                for (when = 0; when <= (int)GPUTUNE_PROFILE_ONLINE; when++) {
                    gputune_result result =
                        pool_run_when(pool, r.data.args, 3, (gputune_profile_when)when);
                    CHECK_OR(result == GPUTUNE_OK, "%d variants, %d: %s", variants[k], n,
                             gputune_pool_error(pool)->text);
                    if (n) pool_data_check(&r.data, when + 1, "extremes");
                    if (n == 2) CHECK_INT(gputune_pool_outcome(pool)->winner, k > 0);
                    if (n == 2 && when == 0) CHECK_INT(gputune_pool_outcome(pool)->profiled, k > 0);
                }
                if (!n) CHECK_INT(r.data.z[0], 2);
                for (i = 0; i < variants[k]; i++)
                    CHECK_INT(gputune_pool_outcome(pool)->variants[i].result, GPUTUNE_OK);
                gputune_pool_destroy(pool);
                profiling_close(&r);
            }
}

static void profiling_too_many(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    profiling_world_make(&world, 40e-9, 10e-9, 20e-9, 15e-9);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 65, 1000);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
    CHECK_INT(gputune_pool_error(pool)->result, GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_pool_run(pool, r.data.args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_pool_error(pool)->text, ".kernels is 65");
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// More work-groups than the units need, and fewer.
static void profiling_other_units(void)
{
    static const char *const units[] = { "n", "n - 1000", "n / 2", "64", "n + 64" };
    size_t k;
    for (k = 0; k < sizeof units / sizeof *units; k++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool_desc desc;
        gputune_pool *pool;
        profiling_world_make(&world, 150e-9, 50e-9, 60e-9, 55e-9);
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000000);
        memset(&desc, 0, sizeof desc);
        desc.kernels = r.kernels;
        desc.units = units[k];
        desc.mode = GPUTUNE_PROFILE_FULLY;
        pool = gputune_pool_create(r.base.device, &desc);
        if (k == 4) {
            CHECK_INT(gputune_pool_run(pool, r.data.args, 3), GPUTUNE_ERROR_ARGUMENT);
            CHECK_HAS(gputune_pool_error(pool)->text, "do not cover");
            CHECK_INT(r.data.z[0], 2);
        } else {
            profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 3);
            profiling_run(&r, pool, GPUTUNE_PROFILE_ALWAYS, 3);
        }
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// --- the pool's own calls ---

// Preparing makes the sandboxes: a first launch behind it allocates nothing but what it compares
// with, and its kernels have all been launched.
static int profiling_allocated;

static gputune_result profiling_allocates(void *self, size_t bytes, size_t guard,
                                          gputune_memory *memory, gputune_error *error)
{
    profiling_allocated++;
    return gt__plain_allocate(self, bytes, guard, memory, error);
}

static void profiling_prepare_all(void)
{
    int prepared;
    for (prepared = 0; prepared < 2; prepared++) {
        profiling_world world;
        profiling_rig r;
        gputune_pool *pool;
        profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
        profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
        r.base.device->driver.allocate = profiling_allocates;
        pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
        if (prepared) CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
        profiling_allocated = 0;
        CHECK_INT(profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1)->winner, 1);
        CHECK_INT(profiling_allocated == 0, prepared);
        gputune_pool_destroy(pool);
        profiling_close(&r);
    }
}

// Preparing looks only at what it needs of the variants' texts: it takes no more allocations than
// making the pool does five times.
static void profiling_prepare_reads(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    char sources[4][200];
    int i, made;
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
    gputune_device_destroy(r.base.device);
    r.desc.options.reallocate = profiling_counted;
    r.base.device = rig_replay(&r.desc, 5e-6, true);
    r.base.device->driver.takes_source = true;
    for (i = 0; i < 4; i++) {
        snprintf(sources[i], sizeof sources[i],
                 "__kernel void %s(__global uchar *y, __global uchar *z, int n) { }",
                 r.kernels[i].name);
        r.kernels[i].source = sources[i];
    }
    profiling_allocations = 0;
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
    made = profiling_allocations;
    CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
    CHECK_OR(profiling_allocations < 5 * made, "%d allocations, and %d to make the pool",
             profiling_allocations, made);
    gputune_pool_destroy(pool);
    profiling_close(&r);
}

// Forget, never, prepare: what is known, what is launched, and what the reports say.
static void profiling_calls(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    const gputune_pool_report *o;
    gputune_error error;
    int i, launches;
    double compiled;
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    world.bad_one = 3;
    world.bad = GPUTUNE_ERROR_LAUNCH;
    profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
    pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_FULLY);
    CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK);
    // What is launched leaves the program's buffers alone.
    for (i = 0; i < r.data.n; i++) CHECK(r.data.y[i] == 1 && r.data.z[i] == 2);
    CHECK_INT(world.launches[0] + world.launches[1] + world.launches[2] + world.launches[3], 7);
    compiled = profiling_now(&r);
    CHECK_INT(gputune_pool_prepare(pool, r.data.args, 3), GPUTUNE_OK); // nothing is left to do
    CHECK_NEAR(profiling_now(&r), compiled, 0);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
    CHECK(o->profiled);
    CHECK_INT(o->variants[3].result, GPUTUNE_ERROR_LAUNCH);
    CHECK(*o->variants[3].reason);
    CHECK(o->variants[1].rate > o->variants[0].rate);
    CHECK_INT(o->winner, 1);
    CHECK_TEXT(profiling_winner(pool), "V=1");
    CHECK_TEXT(o->text, "V=1: 5 parts of at most 2048 units, rounds: 2; fully: the program's "
                        "choice; 52.7 ms, 0.745 of them for profiling");
    CHECK(o->cost >= 0);
    for (i = 0; i < 3; i++) {
        CHECK(o->variants[i].rate > 0);
        CHECK_INT(o->variants[i].result, GPUTUNE_OK);
        CHECK_TEXT(o->variants[i].reason, "");
    }
    launches = world.launches[0] + world.launches[2] + world.launches[3];
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
    CHECK_INT(o->winner, 1);
    CHECK(!o->profiled);
    CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(world.launches[0] + world.launches[2] + world.launches[3], launches);
    world.unit[0] = 10e-9;
    gputune_pool_forget(pool);
    o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
    CHECK(o->profiled);
    CHECK_INT(o->winner, 0);
    CHECK_INT(o->variants[3].result, GPUTUNE_ERROR_LAUNCH); // quarantine stays
    r.base.device->driver.submit = NULL; // a driver that cannot tell when launches ran
    gputune_pool_forget(pool);
    for (i = 0; i <= (int)GPUTUNE_PROFILE_ONLINE; i++)
        CHECK(!profiling_run(&r, pool, (gputune_profile_when)i, 1)->profiled);
    gputune_pool_destroy(pool);
    gputune_pool_destroy(NULL);
    gputune_pool_forget(NULL);
    CHECK_INT(gputune_pool_run(NULL, r.data.args, 3), GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_pool_prepare(NULL, r.data.args, 3), GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_pool_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    profiling_close(&r);
    memset(&error, 0, sizeof error);
    error.result = GPUTUNE_ERROR_NO_DEVICE; // a device that has failed
    snprintf(error.text, sizeof error.text, "%s", "no device at all");
    {
        gputune_device *failed = gputune_device_create_failed(NULL, &error);
        gputune_pool_desc desc;
        gputune_arg none = gputune_int(1);
        memset(&desc, 0, sizeof desc);
        pool = gputune_pool_create(failed, &desc);
        CHECK_INT(gputune_pool_run(pool, &none, 1), GPUTUNE_ERROR_NO_DEVICE);
        CHECK_HAS(gputune_pool_error(pool)->text, "no device at all");
        gputune_pool_destroy(pool);
        gputune_device_destroy(failed);
    }
}

// What was verified at one alignment runs at another once it is verified there, and nothing else is
// looked at again, in this process and the next; if it is wrong there, then all are.
static void profiling_aligned(void)
{
    int kind, stored, i, k;
    for (kind = 0; kind < 3; kind++) // parts, turns, one launch in many
        for (stored = 0; stored < 2; stored++) {
            const gputune_profile_when when =
                kind < 2 ? GPUTUNE_PROFILE_FIRST : GPUTUNE_PROFILE_ONLINE;
            const gputune_pool_report *o;
            profiling_world world;
            profiling_rig r;
            gputune_arg args[4];
            gputune_pool *pool;
            int others = 0, done = 0;
            tune_temp();
            profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.8e-9);
            profiling_open(&r, &world, stored ? tune_store : "", GPUTUNE_MODE_DEFAULT, 4,
                           kind == 1 ? 1000003 : 40000003);
            for (i = 0; i < 4; i++) r.kernels[i].signature = "uchar *y, uchar *z, int n, int at";
            for (i = 0; i < 4; i++) r.kernels[i].tune.classes = "n, at";
            memcpy(args, r.data.args, sizeof r.data.args);
            pool = profiling_pool(&r, "aligned", GPUTUNE_PROFILE_HYBRID);
            for (k = 0; k < 3; k++) { // 16, 1, 2
                const int most = kind < 2 && k ? 20 : 2000;
                args[3] = arg_int32(k ? k : 16);
                if (k == 1) others = world.launches[2] + world.launches[3];
                if (k == 1 && stored) {
                    gputune_pool_destroy(pool);
                    pool = profiling_pool(&r, "aligned", GPUTUNE_PROFILE_HYBRID);
                }
                for (i = 0; i < most; i++) {
                    CHECK_INT(pool_run_when(pool, args, 4, when), GPUTUNE_OK);
                    o = gputune_pool_outcome(pool);
                    if (k && i == 0 && kind < 2) CHECK(o->profiled && o->winner == (k == 1));
                    done++;
                    if (kind < 2 ? !o->profiled && o->origin : strstr(o->text, "settled") != NULL)
                        break;
                }
                CHECK_OR(i < most, "kind %d, %d: %s", kind, k, o->text);
                CHECK_INT(o->winner, k < 2 ? 1 : 3);
                CHECK_NEAR(o->seconds / profiling_whole(&r, o->winner), 1, 0.2); // as known there
                if (k == 1) CHECK_INT(world.launches[2] + world.launches[3], others);
                if (k != 1) continue;
                world.bad_one = 1; // for the next
                world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
                if (kind == 2) break;
            }
            pool_data_check(&r.data, done, "aligned");
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

// What looking at variants and compiling them takes counts as tuning: once the options' seconds are
// spent the best so far does the work.
static void profiling_spent(void)
{
    const double seconds[] = { 2e-4, 4e-4, 0 };
    int when, s, i, k;
    for (when = 0; when <= (int)GPUTUNE_PROFILE_ONLINE; when += (int)GPUTUNE_PROFILE_ONLINE)
        for (s = 0; s < 3; s++) {
            const gputune_pool_report *o = NULL;
            profiling_world world;
            profiling_rig r;
            gputune_pool *pool;
            profiling_world_make(&world, 1e-9, 1e-9, 1e-9, 1e-9);
            for (i = 0; i < 12; i++) world.unit[i] = 1e-9 * (1 + 0.01 * (12 - i));
            profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 12, 1000003);
            gputune_device_destroy(r.base.device);
            r.desc.options.tuning_seconds = seconds[s];
            r.base.device = rig_replay(&r.desc, 5e-6, true);
            pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
            for (k = 0; k < 1500; k++) {
                o = profiling_run(&r, pool, (gputune_profile_when)when, 1);
                if (strstr(o->text, "all seconds for tuning are spent")) break;
            }
            CHECK_INT(k < 1500, s < 2);
            // Of those that parts cannot separate the incumbent stays.
            CHECK_INT(o->origin != GPUTUNE_FROM_DEFAULT && o->winner >= (when ? 8 : 11), s == 2);
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

// However large the work is, its first launches end with somebody who does it from then on.
static void profiling_first_ends(void)
{
    double n;
    int variants, k, gpu;
    for (variants = 2; variants <= 12; variants += 5)
        for (gpu = 0, n = 3e5; n < 1e7; n *= 1.04, gpu = !gpu) {
            const gputune_pool_report *o;
            profiling_world world;
            profiling_rig r;
            gputune_pool *pool;
            profiling_world_make(&world, 1e-9, 1e-9, 1e-9, 1e-9);
            for (k = 0; k < variants; k++) world.unit[k] = 1e-9 * (1 + 0.05 * (variants - k));
            profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, variants, (int)n);
            r.base.device->limits.is_gpu = gpu;
            r.base.device->limits.compute_units = 4;
            pool = profiling_pool(&r, NULL, GPUTUNE_PROFILE_HYBRID);
            for (k = 0; k < 40; k++) {
                o = profiling_run(&r, pool, GPUTUNE_PROFILE_FIRST, 1);
                if (k && !o->profiled) break;
            }
            CHECK_OR(k < 40, "%d variants of %.0f units: %s", variants, n, o->text);
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

// --- host threads ---

static void profiling_very_slow(HOST_KERNEL)
{
    volatile int wait;
    size_t i;
    for (i = range->begin[0]; i < range->end[0]; i++) {
        for (wait = 0; wait < 1500; wait++) continue;
        pool_item(args, i, 0);
    }
}

// Functions of very different speed: every item once, whoever begins.
static void profiling_host_speeds(void)
{
    static const int sizes[] = { 30, 20011, 100003 };
    static const size_t begins[] = { 0, 1, 3 };
    pool_rig r;
    size_t s, b;
    int mode, when;
    pool_host(&r);
    pool_add_function(&r, "very slow", profiling_very_slow, "16");
    pool_add_function(&r, "plain", pool_plain, "96");
    pool_add_function(&r, "slow", pool_slow, "40");
    pool_add_function(&r, "backwards", pool_backwards, "64");
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (b = 0; b < sizeof begins / sizeof *begins; b++)
            for (mode = 1; mode <= (int)GPUTUNE_PROFILE_HYBRID; mode++)
                for (when = 0; when < 2; when++) {
                    gputune_pool_desc desc;
                    char what[96];
                    memset(&desc, 0, sizeof desc);
                    desc.kernels = r.kernels;
                    desc.units = "n";
                    desc.mode = (gputune_profile_mode)mode;
                    pool_begins(r.kernels, begins[b]);
                    desc.when = when ? GPUTUNE_PROFILE_ALWAYS : GPUTUNE_PROFILE_FIRST;
                    desc.part = 900;
                    desc.ceiling = 100;
                    snprintf(what, sizeof what, "%d items, %s begins, mode %d, when %d", sizes[s],
                             r.kernels[0].name, mode, when);
                    pool_launches(&r, &desc, sizes[s], 2, what);
                    pool_begins(r.kernels, begins[b]);
                }
    pool_end(&r);
}

// Eight values of an argument count one by one. The store's are read before a call is counted: else
// a new one would take the place of one at which a variant is wrong. A stored answer does not grow.
static void profiling_odd(HOST_KERNEL)
{
    const int *x = (const int *)args[0], n = *(const int *)args[2], at = *(const int *)args[3];
    int *y = (int *)args[1];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++)
        y[i] = 1 + 2 * x[i] + (user && at == 15);
}

static void profiling_even(HOST_KERNEL)
{
    profiling_odd(range, args, config, user);
    pool_took *= 1.3;
}

static void profiling_many_values(void)
{
    enum { N = 100003, RUNS = 3 };
    static const int calls[RUNS][9] = { { 1, 3, 5, 7, 9, 11, 13, 15 }, { 17, 19 }, { 1, 15 } };
    int *x = (int *)calloc(N, 4), *y = (int *)calloc(N, 4), run, k, i, again, wrong = 0;
    tune_temp();
    for (run = 0; run < RUNS; run++) {
        pool_rig r;
        gputune_options options = pool_options(&r, tune_store);
        gputune_pool_desc desc;
        gputune_pool *pool;
        r.device = gputune_host_device_create(&options);
        for (i = 0; i < 3; i++) {
            gputune_kernel_desc *kernel =
                pool_add_function(&r, i == 1 ? "odd" : i ? "good" : "right",
                                  i == 2 ? profiling_even : profiling_odd, "64");
            kernel->signature = "const int *x, int *y, int n, int at";
            kernel->tune.classes = "n, at";
            r.functions[i][0].user = i == 1 ? (void *)&r : NULL;
        }
        pool_clock(&r);
        desc = pool_in_parts(&r, GPUTUNE_PROFILE_HYBRID);
        desc.name = "a pool";
        pool = gputune_pool_create(r.device, &desc);
        for (k = 0; k < 8 && calls[run][k]; k++)
            for (again = 0; again < 3; again++) {
                gputune_arg args[4];
                args[0] = gputune_in(x, 4 * N);
                args[1] = gputune_out(y, 4 * N);
                args[2] = arg_int32(N);
                args[3] = arg_int32(calls[run][k]);
                if (run == 1 && again) gputune_pool_forget(pool);
                CHECK_INT(gputune_pool_run(pool, args, 4), GPUTUNE_OK);
                for (i = 0; i < N; i++) wrong += y[i] != 1;
            }
        CHECK(gt__len(pool->problem->of->classes.of) < 3 * 12);
        gputune_pool_destroy(pool);
        pool_end(&r);
    }
    CHECK_INT(wrong, 0);
    tune_clean();
    free(x);
    free(y);
}

// A call beyond 64 classes runs the default, also after the pool has been told to forget.
static void profiling_forget_full(void)
{
    profiling_world world;
    profiling_rig r;
    gputune_pool *pool;
    gputune_arg args[5];
    int i;
    tune_temp();
    profiling_world_make(&world, 150e-9, 50e-9, 1e-6, 55e-9);
    profiling_open(&r, &world, tune_store, GPUTUNE_MODE_DEFAULT, 4, 100003);
    for (i = 0; i < 4; i++) {
        r.kernels[i].signature = "uchar *y, uchar *z, int n, int at, int by";
        r.kernels[i].tune.classes = "n, at, by";
        r.kernels[i].args = "0,1,2,3,4";
    }
    memcpy(args, r.data.args, sizeof r.data.args);
    pool = profiling_pool(&r, "a pool", GPUTUNE_PROFILE_HYBRID);
    for (i = 0; i < 66; i++) {
        args[3] = arg_int32(1 + i % 8);
        args[4] = arg_int32(1 + i / 8);
        CHECK_INT(gputune_pool_run(pool, args, 5), GPUTUNE_OK);
    }
    for (i = 0; i < 2; i++) {
        CHECK_HAS(gputune_pool_outcome(pool)->text, "over 64 classes");
        gputune_pool_forget(pool);
        CHECK_INT(gputune_pool_run(pool, args, 5), GPUTUNE_OK);
    }
    gputune_pool_destroy(pool);
    profiling_close(&r);
    tune_clean();
}

static const test_case profiling_cases[] = {
    { "many_values", profiling_many_values },
    { "forget_full", profiling_forget_full },
    { "online_the_ceiling", profiling_online_ceiling },
    { "online_sizes", profiling_online_sizes },
    { "online_sizes_in_turn", profiling_online_alternating },
    { "the_same_launch_again", profiling_repeated },
    { "always_small_work", profiling_always_small },
    { "turns", profiling_turns },
    { "some_at_once", profiling_some_at_once },
    { "always_sizes", profiling_always_sizes },
    { "compiled_side_by_side", profiling_side_by_side },
    { "online_waits_for_no_compiler", profiling_online_no_compiler },
    { "prepare_with_an_answer", profiling_prepare_known },
    { "other_arguments", profiling_other_arguments },
    { "many_variants", profiling_crowd },
    { "store", profiling_store },
    { "store_modes", profiling_store_modes },
    { "store_damaged", profiling_store_damaged },
    { "store_another_winner_later", profiling_store_again },
    { "store_strays", profiling_store_strays },
    { "store_waits", profiling_store_waits },
    { "prepare_without_profiling", profiling_prepare_modes },
    { "hangs_while_compared", profiling_hang_compared },
    { "ends_the_process_while_compared", profiling_crash_compared },
    { "ends_the_process_when_launched", profiling_crash_launched },
    { "classes", profiling_classes },
    { "store_is_wrong", profiling_store_wrong },
    { "store_verified", profiling_store_verified },
    { "store_states", profiling_store_states },
    { "store_trusted", profiling_store_trusted },
    { "first_saves", profiling_first_saves },
    { "always_saves", profiling_always_saves },
    { "store_of_small_work", profiling_store_small },
    { "two_variants", profiling_two },
    { "cost", profiling_cost },
    { "much_slower", profiling_much_slower },
    { "short_parts", profiling_short_parts },
    { "initial_fails", profiling_initial_fails },
    { "hangs_while_profiled", profiling_hang_profiled },
    { "time_limit", profiling_time_limit },
    { "always", profiling_always },
    { "at_random", profiling_random },
    { "memory", profiling_memory },
    { "a_full_device", profiling_full_device },
    { "no_scratch", profiling_no_scratch },
    { "aliases", profiling_aliases },
    { "extremes", profiling_extremes },
    { "too_many", profiling_too_many },
    { "other_units", profiling_other_units },
    { "calls", profiling_calls },
    { "prepare_all", profiling_prepare_all },
    { "prepare_reads", profiling_prepare_reads },
    { "aligned", profiling_aligned },
    { "spent", profiling_spent },
    { "first_ends", profiling_first_ends },
    { "host_functions_of_very_different_speed", profiling_host_speeds },
    { NULL, NULL },
};
