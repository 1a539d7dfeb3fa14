#pragma once
#ifdef __cplusplus
extern "C" {
#endif
long _InterlockedExchange(long volatile *, long);
long _InterlockedCompareExchange(long volatile *, long, long);
void _ReadWriteBarrier(void);
#ifdef __cplusplus
}
#endif
