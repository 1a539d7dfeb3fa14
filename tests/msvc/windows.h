// As far as the library uses it, with the names that the real one takes away from programs.
#pragma once
#include "crt.h"
#define near
#define far
#define IN
#define OUT
#define OPTIONAL
#define CONST const
#define VOID void
#ifndef NOMINMAX
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define small char
#define hyper __int64
#define interface struct
#define ERROR 0
#endif
CRT_BEGIN
typedef int BOOL;
typedef unsigned char BYTE;
typedef unsigned short WORD;
typedef unsigned long DWORD;
typedef long LONG;
typedef __int64 LONGLONG, LONG_PTR;
typedef unsigned __int64 ULONG_PTR;
typedef void *HANDLE, *LPVOID, *PVOID;
typedef struct HINSTANCE__ {
    int unused;
} *HINSTANCE;
typedef HINSTANCE HMODULE;
#define WINAPI __stdcall
typedef __int64(WINAPI *FARPROC)(void);
typedef DWORD(WINAPI *LPTHREAD_START_ROUTINE)(LPVOID);
typedef union LARGE_INTEGER {
    struct {
        DWORD LowPart;
        LONG HighPart;
    } u;
    LONGLONG QuadPart;
} LARGE_INTEGER;
typedef struct OVERLAPPED {
    ULONG_PTR Internal, InternalHigh;
    DWORD Offset, OffsetHigh;
    HANDLE hEvent;
} OVERLAPPED;
typedef struct CRITICAL_SECTION {
    void *DebugInfo;
    LONG LockCount, RecursionCount;
    HANDLE OwningThread, LockSemaphore;
    ULONG_PTR SpinCount;
} CRITICAL_SECTION;
typedef struct CONDITION_VARIABLE {
    PVOID Ptr;
} CONDITION_VARIABLE;
typedef struct SYSTEM_INFO {
    DWORD dwOemId, dwPageSize;
    LPVOID lpMinimumApplicationAddress, lpMaximumApplicationAddress;
    ULONG_PTR dwActiveProcessorMask;
    DWORD dwNumberOfProcessors, dwProcessorType, dwAllocationGranularity;
    WORD wProcessorLevel, wProcessorRevision;
} SYSTEM_INFO;
typedef struct SECURITY_ATTRIBUTES SECURITY_ATTRIBUTES;
BOOL WINAPI QueryPerformanceCounter(LARGE_INTEGER *);
BOOL WINAPI QueryPerformanceFrequency(LARGE_INTEGER *);
void WINAPI Sleep(DWORD);
DWORD WINAPI GetLastError(void);
int WINAPI MultiByteToWideChar(unsigned, DWORD, const char *, int, wchar_t *, int);
int WINAPI WideCharToMultiByte(unsigned, DWORD, const wchar_t *, int, char *, int, const char *,
                               BOOL *);
DWORD WINAPI GetEnvironmentVariableW(const wchar_t *, wchar_t *, DWORD);
HANDLE WINAPI CreateFileW(const wchar_t *, DWORD, DWORD, SECURITY_ATTRIBUTES *, DWORD, DWORD,
                          HANDLE);
BOOL WINAPI DeleteFileW(const wchar_t *);
BOOL WINAPI MoveFileExW(const wchar_t *, const wchar_t *, DWORD);
BOOL WINAPI LockFileEx(HANDLE, DWORD, DWORD, DWORD, DWORD, OVERLAPPED *);
DWORD WINAPI GetFileAttributesW(const wchar_t *);
BOOL WINAPI CreateDirectoryW(const wchar_t *, SECURITY_ATTRIBUTES *);
void WINAPI InitializeCriticalSection(CRITICAL_SECTION *);
void WINAPI DeleteCriticalSection(CRITICAL_SECTION *);
void WINAPI EnterCriticalSection(CRITICAL_SECTION *);
void WINAPI LeaveCriticalSection(CRITICAL_SECTION *);
void WINAPI InitializeConditionVariable(CONDITION_VARIABLE *);
void WINAPI WakeAllConditionVariable(CONDITION_VARIABLE *);
BOOL WINAPI SleepConditionVariableCS(CONDITION_VARIABLE *, CRITICAL_SECTION *, DWORD);
HANDLE WINAPI CreateThread(SECURITY_ATTRIBUTES *, size_t, LPTHREAD_START_ROUTINE, LPVOID, DWORD,
                           DWORD *);
DWORD WINAPI WaitForSingleObject(HANDLE, DWORD);
BOOL WINAPI CloseHandle(HANDLE);
void WINAPI GetSystemInfo(SYSTEM_INFO *);
HMODULE WINAPI LoadLibraryW(const wchar_t *);
FARPROC WINAPI GetProcAddress(HMODULE, const char *);
BOOL WINAPI FreeLibrary(HMODULE);
CRT_END
#define TRUE 1
#define FALSE 0
#define CP_ACP 0
#define CP_UTF8 65001
#define MB_ERR_INVALID_CHARS 8
#define INFINITE 0xFFFFFFFF
#define INVALID_HANDLE_VALUE ((HANDLE)(LONG_PTR)-1)
#define INVALID_FILE_ATTRIBUTES ((DWORD)-1)
#define GENERIC_READ 0x80000000L
#define GENERIC_WRITE 0x40000000L
#define CREATE_NEW 1
#define OPEN_EXISTING 3
#define OPEN_ALWAYS 4
#define FILE_SHARE_READ 1
#define FILE_SHARE_WRITE 2
#define FILE_SHARE_DELETE 4
#define FILE_ATTRIBUTE_DIRECTORY 0x10
#define FILE_ATTRIBUTE_NORMAL 0x80
#define LOCKFILE_FAIL_IMMEDIATELY 1
#define LOCKFILE_EXCLUSIVE_LOCK 2
#define MOVEFILE_REPLACE_EXISTING 1
#define MOVEFILE_WRITE_THROUGH 8
#define ERROR_FILE_NOT_FOUND 2L
#define ERROR_PATH_NOT_FOUND 3L
#define ERROR_LOCK_VIOLATION 33L
#define ERROR_FILE_EXISTS 80L
#define ERROR_ALREADY_EXISTS 183L
