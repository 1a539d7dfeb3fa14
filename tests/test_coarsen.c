// Coarsening as a part of kernels: the parameters it adds, launch geometry, partial grids, one
// compilation for each text; and unmodified kernels against plain C on the OpenCL device.
#include "rig.h"
#include "test.h"

#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

// --- kernels as they stand in samples; each is written in C below, too ---

typedef struct coarsen_kernel {
    const char *name, *source, *global, *local;
    int dimensions;
    gputune_coarsening form; // what AUTO finds
    double (*expected)(int x, int y, int z, const int size[3]);
} coarsen_kernel;

static double coarsen_in(int i)
{
    return (double)((i * 37 + 11) % 101);
}

static double coarsen_line(int x, int y, int z, const int size[3])
{
    (void)y, (void)z;
    return 2 * coarsen_in(x) + size[0];
}

static double coarsen_plane(int x, int y, int z, const int size[3])
{
    (void)z;
    return coarsen_in(y + x * size[1]) + (x > 0 ? coarsen_in(y + (x - 1) * size[1]) : 0);
}

static double coarsen_box(int x, int y, int z, const int size[3])
{
    int at = (z * size[1] + y) * size[0] + x;
    if (x == 0 || y == 0 || z == 0) return -1;
    return coarsen_in(at) - coarsen_in(at - 1) + coarsen_in(at - size[0]) +
           coarsen_in(at - size[0] * size[1]);
}

// Groups of 16 turned round; what lies beyond the end counts as 0.
static double coarsen_turn(int x, int y, int z, const int size[3])
{
    int from = x / 16 * 16 + 15 - x % 16;
    (void)y, (void)z;
    return (from < size[0] ? coarsen_in(from) : 0) + 1000.0 * (x / 16);
}

static double coarsen_ids(int x, int y, int z, const int size[3])
{
    (void)y, (void)z;
    return coarsen_in(x) + 10 * (x % 8) + 100 * (x / 8) + 8 + (size[0] + 7) / 8;
}

static const coarsen_kernel coarsen_kernels[] = {
    { "line",
      "__kernel void line(int n, int m, int l, __global const float *x, __global float *y)\n"
      "{\n"
      "    y[get_global_id(0)] = 2 * x[get_global_id(0)] + get_global_size(0);\n"
      "}\n",
      "n", NULL, 1, GPUTUNE_COARSEN_THREAD, coarsen_line },
    { "plane",
      "__kernel void plane(int n, int m, int l, __global const float *in, __global float *out)\n"
      "{\n"
      "    int x = get_global_id(0);\n"
      "    int y = get_global_id(1);\n"
      "    if (x >= n || y >= m) return;\n"
      "    float sum = in[y + x * m];\n"
      "    if (x > 0) sum += in[y + (x - 1) * m];\n"
      "    out[y * n + x] = sum;\n"
      "}\n",
      "n, m", NULL, 2, GPUTUNE_COARSEN_THREAD, coarsen_plane },
    { "box",
      "#define AT(x, y, z) (((z) * m + (y)) * n + (x))\n"
      "__kernel void box(int n, int m, int l, __global const float *in, __global float *out)\n"
      "{\n"
      "    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
      "    if (x >= n || y >= m || z >= l) return;\n"
      "    if (!x || !y || !z) {\n"
      "        out[AT(x, y, z)] = -1;\n"
      "        return;\n"
      "    }\n"
      "    out[AT(x, y, z)] = in[AT(x, y, z)] - in[AT(x - 1, y, z)] + in[AT(x, y - 1, z)] +\n"
      "                       in[AT(x, y, z - 1)];\n"
      "}\n",
      "n, m, l", "4, 2, 2", 3, GPUTUNE_COARSEN_THREAD, coarsen_box },
    { "turn",
      "__kernel void turn(int n, int m, int l, __global const float *in, __global float *out)\n"
      "{\n"
      "    __local float t[16];\n"
      "    int i = get_global_id(0), k = get_local_id(0);\n"
      "    t[k] = i < n ? in[i] : 0;\n"
      "    barrier(CLK_LOCAL_MEM_FENCE);\n"
      "    if (i < n) out[i] = t[15 - k] + 1000 * get_group_id(0);\n"
      "}\n",
      "n", "16", 1, GPUTUNE_COARSEN_GROUP, coarsen_turn },
    { "ids",
      "__kernel void ids(int n, int m, int l, __global const float *in, __global float *out)\n"
      "{\n"
      "    int k = get_local_id(0), i = get_group_id(0) * get_local_size(0) + k;\n"
      "    if (i < n) out[i] = in[i] + 10 * k + 100 * get_group_id(0) + get_local_size(0) +\n"
      "                        get_num_groups(0);\n"
      "}\n",
      "n", "8", 1, GPUTUNE_COARSEN_THREAD, coarsen_ids },
};

enum { COARSEN_KERNELS = sizeof coarsen_kernels / sizeof *coarsen_kernels, COARSEN_MOST = 4096 };

static gputune_kernel_desc coarsen_desc(const coarsen_kernel *c)
{
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = c->name;
    desc.source = c->source;
    desc.global = c->global;
    desc.local = c->local;
    desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
    return desc;
}

// --- a replayed GPU: nothing is computed, everything else is as on a device ---

typedef struct coarsen_gpu {
    gputune_replay_desc replay;
    bool translates;
    gputune_device *device;
    gputune_kernel *kernel;
    float x[64], y[64];
    gputune_arg args[5];
    int compiled, launched;
    void *codes[512];
    int most, kept; // codes at once, and now
    gputune_driver_launch last;
    gputune_grid grid;
} coarsen_gpu;

// Faster with a factor of 4, slower with stride 1.
static void coarsen_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    int64_t factor = 1, stride = 1;
    (void)user;
    if (gputune_config_choice(config, "FACTOR_X") >= 0) {
        factor = gputune_config_int(config, "FACTOR_X");
        stride = gputune_config_int(config, "STRIDE_X");
    }
    trial->seconds = 1e-3 * (1 + fabs(log2((double)factor) - 2) + 0.1 / (double)stride);
    trial->compile_seconds = 0.01;
}

static void coarsen_gpu_init(coarsen_gpu *g)
{
    memset(g, 0, sizeof *g);
    g->replay.trial = coarsen_trial;
    g->replay.user = g;
    g->replay.options.store = "";
    g->replay.limits.max_group_size = 1024;
    g->replay.limits.max_group_x = 1024;
    g->replay.limits.max_group_y = 1024;
    g->replay.limits.max_group_z = 64;
    g->replay.limits.warp_size = 32;
}

static void coarsen_gpu_sizes(coarsen_gpu *g, int n, int m, int l)
{
    g->args[0] = gputune_int(n);
    g->args[1] = gputune_int(m);
    g->args[2] = gputune_int(l);
    g->args[3] = gputune_in(g->x, sizeof g->x);
    g->args[4] = gputune_out(g->y, sizeof g->y);
}

// False: there is no such kernel, and the test says why.
static bool coarsen_gpu_open(coarsen_gpu *g, const gputune_kernel_desc *desc)
{
    g->device = rig_replay(&g->replay, 0, g->translates);
    g->kernel = gputune_kernel_create(g->device, desc);
    coarsen_gpu_sizes(g, 1 << 20, 1 << 10, 1 << 10);
    if (gputune_kernel_error(g->kernel)->result == GPUTUNE_OK) return true;
    TEST_FAIL("%s: %s", desc->name, gputune_kernel_error(g->kernel)->text);
    return false;
}

static void coarsen_gpu_close(coarsen_gpu *g)
{
    gputune_kernel_destroy(g->kernel);
    gputune_device_destroy(g->device);
}

// --- how many configurations ---

// Counts by trying every combination of the lists. sizes are powers of two.
typedef struct coarsen_oracle {
    int dimensions, factors[3][8], strides[3][8], groups[3][8]; // end with -1
    long sizes[3];
    int max_factor;
    bool merges;
    long units; // of the device, which must not starve
} coarsen_oracle;

static long coarsen_count(const coarsen_oracle *o)
{
    int64_t most = 1, items = 1;
    long count = 0;
    int f[3], s[3], g[3], d;
    long combinations = 1;
    int radix[9], digits[9], n = 0, i;
    const int *lists[9];
    for (d = 0; d < o->dimensions; d++) {
        lists[n++] = o->factors[d];
        lists[n++] = o->strides[d];
        lists[n++] = o->groups[d];
        most *= o->sizes[d] < 4096 ? o->sizes[d] : 4096;
        items *= o->sizes[d];
    }
    for (i = 0; i < n; i++) {
        for (radix[i] = 0; lists[i][radix[i]] >= 0;) radix[i]++;
        combinations *= radix[i];
    }
    memset(digits, 0, sizeof digits);
    while (combinations-- > 0) {
        long product = 1, group = 1;
        int zeros = 0;
        bool valid = true;
        for (d = 0; d < o->dimensions; d++) {
            f[d] = lists[3 * d][digits[3 * d]];
            s[d] = lists[3 * d + 1][digits[3 * d + 1]];
            g[d] = lists[3 * d + 2][digits[3 * d + 2]];
            product *= f[d];
            group *= g[d];
            zeros += !g[d];
            valid = valid && (f[d] > 1 || s[d] == 1) &&
                    (f[d] == 1 || (long)f[d] * s[d] <= o->sizes[d]) && g[d] <= (d == 2 ? 64 : 1024);
        }
        valid = valid && product <= o->max_factor && (zeros == 0 || zeros == o->dimensions);
        if (!zeros) valid = valid && group <= 1024 && group >= (most < 32 ? most : 32);
        if (product > 1) {
            const long group_items = group > 32 ? group : 32; // none is given: a warp at least
            valid = valid && (items < o->units * group_items ||
                              items / product >= o->units * group_items);
        }
        count += valid * (o->merges && product > 1 && product <= 16 ? 2 : 1);
        for (i = 0; i < n && ++digits[i] == radix[i]; i++) digits[i] = 0;
    }
    return count;
}

// Problems of different keys have spaces of their own, which live as long as the kernel.
typedef struct coarsen_keys {
    const gputune_space *space[16];
    int count;
} coarsen_keys;

// The launch of a configuration, of about `part` work-items; 0: of all.
static gt__variant coarsen_shape(gputune_kernel *kernel, const gputune_config *config,
                                 const gputune_arg *args, int count, uint64_t part)
{
    gputune_error error;
    gt__variant v;
    gt__call call;
    memset(&v, 0, sizeof v);
    CHECK_INT(gt__kernel_bind(kernel, config, args, count, &call, &error), GPUTUNE_OK);
    call.part = part;
    CHECK_INT(gt__variant_shape_of(kernel, config, &call, &v, &error), GPUTUNE_OK);
    return v;
}

// NULL, and a failed check that says why: there is none, and no configuration to go on with.
static const gputune_space *coarsen_space_of(gputune_kernel *kernel, const gputune_arg *args)
{
    const gputune_space *space = NULL;
    CHECK_OR(test_space_of(kernel, args, 5, &space) == GPUTUNE_OK, "%s",
             gputune_kernel_error(kernel)->text);
    return space;
}

static void coarsen_key(coarsen_keys *keys, gputune_kernel *kernel, const gputune_arg *args)
{
    const gputune_space *space = coarsen_space_of(kernel, args);
    int i = 0;
    while (i < keys->count && keys->space[i] != space) i++;
    if (i == keys->count && i < 16) keys->space[keys->count++] = space;
}

static uint64_t coarsen_space_count(coarsen_gpu *g)
{
    return gputune_space_count(coarsen_space_of(g->kernel, g->args)); // NULL: 0
}

static const coarsen_oracle coarsen_oracles[3] = {
    { 1,
      { { 1, 2, 4, 8, 16, 32, -1 } },
      { { 1, 2, 4, 8, 16, 32, 64, -1 } },
      { { 0, 32, 64, 128, 256, 512, 1024, -1 } },
      { 1 << 20 },
      32, true, 0 },
    { 2,
      { { 1, 2, 4, 8, 16, 32, -1 }, { 1, 2, 4, 8, 16, 32, -1 } },
      { { 1, 32, -1 }, { 1, 32, -1 } },
      { { 0, 8, 16, 32, 64, 128, 256, -1 }, { 0, 1, 2, 4, 8, 16, -1 } },
      { 1 << 20, 1 << 10 },
      32, true, 0 },
    { 3,
      { { 1, 2, 4, 8, 16, 32, -1 }, { 1, 2, 4, 8, 16, 32, -1 }, { 1, 2, 4, 8, 16, 32, -1 } },
      { { 1, 32, -1 }, { 1, -1 }, { 1, -1 } },
      { { 0, 16, 32, 64, -1 }, { 0, 1, 2, 4, 8, -1 }, { 0, 1, 2, 4, -1 } },
      { 1 << 20, 1 << 10, 1 << 10 },
      32, false, 0 },
};

// The spaces of a big problem on a GPU are as large as the published ones (Magni 3.2),
// and those of 2 to 16 items come twice where statements can be merged.
static void test_coarsen_counts(void)
{
    static const long counts[3] = { 252 + 196, 1525 + 1000, 3185 };
    int d;
    for (d = 1; d <= 3; d++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[d - 1]);
        coarsen_gpu g;
        coarsen_gpu_init(&g);
        desc.local = NULL;
        if (coarsen_gpu_open(&g, &desc)) {
            CHECK_INT(coarsen_space_count(&g), coarsen_count(&coarsen_oracles[d - 1]));
            CHECK_INT(coarsen_space_count(&g), counts[d - 1]);
        }
        coarsen_gpu_close(&g);
    }
}

// Factor times stride stays within the problem; all sizes of a key agree, whichever comes first.
static void test_coarsen_small_problems(void)
{
    static const int sizes[] = { 1, 2, 3, 7, 33, 100, 127, 128, 129, 2047, 2048 };
    size_t i;
    int first;
    for (first = 0; first < 4; first++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
        coarsen_gpu g;
        coarsen_keys keys = { { NULL }, 0 };
        coarsen_gpu_init(&g);
        g.replay.limits.compute_units = first / 2 * 3;
        if (!coarsen_gpu_open(&g, &desc)) {
            coarsen_gpu_close(&g);
            return;
        }
        for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            int n = sizes[first % 2 ? sizeof sizes / sizeof *sizes - 1 - i : i];
            coarsen_oracle o = coarsen_oracles[0];
            o.units = first / 2 * 3;
            for (o.sizes[0] = 1; o.sizes[0] < n;) o.sizes[0] *= 2;
            coarsen_gpu_sizes(&g, n, 1, 1);
            CHECK_OR((long)coarsen_space_count(&g) == coarsen_count(&o),
                     "n = %d: %ld configurations, expected %ld", n, (long)coarsen_space_count(&g),
                     coarsen_count(&o));
            coarsen_key(&keys, g.kernel, g.args);
        }
        CHECK_INT(keys.count, 11 - 3); // 127 and 128, 100; 2047 and 2048: one problem each
        coarsen_gpu_close(&g);
    }
}

// The launch of one key's problems may lie on both sides of a power of two: 3 n.
static void test_coarsen_one_key(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    uint64_t counts[2];
    int i;
    desc.global = "3 * n";
    for (i = 0; i < 2; i++) {
        coarsen_gpu g;
        coarsen_gpu_init(&g);
        if (coarsen_gpu_open(&g, &desc)) {
            coarsen_gpu_sizes(&g, i ? 64 : 33, 1, 1);
            counts[i] = coarsen_space_count(&g);
            CHECK_TEXT(g.kernel->problems[0]->text, "n=2^6");
        }
        coarsen_gpu_close(&g);
        if (test_failures) return;
    }
    CHECK_INT(counts[0], counts[1]);
}

// --- what is refused ---

static void coarsen_refused(const gputune_kernel_desc *desc, gputune_result result,
                            const char *part)
{
    coarsen_gpu g;
    coarsen_gpu_init(&g);
    g.device = gputune_replay_device_create(&g.replay);
    g.kernel = gputune_kernel_create(g.device, desc);
    CHECK_INT(gputune_kernel_error(g.kernel)->result, result);
    CHECK_HAS(gputune_kernel_error(g.kernel)->text, part);
    coarsen_gpu_sizes(&g, 64, 1, 1);
    CHECK_INT(gputune_run(g.kernel, g.args, 5), result);
    coarsen_gpu_close(&g);
}

static void *coarsen_select(void *user, const gputune_config *config)
{
    (void)config;
    return user;
}

static void test_coarsen_refused(void)
{
    static const gputune_param own[] = { { "STRIDE_X", "set 1,2", "1" }, { NULL, NULL, NULL } };
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    desc.params = own;
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "STRIDE_X");
    desc.params = NULL;
    desc.coarsen.factors = "set 2,4";
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "FACTOR_X");
    desc.coarsen.factors = "set 0,1";
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "FACTOR_X");
    desc.coarsen.factors = "set 1,1.5";
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "FACTOR_X");
    desc.coarsen.factors = NULL;
    desc.coarsen.groups = "set 32,64";
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "GROUP_X");
    desc.coarsen.groups = NULL;
    desc.global = NULL;
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "gputune global");
    desc.global = "n";
    desc.source = NULL;
    coarsen_refused(&desc, GPUTUNE_ERROR_UNSUPPORTED, "source");
    desc.select = coarsen_select;
    coarsen_refused(&desc, GPUTUNE_ERROR_UNSUPPORTED, "source");
    desc = coarsen_desc(&coarsen_kernels[3]);
    desc.coarsen.form = GPUTUNE_COARSEN_THREAD;
    coarsen_refused(&desc, GPUTUNE_ERROR_UNSUPPORTED, "line 3");
    desc.coarsen.form = GPUTUNE_COARSEN_RANGE;
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "RANGE");
    desc.coarsen.form = GPUTUNE_COARSEN_GROUP;
    desc.local = NULL;
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "give .local");
    desc = coarsen_desc(&coarsen_kernels[4]);
    desc.local = NULL;
    coarsen_refused(&desc, GPUTUNE_ERROR_ARGUMENT, "give .local");
}

// A parameter that selects among kernel functions: the form is one that all of them allow.
static void test_coarsen_selector(void)
{
    static const char source[] =
        "__kernel void a(int n, int m, int l, __global const float *x, __global float *y)\n"
        "{\n"
        "    y[get_global_id(0)] = x[get_global_id(0)];\n"
        "}\n"
        "__kernel void b(int n, int m, int l, __global const float *x, __global float *y)\n"
        "{\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    y[get_global_id(0)] = x[get_global_id(0)];\n"
        "}\n";
    static const gputune_param choice[] = { { "WHICH", "kernel a,b", "a" }, { NULL, NULL, NULL } };
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    coarsen_gpu g;
    coarsen_gpu_init(&g);
    desc.name = "WHICH";
    desc.source = source;
    desc.params = choice;
    desc.local = "32";
    if (coarsen_gpu_open(&g, &desc)) {
        CHECK_INT(g.kernel->coarsened.form, GPUTUNE_COARSEN_GROUP);
        CHECK_INT(coarsen_space_count(&g), 2 * 36);
    }
    coarsen_gpu_close(&g);
    desc.coarsen.form = GPUTUNE_COARSEN_THREAD;
    coarsen_refused(&desc, GPUTUNE_ERROR_UNSUPPORTED, "kernel b");
}

// --- geometry ---

// Work-items (thread level) or groups of one dimension that a launch of `count` does: each of
// begin ... end once, nothing else. This is the rewritten kernel's loop.
static void coarsen_covers(uint64_t count, int factor, int stride, uint64_t begin, uint64_t end)
{
    static unsigned char seen[1 << 16];
    uint64_t n, i;
    int k;
    memset(seen, 0, sizeof seen);
    if (end > sizeof seen) return;
    TEST_COUNT();
    for (n = 0; n < count; n++)
        for (k = 0; k < factor; k++) {
            i = begin + n / (uint64_t)stride * (uint64_t)factor * (uint64_t)stride +
                n % (uint64_t)stride + (uint64_t)k * (uint64_t)stride;
            if (i < end) seen[i]++;
        }
    for (i = begin; i < end; i++)
        if (seen[i] != 1) {
            TEST_FAIL("%d times item %llu of %llu (factor %d, stride %d, %llu launched)", seen[i],
                      (unsigned long long)i, (unsigned long long)end, factor, stride,
                      (unsigned long long)count);
            return;
        }
}

static int64_t coarsen_get(const gputune_config *config, const char *word, int d)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%c", word, "XYZ"[d]);
    return gputune_config_choice(config, name) < 0 ? 0 : gputune_config_int(config, name);
}

// Every launched geometry does the whole original launch, at awkward sizes.
static void coarsen_check_geometry(coarsen_gpu *g, const coarsen_kernel *c,
                                   const gputune_config *config, const int sizes[3])
{
    gputune_geometry geometry;
    bool thread = c->form == GPUTUNE_COARSEN_THREAD, changed = false;
    static const uint64_t locals[COARSEN_KERNELS][3] = {
        { 1, 1, 1 }, { 1, 1, 1 }, { 4, 2, 2 }, { 16, 1, 1 }, { 8, 1, 1 }
    };
    const uint64_t *local = locals[c - coarsen_kernels];
    int d;
    CHECK_INT(gputune_kernel_geometry(g->kernel, config, g->args, 5, &geometry), GPUTUNE_OK);
    CHECK_INT(geometry.dimensions, c->dimensions);
    for (d = 0; d < c->dimensions; d++)
        changed =
            changed || coarsen_get(config, "FACTOR", d) > 1 || coarsen_get(config, "GROUP", d);
    CHECK_INT(geometry.grid.size[0] > 0, changed);
    for (d = 0; d < c->dimensions; d++) {
        uint64_t size = (uint64_t)sizes[d], group = (uint64_t)coarsen_get(config, "GROUP", d);
        uint64_t launched = geometry.global[d];
        size = (size + local[d] - 1) / local[d] * local[d];
        CHECK_INT(geometry.local[d], group ? group : c->local ? local[d] : 0);
        if (geometry.local[d]) CHECK_INT(launched % geometry.local[d], 0);
        if (!changed) {
            CHECK_INT(launched, size);
            continue;
        }
        CHECK_INT(geometry.grid.size[d], size);
        CHECK_INT(geometry.grid.local[d], local[d]);
        CHECK_INT(geometry.grid.begin[d], 0);
        CHECK_INT(geometry.grid.end[d], thread ? size : size / local[d]);
        coarsen_covers(thread ? launched : launched / local[d],
                       (int)coarsen_get(config, "FACTOR", d), (int)coarsen_get(config, "STRIDE", d),
                       0, geometry.grid.end[d]);
    }
}

static void test_coarsen_geometry(void)
{
    static const int sizes[][3] = { { 1, 1, 1 },   { 7, 3, 5 },    { 64, 32, 8 },
                                    { 97, 31, 3 }, { 1009, 5, 1 }, { 4096, 129, 33 } };
    uint64_t state = 1;
    size_t s;
    int i, draw;
    for (i = 0; i < COARSEN_KERNELS; i++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[i]);
        coarsen_gpu g;
        coarsen_gpu_init(&g);
        if (coarsen_gpu_open(&g, &desc)) {
            CHECK_INT(g.kernel->coarsened.form, coarsen_kernels[i].form);
            for (s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                const gputune_space *space;
                coarsen_gpu_sizes(&g, sizes[s][0], sizes[s][1], sizes[s][2]);
                space = coarsen_space_of(g.kernel, g.args);
                if (!space || test_failures) break;
                for (draw = 0; draw < 40; draw++) {
                    uint64_t at = test_random_below(&state, gputune_space_count(space));
                    gputune_config config = gputune_space_at(space, draw ? at : 0);
                    if (!draw) config = gputune_space_default(space);
                    coarsen_check_geometry(&g, &coarsen_kernels[i], &config, sizes[s]);
                }
            }
        }
        coarsen_gpu_close(&g);
    }
}

// Nothing to do, far too much, and groups that are too large: the usual errors.
static void test_coarsen_sizes(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    const gputune_space *space;
    gputune_geometry geometry;
    gputune_config config;
    coarsen_gpu g;
    coarsen_gpu_init(&g);
    desc.coarsen.groups = "set 0,64,2048";
    desc.global = "n < 100 ? n : 9223372036854775807";
    if (!coarsen_gpu_open(&g, &desc)) {
        coarsen_gpu_close(&g);
        return;
    }
    coarsen_gpu_sizes(&g, 0, 1, 1);
    space = coarsen_space_of(g.kernel, g.args);
    if (!space) {
        coarsen_gpu_close(&g);
        return;
    }
    CHECK(gputune_config_parse(space, "FACTOR_X=1 STRIDE_X=1 GROUP_X=64", &config));
    CHECK_INT(gputune_kernel_geometry(g.kernel, &config, g.args, 5, &geometry), GPUTUNE_OK);
    CHECK_INT(geometry.global[0], 0);
    CHECK_INT(gputune_kernel_launch(g.kernel, &config, g.args, 5), GPUTUNE_OK);
    coarsen_gpu_sizes(&g, 1000, 1, 1);
    CHECK_INT(gputune_kernel_geometry(g.kernel, &config, g.args, 5, &geometry),
              GPUTUNE_ERROR_LAUNCH);
    CHECK_HAS(gputune_kernel_error(g.kernel)->text, "9223372036854775807");
    coarsen_gpu_sizes(&g, 99, 1, 1);
    CHECK(gputune_config_parse(space, "GROUP_X=2048", &config));
    CHECK_INT(gputune_kernel_geometry(g.kernel, &config, g.args, 5, &geometry),
              GPUTUNE_ERROR_RESOURCES);
    coarsen_gpu_close(&g);
}

// A part of a grid: whole rows, else a part of one, at least a group, never more than there is.
static void test_coarsen_cut(void)
{
    static const struct {
        uint64_t part, local[3], groups[3], expected[3];
    } cases[] = {
        { 1000, { 1, 1, 1 }, { 5000, 1, 1 }, { 1000, 1, 1 } },
        { 1000, { 64, 1, 1 }, { 100, 1, 1 }, { 15, 1, 1 } },
        { 1, { 64, 1, 1 }, { 100, 1, 1 }, { 1, 1, 1 } },
        { 99999, { 64, 1, 1 }, { 100, 1, 1 }, { 100, 1, 1 } },
        { 500, { 1, 1, 1 }, { 100, 80, 1 }, { 100, 5, 1 } },
        { 99, { 1, 1, 1 }, { 100, 80, 1 }, { 99, 1, 1 } },
        { 640, { 4, 4, 1 }, { 10, 9, 1 }, { 10, 4, 1 } },
        { 12345, { 1, 1, 1 }, { 10, 20, 70 }, { 10, 20, 61 } },
        { 150, { 1, 1, 1 }, { 10, 20, 70 }, { 10, 15, 1 } },
        { 5, { 1, 1, 1 }, { 10, 20, 70 }, { 5, 1, 1 } },
        { 5, { 1, 1, 1 }, { 10, 0, 70 }, { 10, 0, 70 } },
        { 7, { 1, 1, 1 }, { 1ull << 62, 1ull << 62, 1ull << 62 }, { 7, 1, 1 } },
    };
    size_t i;
    int d;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t groups[3];
        memcpy(groups, cases[i].groups, sizeof groups);
        gt__grid_cut(cases[i].part, cases[i].local, groups);
        for (d = 0; d < 3; d++)
            CHECK_OR(groups[d] == cases[i].expected[d], "case %d, dimension %d: %llu groups",
                     (int)i, d, (unsigned long long)groups[d]);
    }
}

// --- one compilation for each text ---

static gputune_driver coarsen_plain; // the replay driver's own functions
static coarsen_gpu *coarsen_now;     // tests run one at a time

static gputune_result coarsen_compile(void *self, const gputune_build *build, void **code,
                                      gputune_error *error)
{
    coarsen_gpu *g = coarsen_now;
    gputune_result result = coarsen_plain.compile(self, build, code, error);
    g->compiled++;
    if (result == GPUTUNE_OK && g->kept < 512) g->codes[g->kept++] = *code;
    if (g->kept > g->most) g->most = g->kept;
    return result;
}

// -1: it was never made, or is gone.
static int coarsen_find_code(const coarsen_gpu *g, const void *code)
{
    int i = g->kept - 1;
    while (i >= 0 && g->codes[i] != code) i--;
    return i;
}

static void coarsen_discard(void *self, void *code)
{
    coarsen_gpu *g = coarsen_now;
    const int i = coarsen_find_code(g, code);
    if (i >= 0)
        g->codes[i] = g->codes[--g->kept];
    else
        TEST_FAIL("discarded twice");
    coarsen_plain.discard(self, code);
}

static gputune_result coarsen_time(void *self, void *code, const gputune_driver_launch *launch,
                                   int batch, double time_limit, double hang_limit, double *seconds,
                                   gputune_error *error)
{
    coarsen_gpu *g = coarsen_now;
    if (coarsen_find_code(g, code) < 0) TEST_FAIL("launched after it was discarded");
    g->launched++;
    g->last = *launch;
    if (launch->arg_count == 6) memcpy(&g->grid, launch->args[5].data, sizeof g->grid);
    return coarsen_plain.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

// As if the device compiled sources.
static void coarsen_gpu_compiles(coarsen_gpu *g)
{
    coarsen_now = g;
    coarsen_plain = g->device->driver;
    g->device->driver.takes_source = true;
    g->device->driver.compile = coarsen_compile;
    g->device->driver.discard = coarsen_discard;
    g->device->driver.time = coarsen_time;
}

static void test_coarsen_compiles_once(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    gputune_outcome o;
    coarsen_gpu g;
    int n;
    for (n = 0; n < 2; n++) { // without and with a translation ahead
        coarsen_gpu_init(&g);
        g.translates = n > 0;
        g.replay.options.threads = n;
        desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
        desc.tune.budget.seconds = 1e6;
        if (coarsen_gpu_open(&g, &desc)) {
            coarsen_gpu_compiles(&g);
            CHECK_INT(test_tunes(g.kernel, g.args, 5, &o), GPUTUNE_OK);
            CHECK_INT(o.trials, 448);
            CHECK_INT(test_seen.failed, 0);
            // As it is; rewritten with factor 1; the others; merged.
            CHECK_INT(g.compiled, 1 + 1 + 5 * 7 + 4 * 7);
            CHECK_INT(gputune_config_int(&o.config, "FACTOR_X"), 4);
            CHECK_INT(gputune_config_int(&o.config, "STRIDE_X"), 64);
            CHECK_INT(g.kept, 1); // the winner's
            CHECK_INT(gputune_run(g.kernel, g.args, 5), GPUTUNE_OK);
            CHECK_INT(g.compiled, 65);
        }
        coarsen_gpu_close(&g);
    }
}

// More texts than are kept: the oldest go, nothing that is used; in the end all but the winner's.
static void test_coarsen_codes_bounded(void)
{
    static const gputune_param many[] = { { "U", "range 1,300", "1" }, { NULL, NULL, NULL } };
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    gputune_outcome o;
    coarsen_gpu g;
    coarsen_gpu_init(&g);
    desc.coarsen.form = GPUTUNE_COARSEN_OFF;
    desc.params = many;
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.budget.seconds = 1e6;
    if (coarsen_gpu_open(&g, &desc)) {
        coarsen_gpu_compiles(&g);
        CHECK_INT(test_tunes(g.kernel, g.args, 5, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 300);
        CHECK_INT(test_seen.failed, 0);
        CHECK(g.compiled >= 300);
        CHECK(g.most > 128 && g.most <= 128 + 16); // kept, and those in the race
        CHECK_INT(g.kept, 1);
        CHECK_INT(gputune_run(g.kernel, g.args, 5), GPUTUNE_OK);
        CHECK_INT(g.kept, 1);
    }
    gputune_kernel_destroy(g.kernel);
    g.kernel = NULL;
    CHECK_INT(g.kept, 0);
    coarsen_gpu_close(&g);
}

// --- pointers that are apart ---

static char coarsen_compiled[64 << 10]; // the last text
static int coarsen_apart;               // how many had pointers that are apart

static gputune_result coarsen_compile_text(void *self, const gputune_build *build, void **code,
                                           gputune_error *error)
{
    snprintf(coarsen_compiled, sizeof coarsen_compiled, "%s", build->source);
    coarsen_apart += strstr(coarsen_compiled, "restrict") != NULL;
    return coarsen_compile(self, build, code, error);
}

static bool coarsen_open_text(coarsen_gpu *g, const gputune_kernel_desc *desc)
{
    coarsen_apart = 0;
    if (!coarsen_gpu_open(g, desc)) return false;
    coarsen_gpu_compiles(g);
    g->device->driver.compile = coarsen_compile_text;
    return true;
}

// Which parameters say so, where no arguments overlap: f(n, x, y) or f(n, x, y, one more). NULL:
// none does.
static const struct {
    const char *source, *made, *local;
    gputune_arg_kind last;
} coarsen_heads[] = {
    { "__kernel void f(int n, __global const float *x, __global float *y) { y[0] = x[n]; }",
      "(int n, __global const float * restrict x, __global float * restrict y, gputune_grid",
      NULL, GPUTUNE_ARG_NUMBER },
    { "__global__ void f(int n, const float *x, float *y) { y[threadIdx.x] = x[n]; }",
      "(int n, const float * __restrict__ x, float * __restrict__ y, gputune_grid", "8",
      GPUTUNE_ARG_NUMBER },
    { "__kernel void f(int n, __global const float *restrict x, __global float *y) { y[0] = 1; }",
      "(int n, __global const float *restrict x, __global float * restrict y, gputune_grid", NULL,
      GPUTUNE_ARG_NUMBER },
    { "typedef float real;\n#define ARGS int n, __global const real *x, __global real *y\n"
      "__kernel void f(ARGS) { y[0] = x[n]; }",
      "const real * restrict x, __global real * restrict y, gputune_grid", NULL,
      GPUTUNE_ARG_NUMBER },
    // A macro that a header sees, too.
    { "#define HERE\n#include <none.h>\n"
      "__kernel void f(int n, __global const float *HERE x, __global float *y) { y[0] = x[n]; }",
      "const float * restrict  x, __global float * restrict y, gputune_grid", NULL,
      GPUTUNE_ARG_NUMBER },
    { "__kernel void f(int n, __global const float *x, __global float *y, __local float *t)\n"
      "{ t[0] = x[n]; barrier(CLK_LOCAL_MEM_FENCE); y[get_global_id(0)] = t[0]; }",
      "const float * restrict x, __global float * restrict y, __local float *t, gputune_grid", "8",
      GPUTUNE_ARG_LOCAL },
    // What may hold more pointers, or be changed by others.
    { "__kernel void f(int n, __global const float *x, volatile __global float *y) { y[0] = 1; }",
      NULL, NULL, GPUTUNE_ARG_NUMBER },
    { "__global__ void f(int n, const float **x, float *y) { y[0] = x[n][0]; }", NULL, NULL,
      GPUTUNE_ARG_NUMBER },
    { "__global__ void f(int n, const float *x[], float *y) { y[0] = x[n][0]; }", NULL, NULL,
      GPUTUNE_ARG_NUMBER },
    { "__global__ void f(int n, const float *x, float *y, std::span<float> z) { y[0] = z[n]; }",
      NULL, NULL, GPUTUNE_ARG_SCALAR },
    { "struct s { float *p; };\n"
      "__global__ void f(int n, const struct s *x, float *y) { y[0] = *x[n].p; }",
      NULL, NULL, GPUTUNE_ARG_NUMBER },
    { "struct s { float *p; };\n"
      "__global__ void f(int n, const float *x, float *y, struct s z) { y[0] = x[n] + *z.p; }",
      NULL, NULL, GPUTUNE_ARG_SCALAR },
    // Pointers that are made of numbers, or found in memory; not of a parameter.
    { "__kernel void f(int n, __global const ulong *x, __global float *y)\n"
      "{ y[0] = *(__global float *)x[n]; }",
      NULL, NULL, GPUTUNE_ARG_NUMBER },
    { "__kernel void f(int n, __global const ulong *x, __global float *y)\n"
      "{ ulong a = x[n]; y[0] = *(__global float *)(a + 4); }",
      NULL, NULL, GPUTUNE_ARG_NUMBER },
    { "__kernel void f(int n, __global const uchar *x, __global float *y)\n"
      "{ y[0] = **(__global float *__global const *)x; }",
      NULL, NULL, GPUTUNE_ARG_NUMBER },
    { "typedef __global float *place;\n"
      "__kernel void f(int n, __global const uchar *x, __global float *y)\n"
      "{ y[0] = *((__global const place *)x)[n]; }",
      NULL, NULL, GPUTUNE_ARG_NUMBER },
    { "__global__ void f(int n, const unsigned long long *x, float *y)\n"
      "{ y[0] = *reinterpret_cast<float *>(x[n]); }",
      NULL, NULL, GPUTUNE_ARG_NUMBER },
    { "__kernel void f(int n, __global const float *x, __global float *y)\n"
      "{ y[0] = ((__global const float4 *)(x + n))->x + *(__global const float *)&x[n * 2]; }",
      "const float * restrict x, __global float * restrict y, gputune_grid", NULL,
      GPUTUNE_ARG_NUMBER },
};

static void test_coarsen_heads(void)
{
    size_t i;
    for (i = 0; i < sizeof coarsen_heads / sizeof *coarsen_heads; i++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
        const gputune_arg_kind last = coarsen_heads[i].last;
        const int count = last == GPUTUNE_ARG_NUMBER ? 3 : 4;
        gputune_config config;
        gputune_arg args[4];
        void *z = NULL;
        coarsen_gpu g;
        coarsen_gpu_init(&g);
        desc.name = "f";
        desc.source = coarsen_heads[i].source;
        desc.local = coarsen_heads[i].local;
        if (coarsen_open_text(&g, &desc)) {
            const gputune_space *space = NULL;
            args[0] = gputune_int(1 << 12);
            args[1] = g.args[3];
            args[2] = g.args[4];
            args[3] = last == GPUTUNE_ARG_LOCAL ? gputune_local("64")
                                                : gputune_bytes(&z, sizeof z);
            CHECK_INT(test_space_of(g.kernel, args, count, &space), GPUTUNE_OK);
            CHECK(gputune_config_parse(space, "FACTOR_X=2", &config));
            CHECK_INT(gputune_kernel_launch(g.kernel, &config, args, count), GPUTUNE_OK);
            if (coarsen_heads[i].made) CHECK_HAS(coarsen_compiled, coarsen_heads[i].made);
            CHECK_INT(coarsen_apart, coarsen_heads[i].made != NULL);
            config = gputune_space_default(space);
            CHECK_INT(gputune_kernel_launch(g.kernel, &config, args, count), GPUTUNE_OK);
            CHECK_TEXT(coarsen_compiled, coarsen_heads[i].source); // as it is
        }
        coarsen_gpu_close(&g);
    }
}

static const coarsen_kernel coarsen_three = {
    "f",
    "__kernel void f(int n, __global float *x, __global float *y, __global float *z) { }",
    "n", NULL, 1, GPUTUNE_COARSEN_THREAD, NULL
};

// Handles that are parts of one buffer, y from the byte behind x.
static void *coarsen_parent(void *self, void *buffer, size_t *offset)
{
    coarsen_gpu *g = coarsen_now;
    (void)self;
    if (buffer == g->y) *offset += sizeof g->x;
    return buffer == g->y ? g->x : buffer;
}

// Launches f, and says whether its pointers were apart. *compiles: texts so far.
static bool coarsen_launch_three(coarsen_gpu *g, gputune_arg x, gputune_arg y, gputune_arg z,
                                 int compiles)
{
    const gputune_space *space = NULL;
    gputune_config config;
    gputune_arg args[4];
    args[0] = gputune_int(1 << 12);
    args[1] = x;
    args[2] = y;
    args[3] = z;
    CHECK_INT(test_space_of(g->kernel, args, 4, &space), GPUTUNE_OK);
    CHECK(gputune_config_parse(space, "FACTOR_X=2", &config));
    CHECK_INT(gputune_kernel_launch(g->kernel, &config, args, 4), GPUTUNE_OK);
    CHECK_INT(g->compiled, compiles);
    return coarsen_shape(g->kernel, &config, args, 4, 0).apart;
}

// Which launches take which text, each compiled once.
static void test_coarsen_overlaps(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_three);
    coarsen_gpu g;
    int handles;
    coarsen_gpu_init(&g);
    for (handles = 0; handles < 2 && coarsen_open_text(&g, &desc); handles++) {
        const size_t all = sizeof g.x, half = all / 2;
        const gputune_arg x = gputune_in(g.x, all), y = gputune_in(g.y, all);
        const gputune_arg to_x = gputune_inout(g.x, all), to_y = gputune_out(g.y, all);
        g.compiled = 0;
        g.device->driver.part_align = handles ? 4 : 0;
        g.device->driver.parent = handles ? coarsen_parent : NULL;
        CHECK(coarsen_launch_three(&g, x, to_y, x, 1)); // read twice
        CHECK(!coarsen_launch_three(&g, y, to_y, x, 2)); // in place
        CHECK(!coarsen_launch_three(&g, x, to_y, y, 2));
        CHECK(!coarsen_launch_three(&g, to_y, x, to_y, 2));
        CHECK(coarsen_launch_three(&g, y, to_x, y, 2)); // the other way round
        CHECK(coarsen_launch_three(&g, gputune_part(to_x, 0, half), y,
                                   gputune_part(x, half, half), 2));
        CHECK(!coarsen_launch_three(&g, gputune_part(to_x, 0, half + 4), y,
                                    gputune_part(x, half, half), 2));
        CHECK(!coarsen_launch_three(&g, gputune_part(x, half, half), y,
                                    gputune_part(to_x, 0, half + 4), 2));
        CHECK(!coarsen_launch_three(&g, gputune_inout(g.x, all + 4), y, x, 2));
        CHECK(!coarsen_launch_three(&g, gputune_inout(g.x, all + 4), y, y, 2)); // one of y's
        CHECK(coarsen_launch_three(&g, to_x, y, y, 2));
        CHECK_INT(coarsen_apart, 1);
        coarsen_gpu_close(&g);
        coarsen_gpu_init(&g);
    }
    coarsen_gpu_close(&g);
}

// Tuned in place, nothing says that its pointers are apart; a stored answer takes what the call in
// hand allows.
static void test_coarsen_in_place(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    int run, turn;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    desc.tune.budget.trials = 12;
    desc.tune.budget.seconds = 1e6;
    for (run = 0; run < 3; run++) {
        coarsen_gpu g;
        gputune_outcome o;
        coarsen_gpu_init(&g);
        g.replay.options.store = run ? store : "";
        g.translates = true;
        if (coarsen_open_text(&g, &desc)) {
            if (run != 1) g.args[3] = gputune_in(g.y, sizeof g.y);
            CHECK_INT(test_tunes(g.kernel, g.args, 5, &o), GPUTUNE_OK);
            CHECK_INT(o.origin, run == 2 ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
            CHECK_INT(test_seen.failed, 0);
            CHECK(gputune_config_int(&o.config, "FACTOR_X") > 1);
            CHECK(run == 1 ? coarsen_apart > 5 : coarsen_apart == 0);
            g.compiled = coarsen_apart = 0;
            for (turn = 0; turn < 4; turn++) { // as it was tuned or loaded, and the other way
                const bool apart = (run == 1) == (turn % 2 == 0);
                g.args[3] = gputune_in(apart ? g.x : g.y, sizeof g.x);
                CHECK_INT(gputune_run(g.kernel, g.args, 5), GPUTUNE_OK);
                // With the default, which a class is verified beside; the store has the class.
                CHECK_INT(g.compiled, turn ? 1 + (run < 2) : 0);
                CHECK_INT(coarsen_apart, turn > 0 && run != 1);
            }
        }
        coarsen_gpu_close(&g);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

// --- what is right, what the device allows ---

typedef struct coarsen_flaw {
    coarsen_gpu g;
    int64_t wrong; // factor whose output is wrong
    int plain;     // launches of the kernel as it is, each asked about twice
} coarsen_flaw;

static void coarsen_flawed(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    coarsen_flaw *f = (coarsen_flaw *)user;
    coarsen_trial(user, config, trial);
    if (!test_launch(trial)) return;
    const int64_t factor = gputune_config_int(config, "FACTOR_X");
    f->plain += factor == 1 && gputune_config_int(config, "GROUP_X") == 0;
    if (factor == f->wrong) trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
}

// Where a restriction makes a coarsened kernel the default, what is right is still what the kernel
// as it is writes.
static void test_coarsen_default_checked(void)
{
    static const char *const require[] = { "FACTOR_X > 1 && GROUP_X == 64", NULL };
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    int64_t wrong;
    desc.require = require;
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.budget.seconds = 1e6;
    for (wrong = 0; wrong < 8; wrong = wrong ? 2 * wrong : 2) {
        static coarsen_flaw f;
        gputune_outcome o;
        gputune_result result;
        memset(&f, 0, sizeof f);
        coarsen_gpu_init(&f.g);
        f.g.replay.trial = coarsen_flawed;
        f.g.replay.user = &f;
        f.wrong = wrong;
        if (coarsen_gpu_open(&f.g, &desc)) {
            result = test_tunes(f.g.kernel, f.g.args, 5, &o);
            CHECK_INT(f.plain, 2);
            CHECK_INT(result, wrong == 2 ? GPUTUNE_ERROR_WRONG_OUTPUT : GPUTUNE_OK);
            if (wrong == 2) CHECK_HAS(gputune_kernel_error(f.g.kernel)->text, "FACTOR_X=2");
            if (wrong == 4) CHECK_INT(test_seen.failed, 2 * 7); // strides, looped and merged
            if (wrong == 4) CHECK(gputune_config_int(&o.config, "FACTOR_X") != 4);
            if (wrong == 0) CHECK_INT(gputune_config_int(&o.config, "FACTOR_X"), 4);
        }
        coarsen_gpu_close(&f.g);
    }
}

static size_t coarsen_limit(void *self, void *code)
{
    (void)self, (void)code;
    return 100;
}

// What is compiled may allow smaller groups than the device: trials that fail, nothing else.
static void test_coarsen_group_limit(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    gputune_outcome o;
    coarsen_gpu g;
    coarsen_gpu_init(&g);
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.budget.seconds = 1e6;
    if (coarsen_gpu_open(&g, &desc)) {
        g.device->driver.group_limit = coarsen_limit;
        CHECK_INT(test_tunes(g.kernel, g.args, 5, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 448);
        CHECK_INT(test_seen.failed, 4 * (36 + 28)); // 128, 256, 512, 1024
        CHECK_INT(gputune_config_int(&o.config, "FACTOR_X"), 4);
        CHECK(gputune_config_int(&o.config, "GROUP_X") <= 64);
    }
    coarsen_gpu_close(&g);
}

// --- stores, several devices, memory ---

// The answer of one process is the next one's; another size of the key, another form, too.
static void test_coarsen_stored(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    gputune_outcome o;
    int run;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    desc.local = "32";
    for (run = 0; run < 3; run++) {
        coarsen_gpu g;
        coarsen_gpu_init(&g);
        g.replay.options.store = store;
        g.translates = true;
        desc.coarsen.form = run < 2 ? GPUTUNE_COARSEN_AUTO : GPUTUNE_COARSEN_GROUP;
        if (coarsen_gpu_open(&g, &desc)) {
            coarsen_gpu_sizes(&g, run ? 600 : 1000, 1, 1);
            coarsen_gpu_compiles(&g);
            CHECK_INT(test_tunes(g.kernel, g.args, 5, &o), GPUTUNE_OK);
            CHECK_INT(o.origin, run == 1 ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
            CHECK_INT(gputune_config_int(&o.config, "FACTOR_X"), 4);
            if (run == 1) CHECK_INT(g.launched, 0);
        }
        coarsen_gpu_close(&g);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

// A search whose process ended goes on where it was.
static int coarsen_left; // trials before the process ends; < 0: it does not

static void coarsen_deadly_trial(void *user, const gputune_config *config,
                                 gputune_replay_trial *trial)
{
    coarsen_trial(user, config, trial);
    if (coarsen_left >= 0 && coarsen_left-- == 0) _exit(0);
}

static void test_coarsen_resumed(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[1]);
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    int run;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.trials = 60;
    desc.tune.budget.seconds = 1e6;
    for (run = 0; run < 2; run++) {
        pid_t child = run ? 0 : fork();
        gputune_outcome o;
        coarsen_gpu g;
        int status;
        if (child > 0) {
            CHECK(waitpid(child, &status, 0) == child);
            CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
            continue;
        }
        coarsen_left = run ? -1 : 200;
        coarsen_gpu_init(&g);
        g.replay.trial = coarsen_deadly_trial;
        g.replay.options.store = store;
        if (coarsen_gpu_open(&g, &desc)) {
            gputune_result result = test_tunes(g.kernel, g.args, 5, &o);
            if (!run) _exit(1); // it should have ended
            CHECK_INT(result, GPUTUNE_OK);
            CHECK_INT(o.trials, 60);
            CHECK(test_seen.resumed > 10 && test_seen.resumed < 60);
        }
        coarsen_gpu_close(&g);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

// Lanes have kernels of their own, coarsened in the same way.
static void test_coarsen_devices(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    gputune_device *more[2] = { NULL, NULL };
    gputune_outcome o;
    coarsen_gpu g;
    coarsen_gpu_init(&g);
    more[0] = gputune_replay_device_create(&g.replay);
    desc.tune.devices = more;
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.budget.seconds = 1e6;
    if (coarsen_gpu_open(&g, &desc)) {
        CHECK_INT(test_tunes(g.kernel, g.args, 5, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 448);
        CHECK_INT(test_seen.failed, 0);
        CHECK_INT(gputune_config_int(&o.config, "FACTOR_X"), 4);
    }
    coarsen_gpu_close(&g);
    gputune_device_destroy(more[0]);
}

typedef struct coarsen_memory {
    long until, blocks; // allocations that still succeed, < 0: all; blocks in use
} coarsen_memory;

static void *coarsen_reallocate(void *user, void *memory, size_t bytes)
{
    coarsen_memory *m = (coarsen_memory *)user;
    void *result;
    if (bytes == 0) {
        m->blocks -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (m->until == 0) return NULL;
    if (m->until > 0) m->until--;
    result = realloc(memory, bytes);
    m->blocks += memory == NULL && result != NULL;
    return result;
}

static void test_coarsen_no_memory(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[4]);
    long n;
    bool survived = false;
    desc.coarsen.factors = "set 1,2";
    desc.coarsen.strides = "set 1,32";
    desc.coarsen.groups = "set 0,32";
    for (n = 0; n < 100000 && !survived && test_failures < 5; n++) {
        coarsen_memory memory;
        coarsen_gpu g;
        gputune_result result;
        coarsen_gpu_init(&g);
        memory.until = n;
        memory.blocks = 0;
        g.replay.options.reallocate = coarsen_reallocate;
        g.replay.options.user = &memory;
        g.device = gputune_replay_device_create(&g.replay);
        g.kernel = gputune_kernel_create(g.device, &desc);
        coarsen_gpu_sizes(&g, 1 << 12, 1, 1);
        if (g.device && g.device->self) coarsen_gpu_compiles(&g);
        result = gputune_run(g.kernel, g.args, 5);
        CHECK_OR(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY,
                 "after %ld allocations: %s: %s", n, gputune_result_name(result),
                 gputune_kernel_error(g.kernel)->text);
        survived = memory.until > 0;
        memory.until = -1;
        if (survived) {
            const gputune_outcome *o = gputune_kernel_outcome(g.kernel);
            CHECK_INT(o->trials, 10); // four of them merged
            CHECK(gputune_kernel_source(g.kernel, &o->config) != NULL);
        }
        coarsen_gpu_close(&g);
        CHECK_INT(memory.blocks, 0);
    }
    CHECK(survived);
}

// The text of a configuration: as it stands, or rewritten; only .GROUP is not in it.
static void test_coarsen_text(void)
{
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    const gputune_space *space;
    gputune_config config;
    char *two = NULL;
    coarsen_gpu g;
    coarsen_gpu_init(&g);
    if (coarsen_gpu_open(&g, &desc) && (space = coarsen_space_of(g.kernel, g.args)) != NULL) {
        const char *text;
        config = gputune_space_default(space);
        CHECK_TEXT(gputune_kernel_source(g.kernel, &config), coarsen_kernels[0].source);
        CHECK(gputune_config_parse(space, "FACTOR_X=2 STRIDE_X=32", &config));
        text = gputune_kernel_source(g.kernel, &config);
        CHECK(text && strcmp(text, coarsen_kernels[0].source) != 0);
        if (text && (two = (char *)malloc(strlen(text) + 1)) != NULL) strcpy(two, text);
        CHECK(gputune_config_parse(space, "FACTOR_X=2 STRIDE_X=32 GROUP_X=64", &config));
        CHECK_TEXT(gputune_kernel_source(g.kernel, &config), two);
        CHECK(gputune_config_parse(space, "FACTOR_X=4 STRIDE_X=32 GROUP_X=64", &config));
        text = gputune_kernel_source(g.kernel, &config);
        CHECK(text && strcmp(text, two) != 0);
        CHECK(text && !strstr(text, "FACTOR_X") && !strstr(text, "STRIDE_X") &&
              !strstr(text, "GROUP_X"));
        free(two);
    }
    coarsen_gpu_close(&g);
}

// AUTO takes the form that all configurations allow. Of a long text it reads only the first ones.
static void test_coarsen_long_text(void)
{
    static char text[120000];
    int i, longer;
    for (longer = 0; longer < 2; longer++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
        coarsen_gpu g;
        size_t at = 0;
        for (i = 0; i < 5; i++)
            at += (size_t)sprintf(text + at, "#pragma gputune set 1,2\n#define P%d 1\n", i);
        at += (size_t)sprintf(text + at, "__kernel void many(__global float *x)\n{\n"
                              "    int i = get_global_id(0);\n    float sum = x[i];\n");
        for (i = 0; i < 4; i++)
            at += (size_t)sprintf(text + at, "#if P%d == 2\n    sum += %d;\n#endif\n", i, i);
        sprintf(text + at, "#if P4 == 2\n    for (i = 0; i < 3; i++)\n"
                "        barrier(CLK_LOCAL_MEM_FENCE);\n#endif\n    x[i] = sum;\n} // %*d\n",
                longer ? 110000 : 1, 1);
        desc.source = text;
        desc.name = "many";
        desc.global = desc.local = "64";
        desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
        coarsen_gpu_init(&g);
        if (coarsen_gpu_open(&g, &desc))
            CHECK_INT(g.kernel->coarsened.form,
                      longer ? GPUTUNE_COARSEN_THREAD : GPUTUNE_COARSEN_GROUP);
        coarsen_gpu_close(&g);
    }
}

// To do a part of its grid a kernel becomes a range where its work-group is known, and keeps its
// place in the text; else it is rewritten at thread level. What is launched is the part's groups.
static void test_coarsen_range_form(void)
{
    for (int i = 0; i < COARSEN_KERNELS; i++) {
        const bool known = coarsen_kernels[i].local != NULL;
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[i]);
        coarsen_gpu g;
        desc.coarsen.form = GPUTUNE_COARSEN_OFF;
        coarsen_gpu_init(&g);
        if (coarsen_gpu_open(&g, &desc)) {
            gputune_config config =
                gputune_space_default(coarsen_space_of(g.kernel, g.args)); // of NULL: all zero
            gputune_error error;
            gt__variant v;
            char *text = NULL;
            bool converted;
            g.device->driver.takes_source = true;
            v = coarsen_shape(g.kernel, &config, g.args, 5, UINT64_C(1) << 40);
            CHECK_INT(gt__kernel_text(g.kernel, &v, &text, &converted, &error), GPUTUNE_OK);
            CHECK(text && strstr(text, "gputune_grid gt__grid"));
            CHECK(text && known == !strstr(text, "gt__k0"));
            CHECK(v.grid.size[0] > 0);
            CHECK_INT(v.grid.end[0] * (known ? v.grid.local[0] : 1), 1 << 20);
            CHECK_INT(v.global[0], 1 << 20);
            gt__arr_free(&g.kernel->base, text);
        }
        coarsen_gpu_close(&g);
    }
}

// --- on the device, against plain C ---

typedef struct coarsen_rig {
    const coarsen_kernel *c;
    gputune_device *device;
    gputune_kernel *kernel;
    void *in, *out;
    int sizes[3], count;
    gputune_arg args[5];
    float got[COARSEN_MOST];
} coarsen_rig;

static void coarsen_close(coarsen_rig *r)
{
    gputune_kernel_destroy(r->kernel);
    gputune_buffer_destroy(r->device, r->in);
    gputune_buffer_destroy(r->device, r->out);
    gputune_device_destroy(r->device);
}

// False: the case is over, skipped or failed, and nothing is open.
static bool coarsen_open(coarsen_rig *r, const coarsen_kernel *c, const gputune_kernel_desc *desc,
                         const char *store)
{
    gputune_kernel_desc quick = *desc;
    float in[COARSEN_MOST];
    int i;
    // On PoCL: that takes half the time. The corpus and others are compiled with the optimiser.
    if (!quick.compiler_options && !rig_now->needs_gpu) quick.compiler_options = "-cl-opt-disable";
    memset(r, 0, sizeof *r);
    r->c = c;
    r->device = rig_device(store);
    if (!r->device) return false;
    for (i = 0; i < COARSEN_MOST; i++) in[i] = (float)coarsen_in(i);
    r->in = gputune_buffer_create(r->device, sizeof in, in);
    r->out = gputune_buffer_create(r->device, sizeof r->got, NULL);
    r->kernel = gputune_kernel_create(r->device, &quick);
    CHECK_OR(gputune_kernel_error(r->kernel)->result == GPUTUNE_OK, "%s: %s", c->name,
             gputune_kernel_error(r->kernel)->text);
    if (gputune_kernel_error(r->kernel)->result == GPUTUNE_OK) return true;
    coarsen_close(r);
    return false;
}

static void coarsen_sizes(coarsen_rig *r, const int *sizes)
{
    int d;
    for (d = 0; d < 3; d++) {
        r->sizes[d] = d < r->c->dimensions ? sizes[d] : 1;
        r->args[d] = gputune_int(r->sizes[d]);
    }
    r->count = r->sizes[0] * r->sizes[1] * r->sizes[2];
    r->args[3] = gputune_in(r->in, sizeof r->got);
    r->args[4] = gputune_out(r->out, (size_t)r->count * 4);
}

static void coarsen_clear(coarsen_rig *r)
{
    int i;
    for (i = 0; i < COARSEN_MOST; i++) r->got[i] = -12345;
    CHECK_INT(gputune_buffer_write(r->device, r->out, 0, r->got, sizeof r->got), GPUTUNE_OK);
}

// Compares: below `end` what C computes, elsewhere nothing is written.
static void coarsen_compare(coarsen_rig *r, const uint64_t end[3], const char *what)
{
    int x, y, z, i, wrong = 0;
    CHECK_INT(gputune_buffer_read(r->device, r->out, 0, r->got, sizeof r->got), GPUTUNE_OK);
    for (z = 0; z < r->sizes[2]; z++)
        for (y = 0; y < r->sizes[1]; y++)
            for (x = 0; x < r->sizes[0]; x++) {
                bool done = (uint64_t)x < end[0] && (uint64_t)y < end[1] && (uint64_t)z < end[2];
                double right = done ? r->c->expected(x, y, z, r->sizes) : -12345;
                i = (z * r->sizes[1] + y) * r->sizes[0] + x;
                if ((double)r->got[i] == right) continue;
                if (!wrong++)
                    TEST_FAIL("%s %d x %d x %d, %s: [%d] is %g, expected %g", r->c->name,
                              r->sizes[0], r->sizes[1], r->sizes[2], what, i, (double)r->got[i],
                              right);
            }
    for (i = r->count; i < COARSEN_MOST; i++) wrong += r->got[i] != -12345;
    CHECK_INT(wrong, 0);
}

static const uint64_t coarsen_all[3] = { UINT64_MAX, UINT64_MAX, UINT64_MAX };

static void coarsen_try(coarsen_rig *r, const gputune_config *config)
{
    char text[256];
    gputune_result result;
    gputune_config_text(config, text, sizeof text);
    coarsen_clear(r);
    result = gputune_kernel_launch(r->kernel, config, r->args, 5);
    if (result != GPUTUNE_OK)
        TEST_FAIL("%s, %s: %s", r->c->name, text, gputune_kernel_error(r->kernel)->text);
    else
        coarsen_compare(r, coarsen_all, text);
}

static const int coarsen_awkward[][3] = {
    { 1, 1, 1 }, { 17, 31, 5 }, { 64, 16, 4 }, { 103, 13, 3 }, { 32, 1, 7 }
};

enum { COARSEN_AWKWARD = sizeof coarsen_awkward / sizeof *coarsen_awkward };

// Unmodified kernels, drawn configurations, awkward sizes: every output is right.
static void coarsen_draw(coarsen_rig *r, uint64_t *state, int draws)
{
    int s, i;
    for (s = 0; s < COARSEN_AWKWARD && test_failures < 5; s++) {
        const gputune_space *space;
        coarsen_sizes(r, coarsen_awkward[s]);
        space = coarsen_space_of(r->kernel, r->args);
        for (i = 0; i < draws && space; i++) {
            uint64_t at = test_random_below(state, gputune_space_count(space));
            gputune_config config = gputune_space_at(space, at);
            if (i == 0) config = gputune_space_default(space);
            coarsen_try(r, &config);
        }
    }
}

static void test_coarsen_outputs(void)
{
    static coarsen_rig r;
    uint64_t state = 5;
    int c;
    for (c = 0; c < COARSEN_KERNELS; c++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[c]);
        if (!coarsen_open(&r, &coarsen_kernels[c], &desc, "")) return;
        if (!test_failures) coarsen_draw(&r, &state, rig_draws(4));
        coarsen_close(&r);
    }
}

// With parameters of the program's own, which share restrictions with coarsening's.
static const coarsen_kernel coarsen_own = {
    "own",
    "#pragma gputune set 1,2,4\n"
    "#define ITEMS 1\n"
    "#pragma gputune require FACTOR_X * ITEMS <= 8\n"
    "#define FACTOR_X 2 // the kernel's own: no parameter\n"
    "__kernel void own(int n, int m, int l, __global const float *x, __global float *y)\n"
    "{\n"
    "    for (int i = get_global_id(0) * ITEMS; i < (get_global_id(0) + 1) * ITEMS; i++)\n"
    "        if (i < n) y[i] = FACTOR_X * x[i] + n;\n"
    "}\n",
    "ceil_div(n, ITEMS)",
    NULL,
    1,
    GPUTUNE_COARSEN_THREAD,
    coarsen_line
};

static void test_coarsen_own_parameters(void)
{
    static coarsen_rig r;
    gputune_kernel_desc desc = coarsen_desc(&coarsen_own);
    const gputune_space *space;
    uint64_t state = 9, i;
    if (!coarsen_open(&r, &coarsen_own, &desc, "")) return;
    coarsen_draw(&r, &state, rig_draws(6));
    space = coarsen_space_of(r.kernel, r.args);
    CHECK(gputune_space_count(space) > 10);
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        CHECK(gputune_config_int(&config, "FACTOR_X") * gputune_config_int(&config, "ITEMS") <= 8);
    }
    coarsen_close(&r);
}

// An #if over parameters: one configuration has barriers, others loops, a return, or neither.
static int coarsen_values[2]; // of the two parameters

static double coarsen_chosen_sum(int x, int y, int z, const int size[3])
{
    double sum[16];
    int k, turn;
    (void)y, (void)z;
    for (k = 0; k < 16; k++) {
        const int at = x / 16 * 16 + k;
        sum[k] = at < size[0] ? coarsen_in(at) : 0;
    }
    for (turn = 0; turn < coarsen_values[1] && coarsen_values[0]; turn++) {
        double t[16];
        memcpy(t, sum, sizeof t);
        for (k = 0; k < 16; k++)
            sum[k] = coarsen_values[0] == 2 ? sum[k] + t[15 - k] : 2 * sum[k] + turn;
    }
    return coarsen_values[0] ? sum[x % 16] : 3 * sum[x % 16];
}

static double coarsen_merged_sum(int x, int y, int z, const int size[3])
{
    double sum = coarsen_in(x);
    int k;
    (void)y, (void)z;
    if (!coarsen_values[0]) return 2 * sum + coarsen_values[1];
    for (k = 0; k < coarsen_values[1]; k++) {
        if (coarsen_values[1] <= 2)
            sum += coarsen_in(x) * k;
        else if (x + k < size[0])
            sum += coarsen_in(x + k);
    }
    return sum;
}

static const coarsen_kernel coarsen_chosen[] = {
    { "chosen",
      "#pragma gputune set 0,1,2\n"
      "#define MODE 0\n"
      "#pragma gputune set 1,3\n"
      "#define TURNS 1\n"
      "__kernel void chosen(int n, int m, int l, __global const float *in, __global float *out)\n"
      "{\n"
      "    int i = get_global_id(0), k = get_local_id(0);\n"
      "    float sum = i < n ? in[i] : 0;\n"
      "#if MODE == 2\n"
      "    __local float t[16];\n"
      "    for (int turn = 0; turn < TURNS; turn++) {\n"
      "        t[k] = sum;\n"
      "        barrier(CLK_LOCAL_MEM_FENCE);\n"
      "        sum += t[15 - k];\n"
      "        barrier(CLK_LOCAL_MEM_FENCE);\n"
      "    }\n"
      "#elif MODE\n"
      "    for (int turn = 0; turn < TURNS; turn++) sum = 2 * sum + turn;\n"
      "#else\n"
      "    if (i >= n) return;\n"
      "    sum = 3 * sum;\n"
      "#endif\n"
      "    if (i < n) out[i] = sum;\n"
      "}\n",
      "n", "16", 1, GPUTUNE_COARSEN_GROUP, coarsen_chosen_sum },
    { "merged",
      "#pragma gputune set 0,1\n"
      "#define MODE 0\n"
      "#pragma gputune set 1,2,4\n"
      "#define TURNS 1\n"
      "__kernel void merged(int n, int m, int l, __global const float *in, __global float *out)\n"
      "{\n"
      "    int i = get_global_id(0);\n"
      "    float sum = in[i];\n"
      "#if MODE\n"
      "    for (int k = 0; k < TURNS; k++) {\n"
      "#if TURNS > 2\n"
      "        if (i + k < n) sum += in[i + k];\n"
      "#else\n"
      "        sum += in[i] * k;\n"
      "#endif\n"
      "    }\n"
      "#else\n"
      "    sum = 2 * sum + TURNS;\n"
      "#endif\n"
      "    out[i] = sum;\n"
      "}\n",
      "n", NULL, 1, GPUTUNE_COARSEN_THREAD, coarsen_merged_sum },
};

static void test_coarsen_chosen(void)
{
    static const char *const forms[][3] = { { "FACTOR_X=1", "FACTOR_X=4", NULL },
                                            { "FACTOR_X=1", "FACTOR_X=4 COARSEN_FORM=loop",
                                              "FACTOR_X=4 COARSEN_FORM=merge" } };
    static coarsen_rig r;
    int c, f, a, b, s, tried = 0;
    for (c = 0; c < 2; c++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_chosen[c]);
        if (!coarsen_open(&r, &coarsen_chosen[c], &desc, "")) return;
        for (s = 3; s > 1; s--) {
            const gputune_space *space;
            coarsen_sizes(&r, coarsen_awkward[s]);
            space = coarsen_space_of(r.kernel, r.args);
            for (a = 0; a < 3 - c; a++)
                for (b = 1; b < 5; b++)
                    for (f = 0; f < 3 && forms[c][f]; f++) {
                        char text[100];
                        gputune_config config;
                        snprintf(text, sizeof text, "MODE=%d TURNS=%d %s", a, b, forms[c][f]);
                        if (!gputune_config_parse(space, text, &config)) continue;
                        coarsen_values[0] = a;
                        coarsen_values[1] = b;
                        coarsen_try(&r, &config);
                        tried++;
                        CHECK((!f && !r.device->driver.prelude) == // what is converted is read
                              (strstr(gputune_kernel_source(r.kernel, &config), "#if MODE") !=
                               NULL));
                    }
        }
        coarsen_close(&r);
    }
    CHECK_INT(tried, 2 * (3 * 2 * 2 + 2 * 3 * 3));
}

// An #if that only the compiler decides: the kernel runs, and is rewritten where the text decides.
static void test_coarsen_undecided(void)
{
    static const coarsen_kernel kernel = {
        "line",
        "#undef __NOBODY\n"
        "__kernel void line(int n, int m, int l, __global const float *x, __global float *y)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "#ifdef __NOBODY\n"
        "    y[i] = 7;\n"
        "#else\n"
        "    y[i] = 2 * x[i] + n;\n"
        "#endif\n"
        "}\n",
        "n", NULL, 1, GPUTUNE_COARSEN_THREAD, coarsen_line
    };
    static coarsen_rig r;
    int i;
    for (i = 0; i < 2; i++) {
        gputune_kernel_desc desc = coarsen_desc(&kernel);
        gputune_config config;
        const gputune_space *space;
        if (!i) desc.source = strchr(desc.source, '\n');
        desc.coarsen.form = i ? GPUTUNE_COARSEN_AUTO : GPUTUNE_COARSEN_OFF;
        if (!coarsen_open(&r, &kernel, &desc, "")) return;
        coarsen_sizes(&r, coarsen_awkward[3]);
        space = coarsen_space_of(r.kernel, r.args);
        CHECK(gputune_config_parse(space, i ? "FACTOR_X=4" : "", &config));
        coarsen_try(&r, &config);
        if (!i) {
            const bool known = r.device->driver.prelude != NULL; // which defines no such name
            gputune_kernel *refused;
            desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
            refused = gputune_kernel_create(r.device, &desc);
            CHECK_INT(gputune_kernel_error(refused)->result,
                      known ? GPUTUNE_OK : GPUTUNE_ERROR_UNSUPPORTED);
            CHECK_HAS(gputune_kernel_error(refused)->text,
                      known ? "" : "line 5: only the compiler knows __NOBODY: give -D__NOBODY or "
                                   "write #undef __NOBODY");
            gputune_kernel_destroy(refused);
        }
        coarsen_close(&r);
    }
}

// How many configurations 7 groups have, which count as 8: those of 2, 4 and 8 have 3, 2 and 1
// strides, and must not leave compute units without a group that had one.
static long coarsen_turns(const coarsen_rig *r)
{
    const long units = gputune_device_limits(r->device)->compute_units;
    long count = 1, factor, strides = 3;
    for (factor = 2; factor <= 8; factor *= 2, strides--)
        if (8 < units || 8 / factor >= units) count += strides;
    return count;
}

// A whole tuning: nothing fails, the answer is right and is the next process's, without a search.
static void test_coarsen_tuned(void)
{
    static coarsen_rig r;
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    int c, run;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    for (c = 0; c < COARSEN_KERNELS; c++)
        for (run = 0; run < 2; run++) {
            gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[c]);
            const gputune_outcome *o;
            desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
            desc.tune.budget.trials = 8;
            desc.tune.budget.seconds = -1; // however busy the machine is
            if (!coarsen_open(&r, &coarsen_kernels[c], &desc, store)) break;
            coarsen_sizes(&r, coarsen_awkward[3]);
            coarsen_clear(&r);
            CHECK_INT(gputune_run(r.kernel, r.args, 5), GPUTUNE_OK);
            coarsen_compare(&r, coarsen_all, "tuned");
            o = gputune_kernel_outcome(r.kernel);
            CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
            if (!run) CHECK_INT(o->trials, c == 3 ? coarsen_turns(&r) : 8);
            if (run) CHECK_INT(o->origin, GPUTUNE_FROM_STORE);
            if (run) CHECK_INT(test_trials(r.kernel), 0);
            coarsen_close(&r);
        }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

// A winner is launched for other sizes of its bucket, and for none of its own: grids are those of
// the call. With `exact` each size has an answer of its own; else two devices share the search, as
// far as the machine has two.
static void test_coarsen_other_sizes(void)
{
    static const int sizes[][3] = { { 103, 1, 1 }, { 97, 1, 1 }, { 128, 1, 1 } };
    static coarsen_rig r;
    gputune_device *own = rig_device(""), *more[2] = { NULL, NULL };
    int c, i, exact;
    if (!own) return;
    more[0] = rig_further(own);
    for (c = 0; c <= 3; c += 3) // at thread level, at group level
        for (exact = 0; exact < 2; exact++) {
            gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[c]);
            static const char *const require[] = { "FACTOR_X == 4", NULL };
            const gputune_outcome *o;
            coarsen_keys keys = { { NULL }, 0 };
            desc.require = require; // whatever wins is coarsened
            if (exact) desc.tune.problem = "exact";
            desc.tune.devices = exact ? NULL : more;
            desc.tune.budget.trials = 2;
            if (!coarsen_open(&r, &coarsen_kernels[c], &desc, "")) break;
            for (i = 0; i < 3 && !test_failures; i++) {
                coarsen_sizes(&r, sizes[i]);
                coarsen_clear(&r);
                CHECK_OR(gputune_run(r.kernel, r.args, 5) == GPUTUNE_OK, "%s: %s",
                         coarsen_kernels[c].name, gputune_kernel_error(r.kernel)->text);
                if (test_failures) break;
                coarsen_compare(&r, coarsen_all, exact ? "exact" : "other size");
                o = gputune_kernel_outcome(r.kernel);
                CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
                CHECK_INT(gputune_config_int(&o->config, "FACTOR_X"), 4);
                coarsen_key(&keys, r.kernel, r.args);
            }
            CHECK_INT(keys.count, exact ? 3 : 1);
            coarsen_close(&r);
        }
    gputune_device_destroy(more[0]);
    gputune_device_destroy(own);
}

// MSP-tuning on a part of the grid, where the program's reference has another grid: its part would
// be another one, so outputs are the default's there, and the reference's at the real size.
static void test_coarsen_part_reference(void)
{
    static const char source[] =
        "__kernel void line(int n, int m, int l, __global const float *x, __global float *y)\n"
        "{\n"
        "    y[get_global_id(0)] = 2 * x[get_global_id(0)] + n;\n"
        "}\n"
        "#pragma gputune global 1\n"
        "__kernel void slow(int n, int m, int l, __global const float *x, __global float *y)\n"
        "{\n"
        "    for (int i = 0; i < n; i++) y[i] = 2 * x[i] + n + WRONG;\n"
        "}\n";
    static coarsen_rig r;
    int wrong;
    for (wrong = 0; wrong < 2; wrong++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
        const int size[3] = { COARSEN_MOST, 1, 1 };
        gputune_saturation_desc msp;
        gputune_outcome o;
        memset(&msp, 0, sizeof msp);
        desc.source = source;
        desc.compiler_options = wrong ? "-DWRONG=1" : "-DWRONG=0";
        desc.tune.reference = "slow";
        msp.smallest = msp.largest = 512;
        desc.tune.msp = &msp;
        desc.tune.budget.trials = 3;
        if (!coarsen_open(&r, &coarsen_kernels[0], &desc, "")) return;
        coarsen_sizes(&r, size);
        CHECK_INT(test_tunes(r.kernel, r.args, 5, &o),
                  wrong ? GPUTUNE_ERROR_WRONG_OUTPUT : GPUTUNE_OK);
        if (!wrong) {
            CHECK_INT(test_seen.failed, 0);
            CHECK(o.curve != NULL);
            CHECK_NEAR(o.search_size, 512, 0);
        }
        coarsen_close(&r);
    }
}

// On a device: what `again` reads twice is another number the second time where it works in place.
enum { COARSEN_AGAIN = 4096 };

typedef struct coarsen_again {
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_pool *pool; // that runs, or NULL
    void *buffers[3];
    gputune_arg args[4];
} coarsen_again;

// x becomes y, as a configuration or (NULL) as it is tuned, or by the pool; what y and z then begin
// with.
static void coarsen_step(coarsen_again *r, const gputune_config *config, void *x, void *y,
                         float right_y, float right_z)
{
    const gputune_error *error = r->pool ? gputune_pool_error(r->pool)
                                         : gputune_kernel_error(r->kernel);
    const size_t bytes = COARSEN_AGAIN * sizeof(float);
    float got[COARSEN_AGAIN];
    int i, b, wrong = 0;
    r->args[1] = gputune_in(x, bytes);
    r->args[2] = x == y ? gputune_inout(y, bytes) : gputune_out(y, bytes);
    CHECK_OR((r->pool  ? gputune_pool_run(r->pool, r->args, 4)
              : config ? gputune_kernel_launch(r->kernel, config, r->args, 4)
                       : gputune_run(r->kernel, r->args, 4)) == GPUTUNE_OK,
             "%s", error->text);
    for (b = 0; b < 2; b++) {
        CHECK_INT(gputune_buffer_read(r->device, b ? r->buffers[2] : y, 0, got, bytes), GPUTUNE_OK);
        for (i = 0; i < COARSEN_AGAIN; i++) {
            const float right = (float)i + (b ? right_z : right_y);
            if (got[i] != right && !wrong++)
                TEST_FAIL("%c[%d] is %g, expected %g", "yz"[b], i, (double)got[i], (double)right);
        }
    }
}

static void coarsen_sub_buffers(coarsen_again *r, const gputune_config *config)
{
    gt_cl__device *cl = (gt_cl__device *)gputune_device_self(r->device, "opencl");
    const cl_buffer_region all = { 0, COARSEN_AGAIN * sizeof(float) }, half = { 8192, 8192 };
    size_t offset = 1;
    cl_mem part[3];
    cl_int code;
    int i;
    if (!cl) return;
    for (i = 0; i < 3; i++) {
        part[i] = cl->call.clCreateSubBuffer((cl_mem)r->buffers[0], 0,
                                             CL_BUFFER_CREATE_TYPE_REGION, i < 2 ? &all : &half,
                                             &code);
        CHECK_INT(code, CL_SUCCESS);
    }
    CHECK(r->device->driver.parent(cl, part[2], &offset) == r->buffers[0]);
    CHECK_INT(offset, 8193);
    CHECK(r->device->driver.parent(cl, r->buffers[0], &offset) == r->buffers[0]);
    CHECK_INT(offset, 8193);
    coarsen_step(r, config, part[0], part[1], 3, 3);
    coarsen_step(r, config, part[0], r->buffers[1], 4, 3);
    for (i = 0; i < 3; i++) cl->call.clReleaseMemObject(part[i]);
}

// A pool's launches look, too.
static void coarsen_pooled(coarsen_again *r, const gputune_kernel_desc *desc)
{
    gputune_kernel_desc kernels[2];
    gputune_pool_desc pool;
    memset(kernels, 0, sizeof kernels);
    memset(&pool, 0, sizeof pool);
    kernels[0] = *desc;
    kernels[0].config = "FACTOR_X=4 STRIDE_X=32";
    kernels[0].local = "64";
    pool.name = "again";
    pool.kernels = kernels;
    pool.units = "n";
    r->pool = gputune_pool_create(r->device, &pool);
    coarsen_step(r, NULL, r->buffers[0], r->buffers[1], 5, 4);
    coarsen_step(r, NULL, r->buffers[1], r->buffers[1], 6, 6);
    coarsen_step(r, NULL, r->buffers[1], r->buffers[0], 7, 6);
    gputune_pool_destroy(r->pool);
}

static void test_coarsen_again(void)
{
    static const char *const require[] = { "FACTOR_X == 4 && STRIDE_X == 32", NULL };
    float in[COARSEN_AGAIN];
    int i, first;
    for (i = 0; i < COARSEN_AGAIN; i++) in[i] = (float)i;
    for (first = 0; first < 2; first++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
        gputune_config config;
        coarsen_again r;
        memset(&r, 0, sizeof r);
        desc.name = "again";
        desc.source = "__kernel void again(int n, __global const float *x, __global float *y,\n"
                      "                    __global float *z)\n"
                      "{\n"
                      "    const int i = get_global_id(0);\n"
                      "    if (i >= n) return;\n"
                      "    y[i] = x[i] + 1;\n"
                      "    z[i] = x[i];\n"
                      "}\n";
        desc.require = require; // whatever wins is coarsened
        desc.coarsen.groups = "set 0";
        desc.tune.budget.trials = 3;
        r.device = rig_device("");
        if (!r.device) return;
        r.kernel = gputune_kernel_create(r.device, &desc);
        for (i = 0; i < 3; i++)
            r.buffers[i] = gputune_buffer_create(r.device, sizeof in, in);
        r.args[0] = gputune_int(COARSEN_AGAIN);
        r.args[3] = gputune_out(r.buffers[2], sizeof in);
        if (first) coarsen_step(&r, NULL, r.buffers[0], r.buffers[1], 1, 0); // tuned apart
        if (first) coarsen_step(&r, NULL, r.buffers[1], r.buffers[0], 2, 1);
        coarsen_step(&r, NULL, r.buffers[0], r.buffers[0], first ? 3 : 1, first ? 3 : 1);
        coarsen_step(&r, NULL, r.buffers[0], r.buffers[1], first ? 4 : 2, first ? 3 : 1);
        coarsen_step(&r, NULL, r.buffers[0], r.buffers[0], first ? 4 : 2, first ? 4 : 2);
        CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
        config = gputune_kernel_outcome(r.kernel)->config;
        CHECK_INT(gputune_config_int(&config, "FACTOR_X"), 4);
        if (!first) coarsen_sub_buffers(&r, &config);
        if (first) coarsen_pooled(&r, &desc);
        for (i = 0; i < 3; i++) gputune_buffer_destroy(r.device, r.buffers[i]);
        gputune_kernel_destroy(r.kernel);
        gputune_device_destroy(r.device);
    }
}

// Launches about `part` work-items of a configuration; returns how many it was to be, by dimension.
static void coarsen_launch_part(coarsen_rig *r, const gputune_config *config, uint64_t part,
                                uint64_t end[3])
{
    gt__variant v;
    gt__call call;
    gputune_driver_launch launch;
    gputune_error error;
    gputune_result result;
    int d;
    memset(&v, 0, sizeof v);
    memset(end, 0, 3 * sizeof *end);
    result = gt__kernel_bind(r->kernel, config, r->args, 5, &call, &error);
    CHECK_OR(!result, "%s: %s", r->c->name, error.text);
    if (result) return;
    call.part = part;
    result = gt__variant_make(r->kernel, config, &call, &v, &error);
    CHECK_INT(result, GPUTUNE_OK);
    if (result != GPUTUNE_OK) {
        TEST_FAIL("%s: %s", r->c->name, error.text);
        return;
    }
    gt__variant_launch(&v, call.bound, call.count, &launch);
    CHECK_INT(r->device->driver.launch(r->device->self, v.code, &launch, &error), GPUTUNE_OK);
    for (d = 0; d < 3; d++)
        end[d] = v.grid.end[d] * (r->c->form == GPUTUNE_COARSEN_GROUP ? v.grid.local[d] : 1);
    gt__variant_discard(r->kernel, &v);
}

// A part of the grid writes its part of the output, and no more, however the kernel is coarsened.
static void test_coarsen_parts(void)
{
    static coarsen_rig r;
    uint64_t state = 3, whole, end[3], first[3] = { 0, 0, 0 };
    int c, i, p;
    for (c = 0; c < COARSEN_KERNELS; c++) {
        gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[c]);
        const gputune_space *space;
        if (!coarsen_open(&r, &coarsen_kernels[c], &desc, "")) return;
        coarsen_sizes(&r, coarsen_awkward[1 + c % 3]);
        space = coarsen_space_of(r.kernel, r.args);
        for (p = 0; p < 3 && space && test_failures < 5; p++)
            for (i = 0; i < 2; i++) {
                uint64_t at = test_random_below(&state, gputune_space_count(space));
                gputune_config config = gputune_space_at(space, at);
                uint64_t part = (uint64_t)r.count >> (2 * p);
                if (i == 0) config = gputune_space_default(space);
                coarsen_clear(&r);
                coarsen_launch_part(&r, &config, part ? part : 1, end);
                coarsen_compare(&r, end, "part");
                if (i == 0) memcpy(first, end, sizeof end);
                CHECK(memcmp(first, end, sizeof end) == 0); // or outputs could not be compared
                whole = end[0] * end[1] * end[2];
                CHECK(whole >= 1 && (whole <= part || whole <= 16 || p == 0));
            }
        coarsen_close(&r);
    }
}

// Compiled for a part of the grid and, later, as it is: not the same code. Without coarsening, too.
static void test_coarsen_ranged(void)
{
    static coarsen_rig r;
    gputune_kernel_desc desc = coarsen_desc(&coarsen_kernels[0]);
    int run;
    desc.coarsen.form = GPUTUNE_COARSEN_OFF;
    if (!coarsen_open(&r, &coarsen_kernels[0], &desc, "")) return;
    coarsen_sizes(&r, coarsen_awkward[3]);
    for (run = 0; run < 3 && !test_failures; run++) {
        const uint64_t part = run == 1 ? UINT64_C(1) << 40 : 0; // the whole, as a part
        const gputune_space *space = coarsen_space_of(r.kernel, r.args);
        gputune_config config = gputune_space_default(space);
        uint64_t end[3];
        if (!space) break;
        if (part) {
            coarsen_clear(&r);
            coarsen_launch_part(&r, &config, part, end);
            coarsen_compare(&r, coarsen_all, "part");
        } else {
            coarsen_try(&r, &config);
        }
        CHECK_INT(coarsen_shape(r.kernel, &config, r.args, 5, part).grid.size[0] > 0, part > 0);
        CHECK_INT(gt__len(r.kernel->codes), run ? 2 : 1);
    }
    coarsen_close(&r);
}

static const test_case coarsen_cases[] = {
    { "counts", test_coarsen_counts },
    { "small_problems", test_coarsen_small_problems },
    { "one_key", test_coarsen_one_key },
    { "refused", test_coarsen_refused },
    { "selector", test_coarsen_selector },
    { "geometry", test_coarsen_geometry },
    { "sizes", test_coarsen_sizes },
    { "cut", test_coarsen_cut },
    { "compiles_once", test_coarsen_compiles_once },
    { "codes_bounded", test_coarsen_codes_bounded },
    { "heads", test_coarsen_heads },
    { "overlaps", test_coarsen_overlaps },
    { "in_place", test_coarsen_in_place },
    { "default_checked", test_coarsen_default_checked },
    { "group_limit", test_coarsen_group_limit },
    { "stored", test_coarsen_stored },
    { "resumed", test_coarsen_resumed },
    { "devices", test_coarsen_devices },
    { "no_memory", test_coarsen_no_memory },
    { "text", test_coarsen_text },
    { "range_form", test_coarsen_range_form },
    { "long_text", test_coarsen_long_text },
    { NULL, NULL },
};

// On every driver.
static const test_case coarsened_cases[] = {
    { "outputs", test_coarsen_outputs }, { "own_parameters", test_coarsen_own_parameters },
    { "chosen", test_coarsen_chosen },   { "undecided", test_coarsen_undecided },
    { "tuned", test_coarsen_tuned },     { "other_sizes", test_coarsen_other_sizes },
    { "part_reference", test_coarsen_part_reference },
    { "parts", test_coarsen_parts },     { "ranged", test_coarsen_ranged },
    { "again", test_coarsen_again },
    { NULL, NULL },
};
