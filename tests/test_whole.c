// Kernels that tune themselves on a real device, OpenCL's or CUDA's: the whole way from annotation
// to launch. The sources are OpenCL C; for CUDA they are converted.
#include "rig.h"
#include "test.h"

#include <unistd.h>

enum { WHOLE_N = 1000 };

// Adds twice x to y; HOW says what goes wrong.
static const char whole_source[] =
    "#pragma gputune range 0,6\n"
    "#define HOW 0\n"
    "#pragma gputune set 16,32\n"
    "#define BLOCK 16\n"
    "#pragma gputune global n\n"
    "#pragma gputune local BLOCK\n"
    "__kernel void add(int n, __global const float *x, __global float *y, __local float *t)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "#if HOW == 1\n"
    "#error this configuration does not compile\n"
    "#endif\n"
    "#if HOW == 2\n"
    "    __local float huge[1 << 26];\n"
    "    huge[i] = 1; barrier(CLK_LOCAL_MEM_FENCE); if (huge[i ^ 1] == 3) y[0] = 1;\n"
    "#endif\n"
    "    t[get_local_id(0)] = i < n ? x[i] : 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (i < n) y[i] += (HOW == 3 ? 3 : 2) * t[get_local_id(0)];\n"
    "    if (HOW == 4 && i == 0) y[n] = 7;\n"
    "    if (HOW == 5 && i == 5) y[i] = nan(0u);\n"
    "    if (HOW == 6 && i == 0) {\n"
    "        float s = y[i];\n"
    "        for (int k = 0; k < 20000000; k++) s = s * 0.999f + sin(s);\n"
    "        if (s == 12345.0f) y[i] = s;\n"
    "    }\n"
    "}\n";

typedef struct whole_rig {
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_kernel_desc desc;
    void *bx, *by;
    float x[WHOLE_N], y[WHOLE_N], seen[WHOLE_N];
    gputune_arg args[4];
} whole_rig;

static bool whole_open(whole_rig *r, const char *store)
{
    int i;
    r->device = rig_device(store);
    if (!r->device) return false;
    for (i = 0; i < WHOLE_N; i++) {
        r->x[i] = (float)(i % 17);
        r->y[i] = (float)(i % 5);
    }
    r->bx = gputune_buffer_create(r->device, sizeof r->x, r->x);
    r->by = gputune_buffer_create(r->device, sizeof r->y, r->y);
    r->args[0] = gputune_int(WHOLE_N);
    r->args[1] = gputune_in(r->bx, sizeof r->x);
    r->args[2] = gputune_inout(r->by, sizeof r->y);
    r->args[3] = gputune_local("BLOCK * 4");
    r->desc.source = whole_source;
    r->desc.name = "add";
    r->desc.tune.time_limit = 0.05;
    r->desc.tune.hang_limit = 60;
    r->desc.tune.budget.seconds = -1; // how many are tried is no matter of the machine's load
    r->kernel = gputune_kernel_create(r->device, &r->desc);
    return true;
}

static void whole_close(whole_rig *r)
{
    gputune_kernel_destroy(r->kernel);
    gputune_buffer_destroy(r->device, r->bx);
    gputune_buffer_destroy(r->device, r->by);
    gputune_device_destroy(r->device);
}

// How many elements of y are not y + times * 2 x.
static int whole_wrong(whole_rig *r, int times)
{
    int i, wrong = 0;
    CHECK_INT(gputune_buffer_read(r->device, r->by, 0, r->seen, sizeof r->seen), GPUTUNE_OK);
    for (i = 0; i < WHOLE_N; i++)
        wrong += r->seen[i] != r->y[i] + 2.0f * (float)times * r->x[i];
    return wrong;
}

// Every kind of bad configuration is a trial with its reason; the data is untouched; the winner is
// right; the second program starts tuned.
static void test_whole_faults(void)
{
    static whole_rig r;
    gputune_outcome o;
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    int i, seen[7] = { 0, 0, 0, 0, 0, 0, 0 };
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    memset(&r, 0, sizeof r);
    if (!whole_open(&r, store)) return;
    test_steady(r.device);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(whole_wrong(&r, 0), 0);
    CHECK_INT(gputune_config_int(&o.config, "HOW"), 0);
    CHECK_INT(o.trials, 14);
    for (i = 0; i < test_trials(r.kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(r.kernel, i);
        int64_t how = gputune_config_int(&t->config, "HOW");
        seen[how]++;
        switch (how) {
        case 0: CHECK_INT(t->result, GPUTUNE_OK); break;
        case 1:
            CHECK_INT(t->result, GPUTUNE_ERROR_COMPILE);
            CHECK_HAS(t->reason, "this configuration does not compile");
            break;
        case 2: CHECK(t->result != GPUTUNE_OK && *t->reason); break;
        case 3:
            CHECK_INT(t->result, GPUTUNE_ERROR_WRONG_OUTPUT);
            CHECK_HAS(t->reason, "y[");
            break;
        case 4: CHECK_INT(t->result, GPUTUNE_ERROR_OUT_OF_BOUNDS); break;
        case 5: CHECK_INT(t->result, GPUTUNE_ERROR_WRONG_OUTPUT); break;
        default: CHECK_INT(t->result, GPUTUNE_ERROR_TIMEOUT); break;
        }
    }
    for (i = 0; i < 7; i++) CHECK_INT(seen[i], 2);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(whole_wrong(&r, 1), 0);
    whole_close(&r);
    memset(&r, 0, sizeof r);
    if (!whole_open(&r, store)) return;
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(whole_wrong(&r, 2), 0);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_STORE);
    whole_close(&r);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

// Arguments that do not fit the signature: an error that names the argument, no launch.
static void test_whole_arguments(void)
{
    static whole_rig r;
    memset(&r, 0, sizeof r);
    if (!whole_open(&r, "")) return;
    CHECK_INT(gputune_run(r.kernel, r.args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "takes 4 arguments, 3 given");
    r.args[0] = gputune_float(3);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "argument 0 (n) is int");
    r.args[0] = gputune_int(INT64_C(1) << 40);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_ARGUMENT);
    r.args[0] = gputune_int(WHOLE_N); // converts, as in C
    r.args[1] = gputune_out(r.bx, sizeof r.x);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "(x) is a pointer to const");
    r.args[1] = gputune_int(1);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(whole_wrong(&r, 0), 0);
    whole_close(&r);
}

// A compiler's message has the line of the program's own text, whatever was put into it.
static void test_whole_line_numbers(void)
{
    static const char text[] = "#pragma gputune set \\\n    1,2\n#define A 1\n\n"
                               "#pragma gputune global 1\n"
                               "__kernel void f(__global int *y)\n{\n    y[0] = A;\n"
                               "#if A == 2\n    y[0] = undeclared_name;\n#endif\n}\n";
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg arg;
    int32_t y = 0;
    int i, found = 0;
    void *buffer;
    device = rig_device("");
    if (!device) return;
    buffer = gputune_buffer_create(device, sizeof y, &y);
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    desc.name = "f";
    kernel = gputune_kernel_create(device, &desc);
    arg = gputune_out(buffer, sizeof y);
    CHECK_INT(gputune_tune(kernel, &arg, 1), GPUTUNE_OK);
    for (i = 0; i < test_trials(kernel); i++) {
        const gputune_trial *t = gputune_kernel_trial(kernel, i);
        if (t->result != GPUTUNE_ERROR_COMPILE) continue;
        found++;
        CHECK_HAS(t->reason, rig_now->line_10);
        CHECK_HAS(t->reason, "undeclared_name");
    }
    CHECK_INT(found, 1);
    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, buffer);
    gputune_device_destroy(device);
}

// Two dimensions, a struct and a vector by value, a choice of implementation whose two kernels
// have signatures and geometry of their own.
static void test_whole_shapes(void)
{
    static const char text[] =
        "typedef struct scale { int a; int b; } scale;\n"
        "#pragma gputune kernel rows,cells\n"
        "#define HOW cells\n"
        "#pragma gputune erange 1,8,2\n"
        "#define TILE 4\n"
        "#pragma gputune require HOW == \"cells\" || TILE == 4\n"
        "#pragma gputune global w, h\n"
        "#pragma gputune local TILE, 2\n"
        "__kernel void cells(int w, int h, scale s, int2 add, __global int *out)\n"
        "{\n"
        "    int x = get_global_id(0), y = get_global_id(1);\n"
        "    if (x < w && y < h) out[y * w + x] = s.a * x + s.b * y + add.x - add.y;\n"
        "}\n"
        "#pragma gputune global height\n"
        "__kernel void rows(long width, uint height, scale s, int2 add, __global int *out)\n"
        "{\n"
        "    int y = get_global_id(0);\n"
        "    for (int x = 0; x < width; x++) out[y * width + x] = s.a * x + s.b * y + add.x - "
        "add.y;\n"
        "}\n";
    enum { W = 37, H = 11 };
    struct {
        int32_t a, b;
    } scale = { 3, 5 };
    int32_t add[2] = { 10, 4 }, out[W * H];
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    const gputune_space *space;
    gputune_arg args[5];
    uint64_t c;
    int i;
    void *buffer;
    device = rig_device("");
    if (!device) return;
    buffer = gputune_buffer_create(device, sizeof out, NULL);
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    desc.name = "HOW";
    kernel = gputune_kernel_create(device, &desc);
    args[0] = gputune_int(W);
    args[1] = gputune_int(H);
    args[2] = gputune_bytes(&scale, sizeof scale);
    args[3] = gputune_bytes(add, sizeof add);
    args[4] = gputune_out(buffer, sizeof out);
    CHECK_INT(gputune_tune(kernel, args, 5), GPUTUNE_OK);
    CHECK_INT(test_space_of(kernel, args, 5, &space), GPUTUNE_OK);
    CHECK_INT(gputune_space_count(space), 5);
    for (c = 0; c < gputune_space_count(space); c++) {
        gputune_config config = gputune_space_at(space, c);
        int wrong = 0;
        memset(out, 0, sizeof out);
        CHECK_INT(gputune_buffer_write(device, buffer, 0, out, sizeof out), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_launch(kernel, &config, args, 5), GPUTUNE_OK);
        CHECK_INT(gputune_buffer_read(device, buffer, 0, out, sizeof out), GPUTUNE_OK);
        for (i = 0; i < W * H; i++) wrong += out[i] != 3 * (i % W) + 5 * (i / W) + 6;
        CHECK_INT(wrong, 0);
    }
    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, buffer);
    gputune_device_destroy(device);
}

// The right output comes from a kernel of the program's: a wrong default is found out.
static void test_whole_reference(void)
{
    static const char text[] = "#pragma gputune set 2,3\n#define FACTOR 3\n"
                               "__kernel void f(int n, __global int *y)\n"
                               "{ int i = get_global_id(0); if (i < n) y[i] = FACTOR * i; }\n"
                               "#pragma gputune global 1\n"
                               "__kernel void slow_but_right(int n, __global int *y)\n"
                               "{ for (int i = 0; i < n; i++) y[i] = i + i; }\n";
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[2];
    int round;
    void *buffer;
    device = rig_device("");
    if (!device) return;
    buffer = gputune_buffer_create(device, 400, NULL);
    args[0] = gputune_int(100);
    args[1] = gputune_out(buffer, 400);
    for (round = 0; round < 2; round++) {
        gputune_outcome o;
        char other[sizeof text];
        memset(&desc, 0, sizeof desc);
        memcpy(other, text, sizeof text);
        if (round) strstr(other, "FACTOR 3")[7] = '2';
        desc.source = other;
        desc.name = "f";
        desc.global = "n";
        desc.tune.reference = "slow_but_right";
        kernel = gputune_kernel_create(device, &desc);
        CHECK_INT(test_tunes(kernel, args, 2, &o),
                  round ? GPUTUNE_OK : GPUTUNE_ERROR_WRONG_OUTPUT);
        if (round)
            CHECK_INT(gputune_config_int(&o.config, "FACTOR"), 2);
        else
            CHECK_HAS(gputune_kernel_error(kernel)->text, "FACTOR=3");
        gputune_kernel_destroy(kernel);
    }
    gputune_buffer_destroy(device, buffer);
    gputune_device_destroy(device);
}

// A kernel that a program has, in a file, with a -D of its own: that is the default, and where
// another value is tried the compiler sees no second definition (which -Werror would refuse).
static void test_whole_existing(void)
{
    static const gputune_param params[] = { { "BLOCK", "set 16,32,64", NULL },
                                            { NULL, NULL, NULL } };
    enum { COUNT = 1000 };
    char path[] = "/tmp/gputune-XXXXXX", text[64];
    const int file = mkstemp(path);
    gputune_device *device = rig_device("");
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_arg args[2];
    const gputune_trial *trial;
    int host[COUNT], i;
    void *buffer;
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    if (!device || !out) return;
    fprintf(out,
            "%sKERNEL void f(int n, GLOBAL int *x)\n"
            "{ int i = ID; if (i < n) x[i] = i * (BLOCK > 0); }\n",
            rig_now->dialect);
    fclose(out);
    memset(host, 0, sizeof host);
    buffer = gputune_buffer_create(device, sizeof host, host);
    args[0] = gputune_int(COUNT);
    args[1] = gputune_out(buffer, sizeof host);
    memset(&desc, 0, sizeof desc);
    desc.file = path;
    desc.name = "f";
    desc.compiler_options = rig_now->needs_gpu ? "-DBLOCK=32" : "-DBLOCK=32 -Werror";
    desc.params = params;
    desc.global = "n";
    desc.local = "BLOCK";
    desc.tune.budget.seconds = -1;
    kernel = gputune_kernel_create(device, &desc);
    CHECK_INT(gputune_run(kernel, args, 2), GPUTUNE_OK);
    CHECK_INT(gputune_buffer_read(device, buffer, 0, host, sizeof host), GPUTUNE_OK);
    for (i = 0; i < COUNT && host[i] == i;) i++;
    CHECK_INT(i, COUNT);
    CHECK_INT(test_trials(kernel), 3);
    for (i = 0; (trial = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        if (!i) CHECK_TEXT(gputune_config_text(&trial->config, text, sizeof text), "BLOCK=32");
        CHECK_OR(trial->result == GPUTUNE_OK, "%s", trial->reason);
    }
    CHECK_HAS(gputune_kernel_outcome(kernel)->text, " x: BLOCK=");
    CHECK_HAS(gputune_kernel_outcome(kernel)->text, ", 3 trials in ");
    gputune_kernel_destroy(kernel);
    gputune_buffer_destroy(device, buffer);
    gputune_device_destroy(device);
    remove(path);
}

// --- parts of buffers ---

static const char whole_parts_source[] =
    "#pragma gputune global n\n"
    "#pragma gputune local 64\n"
    "__kernel void part(int n, __global float *x, __global float *z, __global float *y)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    y[i] += 2 * x[i] + z[i] + (HOW == 2 && i == 200);\n"
    "    if (HOW == 1 && i == 0) y[n] = 7;\n"
    "}\n";

static gputune_driver whole_driver;

static gputune_result whole_no_copy(void *self, size_t bytes, size_t guard, gputune_memory *memory,
                                    gputune_error *error)
{
    if (!guard) return whole_driver.allocate(self, bytes, guard, memory, error);
    return gt__error(error, GPUTUNE_ERROR_RESOURCES, "%s", "no room");
}

static gputune_result whole_far_copy(void *self, void *like, size_t bytes, size_t guard,
                                     gputune_memory *memory, gputune_error *error)
{
    if (!like) return whole_driver.allocate_like(self, like, bytes, guard, memory, error);
    return gt__error(error, GPUTUNE_ERROR_RESOURCES, "%s", "no room");
}

// Three parts of one buffer, the last two overlap: what lies outside of what is written stays as it
// is, whether private copies are on the device or, without room, in the host's memory.
static void test_whole_parts(void)
{
    enum { EACH = 256, COUNT = 4 * EACH };
    gputune_param params[] = { { "HOW", NULL, "0" }, { NULL, NULL, NULL } };
    const size_t bytes = EACH * sizeof(float);
    int room, i, wrong;
    for (room = 1; room >= 0; room--) {
        float host[COUNT], seen[COUNT];
        gputune_kernel_desc desc;
        gputune_device *device = rig_device("");
        gputune_kernel *kernel;
        gputune_arg args[4];
        gputune_outcome o;
        void *buffer;
        if (!device) return;
        whole_driver = device->driver;
        if (!room) device->driver.allocate = whole_no_copy;
        if (!room) device->driver.allocate_like = whole_far_copy;
        for (i = 0; i < COUNT; i++) host[i] = (float)i;
        buffer = gputune_buffer_create(device, sizeof host, host);
        memset(&desc, 0, sizeof desc);
        desc.source = whole_parts_source;
        desc.name = "part";
        params[0].values = "range 0,2";
        desc.params = params;
        desc.tune.budget.seconds = -1;
        kernel = gputune_kernel_create(device, &desc);
        args[0] = gputune_int(EACH);
        args[1] = gputune_part(gputune_in(buffer, sizeof host), 0, bytes);
        args[2] = gputune_part(gputune_in(buffer, sizeof host), bytes, 2 * bytes);
        args[3] = gputune_part(gputune_part(gputune_inout(buffer, sizeof host), bytes, 3 * bytes),
                               bytes, bytes);
        CHECK_INT(test_tunes(kernel, args, 4, &o), GPUTUNE_OK);
        CHECK_INT(gputune_config_int(&o.config, "HOW"), 0);
        CHECK_INT(o.trials, 3);
        for (i = 1; i < o.trials; i++) {
            const gputune_trial *t = gputune_kernel_trial(kernel, i);
            CHECK_INT(t->result, gputune_config_int(&t->config, "HOW") == 1
                                     ? GPUTUNE_ERROR_OUT_OF_BOUNDS
                                     : GPUTUNE_ERROR_WRONG_OUTPUT);
        }
        CHECK_INT(gputune_buffer_read(device, buffer, 0, seen, sizeof seen), GPUTUNE_OK);
        CHECK(memcmp(seen, host, sizeof host) == 0);
        CHECK_INT(gputune_run(kernel, args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_buffer_read(device, buffer, 0, seen, sizeof seen), GPUTUNE_OK);
        for (i = 0, wrong = 0; i < COUNT; i++) {
            const bool written = i >= 2 * EACH && i < 3 * EACH;
            wrong += seen[i] !=
                     host[i] + (written ? 2 * host[i - 2 * EACH] + host[i - EACH] : 0.0f);
        }
        CHECK_INT(wrong, 0);
        if (rig_now == &rig_opencl) {
            args[1] = gputune_part(gputune_in(buffer, sizeof host), 4, bytes);
            CHECK_INT(gputune_run(kernel, args, 4), GPUTUNE_ERROR_ARGUMENT);
            CHECK_HAS(gputune_kernel_error(kernel)->text, "argument 1 (x) begins at byte 4");
        }
        gputune_kernel_destroy(kernel);
        gputune_buffer_destroy(device, buffer);
        gputune_device_destroy(device);
    }
}

// Values reach the compiler where the #define stands in a branch that is switched off: by an
// option, as in kernels made for Kernel Tuner, or by a parameter. No line defines anything twice.
static void test_whole_branches(void)
{
    static const gputune_param params[] = { { "WIDTH", "set 16,32", NULL },
                                            { "TWICE", "bool", NULL },
                                            { NULL, NULL, NULL } };
    static const char *const options[] = { "-Werror", "-Werror -Dkernel_tuner=1" };
    enum { COUNT = 100 };
    gputune_device *device = rig_device("");
    char text[1200];
    int host[COUNT], i, way;
    void *buffer;
    if (!device) return;
    snprintf(text, sizeof text,
             "%s#ifndef kernel_tuner\n#define WIDTH 16u\n#define TWICE 0\n#endif\n"
             "#if TWICE\n#pragma gputune set 3,5\n#define SCALE 3\n#define BY 2\n#else\n"
             "#define BY 1\n#endif\n"
             "KERNEL void f(GLOBAL int *x)\n"
             "{ int i = ID; x[i] = i * BY / BY + (SCALE + (int)WIDTH) * 0 + __LINE__; }\n",
             rig_now->dialect);
    buffer = gputune_buffer_create(device, sizeof host, NULL);
    for (way = 0; way < 2; way++) {
        gputune_kernel_desc desc;
        gputune_kernel *kernel;
        gputune_arg arg = gputune_out(buffer, sizeof host);
        const gputune_trial *trial;
        memset(&desc, 0, sizeof desc);
        desc.source = text;
        desc.name = "f";
        desc.compiler_options = rig_now->needs_gpu ? options[way] + 7 : options[way];
        desc.params = params;
        desc.global = "100";
        desc.local = "50";
        desc.tune.budget.trials = 8;
        desc.tune.budget.seconds = -1;
        kernel = gputune_kernel_create(device, &desc);
        CHECK_OR(gputune_run(kernel, &arg, 1) == GPUTUNE_OK, "%s",
                 gputune_kernel_error(kernel)->text);
        CHECK_INT(test_trials(kernel), 8);
        for (i = 0; (trial = gputune_kernel_trial(kernel, i)) != NULL; i++)
            CHECK_OR(trial->result == GPUTUNE_OK, "%s", trial->reason);
        CHECK_INT(gputune_buffer_read(device, buffer, 0, host, sizeof host), GPUTUNE_OK);
        for (i = 1; i < COUNT && host[i] == host[0] + i;) i++;
        CHECK_INT(i, COUNT);
        CHECK_INT(host[0], source_newlines(text));
        gputune_kernel_destroy(kernel);
    }
    gputune_buffer_destroy(device, buffer);
    gputune_device_destroy(device);
}

// A tuning in parts (.tune.slice). Each call has buffers and contents of its own, which go behind
// it: no trial sees another call's, and each call's result is right.
static void test_whole_slices(void)
{
    static const char *const quick[] = { "HOW < 6", NULL };
    static whole_rig r;
    const gputune_outcome *o;
    const gputune_trial *t;
    int i, calls, wrong = 0, failed = 0;
    memset(&r, 0, sizeof r);
    r.desc.require = quick;
    r.desc.tune.slice = 1e-3;
    if (!whole_open(&r, "")) return;
    test_steady(r.device);
    for (calls = 0; calls < 5000; calls++) {
        void *x = gputune_buffer_create(r.device, sizeof r.x, NULL);
        void *y = gputune_buffer_create(r.device, sizeof r.y, NULL);
        for (i = 0; i < WHOLE_N; i++) r.x[i] = (float)((i + calls) % 17), r.y[i] = (float)calls;
        wrong += gputune_buffer_write(r.device, x, 0, r.x, sizeof r.x) != GPUTUNE_OK;
        wrong += gputune_buffer_write(r.device, y, 0, r.y, sizeof r.y) != GPUTUNE_OK;
        r.args[1] = gputune_in(x, sizeof r.x);
        r.args[2] = gputune_inout(y, sizeof r.y);
        failed += gputune_run(r.kernel, r.args, 4) != GPUTUNE_OK;
        wrong += gputune_buffer_read(r.device, y, 0, r.seen, sizeof r.seen) != GPUTUNE_OK;
        for (i = 0; i < WHOLE_N; i++) wrong += r.seen[i] != r.y[i] + 2.0f * r.x[i];
        gputune_buffer_destroy(r.device, x);
        gputune_buffer_destroy(r.device, y);
        if (!gputune_kernel_outcome(r.kernel)->goes_on) break;
    }
    o = gputune_kernel_outcome(r.kernel);
    CHECK_INT(wrong, 0);
    CHECK_INT(failed, 0);
    CHECK(calls > 10 && calls < 5000);
    CHECK_INT(o->trials, 12);
    CHECK_INT(gputune_config_int(&o->config, "HOW"), 0);
    for (i = 0; (t = gputune_kernel_trial(r.kernel, i)) != NULL; i++)
        CHECK_INT(t->result == GPUTUNE_OK, gputune_config_int(&t->config, "HOW") == 0);
    whole_close(&r);
}

static const test_case whole_cases[] = {
    { "faults", test_whole_faults },
    { "arguments", test_whole_arguments },
    { "line_numbers", test_whole_line_numbers },
    { "shapes", test_whole_shapes },
    { "reference", test_whole_reference },
    { "existing", test_whole_existing },
    { "parts", test_whole_parts },
    { "branches", test_whole_branches },
    { "slices", test_whole_slices },
    { NULL, NULL },
};
