// A program's own function in the file that has all of the headers, and, without HEADERS, in one
// that has none. It is optimised alike in both.
#ifdef HEADERS
static float before(const float *x, int n) // the headers may stand in the middle of a program
{
    return n ? x[0] : 0;
}

#include "both_drivers.c"
#endif

#ifndef __OPTIMIZE__
#error "the optimiser is off"
#endif
#if defined(EXPECT_FAST) && !defined(__FAST_MATH__)
#error "-ffast-math is off"
#endif

float after(const float *x, int n);

float after(const float *x, int n)
{
    float sum = 0, most = 0;
    int i;
    for (i = 0; i < n; i++) {
        sum += x[i] * x[i];
        most = x[i] > most ? x[i] : most;
    }
#ifdef HEADERS
    (void)before;
#endif
    return sum / most;
}
