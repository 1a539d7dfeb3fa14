// Seven published performance models of GPUs, each a short function of plain numbers: what Madougou
// and others (An empirical evaluation of GPGPU performance models, Euro-Par 2014) compare.
//
//     MWP-CWP          mwp_cwp, mwp_cwp_plus   Hong, Kim 2009; Sim and others 2012
//     QRQW PRAM        qrqw                    Kothapalli and others 2009
//     quantitative     zhang_owens             Zhang, Owens 2011
//     work-flow graph  wfg                     Baghsorkhi and others 2010
//     PMAC             pmac                    Carrington and others 2011
//     Eiger            eiger_fit, _predict     Kerr and others 2012
//     Stargazer        stargazer_fit, _predict Jia, Shaw, Martonosi 2012
//
// The first five are formulas, the last two are fitted to measured samples. Each says above its
// input what it needs, what it cannot do on a GPU of today and which hint it gives. They stand here
// as published; "modern" variants differ in what is handed in (a latency that is the mean over the
// caches, counts of the compiled code), unless a field says otherwise.
//
// Where the formulas are from: the papers themselves were not at hand for all of them. Equations
// have a number here only where it is the paper's own. MWP-CWP and QRQW are what several public
// programs agree on; the quantitative model and, but for its equation 4, the work-flow graph are
// reconstructions, and wrong results of theirs say little about the papers.
//
// Numbers are double: cycles, bytes, instructions of a warp. What is not a number, negative, zero
// where that makes no sense, or beyond 1e18 is named in `missing`, and `seconds` is NaN then:
// nothing is ever guessed. Needs no other header; C99 and C++.
#ifndef BENCH_MODELS_H
#define BENCH_MODELS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct models_prediction {
    double seconds;      // NaN: see missing
    const char *bound;   // the hint: "arithmetic", "local memory", "bandwidth", "latency",
                         // "barriers", "atomics", "pipeline"; "": none
    const char *missing; // the first input that is missing or makes no sense; NULL: all are there
} models_prediction;

// By its bits: flags that promise there is none do not hold here.
static inline bool models_is_nan(double x)
{
    unsigned long long bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits << 1) > 0xffe0000000000000ull;
}

static inline models_prediction models_unknown(const char *missing)
{
    models_prediction p;
    p.seconds = NAN;
    p.bound = "";
    p.missing = missing;
    return p;
}

// Within these, no product or quotient in this file overflows.
static inline bool models_within(models_prediction *p, double value, double least, const char *name)
{
    if (value >= least && value <= 1e18) return true;
    if (!p->missing) p->missing = name;
    return false;
}

#define MODELS_POSITIVE(p, in, field) models_within(p, (in)->field, 1e-18, #field)
#define MODELS_COUNT(p, in, field) models_within(p, (in)->field, 0, #field) // 0 is fine

// ---------------------------------------------------------------------------------------------
// What several of them need
// ---------------------------------------------------------------------------------------------

// Sectors of 32 bytes and lines of 128 that a warp's request touches: lane i reads `size` bytes at
// base + i * stride. All are at least 0.
static inline int models_sectors(long base, long stride, long size, int *lines)
{
    long seen[2] = { -1, -1 };
    int count[2] = { 0, 0 };
    for (int lane = 0; lane < 32; lane++) // the addresses ascend: what is new is behind the last
        for (long byte = 0; byte < size; byte++)
            for (int which = 0; which < 2; which++) {
                const long at = (base + lane * stride + byte) / (which ? 128 : 32);
                if (at > seen[which]) {
                    seen[which] = at;
                    count[which]++;
                }
            }
    if (lines) *lines = count[1];
    return count[0];
}

// How often a warp's request of 4-byte words so many words apart is served: different words of one
// of the 32 banks, the most of all banks.
static inline int models_conflicts(int stride)
{
    int words[32] = { 0 }, most = 0;
    for (int lane = 0; lane < 32; lane++) {
        const int bank = (lane * stride) % 32;
        if (lane == 0 || stride != 0) words[bank]++;
        if (words[bank] > most) most = words[bank];
    }
    return most;
}

// A measured rate over the warps that were active on a multiprocessor, ascending.
typedef struct models_table {
    const double *warps, *rate;
    int count;
} models_table;

// Straight lines between entries, through the origin before the first, level behind the last. More
// warps are never slower: what says so was noise.
static inline double models_rate(const models_table *table, double warps)
{
    double x = 0.0, y = 0.0;
    for (int i = 0; i < table->count; i++) {
        const double next = table->rate[i] > y ? table->rate[i] : y;
        if (warps < table->warps[i]) return y + (next - y) * (warps - x) / (table->warps[i] - x);
        x = table->warps[i];
        y = next;
    }
    return y;
}

// How much of the traffic a cache serves (a reconstruction): what is used again, as far as it fits.
static inline double models_hits(double unique, double moved, double reuse, double cache)
{
    const double ramp = (1.3 - reuse / cache) / 0.6;
    return (1.0 - unique / moved) * fmin(fmax(ramp, 0.0), 1.0);
}

// Bytes from memory of a matrix product with tiles of t x t that `resident` groups work on at a
// time, behind a last cache of so many bytes: waves of groups read all of B and their rows of A.
static inline double models_matmul_bytes(double n, double t, double resident, double cache)
{
    const double matrix = 4.0 * n * n, tiles = n / t, rows = resident / tiles;
    if (matrix <= 0.7 * cache) return 3.0 * matrix;
    return tiles * tiles / resident * (matrix + rows * t * n * 4.0) + matrix;
}

enum { MODELS_COLUMNS = 128 };

// Least squares by Householder's QR with the largest column first: `a` holds columns of so many
// rows, at most MODELS_COLUMNS. Both are overwritten. Columns that the others explain to 1e-10 get
// the coefficient 0 and do not count in *rank. Returns the sum of squared residuals.
static inline double models_least_squares(double *a, int rows, int columns, double *y,
                                          double *coefficients, int *rank)
{
    int order[MODELS_COLUMNS];
    double first = 0.0, rss = 0.0;
    int k, c, r;
    for (c = 0; c < columns; c++) {
        order[c] = c;
        coefficients[c] = 0.0;
    }
    for (k = 0; k < columns && k < rows; k++) {
        double most = -1.0, squares = 0.0;
        int best = k, swap;
        for (c = k; c < columns; c++) {
            double sum = 0.0;
            for (r = k; r < rows; r++) sum += a[c * rows + r] * a[c * rows + r];
            if (sum > most) {
                most = sum;
                best = c;
            }
        }
        most = sqrt(most);
        if (k == 0) first = most;
        if (!(most > 1e-10 * first)) break;
        for (r = 0; r < rows; r++) {
            const double kept = a[k * rows + r];
            a[k * rows + r] = a[best * rows + r];
            a[best * rows + r] = kept;
        }
        swap = order[k];
        order[k] = order[best];
        order[best] = swap;
        {
            double *v = a + k * rows; // the reflection; its own column becomes (diagonal, 0 ...)
            const double diagonal = v[k] > 0.0 ? -most : most;
            v[k] -= diagonal;
            for (r = k; r < rows; r++) squares += v[r] * v[r];
            for (c = k + 1; c <= columns; c++) { // the last is y
                double *column = c < columns ? a + c * rows : y, dot = 0.0;
                for (r = k; r < rows; r++) dot += v[r] * column[r];
                for (r = k; r < rows; r++) column[r] -= 2.0 * dot / squares * v[r];
            }
            v[k] = diagonal;
        }
    }
    *rank = k;
    for (r = k; r < rows; r++) rss += y[r] * y[r];
    for (c = k - 1; c >= 0; c--) {
        double value = y[c];
        for (int d = c + 1; d < k; d++) value -= a[d * rows + c] * coefficients[order[d]];
        coefficients[order[c]] = value / a[c * rows + c];
    }
    return rss;
}

// The adjusted R2 of a fit with a constant: what is explained, less what chance explains with so
// many columns. -1e300 where there are too few rows to say.
static inline double models_adjusted(double r2, int rows, int rank)
{
    return rows > rank ? 1.0 - (1.0 - r2) * (rows - 1) / (rows - rank) : -1e300;
}

// The sum of squares about the mean of every stride-th number; 0 where all are alike but for
// rounding. mean may be NULL.
static inline double models_spread(const double *x, int rows, int stride, double *mean)
{
    double middle = 0.0, sum = 0.0;
    for (int r = 0; r < rows; r++) middle += x[r * stride] / rows;
    for (int r = 0; r < rows; r++) sum += (x[r * stride] - middle) * (x[r * stride] - middle);
    if (mean) *mean = middle;
    return sum > 1e-24 * rows * middle * middle ? sum : 0.0;
}

// How good predictions are, beside what was measured.
typedef struct models_score {
    double error;  // mean of |predicted - measured| / measured
    double bias;   // geometric mean of predicted / measured
    double tau;    // Kendall's rank correlation (b), 1: the same order; NaN: all are equal
    double regret; // what the best by prediction takes more than the best: what a tuner cares for;
                   // of several that are predicted to be equally fast the mean
} models_score;

static inline models_score models_score_of(const double *predicted, const double *measured,
                                           int count)
{
    models_score score = { 0.0, 0.0, 0.0, 0.0 };
    double pairs[2] = { 0.0, 0.0 }; // without ties
    double chosen = 0.0;
    int first = 0, best = 0, alike = 0;
    for (int i = 0; i < count; i++) {
        score.error += fabs(predicted[i] - measured[i]) / measured[i] / count;
        score.bias += log(predicted[i] / measured[i]) / count;
        if (predicted[i] < predicted[first]) first = i;
        if (measured[i] < measured[best]) best = i;
        for (int j = 0; j < i; j++) {
            const int p = (predicted[i] > predicted[j]) - (predicted[i] < predicted[j]);
            const int m = (measured[i] > measured[j]) - (measured[i] < measured[j]);
            pairs[0] += p != 0;
            pairs[1] += m != 0;
            score.tau += p * m;
        }
    }
    score.bias = exp(score.bias);
    score.tau /= sqrt(pairs[0] * pairs[1]);
    for (int i = 0; i < count; i++) {
        if (predicted[i] > predicted[first]) continue;
        alike++;
        chosen += (measured[i] - chosen) / alike;
    }
    score.regret = count > 0 ? chosen / measured[best] - 1.0 : 0.0;
    return score;
}

// ---------------------------------------------------------------------------------------------
// MWP-CWP (Hong, Kim 2009): how many warps' requests overlap, how many compute meanwhile
// ---------------------------------------------------------------------------------------------
// The lines of the formula are the paper's, as at least six public programs have them; the
// evaluation above counts 17 parameters and could not measure five of them any more.
// Needs: latency, bandwidth and delays of requests, occupancy, instructions of the compiled code.
// Cannot: caches (hand in the mean latency), arithmetic latency, dual or quad issue (only as a
// fraction of a cycle in `issue`), local memory's bandwidth, independent loads of one warp; its
// price of a barrier grows with the warps and exceeds all else on a GPU of 64 warps.
// Hint: none in the paper. From its cases: too few warps, too many requests, arithmetic.

typedef struct mwp_cwp_in {
    double clock;           // GHz
    double bandwidth;       // GB/s, as measured
    double latency;         // cycles of a load
    double delay_coalesced; // cycles from one warp's request to the next
    double delay_scattered; // cycles from one transaction of a scattered request to the next
    double issue;           // cycles of a warp's instruction
    double multiprocessors;
    double compute;      // instructions of a warp: all but those on global memory
    double coalesced;    // requests of a warp that are one transaction
    double scattered;    // and those that are several,
    double transactions; // so many each (read where there are some)
    double barriers;     // of a warp
    double bytes;        // that a request moves
    double group_size, groups, active_groups; // the last: on one multiprocessor
    bool corrected; // without "or computing takes longer than memory" in case 2, as all programs
                    // have it: it prices kernels that only compute as if they waited
} mwp_cwp_in;

typedef struct mwp_cwp_out {
    models_prediction prediction;
    double warps, latency, delay; // N, Mem_L, Departure_delay
    double mwp_alone, mwp_peak, mwp;
    double compute_cycles, memory_cycles, cwp_full, cwp;
    double repetitions;
    int which;                         // case 1 to 3; 0: no memory
    double execution, synchronisation; // cycles, their sum is the time
} mwp_cwp_out;

static inline mwp_cwp_out mwp_cwp(const mwp_cwp_in *in)
{
    mwp_cwp_out out;
    models_prediction *p = &out.prediction;
    double requests, scattered_latency, active, per_warp;
    memset(&out, 0, sizeof out);
    *p = models_unknown(NULL);
    if (!MODELS_POSITIVE(p, in, clock) || !MODELS_POSITIVE(p, in, multiprocessors) ||
        !MODELS_POSITIVE(p, in, issue) || !MODELS_COUNT(p, in, compute) ||
        !MODELS_COUNT(p, in, coalesced) || !MODELS_COUNT(p, in, scattered) ||
        !MODELS_COUNT(p, in, barriers) || !MODELS_POSITIVE(p, in, group_size) ||
        !MODELS_POSITIVE(p, in, groups) || !MODELS_POSITIVE(p, in, active_groups))
        return out;
    requests = in->coalesced + in->scattered;
    if (requests > 0 && (!MODELS_POSITIVE(p, in, latency) || !MODELS_POSITIVE(p, in, bandwidth) ||
                         !MODELS_POSITIVE(p, in, bytes)))
        return out;
    if ((in->coalesced > 0 && !MODELS_POSITIVE(p, in, delay_coalesced)) ||
        (in->scattered > 0 && (!MODELS_POSITIVE(p, in, delay_scattered) ||
                               !models_within(p, in->transactions, 1, "transactions"))))
        return out;
    active = fmin(in->groups, in->multiprocessors);
    out.warps = in->active_groups * ceil(in->group_size / 32.0);
    out.repetitions = in->groups / (in->active_groups * active);
    out.compute_cycles = in->issue * (in->compute + requests);
    if (requests <= 0) { // without memory there is nothing to overlap
        out.execution = out.compute_cycles * out.warps * out.repetitions;
        p->bound = "arithmetic";
        p->seconds = out.execution / (in->clock * 1e9);
        return out;
    }

    scattered_latency = in->latency;
    if (in->scattered > 0) scattered_latency += (in->transactions - 1) * in->delay_scattered;
    out.memory_cycles = scattered_latency * in->scattered + in->latency * in->coalesced;
    out.latency = out.memory_cycles / requests;
    if (in->scattered > 0)
        out.delay = in->delay_scattered * in->transactions * in->scattered / requests;
    if (in->coalesced > 0) out.delay += in->delay_coalesced * in->coalesced / requests;

    out.mwp_alone = out.latency / out.delay;
    per_warp = in->clock * in->bytes / out.latency; // GB/s of a warp that only waits
    out.mwp_peak = in->bandwidth / (per_warp * active);
    out.mwp = fmax(1.0, fmin(fmin(out.mwp_alone, out.mwp_peak), out.warps));
    out.cwp_full = (out.memory_cycles + out.compute_cycles) / out.compute_cycles;
    out.cwp = fmin(out.cwp_full, out.warps);

    {
        const double between = out.compute_cycles / requests; // cycles before each request
        const double all = 1e-9 * out.warps;
        if (fabs(out.mwp - out.warps) < all && fabs(out.cwp - out.warps) < all) {
            out.which = 1; // too few warps for either: each is waited for
            out.execution = out.memory_cycles + out.compute_cycles + between * (out.mwp - 1);
            p->bound = "latency";
        } else if (out.cwp >= out.mwp ||
                   (!in->corrected && out.compute_cycles > out.memory_cycles)) {
            out.which = 2; // requests queue
            out.execution = out.memory_cycles * out.warps / out.mwp + between * (out.mwp - 1);
            p->bound = out.mwp_peak <= out.mwp_alone ? "bandwidth" : "latency";
        } else {
            out.which = 3; // memory hides behind computing
            out.execution = out.latency + out.compute_cycles * out.warps;
            p->bound = "arithmetic";
        }
    }
    out.execution *= out.repetitions;
    out.synchronisation =
        out.delay * (out.mwp - 1) * in->barriers * in->active_groups * out.repetitions;
    if (out.synchronisation > out.execution) p->bound = "barriers";
    p->seconds = (out.execution + out.synchronisation) / (in->clock * 1e9);
    return out;
}

// MWP-CWP+ (Sim, Dasgupta, Kim, Vuduc 2012): arithmetic latency, independent instructions and a
// cache beside it. Recalled, not read: a survey agrees with most of its lines.
// Needs, beyond the above, miss ratio and independent instructions and loads of a thread.
// Cannot: several levels of cache, their bandwidths. Hint: the larger of the two times.
typedef struct mwp_cwp_plus_in {
    double clock;                 // GHz
    double multiprocessors;       // that work
    double arithmetic_latency;    // cycles, the mean
    double lanes;                 // warp size / lanes of a multiprocessor
    double memory_latency, delay; // cycles; between transactions
    double hit_latency, miss;     // of the cache; miss: 0 to 1
    double mwp_peak;              // warps whose requests the bandwidth lets overlap
    double warps;                 // on one multiprocessor
    double all_warps;
    double instructions, requests;      // of a warp
    double transactions;                // of a request
    double parallel, parallel_requests; // independent instructions, loads
    double serial;                      // cycles of barriers, divergence, conflicts, functions
} mwp_cwp_plus_in;

typedef struct mwp_cwp_plus_out {
    models_prediction prediction;
    double parallel, work, memory_latency, mean_latency, compute, memory; // ITILP, W_parallel, ...
    double cwp_full, cwp, mwp, mwp_cp, overlap_requests;                  // the last: ITMLP
    double compute_cycles, memory_cycles, overlap, cycles;
} mwp_cwp_plus_out;

static inline mwp_cwp_plus_out mwp_cwp_plus(const mwp_cwp_plus_in *in)
{
    mwp_cwp_plus_out out;
    models_prediction *p = &out.prediction;
    double most;
    memset(&out, 0, sizeof out);
    *p = models_unknown(NULL);
    if (!MODELS_POSITIVE(p, in, clock) || !MODELS_POSITIVE(p, in, multiprocessors) ||
        !MODELS_POSITIVE(p, in, arithmetic_latency) || !MODELS_POSITIVE(p, in, lanes) ||
        !MODELS_POSITIVE(p, in, memory_latency) || !MODELS_POSITIVE(p, in, delay) ||
        !MODELS_COUNT(p, in, hit_latency) || !MODELS_COUNT(p, in, miss) ||
        !MODELS_POSITIVE(p, in, mwp_peak) || !models_within(p, in->warps, 1, "warps") ||
        !MODELS_POSITIVE(p, in, all_warps) || !MODELS_POSITIVE(p, in, instructions) ||
        !MODELS_COUNT(p, in, requests) || !models_within(p, in->transactions, 1, "transactions") ||
        !models_within(p, in->parallel, 1, "parallel") ||
        !models_within(p, in->parallel_requests, 1, "parallel_requests") ||
        !MODELS_COUNT(p, in, serial))
        return out;
    most = in->arithmetic_latency / in->lanes;
    out.parallel = fmin(in->parallel * in->warps, most);
    out.work = in->instructions * in->all_warps / in->multiprocessors * in->arithmetic_latency /
               out.parallel;
    out.compute_cycles = out.work + in->serial;

    out.memory_latency = in->memory_latency + (in->transactions - 1) * in->delay;
    out.mean_latency = out.memory_latency * in->miss + in->hit_latency;
    out.compute = in->instructions * in->arithmetic_latency / out.parallel;
    out.memory = in->requests * out.mean_latency / in->parallel_requests;
    out.cwp_full = (out.memory + out.compute) / out.compute;
    out.cwp = fmin(out.cwp_full, in->warps);
    out.mwp = fmin(fmin(out.memory_latency / in->delay, in->mwp_peak), in->warps);
    out.mwp_cp = fmin(fmax(1.0, out.cwp - 1), out.mwp);
    out.overlap_requests = fmin(in->parallel_requests * out.mwp_cp, in->mwp_peak);
    out.memory_cycles = in->requests * in->all_warps /
                        (in->multiprocessors * out.overlap_requests) * out.mean_latency;

    {
        const double alone = out.cwp <= out.mwp ? 1.0 : 0.0; // the last warp's hides behind none
        const double hidden = (in->warps - alone) / in->warps;
        out.overlap = fmin(out.compute_cycles * hidden, out.memory_cycles);
    }
    out.cycles = out.compute_cycles + out.memory_cycles - out.overlap;
    p->bound = out.compute_cycles >= out.memory_cycles ? "arithmetic"
               : out.mwp >= in->mwp_peak               ? "bandwidth"
                                                       : "latency";
    p->seconds = out.cycles / (in->clock * 1e9);
    return out;
}

// ---------------------------------------------------------------------------------------------
// QRQW PRAM (Kothapalli and others 2009): cycles of a thread times threads over lanes
// ---------------------------------------------------------------------------------------------
// Needs: lanes, depth of the pipeline, two latencies; operations of a thread.
// Cannot: caches, coalescing, bandwidth; and no more than lanes x depth threads ever hide a latency
// (32 on the GPUs of 2009, 512 on those of today, where 2048 are there): expect 3 to 6 times the
// time on an H200.
// The evaluation above: 3 to 10 % off on a GTX480, 30 to 70 % too slow on a GTX Titan.
// Hint: the larger of computing and memory, and of what in it.

typedef struct qrqw_in {
    double clock;                         // Hz
    double multiprocessors, lanes, depth; // lanes of a multiprocessor; cycles of the pipeline
    double global_latency, local_latency, atomic_latency; // cycles; read where there are such
    double groups, group_warps;
    double compute, global, local, atomics; // operations of a thread
    double local_queue, atomic_queue; // kappa: the most threads at one bank, at one address; from 1
} qrqw_in;

typedef struct qrqw_out {
    models_prediction prediction;           // perfect overlap: MAX
    double sum_seconds;                     // no overlap: SUM. The truth should lie between
    double blocks, compute, memory, factor; // N_B; cycles of a thread; seconds of a cycle
} qrqw_out;

static inline qrqw_out qrqw(const qrqw_in *in)
{
    qrqw_out out;
    models_prediction *p = &out.prediction;
    double part[3];
    memset(&out, 0, sizeof out);
    *p = models_unknown(NULL);
    out.sum_seconds = NAN;
    if (!MODELS_POSITIVE(p, in, clock) || !MODELS_POSITIVE(p, in, multiprocessors) ||
        !MODELS_POSITIVE(p, in, lanes) || !MODELS_POSITIVE(p, in, depth) ||
        !MODELS_POSITIVE(p, in, groups) || !MODELS_POSITIVE(p, in, group_warps) ||
        !MODELS_COUNT(p, in, compute) || !MODELS_COUNT(p, in, global) ||
        !MODELS_COUNT(p, in, local) || !MODELS_COUNT(p, in, atomics) ||
        (in->global > 0 && !MODELS_POSITIVE(p, in, global_latency)) ||
        (in->local > 0 && (!MODELS_POSITIVE(p, in, local_latency) ||
                           !models_within(p, in->local_queue, 1, "local_queue"))) ||
        (in->atomics > 0 && (!MODELS_POSITIVE(p, in, atomic_latency) ||
                             !models_within(p, in->atomic_queue, 1, "atomic_queue"))))
        return out;
    part[0] = in->global > 0 ? in->global * in->global_latency : 0.0;
    part[1] = in->local > 0 ? in->local * in->local_latency * in->local_queue : 0.0;
    part[2] = in->atomics > 0 ? in->atomics * in->atomic_latency * in->atomic_queue : 0.0;
    out.blocks = ceil(in->groups / in->multiprocessors);
    out.compute = in->compute * in->depth;
    out.memory = part[0] + part[1] + part[2];
    out.factor = out.blocks * in->group_warps * 32.0 / (in->lanes * in->depth * in->clock);
    p->seconds = out.factor * fmax(out.compute, out.memory);
    out.sum_seconds = out.factor * (out.compute + out.memory);
    p->bound = out.compute >= out.memory                  ? "arithmetic"
               : part[0] >= part[1] && part[0] >= part[2] ? "latency"
               : part[1] >= part[2]                       ? "local memory"
                                                          : "atomics";
    return out;
}

// ---------------------------------------------------------------------------------------------
// The quantitative model (Zhang, Owens 2011): the busiest of three parts of the machine
// ---------------------------------------------------------------------------------------------
// A reconstruction, from the abstract and what others wrote of it: no equation numbers.
// Needs: instructions by class and bytes of each phase between barriers; three measured tables.
// Cannot: caches (one table of global memory), kinds of instructions that share a pipe (their times
// are added), latency beyond what the tables hold; a table measured with one load a thread says too
// little of kernels with several. The evaluation above had no tables and predicted nothing with it.
// Hint: the best of the seven: the part that binds, and how much less the next one takes.

enum { ZHANG_OWENS_CLASSES = 4 }; // fp32, integer, fp64, special functions

typedef struct zhang_owens_phase {
    double instructions[ZHANG_OWENS_CLASSES]; // of a warp
    double local;                             // accesses, times their conflicts
    double bytes;                             // of global memory, 32 a touched sector
} zhang_owens_phase;

typedef struct zhang_owens_in {
    double clock; // Hz
    double multiprocessors, groups, group_warps, active_groups;
    models_table rate[ZHANG_OWENS_CLASSES]; // warps' instructions a cycle of a multiprocessor
    models_table local_rate;                // warps' accesses a cycle of a multiprocessor
    models_table global_rate;               // bytes a cycle of a multiprocessor
    const zhang_owens_phase *phases;
    int phase_count;
} zhang_owens_in;

typedef struct zhang_owens_out {
    models_prediction prediction;
    double seconds[3]; // arithmetic, local memory, global memory: sums of the phases
    double second;     // without what binds it cannot be faster than this,
    double gain;       // a speed-up of at most so much; of 1.05 or less: two bind
} zhang_owens_out;

static inline zhang_owens_out zhang_owens(const zhang_owens_in *in)
{
    static const char *const names[3] = { "arithmetic", "local memory", "bandwidth" };
    static const char *const works[3] = { "instructions", "local", "bytes" };
    static const char *const rates[3] = { "rate", "local_rate", "global_rate" };
    zhang_owens_out out;
    models_prediction *p = &out.prediction;
    double warps, each, serial = 0.0;
    int most = 0;
    memset(&out, 0, sizeof out);
    *p = models_unknown(NULL);
    out.second = out.gain = NAN;
    if (!MODELS_POSITIVE(p, in, clock) || !MODELS_POSITIVE(p, in, multiprocessors) ||
        !MODELS_POSITIVE(p, in, groups) || !MODELS_POSITIVE(p, in, group_warps) ||
        !MODELS_POSITIVE(p, in, active_groups))
        return out;
    warps = in->active_groups * in->group_warps;
    each = in->groups * in->group_warps / (fmin(in->multiprocessors, in->groups) * in->clock);
    for (int i = 0; i < in->phase_count; i++) {
        const zhang_owens_phase *phase = &in->phases[i];
        double part[3] = { 0.0, 0.0, 0.0 };
        for (int c = 0; c < ZHANG_OWENS_CLASSES + 2; c++) {
            const int to = c < ZHANG_OWENS_CLASSES ? 0 : c - ZHANG_OWENS_CLASSES + 1;
            const double work = to == 0   ? phase->instructions[c]
                                : to == 1 ? phase->local
                                          : phase->bytes;
            const models_table *table = to == 0   ? &in->rate[c]
                                        : to == 1 ? &in->local_rate
                                                  : &in->global_rate;
            double rate;
            if (!models_within(p, work, 0, works[to])) return out;
            if (work <= 0) continue;
            rate = models_rate(table, warps);
            if (!models_within(p, rate, 1e-18, rates[to])) return out;
            part[to] += each * work / rate;
        }
        serial += fmax(part[0], fmax(part[1], part[2]));
        for (int k = 0; k < 3; k++) out.seconds[k] += part[k];
    }
    for (int k = 1; k < 3; k++)
        if (out.seconds[k] > out.seconds[most]) most = k;
    if (!(out.seconds[most] > 0)) {
        *p = models_unknown("phases");
        return out;
    }
    // One group a multiprocessor cannot fill its own phases; several fill each other's.
    p->seconds = in->active_groups <= 1 ? serial : out.seconds[most];
    p->bound = names[most];
    out.second = fmax(out.seconds[(most + 1) % 3], out.seconds[(most + 2) % 3]);
    if (out.second > 0) out.gain = p->seconds / out.second;
    return out;
}

// ---------------------------------------------------------------------------------------------
// The work-flow graph (Baghsorkhi and others 2010): issue cycles of nodes, latency left on arcs
// ---------------------------------------------------------------------------------------------
// Equation 4 is the paper's, as the evaluation above quotes it; all else is a reconstruction, for
// the compiler that builds the graph was never published.
// Needs: every instruction with its executions and conflicts, how far a load is from its use.
// Cannot: caches (hand in latency and bytes a cycle as they are behind them), several loads of a
// warp in flight. The evaluation above: latencies "do not always agree" for small matrices.
// Hint: the part that binds, and the cost of every node.

typedef struct wfg_node {
    double executions; // of a warp
    double lanes;      // that execute it, of a multiprocessor
    double degree;     // served so often: bank conflicts, ways of a branch; from 1
    double bytes;      // of global memory; 0: it is no access to it
} wfg_node;

typedef struct wfg_in {
    double clock; // Hz
    double multiprocessors;
    double latency, bytes_a_cycle; // of global memory; the latter of one multiprocessor
    double lanes;                  // that serve loads and stores
    double pipeline;               // cycles until a result can be used
    double barrier;                // cycles of one
    double groups, group_warps, active_groups;
    double slack;     // cycles from a load to its first use
    double dependent; // instructions of a warp that wait for the one before
    double barriers;  // of a warp
    const wfg_node *nodes;
    int node_count;
} wfg_in;

typedef struct wfg_out { // cycles; of a round of groups that fill the multiprocessors
    models_prediction prediction;
    double compute, memory, requests; // of a warp: CYC_compute, CYC_mem, NUM_mem
    double bandwidth_latency;         // equation 4: Latency_BW
    double exposed;                   // a request's latency that nothing hides
    double by_bandwidth, by_latency, pipe, synchronisation, round;
} wfg_out;

static inline void wfg_round(const wfg_in *in, double active_groups, wfg_out *out)
{
    const double warps = active_groups * in->group_warps, issue = 32.0 / in->lanes;
    out->by_bandwidth = out->by_latency = 0.0;
    out->bandwidth_latency = out->exposed = 0.0;
    if (out->requests > 0) {
        const double between = out->compute / out->requests;
        out->bandwidth_latency = fmax(0.0, out->memory / out->requests - between) + issue; // eq. 4
        out->exposed = issue + fmax(0.0, in->latency - (warps - 1) * (between + issue) - in->slack);
        out->by_bandwidth = warps * out->requests * out->bandwidth_latency;
        out->by_latency = out->requests * (out->exposed + (warps - 1) * issue);
    }
    out->pipe = fmax(0.0, in->pipeline - warps * issue) * in->dependent;
    out->synchronisation = in->barriers * in->barrier * active_groups;
    out->round = warps * out->compute + fmax(out->by_bandwidth, out->by_latency) + out->pipe +
                 out->synchronisation;
}

static inline wfg_out wfg(const wfg_in *in)
{
    wfg_out out, tail;
    models_prediction *p = &out.prediction;
    double slots, rest, cycles, most;
    memset(&out, 0, sizeof out);
    *p = models_unknown(NULL);
    if (!MODELS_POSITIVE(p, in, clock) || !MODELS_POSITIVE(p, in, multiprocessors) ||
        !MODELS_POSITIVE(p, in, lanes) || !MODELS_COUNT(p, in, pipeline) ||
        !MODELS_COUNT(p, in, barrier) || !MODELS_POSITIVE(p, in, groups) ||
        !MODELS_POSITIVE(p, in, group_warps) || !MODELS_POSITIVE(p, in, active_groups) ||
        !MODELS_COUNT(p, in, slack) || !MODELS_COUNT(p, in, dependent) ||
        !MODELS_COUNT(p, in, barriers))
        return out;
    for (int i = 0; i < in->node_count; i++) {
        const wfg_node *node = &in->nodes[i];
        if (!MODELS_COUNT(p, node, executions) || !MODELS_POSITIVE(p, node, lanes) ||
            !models_within(p, node->degree, 1, "degree") || !MODELS_COUNT(p, node, bytes))
            return out;
        if (node->bytes > 0) {
            if (!MODELS_POSITIVE(p, in, latency) || !MODELS_POSITIVE(p, in, bytes_a_cycle))
                return out;
            out.requests += node->executions;
            out.memory += node->executions * node->bytes / in->bytes_a_cycle;
        } else {
            out.compute += node->executions * 32.0 / node->lanes * node->degree;
        }
    }
    slots = in->active_groups * in->multiprocessors;
    rest = fmod(in->groups, slots);
    tail = out;
    wfg_round(in, in->active_groups, &out);
    cycles = (in->groups - rest) / slots * out.round;
    if (rest > 0) { // the last round has fewer groups
        wfg_round(in, ceil(rest / in->multiprocessors), &tail);
        if (!(cycles > 0)) out = tail; // there is no other
        cycles += tail.round;
    }
    most = out.round - fmax(out.by_bandwidth, out.by_latency) - out.pipe - out.synchronisation;
    p->bound = "arithmetic"; // issuing everything
    if (out.by_bandwidth >= out.by_latency && out.by_bandwidth > most &&
        out.bandwidth_latency > 32.0 / in->lanes) {
        p->bound = "bandwidth";
        most = out.by_bandwidth;
    } else if (out.by_latency > most && out.exposed > 32.0 / in->lanes) {
        p->bound = "latency";
        most = out.by_latency;
    }
    if (out.pipe > most) p->bound = "pipeline";
    if (out.synchronisation > fmax(most, out.pipe)) p->bound = "barriers";
    p->seconds = cycles / in->clock;
    return out;
}

// ---------------------------------------------------------------------------------------------
// PMAC (Carrington and others 2011): bytes of each idiom over the idiom's measured bandwidth
// ---------------------------------------------------------------------------------------------
// Equations (1) and (2) are those of the evaluation above.
// Needs: references and their sizes; bandwidths of stream, gather, scatter, stencil, reduction,
// transpose by size, of kernels other than the one that is asked for.
// Cannot: anything but memory; what a kernel reads again from a cache counts like all else, unless
// the bandwidth handed in is the cache's. It was made to ask whether a port is worth its while.
// Hint: none.

typedef struct pmac_block {
    double references, size; // bytes each
    double bandwidth;        // bytes a second, of this block's idiom at its footprint
} pmac_block;

// Equation (1). *slowest, if not NULL: the block that takes longest.
static inline models_prediction pmac(const pmac_block *blocks, int count, int *slowest)
{
    models_prediction p = models_unknown(count > 0 ? NULL : "blocks");
    double seconds = 0.0, longest = -1.0;
    for (int i = 0; i < count; i++) {
        double here;
        if (!MODELS_COUNT(&p, &blocks[i], references) || !MODELS_COUNT(&p, &blocks[i], size) ||
            !MODELS_POSITIVE(&p, &blocks[i], bandwidth))
            return p;
        here = blocks[i].references * blocks[i].size / blocks[i].bandwidth;
        if (slowest && here > longest) *slowest = i;
        longest = fmax(longest, here);
        seconds += here;
    }
    if (count > 0) p.seconds = seconds;
    return p;
}

enum { PMAC_POINTS = 64, PMAC_TERMS = 6 };

// Equation (2): a constant and terms c * max(0, s - knot) with side 1, c * max(0, knot - s) with
// side -1.
typedef struct pmac_curve {
    double constant;
    struct {
        double knot, coefficient;
        int side;
    } term[PMAC_TERMS];
    int terms;
    double rss, gcv; // of the fit: squared residuals, generalised cross-validation; the less
} pmac_curve;

static inline double pmac_term(const pmac_curve *curve, int term, double s)
{
    return fmax(0.0, curve->term[term].side * (s - curve->term[term].knot));
}

static inline double pmac_bandwidth(const pmac_curve *curve, double s)
{
    double sum = curve->constant;
    for (int i = 0; i < curve->terms; i++)
        sum += curve->term[i].coefficient * pmac_term(curve, i, s);
    return sum;
}

// The coefficients for the terms that are there. A term costs as much as 2.5 coefficients: its knot
// was chosen, too (the penalty 3 of Eiger's MARS).
static inline void pmac_solve(pmac_curve *curve, const double *s, const double *y, int count)
{
    double a[PMAC_POINTS * (PMAC_TERMS + 1)], b[PMAC_POINTS], c[PMAC_TERMS + 1];
    const double cost = (curve->terms + 1) + 1.5 * curve->terms;
    int rank;
    for (int i = 0; i < count; i++) {
        a[i] = 1.0;
        b[i] = y[i];
        for (int t = 0; t < curve->terms; t++) a[(t + 1) * count + i] = pmac_term(curve, t, s[i]);
    }
    curve->rss = models_least_squares(a, count, curve->terms + 1, b, c, &rank);
    curve->constant = c[0];
    for (int t = 0; t < curve->terms; t++) curve->term[t].coefficient = c[t + 1];
    curve->gcv = 1e300;
    if (cost < count) {
        const double free_part = 1.0 - cost / count;
        curve->gcv = curve->rss / count / (free_part * free_part);
    }
}

static inline void pmac_add(pmac_curve *curve, double knot, int side)
{
    curve->term[curve->terms].knot = knot;
    curve->term[curve->terms++].side = side;
}

// Fits a curve to bandwidths at sizes that ascend: up to three knots, each where it helps most, the
// first as a mirrored pair (a second pair adds nothing that one of its terms has not), as long as
// the gcv falls; then terms are dropped one by one, and of all these curves the one with the least
// gcv stays.
static inline bool pmac_fit(const double *s, const double *y, int count, pmac_curve *best)
{
    pmac_curve now;
    memset(&now, 0, sizeof now);
    *best = now;
    if (count < 1 || count > PMAC_POINTS) return false;
    for (int i = 0; i < count; i++)
        if (!(fabs(s[i]) <= 1e18) || !(fabs(y[i]) <= 1e18)) return false;
    pmac_solve(best, s, y, count);
    for (int knots = 0; knots < 3; knots++) {
        now = *best;
        for (int i = 1; i < count - 1; i++) {
            pmac_curve with = now;
            pmac_add(&with, s[i], 1);
            if (knots == 0) pmac_add(&with, s[i], -1);
            pmac_solve(&with, s, y, count);
            if (with.gcv < best->gcv) *best = with;
        }
    }
    now = *best;
    while (now.terms > 0) {
        pmac_curve next;
        next.terms = -1;
        for (int t = 0; t < now.terms; t++) {
            pmac_curve without = now;
            without.term[t] = without.term[--without.terms];
            pmac_solve(&without, s, y, count);
            if (next.terms < 0 || without.gcv < next.gcv) next = without;
        }
        now = next;
        if (now.gcv < best->gcv) *best = now;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// Eiger (Kerr, Anger, Hendry, Yalamanchili 2012): principal components, then a formula of them
// ---------------------------------------------------------------------------------------------
// As the paper and its authors' code have it (by default they use one cluster, too), without that
// code's mistakes: varimax turns the components that are kept, not all of them, until nothing
// is gained, and predictions use the means of the training.
// Needs: at least some 30 trials with metrics of kernel and machine and their times.
// Cannot: anything far from its trials; the formula has no physics. The paper: 29 % off for a
// kernel that was kept back.
// Hint: metrics behind the first component of the formula, and which way they work.

enum { EIGER_METRICS = 24, EIGER_TERMS = 12 };
enum { EIGER_POWERS = 7, EIGER_PRODUCT = EIGER_POWERS, EIGER_QUOTIENT };

typedef struct eiger_term {
    int function; // a power of component a: 0 to 6 for ^-2 ^-1 ^-1/2 log2 ^1/2 ^1 ^2; PRODUCT,
                  // QUOTIENT: of components a and b
    int a, b;
    double coefficient;
} eiger_term;

typedef struct eiger_model {
    const char *missing; // as everywhere; NULL: the model can predict
    int metrics, components, terms;
    double mean[EIGER_METRICS], deviation[EIGER_METRICS];
    bool constant_metric[EIGER_METRICS]; // all trials have the same
    double eigenvalue[EIGER_METRICS]; // descending
    double loading[EIGER_METRICS][EIGER_METRICS], rotated[EIGER_METRICS][EIGER_METRICS];
    double weight[EIGER_METRICS][EIGER_METRICS]; // metric, component: scores of standard metrics
    double least[EIGER_METRICS], most[EIGER_METRICS]; // a component's scores in the training
    double constant, r2, adjusted;
    double next;    // what the best function left would have added to the adjusted R2
    double fastest; // of the training
    eiger_term term[EIGER_TERMS];
} eiger_model;

// Eigenvalues, descending, and vectors (columns) of a symmetric matrix, by Jacobi's rotations. The
// largest entry of each vector is positive.
static inline void eiger_eigen(double a[EIGER_METRICS][EIGER_METRICS], int n, double *values,
                               double vectors[EIGER_METRICS][EIGER_METRICS])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) vectors[i][j] = i == j;
    for (int sweep = 0; sweep < 60; sweep++)
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double angle = 0.5 * atan2(2.0 * a[p][q], a[q][q] - a[p][p]);
                const double c = cos(angle), s = sin(angle);
                for (int k = 0; k < n; k++) {
                    const double x = a[k][p], y = a[k][q], u = vectors[k][p], v = vectors[k][q];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                    vectors[k][p] = c * u - s * v;
                    vectors[k][q] = s * u + c * v;
                }
                for (int k = 0; k < n; k++) {
                    const double x = a[p][k], y = a[q][k];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                }
            }
    for (int i = 0; i < n; i++) {
        int most = i;
        double largest = 0.0;
        for (int j = i + 1; j < n; j++)
            if (a[j][j] > a[most][most]) most = j;
        values[i] = a[most][most];
        a[most][most] = a[i][i];
        for (int k = 0; k < n; k++) {
            const double kept = vectors[k][i];
            vectors[k][i] = vectors[k][most];
            vectors[k][most] = kept;
            if (fabs(vectors[k][i]) > fabs(largest)) largest = vectors[k][i];
        }
        for (int k = 0; k < n && largest < 0; k++) vectors[k][i] = -vectors[k][i];
    }
}

// What varimax makes large: the variance of squared loadings, summed over the components.
static inline double eiger_criterion(double loading[EIGER_METRICS][EIGER_METRICS], int n, int p)
{
    double sum = 0.0;
    for (int j = 0; j < p; j++) {
        double fourth = 0.0, second = 0.0;
        for (int i = 0; i < n; i++) {
            const double square = loading[i][j] * loading[i][j];
            fourth += square * square / n;
            second += square / n;
        }
        sum += fourth - second * second;
    }
    return sum;
}

// Turns pairs of components so that each metric belongs to few; the weights along with them.
// Returns the sweeps that it took.
static inline int eiger_varimax(double loading[EIGER_METRICS][EIGER_METRICS],
                                double weight[EIGER_METRICS][EIGER_METRICS], int n, int p)
{
    int sweep = 0;
    double before, now = eiger_criterion(loading, n, p);
    do {
        before = now;
        for (int a = 0; a < p; a++)
            for (int b = a + 1; b < p; b++) {
                double re = 0.0, im = 0.0, mean_re = 0.0, mean_im = 0.0, phi;
                for (int i = 0; i < n; i++) { // z = (x + iy)^2: mean z^2 - (mean z)^2
                    const double x = loading[i][a], y = loading[i][b];
                    const double zr = x * x - y * y, zi = 2.0 * x * y;
                    re += (zr * zr - zi * zi) / n;
                    im += 2.0 * zr * zi / n;
                    mean_re += zr / n;
                    mean_im += zi / n;
                }
                re -= mean_re * mean_re - mean_im * mean_im;
                im -= 2.0 * mean_re * mean_im;
                phi = atan2(im, re) / 4.0;
                for (int i = 0; i < n; i++) {
                    const double c = cos(phi), s = sin(phi);
                    const double x = loading[i][a], y = loading[i][b];
                    const double u = weight[i][a], v = weight[i][b];
                    loading[i][a] = x * c + y * s;
                    loading[i][b] = y * c - x * s;
                    weight[i][a] = u * c + v * s;
                    weight[i][b] = v * c - u * s;
                }
            }
        now = eiger_criterion(loading, n, p);
        sweep++;
    } while (sweep < 100 && now - before >= 1e-10 * fabs(before));
    return sweep;
}

static inline double eiger_score(const eiger_model *m, const double *x, int component)
{
    double sum = 0.0;
    for (int j = 0; j < m->metrics; j++)
        sum += (x[j] - m->mean[j]) / m->deviation[j] * m->weight[j][component];
    return sum;
}

static inline double eiger_value(const eiger_term *term, const double *u)
{
    const double x = u[term->a];
    switch (term->function) {
    case 0:
        return 1.0 / (x * x);
    case 1:
        return 1.0 / x;
    case 2:
        return 1.0 / sqrt(x);
    case 3:
        return log2(x);
    case 4:
        return sqrt(x);
    case 5:
        return x;
    case 6:
        return x * x;
    case EIGER_PRODUCT:
        return x * u[term->b];
    default:
        return x / u[term->b];
    }
}

// Scores from 1 on: the functions want positive ones. Outside the training they are at least 0.001.
static inline void eiger_inputs(const eiger_model *m, const double *x, double *u)
{
    for (int c = 0; c < m->components; c++)
        u[c] = fmax(1e-3, eiger_score(m, x, c) - m->least[c] + 1.0);
}

// What the formula says of metrics; NaN where there is no model.
static inline double eiger_formula(const eiger_model *m, const double *x)
{
    double u[EIGER_METRICS], sum = m->constant;
    if (m->missing) return NAN;
    for (int j = 0; j < m->metrics; j++)
        if (!(fabs(x[j]) <= 1e18)) return NAN;
    eiger_inputs(m, x, u);
    for (int t = 0; t < m->terms; t++) sum += m->term[t].coefficient * eiger_value(&m->term[t], u);
    return sum;
}

// Seconds for metrics; NaN where there is no model. At least a tenth of the fastest trial.
static inline double eiger_predict(const eiger_model *m, const double *x)
{
    const double value = eiger_formula(m, x);
    return models_is_nan(value) ? NAN : fmax(value, m->fastest / 10.0);
}

// The same of a model that has learned log2 of times, a tenth being one of the times themselves.
static inline double eiger_predict_log2(const eiger_model *m, const double *x)
{
    const double value = eiger_formula(m, x);
    return models_is_nan(value) ? NAN : fmax(exp2(value), exp2(m->fastest) / 10.0);
}

// How far outside of its trials a metric is, in their standard deviations, the farthest; where it
// had one value there, any other is infinitely far.
static inline double eiger_distance(const eiger_model *m, const double *x)
{
    double most = 0.0;
    for (int j = 0; j < m->metrics; j++) {
        const double z = fabs(x[j] - m->mean[j]) / m->deviation[j];
        if (!(fabs(x[j]) <= 1e18)) return INFINITY;
        if (m->constant_metric[j]) {
            if (fabs(x[j] - m->mean[j]) > 1e-9 * fabs(m->mean[j])) return INFINITY;
        } else {
            most = fmax(most, z);
        }
    }
    return most;
}

// Whether it would be extrapolating: beyond 4 standard deviations of its trials, or with a score
// half a deviation beyond theirs, where powers and quotients run off.
static inline bool eiger_outside(const eiger_model *m, const double *x)
{
    if (m->missing) return false;
    if (eiger_distance(m, x) > 4.0) return true;
    for (int c = 0; c < m->components; c++) {
        const double score = eiger_score(m, x, c);
        if (!(score >= m->least[c] - 0.5 && score <= m->most[c] + 0.5)) return true;
    }
    return false;
}

// Components of the trials' metrics that together hold such a share of the variance.
static inline void eiger_components(eiger_model *m, const double *x, int rows, double share)
{
    double matrix[EIGER_METRICS][EIGER_METRICS], vectors[EIGER_METRICS][EIGER_METRICS];
    const int n = m->metrics;
    double total = 0.0, sum = 0.0;
    for (int j = 0; j < n; j++) {
        const double squares = models_spread(x + j, rows, n, &m->mean[j]);
        m->deviation[j] = squares > 0 ? sqrt(squares / (rows - 1)) : 1.0;
        m->constant_metric[j] = !(squares > 0);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            matrix[i][j] = 0.0;
            for (int r = 0; r < rows; r++)
                matrix[i][j] += (x[r * n + i] - m->mean[i]) / m->deviation[i] *
                                (x[r * n + j] - m->mean[j]) / m->deviation[j] / (rows - 1);
        }
    eiger_eigen(matrix, n, m->eigenvalue, vectors);
    for (int j = 0; j < n; j++) total += m->eigenvalue[j];
    while (m->components < n && m->eigenvalue[m->components] > 1e-12 &&
           (m->components == 0 || sum < share * total))
        sum += m->eigenvalue[m->components++];
    for (int i = 0; i < n; i++)
        for (int c = 0; c < m->components; c++) {
            m->loading[i][c] = m->rotated[i][c] = vectors[i][c] * sqrt(m->eigenvalue[c]);
            m->weight[i][c] = vectors[i][c] / sqrt(m->eigenvalue[c]);
        }
    eiger_varimax(m->rotated, m->weight, n, m->components);
    for (int c = 0; c < m->components; c++) {
        m->least[c] = 1e300;
        m->most[c] = -1e300;
        for (int r = 0; r < rows; r++) {
            const double score = eiger_score(m, x + r * n, c);
            m->least[c] = fmin(m->least[c], score);
            m->most[c] = fmax(m->most[c], score);
        }
    }
}

// Fits the model's terms and one more; the adjusted R2. memory: rows * (EIGER_TERMS + 2) numbers
static inline double eiger_solve(eiger_model *m, const double *u, const double *y, int rows,
                                 double *memory)
{
    double c[EIGER_TERMS + 1], *b = memory + (size_t)rows * (EIGER_TERMS + 1);
    int rank;
    for (int r = 0; r < rows; r++) {
        memory[r] = 1.0;
        b[r] = y[r];
        for (int t = 0; t < m->terms; t++)
            memory[(t + 1) * rows + r] = eiger_value(&m->term[t], u + r * m->components);
    }
    m->r2 = 1.0 - models_least_squares(memory, rows, m->terms + 1, b, c, &rank) /
                      models_spread(y, rows, 1, NULL);
    m->constant = c[0];
    for (int t = 0; t < m->terms; t++) m->term[t].coefficient = c[t + 1];
    return m->adjusted = models_adjusted(m->r2, rows, rank);
}

// Terms are added, the one that explains most first, as long as the adjusted R2 gains more than
// `gain`.
static inline void eiger_select(eiger_model *m, const double *u, const double *y, int rows,
                                double gain, double *memory)
{
    const int n = m->components;
    eiger_solve(m, u, y, rows, memory);
    while (m->terms < EIGER_TERMS) {
        eiger_model best = *m, with;
        for (int f = 0; f <= EIGER_QUOTIENT; f++)
            for (int a = 0; a < n; a++)
                for (int b = 0; b < n; b++) {
                    const bool pair = f >= EIGER_PRODUCT;
                    if (pair ? a == b || (f == EIGER_PRODUCT && b < a) : b > 0) continue;
                    with = *m;
                    with.term[with.terms].function = f;
                    with.term[with.terms].a = a;
                    with.term[with.terms++].b = b;
                    if (eiger_solve(&with, u, y, rows, memory) > best.adjusted) best = with;
                }
        m->next = best.adjusted - m->adjusted;
        if (!(m->next > gain)) return;
        best.next = m->next;
        *m = best;
    }
}

// Learns from rows of metrics (x: rows times metrics) and their seconds. share: of the variance
// that the components hold, 0: 0.9. gain: in adjusted R2 that a term has to bring, 0: 0.001, the
// paper has 0.01.
static inline eiger_model eiger_fit(const double *x, const double *y, int rows, int metrics,
                                    double share, double gain)
{
    eiger_model m;
    double *u, *memory;
    memset(&m, 0, sizeof m);
    if (metrics < 1 || metrics > EIGER_METRICS)
        m.missing = "metrics";
    else if (rows < 3 || rows > 1000000)
        m.missing = "rows";
    for (int i = 0; !m.missing && i < rows * metrics; i++)
        if (!(fabs(x[i]) <= 1e18)) m.missing = "x";
    for (int i = 0; !m.missing && i < rows; i++)
        if (!(y[i] > 0 && y[i] <= 1e18)) m.missing = "y";
    if (m.missing) return m;
    m.metrics = metrics;
    u = (double *)malloc((size_t)rows * (EIGER_METRICS + EIGER_TERMS + 2) * sizeof *u);
    if (!u) {
        m.missing = "memory";
        return m;
    }
    memory = u + (size_t)rows * EIGER_METRICS;
    eiger_components(&m, x, rows, share > 0 ? share : 0.9);
    m.fastest = y[0];
    for (int r = 0; r < rows; r++) {
        eiger_inputs(&m, x + r * metrics, u + r * m.components);
        m.fastest = fmin(m.fastest, y[r]);
    }
    if (m.components == 0)
        m.missing = "x"; // all rows are alike
    else if (!(models_spread(y, rows, 1, NULL) > 0))
        m.missing = "y";
    else
        eiger_select(&m, u, y, rows, gain > 0 ? gain : 0.001, memory);
    free(u);
    return m;
}

// Eiger's clusters: trials with like scores have a formula of their own; k-means finds them.

enum { EIGER_CLUSTERS = 8 };

typedef struct eiger_mixture {
    const char *missing;
    int clusters;
    double centre[EIGER_CLUSTERS][EIGER_METRICS]; // scores
    eiger_model model[EIGER_CLUSTERS];            // with the same components
} eiger_mixture;

static inline double eiger_apart(const double *a, const double *b, int columns)
{
    double sum = 0.0;
    for (int c = 0; c < columns; c++) sum += (a[c] - b[c]) * (a[c] - b[c]);
    return sum;
}

// The centre that is nearest to a point, of so many that are EIGER_METRICS numbers each; *apart, if
// not NULL: the square of how far it is.
static inline int eiger_nearest(const double *centres, int count, const double *point, int columns,
                                double *apart)
{
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < count; k++) {
        const double here = eiger_apart(centres + k * EIGER_METRICS, point, columns);
        if (here < least) {
            least = here;
            best = k;
        }
    }
    if (apart) *apart = least;
    return best;
}

// 0 up to 1, from a generator of the seed's own (xorshift64*).
static inline double eiger_draw(uint64_t *random)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    return (double)((*random * 0x2545F4914F6CDD1Du) >> 11) / 9007199254740992.0; // 2^53
}

// k-means: centres that are the means of the points nearest to them, begun with points drawn by the
// squares of how far they are from those drawn before (k-means++). Points are rows of numbers;
// cluster, one a row, says to which each belongs. Returns the sum of squares about the centres.
// clusters: 1 to EIGER_CLUSTERS, not more than rows.
static inline double eiger_means(const double *points, int rows, int columns, int clusters,
                                 uint64_t seed, double *centres, int *cluster)
{
    uint64_t random = seed * 0x9E3779B97F4A7C15u + 1;
    double sum = 0.0, apart;
    bool changed = true;
    for (int k = 0; k < clusters; k++) {
        int chosen = (int)(eiger_draw(&random) * rows);
        double all = 0.0, drawn;
        for (int r = 0; r < rows && k > 0; r++) {
            eiger_nearest(centres, k, points + r * columns, columns, &apart);
            all += apart;
        }
        drawn = eiger_draw(&random) * all;
        for (int r = 0; r < rows && all > 0; r++) {
            eiger_nearest(centres, k, points + r * columns, columns, &apart);
            if (apart > 0) chosen = r;
            drawn -= apart;
            if (drawn < 0) break;
        }
        for (int c = 0; c < columns; c++)
            centres[k * EIGER_METRICS + c] = points[chosen * columns + c];
    }
    for (int r = 0; r < rows; r++) cluster[r] = -1;
    for (int round = 0; round < 100 && changed; round++) {
        changed = false;
        sum = 0.0;
        for (int r = 0; r < rows; r++) {
            const int nearest =
                eiger_nearest(centres, clusters, points + r * columns, columns, &apart);
            changed = changed || nearest != cluster[r];
            cluster[r] = nearest;
            sum += apart;
        }
        for (int k = 0; k < clusters && changed; k++) {
            double mean[EIGER_METRICS] = { 0.0 };
            int count = 0;
            for (int r = 0; r < rows; r++) {
                if (cluster[r] != k) continue;
                count++;
                for (int c = 0; c < columns; c++)
                    mean[c] += (points[r * columns + c] - mean[c]) / count;
            }
            for (int c = 0; c < columns && count > 0; c++) // else it stays
                centres[k * EIGER_METRICS + c] = mean[c];
        }
    }
    return sum;
}

// As eiger_fit with so many clusters. A cluster whose trials all take the same has that as its
// formula; one without trials is never the nearest to one of them.
static inline void eiger_fit_clusters(const double *x, const double *y, int rows, int metrics,
                                      double share, double gain, int clusters, uint64_t seed,
                                      eiger_mixture *m)
{
    const eiger_model whole = eiger_fit(x, y, rows, metrics, share, gain);
    double *scores, *u, *of, *memory;
    int *cluster;
    memset(m, 0, sizeof *m);
    m->missing = whole.missing;
    if (!m->missing && (clusters < 1 || clusters > EIGER_CLUSTERS || clusters > rows))
        m->missing = "clusters";
    if (m->missing) return;
    m->clusters = clusters;
    scores =
        (double *)malloc((size_t)rows * (2 * EIGER_METRICS + EIGER_TERMS + 3) * sizeof *scores);
    cluster = (int *)malloc((size_t)rows * sizeof *cluster);
    if (scores && cluster) {
        u = scores + (size_t)rows * EIGER_METRICS;
        of = u + (size_t)rows * EIGER_METRICS;
        memory = of + rows;
        for (int r = 0; r < rows; r++)
            for (int c = 0; c < whole.components; c++)
                scores[r * whole.components + c] = eiger_score(&whole, x + r * metrics, c);
        eiger_means(scores, rows, whole.components, clusters, seed, &m->centre[0][0], cluster);
        for (int k = 0; k < clusters; k++) {
            eiger_model *model = &m->model[k];
            int count = 0;
            *model = whole;
            for (int r = 0; r < rows; r++) {
                if (cluster[r] != k) continue;
                eiger_inputs(&whole, x + r * metrics, u + count * whole.components);
                of[count++] = y[r];
            }
            if (count == 0) continue; // the formula of all
            model->terms = 0;
            model->fastest = of[0];
            for (int r = 1; r < count; r++) model->fastest = fmin(model->fastest, of[r]);
            if (count > 2 && models_spread(of, count, 1, NULL) > 0)
                eiger_select(model, u, of, count, gain > 0 ? gain : 0.001, memory);
            else
                models_spread(of, count, 1, &model->constant); // their mean
        }
    } else {
        m->missing = "memory";
    }
    free(scores);
    free(cluster);
}

// The model of the cluster that is nearest; metrics that are no numbers are no model's.
static inline const eiger_model *eiger_cluster(const eiger_mixture *m, const double *x)
{
    double scores[EIGER_METRICS];
    for (int c = 0; c < m->model[0].components; c++) scores[c] = eiger_score(&m->model[0], x, c);
    return &m->model[eiger_nearest(&m->centre[0][0], m->clusters, scores, m->model[0].components,
                                   NULL)];
}

// By its formula.
static inline double eiger_predict_clusters(const eiger_mixture *m, const double *x)
{
    return m->missing ? NAN : eiger_predict(eiger_cluster(m, x), x);
}

static inline double eiger_predict_clusters_log2(const eiger_mixture *m, const double *x)
{
    return m->missing ? NAN : eiger_predict_log2(eiger_cluster(m, x), x);
}

// The formula: "1.5 + 2 u0 - 0.3 u1^-2 + 0.1 u0*u1", u being the components' scores from 1 on.
static inline const char *eiger_text(const eiger_model *m, char *text, size_t size)
{
    static const char *const power[EIGER_POWERS] = { "^-2", "^-1", "^-0.5", "", "^0.5", "", "^2" };
    int used = snprintf(text, size, "%.4g", m->constant);
    for (int t = 0; t < m->terms && used >= 0 && (size_t)used < size; t++) {
        const eiger_term *term = &m->term[t];
        char *to = text + used;
        const size_t left = size - (size_t)used;
        const char sign = term->coefficient < 0 ? '-' : '+';
        const double c = fabs(term->coefficient);
        if (term->function >= EIGER_PRODUCT)
            used += snprintf(to, left, " %c %.4g u%d%cu%d", sign, c, term->a,
                             term->function == EIGER_PRODUCT ? '*' : '/', term->b);
        else
            used += snprintf(to, left, " %c %.4g %su%d%s", sign, c,
                             term->function == 3 ? "log2 " : "", term->a, power[term->function]);
    }
    return text;
}

// ---------------------------------------------------------------------------------------------
// Stargazer (Jia, Shaw, Martonosi 2012): splines of parameters, the most telling ones first
// ---------------------------------------------------------------------------------------------
// As its authors' released program has it, but that candidates with more columns than rows are
// rejected. Theirs explores a GPU's own design in a simulator; here it is handed measured times of
// a tuning space.
// Needs: at least 30 configurations drawn at random and their times. Choices without an order: a
// column of 0 and 1 for each.
// Cannot: say why; conflicts and divergence are there only if a column tells of them. The
// evaluation above: times of a simulator are orders of magnitude beside the hardware's.
// Hint: the order of the terms and what each explains: the first parameter matters most.

enum { STARGAZER_PARAMS = 16, STARGAZER_TERMS = 32, STARGAZER_KNOTS = 5 };

typedef struct stargazer_param {
    double knot[STARGAZER_KNOTS]; // ascending
    int knots;                    // 0: one straight column
    double low, range;            // columns are of (x - low) / range
} stargazer_param;

typedef struct stargazer_term {
    int a, b;            // parameters whose columns are multiplied; b -1: a's alone
    double r2, adjusted; // of the model that ends with it
} stargazer_term;

typedef struct stargazer_model {
    const char *missing; // NULL: the model can predict
    int params, terms;
    stargazer_param param[STARGAZER_PARAMS];
    stargazer_term term[STARGAZER_TERMS];
    double coefficient[MODELS_COLUMNS];
    double rss, aic, r2, adjusted;
    double least, most; // of the times in the training
    int columns;        // that are not explained by others, with the constant
} stargazer_model;

// Knots: the least and the largest value and up to three between them, as far from each other in
// numbers, or, where values crowd below, in logarithms.
static inline stargazer_param stargazer_knots(const double *x, int rows, int stride)
{
    stargazer_param p;
    double low = x[0], high = x[0], mean = 0.0;
    int count = 0, k;
    memset(&p, 0, sizeof p);
    for (int r = 0; r < rows; r++) {
        const double value = x[r * stride];
        bool seen = false;
        for (int s = 0; s < r && !seen; s++)
            seen = x[s * stride] >= value && x[s * stride] <= value;
        low = fmin(low, value);
        high = fmax(high, value);
        if (seen) continue;
        count++;
        mean += (value - mean) / count;
    }
    p.low = low;
    p.range = high > low ? high - low : 1.0;
    if (count < 3) return p;
    {
        const double middle = (high + low) / 2.0;
        const bool straight = !(low > 0) || fabs((middle - mean) / middle) < 0.01;
        p.knots = count - 2 < 3 ? count : STARGAZER_KNOTS;
        for (k = 0; k < p.knots; k++) {
            const double part = (double)k / (p.knots - 1);
            p.knot[k] = straight ? low + part * (high - low) : low * pow(high / low, part);
        }
    }
    return p;
}

// The columns of a natural cubic spline: x, and what bends at the knots and is straight outside.
// Returns how many.
static inline int stargazer_columns(const stargazer_param *p, double x, double *columns)
{
    const double z = (x - p->low) / p->range;
    const int last = p->knots - 1;
    double bend[STARGAZER_KNOTS], end = 0.0;
    columns[0] = z;
    if (p->knots < 3) return 1;
    for (int k = last; k >= 0; k--) {
        const double at = (p->knot[k] - p->low) / p->range, beyond = fmax(0.0, z - at);
        const double cube = beyond * beyond * beyond;
        if (k == last)
            end = cube;
        else
            bend[k] = (cube - end) / ((p->knot[last] - p->knot[k]) / p->range);
    }
    for (int k = 0; k < last - 1; k++) columns[k + 1] = bend[k] - bend[last - 1];
    return last;
}

// A row of the design: the constant and the terms' columns. Returns how many; more than
// MODELS_COLUMNS: only counted.
static inline int stargazer_row(const stargazer_model *m, const double *x, double *row)
{
    int count = 1;
    row[0] = 1.0;
    for (int t = 0; t < m->terms; t++) {
        double a[STARGAZER_KNOTS], b[STARGAZER_KNOTS] = { 1.0 };
        const int as = stargazer_columns(&m->param[m->term[t].a], x[m->term[t].a], a);
        const int other = m->term[t].b;
        const int bs = other < 0 ? 1 : stargazer_columns(&m->param[other], x[other], b);
        for (int i = 0; i < as; i++)
            for (int j = 0; j < bs; j++, count++)
                if (count < MODELS_COLUMNS) row[count] = a[i] * b[j];
    }
    return count;
}

typedef struct stargazer_data {
    const double *x, *y;
    int rows;
    double *memory; // rows * (MODELS_COLUMNS + 1)
} stargazer_data;

// The model with one more term (a < 0: as it is), fitted. False: too many columns.
static inline bool stargazer_try(const stargazer_data *data, const stargazer_model *m, int a, int b,
                                 stargazer_model *with)
{
    double row[MODELS_COLUMNS], *y = data->memory + (size_t)data->rows * MODELS_COLUMNS;
    const double squares = models_spread(data->y, data->rows, 1, NULL);
    int count = 1;
    *with = *m;
    if (a >= 0) {
        if (m->terms == STARGAZER_TERMS) return false;
        with->term[with->terms].a = a;
        with->term[with->terms++].b = b;
    }
    for (int r = 0; r < data->rows; r++) {
        count = stargazer_row(with, data->x + r * m->params, row);
        if (count > MODELS_COLUMNS) return false;
        for (int c = 0; c < count; c++) data->memory[c * data->rows + r] = row[c];
        y[r] = data->y[r];
    }
    with->rss =
        models_least_squares(data->memory, data->rows, count, y, with->coefficient, &with->columns);
    with->r2 = 1.0 - with->rss / squares;
    with->adjusted = models_adjusted(with->r2, data->rows, with->columns);
    with->aic =
        data->rows * log(fmax(with->rss, 1e-24 * squares) / data->rows) + 2.0 * (with->columns + 1);
    if (a >= 0) {
        with->term[with->terms - 1].r2 = with->r2;
        with->term[with->terms - 1].adjusted = with->adjusted;
    }
    return data->rows > with->columns;
}

static inline bool stargazer_has(const stargazer_model *m, int a, int b)
{
    for (int t = 0; t < m->terms; t++)
        if ((m->term[t].a == a && m->term[t].b == b) || (m->term[t].a == b && m->term[t].b == a))
            return true;
    return false;
}

// The authors' rule. A parameter stays if the adjusted R2 with it is no less than the plain one
// without; then its products with those before it, by the same rule, as long as one helps.
static inline void stargazer_stepwise(const stargazer_data *data, stargazer_model *m)
{
    for (;;) {
        stargazer_model best = *m, with;
        int newest;
        for (int p = 0; p < m->params; p++)
            if (!stargazer_has(m, p, -1) && stargazer_try(data, m, p, -1, &with) &&
                (best.terms == m->terms ||
                 (m->terms ? with.adjusted > best.adjusted : with.r2 > best.r2)))
                best = with;
        if (best.terms == m->terms || (m->terms > 0 && !(best.adjusted >= m->r2))) return;
        newest = best.term[m->terms].a;
        *m = best;
        for (;;) {
            for (int t = 0; t < m->terms; t++) {
                const int other = m->term[t].b < 0 ? m->term[t].a : newest;
                if (other != newest && !stargazer_has(m, newest, other) &&
                    stargazer_try(data, m, newest, other, &with) &&
                    (best.terms == m->terms || with.adjusted > best.adjusted))
                    best = with;
            }
            if (best.terms == m->terms || !(best.adjusted >= m->r2)) break;
            *m = best;
        }
    }
}

// Instead: whatever lowers Akaike's criterion most, products only of parameters that are in.
static inline void stargazer_akaike(const stargazer_data *data, stargazer_model *m)
{
    for (;;) {
        stargazer_model best = *m, with;
        for (int a = 0; a < m->params; a++)
            for (int b = -1; b < a; b++)
                if (!stargazer_has(m, a, b) &&
                    (b < 0 || (stargazer_has(m, a, -1) && stargazer_has(m, b, -1))) &&
                    stargazer_try(data, m, a, b, &with) && with.aic < best.aic)
                    best = with;
        if (best.terms == m->terms) return;
        *m = best;
    }
}

// Learns from rows of parameters (x: rows times params) and their times. akaike: see above.
static inline stargazer_model stargazer_fit(const double *x, const double *y, int rows, int params,
                                            bool akaike)
{
    stargazer_model m, none;
    stargazer_data data;
    memset(&m, 0, sizeof m);
    if (params < 1 || params > STARGAZER_PARAMS)
        m.missing = "params";
    else if (rows < 3 || rows > 10000)
        m.missing = "rows";
    for (int i = 0; !m.missing && i < rows * params; i++)
        if (!(fabs(x[i]) <= 1e18)) m.missing = "x";
    for (int i = 0; !m.missing && i < rows; i++)
        if (!(y[i] > 0 && y[i] <= 1e18)) m.missing = "y";
    if (!m.missing && !(models_spread(y, rows, 1, NULL) > 0)) m.missing = "y"; // all alike
    if (m.missing) return m;
    m.params = params;
    m.least = m.most = y[0];
    for (int r = 1; r < rows; r++) {
        m.least = fmin(m.least, y[r]);
        m.most = fmax(m.most, y[r]);
    }
    for (int p = 0; p < params; p++) m.param[p] = stargazer_knots(x + p, rows, params);
    data.x = x;
    data.y = y;
    data.rows = rows;
    data.memory = (double *)malloc((size_t)rows * (MODELS_COLUMNS + 1) * sizeof *data.memory);
    if (!data.memory) {
        m.missing = "memory";
        return m;
    }
    stargazer_try(&data, &m, -1, -1, &none);
    m = none;
    if (akaike)
        stargazer_akaike(&data, &m);
    else
        stargazer_stepwise(&data, &m);
    free(data.memory);
    return m;
}

// NaN where there is no model or a parameter is no number.
static inline double stargazer_predict(const stargazer_model *m, const double *x)
{
    double row[MODELS_COLUMNS], sum = 0.0;
    int count;
    if (m->missing) return NAN;
    for (int p = 0; p < m->params; p++)
        if (!(fabs(x[p]) <= 1e18)) return NAN;
    count = stargazer_row(m, x, row);
    for (int c = 0; c < count; c++) sum += row[c] * m->coefficient[c];
    return sum;
}

// Whether it would be extrapolating: a parameter of its terms lies more than a tenth of its range
// beyond what was sampled, where products of splines run off.
static inline bool stargazer_outside(const stargazer_model *m, const double *x)
{
    for (int t = 0; t < m->terms; t++)
        for (int which = 0; which < 2; which++) {
            const int p = which ? m->term[t].b : m->term[t].a;
            const double at = p < 0 ? 0.5 : (x[p] - m->param[p].low) / m->param[p].range;
            if (!(at >= -0.1 && at <= 1.1)) return true;
        }
    return false;
}

// The same of a model that has learned log2 of times; nor may a prediction be ten times below or
// above all of them: between samples, too, products of splines run off.
static inline bool stargazer_outside_log2(const stargazer_model *m, const double *x)
{
    const double far = log2(10.0), at = stargazer_predict(m, x);
    if (m->missing) return false;
    return stargazer_outside(m, x) || !(at >= m->least - far && at <= m->most + far);
}

#endif
