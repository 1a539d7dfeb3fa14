// [threads], what is compiled ahead, binaries kept beside the store, and several devices: replayed,
// so that everything but the order in which threads run is the same each time. Runs under
// ThreadSanitizer, too (tests/compile/check.sh).
#include "test.h"

#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- a replayed kernel whose callback several threads may call ---

typedef struct threads_world {
    const char *bad_word; // configurations whose text has this fail with `bad`
    gputune_result bad;
    bool bad_rest; // all but the default do
    double slower; // seconds of any are longer by this part
} threads_world;

// Answers of tune_formula, with faults.
static void threads_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const threads_world *w = (const threads_world *)user;
    char text[256];
    trial->seconds = tune_formula(config) * (1 + w->slower);
    trial->compile_seconds = 0.01;
    gputune_config_text(config, text, sizeof text);
    if (w->bad_word && strstr(text, w->bad_word)) trial->result = w->bad;
    if (w->bad_rest && strcmp(text, "B=32 U=1") != 0) trial->result = w->bad;
}

enum { THREADS_DEVICES = 4 };

typedef struct threads_rig {
    tune_rig tune; // the kernel's own device stands there
    threads_world world[THREADS_DEVICES];
    gputune_device *more[THREADS_DEVICES]; // the further ones; ends with NULL
    // What the drivers' functions below see.
    pthread_mutex_t lock;
    pthread_t main;
    int translated, translated_here, running;
    int beside, most; // translations on other threads than the program's: now, at once
    int awaited;      // so many of them are waited for; 0: none
    bool first_over, early;              // a translation began before the first had ended
    int devices, tried[THREADS_DEVICES]; // configurations by device, the default apart
    int together, elsewhere; // devices that were in a trial at once; calls from other threads
    int astray;              // buffers of launches that are aligned otherwise than the program's
    bool kill;               // the process ends when all devices are in a trial
    int checks, checks_at_once;
    volatile int checking; // a check is running
    int compared;          // outputs, on the second device
} threads_rig;

// Drivers have no user pointer of ours: tests run one at a time.
static threads_rig *threads_now;
static gputune_driver threads_plain; // the replay driver's own functions

// Stays until the awaited ones run, 5 s at most, and a little longer, if there were one more. The
// program's own thread waits, too: the others may not have been given a processor yet.
static void threads_await(threads_rig *r)
{
    const double begin = gputune_now();
    bool all = false;
    while (!all && gputune_now() - begin < 5 * test_load) {
        pthread_mutex_lock(&r->lock);
        all = r->most >= r->awaited;
        pthread_mutex_unlock(&r->lock);
        sched_yield();
    }
    gputune_sleep(0.002);
}

static gputune_result threads_translate(void *self, const gputune_build *build,
                                        gputune_binary *binary, gputune_error *error)
{
    threads_rig *r = threads_now;
    gputune_result result;
    const bool here = pthread_equal(pthread_self(), r->main) != 0;
    bool waits;
    pthread_mutex_lock(&r->lock);
    if (r->translated++ && !r->first_over) r->early = true;
    r->translated_here += here;
    r->running++;
    r->beside += !here;
    if (r->beside > r->most) r->most = r->beside;
    waits = r->awaited && r->first_over;
    pthread_mutex_unlock(&r->lock);
    if (waits) threads_await(r);
    result = threads_plain.translate(self, build, binary, error);
    sched_yield();
    pthread_mutex_lock(&r->lock);
    r->running--;
    r->beside -= !here;
    r->first_over = true;
    pthread_mutex_unlock(&r->lock);
    return result;
}

// Waits until the translating threads have nothing to do.
static void threads_rest(gt__ahead *a)
{
    bool busy = a != NULL;
    while (busy) {
        int i;
        gt__lock_enter(&a->lock);
        for (i = 0, busy = false; i < GT__AHEAD_MOST; i++)
            busy = busy || a->jobs[i].state == GT__JOB_WAITING ||
                   a->jobs[i].state == GT__JOB_RUNNING;
        gt__lock_leave(&a->lock);
        if (busy) sched_yield();
    }
}

// Every timed launch gives them time to come to rest.
static gputune_result threads_time(void *self, void *code, const gputune_driver_launch *launch,
                                   int batch, double time_limit, double hang_limit, double *seconds,
                                   gputune_error *error)
{
    threads_rest(threads_now->tune.kernel->ahead);
    return threads_plain.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

// The program of the first question is not ready before sixty launches of others, 10 s at most.
static struct {
    char text[128];
    int launches; // since it began, the default's apart
    bool begun, late;
} threads_gate;

static gputune_result threads_gated_translate(void *self, const gputune_build *build,
                                              gputune_binary *binary, gputune_error *error)
{
    threads_rig *r = threads_now;
    const double begin = gputune_now();
    char text[128];
    bool open;
    gputune_config_text(build->config, text, sizeof text);
    pthread_mutex_lock(&r->lock);
    open = threads_gate.launches >= 60;
    pthread_mutex_unlock(&r->lock);
    if (!open) gputune_sleep(0.03); // so that often none is ready
    for (open = strcmp(text, threads_gate.text) != 0; !open; gputune_sleep(1e-3)) {
        pthread_mutex_lock(&r->lock);
        threads_gate.begun = true;
        threads_gate.late = gputune_now() - begin > 10 * test_load;
        open = threads_gate.launches >= 60 || threads_gate.late;
        pthread_mutex_unlock(&r->lock);
    }
    return threads_translate(self, build, binary, error);
}

// The default's launches wait until it has begun.
static gputune_result threads_gated_time(void *self, void *code,
                                         const gputune_driver_launch *launch, int batch,
                                         double time_limit, double hang_limit, double *seconds,
                                         gputune_error *error)
{
    threads_rig *r = threads_now;
    const double begin = gputune_now();
    bool begun = false;
    char text[128];
    gputune_config_text((const gputune_config *)code, text, sizeof text);
    while (!begun && gputune_now() - begin < 2 * test_load) {
        pthread_mutex_lock(&r->lock);
        begun = threads_gate.begun;
        threads_gate.launches += begun && strcmp(text, "B=32 U=1") != 0;
        pthread_mutex_unlock(&r->lock);
        sched_yield();
    }
    return threads_plain.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

static void threads_init(threads_rig *r, const char *store, int threads)
{
    memset(r, 0, sizeof *r);
    tune_rig_init(&r->tune, store);
    r->tune.replay.trial = threads_trial;
    r->tune.replay.user = &r->world[0];
    r->tune.translates = true;
    r->tune.replay.options.threads = threads;
    r->tune.desc.tune.budget.seconds = -1;
    r->tune.desc.tune.budget.all = true;
    r->tune.desc.tune.classes = ""; // the rigs lie at other addresses
    r->main = pthread_self();
    pthread_mutex_init(&r->lock, NULL);
    threads_now = r;
}

static void threads_open(threads_rig *r)
{
    tune_open(&r->tune);
    if (!r->tune.device) return;
    threads_plain = r->tune.device->driver;
    if (threads_plain.translate) r->tune.device->driver.translate = threads_translate;
}

static void threads_close(threads_rig *r)
{
    int i;
    tune_close(&r->tune);
    for (i = 0; i < THREADS_DEVICES && r->more[i]; i++) gputune_device_destroy(r->more[i]);
    pthread_mutex_destroy(&r->lock);
    threads_now = NULL;
}

// All trials as text.
static void threads_text(const threads_rig *r, char *text, size_t size)
{
    size_t used = 0;
    int i;
    for (i = 0; i < test_trials(r->tune.kernel) && used < size; i++) {
        const gputune_trial *t = gputune_kernel_trial(r->tune.kernel, i);
        char config[128];
        used += (size_t)snprintf(text + used, size - used, "%s %s %.17g %g %s\n",
                                 gputune_config_text(&t->config, config, sizeof config),
                                 gputune_result_name(t->result), t->value, t->compile_seconds,
                                 t->reason);
    }
}

// --- primitives ---

typedef struct threads_counter {
    gt__lock lock;
    gt__signal signal;
    int count;
} threads_counter;

static void threads_count(void *user)
{
    threads_counter *c = (threads_counter *)user;
    int i;
    for (i = 0; i < 100000; i++) {
        gt__lock_enter(&c->lock);
        c->count++;
        gt__lock_leave(&c->lock);
    }
    gt__signal_all(&c->signal);
}

static void threads_mask(void *user)
{
    sigprocmask(SIG_BLOCK, NULL, (sigset_t *)user);
}

// The program's signals do not come to our threads; those of their own making do.
static void test_threads_signals(void)
{
    gt__thread thread;
    sigset_t inside, before, after;
    sigprocmask(SIG_BLOCK, NULL, &before);
    CHECK(!sigismember(&before, SIGUSR1));
    CHECK(gt__thread_start(&thread, threads_mask, &inside));
    gt__thread_join(&thread);
    CHECK(sigismember(&inside, SIGUSR1) && sigismember(&inside, SIGINT));
    CHECK(!sigismember(&inside, SIGSEGV));
    sigprocmask(SIG_BLOCK, NULL, &after);
    CHECK(!sigismember(&after, SIGUSR1) && !sigismember(&after, SIGINT));
}

static void test_threads_primitives(void)
{
    threads_counter c;
    gt__thread threads[4];
    int i;
    memset(&c, 0, sizeof c);
    gt__lock_init(&c.lock);
    gt__signal_init(&c.signal);
    for (i = 0; i < 4; i++) CHECK(gt__thread_start(&threads[i], threads_count, &c));
    gt__lock_enter(&c.lock);
    while (c.count < 400000) gt__signal_wait(&c.signal, &c.lock);
    gt__lock_leave(&c.lock);
    for (i = 0; i < 4; i++) gt__thread_join(&threads[i]);
    CHECK_INT(c.count, 400000);
    gt__signal_end(&c.signal);
    gt__lock_end(&c.lock);
    CHECK(gt__processor_count() >= 1);
}

// --- several questions open ---

// With several questions open: everything is asked once, whatever the order of the answers.
static void test_threads_batch(void)
{
    gputune_space *space = search_space(search_cube, search_cube_require);
    uint64_t count = gputune_space_count(space), seed;
    int strategy;
    for (strategy = GPUTUNE_STRATEGY_EXHAUSTIVE; strategy < GPUTUNE_STRATEGY_COUNT; strategy++)
        for (seed = 0; seed < 20; seed++) {
            gt__search *s = search_begin(space, (gputune_strategy)strategy, seed, 0);
            gputune_config open[7], config;
            uint64_t state = seed;
            char *seen = (char *)calloc(1, (size_t)count);
            int i, opened = 0, asked = 0;
            bool more = true;
            while (more || opened) {
                more = opened < 7 && gt__search_next(s, &config);
                if (more) {
                    uint64_t index = search_index(space, &config);
                    CHECK(!seen[index]);
                    seen[index] = 1;
                    open[opened++] = config;
                    asked++;
                    continue;
                }
                if (!opened) break;
                more = s->wait || opened == 7;
                i = (int)test_random_below(&state, (uint64_t)opened);
                config = open[i];
                open[i] = open[--opened];
                gt__search_tell(s, &config,
                                1e-3 * (double)(search_index(space, &config) * 37 % 101));
                more = true;
            }
            if (strategy != GPUTUNE_STRATEGY_HILL_CLIMB) CHECK_INT(asked, count);
            CHECK(asked > 5);
            free(seen);
            search_end(s);
        }
    gputune_space_destroy(space);
}

// Hill climbing takes the same way, however many of a round's steps are open.
static void test_threads_batch_hill(void)
{
    gputune_space *space = search_space(search_cube, search_cube_require);
    gt__search *one, *many;
    gputune_config config, open[64];
    uint64_t path[512], other[512]; // there are fewer
    int i, opened = 0, steps = 0, count = 0;
    CHECK(gputune_space_count(space) <= 512);
    one = search_begin(space, GPUTUNE_STRATEGY_HILL_CLIMB, 1, 0);
    many = search_begin(space, GPUTUNE_STRATEGY_HILL_CLIMB, 1, 0);
    while (gt__search_next(one, &config)) {
        path[steps++] = search_index(space, &config);
        gt__search_tell(one, &config, (double)(search_index(space, &config) * 37 % 101));
    }
    for (;;) {
        while (opened < 64 && gt__search_next(many, &config)) {
            other[count++] = search_index(space, &config);
            open[opened++] = config;
        }
        if (!opened) break;
        for (i = opened; i-- > 0;)
            gt__search_tell(many, &open[i],
                            (double)(search_index(space, &open[i]) * 37 % 101));
        opened = 0;
    }
    CHECK_INT(count, steps);
    CHECK(memcmp(other, path, (size_t)steps * sizeof *path) == 0);
    search_end(one);
    search_end(many);
    gputune_space_destroy(space);
}

// --- compiling ahead ---

// The same trials, values, reasons and winner each time, with .seed and a number of threads; with
// any number where the answers do not matter.
static void test_threads_same(void)
{
    static const int numbers[] = { -1, 1, 2, 8 };
    static char first[16384], text[16384];
    int strategy, n;
    for (strategy = GPUTUNE_STRATEGY_AUTO; strategy < GPUTUNE_STRATEGY_COUNT; strategy++)
        for (n = 0; n < 8; n++) {
            threads_rig r;
            gputune_outcome o;
            bool anew;
            threads_init(&r, "", numbers[n / 2]);
            r.tune.desc.tune.strategy = (gputune_strategy)strategy;
            r.tune.desc.tune.budget.trials = 40;
            r.tune.desc.tune.seed = 3;
            r.tune.replay.noise = 0.01;
            r.world[0].bad_word = "U=5";
            r.world[0].bad = GPUTUNE_ERROR_COMPILE;
            threads_open(&r);
            CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
            anew = n == 0 || (n % 2 == 0 && strategy != GPUTUNE_STRATEGY_EXHAUSTIVE &&
                              strategy != GPUTUNE_STRATEGY_RANDOM);
            threads_text(&r, anew ? first : text, sizeof text);
            if (!anew) CHECK_TEXT(text, first);
            CHECK_HAS(first, "compile inf 0.01 replay:");
            CHECK(!r.early);
            CHECK(r.tune.kernel->ahead == NULL);
            CHECK_INT(r.running, 0);
            threads_close(&r);
        }
}

// While a configuration is measured the next ones are translated: this thread does no more than the
// default itself.
static void test_threads_ahead(void)
{
    static const gputune_strategy strategies[] = { GPUTUNE_STRATEGY_EXHAUSTIVE,
                                                   GPUTUNE_STRATEGY_RANDOM };
    size_t i;
    for (i = 0; i < 2; i++) {
        threads_rig r;
        gputune_outcome o;
        threads_init(&r, "", 2);
        r.tune.desc.tune.strategy = strategies[i];
        threads_open(&r);
        r.tune.device->driver.time = threads_time;
        CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(o.trials, 52);
        CHECK_INT(test_seen.failed, 0);
        CHECK_INT(r.translated_here, 1);
        CHECK_INT(r.translated, 52);
        CHECK(!r.early);
        threads_close(&r);
    }
}

// A program that takes long is not waited for while others are ready, with threads that compile.
static void test_threads_hard(void)
{
    threads_rig r;
    memset(&threads_gate, 0, sizeof threads_gate);
    threads_init(&r, "", -1); // what is asked first?
    threads_open(&r);
    CHECK_INT(gputune_tune(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    gputune_config_text(&gputune_kernel_trial(r.tune.kernel, 1)->config, threads_gate.text,
                        sizeof threads_gate.text);
    threads_close(&r);
    threads_init(&r, "", 4);
    threads_open(&r);
    r.tune.device->driver.translate = threads_gated_translate;
    r.tune.device->driver.time = threads_gated_time;
    CHECK_INT(gputune_tune(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 52);
    CHECK(threads_gate.begun && !threads_gate.late);
    threads_close(&r);
}

// Without translate, or with threads < 0, nothing runs elsewhere.
static void test_threads_none(void)
{
    threads_rig r;
    threads_init(&r, "", -1);
    threads_open(&r);
    CHECK_INT(gputune_tune(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 52);
    CHECK_INT(r.translated_here, 52);
    threads_close(&r);
    threads_init(&r, "", 4);
    r.tune.translates = false;
    threads_open(&r);
    CHECK_INT(gputune_tune(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 0);
    threads_close(&r);
}

// What was made of another text, or of another function, is not what is asked for.
static void test_threads_ahead_other(void)
{
    static const char *const texts[] = { "another source", "source" };
    static const char *const names[] = { "other", "kernel" };
    threads_rig r;
    const gputune_space *space;
    int i, by;
    threads_init(&r, "", 1);
    threads_open(&r);
    CHECK_INT(test_space_of(r.tune.kernel, r.tune.args, 4, &space), GPUTUNE_OK);
    for (by = 0; by < 2; by++) {
        gt__ahead *a = gt__ahead_open(&r.tune.kernel->base, &r.tune.device->driver,
                                      r.tune.device->self, 1);
        gputune_config config = gputune_space_at(space, 3);
        gputune_build build;
        gputune_binary binary;
        gputune_error error;
        gputune_result result;
        char *text = NULL;
        memset(&build, 0, sizeof build);
        build.name = "kernel";
        build.options = "";
        build.config = &config;
        gt__text_add(&a->base, &text, "%s", "source");
        CHECK(!gt__ahead_put(a, &build, &text));
        threads_rest(a);
        CHECK(gt__ahead_done(a, text) != 0);
        text = NULL;
        gt__text_add(&a->base, &text, "%s", "source");
        CHECK(gt__ahead_put(a, &build, &text));
        for (i = 0; i < 2; i++) {
            bool taken;
            build.name = by ? names[i] : "kernel";
            build.source = by ? "source" : texts[i];
            taken = gt__ahead_take(a, &build, &result, &binary, &error);
            if (taken) gt__free(&a->base, binary.data);
            CHECK_INT(taken, i);
        }
        gt__ahead_close(a);
    }
    threads_close(&r);
}

// Which configurations were translated, in this order, by how many threads at once.
static struct {
    uint64_t order[8];
    int count, at_once, most;
} threads_seen;

static gputune_result threads_note(void *self, const gputune_build *build, gputune_binary *binary,
                                   gputune_error *error)
{
    const int now = TEST_ADD(threads_seen.at_once, 1) + 1;
    (void)self, (void)binary, (void)error;
    if (now > threads_seen.most) threads_seen.most = now;
    CHECK(gputune_space_index(build->config->space, build->config,
                              &threads_seen.order[threads_seen.count++]));
    TEST_ADD(threads_seen.at_once, -1);
    return GPUTUNE_OK;
}

// Who came first is first, and no more threads are at work than the limit says.
static void test_threads_ahead_order(void)
{
    threads_rig r;
    const gputune_space *space;
    gt__ahead *a;
    gputune_driver driver;
    int i;
    memset(&threads_seen, 0, sizeof threads_seen);
    threads_init(&r, "", 1);
    threads_open(&r);
    CHECK_INT(test_space_of(r.tune.kernel, r.tune.args, 4, &space), GPUTUNE_OK);
    driver = r.tune.device->driver;
    driver.translate = threads_note;
    a = gt__ahead_open(&r.tune.kernel->base, &driver, NULL, 3);
    CHECK_INT(a->limit, 3);
    gt__lock_enter(&a->lock);
    a->limit = 0;
    gt__lock_leave(&a->lock);
    for (i = 0; i < 6; i++) {
        const gputune_config config = gputune_space_at(space, (uint64_t)(i + 3) % 6);
        gputune_build build;
        char *text = NULL;
        memset(&build, 0, sizeof build);
        build.name = "kernel";
        build.config = &config;
        CHECK(!gt__ahead_put(a, &build, &text));
    }
    gt__lock_enter(&a->lock);
    CHECK_INT(threads_seen.count, 0);
    a->limit = 1;
    gt__signal_all(&a->work);
    gt__lock_leave(&a->lock);
    threads_rest(a);
    CHECK_INT(a->running, 0);
    gt__ahead_close(a);
    CHECK_INT(threads_seen.most, 1);
    CHECK_INT(threads_seen.count, 6);
    for (i = 0; i < 6; i++) CHECK_INT(threads_seen.order[i], (uint64_t)(i + 3) % 6);
    threads_close(&r);
}

// How many trials the store's log has the results of.
static int threads_logged(void)
{
    char command[512], text[32] = "";
    FILE *pipe;
    snprintf(command, sizeof command, "cat '%s'.journal/*.txt | grep -c '^end'", tune_store);
    pipe = popen(command, "r");
    CHECK(pipe && fgets(text, sizeof text, pipe));
    if (pipe) pclose(pipe);
    return atoi(text);
}

// What an interrupted run has tried is not compiled ahead.
static void test_threads_ahead_past(void)
{
    threads_rig r;
    gputune_outcome o;
    char text[64];
    int run, logged;
    tune_temp();
    for (run = 0; run < 2; run++) {
        threads_init(&r, tune_store, 2);
        r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
        r.tune.desc.tune.seed = (uint64_t)run; // another order
        if (!run) {
            pid_t child = fork();
            int status = 0;
            if (child == 0) {
                r.tune.replay.trial = tune_trial;
                r.tune.replay.user = &r.tune.world;
                r.tune.desc.tune.progress = tune_follow;
                r.tune.desc.tune.user = &r.tune.world;
                r.tune.world.kill_word = "U="; // any, after so many launches in the search
                r.tune.world.bad_phase = "search";
                r.tune.world.bad_after = 300;
                threads_open(&r);
                gputune_tune(r.tune.kernel, r.tune.args, 4);
                _exit(0);
            }
            CHECK(child > 0 && waitpid(child, &status, 0) == child);
            continue;
        }
        logged = threads_logged(); // of the run before, the default's, too
        threads_open(&r);
        CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
        CHECK(logged > 5);
        CHECK_INT(test_seen.resumed, logged - 1); // else one of them was asked for again
        // The default is tried again, and first.
        gputune_config_text(&gputune_kernel_trial(r.tune.kernel, 0)->config, text, sizeof text);
        CHECK_TEXT(text, "B=32 U=1");
        // the default, and who else is in the race
        CHECK(r.translated <= 52 - test_seen.resumed + 6);
        threads_close(&r);
    }
    tune_clean();
}

// Every allocation fails in turn, wherever it is made.
typedef struct threads_memory {
    tune_memory memory; // first: the log function is called with this, too
    pthread_mutex_t lock;
} threads_memory;

static void *threads_reallocate(void *user, void *memory, size_t bytes)
{
    threads_memory *m = (threads_memory *)user;
    void *result;
    pthread_mutex_lock(&m->lock);
    result = tune_reallocate(&m->memory, memory, bytes);
    pthread_mutex_unlock(&m->lock);
    return result;
}

static const gputune_param threads_few[] = { { "B", "set 32,64,16", "32" },
                                             { "U", "set 1,4", "1" },
                                             { NULL, NULL, NULL } };

// How many threads beside the program's translate at once, where so many are expected.
static int threads_at_once(int threads, bool own_allocator, int expected)
{
    threads_rig r;
    threads_memory memory;
    int most;
    memset(&memory, 0, sizeof memory);
    pthread_mutex_init(&memory.lock, NULL);
    memory.memory.until = -1;
    threads_init(&r, "", threads);
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    r.awaited = expected;
    if (own_allocator) {
        r.tune.replay.options.reallocate = threads_reallocate;
        r.tune.replay.options.user = &memory;
    }
    threads_open(&r);
    CHECK_INT(gputune_tune(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK(r.translated >= 52);
    CHECK((r.translated > r.translated_here) == (r.most > 0));
    most = r.most;
    threads_close(&r);
    pthread_mutex_destroy(&memory.lock);
    return most;
}

// gputune_options.threads.
static void test_threads_number(void)
{
    gt__base b;
    const int most = threads_at_once(0, false, 1);
    CHECK(most >= 1 && most <= 8);
    CHECK_INT(threads_at_once(3, false, 3), 3);
    CHECK_INT(threads_at_once(-1, false, 0), 0);
    CHECK_INT(threads_at_once(0, true, 0), 0);
    CHECK_INT(threads_at_once(2, true, 2), 2);
    memset(&b, 0, sizeof b);
    CHECK_INT(gt__ahead_threads(&b), gt__processor_count() < 8 ? gt__processor_count() : 8);
    // More than there is work for.
    b.threads = 1 << 20;
    CHECK_INT(gt__ahead_threads(&b), GT__THREADS_MOST);
}

static void threads_no_memory(int devices)
{
    long n;
    int survived = 0;
    for (n = 0; n < 100000 && survived < 3; n += devices ? 7 : 3) {
        threads_rig r;
        threads_memory memory;
        gputune_result result;
        int i;
        memset(&memory, 0, sizeof memory);
        pthread_mutex_init(&memory.lock, NULL);
        memory.memory.until = n;
        tune_temp();
        threads_init(&r, n % 2 ? "" : tune_store, 2);
        r.tune.desc.params = threads_few;
        r.tune.replay.options.reallocate = threads_reallocate;
        r.tune.replay.options.user = &memory;
        for (i = 0; i < devices; i++) {
            r.more[i] = rig_replay(&r.tune.replay, 1e-5, true);
            if (!r.more[i]) break;
        }
        r.tune.desc.tune.devices = r.more;
        threads_open(&r);
        result = gputune_run(r.tune.kernel, r.tune.args, 4);
        CHECK_OR(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY,
                 "after %ld allocations: %s: %s", n, gputune_result_name(result),
                 gputune_kernel_error(r.tune.kernel)->text);
        pthread_mutex_lock(&memory.lock);
        survived += memory.memory.until > 0;
        pthread_mutex_unlock(&memory.lock);
        threads_close(&r);
        CHECK_INT(memory.memory.blocks, 0);
        tune_clean();
        pthread_mutex_destroy(&memory.lock);
        if (test_failures > 5) break;
    }
    CHECK_INT(survived, 3);
}

static void test_threads_no_memory(void)
{
    threads_no_memory(0);
}

// --- binaries beside the store ---

static char threads_folder[128];

// Files of the folder with the binaries; *name gets the last one's path.
static int threads_files(char *name, size_t size)
{
    DIR *folder;
    struct dirent *entry;
    int count = 0;
    snprintf(threads_folder, sizeof threads_folder, "%s.binaries", tune_store);
    folder = opendir(threads_folder);
    while (folder && (entry = readdir(folder)) != NULL) {
        if (entry->d_name[0] == '.') continue;
        count++;
        if (name) snprintf(name, size, "%s/%s", threads_folder, entry->d_name);
    }
    if (folder) closedir(folder);
    return count;
}

// One process: how many translations a run takes.
static int threads_run(const char *log_part)
{
    threads_rig r;
    gputune_arg args[4];
    int translated;
    threads_init(&r, tune_store, -1);
    memcpy(args, r.tune.args, sizeof args);
    threads_open(&r);
    CHECK_INT(gputune_run(r.tune.kernel, args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_run(r.tune.kernel, args, 4), GPUTUNE_OK);
    translated = r.translated;
    if (log_part) CHECK_HAS(r.tune.log.text, log_part);
    threads_close(&r);
    return translated;
}

static void threads_damage(const char *path, long at)
{
    FILE *file = fopen(path, "r+b");
    int c;
    CHECK(file != NULL);
    if (!file) return;
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    c = fgetc(file);
    fseek(file, at, at < 0 ? SEEK_END : SEEK_SET);
    fputc(c ^ 1, file);
    fclose(file);
}

static void test_threads_binary_kept(void)
{
    char path[256], copy[300];
    threads_rig r;
    struct stat info;
    long at;
    tune_temp();
    CHECK_INT(threads_run(NULL), 52);
    CHECK_INT(threads_files(path, sizeof path), 1); // the winner's, which was launched
    CHECK_INT(threads_run("known"), 0);
    CHECK_INT(threads_files(NULL, 0), 1);
    for (at = 0; at < 80; at += 9) { // damaged anywhere: made again, and well again
        threads_damage(path, at);
        CHECK_INT(threads_run("damaged"), 1);
        CHECK_INT(threads_run(NULL), 0);
    }
    CHECK_INT(truncate(path, 60), 0);
    CHECK_INT(threads_run("damaged"), 1);
    CHECK_INT(truncate(path, 0), 0);
    CHECK_INT(threads_run("damaged"), 1);
    CHECK_INT(stat(path, &info), 0);
    snprintf(copy, sizeof copy, "%s/0123456789abcdef", threads_folder); // another's content
    CHECK_INT(rename(path, copy), 0);
    CHECK_INT(threads_run(NULL), 1);
    CHECK_INT(threads_files(NULL, 0), 2);
    // The program's options and the translator are part of the name.
    threads_init(&r, tune_store, -1);
    r.tune.desc.compiler_options = "-g";
    threads_open(&r);
    CHECK_INT(gputune_tune(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(threads_files(NULL, 0), 3); // the winner's, though nothing was launched
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(threads_files(NULL, 0), 3);
    threads_close(&r);
    threads_init(&r, tune_store, -1);
    threads_open(&r);
    snprintf(r.tune.device->driver.translator, sizeof r.tune.device->driver.translator, "other");
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 1);
    CHECK_INT(threads_files(NULL, 0), 4);
    threads_close(&r);
    tune_clean();
}

// The check is right and the driver refuses it all the same: away with it.
static void test_threads_binary_refused(void)
{
    gputune_binary binary;
    gputune_error error;
    threads_rig r;
    uint64_t hash;
    char bytes[] = "some other driver's";
    tune_temp();
    CHECK_INT(threads_run(NULL), 52);
    threads_init(&r, tune_store, -1);
    threads_open(&r);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    hash = stbds_arrlast(r.tune.kernel->codes)->hash;
    CHECK_INT(threads_files(NULL, 0), 1);
    memset(&binary, 0, sizeof binary);
    binary.data = bytes;
    binary.bytes = sizeof bytes;
    CHECK_INT(gt__binary_write(&r.tune.device->base, tune_store, hash, &binary, &error),
              GPUTUNE_OK);
    threads_close(&r);
    setenv("GPUTUNE", "readonly", 1);
    CHECK_INT(threads_run("does not load"), 1); // it stays, and no other is written
    CHECK_INT(threads_run("does not load"), 1);
    unsetenv("GPUTUNE");
    threads_init(&r, tune_store, -1);
    threads_open(&r);
    CHECK_INT(gputune_tune(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 1);
    CHECK_INT(threads_files(NULL, 0), 1); // it stays until a launch puts the next in its place
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(threads_files(NULL, 0), 1);
    threads_close(&r);
    CHECK_INT(threads_run(NULL), 0);
    tune_clean();
}

static void test_threads_binary_modes(void)
{
    char path[256];
    const char *said;
    threads_rig r;
    gputune_outcome o;
    tune_temp();
    setenv("GPUTUNE", "off", 1);
    CHECK_INT(threads_run(NULL), 1);
    CHECK_INT(threads_files(NULL, 0), 0);
    setenv("GPUTUNE", "readonly", 1);
    CHECK_INT(threads_run(NULL), 1);
    CHECK_INT(threads_files(NULL, 0), 0);
    unsetenv("GPUTUNE");
    CHECK_INT(threads_run(NULL), 52);
    CHECK_INT(threads_files(path, sizeof path), 1);
    setenv("GPUTUNE", "readonly", 1);
    CHECK_INT(threads_run(NULL), 0);
    setenv("GPUTUNE", "force", 1);
    CHECK_INT(threads_run(NULL), 52);
    threads_init(&r, tune_store, -1);
    threads_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_launch(r.tune.kernel, &o.config, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 52); // the winner's code is at hand
    threads_close(&r);
    unsetenv("GPUTUNE");
    threads_init(&r, tune_store, -1);
    threads_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_launch(r.tune.kernel, &o.config, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 0);
    threads_close(&r);
    CHECK_INT(threads_files(NULL, 0), 1);
    // A file where the folder should be: one warning, and everything works.
    CHECK_INT(remove(path), 0);
    CHECK_INT(rmdir(threads_folder), 0);
    {
        FILE *file = fopen(threads_folder, "w");
        CHECK(file != NULL);
        if (file) fclose(file);
    }
    threads_init(&r, tune_store, -1);
    threads_open(&r);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    CHECK_INT(r.translated, 1);
    tune_args(&r.tune, 1 << 20);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    said = strstr(r.tune.log.text, "is not used");
    CHECK(said && !strstr(said + 1, "is not used"));
    threads_close(&r);
    tune_clean();
}

// A binary has one place, and so have others: the later one stands there. What else lies in the
// folder stays.
static void test_threads_binary_bounded(void)
{
    gt__base b;
    gputune_binary binary, read;
    gputune_error error;
    char bytes[] = "bytes";
    bool unusable;
    int i;
    tune_temp();
    gt__base_init(&b, NULL);
    memset(&binary, 0, sizeof binary);
    binary.data = bytes;
    binary.bytes = sizeof bytes;
    for (i = 0; i < 3; i++) {
        const uint64_t hash = i < 2 ? 7 : 7 + GT__BINARIES_MOST, other = i < 2 ? 8 : 7;
        bytes[0] = (char)('0' + i);
        CHECK_INT(gt__binary_write(&b, tune_store, hash, &binary, &error), GPUTUNE_OK);
        CHECK_INT(threads_files(NULL, 0), 1);
        CHECK(gt__binary_read(&b, tune_store, hash, &read, &unusable));
        CHECK(read.bytes == sizeof bytes && memcmp(read.data, bytes, sizeof bytes) == 0);
        gt__free(&b, read.data);
        CHECK(!gt__binary_read(&b, tune_store, other, &read, &unusable) && !unusable);
    }
    CHECK_INT(gt__binary_write(&b, tune_store, UINT64_MAX, &binary, &error), GPUTUNE_OK);
    CHECK_INT(threads_files(NULL, 0), 2);
    tune_clean();
}

typedef struct threads_writer {
    gt__thread thread;
    gt__base base;
    int failed, unreadable;
} threads_writer;

static void threads_write(void *user)
{
    threads_writer *w = (threads_writer *)user;
    gputune_binary binary, read;
    gputune_error error;
    char bytes[20000];
    bool unusable;
    int i;
    memset(&binary, 0, sizeof binary);
    memset(bytes, 7, sizeof bytes);
    binary.data = bytes;
    binary.bytes = sizeof bytes;
    for (i = 0; i < 100; i++) {
        w->failed +=
            gt__binary_write(&w->base, tune_store, 42, &binary, &error) != GPUTUNE_OK;
        w->unreadable += !gt__binary_read(&w->base, tune_store, 42, &read, &unusable);
        gt__free(&w->base, read.data);
    }
}

// Threads that write the same one do not get into each other's way.
static void test_threads_binary_together(void)
{
    threads_writer writers[4];
    int i;
    tune_temp();
    memset(writers, 0, sizeof writers);
    for (i = 0; i < 4; i++) {
        gt__base_init(&writers[i].base, NULL);
        CHECK(gt__thread_start(&writers[i].thread, threads_write, &writers[i]));
    }
    for (i = 0; i < 4; i++) {
        gt__thread_join(&writers[i].thread);
        CHECK_INT(writers[i].failed, 0);
        CHECK_INT(writers[i].unreadable, 0);
    }
    CHECK_INT(threads_files(NULL, 0), 1);
    tune_clean();
}

// A folder into which others may write, or a link to one, is let alone; said once.
static void test_threads_binary_shared(void)
{
    char path[300];
    const char *said;
    threads_rig r;
    struct stat info;
    int i;
    tune_temp();
    CHECK_INT(threads_run(NULL), 52);
    CHECK_INT(threads_files(NULL, 0), 1);
    CHECK_INT(stat(threads_folder, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0700);
    CHECK_INT(threads_run(NULL), 0);
    for (i = 0; i < 3; i++) {
        if (i < 2) CHECK_INT(chmod(threads_folder, i ? 0702 : 0720), 0);
        if (i == 2) {
            CHECK_INT(chmod(threads_folder, 0700), 0);
            snprintf(path, sizeof path, "%s.own", threads_folder);
            CHECK_INT(rename(threads_folder, path), 0);
            CHECK_INT(symlink(path, threads_folder), 0);
        }
        CHECK_INT(threads_run("is not used"), 1);
    }
    threads_init(&r, tune_store, -1);
    threads_open(&r);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    tune_args(&r.tune, 1 << 20);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_OK);
    said = strstr(r.tune.log.text, "is not used");
    CHECK(said && !strstr(said + 1, "is not used"));
    threads_close(&r);
    CHECK_INT(unlink(threads_folder), 0);
    CHECK_INT(rename(path, threads_folder), 0);
    CHECK_INT(threads_files(NULL, 0), 1);
    CHECK_INT(threads_run(NULL), 0);
    tune_clean();
}

// --- several devices ---

static int threads_device_of(const threads_rig *r, const void *self)
{
    int i;
    for (i = 0; i < THREADS_DEVICES - 1 && r->more[i]; i++)
        if (r->more[i]->self == self) return i + 1;
    return 0;
}

// The first configuration after the default waits until every device has one; not for ever, because
// a device that is late gives its question back, and this thread may be the one that tries it.
static gputune_result threads_meet(void *self, void *code, const gputune_driver_launch *launch,
                                   int batch, double time_limit, double hang_limit, double *seconds,
                                   gputune_error *error)
{
    threads_rig *r = threads_now;
    const gputune_config *config = (const gputune_config *)code;
    char text[128];
    int device = threads_device_of(r, self), i;
    bool first, all = false;
    pthread_mutex_lock(&r->lock);
    for (i = 1; i < 3; i++) {
        const uintptr_t real = (uintptr_t)r->tune.args[i].pointer;
        r->astray += ((uintptr_t)launch->args[i].handle - real) % 64 != 0;
    }
    pthread_mutex_unlock(&r->lock);
    gputune_config_text(config, text, sizeof text);
    if (strcmp(text, "B=32 U=1") != 0) {
        pthread_mutex_lock(&r->lock);
        first = r->tried[device]++ == 0;
        r->together += first;
        pthread_mutex_unlock(&r->lock);
        for (i = 0; first && !all && i < 1000 * test_load; i++) {
            pthread_mutex_lock(&r->lock);
            all = r->together >= r->devices;
            pthread_mutex_unlock(&r->lock);
            if (all && r->kill) _exit(77);
            if (!all) gputune_sleep(1e-3);
        }
    }
    return threads_plain.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

static void threads_elsewhere(threads_rig *r)
{
    pthread_mutex_lock(&r->lock);
    r->elsewhere += !pthread_equal(pthread_self(), r->main);
    pthread_mutex_unlock(&r->lock);
}

static void threads_logger(void *user, gputune_log_level level, const char *message)
{
    threads_elsewhere(threads_now);
    tune_logger(user, level, message);
}

// count devices in all, each with a world of its own.
static void threads_devices(threads_rig *r, const char *store, int threads, int count)
{
    int i;
    threads_init(r, store, threads);
    r->tune.replay.options.log = threads_logger;
    r->tune.replay.limits.global_memory = 1000000;
    r->tune.replay.limits.compute_units = 132;
    r->devices = count;
    for (i = 1; i < count; i++) {
        gputune_replay_desc desc = r->tune.replay;
        desc.user = &r->world[i];
        desc.options.store = "";
        desc.limits.global_memory -= 9000 * (i % 2);
        r->more[i - 1] = rig_replay(&desc, 1e-5, true);
        r->more[i - 1]->driver.time = threads_meet;
    }
    r->tune.desc.tune.devices = r->more;
}

static void threads_devices_open(threads_rig *r)
{
    threads_open(r);
    r->tune.device->driver.time = threads_meet;
}

static double threads_clock(const gputune_device *device)
{
    return device->driver.now(device->self);
}

static int threads_compare(const void *a, const void *b)
{
    const gputune_trial *x = (const gputune_trial *)a, *y = (const gputune_trial *)b;
    return memcmp(x->config.choice, y->config.choice, sizeof x->config.choice);
}

// The trials sorted by configuration.
static void threads_sorted(const threads_rig *r, gputune_trial *trials)
{
    int i, count = test_trials(r->tune.kernel);
    for (i = 0; i < count; i++) trials[i] = *gputune_kernel_trial(r->tune.kernel, i);
    qsort(trials, (size_t)count, sizeof *trials, threads_compare);
}

// The same configurations, once each, the same values, the same winner; work on every device.
static void test_threads_devices(void)
{
    int devices, threads, i;
    for (devices = 2; devices <= 4; devices++)
        for (threads = -1; threads <= 2; threads += 3) {
            threads_rig one, r;
            gputune_outcome o, more;
            gputune_trial a[64], b[64];
            threads_init(&one, "", -1);
            threads_open(&one);
            CHECK_INT(test_tunes(one.tune.kernel, one.tune.args, 4, &o), GPUTUNE_OK);
            threads_sorted(&one, a);
            threads_devices(&r, "", threads, devices);
            r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
            r.tune.args[1] = gputune_in(r.tune.in + devices, sizeof r.tune.in - 32);
            threads_devices_open(&r);
            CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &more), GPUTUNE_OK);
            CHECK_INT(r.astray, 0);
            CHECK(tune_untouched(&r.tune));
            tune_expect(&more, "B=64 U=4");
            CHECK_INT(more.trials, o.trials);
            CHECK_INT(test_seen.failed, 0);
            threads_sorted(&r, b);
            for (i = 0; i < o.trials && more.trials == o.trials; i++) {
                CHECK_INT(threads_compare(&a[i], &b[i]), 0);
                CHECK_INT(b[i].result, GPUTUNE_OK);
                CHECK_NEAR(b[i].value, a[i].value, 0);
            }
            for (i = 0; i < devices - 1; i++) CHECK(threads_clock(r.more[i]) > 0.01);
            CHECK_INT(r.elsewhere, 0);
            threads_close(&r);
            threads_now = &one;
            threads_close(&one);
        }
}

static void test_threads_devices_strategies(void)
{
    int strategy;
    for (strategy = GPUTUNE_STRATEGY_RANDOM; strategy < GPUTUNE_STRATEGY_COUNT; strategy++) {
        threads_rig r;
        gputune_outcome o;
        gputune_trial trials[64];
        int i;
        threads_devices(&r, "", 2, 3);
        r.tune.desc.tune.strategy = (gputune_strategy)strategy;
        if (strategy == GPUTUNE_STRATEGY_HILL_CLIMB) r.devices = 2; // a round may have two steps
        threads_devices_open(&r);
        CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
        if (strategy != GPUTUNE_STRATEGY_HILL_CLIMB) {
            CHECK_INT(o.trials, 52);
            tune_expect(&o, "B=64 U=4");
        }
        threads_sorted(&r, trials);
        for (i = 1; i < o.trials; i++) CHECK(threads_compare(&trials[i - 1], &trials[i]) != 0);
        threads_close(&r);
    }
}

// A further device that is lost takes one configuration with it.
static void test_threads_devices_lost(void)
{
    threads_rig r;
    gputune_outcome o;
    int i, lost = 0;
    tune_temp();
    threads_devices(&r, tune_store, 0, 3);
    r.world[1].bad_rest = true;
    r.world[1].bad = GPUTUNE_ERROR_DEVICE_LOST;
    threads_devices_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, 52);
    CHECK_INT(test_seen.failed, 1);
    for (i = 0; i < o.trials; i++) {
        const gputune_trial *t = gputune_kernel_trial(r.tune.kernel, i);
        lost += t->result == GPUTUNE_ERROR_DEVICE_LOST && *t->reason;
    }
    CHECK_INT(lost, 1);
    CHECK_INT(r.tried[1], 1);
    CHECK_HAS(r.tune.log.text, "a device is lost");
    CHECK_INT(r.elsewhere, 0);
    CHECK(r.tune.kernel->last->tuner->trial_log == NULL);
    threads_close(&r);
    // The kernel's own: tuning stops.
    threads_devices(&r, "", 0, 3);
    r.world[0].bad_rest = true;
    r.world[0].bad = GPUTUNE_ERROR_DEVICE_LOST;
    threads_devices_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(gputune_kernel_error(r.tune.kernel)->text, "no longer answers");
    CHECK_INT(r.tried[0], 1);
    threads_close(&r);
    tune_clean();
}

// A device on which the default gives another output is of no use; nor is one that fails at once.
static void test_threads_devices_unfit(void)
{
    static const gputune_result results[] = { GPUTUNE_ERROR_WRONG_OUTPUT, GPUTUNE_ERROR_LAUNCH,
                                              GPUTUNE_ERROR_COMPILE, GPUTUNE_ERROR_DEVICE_LOST };
    size_t i;
    for (i = 0; i < sizeof results / sizeof *results; i++) {
        threads_rig r;
        gputune_outcome o;
        threads_devices(&r, "", 0, 3);
        r.devices = 2;
        r.world[1].bad_word = "B=32 U=1";
        r.world[1].bad = results[i];
        threads_devices_open(&r);
        CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 52);
        CHECK_INT(test_seen.failed, 0);
        CHECK_INT(r.tried[1], 0);
        CHECK(r.tried[2] > 0);
        CHECK_HAS(r.tune.log.text, "a device is not used");
        threads_close(&r);
    }
}

// Nor is one on which the default takes a time that is over 5 % apart.
static void test_threads_devices_part(void)
{
    int apart;
    for (apart = 0; apart < 2; apart++) {
        threads_rig r;
        gputune_outcome o;
        threads_devices(&r, "", 0, 3);
        r.devices = 3 - apart;
        r.world[1].slower = apart ? 0.06 : 0.04;
        threads_devices_open(&r);
        CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 52);
        CHECK_INT(r.tried[1] > 0, !apart);
        CHECK(r.tried[2] > 0);
        CHECK_INT(strstr(r.tune.log.text, "a device is not used: the default takes") != NULL,
                  apart);
        threads_close(&r);
    }
}

// One that is as fast and noisy is measured again before it is let alone.
static void test_threads_devices_noisy(void)
{
    int seed;
    for (seed = 1; seed <= 12; seed++) {
        threads_rig r;
        gputune_outcome o;
        threads_devices(&r, "", 0, 1);
        r.tune.replay.noise = 0.1;
        r.tune.replay.seed = (uint64_t)seed;
        r.more[0] = rig_replay(&r.tune.replay, 1e-5, true);
        r.tune.replay.noise = 0;
        threads_open(&r);
        CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
        CHECK(!strstr(r.tune.log.text, "a device is not used"));
        threads_close(&r);
    }
}

// Counts outputs that are compared on a device, where they are.
static gputune_result threads_differ(void *self, const gputune_comparison *c, uint64_t *count,
                                     gputune_error *error)
{
    static char got[1 << 17], expected[1 << 17];
    const gputune_driver *d = &threads_plain;
    gputune_result result;
    if (c->bytes > sizeof got) return gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
    result = d->read(self, c->got, c->got_offset, got, c->bytes, error);
    if (!result) result = d->read(self, c->expected, c->expected_offset, expected, c->bytes, error);
    *count = result || memcmp(got, expected, c->bytes) != 0;
    threads_now->compared += !*count && c->type != GPUTUNE_BYTES;
    return result;
}

// A further device that can compare outputs has what is right and need not hand them out.
static void test_threads_devices_compare(void)
{
    threads_rig r;
    gputune_outcome o;
    threads_devices(&r, "", 0, 2);
    r.more[0]->driver.differ = threads_differ;
    threads_devices_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, 52);
    CHECK_INT(test_seen.failed, 0);
    CHECK_OR(r.compared >= 2, "%d compared", r.compared); // the default, a trial
    threads_close(&r);
}

static void *threads_nothing(void *user, void *memory, size_t bytes)
{
    (void)user;
    if (!bytes) free(memory);
    return NULL;
}

// One for which no kernel can be made is done without, and the reason said.
static void test_threads_devices_without_kernel(void)
{
    threads_rig r;
    gputune_outcome o;
    threads_devices(&r, "", 0, 3);
    r.devices = 2;
    threads_devices_open(&r);
    r.more[0]->base.reallocate = threads_nothing;
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, 52);
    CHECK_HAS(r.tune.log.text, "a device is not used: out of memory");
    threads_close(&r);
}

static void threads_refused(threads_rig *r, const char *part)
{
    threads_devices_open(r);
    CHECK_INT(gputune_tune(r->tune.kernel, r->tune.args, 4), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r->tune.kernel)->text, part);
    CHECK_HAS(gputune_kernel_error(r->tune.kernel)->text, "devices[1]");
    threads_close(r);
}

static void test_threads_devices_refused(void)
{
    threads_rig r;
    gputune_error error;
    gputune_device *kept;
    threads_devices(&r, "", 0, 3);
    snprintf(r.more[1]->limits.name, sizeof r.more[1]->limits.name, "another");
    threads_refused(&r, "; the kernel's is replay through");
    threads_devices(&r, "", 0, 3);
    snprintf(r.more[1]->limits.driver, sizeof r.more[1]->limits.driver, "2.0");
    threads_refused(&r, "2.0");
    threads_devices(&r, "", 0, 3);
    r.more[1]->limits.compute_units = 108;
    threads_refused(&r, "108 compute units; the kernel's");
    threads_devices(&r, "", 0, 3);
    r.more[1]->driver.api = "cuda";
    threads_refused(&r, "it is replay through cuda");
    threads_devices(&r, "", 0, 3);
    snprintf(r.more[0]->limits.board, sizeof r.more[0]->limits.board, "0000:9c:00.0");
    snprintf(r.more[1]->limits.board, sizeof r.more[1]->limits.board, "0000:9c:00.0");
    threads_refused(&r, "it is device 0, too");
    threads_devices(&r, "", 0, 3);
    kept = r.more[1];
    r.more[1] = r.more[0];
    threads_devices_open(&r);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.tune.kernel)->text, "it is device 0, too");
    r.more[1] = kept;
    threads_close(&r);
    threads_devices(&r, "", 0, 3);
    tune_open(&r.tune);
    gputune_kernel_destroy(r.tune.kernel);
    kept = r.more[1];
    r.more[1] = r.tune.device;
    r.tune.kernel = gputune_kernel_create(r.tune.device, &r.tune.desc);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.tune.kernel)->text, "the kernel's own");
    r.more[1] = kept;
    threads_close(&r);
    threads_devices(&r, "", 0, 3);
    memset(&error, 0, sizeof error);
    gputune_error_set(&error, GPUTUNE_ERROR_LIBRARY, "no such library");
    gputune_device_destroy(r.more[1]);
    r.more[1] = gputune_device_create_failed(NULL, &error);
    threads_devices_open(&r);
    CHECK_INT(gputune_run(r.tune.kernel, r.tune.args, 4), GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(gputune_kernel_error(r.tune.kernel)->text, "no such library");
    threads_close(&r);
}

static bool threads_progress(void *user, const gputune_progress *p)
{
    threads_elsewhere((threads_rig *)user);
    return p->trials < 10;
}

static void test_threads_devices_budget(void)
{
    threads_rig r;
    gputune_outcome o;
    threads_devices(&r, "", 0, 4);
    r.tune.desc.tune.progress = threads_progress;
    r.tune.desc.tune.user = &r;
    threads_devices_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK(o.trials >= 10 && o.trials <= 10 + 2 * 3); // what the others have in hand
    CHECK_INT(r.elsewhere, 0);
    threads_close(&r);
    // Two trials are left for three devices, and the two that have one wait for each other: whether
    // the third asks before they end is chance.
    for (int round = 0; round < 20; round++) {
        threads_devices(&r, "", 0, 3);
        r.tune.desc.tune.budget.trials = 3;
        r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
        threads_devices_open(&r);
        r.devices = 2;
        CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 3);
        r.devices = 3;
        threads_close(&r);
    }
    threads_devices(&r, "", 0, 3);
    r.tune.desc.tune.budget.seconds = 0.2; // of the own device's clock
    r.tune.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    threads_devices_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK(threads_clock(r.tune.device) < 1);
    threads_close(&r);
}

static bool threads_check(void *user, const void *const *outputs, char *why, size_t size)
{
    threads_rig *r = (threads_rig *)user;
    (void)why, (void)size;
    r->checks++; // no lock: only one call at a time
    r->checks_at_once += r->checking;
    r->checking = 1;
    gputune_sleep(1e-3);
    r->checking = 0;
    return !outputs[0] && !outputs[1] && outputs[2] && outputs[3];
}

static void test_threads_devices_check(void)
{
    threads_rig r;
    gputune_outcome o;
    threads_devices(&r, "", 0, 3);
    r.tune.desc.tune.check = threads_check;
    r.tune.desc.tune.user = &r;
    threads_devices_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 0);
    CHECK(r.checks >= 51 + 3 + 1); // each trial, each device's default, the winner
    CHECK_INT(r.checks_at_once, 0);
    CHECK(r.tune.kernel->tune.check == threads_check);
    threads_close(&r);
}

// The process dies while two devices are in a trial. Both configurations are tried last, and so may
// be one that waited for the second device.
static void test_threads_devices_crash(void)
{
    threads_rig r;
    gputune_outcome o;
    pid_t child;
    const char *at;
    int status = 0, last = 0;
    tune_temp();
    fflush(stdout);
    child = fork();
    if (child == 0) {
        threads_devices(&r, tune_store, -1, 2);
        r.kill = true;
        threads_devices_open(&r);
        gputune_tune(r.tune.kernel, r.tune.args, 4);
        _exit(1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
    threads_devices(&r, tune_store, 0, 2);
    threads_devices_open(&r);
    CHECK_INT(test_tunes(r.tune.kernel, r.tune.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, 52);
    for (at = r.tune.log.text; (at = strstr(at, "tried last")) != NULL; at++) last++;
    CHECK(last == 2 || last == 3);
    CHECK_INT(test_seen.failed, 0);
    threads_close(&r);
    tune_clean();
}

static void test_threads_devices_no_memory(void)
{
    threads_no_memory(2);
}

// --- several configurations open in a journal ---

static const char *const threads_names[] = { "B=1", "B=2", "B=3", "B=4" };

static void threads_journal(gt__trial_log **j, gt__record **records, int expected)
{
    gt__key key = journal_key();
    gputune_error error;
    CHECK_INT(gt__trial_log_open(&store_base, store_file, &key, false, j, records, &error),
              GPUTUNE_OK);
    CHECK_INT(gt__len(*records), expected);
}

static void test_threads_journal(void)
{
    gt__trial_log *j;
    gt__record *records, r;
    gputune_error error;
    int i, round;
    store_enter();
    threads_journal(&j, &records, 0);
    for (i = 0; i < 4; i++) gt__trial_log_begin(j, threads_names[i], false, &error);
    r = journal_record(threads_names[1], 1);
    gt__trial_log_end(j, &r, &error);
    r = journal_record(threads_names[3], 3);
    gt__trial_log_end(j, &r, &error);
    gt__trial_log_close(j, false); // goes on: the other two are nothing to hold against them
    store_read(journal_file());
    CHECK_HAS(store_bytes, "back\t");
    threads_journal(&j, &records, 2);
    CHECK_TEXT(records[0].config, threads_names[1]);
    CHECK_TEXT(records[1].config, threads_names[3]);
    gt__records_free(&store_base, &records);
    gt__trial_log_close(j, false);
    r = journal_record(threads_names[1], 7);
    journal_die(threads_names, 3, &r);
    for (round = 0; round < 2; round++) {
        threads_journal(&j, &records, 5);
        CHECK_INT(records[3].result, GPUTUNE_ERROR_CRASHED);
        CHECK_TEXT(records[3].config, threads_names[0]);
        CHECK_INT(records[4].result, GPUTUNE_ERROR_CRASHED);
        CHECK_TEXT(records[4].config, threads_names[2]);
        gt__records_free(&store_base, &records);
        gt__trial_log_close(j, false);
    }
    store_leave();
}

// A torn line with several open: nothing is known of any of them, now and later.
static void test_threads_journal_torn(void)
{
    static const char *const begun[] = { "a", "b", "c" };
    gt__trial_log *j;
    gt__record *records, r = journal_record("c", 1);
    int round;
    store_enter();
    journal_die(begun, 3, &r);
    store_read(journal_file());
    CHECK_HAS(store_bytes, "end\tconfig=c\t");
    {
        char *text = (char *)malloc(store_size + 8);
        memcpy(text, store_bytes, store_size);
        memcpy(text + store_size, "end\tconf", 8);
        store_write(journal_file(), text, store_size + 8);
        free(text);
    }
    for (round = 0; round < 3; round++) {
        threads_journal(&j, &records, 1);
        gt__records_free(&store_base, &records);
        gt__trial_log_close(j, false);
    }
    store_leave();
}

// --- the same kernel in several threads ---

// A second device and kernel of the same names, used in the middle of the first one's tuning.
typedef struct threads_second {
    tune_rig r;
    int trials, shown;
} threads_second;

static bool threads_meanwhile(void *user, const gputune_progress *progress)
{
    threads_second *second = (threads_second *)user;
    const gputune_outcome *o;
    if (strcmp(progress->phase, "search") != 0 || ++second->shown != 3) return true;
    tune_open(&second->r);
    CHECK_INT(gputune_run(second->r.kernel, second->r.args, 4), GPUTUNE_OK);
    CHECK_TEXT(gputune_kernel_error(second->r.kernel)->text, "");
    o = gputune_kernel_outcome(second->r.kernel);
    CHECK_INT(o->origin, GPUTUNE_FROM_DEFAULT);
    CHECK_INT(o->trials, 0);
    CHECK_HAS(o->note, "another thread or process is tuning it");
    second->trials = second->r.world.trials;
    CHECK(second->trials > 0 && second->trials <= 4); // compiled and launched
    return true;
}

// The first tunes when the second has just looked for an answer in vain.
static void threads_overtake(void *user, gputune_log_level level, const char *message)
{
    threads_second *first = (threads_second *)user;
    (void)level;
    if (!strstr(message, "not in the store") || first->shown++) return;
    tune_open(&first->r);
    CHECK_INT(gputune_tune(first->r.kernel, first->r.args, 4), GPUTUNE_OK);
}

static void test_threads_overtaken(void)
{
    threads_second *first = (threads_second *)calloc(1, sizeof *first);
    const gputune_outcome *o;
    tune_rig r;
    tune_temp();
    tune_rig_init(&first->r, tune_store);
    tune_rig_init(&r, tune_store);
    r.replay.options.log = threads_overtake;
    r.replay.options.user = first;
    r.desc.tune.classes = first->r.desc.tune.classes = ""; // they lie at other addresses
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(first->r.kernel)->origin, GPUTUNE_FROM_TUNING);
    CHECK(r.world.trials <= 4);
    o = gputune_kernel_outcome(r.kernel);
    CHECK_INT(o->origin, GPUTUNE_FROM_STORE);
    tune_expect(o, "B=64 U=4");
    tune_close(&r);
    tune_close(&first->r);
    free(first);
    tune_clean();
}

// One tunes; the other runs the default until the answer is there, and warns of nothing.
static void test_threads_one_tunes(void)
{
    threads_second *second = (threads_second *)calloc(1, sizeof *second);
    const gputune_outcome *o;
    tune_rig r;
    gputune_outcome first;
    bool ran = true;
    char command[160];
    double end;
    tune_temp();
    tune_rig_init(&second->r, tune_store);
    tune_rig_init(&r, tune_store);
    r.desc.tune.progress = threads_meanwhile;
    r.desc.tune.user = second;
    r.desc.tune.classes = second->r.desc.tune.classes = ""; // they lie at other addresses
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &first), GPUTUNE_OK);
    tune_expect(&first, "B=64 U=4");
    end = gputune_now() + 20 * test_load;
    do {
        gputune_sleep(0.02);
        ran = ran && gputune_run(second->r.kernel, second->r.args, 4) == GPUTUNE_OK;
        o = gputune_kernel_outcome(second->r.kernel);
    } while (o->origin != GPUTUNE_FROM_STORE && gputune_now() < end);
    CHECK(ran);
    CHECK_INT(o->origin, GPUTUNE_FROM_STORE);
    tune_expect(o, "B=64 U=4");
    CHECK(strstr(second->r.log.text, "trial log") == NULL);
    snprintf(command, sizeof command, "test -z \"$(ls '%s.journal')\"", tune_store);
    CHECK_INT(system(command), 0); // the answer is final: no log is left
    tune_close(&r);
    tune_close(&second->r);
    free(second);
    tune_clean();
}

// The second begins to tune another problem in parts.
static bool threads_meanwhile_parts(void *user, const gputune_progress *progress)
{
    threads_second *second = (threads_second *)user;
    const int shown = second->shown;
    threads_meanwhile(user, progress);
    if (second->shown != 3 || shown == 3) return true;
    tune_args(&second->r, 2 * second->r.n);
    CHECK_INT(gputune_run(second->r.kernel, second->r.args, 4), GPUTUNE_OK);
    CHECK(gputune_kernel_outcome(second->r.kernel)->goes_on);
    return true;
}

// It takes the first one's answer over all the same.
static void test_threads_one_tunes_parts(void)
{
    threads_second *second = (threads_second *)calloc(1, sizeof *second);
    const gputune_outcome *o;
    tune_rig r;
    gputune_outcome first;
    tune_temp();
    tune_rig_init(&second->r, tune_store);
    tune_rig_init(&r, tune_store);
    second->r.desc.tune.slice = 1e-9;
    r.desc.tune.progress = threads_meanwhile_parts;
    r.desc.tune.user = second;
    r.desc.tune.classes = second->r.desc.tune.classes = ""; // they lie at other addresses
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &first), GPUTUNE_OK);
    gputune_sleep(0.2); // it looks ten times a second
    tune_args(&second->r, r.n);
    CHECK_INT(gputune_run(second->r.kernel, second->r.args, 4), GPUTUNE_OK);
    o = gputune_kernel_outcome(second->r.kernel);
    CHECK_INT(o->origin, GPUTUNE_FROM_STORE);
    tune_expect(o, "B=64 U=4");
    tune_close(&r);
    tune_close(&second->r);
    free(second);
    tune_clean();
}

static const test_case threads_cases[] = {
    { "primitives", test_threads_primitives },
    { "signals", test_threads_signals },
    { "number", test_threads_number },
    { "batch", test_threads_batch },
    { "batch_hill", test_threads_batch_hill },
    { "same", test_threads_same },
    { "ahead", test_threads_ahead },
    { "hard", test_threads_hard },
    { "none", test_threads_none },
    { "ahead_other", test_threads_ahead_other },
    { "ahead_order", test_threads_ahead_order },
    { "ahead_past", test_threads_ahead_past },
    { "no_memory", test_threads_no_memory },
    { "binary_kept", test_threads_binary_kept },
    { "binary_refused", test_threads_binary_refused },
    { "binary_modes", test_threads_binary_modes },
    { "binary_together", test_threads_binary_together },
    { "binary_shared", test_threads_binary_shared },
    { "binary_bounded", test_threads_binary_bounded },
    { "devices", test_threads_devices },
    { "devices_strategies", test_threads_devices_strategies },
    { "devices_lost", test_threads_devices_lost },
    { "devices_unfit", test_threads_devices_unfit },
    { "devices_part", test_threads_devices_part },
    { "devices_noisy", test_threads_devices_noisy },
    { "devices_compare", test_threads_devices_compare },
    { "devices_without_kernel", test_threads_devices_without_kernel },
    { "devices_refused", test_threads_devices_refused },
    { "devices_budget", test_threads_devices_budget },
    { "devices_check", test_threads_devices_check },
    { "devices_crash", test_threads_devices_crash },
    { "one_tunes", test_threads_one_tunes },
    { "one_tunes_parts", test_threads_one_tunes_parts },
    { "overtaken", test_threads_overtaken },
    { "devices_no_memory", test_threads_devices_no_memory },
    { "journal", test_threads_journal },
    { "journal_torn", test_threads_journal_torn },
    { NULL, NULL },
};
