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
    int (*depth)(void);
    gputune_cuda__calls call; // for the program's own calls
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
        snprintf(path, sizeof path, "%s/log", cuda_builds[i].folder);
        unlink(path);
        rmdir(cuda_builds[i].folder);
    }
}

static cuda_built *cuda_build(const char *flags)
{
    const char *temporary = getenv("TMPDIR"), *cc = getenv("CC");
    const char *slash = strrchr(__FILE__, '/'), *names[2];
    int folder = slash ? (int)(slash - __FILE__) : 1, i;
    char command[1200], library[232];
    cuda_built *b;
    for (i = 0; i < cuda_build_count; i++)
        if (strcmp(cuda_builds[i].flags, flags) == 0) return &cuda_builds[i];
    b = &cuda_builds[cuda_build_count];
    snprintf(b->flags, sizeof b->flags, "%s", flags);
    snprintf(b->folder, sizeof b->folder, "%s/cuda.XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(b->folder)) return TEST_FAIL("mkdtemp"), NULL;
    if (cuda_build_count++ == 0) atexit(cuda_remove_builds);
    snprintf(library, sizeof library, "%s/libfake.so", b->folder);
    snprintf(command, sizeof command,
             "%s -shared -fPIC -w %s '%.*s/fake_cuda/fake_cuda.c' -o '%s' -lm -lpthread "
             ">'%s/log' 2>&1",
             cc && *cc ? cc : "cc", flags, folder, slash ? __FILE__ : ".", library, b->folder);
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
        !gputune_library_symbol(fake->handle, "fake_cuda_depth", &fake->depth))
        return TEST_FAIL("the fake is incomplete"), false;
    fake->reset();
    fake->state = state();
    gputune_cuda__find_calls(&fake->call, fake->handle);
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
        if (fake->state->alive[i])
            TEST_FAIL("%d of %s left", fake->state->alive[i], kinds[i]);
    if (fake->state->misused)
        TEST_FAIL("misused %d times, first: %s", fake->state->misused, fake->state->misuse);
    CHECK_INT(fake->state->blocked, 0);
    CHECK_INT(fake->depth(), 0);
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
    gputune_cuda__device *cu; // NULL when opening failed
    gputune_driver d;
    gputune_error error;
} cuda_rig;

static bool cuda_open(cuda_rig *rig, const gputune_cuda_desc *desc)
{
    memset(rig, 0, sizeof *rig);
    rig->device = gputune_cuda_device_create(desc);
    rig->cu = (gputune_cuda__device *)gputune_device_self(rig->device, "cuda");
    if (rig->cu) gputune_cuda__table(rig->cu, &rig->d);
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

static gputune_result cuda_time(cuda_rig *rig, void *code, const gputune_launch *launch, int batch,
                                double time_limit, double hang_limit, double *seconds)
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
    gputune_launch launch;
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
        GPUTUNE_CUDA__CALLS(CUDA_X) GPUTUNE_CUDA__OPTIONAL_CALLS(CUDA_X)
        GPUTUNE_CUDA__NVRTC_CALLS(CUDA_X) GPUTUNE_CUDA__NVML_CALLS(CUDA_X)
#undef CUDA_X
    };
    cuda_fake fake;
    size_t i;
    if (cuda_make(&fake, "")) {
        for (i = 0; i < sizeof names / sizeof *names; i++) {
            void (*function)(void) = NULL;
            if (!gputune_library_symbol(fake.handle, names[i], &function))
                TEST_FAIL("the fake has no %s", names[i]);
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
        CHECK_TEXT(limits->vendor, "NVIDIA");
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
        gputune_cuda__code *code =
            (gputune_cuda__code *)cuda_compile(&rig, source, names[i], "");
        CHECK(code != NULL);
        if (!code) continue;
        CHECK_INT(code->params, params[i]);
        if (i == 0) {
            cuda_work w;
            cuda_work_make(&rig, &w);
            w.launch.arg_count = 1;
            CHECK_INT(rig.d.launch(rig.cu, code, &w.launch, &rig.error), GPUTUNE_OK);
            CHECK_TEXT(fake.state->kernel, lowered[i]);
            cuda_work_free(&rig, &w);
        }
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
    fake.desc.options.log_user = &messages;
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
    CHECK(!cuda_compile(&rig, cuda_saxpy, "saxpy", "-DA=1 -nonsense"));
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(rig.error.text, "NVRTC_ERROR_INVALID_OPTION");
    CHECK_HAS(rig.error.text, "\"-DA=1 -nonsense\"");
    CHECK_HAS(rig.error.text, "unrecognized option");
    CHECK(!cuda_compile(&rig, "// fake: does=10\n__global__ void f(int n) {}\n", "f", ""));
    CHECK_HAS(rig.error.text, "cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE (200)");
    cuda_stop(&fake, &rig);
}

// NVRTC gets the program's options and folders as they are, and the GPU's architecture.
static void test_cuda_options(void)
{
    static const char *const folders[] = { "/a folder", "/b", NULL };
    cuda_fake fake;
    cuda_rig rig;
    if (!cuda_make(&fake, "")) return;
    fake.desc.include = folders;
    CHECK(cuda_open(&rig, &fake.desc));
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy",
                                       " -use_fast_math\t\"-DTEXT=a b\" -std=c++17 "));
    CHECK_TEXT(fake.state->options, "-use_fast_math\n-DTEXT=a b\n-std=c++17\n-I/a folder\n-I/b\n"
                                    "-arch=sm_90\n");
    CHECK_TEXT(fake.state->image, "CUBIN");
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy", "-arch=compute_80"));
    CHECK_TEXT(fake.state->options, "-arch=compute_80\n-I/a folder\n-I/b\n");
    CHECK_TEXT(fake.state->image, "PTX");
    rig.d.discard(rig.cu, cuda_compile(&rig, cuda_saxpy, "saxpy", "--gpu-architecture=sm_90"));
    CHECK_TEXT(fake.state->image, "CUBIN");
    CHECK(!cuda_compile(&rig, cuda_saxpy, "saxpy", "-arch=sm_80")); // 8.0's code is not for 9.0
    CHECK_HAS(rig.error.text, "cuModuleLoadData: CUDA_ERROR_NO_BINARY_FOR_GPU (209)");
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
    CHECK_TEXT(fake.state->options, "-arch=compute_86\n");
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
    w.launch.local[0] = 0; // chosen: it divides
    CHECK_INT(cuda_time(&rig, code, &w.launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    CHECK_INT(fake.state->grid[0] * fake.state->block[0], 128);
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
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
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
    buffer = gputune_buffer(rig.device, sizeof data, data);
    CHECK(buffer != NULL);
    CHECK_INT(gputune_buffer_read(rig.device, buffer, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    data[0] = 7;
    CHECK_INT(gputune_buffer_write(rig.device, buffer, data, sizeof data), GPUTUNE_OK);
    CHECK_INT(gputune_buffer_read(rig.device, buffer, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    CHECK(gputune_cuda_pointer((CUdeviceptr)(uintptr_t)buffer) == buffer);
    empty = gputune_buffer(rig.device, 0, data);
    CHECK(empty != NULL);
    CHECK(gputune_buffer(rig.device, (size_t)-1 / 2, NULL) == NULL);
    CHECK_INT(gputune_device_error(rig.device)->result, GPUTUNE_ERROR_RESOURCES);
    gputune_buffer_free(rig.device, buffer);
    gputune_buffer_free(rig.device, empty);
    gputune_buffer_free(rig.device, NULL);
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
    int calls = fake->state->calls;
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
    CHECK(!gputune_buffer(rig->device, 4, NULL));
    CHECK_INT(gputune_buffer_read(rig->device, buffer, &byte, 1), GPUTUNE_ERROR_DEVICE_LOST);
    gputune_buffer_free(rig->device, buffer);
    cuda_work_free(rig, w);
    rig->d.discard(rig->cu, code);
    CHECK_INT(fake->state->calls, calls);
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
    code = cuda_compile(&rig, "// fake: does=8\n__global__ void endless(int n, float a, float *x, "
                              "float *y) {}", "endless", "");
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
        cuda_check_lost(&fake, &rig, code, &w, way < 2 ? "\"bad\"" : "program");
        gputune_device_destroy(rig.device);
        CHECK_INT(fake.state->alive[FAKE_CUDA_RETAINED], 0);
        CHECK_INT(fake.depth(), 0);
        CHECK_INT(fake.state->misused, 0);
        fake.reset();
    }
}

// --- what a kernel takes ---

static gputune_usage cuda_usage(cuda_rig *rig, void *code, const gputune_launch *launch)
{
    gputune_usage usage;
    memset(&usage, 0xff, sizeof usage); // -1
    usage.occupancy = -1;
    usage.limiters = 0;
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
    fake.desc.options.log_user = &messages;
    CHECK(cuda_open(&rig, &fake.desc));
    for (i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const int *row = rows[i / 2];
        gputune_multiprocessor mp = rig.cu->mp;
        gputune_occupancy_desc desc;
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
        memset(&desc, 0, sizeof desc);
        desc.group_size = row[0];
        desc.registers = row[1];
        desc.static_shared = row[2];
        desc.dynamic_shared = desc.max_dynamic = row[3];
        CHECK_INT(gputune_occupancy_of(&mp, &desc, &o), GPUTUNE_OK);
        CHECK(o.active_groups > 0);
        CHECK_INT(usage.active_groups, o.active_groups);
        CHECK_NEAR(usage.occupancy, o.occupancy, 0);
        CHECK_INT(usage.limiters, o.limiters);
        CHECK_INT(usage.registers, row[1]);
        CHECK_INT(usage.spill_bytes, (int)i);
        CHECK_INT(usage.local_memory, row[2] + (row[3] + 15) / 16 * 16);
        cuda_work_free(&rig, &w);
        rig.d.discard(rig.cu, code);
    }
    CHECK_TEXT(messages.text, ""); // CUDA says the same each time
    cuda_stop(&fake, &rig);
}

// CUDA's own answer differs: told once.
static void test_cuda_usage_differs(void)
{
    static cl_messages messages;
    cuda_fake fake;
    cuda_rig rig;
    cuda_work w;
    void *code;
    int i;
    if (!cuda_make(&fake, "")) return;
    memset(&messages, 0, sizeof messages);
    fake.desc.options.log = cl_keep_message;
    fake.desc.options.log_user = &messages;
    fake.state->groups_off = 3;
    CHECK(cuda_open(&rig, &fake.desc));
    code = cuda_compile(&rig, cuda_saxpy, "saxpy", "");
    cuda_work_make(&rig, &w);
    for (i = 0; i < 3; i++) CHECK_INT(cuda_usage(&rig, code, &w.launch).active_groups, 32);
    CHECK_INT(messages.count[GPUTUNE_LOG_WARN], 1);
    CHECK_HAS(messages.text, "kernel \"saxpy\": 32 blocks");
    CHECK_HAS(messages.text, "35 by CUDA's");
    cuda_work_free(&rig, &w);
    rig.d.discard(rig.cu, code);
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
    { "older_nvrtc", test_cuda_older_nvrtc },
    { "binary", test_cuda_binary },
    { "saxpy", test_cuda_saxpy },
    { "arguments", test_cuda_arguments },
    { "older_driver", test_cuda_older_driver },
    { "dynamic", test_cuda_dynamic },
    { "converted", test_cuda_converted },
    { "memory", test_cuda_memory },
    { "buffers", test_cuda_buffers },
    { "launch_failures", test_cuda_launch_failures },
    { "hang", test_cuda_hang },
    { "dead", test_cuda_dead },
    { "usage", test_cuda_usage },
    { "usage_differs", test_cuda_usage_differs },
    { "energy", test_cuda_energy },
    { "no_energy", test_cuda_no_energy },
    { NULL, NULL },
};
