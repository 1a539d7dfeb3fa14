// Objectives other than time: energy by a counter that moves now and then, power, resources.
#include "test.h"

// Fastest at B=64, least energy at B=16, least power at B=8; registers grow with B.
static double metrics_seconds(int64_t b)
{
    double x = log2((double)b) - 6;
    return 1e-3 * (1 + 0.1 * x * x);
}

static double metrics_watts(int64_t b)
{
    return 50 + 3 * (double)b;
}

static bool metrics_unknown; // the device does not tell what kernels use

static void metrics_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    int64_t b = gputune_config_int(config, "B");
    (void)user;
    trial->seconds = metrics_seconds(b);
    trial->watts = metrics_watts(b);
    if (metrics_unknown) return;
    trial->usage.registers = (int)(b / 4);
    trial->usage.spill_bytes = b > 16 ? (int)b - 16 : 16 - (int)b;
    trial->usage.local_memory = 4 * llabs(b - 32);
    trial->usage.occupancy = b == 32 ? 1 : 0.5;
}

// The value of B with the least objective, by going through all.
static int64_t metrics_best(double (*objective)(int64_t))
{
    int64_t b, best = 8;
    for (b = 8; b <= 256; b *= 2)
        if (objective(b) < objective(best)) best = b;
    return best;
}

static double metrics_energy(int64_t b) { return metrics_seconds(b) * metrics_watts(b); }
static double metrics_product(int64_t b) { return metrics_energy(b) * metrics_seconds(b); }
static double metrics_below(int64_t b) { return metrics_watts(b) > 120 ? 1e9 : metrics_seconds(b); }

typedef struct metrics_rig {
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[2];
    bool uncounted; // it has no energy counter
    gputune_result (*counter)(void *self, double *joules, gputune_error *error); // NULL: a good one
    float out[16], inout[16];
    gputune_result result;
    gputune_outcome outcome;
} metrics_rig;

static const gputune_param metrics_params[] = { { "B", "erange 8,256,2", "128" },
                                                { NULL, NULL, NULL } };

// As NVML's: it moves every 100 ms.
static double metrics_shown, metrics_next;

static gputune_result metrics_counter(void *self, double *joules, gputune_error *error)
{
    const double now = gt__replay_now(self);
    const gputune_result result = gt__replay_energy(self, joules, error);
    if (now >= metrics_next) {
        metrics_shown = *joules;
        metrics_next = (floor(now / 0.1) + 1) * 0.1;
    }
    *joules = metrics_shown;
    return result;
}

static void metrics_tune(metrics_rig *r, const char *objective, bool inout)
{
    int i;
    for (i = 0; i < 16; i++) r->out[i] = r->inout[i] = (float)i;
    r->replay.trial = metrics_trial;
    r->replay.options.store = "";
    r->device = gputune_replay_device_create(&r->replay);
    metrics_shown = metrics_next = 0;
    r->device->driver.energy = r->uncounted ? NULL : r->counter ? r->counter : metrics_counter;
    r->desc.name = "metrics";
    r->desc.params = metrics_params;
    r->desc.global = "256";
    r->desc.signature = inout ? "float *out, float *inout" : "float *out";
    r->desc.tune.objective = objective;
    r->desc.tune.budget.seconds = 1000;
    r->kernel = gputune_kernel_create(r->device, &r->desc);
    r->args[0] = gputune_out(r->out, sizeof r->out);
    r->args[1] = gputune_inout(r->inout, sizeof r->inout);
    r->result = test_tunes(r->kernel, r->args, inout ? 2 : 1, &r->outcome);
}

static void metrics_close(metrics_rig *r)
{
    gputune_kernel_destroy(r->kernel);
    gputune_device_destroy(r->device);
}

// Tunes for an objective and compares the winner and every trial's value with the oracle's.
static void metrics_check(const char *text, double (*objective)(int64_t), bool inout)
{
    metrics_rig r;
    int i;
    memset(&r, 0, sizeof r);
    metrics_tune(&r, text, inout);
    CHECK_INT(r.result, GPUTUNE_OK);
    if (r.result != GPUTUNE_OK) {
        TEST_FAIL("%s: %s", text, gputune_kernel_error(r.kernel)->text);
    } else {
        CHECK_INT(gputune_config_int(&r.outcome.config, "B"), metrics_best(objective));
        CHECK_INT(test_trials(r.kernel), 6);
        for (i = 0; i < test_trials(r.kernel); i++) {
            const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
            int64_t b = gputune_config_int(&t->config, "B");
            // A burst of 10 ms more or less in half a second.
            CHECK_NEAR(t->value, objective(b), 0.03 * objective(b));
            CHECK_NEAR(t->stats.median, metrics_seconds(b), 1e-9);
            CHECK_INT(t->usage.registers, b / 4);
        }
        CHECK_NEAR(r.outcome.speedup, objective(128) / objective(metrics_best(objective)),
                   0.05 * r.outcome.speedup);
    }
    metrics_close(&r);
}

static void test_metrics_energy(void)
{
    CHECK(metrics_best(metrics_energy) != metrics_best(metrics_seconds));
    metrics_check("energy", metrics_energy, false);
    metrics_check("energy * time", metrics_product, false);
    metrics_check("power > 120 ? 1e9 : time", metrics_below, false);
    metrics_check("energy", metrics_energy, true); // content is renewed before every launch
}

// Only what is named is measured; resources need no energy counter.
static void test_metrics_resources(void)
{
    metrics_rig r;
    memset(&r, 0, sizeof r);
    metrics_tune(&r, "registers + B * 0", false);
    CHECK_INT(r.result, GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&r.outcome.config, "B"), 8);
    CHECK_NEAR(gputune_kernel_trial(r.kernel, 0)->energy, 0, 0);
    metrics_close(&r);
    memset(&r, 0, sizeof r);
    metrics_tune(&r, "-occupancy", false); // the most: values are negative
    CHECK_INT(r.result, GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&r.outcome.config, "B"), 32);
    metrics_close(&r);
    memset(&r, 0, sizeof r);
    metrics_tune(&r, "1 + spill_bytes", false);
    CHECK_INT(gputune_config_int(&r.outcome.config, "B"), 16);
    metrics_close(&r);
    memset(&r, 0, sizeof r);
    metrics_tune(&r, "1 + local_bytes", false);
    CHECK_INT(gputune_config_int(&r.outcome.config, "B"), 32);
    metrics_close(&r);
}

static void metrics_refused(const char *objective, bool counts, gputune_result expected,
                            const char *word)
{
    metrics_rig r;
    memset(&r, 0, sizeof r);
    r.uncounted = !counts;
    metrics_tune(&r, objective, false);
    CHECK_INT(r.result, expected);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, word);
    metrics_close(&r);
}

static void test_metrics_errors(void)
{
    metrics_refused("energy", false, GPUTUNE_ERROR_UNSUPPORTED, "energy");
    metrics_refused("enrgy", true, GPUTUNE_ERROR_SYMBOL, "enrgy");
    metrics_refused("time +", true, GPUTUNE_ERROR_SYNTAX, "time +");
    metrics_refused("1.0 / (B - 128)", true, GPUTUNE_ERROR_ARITHMETIC, "");
    metrics_refused("spill_bytes - 1", true, GPUTUNE_OK, "");
}

// What a driver does not know of a kernel is no number.
static void test_metrics_unknown(void)
{
    static const char *const names[] = { "registers", "spill_bytes", "local_bytes", "occupancy" };
    size_t i;
    metrics_unknown = true;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        metrics_refused(names[i], true, GPUTUNE_ERROR_UNSUPPORTED, names[i]);
        metrics_refused(names[i], true, GPUTUNE_ERROR_UNSUPPORTED, "is unknown here");
    }
    metrics_unknown = false;
}

// A counter that fails from the third reading on, one that fails as the device's loss does, and one
// that never moves.
static int metrics_readings;

static gputune_result metrics_failing(void *self, double *joules, gputune_error *error)
{
    if (++metrics_readings < 3) return metrics_counter(self, joules, error);
    return gputune_error_set(error, GPUTUNE_ERROR_DRIVER, "the counter is gone");
}

static gputune_result metrics_lost(void *self, double *joules, gputune_error *error)
{
    (void)self;
    (void)joules;
    metrics_readings++;
    return gputune_error_set(error, GPUTUNE_ERROR_DEVICE_LOST, "the counter is lost");
}

static gputune_result metrics_stuck(void *self, double *joules, gputune_error *error)
{
    (void)self;
    (void)error;
    metrics_readings++;
    *joules = 1234;
    return GPUTUNE_OK;
}

static int metrics_warnings;

static void metrics_warned(void *user, gputune_log_level level, const char *text)
{
    (void)user;
    metrics_warnings += level == GPUTUNE_LOG_WARN && strstr(text, "metrics without energy: the ");
}

// Energy that cannot be had fails no trial that only shows it, and is not asked for again.
static void test_metrics_left_out(void)
{
    gputune_result (*counters[])(void *, double *, gputune_error *) = {
        NULL, metrics_failing, metrics_lost, metrics_stuck
    };
    int way, i;
    for (way = 0; way < 8; way++) {
        metrics_rig r;
        memset(&r, 0, sizeof r);
        metrics_readings = metrics_warnings = 0;
        r.uncounted = way % 4 == 0;
        r.counter = counters[way % 4];
        r.replay.options.log = metrics_warned;
        r.desc.tune.metrics = "J = energy; W = power; b = B";
        metrics_tune(&r, way < 4 ? NULL : "time * 2", way % 2 != 0);
        CHECK_INT(r.result, GPUTUNE_OK);
        CHECK_INT(gputune_config_int(&r.outcome.config, "B"), metrics_best(metrics_seconds));
        CHECK_INT(test_trials(r.kernel), 6);
        for (i = 0; i < test_trials(r.kernel); i++) {
            CHECK_INT(gputune_kernel_trial(r.kernel, i)->result, GPUTUNE_OK);
            CHECK_NEAR(gputune_kernel_trial(r.kernel, i)->energy, 0, 0);
        }
        if (way < 4) CHECK_HAS(r.outcome.text, ", 64 b"); // of time alone
        CHECK(!strstr(r.outcome.text, " J") && !strstr(r.outcome.text, " W"));
        CHECK_INT(metrics_warnings, way % 4 != 0);
        if (way % 4 == 1) CHECK_INT(metrics_readings, 3);
        if (way % 4 == 2) CHECK_INT(metrics_readings, 1);
        metrics_close(&r);
    }
}

// What is to be minimised must be known: before a trial where that can be told, else at the first.
static void test_metrics_aimless(void)
{
    gputune_result (*counters[])(void *, double *, gputune_error *) = { metrics_lost,
                                                                        metrics_stuck };
    static const char *const why[] = { "the counter is lost", "B=128: the energy counter did not" };
    int way;
    for (way = 0; way < 2; way++) {
        metrics_rig r;
        memset(&r, 0, sizeof r);
        r.counter = counters[way];
        metrics_tune(&r, way ? "power" : "energy * 2", false);
        CHECK_INT(r.result, way ? GPUTUNE_ERROR_UNSUPPORTED : GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, why[way]);
        CHECK_INT(test_trials(r.kernel), way);
        metrics_close(&r);
    }
}

// A recording has a counter if it has joules, whatever stands for a failure.
static void test_metrics_recorded(void)
{
    static const struct {
        const char *text;
        bool counts;
    } files[] = { { "B,time_ms\n128,3\n64,2\n32,1\n16,4\n8,4\n256,4\n", false },
                  { "B,time_ms,energy\n128,3,\n64,2,0\n32,1,nan\n16,4,-1\n8,4,\n256,4,inf\n",
                    false },
                  { "B,time_ms,energy\n128,3,3\n64,2,1\n32,1,2\n16,4,4\n8,4,4\n256,4,4\n",
                    true } };
    char path[] = "/tmp/gputune-test-XXXXXX";
    const int file = mkstemp(path);
    size_t i;
    int way;
    CHECK(file >= 0);
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        const size_t size = strlen(files[i].text);
        CHECK(ftruncate(file, 0) == 0 && pwrite(file, files[i].text, size, 0) == (ssize_t)size);
        for (way = 0; way < 2; way++) {
            metrics_rig r;
            float out[16] = { 0 };
            memset(&r, 0, sizeof r);
            r.replay.file = path;
            r.replay.options.store = "";
            r.device = gputune_replay_device_create(&r.replay);
            r.desc.name = "metrics";
            r.desc.params = metrics_params;
            r.desc.global = "256";
            r.desc.signature = "float *out";
            r.desc.tune.metrics = "J = energy";
            r.desc.tune.objective = way ? "energy" : NULL;
            r.kernel = gputune_kernel_create(r.device, &r.desc);
            r.args[0] = gputune_out(out, sizeof out);
            r.result = test_tunes(r.kernel, r.args, 1, &r.outcome);
            if (way && !files[i].counts) {
                CHECK_INT(r.result, GPUTUNE_ERROR_UNSUPPORTED);
                CHECK_HAS(gputune_kernel_error(r.kernel)->text, "kernel metrics: objective "
                          "\"energy\": the replay driver does not measure energy");
                CHECK_INT(test_trials(r.kernel), 0);
            } else {
                CHECK_INT(r.result, GPUTUNE_OK);
                CHECK_INT(gputune_config_int(&r.outcome.config, "B"), way ? 64 : 32);
                if (!way) CHECK_INT(strstr(r.outcome.text, ", 2 J") != NULL, files[i].counts);
            }
            metrics_close(&r);
        }
    }
    CHECK_INT(close(file) | unlink(path), 0);
}

// Another objective is another question: the store's answer for time does not serve.
static void test_metrics_store(void)
{
    metrics_rig r;
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    const char *objectives[] = { NULL, "energy", NULL };
    const gputune_origin origins[] = { GPUTUNE_FROM_TUNING, GPUTUNE_FROM_TUNING,
                                       GPUTUNE_FROM_STORE };
    int i;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    for (i = 0; i < 3; i++) {
        memset(&r, 0, sizeof r);
        r.replay.trial = metrics_trial;
        r.replay.options.store = store;
        r.device = gputune_replay_device_create(&r.replay);
        r.desc.name = "metrics";
        r.desc.params = metrics_params;
        r.desc.global = "256";
        r.desc.signature = "float *out";
        r.desc.tune.objective = objectives[i];
        r.kernel = gputune_kernel_create(r.device, &r.desc);
        r.args[0] = gputune_out(r.out, sizeof r.out);
        CHECK_INT(test_tunes(r.kernel, r.args, 1, &r.outcome), GPUTUNE_OK);
        CHECK_INT(r.outcome.origin, origins[i]);
        CHECK_INT(gputune_config_int(&r.outcome.config, "B"),
                  metrics_best(objectives[i] ? metrics_energy : metrics_seconds));
        metrics_close(&r);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

// --- what is timed ---

static gputune_driver metrics_driver; // the replay device's own
static int metrics_batch[2];          // most launches of one sample: of the default, of the others
static size_t metrics_wiped;          // bytes of the last large fill
static bool metrics_wiping;           // it was after the last launch
static int metrics_wipes, metrics_cold; // large fills; launches that had one before them

static void metrics_short(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user;
    trial->seconds = gputune_config_int(config, "B") == 128 ? 60e-6 : 3e-6;
}

static gputune_result metrics_time(void *self, void *code, const gputune_driver_launch *launch,
                                   int batch, double time_limit, double hang_limit, double *seconds,
                                   gputune_error *error)
{
    int *most = &metrics_batch[gputune_config_int((const gputune_config *)code, "B") != 128];
    if (batch > *most) *most = batch;
    metrics_cold += metrics_wiping;
    metrics_wiping = false;
    return metrics_driver.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

static gputune_result metrics_fill(void *self, void *to, size_t offset, unsigned char byte,
                                   size_t bytes, gputune_error *error)
{
    if (bytes > 1000000) {
        metrics_wiping = true;
        metrics_wiped = bytes;
        metrics_wipes++;
    }
    return metrics_driver.fill(self, to, offset, byte, bytes, error);
}

static void metrics_time_short(metrics_rig *r)
{
    metrics_batch[0] = metrics_batch[1] = metrics_wipes = metrics_cold = 0;
    metrics_wiped = 0;
    metrics_wiping = false;
    r->replay.trial = metrics_short;
    r->replay.options.store = "";
    r->device = gputune_replay_device_create(&r->replay);
    metrics_driver = r->device->driver;
    r->device->driver.time = metrics_time;
    r->device->driver.fill = metrics_fill;
    r->desc.name = "metrics";
    r->desc.params = metrics_params;
    r->desc.global = "256";
    r->desc.signature = "float *out";
    r->kernel = gputune_kernel_create(r->device, &r->desc);
    r->args[0] = gputune_out(r->out, sizeof r->out);
    CHECK_INT(test_tunes(r->kernel, r->args, 1, &r->outcome), GPUTUNE_OK);
    CHECK_NEAR(r->outcome.speedup, 20, 0.1);
    metrics_close(r);
}

// Each configuration has a batch of its own length: the default's says nothing of a faster one. A
// cold cache allows none.
static void test_metrics_batches(void)
{
    metrics_rig r;
    memset(&r, 0, sizeof r);
    metrics_time_short(&r);
    CHECK_INT(metrics_batch[0], 1);
    CHECK_INT(metrics_batch[1], 34); // 100 us
    CHECK_INT(metrics_wiped, 0);
}

static void test_metrics_cold(void)
{
    metrics_rig r;
    int unknown;
    for (unknown = 0; unknown < 2; unknown++) {
        memset(&r, 0, sizeof r);
        r.replay.limits.cache_bytes = unknown ? 0 : 1000000;
        r.desc.tune.cold_cache = true;
        metrics_time_short(&r);
        CHECK_INT(metrics_batch[1], 1);
        CHECK(metrics_wipes > 10 && metrics_cold == metrics_wipes); // each fill before a launch
        CHECK_INT(metrics_wiped, unknown ? 128 << 20 : 2000000);
    }
}

// The device slows down during the search: the default, measured again in the race, shows it.
static int metrics_calls;

static void metrics_slowing(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user, (void)config;
    trial->seconds = ++metrics_calls > 150 ? 1.5e-3 : 1e-3;
}

static void metrics_warning(void *user, gputune_log_level level, const char *text)
{
    if (level == GPUTUNE_LOG_WARN) snprintf((char *)user, 128, "%s", text);
}

static void test_metrics_drift(void)
{
    static const gputune_param params[] = { { "B", "range 1,64", "1" }, { NULL, NULL, NULL } };
    int slows;
    for (slows = 0; slows < 2; slows++) {
        metrics_rig r;
        char warning[128] = "";
        memset(&r, 0, sizeof r);
        r.replay.options.log = metrics_warning;
        r.replay.options.user = warning;
        metrics_calls = slows ? 0 : -1000000;
        r.replay.trial = metrics_slowing;
        r.replay.options.store = "";
        r.device = gputune_replay_device_create(&r.replay);
        r.desc.name = "metrics";
        r.desc.params = params;
        r.desc.global = "256";
        r.desc.signature = "float *out";
        r.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
        r.kernel = gputune_kernel_create(r.device, &r.desc);
        r.args[0] = gputune_out(r.out, sizeof r.out);
        CHECK_INT(test_tunes(r.kernel, r.args, 1, &r.outcome), GPUTUNE_OK);
        CHECK_TEXT(warning, slows ? "metrics: the device's speed changed by 50 % during the search"
                                  : "");
        metrics_close(&r);
    }
}

// What is known between two parts of a tuning is of the objective, too, like the answer.
static void test_metrics_slices(void)
{
    metrics_rig r;
    const gputune_outcome *o;
    int calls = 0, found = 0;
    memset(&r, 0, sizeof r);
    r.desc.tune.slice = 1e-9;
    metrics_tune(&r, "time * 2", false);
    CHECK_NEAR(r.outcome.best_stats.median, 2 * metrics_seconds(64), 1e-9);
    gputune_kernel_destroy(r.kernel);
    r.kernel = gputune_kernel_create(r.device, &r.desc);
    do {
        CHECK_INT(gputune_run(r.kernel, r.args, 1), GPUTUNE_OK);
        o = gputune_kernel_outcome(r.kernel);
        if (o->origin != GPUTUNE_FROM_TUNING) continue;
        found++;
        CHECK_NEAR(o->default_stats.median, 2 * metrics_seconds(128), 1e-9);
        CHECK_NEAR(o->best_stats.median,
                   2 * metrics_seconds(gputune_config_int(&o->config, "B")), 1e-9);
    } while (o->goes_on && ++calls < 1000);
    CHECK(found > 5);
    CHECK_INT(gputune_config_int(&o->config, "B"), 64);
    metrics_close(&r);
}

static const test_case metrics_cases[] = {
    { "batches", test_metrics_batches },
    { "cold", test_metrics_cold },
    { "drift", test_metrics_drift },
    { "energy", test_metrics_energy },
    { "resources", test_metrics_resources },
    { "errors", test_metrics_errors },
    { "unknown", test_metrics_unknown },
    { "left_out", test_metrics_left_out },
    { "aimless", test_metrics_aimless },
    { "recorded", test_metrics_recorded },
    { "store", test_metrics_store },
    { "slices", test_metrics_slices },
    { NULL, NULL },
};
