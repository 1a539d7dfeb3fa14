// The store of answers and the journal of trials: what survives damage, crashes, full disks and
// other processes.
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// --- the world of one case: a folder, a log, an allocator that can fail ---

static char store_folder[96], store_file[128];
static gt__base store_base;
static int store_warnings;
static char store_log[4096]; // all messages of warning and error
static long store_blocks;    // allocated and not freed
static long store_countdown; // allocations until one fails; < 0: never
static bool store_once;      // only that one, not all behind it
static size_t store_largest; // allocation

static void *store_reallocate(void *user, void *memory, size_t bytes)
{
    void *result;
    (void)user;
    if (bytes == 0) {
        if (memory) store_blocks--;
        free(memory);
        return NULL;
    }
    if (store_countdown == 0) {
        if (store_once) store_countdown = -1;
        return NULL;
    }
    if (store_countdown > 0) store_countdown--;
    if (bytes > store_largest) store_largest = bytes;
    result = realloc(memory, bytes);
    if (result && !memory) store_blocks++;
    return result;
}

static void store_log_fn(void *user, gputune_log_level level, const char *message)
{
    size_t length = strlen(store_log);
    (void)user;
    if (level > GPUTUNE_LOG_WARN) return;
    store_warnings++;
    snprintf(store_log + length, sizeof store_log - length, "%s\n", message);
}

static void store_quiet(void)
{
    store_warnings = 0;
    store_log[0] = 0;
}

static void store_remove(const char *path)
{
    struct dirent *entry;
    DIR *folder;
    if (unlink(path) == 0) return;
    folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL) {
        char child[512];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(child, sizeof child, "%.200s/%.255s", path, entry->d_name);
        store_remove(child);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

// In memory where that is possible: the cases save thousands of times, and each time is an fsync.
static void store_enter(void)
{
    const char *places[] = { getenv("TEST_FOLDER"), "/dev/shm", getenv("TMPDIR"), "/tmp" };
    bool made = false;
    int i;
    for (i = 0; i < 4 && !made; i++) {
        if (!places[i] || strlen(places[i]) + 24 > sizeof store_folder) continue;
        snprintf(store_folder, sizeof store_folder, "%s/gputune-store-XXXXXX", places[i]);
        made = mkdtemp(store_folder) != NULL;
    }
    CHECK(made);
    snprintf(store_file, sizeof store_file, "%s/store.txt", store_folder);
    memset(&store_base, 0, sizeof store_base);
    store_base.reallocate = store_reallocate;
    store_base.log = store_log_fn;
    store_base.level = GPUTUNE_LOG_DEBUG;
    store_blocks = 0;
    store_countdown = -1;
    store_once = false;
    store_quiet();
}

static void store_leave(void)
{
    CHECK_INT(store_blocks, 0);
    store_remove(store_folder);
}

// --- files ---

static char store_bytes[1 << 20]; // what store_read read
static size_t store_size;

static bool store_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    store_size = file ? fread(store_bytes, 1, sizeof store_bytes - 1, file) : 0;
    store_bytes[store_size] = 0;
    if (file) fclose(file);
    return file != NULL;
}

static void store_write(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL);
    if (!file) return;
    CHECK_INT(fwrite(data, 1, size, file), size);
    CHECK_INT(fclose(file), 0);
}

// How many lines of entries the store's file has.
static int store_lines(void)
{
    const char *at;
    int count = 0;
    CHECK(store_read(store_file));
    for (at = store_bytes; (at = strstr(at, "\nanswer\t")) != NULL; at++) count++;
    return count;
}

static const char *store_beside(const char *suffix) // "store.txt" + suffix
{
    static char path[200];
    snprintf(path, sizeof path, "%s%s", store_file, suffix);
    return path;
}

static bool store_exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

// --- entries ---

static gt__entry store_entry(const char *name, const char *problem, double value)
{
    gt__entry e;
    memset(&e, 0, sizeof e);
    e.key.name = name;
    e.key.api = "opencl";
    e.key.device = "NVIDIA H200";
    e.key.driver = "580.1";
    e.key.source = UINT64_C(0x0123456789abcdef);
    e.key.space = UINT64_C(0xfedcba9876543210);
    e.key.problem = problem;
    e.config = "BLOCK=256 ITEMS=4";
    e.value = value;
    e.default_value = 2 * value;
    e.trials = 7;
    return e;
}

static gputune_result store_put(gt__store *store, const char *name, const char *problem,
                                double value)
{
    gt__entry e = store_entry(name, problem, value);
    gputune_error error;
    return gt__store_put(store, &e.key, &e, &error);
}

static gt__store *store_open(void)
{
    return gt__store_open(&store_base, store_file);
}

static const gt__entry *store_exact(const gt__store *store, const gt__key *key)
{
    bool exact;
    char why[64];
    const gt__entry *e = gt__store_find(store, key, &exact, why, sizeof why);
    return exact ? e : NULL;
}

// The value stored under a name and problem, -1 if none.
static double store_value(const gt__store *store, const char *name, const char *problem)
{
    gt__entry wanted = store_entry(name, problem, 0);
    const gt__entry *e = store_exact(store, &wanted.key);
    return e ? e->value : -1;
}

// --- numbers ---

static void test_store_numbers(void)
{
    const struct {
        double value;
        const char *text;
    } table[] = {
        { 0, "0" }, { 1, "1" }, { 10, "10" }, { 12.5, "12.5" }, { 125000, "125000" },
        { 0.1, "0.1" }, { 0.3, "0.3" }, { 0.00125, "0.00125" }, { 1e-4, "0.0001" },
        { 1.25e-5, "1.25e-05" }, { 9e-5, "9e-05" }, { 1e-7, "1e-07" }, { 1e-9, "1e-09" },
        { 1.0 / 3, "0.3333333333333333" }, { 99999999999999.0, "99999999999999" },
        { 1e14, "100000000000000" }, { 1e300, "1e+300" }, { -3.5, "-3.5" },
        { HUGE_VAL, "inf" }, { -HUGE_VAL, "-inf" }, { 0.1 + 0.2, "0.30000000000000004" },
    };
    uint64_t state = 1;
    char text[40], printed[40];
    double back;
    size_t i;
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        gt__number_text(table[i].value, text);
        CHECK_TEXT(text, table[i].text);
        CHECK(gt__number_parse(text, &back));
        CHECK(memcmp(&back, &table[i].value, sizeof back) == 0);
    }
    for (i = 0; i < 200000; i++) { // of any size; half of them with few digits
        double value = pow(10, -12 + 30 * gt__random_unit(&state));
        if (i & 1) {
            snprintf(printed, sizeof printed, "%.*g", 1 + (int)(i % 17), value);
            value = strtod(printed, NULL);
        }
        gt__number_text(value, text);
        CHECK_OR(gt__number_parse(text, &back) && back == value &&
                     strtod(text, NULL) == value,
                 "%.17g became %s and then %.17g", value, text, back);
        snprintf(printed, sizeof printed, "%.15g", value);
        CHECK_OR(strtod(printed, NULL) != value || strlen(text) <= strlen(printed),
                 "%s is longer than %s", text, printed);
    }
    CHECK(!gt__number_parse("", &back));
    CHECK(!gt__number_parse(".", &back));
    CHECK(!gt__number_parse("1e", &back));
    CHECK(!gt__number_parse("1.2.3", &back));
    CHECK(!gt__number_parse("1x", &back));
    CHECK(gt__number_parse("nan", &back) && gt__is_nan(back));
}

// In a locale with a decimal comma the files look the same.
static void test_store_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8",
                                         "ps_AF.UTF-8", NULL };
    static const double values[] = { 1.5e-12, 2.0 / 3e9, 0.1,       1.0 / 3, 123456789.0 / 1024,
                                     -3.5,    1e300,     5e-324, 1e14 + 0.5, -0.1 };
    char text[40];
    double back;
    int i;
    size_t k;
    for (i = 0; names[i] && !setlocale(LC_NUMERIC, names[i]); i++) {}
    if (!names[i]) SKIP("no locale with a decimal comma is installed");
    for (k = 0; k < sizeof values / sizeof *values; k++) {
        gt__number_text(values[k], text);
        CHECK(!strchr(text, ','));
        CHECK(gt__number_parse(text, &back) && back == values[k]);
    }
    setlocale(LC_NUMERIC, "C");
}

// --- the store: reading and writing ---

static void test_store_round_trip(void)
{
    static const char *const nasty[] = {
        "", " ", "a\tb", "a\nb\r\n", "100%", "%09", "%", "%zz", "na\xc3\xafve \xe2\x82\xac", "=",
        "a=b=c", "\x01\x1f\x7f", "check=00000000", "trailing ", "#", "\\n \"quoted\" 'x'",
        "\xff\xfe" };
    size_t i, count = sizeof nasty / sizeof *nasty;
    gt__store *store;
    gputune_error error;
    store_enter();
    store = store_open();
    for (i = 0; i < count; i++) {
        gt__entry e = store_entry(nasty[i], nasty[(i + 1) % count], 1.0 / (double)(i + 3));
        e.key.api = nasty[(i + 2) % count];
        e.key.device = nasty[(i + 3) % count];
        e.key.driver = nasty[(i + 4) % count];
        e.config = nasty[(i + 5) % count];
        CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
    }
    gt__store_close(store);
    store = store_open();
    CHECK_INT(store_lines(), count);
    CHECK_INT(store_warnings, 0);
    for (i = 0; i < count; i++) {
        gt__entry e = store_entry(nasty[i], nasty[(i + 1) % count], 0);
        const gt__entry *found;
        e.key.api = nasty[(i + 2) % count];
        e.key.device = nasty[(i + 3) % count];
        e.key.driver = nasty[(i + 4) % count];
        found = store_exact(store, &e.key);
        CHECK(found != NULL);
        if (!found) continue;
        CHECK_TEXT(found->config, nasty[(i + 5) % count]);
        CHECK(found->value == test_double(1.0 / (double)(i + 3)));
        CHECK(found->default_value == test_double(2.0 / (double)(i + 3)));
        CHECK_INT(found->trials, 7);
    }
    gt__store_close(store);
    store_leave();
}

// The format is a promise; see also the manual.
static void test_store_format(void)
{
    gt__entry e = store_entry("saxpy", "n=2^20", 1.25e-5);
    gt__store *store;
    gputune_error error;
    store_enter();
    store = store_open();
    e.key.options = 0xa1;
    e.classes = "+00000000000000c1";
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
    store_read(store_file);
    CHECK_TEXT(store_bytes,
               "gputune store 1\n"
               "answer\tname=saxpy\tapi=opencl\tdevice=NVIDIA H200\tdriver=580.1\t"
               "source=0123456789abcdef\tspace=fedcba9876543210\toptions=00000000000000a1\t"
               "launch=0000000000000000\trules=0000000000000000\tproblem=n=2^20\t"
               "config=BLOCK=256 ITEMS=4\tvalue=1.25e-05\tdefault=2.5e-05\ttrials=7\t"
               "more=0\tseconds=0\titems=0\tmembers=0000000000000000\t"
               "classes=+00000000000000c1\tcheck=fbad57b2\n");
    gt__store_close(store);
    store = store_open();
    CHECK(store_exact(store, &e.key) && store_exact(store, &e.key)->value == 1.25e-5);
    e.default_value = HUGE_VAL;
    e.key.problem = "";
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
    CHECK(store_exact(store, &e.key) != NULL);
    CHECK(store_exact(store, &e.key)->default_value == HUGE_VAL);
    gt__store_close(store);
    store_leave();
}

// A field that is no longer written is read over.
static void test_store_field_gone(void)
{
    gt__entry e = store_entry("saxpy", "n=2^20", 1.25e-5);
    char *line = NULL, *old = NULL, *at;
    const gt__entry *found;
    gt__store *store;
    gputune_error error;
    e.seconds = 3;
    e.items = 1024;
    store_enter();
    gt__text_add(&store_base, &old, "gputune store 1\n");
    CHECK(gt__put_line(&store_base, &line, "answer", gt__entry_fields, GT__ENTRY_FIELDS, &e));
    at = strstr(line, "\titems=");
    CHECK(at != NULL && strstr(at, GT__CHECK) != NULL);
    *strstr(at, GT__CHECK) = 0;
    gt__text_add(&store_base, &old, "%.*s\tleft=0.25%s", (int)(at - line), line, at);
    CHECK(gt__put_check(&store_base, &old, strlen("gputune store 1\n")));
    store_write(store_file, old, strlen(old));
    store = store_open();
    found = store_exact(store, &e.key);
    CHECK(found != NULL);
    if (found) {
        CHECK_NEAR(found->seconds, 3, 0);
        CHECK_NEAR(found->items, 1024, 0);
        CHECK_TEXT(found->config, e.config);
    }
    e.value = 1e-5;
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK); // takes its place
    CHECK(store_read(store_file));
    CHECK(strstr(store_bytes, "left=") == NULL);
    CHECK_INT(store_lines(), 1);
    gt__store_close(store);
    gt__arr_free(&store_base, line);
    gt__arr_free(&store_base, old);
    store_leave();
}

// A line of version 0.2 is a start for a search. It is no answer, and it stays in the file.
static void test_store_old_version(void)
{
    static const char old[] =
        "gputune store 1\n"
        "entry\tname=saxpy\tapi=opencl\tdevice=NVIDIA H200\tdriver=580.1\t"
        "source=0123456789abcdef\tspace=fedcba9876543210\tproblem=n=2^20\t"
        "config=BLOCK=256 ITEMS=4\tvalue=1.25e-05\tdefault=2.5e-05\ttrials=7\t"
        "date=2025-11-21T07:00:00Z\tmore=0\tcheck=ad5f4e30\n";
    gt__entry e = store_entry("saxpy", "n=2^20", 3);
    const gt__entry *found;
    gt__store *store;
    gputune_error error;
    char why[100];
    bool exact;
    store_enter();
    store_write(store_file, old, strlen(old));
    store = store_open();
    CHECK_INT(store_warnings, 0);
    found = gt__store_find(store, &e.key, &exact, why, sizeof why);
    CHECK(found && !exact && found->value == 1.25e-5);
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
    CHECK(store_exact(store, &e.key) && store_exact(store, &e.key)->value == 3);
    CHECK_INT(gt__store_put(store, &e.key, NULL, &error), GPUTUNE_OK);
    CHECK(store_exact(store, &e.key) == NULL);
    store_read(store_file);
    CHECK_TEXT(store_bytes, old);
    gt__store_close(store);
    store_leave();
}

// Appends the line of an entry to text.
static void store_line(char **text, const char *name, double value)
{
    gt__entry e = store_entry(name, "n=1", value);
    CHECK(gt__put_line(&store_base, text, "answer", gt__entry_fields,
                       GT__ENTRY_FIELDS, &e));
}

// Comments, blank lines, damaged lines and those of later versions stay, byte for byte and at
// their place; so do other entries. A changed one goes to the end like a new one.
static void test_store_lines_kept(void)
{
    char *text = NULL, *expected = NULL;
    gt__base *b = &store_base;
    gt__store *store;
    size_t begin;
    int round;
    store_enter();
    for (round = 0; round < 2; round++) {
        char **to = round ? &expected : &text;
        gt__text_add(b, to, "# my answers\r\n\ngputune store 1\r\n");
        store_line(to, "one", 1);
        begin = (size_t)stbds_arrlen(*to);
        gt__text_add(b, to, "forest\tname=later\tdepth=3");
        gt__put_check(b, to, begin);
        gt__text_add(b, to, "answer\tname=hand\tconfig=A=1\tcheck=00000000\n   \n#\t\n");
        if (!round) store_line(to, "two", 2);
        gt__text_put(b, to, "\0\0\xff\n", 4);
        store_line(to, "three", 3);
        stbds_arrsetlen(*to, stbds_arrlen(*to) - 1); // CRLF
        gt__text_add(b, to, "\r\ntorn%s", round ? "\n" : "");
    }
    store_line(&expected, "two", 22);
    store_line(&expected, "four", 4);
    store_write(store_file, text, (size_t)stbds_arrlen(text));
    store = store_open();
    CHECK_HAS(store_log, "4 damaged lines skipped");
    CHECK_INT(store_warnings, 1);
    CHECK(store_value(store, "one", "n=1") == 1);
    CHECK(store_value(store, "two", "n=1") == 2);
    CHECK(store_value(store, "three", "n=1") == 3);
    CHECK(store_value(store, "hand", "n=1") == -1);
    CHECK_INT(store_put(store, "two", "n=1", 22), GPUTUNE_OK);
    CHECK(store_value(store, "two", "n=1") == 22);
    CHECK_INT(store_put(store, "four", "n=1", 4), GPUTUNE_OK);
    store_read(store_file);
    CHECK(store_size == (size_t)stbds_arrlen(expected) &&
          memcmp(store_bytes, expected, store_size) == 0);
    gt__store_close(store);
    gt__arr_free(b, text);
    gt__arr_free(b, expected);
    store_leave();
}

// Two files put together by hand: the later line counts, the earlier one goes at the next change.
static void test_store_twice(void)
{
    char *text = NULL;
    gt__store *store;
    gt__entry e;
    gputune_error error;
    store_enter();
    gt__text_add(&store_base, &text, "gputune store 1\n");
    store_line(&text, "same", 1);
    store_line(&text, "other", 5);
    store_line(&text, "same", 2);
    store_write(store_file, text, (size_t)stbds_arrlen(text));
    gt__arr_free(&store_base, text);
    store = store_open();
    CHECK(store_value(store, "same", "n=1") == 2);
    e = store_entry("same", "n=1", 0);
    CHECK_INT(gt__store_put(store, &e.key, NULL, &error), GPUTUNE_OK);
    CHECK(store_value(store, "same", "n=1") == -1);
    CHECK(store_value(store, "other", "n=1") == 5);
    gt__store_close(store);
    store_leave();
}

static void test_store_evict(void)
{
    gt__entry e;
    gt__store *store, *other;
    gputune_error error;
    store_enter();
    store = store_open();
    CHECK_INT(store_put(store, "a", "n=1", 1), GPUTUNE_OK);
    CHECK_INT(store_put(store, "b", "n=1", 2), GPUTUNE_OK);
    other = store_open();
    e = store_entry("a", "n=1", 0);
    CHECK_INT(gt__store_put(store, &e.key, NULL, &error), GPUTUNE_OK);
    CHECK_INT(gt__store_put(store, &e.key, NULL, &error), GPUTUNE_OK); // not there: fine
    CHECK(store_value(store, "a", "n=1") == -1);
    CHECK(store_value(store, "b", "n=1") == 2);
    CHECK(store_value(other, "a", "n=1") == 1); // as it was opened
    CHECK_INT(store_put(other, "c", "n=1", 3), GPUTUNE_OK);
    CHECK(store_value(other, "a", "n=1") == -1); // read again
    gt__store_close(store);
    gt__store_close(other);
    store = store_open();
    CHECK_INT(store_lines(), 2);
    // the key may be one that the store itself gave out
    e = store_entry("b", "n=1", 0);
    CHECK_INT(gt__store_put(store, &store_exact(store, &e.key)->key, NULL, &error),
              GPUTUNE_OK);
    CHECK(store_value(store, "b", "n=1") == -1);
    gt__store_close(store);
    store_leave();
}

// Two stores of one file, as in two processes, without a lock held between: nothing is lost.
static void test_store_merge(void)
{
    gt__store *one, *two;
    int i;
    char name[16];
    store_enter();
    one = store_open();
    two = store_open();
    for (i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "k%d", i);
        CHECK_INT(store_put(i & 1 ? one : two, name, "n=1", i), GPUTUNE_OK);
    }
    CHECK_INT(store_put(one, "k0", "n=1", 100), GPUTUNE_OK); // ours wins
    for (i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "k%d", i);
        CHECK(store_value(one, name, "n=1") == (i ? i : 100));
    }
    gt__store_close(one);
    gt__store_close(two);
    store_leave();
}

// However long a text is.
static void test_store_lengths(void)
{
    static char text[100000];
    gt__entry e;
    gt__store *store;
    gputune_error error;
    store_enter();
    memset(text, '\t', sizeof text - 1);
    store = store_open();
    e = store_entry("long", text, 1);
    e.config = text;
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
    gt__store_close(store);
    store = store_open();
    CHECK(store_exact(store, &e.key) != NULL);
    if (store_exact(store, &e.key)) CHECK_TEXT(store_exact(store, &e.key)->config, text);
    gt__store_close(store);
    store_leave();
}

// --- the store: finding ---

typedef enum {
    STORE_NONE,
    STORE_OTHER,   // same name and space; other device, driver or source
    STORE_PROBLEM, // all but the problem: the nearest one
    STORE_EXACT
} store_kind;

static store_kind store_match(const gt__store *store, const gt__entry *wanted,
                              const gt__entry **found, char *why, size_t size)
{
    bool exact;
    *found = gt__store_find(store, &wanted->key, &exact, why, size);
    if (!*found) return STORE_NONE;
    return exact ? STORE_EXACT : strstr(why, "nearest stored") ? STORE_PROBLEM : STORE_OTHER;
}

static void test_store_nearest(void)
{
    static const struct {
        const char *wanted;
        double expected; // value of the entry, -1: none
    } table[] = {
        { "n=2^18 m=2^10", 1 },      { "n=2^20 m=2^10", 1 }, { "n=2^22 m=2^10", 2 },
        { " n=2^20  m=2^10 ", 1 },   { "n=2^25 m=2^1", 3 },  { "n=1000000 m=1024", 1 },
        { "n=2^18", -1 },            { "n=2^18 k=2^10", -1 }, { "n=2^18 m=2^10 k=1", -1 },
        { "n=2^18 m=2^10 n=2^18", -1 }, { "", -1 },          { "n=abc m=2^10", -1 },
        { "n=0 m=2^10", 1 },         { "n= m=2^10", -1 },    { "t=float s=3", 4 },
        { "n=9000000ul m=2^9", 2 },  { "n=-5 m=2^3", 3 },    { "n=u m=2^10", -1 },
        { "t=float s=5", 4 },        { "t=double s=4", -1 }, { "large", -1 },
        { "x=0.5", 5 },              { "x=2^-3", 5 },        { "x=2^", -1 },
    };
    gt__store *store;
    size_t i;
    double distance;
    char why[300];
    store_enter();
    store = store_open();
    store_put(store, "k", "n=2^18 m=2^10", 1);
    store_put(store, "k", "n=2^24 m=2^10", 2);
    store_put(store, "k", "n=2^24 m=2^2", 3);
    store_put(store, "k", "t=float s=4", 4);
    store_put(store, "k", "x=0.25", 5);
    for (i = 0; i < sizeof table / sizeof *table; i++) {
        gt__entry wanted = store_entry("k", table[i].wanted, 0);
        const gt__entry *found;
        store_kind match = store_match(store, &wanted, &found, why, sizeof why);
        CHECK_OR((found ? found->value : -1) == table[i].expected, "\"%s\" found %g, expected %g",
                 table[i].wanted, found ? found->value : -1, table[i].expected);
        if (i > 0 && found) CHECK_INT(match, STORE_PROBLEM);
    }
    CHECK(gt__problem_distance("n=2^18 m=8", "n=2^20 m=2^5", &distance));
    CHECK_NEAR(distance, 4, 1e-12);
    CHECK(gt__problem_distance("", "", &distance) && distance == 0);
    gt__store_close(store);
    store_leave();
}

static void test_store_reasons(void)
{
    gt__entry stored, wanted;
    const gt__entry *found;
    gt__store *store;
    gputune_error error;
    char why[300];
    store_enter();
    store = store_open();
    stored = store_entry("saxpy", "n=2^18", 1);
    stored.key.driver = "570.2";
    CHECK_INT(gt__store_put(store, &stored.key, &stored, &error), GPUTUNE_OK);

    CHECK_INT(store_match(store, &stored, &found, why, sizeof why), STORE_EXACT);
    CHECK_TEXT(why, "");
    wanted = store_entry("sgemm", "n=2^18", 1);
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_NONE);
    CHECK_TEXT(why, "no entry for kernel \"sgemm\"");
    wanted = store_entry("saxpy", "n=2^18", 1);
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_OTHER);
    CHECK_TEXT(why, "driver 580.1 (stored under 570.2)");
    wanted = stored;
    wanted.key.problem = "n=2^20";
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_PROBLEM);
    CHECK_TEXT(why, "problem n=2^20 (nearest stored n=2^18)");
    {
        gt__entry other = store_entry("saxpy", "n=2^19", 1); // nearer, of another text
        other.key.driver = "570.2";
        other.key.source++;
        CHECK_INT(gt__store_put(store, &other.key, &other, &error), GPUTUNE_OK);
        CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_PROBLEM);
        CHECK_TEXT(why, "problem n=2^20 (nearest stored n=2^18)");
        CHECK_INT(gt__store_put(store, &other.key, NULL, &error), GPUTUNE_OK);
    }
    wanted.key.problem = "";
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_NONE);
    CHECK_TEXT(why, "problem none (stored under n=2^18)");
    wanted = stored;
    wanted.key.source++;
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_OTHER);
    CHECK_TEXT(why, "source changed");
    wanted.key.space++;
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_NONE);
    CHECK_TEXT(why, "source changed, space changed");
    wanted.key.api = "cuda";
    wanted.key.device = "MI300";
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_NONE);
    CHECK_TEXT(why, "api cuda (stored under opencl), device MI300 (stored under NVIDIA H200), "
                    "source changed, space changed");
    CHECK_INT(store_match(store, &wanted, &found, why, 12), STORE_NONE);
    CHECK_TEXT(why, "api cuda (s"); // cut
    CHECK_INT(store_match(store, &wanted, &found, why, 1), STORE_NONE);
    CHECK_INT(store_match(store, &wanted, &found, NULL, 0), STORE_NONE);
    gt__store_close(store);
    store_leave();
}

static void store_put_as(gt__store *store, const char *device, const char *driver,
                         const char *problem, double value)
{
    gt__entry e = store_entry("k", problem, value);
    gputune_error error;
    e.key.device = device;
    e.key.driver = driver;
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
}

// Of other devices and drivers: this device first, then this problem, then the latest.
static void test_store_others(void)
{
    gt__entry wanted = store_entry("k", "n=2^4", 0);
    const gt__entry *found;
    gt__store *store;
    char why[300];
    store_enter();
    store = store_open();
    wanted.key.device = "A";
    wanted.key.driver = "9";
    store_put_as(store, "B", "2", "n=2^4", 2);
    store_put_as(store, "B", "1", "n=2^4", 1);
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_OTHER);
    CHECK(found && found->value == 1); // the latest
    store_put_as(store, "A", "2", "n=2^9", 4);
    store_put_as(store, "A", "1", "n=2^9", 3);
    store_match(store, &wanted, &found, why, sizeof why);
    CHECK(found && found->value == 3); // the device
    store_put_as(store, "A", "0", "n=2^4", 5);
    store_match(store, &wanted, &found, why, sizeof why);
    CHECK(found && found->value == 5); // the problem
    store_put_as(store, "A", "9", "n=2^8", 6);
    CHECK_INT(store_match(store, &wanted, &found, why, sizeof why), STORE_PROBLEM);
    CHECK(found && found->value == 6); // all but the problem
    gt__store_close(store);
    store_leave();
}

static void test_store_many(void)
{
    char *text = NULL, name[32], problem[32];
    gt__store *store;
    int i;
    store_enter();
    gt__text_add(&store_base, &text, "gputune store 1\n");
    for (i = 0; i < 10000; i++) {
        gt__entry e;
        snprintf(name, sizeof name, "kernel%d", i % 300);
        snprintf(problem, sizeof problem, "n=%d", i);
        e = store_entry(name, problem, i);
        CHECK(gt__put_line(&store_base, &text, "answer", gt__entry_fields,
                           GT__ENTRY_FIELDS, &e));
    }
    store_write(store_file, text, (size_t)stbds_arrlen(text));
    gt__arr_free(&store_base, text);
    store = store_open();
    CHECK_INT(store_warnings, 0);
    for (i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "kernel%d", i % 300);
        snprintf(problem, sizeof problem, "n=%d", i);
        CHECK_OR(store_value(store, name, problem) == i, "entry %d is not found", i);
    }
    CHECK(store_value(store, "kernel300", "n=300") == -1);
    CHECK_INT(store_put(store, "new", "n=1", 1), GPUTUNE_OK);
    CHECK(store_value(store, "kernel7", "n=9907") == 9907);
    gt__store_close(store);
    store_leave();
}

// --- the store: damage ---

static const char *const store_names[] = { "alpha", "beta", "gamma" };

// A file with three entries; returns where each line begins (3 entries and the end).
static char *store_three(size_t *at)
{
    char *text = NULL;
    int i;
    gt__text_add(&store_base, &text, "gputune store 1\n");
    for (i = 0; i < 3; i++) {
        at[i] = (size_t)stbds_arrlen(text);
        store_line(&text, store_names[i], i + 1);
    }
    at[3] = (size_t)stbds_arrlen(text);
    return text;
}

// How many of the three are there; each has to be right.
static int store_count_right(const gt__store *store, const char *where, size_t byte)
{
    int i, right = 0;
    for (i = 0; i < 3; i++) {
        double value = store_value(store, store_names[i], "n=1");
        CHECK_OR(value == -1 || value == i + 1, "%s %lu: %s has value %g", where,
                 (unsigned long)byte, store_names[i], value);
        right += value == i + 1;
    }
    return right;
}

// Any byte may change, to anything: entries of other lines are found, wrong ones never, and a
// later put keeps what it does not understand.
static void test_store_flips(void)
{
    static const unsigned char masks[] = { 0x01, 0x02, 0x20, 0x80 };
    size_t at[4], i, m, size, line;
    char *text;
    store_enter();
    text = store_three(at);
    size = at[3];
    for (i = 0; i < size; i++) {
        for (line = 0; line < 4 && i >= at[line]; line++) {}
        for (m = 0; m < 6; m++) {
            char kept = text[i];
            gt__store *store;
            gputune_result result;
            int expected = line == 0 ? 3 : 2;
            text[i] = m < 4 ? (char)((unsigned char)kept ^ masks[m]) : m == 4 ? '\n' : 0;
            if (m == 4 && kept == '\n') continue;
            // a newline eaten: two lines in one, and neither has its check
            if (i + 1 == at[line] && line > 0) expected = line == 3 ? 2 : 1;
            if (i + 1 == at[0]) expected = 2;
            store_write(store_file, text, size);
            store_quiet();
            store = store_open();
            CHECK_OR(store_count_right(store, "byte", i) >= expected,
                     "byte %lu changed to %d: %d entries", (unsigned long)i, text[i],
                     store_count_right(store, "byte", i));
            if (m == i % 24 || (m == 1 && i < at[0])) { // saving takes longer
                result = store_put(store, "new", "n=1", 9);
                if (result == GPUTUNE_ERROR_FORMAT)
                    CHECK_HAS(store_log, "newer than this program's");
                else
                    CHECK_INT(result, GPUTUNE_OK);
                CHECK(store_count_right(store, "put", i) >= expected);
                store_read(store_file);
                if (line) CHECK(memmem(store_bytes, store_size, text + at[line - 1],
                                       at[line] - at[line - 1] - 1) != NULL);
            }
            gt__store_close(store);
            text[i] = kept;
        }
    }
    gt__arr_free(&store_base, text);
    store_leave();
}

static void test_store_truncations(void)
{
    size_t at[4], i;
    char *text;
    store_enter();
    text = store_three(at);
    for (i = 0; i <= at[3]; i++) {
        gt__store *store;
        int expected = 0;
        while (expected < 3 && i + 1 >= at[expected + 1]) expected++; // may lack its newline
        store_write(store_file, text, i);
        store = store_open();
        CHECK_INT(store_count_right(store, "cut", i), expected);
        CHECK_INT(store_put(store, "new", "n=1", 9), GPUTUNE_OK);
        gt__store_close(store);
        store = store_open();
        CHECK_INT(store_count_right(store, "cut", i), expected);
        CHECK(store_value(store, "new", "n=1") == 9);
        CHECK(store_read(store_file) && strstr(store_bytes, "gputune store 1\n"));
        gt__store_close(store);
    }
    gt__arr_free(&store_base, text);
    store_leave();
}

static void test_store_future(void)
{
    char *text = NULL;
    gt__store *store;
    gt__entry e = store_entry("alpha", "n=1", 0);
    gputune_error error;
    store_enter();
    gt__text_add(&store_base, &text, "gputune store 2\nsome other form\n");
    store_line(&text, "alpha", 1);
    store_write(store_file, text, (size_t)stbds_arrlen(text));
    store = store_open();
    CHECK_HAS(store_log, "version 2");
    CHECK(store_value(store, "alpha", "n=1") == 1);
    store_quiet();
    e.config = "A=1";
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_ERROR_FORMAT);
    CHECK_HAS(error.text, store_file);
    CHECK_HAS(error.text, "not written");
    CHECK_INT(gt__store_put(store, &e.key, NULL, &error), GPUTUNE_ERROR_FORMAT);
    CHECK(store_value(store, "alpha", "n=1") == 1);
    store_read(store_file);
    CHECK_TEXT(store_bytes, text);
    gt__store_close(store);
    gt__arr_free(&store_base, text);
    store_leave();
}

// A path given by mistake: somebody else's file stays as it is.
static void test_store_not_a_store(void)
{
    static const char *const texts[] = { "hello\n", "int main(void) { return 0; }", "\n",
                                         "# only a comment\n", "gputune journal 1\n" };
    gt__store *store;
    gt__entry e = store_entry("k", "n=1", 1);
    gputune_error error;
    size_t i;
    store_enter();
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        store_write(store_file, texts[i], strlen(texts[i]));
        store = store_open();
        CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_ERROR_FORMAT);
        CHECK_HAS(error.text, "is not a store");
        store_read(store_file);
        CHECK_TEXT(store_bytes, texts[i]);
        gt__store_close(store);
    }
    store_write(store_file, "", 0);
    store = store_open();
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK); // mktemp made it
    gt__store_close(store);
    store_leave();
}

// Lines that are none of a store's take time, but no memory; and of a file that does not begin as a
// store only the beginning is read.
static void test_store_blank_lines(void)
{
    const size_t size = 1 << 21;
    char *text = (char *)malloc(size);
    gt__store *store;
    int round;
    store_enter();
    for (round = 0; round < 3; round++) {
        memset(text, '\n', size);
        if (round) memcpy(text, "gputune store 1\n", 16);
        if (round == 2) {
            size_t i;
            for (i = 16; i < size; i += 2) text[i] = 'e';
        }
        store_write(store_file, text, size);
        store_largest = fault_bytes = 0;
        store_quiet();
        store = store_open();
        CHECK_INT(store_warnings, round != 1);
        CHECK_HAS(store_log, round == 0 ? "is not a store" : round == 1 ? "" : "damaged");
        CHECK_OR(round || fault_bytes <= 4096, "%lu bytes were read", (unsigned long)fault_bytes);
        CHECK_OR(store_largest <= (round == 2 ? 6 * size : size + 1), "%lu bytes in one piece",
                 (unsigned long)store_largest);
        gt__store_close(store);
    }
    CHECK_INT(truncate(store_file, (off_t)1 << (sizeof(off_t) > 4 ? 40 : 30)), 0);
    store_quiet();
    store_largest = 0;
    store = store_open();
    CHECK_HAS(store_log, "too large");
    CHECK(store_largest < 4096);
    gt__store_close(store);
    free(text);
    store_leave();
}

// --- the store: a world that says no ---

// Expects put to fail with ERROR_FILE, naming operation or path, and to leave no temporary.
static void store_expect_refusal(const char *path, const char *part)
{
    gt__entry e = store_entry("new", "n=1", 1);
    gt__store *store = gt__store_open(&store_base, path);
    gputune_error error;
    char temporary[200];
    CHECK(store != NULL);
    if (!store) return;
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_ERROR_FILE);
    CHECK_HAS(error.text, part);
    CHECK_HAS(error.text, store_folder);
    CHECK(store_value(store, "new", "n=1") == -1);
    gt__store_close(store);
    snprintf(temporary, sizeof temporary, "%s.tmp", path);
    CHECK(!store_exists(temporary));
}

static void test_store_refusals(void)
{
    char path[200];
    gt__store *store;
    store_enter();
    store = store_open();
    CHECK_INT(store_put(store, "old", "n=1", 1), GPUTUNE_OK);
    gt__store_close(store);
    snprintf(path, sizeof path, "%s/below/store.txt", store_file); // a file where a folder must be
    store_quiet();
    store_expect_refusal(path, "Not a directory");
    CHECK_INT(store_warnings, 1);
    snprintf(path, sizeof path, "%s/folder", store_folder);
    CHECK_INT(mkdir(path, 0777), 0);
    store_quiet();
    store_expect_refusal(path, "not a regular file");
    CHECK_HAS(store_log, "not a regular file");
    snprintf(path, sizeof path, "%s/pipe", store_folder);
    CHECK_INT(mkfifo(path, 0666), 0);
    store_expect_refusal(path, "not a regular file"); // and does not wait for its other end
    snprintf(path, sizeof path, "%s/device", store_folder);
    CHECK_INT(symlink("/dev/full", path), 0);
    store = gt__store_open(&store_base, path);
    CHECK(store != NULL); // not read without end
    gt__store_close(store);
    store_leave();
}

// A folder stands where the temporary, or the lock, must go.
static void test_store_blocked(void)
{
    gt__store *store;
    gputune_error error;
    gt__entry e = store_entry("new", "n=1", 1);
    store_enter();
    store = store_open();
    CHECK_INT(store_put(store, "old", "n=1", 1), GPUTUNE_OK);
    CHECK_INT(mkdir(store_beside(".tmp"), 0777), 0);
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_ERROR_FILE);
    CHECK_HAS(error.text, ".tmp");
    CHECK_INT(rmdir(store_beside(".tmp")), 0);
    store_write(store_beside(".tmp"), "left over", 9); // by a process that died
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
    CHECK(!store_exists(store_beside(".tmp")));
    unlink(store_beside(".lock"));
    CHECK_INT(mkdir(store_beside(".lock"), 0777), 0);
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_ERROR_FILE);
    CHECK_HAS(error.text, ".lock");
    gt__store_close(store);
    store = store_open();
    CHECK(store_value(store, "old", "n=1") == 1);
    CHECK(store_value(store, "new", "n=1") == 1);
    gt__store_close(store);
    store_leave();
}

// What a child found out: exit status, 0 is well.
static int store_status(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + status;
}

static void store_limit(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    limit.rlim_cur = limit.rlim_max = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

// A disk that is full after `bytes`: the old file stays, the temporary goes.
static void test_store_disk_full(void)
{
    gt__store *store;
    rlim_t bytes;
    int round;
    store_enter();
    store = store_open();
    for (round = 0; round < 3; round++)
        CHECK_INT(store_put(store, store_names[round], "n=1", round + 1), GPUTUNE_OK);
    fflush(stdout);
    for (bytes = 0; bytes < 600; bytes += 150) {
        pid_t child = fork();
        if (child == 0) {
            gt__entry e = store_entry("new", "n=1", 1);
            gputune_error error;
            store_limit(bytes);
            if (gt__store_put(store, &e.key, &e, &error) != GPUTUNE_ERROR_FILE) _exit(1);
            if (!strstr(error.text, "write") || !strstr(error.text, "File too large")) _exit(2);
            if (!strstr(error.text, store_file)) _exit(3);
            if (store_count_right(store, "full", bytes) != 3) _exit(4);
            _exit(0);
        }
        CHECK_INT(store_status(child), 0);
        CHECK(!store_exists(store_beside(".tmp")));
    }
    gt__store_close(store);
    store_quiet();
    store = store_open();
    CHECK_INT(store_count_right(store, "after", 0), 3);
    CHECK_INT(store_warnings, 0);
    gt__store_close(store);
    store_leave();
}

static void test_store_folders(void)
{
    char path[200];
    struct stat info;
    gt__store *store;
    store_enter();
    snprintf(path, sizeof path, "%s/x/y/z/store.txt", store_folder);
    store = gt__store_open(&store_base, path);
    CHECK_INT(store_warnings, 0);
    CHECK(!store_exists(path));
    CHECK_INT(store_put(store, "k", "n=1", 1), GPUTUNE_OK);
    CHECK_INT(store_put(store, "l", "n=1", 1), GPUTUNE_OK);
    gt__store_close(store);
    snprintf(path, sizeof path, "%s/x/y/z", store_folder);
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/x", store_folder);
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0700);
    snprintf(path, sizeof path, "%s/x/y/z/store.txt", store_folder);
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0600);
    CHECK_INT(chmod(path, 0662), 0); // the user's wish survives
    store = gt__store_open(&store_base, path);
    CHECK_INT(store_put(store, "m", "n=1", 1), GPUTUNE_OK);
    CHECK_INT(stat(path, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0662);
    gt__store_close(store);
    store_leave();
}

// A path without a folder is in the current one.
static void test_store_current_folder(void)
{
    char here[4096];
    gt__store *store;
    store_enter();
    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK_INT(chdir(store_folder), 0);
    store = gt__store_open(&store_base, "plain.txt");
    CHECK_INT(store_put(store, "k", "n=1", 1), GPUTUNE_OK);
    CHECK(store_exists("plain.txt"));
    gt__store_close(store);
    CHECK_INT(chdir(here), 0);
    store_leave();
}

// A link at the store's name is read; nothing is written through it, or made where it points.
static void test_store_symlink(void)
{
    char real[200];
    gt__store *store;
    struct stat info;
    int round;
    store_enter();
    snprintf(real, sizeof real, "%s/real.txt", store_folder);
    for (round = 0; round < 3; round++) { // to nothing; to a store; to itself
        unlink(store_file);
        CHECK_INT(symlink(round < 2 ? "real.txt" : "store.txt", store_file), 0);
        if (round == 1) {
            store = gt__store_open(&store_base, real);
            CHECK_INT(store_put(store, "alpha", "n=1", 1), GPUTUNE_OK);
            gt__store_close(store);
        }
        store_quiet();
        store = store_open();
        CHECK_INT(store_warnings, round == 2);
        CHECK_INT(store_count_right(store, "link", 0), round == 1);
        CHECK_INT(store_put(store, "beta", "n=1", 2), GPUTUNE_ERROR_FILE);
        CHECK_INT(store_count_right(store, "link", 1), round == 1);
        gt__store_close(store);
        CHECK(lstat(store_file, &info) == 0 && S_ISLNK(info.st_mode));
        CHECK_INT(store_exists(real), round > 0);
    }
    CHECK(store_read(real) && !strstr(store_bytes, "beta"));
    unlink(store_file); // a folder may be one
    CHECK_INT(symlink(".", store_beside(".there")), 0);
    snprintf(real, sizeof real, "%s/store.txt.there/store.txt", store_folder);
    store = gt__store_open(&store_base, real);
    CHECK_INT(store_put(store, "alpha", "n=1", 1), GPUTUNE_OK);
    gt__store_close(store);
    CHECK_INT(store_lines(), 1);
    store_leave();
}

static void test_store_readonly(void)
{
    gt__store *store;
    gputune_error error;
    gt__entry e = store_entry("k", "n=1", 1);
    store_enter();
    store_base.mode = GPUTUNE_MODE_READONLY;
    store = store_open();
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_INT(gt__store_put(store, &e.key, NULL, &error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK(!store_exists(store_file) && !store_exists(store_beside(".lock")));
    gt__store_close(store);
    store_leave();
}

static void store_expect_path(const char *variable, const char *option, const char *expected)
{
    gputune_options options;
    gputune_error error;
    char *path;
    memset(&options, 0, sizeof options);
    options.store = option;
    if (variable)
        setenv("GPUTUNE_STORE", variable, 1);
    else
        unsetenv("GPUTUNE_STORE");
    CHECK_INT(gt__store_path(&store_base, &options, &path, &error), GPUTUNE_OK);
    if (expected)
        CHECK_TEXT(path, expected);
    else
        CHECK(path == NULL);
    gt__arr_free(&store_base, path);
}

static char *store_environment(const char *name) // a copy
{
    return getenv(name) ? strdup(getenv(name)) : NULL;
}

static void store_restore(const char *name, char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    free(value);
}

static void test_store_path(void)
{
    char *store = store_environment("GPUTUNE_STORE"), *home = store_environment("HOME");
    char *state = store_environment("XDG_STATE_HOME"), *path;
    gputune_error error;
    store_enter();
    setenv("XDG_STATE_HOME", "/state", 1);
    setenv("HOME", "/home/me", 1);
    store_expect_path("/env", "/option", "/env");
    store_expect_path("", "/option", NULL);
    store_expect_path(NULL, "/option", "/option");
    store_expect_path(NULL, "", NULL);
#if defined(__linux__)
    store_expect_path(NULL, NULL, "/state/gputune/store.txt");
    setenv("XDG_STATE_HOME", "not/absolute", 1);
    store_expect_path(NULL, NULL, "/home/me/.local/state/gputune/store.txt");
    setenv("XDG_STATE_HOME", "", 1);
    CHECK_INT(gt__store_path(&store_base, NULL, &path, &error), GPUTUNE_OK);
    CHECK_TEXT(path, "/home/me/.local/state/gputune/store.txt");
    gt__arr_free(&store_base, path);
    store_countdown = 0;
    CHECK_INT(gt__store_path(&store_base, NULL, &path, &error), GPUTUNE_ERROR_MEMORY);
    store_countdown = -1;
    CHECK_INT(store_warnings, 0);
    unsetenv("HOME");
    store_expect_path(NULL, NULL, NULL);
    CHECK_HAS(store_log, "HOME");
#endif
    store_restore("GPUTUNE_STORE", store);
    store_restore("HOME", home);
    store_restore("XDG_STATE_HOME", state);
    store_leave();
}

// --- the store: other processes ---

static void test_store_locked(void)
{
    gt__entry e = store_entry("k", "n=1", 1);
    gt__store *store;
    gputune_error error;
    double begin, took;
    pid_t child;
    int ready[2];
    char c;
    store_enter();
    store = store_open();
    CHECK_INT(store_put(store, "old", "n=1", 1), GPUTUNE_OK);
    CHECK_INT(pipe(ready), 0);
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int lock = open(store_beside(".lock"), O_RDWR);
        if (lock < 0 || flock(lock, LOCK_EX) || write(ready[1], "x", 1) != 1) _exit(1);
        sleep((unsigned)(30 * test_load));
        _exit(0);
    }
    CHECK_INT(read(ready[0], &c, 1), 1);
    begin = gputune_now();
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_ERROR_LOCKED);
    took = gputune_now() - begin;
    CHECK(took >= GT__LOCK_SECONDS && took < GT__LOCK_SECONDS + 20 * test_load);
    CHECK_HAS(error.text, ".lock");
    CHECK_HAS(error.text, "another process");
    CHECK(store_value(store, "old", "n=1") == 1);
    kill(child, SIGKILL); // a dead process holds no lock
    store_status(child);
    CHECK_INT(gt__store_put(store, &e.key, &e, &error), GPUTUNE_OK);
    close(ready[0]);
    close(ready[1]);
    gt__store_close(store);
    store_leave();
}

enum { STORE_WRITERS = 8, STORE_SLOTS = 5 };

typedef struct store_writer {
    pid_t pid;
    int pipe;     // acknowledged: one int a put
    int next;     // number of its next put
    int saved[STORE_SLOTS]; // highest acknowledged number of each key, -1: none
    int refused;  // puts that failed otherwise than by the lock
} store_writer;

// Puts until it is killed; each number goes through the pipe once it is saved.
static void store_writer_main(int writer, int number, int pipe)
{
    gt__store *store = store_open();
    double end = gputune_now() + 20 * test_load;
    for (; gputune_now() < end; number++) {
        char name[32], problem[32];
        gputune_result result;
        int report = number;
        snprintf(name, sizeof name, "writer%d", writer);
        snprintf(problem, sizeof problem, "slot=%d", number % STORE_SLOTS);
        result = store_put(store, name, problem, number);
        if (result == GPUTUNE_ERROR_LOCKED) continue;
        if (result != GPUTUNE_OK) report = -1;
        if (write(pipe, &report, sizeof report) != sizeof report) break;
    }
    _exit(0);
}

static void store_writer_start(store_writer *w, int writer)
{
    int ends[2];
    CHECK_INT(pipe(ends), 0);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    w->pipe = ends[0];
    fflush(stdout);
    w->pid = fork();
    if (w->pid == 0) store_writer_main(writer, w->next, ends[1]);
    close(ends[1]);
    w->next += 100000; // the next one's numbers are larger than all of this one's
}

// Returns how many puts it had acknowledged.
static int store_writer_kill(store_writer *w)
{
    int number, count = 0;
    kill(w->pid, SIGKILL);
    store_status(w->pid);
    while (read(w->pipe, &number, sizeof number) == sizeof number) {
        count++;
        if (number < 0)
            w->refused++;
        else
            w->saved[number % STORE_SLOTS] = number;
    }
    close(w->pipe);
    return count;
}

// Eight processes write one store and are killed at any moment: what was acknowledged is there,
// the file is whole, no lock stays behind.
static void test_store_kill(void)
{
    store_writer writers[STORE_WRITERS];
    gt__store *store;
    uint64_t state = 7;
    double begin = gputune_now(), past = 0;
    int i, slot, saved = 0, kills = 0;
    store_enter();
    memset(writers, 0, sizeof writers);
    for (i = 0; i < STORE_WRITERS; i++) {
        for (slot = 0; slot < STORE_SLOTS; slot++) writers[i].saved[slot] = -1;
        store_writer_start(&writers[i], i);
    }
    for (; past < 1.2 || ((kills < 20 || saved < 20) && past < 20 * test_load); kills++) {
        gputune_sleep(0.02 * gt__random_unit(&state));
        i = (int)gt__random_below(&state, STORE_WRITERS);
        saved += store_writer_kill(&writers[i]);
        store_writer_start(&writers[i], i);
        past = gputune_now() - begin;
    }
    gputune_sleep(0.2); // the last ones, undisturbed
    for (i = 0; i < STORE_WRITERS; i++) saved += store_writer_kill(&writers[i]);
    store = store_open();
    CHECK_INT(store_warnings, 0);
    for (i = 0; i < STORE_WRITERS; i++) {
        char name[32], problem[32];
        CHECK_INT(writers[i].refused, 0);
        snprintf(name, sizeof name, "writer%d", i);
        for (slot = 0; slot < STORE_SLOTS; slot++) {
            snprintf(problem, sizeof problem, "slot=%d", slot);
            CHECK_OR(store_value(store, name, problem) >= writers[i].saved[slot],
                     "%s %s: %g, but %d was saved", name, problem,
                     store_value(store, name, problem), writers[i].saved[slot]);
        }
    }
    CHECK(saved >= 20 && kills >= 20);
    CHECK_INT(store_put(store, "last", "n=1", 1), GPUTUNE_OK);
    CHECK(!store_exists(store_beside(".tmp")));
    gt__store_close(store);
    store_leave();
}

// --- the store: memory ---

// Every allocation fails in turn, with all behind it and alone: ERROR_MEMORY, no leak, and memory
// and file agree on whether the entry is there.
static void test_store_memory(void)
{
    gt__entry e = store_entry("new", "n=1", 9);
    gputune_error error;
    gputune_result result;
    gt__store *store;
    bool spent;
    long n;
    int removes, way;
    store_enter();
    store = store_open();
    store_put(store, "old", "n=1", 1);
    gt__store_close(store);
    for (store = NULL, n = 0; !store && n < 1000; n++) {
        store_countdown = n;
        store = store_open();
        if (!store) CHECK_INT(store_blocks, 0);
    }
    CHECK(n > 3 && store);
    for (way = 0; way < 4; way++) {
        removes = way & 1;
        store_once = way >= 2;
        // On until an allocation is left over: those behind the writing of the file fail, too.
        for (n = 0, spent = true; spent && n < 1000; n++) {
            gt__store *other;
            bool there;
            store_countdown = -1;
            CHECK_INT(gt__store_put(store, &e.key, removes ? &e : NULL, &error), GPUTUNE_OK);
            store_countdown = n;
            result = gt__store_put(store, &e.key, removes ? NULL : &e, &error);
            spent = store_countdown <= 0;
            store_countdown = -1;
            CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
            there = (result == GPUTUNE_OK) == !removes;
            other = store_open();
            CHECK_OR((store_value(store, "new", "n=1") == 9) == there, "%ld: in memory", n);
            CHECK_OR((store_value(other, "new", "n=1") == 9) == there, "%ld: in the file", n);
            CHECK(store_value(store, "old", "n=1") == 1 && store_value(other, "old", "n=1") == 1);
            CHECK(!store_exists(store_beside(".tmp")));
            gt__store_close(other);
        }
        CHECK(n > 10 && n < 1000);
        CHECK_INT(result, GPUTUNE_OK);
    }
    gt__store_close(store);
    store_leave();
}

// --- the journal ---

static gt__key journal_key(void)
{
    gt__entry e = store_entry("my kernel/2", "n=2^20", 0);
    return e.key;
}

// A power cut may cost what was begun in the last second: a begin is on the disk when its trial
// runs where none has been within a second, and what has ended goes there with the next one.
static void test_store_journal_synced(void)
{
    static const struct {
        const char *config;
        double ago; // since the last time, in seconds; < 0: there was none
        bool synced;
    } begins[] = { { "B=1", -1, true }, { "B=2", 0.5, false }, { "B=3", 1.5, true } };
    const gt__key key = journal_key();
    gt__trial_log *log = NULL;
    gt__record *records = NULL, record;
    gputune_error error;
    int i;
    store_enter();
    memset(&record, 0, sizeof record);
    record.value = 1;
    CHECK_INT(gt__trial_log_open(&store_base, store_file, &key, false, &log, &records, &error),
              GPUTUNE_OK);
    for (i = 0; i < 3 && log; i++) {
        if (begins[i].ago > 0) CHECK(log->synced > 0);
        if (begins[i].ago > 0) log->synced = gputune_now() - begins[i].ago;
        fault_arm(FAULT_FSYNC, 1, EIO); // which nobody minds
        CHECK_INT(gt__trial_log_begin(log, begins[i].config, false, &error), GPUTUNE_OK);
        CHECK_INT(fault_disarm(), begins[i].synced);
        record.config = (char *)(uintptr_t)begins[i].config;
        CHECK_INT(gt__trial_log_end(log, &record, &error), GPUTUNE_OK);
    }
    gt__trial_log_close(log, false);
    gt__records_free(&store_base, &records);
    store_leave();
}

static gt__record journal_record(const char *config, double value)
{
    gt__record r;
    memset(&r, 0, sizeof r);
    r.config = (char *)(uintptr_t)config;
    r.value = value;
    r.stats.median = value;
    r.stats.min = 0.9 * value;
    r.stats.iqr = fabs(0.125 * value);
    r.stats.count = 5;
    r.compile_seconds = 0.012;
    r.wall_seconds = 0.05;
    return r;
}

static const char *journal_file(void)
{
    static char path[256];
    gt__key key = journal_key();
    char *text = gt__trial_log_path(&store_base, store_file, &key);
    snprintf(path, sizeof path, "%s", text);
    gt__arr_free(&store_base, text);
    return path;
}

// share: beside others.
static gputune_result journal_share(bool share, gt__trial_log **j, gt__record **records)
{
    gt__key key = journal_key();
    gputune_error error;
    return gt__trial_log_open(&store_base, store_file, &key, share, j, records, &error);
}

static gputune_result journal_open(bool fresh, gt__trial_log **j, gt__record **records)
{
    if (fresh) unlink(journal_file());
    return journal_share(false, j, records);
}

static void journal_trial(gt__trial_log *j, const char *config, double value)
{
    gt__record r = journal_record(config, value);
    gputune_error error;
    CHECK_INT(gt__trial_log_begin(j, config, false, &error), GPUTUNE_OK);
    CHECK_INT(gt__trial_log_end(j, &r, &error), GPUTUNE_OK);
}

static size_t journal_size(void)
{
    struct stat info;
    return stat(journal_file(), &info) == 0 ? (size_t)info.st_size : 0;
}

// A process begins these configurations, after it has ended another one (NULL: none), and dies.
static void journal_die(const char *const *begun, int count, const gt__record *ended)
{
    gt__trial_log *j;
    gt__record *records;
    gputune_error error;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        int i;
        if (journal_open(false, &j, &records) != GPUTUNE_OK) _exit(1);
        for (i = 0; i < count; i++)
            if (gt__trial_log_begin(j, begun[i], false, &error) != GPUTUNE_OK) _exit(2);
        if (ended && gt__trial_log_end(j, ended, &error) != GPUTUNE_OK) _exit(3);
        kill(getpid(), SIGKILL);
    }
    CHECK_INT(store_status(child), 1000 + SIGKILL);
}

static bool journal_same(const gt__record *a, const gt__record *b)
{
    return strcmp(a->config, b->config) == 0 && a->result == b->result && a->value == b->value &&
           a->stats.count == b->stats.count && a->stats.min == b->stats.min &&
           a->stats.median == b->stats.median && a->stats.iqr == b->stats.iqr &&
           a->compile_seconds == b->compile_seconds && a->wall_seconds == b->wall_seconds &&
           strcmp(a->reason ? a->reason : "", b->reason ? b->reason : "") == 0;
}

static void test_store_journal(void)
{
    gt__trial_log *j;
    gt__record *records, sent[4];
    gputune_error error;
    int i;
    store_enter();
    sent[0] = journal_record("BLOCK=32", 1.0 / 3);
    sent[1] = journal_record("BLOCK=64 MODE=a%b\tc", HUGE_VAL);
    memset(&sent[1].stats, 0, sizeof sent[1].stats);
    sent[1].result = GPUTUNE_ERROR_COMPILE;
    sent[1].reason = (char *)(uintptr_t)"<kernel>:7: error:\n\t\"100%\"";
    sent[2] = journal_record("", 12345);
    sent[2].stats.median = 5; // not the value
    sent[3] = journal_record("BLOCK=128", -1.5);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK(records == NULL);
    for (i = 0; i < 4; i++) {
        CHECK_INT(gt__trial_log_begin(j, sent[i].config, false, &error), GPUTUNE_OK);
        CHECK_INT(gt__trial_log_end(j, &sent[i], &error), GPUTUNE_OK);
    }
    gt__trial_log_close(j, false);
    CHECK_INT(store_warnings, 0);
    for (i = 0; i < 2; i++) { // reading changes nothing
        CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
        CHECK_INT(gt__len(records), 4);
        if (gt__len(records) == 4) {
            int k;
            for (k = 0; k < 4; k++) CHECK(journal_same(&records[k], &sent[k]));
        }
        gt__records_free(&store_base, &records);
        gt__trial_log_close(j, false);
    }
    CHECK_INT(store_warnings, 0);
    gt__trial_log_close(NULL, true);
    store_leave();
}

// A program that leaves a trial unfinished and goes on has not crashed in it.
static void test_store_journal_unfinished(void)
{
    gt__trial_log *j;
    gt__record *records;
    gputune_error error;
    store_enter();
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    journal_trial(j, "BLOCK=32", 1);
    CHECK_INT(gt__trial_log_begin(j, "BLOCK=64", false, &error), GPUTUNE_OK);
    CHECK_INT(gt__trial_log_begin(j, "BLOCK=96", false, &error), GPUTUNE_OK);
    gt__trial_log_close(j, false);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK_INT(gt__len(records), 1);
    gt__records_free(&store_base, &records);
    gt__trial_log_close(j, false);
    store_leave();
}

static void test_store_journal_format(void)
{
    gt__trial_log *j;
    gt__record *records;
    store_enter();
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    journal_trial(j, "BLOCK=256 ITEMS=4", 1.25e-5);
    gt__trial_log_close(j, true);
    CHECK_HAS(journal_file(), "/store.txt.journal/my_kernel_2-");
    CHECK_HAS(journal_file(), "-9d58c5afbecaaf10.txt"); // the key's hash: never to change
    store_read(journal_file());
    CHECK_TEXT(store_bytes,
               "gputune journal 1\n"
               "key\tname=my kernel/2\tapi=opencl\tdevice=NVIDIA H200\tdriver=580.1\t"
               "source=0123456789abcdef\tspace=fedcba9876543210\toptions=0000000000000000\t"
               "launch=0000000000000000\trules=0000000000000000\tproblem=n=2^20\t"
               "check=930a2ae8\n"
               "begin\tconfig=BLOCK=256 ITEMS=4\tcheck=b94f4b09\n"
               "end\tconfig=BLOCK=256 ITEMS=4\tresult=ok\tvalue=1.25e-05\tcount=5\t"
               "min=1.125e-05\tmedian=1.25e-05\tiqr=1.5625e-06\t"
               "compile=0.012\twall=0.05\tcheck=b66436d9\n"
               "done\tcheck=3a7e38ce\n");
    store_leave();
}

// A process dies in a trial: that configuration is in quarantine from then on.
static void test_store_quarantine(void)
{
    gt__trial_log *j;
    gt__record *records;
    gputune_error error;
    pid_t child;
    int i;
    store_enter();
    fflush(stdout);
    child = fork();
    if (child == 0) {
        if (journal_open(false, &j, &records) != GPUTUNE_OK) _exit(1);
        journal_trial(j, "BLOCK=32", 1);
        if (gt__trial_log_begin(j, "BLOCK=64", false, &error) != GPUTUNE_OK) _exit(2);
        kill(getpid(), SIGKILL);
    }
    CHECK(store_status(child) >= 1000);
    for (i = 0; i < 3; i++) {
        CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
        CHECK_INT(gt__len(records), i ? 3 : 2);
        if (gt__len(records) >= 2) {
            CHECK_TEXT(records[0].config, "BLOCK=32");
            CHECK_INT(records[0].result, GPUTUNE_OK);
            CHECK_TEXT(records[1].config, "BLOCK=64");
            CHECK_INT(records[1].result, GPUTUNE_ERROR_CRASHED);
            CHECK(records[1].value == HUGE_VAL);
            CHECK_TEXT(records[1].reason, "the program ended while this configuration ran");
        }
        if (i == 0) {
            CHECK_INT(store_warnings, 1);
            CHECK_HAS(store_log, "BLOCK=64");
            journal_trial(j, "BLOCK=128", 2);
        }
        gt__records_free(&store_base, &records);
        gt__trial_log_close(j, false);
    }
    CHECK_INT(store_warnings, 1);
    store_leave();
}

// Writes a journal with three trials and returns its text, at[i]: where the i-th `end` line ends.
static char *journal_three(size_t at[3])
{
    gt__trial_log *j;
    gt__record *records;
    char *copy;
    int i;
    CHECK_INT(journal_open(true, &j, &records), GPUTUNE_OK);
    for (i = 0; i < 3; i++) {
        journal_trial(j, store_names[i], i + 1);
        at[i] = journal_size();
    }
    gt__trial_log_close(j, false);
    store_read(journal_file());
    CHECK_INT(store_size, at[2]);
    copy = (char *)malloc(store_size + 1);
    memcpy(copy, store_bytes, store_size + 1);
    return copy;
}

// What ended with `tail` behind the three trials.
static void journal_expect_tail(const char *tail, size_t length, int records_expected, bool crashed)
{
    size_t at[3];
    char *text = journal_three(at);
    gt__trial_log *j;
    gt__record *records;
    char *whole = (char *)malloc(at[2] + length);
    memcpy(whole, text, at[2]);
    memcpy(whole + at[2], tail, length);
    store_write(journal_file(), whole, at[2] + length);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK_INT(gt__len(records), records_expected);
    if (records && gt__len(records) == records_expected)
        CHECK_INT(records[records_expected - 1].result,
                  crashed ? GPUTUNE_ERROR_CRASHED : GPUTUNE_OK);
    gt__records_free(&store_base, &records);
    journal_trial(j, "next", 4);
    gt__trial_log_close(j, false);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK); // new lines start clean
    CHECK_INT(gt__len(records), records_expected + 1);
    gt__records_free(&store_base, &records);
    gt__trial_log_close(j, true);
    free(whole);
    free(text);
}

// Appends a line of a word and a configuration.
static void journal_put(char **line, const char *word, const char *config)
{
    const gt__record record = gt__record_of(config, 0, false);
    CHECK(gt__put_record(&store_base, line, word, &record));
}

static void test_store_journal_tails(void)
{
    char *begin = NULL, *with = NULL;
    size_t length;
    store_enter();
    journal_put(&begin, "begin", "delta");
    length = (size_t)stbds_arrlen(begin);
    journal_expect_tail("", 0, 3, false);
    journal_expect_tail("be", 2, 3, false);
    journal_expect_tail(begin, length, 4, true);
    journal_expect_tail(begin, length - 1, 4, true); // only the newline is missing
    journal_expect_tail(begin, length - 2, 3, false);
    gt__text_put(&store_base, &with, begin, length);
    gt__text_put(&store_base, &with, "\0\0\0\0", 4); // a power cut: it was the last thing
    journal_expect_tail(with, length + 4, 4, true);
    stbds_arrsetlen(with, length);
    gt__text_put(&store_base, &with, "end\tconf", 8); // it did end
    journal_expect_tail(with, length + 8, 3, false);
    stbds_arrsetlen(with, length);
    gt__text_put(&store_base, &with, "???\n", 4); // perhaps it did
    journal_expect_tail(with, length + 4, 3, false);
    stbds_arrsetlen(with, length);
    gt__text_put(&store_base, &with, "later\tx=1", 9);
    {
        char *line = NULL; // a later version's line says nothing about it
        gt__text_put(&store_base, &line, "later\tx=1", 9);
        gt__put_check(&store_base, &line, 0);
        stbds_arrsetlen(with, length);
        gt__text_put(&store_base, &with, line, (size_t)stbds_arrlen(line));
        journal_expect_tail(with, (size_t)stbds_arrlen(with), 4, true);
        gt__arr_free(&store_base, line);
    }
    gt__arr_free(&store_base, begin);
    gt__arr_free(&store_base, with);
    store_leave();
}

// Journal lines, one after the other: "race=x", "back=x", or anything else as it stands.
static void journal_expect_raced(const char *const *lines, int records, bool crashed)
{
    char *tail = NULL;
    for (; *lines; lines++) {
        if (strncmp(*lines, "back=", 5) == 0)
            journal_put(&tail, "back", *lines + 5);
        else if (strncmp(*lines, "race=", 5) == 0)
            journal_put(&tail, "race", *lines + 5);
        else
            gt__text_put(&store_base, &tail, *lines, strlen(*lines));
    }
    journal_expect_tail(tail, (size_t)stbds_arrlen(tail), records, crashed);
    gt__arr_free(&store_base, tail);
}

// What is launched again after its trial: the last such one is to blame, unless it came back, or
// may have.
static void test_store_journal_race(void)
{
    static const char *const one[] = { "race=delta", NULL };
    static const char *const two[] = { "race=epsilon", "back=epsilon", "race=delta", NULL };
    static const char *const rest[] = { "race=delta", "back=delta", NULL };
    static const char *const torn[] = { "race=delta", "bac", NULL };
    static const char *const damaged[] = { "race=delta", "bask\n", NULL };
    static const char *const after[] = { "race=delta", "bask\n", "race=delta", NULL };
    gt__trial_log *j;
    gt__record *records, bad = journal_record("BLOCK=64", HUGE_VAL);
    gputune_error error;
    int i;
    store_enter();
    journal_expect_raced(one, 4, true);
    journal_expect_raced(two, 4, true);
    journal_expect_raced(rest, 3, false);
    journal_expect_raced(torn, 3, false);
    journal_expect_raced(damaged, 3, false);
    journal_expect_raced(after, 4, true);
    CHECK_INT(journal_open(true, &j, &records), GPUTUNE_OK);
    for (i = 0; i < 3; i++) { // a program that goes on; `back`, an end, nothing
        CHECK_INT(gt__trial_log_begin(j, "BLOCK=64", true, &error), GPUTUNE_OK);
        if (i == 0) CHECK_INT(gt__trial_log_begin(j, "BLOCK=96", false, &error), GPUTUNE_OK);
        if (i == 1) CHECK_INT(gt__trial_log_end(j, &bad, &error), GPUTUNE_OK);
        gt__trial_log_close(j, false);
        CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
        CHECK_INT(gt__len(records), i > 0);
        gt__records_free(&store_base, &records);
    }
    gt__trial_log_close(j, false);
    store_leave();
}

// Opens a journal that `where` says is damaged: every record must be one that was written, in its
// order, the first `expected` ones among them. Returns how many there are.
static int journal_check_records(const char *where, size_t byte, int expected, bool may_crash)
{
    gt__trial_log *j;
    gt__record *records;
    int i, k, count;
    gputune_result result = journal_open(false, &j, &records);
    if (result == GPUTUNE_ERROR_FORMAT) return -1;
    CHECK_INT(result, GPUTUNE_OK);
    if (result != GPUTUNE_OK) return 0;
    count = gt__len(records);
    for (i = 0, k = -1; i < count; i++) {
        gt__record r;
        if (may_crash && i == count - 1 && records[i].result == GPUTUNE_ERROR_CRASHED) break;
        do {
            k++;
            if (k < 3) r = journal_record(store_names[k], k + 1);
        } while (k < 3 && !journal_same(&records[i], &r));
        CHECK_OR(k < 3 && (i >= expected || k == i), "%s %lu: record %d (%s) was not written so",
                 where, (unsigned long)byte, i, records[i].config);
    }
    CHECK_OR(count >= expected, "%s %lu: %d records, expected %d", where, (unsigned long)byte,
             count, expected);
    gt__records_free(&store_base, &records);
    gt__trial_log_close(j, false);
    return count;
}

static void test_store_journal_flips(void)
{
    static const unsigned char masks[] = { 0x01, 0x02, 0x20 };
    size_t at[3], i, m;
    char *text;
    int future = 0;
    store_enter();
    text = journal_three(at);
    for (i = 0; i < at[2]; i++) {
        for (m = 0; m < 5; m++) {
            char kept = text[i];
            int before = i < at[0] ? 0 : i < at[1] ? 1 : 2, count;
            text[i] = m < 3 ? (char)((unsigned char)kept ^ masks[m]) : m == 3 ? '\n' : 0;
            store_write(journal_file(), text, at[2]);
            count = journal_check_records("byte", i, before, false);
            if (m == 0 && count >= 0) // what reading mended is not worse
                CHECK_INT(journal_check_records("again", i, before, false), count);
            if (count < 0) {
                future++;
                store_read(journal_file());
                CHECK(store_size == at[2] && memcmp(store_bytes, text, at[2]) == 0);
            } else if (count < 1 || (i > at[0] && count < 2)) { // the others are used, too
                TEST_FAIL("byte %lu: %d records", (unsigned long)i, count);
            }
            text[i] = kept;
        }
    }
    CHECK_INT(future, 1); // version 1 to version 3
    free(text);
    store_leave();
}

static void test_store_journal_truncations(void)
{
    size_t at[3], i;
    char *text;
    store_enter();
    text = journal_three(at);
    for (i = 0; i <= at[2]; i++) {
        int before = i + 1 < at[0] ? 0 : i + 1 < at[1] ? 1 : i + 1 < at[2] ? 2 : 3;
        gt__trial_log *j;
        gt__record *records;
        int count;
        store_write(journal_file(), text, i);
        count = journal_check_records("cut", i, before, true);
        CHECK(count == before || count == before + 1);
        CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
        gt__records_free(&store_base, &records);
        journal_trial(j, "next", 4);
        gt__trial_log_close(j, false);
        CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
        CHECK_OR(gt__len(records) == count + 1, "cut %lu: %d records, then %d",
                 (unsigned long)i, count, gt__len(records));
        if (records) CHECK_TEXT(records[gt__len(records) - 1].config, "next");
        gt__records_free(&store_base, &records);
        gt__trial_log_close(j, false);
    }
    free(text);
    store_leave();
}

// Starts anew after `done`, when told to, and when there is nothing to go on with.
static void test_store_journal_anew(void)
{
    size_t at[3];
    gt__trial_log *j;
    gt__record *records;
    store_enter();
    free(journal_three(at));
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK_INT(gt__len(records), 3);
    gt__records_free(&store_base, &records);
    gt__trial_log_close(j, true);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK(records == NULL);
    gt__trial_log_close(j, false);

    free(journal_three(at));
    CHECK_INT(journal_open(true, &j, &records), GPUTUNE_OK);
    CHECK(records == NULL);
    gt__trial_log_close(j, false);

    store_write(journal_file(), "gputune journal 1\nkey\tna", 24); // no trial had begun
    store_quiet();
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK(records == NULL && store_warnings == 0);
    journal_trial(j, "next", 4);
    gt__trial_log_close(j, false);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK_INT(gt__len(records), 1);
    CHECK_INT(store_warnings, 0);
    gt__records_free(&store_base, &records);
    gt__trial_log_close(j, false);
    store_leave();
}

static void test_store_journal_future(void)
{
    static const char text[] = "gputune journal 2\nkey in another form\n";
    gt__trial_log *j;
    gt__record *records;
    gt__key key = journal_key();
    gputune_error error;
    int fresh;
    store_enter();
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK); // makes the folder
    gt__trial_log_close(j, false);
    store_write(journal_file(), text, strlen(text));
    for (fresh = 0; fresh < 2; fresh++) {
        CHECK_INT(gt__trial_log_open(&store_base, store_file, &key, fresh != 0, &j, &records,
                                     &error),
                  GPUTUNE_ERROR_FORMAT);
        CHECK(j == NULL && records == NULL);
        CHECK_HAS(error.text, "newer version 2");
        store_read(journal_file());
        CHECK_TEXT(store_bytes, text);
    }
    store_leave();
}

static void test_store_journal_locked(void)
{
    gt__trial_log *j, *second;
    gt__record *records;
    pid_t child;
    store_enter();
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    journal_trial(j, "BLOCK=1", 1);
    CHECK_INT(journal_open(false, &second, &records), GPUTUNE_ERROR_LOCKED);
    CHECK(second == NULL && records == NULL);
    fflush(stdout);
    child = fork();
    if (child == 0) _exit(journal_open(false, &second, &records) == GPUTUNE_ERROR_LOCKED ? 0 : 1);
    CHECK_INT(store_status(child), 0);
    journal_trial(j, "BLOCK=2", 2);
    gt__trial_log_close(j, false);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    CHECK_INT(gt__len(records), 2);
    gt__records_free(&store_base, &records);
    gt__trial_log_close(j, false);
    store_leave();
}

static void test_store_journal_refusals(void)
{
    gt__trial_log *j;
    gt__record *records;
    gt__key key = journal_key();
    gputune_error error;
    char path[200];
    store_enter();
    store_write(store_file, "", 0);
    snprintf(path, sizeof path, "%s/below", store_file);
    CHECK_INT(gt__trial_log_open(&store_base, path, &key, false, &j, &records, &error),
              GPUTUNE_ERROR_FILE);
    CHECK_HAS(error.text, "Not a directory");
    CHECK(j == NULL && records == NULL);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
    gt__trial_log_close(j, false);
    CHECK_INT(unlink(journal_file()), 0);
    CHECK_INT(mkdir(journal_file(), 0777), 0);
    CHECK_INT(journal_open(false, &j, &records), GPUTUNE_ERROR_FILE);
    store_leave();
}

// The disk is full from some byte on: the log is closed, and what was written is whole.
static void test_store_journal_full(void)
{
    gt__trial_log *j;
    gt__record *records, r = journal_record("beta", 2);
    gputune_error error;
    rlim_t more;
    size_t at[3];
    store_enter();
    free(journal_three(at));
    fflush(stdout);
    for (more = 0; more < 132; more += 11) {
        pid_t child = fork();
        if (child == 0) {
            if (journal_open(true, &j, &records) != GPUTUNE_OK) _exit(1);
            journal_trial(j, "alpha", 1);
            store_limit((rlim_t)journal_size() + more);
            error.text[0] = 0;
            if (gt__trial_log_begin(j, "beta", false, &error) == GPUTUNE_OK &&
                gt__trial_log_end(j, &r, &error) == GPUTUNE_OK)
                _exit(2);
            if (error.result != GPUTUNE_ERROR_FILE) _exit(3);
            if (!strstr(error.text, "File too large")) _exit(4);
            gt__trial_log_close(j, false);
            _exit(test_failures ? 7 : 0);
        }
        CHECK_INT(store_status(child), 0);
        CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
        CHECK_INT(gt__len(records), 1); // and "beta" is not taken for one that crashed
        if (records) CHECK_TEXT(records[0].config, "alpha");
        gt__records_free(&store_base, &records);
        gt__trial_log_close(j, false);
        CHECK(!strstr(store_log, "damaged"));
    }
    store_leave();
}

static void test_store_journal_memory(void)
{
    static const char *const begun[] = { "dies here" };
    gt__trial_log *j = NULL;
    gt__record *records, r = journal_record("BLOCK=1", 1);
    gputune_error error;
    gputune_result result = GPUTUNE_ERROR_MEMORY;
    size_t at[3];
    long n, blocks;
    store_enter();
    free(journal_three(at));
    journal_die(begun, 1, NULL);
    for (n = 0; result != GPUTUNE_OK && n < 1000; n++) {
        store_countdown = n;
        result = journal_open(false, &j, &records);
        CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
        if (result != GPUTUNE_OK) {
            CHECK_INT(store_blocks, 0);
            CHECK(j == NULL && records == NULL);
        }
    }
    CHECK(n > 10);
    CHECK_INT(gt__len(records), 4);
    gt__records_free(&store_base, &records);
    store_countdown = -1;
    gt__trial_log_close(j, false);
    for (n = 0; n < 4; n++) { // a fresh one: begin, end and close may fail, too
        CHECK_INT(journal_open(true, &j, &records), GPUTUNE_OK);
        blocks = store_blocks;
        store_countdown = n;
        result = gt__trial_log_begin(j, "BLOCK=1", false, &error);
        CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
        CHECK(result != GPUTUNE_OK || store_blocks >= blocks);
        result = gt__trial_log_end(j, &r, &error);
        CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
        gt__trial_log_close(j, true);
        store_countdown = -1;
    }
    for (n = 0; n < 6; n++) { // where an end cannot be said nobody has died
        int k, died = 0;
        char reason[4000];
        memset(reason, 'x', sizeof reason - 1);
        reason[sizeof reason - 1] = 0;
        r.reason = reason; // more than the line has room for
        CHECK_INT(journal_open(true, &j, &records), GPUTUNE_OK);
        CHECK_INT(gt__trial_log_begin(j, "BLOCK=1", false, &error), GPUTUNE_OK);
        store_countdown = n;
        (void)gt__trial_log_end(j, &r, &error);
        store_countdown = -1;
        gt__trial_log_close(j, false);
        CHECK_INT(journal_open(false, &j, &records), GPUTUNE_OK);
        for (k = 0; k < gt__len(records); k++)
            died += records[k].result == GPUTUNE_ERROR_CRASHED;
        CHECK_INT(died, 0);
        gt__records_free(&store_base, &records);
        gt__trial_log_close(j, true);
    }
    store_leave();
}

// --- other users ---

static char store_victim[160]; // a file of the program's user that nobody means

static void store_victim_make(void)
{
    snprintf(store_victim, sizeof store_victim, "%s/victim", store_folder);
    store_write(store_victim, "precious\n", 9);
    CHECK_INT(chmod(store_victim, 0640), 0);
}

static void store_victim_check(void)
{
    struct stat info;
    CHECK(store_read(store_victim));
    CHECK_TEXT(store_bytes, "precious\n");
    CHECK_INT(stat(store_victim, &info), 0);
    CHECK_INT(info.st_mode & 0777, 0640);
}

// What is no trial log is not emptied, added to or followed, whatever stands at its name.
static void test_store_planted(void)
{
    gt__trial_log *j;
    gt__record *records;
    int way, fresh;
    store_enter();
    store_victim_make();
    for (way = 0; way < 4; way++) {
        for (fresh = 0; fresh < 2; fresh++) {
            gputune_result expected = way == 1 ? GPUTUNE_ERROR_FORMAT : GPUTUNE_ERROR_FILE;
            store_remove(store_beside(".journal"));
            if (way == 2) { // where the folder is to be
                CHECK_INT(symlink(store_folder, store_beside(".journal")), 0);
            } else {
                CHECK_INT(mkdir(store_beside(".journal"), 0700), 0);
                if (way == 0) CHECK_INT(symlink("../victim", journal_file()), 0);
                if (way == 1) CHECK_INT(link(store_victim, journal_file()), 0);
                if (way == 3) CHECK_INT(chmod(store_beside(".journal"), 0777), 0);
            }
            CHECK_INT(journal_share(fresh != 0, &j, &records), expected);
            CHECK(!j && !records);
            store_victim_check();
        }
    }
    unlink(store_beside(".journal"));
    store_leave();
}

static bool store_binary(const char *text, gputune_result expected)
{
    gputune_binary binary;
    gputune_error error;
    memset(&binary, 0, sizeof binary);
    binary.data = (char *)(uintptr_t)text;
    binary.bytes = strlen(text) + 1;
    return gt__binary_write(&store_base, store_file, 7, &binary, &error) == expected;
}

// Is this what is read? NULL: nothing.
static bool store_binary_is(const char *text, bool unusable_expected)
{
    gputune_binary binary;
    bool unusable, same;
    bool found = gt__binary_read(&store_base, store_file, 7, &binary, &unusable);
    same = found && text && strcmp((const char *)binary.data, text) == 0;
    gt__free(&store_base, binary.data);
    return unusable == unusable_expected && (text ? same : !found);
}

static void store_swap(void)
{
    char binaries[200];
    snprintf(binaries, sizeof binaries, "%s", store_beside(".binaries"));
    rename(binaries, store_beside(".away"));
    rename(store_beside(".other"), binaries);
}

// Whose folder is checked and whose binary is read are the same, whenever another one takes its
// place.
static void test_store_swapped(void)
{
    char binaries[200];
    int k;
    store_enter();
    for (k = 1; k < 4; k++) {
        snprintf(binaries, sizeof binaries, "%s", store_beside(".binaries"));
        CHECK(store_binary("theirs", GPUTUNE_OK));
        CHECK_INT(rename(binaries, store_beside(".other")), 0);
        CHECK_INT(chmod(store_beside(".other"), 0777), 0);
        CHECK(store_binary("ours", GPUTUNE_OK));
        fault_arm(k == 1 ? FAULT_OPEN : k == 2 ? FAULT_OPENAT : FAULT_READ, 1, 0);
        fault_hook = store_swap;
        CHECK(store_binary_is(k == 1 ? NULL : "ours", k == 1));
        CHECK(fault_disarm());
        CHECK(store_binary_is(NULL, true));
        CHECK(store_binary("more", GPUTUNE_ERROR_FILE));
        store_remove(store_beside(".away"));
        store_remove(binaries);
    }
    CHECK_INT(symlink(store_folder, binaries), 0);
    CHECK(store_binary_is(NULL, true));
    CHECK(store_binary("more", GPUTUNE_ERROR_FILE));
    CHECK_INT(unlink(binaries), 0);
    store_leave();
}

static unsigned store_mode(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 ? (unsigned)info.st_mode & 0777 : 0;
}

// Runs as another user: 0, or the step that went otherwise.
static int store_as(uid_t user, int (*steps)(void))
{
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        umask(022);
        _exit(setgid(user) || setuid(user) ? 250 : steps());
    }
    return store_status(child);
}

static int store_try(const char *name, gputune_result put, gputune_result log,
                     gputune_result binary)
{
    gt__store *store = store_open();
    gt__trial_log *j;
    gt__record *records;
    if (!store || store_put(store, name, "n=1", 1) != put) return 1;
    if (journal_open(true, &j, &records) != log) return 2;
    if (j) journal_trial(j, "BLOCK=1", 1);
    gt__trial_log_close(j, false);
    if (!store_binary(name, binary)) return 3;
    if (binary == GPUTUNE_OK ? !store_binary_is(name, false) : !store_binary_is(NULL, true))
        return 4;
    return test_failures ? 5 : 0;
}

static int store_first(void) { return store_try("a", GPUTUNE_OK, GPUTUNE_OK, GPUTUNE_OK); }
static int store_shut_out(void)
{
    return store_try("b", GPUTUNE_ERROR_FILE, GPUTUNE_ERROR_FILE, GPUTUNE_ERROR_FILE);
}
static int store_foreign(void)
{
    return store_try("a", GPUTUNE_ERROR_FORMAT, GPUTUNE_ERROR_FILE, GPUTUNE_ERROR_FILE);
}
static int store_guest(void)
{
    return store_try("b", GPUTUNE_OK, GPUTUNE_ERROR_FILE, GPUTUNE_ERROR_FILE);
}
static int store_plants(void)
{
    if (mkdir(store_beside(".journal"), 0777) || mkdir(store_beside(".binaries"), 0777)) return 1;
    if (symlink("../victim", journal_file()) || !store_binary("theirs", GPUTUNE_OK)) return 2;
    if (chmod(store_beside(".journal"), 0777) || chmod(store_beside(".binaries"), 0755)) return 3;
    return symlink("made", store_file) || symlink("victim", store_beside(".lock")) ? 4 : 0;
}

// Where other users come to, too.
static void store_enter_for_all(void)
{
    char *folder = store_environment("TEST_FOLDER"), *temporary = store_environment("TMPDIR");
    unsetenv("TEST_FOLDER");
    unsetenv("TMPDIR");
    store_enter();
    store_restore("TEST_FOLDER", folder);
    store_restore("TMPDIR", temporary);
    CHECK_INT(chmod(store_folder, 0777), 0);
}

// Two users and a folder into which both may write.
static void test_store_second_user(void)
{
    const uid_t first = 65533, second = 65534;
    char path[200];
    if (geteuid() != 0) SKIP("needs root, to be two other users");
    store_enter_for_all();
    CHECK_INT(store_as(first, store_first), 0); // what one has is not the other's to read
    CHECK_INT(store_as(second, store_shut_out), 0);
    CHECK_INT(store_mode(store_file), 0600);
    CHECK_INT(store_mode(store_beside(".lock")), 0600);
    CHECK_INT(store_mode(store_beside(".journal")), 0700);
    CHECK_INT(store_mode(journal_file()), 0600);
    CHECK_INT(store_mode(store_beside(".binaries")), 0700);
    CHECK_INT(store_mode(store_beside(".binaries/007")), 0600);
    CHECK_INT(store_lines(), 1);
    store_leave();

    store_enter_for_all(); // shared by making it so
    store_write(store_file, "", 0);
    CHECK_INT(chmod(store_file, 0666), 0);
    CHECK_INT(store_as(first, store_first), 0);
    CHECK_INT(store_as(second, store_guest), 0);
    CHECK_INT(store_as(first, store_first), 0);
    CHECK_INT(store_lines(), 2);
    CHECK_INT(store_mode(store_file), 0666);
    CHECK_INT(store_mode(store_beside(".lock")), 0666);
    store_leave();

    store_enter_for_all(); // one lays traps for the other
    store_victim_make();
    CHECK_INT(chown(store_victim, first, first), 0);
    CHECK_INT(store_as(second, store_plants), 0);
    CHECK_INT(store_as(first, store_shut_out), 0);
    store_victim_check();
    snprintf(path, sizeof path, "%s/made", store_folder);
    CHECK(!store_exists(path));
    CHECK_INT(unlink(store_file), 0);
    CHECK_INT(unlink(store_beside(".lock")), 0);
    CHECK_INT(link(store_victim, store_file), 0);
    CHECK_INT(link(store_victim, store_beside(".lock")), 0);
    CHECK_INT(store_as(first, store_foreign), 0);
    store_victim_check();
    store_leave();
}

static const test_case store_cases[] = {
    { "numbers", test_store_numbers },
    { "locale", test_store_locale },
    { "round_trip", test_store_round_trip },
    { "format", test_store_format },
    { "field_gone", test_store_field_gone },
    { "old_version", test_store_old_version },
    { "lines_kept", test_store_lines_kept },
    { "twice", test_store_twice },
    { "evict", test_store_evict },
    { "merge", test_store_merge },
    { "lengths", test_store_lengths },
    { "nearest", test_store_nearest },
    { "reasons", test_store_reasons },
    { "others", test_store_others },
    { "many", test_store_many },
    { "flips", test_store_flips },
    { "truncations", test_store_truncations },
    { "future", test_store_future },
    { "not_a_store", test_store_not_a_store },
    { "blank_lines", test_store_blank_lines },
    { "refusals", test_store_refusals },
    { "blocked", test_store_blocked },
    { "disk_full", test_store_disk_full },
    { "folders", test_store_folders },
    { "current_folder", test_store_current_folder },
    { "symlink", test_store_symlink },
    { "readonly", test_store_readonly },
    { "path", test_store_path },
    { "journal_synced", test_store_journal_synced },
    { "locked", test_store_locked },
    { "kill", test_store_kill },
    { "memory", test_store_memory },
    { "journal", test_store_journal },
    { "journal_unfinished", test_store_journal_unfinished },
    { "journal_format", test_store_journal_format },
    { "quarantine", test_store_quarantine },
    { "journal_tails", test_store_journal_tails },
    { "journal_race", test_store_journal_race },
    { "journal_flips", test_store_journal_flips },
    { "journal_truncations", test_store_journal_truncations },
    { "journal_anew", test_store_journal_anew },
    { "journal_future", test_store_journal_future },
    { "journal_locked", test_store_journal_locked },
    { "journal_refusals", test_store_journal_refusals },
    { "journal_full", test_store_journal_full },
    { "journal_memory", test_store_journal_memory },
    { "planted", test_store_planted },
    { "swapped", test_store_swapped },
    { "second_user", test_store_second_user },
    { NULL, NULL },
};
