// Built-in functions of OpenCL C against plain C: kernels that call each with every type and width
// that it has, and what they must have written. For OpenCL, for CUDA, and for the converted text
// on the host (tests/compile/builtins.cc).
#ifndef BUILTINS_H
#define BUILTINS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BUILTINS_ITEMS = 24,
    BUILTINS_LANES = 16,
    BUILTINS_INPUTS = BUILTINS_ITEMS * BUILTINS_LANES,
    BUILTINS_WIDTHS = 6,
    BUILTINS_ROOM = 24, // elements of a row and a width: aligned vectors of three take 20
};
static const int builtins_widths[BUILTINS_WIDTHS] = { 1, 2, 3, 4, 8, 16 };

// The integer's and the mask's type beside it, bits, and whether it has a sign or is a real.
typedef struct builtins_type {
    const char *name, *mask, *twice;
    int bits;
    bool is_signed, is_real;
} builtins_type;

enum { BUILTINS_TYPES = 10 };
static const builtins_type builtins_types[BUILTINS_TYPES] = {
    { "char", "uchar", "short", 8, true, false },
    { "uchar", "uchar", "ushort", 8, false, false },
    { "short", "ushort", "int", 16, true, false },
    { "ushort", "ushort", "uint", 16, false, false },
    { "int", "uint", "long", 32, true, false },
    { "uint", "uint", "ulong", 32, false, false },
    { "long", "ulong", NULL, 64, true, false },
    { "ulong", "ulong", NULL, 64, false, false },
    { "float", "uint", NULL, 32, true, true },
    { "double", "ulong", NULL, 64, true, true },
};

// --- plain C ---

static double builtins_sinpi(double x)
{
    double r = remainder(x, 2);
    if (fabs(r) > 0.5) r = copysign(1, r) - r;
    return sin(3.14159265358979323846 * r);
}

static double builtins_cospi(double x)
{
    return sin(3.14159265358979323846 * (0.5 - fabs(remainder(x, 2))));
}

// The n-th root, with a step of Newton's.
static double builtins_rootn(double x, int n)
{
    double r = pow(fabs(x), 1.0 / n);
    if (!n || (x < 0 && n % 2 == 0)) return NAN;
    return n % 2 ? copysign(r, x) : r;
}

static double builtins_nextafter(double x, double y, bool narrow)
{
    return narrow ? (double)nextafterf((float)x, (float)y) : nextafter(x, y);
}

static double builtins_remainder(double x, double y, int *quotient)
{
    const double r = remainder(x, y);
    *quotient = r == r && isfinite(y) ? (int)rint((fmod(x, 128 * y) - r) / y) : 0;
    return r;
}

static double builtins_part(double x, double *whole)
{
    return modf(x, whole);
}

static double builtins_fract(double x, double *whole, bool narrow)
{
    const double most = narrow ? 0.999999940395355224609375 : 0.99999999999999988897769753748;
    *whole = floor(x);
    return isinf(x) ? 0 : x - *whole < most || x != x ? x - *whole : most;
}

static double builtins_frexp(double x, double *exponent)
{
    int n = 0;
    const double r = frexp(x, &n);
    *exponent = isfinite(x) ? n : 0;
    return r;
}

// The greater of two by magnitude, or the lesser.
static double builtins_magnitude(double x, double y, bool greater)
{
    if (fabs(x) == fabs(y) || x != x || y != y) return greater ? fmax(x, y) : fmin(x, y);
    return (fabs(x) > fabs(y)) == greater ? x : y;
}

static bool builtins_normal(double x, bool narrow)
{
    return isfinite(x) && fabs(x) >= (narrow ? 1.1754943508222875e-38 : 2.2250738585072014e-308);
}

// Name, form, units in the last place that it may be off (less than none: of values below one, of
// one), the value, the second one. A form says what goes in and out: a number, reals; n, an integer
// too; t, a real out too; i, an integer out too; q, so with two reals; g, an integer alone; c and
// d, a truth about one and two.
#define BUILTINS_REALS(X)                                                                         \
    X(acosh, '1', 8, acosh(x), 0)                                                                 \
    X(asinh, '1', 8, asinh(x), 0)                                                                 \
    X(atanh, '1', 8, atanh(x), 0)                                                                 \
    X(acospi, '1', 8, acos(x) / 3.14159265358979323846, 0)                                        \
    X(asinpi, '1', 8, asin(x) / 3.14159265358979323846, 0)                                        \
    X(atanpi, '1', 8, atan(x) / 3.14159265358979323846, 0)                                        \
    X(atan2pi, '2', 8, atan2(x, y) / 3.14159265358979323846, 0)                                   \
    X(sinpi, '1', -8, builtins_sinpi(x), 0)                                                       \
    X(cospi, '1', -8, builtins_cospi(x), 0)                                                       \
    X(tanpi, '1', -16, builtins_sinpi(x) / builtins_cospi(x), 0)                                  \
    X(lgamma, '1', -64, lgamma(x), 0)                                                             \
    X(tgamma, '1', 64, tgamma(x), 0)                                                              \
    X(logb, '1', 0, logb(x), 0)                                                                   \
    X(nextafter, '2', 0, builtins_nextafter(x, y, narrow), 0)                                     \
    X(remainder, '2', 0, remainder(x, y), 0)                                                      \
    X(maxmag, '2', 0, builtins_magnitude(x, y, true), 0)                                          \
    X(minmag, '2', 0, builtins_magnitude(x, y, false), 0)                                         \
    X(ldexp, 'n', 0, ldexp(x, n), 0)                                                              \
    X(pown, 'n', 64, pow(x, n), 0)                                                                \
    X(rootn, 'n', 16, builtins_rootn(x, n), 0)                                                    \
    X(fract, 't', 0, builtins_fract(x, second, narrow), *second)                                  \
    X(modf, 't', 0, builtins_part(x, second), *second)                                            \
    X(sincos, 't', -8, sin(x), cos(x))                                                            \
    X(frexp, 'i', 0, builtins_frexp(x, second), *second)                                          \
    X(lgamma_r, 'i', -64, lgamma(x), fmod(floor(x), 2) < 0 ? -1 : 1)                              \
    X(remquo, 'q', 0, builtins_remainder(x, y, &quotient), quotient)                              \
    X(ilogb, 'g', 0, 0, ilogb(x))                                                                 \
    X(isnormal, 'c', 0, 0, builtins_normal(x, narrow))                                            \
    X(isnan, 'c', 0, 0, x != x)                                                                   \
    X(isequal, 'd', 0, 0, x == y)                                                                 \
    X(isnotequal, 'd', 0, 0, x != y)                                                              \
    X(isgreater, 'd', 0, 0, x > y)                                                                \
    X(isgreaterequal, 'd', 0, 0, x >= y)                                                          \
    X(isless, 'd', 0, 0, x < y)                                                                   \
    X(islessequal, 'd', 0, 0, x <= y)                                                             \
    X(islessgreater, 'd', 0, 0, x < y || x > y)                                                   \
    X(isordered, 'd', 0, 0, x == x && y == y)                                                     \
    X(isunordered, 'd', 0, 0, x != x || y != y)

// A number of 128 bits, for what needs more than the type's own.
typedef struct builtins_wide {
    uint64_t high, low;
} builtins_wide;

static builtins_wide builtins_widened(const builtins_type *t, uint64_t a)
{
    const builtins_wide w = { t->is_signed && a >> 63 ? ~UINT64_C(0) : 0, a };
    return w;
}

static builtins_wide builtins_plus(builtins_wide a, builtins_wide b)
{
    a.low += b.low;
    a.high += b.high + (a.low < b.low);
    return a;
}

static builtins_wide builtins_minus(builtins_wide a)
{
    const builtins_wide one = { 0, 1 };
    a.high = ~a.high;
    a.low = ~a.low;
    return builtins_plus(a, one);
}

static builtins_wide builtins_times(builtins_wide a, builtins_wide b)
{
    builtins_wide sum = { 0, 0 };
    for (int i = 0; i < 128; i++) {
        if ((i < 64 ? b.low >> i : b.high >> (i - 64)) & 1) sum = builtins_plus(sum, a);
        a.high = a.high << 1 | a.low >> 63;
        a.low <<= 1;
    }
    return sum;
}

// The low bits, with the sign in the others if the type has one.
static uint64_t builtins_cut(const builtins_type *t, uint64_t a)
{
    const uint64_t most = ~UINT64_C(0) >> (64 - t->bits);
    a &= most;
    return t->is_signed && a >> (t->bits - 1) ? a | ~most : a;
}

static uint64_t builtins_shifted(builtins_wide a, int by)
{
    return by == 64 ? a.high : a.low >> by | a.high << (64 - by);
}

static uint64_t builtins_clip(const builtins_type *t, builtins_wide a)
{
    const builtins_wide back = builtins_widened(t, builtins_cut(t, a.low));
    const uint64_t ones = ~UINT64_C(0) >> (64 - t->bits);
    if (back.high == a.high && back.low == a.low) return a.low;
    if (t->is_signed) return a.high >> 63 ? ~(ones >> 1) : ones >> 1;
    return ones;
}

static uint64_t builtins_difference(const builtins_type *t, builtins_wide a, builtins_wide b)
{
    if (!t->is_signed && a.low < b.low) return 0;
    return builtins_clip(t, builtins_plus(a, builtins_minus(b)));
}

static bool builtins_less(const builtins_type *t, uint64_t a, uint64_t b)
{
    return t->is_signed ? (int64_t)a < (int64_t)b : a < b;
}

static uint64_t builtins_count(uint64_t a)
{
    uint64_t n = 0;
    for (; a; a &= a - 1) n++;
    return n;
}

static uint64_t builtins_zeros(const builtins_type *t, uint64_t a)
{
    uint64_t n = (uint64_t)t->bits;
    for (a &= ~UINT64_C(0) >> (64 - t->bits); a; a >>= 1) n--;
    return n;
}

static uint64_t builtins_rotated(const builtins_type *t, uint64_t a, uint64_t b)
{
    const int by = (int)(b & (uint64_t)(t->bits - 1));
    a &= ~UINT64_C(0) >> (64 - t->bits);
    return by ? a << by | a >> (t->bits - by) : a;
}

// a, b, c: the values; A, B, C: as 128 bits. Forms: a number; u and v, an unsigned result of one
// and two; x, one of twice the bits.
#define BUILTINS_INTEGERS(X)                                                                      \
    X(abs, 'u', builtins_less(t, a, 0) ? 0 - a : a)                                               \
    X(abs_diff, 'v', builtins_less(t, a, b) ? b - a : a - b)                                      \
    X(add_sat, '2', builtins_clip(t, builtins_plus(A, B)))                                        \
    X(sub_sat, '2', builtins_difference(t, A, B))                                                 \
    X(hadd, '2', builtins_shifted(builtins_plus(A, B), 1))                                        \
    X(rhadd, '2', builtins_shifted(builtins_plus(builtins_plus(A, B), one), 1))                   \
    X(clz, '1', builtins_zeros(t, a))                                                             \
    X(popcount, '1', builtins_count(a & ~UINT64_C(0) >> (64 - t->bits)))                          \
    X(rotate, '2', builtins_rotated(t, a, b))                                                     \
    X(max, '2', builtins_less(t, a, b) ? b : a)                                                   \
    X(min, '2', builtins_less(t, b, a) ? b : a)                                                   \
    X(mul_hi, '2', builtins_shifted(builtins_times(A, B), t->bits))                               \
    X(mad_hi, '3', builtins_shifted(builtins_times(A, B), t->bits) + c)                           \
    X(mad_sat, '3', builtins_clip(t, builtins_plus(builtins_times(A, B), C)))                     \
    X(bitselect, '3', (a & ~c) | (b & c))                                                         \
    X(upsample, 'x', a << t->bits % 64 | u)

#define BUILTINS_REAL_NAME(name, form, ulps, value, second) BUILTINS_REAL_##name,
#define BUILTINS_INTEGER_NAME(name, form, value) BUILTINS_INTEGER_##name,
enum { BUILTINS_REALS(BUILTINS_REAL_NAME) BUILTINS_REAL_COUNT };
enum { BUILTINS_INTEGERS(BUILTINS_INTEGER_NAME) BUILTINS_INTEGER_COUNT };
enum { BUILTINS_ROWS = 40 }; // at least as many as either has

// Names of the types' functions that a device's own compiler has wrong: "double remquo, ...".
static bool builtins_left_out(const char *without, const builtins_type *t, const char *name)
{
    char word[64];
    snprintf(word, sizeof word, "%s %s,", t->name, name);
    return strstr(without, word) != NULL;
}

typedef struct builtins_row {
    const char *name;
    char form;
    double ulps;
} builtins_row;

#define BUILTINS_REAL_ROW(name, form, ulps, value, second) { #name, form, ulps },
#define BUILTINS_INTEGER_ROW(name, form, value) { #name, form, 0 },
static const builtins_row builtins_real_rows[] = { BUILTINS_REALS(BUILTINS_REAL_ROW) };
static const builtins_row builtins_integer_rows[] = { BUILTINS_INTEGERS(BUILTINS_INTEGER_ROW) };

static double builtins_real(int row, bool narrow, double x, double y, int n, double *second)
{
    int quotient = 0;
    double value = 0;
    *second = 0;
    switch (row) {
#define BUILTINS_REAL_CASE(name, form, ulps, is, other)                                           \
    case BUILTINS_REAL_##name:                                                                    \
        value = is;                                                                               \
        *second = other;                                                                          \
        break;
        BUILTINS_REALS(BUILTINS_REAL_CASE)
    default:
        break;
    }
    return value;
}

static uint64_t builtins_integer(int row, const builtins_type *t, uint64_t a, uint64_t b,
                                 uint64_t c, uint64_t u)
{
    const builtins_wide A = builtins_widened(t, a), B = builtins_widened(t, b),
                        C = builtins_widened(t, c), one = { 0, 1 };
    switch (row) {
#define BUILTINS_INTEGER_CASE(name, form, is)                                                     \
    case BUILTINS_INTEGER_##name:                                                                 \
        return is;
        BUILTINS_INTEGERS(BUILTINS_INTEGER_CASE)
    default:
        return 0;
    }
}

// A real as a half, rounded: to even, to zero, up, down.
static uint16_t builtins_half(double a, int mode)
{
    const bool negative = signbit(a) != 0, up = mode == 2 ? !negative : mode == 3 && negative;
    const unsigned sign = negative ? 0x8000 : 0;
    double q, f;
    unsigned h = 0x7c00;
    int e;
    if (a != a) return 0x7e00;
    a = fabs(a);
    if (isinf(a)) return (uint16_t)(sign | h);
    e = a == 0 || ilogb(a) < -14 ? -14 : ilogb(a);
    if (e < 16) {
        q = ldexp(a, 10 - e);
        f = floor(q);
        if (mode == 0 ? q - f > 0.5 || (q - f == 0.5 && fmod(f, 2) == 1) : up && q > f) f++;
        h = (unsigned)(e + 14) * 1024 + (unsigned)f;
    }
    if (h >= 0x7c00) h = mode == 0 || up ? 0x7c00 : 0x7bff;
    return (uint16_t)(sign | h);
}

static float builtins_unhalf(uint16_t h)
{
    const int e = h >> 10 & 31, f = h & 1023;
    const double a = e == 31 ? f ? NAN : INFINITY : ldexp(e ? f + 1024 : f, (e ? e : 1) - 25);
    return (float)(h & 0x8000 ? -a : a);
}

// --- the kernels ---

// What goes in: three reals or integers, an integer, a mask; what comes out: two values, an
// integer, a number of 64 bits, a half.
typedef struct builtins_data {
    unsigned char a[BUILTINS_INPUTS * 8], b[BUILTINS_INPUTS * 8], c[BUILTINS_INPUTS * 8];
    int32_t n[BUILTINS_INPUTS];
    unsigned char u[BUILTINS_INPUTS * 8];
    unsigned char o[BUILTINS_ITEMS * BUILTINS_ROWS * BUILTINS_WIDTHS * BUILTINS_ROOM * 8];
    unsigned char p[BUILTINS_ITEMS * BUILTINS_ROWS * BUILTINS_WIDTHS * BUILTINS_ROOM * 8];
    int32_t m[BUILTINS_ITEMS * BUILTINS_ROWS * BUILTINS_WIDTHS * BUILTINS_ROOM];
    uint64_t w[BUILTINS_ITEMS * BUILTINS_ROWS * BUILTINS_WIDTHS * BUILTINS_ROOM];
    uint16_t h[BUILTINS_ITEMS * BUILTINS_ROWS * BUILTINS_WIDTHS * BUILTINS_ROOM];
} builtins_data;

enum { BUILTINS_BUFFERS = 10, BUILTINS_INPUT_BUFFERS = 5 };

// The buffers in the order of the kernels' parameters.
static void *builtins_buffer(builtins_data *d, int i, size_t *bytes)
{
    void *const at[BUILTINS_BUFFERS] = { d->a, d->b, d->c, d->n, d->u,
                                         d->o, d->p, d->m, d->w, d->h };
    const size_t sizes[BUILTINS_BUFFERS] = { sizeof d->a, sizeof d->b, sizeof d->c, sizeof d->n,
                                             sizeof d->u, sizeof d->o, sizeof d->p, sizeof d->m,
                                             sizeof d->w, sizeof d->h };
    *bytes = sizes[i];
    return at[i];
}

typedef struct builtins_text {
    char *text;
    size_t used, size;
} builtins_text;

#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static void
builtins_add(builtins_text *to, const char *format, ...);

#include <stdarg.h>

static void builtins_add(builtins_text *to, const char *format, ...)
{
    va_list list;
    if (to->size - to->used < 4096) {
        to->size = 2 * to->size + 65536;
        to->text = (char *)realloc(to->text, to->size);
        if (!to->text) exit(2);
    }
    va_start(list, format);
    to->used += (size_t)vsnprintf(to->text + to->used, to->size - to->used, format, list);
    va_end(list);
}

static const char builtins_head[] =
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
    "#define L1(j, p) (p)[j]\n#define L2 vload2\n#define L3 vload3\n#define L4 vload4\n"
    "#define L8 vload8\n#define L16 vload16\n#define S1(v, j, p) (p)[j] = (v)\n"
    "#define S2 vstore2\n#define S3 vstore3\n#define S4 vstore4\n#define S8 vstore8\n"
    "#define S16 vstore16\n#define each(n) for (int j = 0; j < 16 / n; j++)\n";

static void builtins_kernel(builtins_text *to, const char *group, const builtins_type *t)
{
    builtins_add(to,
                 "kernel void %s_%s(global const %s *a, global const %s *b, global const %s *c,\n"
                 "global const int *n, global const %s *u, global %s *o, global %s *p,\n"
                 "global int *m, global ulong *w, global half *h)\n{\n"
                 "const int item = get_global_id(0);\n"
                 "a += 16 * item, b += 16 * item, c += 16 * item, n += 16 * item, u += 16 * item;\n"
                 "const int out = %d * item;\no += out, p += out, m += out, w += out, h += out;\n",
                 group, t->name, t->name, t->name, t->name, t->mask, t->name, t->name,
                 BUILTINS_ROWS * BUILTINS_WIDTHS * BUILTINS_ROOM);
}

// One function of one width, over all lanes.
static void builtins_call(builtins_text *to, const builtins_type *t, const char *f, char form,
                          int row, int width)
{
    const int at = (row * BUILTINS_WIDTHS + width) * BUILTINS_ROOM, N = builtins_widths[width];
    char v[16] = "";
    if (N > 1) snprintf(v, sizeof v, "%d", N);
    builtins_add(to, "each(%d) ", N);
    switch (form) {
    case '1':
        builtins_add(to, "S%d(%s(L%d(j, a)), j, o + %d);\n", N, f, N, at);
        break;
    case '2':
        builtins_add(to, "S%d(%s(L%d(j, a), L%d(j, b)), j, o + %d);\n", N, f, N, N, at);
        break;
    case '3':
        builtins_add(to, "S%d(%s(L%d(j, a), L%d(j, b), L%d(j, c)), j, o + %d);\n", N, f, N, N, N,
                     at);
        break;
    case 'n':
        builtins_add(to, "S%d(%s(L%d(j, a), L%d(j, n)), j, o + %d);\n", N, f, N, N, at);
        break;
    case 't':
        builtins_add(to, "{ %s%s t; S%d(%s(L%d(j, a), &t), j, o + %d); S%d(t, j, p + %d); }\n",
                     t->name, v, N, f, N, at, N, at);
        break;
    case 'i':
        builtins_add(to, "{ int%s t; S%d(%s(L%d(j, a), &t), j, o + %d); S%d(t, j, m + %d); }\n", v,
                     N, f, N, at, N, at);
        break;
    case 'q':
        builtins_add(to,
                     "{ int%s t; S%d(%s(L%d(j, a), L%d(j, b), &t), j, o + %d); S%d(t, j, m + %d); "
                     "}\n",
                     v, N, f, N, N, at, N, at);
        break;
    case 'g':
        builtins_add(to, "S%d(%s(L%d(j, a)), j, m + %d);\n", N, f, N, at);
        break;
    case 'c':
        builtins_add(to, "S%d(convert_int%s(%s(L%d(j, a))), j, m + %d);\n", N, v, f, N, at);
        break;
    case 'd':
        builtins_add(to, "S%d(convert_int%s(%s(L%d(j, a), L%d(j, b))), j, m + %d);\n", N, v, f, N,
                     N, at);
        break;
    case 'u':
        builtins_add(to, "S%d(as_%s%s(%s(L%d(j, a))), j, o + %d);\n", N, t->name, v, f, N, at);
        break;
    case 'v':
        builtins_add(to, "S%d(as_%s%s(%s(L%d(j, a), L%d(j, b))), j, o + %d);\n", N, t->name, v, f,
                     N, N, at);
        break;
    default: // x
        builtins_add(to, "S%d(convert_ulong%s(%s(L%d(j, a), L%d(j, u))), j, w + %d);\n", N, v, f,
                     N, N, at);
        break;
    }
}

static void builtins_table(builtins_text *to, const builtins_type *t, const char *without)
{
    const int count = t->is_real ? BUILTINS_REAL_COUNT : BUILTINS_INTEGER_COUNT;
    builtins_kernel(to, "table", t);
    for (int row = 0; row < count; row++) {
        const builtins_row *r = t->is_real ? &builtins_real_rows[row] : &builtins_integer_rows[row];
        if (builtins_left_out(without, t, r->name) || (r->form == 'x' && !t->twice)) continue;
        for (int width = 0; width < BUILTINS_WIDTHS; width++)
            builtins_call(to, t, r->name, r->form, row, width);
    }
    builtins_add(to, "}\n");
}

// shuffle and shuffle2 by the components of what they take and what they give: all but three.
static void builtins_shuffles(builtins_text *to, const builtins_type *t)
{
    builtins_kernel(to, "shuffles", t);
    for (int from = 1; from < BUILTINS_WIDTHS; from++)
        for (int width = 1; width < BUILTINS_WIDTHS; width++) {
            const int M = builtins_widths[from], N = builtins_widths[width],
                      at = (from * BUILTINS_WIDTHS + width) * BUILTINS_ROOM;
            if (M == 3 || N == 3) continue;
            builtins_add(to, "each(%d) S%d(shuffle(L%d(0, a), L%d(j, u)), j, o + %d);\n", N, N, M,
                         N, at);
            builtins_add(to,
                         "each(%d) S%d(shuffle2(L%d(0, a), L%d(0, b), L%d(j, u)), j, p + %d);\n",
                         N, N, M, M, N, at);
        }
    builtins_add(to, "}\n");
}

static const char *const builtins_modes[] = { "", "_rte", "_rtz", "_rtp", "_rtn" };
enum { BUILTINS_MODES = 5 };

// Stored as halves, packed and aligned; the first of these loaded again.
static void builtins_halves(builtins_text *to, const builtins_type *t)
{
    builtins_kernel(to, "halves", t);
    for (int width = 0; width < BUILTINS_WIDTHS; width++)
        for (int row = 0; row < 2 * BUILTINS_MODES; row++) {
            const int N = builtins_widths[width],
                      at = (row * BUILTINS_WIDTHS + width) * BUILTINS_ROOM;
            const char *aligned = row < BUILTINS_MODES || N == 1 ? "" : "a";
            char v[16] = "";
            if (N > 1) snprintf(v, sizeof v, "%d", N);
            builtins_add(to, "each(%d) vstore%s_half%s%s(L%d(j, a), j, h + %d);\n", N, aligned, v,
                         builtins_modes[row % BUILTINS_MODES], N, at);
            if (t->bits == 32)
                builtins_add(to, "each(%d) S%d(vload%s_half%s(j, h + %d), j, o + %d);\n", N, N,
                             aligned, v, at, at);
        }
    builtins_add(to, "}\n");
}

enum { BUILTINS_TABLE, BUILTINS_SHUFFLES, BUILTINS_HALVES, BUILTINS_GROUPS };
static const char *const builtins_groups[] = { "table", "shuffles", "halves" };

static bool builtins_has(int group, const builtins_type *t)
{
    return group != BUILTINS_HALVES || t->is_real;
}

// A text with the kernel of that group and type. Freed by the caller.
static char *builtins_source(int group, const builtins_type *t, const char *without)
{
    builtins_text to = { NULL, 0, 0 };
    builtins_add(&to, "%s", builtins_head);
    if (group == BUILTINS_TABLE) builtins_table(&to, t, without);
    if (group == BUILTINS_SHUFFLES) builtins_shuffles(&to, t);
    if (group == BUILTINS_HALVES) builtins_halves(&to, t);
    return to.text;
}

// --- what goes in ---

static uint64_t builtins_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state * UINT64_C(2685821657736338717);
}

static double builtins_get_real(const builtins_type *t, const unsigned char *from, int i)
{
    float f;
    double d;
    memcpy(&f, from + (size_t)i * sizeof f, sizeof f);
    if (t->bits == 32) return f;
    memcpy(&d, from + (size_t)i * sizeof d, sizeof d);
    return d;
}

static void builtins_put_real(const builtins_type *t, unsigned char *to, int i, double d)
{
    const float f = (float)d;
    if (t->bits == 32)
        memcpy(to + (size_t)i * sizeof f, &f, sizeof f);
    else
        memcpy(to + (size_t)i * sizeof d, &d, sizeof d);
}

static uint64_t builtins_get(int bits, const unsigned char *from, int i)
{
    uint64_t a = 0;
    for (int k = 0; k < bits / 8; k++)
        a |= (uint64_t)from[(size_t)i * (size_t)(bits / 8) + (size_t)k] << 8 * k;
    return a;
}

static void builtins_put(int bits, unsigned char *to, int i, uint64_t a)
{
    for (int k = 0; k < bits / 8; k++)
        to[(size_t)i * (size_t)(bits / 8) + (size_t)k] = (unsigned char)(a >> 8 * k);
}

// Reals of several sizes, some of them special; no denormal ones, which a device may drop.
static double builtins_draw(uint64_t *state)
{
    static const double special[] = { 0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2, -2, 3, 65504, 65520,
                                      1e-7, 70000, -70000, 1e30, -1e-30, 2.5e-8, 6.1e-5 };
    const uint64_t r = builtins_random(state);
    const double unit = (double)(r >> 11) / 9007199254740992.0 * 2 - 1;
    if (r % 16 == 0) return NAN;
    if (r % 16 == 1) return r & 16 ? INFINITY : -INFINITY;
    if (r % 16 < 5) return special[r / 16 % (sizeof special / sizeof *special)];
    return r % 16 < 9 ? unit : r % 16 < 12 ? unit * 40 : r % 16 < 14 ? floor(unit * 9) :
           ldexp(unit, (int)(r / 16 % 60) - 30);
}

static uint64_t builtins_draw_integer(uint64_t *state)
{
    static const uint64_t special[] = { 0, 1, 2, ~UINT64_C(0), 0x7f, 0x80, 0x7fff, 0x8000,
                                        0x7fffffff, 0x80000000, UINT64_C(0x7fffffffffffffff),
                                        UINT64_C(0x8000000000000000) };
    const uint64_t r = builtins_random(state);
    return r % 3 ? r / 16 : special[r / 16 % (sizeof special / sizeof *special)];
}

static void builtins_fill(const builtins_type *t, builtins_data *d)
{
    uint64_t state = 88172645463325252u + (uint64_t)t->bits;
    unsigned char *const inputs[3] = { d->a, d->b, d->c };
    memset(d, 0x5a, sizeof *d);
    for (int i = 0; i < BUILTINS_INPUTS; i++) {
        for (int k = 0; k < 3; k++)
            if (t->is_real)
                builtins_put_real(t, inputs[k], i, builtins_draw(&state));
            else
                builtins_put(t->bits, inputs[k], i, builtins_draw_integer(&state));
        d->n[i] = (int)(builtins_random(&state) % 17) - 8;
        builtins_put(t->bits, d->u, i, builtins_draw_integer(&state));
    }
}

// --- what came out ---

// Is it the value, or as near as the function may be?
static bool builtins_near(const builtins_type *t, double got, double want, double ulps)
{
    const double unit = t->bits == 32 ? 1.1920928955078125e-7 : 2.220446049250313e-16;
    double scale;
    if (t->bits == 32) want = (float)want;
    if (want != want || got != got) return want != want && got != got;
    if (isinf(want) || isinf(got) || ulps == 0)
        return got == want && (got != 0 || !signbit(got) == !signbit(want));
    scale = fabs(want) > 1 || ulps > 0 ? fabs(want) : 1;
    return fabs(got - want) <= fabs(ulps) * unit * scale + (t->bits == 32 ? 1.2e-38 : 2.3e-308);
}

typedef struct builtins_place {
    const builtins_type *t;
    const char *name;
    int item, width, lane, at, input; // at: in what came out; input: in what went in
} builtins_place;

static int builtins_report(const builtins_place *p, double got, double want)
{
    printf("%s of %s, %d wide, input %d: %.17g, expected %.17g\n", p->name, p->t->name,
           builtins_widths[p->width], p->input, got, want);
    return 1;
}

static int builtins_check_real(const builtins_data *d, const builtins_place *p, int row)
{
    const builtins_row *r = &builtins_real_rows[row];
    const bool narrow = p->t->bits == 32, truth = r->form == 'c' || r->form == 'd';
    const double x = builtins_get_real(p->t, d->a, p->input),
                 y = builtins_get_real(p->t, d->b, p->input);
    const int m = d->m[p->at];
    double second, want = builtins_real(row, narrow, x, y, d->n[p->input], &second), got;
    if (strchr("12ntiq", r->form)) {
        got = builtins_get_real(p->t, d->o, p->at);
        // OpenCL leaves the sign of such a zero open.
        if (got == 0 && (row == BUILTINS_REAL_fract || row == BUILTINS_REAL_minmag ||
                         row == BUILTINS_REAL_maxmag))
            want = fabs(want), got = fabs(got);
        if (!builtins_near(p->t, got, want, r->ulps)) return builtins_report(p, got, want);
    }
    if (r->form == 't') {
        got = builtins_get_real(p->t, d->p, p->at);
        if (!builtins_near(p->t, got, second, r->ulps)) return builtins_report(p, got, second);
    }
    if (truth && p->width) second = -second; // all bits
    // OpenCL leaves these open: the sign of a pole, the exponent of what has none, the other bits
    // a quotient.
    if (row == BUILTINS_REAL_remquo && (m - (int)second) % 128 == 0) return 0;
    if (!isfinite(x) && strchr("ig", r->form)) return 0;
    if (row == BUILTINS_REAL_lgamma_r && x <= 0 && x == floor(x)) return 0;
    if (truth || strchr("igq", r->form))
        if (m != (int)second) return builtins_report(p, m, second);
    return 0;
}

static int builtins_check_integer(const builtins_data *d, const builtins_place *p, int row)
{
    const builtins_type *t = p->t;
    const bool twice = builtins_integer_rows[row].form == 'x';
    const uint64_t a = builtins_cut(t, builtins_get(t->bits, d->a, p->input)),
                   b = builtins_cut(t, builtins_get(t->bits, d->b, p->input)),
                   c = builtins_cut(t, builtins_get(t->bits, d->c, p->input)),
                   u = builtins_get(t->bits, d->u, p->input),
                   want = builtins_integer(row, t, a, b, c, u),
                   got = twice ? d->w[p->at] : builtins_get(t->bits, d->o, p->at);
    if (twice ? !t->twice || got == want : builtins_cut(t, got) == builtins_cut(t, want)) return 0;
    return builtins_report(p, (double)(int64_t)builtins_cut(t, got),
                           (double)(int64_t)builtins_cut(t, want));
}

static int builtins_check_shuffle(const builtins_data *d, const builtins_place *p, int from)
{
    const int M = builtins_widths[from], bits = p->t->bits;
    const unsigned mask = (unsigned)builtins_get(bits, d->u, p->input);
    const int one = p->item * BUILTINS_LANES + (int)(mask & (unsigned)(M - 1));
    const uint64_t want = builtins_get(bits, d->a, one), got = builtins_get(bits, d->o, p->at),
                   want2 = builtins_get(bits, mask & (unsigned)M ? d->b : d->a, one),
                   got2 = builtins_get(bits, d->p, p->at);
    if (M == 3 || builtins_widths[p->width] == 3 || !from || !p->width) return 0;
    return (got != want && builtins_report(p, (double)got, (double)want)) +
           (got2 != want2 && builtins_report(p, (double)got2, (double)want2));
}

static int builtins_check_half(const builtins_data *d, const builtins_place *p, int row)
{
    const int mode = row % BUILTINS_MODES, N = builtins_widths[p->width],
              at = row >= BUILTINS_MODES && N == 3 ? p->at + p->lane / 3 : p->at;
    const uint16_t got = d->h[at], want = builtins_half(builtins_get_real(p->t, d->a, p->input),
                                                        mode ? mode - 1 : 0);
    const bool nan = (want & 0x7fff) > 0x7c00;
    const double loaded = builtins_get_real(p->t, d->o, p->at), back = builtins_unhalf(want);
    if (nan ? (got & 0x7fff) <= 0x7c00 : got != want) return builtins_report(p, got, want);
    if (p->t->bits == 32 && !builtins_near(p->t, loaded, back, 0))
        return builtins_report(p, loaded, back);
    return 0;
}

// How many values of a kernel are wrong. The first ones are printed.
static int builtins_check(int group, const builtins_type *t, const char *without,
                          const builtins_data *d)
{
    const int rows = group == BUILTINS_SHUFFLES ? BUILTINS_WIDTHS
                     : group == BUILTINS_HALVES ? 2 * BUILTINS_MODES
                     : t->is_real               ? BUILTINS_REAL_COUNT
                                                : BUILTINS_INTEGER_COUNT;
    int wrong = 0;
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < BUILTINS_INPUTS * BUILTINS_WIDTHS && wrong < 20; i++) {
            builtins_place p;
            p.t = t;
            p.name = group == BUILTINS_TABLE ? t->is_real ? builtins_real_rows[row].name
                                                          : builtins_integer_rows[row].name
                                             : builtins_groups[group];
            p.width = i % BUILTINS_WIDTHS;
            p.input = i / BUILTINS_WIDTHS;
            p.item = p.input / BUILTINS_LANES;
            p.lane = p.input % BUILTINS_LANES;
            p.at = ((p.item * BUILTINS_ROWS + row) * BUILTINS_WIDTHS + p.width) * BUILTINS_ROOM +
                   p.lane;
            if ((builtins_widths[p.width] == 3 && p.lane == 15) ||
                builtins_left_out(without, t, p.name))
                continue;
            wrong += group == BUILTINS_SHUFFLES ? builtins_check_shuffle(d, &p, row)
                     : group == BUILTINS_HALVES ? builtins_check_half(d, &p, row)
                     : t->is_real               ? builtins_check_real(d, &p, row)
                                                : builtins_check_integer(d, &p, row);
        }
    return wrong;
}

#endif
