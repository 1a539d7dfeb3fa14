// How near to the optimum each strategy comes in how many trials, on spaces that were measured in
// full on real GPUs. Rows: result, name, value, unit.
//     cc -O2 -I.. bench_search.c -o bench_search -lm
//     ./bench_search [folder [seeds [strategy... | synthetic | open | stop |
//                                  belief | relatives]]]
// The folder holds KERNEL__DEVICE.csv.gz: a header with the parameters' names and time_ms, then a
// row a valid configuration; an empty time is a failure, which costs a trial like any other.
//     search_SPACE_STRATEGY_T      median over the seeds of best found / optimum after T trials
//     ..._mean_T, ..._p90_T        their mean and 90th percentile (10 at most, also while nothing
//                                  is found)
//     search_STRATEGY_T ...        geometric means of these over the spaces
//     search_STRATEGY_score        see bench/score.h; the mean of the spaces
//     search_STRATEGY_ms           milliseconds of processor time of one question and answer
//     search_STRATEGY_two_..., _third_...    the same means of two thirds of the spaces, by which
//                                  constants were chosen, and of the third held back: every third
//                                  one in the order of their names
//     search_openL_...             surrogate search with L questions open: open
//     synthetic_..., stop_..., belief_..., relatives_...    see there
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // popen; the library does not need it
#endif
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include "score.h"

#include <time.h>
#if !defined(_WIN32)
#include <dirent.h>
#endif

enum {
    MAX_PARAMS = 32,
    MAX_ROWS = 32768,
    MAX_VALUES = 64,
    MAX_SPACES = 64,
    MARKS = 5,
    TRIALS = 400
};

static const int bench_marks[MARKS] = { 25, 50, 100, 200, TRIALS };

typedef struct bench_space {
    char name[128];
    int params, rows;
    double (*cells)[MAX_PARAMS]; // the rows' values
    double *times;               // the rows' times, then by index in the space
    int value_count[MAX_PARAMS];
    double values[MAX_PARAMS][MAX_VALUES]; // ascending
    double best;
    gputune_space *space;
    char texts[MAX_PARAMS][2][32]; // its parameters' names and values
    const char *require[2];
} bench_space;

// --- reading

static void bench_add_value(bench_space *s, int param, double value)
{
    double *values = s->values[param];
    int i, at = 0, count = s->value_count[param];
    while (at < count && values[at] < value) at++;
    if ((at < count && values[at] == value) || count == MAX_VALUES) return;
    for (i = count; i > at; i--) values[i] = values[i - 1];
    values[at] = value;
    s->value_count[param]++;
}

static int bench_position(const bench_space *s, int param, double value)
{
    int i = 0;
    while (s->values[param][i] != value) i++;
    return i;
}

static void bench_read_row(bench_space *s, const char *line)
{
    char *end;
    int p;
    for (p = 0; p < s->params; p++) {
        double value = strtod(line, &end);
        s->cells[s->rows][p] = value;
        bench_add_value(s, p, value);
        line = end + (*end == ',');
    }
    s->times[s->rows] = strtod(line, &end);
    if (end == line) s->times[s->rows] = HUGE_VAL;
    if (s->times[s->rows] < s->best) s->best = s->times[s->rows];
    s->rows++;
}

static bool bench_read(bench_space *s, const char *path)
{
    char command[1200], line[4096];
    FILE *pipe;
    const char *c;
    snprintf(command, sizeof command, "gzip -dc '%s'", path);
    pipe = popen(command, "r");
    if (!pipe || !fgets(line, sizeof line, pipe)) return false;
    for (c = line; *c; c++) s->params += *c == ',';
    s->cells = (double(*)[MAX_PARAMS])calloc(MAX_ROWS, sizeof *s->cells);
    s->times = (double *)calloc(MAX_ROWS, sizeof *s->times);
    s->best = HUGE_VAL;
    if (!s->cells || !s->times || s->params > MAX_PARAMS) return false;
    while (s->rows < MAX_ROWS && fgets(line, sizeof line, pipe)) bench_read_row(s, line);
    return pclose(pipe) == 0 && s->rows > 0;
}

// --- the space whose valid configurations are the rows

// Parameters become the positions of their values, so that one restriction can look rows up in a
// bitmap: 62 combinations a number, the number found by bisection. Returns the end of the text.
static char *bench_write_bits(char *out, const uint64_t *words, int from, int to, const char *at)
{
    int middle = from + (to - from) / 2;
    if (to - from == 1) return out + sprintf(out, "%lld", (long long)words[from]);
    out += sprintf(out, "(%s<%d?", at, 62 * middle);
    out = bench_write_bits(out, words, from, middle, at);
    *out++ = ':';
    out = bench_write_bits(out, words, middle, to, at);
    *out++ = ')';
    *out = 0;
    return out;
}

// The position of a combination of values among all of them, as an expression.
static void bench_write_at(const bench_space *s, char *text)
{
    char *out = text;
    int p;
    for (p = 0; p < s->params; p++) *out++ = '(';
    out += sprintf(out, "0");
    for (p = 0; p < s->params; p++)
        if (s->value_count[p] > 1)
            out += sprintf(out, "*%d+p%d)", s->value_count[p], p);
        else
            out += sprintf(out, ")");
}

// NULL: out of memory; freed by the caller.
static char *bench_require_rows(const bench_space *s, int total)
{
    int word_count = (total + 61) / 62, i, p;
    uint64_t *words = (uint64_t *)calloc((size_t)word_count, sizeof *words);
    char at[1024], *text = (char *)malloc((size_t)word_count * 400 + 2048), *out = text;
    for (i = 0; words && i < s->rows; i++) {
        int combination = 0;
        for (p = 0; p < s->params; p++)
            combination = combination * s->value_count[p] + bench_position(s, p, s->cells[i][p]);
        words[combination / 62] |= (uint64_t)1 << combination % 62;
    }
    if (words && text) {
        bench_write_at(s, at);
        out = bench_write_bits(out, words, 0, word_count, at);
        sprintf(out, ">>(%s)%%62&1", at);
    }
    free(words);
    return text;
}

// Orders the times by index.
static bool bench_sort_times(bench_space *s)
{
    double *sorted = (double *)malloc(MAX_ROWS * sizeof *sorted);
    gputune_config config = gputune_space_at(s->space, 0);
    uint64_t index;
    int i, p;
    if (!sorted || gputune_space_count(s->space) != (uint64_t)s->rows) return false;
    for (i = 0; i < s->rows; i++) {
        for (p = 0; p < s->params; p++)
            config.choice[p] = (uint16_t)bench_position(s, p, s->cells[i][p]);
        if (!gputune_space_index(s->space, &config, &index)) return false;
        sorted[index] = s->times[i];
    }
    free(s->times);
    s->times = sorted;
    return true;
}

static void bench_params(const bench_space *s, gputune_param params[MAX_PARAMS + 1])
{
    int p;
    memset(params, 0, (MAX_PARAMS + 1) * sizeof *params);
    for (p = 0; p < s->params; p++) {
        params[p].name = s->texts[p][0];
        params[p].values = s->texts[p][1];
    }
}

static bool bench_build(bench_space *s)
{
    gputune_param params[MAX_PARAMS + 1];
    const gputune_space_desc desc = { .params = params, .require = s->require };
    int p, total = 1;
    for (p = 0; p < s->params; p++) {
        snprintf(s->texts[p][0], sizeof s->texts[p][0], "p%d", p);
        snprintf(s->texts[p][1], sizeof s->texts[p][1], "range 0,%d", s->value_count[p] - 1);
        total *= s->value_count[p];
    }
    bench_params(s, params);
    if (total != s->rows && !(s->require[0] = bench_require_rows(s, total))) return false;
    s->space = gputune_space_create(&desc);
    if (gputune_space_count(s->space)) return bench_sort_times(s);
    fprintf(stderr, "%s: %.200s\n", s->name, gputune_space_error(s->space)->text);
    return false;
}

// --- searching

enum { OPEN_MOST = 16 };

// NULL when out of memory. trials: of the budget, 0: as many as it likes.
static gt__search *bench_search_of(gt__base *base, const gputune_space *space,
                                   gputune_strategy strategy, uint64_t seed, int trials)
{
    gputune_error error;
    gt__search *search = NULL;
    gt__base_init(base, NULL);
    return gt__search_create(base, space, strategy, seed, trials, NULL, 0, &search, &error)
               ? NULL : search;
}

// best[t]: the best over the optimum after t + 1 trials. So many questions are open: when all are
// the oldest one is answered. Returns the trials made.
static int bench_run(const bench_space *s, gputune_strategy strategy, uint64_t seed, int most,
                     double *best)
{
    gt__base base;
    gt__search *search;
    gputune_config open[OPEN_MOST];
    double found = HUGE_VAL;
    uint64_t index;
    int trials = 0, asked = 0, t;
    search = bench_search_of(&base, s->space, strategy, seed, TRIALS);
    if (!search) return 0;
    while (trials < TRIALS) {
        while (asked < trials + most && gt__search_next(search, &open[asked % most])) asked++;
        if (asked == trials) break;
        gputune_space_index(s->space, &open[trials % most], &index);
        gt__search_tell(search, &open[trials % most], s->times[index]);
        if (s->times[index] < found) found = s->times[index];
        best[trials++] = found / s->best;
    }
    for (t = trials; t < TRIALS; t++) best[t] = found / s->best;
    gt__search_destroy(&base, search);
    return trials;
}

// --- rows

enum { MEDIAN, MEAN, P90, KINDS };
static const char *const bench_kinds[KINDS] = { "", "mean_", "p90_" };

enum { TWO, THIRD, PARTS };

static bool bench_held_back(int space)
{
    return space % 3 == 2;
}

typedef struct bench_sums {
    double logs[KINDS][MARKS], score, seconds;
    long trials;
    int spaces;
} bench_sums;

// Adds the logarithms of a space's figures to the sums.
static void bench_strategy(const bench_space *s, gputune_strategy strategy, const char *name,
                           int seeds, int most, bench_sums *sums)
{
    double(*best)[TRIALS] = (double(*)[TRIALS])calloc((size_t)seeds, sizeof *best);
    double *samples = (double *)calloc((size_t)seeds, sizeof *samples);
    clock_t start = clock();
    int i, m, k;
    for (i = 0; best && samples && i < seeds; i++)
        sums->trials += bench_run(s, strategy, gt__mix((uint64_t)i + 1), most, best[i]);
    sums->seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
    for (m = 0; best && samples && m < MARKS; m++) {
        double figures[KINDS] = { 0 };
        for (i = 0; i < seeds; i++) {
            samples[i] = fmin(best[i][bench_marks[m] - 1], 10.0);
            figures[MEAN] += samples[i] / seeds;
        }
        qsort(samples, (size_t)seeds, sizeof *samples, gt__compare_doubles);
        figures[MEDIAN] = gt__quantile(samples, seeds, 0.5);
        figures[P90] = gt__quantile(samples, seeds, 0.9);
        for (k = 0; k < KINDS; k++) {
            sums->logs[k][m] += log(figures[k]);
            printf("result\tsearch_%s_%s_%s%d\t%.4f\tx\n", s->name, name, bench_kinds[k],
                   bench_marks[m], figures[k]);
        }
    }
    sums->spaces++;
    if (best) sums->score += score_of(s->times, s->rows, best[0], seeds, TRIALS);
    free(best);
    free(samples);
}

static void bench_means(const char *name, const char *part, const bench_sums *sums)
{
    int m, k;
    for (k = 0; k < KINDS; k++)
        for (m = 0; m < MARKS; m++)
            printf("result\tsearch_%s_%s%s%d\t%.4f\tx\n", name, part, bench_kinds[k],
                   bench_marks[m], exp(sums->logs[k][m] / sums->spaces));
    printf("result\tsearch_%s_%sscore\t%.3f\t1\n", name, part, sums->score / sums->spaces);
}

static void bench_all(const bench_space *spaces, int count, gputune_strategy strategy, int seeds,
                      int most)
{
    char name[32];
    bench_sums sums[PARTS], all;
    int i, m, k;
    snprintf(name, sizeof name, "%s", gputune_strategy_name(strategy));
    if (most > 1) snprintf(name, sizeof name, "open%d", most);
    memset(sums, 0, sizeof sums);
    for (i = 0; i < count; i++)
        bench_strategy(&spaces[i], strategy, name, seeds, most, &sums[bench_held_back(i)]);
    all = sums[TWO];
    for (k = 0; k < KINDS; k++)
        for (m = 0; m < MARKS; m++) all.logs[k][m] += sums[THIRD].logs[k][m];
    all.score += sums[THIRD].score;
    all.seconds += sums[THIRD].seconds;
    all.trials += sums[THIRD].trials;
    all.spaces += sums[THIRD].spaces;
    if (strategy == GPUTUNE_STRATEGY_SURROGATE && all.spaces > 2) {
        bench_means(name, "two_", &sums[TWO]);
        bench_means(name, "third_", &sums[THIRD]);
    }
    bench_means(name, "", &all);
    printf("result\tsearch_%s_ms\t%.4f\tms\n", name,
           all.trials ? 1e3 * all.seconds / (double)all.trials : 0.0);
    fflush(stdout);
}

// --- spaces that are hard in one way each

// Every seed is another space, whose optimum is 1; choices are compared with those of a target that
// is drawn.
typedef enum bench_kind {
    SEPARABLE, // 8^6: each parameter for itself
    FIXED_SUM, // ten parameters whose sum is 20: no value can change alone
    FAILURES,  // as the first; half of it fails, by the sum of three parameters
    SHUFFLED,  // six parameters of eight names in no order, one pair acts together
    WIDE,      // 14 parameters of six values, ten pairs act together
    ISOLATED,  // 8^4: four configurations apart, the best of the others is at 1.15
    RUGGED,    // 6^6: up to a half more by chance
    CORNER,    // 5^6: good configurations share four values, and without one of these all are bad.
               // Two of the values are bad on average. The best of the others is at 1.45
    APART,     // 7^6: a narrow valley apart has the best; the best of the others is at 1.15
    BENCH_KINDS
} bench_kind;

static const char *const bench_kind_names[BENCH_KINDS] = {
    "separable", "fixed_sum", "failures", "shuffled", "wide", "isolated", "rugged",
    "corner", "apart"
};

typedef struct bench_hard {
    bench_kind kind;
    int params, values, target[14], other[14], pairs[10][2];
    uint64_t seed;
    double best;
    gputune_space *space;
} bench_hard;

static int bench_off(const bench_hard *h, const gputune_config *config, int p)
{
    return abs((int)config->choice[p] - h->target[p]);
}

static double bench_chance(const bench_hard *h, const gputune_config *config)
{
    uint64_t x = h->seed;
    int p;
    for (p = 0; p < h->params; p++) x = gt__mix(x * 64 + config->choice[p]);
    return (double)(x >> 11) / 9007199254740992.0;
}

static double bench_hard_time(const bench_hard *h, const gputune_config *config)
{
    double sum = 0.0, other = 0.0;
    int p, load = 0, last, shared = 0, far = 0;
    for (p = 0; p < h->params; p++) {
        int level = bench_off(h, config, p);
        if (h->kind == SHUFFLED) // the target's is 0, each other name's by chance
            level = (int)(gt__mix(h->seed * 64 + (uint64_t)(8 * p + level)) % 7 + 1) * !!level;
        sum += (h->kind == SEPARABLE || h->kind == FAILURES ? 0.1 * (p + 1) : 0.12) * level;
        other += abs((int)config->choice[p] - h->other[p]) * (p || h->kind == APART ? 1.0 : 0.05);
        shared += p < 4 && config->choice[p] == h->other[p];
        if (abs((int)config->choice[p] - h->other[p]) > 1) far = 1;
        if (p < 3) load += h->other[p] % 2 ? config->choice[p] : h->values - 1 - config->choice[p];
    }
    for (p = 0; p < 10 && (h->kind == WIDE || (h->kind == SHUFFLED && p == 0)); p++) {
        last = h->pairs[p][1];
        sum += 0.12 * abs(config->choice[h->pairs[p][0]] - h->target[h->pairs[p][0]] +
                          config->choice[last] - h->target[last]);
    }
    if (h->kind == FAILURES && load > 10) return HUGE_VAL;
    if (h->kind == ISOLATED) return other < 0.2 ? 1.0 + 0.4 * other : 1.15 * exp(sum);
    if (h->kind == CORNER && shared == 4)
        return exp(0.12 * (bench_off(h, config, 4) + bench_off(h, config, 5)));
    if (h->kind == CORNER) return 1.45 * exp(sum) * (shared == 3 ? 1.3 : 1.0);
    if (h->kind == APART) return !far ? exp(0.25 * other) : 1.15 * exp(sum);
    return exp(sum) * (h->kind == RUGGED ? 1.0 + 0.5 * bench_chance(h, config) : 1.0);
}

// False: this seed's target is none; the next is drawn.
static bool bench_hard_draw(bench_hard *h, uint64_t *random)
{
    gputune_config config;
    uint64_t i;
    int p;
    h->seed = gt__random(random);
    for (p = 0; p < h->params; p++) {
        h->target[p] = (int)gt__random_below(random, (uint64_t)h->values);
        h->other[p] = (int)gt__random_below(random, (uint64_t)h->values);
    }
    for (p = 0; p < 10; p++) {
        h->pairs[p][0] = (int)gt__random_below(random, (uint64_t)h->params);
        h->pairs[p][1] = (int)gt__random_below(random, (uint64_t)h->params);
    }
    config = gputune_space_at(h->space,
                              gt__random_below(random, gputune_space_count(h->space)));
    for (p = 0; p < h->params; p++) h->target[p] = config.choice[p]; // valid
    h->best = h->kind == RUGGED ? HUGE_VAL : 1.0;
    for (i = 0; h->kind == RUGGED && i < gputune_space_count(h->space); i++) {
        config = gputune_space_at(h->space, i);
        h->best = fmin(h->best, bench_hard_time(h, &config));
    }
    if (h->kind == CORNER) h->other[0] = h->target[0], h->other[1] = h->target[1];
    if (h->kind == ISOLATED || h->kind == CORNER || h->kind == APART) // two steps apart or more
        for (p = h->kind == CORNER ? 2 : 0; p < (h->kind == CORNER ? 4 : h->params); p++)
            if (abs(h->target[p] - h->other[p]) < 2) return false;
    return h->kind != FAILURES || bench_hard_time(h, &config) < HUGE_VAL;
}

static gputune_space *bench_hard_space(bench_hard *h)
{
    static const int params[BENCH_KINDS] = { 6, 10, 6, 6, 14, 4, 6, 6, 6 };
    static const int values[BENCH_KINDS] = { 8, 10, 8, 8, 6, 8, 6, 5, 7 };
    static const char sum[] = "p0 + p1 + p2 + p3 + p4 + p5 + p6 + p7 + p8 + p9 == 20";
    char names[14][8], range[32];
    gputune_param list[15];
    const char *const require[] = { h->kind == FIXED_SUM ? sum : NULL, NULL };
    const gputune_space_desc desc = { .params = list, .require = require };
    int p;
    memset(list, 0, sizeof list);
    h->params = params[h->kind];
    h->values = values[h->kind];
    snprintf(range, sizeof range, "range 0,%d", h->values - 1);
    for (p = 0; p < h->params; p++) {
        snprintf(names[p], sizeof names[p], "p%d", p);
        list[p].name = names[p];
        list[p].values = h->kind == SHUFFLED ? "set red,tan,sky,ink,fog,oak,ash,elm" : range;
    }
    return gputune_space_create(&desc);
}

// best[t] as in bench_run. Returns how many of the trials 51 to 200 failed.
static int bench_hard_run(const bench_hard *h, gputune_strategy strategy, uint64_t seed,
                          double *best)
{
    gt__base base;
    gt__search *search;
    gputune_config config;
    double found = HUGE_VAL;
    int t, failed = 0;
    search = bench_search_of(&base, h->space, strategy, seed, TRIALS);
    if (!search) return 0;
    for (t = 0; t < TRIALS; t++) {
        if (gt__search_next(search, &config)) {
            double time = bench_hard_time(h, &config);
            gt__search_tell(search, &config, time);
            found = fmin(found, time);
            failed += t >= 50 && t < 200 && time == HUGE_VAL;
        }
        best[t] = found / h->best;
    }
    gt__search_destroy(&base, search);
    return failed;
}

// Rows: synthetic_KIND_STRATEGY_T median, _mean_T; synthetic_failures_STRATEGY_failed: the share of
// trials 51 to 200.
static void bench_synthetic(gputune_strategy strategy, int seeds)
{
    double(*best)[TRIALS] = (double(*)[TRIALS])calloc((size_t)seeds, sizeof *best);
    double *samples = (double *)calloc((size_t)seeds, sizeof *samples);
    int kind, i, m;
    for (kind = 0; best && samples && kind < BENCH_KINDS; kind++) {
        bench_hard hard;
        uint64_t random = (uint64_t)kind + 1;
        double failed = 0.0;
        memset(&hard, 0, sizeof hard);
        hard.kind = (bench_kind)kind;
        hard.space = bench_hard_space(&hard);
        for (i = 0; i < seeds; i++) {
            while (!bench_hard_draw(&hard, &random)) continue;
            failed += bench_hard_run(&hard, strategy, gt__mix((uint64_t)i + 1), best[i]);
        }
        for (m = 0; m < MARKS; m++) {
            double mean = 0.0;
            for (i = 0; i < seeds; i++) {
                samples[i] = fmin(best[i][bench_marks[m] - 1], 10.0);
                mean += samples[i] / seeds;
            }
            qsort(samples, (size_t)seeds, sizeof *samples, gt__compare_doubles);
            printf("result\tsynthetic_%s_%s_%d\t%.4f\tx\n", bench_kind_names[kind],
                   gputune_strategy_name(strategy), bench_marks[m],
                   gt__quantile(samples, seeds, 0.5));
            printf("result\tsynthetic_%s_%s_mean_%d\t%.4f\tx\n", bench_kind_names[kind],
                   gputune_strategy_name(strategy), bench_marks[m], mean);
        }
        if (kind == FAILURES)
            printf("result\tsynthetic_failures_%s_failed\t%.3f\t1\n",
                   gputune_strategy_name(strategy), failed / 150.0 / seeds);
        gputune_space_destroy(hard.space);
    }
    fflush(stdout);
    free(best);
    free(samples);
}

// --- when it ends

// The same runs, at most 400 trials, ended after 40, 80 and 120 trials without a gain of 1 %.
//     stop_SPACE_RULE_trials    mean of the trials made; ..._loss, ..._p90: found / optimum then,
//                               less 1: mean and 90th percentile; ..._held: share of the runs with
//                               less than 1 % left
//     ..._seconds               of the search, at BENCH_TRIAL a trial; ..._cost: and what 1,000
//                               launches of what was found lose
//     stop_RULE_...             means over the spaces; ..._held_least: the least of theirs
enum { RULES = 3 };
static const int bench_rules[RULES] = { 40, 80, 120 };
#define BENCH_TRIAL 0.04 // seconds; an H200 makes 20 to 35 trials a second

typedef struct bench_end {
    double trials, loss, p90, held, cost;
} bench_end;

static void bench_stop(const bench_space *s, uint64_t seed, bench_end ends[RULES],
                       double *losses[RULES], int run)
{
    gt__base base;
    gt__search *search;
    gputune_config config;
    double found = HUGE_VAL;
    uint64_t index;
    int t, r, since = 0, ended[RULES] = { 0 };
    search = bench_search_of(&base, s->space, GPUTUNE_STRATEGY_SURROGATE, seed, 0);
    if (!search) return;
    for (t = 1; t <= TRIALS && gt__search_next(search, &config); t++) {
        gputune_space_index(s->space, &config, &index);
        gt__search_tell(search, &config, s->times[index]);
        since = s->times[index] < 0.99 * found ? 0 : since + 1;
        found = fmin(found, s->times[index]);
        for (r = 0; r < RULES; r++) {
            if (ended[r] || (since < bench_rules[r] && t < TRIALS && t < s->rows)) continue;
            ended[r] = 1;
            losses[r][run] = found / s->best - 1.0;
            ends[r].trials += t;
            ends[r].loss += losses[r][run];
            ends[r].held += 1.0 - s->best / found < 0.01;
            ends[r].cost += BENCH_TRIAL * t + (found - s->best); // ms, a thousand times
        }
    }
    gt__search_destroy(&base, search);
}

static void bench_tell_end(const char *of, int rule, const bench_end *e)
{
    printf("result\tstop_%s%s%d_trials\t%.1f\t1\n", of, *of ? "_" : "", rule, e->trials);
    printf("result\tstop_%s%s%d_loss\t%.4f\t1\n", of, *of ? "_" : "", rule, e->loss);
    printf("result\tstop_%s%s%d_p90\t%.4f\t1\n", of, *of ? "_" : "", rule, e->p90);
    printf("result\tstop_%s%s%d_held\t%.3f\t1\n", of, *of ? "_" : "", rule, e->held);
    printf("result\tstop_%s%s%d_seconds\t%.3f\ts\n", of, *of ? "_" : "", rule,
           BENCH_TRIAL * e->trials);
    printf("result\tstop_%s%s%d_cost\t%.3f\ts\n", of, *of ? "_" : "", rule, e->cost);
}

static void bench_stops(const bench_space *spaces, int count, int seeds)
{
    bench_end all[RULES];
    double *losses[RULES], least[RULES];
    int i, k, r;
    memset(all, 0, sizeof all);
    for (r = 0; r < RULES; r++) {
        least[r] = 1.0;
        losses[r] = (double *)calloc((size_t)seeds, sizeof **losses);
        if (!losses[r]) return;
    }
    for (i = 0; i < count; i++) {
        bench_end ends[RULES];
        memset(ends, 0, sizeof ends);
        for (k = 0; k < seeds; k++)
            bench_stop(&spaces[i], gt__mix((uint64_t)k + 1), ends, losses, k);
        for (r = 0; r < RULES; r++) {
            bench_end *e = &ends[r];
            e->trials /= seeds, e->loss /= seeds, e->held /= seeds, e->cost /= seeds;
            qsort(losses[r], (size_t)seeds, sizeof **losses, gt__compare_doubles);
            e->p90 = gt__quantile(losses[r], seeds, 0.9);
            bench_tell_end(spaces[i].name, bench_rules[r], e);
            all[r].trials += e->trials / count, all[r].loss += e->loss / count;
            all[r].p90 += e->p90 / count, all[r].held += e->held / count;
            all[r].cost += e->cost / count;
            least[r] = fmin(least[r], e->held);
        }
    }
    for (r = 0; r < RULES; r++) {
        bench_tell_end("", bench_rules[r], &all[r]);
        printf("result\tstop_%d_held_least\t%.3f\t1\n", bench_rules[r], least[r]);
        free(losses[r]);
    }
    fflush(stdout);
}

// --- what could be believed

// Is there a sign of how little is left? A run ends after 80 trials without a gain of 1 %, as the
// search did then, or after 400. Signs are noted at that moment. A rule is that one or two of them
// are on one side of a threshold, a tenth of the runs' values. Of the rules that are right in 0.85
// of the runs or more on each space but one, the one that claims most often there is applied to
// that one. The spaces: the recorded ones, and three synthetic ones whose optimum nothing points
// at.
//     belief_SPACE_ended    share of the runs that ended by themselves; ..._held: of these, share
//                           with less than 1 % left; ..._made: in which that rule claims so
//     ..._true              share of the claims that are right, if there are any
//     belief_made           of all runs on recorded spaces; ..._fitted: by the one rule that is
//                           right on all spaces and claims most often, none left out
enum { SIGNS = 8, TENTHS = 9, SIDES = 2 * SIGNS * TENTHS };

typedef struct bench_end_signs {
    int space;
    bool held, sides[SIDES];
    double signs[SIGNS];
} bench_end_signs;

// Of trials, sorted: how near the best are to each other, in logarithms.
static void bench_sign_values(const double *times, int trials, double *signs)
{
    double logs[TRIALS];
    int i, n = 0;
    for (i = 0; i < trials; i++)
        if (times[i] < HUGE_VAL) logs[n++] = log(times[i]);
    qsort(logs, (size_t)n, sizeof *logs, gt__compare_doubles);
    for (i = 0; i < n && logs[i] < logs[0] + 0.03;) i++;
    signs[0] = i;                                                       // trials within 3 %
    signs[1] = n > 4 ? (logs[4] - logs[0]) / (logs[n / 2] - logs[0] + 1e-9) : 1; // the fifth's gap
}

// Of what was predicted: by how much the last 32 were below the best at most, and how much the last
// 60 were off.
static void bench_sign_predictions(const double *predicted, const double *times, int trials,
                                   double best, double *signs)
{
    double least = HUGE_VAL, sum = 0, squares = 0;
    int i, n = 0;
    for (i = trials < 60 ? 0 : trials - 60; i < trials; i++) {
        const double off = predicted[i] > 0 ? log(times[i] / predicted[i]) : HUGE_VAL;
        if (i >= trials - 32 && predicted[i] > 0) least = fmin(least, log(predicted[i] / best));
        if (!(off < 100)) continue;
        sum += off;
        squares += off * off;
        n++;
    }
    signs[0] = least;
    signs[1] = n ? sqrt(fmax(squares / n - sum * sum / n / n, 0.0)) : 0.0;
}

// Of the best one: which part of its neighbours was tried, and in how many values the ten best
// differ from it in the mean.
static void bench_sign_places(const gt__search *s, double *signs)
{
    const gputune_config best = gputune_space_at(s->space, s->best);
    const gt__learned *told = s->learner->told;
    int i, k, known = 0, all = 0, differ = 0, ten = 0, rank;
    for (i = 0; i < s->varying_count; i++)
        for (k = 0; k < gt__search_ranks(s, s->varying[i]); k++) {
            gputune_config other = best;
            uint64_t index;
            gt__search_set(s, &other, s->varying[i], k);
            if (!gputune_space_index(s->space, &other, &index) || index == s->best) continue;
            all++;
            known += gt__known_find(&s->known, index) != NULL;
        }
    for (i = 0; i < s->learner->rows; i++) {
        const gputune_config config = gputune_space_at(s->space, told[i].index);
        for (k = rank = 0; k < s->learner->rows; k++)
            rank += told[k].value < told[i].value || (told[k].value == told[i].value && k < i);
        for (k = 0; rank < 10 && k < s->varying_count; k++)
            differ += config.choice[s->varying[k]] != best.choice[s->varying[k]];
        ten += rank < 10;
    }
    signs[0] = all ? (double)known / all : 1.0;
    signs[1] = (double)differ / (ten ? ten : 1);
}

// One run and its signs. False: the trials were over before 80 without a gain.
static bool bench_end_run(const bench_space *s, const bench_hard *h, uint64_t seed,
                          bench_end_signs *e)
{
    static double times[TRIALS], predicted[TRIALS];
    gputune_space *space = s ? s->space : h->space;
    gt__base base;
    gt__search *search;
    gputune_config config;
    double found = HUGE_VAL;
    uint64_t index;
    int t = 0, since = 0;
    search = bench_search_of(&base, space, GPUTUNE_STRATEGY_SURROGATE, seed, 0);
    if (!search) return false;
    for (; t < TRIALS && since < 80 && gt__search_next(search, &config); t++) {
        gputune_space_index(space, &config, &index);
        predicted[t] = search->learner->predicted;
        times[t] = s ? s->times[index] : bench_hard_time(h, &config);
        gt__search_tell(search, &config, times[t]);
        since = times[t] < 0.99 * found ? 0 : since + 1;
        found = fmin(found, times[t]);
    }
    e->held = 1.0 - (s ? s->best : h->best) / found < 0.01;
    e->signs[0] = t;
    e->signs[1] = (double)t / (double)gputune_space_count(space);
    bench_sign_values(times, t, e->signs + 2);
    bench_sign_predictions(predicted, times, t, found, e->signs + 4);
    bench_sign_places(search, e->signs + 6);
    gt__search_destroy(&base, search);
    return since >= 80;
}

// On which sides of all thresholds each of the runs is.
static void bench_sides(bench_end_signs *runs, int count)
{
    double *values = (double *)calloc((size_t)count, sizeof *values);
    int sign, tenth, i;
    for (sign = 0; values && sign < SIGNS; sign++) {
        for (i = 0; i < count; i++) values[i] = runs[i].signs[sign];
        qsort(values, (size_t)count, sizeof *values, gt__compare_doubles);
        for (tenth = 0; tenth < TENTHS; tenth++) {
            const double threshold = gt__quantile(values, count, (tenth + 1) / 10.0);
            const int at = 2 * (sign * TENTHS + tenth);
            for (i = 0; i < count; i++) {
                runs[i].sides[at] = runs[i].signs[sign] <= threshold;
                runs[i].sides[at + 1] = runs[i].signs[sign] >= threshold;
            }
        }
    }
    free(values);
}

enum { BELIEF_SPACES = MAX_SPACES + 3 };

typedef struct bench_claims {
    int made[BELIEF_SPACES], right[BELIEF_SPACES], recorded; // recorded: sum over these
} bench_claims;

// What comes of the rule of both sides.
static bench_claims bench_claim(const bench_end_signs *runs, int count, int a, int b, int recorded)
{
    bench_claims c;
    int i;
    memset(&c, 0, sizeof c);
    for (i = 0; i < count; i++) {
        if (!runs[i].sides[a] || !runs[i].sides[b]) continue;
        c.made[runs[i].space]++;
        c.right[runs[i].space] += runs[i].held;
        c.recorded += runs[i].space < recorded;
    }
    return c;
}

// The rule for each space, chosen on all others; the last one is chosen on all.
static void bench_choose(const bench_end_signs *runs, int count, int spaces, int recorded,
                         bench_claims *chosen)
{
    int most[BELIEF_SPACES + 1], a, b, i;
    for (i = 0; i <= spaces; i++) most[i] = -1;
    for (a = 0; a < SIDES; a++)
        for (b = 0; b <= a; b++) {
            const bench_claims c = bench_claim(runs, count, a, b, recorded);
            int wrong = 0, last = spaces, made;
            for (i = 0; i < spaces; i++)
                if (c.right[i] < 0.85 * c.made[i]) last = i, wrong++;
            for (i = 0; i <= spaces && wrong < 2; i++) {
                made = c.recorded - (i < recorded ? c.made[i] : 0);
                if ((wrong && i != last) || made <= most[i]) continue;
                most[i] = made;
                chosen[i] = c;
            }
        }
}

static void bench_tell_belief(const char *name, const bench_end_signs *runs, int count, int space,
                              int seeds, const bench_claims *c)
{
    int i, ended = 0, held = 0;
    for (i = 0; i < count; i++) {
        if (runs[i].space != space) continue;
        ended++;
        held += runs[i].held;
    }
    printf("result\tbelief_%s_ended\t%.3f\t1\n", name, (double)ended / seeds);
    printf("result\tbelief_%s_held\t%.3f\t1\n", name, (double)held / fmax(ended, 1));
    printf("result\tbelief_%s_made\t%.3f\t1\n", name, c->made[space] / fmax(ended, 1));
    if (c->made[space])
        printf("result\tbelief_%s_true\t%.3f\t1\n", name,
               (double)c->right[space] / c->made[space]);
}

static void bench_beliefs(const bench_space *spaces, int recorded, int seeds)
{
    static const bench_kind kinds[] = { ISOLATED, CORNER, APART };
    static bench_claims chosen[BELIEF_SPACES + 1];
    const int all = recorded + 3;
    bench_end_signs *runs = (bench_end_signs *)calloc((size_t)(all * seeds), sizeof *runs);
    int i, k, count = 0, made = 0, ended = 0;
    for (i = 0; runs && i < all; i++) {
        bench_hard hard;
        uint64_t random = (uint64_t)i + 1;
        memset(&hard, 0, sizeof hard);
        hard.kind = i < recorded ? BENCH_KINDS : kinds[i - recorded];
        if (i >= recorded) hard.space = bench_hard_space(&hard);
        for (k = 0; k < seeds; k++) {
            while (i >= recorded && !bench_hard_draw(&hard, &random)) continue;
            runs[count].space = i;
            count += bench_end_run(i < recorded ? &spaces[i] : NULL, &hard,
                                   gt__mix((uint64_t)k + 1), &runs[count]);
        }
        gputune_space_destroy(hard.space);
        ended = i < recorded ? count : ended;
    }
    if (!runs) return;
    bench_sides(runs, count);
    bench_choose(runs, count, all, recorded, chosen);
    for (i = 0; i < all; i++) {
        bench_tell_belief(i < recorded ? spaces[i].name : bench_kind_names[kinds[i - recorded]],
                          runs, count, i, seeds, &chosen[i]);
        made += i < recorded ? chosen[i].made[i] : 0;
    }
    printf("result\tbelief_made\t%.3f\t1\n", made / fmax(ended, 1));
    printf("result\tbelief_fitted\t%.3f\t1\n", chosen[all].recorded / fmax(ended, 1));
    fflush(stdout);
    free(runs);
}

// --- what a relative's answer brings

// Of each space the kernel of which was recorded on another device, too: a search there that ends
// by itself, after 400 trials at most, into a store, then one here, which finds that answer.
//     relatives_SPACE_mean_T, alone_SPACE_mean_T   means of best / optimum with and without
//     relatives_mean_T ...                         their geometric means
// Is it the same space, though its times are others'?
static bool bench_related(const bench_space *a, const bench_space *b)
{
    int p;
    if (a == b || a->params != b->params || a->rows != b->rows) return false;
    for (p = 0; p < a->params; p++)
        if (a->value_count[p] != b->value_count[p] ||
            memcmp(a->values[p], b->values[p], (size_t)a->value_count[p] * sizeof(double)) != 0)
            return false;
    return !a->require[0] || strcmp(a->require[0], b->require[0]) == 0;
}

static void bench_answer(const bench_space *s, const char *store, const char *name,
                         const char *device, bool all, uint64_t seed, double *best)
{
    gputune_param params[MAX_PARAMS + 1];
    gputune_limits limits;
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    double found = HUGE_VAL;
    uint64_t index;
    int t = 0;
    memset(&limits, 0, sizeof limits);
    memset(&desc, 0, sizeof desc);
    snprintf(limits.name, sizeof limits.name, "%s", device);
    desc.name = name;
    desc.race = -1;
    bench_params(s, params);
    desc.space.params = params;
    desc.space.require = s->require;
    desc.space.limits = &limits;
    desc.space.options.store = store;
    desc.tune.strategy = GPUTUNE_STRATEGY_SURROGATE;
    desc.tune.seed = seed;
    desc.tune.budget.trials = TRIALS;
    desc.tune.budget.seconds = -1;
    desc.tune.budget.all = all;
    tuner = gputune_tuner_create(&desc);
    while (t < TRIALS && gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG) {
        gputune_space_index(gputune_tuner_space(tuner), &config, &index);
        gputune_tell(tuner, &config, s->times[index]);
        found = fmin(found, s->times[index]);
        best[t++] = found / s->best;
    }
    for (; t < TRIALS; t++) best[t] = found / s->best;
    gputune_tuner_best(tuner, &config); // saves it
    gputune_tuner_destroy(tuner);
}

static void bench_relatives(const bench_space *spaces, int count, int seeds)
{
    static double best[TRIALS], ignored[TRIALS];
    static const char *const names[] = { "alone", "relatives" };
    double logs[2][MARKS] = { { 0 } };
    const char *folder = getenv("TMPDIR");
    char store[1100], name[64];
    int i, k, m, way, of, pairs = 0;
    snprintf(store, sizeof store, "%s/relatives.txt", folder ? folder : "/tmp");
    remove(store);
    for (i = 0; i < count; i++) {
        double means[2][MARKS] = { { 0 } };
        for (of = 0; of < count && !bench_related(&spaces[i], &spaces[of]);) of++;
        if (of == count) continue;
        for (k = 0; k < seeds; k++)
            for (way = 0; way < 2; way++) {
                snprintf(name, sizeof name, "%d %d %d", i, k, way);
                if (way)
                    bench_answer(&spaces[of], store, name, "other", false, gt__mix(~(uint64_t)k),
                                 ignored);
                bench_answer(&spaces[i], store, name, "this", true, gt__mix((uint64_t)k + 1), best);
                for (m = 0; m < MARKS; m++)
                    means[way][m] += fmin(best[bench_marks[m] - 1], 10.0) / seeds;
            }
        pairs++;
        for (way = 0; way < 2; way++)
            for (m = 0; m < MARKS; m++) {
                printf("result\t%s_%s_mean_%d\t%.4f\tx\n", names[way], spaces[i].name,
                       bench_marks[m], means[way][m]);
                logs[way][m] += log(means[way][m]);
            }
    }
    remove(store);
    for (way = 0; way < 2 && pairs; way++)
        for (m = 0; m < MARKS; m++)
            printf("result\t%s_mean_%d\t%.4f\tx\n", names[way], bench_marks[m],
                   exp(logs[way][m] / pairs));
    fflush(stdout);
}

// Named on the command line; without any, all but exhaustive search, which is random here, and auto
// which is surrogate search.
static bool bench_wanted(const char *what, int names, char **name)
{
    int i;
    for (i = 0; i < names; i++)
        if (strcmp(name[i], what) == 0) return true;
    return names == 0 && strcmp(what, "exhaustive") != 0 && strcmp(what, "auto") != 0;
}

#if !defined(_WIN32)
static int bench_compare_spaces(const void *a, const void *b)
{
    return strcmp(((const bench_space *)a)->name, ((const bench_space *)b)->name);
}

// Returns how many spaces there are; negative when one could not be read.
static int bench_load(const char *path, bench_space *spaces)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int count = 0;
    while (folder && count < MAX_SPACES && (entry = readdir(folder)) != NULL) {
        char file[1024];
        size_t length = strlen(entry->d_name);
        bench_space *s = &spaces[count];
        if (length < 8 || strcmp(entry->d_name + length - 7, ".csv.gz") != 0) continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        snprintf(s->name, sizeof s->name, "%.*s", (int)length - 7, entry->d_name);
        if (!bench_read(s, file) || !bench_build(s)) {
            fprintf(stderr, "%s: cannot be used\n", file);
            closedir(folder);
            return -1;
        }
        count++;
    }
    if (folder) closedir(folder);
    qsort(spaces, (size_t)count, sizeof *spaces, bench_compare_spaces);
    return count;
}
#endif

#ifndef BENCH_NO_MAIN
int main(int argc, char **argv)
{
    static bench_space spaces[MAX_SPACES];
    const char *folder = argc > 1 ? argv[1] : "../shared/spaces/recorded";
    int seeds = argc > 2 ? atoi(argv[2]) : 50, count = -1, names = argc > 3 ? argc - 3 : 0, i;
#if !defined(_WIN32)
    count = bench_load(folder, spaces);
#endif
    if (count <= 0 || seeds <= 0) {
        fprintf(stderr, "usage: bench_search [folder of *.csv.gz [seeds [strategy... | synthetic |"
                        " open | stop | belief | relatives]]]; %s\n", folder);
        return 1;
    }
    for (i = 0; i < GPUTUNE_STRATEGY_COUNT; i++)
        if (bench_wanted(gputune_strategy_name((gputune_strategy)i), names, argv + 3))
            bench_all(spaces, count, (gputune_strategy)i, seeds, 1);
    for (i = 8; i <= OPEN_MOST && bench_wanted("open", names, argv + 3); i += 8)
        bench_all(spaces, count, GPUTUNE_STRATEGY_SURROGATE, seeds, i);
    if (bench_wanted("synthetic", names, argv + 3))
        bench_synthetic(GPUTUNE_STRATEGY_SURROGATE, seeds);
    if (bench_wanted("stop", names, argv + 3)) bench_stops(spaces, count, seeds);
    if (bench_wanted("belief", names, argv + 3)) bench_beliefs(spaces, count, seeds);
    if (bench_wanted("relatives", names, argv + 3)) bench_relatives(spaces, count, seeds);
    for (i = 0; i < count; i++) {
        free((char *)(uintptr_t)spaces[i].require[0]);
        gputune_space_destroy(spaces[i].space);
        free(spaces[i].cells);
        free(spaces[i].times);
    }
    return 0;
}
#endif
