#include "crt.h"
CRT_BEGIN
void _wassert(const wchar_t *text, const wchar_t *file, unsigned line);
CRT_END
#undef assert
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define CRT_WIDE_(text) L##text
#define CRT_WIDE(text) CRT_WIDE_(text)
#define assert(x) \
    (void)(!!(x) || (_wassert(CRT_WIDE(#x), CRT_WIDE(__FILE__), (unsigned)__LINE__), 0))
#endif
