// How many functions of gputune.h a later gputune_run calls, its driver's own among them. The
// counts are exact, and the same on every machine: gcc calls a function of this file at each.
//
//     sh bench/run.sh calls
//
//   calls_same_WHICH   with the arguments of the call before: 3, 30, or (text) with local memory
//                      and a struct
//   calls_other_WHICH  with others of the same problem and class: the most of eight such calls
#define _POSIX_C_SOURCE 200809L
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include "calls.h"

static int calls;

#ifdef __cplusplus
extern "C" {
#endif
void __cyg_profile_func_enter(void *function, void *from) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *from) __attribute__((no_instrument_function));
#ifdef __cplusplus
}
#endif

void __cyg_profile_func_enter(void *function, void *from)
{
    (void)function, (void)from;
    calls++;
}

void __cyg_profile_func_exit(void *function, void *from) { (void)function, (void)from; }

static void count_calls(const char *name, const char *signature)
{
    static gputune_arg args[8][30];
    gputune_device *device;
    gputune_kernel *kernel;
    const int count = calls_open(signature, &device, &kernel, args);
    int same = 0, other = 0, i;
    for (i = 0; i < 8; i++) {
        calls = 0;
        gputune_run(kernel, args[i], count);
        if (calls > other) other = calls;
        calls = 0;
        gputune_run(kernel, args[i], count);
        if (calls > same) same = calls;
    }
    printf("result\tcalls_same_%s\t%d\tcalls\n", name, same);
    printf("result\tcalls_other_%s\t%d\tcalls\n", name, other);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

int main(void)
{
    count_calls("3", signature_3);
    count_calls("30", signature_30);
    count_calls("text", signature_text);
    return 0;
}
