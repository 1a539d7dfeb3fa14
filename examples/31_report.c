// A tuning to look at. report.html needs nothing else: open it in a browser, or print it.
//
//     cc -std=c99 -O2 -I. examples/31_report.c -o report -lm
//     ./report && xdg-open report.html
//
// It prints (numbers differ from run to run):
//     4.21 x: TILE=4 ORDER=tiles UNROLL=1 (1.78 ms, default 7.49), 41 trials in 1.1 s
//     report.html: 15 kB
//
// Without a line of code any program that uses gputune does the same:
//     GPUTUNE_REPORT=reports ./program          // a folder: a page for each tuning, and index.html
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#include <stdio.h>

enum { N = 1024 };

// Transposes rows [begin, end) of tiles, in one of two orders.
static void transpose(const gputune_grid *range, void *const *args, const gputune_config *config,
                      void *user)
{
    const float *in = (const float *)args[0];
    float *out = (float *)args[1];
    const int tile = (int)gputune_config_int(config, "TILE");
    const int step = (int)gputune_config_int(config, "UNROLL");
    const bool rows = gputune_config_choice(config, "ORDER") == 0;
    (void)user;
    for (int y = (int)range->begin[0] * tile; y < (int)range->end[0] * tile && y < N; y += tile)
        for (int x = 0; x < N; x += rows ? N : tile)
            for (int i = y; i < y + tile && i < N; i++)
                for (int j = x; j < (rows ? N : x + tile) && j < N; j += step)
                    for (int k = j; k < j + step; k++) out[k * N + i] = in[i * N + k];
}

int main(void)
{
    static float in[N * N], out[N * N];
    const gputune_param params[] = { { "TILE", "erange 4,256,2", "4" },
                                     { "ORDER", "set rows,tiles", "rows" },
                                     { "UNROLL", "set 1,2,4", "1" },
                                     { 0 } };
    const gputune_function functions[] = { { "transpose", transpose, NULL }, { 0 } };
    const gputune_kernel_desc desc = { .name = "transpose",
                                       .functions = functions,
                                       .signature = "const float *in, float *out",
                                       .params = params,
                                       .global = "1024 / TILE",
                                       .local = "1" };
    const gputune_options options = { .store = "" }; // so that each run has something to show
    gputune_device *device = gputune_host_device_create(&options);
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    const gputune_arg args[] = { gputune_in(in, sizeof in), gputune_out(out, sizeof out) };
    for (int i = 0; i < N * N; i++) in[i] = (float)i;
    gputune_result result = gputune_tune(kernel, args, 2);
    if (!result) puts(gputune_kernel_outcome(kernel)->text);
    if (!result) result = gputune_kernel_write(kernel, "report.html");
    FILE *file = result ? NULL : fopen("report.html", "rb");
    if (file) {
        fseek(file, 0, SEEK_END);
        printf("report.html: %ld kB\n", ftell(file) / 1000);
        fclose(file);
    } else {
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    }
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return result != GPUTUNE_OK;
}
