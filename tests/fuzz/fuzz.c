// Every reader of texts and files, fed by libFuzzer. One object serves all targets: the
// environment's FUZZ_TARGET names the one to run, FUZZ_SEEDS a folder into which its first inputs
// are written instead. See run.sh.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp, setenv
#endif
#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What must hold of every input.
#define HOLD(what)                                                                                \
    do {                                                                                          \
        if (!(what)) {                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #what);              \
            abort();                                                                              \
        }                                                                                         \
    } while (0)

static gt__base base;
static char folder[64], file_path[96]; // of this process
static void (*run_target)(char *text, size_t size);
static bool takes_bytes; // of any value: a file, no text

static void end_folder(void)
{
    char command[96];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (*folder && system(command)) fprintf(stderr, "%s is left\n", folder);
}

static void write_file(const char *path, const char *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    HOLD(file && fwrite(data, 1, size, file) == size);
    fclose(file);
}

// The first line of a text, whose rest *text becomes.
static char *next_line(char **text)
{
    char *line = *text, *end = line ? strchr(line, '\n') : NULL;
    if (end) *end = 0;
    *text = end ? end + 1 : NULL;
    return line;
}

static int count_lines(const char *text)
{
    int lines = 0;
    for (; *text; text++) lines += *text == '\n';
    return lines;
}

// Lines with their checks right: damage is then not found where it is looked for. Freed by the
// caller.
static char *checked(char *text)
{
    char *out = NULL, *line;
    bool ok = gt__text_put(&base, &out, "", 0);
    while (ok && (line = next_line(&text)) != NULL) {
        const size_t begin = (size_t)gt__len(out);
        ok = gt__text_put(&base, &out, line, strlen(line)) &&
             gt__put_check(&base, &out, begin);
    }
    HOLD(ok);
    return out;
}

// A file of lines; where the input begins with a '1' they get right checks.
static void write_lines(const char *path, char *text, size_t size)
{
    if (size && *text == '1') {
        char *out = checked(text + 1);
        write_file(path, out, (size_t)gt__len(out));
        gt__arr_free(&base, out);
    } else if (size) {
        write_file(path, text + 1, size - 1);
    } else {
        write_file(path, "", 0);
    }
}

// --- texts ---

static void fuzz_expressions(char *text, size_t size)
{
    static const char *const names[] = { "n", "m", "x", "", "SPMV" };
    gt__num values[5], out;
    gt__expr *exprs[4];
    gputune_error error;
    int count = 0, i;
    (void)size;
    memset(values, 0, sizeof values);
    values[0].u.i = 1000;
    values[1].u.i = INT64_MIN;
    values[2].kind = GT__REAL;
    values[2].u.r = 0.5;
    values[4] = gt__num_text(GT__NAME, "vector");
    if (gt__expr_compile_list(&base, text, names, 5, exprs, 4, &count, &error) != GPUTUNE_OK) {
        HOLD(error.text[0] && error.result);
        return;
    }
    for (i = 0; i < count; i++) {
        if (gt__expr_eval(exprs[i], values, &out, &error) != GPUTUNE_OK) HOLD(error.text[0]);
        gt__expr_free(&base, exprs[i]);
    }
}

// Lines: "NAME:VALUES:DEFAULT" a parameter, "?EXPRESSION" a restriction, "=NUMBERS".
static void fuzz_space(char *text, size_t size)
{
    gputune_param params[6];
    const char *require[4];
    gputune_space_desc desc;
    gputune_space *space;
    char *line;
    int param = 0, restriction = 0;
    (void)size;
    memset(params, 0, sizeof params);
    memset(require, 0, sizeof require);
    memset(&desc, 0, sizeof desc);
    while ((line = next_line(&text)) != NULL) {
        char *values = strchr(line, ':'), *standard;
        if (*line == '?' && restriction < 3) {
            require[restriction++] = line + 1;
        } else if (*line == '=') {
            desc.numbers = line + 1;
        } else if (values && param < 5) {
            *values++ = 0;
            standard = strchr(values, ':');
            if (standard) *standard++ = 0;
            params[param].name = line;
            params[param].values = values;
            params[param++].value_default = standard;
        }
    }
    desc.params = params;
    desc.require = require;
    space = gputune_space_create(&desc);
    HOLD(space);
    if (gputune_space_count(space)) {
        uint64_t state = 7, index = gputune_space_count(space), drawn;
        gputune_config config = gputune_space_default(space), again, near[8];
        char words[4096];
        HOLD(gputune_space_index(space, &config, &index));
        HOLD(index < gputune_space_count(space));
        again = gputune_space_at(space, index);
        HOLD(gt__same_choice(&config, &again));
        HOLD(gputune_space_sample(space, &state, true, &drawn, 1) == GPUTUNE_OK);
        config = gputune_space_at(space, drawn);
        gputune_config_text(&config, words, sizeof words);
        HOLD(strlen(words) == sizeof words - 1 || (gputune_config_parse(space, words, &again) &&
                                                   gt__same_choice(&config, &again)));
        gputune_space_neighbours(space, &config, false, near, 8);
        gputune_space_neighbours(space, &config, true, near, 8);
    } else {
        HOLD(gputune_space_error(space)->result && gputune_space_error(space)->text[0]);
    }
    gputune_space_destroy(space);
}

// Annotations, signatures, values into the text: every line keeps its number.
static void fuzz_annotations(char *text, size_t size)
{
    gt__source source;
    gputune_error error;
    gputune_space *space;
    gputune_limits limits;
    (void)size;
    memset(&limits, 0, sizeof limits);
    limits.compute_units = 16;
    if (gt__source_parse(&base, text, &source, &error) != GPUTUNE_OK) {
        HOLD(error.text[0]);
        return;
    }
    space = gt__space_new(NULL);
    HOLD(space);
    if (gt__source_describe(&source, &limits, space) == GPUTUNE_OK &&
        gt__source_defaults(space, "-DBLOCK=4 -D 'ITEMS=2' -I.", NULL) == GPUTUNE_OK) {
        gputune_config config = gt__space_defaults(space);
        char *out = NULL;
        const char *at, *end;
        int i, more;
        for (i = 0; i < 2; i++) { // all defaults, all first values
            HOLD(gt__source_inject(&base, &source, &config, &out, &error) == GPUTUNE_OK);
            at = strstr(out, "\n#line 1\n");
            at = strncmp(out, "#define ", 8) == 0 && at ? at + 9 : out;
            more = count_lines(at) - count_lines(text);
            end = strlen(at) < 7 ? "" : at + strlen(at) - 7;
            // Behind the text stand four lines for what an included file may define again.
            HOLD(!more || strstr(text, "#line 1") ||
                 (strstr(text, "include") && more > 0 && more % 4 == 0 &&
                  strcmp(end, "#endif\n") == 0));
            gt__arr_free(&base, out);
            memset(config.choice, 0, sizeof config.choice);
        }
    }
    gputune_space_destroy(space);
    gt__source_free(&base, &source);
}

// The name of one of the text's kernels, drawn by its size.
static bool some_kernel(const char *text, size_t size, char *name, size_t room)
{
    gt__source source;
    gputune_error error;
    if (gt__source_parse(&base, text, &source, &error) != GPUTUNE_OK) return false;
    *name = 0;
    if (source.kernels) {
        size %= (size_t)gt__len(source.kernels);
        snprintf(name, room, "%s", source.kernels[size].name);
    }
    gt__source_free(&base, &source);
    return *name != 0;
}

static void fuzz_coarsen(char *text, size_t size)
{
    static const gputune_coarsening forms[] = { GPUTUNE_COARSEN_AUTO, GPUTUNE_COARSEN_THREAD,
                                                GPUTUNE_COARSEN_GROUP, GPUTUNE_COARSEN_RANGE };
    gputune_coarsen_space_desc desc;
    gputune_space *space;
    char name[100];
    uint64_t i, step;
    if (!some_kernel(text, size, name, sizeof name)) return;
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    desc.name = name;
    desc.coarsen.form = forms[size % 4];
    desc.coarsen.factors = desc.coarsen.strides = "1,2";
    desc.global[0] = desc.global[1] = 1000;
    desc.local[0] = desc.local[1] = size % 8 < 6 ? 16 : 0;
    space = gputune_coarsen_space(&desc);
    HOLD(space);
    step = gputune_space_count(space) / 4 + 1;
    for (i = 0; i < gputune_space_count(space); i += step) {
        const gputune_config config = gputune_space_at(space, i);
        gputune_geometry geometry;
        HOLD(gputune_coarsen_text(space, &config) || gputune_space_error(space)->text[0]);
        HOLD(gputune_coarsen_geometry(space, &config, &geometry));
    }
    gputune_space_destroy(space);
}

static void fuzz_atomics(char *text, size_t size)
{
    char why[300];
    (void)size;
    gt__source_mode(&base, text, "-DN=4 -I/nowhere", why, sizeof why);
    HOLD(*why && strcmp(why, "out of memory") != 0);
}

static void fuzz_dialect(char *text, size_t size)
{
    static const char mark[] = "\n#line 1 \"kernel.cl\"\n";
    gputune_error error;
    char *out = NULL, name[100];
    if (!some_kernel(text, size, name, sizeof name)) return;
    error.text[0] = 0;
    if (gt__source_to_cuda(&base, text, NULL, name, "/* prelude */", &out, &error) ==
        GPUTUNE_OK) {
        const char *at = strstr(out, mark), *next;
        HOLD(at);
        while ((next = strstr(at + 1, "\n#line ")) != NULL) at = next; // numbered anew
        HOLD(strstr(text, "line") || atoi(at + 7) + count_lines(strchr(at + 1, '\n') + 1) ==
                                         1 + count_lines(text));
    } else {
        HOLD(error.text[0]);
    }
    gt__arr_free(&base, out);
}

// Two problems, one a line.
static void fuzz_problems(char *text, size_t size)
{
    double values[GPUTUNE_MAX_COLUMNS], distance = 0, back = 0;
    const char *one = next_line(&text), *two = text ? text : one;
    (void)size;
    gt__predict_words(one, values);
    if (gt__problem_distance(one, two, &distance)) {
        HOLD(distance >= 0);
        HOLD(gt__problem_distance(two, one, &back));
        HOLD(distance <= back && back <= distance);
    }
}

static const char *const variables[] = { "GPUTUNE",         "GPUTUNE_STORE",    "GPUTUNE_LOG",
                                         "GPUTUNE_ISOLATE", "GPUTUNE_ISOLATED", "XDG_STATE_HOME",
                                         "HOME" };
enum { VARIABLES = sizeof variables / sizeof *variables };

static void hear(void *user, gputune_log_level level, const char *message)
{
    (void)user;
    HOLD(*message && level >= GPUTUNE_LOG_ERROR && level <= GPUTUNE_LOG_DEBUG);
}

// A variable a line; an empty one is not set.
static void fuzz_environment(char *text, size_t size)
{
    gt__isolated self;
    gputune_options options;
    gputune_error error;
    gt__base b;
    char *path = NULL, *line;
    int i;
    (void)size;
    for (i = 0; i < VARIABLES && (line = next_line(&text)) != NULL; i++)
        if (*line) setenv(variables[i], *line == '-' ? line + 1 : line, 1);
    memset(&options, 0, sizeof options);
    options.log = hear;
    gt__base_init(&b, &options);
    HOLD(gt__store_path(&b, &options, &path, &error) == GPUTUNE_OK);
    gt__arr_free(&b, path);
    gt__isolated_find(&b, &self);
    for (i = 0; i < VARIABLES; i++) unsetenv(variables[i]);
}

// --- files ---

// Lines "NAME:VALUES" are columns of a tree, which is written as a text and as C.
static void fuzz_tree(char *text, size_t size)
{
    gputune_param named[5];
    double x[4 * 8], y[8], shares[4];
    gputune_tree_desc desc;
    gputune_tree *tree;
    char *line;
    int width = 0, i;
    (void)size;
    memset(named, 0, sizeof named);
    memset(&desc, 0, sizeof desc);
    while (width < 4 && (line = next_line(&text)) != NULL) {
        char *values = strchr(line, ':');
        if (values) *values++ = 0;
        named[width].name = line;
        named[width++].values = values;
    }
    for (i = 0; i < 4 * 8; i++) x[i] = (i >> i % 4 & 1) + (i == 9);
    for (i = 0; i < 8; i++) y[i] = i * i;
    desc.table.columns = named;
    desc.table.x = x;
    desc.table.y = y;
    desc.table.count = 8;
    tree = gputune_tree_create(&desc);
    HOLD(tree);
    if (gputune_tree_error(tree)->result == GPUTUNE_OK) {
        gputune_tree_importance(tree, shares);
        HOLD(gputune_tree_text(tree, GPUTUNE_TREE_TEXT, NULL));
        HOLD(gputune_tree_text(tree, GPUTUNE_TREE_C, "f"));
    } else {
        HOLD(gputune_tree_error(tree)->text[0]);
    }
    gputune_tree_destroy(tree);
}

static gt__key some_key(void)
{
    gt__key key;
    memset(&key, 0, sizeof key);
    key.name = "saxpy";
    key.api = "opencl";
    key.device = "a device";
    key.driver = "1.2.3";
    key.source = 5;
    key.space = 6;
    key.problem = "n=2^20 m=1000";
    return key;
}

static gt__entry some_entry(const gt__key *key, const char *config)
{
    gt__entry entry;
    memset(&entry, 0, sizeof entry);
    entry.key = *key;
    entry.config = config;
    entry.value = 1.5e-3;
    entry.default_value = 2e-3;
    entry.trials = 17;
    return entry;
}

static void fuzz_store(char *text, size_t size)
{
    const gt__key key = some_key();
    const gt__entry entry = some_entry(&key, "BLOCK=256 ITEMS=4");
    gt__store *store;
    bool exact;
    gputune_error error;
    char why[256];
    int at = 0;
    write_lines(file_path, text, size);
    store = gt__store_open(&base, file_path);
    HOLD(store);
    gt__store_find(store, &key, &exact, why, sizeof why);
    while (gt__store_next(store, "saxpy", &at)) continue;
    if (gt__store_put(store, &key, &entry, &error) == GPUTUNE_OK) {
        const gt__entry *found = gt__store_find(store, &key, &exact, why, sizeof why);
        HOLD(found && exact && found->trials == 17);
        gt__store_close(store);
        store = gt__store_open(&base, file_path);
        found = gt__store_find(store, &key, &exact, why, sizeof why);
        HOLD(found && exact && strcmp(found->config, entry.config) == 0);
    } else {
        HOLD(error.text[0]);
    }
    gt__store_close(store);
}

// The folders of a path, which is not taken over.
static void make_place(const char *path)
{
    gt__place place;
    char *copy = NULL;
    HOLD(path && gt__text_add(&base, &copy, "%s", path));
    HOLD(gt__place_open(&place, copy, true, true) == 0);
    gt__place_close(&base, &place);
}

// Lines come while two have the log open.
static void fuzz_trial_log_live(char *text, size_t size)
{
    const gt__key key = some_key();
    gt__trial_log *log[2] = { NULL, NULL };
    gt__record *records[2] = { NULL, NULL };
    gputune_error error;
    char *path = NULL;
    int i;
    bool won;
    make_place(path = gt__trial_log_path(&base, file_path, &key));
    for (i = 0; i < 2; i++)
        HOLD(gt__trial_log_open(&base, file_path, &key, true, &log[i], &records[i], &error) ==
             GPUTUNE_OK);
    HOLD(gt__trial_log_claim(log[0], "BLOCK=64", 0, &won, &error) == GPUTUNE_OK);
    HOLD(won);
    gt__trial_log_begin(log[0], "BLOCK=128", false, &error);
    write_lines(path, text, size);
    for (i = 0; i < 2; i++) {
        gt__trial_log_check(log[i], &error);
        gt__trial_log_claim(log[i], "BLOCK=64", 0, &won, &error);
    }
    for (i = 0; i < 2; i++) {
        gt__trial_log_close(log[i], i == 0);
        gt__records_free(&base, &records[i]);
    }
    remove(path);
    gt__arr_free(&base, path);
}

// The trials of a log, which stays as it is.
static gputune_result read_trial_log(const gt__key *key, gt__record **records, gputune_error *error)
{
    int code;
    gt__trial_log *j = gt__trial_log_new(&base, file_path, key, records, false, &code);
    gputune_result result = GPUTUNE_OK;
    HOLD(j && code != ENOMEM);
    if (!code) result = gt__trial_log_load(j, error);
    if (result || j->version > GT__TRIAL_LOG_VERSION) gt__records_free(&base, records);
    gt__trial_log_free(j);
    return result == GPUTUNE_ERROR_FORMAT ? GPUTUNE_OK : result;
}

static void fuzz_trial_log(char *text, size_t size)
{
    const gt__key key = some_key();
    gt__trial_log *log = NULL;
    gt__record *records = NULL;
    gputune_error error;
    char *path = NULL;
    make_place(path = gt__trial_log_path(&base, file_path, &key));
    write_lines(path, text, size);
    read_trial_log(&key, &records, &error);
    gt__records_free(&base, &records);
    if (gt__trial_log_open(&base, file_path, &key, false, &log, &records, &error) ==
        GPUTUNE_OK) {
        const int before = gt__len(records);
        gt__record record;
        gt__records_free(&base, &records);
        memset(&record, 0, sizeof record);
        record.config = (char *)(uintptr_t) "BLOCK=64";
        record.value = 1e-3;
        gt__trial_log_begin(log, record.config, false, &error);
        gt__trial_log_end(log, &record, &error);
        gt__trial_log_close(log, false);
        HOLD(read_trial_log(&key, &records, &error) == GPUTUNE_OK);
        HOLD(gt__len(records) == before + 1);
        gt__records_free(&base, &records);
    } else {
        HOLD(error.text[0]);
    }
    remove(path);
    gt__arr_free(&base, path);
    fuzz_trial_log_live(text, size);
}

static CUresult CUDAAPI load_module(CUmodule *module, const void *image, unsigned count,
                                    CUjit_option *options, void **values)
{
    (void)count, (void)options, (void)values;
    *module = (CUmodule)(uintptr_t)(strlen((const char *)image) + 1);
    return CUDA_SUCCESS;
}

static CUresult CUDAAPI find_function(CUfunction *function, CUmodule module, const char *name)
{
    (void)module;
    *function = (CUfunction)(uintptr_t)(strlen(name) + 1);
    return CUDA_SUCCESS;
}

// A binary with the right hashes, as the CUDA driver's half of the library gets it.
static void fuzz_binary(char *text, size_t size)
{
    static const uint64_t hash = 42;
    gt__binary_head head = gt__binary_head_of(text, size, hash);
    gt_cuda__device cu;
    gt_cuda__code code;
    gputune_binary binary;
    gputune_error error;
    char *data = NULL;
    gt__place place;
    bool unusable, ok = gt__text_put(&base, &data, (const char *)&head, sizeof head) &&
              gt__text_put(&base, &data, text, size);
    HOLD(ok && gt__binary_place(&base, file_path, hash, true, &place) == 0);
    write_file(place.path, data, (size_t)gt__len(data));
    gt__place_close(&base, &place);
    if (gt__binary_read(&base, file_path, hash, &binary, &unusable)) {
        HOLD(binary.bytes == size && memcmp(binary.data, text, size) == 0);
        memset(&cu, 0, sizeof cu);
        memset(&code, 0, sizeof code);
        cu.call.cuModuleLoadDataEx = load_module;
        cu.call.cuModuleGetFunction = find_function;
        HOLD(gt_cuda__load_binary(&cu, &binary, &code, &error) == GPUTUNE_OK ||
             error.text[0]);
        gt__free(&base, binary.data);
    } else {
        HOLD(size == 0);
    }
    gt__arr_free(&base, data);
}

// --- parent and child of an isolated tuning ---

static gt__attempt child_asked(void)
{
    gt__attempt a;
    memset(&a, 0, sizeof a);
    a.step = GT__DO_SAMPLE;
    a.session = 1;
    a.trial.config.choice[0] = 2;
    return a;
}

// The first byte's bits: 4, the socket is closed behind the child, else another process has it. The
// rest is what a child answers.
static void fuzz_isolation(char *text, size_t size)
{
    static gputune_kernel kernel;
    static gt__isolation s;
    static gputune_tuner tuner;
    const gt__attempt asked = child_asked();
    gt__attempt a;
    gputune_error error;
    int ends[2];
    bool heard;
    if (!size) return;
    memset(&kernel, 0, sizeof kernel);
    memset(&tuner, 0, sizeof tuner);
    memset(&s, 0, sizeof s);
    memset(&error, 0, sizeof error);
    s.k = &kernel;
    s.t = &tuner;
    s.reached = true;
    HOLD(gt__socket_pair(ends) == 0);
    HOLD(send(ends[1], text + 1, size - 1, MSG_DONTWAIT) >= 0 || size == 1 || errno == EAGAIN);
    if (*text & 4) close(ends[1]);
    s.socket = ends[0]; // and no process: it has ended
    heard = gt__child_hear(&s, &a, sizeof a, 8);
    HOLD(heard || size - 1 < sizeof a);
    if (heard && gt__child_answer(&a, &asked, &error)) {
        HOLD(*gputune_result_text(a.trial.result) && a.step == asked.step);
        HOLD(a.trial.value == a.trial.value && a.trial.stats.median == a.trial.stats.median);
        HOLD(error.result == a.trial.result && strlen(a.reason) < sizeof a.reason);
    }
    if (heard) HOLD(!memcmp(&a.trial.config, &asked.trial.config, sizeof a.trial.config));
    gt__child_end(&s, false);
    if (!(*text & 4)) close(ends[1]);
}

// --- first inputs that only the library can write ---

// A file without its checks, which are put right before it is read.
static void seed_lines(const char *seeds, const char *text, size_t size)
{
    char path[300], *plain = (char *)malloc(size + 2);
    size_t used = 0, i;
    HOLD(plain);
    plain[used++] = '1';
    for (i = 0; i < size; i++) {
        if (strncmp(text + i, GT__CHECK, sizeof GT__CHECK - 1) == 0)
            i += GT__CHECK_LENGTH - 1;
        else
            plain[used++] = text[i];
    }
    snprintf(path, sizeof path, "%s/written", seeds);
    write_file(path, plain, used);
    free(plain);
}

static void seed_file(const char *seeds, const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;
    HOLD(size);
    text[size] = 0;
    fclose(file);
    seed_lines(seeds, text, size);
}

static void seed_tree(const char *seeds)
{
    static const char text[] = "n:\nkind:set small,large,*/ \\\n2 [two]:kernel a,2\nm:set 1,2,4";
    char path[300];
    snprintf(path, sizeof path, "%s/written", seeds);
    write_file(path, text, strlen(text));
}

static void seed_store(const char *seeds)
{
    gt__key key = some_key();
    gt__entry entry = some_entry(&key, "BLOCK=128");
    gt__store *store = gt__store_open(&base, file_path);
    gputune_error error;
    HOLD(gt__store_put(store, &key, &entry, &error) == GPUTUNE_OK);
    key.problem = entry.key.problem = "n=5";
    HOLD(gt__store_put(store, &key, &entry, &error) == GPUTUNE_OK);
    gt__store_close(store);
    seed_file(seeds, file_path);
}

static void seed_trial_log(const char *seeds)
{
    const gt__key key = some_key();
    gt__trial_log *log = NULL, *other = NULL;
    gt__record *records = NULL, record;
    gputune_error error;
    char *path = NULL;
    bool won;
    memset(&record, 0, sizeof record);
    record.config = (char *)(uintptr_t) "BLOCK=64";
    record.value = 1e-3;
    record.reason = (char *)(uintptr_t) "it is so";
    HOLD((path = gt__trial_log_path(&base, file_path, &key)) != NULL);
    remove(path);
    HOLD(gt__trial_log_open(&base, file_path, &key, true, &log, &records, &error) ==
         GPUTUNE_OK);
    HOLD(gt__trial_log_open(&base, file_path, &key, true, &other, &records, &error) ==
         GPUTUNE_OK);
    gt__trial_log_claim(other, "device 5", 0, &won, &error);
    gt__trial_log_claim(other, "BLOCK=256", 0, &won, &error);
    gt__trial_log_claim(other, "BLOCK=512", 0, &won, &error);
    gt__trial_log_begin(log, "BLOCK=64", false, &error);
    gt__trial_log_end(log, &record, &error);
    gt__trial_log_begin(log, "BLOCK=32", true, &error);
    gt__trial_log_begin(log, "BLOCK=128", false, &error);
    gt__trial_log_begin(other, "BLOCK=256", false, &error);
    seed_file(seeds, path); // with some in flight
    gt__trial_log_close(log, true);
    gt__trial_log_close(other, false);
    seed_file(seeds, path);
    gt__records_free(&base, &records);
    gt__arr_free(&base, path);
}

static void seed_binary(const char *seeds)
{
    gt_cuda__head head;
    char path[300], data[sizeof head + 32];
    memcpy(head.magic, gt_cuda__magic, sizeof head.magic);
    head.name_bytes = 16;
    memset(data, 0, sizeof data);
    memcpy(data, &head, sizeof head);
    memcpy(data + sizeof head, "saxpy", 5);
    memcpy(data + sizeof head + 16, ".version 8.0", 12);
    snprintf(path, sizeof path, "%s/written", seeds);
    write_file(path, data, sizeof data);
}

// A sound answer; an error.
static void seed_isolation(const char *seeds)
{
    char path[300], data[1 + sizeof(gt__attempt)] = "5";
    gt__attempt a = child_asked();
    int i;
    for (i = 0; i < 2; i++) {
        a.trial.result = i ? GPUTUNE_ERROR_DEVICE_LOST : GPUTUNE_OK;
        memcpy(a.reason, "it is so", 9);
        memcpy(data + 1, &a, sizeof a);
        snprintf(path, sizeof path, "%s/%s", seeds, i ? "failed" : "tuned");
        write_file(path, data, sizeof data);
    }
}

// --- files of trials ---

// An error that says why, or trials, of which none that is right takes no time.
static void fuzz_recording(char *text, size_t size)
{
    gt__recording *r;
    gputune_error error;
    int i;
    memset(&error, 0, sizeof error);
    write_file(file_path, text, size);
    r = gt__recording_read(&base, file_path, &error);
    HOLD(r ? gt__len(r->trials) > 0 : error.result == GPUTUNE_ERROR_FORMAT && *error.text);
    for (i = 0; r && i < gt__len(r->trials); i++) {
        const gputune_replay_trial *t = &r->trials[i].of;
        HOLD(t->result != GPUTUNE_OK || t->seconds > 0);
    }
    for (i = 0; r && i < gt__len(r->names); i++) HOLD(strlen(r->names[i]) <= size);
    gt__recording_free(r);
}

static void seed_recording(const char *seeds)
{
    static const char *const texts[] = {
        "A,B,time_ms,compile_time,energy,objective,\"x,y\",result,reason\n1,a,2,3,4,,5,ok,\n"
        "2,b,,3,,,,compile,\"a \"\"b\"\"\nc\"\r\n",
        "{\"tune_params_keys\":[\"A\",\"B\"],\"x\":{\"A\":[1,2]},\"cache\":{\"1,a\":{"
        "\"A\":1,\"B\":\"a\",\"time\":2.5e-1,\"times\":[1,2]},\"2,b\":{\"A\":2,\"B\":\"\\u0062\","
        "\"time\":\"InvalidConfig\",\"__error__\":\"InvalidConfig\"}}}",
        "{\"schema_version\":\"1.0.0\",\"results\":[{\"configuration\":{\"A\":true,\"B\":null},"
        "\"times\":{\"compilation_time\":1,\"runtimes\":[0.5]},\"invalidity\":\"correct\","
        "\"measurements\":[{\"name\":\"time\",\"value\":0.5,\"unit\":\"ms\"}]}]}"
    };
    char path[300];
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        snprintf(path, sizeof path, "%s/recording%d", seeds, (int)i);
        write_file(path, texts[i], strlen(texts[i]));
    }
}

// --- targets ---

static const struct {
    const char *name;
    void (*run)(char *text, size_t size);
    void (*seed)(const char *seeds); // NULL: run.sh knows some
    bool bytes;
} targets[] = {
    { "expressions", fuzz_expressions, NULL, false },
    { "space", fuzz_space, NULL, false },
    { "annotations", fuzz_annotations, NULL, false },
    { "coarsen", fuzz_coarsen, NULL, false },
    { "atomics", fuzz_atomics, NULL, false },
    { "dialect", fuzz_dialect, NULL, false },
    { "problems", fuzz_problems, NULL, false },
    { "environment", fuzz_environment, NULL, false },
    { "tree", fuzz_tree, seed_tree, false },
    { "store", fuzz_store, seed_store, true },
    { "trial_log", fuzz_trial_log, seed_trial_log, true },
    { "binary", fuzz_binary, seed_binary, true },
    { "isolation", fuzz_isolation, seed_isolation, true },
    { "recording", fuzz_recording, seed_recording, true },
};

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    const char *wanted = getenv("FUZZ_TARGET"), *seeds = getenv("FUZZ_SEEDS");
    const char *temporary = getenv("TMPDIR");
    size_t i;
    (void)count, (void)arguments;
    for (i = 0; i < VARIABLES; i++) unsetenv(variables[i]);
    for (i = 0; wanted && i < sizeof targets / sizeof *targets; i++)
        if (strcmp(targets[i].name, wanted) == 0) break;
    if (!wanted || i == sizeof targets / sizeof *targets) { // a list of them
        for (i = 0; i < sizeof targets / sizeof *targets; i++) puts(targets[i].name);
        exit(wanted != NULL);
    }
    snprintf(folder, sizeof folder, "%.40s/fuzz.XXXXXX", temporary ? temporary : "/tmp");
    HOLD(mkdtemp(folder));
    atexit(end_folder);
    snprintf(file_path, sizeof file_path, "%s/file", folder);
    run_target = targets[i].run;
    takes_bytes = targets[i].bytes;
    if (!seeds) return 0;
    if (targets[i].seed) targets[i].seed(seeds);
    exit(0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = (char *)malloc(size + 1); // of its own size: what is read behind it is noticed
    HOLD(text);
    memcpy(text, data, size);
    text[size] = 0;
    if (takes_bytes || !memchr(text, 0, size)) run_target(text, size);
    free(text);
    return 0;
}
