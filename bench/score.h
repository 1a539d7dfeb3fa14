// The score of the methodology of Willemsen and others (A methodology for comparing optimization
// algorithms for auto-tuning, Future generation computer systems, 2024), by trials instead of
// seconds: how much of the way from random search's best to the optimum a strategy's best has gone,
// (random - strategy) / (random - optimum), the mean over the seeds' bests at each number of
// trials, mean over the trials from the one where random search is expected at the 1 % cutoff to
// that at the 95 % cutoff. The cutoff p is where what is left to the optimum is 1 - p of the
// median's distance from it. 0 is random search, 1 the optimum at once. Failures count as the
// slowest configuration. Needs gputune.h and its implementation.
#ifndef BENCH_SCORE_H
#define BENCH_SCORE_H

// The times over the best of them, ascending; failures (infinite) last and as slow as the slowest.
// *valid: how many are none. NULL when out of memory; to be freed.
static double *score_sorted(const double *times, int rows, int *valid)
{
    double *sorted = (double *)malloc((size_t)rows * sizeof *sorted);
    int i;
    *valid = 0;
    if (!sorted) return NULL;
    memcpy(sorted, times, (size_t)rows * sizeof *sorted);
    qsort(sorted, (size_t)rows, sizeof *sorted, gt__compare_doubles);
    while (*valid < rows && sorted[*valid] < HUGE_VAL) ++*valid;
    for (i = rows; i-- > 0;) sorted[i] = sorted[i < *valid ? i : *valid - 1] / sorted[0];
    return sorted;
}

// What is expected of the best of so many drawn without replacement.
static double score_expected(const double *sorted, int rows, int drawn)
{
    double none = 1.0, sum = 0.0; // none: no draw is among the first i
    int i;
    for (i = 0; i < rows && none > 1e-15; i++) {
        double here = (double)drawn / (rows - i);
        if (here > 1.0) here = 1.0;
        sum += none * here * sorted[i];
        none *= 1.0 - here;
    }
    return sum;
}

// Trials, at most so many, after which random search is expected beyond a cutoff.
static int score_cutoff(const double *sorted, int rows, int valid, double cutoff, int most)
{
    double target = 1.0 + (sorted[valid / 2] - 1.0) * (1.0 - cutoff);
    int drawn = 1;
    while (drawn < most && score_expected(sorted, rows, drawn) > target) drawn++;
    return drawn;
}

// best: for each seed the best over the optimum after 1 to `most` trials; infinite: none yet.
static double score_of(const double *times, int rows, const double *best, int seeds, int most)
{
    int valid, i, t, from, to;
    double *sorted = score_sorted(times, rows, &valid), score = 0.0;
    if (!sorted) return 0.0;
    from = score_cutoff(sorted, rows, valid, 0.01, most);
    to = score_cutoff(sorted, rows, valid, 0.95, most);
    for (t = from; t <= to; t++) {
        double random = score_expected(sorted, rows, t), mean = 0.0;
        for (i = 0; i < seeds; i++)
            mean += fmin(best[(size_t)i * (size_t)most + (size_t)t - 1], sorted[rows - 1]) / seeds;
        score += (random - mean) / fmax(random - 1.0, 1e-9) / (to - from + 1);
    }
    free(sorted);
    return score;
}

#endif
