// [profiler]: what pools promise: store and journal, launch by launch, regions, mistakes of the
// world. On the replay device, whose clock is virtual, and with C functions.
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

// --- a job on the replay device ---

enum { PROFILING_MOST = 70 };

// How its variants behave.
typedef struct profiling_world {
    double unit[PROFILING_MOST], floor; // seconds of a work-item, of a launch
    int late;                  // another variant's share of work-items: see profiling_place
    gputune_result bad;        // what happens to the bad one
    int bad_one;
    int bad_after;             // launches of it that go well before
    double bad_seconds;        // and how long it takes then, if > 0
    bool bad_kills;            // or the process ends
    bool bad_whole;            // launches of the whole go well
    int launches[PROFILING_MOST], bad_launches;
    double compile_seconds;
    double (*place)(int variant, double where); // of the unit's time, by place on the grid
} profiling_world;

typedef struct profiling_rig {
    profiling_world *world;
    pool_rig base;
    pool_data data;
    gputune_replay_desc desc;
    gputune_variant variants[PROFILING_MOST + 1];
    char configs[PROFILING_MOST][8];
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
    int v = (int)gputune_get_int(config, "V");
    trial->compile_seconds = w->compile_seconds;
    if (!trial->launch) return;
    trial->seconds =
        w->floor + trial->items * w->unit[v] * profiling_place(w, v, trial->launch->grid);
    w->launches[v]++;
    if (v != w->bad_one || (w->bad_whole && !trial->launch->grid)) return;
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

// A device and a kernel with as many configurations as there are variants.
static void profiling_open(profiling_rig *r, profiling_world *world, const char *store,
                           gputune_mode mode, int variants, int n)
{
    gputune_kernel_desc kernel;
    gputune_param params[] = { { "V", "range 0,69", "0" }, { NULL, NULL, NULL } };
    int i;
    memset(r, 0, sizeof *r);
    r->world = world;
    r->desc.options = pool_options(&r->base, store);
    r->desc.options.mode = mode;
    r->desc.trial = profiling_trial;
    r->desc.user = world;
    r->desc.overhead = 5e-6;
    r->desc.limits.is_gpu = 1;
    r->base.device = gputune_replay_device(&r->desc);
    memset(&kernel, 0, sizeof kernel);
    kernel.name = "job";
    kernel.params = params;
    kernel.global = "n";
    kernel.local = "64";
    r->base.kernels[0] = gputune_kernel_create(r->base.device, &kernel);
    r->base.count = 1;
    for (i = 0; i < variants; i++) {
        snprintf(r->configs[i], sizeof r->configs[i], "V=%d", i);
        r->variants[i].kernel = r->base.kernels[0];
        r->variants[i].config = r->configs[i];
        r->variants[i].name = r->configs[i];
    }
    r->n = n;
    pool_data_make(&r->data, 4099);
    r->data.args[2] = gputune_named(gputune_int(n), "n");
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
    desc.variants = r->variants;
    desc.units = "n";
    desc.mode = mode;
    return gputune_pool_create(r->base.device, &desc);
}

// Launches it so many times; each must do all the work once.
static const gputune_pool_outcome *profiling_run(profiling_rig *r, gputune_pool *pool,
                                                 gputune_profile_when when, int launches)
{
    int i;
    for (i = 0; i < launches; i++) {
        gputune_result result = gputune_pool_run(pool, r->data.args, 3, when);
        r->launches++;
        if (result != GPUTUNE_OK) {
            TEST_FAIL("launch %d: %s", r->launches, gputune_pool_error(pool)->text);
            break;
        }
    }
    pool_data_check(&r->data, r->launches, gputune_pool_last(pool)->note);
    return gputune_pool_last(pool);
}

// The virtual clock when all is done.
static double profiling_now(profiling_rig *r)
{
    gputune_error error;
    r->base.device->driver.wait(r->base.device->self, &error);
    return gputune__device_now(r->base.device);
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
            const gputune_pool_outcome *o;
            double begin;
            int i;
            profiling_world_make(&world, 1e-9, 0.5e-9, 4e-9, 0.55e-9);
            profiling_open(&r, &world, "", GPUTUNE_MODE_DEFAULT, 4, 1000003);
            memset(&desc, 0, sizeof desc);
            desc.variants = r.variants;
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
                if (taken > most)
                    TEST_FAIL("ceiling %g, mode %d: %d launches took %g s, allowed %g s",
                              ceilings[c], mode, r.launches, taken, most);
            }
            o = profiling_run(&r, pool, GPUTUNE_PROFILE_ONLINE, 1);
            if (o->winner != 1)
                TEST_FAIL("ceiling %g, mode %d: the winner is %d: %s", ceilings[c], mode, o->winner,
                          o->note);
            CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
            CHECK_HAS(o->note, "settled");
            if (strstr(r.base.log, "open again")) TEST_FAIL("opened without a drift");
            gputune_pool_destroy(pool);
            profiling_close(&r);
        }
}

static const test_case profiling_cases[] = {
    { "online: the ceiling", profiling_online_ceiling },
    { NULL, NULL },
};
