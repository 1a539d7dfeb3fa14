// [files] and [recording]: metrics, trials and answers as files, tunings repeated from them, a
// second store. On the replay driver and ask/tell.
#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>

// --- a folder, a kernel, a tuner ---

static char files_folder[256], files_path_text[4][300];

// A path in the test's folder; one of the last four.
static const char *files_path(const char *name)
{
    static int turn;
    char *path = files_path_text[turn++ % 4];
    snprintf(path, 300, "%s/%s", files_folder, name);
    return path;
}

static void files_begin(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(files_folder, sizeof files_folder, "%s/gputune_files_XXXXXX", tmp ? tmp : "/tmp");
    CHECK_OR(mkdtemp(files_folder), "no folder %s", files_folder);
}

static void files_end(void)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", files_folder);
    CHECK_INT(system(command), 0);
}

static void files_put(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    CHECK_OR(file && fwrite(text, 1, size, file) == size && fclose(file) == 0, "%s", path);
}

// What stands in a file, up to some size; "" if there is none.
static const char *files_get(const char *path)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    if (file) fclose(file);
    return text;
}

// A launch takes (BLOCK / 64) ms, less 0.1 ms for each of ITEMS; some fail.
static void files_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const int64_t block = gputune_config_int(config, "BLOCK");
    const int64_t items = gputune_config_int(config, "ITEMS");
    (void)user;
    trial->seconds = 1e-3 * (double)block / 64 - 1e-4 * (double)items;
    if (gputune_config_choice(config, "METHOD")) trial->seconds += 1e-5;
    trial->compile_seconds = 0.25;
    trial->watts = 100;
    if (block == 512) trial->result = GPUTUNE_ERROR_COMPILE;
    if (block == 64 && items == 4) trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
    if (block == 128 && items == 4) trial->result = GPUTUNE_ERROR_RESOURCES;
}

static const gputune_param files_params[] = { { "BLOCK", "erange 64,512,2", "256" },
                                              { "ITEMS", "set 1,2,4", "1" },
                                              { "METHOD", "set plain,wide", "plain" },
                                              { 0 } };

typedef struct files_kernel {
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[3];
    char out[64];
} files_kernel;

static void files_describe(files_kernel *f)
{
    memset(f, 0, sizeof *f);
    f->replay.options.store = "";
    f->replay.trial = files_trial;
    f->desc.name = "saxpy";
    f->desc.params = files_params;
    f->desc.global = "n";
    f->desc.signature = "int n, float a, float *y";
    f->desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    f->desc.tune.budget.seconds = -1;
    f->args[0] = gputune_int(1000);
    f->args[1] = gputune_float(2);
    f->args[2] = gputune_out(f->out, sizeof f->out);
}

static gputune_result files_tune(files_kernel *f)
{
    f->device = gputune_replay_device_create(&f->replay);
    f->kernel = f->device ? gputune_kernel_create(f->device, &f->desc) : NULL;
    return gputune_tune(f->kernel, f->args, 3);
}

static void files_close(files_kernel *f)
{
    gputune_kernel_destroy(f->kernel);
    gputune_device_destroy(f->device);
    f->kernel = NULL;
    f->device = NULL;
}

// A tuner of four configurations that have been told, two of them as failures.
static gputune_tuner *files_tuner(const gputune_options *options, const char *metrics)
{
    static const gputune_param params[] = { { "SIZE", "set 0.5,1,2,4", "1" }, { 0 } };
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    memset(&desc, 0, sizeof desc);
    if (options) desc.space.options = *options;
    if (!options) desc.space.options.store = "";
    desc.space.params = params;
    desc.space.numbers = "n=2^10";
    desc.name = "a \"loop\", mine";
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.metrics = metrics;
    tuner = gputune_tuner_create(&desc);
    while (tuner && test_asks(tuner, &config)) {
        const double size = gputune_config_real(&config, "SIZE");
        if (size > 3)
            gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_COMPILE, "a \"b\",\nc\\ \xff\x01");
        else
            gputune_tell(tuner, &config, size > 1.5 ? HUGE_VAL : size / 1024);
    }
    return tuner;
}

// --- metrics ---

static char files_shown[200];

static bool files_progress(void *user, const gputune_progress *progress)
{
    (void)user;
    snprintf(files_shown, sizeof files_shown, "%s", progress->metrics);
    return true;
}

static void test_files_metrics(void)
{
    files_kernel f;
    const gputune_tuner *t;
    files_describe(&f);
    f.desc.tune.metrics = " Gn/s per a = n * a / time / 1e9;B = BLOCK+compute_units; J/s = power ; "
                          "gone = registers; none = 1 / (BLOCK - BLOCK); name = METHOD;";
    f.desc.tune.progress = files_progress;
    f.replay.limits.compute_units = 7;
    CHECK_INT(files_tune(&f), GPUTUNE_OK);
    t = f.kernel->last->tuner;
    CHECK_INT(gt__len(t->metrics.of), 6);
    CHECK_TEXT(t->metrics.of[0].name, "Gn/s per a");
    CHECK_NEAR(gt__tuner_metric(t, &t->trials[0], 0), 2000 / 3.9e-3 / 1e9, 1e-12);
    CHECK_NEAR(gt__tuner_metric(t, &t->trials[0], 1), 263, 0);
    CHECK_NEAR(gt__tuner_metric(t, &t->trials[0], 2), 100, 1e-6);
    CHECK(gt__is_nan(gt__tuner_metric(t, &t->trials[0], 3)));
    CHECK(gt__is_nan(gt__tuner_metric(t, &t->trials[0], 4)));
    CHECK(gt__is_nan(gt__tuner_metric(t, &t->trials[0], 5)));
    CHECK_TEXT(files_shown, "0.0025 Gn/s per a, 71 B, 100 J/s"); // of BLOCK 64, ITEMS 2
    CHECK_HAS(gputune_kernel_outcome(f.kernel)->text, ", 0.0025 Gn/s per a, 71 B, 100 J/s");
    files_close(&f);
}

static void test_files_metrics_wrong(void)
{
    static const struct {
        const char *text, *culprit;
        gputune_result result;
    } wrong[] = { { "a = 1 +", "1 +", GPUTUNE_ERROR_SYNTAX },
                  { "a = 1; time * 2", "\" time * 2\"", GPUTUNE_ERROR_SYNTAX },
                  { " = 3", "\"\": expected", GPUTUNE_ERROR_SYNTAX },
                  { "energy = 3", "energy", GPUTUNE_ERROR_SYNTAX },
                  { "a = time + nothing", "'nothing'", GPUTUNE_ERROR_SYMBOL } };
    files_kernel f;
    gputune_tuner *tuner;
    size_t i;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tuner = files_tuner(NULL, wrong[i].text);
        CHECK_INT(gputune_tuner_error(tuner)->result, wrong[i].result);
        CHECK_HAS(gputune_tuner_error(tuner)->text, wrong[i].culprit);
        gputune_tuner_destroy(tuner);
        files_describe(&f);
        f.desc.tune.metrics = wrong[i].text;
        f.device = gputune_replay_device_create(&f.replay);
        f.kernel = gputune_kernel_create(f.device, &f.desc);
        // arguments are known with the first call
        CHECK_INT(gputune_kernel_error(f.kernel)->result,
                  wrong[i].result == GPUTUNE_ERROR_SYNTAX ? wrong[i].result : GPUTUNE_OK);
        CHECK_INT(gputune_run(f.kernel, f.args, 3), wrong[i].result);
        CHECK_HAS(gputune_kernel_error(f.kernel)->text, wrong[i].culprit);
        CHECK_INT(gputune_run(f.kernel, f.args, 3), wrong[i].result);
        files_close(&f);
    }
}

// --- what is written ---

static void test_files_csv(void)
{
    gputune_tuner *tuner = files_tuner(NULL, "a,b/s = n / time; \"q\" = SIZE");
    const char *path;
    files_begin();
    path = files_path("x.csv");
    CHECK_INT(gputune_tuner_write(tuner, path), GPUTUNE_OK);
    CHECK_TEXT(files_get(path),
               "SIZE,time_ms,compile_time,energy,objective,\"a,b/s\",\"\"\"q\"\"\",result,reason\n"
               "1.0,0.9765625,0,,,1048576,1,ok,\n"
               "0.5,0.48828125,0,,,2097152,0.5,ok,\n"
               "4.0,,0,,,,,compile,\"a \"\"b\"\",\nc\\ \xff\x01\"\n"
               "2.0,,0,,,,,launch,told an infinite value or NaN\n");
    gputune_tuner_destroy(tuner);
    files_end();
}

static void test_files_t4(void)
{
    gputune_tuner *tuner = files_tuner(NULL, "n/s = n / time");
    const char *path, *text;
    files_begin();
    path = files_path("x.json");
    CHECK_INT(gputune_tuner_write(tuner, path), GPUTUNE_OK);
    text = files_get(path);
    CHECK_HAS(text, "{\"schema_version\":\"1.0.0\",\"metadata\":{\"timeunit\":\"milliseconds\","
                    "\"kernel_name\":\"a \\\"loop\\\", mine\",\"device_name\":");
    CHECK_HAS(text, "\"problem\":\"n=2^10\"},\"results\":[\n"
                    "{\"configuration\":{\"SIZE\":1.0},\"times\":{\"compilation_time\":0,"
                    "\"runtimes\":[0.9765625]},\"objectives\":[\"time\"],\"invalidity\":"
                    "\"correct\",\"correctness\":1,\"measurements\":[{\"name\":\"time\","
                    "\"value\":0.9765625},{\"name\":\"compile_time\",\"value\":0},"
                    "{\"name\":\"n/s\",\"value\":1048576},"
                    "{\"name\":\"reason\",\"value\":\"\"}]},\n");
    CHECK_HAS(text, "{\"configuration\":{\"SIZE\":4.0},\"times\":{\"compilation_time\":0,"
                    "\"runtimes\":[]},\"objectives\":[\"time\"],\"invalidity\":\"compile\","
                    "\"correctness\":0,\"measurements\":[{\"name\":\"compile_time\","
                    "\"value\":0},{\"name\":\"reason\",\"value\":"
                    "\"a \\\"b\\\",\\nc\\\\ \xef\xbf\xbd \"}]},\n{");
    CHECK_TEXT(text + strlen(text) - 4, "}]}\n");
    gputune_tuner_destroy(tuner);
    files_end();
}

static void test_files_cache(void)
{
    gputune_tuner *tuner = files_tuner(NULL, "n/s = n / time");
    const char *path, *text;
    files_begin();
    path = files_path("x.cache.json");
    CHECK_INT(gputune_tuner_write(tuner, path), GPUTUNE_OK);
    text = files_get(path);
    CHECK_HAS(text, "\"problem_size\":1,\"objective\":\"time\",\n\"tune_params_keys\":[\"SIZE\"],\n"
                    "\"tune_params\":{\"SIZE\":[0.5,1.0,2.0,4.0]},\n\"cache\":{\n"
                    "\"1.0\":{\"time\":0.9765625,\"compile_time\":0,\"n/s\":1048576,"
                    "\"verification_time\":0,\"benchmark_time\":0,\"SIZE\":1.0},\n\"0.5\":");
    CHECK_HAS(text, "\"4.0\":{\"compile_time\":0,\"time\":\"CompilationFailedConfig\","
                    "\"__error__\":\"CompilationFailedConfig\",");
    CHECK_TEXT(text + strlen(text) - 4, "}}}\n"); // as Kernel Tuner looks for its end
    gputune_tuner_destroy(tuner);
    files_end();
}

static void files_store(files_kernel *f, const char *store, const char *device, int64_t n)
{
    f->replay.options.store = store;
    snprintf(f->replay.limits.name, sizeof f->replay.limits.name, "%s", device);
    f->args[0] = gputune_int(n);
    CHECK_INT(files_tune(f), GPUTUNE_OK);
}

// Names and reasons may hold any bytes, JSON and C only characters.
static void test_files_bytes(void)
{
    static const char *const names[] = { "b.json", "b.cache.json", "b.h" };
    char store[300];
    files_kernel f;
    int i;
    files_begin();
    snprintf(store, sizeof store, "%s", files_path("store.txt"));
    files_describe(&f);
    f.desc.name = "k" TEST_BYTES;
    files_store(&f, store, "gpu " TEST_BYTES, 1000);
    for (i = 0; i < 3; i++) {
        const char *path = files_path(names[i]), *text;
        CHECK_INT(gputune_kernel_write(f.kernel, path), GPUTUNE_OK);
        text = files_get(path);
        CHECK_OR(!test_not_utf8(text), "%s: %.80s", path, test_not_utf8(text));
        CHECK_HAS(text, "\"gpu " TEST_BYTES_SHOWN "\"");
        if (i < 2) CHECK_HAS(text, "\"kernel_name\":\"k" TEST_BYTES_SHOWN "\"");
        if (i < 1) CHECK_HAS(text, "\\\"k" TEST_BYTES_SHOWN "\\\" does not compile");
    }
    files_close(&f);
    files_end();
}

// Another objective than the time.
static void test_files_objective(void)
{
    files_kernel f;
    const char *path;
    files_begin();
    files_describe(&f);
    f.desc.tune.objective = "energy * 2";
    CHECK_INT(files_tune(&f), GPUTUNE_OK);
    path = files_path("o.csv");
    CHECK_INT(gputune_kernel_write(f.kernel, path), GPUTUNE_OK);
    CHECK_HAS(files_get(path), "BLOCK,ITEMS,METHOD,time_ms,compile_time,energy,objective,result,"
                               "reason\n256,1,plain,3.9");
    CHECK_HAS(files_get(path), ",250,0.39");
    CHECK_HAS(files_get(path), ",0.78");
    path = files_path("o.json");
    CHECK_INT(gputune_kernel_write(f.kernel, path), GPUTUNE_OK);
    CHECK_HAS(files_get(path), "\"objectives\":[\"objective\"]");
    CHECK_HAS(files_get(path), "{\"name\":\"energy\",\"value\":0.39");
    files_close(&f);
    files_end();
}

static void test_files_refused(void)
{
    files_kernel f;
    gputune_tuner *tuner = files_tuner(NULL, NULL);
    const char *path;
    files_begin();
    CHECK_INT(gputune_tuner_write(tuner, files_path("x.txt")), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_tuner_error(tuner)->text,
              "x.txt ends with none of .html, .json, .cache.json");
    CHECK_INT(gputune_tuner_write(tuner, "h"), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_tuner_write(tuner, ""), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_tuner_write(tuner, files_path("none/x.csv")), GPUTUNE_ERROR_FILE);
    CHECK_HAS(gputune_tuner_error(tuner)->text, "none/x.csv");
    CHECK_INT(gputune_tuner_write(tuner, files_path("x.h")), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_tuner_error(tuner)->text, "nothing to write");
    CHECK_TEXT(files_get(files_path("x.h")), "");
    CHECK_INT(gputune_tuner_write(NULL, "x.csv"), GPUTUNE_ERROR_MEMORY);
    // It is no broken tuner: what it knows can be written elsewhere.
    CHECK_INT(gputune_tuner_write(tuner, files_path("x.csv")), GPUTUNE_OK);
    gputune_tuner_destroy(tuner);

    files_describe(&f);
    f.device = gputune_replay_device_create(&f.replay);
    f.kernel = gputune_kernel_create(f.device, &f.desc);
    path = files_path("k.csv");
    CHECK_INT(gputune_kernel_write(f.kernel, path), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(f.kernel)->text, "saxpy: nothing to write");
    CHECK_INT(gputune_kernel_write(NULL, path), GPUTUNE_ERROR_MEMORY);
    files_close(&f);
    files_end();
}

// --- answers as C ---

static void test_files_header(void)
{
    static const char user[] =
        "#include \"a.h\"\n#include <string.h>\n"
        "int main(void) { int i = 0; while (saxpy_answers[i].device) i++;\n"
        "return !(i == 3 && saxpy_n_2_10_BLOCK == 64 && saxpy_n_2_10_ITEMS == 2 &&\n"
        "saxpy_answers[0].value_ITEMS == 2 && !strcmp(saxpy_answers[0].value_METHOD, \"plain\")\n"
        "&& !strcmp(saxpy_answers[1].device, \"B 2\\\"\") &&\n"
        "!strcmp(saxpy_answers[2].options, \"-DBLOCK=64 -DITEMS=2 -DMETHOD=plain\")); }\n";
    char store[300], command[900];
    files_kernel f;
    const char *path;
    files_begin();
    snprintf(store, sizeof store, "%s", files_path("store.txt"));
    files_describe(&f);
    files_store(&f, store, "B 2\"", 1000);
    files_close(&f);
    files_store(&f, store, "B 2\"", 5000);
    files_close(&f);
    files_store(&f, store, "GPU-1", 1000);
    path = files_path("a.h");
    CHECK_INT(gputune_kernel_write(f.kernel, path), GPUTUNE_OK);
    CHECK_HAS(files_get(path), "#ifdef GPUTUNE_DEVICE_GPU_1\n#ifndef saxpy_n_2_10_BLOCK \n"
                               "#define saxpy_n_2_10_BLOCK 64\n#define saxpy_n_2_10_ITEMS 2\n"
                               "#define saxpy_n_2_10_METHOD plain\n#endif\n#endif\n"
                               "#ifdef GPUTUNE_DEVICE_B_2_\n#ifndef saxpy_n_2_13_BLOCK ");
    CHECK_HAS(files_get(path), "    { \"GPU-1\", \"n=2^10\", \"-DBLOCK=64 -DITEMS=2 "
                               "-DMETHOD=plain\", 0.0008, 64, 2, \"plain\" },\n"
                               "    { \"B 2\\\"\", ");
    files_close(&f);
    files_put(files_path("a.c"), user, sizeof user - 1);
    snprintf(command, sizeof command,
             "cd '%s' && ${CC:-cc} -std=c99 -Wall -Wextra -Werror -Wno-missing-field-initializers "
             "-DGPUTUNE_DEVICE_B_2_ a.c -o a && ./a", files_folder);
    CHECK_INT(system(command), 0);
    files_end();
}

// --- repeated from files ---

// Tunes the same kernel from a file that it has written: the same trials, the same answer.
static void files_repeat(const files_kernel *first, const char *path, bool wrong_output)
{
    files_kernel f;
    int i;
    files_describe(&f);
    f.replay.trial = NULL;
    f.replay.file = path;
    CHECK_OR(files_tune(&f) == GPUTUNE_OK, "%s: %s", path, gputune_kernel_error(f.kernel)->text);
    CHECK(gt__same_choice(&gputune_kernel_outcome(f.kernel)->config,
                          &gputune_kernel_outcome(first->kernel)->config));
    CHECK_INT(test_trials(f.kernel), test_trials(first->kernel));
    for (i = 0; i < test_trials(f.kernel); i++) {
        const gputune_trial *a = gputune_kernel_trial(first->kernel, i);
        const gputune_trial *b = gputune_kernel_trial(f.kernel, i);
        const bool flaw = a->result == GPUTUNE_ERROR_WRONG_OUTPUT;
        CHECK(gt__same_choice(&a->config, &b->config));
        CHECK_INT(b->result, flaw && !wrong_output ? GPUTUNE_ERROR_LAUNCH : a->result);
        if (!a->result) CHECK_NEAR(b->stats.median, a->stats.median, 1e-15);
        CHECK_NEAR(b->compile_seconds, a->compile_seconds, 1e-12);
    }
    files_close(&f);
}

static void test_files_replay(void)
{
    files_kernel f;
    files_begin();
    files_describe(&f);
    CHECK_INT(files_tune(&f), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_write(f.kernel, files_path("k.csv")), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_write(f.kernel, files_path("k.json")), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_write(f.kernel, files_path("k.cache.json")), GPUTUNE_OK);
    files_repeat(&f, files_path("k.csv"), true);
    files_repeat(&f, files_path("k.json"), true);
    files_repeat(&f, files_path("k.cache.json"), false); // Kernel Tuner has no word for it
    files_close(&f);
    files_end();
}

// The recorded spaces' form, Kernel Tuner's own files, a callback beside the file.
static void files_slower(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user;
    (void)config;
    trial->seconds *= 2;
}

static void files_reads(const char *text, const char *name, double block_64, const char *why)
{
    files_kernel f;
    const char *path = files_path(name);
    gputune_stats stats;
    gputune_config config;
    const gputune_space *space;
    files_put(path, text, strlen(text));
    files_describe(&f);
    f.replay.trial = files_slower;
    f.replay.file = path;
    f.device = gputune_replay_device_create(&f.replay);
    f.kernel = gputune_kernel_create(f.device, &f.desc);
    space = gputune_kernel_space(f.kernel, f.args, 3);
    CHECK_OR(space, "%s: %s", name, gputune_kernel_error(f.kernel)->text);
    if (space) {
        CHECK(gputune_config_parse(space, "BLOCK=64 ITEMS=2 METHOD=wide", &config));
        CHECK_INT(gputune_kernel_time(f.kernel, &config, f.args, 3, 1, &stats),
                  block_64 > 0 ? GPUTUNE_OK : why ? GPUTUNE_ERROR_COMPILE : GPUTUNE_ERROR_LAUNCH);
        if (block_64 > 0) CHECK_NEAR(stats.median, 2e-3 * block_64, 1e-15);
        if (why) CHECK_HAS(gputune_kernel_error(f.kernel)->text, why);
    }
    files_close(&f);
}

static void test_files_formats(void)
{
    files_begin();
    files_reads("BLOCK,ITEMS,METHOD,time_ms\n64,1,plain,7\n64,2,wide,0.75\n", "a", 0.75, NULL);
    files_reads("METHOD,BLOCK,ITEMS,time_ms\r\n\"wide\",6.4e1,2.0,\"1.5\"", "b", 1.5, NULL);
    files_reads("\xef\xbb\xbf" "BLOCK,ITEMS,METHOD,time_ms\n64,2,wide,1.25\n", "k", 1.25, NULL);
    files_reads("ITEMS,BLOCK,METHOD,time_ms,x\n2,64,wide,,\n", "c", 0, NULL);
    files_reads("ITEMS,BLOCK,METHOD,time_ms,x\n2,64,narrow,3,\n", "d", 0, "no such configuration");
    files_reads("ITEMS,BLOCK,time_ms\n2,64,3\n", "e", 0, "no such configuration");
    files_reads("ITEMS,BLOCK,METHOD,time_ms\n64,2,wide,3\n", "j", 0, "no such configuration");
    files_reads("ITEMS,BLOCK,METHOD,MORE,time_ms\n2,64,wide,1,3\n", "f", 0, "no such");
    files_reads(" {\"tune_params_keys\":[\"BLOCK\",\"METHOD\",\"ITEMS\"], \"cache\": {\"x\":"
                "{\"BLOCK\":64,\"METHOD\":\"w\\ide\",\"ITEMS\":true, \"times\":[3],\n"
                "\"time\":0.5,\"GFLOP/s\":1e3},\"x\":{\"BLOCK\":64.0,\"METHOD\":\"wide\","
                "\"ITEMS\":2,\"time\":0.25,\"env\":{\"a\":[[null]]}}}}", "g", 0.25, NULL);
    files_reads("{\"tune_params_keys\":[\"BLOCK\",\"METHOD\",\"ITEMS\"],\"cache\":{\"\":{"
                "\"BLOCK\":64,\"METHOD\":\"wide\",\"ITEMS\":2,"
                "\"time\":\"RuntimeFailedConfig\"}}}", "h", 0, NULL);
    files_reads("BLOCK,ITEMS,METHOD,time_ms\n64,2,wide,1e20\n", "l", 0, NULL);
    files_reads("{\"results\":[{\"configuration\":{\"METHOD\":\"wide\",\"ITEMS\":2,\"BLOCK\":64},"
                "\"time\":null}]}", "m", 0, NULL);
    files_reads("{\"results\":[{\"configuration\":{\"METHOD\":\"wide\",\"ITEMS\":2,\"BLOCK\":64},"
                "\"times\":{\"compilation\":1,\"runtimes\":[4]},\"invalidity\":\"correct\","
                "\"correctness\":1,\"measurements\":[{\"name\":\"time\",\"value\":4,\"unit\":\"\"}"
                "]}]}\n", "i", 4, NULL);
    files_end();
}

// --- files that others wrote ---

// The winner of X = 1, 2, 4, 8 by a file, tried one after the other; 0: the file is refused.
static int64_t files_winner(const char *text, size_t size, char why[200])
{
    static const gputune_param params[] = { { "X", "set 1,2,4,8", "1" }, { 0 } };
    files_kernel f;
    int64_t winner = 0;
    gputune_result result;
    const char *path = files_path("elsewhere");
    files_put(path, text, size);
    files_describe(&f);
    f.desc.params = params;
    f.replay.trial = NULL;
    f.replay.file = path;
    result = files_tune(&f);
    snprintf(why, 200, "%.199s", gputune_kernel_error(f.kernel)->text);
    if (!result)
        winner = gputune_config_int(&gputune_kernel_outcome(f.kernel)->config, "X");
    else if (gputune_device_error(f.device)->result != GPUTUNE_ERROR_FORMAT)
        winner = -1;
    files_close(&f);
    return winner;
}

#define FILES_ROWS                                                                                \
    "\"1\":{\"X\":1,\"time\":4.0,\"times\":[4.0,4.0]},\"2\":{\"X\":2,\"time\":3.0},\n"
#define FILES_CACHE "{\"tune_params_keys\":[\"X\"],\n\"cache\":{\n" FILES_ROWS
#define FILES_LAST(members)                                                                      \
    FILES_CACHE "\"4\":{\"X\":4,\"time\":1.0},\"8\":{\"X\":8," members "}"

// What stands for a failure fails that configuration alone, in whatever words and numbers.
static void test_files_failures(void)
{
    static const char *const fails[] = {
        "1e20", "1e+20", "1E20", "1.0e20", "99999999999", "1e6", "inf", "-inf", "Infinity",
        "-Infinity", "nan", "NaN", "-nan", "1e999", "-1", "0", "0.0", "-0.0", "null", "None",
        "failed", "RuntimeFailedConfig", "InvalidConfig", "-", "\"\"", ""
    };
    static const char *const objects[] = {
        "\"time\":1e20", "\"time\":NaN", "\"time\":Infinity", "\"time\":-Infinity",
        "\"time\":1e999", "\"time\":null", "\"time\":\"InvalidConfig\"", "\"time\":-1",
        "\"time\":\"RuntimeFailedConfig\",\"compile_time\":NaN", "\"compile_time\":1e20",
        "\"time\":0.5,\"__error__\":\"CompilationFailedConfig\"",
        "\"__error__\":\"InvalidConfig\",\"time\":0.5",
        "\"__error__\":\"RuntimeFailedConfig\",\"time\":1e20,\"GFLOP/s\":NaN",
        "\"time\":\"x\",\"__error__\":\"y\""
    };
    char text[400], why[200];
    size_t i;
    files_begin();
    for (i = 0; i < sizeof fails / sizeof *fails; i++) {
        snprintf(text, sizeof text, "X,time_ms\n1,4.0\n2,3.0\n8,%s\n4,1.0\n", fails[i]);
        CHECK_OR(files_winner(text, strlen(text), why) == 4, "%s: %s", fails[i], why);
    }
    for (i = 0; i < sizeof objects / sizeof *objects; i++) {
        snprintf(text, sizeof text, FILES_LAST("%s") "}}\n", objects[i]);
        CHECK_OR(files_winner(text, strlen(text), why) == 4, "%s: %s", objects[i], why);
    }
    // Nothing is wrong with these.
    snprintf(text, sizeof text, FILES_LAST("%s") "}}\n", "\"time\":0.5,\"__error__\":null");
    CHECK_INT(files_winner(text, strlen(text), why), 8);
    snprintf(text, sizeof text, FILES_LAST("%s") "}}\n", "\"time\":\"0.5\",\"energy\":NaN");
    CHECK_INT(files_winner(text, strlen(text), why), 8);
    // Numbers of another locale are no failures, and the file says where they are.
    CHECK_INT(files_winner("X,time_ms\n1,4\n2,\"3,5\"\n4,\"1,0\"\n8,2\n", 33, why), 0);
    CHECK_HAS(why, "at byte 22");
    CHECK_INT(files_winner("X,time_ms\n1,4 ms\n2,3 ms\n", 25, why), 0);
    files_end();
}

// Of a cache that was never closed, or cut anywhere, the whole trials count.
static void test_files_unclosed(void)
{
    static const char whole[] = FILES_LAST("\"time\":2.5e-1,\"s\":\"a\\\"\",\"e\":true") ",\n";
    const size_t size = sizeof whole - 1;
    char text[400], why[200];
    const char *end = whole;
    size_t i, ends[4]; // behind each trial
    files_begin();
    for (i = 0; i < 4; i++) {
        end = strchr(end, '}') + 1;
        ends[i] = (size_t)(end - whole);
    }
    for (i = 1; i < size; i++) {
        const int expected = i < ends[0]   ? 0
                             : i < ends[1] ? 1
                             : i < ends[2] ? 2
                             : i < ends[3] ? 4
                                           : 8;
        const int64_t winner = files_winner(whole, i, why);
        CHECK_OR(winner == expected, "cut at %d: %d, expected %d: %s", (int)i, (int)winner,
                 expected, why);
    }
    CHECK_INT(files_winner(whole, size, why), 8);
    snprintf(text, sizeof text, "%s}}", whole); // closed, and the last comma stayed
    CHECK_INT(files_winner(text, strlen(text), why), 8);
    // Damage is not an end.
    snprintf(text, sizeof text, "%s \"9\":{\"X\":nothing},", whole);
    CHECK_INT(files_winner(text, strlen(text), why), 0);
    snprintf(text, sizeof text, "%s}}}", whole);
    CHECK_INT(files_winner(text, strlen(text), why), 0);
    files_end();
}

// --- damaged and hostile files ---

static gputune_result files_opens(const char *text, size_t size, char *why)
{
    gputune_replay_desc desc;
    gputune_device *device;
    gputune_result result;
    const char *path = files_path("hostile");
    memset(&desc, 0, sizeof desc);
    desc.options.store = "";
    desc.file = path;
    files_put(path, text, size);
    device = gputune_replay_device_create(&desc);
    result = gputune_device_error(device)->result;
    snprintf(why, 200, "%.199s", gputune_device_error(device)->text);
    gputune_device_destroy(device);
    return result;
}

#define FILES_T4(value) "{\"results\":[{\"configuration\":{\"A\":" value "},\"time\":1}]}"

static void test_files_hostile(void)
{
    static const char *const good[] = {
        FILES_T4("1"), FILES_T4("-0.5e+3"), FILES_T4("NaN"), FILES_T4("-Infinity"),
        FILES_T4("1e999"), FILES_T4("[NaN, 1]"),
        FILES_T4("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\uD83D\\udE00\""),
        FILES_T4("null"), FILES_T4("\t[1,{}, [] ]\r\n"), FILES_T4("\"\xc3\xa4\""), "A,time_ms\n1,1"
    };
    static const char *const bad[] = {
        FILES_T4("1e"), FILES_T4("--1"), FILES_T4("1-1"), FILES_T4("nothing"), FILES_T4("tru"),
        FILES_T4("trues"), FILES_T4("'a'"), FILES_T4(""),
        FILES_T4("\"\\u12"), FILES_T4("\"\n\""), FILES_T4("\"\\\n\""), FILES_T4("[1,]"),
        FILES_T4("{,}"), FILES_T4("{\"a\":}"), FILES_T4("{\"a\" 1}"), FILES_T4("{a:1}"),
        FILES_T4("[1 2]"), FILES_T4("[1}"), FILES_T4("\"\\"), FILES_T4("1") "x", "{", "{}", "",
        "A,B\n1,2\n", "A,time_ms\n", "A,time_ms\n1,2,3\n", "A,time_ms\n1\n", "A,time_ms\n\n",
        "{\"results\":7}", "{\"results\":[]}", "{\"cache\":{}}", "\"a\"", "A,time_ms\n\"1,2"
    };
    char why[200], deep[400];
    const char *whole = "{\"results\":[{\"configuration\":{\"A\":\"x\\u0041\"},\"time\":1.5e1}]}";
    size_t i;
    files_begin();
    for (i = 0; i < sizeof good / sizeof *good; i++)
        CHECK_OR(files_opens(good[i], strlen(good[i]), why) == GPUTUNE_OK, "%s: %s", good[i], why);
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_OR(files_opens(bad[i], strlen(bad[i]), why) == GPUTUNE_ERROR_FORMAT, "%s", bad[i]);
        CHECK_HAS(why, "hostile");
    }
    CHECK_INT(files_opens(whole, strlen(whole), why), GPUTUNE_OK);
    for (i = 0; i < strlen(whole); i++)
        CHECK_INT(files_opens(whole, i, why), GPUTUNE_ERROR_FORMAT);
    CHECK_INT(files_opens(whole, strlen(whole) + 1, why), GPUTUNE_ERROR_FORMAT); // a NUL
    CHECK_HAS(why, "no trials in JSON or CSV at byte 60");
    for (i = 28; i < 32; i++) { // "results" is at depth 1, its array at 2, A's value at 4
        char open[64] = "", close[64] = "";
        memset(open, '[', i);
        memset(close, ']', i);
        snprintf(deep, sizeof deep, "{\"results\":[{\"configuration\":{\"A\":%s1%s},\"time\":1}]}",
                 open, close);
        CHECK_INT(files_opens(deep, strlen(deep), why),
                  i == 28 ? GPUTUNE_OK : GPUTUNE_ERROR_FORMAT);
    }
    files_end();
}

static void test_files_missing(void)
{
    gputune_replay_desc desc;
    gputune_device *device;
    memset(&desc, 0, sizeof desc);
    desc.file = "/nonexistent/x.csv";
    device = gputune_replay_device_create(&desc);
    CHECK_INT(gputune_device_error(device)->result, GPUTUNE_ERROR_FILE);
    CHECK_HAS(gputune_device_error(device)->text, "/nonexistent/x.csv");
    gputune_device_destroy(device);
}

// --- what is no parameter, no identifier, no answer ---

// A kernel without parameters has files, too, and they can be read.
static void test_files_plain(void)
{
    static const char *const names[] = { "p.csv", "p.json", "p.cache.json", "p.h" };
    static const char user[] =
        "#include \"p.h\"\nint main(void) { return _3d_fft_answers[0].seconds != 0.5; }\n";
    static const gputune_param none[] = { { 0 } };
    char store[300], command[900];
    files_kernel f;
    int i;
    files_begin();
    snprintf(store, sizeof store, "%s", files_path("store.txt"));
    files_put(files_path("in.csv"), "time_ms\n500\n", 12);
    files_describe(&f);
    f.replay.options.store = store;
    f.replay.trial = NULL;
    f.replay.file = files_path("in.csv");
    f.desc.params = none;
    f.desc.name = "3d fft";
    CHECK_INT(files_tune(&f), GPUTUNE_OK);
    for (i = 0; i < 4; i++)
        CHECK_INT(gputune_kernel_write(f.kernel, files_path(names[i])), GPUTUNE_OK);
    CHECK_TEXT(files_get(files_path("p.csv")), "time_ms,compile_time,energy,objective,result,"
                                               "reason\n500,0,,,ok,\n");
    files_close(&f);
    files_put(files_path("p.c"), user, sizeof user - 1);
    snprintf(command, sizeof command, "cd '%s' && ${CC:-cc} -std=c99 -pedantic-errors p.c -o p && "
             "./p", files_folder);
    CHECK_INT(system(command), 0);
    for (i = 0; i < 3; i++) {
        f.replay.options.store = "";
        f.replay.file = files_path(names[i]);
        CHECK_OR(files_tune(&f) == GPUTUNE_OK, "%s: %s", names[i],
                 gputune_kernel_error(f.kernel)->text);
        CHECK_NEAR(gputune_kernel_outcome(f.kernel)->best_stats.median, 0.5, 1e-12);
        files_close(&f);
    }
    files_end();
}

// The first field of a line may be empty.
static void test_files_failed(void)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    files_begin();
    memset(&desc, 0, sizeof desc);
    desc.space.options.store = "";
    tuner = gputune_tuner_create(&desc);
    CHECK(test_asks(tuner, &config));
    CHECK_INT(gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_COMPILE, "why"), GPUTUNE_OK);
    CHECK_INT(gputune_tuner_write(tuner, files_path("f.csv")), GPUTUNE_OK);
    CHECK_TEXT(files_get(files_path("f.csv")), "time_ms,compile_time,energy,objective,result,"
                                               "reason\n,0,,,compile,why\n");
    gputune_tuner_destroy(tuner);
    files_end();
}

// An answer that is none of the space's is not the header's, the right one is.
static void test_files_strange(void)
{
    gputune_options options;
    gputune_tuner *tuner;
    gputune_config best;
    gt__entry entry;
    gputune_error error;
    char store[300];
    files_begin();
    snprintf(store, sizeof store, "%s", files_path("store.txt"));
    memset(&options, 0, sizeof options);
    options.store = store;
    tuner = files_tuner(&options, "SIZE = SIZE * 2");
    CHECK_INT(gputune_tuner_best(tuner, &best), GPUTUNE_OK);
    memset(&entry, 0, sizeof entry);
    entry.key = tuner->key;
    entry.config = "SIZE=3";
    entry.value = 1;
    entry.key.problem = "n=7";
    CHECK_INT(gt__store_put(tuner->store, &entry.key, &entry, &error), GPUTUNE_OK);
    entry.config = "SIZE=1.0";
    entry.value = (double)NAN;
    entry.key.problem = "n=8";
    CHECK_INT(gt__store_put(tuner->store, &entry.key, &entry, &error), GPUTUNE_OK);
    CHECK_INT(gputune_tuner_write(tuner, files_path("s.h")), GPUTUNE_OK);
    CHECK_HAS(files_get(files_path("s.h")), "a__loop___mine_n_2_10_SIZE 0.5\n");
    CHECK(!strstr(files_get(files_path("s.h")), "n=7"));
    CHECK(!strstr(files_get(files_path("s.h")), "n=8"));
    // A metric that is called as a parameter would be read as one.
    CHECK_INT(gputune_tuner_write(tuner, files_path("s.cache.json")), GPUTUNE_OK);
    CHECK_HAS(files_get(files_path("s.cache.json")), "\"1.0\":{\"time\":0.9765625,"
              "\"compile_time\":0,\"verification_time\":0,\"benchmark_time\":0,\"SIZE\":1.0}");
    gputune_tuner_destroy(tuner);
    files_end();
}

// --- from the store ---

static void test_files_stored(void)
{
    char store[300];
    files_kernel f;
    files_begin();
    snprintf(store, sizeof store, "%s", files_path("store.txt"));
    files_describe(&f);
    f.desc.tune.metrics = "b = BLOCK";
    files_store(&f, store, "G", 1000);
    files_close(&f);
    files_store(&f, store, "G", 1000);
    CHECK_INT(gputune_kernel_outcome(f.kernel)->origin, GPUTUNE_FROM_STORE);
    CHECK_HAS(gputune_kernel_outcome(f.kernel)->text, ", 64 b, from the store");
    CHECK_INT(gputune_kernel_write(f.kernel, files_path("2.csv")), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(f.kernel)->text, "no trials in this run");
    CHECK_INT(gputune_kernel_write(f.kernel, files_path("2.h")), GPUTUNE_OK);
    files_close(&f);
    files_end();
}

static char files_log_text[4000];

static void files_log(void *user, gputune_log_level level, const char *message)
{
    (void)user;
    (void)level;
    gt__append(files_log_text, sizeof files_log_text, "%s\n", message);
}

static void test_files_shared(void)
{
    static const char own[] =
        "BLOCK,ITEMS,METHOD,time_ms\n256,1,plain,5\n64,2,plain,4\n512,4,wide,1\n";
    char store[300], shared[300], before[4000];
    files_kernel f;
    gputune_options options;
    gputune_tuner *tuner;
    struct stat info;
    files_begin();
    snprintf(store, sizeof store, "%s", files_path("user.txt"));
    snprintf(shared, sizeof shared, "%s", files_path("ships.txt"));
    files_describe(&f);
    files_store(&f, shared, "G", 1000);
    files_close(&f);
    snprintf(before, sizeof before, "%s", files_get(shared));
    CHECK_INT(unlink(files_path("ships.txt.lock")), 0);
    CHECK_INT(chmod(files_folder, 0500), 0);

    // It answers, whether or not there is a user's store, and nothing is written.
    f.replay.options.shared_store = shared;
    files_store(&f, "", "G", 900);
    CHECK_INT(gputune_kernel_outcome(f.kernel)->origin, GPUTUNE_FROM_STORE);
    CHECK_HAS(gputune_kernel_outcome(f.kernel)->text, "BLOCK=64 ITEMS=2");
    CHECK_INT(gputune_kernel_write(f.kernel, files_path("x.csv")), GPUTUNE_ERROR_ARGUMENT);
    files_close(&f);
    files_store(&f, store, "G", 900);
    CHECK_INT(gputune_kernel_outcome(f.kernel)->origin, GPUTUNE_FROM_STORE);
    CHECK(stat(store, &info) != 0);
    CHECK(stat(files_path("ships.txt.lock"), &info) != 0);
    files_close(&f);
    CHECK_INT(chmod(files_folder, 0700), 0);

    // What it does not know is tuned and saved in the user's.
    files_store(&f, store, "G", 9000);
    CHECK_INT(gputune_kernel_outcome(f.kernel)->origin, GPUTUNE_FROM_TUNING);
    CHECK_HAS(files_get(store), "problem=n=2^14");
    CHECK_INT(gputune_kernel_write(f.kernel, files_path("b.h")), GPUTUNE_OK);
    CHECK_HAS(files_get(files_path("b.h")), "saxpy_n_2_14_BLOCK 64");
    CHECK_HAS(files_get(files_path("b.h")), "saxpy_n_2_10_BLOCK 64");
    files_close(&f);

    // The user's own answer comes first.
    f.replay.options.mode = GPUTUNE_MODE_FORCE;
    f.desc.config = NULL;
    f.replay.trial = NULL;
    files_put(files_path("own.csv"), own, sizeof own - 1);
    f.replay.file = files_path("own.csv");
    files_store(&f, store, "G", 1000);
    files_close(&f);
    f.replay.options.mode = GPUTUNE_MODE_ON;
    files_store(&f, store, "G", 1000);
    CHECK_HAS(gputune_kernel_outcome(f.kernel)->text, "BLOCK=512 ITEMS=4 METHOD=wide");
    files_close(&f);
    CHECK_TEXT(files_get(shared), before);

    // Of ask/tell, too; a shared store without answers is told.
    memset(&options, 0, sizeof options);
    options.store = shared;
    gputune_tuner_destroy(files_tuner(&options, NULL));
    tuner = files_tuner(&options, NULL);
    CHECK_INT(test_told(tuner), 4); // nobody has asked for the best, which saves it
    {
        gputune_config best;
        CHECK_INT(gputune_tuner_best(tuner, &best), GPUTUNE_OK);
        gputune_tuner_destroy(tuner);
        options.store = "";
        options.shared_store = shared;
        options.log = files_log;
        tuner = files_tuner(&options, NULL);
        CHECK_INT(test_told(tuner), 0);
        CHECK_INT(gputune_tuner_best(tuner, &best), GPUTUNE_OK);
        CHECK_NEAR(gputune_config_real(&best, "SIZE"), 0.5, 0);
        gputune_tuner_destroy(tuner);
    }
    CHECK(!strstr(files_log_text, "no answers"));
    options.shared_store = "/nonexistent/ships.txt";
    tuner = files_tuner(&options, NULL);
    CHECK_INT(test_told(tuner), 4);
    CHECK_HAS(files_log_text, "no answers in the shared store /nonexistent/ships.txt");
    gputune_tuner_destroy(tuner);
    files_end();
}

// --- memory ---

static long files_countdown; // allocations until one fails; 0: none does
static long files_blocks;

static void *files_reallocate(void *user, void *memory, size_t bytes)
{
    (void)user;
    if (!bytes) {
        if (memory) files_blocks--;
        free(memory);
        return NULL;
    }
    if (files_countdown && --files_countdown == 0) return NULL;
    if (!memory) files_blocks++;
    return realloc(memory, bytes);
}

static void test_files_memory(void)
{
    static const char *const names[] = { "m.csv", "m.json", "m.cache.json", "m.h" };
    gputune_options options;
    gputune_tuner *tuner;
    char store[300];
    files_kernel f;
    gputune_config config;
    long at, most = 0;
    int i;
    files_begin();
    snprintf(store, sizeof store, "%s", files_path("store.txt"));
    memset(&options, 0, sizeof options);
    options.store = store;
    options.shared_store = store;
    options.reallocate = files_reallocate;
    files_countdown = 0;
    tuner = files_tuner(&options, "n/s = n / time; x = SIZE");
    CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
    for (i = 0; i < 4; i++) {
        const char *path = files_path(names[i]);
        gputune_result result = GPUTUNE_ERROR_MEMORY;
        for (at = 1; result; at++) {
            files_countdown = at;
            result = gputune_tuner_write(tuner, path);
            files_countdown = 0;
            CHECK(!result || result == GPUTUNE_ERROR_MEMORY);
            CHECK((*files_get(path) != 0) == !result);
        }
        CHECK(at > 3);
    }
    gputune_tuner_destroy(tuner);
    CHECK_INT(files_blocks, 0);

    // A tuner with metrics and stores; a device from each file; a kernel's first call.
    for (at = 1, tuner = NULL; !tuner || gputune_tuner_error(tuner)->result; at++) {
        gputune_tuner_destroy(tuner);
        CHECK_INT(files_blocks, 0);
        files_countdown = at;
        tuner = files_tuner(&options, "n/s = n / time; x = SIZE");
        files_countdown = 0;
        most = at;
    }
    CHECK(most > 30);
    gputune_tuner_destroy(tuner);
    files_describe(&f);
    f.replay.options.reallocate = files_reallocate;
    f.replay.options.threads = -1;
    f.desc.tune.metrics = "n/s = n / time; x = ITEMS";
    CHECK_INT(files_tune(&f), GPUTUNE_OK);
    for (i = 0; i < 3; i++) gputune_kernel_write(f.kernel, files_path(names[i]));
    files_close(&f);
    f.replay.trial = NULL;
    for (i = 0; i < 3; i++) {
        gputune_result result = GPUTUNE_ERROR_MEMORY;
        f.replay.file = files_path(names[i]);
        for (at = 1; result; at++) {
            files_countdown = at;
            result = files_tune(&f);
            files_countdown = 0;
            files_close(&f);
            if (files_blocks) CHECK_OR(false, "%s: %ld blocks at %ld", names[i], files_blocks, at);
            if (result != GPUTUNE_OK && result != GPUTUNE_ERROR_MEMORY)
                CHECK_OR(false, "%s: %s at %ld", names[i], gputune_result_name(result), at);
        }
        CHECK(at > 100);
    }
    CHECK_INT(files_blocks, 0);
    files_end();
}

static const test_case files_cases[] = {
    { "metrics", test_files_metrics },
    { "metrics_wrong", test_files_metrics_wrong },
    { "csv", test_files_csv },
    { "t4", test_files_t4 },
    { "cache", test_files_cache },
    { "bytes", test_files_bytes },
    { "objective", test_files_objective },
    { "refused", test_files_refused },
    { "header", test_files_header },
    { "replay", test_files_replay },
    { "formats", test_files_formats },
    { "failures", test_files_failures },
    { "unclosed", test_files_unclosed },
    { "hostile", test_files_hostile },
    { "missing", test_files_missing },
    { "plain", test_files_plain },
    { "failed", test_files_failed },
    { "strange", test_files_strange },
    { "stored", test_files_stored },
    { "shared", test_files_shared },
    { "memory", test_files_memory },
    { NULL, NULL }
};
