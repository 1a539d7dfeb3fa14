// The device that a suite's cases run on. Cases that every driver must pass are written once; a
// suite of tests/main.c says with rig_opencl or rig_cuda which one it is.
#ifndef RIG_H
#define RIG_H

#include "gputune_cl.h"
#include "gputune_cuda.h"
#include "test.h"

static bool test_asks(gputune_tuner *tuner, gputune_config *config)
{
    return gputune_ask(tuner, config) == GPUTUNE_ASK_CONFIG;
}

static int test_told(const gputune_tuner *tuner)
{
    int count = 0;
    while (gputune_tuner_trial(tuner, count)) count++;
    return count;
}

static int test_trials(const gputune_kernel *kernel)
{
    int count = 0;
    while (gputune_kernel_trial(kernel, count)) count++;
    return count;
}

// What is seen of a tuning beside its outcome.
typedef struct test_sight {
    int failed, resumed;
} test_sight;

static test_sight test_seen; // of the last test_tunes

static test_sight test_kernel_seen(const gputune_kernel *kernel)
{
    test_sight seen = { 0, 0 };
    const gputune_trial *trial;
    int i;
    for (i = 0; (trial = gputune_kernel_trial(kernel, i)) != NULL; i++)
        seen.failed += trial->result != GPUTUNE_OK;
    if (kernel->last && kernel->last->tuner) seen.resumed = kernel->last->tuner->resumed;
    return seen;
}

static gputune_result test_tunes(gputune_kernel *kernel, const gputune_arg *args, int count,
                                 gputune_outcome *outcome)
{
    const gputune_result result = gputune_tune(kernel, args, count);
    if (kernel) *outcome = *gputune_kernel_outcome(kernel);
    if (kernel) test_seen = test_kernel_seen(kernel);
    return result;
}

static gputune_result test_space_of(gputune_kernel *kernel, const gputune_arg *args, int count,
                                    const gputune_space **space)
{
    *space = gputune_kernel_space(kernel, args, count);
    return *space ? GPUTUNE_OK : gputune_kernel_error(kernel)->result;
}

// --- the replay device as a GPU: what launches cost beside their time, compiling in two steps ---

static const gputune_driver_launch *test_launch(const gputune_replay_trial *trial)
{
    return ((const gputune__replay_asked *)(const void *)trial)->launch;
}

static double rig_overhead; // s of each launch that is timed, on the device's clock

static gputune_result rig_replay_time(void *self, void *code, const gputune_driver_launch *launch,
                                      int batch, double time_limit, double hang_limit,
                                      double *seconds, gputune_error *error)
{
    const gputune_result result = gputune__replay_time(self, code, launch, batch, time_limit,
                                                       hang_limit, seconds, error);
    if (result == GPUTUNE_OK || result == GPUTUNE_ERROR_TIMEOUT)
        ((gputune__replay *)self)->clock += rig_overhead;
    return result;
}

static gputune_result rig_replay_submit(void *self, void *code, const gputune_driver_launch *launch,
                                        int queue, void **ticket, gputune_error *error)
{
    if (ticket) ((gputune__replay *)self)->clock += rig_overhead;
    return gputune__replay_submit(self, code, launch, queue, ticket, error);
}

typedef struct rig_binary {
    char word[16];
    uint16_t choice[GPUTUNE_MAX_PARAMETERS];
} rig_binary;

static rig_binary rig_binary_of(const gputune_config *config)
{
    rig_binary binary;
    memset(&binary, 0, sizeof binary);
    snprintf(binary.word, sizeof binary.word, "%s", "replay binary 1");
    memcpy(binary.choice, config->choice, sizeof binary.choice);
    return binary;
}

// Touches neither the clock nor anything else of the driver's: other threads call it.
static gputune_result rig_translate(void *self, const gputune_build *build, gputune_binary *binary,
                                    gputune_error *error)
{
    gputune__replay *replay = (gputune__replay *)self;
    const gputune_replay_trial trial = gputune__replay_ask(replay, build->config, NULL);
    const rig_binary made = rig_binary_of(build->config);
    binary->seconds = trial.compile_seconds;
    if (trial.result == GPUTUNE_ERROR_COMPILE)
        return gputune__error(error, GPUTUNE_ERROR_COMPILE, "replay: \"%s\" does not compile",
                              build->name);
    binary->bytes = sizeof made;
    binary->data = gputune__alloc(&replay->plain.base, 1, binary->bytes);
    if (!binary->data) return gputune__oom(error);
    memcpy(binary->data, &made, sizeof made);
    return GPUTUNE_OK;
}

static gputune_result rig_compile(void *self, const gputune_build *build, void **code,
                                  gputune_error *error)
{
    gputune__replay *replay = (gputune__replay *)self;
    const double clock = replay->clock;
    const rig_binary right = rig_binary_of(build->config);
    gputune_result result;
    if (build->binary && (build->binary->bytes != sizeof right ||
                          memcmp(build->binary->data, &right, sizeof right) != 0))
        return gputune__error(error, GPUTUNE_ERROR_DRIVER, "replay: not a binary of \"%s\"",
                              build->name);
    result = gputune__replay_compile(self, build, code, error);
    if (build->binary) replay->clock = clock;
    return result;
}

static gputune_device *rig_replay(const gputune_replay_desc *desc, double overhead, bool translates)
{
    gputune_device *device = gputune_replay_device_create(desc);
    if (!device || device->failed) return device;
    rig_overhead = overhead;
    device->driver.time = rig_replay_time;
    device->driver.submit = rig_replay_submit;
    if (!translates) return device;
    device->driver.translate = rig_translate;
    device->driver.compile = rig_compile;
    snprintf(device->driver.translator, sizeof device->driver.translator, "%s", "replay 1");
    return device;
}

// --- C functions as kernels ---

#ifdef __GNUC__
#define TEST_UNUSED __attribute__((unused))
#else
#define TEST_UNUSED
#endif
#define HOST_KERNEL                                                                               \
    TEST_UNUSED const gputune_grid *range, TEST_UNUSED void *const *args,                         \
        TEST_UNUSED const gputune_config *config, TEST_UNUSED void *user

// --- arguments of functions whose types nobody can read: C functions, kernels compiled ahead ---

static gputune_arg arg_int32(int32_t value)
{
    return gputune_scalar(GPUTUNE_INT32, &value);
}

static gputune_arg arg_real(gputune_type type, double value)
{
    gputune_arg arg = gputune_float(value);
    arg.type = type;
    arg.bytes = type == GPUTUNE_DOUBLE ? 8 : type == GPUTUNE_FLOAT ? 4 : 2;
    return arg;
}

typedef struct rig_driver {
    const char *api;
    gputune_device *(*open)(const gputune_options *options);
    void (*table)(void *self, gputune_driver *driver);
    const char *dialect; // three lines in front of kernels for either
    const char *line_10; // how its compiler says where an error is
    bool needs_gpu;      // without one the cases are skipped, for every machine can have the other
} rig_driver;

static const rig_driver *rig_now;

static gputune_device *rig_open_opencl(const gputune_options *options)
{
    gputune_cl_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.options = *options;
    return gputune_cl_device_create(&desc);
}

static gputune_device *rig_open_cuda(const gputune_options *options)
{
    gputune_cuda_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.options = *options;
    return gputune_cuda_device_create(&desc);
}

static void rig_table_opencl(void *self, gputune_driver *driver)
{
    gputune_cl__table((gputune_cl__device *)self, driver);
}

static void rig_table_cuda(void *self, gputune_driver *driver)
{
    gputune_cuda__table((gputune_cuda__device *)self, driver);
}

static const rig_driver rig_opencl = {
    "opencl", rig_open_opencl, rig_table_opencl,
    "#define KERNEL __kernel\n#define GLOBAL __global\n#define ID get_global_id(0)\n", ":10:",
    false
};

static const rig_driver rig_cuda = {
    "cuda", rig_open_cuda, rig_table_cuda,
    "#define KERNEL __global__\n#define GLOBAL\n"
    "#define ID (blockIdx.x * blockDim.x + threadIdx.x)\n",
    "(10)", true
};

// How many of at most so many configurations to draw: PoCL takes half a second to compile one.
static int rig_draws(int most)
{
    return rig_now->needs_gpu ? most : (most + 1) / 2;
}

// The device with that store (NULL: the usual place). NULL: the case is over, skipped or failed.
static gputune_device *rig_device(const char *store)
{
    static char reason[256];
    gputune_options options;
    gputune_device *device;
    const gputune_error *error;
    memset(&options, 0, sizeof options);
    options.store = store;
    device = rig_now->open(&options);
    error = gputune_device_error(device);
    if (error->result == GPUTUNE_OK) return device;
    if (rig_now->needs_gpu && device &&
        (error->result == GPUTUNE_ERROR_NO_DEVICE || error->result == GPUTUNE_ERROR_LIBRARY)) {
        snprintf(reason, sizeof reason, "no CUDA device: %.120s", error->text);
        test_skip_reason = reason;
    } else
        TEST_FAIL("%s", error->text);
    gputune_device_destroy(device);
    return NULL;
}

#endif
