// Adapting to the input (G-ADAPT+ 3.3, 4): of seven programs, each on 12 to 18 inputs, how good
// a configuration is that was predicted from the features of an input that was left out, beside the
// best one for it, found by trying all.
//
//     sh bench/run.sh adapt [met] [cuda|opencl|pocl] [PROGRAM ...] [options]
//
//   met               instead: what gputune_run does at an input left out of a store of searches
//   cuda, opencl, pocl  the device: NVIDIA's through CUDA, a GPU through OpenCL, the processor
//                     through PoCL; none: the best OpenCL device
//   PROGRAM           names or parts of names; none: all
//   --quick           for two cores: at most 12 configurations and 6 small inputs of a program
//   --dump FILE       writes all times
//   --load FILE       learns from such a file; no device is needed. With met: the same device's,
//                     to know which configurations are good; nothing is tried out exhaustively
//   --trials N        met: of a search (20), the default's trial included
//   --searched N      with --load: what a store of searches of N trials teaches; see below
//   --seed N          of those searches (0); --show: a line to stderr for each input
//
// Every configuration is compiled once and launched on every input (on a processor they are
// smaller): two launches to warm up, then the median of five batches of 0.3 ms, one in each of five
// rounds over all of them: what disturbs the machine for a while spoils one batch of one and not
// all. The best six of an input and the default are then timed again, in turn, eleven batches each.
// Outputs are compared with plain C at up to 64 places. What fails, or is wrong, counts as failed.
//
// Rows: result<TAB>PROGRAM.name<TAB>value<TAB>unit; `all` is over the programs.
//   inputs, configs, failed   how many
//   loo_accuracy      rate: predictions within 5 % of that input's best time
//   loo_fraction      best time / predicted one's, geometric mean; all: of the programs' means
//   default_fraction  best time / default's, likewise
//   worst_fraction    the least of the predictions; all: of all
//   worst_to_default  the least of default's time / predicted one's: 1 is never below the default
//   common_fraction   of the one configuration that is best over the other inputs
//   neighbours.fraction  as the model of all inputs says it of itself, by inputs left out
//   learn             seconds to learn from all inputs, inputs left out in turn included
//   score, refused    worst_to_default as the model of all inputs says it (learned once; the row
//                     above learns all anew without each input), and 1 where gputune_run, had it
//                     these times, would for that alone run no prediction at once: below 0.98, or
//                     no model; all: programs. It would have those of the nearest 16 problems only
//
// met: every input is searched by itself with 20 trials and the usual strategy, each into a store
// of its own. Then each is left out: a store of the other searches' answers, journals and binaries
// is put together, and a new kernel's first gputune_run at the input measured, in four ways:
//   alone             with an empty store: the search of before
//   once              .tune.refine = -1: the prediction runs at once (`used`) if it can be trusted,
//                     else the problem is tuned with 20 trials (`anew`), which begin with what the
//                     two nearest problems' searches found
//   refine            .tune.refine = 5: where two others have answers five trials and the
//                     default's, and the race (`refined`), else 20 (`anew`)
//   first             .tune.refine = 0, the usual: 20 trials, which begin so, too.
//                     Where `once` tuned anew it did the same, and counts here, too
// Problems are powers of two to gputune_run: where another input rounds to the same ones its answer
// runs (`known`). Of several such the first was searched for all. Those are in the shares and the
// rows `known`, and in no other seconds and losses.
//
// What ran in each way, the predictions, the default and the table's best six are then timed in
// turn, eleven batches each; the least median is the best one. So no loss is below 0, and noise
// adds a percent or so (more where a launch takes 5 us) to all of them, alone's included. A search
// of 20 trials tries a fifth to a half of these spaces (42 to 102 configurations): with larger ones
// all lose more.
// Rows: PROGRAM.met.NAME; all: over all inputs. WAY is one of the above; WHAT a way, or `known`,
// `used` (at once), `used_alone` (the search without others at the same inputs), `predicted`
// (whatever ran), `unused` (predicted, but not run at once).
//   inputs            left out in turn
//   known             share of inputs, as are the next ones and all but seconds and losses
//   no_model          none was better than the default
//   outside, low_score  the problem is not between those tuned; worst_to_default of the model from
//                     20 trials an input is below 0.98: the reasons not to run a prediction at
//                     once. An input may count in both
//   other             none of these, but the configuration failed somewhere, or a default did
//   score             median of these worst_to_default
//   WAY_used, WAY_refined, WAY_anew   what gputune_run did
//   WAY_failed        error, wrong output, or the default because tuning failed; in no other row
//   WAY_seconds, WAY_seconds_most   mean and most: from gputune_kernel_create to the launch's end.
//                     Opening device and store is not in it, nor a driver's own cache of code
//   WHAT_loss, WHAT_loss_worst   time of what ran / the best's - 1: geometric mean, and largest
//   WHAT_to_default   the least of default's time / that of what ran
//   known_seconds, used_seconds   means of `once`
// --searched N: each input is searched on the table, N trials of the usual strategy; the others'
// trials and answers, and not the table, are what is learned about one left out. Rows
// PROGRAM.searched.NAME; all: over all inputs. Fractions, means of best time / chosen's, geometric:
//   alone             of the search of N trials itself
//   once, once_worst  of the prediction, or the default where there is no model
//   refused           share that gputune_run would not have run at once
//   used, used_to_default   of the others; the least of default's time / theirs
//   tenth, tenth_worst      of a tenth of the trials and the default's, that begin with it and the
//                     five best of the two nearest inputs' searches, and go on with the search's
//                     own
//   again, again_worst      of N trials that begin so
//   agreed, taken, taken_to_default   share of inputs at which the nearest three answers are one,
//                     how good it is there, and at worst beside the default: what is 2 % slower is
//                     not taken over
//
// Not in it: several inputs left out together, stores that grow input by input, refine together
// with .exact, other budgets, the cost of the searches that the store is made of (alone_seconds
// each). A kernel with memory to work in (sum) has a check of its own.
#define _POSIX_C_SOURCE 200809L
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include <dirent.h>
#include <sys/stat.h>

#include "../examples/cases.h"
#include "device.h"

enum { MOST_INPUTS = 18, MOST_CONFIGS = 256, MOST_NAMES = 16, PLACES = 64, MOST_PARAMS = 8 };
enum { QUICK_CONFIGS = 12, QUICK_INPUTS = 6, SAMPLES = 5, AGAIN = 11, FINALISTS = 6 };
enum { MET_TRIALS = 20, MET_REFINE = 5, MET_RUNS = 5, LENGTH = 1024 };

// Multiply-adds of an input that a processor, and two cores of it, can do some hundred times; an
// element read takes as long as eight. Larger inputs are cut to a quarter until they fit.
#define PROCESSOR_MOST 3.4e7
#define QUICK_MOST 3.4e6
#define BATCH_SECONDS 300e-6

typedef struct program {
    example_case base;
    const char *features[3]; // of the size
    int inputs[MOST_INPUTS][3];
} program;

typedef struct settings {
    const char *api, *dump, *load, *names[MOST_NAMES];
    int name_count, trials, searched, seed;
    bool quick, met, show;
} settings;

// What was measured of one program.
typedef struct table {
    char name[64], features[3][64];
    int feature_count, input_count, config_count, param_count;
    char *params[MOST_PARAMS][3]; // name, values, default
    double inputs[MOST_INPUTS][3];
    char *configs[MOST_CONFIGS];
    double seconds[MOST_INPUTS][MOST_CONFIGS]; // infinite: failed
} table;

// One program on the device.
typedef struct job {
    const settings *s;
    const program *p;
    table *t;
    gputune_device *device;
    gputune_kernel *kernel;
    case_data data[MOST_INPUTS];
    size_t places[MOST_INPUTS][PLACES];
    double expected[MOST_INPUTS][PLACES], magnitude[MOST_INPUTS][PLACES];
    int place_count[MOST_INPUTS];
    gt__variant variants[MOST_CONFIGS];
    double best[MOST_INPUTS];
    int extra; // configurations behind the table's, that something else came up with
} job;

typedef struct totals {
    double logs, default_logs, common_logs, worst, worst_to_default, hits;
    int programs, inputs, refused;
} totals;

// ---------------------------------------------------------------------------------------------
// Programs
// ---------------------------------------------------------------------------------------------

static void scalars(case_data *data, int count)
{
    for (int i = 0; i < count; i++) case_arg(data, gputune_int(data->size[i]));
}

// Random inputs of these lengths and one output.
static void buffers(case_data *data, size_t first, size_t second, size_t output)
{
    case_add_random(data, first);
    if (second) case_add_random(data, second);
    case_add_output(data, output);
    case_upload(data);
    case_arg(data, case_in(data, 0));
    if (second) case_arg(data, case_in(data, 1));
    case_arg(data, case_out(data, data->buffer_count - 1));
}

static size_t size_of(const case_data *data, int i)
{
    return (size_t)data->size[i];
}

// The scalar product of x, and y or ones, steps apart.
static double product(const float *x, size_t x_step, const float *y, size_t y_step, size_t count,
                      double *magnitude)
{
    double sum = *magnitude = 0;
    for (size_t i = 0; i < count; i++) {
        const double term = (double)x[i * x_step] * (y ? (double)y[i * y_step] : 1);
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

static void make_mv(case_data *data)
{
    scalars(data, 2);
    buffers(data, size_of(data, 0) * size_of(data, 1), size_of(data, 1), size_of(data, 0));
    data->work = (double)data->size[0] * data->size[1];
}

static double expected_mv(const case_data *data, size_t row, double *magnitude)
{
    const size_t columns = size_of(data, 1);
    return product(case_floats(data, 0) + row * columns, 1, case_floats(data, 1), 1, columns,
                   magnitude);
}

static void make_reduction(case_data *data)
{
    scalars(data, 2);
    buffers(data, size_of(data, 0) * size_of(data, 1), 0, size_of(data, 0));
    data->work = (double)data->size[0] * data->size[1];
}

static double expected_reduction(const case_data *data, size_t segment, double *magnitude)
{
    const size_t length = size_of(data, 1);
    return product(case_floats(data, 0) + segment * length, 1, NULL, 0, length, magnitude);
}

static void make_scalar(case_data *data)
{
    const size_t n = size_of(data, 0) * size_of(data, 1);
    scalars(data, 2);
    buffers(data, n, n, size_of(data, 0));
    data->work = (double)n;
}

static double expected_scalar(const case_data *data, size_t pair, double *magnitude)
{
    const size_t length = size_of(data, 1);
    return product(case_floats(data, 0) + pair * length, 1, case_floats(data, 1) + pair * length, 1,
                   length, magnitude);
}

static void make_sum(case_data *data)
{
    int32_t *ended;
    scalars(data, 1);
    case_add_random(data, size_of(data, 0));
    case_add_output(data, 1024);
    ended = (int32_t *)case_add(data, 1);
    if (ended) *ended = 0;
    case_add_output(data, 1);
    case_upload(data);
    case_arg(data, case_in(data, 0));
    case_arg(data, case_inout(data, 1));
    case_arg(data, case_inout(data, 2));
    case_arg(data, case_out(data, 3));
    data->work = (double)data->size[0];
}

static double expected_sum(const case_data *data, size_t index, double *magnitude)
{
    (void)index;
    return product(case_floats(data, 0), 1, NULL, 0, size_of(data, 0), magnitude);
}

static void make_transpose(case_data *data)
{
    const size_t n = size_of(data, 0) * size_of(data, 1);
    scalars(data, 2);
    buffers(data, n, 0, n);
    data->work = (double)n;
}

static double expected_transpose(const case_data *data, size_t index, double *magnitude)
{
    const size_t rows = size_of(data, 0), columns = size_of(data, 1);
    *magnitude = 0;
    return (double)case_floats(data, 0)[index % rows * columns + index / rows];
}

static void make_mm(case_data *data)
{
    const size_t m = size_of(data, 0), n = size_of(data, 1), k = size_of(data, 2);
    scalars(data, 3);
    buffers(data, m * k, k * n, m * n);
    data->work = (double)m * (double)n * (double)k;
}

static double expected_mm(const case_data *data, size_t index, double *magnitude)
{
    const size_t n = size_of(data, 1), k = size_of(data, 2);
    return product(case_floats(data, 0) + index / n * k, 1, case_floats(data, 1) + index % n, n, k,
                   magnitude);
}

static void make_convolution(case_data *data)
{
    const size_t n = size_of(data, 0) * size_of(data, 1);
    scalars(data, 3);
    buffers(data, n, size_of(data, 2) * size_of(data, 2), n);
    data->work = (double)n * data->size[2] * data->size[2];
}

#define FILE_OF(name) "bench/kernels/adapt_" name ".cl", "adapt_" name, NULL, "", 2e-6

static const program programs[] = {
    { { "mv", FILE_OF("mv"), { 0 }, { 0 }, make_mv, expected_mv },
      { "rows", "columns", NULL },
      { { 1048576, 16, 0 }, { 262144, 64, 0 }, { 65536, 256, 0 }, { 16384, 1024, 0 },
        { 4096, 4096, 0 }, { 1024, 16384, 0 }, { 256, 65536, 0 }, { 64, 262144, 0 },
        { 16, 1048576, 0 }, { 65536, 32, 0 }, { 8192, 128, 0 }, { 1024, 1024, 0 },
        { 256, 4096, 0 }, { 64, 16384, 0 }, { 100000, 100, 0 }, { 3000, 3000, 0 } } },
    { { "reduction", FILE_OF("reduction"), { 0 }, { 0 }, make_reduction, expected_reduction },
      { "segments", "length", NULL },
      { { 262144, 32, 0 }, { 65536, 256, 0 }, { 16384, 1024, 0 }, { 4096, 4096, 0 },
        { 1024, 16384, 0 }, { 256, 65536, 0 }, { 64, 262144, 0 }, { 16, 1048576, 0 },
        { 16384, 64, 0 }, { 1024, 256, 0 }, { 256, 1024, 0 }, { 64, 8192, 0 }, { 1000, 5000, 0 },
        { 8, 4096, 0 } } },
    { { "scalar", FILE_OF("scalar"), { 0 }, { 0 }, make_scalar, expected_scalar },
      { "pairs", "length", NULL },
      { { 131072, 32, 0 }, { 32768, 256, 0 }, { 8192, 1024, 0 }, { 2048, 4096, 0 },
        { 512, 16384, 0 }, { 128, 65536, 0 }, { 32, 262144, 0 }, { 8192, 64, 0 },
        { 1024, 256, 0 }, { 256, 4096, 0 }, { 64, 1024, 0 }, { 1000, 3000, 0 } } },
    { { "sum", FILE_OF("sum"), { 0 }, { 0 }, make_sum, expected_sum },
      { "n", NULL, NULL },
      { { 1024, 0, 0 }, { 4096, 0, 0 }, { 16384, 0, 0 }, { 65536, 0, 0 }, { 200000, 0, 0 },
        { 524288, 0, 0 }, { 1048576, 0, 0 }, { 2097152, 0, 0 }, { 4194304, 0, 0 },
        { 10000000, 0, 0 }, { 16777216, 0, 0 }, { 33554432, 0, 0 }, { 67108864, 0, 0 } } },
    { { "transpose", FILE_OF("transpose"), { 0 }, { 0 }, make_transpose, expected_transpose },
      { "rows", "columns", NULL },
      { { 128, 128, 0 }, { 256, 256, 0 }, { 512, 512, 0 }, { 1024, 1024, 0 }, { 2048, 2048, 0 },
        { 4096, 4096, 0 }, { 8192, 8192, 0 }, { 1024, 256, 0 }, { 4096, 1024, 0 },
        { 256, 1024, 0 }, { 1024, 4096, 0 }, { 8192, 128, 0 }, { 65536, 256, 0 },
        { 128, 8192, 0 }, { 256, 65536, 0 }, { 1000, 3000, 0 }, { 3000, 1000, 0 } } },
    { { "mm", FILE_OF("mm"), { 0 }, { 0 }, make_mm, expected_mm },
      { "m", "n", "k" },
      { { 64, 64, 64 }, { 128, 128, 128 }, { 256, 256, 256 }, { 512, 512, 512 },
        { 1024, 1024, 1024 }, { 2048, 2048, 2048 }, { 64, 1024, 1024 }, { 128, 2048, 2048 },
        { 1024, 64, 1024 }, { 2048, 128, 2048 }, { 1024, 1024, 64 }, { 2048, 2048, 128 },
        { 128, 128, 4096 }, { 256, 256, 4096 }, { 2048, 512, 512 }, { 512, 2048, 512 },
        { 300, 400, 500 }, { 1000, 700, 800 } } },
    { { "convolution", FILE_OF("convolution"), { 0 }, { 0 }, make_convolution, case_convolution },
      { "width", "height", "size" },
      { { 256, 256, 3 }, { 512, 512, 3 }, { 1024, 1024, 3 }, { 2048, 2048, 3 }, { 256, 256, 7 },
        { 512, 512, 7 }, { 1024, 1024, 7 }, { 2048, 2048, 7 }, { 256, 256, 15 },
        { 512, 512, 15 }, { 1024, 1024, 15 }, { 2048, 2048, 15 }, { 4096, 1024, 5 },
        { 1024, 4096, 5 }, { 2048, 512, 11 }, { 512, 2048, 11 }, { 1920, 1080, 9 } } },
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

// Of an input, before its data are made.
static double work_of(const program *p, const int size[3])
{
    double work = 1;
    for (int i = 0; i < 3 && p->features[i]; i++) work *= size[i];
    if (p->base.make == make_convolution) return work * size[2];
    return p->base.make == make_mm ? work : 8 * work;
}

// ---------------------------------------------------------------------------------------------
// Command line, device, rows
// ---------------------------------------------------------------------------------------------

static void usage(const char *what, const char *why)
{
    fprintf(stderr, "bench: %s %s\n", what, why);
    exit(2);
}

static settings parse(int argc, char **argv)
{
    settings s;
    memset(&s, 0, sizeof s);
    s.api = "";
    s.trials = MET_TRIALS;
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(o, "--quick") == 0) {
            s.quick = true;
        } else if (strcmp(o, "--dump") == 0) {
            s.dump = next, i++;
        } else if (strcmp(o, "--load") == 0) {
            s.load = next, i++;
        } else if (strcmp(o, "--trials") == 0) {
            s.trials = next ? atoi(next) : 0, i++;
            if (s.trials < 2) usage(o, "wants a number from 2");
        } else if (strcmp(o, "--searched") == 0) {
            s.searched = next ? atoi(next) : 0, i++;
            if (s.searched < 2 || s.searched > 256) usage(o, "wants a number from 2 to 256");
        } else if (strcmp(o, "--seed") == 0) {
            s.seed = next ? atoi(next) : 0, i++;
        } else if (strcmp(o, "--show") == 0) {
            s.show = true;
        } else if (strcmp(o, "met") == 0) {
            s.met = true;
        } else if (strcmp(o, "cuda") == 0 || strcmp(o, "opencl") == 0 || strcmp(o, "pocl") == 0) {
            s.api = o;
        } else {
            if (o[0] == '-' || s.name_count == MOST_NAMES) usage(o, "is not known");
            s.names[s.name_count++] = o;
        }
        if (i >= argc) usage(o, "wants a word");
    }
    return s;
}

static bool selects(const settings *s, const char *name)
{
    for (int i = 0; i < s->name_count; i++)
        if (strstr(name, s->names[i])) return true;
    return s->name_count == 0;
}

static void row(const char *whose, const char *name, double value, const char *unit)
{
    printf("result\t%s.%s\t%.6g\t%s\n", whose, name, value, unit);
    fflush(stdout);
}

// ---------------------------------------------------------------------------------------------
// Measuring
// ---------------------------------------------------------------------------------------------

static bool fail(const job *j, const char *what, const char *why)
{
    fprintf(stderr, "bench: %s: %s: %s\n", j->p->base.name, what, why);
    return false;
}

static case_buffer *output_of(case_data *data)
{
    return &data->buffers[data->buffer_count - 1];
}

// Data of an input and what is expected of it.
static bool make_input(job *j, const int size[3])
{
    const int at = j->t->input_count;
    case_data *data = &j->data[at];
    size_t count;
    double elements;
    if (!case_make(data, &j->p->base, j->device, size, (uint64_t)at + 1))
        return fail(j, "data", gputune_device_error(j->device)->text);
    j->t->input_count++;
    for (int i = 0; i < j->t->feature_count; i++) j->t->inputs[at][i] = size[i];
    count = output_of(data)->bytes / 4;
    elements = data->work / (double)count; // terms of one
    j->place_count[at] = elements > 1e5 ? 4 : elements > 1e4 ? 16 : PLACES;
    for (int i = 0; i < j->place_count[at]; i++) {
        size_t place = case_random(data, (uint32_t)count);
        place = i == 0 ? 0 : i == 1 ? count - 1 : place;
        j->places[at][i] = place;
        j->expected[at][i] = j->p->base.expected(data, place, &j->magnitude[at][i]);
    }
    return true;
}

static bool is_there(const table *t, const int size[3])
{
    for (int i = 0; i < t->input_count; i++) {
        bool same = true;
        for (int f = 0; f < t->feature_count; f++) same = same && t->inputs[i][f] == size[f];
        if (same) return true;
    }
    return false;
}

static bool make_inputs(job *j)
{
    const bool processor = !gputune_device_limits(j->device)->is_gpu;
    const double most = j->s->quick ? QUICK_MOST : processor ? PROCESSOR_MOST : HUGE_VAL;
    for (int i = 0; i < MOST_INPUTS && j->p->inputs[i][0]; i++) {
        int size[3];
        memcpy(size, j->p->inputs[i], sizeof size);
        while (work_of(j->p, size) > most && size[0] >= 4) size[0] /= 4;
        if (is_there(j->t, size)) continue;
        if (j->s->quick && j->t->input_count == QUICK_INPUTS) break;
        if (!make_input(j, size)) return false;
    }
    return true;
}

// The launch of a variant on an input, compiled at the first.
static gputune_result plan(job *j, int config, int input, gt__call *call,
                           gputune_driver_launch *launch)
{
    gputune_kernel *k = j->kernel;
    gputune_error *error = &k->base.error;
    const case_data *data = &j->data[input];
    gt__variant *v = &j->variants[config];
    gputune_result result =
        gt__kernel_bind(k, &v->config, data->args, data->arg_count, call, error);
    if (result == GPUTUNE_OK) result = gt__variant_shape(k, call, v, error);
    if (result == GPUTUNE_OK && !v->code)
        result = gt__variant_compile(k, v, error);
    if (result == GPUTUNE_OK) gt__variant_launch(v, call->bound, call->count, launch);
    return result;
}

// Seconds of one launch: the mean of a batch.
static gputune_result time_batch(job *j, int config, int input, int batch, double *seconds)
{
    gt__call call;
    gputune_driver_launch launch;
    gputune_result result = plan(j, config, input, &call, &launch);
    if (result == GPUTUNE_OK)
        result = j->device->driver.time(j->device->self, j->variants[config].code, &launch, batch,
                                        30, 60, seconds, &j->kernel->base.error);
    *seconds /= batch;
    return result;
}

static bool output_right(job *j, int config, int input)
{
    case_data *data = &j->data[input];
    for (int i = 0; i < j->place_count[input]; i++) {
        float got;
        gputune_error error;
        const double expected = j->expected[input][i];
        if (j->device->driver.read(j->device->self, output_of(data)->buffer,
                                   4 * j->places[input][i], &got, 4, &error) != GPUTUNE_OK)
            return fail(j, "output", error.text);
        if (fabs((double)got - expected) <= j->p->base.tolerance * j->magnitude[input][i]) continue;
        fprintf(stderr, "bench: %s: %s: output[%zu] is %.9g, expected %.9g\n", j->p->base.name,
                j->t->configs[config], j->places[input][i], (double)got, expected);
        return false;
    }
    return true;
}

static int batch_of(double seconds)
{
    const double batch = seconds > 0 ? BATCH_SECONDS / seconds : 1;
    return batch < 1 ? 1 : batch > 100 ? 100 : (int)batch + 1;
}

// False: the device is lost. What fails otherwise becomes infinite.
static bool failed(job *j, int config, int input, gputune_result result)
{
    j->t->seconds[input][config] = HUGE_VAL;
    if (result == GPUTUNE_ERROR_DEVICE_LOST) return fail(j, "device", j->kernel->base.error.text);
    fprintf(stderr, "bench: %s: %s: %s\n", j->p->base.name, j->t->configs[config],
            j->kernel->base.error.text);
    return true;
}

// The first two launches. False: the device is lost.
static bool try_out(job *j, int config, int input)
{
    case_data *data = &j->data[input];
    double one = 0;
    gputune_error error;
    gputune_result result = j->device->driver.fill(j->device->self, output_of(data)->buffer, 0,
                                                   0xff, output_of(data)->bytes, &error); // NaN
    if (result == GPUTUNE_OK) result = time_batch(j, config, input, 1, &one);
    if (result == GPUTUNE_OK && !output_right(j, config, input)) return true;
    if (result == GPUTUNE_OK) result = time_batch(j, config, input, 1, &one);
    if (result != GPUTUNE_OK) return failed(j, config, input, result);
    j->t->seconds[input][config] = one;
    j->best[input] = fmin(j->best[input], one);
    return true;
}

// Rounds over all that may win. False: the device is lost.
static bool measure(job *j)
{
    static double samples[MOST_CONFIGS][MOST_INPUTS][SAMPLES];
    for (int r = 0; r < SAMPLES; r++)
        for (int c = 0; c < j->t->config_count; c++)
            for (int i = 0; i < j->t->input_count; i++) {
                const double one = j->t->seconds[i][c];
                gputune_result result;
                if (!(one < HUGE_VAL) || (one > 3 * j->best[i] && one > 1e-3)) continue;
                result = time_batch(j, c, i, batch_of(one), &samples[c][i][r]);
                if (result != GPUTUNE_OK && !failed(j, c, i, result)) return false;
                if (result == GPUTUNE_OK && r == SAMPLES - 1)
                    j->t->seconds[i][c] = gputune_stats_of(samples[c][i], SAMPLES).median;
            }
    return true;
}

// The default (configuration 0) and the best few of the table; returns how many. *slowest: the
// last one's time.
static int finalists_of(const table *t, int input, int finalists[FINALISTS + 1], double *slowest)
{
    const double *seconds = t->seconds[input];
    int count = 1;
    finalists[0] = 0;
    *slowest = 0;
    while (count <= FINALISTS) {
        int best = -1;
        for (int c = 1; c < t->config_count; c++) {
            bool taken = false;
            for (int f = 1; f < count; f++) taken = taken || finalists[f] == c;
            if (!taken && seconds[c] < HUGE_VAL && (best < 0 || seconds[c] < seconds[best]))
                best = c;
        }
        if (best < 0) break;
        *slowest = seconds[best];
        finalists[count++] = best;
    }
    return count;
}

// Medians of configurations that are timed in turn, in batches for the slowest finalist; infinite:
// it failed, now or in the table.
static void time_in_turn(job *j, int input, const int *configs, int count, double slowest,
                         double *medians)
{
    static double samples[FINALISTS + 1 + MET_RUNS][AGAIN];
    for (int r = 0; r < AGAIN; r++)
        for (int f = 0; f < count; f++) {
            const int c = configs[f];
            const bool failed = c < j->t->config_count && !(j->t->seconds[input][c] < HUGE_VAL);
            if (failed || time_batch(j, c, input, batch_of(slowest), &samples[f][r]) != GPUTUNE_OK)
                samples[f][r] = HUGE_VAL;
        }
    for (int f = 0; f < count; f++) medians[f] = gputune_stats_of(samples[f], AGAIN).median;
}

// A minimum over many medians is too good.
static void measure_again(job *j, int input)
{
    int finalists[FINALISTS + 1];
    double medians[FINALISTS + 1], slowest;
    const int count = finalists_of(j->t, input, finalists, &slowest);
    time_in_turn(j, input, finalists, count, slowest, medians);
    for (int f = 0; f < count; f++) j->t->seconds[input][finalists[f]] = medians[f];
}

// The default first; with --quick some of the others.
static bool list_configs(job *j, const gputune_space *space)
{
    const uint64_t count = gputune_space_count(space);
    const gputune_config standard = gputune_space_default(space);
    const uint64_t step =
        j->s->quick && count > QUICK_CONFIGS ? (count + QUICK_CONFIGS - 1) / QUICK_CONFIGS : 1;
    if (count > MOST_CONFIGS) return fail(j, "space", "too many configurations");
    for (uint64_t i = 0; i <= count; i += i ? step : 1) {
        char text[512];
        gputune_config config = i ? gputune_space_at(space, i - 1) : standard;
        if (i && gt__same_choice(&config, &standard)) continue;
        j->variants[j->t->config_count].config = config;
        j->t->configs[j->t->config_count++] =
            strdup(gputune_config_text(&config, text, sizeof text));
    }
    for (int c = 0; c < j->t->config_count; c++)
        for (int i = 0; i < j->t->input_count; i++) j->t->seconds[i][c] = HUGE_VAL;
    return true;
}

static void list_params(job *j, const gputune_space *space)
{
    const gputune_config standard = gputune_space_default(space);
    table *t = j->t;
    for (int p = 0; gputune_space_param(space, p); p++) {
        char text[512] = "set ", number[64];
        for (int v = 0; gputune_space_value(space, p, v, number, sizeof number); v++) {
            strcat(text, v ? "," : "");
            strcat(text, number);
        }
        t->param_count = p + 1;
        t->params[p][0] = strdup(gputune_space_param(space, p)->name);
        t->params[p][1] = strdup(text);
        t->params[p][2] = strdup(gputune_space_value(space, p, standard.choice[p], number,
                                                     sizeof number));
    }
}

static bool measure_all(job *j, double begin)
{
    for (int i = 0; i < j->t->input_count; i++) j->best[i] = HUGE_VAL;
    for (int c = 0; c < j->t->config_count; c++)
        for (int i = 0; i < j->t->input_count; i++)
            if (!try_out(j, c, i)) return false;
    if (!measure(j)) return false;
    for (int i = 0; i < j->t->input_count; i++) measure_again(j, i);
    fprintf(stderr, "bench: %s: %d configurations on %d inputs in %.1f s\n", j->p->base.name,
            j->t->config_count, j->t->input_count, gputune_now() - begin);
    return true;
}

// A table of a file: its inputs' data, its configurations in the space.
static bool take_up(job *j, const gputune_space *space)
{
    for (int c = 0; c < j->t->config_count; c++)
        if (!gputune_config_parse(space, j->t->configs[c], &j->variants[c].config))
            return fail(j, j->t->configs[c], "is not in the space");
    return true;
}

static bool make_loaded_inputs(job *j)
{
    const int count = j->t->input_count;
    for (j->t->input_count = 0; j->t->input_count < count;) {
        int size[3];
        for (int f = 0; f < 3; f++) size[f] = (int)j->t->inputs[j->t->input_count][f];
        if (!make_input(j, size)) return false;
    }
    return true;
}

// The table of one program: measured, or from a file.
static bool fill_table(job *j)
{
    gputune_kernel_desc desc = case_desc(&j->p->base);
    const gputune_space *space;
    const double begin = gputune_now();
    j->kernel = gputune_kernel_create(j->device, &desc);
    if (!(j->s->load ? make_loaded_inputs(j) : make_inputs(j))) return false;
    space = gputune_kernel_space(j->kernel, j->data[0].args, j->data[0].arg_count);
    if (!space)
        return fail(j, "space", gputune_kernel_error(j->kernel)->text);
    if (j->s->load) return take_up(j, space);
    if (!list_configs(j, space)) return false;
    list_params(j, space);
    return measure_all(j, begin);
}

// ---------------------------------------------------------------------------------------------
// What a user meets: gputune_run at an input that was left out of the store
// ---------------------------------------------------------------------------------------------

typedef enum way { ALONE, ONCE, REFINE, FIRST, WAYS } way;
typedef enum deed { USED, REFINED, ANEW, KNOWN, FAILED, DEEDS } deed;

static const char *const way_names[] = { "alone", "once", "refine", "first" };
static const char *const deed_names[] = { "used", "refined", "anew", "known", "failed" };
static const int way_refines[] = { 0, -1, MET_REFINE, 0 };

typedef struct met_run {
    deed deed;
    double seconds;
    int config; // -1: none
} met_run;

// Why a prediction is not used at once, or is: see gt__predict_trusted.
typedef struct met_model {
    bool asked, foreseen, outside, low_score, other;
    double score;
    int config; // -1: none
} met_model;

typedef struct met_losses {
    int count;
    double logs, worst, to_default;
} met_losses;

typedef struct met_totals {
    int inputs, models, foreseen, outside, low_score, other, deeds[WAYS][DEEDS], counts[WAYS];
    double scores[PROGRAMS * MOST_INPUTS], seconds[WAYS], most[WAYS], used_seconds, known_seconds;
    met_losses ways[WAYS], predicted, used, used_alone, unused, known;
} met_totals;

// What is in these would decide instead of this program, or make seconds too good.
static void met_begin(void)
{
    unsetenv("GPUTUNE");
    unsetenv("GPUTUNE_STORE");
    unsetenv("GPUTUNE_ISOLATE");
    setenv("CUDA_CACHE_DISABLE", "1", 1);
    setenv("POCL_KERNEL_CACHE", "0", 1);
}

// --- stores: FOLDER/store.txt, FOLDER/store.txt.journal/ and FOLDER/store.txt.binaries/ ---

static const char *const store_parts[] = { "/store.txt.journal", "/store.txt.binaries" };

static const char *path_of(char *text, const char *folder, const char *file)
{
    snprintf(text, LENGTH, "%s%s", folder, file);
    return text;
}

static void append_file(const char *from, const char *to, const char *mode)
{
    char bytes[16384];
    size_t count;
    FILE *in = fopen(from, "rb"), *out = in ? fopen(to, mode) : NULL;
    while (out && (count = fread(bytes, 1, sizeof bytes, in)) > 0)
        if (fwrite(bytes, 1, count, out) != count) usage(to, "cannot be written");
    if (in && (!out || fclose(out))) usage(to, "cannot be written");
    if (in) fclose(in);
}

// A missing folder has no files.
static void copy_folder(const char *from, const char *to)
{
    char source[2 * LENGTH], copy[2 * LENGTH];
    DIR *folder = opendir(from);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        mkdir(to, 0700);
        snprintf(source, sizeof source, "%s/%s", from, entry->d_name);
        snprintf(copy, sizeof copy, "%s/%s", to, entry->d_name);
        append_file(source, copy, "wb");
    }
    if (folder) closedir(folder);
}

// Adds one store's answers, journals and binaries to another.
static void add_store(const char *from, const char *to)
{
    char source[LENGTH], copy[LENGTH];
    mkdir(to, 0700);
    append_file(path_of(source, from, "/store.txt"), path_of(copy, to, "/store.txt"), "ab");
    for (int i = 0; i < 2; i++)
        copy_folder(path_of(source, from, store_parts[i]), path_of(copy, to, store_parts[i]));
}

// Two levels deep.
static void remove_folder(const char *path)
{
    char inner[2 * LENGTH];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (remove(inner) != 0) remove_folder(inner);
    }
    if (folder) closedir(folder);
    remove(path);
}

// --- runs ---

// A device on the same queue, or in the same context, with a store: buffers are common.
static gputune_device *device_beside(gputune_device *device, const char *store)
{
    gputune_options options;
    memset(&options, 0, sizeof options);
    options.store = store;
    options.mode = GPUTUNE_MODE_ON;
    options.tuning_seconds = 1e6; // further tunings do not wait
    if (strcmp(device->driver.api, "cuda") == 0) {
        gputune_cuda_desc cuda;
        memset(&cuda, 0, sizeof cuda);
        cuda.options = options;
        cuda.context = gputune_cuda_context(device);
        return gputune_cuda_device_create(&cuda);
    }
    gputune_cl_desc cl;
    memset(&cl, 0, sizeof cl);
    cl.options = options;
    cl.queue = gputune_cl_queue(device);
    return gputune_cl_device_create(&cl);
}

// The number of a configuration: in the table, or behind it. -1: no room.
static int config_of(job *j, const gputune_config *config)
{
    char text[512];
    table *t = j->t;
    const int count = t->config_count + j->extra;
    gputune_config_text(config, text, sizeof text);
    for (int c = 0; c < count; c++)
        if (strcmp(t->configs[c], text) == 0) return c;
    if (count == MOST_CONFIGS ||
        !gputune_config_parse(j->variants[0].config.space, text, &j->variants[count].config))
        return -1;
    t->configs[count] = strdup(text);
    j->extra++;
    return count;
}

// Samples whose columns are the words of the problem, whose values x becomes. NULL: they cannot be.
static gputune_samples *problem_samples(const gputune_tuner *t, double *x)
{
    static const char *const names[] = { "#0", "#1", "#2", "#3", "#4", "#5", "#6", "#7" };
    gputune_param columns[9] = { { NULL, NULL, NULL } };
    const int words = gt__predict_words(t->key.problem, x);
    if (words < 1 || words > 8) return NULL;
    for (int i = 0; i < words; i++) columns[i].name = names[i];
    const gputune_samples_desc desc = { .options = gt__quiet_options(&t->base),
                                        .space = t->space, .columns = columns };
    return gputune_samples_create(&desc);
}

// What gputune_run has found out about the problem without the answers to this one (which may have
// been added since): the same model again.
static met_model ask_model(job *j, const gputune_tuner *t)
{
    met_model m = { .asked = true, .config = -1 };
    const gt__entry *nearest[GT__NEAREST], *entry;
    gt__entry *own = NULL;
    gputune_prediction p;
    double x[GPUTUNE_MAX_COLUMNS], value = 0;
    gputune_samples *data = NULL;
    gputune_predictor *a = NULL;
    int at = 0;
    while ((entry = gt__store_next(t->store, t->key.name, &at)) != NULL)
        if (strcmp(entry->key.problem, t->key.problem) == 0)
            own = (gt__entry *)(uintptr_t)entry;
    if (own) value = own->value, own->value = 0; // passed over, as one that is not there
    const int count = gt__store_nearest(t->store, &t->key, true, nearest, GT__NEAREST);
    if (own) own->value = value;
    if (count > 1) data = problem_samples(t, x);
    bool ok = data != NULL;
    for (int i = 0; i < count && ok; i++)
        ok = gt__predict_entry(t, data, nearest[i]);
    const gputune_predictor_desc desc = { .space = t->space, .samples = data };
    if (ok) a = gputune_predictor_create(&desc);
    if (a && gputune_predictor_predict(a, x, &p) == GPUTUNE_OK && a->report.model) {
        m.foreseen = true;
        m.config = config_of(j, &p.config);
        m.score = a->report.score.worst_to_default;
        m.outside = p.extrapolated;
        m.low_score = m.score < 0.98;
        m.other = !m.outside && !m.low_score && !gt__predict_trusted(a, &p);
    }
    if (m.foreseen != (*t->prediction != 0) ||
        (m.foreseen && t->trusted != !(m.outside || m.low_score || m.other)))
        fail(j, t->key.problem, "the model asked again says something else");
    gputune_predictor_destroy(a);
    gputune_samples_destroy(data);
    return m;
}

typedef struct met_check {
    const job *j;
    int input, args;
} met_check;

// For kernels with memory to work in: gputune has no word for it, and what a configuration leaves
// there is not what the default does. The output alone is compared, at the usual places.
static bool check_output(void *user, const void *const *outputs, char *why, size_t size)
{
    const met_check *c = (const met_check *)user;
    const job *j = c->j;
    const float *got = NULL;
    for (int i = 0; i < c->args; i++)
        if (outputs[i]) got = (const float *)outputs[i];
    for (int i = 0; i < j->place_count[c->input]; i++) {
        const size_t place = j->places[c->input][i];
        const double expected = j->expected[c->input][i];
        if (fabs((double)got[place] - expected) <= j->p->base.tolerance * j->magnitude[c->input][i])
            continue;
        snprintf(why, size, "output[%zu] is %.9g, expected %.9g", place, (double)got[place],
                 expected);
        return false;
    }
    return true;
}

static bool works_in_memory(const case_data *data)
{
    for (int i = 0; i < data->arg_count; i++)
        if (data->args[i].kind == GPUTUNE_ARG_INOUT) return true;
    return false;
}

static deed deed_of(const gputune_kernel *k, way w)
{
    switch (gputune_kernel_outcome(k)->origin) {
    case GPUTUNE_FROM_MODEL: return USED;
    case GPUTUNE_FROM_STORE: return KNOWN;
    case GPUTUNE_FROM_TUNING: return w == REFINE && *k->last->tuner->prediction ? REFINED : ANEW;
    case GPUTUNE_FROM_DEFAULT: break;
    }
    return FAILED;
}

// The first gputune_run of a process at this input, with a store. *model, if not NULL: what it was
// told. problem: what it is to gputune_run.
static met_run run_once(job *j, int input, way w, const char *folder, met_model *model,
                        char problem[LENGTH])
{
    char store[LENGTH];
    met_run r = { FAILED, 0, -1 };
    case_data *data = &j->data[input];
    gputune_device *device = device_beside(j->device, path_of(store, folder, "/store.txt"));
    gputune_kernel_desc desc = case_desc(&j->p->base);
    gputune_kernel *kernel;
    gputune_result result;
    gputune_error error;
    met_check check = { j, input, data->arg_count };
    double begin;
    if (!device || gputune_device_error(device)->result != GPUTUNE_OK)
        usage("device:", gputune_device_error(device)->text);
    desc.tune.budget.trials = j->s->trials;
    desc.tune.budget.all = true;
    desc.tune.refine = way_refines[w];
    if (works_in_memory(data)) {
        desc.tune.check = check_output;
        desc.tune.user = &check;
    }
    device->driver.fill(device->self, output_of(data)->buffer, 0, 0xff, output_of(data)->bytes,
                        &error); // NaN
    device->driver.wait(device->self, &error);
    begin = gputune_now();
    kernel = gputune_kernel_create(device, &desc);
    result = gputune_run(kernel, data->args, data->arg_count);
    device->driver.wait(device->self, &error);
    r.seconds = gputune_now() - begin;
    if (result == GPUTUNE_OK) {
        const gputune_outcome *o = gputune_kernel_outcome(kernel);
        r.config = config_of(j, &o->config);
        if (r.config >= 0 && output_right(j, r.config, input)) r.deed = deed_of(kernel, w);
        if (problem) snprintf(problem, LENGTH, "%s", o->problem);
        if (model && r.deed != KNOWN) *model = ask_model(j, kernel->last->tuner);
    } else {
        fail(j, way_names[w], gputune_kernel_error(kernel)->text);
    }
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return r;
}

// --- losses ---

static void add_loss(met_losses *l, double seconds, double best, double standard)
{
    if (!(seconds < HUGE_VAL)) return;
    if (!l->count++) l->worst = 1, l->to_default = HUGE_VAL;
    l->logs += log(seconds / best);
    l->worst = fmax(l->worst, seconds / best);
    if (standard < HUGE_VAL) l->to_default = fmin(l->to_default, standard / seconds);
}

// runs: of all ways; medians: of what they ran, then of the prediction.
static void add_input(met_totals *t, const met_run *runs, const met_model *m,
                      const double medians[MET_RUNS], double best, double standard)
{
    const bool known = runs[ONCE].deed == KNOWN;
    t->inputs++;
    for (int w = 0; w < WAYS; w++) t->deeds[w][runs[w].deed]++;
    if (known) {
        t->known_seconds += runs[ONCE].seconds;
        add_loss(&t->known, medians[ONCE], best, standard);
        return;
    }
    for (int w = 0; w < WAYS; w++) {
        if (runs[w].deed == FAILED) continue;
        t->counts[w]++;
        t->seconds[w] += runs[w].seconds;
        t->most[w] = fmax(t->most[w], runs[w].seconds);
        add_loss(&t->ways[w], medians[w], best, standard);
    }
    if (runs[ONCE].deed == USED) {
        t->used_seconds += runs[ONCE].seconds;
        add_loss(&t->used, medians[ONCE], best, standard);
        add_loss(&t->used_alone, medians[ALONE], best, standard);
    }
    t->models += m->asked;
    if (!m->foreseen) return;
    t->scores[t->foreseen++] = m->score;
    t->outside += m->outside;
    t->low_score += m->low_score;
    t->other += m->other;
    add_loss(&t->predicted, medians[WAYS], best, standard);
    if (runs[ONCE].deed != USED) add_loss(&t->unused, medians[WAYS], best, standard);
}

static void met_row(const char *whose, const char *what, const char *which, double value,
                    const char *unit)
{
    char name[64];
    snprintf(name, sizeof name, "met.%s%s%s", what, *which ? "_" : "", which);
    row(whose, name, value, unit);
}

static void tell_losses(const char *whose, const char *what, const met_losses *l)
{
    if (!l->count) return;
    met_row(whose, what, "loss", exp(l->logs / l->count) - 1, "rate");
    met_row(whose, what, "loss_worst", l->worst - 1, "rate");
    if (l->to_default < HUGE_VAL) met_row(whose, what, "to_default", l->to_default, "rate");
}

static void tell_met(const char *whose, const met_totals *t)
{
    double scores[PROGRAMS * MOST_INPUTS];
    const double n = t->inputs;
    if (!t->inputs) return;
    met_row(whose, "inputs", "", n, "count");
    met_row(whose, "known", "", t->deeds[ONCE][KNOWN] / n, "rate");
    if (t->known.count) met_row(whose, "known", "seconds", t->known_seconds / t->known.count, "s");
    tell_losses(whose, "known", &t->known);
    met_row(whose, "no_model", "", (t->models - t->foreseen) / n, "rate");
    met_row(whose, "outside", "", t->outside / n, "rate");
    met_row(whose, "low_score", "", t->low_score / n, "rate");
    met_row(whose, "other", "", t->other / n, "rate");
    memcpy(scores, t->scores, sizeof scores);
    if (t->foreseen)
        met_row(whose, "score", "", gputune_stats_of(scores, t->foreseen).median, "rate");
    tell_losses(whose, "predicted", &t->predicted);
    tell_losses(whose, "unused", &t->unused);
    for (int w = 0; w < WAYS; w++) {
        static const bool tells[WAYS][DEEDS] = { [ALONE] = { [FAILED] = true },
                                                 [ONCE] = { true, false, true, false, true },
                                                 [REFINE] = { false, true, true, false, true },
                                                 [FIRST] = { [FAILED] = true } };
        for (int d = 0; d < DEEDS; d++)
            if (tells[w][d])
                met_row(whose, way_names[w], deed_names[d], t->deeds[w][d] / n, "rate");
        if (!t->counts[w]) continue;
        met_row(whose, way_names[w], "seconds", t->seconds[w] / t->counts[w], "s");
        met_row(whose, way_names[w], "seconds_most", t->most[w], "s");
        tell_losses(whose, way_names[w], &t->ways[w]);
    }
    if (t->used.count) met_row(whose, "used", "seconds", t->used_seconds / t->used.count, "s");
    tell_losses(whose, "used", &t->used);
    tell_losses(whose, "used_alone", &t->used_alone);
}

// --- a program ---

// Adds what ran, and the prediction, to the finalists, and times all in turn.
static void compare(job *j, int input, const met_run *runs, const met_model *m, met_totals *own,
                    met_totals *all)
{
    int configs[FINALISTS + 1 + MET_RUNS], places[MET_RUNS];
    double medians[FINALISTS + 1 + MET_RUNS], ran[MET_RUNS], slowest, best = HUGE_VAL, ignored;
    int count = finalists_of(j->t, input, configs, &slowest);
    for (int i = 0; i < MET_RUNS; i++) {
        const int config = i < WAYS ? runs[i].config : m->config;
        for (places[i] = 0; places[i] < count && configs[places[i]] != config;) places[i]++;
        if (config >= 0 && places[i] == count) configs[count++] = config;
        if (config < 0) places[i] = -1;
    }
    for (int c = 0; c < count; c++) time_batch(j, configs[c], input, 1, &ignored); // loads it
    time_in_turn(j, input, configs, count, slowest, medians);
    for (int c = 0; c < count; c++) best = fmin(best, medians[c]);
    for (int i = 0; i < MET_RUNS; i++) ran[i] = places[i] < 0 ? HUGE_VAL : medians[places[i]];
    for (int w = 0; w < WAYS; w++)
        fprintf(stderr, "bench: %s %d: %s: %s, %.3f s, %.3f of the best, %s\n", j->t->name, input,
                way_names[w], deed_names[runs[w].deed], runs[w].seconds, best / ran[w],
                runs[w].config < 0 ? "" : j->t->configs[runs[w].config]);
    if (m->foreseen)
        fprintf(stderr, "bench: %s %d: predicted: %.3f of the best, score %.3f%s, %s\n", j->t->name,
                input, best / ran[WAYS], m->score, m->outside ? ", outside" : "",
                m->config < 0 ? "" : j->t->configs[m->config]);
    add_input(own, runs, m, ran, best, medians[0]);
    add_input(all, runs, m, ran, best, medians[0]);
}

// The answers to all inputs but one. Of several that are one problem, the first input's counts.
static void gather_others(const job *j, int input, char problems[][LENGTH], char stores[][LENGTH],
                          const char *to)
{
    remove_folder(to);
    for (int i = 0; i < j->t->input_count; i++) {
        bool again = i == input;
        for (int k = 0; k < i; k++)
            again = again || (k != input && strcmp(problems[k], problems[i]) == 0);
        if (!again) add_store(stores[i], to);
    }
}

static bool meet_program(job *j, met_totals *all)
{
    static char problems[MOST_INPUTS][LENGTH], stores[MOST_INPUTS][LENGTH];
    static met_totals own;
    char base[LENGTH - 64], others[LENGTH], work[LENGTH];
    met_run runs[MOST_INPUTS][WAYS];
    const char *tmp = getenv("TMPDIR");
    const double begin = gputune_now();
    memset(&own, 0, sizeof own);
    snprintf(base, sizeof base, "%s/gputune-met-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(base)) return fail(j, base, "cannot be made");
    snprintf(others, sizeof others, "%s/others", base);
    snprintf(work, sizeof work, "%s/work", base);
    for (int i = 0; i < j->t->input_count; i++) {
        snprintf(stores[i], LENGTH, "%s/%d", base, i);
        mkdir(stores[i], 0700);
        problems[i][0] = 0;
        runs[i][ALONE] = run_once(j, i, ALONE, stores[i], NULL, problems[i]);
    }
    for (int i = 0; i < j->t->input_count; i++) {
        met_model model = { .config = -1 };
        gather_others(j, i, problems, stores, others);
        for (int w = ONCE; w < WAYS; w++) {
            const bool same = w != ONCE && (runs[i][ONCE].deed == KNOWN ||
                                            (w == FIRST && runs[i][ONCE].deed == ANEW));
            remove_folder(work);
            if (!same) add_store(others, work);
            runs[i][w] = same ? runs[i][ONCE]
                              : run_once(j, i, (way)w, work, w == ONCE ? &model : NULL, NULL);
        }
        compare(j, i, runs[i], &model, &own, all);
    }
    remove_folder(base);
    fprintf(stderr, "bench: %s: met %d inputs in %.1f s\n", j->t->name, j->t->input_count,
            gputune_now() - begin);
    tell_met(j->t->name, &own);
    return true;
}

// met: where to count.
static bool run_program(const settings *s, const program *p, gputune_device *device, table *t,
                        met_totals *met)
{
    job *j = (job *)calloc(1, sizeof *j);
    bool ok;
    if (!j) return false;
    j->s = s;
    j->p = p;
    j->t = t;
    j->device = device;
    snprintf(t->name, sizeof t->name, "%s", p->base.name);
    t->feature_count = 0;
    for (; t->feature_count < 3 && p->features[t->feature_count]; t->feature_count++)
        snprintf(t->features[t->feature_count], sizeof t->features[0], "%s",
                 p->features[t->feature_count]);
    ok = fill_table(j) && (!s->met || meet_program(j, met));
    for (int c = 0; c < t->config_count + j->extra; c++)
        gt__variant_discard(j->kernel, &j->variants[c]);
    for (int c = 0; c < j->extra; c++) free(t->configs[t->config_count + c]);
    for (int i = 0; i < t->input_count; i++) case_free(&j->data[i]);
    gputune_kernel_destroy(j->kernel);
    free(j);
    return ok;
}

// ---------------------------------------------------------------------------------------------
// Files of times
// ---------------------------------------------------------------------------------------------

static void dump_table(const table *t, FILE *file)
{
    fprintf(file, "program\t%s\t%d", t->name, t->feature_count);
    for (int f = 0; f < 3; f++) fprintf(file, "\t%s", f < t->feature_count ? t->features[f] : "-");
    fprintf(file, "\n");
    for (int p = 0; p < t->param_count; p++)
        fprintf(file, "param\t%s\t%s\t%s\n", t->params[p][0], t->params[p][1], t->params[p][2]);
    for (int i = 0; i < t->input_count; i++)
        fprintf(file, "input\t%.17g\t%.17g\t%.17g\n", t->inputs[i][0], t->inputs[i][1],
                t->inputs[i][2]);
    for (int c = 0; c < t->config_count; c++) {
        fprintf(file, "times\t%s", t->configs[c]);
        for (int i = 0; i < t->input_count; i++) fprintf(file, "\t%.6g", t->seconds[i][c]);
        fprintf(file, "\n");
    }
}

// One line of a program. False: it does not fit.
static bool load_line(table *t, char *line)
{
    char *word[MOST_INPUTS + 2];
    int count = 0;
    for (char *at = strtok(line, "\t\n"); at && count < MOST_INPUTS + 2; at = strtok(NULL, "\t\n"))
        word[count++] = at;
    if (count == 4 && strcmp(word[0], "param") == 0 && t->param_count < MOST_PARAMS) {
        for (int i = 0; i < 3; i++) t->params[t->param_count][i] = strdup(word[i + 1]);
        t->param_count++;
    } else if (count == 4 && strcmp(word[0], "input") == 0 && t->input_count < MOST_INPUTS) {
        for (int i = 0; i < 3; i++) t->inputs[t->input_count][i] = strtod(word[i + 1], NULL);
        t->input_count++;
    } else if (count == t->input_count + 2 && strcmp(word[0], "times") == 0 &&
               t->config_count < MOST_CONFIGS) {
        for (int i = 0; i < t->input_count; i++)
            t->seconds[i][t->config_count] = strtod(word[i + 2], NULL);
        t->configs[t->config_count++] = strdup(word[1]);
    } else {
        return false;
    }
    return true;
}

// The tables of a file; returns how many.
static int load_tables(const char *path, table *tables)
{
    char line[4096];
    int count = 0;
    FILE *file = fopen(path, "r");
    if (!file) usage(path, "cannot be read");
    while (fgets(line, sizeof line, file)) {
        table *t = &tables[count];
        if (strncmp(line, "program\t", 8) == 0 && count < PROGRAMS) {
            memset(t, 0, sizeof *t);
            count++;
            if (sscanf(line, "program\t%63s\t%d\t%63s\t%63s\t%63s", t->name, &t->feature_count,
                       t->features[0], t->features[1], t->features[2]) != 5)
                usage(path, "is not a file of --dump");
        } else if (count == 0 || !load_line(&tables[count - 1], line)) {
            usage(path, "is not a file of --dump");
        }
    }
    fclose(file);
    return count;
}

static void free_table(table *t)
{
    for (int c = 0; c < t->config_count; c++) free(t->configs[c]);
    for (int p = 0; p < t->param_count; p++)
        for (int i = 0; i < 3; i++) free(t->params[p][i]);
}

// ---------------------------------------------------------------------------------------------
// Learning
// ---------------------------------------------------------------------------------------------

// The space of a table's configurations.
static gputune_space *space_of(const table *t)
{
    gputune_param params[GPUTUNE_MAX_PARAMETERS + 1] = { { NULL, NULL, NULL } };
    for (int p = 0; p < t->param_count; p++) {
        params[p].name = t->params[p][0];
        params[p].values = t->params[p][1];
        params[p].value_default = t->params[p][2];
    }
    gputune_space *space = gputune_space_create(&(gputune_space_desc){ .params = params });
    if (!gputune_space_count(space)) usage(t->name, gputune_space_error(space)->text);
    return space;
}

// All times but those of one input (-1: of none).
static gputune_samples *samples_of(const table *t, const gputune_space *space, int left_out)
{
    gputune_param features[4] = { { 0 } };
    gputune_samples *data;
    for (int i = 0; i < t->feature_count; i++) features[i].name = t->features[i];
    data = gputune_samples_create(&(gputune_samples_desc){ .space = space, .columns = features });
    for (int i = 0; i < t->input_count; i++)
        for (int c = 0; c < t->config_count && i != left_out; c++) {
            gputune_config config;
            if (!gputune_config_parse(space, t->configs[c], &config) ||
                gputune_samples_add(data, t->inputs[i], &config, t->seconds[i][c]) != GPUTUNE_OK)
                usage(t->configs[c], gputune_samples_error(data)->text);
        }
    return data;
}

static gputune_predictor *learn_from(const table *t, const gputune_space *space,
                                     const gputune_samples *data)
{
    const gputune_predictor_desc desc = { .space = space, .samples = data };
    gputune_predictor *learned = gputune_predictor_create(&desc);
    if (gputune_predictor_error(learned)->result == GPUTUNE_OK) return learned;
    fprintf(stderr, "bench: %s: %s\n", t->name, gputune_predictor_error(learned)->text);
    gputune_predictor_destroy(learned);
    return NULL;
}

static int failures(const table *t)
{
    int failed = 0;
    for (int i = 0; i < t->input_count; i++)
        for (int c = 0; c < t->config_count; c++) failed += !(t->seconds[i][c] < HUGE_VAL);
    return failed;
}

static double seconds_at(const table *t, const gputune_space *space, int input,
                         const gputune_config *config)
{
    for (int c = 0; c < t->config_count; c++) {
        gputune_config other;
        if (gputune_config_parse(space, t->configs[c], &other) &&
            gt__same_choice(&other, config))
            return t->seconds[input][c];
    }
    return HUGE_VAL; // the default, not in the table
}

typedef struct own_score {
    int inputs;
    double accuracy, fraction, worst, worst_to_default;
} own_score;

// What predictions for inputs left out are worth: everything is learned without them.
static bool validate(const table *t, const gputune_space *space, own_score *own)
{
    const gputune_config standard = gputune_space_default(space);
    memset(own, 0, sizeof *own);
    own->worst = own->worst_to_default = HUGE_VAL;
    for (int i = 0; i < t->input_count; i++) {
        gputune_samples *data = samples_of(t, space, i);
        gputune_predictor *learned = learn_from(t, space, data);
        gputune_prediction p;
        double best = HUGE_VAL, fraction;
        bool ok = learned && gputune_predictor_predict(learned, t->inputs[i], &p) == GPUTUNE_OK;
        gputune_predictor_destroy(learned);
        gputune_samples_destroy(data);
        if (!ok) return false;
        for (int c = 0; c < t->config_count; c++) best = fmin(best, t->seconds[i][c]);
        fraction = fmax(best / seconds_at(t, space, i, &p.config), 0.01);
        own->inputs++;
        own->accuracy += fraction >= 1 / 1.05;
        own->fraction += log(fraction);
        own->worst = fmin(own->worst, fraction);
        own->worst_to_default = fmin(own->worst_to_default,
                                     fraction * seconds_at(t, space, i, &standard) / best);
    }
    own->accuracy /= own->inputs;
    own->fraction = exp(own->fraction / own->inputs);
    return true;
}

// Of the one configuration that is best over the other inputs, by the mean logarithm.
static double common_fraction(const table *t)
{
    double logs = 0;
    for (int out = 0; out < t->input_count; out++) {
        double best = HUGE_VAL, least = HUGE_VAL;
        int common = 0;
        for (int c = 0; c < t->config_count; c++) {
            double sum = 0;
            for (int i = 0; i < t->input_count; i++)
                if (i != out) sum += fmin(log(t->seconds[i][c]), 100);
            if (sum < least) least = sum, common = c;
            best = fmin(best, t->seconds[out][c]);
        }
        logs += log(fmax(best / t->seconds[out][common], 0.01));
    }
    return exp(logs / t->input_count);
}

static void tell(const table *t, const own_score *own,
                 const gt__score *standard, double common, totals *all)
{
    row(t->name, "loo_accuracy", own->accuracy, "rate");
    row(t->name, "loo_fraction", own->fraction, "rate");
    row(t->name, "default_fraction", standard->fraction, "rate");
    row(t->name, "worst_fraction", own->worst, "rate");
    row(t->name, "worst_to_default", own->worst_to_default, "rate");
    row(t->name, "common_fraction", common, "rate");
    if (!all->programs) all->worst = all->worst_to_default = HUGE_VAL;
    all->programs++;
    all->inputs += own->inputs;
    all->hits += own->accuracy * own->inputs;
    all->logs += log(own->fraction);
    all->default_logs += log(standard->fraction);
    all->common_logs += log(common);
    all->worst = fmin(all->worst, own->worst);
    all->worst_to_default = fmin(all->worst_to_default, own->worst_to_default);
}

// What gputune_run would compare with the limit of gt__predict_trusted if it had all times of
// the table to learn from.
static void tell_refusal(const table *t, const gt__scores *report, totals *all)
{
    const double least = report->model ? report->score.worst_to_default : 1;
    const bool refused = !report->model || least < 0.98;
    row(t->name, "score", least, "rate");
    row(t->name, "refused", refused, "count");
    all->refused += refused;
}

static bool learn(const table *t, totals *all)
{
    gputune_space *space = space_of(t);
    gputune_samples *data = samples_of(t, space, -1);
    gputune_predictor *learned;
    gt__scores scores;
    own_score own;
    double begin;
    bool ok;
    row(t->name, "inputs", t->input_count, "count");
    row(t->name, "configs", t->config_count, "count");
    row(t->name, "failed", failures(t), "count");
    begin = gputune_now();
    learned = learn_from(t, space, data);
    ok = learned != NULL;
    if (ok) {
        row(t->name, "learn", gputune_now() - begin, "s");
        scores = learned->report;
        row(t->name, "neighbours.fraction", scores.score.fraction, "rate");
        fprintf(stderr, "bench: %s: %s\n", t->name, gputune_predictor_score(learned).text);
        tell_refusal(t, &scores, all);
        ok = validate(t, space, &own);
        if (ok) tell(t, &own, &scores.standard, common_fraction(t), all);
    }
    gputune_predictor_destroy(learned);
    gputune_samples_destroy(data);
    gputune_space_destroy(space);
    return ok;
}

// The same without the other rows.
static bool judge(const table *t, totals *all)
{
    gputune_space *space = space_of(t);
    gputune_samples *data = samples_of(t, space, -1);
    gputune_predictor *learned = learn_from(t, space, data);
    const bool ok = learned != NULL;
    if (ok) {
        const gt__scores scores = learned->report;
        tell_refusal(t, &scores, all);
    }
    gputune_predictor_destroy(learned);
    gputune_samples_destroy(data);
    gputune_space_destroy(space);
    return ok;
}

// --- what searches have left behind ---

enum { MOST_TRIALS = 256 }; // of --searched

// A search of an input: what was tried, and its answer.
typedef struct search {
    int count;
    gputune_config tried[MOST_TRIALS];
    double seconds[MOST_TRIALS];
    gputune_config best;
    double least;
} search;

// Searches an input: so many trials, the first the default and then the starts.
static void search_input(const settings *s, const table *t, const gputune_space *space, int input,
                         int trials, const gputune_config *starts, int start_count, search *found)
{
    gputune_param params[GPUTUNE_MAX_PARAMETERS + 1] = { { NULL, NULL, NULL } };
    gputune_tuner_desc desc = { .space = { .params = params } };
    for (int p = 0; p < t->param_count; p++) {
        params[p].name = t->params[p][0];
        params[p].values = t->params[p][1];
        params[p].value_default = t->params[p][2];
    }
    desc.tune.budget.trials = trials;
    desc.tune.budget.all = true;
    desc.tune.budget.seconds = -1;
    desc.tune.seed = (uint64_t)(1000 * s->seed + input) + 1;
    gputune_tuner *tuner = gputune_tuner_create(&desc);
    gputune_config config;
    int at = 0;
    found->count = 0;
    found->least = HUGE_VAL;
    while (found->count < trials && found->count < MOST_TRIALS) {
        const bool start = found->count > 0 && at < start_count;
        if (start) config = starts[at++], config.space = gputune_tuner_space(tuner);
        else if (gputune_ask(tuner, &config) != GPUTUNE_ASK_CONFIG) break;
        gputune_config own = config;
        own.space = space;
        const double seconds = seconds_at(t, space, input, &own);
        if (gputune_tell(tuner, &config, seconds) && start) continue; // it is the default
        found->tried[found->count] = own;
        found->seconds[found->count++] = seconds;
        if (seconds < found->least) found->least = seconds, found->best = own;
    }
    gputune_tuner_destroy(tuner);
}

typedef struct searched {
    int inputs, used, agreed;
    double alone, once, once_worst, used_logs, used_to_default, tenth, tenth_worst, taken;
    double taken_to_default, again, again_worst;
} searched;

static void tell_searched(const char *whose, const searched *r)
{
    char name[64];
    const struct {
        const char *name;
        double value;
    } rows[] = { { "inputs", r->inputs },
                 { "alone", exp(r->alone / r->inputs) },
                 { "once", exp(r->once / r->inputs) },
                 { "once_worst", r->once_worst },
                 { "refused", 1 - (double)r->used / r->inputs },
                 { "used", exp(r->used_logs / r->used) },
                 { "used_to_default", r->used_to_default },
                 { "tenth", exp(r->tenth / r->inputs) },
                 { "tenth_worst", r->tenth_worst },
                 { "again", exp(r->again / r->inputs) },
                 { "again_worst", r->again_worst },
                 { "agreed", (double)r->agreed / r->inputs },
                 { "taken", exp(r->taken / r->agreed) },
                 { "taken_to_default", r->taken_to_default } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!gt__is_finite(rows[i].value)) continue;
        snprintf(name, sizeof name, "searched.%s", rows[i].name);
        row(whose, name, rows[i].value, i ? "rate" : "count");
    }
}

// Inputs by how far they are from one, itself left out.
static int nearest_inputs(const table *t, int input, int *order)
{
    double far[MOST_INPUTS];
    int count = 0, at;
    for (int i = 0; i < t->input_count; i++) {
        double distance = 0;
        for (int f = 0; f < t->feature_count; f++)
            distance += fabs(log2(t->inputs[i][f]) - log2(t->inputs[input][f]));
        if (i == input) continue;
        for (at = count++; at > 0 && far[at - 1] > distance; at--)
            far[at] = far[at - 1], order[at] = order[at - 1];
        far[at] = distance;
        order[at] = i;
    }
    return count;
}

// What a search of the input begins with behind the default, as gt__tuner_relatives chooses it.
static int relatives_of(const search *searches, const int nearest[2], gputune_config *starts)
{
    int count = 0;
    for (int k = 0; k < 2 * GT__STARTS && count < GT__STARTS; k++) {
        const search *of = &searches[nearest[k % 2]];
        gputune_config best = of->best;
        double least = HUGE_VAL;
        for (int i = 0; i < of->count && k >= 2; i++)
            if (of->seconds[i] < least && gt__config_new(&of->tried[i], starts, count, 2))
                best = of->tried[i], least = of->seconds[i];
        if (gt__config_new(&best, starts, count, 1)) starts[count++] = best;
    }
    return count;
}

// What the others' searches say of an input.
static void predict_searched(const settings *s, const table *t, const gputune_space *space,
                             const search *searches, int input, searched *own)
{
    static search tenth, again;
    gputune_config starts[1 + GT__STARTS];
    const gputune_config standard = gputune_space_default(space);
    const double default_seconds = seconds_at(t, space, input, &standard);
    double best = HUGE_VAL;
    int order[MOST_INPUTS];
    nearest_inputs(t, input, order);
    gputune_param features[4] = { { 0 } };
    for (int i = 0; i < t->feature_count; i++) features[i].name = t->features[i];
    gputune_samples *data = gputune_samples_create(
        &(gputune_samples_desc){ .space = space, .columns = features });
    for (int c = 0; c < t->config_count; c++) best = fmin(best, t->seconds[input][c]);
    for (int i = 0; i < t->input_count; i++)
        for (int n = 0; n < searches[i].count && i != input; n++)
            gputune_samples_add(data, t->inputs[i], &searches[i].tried[n], searches[i].seconds[n]);
    gputune_predictor *a = learn_from(t, space, data);
    gputune_prediction p;
    if (!a || gputune_predictor_predict(a, t->inputs[input], &p)) usage(t->name, "no prediction");
    const int start_count = 1 + relatives_of(searches, order, starts + 1);
    starts[0] = p.config;
    const double seconds = seconds_at(t, space, input, &p.config);
    own->inputs++;
    own->alone += log(best / searches[input].least);
    own->once += log(best / seconds);
    own->once_worst = fmin(own->once_worst, best / seconds);
    if (gt__predict_trusted(a, &p)) {
        own->used++;
        own->used_logs += log(best / seconds);
        own->used_to_default = fmin(own->used_to_default, default_seconds / seconds);
    }
    search_input(s, t, space, input, (s->searched + 9) / 10 + 1, starts, start_count, &tenth);
    search_input(s, t, space, input, s->searched, starts, start_count, &again);
    own->again += log(best / again.least);
    own->again_worst = fmin(own->again_worst, best / again.least);
    if (s->show)
        fprintf(stderr, "%s %d: default %.3f, alone %.3f, at once %.3f, a tenth %.3f, again %.3f\n",
                t->name, input, best / default_seconds, best / searches[input].least,
                best / seconds, best / tenth.least, best / again.least);
    own->tenth += log(best / tenth.least);
    own->tenth_worst = fmin(own->tenth_worst, best / tenth.least);
    if (gt__same_choice(&searches[order[0]].best, &searches[order[1]].best) &&
        gt__same_choice(&searches[order[0]].best, &searches[order[2]].best)) {
        const double taken = seconds_at(t, space, input, &searches[order[0]].best);
        own->agreed++;
        own->taken += log(best / taken);
        own->taken_to_default = fmin(own->taken_to_default, default_seconds / taken);
    }
    gputune_predictor_destroy(a);
    gputune_samples_destroy(data);
}

static void judge_searched(const settings *s, const table *t, searched *all)
{
    static search searches[MOST_INPUTS];
    const searched none = { .once_worst = 1, .used_to_default = HUGE_VAL, .tenth_worst = 1,
                            .taken_to_default = HUGE_VAL, .again_worst = 1 };
    gputune_space *space = space_of(t);
    searched own = none;
    if (!all->inputs) *all = none;
    for (int i = 0; i < t->input_count; i++)
        search_input(s, t, space, i, s->searched, NULL, 0, &searches[i]);
    for (int i = 0; i < t->input_count; i++)
        predict_searched(s, t, space, searches, i, &own);
    tell_searched(t->name, &own);
    all->inputs += own.inputs, all->used += own.used, all->agreed += own.agreed;
    all->alone += own.alone, all->once += own.once, all->used_logs += own.used_logs;
    all->tenth += own.tenth, all->taken += own.taken;
    all->again += own.again, all->again_worst = fmin(all->again_worst, own.again_worst);
    all->once_worst = fmin(all->once_worst, own.once_worst);
    all->used_to_default = fmin(all->used_to_default, own.used_to_default);
    all->tenth_worst = fmin(all->tenth_worst, own.tenth_worst);
    all->taken_to_default = fmin(all->taken_to_default, own.taken_to_default);
    gputune_space_destroy(space);
}

static void tell_all(const totals *t)
{
    row("all", "programs", t->programs, "count");
    row("all", "inputs", t->inputs, "count");
    row("all", "loo_accuracy", t->hits / t->inputs, "rate");
    row("all", "loo_fraction", exp(t->logs / t->programs), "rate");
    row("all", "default_fraction", exp(t->default_logs / t->programs), "rate");
    row("all", "common_fraction", exp(t->common_logs / t->programs), "rate");
    row("all", "worst_fraction", t->worst, "rate");
    row("all", "worst_to_default", t->worst_to_default, "rate");
    row("all", "refused", t->refused, "count");
}

// Runs what was asked for on the device; `count` tables are there already. Returns how many.
static int run_programs(const settings *s, gputune_device *device, table *tables, int count,
                        met_totals *met)
{
    int at = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        if (!selects(s, programs[i].base.name)) continue;
        for (at = s->load ? 0 : count++; s->load && at < count; at++)
            if (strcmp(tables[at].name, programs[i].base.name) == 0) break;
        if (s->load && at == count) usage(programs[i].base.name, "is not in the file");
        if (!run_program(s, &programs[i], device, &tables[at], met)) exit(1);
    }
    return count;
}

// Measures, or loads, all that was asked for.
static int get_tables(const settings *s, table *tables, met_totals *met)
{
    gputune_device *device;
    int count = s->load ? load_tables(s->load, tables) : 0;
    FILE *dump;
    if (s->load && !s->met) return count;
    device = bench_device(s->api);
    if (!device || gputune_device_error(device)->result != GPUTUNE_OK)
        usage("device:", gputune_device_error(device)->text);
    fprintf(stderr, "bench: %s, driver %s\n", gputune_device_limits(device)->name,
            gputune_device_limits(device)->driver);
    count = run_programs(s, device, tables, count, met);
    gputune_device_destroy(device);
    if (!s->dump) return count;
    dump = fopen(s->dump, "w");
    if (!dump) usage(s->dump, "cannot be written");
    for (int i = 0; i < count; i++) dump_table(&tables[i], dump);
    fclose(dump);
    return count;
}

int main(int argc, char **argv)
{
    const settings s = parse(argc, argv);
    static table tables[PROGRAMS];
    static met_totals met;
    totals all;
    bool ok = true;
    if (s.met) met_begin();
    const int count = get_tables(&s, tables, &met);
    memset(&all, 0, sizeof all);
    if (s.searched) {
        searched total = { .inputs = 0 };
        for (int i = 0; i < count; i++)
            if (selects(&s, tables[i].name)) judge_searched(&s, &tables[i], &total);
        if (total.inputs) tell_searched("all", &total);
        return total.inputs ? 0 : 1;
    }
    for (int i = 0; i < count; i++) {
        if (selects(&s, tables[i].name)) ok = (s.met ? judge : learn)(&tables[i], &all) && ok;
        free_table(&tables[i]);
    }
    if (all.programs) tell_all(&all);
    if (s.met) {
        row("all", "refused", all.refused, "count");
        tell_met("all", &met);
    }
    return ok && (all.programs || met.inputs) ? 0 : 1;
}
