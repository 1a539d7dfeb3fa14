// A configuration that crashes the program. Somebody has added 16 to the unrolling's values and
// written no function for it: a NULL is called. With .isolate the trials run in a child process,
// the program itself started anew. When it dies, the configuration has failed, and another child
// goes on.
//
//     cc -std=c99 -O2 -I. examples/13_isolate.c -o isolate -lm
//     ./isolate
//
// On two processor cores it prints:
//     tuning
//     UNROLL=1  ok
//     UNROLL=16 the child process ended (signal 11)
//     UNROLL=4  ok
//     UNROLL=2  ok
//     UNROLL=8  ok
//     UNROLL=2, 1.47 times the default's speed: 1 configuration ended the child process
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1 << 20 };

// Sums of 64 elements each, with 1, 2, 4 or 8 accumulators.
#define SUM(unroll)                                                                               \
    static float sum##unroll(const float *x)                                                      \
    {                                                                                             \
        float part[unroll] = { 0 }, sum = 0;                                                      \
        for (int i = 0; i < 64; i += unroll)                                                      \
            for (int j = 0; j < unroll; j++) part[j] += x[i + j];                                 \
        for (int j = 0; j < unroll; j++) sum += part[j];                                          \
        return sum;                                                                               \
    }
SUM(1)
SUM(2)
SUM(4)
SUM(8)

static float (*const variants[17])(const float *) = { [1] = sum1, [2] = sum2, [4] = sum4,
                                                      [8] = sum8 };

static void sums(const gputune_grid *range, void *const *args, const gputune_config *config,
                 void *user)
{
    (void)user;
    const float *x = (const float *)args[1];
    float *y = (float *)args[2];
    for (uint64_t i = range->begin[0]; i < range->end[0] && i < COUNT / 64; i++)
        y[i] = variants[gputune_config_int(config, "UNROLL")](x + 64 * i);
}

int main(void)
{
    const size_t in_bytes = COUNT * sizeof(float), out_bytes = COUNT / 64 * sizeof(float);
    float *x = (float *)malloc(in_bytes), *y = (float *)malloc(out_bytes);
    if (!x || !y) return 1;
    for (int i = 0; i < COUNT; i++) x[i] = (float)(i % 64);

    // The child comes here, too; its stdout is thrown away.
    printf("tuning\n");
    const gputune_function functions[] = { { "sums", sums, NULL }, { 0 } };
    const gputune_param params[] = { { "UNROLL", "set 1,2,4,8,16", "1" }, { 0 } };
    gputune_device *device = gputune_host_device_create(NULL);
    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){ .name = "sums",
                                        .functions = functions,
                                        .signature = "int n, const float *x, float *y",
                                        .params = params,
                                        .global = "n",
                                        .local = "1024",
                                        .tune = { .isolate = true, .budget.seconds = 10 } });
    const gputune_arg args[] = { gputune_int(COUNT / 64), gputune_in(x, in_bytes),
                                 gputune_out(y, out_bytes) };
    const gputune_result result = gputune_run(kernel, args, 3);
    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    char text[128];
    int wrong = result != GPUTUNE_OK;
    if (wrong) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    const gputune_trial *t;
    for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        printf("%-9s %s\n", gputune_config_text(&t->config, text, sizeof text),
               t->result == GPUTUNE_OK ? "ok" : t->reason);
    }
    printf("%s, %.2f times the default's speed: %s\n",
           gputune_config_text(&o->config, text, sizeof text), o->speedup, o->note);
    for (int i = 0; i < COUNT / 64; i++) wrong |= y[i] != 2016;
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    free(x);
    free(y);
    return wrong;
}
