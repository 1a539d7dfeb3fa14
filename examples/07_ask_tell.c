// Anything that takes time can be tuned: ask for a configuration, tell what it took. Here, a plain
// C function: the block size of a matrix transpose that works in cache-sized blocks.
//
//     cc -std=c99 -O2 -I. examples/07_ask_tell.c -o ask_tell -lm
//     ./ask_tell
//
// On two processor cores it prints:
//     no blocks  28.46 ms
//     best       4.42 ms with WIDTH=8 HEIGHT=512
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void transpose(float *to, const float *from, size_t n, size_t width, size_t height)
{
    for (size_t y0 = 0; y0 < n; y0 += height)
        for (size_t x0 = 0; x0 < n; x0 += width)
            for (size_t y = y0; y < n && y < y0 + height; y++)
                for (size_t x = x0; x < n && x < x0 + width; x++) to[x * n + y] = from[y * n + x];
}

// The fastest of a few calls: what disturbs a call only makes it slower.
static double seconds_of(float *to, const float *from, size_t n, const gputune_config *config)
{
    const size_t width = (size_t)gputune_config_int(config, "WIDTH");
    const size_t height = (size_t)gputune_config_int(config, "HEIGHT");
    double best = 1e9;
    for (int i = 0; i < 5; i++) {
        const clock_t start = clock();
        transpose(to, from, n, width, height);
        const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        best = seconds < best ? seconds : best;
    }
    return best;
}

int main(void)
{
    const size_t n = 2048;
    float *from = (float *)malloc(n * n * sizeof(float)),
          *to = (float *)malloc(n * n * sizeof(float));
    if (!from || !to) return 1;
    for (size_t i = 0; i < n * n; i++) from[i] = (float)(i % 1009);

    const gputune_param params[] = { { "WIDTH", "erange 4,2048,2", "2048" }, // default: no blocks
                                     { "HEIGHT", "erange 4,2048,2", "2048" },
                                     { 0 } };
    gputune_tuner_desc desc = { 0 }; // field by field: for C++ before C++20
    desc.space.params = params;
    desc.space.numbers = "n=2048";
    desc.name = "cpu_transpose";
    desc.tune.budget.seconds = 10;
    gputune_tuner *tuner = gputune_tuner_create(&desc);
    gputune_config config;
    while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG) // over at once if the store knows
        gputune_tell(tuner, &config, seconds_of(to, from, n, &config));

    int wrong = gputune_tuner_best(tuner, &config) != GPUTUNE_OK;
    if (wrong) {
        fprintf(stderr, "%s\n", gputune_tuner_error(tuner)->text);
    } else {
        char text[128];
        const gputune_trial *first = gputune_tuner_trial(tuner, 0);
        if (first) printf("no blocks  %.2f ms\n", first->value * 1e3);
        printf("best       %.2f ms with %s\n", seconds_of(to, from, n, &config) * 1e3,
               gputune_config_text(&config, text, sizeof text));
        for (size_t i = 0; i < n * n; i++) wrong |= to[i] != from[i % n * n + i / n];
    }
    gputune_tuner_destroy(tuner);
    free(from);
    free(to);
    return wrong;
}
