// Compiled with GPUTUNE_NO_SATURATION: what asks for a throughput curve says why there is none.
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
    gputune_curve curve;
    float out[16];
    gputune_arg arg = gputune_out(out, sizeof out);
    int wrong;
    memset(&replay, 0, sizeof replay);
    memset(&desc, 0, sizeof desc);
    replay.trial = trial;
    replay.options.store = "";
    desc.name = "k";
    desc.global = "64";
    desc.tune.msp = true;
    device = gputune_replay_device(&replay);
    kernel = gputune_kernel_create(device, &desc);
    error = gputune_kernel_error(kernel);
    wrong = error->result != GPUTUNE_ERROR_UNSUPPORTED ||
            !strstr(error->text, "GPUTUNE_NO_SATURATION");
    gputune_kernel_destroy(kernel);
    desc.tune.msp = false;
    kernel = gputune_kernel_create(device, &desc);
    wrong = wrong || gputune_tune(kernel, &arg, 1, NULL) != GPUTUNE_OK;
    wrong = wrong || gputune_saturate(kernel, NULL, NULL, &arg, 1, &curve) !=
                         GPUTUNE_ERROR_UNSUPPORTED;
    wrong = wrong || !strstr(gputune_kernel_error(kernel)->text, "GPUTUNE_NO_SATURATION");
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return wrong;
}
