// Pools of real kernels on a device: every mode and flow against plain C, nothing left out, nothing
// twice.
#include "rig.h"
#include "test.h"

#include <pthread.h>

static const char pools_line[] =
    "#pragma gputune set 1,3,4\n"
    "#define ITEMS 1\n"
    "__kernel void strided(__global const int *x, __global int *y, int n)\n"
    "{\n"
    "    int first = get_group_id(0) * get_local_size(0) * ITEMS + get_local_id(0);\n"
    "    for (int k = 0; k < ITEMS; k++) {\n"
    "        int i = first + k * (int)get_local_size(0);\n"
    "        if (i < n) y[i] += 1 + 2 * x[i] + (get_num_groups(0) > 100000 ? 1 : 0);\n"
    "    }\n"
    "}\n"
    "__kernel void mirrored(int n, __global int *y, __global const int *x)\n"
    "{\n"
    "    __local int tile[96];\n"
    "    int l = get_local_id(0), last = get_local_size(0) - 1;\n"
    "    int i = get_group_id(0) * get_local_size(0) + l;\n"
    "    tile[last - l] = i < n ? x[i] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i >= n) return;\n"
    "    y[i] += 1 + 2 * tile[last - l];\n"
    "}\n"
    "__kernel void slow(__global const int *x, __global int *y, int n)\n"
    "{\n"
    "    int i = get_global_id(0), sum = 0;\n"
    "    if (i >= n) return;\n"
    "    for (int k = 0; k < 60; k++) sum += (x[i] ^ k) & 1;\n"
    "    y[i] += 1 + 2 * x[i] + (sum < 0);\n"
    "}\n"
    "__kernel void wrong(__global const int *x, __global int *y, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) y[i] += 1 + 2 * x[i] + (i == 5);\n"
    "}\n";

static const char pools_plane[] =
    "__kernel void points(__global const int *x, __global int *y, int width, int height)\n"
    "{\n"
    "    int i = get_global_id(0), j = get_global_id(1);\n"
    "    if (i < width && j < height) y[j * width + i] += x[j * width + i] + i - j;\n"
    "}\n"
    "__kernel void columns(__global const int *x, __global int *y, int width, int height)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < width)\n"
    "        for (int j = 0; j < height; j++) y[j * width + i] += x[j * width + i] + i - j;\n"
    "}\n"
    "__kernel void rows(__global const int *x, __global int *y, int width, int height)\n"
    "{\n"
    "    int first = get_group_id(0) * 24, j = get_group_id(1) * 3 + get_local_id(1);\n"
    "    for (int i = first + get_local_id(0); i < first + 24; i += get_local_size(0))\n"
    "        if (i < width && j < height) y[j * width + i] += x[j * width + i] + i - j;\n"
    "}\n";

static const char pools_counts[] =
    "__kernel void direct(__global const int *x, __global int *counts, int n)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) atomic_inc(&counts[x[i] & 63]);\n"
    "}\n"
    "__kernel void gathered(__global const int *x, __global int *counts, int n)\n"
    "{\n"
    "    __local int mine[64];\n"
    "    int l = get_local_id(0), first = get_group_id(0) * 512;\n"
    "    mine[l] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = first + l; i < first + 512; i += 64)\n"
    "        if (i < n) atomic_inc(&mine[x[i] & 63]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (mine[l]) atomic_add(&counts[l], mine[l]);\n"
    "}\n";

typedef struct pools_job {
    gputune_device *device;
    gputune_kernel_desc kernels[7];
    int count;
    int *x, *y, *expected; // host: what one launch adds is expected - y at the beginning
    size_t items, outputs;
    void *in, *out;
    gputune_arg args[4];
    int arg_count;
} pools_job;

static gputune_kernel_desc *pools_kernel(pools_job *job, const char *source, const char *name,
                                         const char *global, const char *local, const char *units)
{
    gputune_kernel_desc *desc = &job->kernels[job->count++];
    desc->source = source;
    desc->name = name;
    desc->global = global;
    desc->local = local;
    desc->group_units = units;
    return desc;
}

static bool pools_open(pools_job *job, size_t items, size_t outputs)
{
    size_t i;
    memset(job, 0, sizeof *job);
    job->device = rig_device("");
    if (!job->device) return false;
    job->items = items;
    job->outputs = outputs;
    job->x = (int *)malloc(sizeof(int) * items);
    job->y = (int *)malloc(sizeof(int) * outputs);
    job->expected = (int *)malloc(sizeof(int) * outputs);
    for (i = 0; i < items; i++) job->x[i] = (int)(i * 7919 % 1013);
    for (i = 0; i < outputs; i++) job->y[i] = (int)i;
    job->in = gputune_buffer_create(job->device, sizeof(int) * items, job->x);
    job->out = gputune_buffer_create(job->device, sizeof(int) * outputs, job->y);
    job->args[0] = gputune_in(job->in, sizeof(int) * items);
    job->args[1] = gputune_inout(job->out, sizeof(int) * outputs);
    return true;
}

static void pools_close(pools_job *job)
{
    gputune_buffer_destroy(job->device, job->in);
    gputune_buffer_destroy(job->device, job->out);
    gputune_device_destroy(job->device);
    free(job->x);
    free(job->y);
    free(job->expected);
}

// Two launches; each must add to every output exactly what the reference adds.
static void pools_check(pools_job *job, gputune_pool *pool, gputune_profile_when when,
                        const char *what)
{
    int *got = (int *)malloc(sizeof(int) * job->outputs);
    int launch;
    size_t i;
    CHECK_INT(gputune_buffer_write(job->device, job->out, 0, job->y, sizeof(int) * job->outputs),
              0);
    for (launch = 1; launch <= 2; launch++) {
        CHECK_OR(pool_run_when(pool, job->args, job->arg_count, when) == GPUTUNE_OK, "%s: %s",
                 what, gputune_pool_error(pool)->text);
        CHECK_INT(gputune_buffer_read(job->device, job->out, 0, got, sizeof(int) * job->outputs),
                  0);
        for (i = 0; i < job->outputs; i++) {
            int right = job->y[i] + launch * (job->expected[i] - job->y[i]);
            if (got[i] == right) continue;
            TEST_FAIL("%s: launch %d: output %zu is %d, expected %d (%s)", what, launch, i, got[i],
                      right, gputune_pool_outcome(pool)->text);
            break;
        }
    }
    free(got);
}

static void pools_all_modes(pools_job *job, const char *units, const char *name)
{
    int mode, flow, when;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++)
        for (flow = 0; flow < 2; flow++) {
            gputune_pool_desc desc;
            gputune_pool *pool;
            char what[96];
            memset(&desc, 0, sizeof desc);
            desc.kernels = job->kernels;
            desc.units = units;
            desc.mode = (gputune_profile_mode)mode;
            desc.synchronous = !flow;
            desc.ceiling = 100;
            desc.part = 3000; // so that it is profiled, whatever this device's times
            pool = gputune_pool_create(job->device, &desc);
            for (when = 0; when <= (int)GPUTUNE_PROFILE_ONLINE; when++) {
                snprintf(what, sizeof what, "%s, mode %d, flow %d, when %d", name, mode, flow,
                         when);
                pools_check(job, pool, (gputune_profile_when)when, what);
            }
            gputune_pool_destroy(pool);
        }
}

static void pools_one_dimension(void)
{
    static const int sizes[] = { 100, 30011, 600011 };
    size_t s, i;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        pools_job job;
        gputune_kernel_desc *mirrored;
        if (!pools_open(&job, (size_t)sizes[s], (size_t)sizes[s])) return;
        job.args[2] = arg_int32(sizes[s]);
        job.arg_count = 3;
        for (i = 0; i < job.items; i++) job.expected[i] = job.y[i] + 1 + 2 * job.x[i];
        pools_kernel(&job, pools_line, "slow", "n", "32", NULL);
        pools_kernel(&job, pools_line, "strided", "ceil_div(n, ITEMS)", "64", "64 * ITEMS");
        pools_kernel(&job, pools_line, "strided", "ceil_div(n, ITEMS)", "64", "64 * ITEMS")
            ->config = "ITEMS=3";
        mirrored = pools_kernel(&job, pools_line, "mirrored", "n", "96", NULL);
        mirrored->args = "2,1,0";
        pools_kernel(&job, pools_line, "wrong", "n", "64", NULL);
        pools_all_modes(&job, "n", "line");
        pools_close(&job);
    }
}

static void pools_two_dimensions(void)
{
    static const int sizes[][2] = { { 7, 5 }, { 1031, 517 } };
    size_t s, i;
    for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const int width = sizes[s][0], height = sizes[s][1];
        pools_job job;
        if (!pools_open(&job, (size_t)(width * height), (size_t)(width * height))) return;
        job.args[2] = arg_int32(width);
        job.args[3] = arg_int32(height);
        job.arg_count = 4;
        for (i = 0; i < job.items; i++)
            job.expected[i] = job.y[i] + job.x[i] + (int)(i % (size_t)width) -
                              (int)(i / (size_t)width);
        pools_kernel(&job, pools_plane, "points", "width, height", "8, 4", NULL);
        pools_kernel(&job, pools_plane, "rows", "8 * ceil_div(width, 24), height", "8, 3",
                     "24, 3");
        if (s) // walks through a dimension: that one is not divided then
            pools_kernel(&job, pools_plane, "columns", "width", "16", "16, height");
        pools_all_modes(&job, "width, height", s ? "columns and planes" : "plane");
        pools_close(&job);
    }
}

// Groups that add to common outputs: swap, by the analysis.
static void pools_atomics(void)
{
    pools_job job;
    gputune_pool_desc desc;
    gputune_pool *pool;
    size_t i;
    if (!pools_open(&job, 1500001, 64)) return;
    job.args[2] = arg_int32((int)job.items);
    job.args[3] = gputune_number("total", (int64_t)job.items); // no kernel takes it
    job.arg_count = 4;
    memcpy(job.expected, job.y, 64 * sizeof(int));
    for (i = 0; i < job.items; i++) job.expected[job.x[i] & 63]++;
    pools_kernel(&job, pools_counts, "direct", "n", "64", NULL);
    pools_kernel(&job, pools_counts, "gathered", "64 * ceil_div(n, 512)", "64", "512");
    memset(&desc, 0, sizeof desc);
    desc.kernels = job.kernels;
    desc.units = "n";
    pool = gputune_pool_create(job.device, &desc);
    pools_check(&job, pool, GPUTUNE_PROFILE_FIRST, "histogram");
    gputune_pool_forget(pool);
    pools_check(&job, pool, GPUTUNE_PROFILE_ALWAYS, "histogram, every launch");
    CHECK_INT(pool->mode, GPUTUNE_PROFILE_SWAP); // told as long as somebody is looked at
    CHECK_HAS(pool->reason, "line 4");
    gputune_pool_destroy(pool);
    pools_close(&job);
}

// A kernel that no range can be made of: launched as it is, whatever the program asks for.
static void pools_undivided(void)
{
    static const char source[] =
        "__kernel void odd(__global const int *x, __global int *y, int n)\n"
        "{\n"
        "    int gt__i = get_global_id(0);\n" // a name of rewritten kernels
        "    if (gt__i < n) y[gt__i] += 1 + 2 * x[gt__i];\n"
        "}\n";
    int when;
    for (when = 0; when <= (int)GPUTUNE_PROFILE_ONLINE; when++) {
        pools_job job;
        gputune_pool_desc desc;
        gputune_pool *pool;
        size_t i;
        if (!pools_open(&job, 300007, 300007)) return;
        job.args[2] = arg_int32((int)job.items);
        job.arg_count = 3;
        for (i = 0; i < job.items; i++) job.expected[i] = job.y[i] + 1 + 2 * job.x[i];
        pools_kernel(&job, source, "odd", "n", "64", NULL);
        pools_kernel(&job, pools_line, "slow", "n", "32", NULL);
        memset(&desc, 0, sizeof desc);
        desc.kernels = job.kernels;
        desc.units = "n";
        pool = gputune_pool_create(job.device, &desc);
        pools_check(&job, pool, (gputune_profile_when)when, "undivided");
        pools_check(&job, pool, (gputune_profile_when)when, "undivided again");
        CHECK_HAS(gputune_pool_outcome(pool)->text, "cannot be divided");
        CHECK_INT(gputune_pool_outcome(pool)->winner, 0);
        CHECK_INT(gputune_pool_error(pool)->result, GPUTUNE_OK);
        gputune_pool_destroy(pool);
        pools_close(&job);
    }
}

static gputune_result (*pools_compiler)(void *, const gputune_build *, void **, gputune_error *);

// A compiler that is wrong where a kernel stands as it is.
static gputune_result pools_compile_forms(void *self, const gputune_build *build, void **code,
                                          gputune_error *error)
{
    gputune_build text = *build;
    if (strcmp(build->name, "two") == 0 && !strstr(build->source, "gputune_grid")) {
        text.source = "__kernel void two(__global int *x, __global int *y, int n)\n"
                      "{ int i = get_global_id(0); if (i < n) y[i] += 2 + 2 * x[i]; }\n";
        text.binary = NULL;
        text.same = NULL;
    }
    return pools_compiler(self, &text, code, error);
}

// The first variant, whose groups have 32 work-items, takes twice the other's time, whatever this
// machine's clock says: the other one is the best, and is compared.
static gputune_result (*pools_submit)(void *self, void *code, const gputune_driver_launch *launch,
                                      int queue, void **ticket, gputune_error *error);
static gputune_result (*pools_poll)(void *self, void *ticket, double patience, bool *done,
                                    gputune_span *span, gputune_error *error);
static double pools_took;

static gputune_result pools_submits(void *self, void *code, const gputune_driver_launch *launch,
                                    int queue, void **ticket, gputune_error *error)
{
    pools_took = launch->local[0] == 32 ? 2e-3 : 1e-3;
    return pools_submit(self, code, launch, queue, ticket, error);
}

static gputune_result pools_polls(void *self, void *ticket, double patience, bool *done,
                                  gputune_span *span, gputune_error *error)
{
    gputune_result result = pools_poll(self, ticket, patience, done, span, error);
    span->end = span->begin + pools_took;
    return result;
}

// Right in ranges, wrong as it stands: compared in the form that is to do the rest, too.
static void pools_other_form(void)
{
    static const char source[] = "__kernel void two(__global int *x, __global int *y, int n)\n"
                                 "{ int i = get_global_id(0); if (i < n) y[i] += 1 + 2 * x[i]; }\n";
    int mode;
    for (mode = 1; mode < (int)GPUTUNE_PROFILE_MODE_COUNT; mode++) {
        pools_job job;
        gputune_pool_desc desc;
        gputune_pool *pool;
        size_t i;
        if (!pools_open(&job, 300007, 300007)) return;
        pools_compiler = job.device->driver.compile;
        job.device->driver.compile = pools_compile_forms;
        pools_submit = job.device->driver.submit;
        job.device->driver.submit = pools_submits;
        pools_poll = job.device->driver.poll;
        job.device->driver.poll = pools_polls;
        job.args[2] = arg_int32((int)job.items);
        job.arg_count = 3;
        for (i = 0; i < job.items; i++) job.expected[i] = job.y[i] + 1 + 2 * job.x[i];
        pools_kernel(&job, pools_line, "slow", "n", "32", NULL);
        pools_kernel(&job, source, "two", "n", "64", NULL);
        memset(&desc, 0, sizeof desc);
        desc.kernels = job.kernels;
        desc.units = "n";
        desc.part = 3000;
        desc.mode = (gputune_profile_mode)mode;
        pool = gputune_pool_create(job.device, &desc);
        pools_check(&job, pool, GPUTUNE_PROFILE_FIRST, "two forms");
        CHECK_INT(gputune_pool_outcome(pool)->variants[1].result, GPUTUNE_ERROR_WRONG_OUTPUT);
        gputune_pool_destroy(pool);
        pools_close(&job);
    }
}

static bool (*pools_table)(void *self, size_t bytes); // as the driver has it

static bool pools_compares(void *self, size_t bytes)
{
    (void)self, (void)bytes;
    return true;
}

// A job of two kernels of n items whose output of so many bytes the device itself compares.
static bool pools_open_compared(pools_job *job, size_t n, size_t room, size_t bytes)
{
    if (!pools_open(job, n, room)) return false;
    pools_submit = job->device->driver.submit;
    job->device->driver.submit = pools_submits;
    pools_poll = job->device->driver.poll;
    job->device->driver.poll = pools_polls;
    pools_table = job->device->driver.compares;
    job->device->driver.compares = pools_compares;
    job->args[1] = gputune_out(job->out, bytes);
    job->args[2] = arg_int32((int)n);
    return true;
}

// A pool of its kernels, after a launch.
static gputune_pool *pools_pair(pools_job *job)
{
    gputune_pool_desc desc;
    gputune_pool *pool;
    memset(&desc, 0, sizeof desc);
    desc.kernels = job->kernels;
    desc.units = "n";
    desc.part = 3000;
    pool = gputune_pool_create(job->device, &desc);
    CHECK_INT(gputune_pool_run(pool, job->args, 3), GPUTUNE_OK);
    return pool;
}

// Outputs that the device itself compares: all of them on the first poison, on the second one what
// was written. Who begins with what is there is right on one of the two, and never wins.
static void pools_windows(void)
{
    static const char *const ways[] = { "y[i] = v", "y[i] = max(y[i], v)", "y[i] = min(y[i], v)" };
    char right[256], other[256];
    int way;
    for (way = 0; way < 3; way++) {
        enum { N = 300007 };
        pools_job job;
        gputune_pool *pool;
        if (!pools_open_compared(&job, N, N, sizeof(int) * N)) return;
        snprintf(right, sizeof right,
                 "__kernel void one(const __global int *x, __global int *y, int n)\n"
                 "{ int i = get_global_id(0), v = 2 * x[i < n ? i : 0]; if (i < n) %s; }\n",
                 ways[0]);
        snprintf(other, sizeof other,
                 "__kernel void two(const __global int *x, __global int *y, int n)\n"
                 "{ int i = get_global_id(0), v = 2 * x[i < n ? i : 0]; if (i < n) %s; }\n",
                 ways[way]);
        pools_kernel(&job, right, "one", "n", "32", NULL);
        pools_kernel(&job, other, "two", "n", "64", NULL);
        pool = pools_pair(&job);
        CHECK_INT(gputune_pool_outcome(pool)->variants[1].result,
                  way ? GPUTUNE_ERROR_WRONG_OUTPUT : GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->winner, way == 0);
        gputune_pool_destroy(pool);
        pools_close(&job);
    }
}

// An odd number of halves, of which the device compares bytes. The first one's lower byte is the
// poison, so that the device takes the second byte for the first that was written. Variants that
// differ by rounding are right all the same.
static void pools_halves(void)
{
    static const char *const names[] = { "one", "two" };
    enum { N = 100001 };
    char source[2][256];
    pools_job job;
    gputune_pool *pool;
    int i;
    if (!pools_open_compared(&job, N, N, 2 * N)) return;
    for (i = 0; i < 2; i++) {
        snprintf(source[i], sizeof source[i],
                 "__kernel void %s(const __global int *x, __global half *y, int n)\n"
                 "{ int i = get_global_id(0);\n"
                 "  if (i < n) vstore_half(1 + ((i + %d) %% 512 + (i %% 7 == 3) * %d) / 1024.f, i, "
                 "y); }\n", names[i], GT__POISON, i);
        pools_kernel(&job, source[i], names[i], "n", i ? "64" : "32", NULL);
    }
    pool = pools_pair(&job);
    CHECK_TEXT(gputune_pool_outcome(pool)->variants[1].reason, "");
    CHECK_INT(gputune_pool_outcome(pool)->winner, 1);
    gputune_pool_destroy(pool);
    pools_close(&job);
}

static gputune_result (*pools_read)(void *, void *, size_t, void *, size_t, gputune_error *);
static int pools_reads;

static gputune_result pools_counts_reads(void *self, void *handle, size_t offset, void *host,
                                         size_t bytes, gputune_error *error)
{
    pools_reads++;
    return pools_read(self, handle, offset, host, bytes, error);
}

// Two variants that write the middle of an output, and what they write there.
static void pools_middle(const char *const values[2], bool half, int winner, int reads,
                         const char *text)
{
    static const char *const names[] = { "one", "two" };
    enum { N = 1 << 20 };
    char source[2][256];
    pools_job job;
    gputune_pool *pool;
    int i;
    if (!pools_open_compared(&job, N, 2 * N, sizeof(int) * 2 * N)) return;
    pools_read = job.device->driver.read;
    job.device->driver.read = pools_counts_reads;
    for (i = 0; i < 2; i++) {
        snprintf(source[i], sizeof source[i],
                 "__kernel void %s(const __global int *x, __global %s *y, int n)\n"
                 "{ int i = get_global_id(0); if (i < n) %s(%s%s); }\n", names[i],
                 half ? "half" : "float", half ? "vstore_half" : "y[n / 2 + i] = ", values[i],
                 half ? ", n / 2 + i, y" : "");
        pools_kernel(&job, source[i], names[i], "n", i ? "64" : "32", NULL);
    }
    pools_reads = 0;
    pool = pools_pair(&job);
    CHECK_INT(gputune_pool_outcome(pool)->winner, winner);
    CHECK_HAS(gputune_pool_outcome(pool)->text, text);
    CHECK_OR(pools_reads < reads, "%d reads", pools_reads);
    gputune_pool_destroy(pool);
    pools_close(&job);
}

// An output whose first and last megabytes nobody writes: the device says where its scale is to be
// read, so that few pieces are. The scale is asked for where one of two is 0.
static void pools_border(void)
{
    static const char *const values[] = { "i == 5 ? 0 : 1 + i", "i == 5 ? 1e-6f : 1 + i" };
    pools_middle(values, false, 1, 32, "parts");
}

// The same bits, but NaN alone: nothing says that they are right.
static void pools_nan(void)
{
    static const char *const values[] = { "nan(0u)", "nan(0u)" };
    pools_middle(values, false, 0, 1000, "nothing to compare with");
    pools_middle(values, true, 0, 1000, "nothing to compare with");
}

// The device's first answer is lost. The host compares, and what was written is unknown, not
// nothing. A least value without initialisation shows on the second poison alone.
static gputune_result pools_loses(void *self, void *handle, size_t offset, void *host,
                                  size_t bytes, gputune_error *error)
{
    if (bytes != sizeof(gt__differ_numbers) || pools_reads++)
        return pools_read(self, handle, offset, host, bytes, error);
    return gt__error(error, GPUTUNE_ERROR_LAUNCH, "lost");
}

static void pools_marks(void)
{
    static const char *const values[] = { "1 + x[i]", "min(y[i], 1 + x[i])" };
    static const char *const names[] = { "one", "two" };
    enum { N = 300007 };
    char source[2][256];
    pools_job job;
    gputune_pool *pool;
    int i;
    if (!pools_open_compared(&job, N, N, sizeof(int) * N)) return;
    pools_read = job.device->driver.read;
    job.device->driver.read = pools_loses;
    for (i = 0; i < 2; i++) {
        snprintf(source[i], sizeof source[i],
                 "__kernel void %s(const __global int *x, __global int *y, int n)\n"
                 "{ int i = get_global_id(0); if (i < n) y[i] = %s; }\n", names[i], values[i]);
        pools_kernel(&job, source[i], names[i], "n", i ? "64" : "32", NULL);
    }
    pools_reads = 0;
    pool = pools_pair(&job);
    CHECK(pools_reads > 0);
    CHECK_INT(gputune_pool_outcome(pool)->variants[1].result, GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(gputune_pool_outcome(pool)->winner, 0);
    gputune_pool_destroy(pool);
    pools_close(&job);
}

// An output that a processor's device compares itself, because it is large: the host reads few
// pieces of it, and one wrong element at its end is seen.
static void pools_large(void)
{
    static const char *const names[] = { "one", "two" };
    enum { N = 16 << 20 };
    char source[2][256];
    int way, i;
    for (way = 0; way < 2; way++) {
        pools_job job;
        gputune_pool *pool;
        if (!pools_open_compared(&job, N, N, sizeof(int) * N)) return;
        job.device->driver.compares = pools_table;
        pools_read = job.device->driver.read;
        job.device->driver.read = pools_counts_reads;
        for (i = 0; i < 2; i++) {
            snprintf(source[i], sizeof source[i],
                     "__kernel void %s(const __global int *x, __global int *y, int n)\n"
                     "{ int i = get_global_id(0); if (i < n) y[i] = x[i] + (i == n - %d); }\n",
                     names[i], i && way ? 1 : -1);
            pools_kernel(&job, source[i], names[i], "n", i ? "64" : "32", NULL);
        }
        pools_reads = 0;
        pool = pools_pair(&job);
        CHECK_INT(gputune_pool_outcome(pool)->winner, !way);
        CHECK_INT(gputune_pool_outcome(pool)->variants[1].result,
                  way ? GPUTUNE_ERROR_WRONG_OUTPUT : GPUTUNE_OK);
        CHECK_OR(pools_reads < 40 || way, "%d reads", pools_reads);
        gputune_pool_destroy(pool);
        pools_close(&job);
    }
}

// --- who compiles ---

static pthread_t pools_thread; // the program's
static int pools_waited;       // translations there

static gputune_result pools_translate(void *self, const gputune_build *build,
                                      gputune_binary *binary, gputune_error *error)
{
    (void)self, (void)build, (void)error;
    if (pthread_equal(pthread_self(), pools_thread)) pools_waited++;
    binary->data = calloc(1, 8);
    binary->bytes = 8;
    binary->seconds = 0.01;
    return binary->data ? GPUTUNE_OK : gt__oom(error);
}

static gputune_result pools_compile(void *self, const gputune_build *build, void **code,
                                    gputune_error *error)
{
    gputune_build text = *build;
    text.binary = NULL;
    return pools_compiler(self, &text, code, error);
}

// Where threads translate no launch of ONLINE waits for them but the first, which has nobody else:
// neither for forms for parts nor for those of the whole.
static void pools_waits_for_no_compiler(void)
{
    static const char source[] = "__kernel void one(__global int *x, __global int *y, int n)\n"
                                 "{ int i = get_global_id(0); if (i < n) y[i] += x[i]; }\n"
                                 "__kernel void two(__global int *x, __global int *y, int n)\n"
                                 "{ int i = get_global_id(0); if (i < n) y[i] += x[i] + 0; }\n";
    pools_job job;
    gputune_pool_desc desc;
    gputune_pool *pool;
    int i;
    if (!pools_open(&job, 300007, 300007)) return;
    job.device->base.threads = 2;
    job.device->driver.translate = pools_translate;
    pools_compiler = job.device->driver.compile;
    job.device->driver.compile = pools_compile;
    job.args[2] = arg_int32((int)job.items);
    job.arg_count = 3;
    pools_kernel(&job, source, "one", "n", "32", NULL);
    pools_kernel(&job, source, "two", "n", "64", NULL);
    memset(&desc, 0, sizeof desc);
    desc.kernels = job.kernels;
    desc.units = "n";
    desc.ceiling = 1000;
    desc.when = GPUTUNE_PROFILE_ONLINE;
    pool = gputune_pool_create(job.device, &desc);
    pools_thread = pthread_self();
    pools_waited = 0;
    for (i = 0; i < 2000; i++) {
        if (gputune_pool_run(pool, job.args, 3)) break;
        if (gputune_pool_outcome(pool)->variants[1].rate > 0) break;
        gputune_sleep(1e-3);
    }
    CHECK(gputune_pool_outcome(pool)->variants[1].rate > 0);
    CHECK_INT(pools_waited, 1);
    gputune_pool_destroy(pool);
    pools_close(&job);
}

static const test_case pools_cases[] = {
    { "one dimension", pools_one_dimension },
    { "two dimensions", pools_two_dimensions },
    { "atomics", pools_atomics },
    { "what cannot be divided", pools_undivided },
    { NULL, NULL },
};

// Of OpenCL C, whose built-in functions are no macros.
static const test_case pool_forms_cases[] = {
    { "other_form", pools_other_form },
    { "windows", pools_windows },
    { "halves", pools_halves },
    { "border", pools_border },
    { "nan", pools_nan },
    { "marks", pools_marks },
    { "large", pools_large },
    { "waits_for_no_compiler", pools_waits_for_no_compiler },
    { NULL, NULL },
};
