// Eight processes live off one store and are killed at any moment, for ten seconds: answers put
// into it, tunings that are resumed by whoever comes next, binaries. Runs when it is named, from
// tests/storm.sh.
#include "test.h"

enum { STORM_WORKERS = 8, STORM_SLOTS = 5, STORM_BINARIES = 3, STORM_TUNED = 1000000000 };

typedef struct storm_worker {
    pid_t pid;
    int pipe;
    int next;               // number of its next put
    int saved[STORM_SLOTS]; // highest acknowledged number of each key, -1: none
    int tuned;              // problems
    int wrong, first_wrong; // reports of what must not be
} storm_worker;

static void storm_report(int pipe, int number)
{
    if (write(pipe, &number, sizeof number) != sizeof number) _exit(0);
}

// Every binary of a number is full of one byte.
static bool storm_binary(int number)
{
    char bytes[5000];
    gputune_binary binary;
    gputune_error error;
    const uint64_t hash = (uint64_t)(number % STORM_BINARIES);
    bool unusable, good = true;
    size_t i;
    memset(bytes, 'a' + number % 26, sizeof bytes);
    memset(&binary, 0, sizeof binary);
    binary.data = bytes;
    binary.bytes = sizeof bytes;
    if (gt__binary_write(&store_base, store_file, hash, &binary, &error) != GPUTUNE_OK)
        return false;
    good = gt__binary_read(&store_base, store_file, hash, &binary, &unusable) && !unusable &&
           binary.bytes == sizeof bytes;
    for (i = 1; i < sizeof bytes && good; i++)
        good = ((char *)binary.data)[i] == ((char *)binary.data)[0];
    gt__free(&store_base, binary.data);
    return good;
}

// Who died in a trial has left it in quarantine, so that another may be the best.
static bool storm_tune(int worker, int problem)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    gputune_result result;
    char name[32], problem_text[32];
    bool good = true;
    memset(&desc, 0, sizeof desc);
    snprintf(name, sizeof name, "storm%d", worker);
    snprintf(problem_text, sizeof problem_text, "p=%d", problem);
    desc.space.params = faults_params;
    desc.name = name;
    desc.tune.problem = problem_text;
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.space.options.store = store_file;
    desc.space.options.log = store_log_fn;
    tuner = gputune_tuner_create(&desc);
    while (test_asks(tuner, &config))
        good = good && gputune_tell(tuner, &config, 1) == GPUTUNE_OK;
    result = gputune_tuner_best(tuner, &config);
    good = good && (result == GPUTUNE_OK || result == GPUTUNE_ERROR_EMPTY_SPACE);
    gputune_tuner_destroy(tuner);
    return good && !strstr(store_log, "damaged") && !strstr(store_log, "without a trial log");
}

static void storm_work(int worker, const storm_worker *w, int pipe)
{
    gt__store *store = store_open();
    int number = w->next, problem = w->tuned;
    double end = gputune_now() + 30;
    if (store_warnings) storm_report(pipe, -1);
    for (; gputune_now() < end; number++) {
        char name[32], slot[32];
        gputune_result result;
        snprintf(name, sizeof name, "worker%d", worker);
        snprintf(slot, sizeof slot, "slot=%d", number % STORM_SLOTS);
        store_quiet();
        result = store_put(store, name, slot, number);
        if (result == GPUTUNE_OK) storm_report(pipe, number);
        if (result != GPUTUNE_OK && result != GPUTUNE_ERROR_LOCKED) storm_report(pipe, -2);
        if (!storm_binary(number)) storm_report(pipe, -3);
        if (number % 4) continue;
        storm_report(pipe, storm_tune(worker, problem) ? STORM_TUNED + problem : -4);
        problem++;
    }
    _exit(0);
}

static void storm_start(storm_worker *w, int worker)
{
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    w->pipe = ends[0];
    fflush(stdout);
    w->pid = fork();
    if (w->pid == 0) storm_work(worker, w, ends[1]);
    close(ends[1]);
    w->next += 100000; // the next one's numbers are larger than all of this one's
}

// Returns how many puts it had acknowledged.
static int storm_kill(storm_worker *w)
{
    int number, count = 0;
    kill(w->pid, SIGKILL);
    CHECK_INT(store_status(w->pid), 1000 + SIGKILL);
    while (read(w->pipe, &number, sizeof number) == sizeof number) {
        if (number < 0 && !w->wrong++) w->first_wrong = number;
        if (number >= STORM_TUNED) w->tuned = number - STORM_TUNED + 1;
        if (number < 0 || number >= STORM_TUNED) continue;
        w->saved[number % STORM_SLOTS] = number;
        count++;
    }
    close(w->pipe);
    return count;
}

static void test_storm_kill(void)
{
    storm_worker workers[STORM_WORKERS];
    gt__store *store;
    uint64_t state = 11;
    const double begin = gputune_now();
    int i, slot, saved = 0, tuned = 0, kills = 0;
    store_enter();
    memset(workers, 0, sizeof workers);
    for (i = 0; i < STORM_WORKERS; i++) {
        for (slot = 0; slot < STORM_SLOTS; slot++) workers[i].saved[slot] = -1;
        storm_start(&workers[i], i);
    }
    for (; gputune_now() - begin < 10; kills++) {
        gputune_sleep(0.04 * gt__random_unit(&state));
        i = (int)gt__random_below(&state, STORM_WORKERS);
        saved += storm_kill(&workers[i]);
        storm_start(&workers[i], i);
    }
    for (i = 0; i < STORM_WORKERS; i++) saved += storm_kill(&workers[i]);
    store_quiet();
    store = store_open();
    CHECK_OR(store_warnings == 0, "%s", store_log);
    for (i = 0; i < STORM_WORKERS; i++) {
        char name[32], text[32];
        CHECK_OR(!workers[i].wrong, "worker %d: %d reports, the first is %d", i, workers[i].wrong,
                 workers[i].first_wrong);
        snprintf(name, sizeof name, "worker%d", i);
        for (slot = 0; slot < STORM_SLOTS; slot++) {
            snprintf(text, sizeof text, "slot=%d", slot);
            CHECK_OR(store_value(store, name, text) >= workers[i].saved[slot],
                     "%s %s: %g, but %d was saved", name, text, store_value(store, name, text),
                     workers[i].saved[slot]);
        }
        tuned += workers[i].tuned;
        CHECK(storm_tune(i, workers[i].tuned)); // where the last one died
        CHECK(storm_binary(i));
    }
    CHECK_INT(store_put(store, "last", "n=1", 1), GPUTUNE_OK);
    CHECK(!store_exists(store_beside(".tmp")));
    gt__store_close(store);
    printf("    %d kills, %d answers, %d tunings\n", kills, saved, tuned);
    CHECK(saved >= 20 && kills >= 20 && tuned > 0);
    store_leave();
}

static const test_case storm_cases[] = {
    { "kill", test_storm_kill },
    { NULL, NULL },
};
