// What an answer holds for: the store's key, the classes of calls, the first launch on the
// program's own buffers, and the trial log that is left behind.
#include "test.h"

#include <sys/wait.h>

enum { CLASSES_BYTES = 4096, CLASSES_ONE = 2 }; // how often one launch asks the replayed world

// A kernel whose best configuration is B=48; the default B=32 takes twice as long.
typedef struct classes_world {
    tune_log log;
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    const char *wrong; // a configuration that writes something wrong now; NULL: none
    const char *kills; // one that ends the process with the `deadly`-th launch of all (-1: its
    int deadly;        // own first); NULL: none
    int launches;
    char launched[32];
    gputune_arg args[8];
    int count;
    unsigned char *memory; // of buffers, aligned to 64
    void *whole;
} classes_world;

static void classes_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    classes_world *w = (classes_world *)user;
    char text[32];
    gputune_config_text(config, text, sizeof text);
    trial->seconds = strcmp(text, "B=48") == 0 ? 1e-3 : 2e-3;
    trial->compile_seconds = 0.01;
    if (!test_launch(trial)) return;
    w->launches++;
    snprintf(w->launched, sizeof w->launched, "%s", text);
    if (w->kills && strcmp(text, w->kills) == 0 && (w->deadly < 0 || w->launches == w->deadly))
        _exit(77);
    if (w->wrong && strcmp(text, w->wrong) == 0) trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
}

static const gputune_param classes_params[] = { { "B", "set 32,48", "32" }, { NULL, NULL, NULL } };

static void classes_init(classes_world *w, const char *store)
{
    memset(w, 0, sizeof *w);
    w->whole = malloc(4 * CLASSES_BYTES + 64);
    w->memory = (unsigned char *)w->whole + 64 - (uintptr_t)w->whole % 64;
    w->replay.options.store = store;
    w->replay.options.log = tune_logger;
    w->replay.options.user = &w->log;
    w->replay.trial = classes_trial;
    w->replay.user = w;
    w->desc.name = "kernel";
    w->desc.params = classes_params;
    w->desc.global = "n";
    w->desc.local = "B";
    w->desc.signature = "int n, int mode, float a, uchar *x, uchar *y";
}

static void classes_open(classes_world *w)
{
    w->log.used = 0;
    w->log.text[0] = 0;
    w->device = gputune_replay_device_create(&w->replay);
    w->kernel = gputune_kernel_create(w->device, &w->desc);
}

static void classes_close(classes_world *w)
{
    gputune_kernel_destroy(w->kernel);
    gputune_device_destroy(w->device);
}

static void classes_args(classes_world *w, int n, int mode, double a, size_t x, size_t y)
{
    w->args[0] = gputune_int(n);
    w->args[1] = gputune_int(mode);
    w->args[2] = gputune_float(a);
    w->args[3] = gputune_in(w->memory + x, 256);
    w->args[4] = gputune_out(w->memory + y, 256);
    w->count = 5;
}

// Runs; how many launches that took.
static int classes_run(classes_world *w)
{
    w->launches = 0;
    CHECK_OR(gputune_run(w->kernel, w->args, w->count) == GPUTUNE_OK, "%s",
             gputune_kernel_error(w->kernel)->text);
    return w->launches;
}

// --- the key ---

static bool classes_check(void *user, const void *const *outputs, char *why, size_t size)
{
    (void)user, (void)outputs, (void)why, (void)size;
    return true;
}

static gputune_result classes_launch(void *user, gputune_kernel *kernel,
                                     const gputune_config *config, const gputune_arg *args,
                                     int count, void *queue)
{
    gputune_kernel_desc desc;
    (void)user, (void)queue;
    memset(&desc, 0, sizeof desc);
    desc.name = "kernel";
    desc.signature = "int n, int mode, float a, uchar *x, uchar *y";
    desc.global = "n";
    return gputune_launch(kernel, config, &desc, args, count);
}

// Another version of the program, by number; what the log says of it. NULL: no more; "": the store
// knows the answer all the same.
static const char *classes_version(classes_world *w, int version)
{
    gputune_tune_desc *t = &w->desc.tune;
    switch (version) {
    case 0: w->desc.global = "2 * n"; return "launch changed";
    case 1: w->desc.local = NULL; return "launch changed";
    case 2: w->desc.signature = "int n, uint mode, float a, uchar *x, uchar *y";
        return "launch changed";
    case 3: w->desc.compiler_options = "-DX"; return "options changed";
    case 4: w->desc.compiler_options = "-cl-fast-relaxed-math"; return "options changed";
    case 5: t->check = classes_check; return "rules changed";
    case 6: t->tolerance = 0.5; return "rules changed";
    case 7: t->absolute_tolerance = 0.5; return "rules changed";
    case 8: t->cold_cache = true; return "rules changed";
    case 9: t->objective = "time * 2"; return "rules changed";
    case 10: t->reference_launch = classes_launch; return "rules changed";
    case 11: w->args[4] = gputune_compared(w->args[4], 0, 0, NULL); return "rules changed";
    case 12: w->args[4] = gputune_compared(w->args[4], 0, 128, NULL); return "rules changed";
    case 13: w->args[4] = gputune_compared(w->args[4], 0, 256, w->memory); return "rules changed";
    case 14: w->args[4].kind = GPUTUNE_ARG_INOUT; return "rules changed";
    case 15: w->args[3] = gputune_out(w->memory + 1024, 256); return "rules changed";
    case 16: w->args[w->count++] = gputune_local("4 * B"); return "launch changed";
    case 17: w->desc.global = " n"; return "";
    case 18: t->budget.trials = 100; return "";
    case 19: t->time_limit = 3; return "";
    default: return NULL;
    }
}

static void test_classes_versions(void)
{
    const char *says;
    int i;
    for (i = 0;; i++) {
        classes_world w;
        char text[32];
        tune_temp();
        classes_init(&w, tune_store);
        classes_args(&w, 1024, 1, 2, 0, 1024);
        classes_open(&w);
        classes_run(&w);
        CHECK_INT(gputune_kernel_outcome(w.kernel)->origin, GPUTUNE_FROM_TUNING);
        classes_close(&w);
        says = classes_version(&w, i);
        if (says) {
            if (i == 16)
                w.desc.signature = "int n, int mode, float a, uchar *x, uchar *y, local int *z";
            classes_open(&w);
            classes_run(&w);
            snprintf(text, sizeof text, "version %d", i);
            CHECK_OR((gputune_kernel_outcome(w.kernel)->origin == GPUTUNE_FROM_STORE) == !*says,
                     "%s: %s", text, w.log.text);
            CHECK_OR(strstr(w.log.text, says) != NULL, "%s, expected %s in %s", text, says,
                     w.log.text);
            classes_close(&w);
        }
        free(w.whole);
        tune_clean();
        if (!says) break;
    }
    CHECK_INT(i, 20);
}

// The options' integers tell problems of one kernel apart; all else in them tells kernels apart.
static void test_classes_defines(void)
{
    static const struct {
        const char *options, *says; // says: the log
        gputune_origin origin;
        bool wrong; // the best configuration
    } rows[] = {
        { "-DN=64 -D M=0", "not in the store: no entry", GPUTUNE_FROM_TUNING, false },
        { "-DN=96 -DM=0", "problem n=2^10 -DM=0 -DN=96 (nearest stored n=2^10 -DM=0 -DN=64)",
          GPUTUNE_FROM_TUNING, false },
        { "-DN=64 -DM", "problem n=2^10 -DM=1 -DN=64 (nearest stored n=2^10 -DM=0 -DN=64)",
          GPUTUNE_FROM_TUNING, false },
        { "-DN=120 -DM=0", "taken over from other problems", GPUTUNE_FROM_TUNING, false },
        { "-DN=121 -DM=0", "nothing is faster than the default for certain", GPUTUNE_FROM_TUNING,
          true },
        { "-D M=0 -DN=64", "known: B=48", GPUTUNE_FROM_STORE, false },
        { "-DM=1 -D N=64", "known: B=48", GPUTUNE_FROM_STORE, false },
        { "-DM=0 -DN=65u", "(nearest stored n=2^10 -DM=0 -DN=64)", GPUTUNE_FROM_TUNING, false },
        { "-DM=0 -DN=0x41", "(nearest stored n=2^10 -DM=0 -DN=65u)", GPUTUNE_FROM_TUNING, false },
        { "-DM=0 -DN=6.5", "options changed, problem", GPUTUNE_FROM_TUNING, false },
        { "-DM=0 -DN=7.5", "options changed", GPUTUNE_FROM_TUNING, false },
        { "-DM=0 -DN=64 -DN=64", "options changed", GPUTUNE_FROM_TUNING, false },
        { "-DM=0 -DN=64 -UN", "options changed", GPUTUNE_FROM_TUNING, false },
        { "-DN=64", "options changed, problem", GPUTUNE_FROM_TUNING, false },
        { "-DM=0 -DN=64 -DB=48", "options changed\n", GPUTUNE_FROM_TUNING, false },
    };
    classes_world w;
    size_t i;
    tune_temp();
    classes_init(&w, tune_store);
    classes_args(&w, 1024, 1, 2, 0, 1024);
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        w.desc.compiler_options = rows[i].options;
        w.wrong = rows[i].wrong ? "B=48" : NULL;
        classes_open(&w);
        classes_run(&w);
        CHECK_OR(gputune_kernel_outcome(w.kernel)->origin == rows[i].origin, "%s: %s",
                 rows[i].options, gputune_kernel_outcome(w.kernel)->text);
        CHECK_OR(strstr(w.log.text, rows[i].says) != NULL, "%s: %s", rows[i].options, w.log.text);
        CHECK_OR((strcmp(w.launched, "B=32") == 0) == rows[i].wrong, "%s: ran %s",
                 rows[i].options, w.launched);
        classes_close(&w);
    }
    free(w.whole);
    tune_clean();
}

// The size of local memory is known with the call.
static void test_classes_local(void)
{
    static const char *const sizes[] = { "4 * B", "8 * B", "4*B", "8 * B" };
    classes_world w;
    int i;
    tune_temp();
    classes_init(&w, tune_store);
    w.desc.signature = NULL;
    for (i = 0; i < 4; i++) {
        classes_open(&w);
        classes_args(&w, 1024, 1, 2, 0, 1024);
        w.desc.global = "64";
        w.args[w.count++] = gputune_local(sizes[i]);
        classes_close(&w);
        classes_open(&w);
        classes_run(&w);
        CHECK_INT(gputune_kernel_outcome(w.kernel)->origin,
                  i < 2 ? GPUTUNE_FROM_TUNING : GPUTUNE_FROM_STORE);
        if (i == 1) CHECK_HAS(w.log.text, "not in the store: launch changed");
        classes_close(&w);
    }
    free(w.whole);
    tune_clean();
}

// Two descriptions whose texts are the same, but for the field that they stand in.
static void test_classes_fields_apart(void)
{
    classes_world w;
    gputune_function functions[] = { { "kernel", NULL, NULL }, { "cold", NULL, NULL },
                                     { NULL, NULL, NULL } };
    uint64_t hash[8];
    int i, k;
    classes_init(&w, "");
    w.desc.functions = functions;
    w.desc.signature = NULL;
    for (i = 0; i < 8; i++) {
        w.desc.tune.cold_cache = i == 0;
        w.desc.tune.reference = i == 1 ? "cold" : NULL;
        w.desc.compiler_options =
            i == 2 ? "cold" : i == 6 ? "-DN=1" : i == 7 ? "-DN=2" : NULL;
        w.desc.tune.check = i == 3 ? classes_check : NULL;
        w.desc.global = i == 4 ? "B" : "n";
        w.desc.local = i == 5 ? "n" : "B";
        classes_open(&w);
        hash[i] = w.kernel->hash;
        classes_close(&w);
        for (k = 0; k < i; k++) CHECK_OR(hash[k] != hash[i], "%d and %d", k, i);
    }
    free(w.whole);
}

typedef struct classes_text {
    const char *text, *options; // NULL: as in the first row
    const char *file, *content; // written before, in the test's folder
    bool same;                  // the key is the first row's
} classes_text;

#define CLASSES_BODY "__kernel void kernel(int n, __global uchar *y) { y[0] = 1; }\n"

// The hashes of a text, its options and the integers that they define, with files in a folder that
// the options name as %s.
static void classes_hashes(const classes_text *t, const classes_text *first, uint64_t hashes[3])
{
    static const gputune_param params[] = { { "P", "set 1,2", "1" }, { NULL, NULL, NULL } };
    gputune_space_desc desc;
    gputune_space *space;
    char *words = NULL;
    gt__source source;
    gputune_error error;
    char options[400], path[200];
    FILE *f;
    if (t->file) {
        snprintf(path, sizeof path, "%s/%s", tune_folder, t->file);
        f = fopen(path, "wb");
        CHECK(f && fputs(t->content, f) >= 0);
        if (f) fclose(f);
    }
    snprintf(options, sizeof options, t->options ? t->options : first->options, tune_folder,
             tune_folder);
    CHECK_INT(gt__source_parse(&store_base, t->text ? t->text : first->text, &source, &error),
              GPUTUNE_OK);
    memset(&desc, 0, sizeof desc);
    desc.params = params;
    space = gputune_space_create(&desc);
    CHECK(gt__text_hash(&store_base, source.text, options, &hashes[0]));
    CHECK(gt__options_hash(&store_base, options, space, &hashes[1], &words));
    hashes[2] = gt__hash_text(words ? words : "", 0);
    gt__arr_free(&store_base, words);
    gputune_space_destroy(space);
    gt__source_free(&store_base, &source);
}

static void test_classes_texts(void)
{
    static const char head[] = "#include \"a.h\"\n#define F(x) (x)\nint f = 1 + 2;\n";
    static const classes_text rows[] = {
        { "#include \"a.h\"\n#define F(x) (x)\nint f = 1 + 2;\n" CLASSES_BODY,
          "-I%s -DA=1 -DB=2", "a.h", "#include <b.h>\nint a;\n", true },
        { NULL, NULL, "b.h", "int b;\n", false }, // it was not there
        { NULL, NULL, "b.h", "// a comment\nint  b; /* and blanks */\r\n", true },
        { NULL, NULL, "b.h", "int c;\n", false },
        { NULL, NULL, "b.h", "int b;\n", true },
        { NULL, NULL, "a.h", "#include <b.h>\nlong a;\n", false },
        { NULL, NULL, "a.h", "#include <b.h>\nint a;\n", true },
        { "#include \"a.h\"\r\n#define F(x) (x)\r\nint f = 1 + 2;\r\n" CLASSES_BODY, NULL, NULL,
          NULL, true },
        { "#include \"a.h\"\n#define F(x) \\\n (x)\nint f = 1+2; // three\n" CLASSES_BODY, NULL,
          NULL, NULL, true },
        { "#include \"a.h\"\n#define F (x) (x)\nint f = 1 + 2;\n" CLASSES_BODY, NULL, NULL, NULL,
          false },
        { "#include \"a.h\"\n#define F(x) (x) int f = 1 + 2;\n" CLASSES_BODY, NULL, NULL, NULL,
          false },
        { "#include \"a.h\"\n#define F(x) (x)\nint f = 1 + + 2;\n" CLASSES_BODY, NULL, NULL, NULL,
          false },
        { "#include \"a.h\"\n#define F(x) (x)\nint f = 1 - 2;\n" CLASSES_BODY, NULL, NULL, NULL,
          false },
        { NULL, "-DB=2  -I %s\t-D A=1", NULL, NULL, true },
        { NULL, "-I%s -DA -DB=2", NULL, NULL, true },
        { NULL, "-I%s/ -I/nowhere -DA=1 -DB=2", NULL, NULL, true },
        { NULL, "-I%s -DA=1 -DB=3", NULL, NULL, false },
        { NULL, "-I%s -DA=2 -DB=1", NULL, NULL, false },
        { NULL, "-I%s -DA=1 -DB=2 -DB=3", NULL, NULL, false },
        { NULL, "-I%s -DA=1 -DB=2 -UA", NULL, NULL, false },
        { NULL, "-I%s -DA=1 -DB=2 -w", NULL, NULL, false },
        { NULL, "-DA=1 -DB=2", NULL, NULL, false }, // a.h is not found
    };
    static const classes_text named[] = { // the name of the file is a macro
        { "#define H \"c.h\"\n#include H\n" CLASSES_BODY, "-I%s", "c.h", "int c;\n", true },
        { NULL, NULL, "c.h", "int d;\n", false },
        { "#include H\n" CLASSES_BODY, "-I%s -DH=\\\"c.h\\\"", "c.h", "int c;\n", true },
        { "#include H\n" CLASSES_BODY, "-I%s -DH=\\\"c.h\\\"", "c.h", "int d;\n", false },
        { "#define N(x) #x\n#include N(c.h)\n" CLASSES_BODY, "-I%s", "c.h", "int c;\n", true },
        { "#define N(x) #x\n#include N(c.h)\n" CLASSES_BODY, "-I%s", "c.h", "int d;\n", false },
        { CLASSES_BODY, "-I%s -include c.h", "c.h", "int c;\n", true },
        { CLASSES_BODY, "-I%s -include c.h", "c.h", "int d;\n", false },
    };
    uint64_t first[3], now[3], before[3] = { 0, 0, 0 };
    size_t i;
    tune_temp();
    CHECK(strncmp(rows[0].text, head, sizeof head - 1) == 0);
    classes_hashes(&rows[0], &rows[0], first);
    for (i = 1; i < sizeof rows / sizeof *rows; i++) {
        classes_hashes(&rows[i], &rows[0], now);
        if (i == 1) CHECK(memcmp(now, first, sizeof now) != 0);
        if (i == 1) memcpy(first, now, sizeof now); // with b.h
        if (i > 1)
            CHECK_OR((memcmp(now, first, sizeof now) == 0) == rows[i].same, "row %d", (int)i);
    }
    for (i = 0; i < sizeof named / sizeof *named; i++) {
        classes_hashes(&named[i], &named[0], now);
        if (!named[i].same) CHECK_OR(memcmp(now, before, sizeof now) != 0, "named %d", (int)i);
        memcpy(before, now, sizeof now);
    }
    tune_clean();
}

// --- classes of calls ---

// What a second call adds to the first, (1024, 1, 2.0, 0, 1024): a verification, or nothing.
typedef struct classes_call {
    int n, mode;
    double a;
    size_t x, y; // bytes of the memory where its buffers begin
    bool verified;
} classes_call;

static void test_classes_calls(void)
{
    static const classes_call calls[] = {
        { 1024, 1, 2, 0, 1024, false },  { 1024, 1, 3.5, 0, 1024, false },
        { 1024, 1, 0, 0, 1024, true },   { 1024, 1, 1, 0, 1024, true },
        { 1024, 1, 1e308 * 10, 0, 1024, true },
        { 1023, 1, 2, 0, 1024, true },   { 1022, 1, 2, 0, 1024, true },
        { 1021, 1, 2, 0, 1024, false }, // odd, as 1023 was
        { 1008, 1, 2, 0, 1024, true },   // 21 times 48
        { 976, 1, 2, 0, 1024, true },    // aligned as 1008 is, but 48 does not divide it
        { 912, 1, 2, 0, 1024, false },   // 19 times 48
        { 1024, 2, 2, 0, 1024, true },   { 1024, -1, 2, 0, 1024, true },
        { 1024, 2, 2, 0, 1024, false },  { 1024, 1, 2, 4, 1024, true },
        { 1024, 1, 2, 68, 1024, false }, { 1024, 1, 2, 0, 1028, true },
        { 1024, 1, 2, 32, 1024, true },  { 1024, 1, 2, 64, 2048, false },
        { 1024, 1, 2, 1024, 1024, true }, // the same memory
        { 1024, 1, 2, 1024, 1088, true }, // it overlaps
        { 1024, 1, 2, 1024, 1152, false },
        { 1024, 1, 2, 1024, 1280, false }, // apart
    };
    classes_world w;
    size_t i;
    int launches;
    classes_init(&w, "");
    classes_args(&w, 1024, 1, 2, 0, 1024);
    classes_open(&w);
    classes_run(&w);
    CHECK_TEXT(w.launched, "B=48");
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        const classes_call *c = &calls[i];
        classes_args(&w, c->n, c->mode, c->a, c->x, c->y);
        launches = classes_run(&w);
        CHECK_OR((launches > CLASSES_ONE) == c->verified, "call %d: %d launches", (int)i, launches);
        CHECK_TEXT(w.launched, "B=48");
        CHECK_INT(classes_run(&w), CLASSES_ONE);
    }
    classes_close(&w);
    free(w.whole);
}

// Eight values of an integer that the launch does not mention count one by one. The ones behind
// them count by what divides them.
static void test_classes_values(void)
{
    classes_world w;
    int i, seen = 0;
    classes_init(&w, "");
    classes_open(&w);
    for (i = 0; i < 8; i++) {
        classes_args(&w, 1024, 100 + i, 2, 0, 1024);
        CHECK_OR(classes_run(&w) > CLASSES_ONE, "value %d", i);
    }
    for (i = 0; i < 64; i++) {
        classes_args(&w, 1024, 200 + i, 2, 0, 1024);
        seen += classes_run(&w) > CLASSES_ONE;
    }
    CHECK_INT(seen, 5); // 1, 2, 4, 8, 16
    for (i = 0; i < 8; i++) {
        classes_args(&w, 1024, 100 + i, 2, 0, 1024);
        CHECK_INT(classes_run(&w), CLASSES_ONE);
    }
    classes_close(&w);
    free(w.whole);
}

// A struct's bytes count, and so do those of a buffer that gputune_compared leaves out.
static void test_classes_structs(void)
{
    classes_world w;
    struct { int32_t a, b; } value = { 1, 2 };
    int i;
    classes_init(&w, "");
    w.desc.signature = NULL;
    w.desc.global = "64";
    classes_open(&w);
    for (i = 0; i < 12; i++) {
        value.b = i;
        w.args[0] = gputune_bytes(&value, sizeof value);
        w.args[1] = gputune_out(w.memory, 256);
        w.count = 2;
        CHECK_OR((classes_run(&w) > CLASSES_ONE) == (i < 9), "struct %d", i);
    }
    for (i = 1; i < 12; i++) {
        w.args[1] = gputune_compared(gputune_out(w.memory, 256), 0, (size_t)(16 * i), NULL);
        CHECK_OR((classes_run(&w) > CLASSES_ONE) == (i < 10), "window %d", i);
    }
    classes_close(&w);
    free(w.whole);
}

// A wrong answer in one class is not used there, in no process; elsewhere it is. Nothing is
// verified twice, nor searched.
static void test_classes_wrong(void)
{
    classes_world w;
    const gputune_outcome *o;
    int process;
    tune_temp();
    classes_init(&w, tune_store);
    for (process = 0; process < 3; process++) {
        classes_open(&w);
        classes_args(&w, 1024, 1, 2, 0, 1024);
        w.wrong = NULL;
        classes_run(&w);
        CHECK_TEXT(w.launched, "B=48");
        CHECK_INT(gputune_kernel_outcome(w.kernel)->origin,
                  process ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        w.log.text[w.log.used = 0] = 0;
        classes_args(&w, 1024, 2, 2, 0, 1024);
        w.wrong = "B=48";
        CHECK((classes_run(&w) > CLASSES_ONE) == !process);
        CHECK_TEXT(w.launched, "B=32");
        CHECK((strstr(w.log.text, "runs for one class of calls, because B=48") != NULL) ==
              !process);
        o = gputune_kernel_outcome(w.kernel);
        tune_expect(o, "B=32");
        CHECK_INT(o->origin, GPUTUNE_FROM_DEFAULT);
        CHECK_HAS(o->text, "the default: B=32");
        CHECK_HAS(o->note, "not verified for this class of calls");
        CHECK_INT(classes_run(&w), CLASSES_ONE);
        CHECK_INT(gputune_tune(w.kernel, w.args, w.count), GPUTUNE_OK);
        tune_expect(gputune_kernel_outcome(w.kernel), "B=32");
        classes_args(&w, 1024, 1, 2, 0, 1024);
        CHECK_INT(gputune_tune(w.kernel, w.args, w.count), GPUTUNE_OK);
        tune_expect(gputune_kernel_outcome(w.kernel), "B=48");
        classes_close(&w);
    }
    free(w.whole);
    tune_clean();
}

// Behind 64 classes the default runs, which the log says once. `.tune.classes` names the arguments
// that count.
static void test_classes_most(void)
{
    classes_world w;
    int i, k, verified, standard;
    const char *at;
    classes_init(&w, "");
    w.desc.signature = "int n, int mode, int more, uchar *x, uchar *y";
    for (k = 0; k < 2; k++) {
        w.desc.tune.classes = k ? "mode" : NULL;
        classes_open(&w);
        for (i = verified = standard = 0; i < 100; i++) {
            classes_args(&w, 1024, i % 10, 2, 0, 1024);
            w.args[2] = gputune_int(i / 10);
            verified += classes_run(&w) > CLASSES_ONE;
            standard += strcmp(w.launched, "B=48") != 0;
        }
        CHECK_INT(verified, k ? 10 : 64); // with the tuning
        CHECK((standard > 10) == !k);
        at = strstr(w.log.text, "calls are of over 64 classes");
        CHECK((at != NULL) == !k);
        if (at) CHECK(!strstr(at + 1, "calls are of over 64 classes"));
        classes_close(&w);
    }
    w.desc.tune.classes = "mode, none";
    classes_open(&w);
    CHECK_INT(gputune_run(w.kernel, w.args, w.count), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_kernel_error(w.kernel)->text, "\"none\" is no argument");
    classes_close(&w);
    free(w.whole);
}

// A store that is only read verifies, too, and its file stays. Without seconds the default runs
// until there are some.
static void test_classes_readonly(void)
{
    classes_world w;
    int i;
    tune_temp();
    classes_init(&w, tune_store);
    classes_open(&w);
    classes_args(&w, 1024, 1, 2, 0, 1024);
    classes_run(&w);
    classes_close(&w);
    store_read(tune_store);
    w.replay.options.mode = GPUTUNE_MODE_READONLY;
    for (i = 0; i < 2; i++) {
        char *before = strdup(store_bytes);
        classes_open(&w);
        classes_args(&w, 1024, 2, 2, 0, 1024);
        CHECK(classes_run(&w) > CLASSES_ONE);
        CHECK_TEXT(w.launched, "B=48");
        CHECK_INT(classes_run(&w), CLASSES_ONE);
        classes_close(&w);
        store_read(tune_store);
        CHECK_TEXT(store_bytes, before);
        free(before);
    }
    w.replay.options.mode = GPUTUNE_MODE_ON;
    w.replay.options.tuning_seconds = 1e-9;
    classes_open(&w);
    classes_args(&w, 1024, 1, 2, 0, 1024);
    CHECK_INT(classes_run(&w), CLASSES_ONE); // known
    CHECK_TEXT(w.launched, "B=48");
    classes_args(&w, 1024, 2, 2, 0, 1024);
    CHECK(classes_run(&w) > CLASSES_ONE); // the first takes the seconds
    classes_args(&w, 1024, 3, 2, 0, 1024);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    CHECK_TEXT(w.launched, "B=32");
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    classes_close(&w);
    free(w.whole);
    tune_clean();
}

// --- the first launch ---

static int classes_files(void)
{
    char command[200], text[40] = "";
    FILE *f;
    snprintf(command, sizeof command, "ls '%s.journal' 2>/dev/null | wc -l", tune_store);
    f = popen(command, "r");
    CHECK(f && fgets(text, sizeof text, f));
    if (f) pclose(f);
    return atoi(text);
}

// In a child: runs a call; `deadly` > 0: the winner ends the process in that launch.
static int classes_child(int mode, int deadly)
{
    classes_world w;
    int status = 0;
    pid_t pid;
    fflush(stdout);
    pid = fork();
    if (!pid) {
        classes_init(&w, tune_store);
        classes_open(&w);
        classes_args(&w, 1024, mode, 2, 0, 1024);
        w.kills = deadly ? "B=48" : NULL;
        w.deadly = deadly;
        classes_run(&w);
        _exit(strcmp(w.launched, "B=48") == 0 ? 48 : 32);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    return WEXITSTATUS(status);
}

// Is the text in the store?
static bool classes_stored(const char *text)
{
    char line[4096];
    FILE *f = fopen(tune_store, "r");
    bool found = false;
    while (f && fgets(line, sizeof line, f)) found = found || strstr(line, text) != NULL;
    if (f) fclose(f);
    return found;
}

// A winner that ends the program in its first real launch is passed over in the next run: where it
// was tuned the search goes on without it, elsewhere its class has the default.
static void test_classes_deaths(void)
{
    classes_world w;
    int last;
    tune_temp();
    classes_init(&w, tune_store);
    classes_open(&w);
    classes_args(&w, 1024, 1, 2, 0, 1024);
    last = classes_run(&w);
    classes_close(&w);
    free(w.whole);
    CHECK_INT(classes_files(), 0); // the answer is final
    CHECK(classes_stored("\tclasses=*")); // launched, so no later launch is the first
    CHECK_INT(remove(tune_store), 0);
    CHECK_INT(classes_child(1, last), 77);
    CHECK(classes_files() > 0);
    CHECK_INT(classes_child(1, 0), 32);
    CHECK_INT(classes_child(1, 0), 32); // final
    CHECK_INT(classes_files(), 0);
    CHECK_INT(remove(tune_store), 0);
    CHECK_INT(classes_child(1, 0), 48);
    tune_clean();
    tune_temp();
    CHECK_INT(classes_child(1, 0), 48);
    classes_init(&w, tune_store);
    classes_open(&w);
    classes_args(&w, 1024, 3, 2, 0, 1024);
    last = classes_run(&w); // verified, and launched
    classes_close(&w);
    free(w.whole);
    CHECK(last > 2);
    CHECK_INT(classes_child(2, last), 77);
    CHECK_INT(classes_child(2, 0), 32);
    CHECK_INT(classes_child(2, 0), 32);
    CHECK_INT(classes_child(1, 0), 48);
    CHECK_INT(classes_child(3, 0), 48);
    CHECK_INT(classes_child(4, -1), 77); // in the verification
    CHECK_INT(classes_child(4, 0), 32);
    CHECK_INT(classes_child(1, 0), 48);
    CHECK_INT(classes_files(), 0);
    tune_clean();
}

static gputune_driver classes_plain;
static bool classes_running;

static gputune_result classes_real(void *self, void *code, const gputune_driver_launch *launch,
                                   gputune_error *error)
{
    classes_running = true;
    return classes_plain.launch(self, code, launch, error);
}

static gputune_result classes_wait(void *self, gputune_error *error)
{
    if (classes_running) return gt__error(error, GPUTUNE_ERROR_DRIVER, "misaligned address");
    return classes_plain.wait(self, error);
}

// A first launch that fails while it runs, on a device, is told so, and is known to the next run.
static void test_classes_failure(void)
{
    classes_world w;
    tune_temp();
    classes_init(&w, tune_store);
    classes_open(&w);
    classes_args(&w, 1024, 1, 2, 0, 1024);
    classes_plain = w.device->driver;
    classes_running = false;
    w.device->driver.launch = classes_real;
    w.device->driver.wait = classes_wait;
    CHECK_INT(gputune_run(w.kernel, w.args, w.count), GPUTUNE_ERROR_DRIVER);
    CHECK_HAS(gputune_kernel_error(w.kernel)->text, "misaligned address");
    classes_running = false;
    classes_close(&w);
    classes_open(&w);
    classes_run(&w);
    CHECK_TEXT(w.launched, "B=32");
    CHECK_HAS(w.log.text, "B=48 is passed over: misaligned address");
    classes_close(&w);
    free(w.whole);
    tune_clean();
}

// --- several launches ---

static const char *classes_global; // of the members

static gputune_result classes_series(void *user, gputune_kernel *kernel,
                                     const gputune_config *config, const gputune_arg *args,
                                     int count, void *queue)
{
    gputune_kernel_desc desc;
    (void)user, (void)queue;
    memset(&desc, 0, sizeof desc);
    desc.name = "part";
    desc.signature = "int n, int mode, float a, uchar *x, uchar *y";
    desc.global = classes_global;
    desc.local = "B";
    return gputune_launch(kernel, config, &desc, args, count);
}

// The stored answer of several launches is verified once in each process, for C code is in no key.
// Where other launches are made than it was found with, it is tuned again.
static void test_classes_series(void)
{
    gputune_function functions[] = { { "part", NULL, NULL }, { NULL, NULL, NULL } };
    classes_world w;
    int process;
    tune_temp();
    classes_init(&w, tune_store);
    w.desc.name = "whole";
    w.desc.functions = functions;
    w.desc.global = w.desc.local = NULL;
    w.desc.launch = classes_series;
    w.desc.tune.problem = "n";
    for (process = 0; process < 5; process++) {
        classes_global = process < 2 ? "n" : "2 * n";
        w.wrong = process == 4 ? "B=48" : NULL; // the function has another text
        classes_open(&w);
        classes_args(&w, 1024, 1, 2, 0, 1024);
        CHECK(classes_run(&w) > CLASSES_ONE);
        CHECK_TEXT(w.launched, process == 4 ? "B=32" : "B=48");
        CHECK_INT(gputune_kernel_outcome(w.kernel)->origin,
                  process == 4   ? GPUTUNE_FROM_DEFAULT
                  : process % 2  ? GPUTUNE_FROM_STORE
                                 : GPUTUNE_FROM_TUNING);
        CHECK((strstr(w.log.text, "the stored answer is of other launches") != NULL) ==
              (process == 2));
        CHECK_INT(classes_run(&w), CLASSES_ONE);
        classes_close(&w);
    }
    free(w.whole);
    tune_clean();
}

// --- files ---

// Where there is no room for the answer the trial log goes first, which is larger.
static void test_classes_full_disk(void)
{
    gputune_config config;
    gputune_tuner_desc desc;
    gputune_tuner *t;
    tune_log log;
    tune_temp();
    memset(&log, 0, sizeof log);
    memset(&desc, 0, sizeof desc);
    desc.name = "asked";
    desc.space.params = classes_params;
    desc.space.options.store = tune_store;
    desc.space.options.log = tune_logger;
    desc.space.options.user = &log;
    t = gputune_tuner_create(&desc);
    while (gputune_ask(t, &config) == GPUTUNE_ASK_CONFIG)
        gputune_tell(t, &config, (double)gputune_config_int(&config, "B"));
    CHECK(classes_files() > 0);
    fault_arm(FAULT_RENAME, 1, ENOSPC); // of the store's first writing
    CHECK_INT(gputune_tuner_best(t, &config), GPUTUNE_OK);
    CHECK(fault_disarm());
    CHECK(strstr(log.text, "is not saved") == NULL); // it was at once
    gputune_tuner_destroy(t);
    CHECK_INT(classes_files(), 0);
    store_read(tune_store);
    CHECK_HAS(store_bytes, "config=B=32\t");
    tune_clean();
}

// --- calls with the arguments of the last one, and with others ---

// What the replay driver is asked to launch, between the program and it.
static struct {
    gputune_result (*launch)(void *self, void *code, const gputune_driver_launch *launch,
                             gputune_error *error);
    int launches, asked, n, mode; // since the run began; the last one's arguments
    float a;
    void *x, *y;
    size_t global, local_bytes;
    bool fails, captured;
    size_t shift; // of buffers in their parents
} classes_seen;

static gputune_result classes_see(void *self, void *code, const gputune_driver_launch *launch,
                                  gputune_error *error)
{
    const gputune_bound_arg *args = launch->args;
    classes_seen.launches++;
    classes_seen.global = launch->global[0];
    if (launch->arg_count >= 5) {
        memcpy(&classes_seen.n, args[0].data, 4);
        memcpy(&classes_seen.mode, args[1].data, 4);
        memcpy(&classes_seen.a, args[2].data, 4);
        classes_seen.x = args[3].handle;
        classes_seen.y = args[4].handle;
    }
    classes_seen.local_bytes = launch->arg_count > 5 ? args[5].bytes : 0;
    if (classes_seen.fails)
        return gputune_error_set(error, GPUTUNE_ERROR_LAUNCH, "%s", "no launch today");
    return classes_seen.launch(self, code, launch, error);
}

static bool classes_capturing(void *self)
{
    (void)self;
    classes_seen.asked++;
    return classes_seen.captured;
}

static void *classes_parent(void *self, void *buffer, size_t *offset)
{
    (void)self, (void)offset;
    return (char *)buffer + classes_seen.shift;
}

static void classes_watch(classes_world *w)
{
    classes_open(w);
    memset(&classes_seen, 0, sizeof classes_seen);
    classes_seen.launch = w->device->driver.launch;
    w->device->driver.launch = classes_see;
    w->device->driver.capturing = classes_capturing;
}

// One launch of the winner, as the arguments say.
static void classes_check_call(classes_world *w, int n, int mode, double a, size_t x, size_t y)
{
    int again;
    classes_args(w, n, mode, a, x, y);
    classes_run(w);
    for (again = 0; again < 3; again++) {
        classes_seen.launches = classes_seen.asked = 0;
        CHECK_INT(classes_run(w), CLASSES_ONE);
        CHECK_INT(classes_seen.launches, 1);
        CHECK_INT(classes_seen.asked, 1); // is the queue being captured?
        CHECK_INT(classes_seen.n, n);
        CHECK_INT(classes_seen.mode, mode);
        CHECK(classes_seen.a == (float)a);
        CHECK(classes_seen.x == w->memory + x && classes_seen.y == w->memory + y);
        CHECK_INT(classes_seen.global, (n + 47) / 48 * 48);
        CHECK_TEXT(w->launched, "B=48");
    }
}

static void test_classes_again(void)
{
    classes_world w;
    classes_init(&w, "");
    classes_watch(&w);
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    classes_check_call(&w, 1008, 1, 0.5, 0, 1024);
    classes_check_call(&w, 1008, 2, 0.5, 0, 1024);
    classes_check_call(&w, 1008, 2, 0.25, 0, 1024);
    classes_check_call(&w, 1008, 2, 0.25, 512, 1024);
    classes_check_call(&w, 1008, 2, 0.25, 512, 2048);
    classes_check_call(&w, 5000, 2, 0.25, 512, 2048); // another problem
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    CHECK_TEXT(gputune_kernel_outcome(w.kernel)->problem, "n=2^10");
    // A value that its type does not hold is an error behind a good call, too, and changes nothing.
    w.args[0] = gputune_int(INT64_C(1) << 40);
    CHECK_INT(gputune_run(w.kernel, w.args, w.count), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_run(w.kernel, w.args, w.count), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(w.kernel)->text, "argument 0 (n)");
    w.args[0] = gputune_int(1000);
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    CHECK_INT(gputune_run(w.kernel, w.args, w.count - 1), GPUTUNE_ERROR_ARGUMENT);
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    CHECK_INT(gputune_run(w.kernel, w.args, 0), GPUTUNE_ERROR_ARGUMENT);
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    w.args[4] = gputune_inout(w.memory + 1024, 256); // is another problem
    CHECK(classes_run(&w) > CLASSES_ONE);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    classes_seen.captured = true; // the answer is known: it runs
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    classes_check_call(&w, 1008, 1, 0.5, 0, 1024);
    classes_close(&w);
    free(w.whole);
}

// Another call in between, of whatever kind, leaves the next run its own launch.
static void test_classes_between(void)
{
    gputune_config standard;
    gputune_arg other[5];
    classes_world w;
    classes_init(&w, "");
    classes_watch(&w);
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    memcpy(other, w.args, sizeof other);
    other[0] = gputune_int(9000);
    CHECK_INT(gputune_tune(w.kernel, other, 5), GPUTUNE_OK);
    CHECK_TEXT(gputune_kernel_outcome(w.kernel)->problem, "n=2^14");
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    CHECK_TEXT(gputune_kernel_outcome(w.kernel)->problem, "n=2^10");
    CHECK_INT(classes_seen.global, 1008);
    standard = gputune_space_default(gputune_kernel_space(w.kernel, w.args, w.count));
    CHECK_INT(gputune_kernel_launch(w.kernel, &standard, other, 5), GPUTUNE_OK);
    CHECK_TEXT(w.launched, "B=32");
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    w.args[3] = gputune_scratch(256); // has no address of the program's
    classes_run(&w);
    CHECK(classes_seen.x != NULL && classes_seen.x != w.memory);
    w.args[0] = gputune_int(1008);
    classes_run(&w);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    CHECK(classes_seen.x != NULL && classes_seen.x != w.memory && classes_seen.n == 1008);
    classes_close(&w);
    w.desc.signature = NULL; // problems are told apart by the buffers' bytes
    w.desc.global = "64";
    classes_watch(&w);
    w.args[0] = gputune_scratch(256);
    w.args[1] = gputune_out(w.memory, 256);
    w.count = 2;
    classes_run(&w);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    w.args[1] = gputune_out(w.memory + 1024, 256);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    classes_close(&w);
    free(w.whole);
}

// What arguments point to may change where it is: a text of local memory, a struct, and of which
// buffer one is a part.
static void test_classes_pointed(void)
{
    struct { int32_t a, b; } value = { 1, 2 };
    char text[] = "4 * B";
    classes_world w;
    classes_init(&w, "");
    w.desc.signature = "int n, int mode, float a, uchar *x, uchar *y, __local float *t";
    classes_watch(&w);
    classes_args(&w, 1000, 1, 0.5, 0, 1024);
    w.args[w.count++] = gputune_local(text);
    classes_run(&w);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    CHECK_INT(classes_seen.local_bytes, 4 * 48);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    text[0] = '8';
    classes_run(&w);
    CHECK_INT(classes_seen.local_bytes, 8 * 48);
    w.args[0] = gputune_int(1008);
    classes_run(&w);
    text[0] = '2';
    w.args[0] = gputune_int(1000);
    classes_run(&w);
    CHECK_INT(classes_seen.local_bytes, 2 * 48);
    classes_close(&w);
    w.desc.signature = NULL;
    w.desc.global = "64";
    classes_watch(&w);
    w.args[0] = gputune_bytes(&value, sizeof value);
    w.args[1] = gputune_out(w.memory, 256);
    w.count = 2;
    classes_run(&w);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    value.b = 3; // is verified first
    CHECK(classes_run(&w) > CLASSES_ONE);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    value.b = 2;
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    w.device->driver.parent = classes_parent;
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    classes_seen.shift = 4;
    CHECK(classes_run(&w) > CLASSES_ONE);
    CHECK_INT(classes_run(&w), CLASSES_ONE);
    classes_close(&w);
    free(w.whole);
}

// The types of arguments are found once for each list of kinds, and stay.
static void test_classes_typed(void)
{
    int64_t value = 7;
    size_t bytes[3] = { 0 };
    classes_world w;
    int i;
    classes_init(&w, "");
    w.desc.signature = NULL;
    w.desc.global = "64";
    classes_watch(&w);
    classes_args(&w, 1000, 1, 0.5, 0, 1024);
    w.count = 6;
    for (i = 0; i < 9; i++) {
        w.args[0] = i % 3 == 1 ? gputune_bytes(&value, sizeof value) : gputune_int(value);
        w.args[5] = gputune_local(i % 3 == 2 ? "8 * B" : "4 * B");
        classes_run(&w);
        CHECK_INT(gt__len(w.kernel->targets), i < 3 ? i + 1 : 3);
        if (i < 3) bytes[i] = (size_t)classes_seen.local_bytes;
        CHECK_INT(classes_seen.local_bytes, bytes[i % 3]);
    }
    CHECK_INT(bytes[0] % 4 + bytes[2] % 8, 0);
    CHECK(bytes[0] && bytes[2]);
    classes_close(&w);
    free(w.whole);
}

// A launch that fails is reported as ever, is not made twice, and the next one is made again.
static void test_classes_failing(void)
{
    classes_world w;
    classes_init(&w, "");
    classes_watch(&w);
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    classes_seen.fails = true;
    classes_seen.launches = 0;
    CHECK_INT(gputune_run(w.kernel, w.args, w.count), GPUTUNE_ERROR_LAUNCH);
    CHECK_TEXT(gputune_kernel_error(w.kernel)->text, "no launch today");
    CHECK_HAS(w.log.text, "launching the default this once: no launch today");
    CHECK_INT(classes_seen.launches, 2); // the default, too
    classes_seen.fails = false;
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    CHECK_INT(gputune_kernel_error(w.kernel)->result, GPUTUNE_OK);
    classes_close(&w);
    free(w.whole);
}

// A call of a class that could not be verified has the default, however often it is made; so has
// every call where tuning is off.
static void test_classes_unverified(void)
{
    classes_world w;
    int run;
    classes_init(&w, "");
    classes_watch(&w);
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    w.kernel->base.tuning_seconds = 1e-9;
    classes_args(&w, 1000, 1, 0.5, 1, 1024);
    for (run = 0; run < 3; run++) {
        CHECK_INT(classes_run(&w), CLASSES_ONE);
        CHECK_TEXT(w.launched, "B=32");
        CHECK_HAS(gputune_kernel_outcome(w.kernel)->note, "not verified for this class");
    }
    classes_check_call(&w, 1000, 1, 0.5, 0, 1024);
    classes_close(&w);
    w.replay.options.mode = GPUTUNE_MODE_OFF;
    classes_watch(&w);
    for (run = 0; run < 3; run++) {
        CHECK_INT(classes_run(&w), CLASSES_ONE);
        CHECK_TEXT(w.launched, "B=32");
    }
    classes_close(&w);
    free(w.whole);
}

static const test_case classes_cases[] = {
    { "again", test_classes_again },
    { "between", test_classes_between },
    { "pointed", test_classes_pointed },
    { "typed", test_classes_typed },
    { "failing", test_classes_failing },
    { "unverified", test_classes_unverified },
    { "versions", test_classes_versions },
    { "local", test_classes_local },
    { "fields_apart", test_classes_fields_apart },
    { "texts", test_classes_texts },
    { "defines", test_classes_defines },
    { "calls", test_classes_calls },
    { "values", test_classes_values },
    { "structs", test_classes_structs },
    { "wrong", test_classes_wrong },
    { "most", test_classes_most },
    { "readonly", test_classes_readonly },
    { "deaths", test_classes_deaths },
    { "failure", test_classes_failure },
    { "series", test_classes_series },
    { "full_disk", test_classes_full_disk },
    { NULL, NULL },
};
