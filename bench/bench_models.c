// Seven performance models put to the test (bench/models.h), as Madougou and others did in 2014:
// what each predicts beside what is measured, which inputs it takes, what it cannot do, what it
// hints at; and whether its predictions are worth something to a search.
//
//     sh bench/run.sh models [cuda|opencl|pocl] [PART [SECONDS [CONFIGURATIONS]]]
//
// PART: kernels, spaces, or one of sgemm, convolution, stencil; all: everything (default). SECONDS:
// to measure one space (100; without a GPU 20). CONFIGURATIONS: of one space, drawn at random
// (1000; without a GPU 40).
//
// Inputs come from the micro-benchmarks of bench/kernels/models.cl, least of 7 launches; a cycle is
// a nanosecond, for OpenCL has no clock. Tables are by warps on a multiprocessor, 1 to 64: one
// group of up to 32 on each, two for 64. On a GPU counts of a work-item are those of the PTX that
// NVRTC makes, through OpenCL those of the program's binary, with the loops' trips as the source
// has them (ptx_fit); else those of the source (the machine code reads local memory less often than
// both). Registers of the kernels are taken as 32, those of the spaces' configurations are the
// compiler's. On a processor a multiprocessor is a core that runs one group at a time, and a warp
// 32 work-items: nothing there is what these models are about, and the errors say so.
//
//   INPUT                          what was measured: ns, GB/s, operations a ns
//   table_T_W                      T (fma, integer, special, local: warps' operations a ns of a
//                                  multiprocessor; memory, cache: bytes a ns) with W warps
//   idiom_I_BYTES                  GB/s of PMAC's idiom I
//   ptx_C_K                        instructions of a work-item in PTX; naive, tiled: n = 256, tiles
//                                  of 16; else the middle size
//   measured_us_K_N                least of 7 launches of kernel K, size N
//   predicted_us_M_K_N, error_M_K_N    model M: microseconds; (predicted - measured) / measured
//   bound_M_K_N                    its hint, where it gives one
//   mape_M, bias_M, tau_M, regret_M    of all kernels, the products with all tiles (4 or 8 to 32):
//                                  see models_score; tau and regret of the products alone, which of
//                                  two kernels and four tiles is the best, mean of the sizes
//   mdape_M                        the median of |predicted - measured| / measured
//   mape_M_K                       of one kernel, all its sizes
//   coverage_M                     the part of them that it predicted
//   mape_published_M, bias_published_M  without what MODERN variants hand in (models_job.h)
//   trials_S, valid_S              configurations of space S that were tried, and ran rightly
//   tau_S_M, regret_S_M, mape_S_M, bias_S_M, coverage_S_M   of the first 200 of them; of what
//                                  learns: of the second 100, the first being what it has learned
//   predict_ms_S                   of one configuration, with its compilation to PTX, one thread
//   order_random_S, order_default_S, order_first_S_M    trials until within 5 % of the best of all
//                                  that were tried, median of 20 seeds: random search, the
//                                  library's default strategy, the same after the default and the
//                                  ten configurations that model M holds to be the fastest
//   order_only_S_M                 the same when all are tried in the order of its predictions
//
// Lines with # are tables I and II in words.
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
    gputune_cuda__nvrtc nvrtc;
    bool has_nvrtc, has_ptx;
    const char *ptx_missing; // why it has none
    void *in, *out, *index;
    size_t bytes, index_count; // of in and out each
    figures f;
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

// Bytes a ns that such groups read of a footprint.
static double read_rate(bench *b, double warps, int groups, double footprint)
{
    const int of_group = (int)fmin(warps, 32);
    const double items = 32.0 * of_group * groups;
    const int count = (int)fmax(1, footprint / 64 / items);
    const gputune_arg args[] = { gputune_out(b->out, (size_t)(4 * items)),
                                 gputune_in(b->in, b->bytes), gputune_int(count),
                                 gputune_number("groups", groups),
                                 gputune_number("warps", of_group) };
    char config[32];
    double seconds;
    snprintf(config, sizeof config, "TOGETHER=%d", !b->f.is_gpu);
    seconds = seconds_of(b, models_file, "model_read", config, args, 5);
    return 64 * items * count / (1e9 * fmax(1e-9, seconds - b->f.launch));
}

// Nanoseconds of a request of a unit whose 32 warps' lanes lie so many words apart.
static double strided_ns(bench *b, int stride)
{
    double words = 1 << 16;
    const int loops = 512;
    gputune_arg args[] = { gputune_out(b->out, 4096), gputune_in(b->in, b->bytes),
                           gputune_int(loops), gputune_int(stride), gputune_int(0),
                           gputune_number("groups", 1), gputune_number("warps", 32) };
    double few, many;
    while (8 * words <= 0.3 * b->f.cache && 8 * words <= (double)b->bytes) words *= 2;
    args[4] = gputune_int((int64_t)words - 1);
    many = seconds_of(b, models_file, "model_strided", "", args, 7);
    args[2] = gputune_int(loops / 8);
    few = seconds_of(b, models_file, "model_strided", "", args, 7);
    return 1e9 * fmax(many - few, 1e-12) / (loops - loops / 8) / (32 * 8);
}

// Nanoseconds of a load that needs the one before, in so many bytes: a walk through all of them in
// an order drawn at random (Sattolo).
static double chase_ns(bench *b, double footprint)
{
    const uint32_t count = (uint32_t)(footprint / 4);
    const int steps = 1 << 17;
    uint32_t *next = (uint32_t *)need((size_t)count * 4);
    uint64_t random = 1;
    gputune_arg args[3];
    void *buffer;
    double few, many;
    for (uint32_t i = 0; i < count; i++) next[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)gputune__random_below(&random, i), kept = next[i];
        next[i] = next[j];
        next[j] = kept;
    }
    buffer = gputune_buffer_create(b->device, (size_t)count * 4, next);
    if (!buffer) fail("chase", gputune_device_error(b->device)->text);
    args[0] = gputune_out(b->out, 4);
    args[1] = gputune_in(buffer, (size_t)count * 4);
    args[2] = gputune_int(steps / 8);
    few = seconds_of(b, models_file, "model_chase", "", args, 3);
    args[2] = gputune_int(steps);
    many = seconds_of(b, models_file, "model_chase", "", args, 3);
    gputune_buffer_destroy(b->device, buffer);
    free(next);
    return 1e9 * (many - few) / (steps - steps / 8);
}

// Bytes a second of an idiom whose array has so many bytes; references count as a job's do. Of
// gather: at most as many items as there are random numbers.
static double idiom_rate(bench *b, idiom which, double bytes)
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
    if (which == IDIOM_REDUCTION) return 1e9 * read_rate(b, 32, 4 * (int)b->f.units, bytes);
    if (which == IDIOM_GATHER) {
        references = 3; // the index, too
        seconds = seconds_of(b, models_file, "model_gather", "", gather, 5);
    } else if (which == IDIOM_STENCIL) {
        references = 4;
        seconds = seconds_of(b, models_file, "model_neighbours", "", stencil, 4);
    } else {
        seconds = seconds_of(b, models_file, "model_stream", "", stream, 3);
    }
    return references * 4 * (double)items / fmax(1e-9, seconds - b->f.launch);
}

static void measure_idioms(bench *b)
{
    for (int k = 0; k < IDIOMS; k++) {
        double footprint[FOOTPRINTS], rate[FOOTPRINTS], size = 1 << 18;
        for (int i = 0; i < FOOTPRINTS; i++, size *= 4) {
            footprint[i] = log2(fmin(size, (double)b->bytes));
            rate[i] = log2(idiom_rate(b, (idiom)k, exp2(footprint[i])));
            row(1e-9 * exp2(rate[i]), "GB/s", "idiom_%s_%.0f", idiom_names[k], exp2(footprint[i]));
        }
        if (!pmac_fit(footprint, rate, FOOTPRINTS, &b->f.bandwidth[k])) fail("pmac", "no curve");
    }
}

static void measure(bench *b)
{
    figures *f = &b->f;
    const gputune_limits *limits = gputune_device_limits(b->device);
    const int last = WARP_COUNTS - 1, loops = limits->is_gpu ? 1 << 12 : 1 << 9;
    const double begin = now();
    f->is_gpu = limits->is_gpu != 0;
    f->units = fmax(1, (double)limits->compute_units);
    f->cache = limits->cache_bytes > 0 ? (double)limits->cache_bytes : 1e6;
    while (f->is_gpu && now() - begin < warm_up) micro(b, "model_fma", 32, 4, 8 * loops);
    f->launch = micro(b, "model_fma", 1, 1, 0);
    f->fma_latency = loop_ns(b, "model_fma", 1, 1, 4 * loops) / 64;
    f->local_latency = loop_ns(b, "model_local_chase", 1, 1, 1 << 17);
    f->latency = chase_ns(b, fmin(4 * f->cache, (double)b->bytes));
    f->cache_latency = chase_ns(b, 0.3 * f->cache);
    f->barrier = loop_ns(b, "model_barrier", 8, 1, 1 << 10) / 16;
    for (int w = 0; w < WARP_COUNTS; w++) {
        const double warps = warp_counts[w];
        f->fma[w] = 64 * warps / loop_ns(b, "model_fma", warps, 1, loops);
        f->integer[w] = 64 * warps / loop_ns(b, "model_int", warps, 1, loops);
        f->special[w] = 64 * warps / loop_ns(b, "model_special", warps, 1, loops);
        f->local[w] = 16 * warps / loop_ns(b, "model_local", warps, 1, loops);
        f->global[w] = read_rate(b, warps, groups_of(b, warps), (double)b->bytes) / f->units;
        f->cached[w] = read_rate(b, warps, groups_of(b, warps), 0.3 * f->cache) / f->units;
        row(f->fma[w], "warps/ns", "table_fma_%g", warps);
        row(f->integer[w], "warps/ns", "table_integer_%g", warps);
        row(f->special[w], "warps/ns", "table_special_%g", warps);
        row(f->local[w], "warps/ns", "table_local_%g", warps);
        row(f->global[w], "bytes/ns", "table_memory_%g", warps);
        row(f->cached[w], "bytes/ns", "table_cache_%g", warps);
    }
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
    row(now() - begin, "s", "micro_seconds");
}

// --- compiled code ---

// The PTX of CUDA C, to be freed; NULL: it does not compile. Any thread may call it.
static char *compile(const bench *b, const char *text)
{
    const gputune_limits *limits = gputune_device_limits(b->device);
    const char *options[] = { NULL, "-default-device", "-std=c++14" };
    char arch[40], *ptx = NULL;
    nvrtcProgram program;
    size_t size;
    const int capability = limits->compute_capability > 0 ? (int)limits->compute_capability : 90;
    snprintf(arch, sizeof arch, "-arch=compute_%d", capability);
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
    const gputune_cl__device *cl = (const gputune_cl__device *)b->device->self;
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
        gputune_cuda__load_nvrtc(&b->nvrtc, NULL, 13000, &error) != GPUTUNE_OK)
        return;
    b->ptx_missing = "counts: the compiler's output is no PTX";
    kernel = configure(b, models_file, "model_stream", "", args, 3, &values);
    text = text_of(b, kernel, &values);
    read = read_kernel(b, text ? text : "", "model_stream");
    free(text);
    if (read.missing || read.loop[0].work.count[PTX_GLOBAL_LOAD] < 1) return;
    b->ptx_missing = NULL;
    b->has_ptx = true;
}

// Puts the instructions of compiled code into a job; barriers stay the source's: they are in loops
// that unroll.
static void count_into(job *j, const ptx_work *work)
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

// --- kernels that the models are asked about ---

enum { WORK_BUFFERS = 6, WORK_ARGS = 8, FAMILY_SIZES = 3 };

// A launch with its data; a kernel's first buffer that is written is the last one.
typedef struct work {
    bench *b;
    const char *file, *kernel;
    gputune_arg args[WORK_ARGS];
    int arg_count;
    void *host[WORK_BUFFERS], *buffer[WORK_BUFFERS];
    size_t bytes[WORK_BUFFERS], outputs; // outputs: numbers of the last
    int buffers, n;
    uint64_t random;
    ptx_known known; // count 0: there is no loop
} work;

static void *work_add(work *w, size_t count)
{
    w->bytes[w->buffers] = 4 * count;
    return w->host[w->buffers++] = need(4 * count);
}

static float *work_random(work *w, size_t count, float low, float high)
{
    float *values = (float *)work_add(w, count);
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * (float)case_draw(&w->random, 1u << 20) / (1 << 20);
    return values;
}

static void work_arg(work *w, gputune_arg arg)
{
    w->args[w->arg_count++] = arg;
}

// Copies the buffers to the device; they become arguments behind the numbers.
static void work_upload(work *w)
{
    for (int i = 0; i < w->buffers; i++) {
        w->buffer[i] = gputune_buffer_create(w->b->device, w->bytes[i], w->host[i]);
        if (!w->buffer[i]) fail(w->kernel, gputune_device_error(w->b->device)->text);
        work_arg(w, i < w->buffers - 1 ? gputune_in(w->buffer[i], w->bytes[i])
                                       : gputune_out(w->buffer[i], w->bytes[i]));
    }
    w->outputs = w->bytes[w->buffers - 1] / 4;
}

static void work_free(work *w)
{
    for (int i = 0; i < w->buffers; i++) {
        gputune_buffer_destroy(w->b->device, w->buffer[i]);
        free(w->host[i]);
    }
}

// Requests of warps, what they touch.
typedef struct touched {
    double requests, sectors, scattered, lines; // the last two: of those with over 4 sectors
} touched;

// One request: so many lanes' indices of numbers of 4 bytes.
static void touch(touched *t, const size_t *index, int lanes)
{
    size_t seen[2][32];
    int count[2] = { 0, 0 };
    if (lanes == 0) return;
    for (int l = 0; l < lanes; l++)
        for (int which = 0; which < 2; which++) {
            const size_t at = index[l] / (which ? 32 : 8);
            int k = 0;
            while (k < count[which] && seen[which][k] != at) k++;
            if (k == count[which]) seen[which][count[which]++] = at;
        }
    t->requests++;
    t->sectors += count[0];
    if (count[0] <= 4) return;
    t->scattered++;
    t->lines += count[1];
}

static void touch_row(touched *t, size_t first) // lanes side by side
{
    size_t index[32];
    for (int l = 0; l < 32; l++) index[l] = first + (size_t)l;
    touch(t, index, 32);
}

static void touched_into(job *j, const touched *t)
{
    j->sectors = t->sectors / t->requests;
    j->scattered = t->scattered / t->requests;
    j->lines = t->scattered > 0 ? t->lines / t->scattered : 1;
}

// A 5-point stencil, n x n.
static void make_stencil(work *w, job *j)
{
    const size_t n = (size_t)w->n;
    work_random(w, n * n, -1, 1);
    work_add(w, n * n);
    work_arg(w, gputune_int(w->n));
    work_upload(w);
    j->groups = (double)n / 32 * ((double)n / 8);
    j->real = 5;
    j->integer = 20;
    j->loads = 5;
    j->stores = 1;
    j->sectors = (4 * 4 + 2 * 5) / 6.0;
    j->unique = 8.0 * (double)n * (double)n;
    j->reuse = 4.0 * 10 * (double)n; // the rows that groups side by side read
    job_block(j, IDIOM_STENCIL, 6.0 * (double)n * (double)n, 4.0 * (double)n * (double)n);
}

static double expect_stencil(const work *w, size_t i, double *magnitude)
{
    const size_t n = (size_t)w->n, x = i % n, y = i / n;
    const float *in = (const float *)w->host[0] + i;
    *magnitude = 1;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return (double)in[0];
    return 0.2 * ((double)in[0] + (double)in[1] + (double)in[-1] + (double)in[n] +
                  (double)*(in - n));
}

enum { SUM_COUNT = 16 };

static void make_sum(work *w, job *j)
{
    const size_t n = (size_t)w->n;
    work_random(w, n, 0, 1);
    work_add(w, n / 256 / SUM_COUNT);
    work_arg(w, gputune_int(w->n));
    work_arg(w, gputune_int(SUM_COUNT));
    work_upload(w);
    j->groups = (double)n / SUM_COUNT / 256;
    j->real = SUM_COUNT + 1.5;
    j->integer = 2 * SUM_COUNT + 24;
    j->loads = SUM_COUNT;
    j->stores = 1 / 8.0;
    j->local_loads = 3; // 2 for each of 4, 2, 1, 1, 1, 1, 1, 1 of the group's 8 warps
    j->local_stores = 2.5;
    j->barriers = 9;
    j->sectors = 4;
    j->unique = j->reuse = 4.0 * (double)n;
    w->known.anchor = PTX_GLOBAL_LOAD;
    w->known.count = SUM_COUNT;
    job_block(j, IDIOM_REDUCTION, (double)n, 4.0 * (double)n);
}

static double expect_sum(const work *w, size_t i, double *magnitude)
{
    double sum = 0.0;
    for (size_t k = 0; k < 256 * SUM_COUNT; k++)
        sum += (double)((const float *)w->host[0])[i * 256 * SUM_COUNT + k];
    *magnitude = sum;
    return sum;
}

// Lengths of rows: 0 to 31; one in 64 four times as long.
static size_t make_rows(work *w, int *start, size_t rows)
{
    start[0] = 0;
    for (size_t r = 0; r < rows; r++)
        start[r + 1] = start[r] + (int)case_draw(&w->random, 32) * (r % 64 == 63 ? 4 : 1);
    return (size_t)start[rows];
}

enum { WARPS_LOOKED_AT = 256 };

static void make_spmv(work *w, job *j)
{
    const size_t n = (size_t)w->n, warps = n / 32;
    int *start = (int *)work_add(w, n + 1), *column;
    const size_t entries = make_rows(w, start, n);
    touched t = { 0, 0, 0, 0 };
    double longest = 0.0, looked = 0.0;
    column = (int *)work_add(w, entries);
    for (size_t i = 0; i < entries; i++) column[i] = (int)case_draw(&w->random, (uint32_t)n);
    work_random(w, entries, -1, 1);
    work_random(w, n, -1, 1);
    work_add(w, n);
    work_arg(w, gputune_int(w->n));
    work_upload(w);
    for (size_t k = 0; k < WARPS_LOOKED_AT && k < warps; k++, looked++) {
        const size_t first = k * (warps / (warps < WARPS_LOOKED_AT ? warps : WARPS_LOOKED_AT)) * 32;
        int lanes = 1;
        for (int i = 0; lanes > 0; i++, longest += lanes > 0) { // until the longest row ends
            size_t at[32], x[32];
            lanes = 0;
            for (size_t r = first; r < first + 32; r++)
                if (start[r] + i < start[r + 1]) {
                    at[lanes] = (size_t)(start[r] + i);
                    x[lanes++] = (size_t)column[start[r] + i];
                }
            touch(&t, at, lanes); // of columns and values
            touch(&t, at, lanes);
            touch(&t, x, lanes);
        }
        touch_row(&t, 0); // starts, ends, results
        touch_row(&t, 1);
        touch_row(&t, 0);
    }
    longest /= looked;
    j->groups = (double)n / 256;
    j->real = longest;
    j->integer = 5 * longest + 8;
    j->loads = 2 + 3 * longest;
    j->stores = 1;
    touched_into(j, &t);
    j->unique = 8.0 * (double)entries + 12.0 * (double)n;
    j->reuse = 4.0 * (double)n; // x; of the rows, what a warp reads next
    w->known.anchor = PTX_FMA;
    w->known.count = longest;
    job_block(j, IDIOM_STREAM, 2.0 * (double)entries + 3.0 * (double)n, 8.0 * (double)entries);
    job_block(j, IDIOM_GATHER, (double)entries, 4.0 * (double)n);
}

static double expect_spmv(const work *w, size_t row, double *magnitude)
{
    const int *start = (const int *)w->host[0], *column = (const int *)w->host[1];
    const float *value = (const float *)w->host[2], *x = (const float *)w->host[3];
    double sum = *magnitude = 0.0;
    for (int i = start[row]; i < start[row + 1]; i++) {
        const double term = (double)value[i] * (double)x[column[i]];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

static void make_nbody(work *w, job *j)
{
    const size_t n = (size_t)w->n;
    const double tiles = (double)n / 256;
    work_random(w, 4 * n, 0, 1);
    work_add(w, 4 * n);
    work_arg(w, gputune_int(w->n));
    work_upload(w);
    j->groups = (double)n / 256;
    j->real = 13 * (double)n;
    j->integer = (double)n / 2;
    j->special = (double)n;
    j->loads = 1 + tiles;
    j->stores = 1;
    j->local_loads = (double)n; // all lanes read the same 16 bytes
    j->local_stores = 4 * tiles;
    j->barriers = 2 * tiles;
    j->sectors = 16;
    j->unique = 32.0 * (double)n;
    j->reuse = 16.0 * (double)n;
    w->known.anchor = PTX_SPECIAL;
    w->known.count = (double)n;
    w->known.around = tiles;
    job_block(j, IDIOM_STREAM, 4.0 * (double)n * (tiles + 2), 16.0 * (double)n);
}

static double expect_nbody(const work *w, size_t i, double *magnitude)
{
    const float *body = (const float *)w->host[0], *me = body + i / 4 * 4;
    double sum = *magnitude = 0.0;
    if (i % 4 == 3) return 0.0;
    for (const float *other = body; other < body + 4 * (size_t)w->n; other += 4) {
        double d[3], r = 0.01f;
        for (int k = 0; k < 3; k++) {
            d[k] = (double)other[k] - (double)me[k];
            r += d[k] * d[k];
        }
        r = (double)other[3] / (r * sqrt(r)) * d[i % 4];
        sum += r;
        *magnitude += fabs(r);
    }
    return sum;
}

static void make_sort(work *w, job *j)
{
    const size_t n = (size_t)w->n;
    work_random(w, n, 0, 1);
    work_add(w, n);
    work_arg(w, gputune_int(w->n));
    work_arg(w, gputune_int(1024)); // pairs so far apart,
    work_arg(w, gputune_int(4096)); // in runs of that many
    work_upload(w);
    j->groups = (double)n / 256;
    j->integer = 14;
    j->loads = 2;
    j->stores = 1;
    j->sectors = 4;
    j->unique = 8.0 * (double)n;
    j->reuse = 4.0 * 4096 * 132;
    job_block(j, IDIOM_STREAM, 3.0 * (double)n, 4.0 * (double)n);
}

static double expect_sort(const work *w, size_t i, double *magnitude)
{
    const float *in = (const float *)w->host[0];
    const size_t other = i ^ 1024;
    const bool least = (i < other) == ((i & 4096) == 0);
    *magnitude = 0;
    return (double)((in[i] < in[other]) == least ? in[i] : in[other]);
}

enum { SEARCH_DEPTH = 5 };

static int search_level(const work *w, size_t v)
{
    return ((const int *)w->host[2])[v];
}

// The entry of a vertex's row at which its search ends, or the row's end.
static int search_end(const work *w, size_t v)
{
    const int *start = (const int *)w->host[0], *edge = (const int *)w->host[1];
    int i = start[v];
    while (i < start[v + 1] && search_level(w, (size_t)edge[i]) != SEARCH_DEPTH) i++;
    return i < start[v + 1] ? i + 1 : i;
}

// What the warp of 32 vertices from `first` on asks for; returns how often its loop runs.
static int search_warp(const work *w, size_t first, touched *t)
{
    const int *start = (const int *)w->host[0], *edge = (const int *)w->host[1];
    size_t open[32], at[32], to[32];
    int opens = 0, lanes, i = 0;
    for (size_t v = first; v < first + 32; v++)
        if (search_level(w, v) < 0) open[opens++] = v;
    touch_row(t, first);
    touch(t, open, opens); // starts and ends
    touch(t, open, opens);
    do {
        lanes = 0;
        for (int o = 0; o < opens; o++)
            if (start[open[o]] + i < search_end(w, open[o])) {
                at[lanes] = (size_t)(start[open[o]] + i);
                to[lanes++] = (size_t)edge[start[open[o]] + i];
            }
        touch(t, at, lanes);
        touch(t, to, lanes);
        i++;
    } while (lanes > 0);
    touch_row(t, first);
    return i - 1;
}

static void make_search(work *w, job *j)
{
    const size_t n = (size_t)w->n, warps = n / 32;
    int *start = (int *)work_add(w, n + 1), *edge, *level;
    const size_t edges = make_rows(w, start, n);
    touched t = { 0, 0, 0, 0 };
    double loops = 0.0, looked = 0.0;
    edge = (int *)work_add(w, edges);
    for (size_t i = 0; i < edges; i++) edge[i] = (int)case_draw(&w->random, (uint32_t)n);
    level = (int *)work_add(w, n);
    for (size_t v = 0; v < n; v++) { // half have none
        const int drawn = (int)case_draw(&w->random, 2 * SEARCH_DEPTH + 2);
        level[v] = drawn <= SEARCH_DEPTH ? drawn : -1;
    }
    work_add(w, n);
    work_arg(w, gputune_int(w->n));
    work_arg(w, gputune_int(SEARCH_DEPTH));
    work_upload(w);
    for (size_t k = 0; k < WARPS_LOOKED_AT && k < warps; k++, looked++)
        loops += search_warp(
            w, k * (warps / (warps < WARPS_LOOKED_AT ? warps : WARPS_LOOKED_AT)) * 32, &t);
    loops /= looked;
    j->groups = (double)n / 256;
    j->integer = 6 * loops + 8;
    j->loads = 3 + 2 * loops;
    j->stores = 1;
    touched_into(j, &t);
    j->unique = 4.0 * (double)edges + 12.0 * (double)n;
    j->reuse = 4.0 * (double)n; // levels
    w->known.anchor = PTX_GLOBAL_LOAD;
    w->known.count = 2 * loops;
    job_block(j, IDIOM_STREAM, 4.0 * (double)n, 4.0 * (double)n);
    job_block(j, IDIOM_GATHER, 2.0 * t.requests / looked / 2 * (double)n / 4, 4.0 * (double)n);
}

static double expect_search(const work *w, size_t v, double *magnitude)
{
    const int *start = (const int *)w->host[0];
    const int end = search_end(w, v);
    *magnitude = 0;
    if (search_level(w, v) >= 0) return search_level(w, v);
    if (end == start[v]) return -1;
    return search_level(w, (size_t)((const int *)w->host[1])[end - 1]) == SEARCH_DEPTH
               ? SEARCH_DEPTH + 1
               : -1;
}

typedef struct family_kind {
    const char *name, *file, *kernel;
    bool whole; // its results are whole numbers
    void (*make)(work *w, job *j); // data, arguments behind the numbers, the job by the source
    double (*expected)(const work *w, size_t i, double *magnitude); // plain C
    int small[FAMILY_SIZES], large[FAMILY_SIZES];
} family_kind;

static const family_kind families[] = {
    { "stencil", stencil_file, "model_stencil", false, make_stencil, expect_stencil,
      { 128, 256, 512 }, { 1024, 4096, 8192 } },
    { "reduction", models_file, "model_sum", false, make_sum, expect_sum,
      { 1 << 14, 1 << 16, 1 << 18 }, { 1 << 20, 1 << 23, 1 << 26 } },
    { "spmv", models_file, "model_spmv", false, make_spmv, expect_spmv,
      { 1 << 10, 1 << 12, 1 << 14 }, { 1 << 14, 1 << 17, 1 << 20 } },
    { "nbody", models_file, "model_nbody", false, make_nbody, expect_nbody,
      { 256, 512, 1024 }, { 1 << 12, 1 << 14, 1 << 16 } },
    { "sort", models_file, "model_sort", false, make_sort, expect_sort,
      { 1 << 13, 1 << 15, 1 << 17 }, { 1 << 20, 1 << 23, 1 << 26 } },
    { "search", models_file, "model_search", true, make_search, expect_search,
      { 1 << 10, 1 << 12, 1 << 14 }, { 1 << 16, 1 << 19, 1 << 22 } },
};

enum { FAMILIES = sizeof families / sizeof families[0] };
enum { ROWS = SIZES * TILES * 2 + FAMILIES * FAMILY_SIZES };

// Results of one launch: all, or 2,000 of more, drawn at random.
static void check_work(work *w, const family_kind *kind)
{
    const size_t most = 2000, count = w->outputs;
    float *out = (float *)need(4 * count);
    launch(w->b, w->file, w->kernel, "", w->args, w->arg_count);
    if (gputune_buffer_read(w->b->device, w->buffer[w->buffers - 1], 0, out, 4 * count) !=
        GPUTUNE_OK)
        fail(kind->name, gputune_device_error(w->b->device)->text);
    for (size_t k = 0; k < count && k < most; k++) {
        const size_t i = count <= most ? k : case_draw(&w->random, (uint32_t)count);
        double magnitude, expected = kind->expected(w, i, &magnitude);
        const double got = kind->whole ? ((const int *)(const void *)out)[i] : (double)out[i];
        if (!(fabs(got - expected) <= 2e-5 * magnitude)) fail(kind->name, "wrong output");
    }
    free(out);
}

static double active_groups(const bench *b, double group_size, int registers, double local_bytes)
{
    gputune_occupancy_desc desc;
    gputune_occupancy o;
    if (!b->f.is_gpu) return 1;
    memset(&desc, 0, sizeof desc);
    desc.compute_capability = (int)gputune_device_limits(b->device)->compute_capability;
    desc.group_size = (int)group_size;
    desc.registers = registers;
    desc.local_memory = (int64_t)local_bytes;
    o = gputune_occupancy_of(&desc);
    return o.active_groups < 1 ? 0 : o.active_groups;
}

// A configuration's PTX, counted with what is known of its loops.
static ptx_work count_kernel(bench *b, gputune_kernel *kernel, const gputune_config *config,
                             const char *name, const ptx_known *known)
{
    static const double once[PTX_LOOPS] = { 1.0 };
    char *text = text_of(b, kernel, config);
    ptx_kernel read;
    ptx_work counted;
    if (!text) fail(name, gputune_kernel_error(kernel)->text);
    read = read_kernel(b, text, name);
    free(text);
    counted = known->count > 0 ? ptx_fit(&read, known) : ptx_sum(&read, once);
    if (counted.missing) fail(name, counted.missing);
    return counted;
}

static job make_job(bench *b, int which, int size)
{
    const family_kind *kind = &families[which];
    job j;
    work w;
    memset(&w, 0, sizeof w);
    memset(&j, 0, sizeof j);
    w.b = b;
    w.file = kind->file;
    w.kernel = kind->kernel;
    w.random = 88172645463325252u;
    w.n = b->f.is_gpu ? kind->large[size] : kind->small[size];
    j.kernel = kind->name;
    j.family = 2 + which;
    j.size = size;
    j.n = w.n;
    j.shown = true;
    j.group_size = 256;
    kind->make(&w, &j);
    check_work(&w, kind);
    j.active = active_groups(b, 256, 32, which == 1 ? 1024 : which == 3 ? 4096 : 0);
    if (b->has_ptx) {
        const double local_loads = j.local_loads, local_stores = j.local_stores;
        gputune_config values;
        gputune_kernel *kernel =
            configure(b, w.file, w.kernel, "", w.args, w.arg_count, &values);
        const ptx_work counted = count_kernel(b, kernel, &values, w.kernel, &w.known);
        count_into(&j, &counted);
        if (size == 1) print_ptx(kind->name, &counted);
        j.local_loads = local_loads; // of the reduction's tree nothing is derived from the PTX, and
        j.local_stores = local_stores; // nbody's lanes all read the same
    }
    j.measured = seconds_of(b, w.file, w.kernel, "", w.args, w.arg_count);
    work_free(&w);
    return j;
}

// --- matrix products ---

static void product_args(bench *b, int n, gputune_arg *args)
{
    const size_t bytes = 4 * (size_t)n * (size_t)n;
    args[0] = gputune_int(n);
    args[1] = gputune_in(b->in, bytes);
    args[2] = gputune_in(b->in, bytes);
    args[3] = gputune_out(b->out, bytes);
}

static ptx_work count_product(bench *b, bool tiled, int n, int tile)
{
    const char *name = tiled ? "mm_tiled" : "mm_naive";
    ptx_known known;
    gputune_arg args[4];
    gputune_config values;
    char config[32];
    memset(&known, 0, sizeof known);
    known.anchor = PTX_FMA;
    known.count = n;
    known.around = (double)n / tile;
    product_args(b, n, args);
    snprintf(config, sizeof config, "TILE=%d", tile);
    return count_kernel(b, configure(b, models_file, name, config, args, 4, &values), &values, name,
                        &known);
}

static job make_product(bench *b, bool tiled, int size, int n, int tile)
{
    const double rows = fmax(1, 32.0 / tile), wide = fmax(32, 4.0 * fmin(tile, 32));
    const double tiles = (double)n / tile, square = (double)n * n;
    gputune_arg args[4];
    char config[32];
    job j;
    memset(&j, 0, sizeof j);
    j.kernel = tiled ? "tiled" : "naive";
    j.family = tiled;
    j.size = size;
    j.n = n;
    j.product = true;
    j.shown = tile == 16;
    j.groups = tiles * tiles;
    j.group_size = (double)tile * tile;
    j.active = active_groups(b, j.group_size, 32, tiled ? 8.0 * tile * tile : 0);
    j.real = n;
    j.stores = 1;
    j.lines = rows;
    j.unique = 12 * square;
    j.memory = models_matmul_bytes(n, tile, j.active * b->f.units, b->f.cache);
    if (tiled) {
        j.integer = 8 * tiles;
        j.loads = j.local_stores = 2 * tiles;
        j.local_loads = 2.0 * n;
        j.barriers = 2 * tiles;
        j.sectors = rows * wide / 32;
        j.scattered = rows > 4;
    } else {
        j.integer = n;
        j.loads = 2.0 * n;
        j.sectors = (rows + wide / 32) / 2; // a number of A for each row, of B the same for all
        j.scattered = rows > 4 ? 0.5 : 0;
    }
    job_block(&j, IDIOM_STREAM, 2 * square * (tiled ? tiles : n) + square, 12 * square);
    if (b->has_ptx) {
        const ptx_work counted = count_product(b, tiled, n, tile);
        count_into(&j, &counted);
    }
    product_args(b, n, args);
    snprintf(config, sizeof config, "TILE=%d", tile);
    j.measured = seconds_of(b, models_file, tiled ? "mm_tiled" : "mm_naive", config, args, 4);
    return j;
}

// Both kernels with all tiles against plain C, at a size of 64.
static void check_products(bench *b, const float *numbers)
{
    enum { N = 64 };
    static float product[N * N];
    for (int tiled = 0; tiled < 2; tiled++)
        for (int tile = 4; tile <= 32; tile *= 2) {
            const char *name = tiled ? "mm_tiled" : "mm_naive";
            gputune_arg args[4];
            char config[32];
            product_args(b, N, args);
            snprintf(config, sizeof config, "TILE=%d", tile);
            memset(product, 0, sizeof product);
            launch(b, models_file, name, config, args, 4);
            if (gputune_buffer_read(b->device, b->out, 0, product, sizeof product) != GPUTUNE_OK)
                fail(name, gputune_device_error(b->device)->text);
            for (int i = 0; i < N * N; i++) {
                double sum = 0.0;
                for (int k = 0; k < N; k++)
                    sum += (double)numbers[i / N * N + k] * (double)numbers[k * N + i % N];
                if (!(fabs((double)product[i] - sum) <= 1e-5 * sum)) fail(name, "wrong output");
            }
        }
}

// --- learning, each time without what is asked ---

// Both learn log2 of nanoseconds: times differ by a factor of thousands.
static void learn(const bench *b, job *jobs, int count, int family, int size, model eiger_to,
                  model stargazer_to)
{
    static double x[ROWS][JOB_METRICS], few[ROWS][JOB_FEW], y[ROWS];
    static eiger_mixture two;
    double asked_of_it[JOB_METRICS], few_of_it[JOB_FEW];
    eiger_model eiger;
    stargazer_model stargazer;
    int rows = 0;
    for (int i = 0; i < count; i++) {
        if (jobs[i].family == family && (size < 0 || jobs[i].size == size)) continue;
        job_metrics(&b->f, &jobs[i], x[rows]);
        job_few(x[rows], few[rows]);
        y[rows++] = log2(1e9 * jobs[i].measured);
    }
    eiger = eiger_fit(&x[0][0], y, rows, JOB_METRICS, 0, 0);
    if (eiger_to == EIGER) eiger_fit_clusters(&x[0][0], y, rows, JOB_METRICS, 0, 0, 2, 1, &two);
    stargazer = stargazer_fit(&few[0][0], y, rows, JOB_FEW, false);
    for (int i = 0; i < count; i++) {
        job *j = &jobs[i];
        if (!(j->family == family && (size < 0 || j->size == size))) continue;
        job_metrics(&b->f, j, asked_of_it);
        job_few(asked_of_it, few_of_it);
        j->predicted[eiger_to] = 1e-9 * exp2(eiger_predict(&eiger, asked_of_it));
        j->predicted[stargazer_to] = 1e-9 * exp2(stargazer_predict(&stargazer, few_of_it));
        if (eiger_to == EIGER) {
            j->predicted[EIGER_TWO] = 1e-9 * exp2(eiger_predict_clusters(&two, asked_of_it));
            j->refused[EIGER_TWO] = two.missing;
            j->bound[EIGER_TWO] = "";
        }
        j->refused[eiger_to] = eiger.missing;
        if (eiger_outside(&eiger, asked_of_it)) {
            j->predicted[eiger_to] = NAN;
            j->refused[eiger_to] = "trials like this one";
            if (eiger_to == EIGER) j->predicted[EIGER_TWO] = NAN;
            j->refused[EIGER_TWO] = "trials like this one";
        }
        j->refused[stargazer_to] = stargazer.missing;
        if (stargazer_outside(&stargazer, few_of_it)) {
            j->predicted[stargazer_to] = NAN;
            j->refused[stargazer_to] = "samples around this one";
        }
        j->bound[eiger_to] = j->bound[stargazer_to] = "";
    }
}

static void learn_all(const bench *b, job *jobs, int count)
{
    for (int f = 0; f < 2 + FAMILIES; f++) {
        for (int s = 0; s < SIZES; s++) {
            bool any = false;
            for (int i = 0; i < count; i++) any = any || (jobs[i].family == f && jobs[i].size == s);
            if (any) learn(b, jobs, count, f, s, EIGER, STARGAZER);
        }
        learn(b, jobs, count, f, -1, EIGER_NEW, STARGAZER_NEW);
    }
}

// --- rows ---

static void print_job(const job *j)
{
    row(1e6 * j->measured, "us", "measured_us_%s_%g", j->kernel, j->n);
    for (int m = 0; m < MODELS; m++) {
        const char *name = model_texts[m].name;
        if (!(j->predicted[m] > 0 && j->predicted[m] < 1e9)) {
            printf("# %s has no prediction for %s %g: it has no %s\n", name, j->kernel, j->n,
                   j->refused[m] ? j->refused[m] : "number");
            continue;
        }
        row(1e6 * j->predicted[m], "us", "predicted_us_%s_%s_%g", name, j->kernel, j->n);
        row(j->predicted[m] / j->measured - 1, "of measured", "error_%s_%s_%g", name, j->kernel,
            j->n);
        if (*j->bound[m])
            printf("result\tbound_%s_%s_%g\t%s\tbound\n", name, j->kernel, j->n, j->bound[m]);
    }
}

typedef struct chosen { // jobs that a score is of; -1: all
    int family, size;
    bool products, published;
} chosen;

// Returns how many were predicted. If not NULL, *median: of their errors; *asked_for: how many
// there are in all.
static int score_of_jobs(const job *jobs, int count, chosen c, int m, models_score *score,
                         double *median, int *asked_for)
{
    double predicted[ROWS], measured[ROWS];
    int rows = 0, all = 0;
    for (int i = 0; i < count; i++) {
        const double value = c.published ? jobs[i].published[m] : jobs[i].predicted[m];
        if ((c.family >= 0 && jobs[i].family != c.family) || (c.products && !jobs[i].product) ||
            (c.size >= 0 && jobs[i].size != c.size))
            continue;
        all++;
        if (!(value > 0 && value < 1e9)) continue;
        predicted[rows] = value;
        measured[rows++] = jobs[i].measured;
    }
    *score = models_score_of(predicted, measured, rows);
    if (median && rows > 0) {
        for (int i = 0; i < rows; i++) predicted[i] = fabs(predicted[i] / measured[i] - 1);
        *median = gputune_stats_of(predicted, rows).median;
    }
    if (asked_for) *asked_for = all;
    return rows;
}

static void print_scores(const job *jobs, int count)
{
    for (int m = 0; m < MODELS; m++) {
        const char *name = model_texts[m].name;
        const chosen all = { -1, -1, false, false }, published = { -1, -1, false, true };
        models_score score, one;
        double tau = 0.0, regret = 0.0, covered = 0.0, median = 0.0;
        int asked_for, rows = score_of_jobs(jobs, count, all, m, &score, &median, &asked_for);
        row(1.0 * rows / asked_for, "of all", "coverage_%s", name);
        if (rows == 0) continue;
        row(score.error, "of measured", "mape_%s", name);
        row(median, "of measured", "mdape_%s", name);
        row(score.bias, "x", "bias_%s", name);
        for (int s = 0; s < SIZES; s++) {
            const chosen size = { -1, s, true, false };
            if (score_of_jobs(jobs, count, size, m, &one, NULL, NULL) == 0) continue;
            covered++;
            regret += one.regret;
            if (one.tau >= -1) tau += one.tau; // else it has all alike, which is no order
        }
        row(covered > 0 ? tau / covered : 0, "rank correlation", "tau_%s", name);
        row(covered > 0 ? regret / covered : 0, "of the best", "regret_%s", name);
        for (int f = 0; f < 2 + FAMILIES; f++) {
            const chosen one_family = { f, -1, false, false };
            if (score_of_jobs(jobs, count, one_family, m, &one, NULL, NULL) > 0)
                row(one.error, "of measured", "mape_%s_%s", name,
                    f < 2 ? f ? "tiled" : "naive" : families[f - 2].name);
        }
        if (m >= FORMULAS || score_of_jobs(jobs, count, published, m, &one, NULL, NULL) == 0)
            continue;
        row(one.error, "of measured", "mape_published_%s", name);
        row(one.bias, "x", "bias_published_%s", name);
    }
}

// Tables I and II: words, then what was found.
static void print_tables(const job *jobs, int count)
{
    for (int m = 0; m < MODELS; m++) {
        const model_words *t = &model_texts[m];
        printf("# table I  %s\n#     needs: %s\n#     cannot: %s\n#     hint: %s\n", t->name,
               t->inputs, t->cannot, t->hint);
    }
    for (int m = 0; m < MODELS; m++) {
        const chosen all = { -1, -1, false, false };
        models_score score;
        double median = NAN;
        int asked_for, within = 0, hints = 0;
        const int rows = score_of_jobs(jobs, count, all, m, &score, &median, &asked_for);
        for (int i = 0; i < count; i++) {
            within += fabs(jobs[i].predicted[m] / jobs[i].measured - 1) <= 0.3;
            hints += jobs[i].bound[m] && *jobs[i].bound[m];
        }
        printf("# table II  %-13s  predicted %2d of %d; within 30 %%: %2d; median error %5.0f "
               "%%; predicted / measured %6.2f; hints for %2d\n",
               model_texts[m].name, rows, asked_for, within, 100 * median, score.bias, hints);
    }
}

// Where a model is known not to fit a GPU with caches and thousands of threads: by how much here.
static void print_misfits(const figures *f, const job *jobs, int count)
{
    double threads = 0.0, barriers = 0.0, other = 0.0;
    int cached = 0;
    for (int i = 0; i < count; i++) {
        const job *j = &jobs[i];
        const asked a = asked_of(f, j, false);
        const mwp_cwp_out out = ask_mwp_cwp_whole(&a, j);
        threads = fmax(threads, j->active * 32 * job_warps(j));
        cached += a.miss < 0.5;
        if (!(j->barriers > 0 && out.prediction.seconds > 0)) continue;
        barriers += out.synchronisation / (out.execution + out.synchronisation);
        other++;
    }
    printf("# misfit  qrqw: latency hides behind lanes x depth = %.0f threads of a multiprocessor; "
           "%.0f are there\n", 32 * f->peak * f->fma_latency, threads);
    printf("# misfit  mwp_cwp: of a kernel with barriers these are %.0f %% of the time it "
           "predicts, the mean of %.0f launches\n", 100 * barriers / fmax(1, other), other);
    for (int m = 0; m < FORMULAS; m++) {
        const chosen all = { -1, -1, false, false }, published = { -1, -1, false, true };
        models_score score;
        double with = NAN, without = NAN;
        if (m == PMAC) continue;
        score_of_jobs(jobs, count, all, m, &score, &with, NULL);
        score_of_jobs(jobs, count, published, m, &score, &without, NULL);
        printf("# misfit  %s: knows no caches, which serve most of %d of %d launches; median error "
               "%.0f %% as published, %.0f %% with the mean over caches handed in\n",
               model_texts[m].name, cached, count, 100 * without, 100 * with);
    }
    printf("# misfit  quantitative: adds what floating-point and whole-number units, which issue "
           "side by side, take\n");
    printf("# misfit  pmac: a product's reads from local memory, the bound of most of its tiles, "
           "are none of its references\n");
}

static void bench_kernels(bench *b)
{
    static job jobs[ROWS];
    const int *sizes = b->f.is_gpu ? large_sizes : small_sizes;
    int count = 0;
    if (b->has_ptx)
        for (int tiled = 0; tiled < 2; tiled++) {
            const ptx_work counted = count_product(b, tiled, 256, 16);
            print_ptx(tiled ? "tiled" : "naive", &counted);
        }
    for (int s = 0; s < SIZES; s++)
        for (int tiled = 0; tiled < 2; tiled++)
            for (int tile = 4; tile <= 32; tile *= 2)
                jobs[count++] = make_product(b, tiled, s, sizes[s], tile);
    for (int f = 0; f < FAMILIES; f++)
        for (int s = 0; s < FAMILY_SIZES; s++) jobs[count++] = make_job(b, f, s);
    for (int i = 0; i < count; i++) ask_formulas(&b->f, &jobs[i]);
    learn_all(b, jobs, count);
    for (int i = 0; i < count; i++)
        if (jobs[i].shown) print_job(&jobs[i]);
    print_scores(jobs, count);
    print_tables(jobs, count);
    print_misfits(&b->f, jobs, count);
}

// --- spaces: ranking configurations ---

enum { RANKED = 200, LEARNED_FROM = 100, COMPILERS = 16 };

// One configuration that was tried.
typedef struct sample {
    gputune_config config;
    double seconds; // infinite: it failed
    gputune_usage usage;
    char *text; // to be compiled for its counts
    ptx_known known;
    job job;
} sample;

typedef struct measured_space {
    bench *b;
    const char *name, *function; // the kernel's
    case_data data;
    gputune_kernel *kernel;
    const gputune_space *space;
    sample *samples;
    int count, valid;
    double deadline;      // of compiling
    double compile_seconds;
    int compiled, next;   // of the samples: counted; the next to be
    pthread_mutex_t lock;
    // Of a configuration: the job by the source but for its instructions, and what is known of its
    // loops.
    void (*describe)(const struct measured_space *s, const gputune_config *c, job *j,
                     ptx_known *known);
} measured_space;

static double value_of(const gputune_config *config, const char *name)
{
    return (double)gputune_config_int(config, name);
}

// C = A B of n^3: tiles and vectors as examples/kernels/sgemm.cl has them. Of vectors and wide
// loads from local memory each 4 bytes of a work-item count as an access.
static void describe_sgemm(const measured_space *s, const gputune_config *c, job *j,
                           ptx_known *known)
{
    const double n = s->data.size[0], square = n * n;
    const double tm = value_of(c, "TILE_M"), tn = value_of(c, "TILE_N"), tk = value_of(c, "TILE_K");
    const double im = value_of(c, "ITEMS_M"), in = value_of(c, "ITEMS_N");
    const double vector = value_of(c, "VECTOR"), wide = tn / in; // work-items side by side
    const double across = fmax(1, 32 / wide);                    // of a warp, one below the other
    const double run = fmax(1, fmin(wide, 32) * vector * 4 / 32); // sectors of a row of these
    j->groups = ceil(n / tm) * ceil(n / tn);
    j->group_size = tm / im * wide;
    j->unique = 12 * square;
    known->anchor = PTX_FMA;
    known->count = im * in * n;
    if (gputune_config_int(c, "LOCAL_MEMORY")) {
        const double loads = ceil(tm * tk / vector / j->group_size) +
                             ceil(tk * tn / vector / j->group_size);
        known->around = ceil(n / tk);
        known->loads = loads * known->around;
        j->barriers = 2 * known->around;
        j->sectors = 4 * vector;
        job_block(j, IDIOM_STREAM, n / tm * square + n / tn * square + 2 * square, 12 * square);
    } else {
        j->sectors = (im * across + in / vector * run) / (im + in / vector);
        j->scattered = (across > 4 ? im : 0) / (im + in / vector);
        j->lines = across;
        job_block(j, IDIOM_STREAM, square * n / in + square * n / im + 2 * square, 12 * square);
    }
    // as a product with square tiles of the same reuse
    j->memory = models_matmul_bytes(n, 2 / (1 / tm + 1 / tn), fmax(1, j->active) * s->b->f.units,
                                    s->b->f.cache);
}

static void describe_convolution(const measured_space *s, const gputune_config *c, job *j,
                                 ptx_known *known)
{
    const double width = s->data.size[0], height = s->data.size[1], size = s->data.size[2];
    const double gx = value_of(c, "GROUP_X"), gy = value_of(c, "GROUP_Y");
    const double ix = value_of(c, "ITEMS_X"), iy = value_of(c, "ITEMS_Y"), pixels = width * height;
    const double rows = fmax(1, 32 / gx), run = fmax(1, fmin(gx, 32) * 4 / 32);
    const bool image = gputune_config_int(c, "LOCAL_IMAGE") != 0;
    const bool filter = gputune_config_int(c, "LOCAL_FILTER") != 0;
    const double tile = (gx * ix + size - 1) * (gy * iy + size - 1);
    j->groups = ceil(width / ix / gx) * ceil(height / iy / gy);
    j->group_size = gx * gy;
    j->unique = 8 * pixels;
    j->reuse = 4 * width * (gy * iy + size) * 2;
    j->sectors = rows * (run + 0.5); // half of the rows begin within a sector
    j->scattered = rows > 4;
    j->lines = rows;
    j->barriers = image || filter;
    known->anchor = PTX_FMA;
    known->count = ix * iy * size * size;
    known->around = size;
    if (image) {
        known->rows = ceil((gy * iy + size - 1) / gy);
        known->loads = known->rows * ceil((gx * ix + size - 1) / gx);
    }
    if (filter) known->loads += ceil(size * size / j->group_size);
    job_block(j, IDIOM_STENCIL,
              pixels + (image ? j->groups * tile : pixels * size * size * (1 + 1 / ix / iy)),
              4 * pixels);
}

static void describe_stencil(const measured_space *s, const gputune_config *c, job *j,
                             ptx_known *known)
{
    const double n = s->data.size[0];
    const double gx = value_of(c, "GROUP_X"), gy = value_of(c, "GROUP_Y");
    const double ix = value_of(c, "ITEMS_X"), iy = value_of(c, "ITEMS_Y");
    const double rows = fmax(1, 32 / gx), run = fmax(1, fmin(gx, 32) * 4 / 32);
    const bool tile = gputune_config_int(c, "LOCAL_TILE") != 0;
    const double tile_x = gx * ix + 2, tile_y = gy * iy + 2;
    j->groups = n / ix / gx * (n / iy / gy);
    j->group_size = gx * gy;
    j->unique = 8 * n * n;
    j->reuse = 4 * n * (gy * iy + 2) * 2;
    j->sectors = rows * (tile ? run + 0.5 : run + 1.0 / 3);
    j->scattered = rows > 4;
    j->lines = rows;
    j->barriers = tile;
    if (tile) {
        known->rows = ceil(tile_y / gy);
        known->loads = known->rows * ceil(tile_x / gx);
    }
    job_block(j, IDIOM_STENCIL, n * n + (tile ? j->groups * tile_x * tile_y : 5 * n * n),
              4 * n * n);
}

// Ends where the race would begin.
static bool only_search(void *user, const gputune_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "race") != 0;
}

// Tries configurations at random, as tuning does: the default first, each output compared with its.
static void measure_space(measured_space *s, double seconds, int configurations)
{
    const gputune_trial *t;
    gputune_result result = gputune_tune(s->kernel, s->data.args, s->data.arg_count);
    if (result != GPUTUNE_OK && result != GPUTUNE_CANCELLED)
        fail(s->name, gputune_kernel_error(s->kernel)->text);
    s->space = gputune_kernel_space(s->kernel, s->data.args, s->data.arg_count);
    if (!s->space) fail(s->name, gputune_kernel_error(s->kernel)->text);
    while (gputune_kernel_trial(s->kernel, s->count)) s->count++;
    s->samples = (sample *)calloc((size_t)s->count + 1, sizeof *s->samples);
    if (!s->samples || s->count < 4) fail(s->name, "too few trials");
    for (int i = 0; (t = gputune_kernel_trial(s->kernel, i)) != NULL; i++) {
        sample *to = &s->samples[i];
        to->config = t->config;
        to->usage = t->usage;
        to->seconds = t->result == GPUTUNE_OK && t->value > 0 ? t->value : HUGE_VAL;
        s->valid += to->seconds < HUGE_VAL;
    }
    row(s->count, "of the space", "trials_%s", s->name);
    row(s->valid, "of the space", "valid_%s", s->name);
    if (s->count < configurations)
        fprintf(stderr, "%s: %d of %d configurations in %.0f s\n", s->name, s->count,
                configurations, seconds);
}

// --- counts of all configurations, compiled by several threads ---

static void *compile_samples(void *argument)
{
    measured_space *s = (measured_space *)argument;
    for (;;) {
        static const double once[PTX_LOOPS] = { 1.0 };
        const double begin = now();
        sample *to = NULL;
        ptx_kernel *read;
        ptx_work counted;
        pthread_mutex_lock(&s->lock);
        while (s->next < s->count && !s->samples[s->next].text) s->next++;
        if (s->next < s->count && begin < s->deadline) to = &s->samples[s->next++];
        pthread_mutex_unlock(&s->lock);
        if (!to) return NULL;
        read = (ptx_kernel *)need(sizeof *read);
        *read = read_kernel(s->b, to->text, s->function);
        counted = to->known.count > 0 || to->known.loads > 0 ? ptx_fit(read, &to->known)
                                                             : ptx_sum(read, once);
        free(read);
        to->job.missing = counted.missing;
        if (!counted.missing) count_into(&to->job, &counted);
        pthread_mutex_lock(&s->lock);
        s->compiled++;
        s->compile_seconds += now() - begin;
        pthread_mutex_unlock(&s->lock);
    }
}

static void count_samples(measured_space *s, double seconds)
{
    pthread_t threads[COMPILERS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    const double begin = now();
    s->deadline = begin + seconds;
    pthread_mutex_init(&s->lock, NULL);
    for (int i = 0; i < COMPILERS && i < cores; i++)
        started += pthread_create(&threads[started], NULL, compile_samples, s) == 0;
    if (started == 0) compile_samples(s);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&s->lock);
    if (s->compiled > 0)
        row(1e3 * s->compile_seconds / s->compiled, "ms", "predict_ms_%s", s->name);
    fprintf(stderr, "%s: %d of %d counted in %.1f s\n", s->name, s->compiled, s->valid,
            now() - begin);
}

// Where the driver does not tell: as the occupancy calculation has it, of 32 registers unless more
// are known.
static double active_by_geometry(const measured_space *s, const sample *of)
{
    gputune_geometry g;
    const int registers = of->usage.registers > 0 ? of->usage.registers : 32;
    const double local = of->usage.local_memory > 0 ? (double)of->usage.local_memory : 0;
    if (gputune_kernel_geometry(s->kernel, &of->config, s->data.args, s->data.arg_count, &g) !=
        GPUTUNE_OK)
        return 1;
    return fmax(1, active_groups(s->b, (double)(g.local[0] * g.local[1] * g.local[2]), registers,
                                 local));
}

// What the formulas say of every configuration that ran.
static void predict_space(measured_space *s, double seconds)
{
    for (int i = 0; i < s->count; i++) {
        sample *to = &s->samples[i];
        for (int m = 0; m < MODELS; m++) to->job.predicted[m] = NAN;
        if (!(to->seconds < HUGE_VAL)) continue;
        to->job.measured = to->seconds;
        to->job.active = to->usage.active_groups > 0 ? to->usage.active_groups
                                                     : active_by_geometry(s, to);
        s->describe(s, &to->config, &to->job, &to->known);
        to->job.missing = s->b->has_ptx ? "counts: not compiled" : s->b->ptx_missing;
        if (s->b->has_ptx) to->text = text_of(s->b, s->kernel, &to->config);
    }
    if (s->b->has_ptx) count_samples(s, seconds);
    for (int i = 0; i < s->count; i++)
        if (s->samples[i].seconds < HUGE_VAL) ask_formulas(&s->b->f, &s->samples[i].job);
}

// Both learn from the first of those that ran, by their number; returns how many those are.
static int learn_space(measured_space *s, int *ran, int count)
{
    static double x[LEARNED_FROM][JOB_METRICS], y[LEARNED_FROM];
    static double values[LEARNED_FROM][STARGAZER_PARAMS];
    static eiger_mixture two;
    double of_it[STARGAZER_PARAMS];
    const int from = count / 2 < LEARNED_FROM ? count / 2 : LEARNED_FROM;
    eiger_model eiger;
    stargazer_model stargazer;
    int params = 0, with_counts = 0;
    while (params < STARGAZER_PARAMS && gputune_space_param(s->space, params)) params++;
    for (int i = 0; i < from; i++) {
        const sample *at = &s->samples[ran[i]];
        for (int p = 0; p < params; p++)
            values[0][i * params + p] =
                value_of(&at->config, gputune_space_param(s->space, p)->name);
        y[i] = log2(1e9 * at->seconds);
    }
    stargazer = stargazer_fit(&values[0][0], y, from, params, false);
    for (int i = 0; i < from; i++) {
        const sample *at = &s->samples[ran[i]];
        if (at->job.missing) continue;
        job_metrics(&s->b->f, &at->job, x[with_counts]);
        y[with_counts++] = log2(1e9 * at->seconds);
    }
    eiger = eiger_fit(&x[0][0], y, with_counts, JOB_METRICS, 0, 0);
    eiger_fit_clusters(&x[0][0], y, with_counts, JOB_METRICS, 0, 0, 2, 1, &two);
    for (int i = from; i < count; i++) {
        sample *at = &s->samples[ran[i]];
        for (int p = 0; p < params; p++)
            of_it[p] = value_of(&at->config, gputune_space_param(s->space, p)->name);
        at->job.predicted[STARGAZER] = 1e-9 * exp2(stargazer_predict(&stargazer, of_it));
        at->job.refused[STARGAZER] = stargazer.missing;
        at->job.refused[EIGER] = at->job.missing ? at->job.missing : eiger.missing;
        at->job.refused[EIGER_TWO] = at->job.missing ? at->job.missing : two.missing;
        if (at->job.missing) continue;
        job_metrics(&s->b->f, &at->job, of_it);
        at->job.predicted[EIGER] = 1e-9 * exp2(eiger_predict(&eiger, of_it));
        at->job.predicted[EIGER_TWO] = 1e-9 * exp2(eiger_predict_clusters(&two, of_it));
        if (!eiger_outside(&eiger, of_it)) continue;
        at->job.predicted[EIGER] = at->job.predicted[EIGER_TWO] = NAN;
        at->job.refused[EIGER] = at->job.refused[EIGER_TWO] = "trials like this one";
    }
    return from;
}

static void rank_space(measured_space *s)
{
    int ran[RANKED], count = 0, from;
    for (int i = 0; i < s->count && count < RANKED; i++)
        if (s->samples[i].seconds < HUGE_VAL) ran[count++] = i;
    from = learn_space(s, ran, count);
    for (int m = 0; m <= STARGAZER; m++) {
        const char *name = model_texts[m].name, *why = NULL;
        double predicted[RANKED], measured[RANKED];
        const int first = m >= FORMULAS ? from : 0;
        models_score score;
        int rows = 0;
        for (int i = first; i < count; i++) {
            const job *j = &s->samples[ran[i]].job;
            if (!(j->predicted[m] > 0 && j->predicted[m] < 1e9)) {
                why = j->refused[m] ? j->refused[m] : "number";
                continue;
            }
            predicted[rows] = j->predicted[m];
            measured[rows++] = j->measured;
        }
        if (why) printf("# %s %s: %d of %d not predicted: it has no %s\n", s->name, name,
                        count - first - rows, count - first, why);
        row(1.0 * rows / (count - first), "of all", "coverage_%s_%s", s->name, name);
        if (rows < 2) continue;
        score = models_score_of(predicted, measured, rows);
        row(score.tau, "rank correlation", "tau_%s_%s", s->name, name);
        row(score.regret, "of the best", "regret_%s_%s", s->name, name);
        row(score.error, "of measured", "mape_%s_%s", s->name, name);
        row(score.bias, "x", "bias_%s_%s", s->name, name);
    }
}

// --- spaces: does a model's order help a search? ---

enum { SEEDS = 20, FIRST = 10 };

// The space whose valid configurations are those that were tried, and their times by its indices.
typedef struct replayed {
    gputune_space *space;
    gputune_config start, *configs; // the default; by index
    double *seconds, best;
    int count, *order;
} replayed;

// Parameters are the places of their values; a restriction looks a configuration up in a bitmap, 62
// a number, the number found by bisection.
static char *write_bits(char *out, const uint64_t *words, int from, int to, const char *at)
{
    const int middle = from + (to - from) / 2;
    if (to - from == 1) return out + sprintf(out, "%lld", (long long)words[from]);
    out += sprintf(out, "(%s<%d?", at, 62 * middle);
    out = write_bits(out, words, from, middle, at);
    *out++ = ':';
    out = write_bits(out, words, middle, to, at);
    *out++ = ')';
    *out = 0;
    return out;
}

static void replay(const measured_space *s, replayed *r)
{
    gputune_param params[STARGAZER_PARAMS + 1];
    char names[STARGAZER_PARAMS][16], values[STARGAZER_PARAMS][32], at[1024] = "", *text, *out;
    int sizes[STARGAZER_PARAMS], n = 0, total = 1, words;
    uint64_t *bits, index;
    const char *require[2] = { NULL, NULL };
    gputune_space_desc desc;
    char value[128];
    memset(params, 0, sizeof params);
    memset(&desc, 0, sizeof desc);
    for (; n < STARGAZER_PARAMS && gputune_space_param(s->space, n); n++) {
        for (sizes[n] = 0; gputune_space_value(s->space, n, sizes[n], value, sizeof value);)
            sizes[n]++;
        snprintf(names[n], sizeof names[n], "p%d", n);
        snprintf(values[n], sizeof values[n], "range 0,%d", sizes[n] - 1);
        params[n].name = names[n];
        params[n].values = values[n];
        total *= sizes[n];
        memmove(at + 1, at, strlen(at) + 1);
        at[0] = '(';
        snprintf(at + strlen(at), 40, "%s*%d+p%d)", n ? "" : "0", sizes[n], n);
    }
    words = (total + 61) / 62;
    bits = (uint64_t *)calloc((size_t)words, sizeof *bits);
    text = out = (char *)need((size_t)words * 400 + 2048);
    if (!bits) fail(s->name, "out of memory");
    for (int i = 0; i < s->count; i++) {
        int place = 0;
        for (int p = 0; p < n; p++) place = place * sizes[p] + s->samples[i].config.choice[p];
        bits[place / 62] |= (uint64_t)1 << place % 62;
    }
    out = write_bits(out, bits, 0, words, at);
    sprintf(out, ">>(%s)%%62&1", at);
    require[0] = text;
    desc.params = params;
    desc.require = require;
    r->space = gputune_space_create(&desc);
    r->count = s->count;
    if (gputune_space_count(r->space) != (uint64_t)s->count)
        fail(s->name, gputune_space_error(r->space)->text);
    r->seconds = (double *)need((size_t)s->count * sizeof *r->seconds);
    r->configs = (gputune_config *)need((size_t)s->count * sizeof *r->configs);
    r->order = (int *)need((size_t)s->count * sizeof *r->order);
    r->best = HUGE_VAL;
    for (int i = 0; i < s->count; i++) {
        gputune_config config = s->samples[i].config;
        config.space = r->space;
        if (!gputune_space_index(r->space, &config, &index)) fail(s->name, "no such place");
        r->order[i] = (int)index;
        r->configs[i] = config;
        r->seconds[index] = s->samples[i].seconds;
        r->best = fmin(r->best, s->samples[i].seconds);
    }
    r->start = r->configs[0]; // the first trial was the default's
    free(bits);
    free(text);
}

// Trials until within 5 % of the best; all, where it never is.
static int search_trials(const replayed *r, gputune_strategy strategy, uint64_t seed,
                         const gputune_config *starts, int start_count)
{
    gputune__base base;
    gputune__search *search;
    gputune_error error;
    gputune_config config;
    uint64_t index;
    int trials = 0;
    bool found = false;
    gputune__base_init(&base, NULL);
    if (gputune__search_create(&base, r->space, strategy, seed, 0, starts, start_count, &search,
                               &error))
        fail("search", error.text);
    while (!found && trials < r->count && gputune__search_next(search, &config)) {
        gputune_space_index(r->space, &config, &index);
        gputune__search_tell(search, &config, r->seconds[index]);
        trials++;
        found = r->seconds[index] <= 1.05 * r->best;
    }
    gputune__search_destroy(&base, search);
    return found ? trials : r->count;
}

static double median_trials(const replayed *r, gputune_strategy strategy,
                            const gputune_config *starts, int start_count)
{
    double trials[SEEDS];
    for (int i = 0; i < SEEDS; i++)
        trials[i] = search_trials(r, strategy, gputune__mix((uint64_t)i + 1), starts, start_count);
    return gputune_stats_of(trials, SEEDS).median;
}

// Numbers of the samples in the order of a model's predictions; those without one come last.
static void sort_samples(const measured_space *s, int m, int *order)
{
    for (int i = 0; i < s->count; i++) {
        const double mine = s->samples[i].job.predicted[m];
        int k = i;
        while (k > 0 && mine > 0 &&
               !(s->samples[order[k - 1]].job.predicted[m] <= mine)) {
            order[k] = order[k - 1];
            k--;
        }
        order[k] = i;
    }
}

static void order_space(const measured_space *s)
{
    replayed r;
    int *order = (int *)need((size_t)s->count * sizeof *order);
    replay(s, &r);
    row(median_trials(&r, GPUTUNE_STRATEGY_RANDOM, &r.start, 1), "trials", "order_random_%s",
        s->name);
    row(median_trials(&r, GPUTUNE_STRATEGY_AUTO, &r.start, 1), "trials", "order_default_%s",
        s->name);
    for (int m = 0; m < FORMULAS; m++) {
        gputune_config starts[FIRST + 1];
        int predicted = 0, alone = 0;
        for (int i = 0; i < s->count; i++) predicted += s->samples[i].job.predicted[m] > 0;
        if (predicted < FIRST) {
            printf("# %s %s: no order, it predicts %d of %d\n", s->name, model_texts[m].name,
                   predicted, s->count);
            continue;
        }
        sort_samples(s, m, order);
        starts[0] = r.start;
        for (int i = 0; i < FIRST; i++) starts[i + 1] = r.configs[order[i]];
        row(median_trials(&r, GPUTUNE_STRATEGY_AUTO, starts, FIRST + 1), "trials",
            "order_first_%s_%s", s->name, model_texts[m].name);
        while (alone < s->count && !(s->samples[order[alone]].seconds <= 1.05 * r.best)) alone++;
        row(fmin(alone + 1, s->count), "trials", "order_only_%s_%s", s->name, model_texts[m].name);
    }
    gputune_space_destroy(r.space);
    free(r.seconds);
    free(r.configs);
    free(r.order);
    free(order);
}

// --- the three spaces ---

static void make_space_stencil(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    case_add_random(data, n * n);
    case_add_output(data, n * n);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = (double)n * (double)n;
}

static double expected_stencil(const case_data *data, size_t i, double *magnitude)
{
    work w;
    memset(&w, 0, sizeof w);
    w.n = data->size[0];
    w.host[0] = data->buffers[0].host;
    return expect_stencil(&w, i, magnitude);
}

static const example_case stencil_case = { "stencil", stencil_file, "model_stencil", NULL,
                                           "Gpoints/s", 1e-6, { 512, 0, 0 }, { 4096, 0, 0 },
                                           make_space_stencil, expected_stencil };

typedef struct space_kind {
    const char *name;
    int small[3], large[3];
    void (*describe)(const measured_space *, const gputune_config *, job *, ptx_known *);
} space_kind;

static const space_kind spaces[] = {
    { "sgemm", { 128, 128, 128 }, { 2048, 2048, 2048 }, describe_sgemm },
    { "convolution", { 128, 128, 7 }, { 4096, 4096, 7 }, describe_convolution },
    { "stencil", { 256, 0, 0 }, { 4096, 0, 0 }, describe_stencil },
};

static void bench_space(bench *b, const space_kind *kind, double seconds, int configurations)
{
    const example_case *known = case_find(kind->name);
    gputune_kernel_desc desc;
    char why[256] = "";
    measured_space s;
    memset(&s, 0, sizeof s);
    if (!known) known = &stencil_case;
    s.b = b;
    s.name = kind->name;
    s.function = known->kernel;
    s.describe = kind->describe;
    if (!case_make(&s.data, known, b->device, b->f.is_gpu ? kind->large : kind->small, 1))
        fail(kind->name, gputune_device_error(b->device)->text);
    desc = case_desc(known);
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.seed = 1;
    desc.tune.budget.trials = configurations;
    desc.tune.budget.seconds = seconds;
    desc.tune.progress = only_search;
    s.kernel = gputune_kernel_create(b->device, &desc);
    measure_space(&s, seconds, configurations);
    if (!case_reset(&s.data) ||
        gputune_kernel_launch(s.kernel, &s.samples[0].config, s.data.args, s.data.arg_count) !=
            GPUTUNE_OK)
        fail(kind->name, gputune_kernel_error(s.kernel)->text);
    if (!case_check(&s.data, 2000, why, sizeof why)) fail("wrong output", why);
    predict_space(&s, seconds / 2); // at most
    rank_space(&s);
    order_space(&s);
    for (int i = 0; i < s.count; i++) free(s.samples[i].text);
    free(s.samples);
    gputune_kernel_destroy(s.kernel);
    case_free(&s.data);
}

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
    for (size_t i = 0; i < b->index_count; i++) index[i] = (uint32_t)(gputune__mix(i + 1) >> 32);
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
    measure(&b);
    find_ptx(&b);
    if (!b.has_ptx) printf("# no PTX: %s\n", b.ptx_missing);
    if (all || strcmp(part, "kernels") == 0) bench_kernels(&b);
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (every || strcmp(part, spaces[i].name) == 0)
            bench_space(&b, &spaces[i], seconds, configurations);
    row(now() - begin, "s", "seconds");
    for (int i = 0; i < KERNELS_CACHED; i++) gputune_kernel_destroy(b.kernels[i].kernel);
    gputune_buffer_destroy(b.device, b.in);
    gputune_buffer_destroy(b.device, b.out);
    gputune_buffer_destroy(b.device, b.index);
    gputune_device_destroy(b.device);
    return 0;
}
