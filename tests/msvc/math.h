#pragma once
#include "crt.h"
CRT_BEGIN
double acos(double), asin(double), atan(double), atan2(double, double), cos(double), sin(double);
double tan(double), cosh(double), sinh(double), tanh(double), exp(double), exp2(double);
double expm1(double), log(double), log10(double), log1p(double), log2(double), pow(double, double);
double sqrt(double), cbrt(double), hypot(double, double), fabs(double), ceil(double);
double floor(double), trunc(double), round(double), rint(double), nearbyint(double);
double fmod(double, double), fmax(double, double), fmin(double, double);
double fma(double, double, double);
double frexp(double, int *), ldexp(double, int), modf(double, double *), nextafter(double, double);
double erf(double), erfc(double), lgamma(double), tgamma(double), copysign(double, double);
float sqrtf(float), fabsf(float), floorf(float), fmaxf(float, float), fminf(float, float);
float ldexpf(float, int), nextafterf(float, float), expf(float), logf(float), powf(float, float);
long lround(double);
long long llround(double), llrint(double);
int ilogb(double);
short _dclass(double), _fdclass(float);
int _dsign(double);
CRT_END
#ifndef _HUGE_ENUF
#define _HUGE_ENUF 1e+300
#endif
#define INFINITY ((float)(_HUGE_ENUF * _HUGE_ENUF))
#define HUGE_VAL ((double)INFINITY)
#define NAN (-(float)(INFINITY * 0.0F))
#define isfinite(x) (_dclass(x) <= 0)
#define isinf(x) (_dclass(x) == 1)
#define isnan(x) (_dclass(x) == 2)
#define signbit(x) (_dsign(x) != 0)
