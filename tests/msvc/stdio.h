#pragma once
#include "crt.h"
CRT_BEGIN
typedef struct _iobuf {
    void *_Placeholder;
} FILE;
typedef __int64 fpos_t;
FILE *__acrt_iob_func(unsigned);
CRT_UNSAFE FILE *fopen(const char *name, const char *mode);
CRT_UNSAFE FILE *tmpfile(void);
FILE *_wfopen(const wchar_t *name, const wchar_t *mode);
FILE *_fdopen(int file, const char *mode);
errno_t fopen_s(FILE **file, const char *name, const char *mode);
int fclose(FILE *), fflush(FILE *), feof(FILE *), ferror(FILE *), fgetc(FILE *), getc(FILE *);
int fputc(int, FILE *), putc(int, FILE *), putchar(int), puts(const char *), remove(const char *);
int fputs(const char *, FILE *), ungetc(int, FILE *), rename(const char *, const char *);
int fseek(FILE *, long, int), _fseeki64(FILE *, __int64, int);
char *fgets(char *, int, FILE *);
long ftell(FILE *);
void rewind(FILE *);
size_t fread(void *, size_t, size_t, FILE *), fwrite(const void *, size_t, size_t, FILE *);
int setvbuf(FILE *, char *, int, size_t);
int printf(const char *, ...), fprintf(FILE *, const char *, ...);
int snprintf(char *, size_t, const char *, ...), vfprintf(FILE *, const char *, va_list);
int vsnprintf(char *, size_t, const char *, va_list), vprintf(const char *, va_list);
CRT_UNSAFE int sprintf(char *, const char *, ...);
CRT_UNSAFE int sscanf(const char *, const char *, ...);
CRT_END
#define stdin (__acrt_iob_func(0))
#define stdout (__acrt_iob_func(1))
#define stderr (__acrt_iob_func(2))
#define EOF (-1)
#define BUFSIZ 512
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define _IOFBF 0
#define _IOLBF 64
#define _IONBF 4
