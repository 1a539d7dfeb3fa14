// Seven performance models put to the test (bench/models.h), as Madougou and others did in 2014:
// what each predicts beside what is measured, which inputs it takes, what it cannot do, what it
// hints at; and whether its predictions are worth something to a search.
//
//     sh bench/run.sh models [cuda|opencl|pocl] [PART [SECONDS [CONFIGURATIONS [FILE]]]]
//
// PART: kernels, spaces, or one of sgemm, convolution, stencil; all: everything (default). SECONDS:
// to measure one space (100; without a GPU 20). CONFIGURATIONS: of one space, drawn at random
// (1000; without a GPU 40). FILE: gets a line for each of them, else stderr does: "sample", space,
// number, seconds, what each model predicts ("-": nothing), configuration; tabs between, and a line
// with the columns' names before each space.
//
// Inputs come from the micro-benchmarks of bench/kernels/models.cl, least of 7 launches; a cycle
// is a nanosecond, for OpenCL has no clock; the cache's size is what gputune_device_figures
// measures. Lines "# suspicious" say which of them contradict each other by more than 3 %. Tables
// are by warps on a multiprocessor, 1 to 64: one group of up to 32 on each, two for 64. On a GPU
// counts of a work-item are those of the PTX that NVRTC makes, through OpenCL those of the
// program's binary, with the loops' trips as the source has them (ptx_fit); else those of the
// source (the machine code reads local memory less often than both). Registers of the kernels are
// taken as 32, those of the spaces' configurations are the compiler's. On a processor a
// multiprocessor is a core that runs one group at a time, and a warp 32 work-items: nothing there
// is what these models are about, and the errors say so.
//
//   INPUT                          what was measured: ns, GB/s, operations a ns
//   table_T_W                      T (fma, integer, special, local: warps' operations a ns of a
//                                  multiprocessor; memory, cache: bytes a ns) with W warps
//   idiom_I_BYTES                  GB/s of PMAC's idiom I
//   ptx_C_K                        instructions of a work-item in PTX; naive, tiled: n = 256, tiles
//                                  of 16; else the middle size
//   measured_us_K_N, spread_K_N    least of 21 launches of kernel K, size N, after 3 that do not
//                                  count; (their median - the least) / the least
//   predicted_us_M_K_N, error_M_K_N    model M: microseconds; (predicted - measured) / measured
//   bound_M_K_N                    its hint, where it gives one
//   gain_quantitative_K_N          how much faster it could be at most without what binds it
//   sum_us_qrqw_K_N                QRQW's time where nothing overlaps; predicted is all overlap
//   mape_M, bias_M, tau_M, regret_M    of all kernels, the products with all tiles (4 or 8 to 32):
//                                  see models_score; tau and regret of the products alone, which of
//                                  two kernels and four tiles is the best, mean of the sizes
//   mdape_M                        the median of |predicted - measured| / measured
//   mape_M_K                       of one kernel, all its sizes
//   coverage_M                     the part of them that it predicted
//   mape_published_M, bias_published_M  without what MODERN variants hand in (models_job.h)
//   configurations_S, trials_S, valid_S    of space S: all, those that were tried, those of them
//                                  that ran rightly
//   default_us_S, best_us_S        microseconds, as the search has them
//   tau_S_M, regret_S_M, mape_S_M, bias_S_M, coverage_S_M   of the first 200 of them; of what
//                                  learns: of the second 100, the first being what it has learned
//   trial_ms_S                     of one configuration: compiled (by several threads), checked,
//                                  measured
//   predict_ms_S                   of one prediction: compiled to PTX, processor time of one thread
//   predict_wall_ms_S              the same by the clock, all cores at it, as in trial_ms
//   within_5_S                     how many of those that were tried are within 5 % of the best
//   order_random_S, order_default_S, order_control_S    trials until within 5 % of the best of all
//                                  that were tried, median of 20 seeds: random search, the
//                                  library's default strategy, the same after the default and ten
//                                  configurations drawn at random
//   order_pool_S_M                 the same with the ten that model M holds to be the fastest of
//                                  100 drawn at random, which takes only as many compilations;
//                                  equal predictions are put into an order by chance
//   order_..._q1, order_..._q3     the quartiles of the seeds
//   order_only_S_M                 trials when all are tried in the order of its predictions, the
//                                  mean of all orders of equal ones: one value, not a median
//   predicted_S_M, distinct_S_M    how many it predicts, and how many different numbers these are
//
// Lines with # are tables I and II in words. "# order": what an order saves and what it takes.
#define _POSIX_C_SOURCE 200809L // unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "../examples/cases.h"
#include "device.h"
#include "models_job.h"
#include "models_order.h"
#include "ptx.h"

#include <pthread.h>
#include <stdarg.h>
#include <time.h>

static const double warm_up = 1; // seconds, until the clock is what it is under load

enum { LAUNCHES = 7, SIZES = 6, TILES = 4, KERNELS_CACHED = 24 };

static const int small_sizes[SIZES] = { 64, 96, 128, 192, 256, 384 };
static const int large_sizes[SIZES] = { 256, 384, 512, 1024, 2048, 4096 };

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

static void row(double value, const char *unit, const char *format, ...)
{
    char name[120];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    printf("result\t%s\t%.6g\t%s\n", name, value, unit);
    fflush(stdout);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *need(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) fail("data", "out of memory");
    return memory;
}

// --- launches ---

typedef struct bench {
    gputune_device *device;
    gt_cuda__nvrtc nvrtc;
    bool has_nvrtc, has_ptx;
    const char *ptx_missing; // why it has none
    int capability;          // 90 for 9.0, the device's or its PTX's; 0: unknown
    void *in, *out, *index;
    void *large; // what memory's bandwidth is measured with; in, where there is no room
    size_t bytes, large_bytes, index_count; // bytes: of in and out each
    models_figures f;
    FILE *samples;
    struct {
        const char *file, *name;
        gputune_kernel *kernel;
    } kernels[KERNELS_CACHED];
} bench;

static const char models_file[] = "bench/kernels/models.cl";
static const char stencil_file[] = "bench/kernels/models_stencil.cl";

static gputune_kernel *kernel_of(bench *b, const char *file, const char *name)
{
    gputune_kernel_desc desc;
    int i = 0;
    while (i < KERNELS_CACHED && b->kernels[i].name) {
        if (strcmp(b->kernels[i].name, name) == 0) return b->kernels[i].kernel;
        i++;
    }
    if (i == KERNELS_CACHED) fail(name, "too many kernels");
    memset(&desc, 0, sizeof desc);
    desc.file = file;
    desc.name = name;
    b->kernels[i].name = name;
    return b->kernels[i].kernel = gputune_kernel_create(b->device, &desc);
}

// The kernel and a configuration of it ("TILE=4").
static gputune_kernel *configure(bench *b, const char *file, const char *name, const char *config,
                                 const gputune_arg *args, int count, gputune_config *values)
{
    gputune_kernel *kernel = kernel_of(b, file, name);
    const gputune_space *space = gputune_kernel_space(kernel, args, count);
    if (!space) fail(name, gputune_kernel_error(kernel)->text);
    if (!gputune_config_parse(space, config, values)) fail(name, config);
    return kernel;
}

// Seconds of a launch, the least.
static double seconds_of(bench *b, const char *file, const char *name, const char *config,
                         const gputune_arg *args, int count)
{
    gputune_config values;
    gputune_stats stats;
    gputune_kernel *kernel = configure(b, file, name, config, args, count, &values);
    if (gputune_kernel_time(kernel, &values, args, count, LAUNCHES, &stats) != GPUTUNE_OK)
        fail(name, gputune_kernel_error(kernel)->text);
    return stats.min;
}

static void launch(bench *b, const char *file, const char *name, const char *config,
                   const gputune_arg *args, int count)
{
    gputune_config values;
    gputune_kernel *kernel = configure(b, file, name, config, args, count, &values);
    if (gputune_kernel_launch(kernel, &values, args, count) != GPUTUNE_OK)
        fail(name, gputune_kernel_error(kernel)->text);
}

// --- what the device can do ---

// Groups that so many warps on each multiprocessor are: two from 64 on.
static int groups_of(const bench *b, double warps)
{
    return (int)b->f.units * (warps > 32 ? 2 : 1);
}

static double micro(bench *b, const char *name, double warps, int chains, int loops)
{
    const bool chase = strcmp(name, "model_local_chase") == 0;
    const int groups = groups_of(b, warps), of_group = (int)fmin(warps, 32);
    const gputune_arg numbers[] = { gputune_float(0.999), gputune_float(0.5), gputune_int(3),
                                    gputune_int(7), gputune_int(32) };
    gputune_arg args[6];
    char config[32] = "";
    int count = 0;
    args[count++] = gputune_out(b->out, 4 * 32 * (size_t)of_group * (size_t)groups);
    args[count++] = gputune_int(loops);
    if (strcmp(name, "model_fma") == 0 || strcmp(name, "model_special") == 0) {
        args[count++] = numbers[0];
        args[count++] = numbers[1];
    } else if (strcmp(name, "model_int") == 0) {
        args[count++] = numbers[2];
        args[count++] = numbers[3];
    } else if (strcmp(name, "model_barrier") != 0) {
        args[count++] = numbers[4];
    }
    if (!chase) {
        args[count++] = gputune_number("groups", groups);
        args[count++] = gputune_number("warps", of_group);
    }
    snprintf(config, sizeof config, "CHAINS=%d", chains);
    return seconds_of(b, models_file, name, config, args, count);
}

// Nanoseconds of one more loop: that many less those of few, so that the launch does not count.
static double loop_ns(bench *b, const char *name, double warps, int chains, int loops)
{
    const double few = micro(b, name, warps, chains, loops / 8);
    const double many = micro(b, name, warps, chains, loops);
    return 1e9 * fmax(many - few, 1e-12) / (loops - loops / 8);
}

// Seconds in which such groups read a footprint so many times; *bytes: what that is each time.
static double read_seconds(bench *b, double warps, int groups, double footprint, int passes,
                           double *bytes)
{
    const int of_group = (int)fmin(warps, 32);
    const double items = 32.0 * of_group * groups;
    const int count = (int)fmax(1, footprint / 64 / items);
    const bool large = footprint > (double)b->bytes;
    const gputune_arg args[] = { gputune_out(b->out, (size_t)(4 * items)),
                                 large ? gputune_in(b->large, b->large_bytes)
                                       : gputune_in(b->in, b->bytes),
                                 gputune_int(count),
                                 gputune_int(passes),
                                 gputune_number("groups", groups),
                                 gputune_number("warps", of_group) };
    char config[32];
    snprintf(config, sizeof config, "TOGETHER=%d", !b->f.is_gpu);
    *bytes = 64 * items * count;
    return seconds_of(b, models_file, "model_read", config, args, 6);
}

// Bytes a ns of it: that many passes less those of one, so that the launch does not count.
static double read_rate(bench *b, double warps, double footprint)
{
    const int passes = footprint > b->f.cache ? 3 : 17;
    const int groups = groups_of(b, warps);
    double bytes;
    const double few = read_seconds(b, warps, groups, footprint, 1, &bytes);
    const double many = read_seconds(b, warps, groups, footprint, passes, &bytes);
    return bytes * (passes - 1) / (1e9 * fmax(many - few, 1e-9));
}

// Nanoseconds of a request of a unit whose 32 warps' lanes lie so many words apart.
static double strided_ns(bench *b, int stride)
{
    double words = 1 << 16;
    const int loops = 512;
    gputune_arg args[] = { gputune_out(b->out, 4096),
                           gputune_in(b->in, b->bytes),
                           gputune_int(loops),
                           gputune_int(stride),
                           gputune_int(0),
                           gputune_number("groups", 1),
                           gputune_number("warps", 32) };
    double few, many;
    while (8 * words <= 0.7 * b->f.cache && 8 * words <= (double)b->bytes) words *= 2;
    args[4] = gputune_int((int64_t)words - 1);
    many = seconds_of(b, models_file, "model_strided", "", args, 7);
    args[2] = gputune_int(loops / 8);
    few = seconds_of(b, models_file, "model_strided", "", args, 7);
    return 1e9 * fmax(many - few, 1e-12) / (loops - loops / 8) / (32 * 8);
}

// Nanoseconds of a load that needs the one before, in so many bytes: a walk through all of them in
// an order drawn at random (Sattolo). Each launch begins where the one before began: beyond the
// cache it has to touch more lines than twice the cache holds, or the next one finds them there
// (and a cache may be twice what was found, for that is a power of two); and all of it counts, as
// a walk of fewer steps would be one through the cache.
static double chase_ns(bench *b, double footprint)
{
    const uint32_t count = (uint32_t)(footprint / 4);
    const bool beyond = footprint > b->f.cache;
    int steps = 1 << 17;
    uint32_t *next = (uint32_t *)need((size_t)count * 4);
    uint64_t random = 1;
    gputune_arg args[3];
    void *buffer;
    double few, many;
    for (uint32_t i = 0; i < count; i++) next[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)gt__random_below(&random, i), kept = next[i];
        next[i] = next[j];
        next[j] = kept;
    }
    buffer = gputune_buffer_create(b->device, (size_t)count * 4, next);
    if (!buffer) fail("chase", gputune_device_error(b->device)->text);
    args[0] = gputune_out(b->out, 4);
    args[1] = gputune_in(buffer, (size_t)count * 4);
    while (beyond && steps < 4 * b->f.cache / 64 && steps <= (int)(count / 2)) steps *= 2;
    args[2] = gputune_int(beyond ? 0 : steps / 8);
    few = seconds_of(b, models_file, "model_chase", "", args, 3);
    args[2] = gputune_int(steps);
    many = seconds_of(b, models_file, "model_chase", "", args, 3);
    gputune_buffer_destroy(b->device, buffer);
    free(next);
    return 1e9 * (many - few) / (beyond ? steps : steps - steps / 8);
}

// Bytes a second of an idiom whose array has so many bytes, with its launch; references count as a
// job's do. Of gather: at most as many items as there are random numbers.
static double idiom_rate(bench *b, models_idiom which, double bytes)
{
    const size_t numbers = (size_t)(bytes / 4);
    const bool all = which != IDIOM_GATHER || numbers <= b->index_count;
    const size_t items = all ? numbers : b->index_count;
    const gputune_arg out = gputune_out(b->out, 4 * items), in = gputune_in(b->in, 4 * numbers);
    const gputune_arg of = gputune_number("items", (int64_t)items);
    const gputune_arg stream[] = { out, in, of };
    const gputune_arg stencil[] = { out, in, gputune_int((int64_t)numbers - 1), of };
    const gputune_arg gather[] = { out, in, gputune_in(b->index, 4 * b->index_count),
                                   gputune_int((int64_t)numbers), of };
    double seconds, references = 2;
    if (which == IDIOM_REDUCTION) {
        const int groups = (int)fmax(1, fmin(4 * b->f.units, bytes / 64 / 1024));
        seconds = read_seconds(b, 32, groups, bytes, 1, &bytes);
        return bytes / fmax(1e-9, seconds);
    }
    if (which == IDIOM_GATHER) {
        references = 3; // the index, too
        seconds = seconds_of(b, models_file, "model_gather", "", gather, 5);
    } else if (which == IDIOM_STENCIL) {
        references = 4;
        seconds = seconds_of(b, models_file, "model_neighbours", "", stencil, 4);
    } else {
        seconds = seconds_of(b, models_file, "model_stream", "", stream, 3);
    }
    return references * 4 * (double)items / fmax(1e-9, seconds);
}

static void measure_idioms(bench *b)
{
    for (int k = 0; k < IDIOMS; k++) {
        double footprint[FOOTPRINTS], rate[FOOTPRINTS];
        int count = 0;
        for (double size = 1 << 18; count < FOOTPRINTS && size <= (double)b->bytes; size *= 4) {
            footprint[count] = log2(size);
            rate[count] = log2(idiom_rate(b, (models_idiom)k, size));
            row(1e-9 * exp2(rate[count]), "GB/s", "idiom_%s_%.0f", idiom_names[k], size);
            count++;
        }
        if (!pmac_fit(footprint, rate, count, &b->f.bandwidth[k])) fail("pmac", "no curve");
    }
}

// A buffer of 1 GiB, on a processor of four times its cache, if that is an eighth of the memory.
static void make_large(bench *b)
{
    const gputune_limits *limits = gputune_device_limits(b->device);
    const double most = b->f.is_gpu ? 1 << 30 : fmin(4 * b->f.cache, 1 << 28);
    size_t bytes = b->bytes;
    float *numbers;
    b->large = b->in;
    b->large_bytes = b->bytes;
    while (2 * (double)bytes <= most && 16 * (double)bytes <= (double)limits->global_memory)
        bytes *= 2;
    if (bytes == b->bytes) return;
    numbers = (float *)need(b->bytes); // no zeros, which are read faster
    b->large = gputune_buffer_create(b->device, bytes, NULL);
    if (!b->large || gputune_buffer_read(b->device, b->in, 0, numbers, b->bytes) != GPUTUNE_OK)
        fail("data", gputune_device_error(b->device)->text);
    for (size_t at = 0; at < bytes; at += b->bytes)
        if (gputune_buffer_write(b->device, b->large, at, numbers, b->bytes) != GPUTUNE_OK)
            fail("data", gputune_device_error(b->device)->text);
    b->large_bytes = bytes;
    free(numbers);
}

static void print_suspicions(const models_figures *f)
{
    char text[SUSPICIONS][SUSPICION_TEXT];
    const int count = models_suspicions(f, text);
    for (int i = 0; i < count; i++) printf("# suspicious: %s\n", text[i]);
}

static void measure(bench *b)
{
    models_figures *f = &b->f;
    gputune_figures figures;
    const gputune_limits *limits = gputune_device_limits(b->device);
    const int last = WARP_COUNTS - 1, loops = limits->is_gpu ? 1 << 12 : 1 << 9;
    const double begin = now();
    double bytes, once;
    f->is_gpu = limits->is_gpu != 0;
    f->units = fmax(1, (double)limits->compute_units);
    if (gputune_device_figures(b->device, &figures) != GPUTUNE_OK) // OpenCL tells of other caches
        fail("cache", gputune_device_error(b->device)->text);
    f->cache = figures.cache_bytes;
    b->capability = (int)limits->compute_capability;
    make_large(b);
    while (f->is_gpu && now() - begin < warm_up) micro(b, "model_fma", 32, 4, 8 * loops);
    f->launch = micro(b, "model_fma", 1, 1, 0);
    f->fma_latency = loop_ns(b, "model_fma", 1, 1, 4 * loops) / 64;
    f->local_latency = loop_ns(b, "model_local_chase", 1, 1, 1 << 17);
    f->latency = chase_ns(b, f->cache > 0 ? fmin(8 * f->cache, 1 << 29) : (double)b->bytes);
    f->cache_latency = f->cache > 0 ? chase_ns(b, 0.3 * f->cache) : f->latency;
    f->barrier = loop_ns(b, "model_barrier", 8, 1, 1 << 10) / 16;
    for (int w = 0; w < WARP_COUNTS; w++) {
        const double warps = warp_counts[w];
        f->fma[w] = 64 * warps / loop_ns(b, "model_fma", warps, 1, loops);
        f->integer[w] = 64 * warps / loop_ns(b, "model_int", warps, 1, loops);
        f->special[w] = 64 * warps / loop_ns(b, "model_special", warps, 1, loops);
        f->local[w] = 16 * warps / loop_ns(b, "model_local", warps, 1, loops);
        f->global[w] = read_rate(b, warps, (double)b->large_bytes) / f->units;
        f->cached[w] = f->cache > 0 ? read_rate(b, warps, 0.3 * f->cache) / f->units : f->global[w];
        row(f->fma[w], "warps/ns", "table_fma_%g", warps);
        row(f->integer[w], "warps/ns", "table_integer_%g", warps);
        row(f->special[w], "warps/ns", "table_special_%g", warps);
        row(f->local[w], "warps/ns", "table_local_%g", warps);
        row(f->global[w], "bytes/ns", "table_memory_%g", warps);
        row(f->cached[w], "bytes/ns", "table_cache_%g", warps);
    }
    once = read_seconds(b, 64, groups_of(b, 64), (double)b->large_bytes, 1, &bytes);
    f->one_pass = bytes / (1e9 * fmax(once - f->launch, 1e-9));
    f->peak = 64 * 4 * 32 / loop_ns(b, "model_fma", 32, 4, loops);
    for (int w = 0; w < WARP_COUNTS; w++) f->peak = fmax(f->peak, f->fma[w]);
    f->delay = strided_ns(b, 1);
    f->delay_scattered = fmax(1e-3, (strided_ns(b, 32) - f->delay) / 31);
    measure_idioms(b);
    row(f->units, "cores", "units");
    row(1e6 * f->launch, "us", "launch");
    row(f->fma_latency, "ns", "fma_latency");
    row(f->local_latency, "ns", "local_latency");
    row(f->latency, "ns", "memory_latency");
    row(f->cache_latency, "ns", "cache_latency");
    row(f->barrier, "ns", "barrier");
    row(f->delay, "ns", "request_delay");
    row(f->delay_scattered, "ns", "line_delay");
    row(f->peak, "warps/ns", "fma_peak");
    row(f->global[last] * f->units, "GB/s", "memory_bandwidth");
    row(f->cached[last] * f->units, "GB/s", "cache_bandwidth");
    row(f->one_pass, "GB/s", "one_pass_bandwidth");
    row(f->cache, "bytes", "cache_bytes");
    print_suspicions(f);
    row(now() - begin, "s", "micro_seconds");
}

// --- compiled code ---

// The PTX of CUDA C, to be freed; NULL: it does not compile. Any thread may call it.
static char *compile(const bench *b, const char *text)
{
    const char *options[] = { NULL, "-default-device", "-std=c++14" };
    char arch[40], *ptx = NULL;
    nvrtcProgram program;
    size_t size;
    snprintf(arch, sizeof arch, "-arch=compute_%d", b->capability);
    options[0] = arch;
    if (b->nvrtc.nvrtcCreateProgram(&program, text, "models.cl", 0, NULL, NULL) != NVRTC_SUCCESS)
        return NULL;
    if (b->nvrtc.nvrtcCompileProgram(program, 3, options) == NVRTC_SUCCESS &&
        b->nvrtc.nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS)
        ptx = (char *)malloc(size);
    if (ptx && b->nvrtc.nvrtcGetPTX(program, ptx) != NVRTC_SUCCESS) {
        free(ptx);
        ptx = NULL;
    }
    b->nvrtc.nvrtcDestroyProgram(&program);
    return ptx;
}

// NVIDIA's binary of an OpenCL program, which is PTX; the same.
static char *compile_opencl(const bench *b, const char *text)
{
    const gt_cl__device *cl = (const gt_cl__device *)b->device->self;
    cl_program program = cl->call.clCreateProgramWithSource(cl->context, 1, &text, NULL, NULL);
    char *ptx = NULL;
    size_t size = 0;
    if (!program) return NULL;
    if (cl->call.clBuildProgram(program, 1, &cl->id, "", NULL, NULL) == CL_SUCCESS &&
        cl->call.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) ==
            CL_SUCCESS &&
        size > 0)
        ptx = (char *)calloc(size + 1, 1);
    if (ptx && cl->call.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof ptx, &ptx, NULL) !=
                   CL_SUCCESS) {
        free(ptx);
        ptx = NULL;
    }
    cl->call.clReleaseProgram(program);
    return ptx;
}

// What the device's compiler gets for a configuration, to be freed; NULL: it cannot be made.
static char *text_of(const bench *b, gputune_kernel *kernel, const gputune_config *config)
{
    const char *text = gputune_kernel_source(kernel, config);
    char *copy = text ? (char *)need(strlen(text) + 1) : NULL;
    (void)b;
    return copy ? strcpy(copy, text) : NULL;
}

// The kernel of a text, as the device compiles it. Any thread may call it.
static ptx_kernel read_kernel(const bench *b, const char *text, const char *name)
{
    const bool cuda = b->device->driver.prelude != NULL;
    char entry[64], *ptx = cuda ? compile(b, text) : compile_opencl(b, text);
    ptx_kernel kernel;
    snprintf(entry, sizeof entry, "%s%s", cuda ? "gputune_kernel_" : "", name);
    kernel = ptx_read(ptx, entry);
    free(ptx);
    return kernel;
}

// Whether there is PTX at all, asked of one kernel.
static void find_ptx(bench *b)
{
    const gputune_arg args[] = { gputune_out(b->out, 1024), gputune_in(b->in, 1024),
                                 gputune_number("items", 256) };
    gputune_config values;
    gputune_error error;
    gputune_kernel *kernel;
    ptx_kernel read;
    char *text;
    b->ptx_missing = "counts: no GPU, no PTX";
    if (!b->f.is_gpu) return;
    b->ptx_missing = "counts: no NVRTC";
    if (b->device->driver.prelude &&
        gt_cuda__load_nvrtc(&b->nvrtc, NULL, 13000, &error) != GPUTUNE_OK)
        return;
    b->ptx_missing = "counts: the compiler's output is no PTX";
    kernel = configure(b, models_file, "model_stream", "", args, 3, &values);
    text = text_of(b, kernel, &values);
    read = read_kernel(b, text ? text : "", "model_stream");
    free(text);
    if (read.missing || read.loop[0].work.count[PTX_GLOBAL_LOAD] < 1) return;
    b->ptx_missing = NULL;
    b->has_ptx = true;
    if (b->capability <= 0) b->capability = read.target; // OpenCL does not tell
}

// Puts the instructions of compiled code into a job; barriers stay the source's: they are in loops
// that unroll.
static void count_into(models_job *j, const ptx_work *work)
{
    j->real = work->count[PTX_FMA] + work->count[PTX_ADD] + work->count[PTX_MUL];
    j->integer = work->count[PTX_INTEGER] + work->count[PTX_BRANCH];
    j->special = work->count[PTX_SPECIAL];
    j->loads = work->count[PTX_GLOBAL_LOAD];
    j->stores = work->count[PTX_GLOBAL_STORE];
    j->local_loads = fmax(work->count[PTX_SHARED_LOAD], work->shared_load_bytes / 4);
    j->local_stores = fmax(work->count[PTX_SHARED_STORE], work->shared_store_bytes / 4);
}

static void print_ptx(const char *kernel, const ptx_work *counted)
{
    static const struct {
        ptx_class what;
        const char *name;
    } classes[] = { { PTX_FMA, "fma" },
                    { PTX_INTEGER, "integer" },
                    { PTX_SPECIAL, "special" },
                    { PTX_GLOBAL_LOAD, "global_loads" },
                    { PTX_SHARED_LOAD, "shared_loads" },
                    { PTX_SHARED_STORE, "shared_stores" },
                    { PTX_BRANCH, "branches" },
                    { PTX_BARRIER, "barriers" } };
    for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
        row(counted->count[classes[c].what], "a work-item", "ptx_%s_%s", classes[c].name, kernel);
}

#include "models_kernels.h"

#include "models_space.h"

// --- all of it ---

static void open_device(bench *b, const char *api)
{
    float *numbers;
    uint32_t *index;
    memset(b, 0, sizeof *b);
    b->device = bench_device(api);
    if (!b->device || gputune_device_error(b->device)->result != GPUTUNE_OK)
        fail("device", b->device ? gputune_device_error(b->device)->text : "out of memory");
    fprintf(stderr, "%s\n", gputune_device_limits(b->device)->name);
    b->bytes = (size_t)(gputune_device_limits(b->device)->is_gpu ? 256 : 64) << 20;
    b->index_count = b->bytes / 16;
    numbers = (float *)need(b->bytes);
    for (size_t i = 0; i < b->bytes / 4; i++) numbers[i] = (float)(i * 2654435761u % 1000) / 999;
    b->in = gputune_buffer_create(b->device, b->bytes, numbers);
    b->out = gputune_buffer_create(b->device, b->bytes, numbers);
    index = (uint32_t *)need(4 * b->index_count);
    for (size_t i = 0; i < b->index_count; i++) index[i] = (uint32_t)(gt__mix(i + 1) >> 32);
    b->index = gputune_buffer_create(b->device, 4 * b->index_count, index);
    if (!b->in || !b->out || !b->index) fail("data", gputune_device_error(b->device)->text);
    check_products(b, numbers);
    free(numbers);
    free(index);
}

int main(int argc, char **argv)
{
    const char *part = argc > 2 ? argv[2] : "all";
    const bool all = strcmp(part, "all") == 0, every = all || strcmp(part, "spaces") == 0;
    bool known = every || strcmp(part, "kernels") == 0;
    const double begin = now();
    double seconds;
    int configurations;
    static bench b;
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        known = known || strcmp(part, spaces[i].name) == 0;
    if (!known) fail(part, "all, kernels, spaces, sgemm, convolution or stencil");
    open_device(&b, argc > 1 ? argv[1] : "");
    seconds = argc > 3 ? atof(argv[3]) : gputune_device_limits(b.device)->is_gpu ? 100 : 20;
    configurations = argc > 4 ? atoi(argv[4]) : gputune_device_limits(b.device)->is_gpu ? 1000 : 40;
    if (!(seconds > 0) || configurations < 8) fail("arguments", "seconds > 0, 8 or more trials");
    b.samples = argc > 5 ? fopen(argv[5], "w") : stderr;
    if (!b.samples) fail(argv[5], "cannot be written");
    measure(&b);
    find_ptx(&b);
    if (!b.has_ptx) printf("# no PTX: %s\n", b.ptx_missing);
    if (all || strcmp(part, "kernels") == 0) bench_kernels(&b);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (every || strcmp(part, spaces[i].name) == 0)
            bench_space(&b, &spaces[i], seconds, configurations);
    row(now() - begin, "s", "seconds");
    for (int i = 0; i < KERNELS_CACHED; i++) gputune_kernel_destroy(b.kernels[i].kernel);
    if (b.large != b.in) gputune_buffer_destroy(b.device, b.large);
    gputune_buffer_destroy(b.device, b.in);
    gputune_buffer_destroy(b.device, b.out);
    gputune_buffer_destroy(b.device, b.index);
    gputune_device_destroy(b.device);
    if (b.samples != stderr && fclose(b.samples) != 0) fail(argv[5], "cannot be written");
    return 0;
}
