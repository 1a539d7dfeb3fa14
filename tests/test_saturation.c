// [saturation]: what curves say, the model, when a plateau is certain; curves of kernels and tuning
// at the minimum saturation point, on the replay driver.
#include "test.h"

// --- arithmetic ---

typedef struct sat_point {
    double size, work, seconds, spread;
} sat_point;

// Points of sizes 1, 2, 4 ... with these throughputs; work is the size times 1000.
static int sat_points(sat_point *points, const double *throughput)
{
    int n;
    for (n = 0; n < GPUTUNE_CURVE_POINTS && throughput[n] >= 0; n++) {
        sat_point *p = &points[n];
        p->size = ldexp(1.0, n);
        p->work = 1000 * p->size;
        p->seconds = p->work / throughput[n];
        p->spread = 0;
    }
    return n;
}

static void sat_read(const sat_point *points, int n, double threshold, gt__reading *r)
{
    double size[GPUTUNE_CURVE_POINTS], work[GPUTUNE_CURVE_POINTS], seconds[GPUTUNE_CURVE_POINTS];
    double spread[GPUTUNE_CURVE_POINTS];
    int i;
    for (i = 0; i < n; i++) {
        size[i] = points[i].size;
        work[i] = points[i].work;
        seconds[i] = points[i].seconds;
        spread[i] = points[i].spread;
    }
    gt__curve_read(size, work, seconds, spread, n, threshold, r);
}

typedef struct sat_case {
    const char *name;
    gputune_verdict verdict;
    int msp, settled;
    double throughput[16]; // ends with a negative number
} sat_case;

static void test_saturation_verdicts(void)
{
    static const sat_case cases[] = {
        { "rises and stays", GPUTUNE_VERDICT_SATURATED, 3, 3, { 1, 2, 4, 9.5, 10, 9.9, 10, -1 } },
        { "just within", GPUTUNE_VERDICT_SATURATED, 2, 2, { 1, 2, 9, 9, 10, 9, -1 } },
        { "mvCoal", GPUTUNE_VERDICT_NOT_REACHED, 4, 4, { 1, 2, 4, 8, 16, -1 } },
        { "lasts to the end", GPUTUNE_VERDICT_NOT_REACHED, 3, 3, { 1, 2, 8.9, 10, -1 } },
        { "stencil on Tahiti", GPUTUNE_VERDICT_DECLINES, 3, 5,
          { 1, 3, 6, 10, 8, 5, 5, 5.2, 5, -1 } },
        { "falls to the end", GPUTUNE_VERDICT_DECLINES, 2, 5, { 1, 5, 10, 8, 6, 4, -1 } },
        { "slow at first, then in the cache", GPUTUNE_VERDICT_DECLINES, 1, 3,
          { 6, 10, 8, 4, 4.1, 4, -1 } },
        { "a single dip", GPUTUNE_VERDICT_TOO_NOISY, 2, 4, { 1, 5, 10, 6, 10, 10, -1 } },
        { "up and down", GPUTUNE_VERDICT_TOO_NOISY, 3, 5, { 1, 5, 2, 9, 4, 8, 8, -1 } },
        { "one point", GPUTUNE_VERDICT_NOT_REACHED, 0, 0, { 5, -1 } },
        { "two that are equal", GPUTUNE_VERDICT_SATURATED, 0, 0, { 5, 5, -1 } },
        { "two that rise", GPUTUNE_VERDICT_NOT_REACHED, 1, 1, { 5, 9, -1 } },
        { "two that fall", GPUTUNE_VERDICT_DECLINES, 0, 1, { 9, 5, -1 } },
        { "all equal", GPUTUNE_VERDICT_SATURATED, 0, 0, { 7, 7, 7, 7, -1 } },
        { "waves", GPUTUNE_VERDICT_SATURATED, 5, 5, { 1, 2, 4, 4, 4.57, 6.4, 6.4, 6.74, 6.8, -1 } },
    };
    sat_point points[GPUTUNE_CURVE_POINTS];
    gt__reading r;
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sat_case *c = &cases[i];
        sat_read(points, sat_points(points, c->throughput), 0, &r);
        CHECK_OR(r.said.verdict == c->verdict && r.said.msp == c->msp && r.settled == c->settled,
                 "%s: %s: msp %d, settled %d", c->name, r.said.text, r.said.msp, r.settled);
    }
}

// The seven numbers of a program, and what is said of them.
static void test_saturation_numbers(void)
{
    static const double size[] = { 1000, 2000, 4000, 8000, 16000, 32000, 64000 };
    static const double work[] = { 5e3, 1e4, 2e4, 4e4, 8e4, 1.6e5, 3.2e5 };
    static const double seconds[] = { 10, 10, 10, 11, 20, 40, 80 };
    static const double falls[] = { 10, 10, 10, 10, 40, 80, 160 };
    static const double dips[] = { 10, 4, 4, 13, 16, 32, 64 };
    static const double down[] = { 1000, 2000, 1500 };
    static double many[GPUTUNE_CURVE_POINTS + 1];
    gputune_saturation s = gputune_saturation_of(size, NULL, seconds, 7, 0);
    CHECK_INT(s.verdict, GPUTUNE_VERDICT_SATURATED);
    CHECK_INT(s.msp, 3);
    CHECK_TEXT(s.text, "saturated from size 8000 on: 727 of 800 a second");
    s = gputune_saturation_of(size, work, seconds, 7, 0);
    CHECK_TEXT(s.text, "saturated from size 8000 on: 3.64e+03 of 4e+03 a second");
    s = gputune_saturation_of(size, NULL, seconds, 7, 0.05);
    CHECK_INT(s.msp, 4);
    s = gputune_saturation_of(size, NULL, seconds, 4, 0);
    CHECK_TEXT(s.text, "not reached: throughput may rise beyond size 8000: 727 of 727 a second");
    s = gputune_saturation_of(size, NULL, falls, 7, 0);
    CHECK_TEXT(s.text, "declines: highest from size 8000, steady from 16000 on: 400 of 800 a "
                       "second");
    s = gputune_saturation_of(size, NULL, dips, 7, 0);
    CHECK_TEXT(s.text, "too noisy: 1e+03 of 1e+03 a second");
    s = gputune_saturation_of(NULL, NULL, NULL, 0, 0); // nothing asked, nothing said
    CHECK_INT(s.msp, -1);
    CHECK_TEXT(s.text, "no point was measured");
    s = gputune_saturation_of(down, NULL, seconds, 3, 0);
    CHECK_INT(s.msp, -1);
    CHECK_TEXT(s.text, "size[2], 1500, is below the one before, 2000: sizes must ascend");
    s = gputune_saturation_of(NULL, NULL, seconds, 3, 0);
    CHECK_HAS(s.text, "size and seconds of 0 to 64 are needed");
    s = gputune_saturation_of(many, NULL, many, -1, 0);
    CHECK_HAS(s.text, "-1 points");
    s = gputune_saturation_of(many, NULL, many, GPUTUNE_CURVE_POINTS + 1, 0);
    CHECK_HAS(s.text, "65 points");
    s = gputune_saturation_of(many, NULL, many, GPUTUNE_CURVE_POINTS, 0);
    CHECK_TEXT(s.text, "no point was measured");
}

static double sat_rate(const sat_point *point) { return test_double(point->work / point->seconds); }

// The paper's rule and the rule for `settled`, by brute force on random curves.
static void test_saturation_brute(void)
{
    static const double thresholds[] = { -1, 0.01, 0.05, 0, 0.3, 0.999 };
    sat_point points[GPUTUNE_CURVE_POINTS];
    double throughput[GPUTUNE_CURVE_POINTS + 1];
    uint64_t random = 5;
    int round, i, j, seen[GPUTUNE_VERDICT_COUNT] = { 0 };
    for (round = 0; round < 20000; round++) {
        int n = 1 + (int)test_random_below(&random, 12), msp = -1, settled = -1;
        double threshold = thresholds[round % 6], peak = 0, share;
        bool falls = false;
        gt__reading s;
        share = threshold < 0 ? 0 : threshold > 0 ? threshold : 0.1;
        for (i = 0; i < n; i++) throughput[i] = 1 + (double)test_random_below(&random, 8);
        throughput[n] = -1;
        sat_points(points, throughput);
        sat_read(points, n, threshold, &s);
        for (i = 0; i < n; i++) peak = throughput[i] > peak ? throughput[i] : peak;
        CHECK_NEAR(s.peak, peak, 1e-9);
        for (i = 0; i < n && msp < 0; i++)
            if (sat_rate(&points[i]) >= test_double((1 - share) * s.peak)) msp = i;
        for (i = 0; i < n && settled < 0; i++) {
            double last = sat_rate(&points[n - 1]);
            for (j = i; j < n; j++) {
                double t = sat_rate(&points[j]);
                if (t < test_double((1 - share) * last) || last < test_double((1 - share) * t))
                    break;
            }
            if (j == n) settled = i;
        }
        for (i = msp; i < n; i++)
            falls = falls || sat_rate(&points[i]) < test_double((1 - share) * s.peak);
        CHECK_INT(s.said.msp, msp);
        CHECK_INT(s.settled, falls ? settled : msp);
        if (s.said.verdict == GPUTUNE_VERDICT_SATURATED) CHECK(!falls && msp < n - 1);
        if (s.said.verdict == GPUTUNE_VERDICT_NOT_REACHED) CHECK(!falls && msp == n - 1);
        if (s.said.verdict == GPUTUNE_VERDICT_DECLINES) CHECK(falls);
        seen[s.said.verdict]++;
    }
    for (i = 0; i < GPUTUNE_VERDICT_COUNT; i++) CHECK(seen[i] > 100);
}

static void test_saturation_noise(void)
{
    static const double throughput[] = { 1, 4, 8, 10, 10, 10, -1 };
    sat_point points[GPUTUNE_CURVE_POINTS];
    gt__reading s;
    int i, n = sat_points(points, throughput);
    for (i = 0; i < n; i++) {
        points[i].spread = 0.11;
        sat_read(points, n, 0, &s);
        // Small sizes decide nothing; the one before the MSP says where it is.
        CHECK_INT(s.said.verdict, i < 2 ? GPUTUNE_VERDICT_SATURATED : GPUTUNE_VERDICT_TOO_NOISY);
        CHECK_INT(s.said.msp, 3);
        sat_read(points, n, 0.12, &s);
        CHECK_INT(s.said.verdict, GPUTUNE_VERDICT_SATURATED);
        points[i].spread = 0;
    }
}

// Points that make no sense are as if they were not there, but keep their index.
static void test_saturation_edges(void)
{
    static const double throughput[] = { 1, 4, 8, 10, 10, 10, -1 };
    const double bad[] = { 0, -1, HUGE_VAL, -HUGE_VAL };
    sat_point points[GPUTUNE_CURVE_POINTS];
    gt__reading s;
    size_t i;
    int n = sat_points(points, throughput);
    sat_read(points, 0, 0, &s);
    CHECK_INT(s.said.msp, -1);
    CHECK_INT(s.settled, -1);
    CHECK_INT(s.said.verdict, GPUTUNE_VERDICT_NOT_REACHED);
    CHECK(s.peak <= 0);
    for (i = 0; i < 2 * sizeof bad / sizeof *bad + 2; i++) {
        double x = i / 2 < sizeof bad / sizeof *bad ? bad[i / 2] : (double)NAN;
        n = sat_points(points, throughput);
        if (i % 2)
            points[4].work = x;
        else
            points[4].seconds = x;
        sat_read(points, n, 0, &s);
        CHECK_INT(s.said.msp, 3);
        CHECK_INT(s.said.verdict, GPUTUNE_VERDICT_SATURATED);
        CHECK(s.peak > 0 && s.peak <= DBL_MAX);
        for (n = 0; n < 6; n++) points[n].seconds = x;
        if (!(i % 2)) sat_read(points, 6, 0, &s);
        if (!(i % 2)) CHECK_INT(s.said.msp, -1);
    }
}

// --- kernels on the replay driver ---

enum { SAT_N = 1 << 24 };

typedef struct sat_rig {
    tune_rig t;
    double latency;       // seconds of an empty launch
    double cache, slower; // items of the default beyond which a unit takes so many times as long
    double flip;          // items beyond which another configuration is the best
    double bad_size;      // of the problem n, from which on `bad` fails
    const char *bad, *kill;
    gputune_result bad_result;
    int wrong_from;       // U from which on outputs are wrong, at sizes from `bad_size` on; 0: none
    bool flickers;        // ... in every second launch only
    bool cubic;           // seconds grow with the third power of n: 9 s at 4096
    int asked;            // launches, each twice
    int checked;          // outputs, by the program
    const char *stalls;   // a configuration that takes 1.5 s at the real size
    const char *cheat;    // a configuration that takes no time to speak of
    double kill_size;     // n of the launch that ends the process: this or more, after `kill_after`
    int kill_after, killed;
    const char *stop;     // phase in which progress says stop
    int stops, told, curves;
    double launched;      // seconds of launches, counted here
    gputune_saturation_desc msp;
} sat_rig;

static int sat_n(const gputune_driver_launch *launch)
{
    int n = 0;
    memcpy(&n, launch->args[0].data, sizeof n);
    return n;
}

// In units of the default's best: B=64 U=4; beyond `flip` U=5 is better.
static double sat_factor(const sat_rig *r, const gputune_config *config, double items)
{
    double b = log2((double)gputune_config_int(config, "B")) - 6;
    double u = (double)gputune_config_int(config, "U");
    u -= r->flip > 0 && items > r->flip && u > 3 ? 5 : 4;
    b = 1.0 + 0.2 * b * b + 0.1 * u * u + 0.01 * u;
    return b < 4 ? b : 4 + 1e-3 * b;
}

static void sat_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    sat_rig *r = (sat_rig *)user;
    double items = trial->items * (double)gputune_config_int(config, "U");
    char text[256];
    trial->compile_seconds = 0.001;
    if (!test_launch(trial)) return;
    gputune_config_text(config, text, sizeof text);
    trial->seconds = r->latency + 1e-9 * items * sat_factor(r, config, items) *
                                      (r->cache > 0 && items > r->cache ? r->slower : 1);
    if (r->bad && strcmp(text, r->bad) == 0 && sat_n(test_launch(trial)) >= r->bad_size)
        trial->result = r->bad_result;
    if (r->wrong_from && gputune_config_int(config, "U") >= r->wrong_from &&
        sat_n(test_launch(trial)) >= r->bad_size && (!r->flickers || r->asked++ / 2 % 2))
        trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
    if (r->cubic) trial->seconds = 9 * pow(sat_n(test_launch(trial)) / 4096.0, 3);
    if (r->stalls && strcmp(text, r->stalls) == 0 && sat_n(test_launch(trial)) >= SAT_N / 2)
        trial->seconds = 1.5;
    if (r->cheat && strcmp(text, r->cheat) == 0) trial->seconds /= 20;
    if (r->kill && strcmp(text, r->kill) == 0 && sat_n(test_launch(trial)) >= r->kill_size &&
        r->killed++ >= r->kill_after)
        _exit(77);
}

static bool sat_progress(void *user, const gputune_progress *p)
{
    sat_rig *r = (sat_rig *)user;
    if (strcmp(p->phase, "curve") == 0) {
        r->curves++;
        CHECK_INT(p->trials, r->curves);
        CHECK(p->trials_planned >= p->trials);
    }
    if (!r->stop || strcmp(p->phase, r->stop) != 0) return true;
    return r->told++ < r->stops;
}

// The default takes 35 ms at the call's size and is busy from 100,000 items on.
static void sat_init(sat_rig *r, const char *store)
{
    memset(r, 0, sizeof *r);
    tune_rig_init(&r->t, store);
    r->t.replay.trial = sat_trial;
    r->t.replay.user = r;
    r->t.replay.options.tuning_seconds = 1e6; // further problems do not wait
    r->t.desc.tune.progress = sat_progress;
    r->t.desc.tune.user = r;
    r->t.desc.tune.msp = &r->msp;
    r->msp.resize = "n = size";
    r->latency = 20e-6;
    r->slower = 1;
    tune_args(&r->t, SAT_N);
}

static void sat_curve(sat_rig *r, const gputune_saturation_desc *d, gputune_curve *c)
{
    tune_open(&r->t);
    CHECK_INT(gputune_kernel_curve(r->t.kernel, d, NULL, r->t.args, 4, c), GPUTUNE_OK);
    CHECK(tune_untouched(&r->t));
    tune_close(&r->t);
}

// The curve with that ladder; 0: as it comes. The result's error may be wanted.
static gputune_result sat_ladder(double smallest, double largest, const char *work,
                                 gputune_curve *c)
{
    sat_rig r;
    gputune_saturation_desc d;
    gputune_result result;
    memset(&d, 0, sizeof d);
    d.resize = "n = 2"; // a size that means nothing: every ladder can be had
    d.smallest = smallest;
    d.largest = largest;
    sat_init(&r, "");
    r.t.desc.work = work;
    tune_args(&r.t, 1000);
    tune_open(&r.t);
    result = gputune_kernel_curve(r.t.kernel, &d, NULL, r.t.args, 4, c);
    tune_close(&r.t);
    return result;
}

static void test_saturation_ladder(void)
{
    gputune_curve c;
    int i;
    CHECK_INT(sat_ladder(1, 4096, NULL, &c), GPUTUNE_OK);
    CHECK_INT(c.count, 13);
    for (i = 0; i < c.count; i++)
        CHECK_NEAR(c.size[i], ldexp(1.0, i), 1e-9 * c.size[i]);
    CHECK_INT(sat_ladder(100, 1000, NULL, &c), GPUTUNE_OK);
    CHECK_INT(c.count, 5); // both ends, and halves of the largest
    CHECK_NEAR(c.size[0], 100, 1e-9);
    CHECK_NEAR(c.size[1], 125, 1e-9);
    CHECK_NEAR(c.size[4], 1000, 1e-9);
    CHECK_INT(sat_ladder(5, 5, NULL, &c), GPUTUNE_OK);
    CHECK_INT(c.count, 1);
    CHECK_INT(sat_ladder(50, 5, NULL, &c), GPUTUNE_OK);
    CHECK_INT(c.count, 1);
    CHECK_INT(sat_ladder(1, 1e30, NULL, &c), GPUTUNE_OK);
    CHECK_INT(c.count, GPUTUNE_CURVE_POINTS); // more than there is room for
    CHECK_NEAR(c.size[0], 1, 1e-9);
    CHECK_NEAR(c.size[c.count - 1] / 1e30, 1, 1e-12);
}

// Whole tiles: the call's own arguments are those of many sizes, and the one that is named counts.
static void test_saturation_tiles(void)
{
    sat_rig r;
    gputune_curve c;
    gputune_saturation_desc d;
    memset(&d, 0, sizeof d);
    d.resize = "n = sqrt(size) / 16; n = 16 * n";
    d.largest = 192 * 192;
    d.smallest = 256;
    sat_init(&r, "");
    tune_args(&r.t, 192);
    tune_open(&r.t);
    CHECK_INT(gputune_kernel_curve(r.t.kernel, &d, NULL, r.t.args, 4, &c), GPUTUNE_OK);
    CHECK_NEAR(c.size[c.count - 1], 192 * 192, 0);
    d.largest *= 2;
    CHECK_INT(gputune_kernel_curve(r.t.kernel, &d, NULL, r.t.args, 4, &c), GPUTUNE_ERROR_ARGUMENT);
    tune_close(&r.t);
}

static void test_saturation_work(void)
{
    static const struct {
        const char *text;
        double size, work;
    } cases[] = { { NULL, 8, 8 },
                  { "size * log2(size)", 8, 24 },
                  { "size * size", 8, 64 },
                  { "size * size * n", 8, 128 },
                  { "pow(size, 1.5)", 4, 8 },
                  { "size >= 8 ? 3 : 5", 8, 3 },
                  { "flops = 2 * size * n", 8, 32 },
                  { "bytes = 4 * size; flops = 3 * size", 8, 24 },
                  { " flops= 3 * size ;bytes =4 * size;\n", 8, 24 },
                  { "bytes = 4 * size", 8, 32 } };
    static const struct {
        const char *text, *culprit;
    } wrong[] = { { "work = size", "work \"work\": expected flops = expression, double_" },
                  { "flops = size; n", "work \" n\": expected flops" },
                  { "2 * flops = size", "expected flops" },
                  { "size; bytes = size", "work \"size\": expected flops" },
                  { "flops = size; bytes = sise", "known: size" },
                  { "flops = ", "expected an operand" } };
    sat_rig r;
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        gputune_curve c;
        CHECK_INT(sat_ladder(cases[i].size, cases[i].size, cases[i].text, &c), GPUTUNE_OK);
        CHECK_INT(c.count, 1);
        CHECK_NEAR(c.work[0], cases[i].work, 1e-12);
    }
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        gputune_curve c;
        sat_init(&r, "");
        r.t.desc.work = wrong[i].text;
        tune_open(&r.t);
        CHECK(gputune_kernel_curve(r.t.kernel, NULL, NULL, r.t.args, 4, &c) != GPUTUNE_OK);
        CHECK_HAS(gputune_kernel_error(r.t.kernel)->text, wrong[i].culprit);
        tune_close(&r.t);
    }
}

static void test_saturation_curves(void)
{
    sat_rig r;
    gputune_curve c;
    int i;
    sat_init(&r, "");
    sat_curve(&r, NULL, &c);
    CHECK_INT(c.count, 13);
    CHECK_NEAR(c.size[12], SAT_N, 0);
    CHECK_INT(c.saturation.verdict, GPUTUNE_VERDICT_SATURATED);
    CHECK_NEAR(c.size[c.saturation.msp], 131072, 0);
    for (i = 0; i < c.count; i++) {
        CHECK_NEAR(c.work[i], c.size[i], 0);
    }
    CHECK(c.device_seconds > 0.25 && c.device_seconds < 0.4); // 8 launches of 35 ms
    CHECK_INT(r.curves, 13);
    r.latency = 1; // never busy
    r.curves = 0;
    r.t.desc.tune.budget.seconds = -1;
    sat_curve(&r, NULL, &c);
    CHECK_INT(c.saturation.verdict, GPUTUNE_VERDICT_NOT_REACHED);
    r.latency = 20e-6;
    r.cache = 1e6;
    r.slower = 3;
    r.curves = 0;
    sat_curve(&r, NULL, &c);
    CHECK_INT(c.saturation.verdict, GPUTUNE_VERDICT_DECLINES);
    CHECK_NEAR(c.size[c.saturation.msp], 131072, 0);
    CHECK_HAS(c.saturation.text, "steady from 1048576 on");
    r.slower = 1;
    r.t.replay.noise = 0.2;
    r.curves = 0;
    sat_curve(&r, NULL, &c);
    CHECK_INT(c.saturation.verdict, GPUTUNE_VERDICT_TOO_NOISY);
}

// Without `resize`: parts of the grid, whole work-groups.
static void test_saturation_parts(void)
{
    sat_rig r;
    gputune_curve c;
    gputune_saturation_desc d;
    memset(&d, 0, sizeof d);
    sat_init(&r, "");
    sat_curve(&r, &d, &c);
    CHECK_INT(c.count, 13);
    CHECK_NEAR(c.size[0], 4096, 0);
    CHECK_NEAR(c.size[12], SAT_N, 0);
    CHECK_NEAR(c.size[c.saturation.msp], 131072, 0);
    d.smallest = d.largest = 5000;
    r.curves = 0;
    sat_curve(&r, &d, &c);
    CHECK_INT(c.count, 1);
    CHECK_NEAR(c.size[0], 4992, 0); // what was launched
}

// Assignments: types, order, errors with their culprit.
static void test_saturation_resize(void)
{
    static const struct {
        const char *text;
        gputune_result result;
        const char *culprit;
    } cases[] = {
        { "n", GPUTUNE_ERROR_SYNTAX, "name = expression" },
        { "n == 3", GPUTUNE_ERROR_SYNTAX, "name = expression" },
        { "n <= 3", GPUTUNE_ERROR_SYNTAX, "name = expression" },
        { "n = ", GPUTUNE_ERROR_SYNTAX, "expected an operand" },
        { "m = size", GPUTUNE_ERROR_SYMBOL, "resize \"m\": kernel" },
        { "n n = size", GPUTUNE_ERROR_SYMBOL, "no argument of that name" },
        { "n = sise", GPUTUNE_ERROR_SYMBOL, "known: size" },
        { "n = size; n = x", GPUTUNE_ERROR_SYMBOL, "'x'" },
        { "n = 2", GPUTUNE_ERROR_ARGUMENT, "largest must be given" },
        { "n = size + 1e12", GPUTUNE_ERROR_ARGUMENT, "does not fit" },
        { "n = \"a\"", GPUTUNE_ERROR_ARITHMETIC, "not a number" },
        { "n = size, data = 4", GPUTUNE_ERROR_SYNTAX, "','" },
        { "n = size; ; data = 4", GPUTUNE_ERROR_SYNTAX, "name = expression" },
        { "", GPUTUNE_ERROR_SYNTAX, "name = expression" },
        { "n = size;\n", GPUTUNE_OK, NULL },
        { "data = size", GPUTUNE_OK, NULL },
        { "n = size; data = min(size, 256)", GPUTUNE_OK, NULL },
        { "n = pow(sqrt(size), 2)", GPUTUNE_OK, NULL },
    };
    sat_rig r;
    gputune_curve c;
    gputune_saturation_desc d;
    size_t i;
    memset(&d, 0, sizeof d);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        sat_init(&r, "");
        r.t.desc.signature = "int n, float *data, float *out, float *inout";
        tune_open(&r.t);
        d.resize = cases[i].text;
        CHECK_OR(gputune_kernel_curve(r.t.kernel, &d, NULL, r.t.args, 4, &c) == cases[i].result,
                 "%s: %s", d.resize, gputune_kernel_error(r.t.kernel)->text);
        if (cases[i].culprit)
            CHECK_HAS(gputune_kernel_error(r.t.kernel)->text, cases[i].culprit);
        tune_close(&r.t);
    }
}

// The call's own size, from the assignments alone.
static void test_saturation_own_size(void)
{
    static const struct {
        const char *text;
        int n;
        double size; // 0: an error
    } cases[] = {
        { "n = size", 1000, 1000 },     { "n = sqrt(size)", 100, 10000 },
        { "n = size / 8", 100, 800 },   { "n = log2(size)", 20, 1048576 },
        { "n = size * size", 49, 7 },   { "n = 2 * size", 7, 3.49 },
        { "n = max(size, 50)", 10, 0 },
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        sat_rig r;
        gputune_curve c;
        double largest;
        gputune_saturation_desc d;
        memset(&d, 0, sizeof d);
        sat_init(&r, "");
        tune_args(&r.t, cases[i].n);
        d.resize = cases[i].text;
        tune_open(&r.t);
        memset(&c, 0, sizeof c);
        gputune_kernel_curve(r.t.kernel, &d, NULL, r.t.args, 4, &c);
        largest = c.count ? c.size[c.count - 1] : 0;
        CHECK_OR(fabs(largest - cases[i].size) <= 1e-2 * cases[i].size, "%s: %.17g", d.resize,
                 largest);
        if (!(cases[i].size > 0))
            CHECK_HAS(gputune_kernel_error(r.t.kernel)->text, "at no size");
        tune_close(&r.t);
    }
}

// What the replay driver was last given of five arguments.
typedef struct sat_seen {
    gputune_bound_arg args[5];
    unsigned char bytes[5][8];
} sat_seen;

static void sat_see(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    sat_seen *seen = (sat_seen *)user;
    int i;
    (void)config;
    trial->seconds = 1e-3;
    for (i = 0; test_launch(trial) && i < test_launch(trial)->arg_count && i < 5; i++) {
        seen->args[i] = test_launch(trial)->args[i];
        if (seen->args[i].kind == GPUTUNE_ARG_SCALAR)
            memcpy(seen->bytes[i], seen->args[i].data, seen->args[i].bytes);
    }
}

// What a launch at that size gets, and why there is none.
static void sat_apply(const char *text, double size, const gputune_arg *args, sat_seen *seen,
                      char *why, size_t length)
{
    gputune_replay_desc replay;
    gputune_saturation_desc d;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *k;
    gputune_curve c;
    gputune_result result;
    memset(&replay, 0, sizeof replay);
    memset(&d, 0, sizeof d);
    memset(&desc, 0, sizeof desc);
    memset(seen, 0, sizeof *seen);
    replay.options.store = "";
    replay.trial = sat_see;
    replay.user = seen;
    replay.limits.max_group_size = replay.limits.max_group_x = 1024;
    device = gputune_replay_device_create(&replay);
    desc.name = "f";
    desc.global = desc.local = "64";
    desc.signature = "int rows, long cols, float x, uchar u, float *out";
    k = gputune_kernel_create(device, &desc);
    d.resize = text;
    d.smallest = d.largest = size;
    result = gputune_kernel_curve(k, &d, NULL, args, 5, &c);
    snprintf(why, length, "%s", gputune_kernel_error(k)->text);
    CHECK((result == GPUTUNE_OK) == !*why);
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

// What follows the last comma keeps the call's own arguments from being of any size.
static void test_saturation_assign(void)
{
    gputune_arg args[5];
    sat_seen seen;
    char why[512];
    float data[100], x;
    int32_t rows;
    int64_t cols;
    static const uint8_t three = 3;
    args[0] = arg_int32(100);
    args[1] = gputune_int(7);
    args[2] = arg_real(GPUTUNE_FLOAT, 1.5);
    args[3] = gputune_scalar(GPUTUNE_UINT8, &three);
    args[4] = gputune_inout(data, sizeof data);
    memset(data, 0, sizeof data);
    sat_apply("rows = sqrt(size); cols = rows * 2; x = size / 3; out = 4 * rows", 90, args, &seen,
              why, sizeof why);
    CHECK_TEXT(why, "");
    CHECK(seen.args[0].bytes == 4 && seen.args[1].bytes == 8 && seen.args[2].bytes == 4);
    memcpy(&rows, seen.bytes[0], 4);
    memcpy(&cols, seen.bytes[1], 8);
    memcpy(&x, seen.bytes[2], 4);
    CHECK_INT(rows, 9); // the nearest to 9.49, in the argument's own type
    CHECK_INT(cols, 18); // later ones see earlier ones, as they are given
    CHECK_NEAR(x, 30, 1e-12);
    args[4].bytes = 36;
    sat_apply("rows = sqrt(size); out = 4 * rows", 90, args, &seen, why, sizeof why);
    CHECK_TEXT(why, "");
    args[4].bytes = 35;
    sat_apply("rows = sqrt(size); out = 4 * rows", 90, args, &seen, why, sizeof why);
    CHECK_HAS(why, "36 bytes; the buffer has 35");
    sat_apply("u = size; cols = 5", 256, args, &seen, why, sizeof why);
    CHECK_HAS(why, "resize: u = 256 does not fit the argument, which is uchar");
    sat_apply("u = size; cols = 5", 255.4, args, &seen, why, sizeof why);
    CHECK_TEXT(why, "");
    CHECK_INT(seen.bytes[3][0], 255);
    sat_apply("rows = size; cols = 5", 1e10, args, &seen, why, sizeof why);
    CHECK_HAS(why, "resize: rows = 10000000000 does not fit");
    sat_apply("rows = -size; cols = 5", 3, args, &seen, why, sizeof why);
    memcpy(&rows, seen.bytes[0], 4);
    CHECK_INT(rows, -3);
    args[4].bytes = 36;
    sat_apply("out = 4 * size; cols = 5", 10, args, &seen, why, sizeof why);
    CHECK_HAS(why, "40 bytes; the buffer has 36");
    sat_apply("out = 0; cols = 5", 10, args, &seen, why, sizeof why);
    CHECK_HAS(why, "0 bytes");
    sat_apply("rows = 1 / (size - size); cols = 5", 10, args, &seen, why, sizeof why);
    CHECK_HAS(why, "division by zero");
}

// --- tuning ---

// What an outcome says of it: the curve, and what its note has.
typedef struct sat_told {
    gputune_curve curve;
    double size, target, seconds; // launches beside the curve's
} sat_told;

static void sat_tune(sat_rig *r, gputune_outcome *o, sat_told *m)
{
    double size = 0;
    tune_open(&r->t);
    CHECK_INT(test_tunes(r->t.kernel, r->t.args, 4, o), GPUTUNE_OK);
    CHECK(tune_untouched(&r->t));
    memset(m, 0, sizeof *m);
    CHECK(o->curve != NULL);
    if (o->curve) m->curve = *o->curve;
    m->size = o->search_size;
    m->seconds = o->device_seconds - m->curve.device_seconds;
    if (strstr(o->note, "searched at size"))
        CHECK_INT(sscanf(strstr(o->note, "searched at"),
                         "searched at size %lf of %lf (", &size, &m->target), 2);
    if (m->target > 0) CHECK_NEAR(size, m->size, 0);
}

static void test_saturation_tunes(void)
{
    static const char *const resizes[] = { "n = size", NULL };
    int i;
    for (i = 0; i < 2; i++) {
        sat_rig r;
        gputune_outcome o;
        char text[160];
        sat_told m;
        double standard = 2.07e-9 * SAT_N; // of one launch at the real size
        sat_init(&r, "");
        r.msp.resize = resizes[i];
        r.t.desc.tune.strategy = GPUTUNE_STRATEGY_SURROGATE; // whose order the times below are of
        sat_tune(&r, &o, &m);
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
        CHECK_INT(o.trials, 52);
        CHECK_INT(test_seen.failed, 0);
        CHECK_INT(m.curve.saturation.verdict, GPUTUNE_VERDICT_SATURATED);
        CHECK_NEAR(m.size, 131072, 0);
        CHECK_NEAR(m.target, SAT_N, 0);
        CHECK_NEAR(o.speedup, 2.07, 0.01);
        CHECK_TEXT(o.problem, "n=2^24");
        // A clear winner: 1 launch of the default, 4 candidates, 3 rounds, 3 of the winner; where
        // parts prove nothing 2 more of the default.
        CHECK(m.curve.device_seconds < 9 * standard);
        CHECK(m.seconds < (15.5 + 2 * i) * standard);
        snprintf(text, sizeof text, "searched at size 131072 of 16777216 (saturated): %.3g s of "
                 "launches", o.device_seconds);
        CHECK_TEXT(o.note, text);
        tune_close(&r.t);
    }
}

// A space like the paper's of one dimension, 280 configurations: 18 times as fast as an exhaustive
// search, which is done here, too; everything is counted, though that launches what is over twice
// as slow as the best only once.
static void test_saturation_speedup(void)
{
    static const gputune_param many[] = { { "B", "erange 8,512,2", "32" },
                                          { "U", "range 1,40", "1" },
                                          { NULL, NULL, NULL } };
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    double seconds;
    sat_init(&r, "");
    r.t.desc.params = many;
    r.t.desc.require = NULL;
    r.t.desc.tune.budget.seconds = -1;
    r.t.replay.noise = 0.003;
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(o.trials, 280);
    seconds = o.device_seconds;
    tune_close(&r.t);
    r.t.desc.tune.msp = NULL;
    tune_open(&r.t);
    CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
    tune_expect(&o, "B=64 U=4");
    CHECK(o.curve == NULL);
    CHECK(o.device_seconds > 18 * seconds);
    tune_close(&r.t);
}

// The order at the small size is not that of the real one: U=5 wins there.
static void test_saturation_flips(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.flip = 1e6;
    sat_tune(&r, &o, &m);
    CHECK_NEAR(m.size, 131072, 0);
    tune_expect(&o, "B=64 U=5");
    tune_close(&r.t);
}

// What wins at the small size is wrong at the real one: verified there, thrown out there.
static void test_saturation_wrong_there(void)
{
    static const gputune_result faults[] = { GPUTUNE_ERROR_WRONG_OUTPUT,
                                             GPUTUNE_ERROR_OUT_OF_BOUNDS, GPUTUNE_ERROR_LAUNCH,
                                             GPUTUNE_ERROR_RESOURCES };
    size_t i;
    for (i = 0; i < sizeof faults / sizeof *faults; i++) {
        sat_rig r;
        gputune_outcome o;
        sat_told m;
        sat_init(&r, "");
        r.bad = "B=64 U=4";
        r.bad_result = faults[i];
        r.bad_size = SAT_N / 2;
        sat_tune(&r, &o, &m);
        tune_expect(&o, "B=64 U=3");
        CHECK_HAS(r.t.log.text, "B=64 U=4 fails at the real size");
        tune_close(&r.t);
    }
}

// What is wrong at the real size only, and so fast at the small one that nothing else comes near
// it, does not keep the others from the race; nor do more wrong ones than are kept compiled.
static void test_saturation_cheats(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.bad = r.cheat = "B=512 U=2";
    r.bad_result = GPUTUNE_ERROR_WRONG_OUTPUT;
    r.bad_size = SAT_N / 2;
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=4");
    tune_close(&r.t);
    sat_init(&r, "");
    r.wrong_from = 2;
    r.bad_size = SAT_N / 2;
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=1");
    tune_close(&r.t);
}

// A launch at the real size may take no longer than elsewhere: 20 times the default's, here a
// second.
static void test_saturation_stalls(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.stalls = "B=64 U=4";
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=3");
    CHECK_HAS(r.t.log.text, "B=64 U=4 fails at the real size: took 1.5 s, the limit is 1 s");
    tune_close(&r.t);
}

static bool sat_no(void *user, const void *const *outputs, char *why, size_t size)
{
    sat_rig *r = (sat_rig *)user;
    (void)outputs;
    r->checked++;
    snprintf(why, size, "%s", "no");
    return r->checked < 3; // the first two are the default and the best
}

// The program's check knows the real problem only: it is asked there and nowhere else.
static void test_saturation_check(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_init(&r, "");
    r.t.desc.tune.check = sat_no;
    tune_open(&r.t);
    CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(test_seen.failed, 1);
    CHECK_HAS(r.t.log.text, "fails at the real size: the program's check says no: no");
    CHECK_HAS(r.t.log.text, "B=64 U=4 failed after its trial");
    CHECK(r.checked > 4 && r.checked < 52);
    tune_expect(&o, "B=32 U=1"); // no other had passed its first check
    tune_close(&r.t);
}

// Where the grid depends on a parameter, nothing is compared at the small size, and so nothing has
// said yet that the default writes the same twice.
static void test_saturation_unsure_default(void)
{
    sat_rig r;
    gputune_outcome o;
    int i;
    for (i = 0; i < 2; i++) {
        sat_init(&r, "");
        r.msp.resize = NULL;
        r.wrong_from = 1;
        r.flickers = true;
        r.bad_size = i ? 1e12 : 1;
        tune_open(&r.t);
        CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o),
                  i ? GPUTUNE_OK : GPUTUNE_ERROR_WRONG_OUTPUT);
        tune_close(&r.t);
    }
}

// A kernel is described once and tuned for many problems: a ladder that is too long ends at the
// call's own size, and a size to search at that is too large is none.
static void test_saturation_small_call(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    gputune_curve c;
    sat_init(&r, "");
    r.msp.largest = 4.0 * SAT_N;
    sat_tune(&r, &o, &m);
    CHECK_NEAR(m.curve.size[m.curve.count - 1], SAT_N, 0);
    CHECK_NEAR(m.size, 131072, 0);
    CHECK_INT(gputune_kernel_curve(r.t.kernel, NULL, NULL, r.t.args, 4, &c),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.t.kernel)->text,
              ".largest is 67108864; it may be 0 to 16777216");
    tune_close(&r.t);
    sat_init(&r, "");
    r.msp.smallest = r.msp.largest = 2.0 * SAT_N;
    sat_tune(&r, &o, &m);
    CHECK_NEAR(m.size, SAT_N, 0);
    CHECK_HAS(o.note, "searched at the real size, 1.67772e+07, which is no larger");
    tune_expect(&o, "B=64 U=4");
    tune_close(&r.t);
    sat_init(&r, "");
    r.msp.smallest = r.msp.largest = 1 << 20;
    sat_tune(&r, &o, &m);
    CHECK_NEAR(m.size, 1 << 20, 0);
    CHECK_INT(m.curve.count, 1);
    CHECK_HAS(o.note, "searched at size 1048576 of 16777216");
    tune_close(&r.t);
}

// Kernels that are timed in batches at the small size and not at the real one.
static void test_saturation_batches(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    double seconds;
    sat_init(&r, "");
    r.latency = 1e-6;
    r.t.args[3] = gputune_in(r.t.inout, sizeof r.t.inout); // or there are no batches
    r.msp.smallest = r.msp.largest = 1 << 13;
    r.msp.resize = "n = size";
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=4");
    CHECK_NEAR(m.size, 1 << 13, 0);
    seconds = o.device_seconds;
    tune_close(&r.t);
    r.t.desc.tune.msp = NULL;
    tune_open(&r.t);
    CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
    CHECK(o.device_seconds > 2 * seconds);
    tune_close(&r.t);
}

// The work of a size that has not been measured is that of its own arguments: a cubic one that
// would not fit the curve's share of the budget is not begun.
static void test_saturation_foretells(void)
{
    sat_rig r;
    gputune_curve c;
    gputune_saturation_desc d;
    memset(&d, 0, sizeof d);
    sat_init(&r, "");
    r.cubic = true;
    r.t.desc.tune.budget.seconds = 40;
    d.resize = "n = size";
    r.t.desc.work = "1.0 * n * n * n";
    tune_args(&r.t, 1 << 12);
    sat_curve(&r, &d, &c);
    CHECK(c.count > 5 && c.device_seconds < 10);
    CHECK(c.size[c.count - 1] < 1 << 12);
}

// What is wrong everywhere is a failed trial, and costs nothing at the real size.
static void test_saturation_wrong_here(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.bad = "B=64 U=4";
    r.bad_result = GPUTUNE_ERROR_WRONG_OUTPUT;
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=3");
    CHECK_INT(test_seen.failed, 1);
    CHECK(!strstr(r.t.log.text, "fails at the real size"));
    tune_close(&r.t);
}

// Where the curve gives no size, it is an ordinary tuning, and says so.
static void test_saturation_no_size(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.latency = 0.05;
    sat_tune(&r, &o, &m);
    CHECK_HAS(o.note, "not reached: searched at the real size");
    CHECK_INT(m.curve.saturation.verdict, GPUTUNE_VERDICT_NOT_REACHED);
    CHECK_NEAR(m.size, SAT_N, 0);
    CHECK_INT(o.trials, 52);
    tune_expect(&o, "B=64 U=4");
    tune_close(&r.t);
    sat_init(&r, "");
    r.t.replay.noise = 0.2;
    sat_tune(&r, &o, &m);
    CHECK_HAS(o.note, "too noisy: searched at the real size");
    tune_close(&r.t);
    sat_init(&r, ""); // fits the cache up to 10^6: searched beyond it, or at the paper's MSP
    r.cache = 1e6;
    r.slower = 3;
    sat_tune(&r, &o, &m);
    CHECK_NEAR(m.size, 1 << 20, 0);
    tune_close(&r.t);
    sat_init(&r, ""); // level for three doublings, but not at a quarter of the real size
    r.t.replay.limits.cache_bytes = 1 << 10;
    sat_tune(&r, &o, &m);
    CHECK_INT(m.curve.saturation.verdict, GPUTUNE_VERDICT_SATURATED);
    CHECK(m.curve.count < 13);
    CHECK_NEAR(m.curve.size[m.curve.count - 1], SAT_N / 4, 0);
    tune_close(&r.t);
    sat_init(&r, "");
    r.t.replay.limits.cache_bytes = 1 << 10;
    r.cache = 2e6;
    r.slower = 3;
    sat_tune(&r, &o, &m);
    CHECK_INT(m.curve.saturation.verdict, GPUTUNE_VERDICT_DECLINES);
    CHECK_INT(m.curve.count, 13);
    CHECK_NEAR(m.size, 1 << 21, 0);
    tune_close(&r.t);
}

// Hardly smaller than the real problem is not worth it; twice what the last-level cache holds is
// the least where that costs little.
static void test_saturation_chosen(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.latency = 0.0347; // as much as the work of the whole problem
    r.msp.smallest = 0.85 * SAT_N;
    sat_tune(&r, &o, &m);
    CHECK_INT(m.curve.saturation.verdict, GPUTUNE_VERDICT_SATURATED);
    CHECK(m.curve.size[m.curve.saturation.msp] > 0.8 * SAT_N);
    CHECK_NEAR(m.size, SAT_N, 0);
    CHECK_HAS(o.note, "saturated: searched at the real size");
    tune_close(&r.t);
    sat_init(&r, "");
    r.t.replay.limits.cache_bytes = 8; // of 768: twice that at a 48th of the size
    sat_tune(&r, &o, &m);
    CHECK_NEAR(m.curve.size[m.curve.saturation.msp], 131072, 0);
    CHECK_NEAR(m.size, 524288, 0);
    tune_close(&r.t);
}

// The default is the best: it stays, for certain and without endless rounds.
static void test_saturation_default_stays(void)
{
    gputune_param equals[4];
    uint64_t seed;
    double race = 0;
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    gputune_param params[3];
    sat_init(&r, "");
    memcpy(params, tune_params, sizeof params);
    params[0].value_default = "64";
    params[1].value_default = "4";
    r.t.desc.params = params;
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=4");
    CHECK_NEAR(o.speedup, 1, 0);
    CHECK_HAS(o.note, "it stays");
    CHECK(m.seconds < 40 * 1e-9 * SAT_N);
    tune_close(&r.t);
    // Nor among equals, of which the default is one: launches are dear.
    memset(equals, 0, sizeof equals);
    memcpy(equals, params, 2 * sizeof *params);
    equals[2].name = "Z"; // means nothing
    equals[2].values = "range 1,4";
    for (seed = 1; seed <= 10; seed++) {
        sat_init(&r, "");
        r.t.desc.params = equals;
        r.t.replay.noise = 0.02;
        r.t.replay.seed = seed;
        sat_tune(&r, &o, &m);
        CHECK_NEAR(o.speedup, 1, 0);
        race += m.seconds / 10;
        tune_close(&r.t);
    }
    CHECK(race < 53 * 1e-9 * SAT_N); // with the search
}

// With noise the winner is still one of the best, and never worse than the default.
static void test_saturation_noisy_race(void)
{
    uint64_t seed;
    for (seed = 1; seed <= 20; seed++) {
        sat_rig r;
        gputune_outcome o;
        sat_told m;
        sat_init(&r, "");
        r.t.replay.noise = 0.02;
        r.t.replay.seed = seed;
        sat_tune(&r, &o, &m);
        CHECK(sat_factor(&r, &o.config, SAT_N) < 1.06);
        tune_close(&r.t);
    }
}

// One race that thins out, without a device to time: each variant's seconds, and their noise.
typedef struct sat_thinning {
    gt__variant variants[8];
    double seconds[8], noise;
    uint64_t random;
} sat_thinning;

static double sat_sample(sat_thinning *t, const gt__variant *v)
{
    const double factor = 1 + t->noise * gt__random_normal(&t->random);
    return t->seconds[v - t->variants] * (factor > 0.05 ? factor : 0.05);
}

// In how many of 1000 races with that noise the default, of 1 s, loses to one of seven others, of
// which the first takes `first` s and the rest 1 s.
static int sat_thin(double noise, double first, int *other)
{
    sat_thinning t;
    int seed, i, beaten = 0;
    for (seed = 1, *other = 0; seed <= 1000; seed++) {
        static gt__race race;
        const gt__racer *r;
        int leader;
        memset(&t, 0, sizeof t);
        memset(&race, 0, sizeof race);
        t.noise = noise;
        t.random = (uint64_t)seed;
        for (i = 0; i < 8; i++) {
            t.seconds[i] = i == 1 ? first : 1;
            race.of[i].variant = &t.variants[i];
        }
        race.count = 8;
        gt__race_begin(&race, 16, true);
        do {
            while ((r = gt__race_next(&race)) != NULL)
                gt__race_told(&race, GPUTUNE_OK, sat_sample(&t, r->variant));
        } while (!gt__race_judge(&race, false));
        leader = gt__race_leader(&race);
        beaten += leader == 1;
        *other += leader > 1;
    }
    return beaten;
}

// Among equals, however noisy, the default stays: it does not leave by a few lucky rounds of one
// that others, which are still there, have beaten. What is three times as fast wins all the same.
static void test_saturation_thinning(void)
{
    static const double noises[] = { 0.02, 0.2, 0.3, 0.5 };
    static const int least[] = { 990, 990, 950, 550 };
    size_t i;
    for (i = 0; i < sizeof noises / sizeof *noises; i++) {
        int other, beaten = sat_thin(noises[i], 1, &other);
        CHECK_OR(beaten + other <= 25, "noise %g: %d of 1000", noises[i], beaten + other);
        beaten = sat_thin(noises[i], 1.0 / 3, &other);
        CHECK_OR(beaten >= least[i] && other <= 5, "noise %g: %d and %d", noises[i], beaten, other);
    }
}

// Three devices search at the small size, also on parts of the grid; the race is the first one's.
static void test_saturation_devices(void)
{
    static const char *const resizes[] = { "n = size", NULL };
    gputune_device *more[3];
    int i, j;
    for (i = 0; i < 2; i++) {
        sat_rig r;
        gputune_outcome o;
        sat_told m;
        sat_init(&r, "");
        r.msp.resize = resizes[i];
        for (j = 0; j < 2; j++) more[j] = rig_replay(&r.t.replay, 1e-5, false);
        more[2] = NULL;
        r.t.desc.tune.devices = more;
        r.t.replay.options.threads = -1;
        sat_tune(&r, &o, &m);
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(o.trials, 52);
        CHECK_INT(test_seen.failed, 0);
        CHECK_NEAR(m.size, 131072, 0);
        // Each has launched for 20 ms (0.6 of this) until its clocks had settled.
        CHECK(m.seconds < (17.5 + 2 * i) * 2.07e-9 * SAT_N);
        CHECK(m.seconds > (14 + i) * 2.07e-9 * SAT_N); // the others' launches count, too
        tune_close(&r.t);
        for (j = 0; j < 2; j++) gputune_device_destroy(more[j]);
    }
}

// Launches at the real size of what wins, of which that with the number `errs_at` is wrong.
static struct {
    gputune_driver plain;
    int turn, errs_at;
} sat_errs;

static gputune_result sat_time_errs(void *self, void *code, const gputune_driver_launch *launch,
                                    int batch, double time_limit, double hang_limit,
                                    double *seconds, gputune_error *error)
{
    const gputune_config *config = (const gputune_config *)code;
    gputune_result result = sat_errs.plain.time(self, code, launch, batch, time_limit, hang_limit,
                                                seconds, error);
    if (sat_n(launch) == SAT_N && gputune_config_int(config, "B") == 64 &&
        gputune_config_int(config, "U") == 4 && sat_errs.turn++ == sat_errs.errs_at)
        ((unsigned char *)launch->args[2].handle)[launch->args[2].bytes - 1] ^= 0x40;
    return result;
}

// A single launch at the real size that is wrong: the first one, in any round of the race, or of
// the three behind it costs the win. There are no others.
static void test_saturation_each_launch(void)
{
    int i, all = 0;
    for (i = -1; i < all; i++) {
        gputune_outcome o;
        char text[64];
        sat_rig r;
        sat_init(&r, "");
        tune_open(&r.t);
        sat_errs.plain = r.t.device->driver;
        r.t.device->driver.time = sat_time_errs;
        sat_errs.turn = 0;
        sat_errs.errs_at = i;
        CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
        gputune_config_text(&o.config, text, sizeof text);
        CHECK_TEXT(text, i < 0 ? "B=64 U=4" : "B=64 U=3");
        CHECK_INT(sat_errs.turn, i < 0 ? o.best_stats.count + 4 : i + 1);
        if (i < 0) all = sat_errs.turn;
        tune_close(&r.t);
    }
}

// A different kind of objective: the curve by time, the answer by the objective.
static void test_saturation_objective(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.t.desc.tune.objective = "time * (U == 2 ? 1 : 10)";
    sat_tune(&r, &o, &m);
    tune_expect(&o, "B=64 U=2");
    CHECK_NEAR(m.size, 131072, 0);
    tune_close(&r.t);
}

// The answer stands under the real problem's key, and only there.
static void test_saturation_stored(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    char command[256];
    tune_temp();
    sat_init(&r, tune_store);
    sat_tune(&r, &o, &m);
    tune_close(&r.t);
    snprintf(command, sizeof command, "cd '%s' && test $(grep -c 'B=64 U=4' store.txt) = 1 && "
             "test $(grep -c 'problem=n=2^24\t' store.txt) = 1", tune_folder);
    CHECK_INT(system(command), 0);
    r.curves = 0;
    tune_open(&r.t);
    CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.origin, GPUTUNE_FROM_STORE);
    CHECK(o.curve == NULL);
    CHECK_INT(r.curves, 0);
    tune_close(&r.t);
    r.t.replay.options.mode = GPUTUNE_MODE_FORCE; // again, curve and all
    sat_tune(&r, &o, &m);
    CHECK_INT(o.origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(test_seen.resumed, 0);
    CHECK_INT(r.curves, 13);
    tune_close(&r.t);
    r.t.replay.options.mode = GPUTUNE_MODE_OFF;
    r.curves = 0;
    tune_open(&r.t);
    CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
    CHECK(o.curve == NULL);
    CHECK_INT(r.curves, 0);
    tune_close(&r.t);
    tune_clean();
}

// A curve that is asked for leaves the outcome alone, with MSP-tuning and without.
static void test_saturation_curve_outcome(void)
{
    int i;
    for (i = 0; i < 2; i++) {
        sat_rig r;
        gputune_outcome o;
        gputune_curve c;
        gputune_saturation_desc d;
        sat_init(&r, "");
        d = r.msp;
        d.largest = 65536;
        if (i) r.t.desc.tune.msp = NULL;
        r.t.desc.tune.progress = NULL;
        tune_open(&r.t);
        CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
        CHECK_NEAR(o.search_size, i ? 0 : 131072, 0);
        CHECK_INT(gputune_kernel_curve(r.t.kernel, &d, NULL, r.t.args, 4, &c), GPUTUNE_OK);
        CHECK(c.count > 3);
        CHECK_NEAR(gputune_kernel_outcome(r.t.kernel)->search_size, o.search_size, 0);
        CHECK(gputune_kernel_outcome(r.t.kernel)->curve == o.curve);
        CHECK_TEXT(gputune_kernel_outcome(r.t.kernel)->text, o.text);
        tune_close(&r.t);
    }
}

// A curve that is stopped: what was measured is read.
static void test_saturation_curve_cancelled(void)
{
    sat_rig r;
    gputune_curve c;
    gputune_saturation_desc d;
    sat_init(&r, "");
    d = r.msp;
    r.t.desc.tune.msp = NULL;
    r.stop = "curve";
    r.stops = 2;
    tune_open(&r.t);
    CHECK_INT(gputune_kernel_curve(r.t.kernel, &d, NULL, r.t.args, 4, &c), GPUTUNE_CANCELLED);
    CHECK_INT(c.count, 3);
    CHECK_INT(c.saturation.msp, 2);
    CHECK_INT(c.saturation.verdict, GPUTUNE_VERDICT_NOT_REACHED);
    CHECK_HAS(c.saturation.text, "not reached: throughput may rise beyond size");
    CHECK(c.device_seconds > 0);
    tune_close(&r.t);
}

static void test_saturation_cancel(void)
{
    static const char *const phases[] = { "curve", "search", "race" };
    size_t i;
    for (i = 0; i < 3; i++) {
        sat_rig r;
        gputune_outcome o;
        sat_init(&r, "");
        r.stop = phases[i];
        r.stops = i == 1 ? 9 : i == 2 ? 1 : 2;
        tune_open(&r.t);
        CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o),
                  i == 0 ? GPUTUNE_CANCELLED : GPUTUNE_OK);
        CHECK(tune_untouched(&r.t));
        CHECK_INT(o.trials, i == 0 ? 0 : i == 1 ? 10 : 52);
        CHECK_INT(r.told, r.stops + 1); // never asked again
        if (i == 0) CHECK_HAS(gputune_kernel_error(r.t.kernel)->text, "curve was measured");
        if (i == 0) CHECK_INT(o.origin, GPUTUNE_FROM_DEFAULT);
        if (i == 2) tune_expect(&o, "B=64 U=4");
        tune_close(&r.t);
    }
}

// A quarter of the budget is the curve's; with less time there are fewer sizes.
static void test_saturation_budget(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    sat_init(&r, "");
    r.t.desc.tune.budget.seconds = 0.6;
    sat_tune(&r, &o, &m);
    CHECK(m.curve.count < 13 && m.curve.count > 5);
    CHECK(m.curve.device_seconds <= 0.16);
    CHECK_NEAR(m.target, SAT_N, 0);
    CHECK_NEAR(m.size, 131072, 0);
    tune_close(&r.t);
    sat_init(&r, "");
    r.t.desc.tune.budget.trials = 12;
    sat_tune(&r, &o, &m);
    CHECK_INT(o.trials, 12);
    tune_close(&r.t);
}

// Runs in a process of its own, which the replay may end. Returns its exit status.
static int sat_child(sat_rig *r)
{
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
        tune_open(&r->t);
        gputune_tune(r->t.kernel, r->t.args, 4);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Ended twice in the curve, in the search, at the real size: the next run goes on from there.
static void test_saturation_resumes(void)
{
    sat_rig r;
    gputune_outcome o;
    sat_told m;
    tune_temp();
    sat_init(&r, tune_store); // in the search
    r.kill = "B=128 U=3";
    CHECK_INT(sat_child(&r), 77);
    CHECK_INT(sat_child(&r), 77);
    sat_tune(&r, &o, &m);
    CHECK_INT(r.curves, 0); // not measured again
    CHECK_INT(m.curve.count, 13);
    CHECK_NEAR(m.curve.size[12], SAT_N, 0);
    CHECK_NEAR(m.curve.device_seconds, 0, 0);
    CHECK(test_seen.resumed > 0);
    CHECK_INT(o.trials, 52);
    CHECK_INT(test_seen.failed, 1); // the culprit
    tune_expect(&o, "B=64 U=4");
    tune_close(&r.t);
    tune_clean();
    tune_temp();
    sat_init(&r, tune_store); // a candidate at the real size
    r.kill = "B=64 U=4";
    r.kill_size = SAT_N;
    CHECK_INT(sat_child(&r), 77);
    CHECK_INT(sat_child(&r), 77);
    sat_tune(&r, &o, &m);
    CHECK_INT(test_seen.resumed, 51); // all but the default
    CHECK_INT(test_seen.failed, 1);
    tune_expect(&o, "B=64 U=3");
    tune_close(&r.t);
    tune_clean();
    tune_temp();
    sat_init(&r, tune_store); // the default in the curve: not tried again
    r.kill = "B=32 U=1";
    r.kill_size = 30000;
    CHECK_INT(sat_child(&r), 77);
    CHECK_INT(sat_child(&r), 77);
    r.kill = NULL;
    tune_open(&r.t);
    r.curves = 0;
    r.stop = "nothing";
    CHECK(test_tunes(r.t.kernel, r.t.args, 4, &o) != GPUTUNE_OK);
    CHECK_HAS(gputune_kernel_error(r.t.kernel)->text, "the default failed in an earlier run");
    tune_close(&r.t);
    tune_clean();
}

// Every allocation fails in turn, and all behind it: an error or an answer, buffers untouched,
// nothing lost.
static void test_saturation_memory(void)
{
    static const gputune_param few[] = { { "B", "set 32,64,16", "32" },
                                         { "U", "set 1,4", "1" },
                                         { NULL, NULL, NULL } };
    int survived = 0;
    long n;
    for (n = 0; n < 100000; n++) {
        sat_rig r;
        gputune_curve c;
        gputune_outcome o;
        gputune_result result;
        tune_memory memory;
        memset(&memory, 0, sizeof memory);
        memory.until = n;
        tune_temp();
        sat_init(&r, n % 4 ? "" : tune_store);
        r.t.replay.options.log = NULL;
        r.t.desc.params = few;
        r.t.desc.tune.progress = NULL;
        r.t.replay.options.reallocate = tune_reallocate;
        r.t.replay.options.user = &memory;
        tune_open(&r.t);
        result = n % 2 ? gputune_kernel_curve(r.t.kernel, NULL, NULL, r.t.args, 4, &c)
                       : test_tunes(r.t.kernel, r.t.args, 4, &o);
        CHECK_OR(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY,
                 "after %ld allocations: %s: %s", n, gputune_result_name(result),
                 gputune_kernel_error(r.t.kernel)->text);
        CHECK(tune_untouched(&r.t));
        tune_close(&r.t);
        CHECK_INT(memory.blocks, 0);
        tune_clean();
        if (memory.until > 0 && ++survived == 600) break; // the short one survives much sooner
        if (test_failures > 5) break;
    }
    CHECK(survived == 600);
}

static const test_case saturation_cases[] = {
    { "verdicts", test_saturation_verdicts },
    { "numbers", test_saturation_numbers },
    { "brute", test_saturation_brute },
    { "noise", test_saturation_noise },
    { "edges", test_saturation_edges },
    { "ladder", test_saturation_ladder },
    { "tiles", test_saturation_tiles },
    { "work", test_saturation_work },
    { "curves", test_saturation_curves },
    { "parts", test_saturation_parts },
    { "resize", test_saturation_resize },
    { "own_size", test_saturation_own_size },
    { "assign", test_saturation_assign },
    { "tunes", test_saturation_tunes },
    { "speedup", test_saturation_speedup },
    { "flips", test_saturation_flips },
    { "wrong_there", test_saturation_wrong_there },
    { "cheats", test_saturation_cheats },
    { "stalls", test_saturation_stalls },
    { "check", test_saturation_check },
    { "unsure_default", test_saturation_unsure_default },
    { "small_call", test_saturation_small_call },
    { "batches", test_saturation_batches },
    { "foretells", test_saturation_foretells },
    { "wrong_here", test_saturation_wrong_here },
    { "no_size", test_saturation_no_size },
    { "chosen", test_saturation_chosen },
    { "default_stays", test_saturation_default_stays },
    { "noisy_race", test_saturation_noisy_race },
    { "thinning", test_saturation_thinning },
    { "devices", test_saturation_devices },
    { "each_launch", test_saturation_each_launch },
    { "objective", test_saturation_objective },
    { "stored", test_saturation_stored },
    { "curve_outcome", test_saturation_curve_outcome },
    { "curve_cancelled", test_saturation_curve_cancelled },
    { "cancel", test_saturation_cancel },
    { "budget", test_saturation_budget },
    { "resumes", test_saturation_resumes },
    { "memory", test_saturation_memory },
    { NULL, NULL },
};
