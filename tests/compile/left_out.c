// Compiled with GPUTUNE_NO_COARSENING: a kernel that asks for it says why it cannot be had.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

static void trial(void *user, const gputune_config *config, gputune_replay_trial *answer)
{
    (void)user, (void)config;
    answer->seconds = 1;
}

int main(void)
{
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    const gputune_error *error;
    int wrong;
    memset(&replay, 0, sizeof replay);
    memset(&desc, 0, sizeof desc);
    replay.trial = trial;
    desc.name = "k";
    desc.source = "__kernel void k(__global int *x) { x[get_global_id(0)] = 1; }\n";
    desc.global = "64";
    desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
    device = gputune_replay_device(&replay);
    kernel = gputune_kernel_create(device, &desc);
    error = gputune_kernel_error(kernel);
    wrong = error->result != GPUTUNE_ERROR_UNSUPPORTED ||
            !strstr(error->text, "GPUTUNE_NO_COARSENING");
    gputune_kernel_destroy(kernel);
    desc.coarsen.form = GPUTUNE_COARSEN_OFF;
    kernel = gputune_kernel_create(device, &desc);
    wrong = wrong || gputune_kernel_error(kernel)->result != GPUTUNE_OK;
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return wrong;
}
