#pragma once
#include "crt.h"
CRT_BEGIN
struct tm {
    int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday, tm_isdst;
};
typedef long clock_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
clock_t clock(void);
time_t time(time_t *), mktime(struct tm *);
double difftime(time_t, time_t);
size_t strftime(char *, size_t, const char *, const struct tm *);
errno_t gmtime_s(struct tm *, const time_t *), localtime_s(struct tm *, const time_t *);
CRT_UNSAFE struct tm *gmtime(const time_t *);
CRT_UNSAFE struct tm *localtime(const time_t *);
int timespec_get(struct timespec *, int);
CRT_END
#define CLOCKS_PER_SEC ((clock_t)1000)
#define TIME_UTC 1
