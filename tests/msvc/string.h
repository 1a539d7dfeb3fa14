#pragma once
#include "crt.h"
CRT_BEGIN
void *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
void *memset(void *, int, size_t), *memchr(const void *, int, size_t);
int memcmp(const void *, const void *, size_t), strcmp(const char *, const char *);
int strncmp(const char *, const char *, size_t), strcoll(const char *, const char *);
int _stricmp(const char *, const char *), _strnicmp(const char *, const char *, size_t);
size_t strlen(const char *), strnlen(const char *, size_t), wcslen(const wchar_t *);
size_t strspn(const char *, const char *), strcspn(const char *, const char *);
char *strchr(const char *, int), *strrchr(const char *, int), *strstr(const char *, const char *);
char *strpbrk(const char *, const char *), *_strdup(const char *);
char *strtok_s(char *, const char *, char **);
CRT_UNSAFE char *strcpy(char *, const char *);
CRT_UNSAFE char *strncpy(char *, const char *, size_t);
CRT_UNSAFE char *strcat(char *, const char *);
CRT_UNSAFE char *strncat(char *, const char *, size_t);
CRT_UNSAFE char *strtok(char *, const char *);
CRT_UNSAFE char *strerror(int);
CRT_END
