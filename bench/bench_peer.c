// gputune's side of the comparison with Kernel Tuner: tunes a kernel of bench/peer through CUDA and
// writes what happened, a log for each tuning; bench/peer/compare.py makes rows of the logs.
//
//     sh bench/run.sh peer ...            builds it, runs both sides and compares: see there
//     bench_peer --kernel K --do STEPS --logs FOLDER --scratch FOLDER [--seeds N] [--part P]
//                [--cap SECONDS] [--runs auto,serial] [--no-device]
//
//   exhaustive  every configuration (or the part P of them, drawn at random)
//   search      tunings with the default strategy, seeds 1 to N, each until the best so far is
//               among K.good (within 5 % of the best of the exhaustive searches) or over the cap
//                   auto    default threads: compiles ahead while it measures
//                   serial  one thread: compiles, then measures
//   verify      outputs of the default and of a few configurations against plain C
//
// A log is FOLDER/K.gputune.RUN.SEED.tsv: lines "# key<TAB>value", a line of column names, a row a
// configuration, in seconds. The clock starts with the data still on the host, when the GPU and
// the compiler have been used once; what came before is in startup_seconds.
#define _POSIX_C_SOURCE 200809L
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

enum { ARGS = 8, BLOCK_OF_DATA = 1 << 20, FILTER = 17 };

typedef struct bench {
    const char *name, *steps, *logs, *scratch, *runs;
    int seeds;
    double part, cap;
    bool no_device;
    const int *size;
    size_t floats[3];   // of two inputs (0: none) and the output
    float *host[3];
    void *buffers[3];
    gputune_arg args[ARGS];
    int arg_count;
    gputune_device *device;
    double startup;
    char *good;             // text of the configurations that end a search, each between newlines
    FILE *log;
    double began, best;
    double last;            // elapsed at the last trial
    int trials;
} bench;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench_peer: %s%s%s\n", what, *why ? ": " : "", why);
    exit(1);
}

// ---------------------------------------------------------------------------------------------
// Data, arguments and plain C
// ---------------------------------------------------------------------------------------------

static const char *const names[] = { "sgemm", "convolution", "reduction" };
static const int sizes[3][3] = { { 2048, 2048, 2048 }, { 4096, 2048, 0 }, { 8192, 32768, 0 } };
static const int small_sizes[3][3] = { { 256, 256, 256 }, { 512, 512, 0 }, { 8, 32768, 0 } };

static bool is(const bench *b, const char *name) { return strcmp(b->name, name) == 0; }

static void set_sizes(bench *b)
{
    size_t x, y, z;
    int k = 0;
    while (k < 3 && !is(b, names[k])) k++;
    if (k == 3) fail("--kernel", "sgemm, convolution or reduction");
    b->size = b->no_device ? small_sizes[k] : sizes[k];
    x = (size_t)b->size[0];
    y = (size_t)b->size[1];
    z = (size_t)b->size[2];
    if (is(b, "sgemm")) {
        b->floats[0] = x * z;
        b->floats[1] = z * y;
        b->floats[2] = x * y;
    } else if (is(b, "convolution")) {
        b->floats[0] = (x + FILTER - 1) * (y + FILTER - 1);
        b->floats[1] = FILTER * FILTER;
        b->floats[2] = x * y;
    } else {
        b->floats[0] = x * y;
        b->floats[2] = x;
    }
}

// Numbers in [-1, 1): a million random ones (xorshift64*), repeated, since a gigabyte takes long.
static void fill(float *values, size_t count)
{
    uint64_t state = 88172645463325252u;
    size_t i, done = count < BLOCK_OF_DATA ? count : BLOCK_OF_DATA;
    for (i = 0; i < done; i++) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        values[i] = (float)((state * 0x2545F4914F6CDD1Du) >> 40) * 0x1p-23f - 1.0f;
    }
    while (done < count) {
        size_t more = count - done < BLOCK_OF_DATA ? count - done : BLOCK_OF_DATA;
        memcpy(values + done, values, more * sizeof *values);
        done += more;
    }
}

static void make_data(bench *b)
{
    int i;
    for (i = 0; i < 3; i++) {
        if (!b->floats[i]) continue;
        b->host[i] = (float *)calloc(b->floats[i], sizeof *b->host[i]);
        if (!b->host[i]) fail("data", "out of memory");
        if (i < 2) fill(b->host[i], b->floats[i]);
    }
}

static void add(bench *b, gputune_arg arg) { b->args[b->arg_count++] = arg; }

static size_t bytes(const bench *b, int i) { return b->floats[i] * sizeof(float); }

// Part of what is timed: the peer, too, is given host data and copies it to the GPU.
static void make_arguments(bench *b)
{
    int i;
    b->arg_count = 0;
    for (i = 0; i < 3; i++) {
        if (!b->floats[i]) continue;
        b->buffers[i] = gputune_buffer_create(b->device, bytes(b, i), b->host[i]);
        if (!b->buffers[i]) fail("buffer", gputune_device_error(b->device)->text);
    }
    for (i = 0; i < 3 && b->size[i]; i++) add(b, gputune_int(b->size[i]));
    if (is(b, "sgemm")) add(b, gputune_float(1));
    for (i = 0; i < 2; i++)
        if (b->floats[i]) add(b, gputune_in(b->buffers[i], bytes(b, i)));
    if (is(b, "sgemm")) add(b, gputune_float(0));
    add(b, gputune_out(b->buffers[2], bytes(b, 2)));
}

static void free_arguments(bench *b)
{
    int i;
    for (i = 0; i < 3; i++) {
        gputune_buffer_destroy(b->device, b->buffers[i]);
        b->buffers[i] = NULL;
    }
}

// One element of the output.
static double expected(const bench *b, size_t at)
{
    const float *in = b->host[0], *other = b->host[1];
    const size_t x = (size_t)b->size[0], y = (size_t)b->size[1];
    double sum = 0;
    size_t i, j;
    if (is(b, "sgemm")) {
        const size_t k = (size_t)b->size[2];
        for (i = 0; i < k; i++) sum += (double)in[at / y * k + i] * (double)other[i * y + at % y];
    } else if (is(b, "convolution")) {
        for (j = 0; j < FILTER; j++)
            for (i = 0; i < FILTER; i++)
                sum += (double)in[(at / x + j) * (x + FILTER - 1) + at % x + i] *
                       (double)other[j * FILTER + i];
    } else {
        for (i = 0; i < y; i++) sum += (double)in[at * y + i];
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// The device
// ---------------------------------------------------------------------------------------------

// FNV-1a, as in kernel_tuner_run.py: an invented time, to try the scripts without a GPU.
static void pretend(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    char text[512];
    const char *c;
    uint32_t number = 0x811C9DC5;
    (void)user;
    gputune_config_text(config, text, sizeof text);
    for (c = text; *c; c++) number = (number ^ (uint32_t)(unsigned char)*c) * 0x01000193;
    trial->seconds = 1e-3 * (1 + number % 1000 / 100.0);
    trial->compile_seconds = 0.1;
}

static gputune_device *open_device(const bench *b, int threads, const char *store)
{
    gputune_device *device;
    if (b->no_device) {
        gputune_replay_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.options.store = store;
        desc.options.tuning_seconds = 1e6; // further tunings do not wait
        desc.trial = pretend;
        desc.limits.max_group_size = 1024;
        device = gputune_replay_device_create(&desc);
    } else {
        gputune_cuda_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.options.store = store;
        desc.options.tuning_seconds = 1e6; // further tunings do not wait
        desc.options.threads = threads;
        desc.nvrtc = getenv("PEER_NVRTC"); // the one that the peer loads
        device = gputune_cuda_device_create(&desc);
    }
    if (!device) fail("device", "out of memory");
    if (gputune_device_error(device)->result != GPUTUNE_OK)
        fail("no NVIDIA GPU that CUDA can use", gputune_device_error(device)->text);
    return device;
}

// The first use of context and compiler, which the other side makes before its clock starts, too.
static void warm_up(bench *b)
{
    static const char source[] = "extern \"C\" __global__ void f(int n, float *x)\n"
                                 "{\n    if (n < 0) *x = 1;\n}\n";
    const char *started = getenv("PEER_STARTED");
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_config config;
    gputune_arg args[2];
    const gputune_space *space;
    float zero = 0;
    void *x;
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    desc.name = "f";
    desc.global = desc.local = "1";
    kernel = gputune_kernel_create(b->device, &desc);
    x = gputune_buffer_create(b->device, sizeof zero, &zero);
    args[0] = gputune_int(1);
    args[1] = gputune_inout(x, sizeof zero);
    space = gputune_kernel_space(kernel, args, 2);
    if (!space)
        fail("warm-up", gputune_kernel_error(kernel)->text);
    config = gputune_space_default(space);
    if (gputune_kernel_launch(kernel, &config, args, 2) != GPUTUNE_OK)
        fail("warm-up", gputune_kernel_error(kernel)->text);
    gputune_buffer_read(b->device, x, 0, &zero, sizeof zero);
    gputune_buffer_destroy(b->device, x);
    gputune_kernel_destroy(kernel);
    if (started) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        b->startup = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec - atof(started);
    }
}

// ---------------------------------------------------------------------------------------------
// Tunings
// ---------------------------------------------------------------------------------------------

static bool is_good(const bench *b, const char *config)
{
    char line[520];
    snprintf(line, sizeof line, "\n%s\n", config);
    return b->good && strstr(b->good, line);
}

// A row of the log; ends the tuning when its answer would be good enough.
static bool progress(void *user, const gputune_progress *p)
{
    bench *b = (bench *)user;
    const gputune_trial *t = p->last;
    double elapsed = gputune_now() - b->began, wall, rest;
    char text[512];
    if (!t || strcmp(p->phase, "search") != 0) return true;
    gputune_config_text(&t->config, text, sizeof text);
    wall = elapsed - b->last;
    rest = wall - t->compile_seconds;
    fprintf(b->log, "%.9g\t%.9g\t%.9g\t0\t%.9g\t%.9g\t%s\t%s\n", elapsed, t->value,
            t->compile_seconds, rest > 0 ? rest : wall,
            t->stats.median * t->stats.count, gputune_result_name(t->result), text);
    b->last = elapsed;
    b->trials++;
    if (t->result != GPUTUNE_OK || t->value > b->best) return true;
    b->best = t->value;
    return !is_good(b, text);
}

static gputune_kernel *make_kernel(bench *b, gputune_tune_desc *tune)
{
    static char path[256];
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    snprintf(path, sizeof path, "bench/peer/%s.cu", b->name);
    desc.file = path;
    desc.name = b->name;
    if (!b->no_device) desc.compiler_options = "--std=c++11 -ftz=true"; // Kernel Tuner's, CuPy's
    desc.tune = *tune;
    desc.tune.progress = progress;
    desc.tune.user = b;
    return gputune_kernel_create(b->device, &desc);
}

static uint64_t space_count(bench *b, gputune_kernel *kernel)
{
    const gputune_space *space = gputune_kernel_space(kernel, b->args, b->arg_count);
    if (!space)
        fail(b->name, gputune_kernel_error(kernel)->text);
    return gputune_space_count(space);
}

// The path under which this process has loaded NVRTC, as the peer's log has it; Linux only.
static void log_compiler(FILE *log)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024], *path = NULL;
    while (maps && !path && fgets(line, sizeof line, maps))
        if (strstr(line, "/libnvrtc.so")) path = strchr(line, '/');
    if (path) fprintf(log, "# nvrtc\t%s", path);
    if (maps) fclose(maps);
}

static void open_log(bench *b, const char *run, int seed)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.gputune.%s.%d.tsv", b->logs, b->name, run, seed);
    b->log = fopen(path, "w");
    if (!b->log) fail(path, strerror(errno));
    fprintf(b->log, "# kernel\t%s\n# run\t%s\n# seed\t%d\n# startup_seconds\t%.9g\n", b->name, run,
            seed, b->startup);
    fprintf(b->log, "# device\t%s\n# driver\t%s\n# gputune\t%s\n",
            gputune_device_limits(b->device)->name, gputune_device_limits(b->device)->driver,
            GPUTUNE_VERSION);
    log_compiler(b->log);
    fprintf(b->log, "elapsed\tvalue\tcompile\tverify\tbenchmark\tkernel\tresult\tconfig\n");
}

// One tuning from host data to the answer, on a device object of its own: with a store (so with its
// journal) in which nothing is known. The peer, too, makes its objects anew for every tuning.
static void tune(bench *b, const char *run, int seed, int threads, gputune_tune_desc *desc)
{
    gputune_device *first = b->device; // keeps the context and the libraries
    char store[512];
    gputune_kernel *kernel;
    gputune_result result;
    snprintf(store, sizeof store, "%s/%s-%s-%d-%ld.txt", b->scratch, b->name, run, seed,
             (long)getpid());
    open_log(b, run, seed);
    b->best = HUGE_VAL;
    b->trials = 0;
    desc->seed = (uint64_t)seed;
    b->began = gputune_now();
    b->device = open_device(b, threads, store);
    make_arguments(b);
    kernel = make_kernel(b, desc);
    b->last = gputune_now() - b->began;
    result = gputune_tune(kernel, b->args, b->arg_count);
    fprintf(b->log, "# total_seconds\t%.9g\n# space\t%llu\n", gputune_now() - b->began,
            (unsigned long long)space_count(b, kernel));
    fprintf(stderr, "  %s.gputune.%s.%d: %d configurations, best %.4f ms, %.1f s\n", b->name, run,
            seed, b->trials, 1e3 * b->best, b->last);
    if (result != GPUTUNE_OK && result != GPUTUNE_CANCELLED)
        fail(b->name, gputune_kernel_error(kernel)->text);
    gputune_kernel_destroy(kernel);
    free_arguments(b);
    gputune_device_destroy(b->device);
    b->device = first;
    if (fclose(b->log) != 0) fail(b->logs, strerror(errno));
}

static void exhaustive(bench *b)
{
    gputune_tune_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.budget.seconds = -1;
    if (b->part < 1) { // the order is random
        gputune_kernel *kernel;
        make_arguments(b);
        kernel = make_kernel(b, &desc);
        desc.budget.trials = (int)(b->part * (double)space_count(b, kernel)) + 1;
        gputune_kernel_destroy(kernel);
        free_arguments(b);
    }
    tune(b, "exhaustive", 0, 0, &desc);
}

static void read_good(bench *b)
{
    char path[512];
    FILE *file;
    size_t size = (size_t)1 << 20;
    snprintf(path, sizeof path, "%s/%s.good", b->logs, b->name);
    file = fopen(path, "r");
    if (!file) return; // then searches end with the space or the cap
    b->good = (char *)calloc(1, size);
    if (!b->good) fail(path, "out of memory");
    b->good[0] = '\n';
    if (!fread(b->good + 1, 1, size - 2, file)) fail(path, "cannot be read");
    fclose(file);
}

static void search(bench *b, const char *run, int threads)
{
    int seed;
    if (!strstr(b->runs, run)) return;
    read_good(b);
    for (seed = 1; seed <= b->seeds; seed++) {
        gputune_tune_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.budget.seconds = b->cap;
        tune(b, run, seed, threads, &desc);
    }
    free(b->good);
    b->good = NULL;
}

// Runs one configuration on the program's own buffers and compares a sample of its output.
static void verify_config(bench *b, gputune_kernel *kernel, const gputune_config *config)
{
    char text[512], why[600];
    float *out = b->host[2];
    size_t i;
    gputune_config_text(config, text, sizeof text);
    memset(out, 0xff, bytes(b, 2)); // NaN
    if (gputune_buffer_write(b->device, b->buffers[2], 0, out, bytes(b, 2)) != GPUTUNE_OK ||
        gputune_kernel_launch(kernel, config, b->args, b->arg_count) != GPUTUNE_OK ||
        gputune_buffer_read(b->device, b->buffers[2], 0, out, bytes(b, 2)) != GPUTUNE_OK)
        fail(text, gputune_kernel_error(kernel)->text);
    for (i = 0; i < 200; i++) {
        size_t at = i * 2654435761u % b->floats[2];
        double want = expected(b, at);
        if (fabs((double)out[at] - want) <= 1e-2) continue; // sums of up to 32,768 terms below 1
        snprintf(why, sizeof why, "[%lu] is %g, not %g", (unsigned long)at, (double)out[at], want);
        fail(text, why);
    }
    memset(out, 0, bytes(b, 2));
}

static void verify(bench *b)
{
    gputune_tune_desc desc;
    gputune_kernel *kernel;
    const gputune_space *space;
    gputune_config config;
    int i, count = 5;
    memset(&desc, 0, sizeof desc);
    make_arguments(b);
    kernel = make_kernel(b, &desc);
    space = gputune_kernel_space(kernel, b->args, b->arg_count);
    if (!space)
        fail(b->name, gputune_kernel_error(kernel)->text);
    config = gputune_space_default(space);
    verify_config(b, kernel, &config);
    for (i = 0; i < count; i++) {
        config = gputune_space_at(space, (uint64_t)i * gputune_space_count(space) / 5 + 3);
        verify_config(b, kernel, &config);
    }
    printf("result\tpeer_gputune_verified_%s\t%d\t\n", b->name, count + 1);
    gputune_kernel_destroy(kernel);
    free_arguments(b);
}

// ---------------------------------------------------------------------------------------------
// Program
// ---------------------------------------------------------------------------------------------

static bool option(const char *name, char **argv, const char **value)
{
    if (strcmp(argv[0], name) != 0) return false;
    if (!argv[1]) fail(name, "needs a value");
    *value = argv[1];
    return true;
}

static void read_options(bench *b, char **argv)
{
    const char *seeds = "5", *part = "1", *cap = "40";
    b->steps = "";
    b->runs = "auto,serial";
    while (*argv) {
        if (strcmp(*argv, "--no-device") == 0) {
            b->no_device = true;
            argv++;
            continue;
        }
        if (!option("--kernel", argv, &b->name) && !option("--do", argv, &b->steps) &&
            !option("--logs", argv, &b->logs) && !option("--scratch", argv, &b->scratch) &&
            !option("--runs", argv, &b->runs) && !option("--seeds", argv, &seeds) &&
            !option("--part", argv, &part) && !option("--cap", argv, &cap))
            fail("unknown option", *argv);
        argv += 2;
    }
    b->seeds = atoi(seeds);
    b->part = atof(part);
    b->cap = atof(cap);
    if (!b->name || !b->logs || !b->scratch) fail("--kernel, --logs and --scratch", "are needed");
}

int main(int argc, char **argv)
{
    static bench b;
    int i;
    (void)argc;
    read_options(&b, argv + 1);
    set_sizes(&b);
    unsetenv("GPUTUNE_STORE"); // it would win over a tuning's own
    b.device = open_device(&b, 0, "");
    warm_up(&b);
    make_data(&b);
    if (strstr(b.steps, "exhaustive")) exhaustive(&b);
    if (strstr(b.steps, "search")) search(&b, "auto", 0);
    if (strstr(b.steps, "search")) search(&b, "serial", -1);
    if (strstr(b.steps, "verify")) verify(&b);
    gputune_device_destroy(b.device);
    for (i = 0; i < 3; i++) free(b.host[i]);
    return 0;
}
