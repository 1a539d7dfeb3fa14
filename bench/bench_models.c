// Seven performance models put to the test (bench/models.h): what each predicts of a matrix
// product, naive and in tiles, beside what is measured. A beginning of the paper's comparison.
//
//     sh bench/run.sh models [cuda|opencl|pocl] [SIZES]      SIZES: how many of the sizes (6)
//
// Inputs come from the micro-benchmarks of bench/kernels/models.cl, least of 7 launches; a cycle is
// a nanosecond, for OpenCL has no clock. On a GPU counts of a work-item are those of the PTX that
// NVRTC makes, else, or without NVRTC, those of the source (the machine code reads local memory
// less often than both). Registers are taken as 32, loads as served by the last cache where all
// three matrices fit into 0.7 of it, else by memory. On a processor a multiprocessor is a core that
// runs one group at a time, and a warp 32 work-items: nothing there is what these models are about,
// and the errors say so. The two that learn are asked about each size but the ends, knowing all the
// others.
//
//   INPUT                          what was measured: ns, GB/s, operations a ns
//   ptx_C_K                        instructions of a work-item in PTX, n = 256, tiles of 16
//   measured_us_K_N                least of 7 launches of kernel K (naive, tiled; tiles of 16)
//   predicted_us_M_K_N, error_M_K_N    model M: microseconds; (predicted - measured) / measured
//   bound_M_K_N                    its hint, where it gives one
//   mape_M, bias_M, tau_M, regret_M    of all kernels, tiles (4 or 8 to 32) and sizes: see
//                                  models_score; tau and regret are the means over the sizes
//   coverage_M                     the part of them that it predicted
#define _POSIX_C_SOURCE 200809L // unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "device.h"
#include "models.h"
#include "ptx.h"

#include <stdarg.h>

enum { LAUNCHES = 7, WARP_COUNTS = 6, FOOTPRINTS = 6, SIZES = 6, TILES = 4, LEARNED = 5 };
enum { ROWS = SIZES * TILES * 2 };

static const double warp_counts[WARP_COUNTS] = { 1, 2, 4, 8, 16, 32 };
static const int small_sizes[SIZES] = { 64, 96, 128, 192, 256, 384 };
static const int large_sizes[SIZES] = { 256, 384, 512, 1024, 2048, 4096 };

typedef enum model { MWP_CWP, MWP_CWP_PLUS, QRQW, QUANTITATIVE, WFG, PMAC, EIGER, STARGAZER } model;
enum { MODELS = STARGAZER + 1 };

static const char *const model_names[MODELS] = { "mwp_cwp", "mwp_cwp_plus", "qrqw", "quantitative",
                                                 "wfg",     "pmac",         "eiger", "stargazer" };

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

// --- launches ---

// Seconds of a configuration ("WARPS=4") of a kernel of bench/kernels/models.cl, the least.
static double seconds_of(gputune_device *device, const char *name, const char *config,
                         const gputune_arg *args, int count)
{
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    const gputune_space *space;
    gputune_config values;
    gputune_stats stats;
    memset(&desc, 0, sizeof desc);
    desc.file = "bench/kernels/models.cl";
    desc.name = name;
    kernel = gputune_kernel_create(device, &desc);
    space = gputune_kernel_space(kernel, args, count);
    if (!space) fail(name, gputune_kernel_error(kernel)->text);
    if (!gputune_config_parse(space, config, &values)) fail(name, config);
    if (gputune_kernel_time(kernel, &values, args, count, LAUNCHES, &stats) != GPUTUNE_OK)
        fail(name, gputune_kernel_error(kernel)->text);
    gputune_kernel_destroy(kernel);
    return stats.min;
}

// --- what the device can do ---

typedef struct figures {
    double units, launch;                          // seconds of a launch that does nothing
    double fma_latency, local_latency, latency, cache_latency; // ns
    double fma[WARP_COUNTS], integer[WARP_COUNTS]; // warps' operations a ns of one unit, by warps
    double local[WARP_COUNTS], global[WARP_COUNTS], cached[WARP_COUNTS]; // accesses; bytes a ns
    double peak, delay;                            // warps' fma a ns; ns between requests
    double barrier;                                // ns, of a group of 8 warps
    double cache;                                  // bytes
    double footprint[FOOTPRINTS], bandwidth[FOOTPRINTS]; // log2 of bytes; log2 of bytes a second
    pmac_curve stream;
} figures;

typedef struct bench {
    gputune_device *device;
    gputune_cuda__nvrtc nvrtc;
    bool has_nvrtc;
    void *in, *out;
    size_t in_bytes, out_bytes;
    figures f;
} bench;

static double micro(bench *b, const char *name, double warps, int chains, int groups, int loops)
{
    const gputune_arg out = gputune_out(b->out, b->out_bytes);
    const gputune_arg numbers[] = { gputune_float(0.999), gputune_float(0.5), gputune_int(3),
                                    gputune_int(7), gputune_int(32) };
    gputune_arg args[5];
    char config[64];
    int count = 0;
    args[count++] = out;
    args[count++] = gputune_int(loops);
    if (strcmp(name, "model_fma") == 0) {
        args[count++] = numbers[0];
        args[count++] = numbers[1];
    } else if (strcmp(name, "model_int") == 0) {
        args[count++] = numbers[2];
        args[count++] = numbers[3];
    } else if (strcmp(name, "model_barrier") != 0) {
        args[count++] = numbers[4];
    }
    if (strcmp(name, "model_local_chase") != 0) args[count++] = gputune_number("groups", groups);
    snprintf(config, sizeof config, "WARPS=%g CHAINS=%d", warps, chains);
    return seconds_of(b->device, name, config, args, count);
}

// Nanoseconds of one more loop: that many less those of few, so that the launch does not count.
static double loop_ns(bench *b, const char *name, double warps, int chains, int loops)
{
    const int groups = (int)b->f.units;
    const double few = micro(b, name, warps, chains, groups, loops / 8);
    const double many = micro(b, name, warps, chains, groups, loops);
    return 1e9 * fmax(many - few, 1e-12) / (loops - loops / 8);
}

// Bytes a ns that such groups read of a footprint.
static double read_rate(bench *b, double warps, int groups, double footprint)
{
    const double items = 32 * warps * groups;
    const int count = (int)fmax(1, footprint / 64 / items);
    const gputune_arg args[] = { gputune_out(b->out, b->out_bytes), gputune_in(b->in, b->in_bytes),
                                 gputune_int(count), gputune_number("groups", groups) };
    char config[32];
    snprintf(config, sizeof config, "WARPS=%g TOGETHER=%d", warps,
             !gputune_device_limits(b->device)->is_gpu);
    return 64 * items * count /
           (1e9 * fmax(1e-9, seconds_of(b->device, "model_read", config, args, 4) - b->f.launch));
}

// Nanoseconds of a load that needs the one before, in so many bytes: a walk through all of them in
// an order drawn at random (Sattolo).
static double chase_ns(bench *b, double footprint)
{
    const uint32_t count = (uint32_t)(footprint / 4);
    const int steps = 1 << 17;
    uint32_t *next = (uint32_t *)malloc((size_t)count * 4);
    uint64_t random = 1;
    gputune_arg args[3];
    void *buffer;
    double few, many;
    if (!next) fail("chase", "out of memory");
    for (uint32_t i = 0; i < count; i++) next[i] = i;
    for (uint32_t i = count - 1; i > 0; i--) {
        const uint32_t j = (uint32_t)gputune__random_below(&random, i), kept = next[i];
        next[i] = next[j];
        next[j] = kept;
    }
    buffer = gputune_buffer_create(b->device, (size_t)count * 4, next);
    if (!buffer) fail("chase", gputune_device_error(b->device)->text);
    args[0] = gputune_out(b->out, b->out_bytes);
    args[1] = gputune_in(buffer, (size_t)count * 4);
    args[2] = gputune_int(steps / 8);
    few = seconds_of(b->device, "model_chase", "", args, 3);
    args[2] = gputune_int(steps);
    many = seconds_of(b->device, "model_chase", "", args, 3);
    gputune_buffer_destroy(b->device, buffer);
    free(next);
    return 1e9 * (many - few) / (steps - steps / 8);
}

static void measure(bench *b)
{
    figures *f = &b->f;
    const gputune_limits *limits = gputune_device_limits(b->device);
    double size = 1 << 18;
    f->units = fmax(1, (double)limits->compute_units);
    f->cache = limits->cache_bytes > 0 ? (double)limits->cache_bytes : 1e6;
    f->launch = micro(b, "model_fma", 1, 1, (int)f->units, 0);
    f->fma_latency = loop_ns(b, "model_fma", 1, 1, 1 << 14) / 64;
    f->local_latency = loop_ns(b, "model_local_chase", 1, 1, 1 << 17);
    f->latency = chase_ns(b, fmin(4 * f->cache, (double)b->in_bytes));
    f->cache_latency = chase_ns(b, 0.3 * f->cache);
    f->barrier = loop_ns(b, "model_barrier", 8, 1, 1 << 10) / 16;
    for (int w = 0; w < WARP_COUNTS; w++) {
        const double warps = warp_counts[w];
        const int units = (int)f->units;
        f->fma[w] = 64 * warps / loop_ns(b, "model_fma", warps, 1, 1 << 12);
        f->integer[w] = 64 * warps / loop_ns(b, "model_int", warps, 1, 1 << 12);
        f->local[w] = 16 * warps / loop_ns(b, "model_local", warps, 1, 1 << 12);
        f->global[w] = read_rate(b, warps, units, (double)b->in_bytes) / f->units;
        f->cached[w] = read_rate(b, warps, units, 0.3 * f->cache) / f->units;
    }
    f->peak = 64 * 4 * 32 / loop_ns(b, "model_fma", 32, 4, 1 << 12);
    f->delay = 128 / read_rate(b, 32, 1, 0.3 * f->cache);
    for (int i = 0; i < FOOTPRINTS; i++, size *= 4) {
        f->footprint[i] = log2(fmin(size, (double)b->in_bytes));
        f->bandwidth[i] = log2(1e9 * read_rate(b, 32, 4 * (int)f->units, exp2(f->footprint[i])));
    }
    if (!pmac_fit(f->footprint, f->bandwidth, FOOTPRINTS, &f->stream)) fail("pmac", "no curve");
    row(f->units, "cores", "units");
    row(1e6 * f->launch, "us", "launch");
    row(f->fma_latency, "ns", "fma_latency");
    row(f->local_latency, "ns", "local_latency");
    row(f->latency, "ns", "memory_latency");
    row(f->cache_latency, "ns", "cache_latency");
    row(f->barrier, "ns", "barrier");
    row(f->delay, "ns", "request_delay");
    row(f->peak, "warps/ns", "fma_peak");
    row(f->fma[WARP_COUNTS - 1], "warps/ns", "fma_32_warps");
    row(f->integer[WARP_COUNTS - 1], "warps/ns", "integer_32_warps");
    row(f->local[WARP_COUNTS - 1], "warps/ns", "local_32_warps");
    row(f->global[WARP_COUNTS - 1] * f->units, "GB/s", "memory_bandwidth");
    row(f->cached[WARP_COUNTS - 1] * f->units, "GB/s", "cache_bandwidth");
}

// --- compiled code ---

// The PTX of CUDA C, to be freed.
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
    if (b->nvrtc.nvrtcCreateProgram(&program, text, "models.cl", 0, NULL, NULL) != NVRTC_SUCCESS ||
        b->nvrtc.nvrtcCompileProgram(program, 3, options) != NVRTC_SUCCESS ||
        b->nvrtc.nvrtcGetPTXSize(program, &size) != NVRTC_SUCCESS ||
        !(ptx = (char *)malloc(size)) || b->nvrtc.nvrtcGetPTX(program, ptx) != NVRTC_SUCCESS)
        fail("NVRTC", "cannot compile bench/kernels/models.cl");
    b->nvrtc.nvrtcDestroyProgram(&program);
    return ptx;
}

// Puts the driver's prelude in front and converts where the device takes OpenCL C.
static char *compile_kernel(bench *b, const char *name, int n, int tile)
{
    const gputune_arg args[] = { gputune_int(n), gputune_in(b->in, 4 * (size_t)n * (size_t)n),
                                 gputune_in(b->in, 4 * (size_t)n * (size_t)n),
                                 gputune_out(b->out, 4 * (size_t)n * (size_t)n) };
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_config values;
    const gputune_space *space;
    const char *text;
    char config[32], *out = NULL, *prelude = NULL, *ptx;
    gputune_error error;
    memset(&desc, 0, sizeof desc);
    desc.file = "bench/kernels/models.cl";
    desc.name = name;
    kernel = gputune_kernel_create(b->device, &desc);
    space = gputune_kernel_space(kernel, args, 4);
    snprintf(config, sizeof config, "TILE=%d", tile);
    if (!space || !gputune_config_parse(space, config, &values) ||
        !(text = gputune_kernel_source(kernel, &values)))
        fail(name, gputune_kernel_error(kernel)->text);
    if (!b->device->driver.prelude) {
        prelude = gputune_cuda__prelude(NULL);
        if (gputune__source_to_cuda(&kernel->base, text, name, prelude, &out, &error) !=
            GPUTUNE_OK)
            fail(name, error.text);
    }
    ptx = compile(b, out ? out : text);
    gputune__arr_free(&kernel->base, out);
    gputune_reallocate(NULL, prelude, 0);
    gputune_kernel_destroy(kernel);
    return ptx;
}

// Of a work-item. The loop with most multiplications runs as often as makes n of them; the one
// around it once for each tile; the others are what is left over by unrolling, and nothing is. Such
// a rest of one tile that stands outside of loops is counted, though it never runs.
static ptx_work count_ptx(bench *b, const char *name, int n, int tile)
{
    char *ptx = compile_kernel(b, name, n, tile), entry[64];
    double trips[PTX_LOOPS] = { 0.0 };
    ptx_kernel kernel;
    ptx_work work;
    int most = 1, outer;
    snprintf(entry, sizeof entry, "gputune_kernel_%s", name);
    kernel = ptx_read(ptx, entry);
    if (kernel.missing || kernel.loops < 2) fail(name, "PTX without a loop");
    for (int l = 2; l < kernel.loops; l++)
        if (kernel.loop[l].work.count[PTX_FMA] > kernel.loop[most].work.count[PTX_FMA]) most = l;
    outer = kernel.loop[most].parent;
    trips[most - 1] = n / kernel.loop[most].work.count[PTX_FMA];
    if (outer > 0) {
        trips[outer - 1] = (double)n / tile;
        trips[most - 1] /= trips[outer - 1];
    }
    work = ptx_count(&kernel, trips);
    if (work.missing || work.count[PTX_FMA] < n || work.count[PTX_FMA] > n + tile)
        fail(name, "PTX is not understood");
    free(ptx);
    return work;
}

static void print_ptx(bench *b)
{
    static const struct {
        ptx_class what;
        const char *name;
    } classes[] = { { PTX_FMA, "fma" },
                    { PTX_INTEGER, "integer" },
                    { PTX_GLOBAL_LOAD, "global_loads" },
                    { PTX_SHARED_LOAD, "shared_loads" },
                    { PTX_SHARED_STORE, "shared_stores" },
                    { PTX_BRANCH, "branches" },
                    { PTX_BARRIER, "barriers" } };
    for (int tiled = 0; tiled < 2; tiled++) {
        const ptx_work work = count_ptx(b, tiled ? "mm_tiled" : "mm_naive", 256, 16);
        for (size_t c = 0; c < sizeof classes / sizeof *classes; c++)
            row(work.count[classes[c].what], "a work-item", "ptx_%s_%s", classes[c].name,
                tiled ? "tiled" : "naive");
    }
}

// --- a matrix product ---

typedef struct job {
    bool tiled;
    double n, tile, groups, warps, active;          // warps of a group; groups of a unit
    double fma, integer, local, requests, barriers; // of a warp
    double bytes;                                   // of a request, in sectors of 32
    double measured, predicted[MODELS];             // seconds
    const char *bound[MODELS];
} job;

static job make_job(bench *b, bool tiled, int n, int tile)
{
    const gputune_limits *limits = gputune_device_limits(b->device);
    job j;
    const double rows = fmax(1, 32.0 / tile), wide = fmax(32, 4.0 * fmin(tile, 32));
    memset(&j, 0, sizeof j);
    j.tiled = tiled;
    j.n = n;
    j.tile = tile;
    j.groups = j.n / tile * (j.n / tile);
    j.warps = ceil(tile * tile / 32.0);
    j.active = 1;
    if (limits->is_gpu) {
        const gputune_occupancy o = gputune_occupancy_of(
            (int)limits->compute_capability, tile * tile, 32, tiled ? 8 * tile * tile : 0);
        if (o.active_groups < 1) fail("occupancy", o.text);
        j.active = o.active_groups;
    }
    j.fma = n;
    if (tiled) {
        const double tiles = j.n / tile;
        j.local = 2 * j.n + 2 * tiles;
        j.requests = 2 * tiles + 1;
        j.barriers = 2 * tiles;
        j.integer = 8 * tiles;
        j.bytes = rows * wide; // rows of the matrices
    } else {
        j.requests = 2 * j.n + 1;
        j.integer = j.n;
        j.bytes = (rows * 32 + wide) / 2; // a number of A for each row, of B the same for all
    }
    if (limits->is_gpu && b->has_nvrtc) {
        const ptx_work work = count_ptx(b, tiled ? "mm_tiled" : "mm_naive", n, tile);
        j.integer = work.count[PTX_INTEGER] + work.count[PTX_BRANCH];
        j.local = work.count[PTX_SHARED_LOAD] + work.count[PTX_SHARED_STORE];
        j.requests = work.count[PTX_GLOBAL_LOAD] + work.count[PTX_GLOBAL_STORE];
        j.barriers = work.count[PTX_BARRIER];
    }
    return j;
}

static bool in_cache(const bench *b, const job *j)
{
    return 12 * j->n * j->n < 0.7 * b->f.cache;
}

static models_table table(const double *rates)
{
    const models_table t = { warp_counts, rates, WARP_COUNTS };
    return t;
}

static void keep(job *j, model m, models_prediction p)
{
    if (p.missing) fprintf(stderr, "%s has no %s\n", model_names[m], p.missing);
    j->predicted[m] = p.seconds;
    j->bound[m] = p.bound;
}

static void predict_by_mwp_cwp(const bench *b, job *j)
{
    const figures *f = &b->f;
    const bool cached = in_cache(b, j);
    const double *rates = cached ? f->cached : f->global;
    mwp_cwp_in in;
    mwp_cwp_plus_in plus;
    memset(&in, 0, sizeof in);
    in.clock = 1;
    in.multiprocessors = f->units;
    in.bandwidth = rates[WARP_COUNTS - 1] * f->units;
    in.latency = cached ? f->cache_latency : f->latency;
    in.delay_coalesced = f->delay;
    in.issue = 1 / f->peak;
    in.compute = j->fma + j->integer + j->local + j->barriers;
    in.coalesced = j->requests;
    in.barriers = j->barriers;
    in.bytes = j->bytes;
    in.group_size = j->tile * j->tile;
    in.groups = j->groups;
    in.active_groups = j->active;
    in.corrected = true;
    keep(j, MWP_CWP, mwp_cwp(&in).prediction);
    memset(&plus, 0, sizeof plus);
    plus.clock = 1;
    plus.multiprocessors = fmin(f->units, j->groups);
    plus.arithmetic_latency = f->fma_latency;
    plus.lanes = 1 / f->peak;
    plus.memory_latency = f->latency;
    plus.hit_latency = cached ? f->cache_latency : 0;
    plus.miss = cached ? 0 : 1;
    plus.delay = f->delay;
    plus.mwp_peak = fmax(1, in.bandwidth * in.latency / (in.bytes * in.multiprocessors));
    plus.warps = j->active * j->warps;
    plus.all_warps = j->groups * j->warps;
    plus.instructions = in.compute + j->requests;
    plus.requests = j->requests;
    plus.transactions = plus.parallel = plus.parallel_requests = 1;
    plus.serial = j->barriers * f->barrier * j->groups / plus.multiprocessors;
    keep(j, MWP_CWP_PLUS, mwp_cwp_plus(&plus).prediction);
}

static void predict_by_qrqw(const bench *b, job *j)
{
    const figures *f = &b->f;
    qrqw_in in;
    memset(&in, 0, sizeof in);
    in.clock = 1e9;
    in.multiprocessors = f->units;
    in.depth = f->fma_latency;
    in.lanes = 32 * f->peak;
    in.global_latency = in_cache(b, j) ? f->cache_latency : f->latency;
    in.local_latency = f->local_latency;
    in.groups = j->groups;
    in.group_warps = j->warps;
    in.compute = j->fma + j->integer;
    in.global = j->requests;
    in.local = j->local;
    in.local_queue = 1;
    keep(j, QRQW, qrqw(&in).prediction);
}

static void predict_by_quantities(const bench *b, job *j)
{
    const figures *f = &b->f;
    const double tiles = j->n / j->tile;
    zhang_owens_phase phases[2 * 128 + 1];
    zhang_owens_in in;
    int count = 0;
    memset(&in, 0, sizeof in);
    memset(phases, 0, sizeof phases);
    if (j->tiled && tiles <= 128) { // loading, computing; the product at the end
        for (int t = 0; t < (int)tiles; t++) {
            phases[count].instructions[1] = j->integer / tiles;
            phases[count].local = 2;
            phases[count++].bytes = 2 * j->bytes;
            phases[count].instructions[0] = j->tile;
            phases[count++].local = j->local / tiles - 2;
        }
        phases[count++].bytes = j->bytes;
    } else {
        phases[0].instructions[0] = j->fma;
        phases[0].instructions[1] = j->integer;
        phases[0].local = j->local;
        phases[count++].bytes = j->requests * j->bytes;
    }
    in.clock = 1e9;
    in.multiprocessors = f->units;
    in.groups = j->groups;
    in.group_warps = j->warps;
    in.active_groups = j->active;
    in.rate[0] = table(f->fma);
    in.rate[1] = table(f->integer);
    in.local_rate = table(f->local);
    in.global_rate = table(in_cache(b, j) ? f->cached : f->global);
    in.phases = phases;
    in.phase_count = count;
    keep(j, QUANTITATIVE, zhang_owens(&in).prediction);
}

static void predict_by_wfg(const bench *b, job *j)
{
    const figures *f = &b->f;
    const bool cached = in_cache(b, j);
    wfg_node nodes[4];
    wfg_in in;
    const double executions[4] = { j->fma, j->integer, j->local, j->requests };
    const double rates[4] = { f->peak, f->integer[WARP_COUNTS - 1], f->local[WARP_COUNTS - 1],
                              f->local[WARP_COUNTS - 1] };
    memset(&in, 0, sizeof in);
    for (int i = 0; i < 4; i++) {
        nodes[i].executions = executions[i];
        nodes[i].lanes = 32 * rates[i];
        nodes[i].degree = 1;
        nodes[i].bytes = i == 3 ? j->bytes : 0;
    }
    in.clock = 1e9;
    in.multiprocessors = f->units;
    in.latency = cached ? f->cache_latency : f->latency;
    in.bytes_a_cycle = (cached ? f->cached : f->global)[WARP_COUNTS - 1];
    in.lanes = nodes[3].lanes;
    in.pipeline = f->fma_latency;
    in.dependent = j->fma;
    in.barrier = f->barrier;
    in.barriers = j->barriers;
    in.groups = j->groups;
    in.group_warps = j->warps;
    in.active_groups = j->active;
    in.nodes = nodes;
    in.node_count = 4;
    keep(j, WFG, wfg(&in).prediction);
}

static void predict_by_pmac(const bench *b, job *j)
{
    pmac_block blocks[2];
    const double square = j->n * j->n;
    blocks[0].references = 2 * square * (j->tiled ? j->n / j->tile : j->n);
    blocks[1].references = square;
    for (int i = 0; i < 2; i++) {
        blocks[i].size = 4;
        blocks[i].bandwidth = exp2(pmac_bandwidth(&b->f.stream, log2(12 * square)));
    }
    keep(j, PMAC, pmac(blocks, 2, NULL));
}

// Both learn log2 of the nanoseconds: the sizes' times differ by a factor of thousands.
static void predict_by_learning(job *jobs, int count, int size)
{
    double x[ROWS][LEARNED], y[ROWS], asked[LEARNED];
    eiger_model eiger;
    stargazer_model stargazer;
    int rows = 0;
    for (int i = 0; i < count; i++) {
        const job *j = &jobs[i];
        if ((int)j->n == size) continue;
        x[rows][0] = log2(j->n);
        x[rows][1] = j->tiled;
        x[rows][2] = log2(j->tile);
        x[rows][3] = log2(j->groups * j->warps * j->requests * j->bytes);
        x[rows][4] = log2(j->groups * j->warps * (j->fma + j->integer + j->local));
        y[rows++] = log2(1e9 * j->measured);
    }
    eiger = eiger_fit(&x[0][0], y, rows, LEARNED, 0, 0);
    stargazer = stargazer_fit(&x[0][0], y, rows, LEARNED, false);
    for (int i = 0; i < count; i++) {
        job *j = &jobs[i];
        if ((int)j->n != size) continue;
        asked[0] = log2(j->n);
        asked[1] = j->tiled;
        asked[2] = log2(j->tile);
        asked[3] = log2(j->groups * j->warps * j->requests * j->bytes);
        asked[4] = log2(j->groups * j->warps * (j->fma + j->integer + j->local));
        j->predicted[EIGER] = 1e-9 * exp2(eiger_predict(&eiger, asked));
        j->predicted[STARGAZER] = 1e-9 * exp2(stargazer_predict(&stargazer, asked));
        j->bound[EIGER] = j->bound[STARGAZER] = "";
    }
}

// --- all of it ---

static double measure_job(bench *b, const job *j)
{
    const size_t bytes = (size_t)(4 * j->n * j->n);
    const gputune_arg args[] = { gputune_int((int64_t)j->n), gputune_in(b->in, bytes),
                                 gputune_in(b->in, bytes), gputune_out(b->out, bytes) };
    char config[32];
    snprintf(config, sizeof config, "TILE=%g", j->tile);
    return seconds_of(b->device, j->tiled ? "mm_tiled" : "mm_naive", config, args, 4);
}

// Both kernels with all tiles against plain C, at a size of 64.
static void check_products(bench *b, const float *numbers)
{
    enum { N = 64 };
    static float product[N * N];
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.file = "bench/kernels/models.cl";
    for (int tiled = 0; tiled < 2; tiled++)
        for (int tile = 4; tile <= 32; tile *= 2) {
            const gputune_arg args[] = { gputune_int(N), gputune_in(b->in, sizeof product),
                                         gputune_in(b->in, sizeof product),
                                         gputune_out(b->out, sizeof product) };
            gputune_kernel *kernel;
            gputune_config values;
            const gputune_space *space;
            char config[32];
            desc.name = tiled ? "mm_tiled" : "mm_naive";
            kernel = gputune_kernel_create(b->device, &desc);
            space = gputune_kernel_space(kernel, args, 4);
            snprintf(config, sizeof config, "TILE=%d", tile);
            memset(product, 0, sizeof product);
            if (!space || !gputune_config_parse(space, config, &values) ||
                gputune_kernel_launch(kernel, &values, args, 4) != GPUTUNE_OK ||
                gputune_buffer_read(b->device, b->out, 0, product, sizeof product) != GPUTUNE_OK)
                fail(desc.name, gputune_kernel_error(kernel)->text);
            for (int i = 0; i < N * N; i++) {
                double sum = 0.0;
                for (int k = 0; k < N; k++)
                    sum += (double)numbers[i / N * N + k] * (double)numbers[k * N + i % N];
                if (!(fabs((double)product[i] - sum) <= 1e-5 * sum))
                    fail(desc.name, "wrong output");
            }
            gputune_kernel_destroy(kernel);
        }
}

static void print_job(const job *j)
{
    const char *name = j->tiled ? "tiled" : "naive";
    row(1e6 * j->measured, "us", "measured_us_%s_%g", name, j->n);
    for (int m = 0; m < MODELS; m++) {
        if (!(j->predicted[m] > 0)) continue; // not asked
        row(1e6 * j->predicted[m], "us", "predicted_us_%s_%s_%g", model_names[m], name, j->n);
        row(j->predicted[m] / j->measured - 1, "of measured", "error_%s_%s_%g", model_names[m],
            name, j->n);
        if (*j->bound[m])
            printf("result\tbound_%s_%s_%g\t%s\tbound\n", model_names[m], name, j->n, j->bound[m]);
    }
}

// Of those with such a size (0: all) that were predicted; returns how many.
static int score_of(const job *jobs, int count, int size, model m, models_score *score)
{
    double predicted[ROWS], measured[ROWS];
    int rows = 0;
    for (int i = 0; i < count; i++)
        if ((size == 0 || (int)jobs[i].n == size) && jobs[i].predicted[m] > 0) {
            predicted[rows] = jobs[i].predicted[m];
            measured[rows++] = jobs[i].measured;
        }
    *score = models_score_of(predicted, measured, rows);
    return rows;
}

static void print_scores(const job *jobs, int count, const int *sizes, int size_count)
{
    for (int m = 0; m < MODELS; m++) {
        const char *name = model_names[m];
        models_score all, one;
        double tau = 0.0, regret = 0.0, covered = 0.0;
        row(1.0 * score_of(jobs, count, 0, (model)m, &all) / count, "of all", "coverage_%s", name);
        for (int s = 0; s < size_count; s++) {
            if (score_of(jobs, count, sizes[s], (model)m, &one) == 0) continue;
            covered++;
            regret += one.regret;
            if (one.tau >= -1) tau += one.tau; // else it has all alike, which is no order
        }
        row(all.error, "of measured", "mape_%s", name);
        row(all.bias, "x", "bias_%s", name);
        row(tau / covered, "rank correlation", "tau_%s", name);
        row(regret / covered, "of the best", "regret_%s", name);
    }
}

int main(int argc, char **argv)
{
    const int size_count = argc > 2 ? atoi(argv[2]) : SIZES;
    job jobs[ROWS];
    const int *sizes;
    float *numbers;
    gputune_error error;
    bench b;
    int count = 0;
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    memset(&b, 0, sizeof b);
    if (size_count < 4 || size_count > SIZES) fail("sizes", "4 to 6 of them");
    b.device = bench_device(argc > 1 ? argv[1] : "");
    if (!b.device || gputune_device_error(b.device)->result != GPUTUNE_OK)
        fail("device", b.device ? gputune_device_error(b.device)->text : "out of memory");
    fprintf(stderr, "%s\n", gputune_device_limits(b.device)->name);
    sizes = gputune_device_limits(b.device)->is_gpu ? large_sizes : small_sizes;
    b.in_bytes = b.out_bytes = (size_t)256 << 20;
    numbers = (float *)malloc(b.in_bytes);
    if (!numbers) fail("data", "out of memory");
    for (size_t i = 0; i < b.in_bytes / 4; i++) numbers[i] = (float)(i * 2654435761u % 1000) / 999;
    b.in = gputune_buffer_create(b.device, b.in_bytes, numbers);
    b.out = gputune_buffer_create(b.device, b.out_bytes = (size_t)64 << 20, numbers);
    if (!b.in || !b.out) fail("data", gputune_device_error(b.device)->text);
    check_products(&b, numbers);
    free(numbers);
    measure(&b);
    b.has_nvrtc = gputune_cuda__load_nvrtc(&b.nvrtc, NULL, 13000, &error) == GPUTUNE_OK;
    if (b.has_nvrtc) print_ptx(&b);
    else fprintf(stderr, "%s: counts are those of the source\n", error.text);
    for (int s = 0; s < size_count; s++)
        for (int tiled = 0; tiled < 2; tiled++)
            for (int tile = 4; tile <= 32; tile *= 2) {
                job *j = &jobs[count++];
                *j = make_job(&b, tiled, sizes[s], tile);
                j->measured = measure_job(&b, j);
                predict_by_mwp_cwp(&b, j);
                predict_by_qrqw(&b, j);
                predict_by_quantities(&b, j);
                predict_by_wfg(&b, j);
                predict_by_pmac(&b, j);
            }
    for (int s = 1; s < size_count - 1; s++) predict_by_learning(jobs, count, sizes[s]);
    for (int i = 0; i < count; i++)
        if (jobs[i].tile > 15 && jobs[i].tile < 17) print_job(&jobs[i]);
    print_scores(jobs, count, sizes, size_count);
    gputune_buffer_destroy(b.device, b.in);
    gputune_buffer_destroy(b.device, b.out);
    gputune_device_destroy(b.device);
    return 0;
}
