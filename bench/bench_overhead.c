// What the tuner itself costs, on the replay device: nothing is compiled or launched, so all the
// wall time is ours.
//
//     sh bench/run.sh overhead [TRIALS]        TRIALS: 100000; 0: the calls alone
//
//   trial_overhead_us  wall time of a tuning by its trials: search, source injection, private
//                      copies, verification, timing, statistics, journal on. Random search
//   trial_surrogate_us with the default strategy, in a tuning of 1,000 trials, without a store
//   lookup_us          gputune_run for a problem that is known, median
//   call_overhead_WHICH_us     gputune_run on the host device, less the driver's own launch of a
//                      function that does nothing, least of 400 means of 500 calls: same_3 and
//                      same_30 with the arguments of the call before (so many), same_text with
//                      local memory and a struct, other_3, other_30 with others of the same problem
//                      and class, in turn
//   second_run_ms      second start of a program: device, kernel, first gputune_run, with the
//                      answer in the store; median
//   store_load_ms      opening a store of 10,000 entries, median
//   flaky_won_10, _50  of 100 tunings of launches of 10 us, those that a configuration won which is
//                      twice as fast as all others and wrong once in 10 (50) launches, by chance
//   report_N_kb, _ms   the page of a tuning of N trials, all of which worked: its size, and the
//                      time to draw and write it, median of 21
#define _POSIX_C_SOURCE 200809L
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include "calls.h"

#define VALUES "range 1,12" // of each of five parameters: 248,832 combinations
#define ENTRIES 10000

static const char source[] = "#pragma gputune " VALUES "\n#define A 6\n"
                             "#pragma gputune " VALUES "\n#define B 6\n"
                             "#pragma gputune " VALUES "\n#define C 6\n"
                             "#pragma gputune " VALUES "\n#define D 6\n"
                             "#pragma gputune " VALUES "\n#define E 6\n"
                             "#pragma gputune require A * B <= 128\n"
                             "__kernel void work(int n, __global float *x)\n"
                             "{\n"
                             "    if (get_global_id(0) < n) x[get_global_id(0)] *= A * B * C;\n"
                             "}\n";

static void row(const char *name, double value, const char *unit)
{
    printf("result\t%s\t%.4g\t%s\n", name, value, unit);
    fflush(stdout);
}

static double median(double *samples, int count)
{
    return gputune_stats_of(samples, count).median;
}

// A bowl whose lowest point is not the default.
static void bowl(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    int i;
    (void)user;
    trial->seconds = 1e-5;
    for (i = 0; i < 5; i++) trial->seconds += 1e-6 * abs((int)config->choice[i] - 8);
}

static gputune_device *open_device(const char *store)
{
    gputune_replay_desc desc;
    gputune_device *device;
    memset(&desc, 0, sizeof desc);
    desc.options.store = store;
    desc.options.mode = GPUTUNE_MODE_ON;
    desc.options.tuning_seconds = 1e6; // further tunings do not wait
    desc.trial = bowl;
    device = gputune_replay_device_create(&desc);
    if (!device) fail("device", NULL);
    return device;
}

static gputune_kernel *open_kernel(gputune_device *device, gputune_strategy strategy, int trials)
{
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    desc.name = "work";
    desc.global = "n";
    desc.local = "1";
    desc.tune.strategy = strategy;
    desc.tune.budget.trials = trials;
    desc.tune.budget.all = true;
    desc.tune.budget.seconds = -1;
    return gputune_kernel_create(device, &desc);
}

// Seconds of gputune_run.
static double run(gputune_kernel *kernel, gputune_origin origin)
{
    float x[16] = { 0 };
    gputune_arg args[2];
    double start, seconds;
    args[0] = gputune_int(16);
    args[1] = gputune_inout(x, sizeof x);
    start = gputune_now();
    if (gputune_run(kernel, args, 2) != GPUTUNE_OK) fail("run", gputune_kernel_error(kernel));
    seconds = gputune_now() - start;
    if (gputune_kernel_outcome(kernel)->origin != origin)
        fail("the answer is not from where it should be", gputune_kernel_error(kernel));
    return seconds;
}

static void bench_trials(const char *name, const char *store, gputune_strategy strategy, int trials)
{
    gputune_device *device = open_device(store);
    gputune_kernel *kernel = open_kernel(device, strategy, trials);
    double start = gputune_now();
    run(kernel, GPUTUNE_FROM_TUNING);
    row(name, 1e6 * (gputune_now() - start) / gputune_kernel_outcome(kernel)->trials, "us");
    if (gputune_kernel_outcome(kernel)->trials < trials) fail("too few trials", NULL);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

static void bench_report(const char *path, int trials)
{
    enum { COUNT = 21 };
    double samples[COUNT];
    char name[32];
    FILE *file;
    gputune_device *device = open_device("");
    gputune_kernel *kernel = open_kernel(device, GPUTUNE_STRATEGY_RANDOM, trials);
    int i;
    run(kernel, GPUTUNE_FROM_TUNING);
    for (i = 0; i < COUNT; i++) {
        double start = gputune_now();
        if (gputune_kernel_write(kernel, path)) fail("report", gputune_kernel_error(kernel));
        samples[i] = 1e3 * (gputune_now() - start);
    }
    sprintf(name, "report_%d_ms", trials);
    row(name, median(samples, COUNT), "ms");
    file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END)) fail("report", NULL);
    sprintf(name, "report_%d_kb", trials);
    row(name, 1e-3 * (double)ftell(file), "kB");
    fclose(file);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

static void bench_lookup(const char *store)
{
    enum { COUNT = 10001 };
    static double samples[COUNT];
    gputune_device *device = open_device(store);
    gputune_kernel *kernel = open_kernel(device, GPUTUNE_STRATEGY_RANDOM, 0);
    int i;
    for (i = 0; i < COUNT; i++) samples[i] = 1e6 * run(kernel, GPUTUNE_FROM_STORE);
    row("lookup_us", median(samples, COUNT), "us");
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

// The driver's own launch is measured in turn with gputune_run.
static void bench_call(const char *name, const char *signature, bool others)
{
    enum { COUNT = 500, TURNS = 400 };
    static gputune_arg args[8][30];
    double least = HUGE_VAL, plain = HUGE_VAL;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_driver_launch launch;
    gputune_error error;
    gt__variant *v;
    gt__call call;
    const int count = calls_open(signature, &device, &kernel, args);
    int i, turn;
    for (turn = 0; turn < TURNS; turn++) {
        double begin = gputune_now(), seconds;
        for (i = 0; i < COUNT; i++) gputune_run(kernel, args[others ? i % 8 : 0], count);
        seconds = gputune_now() - begin;
        if (seconds < least) least = seconds;
        v = &kernel->last->ready;
        if (gt__kernel_bind(kernel, &v->config, args[0], count, &call, &error))
            fail("bind", &error);
        gt__variant_launch(v, call.bound, count, &launch);
        begin = gputune_now();
        for (i = 0; i < COUNT; i++)
            device->driver.launch(device->self, v->code, &launch, &error);
        seconds = gputune_now() - begin;
        if (seconds < plain) plain = seconds;
    }
    row(name, 1e6 * (least - plain) / COUNT, "us");
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

static void bench_calls(void)
{
    bench_call("call_overhead_same_3_us", signature_3, false);
    bench_call("call_overhead_same_30_us", signature_30, false);
    bench_call("call_overhead_same_text_us", signature_text, false);
    bench_call("call_overhead_other_3_us", signature_3, true);
    bench_call("call_overhead_other_30_us", signature_30, true);
}

static void bench_second_run(const char *store)
{
    enum { COUNT = 51 };
    double samples[COUNT];
    int i;
    for (i = 0; i < COUNT; i++) {
        double start = gputune_now();
        gputune_device *device = open_device(store);
        gputune_kernel *kernel = open_kernel(device, GPUTUNE_STRATEGY_RANDOM, 0);
        run(kernel, GPUTUNE_FROM_STORE);
        samples[i] = 1e3 * (gputune_now() - start);
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
    }
    row("second_run_ms", median(samples, COUNT), "ms");
}

// Entry i of a large store: 100 kernels, 10 devices, 10 problems.
static gt__entry entry_at(int i, char *texts)
{
    gt__entry entry;
    char *name = texts, *device = texts + 32, *problem = texts + 64;
    memset(&entry, 0, sizeof entry);
    sprintf(name, "kernel_%d", i / 100);
    sprintf(device, "device %d", i / 10 % 10);
    sprintf(problem, "n=2^%d m=2^10", 10 + i % 10);
    entry.key.name = name;
    entry.key.api = "opencl";
    entry.key.device = device;
    entry.key.driver = "580.159.03";
    entry.key.source = gt__mix((uint64_t)(i / 100));
    entry.key.space = gt__mix((uint64_t)(i / 100) + 1000);
    entry.key.problem = problem;
    entry.config = "BLOCK=256 ITEMS=4 UNROLL=8 TILE_X=32 TILE_Y=8 VECTOR=2 LOCAL=1";
    entry.value = 1e-5 * (i + 1);
    entry.default_value = 2e-5 * (i + 1);
    entry.trials = 200;
    return entry;
}

static void write_store(const gt__base *b, const char *path)
{
    char *text = NULL, texts[96];
    FILE *file = fopen(path, "wb");
    int i, good = gt__text_add(b, &text, GT__STORE_HEADER "%d\n", GT__STORE_VERSION);
    for (i = 0; i < ENTRIES && good; i++) {
        gt__entry entry = entry_at(i, texts);
        good = gt__put_line(b, &text, "answer", gt__entry_fields, GT__ENTRY_FIELDS,
                            &entry);
    }
    if (!good || !file || fwrite(text, 1, strlen(text), file) != strlen(text) || fclose(file) != 0)
        fail("writing a store", NULL);
    gt__arr_free(b, text);
}

static void bench_store_load(const char *path)
{
    enum { COUNT = 21 };
    double samples[COUNT];
    char texts[96], why[256];
    gt__base base;
    int i;
    gt__base_init(&base, NULL);
    write_store(&base, path);
    for (i = 0; i < COUNT; i++) {
        double start = gputune_now();
        gt__store *loaded = gt__store_open(&base, path);
        gt__entry entry = entry_at(i * (ENTRIES - 1) / (COUNT - 1), texts);
        const gt__entry *found;
        bool exact = false;
        samples[i] = 1e3 * (gputune_now() - start);
        found = loaded ? gt__store_find(loaded, &entry.key, &exact, why, sizeof why) : NULL;
        if (!found || !exact || found->value != entry.value)
            fail("the store lacks an entry", NULL);
        gt__store_close(loaded);
    }
    row("store_load_ms", median(samples, COUNT), "ms");
}

typedef struct flaky {
    uint64_t random;
    int once; // wrong once in so many launches
} flaky;

static void flaky_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    flaky *f = (flaky *)user;
    trial->seconds = (10 + config->choice[1]) * 1e-6;
    if (config->choice[0] == 0) return;
    trial->seconds /= 2;
    if (trial->items > 0 && gt__random_below(&f->random, (uint64_t)f->once) == 0)
        trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
}

static void bench_flaky(const char *name, int once)
{
    static const gputune_param params[] = { { "HASTY", "bool", "0" }, { "B", "range 0,3", "3" },
                                            { NULL, NULL, NULL } };
    flaky f;
    int won = 0, i;
    f.once = once;
    for (i = 0; i < 100; i++) {
        gputune_replay_desc replay;
        gputune_kernel_desc desc;
        gputune_device *device;
        gputune_kernel *kernel;
        float x[16] = { 0 };
        gputune_arg args[2];
        memset(&replay, 0, sizeof replay);
        replay.options.store = "";
        replay.options.mode = GPUTUNE_MODE_ON;
        replay.trial = flaky_trial;
        replay.user = &f;
        f.random = (uint64_t)i;
        device = gputune_replay_device_create(&replay);
        if (!device) fail("device", NULL);
        memset(&desc, 0, sizeof desc);
        desc.name = "flaky";
        desc.params = params;
        desc.global = "n";
        desc.signature = "int n, float *x";
        kernel = gputune_kernel_create(device, &desc);
        args[0] = gputune_int(16);
        args[1] = gputune_out(x, sizeof x);
        if (gputune_tune(kernel, args, 2) != GPUTUNE_OK) fail("tune", gputune_kernel_error(kernel));
        won += (int)gputune_config_int(&gputune_kernel_outcome(kernel)->config, "HASTY");
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
    }
    row(name, won, "of 100");
}

int main(int argc, char **argv)
{
    const char *parent = getenv("TMPDIR"); // bench/run.sh's own, which it removes
    char folder[1024], store[1100];
    int trials = argc > 1 ? atoi(argv[1]) : 100000;
    bench_calls();
    if (argc > 1 && !trials) return 0;
    snprintf(folder, sizeof folder, "%s/overhead.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) fail("no temporary folder", NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    bench_trials("trial_overhead_us", store, GPUTUNE_STRATEGY_RANDOM, trials);
    bench_trials("trial_surrogate_us", "", GPUTUNE_STRATEGY_AUTO, 1000);
    bench_lookup(store);
    bench_second_run(store);
    snprintf(store, sizeof store, "%s/large.txt", folder);
    bench_store_load(store);
    bench_flaky("flaky_won_10", 10);
    bench_flaky("flaky_won_50", 50);
    snprintf(store, sizeof store, "%s/page.html", folder);
    bench_report(store, 1000);
    bench_report(store, 5000);
    return 0;
}
