// What a benchmark asks the models of models.h: figures of a device, measured in nanoseconds (a
// cycle is one: OpenCL has no clock), a kernel's launch in the models' terms, and what each of them
// predicts of it. Needs no GPU and no gputune.
//
// Caches, which none of the seven knows, are handed in: latency and bandwidth are those of the mix
// of the last cache and memory that the launch is estimated to meet (models_miss), and what an
// empty launch takes is added. `published` hands in memory alone, as the papers do, adds nothing
// and keeps MWP-CWP's case 2 as printed.
#ifndef BENCH_MODELS_JOB_H
#define BENCH_MODELS_JOB_H

#include "models.h"

// The first six are formulas; the others learn. Eiger and Stargazer are asked about a size with all
// others known, the same kernel's, too; the "new" ones about a kernel of which nothing is known.
typedef enum models_which {
    MWP_CWP,
    MWP_CWP_PLUS,
    QRQW,
    QUANTITATIVE,
    WFG,
    PMAC,
    EIGER,
    EIGER_TWO, // clusters
    STARGAZER,
    EIGER_NEW,
    STARGAZER_NEW,
    MODELS
} models_which;

enum { FORMULAS = PMAC + 1 };

typedef struct model_words { // tables I and II of the evaluation, for a GPU of today
    const char *name, *inputs, *cannot, *hint;
} model_words;

static const model_words model_texts[MODELS] = {
    { "mwp_cwp",
      "latency, bandwidth, delays of requests and of their transactions, issue cycles (measured); "
      "instructions, requests and barriers of a warp (PTX); occupancy",
      "caches (their mean is handed in); local memory's bandwidth; latency of arithmetic; several "
      "units that issue at once, but as a fraction of a cycle; barriers: their price grows with "
      "the warps",
      "none in the paper; from its cases: arithmetic, latency, bandwidth, barriers" },
    { "mwp_cwp_plus",
      "those, latency of arithmetic, misses of the cache; independent instructions and loads are "
      "taken as one",
      "levels of caches and their bandwidths; local memory's bandwidth",
      "arithmetic, latency or bandwidth" },
    { "qrqw",
      "lanes, pipeline's depth, latencies of global and local memory (measured); operations of a "
      "thread (PTX)",
      "caches, coalescing, bandwidth, and latency hidden by more than lanes x depth threads",
      "arithmetic, latency or local memory, the larger; the time with and without overlap" },
    { "quantitative",
      "rates of each kind of instruction, of local and of global memory by active warps (measured "
      "tables); counts and bytes of each phase between barriers (PTX); occupancy",
      "caches (one table for global memory, a mix is handed in); units that issue side by side: "
      "their times are added; a single warp's latency",
      "what binds, and what removing it could gain at most: the best of the seven" },
    { "wfg",
      "latency, bandwidth and issue rates (measured); instructions by kind (PTX); occupancy; "
      "conflicts and the distance from load to use are taken as none",
      "caches (a mix is handed in); several loads of a warp under way. Only equation 4 is the "
      "paper's, the rest a reconstruction: its compiler was never published",
      "arithmetic, bandwidth, latency, pipeline or barriers" },
    { "pmac",
      "bandwidths of stream, gather, stencil and reduction by size (measured); references and "
      "their sizes (from the source); no counts of instructions",
      "anything but memory; what a kernel reads again from caches or local memory counts like all "
      "else, or not at all",
      "none" },
    { "eiger", "30 and more measured launches with counts, bytes, occupancy (PTX)",
      "a kernel unlike those that it has seen; it says so where a metric is 4 "
      "deviations off or a score half a deviation beyond theirs",
      "of a space: the formula and the metrics behind its first component, with their signs" },
    { "eiger_two", "the same", "the same; with two clusters of its trials, each with its formula",
      "none here" },
    { "stargazer", "30 and more measured launches with their parameters",
      "say why; anything outside the range of its samples, of parameters and of times",
      "of a space: the order of the parameters by what they explain" },
    { "eiger_new", "the same, of other kernels only", "see eiger", "none here" },
    { "stargazer_new", "the same, of other kernels only", "see stargazer", "none here" },
};

// ---------------------------------------------------------------------------------------------
// A device
// ---------------------------------------------------------------------------------------------

enum { WARP_COUNTS = 7, FOOTPRINTS = 6 };
typedef enum models_idiom {
    IDIOM_STREAM,
    IDIOM_GATHER,
    IDIOM_STENCIL,
    IDIOM_REDUCTION,
    IDIOMS
} models_idiom;

static const char *const idiom_names[IDIOMS] = { "stream", "gather", "stencil", "reduction" };
static const double warp_counts[WARP_COUNTS] = { 1, 2, 4, 8, 16, 32, 64 };

typedef struct models_figures {
    bool is_gpu;
    double units, launch;                                      // launch: seconds of an empty one
    double fma_latency, local_latency, latency, cache_latency; // ns
    // Warps' operations a ns of one unit, by its warps; of memory: bytes a ns.
    double fma[WARP_COUNTS], integer[WARP_COUNTS], special[WARP_COUNTS], local[WARP_COUNTS];
    double global[WARP_COUNTS], cached[WARP_COUNTS];
    double peak;                   // warps' fma a ns, four chains side by side
    double delay, delay_scattered; // ns between requests; for each further line of a request
    double barrier;                // ns, of a group of 8 warps
    double cache;                  // bytes; 0: none was found, all figures of it are memory's
    double one_pass;               // bytes a ns of all units, of one pass over what no cache holds
    pmac_curve bandwidth[IDIOMS];  // log2 of bytes a second, by log2 of bytes
} models_figures;

// ---------------------------------------------------------------------------------------------
// A launch
// ---------------------------------------------------------------------------------------------

enum { JOB_BLOCKS = 4 };

typedef struct models_job {
    const char *kernel;                // its name in rows
    int family, size;                  // to leave out when something is learned
    double n;                          // how large it is, for rows
    const char *missing;               // why the formulas cannot be asked; NULL: they can
    bool product, shown;               // a product's tiles are ranked; shown: has rows of its own
    double groups, group_size, active; // work-items; groups of a unit at once, 0: unknown
    // Of a work-item, or of the warp it is in where these differ.
    double real, integer, special, loads, stores, local_loads, local_stores, barriers;
    double sectors;          // of 32 bytes, of a request, the mean
    double scattered, lines; // the part of the requests that touch over 4 sectors; their lines
    double unique, reuse;    // bytes of the launch; those that must stay for all others to hit
    double memory;           // bytes from memory, where that is known better; else 0
    struct {
        int idiom;
        double references, footprint; // of 4 bytes
    } block[JOB_BLOCKS];
    int blocks;
    double measured, predicted[MODELS], published[FORMULAS]; // seconds
    double spread;    // of the launches: (median - least) / least
    double gain, sum; // beside a prediction: quantitative's, without what binds it at most so much
                      // faster; QRQW's seconds where nothing overlaps. NaN: none
    const char *bound[MODELS];
    const char *refused[MODELS]; // what it needs and has not
} models_job;

static inline double job_warps(const models_job *j)
{
    return ceil(j->group_size / 32.0);
}

static inline double job_requests(const models_job *j)
{
    return j->loads + j->stores;
}

static inline double job_instructions(const models_job *j)
{
    return j->real + j->integer + j->special + j->local_loads + j->local_stores + j->barriers +
           job_requests(j);
}

// Bytes that the launch asks for, whoever has them.
static inline double job_moved(const models_job *j)
{
    return j->groups * job_warps(j) * job_requests(j) * 32.0 * j->sectors;
}

static inline void job_block(models_job *j, models_idiom which, double references, double footprint)
{
    j->block[j->blocks].idiom = (int)which;
    j->block[j->blocks].references = references;
    j->block[j->blocks++].footprint = footprint;
}

// The part of the requests that memory serves: none where all fits into the last cache, for the
// launches before have left it there.
static inline double models_miss(const models_figures *f, const models_job *j)
{
    const double moved = job_moved(j);
    if (j->unique < 0.7 * f->cache) return 0.0;
    if (j->memory > 0) return fmin(1.0, j->memory / moved);
    return moved > j->unique ? 1.0 - models_hits(j->unique, moved, j->reuse, f->cache) : 1.0;
}

// Requests of warps, what they touch.
typedef struct touched {
    double requests, sectors, scattered, lines; // the last two: of those with over 4 sectors
} touched;

// One request: so many lanes' indices of numbers of 4 bytes.
static inline void touch(touched *t, const size_t *index, int lanes)
{
    size_t seen[2][32];
    int count[2] = { 0, 0 };
    if (lanes == 0) return;
    for (int l = 0; l < lanes; l++)
        for (int which = 0; which < 2; which++) {
            const size_t at = index[l] / (which ? 32 : 8);
            int k = 0;
            while (k < count[which] && seen[which][k] != at) k++;
            if (k == count[which]) seen[which][count[which]++] = at;
        }
    t->requests++;
    t->sectors += count[0];
    if (count[0] <= 4) return;
    t->scattered++;
    t->lines += count[1];
}

static inline void touch_row(touched *t, size_t first) // lanes side by side
{
    size_t index[32];
    for (int l = 0; l < 32; l++) index[l] = first + (size_t)l;
    touch(t, index, 32);
}

static inline void touched_into(models_job *j, const touched *t)
{
    j->sectors = t->sectors / t->requests;
    j->scattered = t->scattered / t->requests;
    j->lines = t->scattered > 0 ? t->lines / t->scattered : 1;
}

// What keeps the two that learn from a launch, as job.missing does the formulas: they all need how
// many warps are there. NULL: nothing.
static inline const char *job_lacks(const models_job *j)
{
    return j->missing ? j->missing : j->active > 0 ? NULL : "active_groups";
}

// Bytes from memory of a product in tiles, where it is known how many groups work at a time; else
// 0.
static inline double job_product_bytes(const models_figures *f, const models_job *j, double n,
                                       double tile)
{
    return j->active > 0 ? models_matmul_bytes(n, tile, j->active * f->units, f->cache) : 0.0;
}

// --- measured figures that cannot be right ---

enum { SUSPICIONS = 10, SUSPICION_TEXT = 120 };

// Says of the least of what was measured what contradicts itself by more than 3 %; returns how many
// lines of text that are.
static inline int models_suspicions(const models_figures *f, char text[][SUSPICION_TEXT])
{
    static const char *const names[6] = { "fma", "integer", "special", "local", "memory", "cache" };
    const double *tables[6] = { f->fma, f->integer, f->special, f->local, f->global, f->cached };
    const int last = WARP_COUNTS - 1;
    const double memory = f->units * f->global[last];
    int count = 0;
    if (!(f->cache > 0)) snprintf(text[count++], SUSPICION_TEXT, "no cache was found");
    for (int t = 0; t < 6; t++) {
        double most = 0.0;
        int below = -1;
        for (int w = 0; w < WARP_COUNTS; w++) {
            if (below < 0 && !(tables[t][w] >= 0.97 * most)) below = w;
            most = fmax(most, tables[t][w]);
        }
        if (below >= 0)
            snprintf(text[count++], SUSPICION_TEXT, "table_%s_%g: %.3g, less than with fewer warps",
                     names[t], warp_counts[below], tables[t][below]);
    }
    if (f->cache > 0 && !(f->cache_latency < f->latency))
        snprintf(text[count++], SUSPICION_TEXT,
                 "a load takes %.1f ns from the cache, %.1f from memory", f->cache_latency,
                 f->latency);
    if (f->cache > 0 && !(f->cached[last] > f->global[last]))
        snprintf(text[count++], SUSPICION_TEXT, "the cache serves %.3g GB/s, memory %.3g",
                 f->units * f->cached[last], memory);
    if (!(memory <= 1.03 * f->one_pass))
        snprintf(text[count++], SUSPICION_TEXT,
                 "memory serves %.4g GB/s again and again, %.4g in one pass", memory, f->one_pass);
    return count;
}

// ---------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------

typedef struct models_asked { // what a launch meets: of one unit
    const models_figures *f;
    double miss, latency, bandwidth; // ns; bytes a ns with as many warps as can be
    double rates[WARP_COUNTS];       // the same by warps
    bool published;
} models_asked;

static inline models_asked asked_of(const models_figures *f, const models_job *j, bool published)
{
    models_asked a;
    a.f = f;
    a.published = published;
    a.miss = published ? 1.0 : models_miss(f, j);
    a.latency = a.miss * f->latency + (1.0 - a.miss) * f->cache_latency;
    for (int w = 0; w < WARP_COUNTS; w++) // the cache serves all of it, memory what misses
        a.rates[w] =
            published ? f->global[w] : fmin(f->cached[w], f->global[w] / fmax(a.miss, 1e-9));
    a.bandwidth = 0.0;
    for (int w = 0; w < WARP_COUNTS; w++) a.bandwidth = fmax(a.bandwidth, a.rates[w]);
    return a;
}

static inline models_table table_of(const double *rates)
{
    const models_table t = { warp_counts, rates, WARP_COUNTS };
    return t;
}

static inline mwp_cwp_out ask_mwp_cwp_whole(const models_asked *a, const models_job *j)
{
    const models_figures *f = a->f;
    mwp_cwp_in in;
    memset(&in, 0, sizeof in);
    in.clock = 1;
    in.multiprocessors = f->units;
    in.bandwidth = a->bandwidth * f->units;
    in.latency = a->latency;
    in.delay_coalesced = f->delay;
    in.delay_scattered = f->delay_scattered;
    in.issue = 1 / f->peak;
    in.compute = job_instructions(j) - job_requests(j);
    in.coalesced = job_requests(j) * (1 - j->scattered);
    in.scattered = job_requests(j) * j->scattered;
    in.transactions = fmax(1, j->lines);
    in.barriers = j->barriers;
    in.bytes = 32 * j->sectors;
    in.group_size = j->group_size;
    in.groups = j->groups;
    in.active_groups = j->active;
    in.corrected = !a->published;
    return mwp_cwp(&in);
}

static inline models_prediction ask_mwp_cwp(const models_asked *a, const models_job *j)
{
    return ask_mwp_cwp_whole(a, j).prediction;
}

static inline models_prediction ask_mwp_cwp_plus(const models_asked *a, const models_job *j)
{
    const models_figures *f = a->f;
    mwp_cwp_plus_in in;
    memset(&in, 0, sizeof in);
    in.clock = 1;
    in.multiprocessors = fmin(f->units, j->groups);
    in.arithmetic_latency = f->fma_latency;
    in.lanes = 1 / f->peak;
    in.memory_latency = f->latency;
    in.hit_latency = a->published ? 0 : f->cache_latency * (1 - a->miss);
    in.miss = a->miss;
    in.delay = f->delay;
    in.mwp_peak = fmax(1, a->bandwidth * a->latency / (32 * j->sectors));
    in.warps = j->active * job_warps(j);
    in.all_warps = j->groups * job_warps(j);
    in.instructions = job_instructions(j);
    in.requests = job_requests(j);
    in.transactions = 1 + j->scattered * (fmax(1, j->lines) - 1);
    in.parallel = in.parallel_requests = 1;
    in.serial = j->barriers * f->barrier * j->groups / in.multiprocessors;
    return mwp_cwp_plus(&in).prediction;
}

static inline qrqw_out ask_qrqw_whole(const models_asked *a, const models_job *j)
{
    const models_figures *f = a->f;
    qrqw_in in;
    memset(&in, 0, sizeof in);
    in.clock = 1e9;
    in.multiprocessors = f->units;
    in.depth = f->fma_latency;
    in.lanes = 32 * f->peak;
    in.global_latency = a->latency;
    in.local_latency = f->local_latency;
    in.groups = j->groups;
    in.group_warps = job_warps(j);
    in.compute = j->real + j->integer + j->special * f->peak / f->special[WARP_COUNTS - 1];
    in.global = job_requests(j);
    in.local = j->local_loads + j->local_stores;
    in.local_queue = 1;
    return qrqw(&in);
}

static inline models_prediction ask_qrqw(const models_asked *a, const models_job *j)
{
    return ask_qrqw_whole(a, j).prediction;
}

// Phases: what is copied into local memory, what is computed from there, what is stored. Those of
// one kind are added up, which changes nothing where they are alike.
static inline zhang_owens_out ask_quantitative_whole(const models_asked *a, const models_job *j)
{
    const models_figures *f = a->f;
    zhang_owens_phase phases[3];
    zhang_owens_in in;
    int count = 0;
    const int compute = j->barriers > 0 ? 1 : 0, last = j->barriers > 0 ? 2 : 0;
    memset(&in, 0, sizeof in);
    memset(phases, 0, sizeof phases);
    phases[0].instructions[1] = j->integer;
    phases[0].local = j->local_stores;
    phases[0].bytes = 32 * j->sectors * j->loads;
    phases[compute].instructions[0] = j->real;
    phases[compute].instructions[3] = j->special;
    phases[compute].local += j->local_loads;
    phases[last].bytes += 32 * j->sectors * j->stores;
    count = last + 1;
    in.clock = 1e9;
    in.multiprocessors = f->units;
    in.groups = j->groups;
    in.group_warps = job_warps(j);
    in.active_groups = j->active;
    in.rate[0] = table_of(f->fma);
    in.rate[1] = table_of(f->integer);
    in.rate[3] = table_of(f->special);
    in.local_rate = table_of(f->local);
    in.global_rate = table_of(a->rates);
    in.phases = phases;
    in.phase_count = count;
    return zhang_owens(&in);
}

static inline models_prediction ask_quantitative(const models_asked *a, const models_job *j)
{
    return ask_quantitative_whole(a, j).prediction;
}

static inline models_prediction ask_wfg(const models_asked *a, const models_job *j)
{
    enum { KINDS = 5 };
    const models_figures *f = a->f;
    const int last = WARP_COUNTS - 1;
    wfg_node nodes[KINDS];
    wfg_in in;
    const double executions[KINDS] = { j->real, j->integer, j->special,
                                       j->local_loads + j->local_stores, job_requests(j) };
    const double rates[KINDS] = { f->peak, f->integer[last], f->special[last], f->local[last],
                                  f->local[last] };
    memset(&in, 0, sizeof in);
    for (int i = 0; i < KINDS; i++) {
        nodes[i].executions = executions[i];
        nodes[i].lanes = 32 * rates[i];
        nodes[i].degree = 1;
        nodes[i].bytes = i == KINDS - 1 ? 32 * j->sectors : 0;
    }
    in.clock = 1e9;
    in.multiprocessors = f->units;
    in.latency = a->latency;
    in.bytes_a_cycle = a->bandwidth;
    in.lanes = nodes[KINDS - 1].lanes;
    in.pipeline = f->fma_latency;
    in.dependent = j->real;
    in.barrier = f->barrier;
    in.barriers = j->barriers;
    in.groups = j->groups;
    in.group_warps = job_warps(j);
    in.active_groups = j->active;
    in.nodes = nodes;
    in.node_count = KINDS;
    return wfg(&in).prediction;
}

static inline models_prediction ask_pmac(const models_asked *a, const models_job *j)
{
    pmac_block blocks[JOB_BLOCKS];
    for (int i = 0; i < j->blocks; i++) {
        blocks[i].references = j->block[i].references;
        blocks[i].size = 4;
        blocks[i].bandwidth =
            exp2(pmac_bandwidth(&a->f->bandwidth[j->block[i].idiom], log2(j->block[i].footprint)));
    }
    return pmac(blocks, j->blocks, NULL);
}

// All formulas; what they cannot say is NaN, and why.
static inline void ask_formulas(const models_figures *f, models_job *j)
{
    static models_prediction (*const ask[FORMULAS])(const models_asked *, const models_job *) = {
        ask_mwp_cwp, ask_mwp_cwp_plus, ask_qrqw, ask_quantitative, ask_wfg, ask_pmac
    };
    for (int published = 0; published < 2; published++) {
        const models_asked a = asked_of(f, j, published != 0);
        for (int m = 0; m < FORMULAS; m++) {
            models_prediction p = models_unknown(m == PMAC ? NULL : j->missing);
            if (!p.missing) p = ask[m](&a, j);
            if (published) {
                j->published[m] = p.seconds;
                continue;
            }
            j->predicted[m] = p.seconds + (m == PMAC ? 0 : f->launch); // its rates have it
            j->bound[m] = p.bound;
            j->refused[m] = p.missing;
        }
        if (published) continue;
        j->gain = j->missing ? NAN : ask_quantitative_whole(&a, j).gain;
        j->sum = j->missing ? NAN : ask_qrqw_whole(&a, j).sum_seconds + f->launch;
    }
}

// ---------------------------------------------------------------------------------------------
// Learning
// ---------------------------------------------------------------------------------------------

enum { JOB_METRICS = 13, JOB_FEW = 5 };

static const char *const job_metric_names[JOB_METRICS] = {
    "instructions",     "bytes_asked", "bytes", "requests", "local_memory",  "barriers",
    "special",          "sectors",     "lines", "warps",    "group's_warps", "groups",
    "bytes_from_memory"
};

// Metrics of a launch, most of them as logarithms.
static inline void job_metrics(const models_figures *f, const models_job *j, double *x)
{
    const double all = job_instructions(j), threads = j->groups * job_warps(j);
    x[0] = log2(threads * all);
    x[1] = log2(job_moved(j));
    x[2] = log2(j->unique);
    x[3] = job_requests(j) / all;
    x[4] = (j->local_loads + j->local_stores) / all;
    x[5] = j->barriers / all;
    x[6] = j->special / all;
    x[7] = j->sectors;
    x[8] = j->scattered * j->lines;
    x[9] = j->active * job_warps(j);
    x[10] = job_warps(j);
    x[11] = log2(j->groups);
    x[12] = log2(1 + models_miss(f, j) * job_moved(j));
}

// The five of them that Stargazer gets of kernels: with all its splines and their products would
// have more columns than there are launches to learn from.
static inline void job_few(const double *metrics, double *x)
{
    static const int few[JOB_FEW] = { 0, 12, 7, 9, 11 };
    for (int i = 0; i < JOB_FEW; i++) x[i] = metrics[few[i]];
}

#endif
