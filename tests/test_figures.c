// What a device can do, and what bounds a kernel on it: the arithmetic by hand, what is measured by
// reading back what the measuring kernels did, the search's end on a device that only pretends.
#include "rig.h"
#include "test.h"

// --- bounds as numbers ---

static const gputune_figures figures_round = { 4e12, 64e6, 8e12, 6e13, 3e13, 4e-6 };

typedef struct figures_row {
    double bytes, flops, double_flops, touched, seconds, filled;
    bool cold;
    double memory, arithmetic, least; // expected
    const char *by;
} figures_row;

static gputune_bounds figures_bounds(const gputune_figures *f, const figures_row *row)
{
    gputune_bounds b;
    memset(&b, 0, sizeof b);
    b.bytes = row->bytes;
    b.flops = row->flops + row->double_flops;
    b.seconds = row->seconds;
    b.stated = true;
    gt__bounds_of(&b, f, row->double_flops, row->touched, row->filled, row->cold);
    return b;
}

static void test_figures_bounds(void)
{
    static const figures_row rows[] = { // 64 of 4000 MB come from the cache at twice the rate
        { 4e9, 0, 0, 4e9, 1.1e-3, 1, false, 0.992e-3, 0, 0.992e-3, "memory" },
        { 4e9, 0, 0, 4e9, 1.1e-3, 1, true, 1e-3, 0, 1e-3, "memory" },
        { 4e9, 0, 0, 4e9, 2e-3, 1, false, 0.992e-3, 0, 0.992e-3, "overhead" },
        { 4e9, 0, 0, 4e9, 2e-3, 0.25, false, 0.992e-3, 0, 0.992e-3, "overhead" },
        { 4e9, 0, 0, 4e9, 2e-3, 0.24, false, 0.992e-3, 0, 0.992e-3, "latency" },
        { 4e9, 0, 0, 4e9, 2e-2, 0.375, false, 0.992e-3, 0, 0.992e-3, "latency" },
        { 4e9, 0, 0, 4e9, 2e-2, 0.5, false, 0.992e-3, 0, 0.992e-3, "overhead" },
        { 4e9, 9e10, 0, 4e9, 2e-3, 1, false, 0.992e-3, 1.5e-3, 1.5e-3, "arithmetic" },
        { 4e9, 0, 6e10, 4e9, 2.5e-3, 1, false, 0.992e-3, 2e-3, 2e-3, "arithmetic" },
        { 4e9, 6e10, 3e10, 4e9, 1.5e-3, 1, true, 1e-3, 1e-3, 1e-3, "arithmetic" }, // side by side
        { 64e6, 0, 0, 64e6, 1e-5, 1, false, 8e-6, 0, 8e-6, "cache" }, // it fits
        { 64e6, 0, 0, 64e6, 2e-5, 1, true, 1.6e-5, 0, 1.6e-5, "memory" },
        { 128e6, 0, 0, 128e6, 3e-5, 1, false, 2.4e-5, 0, 2.4e-5, "memory" }, // a half of it
        { 80e6, 0, 0, 80e6, 1.8e-5, 1, false, 1.2e-5, 0, 1.2e-5, "cache" },
        { 640e6, 0, 0, 64e6, 1e-4, 1, false, 8e-5, 0, 8e-5, "cache" }, // the same bytes ten times
        { 4e3, 0, 0, 4e3, 5e-6, 1, false, 5e-10, 0, 4e-6, "launch" },
        { 4e3, 0, 0, 4e3, 19e-6, 0.1, false, 5e-10, 0, 4e-6, "" }, // a few launches' time
        { 4e3, 0, 0, 4e3, 6e-4, 0.1, false, 5e-10, 0, 4e-6, "latency" },
        { 4e3, 0, 0, 4e3, 21e-6, 1, false, 5e-10, 0, 4e-6, "overhead" },
        { 4e9, 0, 0, 4e9, 0, 1, true, 1e-3, 0, 1e-3, "" }, // not timed
        { 0, 0, 0, 0, 1e-3, 1, false, 0, 0, 4e-6, "" },    // it needs nothing that is known
    };
    static const gputune_figures none = { 0, 0, 0, 0, 0, 0 };
    gputune_bounds b;
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        b = figures_bounds(&figures_round, &rows[i]);
        CHECK_NEAR(b.memory_seconds, rows[i].memory, 1e-9 * rows[i].memory);
        CHECK_NEAR(b.flops_seconds, rows[i].arithmetic, 1e-9 * rows[i].arithmetic);
        CHECK_NEAR(b.least, rows[i].least, 1e-9 * rows[i].least);
        CHECK_TEXT(b.by, rows[i].by);
    }
    b = figures_bounds(&none, &rows[2]);
    CHECK_NEAR(b.least, 0, 0);
    CHECK_TEXT(b.by, "");
}

// Of 10 units.
static void test_figures_filled(void)
{
    static const struct {
        int dimensions;
        size_t global[2], local[2];
        int is_gpu, active_groups;
        double occupancy, filled;
    } rows[] = { { 1, { 20480, 0 }, { 64, 0 }, 1, -1, -1, 1 },
                 { 1, { 1024, 0 }, { 64, 0 }, 1, -1, -1, 0.05 },
                 { 2, { 1024, 10 }, { 64, 1 }, 1, -1, -1, 0.5 },
                 { 1, { 1280, 0 }, { 64, 0 }, 1, 2, 0.375, 0.375 },     // 20 groups, 2 a unit
                 { 1, { 640, 0 }, { 64, 0 }, 1, 2, 0.375, 0.375 / 2 },  // half as many
                 { 1, { 128000, 0 }, { 64, 0 }, 1, 2, 0.375, 0.375 },   // more do not fit
                 { 1, { 1280, 0 }, { 128, 0 }, 0, -1, -1, 1 },          // a processor's cores
                 { 1, { 1280, 0 }, { 640, 0 }, 0, -1, -1, 0.2 },
                 { 1, { 1280, 0 }, { 0, 0 }, 0, -1, -1, 16 } };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        gputune_limits limits;
        gputune_driver_launch launch;
        gputune_usage usage = gt__no_usage();
        memset(&limits, 0, sizeof limits);
        memset(&launch, 0, sizeof launch);
        limits.compute_units = 10;
        limits.is_gpu = rows[i].is_gpu;
        launch.dimensions = rows[i].dimensions;
        memcpy(launch.global, rows[i].global, sizeof rows[i].global);
        memcpy(launch.local, rows[i].local, sizeof rows[i].local);
        usage.active_groups = rows[i].active_groups;
        usage.occupancy = rows[i].occupancy;
        CHECK_NEAR(gt__explain_filled(&limits, &launch, &usage), rows[i].filled, 1e-12);
    }
}

static void test_figures_text(void)
{
    static const struct {
        figures_row row;
        bool stated;
        const char *text;
    } cases[] = {
        { { 537e6, 0, 0, 537e6, 537e6 / 3.8e12, 1, true, 0, 0, 0, "" }, true,
          "moves at least 537 MB: 3.8 TB/s, 95 % of a copy's rate here. Bound by memory: at most "
          "1.05 x is left for any configuration." },
        { { 537e6, 0, 0, 537e6, 537e6 / 3.8e12, 1, true, 0, 0, 0, "" }, false,
          "if it touches all of its arguments once: moves at least 537 MB: 3.8 TB/s, 95 % of a "
          "copy's rate here. Bound by memory: at most 1.05 x is left for any configuration." },
        { { 32e6, 0, 0, 32e6, 5e-6, 1, false, 0, 0, 0, "" }, true,
          "moves at least 32 MB: 6.4 TB/s, 80 % of a copy's rate in the cache here. Bound by the "
          "cache: at most 1.25 x is left for any configuration." },
        { { 4e9, 1.8e12, 0, 4e9, 60e-3, 1, false, 0, 0, 0, "" }, true,
          "moves at least 4 GB: 66.7 GB/s, 2 % of a copy's rate here. Computes at least 1.8 "
          "Tflop: 30 Tflop/s, 50 % of what multiply-adds reach here. Reaches 50 % of either "
          "limit: busy with more than it needs." },
        { { 4e9, 0, 0, 4e9, 60e-3, 0.3, false, 0, 0, 0, "" }, true,
          "moves at least 4 GB: 66.7 GB/s, 2 % of a copy's rate here. Reaches 2 % of its limit: "
          "latency, for want of warps." },
        { { 4e9, 0, 0, 4e9, 0.95e-3, 1, true, 0, 0, 0, "" }, true,
          "moves at least 4 GB: 4.21 TB/s, 105 % of a copy's rate here. Bound by memory: at most "
          "1.00 x is left for any configuration." },
        { { 0, 1.8e12, 0, 0, 40e-3, 1, false, 0, 0, 0, "" }, true,
          "computes at least 1.8 Tflop: 45 Tflop/s, 75 % of what multiply-adds reach here. Bound "
          "by arithmetic: at most 1.33 x is left for any configuration." },
        { { 0, 1.8e12, 0, 0, 15e-3, 1, false, 0, 0, 0, "" }, true,
          "computes at least 1.8 Tflop: 120 Tflop/s, 200 % of what multiply-adds reach here. "
          "That is 2.00 x what was measured: .work says too much, it has units that are not "
          "measured (tensor cores), or the figures are of a busy machine." },
        { { 4e9, 0, 0, 4e9, 0.5e-3, 1, true, 0, 0, 0, "" }, true,
          "moves at least 4 GB: 8 TB/s, 200 % of a copy's rate here. That is 2.00 x what was "
          "measured: .work says too much, it has units that are not measured (tensor cores), or "
          "the figures are of a busy machine." },
        { { 4e9, 0, 0, 4e9, 0.5e-3, 1, true, 0, 0, 0, "" }, false,
          "if it touches all of its arguments once: moves at least 4 GB: 8 TB/s, 200 % of a copy's "
          "rate here. That is 2.00 x what was measured: it does not touch all of them." },
        { { 0, 0, 0, 0, 1e-3, 1, true, 0, 0, 0, "" }, true, "What bounds it is not known." },
        { { 4e3, 0, 0, 4e3, 5e-6, 1, false, 0, 0, 0, "" }, true,
          "moves at least 4 kB: 800 MB/s, 0 % of a copy's rate here. Bound by the launch: "
          "at most 1.25 x is left for any configuration." },
    };
    gt__base base;
    size_t i;
    gt__base_init(&base, NULL);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        gputune_bounds b = figures_bounds(&figures_round, &cases[i].row);
        char *text = NULL;
        b.stated = cases[i].stated;
        CHECK(gt__bounds_text(&b, &base, &text));
        CHECK_TEXT(text, cases[i].text);
        gt__arr_free(&base, text);
    }
}

// --- what is measured ---

static bool figures_likely(const gputune_figures *f, const gputune_limits *limits)
{
    const double rates[] = { f->memory_bandwidth, f->flops };
    bool likely = true;
    int i;
    for (i = 0; i < 2; i++) likely = likely && rates[i] > 1e6 && rates[i] < 1e16;
    likely = likely && f->launch > 1e-10 && f->launch < 1;
    if (f->cache_bytes > 0) likely = likely && f->cache_bandwidth >= 1.5 * f->memory_bandwidth;
    if (limits->is_gpu) likely = likely && f->cache_bytes > 0;
    return likely && f->double_flops >= 0;
}

// Kept in the store, bit for bit; measured again where that is damaged, or by force.
static void test_figures_store(void)
{
    const char *temporary = getenv("TMPDIR");
    char folder[200], path[220];
    gputune_figures f[5];
    gputune_error *error;
    int i;
    snprintf(folder, sizeof folder, "%s/gputune_figuresXXXXXX", temporary ? temporary : "/tmp");
    CHECK_OR(mkdtemp(folder), "%s cannot be made", folder);
    snprintf(path, sizeof path, "%s/store.txt", folder);
    for (i = 0; i < 5; i++) {
        gputune_options options;
        gputune_device *device;
        gt__answers *answers;
        memset(&options, 0, sizeof options);
        options.store = path;
        options.mode = i == 2   ? GPUTUNE_MODE_FORCE
                       : i == 3 ? GPUTUNE_MODE_READONLY
                                : GPUTUNE_MODE_ON;
        device = gputune_host_device_create(&options);
        error = (gputune_error *)(uintptr_t)gputune_device_error(device);
        answers = gt__device_answers(device);
        if (i == 4) { // damaged
            gt__entry entry;
            int at = 0;
            entry = *gt__store_next(answers->store, "gauge", &at);
            entry.config = "400000000000000040000000000000004000"; // two of six
            CHECK_INT(gt__store_put(answers->store, &entry.key, &entry, error), GPUTUNE_OK);
        }
        CHECK_OR(gputune_device_figures(device, &f[i]) == GPUTUNE_OK, "%s", error->text);
        CHECK(figures_likely(&f[i], gputune_device_limits(device)));
        CHECK(memcmp(&answers->figures, &f[i], sizeof f[i]) == 0);
        answers->figures.flops = 1; // asked again: as they are
        CHECK_INT(gputune_device_figures(device, &f[i]), GPUTUNE_OK);
        CHECK_NEAR(f[i].flops, 1, 0);
        gputune_device_destroy(device);
    }
    CHECK(memcmp(&f[0], &f[1], sizeof f[0]) == 0);
    CHECK(memcmp(&f[1], &f[2], sizeof f[0]) != 0);
    CHECK(memcmp(&f[2], &f[3], sizeof f[0]) == 0);
    CHECK(memcmp(&f[3], &f[4], sizeof f[0]) != 0);
    unlink(path);
    snprintf(path, sizeof path, "%s/store.txt.lock", folder);
    unlink(path);
    CHECK_INT(rmdir(folder), 0);
}

static void test_figures_refused(void)
{
    gputune_replay_desc replay;
    gputune_device *device;
    gputune_figures f;
    CHECK_INT(gputune_device_figures(NULL, &f), GPUTUNE_ERROR_MEMORY);
    memset(&replay, 0, sizeof replay);
    replay.trial = metrics_trial;
    device = gputune_replay_device_create(&replay);
    CHECK_INT(gputune_device_figures(device, &f), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_HAS(gputune_device_error(device)->text, "only pretends");
    CHECK_NEAR(f.launch, 0, 0);
    gputune_device_destroy(device);
}

// Does the kernel do what its figures say? A copy copies all of its bytes, in no turns none.
static void figures_gauge(gputune_device *device)
{
    enum { ITEMS = 4096, BYTES = 128 * ITEMS };
    static uint32_t x[BYTES / 4], y[BYTES / 4];
    gt__gauge g;
    int i;
    memset(&g, 0, sizeof g);
    g.device = device;
    g.bytes = BYTES;
    for (i = 0; i < BYTES / 4; i++) x[i] = (uint32_t)i + 1;
    for (i = 0; i < 2; i++)
        CHECK_INT(device->driver.allocate(device->self, BYTES, 0, &g.memory[i], &g.error),
                  GPUTUNE_OK);
    CHECK_OR(gt__gauge_open(&g, GT__GAUGE_MOVES) == GPUTUNE_OK, "%s", g.error.text);
    CHECK_INT(device->driver.write(device->self, g.memory[0].whole, 0, x, BYTES, &g.error),
              GPUTUNE_OK);
    for (i = 0; i < 3; i++) {
        memset(y, 0, sizeof y);
        CHECK_INT(device->driver.write(device->self, g.memory[1].whole, 0, y, BYTES, &g.error),
                  GPUTUNE_OK);
        gt__gauge_best(&g, 2 * i, ITEMS, 1);
        CHECK_OR(g.error.result == GPUTUNE_OK, "%s", g.error.text);
        CHECK_INT(device->driver.read(device->self, g.memory[1].whole, 0, y, BYTES, &g.error),
                  GPUTUNE_OK);
        if (i) CHECK(memcmp(x, y, BYTES / 2) == 0); // 64 bytes a work-item
        if (!i) CHECK_INT(y[0], 0);
        CHECK_INT(y[BYTES / 8], 0);
    }
    gputune_kernel_destroy(g.k);
    for (i = 0; i < 2; i++) device->driver.release(device->self, &g.memory[i]);
}

// A driver whose times are by rates: what becomes of them is these rates.
static const gputune_figures figures_scripted = { 4e10, 32 << 20, 1e11, 2e11, 1e11, 2e-6 };
static int figures_fails;  // launches of this source fail
static double figures_late;   // seconds that the next launch is late
static double figures_begins; // seconds that a launch takes before it does anything
static double figures_compiles; // seconds of a program
static int figures_launches[3], figures_shortest; // by source; of those that do nothing

static gputune_result figures_time(void *self, void *code, const gputune_driver_launch *launch,
                                   int batch, double time_limit, double hang_limit, double *seconds,
                                   gputune_error *error)
{
    const gputune_figures *f = &figures_scripted;
    const char *const *text = (const char *const *)((gt__host_code *)code)->user;
    const int source = (int)(text - gt__gauge_sources);
    const double turns = *(const int *)launch->args[0].data, items = (double)launch->global[0];
    (void)self, (void)time_limit, (void)hang_limit;
    CHECK_INT(launch->local[0], 128);
    if (source == figures_fails)
        return gputune_error_set(error, GPUTUNE_ERROR_LAUNCH, "%s", "scripted");
    gputune_sleep(figures_late);
    figures_late = 0;
    figures_launches[source]++;
    figures_shortest += batch > 1;
    *seconds = batch * f->launch;
    if (source == GT__GAUGE_FLOATS)
        *seconds = 128 * items * turns / f->flops;
    else if (source == GT__GAUGE_DOUBLES)
        *seconds = 128 * items * turns / f->double_flops;
    else if (turns > 0)
        *seconds = batch * turns * 128 * items /
                   (128 * items > f->cache_bytes ? f->memory_bandwidth : f->cache_bandwidth);
    if (turns > 0) *seconds += figures_begins;
    return GPUTUNE_OK;
}

static void test_figures_rates(void)
{
    int fails;
    for (fails = -1; fails < 3; fails++) {
        const gputune_figures *s = &figures_scripted;
        gputune_options options;
        gputune_device *device;
        gputune_figures f;
        gputune_result result;
        memset(&options, 0, sizeof options);
        options.store = "";
        device = gputune_host_device_create(&options);
        device->driver.time = figures_time;
        device->limits.max_group_size = 255;
        figures_fails = fails;
        result = gputune_device_figures(device, &f);
        CHECK_INT(result, fails == GT__GAUGE_MOVES ? GPUTUNE_ERROR_LAUNCH : GPUTUNE_OK);
        if (fails == GT__GAUGE_MOVES) {
            CHECK_HAS(gputune_device_error(device)->text, "scripted");
            CHECK(f.flops == 0 && f.cache_bytes == 0);
        } else {
            const bool floats = fails != GT__GAUGE_FLOATS;
            const bool doubles = fails != GT__GAUGE_DOUBLES;
            CHECK_NEAR(f.flops, floats ? s->flops : 0, 1e-6 * s->flops);
            CHECK_NEAR(f.double_flops, doubles ? s->double_flops : 0, 1e-6 * s->flops);
            CHECK_NEAR(f.memory_bandwidth, s->memory_bandwidth, 1e-6 * s->memory_bandwidth);
            CHECK_NEAR(f.cache_bandwidth, s->cache_bandwidth, 1e-6 * s->cache_bandwidth);
            CHECK_NEAR(f.cache_bytes, s->cache_bytes, 0);
            CHECK_NEAR(f.launch, s->launch, 1e-6 * s->launch);
        }
        gputune_device_destroy(device);
    }
}

static gputune_result figures_compile(void *self, const gputune_build *build, void **code,
                                      gputune_error *error)
{
    gputune_sleep(figures_compiles);
    return gt__host_compile(self, build, code, error);
}

static void figures_run(bool gpu)
{
    const gputune_figures *s = &figures_scripted;
    gputune_options options;
    gputune_device *device;
    gputune_figures f;
    memset(&options, 0, sizeof options);
    options.store = "";
    device = gputune_host_device_create(&options);
    device->driver.time = figures_time;
    device->driver.compile = figures_compile;
    device->limits.is_gpu = gpu;
    device->limits.max_group_size = 255;
    memset(figures_launches, 0, sizeof figures_launches);
    figures_shortest = 0;
    figures_fails = -1;
    CHECK_INT(gputune_device_figures(device, &f), GPUTUNE_OK);
    CHECK_NEAR(f.flops, s->flops, 0.02 * s->flops);
    CHECK_NEAR(f.double_flops, s->double_flops, 0.02 * s->double_flops);
    CHECK_NEAR(f.memory_bandwidth, s->memory_bandwidth, 0.02 * s->memory_bandwidth);
    CHECK_NEAR(f.cache_bandwidth, s->cache_bandwidth, 0.02 * s->cache_bandwidth);
    CHECK_NEAR(f.cache_bytes, s->cache_bytes, 0);
    gputune_device_destroy(device);
}

// On a GPU so many turns that where a launch begins does not count, and multiply-adds until its
// clock is up. A timing is made seven times, or once where that was late; a compiler makes nobody
// late.
static void test_figures_late(void)
{
    figures_begins = 1e-5;
    figures_run(true);
    CHECK_OR(figures_launches[GT__GAUGE_FLOATS] > 3 * figures_launches[GT__GAUGE_DOUBLES],
             "%d launches warm it up", figures_launches[GT__GAUGE_FLOATS]);
    figures_begins = 0;
    figures_late = 0.75;
    figures_compiles = 0.6;
    figures_run(false);
    figures_compiles = 0;
    CHECK_INT(figures_shortest, 7);
    CHECK_INT(figures_launches[GT__GAUGE_FLOATS] % 7, 1);
    CHECK_INT(figures_launches[GT__GAUGE_DOUBLES] % 7, 0);
}

static void test_figures_gauge(void)
{
    gputune_options options;
    gputune_device *device;
    memset(&options, 0, sizeof options);
    options.store = "";
    device = gputune_host_device_create(&options);
    figures_gauge(device);
    gputune_device_destroy(device);
}

static void test_figures_device(void)
{
    enum { N = 1 << 24 }; // far more than a launch takes
    static const char *const source = "KERNEL void twice(int n, GLOBAL float *x, GLOBAL float *y)\n"
                                      "{ int i = ID; if (i < n) y[i] = 2.0f * x[i]; }\n";
    gputune_device *device = rig_device("");
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_figures f;
    const gputune_bounds *b;
    gputune_arg args[3];
    char text[1200];
    void *x, *y;
    if (!device) return;
    figures_gauge(device);
    CHECK_OR(gputune_device_figures(device, &f) == GPUTUNE_OK, "%s",
             gputune_device_error(device)->text);
    CHECK(figures_likely(&f, gputune_device_limits(device)));
    CHECK(f.double_flops > 0);
    snprintf(text, sizeof text, "%s%s", rig_now->dialect, source);
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    desc.name = "twice";
    desc.global = "n";
    desc.local = "128";
    desc.work = "bytes = 8.0 * n; flops = 1.0 * n";
    kernel = gputune_kernel_create(device, &desc);
    x = gputune_buffer_create(device, 4 * N, NULL);
    y = gputune_buffer_create(device, 4 * N, NULL);
    args[0] = gputune_int(N);
    args[1] = gputune_in(x, 4 * N);
    args[2] = gputune_out(y, 4 * N);
    b = gputune_kernel_explain(kernel, args, 3, NULL);
    CHECK_OR(b, "%s", gputune_kernel_error(kernel)->text);
    if (b) {
        CHECK_NEAR(b->bytes, 8 * N, 0);
        CHECK_NEAR(b->flops, N, 0);
        CHECK(b->stated && b->seconds > 0 && b->least > 0 && *b->by);
        CHECK_HAS(b->text, "moves at least 134 MB: ");
        if (gputune_device_limits(device)->is_gpu && b->usage.registers >= 0)
            CHECK_HAS(b->text, " of 64 warps: limited by ");
    }
    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, x);
    gputune_buffer_destroy(device, y);
    gputune_device_destroy(device);
}

// --- the search's end ---

typedef struct figures_rig {
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[3];
    float in[64], out[64];
} figures_rig;

static double figures_slower = 1;

// 1 ms at best, where B is 40, and 1 % more for each step from there.
static void figures_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const double b = (double)gputune_config_int(config, "B");
    (void)user;
    trial->seconds = 1e-3 * (1 + 0.01 * fabs(b - 40)) * figures_slower;
    if (b > 99) trial->result = GPUTUNE_ERROR_LAUNCH;
    trial->usage.registers = 168;
    trial->usage.local_memory = 1024;
    trial->usage.spill_bytes = b > 40 ? 16 : 0;
    trial->watts = 100;
}

static const gputune_param figures_params[] = { { "B", "range 1,100", "1" }, { NULL, NULL, NULL } };

static void figures_init(figures_rig *r, const char *work)
{
    memset(r, 0, sizeof *r);
    r->replay.trial = figures_trial;
    r->replay.options.store = "";
    r->replay.limits.compute_capability = 90;
    r->desc.name = "figures";
    r->desc.signature = "int n, const float *in, float *out";
    r->desc.params = figures_params;
    r->desc.global = "n";
    r->desc.local = "128";
    r->desc.work = work;
    r->desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    r->desc.tune.budget.seconds = 1000;
    r->args[0] = gputune_int(1024);
    r->args[1] = gputune_in(r->in, sizeof r->in);
    r->args[2] = gputune_out(r->out, sizeof r->out);
}

static void figures_open(figures_rig *r)
{
    r->device = gputune_replay_device_create(&r->replay);
    gt__device_answers(r->device)->figures = figures_round; // as if they had been measured
    r->kernel = gputune_kernel_create(r->device, &r->desc);
}

static void figures_close(figures_rig *r)
{
    gputune_kernel_destroy(r->kernel);
    gputune_device_destroy(r->device);
}

static void figures_tune(figures_rig *r, gputune_outcome *o)
{
    figures_open(r);
    CHECK_OR(test_tunes(r->kernel, r->args, 3, o) == GPUTUNE_OK, "%s",
             gputune_kernel_error(r->kernel)->text);
}

static void test_figures_search(void)
{
    // 8e12 bytes a second in the cache, since the buffers are small: 7.8e6 * 1024 in 0.998 ms.
    static const struct {
        const char *work, *objective;
        double end; // seconds at which it ends; 0: it does not
        bool bounds;
    } cases[] = { { "bytes = 7.8e6 * n", NULL, 1.03 * 0.9984e-3, true },
                  { "flops = 0.98 * 6e10 / 1024 * n", NULL, 1.03 * 0.98e-3, true },
                  { "double_flops = 0.98 * 3e10 / 1024 * n", NULL, 1.03 * 0.98e-3, true },
                  { "double_flops = 2.0 * 3e10 / 1024 * n", NULL, 0, true }, // all are below it
                  { "bytes = 6e6 * n", NULL, 0, true },                      // a quarter is left
                  { "bytes = 6e6 * n; flops = 0.98 * 6e10 / 1024 * n", NULL, 1.03 * 0.98e-3, true },
                  { "7.8e6 * n", NULL, 0, false }, // units of a curve
                  { "bytes = 7.8e6 * n", "2 * time", 0, false },
                  { NULL, NULL, 0, false } };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double end = cases[i].end;
        figures_rig r;
        gputune_outcome o;
        int trials, t, near = 0;
        figures_init(&r, cases[i].work);
        r.desc.tune.objective = cases[i].objective;
        figures_tune(&r, &o);
        trials = test_trials(r.kernel);
        for (t = 0; t < trials; t++) near += gputune_kernel_trial(r.kernel, t)->value <= end;
        if (end > 0) { // with the first that is as near as that
            CHECK_INT(near, 1);
            CHECK(gputune_kernel_trial(r.kernel, trials - 1)->value <= end);
        }
        CHECK_OR((trials < 100) == (end > 0), "\"%s\": %d trials",
                 cases[i].work ? cases[i].work : "", trials);
        CHECK_INT(o.bounds != NULL, cases[i].bounds);
        CHECK_INT(strstr(o.note, "within 3 % of what bounds it") != NULL, end > 0);
        if (o.bounds) {
            CHECK(o.bounds->stated);
            CHECK_NEAR(o.bounds->seconds, o.best_stats.median, 0);
        }
        figures_close(&r);
    }
}

// Of several devices the kernel's own says what bounds it; who is at work then ends its trial.
static void test_figures_devices(void)
{
    gputune_device *more[3] = { NULL, NULL, NULL };
    figures_rig r;
    gputune_outcome o;
    int trials, t, near = 0, i;
    figures_init(&r, "bytes = 7.8e6 * n");
    for (i = 0; i < 2; i++) more[i] = gputune_replay_device_create(&r.replay);
    r.desc.tune.devices = more;
    figures_tune(&r, &o);
    trials = test_trials(r.kernel);
    for (t = 0; t < trials; t++)
        near += gputune_kernel_trial(r.kernel, t)->value <= 1.03 * 0.9984e-3;
    CHECK_OR(near >= 1 && near <= 3, "%d trials of %d are at the bound", near, trials);
    CHECK(trials < 100);
    CHECK_HAS(o.note, "within 3 % of what bounds it");
    CHECK_NEAR(gt__device_answers(more[0])->figures.launch, 0, 0);
    figures_close(&r);
    for (i = 0; i < 2; i++) gputune_device_destroy(more[i]);
}

// What bounds the real size says nothing of a smaller one.
static void test_figures_msp(void)
{
    gputune_saturation_desc msp;
    figures_rig r;
    gputune_outcome o;
    memset(&msp, 0, sizeof msp);
    msp.resize = "n = size";
    figures_init(&r, "bytes = 7.9872e9 + 0.0 * n"); // what all sizes take here
    r.desc.tune.msp = &msp;
    r.args[0] = gputune_int(1 << 20);
    figures_tune(&r, &o);
    CHECK_INT(test_trials(r.kernel), 100);
    CHECK(o.curve != NULL);
    CHECK(!o.bounds && !strstr(o.note, "bounds it"));
    figures_close(&r);
}

// What is not stated never ends a search, though its launch alone took as long.
static void test_figures_unstated(void)
{
    figures_rig r;
    int stated;
    for (stated = 0; stated < 2; stated++) {
        figures_init(&r, stated ? "bytes = 1.0 * n" : "1.0 * n");
        figures_open(&r);
        gt__device_answers(r.device)->figures.launch = 0.998e-3;
        CHECK_INT(gputune_tune(r.kernel, r.args, 3), GPUTUNE_OK);
        CHECK_INT(test_trials(r.kernel) < 100, stated);
        figures_close(&r);
    }
}

// Arguments are what is left where nothing is stated.
static void test_figures_explain(void)
{
    figures_rig r;
    gputune_config config;
    const gputune_bounds *b;
    gputune_outcome o;
    figures_init(&r, "bytes = 7.8e6 * n; double_flops = 1.0 * n");
    r.desc.tune.objective = "energy";
    figures_tune(&r, &o);
    b = gputune_kernel_explain(r.kernel, r.args, 3, NULL);
    CHECK_OR(b, "%s", gputune_kernel_error(r.kernel)->text);
    if (b) {
        CHECK_NEAR(b->bytes, 7.8e6 * 1024, 0);
        CHECK_NEAR(b->flops, 1024, 0);
        CHECK_NEAR(b->seconds, 1e-3, 2e-5);
        CHECK_INT(b->usage.registers, 168);
        CHECK_TEXT(b->by, "cache");
        CHECK_HAS(b->text, " 3 groups, 12 of 64 warps: limited by registers (168 registers, 1024 "
                           "bytes of local memory).");
        CHECK(!strstr(b->text, "keeps"));
    }
    config = gputune_space_default(gputune_kernel_space(r.kernel, r.args, 3));
    CHECK(gputune_config_parse(config.space, "B=80", &config));
    b = gputune_kernel_explain(r.kernel, r.args, 3, &config);
    CHECK(b && fabs(b->seconds - 1.4e-3) < 3e-5);
    CHECK_HAS(b ? b->text : NULL, " A work-item keeps 16 bytes in device memory.");
    figures_close(&r);
    figures_init(&r, NULL); // nothing was tuned: it is measured
    r.args[2] = gputune_inout(r.out, sizeof r.out);
    figures_open(&r);
    b = gputune_kernel_explain(r.kernel, r.args, 3, NULL);
    CHECK(b && !b->stated);
    CHECK_NEAR(b ? b->bytes : 0, 3 * sizeof r.in, 0);
    CHECK_NEAR(b ? b->seconds : 0, 1.39e-3, 1e-5);
    CHECK_HAS(b ? b->text : NULL, "if it touches all of its arguments once: moves at least 768 B");
    figures_close(&r);
}

// Times are those of the arguments that were tuned for; what failed or is not launched is not
// launched here.
static void test_figures_other(void)
{
    figures_rig r;
    gputune_outcome o;
    gputune_config config;
    const gputune_bounds *b;
    int cold;
    figures_init(&r, "bytes = 1e6 * n");
    figures_tune(&r, &o);
    CHECK_NEAR(o.bounds ? o.bounds->seconds : 0, 1e-3, 2e-5);
    r.args[0] = gputune_int(1000); // of the same bucket: measured
    figures_slower = 2;
    b = gputune_kernel_explain(r.kernel, r.args, 3, NULL);
    CHECK_NEAR(b ? b->seconds : 0, 2e-3, 4e-5);
    CHECK_NEAR(b ? b->bytes : 0, 1e9, 0);
    r.args[0] = gputune_int(1024);
    b = gputune_kernel_explain(r.kernel, r.args, 3, NULL);
    CHECK_NEAR(b ? b->seconds : 0, 1e-3, 2e-5);
    figures_slower = 1;
    r.args[0] = gputune_int(0);
    CHECK(!gputune_kernel_explain(r.kernel, r.args, 3, NULL));
    CHECK_INT(gputune_kernel_error(r.kernel)->result, GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "nothing is launched");
    r.args[0] = gputune_int(1024);
    config = gputune_space_default(gputune_kernel_space(r.kernel, r.args, 3));
    CHECK(gputune_config_parse(config.space, "B=100", &config));
    CHECK(!gputune_kernel_explain(r.kernel, r.args, 3, &config));
    CHECK_INT(gputune_kernel_error(r.kernel)->result, GPUTUNE_ERROR_LAUNCH);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "its trial failed");
    figures_close(&r);
    for (cold = 0; cold < 2; cold++) {
        figures_init(&r, "bytes = 1e6 * n");
        r.desc.tune.cold_cache = cold;
        figures_open(&r);
        b = gputune_kernel_explain(r.kernel, r.args, 3, NULL);
        CHECK_NEAR(b ? b->memory_seconds : 0, 1024e6 / (cold ? 4e12 : 8e12), 1e-12);
        figures_close(&r);
    }
}

static void test_figures_errors(void)
{
    static const struct {
        const char *work;
        gputune_result result;
        const char *culprit;
    } cases[] = { { "bits = 3 * n", GPUTUNE_ERROR_SYNTAX, "work \"bits\": expected flops" },
                  { "bytes = 3 * m", GPUTUNE_ERROR_SYMBOL, "unknown symbol 'm'" },
                  { "bytes = size", GPUTUNE_ERROR_SYMBOL, "unknown symbol 'size'" },
                  { "bytes = B * n", GPUTUNE_ERROR_SYMBOL, "unknown symbol 'B'" },
                  { "bytes = compute_units", GPUTUNE_ERROR_SYMBOL, "unknown symbol" },
                  { "bytes = 3 *", GPUTUNE_ERROR_SYNTAX, "expected an operand" },
                  { "bytes = 4 * n; flops = 10 - n", GPUTUNE_ERROR_ARITHMETIC, "is -1014 for" },
                  { "bytes = n / 0", GPUTUNE_ERROR_ARITHMETIC, "division" },
                  { "n; flops = 1", GPUTUNE_ERROR_SYNTAX, "work \"n\": expected flops" } };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        figures_rig r;
        figures_init(&r, cases[i].work);
        figures_open(&r);
        CHECK(!gputune_kernel_explain(r.kernel, r.args, 3, NULL));
        CHECK_INT(gputune_kernel_error(r.kernel)->result, cases[i].result);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, cases[i].culprit);
        // What does not compute for these arguments is no bound; what is misspelt is an error.
        CHECK_INT(gputune_run(r.kernel, r.args, 3),
                  cases[i].result == GPUTUNE_ERROR_ARITHMETIC ? GPUTUNE_OK : cases[i].result);
        CHECK_INT(test_trials(r.kernel), cases[i].result == GPUTUNE_ERROR_ARITHMETIC ? 100 : 0);
        figures_close(&r);
    }
    { // no figures: no bound, and the tuning goes on
        figures_rig r;
        gputune_outcome o;
        figures_init(&r, "bytes = 7.8e6 * n");
        r.device = gputune_replay_device_create(&r.replay);
        r.kernel = gputune_kernel_create(r.device, &r.desc);
        CHECK_INT(test_tunes(r.kernel, r.args, 3, &o), GPUTUNE_OK);
        CHECK_INT(test_trials(r.kernel), 100);
        CHECK(!o.bounds);
        CHECK(!gputune_kernel_explain(r.kernel, r.args, 3, NULL));
        CHECK_INT(gputune_kernel_error(r.kernel)->result, GPUTUNE_ERROR_UNSUPPORTED);
        figures_close(&r);
    }
}

static const test_case figures_cases[] = {
    { "bounds", test_figures_bounds },
    { "filled", test_figures_filled },
    { "text", test_figures_text },
    { "store", test_figures_store },
    { "refused", test_figures_refused },
    { "rates", test_figures_rates },
    { "late", test_figures_late },
    { "gauge", test_figures_gauge },
    { "search", test_figures_search },
    { "devices", test_figures_devices },
    { "msp", test_figures_msp },
    { "unstated", test_figures_unstated },
    { "explain", test_figures_explain },
    { "other", test_figures_other },
    { "errors", test_figures_errors },
    { NULL, NULL },
};

static const test_case figures_device_cases[] = {
    { "device", test_figures_device },
    { NULL, NULL },
};
