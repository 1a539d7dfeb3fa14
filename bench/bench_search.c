// How near to the optimum each strategy comes in how many trials, on spaces that were measured in
// full on real GPUs. Rows: result, name, value, unit.
//     cc -O2 -I.. bench_search.c -o bench_search -lm
//     ./bench_search [folder [seeds [strategy...]]]
// The folder holds KERNEL__DEVICE.csv.gz: a header with the parameters' names and time_ms, then a
// row a valid configuration; an empty time is a failure, which costs a trial like any other.
//     search_SPACE_STRATEGY_T      median over the seeds of best found / optimum after T trials
//     ..._mean_T, ..._p90_T        their mean and 90th percentile (10 at most, also while nothing
//                                  is found)
//     search_STRATEGY_T ...        geometric means of these over the spaces
//     search_STRATEGY_score        see bench/score.h; the mean of the spaces
//     search_STRATEGY_ms           milliseconds of processor time of one question and answer
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

static bool bench_build(bench_space *s)
{
    char names[MAX_PARAMS][16], values[MAX_PARAMS][32], *rows = NULL;
    gputune_param params[MAX_PARAMS + 1];
    const char *require[] = { NULL, NULL };
    const gputune_space_desc desc = { .params = params, .require = require };
    int p, total = 1;
    memset(params, 0, sizeof params);
    for (p = 0; p < s->params; p++) {
        snprintf(names[p], sizeof names[p], "p%d", p);
        snprintf(values[p], sizeof values[p], "range 0,%d", s->value_count[p] - 1);
        params[p].name = names[p];
        params[p].values = values[p];
        total *= s->value_count[p];
    }
    if (total != s->rows) {
        require[0] = rows = bench_require_rows(s, total);
        if (!rows) return false;
    }
    s->space = gputune_space_create(&desc);
    free(rows);
    if (gputune_space_count(s->space)) return bench_sort_times(s);
    fprintf(stderr, "%s: %.200s\n", s->name, gputune_space_error(s->space)->text);
    return false;
}

// --- searching

// best[t]: the best over the optimum after t + 1 trials. Returns the trials made.
static int bench_run(const bench_space *s, gputune_strategy strategy, uint64_t seed, double *best)
{
    gputune__base base;
    gputune__search *search;
    gputune_error error;
    gputune_config config;
    double found = HUGE_VAL;
    uint64_t index;
    int trials = 0, t;
    gputune__base_init(&base, NULL);
    if (gputune__search_create(&base, s->space, strategy, seed, TRIALS, NULL, 0, &search, &error))
        return 0;
    while (trials < TRIALS && gputune__search_next(search, &config)) {
        gputune_space_index(s->space, &config, &index);
        gputune__search_tell(search, &config, s->times[index]);
        if (s->times[index] < found) found = s->times[index];
        best[trials++] = found / s->best;
    }
    for (t = trials; t < TRIALS; t++) best[t] = found / s->best;
    gputune__search_destroy(&base, search);
    return trials;
}

// --- rows

enum { MEDIAN, MEAN, P90, KINDS };
static const char *const bench_kinds[KINDS] = { "", "mean_", "p90_" };

typedef struct bench_sums {
    double logs[KINDS][MARKS], score, seconds;
    long trials;
} bench_sums;

// Adds the logarithms of a space's figures to the sums.
static void bench_strategy(const bench_space *s, gputune_strategy strategy, int seeds,
                           bench_sums *sums)
{
    double(*best)[TRIALS] = (double(*)[TRIALS])calloc((size_t)seeds, sizeof *best);
    double *samples = (double *)calloc((size_t)seeds, sizeof *samples);
    clock_t start = clock();
    int i, m, k;
    for (i = 0; best && samples && i < seeds; i++)
        sums->trials += bench_run(s, strategy, gputune__mix((uint64_t)i + 1), best[i]);
    sums->seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
    for (m = 0; best && samples && m < MARKS; m++) {
        double figures[KINDS] = { 0 };
        for (i = 0; i < seeds; i++) {
            samples[i] = fmin(best[i][bench_marks[m] - 1], 10.0);
            figures[MEAN] += samples[i] / seeds;
        }
        qsort(samples, (size_t)seeds, sizeof *samples, gputune__compare_doubles);
        figures[MEDIAN] = gputune__quantile(samples, seeds, 0.5);
        figures[P90] = gputune__quantile(samples, seeds, 0.9);
        for (k = 0; k < KINDS; k++) {
            sums->logs[k][m] += log(figures[k]);
            printf("result\tsearch_%s_%s_%s%d\t%.4f\tx\n", s->name, gputune_strategy_name(strategy),
                   bench_kinds[k], bench_marks[m], figures[k]);
        }
    }
    if (best) sums->score += score_of(s->times, s->rows, best[0], seeds, TRIALS);
    free(best);
    free(samples);
}

static void bench_all(const bench_space *spaces, int count, gputune_strategy strategy, int seeds)
{
    const char *name = gputune_strategy_name(strategy);
    bench_sums sums;
    int i, m, k;
    memset(&sums, 0, sizeof sums);
    for (i = 0; i < count; i++) bench_strategy(&spaces[i], strategy, seeds, &sums);
    for (k = 0; k < KINDS; k++)
        for (m = 0; m < MARKS; m++)
            printf("result\tsearch_%s_%s%d\t%.4f\tx\n", name, bench_kinds[k], bench_marks[m],
                   exp(sums.logs[k][m] / count));
    printf("result\tsearch_%s_score\t%.3f\t1\n", name, sums.score / count);
    printf("result\tsearch_%s_ms\t%.4f\tms\n", name,
           sums.trials ? 1e3 * sums.seconds / (double)sums.trials : 0.0);
    fflush(stdout);
}

// Named on the command line; without any, all but exhaustive search, which is random here, and auto
// which is surrogate search.
static bool bench_wanted(gputune_strategy strategy, int names, char **name)
{
    int i;
    for (i = 0; i < names; i++)
        if (strcmp(name[i], gputune_strategy_name(strategy)) == 0) return true;
    return names == 0 && strategy != GPUTUNE_STRATEGY_EXHAUSTIVE &&
           strategy != GPUTUNE_STRATEGY_AUTO;
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
    int seeds = argc > 2 ? atoi(argv[2]) : 50, count = -1, i;
#if !defined(_WIN32)
    count = bench_load(folder, spaces);
#endif
    if (count <= 0 || seeds <= 0) {
        fprintf(stderr, "usage: bench_search [folder of *.csv.gz [seeds [strategy...]]]; %s\n",
                folder);
        return 1;
    }
    for (i = 0; i < GPUTUNE_STRATEGY_COUNT; i++)
        if (bench_wanted((gputune_strategy)i, argc > 3 ? argc - 3 : 0, argv + 3))
            bench_all(spaces, count, (gputune_strategy)i, seeds);
    for (i = 0; i < count; i++) {
        gputune_space_destroy(spaces[i].space);
        free(spaces[i].cells);
        free(spaces[i].times);
    }
    return 0;
}
#endif
