// A program compiled with -ffast-math: what computes nothing but NaN is still wrong, and what was
// told NaN or infinity has failed.
#ifndef GPUTUNE_RUN_IMPLEMENTATION // else with what it calls alone
#define GPUTUNE_IMPLEMENTATION
#endif
#include "gputune.h"

enum { COUNT = 1000 };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void job(const gputune_grid *range, void *const *args, const gputune_config *config,
                void *user)
{
    const bool wrong = gputune_config_int(config, "WRONG") != 0;
    uint64_t i;
    (void)user;
    for (i = range->begin[0]; i < range->end[0] && i < COUNT; i++)
        ((float *)args[0])[i] = wrong ? float_of(0x7fc00000) : 0.5f + (float)i;
}

static bool kernel_tuned(void)
{
    static const gputune_param params[] = { { "WRONG", "set 0,1", "0" }, { NULL, NULL, NULL } };
    static const gputune_function functions[] = { { "job", job, NULL }, { NULL, NULL, NULL } };
    static float y[COUNT];
    const gputune_arg arg = gputune_out(y, sizeof y);
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    const gputune_trial *trial;
    int i, failed = 0;
    bool right;
    memset(&options, 0, sizeof options);
    memset(&desc, 0, sizeof desc);
    options.store = "";
    desc.name = "job";
    desc.params = params;
    desc.functions = functions;
    desc.signature = "float *y";
    desc.global = "1000";
    device = gputune_host_device_create(&options);
    kernel = gputune_kernel_create(device, &desc);
    right = gputune_run(kernel, &arg, 1) == GPUTUNE_OK;
    for (i = 0; (trial = gputune_kernel_trial(kernel, i)) != NULL; i++)
        failed += trial->result != GPUTUNE_OK;
    right = right && failed == 1 && y[COUNT - 1] > 999;
    if (!right) printf("kernel: %s\n", gputune_kernel_error(kernel)->text);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return right;
}

// All but one answer with what is no number.
static bool tuner_told(gputune_strategy strategy)
{
    static const gputune_param params[] = { { "A", "range 1,20,1", "1" }, { NULL, NULL, NULL } };
    const double strange[3] = { (double)float_of(0x7fc00000), (double)float_of(0x7f800000),
                                (double)float_of(0xff800000) };
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    bool right;
    memset(&desc, 0, sizeof desc);
    desc.space.params = params;
    desc.space.options.store = "";
    desc.tune.strategy = strategy;
    desc.tune.budget.trials = 20;
    tuner = gputune_tuner_create(&desc);
    while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG) {
        const int a = (int)gputune_config_int(&config, "A");
        gputune_tell(tuner, &config, a == 7 ? 1.0 : strange[a % 3]);
    }
    right = gputune_tuner_best(tuner, &config) == GPUTUNE_OK &&
            gputune_config_int(&config, "A") == 7;
    if (!right) printf("%s: not found\n", gputune_strategy_name(strategy));
    gputune_tuner_destroy(tuner);
    return right;
}

int main(void)
{
    int strategy;
    bool right = kernel_tuned();
    for (strategy = 0; strategy < GPUTUNE_STRATEGY_COUNT; strategy++)
        right = tuner_told((gputune_strategy)strategy) && right;
    return !right;
}
