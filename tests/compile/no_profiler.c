// Compiled with GPUTUNE_NO_PROFILER: pools say why they cannot be had.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

static void trial(void *user, const gputune_config *config, gputune_replay_trial *answer)
{
    (void)user, (void)config;
    answer->seconds = 1;
}

static int refused(gputune_result result, const gputune_error *error)
{
    return result == GPUTUNE_ERROR_UNSUPPORTED && error->result == result &&
           strstr(error->text, "GPUTUNE_NO_PROFILER") != NULL;
}

static int pools(gputune_device *device, gputune_kernel *kernel)
{
    gputune_pool_desc desc;
    gputune_variant variants[2];
    gputune_pool *pool;
    const gputune_error *error;
    float out[16];
    gputune_arg arg = gputune_out(out, sizeof out);
    int right;
    memset(&desc, 0, sizeof desc);
    memset(variants, 0, sizeof variants);
    variants[0].kernel = kernel;
    desc.variants = variants;
    pool = gputune_pool_create(device, &desc);
    error = gputune_pool_error(pool);
    right = refused(error->result, error) &&
            refused(gputune_pool_add(pool, &variants[0]), error) &&
            refused(gputune_pool_prepare(pool, &arg, 1), error) &&
            refused(gputune_pool_run(pool, &arg, 1, GPUTUNE_PROFILE_FIRST), error) &&
            gputune_pool_last(pool)->variant_count == 0 && *gputune_pool_last(pool)->name == 0;
    gputune_pool_forget(pool);
    gputune_pool_destroy(pool);
    return right;
}

int main(void)
{
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    float out[64];
    gputune_arg arg = gputune_out(out, sizeof out);
    int wrong;
    memset(&replay, 0, sizeof replay);
    memset(&desc, 0, sizeof desc);
    replay.trial = trial;
    replay.options.store = "";
    desc.name = "k";
    desc.global = "64";
    device = gputune_replay_device(&replay);
    kernel = gputune_kernel_create(device, &desc);
    wrong = gputune_run(kernel, &arg, 1) != GPUTUNE_OK; // all else is as ever
    wrong = wrong || !pools(device, kernel);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return wrong;
}
