// [measure]: comparing outputs, canaries, private copies, statistics of the race.
#include "test.h"

static gputune_result measure_compare(gputune_type type, const void *got, const void *expected,
                                      size_t bytes, gputune_tolerance t)
{
    gputune_error error;
    return gputune__compare("y", type, got, expected, bytes,
                            gputune__magnitude(type, expected, bytes), &t, &error);
}

static gputune_tolerance measure_tolerance(double absolute, double relative, double ulp)
{
    gputune_tolerance t;
    t.absolute = absolute;
    t.relative = relative;
    t.ulp = ulp;
    return t;
}

static void test_measure_compare_float(void)
{
    gputune_tolerance none = measure_tolerance(0, 0, 0);
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
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, measure_tolerance(0.011, 0, 0)),
              GPUTUNE_OK);
    got[2] = 0;
    got[0] = nextafterf(nextafterf(1.0f, 2.0f), 2.0f);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, measure_tolerance(0, 0, 2)),
              GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 16, measure_tolerance(0, 0, 1)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
}

static void test_measure_compare_special(void)
{
    gputune_tolerance loose = measure_tolerance(1e300, 1e300, 1e300);
    float nan_value = NAN, inf_value = INFINITY, one = 1.0f, minus = -INFINITY;
    gputune_error error;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &nan_value, &one, 4, loose),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &nan_value, &nan_value, 4, loose),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &inf_value, &inf_value, 4, measure_tolerance(0, 0, 0)),
              GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, &inf_value, &minus, 4, measure_tolerance(0, 0, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(gputune__compare("out", GPUTUNE_FLOAT, &nan_value, &one, 4, 1, &loose, &error),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_HAS(error.text, "out[0]");
    CHECK_HAS(error.text, "1 of 1");
}

static void test_measure_compare_integers(void)
{
    gputune_tolerance none = measure_tolerance(0, 0, 0);
    int64_t a = INT64_MAX, b = INT64_MAX - 1;
    uint8_t c[2] = { 1, 2 }, d[2] = { 1, 3 };
    CHECK_INT(measure_compare(GPUTUNE_INT64, &a, &a, 8, none), GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_INT64, &a, &b, 8, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_UINT8, c, d, 2, none), GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_UINT8, c, d, 2, measure_tolerance(1, 0, 0)), GPUTUNE_OK);
    CHECK_INT(measure_compare(GPUTUNE_BYTES, c, d, 2, none), GPUTUNE_ERROR_WRONG_OUTPUT);
}

// Elements that the reference never wrote loosen nothing, and must stay unwritten; nor does one
// huge element let the others be anything.
static void test_measure_padding(void)
{
    gputune_tolerance none = measure_tolerance(0, 0, 0);
    float expected[1000], got[1000];
    int i;
    for (i = 0; i < 1000; i++) expected[i] = 1.0f + (float)(i % 7);
    memset(&expected[999], GPUTUNE__POISON, sizeof(float));
    memcpy(got, expected, sizeof got);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 4000, none), GPUTUNE_OK);
    got[5] = -123;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 4000, none),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    got[5] = expected[5];
    got[999] = expected[999] * 1.00001f;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 4000, none),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    got[999] = expected[999] = 1e8f;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 4000, none), GPUTUNE_OK);
    got[5] = -17;
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, got, expected, 4000, none),
              GPUTUNE_ERROR_WRONG_OUTPUT);
}

// A forgotten element must never pass for a number, whatever the type.
static void test_measure_poison(void)
{
    unsigned char poison[8];
    double d = 0.5;
    float f = 0.5f;
    uint16_t h = gputune__half_of(0.5);
    int32_t i = 0;
    memset(poison, GPUTUNE__POISON, sizeof poison);
    CHECK_INT(measure_compare(GPUTUNE_DOUBLE, poison, &d, 8, measure_tolerance(0, 0, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_FLOAT, poison, &f, 4, measure_tolerance(0, 0, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_HALF, poison, &h, 2, measure_tolerance(0, 0, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK_INT(measure_compare(GPUTUNE_INT32, poison, &i, 4, measure_tolerance(0, 0, 0)),
              GPUTUNE_ERROR_WRONG_OUTPUT);
    CHECK(gputune__real_at(GPUTUNE_FLOAT, poison, 0) == gputune__real_at(GPUTUNE_FLOAT, poison, 0));
}

// Binomial tails by hand: P(X <= k) for n fair tosses.
static void test_measure_sign_test(void)
{
    CHECK_NEAR(gputune__sign_test(0, 7), 1.0 / 128, 1e-15);
    CHECK_NEAR(gputune__sign_test(1, 10), 11.0 / 1024, 1e-15);
    CHECK_NEAR(gputune__sign_test(10, 10), 1.0, 1e-12);
    CHECK_NEAR(gputune__sign_test(0, 0), 1.0, 1e-15);
}

static void test_measure_racer_beats(void)
{
    double fast[10], slow[10], noisy[10];
    gputune__racer a, b;
    int i;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    for (i = 0; i < 10; i++) {
        fast[i] = 1.0 + 0.001 * i;
        slow[i] = fast[i] + 0.05;
        noisy[i] = fast[i] + (i % 2 ? 0.05 : -0.04);
    }
    a.samples = fast;
    a.rounds = b.rounds = 10;
    a.median = 1.0045;
    b.samples = slow;
    b.median = 1.0545;
    CHECK(gputune__racer_beats(&a, &b, 0.01));
    CHECK(!gputune__racer_beats(&b, &a, 0.01));
    b.samples = noisy;
    CHECK(!gputune__racer_beats(&a, &b, 0.01));
    b.samples = fast;
    b.median = a.median;
    CHECK(!gputune__racer_beats(&a, &b, 0.01)); // equal: nobody is beaten
}

static void test_measure_spacing(void)
{
    CHECK_NEAR(gputune__spacing(GPUTUNE_FLOAT, 1.0), FLT_EPSILON, 0);
    CHECK_NEAR(gputune__spacing(GPUTUNE_DOUBLE, 1.5), DBL_EPSILON, 0);
    CHECK_NEAR(gputune__spacing(GPUTUNE_HALF, 1.0), ldexp(1.0, -10), 0);
    CHECK_NEAR(gputune__spacing(GPUTUNE_FLOAT, 0.0), ldexp(1.0, -149), 0);
}

static const test_case measure_cases[] = {
    { "compare_float", test_measure_compare_float },
    { "compare_special", test_measure_compare_special },
    { "compare_integers", test_measure_compare_integers },
    { "padding", test_measure_padding },
    { "poison", test_measure_poison },
    { "sign_test", test_measure_sign_test },
    { "racer_beats", test_measure_racer_beats },
    { "spacing", test_measure_spacing },
    { NULL, NULL },
};
