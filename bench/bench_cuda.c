// What gputune does and costs on a CUDA device.
//
//     sh bench/run.sh cuda [PART|all [KERNEL|all [REPETITIONS [SECONDS]]]]
//
//   PART         one of those below                KERNEL   a part of the name
//   REPETITIONS  of what is repeated (5)           SECONDS  budget of one tuning (60)
//
// kernels    the rows of bench_kernels.c, through CUDA
// start      lookup_us            gputune_tune for a known problem, median; the slowest kernel's
//            second_run_ms_K      in a second process with the store of a first, at the small
//                                 size: gputune_kernel_create and the first gputune_run, until
//                                 the launch is enqueued; the device and the buffers are there
//                                 already. Median. second_run_ms: the slowest kernel's
//            second_run_most_ms   the slowest of all second processes
//            second_device_ms     what stands before that, gputune_cuda_device_create: nearly all
//                                 of it the driver's context. Median
//            second_run_nvrtc     second processes that loaded NVRTC
// overhead   per_config_overhead_ms  wall time of a trial less the time inside the driver table's
//                                 translate and compile (NVRTC, loading the cubin) and less the
//                                 device seconds of its launches. What is left and counts: search,
//                                 values into the text, geometry, private copies renewed and
//                                 poisoned, outputs read back and compared, the host's part of
//                                 launching and waiting, statistics, journal. Mean over the trials
//                                 of a search after the first (which makes the copies); saxpy on
//                                 2^16 elements, nothing compiled ahead
//            per_config_overhead_large_ms  the same on 2^26: what verifying 256 MB costs
// occupancy  occupancy_mismatch   configurations whose usage differs from what
//                                 cuOccupancyMaxActiveBlocksPerMultiprocessor says: all of every
//                                 space up to 1,000, else 1,000 at random
//            occupancy_checked, occupancy_failed   those compared; those that do not launch
// devices    two_gpu_speedup      an exhaustive search of 300 configurations (convolution with a
//                                 filter of 31 x 31, so that trials and not the compiler take
//                                 the time) on one GPU, its wall time over that on two; needs two
// energy     energy_repeat_spread_K  objective energy, default configuration: the joules of a
//                                 launch in tunings of their own, most over least (saxpy, sgemm);
//                                 energy_repeat_spread: the larger. energy_mj_K: their median
//            energy_spread_D      power of sgemm measured 6 times over D ms: (most - least) / mean
//            energy_default_mj_K, energy_tuned_mj_K, energy_fastest_mj_K    millijoules of a launch
//                                 of the default, of a tuning with the objective "energy", of one
//                                 with "time" (saxpy, sgemm, convolution; SECONDS each), when both
//                                 are over: the counter over launches of 1 s, in turn, medians of 5
//            energy_gain_K, energy_slower_K      the first over the second; seconds of a launch of
//                                 the second over the third's
#define _POSIX_C_SOURCE 200809L // mkdtemp, popen, unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "kernels.h"

static gputune_device *open_device(const char *store, int ordinal)
{
    gputune_cuda_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.options.store = store;
    desc.options.mode = GPUTUNE_MODE_ON;
    desc.options.tuning_seconds = 1e6; // further tunings do not wait
    desc.device = ordinal;
    return gputune_cuda_device_create(&desc);
}

static void make_data(case_data *data, const example_case *kind, gputune_device *device,
                      const int size[3])
{
    if (!case_make(data, kind, device, size, 1))
        fail(kind->name, gputune_device_error(device)->text);
}

// ---------------------------------------------------------------------------------------------
// start
// ---------------------------------------------------------------------------------------------

enum { LOOKUPS = 10001 };

static bool nvrtc_is_loaded(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    bool found = false;
    while (maps && !found && fgets(line, sizeof line, maps)) found = strstr(line, "libnvrtc");
    if (maps) fclose(maps);
    return found;
}

// The second process: prints what the first one reads.
static void start_again(const char *store, const char *name)
{
    const example_case *kind = case_find(name);
    const double start = gputune_now();
    gputune_device *device = open_device(store, 0);
    const double opened = gputune_now() - start;
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    case_data data;
    double begin, seconds;
    if (!kind) fail(name, "no such kernel");
    desc = case_desc(kind);
    make_data(&data, kind, device, kind->small);
    begin = gputune_now();
    kernel = gputune_kernel_create(device, &desc);
    if (gputune_run(kernel, data.args, data.arg_count) != GPUTUNE_OK)
        fail(name, gputune_kernel_error(kernel)->text);
    seconds = gputune_now() - begin;
    if (gputune_kernel_outcome(kernel)->origin != GPUTUNE_FROM_STORE)
        fail(name, "the second process does not know the answer");
    printf("%.9g %d %.9g\n", seconds, nvrtc_is_loaded(), opened);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
}

// Its seconds, and *opened of them before for the device; adds 1 to *loaded if NVRTC was.
static double time_second_process(const char *program, const char *store, const char *name,
                                  int *loaded, double *opened)
{
    char command[4096];
    double seconds = -1;
    int nvrtc = 0;
    FILE *pipe;
    snprintf(command, sizeof command, "'%s' second '%s' '%s'", program, store, name);
    pipe = popen(command, "r");
    if (!pipe || fscanf(pipe, "%lf %d %lf", &seconds, &nvrtc, opened) != 3 || pclose(pipe) != 0)
        fail(name, "the second process failed");
    *loaded += nvrtc;
    return seconds;
}

static double look_up(gputune_kernel *kernel, const case_data *data)
{
    static double samples[LOOKUPS];
    for (int i = 0; i < LOOKUPS; i++) {
        double begin = gputune_now();
        if (gputune_tune(kernel, data->args, data->arg_count) != GPUTUNE_OK)
            fail(data->kind->name, gputune_kernel_error(kernel)->text);
        samples[i] = gputune_now() - begin;
    }
    return median(samples, LOOKUPS);
}

static void bench_start(const char *program, const settings *s)
{
    const char *parent = getenv("TMPDIR"); // bench/run.sh's own, which it removes
    char folder[1024], store[1100];
    static double opened[MOST_TUNINGS * CASE_COUNT];
    double slowest = 0, lookup = 0, most = 0;
    int loaded = 0, processes = 0;
    gputune_device *device;
    snprintf(folder, sizeof folder, "%s/cuda.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) fail(folder, "cannot be made");
    snprintf(store, sizeof store, "%s/store.txt", folder);
    device = open_device(store, 0);
    for (int i = 0; i < CASE_COUNT; i++) {
        const example_case *kind = &example_cases[i];
        gputune_kernel_desc desc = case_desc(kind);
        gputune_kernel *kernel;
        case_data data;
        double samples[MOST_TUNINGS], seconds;
        if (!strstr(kind->name, s->kernel)) continue;
        desc.tune.budget.trials = 10;
        make_data(&data, kind, device, kind->small);
        kernel = gputune_kernel_create(device, &desc);
        seconds = look_up(kernel, &data); // the first of them tunes
        lookup = seconds > lookup ? seconds : lookup;
        for (int r = 0; r < s->tunings; r++) {
            samples[r] = time_second_process(program, store, kind->name, &loaded,
                                             &opened[processes++]);
            most = fmax(most, samples[r]);
        }
        seconds = median(samples, s->tunings);
        slowest = seconds > slowest ? seconds : slowest;
        row("second_run_ms", kind->name, 1e3 * seconds, "ms");
        gputune_kernel_destroy(kernel);
        case_free(&data);
    }
    row("second_run_ms", "", 1e3 * slowest, "ms");
    row("second_run_most_ms", "", 1e3 * most, "ms");
    row("second_device_ms", "", 1e3 * median(opened, processes), "ms");
    row("second_run_nvrtc", "", loaded, "");
    row("lookup_us", "", 1e6 * lookup, "us"); // the slowest kernel's
    gputune_device_destroy(device);
}

// ---------------------------------------------------------------------------------------------
// overhead
// ---------------------------------------------------------------------------------------------

// The driver's own functions, and what went through ours, which stand in the table instead.
static struct {
    gputune_driver driver;
    double elsewhere;                   // seconds in the compiler and in kernels
    double begin, end;                  // of the search: after the first trial, after the last
    double elsewhere_begin, elsewhere_end;
    int trials_begin, trials_end;
} meter;

static gputune_result metered_compile(void *self, const gputune_build *build, void **code,
                                      gputune_error *error)
{
    double begin = gputune_now();
    gputune_result result = meter.driver.compile(self, build, code, error);
    meter.elsewhere += gputune_now() - begin;
    return result;
}

static gputune_result metered_translate(void *self, const gputune_build *build,
                                        gputune_binary *binary, gputune_error *error)
{
    double begin = gputune_now();
    gputune_result result = meter.driver.translate(self, build, binary, error);
    meter.elsewhere += gputune_now() - begin;
    return result;
}

static gputune_result metered_time(void *self, void *code, const gputune_driver_launch *launch,
                                   int batch, double time_limit, double hang_limit, double *seconds,
                                   gputune_error *error)
{
    gputune_result result = meter.driver.time(self, code, launch, batch, time_limit, hang_limit,
                                              seconds, error);
    if (result == GPUTUNE_OK || result == GPUTUNE_ERROR_TIMEOUT) meter.elsewhere += *seconds;
    return result;
}

static bool metered_progress(void *user, const gputune_progress *p)
{
    (void)user;
    if (strcmp(p->phase, "search") != 0 || p->trials < 1) return true;
    meter.end = gputune_now();
    meter.elsewhere_end = meter.elsewhere;
    meter.trials_end = p->trials;
    if (meter.trials_begin) return true;
    meter.begin = meter.end;
    meter.elsewhere_begin = meter.elsewhere_end;
    meter.trials_begin = meter.trials_end;
    return true;
}

static double overhead_of_trials(const int size[3], int trials, double seconds)
{
    const example_case *kind = case_find("saxpy");
    gputune_kernel_desc desc = case_desc(kind);
    gputune_cuda_desc where;
    gputune_device *device;
    gputune_kernel *kernel;
    case_data data;
    memset(&where, 0, sizeof where);
    where.options.store = "";
    where.options.tuning_seconds = 1e6; // further tunings do not wait
    where.options.threads = -1; // what is compiled ahead could not be told from what is waited for
    device = gputune_cuda_device_create(&where);
    make_data(&data, kind, device, size);
    memset(&meter, 0, sizeof meter);
    meter.driver = device->driver;
    device->driver.compile = metered_compile;
    device->driver.translate = metered_translate;
    device->driver.time = metered_time;
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.trials = trials;
    desc.tune.budget.seconds = seconds;
    desc.tune.progress = metered_progress;
    kernel = gputune_kernel_create(device, &desc);
    if (gputune_tune(kernel, data.args, data.arg_count) != GPUTUNE_OK)
        fail(kind->name, gputune_kernel_error(kernel)->text);
    if (meter.trials_end <= meter.trials_begin) fail("overhead", "too few trials");
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
    return (meter.end - meter.begin - (meter.elsewhere_end - meter.elsewhere_begin)) /
           (meter.trials_end - meter.trials_begin);
}

static void bench_overhead(const settings *s)
{
    const int small[3] = { 1 << 16, 0, 0 }, large[3] = { 1 << 26, 0, 0 };
    row("per_config_overhead_ms", "", 1e3 * overhead_of_trials(small, 200, s->seconds), "ms");
    row("per_config_overhead_large_ms", "", 1e3 * overhead_of_trials(large, 50, s->seconds), "ms");
}

// ---------------------------------------------------------------------------------------------
// A way to a configuration's compiled kernel: gputune_kernel_time on a device whose `time` is ours
// ---------------------------------------------------------------------------------------------

static struct {
    gputune_driver driver; // the device's own
    void (*visit)(gt_cuda__device *cu, void *code, const gputune_driver_launch *launch);
    bool visited; // once a configuration
} visitor;

static gputune_result visiting_time(void *self, void *code, const gputune_driver_launch *launch,
                                    int batch, double time_limit, double hang_limit,
                                    double *seconds, gputune_error *error)
{
    (void)time_limit, (void)hang_limit, (void)error;
    if (!visitor.visited) visitor.visit((gt_cuda__device *)self, code, launch);
    visitor.visited = true;
    *seconds = 1e-3 * batch; // nothing runs, unless the visitor runs it
    return GPUTUNE_OK;
}

static bool visit(gputune_kernel *kernel, const gputune_config *config, const case_data *data)
{
    gputune_driver *table = &data->device->driver;
    gputune_stats stats;
    gputune_result result;
    visitor.driver = *table;
    visitor.visited = false;
    table->time = visiting_time;
    result = gputune_kernel_time(kernel, config, data->args, data->arg_count, 1, &stats);
    *table = visitor.driver;
    return result == GPUTUNE_OK && visitor.visited;
}

// ---------------------------------------------------------------------------------------------
// occupancy
// ---------------------------------------------------------------------------------------------

static int mismatches; // compare_occupancy counts them

static void compare_occupancy(gt_cuda__device *cu, void *code,
                              const gputune_driver_launch *launch)
{
    const gt_cuda__code *compiled = (const gt_cuda__code *)code;
    gputune_error error;
    gputune_usage usage;
    size_t group = 1;
    int theirs = -1, most = 0;
    memset(&usage, 0, sizeof usage);
    for (int d = 0; d < launch->dimensions; d++) group *= launch->local[d];
    visitor.driver.usage(cu, code, launch, &usage);
    if (gt_cuda__enter(cu, &error) != GPUTUNE_OK) fail("occupancy", error.text);
    cu->call.cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
                                  cu->id);
    if (cu->call.cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &theirs, compiled->function, (int)group,
            (size_t)(usage.local_memory - compiled->shared)) != CUDA_SUCCESS)
        fail("occupancy", "cuOccupancyMaxActiveBlocksPerMultiprocessor failed");
    gt_cuda__leave(cu);
    if (usage.active_groups == theirs &&
        fabs(usage.occupancy - (double)theirs * (double)((group + 31) / 32) / (most / 32)) < 1e-9)
        return;
    if (mismatches++ < 10)
        fprintf(stderr, "  %s: %d registers, %lld bytes, groups of %zu: %d groups, CUDA says %d\n",
                compiled->name, usage.registers, (long long)usage.local_memory, group,
                usage.active_groups, theirs);
}

static void bench_occupancy(gputune_device *device, const settings *s)
{
    int checked = 0, failed = 0;
    for (int i = 0; i < CASE_COUNT; i++) {
        const example_case *kind = &example_cases[i];
        gputune_kernel_desc desc = case_desc(kind);
        gputune_kernel *kernel;
        const gputune_space *space;
        uint64_t count;
        case_data data;
        if (!strstr(kind->name, s->kernel)) continue;
        make_data(&data, kind, device, kind->small);
        kernel = gputune_kernel_create(device, &desc);
        space = gputune_kernel_space(kernel, data.args, data.arg_count);
        if (!space)
            fail(kind->name, gputune_kernel_error(kernel)->text);
        count = gputune_space_count(space);
        for (uint64_t c = 0; c < count && c < 1000; c++) {
            uint64_t index = count <= 1000 ? c : case_random(&data, (uint32_t)count);
            gputune_config config = gputune_space_at(space, index);
            if (visit(kernel, &config, &data))
                checked++;
            else if (failed++ < 10)
                fprintf(stderr, "  %.300s\n", gputune_kernel_error(kernel)->text);
        }
        fprintf(stderr, "  after %s: %d compared, %d differ, %d failed\n", kind->name, checked,
                mismatches, failed);
        gputune_kernel_destroy(kernel);
        case_free(&data);
    }
    row("occupancy_mismatch", "", mismatches, "");
    row("occupancy_checked", "", checked, "");
    row("occupancy_failed", "", failed, "");
}

// ---------------------------------------------------------------------------------------------
// devices
// ---------------------------------------------------------------------------------------------

// Wall time of a search; other NULL: on one GPU.
static double exhaustive(gputune_device *device, gputune_device *other, case_data *data)
{
    gputune_kernel_desc desc = case_desc(data->kind);
    gputune_device *others[2] = { other, NULL };
    gputune_kernel *kernel;
    gputune_outcome o;
    double begin = gputune_now(), seconds;
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.budget.trials = 300;
    desc.tune.budget.seconds = -1;
    desc.tune.devices = other ? others : NULL;
    kernel = gputune_kernel_create(device, &desc);
    if (gputune_tune(kernel, data->args, data->arg_count) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    o = *gputune_kernel_outcome(kernel);
    seconds = gputune_now() - begin;
    fprintf(stderr, "  %s on %d GPU%s: %d trials, %.1f s\n", data->kind->name,
            other ? 2 : 1, other ? "s" : "", o.trials, seconds);
    gputune_kernel_destroy(kernel);
    return seconds;
}

static void bench_devices(gputune_device *device)
{
    const example_case *kind = case_find("convolution");
    const int size[3] = { kind->large[0], kind->large[1], 31 };
    gputune_device *other = open_device("", 1);
    case_data data;
    double one, two;
    if (gputune_device_error(other)->result != GPUTUNE_OK) {
        fprintf(stderr, "no two_gpu_speedup: %s\n", gputune_device_error(other)->text);
        gputune_device_destroy(other);
        return;
    }
    make_data(&data, kind, device, size);
    two = exhaustive(device, other, &data);
    one = exhaustive(device, NULL, &data);
    row("exhaustive_seconds_one", "", one, "s");
    row("exhaustive_seconds_two", "", two, "s");
    row("two_gpu_speedup", "", one / two, "x");
    case_free(&data);
    gputune_device_destroy(other);
}

// ---------------------------------------------------------------------------------------------
// energy
// ---------------------------------------------------------------------------------------------

// Joules of a launch of the default configuration, as a tuning for energy measures it; 0: it does
// not.
static double energy_once(gputune_device *device, case_data *data, uint64_t seed)
{
    gputune_kernel_desc desc = case_desc(data->kind);
    gputune_kernel *kernel;
    double joules = 0;
    desc.tune.objective = "energy";
    desc.tune.budget.trials = 1;
    desc.tune.seed = seed;
    kernel = gputune_kernel_create(device, &desc);
    if (gputune_tune(kernel, data->args, data->arg_count) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(kernel)->text);
    if (gputune_kernel_trial(kernel, 0)) joules = gputune_kernel_trial(kernel, 0)->energy;
    gputune_kernel_destroy(kernel);
    return joules;
}

// The spread; 0: nothing was measured.
static double bench_energy_of(gputune_device *device, const example_case *kind, int repetitions)
{
    double joules[MOST_TUNINGS], spread;
    case_data data;
    make_data(&data, kind, device, kind->large);
    for (int i = 0; i < repetitions; i++) {
        joules[i] = energy_once(device, &data, (uint64_t)i + 1);
        if (!(joules[i] > 0)) {
            fprintf(stderr, "no energy_repeat_spread: the energy of %s is not measured\n",
                    kind->name);
            case_free(&data);
            return 0;
        }
        fprintf(stderr, "  %s: %.4g mJ a launch\n", kind->name, 1e3 * joules[i]);
    }
    row("energy_mj", kind->name, 1e3 * median(joules, repetitions), "mJ"); // sorts them
    spread = joules[repetitions - 1] / joules[0];
    row("energy_repeat_spread", kind->name, spread, "x");
    case_free(&data);
    return spread;
}

// Watts while a batch runs, between two readings of the counter.
static double power_of(gt_cuda__device *cu, void *code, const gputune_driver_launch *launch,
                       int batch)
{
    double before = 0, after = 0, begin, end, seconds;
    gputune_error error;
    if (visitor.driver.energy(cu, &before, &error) != GPUTUNE_OK) fail("energy", error.text);
    begin = gputune_now();
    if (visitor.driver.time(cu, code, launch, batch, 0, 0, &seconds, &error) != GPUTUNE_OK)
        fail("energy", error.text);
    end = gputune_now();
    if (visitor.driver.energy(cu, &after, &error) != GPUTUNE_OK) fail("energy", error.text);
    return (after - before) / (end - begin);
}

static void study_power(gt_cuda__device *cu, void *code, const gputune_driver_launch *launch)
{
    static const int durations[] = { 10, 20, 50, 100, 200, 500, 1000 }; // ms
    enum { REPEATS = 6 };
    double seconds = 0;
    gputune_error error;
    if (visitor.driver.time(cu, code, launch, 20, 0, 0, &seconds, &error) != GPUTUNE_OK)
        fail("energy", error.text);
    seconds /= 20;
    power_of(cu, code, launch, (int)(3 / seconds) + 1); // warm, as the rest will be
    for (size_t d = 0; d < sizeof durations / sizeof *durations; d++) {
        const int batch = (int)(1e-3 * durations[d] / seconds) + 1;
        double watts[REPEATS], sum = 0;
        char name[32];
        for (int i = 0; i < REPEATS; i++) sum += watts[i] = power_of(cu, code, launch, batch);
        fprintf(stderr, "  %d ms, %d launches: %.1f W\n", durations[d], batch,
                median(watts, REPEATS)); // sorts them
        snprintf(name, sizeof name, "%d", durations[d]);
        row("energy_spread", name, (watts[REPEATS - 1] - watts[0]) / (sum / REPEATS), "");
    }
}

static struct {
    double joules, seconds; // of a launch
} metered_launch;

static void meter_launch(gt_cuda__device *cu, void *code, const gputune_driver_launch *launch)
{
    double before = 0, after = 0, seconds = 0;
    gputune_error error;
    int batch = 20;
    for (int i = 0; i < 2; i++) { // the first tells how many take a second
        if (visitor.driver.energy(cu, &before, &error) != GPUTUNE_OK ||
            visitor.driver.time(cu, code, launch, batch, 0, 0, &seconds, &error) != GPUTUNE_OK ||
            visitor.driver.energy(cu, &after, &error) != GPUTUNE_OK)
            fail("energy", error.text);
        metered_launch.joules = (after - before) / batch;
        metered_launch.seconds = seconds / batch;
        batch = (int)(1 / metered_launch.seconds) + 1;
    }
}

static gputune_config tune_for(gputune_kernel **kernel, case_data *data, const char *objective,
                               double seconds)
{
    gputune_kernel_desc desc = case_desc(data->kind);
    gputune_outcome o;
    char text[512];
    desc.tune.objective = objective;
    desc.tune.budget.all = true;
    desc.tune.budget.seconds = seconds;
    desc.tune.seed = 1;
    *kernel = gputune_kernel_create(data->device, &desc);
    if (gputune_tune(*kernel, data->args, data->arg_count) != GPUTUNE_OK)
        fail(data->kind->name, gputune_kernel_error(*kernel)->text);
    o = *gputune_kernel_outcome(*kernel);
    fprintf(stderr, "  %s for %s: %d trials, %.1f s: %s\n", data->kind->name, objective, o.trials,
            o.seconds, gputune_config_text(&o.config, text, sizeof text));
    return o.config;
}

// Default, tuned for energy, tuned for time, all three measured in turn when tuning is over.
static void bench_energy_tuned(gputune_device *device, const char *name, double budget)
{
    enum { TURNS = 5, WAYS = 3 };
    static const char *const rows[] = { "energy_default_mj", "energy_tuned_mj",
                                        "energy_fastest_mj" };
    double joules[WAYS][TURNS], seconds[WAYS][TURNS];
    gputune_kernel *kernels[WAYS];
    gputune_config configs[WAYS];
    case_data data;
    make_data(&data, case_find(name), device, case_find(name)->large);
    configs[1] = tune_for(&kernels[1], &data, "energy", budget);
    configs[2] = tune_for(&kernels[2], &data, "time", budget);
    kernels[0] = kernels[2];
    configs[0] = gputune_space_default(configs[2].space);
    visitor.visit = meter_launch;
    for (int t = 0; t < TURNS; t++)
        for (int w = 0; w < WAYS; w++) {
            if (!visit(kernels[w], &configs[w], &data))
                fail(name, gputune_kernel_error(kernels[w])->text);
            joules[w][t] = metered_launch.joules;
            seconds[w][t] = metered_launch.seconds;
        }
    for (int w = 0; w < WAYS; w++)
        row(rows[w], name, 1e3 * median(joules[w], TURNS), "mJ"); // sorts them
    for (int w = 0; w < WAYS; w++) median(seconds[w], TURNS);
    row("energy_gain", name, joules[0][TURNS / 2] / joules[1][TURNS / 2], "x");
    row("energy_slower", name, seconds[1][TURNS / 2] / seconds[2][TURNS / 2], "x");
    for (int w = 1; w < WAYS; w++) gputune_kernel_destroy(kernels[w]);
    case_free(&data);
}

static void bench_energy(gputune_device *device, const settings *s)
{
    static const char *const names[] = { "saxpy", "sgemm", "convolution" };
    const example_case *kind = case_find("sgemm");
    gputune_kernel_desc desc = case_desc(kind);
    gputune_kernel *kernel;
    const gputune_space *space;
    gputune_config config;
    case_data data;
    double most = 0;
    make_data(&data, kind, device, kind->large);
    kernel = gputune_kernel_create(device, &desc);
    space = gputune_kernel_space(kernel, data.args, data.arg_count);
    if (!space)
        fail(kind->name, gputune_kernel_error(kernel)->text);
    config = gputune_space_default(space);
    visitor.visit = study_power;
    if (!visit(kernel, &config, &data)) fail(kind->name, gputune_kernel_error(kernel)->text);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    for (int i = 0; i < 2; i++) {
        double spread;
        if (!strstr(names[i], s->kernel)) continue;
        spread = bench_energy_of(device, case_find(names[i]), s->tunings);
        most = spread > most ? spread : most;
    }
    if (most > 0) row("energy_repeat_spread", "", most, "x");
    for (int i = 0; most > 0 && i < 3; i++)
        if (strstr(names[i], s->kernel)) bench_energy_tuned(device, names[i], s->seconds);
}

int main(int argc, char **argv)
{
    static const char *const parts[] = { "kernels", "start", "overhead",
                                         "occupancy", "devices", "energy" };
    const char *part = argc > 1 ? part_of_name(argv[1]) : "";
    settings s = { "", 5, 60 };
    gputune_device *device;
    bool wanted[6], any = false;
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    if (argc == 4 && strcmp(part, "second") == 0) return start_again(argv[2], argv[3]), 0;
    for (int i = 0; i < 6; i++) any |= wanted[i] = !*part || strcmp(part, parts[i]) == 0;
    if (!any) fail(part, "no such part: kernels, start, overhead, occupancy, devices, energy");
    if (argc > 2) s.kernel = part_of_name(argv[2]);
    if (argc > 3) s.tunings = atoi(argv[3]);
    if (argc > 4) s.seconds = atof(argv[4]);
    check_settings(&s);
    device = open_device("", 0);
    check_device(device);
    if (wanted[0]) bench_kernels(device, &s);
    if (wanted[1]) bench_start(argv[0], &s);
    if (wanted[2]) bench_overhead(&s);
    visitor.visit = compare_occupancy;
    if (wanted[3]) bench_occupancy(device, &s);
    if (wanted[4]) bench_devices(device);
    if (wanted[5]) bench_energy(device, &s);
    gputune_device_destroy(device);
    return 0;
}
