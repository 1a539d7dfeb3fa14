// CUDA's words and functions for a prelude that runs on the host, one work-item after the other.
// What stands in front declares threadIdx and so on.
#define __global__
#define __shared__
#define __constant__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define launch_bounds(n)
#define asm(...)

extern char gputune_shared[];
alignas(16) char gputune_shared[256];

static void __syncthreads() {}
static void __threadfence() {}
static void __threadfence_block() {}
static int atomicAdd(int *p, int v) { return (*p += v) - v; }
static int atomicCAS(int *p, int a, int b)
{
    const int old = *p;
    if (old == a) *p = b;
    return old;
}
static unsigned long long atomicMax(unsigned long long *p, unsigned long long v)
{
    const unsigned long long old = *p;
    if (v > old) *p = v;
    return old;
}
static int __popc(unsigned n) { return __builtin_popcount(n); }
static int __popcll(unsigned long n) { return __builtin_popcountl(n); }
static int __clzll(long long n) { return n ? __builtin_clzll((unsigned long long)n) : 64; }
static unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n)
{
    n &= 31;
    return n ? high << n | low >> (32 - n) : high;
}
static float __int_as_float(int n)
{
    float f;
    memcpy(&f, &n, sizeof f);
    return f;
}
static int __float_as_int(float f)
{
    int n;
    memcpy(&n, &f, sizeof n);
    return n;
}
static int __mulhi(int a, int b) { return (int)((long)a * b >> 32); }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long)a * b >> 32); }
static long __mul64hi(long a, long b) { return (long)((__int128)a * b >> 64); }
static unsigned long __umul64hi(unsigned long a, unsigned long b)
{
    return (unsigned long)((unsigned __int128)a * b >> 64);
}
static float rsqrt(float a) { return 1 / sqrtf(a); }
static double rsqrt(double a) { return 1 / sqrt(a); }
#define MIN_MAX(T)                                                                                \
    static T min(T a, T b) { return b < a ? b : a; }                                              \
    static T max(T a, T b) { return a < b ? b : a; }
MIN_MAX(int) MIN_MAX(unsigned) MIN_MAX(long) MIN_MAX(unsigned long) MIN_MAX(float) MIN_MAX(double)
#define __sinf sinf
#define __cosf cosf
#define __tanf tanf
#define __expf expf
#define __exp10f(a) powf(10, a)
#define __logf logf
#define __log2f log2f
#define __log10f log10f
#define __powf powf
static float __fdividef(float a, float b) { return a / b; }
static float rsqrtf(float a) { return 1 / sqrtf(a); }
static double __longlong_as_double(long long n)
{
    double f;
    memcpy(&f, &n, sizeof f);
    return f;
}
static long long __double_as_longlong(double f)
{
    long long n;
    memcpy(&n, &f, sizeof n);
    return n;
}
static double sinpi(double a)
{
    double r = remainder(a, 2);
    if (fabs(r) > 0.5) r = copysign(1, r) - r;
    return sin(3.14159265358979323846 * r);
}
static double cospi(double a)
{
    return sin(3.14159265358979323846 * (0.5 - fabs(remainder(a, 2))));
}
static float sinpi(float a) { return (float)sinpi((double)a); }
static float cospi(float a) { return (float)cospi((double)a); }
// What C++ has by these names, and CUDA has not.
#define isequal gputune_isequal
#define isgreater gputune_isgreater
#define isgreaterequal gputune_isgreaterequal
#define isless gputune_isless
#define islessequal gputune_islessequal
#define islessgreater gputune_islessgreater
#define isnormal gputune_isnormal
#define isunordered gputune_isunordered
#undef INFINITY
#undef NAN
#undef HUGE_VAL
#undef HUGE_VALF
