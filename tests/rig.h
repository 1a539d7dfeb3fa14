// The device that a suite's cases run on. Cases that every driver must pass are written once; a
// suite of tests/main.c says with rig_opencl or rig_cuda which one it is.
#ifndef RIG_H
#define RIG_H

#include "gputune_cl.h"
#include "gputune_cuda.h"
#include "replay.h"
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

// From here on launches of this device seem to take a millisecond, however busy the machine is:
// what took over twice the best's time would not be compared. One device at a time.
static gputune_result (*test_steady_driver)(void *, void *, const gputune_driver_launch *, int,
                                            double, double, double *, gputune_error *);

static gputune_result test_steady_time(void *self, void *code, const gputune_driver_launch *launch,
                                       int batch, double time_limit, double hang_limit,
                                       double *seconds, gputune_error *error)
{
    const gputune_result result = test_steady_driver(self, code, launch, batch, time_limit,
                                                     hang_limit, seconds, error);
    if (!result) *seconds = 1e-3 * batch;
    return result;
}

static gputune_device *test_steady(gputune_device *device)
{
    if (device) {
        test_steady_driver = device->driver.time;
        device->driver.time = test_steady_time;
    }
    return device;
}

static gputune_result test_space_of(gputune_kernel *kernel, const gputune_arg *args, int count,
                                    const gputune_space **space)
{
    *space = gputune_kernel_space(kernel, args, count);
    return *space ? GPUTUNE_OK : gputune_kernel_error(kernel)->result;
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
    gputune_device *(*open)(const gputune_options *options, int number); // of the GPU
    void (*table)(void *self, gputune_driver *driver);
    const char *dialect; // three lines in front of kernels for either
    const char *line_10; // how its compiler says where an error is
    bool needs_gpu;      // without one the cases are skipped, for every machine can have the other
} rig_driver;

static const rig_driver *rig_now;

// OpenCL's devices do not say which board they are: any number is the same one.
static gputune_device *rig_open_opencl(const gputune_options *options, int number)
{
    gputune_cl_desc desc;
    (void)number;
    memset(&desc, 0, sizeof desc);
    desc.options = *options;
    return gputune_cl_device_create(&desc);
}

static gputune_device *rig_open_cuda(const gputune_options *options, int number)
{
    gputune_cuda_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.options = *options;
    desc.device = number;
    return gputune_cuda_device_create(&desc);
}

static void rig_table_opencl(void *self, gputune_driver *driver)
{
    gt_cl__table((gt_cl__device *)self, driver);
}

static void rig_table_cuda(void *self, gputune_driver *driver)
{
    gt_cuda__table((gt_cuda__device *)self, driver);
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
    options.tuning_seconds = 1e6; // further problems do not wait
    device = rig_now->open(&options, 0);
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

// One more device, with which `own`, a rig_device, may share a search: of its kind, and another
// board where boards are told apart. NULL: there is none.
static gputune_device *rig_further(const gputune_device *own)
{
    const gputune_limits *mine = gputune_device_limits(own), *its;
    gputune_options options;
    gputune_device *device;
    memset(&options, 0, sizeof options);
    options.store = "";
    device = rig_now->open(&options, 1);
    its = gputune_device_limits(device);
    if (gputune_device_error(device)->result == GPUTUNE_OK && strcmp(its->name, mine->name) == 0 &&
        strcmp(its->driver, mine->driver) == 0 && its->compute_units == mine->compute_units &&
        !(*its->board && strcmp(its->board, mine->board) == 0))
        return device;
    gputune_device_destroy(device);
    return NULL;
}

#endif
