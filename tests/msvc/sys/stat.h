#pragma once
#include "types.h"
CRT_BEGIN
struct _stat64i32 {
    unsigned st_dev;
    unsigned short st_ino, st_mode;
    short st_nlink, st_uid, st_gid;
    unsigned st_rdev;
    long st_size;
    __time64_t st_atime, st_mtime, st_ctime;
};
int _fstat64i32(int, struct _stat64i32 *);
CRT_END
#define _stat _stat64i32
#define _fstat _fstat64i32
