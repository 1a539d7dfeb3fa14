// Other sizes: what tells problems apart, what a second one costs, answers taken over, what tuning
// may take in all, and what is said of it.
#include "test.h"

// A kernel whose best configuration is B=64 U=4, unless `best_b` says otherwise.
typedef struct sizes_world {
    tune_rig rig;
    gputune_arg args[6];
    int count;
    int best_b, offset;
    const char *bad_odd; // what is wrong at odd offsets
    double slower;       // factor of all but the default; 0: none
    double pace;         // factor of all, for each of the numbers; 0: none
    double compiling;    // seconds; 0: 0.01
    int n;
    const char *broken;  // what does not compile
    int bad_launches;    // of what is wrong
    int launches;
    char launched[64];   // the last
} sizes_world;

static void sizes_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    sizes_world *w = (sizes_world *)user;
    char text[64];
    double off;
    gputune_config_text(config, text, sizeof text);
    off = log2((double)gputune_config_int(config, "B")) - (w->best_b ? log2(w->best_b) : 6);
    trial->seconds = 1e-3 * (1 + 0.2 * off * off +
                             0.1 * fabs((double)gputune_config_int(config, "U") - 4));
    if (w->slower > 0 && strcmp(text, "B=32 U=1") != 0) trial->seconds *= w->slower;
    if (w->pace > 0) trial->seconds *= w->pace * w->n;
    trial->compile_seconds = w->compiling > 0 ? w->compiling : 0.01;
    if (w->broken && strcmp(text, w->broken) == 0) trial->result = GPUTUNE_ERROR_COMPILE;
    if (!test_launch(trial)) return;
    w->launches++;
    snprintf(w->launched, sizeof w->launched, "%s", text);
    if (!w->bad_odd || w->offset % 2 == 0 || strcmp(text, w->bad_odd) != 0) return;
    w->bad_launches++;
    trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
}

static void sizes_init(sizes_world *w, const char *store)
{
    memset(w, 0, sizeof *w);
    tune_rig_init(&w->rig, store);
    w->rig.replay.trial = sizes_trial;
    w->rig.replay.user = w;
    w->rig.replay.options.tuning_seconds = 1e6; // further problems do not wait
    w->rig.desc.signature = "int n, int offset, long stride, float a, float *x";
    w->rig.desc.global = "n";
}

static void sizes_args(sizes_world *w, int n, int offset, int64_t stride)
{
    w->offset = offset;
    w->n = n;
    w->args[0] = gputune_int(n);
    w->args[1] = gputune_int(offset);
    w->args[2] = gputune_int(stride);
    w->args[3] = gputune_float(0.5);
    w->args[4] = gputune_out(w->rig.out, sizeof w->rig.out);
    w->count = 5;
}

static gputune_outcome sizes_tune(sizes_world *w, int n, int offset)
{
    gputune_outcome o;
    sizes_args(w, n, offset, 64);
    w->rig.log.used = 0;
    w->rig.log.text[0] = 0;
    w->launches = 0;
    CHECK_INT(test_tunes(w->rig.kernel, w->args, w->count, &o), GPUTUNE_OK);
    return o;
}

// --- what tells problems apart ---

// The problem of a call, of a kernel as the rig has it.
static void sizes_problem(sizes_world *w, int n, int offset, int64_t stride, const char *problem)
{
    gputune_outcome o;
    tune_open(&w->rig);
    sizes_args(w, n, offset, stride);
    if (w->rig.n == 1) w->args[w->count++] = gputune_number("rows", 100);
    CHECK_INT(test_tunes(w->rig.kernel, w->args, w->count, &o), GPUTUNE_OK);
    CHECK_TEXT(o.problem, problem);
    tune_close(&w->rig);
}

// Numbers that change the launch count, rounded up; others and reals do not.
static void test_sizes_key(void)
{
    static const char *const require[] = { "B * 2 <= stride", NULL };
    static const gputune_saturation_desc msp = { .resize = "stride = size" };
    sizes_world w;
    sizes_init(&w, "");
    w.rig.replay.options.mode = GPUTUNE_MODE_OFF;
    sizes_problem(&w, 1000, 32, 12, "n=2^10");
    sizes_problem(&w, 1000, 0, 7, "n=2^10");
    sizes_problem(&w, 1000, -8, 1 << 20, "n=2^10");
    w.rig.desc.local = "min(B, offset)";
    sizes_problem(&w, 1000, 33, 12, "n=2^10 offset=2^6");
    w.rig.desc.local = "B";
    w.rig.desc.global = "512"; // nothing changes the launch: every integer
    sizes_problem(&w, 1000, 33, 12, "n=2^10 offset=2^6 stride=2^4");
    w.rig.desc.global = "a * n"; // a real, too
    sizes_problem(&w, 1000, 33, 12, "n=2^10 a=1");
    w.rig.desc.global = "n";
    w.rig.desc.require = require; // as they are
    sizes_problem(&w, 1000, 33, 5000, "n=2^10 stride=5000");
    w.rig.desc.require = NULL;
    w.rig.desc.tune.msp = &msp;
    sizes_problem(&w, 1000, 33, 5000, "n=2^10 stride=2^13");
    w.rig.desc.tune.msp = NULL;
    w.rig.n = 1; // a number for expressions
    sizes_problem(&w, 1000, 33, 6, "n=2^10 rows=2^7");
    w.rig.n = 0;
    w.rig.desc.tune.problem = "n, stride"; // the program says
    sizes_problem(&w, 1000, 33, 5000, "n=2^10 stride=2^13");
    w.rig.desc.tune.problem = "exact";
    sizes_problem(&w, 1000, 33, 5000, "n=1000 offset=33 stride=5000");
}

// Kernels of one name among several: what is the launch's size of any.
static void test_sizes_key_functions(void)
{
    static const char source[] = "#pragma gputune kernel one,two\n#define WAY one\n"
                                 "#pragma gputune global n\n#pragma gputune local 64\n"
                                 "__kernel void one(int n, int m, __global float *x) {}\n"
                                 "#pragma gputune global rows\n#pragma gputune local 64\n"
                                 "__kernel void two(int n, int rows, __global float *x) {}\n";
    sizes_world w;
    gputune_outcome o;
    sizes_init(&w, "");
    w.rig.replay.options.mode = GPUTUNE_MODE_OFF;
    w.rig.desc.source = source;
    w.rig.desc.name = "WAY";
    w.rig.desc.params = NULL;
    w.rig.desc.require = NULL;
    w.rig.desc.global = w.rig.desc.local = w.rig.desc.signature = NULL;
    tune_open(&w.rig);
    w.args[0] = gputune_int(100);
    w.args[1] = gputune_int(300);
    w.args[2] = gputune_out(w.rig.out, sizeof w.rig.out);
    CHECK_INT(test_tunes(w.rig.kernel, w.args, 3, &o), GPUTUNE_OK);
    CHECK_TEXT(o.problem, "n=2^7 m=2^9");
    tune_close(&w.rig);
}

// .problem is read anew for arguments of other kinds: numbers may come in another order.
static void test_sizes_key_order(void)
{
    sizes_world w;
    gputune_outcome o;
    int call;
    sizes_init(&w, "");
    w.rig.replay.options.mode = GPUTUNE_MODE_OFF;
    w.rig.desc.tune.problem = "rows";
    tune_open(&w.rig);
    for (call = 0; call < 4; call++) {
        gputune_arg args[7];
        sizes_args(&w, 1000, 32, 64);
        memcpy(args, w.args, 5 * sizeof *args);
        args[5 + call % 2] = gputune_number("rows", 100);
        args[6 - call % 2] = gputune_number("columns", 7);
        CHECK_INT(test_tunes(w.rig.kernel, args, 7, &o), GPUTUNE_OK);
        CHECK_TEXT(o.problem, "rows=2^7");
    }
    tune_close(&w.rig);
}

// The log says once what tells problems apart.
static void test_sizes_key_log(void)
{
    sizes_world w;
    const char *at;
    sizes_init(&w, "");
    w.rig.desc.tune.budget.trials = 1;
    tune_open(&w.rig);
    sizes_tune(&w, 1000, 32);
    at = strstr(w.rig.log.text, "told apart");
    CHECK(at != NULL);
    CHECK_HAS(w.rig.log.text, "told apart as in \"n=2^10\"\n");
    sizes_tune(&w, 3000, 32);
    CHECK(strstr(w.rig.log.text, "told apart") == NULL);
    tune_close(&w.rig);
}

// --- other classes of calls ---

// A new class is one verification of the answer. It is known to the next process, too.
static void test_sizes_class(void)
{
    sizes_world w;
    gputune_outcome o;
    char lock[200];
    tune_temp();
    sizes_init(&w, tune_store);
    tune_open(&w.rig);
    o = sizes_tune(&w, 1000, 32);
    CHECK_INT(o.trials, 52);
    CHECK_HAS(w.rig.log.text, "; all was tried; ");
    o = sizes_tune(&w, 1000, 3);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(o.trials, 52);
    CHECK_HAS(w.rig.log.text, "B=64 U=4 is verified for another class of calls, in ");
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK(w.launches > 0 && w.launches < 20);
    sizes_tune(&w, 1000, 3); // the same class
    CHECK_INT(w.launches, 0);
    sizes_tune(&w, 600, 32); // both known
    CHECK_INT(w.launches, 0);
    snprintf(lock, sizeof lock, "%s.lock", tune_store);
    CHECK_INT(remove(lock), 0);
    CHECK_INT(mkdir(lock, 0777), 0);
    o = sizes_tune(&w, 1000, 6);
    CHECK_HAS(w.rig.log.text, "cannot lock ");
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(rmdir(lock), 0);
    tune_close(&w.rig);
    tune_open(&w.rig);
    o = sizes_tune(&w, 1000, 3);
    CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
    CHECK_INT(w.launches, 0);
    sizes_tune(&w, 1000, 6); // it could not be written
    CHECK(w.launches > 0);
    tune_close(&w.rig);
    tune_clean();
}

// What is wrong at an odd offset is tried there once, on a private copy, and never used.
static void test_sizes_class_wrong(void)
{
    sizes_world w;
    gputune_outcome o;
    int bad;
    tune_temp();
    sizes_init(&w, tune_store);
    w.bad_odd = "B=64 U=4";
    tune_open(&w.rig);
    o = sizes_tune(&w, 1000, 32);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(w.bad_launches, 0);
    o = sizes_tune(&w, 1000, 3);
    CHECK(w.bad_launches > 0);
    tune_expect(&o, "B=32 U=1");
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(o.note, "not verified for this class of calls");
    CHECK_HAS(w.rig.log.text, "the default runs for one class of calls, because B=64 U=4 could ");
    bad = w.bad_launches;
    CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
    CHECK_TEXT(w.launched, "B=32 U=1");
    CHECK_INT(w.bad_launches, bad);
    sizes_args(&w, 1000, 32, 64);
    CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
    CHECK_TEXT(w.launched, "B=64 U=4");
    tune_close(&w.rig);
    tune_clean();
}

// --- second problems ---

// Behind three others a tenth of the trials and of the seconds; the first is the others' answer.
// A problem whose default takes over four times as long as theirs has all of them.
static void test_sizes_tenth(void)
{
    sizes_world w;
    gputune_outcome o;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.desc.tune.budget.trials = 30;
    tune_open(&w.rig);
    w.pace = 1e-3;
    for (i = 0; i < 3; i++) {
        w.best_b = i == 1 ? 256 : 64;
        o = sizes_tune(&w, 1000 << i, 0);
        CHECK_INT(o.trials, 30);
    }
    w.best_b = 128;
    w.pace = 1.95e-4; // 4 times the longest default
    o = sizes_tune(&w, 60000, 0);
    CHECK_INT(o.trials, 4);
    CHECK_INT(gputune_config_int(&gputune_kernel_trial(w.rig.kernel, 1)->config, "B"), 64);
    CHECK_HAS(w.rig.log.text, "6 s, 4 trials\n");
    w.pace = 4.1 * 11.7 / 20000;
    o = sizes_tune(&w, 20000, 0);
    CHECK_INT(o.trials, 30);
    tune_close(&w.rig);
    w.rig.desc.tune.refine = INT_MAX; // all of it
    tune_open(&w.rig);
    o = sizes_tune(&w, 10000, 0);
    CHECK_INT(o.trials, 30);
    tune_close(&w.rig);
    w.rig.desc.tune.refine = 0;
    w.rig.replay.options.mode = GPUTUNE_MODE_FORCE;
    tune_open(&w.rig);
    o = sizes_tune(&w, 40000, 0);
    CHECK_INT(o.trials, 30);
    tune_close(&w.rig);
    tune_clean();
}

// Seconds that pass on the device's clock.
static void sizes_pass(sizes_world *w, double seconds)
{
    ((gt__replay *)w->rig.device->self)->clock += seconds;
}

// After its first tuning a device tunes for 2 s or a tenth of the time. A problem that waits runs
// the nearest answer that was verified in the class of the call, else the default.
static void test_sizes_further(void)
{
    sizes_world w;
    gputune_outcome o;
    double begin;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.replay.options.tuning_seconds = 0;
    w.compiling = 0.2;
    tune_open(&w.rig);
    o = sizes_tune(&w, 1000, 0);
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(o.trials, 52);
    CHECK_OR(o.seconds > 9, "%g", o.seconds);
    o = sizes_tune(&w, 5000, 0);
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK_OR(o.seconds > 1 && o.seconds < 2.4, "%g", o.seconds);
    CHECK_HAS(o.note, "the next run continues for at most 30 s");
    begin = gt__device_now(w.rig.device);
    for (i = 0; i < 3; i++) {
        o = sizes_tune(&w, 1800, 0); // between the two
        CHECK_INT(o.origin, GPUTUNE_FROM_MODEL);
        CHECK_HAS(o.note, "waits");
        CHECK_TEXT(gputune_config_text(&o.config, w.launched, sizeof w.launched), "B=64 U=4");
    }
    sizes_args(&w, 1800, 0, 64);
    CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
    CHECK_TEXT(w.launched, "B=64 U=4");
    for (i = 0; i < 9; i++) { // classes are verified within the same seconds
        w.args[1] = gputune_int(1 << i);
        CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
    }
    CHECK_TEXT(w.launched, "B=32 U=1");
    CHECK_OR(gt__device_now(w.rig.device) - begin < 2, "%g s",
             gt__device_now(w.rig.device) - begin);
    o = sizes_tune(&w, 300, 0); // nothing was verified in its class
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(o.note, "waits");
    sizes_pass(&w, 100);
    o = sizes_tune(&w, 1800, 0);
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    tune_close(&w.rig);
    w.rig.replay.options.mode = GPUTUNE_MODE_FORCE; // all is tuned
    tune_open(&w.rig);
    for (i = 0; i < 3; i++) {
        o = sizes_tune(&w, 1000 << i, 0);
        CHECK_INT(o.trials, 52);
    }
    tune_close(&w.rig);
    tune_clean();
}

// What counts exactly is in no class: an answer for another such number does not run meanwhile.
static void test_sizes_wait_exact(void)
{
    static const char *const require[] = { "B * U <= offset + 100000", NULL };
    sizes_world w;
    gputune_outcome o;
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.replay.options.tuning_seconds = 0;
    setenv("GPUTUNE_SECONDS", "600", 1); // a bound, which allows no more than without it
    w.rig.desc.require = require;
    w.compiling = 0.2;
    tune_open(&w.rig);
    sizes_tune(&w, 1000, 64);
    sizes_tune(&w, 5000, 64);
    o = sizes_tune(&w, 1800, 128);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(o.note, "waits");
    o = sizes_tune(&w, 1800, 64);
    CHECK_INT(o.origin, GPUTUNE_FROM_MODEL);
    unsetenv("GPUTUNE_SECONDS");
    tune_close(&w.rig);
    tune_clean();
}

// Where the three nearest agree the next takes over, after one trial, if nine tenths of the gain
// are there; where two do, it is searched.
static void test_sizes_agree(void)
{
    sizes_world w;
    gputune_outcome o;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    tune_open(&w.rig);
    for (i = 0; i < 3; i++) {
        o = sizes_tune(&w, 1000 << i, 0);
        tune_expect(&o, "B=64 U=4");
        CHECK_OR(o.trials > 2, "problem %d: %d trials", i, o.trials);
        sizes_tune(&w, 1000 << i, 8); // a class is no other problem
        CHECK_HAS(w.rig.log.text, "another class of calls");
    }
    o = sizes_tune(&w, 1000 << 7, 0);
    CHECK_INT(o.trials, 2);
    tune_expect(&o, "B=64 U=4");
    CHECK_HAS(o.note, "taken over");
    CHECK_HAS(w.rig.log.text, "others' answer first");
    CHECK_HAS(w.rig.log.text, "; others' answer is right here; ");
    CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
    CHECK_TEXT(w.launched, "B=64 U=4");
    w.slower = 1.05;
    o = sizes_tune(&w, 1000 << 6, 0);
    CHECK_INT(o.trials, 2);
    w.slower = 1.2; // faster than the default, but not as much as elsewhere
    o = sizes_tune(&w, 1000 << 8, 0);
    CHECK(o.trials > 2);
    CHECK(strstr(o.note, "taken over") == NULL);
    tune_expect(&o, "B=64 U=4");
    w.slower = 2; // the default is faster here
    o = sizes_tune(&w, 1000 << 9, 0);
    CHECK(o.trials > 2);
    tune_expect(&o, "B=32 U=1");
    w.slower = 0;
    tune_close(&w.rig);
    tune_clean();
}

// A tenth of the budget is over when the default was tried: what others agree on is tried still.
static void test_sizes_agree_slow(void)
{
    sizes_world w;
    gputune_outcome o;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    tune_open(&w.rig);
    for (i = 0; i < 3; i++) sizes_tune(&w, 1000 << i, 0);
    tune_close(&w.rig);
    w.compiling = 2.5;
    w.rig.desc.tune.budget.seconds = 20;
    tune_open(&w.rig);
    o = sizes_tune(&w, 1000 << 5, 0);
    CHECK_INT(o.trials, 2);
    tune_expect(&o, "B=64 U=4");
    CHECK_HAS(o.note, "taken over");
    tune_close(&w.rig);
    tune_clean();
}

static gputune_driver sizes_plain;

// The best is wrong where its output has been zeros.
static gputune_result sizes_time_zeros(void *self, void *code, const gputune_driver_launch *launch,
                                       int batch, double time_limit, double hang_limit,
                                       double *seconds, gputune_error *error)
{
    static const char zeros[sizeof((tune_rig *)0)->out];
    const gputune_config *config = (const gputune_config *)code;
    char *out = (char *)launch->args[4].handle;
    const bool errs = gputune_config_int(config, "B") == 64 &&
                      gputune_config_int(config, "U") == 4 && !memcmp(out, zeros, sizeof zeros);
    const gputune_result result = sizes_plain.time(self, code, launch, batch, time_limit,
                                                   hang_limit, seconds, error);
    if (errs) out[sizeof zeros - 1] ^= 0x40;
    return result;
}

// What others agree on is taken over without a race, but only if it is right on all poisons.
static void test_sizes_agree_poisons(void)
{
    sizes_world w;
    gputune_outcome o;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    tune_open(&w.rig);
    for (i = 0; i < 3; i++) {
        o = sizes_tune(&w, 1000 << i, 0);
        tune_expect(&o, "B=64 U=4");
    }
    sizes_plain = w.rig.device->driver;
    w.rig.device->driver.time = sizes_time_zeros;
    o = sizes_tune(&w, 1000 << 7, 0);
    CHECK_HAS(w.rig.log.text, "others' answer first");
    CHECK(strstr(o.note, "taken over") == NULL);
    CHECK_INT(gputune_config_int(&o.config, "B"), 64);
    CHECK_INT(abs((int)gputune_config_int(&o.config, "U") - 4), 1); // 3 and 5 take the same time
    tune_close(&w.rig);
    tune_clean();
}

// What is slower here is not taken over: the search goes on, with further devices from then on.
static void test_sizes_agree_devices(void)
{
    sizes_world w;
    gputune_device *more[3];
    gputune_outcome o;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    for (i = 0; i < 2; i++) more[i] = rig_replay(&w.rig.replay, 1e-5, false);
    more[2] = NULL;
    w.rig.desc.tune.devices = more;
    tune_open(&w.rig);
    for (i = 0; i < 3; i++) {
        o = sizes_tune(&w, 1000 << i, 0);
        tune_expect(&o, "B=64 U=4");
    }
    w.slower = 1.2;
    o = sizes_tune(&w, 1000 << 8, 0);
    CHECK_HAS(w.rig.log.text, "others' answer first");
    CHECK(strstr(o.note, "taken over") == NULL);
    CHECK_INT(o.trials, 52);
    CHECK_INT(test_seen.failed, 0);
    tune_expect(&o, "B=64 U=4");
    tune_close(&w.rig);
    for (i = 0; i < 2; i++) gputune_device_destroy(more[i]);
    tune_clean();
}

// Three answers of which one is another.
static void test_sizes_disagree(void)
{
    sizes_world w;
    gputune_outcome o;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    tune_open(&w.rig);
    for (i = 0; i < 3; i++) {
        w.best_b = i == 2 ? 256 : 64;
        sizes_tune(&w, 1000 << i, 0);
    }
    o = sizes_tune(&w, 1000 << 3, 0);
    CHECK(o.trials > 2);
    CHECK(strstr(o.note, "taken over") == NULL);
    tune_close(&w.rig);
    tune_clean();
}

// --- stored answers that are no longer what they were ---

// Launches of a kernel whose answer is stored: how many of them it takes until it is tuned again.
// 0: it is not.
static int sizes_runs_until_tuned(sizes_world *w, double pace, int n, gputune_mode mode)
{
    int i, tuned = 0;
    w->pace = pace;
    w->rig.log.used = 0;
    w->rig.log.text[0] = 0;
    w->rig.replay.options.mode = mode;
    w->rig.device = gputune_replay_device_create(&w->rig.replay);
    w->rig.kernel = gputune_kernel_create(w->rig.device, &w->rig.desc);
    if (w->rig.replay.options.tuning_seconds < 1) sizes_tune(w, 100000, 0);
    sizes_args(w, n, 0, 64);
    for (i = 1; i <= 20 && !tuned; i++) {
        CHECK_INT(gputune_run(w->rig.kernel, w->args, w->count), GPUTUNE_OK);
        if (gputune_kernel_outcome(w->rig.kernel)->origin == GPUTUNE_FROM_TUNING) tuned = i;
    }
    for (i = 0; i < 20; i++) // then it is what it is
        CHECK_INT(gputune_run(w->rig.kernel, w->args, w->count), GPUTUNE_OK);
    CHECK((strstr(w->rig.log.text, "as it did: tuning again") != NULL) == (tuned > 1));
    return tuned;
}

// By its rate, for a problem has many sizes: 20 % more or less, in launches that are timed.
static void test_sizes_strays(void)
{
    const gputune_mode on = GPUTUNE_MODE_ON, readonly = GPUTUNE_MODE_READONLY;
    sizes_world w;
    tune_temp();
    sizes_init(&w, tune_store);
    CHECK_INT(sizes_runs_until_tuned(&w, 1e-3, 1000, on), 1); // nothing is stored
    tune_close(&w.rig);
    CHECK_INT(sizes_runs_until_tuned(&w, 1e-3, 600, on), 0); // the same rate
    tune_close(&w.rig);
    CHECK_INT(sizes_runs_until_tuned(&w, 1.2e-3, 1000, on), 0);
    tune_close(&w.rig);
    CHECK_INT(sizes_runs_until_tuned(&w, 0.85e-3, 1000, on), 0);
    tune_close(&w.rig);
    CHECK_INT(sizes_runs_until_tuned(&w, 1.3e-3, 1000, readonly), 0);
    tune_close(&w.rig);
    w.rig.replay.options.tuning_seconds = 1e-9; // another problem takes them: the answer stays
    CHECK_INT(sizes_runs_until_tuned(&w, 1.3e-3, 1000, on), 0);
    w.rig.replay.options.tuning_seconds = 1e6;
    tune_close(&w.rig);
    w.best_b = 128;
    CHECK_INT(sizes_runs_until_tuned(&w, 1.3e-3, 600, on), 6);
    CHECK_HAS(w.rig.log.text, "the stored answer takes 1.");
    CHECK_TEXT(w.launched, "B=128 U=4");
    tune_close(&w.rig);
    CHECK_INT(sizes_runs_until_tuned(&w, 1.3e-3, 1000, on), 0); // stored anew
    tune_close(&w.rig);
    CHECK_INT(sizes_runs_until_tuned(&w, 1e-3, 1000, on), 6); // and faster
    CHECK_HAS(w.rig.log.text, "the stored answer takes 0.7");
    tune_close(&w.rig);
    w.rig.desc.tune.cold_cache = true; // what is warm is no sign
    CHECK_INT(sizes_runs_until_tuned(&w, 1e-3, 1000, on), 1);
    tune_close(&w.rig);
    CHECK_INT(sizes_runs_until_tuned(&w, 2e-3, 1000, on), 0);
    tune_close(&w.rig);
    tune_clean();
}

// In parts, too: the stored answer runs until the tuning is over.
static void test_sizes_strays_slices(void)
{
    sizes_world w;
    const gputune_outcome *o;
    int calls, parts = 0, others = 0;
    tune_temp();
    sizes_init(&w, tune_store);
    CHECK_INT(sizes_runs_until_tuned(&w, 1e-3, 1000, GPUTUNE_MODE_ON), 1);
    tune_close(&w.rig);
    w.best_b = 128;
    w.pace = 1.3e-3;
    w.rig.desc.tune.slice = 1e-9;
    w.rig.device = gputune_replay_device_create(&w.rig.replay);
    w.rig.kernel = gputune_kernel_create(w.rig.device, &w.rig.desc);
    for (calls = 0; calls < 1000; calls++) {
        CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
        o = gputune_kernel_outcome(w.rig.kernel);
        parts += o->goes_on;
        if (parts && !o->goes_on) break;
        others += o->origin != GPUTUNE_FROM_STORE || strcmp(w.launched, "B=64 U=4") != 0;
    }
    CHECK(parts > 50);
    CHECK_INT(others, 0);
    tune_expect(gputune_kernel_outcome(w.rig.kernel), "B=128 U=4");
    CHECK_TEXT(w.launched, "B=128 U=4");
    tune_close(&w.rig);
    tune_clean();
}

// Each launch is held against its own kernel's answer, however they alternate.
static void test_sizes_strays_two(void)
{
    gputune_kernel *other = NULL;
    sizes_world w;
    int run, i;
    tune_temp();
    sizes_init(&w, tune_store);
    w.pace = 1e-3;
    for (run = 0; run < 2; run++) {
        w.rig.device = gputune_replay_device_create(&w.rig.replay);
        w.rig.kernel = gputune_kernel_create(w.rig.device, &w.rig.desc);
        w.rig.desc.name = "other";
        other = gputune_kernel_create(w.rig.device, &w.rig.desc);
        w.rig.desc.name = "kernel";
        for (i = 0; i < (run ? 60 : 1); i++) {
            sizes_args(&w, 1000, 0, 64);
            CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
            sizes_args(&w, 600, 0, 64);
            CHECK_INT(gputune_run(other, w.args, w.count), GPUTUNE_OK);
        }
        CHECK_INT(gputune_kernel_outcome(w.rig.kernel)->origin,
                  run ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        CHECK(!strstr(w.rig.log.text, "tuning again"));
        gputune_kernel_destroy(other);
        tune_close(&w.rig);
    }
    tune_clean();
}

// An answer that is slower than it was is still one, where tuning it again fails.
static void test_sizes_strays_kept(void)
{
    sizes_world w;
    tune_temp();
    sizes_init(&w, tune_store);
    CHECK_INT(sizes_runs_until_tuned(&w, 1e-3, 1000, GPUTUNE_MODE_ON), 1);
    tune_close(&w.rig);
    w.broken = "B=32 U=1"; // the default
    w.pace = 1.5e-3;
    w.rig.log.used = 0;
    w.rig.device = gputune_replay_device_create(&w.rig.replay);
    w.rig.kernel = gputune_kernel_create(w.rig.device, &w.rig.desc);
    sizes_args(&w, 1000, 0, 64);
    for (int i = 0; i < 20; i++)
        CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
    CHECK_HAS(w.rig.log.text, "as it did: tuning again");
    CHECK_HAS(w.rig.log.text, "kernel: the search does not go on: ");
    CHECK_INT(gputune_kernel_outcome(w.rig.kernel)->origin, GPUTUNE_FROM_STORE);
    CHECK_TEXT(w.launched, "B=64 U=4");
    tune_close(&w.rig);
    tune_clean();
}

// --- seconds in all ---

static void test_sizes_seconds(void)
{
    sizes_world w;
    gputune_outcome o, first;
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.replay.options.tuning_seconds = 0.5;
    tune_open(&w.rig);
    first = sizes_tune(&w, 1000, 0);
    CHECK_OR(first.trials > 1 && first.trials < 52, "%d trials", first.trials);
    CHECK_OR(first.seconds > 0 && first.seconds < 0.6, "%g s", first.seconds);
    CHECK_HAS(w.rig.log.text, ", 0.5 s\n");
    o = sizes_tune(&w, 3000, 0); // as much as is left
    CHECK_OR(first.seconds + o.seconds < 0.6, "%g s", o.seconds);
    o = sizes_tune(&w, 10000, 0);
    o = sizes_tune(&w, 30000, 0);
    o = sizes_tune(&w, 100000, 0);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_INT(w.launches, 0);
    CHECK_HAS(o.note, "seconds for tuning are spent");
    tune_expect(&o, "B=32 U=1");
    tune_close(&w.rig);
    setenv("GPUTUNE_SECONDS", "0.25", 1);
    tune_open(&w.rig);
    sizes_tune(&w, 1000000, 0);
    CHECK_HAS(w.rig.log.text, ", 0.25 s\n");
    tune_close(&w.rig);
    setenv("GPUTUNE_SECONDS", "soon", 1);
    tune_open(&w.rig);
    CHECK_HAS(w.rig.log.text, "GPUTUNE_SECONDS=soon is no number above 0");
    tune_close(&w.rig);
    unsetenv("GPUTUNE_SECONDS");
    tune_clean();
}

// Of ask/tell each tuner is bound.
static void test_sizes_seconds_tuner(void)
{
    gputune_tuner_desc desc;
    gputune_tuner *t;
    memset(&desc, 0, sizeof desc);
    desc.space.params = tune_params;
    desc.space.options.tuning_seconds = 5;
    t = gputune_tuner_create(&desc);
    CHECK(t->budget.seconds == 5);
    gputune_tuner_destroy(t);
    desc.tune.budget.seconds = 2;
    t = gputune_tuner_create(&desc);
    CHECK(t->budget.seconds == 2);
    gputune_tuner_destroy(t);
    desc.tune.budget.seconds = -1; // without end
    t = gputune_tuner_create(&desc);
    CHECK(t->budget.seconds == 5);
    gputune_tuner_destroy(t);
}

// --- what is said ---

static void test_sizes_lines(void)
{
    sizes_world w;
    const char *at;
    tune_temp();
    sizes_init(&w, tune_store);
    w.bad_odd = "B=16 U=4";
    tune_open(&w.rig);
    sizes_tune(&w, 1000, 33);
    at = strstr(w.rig.log.text, "not in the store");
    CHECK(at && !strstr(at + 1, "not in the store"));
    CHECK_HAS(w.rig.log.text, "kernel: tuning begins: n=2^10, 52 configurations, 60 s\n");
    CHECK_HAS(w.rig.log.text, "kernel: tuning ends: 1.50 x: B=64 U=4 (1 ms, default 1.5), 52 tr");
    CHECK_HAS(w.rig.log.text, ", 1 failed; all was tried; stored in ");
    CHECK_HAS(w.rig.log.text, tune_store);
    tune_close(&w.rig);
    sizes_init(&w, "");
    w.rig.desc.tune.budget.trials = 9;
    w.rig.desc.tune.budget.patience = 80;
    tune_open(&w.rig);
    sizes_tune(&w, 1000, 33);
    CHECK_HAS(w.rig.log.text, ", 60 s, 9 trials, 80 without a gain\n");
    CHECK_HAS(w.rig.log.text, " s; its trials are used up; not stored\n");
    tune_close(&w.rig);
    tune_clean();
}

typedef struct sizes_steps {
    int rounds, calls, races, after;
    double last;
    bool ok;
} sizes_steps;

static bool sizes_follow(void *user, const gputune_progress *p)
{
    sizes_steps *s = (sizes_steps *)user;
    s->ok = s->ok && p->before == s->last && p->eta <= 3 - p->seconds + 1e-9;
    s->last = p->seconds;
    s->calls++;
    if (strcmp(p->phase, "race") != 0) {
        s->after += s->races > 0;
        return true;
    }
    s->races++;
    s->ok = s->ok && p->trials_planned == 40 && p->trials <= 40 && p->trials >= s->rounds;
    s->rounds = p->trials;
    return true;
}

// The race tells its rounds; no more is expected to be left than the budget has; each call knows
// when the last one was.
static void test_sizes_progress(void)
{
    sizes_world w;
    sizes_steps s = { 0, 0, 0, 0, -1, true };
    sizes_init(&w, "");
    w.rig.desc.tune.budget.seconds = 3;
    w.rig.desc.tune.progress = sizes_follow;
    w.rig.desc.tune.user = &s;
    tune_open(&w.rig);
    sizes_tune(&w, 1000, 0);
    CHECK(s.ok);
    CHECK_INT(s.after, 0);
    CHECK_OR(s.rounds >= 5 && s.rounds <= 40, "%d rounds", s.rounds);
    CHECK(s.calls > s.races && s.races > 0);
    tune_close(&w.rig);
}

// --- what stood in the way in programs of others ---

// kmeans: two kernels in one file whose lines end as on Windows.
static void test_sizes_kmeans(void)
{
    static const char source[] = "#pragma gputune set 32,64\r\n#define B 32\r\n"
                                 "#pragma gputune set 1,4\r\n#define U 1\r\n\r\n"
                                 "#pragma gputune global points\r\n#pragma gputune local B\r\n"
                                 "__kernel void nearest(__global float *f, int points,\r\n"
                                 "                      int clusters)\r\n{\r\n}\r\n"
                                 "#pragma gputune global points * U\r\n"
                                 "#pragma gputune local B\r\n"
                                 "__kernel void swapped(__global float *f, int points)\r\n{}\r\n";
    static const char *const names[] = { "nearest", "swapped" };
    sizes_world w;
    gputune_outcome o;
    int i;
    for (i = 0; i < 2; i++) {
        sizes_init(&w, "");
        w.rig.desc.source = source;
        w.rig.desc.name = names[i];
        w.rig.desc.params = NULL;
        w.rig.desc.require = NULL;
        w.rig.desc.global = w.rig.desc.local = w.rig.desc.signature = NULL;
        tune_open(&w.rig);
        w.args[0] = gputune_out(w.rig.out, sizeof w.rig.out);
        w.args[1] = gputune_int(500);
        w.args[2] = gputune_int(5);
        CHECK_INT(test_tunes(w.rig.kernel, w.args, 3 - i, &o), GPUTUNE_OK);
        CHECK_TEXT(o.problem, "points=2^9");
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(o.trials, 4);
        tune_close(&w.rig);
    }
}

// matmul: a budget of 60 s, the default's, takes no longer, race and all, where compiling does.
static void sizes_slow_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    sizes_trial(user, config, trial);
    trial->compile_seconds = 2.5;
    trial->seconds *= 30;
}

static void test_sizes_matmul(void)
{
    sizes_world w;
    gputune_outcome o;
    sizes_init(&w, "");
    w.rig.replay.trial = sizes_slow_trial;
    w.rig.desc.tune.budget.seconds = 0;
    w.rig.desc.tune.budget.all = false;
    tune_open(&w.rig);
    o = sizes_tune(&w, 1000, 0);
    CHECK_OR(o.seconds > 10 && o.seconds <= 20, "%g s", o.seconds);
    CHECK_HAS(w.rig.log.text, "52 configurations, 20 s\n");
    CHECK_HAS(w.rig.log.text, "; its seconds are over; ");
    CHECK(o.trials < 24);
    tune_close(&w.rig);
}

// gemm: what 20 s cannot try of 241,600 configurations the next run goes on with.
static void test_sizes_gemm(void)
{
    static const gputune_param params[] = {
        { "B", "set 8,16,32,64,128,256,512,1024,2048,4096", "32" }, { "U", "range 1,8", "1" },
        { "K", "range 1,20", "1" }, { "P", "range 1,151", "1" }, { NULL, NULL, NULL } };
    sizes_world w;
    gputune_outcome first, next;
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.replay.trial = sizes_slow_trial;
    w.rig.desc.params = params;
    w.rig.desc.require = NULL;
    w.rig.desc.local = "64";
    w.rig.desc.tune.budget.seconds = 0;
    w.rig.desc.tune.budget.all = false;
    tune_open(&w.rig);
    first = sizes_tune(&w, 1000, 0);
    CHECK_HAS(w.rig.log.text, "241600 configurations, 20 s\n");
    CHECK_HAS(w.rig.log.text, "the next run continues for at most 10 s");
    tune_close(&w.rig);
    tune_open(&w.rig);
    next = sizes_tune(&w, 1000, 0);
    CHECK_HAS(w.rig.log.text, "the search goes on: ");
    CHECK_INT(next.origin, GPUTUNE_FROM_TUNING);
    CHECK_OR(next.trials > first.trials, "%d trials, then %d", first.trials, next.trials);
    CHECK_OR(next.seconds < 11, "%g s", next.seconds); // a launch takes 0.03
    tune_close(&w.rig);
    tune_clean();
}

static void sizes_dear_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    sizes_trial(user, config, trial);
    trial->compile_seconds = 2.5;
}

// Programs take 2.5 s, and what an earlier run has tried is as fast as the default: as many race
// as are compiled within the race's seconds.
static void test_sizes_racers_compile(void)
{
    static const gputune_param params[] = { { "B", "set 64", "64" },
                                            { "U", "set 4", "4" },
                                            { "K", "range 1,20", "1" },
                                            { "P", "range 1,151", "1" },
                                            { NULL, NULL, NULL } };
    sizes_world w;
    gputune_outcome o;
    int run;
    tune_temp();
    for (run = 0; run < 2; run++) {
        sizes_init(&w, tune_store);
        w.rig.replay.trial = sizes_dear_trial;
        w.rig.desc.params = params;
        w.rig.desc.require = NULL;
        w.rig.desc.local = "64";
        w.rig.desc.tune.budget.seconds = 0;
        w.rig.desc.tune.budget.all = false;
        tune_open(&w.rig);
        o = sizes_tune(&w, 1000, 0);
        tune_close(&w.rig);
    }
    CHECK_OR(test_seen.resumed > 3, "%d resumed", test_seen.resumed);
    CHECK_OR(o.seconds < 10 + 2 * 2.5, "%g s", o.seconds); // the last trial's and one racer's
    tune_clean();
}

// A file of 41 kernels that take 30 arguments, offsets into one buffer among them: each is searched
// once, and its answer verified for other offsets.
static void test_sizes_many_kernels(void)
{
    enum { KERNELS = 41, ARGS = 30, CALLS = 5 };
    static const int64_t offsets[CALLS] = { 0, 4096, 512, 36, 68 };
    static char source[KERNELS * 700 + 200];
    gputune_arg args[ARGS];
    gputune_outcome o;
    sizes_world w;
    char name[16];
    int i, k, searched = 0, verified = 0, known = 0;
    size_t used = (size_t)snprintf(source, sizeof source, "#pragma gputune set 32,64\n"
                                   "#define B 32\n#pragma gputune set 1,2,4\n#define U 1\n");
    for (k = 0; k < KERNELS; k++) {
        used += (size_t)snprintf(source + used, sizeof source - used,
                                 "#pragma gputune global ne01, ne11\n#pragma gputune local B, 1\n"
                                 "__kernel void op_%d(__global float *pool, int ne01, int ne11", k);
        for (i = 3; i < ARGS; i++)
            used += (size_t)snprintf(source + used, sizeof source - used, ", ulong offset%d", i);
        used += (size_t)snprintf(source + used, sizeof source - used, ")\n{\n}\n");
    }
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.desc.source = source;
    w.rig.desc.params = NULL;
    w.rig.desc.require = NULL;
    w.rig.desc.global = w.rig.desc.local = w.rig.desc.signature = NULL;
    for (k = 0; k < KERNELS; k++) {
        snprintf(name, sizeof name, "op_%d", k);
        w.rig.desc.name = name;
        tune_open(&w.rig);
        for (i = 0; i < 2 * CALLS; i++) {
            int a;
            args[0] = gputune_inout(w.rig.out, sizeof w.rig.out);
            args[1] = gputune_int(64);
            args[2] = gputune_int(1);
            for (a = 3; a < ARGS; a++) args[a] = gputune_int(offsets[i % CALLS] * (a % 3));
            w.launches = 0;
            CHECK_INT(test_tunes(w.rig.kernel, args, ARGS, &o), GPUTUNE_OK);
            searched += w.launches > 20;
            verified += w.launches > 0 && w.launches <= 20;
            known += !w.launches;
            tune_expect(&o, "B=64 U=4");
        }
        tune_close(&w.rig);
    }
    CHECK_INT(searched, KERNELS);
    CHECK_INT(verified, 4 * KERNELS);
    CHECK_INT(known, 5 * KERNELS);
    tune_clean();
}

static void *sizes_select(void *user, const gputune_config *config)
{
    (void)config;
    return user;
}

// Instances of a template, compiled ahead: their sizes are none of their arguments.
static void test_sizes_instances(void)
{
    sizes_world w;
    gputune_outcome o;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.desc.name = "transpose<float>";
    w.rig.desc.select = sizes_select;
    w.rig.desc.tune.user = &w;
    w.rig.desc.signature = "const float *from, float *to";
    w.rig.desc.global = "columns, rows";
    w.rig.desc.local = "B, 1";
    w.rig.desc.tune.problem = "columns, rows / 16";
    w.args[0] = gputune_in(w.rig.in, sizeof w.rig.in);
    w.args[1] = gputune_out(w.rig.out, sizeof w.rig.out);
    w.args[2] = gputune_number("columns", 1000);
    tune_open(&w.rig);
    for (i = 0; i < 3; i++) {
        w.args[3] = gputune_number("rows", i == 2 ? 4000 : 900 + i);
        CHECK_INT(test_tunes(w.rig.kernel, w.args, 4, &o), GPUTUNE_OK);
        CHECK_TEXT(o.problem, i == 2 ? "columns=2^10 rows/16=2^8" : "columns=2^10 rows/16=2^6");
    }
    tune_close(&w.rig);
    tune_clean();
}

static const test_case sizes_cases[] = {
    { "key", test_sizes_key },
    { "key_functions", test_sizes_key_functions },
    { "key_order", test_sizes_key_order },
    { "key_log", test_sizes_key_log },
    { "class", test_sizes_class },
    { "class_wrong", test_sizes_class_wrong },
    { "tenth", test_sizes_tenth }, { "further", test_sizes_further },
    { "wait_exact", test_sizes_wait_exact },
    { "agree", test_sizes_agree }, { "agree_slow", test_sizes_agree_slow },
    { "agree_poisons", test_sizes_agree_poisons },
    { "agree_devices", test_sizes_agree_devices },
    { "disagree", test_sizes_disagree },
    { "strays", test_sizes_strays },
    { "strays_slices", test_sizes_strays_slices },
    { "strays_two", test_sizes_strays_two },
    { "strays_kept", test_sizes_strays_kept },
    { "seconds", test_sizes_seconds },
    { "seconds_tuner", test_sizes_seconds_tuner },
    { "lines", test_sizes_lines },
    { "progress", test_sizes_progress },
    { "kmeans", test_sizes_kmeans },
    { "matmul", test_sizes_matmul },
    { "gemm", test_sizes_gemm },
    { "racers_compile", test_sizes_racers_compile },
    { "many_kernels", test_sizes_many_kernels },
    { "instances", test_sizes_instances },
    { NULL, NULL },
};
