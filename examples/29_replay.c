// A tuning without the device: trials that somebody has measured are read from a file, so that
// anybody can repeat the search, try strategies on it, or look into a bug. The file may be one that
// gputune_kernel_write has written, Kernel Tuner's cache, or, here, a recorded space: all 210
// configurations of KTT's coulomb3d on an RTX 2080 (AutoTuningAssociation/benchmark_hub, MIT).
//
//     cc -std=c99 -O2 -I. examples/29_replay.c -o replay -lm
//     ./replay [FOLDER for coulomb.csv, coulomb.json and coulomb.cache.json]
//
// It prints:
//     random     3.91 x: WORK_GROUP_SIZE_X=16 WORK_GROUP_SIZE_Y=4 INNER_UNROLL_FACTOR=0 ...
//     surrogate  3.95 x: WORK_GROUP_SIZE_X=32 WORK_GROUP_SIZE_Y=4 INNER_UNROLL_FACTOR=0 ...
//     all        3.95 x: WORK_GROUP_SIZE_X=32 WORK_GROUP_SIZE_Y=4 INNER_UNROLL_FACTOR=0 ...
// and after the other parameters, of the last:
//     (770 us, default 3.04e+03), 21.8 Gpoints/s, 210 trials in 1.3 s
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>

static const struct {
    const char *name;
    gputune_strategy strategy;
    int trials;
} ways[] = { { "random", GPUTUNE_STRATEGY_RANDOM, 25 },
             { "surrogate", GPUTUNE_STRATEGY_SURROGATE, 25 },
             { "all", GPUTUNE_STRATEGY_EXHAUSTIVE, 0 } };

int main(int argc, char **argv)
{
    // What varies, as the file names it. What is not in the file would fail as not compiling, did
    // restrictions not say so.
    static const gputune_param params[] = { { "WORK_GROUP_SIZE_X", "set 16,32", "16" },
                                            { "WORK_GROUP_SIZE_Y", "set 2,4,8", "4" },
                                            { "INNER_UNROLL_FACTOR", "set 0,1,2,4,8,16", "0" },
                                            { "Z_ITERATIONS", "erange 1,32,2", "1" },
                                            { "USE_CONSTANT_MEMORY", "set 0", "0" },
                                            { "USE_SOA", "bool", "0" },
                                            { "VECTOR_SIZE", "set 1", "1" },
                                            { "WORK_GROUP_SIZE_Z", "set 1", "1" },
                                            { 0 } };
    static const char *const require[] = { "WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y >= 64",
                                           "INNER_UNROLL_FACTOR < Z_ITERATIONS", NULL };
    gputune_device *device = gputune_replay_device_create(&(gputune_replay_desc){
        .options.store = "", .file = "examples/coulomb_rtx_2080.csv", .limits.name = "RTX 2080" });
    gputune_result result = GPUTUNE_OK;
    float grid[64]; // pretended results
    gputune_arg args[] = { gputune_int(256), gputune_out(grid, sizeof grid) };
    for (size_t i = 0; i < sizeof ways / sizeof *ways && !result; i++) {
        gputune_kernel *kernel = gputune_kernel_create(device, &(gputune_kernel_desc){
            .name = "coulomb3d", .signature = "int n, float *grid", .global = "n, n, n",
            .params = params, .require = require,
            .tune = { .strategy = ways[i].strategy, .budget.trials = ways[i].trials, .seed = 1,
                      .metrics = "Gpoints/s = 1e-9 * n*n*n / time" } });
        result = gputune_tune(kernel, args, 2);
        if (result)
            fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
        else
            printf("%-10s %s\n", ways[i].name, gputune_kernel_outcome(kernel)->text);
        const char *const endings[] = { "csv", "json", "cache.json" };
        for (int k = 0; k < 3 && argc > 1 && !ways[i].trials && !result; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/coulomb.%s", argv[1], endings[k]);
            result = gputune_kernel_write(kernel, path);
            if (result) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
        }
        gputune_kernel_destroy(kernel);
    }
    gputune_device_destroy(device);
    return result != GPUTUNE_OK;
}
