// Programs as others have them. KTT's examples, small: coulomb, nbody, gemm and convolution are
// kernels, bicg, reduction and sort several launches as one; each is tuned for a few trials, and
// what it then computes is what plain C does. A file for many of NVIDIA's architectures.
#include "rig.h"
#include "test.h"

#include "../examples/cases.h"

enum { KTT_BUFFERS = 6, KTT_TRIALS = 4 };

typedef struct ktt_rig {
    gputune_device *device;
    gputune_kernel_desc desc;
    gputune_arg args[10];
    int count;
    void *buffers[KTT_BUFFERS];
    int buffer_count;
    gputune_outcome outcome;
    char wrong[4096]; // configurations of which the output was
} ktt_rig;

// False: there is no device.
static bool ktt_open(ktt_rig *r, const char *file, const char *name)
{
    memset(r, 0, sizeof *r);
    r->device = test_steady(rig_device(""));
    r->desc.file = file;
    r->desc.name = name;
    r->desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r->desc.tune.budget.trials = KTT_TRIALS;
    r->desc.tune.budget.seconds = -1;
    r->desc.tune.seed = 2;
    r->desc.tune.user = r;
    return r->device != NULL;
}

static void ktt_arg(ktt_rig *r, gputune_arg arg)
{
    r->args[r->count++] = arg;
}

static void ktt_number(ktt_rig *r, int64_t value)
{
    ktt_arg(r, gputune_int(value));
}

// A buffer of 4-byte elements as the next argument; values NULL: an output.
static void *ktt_buffer(ktt_rig *r, size_t count, const void *values)
{
    void *buffer = gputune_buffer_create(r->device, 4 * count, values);
    r->buffers[r->buffer_count++] = buffer;
    ktt_arg(r, values ? gputune_in(buffer, 4 * count) : gputune_out(buffer, 4 * count));
    return buffer;
}

// Tunes and launches; every trial but those that may be wrong was right.
static void ktt_run(ktt_rig *r, bool may_fail)
{
    gputune_kernel *k = gputune_kernel_create(r->device, &r->desc);
    const gputune_trial *trial;
    char text[512];
    int i;
    CHECK_OR(gputune_run(k, r->args, r->count) == GPUTUNE_OK, "%s", gputune_kernel_error(k)->text);
    r->outcome = *gputune_kernel_outcome(k);
    CHECK_INT(r->outcome.origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(test_trials(k), r->desc.tune.budget.trials);
    for (i = 0; (trial = gputune_kernel_trial(k, i)) != NULL; i++) {
        gputune_config_text(&trial->config, text, sizeof text);
        CHECK_OR(may_fail || trial->result == GPUTUNE_OK, "%s: %s", text, trial->reason);
        if (trial->result == GPUTUNE_ERROR_WRONG_OUTPUT)
            gt__append(r->wrong, sizeof r->wrong, "%s\n", text);
    }
    gputune_kernel_destroy(k);
}

static void ktt_close(ktt_rig *r)
{
    while (r->buffer_count) gputune_buffer_destroy(r->device, r->buffers[--r->buffer_count]);
    gputune_device_destroy(r->device);
}

static void ktt_expect(ktt_rig *r, void *buffer, size_t i, double expected, double tolerance)
{
    float got = 0;
    CHECK_INT(gputune_buffer_read(r->device, buffer, 4 * i, &got, sizeof got), GPUTUNE_OK);
    CHECK_OR(fabs(got - expected) <= tolerance, "element %zu is %g, expected %g", i, got, expected);
}

static float ktt_random(uint64_t *state)
{
    return (float)(test_random_below(state, 1 << 20)) / (1 << 20);
}

// --- kernels ---

static void ktt_coulomb(void)
{
    enum { ATOMS = 64, SIZE = 20 };
    float atoms[4 * ATOMS], all[4 * ATOMS];
    uint64_t state = 1;
    ktt_rig r;
    void *energy;
    int i, at;
    if (!ktt_open(&r, "tests/others/coulomb.cl", "coulomb")) return;
    for (i = 0; i < 4 * ATOMS; i++)
        all[i % 4 * ATOMS + i / 4] = atoms[i] = 10 * ktt_random(&state) + 0.01f;
    ktt_number(&r, ATOMS);
    ktt_number(&r, SIZE);
    ktt_arg(&r, gputune_float(0.5));
    ktt_buffer(&r, 4 * ATOMS, atoms);
    ktt_buffer(&r, 4 * ATOMS, all);
    energy = ktt_buffer(&r, SIZE * SIZE * SIZE, NULL);
    r.desc.tune.tolerance = 1e-3;
    ktt_run(&r, false);
    for (at = 0; at < SIZE * SIZE * SIZE; at += 379) {
        const double x = 0.5 * (at % SIZE), y = 0.5 * (at / SIZE % SIZE);
        const double z = 0.5 * (at / SIZE / SIZE);
        double sum = 0;
        for (i = 0; i < ATOMS; i++)
            sum += atoms[4 * i + 3] / sqrt(pow(x - atoms[4 * i], 2) + pow(y - atoms[4 * i + 1], 2) +
                                           pow(z - atoms[4 * i + 2], 2));
        ktt_expect(&r, energy, (size_t)at, sum, 1e-3 * sum);
    }
    ktt_close(&r);
}

static void ktt_nbody(void)
{
    enum { N = 300 };
    float bodies[4 * N], all[4 * N];
    uint64_t state = 2;
    ktt_rig r;
    void *pull;
    int i, k;
    if (!ktt_open(&r, "tests/others/nbody.cl", "nbody")) return;
    for (i = 0; i < 4 * N; i++) all[i % 4 * N + i / 4] = bodies[i] = ktt_random(&state);
    ktt_number(&r, N);
    ktt_arg(&r, gputune_float(0.1));
    ktt_buffer(&r, 4 * N, bodies);
    ktt_buffer(&r, 4 * N, all);
    pull = ktt_buffer(&r, 4 * N, NULL);
    r.desc.tune.tolerance = 1e-3;
    ktt_run(&r, false);
    for (i = 0; i < N; i += 23) {
        double sum[3] = { 0, 0, 0 }, size = 0;
        for (k = 0; k < N; k++) {
            double d[3], square = 0.1f;
            int a;
            for (a = 0; a < 3; a++) d[a] = (double)bodies[4 * k + a] - bodies[4 * i + a];
            for (a = 0; a < 3; a++) square += d[a] * d[a];
            for (a = 0; a < 3; a++) sum[a] += bodies[4 * k + 3] * d[a] / (square * sqrt(square));
            size += bodies[4 * k + 3] / square;
        }
        for (k = 0; k < 3; k++) ktt_expect(&r, pull, (size_t)(4 * i + k), sum[k], 1e-5 * size);
    }
    ktt_close(&r);
}

// gemm and convolution are those of the examples, with their data and plain C.
static void ktt_example(const char *name)
{
    const example_case *kind = case_find(name);
    gputune_device *device = test_steady(rig_device(""));
    gputune_kernel_desc desc = case_desc(kind);
    gputune_kernel *k;
    case_data data;
    int size[3] = { 96, 64, 32 };
    char why[256] = "";
    if (!device) return;
    if (strcmp(name, "convolution") == 0) size[2] = 5;
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.trials = KTT_TRIALS;
    desc.tune.seed = 3;
    k = gputune_kernel_create(device, &desc);
    CHECK(case_make(&data, kind, device, size, 1));
    CHECK_OR(gputune_run(k, data.args, data.arg_count) == GPUTUNE_OK, "%s",
             gputune_kernel_error(k)->text);
    CHECK_INT(gputune_kernel_outcome(k)->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(test_kernel_seen(k).failed, 0);
    CHECK_OR(case_check(&data, 0, why, sizeof why), "%s", why);
    gputune_kernel_destroy(k);
    case_free(&data);
    gputune_device_destroy(device);
}

static void ktt_gemm(void)
{
    ktt_example("sgemm");
}

static void ktt_convolution(void)
{
    ktt_example("convolution");
}

// --- several launches as one ---

static gputune_result ktt_launch(gputune_kernel *k, const gputune_config *config, const char *name,
                                 const gputune_arg *args, int count)
{
    gputune_kernel_desc one;
    memset(&one, 0, sizeof one);
    one.name = name;
    return gputune_launch(k, config, &one, args, count);
}

// rows, columns, A, p, r, q, s, partial sums.
static gputune_result ktt_bicg_launch(void *user, gputune_kernel *k, const gputune_config *config,
                                      const gputune_arg *args, int count, void *queue)
{
    const int fused = (int)gputune_config_int(config, "FUSED");
    const gputune_arg q[5] = { args[0], args[1], args[2], args[3], args[5] };
    const gputune_arg s[5] = { args[0], args[1], args[2], args[4], args[6] };
    const gputune_arg clear[4] = { args[0], args[1], args[5], args[6] };
    const gputune_arg finish[5] = { args[0], args[1], args[7], args[5], args[6] };
    (void)user, (void)count, (void)queue;
    if (fused == 2) ktt_launch(k, config, "clear", clear, 4);
    if (fused) ktt_launch(k, config, "fused", args, 8);
    if (fused == 1) ktt_launch(k, config, "finish", finish, 5);
    if (!fused) ktt_launch(k, config, "q_of_p", q, 5);
    if (!fused) ktt_launch(k, config, "s_of_r", s, 5);
    return GPUTUNE_OK;
}

static void ktt_bicg(void)
{
    enum { ROWS = 160, COLUMNS = 96 };
    static float a[ROWS * COLUMNS];
    float p[COLUMNS], res[ROWS];
    uint64_t state = 3;
    ktt_rig r;
    void *q, *s;
    int i, k;
    if (!ktt_open(&r, "tests/others/bicg.cl", "bicg")) return;
    for (i = 0; i < ROWS * COLUMNS; i++) a[i] = ktt_random(&state);
    for (i = 0; i < COLUMNS; i++) p[i] = ktt_random(&state);
    for (i = 0; i < ROWS; i++) res[i] = ktt_random(&state);
    ktt_number(&r, ROWS);
    ktt_number(&r, COLUMNS);
    ktt_buffer(&r, ROWS * COLUMNS, a);
    ktt_buffer(&r, COLUMNS, p);
    ktt_buffer(&r, ROWS, res);
    q = ktt_buffer(&r, ROWS, NULL);
    s = ktt_buffer(&r, COLUMNS, NULL);
    ktt_arg(&r, gputune_scratch(4 * (COLUMNS / 16 * ROWS + ROWS / 32 * COLUMNS)));
    r.desc.signature = "int rows, int columns, const float *A, const float *p, const float *r, "
                       "float *q, float *s, float *part";
    r.desc.launch = ktt_bicg_launch;
    r.desc.tune.budget.trials = 6;
    ktt_run(&r, false);
    for (i = 0; i < ROWS; i += 7) {
        double sum = 0;
        for (k = 0; k < COLUMNS; k++) sum += (double)a[i * COLUMNS + k] * p[k];
        ktt_expect(&r, q, (size_t)i, sum, 1e-4 * sum);
    }
    for (i = 0; i < COLUMNS; i += 7) {
        double sum = 0;
        for (k = 0; k < ROWS; k++) sum += (double)a[k * COLUMNS + i] * res[k];
        ktt_expect(&r, s, (size_t)i, sum, 1e-4 * sum);
    }
    ktt_close(&r);
}

// n, numbers, sum, two buffers for passes. As KTT's host does it: groups that have a bound of their
// number add to one place, or do all in one pass.
static gputune_result ktt_reduction_launch(void *user, gputune_kernel *k,
                                           const gputune_config *config, const gputune_arg *args,
                                           int count, void *queue)
{
    const int group = (int)gputune_config_int(config, "WORK_GROUP_SIZE_X");
    const int vector = (int)gputune_config_int(config, "VECTOR_SIZE");
    const bool atomics = gputune_config_int(config, "USE_ATOMICS") != 0;
    const bool unbounded = gputune_config_int(config, "UNBOUNDED_WG") != 0;
    gputune_kernel_desc one;
    gputune_arg in = args[1];
    int n = (int)args[0].value.i, pass = 0, groups;
    (void)user, (void)count, (void)queue;
    memset(&one, 0, sizeof one);
    one.name = "add_up";
    one.global = unbounded ? "groups * WORK_GROUP_SIZE_X" : "WG_NUM * WORK_GROUP_SIZE_X";
    one.local = "WORK_GROUP_SIZE_X";
    if (atomics) ktt_launch(k, config, "clear", &args[2], 1);
    do {
        gputune_arg own[4];
        groups = (n + group * vector - 1) / (group * vector);
        own[0] = gputune_int(n);
        own[1] = in;
        own[2] = atomics || !unbounded || groups == 1 ? args[2] : args[3 + pass % 2];
        own[3] = gputune_number("groups", groups);
        gputune_launch(k, config, &one, own, 4);
        in = own[2];
        n = groups;
        pass++;
    } while (groups > 1 && unbounded && !atomics);
    return GPUTUNE_OK;
}

static void ktt_reduction(void)
{
    enum { N = 100003, ROOM = N + 16 };
    static const char *const require[] = { "UNBOUNDED_WG ? WG_NUM == 0 : WG_NUM > 0",
                                           "UNBOUNDED_WG || USE_ATOMICS", NULL };
    static unsigned numbers[ROOM];
    int lax;
    for (lax = 0; lax < 2; lax++) { // without the last restriction: what is wrong shows
        unsigned total = 0, got = 0;
        const char *at;
        ktt_rig r;
        void *sum;
        int i;
        if (!ktt_open(&r, "tests/others/reduction.cl", "reduction")) return;
        for (i = 0; i < N; i++) total += numbers[i] = (unsigned)i * 2654435761u;
        ktt_number(&r, N);
        ktt_buffer(&r, ROOM, numbers);
        sum = ktt_buffer(&r, 8, NULL);
        r.args[2] = gputune_compared(r.args[2], 0, 4, NULL);
        ktt_arg(&r, gputune_scratch(4 * ROOM));
        ktt_arg(&r, gputune_scratch(4 * ROOM));
        r.desc.signature = "int n, const uint *numbers, uint *sum, uint *one, uint *two";
        r.desc.require = lax ? (const char *const[]){ require[0], NULL } : require;
        r.desc.launch = ktt_reduction_launch;
        r.desc.tune.budget.trials = 8;
        ktt_run(&r, lax);
        CHECK_INT(gputune_buffer_read(r.device, sum, 0, &got, sizeof got), GPUTUNE_OK);
        CHECK_INT(got, total);
        CHECK((*r.wrong != 0) == lax);
        for (at = r.wrong; (at = strstr(at, "UNBOUNDED_WG=")) != NULL; at++)
            CHECK_OR(strncmp(at, "UNBOUNDED_WG=0", 14) == 0, "%s", r.wrong);
        ktt_close(&r);
    }
}

// The example's sort: its three kernels for each digit.
static gputune_result ktt_sort_launch(void *user, gputune_kernel *k, const gputune_config *config,
                                      const gputune_arg *args, int count, void *queue)
{
    const int bits = (int)gputune_config_int(config, "BITS");
    gputune_arg from = args[1], to = args[2];
    int shift;
    (void)user, (void)count, (void)queue;
    for (shift = 0; shift < 32; shift += bits) {
        const gputune_arg digits[4] = { args[0], gputune_int(shift), from, args[3] };
        const gputune_arg scan[2] = { args[0], args[3] };
        const gputune_arg scatter[5] = { args[0], gputune_int(shift), from, args[3], to };
        const gputune_arg other = from;
        ktt_launch(k, config, "radix_count", digits, 4);
        ktt_launch(k, config, "radix_scan", scan, 2);
        ktt_launch(k, config, "radix_scatter", scatter, 5);
        from = to;
        to = other;
    }
    return GPUTUNE_OK;
}

static int ktt_order(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void ktt_sort(void)
{
    enum { N = 20000 };
    static unsigned keys[N], got[N];
    ktt_rig r;
    void *buffer;
    int i;
    if (!ktt_open(&r, "examples/kernels/radix.cl", "radix sort")) return;
    for (i = 0; i < N; i++) keys[i] = (unsigned)i * 2654435761u;
    ktt_number(&r, N);
    buffer = ktt_buffer(&r, N, keys);
    r.args[1] = gputune_inout(buffer, sizeof keys);
    ktt_arg(&r, gputune_scratch(sizeof keys));
    ktt_arg(&r, gputune_scratch(sizeof keys + 256 * sizeof *keys)); // of the last chunk, too
    r.desc.signature = "int n, unsigned *keys, unsigned *other, unsigned *counts";
    r.desc.launch = ktt_sort_launch;
    ktt_run(&r, false);
    qsort(keys, N, sizeof *keys, ktt_order);
    CHECK_INT(gputune_buffer_read(r.device, buffer, 0, got, sizeof got), GPUTUNE_OK);
    CHECK(memcmp(got, keys, sizeof keys) == 0);
    ktt_close(&r);
}

static const test_case ktt_cases[] = {
    { "coulomb", ktt_coulomb }, { "nbody", ktt_nbody },         { "gemm", ktt_gemm },
    { "convolution", ktt_convolution }, { "bicg", ktt_bicg },   { "reduction", ktt_reduction },
    { "sort", ktt_sort },       { NULL, NULL },
};

// --- a file for many architectures, by this machine's NVRTC; no GPU is needed ---

// The PTX of a text for an architecture, or NULL and the compiler's log in why.
static char *others_ptx(const dialect_nvrtc *n, const char *text, int arch, char *why, size_t size)
{
    char option[64], *ptx = NULL, *log;
    const char *const words[2] = { option, "-std=c++14" };
    void *program = NULL;
    size_t length = 1;
    int result = n->create(&program, text, "architectures.cu", 0, NULL, NULL);
    snprintf(option, sizeof option, "--gpu-architecture=compute_%d", arch);
    if (!result) result = n->compile(program, 2, words);
    n->log_size(program, &length);
    log = (char *)calloc(1, length + 1);
    n->log(program, log);
    snprintf(why, size, "%s", log);
    free(log);
    if (!result && n->ptx_size(program, &length) == 0) {
        ptx = (char *)calloc(1, length + 1);
        n->ptx(program, ptx);
    }
    n->destroy(&program);
    return ptx;
}

// Every configuration compiles for every architecture that this NVRTC knows, each by its own way.
static void others_architectures(void)
{
    static char why[1600];
    int(*count_of)(int *), (*archs_of)(int *), archs[64], count = 0, i;
    gputune_device *device;
    gputune_kernel_desc desc;
    gputune_kernel *k;
    const gputune_space *space;
    gputune_arg args[3];
    uint64_t c;
    dialect_nvrtc n;
    if (!dialect_open(&n, why, sizeof why) ||
        !gputune_library_symbol(n.library, "nvrtcGetNumSupportedArchs", &count_of) ||
        !gputune_library_symbol(n.library, "nvrtcGetSupportedArchs", &archs_of))
        SKIP(why);
    CHECK_INT(count_of(&count), 0);
    CHECK_OR(count >= 9 && count <= 64, "%d architectures", count);
    if (count < 1 || count > 64 || archs_of(archs)) count = 0;
    device = source_device(n.prelude, NULL);
    memset(&desc, 0, sizeof desc);
    desc.file = "tests/others/architectures.cu";
    desc.name = "sum";
    k = gputune_kernel_create(device, &desc);
    args[0] = gputune_int(1000);
    args[1] = gputune_in(args, sizeof args);
    args[2] = gputune_out(args, sizeof args);
    CHECK_INT(test_space_of(k, args, 3, &space), GPUTUNE_OK);
    CHECK_INT(gputune_space_count(space), 8);
    for (c = 0; c < gputune_space_count(space); c += 3)
        for (i = 0; i < count; i++) {
            const gputune_config config = gputune_space_at(space, c);
            const char *text = gputune_kernel_source(k, &config);
            char *ptx = text ? others_ptx(&n, text, archs[i], why, sizeof why) : NULL, stages[32];
            snprintf(stages, sizeof stages, "// stages: %d",
                     (int)gputune_config_int(&config, "STAGES"));
            CHECK_OR(ptx != NULL, "%d: %s", archs[i], text ? why : gputune_kernel_error(k)->text);
            if (!ptx) continue;
            CHECK_OR((strstr(ptx, "redux.sync") != NULL) == (archs[i] >= 80) &&
                         (strstr(ptx, "shfl.sync") != NULL) == (archs[i] < 80) &&
                         (strstr(ptx, stages) != NULL) == (archs[i] >= 90),
                     "another way than that of %d", archs[i]);
            free(ptx);
        }
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
    dialect_close(&n);
}

static const test_case others_cases[] = {
    { "architectures", others_architectures },
    { NULL, NULL },
};
