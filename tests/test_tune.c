// [tune]: tuners and kernels on the replay and host drivers: every promise of the library.
#include "test.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// --- a replayed kernel: time by formula, faults by configuration ---

typedef struct tune_world {
    int trials;                  // callbacks so far
    const char *bad_word;        // configurations whose text has this fail with `bad`
    gputune_result bad;
    double slow;                 // their seconds, if > 0
    const char *kill_word;       // the process ends when such a configuration is timed
    const char *bad_phase;       // both only then, after so many callbacks of theirs in it
    int bad_after, bad_asked;
    const char *phase;           // told by tune_follow
    double scale;
    int checked;                 // outputs, by the program
} tune_world;

// Best at B=64 U=4; 2^-k steps make every configuration's time its own.
static double tune_formula(const gputune_config *config)
{
    double b = log2((double)gputune_config_int(config, "B")) - 6,
           u = (double)gputune_config_int(config, "U") - 4;
    return 1e-3 * (1.0 + 0.2 * b * b + 0.1 * u * u + 0.01 * u);
}

static void tune_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    tune_world *w = (tune_world *)user;
    const char *phase = TEST_GET(w->phase);
    char text[256];
    gputune_config_text(config, text, sizeof text);
    TEST_ADD(w->trials, 1); // threads that compile ahead ask, too
    trial->seconds = tune_formula(config) * (w->scale > 0 ? w->scale : 1);
    trial->compile_seconds = 0.01;
    if (w->bad_phase && (!phase || strcmp(phase, w->bad_phase) != 0)) return;
    if (w->bad_phase && strstr(text, w->kill_word ? w->kill_word : w->bad_word) &&
        TEST_ADD(w->bad_asked, 1) < w->bad_after)
        return;
    if (w->kill_word && strstr(text, w->kill_word)) _exit(77);
    if (!w->bad_word || !strstr(text, w->bad_word)) return;
    trial->result = w->bad;
    if (w->slow > 0) trial->seconds = w->slow;
}

static bool tune_follow(void *user, const gputune_progress *p)
{
    TEST_SET(((tune_world *)user)->phase, p->phase);
    return true;
}

static const gputune_param tune_params[] = {
    { "B", "erange 8,512,2", "32" },
    { "U", "range 1,8", "1" },
    { NULL, NULL, NULL },
};

static const char *const tune_require[] = { "B * U <= 2048", NULL };

static char tune_folder[64], tune_store[96];

static void tune_temp(void)
{
    snprintf(tune_folder, sizeof tune_folder, "/tmp/gputune-test-XXXXXX");
    CHECK(mkdtemp(tune_folder) != NULL);
    snprintf(tune_store, sizeof tune_store, "%s/store.txt", tune_folder);
}

static void tune_clean(void)
{
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", tune_folder);
    CHECK_INT(system(command), 0);
}

typedef struct tune_log {
    char text[8192];
    size_t used;
} tune_log;

static void tune_logger(void *user, gputune_log_level level, const char *message)
{
    tune_log *log = (tune_log *)user;
    (void)level;
    if (log->used + strlen(message) + 2 < sizeof log->text)
        log->used += (size_t)snprintf(log->text + log->used, sizeof log->text - log->used, "%s\n",
                                      message);
}

typedef struct tune_rig {
    tune_world world;
    tune_log log;
    gputune_replay_desc replay;
    bool translates;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    float in[64], out[64], inout[64];
    float in_before[64], out_before[64], inout_before[64];
    gputune_arg args[4];
    int n;
} tune_rig;

static void tune_fill(tune_rig *r)
{
    int i;
    for (i = 0; i < 64; i++) {
        r->in[i] = (float)i;
        r->out[i] = -1.0f;
        r->inout[i] = 0.5f * (float)i;
    }
    memcpy(r->in_before, r->in, sizeof r->in);
    memcpy(r->out_before, r->out, sizeof r->out);
    memcpy(r->inout_before, r->inout, sizeof r->inout);
}

static void tune_args(tune_rig *r, int n)
{
    r->n = n;
    r->args[0] = arg_int32(n);
    r->args[1] = gputune_in(r->in, sizeof r->in);
    r->args[2] = gputune_out(r->out, sizeof r->out);
    r->args[3] = gputune_inout(r->inout, sizeof r->inout);
}

// Default settings; the test changes what it wants, then calls tune_open.
static void tune_rig_init(tune_rig *r, const char *store)
{
    memset(r, 0, sizeof *r);
    r->replay.options.store = store;
    r->replay.options.log = tune_logger;
    r->replay.options.user = &r->log;
    r->replay.trial = tune_trial;
    r->replay.user = &r->world;
    r->replay.limits.max_group_size = 1024;
    r->desc.name = "kernel";
    r->desc.params = tune_params;
    r->desc.require = tune_require;
    r->desc.global = "ceil_div(n, U)";
    r->desc.local = "B";
    r->desc.signature = "int n, float *in, float *out, float *inout";
    r->desc.tune.budget.seconds = 60;
    r->desc.tune.budget.all = true; // all 52 are tried, though little is left to gain
    tune_fill(r);
    tune_args(r, 4096);
}

static void tune_open(tune_rig *r)
{
    r->device = rig_replay(&r->replay, 1e-5, r->translates);
    r->kernel = gputune_kernel_create(r->device, &r->desc);
}

static void tune_close(tune_rig *r)
{
    gputune_kernel_destroy(r->kernel);
    gputune_device_destroy(r->device);
    r->kernel = NULL;
    r->device = NULL;
}

static bool tune_untouched(const tune_rig *r)
{
    return memcmp(r->in, r->in_before, sizeof r->in) == 0 &&
           memcmp(r->out, r->out_before, sizeof r->out) == 0 &&
           memcmp(r->inout, r->inout_before, sizeof r->inout) == 0;
}

static void tune_expect(const gputune_outcome *o, const char *config)
{
    char text[256];
    CHECK_TEXT(gputune_config_text(&o->config, text, sizeof text), config);
}

// --- kernels ---

static void test_tune_finds_the_best(void)
{
    tune_rig r;
    gputune_outcome o;
    const gputune_trial *first;
    tune_rig_init(&r, "");
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(o.trials, 52); // 7 x 8 less the four of B=512 with U > 4
    CHECK_INT(test_seen.failed, 0);
    CHECK_NEAR(o.speedup, 2.07 / 1.0, 0.05);
    CHECK(o.default_stats.count >= 3 && o.best_stats.count >= 3);
    first = gputune_kernel_trial(r.kernel, 0);
    CHECK_INT(gputune_config_int(&first->config, "B"), 32);
    CHECK_INT(gputune_config_int(&first->config, "U"), 1);
    CHECK_INT(test_trials(r.kernel), o.trials);
    CHECK_TEXT(o.problem, "n=2^12");
    CHECK(tune_untouched(&r));
    tune_close(&r);
}

// Promise 1: tuning leaves the buffers alone; a run writes them exactly once.
static void test_tune_run_writes_once(void)
{
    tune_rig r;
    gputune_outcome o;
    gputune_arg copies[4];
    int i;
    tune_rig_init(&r, "");
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK(tune_untouched(&r));
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK(!tune_untouched(&r));
    // Once, as a single launch does on equal buffers; a second one writes something else.
    memcpy(copies, r.args, sizeof copies);
    for (i = 0; i < 4; i++) {
        if (copies[i].pointer == r.out) copies[i].pointer = r.out_before;
        if (copies[i].pointer == r.inout) copies[i].pointer = r.inout_before;
    }
    CHECK_INT(gputune_kernel_launch(r.kernel, &o.config, copies, 4), GPUTUNE_OK);
    CHECK(tune_untouched(&r));
    CHECK_INT(gputune_kernel_launch(r.kernel, &o.config, copies, 4), GPUTUNE_OK);
    CHECK(!tune_untouched(&r));
    tune_close(&r);
}

// Promise 2 and 5: whatever the fastest does wrong, it does not win, is recorded with its reason,
// and tuning goes on.
static void test_tune_bad_variants(void)
{
    static const gputune_result faults[] = { GPUTUNE_ERROR_WRONG_OUTPUT,
                                             GPUTUNE_ERROR_OUT_OF_BOUNDS, GPUTUNE_ERROR_COMPILE,
                                             GPUTUNE_ERROR_LAUNCH, GPUTUNE_ERROR_RESOURCES };
    size_t f;
    for (f = 0; f < sizeof faults / sizeof *faults; f++) {
        tune_rig r;
        gputune_outcome o;
        int i, found = 0;
        tune_rig_init(&r, "");
        r.world.bad_word = "B=64 U=4";
        r.world.bad = faults[f];
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=3");
        CHECK_INT(test_seen.failed, 1);
        for (i = 0; i < test_trials(r.kernel); i++) {
            const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
            if (t->result == GPUTUNE_OK) continue;
            found++;
            CHECK_INT(t->result, faults[f]);
            CHECK(*t->reason);
        }
        CHECK_INT(found, 1);
        CHECK(tune_untouched(&r));
        tune_close(&r);
    }
}

// The message of a wrong output names the element; of an overrun, the buffer.
static void test_tune_reasons(void)
{
    tune_rig r;
    int i, wrong = 0;
    tune_rig_init(&r, "");
    r.world.bad_word = "B=64";
    r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
    r.desc.signature = "int n, float *in, float *y, float *inout";
    tune_open(&r);
    CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
    for (i = 0; i < test_trials(r.kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
        if (t->result != GPUTUNE_OK) {
            CHECK_HAS(t->reason, "y[63]");
            CHECK_HAS(t->reason, "1 of 64");
            wrong++;
        }
    }
    CHECK_INT(wrong, 8);
    tune_close(&r);
}

// Promise 3: all configurations equal, with noise: a tie keeps the default.
static void tune_flat(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user, (void)config;
    trial->seconds = 1e-3;
}

static void test_tune_tie_keeps_default(void)
{
    uint64_t seed;
    for (seed = 40; seed < 80; seed++) {
        tune_rig r;
        gputune_outcome o;
        tune_rig_init(&r, "");
        r.replay.trial = tune_flat;
        r.replay.noise = 0.03;
        r.replay.seed = seed;
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        tune_expect(&o, "B=32 U=1");
        CHECK_NEAR(o.speedup, 1, 0);
        CHECK(*o.note);
        tune_close(&r);
    }
}

typedef struct tune_inner {
    tune_rig r;
    float memory[193]; // aligned otherwise than the outer call's
    int depth, calls;
} tune_inner;

static bool tune_run_inner(void *user, const gputune_progress *p)
{
    tune_inner *w = (tune_inner *)user;
    float *at = w->memory + ((uintptr_t)w->memory % 64 == 0);
    gputune_arg args[4];
    (void)p;
    if (w->depth++ == 0) {
        args[0] = arg_int32(w->r.n);
        args[1] = gputune_in(at, 256);
        args[2] = gputune_out(at + 64, 256);
        args[3] = gputune_inout(at + 128, 256);
        w->calls += gputune_run(w->r.kernel, args, 4) == GPUTUNE_OK;
    }
    w->depth--;
    return true;
}

// .progress calls gputune_run on other buffers: the call that tunes still launches on its own, and
// what it tunes is verified for its own class.
static void test_tune_progress_runs(void)
{
    static tune_inner w;
    int slice, calls, wrong;
    for (slice = 0; slice < 2; slice++) {
        memset(&w, 0, sizeof w);
        tune_rig_init(&w.r, "");
        w.r.desc.tune.progress = tune_run_inner;
        w.r.desc.tune.user = &w;
        w.r.desc.tune.slice = 0.01 * slice;
        tune_open(&w.r);
        calls = wrong = 0;
        do {
            float *out = (float *)aligned_alloc(64, 256);
            out[63] = 0;
            w.r.args[2] = gputune_out(out, 256);
            CHECK_INT(gputune_run(w.r.kernel, w.r.args, 4), GPUTUNE_OK);
            wrong += ((unsigned char *)out)[255] != ((255 * 31 + 7) & 0x3f);
            free(out);
        } while (gputune_kernel_outcome(w.r.kernel)->goes_on && ++calls < 1000);
        CHECK_INT(wrong, 0);
        CHECK(calls >= 10 * slice && w.calls > 0);
        CHECK(!strstr(w.r.log.text, "another class of calls"));
        tune_expect(gputune_kernel_outcome(w.r.kernel), "B=64 U=4");
        tune_close(&w.r);
    }
}

static bool tune_slows(void *user, const gputune_progress *p)
{
    if (strcmp(p->phase, "race") == 0) ((tune_world *)user)->scale = 400;
    return true;
}

// A race whose time is over ends after three rounds where one is faster beyond doubt.
static void test_tune_race_late(void)
{
    static const gputune_param params[] = { { "B", "set 8,64", "8" },
                                            { "U", "set 1", "1" }, { NULL, NULL, NULL } };
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    r.desc.params = params;
    r.desc.require = NULL;
    r.world.scale = 100;
    r.desc.tune.budget.seconds = 15; // the race has 3, and a round takes 2.2 there
    r.desc.tune.progress = tune_slows;
    r.desc.tune.user = &r.world;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=1");
    CHECK_INT(o.default_stats.count, 3);
    CHECK_INT(o.best_stats.count, 3);
    tune_close(&r);
}

// With 3 % of noise the winner is within 3 % of the true best, ten times out of ten.
static void test_tune_noise(void)
{
    uint64_t seed;
    for (seed = 0; seed < 10; seed++) {
        tune_rig r;
        gputune_outcome o;
        tune_rig_init(&r, "");
        r.replay.noise = 0.03;
        r.replay.seed = seed;
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        CHECK(tune_formula(&o.config) <= 1.03e-3);
        tune_close(&r);
    }
}

static void test_tune_default_fails(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    r.world.bad_word = "B=32 U=1";
    r.world.bad = GPUTUNE_ERROR_COMPILE;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "B=32 U=1");
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK(tune_untouched(&r));
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_COMPILE);
    tune_close(&r);
}

// What the machine lacked in one run does not count against a configuration in the next.
static void test_tune_missing_library(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_temp();
    tune_rig_init(&r, tune_store);
    r.world.bad_word = "B=32 U=1";
    r.world.bad = GPUTUNE_ERROR_LIBRARY;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_ERROR_LIBRARY);
    tune_close(&r);
    tune_rig_init(&r, tune_store);
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    tune_close(&r);
    tune_clean();
}

// Ends a process of its own in the trial of the best configuration.
static void tune_crash(void)
{
    tune_rig r;
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        tune_rig_init(&r, tune_store);
        r.world.kill_word = "B=64 U=4";
        tune_open(&r);
        gputune_tune(r.kernel, r.args, 4);
        _exit(1); // not reached: the world ends the process
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
}

// Promise 4: a process dies in the middle of a trial; the next one resumes and tries it last. If it
// dies there again the one after that passes it over.
static void test_tune_crash_and_resume(void)
{
    int deaths;
    for (deaths = 1; deaths < 3; deaths++) {
        tune_rig r;
        gputune_outcome o;
        char text[64];
        int i, crashed = 0;
        tune_temp();
        for (i = 0; i < deaths; i++) tune_crash();
        tune_rig_init(&r, tune_store);
        if (deaths == 2) r.world.kill_word = "B=64 U=4";
        r.desc.tune.budget.trials = 52; // none is too many
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        tune_expect(&o, deaths == 2 ? "B=64 U=3" : "B=64 U=4");
        CHECK_INT(o.trials, gputune_space_count(o.config.space));
        if (deaths == 1) CHECK(test_seen.resumed >= 1 && test_seen.resumed < 51);
        if (deaths == 2) CHECK_INT(test_seen.resumed, 51); // all but the default
        for (i = 0; i < test_trials(r.kernel); i++)
            crashed += gputune_kernel_trial(r.kernel, i)->result == GPUTUNE_ERROR_CRASHED;
        CHECK_INT(crashed, deaths - 1);
        gputune_config_text(&gputune_kernel_trial(r.kernel, 51)->config, text, sizeof text);
        if (deaths == 1) CHECK_TEXT(text, "B=64 U=4");
        CHECK_HAS(r.log.text, "resuming");
        tune_close(&r);
        tune_clean();
    }
}

// What is tried last has its place in the budget, and is asked for and told as any other.
static void test_tune_tried_last(void)
{
    static const gputune_param params[] = { { "X", "range 0,9", NULL }, { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    gputune_config config;
    gputune_tuner *t;
    int run, asked[2] = { 0, 0 }, last = -1, died = -1;
    tune_temp();
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    desc.space.options.store = tune_store;
    desc.space.params = params;
    desc.name = "last";
    desc.tune.budget.trials = 6;
    for (run = 0; run < 2; run++) {
        pid_t child = run ? 0 : fork();
        int status = 0;
        if (run == 0 && child > 0) {
            CHECK(waitpid(child, &status, 0) == child);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) >= 70);
            died = WEXITSTATUS(status) - 70;
            continue;
        }
        t = gputune_tuner_create(&desc);
        while (gputune_ask(t, &config) == GPUTUNE_ASK_CONFIG) {
            last = (int)gputune_config_int(&config, "X");
            if (++asked[run] == 3 && !run) _exit(70 + last);
            CHECK_INT(gputune_tell(t, &config, 10 - last), GPUTUNE_OK);
        }
        CHECK_INT(asked[1], 4); // two are known
        CHECK_INT(last, died);
        CHECK_INT(gputune_tell(t, &config, 1), GPUTUNE_ERROR_ARGUMENT); // told twice
        CHECK(gputune_tuner_trial(t, 5) != NULL && gputune_tuner_trial(t, 6) == NULL);
        CHECK_INT(gputune_tuner_trial(t, 5)->config.choice[0], last);
        CHECK_INT(gputune_tuner_trial(t, 5)->result, GPUTUNE_OK);
        gputune_tuner_destroy(t);
    }
    tune_clean();
}

// The seconds of an interrupted run count: all in all there are as many trials as without.
static void test_tune_resume_seconds(void)
{
    tune_rig r;
    gputune_outcome o;
    pid_t child;
    int status = 0, trials;
    tune_temp();
    tune_rig_init(&r, "");
    r.desc.tune.budget.seconds = 0.4; // virtual: a trial takes a bit more than 10 ms
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    trials = o.trials;
    CHECK(trials >= 12 && trials < 40);
    tune_close(&r);
    child = fork();
    if (child == 0) {
        tune_rig_init(&r, tune_store);
        r.desc.tune.budget.seconds = 0.4;
        r.desc.tune.progress = tune_follow;
        r.desc.tune.user = &r.world;
        r.world.kill_word = "U="; // any, after so many launches in the search
        r.world.bad_phase = "search";
        r.world.bad_after = 60;
        tune_open(&r);
        gputune_tune(r.kernel, r.args, 4);
        _exit(1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
    tune_rig_init(&r, tune_store);
    r.desc.tune.budget.seconds = 0.4;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK(test_seen.resumed >= 4);
    CHECK(abs(o.trials - trials) <= 3);
    tune_close(&r);
    tune_clean();
}

// --- what fails after its trial ---

static double tune_drift; // of all times, if > 0

// One run on the same store in which what `word` says fails with `bad` (or, CRASHED, ends the
// process) in a phase, after so many launches. Returns tuning's result.
static gputune_result tune_late(tune_rig *r, const char *word, gputune_result bad,
                                const char *phase, int after, gputune_outcome *o)
{
    tune_rig_init(r, tune_store);
    r->world.bad_word = word;
    r->world.bad = bad;
    if (bad == GPUTUNE_ERROR_CRASHED) r->world.kill_word = word;
    r->world.bad_phase = phase;
    r->world.bad_after = after;
    r->world.scale = tune_drift;
    r->desc.tune.progress = tune_follow;
    r->desc.tune.user = &r->world;
    tune_open(r);
    return test_tunes(r->kernel, r->args, 4, o);
}

// The same in a process of its own, which it must end.
static void tune_late_crash(const char *word, const char *phase, int after)
{
    tune_rig r;
    pid_t child = fork();
    int status = 0;
    if (child == 0) {
        tune_late(&r, word, GPUTUNE_ERROR_CRASHED, phase, after, NULL);
        _exit(1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
}

// The run after it leaves the best out and counts it as failed.
static void tune_late_next(gputune_result bad, int after)
{
    tune_rig r;
    gputune_outcome o;
    int i, found = 0;
    CHECK_INT(tune_late(&r, "B=64 U=4", bad, "race", after, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=3");
    CHECK_INT(o.trials, 52);
    CHECK_INT(test_seen.failed, 1);
    CHECK_INT(test_seen.resumed, 51); // all but the default
    for (i = 0; i < test_trials(r.kernel); i++)
        found += gputune_kernel_trial(r.kernel, i)->result == bad;
    CHECK_INT(found, 1);
    tune_close(&r);
}

// A configuration that loses the device or ends the process in the race, at its first launch, in
// the middle, or when what it writes is looked at: named, and passed over by the next run, or by
// the one after a second death.
static void test_tune_race_fails(void)
{
    tune_rig r;
    gputune_outcome o;
    int last, i, at[3];
    tune_temp();
    CHECK_INT(tune_late(&r, "B=64 U=4", GPUTUNE_ERROR_DEVICE_LOST, "race", 1000000, &o),
              GPUTUNE_OK);
    last = r.world.bad_asked - 1; // the last look at the winner
    tune_close(&r);
    tune_clean();
    CHECK(last > 10);
    at[0] = 0, at[1] = last / 2, at[2] = last;
    for (i = 0; i < 3; i++) {
        tune_temp();
        CHECK_INT(tune_late(&r, "B=64 U=4", GPUTUNE_ERROR_DEVICE_LOST, "race", at[i], &o),
                  GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, "kernel kernel, B=64 U=4: ");
        tune_close(&r);
        tune_late_next(GPUTUNE_ERROR_DEVICE_LOST, 0);
        tune_clean();
        tune_temp();
        tune_late_crash("B=64 U=4", "race", at[i]);
        tune_late_crash("B=64 U=4", "race", at[2 - i]);
        tune_late_next(GPUTUNE_ERROR_CRASHED, 0);
        tune_clean();
        tune_temp();
        tune_late_crash("B=64 U=4", "race", at[i]);
        CHECK_INT(tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(test_seen.failed, 0);
        tune_close(&r);
        tune_clean();
    }
}

// What an earlier run has tried and what no longer compiles is no racer, and the log says so.
static void test_tune_race_compiles(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_temp();
    tune_late_crash("B=64 U=4", "race", 0);
    CHECK_INT(tune_late(&r, "B=64 U=3", GPUTUNE_ERROR_COMPILE, NULL, 0, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(test_seen.failed, 0);
    CHECK_HAS(r.log.text, "B=64 U=3 fails in the race: ");
    tune_close(&r);
    tune_clean();
}

static bool tune_check(void *user, const void *const *outputs, char *why, size_t size)
{
    const unsigned char *out = (const unsigned char *)outputs[2];
    int *calls = (int *)user;
    (*calls)++;
    if (outputs[0] || outputs[1] || !out || !outputs[3]) {
        snprintf(why, size, "unexpected outputs");
        return false;
    }
    if (out[255] == ((255 * 31 + 7) & 0x3f)) return true;
    snprintf(why, size, "last byte is %d", out[255]);
    return false;
}

static bool tune_check_late(void *user, const void *const *outputs, char *why, size_t size)
{
    return tune_check(&((tune_world *)user)->checked, outputs, why, size);
}

// What is right in its trial and wrong in the race, at first or in the last look of 150 at what the
// winner writes: it has failed, and those that it has beaten race again. With the program's check,
// too.
static void test_tune_second_check(void)
{
    int way, check, launches = 0;
    for (check = 0; check < 2; check++)
        for (way = 0; way < 3; way++) {
            tune_rig r;
            gputune_outcome o;
            int i;
            tune_temp();
            tune_rig_init(&r, tune_store);
            r.world.bad_word = "B=64 U=4";
            r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
            r.world.bad_phase = "race";
            r.world.bad_after = way == 0 ? 1000000 : way == 1 ? launches - 1 : 0;
            r.desc.tune.progress = tune_follow;
            if (check) r.desc.tune.check = tune_check_late;
            r.desc.tune.user = &r.world;
            tune_open(&r);
            CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
            tune_expect(&o, way ? "B=64 U=3" : "B=64 U=4");
            CHECK_INT(test_seen.failed, way ? 1 : 0);
            CHECK(!way || o.speedup > 1.5);
            if (!way) launches = r.world.bad_asked;
            if (check) CHECK(r.world.checked >= 53 + 150 + 10); // trials, looks, rounds
            CHECK_INT(launches, 2 * (5 + 150)); // it is asked twice for each
            for (i = 0; i < o.trials && way; i++) {
                const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
                char text[64];
                gputune_config_text(&t->config, text, sizeof text);
                CHECK_INT(t->result, strcmp(text, "B=64 U=4") == 0 ? GPUTUNE_ERROR_WRONG_OUTPUT
                                                                   : GPUTUNE_OK);
            }
            tune_close(&r);
            tune_clean();
        }
}

// The looks at the winner end with a tenth of the budget: launches of half a second.
static void test_tune_look_seconds(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    r.world.scale = 500;
    r.world.bad_word = "B=64 U=4";
    r.world.bad_phase = "race";
    r.world.bad_after = 1000000;
    r.desc.tune.progress = tune_follow;
    r.desc.tune.user = &r.world;
    r.desc.tune.budget.seconds = 100;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    CHECK(r.world.bad_asked / 2 >= 5 + 18 && r.world.bad_asked / 2 <= 5 + 21);
    CHECK(o.seconds <= 102);
    tune_close(&r);
}

// What a run after a default that ended the process or lost the device says, and that it forgives
// it only when forced.
static void tune_quarantined(gputune_result why)
{
    tune_rig r;
    gputune_outcome o;
    CHECK_INT(tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o), why);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "B=32 U=1");
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "the default failed in an earlier run");
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, ", 0.0 hours ago: ");
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "after a day, or with GPUTUNE=force");
    tune_close(&r);
    setenv("GPUTUNE", "force", 1);
    CHECK_INT(tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o), GPUTUNE_OK);
    unsetenv("GPUTUNE");
    tune_expect(&o, "B=64 U=4");
    tune_close(&r);
}

// The default, in its trial and in the race.
static void test_tune_default_quarantined(void)
{
    static const char *const phases[] = { NULL, "race" };
    tune_rig r;
    gputune_outcome o;
    int i;
    for (i = 0; i < 2; i++) {
        tune_temp();
        CHECK_INT(tune_late(&r, "B=32 U=1", GPUTUNE_ERROR_DEVICE_LOST, phases[i], 0, &o),
                  GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, "kernel kernel, B=32 U=1: ");
        tune_close(&r);
        tune_quarantined(GPUTUNE_ERROR_DEVICE_LOST);
        tune_clean();
        tune_temp();
        tune_late_crash("B=32 U=1", phases[i], 0);
        tune_late_crash("B=32 U=1", i ? "race" : NULL, 0); // the first death is forgiven
        tune_quarantined(GPUTUNE_ERROR_CRASHED);
        tune_clean();
    }
    tune_temp();
    tune_late_crash("B=32 U=1", "race", 5);
    CHECK_INT(tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(test_seen.failed, 0);
    CHECK_HAS(r.log.text, "ran: B=32 U=1");
    tune_close(&r);
    tune_clean();
}

// The default is measured again when a run is resumed; what happens then is named, too.
static void test_tune_default_resumed(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_temp();
    tune_late_crash("B=8 U=8", "search", 0);
    tune_late_crash("B=32 U=1", NULL, 0);
    tune_late_crash("B=32 U=1", NULL, 0);
    tune_quarantined(GPUTUNE_ERROR_CRASHED);
    tune_clean();
    tune_temp();
    tune_late_crash("B=8 U=8", "search", 0);
    CHECK_INT(tune_late(&r, "B=32 U=1", GPUTUNE_ERROR_DEVICE_LOST, NULL, 0, &o),
              GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "kernel kernel, B=32 U=1: ");
    tune_close(&r);
    tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "the default failed in an earlier run");
    tune_close(&r);
    tune_clean();
}

// It may take another time then: what the runs before have tried counts all the same.
static void test_tune_default_drifts(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_temp();
    tune_late_crash("B=8 U=8", "search", 0);
    tune_drift = 1.1;
    tune_late_crash("B=8 U=8", "search", 0);
    tune_drift = 0;
    CHECK_INT(tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(o.trials, 52);
    CHECK_INT(test_seen.resumed, 51); // all but the default
    CHECK_INT(test_seen.failed, 1);
    tune_close(&r);
    tune_clean();
}

// Appends to the trial log that the default failed so long ago. timed: the line says when, as those
// of version 0.2 do not.
static void tune_died(gputune_result why, double ago, bool timed)
{
    gt__record record = gt__record_of("B=32 U=1", 0, true);
    gt__base b;
    char path[300], *line = NULL;
    const uint32_t which = GT__RECORD_END | (timed ? GT__RECORD_TIME : 0);
    FILE *file;
    memset(&b, 0, sizeof b);
    record.result = why;
    record.time = (double)time(NULL) - ago;
    CHECK(gt__put_line(&b, &line, "end", gt__record_fields, which, &record));
    CHECK_INT(strstr(line, "time=") != NULL, timed);
    snprintf(path, sizeof path, "ls '%s.journal/'*.txt", tune_store);
    file = popen(path, "r");
    CHECK(file && fgets(path, sizeof path, file) && pclose(file) == 0);
    path[strcspn(path, "\n")] = 0;
    file = fopen(path, "a");
    CHECK(file && fwrite(line, 1, stbds_arrlenu(line), file) == stbds_arrlenu(line));
    if (file) fclose(file);
    gt__arr_free(&b, line);
}

// A default that ended the program twice, or lost the device, is tried again after a day, or where
// a clock went backwards or a line does not say when. If it fails again it waits for another day.
static void test_tune_default_after_day(void)
{
    static const struct {
        double hours;
        bool timed, again;
        const char *text;
    } cases[] = { { 3, true, false, "failed in an earlier run, 3.0 hours ago: " },
                  { 23.9, true, false, ", 23.9 hours ago: " },
                  { 24.1, true, true, NULL },
                  { 9000, true, true, NULL },
                  { -2, true, true, NULL },
                  { -9000, true, true, NULL },
                  { 1, false, true, NULL } };
    size_t c;
    for (c = 0; c < 2 * sizeof cases / sizeof *cases; c++) {
        const double seconds = 3600 * cases[c / 2].hours;
        const bool timed = cases[c / 2].timed, again = cases[c / 2].again;
        const gputune_result why = c % 2 ? GPUTUNE_ERROR_DEVICE_LOST : GPUTUNE_ERROR_CRASHED;
        tune_rig r;
        gputune_outcome o;
        tune_temp();
        tune_late_crash("B=32 U=1", NULL, 0); // makes the log
        if (why == GPUTUNE_ERROR_CRASHED) tune_died(why, seconds + 60, timed);
        tune_died(why, seconds, timed);
        CHECK_INT(tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o), again ? GPUTUNE_OK : why);
        if (!again) CHECK_HAS(gputune_kernel_error(r.kernel)->text, cases[c / 2].text);
        if (!again) CHECK_HAS(gputune_kernel_error(r.kernel)->text, "after a day, or with GPUTUNE");
        if (again) tune_expect(&o, "B=64 U=4");
        tune_close(&r);
        tune_clean();
    }
    tune_temp();
    tune_late_crash("B=32 U=1", NULL, 0);
    tune_died(GPUTUNE_ERROR_CRASHED, 90000, true);
    tune_died(GPUTUNE_ERROR_CRASHED, 90000, true);
    tune_late_crash("B=32 U=1", NULL, 0);
    tune_quarantined(GPUTUNE_ERROR_CRASHED);
    tune_clean();
}

// Another version of the driver tries it again at once.
static void test_tune_default_driver(void)
{
    tune_rig r;
    gputune_outcome o;
    int i;
    tune_temp();
    for (i = 0; i < 2; i++) tune_late_crash("B=32 U=1", NULL, 0);
    for (i = 0; i < 2; i++) {
        tune_rig_init(&r, tune_store);
        tune_open(&r);
        if (i) snprintf(r.device->limits.driver, sizeof r.device->limits.driver, "new");
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), i ? GPUTUNE_OK : GPUTUNE_ERROR_CRASHED);
        if (i) tune_expect(&o, "B=64 U=4");
        tune_close(&r);
    }
    tune_clean();
}

// Any other failure of the default does not outlive the run.
static void test_tune_default_forgiven(void)
{
    static const gputune_result faults[] = { GPUTUNE_ERROR_LAUNCH, GPUTUNE_ERROR_COMPILE,
                                             GPUTUNE_ERROR_RESOURCES };
    size_t f;
    for (f = 0; f < sizeof faults / sizeof *faults; f++) {
        tune_rig r;
        gputune_outcome o;
        tune_temp();
        CHECK_INT(tune_late(&r, "B=32 U=1", faults[f], NULL, 0, &o), faults[f]);
        tune_close(&r);
        CHECK_INT(tune_late(&r, NULL, GPUTUNE_OK, NULL, 0, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=4");
        tune_close(&r);
        tune_clean();
    }
}

// --- modules ---

static int tune_waits, tune_discards, tune_hasty; // hasty: discarded with a launch under way
static bool tune_running;
static gputune_driver tune_plain;

static gputune_result tune_wait(void *self, gputune_error *error)
{
    tune_waits++;
    tune_running = false;
    return tune_plain.wait(self, error);
}

static gputune_result tune_launch(void *self, void *code, const gputune_driver_launch *launch,
                                  gputune_error *error)
{
    tune_running = true;
    return tune_plain.launch(self, code, launch, error);
}

static void tune_discard(void *self, void *code)
{
    tune_discards++;
    tune_hasty += tune_running;
    tune_plain.discard(self, code);
}

static void tune_watch_modules(tune_rig *r)
{
    tune_waits = tune_discards = tune_hasty = 0;
    tune_running = false;
    tune_plain = r->device->driver;
    r->device->driver.wait = tune_wait;
    r->device->driver.launch = tune_launch;
    r->device->driver.discard = tune_discard;
}

// A size that the winner does not fit: the default is compiled once, and stays.
static void test_tune_default_stays_compiled(void)
{
    tune_rig r;
    int i, before;
    tune_rig_init(&r, "");
    r.desc.local = "B * (1 + 31 * (n < 4000))"; // at n = 3000 at most 32
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    tune_watch_modules(&r);
    tune_args(&r, 3000);
    for (i = 0; i < 3; i++) {
        before = r.world.trials;
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(r.world.trials - before, i ? 1 : 2); // compiled, launched
    }
    CHECK_HAS(r.log.text, "launching the default this once");
    CHECK_INT(tune_discards, 0);
    tune_running = false;
    tune_close(&r);
    CHECK_INT(tune_discards, 2); // it and the winner
}

// More configurations than are kept compiled: none is discarded while it may run.
static void test_tune_run_config_waits(void)
{
    tune_rig r;
    gputune_config config;
    const gputune_space *space;
    int i;
    tune_rig_init(&r, "");
    tune_open(&r);
    CHECK_INT(test_space_of(r.kernel, r.args, 4, &space), GPUTUNE_OK);
    tune_watch_modules(&r);
    for (i = 0; i < 20; i++) {
        config = gputune_space_at(space, (uint64_t)i);
        CHECK_INT(gputune_kernel_launch(r.kernel, &config, r.args, 4), GPUTUNE_OK);
    }
    CHECK(tune_discards > 0);
    CHECK_INT(tune_hasty, 0);
    CHECK_INT(tune_waits, tune_discards);
    tune_close(&r);
}

// A kernel that never returns: the device is lost, tuning stops and names the culprit, the next
// run passes it over and finishes.
static void test_tune_hang(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_temp();
    tune_rig_init(&r, tune_store);
    r.world.bad_word = "B=64 U=4";
    r.world.slow = 1e9;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "B=64 U=4");
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_DEVICE_LOST);
    tune_close(&r);
    tune_rig_init(&r, tune_store);
    r.world.bad_word = "B=64 U=4";
    r.world.slow = 1e9;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=3");
    CHECK(test_seen.resumed > 0);
    tune_close(&r);
    tune_clean();
}

// A launch that is given up but ends within the budget is one failed trial; one that ends later
// ends the tuning, and the device is back when it does: the default runs then.
static void test_tune_back(void)
{
    static const double seconds[] = { 30, 150 };
    int way;
    for (way = 0; way < 2; way++) {
        tune_rig r;
        gputune_outcome o;
        gt__replay *replay;
        const gputune_trial *trial;
        int j;
        tune_rig_init(&r, "");
        r.world.bad_word = "B=64 U=4";
        r.world.slow = seconds[way];
        r.desc.tune.budget.seconds = 100;
        tune_open(&r);
        replay = (gt__replay *)gputune_device_self(r.device, "replay");
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o),
                  way ? GPUTUNE_ERROR_DEVICE_LOST : GPUTUNE_OK);
        if (way == 0) {
            CHECK_INT(test_seen.failed, 1);
            for (j = 0; (trial = gputune_kernel_trial(r.kernel, j)) != NULL; j++)
                if (trial->result != GPUTUNE_OK)
                    CHECK_HAS(trial->reason, "took 30 s, over .hang_limit (10 s)");
            tune_expect(&o, "B=64 U=3");
        } else {
            CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_DEVICE_LOST);
            CHECK_HAS(gputune_kernel_error(r.kernel)->text, "when the kernel has ended");
            replay->clock += 1000;
            CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
            CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_DEFAULT);
        }
        tune_close(&r);
    }
}

static gputune_result tune_no_room(void *self, size_t bytes, size_t guard, gputune_memory *memory,
                                   gputune_error *error)
{
    (void)self, (void)guard;
    memset(memory, 0, sizeof *memory);
    return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES, "no %zu bytes", bytes);
}

// Over the time limit but back again: a datum.
static void test_tune_timeout(void)
{
    tune_rig r;
    gputune_outcome o;
    int i;
    tune_rig_init(&r, "");
    r.world.bad_word = "U=5";
    r.world.slow = 2.0;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 6);
    for (i = 0; i < test_trials(r.kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
        if (t->result == GPUTUNE_OK) continue;
        CHECK_INT(t->result, GPUTUNE_ERROR_TIMEOUT);
        CHECK_HAS(t->reason, "took 2 s, the limit is 1 s");
    }
    tune_expect(&o, "B=64 U=4");
    tune_close(&r);
}

// The program's own limit counts, be it more or less than what follows from the default's time.
static void test_tune_time_limit(void)
{
    static const double limits[] = { 3, 0.5 }, slow[] = { 2, 0.7 };
    int i;
    for (i = 0; i < 2; i++) {
        tune_rig r;
        gputune_outcome o;
        tune_rig_init(&r, "");
        r.world.bad_word = "U=5";
        r.world.slow = slow[i];
        r.desc.tune.time_limit = limits[i];
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        CHECK_INT(test_seen.failed, i ? 6 : 0);
        tune_close(&r);
    }
}

static void test_tune_store(void)
{
    tune_rig r;
    const char *problem;
    gputune_outcome o, again;
    int trials;
    tune_temp();
    tune_rig_init(&r, tune_store);
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_close(&r);
    tune_rig_init(&r, tune_store);
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &again), GPUTUNE_OK);
    tune_expect(&again, "B=64 U=4");
    CHECK_INT(again.origin, GPUTUNE_FROM_STORE);
    CHECK_INT(test_trials(r.kernel), 0);
    CHECK_INT(r.world.trials, 1); // compiled, never launched
    CHECK_NEAR(again.speedup, o.speedup, 1e-9);
    trials = r.world.trials;
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(r.world.trials, trials + 1);
    problem = again.problem;
    tune_args(&r, 3072); // the same bucket and class
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &again), GPUTUNE_OK);
    CHECK(again.problem == problem);
    CHECK_INT(r.world.trials, trials + 1);
    tune_args(&r, 4097); // the next bucket: tuned, from the near answer
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &again), GPUTUNE_OK);
    CHECK_INT(again.origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(gputune_config_int(&gputune_kernel_trial(r.kernel, 1)->config, "B"), 64);
    CHECK_INT(gputune_config_int(&gputune_kernel_trial(r.kernel, 1)->config, "U"), 4);
    tune_close(&r);
    tune_clean();
}

// What the ready progress function writes to a file.
static const char *tune_bar(double before, double seconds, int trials, const char *phase)
{
    static char text[256];
    FILE *file = tmpfile();
    const int saved = dup(2);
    size_t length;
    gputune_progress p;
    gputune_trial last;
    memset(&p, 0, sizeof p);
    memset(&last, 0, sizeof last);
    p.name = "saxpy";
    p.phase = phase;
    p.trials = trials;
    p.trials_planned = 52;
    p.before = before;
    p.seconds = seconds;
    p.eta = 41.4;
    p.default_value = 3;
    p.best_value = trials ? 2 : HUGE_VAL;
    p.last = trials ? &last : NULL;
    fflush(stderr);
    dup2(fileno(file), 2);
    CHECK(gputune_progress_bar(NULL, &p));
    dup2(saved, 2);
    close(saved);
    rewind(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    return text;
}

static void test_tune_progress_bar(void)
{
    CHECK_TEXT(tune_bar(-1, 9.9, 10, "search"), "");
    CHECK_TEXT(tune_bar(9.9, 10.1, 10, "search"), "saxpy, search: 10 of 52, 1.50 x, 41 s left\n");
    CHECK_TEXT(tune_bar(10.1, 19.9, 20, "search"), "");
    CHECK_TEXT(tune_bar(47, 95, 2, "search"), "saxpy, search: 2 of 52, 1.50 x, 41 s left\n");
    CHECK_TEXT(tune_bar(19.5, 20.5, 0, "wait"), "saxpy, wait: 0 of 52, 41 s left\n");
    CHECK_TEXT(tune_bar(24.5, 25.5, 0, "wait"), "");
    CHECK_TEXT(tune_bar(29.999, 30, 3, "race"), "saxpy, race, round 3 of 52, 1.50 x, 41 s left\n");
    CHECK_TEXT(tune_bar(30, 30.001, 4, "race"), "");
}

// text NULL: that of the winner.
static void tune_text(tune_rig *r, gputune_result expected, const char *text)
{
    const gputune_outcome *o;
    tune_open(r);
    CHECK_TEXT(gputune_kernel_outcome(r->kernel)->text, "not run yet");
    CHECK_INT(gputune_tune(r->kernel, r->args, 4), expected);
    o = gputune_kernel_outcome(r->kernel);
    if (!text) {
        CHECK_OR(strncmp(o->text, "2.0", 3) == 0 && strstr(o->text, " x: B=64 U=4 (1"), "%s",
                 o->text);
        CHECK_HAS(o->text, " ms, default 2.");
        CHECK_HAS(o->text, "), 52 trials in ");
    } else {
        CHECK_TEXT(o->text, text);
    }
    CHECK(gputune_tune(r->kernel, r->args, 0) != GPUTUNE_OK);
    CHECK_TEXT(gputune_kernel_outcome(r->kernel)->text, gputune_kernel_error(r->kernel)->text);
    tune_close(r);
}

// Every outcome says in a sentence what it is; where there is none, the error.
static void test_tune_outcome_text(void)
{
    tune_rig r;
    tune_rig_init(&r, "");
    r.replay.options.mode = GPUTUNE_MODE_OFF;
    tune_text(&r, GPUTUNE_OK, "the default: B=32 U=1; tuning is switched off");
    tune_rig_init(&r, "");
    r.world.bad_word = "B=32 U=1";
    r.world.bad = GPUTUNE_ERROR_COMPILE;
    tune_text(&r, GPUTUNE_ERROR_COMPILE,
              "kernel kernel, B=32 U=1: replay: \"kernel\" does not compile");
    CHECK_HAS(r.log.text, "kernel: kernel kernel, B=32 U=1: replay: \"kernel\" does not compile\n");
    tune_rig_init(&r, "");
    tune_text(&r, GPUTUNE_OK, NULL);
}

// What tuning came to is told where the program looks: why there was none although the default
// runs, how many trials failed, and of what if all others did.
static void test_tune_outcome_failed(void)
{
    tune_rig r;
    tune_rig_init(&r, "");
    r.desc.signature = "int n, float *in";
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 2), GPUTUNE_OK);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text,
              "the default: B=32 U=1; tuning failed: kernel kernel: no argument is an output");
    CHECK_HAS(r.log.text, "kernel: not tuned, the default runs: kernel kernel: no argument");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.world.bad_word = "B=64 U=4";
    r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, " s, 1 failed");
    CHECK(!strstr(gputune_kernel_outcome(r.kernel)->text, "differ"));
    CHECK_TEXT(gputune_kernel_error(r.kernel)->text, "");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.world.bad_word = "U=2";
    r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
    r.desc.require = (const char *const[]){ "B == 32 && U <= 2", NULL };
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, "2 trials in ");
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, " s, 1 failed; nothing is faster");
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, "; B=32 U=2: ");
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, " elements differ");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.tune.budget.trials = 1;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, ", 1 trial in ");
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, "; only the default was tried");
    tune_close(&r);
}

// A parameter of the description without a default has what the source defines; a default that
// restrictions forbid is named.
static void test_tune_default_defined(void)
{
    static const gputune_param params[] = { { "B", "set 8,16,32", NULL },
                                            { "U", "set 1,2", NULL },
                                            { "V", "set 4,2", NULL },
                                            { NULL, NULL, NULL } };
    tune_rig r;
    int forbidden;
    for (forbidden = 0; forbidden < 2; forbidden++) {
        tune_rig_init(&r, "");
        r.replay.options.mode = forbidden ? GPUTUNE_MODE_ON : GPUTUNE_MODE_OFF;
        r.desc.params = params;
        r.desc.require = forbidden ? (const char *const[]){ "B < 32", NULL } : NULL;
        r.desc.signature = NULL;
        r.desc.source = "#define B 16\n#undef B\n#define B 32\n#define U 3\n"
                        "__kernel void kernel(int n, __global float *in, __global float *out,\n"
                        "                     __global float *inout) {}\n";
        r.desc.source += forbidden ? 22 : 0;
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        if (!forbidden)
            tune_expect(gputune_kernel_outcome(r.kernel), "B=16 U=1 V=4");
        else
            CHECK_HAS(r.log.text, "kernel: restrictions forbid the default B=32 U=1 V=4: ");
        CHECK(forbidden || !strstr(r.log.text, "forbid"));
        CHECK_TEXT(gputune_kernel_error(r.kernel)->text, "");
        tune_close(&r);
    }
}

// A number too few is said to be one, whatever else it makes of expressions; and who has them.
static void test_tune_expressions_name(void)
{
    tune_rig r;
    tune_rig_init(&r, "");
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args + 1, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_TEXT(gputune_kernel_error(r.kernel)->text, "kernel kernel takes 4 arguments, 3 given");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.local = "BB";
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text,
              "kernel kernel: unknown symbol 'BB' at column 1 of \"BB\" (known: B U n ");
    tune_close(&r);
}

static void test_tune_modes(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_temp();
    tune_rig_init(&r, tune_store); // off: default, nothing written
    r.replay.options.mode = GPUTUNE_MODE_OFF;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_DEFAULT);
    CHECK(access(tune_store, F_OK) != 0);
    tune_close(&r);
    tune_rig_init(&r, tune_store); // read-only and unknown: default, nothing written
    setenv("GPUTUNE", "readonly", 1);
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_DEFAULT);
    CHECK(access(tune_store, F_OK) != 0);
    tune_close(&r);
    unsetenv("GPUTUNE");
    setenv("GPUTUNE", "0", 1); // off; the user's word counts, not the program's
    tune_rig_init(&r, tune_store);
    r.replay.options.mode = GPUTUNE_MODE_FORCE;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_DEFAULT);
    CHECK(access(tune_store, F_OK) != 0);
    tune_close(&r);
    setenv("GPUTUNE", "on", 1); // tuned and written
    tune_rig_init(&r, tune_store);
    r.replay.options.mode = GPUTUNE_MODE_OFF;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    tune_close(&r);
    setenv("GPUTUNE", "readonly", 1); // now known
    tune_rig_init(&r, tune_store);
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
    CHECK_HAS(o.text, "), from the store");
    tune_close(&r);
    setenv("GPUTUNE", "force", 1); // tuned again although known
    tune_rig_init(&r, tune_store);
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK(o.trials > 40);
    tune_close(&r);
    unsetenv("GPUTUNE");
    tune_clean();
}

// A stored winner that no longer compiles is evicted and tuned again, once.
static void test_tune_evict(void)
{
    static const gputune_result faults[] = { GPUTUNE_ERROR_COMPILE, GPUTUNE_ERROR_RESOURCES };
    int f;
    for (f = 0; f < 2; f++) {
        tune_rig r;
        tune_temp();
        tune_rig_init(&r, tune_store);
        tune_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
        tune_close(&r);
        tune_rig_init(&r, tune_store);
        r.world.bad_word = "B=64 U=4";
        r.world.bad = faults[f];
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=3");
        CHECK_HAS(r.log.text, "no longer works");
        CHECK_HAS(r.log.text, "tuning again");
        tune_close(&r);
        tune_rig_init(&r, tune_store);
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_STORE);
        tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=3");
        tune_close(&r);
        tune_clean();
    }
}

// Read-only the store keeps it, and the default runs: the log says why, and of no tuning.
static void test_tune_evict_readonly(void)
{
    // Before the first launch, and in it.
    static const gputune_result faults[] = { GPUTUNE_ERROR_COMPILE, GPUTUNE_ERROR_RESOURCES };
    int f;
    for (f = 0; f < 2; f++) {
        const gputune_outcome *o;
        tune_rig r;
        tune_temp();
        tune_rig_init(&r, tune_store);
        tune_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
        tune_close(&r);
        tune_rig_init(&r, tune_store);
        r.replay.options.mode = GPUTUNE_MODE_READONLY;
        r.world.bad_word = "B=64 U=4";
        r.world.bad = faults[f];
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        o = gputune_kernel_outcome(r.kernel);
        CHECK_INT(o->origin, GPUTUNE_FROM_DEFAULT);
        CHECK_HAS(o->note, "the stored answer does not work");
        CHECK_HAS(r.log.text, "the stored answer no longer works (");
        CHECK(!strstr(r.log.text, "tuning again"));
        tune_close(&r);
        tune_rig_init(&r, tune_store); // nothing was removed
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_STORE);
        tune_close(&r);
        tune_clean();
    }
}

static bool tune_stop_after(void *user, const gputune_progress *p)
{
    return p->trials < *(int *)user;
}

// The log has what the program's level says, and the environment what that says.
static void test_tune_levels(void)
{
    static const char *const words[] = { NULL, "warn", "info", "debug" };
    size_t i;
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        tune_rig r;
        if (words[i]) setenv("GPUTUNE_LOG", words[i], 1);
        tune_rig_init(&r, "");
        r.replay.options.log_level = GPUTUNE_LOG_WARN;
        r.world.bad_word = "U=2";
        r.world.bad = GPUTUNE_ERROR_COMPILE;
        tune_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK((strstr(r.log.text, "no store") != NULL) == (i >= 2));
        CHECK((strstr(r.log.text, "B=64 U=2") != NULL) == (i == 3)); // each trial
        tune_close(&r);
        unsetenv("GPUTUNE_LOG");
    }
}

// A kernel that prints is named before its first trial, and only then.
static void test_tune_prints(void)
{
    static const char *const bodies[] = { "printf(\"%d\", n);", "/* printf(\"\"); */",
                                          "\n#if 0\nprintf(\"\");\n#endif\n" };
    char source[300];
    int i;
    for (i = 0; i < 3; i++) {
        const char *warning;
        tune_rig r;
        tune_rig_init(&r, "");
        r.desc.source = source;
        r.desc.name = "prints";
        snprintf(source, sizeof source, "__kernel void prints(int n, __global float *in, "
                                        "__global float *out, __global float *inout) { %s }",
                 bodies[i]);
        r.replay.options.log_level = GPUTUNE_LOG_DEBUG;
        tune_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
        warning = strstr(r.log.text, "prints has a printf");
        CHECK((warning != NULL) == (i == 0));
        if (warning) CHECK(warning < strstr(r.log.text, "prints: B=32 U=1: ok"));
        tune_close(&r);
    }
}

static void tune_count_items(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    double *items = (double *)user;
    (void)config;
    trial->seconds = 1e-3;
    if (test_launch(trial)) *items = trial->items;
}

// What a size leaves of a work-item is one.
static void test_tune_fraction(void)
{
    tune_rig r;
    double items = 0;
    tune_rig_init(&r, "");
    r.replay.trial = tune_count_items;
    r.replay.user = &items;
    r.desc.global = "n / 3.0";
    r.desc.local = NULL;
    r.desc.params = NULL;
    r.desc.require = NULL;
    tune_open(&r);
    tune_args(&r, 100);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_NEAR(items, 34, 0);
    tune_close(&r);
}

// What needs more local memory than there is fails for that reason, and is not launched.
static void test_tune_local_memory(void)
{
    tune_rig r;
    gputune_outcome o;
    gputune_arg args[5];
    int i, failed = 0;
    tune_rig_init(&r, "");
    r.replay.limits.local_memory = 1024;
    r.desc.signature =
        "int n, float *in, float *out, float *inout, __local float *tile";
    tune_open(&r);
    memcpy(args, r.args, 4 * sizeof *args);
    args[4] = gputune_local("16 * B");
    CHECK_INT(test_tunes(r.kernel, args, 5, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4"); // 1024 bytes
    for (i = 0; i < test_trials(r.kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
        const bool fits = gputune_config_int(&t->config, "B") <= 64;
        CHECK_INT(t->result, fits ? GPUTUNE_OK : GPUTUNE_ERROR_RESOURCES);
        if (!fits) CHECK_HAS(t->reason, "bytes of local memory; the device has 1024");
        failed += !fits;
    }
    CHECK(failed > 0 && test_seen.failed == failed);
    tune_close(&r);
}

static void test_tune_budgets(void)
{
    tune_rig r;
    gputune_outcome o;
    int stop = 7;
    tune_rig_init(&r, "");
    r.desc.tune.budget.trials = 10;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, 10);
    tune_close(&r);
    tune_rig_init(&r, ""); // virtual seconds: a trial takes a bit more than 10 ms
    r.desc.tune.budget.seconds = 0.2;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK(o.trials >= 5 && o.trials <= 20);
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.desc.tune.budget.patience = 5;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK(o.trials < 45);
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.tune.progress = tune_stop_after;
    r.desc.tune.user = &stop;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, 7);
    tune_close(&r);
}

// The same seed gives the same trials; another one another order.
static void test_tune_reproducible(void)
{
    uint64_t seeds[] = { 5, 5, 6 };
    uint16_t order[3][30];
    int s, i, same = 0, differ = 0;
    for (s = 0; s < 3; s++) {
        tune_rig r;
        tune_rig_init(&r, "");
        r.desc.tune.seed = seeds[s];
        tune_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
        for (i = 0; i < 30; i++) {
            const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
            order[s][i] = (uint16_t)(t->config.choice[0] * 100 + t->config.choice[1]);
        }
        tune_close(&r);
    }
    for (i = 0; i < 30; i++) {
        same += order[0][i] == order[1][i];
        differ += order[0][i] != order[2][i];
    }
    CHECK_INT(same, 30);
    CHECK(differ > 10);
}

static void test_tune_exact_and_problem(void)
{
    tune_rig r;
    gputune_outcome o;
    search_memory memory = { 0, 0 };
    int i;
    tune_rig_init(&r, "");
    r.desc.tune.problem = "exact";
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_TEXT(o.problem, "n=4096");
    tune_args(&r, 4095);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_TEXT(o.problem, "n=4095");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.tune.problem = "exact n / 2, n % 3";
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_TEXT(o.problem, "n/2=2048 n%3=1");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.tune.problem = "max(n, 2) * 2, n % 3";
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_TEXT(o.problem, "max(n,2)*2=2^13 n%3=1");
    tune_close(&r);
    tune_rig_init(&r, "");
    // A refused one is refused again, and nothing of it is left behind.
    r.desc.tune.problem = "n, n * B";
    memory.left = 1000000;
    r.replay.options.log = NULL;
    r.replay.options.reallocate = search_reallocate;
    r.replay.options.user = &memory;
    tune_open(&r);
    for (i = 0; i < 2; i++) {
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_ERROR_SYMBOL);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, "unknown symbol 'B' at column 8");
    }
    tune_close(&r);
    CHECK_INT(memory.alive, 0);
}

// Restrictions over an argument: the space follows the argument, which then counts exactly.
static void test_tune_argument_in_restriction(void)
{
    static const char *const require[] = { "n % U == 0", NULL };
    tune_rig r;
    gputune_outcome o;
    const gputune_space *space;
    tune_rig_init(&r, "");
    r.desc.require = require;
    tune_args(&r, 4095); // 3, 5 and 7 divide it, 2 and 4 do not
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_TEXT(o.problem, "n=4095");
    tune_expect(&o, "B=64 U=3");
    CHECK_INT(test_space_of(r.kernel, r.args, 4, &space), GPUTUNE_OK);
    CHECK_INT(gputune_space_count(space), 7 * 4);
    tune_args(&r, 4096);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    tune_close(&r);
}

static void test_tune_nothing_to_do(void)
{
    static const char *const require[2][2] = { { "U > 1", NULL }, { "U > 1", NULL } };
    static const char *const grid[] = { "U == 1 ? 0 : n", "U == 1 ? n : 0" }; // U=1: no default
    tune_rig r;
    int i;
    tune_rig_init(&r, "");
    tune_args(&r, 0);
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(r.world.trials, 0);
    CHECK(tune_untouched(&r));
    CHECK_HAS(r.log.text, "nothing to do");
    tune_close(&r);
    for (i = 0; i < 2; i++) { // an empty grid counts where it is a valid configuration's
        tune_rig_init(&r, "");
        r.desc.require = require[i];
        r.desc.global = grid[i];
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(test_trials(r.kernel) > 0, i == 0);
        CHECK_INT(strstr(r.log.text, "nothing to do") != NULL, i == 1);
        tune_close(&r);
    }
}

static void test_tune_mistakes(void)
{
    tune_rig r;
    static const char *const never[] = { "B > 4096", NULL };
    tune_rig_init(&r, "");
    r.desc.global = "ceil_div(m, U)";
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "m");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.local = "B, 1";
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_ARGUMENT);
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.global = NULL;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "work-items");
    tune_close(&r);
    tune_rig_init(&r, "");
    r.desc.require = never;
    tune_open(&r);
    CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_ERROR_EMPTY_SPACE);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "B > 4096");
    tune_close(&r);
}

// Work-groups larger than the device's limit are data, not accidents.
static void test_tune_group_limit(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    r.replay.limits.max_group_size = 32;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=32 U=4");
    CHECK(test_seen.failed > 20);
    tune_close(&r);
}

static void test_tune_own_check(void)
{
    tune_rig r;
    gputune_outcome o;
    int calls = 0;
    tune_rig_init(&r, "");
    r.world.bad_word = "B=64 U=4";
    r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
    r.desc.tune.check = tune_check;
    r.desc.tune.user = &calls;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=3");
    CHECK(calls > 40);
    tune_close(&r);
}

// One buffer passed twice stays one buffer in the trials.
static void test_tune_alias(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    r.args[1] = gputune_in(r.inout, sizeof r.inout);
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    CHECK(tune_untouched(&r));
    CHECK_HAS(r.log.text, "arguments 1 and 3 are one buffer, passed in two ways");
    tune_close(&r);
}

// --- a driver without room for private copies ---

// Nothing is tuned, no trial runs on the program's buffers, and the outcome says how much is
// missing; the default does the work.
static void test_tune_no_room(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    tune_open(&r);
    r.device->driver.allocate = tune_no_room;
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "768 bytes are missing");
    CHECK_INT(test_trials(r.kernel), 0);
    CHECK(tune_untouched(&r));
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->text, "no room for private copies: 768 bytes");
    CHECK(!tune_untouched(&r));
    tune_close(&r);
}

static int tune_far; // copies in the host's memory

static gputune_result tune_host_alone(void *self, void *like, size_t bytes, size_t guard,
                                      gputune_memory *memory, gputune_error *error)
{
    if (like) return tune_no_room(self, bytes, guard, memory, error);
    tune_far++;
    return gt__plain_allocate(self, bytes, guard, memory, error);
}

// Where the device can use the host's memory, the copies are there, and the log says of which.
static void test_tune_far_copies(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    r.world.bad_word = "B=64 U=4";
    r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
    tune_open(&r);
    r.device->driver.allocate = tune_no_room;
    r.device->driver.allocate_like = tune_host_alone;
    tune_far = 0;
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=3");
    CHECK_INT(tune_far, 3);
    CHECK(tune_untouched(&r));
    CHECK_HAS(r.log.text, "no device memory for a private copy of out (256 bytes)");
    tune_close(&r);
}

// --- host driver ---

enum { TUNE_PLACES = 64 };

typedef struct tune_places {
    int wrong, calls;
    const char *x, *y; // the program's
} tune_places;

static void tune_host_places(HOST_KERNEL)
{
    tune_places *p = (tune_places *)user;
    const char *x = (const char *)args[0];
    char *y = (char *)args[1], *both = (char *)args[2];
    p->wrong += ((uintptr_t)x ^ (uintptr_t)p->x) % 64 != 0 ||
                ((uintptr_t)y ^ (uintptr_t)p->y) % 64 != 0 || both != y + 8;
    p->calls++;
    if (range->begin[0] == 0) memcpy(y, x, TUNE_PLACES); // writes all, and no byte beside
    if (gputune_config_int(config, "HOW") == 1) y[TUNE_PLACES] = 1;
    if (gputune_config_int(config, "HOW") == 2) y[-1] = 1;
}

// Private copies begin where the program's buffers do, modulo 64, and guards stand right beside.
static void test_tune_aligned(void)
{
    static const gputune_param params[] = { { "HOW", "set 0,1,2", "0" }, { NULL, NULL, NULL } };
    static char x[3 * 64 + TUNE_PLACES], y[3 * 64 + TUNE_PLACES];
    int at;
    for (at = 0; at < 64; at += at < 4 ? 1 : 7) {
        tune_places p;
        gputune_function functions[] = { { "places", tune_host_places, NULL },
                                         { NULL, NULL, NULL } };
        gputune_options options;
        gputune_kernel_desc desc;
        gputune_device *device;
        gputune_kernel *kernel;
        gputune_arg args[3];
        gputune_outcome o;
        int i;
        memset(&p, 0, sizeof p);
        memset(&options, 0, sizeof options);
        options.store = "";
        functions[0].user = &p;
        device = test_steady(gputune_host_device_create(&options));
        memset(&desc, 0, sizeof desc);
        desc.name = "places";
        desc.params = params;
        desc.functions = functions;
        desc.signature = "const char *x, char *y, char *both";
        desc.global = desc.local = "1";
        desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
        kernel = gputune_kernel_create(device, &desc);
        for (i = 0; i < TUNE_PLACES; i++) x[at + i] = (char)(i + 1);
        p.x = x + at;
        p.y = y + 63 - at;
        args[0] = gputune_in(x + at, TUNE_PLACES);
        args[1] = gputune_out(y + 63 - at, TUNE_PLACES);
        args[2] = gputune_out(y + 63 - at + 8, TUNE_PLACES - 8);
        CHECK_INT(test_tunes(kernel, args, 3, &o), GPUTUNE_OK);
        CHECK(p.calls > 5);
        CHECK_INT(p.wrong, 0);
        CHECK_INT(test_seen.failed, 2);
        for (i = 0; i < test_seen.failed; i++)
            CHECK_INT(gputune_kernel_trial(kernel, 1 + i)->result, GPUTUNE_ERROR_OUT_OF_BOUNDS);
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
    }
}

static int tune_host_calls[2];

static void tune_host_ends(HOST_KERNEL)
{
    const int how = (int)gputune_config_int(config, "HOW");
    tune_host_calls[how]++;
    if (how && (uintptr_t)args[0] % 16 == 4) _exit(77);
    ((float *)args[0])[range->begin[0]] = 3;
}

// What would end the process on a buffer that is not aligned has failed in a child, for each such
// place anew; where all are aligned there is no child.
static void test_tune_ends_process(void)
{
    static const gputune_param params[] = { { "HOW", "set 0,1", "0" }, { NULL, NULL, NULL } };
    static const gputune_function functions[] = { { "ends", tune_host_ends, NULL },
                                                  { NULL, NULL, NULL } };
    static float memory[64];
    float *y = memory + (64 - (uintptr_t)memory % 64) % 64 / 4;
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_config config;
    gputune_stats stats;
    gputune_outcome o;
    gputune_arg arg;
    int at;
    memset(&options, 0, sizeof options);
    memset(&desc, 0, sizeof desc);
    options.store = "";
    desc.name = "ends";
    desc.params = params;
    desc.functions = functions;
    desc.signature = "float *y";
    desc.global = desc.local = "1";
    for (at = 0; at < 3; at++) { // 4 bytes each
        device = test_steady(gputune_host_device_create(&options));
        kernel = gputune_kernel_create(device, &desc);
        arg = gputune_out(y + at, 4);
        CHECK_INT(test_tunes(kernel, &arg, 1, &o), GPUTUNE_OK);
        CHECK_INT(test_trials(kernel), 2);
        CHECK_INT(gputune_kernel_trial(kernel, 1)->result,
                  at == 1 ? GPUTUNE_ERROR_LAUNCH : GPUTUNE_OK);
        if (at == 1) CHECK_HAS(gputune_kernel_trial(kernel, 1)->reason, "ends the process");
        config = gputune_kernel_trial(kernel, 1)->config;
        arg = gputune_out(y + 2, 4);
        CHECK_INT(gputune_kernel_time(kernel, &config, &arg, 1, 1, &stats), GPUTUNE_OK);
        arg = gputune_out(y + 1, 4);
        CHECK_INT(gputune_kernel_time(kernel, &config, &arg, 1, 1, &stats), GPUTUNE_ERROR_LAUNCH);
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
    }
    CHECK(tune_host_calls[0] > 5 && tune_host_calls[1] > 5);
    CHECK(y[0] == 0 && y[1] == 0 && y[2] == 0);
}

static void tune_host_naive(HOST_KERNEL)
{
    float *y = (float *)args[1];
    int n = *(const int *)args[0];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i++) y[i] = 2 * y[i] + 1;
}

static void tune_host_wrong(HOST_KERNEL)
{
    float *y = (float *)args[1];
    int n = *(const int *)args[0];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && (int)i < n; i += 2) y[i] = 2 * y[i] + 1;
}

static void test_tune_host(void)
{
    static const gputune_param params[] = { { "HOW", "set naive,wrong", "naive" },
                                            { "BLOCK", "erange 16,256,4", "64" },
                                            { NULL, NULL, NULL } };
    static const gputune_function functions[] = { { "naive", tune_host_naive, NULL },
                                                  { "wrong", tune_host_wrong, NULL },
                                                  { NULL, NULL, NULL } };
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_outcome o;
    gputune_arg args[2];
    float y[1003];
    int i, wrong = 0;
    for (i = 0; i < 1003; i++) y[i] = (float)i;
    memset(&options, 0, sizeof options);
    options.store = "";
    device = test_steady(gputune_host_device_create(&options));
    memset(&desc, 0, sizeof desc);
    desc.name = "HOW";
    desc.params = params;
    desc.functions = functions;
    desc.global = "n";
    desc.local = "BLOCK";
    desc.signature = "int n, float *y";
    kernel = gputune_kernel_create(device, &desc);
    args[0] = arg_int32(1003);
    args[1] = gputune_inout(y, sizeof y);
    CHECK_INT(test_tunes(kernel, args, 2, &o), GPUTUNE_OK);
    CHECK_TEXT(gputune_config_name(&o.config, "HOW"), "naive");
    CHECK_INT(test_seen.failed, 3); // every BLOCK of the wrong one
    for (i = 0; i < 1003; i++) wrong += y[i] != (float)i;
    CHECK_INT(wrong, 0);
    CHECK_INT(gputune_run(kernel, args, 2), GPUTUNE_OK);
    for (i = 0; i < 1003; i++) wrong += y[i] != 2.0f * (float)i + 1;
    CHECK_INT(wrong, 0);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

static void tune_host_random(HOST_KERNEL)
{
    static int calls;
    *(float *)args[0] = (float)++calls;
}

// A kernel whose output differs from run to run can confirm nothing: refused with the reason.
static void test_tune_not_deterministic(void)
{
    static const gputune_function functions[] = { { "random", tune_host_random, NULL },
                                                  { NULL, NULL, NULL } };
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg arg;
    float y = 0;
    memset(&options, 0, sizeof options);
    options.store = "";
    device = gputune_host_device_create(&options);
    memset(&desc, 0, sizeof desc);
    desc.name = "random";
    desc.functions = functions;
    desc.global = "1";
    desc.signature = "float *y";
    kernel = gputune_kernel_create(device, &desc);
    arg = gputune_out(&y, sizeof y);
    CHECK_INT(gputune_tune(kernel, &arg, 1), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK(y == 0);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

// --- ask/tell ---

static gputune_tuner *tune_asker(const char *name, const char *store)
{
    gputune_tuner_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    desc.space.params = tune_params;
    desc.space.require = tune_require;
    desc.name = name;
    desc.tune.budget.all = true;
    desc.space.options.store = store;
    return gputune_tuner_create(&desc);
}

static void test_tune_ask_tell(void)
{
    gputune_tuner *tuner;
    gputune_config config;
    char text[64];
    int asked = 0;
    tune_temp();
    tuner = tune_asker("loop", tune_store);
    while (test_asks(tuner, &config)) {
        if (!asked++) CHECK_TEXT(gputune_config_text(&config, text, 64), "B=32 U=1");
        if (asked == 3)
            gputune_tell(tuner, &config, NAN);
        else if (asked == 4)
            gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_COMPILE, "no");
        else
            gputune_tell(tuner, &config, tune_formula(&config));
    }
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    CHECK_TEXT(gputune_config_text(&config, text, 64), "B=64 U=4");
    CHECK_INT(test_told(tuner), asked);
    CHECK_INT(gputune_tuner_trial(tuner, 3)->result, GPUTUNE_ERROR_COMPILE);
    CHECK_TEXT(gputune_tuner_trial(tuner, 3)->reason, "no");
    gputune_tuner_destroy(tuner);
    tuner = tune_asker("loop", tune_store);
    CHECK(!test_asks(tuner, &config));
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    CHECK_TEXT(gputune_config_text(&config, text, 64), "B=64 U=4");
    gputune_tuner_destroy(tuner);
    tune_clean();
}

// An interrupted ask/tell search goes on where it stopped, also if something is told before that.
static void test_tune_ask_tell_resume(void)
{
    gputune_tuner *tuner;
    gputune_config config;
    int told;
    for (told = 0; told < 2; told++) {
        int asked = 0, again = 0;
        tune_temp();
        tuner = tune_asker("loop", tune_store);
        while (asked < 20 && test_asks(tuner, &config)) {
            gputune_tell(tuner, &config, tune_formula(&config));
            asked++;
        }
        gputune_tuner_destroy(tuner);
        tuner = tune_asker("loop", tune_store);
        config = gputune_space_default(gputune_tuner_space(tuner));
        if (told) gputune_tell(tuner, &config, tune_formula(&config));
        while (test_asks(tuner, &config)) {
            gputune_tell(tuner, &config, tune_formula(&config));
            again++;
        }
        CHECK_INT(again + 20, gputune_space_count(gputune_tuner_space(tuner)));
        CHECK_INT(test_told(tuner), again + 20);
        CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
        CHECK_INT(gputune_config_int(&config, "B"), 64);
        gputune_tuner_destroy(tuner);
        tune_clean();
    }
}

static gputune_tuner *tune_limited(const char *numbers, const char *device, const char *problem)
{
    static const gputune_param params[] = { { "G", "set 1,compute_units*2", NULL },
                                            { "B", "erange 1,1024,2", NULL },
                                            { NULL, NULL, NULL } };
    static const char *const require[] = { "B <= n && B * 4 <= local_memory", NULL };
    gputune_limits limits;
    gputune_tuner_desc desc;
    memset(&limits, 0, sizeof limits);
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    limits.compute_units = 66;
    limits.local_memory = 1024;
    snprintf(limits.name, sizeof limits.name, "%s", device);
    desc.space.params = params;
    desc.space.require = require;
    desc.space.limits = &limits;
    desc.space.numbers = numbers;
    desc.space.options.store = tune_store;
    desc.name = "limited";
    desc.tune.problem = problem;
    return gputune_tuner_create(&desc);
}

// Answers `most` questions with what is least for the largest B and G.
static int tune_limited_asks(gputune_tuner *tuner, int most)
{
    gputune_config config;
    int asked = 0;
    for (; asked < most && test_asks(tuner, &config); asked++)
        gputune_tell(tuner, &config, 1.0 / (double)gputune_config_int(&config, "B") +
                                         1.0 / (double)gputune_config_int(&config, "G"));
    return asked;
}

// A space of ask/tell has limits and numbers, too. What they were is part of the answer's key, and
// of an interrupted search's.
// The values of A=1 (the default) to 8, as they are told one after the other.
static const double tune_race_values[9][3] = {
    { 0, 0, 0 }, { 20, 20, 19 }, { 10, 30, 31 }, { 11, 12, 13 }, { 9, 14, 8 },
    { 15, 15, 15 }, { 50, 50, 50 }, { 60, 60, 60 }, { 70, 70, 70 }
};

typedef struct tune_race {
    gputune_tuner_desc desc;
    int asked[9], order[40], all;
    bool fails; // A=3, from its second time on
    double more; // what is told then is so much more
} tune_race;

static void tune_race_start(tune_race *r, const gputune_param *params)
{
    memset(r, 0, sizeof *r);
    r->desc.space.params = params;
    r->desc.space.options.store = tune_store;
    r->desc.name = "race";
    r->desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
}

// Asks and tells so many times; returns how often it did.
static int tune_race_on(tune_race *r, gputune_tuner *tuner, int most)
{
    gputune_config config;
    int n = 0;
    while (n < most && gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG) {
        const int a = (int)gputune_config_int(&config, "A");
        const int before = r->asked[a]++;
        r->order[r->all++] = a;
        n++;
        CHECK_OR(before < 3, "A=%d is asked %d times", a, before + 1);
        if (before >= 3) break;
        if (r->fails && a == 3 && before)
            gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_LAUNCH, "now");
        else
            CHECK_INT(gputune_tell(tuner, &config,
                                   tune_race_values[a][before] + (before ? r->more : 0)),
                      GPUTUNE_OK);
    }
    return n;
}

static int tune_race_best(gputune_tuner *tuner)
{
    gputune_config config;
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    return (int)gputune_config_int(&config, "A");
}

// A value of 0 is one, also when it was told but once.
static void test_tune_ask_tell_zero(void)
{
    static const gputune_param params[] = { { "A", "range 1,12", "1" }, { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    const gputune_outcome *o;
    memset(&desc, 0, sizeof desc);
    desc.space.params = params;
    desc.space.options.store = "";
    tuner = gputune_tuner_create(&desc);
    CHECK(test_asks(tuner, &config));
    CHECK_INT(gputune_tell(tuner, &config, 0), GPUTUNE_OK);
    o = gputune_tuner_outcome(tuner);
    CHECK_HAS(o->text, "1.00 x: A=1 (0, default 0), 1 trial in ");
    CHECK_INT(o->default_stats.count, 1);
    CHECK_INT(o->best_stats.count, 1);
    gputune_tuner_destroy(tuner);
}

// The best three (A=4, 2, 3) and the default are asked twice more, in turn; A=4 has the best first
// value, A=3 the best median, A=5, which is not asked again, a better one than A=2's.
static void test_tune_ask_tell_race(void)
{
    static const gputune_param params[] = { { "A", "range 1,8", "1" }, { NULL, NULL, NULL } };
    static const int turns[] = { 1, 2, 3, 4, 1, 2, 3, 4 };
    const gputune_outcome *o;
    gputune_tuner *tuner;
    tune_race r;
    int stop, i;
    tune_temp();
    for (stop = 0; stop <= 16; stop++) { // after so many answers the program ends
        tune_race_start(&r, params);
        tuner = gputune_tuner_create(&r.desc);
        CHECK_INT(tune_race_on(&r, tuner, stop), stop);
        if (stop == 8) CHECK_INT(tune_race_best(tuner), 4);
        if (stop == 10) CHECK_INT(tune_race_best(tuner), 4); // 10 and 30: 30
        if (stop == 12) CHECK_INT(tune_race_best(tuner), 3); // 12 of 11 and 12
        gputune_tuner_destroy(tuner);
        tuner = gputune_tuner_create(&r.desc);
        i = tune_race_on(&r, tuner, 40); // if A=2 was told 30, A=5 is of the best three, too
        CHECK_OR(i == 16 - stop || (i == 18 - stop && r.asked[5] == 3), "%d: %d more", stop, i);
        for (i = 0; i < 8 && r.asked[5] == 1; i++) CHECK_INT(r.order[8 + i], turns[i]);
        CHECK_INT(gputune_ask(tuner, &tuner->stored), GPUTUNE_ASK_OVER);
        CHECK_INT(tune_race_best(tuner), 4);
        o = gputune_tuner_outcome(tuner);
        CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
        CHECK_INT(o->trials, 8);
        CHECK_INT(o->best_stats.count, 3);
        CHECK_NEAR(o->best_stats.median, 9, 0);
        CHECK_NEAR(o->best_stats.min, 8, 0);
        CHECK_NEAR(o->default_stats.median, 20, 0);
        CHECK_NEAR(o->speedup, 20.0 / 9, 1e-12);
        CHECK_HAS(o->text, "2.22 x: A=4 (9, default 20), 8 trials in ");
        for (i = 0; i < 8; i++) // in the order in which they came
            CHECK_INT(gputune_config_int(&gputune_tuner_trial(tuner, i)->config, "A"), r.order[i]);
        gputune_tuner_destroy(tuner);
        tuner = gputune_tuner_create(&r.desc);
        o = gputune_tuner_outcome(tuner);
        CHECK_INT(o->origin, GPUTUNE_FROM_STORE);
        CHECK_HAS(o->text, "2.22 x: A=4 (9, default 20), from the store");
        gputune_tuner_destroy(tuner);
        tune_clean();
        tune_temp();
    }
    tune_race_start(&r, params); // A=3, the seventh, fails
    r.fails = true;
    tuner = gputune_tuner_create(&r.desc);
    CHECK_INT(tune_race_on(&r, tuner, 40), 15);
    CHECK_INT(tune_race_best(tuner), 4);
    CHECK_INT(gputune_tuner_trial(tuner, 6)->result, GPUTUNE_ERROR_LAUNCH);
    gputune_tuner_destroy(tuner);
    tune_clean();
    tune_temp();
    tune_race_start(&r, params); // A=5 has 15, once; A=4 has 18 of three
    r.more = 10;
    tuner = gputune_tuner_create(&r.desc);
    CHECK_INT(tune_race_on(&r, tuner, 40), 16);
    CHECK_INT(tune_race_best(tuner), 4);
    CHECK_NEAR(gputune_tuner_outcome(tuner)->best_stats.median, 18, 0);
    gputune_tuner_destroy(tuner);
    tune_clean();
    tune_temp();
    tune_race_start(&r, params);
    r.desc.race = -1;
    tuner = gputune_tuner_create(&r.desc);
    CHECK_INT(tune_race_on(&r, tuner, 40), 8);
    CHECK_INT(tune_race_best(tuner), 4);
    gputune_tuner_destroy(tuner);
    tune_clean();
    tune_temp();
    tune_race_start(&r, params);
    r.desc.space.options.mode = GPUTUNE_MODE_READONLY;
    tuner = gputune_tuner_create(&r.desc);
    CHECK_INT(tune_race_on(&r, tuner, 40), 0);
    CHECK_INT(gputune_tuner_outcome(tuner)->origin, GPUTUNE_FROM_DEFAULT);
    gputune_tuner_destroy(tuner);
    tune_clean();
}

static void test_tune_ask_tell_limits(void)
{
    static const struct {
        const char *numbers, *device, *problem, *best;
        int trials;
    } cases[] = { { "n=100", "one", NULL, "G=132 B=64", 14 },
                  { "n=4096", "one", NULL, "G=132 B=256", 18 },
                  { "n=4096", "two", NULL, "G=132 B=256", 18 },
                  { "n=4096", "", NULL, "G=132 B=256", 18 }, // this processor
                  { "n=4096", "one", "k=2", "G=132 B=256", 18 } };
    gputune_tuner *tuner;
    gputune_config config;
    char text[64];
    int i, again;
    tune_temp();
    tuner = tune_limited("n=100", "one", NULL);
    CHECK_INT(tune_limited_asks(tuner, 5), 5);
    gputune_tuner_destroy(tuner);
    for (again = 0; again < 2; again++)
        for (i = 0; i < 5; i++) {
            tuner = tune_limited(cases[i].numbers, cases[i].device, cases[i].problem);
            CHECK_INT(tune_limited_asks(tuner, 100),
                      again ? 0 : i == 0 ? cases[i].trials - 5 : cases[i].trials);
            CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
            CHECK_TEXT(gputune_config_text(&config, text, sizeof text), cases[i].best);
            gputune_tuner_destroy(tuner);
        }
    tune_clean();
    tuner = tune_limited("n=", "one", NULL);
    CHECK_INT(tune_limited_asks(tuner, 1), 0);
    CHECK_HAS(gputune_tuner_error(tuner)->text, "n=");
    gputune_tuner_destroy(tuner);
}

// What of .tune says nothing to a tuner is refused by its name.
static void test_tune_ask_tell_refuses(void)
{
    static const char *const command[] = { "true", NULL };
    static gputune_device *const none[] = { NULL };
    static const gputune_saturation_desc curve;
    gputune_tuner_desc desc;
    gputune_tune_desc *tune = &desc.tune;
    gputune_config config;
    const char *name = NULL;
    int i;
    for (i = 0; i < 14; i++) {
        gputune_tuner *tuner;
        char text[64];
        memset(&desc, 0, sizeof desc);
        desc.race = -1;
        desc.space.params = tune_params;
        desc.space.options.store = "";
        tune->strategy = GPUTUNE_STRATEGY_RANDOM;
        tune->budget.trials = 3;
        tune->seed = 3;
        tune->progress = gputune_progress_bar;
        tune->user = &desc;
        tune->problem = "n=3";
        switch (i) {
        case 0: break;
        case 1: name = "tolerance", tune->tolerance = 1e-3; break;
        case 2: name = "check", tune->check = tune_check; break;
        case 3: name = "absolute_tolerance", tune->absolute_tolerance = 1e-3; break;
        case 4: name = "reference", tune->reference = "f"; break;
        case 5: name = "time_limit", tune->time_limit = 1; break;
        case 6: name = "hang_limit", tune->hang_limit = 1; break;
        case 7: name = "cold_cache", tune->cold_cache = true; break;
        case 8: name = "refine", tune->refine = -1; break;
        case 9: name = "objective", tune->objective = "time"; break;
        case 10: name = "devices", tune->devices = none; break;
        case 11: name = "isolate", tune->isolate = true; break;
        case 12: name = "isolate_command", tune->isolate_command = command; break;
        default: name = "msp", tune->msp = &curve; break;
        }
        tuner = gputune_tuner_create(&desc);
        CHECK_INT(test_asks(tuner, &config), name == NULL);
        CHECK_INT(gputune_tuner_error(tuner)->result,
                  name ? GPUTUNE_ERROR_ARGUMENT : GPUTUNE_OK);
        *text = 0;
        if (name) snprintf(text, sizeof text, "gputune_tuner_desc.tune.%s is for kernels", name);
        CHECK_TEXT(gputune_tuner_error(tuner)->text, text);
        gputune_tuner_destroy(tuner);
    }
}

enum { TUNE_LONG = 60 }; // parameters of a space whose texts exceed 4,096 characters

static gputune_tuner *tune_long_asker(void)
{
    static char names[TUNE_LONG][80];
    gputune_param params[TUNE_LONG + 2];
    gputune_tuner_desc desc;
    int i;
    memset(params, 0, sizeof params);
    for (i = 0; i < TUNE_LONG; i++) {
        snprintf(names[i], sizeof names[i],
                 "PARAMETER_WITH_A_NAME_AS_LONG_AS_THOSE_THAT_TEMPLATES_BRING_%02d", i);
        params[i].name = names[i];
        params[i].values = "set a_value_that_is_long_itself";
    }
    params[TUNE_LONG].name = "Z";
    params[TUNE_LONG].values = "set 1,2,12,3,4,5";
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    desc.space.params = params;
    desc.name = "long";
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.space.options.store = tune_store;
    return gputune_tuner_create(&desc);
}

// Configurations that differ only at the end of long texts are told apart when a tuning is resumed,
// and its answer is read back.
static void test_tune_long_texts(void)
{
    char text[2 * 4096];
    gputune_config config;
    int run, asked = 0, now, i;
    tune_temp();
    for (run = 0; run < 3; run++) {
        gputune_tuner *tuner = tune_long_asker();
        for (now = 0; (run || now < 3) && test_asks(tuner, &config); now++) {
            int z = (int)gputune_config_int(&config, "Z");
            CHECK(strlen(gputune_config_text(&config, text, sizeof text)) > 4096);
            if (z == 2)
                gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_COMPILE, "no");
            else
                gputune_tell(tuner, &config, 20 - z);
        }
        asked += now;
        for (i = 0; i < test_told(tuner); i++) {
            const gputune_trial *trial = gputune_tuner_trial(tuner, i);
            int z = (int)gputune_config_int(&trial->config, "Z");
            CHECK_INT(trial->result, z == 2 ? GPUTUNE_ERROR_COMPILE : GPUTUNE_OK);
            CHECK(trial->result != GPUTUNE_OK || trial->value == 20 - z);
        }
        CHECK_INT(test_told(tuner), run == 0 ? 3 : run == 1 ? 6 : 0);
        CHECK_INT(asked, run == 0 ? 3 : 6);
        if (run) CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
        if (run) CHECK_INT(gputune_config_int(&config, "Z"), 12);
        gputune_tuner_destroy(tuner);
    }
    tune_clean();
}

// Of several records of one configuration the last counts, and all of their seconds. A text that
// was cut, as other versions may have written, is not taken for that of the configuration that it
// reads as.
static void test_tune_resume_records(void)
{
    static const char *const texts[] = { "B=64 U=4", "B=128", "B=64 U=4", "no text" };
    gputune_tuner *tuner;
    gputune_config config;
    gputune_error error;
    char text[64];
    int i, asked = 0;
    tune_temp();
    tuner = tune_asker("loop", tune_store);
    CHECK(tuner->trial_log != NULL);
    for (i = 0; i < 4 && tuner->trial_log; i++) {
        char copy[64];
        gt__record record;
        memset(&record, 0, sizeof record);
        snprintf(copy, sizeof copy, "%s", texts[i]);
        record.config = copy;
        record.value = 100 + i;
        record.wall_seconds = 1 + i;
        CHECK_INT(gt__trial_log_end(tuner->trial_log, &record, &error), GPUTUNE_OK);
    }
    gputune_tuner_destroy(tuner);
    tuner = tune_asker("loop", tune_store);
    while (test_asks(tuner, &config)) {
        gputune_tell(tuner, &config, 1);
        asked++;
    }
    CHECK_INT(asked + 1, gputune_space_count(gputune_tuner_space(tuner)));
    CHECK_INT(tuner->resumed, 1);
    CHECK(tuner->past_seconds == 4);
    for (i = 0; i < test_told(tuner); i++) {
        const gputune_trial *trial = gputune_tuner_trial(tuner, i);
        bool past = !strcmp(gputune_config_text(&trial->config, text, sizeof text), texts[0]);
        CHECK(trial->value == (past ? 102 : 1));
    }
    gputune_tuner_destroy(tuner);
    tune_clean();
}

// The same configuration of one space or of two equal ones.
static bool tune_same(const gputune_config *a, const gputune_config *b)
{
    return memcmp(a->choice, b->choice,
                  (size_t)space_param_count(a->space) * sizeof *a->choice) == 0;
}

// What was amiss with the machine may be mended by the next run; what failed by itself is known.
static void test_tune_ask_tell_blame(void)
{
    gputune_tuner *tuner;
    gputune_config config, tried[4];
    int run, asked, i, again[4] = { 0, 0, 0, 0 };
    tune_temp();
    for (run = 0; run < 2; run++) {
        tuner = tune_asker("loop", tune_store);
        for (asked = 0; (run || asked < 12) && test_asks(tuner, &config); asked++) {
            for (i = 0; run && i < 4; i++) again[i] += tune_same(&config, &tried[i]);
            if (!run && asked < 4) tried[asked] = config;
            if (!run && (asked == 1 || asked == 2))
                gputune_tell_failed(tuner, &config, asked == 1 ? GPUTUNE_ERROR_LIBRARY
                                                                : GPUTUNE_ERROR_COMPILE, "no");
            else
                gputune_tell(tuner, &config, tune_formula(&config));
        }
        gputune_tuner_destroy(tuner);
    }
    CHECK_INT(again[0], 0);
    CHECK_INT(again[1], 1);
    CHECK_INT(again[2], 0);
    CHECK_INT(again[3], 0);
    tune_clean();
}

// Patience ends where trials gain less than 1 % over the best; it begins anew where they gain more.
static void test_tune_patience(void)
{
    static const double factors[] = { 0.998, 0.95 };
    int f;
    for (f = 0; f < 2; f++) {
        gputune_tuner_desc desc;
        gputune_tuner *tuner;
        gputune_config config;
        double value = 1;
        int asked = 0;
        memset(&desc, 0, sizeof desc);
        desc.race = -1;
        desc.space.params = tune_params;
        desc.space.options.store = "";
        desc.tune.budget.patience = 5;
        desc.tune.budget.all = true;
        tuner = gputune_tuner_create(&desc);
        for (; test_asks(tuner, &config); asked++, value *= factors[f])
            gputune_tell(tuner, &config, value);
        CHECK_INT(asked, f ? 56 : 6);
        gputune_tuner_destroy(tuner);
    }
}

// A question that is never answered is not waited for without end.
static void test_tune_ask_tell_lost(void)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    gputune_asked said;
    int asked = 0, waits = 0;
    memset(&desc, 0, sizeof desc);
    desc.space.params = tune_params;
    desc.space.options.store = "";
    desc.tune.budget.trials = 20;
    tuner = gputune_tuner_create(&desc);
    while ((said = gputune_ask(tuner, &config)) != GPUTUNE_ASK_OVER && waits < 6000) {
        if (said == GPUTUNE_ASK_WAIT) {
            gputune_sleep(0.01);
            waits++;
        } else if (++asked != 5) {
            gputune_tell(tuner, &config, tune_formula(&config));
        }
    }
    CHECK_INT(said, GPUTUNE_ASK_OVER);
    CHECK_INT(asked, 28);
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    gputune_tuner_destroy(tuner);
}

static void test_tune_ask_tell_errors(void)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    static const char *const typo[] = { "BB > 3", NULL };
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    desc.space.params = tune_params;
    desc.space.require = typo;
    tuner = gputune_tuner_create(&desc);
    CHECK(!test_asks(tuner, &config));
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_tuner_error(tuner)->text, "BB");
    gputune_tuner_destroy(tuner);
    desc.space.require = NULL;
    tuner = gputune_tuner_create(&desc);
    while (test_asks(tuner, &config))
        gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_LAUNCH, "all fail");
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_ERROR_EMPTY_SPACE);
    gputune_tuner_destroy(tuner);
    CHECK(!test_asks(NULL, &config));
    gputune_tuner_destroy(NULL);
}

// --- slow kernels, inputs, unasked answers ---

// Slow kernels: a gain by a factor shows in five rounds, and budgets hold.
static void test_tune_slow_default(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, "");
    r.world.scale = 500; // default 1 s, best 0.5 s
    r.desc.tune.budget.seconds = 60;
    r.desc.tune.strategy = GPUTUNE_STRATEGY_SURROGATE;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK(o.speedup > 1.3);
    CHECK(o.seconds < 90);
    tune_close(&r);
}

static void tune_host_trash(HOST_KERNEL)
{
    ((float *)args[0])[0] = -7; // an input
    ((float *)args[1])[0] = 1;
}

static void tune_host_plain(HOST_KERNEL) { ((float *)args[1])[0] = 1; }

// A variant that writes into an input is wrong; a kernel without outputs is refused.
static void test_tune_inputs(void)
{
    static const gputune_param params[] = { { "HOW", "set plain,trash", "plain" },
                                            { NULL, NULL, NULL } };
    static const gputune_function functions[] = { { "plain", tune_host_plain, NULL },
                                                  { "trash", tune_host_trash, NULL },
                                                  { NULL, NULL, NULL } };
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_outcome o;
    gputune_arg args[2];
    float x = 5, y = 0;
    memset(&options, 0, sizeof options);
    options.store = "";
    device = gputune_host_device_create(&options);
    memset(&desc, 0, sizeof desc);
    desc.name = "HOW";
    desc.params = params;
    desc.functions = functions;
    desc.global = "1";
    desc.signature = "float *x, float *y";
    kernel = gputune_kernel_create(device, &desc);
    args[0] = gputune_in(&x, sizeof x);
    args[1] = gputune_out(&y, sizeof y);
    CHECK_INT(test_tunes(kernel, args, 2, &o), GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 1);
    CHECK(x == 5 && y == 0);
    args[0] = gputune_in(&x, 0);
    args[1] = gputune_in(&y, sizeof y);
    CHECK_INT(gputune_tune(kernel, args, 2), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "output");
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

// "plain" does no more than the default; "trash" writes what it was given to read, whatever its
// signature says; "later" reads that.
static void tune_host_input(HOST_KERNEL)
{
    const char *how = (const char *)user;
    float *x = (float *)args[0], *y = (float *)args[1];
    y[0] = 2 * x[0];
    if (strcmp(how, "trash") == 0) x[0] = -7;
}

typedef struct tune_inputs {
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_outcome o;
    float *x, y;
} tune_inputs;

enum { TUNE_INPUT_BYTES = 3 << 20 };

static gputune_result tune_inputs_go(tune_inputs *t, const char *signature, const char *standard)
{
    static const gputune_function functions[] = { { "plain", tune_host_input, (void *)"plain" },
                                                  { "trash", tune_host_input, (void *)"trash" },
                                                  { "later", tune_host_input, (void *)"later" },
                                                  { NULL, NULL, NULL } };
    const gputune_param params[] = { { "HOW", "set plain,trash,later", standard },
                                     { NULL, NULL, NULL } };
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_arg args[2];
    gputune_result result;
    int i;
    memset(&options, 0, sizeof options);
    options.store = "";
    t->device = gputune_host_device_create(&options);
    memset(&desc, 0, sizeof desc);
    desc.name = "HOW";
    desc.params = params;
    desc.functions = functions;
    desc.signature = signature;
    desc.global = "1";
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.seed = 1; // "trash" is the second
    t->kernel = gputune_kernel_create(t->device, &desc);
    t->x = (float *)malloc(TUNE_INPUT_BYTES);
    for (i = 0; i < TUNE_INPUT_BYTES / 4; i++) t->x[i] = 5;
    t->y = 0;
    args[0] = gputune_in(t->x, TUNE_INPUT_BYTES);
    args[1] = gputune_out(&t->y, sizeof t->y);
    result = test_tunes(t->kernel, args, 2, &t->o);
    CHECK(t->y == 0);
    return result;
}

static void tune_inputs_end(tune_inputs *t)
{
    gputune_kernel_destroy(t->kernel);
    gputune_device_destroy(t->device);
    free(t->x);
}

// A kernel that takes a pointer to const and writes there all the same: the program's own stays as
// it was, and only the culprit fails.
static void test_tune_const_inputs(void)
{
    static const char *const signatures[] = { "const float *x, float *y", "float *x, float *y" };
    tune_inputs t;
    int i, j;
    for (i = 0; i < 2; i++) {
        memset(&t, 0, sizeof t);
        CHECK_INT(tune_inputs_go(&t, signatures[i], "plain"), GPUTUNE_OK);
        CHECK_INT(test_trials(t.kernel), 3);
        CHECK_INT(test_seen.failed, 1);
        for (j = 0; j < 2 && gputune_kernel_trial(t.kernel, j)->result == GPUTUNE_OK;) j++;
        CHECK_TEXT(gputune_config_name(&gputune_kernel_trial(t.kernel, j)->config, "HOW"), "trash");
        CHECK_HAS(gputune_kernel_trial(t.kernel, j)->reason, "changed x");
        CHECK(t.x[0] == 5);
        tune_inputs_end(&t);
        CHECK_INT(tune_inputs_go(&t, signatures[i], "trash"), GPUTUNE_ERROR_WRONG_OUTPUT);
        CHECK_HAS(gputune_kernel_error(t.kernel)->text, "HOW=trash: the kernel changed x");
        CHECK(t.x[0] == 5);
        tune_inputs_end(&t);
    }
}

// Several questions may be open, are answered in any order, and keep the budget together. What
// depends on open ones waits; nothing is told twice, and nothing of another space.
static void test_tune_several_open(void)
{
    gputune_tuner *tuner, *other = tune_asker(NULL, "");
    gputune_config open[64], config;
    gputune_tuner_desc desc;
    gputune_asked asked;
    int count = 0, waits = 0, all = 0, i;
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    desc.space.params = tune_params;
    desc.space.require = tune_require;
    desc.space.options.store = "";
    desc.tune.strategy = GPUTUNE_STRATEGY_HILL_CLIMB;
    tuner = gputune_tuner_create(&desc);
    while ((asked = gputune_ask(tuner, &config)) != GPUTUNE_ASK_OVER && all < 64) {
        if (asked == GPUTUNE_ASK_CONFIG) {
            for (i = 0; i < count; i++) CHECK(memcmp(&open[i], &config, sizeof config) != 0);
            open[count++] = config;
            all++;
            continue;
        }
        CHECK_OR(count > 0, "waits for nothing");
        waits++;
        while (count > 0) {
            const gputune_config *one = &open[--count];
            CHECK_INT(gputune_tell(tuner, one, tune_formula(one)), GPUTUNE_OK);
            CHECK_INT(gputune_tell(tuner, one, 1), GPUTUNE_ERROR_ARGUMENT);
            CHECK_HAS(gputune_tuner_error(tuner)->text, "told twice: B=");
        }
    }
    CHECK(waits > 1);
    CHECK_INT(test_told(tuner), all);
    config = gputune_space_default(gputune_tuner_space(other));
    config.choice[0] = 99;
    CHECK_INT(gputune_tell(tuner, &config, 1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_tell(NULL, &config, 1), GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_ask(NULL, &config), GPUTUNE_ASK_OVER);
    gputune_tuner_destroy(tuner);
    gputune_tuner_destroy(other);
    tune_temp();
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.trials = 4;
    desc.name = "several";
    desc.space.options.store = tune_store;
    tuner = gputune_tuner_create(&desc);
    for (count = 0; count < 64 && test_asks(tuner, &open[count]);) count++;
    CHECK_INT(count, 4);
    CHECK_INT(gputune_tell(tuner, &open[3], 3), GPUTUNE_OK);
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK); // not saved: others may be better
    for (i = 0; i < 3; i++) CHECK_INT(gputune_tell(tuner, &open[i], i + 1), GPUTUNE_OK);
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    CHECK(memcmp(&config, &open[0], sizeof config) == 0);
    gputune_tuner_destroy(tuner);
    tuner = gputune_tuner_create(&desc);
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    CHECK(memcmp(config.choice, open[0].choice, sizeof config.choice) == 0);
    gputune_tuner_destroy(tuner);
    tune_clean();
}

// Telling when nothing was asked (tuning off, answer known) is harmless; an early question for the
// best does not stick.
static void test_tune_tell_unasked(void)
{
    gputune_tuner *tuner;
    gputune_config config;
    setenv("GPUTUNE", "off", 1);
    tuner = tune_asker(NULL, "");
    CHECK(!test_asks(tuner, &config));
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    gputune_tell(tuner, &config, 1);
    CHECK_INT(test_told(tuner), 0);
    gputune_tuner_destroy(tuner);
    unsetenv("GPUTUNE");
    tuner = tune_asker(NULL, "");
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_ERROR_EMPTY_SPACE);
    CHECK(test_asks(tuner, &config));
    gputune_tell(tuner, &config, 1);
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    gputune_tuner_destroy(tuner);
}

// A real argument in a restriction makes problems differ; a clean call has a clean error.
static void test_tune_real_argument(void)
{
    static const char *const require[] = { "U <= q", NULL };
    tune_rig r;
    gputune_outcome o;
    gputune_arg args[5];
    tune_rig_init(&r, "");
    r.desc.require = require;
    r.desc.signature = "int n, float *in, float *out, float *inout, float q";
    memcpy(args, r.args, sizeof r.args);
    tune_open(&r);
    args[4] = gputune_float(2.5f);
    CHECK_INT(test_tunes(r.kernel, args, 5, &o), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&o.config, "U"), 2);
    args[4] = gputune_float(3.5f);
    CHECK_INT(test_tunes(r.kernel, args, 5, &o), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&o.config, "U"), 3);
    CHECK(gputune_tune(r.kernel, args, 4) != GPUTUNE_OK);
    CHECK(*gputune_kernel_error(r.kernel)->text);
    CHECK_INT(test_tunes(r.kernel, args, 5, &o), GPUTUNE_OK);
    CHECK_TEXT(gputune_kernel_error(r.kernel)->text, "");
    tune_close(&r);
}

// One failed sample of the default in the race does not crown a slower rival.
static void test_tune_default_stumbles(void)
{
    gt__racer racers[2];
    memset(racers, 0, sizeof racers);
    racers[0].rounds = racers[1].rounds = 8;
    for (int i = 0; i < 8; i++) {
        racers[0].samples[i] = i == 3 ? HUGE_VAL : 1.0;
        racers[1].samples[i] = 1.1;
    }
    racers[0].median = 1.0;
    racers[1].median = 1.1;
    CHECK(!gt__racer_beats(&racers[1], &racers[0], gt__race_chance(0)));
}

// --- every allocation failing in turn ---

typedef struct tune_memory {
    tune_log log; // first: the log function is called with this, too
    long until; // allocations that still succeed; < 0: all
    long blocks;
    bool once; // only one fails
} tune_memory;

static void *tune_reallocate(void *user, void *memory, size_t bytes)
{
    tune_memory *m = (tune_memory *)user;
    void *result;
    if (bytes == 0) {
        m->blocks -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (m->until == 0) {
        m->until -= m->once;
        return NULL;
    }
    if (m->until > 0) m->until--;
    result = realloc(memory, bytes);
    m->blocks += memory == NULL && result != NULL;
    return result;
}

static void test_tune_no_memory(void)
{
    static const gputune_param few[] = { { "B", "set 32,64,16", "32" },
                                         { "U", "set 1,4", "1" },
                                         { NULL, NULL, NULL } };
    long n;
    int survived = 0;
    for (n = 0; n < 100000; n++) {
        tune_rig r;
        tune_memory memory;
        gputune_result result;
        memset(&memory, 0, sizeof memory);
        memory.until = n;
        tune_temp();
        tune_rig_init(&r, n % 4 ? "" : tune_store);
        r.desc.params = few;
        r.replay.options.reallocate = tune_reallocate;
        r.replay.options.user = &memory;
        tune_open(&r);
        result = gputune_tune(r.kernel, r.args, 4);
        CHECK(tune_untouched(&r));
        CHECK_OR(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY,
                 "after %ld allocations: %s: %s", n, gputune_result_name(result),
                 gputune_kernel_error(r.kernel)->text);
        tune_close(&r);
        CHECK_INT(memory.blocks, 0);
        tune_clean();
        if (memory.until > 0 && ++survived == 4) break; // with and without a store
        if (test_failures > 5) break;
    }
    CHECK(survived == 4);
}

static const test_case tune_cases[] = {
    { "finds_the_best", test_tune_finds_the_best },
    { "run_writes_once", test_tune_run_writes_once },
    { "bad_variants", test_tune_bad_variants },
    { "reasons", test_tune_reasons },
    { "tie_keeps_default", test_tune_tie_keeps_default },
    { "race_late", test_tune_race_late },
    { "progress_runs", test_tune_progress_runs },
    { "noise", test_tune_noise },
    { "default_fails", test_tune_default_fails },
    { "missing_library", test_tune_missing_library },
    { "crash_and_resume", test_tune_crash_and_resume },
    { "tried_last", test_tune_tried_last },
    { "resume_seconds", test_tune_resume_seconds },
    { "race_fails", test_tune_race_fails },
    { "race_compiles", test_tune_race_compiles },
    { "second_check", test_tune_second_check },
    { "look_seconds", test_tune_look_seconds },
    { "default_quarantined", test_tune_default_quarantined },
    { "default_resumed", test_tune_default_resumed },
    { "default_drifts", test_tune_default_drifts },
    { "default_forgiven", test_tune_default_forgiven },
    { "default_after_day", test_tune_default_after_day },
    { "default_driver", test_tune_default_driver },
    { "default_stays_compiled", test_tune_default_stays_compiled },
    { "run_config_waits", test_tune_run_config_waits },
    { "hang", test_tune_hang },
    { "back", test_tune_back },
    { "timeout", test_tune_timeout },
    { "time_limit", test_tune_time_limit },
    { "store", test_tune_store },
    { "modes", test_tune_modes },
    { "evict", test_tune_evict },
    { "evict_readonly", test_tune_evict_readonly },
    { "levels", test_tune_levels },
    { "prints", test_tune_prints },
    { "fraction", test_tune_fraction },
    { "local_memory", test_tune_local_memory },
    { "budgets", test_tune_budgets },
    { "reproducible", test_tune_reproducible },
    { "exact_and_problem", test_tune_exact_and_problem },
    { "argument_in_restriction", test_tune_argument_in_restriction },
    { "nothing_to_do", test_tune_nothing_to_do },
    { "mistakes", test_tune_mistakes },
    { "group_limit", test_tune_group_limit },
    { "own_check", test_tune_own_check },
    { "alias", test_tune_alias },
    { "no_room", test_tune_no_room },
    { "far_copies", test_tune_far_copies },
    { "aligned", test_tune_aligned },
    { "ends_process", test_tune_ends_process },
    { "host", test_tune_host },
    { "not_deterministic", test_tune_not_deterministic },
    { "ask_tell", test_tune_ask_tell },
    { "ask_tell_resume", test_tune_ask_tell_resume },
    { "ask_tell_limits", test_tune_ask_tell_limits },
    { "ask_tell_race", test_tune_ask_tell_race },
    { "ask_tell_zero", test_tune_ask_tell_zero },
    { "ask_tell_lost", test_tune_ask_tell_lost },
    { "ask_tell_refuses", test_tune_ask_tell_refuses },
    { "resume_records", test_tune_resume_records },
    { "long_texts", test_tune_long_texts },
    { "ask_tell_blame", test_tune_ask_tell_blame },
    { "patience", test_tune_patience },
    { "ask_tell_errors", test_tune_ask_tell_errors },
    { "slow_default", test_tune_slow_default },
    { "inputs", test_tune_inputs },
    { "const_inputs", test_tune_const_inputs },
    { "several_open", test_tune_several_open },
    { "outcome_text", test_tune_outcome_text },
    { "outcome_failed", test_tune_outcome_failed },
    { "default_defined", test_tune_default_defined },
    { "expressions_name", test_tune_expressions_name },
    { "progress_bar", test_tune_progress_bar },
    { "tell_unasked", test_tune_tell_unasked },
    { "real_argument", test_tune_real_argument },
    { "default_stumbles", test_tune_default_stumbles },
    { "no_memory", test_tune_no_memory },
    { NULL, NULL },
};
