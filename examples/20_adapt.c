// Which way is best depends on the input: learn it from some inputs, predict it for others, and
// grow a tree of the predictions, which is the rule as C. Here three ways to sort n numbers; n is
// what is known of an input.
//
//     cc -std=c99 -O2 -I. examples/20_adapt.c -o adapt -lm
//     ./adapt
//
// On two processor cores it prints:
//         20 numbers: insertion
//        600 numbers: radix
//      18000 numbers: radix, a guess
//     // neighbours: 1.000 of the best performance on 12 inputs left out, the default 0.262
//     static double choose_tree0(double n_0)
//     {
//         (void)n_0;
//         if (n_0 <= 110.12395120859962) {
//             return 1;
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1 << 14 };
static unsigned data[MOST], work[MOST], spare[MOST];

static void insertion(unsigned *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const unsigned x = a[i];
        size_t j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

static int compare(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void library(unsigned *a, size_t n) { qsort(a, n, sizeof *a, compare); }

static void radix(unsigned *a, size_t n)
{
    for (int shift = 0; shift < 32; shift += 8) {
        size_t at[257] = { 0 };
        for (size_t i = 0; i < n; i++) at[(a[i] >> shift & 255) + 1]++;
        for (int i = 0; i < 255; i++) at[i + 1] += at[i];
        for (size_t i = 0; i < n; i++) spare[at[a[i] >> shift & 255]++] = a[i];
        memcpy(a, spare, n * sizeof *a);
    }
}

// Of one sort: the fastest of five rounds, each of so many sorts that the clock can tell.
static double seconds_of(const gputune_config *config, size_t n)
{
    void (*const ways[])(unsigned *, size_t) = { library, insertion, radix };
    const size_t sorts = 1 + (1 << 17) / n;
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
        const clock_t start = clock();
        for (size_t s = 0; s < sorts; s++) {
            memcpy(work, data, n * sizeof *work);
            ways[config->choice[0]](work, n);
        }
        best = fmin(best, (double)(clock() - start) / CLOCKS_PER_SEC / (double)sorts);
    }
    return best;
}

int main(void)
{
    static const gputune_param columns[] = { { "n" }, { 0 } };
    const gputune_param ways[] = { { "WAY", "set library,insertion,radix", NULL }, { 0 } };
    gputune_space *space = gputune_space_create(&(gputune_space_desc){ .params = ways });
    gputune_samples *times = gputune_samples_create(
        &(gputune_samples_desc){ .space = space, .columns = columns });
    for (size_t i = 0; i < MOST; i++) data[i] = (unsigned)i * 2654435761u;
    for (double n = 8; n <= MOST; n *= 2)
        for (uint64_t c = 0; c < gputune_space_count(space); c++) {
            const gputune_config config = gputune_space_at(space, c);
            gputune_samples_add(times, &n, &config, seconds_of(&config, (size_t)n));
        }
    gputune_predictor *learned = gputune_predictor_create(
        &(gputune_predictor_desc){ .space = space, .samples = times });
    gputune_prediction p;
    for (double n = 20; n < 2e4; n *= 30) {
        if (gputune_predictor_predict(learned, &n, &p) != GPUTUNE_OK) return 1;
        printf("%6.0f numbers: %s%s\n", n, gputune_config_name(&p.config, "WAY"),
               p.extrapolated ? ", a guess" : "");
    }
    printf("// %s\n", gputune_predictor_score(learned).text);
    gputune_samples *rule = gputune_samples_create(&(gputune_samples_desc){ .columns = columns });
    for (double n = 8; n <= MOST; n *= 1.1)
        if (gputune_predictor_predict(learned, &n, &p) == GPUTUNE_OK)
            gputune_samples_add(rule, &n, NULL, p.config.choice[0]); // 1: insertion, 2: radix
    gputune_tree *tree = gputune_tree_create(
        &(gputune_tree_desc){ .table = gputune_samples_table(rule) });
    const char *source = gputune_tree_text(tree, GPUTUNE_TREE_C, "choose");
    if (!source) return 1;
    printf("%s", source);
    gputune_tree_destroy(tree);
    gputune_samples_destroy(rule);
    gputune_predictor_destroy(learned);
    gputune_samples_destroy(times);
    gputune_space_destroy(space);
    return 0;
}
