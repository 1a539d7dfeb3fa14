// [predictor]: predictions against brute force on known functions, and gputune_run with what its
// store has of other sizes.
#include "table.h"
#include "test.h"

#include <sys/wait.h>

// --- known functions over one space ---

static const gputune_param adapt_params[] = {
    { "B", "erange 16,512,2", "64" },
    { "U", "set 1,2,4", "1" },
    { "K", "set plain,tiled", "plain" },
    { NULL, NULL, NULL },
};

static const char *const adapt_require[] = { "B * U <= 1024", NULL, NULL };

static const gputune_param adapt_n[] = { { "n", NULL, NULL } };
static const char adapt_kinds[] = "set row,column,band";
static const gputune_param adapt_n_kind[] = { { "n", NULL, NULL }, { "kind", adapt_kinds, NULL } };

// Samples, and what is learned from them.
typedef struct adapt_model {
    gputune_space *space;
    gputune_samples *data;
    gputune_predictor *p; // NULL: not since the last row
    gputune_error error;
} adapt_model;

static void adapt_close(adapt_model *a)
{
    gputune_predictor_destroy(a->p);
    gputune_samples_destroy(a->data);
    gputune_space_destroy(a->space);
    free(a);
}

// Everything but the space with these options. NULL: out of their memory.
static adapt_model *adapt_open_with(const gputune_param *params, const char *const *require,
                                    const gputune_param *features, int count,
                                    const gputune_options *options)
{
    adapt_model *a = (adapt_model *)calloc(1, sizeof *a);
    gputune_space_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.params = params;
    desc.require = require;
    a->space = gputune_space_create(&desc);
    CHECK_TEXT(gputune_space_error(a->space)->text, "");
    a->data = samples_of(a->space, features, count, options);
    if (a->data) return a;
    adapt_close(a);
    return NULL;
}

static adapt_model *adapt_open(const gputune_param *features, int count)
{
    return adapt_open_with(adapt_params, adapt_require, features, count, NULL);
}

static gputune_result adapt_add(adapt_model *a, const double *x, const gputune_config *config,
                                double value)
{
    gputune_predictor_destroy(a->p);
    a->p = NULL;
    return gputune_samples_add(a->data, x, config, value);
}

static gputune_result adapt_learn(adapt_model *a, gt__scores *scores)
{
    gputune_predictor_desc desc;
    gputune_predictor_destroy(a->p);
    memset(&desc, 0, sizeof desc);
    desc.space = a->space;
    desc.samples = a->data;
    a->p = gputune_predictor_create(&desc);
    a->error = *gputune_predictor_error(a->p);
    if (a->error.result) {
        gputune_predictor_destroy(a->p);
        a->p = NULL;
    } else if (scores) {
        gputune_score s = gputune_predictor_score(a->p);
        *scores = a->p->report;
        CHECK_INT(s.inputs, scores->score.inputs);
        CHECK(s.fraction == scores->score.fraction && s.worst == scores->score.worst);
        CHECK_HAS(s.text, scores->model ? "neighbours: " : "the default: ");
    }
    return a->error.result;
}

// How many values of usable inputs are known; failed: how many of them failed.
static int adapt_known(const adapt_model *a, bool failed)
{
    int i, c, count = 0;
    for (i = 0; i < gt__len(a->p->inputs); i++)
        for (c = 0; c < gt__len(a->p->configs) && gt__predictor_usable(a->p, i); c++)
            count += a->p->inputs[i].values[c] > 0 &&
                     (!failed || isinf(a->p->inputs[i].values[c]));
    return count;
}

static gputune_result adapt_predict(adapt_model *a, const double *x, gputune_prediction *p)
{
    gputune_result result = a->p ? GPUTUNE_OK : adapt_learn(a, NULL);
    if (result) return result;
    result = gputune_predictor_predict(a->p, x, p);
    a->error = *gputune_predictor_error(a->p);
    return result;
}

typedef double (*adapt_function)(const double *x, const gputune_config *config);

// The best block grows with n in steps, and large n want the tiled kernel.
static double adapt_steps(const double *x, const gputune_config *config)
{
    const double best = x[0] < 4096 ? 5 : x[0] < 262144 ? 7 : 9;
    const double off = log2((double)gputune_config_int(config, "B")) - best;
    const bool tiled = strcmp(gputune_config_name(config, "K"), "tiled") == 0;
    return 1e-6 * x[0] * (1 + 0.3 * fabs(off)) * (tiled == (x[0] > 20000) ? 1 : 1.4) *
           (1 + 0.1 * fabs((double)gputune_config_int(config, "U") - 2));
}

// The default is the best of all, everywhere.
static double adapt_flat(const double *x, const gputune_config *config)
{
    const double off = log2((double)gputune_config_int(config, "B")) - 6;
    return 1e-6 * x[0] * (1 + 0.1 * fabs(off) + 0.02 * (double)gputune_config_int(config, "U"));
}

// Each kind wants another block.
static double adapt_kind(const double *x, const gputune_config *config)
{
    static const double best[] = { 4, 9, 6 };
    const double off = log2((double)gputune_config_int(config, "B")) - best[(int)x[1]];
    return 1e-6 * x[0] * (1 + 0.2 * fabs(off) + 0.01 * (double)gputune_config_int(config, "U"));
}

// The best block grows slowly.
static double adapt_slope(const double *x, const gputune_config *config)
{
    const double off = log2((double)gputune_config_int(config, "B")) - log2(x[0]) / 2;
    return 1e-6 * x[0] * (1 + 0.2 * off * off) *
           (1 + 0.1 * fabs((double)gputune_config_int(config, "U") - 2));
}

// It depends on shape and size: small for tall matrices, large for large ones.
static double adapt_shape(const double *x, const gputune_config *config)
{
    const double best = x[0] > 8 * x[1] ? 4 : x[0] * x[1] > 1e6 ? 9 : 6;
    const double off = log2((double)gputune_config_int(config, "B")) - best;
    return 1e-6 * x[0] * x[1] *
           (1 + 0.2 * fabs(off) + 0.01 * (double)gputune_config_int(config, "U"));
}

// Many configurations are equally good.
static double adapt_ties(const double *x, const gputune_config *config)
{
    const double off = log2((double)gputune_config_int(config, "B")) - (x[0] < 5000 ? 4.5 : 7.5);
    return 1e-6 * x[0] * (1 + 0.25 * fabs(off));
}

// noise: relative, the same for the same state.
static void adapt_fill(adapt_model *a, const double *x, adapt_function f, double noise,
                       uint64_t *random)
{
    const gputune_space *space = a->space;
    uint64_t i;
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        double value = f(x, &config);
        if (noise > 0) value *= exp(noise * gt__random_normal(random));
        CHECK_INT(adapt_add(a, x, &config, value), GPUTUNE_OK);
    }
}

// Sizes 2^from, 2^(from + 1) ...
static void adapt_fill_sizes(adapt_model *a, int from, int to, adapt_function f, double noise)
{
    uint64_t random = 5;
    int i;
    for (i = from; i <= to; i++) {
        double x = exp2(i);
        adapt_fill(a, &x, f, noise, &random);
    }
}

static double adapt_best(const gputune_space *space, const double *x, adapt_function f)
{
    double best = HUGE_VAL;
    uint64_t i;
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        best = fmin(best, f(x, &config));
    }
    return best;
}

// Of the performance of the best.
static double adapt_fraction(adapt_model *a, const double *x, adapt_function f)
{
    gputune_prediction p;
    CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_OK);
    return adapt_best(a->space, x, f) / f(x, &p.config);
}

// --- predictions ---

// A step function is found: sizes that were not measured, in the middle of the steps.
static void test_adapt_steps(void)
{
    static const double sizes[] = { 200, 1500, 11000, 90000, 700000, 5e6 };
    adapt_model *a = adapt_open(adapt_n, 1);
    const gputune_config standard = gputune_space_default(a->space);
    gt__scores report;
    gputune_prediction p;
    double worst = 1, real;
    int i;
    adapt_fill_sizes(a, 6, 24, adapt_steps, 0);
    CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
    for (i = 0; i < 6; i++) {
        worst = fmin(worst, adapt_fraction(a, &sizes[i], adapt_steps));
        CHECK_INT(adapt_predict(a, &sizes[i], &p), GPUTUNE_OK);
        real = adapt_steps(&sizes[i], &standard) / adapt_steps(&sizes[i], &p.config);
        CHECK(!p.extrapolated);
        CHECK(p.speedup > 0.9 * real && p.speedup < 1.1 * real);
    }
    CHECK(worst > 0.95);
    CHECK(report.model);
    CHECK_INT(report.score.inputs, 19);
    CHECK_INT(report.standard.inputs, 19);
    CHECK_INT(gt__len(a->p->configs), gputune_space_count(a->space));
    CHECK_INT(adapt_known(a, false), 19 * gt__len(a->p->configs));
    adapt_close(a);
}

// With noise.
static void test_adapt_noise(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gt__scores r;
    const double x = 1500;
    adapt_fill_sizes(a, 8, 18, adapt_slope, 0.03);
    CHECK_INT(adapt_learn(a, &r), GPUTUNE_OK);
    CHECK_INT(r.score.inputs, 11);
    CHECK(r.score.fraction > 0.93);
    CHECK(r.standard.fraction < 0.8);
    CHECK(r.score.worst_to_default > 0.95);
    CHECK(adapt_fraction(a, &x, adapt_slope) > 0.95);
    adapt_close(a);
}

// Where nothing is better than the default it says so.
static void test_adapt_default(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gt__scores report;
    gputune_prediction p;
    gputune_config standard;
    const double x = 3000;
    adapt_fill_sizes(a, 6, 16, adapt_flat, 0.02);
    CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
    CHECK(!report.model);
    CHECK_HAS(gputune_predictor_score(a->p).text, "no model is better");
    CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
    standard = gputune_space_default(a->space);
    CHECK(memcmp(p.config.choice, standard.choice, sizeof p.config.choice) == 0);
    CHECK(p.speedup == 1);
    CHECK_HAS(gputune_predictor_score(a->p).text, "the default");
    CHECK(!p.extrapolated && p.speedup == 1);
    adapt_close(a);
}

static void test_adapt_outside(void)
{
    adapt_model *a = adapt_open(adapt_n_kind, 2);
    static const struct {
        double x[2];
        bool extrapolated;
    } cases[] = { { { 1000, 0 }, false }, { { 64, 1 }, false },   { { 4096, 1 }, false },
                  { { 63, 0 }, true },    { { 4097, 1 }, true },  { { 1000, 2 }, true } };
    gputune_prediction p;
    uint64_t random = 1;
    int i, kind;
    for (i = 6; i <= 12; i++)
        for (kind = 0; kind < 2; kind++) {
            double x[2];
            x[0] = exp2(i);
            x[1] = kind;
            adapt_fill(a, x, adapt_kind, 0, &random);
        }
    for (i = 0; i < 6; i++) {
        CHECK_INT(adapt_predict(a, cases[i].x, &p), GPUTUNE_OK);
        CHECK_INT(p.extrapolated, cases[i].extrapolated);
        if (cases[i].x[1] < 2)
            CHECK_INT(gputune_config_int(&p.config, "B"), cases[i].x[1] > 0 ? 512 : 16);
    }
    adapt_close(a);
    a = adapt_open(adapt_n_kind, 2); // between two names there is nothing
    for (i = 6; i <= 12; i++)
        for (kind = 0; kind <= 2; kind += 2) {
            double x[2];
            x[0] = exp2(i);
            x[1] = kind;
            adapt_fill(a, x, adapt_kind, 0, &random);
        }
    for (kind = 0; kind <= 2; kind++) {
        double x[2];
        x[0] = 1000;
        x[1] = kind;
        CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_OK);
        CHECK_INT(p.extrapolated, kind == 1);
    }
    adapt_close(a);
}

// Two numbers that were seen, whose product was not.
static void test_adapt_outside_product(void)
{
    static const gputune_param features[] = { { "n", NULL, NULL }, { "m", NULL, NULL } };
    adapt_model *a = adapt_open(features, 2);
    gputune_prediction p;
    uint64_t random = 1;
    double x[2];
    int i;
    for (i = 6; i <= 14; i++) {
        x[0] = exp2(i);
        x[1] = exp2(20 - i);
        adapt_fill(a, x, adapt_shape, 0, &random);
    }
    for (i = 8; i <= 12; i += 2) {
        x[0] = x[1] = exp2(i);
        CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_OK);
        CHECK_INT(p.extrapolated, i != 10);
    }
    adapt_close(a);
}

// A name that decides.
static void test_adapt_names(void)
{
    adapt_model *a = adapt_open(adapt_n_kind, 2);
    uint64_t random = 1;
    double x[2];
    int i;
    for (i = 0; i < 24; i++) {
        x[0] = exp2(6 + 0.5 * i);
        x[1] = i % 3;
        adapt_fill(a, x, adapt_kind, 0, &random);
    }
    for (i = 0; i < 3; i++) {
        x[0] = 1000;
        x[1] = i;
        CHECK(adapt_fraction(a, x, adapt_kind) > 0.9);
    }
    adapt_close(a);
}

// One input says nothing of others.
static void test_adapt_one_input(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gputune_prediction p;
    double x = 1 << 20;
    CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK); // nothing at all
    CHECK_INT(gputune_config_int(&p.config, "B"), 64);
    CHECK(p.speedup == 1 && p.extrapolated);
    adapt_fill_sizes(a, 20, 20, adapt_steps, 0);
    CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
    CHECK(p.speedup == 1 && !p.extrapolated);
    CHECK_HAS(gputune_predictor_score(a->p).text, "two must have been measured");
    CHECK_INT(gputune_config_int(&p.config, "B"), 64);
    CHECK(p.speedup == 1);
    adapt_fill_sizes(a, 15, 19, adapt_steps, 0); // with others there is a model,
    CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
    CHECK(p.speedup > 2); // and what was measured for an input counts alone for it
    CHECK_INT(gputune_config_int(&p.config, "B"), 512);
    CHECK_TEXT(gputune_config_name(&p.config, "K"), "tiled");
    adapt_close(a);
}

// A feature that never changes is no harm.
static void test_adapt_constant(void)
{
    static const gputune_param features[] = { { "c", NULL, NULL }, { "n", NULL, NULL } };
    adapt_model *a = adapt_open(features, 2);
    const gputune_space *space = a->space;
    double x[2] = { 7, 0 };
    gputune_prediction p;
    uint64_t c;
    int i;
    for (i = 6; i <= 24; i++)
        for (c = 0; c < gputune_space_count(space); c++) {
            gputune_config config = gputune_space_at(space, c);
            x[1] = exp2(i);
            adapt_add(a, x, &config, adapt_steps(&x[1], &config));
        }
    x[1] = 11000;
    CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&p.config, "B"), 128);
    CHECK(!p.extrapolated);
    x[0] = 8;
    CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_OK);
    CHECK(p.extrapolated);
    adapt_close(a);
}

// What is predicted is valid in the space, and the best of what is: samples may be of another one.
static void test_adapt_restrictions(void)
{
    static const char *const narrow[] = { "B * U <= 1024", "B <= 256", NULL };
    adapt_model *all = adapt_open(adapt_n, 1);
    adapt_model *a = adapt_open_with(adapt_params, narrow, adapt_n, 1, NULL);
    gputune_prediction p;
    uint64_t i;
    int e;
    for (e = 4; e <= 24; e += 2)
        for (i = 0; i < gputune_space_count(all->space); i++) {
            double x = exp2(e);
            gputune_config config = gputune_space_at(all->space, i);
            CHECK_INT(adapt_add(a, &x, &config, adapt_steps(&x, &config)), GPUTUNE_OK);
        }
    for (e = 9; e <= 50; e++) {
        double x = exp2(0.5 * e);
        int64_t b;
        CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
        b = gputune_config_int(&p.config, "B");
        CHECK(p.config.space == a->space && gputune_space_index(a->space, &p.config, NULL));
        if (x > 600000) CHECK_INT(b, 256);
    }
    adapt_close(all);
    adapt_close(a);
}

// What fails for large inputs is not predicted for them, though it is the fastest for small ones.
static void test_adapt_failures(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    const gputune_space *space = a->space;
    gt__scores report;
    gputune_prediction p;
    uint64_t i;
    int e;
    for (e = 6; e <= 22; e++)
        for (i = 0; i < gputune_space_count(space); i++) {
            double x = exp2(e), value;
            gputune_config config = gputune_space_at(space, i);
            int64_t b = gputune_config_int(&config, "B");
            value = 1e-6 * x / (double)b;
            if (b > 64 && x > 10000) value = NAN;
            CHECK_INT(adapt_add(a, &x, &config, value), GPUTUNE_OK);
        }
    CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
    CHECK_INT(adapt_known(a, true), 9 * 16); // B 128, 256: three U each, 512: two; two kernels
    for (e = 7; e <= 21; e += 3) {
        double x = 1.2 * exp2(e);
        CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
        if (x < 6000) CHECK(gputune_config_int(&p.config, "B") > 64);
        if (x > 20000) CHECK_INT(gputune_config_int(&p.config, "B"), 64);
    }
    adapt_close(a);
}

// What is chosen for an input that was left out and fails there counts as a hundredth.
static void test_adapt_failed_score(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gputune_config config = gputune_space_default(a->space);
    gputune_config standard = config;
    gt__scores report;
    int e;
    config.choice[0]++;
    for (e = 6; e <= 16; e++) {
        double x = exp2(e);
        CHECK_INT(adapt_add(a, &x, &standard, 100), GPUTUNE_OK);
        CHECK_INT(adapt_add(a, &x, &config, e == 9 ? NAN : 1), GPUTUNE_OK);
    }
    CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
    CHECK(report.model);
    CHECK_INT(report.score.inputs, 11);
    CHECK_NEAR(report.score.worst, 0.01, 1e-12);
    CHECK_NEAR(report.score.fraction, pow(0.01, 1.0 / 11), 1e-12);
    CHECK_NEAR(report.standard.fraction, pow(0.01, 10.0 / 11), 1e-12);
    adapt_close(a);
}

// --- against brute force ---

enum { ADAPT_INPUTS = 7 };

// Values without any pattern.
static double adapt_random(int input, int config, uint64_t seed)
{
    uint64_t state = seed * 1000003 + (uint64_t)(input * 1000 + config);
    return exp(gt__random_unit(&state));
}

// ADAPT_INPUTS inputs 1, 2 ..., everything measured.
static adapt_model *adapt_patternless(uint64_t seed)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    int i, c;
    for (i = 0; i < ADAPT_INPUTS; i++)
        for (c = 0; c < (int)gputune_space_count(a->space); c++) {
            gputune_config config = gputune_space_at(a->space, (uint64_t)c);
            double x = i + 1;
            adapt_add(a, &x, &config, adapt_random(i, c, seed));
        }
    return a;
}

// What a model that never had this input chooses for it, of what was measured there: the value.
static double adapt_left_out(const adapt_model *a, int left_out)
{
    const gt__predictor_input *input = &a->p->inputs[left_out];
    adapt_model *others = adapt_open(adapt_n, 1);
    double allowed[64] = { 0 }, value;
    gputune_table s = worked(a->data);
    gputune_predictor *p;
    size_t i;
    int c, at;
    for (i = 0; i < s.count; i++)
        if (fabs(gt__predictor_scale(s.x[i * 4]) - input->columns[0]) > 1e-9) // x87's are longer
            CHECK_INT(gputune_samples_add(others->data, s.x + i * 4, NULL, s.y[i]), GPUTUNE_OK);
    CHECK_INT(adapt_learn(others, NULL), GPUTUNE_OK);
    p = others->p;
    p->fold = 1000; // nobody's, but as many trees as while inputs are left out
    CHECK_INT(gt__predictor_fit(p), GPUTUNE_OK);
    for (c = 0; c < gt__len(p->configs); c++) {
        at = gt__predictor_find(a->p, &p->configs[c]);
        allowed[c] = at < 0 ? 0 : input->values[at];
    }
    c = gt__predictor_choose(p, input->columns, allowed, p->standard);
    value = allowed[c];
    adapt_close(others);
    return value;
}

// What was left out was not seen: the scores are those of models that never had the input.
static void test_adapt_scores(void)
{
    uint64_t seed;
    for (seed = 1; seed <= 12; seed++) {
        adapt_model *a = adapt_patternless(seed);
        gputune_config config = gputune_space_default(a->space);
        gt__scores r;
        double logs = 0, standard_logs = 0, worst = 1, to_default = HUGE_VAL;
        uint64_t standard_at = 0;
        int i, c;
        gputune_space_index(a->space, &config, &standard_at);
        CHECK_INT(adapt_learn(a, &r), GPUTUNE_OK);
        for (i = 0; i < ADAPT_INPUTS; i++) {
            double best = HUGE_VAL, got = adapt_left_out(a, i), plain;
            for (c = 0; c < (int)gputune_space_count(a->space); c++)
                best = fmin(best, adapt_random(i, c, seed));
            plain = adapt_random(i, (int)standard_at, seed);
            logs += log(best / got);
            standard_logs += log(best / plain);
            worst = fmin(worst, best / got);
            to_default = fmin(to_default, plain / got);
        }
        CHECK_INT(r.score.inputs, ADAPT_INPUTS);
        CHECK_NEAR(r.score.fraction, exp(logs / ADAPT_INPUTS), 1e-9);
        CHECK_NEAR(r.score.worst, worst, 1e-9);
        CHECK_NEAR(r.score.worst_to_default, to_default, 1e-9);
        CHECK_INT(r.standard.inputs, ADAPT_INPUTS);
        CHECK_NEAR(r.standard.fraction, exp(standard_logs / ADAPT_INPUTS), 1e-9);
        adapt_close(a);
    }
}

// --- neighbours ---

enum { ADAPT_POINTS = 11 };

// Inputs of two features and a name, values without a pattern.
// Returns an adapter that has learned, and takes the model even if it is none.
static adapt_model *adapt_scattered(uint64_t seed)
{
    static const gputune_param features[] = { { "m", NULL, NULL },
                                                { "n", NULL, NULL },
                                                { "kind", adapt_kinds, NULL } };
    adapt_model *a = adapt_open(features, 3);
    const gputune_space *space = a->space;
    uint64_t random = seed;
    int i, c;
    for (i = 0; i < ADAPT_POINTS; i++) {
        double x[3];
        x[0] = (double)gt__random_below(&random, 5000);
        x[1] = 10 + i;
        x[2] = i % 3;
        for (c = 0; c < (int)gputune_space_count(space); c++) {
            gputune_config config = gputune_space_at(space, (uint64_t)c);
            adapt_add(a, x, &config, adapt_random(i, c, seed));
        }
    }
    CHECK_INT(adapt_learn(a, NULL), GPUTUNE_OK);
    a->p->report.model = true;
    CHECK_INT(gt__predictor_fit(a->p), GPUTUNE_OK);
    return a;
}

// Weights of the forest are shares of one; where an input was measured it counts alone.
static void test_adapt_weights(void)
{
    adapt_model *a = adapt_scattered(1);
    uint64_t random = 1;
    int i, j;
    for (i = 0; i < 30; i++) {
        double x[3], columns[GPUTUNE_MAX_COLUMNS], sum = 0;
        const gt__predictor_input *inputs = a->p->inputs;
        x[0] = (double)gt__random_below(&random, 9000);
        x[1] = (double)gt__random_below(&random, 40);
        x[2] = (double)gt__random_below(&random, 3);
        gt__predictor_columns(a->p, x, columns);
        gt__predictor_weigh(a->p, i < ADAPT_POINTS ? inputs[i].columns : columns);
        for (j = 0; j < ADAPT_POINTS; j++) {
            CHECK(inputs[j].weight >= 0);
            if (i < ADAPT_POINTS) CHECK_NEAR(inputs[j].weight, i == j, 1e-9);
            sum += inputs[j].weight;
        }
        CHECK_NEAR(sum, 1, 1e-9);
    }
    adapt_close(a);
}

// What is predicted is the least mean cost, by what inputs count, if that is 2 % less than the
// default's.
static void test_adapt_least(void)
{
    uint64_t seed;
    int others = 0, i, c, round;
    for (seed = 1; seed <= 20; seed++) {
        adapt_model *a = adapt_scattered(seed);
        const gputune_space *space = a->space;
        gputune_config standard = gputune_space_default(space);
        uint64_t standard_at = 0, at = 0;
        gputune_space_index(space, &standard, &standard_at);
        for (round = 0; round < 4; round++) {
            double x[3], columns[GPUTUNE_MAX_COLUMNS], weights[ADAPT_POINTS], least = -log(1.02);
            gputune_prediction p;
            int best = (int)standard_at;
            x[0] = 700 * round + 100;
            x[1] = 12.5 + round;
            x[2] = round % 3;
            CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_OK);
            gt__predictor_columns(a->p, x, columns);
            gt__predictor_weigh(a->p, columns);
            for (i = 0; i < ADAPT_POINTS; i++) // adapt_scattered's i-th has 10 + i
                weights[(int)(exp2(a->p->inputs[i].columns[1]) - 0.5) - 10] =
                    a->p->inputs[i].weight;
            for (c = 0; c < (int)gputune_space_count(space); c++) {
                double cost = 0;
                for (i = 0; i < ADAPT_POINTS; i++)
                    cost += weights[i] * log(adapt_random(i, c, seed) /
                                             adapt_random(i, (int)standard_at, seed));
                if (cost > least) continue;
                least = cost;
                best = c;
            }
            CHECK(gputune_space_index(space, &p.config, &at));
            CHECK_INT(at, best);
            CHECK_NEAR(p.speedup, at == standard_at ? 1 : exp(-least), 1e-9);
            others += at != standard_at;
        }
        adapt_close(a);
    }
    CHECK(others > 10);
}

// Half of the configurations, drawn for each input, and the default.
static void adapt_fill_some(adapt_model *a, double x, uint64_t *random)
{
    const gputune_space *space = a->space;
    gputune_config config;
    char text[64];
    int b, u, tiled;
    for (tiled = 0; tiled < 2; tiled++) // not in the space's order, whatever that is
        for (u = 1; u <= 4; u *= 2)
            for (b = 16; b <= 512; b *= 2) {
                const bool standard = b == 64 && u == 1 && !tiled;
                snprintf(text, sizeof text, "B=%d U=%d K=%s", b, u, tiled ? "tiled" : "plain");
                if (b * u > 1024 || !gputune_config_parse(space, text, &config)) continue;
                if (gt__random_unit(random) < 0.5 && !standard) continue;
                adapt_add(a, &x, &config, adapt_steps(&x, &config));
            }
}

// Where each input has other configurations measured, what is missing is filled in: not from what
// the same configuration took elsewhere (nobody measured it), but from what is like it. With three
// seeds and four times twelve other drawings 0.907 to 0.929, 0.870 to 0.893 with nothing filled in.
static void test_adapt_filled(void)
{
    double logs = 0;
    int i, round, count = 0;
    for (round = 1; round <= 12; round++) {
        adapt_model *a = adapt_open(adapt_n, 1);
        uint64_t random = (uint64_t)round;
        for (i = 0; i < 16; i++) adapt_fill_some(a, exp2(6 + i), &random);
        for (i = 0; i < 15; i++) {
            double x = 1.4 * exp2(6 + i);
            logs += log(adapt_fraction(a, &x, adapt_steps));
            count++;
        }
        adapt_close(a);
    }
    CHECK(exp(logs / count) > 0.9);
}

// More inputs than are left out one by one, and than distances are measured from.
static void test_adapt_many(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    const gputune_space *space = a->space;
    uint64_t random = 1;
    double x, worst = 1;
    int i, c;
    for (i = 0; i < 150; i++)
        for (c = 0; c < (int)gputune_space_count(space); c += 1 + i % 2) {
            gputune_config config = gputune_space_at(space, (uint64_t)c);
            x = exp2(6 + 0.12 * i);
            adapt_add(a, &x, &config,
                                adapt_steps(&x, &config) *
                                    exp(0.03 * gt__random_normal(&random)));
        }
    for (i = 0; i < 50; i++) {
        x = 1.01 * exp2(6.5 + 0.34 * i);
        if (fabs(x - 4096) > 600 && fabs(x - 262144) > 40000 && fabs(x - 20000) > 3000)
            worst = fmin(worst, adapt_fraction(a, &x, adapt_steps));
    }
    CHECK(worst > 0.85);
    adapt_close(a);
}

// One is a little faster than the default for small inputs, much faster for large ones.
static double adapt_hardly(const double *x, const gputune_config *config)
{
    const int64_t b = gputune_config_int(config, "B");
    return b == 256 ? (x[0] < 3000 ? 0.99 : 0.6) : b == 64 ? 1 : 1.5;
}

// Where 1 % is to be gained the default stays.
static void test_adapt_hardly(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gt__scores report;
    gputune_prediction p;
    double x = 700;
    adapt_fill_sizes(a, 6, 16, adapt_hardly, 0);
    CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
    CHECK(a->p->report.model);
    CHECK_INT(gputune_config_int(&p.config, "B"), 64);
    CHECK_NEAR(p.speedup, 1, 1e-9);
    x = 40000;
    CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&p.config, "B"), 256);
    CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
    CHECK(report.model);
    CHECK(report.score.worst_to_default >= 0.999);
    adapt_close(a);
}

// As adapt_slope, but for one size, where the worst is the best.
static double adapt_exception(const double *x, const gputune_config *config)
{
    const double value = adapt_slope(x, config);
    return x[0] > 2000 && x[0] < 3000 ? 1e-6 / value : value;
}

// What was left out was not seen: an exception cannot be predicted, nor values without a pattern.
static void test_adapt_validate(void)
{
    double reported = 0;
    uint64_t seed;
    adapt_model *a;
    gt__scores r;
    for (seed = 1; seed <= 3; seed++) {
        a = adapt_patternless(seed);
        CHECK_INT(adapt_learn(a, &r), GPUTUNE_OK);
        reported += log(r.score.fraction);
        adapt_close(a);
    }
    CHECK(exp(reported / 3) < 0.85); // a random choice has 0.63 on average
    a = adapt_open(adapt_n, 1);
    adapt_fill_sizes(a, 6, 18, adapt_exception, 0);
    CHECK_INT(adapt_learn(a, &r), GPUTUNE_OK);
    CHECK(r.score.worst < 0.6);
    adapt_close(a);
}

// What is launched without having been tuned.
static void test_adapt_trusted(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gputune_prediction p;
    double x = 1.1e6, other = 70;
    adapt_fill_sizes(a, 6, 24, adapt_slope, 0);
    CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
    CHECK(a->p->report.model);
    CHECK(gt__predict_trusted(a->p, &p));
    p.speedup = 1.19; // it promises little
    CHECK(!gt__predict_trusted(a->p, &p));
    p.speedup = 1.2;
    CHECK(gt__predict_trusted(a->p, &p));
    a->p->report.score.worst_to_default = 0.97; // it has once lost to the default
    CHECK(!gt__predict_trusted(a->p, &p));
    a->p->report.score.worst_to_default = 0.99;
    CHECK(gt__predict_trusted(a->p, &p));
    p.extrapolated = true;
    CHECK(!gt__predict_trusted(a->p, &p));
    p.extrapolated = false;
    {
        gputune_config standard = gputune_space_default(a->space);
        CHECK_INT(adapt_add(a, &other, &standard, 1), GPUTUNE_OK);
        CHECK_INT(adapt_learn(a, NULL), GPUTUNE_OK);
        a->p->report.score.worst_to_default = 0.99;
        CHECK(gt__predict_trusted(a->p, &p));
        CHECK_INT(adapt_add(a, &other, &p.config, NAN), GPUTUNE_OK); // failed somewhere
        CHECK_INT(adapt_learn(a, NULL), GPUTUNE_OK);
        a->p->report.score.worst_to_default = 0.99;
        CHECK(!gt__predict_trusted(a->p, &p));
    }
    adapt_close(a);
}

// The order in which things are added does not matter.
static void adapt_check_order(adapt_function f)
{
    gputune_config first[20];
    int round, i;
    for (round = 0; round < 3; round++) {
        adapt_model *a = adapt_open(adapt_n, 1);
        const gputune_space *space = a->space;
        const uint64_t configs = gputune_space_count(space), count = 12 * configs;
        gt__shuffle shuffle;
        gputune_prediction p;
        uint64_t at;
        gt__shuffle_init(&shuffle, count, (uint64_t)round + 1);
        for (at = 0; at < count; at++) {
            uint64_t item = gt__shuffle_at(&shuffle, at);
            gputune_config config = gputune_space_at(space, item % configs);
            double x = exp2((double)(item / configs) + 6);
            adapt_add(a, &x, &config, f(&x, &config));
        }
        for (i = 0; i < 20; i++) {
            double x = 1.3 * exp2(0.5 * i + 6);
            CHECK_INT(adapt_predict(a, &x, &p), GPUTUNE_OK);
            if (!round) first[i] = p.config;
            CHECK(memcmp(p.config.choice, first[i].choice, sizeof p.config.choice) == 0);
        }
        adapt_close(a);
    }
}

static void test_adapt_order(void)
{
    adapt_check_order(adapt_steps);
    adapt_check_order(adapt_ties);
}

// The same input and configuration again replaces the value; a failure does not.
static void test_adapt_again(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gt__scores report;
    gputune_config config = gputune_space_default(a->space);
    double x = 4;
    CHECK_INT(adapt_add(a, &x, &config, 2), GPUTUNE_OK);
    config.choice[0] = 0;
    CHECK_INT(adapt_add(a, &x, &config, 3), GPUTUNE_OK);
    CHECK_INT(adapt_add(a, &x, &config, 1), GPUTUNE_OK);
    CHECK_INT(adapt_add(a, &x, &config, NAN), GPUTUNE_OK);
    CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
    CHECK_INT(adapt_known(a, false), 2);
    CHECK_INT(adapt_known(a, true), 0);
    CHECK_NEAR(a->p->inputs[0].best, 1, 0);
    adapt_close(a);
}

static void test_adapt_errors(void)
{
    static const gputune_param other[] = { { "n", NULL, NULL }, { "B", NULL, NULL } };
    static const gputune_param only[] = { { "B", NULL, NULL },
                                          { "U", NULL, NULL },
                                          { "K", adapt_kinds, NULL } };
    adapt_model *a = adapt_open(adapt_n_kind, 2);
    gputune_config config = gputune_space_default(a->space);
    gputune_prediction p;
    gt__scores r;
    double x[2] = { 1, 0 };
    const double row[5] = { 1, 0, 48, 1, 0 };
    CHECK_INT(adapt_add(a, x, &config, 1), GPUTUNE_OK);
    CHECK_INT(gputune_samples_add(a->data, row, NULL, 1), GPUTUNE_OK); // B is never 48
    CHECK_INT(adapt_learn(a, &r), GPUTUNE_OK);
    CHECK_INT(adapt_known(a, false), 1);
    x[0] = NAN;
    CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(a->error.text, "n is");
    x[0] = 1;
    x[1] = 3;
    CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(a->error.text, "kind");
    x[1] = 2;
    CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_OK);
    CHECK_INT(adapt_add(a, x, &config, 0), GPUTUNE_OK); // no time
    CHECK_INT(adapt_predict(a, x, &p), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(a->error.text, "not above 0");
    gputune_samples_destroy(a->data);
    a->data = samples_of(NULL, other, 2, NULL);
    CHECK_INT(adapt_learn(a, NULL), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(a->error.text, "no column U");
    gputune_samples_destroy(a->data);
    a->data = samples_of(NULL, only, 3, NULL);
    CHECK_INT(adapt_learn(a, NULL), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(a->error.text, "no column beside");
    gputune_samples_destroy(a->data);
    a->data = samples_of(NULL, NULL, 0, NULL);
    CHECK_INT(adapt_learn(a, NULL), GPUTUNE_ERROR_ARGUMENT);
    adapt_close(a);
    gputune_predictor_destroy(NULL);
}

// What is added later is learned, too, by whatever is asked next; an error stays none of theirs.
static void test_adapt_grown(void)
{
    adapt_model *a = adapt_open(adapt_n, 1);
    gputune_predictor_desc desc;
    gputune_predictor *p;
    gputune_prediction found;
    gputune_config slow = gputune_space_default(a->space), fast = slow;
    double x = 3;
    int e;
    fast.choice[0]++;
    CHECK_INT(gputune_samples_add(a->data, &x, &fast, 1), GPUTUNE_OK);
    CHECK_INT(gputune_samples_add(a->data, &x, &slow, 5), GPUTUNE_OK);
    CHECK_INT(gputune_samples_add(a->data, NULL, &slow, 5), GPUTUNE_ERROR_ARGUMENT);
    memset(&desc, 0, sizeof desc);
    desc.space = a->space;
    desc.samples = a->data;
    p = gputune_predictor_create(&desc);
    CHECK_TEXT(gputune_predictor_error(p)->text, "");
    CHECK_INT(gputune_predictor_predict(p, &x, &found), GPUTUNE_OK);
    CHECK(found.speedup == 1);
    CHECK_INT(gputune_predictor_score(p).inputs, 0);
    for (e = 3; e <= 8; e++) {
        x = exp2(e);
        CHECK_INT(gputune_samples_add(a->data, &x, &slow, 5), GPUTUNE_OK);
        CHECK_INT(gputune_samples_add(a->data, &x, &fast, 1), GPUTUNE_OK);
    }
    CHECK_INT(gputune_predictor_score(p).inputs, 7);
    CHECK_INT(gputune_predictor_predict(p, &x, &found), GPUTUNE_OK);
    CHECK(found.speedup > 1 && found.config.choice[0] == fast.choice[0]);
    x = 2000;
    CHECK_INT(gputune_predictor_predict(p, &x, &found), GPUTUNE_OK);
    CHECK(found.extrapolated);
    CHECK_INT(gputune_samples_add(a->data, &x, &slow, 5), GPUTUNE_OK);
    CHECK_HAS(gputune_predictor_score(p).text, "7 inputs left out");
    CHECK_INT(gputune_predictor_predict(p, &x, &found), GPUTUNE_OK);
    CHECK(!found.extrapolated);
    x = -1;
    CHECK_INT(gputune_samples_add(a->data, &x, &slow, 0), GPUTUNE_OK);
    CHECK_INT(gputune_predictor_predict(p, &x, &found), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_predictor_error(p)->text, "not above 0");
    gputune_predictor_destroy(p);
    adapt_close(a);
}

// With so much memory.
static adapt_model *adapt_open_within(search_memory *memory, const gputune_param *features,
                                      int count)
{
    gputune_options options;
    memset(&options, 0, sizeof options);
    options.reallocate = search_reallocate;
    options.user = memory;
    return adapt_open_with(adapt_params, NULL, features, count, &options);
}

static const gputune_param adapt_few[] = { { "B", "set 1,2,3", "1" }, { NULL, NULL, NULL } };

static adapt_model *adapt_open_few(void)
{
    return adapt_open_with(adapt_few, NULL, adapt_n, 1, NULL);
}

// Between sizes so close that no number lies between what models see of them, a tree still ends.
static void test_adapt_close_sizes(void)
{
    double sizes[4] = { 1e15, 1e15, 3, 5000 }, middle;
    adapt_model *a = adapt_open_few();
    gputune_prediction p;
    int i, c;
    do {
        double low, high;
        sizes[0] = sizes[1];
        sizes[1] = sizes[0] + 1;
        low = test_double(gt__predictor_scale(sizes[0]));
        high = test_double(gt__predictor_scale(sizes[1]));
        middle = low < high && !(test_double(low + (high - low) / 2) < high);
    } while (middle == 0);
    for (i = 0; i < 4; i++)
        for (c = 0; c < 3; c++) {
            gputune_config config = gputune_space_at(a->space, (uint64_t)c);
            double value = i < 2 ? (c == 1 + i ? 1 : c == 0 ? 3 : 5) : c == 0 ? 1 : 3;
            CHECK_INT(adapt_add(a, &sizes[i], &config, value), GPUTUNE_OK);
        }
    CHECK_INT(adapt_predict(a, &sizes[2], &p), GPUTUNE_OK);
    CHECK_INT(gputune_config_int(&p.config, "B"), 1);
    adapt_close(a);
}

// Where the default was never measured, giving it is no failure of the model's.
static void test_adapt_no_default(void)
{
    adapt_model *a = adapt_open_few();
    gt__scores report;
    int i, c;
    for (i = 0; i < 6; i++)
        for (c = 1; c < 3; c++) {
            gputune_config config = gputune_space_at(a->space, (uint64_t)c);
            double x = 1000 << i;
            CHECK_INT(adapt_add(a, &x, &config, 1 + 0.005 * c), GPUTUNE_OK);
        }
    CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
    CHECK(report.score.inputs == 0 || report.score.fraction > 0.99);
    CHECK(strstr(gputune_predictor_score(a->p).text, "0.000") == NULL);
    adapt_close(a);
}

// Of more inputs than are left out one by one, the order of adding does not matter either.
static void test_adapt_order_folds(void)
{
    enum { COUNT = 40 };
    double fractions[2];
    int way, i, c;
    for (way = 0; way < 2; way++) {
        adapt_model *a = adapt_open(adapt_n, 1);
        gt__scores report;
        for (i = 0; i < COUNT; i++)
            for (c = 0; c < 12; c++) {
                int input = way ? i * 7 % COUNT : i;
                double x = 1000.0 * (input + 1);
                gputune_config config = gputune_space_at(a->space, (uint64_t)c * 3);
                double value = 1 + 0.1 * fabs(c - input / 4.0) + 0.3 * adapt_random(input, c, 3);
                CHECK_INT(adapt_add(a, &x, &config, value), GPUTUNE_OK);
            }
        CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
        fractions[way] = report.score.fraction;
        adapt_close(a);
    }
    CHECK(fractions[0] == fractions[1]);
}

// Scores tell of inputs that had no part in anything: where each input has other configurations
// measured and times are chance, learning says no better of itself than learning anew without each.
static void test_adapt_score_alone(void)
{
    double reported = 0, validated = 0;
    int round, i, c;
    for (round = 0; round < 12; round++) {
        adapt_model *a = adapt_open(adapt_n, 1);
        const gputune_space *space = a->space;
        gt__scores report;
        double logs = 0;
        uint64_t state = (uint64_t)round + 5;
        for (i = 0; i < 12; i++) {
            gputune_config config = gputune_space_default(space);
            double x = 100 + (double)gt__random_below(&state, 100000);
            adapt_add(a, &x, &config, 1);
            for (c = 0; c < 12; c++) {
                config = gputune_space_at(
                    space, gt__random_below(&state, gputune_space_count(space)));
                adapt_add(a, &x, &config,
                                    exp(1.2 * (gt__random_unit(&state) - 0.5)));
            }
        }
        CHECK_INT(adapt_learn(a, &report), GPUTUNE_OK);
        reported += log(report.score.fraction);
        for (i = 0; i < 12; i++)
            logs += log(a->p->inputs[i].best / adapt_left_out(a, i));
        validated += logs / 12;
        adapt_close(a);
    }
    CHECK_NEAR(reported / 12, validated / 12, 0.05);
}

// Every allocation fails once: an error or a result as without, and nothing leaks.
static void test_adapt_memory(void)
{
    char path[128];
    long limit, used = 0;
    int succeeded = 0;
    tune_temp();
    snprintf(path, sizeof path, "%s/samples.csv", tune_folder);
    for (limit = 0; !succeeded && limit < 100000; limit += limit < 600 ? 1 : 23) {
        search_memory memory = { limit, 0 };
        adapt_model *a = adapt_open_within(&memory, adapt_n_kind, 2);
        gputune_predictor_desc desc;
        gputune_predictor *p = NULL;
        gputune_prediction prediction;
        gputune_config config;
        gputune_result result = a ? gputune_samples_error(a->data)->result : GPUTUNE_ERROR_MEMORY;
        int i, c;
        double x[2] = { 0, 0 };
        for (i = 0; i < 4 && result == GPUTUNE_OK; i++)
            for (c = 0; c < 36 && result == GPUTUNE_OK; c += 5) {
                config = gputune_space_at(a->space, (uint64_t)c);
                x[0] = exp2(2 * i);
                x[1] = i % 2;
                result = adapt_add(a, x, &config, adapt_kind(x, &config));
            }
        x[0] = 10;
        if (result == GPUTUNE_OK) {
            memset(&desc, 0, sizeof desc);
            desc.space = a->space;
            desc.samples = a->data;
            p = gputune_predictor_create(&desc);
            result = gputune_predictor_error(p)->result;
        }
        if (result == GPUTUNE_OK) result = gputune_predictor_predict(p, x, &prediction);
        CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
        gputune_predictor_destroy(p);
        if (a) adapt_close(a);
        CHECK_INT(memory.alive, 0);
        succeeded = result == GPUTUNE_OK;
        used = limit;
    }
    CHECK(succeeded && used > 100);
    tune_clean();
}

// --- gputune_run and gputune_tune ---

typedef struct adapt_world {
    tune_rig rig;
    int n;             // of the call
    int launches, fail_above; // configurations above this block fail; 0: none
    bool flat;         // the default is the best
    char first[64];    // the first configuration after the default that is timed
} adapt_world;

// The best block is n / 256 within its values; the default's is 32.
static double adapt_run_formula(const gputune_config *config, int n, bool flat)
{
    double best = flat ? 5 : log2((double)n) - 8;
    double off = log2((double)gputune_config_int(config, "B")) -
                 (best < 3 ? 3 : best > 9 ? 9 : best);
    double u = (double)gputune_config_int(config, "U") - (flat ? 1 : 4);
    return 1e-8 * n * (1 + 0.2 * off * off + 0.1 * fabs(u));
}

static void adapt_run_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    adapt_world *w = (adapt_world *)user;
    char text[64];
    gputune_config_text(config, text, sizeof text);
    trial->seconds = adapt_run_formula(config, w->n, w->flat);
    trial->compile_seconds = 0.01;
    if (!test_launch(trial)) return;
    w->launches++;
    if (!w->first[0] && strcmp(text, "B=32 U=1") != 0)
        snprintf(w->first, sizeof w->first, "%s", text);
    if (w->fail_above && gputune_config_int(config, "B") > w->fail_above)
        trial->result = GPUTUNE_ERROR_LAUNCH;
}

static void adapt_world_init(adapt_world *w, const char *store)
{
    memset(w, 0, sizeof *w);
    tune_rig_init(&w->rig, store);
    w->rig.replay.trial = adapt_run_trial;
    w->rig.replay.user = w;
    w->rig.replay.options.tuning_seconds = 1e6; // further problems do not wait
}

static gputune_outcome adapt_tune(adapt_world *w, int n)
{
    gputune_outcome o;
    w->n = n;
    w->first[0] = 0;
    w->launches = 0;
    tune_args(&w->rig, n);
    w->rig.log.used = 0;
    w->rig.log.text[0] = 0;
    CHECK_INT(test_tunes(w->rig.kernel, w->rig.args, 4, &o), GPUTUNE_OK);
    return o;
}

// Tunes sizes 2^from, 2^(from + 2) ... into the store.
static void adapt_tune_sizes(const char *store, int from, int to, bool flat)
{
    adapt_world w;
    int e;
    adapt_world_init(&w, store);
    w.flat = flat;
    tune_open(&w.rig);
    for (e = from; e <= to; e += 2) adapt_tune(&w, 1 << e);
    tune_close(&w.rig);
}

// With several sizes in the store another one's search begins with the prediction, not with the
// nearest size's answer, and the log says so.
static void test_adapt_run_hint(void)
{
    adapt_world w;
    gputune_outcome o;
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 17, false);
    adapt_world_init(&w, tune_store);
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_HAS(w.rig.log.text, "n=2^14: from 4 other problems: B=64 U=4");
    CHECK_TEXT(w.first, "B=64 U=4");
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(o.trials, 52);
    o = adapt_tune(&w, 1 << 20); // outside, but known by now: five
    CHECK_HAS(w.rig.log.text, "from 5 other problems");
    CHECK_HAS(w.rig.log.text, "outside of what was measured");
    tune_close(&w.rig);
    tune_clean();
}

// Behind the prediction come the configurations that add most to it, by the others' trials.
static void test_adapt_run_starts(void)
{
    adapt_world w;
    gputune_outcome o;
    int i;
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 17, false);
    adapt_world_init(&w, tune_store);
    w.rig.desc.tune.budget.trials = 30;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_INT(o.trials, 4);
    for (i = 1; i < 4; i++) {
        const gputune_config *config = &gputune_kernel_trial(w.rig.kernel, i)->config;
        CHECK_INT(gputune_config_int(config, "B"), i == 1 ? 64 : i == 2 ? 128 : 32);
        CHECK_INT(gputune_config_int(config, "U"), 4);
    }
    tune_close(&w.rig);
    tune_clean();
}

// Two are enough, one is not: then the nearest one's answer is where the search begins.
static void test_adapt_run_few(void)
{
    adapt_world w;
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 11, false);
    adapt_world_init(&w, tune_store);
    tune_open(&w.rig);
    adapt_tune(&w, 1 << 17);
    CHECK(strstr(w.rig.log.text, "other problems") == NULL);
    CHECK_TEXT(w.first, "B=8 U=4");
    adapt_tune(&w, 1 << 14);
    CHECK_HAS(w.rig.log.text, "from 2 other problems");
    tune_close(&w.rig);
    tune_clean();
}

// Few trials: the prediction is raced with the default; none: it is verified, and runs.
static void test_adapt_run_refine(void)
{
    adapt_world w;
    gputune_outcome o;
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 17, false);
    adapt_world_init(&w, tune_store);
    w.rig.desc.tune.refine = 1;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_INT(o.trials, 2);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK(o.speedup > 1.1);
    tune_close(&w.rig);
    // What was measured is learned from.
    adapt_world_init(&w, tune_store);
    w.rig.desc.tune.refine = -1;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 16);
    CHECK_HAS(w.rig.log.text, "from 5 other problems");
    CHECK_INT(o.origin, GPUTUNE_FROM_MODEL);
    CHECK_HAS(o.note, "predicted: ");
    CHECK(w.launches > 0 && w.launches < 20); // it was verified
    CHECK_INT(o.trials, 0);
    CHECK(gputune_config_int(&o.config, "B") >= 128 && gputune_config_int(&o.config, "B") <= 512);
    CHECK_INT(gputune_config_int(&o.config, "U"), 4);
    o = adapt_tune(&w, 1 << 20); // outside: it is tuned
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    tune_close(&w.rig);
    tune_clean();
}

// Where nothing may be tuned a trusted prediction runs, else the default.
static void test_adapt_run_readonly(void)
{
    adapt_world w;
    gputune_outcome o;
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 17, false);
    adapt_world_init(&w, tune_store);
    w.rig.replay.options.mode = GPUTUNE_MODE_READONLY;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_INT(o.origin, GPUTUNE_FROM_MODEL);
    tune_expect(&o, "B=64 U=4");
    CHECK(w.launches > 0 && w.launches < 20); // it was verified
    w.launches = 0;
    CHECK_INT(gputune_run(w.rig.kernel, w.rig.args, 4), GPUTUNE_OK);
    CHECK_INT(w.launches, 1);
    o = adapt_tune(&w, 1 << 20);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(o.note, "read-only");
    tune_close(&w.rig);
    // exact: variants may be wrong at other sizes.
    adapt_world_init(&w, tune_store);
    w.rig.replay.options.mode = GPUTUNE_MODE_READONLY;
    w.rig.desc.tune.problem = "exact";
    tune_open(&w.rig);
    o = adapt_tune(&w, 5000);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    tune_close(&w.rig);
    // off: nothing is looked up.
    adapt_world_init(&w, tune_store);
    w.rig.replay.options.mode = GPUTUNE_MODE_OFF;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    tune_close(&w.rig);
    tune_clean();
}

// What failed at one size is not launched unverified at another; a prediction that cannot be
// launched gives way to the default.
static void test_adapt_run_fails(void)
{
    adapt_world w;
    gputune_outcome o;
    tune_temp();
    adapt_world_init(&w, tune_store);
    tune_open(&w.rig);
    adapt_tune(&w, 1 << 11);
    adapt_tune(&w, 1 << 13);
    adapt_tune(&w, 1 << 15);
    w.fail_above = 32;
    adapt_tune(&w, 1 << 17);
    tune_close(&w.rig);
    adapt_world_init(&w, tune_store);
    w.rig.replay.options.mode = GPUTUNE_MODE_READONLY;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 16);
    CHECK(o.origin == GPUTUNE_FROM_DEFAULT || gputune_config_int(&o.config, "B") <= 32);
    tune_close(&w.rig);
    tune_clean();
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 17, false);
    adapt_world_init(&w, tune_store);
    w.rig.replay.options.mode = GPUTUNE_MODE_READONLY;
    w.fail_above = 32;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(w.rig.log.text, "the default runs for one class of calls");
    w.rig.log.text[0] = 0;
    CHECK_INT(gputune_run(w.rig.kernel, w.rig.args, 4), GPUTUNE_OK); // and no word more
    CHECK_TEXT(w.rig.log.text, "");
    tune_close(&w.rig);
    tune_clean();
}

// Where the default is the best, the model says so and the default runs.
static void test_adapt_run_default(void)
{
    adapt_world w;
    gputune_outcome o;
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 17, true);
    adapt_world_init(&w, tune_store);
    w.rig.replay.options.mode = GPUTUNE_MODE_READONLY;
    w.flat = true;
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(w.rig.log.text, "no model is better");
    tune_close(&w.rig);
    tune_clean();
}

// Without journals (a store that was copied) the answers alone are learned from.
static void test_adapt_run_no_journals(void)
{
    adapt_world w;
    gputune_outcome o;
    char command[200];
    tune_temp();
    adapt_tune_sizes(tune_store, 11, 17, false);
    snprintf(command, sizeof command, "rm -r '%s.journal'", tune_store);
    CHECK_INT(system(command), 0);
    adapt_world_init(&w, tune_store);
    tune_open(&w.rig);
    o = adapt_tune(&w, 1 << 14);
    CHECK_HAS(w.rig.log.text, "from 4 other problems");
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    tune_expect(&o, "B=64 U=4");
    tune_close(&w.rig);
    tune_clean();
}

// Ask/tell, by the problem's text.
static void test_adapt_tuner(void)
{
    static const char *const problems[] = { "n=1024 k=3", "n=4096 k=3", "n=16384 k=3" };
    gputune_tuner_desc desc;
    gputune_tuner *t;
    gputune_config config;
    char text[128];
    int i;
    tune_temp();
    memset(&desc, 0, sizeof desc);
    desc.space.options.store = tune_store;
    desc.space.params = tune_params;
    desc.name = "loop";
    for (i = 0; i < 3; i++) {
        desc.tune.problem = problems[i];
        t = gputune_tuner_create(&desc);
        while (test_asks(t, &config))
            gputune_tell(t, &config, adapt_run_formula(&config, 1024 << (2 * i), false));
        CHECK_INT(gputune_tuner_best(t, &config), GPUTUNE_OK);
        gputune_tuner_destroy(t);
    }
    desc.tune.problem = "n=4000 k=3";
    t = gputune_tuner_create(&desc);
    CHECK(test_asks(t, &config));
    gputune_tell(t, &config, adapt_run_formula(&config, 4096, false));
    CHECK(test_asks(t, &config));
    CHECK_TEXT(gputune_config_text(&config, text, sizeof text), "B=16 U=4");
    gputune_tell(t, &config, 1);
    gputune_tuner_destroy(t);
    tune_clean();
}

// --- what relatives' answers and people say of where a search begins

static int relative_far; // the optimum is elsewhere

static double relative_formula(const gputune_config *config)
{
    const int a = (int)gputune_config_int(config, "A"), b = (int)gputune_config_int(config, "B");
    const int c = (int)gputune_config_int(config, "C");
    if (relative_far) return 1.0 + abs(a - 9) + abs(b - 1) + abs(c - 8);
    return 1.0 + abs(a - 3) + abs(b - 4) + abs(c - 5);
}

static search_memory *relative_memory; // what a tuner allocates through, or NULL
static const char *relative_problem;

static gputune_tuner *relative_open(const char *device, const char *store, const char *shared,
                                    const char *starts, tune_log *log)
{
    static const gputune_param params[] = { { "A", "range 0,9", NULL }, { "B", "range 0,9", NULL },
                                            { "C", "range 0,9", NULL }, { NULL, NULL, NULL } };
    static const char *const require[] = { "A + B < 16", NULL };
    gputune_limits limits;
    gputune_tuner_desc desc;
    memset(&limits, 0, sizeof limits);
    memset(&desc, 0, sizeof desc);
    memset(log, 0, sizeof *log);
    snprintf(limits.name, sizeof limits.name, "%s", device);
    desc.name = "cube";
    desc.race = -1;
    desc.space.params = params;
    desc.space.require = require;
    desc.space.limits = &limits;
    desc.space.options.store = store;
    desc.space.options.shared_store = shared;
    desc.space.options.log = tune_logger;
    desc.space.options.user = log;
    if (relative_memory) desc.space.options.reallocate = search_reallocate;
    if (relative_memory) desc.space.options.user = relative_memory;
    if (relative_memory) desc.space.options.quiet = true, desc.space.options.log = NULL;
    desc.tune.problem = relative_problem;
    desc.tune.starts = starts;
    desc.tune.budget.trials = 100;
    desc.tune.budget.all = true;
    return gputune_tuner_create(&desc);
}

// Asks for so many and answers them; in `asked` all but the first, which is the default.
static void relative_ask(gputune_tuner *t, gputune_config *asked, int count)
{
    gputune_config config;
    int i;
    for (i = 0; i <= count && test_asks(t, &config); i++) {
        if (i) asked[i - 1] = config;
        gputune_tell(t, &config, relative_formula(&config));
    }
    CHECK_INT(i, count + 1);
}

static int relative_apart(const gputune_config *a, const gputune_config *b)
{
    int i, apart = 0;
    for (i = 0; i < 3; i++) apart += a->choice[i] != b->choice[i];
    return apart;
}

// An answer keeps the ten best that differ in two values or more. A search on another device begins
// with the five best, in a shipped store, too, and its answer is its own.
static void test_adapt_relatives(void)
{
    gputune_config asked[99], config;
    gputune_tuner *t;
    const gt__entry *entry;
    gt__store *store;
    gt__base b;
    tune_log log;
    const char *tried;
    char shipped[200], text[64], best[64];
    double value = 0, last = 0;
    int way, i, k, at = 0, kept[10][3];
    tune_temp();
    snprintf(shipped, sizeof shipped, "%s/shipped.txt", tune_folder);
    t = relative_open("one", shipped, NULL, NULL, &log);
    relative_ask(t, asked, 99);
    CHECK(!test_asks(t, &config));
    CHECK_INT(gputune_tuner_best(t, &config), GPUTUNE_OK);
    gputune_config_text(&config, best, sizeof best);
    gputune_tuner_destroy(t);
    gt__base_init(&b, NULL);
    store = gt__store_open(&b, shipped);
    entry = gt__store_next(store, "cube", &at);
    tried = entry->tried;
    CHECK(gt__tried_next(&tried, text, sizeof text, &value)); // the default's
    for (i = 0; i < 10; i++) {
        CHECK(gt__tried_next(&tried, text, sizeof text, &value));
        CHECK(value >= last);
        last = value;
        if (i == 0) CHECK_TEXT(text, best);
        CHECK_INT(sscanf(text, "A=%d B=%d C=%d", &kept[i][0], &kept[i][1], &kept[i][2]), 3);
        for (k = 0; k < i; k++)
            CHECK((kept[i][0] != kept[k][0]) + (kept[i][1] != kept[k][1]) +
                  (kept[i][2] != kept[k][2]) >= 2);
    }
    for (k = 0; gt__tried_next(&tried, text, sizeof text, &value); k++) continue;
    CHECK(k >= 40 && k <= 64); // of the others every second
    gt__store_close(store);
    for (way = 0; way < 2; way++) {
        t = relative_open("two", way ? tune_store : shipped, way ? shipped : NULL, NULL, &log);
        relative_ask(t, asked, 5);
        CHECK_TEXT(gputune_config_text(&asked[0], text, sizeof text), best);
        for (i = 0; i < 5; i++)
            for (k = 0; k < i; k++) {
                CHECK(relative_apart(&asked[i], &asked[k]) >= 2);
                CHECK(relative_formula(&asked[i]) >= relative_formula(&asked[k]));
            }
        CHECK(relative_formula(&asked[4]) < 8);
        CHECK_INT(gputune_tuner_outcome(t)->origin, GPUTUNE_FROM_TUNING);
        gputune_tuner_destroy(t);
    }
    tune_clean();
}

// A shipped store that has the same two answers does not have them counted twice.
static void test_adapt_relatives_twice(void)
{
    static const char *const devices[] = { "one", "two" };
    gputune_config asked[99];
    gputune_tuner *t;
    char shipped[200], command[500], text[64], first[5][64];
    tune_log log;
    int i, way;
    tune_temp();
    snprintf(shipped, sizeof shipped, "%s/shipped.txt", tune_folder);
    relative_problem = "n=1000";
    for (i = 0; i < 2; i++) {
        t = relative_open(devices[i], tune_store, NULL, i ? "A=9 B=0 C=9; A=9 B=1 C=8" : NULL,
                          &log);
        relative_far = i;
        relative_ask(t, asked, 99);
        CHECK(!test_asks(t, &asked[0]));
        CHECK_INT(gputune_tuner_best(t, &asked[0]), GPUTUNE_OK); // saves it
        gputune_tuner_destroy(t);
    }
    relative_far = 0;
    relative_problem = "n=2000"; // its own device's answer is the nearest
    snprintf(command, sizeof command, "cp %s %s", tune_store, shipped);
    CHECK_INT(system(command), 0);
    for (way = 0; way < 2; way++) {
        t = relative_open("one", tune_store, way ? shipped : NULL, NULL, &log);
        relative_ask(t, asked, 5);
        for (i = 0; i < 5; i++) {
            gputune_config_text(&asked[i], text, sizeof text);
            if (way) CHECK_TEXT(text, first[i]);
            snprintf(first[i], sizeof first[i], "%s", text);
        }
        CHECK(strcmp(first[0], "A=3 B=4 C=5") == 0 && strcmp(first[1], "A=9 B=1 C=8") == 0);
        gputune_tuner_destroy(t);
        snprintf(command, sizeof command, "rm -r %s.journal", tune_store);
        CHECK_INT(system(command), 0);
    }
    relative_problem = NULL;
    tune_clean();
}

// Every allocation fails once: no tuner, or one that begins with what was named, then with a
// relative's; nothing leaks.
static void test_adapt_relatives_memory(void)
{
    search_memory memory;
    gputune_config asked[99], config;
    gputune_tuner *t;
    tune_log log;
    char text[64], best[64];
    long limit;
    int i;
    bool whole = false;
    tune_temp();
    t = relative_open("one", tune_store, NULL, NULL, &log);
    relative_ask(t, asked, 99);
    CHECK(!test_asks(t, &config));
    CHECK_INT(gputune_tuner_best(t, &config), GPUTUNE_OK); // saves it
    gputune_tuner_destroy(t);
    relative_memory = &memory;
    for (limit = 0; !whole && limit < 2000; limit++) {
        memory.left = limit;
        memory.alive = 0;
        snprintf(text, sizeof text, "two %ld", limit); // with no trial log yet
        t = relative_open(text, tune_store, NULL, "A=1; A=2; A=4; A=5; A=6; A=7; A=8", &log);
        for (i = 0; t && i < 9 && test_asks(t, &config); i++) {
            snprintf(text, sizeof text, "A=%d B=0 C=0", i + (i > 2));
            if (i < 8) CHECK_TEXT(gputune_config_text(&config, best, sizeof best), text);
            if (i == 8) CHECK_NEAR(relative_formula(&config), 1, 0);
            gputune_tell(t, &config, 9);
        }
        whole = i == 9;
        gputune_tuner_destroy(t);
        CHECK_INT(memory.alive, 0);
    }
    CHECK(whole && limit > 50);
    relative_memory = NULL;
    tune_clean();
}

// In a space of one parameter relatives give five starts, too.
static void test_adapt_relatives_one(void)
{
    static const gputune_param params[] = { { "A", "range 0,99", NULL }, { NULL, NULL, NULL } };
    static const char *const devices[] = { "one", "two" };
    gputune_limits limits;
    gputune_tuner_desc desc;
    gputune_config config;
    int way, i;
    memset(&desc, 0, sizeof desc);
    memset(&limits, 0, sizeof limits);
    tune_temp();
    desc.name = "line";
    desc.race = -1;
    desc.space.params = params;
    desc.space.limits = &limits;
    desc.space.options.store = tune_store;
    desc.space.options.quiet = true;
    desc.tune.budget.trials = 100;
    for (way = 0; way < 2; way++) {
        gputune_tuner *t;
        snprintf(limits.name, sizeof limits.name, "%s", devices[way]);
        t = gputune_tuner_create(&desc);
        for (i = 0; i < (way ? 6 : 100) && test_asks(t, &config); i++) {
            const int a = (int)gputune_config_int(&config, "A");
            if (way && i) CHECK_OR(abs(a - 50) == i / 2, "start %d: %d", i, a);
            gputune_tell(t, &config, 1 + abs(a - 50));
        }
        CHECK_INT(i, way ? 6 : 100);
        if (!way) CHECK(!test_asks(t, &config));
        if (!way) CHECK_INT(gputune_tuner_best(t, &config), GPUTUNE_OK);
        gputune_tuner_destroy(t);
    }
    tune_clean();
}

// Two that share a search try each start once between them, though both are told of all. Each
// measures the default.
static void test_adapt_starts_shared(void)
{
    gputune_tuner *t[2];
    gputune_config config;
    tune_log log;
    char text[64], seen[500] = "";
    int i;
    tune_temp();
    for (i = 0; i < 2; i++)
        t[i] = relative_open("one", tune_store, NULL, "A=1; A=2; A=4; A=5; A=6", &log);
    for (i = 0; i < 7; i++) {
        CHECK(test_asks(t[i % 2], &config));
        gputune_config_text(&config, text, sizeof text);
        CHECK_OR(i == 1 || strstr(seen, text) == NULL, "%s once more", text);
        CHECK((config.choice[0] == 0) == (i < 2) && config.choice[1] + config.choice[2] == 0);
        snprintf(seen + strlen(seen), sizeof seen - strlen(seen), "%s;", text);
        if (i < 4) gputune_tell(t[i % 2], &config, 9); // others stay open
    }
    for (i = 0; i < 2; i++) gputune_tuner_destroy(t[i]);
    tune_clean();
}

// As long as nothing works a search goes on, however many trials have failed.
static void test_adapt_nothing_works(void)
{
    gputune_param params[] = { { "A", "range 0,99", NULL }, { "B", "range 0,9", NULL },
                               { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    gputune_config config;
    gputune_tuner *t;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.name = "fails";
    desc.race = -1;
    desc.space.params = params;
    desc.space.options.store = "";
    desc.space.options.quiet = true;
    t = gputune_tuner_create(&desc);
    for (i = 0; i < 300 && test_asks(t, &config); i++)
        if (i < 120)
            gputune_tell_failed(t, &config, GPUTUNE_ERROR_COMPILE, "no");
        else
            gputune_tell(t, &config, 1);
    CHECK_INT(i, 120 + 1 + 40);
    CHECK_TEXT(gputune_tuner_outcome(t)->note, "40 trials without a gain");
    gputune_tuner_destroy(t);
}

// Of three relatives the two that serve best are asked: the same device's with another driver, then
// the nearest size.
static void test_adapt_nearest(void)
{
    gt__key key, others[3];
    gt__entry entry;
    int i;
    memset(&key, 0, sizeof key);
    memset(&entry, 0, sizeof entry);
    key.name = "k", key.api = "a", key.device = "d", key.driver = "1", key.problem = "n=2^10";
    for (i = 0; i < 3; i++) others[i] = key;
    others[0].driver = "2";
    others[1].device = others[2].device = "e";
    others[1].problem = "n=2^12";
    others[2].problem = "n=2^14";
    for (i = 0; i < 3; i++) {
        double rate;
        entry.key = others[i];
        rate = gt__entry_rate(&entry, &key);
        CHECK(rate > 0 && rate < 4);
        if (i < 2) entry.key = others[i + 1];
        CHECK(i == 2 || gt__entry_rate(&entry, &key) < rate);
    }
    others[0].space = 1;
    entry.key = others[0];
    CHECK(gt__entry_rate(&entry, &key) < 0);
}

// What people name is tried first; what is not valid is named. The environment wins.
static void test_adapt_named(void)
{
    static const char *const garbage[] = { "", ";;;", " \t\r\n; ;", "=", "A",
                                           "A==1;%s%n\xff=\x01" };
    gputune_config asked[4];
    gputune_tuner *t;
    tune_log log;
    char text[64], spread[3000] = "";
    int i;
    t = relative_open("one", "", NULL, "A=1 B=2; A=77;; A=8 B=8; C=9", &log);
    relative_ask(t, asked, 2);
    CHECK_TEXT(gputune_config_text(&asked[0], text, sizeof text), "A=1 B=2 C=0");
    CHECK_TEXT(gputune_config_text(&asked[1], text, sizeof text), "A=0 B=0 C=9");
    CHECK_HAS(log.text, "cube: .tune.starts: no valid configuration: \" A=77\"");
    CHECK_HAS(log.text, "no valid configuration: \" A=8 B=8\"");
    gputune_tuner_destroy(t);
    memset(spread, ' ', sizeof spread - 1); // nothing is cut off
    memcpy(spread, "A=1", 3);
    memcpy(spread + sizeof spread - 5, "B=77", 5);
    t = relative_open("one", "", NULL, spread, &log);
    relative_ask(t, asked, 1);
    CHECK(gputune_config_int(&asked[0], "A") != 1 || gputune_config_int(&asked[0], "B") != 0);
    CHECK_HAS(log.text, "no valid configuration: ");
    gputune_tuner_destroy(t);
    memcpy(spread + sizeof spread - 5, " B=7", 5);
    t = relative_open("one", "", NULL, spread, &log);
    relative_ask(t, asked, 1);
    CHECK_TEXT(gputune_config_text(&asked[0], text, sizeof text), "A=1 B=7 C=0");
    gputune_tuner_destroy(t);
    for (i = 0; i < 6; i++) {
        setenv("GPUTUNE_STARTS", garbage[i], 1);
        t = relative_open("one", "", NULL, "A=1 B=2", &log);
        relative_ask(t, asked, 1);
        CHECK(gputune_config_int(&asked[0], "A") != 1 || gputune_config_int(&asked[0], "B") != 2);
        CHECK((strstr(log.text, "no valid configuration: ") != NULL) == (i >= 3));
        gputune_tuner_destroy(t);
    }
    setenv("GPUTUNE_STARTS", "B=3;D=1", 1);
    t = relative_open("one", "", NULL, "A=1 B=2", &log);
    relative_ask(t, asked, 1);
    CHECK_TEXT(gputune_config_text(&asked[0], text, sizeof text), "A=0 B=3 C=0");
    CHECK_HAS(log.text, "cube: GPUTUNE_STARTS: no valid configuration: \"D=1\"");
    CHECK(strstr(log.text, ".tune.starts") == NULL);
    gputune_tuner_destroy(t);
    unsetenv("GPUTUNE_STARTS");
}

static const test_case adapt_cases[] = {
    { "relatives", test_adapt_relatives },
    { "relatives_twice", test_adapt_relatives_twice },
    { "relatives_memory", test_adapt_relatives_memory },
    { "relatives_one", test_adapt_relatives_one },
    { "starts_shared", test_adapt_starts_shared },
    { "nothing_works", test_adapt_nothing_works },
    { "nearest", test_adapt_nearest },
    { "named", test_adapt_named },
    { "steps", test_adapt_steps },
    { "noise", test_adapt_noise },
    { "default", test_adapt_default },
    { "outside", test_adapt_outside },
    { "outside_product", test_adapt_outside_product },
    { "names", test_adapt_names },
    { "one_input", test_adapt_one_input },
    { "constant", test_adapt_constant },
    { "restrictions", test_adapt_restrictions },
    { "failures", test_adapt_failures },
    { "failed_score", test_adapt_failed_score },
    { "scores", test_adapt_scores },
    { "validate", test_adapt_validate },
    { "grown", test_adapt_grown },
    { "weights", test_adapt_weights },
    { "least", test_adapt_least },
    { "filled", test_adapt_filled },
    { "many", test_adapt_many },
    { "hardly", test_adapt_hardly },
    { "trusted", test_adapt_trusted },
    { "order", test_adapt_order },
    { "again", test_adapt_again },
    { "errors", test_adapt_errors },
    { "memory", test_adapt_memory },
    { "close_sizes", test_adapt_close_sizes },
    { "no_default", test_adapt_no_default },
    { "order_folds", test_adapt_order_folds },
    { "score_alone", test_adapt_score_alone },
    { "run_hint", test_adapt_run_hint },
    { "run_few", test_adapt_run_few },
    { "run_starts", test_adapt_run_starts },
    { "run_refine", test_adapt_run_refine },
    { "run_readonly", test_adapt_run_readonly },
    { "run_fails", test_adapt_run_fails },
    { "run_default", test_adapt_run_default },
    { "run_no_journals", test_adapt_run_no_journals },
    { "tuner", test_adapt_tuner },
    { NULL, NULL },
};
