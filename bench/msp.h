// What bench_msp.c and bench_threshold.c share: the device by its name, one process a program, the
// plan (how large a target, how many configurations), curves, searches. Include the three headers
// first.
//
// Time: a program's share is what is left over those still to come. Its target is the largest
// problem of table 1 that the device has room for and at which so many configurations can be
// searched in the share; trials at a small size tell how long one takes beside its launches, and
// the default on the way up how long a launch takes. If the whole space does not fit in, both
// searches get the same part of it: the configurations that a restriction draws by a hash of their
// values, and all that are not coarsened.
#ifndef BENCH_MSP_H
#define BENCH_MSP_H

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "programs.h"
#include "device.h"

enum {
    MSP_VALUES = 64,
    MSP_ROUNDS = 5, // of the comparison at the end
    MSP_PILOT = 40,    // trials that tell what compiling and the rest take
    MSP_WANTED = 2000, // most configurations that a target may be made smaller for
    MSP_OTHERS = 250   // launches beside the searches
};

static const double msp_most_items = 1 << 30; // of a target: kernels count in int

typedef struct msp_settings {
    const char *api;                  // cuda, opencl, pocl; "": the best OpenCL device
    const char *names[PROGRAM_COUNT]; // parts of programs' names; none: all
    int name_count;
    double seconds;     // for all programs together
    int configurations; // most of each space; 0: as time allows
    double largest;     // work-items of the target at most; 0: table 1's
    double beyond;      // targets up to so many times table 1's; 0: 1
    double least;       // seconds of a target's default launch; 0: table 1's targets
    double threshold;   // 0: gputune's
    const char *csv;    // folder for the curves
    bool quick, figure3, figure5;
} msp_settings;

// One program on the device, in a process of its own.
typedef struct msp_job {
    const msp_settings *settings;
    const program_kind *p;
    gputune_device *device;
    case_data data;
    char global[64];
    double begin, share; // seconds: when it began, and what it may take
    double items;        // work-items of the target
    double count;        // configurations of the whole space
    char group[512];     // the fastest of the exhaustive search's that are not coarsened
    char require[512];   // draws some of them; "": all
    const char *requires[2];
    int pipe; // where values for the means go
} msp_job;

// Values of which means are taken, by name.
typedef struct msp_value {
    char name[32];
    double value;
} msp_value;

static void msp_say(const msp_job *job, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s: ", job->p->base.name);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
}

// A row, whose value takes part in the means if the parent asks for its name.
static void msp_row(const msp_job *job, const char *name, double value, const char *unit)
{
    msp_value sent;
    printf("result\t%s.%s\t%.6g\t%s\n", job->p->base.name, name, value, unit);
    fflush(stdout);
    memset(&sent, 0, sizeof sent);
    snprintf(sent.name, sizeof sent.name, "%s", name);
    sent.value = value;
    if (write(job->pipe, &sent, sizeof sent) != (ssize_t)sizeof sent)
        msp_say(job, "%s is lost to the means", name);
}

static void msp_row_text(const msp_job *job, const char *name, const char *value, const char *unit)
{
    printf("result\t%s.%s\t%s\t%s\n", job->p->base.name, name, value, unit);
    fflush(stdout);
}

// ---------------------------------------------------------------------------------------------
// Command line and device
// ---------------------------------------------------------------------------------------------

static double msp_number(const char *text, const char *option)
{
    char *end;
    const double number = text ? strtod(text, &end) : 0;
    if (!text || end == text || *end || !(number >= 0)) {
        fprintf(stderr, "bench: %s wants a number\n", option);
        exit(2);
    }
    return number;
}

static bool msp_selects(const msp_settings *s, const program_kind *p)
{
    for (int i = 0; i < s->name_count; i++)
        if (strstr(p->base.name, s->names[i])) return true;
    return s->name_count == 0;
}

static void msp_add_name(msp_settings *s, const char *name)
{
    static const char *const apis[] = { "cuda", "opencl", "pocl" };
    int known = 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(name, apis[i]) == 0) {
            s->api = apis[i];
            return;
        }
    for (int i = 0; i < PROGRAM_COUNT; i++) known += strstr(programs[i].base.name, name) != NULL;
    if (!known || s->name_count == PROGRAM_COUNT) {
        fprintf(stderr, "bench: %s: neither cuda, opencl, pocl nor a program\n", name);
        exit(2);
    }
    s->names[s->name_count++] = name;
}

// seconds: the default budget.
static msp_settings msp_parse(int argc, char **argv, double seconds)
{
    msp_settings s;
    memset(&s, 0, sizeof s);
    s.api = "";
    s.seconds = seconds;
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(o, "--quick") == 0)
            s.quick = true;
        else if (strcmp(o, "--figure3") == 0)
            s.figure3 = true;
        else if (strcmp(o, "--figure5") == 0)
            s.figure5 = true;
        else if (strcmp(o, "--seconds") == 0)
            s.seconds = msp_number(next, o), i++;
        else if (strcmp(o, "--configs") == 0)
            s.configurations = (int)msp_number(next, o), i++;
        else if (strcmp(o, "--largest") == 0)
            s.largest = msp_number(next, o), i++;
        else if (strcmp(o, "--beyond") == 0)
            s.beyond = msp_number(next, o), i++;
        else if (strcmp(o, "--least") == 0)
            s.least = 1e-3 * msp_number(next, o), i++;
        else if (strcmp(o, "--threshold") == 0)
            s.threshold = msp_number(next, o), i++;
        else if (strcmp(o, "--csv") == 0 && next)
            s.csv = next, i++;
        else if (o[0] == '-')
            fprintf(stderr, "bench: %s: unknown, or lacks its value\n", o), exit(2);
        else
            msp_add_name(&s, o);
    }
    return s;
}

// ---------------------------------------------------------------------------------------------
// One program: its data, kernels, searches
// ---------------------------------------------------------------------------------------------

static double msp_left(const msp_job *job)
{
    return job->share - (gputune_now() - job->begin);
}

// Most that a target may have.
static double msp_largest(const msp_job *job)
{
    const double beyond = job->settings->least > 0    ? msp_most_items
                          : job->settings->beyond > 1 ? job->settings->beyond
                                                      : 1;
    double most = fmin(job->p->largest * job->p->item_factor * beyond, msp_most_items);
    if (strcmp(job->p->base.name, "binarySearch") == 0) most = fmin(most, 1 << 28); // 32-bit keys
    return job->settings->largest > 0 ? fmin(most, job->settings->largest) : most;
}

// Data for at most so many work-items in place of what was there. False: no room; nothing is there.
static bool msp_make(msp_job *job, double items)
{
    int size[3];
    if (job->data.buffer_count) case_free(&job->data);
    job->p->fit(items, size);
    // A mask of 3 x 3 takes no 50 ms in any memory: one of 31 x 31, or of 9 x 9 in small pictures.
    if (job->settings->least > 0 && strcmp(job->p->base.name, "convolution") == 0)
        size[2] = size[0] < 2048 ? 9 : 31;
    if (case_make(&job->data, &job->p->base, job->device, size, 1)) return true;
    msp_say(job, "no room for %.0f work-items: %s", items, gputune_device_error(job->device)->text);
    memset(&job->data, 0, sizeof job->data);
    return false;
}

static double msp_bytes(const msp_job *job)
{
    double bytes = 0;
    for (int i = 0; i < job->data.buffer_count; i++) bytes += (double)job->data.buffers[i].bytes;
    return bytes;
}

static double msp_largest_buffer(const msp_job *job)
{
    double most = 0;
    for (int i = 0; i < job->data.buffer_count; i++)
        most = fmax(most, (double)job->data.buffers[i].bytes);
    return most;
}

// The kernel with its coarsening space, to be searched in the way that tune says.
static gputune_kernel *msp_kernel(msp_job *job, const gputune_tune_desc *tune)
{
    gputune_kernel_desc desc = program_desc(job->p, &job->data, job->global, sizeof job->global);
    desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
    job->requires[0] = *job->require ? job->require : NULL;
    job->requires[1] = NULL;
    desc.require = job->requires;
    if (tune) desc.tune = *tune;
    if (tune && !tune->msp) desc.work = NULL; // of a `size`, which only a ladder has
    return gputune_kernel_create(job->device, &desc);
}

static const gputune_space *msp_space(msp_job *job, gputune_kernel *kernel)
{
    const gputune_space *space = gputune_kernel_space(kernel, job->data.args, job->data.arg_count);
    if (!space) msp_say(job, "%s", gputune_kernel_error(kernel)->text);
    return space;
}

// Work-items of the default launch; 0: an error, which was said.
static double msp_items(msp_job *job, gputune_kernel *kernel)
{
    const gputune_space *space = msp_space(job, kernel);
    gputune_geometry geometry;
    gputune_config config;
    double items = 1;
    if (!space) return 0;
    config = gputune_space_default(space);
    if (gputune_kernel_geometry(kernel, &config, job->data.args, job->data.arg_count, &geometry) !=
        GPUTUNE_OK) {
        msp_say(job, "%s", gputune_kernel_error(kernel)->text);
        return 0;
    }
    for (int d = 0; d < geometry.dimensions; d++) items *= (double)geometry.global[d];
    return items;
}

static void msp_say_failures(const msp_job *job, const gputune_kernel *kernel)
{
    for (int r = 1; r < GPUTUNE_RESULT_COUNT; r++) {
        const char *reason = NULL;
        int count = 0;
        const gputune_trial *t;
        for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
            if ((int)t->result != r) continue;
            if (!count++) reason = t->reason;
        }
        if (count)
            msp_say(job, "  %d x %s: %.200s", count, gputune_result_name((gputune_result)r),
                    reason);
    }
}

// Where a configuration stands among a search's trials, and how far behind the best.
static void msp_say_rank(const msp_job *job, const gputune_kernel *kernel, const char *text)
{
    const gputune_trial *t;
    double best = HUGE_VAL, own = HUGE_VAL;
    int rank = 1;
    for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        char name[512];
        gputune_config_text(&t->config, name, sizeof name);
        if (strcmp(name, text) == 0) own = t->value;
        best = fmin(best, t->value);
    }
    for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) rank += t->value < own;
    msp_say(job, "there %s was number %d, %.1f %% behind the best", text, rank,
            100 * (own / best - 1));
}

// The fastest trial whose items do the work of one: what the work-group alone is worth.
static void msp_find_group(msp_job *job, const gputune_kernel *kernel)
{
    double best = HUGE_VAL;
    const gputune_trial *t;
    for (int i = 0; (t = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        bool merged = false;
        for (int d = 0; d < 3; d++) {
            static const char *const factors[] = { "FACTOR_X", "FACTOR_Y", "FACTOR_Z" };
            merged = merged || (gputune_config_choice(&t->config, factors[d]) >= 0 &&
                                gputune_config_int(&t->config, factors[d]) > 1);
        }
        if (merged || t->result != GPUTUNE_OK || !(t->value < best)) continue;
        best = t->value;
        gputune_config_text(&t->config, job->group, sizeof job->group);
    }
}

// Searches and races; the winner's text goes to winner (size bytes), which holds that of an
// earlier search or "".
static bool msp_search(msp_job *job, const char *what, const gputune_tune_desc *tune,
                       gputune_outcome *o, gputune_curve *curve, char *winner, size_t size)
{
    gputune_kernel *kernel = msp_kernel(job, tune);
    const double begin = gputune_now();
    const bool ok = gputune_tune(kernel, job->data.args, job->data.arg_count) == GPUTUNE_OK;
    *o = *gputune_kernel_outcome(kernel);
    o->seconds = gputune_now() - begin; // of everything
    if (!ok) msp_say(job, "%s: %s", what, gputune_kernel_error(kernel)->text);
    if (ok) {
        const gputune_space *space = o->config.space;
        const double planned = (double)gputune_space_count(space);
        if (*winner) msp_say_rank(job, kernel, winner);
        gputune_config_text(&o->config, winner, size);
        msp_say(job,
                "%s: %.2f x with %s; %d of %.0f trials, %.1f s, %.2f s on the device",
                what, o->speedup, winner, o->trials, planned, o->seconds, o->device_seconds);
        if (curve && o->curve) *curve = *o->curve;
        if (!curve && (double)o->trials < planned) msp_say(job, "%s was cut short", what);
        if (!curve) msp_find_group(job, kernel);
    }
    msp_say_failures(job, kernel);
    if (curve && ok && !o->curve) {
        msp_say(job, "%s was not done at the MSP: %s", what, o->note ? o->note : "");
        gputune_kernel_destroy(kernel);
        return false;
    }
    gputune_kernel_destroy(kernel);
    return ok;
}

// ---------------------------------------------------------------------------------------------
// The plan
// ---------------------------------------------------------------------------------------------

// When the search had made its second trial (the first ones load the compiler and make the
// reference) and its last.
typedef struct msp_pilot_clock {
    double second, last;
    int trials;
} msp_pilot_clock;

static bool msp_pilot_tick(void *user, const gputune_progress *p)
{
    msp_pilot_clock *clock = (msp_pilot_clock *)user;
    if (strcmp(p->phase, "search") != 0) return true;
    clock->trials = p->trials;
    clock->last = p->seconds;
    if (p->trials == 2) clock->second = p->seconds;
    return true;
}

// Wall seconds of a trial at a small size, the first ones left out. Negative: it does not work.
static double msp_pilot(msp_job *job)
{
    gputune_tune_desc tune;
    gputune_kernel *kernel;
    const gputune_space *space;
    double seconds = -1;
    msp_pilot_clock clock = { 0, 0, 0 };
    memset(&tune, 0, sizeof tune);
    tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    tune.budget.trials = MSP_PILOT;
    tune.budget.all = true;
    tune.budget.seconds = fmax(0.2 * job->share, 2);
    tune.seed = 7;
    tune.progress = msp_pilot_tick;
    tune.user = &clock;
    kernel = msp_kernel(job, &tune);
    space = msp_space(job, kernel);
    if (space) {
        job->count = (double)gputune_space_count(space);
        if (gputune_tune(kernel, job->data.args, job->data.arg_count) == GPUTUNE_OK) {
            if (clock.trials > 0) seconds = clock.last / clock.trials;
            if (clock.trials > 2) seconds = (clock.last - clock.second) / (clock.trials - 2);
        } else
            msp_say(job, "%s", gputune_kernel_error(kernel)->text);
    }
    gputune_kernel_destroy(kernel);
    return seconds;
}

// A restriction that about `wanted` of all configurations meet, and all that differ from the
// default in their work-group alone: a hash of the values modulo a prime. With --least as near to
// `wanted` as it goes, the default among them.
static void msp_draw(msp_job *job, double wanted)
{
    static const int factors[] = { 7919, 3571, 6661, 1327, 4409, 9173, 2741, 8353, 5309 };
    gputune_kernel *kernel = msp_kernel(job, NULL);
    const gputune_space *space = msp_space(job, kernel);
    const bool exact = job->settings->least > 0;
    const gputune_config standard = gputune_space_default(space);
    double low = 0, high = 10007, middle = 10007 * wanted / job->count, count = 0;
    char sum[256] = "0", product[208] = "1";
    for (int i = 0; i < 9 && space && gputune_space_param(space, i); i++) {
        const char *name = gputune_space_param(space, i)->name;
        const size_t s = strlen(sum), t = strlen(product);
        const bool form = strcmp(name, "COARSEN_FORM") == 0; // names are its values
        snprintf(sum + s, sizeof sum - s, form ? " + (%s == \"merge\") * %d" : " + %s * %d", name,
                 factors[i]);
        if (form && exact)
            snprintf(product + t, sizeof product - t, " && %s == \"loop\"", name);
        else if (exact || strncmp(name, "FACTOR", 6) == 0)
            snprintf(product + t, sizeof product - t, " && %s == %lld", name,
                     (long long)gputune_config_int(&standard, name));
    }
    gputune_kernel_destroy(kernel);
    do { // bisects
        snprintf(job->require, sizeof job->require, "(%s) %% 10007 * 7717 %% 10007 < %.0f || (%s)",
                 sum, middle, product);
        kernel = msp_kernel(job, NULL);
        space = msp_space(job, kernel);
        count = space ? (double)gputune_space_count(space) : wanted;
        *(count < wanted ? &low : &high) = middle;
        middle = floor((low + high) / 2);
        gputune_kernel_destroy(kernel);
    } while (exact && count != wanted && high - low > 1);
    msp_say(job, "%.0f of %.0f configurations are searched, for time", count, job->count);
}

// Seconds of the default's launch, not coarsened; *kernel is kept from size to size where it can
// be. Negative: it does not work.
static double msp_default(msp_job *job, gputune_kernel **kernel)
{
    const gputune_space *space;
    gputune_config config;
    gputune_stats stats;
    if (!*kernel || job->p->launch > 0) {
        gputune_kernel_desc desc =
            program_desc(job->p, &job->data, job->global, sizeof job->global);
        gputune_kernel_destroy(*kernel);
        *kernel = gputune_kernel_create(job->device, &desc);
    }
    space = msp_space(job, *kernel);
    if (!space) return -1;
    config = gputune_space_default(space);
    if (gputune_kernel_time(*kernel, &config, job->data.args, job->data.arg_count, 1, &stats) ==
        GPUTUNE_OK)
        return stats.median;
    msp_say(job, "%s", gputune_kernel_error(*kernel)->text);
    return -1;
}

// Wall seconds of a trial at a size: compiling, about six launches of the default's time, since
// some are slower, and the comparison of outputs on the device or, copied, at 2 GB/s.
static double msp_trial_seconds(const msp_job *job, double base, double standard, double bytes)
{
    const bool on_device = strcmp(job->settings->api, "cuda") == 0;
    return base + 6 * standard + (on_device ? 5e-12 : 5e-10) * bytes;
}

// Wall seconds beside the trials: data, copies and references of all searches, the curves, the
// races, the comparison at the end.
static double msp_other_seconds(double standard, double bytes)
{
    return MSP_OTHERS * standard + 2.5e-9 * bytes;
}

// Whether there is room and time for a problem with so many times the work and the memory.
// standard: the default's time now.
static bool msp_may_grow(const msp_job *job, double searches, double base, double standard,
                         double growth, double memory)
{
    const gputune_limits *limits = gputune_device_limits(job->device);
    const double usable = 0.6 * job->share, bytes = msp_bytes(job) * memory;
    const double other = msp_other_seconds(standard * growth, bytes);
    double wanted = job->settings->configurations ? job->settings->configurations : MSP_WANTED;
    wanted = fmin(wanted, fmax(8, 0.5 * usable / (searches * base))); // the compiler's time
    wanted = fmin(wanted, job->count);
    if (limits->global_memory > 0 && 4 * bytes > (double)limits->global_memory) return false;
    if (limits->max_allocation > 0 &&
        msp_largest_buffer(job) * memory > (double)limits->max_allocation)
        return false;
    return wanted * ((searches - 1) * base +
                     msp_trial_seconds(job, base, standard * growth, bytes)) +
                   other <
               usable &&
           msp_left(job) > 0.6 * job->share;
}

// The smallest target whose default launch takes --least, by doubling; its data is in job->data
// then. False: there is none.
static bool msp_grow_long(msp_job *job)
{
    const gputune_limits *limits = gputune_device_limits(job->device);
    double items = job->p->smallest * job->p->item_factor, standard = 0;
    for (; items <= msp_largest(job); items *= 2) {
        gputune_kernel *kernel = NULL;
        if (!msp_make(job, items)) return false;
        standard = msp_default(job, &kernel);
        gputune_kernel_destroy(kernel);
        if (standard < 0 || standard >= job->settings->least) break;
        if (limits->global_memory > 0 && 8 * msp_bytes(job) > (double)limits->global_memory) break;
    }
    msp_say(job, "the default takes %.3g ms at %.0f work-items", 1e3 * standard, items);
    return standard >= job->settings->least;
}

// The largest target that there is room and time for; its data is in job->data then. *base: wall
// seconds of a trial at a small size, which is mostly the compiler's.
static bool msp_grow(msp_job *job, double searches, double *base, double *standard)
{
    const double largest = msp_largest(job);
    double items = largest, bytes = 0, work = 0;
    gputune_kernel *kernel = NULL;
    bool ok;
    while (items / 4 >= job->p->smallest * job->p->item_factor && items > 4096) items /= 4;
    ok = msp_make(job, items);
    *base = ok ? msp_pilot(job) : -1;
    ok = *base >= 0;
    while (ok) {
        const double growth = work > 0 ? job->data.work / work : 16;
        const double memory = bytes > 0 ? msp_bytes(job) / bytes : 16;
        *standard = msp_default(job, &kernel);
        ok = *standard >= 0;
        if (!ok || items * 4 > largest * 1.001 ||
            !msp_may_grow(job, searches, *base, *standard, growth, memory))
            break;
        work = job->data.work;
        bytes = msp_bytes(job);
        items *= 4;
        ok = msp_make(job, items) || msp_make(job, items /= 4);
    }
    gputune_kernel_destroy(kernel);
    if (ok && items * 1.001 < job->p->largest * job->p->item_factor)
        msp_say(job, "target cut from %.0f to %.0f work-items",
                job->p->largest * job->p->item_factor, items);
    return ok;
}

// Chooses the target, leaves its data in job->data, and draws the configurations. `searches`: how
// many there will be, of which one at the target.
static bool msp_plan(msp_job *job, double searches)
{
    double base = 0, standard = 0, trial, wanted;
    gputune_kernel *kernel;
    const gputune_space *space;
    if (job->settings->least > 0 ? !msp_grow_long(job) : !msp_grow(job, searches, &base, &standard))
        return false;
    kernel = msp_kernel(job, NULL);
    space = msp_space(job, kernel);
    if (space) job->count = (double)gputune_space_count(space); // larger than a small problem's
    gputune_kernel_destroy(kernel);
    if (job->settings->least > 0) {
        wanted = job->settings->configurations ? job->settings->configurations : 64;
        if (wanted < job->count) msp_draw(job, wanted);
        return true;
    }
    trial = msp_trial_seconds(job, base, standard, msp_bytes(job));
    wanted = (fmin(0.6 * job->share, 0.8 * msp_left(job)) -
              msp_other_seconds(standard, msp_bytes(job))) /
             (trial + (searches - 1) * base);
    if (job->settings->configurations && wanted > job->settings->configurations)
        wanted = job->settings->configurations;
    msp_say(job, "%.1f s; a trial takes %.1f ms (%.1f ms at a small size)", job->share, 1e3 * trial,
            1e3 * base);
    if (wanted < 8) wanted = 8;
    if (wanted < job->count) msp_draw(job, wanted);
    return true;
}

// The ladder: down to table 1's smallest size, but at least two decades.
static gputune_saturation_desc msp_ladder(const msp_job *job)
{
    gputune_saturation_desc desc = program_saturation(job->p);
    const double smallest = job->p->smallest * job->p->item_factor;
    desc.largest = job->items;
    desc.smallest = smallest < job->items / 128 ? smallest : job->items / 128;
    while (desc.smallest * 4096 < job->items) desc.smallest *= 2;
    desc.smallest = job->items / exp2(floor(log2(job->items / desc.smallest)));
    if (job->p->fit == program_fit_line && desc.smallest < 256) desc.smallest = 256;
    desc.threshold = job->settings->threshold;
    return desc;
}

// Every configuration, within that part of the share; with --least by the default strategy, which
// tries all of so few, too.
static gputune_tune_desc msp_exhaustive(const msp_job *job, double share)
{
    gputune_tune_desc tune;
    memset(&tune, 0, sizeof tune);
    if (!(job->settings->least > 0)) tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    tune.budget.seconds = fmax(share * job->share, 1);
    tune.budget.all = true;
    tune.seed = 1;
    return tune;
}

// Searches at a point of the curve, in at most that share of the time; *cost: seconds of its
// launches, the race's included.
static bool msp_search_at(msp_job *job, double size, double share, char *winner, size_t bytes,
                          double *cost)
{
    static gputune_curve curve;
    gputune_tune_desc tune = msp_exhaustive(job, share);
    gputune_saturation_desc ladder = msp_ladder(job);
    gputune_outcome o;
    ladder.smallest = ladder.largest = size;
    tune.msp = &ladder;
    if (!msp_search(job, "search at a size", &tune, &o, &curve, winner, bytes)) return false;
    *cost = o.device_seconds - curve.device_seconds;
    return true;
}

static bool msp_curve(msp_job *job, const gputune_saturation_desc *desc, const char *config_text,
                      gputune_curve *curve)
{
    gputune_kernel *kernel = msp_kernel(job, NULL);
    const gputune_space *space = msp_space(job, kernel);
    gputune_config config;
    bool ok = space != NULL;
    if (ok && !gputune_config_parse(space, config_text ? config_text : "", &config)) {
        msp_say(job, "no configuration %s", config_text);
        ok = false;
    }
    if (ok && gputune_kernel_curve(kernel, desc, config_text ? &config : NULL, job->data.args,
                               job->data.arg_count, curve) != GPUTUNE_OK) {
        msp_say(job, "curve: %s", gputune_kernel_error(kernel)->text);
        ok = false;
    }
    gputune_kernel_destroy(kernel);
    return ok && curve->saturation.msp >= 0;
}

static const char *msp_verdict(const gputune_curve *curve)
{
    static const char *const words[] = {
#define MSP_WORD(name, word) word,
        GPUTUNE_VERDICTS(MSP_WORD)
#undef MSP_WORD
    };
    return words[curve->saturation.verdict];
}

static double msp_items_at(const gputune_curve *curve, int index)
{
    return curve->size[index]; // the ladder counts work-items
}

static bool msp_write_csv(const msp_job *job, const char *suffix, const gputune_curve *curve)
{
    char path[1024];
    FILE *file;
    if (!job->settings->csv) return true;
    snprintf(path, sizeof path, "%s/%s%s.csv", job->settings->csv, job->p->base.name, suffix);
    file = fopen(path, "w");
    if (!file) {
        msp_say(job, "%s: %s", path, strerror(errno));
        return false;
    }
    fprintf(file, "kernel,size,work,median_s,throughput\n");
    for (int i = 0; i < curve->count; i++)
        fprintf(file, "%s,%.0f,%.9g,%.6g,%.6g\n", job->p->base.name, curve->size[i],
                curve->work[i], curve->seconds[i], curve->work[i] / curve->seconds[i]);
    return fclose(file) == 0;
}

// Launches the configuration on fresh data and compares some of the output with plain C.
static bool msp_verify(msp_job *job, gputune_kernel *kernel, const gputune_config *config)
{
    char why[256] = "", text[256];
    const case_buffer *output = &job->data.buffers[job->data.buffer_count - 1];
    const double samples = 2e7 / (job->data.work / ((double)output->bytes / 4));
    gputune_config_text(config, text, sizeof text);
    if (!case_reset(&job->data) ||
        gputune_kernel_launch(kernel, config, job->data.args, job->data.arg_count) != GPUTUNE_OK) {
        msp_say(job, "%s: %s", text, gputune_kernel_error(kernel)->text);
        return false;
    }
    if (!case_check(&job->data, samples < 2000 ? (size_t)samples + 2 : 2000, why, sizeof why)) {
        msp_say(job, "wrong output with %s: %s", text, why);
        return false;
    }
    return case_reset(&job->data);
}

// Times the default and the winners in turn at the target; seconds[0] is the default's. Their
// outputs are verified first.
static bool msp_compare(msp_job *job, char (*winners)[512], int count, double *seconds)
{
    static double rounds[MSP_VALUES][MSP_ROUNDS];
    gputune_kernel *kernel = msp_kernel(job, NULL);
    const gputune_space *space = msp_space(job, kernel);
    const double begin = gputune_now(), allowed = fmax(0.1 * job->share, 0.7 * msp_left(job));
    gputune_config configs[MSP_VALUES];
    int done = 0, samples = 5;
    bool ok = space != NULL && count < MSP_VALUES;
    for (int i = 0; ok && i <= count; i++) {
        ok = gputune_config_parse(space, i ? winners[i - 1] : "", &configs[i]);
        if (!ok) msp_say(job, "%s cannot be read", i ? winners[i - 1] : "the default");
        if (ok) ok = msp_verify(job, kernel, &configs[i]);
    }
    for (; ok && done < MSP_ROUNDS; done++) {
        if (done >= 3 && gputune_now() - begin > allowed) break;
        for (int i = 0; ok && i <= count; i++) {
            gputune_stats stats;
            ok = gputune_kernel_time(kernel, &configs[i], job->data.args, job->data.arg_count,
                                     samples, &stats) == GPUTUNE_OK;
            if (!ok) msp_say(job, "%s", gputune_kernel_error(kernel)->text);
            rounds[i][done] = stats.median;
        }
        if (gputune_now() - begin > allowed / MSP_ROUNDS) samples = 1;
    }
    if (ok && done < MSP_ROUNDS) msp_say(job, "only %d rounds at the end, for time", done);
    for (int i = 0; ok && i <= count; i++) {
        char mine[512], other[512];
        int same = i;
        seconds[i] = gputune_stats_of(rounds[i], done).median;
        gputune_config_text(&configs[i], mine, sizeof mine);
        for (int k = 0; k < i && same == i; k++)
            if (strcmp(mine, gputune_config_text(&configs[k], other, sizeof other)) == 0) same = k;
        seconds[i] = seconds[same]; // one configuration has one time
    }
    gputune_kernel_destroy(kernel);
    return ok;
}

// ---------------------------------------------------------------------------------------------
// All programs, each in a process of its own
// ---------------------------------------------------------------------------------------------

typedef bool (*msp_program_fn)(msp_job *job);

// In the child: opens the device and does one program.
static int msp_child(const msp_settings *s, const program_kind *p, double share, int pipe,
                     msp_program_fn run)
{
    msp_job job;
    bool ok;
    memset(&job, 0, sizeof job);
    job.settings = s;
    job.p = p;
    job.begin = gputune_now();
    job.share = share;
    job.pipe = pipe;
    job.device = bench_device(s->api);
    if (gputune_device_error(job.device)->result != GPUTUNE_OK) {
        msp_say(&job, "%s", gputune_device_error(job.device)->text);
        return 3;
    }
    ok = run(&job);
    if (job.data.buffer_count) case_free(&job.data);
    gputune_device_destroy(job.device);
    msp_say(&job, "%s, %.1f s of %.1f", ok ? "done" : "FAILED", gputune_now() - job.begin, share);
    return ok ? 0 : 1;
}

// Sums of logarithms by name.
typedef struct msp_means {
    msp_value sums[MSP_VALUES];
    int counts[MSP_VALUES];
    int count;
} msp_means;

static void msp_add_value(msp_means *means, const msp_value *value)
{
    int i = 0;
    while (i < means->count && strcmp(means->sums[i].name, value->name) != 0) i++;
    if (i == MSP_VALUES || !(value->value > 0) || isinf(value->value)) return;
    if (i == means->count) {
        means->sums[i] = *value;
        means->sums[i].value = 0;
        means->counts[i] = 0;
        means->count++;
    }
    means->sums[i].value += log(value->value);
    means->counts[i]++;
}

// Reads what the child sends until it ends; kills one that is far over its time.
static int msp_wait(pid_t child, int pipe, double limit, msp_means *means)
{
    const double end = gputune_now() + limit;
    msp_value value;
    int status = 0;
    pid_t ended = 0;
    while (!ended) {
        ended = waitpid(child, &status, WNOHANG);
        if (!ended && gputune_now() > end) {
            kill(child, SIGKILL);
            ended = waitpid(child, &status, 0);
            fprintf(stderr, "it took longer than %.0f s and was ended\n", limit);
        }
        if (!ended) gputune_sleep(0.02);
    }
    while (read(pipe, &value, sizeof value) == (ssize_t)sizeof value) msp_add_value(means, &value);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Says once on what all runs; a child, so that the parent never touches a driver (CUDA does not
// survive a fork). Exit status of 10: a processor of few cores.
static int msp_describe(const msp_settings *s)
{
    gputune_device *device = bench_device(s->api);
    const gputune_limits *limits;
    bool small;
    if (gputune_device_error(device)->result != GPUTUNE_OK) {
        fprintf(stderr, "bench: %s\n", gputune_device_error(device)->text);
        return 3;
    }
    limits = gputune_device_limits(device);
    fprintf(stderr, "%s, driver %s\n", limits->name, limits->driver);
    small = !limits->is_gpu && limits->compute_units < 8;
    gputune_device_destroy(device);
    return small ? 10 : 0;
}

static int msp_fork_describe(const msp_settings *s)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) exit(msp_describe(s));
    if (child < 0 || waitpid(child, &status, 0) < 0) return 3;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

// One program in its own process. False: it failed, and that was said.
static bool msp_fork(const msp_settings *s, const program_kind *p, double share, msp_program_fn run,
                     msp_means *means)
{
    int ends[2], status;
    pid_t child;
    if (pipe(ends) != 0) return perror("bench: pipe"), false;
    fflush(stdout);
    child = fork();
    if (child == 0) {
        close(ends[0]);
        exit(msp_child(s, p, share, ends[1], run));
    }
    close(ends[1]);
    status = child > 0 ? msp_wait(child, ends[0], 1.3 * share + 10, means) : 3;
    close(ends[0]);
    if (status) fprintf(stderr, "bench: %s failed (status %d)\n", p->base.name, status);
    return status == 0;
}

// quick: the programs of the reduced set, the names of which end with NULL.
static int msp_main(msp_settings *s, const char *const *quick, msp_program_fn run, msp_means *means)
{
    const double begin = gputune_now();
    const int what = msp_fork_describe(s);
    int left = 0, failed = 0;
    memset(means, 0, sizeof *means);
    if (what != 0 && what != 10) return 1;
    if (what == 10 && s->name_count == 0) s->quick = true;
    if (s->quick) {
        if (s->seconds > 110) s->seconds = 110;
        if (s->name_count == 0)
            for (; quick[s->name_count]; s->name_count++)
                s->names[s->name_count] = quick[s->name_count];
        fprintf(stderr, "the reduced set, %.0f s\n", s->seconds);
    }
    for (int i = 0; i < PROGRAM_COUNT; i++) left += msp_selects(s, &programs[i]);
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        double share;
        if (!msp_selects(s, &programs[i])) continue;
        share = (s->seconds - (gputune_now() - begin)) / left--;
        if (share < 1) {
            fprintf(stderr, "bench: %s: no time is left for it\n", programs[i].base.name);
            failed++;
        } else
            failed += !msp_fork(s, &programs[i], share, run, means);
    }
    return failed;
}

// Geometric mean of the values of that name, as a row; with how many they were.
static void msp_print_mean(const msp_means *means, const char *name, const char *unit)
{
    for (int i = 0; i < means->count; i++)
        if (strcmp(means->sums[i].name, name) == 0)
            printf("result\tmean.%s\t%.6g\t%s (%d programs)\n", name,
                   exp(means->sums[i].value / means->counts[i]), unit, means->counts[i]);
}

#endif
