// [isolate]: tuning in a child process. This program is its own child: `tests --isolated-case NAME
// FOLDER` (see main.c) comes here. Its kernels really crash.
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char isolate_folder[64], isolate_store[96];
static int isolate_calls; // of the kernel, in this process
static bool isolate_last; // replay: every configuration has been tried

// --- the program, which parent and child run alike ---

static int isolate_children(void)
{
    char path[160], line[64];
    FILE *f;
    int count = 0;
    snprintf(path, sizeof path, "%s/children", isolate_folder);
    f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) count++;
    if (f) fclose(f);
    return count;
}

// What the kernel does when it is launched with B: by the case's name.
static void isolate_misbehave(const char *name, int64_t b)
{
    volatile char *nowhere = (volatile char *)(uintptr_t)64;
    if ((strcmp(name, "segv") == 0 || strcmp(name, "late") == 0) && b == 4) *nowhere = 1;
    if (strcmp(name, "abort") == 0 && b == 4) abort();
    if (strcmp(name, "exit") == 0 && b == 4) exit(1);
    if (strcmp(name, "interrupted") == 0 && b == 4 && isolate_children() < 2) {
        signal(SIGINT, SIG_DFL); // shells have programs in the background ignore it
        raise(SIGINT);
    }
    if (strcmp(name, "wrong") == 0 && b == 16) abort();
    if ((strcmp(name, "shifted") == 0 || strcmp(name, "plain-host") == 0) && b < 8)
        gputune_sleep(2e-3);
    if (strcmp(name, "two") == 0 && (b == 4 || b == 16)) abort();
    if (strcmp(name, "default") == 0 && b == 1) abort();
    if (strcmp(name, "loop") == 0 && b > 1)
        for (;;) gputune_sleep(1);
}

static void isolate_kernel(HOST_KERNEL)
{
    const int *in = (const int *)args[1];
    int *out = (int *)args[2];
    size_t i;
    isolate_calls++;
    isolate_misbehave((const char *)user, gputune_config_int(config, "B"));
    for (i = range->begin[0]; i < range->end[0] && i < 1000; i++) {
        const int before = strcmp((const char *)user, "inout") == 0 ? out[i] : 0;
        const bool wrong = strcmp((const char *)user, "wrong") == 0 && i == 500 &&
                           gputune_config_int(config, "B") != 1;
        out[i] = before + in[i] + 1 + wrong;
    }
}

static void isolate_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    static int64_t before;
    static int seen; // the configurations so far
    const char *name = (const char *)user;
    int64_t b = gputune_config_int(config, "B");
    static int slept;
    isolate_calls++;
    trial->seconds = 1e-3 * (1 + fabs(log2((double)b) - 3));
    trial->compile_seconds = 0.01;
    if (b == 4 && strcmp(name, "long") == 0 && getenv("GPUTUNE_ISOLATED") && !slept++)
        gputune_sleep(1.5);
    if (b == 4 && strcmp(name, "library") == 0) trial->result = GPUTUNE_ERROR_COMPILE;
    if (b == 16 && strcmp(name, "library") == 0) trial->result = GPUTUNE_ERROR_LIBRARY;
    if (b == 4 && strcmp(name, "lost") == 0) trial->result = GPUTUNE_ERROR_DEVICE_LOST;
    if (b == 4 && strcmp(name, "replayed") == 0 && getenv("GPUTUNE_ISOLATED")) _exit(3);
    if (strstr(name, "msp") && test_launch(trial)) {
        int n;
        memcpy(&n, test_launch(trial)->args[0].data, sizeof n);
        trial->seconds = 1e-3 + 1e-4 * trial->items * trial->seconds;
        if (getenv("GPUTUNE_ISOLATED") && strcmp(name, "msp") == 0 && b == 4) _exit(3);
        if (getenv("GPUTUNE_ISOLATED") && strcmp(name, "curve-msp") == 0 && b == 1 && n > 2000 &&
            n < 900000)
            _exit(3);
        if (getenv("GPUTUNE_ISOLATED") && strcmp(name, "race-msp") == 0 && b == 8 && n == 1000000)
            _exit(3);
    }
    if (!getenv("GPUTUNE_ISOLATED")) return;
    isolate_last |= seen == 31 && b != before; // the search is over: this is the race
    seen |= (int)b;
    before = b;
    if (isolate_last && b == 8 && strcmp(name, "race") == 0) _exit(3);
    if (isolate_last && b == 8 && strcmp(name, "race-lost") == 0)
        trial->result = GPUTUNE_ERROR_DEVICE_LOST;
    if (b != 1) return;
    if (isolate_last && strncmp(name, "race-default", 12) == 0) _exit(3);
    if (isolate_children() > 1 && strcmp(name, "race-default-twice") == 0) _exit(3);
}

typedef struct isolate_program {
    int room[16 + 1 + 1008 + 1000], *in, *out; // aligned alike in parent and child
    const char *name; // the case
    gputune_options options;
    gputune_tune_desc tune;
    bool replay;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[3];
} isolate_program;

static void isolate_make(isolate_program *p, const char *name)
{
    static const gputune_param params[] = { { "B", "set 1,2,4,8,16", "1" }, { NULL, NULL, NULL } };
    static const char *const replayed[] = { "lost", "replayed", "plain", "slow", "oom",
                                            "long", "race", "race-lost",
                                            "race-default", "race-default-twice", "msp", "race-msp",
                                            "curve-msp",
                                            "foreseen", "library", "required", NULL };
    static const char *const require[] = { "B > 1", NULL };
    static const char *command[] = { "/proc/self/exe", "--isolated-case", NULL, NULL, NULL };
    gputune_function functions[2];
    gputune_saturation_desc msp;
    gputune_kernel_desc desc;
    gputune_replay_desc replay;
    int i;
    memset(&msp, 0, sizeof msp);
    memset(functions, 0, sizeof functions);
    memset(&desc, 0, sizeof desc);
    memset(&replay, 0, sizeof replay);
    p->name = command[2] = name;
    command[3] = isolate_folder;
    p->options.store = isolate_store;
    for (i = 0; replayed[i]; i++) p->replay |= strcmp(replayed[i], name) == 0;
    replay.options = p->options;
    replay.trial = isolate_trial;
    replay.user = (void *)(uintptr_t)name;
    p->device = p->replay ? gputune_replay_device_create(&replay)
                          : gputune_host_device_create(&p->options);
    functions[0].name = desc.name = "work";
    functions[0].function = isolate_kernel;
    functions[0].user = (void *)(uintptr_t)name;
    if (!p->replay) desc.functions = functions;
    desc.params = params;
    desc.global = "1000";
    desc.signature = "int n, int *in, int *out";
    desc.local = "B * 8";
    desc.tune = p->tune;
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.budget.seconds = -1; // all five are tried, however busy the machine is
    desc.tune.isolate = strcmp(name, "asked") != 0;
    if (!desc.tune.isolate_command) desc.tune.isolate_command = command;
    if (strcmp(name, "required") == 0) desc.require = require;
    if (strcmp(name, "bounded") == 0) desc.work = "bytes = 8.0 * n";
    if (strcmp(name, "loop") == 0) {
        desc.tune.hang_limit = 0.2;
        desc.tune.budget.seconds = 3 * test_load;
    }
    if (strcmp(name, "standalone") == 0) desc.tune.isolate_command = NULL;
    if (strstr(name, "msp")) {
        desc.global = "n";
        msp.resize = "n = size";
        desc.tune.msp = &msp;
    }
    p->kernel = gputune_kernel_create(p->device, &desc);
    p->in = p->room + (64 - (uintptr_t)p->room % 64) / sizeof(int);
    p->in += strcmp(name, "shifted") == 0 && getenv("GPUTUNE_ISOLATED") != NULL;
    p->out = p->in + 1008;
    for (i = 0; i < 1000; i++) p->in[i] = i, p->out[i] = -7;
    p->args[0] = arg_int32(strstr(name, "msp") ? 1000000 : 1000);
    p->args[1] = gputune_in(p->in, 1000 * sizeof(int));
    p->args[2] = gputune_out(p->out, 1000 * sizeof(int));
    if (strcmp(name, "inout") == 0) p->args[2] = gputune_inout(p->out, 1000 * sizeof(int));
}

static void isolate_free(isolate_program *p)
{
    gputune_kernel_destroy(p->kernel);
    gputune_device_destroy(p->device);
}

static void isolate_note(const char *file, const char *text)
{
    char path[160];
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", isolate_folder, file);
    f = fopen(path, "a");
    if (!f) return;
    fprintf(f, "%s\n", text);
    fclose(f);
}

// Another kernel and a search of its own, which the program comes to first.
static const char *isolate_other(const isolate_program *p)
{
    static const gputune_param params[] = { { "X", "set 1,2,3", "1" }, { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    bool asked = false;
    memset(&desc, 0, sizeof desc);
    desc.space.options = p->options;
    desc.space.params = params;
    tuner = gputune_tuner_create(&desc);
    while (test_asks(tuner, &config)) {
        asked = true;
        gputune_tell(tuner, &config, 1);
    }
    gputune_tuner_destroy(tuner);
    return asked ? "asked" : "not asked";
}

// A child whose memory a kernel has written over: for B=4 its answer is nonsense.
static void isolate_forge(const char *name)
{
    gt__base b;
    gt__isolated self;
    gt__attempt a;
    const uint64_t class_of = 1;
    gt__base_init(&b, NULL);
    if (!gt__isolated_find(&b, &self)) return;
    gt__socket_put(self.socket, &class_of, sizeof class_of);
    while (recv(self.socket, &a, sizeof a, MSG_WAITALL) == (ssize_t)sizeof a) {
        if (a.step == GT__DO_TRANSLATE) continue;
        a.trial.value = a.trial.stats.median = a.trial.stats.min = a.seconds = 1;
        a.trial.stats.count = 3;
        memset(a.reason, 0, sizeof a.reason);
        a.end = 1000;
        if (a.trial.config.choice[0] == 2) {
            if (strcmp(name, "forged-result") == 0) a.trial.result = GPUTUNE_RESULT_COUNT;
            if (strcmp(name, "forged-number") == 0) a.trial.value = NAN;
            if (strcmp(name, "forged-step") == 0) a.step++;
            if (strcmp(name, "forged-text") == 0) a.trial.result = GPUTUNE_ERROR_COMPILE;
            if (strcmp(name, "forged-text") == 0) memset(a.reason, 'x', sizeof a.reason);
        }
        if (!gt__socket_put(self.socket, &a, sizeof a)) break;
    }
    _exit(0);
}

// `tests --isolated-case NAME FOLDER ...`
static int isolate_main(int argc, char **argv)
{
    const char *name = argv[2], *folder = argv[3];
    sigset_t mask;
    isolate_program *p = (isolate_program *)calloc(1, sizeof *p);
    char text[64];
    int failed = 1;
    if (!p) return 1;
    snprintf(isolate_folder, sizeof isolate_folder, "%s", folder);
    snprintf(isolate_store, sizeof isolate_store, "%s/store.txt", folder);
    snprintf(text, sizeof text, "%ld", (long)getpid());
    if (getenv("GPUTUNE_ISOLATED")) {
        printf("not to be seen\n");
        fflush(stdout);
        isolate_note("children", text);
        snprintf(text, sizeof text, "%d %s %s %s %d", argc, name, argc > 4 ? argv[4] : "none",
                 argc > 5 ? argv[5] : "none", getchar());
        isolate_note("arguments", text);
        sigprocmask(SIG_BLOCK, NULL, &mask);
        isolate_note("mask", sigismember(&mask, SIGTERM) ? "blocked" : "open");
    }
    if (strcmp(name, "early") == 0) abort();
    if (strcmp(name, "late") == 0 && isolate_children() > 1) gputune_sleep(1.3);
    if (strcmp(name, "asleep") == 0) gputune_sleep(30 * test_load);
    if (strncmp(name, "forged", 6) == 0) isolate_forge(name);
    if (strcmp(name, "never") != 0) {
        isolate_make(p, name);
        if (strcmp(name, "others") == 0) {
            isolate_program *first = (isolate_program *)calloc(1, sizeof *first);
            if (!first) return 1;
            isolate_note("others", isolate_other(p));
            isolate_make(first, "known");
            first->args[0] = arg_int32(9);
            gputune_tune(first->kernel, first->args, 3);
            snprintf(text, sizeof text, "%d", gputune_kernel_outcome(first->kernel)->origin);
            isolate_note("others", text);
            first->args[0] = arg_int32(100);
            gputune_tune(first->kernel, first->args, 3);
            snprintf(text, sizeof text, "%d", gputune_kernel_outcome(first->kernel)->origin);
            isolate_note("others", text);
            isolate_free(first);
            free(first);
        }
        if (strcmp(name, "predicted") == 0) {
            isolate_program *first = (isolate_program *)calloc(1, sizeof *first);
            if (!first) return 1;
            isolate_make(first, "foreseen");
            first->args[0] = arg_int32(32000);
            gputune_tune(first->kernel, first->args, 3);
            isolate_note("others", gputune_kernel_outcome(first->kernel)->note);
            isolate_free(first);
            free(first);
        }
        failed = gputune_run(p->kernel, p->args, 3) != GPUTUNE_OK || p->out[999] != 1000;
        isolate_free(p);
    }
    free(p);
    return failed;
}

// --- the tests' side ---

static int isolate_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    CHECK(folder != NULL);
    if (!folder) return -1;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

static isolate_program *isolate_begin(void)
{
    isolate_program *p = (isolate_program *)calloc(1, sizeof *p);
    snprintf(isolate_folder, sizeof isolate_folder, "/tmp/gputune-test-XXXXXX");
    CHECK(p && mkdtemp(isolate_folder) != NULL);
    snprintf(isolate_store, sizeof isolate_store, "%s/store.txt", isolate_folder);
    isolate_calls = 0;
    if (!p) abort();
    return p;
}

static void isolate_end(isolate_program *p)
{
    char command[160];
    isolate_free(p);
    free(p);
    errno = 0;
    CHECK(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD); // no zombie
    snprintf(command, sizeof command, "rm -rf '%s'", isolate_folder);
    CHECK_INT(system(command), 0);
}

static const gputune_trial *isolate_find(const gputune_kernel *k, int64_t b)
{
    int i;
    for (i = 0; i < test_trials(k); i++)
        if (gputune_config_int(&gputune_kernel_trial(k, i)->config, "B") == b)
            return gputune_kernel_trial(k, i);
    return NULL;
}

// A configuration that ends the process: the others are tried all the same.
static void isolate_survive(const char *name, gputune_result reason, int deaths)
{
    isolate_program *p = isolate_begin();
    const gputune_outcome *o;
    const gputune_trial *culprit;
    const int b = strncmp(name, "race", 4) == 0 ? 8 : 4;
    char text[64];
    int descriptors = isolate_descriptors();
    isolate_make(p, name);
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_TEXT(gputune_kernel_error(p->kernel)->text, "");
    o = gputune_kernel_outcome(p->kernel);
    CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(o->trials, 5);
    CHECK_INT(test_kernel_seen(p->kernel).failed, deaths);
    CHECK_INT(test_kernel_seen(p->kernel).resumed, 0);
    CHECK_INT(test_trials(p->kernel), 5);
    snprintf(text, sizeof text, "%d configuration%s ended the child process", deaths,
             deaths == 1 ? "" : "s");
    CHECK_HAS(o->note, text);
    CHECK_INT(isolate_children(), deaths + 1);
    culprit = isolate_find(p->kernel, b);
    CHECK(culprit != NULL);
    if (culprit) CHECK_INT(culprit->result, reason);
    CHECK(gputune_config_int(&o->config, "B") != b);
    CHECK(o->default_stats.count > 0 && o->best_stats.count > 0 && o->seconds > 0);
    CHECK_INT(p->out[0], -7);                    // the program's data, and no trial here
    CHECK_INT(isolate_calls, p->replay ? 1 : 0); // replay: the winner was compiled
    CHECK_INT(gputune_run(p->kernel, p->args, 3), GPUTUNE_OK);
    if (!p->replay) CHECK_INT(p->out[999], 1000);
    isolate_free(p);
    memset(p, 0, sizeof *p);
    isolate_make(p, name); // what was learned is there for the next run
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->origin, GPUTUNE_FROM_STORE);
    CHECK_INT(isolate_children(), deaths + 1);
    isolate_end(p);
    CHECK_INT(isolate_descriptors(), descriptors);
}

static void isolate_segv(void)
{
    isolate_survive("segv", GPUTUNE_ERROR_CRASHED, 1);
}
static void isolate_abort(void)
{
    isolate_survive("abort", GPUTUNE_ERROR_CRASHED, 1);
}
static void isolate_exit(void)
{
    isolate_survive("exit", GPUTUNE_ERROR_CRASHED, 1);
}
static void isolate_two(void)
{
    isolate_survive("two", GPUTUNE_ERROR_CRASHED, 2);
}
static void isolate_lost(void)
{
    isolate_survive("lost", GPUTUNE_ERROR_DEVICE_LOST, 1);
}

// Only in the final race.
static void isolate_race(void)
{
    isolate_survive("race", GPUTUNE_ERROR_CRASHED, 1);
}
static void isolate_race_lost(void)
{
    isolate_survive("race-lost", GPUTUNE_ERROR_DEVICE_LOST, 1);
}

// MSP-tuning: in the search, which is at another size, and at the real one. The answer's device
// seconds and its curve come from the child.
static void isolate_msp(void)
{
    isolate_program *p = isolate_begin();
    const gputune_outcome *o;
    isolate_make(p, "race-msp");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    o = gputune_kernel_outcome(p->kernel);
    CHECK(o->curve && o->curve->count > 2);
    CHECK(o->device_seconds > 0);
    isolate_end(p);
    isolate_survive("msp", GPUTUNE_ERROR_CRASHED, 1);
    isolate_survive("race-msp", GPUTUNE_ERROR_CRASHED, 1);
}

// The outcome in the program's own process has the winner's bounds.
static void isolate_bounds(void)
{
    isolate_program *p = isolate_begin();
    const gputune_outcome *o;
    gputune_figures figures;
    isolate_make(p, "bounded");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    o = gputune_kernel_outcome(p->kernel);
    CHECK_INT(isolate_children(), 1);
    CHECK_INT(isolate_calls, 0);
    CHECK(o->bounds && o->bounds->stated);
    if (o->bounds) {
        CHECK_NEAR(o->bounds->bytes, 8000, 0);
        CHECK_NEAR(o->bounds->seconds, o->best_stats.median, 0);
        CHECK_HAS(o->bounds->text, "moves at least 8 kB: ");
    }
    CHECK_INT(gputune_device_figures(p->device, &figures), GPUTUNE_OK);
    CHECK(figures.launch > 0);
    isolate_end(p);
}

// The time that a hung child took counts.
static void isolate_loop(void)
{
    isolate_program *p = isolate_begin();
    isolate_make(p, "loop");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 2);
    CHECK_INT(gputune_config_int(&gputune_kernel_outcome(p->kernel)->config, "B"), 1);
    CHECK_HAS(gputune_kernel_outcome(p->kernel)->note, "; 1 configuration ended");
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

// What no other child could do better ends the tuning with a reason.
static void isolate_refuse(const char *name, gputune_result result, const char *text, int children)
{
    isolate_program *p = isolate_begin();
    int descriptors = isolate_descriptors();
    isolate_make(p, name);
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), result);
    CHECK_HAS(gputune_kernel_error(p->kernel)->text, text);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->origin, GPUTUNE_FROM_DEFAULT);
    CHECK_INT(gputune_config_int(&gputune_kernel_outcome(p->kernel)->config, "B"), 1);
    CHECK_INT(isolate_children(), children);
    CHECK_INT(isolate_calls, 0);
    CHECK_INT(isolate_descriptors(), descriptors);
    isolate_end(p);
}

static void isolate_default(void)
{
    isolate_program *p;
    isolate_refuse("default", GPUTUNE_ERROR_CRASHED, "B=1: the child process ended (signal", 1);
    p = isolate_begin();
    isolate_make(p, "default");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_ERROR_CRASHED);
    isolate_free(p);
    memset(p, 0, sizeof *p);
    isolate_make(p, "default"); // not again for a day
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_ERROR_CRASHED);
    CHECK_HAS(gputune_kernel_error(p->kernel)->text, "the default failed in an earlier run");
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

// A first death of the default after its trial is forgiven, a second one is not.
static void isolate_race_default(void)
{
    isolate_program *p = isolate_begin();
    isolate_make(p, "race-default");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&gputune_kernel_outcome(p->kernel)->config, "B"), 8);
    CHECK_INT(test_kernel_seen(p->kernel).failed, 0);
    CHECK_INT(isolate_children(), 2);
    isolate_end(p);
    isolate_refuse("race-default-twice", GPUTUNE_ERROR_CRASHED,
                   "B=1: the default: the child process ended (exit", 2);
}

// `force` tries it again, but not over and over.
static void isolate_default_forced(void)
{
    setenv("GPUTUNE", "force", 1);
    isolate_refuse("default", GPUTUNE_ERROR_CRASHED, "B=1: the child process ended (signal", 1);
    unsetenv("GPUTUNE");
}

static void isolate_never(void)
{
    isolate_refuse("never", GPUTUNE_ERROR_UNSUPPORTED, "did not come to the same call (exit", 1);
}

static void isolate_early(void)
{
    isolate_refuse("early", GPUTUNE_ERROR_UNSUPPORTED, "did not come to the same call (", 1);
}

// A child's nonsense is the trial's failure, and another child goes on.
static void isolate_forged(void)
{
    static const char *const names[] = { "forged-result", "forged-number", "forged-step", NULL };
    const gputune_trial *trial;
    isolate_program *p;
    int i;
    for (i = 0; names[i]; i++) {
        p = isolate_begin();
        isolate_make(p, names[i]);
        CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
        CHECK_INT(test_trials(p->kernel), 5);
        CHECK_INT(isolate_children(), 2);
        trial = isolate_find(p->kernel, 4);
        CHECK(trial && trial->result == GPUTUNE_ERROR_CRASHED);
        if (trial) CHECK_HAS(trial->reason, "the child process answered nonsense");
        isolate_end(p);
    }
    p = isolate_begin();
    isolate_make(p, "forged-text");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    trial = isolate_find(p->kernel, 4);
    CHECK(trial && trial->result == GPUTUNE_ERROR_COMPILE && strlen(trial->reason) > 1000);
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

static void isolate_no_program(void)
{
    static const char *const command[] = { "/nowhere/to/be/found", NULL };
    isolate_program *p = isolate_begin();
    int descriptors = isolate_descriptors();
    p->tune.isolate_command = command;
    isolate_make(p, "plain");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_ERROR_FILE);
    CHECK_HAS(gputune_kernel_error(p->kernel)->text, "/nowhere/to/be/found");
    CHECK_INT(isolate_descriptors(), descriptors);
    isolate_end(p);
}

typedef struct isolate_seen {
    int calls, stop_at, trials, last_b;
    int starting, waiting; // calls while nothing happens
    bool stop_waiting;
    double best;
} isolate_seen;

static bool isolate_watch(void *user, const gputune_progress *progress)
{
    isolate_seen *seen = (isolate_seen *)user;
    CHECK_TEXT(progress->name, "work");
    seen->starting += strcmp(progress->phase, "start") == 0;
    seen->waiting += strcmp(progress->phase, "wait") == 0;
    if (strcmp(progress->phase, "start") == 0 || strcmp(progress->phase, "wait") == 0) {
        CHECK(progress->last == NULL && progress->seconds > 0);
        return !seen->stop_waiting;
    }
    if (strcmp(progress->phase, "search") == 0) {
        CHECK(progress->last != NULL);
        if (progress->last) seen->last_b = (int)gputune_config_int(&progress->last->config, "B");
        if (progress->last && progress->last->result == GPUTUNE_OK)
            CHECK_INT(progress->last->stats.count > 0, 1);
    }
    seen->calls++;
    seen->trials = progress->trials;
    seen->best = progress->best_value;
    return progress->trials < seen->stop_at;
}

// The program's callback sees every trial here, and stops the child as it would stop a tuning here.
static void isolate_cancel(void)
{
    isolate_seen seen;
    isolate_program *p = isolate_begin();
    const gputune_outcome *o;
    memset(&seen, 0, sizeof seen);
    seen.stop_at = 3;
    p->tune.progress = isolate_watch;
    p->tune.user = &seen;
    isolate_make(p, "plain");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    o = gputune_kernel_outcome(p->kernel);
    CHECK_INT(o->trials, 3);
    CHECK_INT(seen.trials, 3);
    CHECK_INT(seen.calls, 3);
    CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

// While the child starts, and while a trial takes long, the callback is asked all the same.
static void isolate_ask(void)
{
    isolate_seen seen;
    isolate_program *p = isolate_begin();
    double begin = gputune_now();
    memset(&seen, 0, sizeof seen);
    seen.stop_at = 1000;
    seen.stop_waiting = true;
    p->tune.progress = isolate_watch;
    p->tune.user = &seen;
    isolate_make(p, "asleep");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_CANCELLED);
    CHECK(gputune_now() - begin < 20 * test_load); // it would have slept for 30 s
    CHECK_INT(seen.starting, 1);
    CHECK_INT(seen.calls, 0);
    isolate_free(p);
    memset(p, 0, sizeof *p);
    seen.stop_waiting = false;
    p->tune.progress = isolate_watch;
    p->tune.user = &seen;
    isolate_make(p, "long");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK(seen.waiting >= 1);
    CHECK_INT(seen.trials, 5);
    isolate_end(p);
}

static void isolate_progress(void)
{
    isolate_seen seen;
    isolate_program *p = isolate_begin();
    memset(&seen, 0, sizeof seen);
    seen.stop_at = 1000;
    p->tune.progress = isolate_watch;
    p->tune.user = &seen;
    isolate_make(p, "replayed"); // dies once
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(seen.trials, 5);
    CHECK_INT(test_kernel_seen(p->kernel).failed, 1);
    CHECK_NEAR(seen.best, 1e-3, 1e-6);
    isolate_end(p);
}

// Reads the store's only entry.
static void isolate_entry(const char *path, char *text, size_t size)
{
    char line[1024], *end;
    FILE *f = fopen(path, "r");
    text[0] = 0;
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "answer", 6) == 0) {
            snprintf(text, size, "%.900s", line);
            if (strstr(text, "\tclasses=")) *strstr(text, "\tclasses=") = 0; // by addresses
        }
    if (f) fclose(f);
    end = strstr(text, "\tmore=");
    if (end) *end = 0;
}

// The answer, and what is stored, are those of a tuning in this process.
static void isolate_same(void)
{
    isolate_program *p = isolate_begin();
    gputune_outcome isolated, here;
    char first[1024], second[1024];
    isolate_make(p, "plain");
    CHECK_INT(test_tunes(p->kernel, p->args, 3, &isolated), GPUTUNE_OK);
    isolate_entry(isolate_store, first, sizeof first);
    isolate_free(p);
    CHECK_INT(remove(isolate_store), 0);
    memset(p, 0, sizeof *p);
    setenv("GPUTUNE_ISOLATE", "0", 1);
    isolate_make(p, "plain");
    CHECK_INT(test_tunes(p->kernel, p->args, 3, &here), GPUTUNE_OK);
    unsetenv("GPUTUNE_ISOLATE");
    isolate_entry(isolate_store, second, sizeof second);
    CHECK(isolate_calls > 5);
    CHECK_INT(isolate_children(), 1);
    CHECK(strlen(first) > 50);
    CHECK_TEXT(first, second);
    CHECK(memcmp(isolated.config.choice, here.config.choice, sizeof here.config.choice) == 0);
    CHECK_INT(isolated.trials, here.trials);
    CHECK_INT(isolated.best_stats.count, here.best_stats.count);
    CHECK_NEAR(isolated.best_stats.median, here.best_stats.median, 0);
    CHECK_NEAR(isolated.best_stats.iqr, here.best_stats.iqr, 0);
    CHECK_NEAR(isolated.default_stats.median, here.default_stats.median, 0);
    CHECK_NEAR(isolated.speedup, here.speedup, 0);
    isolate_end(p);
}

// A child that is started anew knows again what is right: after one has ended in the first
// configuration, all others are wrong.
static void isolate_wrong(void)
{
    isolate_program *p = isolate_begin();
    const gputune_trial *trial;
    int b;
    isolate_make(p, "wrong");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(isolate_children(), 2);
    CHECK_INT(gputune_config_int(&gputune_kernel_trial(p->kernel, 1)->config, "B"), 16);
    for (b = 2; b <= 8; b *= 2) {
        trial = isolate_find(p->kernel, b);
        CHECK(trial && trial->result == GPUTUNE_ERROR_WRONG_OUTPUT);
    }
    CHECK_INT(gputune_config_int(&gputune_kernel_outcome(p->kernel)->config, "B"), 1);
    isolate_end(p);
}

// Where the default dies on the curve, the search is at the real size, with the default's output.
static void isolate_curve(void)
{
    isolate_program *p = isolate_begin();
    isolate_make(p, "curve-msp");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK(isolate_find(p->kernel, 1) && isolate_find(p->kernel, 1)->result == GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&gputune_kernel_outcome(p->kernel)->config, "B"), 8);
    CHECK_HAS(gputune_kernel_outcome(p->kernel)->note, "searched at the real size");
    CHECK_INT(isolate_children(), 2);
    isolate_end(p);
}

// Says stop once a configuration has ended the child.
static bool isolate_stop_dead(void *user, const gputune_progress *progress)
{
    (void)user;
    return !progress->last || progress->last->result != GPUTUNE_ERROR_CRASHED;
}

// A stop behind a death ends the search, and the race goes on in another child.
static void isolate_stop(void)
{
    isolate_program *p = isolate_begin();
    p->tune.progress = isolate_stop_dead;
    isolate_make(p, "late");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(isolate_children(), 2);
    isolate_end(p);
}

// What is read and written has its content before each launch of the race, however short that is.
static void isolate_inout(void)
{
    isolate_program *p = isolate_begin();
    isolate_make(p, "inout");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 5);
    CHECK_INT(test_kernel_seen(p->kernel).failed, 0);
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

// Where the child's buffers are aligned otherwise, the answer is verified here before it runs.
static void isolate_shifted(void)
{
    static const char *const names[] = { "plain-host", "shifted", NULL };
    isolate_program *p;
    int i;
    for (i = 0; names[i]; i++) {
        p = isolate_begin();
        isolate_make(p, names[i]);
        CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
        CHECK_INT(isolate_calls > 0, i);
        CHECK_INT(gputune_run(p->kernel, p->args, 3), GPUTUNE_OK);
        CHECK_INT(p->out[999], 1000);
        isolate_end(p);
    }
}

// Failures that a further run would try again are trials of this one all the same.
static void isolate_library(void)
{
    isolate_program *p = isolate_begin();
    isolate_make(p, "library");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 5);
    CHECK_INT(test_kernel_seen(p->kernel).failed, 2);
    CHECK_INT(test_trials(p->kernel), 5);
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

// A default that is not what stands in the text.
static void isolate_required(void)
{
    isolate_program *p = isolate_begin();
    isolate_make(p, "required");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_TEXT(gputune_kernel_error(p->kernel)->text, "");
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 4);
    CHECK_INT(gputune_config_int(&gputune_kernel_outcome(p->kernel)->config, "B"), 8);
    isolate_end(p);
}

// The user asks for it, not the program.
static void isolate_asked(void)
{
    isolate_program *p = isolate_begin();
    setenv("GPUTUNE_ISOLATE", "1", 1);
    isolate_make(p, "asked");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    unsetenv("GPUTUNE_ISOLATE");
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

// An interrupted tuning is resumed, whoever began it.
static void isolate_resume(void)
{
    isolate_program *p = isolate_begin();
    pid_t child = fork();
    int status;
    if (child == 0) {
        setenv("GPUTUNE_ISOLATE", "0", 1);
        isolate_make(p, "two");
        gputune_tune(p->kernel, p->args, 3);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(isolate_children(), 0);
    isolate_make(p, "two");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 5);
    CHECK_INT(gputune_kernel_trial(p->kernel, 4)->result, GPUTUNE_ERROR_CRASHED); // tried last
    CHECK_INT(test_kernel_seen(p->kernel).failed, 2);
    CHECK_INT(isolate_children(), 3); // nobody knew how the first process ended
    isolate_end(p);
}

// Ctrl-C is no crash: what was running then is tried again.
static void isolate_interrupted(void)
{
    isolate_program *p = isolate_begin();
    const gputune_trial *trial;
    isolate_make(p, "interrupted");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 5);
    CHECK_INT(test_kernel_seen(p->kernel).failed, 0);
    trial = isolate_find(p->kernel, 4);
    CHECK(trial && trial->result == GPUTUNE_OK);
    CHECK_INT(isolate_children(), 2);
    isolate_end(p);
}

// On the way to its call the child tunes nothing: what is known is looked up, `force` or not.
static void isolate_others(void)
{
    isolate_program *p = isolate_begin();
    char path[160], text[128] = "";
    FILE *f;
    setenv("GPUTUNE_ISOLATE", "0", 1);
    isolate_make(p, "known"); // tuned for n = 9
    p->args[0] = arg_int32(9);
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    unsetenv("GPUTUNE_ISOLATE");
    isolate_free(p);
    memset(p, 0, sizeof *p);
    setenv("GPUTUNE", "force", 1);
    isolate_make(p, "others");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    unsetenv("GPUTUNE");
    snprintf(path, sizeof path, "%s/others", isolate_folder);
    f = fopen(path, "r");
    if (f) text[fread(text, 1, sizeof text - 1, f)] = 0;
    if (f) fclose(f);
    CHECK_TEXT(text, "not asked\n2\n0\n"); // n = 9 from the store, n = 100 the default
    isolate_end(p);
}

// Nor does it launch a prediction, however sure: what the store has, or the default.
static void isolate_predicted(void)
{
    isolate_program *p = isolate_begin();
    char path[160], text[128] = "";
    int n;
    FILE *f;
    setenv("GPUTUNE_ISOLATE", "0", 1);
    isolate_make(p, "foreseen");
    for (n = 1000; n <= 64000; n *= 4) {
        p->args[0] = arg_int32(n);
        CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    }
    setenv("GPUTUNE", "readonly", 1);
    isolate_free(p);
    memset(p, 0, sizeof *p);
    isolate_make(p, "foreseen");
    p->args[0] = arg_int32(32000);
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->origin, GPUTUNE_FROM_MODEL); // in this process
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_ISOLATE");
    isolate_free(p);
    memset(p, 0, sizeof *p);
    isolate_make(p, "predicted");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    snprintf(path, sizeof path, "%s/others", isolate_folder);
    f = fopen(path, "r");
    if (f) text[fread(text, 1, sizeof text - 1, f)] = 0;
    if (f) fclose(f);
    CHECK_TEXT(text, "another kernel is being tuned in this process\n");
    isolate_end(p);
}

// Without isolate_command the child has this process's arguments, empty ones and blanks included.
static void isolate_own_command(void)
{
    isolate_program *p = isolate_begin();
    char command[256], own[256], text[64] = "";
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    FILE *out;
    CHECK(length > 0);
    own[length > 0 ? length : 0] = 0;
    snprintf(command, sizeof command, "'%.100s' --isolated-case standalone '%s' '' 'a b'", own,
             isolate_folder);
    out = popen(command, "r");
    CHECK(out && !fgets(text, sizeof text, out)); // the child's output comes nowhere
    CHECK_TEXT(text, "");
    if (out) CHECK_INT(pclose(out), 0);
    CHECK_INT(isolate_children(), 1);
    snprintf(command, sizeof command, "%s/arguments", isolate_folder);
    out = fopen(command, "r");
    CHECK(out && fgets(text, sizeof text, out));
    CHECK_TEXT(text, "6 standalone  a b -1\n"); // nor does it get any input
    if (out) fclose(out);
    isolate_end(p);
}

// What the calling thread blocks the child does not.
static void isolate_mask(void)
{
    isolate_program *p = isolate_begin();
    char path[160], line[64] = "";
    sigset_t set, before;
    FILE *f;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &before);
    isolate_make(p, "plain");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    sigprocmask(SIG_SETMASK, &before, NULL);
    snprintf(path, sizeof path, "%s/mask", isolate_folder);
    f = fopen(path, "r");
    CHECK(f && fgets(line, sizeof line, f));
    if (f) fclose(f);
    CHECK_TEXT(line, "open\n");
    isolate_end(p);
}

typedef struct isolate_log {
    char text[2048];
} isolate_log;

static void isolate_logger(void *user, gputune_log_level level, const char *message)
{
    isolate_log *log = (isolate_log *)user;
    size_t used = strlen(log->text);
    (void)level;
    snprintf(log->text + used, sizeof log->text - used, "%s\n", message);
}

// A store is not needed.
static void isolate_no_store(void)
{
    isolate_program *p = isolate_begin();
    isolate_log log = { "" };
    p->options.log = isolate_logger;
    p->options.user = &log;
    isolate_store[0] = 0;
    isolate_make(p, "plain");
    CHECK_INT(gputune_tune(p->kernel, p->args, 3), GPUTUNE_OK);
    CHECK_HAS(log.text, "tuning in a child process");
    CHECK_INT(isolate_calls, 1);
    CHECK_INT(isolate_children(), 1);
    isolate_end(p);
}

// The environment means whoever has the socket, and nobody further down.
static void isolate_meant(void)
{
    gt__base b;
    gt__isolated self;
    struct stat info;
    char text[128];
    int ends[2];
    memset(&b, 0, sizeof b);
    CHECK_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    CHECK_INT(fstat(ends[1], &info), 0);
    CHECK(device_tunes(NULL));
    setenv("GPUTUNE_ISOLATED", "", 1);
    CHECK(device_tunes(NULL));
    setenv("GPUTUNE_ISOLATED", "1:2", 1);
    CHECK(device_tunes(NULL));
    snprintf(text, sizeof text, "%d:%llx:abc", ends[0], (unsigned long long)info.st_ino);
    setenv("GPUTUNE_ISOLATED", text, 1); // another file of that number
    CHECK(device_tunes(NULL));
    snprintf(text, sizeof text, "%d:%llx:abc", ends[1], (unsigned long long)info.st_ino);
    setenv("GPUTUNE_ISOLATED", text, 1);
    CHECK(!device_tunes(NULL)); // all but one kernel is taken as it is known
    prctl(PR_SET_PDEATHSIG, 0);
    CHECK(gt__isolated_find(&b, &self));
    prctl(PR_SET_PDEATHSIG, 0);
    CHECK_INT(self.key, 0xabc);
    CHECK(fcntl(ends[1], F_GETFD) & FD_CLOEXEC);
    unsetenv("GPUTUNE_ISOLATED");
    close(ends[0]);
    close(ends[1]);
}

// So long may a child say nothing.
static void isolate_silence(void)
{
    const double margin = GT__ISOLATE_MARGIN_SECONDS;
    gputune_tune_desc tune;
    memset(&tune, 0, sizeof tune);
    CHECK_NEAR(gt__isolation_silence(&tune, 2), 400 + 8 * 40 + margin, 1e-9);
    CHECK_NEAR(gt__isolation_silence(&tune, HUGE_VAL), 60 + 8 * 30 + margin, 1e-9);
}

static bool isolate_runs(long pid)
{
    char path[64], text[256] = "", *state;
    FILE *f;
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    f = fopen(path, "r");
    if (!f) return false;
    text[fread(text, 1, sizeof text - 1, f)] = 0;
    fclose(f);
    state = strrchr(text, ')');
    return state && state[2] != 'Z';
}

// A child that hangs while its parent is killed does not stay.
static void isolate_orphan(void)
{
    isolate_program *p = isolate_begin();
    char path[160], line[64] = "";
    double end = gputune_now() + 60 * test_load;
    pid_t parent = fork();
    long child = 0;
    FILE *f;
    if (parent == 0) {
        execl("/proc/self/exe", "tests", "--isolated-case", "loop", isolate_folder, (char *)NULL);
        _exit(1);
    }
    // Its journal says when it hangs: in the second trial.
    while (gputune_now() < end && !line[0]) {
        gputune_sleep(0.01);
        snprintf(path, sizeof path, "cat '%.60s'/store.txt.journal/* 2>/dev/null | grep -c ^begin",
                 isolate_folder);
        f = popen(path, "r");
        if (f && fgets(line, sizeof line, f) && atoi(line) < 2) line[0] = 0;
        if (f) pclose(f);
    }
    snprintf(path, sizeof path, "%s/children", isolate_folder);
    f = fopen(path, "r");
    CHECK(f && fgets(line, sizeof line, f));
    if (f) fclose(f);
    child = atol(line);
    CHECK(child > 1 && isolate_runs(child));
    kill(parent, SIGKILL);
    CHECK_INT(waitpid(parent, NULL, 0), parent);
    end = gputune_now() + 30 * test_load;
    while (isolate_runs(child) && gputune_now() < end) gputune_sleep(0.01);
    CHECK(!isolate_runs(child));
    isolate_end(p);
}

static int isolate_allowed; // allocations left; < 0: any number

static void *isolate_reallocate(void *user, void *memory, size_t bytes)
{
    (void)user;
    if (!bytes) {
        free(memory);
        return NULL;
    }
    if (isolate_allowed == 0) return NULL;
    if (isolate_allowed > 0) isolate_allowed--;
    return realloc(memory, bytes);
}

// Every allocation of the parent fails once: an error or an answer, and nothing left over.
static void isolate_no_memory(void)
{
    gputune_result result = GPUTUNE_ERROR_MEMORY;
    int descriptors = isolate_descriptors(), n;
    for (n = 0; n < 1000 && result != GPUTUNE_OK; n += n < 60 ? 1 : 9) {
        isolate_program *p = isolate_begin();
        p->options.reallocate = isolate_reallocate;
        isolate_allowed = -1;
        isolate_make(p, "plain");
        isolate_allowed = n;
        result = gputune_tune(p->kernel, p->args, 3);
        isolate_allowed = -1;
        isolate_end(p);
        CHECK_INT(isolate_descriptors(), descriptors);
    }
    CHECK_INT(result, GPUTUNE_OK);
    CHECK(n > 20);
}

static const test_case isolate_cases[] = {
    { "segv", isolate_segv },
    { "abort", isolate_abort },
    { "exit", isolate_exit },
    { "two", isolate_two },
    { "lost", isolate_lost },
    { "race", isolate_race },
    { "race_lost", isolate_race_lost },
    { "race_default", isolate_race_default },
    { "default_forced", isolate_default_forced },
    { "msp", isolate_msp },
    { "bounds", isolate_bounds },
    { "loop", isolate_loop },
    { "default", isolate_default },
    { "never", isolate_never },
    { "early", isolate_early },
    { "forged", isolate_forged },
    { "no_program", isolate_no_program },
    { "cancel", isolate_cancel },
    { "progress", isolate_progress },
    { "ask", isolate_ask },
    { "same", isolate_same },
    { "wrong", isolate_wrong },
    { "shifted", isolate_shifted },
    { "inout", isolate_inout },
    { "curve", isolate_curve },
    { "stop", isolate_stop },
    { "library", isolate_library },
    { "required", isolate_required },
    { "asked", isolate_asked },
    { "resume", isolate_resume },
    { "interrupted", isolate_interrupted },
    { "others", isolate_others },
    { "predicted", isolate_predicted },
    { "own_command", isolate_own_command },
    { "mask", isolate_mask },
    { "no_store", isolate_no_store },
    { "meant", isolate_meant },
    { "silence", isolate_silence },
    { "orphan", isolate_orphan },
    { "no_memory", isolate_no_memory },
    { NULL, NULL },
};
