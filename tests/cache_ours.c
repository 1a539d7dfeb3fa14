// For cache.sh: writes the trials of a tuning, some of which fail, as files, or repeats the
// tuning from a file and prints what came of it.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>

static void trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const int64_t block = gputune_config_int(config, "block_size_x");
    const double scale = gputune_config_real(config, "scale");
    (void)user;
    trial->seconds = 1e-3 * scale / (double)block + 1e-5 * gputune_config_choice(config, "way");
    if (block == 512) trial->result = GPUTUNE_ERROR_COMPILE;
    if (block == 256 && scale > 1) trial->result = GPUTUNE_ERROR_RESOURCES;
    if (block == 128 && scale > 1) trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
}

int main(int argc, char **argv)
{
    static const gputune_param params[] = { { "block_size_x", "erange 32,512,2", "64" },
                                            { "scale", "set 0.5,1,1e-5,1e5", "1" },
                                            { "way", "set plain,wide", "plain" },
                                            { 0 } };
    static const char *const endings[] = { "csv", "json", "cache.json" };
    const bool writes = argc > 2 && strcmp(argv[1], "write") == 0;
    gputune_replay_desc replay = { .options.store = "", .limits.name = "A \"device\"\\" };
    float out[16];
    gputune_arg args[] = { gputune_int(1000), gputune_out(out, sizeof out) };
    if (writes)
        replay.trial = trial;
    else
        replay.file = argv[argc - 1];
    gputune_device *device = gputune_replay_device_create(&replay);
    gputune_kernel *kernel = gputune_kernel_create(device, &(gputune_kernel_desc){
        .name = "saxpy", .signature = "int n, float *y", .global = "n", .params = params,
        .tune = { .strategy = GPUTUNE_STRATEGY_EXHAUSTIVE, .budget.seconds = -1,
                  .metrics = "GB/s = n / time; \"b\", = block_size_x" } });
    gputune_result result = gputune_tune(kernel, args, 2);
    int failed = 0, count = 0;
    char text[200];
    for (; gputune_kernel_trial(kernel, count); count++)
        failed += gputune_kernel_trial(kernel, count)->result != GPUTUNE_OK;
    for (int i = 0; i < 3 && writes && !result; i++) {
        snprintf(text, sizeof text, "%s/x.%s", argv[2], endings[i]);
        result = gputune_kernel_write(kernel, text);
    }
    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    printf("%d of %d fail, %s: %.6g ms\n", failed, count,
           gputune_config_text(&o->config, text, sizeof text), 1e3 * o->best_stats.median);
    if (result) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return result != GPUTUNE_OK;
}
