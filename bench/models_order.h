// For bench_models.c, behind gputune.h with its implementation: samples in the order of a model's
// predictions, and searches that are replayed on them.
#ifndef BENCH_MODELS_ORDER_H
#define BENCH_MODELS_ORDER_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- orders ---

static inline bool order_predicted(double value)
{
    return value > 0 && value < 1e9;
}

static inline int order_of(double a, double b) // those that are not predicted come last
{
    const double x = order_predicted(a) ? a : 1e300, y = order_predicted(b) ? b : 1e300;
    return (x > y) - (x < y);
}

// Numbers of samples by their predictions; equal ones in an order that the seed draws, for the
// order in which they were tried is none of the model's.
static inline void order_samples(const double *predicted, int count, uint64_t seed, int *order)
{
    uint64_t random = gt__mix(seed + 2001);
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--) {
        const int j = (int)gt__random_below(&random, (uint64_t)i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
    for (int i = 1; i < count; i++) {
        const int mine = order[i];
        int k = i;
        while (k > 0 && order_of(predicted[order[k - 1]], predicted[mine]) > 0) {
            order[k] = order[k - 1];
            k--;
        }
        order[k] = mine;
    }
}

// Trials until one takes at most so many seconds, all being tried in the order of predictions and
// equal ones in any, each as likely: the mean. count + 1: none does.
static inline double order_trials(const double *predicted, const double *seconds, int count,
                                  double enough)
{
    double least = count + 1.0;
    for (int i = 0; i < count; i++) {
        int before = 0, alike = 0, good = 0;
        if (!(seconds[i] <= enough)) continue;
        for (int k = 0; k < count; k++) {
            const int way = order_of(predicted[k], predicted[i]);
            before += way < 0;
            alike += way == 0;
            good += way == 0 && seconds[k] <= enough;
        }
        least = fmin(least, before + (alike + 1.0) / (good + 1.0));
    }
    return least;
}

static inline int order_distinct(const double *predicted, int count) // of those that there are
{
    int distinct = 0;
    for (int i = 0; i < count; i++) {
        bool first = order_predicted(predicted[i]);
        for (int k = 0; k < i && first; k++) first = order_of(predicted[k], predicted[i]) != 0;
        distinct += first;
    }
    return distinct;
}

// --- searches again ---

enum { REPLAY_SEEDS = 20, REPLAY_FIRST = 10, REPLAY_PARAMS = 32 };

// A space whose valid configurations are the samples.
typedef struct models_replayed {
    gputune_space *space;
    gputune_config *configs; // by sample; searches begin with the first
    double *seconds, best;   // seconds: by the space's indices
    int count;
} models_replayed;

// Parameters are the places of their values; a restriction looks a configuration up in a bitmap, 62
// a number, the number found by bisection.
static inline char *replay_bits(char *out, const uint64_t *words, int from, int to, const char *at)
{
    const int middle = from + (to - from) / 2;
    if (to - from == 1) return out + sprintf(out, "%lld", (long long)words[from]);
    out += sprintf(out, "(%s<%d?", at, 62 * middle);
    out = replay_bits(out, words, from, middle, at);
    *out++ = ':';
    out = replay_bits(out, words, middle, to, at);
    *out++ = ')';
    *out = 0;
    return out;
}

static inline void replay_free(models_replayed *r)
{
    gputune_space_destroy(r->space);
    free(r->configs);
    free(r->seconds);
    memset(r, 0, sizeof *r);
}

// Of configurations of a space, all different, and their seconds. NULL, or what is wrong.
static inline const char *replay_create(models_replayed *r, const gputune_space *space,
                                        const gputune_config *configs, const double *seconds,
                                        int count)
{
    gputune_param params[REPLAY_PARAMS + 1];
    char names[REPLAY_PARAMS][16], values[REPLAY_PARAMS][32], at[1024] = "", value[128];
    int sizes[REPLAY_PARAMS], n = 0, total = 1, words;
    uint64_t *bits, index;
    char *text, *out;
    const char *require[2] = { NULL, NULL }, *wrong = NULL;
    gputune_space_desc desc;
    memset(r, 0, sizeof *r);
    memset(params, 0, sizeof params);
    memset(&desc, 0, sizeof desc);
    for (; n < REPLAY_PARAMS && gputune_space_param(space, n); n++) {
        for (sizes[n] = 0; gputune_space_value(space, n, sizes[n], value, sizeof value);)
            sizes[n]++;
        snprintf(names[n], sizeof names[n], "p%d", n);
        snprintf(values[n], sizeof values[n], "range 0,%d", sizes[n] - 1);
        params[n].name = names[n];
        params[n].values = values[n];
        total *= sizes[n];
        memmove(at + 1, at, strlen(at) + 1);
        at[0] = '(';
        snprintf(at + strlen(at), 40, "%s*%d+p%d)", n ? "" : "0", sizes[n], n);
    }
    words = (total + 61) / 62;
    bits = (uint64_t *)calloc((size_t)words, sizeof *bits);
    text = out = (char *)malloc((size_t)words * 400 + 2048);
    r->seconds = (double *)malloc((size_t)count * sizeof *r->seconds);
    r->configs = (gputune_config *)malloc((size_t)count * sizeof *r->configs);
    if (!bits || !text || !r->seconds || !r->configs) {
        wrong = "out of memory";
    } else {
        for (int i = 0; i < count; i++) {
            int place = 0;
            for (int p = 0; p < n; p++) place = place * sizes[p] + configs[i].choice[p];
            bits[place / 62] |= (uint64_t)1 << place % 62;
        }
        out = replay_bits(out, bits, 0, words, at);
        sprintf(out, ">>(%s)%%62&1", at);
        require[0] = text;
        desc.params = params;
        desc.require = require;
        r->space = gputune_space_create(&desc);
        r->count = count;
        r->best = HUGE_VAL;
        if (gputune_space_count(r->space) != (uint64_t)count) wrong = "samples are not all there";
    }
    for (int i = 0; i < count && !wrong; i++) {
        r->configs[i] = configs[i];
        r->configs[i].space = r->space;
        if (!gputune_space_index(r->space, &r->configs[i], &index)) {
            wrong = "a sample has no place";
            break;
        }
        r->seconds[index] = seconds[i];
        r->best = fmin(r->best, seconds[i]);
    }
    free(bits);
    free(text);
    if (wrong) replay_free(r);
    return wrong;
}

// Trials until within 5 % of the best; all, where it never is. 0: there is no search.
static inline int replay_trials(const models_replayed *r, gputune_strategy strategy, uint64_t seed,
                                const gputune_config *starts, int start_count)
{
    gt__base base;
    gt__search *search;
    gputune_error error;
    gputune_config config;
    uint64_t index;
    int trials = 0;
    bool found = false;
    gt__base_init(&base, NULL);
    if (gt__search_create(&base, r->space, strategy, seed, 0, starts, start_count, &search,
                          &error))
        return 0;
    while (!found && trials < r->count && gt__search_next(search, &config)) {
        gputune_space_index(r->space, &config, &index);
        gt__search_tell(search, &config, r->seconds[index]);
        trials++;
        found = r->seconds[index] <= 1.05 * r->best;
    }
    gt__search_destroy(&base, search);
    return found ? trials : r->count;
}

// What a search begins with: the first sample and, of `pool` samples that the seed draws, the ten
// that are predicted to be the fastest. predicted NULL: any of them. Returns how many those are.
static inline int replay_starts(const models_replayed *r, const double *predicted, int pool,
                                uint64_t seed, gputune_config *starts)
{
    uint64_t random = gt__mix(seed + 1001);
    int *order = (int *)malloc((size_t)r->count * sizeof *order), count = 1, left = pool;
    starts[0] = r->configs[0];
    for (int i = 0; i < r->count && order; i++) order[i] = i;
    if (predicted && order) order_samples(predicted, r->count, seed, order);
    for (int k = 0; order && k < r->count && count <= REPLAY_FIRST; k++) {
        // `left` of those that remain are drawn, each with the same chance
        if (gt__random_below(&random, (uint64_t)(r->count - k)) >= (uint64_t)left) continue;
        left--;
        starts[count++] = r->configs[order[k]];
    }
    free(order);
    return count;
}

typedef struct replay_spread {
    double q1, median, q3; // of the seeds
} replay_spread;

// Of numbers that are sorted: a part of the way from the least to the most, 0.5: the median.
static inline double replay_quantile(const double *sorted, int count, double part)
{
    const double at = part * (count - 1);
    const int low = (int)at, high = low + 1 < count ? low + 1 : low;
    return sorted[low] + (at - low) * (sorted[high] - sorted[low]);
}

// Trials of a search, see replay_starts. pool 0: begun with the first sample alone.
static inline replay_spread replay_seeds(const models_replayed *r, gputune_strategy strategy,
                                         const double *predicted, int pool)
{
    double trials[REPLAY_SEEDS];
    replay_spread s;
    for (int i = 0; i < REPLAY_SEEDS; i++) {
        gputune_config starts[REPLAY_FIRST + 1];
        const int count = replay_starts(r, predicted, pool, (uint64_t)i, starts);
        const double mine =
            replay_trials(r, strategy, gt__mix((uint64_t)i + 1), starts, count);
        int k = i;
        for (; k > 0 && trials[k - 1] > mine; k--) trials[k] = trials[k - 1];
        trials[k] = mine;
    }
    s.q1 = replay_quantile(trials, REPLAY_SEEDS, 0.25);
    s.median = replay_quantile(trials, REPLAY_SEEDS, 0.5);
    s.q3 = replay_quantile(trials, REPLAY_SEEDS, 0.75);
    return s;
}

#endif
