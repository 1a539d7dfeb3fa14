// What the headers beside this file have in common: functions of Microsoft's C library that its
// documentation names, and nothing more. No POSIX types or names: Microsoft's library hides them
// from strict programs, or lacks them. What it calls deprecated is deprecated here.
#ifndef MSVC_CRT_H
#define MSVC_CRT_H
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
#define CRT_BEGIN extern "C" {
#define CRT_END }
#else
#define CRT_BEGIN
#define CRT_END
#endif
#ifdef _CRT_SECURE_NO_WARNINGS
#define CRT_UNSAFE
#else
#define CRT_UNSAFE __declspec(deprecated("define _CRT_SECURE_NO_WARNINGS"))
#endif
typedef int errno_t;
typedef __int64 __time64_t;
typedef __time64_t time_t;
#endif
