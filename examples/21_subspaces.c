// Which settings keep within a power limit and are fast enough, and which device suits which? Two
// regression trees of random samples answer, one of time and one of power. The device is one more
// parameter. subspaces.h intersects their leaves (Starchart: Jia, Shaw, Martonosi 2013).
//
//     cc -std=c99 -O2 -I. examples/21_subspaces.c -o subspaces -lm
//     ./subspaces
//
// With two replay devices for two GPUs it prints the same everywhere:
//     at most 2 ms and 150 W, 240 samples:
//       1.21 ms (worst 1.31), 135 W (137): TPP >= 8 && TPP <= 9 && device == "old"
//       1.38 ms (worst 1.69), 124 W (130): TPP >= 3 && TPP <= 5 && CACHE == 1 && device == "new"
//     fastest on old: 0.39 ms (worst 0.46): TPP >= 24 && device == "old"
//     fastest on new: 0.19 ms (worst 0.22): TPP >= 25 && CACHE == 1 && device == "new"
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#include "subspaces.h"
#include <stdio.h>

// Stands for a kernel on a GPU; with gputune_cuda_device(NULL) and a real one all else is the same.
static void swap(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const int newer = *(const int *)user, cache = gputune_config_int(config, "CACHE") > 0;
    const double tpp = gputune_config_real(config, "TPP"), ppb = gputune_config_real(config, "PPB");
    trial->seconds = 1e-3 * (10 / tpp + ppb / 2048) * (newer ? 0.8 - 0.3 * cache : 1);
    trial->watts = (newer ? 130 : 92) + 5 * tpp - 25 * cache * newer;
}

// Tunes at random: the trials are samples of time and of power.
static bool sample(gputune_samples *time, gputune_samples *power, int which)
{
    const double at = which; // in the names of "device"
    static const gputune_param params[] = { { "PPB", "range 8,128,4", "32" },
                                            { "TPP", "range 1,32", "1" },
                                            { "CACHE", "bool", "0" },
                                            { 0 } };
    gputune_replay_desc replay = { .trial = swap, .user = &which };
    replay.options.store = ""; // every run samples anew
    gputune_device *device = gputune_replay_device_create(&replay);
    gputune_kernel_desc desc = { .name = "swap", .params = params, .global = "4096" };
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.objective = "power"; // so that it is measured
    desc.tune.budget = (gputune_budget){ .trials = 121, .seconds = -1 };
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    const gputune_arg arg = gputune_out((float[16]){ 0 }, 16 * sizeof(float));
    bool ok = gputune_tune(kernel, &arg, 1) == GPUTUNE_OK;
    const gputune_trial *trial;
    int count = 1; // 0: the default
    for (; ok && (trial = gputune_kernel_trial(kernel, count)) != NULL; count++)
        ok = !gputune_samples_add(time, &at, &trial->config, trial->stats.median) &&
             !gputune_samples_add(power, &at, &trial->config, trial->value);
    if (count == 1)
        printf("no samples: is GPUTUNE_STORE set?\n%s\n", gputune_kernel_error(kernel)->text);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return ok && count > 1;
}

// The best few subspaces that meet the goals.
static void print(const char *title, const subspace_goal *goals, const char *within, int most)
{
    subspaces *found = subspaces_find(goals, within);
    const subspace *s;
    printf("%s%s", title, !found ? "out of memory\n" : found->error);
    for (int i = 0; found && i < most && (s = subspaces_at(found, i, 0)) != NULL; i++) {
        const subspace *watts = subspaces_at(found, i, 1);
        printf("%s%.2f ms (worst %.2f)", i > 0 ? "  " : "", 1e3 * s->mean, 1e3 * s->most);
        if (watts) printf(", %.0f W (%.0f)", watts->mean, watts->most);
        printf(": %s\n", s->text);
    }
    subspaces_free(found);
}

int main(void)
{
    static const gputune_param columns[] = {
        { "PPB" }, { "TPP" }, { "CACHE" }, { "device", "set old,new" }, { 0 }
    };
    subspace_goal goals[] = { { .want = "<= 2e-3", .worst = true },
                              { .want = "<= 150", .worst = true },
                              { 0 } };
    gputune_samples *tables[2]; // of time and of power
    for (int i = 0; i < 2; i++)
        tables[i] = gputune_samples_create(&(gputune_samples_desc){ .columns = columns });
    if (!sample(tables[0], tables[1], 0) || !sample(tables[0], tables[1], 1)) return 1;
    for (int i = 0; i < 2; i++) {
        goals[i].table = gputune_samples_table(tables[i]);
        goals[i].tree = gputune_tree_create(
            &(gputune_tree_desc){ .table = goals[i].table, .log = true, .leaves = 24 });
    }
    printf("at most 2 ms and 150 W, %zu samples:\n", goals[0].table.count);
    print("  ", goals, NULL, 9);
    const subspace_goal fast[] = { { goals[0].tree, goals[0].table, "least" }, { 0 } };
    print("fastest on old: ", fast, "device == \"old\"", 1);
    print("fastest on new: ", fast, "device == \"new\"", 1);
    for (int i = 0; i < 2; i++) {
        gputune_tree_destroy((gputune_tree *)goals[i].tree);
        gputune_samples_destroy(tables[i]);
    }
    return 0;
}
