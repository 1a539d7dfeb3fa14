// [measure]: comparing outputs, canaries, private copies, statistics of the race.
#include "test.h"

#include <fenv.h>

// What the default writes to its output, and what the other configuration writes.
typedef struct measure_outputs {
    const void *expected, *got;
    size_t expected_bytes, got_bytes; // the rest is left as it is
    bool spoils;                      // but for the last float, which the other makes larger
    char text[512];                   // what came of the other
} measure_outputs;

typedef struct measure_limits {
    double absolute, relative;
} measure_limits;

static void measure_write(HOST_KERNEL)
{
    const measure_outputs *o = (const measure_outputs *)user;
    if (range->begin[0] > 0) return;
    if (gputune_config_int(config, "other")) {
        memcpy(args[0], o->got, o->got_bytes);
        if (o->spoils) ((float *)args[0])[o->got_bytes / sizeof(float)] *= 1.00001f;
    } else
        memcpy(args[0], o->expected, o->expected_bytes);
}

// Tunes a function with these outputs; what came of the other configuration, or of the default when
// that failed.
static gputune_result measure_outputs_compare(gputune_type type, measure_outputs *o, size_t bytes,
                                              measure_limits t)
{
    const gputune_param params[] = { { "other", "bool", NULL }, { NULL, NULL, NULL } };
    const gputune_function functions[] = { { "write", measure_write, o }, { NULL, NULL, NULL } };
    gputune_result result = GPUTUNE_RESULT_COUNT;
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *k;
    gputune_arg arg;
    char signature[32];
    int last;
    unsigned char *real = (unsigned char *)calloc(1, bytes);
    snprintf(signature, sizeof signature, "%s *real", gt__type_name(type));
    memset(&options, 0, sizeof options);
    memset(&desc, 0, sizeof desc);
    options.mode = GPUTUNE_MODE_ON;
    options.store = "";
    options.threads = -1;
    device = test_steady(gputune_host_device_create(&options));
    desc.name = "write";
    desc.functions = functions;
    desc.signature = signature;
    desc.params = params;
    desc.global = desc.local = "1";
    desc.tune.tolerance = t.relative;
    desc.tune.absolute_tolerance = t.absolute;
    k = gputune_kernel_create(device, &desc);
    arg = gputune_out(real, bytes);
    gputune_tune(k, &arg, 1);
    last = test_trials(k) - 1;
    CHECK(last == 0 || last == 1);
    if (last >= 0) {
        result = gputune_kernel_trial(k, last)->result;
        snprintf(o->text, sizeof o->text, "%s", gputune_kernel_trial(k, last)->reason);
    }
    CHECK(last == 1 || result != GPUTUNE_OK); // nothing can be compared with a NaN
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
    free(real);
    return result;
}

static gputune_result measure_compare(gputune_type type, const void *got, const void *expected,
                                      size_t bytes, measure_limits t)
{
    measure_outputs o = { expected, got, bytes, bytes, false, "" };
    return measure_outputs_compare(type, &o, bytes, t);
}

static measure_limits measure_tolerance(double absolute, double relative)
{
    measure_limits t;
    t.absolute = absolute;
    t.relative = relative;
    return t;
}

static void test_measure_compare_float(void)
{
    measure_limits none = measure_tolerance(0, 0);
    float expected[4] = { 1.0f, -2.0f, 0.0f, 1000.0f }, got[4];
    memcpy(got, expected, sizeof got);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, none), GPUTUNE_OK);
    got[3] = 1000.09f; // relative 9e-5
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, none), GPUTUNE_OK);
    got[3] = 1000.2f;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    got[3] = 1000.0f;
    got[2] = 7e-4f; // typical magnitude 73: within 1e-5 of it
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, none), GPUTUNE_OK);
    got[2] = 1e-2f;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, measure_tolerance(0.011, 0)),
              GPUTUNE_OK);
}

static void test_measure_compare_special(void)
{
    measure_limits loose = measure_tolerance(1e300, 1e300);
    float nan_value = NAN, inf_value = INFINITY, one = 1.0f, minus = -INFINITY;
    measure_outputs o = { &one, &nan_value, 4, 4, false, "" };
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &nan_value, &one, 4, loose),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &nan_value, &nan_value, 4, loose),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &inf_value, &inf_value, 4, measure_tolerance(0, 0)),
              GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &inf_value, &minus, 4, measure_tolerance(0, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_outputs_compare(GPUTUNE_FLOAT, &o, 4, loose), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_HAS(o.text, "[0]");
    CHECK_HAS(o.text, "1 of 1");
}

// Turns on what makes 0 of subnormals, where it is known how; returns what is on.
static unsigned measure_flush(fenv_t *mode, unsigned flags)
{
#if defined(__x86_64__) && defined(__GLIBC__)
    return (mode->__mxcsr |= flags) & 0x8040;
#else
    return (void)mode, flags & 0;
#endif
}

// The bits count before the numbers: NaN is right where expected, and integers in a buffer of
// floats are told apart though the processor takes such small numbers for 0, as in programs linked
// with gcc's -ffast-math.
static void test_measure_compare_bits(void)
{
    const uint32_t expected[3] = { 0xffffffff, 0x3f800000, 5 }; // -1 is NaN
    uint32_t got[3] = { 0xffffffff, 0x3f800000, 5 };
    measure_outputs o = { expected, got, 12, 12, false, "" };
    measure_limits loose = measure_tolerance(0, 1e-3);
    fenv_t usual, mode;
    fegetenv(&usual);
    mode = usual;
    measure_flush(&mode, 0x8040);
    fesetenv(&mode);
    got[1] += 1; // near enough
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 12, loose), GPUTUNE_OK);
    got[0] = 0xfffffffe;
    CHECK_INT(measure_outputs_compare(GPUTUNE_FLOAT, &o, 12, loose), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_HAS(o.text, "[0] is");
    CHECK_HAS(o.text, "of type float");
    CHECK_HAS(o.text, ".tune.check");
    got[0] = expected[0];
    got[2] = 6;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 12, loose), GPUTUNE_ERROR_WRONG_OUTPUT);
    fegetenv(&mode);
    CHECK_INT(measure_flush(&usual, 0x8040), measure_flush(&mode, 0)); // the program's again
    fesetenv(FE_DFL_ENV);
}

static void test_measure_compare_integers(void)
{
    measure_limits none = measure_tolerance(0, 0);
    int64_t a = INT64_MAX, b = INT64_MAX - 1;
    uint8_t c[2] = { 1, 2 }, d[2] = { 1, 3 };
    CHECK_INT(measure_compare(GPUTUNE_INT64, &a, &a, 8, none), GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_INT64, &a, &b, 8, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_UINT8, c, d, 2, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_UINT8, c, d, 2, measure_tolerance(1, 0)), GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_BYTES, c, d, 2, none), GPUTUNE_ERROR_WRONG_OUTPUT);
}

// Elements that the reference never wrote loosen nothing, and must stay unwritten; nor does one
// huge element let the others be anything.
static void test_measure_padding(void)
{
    const measure_limits none = measure_tolerance(0, 0);
    float expected[1000], got[1000];
    measure_outputs o = { expected, got, sizeof expected - 4, sizeof got - 4, false, "" };
    int i;
    for (i = 0; i < 1000; i++) expected[i] = 1.0f + (float)(i % 7);
    memcpy(got, expected, sizeof got);
    CHECK_INT(measure_outputs_compare(GPUTUNE_FLOAT, &o, 4000, none), GPUTUNE_OK);
    got[5] = -123;
    CHECK_INT(measure_outputs_compare(GPUTUNE_FLOAT, &o, 4000, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    got[5] = expected[5];
    o.spoils = true;
    CHECK_INT(measure_outputs_compare(GPUTUNE_FLOAT, &o, 4000, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    got[999] = expected[999] = 1e8f;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 4000, none), GPUTUNE_OK);
    got[5] = -17;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 4000, none),
              GPUTUNE_ERROR_WRONG_OUTPUT);
}

// A forgotten element must never pass for a number, whatever the type.
static void test_measure_poison(void)
{
    static const struct {
        gputune_type type;
        size_t bytes;
    } types[] = { { GPUTUNE_DOUBLE, 8 },   { GPUTUNE_FLOAT, 4 }, { GPUTUNE_HALF, 2 },
                  { GPUTUNE_INT32, 4 },    { GPUTUNE_BF16, 2 },  { GPUTUNE_FP8_E4M3, 1 },
                  { GPUTUNE_FP8_E5M2, 1 } };
    const double d = 0.5;
    const float f = 0.5f;
    const uint16_t h = 0x3800; // 0.5
    const int32_t i = 0;
    const uint16_t bf16 = 0x3f00;
    const uint8_t e4m3 = 0x30, e5m2 = 0x38;
    const void *const written[] = { &d, &f, &h, &i, &bf16, &e4m3, &e5m2 };
    size_t t;
    for (t = 0; t < sizeof types / sizeof *types; t++) {
        measure_outputs o = { written[t], written[t], types[t].bytes, 0, false, "" };
        CHECK_INT(measure_outputs_compare(types[t].type, &o, types[t].bytes,
                                          measure_tolerance(0, 0)),
                  GPUTUNE_ERROR_WRONG_OUTPUT);
        o.got_bytes = types[t].bytes;
        CHECK_INT(measure_outputs_compare(types[t].type, &o, types[t].bytes,
                                          measure_tolerance(0, 0)),
                  GPUTUNE_OK);
    }
}

// What the functions below do to an output of eight numbers that the program has set to zero.
typedef enum measure_deed {
    MEASURE_ADDS,   // to what is there: a sum that the program has begun
    MEASURE_HALF,   // leaves the last four
    MEASURE_HALVES, // leaves two bytes of four
    MEASURE_ZERO,   // multiplies what is there by 0, as beta == 0 may
    MEASURE_ALL,    // writes all, by a function that is the reference
    MEASURE_FORGETS, // but the first, which is 0
    MEASURE_ROUNDS, // and a byte is another than the reference's by what the poisons differ by
    MEASURE_ERRS    // is another one each time
} measure_deed;

typedef struct measure_reading {
    measure_deed deed;
    int calls, other; // of the default; of the function that is the reference
} measure_reading;

static void measure_fill(measure_deed deed, int calls, void *out, gputune_type type)
{
    int i;
    for (i = deed == MEASURE_FORGETS; i < (deed == MEASURE_HALF ? 4 : 8); i++) {
        if (type == GPUTUNE_INT32) {
            int *y = (int *)out;
            if (deed == MEASURE_HALVES)
                ((unsigned short *)out)[2 * i] = (unsigned short)i;
            else
                y[i] = deed == MEASURE_ADDS ? y[i] + i : deed == MEASURE_ERRS ? calls : i;
        } else {
            float *y = (float *)out;
            y[i] = (deed == MEASURE_ADDS   ? y[i]
                    : deed == MEASURE_ZERO ? 0 * y[i]
                    : deed == MEASURE_ERRS ? 10 * (float)calls
                                           : 0) + (float)i;
            if (deed == MEASURE_ROUNDS) *(unsigned *)(void *)&y[i] ^= 0x80;
        }
    }
}

static void measure_read_int(HOST_KERNEL)
{
    measure_reading *r = (measure_reading *)user;
    if (!gputune_config_int(config, "other")) r->calls++;
    if (range->begin[0] == 0) measure_fill(r->deed, r->calls, args[0], GPUTUNE_INT32);
}

static void measure_read_float(HOST_KERNEL)
{
    measure_reading *r = (measure_reading *)user;
    if (!gputune_config_int(config, "other")) r->calls++;
    if (range->begin[0] == 0) measure_fill(r->deed, r->calls, args[0], GPUTUNE_FLOAT);
}

static void measure_read_named(HOST_KERNEL)
{
    measure_reading *r = (measure_reading *)user;
    const bool all = r->deed == MEASURE_FORGETS || r->deed == MEASURE_ROUNDS;
    const measure_deed deed = all ? MEASURE_ALL : r->deed;
    r->other++;
    if (config && range->begin[0] == 0) measure_fill(deed, 0, args[0], GPUTUNE_FLOAT);
}

static char measure_said[600]; // the last warning of what is unwritten

static void measure_hears(void *user, gputune_log_level level, const char *message)
{
    (void)user;
    if (level == GPUTUNE_LOG_WARN && strstr(message, "unwritten"))
        snprintf(measure_said, sizeof measure_said, "%s", message);
}

// Tunes one of them; the default's text, "" if it is right.
static gputune_result measure_reads(measure_deed deed, gputune_type type, const char *reference,
                                    const void *right, char *text)
{
    static const gputune_param params[] = { { "other", "bool", NULL }, { NULL, NULL, NULL } };
    measure_reading r = { MEASURE_ADDS, 0, 0 };
    const gputune_function functions[] = { { "int", measure_read_int, &r },
                                           { "float", measure_read_float, &r },
                                           { "named", measure_read_named, &r },
                                           { NULL, NULL, NULL } };
    float y[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    gputune_result result;
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *k;
    gputune_arg arg;
    int i;
    r.deed = deed;
    memset(&options, 0, sizeof options);
    memset(&desc, 0, sizeof desc);
    options.mode = GPUTUNE_MODE_ON;
    options.store = "";
    options.threads = -1;
    options.log = measure_hears;
    options.log_level = GPUTUNE_LOG_WARN;
    measure_said[0] = 0;
    device = test_steady(gputune_host_device_create(&options));
    desc.name = type == GPUTUNE_INT32 ? "int" : "float";
    desc.functions = functions;
    desc.signature = type == GPUTUNE_INT32 ? "int *y" : "float *y";
    desc.params = params;
    desc.global = desc.local = "1";
    desc.tune.reference = reference;
    k = gputune_kernel_create(device, &desc);
    arg = gputune_out(y, sizeof y);
    if (right) arg = gputune_compared(arg, 0, sizeof y, right);
    result = gputune_tune(k, &arg, 1);
    CHECK_INT(r.other, reference ? 1 : 0);
    for (i = 0; i < 8; i++) CHECK(y[i] == 0);
    snprintf(text, 600, "%.599s", gputune_kernel_error(k)->text);
    if (!result) CHECK_INT(test_trials(k), 2);
    if (!result) CHECK_INT(gputune_kernel_trial(k, 1)->result, GPUTUNE_OK);
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
    return result;
}

// A kernel that reads what it is passed as an output alone: its own reference depends on what
// gputune has put there, and says so by name; whatever says what is right. What is left as it was,
// and what is another output each time, are no such thing.
static void test_measure_reads(void)
{
    static const float right[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    static const char *const advice = "gputune_inout";
    char text[600];
    CHECK_INT(measure_reads(MEASURE_ADDS, GPUTUNE_FLOAT, NULL, NULL, text),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(text, "y[1] is 1, ");
    CHECK_HAS(text, advice);
    CHECK_INT(measure_reads(MEASURE_ADDS, GPUTUNE_INT32, NULL, NULL, text),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(text, "7 of 8 elements differ");
    CHECK_HAS(text, advice);
    CHECK_INT(measure_reads(MEASURE_ADDS, GPUTUNE_FLOAT, "named", NULL, text),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(text, advice);
    CHECK_INT(measure_reads(MEASURE_ADDS, GPUTUNE_FLOAT, NULL, right, text),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(text, advice);
    CHECK_TEXT(measure_said, "");
    CHECK_INT(measure_reads(MEASURE_HALF, GPUTUNE_FLOAT, NULL, NULL, text), GPUTUNE_OK);
    CHECK_HAS(measure_said, "float: the default leaves 50 % of y unwritten");
    CHECK_INT(measure_reads(MEASURE_HALF, GPUTUNE_FLOAT, "named", NULL, text), GPUTUNE_OK);
    CHECK_HAS(measure_said, "50 % of y");
    CHECK_INT(measure_reads(MEASURE_ROUNDS, GPUTUNE_FLOAT, "named", NULL, text), GPUTUNE_OK);
    CHECK_TEXT(measure_said, "");
    CHECK_INT(measure_reads(MEASURE_HALVES, GPUTUNE_INT32, NULL, NULL, text), GPUTUNE_OK);
    CHECK_HAS(measure_said, "int: the default leaves 50 % of y unwritten"); // half of each
    CHECK_INT(measure_reads(MEASURE_ZERO, GPUTUNE_FLOAT, NULL, NULL, text), GPUTUNE_OK);
    CHECK_INT(measure_reads(MEASURE_FORGETS, GPUTUNE_FLOAT, "named", NULL, text),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_HAS(text, "y[0] is 1.3");
    CHECK(!strstr(text, advice));
    CHECK_INT(measure_reads(MEASURE_ERRS, GPUTUNE_FLOAT, NULL, NULL, text),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK(!strstr(text, advice));
    CHECK_HAS(text, "two launches of the default differ from each other");
    CHECK_HAS(text, "gputune_compared");
    CHECK_HAS(text, ".tune.tolerance");
}

// Binomial tails by hand: P(X <= k) for n fair tosses.
static void test_measure_sign_test(void)
{
    CHECK_NEAR(gt__sign_test(0, 7), 1.0 / 128, 1e-15);
    CHECK_NEAR(gt__sign_test(1, 10), 11.0 / 1024, 1e-15);
    CHECK_NEAR(gt__sign_test(10, 10), 1.0, 1e-12);
    CHECK_NEAR(gt__sign_test(0, 0), 1.0, 1e-15);
}

// Times that come in two states are alike by chance, three of each more often than five.
static void test_measure_racer_apart(void)
{
    gt__racer a, b;
    double *low = a.samples, *high = b.samples;
    int i, rounds, gain;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    for (gain = 5; gain < 40; gain += 20)
        for (rounds = 2; rounds <= 5; rounds++) {
            a.rounds = rounds, b.rounds = 5;
            for (i = 0; i < 5; i++) low[i] = 1, high[i] = 1 + 0.01 * gain;
            a.median = 1, b.median = high[0];
            CHECK_INT(gt__racer_apart(&a, &b, false), rounds >= 3);
            CHECK_INT(gt__racer_apart(&a, &b, true), rounds >= (gain > 20 ? 3 : 5));
            CHECK(!gt__racer_apart(&b, &a, false));
            for (i = 0; i < 5; i++) low[i] -= 100, high[i] -= 100; // of an objective
            a.median = low[0], b.median = high[0];
            CHECK(!gt__racer_apart(&a, &b, false)); // by less than a hundredth
            for (i = 0; i < 5; i++) high[i] += 10;
            b.median = high[0];
            CHECK_INT(gt__racer_apart(&a, &b, false), rounds >= 3);
            low[0] -= 3; // a quarter of what lies between them
            CHECK(!gt__racer_apart(&a, &b, false));
        }
}

static void test_measure_racer_beats(void)
{
    gt__racer a, b;
    int i;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    for (i = 0; i < 10; i++) a.samples[i] = 1.0 + 0.001 * i;
    for (i = 0; i < 10; i++) b.samples[i] = a.samples[i] + 0.05;
    a.rounds = b.rounds = 10;
    a.median = 1.0045;
    b.median = 1.0545;
    CHECK(gt__racer_beats(&a, &b, 0.01));
    CHECK(!gt__racer_beats(&b, &a, 0.01));
    for (i = 0; i < 10; i++) b.samples[i] = a.samples[i] + (i % 2 ? 0.05 : -0.04);
    CHECK(!gt__racer_beats(&a, &b, 0.01));
    memcpy(b.samples, a.samples, sizeof a.samples);
    b.median = a.median;
    CHECK(!gt__racer_beats(&a, &b, 0.01)); // equal: nobody is beaten
}

// Every finite half and the next one: how far apart they are is known. But for those with two equal
// bytes, which may be what forgotten elements look like.
static void test_measure_halves(void)
{
    static const double absolute[] = { 32, 31, 1, 1.0 / 4096, 1.0 / (1 << 24), 1.0 / (1 << 25) };
    static uint16_t expected[2 * 0x7bff], got[2 * 0x7bff];
    measure_outputs o = { expected, got, sizeof expected, sizeof got, false, "" };
    char text[64];
    int count = 0, pairs = 0, apart;
    size_t i;
    uint32_t h;
    for (h = 0; h < 0xfbff; h = h == 0x7bfe ? 0x8000 : h + 1) {
        if (h >> 8 == (h & 255)) continue;
        expected[count] = (uint16_t)h;
        got[count++] = (uint16_t)(h + 1);
    }
    CHECK_INT(count, 2 * 0x7bff - 2 * 124);
    o.expected_bytes = o.got_bytes = (size_t)count * 2;
    for (i = 0; i < sizeof absolute / sizeof *absolute; i++) {
        for (apart = pairs = 0; pairs < count; pairs++)
            apart += fabs(device_double_of_half(got[pairs]) -
                          device_double_of_half(expected[pairs])) > absolute[i];
        CHECK_INT(measure_outputs_compare(GPUTUNE_HALF, &o, o.got_bytes,
                                          measure_tolerance(absolute[i], 0)),
                  apart ? GPUTUNE_ERROR_WRONG_OUTPUT : GPUTUNE_OK);
        snprintf(text, sizeof text, "; %d of %d", apart, count);
        if (apart) CHECK_HAS(o.text, text);
    }
    CHECK_INT(measure_outputs_compare(GPUTUNE_HALF, &o, o.got_bytes, measure_tolerance(1e-300, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    snprintf(text, sizeof text, "; %d of %d", count, count);
    CHECK_HAS(o.text, text);
}

// What all zero means for each of the small types: so many steps from 1, no further; and a value
// that looks like what was never written is one like others where it is one byte.
static void test_measure_small_types(void)
{
    static const struct {
        gputune_type type;
        uint16_t one;
        int steps;
        size_t bytes;
    } rows[] = { { GPUTUNE_HALF, 0x3c00, 10, 2 },
                 { GPUTUNE_BF16, 0x3f80, 6, 2 },
                 { GPUTUNE_FP8_E4M3, 0x38, 1, 1 },
                 { GPUTUNE_FP8_E5M2, 0x3c, 1, 1 } };
    static const uint8_t poison[] = { 0x7b, 0x38 }, beside[] = { 0x7a, 0x38 };
    size_t r;
    for (r = 0; r < sizeof rows / sizeof *rows; r++) {
        int steps;
        for (steps = 0; steps < 14; steps++) {
            const uint16_t wide = (uint16_t)(rows[r].one + steps);
            const uint8_t got = (uint8_t)wide, one = (uint8_t)rows[r].one;
            const bool byte = rows[r].bytes == 1;
            CHECK_INT(measure_compare(rows[r].type, byte ? (const void *)&got : &wide,
                                      byte ? (const void *)&one : &rows[r].one, rows[r].bytes,
                                      measure_tolerance(0, 0)),
                      steps <= rows[r].steps ? GPUTUNE_OK : GPUTUNE_ERROR_WRONG_OUTPUT);
        }
    }
    CHECK_INT(measure_compare(GPUTUNE_FP8_E4M3, beside, poison, 2, measure_tolerance(0, 0)),
              GPUTUNE_OK);
}

// Integers of 64 bits are compared as such.
static void test_measure_integers(void)
{
    static const int64_t most = INT64_MAX, below = INT64_MAX - 1, least = INT64_MIN;
    static const uint64_t large = UINT64_MAX, next = UINT64_MAX - 1;
    CHECK_INT(measure_compare(GPUTUNE_INT64, &below, &most, 8, measure_tolerance(0.5, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_INT64, &below, &most, 8, measure_tolerance(1, 0)),
              GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_INT64, &least, &most, 8, measure_tolerance(1e19, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_UINT64, &next, &large, 8, measure_tolerance(0.5, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_UINT64, &next, &large, 8, measure_tolerance(1, 0)),
              GPUTUNE_OK);
}

static const test_case measure_cases[] = {
    { "small_types", test_measure_small_types },
    { "integers", test_measure_integers },
    { "compare_float", test_measure_compare_float },
    { "compare_special", test_measure_compare_special },
    { "compare_bits", test_measure_compare_bits },
    { "compare_integers", test_measure_compare_integers },
    { "padding", test_measure_padding },
    { "poison", test_measure_poison },
    { "reads", test_measure_reads },
    { "sign_test", test_measure_sign_test },
    { "racer_beats", test_measure_racer_beats },
    { "racer_apart", test_measure_racer_apart },
    { "halves", test_measure_halves },
    { NULL, NULL },
};
