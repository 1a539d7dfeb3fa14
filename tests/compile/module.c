// One module of gputune.h and what it stands on, named by the define that this is compiled with:
// something of it is used, so that what it lacks is missed by the linker.
#include "gputune.h"

#if defined(GPUTUNE_POOL_IMPLEMENTATION) || defined(GPUTUNE_SESSION_IMPLEMENTATION) ||            \
    defined(GPUTUNE_MSP_IMPLEMENTATION) || defined(GPUTUNE_ISOLATE_IMPLEMENTATION) ||             \
    defined(GPUTUNE_RUN_IMPLEMENTATION) || defined(GPUTUNE_KERNEL_IMPLEMENTATION)
#define WITH_KERNEL
#endif

static gt__base base;

#ifdef GT__HAS_DEVICE
static void trial(void *user, const gputune_config *config, gputune_replay_trial *answer)
{
    (void)user, (void)config;
    answer->seconds = 1e-3;
}
#endif

#ifdef WITH_KERNEL
static gputune_kernel *kernel_on(gputune_device *device, bool msp, bool isolate)
{
    static const gputune_param params[] = { { "B", "set 1,2,4", "1" }, { NULL, NULL, NULL } };
    gputune_saturation_desc saturation;
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(&saturation, 0, sizeof saturation);
    desc.name = "k";
    desc.params = params;
    desc.global = "64";
    desc.tune.msp = msp ? &saturation : NULL;
    desc.tune.isolate = isolate;
    return gputune_kernel_create(device, &desc);
}

#ifdef GT__HAS_RUN
// Tuning works; what is not compiled in is said to be missing, with the define that adds it.
static bool tunes(gputune_device *device, bool msp, bool isolate, const char *missing)
{
    float out[16];
    gputune_arg arg = gputune_out(out, sizeof out);
    gputune_kernel *kernel = kernel_on(device, msp, isolate);
    bool right = (gputune_tune(kernel, &arg, 1) == GPUTUNE_OK) == !missing;
    if (missing) right = right && strstr(gputune_kernel_error(kernel)->text, missing) != NULL;
#ifndef GT__HAS_REPORT
    if (!missing)
        right = right && gputune_kernel_write(kernel, "a.html") == GPUTUNE_ERROR_UNSUPPORTED &&
                strstr(gputune_kernel_error(kernel)->text, "GPUTUNE_REPORT_IMPLEMENTATION");
#endif
    gputune_kernel_destroy(kernel);
    return right;
}
#endif

static bool kernels(gputune_device *device)
{
    gputune_kernel *kernel = kernel_on(device, false, false);
    bool right = gputune_kernel_error(kernel)->result == GPUTUNE_OK;
    gputune_kernel_destroy(kernel);
#ifdef GT__HAS_RUN
    right = right && tunes(device, false, false, NULL) &&
            tunes(device, true, false, "GPUTUNE_MSP_IMPLEMENTATION") &&
            tunes(device, false, true, "GPUTUNE_ISOLATE_IMPLEMENTATION");
#endif
#ifdef GT__HAS_POOL
    {
        gputune_pool_desc desc;
        gputune_pool *pool;
        memset(&desc, 0, sizeof desc);
        pool = gputune_pool_create(device, &desc);
        right = right && pool != NULL;
        gputune_pool_destroy(pool);
    }
#endif
    return right;
}
#endif

static bool upper_half(void)
{
    bool right = true;
#ifdef GPUTUNE_STORE_IMPLEMENTATION
    base.mode = GPUTUNE_MODE_READONLY;
    right = gt__store_open(&base, "/nonexistent/store.txt") != NULL;
#endif
#ifdef GPUTUNE_SEARCH_IMPLEMENTATION
    right = strcmp(gputune_strategy_name(GPUTUNE_STRATEGY_RANDOM), "random") == 0;
#endif
#ifdef GPUTUNE_SAMPLES_IMPLEMENTATION
    gputune_samples_destroy(NULL);
#endif
#ifdef GPUTUNE_RECORDING_IMPLEMENTATION
    right = gt__recording_read(&base, "/nonexistent/x.csv", &base.error) == NULL;
#endif
#ifdef GPUTUNE_FILES_IMPLEMENTATION
    right = gputune_tuner_write(NULL, "x.csv") == GPUTUNE_ERROR_MEMORY;
#endif
#ifdef GPUTUNE_PREDICTOR_IMPLEMENTATION
    right = gputune_predictor_error(NULL)->result == GPUTUNE_ERROR_MEMORY;
#endif
#ifdef GPUTUNE_TUNER_IMPLEMENTATION
    {
        static const gputune_param params[] = { { "B", "set 1,2", "1" }, { NULL, NULL, NULL } };
        gputune_tuner_desc desc;
        gputune_tuner *tuner;
        gputune_config config;
        memset(&desc, 0, sizeof desc);
        desc.space.params = params;
        tuner = gputune_tuner_create(&desc);
        while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG)
            gputune_tell(tuner, &config, 3 - (double)gputune_config_int(&config, "B"));
        right = gputune_tuner_best(tuner, &config) == GPUTUNE_OK &&
                gputune_config_int(&config, "B") == 2;
        gputune_tuner_destroy(tuner);
    }
#endif
#ifdef GT__HAS_DEVICE
    {
        gputune_replay_desc replay;
        gputune_device *device;
        memset(&replay, 0, sizeof replay);
        replay.trial = trial;
        replay.options.store = "";
        device = gputune_replay_device_create(&replay);
        right = right && gputune_device_error(device)->result == GPUTUNE_OK;
#ifdef WITH_KERNEL
        right = right && kernels(device);
#endif
        gputune_device_destroy(device);
        replay.file = "/nonexistent/x.csv";
        device = gputune_replay_device_create(&replay);
        right = right && strstr(gputune_device_error(device)->text,
#ifdef GT__HAS_RECORDING
                                "/nonexistent/x.csv") != NULL;
#else
                                "GPUTUNE_RECORDING_IMPLEMENTATION") != NULL;
#endif
        gputune_device_destroy(device);
    }
#endif
    return right;
}

int main(void)
{
    static const char *const nothing[] = { NULL };
    bool right = true;
    (void)nothing;
    memset(&base, 0, sizeof base);
#ifdef GT__HAS_OS
    right = right && gputune_library_open(nothing, &base.error) == NULL;
#endif
#ifdef GPUTUNE_TREE_IMPLEMENTATION
    gputune_tree_destroy(NULL);
#endif
#ifdef GPUTUNE_SPACE_IMPLEMENTATION
    {
        static const gputune_param params[] = { { "B", "set 1,2", "1" }, { NULL, NULL, NULL } };
        static gputune_space_desc desc; // all zero
        gputune_space *space;
        desc.params = params;
        space = gputune_space_create(&desc);
        right = right && gputune_space_count(space) == 2;
        gputune_space_destroy(space);
    }
#endif
    return !(right && upper_half());
}
