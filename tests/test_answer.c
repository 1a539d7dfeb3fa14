// [session]: what is asked while the compiler works, and when a tuning ends: on the replay device,
// with a compiler whose threads and seconds are of its virtual clock. Nothing runs beside the test.
#include "test.h"

typedef struct answer_rig {
    tune_rig tune; // first: its log is found through it
    double compiling, measuring; // seconds of a program alone, of a launch
    int translated, most; // programs; of them at once
    int first;      // programs that were asked for when the first launch began
    int failing;    // programs that did not compile
    int beside;     // programs that were queued or translated while a launch ran, at most
    double spread;  // slowest / fastest launch, -1
    gputune_result flaw; // of the slow one
    int slow_launches;   // of it
    bool uneven;         // programs take half as long to three and a half times
    double hard;         // seconds more that one in eight takes to compile, or those
    const char *hard_text; // with this in their configuration's text
    int soon;            // trials in the first 30 s
    const char *refused; // configurations whose text has this do not compile
    double loaded;       // when the machine gets three times as slow; 0: never
    double cold;         // it starts so, and takes so long from its first launch until it is fast
    double begun, left;  // when the first launch began, and the first that is not the default's
    int own;             // launches of the default until then
} answer_rig;

static answer_rig *answer_now;

static const gputune_param answer_params[] = {
    { "A", "range 1,8", "1" }, { "B", "range 1,8", "1" }, { "C", "range 1,8", "1" },
    { "D", "range 1,8", "1" }, { NULL, NULL, NULL },
};

static double answer_load(const answer_rig *r)
{
    const double now = ((gt__replay *)r->tune.device->self)->clock;
    if (r->cold > 0) return fmax(1, 3 - 2 * (now - r->begun) / r->cold);
    return r->loaded > 0 && now > r->loaded ? 3 : 1;
}

// Best where all are 5; every parameter does as much as all before it.
static void answer_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const answer_rig *r = answer_now;
    double sum = 0;
    int i;
    (void)user;
    for (i = 0; i < 4; i++) {
        const double off = (config->choice[i] - 4.0) / 4;
        sum += off * off * (1 + i) / 10;
    }
    trial->seconds = r->measuring * (1 + r->spread * sum) * answer_load(r);
    trial->compile_seconds = r->compiling;
}

static gputune_result answer_translate(void *self, const gputune_build *build,
                                       gputune_binary *binary, gputune_error *error)
{
    answer_rig *r = answer_now;
    const gt__ahead *a = r->tune.kernel ? r->tune.kernel->ahead : NULL;
    const int at_once = a && a->running ? a->running : 1;
    char text[256];
    gputune_result result = rig_translate(self, build, binary, error);
    gputune_config_text(build->config, text, sizeof text);
    r->translated++;
    if (at_once > r->most) r->most = at_once;
    binary->seconds = r->compiling * answer_load(r);
    if (r->hard_text ? strstr(text, r->hard_text) != NULL : build->config->choice[1] == 2)
        binary->seconds += r->hard;
    if (r->uneven) binary->seconds *= 0.5 + build->config->choice[0] % 4;
    if (result || !r->refused || !strstr(text, r->refused)) return result;
    r->failing++;
    gt__free(&((gt__replay *)self)->base, binary->data);
    binary->data = NULL;
    return gt__error(error, GPUTUNE_ERROR_COMPILE, "%s", "refused");
}

static void answer_pass(void *self, double now)
{
    gt__replay *replay = (gt__replay *)self;
    CHECK(now >= replay->clock);
    replay->clock = now;
}

static gputune_result answer_time(void *self, void *code, const gputune_driver_launch *launch,
                                  int batch, double time_limit, double hang_limit, double *seconds,
                                  gputune_error *error)
{
    answer_rig *r = answer_now;
    const gt__ahead *a = r->tune.kernel->ahead;
    const double now = ((gt__replay *)self)->clock;
    const gputune_config standard = gputune_space_default(((const gputune_config *)code)->space);
    int i, beside = 0;
    if (r->begun < 0) r->begun = now;
    if (r->left < 0 && !gt__same_choice((const gputune_config *)code, &standard))
        r->left = now;
    if (r->left < 0) r->own += batch;
    for (i = 0; a && i < GT__AHEAD_MOST; i++)
        beside += a->jobs[i].state != GT__JOB_FREE;
    if (beside > r->beside) r->beside = beside;
    if (!r->first) r->first = r->translated;
    r->slow_launches += gputune_config_int((const gputune_config *)code, "A") == 4;
    return rig_time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

static void answer_init(answer_rig *r, int threads)
{
    memset(r, 0, sizeof *r);
    tune_rig_init(&r->tune, "");
    r->tune.replay.trial = answer_trial;
    r->tune.replay.options.threads = threads;
    r->tune.translates = true;
    r->tune.desc.params = answer_params;
    r->tune.desc.require = NULL;
    r->tune.desc.global = "n";
    r->tune.desc.local = NULL;
    r->tune.desc.tune.budget.seconds = -1;
    r->compiling = 0.25;
    r->measuring = 1e-3;
    r->spread = 1;
    r->begun = r->left = -1;
    answer_now = r;
}

// Tunes; returns the seconds that it took on the clock.
static double answer_tunes(answer_rig *r, gputune_outcome *o)
{
    double begin, seconds;
    tune_open(&r->tune);
    r->tune.device->driver.takes_source = r->tune.desc.source != NULL;
    r->tune.device->driver.translate = answer_translate;
    r->tune.device->driver.pass = answer_pass;
    r->tune.device->driver.time = answer_time;
    begin = ((gt__replay *)r->tune.device->self)->clock;
    CHECK_INT(test_tunes(r->tune.kernel, r->tune.args, 4, o), GPUTUNE_OK);
    seconds = ((gt__replay *)r->tune.device->self)->clock - begin;
    CHECK(r->tune.kernel->ahead == NULL);
    return seconds;
}

static void answer_text(const answer_rig *r, char *text, size_t size)
{
    size_t used = 0;
    int i;
    for (i = 0; i < test_trials(r->tune.kernel) && used + 64 < size; i++) {
        const gputune_trial *t = gputune_kernel_trial(r->tune.kernel, i);
        gputune_config_text(&t->config, text + used, size - used);
        used += strlen(text + used);
        text[used++] = '\n';
    }
    text[used] = 0;
}

// A compiler of 0.25 s beside launches of a millisecond: what is asked ahead is compiled side by
// side, and no program but those that are tried.
static void test_answer_beside(void)
{
    static const gputune_strategy strategies[] = { GPUTUNE_STRATEGY_SURROGATE,
                                                   GPUTUNE_STRATEGY_RANDOM };
    size_t s;
    for (s = 0; s < 2; s++) {
        double one = 0, eight;
        answer_rig r;
        gputune_outcome o;
        int threads;
        for (threads = 1; threads <= 8; threads += 7) {
            answer_init(&r, threads);
            r.tune.desc.tune.strategy = strategies[s];
            r.tune.desc.tune.budget.trials = 100;
            eight = answer_tunes(&r, &o);
            if (threads == 1) one = eight;
            CHECK_INT(o.trials, 100);
            CHECK_INT(r.translated, 100);
            tune_close(&r.tune);
        }
        CHECK(one > 100 * 0.25);
        CHECK_OR(eight < one / 5, "%g s instead of %g", eight, one);
        CHECK_INT(r.most, 8);
    }
}

// Where compiling is cheap one question is open, and surrogate search knows every answer.
static void test_answer_cheap(void)
{
    answer_rig r, sequential;
    gputune_outcome o;
    static char texts[2][16384];
    answer_init(&r, 8);
    r.compiling = 1e-5;
    r.measuring = 0.01;
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_SURROGATE;
    r.tune.desc.tune.budget.trials = 100;
    answer_tunes(&r, &o);
    answer_text(&r, texts[0], sizeof texts[0]);
    tune_close(&r.tune);
    CHECK_INT(o.trials, 100);
    answer_init(&sequential, -1);
    sequential.compiling = r.compiling;
    sequential.measuring = r.measuring;
    sequential.tune.desc.tune.strategy = GPUTUNE_STRATEGY_SURROGATE;
    sequential.tune.desc.tune.budget.trials = 100;
    answer_tunes(&sequential, &o);
    answer_text(&sequential, texts[1], sizeof texts[1]);
    tune_close(&sequential.tune);
    CHECK_INT(sequential.beside, 0);
    CHECK_TEXT(texts[0], texts[1]);
}

// So many programs are compiled at once as the program asks for.
static void test_answer_limit(void)
{
    answer_rig r;
    gputune_outcome o;
    answer_init(&r, 16);
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.tune.desc.tune.budget.trials = 200;
    answer_tunes(&r, &o);
    CHECK_INT(r.most, 16);
    CHECK_INT(r.translated, 200);
    tune_close(&r.tune);
}

// With .seed the trials are the same again, whatever compiling takes; without, what is compiled
// first is tried first.
static void test_answer_seed(void)
{
    static char texts[4][16384];
    int run;
    for (run = 0; run < 4; run++) {
        answer_rig r;
        gputune_outcome o;
        answer_init(&r, 4);
        r.compiling = run == 1 ? 0.01 : 0.25; // what 0.01 takes is over while the clocks settle
        r.uneven = run % 2;
        r.tune.desc.tune.seed = run < 2 ? 7 : 0;
        r.tune.desc.tune.strategy =
            run < 2 ? GPUTUNE_STRATEGY_SURROGATE : GPUTUNE_STRATEGY_RANDOM;
        r.tune.desc.tune.budget.trials = 80;
        answer_tunes(&r, &o);
        answer_text(&r, texts[run], sizeof texts[run]);
        tune_close(&r.tune);
    }
    CHECK_TEXT(texts[0], texts[1]);
    CHECK(strcmp(texts[2], texts[3]) != 0);
}

// Tunes by two trials, without a compiler; returns the seconds from the first launch to the first
// that is not the default's.
static double answer_settle(answer_rig *r, gputune_outcome *o)
{
    r->compiling = 0;
    r->tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r->tune.desc.tune.budget.trials = 2;
    answer_tunes(r, o);
    CHECK_INT(o->trials, 2);
    return r->left - r->begun;
}

// The default is measured when the clocks have settled, which takes tens of launches of a
// millisecond and a few long ones; noise does not keep them from settling.
static void test_answer_settles(void)
{
    static const double cold[] = { 0.015, 0.05, 0.2 }, lasting[] = { 0.02, 0.09, 0.11 };
    static const int launches[] = { 10, 10, 8 };
    const double usual = 1e-3 * (1 + (0.1 + 0.2 + 0.3 + 0.4));
    answer_rig r;
    gputune_outcome o;
    int i;
    for (i = 0; i < 3; i++) {
        answer_init(&r, -1);
        r.cold = cold[i];
        answer_settle(&r, &o);
        CHECK_NEAR(gputune_kernel_trial(r.tune.kernel, 0)->stats.median, usual, 1e-9);
        tune_close(&r.tune);
    }
    for (i = 0; i < 3; i++) {
        answer_init(&r, -1);
        r.measuring = lasting[i];
        r.spread = 0;
        answer_settle(&r, &o);
        CHECK_INT(r.own, launches[i]);
        tune_close(&r.tune);
    }
    for (i = 0; i < 20; i++) {
        double seconds;
        answer_init(&r, -1);
        r.spread = 0;
        r.tune.replay.noise = 0.3;
        r.tune.replay.seed = (uint64_t)i;
        seconds = answer_settle(&r, &o);
        CHECK_OR(seconds > 0.02 && seconds < 0.1, "%g s", seconds);
        tune_close(&r.tune);
    }
}

// A device that gets faster and faster takes a tenth of the budget, and the rest is for trials.
static void test_answer_unsettled(void)
{
    answer_rig r;
    gputune_outcome o;
    double seconds;
    answer_init(&r, -1);
    r.cold = 0.2;
    r.compiling = 0;
    r.spread = 0;
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.tune.desc.tune.budget.seconds = 0.6;
    seconds = answer_tunes(&r, &o);
    CHECK_OR(r.left - r.begun > 0.06 && r.left - r.begun < 0.06 + 9 * 3e-3, "%g s",
             r.left - r.begun);
    CHECK_OR(seconds < 0.62, "%g s", seconds);
    CHECK(o.trials > 20);
    tune_close(&r.tune);
}

// One program that takes long keeps no other waiting: where all are being compiled, whichever is
// ready first is tried.
static void test_answer_hard(void)
{
    static const gputune_strategy strategies[] = { GPUTUNE_STRATEGY_RANDOM,
                                                   GPUTUNE_STRATEGY_SURROGATE };
    static const double most[] = { 15, 11 }; // 27 and 12 where the oldest was waited for
    int s;
    for (s = 0; s < 2; s++) {
        answer_rig r;
        gputune_outcome o;
        double seconds;
        answer_init(&r, 8);
        r.hard = 4;
        r.tune.desc.tune.strategy = strategies[s];
        r.tune.desc.tune.budget.trials = 100;
        seconds = answer_tunes(&r, &o);
        CHECK_INT(o.trials, 100);
        CHECK_OR(seconds < most[s], "%g s", seconds);
        tune_close(&r.tune);
    }
}

static bool answer_progress(void *user, const gputune_progress *p)
{
    answer_rig *r = answer_now;
    (void)user;
    if (((gt__replay *)r->tune.device->self)->clock < 30) r->soon = p->trials;
    return true;
}

// Coarsened kernels share their text with those of another work-group: what needs no compiler is
// tried while one that takes a minute is compiled. All but those that have its text.
static void test_answer_shared(void)
{
    static const gputune_param params[] = { { "A", "range 1,1", "1" }, { NULL, NULL, NULL } };
    static const char *const require[] = { "COARSEN_FORM == \"loop\"", NULL };
    answer_rig r;
    gputune_outcome o;
    int i, hard = 0;
    answer_init(&r, 8);
    r.hard = 60;
    r.hard_text = "FACTOR_X=2 STRIDE_X=1 GROUP_X";
    r.tune.desc.source = "__kernel void part(int n, __global float *in, __global float *out,\n"
                         "                   __global float *inout)\n"
                         "{\n    out[get_global_id(0)] = 1;\n}\n";
    r.tune.desc.name = "part";
    r.tune.desc.local = "64";
    r.tune.desc.signature = NULL;
    r.tune.desc.params = params;
    r.tune.desc.require = require;
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.tune.desc.tune.budget.trials = 36;
    r.tune.desc.tune.progress = answer_progress;
    r.tune.desc.coarsen.form = GPUTUNE_COARSEN_THREAD;
    r.tune.desc.coarsen.factors = "set 1, 2, 4";
    r.tune.desc.coarsen.strides = "set 1, 2";
    answer_tunes(&r, &o);
    for (i = 0; i < o.trials; i++) {
        char text[256];
        gputune_config_text(&gputune_kernel_trial(r.tune.kernel, i)->config, text, sizeof text);
        hard += strstr(text, r.hard_text) != NULL;
    }
    CHECK(hard > 0);
    CHECK_OR(r.soon >= o.trials - hard, "%d of %d trials in half a minute, %d are hard", r.soon,
             o.trials, hard);
    tune_close(&r.tune);
}

// The default's reference is computed while the first samples compile, and what does not compile
// costs its own trial.
static void test_answer_first(void)
{
    answer_rig r;
    gputune_outcome o;
    answer_init(&r, 4);
    r.compiling = 1;
    r.measuring = 0.2;
    r.refused = "A=2";
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.tune.desc.tune.budget.trials = 5;
    answer_tunes(&r, &o);
    CHECK_INT(o.trials, 5);
    CHECK_INT(r.first, 5);
    CHECK_INT(r.most, 4);
    CHECK_INT(test_seen.failed, r.failing);
    tune_close(&r.tune);
}

// When it is over only what is being compiled is waited for.
static void test_answer_end(void)
{
    answer_rig r;
    gputune_outcome o;
    answer_init(&r, 4);
    r.compiling = 1;
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.tune.desc.tune.budget.seconds = 10;
    answer_tunes(&r, &o);
    CHECK(o.trials > 20);
    CHECK_OR(r.translated <= o.trials + 8, "%d programs for %d trials", r.translated, o.trials);
    tune_close(&r.tune);
}

// Seconds of a tuning that has 20.
static double answer_has_20(double compiling, double measuring, double loaded, gputune_outcome *o)
{
    answer_rig r;
    double seconds;
    answer_init(&r, 4);
    r.compiling = compiling;
    r.measuring = measuring;
    r.loaded = loaded;
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_SURROGATE;
    r.tune.desc.tune.budget.seconds = 20;
    seconds = answer_tunes(&r, o);
    tune_close(&r.tune);
    return seconds;
}

// The budget is a ceiling for everything, and it is used, whatever a launch and a program take.
static void test_answer_budget(void)
{
    static const double compiling[] = { 0.04, 0.25, 1 }, measuring[] = { 1e-4, 1e-2, 0.2 };
    int c, m;
    for (c = 0; c < 3; c++)
        for (m = 0; m < 3; m++) {
            gputune_outcome o;
            const double seconds = answer_has_20(compiling[c], measuring[m], 0, &o);
            CHECK_OR(seconds < 1.1 * 20 + compiling[c] + 8 * measuring[m],
                     "%g s, compiling %g, a launch %g", seconds, compiling[c], measuring[m]);
            if (o.trials < 4096)
                CHECK_OR(seconds > 0.85 * 20, "%g s, compiling %g, a launch %g, %d trials", seconds,
                         compiling[c], measuring[m], o.trials);
        }
}

// The same on a machine that gets three times as slow at some moment, for all that follows.
static void test_answer_loaded(void)
{
    static const double compiling[] = { 0.01, 0.25, 1 }, measuring[] = { 0.02, 0.2 };
    static const double from[] = { 2, 10, 16 };
    size_t c, m, f;
    for (c = 0; c < 3; c++)
        for (m = 0; m < 2; m++)
            for (f = 0; f < 3; f++) {
                gputune_outcome o;
                const double seconds = answer_has_20(compiling[c], measuring[m], from[f], &o);
                // A trial: its program, a launch that is compared, three that are timed. The
                // winner: four launches, whatever they take.
                CHECK_OR(seconds < 1.1 * 20 + 3 * (compiling[c] + measuring[m]) + 12 * measuring[m],
                         "%g s, compiling %g, a launch %g, slow from %g s on", seconds,
                         compiling[c], measuring[m], from[f]);
            }
}

// Surrogate search ends after 40 trials without a gain and says so, unless all is asked for.
static void test_answer_found(void)
{
    static const gputune_strategy strategies[] = { GPUTUNE_STRATEGY_AUTO, GPUTUNE_STRATEGY_RANDOM };
    int named, i;
    for (i = 0; i < 2; i++)
        for (named = 0; named < 3; named++) { // nothing; all; seconds
            answer_rig r;
            gputune_outcome o;
            double seconds;
            answer_init(&r, 4);
            r.compiling = 0.1;
            r.measuring = 0.02;
            r.tune.desc.tune.strategy = strategies[i];
            r.tune.desc.tune.budget.seconds = named > 1 ? 19 : 0;
            r.tune.desc.tune.budget.all = named == 1;
            seconds = answer_tunes(&r, &o);
            CHECK((strstr(o.note, "40 trials without a gain") != NULL) == (named != 1 && !i));
            if (named == 1 || i) {
                CHECK_OR(seconds > 16 && seconds < 22, "%g s", seconds);
            } else {
                CHECK_OR(seconds < 17, "%g s, %d trials", seconds, o.trials);
                CHECK_OR(o.best_stats.median < 1.01 * 0.02, "%g", o.best_stats.median);
                CHECK(o.trials > 50);
            }
            tune_close(&r.tune);
        }
}

// A number in the store's one entry; negative: it has none of that name.
static double answer_stored(const char *name)
{
    char text[2048] = "", field[32];
    FILE *file = fopen(tune_store, "rb");
    const char *at = NULL;
    if (file && fread(text, 1, sizeof text - 1, file) > 0) {
        snprintf(field, sizeof field, "\t%s=", name);
        at = strstr(text, field);
    }
    if (file) fclose(file);
    return at ? strtod(strchr(at, '=') + 1, NULL) : -1;
}

// A search that its seconds ended goes on in the next run, for half of them. Then its answer is
// final. One that has found what there is, or was told how many trials to make, is final at once.
static void test_answer_goes_on(void)
{
    int run, trials = 0, whole;
    for (whole = 0; whole < 3; whole++) {
        double total = 0;
        char text[64];
        tune_temp();
        for (run = 0; run < 4; run++) {
            answer_rig r;
            gputune_outcome o;
            double seconds;
            answer_init(&r, 4);
            r.tune.replay.options.store = tune_store;
            r.compiling = 1;
            r.tune.desc.tune.budget.seconds = 8;
            r.tune.desc.tune.seed = 3; // many of an earlier run come into the third one's race
            if (whole == 1) r.tune.desc.tune.budget.trials = 5;
            if (whole == 2) r.compiling = 1e-5, r.measuring = 1e-5;
            seconds = answer_tunes(&r, &o);
            CHECK_OR(seconds < (run ? 4 : 8) * 1.1 + 1, "run %d: %g s", run, seconds);
            if (run && (whole || run > 1)) {
                CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
                CHECK(seconds < 1.1);
            } else {
                CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
                CHECK_INT(test_seen.resumed, run ? trials - 1 : 0); // but the default
                CHECK_OR(run == 0 || o.trials > trials + 3, "%d of %d", o.trials, trials);
                CHECK((strstr(r.tune.log.text, "the next run continues for at most 4 s") != NULL) ==
                      (!whole && !run));
                CHECK((strstr(o.note, "the next run continues for at most 4 s") != NULL) ==
                      (!whole && !run));
                // How complete it was: of all runs together, in the log and in the store.
                total += seconds;
                snprintf(text, sizeof text, "kernel: %d of 4096 tried in ", o.trials);
                if (!whole && !run) CHECK_HAS(r.tune.log.text, text);
                CHECK_OR(answer_stored("seconds") > 0.8 * total &&
                             answer_stored("seconds") <= total,
                         "%g of %g s", answer_stored("seconds"), total);
                CHECK_NEAR(answer_stored("trials"), o.trials, 0);
                trials = o.trials;
            }
            tune_close(&r.tune);
        }
        tune_clean();
    }
}

static bool answer_dies(void *user, const gputune_progress *p)
{
    (void)user;
    if (strcmp(p->phase, "race") == 0) _exit(0);
    return true;
}

// The default and what may race after an interrupted run's trials are compiled side by side.
static void test_answer_resumed(void)
{
    answer_rig r;
    gputune_outcome o;
    double seconds;
    pid_t child;
    int status = 1;
    tune_temp();
    answer_init(&r, 4);
    r.tune.replay.options.store = tune_store;
    r.compiling = 1;
    r.tune.desc.tune.budget.trials = 60;
    child = fork();
    if (child == 0) {
        r.tune.desc.tune.progress = answer_dies;
        answer_tunes(&r, &o);
        _exit(1); // not reached
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    seconds = answer_tunes(&r, &o);
    CHECK_INT(test_seen.resumed, 59); // but the default
    CHECK_INT(o.trials, 60);
    CHECK_INT(r.translated, 1 + 7);
    // The default's, 7 by four threads.
    CHECK_OR(seconds - o.device_seconds < 1 + 2 + 0.1, "%g s, launches %g s", seconds,
             o.device_seconds);
    tune_close(&r.tune);
    tune_clean();
}

static double answer_late; // part that trials gain from 11 s on

static void answer_late_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const double now = ((gt__replay *)answer_now->tune.device->self)->clock;
    const bool standard = config->choice[0] + config->choice[1] + config->choice[2] == 0;
    (void)user;
    trial->seconds = 0.01 * (standard || now < 11 ? 1 : 1 - answer_late);
}

// Random search believes nothing. It goes on where the second half of its trials gained 2 %.
static void test_answer_gains_late(void)
{
    static const double gains[] = { 0, 0.015, 0.04 };
    int i;
    for (i = 0; i < 3; i++) {
        answer_rig r;
        gputune_outcome o;
        tune_temp();
        answer_init(&r, 4);
        r.tune.replay.options.store = tune_store;
        r.tune.replay.trial = answer_late_trial;
        r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
        r.tune.desc.tune.budget.seconds = 20;
        answer_late = gains[i];
        answer_tunes(&r, &o);
        CHECK(o.trials > 20);
        CHECK_OR((strstr(o.note, "the next run continues for at most 10 s") != NULL) == (i == 2),
                 "%g: %s", gains[i], o.note);
        tune_close(&r.tune);
        tune_clean();
    }
}

// What cannot go on keeps its stored answer.
static void test_answer_kept(void)
{
    int run;
    tune_temp();
    for (run = 0; run < 2; run++) {
        answer_rig r;
        answer_init(&r, 4);
        r.tune.replay.options.store = tune_store;
        r.compiling = 1;
        r.tune.desc.tune.budget.seconds = 8;
        if (run) r.refused = "A=1 B=1 C=1 D=1"; // its default fails
        tune_open(&r.tune);
        r.tune.device->driver.translate = answer_translate;
        r.tune.device->driver.pass = answer_pass;
        r.tune.device->driver.time = answer_time;
        CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(r.tune.kernel)->origin,
                  run ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        tune_close(&r.tune);
    }
    tune_clean();
}

// The same of ask/tell.
static void test_answer_asks_on(void)
{
    gputune_tuner_desc desc;
    int run, told = 0;
    memset(&desc, 0, sizeof desc);
    desc.space.params = answer_params;
    desc.name = "asks";
    desc.race = -1;
    desc.tune.budget.seconds = 0.05;
    tune_temp();
    desc.space.options.store = tune_store;
    for (run = 0; run < 4; run++) {
        gputune_tuner *tuner = gputune_tuner_create(&desc);
        gputune_config config;
        int asked = 0, refused = 0; // one check for all: how many there are is the machine's
        while (test_asks(tuner, &config)) {
            gputune_sleep(0.01);
            asked++;
            refused += gputune_tell(tuner, &config, 1.0 + config.choice[0]) != GPUTUNE_OK;
        }
        CHECK_INT(refused, 0);
        CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
        CHECK((asked > 0) == (run < 2));
        CHECK((strstr(gputune_tuner_outcome(tuner)->text, "the next run continues") != NULL) ==
              (run == 0));
        if (run < 2) CHECK_INT(test_told(tuner), told + asked);
        told += asked;
        gputune_tuner_destroy(tuner);
    }
    tune_clean();
}

// What A=4 writes, which takes three times as long as the rest.
static void answer_slow_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    answer_rig *r = answer_now;
    answer_trial(user, config, trial);
    if (gputune_config_int(config, "A") != 4) return;
    trial->seconds *= 3;
    trial->result = r->flaw;
}

// A trial whose first launch takes over twice the best's has no second one, and no comparison; what
// it writes out of bounds is seen all the same.
static void test_answer_slow(void)
{
    static const gputune_result flaws[] = { GPUTUNE_OK, GPUTUNE_ERROR_WRONG_OUTPUT,
                                            GPUTUNE_ERROR_OUT_OF_BOUNDS };
    static const gputune_param params[] = { { "A", "range 1,5", "1" }, { NULL, NULL, NULL } };
    int i, k;
    for (i = 0; i < 3; i++) {
        answer_rig r;
        gputune_outcome o;
        const gputune_trial *t;
        answer_init(&r, -1);
        r.tune.replay.trial = answer_slow_trial;
        r.tune.desc.params = params;
        r.measuring = 0.01;
        r.spread = 0;
        r.flaw = flaws[i];
        answer_tunes(&r, &o);
        for (k = 0; (t = gputune_kernel_trial(r.tune.kernel, k)) != NULL; k++) {
            if (gputune_config_int(&t->config, "A") != 4) {
                CHECK_TEXT(t->reason, "");
                continue;
            }
            CHECK_INT(t->result, i < 2 ? GPUTUNE_OK : flaws[i]);
            CHECK_HAS(t->reason, i < 2 ? "not compared" : "outside");
            if (i < 2) CHECK_NEAR(t->value, 0.03, 1e-9);
            if (i < 2) CHECK_INT(t->stats.count, 1);
        }
        CHECK_INT(k, 5);
        CHECK_INT(r.slow_launches, 1);
        tune_close(&r.tune);
    }
}

// A launch of measuring * n / 2^24 and 20 us; busy from 2^16 on where `measuring` is 50 ms.
static void answer_size_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    int n;
    answer_trial(user, config, trial);
    if (!test_launch(trial)) return;
    memcpy(&n, test_launch(trial)->args[0].data, sizeof n);
    trial->seconds = 20e-6 + trial->seconds * n / (1 << 24);
}

static void answer_part_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    answer_trial(user, config, trial);
    if (!test_launch(trial)) return;
    trial->seconds = 20e-6 + trial->seconds * trial->items / (1 << 24);
}

// MSP-tuning beside a search at the real size, of the same 64 configurations: it compiles side by
// side, sees no more of the curve than it needs, and races in few launches. Of a default that is
// far behind, 8 % and 1 %. Noise decides how many rounds it races: the means of four devices count.
static void test_answer_msp(void)
{
    static const double spreads[] = { 1, 0.08, 0.01 };
    static const double least[] = { 20, 19, 20 }; // times less of the device
    gputune_saturation_desc msp;
    int i, j, k;
    memset(&msp, 0, sizeof msp);
    msp.resize = "n = size";
    for (k = 0; k < 3; k++) {
        double seconds[2] = { 0, 0 }, launched[2] = { 0, 0 }, best[2];
        for (j = 0; j < 8; j++) {
            gputune_outcome o;
            answer_rig r;
            i = j % 2;
            answer_init(&r, 8);
            tune_args(&r.tune, 1 << 24);
            r.tune.replay.trial = answer_size_trial;
            r.tune.replay.noise = 0.003;
            r.tune.replay.seed = (uint64_t)j / 2;
            r.tune.replay.limits.cache_bytes = 1 << 20;
            r.measuring = 0.05;
            r.spread = spreads[k];
            r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
            r.tune.desc.tune.seed = 3;
            r.tune.desc.tune.budget.trials = 64;
            if (i) r.tune.desc.tune.msp = &msp;
            seconds[i] += answer_tunes(&r, &o) / 4;
            launched[i] += o.device_seconds / 4;
            best[i] = o.best_stats.median;
            CHECK_INT(o.trials, 64);
            CHECK_INT(r.translated, 64);
            if (i) CHECK_OR(o.curve->count <= 9, "%d points", o.curve->count);
            if (i) CHECK(best[1] < 1.03 * best[0]);
            tune_close(&r.tune);
        }
        CHECK_OR(launched[0] > least[k] * launched[1], "%g and %g s of launches", launched[0],
                 launched[1]);
        CHECK_OR(seconds[1] < 64 * 0.25 / 8 + 0.25 + 1.5 + 3 * 0.05, "%g instead of %g s",
                 seconds[1], seconds[0]);
    }
}

// Where a part of the grid is launched the whole one has another text: the default and what may win
// are compiled anew, and side by side.
static void test_answer_msp_part(void)
{
    gputune_saturation_desc msp;
    gputune_outcome o;
    answer_rig r;
    double seconds;
    memset(&msp, 0, sizeof msp);
    answer_init(&r, 8);
    tune_args(&r.tune, 1 << 24);
    r.tune.replay.trial = answer_part_trial;
    r.tune.replay.limits.cache_bytes = 1 << 20;
    r.measuring = 0.05;
    r.tune.desc.source = "__kernel void part(int n, __global float *in, __global float *out,\n"
                         "                   __global float *inout)\n"
                         "{\n    out[get_global_id(0)] = A + B + C + D;\n}\n";
    r.tune.desc.name = "part";
    r.tune.desc.local = "64";
    r.tune.desc.signature = NULL;
    r.tune.desc.tune.budget.trials = 64;
    r.tune.desc.tune.msp = &msp;
    seconds = answer_tunes(&r, &o);
    CHECK_HAS(o.note, "searched at size 32768 of 16777216");
    CHECK_INT(r.translated, 64 + 8);
    // The default's, 63 by eight threads, 8 by eight.
    CHECK_OR(seconds - o.device_seconds < 0.25 + 2 + 0.25 + 0.1, "%g s, launches %g s",
             seconds, o.device_seconds);
    tune_close(&r.tune);
}

static const test_case answer_cases[] = {
    { "msp", test_answer_msp },
    { "msp_part", test_answer_msp_part },
    { "beside", test_answer_beside },
    { "cheap", test_answer_cheap },
    { "limit", test_answer_limit },
    { "seed", test_answer_seed },
    { "settles", test_answer_settles },
    { "unsettled", test_answer_unsettled },
    { "hard", test_answer_hard },
    { "shared", test_answer_shared },
    { "first", test_answer_first },
    { "end", test_answer_end },
    { "budget", test_answer_budget },
    { "loaded", test_answer_loaded },
    { "found", test_answer_found },
    { "goes_on", test_answer_goes_on }, { "resumed", test_answer_resumed },
    { "gains_late", test_answer_gains_late },
    { "kept", test_answer_kept },
    { "asks_on", test_answer_asks_on },
    { "slow", test_answer_slow },
    { NULL, NULL },
};
