// Whole scenarios while the system says no: every call of every kind fails once, in turn. Whatever
// fails, the old or the new is there, whole, and the result or a warning says which.
#include "test.h"

// --- what fails, in turn ---

typedef struct faults_scenario {
    void (*prepare)(void);
    int (*run)(void); // its outcome is given to check
    void (*check)(int outcome, const char *where);
} faults_scenario;

// Counts by kind how many calls there were to fail.
static void faults_sweep(const faults_scenario *s, int *calls)
{
    int kind, k, outcome;
    bool failed;
    for (kind = 0; kind < FAULT_CALLS; kind++) {
        for (k = 1, failed = true; failed && k < 500; k++) {
            char where[64];
            s->prepare();
            store_quiet();
            fault_arm((fault_call)kind, k, kind == FAULT_WRITE ? ENOSPC : EIO);
            outcome = s->run();
            failed = fault_disarm();
            snprintf(where, sizeof where, "%s %d", fault_names[kind], k);
            s->check(outcome, where);
            calls[kind] += failed;
        }
        CHECK(k < 500);
    }
}

// Of these kinds some call must have failed, or the scenario was none.
static void faults_expect(const int *calls, const fault_call *kinds, int count)
{
    int i;
    for (i = 0; i < count; i++)
        CHECK_OR(calls[kinds[i]] > 0, "%s was never called", fault_names[kinds[i]]);
}

// What the program left half done beside the store; unlink itself may have failed.
static void faults_expect_tidy(const char *folder, const char *where)
{
    struct dirent *entry;
    DIR *list = opendir(folder);
    while (list && (entry = readdir(list)) != NULL)
        CHECK_OR(!strstr(entry->d_name, ".tmp") || strstr(where, "unlink"), "%s: %s is left", where,
                 entry->d_name);
    if (list) closedir(list);
}

// --- one answer is put into a store of a thousand ---

enum { FAULTS_ENTRIES = 1000 };

static char *faults_text; // the store before
static bool faults_store_there;

static void faults_put_prepare(void)
{
    unlink(store_beside(".lock"));
    unlink(store_beside(".tmp"));
    if (faults_store_there)
        store_write(store_file, faults_text, (size_t)stbds_arrlen(faults_text));
    else
        store_remove(store_folder); // made again, with those above it
}

static int faults_put_run(void)
{
    gt__store *store = store_open();
    const gputune_result result = store_put(store, "new", "n=1", 9);
    const bool there = store_value(store, "new", "n=1") == 9;
    gt__store_close(store);
    return (int)result * 2 + there;
}

static void faults_put_check(int outcome, const char *where)
{
    gt__store *store;
    int i, right = 0;
    const bool ok = outcome / 2 == GPUTUNE_OK;
    CHECK_OR(ok || outcome / 2 == GPUTUNE_ERROR_FILE, "%s: result %d", where, outcome / 2);
    CHECK_OR(ok == (outcome % 2 == 1), "%s: memory and result differ", where);
    CHECK_OR(!ok || strcmp(where, "fsync 1") != 0, "%s: said to be saved", where);
    store_quiet();
    store = store_open();
    for (i = 0; i < FAULTS_ENTRIES && faults_store_there; i++) {
        char name[32];
        snprintf(name, sizeof name, "k%d", i);
        right += store_value(store, name, "n=1") == i;
    }
    CHECK_OR(right == (faults_store_there ? FAULTS_ENTRIES : 0), "%s: %d entries", where, right);
    CHECK_OR((store_value(store, "new", "n=1") == 9) == ok, "%s: result %d, and the file has it %d",
             where, outcome / 2, !ok);
    CHECK_OR(store_warnings == 0, "%s: %s", where, store_log);
    gt__store_close(store);
    faults_expect_tidy(store_folder, where);
}

static void test_faults_put(void)
{
    static const fault_call kinds[] = { FAULT_OPEN, FAULT_OPENAT, FAULT_READ, FAULT_WRITE,
                                        FAULT_HALF_WRITE, FAULT_FSYNC, FAULT_FLOCK, FAULT_CLOSE,
                                        FAULT_RENAME, FAULT_UNLINK };
    const faults_scenario put = { faults_put_prepare, faults_put_run, faults_put_check };
    int calls[FAULT_CALLS] = { 0 }, i;
    store_enter();
    gt__text_add(&store_base, &faults_text, "gputune store 1\n");
    for (i = 0; i < FAULTS_ENTRIES; i++) {
        char name[32];
        snprintf(name, sizeof name, "k%d", i);
        store_line(&faults_text, name, i);
    }
    faults_store_there = true;
    faults_sweep(&put, calls);
    faults_expect(calls, kinds, 10);
    CHECK_INT(calls[FAULT_MKDIR], 0);
    faults_store_there = false;
    faults_sweep(&put, calls);
    CHECK(calls[FAULT_MKDIR] > 0);
    gt__arr_free(&store_base, faults_text);
    faults_text = NULL;
    store_leave();
}

// --- a tuning, from nothing and resumed ---

static const gputune_param faults_params[] = { { "A", "set 1,2,4,8", "1" }, { NULL, NULL, NULL } };

static char *faults_log; // of a tuning that died: two trials that ended, one that did not
static size_t faults_log_size;
static char faults_log_path[256];

// Tunes until it is over, or until a trial is to be the last. A of the best, 0: none, -1: an error.
static int faults_tune(int last)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    int best = -1;
    memset(&desc, 0, sizeof desc);
    desc.space.params = faults_params;
    desc.name = "faults";
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.space.options.store = store_file;
    desc.space.options.log = store_log_fn;
    tuner = gputune_tuner_create(&desc);
    while (test_asks(tuner, &config)) {
        const int a = (int)gputune_config_int(&config, "A");
        if (a == last) kill(getpid(), SIGKILL);
        if (gputune_tell(tuner, &config, a == 2 ? 1 : a + 2) != GPUTUNE_OK) best = -2;
    }
    if (best == -1 && gputune_tuner_best(tuner, &config) == GPUTUNE_OK)
        best = (int)gputune_config_int(&config, "A");
    gputune_tuner_destroy(tuner);
    return best;
}

static int faults_tune_run(void) { return faults_tune(0); }

static void faults_tune_prepare(void)
{
    store_remove(store_folder);
    mkdir(store_folder, 0700);
    if (!faults_log) return;
    mkdir(store_beside(".journal"), 0700);
    store_write(faults_log_path, faults_log, faults_log_size);
}

static void faults_tune_check(int outcome, const char *where)
{
    const bool said = store_warnings > (faults_log != NULL); // resuming names the one that died
    bool saved;
    CHECK_OR(outcome == 2, "%s: the answer is %d", where, outcome);
    saved = store_exists(store_file) && store_lines() == 1;
    CHECK_OR(saved || said, "%s: not saved, and nobody said so", where);
    if (faults_log && !saved) { // what was known is not lost
        CHECK(store_read(faults_log_path));
        CHECK_OR(strstr(store_bytes, "\nend\tconfig=A=2") != NULL, "%s: no trial left", where);
    }
    faults_expect_tidy(store_folder, where);
    store_quiet();
    CHECK_OR(faults_tune(0) == 2, "%s: another answer later", where);
    CHECK_OR(store_lines() == 1, "%s: not saved later", where);
    CHECK_OR(store_warnings <= (faults_log != NULL && !saved), "%s: %s", where, store_log);
    CHECK_OR(!strstr(store_log, "damaged") && !strstr(store_log, "not a"), "%s: %s", where,
             store_log);
}

static const faults_scenario faults_tuning = { faults_tune_prepare, faults_tune_run,
                                               faults_tune_check };

static void test_faults_tune(void)
{
    static const fault_call kinds[] = { FAULT_OPEN, FAULT_OPENAT, FAULT_WRITE, FAULT_HALF_WRITE,
                                        FAULT_FSYNC, FAULT_FLOCK, FAULT_CLOSE, FAULT_RENAME,
                                        FAULT_MKDIR, FAULT_FTRUNCATE };
    int calls[FAULT_CALLS] = { 0 };
    store_enter();
    faults_sweep(&faults_tuning, calls);
    faults_expect(calls, kinds, 10);
    store_leave();
}

static void test_faults_resume(void)
{
    static const fault_call kinds[] = { FAULT_OPEN, FAULT_OPENAT, FAULT_READ, FAULT_WRITE,
                                        FAULT_HALF_WRITE, FAULT_FSYNC, FAULT_FLOCK, FAULT_CLOSE,
                                        FAULT_RENAME };
    int calls[FAULT_CALLS] = { 0 };
    struct dirent *entry;
    DIR *folder;
    pid_t child;
    store_enter();
    fflush(stdout);
    child = fork();
    if (child == 0) faults_tune(4);
    CHECK_INT(store_status(child), 1000 + SIGKILL);
    folder = opendir(store_beside(".journal"));
    CHECK(folder != NULL);
    while (folder && (entry = readdir(folder)) != NULL)
        if (strlen(entry->d_name) > 4 && !strcmp(strrchr(entry->d_name, '.'), ".txt"))
            snprintf(faults_log_path, sizeof faults_log_path, "%s.journal/%.90s", store_file,
                     entry->d_name);
    if (folder) closedir(folder);
    CHECK(store_read(faults_log_path));
    faults_log_size = store_size;
    faults_log = (char *)malloc(store_size);
    memcpy(faults_log, store_bytes, store_size);
    faults_sweep(&faults_tuning, calls);
    faults_expect(calls, kinds, 9);
    free(faults_log);
    faults_log = NULL;
    store_leave();
}

// --- binaries ---

static const char *faults_binary_new;

static void faults_binary_prepare(void)
{
    store_remove(store_beside(".binaries"));
    if (faults_binary_new[0] == 'n') CHECK(store_binary("old", GPUTUNE_OK));
}

// 1: written, 2: and read; 4: something else was read.
static int faults_binary_run(void)
{
    gputune_binary binary;
    bool unusable;
    const bool written = store_binary(faults_binary_new, GPUTUNE_OK);
    const bool read = gt__binary_read(&store_base, store_file, 7, &binary, &unusable);
    const char *text = (const char *)binary.data;
    const bool wrong = read && strcmp(text, written ? faults_binary_new : "old") != 0;
    gt__free(&store_base, binary.data);
    return written + 2 * read + 4 * wrong;
}

static void faults_binary_check(int outcome, const char *where)
{
    const char *expected = outcome & 1 ? faults_binary_new : "old";
    CHECK_OR(outcome < 4, "%s: a wrong one is read", where);
    if (!(outcome & 1) && faults_binary_new[0] != 'n') expected = NULL;
    CHECK_OR(store_binary_is(expected, false), "%s: not %s", where, expected ? expected : "none");
    faults_expect_tidy(store_beside(".binaries"), where);
}

static void test_faults_binaries(void)
{
    static const fault_call kinds[] = { FAULT_OPEN, FAULT_OPENAT, FAULT_READ, FAULT_WRITE,
                                        FAULT_HALF_WRITE, FAULT_FSYNC, FAULT_CLOSE, FAULT_RENAME,
                                        FAULT_MKDIR };
    const faults_scenario binaries = { faults_binary_prepare, faults_binary_run,
                                       faults_binary_check };
    int calls[FAULT_CALLS] = { 0 };
    store_enter();
    faults_binary_new = "new"; // in place of another
    faults_sweep(&binaries, calls);
    faults_binary_new = "first";
    faults_sweep(&binaries, calls);
    faults_expect(calls, kinds, 9);
    store_leave();
}

static const test_case faults_cases[] = {
    { "put", test_faults_put },
    { "tune", test_faults_tune },
    { "resume", test_faults_resume },
    { "binaries", test_faults_binaries },
    { NULL, NULL },
};
