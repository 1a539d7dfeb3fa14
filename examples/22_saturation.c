// How large must a problem be to keep a GPU busy? The minimum saturation point of a throughput
// curve that is given as numbers (Magni, Dubach, O'Boyle 2014): seconds that two kernels took on an
// NVIDIA H200, each size twice the one before.
//
//     cc -std=c99 -O2 -I. examples/22_saturation.c -o saturation -lm
//
// It prints:
//     arithmetic, 10^9 numbers a second:
//       0.37 0.75 1.48 2.95 5.81 6.56 6.91
//       7.00 7.35* 7.64 7.80 7.89 7.94
//       saturated from size 1048576 on: 7.35e+09 of 7.94e+09 a second
//     memory, 10^9 numbers a second:
//       19 38 76 143 223 288 330*
//       297 302 320 328 333 336
//       declines: highest from size 4194304, steady from 16777216 on: 3.02e+11 of 3.36e+11 a second
#define GPUTUNE_CURVE_IMPLEMENTATION
#include "gputune.h"
#include <stdio.h>

enum { SIZES = 13 };

// s = s * 0.999f + 0.5f, 4096 times for each number: nothing but arithmetic.
static const double arithmetic[SIZES] = { 1.1077e-05, 1.0981e-05, 1.1084e-05, 1.1115e-05,
                                          1.1282e-05, 1.9987e-05, 3.7941e-05, 7.4848e-05,
                                          1.4262e-04, 2.7459e-04, 5.3782e-04, 1.0634e-03,
                                          2.1143e-03 };
// y[i] = 2 * x[i]: nothing but memory.
static const double memory[SIZES] = { 3.5407e-06, 3.4773e-06, 3.4471e-06, 3.6600e-06, 4.7040e-06,
                                      7.2924e-06, 1.2718e-05, 2.8288e-05, 5.5488e-05, 1.0486e-04,
                                      2.0467e-04, 4.0272e-04, 7.9949e-04 };

static void read_curve(const char *what, double smallest, const double *seconds)
{
    double size[SIZES]; // each number takes as much work as any: no other measure is needed
    for (int i = 0; i < SIZES; i++) size[i] = i ? 2 * size[i - 1] : smallest;
    gputune_saturation s = gputune_saturation_of(size, NULL, seconds, SIZES, 0);
    printf("%s, 10^9 numbers a second:", what);
    for (int i = 0; i < SIZES; i++)
        printf("%s%.*f%s", i % 7 ? " " : "\n  ", smallest < 1e4 ? 2 : 0,
               size[i] / seconds[i] / 1e9, i == s.msp ? "*" : "");
    printf("\n  %s\n", s.text);
}

int main(void)
{
    read_curve("arithmetic", 4096, arithmetic);
    read_curve("memory", 65536, memory); // its cache holds what is small: there it is faster
    return 0;
}
