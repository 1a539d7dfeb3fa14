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

// How many times longer things take than on an idle machine: TEST_LOAD, which tests/run.sh measures
// at its start. Limits of wall-clock time, and what they are told from, are multiplied by it.
static int test_load = 1;

static inline void test_load_read(void)
{
    const char *text = getenv("TEST_LOAD");
    if (text && atoi(text) > 1) test_load = atoi(text);
}

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

// A value as a variable has it. x87 computes with more digits than a double holds, and a comparison
// would see them.
static inline double test_double(double value)
{
    volatile double rounded = value;
    return rounded;
}

// Leaves the case. Only for what a machine lacks: a GPU.
#define SKIP(reason)                                                                              \
    do {                                                                                          \
        test_skip_reason = (reason);                                                              \
        return;                                                                                   \
    } while (0)

// Leaves the case where tests/machines.sh says that the machine it tests lacks that: `opencl`, or
// `restart`, a way for a program to start itself anew.
#define SKIP_LACKING(what)                                                                        \
    do {                                                                                          \
        const char *lacks = getenv("TEST_LACKS");                                                 \
        if (lacks && strstr(lacks, what)) SKIP("this machine is only built for: no " what);        \
    } while (0)

// Where a text is not UTF-8 by the table of well-formed sequences (Unicode 15, table 3-7); NULL: it
// is everywhere.
static inline const char *test_not_utf8(const char *text)
{
    static const unsigned char rows[][4] = { // first byte from and to, second byte from and to
        { 0xc2, 0xdf, 0x80, 0xbf }, { 0xe0, 0xe0, 0xa0, 0xbf }, { 0xe1, 0xec, 0x80, 0xbf },
        { 0xed, 0xed, 0x80, 0x9f }, { 0xee, 0xef, 0x80, 0xbf }, { 0xf0, 0xf0, 0x90, 0xbf },
        { 0xf1, 0xf3, 0x80, 0xbf }, { 0xf4, 0xf4, 0x80, 0x8f }
    };
    const unsigned char *s = (const unsigned char *)text;
    while (*s) {
        size_t i = 0;
        int more = *s < 0x80 ? 0 : *s < 0xe0 ? 1 : *s < 0xf0 ? 2 : 3;
        while (more && i < sizeof rows / sizeof *rows && (*s < rows[i][0] || *s > rows[i][1])) i++;
        if (i == sizeof rows / sizeof *rows) return (const char *)s;
        if (more && (s[1] < rows[i][2] || s[1] > rows[i][3])) return (const char *)s;
        for (s += more ? 2 : 1; more > 1; more--, s++)
            if (*s < 0x80 || *s > 0xbf) return (const char *)s;
    }
    return NULL;
}

// Two characters and, between them, every way to be none; as pages and JSON show it.
#define TEST_BYTES                                                                                \
    "\xc3\xa9\xff\xc0\xaf\xe0\x80\x80\xed\xa0\x80\xf4\x90\x80\x80\xf8\x88\x80\x80\x80"             \
    "\xe2\x82 \x80\xf0\x9f\x98\x80"
#define TEST_WRONG "\xef\xbf\xbd"
#define TEST_FIVE_WRONG TEST_WRONG TEST_WRONG TEST_WRONG TEST_WRONG TEST_WRONG
#define TEST_BYTES_SHOWN                                                                          \
    "\xc3\xa9" TEST_FIVE_WRONG TEST_FIVE_WRONG TEST_FIVE_WRONG TEST_FIVE_WRONG " " TEST_WRONG      \
    "\xf0\x9f\x98\x80"

// --- random numbers of the tests' own: splitmix64 (Steele, Lea, Flood 2014) ---

static inline uint64_t test_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t test_random(uint64_t *state) // any state
{
    return test_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

// Uniform in [0, n), n > 0.
static inline uint64_t test_random_below(uint64_t *state, uint64_t n)
{
    const uint64_t limit = UINT64_MAX - (UINT64_MAX % n + 1) % n;
    uint64_t x;
    do
        x = test_random(state);
    while (x > limit);
    return x % n;
}

// Uniform in (0, 1).
static inline double test_random_unit(uint64_t *state)
{
    return ((double)(test_random(state) >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

// Standard normal, by Box and Muller.
static inline double test_random_normal(uint64_t *state)
{
    const double u = test_random_unit(state), v = test_random_unit(state);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

// Makes a text that compiles only where a driver's macros are as it says, but for extensions that
// are none of the language. Returns how many macros that are.
static inline int test_macros(const char *at, char *text, size_t size)
{
    int known = 0;
    for (*text = 0; at && *at; at += *at == ' ') {
        char name[200], value[200] = "";
        const bool undefined = at[1] == 'U';
        int length = 0;
        sscanf(at, "-%*c%199[^= ]%n", name, &length);
        at += length;
        if (*at == '=') sscanf(at, "=%199[^ ]%n", value, &length), at += length;
        if (!strstr(name, "__") && !strstr(name, "_atomics") && !strstr(name, "_fp") &&
            !strstr(name, "CL_VERSION") && !strstr(name, "CUDART"))
            continue;
        known++;
        if (*value && strcmp(name, value) != 0)
            snprintf(text + strlen(text), size - strlen(text), "#if %s != %s\n#error %s\n#endif\n",
                     name, value, name);
        else
            snprintf(text + strlen(text), size - strlen(text), "#if%s %s\n#error %s\n#endif\n",
                     undefined ? "def" : "ndef", name, name);
    }
    return known;
}

#endif
