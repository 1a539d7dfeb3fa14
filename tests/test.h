// A small test harness: cases in tables, checks that are counted, skips with a reason.
#ifndef TEST_H
#define TEST_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_case {
    const char *name;
    void (*run)(void);
} test_case;

static int test_failures;            // of the case that runs
static long test_checks;             // it has made; in any thread, but not in its child processes
static const char *test_skip_reason; // set by SKIP

// Prefer CHECK_OR to an `if` with this: what is only said where it fails is not counted.
#define TEST_FAIL(...)                                                                            \
    (test_failures++, printf("    %s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), printf("\n"))

#ifdef __ATOMIC_RELAXED
#define TEST_COUNT() ((void)__atomic_fetch_add(&test_checks, 1, __ATOMIC_RELAXED))
#else // tcc, for tests/mutants.sh: a count lost between threads does not matter there
#define TEST_COUNT() ((void)test_checks++)
#endif

// Says with printf's arguments what is wrong where the condition is false.
#define CHECK_OR(condition, ...)                                                                  \
    (TEST_COUNT(), (condition) ? (void)0 : (void)TEST_FAIL(__VA_ARGS__))

#define CHECK(condition) CHECK_OR(condition, "%s is false", #condition)

#define CHECK_INT(actual, expected)                                                               \
    do {                                                                                          \
        long long check_a = (long long)(actual), check_e = (long long)(expected);                 \
        TEST_COUNT();                                                                             \
        if (check_a != check_e)                                                                   \
            TEST_FAIL("%s is %lld, expected %lld", #actual, check_a, check_e);                    \
    } while (0)

#define CHECK_TEXT(actual, expected)                                                              \
    do {                                                                                          \
        const char *check_a = (actual), *check_e = (expected);                                    \
        TEST_COUNT();                                                                             \
        if (!check_a || strcmp(check_a, check_e) != 0)                                            \
            TEST_FAIL("%s is \"%s\", expected \"%s\"", #actual, check_a ? check_a : "(NULL)",      \
                      check_e);                                                                   \
    } while (0)

// The text contains the part: for error messages, where the culprit matters and not the wording.
#define CHECK_HAS(text, part)                                                                     \
    do {                                                                                          \
        const char *check_t = (text), *check_p = (part);                                          \
        TEST_COUNT();                                                                             \
        if (!check_t || !strstr(check_t, check_p))                                                \
            TEST_FAIL("%s is \"%s\", expected \"%s\" in it", #text, check_t ? check_t : "(NULL)",  \
                      check_p);                                                                   \
    } while (0)

#define CHECK_NEAR(actual, expected, tolerance)                                                   \
    do {                                                                                          \
        double check_a = (actual), check_e = (expected);                                          \
        TEST_COUNT();                                                                             \
        if (!(fabs(check_a - check_e) <= (tolerance)))                                            \
            TEST_FAIL("%s is %.17g, expected %.17g", #actual, check_a, check_e);                  \
    } while (0)

// Leaves the case. Only for what a machine lacks: a GPU.
#define SKIP(reason)                                                                              \
    do {                                                                                          \
        test_skip_reason = (reason);                                                              \
        return;                                                                                   \
    } while (0)

#endif
