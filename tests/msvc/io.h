#pragma once
#include "crt.h"
CRT_BEGIN
int _close(int), _read(int, void *, unsigned), _write(int, const void *, unsigned), _commit(int);
int _open_osfhandle(intptr_t, int), _dup(int), _isatty(int);
intptr_t _get_osfhandle(int);
errno_t _chsize_s(int, __int64);
__int64 _lseeki64(int, __int64, int);
CRT_END
