// The seven models of bench/models.h: every number that was worked out beside their formulas, what
// they come to where one thing alone binds, and input that makes no sense.
#include "test.h"

#include "../bench/models_job.h"
#include "../bench/models_order.h"

// Half a unit of the last digit that the text has behind its point; exactly, where there is none.
static double models_tolerance(const char *number)
{
    const char *point = strchr(number, '.');
    double unit = 1.0;
    if (!point) return 1e-9 * fabs(atof(number));
    while (point[1] >= '0' && point[1] <= '9') {
        unit /= 10.0;
        point++;
    }
    return 0.500001 * unit + 1e-12 * fabs(atof(number));
}

#define SAID(actual, expected) CHECK_NEAR(actual, expected, models_tolerance(#expected))

#define NONE(prediction, what)                                                                    \
    do {                                                                                          \
        CHECK(gt__is_nan((prediction).seconds));                                                  \
        CHECK_TEXT((prediction).missing, what);                                                   \
        CHECK_TEXT((prediction).bound, "");                                                       \
    } while (0)

// What no input may be; what is 0 is bad where it has to be positive.
enum { MODELS_BAD = 6 };

static double models_bad(int i)
{
    const double bad[MODELS_BAD] = { -1.0, NAN, INFINITY, -INFINITY, 1e300, 0.0 };
    return bad[i];
}

// --- what several need ---

static void test_models_sectors(void)
{
    static const int rows[][5] = { // base, stride, size, sectors, lines
        { 0, 4, 4, 4, 1 },    { 4, 4, 4, 5, 2 },   { 0, 8, 4, 8, 2 },     { 0, 12, 4, 12, 3 },
        { 0, 16, 4, 16, 4 },  { 0, 32, 4, 32, 8 }, { 0, 64, 4, 32, 16 },  { 0, 128, 4, 32, 32 },
        { 0, 0, 4, 1, 1 },    { 0, 8, 8, 8, 2 },   { 0, 16, 16, 16, 4 }
    };
    static const int degrees[][2] = { { 0, 1 }, { 1, 1 },   { 2, 2 },   { 3, 1 },  { 4, 4 },
                                      { 8, 8 }, { 16, 16 }, { 17, 1 }, { 32, 32 }, { 33, 1 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int lines = -1;
        CHECK_INT(models_sectors(rows[i][0], rows[i][1], rows[i][2], &lines), rows[i][3]);
        CHECK_INT(lines, rows[i][4]);
    }
    for (size_t i = 0; i < sizeof degrees / sizeof *degrees; i++)
        CHECK_INT(models_conflicts(degrees[i][0]), degrees[i][1]);
    for (int stride = 1; stride <= 100; stride++) { // the greatest common divisor with 32
        int divisor = 1;
        while (divisor < 32 && stride % (2 * divisor) == 0) divisor *= 2;
        CHECK_INT(models_conflicts(stride), divisor);
    }
}

static void test_models_caches(void)
{
    const double moved = 4.0 * (2.0 * pow(4096, 3) / 16 + pow(4096, 2));
    SAID(models_matmul_bytes(2048, 16, 1056, 50e6) / 1e6, 50.33);
    SAID(4.0 * (2.0 * pow(2048, 3) / 16 + pow(2048, 2)) / 1e9, 4.312);
    SAID(models_matmul_bytes(4096, 16, 1056, 50e6) / 1e9, 4.299);
    SAID(moved / 1e9, 34.43);
    SAID(1.0 - models_matmul_bytes(4096, 16, 1056, 50e6) / moved, 0.8751);
    CHECK_NEAR(models_hits(1, 4, 0.7, 1), 0.75, 1e-12);
    CHECK_NEAR(models_hits(1, 4, 0.1, 1), 0.75, 1e-12);
    CHECK_NEAR(models_hits(1, 4, 1.0, 1), 0.375, 1e-12);
    CHECK_NEAR(models_hits(1, 4, 1.3, 1), 0, 1e-12);
    CHECK_NEAR(models_hits(1, 4, 9.0, 1), 0, 0);
}

static void test_models_rates(void)
{
    static const double warps[] = { 2, 4, 8, 16 }, rate[] = { 1, 3, 2, 5 };
    const models_table table = { warps, rate, 4 }, none = { NULL, NULL, 0 };
    CHECK_NEAR(models_rate(&table, 0), 0, 0);
    CHECK_NEAR(models_rate(&table, 1), 0.5, 0);
    CHECK_NEAR(models_rate(&table, 2), 1, 0);
    CHECK_NEAR(models_rate(&table, 3), 2, 0);
    CHECK_NEAR(models_rate(&table, 8), 3, 0); // 2 was noise
    CHECK_NEAR(models_rate(&table, 12), 4, 0);
    CHECK_NEAR(models_rate(&table, 99), 5, 0);
    CHECK_NEAR(models_rate(&none, 4), 0, 0);
}

// Against the normal equations: what is left is at right angles to every column.
static void test_models_squares(void)
{
    enum { ROWS = 12, COLUMNS = 5 };
    double a[COLUMNS * ROWS], kept[COLUMNS * ROWS], y[ROWS], left[ROWS], c[COLUMNS], rss, sum = 0.0;
    uint64_t random = 5;
    int rank = -1;
    for (int i = 0; i < COLUMNS * ROWS; i++) a[i] = test_random_normal(&random);
    for (int r = 0; r < ROWS; r++) {
        a[3 * ROWS + r] = 2.0 * a[r] - a[ROWS + r]; // of the others
        y[r] = left[r] = 10.0 * test_random_unit(&random);
    }
    memcpy(kept, a, sizeof kept);
    rss = models_least_squares(a, ROWS, COLUMNS, y, c, &rank);
    CHECK_INT(rank, COLUMNS - 1);
    for (int i = 0; i < COLUMNS; i++)
        for (int r = 0; r < ROWS; r++) left[r] -= c[i] * kept[i * ROWS + r];
    for (int i = 0; i < COLUMNS; i++) {
        double dot = 0.0;
        for (int r = 0; r < ROWS; r++) dot += left[r] * kept[i * ROWS + r];
        CHECK_NEAR(dot, 0, 1e-12);
    }
    for (int r = 0; r < ROWS; r++) sum += left[r] * left[r];
    CHECK_NEAR(rss, sum, 1e-12);
    memset(a, 0, sizeof a); // nothing to fit with
    memcpy(y, left, sizeof y);
    CHECK_NEAR(models_least_squares(a, ROWS, COLUMNS, y, c, &rank), sum, 1e-12);
    CHECK_INT(rank, 0);
    CHECK_NEAR(c[0], 0, 0);
}

static void test_models_score(void)
{
    static const double predicted[] = { 1.1, 2.0, 3.3, 3.9 }, measured[] = { 1.0, 2.2, 3.0, 4.0 };
    static const double wrong[] = { 4, 3, 2, 2 };
    models_score s = models_score_of(predicted, measured, 4);
    SAID(100 * s.error, 7.897727);
    SAID(s.bias, 1.017652081);
    CHECK_NEAR(s.tau, 1, 1e-12);
    CHECK_NEAR(s.regret, 0, 0);
    s = models_score_of(wrong, measured, 4); // 5 pairs the other way round, one that is equal
    CHECK_NEAR(s.tau, -5 / sqrt(30), 1e-12);
    CHECK_NEAR(s.regret, 2.5, 1e-12); // 3 or 4 instead of 1
    {
        const double same[5] = { 2, 1, 1, 3, 1 }, took[5] = { 4, 9, 6, 3, 15 };
        CHECK_NEAR(models_score_of(same, took, 5).regret, 10 / 3.0 - 1, 1e-12); // 9, 6, 15
        CHECK_NEAR(models_score_of(same, took, 1).regret, 0, 0);
        CHECK_NEAR(models_score_of(same, took, 0).regret, 0, 0);
    }
}

// --- MWP-CWP ---

static mwp_cwp_in models_mwp(double group, double groups, double active, double compute)
{
    mwp_cwp_in in;
    memset(&in, 0, sizeof in);
    in.clock = 1;
    in.bandwidth = 80;
    in.latency = 420;
    in.delay_coalesced = 4;
    in.delay_scattered = 10;
    in.issue = 4;
    in.bytes = 128;
    in.multiprocessors = 16;
    in.group_size = group;
    in.groups = groups;
    in.active_groups = active;
    in.compute = compute;
    return in;
}

static void test_models_mwp_cwp(void)
{
    mwp_cwp_in in = models_mwp(128, 80, 5, 27); // A: the paper's
    mwp_cwp_out out;
    in.scattered = 6;
    in.transactions = 32;
    in.barriers = 6;
    out = mwp_cwp(&in);
    CHECK(!out.prediction.missing);
    SAID(out.warps, 20);
    SAID(out.latency, 730);
    SAID(out.delay, 320);
    SAID(out.mwp_alone, 2.28125);
    SAID(in.clock * in.bytes / out.latency, 0.1753424658);
    SAID(out.mwp_peak, 28.515625);
    SAID(out.mwp, 2.28125);
    SAID(out.compute_cycles, 132);
    SAID(out.memory_cycles, 4380);
    SAID(out.cwp_full, 34.18181818);
    SAID(out.cwp, 20);
    SAID(out.repetitions, 1);
    CHECK_INT(out.which, 2);
    SAID(out.execution, 38428.1875);
    SAID(out.synchronisation, 12300);
    SAID(out.prediction.seconds * 1e9, 50728.1875);
    CHECK_NEAR(out.prediction.seconds * 1e9, 50738, 11); // printed there, of rounded numbers
    CHECK_TEXT(out.prediction.bound, "latency");

    in = models_mwp(64, 16, 1, 9); // B
    in.scattered = in.coalesced = 3;
    in.transactions = 4;
    out = mwp_cwp(&in);
    SAID(out.warps, 2);
    SAID(out.latency, 435);
    SAID(out.delay, 22);
    SAID(out.mwp, 2);
    SAID(out.cwp, 2);
    SAID(out.compute_cycles, 60);
    SAID(out.memory_cycles, 2610);
    CHECK_INT(out.which, 1);
    SAID(out.execution, 2680);
    SAID(out.synchronisation, 0);
    CHECK_TEXT(out.prediction.bound, "latency");

    in = models_mwp(256, 160, 4, 200); // C
    in.coalesced = 4;
    out = mwp_cwp(&in);
    SAID(out.warps, 32);
    SAID(out.mwp_peak, 16.40625);
    SAID(out.mwp, 16.40625);
    SAID(out.compute_cycles, 816);
    SAID(out.memory_cycles, 1680);
    SAID(out.cwp, 3.058823529);
    SAID(out.repetitions, 2.5);
    CHECK_INT(out.which, 3);
    SAID(out.execution, 66330);
    CHECK_TEXT(out.prediction.bound, "arithmetic");

    in.groups = 64; // D: where the condition that all programs have goes wrong
    in.compute = 1000;
    out = mwp_cwp(&in);
    SAID(out.compute_cycles, 4016);
    SAID(out.cwp, 1.418326693);
    SAID(out.mwp, 16.40625);
    CHECK_INT(out.which, 2);
    SAID(out.execution, 18744.675);
    in.corrected = true;
    out = mwp_cwp(&in);
    CHECK_INT(out.which, 3);
    SAID(out.execution, 128932);
    CHECK(out.execution >= out.compute_cycles * out.warps); // which have to be issued
}

static mwp_cwp_in models_mwp_h200(double active, double groups, double compute, double requests,
                                  double barriers)
{
    mwp_cwp_in in = models_mwp(256, groups, active, compute);
    in.clock = 1.98;
    in.bandwidth = 3888;
    in.latency = 650;
    in.delay_coalesced = 2;
    in.issue = 0.25;
    in.multiprocessors = 132;
    in.coalesced = requests;
    in.barriers = barriers;
    return in;
}

static void test_models_mwp_cwp_h200(void)
{
    mwp_cwp_in in = models_mwp_h200(6, 4096, 4480, 129, 128); // E
    mwp_cwp_out out = mwp_cwp(&in);
    SAID(out.mwp, 48);
    SAID(out.cwp, 48);
    SAID(out.compute_cycles, 1152.25);
    SAID(out.memory_cycles, 83850);
    SAID(out.repetitions, 5.171717172);
    CHECK_INT(out.which, 1);
    SAID(out.execution, 441778.745);
    SAID(out.synchronisation, 373356.6061);
    SAID(out.prediction.seconds * 1e6, 411.68);
    SAID(out.synchronisation / (out.synchronisation + out.execution), 0.46);
    // The tiled product with counts of the compiled code, 64 warps, in ms
    in = models_mwp_h200(8, 65536, 4096 + 5120 + 512 + 512 + 2048, 513, 512);
    out = mwp_cwp(&in);
    SAID(1e3 * out.execution / 1.98e9, 10.6);
    SAID(1e3 * out.synchronisation / 1.98e9, 16.2);
    CHECK_TEXT(out.prediction.bound, "barriers");
    in.latency = 265; // were all in the last cache
    in.bandwidth = 9700;
    out = mwp_cwp(&in);
    SAID(1e3 * out.execution / 1.98e9, 6.4);
    in = models_mwp_h200(8, 4096, 1024 + 1280 + 128 + 128 + 512, 129, 128);
    out = mwp_cwp(&in);
    SAID(1e3 * out.execution / 1.98e9, 0.167);
    SAID(1e3 * out.synchronisation / 1.98e9, 0.253);
}

// Where the bandwidth limits, cycles are bytes over bandwidth, whatever the latency.
static void test_models_mwp_cwp_limits(void)
{
    mwp_cwp_in in = models_mwp(256, 1600, 4, 0);
    mwp_cwp_out out;
    double bytes;
    in.coalesced = 100;
    in.delay_coalesced = 0.01;
    in.issue = 1e-9;
    bytes = 100 * 128 * 8 * in.groups;
    for (in.latency = 300; in.latency < 700; in.latency += 100) {
        out = mwp_cwp(&in);
        CHECK_INT(out.which, 2);
        CHECK_TEXT(out.prediction.bound, "bandwidth");
        CHECK_NEAR(out.prediction.seconds, bytes / 80e9, 1e-6 * bytes / 80e9);
    }
    in = models_mwp(256, 160, 4, 200); // no memory at all
    in.latency = in.bandwidth = 0;
    out = mwp_cwp(&in);
    CHECK_INT(out.which, 0);
    CHECK_NEAR(out.execution, 4 * 200 * 32 * 2.5, 1e-9);
    CHECK_TEXT(out.prediction.bound, "arithmetic");
}

static void test_models_mwp_cwp_bad(void)
{
    static const struct {
        const char *name;
        size_t at;
        bool zero; // is fine
    } fields[] = {
        { "clock", offsetof(mwp_cwp_in, clock), false },
        { "bandwidth", offsetof(mwp_cwp_in, bandwidth), false },
        { "latency", offsetof(mwp_cwp_in, latency), false },
        { "delay_coalesced", offsetof(mwp_cwp_in, delay_coalesced), false },
        { "delay_scattered", offsetof(mwp_cwp_in, delay_scattered), false },
        { "issue", offsetof(mwp_cwp_in, issue), false },
        { "multiprocessors", offsetof(mwp_cwp_in, multiprocessors), false },
        { "compute", offsetof(mwp_cwp_in, compute), true },
        { "coalesced", offsetof(mwp_cwp_in, coalesced), true },
        { "scattered", offsetof(mwp_cwp_in, scattered), true },
        { "transactions", offsetof(mwp_cwp_in, transactions), false },
        { "barriers", offsetof(mwp_cwp_in, barriers), true },
        { "bytes", offsetof(mwp_cwp_in, bytes), false },
        { "group_size", offsetof(mwp_cwp_in, group_size), false },
        { "groups", offsetof(mwp_cwp_in, groups), false },
        { "active_groups", offsetof(mwp_cwp_in, active_groups), false },
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int i = 0; i < MODELS_BAD; i++) {
            mwp_cwp_in in = models_mwp(64, 16, 1, 9);
            mwp_cwp_out out;
            in.scattered = in.coalesced = 3;
            in.transactions = 4;
            *(double *)(void *)((char *)&in + fields[f].at) = models_bad(i);
            out = mwp_cwp(&in);
            if (i == MODELS_BAD - 1 && fields[f].zero)
                CHECK(out.prediction.seconds > 0 && !out.prediction.missing);
            else
                NONE(out.prediction, fields[f].name);
        }
}

static void test_models_mwp_cwp_plus(void)
{
    mwp_cwp_plus_in in; // F
    mwp_cwp_plus_out out;
    memset(&in, 0, sizeof in);
    out = mwp_cwp_plus(&in);
    NONE(out.prediction, "clock");
    in.clock = 1;
    in.multiprocessors = 4;
    in.arithmetic_latency = 20;
    in.lanes = 1;
    in.memory_latency = 500;
    in.delay = 10;
    in.hit_latency = 100;
    in.miss = 0.4;
    in.mwp_peak = 6;
    in.warps = 8;
    in.all_warps = 64;
    in.instructions = 100;
    in.requests = 10;
    in.transactions = 1.5;
    in.parallel = in.parallel_requests = 2;
    out = mwp_cwp_plus(&in);
    CHECK(!out.prediction.missing);
    SAID(out.parallel, 16);
    SAID(out.work, 2000);
    SAID(out.memory_latency, 505);
    SAID(out.mean_latency, 302);
    SAID(out.compute, 125);
    SAID(out.memory, 1510);
    SAID(out.cwp_full, 13.08);
    SAID(out.cwp, 8);
    SAID(out.mwp, 6);
    SAID(out.mwp_cp, 6);
    SAID(out.overlap_requests, 6);
    SAID(out.memory_cycles, 8053.333);
    SAID(out.overlap, 2000);
    SAID(out.cycles, 8053.333);
    CHECK_TEXT(out.prediction.bound, "bandwidth");
    in.requests = 0; // one warp of the eight computes alone
    out = mwp_cwp_plus(&in);
    SAID(out.cycles, 2000);
    CHECK_TEXT(out.prediction.bound, "arithmetic");
    in.miss = -0.1;
    out = mwp_cwp_plus(&in);
    NONE(out.prediction, "miss");
    in.miss = 0.4;
    in.warps = NAN;
    out = mwp_cwp_plus(&in);
    NONE(out.prediction, "warps");
}

// --- QRQW PRAM ---

static qrqw_in models_qrqw(void)
{
    qrqw_in in;
    memset(&in, 0, sizeof in);
    in.clock = 1e9;
    in.multiprocessors = 16;
    in.lanes = 8;
    in.depth = 4;
    in.global_latency = 500;
    in.local_latency = 4;
    in.groups = 64;
    in.group_warps = 4;
    in.compute = 100;
    in.global = 6;
    in.local = 20;
    in.local_queue = 1;
    return in;
}

static void test_models_qrqw(void)
{
    qrqw_in in = models_qrqw(); // A
    qrqw_out out = qrqw(&in);
    CHECK(!out.prediction.missing);
    SAID(out.blocks, 4);
    SAID(out.compute, 400);
    SAID(out.memory, 3080);
    SAID(out.factor * 1e8, 1.6);
    SAID(out.prediction.seconds * 1e6, 49.28);
    SAID(out.sum_seconds * 1e6, 55.68);
    CHECK_TEXT(out.prediction.bound, "latency");
    in.local_queue = 2; // B
    in.atomics = 1;
    in.atomic_latency = 500;
    in.atomic_queue = 32;
    out = qrqw(&in);
    SAID(out.memory, 19160);
    SAID(out.prediction.seconds * 1e6, 306.56);
    SAID(out.sum_seconds * 1e6, 312.96);
    CHECK_TEXT(out.prediction.bound, "atomics");
    in.clock = 1.98e9; // C
    in.multiprocessors = 132;
    in.lanes = 128;
    in.groups = 4096;
    in.group_warps = 8;
    in.global_latency = 650;
    in.local_latency = 29;
    in.compute = 1024;
    in.global = 129;
    in.local = 2176;
    in.local_queue = 1;
    in.atomics = 0;
    out = qrqw(&in);
    SAID(out.blocks, 32);
    SAID(out.compute, 4096);
    SAID(out.memory, 146954);
    SAID(out.prediction.seconds * 1e6, 1187.507);
    SAID(out.sum_seconds * 1e6, 1220.606);
    in.compute = 1024 + 512; // with counts of the compiled code
    in.local = 1280 + 128;
    out = qrqw(&in);
    SAID(out.prediction.seconds * 1e3, 1.01);
    SAID(out.sum_seconds * 1e3, 1.06);
    in.groups = 65536;
    in.compute = 4096 + 2048;
    in.global = 513;
    in.local = 5120 + 512;
    out = qrqw(&in);
    CHECK_NEAR(out.prediction.seconds * 1e3, 62.3, 0.06);
    SAID(out.sum_seconds * 1e3, 65.4);
    in.global_latency = 265;
    out = qrqw(&in);
    SAID(out.prediction.seconds * 1e3, 37.6);
    in.global = 0;
    CHECK_TEXT(qrqw(&in).prediction.bound, "local memory");
    in.local = 0;
    CHECK_TEXT(qrqw(&in).prediction.bound, "arithmetic");
}

static void test_models_qrqw_bad(void)
{
    static const struct {
        const char *name;
        size_t at;
        bool zero;
    } fields[] = {
        { "clock", offsetof(qrqw_in, clock), false },
        { "multiprocessors", offsetof(qrqw_in, multiprocessors), false },
        { "lanes", offsetof(qrqw_in, lanes), false },
        { "depth", offsetof(qrqw_in, depth), false },
        { "global_latency", offsetof(qrqw_in, global_latency), false },
        { "local_latency", offsetof(qrqw_in, local_latency), false },
        { "groups", offsetof(qrqw_in, groups), false },
        { "group_warps", offsetof(qrqw_in, group_warps), false },
        { "compute", offsetof(qrqw_in, compute), true },
        { "global", offsetof(qrqw_in, global), true },
        { "local", offsetof(qrqw_in, local), true },
        { "atomics", offsetof(qrqw_in, atomics), true },
        { "local_queue", offsetof(qrqw_in, local_queue), false },
    };
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int i = 0; i < MODELS_BAD; i++) {
            qrqw_in in = models_qrqw();
            qrqw_out out;
            *(double *)(void *)((char *)&in + fields[f].at) = models_bad(i);
            out = qrqw(&in);
            if (i == MODELS_BAD - 1 && fields[f].zero) {
                CHECK(out.prediction.seconds > 0 && !out.prediction.missing);
            } else {
                NONE(out.prediction, fields[f].name);
                CHECK(gt__is_nan(out.sum_seconds));
            }
        }
}

// --- the quantitative model ---

static const double models_warps[] = { 1, 2, 4, 8, 16, 32, 64 };
static const double models_fma[] = { .25, .5, 1, 2, 3.9, 4, 4 };
static const double models_int[] = { .2, .4, .8, 1.5, 2, 2, 2 };
static const double models_lsu[] = { .04, .08, .16, .32, .64, .96, 1.0 };
static const double models_gb[] = { .2, .4, .8, 1.6, 3.2, 6.4, 12 };

// A toy: 4 multiprocessors, a product of 64 x 64 with tiles of 16.
static zhang_owens_in models_zhang_owens(zhang_owens_phase *phases)
{
    zhang_owens_in in;
    memset(&in, 0, sizeof in);
    memset(phases, 0, 3 * sizeof *phases);
    phases[0].instructions[1] = 40;
    phases[0].local = 8;
    phases[0].bytes = 1024;
    phases[1].instructions[0] = 64;
    phases[1].instructions[1] = 16;
    phases[1].local = 128;
    phases[2].instructions[1] = 4;
    phases[2].bytes = 128;
    in.clock = 1e9;
    in.multiprocessors = 4;
    in.groups = 16;
    in.group_warps = 8;
    in.active_groups = 1;
    for (int c = 0; c < 2; c++) {
        in.rate[c].warps = models_warps;
        in.rate[c].rate = c ? models_int : models_fma;
        in.rate[c].count = 7;
    }
    in.local_rate.warps = in.global_rate.warps = models_warps;
    in.local_rate.count = in.global_rate.count = 7;
    in.local_rate.rate = models_lsu;
    in.global_rate.rate = models_gb;
    in.phases = phases;
    in.phase_count = 3;
    return in;
}

static void test_models_zhang_owens(void)
{
    zhang_owens_phase phases[3];
    zhang_owens_in in = models_zhang_owens(phases);
    static const double expected[3][3] = { // us of each phase
        { .853333, .8, 20.48 }, { 1.36533, 12.8, 0 }, { .0853333, 0, 2.56 }
    };
    zhang_owens_out out;
    double sum = 0.0;
    for (int i = 0; i < 3; i++) { // each phase alone
        in.phases = &phases[i];
        in.phase_count = 1;
        out = zhang_owens(&in);
        for (int k = 0; k < 3; k++) CHECK_NEAR(out.seconds[k] * 1e6, expected[i][k], 5e-6);
        sum += out.prediction.seconds;
    }
    in.phases = phases;
    in.phase_count = 3;
    out = zhang_owens(&in);
    CHECK(!out.prediction.missing);
    SAID(out.prediction.seconds * 1e6, 35.84);
    CHECK_NEAR(out.prediction.seconds, sum, 1e-15);
    in.groups = 4;
    CHECK_NEAR(zhang_owens(&in).prediction.seconds, sum / 4, 1e-15);
    in.groups = 2; // half of the machine rests
    CHECK_NEAR(zhang_owens(&in).prediction.seconds, sum / 4, 1e-15);
    in.groups = 16;
    in.active_groups = 2;
    out = zhang_owens(&in);
    SAID(out.seconds[0] * 1e6, 1.48513);
    SAID(out.seconds[1] * 1e6, 6.8);
    SAID(out.seconds[2] * 1e6, 11.52);
    SAID(out.prediction.seconds * 1e6, 11.52);
    CHECK_TEXT(out.prediction.bound, "bandwidth");
    SAID(out.second * 1e6, 6.8);
    SAID(out.gain, 1.694);
    phases[1].local *= 4; // conflicts
    out = zhang_owens(&in);
    SAID(out.seconds[0] * 1e6, 1.48513);
    SAID(out.seconds[1] * 1e6, 26.0);
    SAID(out.prediction.seconds * 1e6, 26.0);
    CHECK_TEXT(out.prediction.bound, "local memory");
    SAID(out.gain, 2.257);
    phases[1].local /= 4;
    in.active_groups = 6;
    out = zhang_owens(&in);
    SAID(models_rate(&in.local_rate, 48), 0.98);
    SAID(models_rate(&in.global_rate, 48), 9.2);
    SAID(out.seconds[0] * 1e6, 1.472);
    SAID(out.seconds[1] * 1e6, 4.44082);
    SAID(out.seconds[2] * 1e6, 4.00696);
    SAID(out.prediction.seconds * 1e6, 4.44082);
    CHECK_TEXT(out.prediction.bound, "local memory");
    SAID(out.gain, 1.108);
}

// Nominal peaks of an H200 and the tiled product of 4096, 64 warps: 11.3 ms, or 17.5 if a broadcast
// of 16 bytes takes four turns; 6.4 ms of instructions; 8.9 ms were all from memory, 3.5 from the
// cache.
static void test_models_zhang_owens_h200(void)
{
    static const double warps[] = { 1 }, four[] = { 4 }, one[] = { 1 };
    double bytes[] = { 3.888e12 / (132 * 1.98e9) };
    zhang_owens_phase phase;
    zhang_owens_in in;
    zhang_owens_out out;
    memset(&in, 0, sizeof in);
    memset(&phase, 0, sizeof phase);
    phase.instructions[0] = 4096 + 5120 + 512 + 512 + 1 + 512 + 2048;
    phase.local = 4096 + 1024 + 512;
    phase.bytes = 4 * (2 * pow(4096, 3) / 16 + pow(4096, 2)) / (65536 * 8);
    in.clock = 1.98e9;
    in.multiprocessors = 132;
    in.groups = 65536;
    in.group_warps = in.active_groups = 8;
    in.rate[0].warps = in.local_rate.warps = in.global_rate.warps = warps;
    in.rate[0].count = in.local_rate.count = in.global_rate.count = 1;
    in.rate[0].rate = four;
    in.local_rate.rate = one;
    in.global_rate.rate = bytes;
    in.phases = &phase;
    in.phase_count = 1;
    out = zhang_owens(&in);
    SAID(out.seconds[0] * 1e3, 6.4);
    SAID(out.seconds[1] * 1e3, 11.3);
    SAID(out.seconds[2] * 1e3, 8.9);
    CHECK_TEXT(out.prediction.bound, "local memory");
    phase.local += 3 * 1024;
    bytes[0] *= 9.7 / 3.888;
    out = zhang_owens(&in);
    SAID(out.seconds[1] * 1e3, 17.5);
    SAID(out.seconds[2] * 1e3, 3.5);
    in.groups = 4096; // 1024
    phase.local = 1024 + 256 + 128;
    SAID(zhang_owens(&in).seconds[1] * 1e3, 0.177);
    phase.local = 1024 + 1024 + 128;
    SAID(zhang_owens(&in).seconds[1] * 1e3, 0.273);
}

static void test_models_zhang_owens_bad(void)
{
    zhang_owens_phase phases[3];
    zhang_owens_in in;
    for (int i = 0; i < MODELS_BAD; i++) {
        const double bad = models_bad(i);
        in = models_zhang_owens(phases);
        in.clock = bad;
        NONE(zhang_owens(&in).prediction, "clock");
        in = models_zhang_owens(phases);
        in.groups = bad;
        NONE(zhang_owens(&in).prediction, "groups");
        in = models_zhang_owens(phases);
        in.active_groups = bad;
        NONE(zhang_owens(&in).prediction, "active_groups");
        if (i == MODELS_BAD - 1) continue; // 0 is fine below
        in = models_zhang_owens(phases);
        phases[1].instructions[3] = bad;
        NONE(zhang_owens(&in).prediction, "instructions");
        in = models_zhang_owens(phases);
        phases[2].bytes = bad;
        NONE(zhang_owens(&in).prediction, "bytes");
        in = models_zhang_owens(phases);
        phases[0].local = bad;
        NONE(zhang_owens(&in).prediction, "local");
    }
    in = models_zhang_owens(phases);
    phases[1].instructions[2] = 1; // fp64, of which no rate is known
    NONE(zhang_owens(&in).prediction, "rate");
    in = models_zhang_owens(phases);
    in.global_rate.count = 0;
    NONE(zhang_owens(&in).prediction, "global_rate");
    in = models_zhang_owens(phases);
    in.phase_count = 0;
    NONE(zhang_owens(&in).prediction, "phases");
}

// --- the work-flow graph ---

static wfg_in models_wfg(wfg_node *nodes, double warps, double bytes_a_cycle)
{
    wfg_in in;
    memset(&in, 0, sizeof in);
    memset(nodes, 0, 2 * sizeof *nodes);
    nodes[0].executions = 50; // 200 cycles on 8 lanes
    nodes[1].executions = 10;
    nodes[1].bytes = 128;
    nodes[0].lanes = nodes[1].lanes = 8;
    nodes[0].degree = nodes[1].degree = 1;
    in.clock = 1e9;
    in.multiprocessors = 2;
    in.latency = 500;
    in.bytes_a_cycle = bytes_a_cycle;
    in.lanes = 8;
    in.groups = 2;
    in.group_warps = warps;
    in.active_groups = 1;
    in.nodes = nodes;
    in.node_count = 2;
    return in;
}

static void test_models_wfg(void)
{
    wfg_node nodes[2];
    wfg_in in = models_wfg(nodes, 8, 2); // A
    wfg_out out = wfg(&in);
    CHECK(!out.prediction.missing);
    SAID(out.compute, 200);
    SAID(out.requests, 10);
    SAID(out.memory, 640);
    SAID(out.bandwidth_latency, 48);
    SAID(out.exposed, 336);
    SAID(out.by_bandwidth, 3840);
    SAID(out.by_latency, 3640);
    SAID(out.round, 5440);
    SAID(out.prediction.seconds * 1e6, 5.44);
    CHECK_TEXT(out.prediction.bound, "bandwidth");
    CHECK_NEAR(out.round, 8 * 640 + 8 * 10 * 4, 1e-9); // all bytes, and issuing the requests

    in = models_wfg(nodes, 2, 8); // B
    in.slack = 20;
    in.pipeline = 24;
    in.dependent = 50;
    out = wfg(&in);
    SAID(out.memory, 160);
    SAID(out.bandwidth_latency, 4);
    SAID(out.exposed, 460);
    SAID(out.by_bandwidth, 80);
    SAID(out.by_latency, 4640);
    SAID(out.pipe, 800);
    SAID(out.round, 5840);
    CHECK_TEXT(out.prediction.bound, "latency");
    in.pipeline = 0; // latency alone: one warp's instructions and its requests' latencies
    CHECK_NEAR(wfg(&in).round, 200 + 10 * (500 + 4 - 20), 1e-9);

    in = models_wfg(nodes, 8, 8); // C: 24 warps
    in.active_groups = 3;
    in.groups = 4 * 3 * 2;
    in.barriers = 2;
    in.barrier = 30;
    out = wfg(&in);
    SAID(out.bandwidth_latency, 4);
    SAID(out.exposed, 4);
    SAID(out.by_bandwidth, 960);
    SAID(out.by_latency, 960);
    SAID(out.synchronisation, 180);
    SAID(out.round, 5940);
    SAID(out.prediction.seconds * 1e6, 23.76);
    CHECK_TEXT(out.prediction.bound, "arithmetic");
    in.barriers = 0; // everything is issued once for every warp
    CHECK_NEAR(wfg(&in).round, 24 * (200 + 10 * 4), 1e-9);

    nodes[0].degree = 4; // conflicts
    CHECK_NEAR(wfg(&in).compute, 800, 0);
    nodes[0].degree = 1;
    in.node_count = 1; // no memory
    out = wfg(&in);
    CHECK_NEAR(out.round, 24 * 200, 0);
    in.groups = 4 * 3 * 2 + 2; // and a round of one group each
    CHECK_NEAR(wfg(&in).prediction.seconds, (4 * 24 + 8) * 200e-9, 1e-15);
    in.groups = 1; // fewer than there is room for
    CHECK_NEAR(wfg(&in).prediction.seconds, 8 * 200e-9, 1e-15);
    in.pipeline = 1e6;
    in.dependent = 50;
    CHECK_TEXT(wfg(&in).prediction.bound, "pipeline");
    in.barriers = 1e6;
    in.barrier = 1e6;
    CHECK_TEXT(wfg(&in).prediction.bound, "barriers");
}

static void test_models_wfg_bad(void)
{
    static const struct {
        const char *name;
        size_t at;
        bool zero;
    } fields[] = {
        { "clock", offsetof(wfg_in, clock), false },
        { "multiprocessors", offsetof(wfg_in, multiprocessors), false },
        { "latency", offsetof(wfg_in, latency), false },
        { "bytes_a_cycle", offsetof(wfg_in, bytes_a_cycle), false },
        { "lanes", offsetof(wfg_in, lanes), false },
        { "pipeline", offsetof(wfg_in, pipeline), true },
        { "barrier", offsetof(wfg_in, barrier), true },
        { "groups", offsetof(wfg_in, groups), false },
        { "group_warps", offsetof(wfg_in, group_warps), false },
        { "active_groups", offsetof(wfg_in, active_groups), false },
        { "slack", offsetof(wfg_in, slack), true },
        { "dependent", offsetof(wfg_in, dependent), true },
        { "barriers", offsetof(wfg_in, barriers), true },
    };
    wfg_node nodes[2];
    wfg_in in;
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
        for (int i = 0; i < MODELS_BAD; i++) {
            wfg_out out;
            in = models_wfg(nodes, 2, 8);
            *(double *)(void *)((char *)&in + fields[f].at) = models_bad(i);
            out = wfg(&in);
            if (i == MODELS_BAD - 1 && fields[f].zero)
                CHECK(out.prediction.seconds > 0 && !out.prediction.missing);
            else
                NONE(out.prediction, fields[f].name);
        }
    in = models_wfg(nodes, 2, 8);
    nodes[0].degree = 0;
    NONE(wfg(&in).prediction, "degree");
    in = models_wfg(nodes, 2, 8);
    nodes[1].bytes = NAN;
    NONE(wfg(&in).prediction, "bytes");
    in = models_wfg(nodes, 2, 8);
    nodes[0].lanes = 0;
    NONE(wfg(&in).prediction, "lanes");
}

// --- PMAC ---

static void test_models_pmac(void)
{
    static const double sizes[] = { 0, 512, 1024, 2048, 3072, 4096, 5120 };
    static const double bandwidths[] = { 0.9269, 1.9509, 2.9749, 5.0229, 7.0709, 7.3781, 7.6853 };
    const double loads = 2 * pow(1024, 3) / 16, stores = pow(1024, 2);
    pmac_block blocks[2];
    pmac_curve curve;
    int slowest = -1;
    memset(&curve, 0, sizeof curve); // F1: the curve of a Tesla C2050
    curve.constant = 7.0709;
    curve.terms = 2;
    for (int t = 0; t < 2; t++) {
        curve.term[t].knot = 3072;
        curve.term[t].side = t ? 1 : -1;
        curve.term[t].coefficient = t ? 0.0003 : -0.0020;
    }
    for (int i = 0; i < 7; i++)
        CHECK_NEAR(pmac_bandwidth(&curve, sizes[i]), bandwidths[i], 1e-12);
    SAID(loads, 134217728);
    SAID(stores, 1048576);
    SAID(4 * (loads + stores), 541065216);
    blocks[0].references = loads;
    blocks[1].references = stores;
    blocks[0].size = blocks[1].size = 4;
    blocks[0].bandwidth = blocks[1].bandwidth = 1e9 * pmac_bandwidth(&curve, 1024);
    SAID(pmac(blocks, 2, &slowest).seconds * 1e3, 181.8767743);
    CHECK_INT(slowest, 0);
    for (int n = 1024; n <= 4096; n *= 4) { // an H200's cache and memory, ms
        pmac_block all = { 2 * pow(n, 3) / 16 + pow(n, 2), 4, 9.7e12 };
        const double cached = 1e3 * pmac(&all, 1, NULL).seconds;
        all.bandwidth = 3.888e12;
        if (n == 1024) {
            SAID(cached, 0.056);
            SAID(1e3 * pmac(&all, 1, NULL).seconds, 0.139);
        } else {
            CHECK_NEAR(cached, 3.5, 0.0500001);
            SAID(1e3 * pmac(&all, 1, NULL).seconds, 8.9);
        }
    }
    blocks[0].references = 1e6; // F2
    blocks[0].bandwidth = 2e9;
    blocks[1].references = 2e5;
    blocks[1].size = 8;
    blocks[1].bandwidth = 0.5e9;
    SAID(pmac(blocks, 1, NULL).seconds * 1e3, 2.0);
    SAID(pmac(blocks + 1, 1, NULL).seconds * 1e3, 3.2);
    SAID(pmac(blocks, 2, &slowest).seconds * 1e3, 5.2);
    CHECK_INT(slowest, 1);
    CHECK_TEXT(pmac(blocks, 2, NULL).bound, "");
    CHECK(!pmac(blocks, 2, NULL).missing);
    for (int i = 0; i < MODELS_BAD; i++) {
        blocks[1].bandwidth = models_bad(i);
        NONE(pmac(blocks, 2, NULL), "bandwidth");
    }
    blocks[1].bandwidth = 1;
    blocks[1].references = -1;
    NONE(pmac(blocks, 2, NULL), "references");
    NONE(pmac(blocks, 0, NULL), "blocks");
}

static void test_models_pmac_fit(void)
{
    static const double y[12] = { 1.10,  2.40,  4.05,  5.45,  7.10,  8.40,
                                  10.05, 10.20, 10.60, 10.65, 11.05, 11.20 }; // F3
    double x[12], bad[12];
    pmac_curve curve;
    for (int i = 0; i < 12; i++) x[i] = i + 1;
    memset(&curve, 0, sizeof curve);
    pmac_solve(&curve, x, y, 12);
    SAID(curve.constant, 7.6875);
    SAID(curve.rss, 143.240625);
    SAID(curve.gcv, 14.20568182);
    for (int k = 6; k <= 8; k++) {
        curve.terms = 0;
        pmac_add(&curve, k, 1);
        pmac_add(&curve, k, -1);
        pmac_solve(&curve, x, y, 12);
        if (k == 6) SAID(curve.rss, 1.333111546);
        if (k == 7) SAID(curve.rss, 0.07358268102);
        if (k == 8) SAID(curve.rss, 1.248846273);
    }
    curve.terms = 0; // a second pair explains no more than one term
    pmac_add(&curve, 7, 1);
    pmac_add(&curve, 7, -1);
    pmac_add(&curve, 2, 1);
    pmac_solve(&curve, x, y, 12);
    SAID(curve.rss, 0.06115835777);
    CHECK(curve.gcv > 0.02452756034);
    pmac_add(&curve, 2, -1);
    pmac_solve(&curve, x, y, 12);
    SAID(curve.rss, 0.06115835777);
    SAID(curve.gcv, 0.7339);

    CHECK(pmac_fit(x, y, 12, &curve));
    CHECK_INT(curve.terms, 2);
    SAID(curve.constant, 9.998972603);
    for (int t = 0; t < 2; t++) {
        CHECK_NEAR(curve.term[t].knot, 7, 0);
        if (curve.term[t].side > 0) SAID(curve.term[t].coefficient, 0.2466438356);
        else SAID(curve.term[t].coefficient, -1.497015656);
    }
    SAID(curve.gcv, 0.02452756034);
    SAID(1 - curve.rss / models_spread(y, 12, 1, NULL), 0.9994863002);
    CHECK_NEAR(pmac_bandwidth(&curve, 3), 4.010909979, 2e-9); // of rounded coefficients
    SAID(pmac_bandwidth(&curve, 7.5), 10.12229452);

    CHECK(pmac_fit(x, y, 1, &curve)); // a point: its height
    CHECK_NEAR(pmac_bandwidth(&curve, 99), 1.1, 1e-12);
    CHECK(pmac_fit(x, y, 2, &curve));
    memcpy(bad, y, sizeof bad);
    bad[3] = NAN;
    CHECK(!pmac_fit(x, bad, 12, &curve));
    CHECK(!pmac_fit(bad, y, 12, &curve));
    CHECK(!pmac_fit(x, y, 0, &curve));
    CHECK(!pmac_fit(x, y, PMAC_POINTS + 1, &curve));
    CHECK_INT(curve.terms, 0);
}

// --- Eiger ---

enum { MODELS_TRIALS = 10 };

static const double models_trials[MODELS_TRIALS][3] = {
    { 10, 21, 64 },  { 20, 39, 128 },  { 30, 62, 256 },  { 40, 79, 64 },   { 50, 101, 128 },
    { 60, 118, 256 }, { 70, 143, 64 }, { 80, 158, 128 }, { 90, 182, 256 }, { 100, 199, 64 }
};

static void models_times(double *y)
{
    static const double noise[MODELS_TRIALS] = { .03,  -.02, .01,  .02,  -.03,
                                                 .02, -.01, .01, -.02, .01 };
    for (int i = 0; i < MODELS_TRIALS; i++)
        y[i] = 0.05 * models_trials[i][0] + 0.02 * models_trials[i][1] + 60 / models_trials[i][2] +
               noise[i];
}

static void test_models_eiger_components(void)
{
    static const double mean[3] = { 55, 110.2, 140.8 };
    static const double deviation[3] = { 30.27650354, 60.4332506, 84.25991534 };
    static const double eigenvalue[3] = { 2.0137477632, 0.9858077252, 0.0004445116 };
    static const double loading[3][2] = { { 0.9963792132, -0.0837033685 },
                                          { 0.9965780109, -0.0813017058 },
                                          { 0.1667587921, 0.9859977201 } };
    static const double rotated[3][2] = { { 0.9990375879, 0.0412515254 },
                                          { 0.9989352187, 0.0436592266 },
                                          { 0.0424501774, 0.9990985843 } };
    static const double weight[3][2] = { { 0.5015156893, -0.0225188988 },
                                         { 0.5013097110, -0.0200893769 },
                                         { -0.0426134939, 1.0027098840 } };
    double again[EIGER_METRICS][EIGER_METRICS], none[EIGER_METRICS][EIGER_METRICS];
    double y[MODELS_TRIALS];
    eiger_model m;
    models_times(y);
    m = eiger_fit(&models_trials[0][0], y, MODELS_TRIALS, 3, 0, 0);
    CHECK(!m.missing);
    CHECK_INT(m.components, 2);
    SAID((m.eigenvalue[0] + m.eigenvalue[1]) / 3, 0.999852);
    for (int j = 0; j < 3; j++) {
        double correlation = 0.0;
        CHECK_NEAR(m.mean[j], mean[j], 1e-10);
        CHECK_NEAR(m.deviation[j], deviation[j], 5e-9);
        CHECK_NEAR(m.eigenvalue[j], eigenvalue[j], 5.1e-11);
        for (int c = 0; c < 2; c++) {
            CHECK_NEAR(m.loading[j][c], loading[j][c], 5.1e-11);
            CHECK_NEAR(m.rotated[j][c], rotated[j][c], 5.1e-11);
            CHECK_NEAR(m.weight[j][c], weight[j][c], 5.1e-11);
        }
        for (int i = 0; i < MODELS_TRIALS; i++) // of this metric and the next
            correlation += (models_trials[i][j] - m.mean[j]) / m.deviation[j] *
                           (models_trials[i][(j + 1) % 3] - m.mean[(j + 1) % 3]) /
                           m.deviation[(j + 1) % 3] / 9;
        if (j == 0) SAID(correlation, 0.9995525860);
        if (j == 1) SAID(correlation, 0.0860243111);
        if (j == 2) SAID(correlation, 0.0836242010);
    }
    memset(none, 0, sizeof none);
    memcpy(again, m.loading, sizeof again);
    SAID(eiger_criterion(again, 3, 2), 0.4141114126);
    CHECK_INT(eiger_varimax(again, none, 3, 2), 2);
    SAID(eiger_criterion(again, 3, 2), 0.4411465565);
    CHECK_NEAR(atan2(again[2][0], again[2][1]) - atan2(m.loading[2][0], m.loading[2][1]),
               -0.1250785752, 1e-6);
    SAID(eiger_score(&m, models_trials[0], 0), -1.4465000501);
    SAID(eiger_score(&m, models_trials[0], 1), -0.8508134384);
    SAID(eiger_score(&m, models_trials[9], 0), 1.5208633981);
    SAID(eiger_score(&m, models_trials[9], 1), -0.9769243845);
    SAID(m.least[0], -1.4465000501);
    SAID(m.least[1], -0.9769243845);
    for (int a = 0; a < 2; a++) // scores have unit variance and no correlation
        for (int b = 0; b < 2; b++) {
            double sum = 0.0;
            for (int i = 0; i < MODELS_TRIALS; i++)
                sum += eiger_score(&m, models_trials[i], a) *
                       eiger_score(&m, models_trials[i], b) / 9;
            CHECK_NEAR(sum, a == b, 1e-10);
        }
}

// No pair of components can be turned any further to gain.
static void test_models_varimax(void)
{
    enum { ROWS = 6, COLUMNS = 3 };
    double loading[EIGER_METRICS][EIGER_METRICS], turned[EIGER_METRICS][EIGER_METRICS];
    uint64_t random = 11;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) loading[i][j] = test_random_normal(&random);
    memcpy(turned, loading, sizeof turned); // weights: turned along with the loadings
    CHECK(eiger_varimax(loading, turned, ROWS, COLUMNS) < 100);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) CHECK_NEAR(loading[i][j], turned[i][j], 0);
    for (int a = 0; a < COLUMNS; a++)
        for (int b = 0; b < COLUMNS; b++) {
            if (a == b) continue;
            memcpy(turned, loading, sizeof turned);
            for (int i = 0; i < ROWS; i++) {
                turned[i][a] = cos(0.01) * loading[i][a] + sin(0.01) * loading[i][b];
                turned[i][b] = cos(0.01) * loading[i][b] - sin(0.01) * loading[i][a];
            }
            CHECK(eiger_criterion(turned, ROWS, COLUMNS) < eiger_criterion(loading, ROWS, COLUMNS));
        }
}

static void test_models_eiger(void)
{
    volatile size_t small = 10; // or the compiler knows that it is cut
    static const double times[MODELS_TRIALS] = { 1.8875,   2.22875, 2.984375, 4.5375,   4.95875,
                                                 5.614375, 7.2875,  7.63875,  8.354375, 9.9275 };
    static const double query[3] = { 55, 110, 128 };
    double y[MODELS_TRIALS], error = 0.0, u[EIGER_METRICS];
    char text[200];
    eiger_model m;
    models_times(y);
    for (int i = 0; i < MODELS_TRIALS; i++) CHECK_NEAR(y[i], times[i], 1e-12);
    m = eiger_fit(&models_trials[0][0], y, MODELS_TRIALS, 3, 0, 0.01);
    CHECK_INT(m.terms, 1);
    SAID(m.constant, -1.101803243);
    SAID(m.term[0].coefficient, 2.715610303);
    SAID(m.r2, 0.9933663574);
    SAID(m.adjusted, 0.9925371521);
    SAID(m.next, 0.00709);
    CHECK_TEXT(eiger_text(&m, text, sizeof text), "-1.102 + 2.716 u0");
    for (int i = 0; i < MODELS_TRIALS; i++)
        error += 10 * fabs(eiger_predict(&m, models_trials[i]) - y[i]) / y[i];
    SAID(error, 4.992751);
    SAID(eiger_predict(&m, query), 5.5550115392);

    m = eiger_fit(&models_trials[0][0], y, MODELS_TRIALS, 3, 0, 0.001);
    CHECK_INT(m.terms, 2);
    SAID(m.constant, -1.313178475);
    SAID(m.term[0].coefficient, 2.688873558);
    SAID(m.term[1].coefficient, 0.585734488);
    SAID(m.r2, 0.9997137377);
    SAID(m.adjusted, 0.9996319485);
    CHECK_TEXT(eiger_text(&m, text, sizeof text), "-1.313 + 2.689 u0 + 0.5857 u1^-2");
    CHECK_TEXT(eiger_text(&m, text, small), "-1.313 + ");
    error = 0.0;
    for (int i = 0; i < MODELS_TRIALS; i++)
        error += 10 * fabs(eiger_predict(&m, models_trials[i]) - y[i]) / y[i];
    SAID(error, 1.046622);
    SAID(eiger_score(&m, query, 0), 0.0048144018);
    SAID(eiger_score(&m, query, 1), -0.1522560815);
    eiger_inputs(&m, query, u);
    SAID(u[0], 2.4513144519);
    SAID(u[1], 1.8246683031);
    SAID(eiger_predict(&m, query), 5.4540233182);
}

static void test_models_eiger_bad(void)
{
    static const double far_away[3] = { -1e6, -1e6, 64 }, nothing[3] = { 1, NAN, 3 };
    double x[MODELS_TRIALS][3], y[MODELS_TRIALS];
    eiger_model m;
    models_times(y);
    m = eiger_fit(&models_trials[0][0], y, MODELS_TRIALS, 3, 0, 0.01);
    CHECK_NEAR(eiger_predict(&m, far_away), 1.8875 / 10, 1e-12); // of the fastest
    CHECK(gt__is_nan(eiger_predict(&m, nothing)));
    memcpy(x, models_trials, sizeof x);
    CHECK_TEXT(eiger_fit(&x[0][0], y, 2, 3, 0, 0).missing, "rows");
    CHECK_TEXT(eiger_fit(&x[0][0], y, MODELS_TRIALS, 0, 0, 0).missing, "metrics");
    CHECK_TEXT(eiger_fit(&x[0][0], y, 1, EIGER_METRICS + 1, 0, 0).missing, "metrics");
    for (int i = 0; i < MODELS_BAD; i++) {
        models_times(y);
        y[4] = models_bad(i);
        m = eiger_fit(&x[0][0], y, MODELS_TRIALS, 3, 0, 0);
        CHECK_TEXT(m.missing, "y");
        CHECK(gt__is_nan(eiger_predict(&m, x[0])));
    }
    models_times(y);
    x[2][1] = INFINITY;
    CHECK_TEXT(eiger_fit(&x[0][0], y, MODELS_TRIALS, 3, 0, 0).missing, "x");
    for (int i = 0; i < MODELS_TRIALS; i++) x[i][0] = x[i][1] = x[i][2] = 7;
    CHECK_TEXT(eiger_fit(&x[0][0], y, MODELS_TRIALS, 3, 0, 0).missing, "x");
    for (int i = 0; i < MODELS_TRIALS; i++) y[i] = 2;
    CHECK_TEXT(eiger_fit(&models_trials[0][0], y, MODELS_TRIALS, 3, 0, 0).missing, "y");
    models_times(y);
    for (int i = 0; i < MODELS_TRIALS; i++) x[i][1] = models_trials[i][0]; // the same; a constant
    m = eiger_fit(&x[0][0], y, MODELS_TRIALS, 3, 1, 0);
    CHECK(!m.missing && m.components == 1 && m.terms > 0);
    CHECK(eiger_predict(&m, x[0]) > 0);
}

static void test_models_eiger_outside(void)
{
    double y[MODELS_TRIALS], x[MODELS_TRIALS][3];
    // of the first metric 4 deviations of 30.27650354 about 55, see above; the least is said
    const double near_it[3] = { 55 + 4 * 30.2765, 110.2, 140.8 };
    const double far_off[3] = { 55 - 4 * 30.2766, 110.2, 140.8 };
    const double both[3] = { 55, 110.2 - 60.4332506, 140.8 + 2 * 84.25991534 };
    const double nothing[3] = { 55, NAN, 140.8 };
    eiger_model m;
    models_times(y);
    m = eiger_fit(&models_trials[0][0], y, MODELS_TRIALS, 3, 0, 0.01);
    for (int c = 0; c < m.components; c++) { // else scores would be outside first
        m.least[c] -= 10;
        m.most[c] += 10;
    }
    CHECK(!eiger_outside(&m, near_it));
    CHECK(eiger_outside(&m, far_off));
    CHECK_NEAR(eiger_distance(&m, near_it), 4, 1e-6);
    CHECK_NEAR(eiger_distance(&m, both), 2, 1e-8);
    CHECK(eiger_outside(&m, nothing));
    for (int i = 0; i < MODELS_TRIALS; i++) {
        CHECK(!eiger_outside(&m, models_trials[i]));
        memcpy(x[i], models_trials[i], sizeof x[i]);
        x[i][2] = 128; // always
    }
    m = eiger_fit(&x[0][0], y, MODELS_TRIALS, 3, 0, 0.01);
    CHECK(!eiger_outside(&m, x[3]));
    x[3][2] = 129;
    CHECK(eiger_outside(&m, x[3]));
    CHECK(isinf(eiger_distance(&m, x[3])));
    m.missing = "y";
    CHECK(!eiger_outside(&m, x[3])); // there is nothing to be outside of
}

// One metric of ten trials, its score being (x - 5.5) / 3.0277, and times of 2^(10 + x) ns.
static void test_models_eiger_log2(void)
{
    double x[MODELS_TRIALS], y[MODELS_TRIALS];
    const double deviation = sqrt(82.5 / 9);
    const double below = 1 - 0.49 * deviation, above = 10 + 0.49 * deviation;
    const double far_below = 1 - 0.51 * deviation, far_above = 10 + 0.51 * deviation;
    const double nothing = NAN, least = -1e6;
    eiger_model m;
    eiger_mixture two;
    for (int i = 0; i < MODELS_TRIALS; i++) {
        x[i] = i + 1;
        y[i] = 11 + i;
    }
    m = eiger_fit(x, y, MODELS_TRIALS, 1, 0, 0);
    CHECK(!m.missing);
    CHECK_NEAR(m.least[0], -4.5 / deviation, 1e-12);
    CHECK_NEAR(m.most[0], 4.5 / deviation, 1e-12);
    CHECK(!eiger_outside(&m, &below));
    CHECK(!eiger_outside(&m, &above));
    CHECK(eiger_outside(&m, &far_below)); // within 4 deviations, all of them
    CHECK(eiger_outside(&m, &far_above));
    CHECK(eiger_distance(&m, &far_above) < 4);
    CHECK(eiger_outside(&m, &nothing));
    for (int i = 0; i < MODELS_TRIALS; i++)
        CHECK_NEAR(eiger_predict_log2(&m, &x[i]), exp2(y[i]), 1e-6 * exp2(y[i]));
    m.constant -= 100; // a tenth of 2^11, not of 11
    CHECK_NEAR(eiger_predict_log2(&m, &least), 204.8, 1e-9);
    CHECK(gt__is_nan(eiger_predict_log2(&m, &nothing)));
    eiger_fit_clusters(x, y, MODELS_TRIALS, 1, 0, 0, 2, 1, &two);
    CHECK(!two.missing);
    for (int i = 0; i < MODELS_TRIALS; i++) {
        CHECK_NEAR(eiger_predict_clusters_log2(&two, &x[i]), exp2(y[i]), 1e-6 * exp2(y[i]));
        CHECK_NEAR(eiger_predict_clusters(&two, &x[i]), y[i], 1e-9);
    }
    two.model[0].constant -= 100;
    two.model[1].constant -= 100;
    CHECK_NEAR(eiger_predict_clusters_log2(&two, &x[9]),
               exp2(eiger_cluster(&two, &x[9])->fastest) / 10, 1e-9);
    CHECK(gt__is_nan(eiger_predict_clusters_log2(&two, &nothing)));
    m.missing = two.missing = "y";
    CHECK(gt__is_nan(eiger_predict_log2(&m, &x[0])));
    CHECK(gt__is_nan(eiger_predict_clusters_log2(&two, &x[0])));
}

// The least sum of squares about the means of two parts, of all parts that there are.
static double models_two_parts(const double *x, int rows, int columns)
{
    double least = INFINITY;
    for (int parts = 1; parts < 1 << (rows - 1); parts++) {
        double sum = 0.0;
        for (int which = 0; which < 2; which++)
            for (int c = 0; c < columns; c++) {
                double of[16];
                int count = 0;
                for (int r = 0; r < rows; r++)
                    if ((parts >> r & 1) == which) of[count++] = x[r * columns + c];
                sum += models_spread(of, count, 1, NULL);
            }
        least = fmin(least, sum);
    }
    return least;
}

static void test_models_means(void)
{
    double y[MODELS_TRIALS], scores[MODELS_TRIALS][2], centres[EIGER_CLUSTERS][EIGER_METRICS];
    double least, found = INFINITY;
    int cluster[MODELS_TRIALS];
    eiger_model m;
    models_times(y);
    m = eiger_fit(&models_trials[0][0], y, MODELS_TRIALS, 3, 0, 0.01);
    CHECK_INT(m.components, 2);
    for (int i = 0; i < MODELS_TRIALS; i++)
        for (int c = 0; c < 2; c++) scores[i][c] = eiger_score(&m, models_trials[i], c);
    least = models_two_parts(&scores[0][0], MODELS_TRIALS, 2);
    for (uint64_t seed = 0; seed < 20; seed++) {
        const double sum =
            eiger_means(&scores[0][0], MODELS_TRIALS, 2, 2, seed, &centres[0][0], cluster);
        double again = 0.0;
        CHECK(sum >= least - 1e-12);
        found = fmin(found, sum);
        for (int k = 0; k < 2; k++) {
            double mean[2] = { 0, 0 };
            int count = 0;
            for (int i = 0; i < MODELS_TRIALS; i++) {
                if (cluster[i] != k) continue;
                count++;
                again += eiger_apart(scores[i], centres[k], 2);
                CHECK(eiger_apart(scores[i], centres[k], 2) <=
                      eiger_apart(scores[i], centres[!k], 2));
                for (int c = 0; c < 2; c++) mean[c] += (scores[i][c] - mean[c]) / count;
            }
            CHECK(count > 0);
            for (int c = 0; c < 2; c++) CHECK_NEAR(centres[k][c], mean[c], 1e-12);
        }
        CHECK_NEAR(sum, again, 1e-12);
    }
    CHECK_NEAR(found, least, 1e-12); // some seed finds the best
    eiger_means(&scores[0][0], MODELS_TRIALS, 2, 1, 7, &centres[0][0], cluster);
    for (int c = 0; c < 2; c++) CHECK_NEAR(centres[0][c], 0, 1e-12); // scores are about their mean
    for (int i = 0; i < 4; i++) scores[i][0] = scores[i][1] = i / 2; // two places, four points
    CHECK_NEAR(eiger_means(&scores[0][0], 4, 2, 4, 3, &centres[0][0], cluster), 0, 0);
    for (int i = 0; i < MODELS_TRIALS; i++) // most in one place: what is far is drawn nevertheless
        scores[i][0] = scores[i][1] = i < 8 ? 0 : 100 * (i - 7);
    for (uint64_t seed = 0; seed < 20; seed++)
        CHECK_NEAR(eiger_means(&scores[0][0], MODELS_TRIALS, 2, 3, seed, &centres[0][0], cluster),
                   0, 0);
}

// Two kinds of trials, each with a formula of its own.
static void test_models_clusters(void)
{
    enum { ROWS = 40 };
    static eiger_mixture two, one;
    double x[ROWS][2], y[ROWS], error[2] = { 0, 0 };
    eiger_model m;
    for (int i = 0; i < ROWS; i++) {
        const double at = i % 20 / 20.0;
        x[i][0] = i < 20 ? at : 100 + at;
        x[i][1] = fmod(0.618 * i, 1.0);
        y[i] = i < 20 ? 5 + 40 * x[i][1] * x[i][1] : 90 - 60 * x[i][1];
    }
    m = eiger_fit(&x[0][0], y, ROWS, 2, 1, 0);
    eiger_fit_clusters(&x[0][0], y, ROWS, 2, 1, 0, 1, 1, &one);
    eiger_fit_clusters(&x[0][0], y, ROWS, 2, 1, 0, 2, 1, &two);
    CHECK(!one.missing && !two.missing);
    for (int i = 0; i < ROWS; i++) {
        CHECK_NEAR(eiger_predict_clusters(&one, x[i]), eiger_predict(&m, x[i]), 1e-9);
        error[0] += fabs(eiger_predict_clusters(&one, x[i]) - y[i]) / ROWS;
        error[1] += fabs(eiger_predict_clusters(&two, x[i]) - y[i]) / ROWS;
    }
    CHECK(error[1] < 0.1 * error[0]);
    CHECK(error[1] < 0.5);
    for (int i = 0; i < ROWS; i++) y[i] = i < 20 ? 3 : 7; // one value each
    eiger_fit_clusters(&x[0][0], y, ROWS, 2, 1, 0, 2, 1, &two);
    for (int i = 0; i < ROWS; i++) CHECK_NEAR(eiger_predict_clusters(&two, x[i]), y[i], 1e-9);
    x[0][0] = NAN;
    CHECK(gt__is_nan(eiger_predict_clusters(&two, x[0])));
    eiger_fit_clusters(&x[0][0], y, ROWS, 2, 1, 0, 2, 1, &two);
    CHECK_TEXT(two.missing, "x");
    CHECK(gt__is_nan(eiger_predict_clusters(&two, x[1])));
    x[0][0] = 0;
    eiger_fit_clusters(&x[0][0], y, ROWS, 2, 1, 0, 0, 1, &two);
    CHECK_TEXT(two.missing, "clusters");
    eiger_fit_clusters(&x[0][0], y, ROWS, 2, 1, 0, EIGER_CLUSTERS + 1, 1, &two);
    CHECK_TEXT(two.missing, "clusters");
}

// --- Stargazer ---

enum { MODELS_SAMPLES = 24 };

static void models_samples(double x[MODELS_SAMPLES][3], double *y)
{
    int i = 0;
    for (int tile = 4; tile <= 32; tile *= 2)
        for (int unroll = 1; unroll <= 4; unroll *= 2)
            for (int vec = 0; vec <= 1; vec++, i++) {
                x[i][0] = tile;
                x[i][1] = unroll;
                x[i][2] = vec;
                y[i] = 20.0 / tile + 0.05 * tile + 1.0 / unroll + (0.5 - 0.02 * tile) * vec + 2 +
                       ((7 * i + 3) % 24 - 11.5) / 500;
            }
}

static void test_models_stargazer(void)
{
    static const double tile[4][3] = { { 4, 0, 0 }, { 8, 2.285714286, 0 },
                                       { 16, 61.71428571, 21.33333333 }, { 32, 528, 320 } };
    static const double unroll[3][2] = { { 1, 0 }, { 2, 0.3333333333 }, { 4, 5 } };
    static const double fitted[6] = { 8.197, 8.615, 7.695, 8.113, 7.443, 7.861 };
    static const double alone[3] = { 0.9366073821, 0.0520221451, 0.0051908335 };
    double x[MODELS_SAMPLES][3], y[MODELS_SAMPLES], columns[STARGAZER_KNOTS], error = 0.0;
    double memory[MODELS_SAMPLES * (MODELS_COLUMNS + 1)];
    stargazer_data data;
    stargazer_model m, with;
    stargazer_param p;
    int best = 0;
    models_samples(x, y);
    SAID(y[0], 8.183);
    SAID(y[5], 7.875);
    p = stargazer_knots(&x[0][0], MODELS_SAMPLES, 3);
    CHECK_INT(p.knots, 4);
    for (int k = 0; k < 4; k++) CHECK_NEAR(p.knot[k], 4 << k, 1e-12);
    p.low = 0; // columns of x itself, as they are published
    p.range = 1;
    for (int k = 0; k < 4; k++) {
        CHECK_INT(stargazer_columns(&p, 4 << k, columns), 3);
        for (int c = 0; c < 3; c++) CHECK_NEAR(columns[c], tile[k][c], 5e-9 * (1 + tile[k][c]));
    }
    p = stargazer_knots(&x[0][1], MODELS_SAMPLES, 3);
    CHECK_INT(p.knots, 3);
    p.low = 0;
    p.range = 1;
    for (int k = 0; k < 3; k++) {
        CHECK_INT(stargazer_columns(&p, 1 << k, columns), 2);
        for (int c = 0; c < 2; c++) CHECK_NEAR(columns[c], unroll[k][c], 1e-10);
    }
    CHECK_INT(stargazer_knots(&x[0][2], MODELS_SAMPLES, 3).knots, 0);

    m = stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, false);
    CHECK(!m.missing);
    CHECK_INT(m.terms, 4);
    CHECK(m.term[0].a == 0 && m.term[1].a == 1 && m.term[2].a == 2 && m.term[2].b == -1);
    CHECK(m.term[3].a == 2 && m.term[3].b == 0);
    SAID(m.term[0].r2, 0.9366073821);
    SAID(m.term[1].adjusted, 0.9854710625);
    SAID(m.term[1].r2, 0.9886295271);
    SAID(m.term[2].adjusted, 0.9916393115);
    SAID(m.term[2].r2, 0.9938203606);
    SAID(m.term[3].adjusted, 0.9998538241);
    SAID(m.term[3].r2, 0.9999110234);
    CHECK_INT(m.columns - 1, 9);
    SAID(m.rss, 0.004032);
    for (int i = 0; i < MODELS_SAMPLES; i++) {
        const double predicted = stargazer_predict(&m, x[i]);
        error += 100 * fabs(predicted - y[i]) / y[i] / MODELS_SAMPLES;
        if (i < 6) CHECK_NEAR(predicted, fitted[i], 0.0005001);
        if (predicted < stargazer_predict(&m, x[best])) best = i;
    }
    SAID(error, 0.200923);
    CHECK(x[best][0] == 16 && x[best][1] == 4 && x[best][2] == 0);

    // What was turned down on the way
    data.x = &x[0][0];
    data.y = y;
    data.rows = MODELS_SAMPLES;
    data.memory = memory;
    for (int a = 0; a < 3; a++) {
        with = m;
        with.terms = 0;
        CHECK(stargazer_try(&data, &with, a, -1, &with));
        CHECK_NEAR(with.r2, alone[a], 5.1e-11);
    }
    with = m;
    with.terms = 1;
    CHECK(stargazer_try(&data, &with, 2, -1, &with));
    SAID(with.adjusted, 0.9295452083);
    with = m;
    with.terms = 2;
    CHECK(stargazer_try(&data, &with, 1, 0, &with));
    SAID(with.adjusted, 0.9782471981);
    with = m;
    CHECK(stargazer_try(&data, &with, 2, 1, &with));
    SAID(with.adjusted, 0.9998375823);
}

// Each term but the first has to bring the adjusted R2 to the plain one before it, and what was
// left out does not: on numbers in which there is little to find.
static void test_models_stargazer_rule(void)
{
    enum { ROWS = 30, PARAMS = 4 };
    double x[ROWS][PARAMS], y[ROWS], memory[ROWS * (MODELS_COLUMNS + 1)];
    const stargazer_data data = { &x[0][0], y, ROWS, memory };
    uint64_t random = 3;
    int products = 0, single = 0;
    for (int round = 0; round < 40; round++) {
        stargazer_model m, with;
        for (int r = 0; r < ROWS; r++) {
            for (int p = 0; p < PARAMS; p++) x[r][p] = (double)test_random_below(&random, 4);
            y[r] = 10 + x[r][0] * (1 + x[r][1]) + 2 * test_random_normal(&random);
            if (!(y[r] > 0)) y[r] = 1;
        }
        m = stargazer_fit(&x[0][0], y, ROWS, PARAMS, false);
        CHECK(!m.missing && m.terms > 0);
        for (int t = 1; t < m.terms; t++) {
            CHECK(m.term[t].adjusted >= m.term[t - 1].r2);
            if (m.term[t].b >= 0) products++;
            else single++;
        }
        for (int p = 0; p < PARAMS; p++)
            if (!stargazer_has(&m, p, -1) && stargazer_try(&data, &m, p, -1, &with))
                CHECK(with.adjusted < m.r2);
    }
    CHECK_OR(products > 3 && single > 3, "%d products, %d single", products, single);
}

static void test_models_stargazer_akaike(void)
{
    static const double aic[4] = { -40.947625, -78.187486, -90.821725, -186.597118 };
    double x[MODELS_SAMPLES][3], y[MODELS_SAMPLES], least = 1e300;
    double memory[MODELS_SAMPLES * (MODELS_COLUMNS + 1)];
    const stargazer_data data = { &x[0][0], y, MODELS_SAMPLES, memory };
    stargazer_model m, with;
    models_samples(x, y);
    m = stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, true);
    CHECK_INT(m.terms, 4);
    CHECK(stargazer_has(&m, 0, -1) && stargazer_has(&m, 1, -1) && stargazer_has(&m, 2, -1));
    CHECK(stargazer_has(&m, 0, 2) && m.term[3].b >= 0);
    with = m;
    with.terms = 0;
    stargazer_try(&data, &with, -1, -1, &with);
    SAID(with.aic, 19.254163);
    for (int t = 0; t < 4; t++) {
        with.terms = t;
        CHECK(stargazer_try(&data, &with, m.term[t].a, m.term[t].b, &with));
        CHECK_NEAR(with.aic, aic[t], 5.1e-7);
    }
    for (int a = 1; a < 3; a++) // what would have come next
        for (int b = 0; b < a; b++)
            if (!stargazer_has(&m, a, b) && stargazer_try(&data, &m, a, b, &with))
                least = fmin(least, with.aic);
    SAID(least, -183.768082);
}

static void test_models_stargazer_bad(void)
{
    static const double nothing[3] = { 4, NAN, 1 };
    double x[MODELS_SAMPLES][3], y[MODELS_SAMPLES];
    stargazer_model m;
    for (int i = 0; i < MODELS_BAD; i++) {
        models_samples(x, y);
        y[7] = models_bad(i);
        m = stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, false);
        CHECK_TEXT(m.missing, "y");
        CHECK(gt__is_nan(stargazer_predict(&m, x[0])));
    }
    models_samples(x, y);
    m = stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, false);
    CHECK(gt__is_nan(stargazer_predict(&m, nothing)));
    CHECK_TEXT(stargazer_fit(&x[0][0], y, 2, 3, false).missing, "rows");
    CHECK_TEXT(stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 0, false).missing, "params");
    CHECK_TEXT(stargazer_fit(&x[0][0], y, 3, STARGAZER_PARAMS + 1, false).missing, "params");
    x[3][0] = NAN;
    CHECK_TEXT(stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, false).missing, "x");
    models_samples(x, y);
    for (int i = 0; i < MODELS_SAMPLES; i++) x[i][1] = 5; // a constant, and negative values
    for (int i = 0; i < MODELS_SAMPLES; i++) x[i][0] -= 20;
    for (int akaike = 0; akaike < 2; akaike++) {
        m = stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, akaike != 0);
        CHECK(!m.missing && m.terms > 0 && m.term[0].a == 0);
        CHECK(m.r2 > 0.9 && m.r2 <= 1);
        m = stargazer_fit(&x[0][0], y, 3, 3, akaike != 0); // nearly nothing can be fitted
        CHECK(!m.missing && m.columns < 3);
    }
    for (int i = 0; i < MODELS_SAMPLES; i++) y[i] = 1;
    CHECK_TEXT(stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, false).missing, "y");
}

static void test_models_stargazer_outside(void)
{
    double x[MODELS_SAMPLES][3], y[MODELS_SAMPLES];
    stargazer_model m;
    models_samples(x, y);
    m = stargazer_fit(&x[0][0], y, MODELS_SAMPLES, 3, false); // all three are in its terms
    for (int i = 0; i < MODELS_SAMPLES; i++) CHECK(!stargazer_outside(&m, x[i]));
    for (int p = 0; p < 3; p++) {
        static const double low[3] = { 4, 1, 0 }, range[3] = { 28, 3, 1 };
        double at[3] = { 16, 2, 1 };
        at[p] = low[p] + 1.09 * range[p];
        CHECK(!stargazer_outside(&m, at));
        at[p] = low[p] + 1.11 * range[p];
        CHECK(stargazer_outside(&m, at));
        at[p] = low[p] - 0.11 * range[p];
        CHECK(stargazer_outside(&m, at));
        at[p] = NAN;
        CHECK(stargazer_outside(&m, at));
    }
    m.terms = 1; // tile alone
    CHECK(!stargazer_outside(&m, (const double[3]){ 16, 99, 99 }));
}

// Straight in its one parameter, 10 to 19: only the prediction can be too far off.
static void test_models_stargazer_log2(void)
{
    double x[10], y[10];
    const double within = 7.5, beyond = 30;
    stargazer_model m;
    for (int i = 0; i < 10; i++) {
        x[i] = i;
        y[i] = 10 + i;
    }
    m = stargazer_fit(x, y, 10, 1, false);
    CHECK(!m.missing);
    CHECK_NEAR(m.least, 10, 0);
    CHECK_NEAR(m.most, 19, 0);
    CHECK(!stargazer_outside_log2(&m, &within));
    CHECK(stargazer_outside_log2(&m, &beyond));
    m.coefficient[0] += 19 + log2(10.0) - stargazer_predict(&m, &within) - 1e-6;
    CHECK(!stargazer_outside_log2(&m, &within)); // 10 times the slowest
    m.coefficient[0] += 2e-6;
    CHECK(stargazer_outside_log2(&m, &within));
    CHECK(!stargazer_outside(&m, &within));
    m.coefficient[0] += 10 - log2(10.0) - stargazer_predict(&m, &within) + 1e-6;
    CHECK(!stargazer_outside_log2(&m, &within)); // a tenth of the fastest
    m.coefficient[0] -= 2e-6;
    CHECK(stargazer_outside_log2(&m, &within));
    m.missing = "y";
    CHECK(!stargazer_outside_log2(&m, &within));
}

// --- a launch, asked about to all of them ---

// Public figures of an H200, at 1.98 GHz.
static models_figures models_h200(void)
{
    const double sizes[2] = { 18, 28 }, rates[2] = { 40, 42 }; // 2^40 and 2^42 bytes a second
    models_figures f;
    memset(&f, 0, sizeof f);
    f.is_gpu = true;
    f.units = 132;
    f.launch = 2e-6;
    f.fma_latency = 4 / 1.98;
    f.local_latency = 29 / 1.98;
    f.latency = 650 / 1.98;
    f.cache_latency = 265 / 1.98;
    f.cache = 50e6;
    for (int w = 0; w < WARP_COUNTS; w++) {
        f.fma[w] = 1.98 * fmin(4, warp_counts[w] / 4);
        f.integer[w] = 1.98 * fmin(2, warp_counts[w] / 4);
        f.special[w] = 1.98 * fmin(0.5, warp_counts[w] / 30);
        f.local[w] = 1.98;
        f.global[w] = 3888.0 / 132 * warp_counts[w] / 64;
        f.cached[w] = 9700.0 / 132 * warp_counts[w] / 64;
    }
    f.peak = 4 * 1.98;
    f.delay = 2 / 1.98;
    f.delay_scattered = 1 / 1.98;
    f.barrier = 30 / 1.98;
    for (int k = 0; k < IDIOMS; k++) pmac_fit(sizes, rates, 2, &f.bandwidth[k]);
    return f;
}

// A product of 4096 x 4096 in tiles of 16, by the counts of the machine code.
static models_job models_product(void)
{
    const double n = 4096, tiles = 256;
    models_job j;
    memset(&j, 0, sizeof j);
    j.groups = tiles * tiles;
    j.group_size = 256;
    j.active = 8;
    j.real = n;
    j.integer = 8 * tiles;
    j.loads = j.local_stores = 2 * tiles;
    j.stores = 1;
    j.local_loads = 1.25 * n;
    j.barriers = 2 * tiles;
    j.sectors = 4;
    j.unique = 12 * n * n;
    j.memory = models_matmul_bytes(n, 16, 8 * 132, 50e6);
    job_block(&j, IDIOM_STREAM, 2 * n * n * tiles + n * n, 12 * n * n);
    return j;
}

static void test_models_job(void)
{
    const models_figures f = models_h200();
    models_job j = models_product();
    models_asked a;
    CHECK_NEAR(job_warps(&j), 8, 0);
    SAID(job_moved(&j) / 1e9, 34.43); // as in test_models_caches
    SAID(1 - models_miss(&f, &j), 0.8751);
    ask_formulas(&f, &j);
    for (int m = 0; m < FORMULAS; m++) CHECK(!j.refused[m]);
    SAID(1e3 * j.published[QRQW], 62.3);
    SAID(1e3 * (j.predicted[QUANTITATIVE] - f.launch), 11.3);
    CHECK_TEXT(j.bound[QUANTITATIVE], "local memory");
    a = asked_of(&f, &j, true);
    SAID(1e3 * ask_qrqw_whole(&a, &j).sum_seconds, 65.4);
    a = asked_of(&f, &j, false);
    CHECK_NEAR(j.sum, ask_qrqw_whole(&a, &j).sum_seconds + f.launch, 1e-12);
    CHECK(j.sum > j.predicted[QRQW]);
    CHECK_NEAR(j.gain * ask_quantitative_whole(&a, &j).second, j.predicted[QUANTITATIVE] - f.launch,
               1e-9);
    CHECK(j.gain > 1.05);
    CHECK_NEAR(1e3 * j.published[MWP_CWP], 10.6 + 16.2, 0.1);
    CHECK_TEXT(j.bound[MWP_CWP], "barriers");
    j.barriers = 0;
    ask_formulas(&f, &j);
    CHECK_NEAR(1e3 * j.published[MWP_CWP], 10.6, 0.1); // one phase, 512 instructions less
    CHECK(j.predicted[MWP_CWP] < j.published[MWP_CWP]); // with the cache
    CHECK_NEAR(j.predicted[WFG] - f.launch, // bound by what it issues: of 4, 2 and 1 a cycle
               65536 * 8 / 132.0 * (4096 / 4 + 2048 / 2 + 1.25 * 4096 + 512 + 513) / 1.98e9, 2e-4);
    a = asked_of(&f, &j, false);
    SAID(a.miss, 0.1249);
    CHECK_NEAR(a.latency, (0.1249 * 650 + 0.8751 * 265) / 1.98, 0.01);
    CHECK_NEAR(a.bandwidth, 9700.0 / 132, 1e-9); // memory would have 3888 / 0.1249
    CHECK_NEAR(a.rates[0], 9700.0 / 132 / 64, 1e-9);
    a = asked_of(&f, &j, true);
    CHECK_NEAR(a.latency, 650 / 1.98, 1e-9);
    CHECK_NEAR(a.bandwidth, 3888.0 / 132, 1e-9);
    {
        models_figures slow = f;
        models_job later = j;
        slow.launch += 1;
        ask_formulas(&slow, &later);
        for (int m = 0; m < FORMULAS; m++) {
            CHECK_NEAR(later.predicted[m], j.predicted[m] + (m == PMAC ? 0 : 1), 1e-9);
            CHECK_NEAR(later.published[m], j.published[m], 0);
        }
        later.real = 1e8; // as printed, MWP-CWP prices this as if it waited for memory
        ask_formulas(&f, &later);
        CHECK(later.predicted[MWP_CWP] > 2 * later.published[MWP_CWP]);
    }
    CHECK_NEAR(j.predicted[PMAC], // of two points the curve is the mean
               4 * (2 * pow(4096, 3) / 16 + pow(4096, 2)) / exp2(41), 1e-12);
}

static void test_models_job_caches(void)
{
    const models_figures f = models_h200();
    models_job j = models_product();
    j.memory = 0;
    j.reuse = 30e6; // fits
    CHECK_NEAR(models_miss(&f, &j), j.unique / job_moved(&j), 1e-12);
    j.reuse = 70e6;
    CHECK_NEAR(models_miss(&f, &j), 1, 0);
    j.reuse = 50e6; // half
    CHECK_NEAR(models_miss(&f, &j), 0.5 + 0.5 * j.unique / job_moved(&j), 1e-12);
    j.unique = 34e6; // all of it
    CHECK_NEAR(models_miss(&f, &j), 0, 0);
    j.unique = 2 * job_moved(&j); // nothing is read twice
    CHECK_NEAR(models_miss(&f, &j), 1, 0);
    j.memory = 1e18;
    CHECK_NEAR(models_miss(&f, &j), 1, 0);
}

static void test_models_job_missing(void)
{
    const models_figures f = models_h200();
    models_job j = models_product();
    double x[JOB_METRICS], few[JOB_FEW];
    j.missing = "counts";
    ask_formulas(&f, &j);
    for (int m = 0; m < FORMULAS; m++) {
        if (m == PMAC) continue; // it needs none
        CHECK(gt__is_nan(j.predicted[m]));
        CHECK(gt__is_nan(j.published[m]));
        CHECK_TEXT(j.refused[m], "counts");
    }
    CHECK(j.predicted[PMAC] > 0);
    j = models_product();
    j.active = 0;
    ask_formulas(&f, &j);
    CHECK_TEXT(j.refused[MWP_CWP], "active_groups");
    CHECK(gt__is_nan(j.gain));
    CHECK(j.sum > 0);
    CHECK(j.predicted[QRQW] > 0); // has no use for it
    j = models_product();
    j.special = 100; // more work takes longer with all that count it
    ask_formulas(&f, &j);
    {
        models_job less = models_product();
        ask_formulas(&f, &less);
        for (int m = MWP_CWP; m < PMAC; m++)
            if (m != QUANTITATIVE && m != QRQW) CHECK(j.predicted[m] > less.predicted[m]);
    }
    job_metrics(&f, &j, x);
    job_few(x, few);
    CHECK_NEAR(x[0], log2(65536 * 8 * job_instructions(&j)), 1e-12);
    CHECK_NEAR(x[1], log2(job_moved(&j)), 1e-12);
    CHECK_NEAR(x[9], 64, 0);
    CHECK_NEAR(x[12], log2(1 + 0.1249 * job_moved(&j)), 1e-3);
    CHECK_NEAR(few[0], x[0], 0);
    CHECK_NEAR(few[1], x[12], 0);
    CHECK_NEAR(few[4], x[11], 0);
}

static bool models_suspect(const models_figures *f, const char *part)
{
    char text[SUSPICIONS][SUSPICION_TEXT];
    return models_suspicions(f, text) == 1 && strstr(text[0], part) != NULL;
}

static void test_models_suspicions(void)
{
    models_figures right = models_h200(), f;
    char text[SUSPICIONS][SUSPICION_TEXT];
    right.one_pass = 3888 / 1.029;
    CHECK_INT(models_suspicions(&right, text), 0);
    f = right;
    f.one_pass = 3888 / 1.031;
    CHECK(models_suspect(&f, "3888 GB/s again and again, 3771 in one pass"));
    f = right;
    f.cache_latency = f.latency;
    CHECK(models_suspect(&f, "328.3 ns from the cache"));
    f = right;
    for (int w = 0; w < WARP_COUNTS; w++) f.cached[w] = f.global[w];
    CHECK(models_suspect(&f, "the cache serves"));
    f.cache = 0; // then these are the same
    f.cache_latency = f.latency;
    CHECK(models_suspect(&f, "no cache was found"));
    f = right;
    f.integer[3] = 0.971 * f.integer[2];
    CHECK_INT(models_suspicions(&f, text), 0);
    f.integer[3] = 0.969 * f.integer[2];
    CHECK(models_suspect(&f, "table_integer_8"));
    f.integer[4] = 0.96 * f.integer[2]; // of one table one line
    CHECK(models_suspect(&f, "table_integer_8"));
    for (int w = 0; w < WARP_COUNTS; w++) // everything at once has room
        f.fma[w] = f.integer[w] = f.special[w] = f.local[w] = f.global[w] = f.cached[w] = 9 - w;
    f.latency = f.one_pass = 0;
    CHECK_INT(models_suspicions(&f, text), 9);
    f.one_pass = NAN;
    CHECK_INT(models_suspicions(&f, text), 9);
}

static void test_models_lacks(void)
{
    const models_figures f = models_h200();
    models_job j = models_product();
    CHECK(!job_lacks(&j));
    CHECK_NEAR(job_product_bytes(&f, &j, 4096, 16), models_matmul_bytes(4096, 16, 8 * 132, 50e6),
               1e-4); // of 4e9: x87 has more digits
    j.active = 0;
    CHECK_TEXT(job_lacks(&j), "active_groups");
    CHECK_NEAR(job_product_bytes(&f, &j, 4096, 16), 0, 0);
    j.memory = 0;
    ask_formulas(&f, &j);
    for (int m = 0; m < FORMULAS; m++) // these two have no use for it
        CHECK((j.refused[m] == NULL) == (m == QRQW || m == PMAC));
    CHECK_TEXT(j.refused[MWP_CWP_PLUS], "warps");
    CHECK_TEXT(j.refused[QUANTITATIVE], "active_groups");
    CHECK_TEXT(j.refused[WFG], "active_groups");
    CHECK(j.predicted[QRQW] > 0 && j.predicted[QRQW] < 1);
    j.missing = "counts";
    CHECK_TEXT(job_lacks(&j), "counts");
}

// --- requests, and samples in the order of predictions ---

static void test_models_touch(void)
{
    touched t = { 0, 0, 0, 0 };
    size_t index[32] = { 0 };
    models_job j;
    memset(&j, 0, sizeof j);
    touch(&t, index, 0); // nobody asks
    CHECK_NEAR(t.requests, 0, 0);
    touch_row(&t, 8); // 4 sectors, not 5
    CHECK_NEAR(t.sectors, 4, 0);
    CHECK_NEAR(t.scattered, 0, 0);
    touched_into(&j, &t);
    CHECK_NEAR(j.lines, 1, 0);
    touch_row(&t, 31); // sectors 3 to 7, lines 0 and 1
    CHECK_NEAR(t.sectors, 9, 0);
    CHECK_NEAR(t.scattered, 1, 0);
    CHECK_NEAR(t.lines, 2, 0);
    for (int l = 0; l < 32; l++) index[l] = 7;
    touch(&t, index, 32); // all the same
    CHECK_NEAR(t.sectors, 10, 0);
    for (int l = 0; l < 32; l++) index[l] = 1000 * (size_t)(31 - l);
    touch(&t, index, 31);
    CHECK_NEAR(t.sectors, 41, 0);
    CHECK_NEAR(t.lines, 33, 0);
    touched_into(&j, &t);
    CHECK_NEAR(j.sectors, 41 / 4.0, 1e-12);
    CHECK_NEAR(j.scattered, 0.5, 0);
    CHECK_NEAR(j.lines, 16.5, 0);
}

enum { ORDERED = 8 };

static void test_models_order(void)
{
    const double predicted[ORDERED] = { 3, NAN, 1, 2, 1, 0, 1e9, 1 };
    int first[ORDERED] = { 0 }, sixth[ORDERED] = { 0 }, order[ORDERED];
    for (uint64_t seed = 0; seed < 300; seed++) {
        int seen = 0;
        order_samples(predicted, ORDERED, seed, order);
        for (int i = 0; i < ORDERED; i++) seen |= 1 << order[i];
        CHECK_INT(seen, 255);
        for (int i = 0; i < 3; i++) CHECK_NEAR(predicted[order[i]], 1, 0);
        CHECK_INT(order[3], 3);
        CHECK_INT(order[4], 0);
        first[order[0]]++;
        sixth[order[5]]++;
    }
    for (int i = 0; i < ORDERED; i++) { // equal ones in any order, a third of 300 each
        const bool one = i == 2 || i == 4 || i == 7, none = i == 1 || i == 5 || i == 6;
        CHECK(one ? first[i] > 60 && first[i] < 140 : first[i] == 0);
        CHECK(none ? sixth[i] > 60 && sixth[i] < 140 : sixth[i] == 0);
    }
    CHECK_INT(order_distinct(predicted, ORDERED), 3);
    CHECK_INT(order_distinct(predicted + 1, 1), 0);
}

// The mean over all orders that predictions allow, each permutation being looked at.
static double models_order_trials(const double *predicted, const double *seconds, int count)
{
    int at[6] = { 0 }, orders = 0;
    double sum = 0.0;
    for (;;) {
        bool is_order = true;
        int k = 0, trials = 0;
        for (int i = 0; i < count; i++)
            for (int j = 0; j < i; j++) is_order = is_order && at[i] != at[j];
        for (int i = 0; i + 1 < count; i++)
            is_order = is_order && !(predicted[at[i]] > predicted[at[i + 1]]);
        while (is_order && trials < count && !(seconds[at[trials]] <= 1)) trials++;
        if (is_order) {
            orders++;
            sum += trials + 1;
        }
        while (k < count && ++at[k] == count) at[k++] = 0;
        if (k == count) return sum / orders;
    }
}

static void test_models_order_trials(void)
{
    enum { N = 5 };
    const double good[1] = { 1 }, bad[1] = { 2 };
    uint64_t random = 7;
    double predicted[N], seconds[N];
    for (int times = 0; times < 60; times++) {
        for (int i = 0; i < N; i++) {
            predicted[i] = 1 + (double)gt__random_below(&random, 3);
            seconds[i] = 1 + (double)gt__random_below(&random, 2);
        }
        CHECK_NEAR(order_trials(predicted, seconds, N, 1),
                   models_order_trials(predicted, seconds, N), 1e-12);
    }
    for (int i = 0; i < N; i++) predicted[i] = 4; // one good of five alike: the mean rank
    for (int i = 0; i < N; i++) seconds[i] = 1 + (i != 2);
    CHECK_NEAR(order_trials(predicted, seconds, N, 1), 3, 0);
    predicted[2] = NAN; // what is not predicted is tried at last
    CHECK_NEAR(order_trials(predicted, seconds, N, 1), 5, 0);
    CHECK_NEAR(order_trials(good, good, 1, 1), 1, 0);
    CHECK_NEAR(order_trials(good, bad, 1, 1), 2, 0);
}

enum { REPLAY_WHOLE = 240, REPLAYED = 60 };

// Every fourth of 240 configurations, behind one another as 7 steps lead through them.
static const char *models_replay(models_replayed *r, gputune_space **space, double *seconds)
{
    static const gputune_param params[] = { { .name = "A", .values = "set 1,2,4" },
                                            { .name = "B", .values = "range 1,5" },
                                            { .name = "C", .values = "set left,right" },
                                            { .name = "D", .values = "range 0,7" },
                                            { .name = NULL } };
    gputune_space_desc desc;
    gputune_config configs[REPLAYED];
    memset(&desc, 0, sizeof desc);
    desc.params = params;
    *space = gputune_space_create(&desc);
    for (int i = 0; i < REPLAYED; i++) {
        configs[i] = gputune_space_at(*space, (uint64_t)(i * 7 % REPLAYED * 4));
        seconds[i] = 2 + i % 13;
    }
    seconds[17] = 1;
    seconds[31] = 1.05;
    seconds[40] = 1.06;
    seconds[50] = HUGE_VAL;
    return replay_create(r, *space, configs, seconds, REPLAYED);
}

static void test_models_replay(void)
{
    gputune_space *space;
    gputune_config config, starts[REPLAY_FIRST + 1];
    double seconds[REPLAYED];
    uint64_t index;
    int there = 0;
    models_replayed r;
    CHECK(!models_replay(&r, &space, seconds));
    CHECK_INT((int)gputune_space_count(space), REPLAY_WHOLE);
    CHECK_INT((int)gputune_space_count(r.space), REPLAYED);
    CHECK_NEAR(r.best, 1, 0);
    for (int i = 0; i < REPLAY_WHOLE; i++) { // each is there if it is a sample, with its seconds
        config = gputune_space_at(space, (uint64_t)i);
        config.space = r.space;
        if (!gputune_space_index(r.space, &config, &index)) continue;
        there++;
        CHECK_INT(i % 4, 0);
        for (int k = 0; k < REPLAYED; k++)
            if (k * 7 % REPLAYED * 4 == i)
                CHECK(r.seconds[index] >= seconds[k] && r.seconds[index] <= seconds[k]);
    }
    CHECK_INT(there, REPLAYED);
    for (int good = 0; good < 5; good++) { // what a search begins with is tried first, in order
        for (int i = 0; i < 5; i++) starts[i] = r.configs[i == good ? 31 : i + 1];
        CHECK_INT(replay_trials(&r, GPUTUNE_STRATEGY_RANDOM, 3, starts, 5), good + 1);
    }
    starts[0] = r.configs[40]; // 6 % off
    CHECK(replay_trials(&r, GPUTUNE_STRATEGY_RANDOM, 3, starts, 1) > 1);
    for (uint64_t seed = 0; seed < 5; seed++) {
        const int trials = replay_trials(&r, GPUTUNE_STRATEGY_AUTO, seed, NULL, 0);
        CHECK(trials >= 1 && trials < REPLAYED);
    }
    replay_free(&r);
    CHECK(r.space == NULL);
    gputune_space_destroy(space);
}

static void test_models_replay_starts(void)
{
    gputune_space *space;
    gputune_config starts[REPLAY_FIRST + 1];
    double seconds[REPLAYED], predicted[REPLAYED], trials[REPLAY_SEEDS];
    const double four[4] = { 1, 2, 3, 4 };
    int drawn[REPLAYED] = { 0 }, count, ascends = 0;
    models_replayed r;
    replay_spread s;
    CHECK(!models_replay(&r, &space, seconds));
    for (int i = 0; i < REPLAYED; i++) predicted[i] = 1 + i * 11 % REPLAYED; // all different
    count = replay_starts(&r, predicted, REPLAYED, 5, starts);
    CHECK_INT(count, REPLAY_FIRST + 1);
    CHECK(memcmp(&starts[0], &r.configs[0], sizeof starts[0]) == 0);
    for (int k = 1; k < count; k++) {
        int i = 0;
        while (predicted[i] < k || predicted[i] > k) i++;
        CHECK(memcmp(&starts[k], &r.configs[i], sizeof starts[k]) == 0);
    }
    for (uint64_t seed = 0; seed < 300; seed++) { // any ten, each a sixth of the times
        double last = 0;
        count = replay_starts(&r, seed % 2 ? predicted : NULL, REPLAY_FIRST, seed, starts);
        CHECK_INT(count, REPLAY_FIRST + 1);
        for (int k = 1; k < count; k++)
            for (int i = 0; i < REPLAYED; i++)
                if (memcmp(&starts[k], &r.configs[i], sizeof starts[k]) == 0) {
                    drawn[i]++;
                    ascends += seed % 2 && predicted[i] > last;
                    last = predicted[i];
                }
    }
    for (int i = 0; i < REPLAYED; i++) CHECK(drawn[i] > 20 && drawn[i] < 80);
    CHECK_INT(ascends, 150 * REPLAY_FIRST);
    CHECK_NEAR(replay_quantile(four, 4, 0.25), 1.75, 0);
    CHECK_NEAR(replay_quantile(four, 4, 0.5), 2.5, 0);
    CHECK_NEAR(replay_quantile(four, 4, 0.75), 3.25, 0);
    CHECK_NEAR(replay_quantile(four, 1, 0.75), 1, 0);
    s = replay_seeds(&r, GPUTUNE_STRATEGY_RANDOM, NULL, 0);
    for (int i = 0; i < REPLAY_SEEDS; i++)
        trials[i] = replay_trials(&r, GPUTUNE_STRATEGY_RANDOM, gt__mix((uint64_t)i + 1),
                                  r.configs, 1);
    {
        const gputune_stats stats = gputune_stats_of(trials, REPLAY_SEEDS);
        CHECK_NEAR(s.median, stats.median, 0);
        CHECK_NEAR(s.q3 - s.q1, stats.iqr, 1e-12);
        CHECK(s.q1 < s.median && s.median < s.q3);
    }
    for (int i = 0; i < REPLAYED; i++) predicted[i] = 1 + (seconds[i] > 1); // the best is known
    s = replay_seeds(&r, GPUTUNE_STRATEGY_RANDOM, predicted, REPLAYED);
    CHECK_NEAR(s.q3, 2, 0);
    for (int i = 0; i < REPLAYED; i++) predicted[i] = 1; // nothing is
    s = replay_seeds(&r, GPUTUNE_STRATEGY_RANDOM, predicted, REPLAYED);
    CHECK(s.median > 4);
    replay_free(&r);
    gputune_space_destroy(space);
}

static const test_case bench_models_cases[] = {
    { "sectors", test_models_sectors },
    { "caches", test_models_caches },
    { "rates", test_models_rates },
    { "least_squares", test_models_squares },
    { "score", test_models_score },
    { "mwp_cwp", test_models_mwp_cwp },
    { "mwp_cwp_h200", test_models_mwp_cwp_h200 },
    { "mwp_cwp_limits", test_models_mwp_cwp_limits },
    { "mwp_cwp_bad", test_models_mwp_cwp_bad },
    { "mwp_cwp_plus", test_models_mwp_cwp_plus },
    { "qrqw", test_models_qrqw },
    { "qrqw_bad", test_models_qrqw_bad },
    { "zhang_owens", test_models_zhang_owens },
    { "zhang_owens_h200", test_models_zhang_owens_h200 },
    { "zhang_owens_bad", test_models_zhang_owens_bad },
    { "wfg", test_models_wfg },
    { "wfg_bad", test_models_wfg_bad },
    { "pmac", test_models_pmac },
    { "pmac_fit", test_models_pmac_fit },
    { "eiger_components", test_models_eiger_components },
    { "varimax", test_models_varimax },
    { "eiger", test_models_eiger },
    { "eiger_bad", test_models_eiger_bad },
    { "eiger_outside", test_models_eiger_outside },
    { "eiger_log2", test_models_eiger_log2 },
    { "means", test_models_means },
    { "clusters", test_models_clusters },
    { "stargazer", test_models_stargazer },
    { "stargazer_rule", test_models_stargazer_rule },
    { "stargazer_akaike", test_models_stargazer_akaike },
    { "stargazer_bad", test_models_stargazer_bad },
    { "stargazer_outside", test_models_stargazer_outside },
    { "stargazer_log2", test_models_stargazer_log2 },
    { "job", test_models_job },
    { "job_caches", test_models_job_caches },
    { "job_missing", test_models_job_missing },
    { "suspicions", test_models_suspicions },
    { "lacks", test_models_lacks },
    { "touch", test_models_touch },
    { "order", test_models_order },
    { "order_trials", test_models_order_trials },
    { "replay", test_models_replay },
    { "replay_starts", test_models_replay_starts },
    { NULL, NULL },
};
