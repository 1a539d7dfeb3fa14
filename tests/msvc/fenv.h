#pragma once
#include "crt.h"
CRT_BEGIN
typedef struct fenv_t {
    unsigned long _Fe_ctl, _Fe_stat;
} fenv_t;
extern const fenv_t _Fenv1;
int fegetenv(fenv_t *env);
int fesetenv(const fenv_t *env);
int feholdexcept(fenv_t *env);
int fegetround(void);
int fesetround(int way);
CRT_END
#define FE_TONEAREST 0
#define FE_DFL_ENV (&_Fenv1)
