// Writes the pages that tests/report/check.py looks at to a folder: reports of a search, of an
// MSP-tuning, of a pool, of a tuning in which all fails, of 1 and of 5,000 trials, of names with
// <&", of energy, of what the store knows, of two answers that look equal, of a race that overruled
// the search, of one that says nothing, of a best that was not as fast again, of any numbers told,
// and of equal ones; and a folder's list. The replay and the host driver run it.
//
//     cc -std=gnu99 -I. tests/report/pages.c -o pages -lm && ./pages FOLDER
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>

// Something like a tiled product: one parameter decides, some help, some matter together.
static void trial(void *user, const gputune_config *config, gputune_replay_trial *t)
{
    const double block = gputune_config_real(config, "BLOCK");
    const double tile = gputune_config_real(config, "TILE");
    const double unroll = gputune_config_real(config, "UNROLL");
    const char *load = gputune_config_name(config, "LOAD");
    const int vector = (int)gputune_config_int(config, "VECTOR");
    const double items = t->items > 0 ? t->items / 1048576 : 1;
    const double groups = fmin(1, t->items > 0 ? t->items / 65536 : 1);
    double ms = 0.9 + 2.2 * pow(fabs(log2(block / 128)), 1.5) + 6 / tile + 0.12 * fabs(unroll - 4);
    ms *= load && strcmp(load, "naive") == 0 ? 2.6 : load && strcmp(load, "texture") == 0 ? 1.3 : 1;
    ms *= vector == 4 ? 0.8 : vector == 2 ? 0.9 : 1;
    if (tile > 8 && vector == 4) ms *= 1.8;
    t->seconds = 1e-3 * ms * items / fmax(groups, 0.02) + 3e-6;
    t->compile_seconds = 0.04 + 0.002 * unroll;
    t->watts = 180 + 400 / ms + 3 * tile;
    if (block >= 512 && tile >= 16) t->result = GPUTUNE_ERROR_RESOURCES;
    if (vector == 8) t->result = GPUTUNE_ERROR_COMPILE;
    if (block == 256 && tile == 16 && unroll == 8) t->result = GPUTUNE_ERROR_WRONG_OUTPUT;
    if (user) t->result = GPUTUNE_ERROR_COMPILE;
}

static const gputune_param params[] = { { "BLOCK", "erange 32,1024,2", "32" },
                                        { "TILE", "erange 1,32,2", "1" },
                                        { "UNROLL", "range 1,16", "1" },
                                        { "LOAD", "set naive,staged,texture", "naive" },
                                        { "VECTOR", "set 1,2,4,8", "1" },
                                        { "PREFETCH", "bool", NULL }, { NULL, NULL, NULL } };
static const gputune_param awkward[] = { { "BLOCK", "erange 32,1024,2", "32" },
                                         { "TILE", "erange 1,32,2", "1" },
                                         { "UNROLL", "range 1,16", "1" },
                                         { "LOAD", "set naive,staged,texture", "naive" },
                                         { "VECTOR", "set 1,2,4,8", "1" },
                                         { "A_PARAMETER_WITH_A_NAME_AS_LONG_AS_THEY_COME",
                                           "set the_first_of_its_values,</script><!--&_the_second",
                                           NULL },
                                         { NULL, NULL, NULL } };

static const gputune_param fewer[] = { { "BLOCK", "erange 32,1024,2", "32" },
                                       { "TILE", "erange 1,32,2", "1" },
                                       { "UNROLL", "range 1,16", "1" },
                                       { "LOAD", "set naive,staged,texture", "naive" },
                                       { "VECTOR", "set 1,2,4,8", "1" }, { NULL, NULL, NULL } };

static const char *folder;

// The race as it is where the clock has changed: the default stays; or where launches differ by
// more than they take.
static void race(gputune_kernel *k, double change, double spread)
{
    gt__problem *p = k->last;
    int i;
    for (i = 0; i < p->raced; i++) {
        p->race[i].median = change * p->race[0].median * (1 + 0.01 * i);
        p->race[i].iqr = spread * p->race[i].median;
    }
    p->outcome.config = p->racing[0];
    p->outcome.default_stats = p->outcome.best_stats = p->race[0];
    p->outcome.speedup = 1;
}

// The search's best was not as fast again.
static void lucky(gputune_kernel *k)
{
    k->last->outcome.best_stats.median *= 3;
    k->last->outcome.speedup /= 3;
}

// Tunes such a kernel, and writes its page; user not NULL: nothing compiles.
static void page(const char *name, const gputune_kernel_desc *given, const char *device,
                 const char *store, void *user)
{
    static float out[1 << 12];
    const gputune_function functions[] = { { given->name, NULL, NULL }, { NULL, NULL, NULL } };
    gputune_kernel_desc desc = *given;
    gputune_replay_desc replay;
    gputune_device *d;
    gputune_kernel *k;
    gputune_arg args[2];
    char path[512];
    memset(&replay, 0, sizeof replay);
    replay.trial = trial;
    replay.user = user;
    replay.noise = 0.01;
    replay.seed = 7;
    replay.options.store = store;
    snprintf(replay.limits.name, sizeof replay.limits.name, "%s", device);
    replay.limits.is_gpu = 1;
    replay.limits.cache_bytes = 1 << 20;
    replay.limits.compute_units = 132;
    d = gputune_replay_device_create(&replay);
    desc.functions = functions;
    desc.signature = "int n, float *out";
    desc.global = "n";
    desc.local = "BLOCK";
    if (!desc.params) desc.params = params;
    k = gputune_kernel_create(d, &desc);
    if (k->answers) {
        gputune_figures *f = &k->answers->figures; // as if they had been measured
        f->memory_bandwidth = 3.9e12;
        f->cache_bytes = 5e7;
        f->cache_bandwidth = 9e12;
        f->flops = 6.1e13;
        f->double_flops = 3e13;
        f->launch = 2e-6;
    }
    args[0] = gputune_int(1 << 20);
    args[1] = gputune_out(out, sizeof out);
    if (gputune_tune(k, args, 2) && !user)
        fprintf(stderr, "%s: %s\n", name, gputune_kernel_error(k)->text), exit(1);
    if (strcmp(name, "overruled") == 0) race(k, 0.6, 0.01);
    if (strcmp(name, "noisy") == 0) race(k, 1.3, 2.2);
    if (strcmp(name, "lucky") == 0) lucky(k);
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    if (gputune_kernel_write(k, path))
        fprintf(stderr, "%s: %s\n", name, gputune_kernel_error(k)->text), exit(1);
    gputune_kernel_destroy(k);
    gputune_device_destroy(d);
}

// --- a pool, on the host ---

static void by_item(const gputune_grid *range, void *const *args, const gputune_config *config,
                    void *user)
{
    const float *x = (const float *)args[1];
    float *y = (float *)args[2];
    const int slow = user ? *(const int *)user : 1;
    uint64_t i;
    int n;
    (void)config;
    for (i = range->begin[0]; i < range->end[0]; i++) {
        float sum = 0;
        for (n = 0; n < 24 * slow; n++) sum += x[i] * (float)n;
        y[i] = sum - sum + x[i];
    }
}

static void pool(const char *name)
{
    enum { N = 1 << 22 };
    static const int twice = 2, tenfold = 10;
    const gputune_function functions[] = { { "plain & <simple>", by_item, NULL },
                                           { "twice", by_item, (void *)(uintptr_t)&twice },
                                           { "tenfold", by_item, (void *)(uintptr_t)&tenfold },
                                           { NULL, NULL, NULL } };
    gputune_kernel_desc kernels[4];
    gputune_pool_desc desc;
    gputune_options options;
    gputune_device *d;
    gputune_pool *p;
    gputune_arg args[3];
    char path[600];
    float *x = (float *)calloc(N, sizeof *x), *y = (float *)calloc(N, sizeof *y);
    int i;
    memset(&options, 0, sizeof options);
    options.store = "";
    memset(kernels, 0, sizeof kernels);
    memset(&desc, 0, sizeof desc);
    for (i = 0; i < 3; i++) {
        kernels[i].functions = functions;
        kernels[i].name = functions[(i + 2) % 3].name;
        kernels[i].signature = "int n, const float *x, float *y";
        kernels[i].global = "n";
        kernels[i].local = "256";
    }
    desc.kernels = kernels;
    desc.name = "a pool";
    desc.mode = GPUTUNE_PROFILE_FULLY;
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    setenv("GPUTUNE_REPORT", path, 1);
    d = gputune_host_device_create(&options);
    p = gputune_pool_create(d, &desc);
    args[0] = gputune_int(N);
    args[1] = gputune_in(x, N * sizeof *x);
    args[2] = gputune_out(y, N * sizeof *y);
    for (i = 0; i < 3; i++)
        if (gputune_pool_run(p, args, 3)) fprintf(stderr, "%s\n", gputune_pool_error(p)->text);
    gputune_pool_destroy(p);
    gputune_device_destroy(d);
    unsetenv("GPUTUNE_REPORT");
    free(x);
    free(y);
}

// Ask/tell: six values in turn, and a failure.
static void told(const char *name, const double *values)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    char path[600];
    int i = 0;
    memset(&desc, 0, sizeof desc);
    desc.space.params = params;
    desc.space.options.store = "";
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.trials = 40;
    tuner = gputune_tuner_create(&desc);
    for (; gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG; i++)
        if (i % 7 == 6)
            gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_COMPILE, NULL);
        else
            gputune_tell(tuner, &config, values[i % 7]);
    snprintf(path, sizeof path, "%s/%s.html", folder, name);
    if (gputune_tuner_write(tuner, path)) fprintf(stderr, "%s\n", gputune_tuner_error(tuner)->text);
    gputune_tuner_destroy(tuner);
}

int main(int argc, char **argv)
{
    gputune_saturation_desc msp;
    gputune_kernel_desc desc;
    static const double any[] = { 1e308, -1e308, 5e-324, 0, -3e-12, 7e200 };
    static const double equal[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
    char store[512], path[512];
    if (argc != 2) return 2;
    folder = argv[1];
    snprintf(store, sizeof store, "%s/store.txt", folder);
    memset(&desc, 0, sizeof desc);
    memset(&msp, 0, sizeof msp);
    desc.name = "product";
    desc.work = "flops = 40000.0 * n; bytes = 8.0 * n";
    desc.tune.budget.trials = 1000;
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.budget.seconds = -1;
    page("search", &desc, "NVIDIA H200", store, NULL);
    page("stored", &desc, "NVIDIA H200", store, NULL);
    desc.tune.budget.trials = 60;
    desc.params = fewer;
    page("twins", &desc, "NVIDIA H200", store, NULL);
    desc.params = NULL;
    page("overruled", &desc, "NVIDIA H200", "", NULL);
    page("noisy", &desc, "NVIDIA H200", "", NULL);
    page("lucky", &desc, "NVIDIA H200", "", NULL);
    desc.tune.budget.trials = 5000;
    page("many", &desc, "NVIDIA H200", "", NULL);
    desc.tune.budget.trials = 60;
    desc.tune.objective = "energy";
    page("energy", &desc, "NVIDIA H200", "", NULL);
    desc.tune.objective = NULL;
    desc.work = NULL;
    page("failed", &desc, "NVIDIA H200", "", &desc);
    desc.tune.budget.trials = 1;
    page("single", &desc, "NVIDIA H200", "", NULL);
    desc.tune.budget.trials = 120;
    desc.name = "matrix<float, \"&\"> of a name that does not end where one would think it did";
    desc.params = awkward;
    page("names", &desc, "A <device> & its \"driver\"", store, NULL);
    desc.params = NULL;
    desc.name = "product";
    desc.tune.strategy = GPUTUNE_STRATEGY_AUTO;
    desc.tune.msp = &msp;
    page("msp", &desc, "NVIDIA H200", "", NULL);
    pool("pool");
    told("told", any);
    told("equal", equal);
    snprintf(store, sizeof store, "%s/list", folder);
    setenv("GPUTUNE_REPORT", store, 1);
    desc.tune.budget.trials = 20;
    desc.tune.msp = NULL;
    page("twice", &desc, "NVIDIA H200", "", NULL);
    desc.name = "another product";
    page("twice", &desc, "NVIDIA H200", "", NULL);
    snprintf(store, sizeof store, "%s/list/index.html", folder);
    snprintf(path, sizeof path, "%s/index.html", folder);
    return rename(store, path);
}
