// [tuner], [store]: whoever tunes the same thing at the same time makes one search of it, through
// the trial log: processes, and kernels on devices that are told apart.
#include "test.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- several processes ---

enum { SHARE_WORKERS = 4, SHARE_VALUES = 65 };

// In memory of all processes; each writes what is its own.
typedef struct share_board {
    volatile int told[SHARE_WORKERS];  // their defaults
    volatile int under[SHARE_WORKERS]; // another configuration is under way, or has been
    volatile int tried[SHARE_WORKERS][SHARE_VALUES];
    volatile int answer[SHARE_WORKERS];
    volatile int alone[SHARE_WORKERS], crashed[SHARE_WORKERS]; // messages
    volatile int claimed; // all own and further devices have been
    volatile int culprit;
} share_board;

typedef struct share_case {
    gputune_strategy strategy;
    gputune_budget budget;
    int workers;
    double scale[SHARE_WORKERS]; // of the default's time
    int signal;                  // which the second sends itself in its first trial
    int deaths;                  // so many die in the same one
} share_case;

static share_board *share_now;
static int share_self;

static const gputune_param share_params[] = { { "A", "range 1,64", "1" }, { NULL, NULL, NULL } };

static void share_log(void *user, gputune_log_level level, const char *message)
{
    (void)user;
    (void)level;
    if (strstr(message, "alone from here on")) share_now->alone[share_self]++;
    if (strstr(message, "ended while")) share_now->crashed[share_self]++;
}

// Until all have come so far; 20 s at most.
static void share_meet(const volatile int *come, int workers)
{
    const double end = gputune_now() + 20 * test_load;
    int i, all = 0;
    while (all < workers && gputune_now() < end) {
        gputune_sleep(0.0005);
        for (i = all = 0; i < workers; i++) all += TEST_GET(come[i]) > 0;
    }
}

static double share_trial(const share_case *c, int self, int a)
{
    share_board *b = share_now;
    b->tried[self][a]++;
    if (a == 1) return 2 * c->scale[self];
    if (!b->under[self]) {
        b->under[self] = a;
        if (c->signal && self == 1) b->culprit = a;
        share_meet(b->under, c->workers); // all are in a trial
        if (c->signal && self == 1) raise(c->signal);
    } else if (a == b->culprit && self < c->deaths) {
        raise(c->signal);
    }
    gputune_sleep(0.001);
    return a == 37 ? 0.5 : 1 + 0.001 * a;
}

static void share_work(const share_case *c, int self)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    bool first = true;
    share_self = self;
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    desc.name = "share";
    desc.space.params = share_params;
    desc.space.options.store = store_file;
    desc.space.options.log = share_log;
    desc.tune.strategy = c->strategy;
    desc.tune.budget = c->budget;
    desc.tune.seed = 5;
    tuner = gputune_tuner_create(&desc);
    while (test_asks(tuner, &config)) {
        const int a = (int)gputune_config_int(&config, "A");
        gputune_tell(tuner, &config, share_trial(c, self, a));
        if (first) {
            share_now->told[self] = 1;
            share_meet(share_now->told, c->workers);
        }
        first = false;
    }
    if (gputune_tuner_best(tuner, &config) == GPUTUNE_OK)
        share_now->answer[self] = (int)gputune_config_int(&config, "A");
    gputune_tuner_destroy(tuner);
    _exit(0);
}

// Runs the processes; who is stopped goes on when all others have ended.
static void share_run(const share_case *c)
{
    pid_t pids[SHARE_WORKERS];
    int i;
    store_enter();
    share_now = (share_board *)mmap(NULL, sizeof *share_now, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(share_now != MAP_FAILED);
    fflush(stdout);
    for (i = 0; i < c->workers; i++) {
        pids[i] = fork();
        if (pids[i] == 0) share_work(c, i);
    }
    for (i = 0; i < c->workers; i++) {
        const bool second = i == (c->signal ? 1 : -1);
        const bool dies = c->signal == SIGKILL && (i == 1 || i < c->deaths);
        if (!second && !dies) CHECK_INT(store_status(pids[i]), 0);
        if (dies) store_status(pids[i]);
    }
    if (c->signal == SIGSTOP) {
        kill(pids[1], SIGCONT);
        CHECK_INT(store_status(pids[1]), 0);
    }
}

static int share_times(int a)
{
    int times = 0, i;
    for (i = 0; i < SHARE_WORKERS; i++) times += share_now->tried[i][a];
    return times;
}

static void share_end(void)
{
    munmap(share_now, sizeof *share_now);
    store_leave();
}

// Nothing is tried twice but the default, by each; all end with the same answer, which is stored.
static void test_share_four(void)
{
    static const gputune_strategy strategies[] = { GPUTUNE_STRATEGY_EXHAUSTIVE,
                                                   GPUTUNE_STRATEGY_RANDOM,
                                                   GPUTUNE_STRATEGY_SURROGATE,
                                                   GPUTUNE_STRATEGY_HILL_CLIMB };
    int s, i, a;
    for (s = 0; s < 4; s++) {
        // Surrogate search does not end when it believes it has the best.
        share_case c = { strategies[s], { 0, 60, 0, 0, true },
                         SHARE_WORKERS, { 1, 1, 1, 1 }, 0, 0 };
        const bool hill = strategies[s] == GPUTUNE_STRATEGY_HILL_CLIMB; // asks one at a time here
        if (hill) c.workers = 1;
        share_run(&c);
        for (a = 2; a < SHARE_VALUES; a++)
            CHECK_OR(share_times(a) == 1, "%s: %d was tried %d times",
                     gputune_strategy_name(strategies[s]), a, share_times(a));
        for (i = 0; i < c.workers; i++) {
            CHECK_INT(share_now->answer[i], 37);
            CHECK_INT(share_now->tried[i][1], 1);
            CHECK(share_now->under[i] > 0);
            CHECK_INT(share_now->alone[i], 0);
        }
        CHECK_INT(store_lines(), 1);
        share_end();
    }
}

// Hill climbing waits for the others' answers.
static void test_share_hill(void)
{
    share_case c = { GPUTUNE_STRATEGY_HILL_CLIMB, { 0 }, 2, { 1, 1 }, 0, 0 };
    int i, a;
    store_enter();
    share_now = (share_board *)mmap(NULL, sizeof *share_now, PROT_READ | PROT_WRITE,
                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    share_now->under[0] = share_now->under[1] = 1; // one may get no trial: nobody is waited for
    fflush(stdout);
    for (i = 0; i < 2; i++)
        if (fork() == 0) share_work(&c, i);
    for (i = 0; i < 2; i++) CHECK_INT(store_status(-1), 0);
    for (a = 2; a < SHARE_VALUES; a++) CHECK_INT(share_times(a), 1);
    for (i = 0; i < 2; i++) CHECK_INT(share_now->answer[i], 37);
    share_end();
}

// The budget's trials are those of all together.
static void test_share_budget(void)
{
    share_case c = { GPUTUNE_STRATEGY_RANDOM, { 0 }, SHARE_WORKERS, { 1, 1, 1, 1 }, 0, 0 };
    int a, trials = 0, i;
    c.budget.trials = 20;
    share_run(&c);
    for (a = 2; a < SHARE_VALUES; a++) trials += share_times(a);
    CHECK_OR(trials >= 19 && trials <= 19 + SHARE_WORKERS, "%d trials", trials);
    for (i = 1; i < SHARE_WORKERS; i++) CHECK_INT(share_now->answer[i], share_now->answer[0]);
    share_end();
}

// One dies in a trial: that one is tried again, last, by one of the others; if that one dies, too,
// by nobody.
static void test_share_killed(void)
{
    int deaths, i, a;
    for (deaths = 0; deaths < 2; deaths++) {
        share_case c = { GPUTUNE_STRATEGY_EXHAUSTIVE, { 0 }, SHARE_WORKERS, { 1, 1, 1, 1 },
                         SIGKILL, 0 };
        int culprit, left = 0;
        c.deaths = deaths ? SHARE_WORKERS : 0;
        share_run(&c);
        culprit = share_now->culprit;
        CHECK(culprit > 1);
        for (a = 2; a < SHARE_VALUES; a++) {
            CHECK_OR(share_times(a) == (a == culprit ? 2 : 1), "%d (%d died): %d times", a, culprit,
                     share_times(a));
        }
        for (i = 0; i < SHARE_WORKERS; i++) {
            if (!share_now->answer[i]) continue;
            CHECK_INT(share_now->answer[i], culprit == 37 && deaths ? 2 : 37);
            left++;
        }
        CHECK_INT(left, SHARE_WORKERS - 1 - deaths);
        CHECK_INT(store_lines(), 1);
        share_end();
    }
}

// Who is stopped lives: nobody tries its configuration, and all others end. When it goes on it
// takes their answer over.
static void test_share_stopped(void)
{
    share_case c = { GPUTUNE_STRATEGY_EXHAUSTIVE, { 0 }, SHARE_WORKERS, { 1, 1, 1, 1 }, SIGSTOP,
                     0 };
    int i, a;
    c.budget.seconds = 1;
    share_run(&c);
    CHECK_INT(share_times(share_now->culprit), 1);
    CHECK_INT(share_now->crashed[0], 0);
    for (a = 2; a < SHARE_VALUES; a++) CHECK(share_times(a) <= 1);
    for (i = 0; i < SHARE_WORKERS; i++) {
        CHECK(share_now->answer[i] > 0);
        CHECK_INT(share_now->answer[i], share_now->answer[0]);
    }
    share_end();
}

// Where the default takes another time the trials say nothing: each goes on alone.
static void test_share_parts(void)
{
    share_case c = { GPUTUNE_STRATEGY_EXHAUSTIVE, { 0 }, 2, { 1, 1.06 }, 0, 0 };
    int i, a;
    share_run(&c);
    for (i = 0; i < 2; i++) {
        for (a = 1; a < SHARE_VALUES; a++) CHECK_INT(share_now->tried[i][a], 1);
        CHECK_INT(share_now->alone[i], 1);
        CHECK_INT(share_now->answer[i], 37);
    }
    share_end();
    c.scale[1] = 1.04;
    share_run(&c);
    for (a = 2; a < SHARE_VALUES; a++) CHECK_INT(share_times(a), 1);
    share_end();
}

static gputune_tuner *share_tuner(gputune_strategy strategy)
{
    gputune_tuner_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    desc.name = "share";
    desc.space.params = share_params;
    desc.space.options.store = store_file;
    desc.space.options.log = store_log_fn;
    desc.tune.strategy = strategy;
    desc.tune.budget.all = true; // all are tried, though little is left to gain
    return gputune_tuner_create(&desc);
}

// Who leaves with open questions frees them: the others ask them then, and not before.
static void test_share_left(void)
{
    gputune_tuner *a, *b;
    gputune_config config;
    bool asked[SHARE_VALUES] = { false };
    int trials, i;
    store_enter();
    a = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    b = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    for (i = 0; i < 2; i++) {
        CHECK(test_asks(i ? b : a, &config));
        CHECK_INT(gputune_config_int(&config, "A"), 1);
        CHECK_INT(gputune_tell(i ? b : a, &config, 9), GPUTUNE_OK);
    }
    for (i = 0; i < 3; i++) {
        CHECK(test_asks(a, &config));
        asked[gputune_config_int(&config, "A")] = true;
    }
    for (trials = 0; test_asks(b, &config); trials++) {
        const int value = (int)gputune_config_int(&config, "A");
        CHECK_INT(asked[value], trials >= 55 && trials < 58);
        CHECK_INT(gputune_tell(b, &config, 2 + value), GPUTUNE_OK);
        if (trials == 54) gputune_tuner_destroy(a);
    }
    CHECK_INT(trials, 63);
    CHECK_INT(gputune_tuner_best(b, &config), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&config, "A"), 2);
    gputune_tuner_destroy(b);
    CHECK_INT(store_warnings, 0);
    store_leave();
}

// Who comes later measures its own default first, and then nothing that another has tried.
static void test_share_late(void)
{
    gputune_tuner *a, *b;
    gputune_config config;
    int tried = 0, i;
    store_enter();
    a = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    for (i = 0; i < 2; i++) {
        CHECK(test_asks(a, &config));
        tried = (int)gputune_config_int(&config, "A");
        CHECK_INT(gputune_tell(a, &config, i ? 3 : 9), GPUTUNE_OK);
    }
    b = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    for (i = 0; i < 63; i++) {
        CHECK(test_asks(b, &config));
        CHECK_INT(gputune_config_int(&config, "A") == 1, i == 0);
        CHECK(gputune_config_int(&config, "A") != tried);
        CHECK_INT(gputune_tell(b, &config, 9), GPUTUNE_OK);
    }
    CHECK(!test_asks(b, &config));
    gputune_tuner_destroy(a);
    gputune_tuner_destroy(b);
    CHECK_INT(store_warnings, 0);
    store_leave();
}

// Dies in the trial of 37.
static void share_dies(void)
{
    gputune_tuner *a = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    gputune_config config;
    while (test_asks(a, &config)) {
        const int value = (int)gputune_config_int(&config, "A");
        if (value == 37) _exit(0);
        gputune_tell(a, &config, 2 + value);
    }
    _exit(1);
}

static void *share_tell_37(void *tuner)
{
    gputune_tuner *b = (gputune_tuner *)tuner;
    gputune_config config;
    gputune_sleep(0.2); // meanwhile the other has nothing left to ask
    gputune_config_parse(b->space, "A=37", &config);
    gputune_tell(b, &config, 0.5);
    CHECK(!test_asks(b, &config));
    CHECK_INT(gputune_tuner_best(b, &config), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&config, "A"), 37);
    return NULL;
}

// What one has died in is tried again by another: a third waits for what comes of that.
static void test_share_again(void)
{
    gputune_tuner *b, *c;
    gputune_config config;
    pthread_t thread;
    pid_t pid;
    int last = 0;
    store_enter();
    fflush(stdout);
    pid = fork();
    if (pid == 0) share_dies();
    CHECK_INT(store_status(pid), 0);
    b = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    while (last != 37 && test_asks(b, &config)) {
        last = (int)gputune_config_int(&config, "A");
        if (last != 37) gputune_tell(b, &config, 2 + last);
    }
    CHECK_INT(last, 37);
    CHECK_INT(test_told(b), 63);
    c = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    CHECK_INT(pthread_create(&thread, NULL, share_tell_37, b), 0);
    while (test_asks(c, &config)) {
        CHECK_INT(gputune_config_int(&config, "A"), 1);
        gputune_tell(c, &config, 3);
    }
    CHECK_INT(gputune_tuner_best(c, &config), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&config, "A"), 37);
    CHECK_INT(pthread_join(thread, NULL), 0);
    gputune_tuner_destroy(b);
    gputune_tuner_destroy(c);
    CHECK_INT(store_lines(), 1);
    store_leave();
}

// Asks for more before its own default is measured, so that it has not listened to the other yet:
// nothing is tried again, and what the other has told is heard then.
static void test_share_early(void)
{
    gputune_tuner *a, *b;
    gputune_config config, standard;
    bool tried[SHARE_VALUES] = { false };
    int i;
    store_enter();
    a = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    for (i = 0; i < 63; i++) {
        CHECK(test_asks(a, &config));
        tried[gputune_config_int(&config, "A")] = true;
        CHECK_INT(gputune_tell(a, &config, 9), GPUTUNE_OK);
    }
    b = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    CHECK(test_asks(b, &standard));
    CHECK_INT(gputune_config_int(&standard, "A"), 1);
    CHECK(test_asks(b, &config));
    CHECK(!tried[gputune_config_int(&config, "A")]);
    CHECK_INT(gputune_tell(b, &standard, 9), GPUTUNE_OK);
    CHECK_INT(gputune_tell(b, &config, 8), GPUTUNE_OK);
    CHECK(!test_asks(b, &config));
    CHECK_INT(test_told(b), 64);
    gputune_tuner_destroy(a);
    gputune_tuner_destroy(b);
    CHECK_INT(store_warnings, 0);
    store_leave();
}

// Two have ended: while one saves its answer the other waits for it, whatever its own is.
static void test_share_answer(void)
{
    gputune_tuner *tuner;
    gputune_config config;
    int ends[2], i, own = 0;
    char byte = 'x';
    pid_t child;
    store_enter();
    CHECK_INT(pipe(ends), 0);
    tuner = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    tuner->budget.trials = 2;
    for (i = 0; test_asks(tuner, &config); i++) {
        CHECK_INT(gputune_tell(tuner, &config, i ? 3 : 9), GPUTUNE_OK);
        own = (int)gputune_config_int(&config, "A");
    }
    CHECK_INT(i, 2);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        gputune_tuner *other = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
        other->budget.trials = 3;
        for (i = 0; test_asks(other, &config); i++) gputune_tell(other, &config, i ? 1 : 9);
        if (i != 2 || !gt__tuner_first(other) || write(ends[1], &byte, 1) != 1) _exit(1);
        gputune_sleep(0.2);
        if (gputune_tuner_best(other, &config) != GPUTUNE_OK) _exit(2);
        _exit(100 + (int)gputune_config_int(&config, "A"));
    }
    close(ends[1]); // or a child that has failed is waited for
    CHECK_INT(read(ends[0], &byte, 1), 1);
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    CHECK(gputune_config_int(&config, "A") != own);
    CHECK_INT(store_status(child), 100 + gputune_config_int(&config, "A"));
    gputune_tuner_destroy(tuner);
    close(ends[0]);
    store_leave();
}

// Without locks nobody knows who lives: alone, and the log says so.
static void test_share_no_locks(void)
{
    gputune_tuner *tuner;
    gputune_config config;
    int trials = 0;
    store_enter();
    fault_arm(FAULT_FLOCK, 1, ENOLCK);
    tuner = share_tuner(GPUTUNE_STRATEGY_AUTO);
    CHECK(fault_disarm());
    CHECK_HAS(store_log, "share: tuning without a trial log: cannot lock");
    for (; test_asks(tuner, &config); trials++)
        gputune_tell(tuner, &config, (double)gputune_config_int(&config, "A"));
    CHECK_INT(trials, 64);
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&config, "A"), 1);
    gputune_tuner_destroy(tuner);
    store_leave();
}

// Who opens a log waits until another has: who sees nobody empties it, and would the first lines of
// who came meanwhile.
static void test_share_one_opens(void)
{
    gt__base base;
    gt__trial_log *j = NULL;
    gt__record *records = NULL;
    gt__file gate;
    gt__key key;
    gputune_error error;
    pid_t pid;
    int i;
    store_enter();
    gt__base_init(&base, NULL);
    key = journal_key();
    key.name = "gate";
    CHECK_INT(gt__trial_log_open(&base, store_file, &key, true, &j, &records, &error),
              GPUTUNE_OK);
    CHECK_INT(gt__trial_log_hold(j, GT__WRITERS_MOST, GT__FILE_APPEND, 0, &gate), 0);
    fflush(stdout);
    if ((pid = fork()) == 0) {
        gt__trial_log *mine = NULL;
        i = (int)gt__trial_log_open(&base, store_file, &key, true, &mine, &records, &error);
        _exit(i ? 1 : 10 + mine->by);
    }
    gputune_sleep(0.3);
    CHECK_INT(waitpid(pid, &i, WNOHANG), 0); // it still waits
    gt__file_unlock(gate);
    CHECK_INT(waitpid(pid, &i, 0), pid);
    CHECK_INT(WIFEXITED(i) ? WEXITSTATUS(i) : -1, 11);
    gt__trial_log_close(j, true);
    gt__records_free(&base, &records);
    store_leave();
}

// --- the log itself ---

// heard: so many records are known.
static bool share_claims_after(gt__trial_log *j, const char *config, int heard)
{
    gputune_error error;
    bool won = false;
    CHECK_INT(gt__trial_log_claim(j, config, heard, &won, &error), GPUTUNE_OK);
    return won;
}

static bool share_claims(gt__trial_log *j, const char *config)
{
    return share_claims_after(j, config, gt__len(*j->records));
}

// The first line counts; what is taken back can be claimed again, what was tried cannot; who comes
// later reads what the others have told; the file begins anew only when all have left.
static void test_share_claims(void)
{
    gt__trial_log *a, *b, *c;
    gt__record *ra, *rb, *rc, r = journal_record("two", 2);
    gputune_error error;
    store_enter();
    CHECK_INT(journal_share(true, &a, &ra), GPUTUNE_OK);
    CHECK_INT(journal_share(true, &b, &rb), GPUTUNE_OK);
    CHECK(ra == NULL && rb == NULL);
    CHECK_INT(a->by, 0);
    CHECK_INT(b->by, 1);
    CHECK_INT(journal_open(false, &c, &rc), GPUTUNE_ERROR_LOCKED);
    CHECK(share_claims(a, "one"));
    CHECK(!share_claims(b, "one"));
    CHECK(share_claims(b, "two"));
    CHECK(!share_claims(a, "two"));
    CHECK_INT(gt__trial_log_begin(b, "two", false, &error), GPUTUNE_OK);
    CHECK_INT(gt__trial_log_end(b, &r, &error), GPUTUNE_OK);
    CHECK(!share_claims(a, "two"));
    CHECK(!share_claims_after(a, "two", 0)); // it was read before, and nobody has looked at it
    CHECK_INT(gt__trial_log_load(b, &error), GPUTUNE_OK);
    CHECK(!gt__trial_log_taken(b, 1, "two")); // what was claimed too late is given back
    CHECK_INT(gt__len(ra), 1);
    if (ra) CHECK_TEXT(ra[0].config, "two");
    if (ra) CHECK_INT(ra[0].by, 1);
    gt__trial_log_close(a, true); // takes "one" back
    CHECK(share_claims(b, "one"));
    CHECK_INT(b->done, 1);
    CHECK_INT(journal_share(true, &c, &rc), GPUTUNE_OK);
    CHECK_INT(c->by, 0);
    CHECK_INT(c->done, 1);
    CHECK_INT(gt__len(rc), 1);
    gt__trial_log_close(b, false);
    gt__trial_log_close(c, false);
    gt__records_free(&store_base, &ra);
    gt__records_free(&store_base, &rb);
    gt__records_free(&store_base, &rc);
    CHECK_INT(journal_open(false, &a, &ra), GPUTUNE_OK); // it was done
    CHECK(ra == NULL);
    gt__trial_log_close(a, false);
    CHECK_INT(store_warnings, 0);
    store_leave();
}

// A line that another is writing just now is no damage to who comes as number 0, and is read when
// it is whole.
static void test_share_half(void)
{
    gt__trial_log *a, *b, *c;
    gt__record *ra, *rb, *rc, r = journal_record("one", 2);
    gputune_error error;
    int64_t end;
    char text[1000];
    size_t size;
    store_enter();
    CHECK_INT(journal_share(true, &a, &ra), GPUTUNE_OK);
    CHECK_INT(journal_share(true, &b, &rb), GPUTUNE_OK);
    CHECK(share_claims(b, "one"));
    CHECK_INT(gt__trial_log_begin(b, "one", false, &error), GPUTUNE_OK);
    gt__trial_log_close(a, false);
    end = gt__file_seek(b->file, 0, SEEK_END);
    CHECK_INT(gt__trial_log_end(b, &r, &error), GPUTUNE_OK);
    size = stbds_arrlenu(b->line);
    CHECK(size < sizeof text);
    if (size < sizeof text) memcpy(text, b->line, size);
    CHECK_INT(gt__file_cut(b->file, (uint64_t)end + size / 2), 0);
    CHECK_INT(journal_share(true, &c, &rc), GPUTUNE_OK);
    CHECK_INT(c->by, 0);
    CHECK_INT(gt__len(rc), 0);
    CHECK_INT(gt__file_write(b->file, text + size / 2, size - size / 2), 0);
    CHECK_INT(gt__trial_log_load(c, &error), GPUTUNE_OK);
    CHECK_INT(gt__len(rc), 1);
    CHECK_INT(c->damaged, 0);
    gt__trial_log_close(b, false);
    gt__trial_log_close(c, false);
    gt__records_free(&store_base, &ra);
    gt__records_free(&store_base, &rb);
    gt__records_free(&store_base, &rc);
    CHECK_INT(store_warnings, 0);
    store_leave();
}

// Who dies leaves a claim, a trial and a race: the trial is held against its configuration once,
// whoever looks first, and the claim is free. Its number is the next one's.
static void test_share_dead(void)
{
    gt__trial_log *a, *b, *c;
    gt__record *ra, *rb, *rc;
    gputune_error error;
    pid_t child;
    int i;
    store_enter();
    CHECK_INT(journal_share(true, &a, &ra), GPUTUNE_OK);
    CHECK_INT(journal_share(true, &b, &rb), GPUTUNE_OK);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        gt__file_close(a->held); // or its locks would be the child's, too
        if (journal_share(true, &c, &rc) != GPUTUNE_OK || c->by != 2) _exit(1);
        if (!share_claims(c, "claimed") || !share_claims(c, "begun")) _exit(2);
        gt__trial_log_begin(c, "begun", false, &error);
        kill(getpid(), SIGKILL);
    }
    CHECK_INT(store_status(child), 1000 + SIGKILL);
    CHECK_INT(gt__trial_log_load(b, &error), GPUTUNE_OK); // they are seen
    CHECK(!share_claims(b, "claimed"));
    for (i = 0; i < 2; i++) {
        CHECK_INT(gt__trial_log_check(a, &error), GPUTUNE_OK);
        CHECK_INT(gt__trial_log_check(b, &error), GPUTUNE_OK);
    }
    CHECK_INT(gt__trial_log_load(a, &error), GPUTUNE_OK);
    CHECK_INT(gt__len(ra), 2);
    CHECK_INT(gt__len(rb), 2);
    for (i = 0; i < 2 && gt__len(ra) == 2; i++) {
        const gt__record *r = &ra[i];
        CHECK_INT(r->by, 2);
        CHECK_TEXT(r->config, r->back ? "claimed" : "begun");
        if (!r->back) CHECK_INT(r->result, GPUTUNE_ERROR_CRASHED);
    }
    CHECK(share_claims(b, "claimed"));
    CHECK_INT(journal_share(true, &c, &rc), GPUTUNE_OK);
    CHECK_INT(c->by, 2);
    CHECK_INT(gt__len(rc), 1);
    gt__trial_log_close(a, false);
    gt__trial_log_close(b, false);
    gt__trial_log_close(c, false);
    gt__records_free(&store_base, &ra);
    gt__records_free(&store_base, &rb);
    gt__records_free(&store_base, &rc);
    store_leave();
}

// The file of a dead one's lock is gone: what it had begun is held against its configuration.
static void test_share_no_file(void)
{
    static const char text[] = "gputune journal 1\n";
    gt__trial_log *a;
    gt__record *records, lost;
    char *lines = NULL;
    int i;
    store_enter();
    CHECK_INT(journal_open(false, &a, &records), GPUTUNE_OK); // makes the folder
    gt__trial_log_close(a, false);
    CHECK(gt__text_put(&store_base, &lines, text, sizeof text - 1));
    lost = gt__record_of("lost", 7, false);
    CHECK(gt__put_record(&store_base, &lines, "begin", &lost));
    store_write(journal_file(), lines, (size_t)stbds_arrlen(lines));
    gt__arr_free(&store_base, lines);
    for (i = 0; i < 2; i++) {
        CHECK_INT(journal_share(i == 0, &a, &records), GPUTUNE_OK);
        CHECK_INT(gt__len(records), 1);
        if (records) CHECK_INT(records[0].result, GPUTUNE_ERROR_CRASHED);
        if (records) CHECK_INT(records[0].by, 7);
        gt__records_free(&store_base, &records);
        gt__trial_log_close(a, false);
    }
    store_leave();
}

// --- kernels ---

typedef struct share_second {
    tune_rig r;
    gputune_origin origin;
    const char *board;
    int shown, trials;
    bool beside; // while the first one tunes
} share_second;

static void share_open(tune_rig *r, const char *board)
{
    snprintf(r->replay.limits.board, sizeof r->replay.limits.board, "%s", board);
    tune_open(r);
}

// In the middle of the first one's tuning a kernel of the same name on another device is tuned.
static bool share_damages; // a line of the trial log is damaged before

// Trial logs go once there is an answer. What share_lines counts lies under further links.
static void share_keep(void)
{
    char from[400], to[400];
    struct dirent *entry;
    DIR *folder;
    snprintf(to, sizeof to, "%.90s.kept", tune_store);
    mkdir(to, 0700);
    snprintf(from, sizeof from, "%.90s.journal", tune_store);
    if ((folder = opendir(from)) == NULL) return;
    while ((entry = readdir(folder)) != NULL) {
        snprintf(from, sizeof from, "%.90s.journal/%.250s", tune_store, entry->d_name);
        snprintf(to, sizeof to, "%.90s.kept/%.250s", tune_store, entry->d_name);
        if (entry->d_name[0] != '.') (void)!link(from, to);
    }
    closedir(folder);
}

static bool share_meanwhile(void *user, const gputune_progress *progress)
{
    share_second *second = (share_second *)user;
    const gputune_outcome *o;
    share_keep();
    if (strcmp(progress->phase, "search") != 0 || ++second->shown != 3) return true;
    if (share_damages) {
        char command[200];
        snprintf(command, sizeof command,
                 "for f in '%s.journal/'*.txt; do echo 'end by=1 torn' >>$f; done", tune_store);
        CHECK_INT(system(command), 0);
    }
    share_open(&second->r, second->board);
    CHECK_INT(gputune_run(second->r.kernel, second->r.args, 4), GPUTUNE_OK);
    o = gputune_kernel_outcome(second->r.kernel);
    second->origin = o->origin;
    second->trials = o->trials;
    if (o->origin == GPUTUNE_FROM_TUNING) tune_expect(o, "B=64 U=4");
    share_keep();
    return true;
}

static int share_lines(const char *word)
{
    char command[200];
    FILE *pipe;
    int count = -1;
    share_keep();
    snprintf(command, sizeof command, "cat '%.80s.kept/'* | grep -c '^%s'", tune_store, word);
    pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%d", &count) != 1) count = -1;
    if (pipe) pclose(pipe);
    return count;
}

// On devices that are told apart they share: the second one has what the first has tried, tries the
// rest and answers first. On the same one, or on one that is unknown, it does not measure.
static void test_share_devices(void)
{
    static const char *const boards[][2] = { { "one", "other" }, { "one", "one" }, { "one", "" },
                                             { "", "other" },    { "", "" } };
    int i;
    for (i = 0; i < 5; i++) {
        share_second *second = (share_second *)calloc(1, sizeof *second);
        gputune_outcome o;
        tune_rig r;
        tune_temp();
        tune_rig_init(&second->r, tune_store);
        tune_rig_init(&r, tune_store);
        r.desc.tune.strategy = second->r.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
        r.desc.tune.progress = share_meanwhile;
        r.desc.tune.user = second;
        second->board = boards[i][1];
        share_open(&r, boards[i][0]);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(o.trials, 52);
        CHECK_INT(o.origin, i ? GPUTUNE_FROM_TUNING : GPUTUNE_FROM_STORE);
        CHECK_INT(second->origin, i ? GPUTUNE_FROM_DEFAULT : GPUTUNE_FROM_TUNING);
        CHECK_INT(second->trials, i ? 0 : 52);
        CHECK_INT(share_lines("begin"), i ? 52 : 53); // the default twice
        CHECK(share_lines("done") >= 1); // a first launch ends its log, too
        tune_close(&r);
        tune_close(&second->r);
        free(second);
        tune_clean();
    }
}

// On one device nobody measures beside another, though a line of the trial log was damaged; and
// while a search goes on its answer serves the others.
static void test_share_held(void)
{
    int goes_on, run;
    for (goes_on = 0; goes_on < 2; goes_on++) {
        share_second *second = (share_second *)calloc(1, sizeof *second);
        tune_temp();
        for (run = !goes_on; run < 2; run++) {
            gputune_outcome o;
            tune_rig r;
            tune_rig_init(&r, tune_store);
            r.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
            if (!run) r.desc.tune.budget.seconds = 0.9;
            if (run) {
                tune_rig_init(&second->r, tune_store);
                second->r.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
                second->board = "one";
                r.desc.tune.progress = share_meanwhile;
                r.desc.tune.user = second;
            }
            share_damages = run && !goes_on;
            share_open(&r, "one");
            CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
            CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
            tune_close(&r);
        }
        share_damages = false;
        CHECK_INT(second->origin, goes_on ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_DEFAULT);
        tune_close(&second->r);
        free(second);
        tune_clean();
    }
}

// GPUTUNE=force asks, whoever is still there.
static void test_share_force(void)
{
    gputune_tuner *a, *b, *forced;
    gputune_config config;
    int asked = 0;
    store_enter();
    a = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    b = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    while (test_asks(a, &config))
        gputune_tell(a, &config, (double)gputune_config_int(&config, "A"));
    CHECK_INT(gputune_tuner_best(a, &config), GPUTUNE_OK);
    gputune_tuner_destroy(a);
    setenv("GPUTUNE", "force", 1);
    forced = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    unsetenv("GPUTUNE");
    for (; test_asks(forced, &config); asked++)
        gputune_tell(forced, &config, -(double)gputune_config_int(&config, "A"));
    CHECK_INT(asked, 64);
    CHECK_INT(gputune_tuner_best(forced, &config), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&config, "A"), 64);
    gputune_tuner_destroy(forced);
    gputune_tuner_destroy(b);
    store_leave();
}

// Two who had parted, as what they were told is noisy, are interrupted: the best of all that they
// were told is a third's.
static void test_share_parted_left(void)
{
    gputune_tuner *a, *b, *c;
    gputune_config config;
    int asked = 0, i;
    store_enter();
    a = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    b = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    for (i = 0; i < 5; i++) {
        if (test_asks(a, &config))
            gputune_tell(a, &config, 10.0 + (double)gputune_config_int(&config, "A"));
        if (test_asks(b, &config)) gputune_tell(b, &config, 5);
    }
    CHECK_HAS(store_log, "alone from here on");
    gputune_tuner_destroy(a);
    gputune_tuner_destroy(b);
    c = share_tuner(GPUTUNE_STRATEGY_EXHAUSTIVE);
    for (; test_asks(c, &config); asked++)
        gputune_tell(c, &config, 10.0 + (double)gputune_config_int(&config, "A"));
    CHECK(asked < 64);
    CHECK_INT(gputune_tuner_best(c, &config), GPUTUNE_OK);
    CHECK_NEAR(gputune_tuner_outcome(c)->best_stats.median, 5, 1e-12);
    gputune_tuner_destroy(c);
    store_leave();
}

static int share_further; // each has a further device: 1: that is its own, 2: the next one's
static double share_until;
static tune_rig share_rigs[SHARE_WORKERS];

// Goes on when all have measured their defaults; then a trial takes a millisecond.
static bool share_slowly(void *user, const gputune_progress *progress)
{
    const int self = *(const int *)user;
    if (strcmp(progress->phase, "search") != 0) return true;
    if (!TEST_ADD(share_now->told[self], 1)) share_meet(share_now->told, SHARE_WORKERS);
    share_keep();
    gputune_sleep(0.001);
    return true;
}

// Behind the default's, on a kernel's own device: waits until all further devices have been claimed
// (the trial log has two claims of each kernel) or are known to be another's (each log says so, and
// says it between two trials); until share_until at most. So nobody ends before that.
static void share_trial_on_own(void *user, const gputune_config *config,
                               gputune_replay_trial *trial)
{
    int self = 0, i, alone = 0;
    while (user != &share_rigs[self].world) self++;
    while (share_further == 1 && TEST_GET(share_now->told[self]) &&
           !TEST_GET(share_now->claimed) && gputune_now() < share_until) {
        if (share_lines("claim.config=device") == 2 * SHARE_WORKERS)
            TEST_SET(share_now->claimed, 1);
        gputune_sleep(0.01);
    }
    if (share_further == 2 && TEST_GET(share_now->told[self]) &&
        !TEST_GET(share_now->claimed) && gputune_now() < share_until) {
        if (strstr(share_rigs[self].log.text, "another measures on it"))
            TEST_SET(share_now->alone[self], 1);
        for (i = 0; i < SHARE_WORKERS; i++) alone += TEST_GET(share_now->alone[i]);
        if (alone == SHARE_WORKERS) TEST_SET(share_now->claimed, 1);
        else gputune_sleep(0.5);
    }
    tune_trial(user, config, trial);
}

// One of four kernels, each on a device of its own.
static void *share_kernel(void *number)
{
    int self = *(const int *)number;
    gputune_device *more[2] = { NULL, NULL };
    const gputune_outcome *o;
    char board[8];
    tune_rig *r = &share_rigs[self];
    tune_rig_init(r, store_file);
    if (share_further) {
        gputune_replay_desc further = r->replay;
        snprintf(further.limits.board, sizeof further.limits.board, "%d",
                 share_further == 1 ? SHARE_WORKERS + self : (self + 1) % SHARE_WORKERS);
        r->desc.tune.devices = more;
        more[0] = gputune_replay_device_create(&further);
    }
    r->replay.trial = share_trial_on_own;
    snprintf(board, sizeof board, "%d", self);
    r->desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    r->desc.tune.progress = share_slowly;
    r->desc.tune.user = &self;
    share_open(r, board);
    if (gputune_run(r->kernel, r->args, 4) == GPUTUNE_OK) {
        o = gputune_kernel_outcome(r->kernel);
        share_now->answer[self] = (int)(100 * gputune_config_int(&o->config, "B") +
                                        gputune_config_int(&o->config, "U"));
        share_now->under[self] = (int)o->origin;
    }
    gputune_kernel_destroy(r->kernel);
    gputune_device_destroy(r->device);
    if (more[0]) share_now->tried[self][0] = more[0]->driver.now(more[0]->self) > 0;
    gputune_device_destroy(more[0]);
    TEST_SET(share_now->alone[self], strstr(r->log.text, "another measures on it") != NULL);
    return NULL;
}

// Processes, then threads of one, then such with two devices each: the default apart nothing is
// tried twice, one answers, and the others take that over. A device on which another measures is
// let alone.
static void test_share_kernels(void)
{
    int threads, i, tuned;
    for (threads = 0; threads < 4; threads++) {
        pthread_t thread[SHARE_WORKERS];
        pid_t pids[SHARE_WORKERS];
        int numbers[SHARE_WORKERS];
        store_enter();
        snprintf(tune_store, sizeof tune_store, "%.90s", store_file);
        share_further = threads > 1 ? threads - 1 : 0;
        share_until = gputune_now() + 20 * test_load;
        share_now = (share_board *)mmap(NULL, sizeof *share_now, PROT_READ | PROT_WRITE,
                                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        fflush(stdout);
        for (i = 0; i < SHARE_WORKERS; i++) {
            numbers[i] = i;
            if (threads) {
                CHECK_INT(pthread_create(&thread[i], NULL, share_kernel, &numbers[i]), 0);
            } else if ((pids[i] = fork()) == 0) {
                share_kernel(&numbers[i]);
                _exit(0);
            }
        }
        for (i = tuned = 0; i < SHARE_WORKERS; i++) {
            if (threads)
                CHECK_INT(pthread_join(thread[i], NULL), 0);
            else
                CHECK_INT(store_status(pids[i]), 0);
            CHECK_INT(share_now->answer[i], 6404);
            CHECK_INT(share_now->tried[i][0], threads == 2);
            CHECK_INT(share_now->alone[i], threads == 3);
            tuned += share_now->under[i] == GPUTUNE_FROM_TUNING;
        }
        CHECK_INT(tuned, 1);
        CHECK_INT(share_now->claimed, share_further > 0);
        CHECK_OR(share_lines("begin") == 51 + SHARE_WORKERS, "%d, %d begin", threads,
                 share_lines("begin"));
        CHECK(share_lines("done") >= 1); // a first launch ends its log, too
        share_end();
    }
}

static const test_case share_cases[] = {
    { "held", test_share_held },
    { "force", test_share_force },
    { "parted_left", test_share_parted_left },
    { "four", test_share_four },
    { "hill", test_share_hill },
    { "budget", test_share_budget },
    { "killed", test_share_killed },
    { "stopped", test_share_stopped },
    { "parts", test_share_parts },
    { "left", test_share_left },
    { "late", test_share_late },
    { "again", test_share_again },
    { "answer", test_share_answer },
    { "no_locks", test_share_no_locks },
    { "one_opens", test_share_one_opens },
    { "early", test_share_early },
    { "claims", test_share_claims },
    { "half", test_share_half },
    { "dead", test_share_dead },
    { "no_file", test_share_no_file },
    { "devices", test_share_devices },
    { "kernels", test_share_kernels },
    { NULL, NULL },
};
