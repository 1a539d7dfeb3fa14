#pragma once
#include "crt.h"
CRT_BEGIN
void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t);
void free(void *);
void *_aligned_malloc(size_t, size_t);
void _aligned_free(void *);
__declspec(noreturn) void abort(void);
__declspec(noreturn) void exit(int);
int atexit(void (*)(void)), atoi(const char *), abs(int), rand(void), system(const char *);
void srand(unsigned);
long labs(long), atol(const char *), strtol(const char *, char **, int);
long long llabs(long long), atoll(const char *), strtoll(const char *, char **, int);
unsigned long strtoul(const char *, char **, int);
unsigned long long strtoull(const char *, char **, int);
double atof(const char *), strtod(const char *, char **);
float strtof(const char *, char **);
CRT_UNSAFE char *getenv(const char *);
errno_t _putenv_s(const char *, const char *);
void qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void *bsearch(const void *, const void *, size_t, size_t, int (*)(const void *, const void *));
CRT_END
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 0x7fff
