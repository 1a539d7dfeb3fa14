// prelude.cl as CUDA C, compiled for the host with CUDA's words defined away, against plain C++.
// One work-item; half and what needs CUDA's own functions is left out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct three {
    unsigned x, y, z;
};
static const three threadIdx = { 3, 0, 0 }, blockIdx = { 2, 0, 0 }, blockDim = { 8, 2, 1 },
                   gridDim = { 5, 7, 1 };

#include "stub.h"
#include PRELUDE

static int failures;

template <class T> static void check(const char *what, const T *got, int count, const double *want)
{
    for (int i = 0; i < count; i++) {
        if (fabs((double)got[i] - want[i]) <= 1e-6 * (1 + fabs(want[i]))) continue;
        printf("%s[%d] is %g, expected %g\n", what, i, (double)got[i], want[i]);
        failures++;
    }
}

#define CHECK(got, count, ...)                                                                    \
    do {                                                                                          \
        const double want[] = { __VA_ARGS__ };                                                    \
        static_assert(sizeof want / sizeof *want == (count), "as many as compared");              \
        check(#got, got, count, want);                                                            \
    } while (0)

static void check_literals()
{
    float4 v[7];
    float8 w[1];
    float x[2], *f = (float *)v;
    literals(5, v, w, x);
    CHECK(f, 28, 5, 2, 3.5, 4, 5, 5, 5, 5, 1, 2, 3, 4, 5, 2, 3, 9, 2, 4, 6, 9, 7, 8, 9, 5, 1, 2, 3,
          4);
    CHECK((float *)w, 8, 1, 2, 3, 4, 1, 2, 10, 11);
    CHECK(x, 2, 104, 10);
}

static void check_components()
{
    float4 v[7];
    float8 w[1];
    components(v, w);
    CHECK((float *)v, 28, 3, 2, 1, 0, 0, 0, 1, 1, 2, 0, 1, 3, 20, 1, 2, 13, 1, 0, 2, 3, 0, 1, 0, 1,
          0, 5, 2, 15);
    CHECK((float *)w, 8, 100, 1, 2, 3, 0, -1, -2, 101);
}

static void check_operators()
{
    int4 v[9];
    float4 f[2];
    operators(v, f);
    CHECK((int *)v, 36, 10, -3, 0, 19, 7 / 2 + 7 % 2, -8 / 3 + -8 % 3, 9 / -4 + 9 % -4, 2,
          (7 & 2) | (7 ^ 3) | ~2, (-8 & 3) | (-8 ^ 3) | ~3, (9 & -4) | (9 ^ 3) | ~-4,
          (10 & 5) | (10 ^ 3) | ~5, 14, -16, 18, 20, 0, -1, 0, -1, -1, -1, 0, 0, -4, 12, -12, -4,
          -1, 0, -1, 0, 2, (int)0x80000000, 16, 32);
    CHECK((float *)f, 8, 2, 1, 0.5, 0.25, 0.5, 0, -0.25, -0.375);
}

static void check_memory()
{
    float x[20];
    int n[2];
    for (int i = 0; i < 20; i++) x[i] = (float)i;
    memory(x, n);
    CHECK(x, 20, 0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 4, 5, 15, -1, -2, 18, 19);
    CHECK(n, 2, 16 + 1600 + 640000, 2 + 80 + 16000);
}

static void check_conversions()
{
    unsigned char b[12];
    int n[9];
    float x[2];
    conversions(b, n, x);
    CHECK(b, 12, 0, 3, 254, 255, 0, 4, 254, 255, 0, 255, 127, 2);
    CHECK(n, 9, -3, 4, 255, 0, -1, 1, 1, 0x3f800000, 0x40000000);
    CHECK(x, 2, 2, 0x3f800000 + 3);
}

static void check_functions()
{
    float x[31];
    int n[32];
    functions(x, n);
    CHECK(x, 31, -5, 1, 1.5, 4, 0, 0.25, 0.5, 1, 1.5, 1.625, 1.25, 1.5, 3, 3.25, 2.5, 3, -1, 1, 1,
          1, -0.25, sqrt(30), 0.15625, 0, 1, 0, 4, 0.8,
          20, 3.5, 0.25);
    CHECK(n, 32, 1, 32, 8, 1, 31, 0, 24, 1, 2, -1, 510, -2147483648.0, 5, 5, 5, 0x40000000, 1, 0,
          100, 100, 1, 8003, 1715, 31, 1, 1, 1, 642, 127 - 128, 3 + 2000,
          -2 + 300, 11);
}

static void check_items()
{
    unsigned long n[7] = { 0, 0, 0, 0, 0, 0, 7 };
    items(n, 32, 16);
    CHECK(n, 7, 19 + 14000 + 1000000, 2 + 700, 2 + 10 + 100, 6 + 50 + 600 + 7000,
          4 + 400 + 9000 + 70000, 0, 7);
}

int main()
{
    check_literals();
    check_components();
    check_operators();
    check_memory();
    check_conversions();
    check_functions();
    check_items();
    return failures != 0;
}
