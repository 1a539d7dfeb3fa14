// What gputune costs inside a program that calls the same kernel with ever other sizes, as a server
// of language models does.
//
//     sh bench/run.sh embed [replay|cuda|opencl|pocl] [CALLS [DRAW]]    none: replay and the best
//                                                     OpenCL device; 200 calls, as drawn first (0)
//
// The kernel multiplies a matrix with a batch of vectors. It takes 30 arguments, offsets into one
// buffer for all and strides in bytes among them. Calls are drawn: one of three layers' shapes, a
// batch that is 1 in half of the calls, else up to 64 (40 sizes in all), offsets that are mostly
// multiples of 64 bytes. The store is empty at first, options are as they come. Of each size every
// configuration is timed afterwards, on a device in turn, seven times; the least is the best. Then
// each size is tuned for itself, twice, without a store: what that loses by the same times is the
// device's noise and the tuner's, and that of sizes which share a problem is not in it.
//
// Rows, DEVICE_NAME:
//   calls, sizes       how many, distinct sizes
//   problems           that gputune told apart
//   tunings            searches; taken_over: problems that others' answers served after a trial
//   verifications      of stored and found answers for further classes of calls, and
//   verifying_seconds  what they took
//   seconds_tuning     of both (replay: of its own clock), first_seconds: of the first alone
//   seconds_each       what tuning each size took at that rate, sizes times first_seconds
//   loss               time of all calls with what ran over that with the best of each size - 1
//   shared_loss        what of it is lost at other sizes than that at which the call's problem was
//                      searched or taken over: problems are rounded up to powers of two
//   default_loss       and with the default
//   each_loss, again_loss      and with what the first and the second tuning of each size found
//   loss_to_each       what ran over the mean of those two - 1
//   call_overhead_3_us, _30_us  processor time of gputune_run for a known problem, less that of the
//                      driver's own launch with arguments ready, for 3 and 30 arguments: the least
//                      of 2,001, in turn (of draw 0)
#define _POSIX_C_SOURCE 200809L
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

enum { SIZES = 40, ARGS = 30, TIMES = 7, LAUNCHES = 2001, POOL = 1 << 22, MOST_CALLS = 2000 };

static const char source[] =
    "#pragma gputune erange 16,128,2\n"
    "#define BLOCK 64\n"
    "#pragma gputune set 1,2,4\n"
    "#define ROWS 1\n"
    "#pragma gputune bool\n"
    "#define UNROLL 0\n"
    "#pragma gputune global ceil_div(ne01, ROWS), ne11\n"
    "#pragma gputune local BLOCK, 1\n"
    "__kernel void mul(__global float *pool, ulong offset0, ulong offset1, ulong offsetd,\n"
    "    int ne00, int ne01, int ne02, int ne03, ulong nb00, ulong nb01, ulong nb02,\n"
    "    ulong nb03, int ne10,\n"
    "    int ne11, int ne12, int ne13, ulong nb10, ulong nb11, ulong nb12, ulong nb13, int ne0,\n"
    "    int ne1, ulong nb0, ulong nb1, int r2, int r3, float scale, int past, int mask,\n"
    "    __global float *out)\n"
    "{\n"
    "    const int t = (int)get_global_id(1);\n"
    "    for (int r = 0; r < ROWS; r++) {\n"
    "        const int row = (int)get_global_id(0) * ROWS + r;\n"
    "        float sum = 0;\n"
    "        if (row >= ne01) return;\n"
    "        __global const float *a = pool + (offset0 + (ulong)row * nb01) / 4;\n"
    "        __global const float *b = pool + (offset1 + (ulong)t * nb11) / 4;\n"
    "        int i = 0;\n"
    "        if (UNROLL)\n"
    "            for (; i + 4 <= ne00; i += 4)\n"
    "                sum += a[i] * b[i] + a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2] +\n"
    "                       a[i + 3] * b[i + 3];\n"
    "        for (; i < ne00; i++) sum += a[i] * b[i];\n"
    "        out[offsetd / 4 + (ulong)t * ne0 + row] = sum * scale;\n"
    "    }\n"
    "}\n";

static const char small_source[] =
    "#pragma gputune set 32,64\n#define BLOCK 32\n"
    "#pragma gputune global n\n#pragma gputune local BLOCK\n"
    "__kernel void small(int n, float a, __global float *x)\n"
    "{ if ((int)get_global_id(0) < n) x[get_global_id(0)] = a; }\n";

typedef struct size {
    int length, rows, batch;
    double seconds[64]; // by configuration
    int calls, each[2]; // configurations that tuning it found
} size;

typedef struct embed {
    const char *name;
    gputune_device *device;
    gputune_kernel *kernel;
    bool replay;
    void *pool, *out;
    float *host_pool, *host_out;
    size sizes[SIZES];
    int order[MOST_CALLS], count, draw;
    uint64_t random;
    const size *now;
} embed;

static void fail(const char *what, const gputune_error *error)
{
    fprintf(stderr, "bench_embed: %s: %s\n", what, error ? error->text : "");
    exit(1);
}

static void row(const embed *e, const char *name, double value, const char *unit)
{
    printf("result\t%s_%s\t%.4g\t%s\n", e->name, name, value, unit);
    fflush(stdout);
}

// A processor-like device of 64 lanes: groups cost, few groups leave lanes idle, unrolling helps
// long rows.
static double model(const size *s, const gputune_config *config)
{
    const double block = (double)gputune_config_int(config, "BLOCK");
    const double rows = (double)gputune_config_int(config, "ROWS");
    const bool unroll = gputune_config_int(config, "UNROLL") != 0;
    const double groups = ceil(ceil(s->rows / rows) / block) * s->batch;
    const double item = rows * s->length * (unroll ? 0.8 : 1) + (unroll ? 40 : 0) + 60 / rows;
    return 1e-5 + 1e-9 * item * block * ceil(groups / 64) * (1 + 0.1 * fabs(log2(block) - 5)) / 4;
}

static void replay_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const size *now = ((const embed *)user)->now;
    trial->seconds = now ? model(now, config) : 1e-5;
    trial->compile_seconds = 0.1;
}

static void make_args(const embed *e, const size *s, int offset, gputune_arg *args)
{
    const int64_t l = s->length, r = s->rows, b = s->batch;
    const int64_t values[] = { 4 * l * r + offset, 0, l, r, 1, 1, 4, 4 * l, 4 * l * r, 4 * l * r,
                               l, b, 1, 1, 4, 4 * l, 4 * l * b, 4 * l * b, r, b, 4, 4 * r, 1, 1 };
    int n = 0;
    args[n++] = gputune_in(e->pool, POOL);
    args[n++] = gputune_int(0);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) args[n++] = gputune_int(values[i]);
    args[n++] = gputune_float(0.5);
    args[n++] = gputune_int(offset / 4);
    args[n++] = gputune_int(0);
    args[n++] = gputune_out(e->out, POOL / 16);
    if (n != ARGS) fail("arguments", NULL);
}

static void draw_sizes(embed *e)
{
    static const int shapes[3][2] = { { 256, 256 }, { 256, 704 }, { 704, 256 } };
    e->random = 20261127 + (uint64_t)e->draw;
    for (int i = 0; i < SIZES; i++) {
        size *s = &e->sizes[i];
        bool known = true;
        while (known) {
            const int *shape = shapes[gt__random_below(&e->random, 3)];
            s->length = shape[0];
            s->rows = shape[1];
            s->batch = i < 3 ? 1 : 2 + (int)gt__random_below(&e->random, 63);
            if (i < 3) s->length = shapes[i][0], s->rows = shapes[i][1];
            known = false;
            for (int j = 0; j < i; j++)
                known = known || (e->sizes[j].length == s->length && e->sizes[j].rows == s->rows &&
                                  e->sizes[j].batch == s->batch);
        }
    }
    for (int i = 0; i < e->count; i++) // all occur; half of the calls are batches of 1
        e->order[i] = (int)(gt__random_below(&e->random, 2)
                                ? gt__random_below(&e->random, 3)
                                : 3 + gt__random_below(&e->random, SIZES - 3));
}

static void open_device(embed *e, const char *store)
{
    gputune_options options = { .store = store, .mode = GPUTUNE_MODE_ON,
                                .tuning_seconds = 1e6 }; // further problems do not wait
    if (e->replay) {
        e->device = gputune_replay_device_create(&(gputune_replay_desc){
            .options = options, .trial = replay_trial, .user = e, .limits = { .name = "lanes" } });
    } else if (strcmp(e->name, "cuda") == 0) {
        e->device = gputune_cuda_device_create(&(gputune_cuda_desc){ .options = options });
    } else {
        e->device = gputune_cl_device_create(&(gputune_cl_desc){ .options = options,
            .platform = strcmp(e->name, "pocl") == 0 ? "Portable Computing Language" : NULL,
            .type = strcmp(e->name, "opencl") == 0 ? CL_DEVICE_TYPE_GPU : 0 });
    }
    if (!e->device || gputune_device_error(e->device)->result)
        fail("device", gputune_device_error(e->device));
    e->pool = gputune_buffer_create(e->device, POOL, e->host_pool);
    e->out = gputune_buffer_create(e->device, POOL / 16, NULL);
}

static void close_device(embed *e)
{
    gputune_buffer_destroy(e->device, e->pool);
    gputune_buffer_destroy(e->device, e->out);
    gputune_device_destroy(e->device);
}

// Times every configuration of each size, in turn.
static void time_all(embed *e)
{
    static double samples[SIZES][64][TIMES];
    const int times = e->replay ? 1 : TIMES;
    const int count = (int)gputune_space_count(e->kernel->space);
    gputune_arg args[ARGS];
    gputune_stats stats;
    for (int t = 0; t < times; t++)
        for (int c = 0; c < count; c++)
            for (int i = 0; i < SIZES; i++) {
                const gputune_config config = gputune_space_at(e->kernel->space, (uint64_t)c);
                e->now = &e->sizes[i];
                if (!e->now->calls) continue;
                make_args(e, e->now, 0, args);
                if (gputune_kernel_time(e->kernel, &config, args, ARGS, 3, &stats))
                    fail("timing", gputune_kernel_error(e->kernel));
                samples[i][c][t] = stats.median;
            }
    for (int i = 0; i < SIZES; i++)
        for (int c = 0; c < count && e->sizes[i].calls; c++)
            e->sizes[i].seconds[c] = gputune_stats_of(samples[i][c], times).median;
}

// Tunes every size for itself.
static void tune_each(embed *e, int turn)
{
    gputune_arg args[ARGS];
    uint64_t index = 0;
    gputune_kernel *k = gputune_kernel_create(
        e->device, &(gputune_kernel_desc){ .source = source, .name = "mul",
                                           .tune = { .problem = "exact", .refine = INT_MAX } });
    for (int i = 0; i < SIZES; i++) {
        e->now = &e->sizes[i];
        if (!e->now->calls) continue;
        make_args(e, e->now, 0, args);
        if (gputune_run(k, args, ARGS)) fail("run", gputune_kernel_error(k));
        gputune_space_index(gputune_kernel_space(k, args, ARGS),
                            &gputune_kernel_outcome(k)->config, &index);
        e->sizes[i].each[turn] = (int)index;
    }
    gputune_kernel_destroy(k);
}

static void serve(embed *e, const char *store)
{
    gputune_arg args[ARGS];
    double tuning = 0, first = 0, ran = 0, best = 0, standard = 0, shared = 0, each[2] = { 0 };
    int settled_at[MOST_CALLS]; // of each problem the size
    bool shares[MOST_CALLS];    // of each call: is it another one?
    int tunings = 0, taken = 0, sizes = 0, verifications = 0;
    double verifying = 0;
    uint64_t index, plain = 0;
    open_device(e, store);
    e->kernel = gputune_kernel_create(
        e->device, &(gputune_kernel_desc){ .source = source, .name = "mul" });
    int *chosen = (int *)calloc((size_t)e->count, sizeof *chosen);
    for (int i = 0; i < e->count; i++) {
        size *s = &e->sizes[e->order[i]];
        const int offset = gt__random_below(&e->random, 20)
                               ? 64 * (int)gt__random_below(&e->random, 100)
                               : 4 * (int)gt__random_below(&e->random, 1000);
        const int problems = gt__len(e->kernel->problems);
        const double spent = e->kernel->answers->spent;
        e->now = s;
        make_args(e, s, offset, args);
        if (gputune_run(e->kernel, args, ARGS)) fail("run", gputune_kernel_error(e->kernel));
        const gputune_outcome *o = gputune_kernel_outcome(e->kernel);
        if (gt__len(e->kernel->problems) > problems && o->origin == GPUTUNE_FROM_TUNING) {
            if (strstr(o->note, "taken over")) taken++;
            else tunings++;
            tuning += o->seconds;
            if (!problems) first = o->seconds;
        }
        if (gt__len(e->kernel->problems) == problems && e->kernel->answers->spent > spent) {
            verifications++;
            verifying += e->kernel->answers->spent - spent;
        }
        gputune_space_index(gputune_kernel_space(e->kernel, args, ARGS), &o->config, &index);
        chosen[i] = (int)index;
        int at = 0;
        while (e->kernel->problems[at] != e->kernel->last) at++;
        if (at >= problems) settled_at[at] = e->order[i];
        shares[i] = settled_at[at] != e->order[i];
        sizes += s->calls++ == 0;
    }
    row(e, "calls", e->count, "count");
    row(e, "sizes", sizes, "count");
    row(e, "problems", gt__len(e->kernel->problems), "count");
    row(e, "tunings", tunings, "count");
    row(e, "taken_over", taken, "count");
    row(e, "verifications", verifications, "count");
    row(e, "verifying_seconds", verifying, "s");
    row(e, "seconds_tuning", tuning, "s");
    row(e, "first_seconds", first, "s");
    row(e, "seconds_each", first * sizes, "s");
    time_all(e);
    const gputune_config config = gputune_space_default(e->kernel->space);
    gputune_space_index(e->kernel->space, &config, &plain);
    gputune_kernel_destroy(e->kernel);
    close_device(e);
    open_device(e, "");
    for (int turn = 0; turn < 2; turn++) tune_each(e, turn);
    for (int i = 0; i < e->count; i++) {
        const size *s = &e->sizes[e->order[i]];
        double least = HUGE_VAL;
        for (int c = 0; c < 64 && s->seconds[c] > 0; c++) least = fmin(least, s->seconds[c]);
        ran += s->seconds[chosen[i]];
        best += least;
        shared += shares[i] ? s->seconds[chosen[i]] - least : 0;
        standard += s->seconds[plain];
        for (int turn = 0; turn < 2; turn++) each[turn] += s->seconds[s->each[turn]];
    }
    row(e, "loss", ran / best - 1, "rate");
    row(e, "shared_loss", shared / best, "rate");
    row(e, "default_loss", standard / best - 1, "rate");
    row(e, "each_loss", each[0] / best - 1, "rate");
    row(e, "again_loss", each[1] / best - 1, "rate");
    row(e, "loss_to_each", 2 * ran / (each[0] + each[1]) - 1, "rate");
    free(chosen);
    close_device(e);
}

// Of the calling thread: what else the machine does is not in it.
static double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// gputune_run over the driver's own launch.
static void bench_overhead(embed *e, int arg_count)
{
    static double ours[LAUNCHES], plain[LAUNCHES];
    gputune_arg args[ARGS];
    gputune_error error;
    char name[64];
    open_device(e, "");
    e->now = NULL;
    e->kernel = gputune_kernel_create(
        e->device, &(gputune_kernel_desc){ .source = arg_count == 3 ? small_source : source,
                                           .name = arg_count == 3 ? "small" : "mul",
                                           .tune.budget.trials = 2 });
    if (arg_count == 3) {
        args[0] = gputune_int(64);
        args[1] = gputune_float(1);
        args[2] = gputune_out(e->out, POOL / 16);
    } else {
        const size tiny = { .length = 1, .rows = 64, .batch = 1 };
        make_args(e, &tiny, 0, args);
    }
    if (gputune_run(e->kernel, args, arg_count)) fail("run", gputune_kernel_error(e->kernel));
    gt__variant *v = &e->kernel->last->ready;
    gt__call call;
    gputune_driver_launch launch;
    gputune_driver *driver = &e->device->driver;
    if (gt__kernel_bind(e->kernel, &v->config, args, arg_count, &call, &error))
        fail("bind", &error);
    gt__variant_launch(v, call.bound, call.count, &launch);
    for (int i = 0; i < LAUNCHES; i++) {
        driver->wait(e->device->self, &error);
        double begin = processor_seconds();
        gputune_run(e->kernel, args, arg_count);
        ours[i] = 1e6 * (processor_seconds() - begin);
        driver->wait(e->device->self, &error);
        begin = processor_seconds();
        driver->launch(e->device->self, v->code, &launch, &error);
        plain[i] = 1e6 * (processor_seconds() - begin);
    }
    snprintf(name, sizeof name, "call_overhead_%d_us", arg_count);
    row(e, name, gputune_stats_of(ours, LAUNCHES).min - gputune_stats_of(plain, LAUNCHES).min,
        "us");
    gputune_kernel_destroy(e->kernel);
    close_device(e);
}

static void run(const char *name, int calls, int draw)
{
    static embed e;
    const char *parent = getenv("TMPDIR"); // bench/run.sh's own, which it removes
    char folder[1024], store[1100];
    memset(&e, 0, sizeof e);
    e.name = name;
    e.replay = strcmp(name, "replay") == 0;
    e.count = calls;
    e.draw = draw;
    e.host_pool = (float *)malloc(POOL);
    for (int i = 0; i < POOL / 4; i++) e.host_pool[i] = (float)(i % 17) / 16;
    draw_sizes(&e);
    snprintf(folder, sizeof folder, "%s/embed.XXXXXX", parent ? parent : "/tmp");
    if (!mkdtemp(folder)) fail("no temporary folder", NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    serve(&e, store);
    if (!draw) bench_overhead(&e, 3);
    if (!draw) bench_overhead(&e, ARGS);
    free(e.host_pool);
}

int main(int argc, char **argv)
{
    int calls = 0, draw = 0, i;
    const char *name = NULL;
    for (i = 1; i < argc; i++) {
        if (calls > 0) draw = atoi(argv[i]);
        else if (atoi(argv[i]) > 0) calls = atoi(argv[i]);
        else name = argv[i];
    }
    if (!calls) calls = 200;
    if (calls > MOST_CALLS) calls = MOST_CALLS;
    if (name) run(name, calls, draw);
    else run("replay", calls, draw), run("best", calls, draw);
    return 0;
}
