// What every driver does on a real device, through its table: tests/main.c runs these cases on
// OpenCL and on CUDA.
#include "rig.h"
#include "test.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct driver_rig {
    gputune_device *device;
    void *self;
    gputune_driver d;
    gputune_error error;
} driver_rig;

static bool driver_open(driver_rig *r)
{
    memset(r, 0, sizeof *r);
    r->device = rig_device("");
    if (!r->device) return false;
    r->self = gputune_device_self(r->device, rig_now->api);
    rig_now->table(r->self, &r->d);
    return true;
}

// The body is in a dialect that both interfaces' defines make their own; it begins in line 4.
static void *driver_compile(driver_rig *r, const char *body, const char *name)
{
    char source[2000];
    gputune_build build;
    void *code = NULL;
    memset(&build, 0, sizeof build);
    snprintf(source, sizeof source, "%s%s", rig_now->dialect, body);
    build.source = source;
    build.name = name;
    build.options = "";
    r->error.text[0] = 0;
    r->error.result = r->d.compile(r->self, &build, &code, &r->error);
    CHECK((code != NULL) == (r->error.result == GPUTUNE_OK));
    CHECK_OR(code || r->error.result == GPUTUNE_ERROR_COMPILE, "%s", r->error.text);
    return code;
}

static gputune_bound_arg driver_scalar(const void *data, size_t bytes)
{
    gputune_bound_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = GPUTUNE_ARG_SCALAR;
    arg.data = data;
    arg.bytes = bytes;
    return arg;
}

static gputune_bound_arg driver_buffer(const gputune_memory *memory)
{
    gputune_bound_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = GPUTUNE_ARG_INOUT;
    arg.handle = memory->handle;
    arg.bytes = memory->bytes;
    return arg;
}

static gputune_driver_launch driver_launch(size_t global, size_t local,
                                           const gputune_bound_arg *args, int count)
{
    gputune_driver_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.dimensions = 1;
    launch.global[0] = global;
    launch.local[0] = local;
    launch.args = args;
    launch.arg_count = count;
    return launch;
}

static gputune_result driver_time(driver_rig *r, void *code, const gputune_driver_launch *launch,
                                  int batch, double time_limit, double hang_limit, double *seconds)
{
    r->error.text[0] = 0;
    return r->error.result = r->d.time(r->self, code, launch, batch, time_limit, hang_limit,
                                       seconds, &r->error);
}

static const char driver_saxpy[] =
    "KERNEL void saxpy(int n, float a, GLOBAL const float *x, GLOBAL float *y)\n"
    "{\n"
    "    int i = (int)ID;\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n";

// On private memory, in batches, with a group of ours and one of the driver's, and on the
// program's queue; every element is checked.
static void test_driver_saxpy(void)
{
    enum { N = 1000 };
    static float x[N], y[N];
    const int n = N;
    const float a = 2;
    driver_rig r;
    gputune_memory mx, my;
    gputune_bound_arg args[4];
    gputune_driver_launch launch;
    double seconds = 0;
    int i, wrong = 0;
    void *code;
    if (!driver_open(&r)) return;
    code = driver_compile(&r, driver_saxpy, "saxpy");
    for (i = 0; i < n; i++) x[i] = (float)i;
    CHECK_INT(r.d.allocate(r.self, sizeof x, 100, &mx, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.allocate(r.self, sizeof y, 100, &my, &r.error), GPUTUNE_OK);
    CHECK(mx.guard >= 100 && mx.bytes == sizeof x);
    CHECK_INT(r.d.write(r.self, mx.whole, mx.guard, x, sizeof x, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.fill(r.self, my.whole, my.guard, 0, sizeof y, &r.error), GPUTUNE_OK);
    args[0] = driver_scalar(&n, sizeof n);
    args[1] = driver_scalar(&a, sizeof a);
    args[2] = driver_buffer(&mx);
    args[3] = driver_buffer(&my);
    launch = driver_launch(1024, 64, args, 4);
    CHECK_INT(driver_time(&r, code, &launch, 5, 0, 0, &seconds), GPUTUNE_OK);
    CHECK(seconds > 0 && seconds < 10);
    launch.local[0] = 0;
    CHECK_INT(driver_time(&r, code, &launch, 1, 5, 20, &seconds), GPUTUNE_OK);
    CHECK_INT(r.d.launch(r.self, code, &launch, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.wait(r.self, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.read(r.self, my.whole, my.guard, y, sizeof y, &r.error), GPUTUNE_OK);
    for (i = 0; i < n; i++) wrong += y[i] != 7 * a * (float)i;
    CHECK_INT(wrong, 0);
    CHECK(r.d.group_limit(r.self, code) > 0);
    r.d.release(r.self, &mx);
    r.d.release(r.self, &my);
    r.d.discard(r.self, code);
    gputune_device_destroy(r.device);
}

static void test_driver_limits(void)
{
    driver_rig r;
    const gputune_limits *limits;
    if (!driver_open(&r)) return;
    limits = gputune_device_limits(r.device);
    CHECK(limits->max_group_size > 0 && limits->max_group_x > 0 && limits->max_group_y > 0);
    CHECK(limits->max_group_z > 0 && limits->local_memory >= 16384);
    CHECK(limits->constant_memory > 0 && limits->global_memory > 0 && limits->max_allocation > 0);
    CHECK(limits->compute_units > 0 && limits->clock_mhz > 0);
    CHECK(limits->name[0] && limits->driver[0]);
    if (rig_now->needs_gpu) CHECK(limits->is_gpu && limits->compute_capability >= 50);
    gputune_device_destroy(r.device);
}

static void test_driver_build_log(void)
{
    driver_rig r;
    if (!driver_open(&r)) return;
    CHECK(!driver_compile(&r, "\n\n\n\nKERNEL void broken(GLOBAL float *x)\n{\n"
                              "    x[0] = no_such_name;\n}\n", "broken"));
    CHECK_INT(r.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(r.error.text, "\"broken\"");
    CHECK_HAS(r.error.text, "no_such_name");
    CHECK_HAS(r.error.text, rig_now->line_10);
    CHECK(!driver_compile(&r, driver_saxpy, "sexpy"));
    CHECK_INT(r.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(r.error.text, "sexpy");
    r.d.discard(r.self, driver_compile(&r, driver_saxpy, "saxpy"));
    gputune_device_destroy(r.device);
}

// Writes just outside the buffer land in the guards, at the place they should.
static void test_driver_guards(void)
{
    unsigned char bytes[4096];
    const int n = 99;
    driver_rig r;
    gputune_memory m;
    gputune_bound_arg args[2];
    gputune_driver_launch launch;
    double seconds;
    size_t i, wrong = 0;
    void *code;
    if (!driver_open(&r)) return;
    code = driver_compile(&r, "KERNEL void over(int n, GLOBAL unsigned char *x)\n"
                              "{ x[n] = 1; x[-1] = 2; x[0] = 3; }\n", "over");
    CHECK_INT(r.d.allocate(r.self, (size_t)n, 300, &m, &r.error), GPUTUNE_OK);
    CHECK(m.handle != m.whole && m.guard >= 300 && 2 * m.guard + 99 <= sizeof bytes);
    CHECK_INT(r.d.fill(r.self, m.whole, 0, 0xa7, 2 * m.guard + 99, &r.error), GPUTUNE_OK);
    args[0] = driver_scalar(&n, sizeof n);
    args[1] = driver_buffer(&m);
    launch = driver_launch(1, 1, args, 2);
    CHECK_INT(driver_time(&r, code, &launch, 1, 1, 10, &seconds), GPUTUNE_OK);
    CHECK_INT(r.d.read(r.self, m.whole, 0, bytes, 2 * m.guard + 99, &r.error), GPUTUNE_OK);
    CHECK_INT(bytes[m.guard], 3);
    CHECK_INT(bytes[m.guard - 1], 2);
    CHECK_INT(bytes[m.guard + 99], 1);
    for (i = 0; i < 2 * m.guard + 99; i++) wrong += bytes[i] != 0xa7;
    CHECK_INT(wrong, 3);
    r.d.release(r.self, &m);
    CHECK(!m.whole && !m.handle);
    r.d.discard(r.self, code);
    gputune_device_destroy(r.device);
}

// Any stretch, and nothing beside it.
static void test_driver_fill(void)
{
    enum { COUNT = 70000 };
    static const int stretches[][2] = { { 0, COUNT }, { 9000, 2500 }, { 10001, 1 }, { 10000, 1 },
                                        { 10000, 40000 }, { 30001, 7 }, { COUNT - 3, 3 } };
    static unsigned char expected[COUNT], got[COUNT];
    driver_rig r;
    gputune_memory m;
    size_t i;
    if (!driver_open(&r)) return;
    CHECK_INT(r.d.allocate(r.self, COUNT, 0, &m, &r.error), GPUTUNE_OK);
    for (i = 0; i < sizeof stretches / sizeof *stretches; i++) {
        const size_t at = (size_t)stretches[i][0], bytes = (size_t)stretches[i][1];
        memset(expected + at, (int)(i + 65), bytes);
        CHECK_INT(r.d.fill(r.self, m.whole, at, (unsigned char)(i + 65), bytes, &r.error),
                  GPUTUNE_OK);
        CHECK_INT(r.d.read(r.self, m.whole, 0, got, COUNT, &r.error), GPUTUNE_OK);
        CHECK(memcmp(expected, got, COUNT) == 0);
    }
    r.d.release(r.self, &m);
    gputune_device_destroy(r.device);
}

// Elements that differ between two buffers of so many bytes, of a type; 99: it failed. On a
// processor, whose table leaves it to the host, the kernel counts all the same. `got` begins so
// many bytes behind an aligned address.
static int driver_differ_at(driver_rig *r, gputune_type type, const void *got,
                            const void *expected, size_t bytes, size_t at)
{
    gputune_comparison c;
    gputune_memory a, b;
    uint64_t count = 99;
    gputune_result result;
    memset(&c, 0, sizeof c);
    CHECK_INT(r->d.allocate(r->self, bytes, 256, &a, &r->error), GPUTUNE_OK);
    CHECK_INT(r->d.allocate(r->self, bytes, 0, &b, &r->error), GPUTUNE_OK);
    CHECK_INT(r->d.write(r->self, a.whole, a.guard + at, got, bytes, &r->error), GPUTUNE_OK);
    CHECK_INT(r->d.write(r->self, b.whole, 0, expected, bytes, &r->error), GPUTUNE_OK);
    c.type = type;
    c.got = a.whole;
    c.got_offset = a.guard + at;
    c.expected = b.whole;
    c.bytes = bytes;
    c.absolute = 0.5;
    c.relative = 0.125;
    c.poison = 0xcb;
    c.unwritten = 0x34;
    result = gt__differ(r->device, &c, GT__DIFFER_ALL, &count, &r->error);
    CHECK_OR(result == GPUTUNE_OK, "%s", r->error.text);
    r->d.release(r->self, &a);
    r->d.release(r->self, &b);
    return result == GPUTUNE_OK ? (int)count : 99;
}

static int driver_differ(driver_rig *r, gputune_type type, const void *got, const void *expected,
                         size_t bytes)
{
    return driver_differ_at(r, type, got, expected, bytes, 0);
}

// Is the piece with an output's byte `at` marked?
static bool driver_marked(const driver_rig *r, size_t bytes, size_t at)
{
    int shift = 4;
    while ((bytes - 1) >> shift >= 1024) shift++;
    at >>= shift;
    return r->device->marks[at / 32] >> at % 32 & 1;
}

static int driver_marks(const driver_rig *r)
{
    int i, count = 0;
    for (i = 0; i < 1024; i++) count += (int)(r->device->marks[i / 32] >> i % 32 & 1u);
    return count;
}

// Only what is marked is compared, and only that is filled: by sixteen bytes, and by bytes.
static void driver_differ_marked(driver_rig *r)
{
    enum { N = 40000 };
    static const size_t sizes[] = { N, N - 3 };
    unsigned char *right = (unsigned char *)malloc(N), *got = (unsigned char *)malloc(N);
    gputune_comparison c;
    gputune_memory a, b;
    uint64_t count;
    size_t k, i;
    for (k = 0; k < 2; k++) {
        const size_t n = sizes[k];
        memset(right, 0xcb, N);
        memset(got, 0x34, N);
        memset(right + 10000, 1, 20);
        memset(right + n - 1, 1, 1);
        CHECK_INT(r->d.allocate(r->self, n, 256, &a, &r->error), GPUTUNE_OK);
        CHECK_INT(r->d.allocate(r->self, n, 0, &b, &r->error), GPUTUNE_OK);
        CHECK_INT(r->d.write(r->self, a.whole, a.guard, got, n, &r->error), GPUTUNE_OK);
        CHECK_INT(r->d.write(r->self, b.whole, 0, right, n, &r->error), GPUTUNE_OK);
        memset(&c, 0, sizeof c);
        c.type = GPUTUNE_BYTES;
        c.got = a.whole;
        c.got_offset = a.guard;
        c.expected = b.whole;
        c.bytes = n;
        c.poison = 0xcb;
        c.unwritten = 0x34;
        CHECK_INT(gt__differ(r->device, &c, GT__DIFFER_ALL, &count, &r->error), GPUTUNE_OK);
        CHECK_INT((int)count, k ? 21 : 6); // bytes, or words
        right[0] = 7; // in no marked piece
        right[10001] = 9;
        CHECK_INT(r->d.write(r->self, b.whole, 0, right, n, &r->error), GPUTUNE_OK);
        CHECK_INT(r->d.write(r->self, a.whole, a.guard, right, n, &r->error), GPUTUNE_OK);
        CHECK_INT(r->d.write(r->self, a.whole, a.guard + 1, got, 1, &r->error), GPUTUNE_OK);
        CHECK_INT(r->d.write(r->self, a.whole, a.guard + 10002, got, 2, &r->error), GPUTUNE_OK);
        CHECK_INT(gt__differ(r->device, &c, GT__DIFFER_MARKED, &count, &r->error), GPUTUNE_OK);
        CHECK_INT((int)count, k ? 2 : 1);
        c.unwritten = 0x35;
        CHECK_INT(gt__differ(r->device, &c, GT__DIFFER_FILL, &count, &r->error), GPUTUNE_OK);
        CHECK_INT(r->d.read(r->self, a.whole, a.guard, got, n, &r->error), GPUTUNE_OK);
        for (i = 0; i < n; i++)
            if (driver_marked(r, n, i) ? got[i] != 0x35 : got[i] == 0x35) break;
        CHECK(i == n && driver_marked(r, n, 10000) && driver_marked(r, n, n - 1));
        CHECK(driver_marks(r) <= 4);
        r->d.release(r->self, &a);
        r->d.release(r->self, &b);
    }
    free(right);
    free(got);
}

// By the kernel itself: near enough, NaN, poison, pieces of a number, many elements.
static void test_driver_differ(void)
{
    enum { N = 3000001 };
    const float e[4] = { 1, 100, -8, 0 };
    float g[4] = { 1.5f, 112, -7, NAN };
    const double d[4] = { 1, 2, 1e300, HUGE_VAL }, f[4] = { 1.5, 3, 1.1e300, HUGE_VAL };
    const int32_t n[4] = { 1, 2, 3, 4 }, m[4] = { 1, 2, 4, 3 };
    unsigned char poisoned[8], beside[8], *many, *more;
    const size_t offset = 1;
    gputune_cl_order order;
    driver_rig r;
    void *code;
    memset(&order, 0, sizeof order);
    if (!driver_open(&r)) return;
    code = driver_compile(&r, driver_saxpy, "saxpy"); // CUDA: a program that compiles at all
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, e, e, sizeof e), 0);
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, g, e, sizeof e), 1); // the NaN
    g[0] = 1.51f; // beyond 0.5 and beyond an eighth
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, g, e, sizeof e), 2);
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, g, g, sizeof e), 0); // also a NaN, bit for bit
    g[0] = e[0];
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, g, e, 7), 1); // bytes: a piece is left
    CHECK_INT(driver_differ(&r, GPUTUNE_INT32, m, n, sizeof n), 2);
    CHECK_INT(driver_differ(&r, GPUTUNE_BYTES, m, n, 11), 1);
    CHECK_INT(driver_differ(&r, GPUTUNE_DOUBLE, f, d, sizeof d), 1);
    memset(poisoned, 0xcb, sizeof poisoned);
    memcpy(beside, poisoned, sizeof beside);
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, beside, poisoned, 8), 0);
    beside[0] ^= 1; // as near as can be, but the reference left it unwritten
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, beside, poisoned, 8), 1);
    CHECK_INT(driver_differ(&r, GPUTUNE_DOUBLE, beside, poisoned, 8), 1);
    memset(beside, 0x34, sizeof beside); // nor did the other, on its own poison
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, beside, poisoned, 8), 0);
    CHECK_INT(driver_differ(&r, GPUTUNE_DOUBLE, beside, poisoned, 8), 0);
    CHECK_INT(driver_differ(&r, GPUTUNE_INT32, beside, poisoned, 8), 0);
    CHECK_INT(driver_differ(&r, GPUTUNE_BYTES, beside, poisoned, 7), 0);
    CHECK_INT(driver_differ(&r, GPUTUNE_INT32, poisoned, beside, 8), 2);
    CHECK_INT(driver_differ_at(&r, GPUTUNE_FLOAT, e, e, sizeof e, 1), 0); // by bytes
    CHECK_INT(driver_differ_at(&r, GPUTUNE_DOUBLE, f, d, sizeof d, 4), 4); // by words
    many = (unsigned char *)calloc(N, 4);
    more = (unsigned char *)calloc(N, 4);
    more[0] = more[4 * (size_t)N - 1] = 1; // more elements than work-items
    CHECK_INT(driver_differ(&r, GPUTUNE_INT32, more, many, 4 * (size_t)N), 2);
    memset(many, 0xcb, 4 * (size_t)N); // what was written
    memset(many + 4000, 0, 4000);
    memset(many + 4 * ((size_t)N - 3), 0, 8);
    CHECK_INT(driver_differ(&r, GPUTUNE_INT32, many, many, 4 * (size_t)N), 0);
    CHECK(driver_marked(&r, 4 * (size_t)N, 4000) && driver_marked(&r, 4 * (size_t)N, 7999));
    CHECK(driver_marked(&r, 4 * (size_t)N, 4 * ((size_t)N - 3)));
    CHECK_INT(driver_marks(&r), 2);
    CHECK(r.device->some);
    CHECK_INT(driver_differ(&r, GPUTUNE_INT32, many, many, 4000), 0); // nothing
    CHECK_INT(driver_marks(&r), 0);
    CHECK(!r.device->some);
    driver_differ_marked(&r);
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, g + 3, g + 3, 4), 0); // NaN is no number
    CHECK(!r.device->some && driver_marked(&r, 4, 0));
    CHECK_INT(driver_differ(&r, GPUTUNE_FLOAT, e + 3, e + 3, 4), 0);
    CHECK(r.device->some);
    memset(many, 0, 4);
    if (strcmp(rig_now->api, "opencl") == 0) { // the program's offset is none of this kernel's
        order.offset = &offset;
        ((gt_cl__device *)r.self)->order = &order;
        CHECK_INT(driver_differ(&r, GPUTUNE_INT32, more, many, 4), 1);
        ((gt_cl__device *)r.self)->order = NULL;
    }
    free(many);
    free(more);
    r.d.discard(r.self, code);
    gputune_device_destroy(r.device);
}

static void test_driver_empty(void)
{
    driver_rig r;
    gputune_memory m;
    unsigned char byte = 5;
    if (!driver_open(&r)) return;
    CHECK_INT(r.d.allocate(r.self, 0, 0, &m, &r.error), GPUTUNE_OK);
    CHECK(m.whole && m.handle == m.whole && m.bytes == 0);
    CHECK_INT(r.d.read(r.self, m.whole, 0, &byte, 0, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.write(r.self, m.whole, 0, &byte, 0, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.copy(r.self, m.whole, 0, m.whole, 0, 0, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.fill(r.self, m.whole, 0, 1, 0, &r.error), GPUTUNE_OK);
    r.d.release(r.self, &m);
    CHECK_INT(r.d.allocate(r.self, 0, 64, &m, &r.error), GPUTUNE_OK);
    CHECK(m.handle != m.whole);
    r.d.release(r.self, &m);
    r.d.release(r.self, &m);
    CHECK_INT(r.d.allocate(r.self, (size_t)-1 / 2, 64, &m, &r.error), GPUTUNE_ERROR_RESOURCES);
    CHECK(!m.whole && !m.handle);
    CHECK_INT(r.d.allocate(r.self, (size_t)-8, 64, &m, &r.error), GPUTUNE_ERROR_RESOURCES);
    CHECK_INT(r.d.allocate(r.self, 8, (size_t)-8, &m, &r.error), GPUTUNE_ERROR_RESOURCES);
    gputune_device_destroy(r.device);
}

static void test_driver_copy(void)
{
    driver_rig r;
    gputune_memory from, to;
    char text[8] = "abcdefg", read[8];
    if (!driver_open(&r)) return;
    CHECK_INT(r.d.allocate(r.self, 8, 16, &from, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.allocate(r.self, 8, 0, &to, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.write(r.self, from.whole, from.guard, text, 8, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.fill(r.self, to.whole, 0, 'x', 8, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.copy(r.self, to.whole, 1, from.whole, from.guard + 2, 3, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.read(r.self, to.whole, 0, read, 8, &r.error), GPUTUNE_OK);
    CHECK(memcmp(read, "xcdexxxx", 8) == 0);
    r.d.release(r.self, &from);
    r.d.release(r.self, &to);
    gputune_device_destroy(r.device);
}

static void test_driver_buffers(void)
{
    driver_rig r;
    float data[4] = { 1, 2, 3, 4 }, read[4] = { 0, 0, 0, 0 };
    void *buffer, *empty;
    if (!driver_open(&r)) return;
    buffer = gputune_buffer_create(r.device, sizeof data, data);
    CHECK(buffer != NULL);
    CHECK_INT(gputune_buffer_read(r.device, buffer, 0, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    data[0] = 7;
    CHECK_INT(gputune_buffer_write(r.device, buffer, 0, data, sizeof data), GPUTUNE_OK);
    CHECK_INT(gputune_buffer_read(r.device, buffer, 0, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    CHECK_INT(gputune_buffer_write(r.device, buffer, 8, data, 4), GPUTUNE_OK);
    CHECK_INT(gputune_buffer_read(r.device, buffer, 4, read, 8), GPUTUNE_OK);
    CHECK(read[0] == data[1] && read[1] == data[0]);
    empty = gputune_buffer_create(r.device, 0, data);
    CHECK(empty != NULL);
    CHECK(gputune_buffer_create(r.device, (size_t)-1 / 2, NULL) == NULL);
    CHECK_INT(gputune_device_error(r.device)->result, GPUTUNE_ERROR_RESOURCES);
    gputune_buffer_destroy(r.device, buffer);
    gputune_buffer_destroy(r.device, empty);
    gputune_buffer_destroy(r.device, NULL);
    gputune_device_destroy(r.device);
}

// --- several launches under way at once ---

// x[i] = 2 * x[i] + add, n times over; slow enough that order shows.
static const char driver_steps[] =
    "KERNEL void steps(unsigned n, unsigned add, GLOBAL unsigned *x)\n"
    "{\n"
    "    unsigned i = (unsigned)ID, v = x[i];\n"
    "    for (unsigned k = 0; k < n; k++) v = 2 * v + add;\n"
    "    x[i] = v;\n"
    "}\n";

enum { DRIVER_N = 4096 };

// A processor does all work-items in turn.
static unsigned driver_turns(void)
{
    return rig_now->needs_gpu ? 20000 : 4000;
}

typedef struct driver_steps_of {
    unsigned turns, add;
    gputune_bound_arg args[3];
    gputune_driver_launch launch;
} driver_steps_of;

static void driver_steps_make(driver_steps_of *s, const gputune_memory *m, unsigned turns,
                              unsigned add)
{
    s->turns = turns;
    s->add = add;
    s->args[0] = driver_scalar(&s->turns, sizeof s->turns);
    s->args[1] = driver_scalar(&s->add, sizeof s->add);
    s->args[2] = driver_buffer(m);
    s->launch = driver_launch(DRIVER_N, 64, s->args, 3);
}

static void *driver_submit(driver_rig *r, void *code, const gputune_driver_launch *launch,
                           int queue)
{
    void *ticket = NULL;
    CHECK_OR(r->d.submit(r->self, code, launch, queue, &ticket, &r->error) == GPUTUNE_OK, "%s",
             r->error.text);
    return ticket;
}

static gputune_span driver_poll(driver_rig *r, void *ticket)
{
    gputune_span span = { 0, 0 };
    bool done = false;
    if (!ticket) return span;
    CHECK_OR(r->d.poll(r->self, ticket, -20, &done, &span, &r->error) == GPUTUNE_OK, "%s",
             r->error.text);
    CHECK(done);
    return span;
}

// Launches of one queue do not overlap, those of the timed queue have times, and lengths add up to
// no more than there is between the first beginning and the last end.
static void test_driver_submit(void)
{
    driver_rig r;
    driver_steps_of s;
    gputune_memory m;
    void *code, *tickets[8];
    gputune_span spans[8];
    double sum;
    int queue, i, known;
    if (!driver_open(&r)) return;
    CHECK_INT(r.d.queues, 2);
    code = driver_compile(&r, driver_steps, "steps");
    CHECK_INT(r.d.allocate(r.self, DRIVER_N * 4, 0, &m, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.fill(r.self, m.whole, 0, 0, DRIVER_N * 4, &r.error), GPUTUNE_OK);
    driver_steps_make(&s, &m, driver_turns(), 1);
    for (queue = 0; queue <= r.d.queues; queue++) {
        driver_poll(&r, driver_submit(&r, code, &s.launch, queue)); // the first is slow
        CHECK_INT(r.d.wait(r.self, &r.error), GPUTUNE_OK);
        for (i = 0; i < 8; i++) tickets[i] = driver_submit(&r, code, &s.launch, queue);
        for (i = 8; i-- > 0;) spans[i] = driver_poll(&r, tickets[i]);
        for (i = known = 0, sum = 0; i < 8; i++) {
            bool unknown = spans[i].begin == 0 && spans[i].end == 0;
            if (queue == r.d.timed_queue) CHECK(!unknown);
            if (unknown) continue;
            known++;
            CHECK(spans[i].end > spans[i].begin);
            if (i) CHECK(spans[i].begin >= spans[i - 1].end - 1e-6);
            sum += spans[i].end - spans[i].begin;
        }
        CHECK(known == 0 || known == 8);
        if (known) CHECK(sum <= spans[7].end - spans[0].begin + 8e-6);
    }
    r.d.release(r.self, &m);
    r.d.discard(r.self, code);
    gputune_device_destroy(r.device);
}

// v = 2 * v + add does not commute: every fork and join shows in the result. Before each round the
// host waits, so that without order the launches would run side by side.
static void test_driver_order(void)
{
    static unsigned x[DRIVER_N];
    driver_rig r;
    driver_steps_of s[3];
    gputune_memory m;
    void *code;
    unsigned expected = 0, k;
    int round, i, wrong = 0;
    if (!driver_open(&r)) return;
    code = driver_compile(&r, driver_steps, "steps");
    CHECK_INT(r.d.allocate(r.self, sizeof x, 0, &m, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.fill(r.self, m.whole, 0, 0, sizeof x, &r.error), GPUTUNE_OK);
    for (i = 0; i < 3; i++) // the first launch takes longest
        driver_steps_make(&s[i], &m,
                          i == 0 ? driver_turns() * 20 + 7 : driver_turns() + (unsigned)i,
                          (unsigned)i * 2 + 3);
    for (round = 0; round < 20; round++) {
        int side = 1 + round % 2;
        void *ticket;
        CHECK_INT(r.d.submit(r.self, code, &s[0].launch, 0, NULL, &r.error), GPUTUNE_OK);
        CHECK_INT(r.d.fork(r.self, side, &r.error), GPUTUNE_OK);
        ticket = driver_submit(&r, code, &s[1].launch, side);
        CHECK_INT(r.d.join(r.self, side, &r.error), GPUTUNE_OK);
        CHECK_INT(r.d.submit(r.self, code, &s[2].launch, 0, NULL, &r.error), GPUTUNE_OK);
        if (round % 3 == 0) driver_poll(&r, ticket);
        for (i = 0; i < 3; i++)
            for (k = 0; k < s[i].turns; k++) expected = 2 * expected + s[i].add;
        if (round % 3 == 1) CHECK_INT(r.d.wait(r.self, &r.error), GPUTUNE_OK);
        if (round % 3) driver_poll(&r, ticket);
    }
    CHECK_INT(r.d.wait(r.self, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.read(r.self, m.whole, 0, x, sizeof x, &r.error), GPUTUNE_OK);
    for (i = 0; i < DRIVER_N; i++) wrong += x[i] != expected;
    CHECK_INT(wrong, 0);
    r.d.release(r.self, &m);
    r.d.discard(r.self, code);
    gputune_device_destroy(r.device);
}

// A launch that is refused makes no ticket and leaves the queue as it was.
static void test_driver_submit_refused(void)
{
    driver_rig r;
    driver_steps_of s;
    gputune_memory m;
    void *code, *ticket = &r;
    gputune_result result;
    if (!driver_open(&r)) return;
    code = driver_compile(&r, driver_steps, "steps");
    CHECK_INT(r.d.allocate(r.self, DRIVER_N * 4, 0, &m, &r.error), GPUTUNE_OK);
    driver_steps_make(&s, &m, 10, 1);
    s.launch.arg_count = 2;
    CHECK_INT(r.d.submit(r.self, code, &s.launch, 1, &ticket, &r.error), GPUTUNE_ERROR_ARGUMENT);
    CHECK(!ticket);
    s.launch.arg_count = 3;
    s.launch.local[0] = s.launch.global[0] = (size_t)1 << 20;
    ticket = &r;
    result = r.d.submit(r.self, code, &s.launch, 1, &ticket, &r.error); // CUDA: an invalid value
    CHECK(result == GPUTUNE_ERROR_RESOURCES || result == GPUTUNE_ERROR_LAUNCH);
    CHECK(!ticket);
    s.launch = driver_launch(DRIVER_N, 64, s.args, 3);
    driver_poll(&r, driver_submit(&r, code, &s.launch, 1));
    r.d.release(r.self, &m);
    r.d.discard(r.self, code);
    gputune_device_destroy(r.device);
}

static const char driver_spin[] =
    "KERNEL void spin(unsigned n, GLOBAL volatile int *stop)\n"
    "{ for (unsigned i = 0; (i < n || n == ~0u) && !*stop; i++) {} }\n";

// Times driver_spin with n turns; ~0: endless.
static gputune_result driver_time_spin(driver_rig *r, unsigned n, double time_limit,
                                       double hang_limit, double *seconds)
{
    void *code = driver_compile(r, driver_spin, "spin");
    gputune_memory m;
    gputune_bound_arg args[2];
    gputune_driver_launch launch;
    gputune_result result;
    CHECK_INT(r->d.allocate(r->self, 4, 0, &m, &r->error), GPUTUNE_OK);
    CHECK_INT(r->d.fill(r->self, m.whole, 0, 0, 4, &r->error), GPUTUNE_OK);
    args[0] = driver_scalar(&n, sizeof n);
    args[1] = driver_buffer(&m);
    launch = driver_launch(1, 1, args, 2);
    result = driver_time(r, code, &launch, 1, time_limit, hang_limit, seconds);
    r->d.release(r->self, &m);
    r->d.discard(r->self, code);
    return result;
}

static void test_driver_timeout(void)
{
    driver_rig r;
    double seconds = 0;
    if (!driver_open(&r)) return;
    CHECK_INT(driver_time_spin(&r, 10000000, 1e-5, 20, &seconds), GPUTUNE_ERROR_TIMEOUT);
    CHECK_HAS(r.error.text, "kernel \"spin\" took");
    CHECK_HAS(r.error.text, "the limit is 1e-05 s");
    CHECK(seconds > 1e-5);
    CHECK_INT(driver_time_spin(&r, 10, 10, 20, &seconds), GPUTUNE_OK);
    gputune_device_destroy(r.device);
}

// A kernel that is given up and ends later: the device is back, and works.
static void test_driver_back(void)
{
    driver_rig r;
    const unsigned turns = 4000000;
    double seconds = 0, least = HUGE_VAL;
    int i;
    if (!driver_open(&r)) return;
    for (i = 0; i < 3; i++) {
        CHECK_INT(driver_time_spin(&r, turns, 1e-9, 60, &seconds), GPUTUNE_ERROR_TIMEOUT);
        if (seconds < least) least = seconds;
    }
    CHECK_INT(driver_time_spin(&r, (unsigned)fmin(turns * (2 / least), 4e9), 1e-3, 0.1, &seconds),
              GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_INT(r.d.recover(r.self, 60, &r.error), GPUTUNE_OK);
    CHECK_INT(driver_time_spin(&r, 10, 10, 20, &seconds), GPUTUNE_OK);
    gputune_device_destroy(r.device);
}

// A kernel that takes long to compile and not to run, which some devices (PoCL) compile at its
// first launch with each size of a work-group: not the launch's time.
static void test_driver_first_launch(void)
{
    static const char how[] = // never the same, which would be in a cache of the device's
        "#define OWN %.9ff\n"
        "#define A(i) if (a > (float)(i)) a = a * 0.25f + x[(i) %% 9];\n"
        "#define B(i) A(i) A(i + 1) A(i + 2) A(i + 3)\n"
        "#define C(i) B(i) B(i + 4) B(i + 8) B(i + 12)\n"
        "#define D(i) C(i) C(i + 16) C(i + 32) C(i + 48)\n"
        "#define E(i) D(i) D(i + 64) D(i + 128) D(i + 192)\n"
        "KERNEL void large(GLOBAL float *x)\n"
        "{ float a = x[0] + OWN; E(0) x[ID] = a; }\n";
    driver_rig r;
    gputune_memory m;
    gputune_bound_arg arg;
    gputune_driver_launch launch;
    double seconds = gputune_now();
    char text[1000];
    void *code;
    if (!driver_open(&r)) return;
    snprintf(text, sizeof text, how, seconds);
    code = driver_compile(&r, text, "large");
    CHECK_INT(r.d.allocate(r.self, 64, 0, &m, &r.error), GPUTUNE_OK);
    CHECK_INT(r.d.fill(r.self, m.whole, 0, 0, 64, &r.error), GPUTUNE_OK);
    arg = driver_buffer(&m);
    for (int group = 1; group < 4; group *= 2) {
        launch = driver_launch(2, (size_t)group, &arg, 1);
        CHECK_INT(driver_time(&r, code, &launch, 1, 10, 0.4 * test_load, &seconds), GPUTUNE_OK);
    }
    r.d.release(r.self, &m);
    r.d.discard(r.self, code);
    gputune_device_destroy(r.device);
}

// What the child below does; only _exit ends it, since exit would wait for the kernel.
static void driver_hang(void)
{
    driver_rig r;
    double seconds = 0, begin;
    gputune_memory m;
    if (!driver_open(&r)) _exit(test_failures ? 1 : 77);
    CHECK_INT(driver_time_spin(&r, 10, 5, 20, &seconds), GPUTUNE_OK); // compiles
    begin = gputune_now();
    CHECK_INT(driver_time_spin(&r, ~0u, 0.05, 0.5, &seconds), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(r.error.text, "kernel \"spin\" still runs after");
    CHECK(gputune_now() - begin < 5 * test_load);
    begin = gputune_now();
    CHECK_INT(r.d.allocate(r.self, 4, 0, &m, &r.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_INT(r.d.wait(r.self, &r.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK(gputune_now() - begin < 5 * test_load);
    CHECK_INT(r.d.recover(r.self, 0.01, &r.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(r.error.text, "kernel \"spin\" ran: it works again when the kernel has ended");
    begin = gputune_now();
    gputune_device_destroy(r.device);
    CHECK(gputune_now() - begin < 5 * test_load);
    fflush(stdout);
    _exit(test_failures != 0);
}

// A kernel that never ends, in a process of its own: this program, run again with only this case.
static void test_driver_hang(void)
{
    static char program[] = "/proc/self/exe", option[] = "--suite";
    char suite[64], part[sizeof running];
    char *argv[] = { program, option, suite, part, NULL };
    double begin = gputune_now();
    int status = 0;
    pid_t child, ended = 0;
    if (getenv("GPUTUNE_TEST_HANG")) driver_hang();
    snprintf(part, sizeof part, "%s", running);
    snprintf(suite, sizeof suite, "%.*s", (int)strcspn(running, "/"), running);
    fflush(stdout);
    setenv("GPUTUNE_TEST_HANG", "1", 1);
    child = fork();
    if (child == 0) {
        execv(program, argv);
        _exit(70);
    }
    unsetenv("GPUTUNE_TEST_HANG");
    while (ended == 0 && gputune_now() - begin < 60 * test_load) {
        gputune_sleep(0.01);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (ended == 0) {
        TEST_FAIL("the hanging kernel hung the program");
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    } else if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
        gputune_device_destroy(rig_device("")); // says why
    } else
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static const test_case driver_cases[] = {
    { "saxpy", test_driver_saxpy },
    { "limits", test_driver_limits },
    { "build_log", test_driver_build_log },
    { "guards", test_driver_guards },
    { "fill", test_driver_fill },
    { "differ", test_driver_differ },
    { "empty", test_driver_empty },
    { "copy", test_driver_copy },
    { "buffers", test_driver_buffers },
    { "submit", test_driver_submit },
    { "order", test_driver_order },
    { "submit_refused", test_driver_submit_refused },
    { "timeout", test_driver_timeout },
    { "back", test_driver_back },
    { "first_launch", test_driver_first_launch },
    { "hang", test_driver_hang },
    { NULL, NULL },
};
