// gputune_cuda.h on a CUDA that runs on the host and fails on request (fake_cuda/).
#include "gputune_cuda.h"
#include "test.h"

#include "fake_cuda/fake_cuda.h"

#include <unistd.h>

// --- the fake: built once for each set of flags, brought back to its start for every case ---

typedef struct cuda_fake {
    char library[232];
    void *handle;
    fake_cuda *state;
    void (*reset)(void);
    void *(*new_context)(int device);
    void (*end_context)(void *context);
    int (*depth)(void), (*mode)(void);
    gt_cuda__calls call; // for the program's own calls
    CUresult(CUDAAPI *begin)(CUstream, CUstreamCaptureMode);
    CUresult(CUDAAPI *end)(CUstream, CUgraph *);
    CUresult(CUDAAPI *graph)(CUgraphExec, CUstream);
    gputune_cuda_desc desc;
} cuda_fake;

typedef struct cuda_built {
    char flags[32], folder[200];
    void *handle;
} cuda_built;

static cuda_built cuda_builds[4];
static int cuda_build_count;

static void cuda_remove_builds(void)
{
    char path[256];
    int i;
    for (i = 0; i < cuda_build_count && getpid() == main_process; i++) {
        snprintf(path, sizeof path, "%s/libfake.so", cuda_builds[i].folder);
        unlink(path);
        rmdir(cuda_builds[i].folder);
    }
}

static cuda_built *cuda_build(const char *flags)
{
    const char *temporary = getenv("TMPDIR"), *cc = getenv("CC");
    static const char here[] = __FILE__; // one array, whatever the compiler makes of literals
    const char *slash = strrchr(here, '/'), *names[2];
    int folder = slash ? (int)(slash - here) : 1, i;
    char command[1200], library[232];
    cuda_built *b;
    for (i = 0; i < cuda_build_count; i++)
        if (strcmp(cuda_builds[i].flags, flags) == 0) {
            if (!cuda_builds[i].handle) return TEST_FAIL("there is no fake"), NULL;
            return &cuda_builds[i];
        }
    b = &cuda_builds[cuda_build_count];
    snprintf(b->flags, sizeof b->flags, "%s", flags);
    snprintf(b->folder, sizeof b->folder, "%s/cuda.XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(b->folder)) return TEST_FAIL("mkdtemp"), NULL;
    if (cuda_build_count++ == 0) atexit(cuda_remove_builds);
    snprintf(library, sizeof library, "%s/libfake.so", b->folder);
    snprintf(command, sizeof command,
             "%s -shared -fPIC -w %s '%.*s/fake_cuda/fake_cuda.c' -o '%s' -lm -lpthread",
             cc && *cc ? cc : "cc", flags, folder, slash ? here : ".", library);
    if (system(command) != 0) return TEST_FAIL("cannot build the fake: %s", command), NULL;
    names[0] = library;
    names[1] = NULL;
    b->handle = gputune_library_open(names, NULL);
    if (!b->handle) return TEST_FAIL("cannot load the fake"), NULL;
    return b;
}

static gputune_cuda_desc cuda_quiet(void)
{
    gputune_cuda_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.options.mode = GPUTUNE_MODE_OFF;
    desc.options.store = "";
    return desc;
}

static bool cuda_make(cuda_fake *fake, const char *flags)
{
    cuda_built *built = cuda_build(flags);
    fake_cuda *(*state)(void) = NULL;
    memset(fake, 0, sizeof *fake);
    if (!built) return false;
    fake->handle = built->handle;
    snprintf(fake->library, sizeof fake->library, "%s/libfake.so", built->folder);
    if (!gputune_library_symbol(fake->handle, "fake_cuda_state", &state) ||
        !gputune_library_symbol(fake->handle, "fake_cuda_reset", &fake->reset) ||
        !gputune_library_symbol(fake->handle, "fake_cuda_new_context", &fake->new_context) ||
        !gputune_library_symbol(fake->handle, "fake_cuda_end_context", &fake->end_context) ||
        !gputune_library_symbol(fake->handle, "fake_cuda_depth", &fake->depth) ||
        !gputune_library_symbol(fake->handle, "fake_cuda_mode", &fake->mode) ||
        !gputune_library_symbol(fake->handle, "cuStreamBeginCapture_v2", &fake->begin) ||
        !gputune_library_symbol(fake->handle, "cuStreamEndCapture", &fake->end) ||
        !gputune_library_symbol(fake->handle, "cuGraphLaunch", &fake->graph))
        return TEST_FAIL("the fake is incomplete"), false;
    fake->reset();
    fake->state = state();
    gputune_library_load("fake", fake->library, NULL, "", gt_cuda__symbols, &fake->call, NULL);
    fake->desc = cuda_quiet();
    fake->desc.library = fake->desc.nvrtc = fake->desc.nvml = fake->library;
    return true;
}

// Nothing is left alive in it, nothing was used wrongly, nothing waits for ever.
static void cuda_check_clean(cuda_fake *fake)
{
    static const char *const kinds[FAKE_CUDA_KINDS] = {
        "primary context", "context", "module", "stream", "event", "memory", "program", "NVML"
    };
    int i;
    for (i = 0; i < FAKE_CUDA_KINDS; i++)
        CHECK_OR(!fake->state->alive[i], "%d of %s left", fake->state->alive[i], kinds[i]);
    CHECK_OR(!fake->state->misused, "misused %d times, first: %s", fake->state->misused,
             fake->state->misuse);
    CHECK_INT(fake->state->blocked, 0);
    CHECK_INT(fake->depth(), 0);
    CHECK_INT(fake->mode(), CU_STREAM_CAPTURE_MODE_GLOBAL);
}

static void cuda_end(cuda_fake *fake)
{
    if (!fake->state) return;
    cuda_check_clean(fake);
    fake->reset();
}

// --- a device, its driver's table and object ---

typedef struct cuda_rig {
    gputune_device *device;
    gt_cuda__device *cu; // NULL when opening failed
    gputune_driver d;
    gputune_error error;
} cuda_rig;

static bool cuda_open(cuda_rig *rig, const gputune_cuda_desc *desc)
{
    memset(rig, 0, sizeof *rig);
    rig->device = gputune_cuda_device_create(desc);
    rig->cu = (gt_cuda__device *)gputune_device_self(rig->device, "cuda");
    if (rig->cu) gt_cuda__table(rig->cu, &rig->d);
    return rig->cu != NULL;
}

// For cases that need a device that opens.
static bool cuda_start(cuda_fake *fake, cuda_rig *rig)
{
    if (!cuda_make(fake, "")) return false;
    if (cuda_open(rig, &fake->desc)) return true;
    TEST_FAIL("%s", gputune_device_error(rig->device)->text);
    gputune_device_destroy(rig->device);
    return false;
}

static void cuda_stop(cuda_fake *fake, cuda_rig *rig)
{
    gputune_device_destroy(rig->device);
    cuda_end(fake);
}

static gputune_build cuda_build_of(const char *source, const char *name, const char *options)
{
    gputune_build build;
    memset(&build, 0, sizeof build);
    build.source = source;
    build.name = name;
    build.options = options;
    return build;
}

static void *cuda_compile_build(cuda_rig *rig, const gputune_build *build)
{
    void *code = NULL;
    rig->error.text[0] = 0;
    rig->error.result = rig->d.compile(rig->cu, build, &code, &rig->error);
    CHECK((code != NULL) == (rig->error.result == GPUTUNE_OK));
    return code;
}

static void *cuda_compile(cuda_rig *rig, const char *source, const char *name, const char *options)
{
    gputune_build build = cuda_build_of(source, name, options);
    return cuda_compile_build(rig, &build);
}

static gputune_result cuda_time(cuda_rig *rig, void *code, const gputune_driver_launch *launch,
                                int batch, double time_limit, double hang_limit, double *seconds)
{
    rig->error.text[0] = 0;
    return rig->error.result = rig->d.time(rig->cu, code, launch, batch, time_limit, hang_limit,
                                           seconds, &rig->error);
}

static const char cuda_saxpy[] =
    "// fake: us=50\n"
    "__global__ void saxpy(int n, float a, const float *x, float *y)\n"
    "{ int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] += a * x[i]; }\n";

enum { CUDA_N = 100 };

// Memory for saxpy and a launch on it.
typedef struct cuda_work {
    int n;
    float a, x[CUDA_N], y[CUDA_N];
    gputune_memory mx, my;
    gputune_bound_arg args[6];
    gputune_driver_launch launch;
} cuda_work;

static void cuda_work_make(cuda_rig *rig, cuda_work *w)
{
    int i;
    memset(w, 0, sizeof *w);
    w->n = CUDA_N;
    w->a = 3;
    for (i = 0; i < CUDA_N; i++) w->x[i] = (float)i;
    CHECK_INT(rig->d.allocate(rig->cu, sizeof w->x, 64, &w->mx, &rig->error), GPUTUNE_OK);
    CHECK_INT(rig->d.allocate(rig->cu, sizeof w->y, 0, &w->my, &rig->error), GPUTUNE_OK);
    CHECK_INT(rig->d.write(rig->cu, w->mx.whole, w->mx.guard, w->x, sizeof w->x, &rig->error),
              GPUTUNE_OK);
    CHECK_INT(rig->d.fill(rig->cu, w->my.whole, 0, 0, sizeof w->y, &rig->error), GPUTUNE_OK);
    w->args[0] = cl_arg(GPUTUNE_ARG_SCALAR, &w->n, sizeof w->n, NULL);
    w->args[1] = cl_arg(GPUTUNE_ARG_SCALAR, &w->a, sizeof w->a, NULL);
    w->args[2] = cl_arg(GPUTUNE_ARG_IN, NULL, sizeof w->x, w->mx.handle);
    w->args[3] = cl_arg(GPUTUNE_ARG_INOUT, NULL, sizeof w->y, w->my.handle);
    w->launch = cl_launch(128, 64, w->args, 4);
}

// How many elements of y are not times * a * x.
static int cuda_work_wrong(cuda_rig *rig, cuda_work *w, int times)
{
    int i, wrong = 0;
    CHECK_INT(rig->d.read(rig->cu, w->my.whole, 0, w->y, sizeof w->y, &rig->error), GPUTUNE_OK);
    for (i = 0; i < CUDA_N; i++) wrong += w->y[i] != (float)times * w->a * w->x[i];
    return wrong;
}

static void cuda_work_free(cuda_rig *rig, cuda_work *w)
{
    rig->d.release(rig->cu, &w->mx);
    rig->d.release(rig->cu, &w->my);
}

// --- opening ---

// Every function that the header's lists name is in the fake, under the name that is exported.
static void test_cuda_list(void)
{
    static const char *const names[] = {
#define CUDA_X(result, name, parameters) #name,
        GT_CUDA__CALLS(CUDA_X) GT_CUDA__OPTIONAL_CALLS(CUDA_X)
        GT_CUDA__NVRTC_CALLS(CUDA_X) GT_CUDA__NVML_CALLS(CUDA_X)
#undef CUDA_X
    };
    cuda_fake fake;
    size_t i;
    if (cuda_make(&fake, "")) {
        for (i = 0; i < sizeof names / sizeof *names; i++) {
            void (*function)(void) = NULL;
            CHECK_OR(gputune_library_symbol(fake.handle, names[i], &function), "the fake has no %s",
                     names[i]);
        }
    }
    cuda_end(&fake);
}

// Opening fails with this result, and the text has both parts.
static void cuda_expect_none(const gputune_cuda_desc *desc, gputune_result result,
                             const char *part, const char *other)
{
    cuda_rig rig;
    CHECK(!cuda_open(&rig, desc));
    CHECK_INT(gputune_device_error(rig.device)->result, result);
    CHECK_HAS(gputune_device_error(rig.device)->text, part);
    CHECK_HAS(gputune_device_error(rig.device)->text, other);
    CHECK(!gputune_cuda_context(rig.device) && !gputune_cuda_stream(rig.device));
    CHECK_INT(gputune_cuda_ordinal(rig.device), -1);
    gputune_device_destroy(rig.device);
}

static void test_cuda_no_library(void)
{
    gputune_cuda_desc desc = cuda_quiet();
    cuda_fake fake;
    desc.library = "/nowhere/libcuda.so.1";
    cuda_expect_none(&desc, GPUTUNE_ERROR_LIBRARY, "/nowhere/libcuda.so.1",
                     "install NVIDIA's driver");
    if (cuda_make(&fake, "-DFAKE_INCOMPLETE"))
        cuda_expect_none(&fake.desc, GPUTUNE_ERROR_LIBRARY, "cuMemsetD8Async", fake.library);
    cuda_end(&fake);
}

static void test_cuda_no_device(void)
{
    cuda_fake fake;
    if (cuda_make(&fake, "")) {
        fake.state->fail = "cuInit";
        fake.state->fail_code = CUDA_ERROR_NO_DEVICE;
        cuda_expect_none(&fake.desc, GPUTUNE_ERROR_NO_DEVICE, "cuInit: CUDA_ERROR_NO_DEVICE (100)",
                         "no CUDA device can be used");
        fake.state->fail_code = CUDA_ERROR_UNKNOWN;
        fake.state->fail_seen = 0;
        cuda_expect_none(&fake.desc, GPUTUNE_ERROR_NO_DEVICE, "cuInit: CUDA_ERROR_UNKNOWN (999)",
                         "no CUDA device");
        fake.state->fail = NULL;
        fake.desc.device = 2;
        cuda_expect_none(&fake.desc, GPUTUNE_ERROR_NO_DEVICE, "ordinal 2", "there are 2");
        fake.desc.device = -1;
        cuda_expect_none(&fake.desc, GPUTUNE_ERROR_NO_DEVICE, "ordinal -1", "there are 2");
        fake.desc.device = 0;
        fake.state->device_count = 0;
        cuda_expect_none(&fake.desc, GPUTUNE_ERROR_NO_DEVICE, "ordinal 0", "there are 0");
        fake.state->device_count = 2;
    }
    cuda_end(&fake);
}

// Without NVRTC the device works, and what needs it says what was looked for.
static void test_cuda_no_nvrtc(void)
{
    static const char *const flags[2] = { "", "-DFAKE_NO_COMPILER" };
    cuda_fake fake;
    cuda_rig rig;
    int way;
    for (way = 0; way < 2; way++) {
        if (!cuda_make(&fake, flags[way])) return;
        if (way == 0) fake.desc.nvrtc = "/nowhere/libnvrtc.so.13";
        CHECK(cuda_open(&rig, &fake.desc));
        CHECK(!cuda_compile(&rig, cuda_saxpy, "saxpy", ""));
        CHECK_INT(rig.error.result, GPUTUNE_ERROR_LIBRARY);
        CHECK_HAS(rig.error.text, "NVRTC");
        CHECK_HAS(rig.error.text, way ? "nvrtcGetLoweredName" : "/nowhere/libnvrtc.so.13");
        CHECK(!cuda_compile(&rig, NULL, "saxpy", ""));
        CHECK_INT(rig.error.result, GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_HAS(rig.error.text, "select");
        gputune_device_destroy(rig.device);
        cuda_end(&fake);
    }
}

static void test_cuda_limits(void)
{
    cuda_fake fake;
    cuda_rig rig;
    if (!cuda_start(&fake, &rig)) return;
    {
        const gputune_limits *limits = gputune_device_limits(rig.device);
        CHECK_INT(limits->max_group_size, 1024);
        CHECK_INT(limits->max_group_x, 1024);
        CHECK_INT(limits->max_group_y, 1024);
        CHECK_INT(limits->max_group_z, 64);
        CHECK_INT(limits->local_memory, 49152);
        CHECK_INT(limits->optin_local_memory, 232448);
        CHECK_INT(limits->constant_memory, 65536);
        CHECK_INT(limits->global_memory, INT64_C(1) << 32);
        CHECK_INT(limits->cache_bytes, 1 << 20);
        CHECK_INT(limits->compute_units, 132);
        CHECK_INT(limits->warp_size, 32);
        CHECK_INT(limits->clock_mhz, 1980);
        CHECK_INT(limits->compute_capability, 90);
        CHECK_INT(limits->is_gpu, 1);
        CHECK_TEXT(limits->name, "Fake H200");
        CHECK(limits->driver[0] != 0);
    }
    gputune_device_destroy(rig.device);
    fake.desc.device = 1;
    CHECK(cuda_open(&rig, &fake.desc));
    CHECK_TEXT(gputune_device_limits(rig.device)->name, "Fake A100");
    CHECK_INT(gputune_device_limits(rig.device)->compute_capability, 80);
    CHECK_INT(gputune_cuda_ordinal(rig.device), 1);
    cuda_stop(&fake, &rig);
}

// --- contexts and streams ---

// The primary context is retained once, given back once, and current only during calls.
static void test_cuda_primary(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    if (!cuda_start(&fake, &rig)) return;
    CHECK_INT(fake.state->alive[FAKE_CUDA_RETAINED], 1);
    CHECK_INT(fake.depth(), 0);
    CHECK((void *)gputune_cuda_context(rig.device) == fake.state->devices[0].primary);
    CHECK(gputune_cuda_stream(rig.device) == NULL);
    CHECK_INT(gputune_cuda_ordinal(rig.device), 0);
    cuda_work_make(&rig, &w);
    CHECK_INT(fake.depth(), 0);
    cuda_work_free(&rig, &w);
    gputune_device_destroy(rig.device);
    CHECK_INT(fake.state->retains, 1);
    cuda_end(&fake);
}

// A context of the program's with a stream; made current if asked.
static void *cuda_program(cuda_fake *fake, int device, bool current, CUstream *stream)
{
    void *context = fake->new_context(device);
    CUcontext ignored;
    CHECK_INT(fake->call.cuInit(0), CUDA_SUCCESS);
    CHECK_INT(fake->call.cuCtxPushCurrent_v2((CUcontext)context), CUDA_SUCCESS);
    CHECK_INT(fake->call.cuStreamCreate(stream, 0), CUDA_SUCCESS);
    if (!current) fake->call.cuCtxPopCurrent_v2(&ignored);
    fake->state->watched = *stream;
    return context;
}

static void cuda_program_end(cuda_fake *fake, void *context, bool current, CUstream stream)
{
    CUcontext now = NULL;
    if (current) {
        CHECK_INT(fake->depth(), 1);
        fake->call.cuCtxGetCurrent(&now);
        CHECK((void *)now == context);
    } else {
        CHECK_INT(fake->depth(), 0);
        fake->call.cuCtxPushCurrent_v2((CUcontext)context);
    }
    CHECK_INT(fake->call.cuStreamDestroy_v2(stream), CUDA_SUCCESS);
    fake->call.cuCtxPopCurrent_v2(&now);
    fake->end_context(context);
}

// Found by its stream, by being current, or given: the program's context is used, nothing is
// retained; its stream gets the final launch and nothing else.
static void test_cuda_program(void)
{
    int way;
    for (way = 0; way < 3; way++) {
        cuda_fake fake;
        cuda_rig rig;
        cuda_work w;
        CUstream stream = NULL;
        void *context, *code;
        double seconds;
        if (!cuda_make(&fake, "")) return;
        context = cuda_program(&fake, 1, way == 1, &stream);
        if (way != 1) fake.desc.stream = stream;
        if (way == 2) fake.desc.context = (CUcontext)context;
        CHECK(cuda_open(&rig, &fake.desc));
        CHECK((void *)gputune_cuda_context(rig.device) == context);
        CHECK(gputune_cuda_stream(rig.device) == fake.desc.stream);
        CHECK_INT(gputune_cuda_ordinal(rig.device), 1);
        CHECK_TEXT(gputune_device_limits(rig.device)->name, "Fake A100");
        code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
        cuda_work_make(&rig, &w);
        CHECK_INT(cuda_time(&rig, code, &w.launch, 4, 1, 5, &seconds), GPUTUNE_OK);
        CHECK(fake.state->context == context && fake.state->stream != stream &&
              fake.state->stream != NULL);
        CHECK_INT(fake.state->watched_launches, 0);
        CHECK_INT(rig.d.launch(rig.cu, code, &w.launch, &rig.error), GPUTUNE_OK);
        CHECK(fake.state->stream == (void *)fake.desc.stream);
        CHECK_INT(fake.state->watched_launches, way != 1);
        CHECK_INT(rig.d.wait(rig.cu, &rig.error), GPUTUNE_OK);
        CHECK_INT(cuda_work_wrong(&rig, &w, 5), 0);
        CHECK_INT(fake.state->watched_copies, 0);
        CHECK_INT(fake.state->retains, 0);
        cuda_work_free(&rig, &w);
        rig.d.discard(rig.cu, code);
        gputune_device_destroy(rig.device);
        cuda_program_end(&fake, context, way == 1, stream);
        cuda_end(&fake);
    }
}

// --- compiling ---

static void test_cuda_names(void)
{
    static const char source[] =
        "extern \"C\" __global__ void plain(int n) {}\n"
        "__global__ void mangled(float *x, long long n, char c) {}\n"
        "template <int N> __global__ void twice(float *x) {}\n";
    static const char *const names[3] = { "plain", "mangled", "twice<4>" };
    static const char *const lowered[3] = { "plain", "_Z7mangledv", "_Z5twice_4_v" };
    static const int params[3] = { 1, 3, 1 };
    cuda_fake fake;
    cuda_rig rig;
    int i;
    if (!cuda_start(&fake, &rig)) return;
    for (i = 0; i < 3; i++) {
        void *code = cuda_compile(&rig, source, names[i], "");
        cuda_work w;
        int count;
        CHECK(code != NULL);
        if (!code) continue;
        cuda_work_make(&rig, &w);
        for (count = 0; count <= 4; count++) { // how many parameters does it have?
            char text[64];
            if (count == params[i]) continue;
            w.launch.arg_count = count;
            CHECK_INT(rig.d.launch(rig.cu, code, &w.launch, &rig.error), GPUTUNE_ERROR_ARGUMENT);
            snprintf(text, sizeof text, "has %d parameters, not %d", params[i], count);
            CHECK_HAS(rig.error.text, text);
        }
        if (i == 0) {
            w.launch.arg_count = 1;
            CHECK_INT(rig.d.launch(rig.cu, code, &w.launch, &rig.error), GPUTUNE_OK);
            CHECK_TEXT(fake.state->kernel, lowered[i]);
        }
        cuda_work_free(&rig, &w);
        rig.d.discard(rig.cu, code);
    }
    CHECK(!cuda_compile(&rig, source, "sexpy", ""));
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(rig.error.text, "\"sexpy\"");
    cuda_stop(&fake, &rig);
}

static void test_cuda_build_log(void)
{
    static cl_messages messages;
    cuda_fake fake;
    cuda_rig rig;
    if (!cuda_make(&fake, "")) return;
    memset(&messages, 0, sizeof messages);
    fake.desc.options.log = cl_keep_message;
    fake.desc.options.user = &messages;
    fake.desc.options.log_level = GPUTUNE_LOG_DEBUG;
    CHECK(cuda_open(&rig, &fake.desc));
    CHECK(!cuda_compile(&rig, "// fake: does=1\n__global__ void f(int n) {}\n", "f", ""));
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(rig.error.text, "nvrtcCompileProgram: NVRTC_ERROR_COMPILATION");
    CHECK_HAS(rig.error.text, "kernel \"f\"");
    CHECK_HAS(rig.error.text, "(321): error: this configuration does not compile");
    CHECK(!strstr(rig.error.text, "warning"));
    CHECK_HAS(messages.text, "(0): warning");
    CHECK_HAS(messages.text, "(79): warning");
    CHECK_INT(messages.count[GPUTUNE_LOG_DEBUG], 1);
    CHECK(!cuda_compile(&rig, "// fake: does=1\n// few\n__global__ void f(int n) {}\n", "f", ""));
    CHECK_HAS(rig.error.text, "(321): error: this configuration does not compile");
    CHECK(!strstr(rig.error.text, "warning"));
    CHECK(!cuda_compile(&rig, cuda_saxpy, "saxpy", "-DA=1 -nonsense"));
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(rig.error.text, "NVRTC_ERROR_INVALID_OPTION");
    CHECK_HAS(rig.error.text, "\"-DA=1 -nonsense\"");
    CHECK_HAS(rig.error.text, "unrecognized option");
    CHECK(!cuda_compile(&rig, "// fake: does=10\n__global__ void f(int n) {}\n", "f", ""));
    CHECK_HAS(rig.error.text, "cuModuleLoadDataEx: CUDA_ERROR_INVALID_IMAGE (200)");
    cuda_stop(&fake, &rig);
}

// NVRTC gets the program's options as they are, and the GPU's architecture.
static void test_cuda_options(void)
{
    cuda_fake fake;
    cuda_rig rig;
    if (!cuda_start(&fake, &rig)) return;
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy",
                                       " -use_fast_math\t\"-I/a folder\" -std=c++17 "));
    CHECK_TEXT(fake.state->options, "-use_fast_math\n-I/a folder\n-std=c++17\n-arch=sm_90\n"
                                    "-no-cache\n-minimal\n");
    CHECK_TEXT(fake.state->image, "CUBIN");
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy", "-arch=compute_80"));
    CHECK_TEXT(fake.state->options, "-arch=compute_80\n-no-cache\n-minimal\n");
    CHECK_TEXT(fake.state->image, "PTX");
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy", "--gpu-architecture=sm_90"));
    CHECK_TEXT(fake.state->image, "CUBIN");
    CHECK(!cuda_compile(&rig, cuda_saxpy, "saxpy", "-arch=sm_80")); // 8.0's code is not for 9.0
    CHECK_HAS(rig.error.text, "cuModuleLoadDataEx: CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
    cuda_stop(&fake, &rig);
}

// What needs what -minimal leaves out is compiled without it; an older NVRTC does not know it.
static void test_cuda_minimal(void)
{
    static const char source[] =
        "extern \"C\" __global__ void look(cudaTextureObject_t *t, float *y)\n"
        "{\n    y[threadIdx.x] = tex1Dfetch<float>(*t, threadIdx.x);\n}\n";
    cuda_fake fake;
    cuda_rig rig;
    if (!cuda_start(&fake, &rig)) return;
    rig.d.discard(rig.cu, cuda_compile(&rig, source, "look", ""));
    CHECK_TEXT(fake.state->options, "-arch=sm_90\n-no-cache\n");
    CHECK_INT(fake.state->compiles, 2);
    CHECK(!cuda_compile(&rig, "#error no\n", "look", ""));
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
    fake.state->nvrtc_version[0] = 12;
    rig.cu->has_nvrtc = false; // it is loaded anew
    rig.d.discard(rig.cu, cuda_compile(&rig, source, "look", ""));
    CHECK_TEXT(fake.state->options, "-arch=sm_90\n");
    cuda_stop(&fake, &rig);
}

// An NVRTC older than the GPU: the newest PTX that it can make serves.
static void test_cuda_older_nvrtc(void)
{
    cuda_fake fake;
    cuda_rig rig;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    fake.state->archs[3] = 0; // up to 8.6
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    CHECK(code != NULL);
    CHECK_TEXT(fake.state->options, "-arch=compute_86\n-no-cache\n-minimal\n");
    CHECK_TEXT(fake.state->image, "PTX");
    rig.d.discard(rig.cu, code);
    fake.state->archs[0] = 100;
    fake.state->archs[1] = 0;
    CHECK(!cuda_compile(&rig, cuda_saxpy, "saxpy", ""));
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_HAS(rig.error.text, "9.0");
    cuda_stop(&fake, &rig);
}

// What translate makes is loaded without the compiler, and a damaged one is refused.
static void test_cuda_binary(void)
{
    cuda_fake fake;
    cuda_rig rig;
    gputune_build build = cuda_build_of(cuda_saxpy, "saxpy", "");
    gputune_binary binary;
    size_t i, kept;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    CHECK_INT(rig.d.translate(rig.cu, &build, &binary, &rig.error), GPUTUNE_OK);
    CHECK_INT(fake.state->compiles, 1);
    CHECK_INT(fake.state->loads, 0);
    build.binary = &binary;
    build.source = NULL;
    code = cuda_compile_build(&rig, &build);
    CHECK(code != NULL);
    CHECK_INT(fake.state->compiles, 1);
    CHECK_INT(fake.state->loads, 1);
    rig.d.discard(rig.cu, code);
    for (kept = binary.bytes, i = 0; i < kept; i += 7) { // cut short
        binary.bytes = i;
        CHECK(!cuda_compile_build(&rig, &build));
    }
    binary.bytes = kept;
    for (i = 0; i < 32; i++) { // its head damaged
        ((unsigned char *)binary.data)[i] ^= 0xff;
        code = cuda_compile_build(&rig, &build);
        if (i < 16) CHECK(!code);
        rig.d.discard(rig.cu, code);
        ((unsigned char *)binary.data)[i] ^= 0xff;
    }
    CHECK(rig.d.translator[0] && strstr(rig.d.translator, "90"));
    gputune_reallocate(&fake.desc.options, binary.data, 0);
    cuda_stop(&fake, &rig);
}

// --- arguments and launches ---

static void test_cuda_saxpy(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds = 0;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    cuda_work_make(&rig, &w);
    CHECK(w.mx.guard >= 64 && w.mx.handle != w.mx.whole && w.my.handle == w.my.whole);
    CHECK_INT(cuda_time(&rig, code, &w.launch, 5, 1, 5, &seconds), GPUTUNE_OK);
    CHECK_NEAR(seconds, 5 * 50e-6, 1e-9); // of the whole batch
    CHECK_INT(fake.state->launches, 5);
    CHECK_INT(fake.state->grid[0], 2);
    CHECK_INT(fake.state->block[0], 64);
    CHECK_INT(fake.state->grid[1] * fake.state->grid[2] * fake.state->block[1] *
                  fake.state->block[2], 1);
    CHECK_INT(fake.state->dynamic, 0);
    CHECK_INT(cuda_work_wrong(&rig, &w, 5), 0);
    w.launch.local[0] = 0; // chosen: 256, which CUDA kernels guard against
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(fake.state->grid[0] * fake.state->block[0], 256);
    CHECK_INT(rig.d.group_limit(rig.cu, code), 1024);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    cuda_stop(&fake, &rig);
}

// Arguments that do not fit the compiled kernel's parameters: CUDA would read beyond them.
static void test_cuda_arguments(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds;
    int16_t narrow = 1;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    cuda_work_make(&rig, &w);
    w.launch.arg_count = 3;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(rig.error.text, "\"saxpy\" has 4 parameters, not 3");
    w.launch.arg_count = 5;
    w.args[4] = w.args[0];
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_ERROR_ARGUMENT);
    w.launch.arg_count = 4;
    w.args[0] = cl_arg(GPUTUNE_ARG_SCALAR, &narrow, sizeof narrow, NULL);
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(rig.error.text, "parameter 0");
    CHECK_HAS(rig.error.text, "4 bytes, not 2");
    CHECK_INT(fake.state->launches, 0);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    cuda_stop(&fake, &rig);
}

// A driver that does not tell the parameters.
static void test_cuda_older_driver(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds;
    void *code;
    if (!cuda_make(&fake, "-DFAKE_OLD")) return;
    CHECK(cuda_open(&rig, &fake.desc));
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    cuda_work_make(&rig, &w);
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(cuda_work_wrong(&rig, &w, 1), 0);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    cuda_stop(&fake, &rig);
}

// Local memory behind the kernel's own parameters; above 48 KiB the function is told so.
static void test_cuda_dynamic(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    code = cuda_compile(&rig, "// fake: static=1024\n__global__ void f(int n, float a, float *x, "
                              "float *y) {}", "f", "");
    cuda_work_make(&rig, &w);
    w.launch.arg_count = 5;
    w.args[4] = cl_arg(GPUTUNE_ARG_LOCAL, NULL, 1000, NULL);
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(fake.state->parameters, 4);
    CHECK_INT(fake.state->dynamic, 1008);
    CHECK_INT(fake.state->most_dynamic, 0);
    w.args[4].bytes = 49152 - 1024;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(fake.state->most_dynamic, 0);
    w.args[4].bytes = 100 * 1024;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(fake.state->most_dynamic, 100 * 1024);
    CHECK_INT(fake.state->dynamic, 100 * 1024);
    w.args[4].bytes = 232448 - 1024;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    w.args[4].bytes++;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "kernel \"f\": 232464 bytes of shared memory, the most is 232448");
    CHECK_INT(fake.state->launches, 4);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    cuda_stop(&fake, &rig);
}

// A kernel that was OpenCL C has its local memory's offsets as parameters.
static void test_cuda_converted(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    gputune_build build = cuda_build_of(
        "__global__ void f(int n, unsigned s, float a, float *x, float *y, unsigned t) {}", "f",
        "");
    double seconds;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    build.converted = true;
    code = cuda_compile_build(&rig, &build);
    CHECK_HAS(fake.state->options, "-default-device\n");
    CHECK_HAS(fake.state->options, "-prec-div=false\n-prec-sqrt=false\n");
    CHECK(!strstr(fake.state->options, "-fmad"));
    cuda_work_make(&rig, &w);
    memmove(&w.args[2], &w.args[1], 3 * sizeof w.args[0]);
    w.args[1] = cl_arg(GPUTUNE_ARG_LOCAL, NULL, 100, NULL);
    w.args[5] = cl_arg(GPUTUNE_ARG_LOCAL, NULL, 33, NULL);
    w.launch.arg_count = 6;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(fake.state->parameters, 6);
    CHECK_INT(fake.state->values[0], CUDA_N);
    CHECK_INT(fake.state->values[1], 0);
    CHECK_INT(fake.state->values[5], 112);
    CHECK_INT(fake.state->dynamic, 112 + 48);
    CHECK_INT(cuda_work_wrong(&rig, &w, 1), 0);
    // OpenCL's kernels see no work-items beyond their size.
    w.launch.local[0] = 0;
    w.launch.global[0] = 300;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(fake.state->block[0], 150);
    CHECK_INT(fake.state->grid[0], 2);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    cuda_stop(&fake, &rig);
}

// Macros of the options stand behind the prelude; #pragma OPENCL FP_CONTRACT OFF is an option.
static void test_cuda_converted_options(void)
{
    cuda_fake fake;
    cuda_rig rig;
    static const char head[] = "prelude\n#line 1 \"kernel.cl\"\n__global__ void f(int n) {}";
    gputune_build build = cuda_build_of("/* gputune: -fmad=false */\n__global__ void f(int n) {}",
                                        "f", "-O3 -DN=2");
    gputune_build defines =
        cuda_build_of(head, "f", "-DN=1024 -I/x -D M -w --define-macro=F(x)=x+1 -D\"T=a b\"");
    if (!cuda_start(&fake, &rig)) return;
    defines.converted = true;
    rig.d.discard(rig.cu, cuda_compile_build(&rig, &defines));
    CHECK_TEXT(fake.state->source,
               "prelude\n#define N 1024\n#define M 1\n#define F(x) x+1\n#define T a b\n"
               "#line 1 \"kernel.cl\"\n__global__ void f(int n) {}");
    CHECK_HAS(fake.state->options, "-I/x\n");
    CHECK_HAS(fake.state->options, "-w\n");
    CHECK(!strstr(fake.state->options, "-D") && !strstr(fake.state->options, "define"));
    CHECK(!strstr(fake.state->options, "M\n") && !strstr(fake.state->options, "T="));
    defines.options = "-I/x -w";
    rig.d.discard(rig.cu, cuda_compile_build(&rig, &defines));
    CHECK_TEXT(fake.state->source, head);
    build.converted = true;
    rig.d.discard(rig.cu, cuda_compile_build(&rig, &build));
    CHECK_HAS(fake.state->options, "-fmad=false\n");
    build.options = "-fmad=true";
    rig.d.discard(rig.cu, cuda_compile_build(&rig, &build));
    CHECK(!strstr(fake.state->options, "-fmad=false"));
    fake.state->nvrtc_version[0] = 12;
    fake.state->nvrtc_version[1] = 6;
    rig.cu->has_nvrtc = false;
    CHECK(!cuda_compile_build(&rig, &build));
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(rig.error.text, "this is 12.6");
    build.converted = false; // CUDA C: any NVRTC will do
    rig.d.discard(rig.cu, cuda_compile_build(&rig, &build));
    cuda_stop(&fake, &rig);
}

static void test_cuda_memory(void)
{
    cuda_fake fake;
    cuda_rig rig;
    gputune_memory m, from;
    unsigned char bytes[2048], text[8] = "abcdefg";
    size_t i, wrong = 0;
    if (!cuda_start(&fake, &rig)) return;
    CHECK_INT(rig.d.allocate(rig.cu, 99, 300, &m, &rig.error), GPUTUNE_OK);
    CHECK(m.guard >= 300 && m.bytes == 99 && 2 * m.guard + 99 <= sizeof bytes);
    CHECK((char *)m.handle == (char *)m.whole + m.guard);
    CHECK_INT(rig.d.fill(rig.cu, m.whole, 0, 0xa7, 2 * m.guard + 99, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.allocate(rig.cu, 8, 0, &from, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.write(rig.cu, from.whole, 0, text, 8, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.copy(rig.cu, m.whole, m.guard, from.whole, 2, 3, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.read(rig.cu, m.whole, 0, bytes, 2 * m.guard + 99, &rig.error), GPUTUNE_OK);
    CHECK(memcmp(bytes + m.guard, "cde", 3) == 0);
    for (i = 0; i < 2 * m.guard + 99; i++) wrong += bytes[i] != 0xa7;
    CHECK_INT(wrong, 3);
    CHECK_INT(rig.d.read(rig.cu, m.whole, 0, bytes, 0, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.write(rig.cu, m.whole, 0, bytes, 0, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.copy(rig.cu, m.whole, 0, from.whole, 0, 0, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.fill(rig.cu, m.whole, 0, 1, 0, &rig.error), GPUTUNE_OK);
    rig.d.release(rig.cu, &m);
    rig.d.release(rig.cu, &from);
    CHECK(!m.whole && !m.handle);
    rig.d.release(rig.cu, &m);
    CHECK_INT(rig.d.allocate(rig.cu, 0, 0, &m, &rig.error), GPUTUNE_OK);
    CHECK(m.whole != NULL);
    rig.d.release(rig.cu, &m);
    CHECK_INT(rig.d.allocate(rig.cu, (size_t)1 << 40, 64, &m, &rig.error),
              GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)");
    CHECK(!m.whole && !m.handle);
    CHECK_INT(rig.d.allocate(rig.cu, (size_t)-8, 64, &m, &rig.error), GPUTUNE_ERROR_RESOURCES);
    CHECK_INT(rig.d.allocate(rig.cu, 8, (size_t)-8, &m, &rig.error), GPUTUNE_ERROR_RESOURCES);
    cuda_stop(&fake, &rig);
}

static void test_cuda_buffers(void)
{
    cuda_fake fake;
    cuda_rig rig;
    float data[4] = { 1, 2, 3, 4 }, read[4] = { 0, 0, 0, 0 };
    void *buffer, *empty;
    if (!cuda_start(&fake, &rig)) return;
    buffer = gputune_buffer_create(rig.device, sizeof data, data);
    CHECK(buffer != NULL);
    CHECK_INT(gputune_buffer_read(rig.device, buffer, 0, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    data[0] = 7;
    CHECK_INT(gputune_buffer_write(rig.device, buffer, 0, data, sizeof data), GPUTUNE_OK);
    CHECK_INT(gputune_buffer_read(rig.device, buffer, 0, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    CHECK(gputune_cuda_pointer((CUdeviceptr)(uintptr_t)buffer) == buffer);
    empty = gputune_buffer_create(rig.device, 0, data);
    CHECK(empty != NULL);
    CHECK(gputune_buffer_create(rig.device, (size_t)-1 / 2, NULL) == NULL);
    CHECK_INT(gputune_device_error(rig.device)->result, GPUTUNE_ERROR_RESOURCES);
    gputune_buffer_destroy(rig.device, buffer);
    gputune_buffer_destroy(rig.device, empty);
    gputune_buffer_destroy(rig.device, NULL);
    cuda_stop(&fake, &rig);
}

// Launches that the device refuses, and one that is over the time limit; it stays usable.
static void test_cuda_launch_failures(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds = 0;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_compile(&rig, "// fake: does=2\n__global__ void f(int n, float a, float *x, "
                              "float *y) {}", "f", "");
    CHECK_INT(cuda_time(&rig, code, &w.launch, 3, 1, 5, &seconds), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES (701)");
    CHECK_HAS(rig.error.text, "kernel \"f\", 2 x 1 x 1 blocks of 64 x 1 x 1 threads");
    rig.d.discard(rig.cu, code);
    code = cuda_compile(&rig, "// fake: regs=200\n__global__ void f(int n, float a, float *x, "
                              "float *y) {}", "f", "");
    w.launch = cl_launch(1024, 1024, w.args, 4);
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 1, 5, &seconds), GPUTUNE_ERROR_RESOURCES);
    w.launch = cl_launch(128, 64, w.args, 4);
    w.launch.dimensions = 2;
    w.launch.global[1] = 1 << 20;
    w.launch.local[1] = 1;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 1, 5, &seconds), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "1048576 blocks in dimension 1, the most is 65535");
    w.launch.dimensions = 3;
    w.launch.global[1] = w.launch.local[2] = 1;
    w.launch.global[2] = 65536;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 1, 5, &seconds), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "65536 blocks in dimension 2, the most is 65535");
    rig.d.discard(rig.cu, code);
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    w.launch = cl_launch(128, 64, w.args, 4);
    fake.state->kernel_seconds = 0.04;
    fake.state->delay = 0.02;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 3, 0.03, 10, &seconds), GPUTUNE_ERROR_TIMEOUT);
    CHECK_HAS(rig.error.text, "kernel \"saxpy\" took 0.04 s, the limit is 0.03 s");
    CHECK_INT(cuda_time(&rig, code, &w.launch, 3, 0.05, 10, &seconds), GPUTUNE_OK);
    CHECK_NEAR(seconds, 0.12, 1e-6);
    CHECK_INT(cuda_work_wrong(&rig, &w, 6), 0);
    rig.d.discard(rig.cu, code);
    cuda_work_free(&rig, &w);
    cuda_stop(&fake, &rig);
}

// --- a device that is lost ---

// Nothing can be done with it, and nothing of CUDA's is called but what asks for it.
static void cuda_check_lost(cuda_fake *fake, cuda_rig *rig, void *code, cuda_work *w,
                            const char *kernel)
{
    gputune_memory other;
    double seconds;
    char byte = 0;
    void *buffer = (void *)fake;
    int calls = fake->state->calls, looks = fake->state->looks;
#define CUDA_LOST(call)                                                                           \
    do {                                                                                          \
        CHECK_INT(call, GPUTUNE_ERROR_DEVICE_LOST);                                               \
        CHECK_HAS(rig->error.text, kernel);                                                       \
        rig->error.text[0] = 0;                                                                   \
    } while (0)
    CUDA_LOST(cuda_time(rig, code, &w->launch, 1, 0, 0, &seconds));
    CUDA_LOST(rig->d.launch(rig->cu, code, &w->launch, &rig->error));
    CUDA_LOST(rig->d.allocate(rig->cu, 16, 0, &other, &rig->error));
    CUDA_LOST(rig->d.copy(rig->cu, w->mx.whole, 0, w->mx.whole, 8, 1, &rig->error));
    CUDA_LOST(rig->d.fill(rig->cu, w->mx.whole, 0, 0, 1, &rig->error));
    CUDA_LOST(rig->d.read(rig->cu, w->mx.whole, 0, &byte, 1, &rig->error));
    CUDA_LOST(rig->d.write(rig->cu, w->mx.whole, 0, &byte, 1, &rig->error));
    CUDA_LOST(rig->d.wait(rig->cu, &rig->error));
    CHECK(!cuda_compile(rig, cuda_saxpy, "saxpy", ""));
    CHECK_INT(rig->error.result, GPUTUNE_ERROR_DEVICE_LOST);
    CHECK(!gputune_buffer_create(rig->device, 4, NULL));
    CHECK_INT(gputune_buffer_read(rig->device, buffer, 0, &byte, 1), GPUTUNE_ERROR_DEVICE_LOST);
    gputune_buffer_destroy(rig->device, buffer);
    cuda_work_free(rig, w);
    CHECK_INT(gputune_buffer_read(rig->device, w->mx.whole, 0, &byte, 1),
              GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(gputune_device_error(rig->device)->text, kernel);
    rig->d.discard(rig->cu, code);
    // A hanging kernel is looked for: the context is entered, its event asked for, and left.
    CHECK_INT(fake->state->calls, calls + 3 * (fake->state->looks - looks));
}

// A kernel that hangs as long as the fake is told so.
static void *cuda_endless(cuda_rig *rig)
{
    return cuda_compile(rig, "// fake: does=8\n"
                             "__global__ void endless(int n, float a, float *x, float *y) {}",
                        "endless", "");
}

// A kernel that ends after it was given up: the device is back, and all is given back at the end.
static void test_cuda_back(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds = 0, begin;
    void *code, *other, *buffer;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_endless(&rig);
    other = cuda_compile(&rig, "__global__ void two(int n, float a, float *x, float *y) {}", "two",
                         "");
    buffer = gputune_buffer_create(rig.device, 4, NULL);
    fake.state->hangs = true;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 2, 0.01, 0.05, &seconds),
              GPUTUNE_ERROR_DEVICE_LOST);
    begin = gputune_now();
    CHECK_INT(rig.d.recover(rig.cu, 0.05, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(rig.error.text, "does not answer since kernel \"endless\" ran: it works again when");
    CHECK(gputune_now() - begin >= 0.05);
    gputune_buffer_destroy(rig.device, buffer); // left alone, and released when it is back
    rig.d.discard(rig.cu, other);
    fake.state->hangs = false;
    CHECK_INT(rig.d.recover(rig.cu, 60, &rig.error), GPUTUNE_OK);
    CHECK_INT(cuda_time(&rig, code, &w.launch, 2, 1, 2, &seconds), GPUTUNE_OK);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    gputune_device_destroy(rig.device);
    cuda_end(&fake);
}

// The device is back when what was under way on the program's stream has ended, too.
static void test_cuda_back_both(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    gputune_span span;
    void *code, *other, *tickets[2];
    bool done;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_endless(&rig);
    other = cuda_compile(&rig, "__global__ void two(int n, float a, float *x, float *y) {}", "two",
                         "");
    fake.state->hangs = true;
    fake.state->delay = 3;
    CHECK_INT(rig.d.submit(rig.cu, other, &w.launch, 0, &tickets[0], &rig.error), GPUTUNE_OK);
    fake.state->delay = 0;
    CHECK_INT(rig.d.submit(rig.cu, code, &w.launch, 1, &tickets[1], &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.poll(rig.cu, tickets[1], -0.05, &done, &span, &rig.error),
              GPUTUNE_ERROR_DEVICE_LOST);
    fake.state->hangs = false;
    CHECK_INT(rig.d.recover(rig.cu, 0, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_INT(rig.d.recover(rig.cu, 60, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.poll(rig.cu, tickets[0], 0, &done, &span, &rig.error), GPUTUNE_OK);
    CHECK(done);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    rig.d.discard(rig.cu, other);
    gputune_device_destroy(rig.device);
    cuda_end(&fake);
}

// What hung ends by killing the context: the device is not back.
static void test_cuda_back_dead(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds = 0;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_endless(&rig);
    fake.state->hangs = true;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0.01, 0.05, &seconds),
              GPUTUNE_ERROR_DEVICE_LOST);
    cuda_work_free(&rig, &w);
    fake.state->hangs = false;
    fake.state->fail = "cuEventQuery";
    fake.state->fail_at = 0;
    fake.state->fail_seen = 0;
    fake.state->fail_code = CUDA_ERROR_ILLEGAL_ADDRESS;
    CHECK_INT(rig.d.recover(rig.cu, 0, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_INT(rig.d.recover(rig.cu, 60, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(rig.error.text, "of no use any more since");
    CHECK_HAS(rig.error.text, "end the process, or tune with .isolate");
    rig.d.discard(rig.cu, code);
    gputune_device_destroy(rig.device);
    memset(fake.state->alive, 0, sizeof fake.state->alive); // went with the context
    cuda_end(&fake);
}

static void test_cuda_hang(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds = 0;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_endless(&rig);
    fake.state->hangs = true;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 2, 0.01, 0.05, &seconds),
              GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(rig.error.text, "kernel \"endless\" still runs after");
    cuda_check_lost(&fake, &rig, code, &w, "\"endless\"");
    gputune_device_destroy(rig.device);
    CHECK_INT(fake.state->blocked, 0);
    CHECK_INT(fake.state->misused, 0);
    CHECK_INT(fake.depth(), 0);
    CHECK_INT(fake.state->alive[FAKE_CUDA_RETAINED], 1); // left alone: what the kernel may use
    CHECK_INT(fake.state->alive[FAKE_CUDA_STREAM], 1);
    CHECK_INT(fake.state->alive[FAKE_CUDA_MEMORY], 2);
    fake.reset();
}

// A kernel that takes the context along; also noticed when the program's own launch did it.
static void test_cuda_dead(void)
{
    static const char *const sources[2] = {
        "// fake: does=6\n__global__ void bad(int n, float a, float *x, float *y) {}",
        "// fake: does=7\n__global__ void bad(int n, float a, float *x, float *y) {}"
    };
    static const char *const names[2] = { "CUDA_ERROR_ILLEGAL_ADDRESS (700)",
                                          "CUDA_ERROR_LAUNCH_FAILED (719)" };
    int way;
    for (way = 0; way < 4; way++) {
        cuda_fake fake;
        cuda_rig rig;
        cuda_work w;
        double seconds = 0;
        void *code;
        if (!cuda_start(&fake, &rig)) return;
        cuda_work_make(&rig, &w);
        code = cuda_compile(&rig, sources[way % 2], "bad", "");
        if (way < 2)
            CHECK_INT(cuda_time(&rig, code, &w.launch, 3, 1, 5, &seconds),
                      GPUTUNE_ERROR_DEVICE_LOST);
        else {
            CHECK_INT(rig.d.launch(rig.cu, code, &w.launch, &rig.error), GPUTUNE_OK);
            CHECK_INT(rig.d.wait(rig.cu, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
        }
        CHECK_HAS(rig.error.text, names[way % 2]);
        cuda_check_lost(&fake, &rig, code, &w, "\"bad\"");
        gputune_device_destroy(rig.device);
        CHECK_INT(fake.state->alive[FAKE_CUDA_RETAINED], 0);
        CHECK_INT(fake.depth(), 0);
        CHECK_INT(fake.state->misused, 0);
        fake.reset();
    }
}

// A launch for real kills the context; the next call, of another kernel, must not be blamed.
static void test_cuda_blame(void)
{
    static const char bad_source[] =
        "// fake: does=6\n__global__ void bad(int n, float a, float *x, float *y) {}";
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    void *bad, *good;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    bad = cuda_compile(&rig, bad_source, "bad", "");
    good = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    CHECK_INT(rig.d.launch(rig.cu, bad, &w.launch, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.launch(rig.cu, good, &w.launch, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(rig.error.text, "since kernel \"bad\" ran");
    rig.d.discard(rig.cu, bad);
    rig.d.discard(rig.cu, good);
    gputune_device_destroy(rig.device);
    fake.reset();
}

// What fails while a stream is being captured works afterwards: the context is not dead.
static void test_cuda_passing_error(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds;
    void *code;
    int i;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    fake.state->fail = "cuCtxSynchronize";
    fake.state->fail_code = 900; // CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
    for (i = 0; i < 2; i++) {
        fake.state->fail_at = fake.state->fail_seen = 0;
        CHECK_INT(rig.d.wait(rig.cu, &rig.error), GPUTUNE_ERROR_DRIVER);
        CHECK_HAS(rig.error.text, "cuCtxSynchronize");
    }
    fake.state->fail = NULL;
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 1, 5, &seconds), GPUTUNE_OK);
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    cuda_stop(&fake, &rig);
}

// --- several launches under way at once ---

static void *cuda_submit(cuda_rig *rig, void *code, const cuda_work *w, int queue)
{
    void *ticket = NULL;
    CHECK_INT(rig->d.submit(rig->cu, code, &w->launch, queue, &ticket, &rig->error), GPUTUNE_OK);
    CHECK(ticket != NULL);
    return ticket;
}

static gputune_result cuda_poll(cuda_rig *rig, void *ticket, double patience, bool *done,
                                gputune_span *span)
{
    rig->error.text[0] = 0;
    return rig->error.result = rig->d.poll(rig->cu, ticket, patience, done, span, &rig->error);
}

// Spans are exact, in order, and told in any order of asking; events are used again; what is made
// is made once.
static void test_cuda_submit(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    gputune_span spans[6], span = { 0, 0 };
    void *code, *tickets[6];
    bool done;
    int i, round, events = 0;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    CHECK_INT(rig.d.queues, 2);
    CHECK_INT(rig.d.timed_queue, 0);
    for (round = 0; round < 3; round++) {
        fake.state->kernel_seconds = round == 1 ? 100 : 50e-6; // old beginnings lose no precision
        for (i = 0; i < 6; i++) tickets[i] = cuda_submit(&rig, code, &w, i % 3);
        for (i = 6; i-- > 0;) {
            CHECK_INT(cuda_poll(&rig, tickets[i], 0, &done, &spans[i]), GPUTUNE_OK);
            CHECK(done);
        }
        for (i = 0; i < 6; i++) {
            CHECK_NEAR(spans[i].end - spans[i].begin, fake.state->kernel_seconds,
                       1e-9 + 1e-6 * fake.state->kernel_seconds);
            if (i) CHECK_NEAR(spans[i].begin, spans[i - 1].end, 1e-7 + 1e-6 * (round == 1) * 100);
            if (round && !i) CHECK(spans[0].begin >= span.end - 1e-6);
        }
        span = spans[5];
        if (round == 0) events = fake.state->alive[FAKE_CUDA_EVENT];
        CHECK(fake.state->alive[FAKE_CUDA_EVENT] <= events + 1); // one more: the base moves on
    }
    CHECK_INT(fake.state->first_priority, 1);
    CHECK_INT(fake.state->other_streams, 1);
    CHECK_INT(cuda_work_wrong(&rig, &w, 18), 0);
    cuda_submit(&rig, code, &w, 1); // goes with the device
    rig.d.discard(rig.cu, code);
    cuda_work_free(&rig, &w);
    cuda_stop(&fake, &rig);
}

// Which stream waits for which, and that an idle one is not waited for.
static void test_cuda_order(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    CUstream stream = NULL;
    CUgraph graph = NULL;
    void *code, *context, *ticket;
    gputune_span span;
    bool done;
    if (!cuda_make(&fake, "")) return;
    context = cuda_program(&fake, 0, true, &stream);
    fake.desc.stream = stream;
    CHECK(cuda_open(&rig, &fake.desc));
    cuda_work_make(&rig, &w);
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    fake.state->trace[0] = 0;
    CHECK_INT(rig.d.fork(rig.cu, 1, &rig.error), GPUTUNE_OK); // nothing to wait for
    CHECK_INT(rig.d.join(rig.cu, 2, &rig.error), GPUTUNE_OK); // not even made
    CHECK_INT(rig.d.fork(rig.cu, 0, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.join(rig.cu, 0, &rig.error), GPUTUNE_OK);
    CHECK_TEXT(fake.state->trace, "");
    fake.state->delay = 0.02;
    CHECK_INT(rig.d.submit(rig.cu, code, &w.launch, 0, NULL, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.fork(rig.cu, 1, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.fork(rig.cu, 2, &rig.error), GPUTUNE_OK);
    ticket = cuda_submit(&rig, code, &w, 2);
    CHECK_INT(rig.d.join(rig.cu, 2, &rig.error), GPUTUNE_OK);
    CHECK_INT(rig.d.submit(rig.cu, code, &w.launch, 0, NULL, &rig.error), GPUTUNE_OK);
    CHECK_TEXT(fake.state->trace, "L1 R1 W2<1 R1 W3<1 R3 L3 R3 R3 W1<3 L1 ");
    CHECK_INT(cuda_poll(&rig, ticket, 0, &done, &span), GPUTUNE_OK);
    CHECK(!done);
    CHECK_INT(cuda_poll(&rig, ticket, 5, &done, &span), GPUTUNE_OK);
    CHECK(done);
    // A stream that is being captured takes launches, but nothing that is asked for.
    CHECK_INT(fake.begin(stream, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    ticket = &rig;
    CHECK_INT(rig.d.submit(rig.cu, code, &w.launch, 0, &ticket, &rig.error),
              GPUTUNE_ERROR_UNSUPPORTED);
    CHECK(!ticket);
    CHECK_HAS(rig.error.text, "is being captured");
    CHECK_INT(rig.d.fork(rig.cu, 1, &rig.error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_INT(rig.d.join(rig.cu, 2, &rig.error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_INT(rig.d.wait(rig.cu, &rig.error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_INT(rig.d.submit(rig.cu, code, &w.launch, 0, NULL, &rig.error), GPUTUNE_OK);
    CHECK_INT(fake.end(stream, &graph), CUDA_SUCCESS);
    CHECK(graph != NULL);
    CHECK_INT(rig.d.wait(rig.cu, &rig.error), GPUTUNE_OK);
    rig.d.discard(rig.cu, code);
    cuda_work_free(&rig, &w);
    gputune_device_destroy(rig.device);
    cuda_program_end(&fake, context, true, stream);
    cuda_end(&fake);
}

// Without priorities and the question after capturing, as in older drivers; the default stream
// waits for the program's others, hence it is always waited for.
static void test_cuda_submit_older(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    void *code;
    gputune_span span;
    bool done;
    if (!cuda_make(&fake, "-DFAKE_OLD") || !cuda_open(&rig, &fake.desc)) return;
    cuda_work_make(&rig, &w);
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    fake.state->trace[0] = 0;
    CHECK_INT(rig.d.fork(rig.cu, 1, &rig.error), GPUTUNE_OK);
    CHECK_INT(cuda_poll(&rig, cuda_submit(&rig, code, &w, 1), 1, &done, &span), GPUTUNE_OK);
    CHECK(done);
    CHECK_TEXT(fake.state->trace, "R0 W1<0 R1 L1 R1 ");
    CHECK_INT(fake.state->first_priority, 0);
    CHECK_INT(fake.state->other_streams, 1);
    rig.d.discard(rig.cu, code);
    cuda_work_free(&rig, &w);
    cuda_stop(&fake, &rig);
}

// A submitted launch that hangs or kills the context: found when it is asked for; the other tickets
// are dropped, and nothing is waited for.
static void test_cuda_submit_lost(void)
{
    static const char *const sources[2] = {
        "// fake: does=8\n__global__ void bad(int n, float a, float *x, float *y) {}",
        "// fake: does=6\n__global__ void bad(int n, float a, float *x, float *y) {}"
    };
    int way;
    for (way = 0; way < 3; way++) {
        cuda_fake fake;
        cuda_rig rig;
        cuda_work w;
        void *code, *good, *tickets[2], *none = &fake;
        gputune_span span;
        bool done;
        if (!cuda_start(&fake, &rig)) return;
        cuda_work_make(&rig, &w);
        code = cuda_compile(&rig, sources[way > 0], "bad", "");
        good = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
        fake.state->hangs = way == 0;
        tickets[0] = cuda_submit(&rig, good, &w, 2);
        fake.state->late = 1; // the event behind the launch
        tickets[1] = cuda_submit(&rig, code, &w, 1);
        if (way == 2) { // the next launch is refused: not its fault
            CHECK_INT(rig.d.submit(rig.cu, good, &w.launch, 1, &none, &rig.error),
                      GPUTUNE_ERROR_DEVICE_LOST);
            CHECK(!none);
        } else
            CHECK_INT(cuda_poll(&rig, tickets[1], way ? 1 : -0.05, &done, &span),
                      GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(rig.error.text, "kernel \"bad\"");
        CHECK_HAS(rig.error.text, way ? "(700)" : "still runs after");
        if (way) CHECK_HAS(rig.error.text, ", under way with it) ran");
        CHECK_INT(cuda_poll(&rig, tickets[0], 10, &done, &span), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK(!done);
        CHECK_HAS(rig.error.text, "\"bad\"");
        CHECK_INT(rig.d.fork(rig.cu, 1, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_INT(rig.d.join(rig.cu, 1, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_INT(rig.d.submit(rig.cu, good, &w.launch, 0, &none, &rig.error),
                  GPUTUNE_ERROR_DEVICE_LOST);
        rig.d.discard(rig.cu, good);
        cuda_check_lost(&fake, &rig, code, &w, "\"bad\"");
        gputune_device_destroy(rig.device);
        CHECK_INT(fake.state->blocked, 0);
        CHECK_INT(fake.state->misused, 0);
        CHECK_INT(fake.depth(), 0);
        fake.reset();
    }
}

// What is refused leaves the ticket unmade and the device usable.
static void test_cuda_submit_refused(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    void *code, *good, *ticket = &fake;
    gputune_span span;
    bool done;
    if (!cuda_start(&fake, &rig)) return;
    cuda_work_make(&rig, &w);
    code = cuda_compile(&rig, "// fake: does=2\n__global__ void f(int n, float a, float *x, "
                              "float *y) {}", "f", "");
    good = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    CHECK_INT(rig.d.submit(rig.cu, code, &w.launch, 1, &ticket, &rig.error),
              GPUTUNE_ERROR_RESOURCES);
    CHECK(!ticket);
    CHECK_HAS(rig.error.text, "kernel \"f\"");
    CHECK_INT(cuda_poll(&rig, cuda_submit(&rig, good, &w, 1), -1, &done, &span), GPUTUNE_OK);
    CHECK(done);
    CHECK_INT(cuda_work_wrong(&rig, &w, 1), 0);
    rig.d.discard(rig.cu, code);
    rig.d.discard(rig.cu, good);
    cuda_work_free(&rig, &w);
    cuda_stop(&fake, &rig);
}

// --- what a kernel takes ---

static gputune_usage cuda_usage(cuda_rig *rig, void *code, const gputune_driver_launch *launch)
{
    gputune_usage usage;
    memset(&usage, 0xff, sizeof usage); // -1
    usage.occupancy = -1;
    rig->d.usage(rig->cu, code, launch, &usage);
    return usage;
}

static void test_cuda_usage(void)
{
    static const int rows[][4] = { // threads, registers, static and dynamic bytes
        { 256, 32, 0, 0 }, { 256, 64, 16384, 0 }, { 1024, 64, 0, 0 }, { 128, 255, 0, 0 },
        { 64, 40, 2048, 0 }, { 96, 33, 1000, 0 }, { 32, 16, 0, 10000 }, { 64, 24, 512, 120000 },
        { 32, 16, 0, 232448 }, { 64, 128, 0, 49152 }
    };
    static cl_messages messages;
    cuda_fake fake;
    cuda_rig rig;
    size_t i;
    if (!cuda_make(&fake, "")) return;
    memset(&messages, 0, sizeof messages);
    fake.desc.options.log = cl_keep_message;
    fake.desc.options.user = &messages;
    CHECK(cuda_open(&rig, &fake.desc));
    for (i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const int *row = rows[i / 2];
        gputune_occupancy o;
        gputune_usage usage;
        cuda_work w;
        char source[200];
        double seconds;
        void *code;
        snprintf(source, sizeof source,
                 "// fake: regs=%d static=%d local=%d\n"
                 "__global__ void f(int n, float a, float *x, float *y) {}", row[1], row[2],
                 (int)i);
        code = cuda_compile(&rig, source, "f", "");
        cuda_work_make(&rig, &w);
        w.args[4] = cl_arg(GPUTUNE_ARG_LOCAL, NULL, (size_t)row[3], NULL);
        w.launch = cl_launch(10 * (size_t)row[0], (size_t)row[0], w.args, 5);
        if (i % 2) // before a launch or after it is the same
            CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
        usage = cuda_usage(&rig, code, &w.launch);
        o = gputune_occupancy_of(90, row[0], row[1], row[2] + row[3]);
        CHECK(o.active_groups > 0);
        CHECK_INT(usage.active_groups, o.active_groups);
        CHECK_NEAR(usage.occupancy, o.occupancy, 0);
        CHECK_INT(usage.registers, row[1]);
        CHECK_INT(usage.spill_bytes, (int)i);
        CHECK_INT(usage.local_memory, row[2] + (row[3] + 15) / 16 * 16);
        cuda_work_free(&rig, &w);
        rig.d.discard(rig.cu, code);
    }
    CHECK_TEXT(messages.text, "");
    cuda_stop(&fake, &rig);
}

static void test_cuda_energy(void)
{
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    double seconds, before = 0, after = 0;
    void *code;
    if (!cuda_start(&fake, &rig)) return;
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    cuda_work_make(&rig, &w);
    fake.state->kernel_seconds = 0.25;
    fake.state->watts = 300;
    fake.state->launch_joules = 2;
    CHECK_INT(fake.state->alive[FAKE_CUDA_NVML], 0);
    CHECK_INT(rig.d.energy(rig.cu, &before, &rig.error), GPUTUNE_OK);
    CHECK_INT(cuda_time(&rig, code, &w.launch, 4, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(rig.d.energy(rig.cu, &after, &rig.error), GPUTUNE_OK);
    CHECK_NEAR(after - before, 300 + 4 * 2, 0.01);
    CHECK_INT(fake.state->alive[FAKE_CUDA_NVML], 1);
    CHECK(rig.d.energy_seconds > 0);
    fake.state->nvml_energy = 3;
    CHECK_INT(rig.d.energy(rig.cu, &after, &rig.error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_HAS(rig.error.text, "nvmlDeviceGetTotalEnergyConsumption: Not Supported (3)");
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
    cuda_stop(&fake, &rig);
}

static void test_cuda_no_energy(void)
{
    cuda_fake fake;
    cuda_rig rig;
    double joules;
    if (!cuda_make(&fake, "")) return;
    fake.desc.nvml = "/nowhere/libnvidia-ml.so.1";
    CHECK(cuda_open(&rig, &fake.desc));
    CHECK_INT(rig.d.energy(rig.cu, &joules, &rig.error), GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(rig.error.text, "NVML");
    CHECK_HAS(rig.error.text, "/nowhere/libnvidia-ml.so.1");
    gputune_device_destroy(rig.device);
    fake.desc.nvml = fake.library;
    fake.state->nvml_init = 9;
    CHECK(cuda_open(&rig, &fake.desc));
    CHECK_INT(rig.d.energy(rig.cu, &joules, &rig.error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_HAS(rig.error.text, "nvmlInit: Driver Not Loaded (9)");
    fake.state->nvml_init = 0;
    fake.state->fail = "nvmlDeviceGetHandleByPciBusId_v2";
    fake.state->fail_code = 6;
    CHECK_INT(rig.d.energy(rig.cu, &joules, &rig.error), GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_HAS(rig.error.text, "nvmlDeviceGetHandleByPciBusId");
    cuda_stop(&fake, &rig);
}

// --- comparing on the device ---

// Elements that differ between two buffers of so many bytes, of a type; 99: it failed. `got` begins
// so many bytes behind an aligned address.
static int cuda_differ_at(cuda_rig *rig, gputune_type type, const void *got, const void *expected,
                          size_t bytes, size_t at)
{
    gputune_comparison c;
    gputune_memory a, b;
    uint64_t count = 99;
    memset(&c, 0, sizeof c);
    CHECK_INT(rig->d.allocate(rig->cu, bytes, 256, &a, &rig->error), GPUTUNE_OK);
    CHECK_INT(rig->d.allocate(rig->cu, bytes, 0, &b, &rig->error), GPUTUNE_OK);
    CHECK_INT(rig->d.write(rig->cu, a.whole, a.guard + at, got, bytes, &rig->error), GPUTUNE_OK);
    CHECK_INT(rig->d.write(rig->cu, b.whole, 0, expected, bytes, &rig->error), GPUTUNE_OK);
    c.type = type;
    c.got = (char *)a.whole + at; // an address, as the program's are
    c.got_offset = a.guard;
    c.expected = b.whole;
    c.bytes = bytes;
    c.absolute = 0.5;
    c.relative = 0.125;
    c.poison = 0xcb;
    c.unwritten = 0x34;
    rig->error.text[0] = 0;
    if (gt__differ(rig->device, &c, GT__DIFFER_ALL, &count, &rig->error) != GPUTUNE_OK) count = 99;
    rig->d.release(rig->cu, &a);
    rig->d.release(rig->cu, &b);
    return (int)count;
}

static int cuda_differ(cuda_rig *rig, gputune_type type, const void *got, const void *expected,
                       size_t bytes)
{
    return cuda_differ_at(rig, type, got, expected, bytes, 0);
}

static void test_cuda_differ(void)
{
    float e[4] = { 1, 100, -8, 0 }, g[4] = { 1.5f, 112, -7, NAN };
    double d[2] = { 1, 2 };
    int32_t n[4] = { 1, 2, 3, 4 }, m[4] = { 1, 2, 4, 3 };
    unsigned char poisoned[8], beside[8];
    gputune_comparison nothing;
    uint64_t none = 99;
    int compiles;
    cuda_fake fake;
    cuda_rig rig;
    if (!cuda_start(&fake, &rig)) return;
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, e, e, sizeof e), 99); // no compiler in use
    CHECK_INT(fake.state->compiles, 0);
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy", ""));
    memset(&nothing, 0, sizeof nothing);
    CHECK_INT(gt__differ(rig.device, &nothing, GT__DIFFER_ALL, &none, &rig.error), GPUTUNE_OK);
    CHECK_INT(none, 0);
    compiles = fake.state->compiles;
    CHECK_INT(compiles, 2); // ready now, and once is enough for all types
    CHECK_INT(fake.state->compared, 0);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, g, e, sizeof e), 1); // the NaN
    CHECK_TEXT(rig.error.text, "");
    g[0] = 1.51f; // beyond 0.5 and beyond an eighth
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, g, e, sizeof e), 2);
    g[0] = e[0];
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, g, e, 7), 1); // bytes: a piece is left
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, g, g, sizeof e), 0);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_INT32, m, n, sizeof n), 2);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_BYTES, m, n, 11), 1);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_DOUBLE, d, d, sizeof d), 0);
    memset(poisoned, 0xcb, sizeof poisoned);
    memcpy(beside, poisoned, sizeof beside);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, beside, poisoned, 8), 0);
    beside[0] ^= 1; // as near as can be, but the reference left it unwritten
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, beside, poisoned, 8), 1);
    memset(beside, 0x34, sizeof beside); // nor did the other, on its own poison
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, beside, poisoned, 8), 0);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_DOUBLE, beside, poisoned, 8), 0);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_BYTES, beside, poisoned, 7), 0);
    CHECK_INT(cuda_differ(&rig, GPUTUNE_INT32, poisoned, beside, 8), 2);
    CHECK_INT(cuda_differ_at(&rig, GPUTUNE_FLOAT, e, e, sizeof e, 1), 0); // by bytes: at any
    CHECK_INT(cuda_differ_at(&rig, GPUTUNE_DOUBLE, d, d, sizeof d, 4), 0);
    CHECK(fake.state->compared > 0);
    CHECK_INT(fake.state->compiles, compiles);
    cuda_stop(&fake, &rig);
}

// What the kernels that compare call near enough is plain C: the fake does not run it, but here it
// is compiled and asked.
static void test_cuda_within(void)
{
    const float one[2] = { 1, 2 }, other[2] = { 1, 3 };
    const char *text, *end = NULL;
    const char *cc = getenv("CC"), *temporary = getenv("TMPDIR"), *names[2];
    bool (*within)(double g, double e, double absolute, double relative) = NULL;
    char source[128], library[128], command[512];
    void *handle;
    FILE *file;
    cuda_fake fake;
    cuda_rig rig;
    if (!cuda_start(&fake, &rig)) return;
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy", "")); // the compiler is in use
    CHECK_INT(cuda_differ(&rig, GPUTUNE_FLOAT, one, other, sizeof one), 1);
    text = strstr(fake.state->source, "__device__ bool within");
    CHECK(text && (end = strstr(text, "\n}\n")) != NULL);
    if (test_failures) return;
    snprintf(source, sizeof source, "%s/within.XXXXXX", temporary ? temporary : "/tmp");
    CHECK(mkdtemp(source) != NULL);
    snprintf(library, sizeof library, "%.100s/within.so", source);
    snprintf(source + strlen(source), 16, "/within.c");
    file = fopen(source, "w");
    fprintf(file, "#include <math.h>\n#include <stdbool.h>\n#define __device__\n%.*s\n}\n",
            (int)(end - text), text);
    fclose(file);
    snprintf(command, sizeof command, "%s -shared -fPIC -w '%s' -o '%s' -lm", cc && *cc ? cc : "cc",
             source, library);
    CHECK_INT(system(command), 0);
    names[0] = library;
    names[1] = NULL;
    handle = gputune_library_open(names, NULL);
    CHECK(handle && gputune_library_symbol(handle, "within", &within));
    if (within) {
        CHECK(within(1, 1, 0, 0) && within(1.4, 1, 0.5, 0) && within(11, 10, 0, 0.125));
        CHECK(!within(1.6, 1, 0.5, 0.125) && !within(12, 10, 1, 0.125));
        CHECK(within(HUGE_VAL, HUGE_VAL, 0, 0) && !within(HUGE_VAL, -HUGE_VAL, 1e300, 1e300));
        CHECK(!within(HUGE_VAL, 1, HUGE_VAL, 1) && !within(1, HUGE_VAL, 1, 1));
        CHECK(!within((double)NAN, 1, 1e300, 1e300) && !within(1, (double)NAN, 1e300, 1e300));
        CHECK(!within((double)NAN, (double)NAN, 1e300, 1e300));
    }
    gputune_library_close(handle);
    unlink(source);
    unlink(library);
    *strrchr(source, '/') = 0;
    CHECK_INT(rmdir(source), 0);
    cuda_stop(&fake, &rig);
}

// --- every call fails once ---

// Everything a driver does, once. Returns the first failure.
static gputune_result cuda_use(cuda_rig *rig)
{
    gputune_error *e = &rig->error;
    gputune_build build = cuda_build_of(cuda_saxpy, "saxpy", "");
    const int n = 4;
    const float a = 2;
    float data[4] = { 1, 2, 3, 4 }, seen[4] = { 0, 0, 0, 0 };
    gputune_memory x, y;
    gputune_bound_arg args[5];
    gputune_driver_launch launch;
    double seconds = 0, joules = 0;
    void *code = NULL, *ticket = NULL;
    bool done = false;
    int queue;
    gputune_span span;
    memset(&x, 0, sizeof x);
    memset(&y, 0, sizeof y);
    e->result = rig->d.compile(rig->cu, &build, &code, e);
    if (!e->result) e->result = rig->d.wait(rig->cu, e);
    if (!e->result) e->result = rig->d.allocate(rig->cu, sizeof data, 4096, &x, e);
    if (!e->result) e->result = rig->d.allocate(rig->cu, sizeof data, 0, &y, e);
    if (!e->result) e->result = rig->d.write(rig->cu, x.whole, x.guard, data, sizeof data, e);
    if (!e->result) e->result = rig->d.fill(rig->cu, y.whole, 0, 0, sizeof data, e);
    args[0] = cl_arg(GPUTUNE_ARG_SCALAR, &n, sizeof n, NULL);
    args[1] = cl_arg(GPUTUNE_ARG_SCALAR, &a, sizeof a, NULL);
    args[2] = cl_arg(GPUTUNE_ARG_IN, NULL, sizeof data, x.handle);
    args[3] = cl_arg(GPUTUNE_ARG_INOUT, NULL, sizeof data, y.handle);
    args[4] = cl_arg(GPUTUNE_ARG_LOCAL, NULL, 60000, NULL);
    launch = cl_launch(64, 32, args, 5);
    if (!e->result) e->result = rig->d.time(rig->cu, code, &launch, 3, 1, 5, &seconds, e);
    if (!e->result) cuda_usage(rig, code, &launch);
    if (!e->result) e->result = rig->d.time(rig->cu, code, &launch, 1, 0, 0, &seconds, e);
    if (!e->result) e->result = rig->d.launch(rig->cu, code, &launch, e);
    for (queue = 0; queue <= rig->d.queues; queue++) {
        if (!e->result) e->result = rig->d.fork(rig->cu, queue, e);
        if (!e->result) e->result = rig->d.submit(rig->cu, code, &launch, queue, &ticket, e);
        if (!e->result) e->result = rig->d.poll(rig->cu, ticket, -5, &done, &span, e);
        if (!e->result) CHECK(done && span.end > span.begin);
        if (!e->result) e->result = rig->d.submit(rig->cu, code, &launch, queue, NULL, e);
        if (!e->result) e->result = rig->d.join(rig->cu, queue, e);
    }
    if (!e->result) e->result = rig->d.wait(rig->cu, e);
    if (!e->result) e->result = rig->d.read(rig->cu, y.whole, 0, seen, sizeof seen, e);
    if (!e->result) CHECK(seen[0] == 22 && seen[3] == 88 && seconds > 0);
    if (!e->result) e->result = rig->d.copy(rig->cu, y.whole, 0, x.whole, x.guard, 16, e);
    if (!e->result) e->result = rig->d.energy(rig->cu, &joules, e);
    rig->d.release(rig->cu, &x);
    rig->d.release(rig->cu, &y);
    rig->d.discard(rig->cu, code);
    return e->result;
}

// Functions whose failure the driver survives or cannot show: questions about a device whose answer
// is then unknown, ways round, releases.
static bool cuda_survives(const char *call)
{
    static const char *const calls[] = {
        "cuDriverGetVersion", "cuGetErrorName", "cuDeviceGetName",
        "cuDeviceGetPCIBusId", // energy, which needs it, tells
        "cuDeviceGetAttribute", "cuDeviceTotalMem_v2", "cuDevicePrimaryCtxRelease_v2",
        "cuCtxGetCurrent", "cuCtxPopCurrent_v2", "cuModuleUnload", "cuFuncGetParamInfo",
        "cuCtxGetStreamPriorityRange", "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        "cuStreamDestroy_v2", "cuEventDestroy_v2", "cuMemFree_v2", "cuMemGetAddressRange_v2",
        "cuPointerGetAttribute", "nvrtcVersion", "nvrtcGetErrorString", "nvrtcDestroyProgram",
        "nvrtcGetProgramLogSize", "nvrtcGetProgramLog", "nvrtcGetCUBINSize", "nvmlShutdown",
        "nvrtcGetPTXSize", "nvrtcGetPTX", // beside a CUBIN they tell of alignment alone
        "nvmlErrorString"
    };
    size_t i;
    for (i = 0; i < sizeof calls / sizeof *calls; i++)
        if (strcmp(calls[i], call) == 0) return true;
    return false;
}

// Calls that give something back: what they refuse stays.
static bool cuda_releases(const char *call)
{
    return strstr(call, "Destroy") || strstr(call, "Release") || strstr(call, "Free") ||
           strstr(call, "Unload") || strstr(call, "Pop") || strstr(call, "Shutdown");
}

// The name as messages have it: without a version at the end.
static void cuda_plain_name(const char *call, char *plain, size_t size)
{
    snprintf(plain, size, "%s", call);
    if (strlen(plain) > 3 && strcmp(plain + strlen(plain) - 3, "_v2") == 0)
        plain[strlen(plain) - 3] = 0;
}

static void cuda_check_fault(cuda_fake *fake, const char *call, int code, const cuda_rig *rig,
                             gputune_result result)
{
    char plain[64], number[16];
    int kind;
    // Who cannot enter the context to give something back can neither do it nor tell.
    if (strcmp(call, "cuCtxPushCurrent_v2") == 0 && result == GPUTUNE_OK) return;
    if (!cuda_survives(call)) {
        cuda_plain_name(call, plain, sizeof plain);
        snprintf(number, sizeof number, "(%d)", code);
        CHECK(result != GPUTUNE_OK);
        CHECK_HAS(rig->error.text, plain);
        CHECK_HAS(rig->error.text, number);
        if (strncmp(call, "cu", 2) == 0) CHECK_HAS(rig->error.text, "CUDA_ERROR_");
        if (strncmp(call, "nvrtc", 5) == 0) CHECK_HAS(rig->error.text, "NVRTC_ERROR_");
    }
    if (cuda_releases(call)) return;
    for (kind = 0; kind < FAKE_CUDA_KINDS; kind++)
        CHECK_OR(!fake->state->alive[kind], "%s: %d objects of kind %d are left", call,
                 fake->state->alive[kind], kind);
    CHECK_OR(!fake->state->misused, "%s: misused: %s", call, fake->state->misuse);
    CHECK_OR(!fake->depth(), "%s: the context stack is not as before", call);
}

// Every call of every function fails once: the error names the function, nothing is left behind.
static void cuda_check_faults(int fail_code)
{
    static const char *const calls[] = {
#define CUDA_X(result, name, parameters) #name,
        GT_CUDA__CALLS(CUDA_X) GT_CUDA__OPTIONAL_CALLS(CUDA_X)
        GT_CUDA__NVRTC_CALLS(CUDA_X) GT_CUDA__NVML_CALLS(CUDA_X)
#undef CUDA_X
    };
    cuda_fake fake;
    int struck = 0, at;
    size_t i;
    if (!cuda_make(&fake, "")) return;
    fake.desc.options.reallocate = cl_failing;
    cl_countdown = -1;
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        bool compiler = strncmp(calls[i], "nvrtc", 5) == 0;
        if (strcmp(calls[i], "nvrtcGetErrorString") == 0) continue; // returns no code
        if (strcmp(calls[i], "nvmlErrorString") == 0) continue;
        for (at = 0;; at++) {
            cuda_rig rig;
            gputune_result result;
            int failed;
            fake.reset();
            fake.state->fail = calls[i];
            fake.state->fail_at = at;
            fake.state->fail_code = compiler ? (int)NVRTC_ERROR_INTERNAL_ERROR : fail_code;
            if (cuda_open(&rig, &fake.desc))
                result = cuda_use(&rig);
            else {
                rig.error = *gputune_device_error(rig.device);
                result = rig.error.result;
            }
            gputune_device_destroy(rig.device);
            failed = fake.state->failed;
            CHECK_INT(cl_blocks, 0);
            if (!failed) {
                CHECK_INT(result, GPUTUNE_OK);
                break;
            }
            struck++;
            cuda_check_fault(&fake, calls[i], fake.state->fail_code, &rig, result);
        }
    }
    CHECK(struck > 100);
    fake.reset();
}

static void test_cuda_faults(void)
{
    cuda_check_faults(CUDA_ERROR_INVALID_VALUE);
    cuda_check_faults(CUDA_ERROR_OUT_OF_MEMORY);
}

static void test_cuda_allocations(void)
{
    cuda_fake fake;
    cuda_rig rig;
    int at, failed = 0;
    if (!cuda_make(&fake, "")) return;
    fake.desc.options.reallocate = cl_failing;
    for (at = 0; at < 200; at++) {
        gputune_result result = GPUTUNE_ERROR_MEMORY;
        cl_countdown = at;
        if (cuda_open(&rig, &fake.desc)) {
            result = cuda_use(&rig);
            if (result == GPUTUNE_OK) {
                void *code = cuda_compile(&rig, "// fake: does=1\n__global__ void f() {}", "f", "");
                CHECK(!code);
                if (rig.error.result == GPUTUNE_ERROR_MEMORY) result = GPUTUNE_ERROR_MEMORY;
            }
            if (result != GPUTUNE_OK) CHECK_INT(result, GPUTUNE_ERROR_MEMORY);
        } else
            CHECK_INT(gputune_device_error(rig.device)->result, GPUTUNE_ERROR_MEMORY);
        gputune_device_destroy(rig.device);
        CHECK_INT(cl_blocks, 0);
        cuda_check_clean(&fake);
        failed += result != GPUTUNE_OK;
        if (result == GPUTUNE_OK) break;
    }
    cl_countdown = -1;
    CHECK(failed >= 10);
    cuda_end(&fake);
}

// --- kernels that tune themselves ---

// Adds twice x to y, in one of the fake's ways.
static const char cuda_tuned[] =
    "#pragma gputune set 0,%d\n"
    "#define HOW 0\n"
    "#pragma gputune set 32,64\n"
    "#define BLOCK 32\n"
    "#pragma gputune global n\n"
    "#pragma gputune local BLOCK\n"
    "// fake: does=HOW us=BLOCK regs=BLOCK local=16 static=512\n"
    "__global__ void add(int n, const float *x, float *y)\n"
    "{\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) y[i] += 2 * x[i];\n"
    "}\n";

typedef struct cuda_tuning {
    cuda_fake fake;
    cuda_rig rig;
    void *context; // the program's
    CUstream stream;
    CUdeviceptr bx, by;
    float x[CUDA_N], y[CUDA_N];
    gputune_arg args[3];
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    char source[600];
    cl_messages messages;
    gputune_stats stats;
} cuda_tuning;

// The program's side: context, stream and buffers that are made by its own calls.
static bool cuda_tuning_make(cuda_tuning *t, int how, const char *store)
{
    CUcontext ignored;
    int i;
    memset(t, 0, sizeof *t);
    if (!cuda_make(&t->fake, "")) return false;
    t->context = cuda_program(&t->fake, 0, false, &t->stream);
    t->fake.call.cuCtxPushCurrent_v2((CUcontext)t->context);
    t->fake.call.cuMemAlloc_v2(&t->bx, sizeof t->x);
    t->fake.call.cuMemAlloc_v2(&t->by, sizeof t->y);
    t->fake.call.cuCtxPopCurrent_v2(&ignored);
    for (i = 0; i < CUDA_N; i++) {
        t->x[i] = (float)(i % 17);
        t->y[i] = (float)(i % 5);
    }
    memcpy(gputune_cuda_pointer(t->bx), t->x, sizeof t->x);
    memcpy(gputune_cuda_pointer(t->by), t->y, sizeof t->y);
    t->args[0] = gputune_int(CUDA_N);
    t->args[1] = gputune_in(gputune_cuda_pointer(t->bx), sizeof t->x);
    t->args[2] = gputune_inout(gputune_cuda_pointer(t->by), sizeof t->y);
    snprintf(t->source, sizeof t->source, cuda_tuned, how);
    t->desc.source = t->source;
    t->desc.name = "add";
    t->desc.tune.time_limit = 0.5;
    t->desc.tune.hang_limit = 0.6;
    t->fake.desc.stream = t->stream;
    t->fake.desc.options.mode = GPUTUNE_MODE_ON;
    t->fake.desc.options.store = store;
    t->fake.desc.options.log = cl_keep_message;
    t->fake.desc.options.user = &t->messages;
    t->fake.desc.options.log_level = GPUTUNE_LOG_DEBUG;
    return true;
}

static bool cuda_tuning_start(cuda_tuning *t)
{
    bool open = cuda_open(&t->rig, &t->fake.desc);
    t->kernel = gputune_kernel_create(t->rig.device, &t->desc);
    return open;
}

// How many elements of y are not as after so many runs. The program's memory is the host's.
static int cuda_tuning_wrong(const cuda_tuning *t, int times)
{
    const float *y = (const float *)gputune_cuda_pointer(t->by);
    int i, wrong = memcmp(gputune_cuda_pointer(t->bx), t->x, sizeof t->x) != 0;
    for (i = 0; i < CUDA_N; i++) wrong += y[i] != t->y[i] + 2.0f * (float)times * t->x[i];
    return wrong;
}

static void cuda_tuning_stop(cuda_tuning *t)
{
    gputune_kernel_destroy(t->kernel);
    gputune_device_destroy(t->rig.device);
}

// The program gives back what is its own; then nothing is left.
static void cuda_tuning_end(cuda_tuning *t)
{
    CUcontext ignored;
    t->fake.state->fail = NULL;
    t->fake.call.cuCtxPushCurrent_v2((CUcontext)t->context);
    CHECK_INT(t->fake.call.cuMemFree_v2(t->bx), CUDA_SUCCESS);
    CHECK_INT(t->fake.call.cuMemFree_v2(t->by), CUDA_SUCCESS);
    t->fake.call.cuCtxPopCurrent_v2(&ignored);
    cuda_program_end(&t->fake, t->context, false, t->stream);
    cuda_end(&t->fake);
}

// Trials in which HOW was not 0; all have this result and these words.
static int cuda_tuning_bad(const cuda_tuning *t, gputune_result result, const char *words)
{
    int i, bad = 0;
    for (i = 0; i < test_trials(t->kernel); i++) {
        const gputune_trial *trial = gputune_kernel_trial(t->kernel, i);
        if (gputune_config_int(&trial->config, "HOW") == 0) {
            CHECK_INT(trial->result, GPUTUNE_OK);
            continue;
        }
        bad++;
        CHECK_INT(trial->result, result);
        CHECK_HAS(trial->reason, words);
    }
    return bad;
}

// What goes wrong in a configuration is a trial with its reason; the program's buffers are as they
// were, its stream sees the final launch only.
static void test_cuda_tune(void)
{
    static const struct {
        int how;
        gputune_result result;
        const char *words;
    } rows[] = {
        { FAKE_CUDA_NO_COMPILE, GPUTUNE_ERROR_COMPILE, "does not compile" },
        { FAKE_CUDA_NO_ROOM, GPUTUNE_ERROR_RESOURCES, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" },
        { FAKE_CUDA_WRONG, GPUTUNE_ERROR_WRONG_OUTPUT, "y[50]" },
        { FAKE_CUDA_BEYOND, GPUTUNE_ERROR_OUT_OF_BOUNDS, "y" },
        { FAKE_CUDA_NAN, GPUTUNE_ERROR_WRONG_OUTPUT, "y[33]" },
        { FAKE_CUDA_NO_LOAD, GPUTUNE_ERROR_COMPILE, "CUDA_ERROR_INVALID_IMAGE" },
    };
    static cuda_tuning t;
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        gputune_outcome o;
        if (!cuda_tuning_make(&t, rows[i].how, "") || !cuda_tuning_start(&t)) return;
        CHECK_INT(test_tunes(t.kernel, t.args, 3, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 4);
        CHECK_INT(gputune_config_int(&o.config, "HOW"), 0);
        CHECK_INT(gputune_config_int(&o.config, "BLOCK"), 32);
        CHECK_INT(cuda_tuning_bad(&t, rows[i].result, rows[i].words), 2);
        CHECK_INT(cuda_tuning_wrong(&t, 0), 0);
        CHECK_INT(t.fake.state->watched_launches, 0);
        CHECK(t.fake.state->compared > 0);
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(t.fake.state->watched_launches, 1);
        CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
        CHECK_INT(t.fake.state->watched_copies, 0);
        CHECK(t.fake.state->context == t.context);
        cuda_tuning_stop(&t);
        cuda_tuning_end(&t);
    }
}

// Each call fails early, in the middle and later in the life of a program that tunes and runs: an
// error or a message names it, the program's data is its own.
static void test_cuda_tune_faults(void)
{
    static const char *const calls[] = {
#define CUDA_X(result, name, parameters) #name,
        GT_CUDA__CALLS(CUDA_X) GT_CUDA__NVRTC_CALLS(CUDA_X)
#undef CUDA_X
    };
    static const int at[] = { 0, 1, 2, 5, 11, 40 };
    static cuda_tuning t;
    size_t i, k;
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i], "nvrtcGetErrorString") == 0) continue;
        for (k = 0; k < sizeof at / sizeof *at; k++) {
            char plain[64];
            gputune_result result;
            bool releases;
            int failed;
            if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
            t.fake.state->fail = calls[i];
            t.fake.state->fail_seen = 0;
            t.fake.state->fail_at = at[k];
            t.fake.state->fail_code = CUDA_ERROR_INVALID_VALUE;
            if (strncmp(calls[i], "nvrtc", 5) == 0)
                t.fake.state->fail_code = NVRTC_ERROR_INTERNAL_ERROR;
            cuda_tuning_start(&t);
            result = gputune_run(t.kernel, t.args, 3);
            failed = t.fake.state->failed;
            CHECK_OR(!cuda_tuning_wrong(&t, result == GPUTUNE_OK),
                     "%s, call %d: the program's data", calls[i], at[k]);
            cuda_plain_name(calls[i], plain, sizeof plain);
            releases = cuda_releases(calls[i]) || strcmp(calls[i], "cuCtxPushCurrent_v2") == 0;
            CHECK_OR(!failed || cuda_survives(calls[i]) || releases ||
                         strstr(t.messages.text, plain) ||
                         strstr(gputune_kernel_error(t.kernel)->text, plain),
                     "%s, call %d: nobody was told", calls[i], at[k]);
            cuda_tuning_stop(&t);
            if (releases) {
                CUcontext ignored;
                while (t.fake.depth()) t.fake.call.cuCtxPopCurrent_v2(&ignored);
                t.fake.reset();
            } else
                cuda_tuning_end(&t);
            if (!failed) break;
        }
    }
}

// How many programs, one after the other, lose their device until one finishes; that one is in t.
// -1: none does.
static int cuda_lose_devices(cuda_tuning *t, int how, const char *words, const char *store,
                             gputune_outcome *o)
{
    int runs;
    for (runs = 0; runs < 5; runs++) {
        gputune_result result;
        if (!cuda_tuning_make(t, how, store)) return -1;
        t->desc.tune.time_limit = 0.01;
        t->desc.tune.hang_limit = 0.05;
        t->fake.state->hangs = true;
        CHECK(cuda_tuning_start(t));
        result = test_tunes(t->kernel, t->args, 3, o);
        CHECK_INT(cuda_tuning_wrong(t, 0), 0);
        if (result == GPUTUNE_OK) return runs;
        CHECK_INT(result, GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(gputune_kernel_error(t->kernel)->text, words);
        CHECK_HAS(gputune_kernel_error(t->kernel)->text, how == FAKE_CUDA_HANG ? "HOW=8" : "HOW=6");
        cuda_tuning_stop(t);
        CHECK_INT(t->fake.state->blocked, 0);
        CHECK_INT(t->fake.state->misused, 0);
        CHECK_INT(t->fake.depth(), 0);
        t->fake.reset();
    }
    return -1;
}

static size_t cuda_few(void *self, void *buffer)
{
    return self && buffer ? 4 : 0;
}

// Elements are counted where bytes are meant: what a trial then touches is still its private copy,
// the context lives, the culprit is named, and the default runs. A part of an allocation has room
// up to its end; where there seems to be too little, several may be mapped side by side.
static void test_cuda_bytes_short(void)
{
    static cuda_tuning t;
    gputune_stats stats;
    char text[80];
    int i;
    if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
    CHECK(cuda_tuning_start(&t));
    for (i = 1; i <= 2; i++) t.args[i].bytes /= sizeof(float);
    CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
    snprintf(text, sizeof text, "y: wrote outside its %d bytes, ", CUDA_N);
    CHECK_HAS(gputune_kernel_outcome(t.kernel)->text, text);
    snprintf(text, sizeof text, "past the end (its buffer has %d)", (int)sizeof t.y);
    CHECK_HAS(gputune_kernel_outcome(t.kernel)->text, text);
    CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
    CHECK_INT(t.fake.state->misused, 0);
    CHECK(t.rig.d.extent != NULL);
    if (t.rig.d.extent) {
        CHECK_INT(t.rig.d.extent(t.rig.cu, gputune_cuda_pointer(t.by + 12)), sizeof t.y - 12);
        CHECK_INT(t.rig.d.extent(t.rig.cu, t.x), 0); // nothing of the device's
        t.rig.device->driver.extent = cuda_few;
        for (i = 1; i <= 2; i++) t.args[i].bytes = sizeof t.y;
        CHECK_INT(gputune_kernel_time(t.kernel, &gputune_kernel_outcome(t.kernel)->config, t.args,
                                      3, 1, &stats),
                  GPUTUNE_OK);
    }
    CHECK_INT(t.fake.depth(), 0);
    cuda_tuning_stop(&t);
    cuda_tuning_end(&t);
}

// What is allocated like a buffer is of its kind, and is freed as such; what is like nothing is the
// host's. Managed memory, which is had without end, is refused where the device has no room.
static void test_cuda_kinds(void)
{
    static const CUmemorytype kinds[] = { CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_UNIFIED,
                                          CU_MEMORYTYPE_HOST };
    cuda_fake fake;
    cuda_rig rig;
    gputune_memory m;
    size_t i;
    if (!cuda_start(&fake, &rig)) return;
    for (i = 0; i < 3; i++) {
        gputune_memory like;
        CHECK_INT(gt_cuda__make(rig.cu, kinds[i], NULL, 64, 0, &like, &rig.error), GPUTUNE_OK);
        CHECK_INT(fake.state->made[kinds[i]], 1);
        CHECK_INT(rig.d.allocate_like(rig.cu, (char *)like.handle + 4, 64, 64, &m, &rig.error),
                  GPUTUNE_OK);
        CHECK_INT(fake.state->made[kinds[i]], 2);
        CHECK(m.guard >= 64 && m.bytes == 64);
        if (kinds[i] == CU_MEMORYTYPE_UNIFIED) {
            rig.d.release(rig.cu, &m);
            const size_t all = fake.state->devices[0].memory;
            fake.state->devices[0].memory = 4096;
            CHECK_INT(rig.d.allocate_like(rig.cu, like.handle, 4096, 64, &m, &rig.error),
                      GPUTUNE_ERROR_RESOURCES);
            fake.state->devices[0].memory = all;
            CHECK_HAS(rig.error.text, "cuMemAllocManaged: CUDA_ERROR_OUT_OF_MEMORY (2)");
            CHECK_INT(rig.d.allocate_like(rig.cu, like.handle, 64, 64, &m, &rig.error), GPUTUNE_OK);
        }
        rig.d.release(rig.cu, &m);
        rig.d.release(rig.cu, &like);
    }
    fake.state->made[CU_MEMORYTYPE_HOST] = 0;
    CHECK_INT(rig.d.allocate_like(rig.cu, NULL, 64, 64, &m, &rig.error), GPUTUNE_OK);
    CHECK_INT(fake.state->made[CU_MEMORYTYPE_HOST], 1);
    rig.d.release(rig.cu, &m);
    fake.state->fail = "cuMemHostAlloc";
    fake.state->fail_code = CUDA_ERROR_OUT_OF_MEMORY;
    CHECK_INT(rig.d.allocate_like(rig.cu, NULL, 64, 64, &m, &rig.error), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "cuMemHostAlloc: CUDA_ERROR_OUT_OF_MEMORY (2)");
    fake.state->fail = NULL;
    cuda_stop(&fake, &rig);
}

// Trials run on copies of the buffers' kinds and alignment; without room, on the host's.
static void test_cuda_tune_kinds(void)
{
    static cuda_tuning t;
    int way;
    for (way = 0; way < 3; way++) {
        CUcontext ignored;
        CUdeviceptr held = 0;
        void *pinned = NULL;
        gputune_outcome o;
        const size_t at = way == 0 ? 4 : 0;
        size_t room;
        if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
        room = t.fake.state->devices[0].memory;
        t.fake.call.cuCtxPushCurrent_v2((CUcontext)t.context);
        t.fake.call.cuMemHostAlloc(&pinned, sizeof t.x + 64, 0);
        t.fake.call.cuMemAllocManaged(&held, sizeof t.y + 64, CU_MEM_ATTACH_GLOBAL);
        memcpy((char *)pinned + at, t.x, sizeof t.x);
        memcpy((char *)gputune_cuda_pointer(held) + at, t.y, sizeof t.y);
        t.fake.call.cuCtxPopCurrent_v2(&ignored);
        if (way < 2) {
            t.args[1].pointer = (char *)pinned + at;
            t.args[2].pointer = (char *)gputune_cuda_pointer(held) + at;
        }
        CHECK(cuda_tuning_start(&t));
        memset(t.fake.state->made, 0, sizeof t.fake.state->made);
        if (way == 2) t.fake.state->devices[0].memory = 4096;
        CHECK_INT(test_tunes(t.kernel, t.args, 3, &o), GPUTUNE_OK);
        CHECK_INT(o.trials, 4);
        CHECK_INT(gputune_config_int(&o.config, "HOW"), 0);
        CHECK_INT(t.fake.state->made[CU_MEMORYTYPE_HOST], way < 2 ? 1 : 2);
        CHECK_INT(t.fake.state->made[CU_MEMORYTYPE_UNIFIED], way < 2 ? 1 : 0);
        CHECK(t.fake.state->made[CU_MEMORYTYPE_DEVICE] <= 2); // what is right, the count
        CHECK((strstr(t.messages.text, "no device memory for a private copy of y") != NULL) ==
              (way == 2));
        CHECK(memcmp((char *)gputune_cuda_pointer(held) + at, t.y, sizeof t.y) == 0);
        t.fake.state->devices[0].memory = room;
        // The last launch compared, or was a trial's.
        CHECK_INT(gputune_kernel_time(t.kernel, &o.config, t.args, 3, 1, &t.stats), GPUTUNE_OK);
        CHECK_INT(t.fake.state->values[1] % 64, (long long)((uintptr_t)t.args[1].pointer % 64));
        CHECK_INT(t.fake.state->values[2] % 64, (long long)((uintptr_t)t.args[2].pointer % 64));
        CHECK(t.fake.state->values[2] != (long long)(uintptr_t)t.args[2].pointer);
        cuda_tuning_stop(&t);
        t.fake.call.cuCtxPushCurrent_v2((CUcontext)t.context);
        CHECK_INT(t.fake.call.cuMemFreeHost(pinned), CUDA_SUCCESS);
        CHECK_INT(t.fake.call.cuMemFree_v2(held), CUDA_SUCCESS);
        t.fake.call.cuCtxPopCurrent_v2(&ignored);
        cuda_tuning_end(&t);
    }
}

// Calls of a tuning that end the device: the culprit is named and in the journal, and the next
// program, in a new process's state, passes it over and finishes.
static void cuda_check_quarantine(int how, const char *words)
{
    static cuda_tuning t;
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    gputune_outcome o;
    int runs, i, bad;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    runs = cuda_lose_devices(&t, how, words, store, &o);
    CHECK_INT(runs, 2); // one for each of the two bad configurations
    if (runs >= 0) {
        for (i = bad = 0; i < test_trials(t.kernel); i++)
            bad += gputune_kernel_trial(t.kernel, i)->result == GPUTUNE_ERROR_DEVICE_LOST ||
                   gputune_kernel_trial(t.kernel, i)->result == GPUTUNE_ERROR_CRASHED;
        CHECK_INT(bad, 2);
        CHECK_INT(gputune_config_int(&o.config, "HOW"), 0);
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
        cuda_tuning_stop(&t);
        cuda_tuning_end(&t);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

static void test_cuda_quarantine(void)
{
    cuda_check_quarantine(FAKE_CUDA_ILLEGAL, "CUDA_ERROR_ILLEGAL_ADDRESS");
    cuda_check_quarantine(FAKE_CUDA_HANG, "still runs after");
}

// Short kernels are timed in batches; the cache is wiped between timings if that is asked for.
static void test_cuda_tune_cold(void)
{
    static const char source[] =
        "#pragma gputune set 32,64\n"
        "#define BLOCK 32\n"
        "#pragma gputune global n\n"
        "#pragma gputune local BLOCK\n"
        "// fake: does=11 us=BLOCK\n"
        "__global__ void add(int n, const float *x, float *y) {}\n";
    static cuda_tuning t;
    int cold, wiped[2] = { 0, 0 }, launches[2] = { 0, 0 };
    for (cold = 0; cold < 2; cold++) {
        gputune_outcome o;
        if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
        t.desc.source = source;
        t.args[2] = gputune_out(gputune_cuda_pointer(t.by), sizeof t.y);
        t.desc.tune.cold_cache = cold == 1;
        if (!cuda_tuning_start(&t)) return;
        CHECK_INT(test_tunes(t.kernel, t.args, 3, &o), GPUTUNE_OK);
        CHECK_NEAR(o.best_stats.median, 32e-6, 1e-9); // of one launch
        wiped[cold] = t.fake.state->wiped;
        launches[cold] = t.fake.state->launches;
        cuda_tuning_stop(&t);
        cuda_tuning_end(&t);
    }
    CHECK_INT(wiped[0], 0);
    CHECK(wiped[1] > 0);
    CHECK(launches[0] > 40 && launches[0] > launches[1]); // a cold launch is not one of a batch
}

// What is minimised is what NVML counts, and the trials have it.
static void test_cuda_objective(void)
{
    static const char source[] =
        "#pragma gputune set 32,64\n"
        "#define BLOCK 32\n"
        "#pragma gputune set 9000,3000\n"
        "#define COST 9000\n"
        "#pragma gputune require BLOCK == 32 && COST == 9000 || BLOCK == 64 && COST == 3000\n"
        "#pragma gputune global n\n"
        "#pragma gputune local BLOCK\n"
        "// fake: does=11 us=BLOCK uj=COST regs=BLOCK\n"
        "__global__ void add(int n, const float *x, float *y) {}\n";
    static cuda_tuning t;
    gputune_outcome o;
    int i;
    if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
    t.desc.source = source;
    t.args[2] = gputune_out(gputune_cuda_pointer(t.by), sizeof t.y);
    t.desc.tune.objective = "energy";
    t.fake.state->watts = 0;
    if (!cuda_tuning_start(&t)) return;
    CHECK_INT(test_tunes(t.kernel, t.args, 3, &o), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&o.config, "BLOCK"), 64); // slower, but thriftier
    for (i = 0; i < test_trials(t.kernel); i++) {
        const gputune_trial *trial = gputune_kernel_trial(t.kernel, i);
        int64_t block = gputune_config_int(&trial->config, "BLOCK");
        CHECK_INT(trial->result, GPUTUNE_OK);
        CHECK_NEAR(trial->energy, block == 32 ? 9e-3 : 3e-3, 1e-3);
        CHECK_NEAR(trial->value, trial->energy, 1e-3);
        CHECK_INT(trial->usage.registers, block);
        CHECK_INT(trial->usage.active_groups, block == 32 ? 32 : 16);
    }
    CHECK_INT(i, 2);
    cuda_tuning_stop(&t);
    cuda_tuning_end(&t);
    if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
    t.desc.tune.objective = "energy * time";
    t.fake.desc.nvml = "/nowhere/libnvidia-ml.so.1";
    if (!cuda_tuning_start(&t)) return;
    CHECK_INT(test_tunes(t.kernel, t.args, 3, &o), GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(gputune_kernel_error(t.kernel)->text, "NVML");
    CHECK_HAS(gputune_kernel_error(t.kernel)->text, "/nowhere/libnvidia-ml.so.1");
    CHECK_INT(cuda_tuning_wrong(&t, 0), 0);
    cuda_tuning_stop(&t);
    cuda_tuning_end(&t);
}

// A trial's record has what the kernel takes, as the calculation and CUDA have it.
static void test_cuda_record(void)
{
    static cuda_tuning t;
    int i, right = 0;
    if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "") || !cuda_tuning_start(&t)) return;
    CHECK_INT(gputune_tune(t.kernel, t.args, 3), GPUTUNE_OK);
    for (i = 0; i < test_trials(t.kernel); i++) {
        const gputune_trial *trial = gputune_kernel_trial(t.kernel, i);
        const int block = (int)gputune_config_int(&trial->config, "BLOCK");
        gputune_occupancy o;
        if (trial->result != GPUTUNE_OK) continue;
        right++;
        o = gputune_occupancy_of(90, block, block, 512);
        CHECK_INT(trial->usage.registers, block);
        CHECK_INT(trial->usage.spill_bytes, 16);
        CHECK_INT(trial->usage.local_memory, 512);
        CHECK_INT(trial->usage.active_groups, o.active_groups);
        CHECK_NEAR(trial->usage.occupancy, o.occupancy, 0);
    }
    CHECK_INT(right, 2);
    cuda_tuning_stop(&t);
    cuda_tuning_end(&t);
}

// An OpenCL C source becomes CUDA C: its local-memory arguments are offsets there.
static void test_cuda_tune_converted(void)
{
    static const char source[] =
        "#pragma gputune set 32,64\n"
        "#define BLOCK 32\n"
        "#pragma gputune global n\n"
        "#pragma gputune local BLOCK\n"
        "#pragma block BLOCK\n" // no #define is left for the fake compiler
        "// fake: us=block\n"
        "__kernel void add(int n, __local float *s, __global const float *x, __global float *y,\n"
        "                  __local float *t)\n"
        "{\n"
        "    int i = get_global_id(0);\n"
        "    s[get_local_id(0)] = t[get_local_id(0)] = x[i];\n"
        "    if (i < n) y[i] += s[get_local_id(0)] + t[get_local_id(0)];\n"
        "}\n";
    static cuda_tuning t;
    gputune_arg args[5];
    if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
    t.desc.source = source;
    t.fake.desc.options.threads = -1; // the last program is the kernel's
    args[0] = t.args[0];
    args[1] = gputune_local("BLOCK * 4 + 4");
    args[2] = t.args[1];
    args[3] = t.args[2];
    args[4] = gputune_local("BLOCK");
    if (!cuda_tuning_start(&t)) return;
    CHECK_INT(gputune_run(t.kernel, args, 5), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&gputune_kernel_outcome(t.kernel)->config, "BLOCK"), 32);
    CHECK_INT(test_kernel_seen(t.kernel).failed, 0);
    CHECK_HAS(t.fake.state->options, "-default-device\n");
    CHECK_INT(t.fake.state->parameters, 5);
    CHECK_INT(t.fake.state->values[1], 0);
    CHECK_INT(t.fake.state->values[4], 144);
    CHECK_INT(t.fake.state->dynamic, 144 + 32);
    CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
    cuda_tuning_stop(&t);
    cuda_tuning_end(&t);
}

// --- kernels compiled ahead ---

static void *cuda_select(void *user, const gputune_config *config)
{
    return gputune_config_int(config, "BLOCK") == 128 ? NULL : user;
}

// The program's own CUfunction: no compiler is needed, and a configuration may have none.
static void test_cuda_select(void)
{
    static const gputune_param params[] = { { "BLOCK", "set 64,32,128", NULL },
                                            { NULL, NULL, NULL } };
    static cuda_tuning t;
    gputune_arg args[5];
    gputune_kernel *k;
    CUcontext ignored;
    CUmodule module = NULL;
    CUfunction function = NULL;
    gputune_outcome o;
    int i, missing = 0;
    if (!cuda_tuning_make(&t, 0, "")) return;
    t.fake.call.cuCtxPushCurrent_v2((CUcontext)t.context);
    CHECK_INT(t.fake.call.cuModuleLoadDataEx(&module, FAKE_CUDA_BINARY, 0, NULL, NULL),
              CUDA_SUCCESS);
    CHECK_INT(t.fake.call.cuModuleGetFunction(&function, module, "ahead"), CUDA_SUCCESS);
    t.fake.call.cuCtxPopCurrent_v2(&ignored);
    t.fake.desc.nvrtc = "/nowhere/libnvrtc.so";
    memset(&t.desc, 0, sizeof t.desc);
    t.desc.name = "ahead";
    t.desc.params = params;
    t.desc.global = "n";
    t.desc.local = "BLOCK";
    t.desc.select = cuda_select;
    t.desc.tune.user = (void *)function;
    CHECK(cuda_tuning_start(&t));
    args[0] = arg_int32(CUDA_N);
    args[1] = arg_real(GPUTUNE_FLOAT, 2);
    args[2] = t.args[1];
    args[3] = t.args[2];
    args[4] = gputune_number("n", CUDA_N);
    CHECK_INT(test_tunes(t.kernel, args, 5, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, 3);
    for (i = 0; i < test_trials(t.kernel); i++)
        missing += gputune_kernel_trial(t.kernel, i)->result != GPUTUNE_OK;
    CHECK_INT(missing, 1);
    CHECK_INT(cuda_tuning_wrong(&t, 0), 0);
    CHECK_INT(gputune_run(t.kernel, args, 5), GPUTUNE_OK);
    CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
    CHECK_TEXT(t.fake.state->kernel, "ahead");
    CHECK(gputune_run(t.kernel, args + 1, 4) != GPUTUNE_OK);
    CHECK_HAS(gputune_kernel_error(t.kernel)->text, "has 4 parameters, not 3");
    args[1] = gputune_float(2); // of a type that nobody knows
    CHECK_INT(gputune_run(t.kernel, args, 5), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(t.kernel)->text, "1 (?) is of a type that cannot be read");
    t.desc.signature = "int n, float a, const float *x, float *y";
    k = gputune_kernel_create(t.rig.device, &t.desc);
    args[0] = gputune_int(CUDA_N);
    CHECK_INT(gputune_tune(k, args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_run(k, args, 4), GPUTUNE_OK);
    CHECK_INT(cuda_tuning_wrong(&t, 2), 0);
    CHECK_INT(gputune_run(k, args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(k)->text, "takes 4 arguments, 3 given");
    gputune_kernel_destroy(k);
    args[0] = arg_int32(CUDA_N);
    args[1] = arg_real(GPUTUNE_DOUBLE, 2);
    CHECK(gputune_run(t.kernel, args, 5) != GPUTUNE_OK);
    CHECK_HAS(gputune_kernel_error(t.kernel)->text, "parameter 1 has 4 bytes, not 8");
    CHECK_INT(cuda_tuning_wrong(&t, 2), 0);
    CHECK_INT(t.fake.state->compiles, 0);
    cuda_tuning_stop(&t);
    t.fake.call.cuCtxPushCurrent_v2((CUcontext)t.context);
    CHECK_INT(t.fake.call.cuModuleUnload(module), CUDA_SUCCESS); // still the program's
    t.fake.call.cuCtxPopCurrent_v2(&ignored);
    cuda_tuning_end(&t);
}

// The next program launches what this one compiled: the run-time compiler is not called, and it
// may be missing.
static void test_cuda_second_run(void)
{
    static cuda_tuning t;
    char folder[] = "/tmp/gputune-test-XXXXXX", store[64], command[96];
    int run;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(store, sizeof store, "%s/store.txt", folder);
    for (run = 0; run < 3; run++) {
        if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, store)) return;
        if (run == 2) t.fake.desc.nvrtc = "/nowhere/libnvrtc.so";
        if (!cuda_tuning_start(&t)) return;
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        if (run) CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_STORE);
        CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
        CHECK_INT(t.fake.state->compiles > 0, run == 0);
        CHECK_INT(t.fake.state->watched_launches, 1);
        if (run) CHECK_INT(t.fake.state->launches, 1);
        cuda_tuning_stop(&t);
        cuda_tuning_end(&t);
    }
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    CHECK_INT(system(command), 0);
}

// --- variables of the text ---

static const char cuda_weighted[] =
    "#pragma gputune set 32,64\n"
    "#define BLOCK 32\n"
    "#pragma gputune global n\n"
    "#pragma gputune local BLOCK\n"
    "// variable weights 8\n"
    "// fake: does=12 us=BLOCK\n"
    "__constant__ float weights[2], given = 1, *unused;\n"
    "__device__ __align__(8) int counted, a[2], b, c, d, e;\n"
    "__constant__ float table[] = { 1, 2 };\n"
    "__device__ float twice(float x) { return 2 * x; }\n"
    "__global__ void add(int n, const float *x, float *y)\n"
    "{\n"
    "    int i = blockIdx.x * BLOCK + threadIdx.x;\n"
    "    if (i < n) y[i] += weights[0] * given * x[i] + 0 * table[0];\n"
    "    if (i == n) atomicAdd(&counted, 1), a[0] = 1, b += 2, c++, --d;\n"
    "    if (i > n && e == 1 && d) y[0] = b;\n"
    "}\n";

// Set in every configuration, in the next process's, too, and anew when they change; nobody's is
// zero, and named.
static void test_cuda_symbols(void)
{
    static cuda_tuning t;
    const float two[2] = { 2, 7 }, three[2] = { 3, 7 }, none[4] = { 0 };
    float *y;
    int i, run;
    tune_temp();
    for (run = 0; run < 3; run++) {
        if (!cuda_tuning_make(&t, 0, run ? tune_store : "")) return;
        t.desc.source = cuda_weighted;
        CHECK(cuda_tuning_start(&t));
        y = (float *)gputune_cuda_pointer(t.by);
        if (run) {
            CHECK_INT(gputune_kernel_symbol(t.kernel, "weight", two, sizeof two),
                      GPUTUNE_ERROR_ARGUMENT);
            CHECK_HAS(gputune_kernel_error(t.kernel)->text, "has no weight");
            CHECK_INT(gputune_kernel_symbol(t.kernel, "weights", two, sizeof two), GPUTUNE_OK);
        }
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(test_trials(t.kernel), run < 2 ? 2 : 0);
        if (!run) {
            for (i = 0; i < CUDA_N; i++) CHECK(y[i] == t.y[i]);
        } else {
            CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
            CHECK_INT(gputune_kernel_symbol(t.kernel, "weights", three, sizeof three), GPUTUNE_OK);
            CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
            for (i = 0; i < CUDA_N; i++) CHECK(y[i] == t.y[i] + 5 * t.x[i]);
            CHECK_INT(gputune_kernel_symbol(t.kernel, "weights", none, sizeof none),
                      GPUTUNE_ERROR_ARGUMENT);
            CHECK_HAS(gputune_kernel_error(t.kernel)->text, "weights has 8 bytes, 16 given");
            CHECK_INT(gputune_kernel_symbol(t.kernel, "weights", none, 0), GPUTUNE_OK);
            CHECK_INT(gputune_kernel_symbol(t.kernel, "unused", two, 4), GPUTUNE_OK);
        }
        cuda_tuning_stop(&t);
        cuda_tuning_end(&t);
    }
    tune_clean();
}

// --- several launches as one ---

static const char cuda_passes[] =
    "#pragma gputune set 0,%d\n"
    "#define HOW 0\n"
    "#pragma gputune set 32,64\n"
    "#define BLOCK 32\n"
    "#pragma gputune global n\n"
    "#pragma gputune local BLOCK\n"
    "// fake first: does=11 us=BLOCK\n"
    "__global__ void first(int n, const float *x, float *y)\n"
    "{ y[blockIdx.x * BLOCK + threadIdx.x] = 2 * x[blockIdx.x * BLOCK + threadIdx.x]; }\n"
    "// fake second: does=HOW us=10\n"
    "#pragma gputune global n\n"
    "__global__ void second(int n, const float *x, float *y)\n"
    "{ const int i = blockIdx.x * blockDim.x + threadIdx.x; y[i] += 2 * x[i]; }\n";

typedef struct cuda_series {
    void *stream; // of the last call
    int calls;
} cuda_series;

static gputune_result cuda_series_launch(void *user, gputune_kernel *kernel,
                                         const gputune_config *config, const gputune_arg *args,
                                         int count, void *queue)
{
    cuda_series *series = (cuda_series *)user;
    const gputune_arg first[3] = { args[0], args[1], args[3] };
    const gputune_arg second[3] = { args[0], args[3], args[2] };
    gputune_kernel_desc desc;
    gputune_result result;
    (void)count;
    series->stream = queue;
    series->calls++;
    memset(&desc, 0, sizeof desc);
    desc.name = "first";
    result = gputune_launch(kernel, config, &desc, first, 3);
    desc.name = "second";
    return result ? result : gputune_launch(kernel, config, &desc, second, 3);
}

// y += 2 * 2 * x in two passes: timed between two events of the device, on the trial stream; each
// kernel of a configuration is compiled once, ahead where there are threads.
static void test_cuda_series(void)
{
    static cuda_tuning t;
    cuda_series series;
    gputune_arg args[4];
    float *y;
    int i, threads;
    for (threads = 0; threads < 2; threads++) {
        gputune_outcome o;
        if (!cuda_tuning_make(&t, FAKE_CUDA_WRONG, "")) return;
        memset(&series, 0, sizeof series);
        snprintf(t.source, sizeof t.source, cuda_passes, FAKE_CUDA_WRONG);
        t.desc.name = "both";
        t.desc.signature = "int n, const float *x, float *y, float *other";
        t.desc.launch = cuda_series_launch;
        t.desc.tune.user = &series;
        t.desc.tune.seed = 1;
        t.fake.desc.options.threads = threads ? 2 : -1;
        CHECK(cuda_tuning_start(&t));
        memcpy(args, t.args, sizeof t.args);
        args[3] = gputune_scratch(sizeof t.y);
        CHECK_INT(test_tunes(t.kernel, args, 4, &o), GPUTUNE_OK);
        CHECK_TEXT(gputune_kernel_error(t.kernel)->text, "");
        CHECK_INT(o.trials, 4);
        CHECK_INT(cuda_tuning_bad(&t, GPUTUNE_ERROR_WRONG_OUTPUT, "y[50]"), 2);
        CHECK_NEAR(o.default_stats.median, 42e-6, 2e-6);
        CHECK(series.stream && series.stream != t.fake.state->watched);
        CHECK_INT(t.fake.state->watched_launches, 0);
        CHECK_INT(t.fake.state->compiles, 8 + 1); // and what compares
        y = (float *)gputune_cuda_pointer(t.by);
        for (i = 0; i < CUDA_N; i++) CHECK(y[i] == t.y[i]);
        series.calls = 0;
        CHECK_INT(gputune_run(t.kernel, args, 4), GPUTUNE_OK);
        for (i = 0; i < CUDA_N; i++) CHECK(y[i] == t.y[i] + 4 * t.x[i]);
        CHECK(series.stream == t.fake.state->watched);
        CHECK_INT(series.calls, 1);
        CHECK_INT(t.fake.state->watched_launches, 2);
        CHECK_INT(t.fake.state->compiles, 8 + 1);
        cuda_tuning_stop(&t);
        cuda_tuning_end(&t);
    }
}

// --- streams that are being captured ---

// The program's context is current in these cases, as its capture needs it.
static bool cuda_capture_make(cuda_tuning *t, const char *store)
{
    if (!cuda_tuning_make(t, FAKE_CUDA_WRONG, store)) return false;
    snprintf(t->source, sizeof t->source, "%s",
             "#pragma gputune set 64,32\n"
             "#define BLOCK 64\n"
             "#pragma gputune global n\n"
             "#pragma gputune local BLOCK\n"
             "// fake: us=BLOCK\n"
             "__global__ void add(int n, const float *x, float *y)\n"
             "{ int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] += 2 * x[i]; }\n");
    CHECK_INT(t->fake.call.cuCtxPushCurrent_v2((CUcontext)t->context), CUDA_SUCCESS);
    return true;
}

static void cuda_capture_begin(cuda_tuning *t, int mode)
{
    CHECK_INT(t->fake.begin(t->stream, (CUstreamCaptureMode)mode), CUDA_SUCCESS);
}

// The capture was left alone, and nothing in it has run yet.
static void cuda_capture_end(cuda_tuning *t)
{
    CUgraph graph = NULL;
    CHECK_INT(t->fake.end(t->stream, &graph), CUDA_SUCCESS);
    CHECK(graph != NULL);
}

static void cuda_capture_stop(cuda_tuning *t)
{
    CUcontext ignored;
    CHECK_INT(t->fake.mode(), CU_STREAM_CAPTURE_MODE_GLOBAL);
    t->fake.call.cuCtxPopCurrent_v2(&ignored);
    cuda_tuning_end(t);
}

static void cuda_capture_replay(cuda_tuning *t)
{
    CHECK_INT(t->fake.graph(NULL, t->stream), CUDA_SUCCESS);
}

// The next launch fails.
static void cuda_capture_refuse(cuda_tuning *t)
{
    t->fake.state->fail = "cuLaunchKernel";
    t->fake.state->fail_at = t->fake.state->fail_seen = 0;
    t->fake.state->fail_code = CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
}

// In a capture the default is launched where nothing is known, which is said once; calls that would
// wait fail. The next call tunes, then the graph still works; and so it does without the kernel.
static void test_cuda_capture(void)
{
    static cuda_tuning t;
    gputune_config config;
    gputune_stats stats;
    float read;
    int mode;
    for (mode = 0; mode < 3; mode++) {
        if (!cuda_capture_make(&t, "")) return;
        cuda_capture_begin(&t, mode);
        CHECK(cuda_tuning_start(&t)); // everything is made in the capture
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 1);
        CHECK_HAS(t.messages.text, "run it once before the capture");
        CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_DEFAULT);
        config = gputune_kernel_outcome(t.kernel)->config;
        CHECK_INT(gputune_config_int(&config, "BLOCK"), 64);
        CHECK_INT(gputune_tune(t.kernel, t.args, 3), GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_HAS(gputune_kernel_error(t.kernel)->text, "run it once before the capture");
        CHECK_INT(gputune_kernel_time(t.kernel, &config, t.args, 3, 1, &stats),
                  GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_HAS(gputune_kernel_error(t.kernel)->text, "before the capture");
        CHECK(!gputune_kernel_explain(t.kernel, t.args, 3, NULL));
        CHECK_HAS(gputune_kernel_error(t.kernel)->text, "before the capture");
        CHECK_INT(gputune_buffer_read(t.rig.device, gputune_cuda_pointer(t.by), 0, &read, 4),
                  GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_INT(cuda_tuning_wrong(&t, 0), 0);
        CHECK_INT(t.fake.state->launches, 0);
        cuda_capture_end(&t);
        cuda_capture_replay(&t);
        CHECK_INT(cuda_tuning_wrong(&t, 2), 0);
        CHECK_INT(t.fake.state->block[0], 64);
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_TUNING);
        CHECK_INT(t.fake.state->block[0], 32);
        CHECK_INT(cuda_tuning_wrong(&t, 3), 0);
        cuda_capture_replay(&t);
        CHECK_INT(cuda_tuning_wrong(&t, 5), 0);
        CHECK_INT(t.fake.state->block[0], 64);
        cuda_capture_begin(&t, mode);
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_tune(t.kernel, t.args, 3), GPUTUNE_OK); // it is known
        cuda_capture_end(&t);
        gputune_kernel_destroy(t.kernel);
        t.kernel = NULL;
        cuda_capture_replay(&t);
        CHECK_INT(t.fake.state->block[0], 32);
        CHECK_INT(cuda_tuning_wrong(&t, 6), 0);
        CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 1);
        cuda_tuning_stop(&t);
        cuda_capture_stop(&t);
    }
}

// The store is asked in a capture, too; a process that has not tuned runs its answer there.
static void test_cuda_capture_store(void)
{
    static cuda_tuning t;
    int run;
    tune_temp();
    for (run = 0; run < 2; run++) {
        if (!cuda_capture_make(&t, tune_store)) return;
        CHECK(cuda_tuning_start(&t));
        if (run) cuda_capture_begin(&t, CU_STREAM_CAPTURE_MODE_GLOBAL);
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_config_int(&gputune_kernel_outcome(t.kernel)->config, "BLOCK"), 32);
        if (run) {
            CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_STORE);
            CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 0);
            cuda_capture_end(&t);
            cuda_capture_replay(&t);
            CHECK_INT(t.fake.state->block[0], 32);
            CHECK_INT(t.fake.state->launches, 1);
            CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
            CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_STORE);
        }
        CHECK_INT(cuda_tuning_wrong(&t, 1 + run), 0);
        cuda_tuning_stop(&t);
        cuda_capture_stop(&t);
    }
    tune_clean();
}

// An answer with which a search is to go on runs in a capture as it is; then the search goes on.
static void test_cuda_capture_unfinished(void)
{
    static cuda_tuning t;
    int run;
    tune_temp();
    for (run = 0; run < 2; run++) {
        if (!cuda_capture_make(&t, tune_store)) return;
        t.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
        t.desc.tune.budget.seconds = run ? 60 : 1e-9;
        CHECK(cuda_tuning_start(&t));
        if (run) {
            cuda_capture_begin(&t, CU_STREAM_CAPTURE_MODE_GLOBAL);
            CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
            CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_STORE);
            CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 0);
            cuda_capture_end(&t);
        }
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_TUNING);
        CHECK_INT(gputune_config_int(&gputune_kernel_outcome(t.kernel)->config, "BLOCK"),
                  run ? 32 : 64);
        cuda_tuning_stop(&t);
        cuda_capture_stop(&t);
    }
    tune_clean();
}

// A capture between two calls of a tuning in parts: the call in it launches, and tunes nothing.
static void test_cuda_capture_slices(void)
{
    static cuda_tuning t;
    int mode, calls, errors;
    for (mode = 0; mode < 3; mode++) {
        if (!cuda_capture_make(&t, "")) return;
        t.desc.tune.slice = 1e-9;
        CHECK(cuda_tuning_start(&t));
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK(gputune_kernel_outcome(t.kernel)->goes_on);
        cuda_capture_begin(&t, mode);
        for (calls = 0; calls < 2; calls++) {
            CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
            CHECK(gputune_kernel_outcome(t.kernel)->goes_on);
            CHECK_INT(test_trials(t.kernel), 1);
        }
        CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
        cuda_capture_end(&t);
        cuda_capture_replay(&t);
        CHECK_INT(cuda_tuning_wrong(&t, 3), 0);
        calls = errors = 0;
        do errors += gputune_run(t.kernel, t.args, 3) != GPUTUNE_OK;
        while (gputune_kernel_outcome(t.kernel)->goes_on && ++calls < 20000);
        CHECK_INT(errors, 0);
        CHECK(calls > 0 && calls < 20000);
        CHECK_INT(test_trials(t.kernel), 2);
        CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_TUNING);
        CHECK_INT(t.fake.state->block[0], 32);
        CHECK_INT(cuda_tuning_wrong(&t, 3 + calls + 1), 0);
        CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 0);
        cuda_tuning_stop(&t);
        cuda_capture_stop(&t);
    }
}

// A winner that is refused in a capture is not forgotten, and no capture ends by it.
static void test_cuda_capture_refused(void)
{
    static cuda_tuning t;
    int run;
    tune_temp();
    for (run = 0; run < 3; run++) {
        if (!cuda_capture_make(&t, tune_store)) return;
        CHECK(cuda_tuning_start(&t));
        if (run == 1) {
            cuda_capture_begin(&t, CU_STREAM_CAPTURE_MODE_GLOBAL);
            cuda_capture_refuse(&t);
        }
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(t.kernel)->origin,
                  run ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        if (run == 1) {
            CHECK_INT(t.fake.state->failed, 1);
            cuda_capture_end(&t);
            cuda_capture_replay(&t);
            CHECK_INT(t.fake.state->block[0], 64);
        }
        CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
        cuda_tuning_stop(&t);
        cuda_capture_stop(&t);
    }
    tune_clean();
}

// Several launches as one, and their scratch: a graph has both, also after a larger call.
static void test_cuda_capture_series(void)
{
    static cuda_tuning t;
    cuda_series series;
    gputune_arg args[4];
    float *y;
    int i, mode, wrong;
    for (mode = 0; mode < 3; mode++) {
        if (!cuda_capture_make(&t, "")) return;
        memset(&series, 0, sizeof series);
        snprintf(t.source, sizeof t.source, cuda_passes, FAKE_CUDA_WRONG);
        t.desc.name = "both";
        t.desc.signature = "int n, const float *x, float *y, float *other";
        t.desc.launch = cuda_series_launch;
        t.desc.tune.user = &series;
        t.desc.tune.problem = "1";
        CHECK(cuda_tuning_start(&t));
        memcpy(args, t.args, sizeof t.args);
        args[3] = gputune_scratch(sizeof t.y);
        cuda_capture_begin(&t, mode);
        CHECK_INT(gputune_run(t.kernel, args, 4), GPUTUNE_OK);
        CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 1);
        args[3] = gputune_scratch(2 * sizeof t.y);
        CHECK_INT(gputune_run(t.kernel, args, 4), GPUTUNE_OK);
        cuda_capture_end(&t);
        CHECK_INT(t.fake.state->launches, 0);
        cuda_capture_replay(&t);
        CHECK_INT(t.fake.state->launches, 4);
        args[3] = gputune_scratch(4 * sizeof t.y);
        CHECK_INT(gputune_run(t.kernel, args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_TUNING);
        cuda_capture_replay(&t);
        y = (float *)gputune_cuda_pointer(t.by);
        for (i = wrong = 0; i < CUDA_N; i++) wrong += y[i] != t.y[i] + 5 * 4 * t.x[i];
        CHECK_INT(wrong, 0);
        CHECK_INT(t.fake.state->misused, 0);
        cuda_tuning_stop(&t);
        cuda_capture_stop(&t);
    }
}

// A pool's initial variant runs, unprofiled; what was found before runs in a later capture.
static void test_cuda_capture_pool(void)
{
    static cuda_tuning t;
    gputune_kernel_desc kernels[3];
    gputune_pool_desc desc;
    gputune_pool *pool;
    int mode;
    for (mode = 0; mode < 3; mode++) {
        if (!cuda_capture_make(&t, "")) return;
        memset(kernels, 0, sizeof kernels);
        memset(&desc, 0, sizeof desc);
        kernels[0] = kernels[1] = t.desc;
        kernels[1].config = "BLOCK=32";
        desc.kernels = kernels;
        CHECK(cuda_tuning_start(&t));
        pool = gputune_pool_create(t.rig.device, &desc);
        cuda_capture_begin(&t, mode);
        CHECK_INT(gputune_pool_run(pool, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_pool_run(pool, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->winner, 0);
        CHECK(!gputune_pool_outcome(pool)->profiled);
        CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 1);
        CHECK_HAS(t.messages.text, "run it once before the capture");
        CHECK_INT(t.fake.state->launches, 0);
        cuda_capture_end(&t);
        CHECK_INT(gputune_pool_run(pool, t.args, 3), GPUTUNE_OK);
        CHECK(gputune_pool_outcome(pool)->profiled);
        cuda_capture_replay(&t);
        CHECK_INT(t.fake.state->block[0], 64);
        CHECK_INT(cuda_tuning_wrong(&t, 3), 0);
        while (gputune_pool_outcome(pool)->profiled) {
            CHECK_INT(gputune_pool_run(pool, t.args, 3), GPUTUNE_OK);
            memcpy(gputune_cuda_pointer(t.by), t.y, sizeof t.y);
        }
        cuda_capture_begin(&t, mode);
        cuda_capture_refuse(&t);
        CHECK_INT(gputune_pool_run(pool, t.args, 3), GPUTUNE_ERROR_RESOURCES);
        CHECK_INT(gputune_pool_run(pool, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_pool_outcome(pool)->winner, 1);
        cuda_capture_end(&t);
        gputune_pool_destroy(pool);
        cuda_capture_replay(&t);
        CHECK_INT(t.fake.state->block[0], 32);
        CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
        CHECK_INT(t.messages.count[GPUTUNE_LOG_WARN], 1);
        cuda_tuning_stop(&t);
        cuda_capture_stop(&t);
    }
}

// Another stream is captured. On the default stream, which is in order with it, even a launch would
// end the capture: it is refused. On a third stream the default runs at once.
static void test_cuda_capture_other(void)
{
    static cuda_tuning t;
    CUstream own;
    int third;
    for (third = 0; third < 2; third++) {
        if (!cuda_capture_make(&t, "")) return;
        CHECK_INT(t.fake.call.cuStreamCreate(&own, 0), CUDA_SUCCESS);
        t.fake.desc.stream = third ? own : NULL;
        CHECK(cuda_tuning_start(&t));
        cuda_capture_begin(&t, CU_STREAM_CAPTURE_MODE_GLOBAL);
        CHECK_INT(gputune_run(t.kernel, t.args, 3),
                  third ? GPUTUNE_OK : GPUTUNE_ERROR_UNSUPPORTED);
        if (!third) CHECK_HAS(gputune_kernel_error(t.kernel)->text, "gputune_cuda_desc.stream");
        CHECK_INT(cuda_tuning_wrong(&t, third), 0);
        cuda_capture_end(&t);
        gputune_sleep(0.11); // then it is looked at again
        CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_TUNING);
        CHECK_INT(cuda_tuning_wrong(&t, third + 1), 0);
        cuda_tuning_stop(&t);
        CHECK_INT(t.fake.call.cuStreamDestroy_v2(own), CUDA_SUCCESS);
        cuda_capture_stop(&t);
    }
}

// A capture that the program has broken is its own affair: launches in it fail, and nothing that is
// known of kernels is lost.
static void test_cuda_capture_broken(void)
{
    static cuda_tuning t;
    CUgraph graph = NULL;
    if (!cuda_capture_make(&t, "")) return;
    CHECK(cuda_tuning_start(&t));
    cuda_capture_begin(&t, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CHECK_INT(t.fake.call.cuCtxSynchronize(), 900);
    CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_ERROR_LAUNCH);
    CHECK_HAS(gputune_kernel_error(t.kernel)->text, "901");
    CHECK_INT(t.fake.end(t.stream, &graph), 901);
    CHECK(!graph);
    CHECK_INT(gputune_run(t.kernel, t.args, 3), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(t.kernel)->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(cuda_tuning_wrong(&t, 1), 0);
    cuda_tuning_stop(&t);
    cuda_capture_stop(&t);
}

// --- graphs of a real GPU ---

typedef struct graph_calls {
    CUresult(CUDAAPI *begin)(CUstream, CUstreamCaptureMode);
    CUresult(CUDAAPI *end)(CUstream, CUgraph *);
    CUresult(CUDAAPI *instantiate)(CUgraphExec *, CUgraph, unsigned long long);
    CUresult(CUDAAPI *launch)(CUgraphExec, CUstream);
    CUresult(CUDAAPI *exec_destroy)(CUgraphExec);
    CUresult(CUDAAPI *destroy)(CUgraph);
} graph_calls;

enum { GRAPH_N = 1 << 16, GRAPH_KERNEL = 0, GRAPH_SERIES, GRAPH_POOL, GRAPH_KINDS };

static const char graph_source[] =
    "#pragma gputune set 128,64,256\n"
    "#define BLOCK 128\n"
    "#pragma gputune global n\n"
    "#pragma gputune local BLOCK\n"
    "extern \"C\" __global__ void add(int n, const float *x, float *y)\n"
    "{ int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] += 4 * x[i]; }\n"
    "#pragma gputune global n\n"
    "#pragma gputune local BLOCK\n"
    "extern \"C\" __global__ void first(int n, const float *x, float *y)\n"
    "{ int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }\n"
    "#pragma gputune global n\n"
    "#pragma gputune local BLOCK\n"
    "extern \"C\" __global__ void second(int n, const float *x, float *y)\n"
    "{ int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) y[i] += 2 * x[i]; }\n";

typedef struct graph_rig {
    gt_cuda__calls call; // of the driver: the program's own
    graph_calls graphs;
    gputune_device *first, *device; // first: has the context
    CUstream stream;
    void *x, *y;
    float *host;
    gputune_arg args[4];
    int count;
    cuda_series series;
    gputune_kernel_desc descs[3];
    gputune_kernel *kernel;
    gputune_pool *pool;
    cl_messages messages;
} graph_rig;

static bool graph_open(graph_rig *r, int kind)
{
    gputune_cuda_desc desc = cuda_quiet();
    gputune_pool_desc pool;
    void *library;
    int i;
    memset(r, 0, sizeof *r);
    r->first = rig_device("");
    if (!r->first) return false;
    library = gputune_library_open(gt_cuda__driver_names, NULL);
    gputune_library_load("CUDA", NULL, gt_cuda__driver_names, "", gt_cuda__symbols, &r->call,
                         NULL);
    if (!gputune_library_symbol(library, "cuStreamBeginCapture_v2", &r->graphs.begin) ||
        !gputune_library_symbol(library, "cuStreamEndCapture", &r->graphs.end) ||
        !gputune_library_symbol(library, "cuGraphInstantiateWithFlags", &r->graphs.instantiate) ||
        !gputune_library_symbol(library, "cuGraphLaunch", &r->graphs.launch) ||
        !gputune_library_symbol(library, "cuGraphExecDestroy", &r->graphs.exec_destroy) ||
        !gputune_library_symbol(library, "cuGraphDestroy", &r->graphs.destroy)) {
        gputune_device_destroy(r->first);
        test_skip_reason = "this CUDA driver has no graphs";
        return false;
    }
    CHECK_INT(r->call.cuCtxPushCurrent_v2(gputune_cuda_context(r->first)), CUDA_SUCCESS);
    CHECK_INT(r->call.cuStreamCreate(&r->stream, CU_STREAM_NON_BLOCKING), CUDA_SUCCESS);
    r->host = (float *)calloc(GRAPH_N, sizeof *r->host);
    for (i = 0; i < GRAPH_N; i++) r->host[i] = (float)(i % 100);
    r->x = gputune_buffer_create(r->first, GRAPH_N * sizeof *r->host, r->host);
    memset(r->host, 0, GRAPH_N * sizeof *r->host);
    r->y = gputune_buffer_create(r->first, GRAPH_N * sizeof *r->host, r->host);
    desc.stream = r->stream;
    desc.options.mode = GPUTUNE_MODE_ON;
    desc.options.log = cl_keep_message;
    desc.options.user = &r->messages;
    r->device = gputune_cuda_device_create(&desc);
    r->args[0] = gputune_int(GRAPH_N);
    r->args[1] = gputune_in(r->x, GRAPH_N * sizeof *r->host);
    r->args[2] = gputune_inout(r->y, GRAPH_N * sizeof *r->host);
    r->args[3] = gputune_scratch(GRAPH_N * sizeof *r->host);
    r->count = kind == GRAPH_SERIES ? 4 : 3;
    r->descs[0].source = graph_source;
    r->descs[0].name = "add";
    r->descs[1] = r->descs[0];
    r->descs[1].config = "BLOCK=64";
    if (kind == GRAPH_SERIES) {
        r->descs[0].name = "both";
        r->descs[0].signature = "int n, const float *x, float *y, float *other";
        r->descs[0].launch = cuda_series_launch;
        r->descs[0].tune.user = &r->series;
    }
    memset(&pool, 0, sizeof pool);
    pool.kernels = r->descs;
    if (kind == GRAPH_POOL)
        r->pool = gputune_pool_create(r->device, &pool);
    else
        r->kernel = gputune_kernel_create(r->device, r->descs);
    return true;
}

static gputune_result graph_run(graph_rig *r)
{
    return r->pool ? gputune_pool_run(r->pool, r->args, r->count)
                   : gputune_run(r->kernel, r->args, r->count);
}

// How many elements of y are not as after so many launches.
static int graph_wrong(graph_rig *r, int launches)
{
    int i, wrong = 0;
    CHECK_INT(r->call.cuStreamSynchronize(r->stream), CUDA_SUCCESS);
    CHECK_INT(gputune_buffer_read(r->first, r->y, 0, r->host, GRAPH_N * sizeof *r->host),
              GPUTUNE_OK);
    for (i = 0; i < GRAPH_N; i++) wrong += r->host[i] != (float)(4 * launches * (i % 100));
    return wrong;
}

static void graph_forget(graph_rig *r)
{
    gputune_pool_destroy(r->pool);
    gputune_kernel_destroy(r->kernel);
    r->pool = NULL;
    r->kernel = NULL;
}

static void graph_close(graph_rig *r)
{
    CUcontext ignored;
    graph_forget(r);
    gputune_device_destroy(r->device);
    gputune_buffer_destroy(r->first, r->x);
    gputune_buffer_destroy(r->first, r->y);
    CHECK_INT(r->call.cuStreamDestroy_v2(r->stream), CUDA_SUCCESS);
    r->call.cuCtxPopCurrent_v2(&ignored);
    gputune_device_destroy(r->first);
    free(r->host);
}

// A kernel, several launches as one and a pool in a capture of each mode, new and known before. The
// capture stays whole, and its graph works: at once, after a tuning, and without the kernel.
static void test_graphs(int mode)
{
    static graph_rig r;
    int kind, known;
    for (kind = 0; kind < GRAPH_KINDS; kind++)
        for (known = 0; known < 2; known++) {
            CUgraph graph = NULL;
            CUgraphExec exec = NULL;
            if (!graph_open(&r, kind)) return;
            if (known) CHECK_INT(graph_run(&r), GPUTUNE_OK);
            CHECK_INT(r.graphs.begin(r.stream, (CUstreamCaptureMode)mode), CUDA_SUCCESS);
            CHECK_INT(graph_run(&r), GPUTUNE_OK);
            CHECK_INT(graph_run(&r), GPUTUNE_OK);
            if (r.kernel && !known)
                CHECK_INT(gputune_tune(r.kernel, r.args, r.count), GPUTUNE_ERROR_UNSUPPORTED);
            CHECK_INT(strstr(r.messages.text, "before the capture") != NULL, !known);
            CHECK_INT(r.graphs.end(r.stream, &graph), CUDA_SUCCESS);
            CHECK_INT(graph_wrong(&r, known), 0);
            CHECK(graph && r.graphs.instantiate(&exec, graph, 0) == CUDA_SUCCESS);
            if (exec) CHECK_INT(r.graphs.launch(exec, r.stream), CUDA_SUCCESS);
            CHECK_INT(graph_wrong(&r, known + 2), 0);
            CHECK_INT(graph_run(&r), GPUTUNE_OK);
            if (r.kernel)
                CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_TUNING);
            if (exec) CHECK_INT(r.graphs.launch(exec, r.stream), CUDA_SUCCESS);
            CHECK_INT(graph_wrong(&r, known + 5), 0);
            graph_forget(&r);
            if (exec) CHECK_INT(r.graphs.launch(exec, r.stream), CUDA_SUCCESS);
            CHECK_INT(graph_wrong(&r, known + 7), 0);
            if (exec) r.graphs.exec_destroy(exec);
            if (graph) r.graphs.destroy(graph);
            graph_close(&r);
        }
}

static void test_graphs_global(void)
{
    test_graphs(CU_STREAM_CAPTURE_MODE_GLOBAL);
}

static void test_graphs_thread(void)
{
    test_graphs(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
}

static void test_graphs_relaxed(void)
{
    test_graphs(CU_STREAM_CAPTURE_MODE_RELAXED);
}

static const test_case graphs_cases[] = {
    { "global", test_graphs_global },
    { "thread", test_graphs_thread },
    { "relaxed", test_graphs_relaxed },
    { NULL, NULL },
};

static const test_case cuda_cases[] = {
    { "list", test_cuda_list },
    { "no_library", test_cuda_no_library },
    { "no_device", test_cuda_no_device },
    { "no_nvrtc", test_cuda_no_nvrtc },
    { "limits", test_cuda_limits },
    { "primary", test_cuda_primary },
    { "program", test_cuda_program },
    { "names", test_cuda_names },
    { "build_log", test_cuda_build_log },
    { "options", test_cuda_options },
    { "minimal", test_cuda_minimal },
    { "older_nvrtc", test_cuda_older_nvrtc },
    { "binary", test_cuda_binary },
    { "saxpy", test_cuda_saxpy },
    { "arguments", test_cuda_arguments },
    { "older_driver", test_cuda_older_driver },
    { "dynamic", test_cuda_dynamic },
    { "converted", test_cuda_converted },
    { "converted_options", test_cuda_converted_options },
    { "memory", test_cuda_memory },
    { "buffers", test_cuda_buffers },
    { "launch_failures", test_cuda_launch_failures },
    { "hang", test_cuda_hang },
    { "back", test_cuda_back },
    { "back_both", test_cuda_back_both },
    { "back_dead", test_cuda_back_dead },
    { "dead", test_cuda_dead },
    { "blame", test_cuda_blame },
    { "passing_error", test_cuda_passing_error },
    { "submit", test_cuda_submit },
    { "order", test_cuda_order },
    { "submit_older", test_cuda_submit_older },
    { "submit_lost", test_cuda_submit_lost },
    { "submit_refused", test_cuda_submit_refused },
    { "usage", test_cuda_usage },
    { "energy", test_cuda_energy },
    { "no_energy", test_cuda_no_energy },
    { "differ", test_cuda_differ },
    { "within", test_cuda_within },
    { "faults", test_cuda_faults },
    { "allocations", test_cuda_allocations },
    { "tune", test_cuda_tune },
    { "tune_faults", test_cuda_tune_faults },
    { "kinds", test_cuda_kinds },
    { "tune_kinds", test_cuda_tune_kinds },
    { "bytes_short", test_cuda_bytes_short },
    { "quarantine", test_cuda_quarantine },
    { "tune_cold", test_cuda_tune_cold },
    { "tune_converted", test_cuda_tune_converted },
    { "objective", test_cuda_objective },
    { "record", test_cuda_record },
    { "select", test_cuda_select },
    { "second_run", test_cuda_second_run },
    { "symbols", test_cuda_symbols },
    { "series", test_cuda_series },
    { "capture", test_cuda_capture },
    { "capture_store", test_cuda_capture_store },
    { "capture_unfinished", test_cuda_capture_unfinished },
    { "capture_slices", test_cuda_capture_slices },
    { "capture_refused", test_cuda_capture_refused },
    { "capture_series", test_cuda_capture_series },
    { "capture_pool", test_cuda_capture_pool },
    { "capture_other", test_cuda_capture_other },
    { "capture_broken", test_cuda_capture_broken },
    { NULL, NULL },
};
