// The kernels of examples/kernels with what they need: random data in buffers, arguments, a plain
// C reference, sizes. For the examples, the tests and the benchmarks.
//
// Do this, after including gputune_cl.h or gputune_cuda.h:
//     const example_case *kind = case_find("sgemm");       // or &example_cases[i], i < CASE_COUNT
//     gputune_kernel_desc desc = case_desc(kind);          // file, name, what makes problems alike
//     gputune_kernel *kernel = gputune_kernel_create(device, &desc);
//     case_data data;
//     if (!case_make(&data, kind, device, kind->small, 1)) // size, random seed
//         puts(gputune_device_error(device)->text), exit(1);
//     gputune_run(kernel, data.args, data.arg_count);
//     if (!case_check(&data, 0, why, sizeof why))          // 0: every element
//         puts(why);
//     printf("%.1f %s\n", 1e-9 * data.work / seconds, kind->unit);
//     case_free(&data);
#ifndef EXAMPLES_CASES_H
#define EXAMPLES_CASES_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef KERNELS
#define KERNELS "examples/kernels" // the folder, as seen from where the program is started
#endif

enum { CASE_ARGS = 10, CASE_BUFFERS = 8 };

struct example_case;

typedef enum case_type {
    CASE_FLOATS,
    CASE_UINTS, // 32 bits
    CASE_BYTES
} case_type;

typedef struct case_buffer {
    void *buffer; // on the device
    void *host;   // what it held at first
    size_t bytes;
    case_type type; // of the elements, for comparing outputs
} case_buffer;

typedef struct case_data {
    const struct example_case *kind;
    gputune_device *device;
    int size[3];
    uint64_t random;
    gputune_arg args[CASE_ARGS];
    int arg_count;
    case_buffer buffers[CASE_BUFFERS]; // inputs, then outputs
    int buffer_count;
    int outputs; // how many buffers at the end are outputs; 0: one
    int output;  // the buffer of which `expected` is asked
    double work; // of one launch, in what kind->unit counts a second's billions of
    bool failed; // a buffer could not be made
} case_data;

typedef struct example_case {
    const char *name; // also of the file: KERNELS/name.cl
    const char *file;
    const char *kernel;  // the function, or the parameter that selects it
    const char *problem; // gputune_tune_desc.problem
    const char *unit;    // "GFLOP/s", "GB/s"
    double tolerance;    // for an output element, relative to the sum of its terms' magnitudes
    int small[3];        // some ms on two processor cores
    int large[3];        // hundreds of MB, or some ms on a big GPU
    // Fills buffers and args for data->size (see each function), sets work.
    void (*make)(case_data *data);
    // One element of an output (data->output says which) in plain C and double; *magnitude: the sum
    // of its terms' sizes. NAN: the kernel leaves it as it was, which was not a number.
    double (*expected)(const case_data *data, size_t index, double *magnitude);
} example_case;

// ---------------------------------------------------------------------------------------------
// Random data and buffers
// ---------------------------------------------------------------------------------------------

// xorshift64*; below n. The state is not 0.
static inline uint32_t case_draw(uint64_t *random, uint32_t n)
{
    *random ^= *random >> 12;
    *random ^= *random << 25;
    *random ^= *random >> 27;
    const uint32_t bits = (uint32_t)((*random * 0x2545F4914F6CDD1Du) >> 32);
    return (uint32_t)(((uint64_t)bits * n) >> 32);
}

static inline uint32_t case_random(case_data *data, uint32_t n)
{
    return case_draw(&data->random, n);
}

// Adds a buffer of count 4-byte elements and returns its host copy, which the caller fills; NULL
// and data->failed when out of memory. case_upload sends them all to the device.
static inline void *case_add(case_data *data, size_t count)
{
    case_buffer *added = &data->buffers[data->buffer_count++];
    added->bytes = count * 4;
    added->type = CASE_FLOATS;
    added->host = malloc(added->bytes);
    data->failed = data->failed || !added->host;
    return added->host;
}

// The same, filled with numbers in [-1, 1); of many millions they repeat, with a prime number as
// the period, so that no slip by a round number of elements goes unseen.
static inline float *case_add_random(case_data *data, size_t count)
{
    const size_t period = 4194301;
    float *values = (float *)case_add(data, count);
    for (size_t i = 0; values && i < count && i < period; i++)
        values[i] = (float)case_random(data, 1u << 24) * 0x1p-23f - 1.0f;
    const size_t periods = values ? (count + period - 1) / period : 0;
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t p = 1; p < periods; p++) {
        const size_t rest = count - p * period;
        memcpy(values + p * period, values, 4 * (rest < period ? rest : period));
    }
    return values;
}

// The same, filled with NaN, which no comparison passes: for outputs.
static inline void case_add_output(case_data *data, size_t count)
{
    float *values = (float *)case_add(data, count);
    for (size_t i = 0; values && i < count; i++) values[i] = NAN;
}

static inline void case_upload(case_data *data)
{
    for (int i = 0; i < data->buffer_count && !data->failed; i++) {
        case_buffer *b = &data->buffers[i];
        b->buffer = gputune_buffer_create(data->device, b->bytes, b->host);
        data->failed = !b->buffer;
    }
}

static inline void case_arg(case_data *data, gputune_arg arg)
{
    data->args[data->arg_count++] = arg;
}

static inline gputune_arg case_in(const case_data *data, int buffer)
{
    return gputune_in(data->buffers[buffer].buffer, data->buffers[buffer].bytes);
}

static inline gputune_arg case_out(const case_data *data, int buffer)
{
    return gputune_out(data->buffers[buffer].buffer, data->buffers[buffer].bytes);
}

static inline gputune_arg case_inout(const case_data *data, int buffer)
{
    return gputune_inout(data->buffers[buffer].buffer, data->buffers[buffer].bytes);
}

static inline const float *case_floats(const case_data *data, int buffer)
{
    return (const float *)data->buffers[buffer].host;
}

// The first output; those that follow it have the next numbers.
static inline int case_first_output(const case_data *data)
{
    return data->buffer_count - (data->outputs > 0 ? data->outputs : 1);
}

static inline const int32_t *case_ints(const case_data *data, int buffer)
{
    return (const int32_t *)data->buffers[buffer].host;
}

// ---------------------------------------------------------------------------------------------
// saxpy: size n
// ---------------------------------------------------------------------------------------------

static inline void case_make_saxpy(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    case_add_random(data, n); // x
    case_add_random(data, n); // y
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_float(2.5f));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_inout(data, 1));
    data->work = 12.0 * (double)n;
}

static inline double case_saxpy(const case_data *data, size_t i, double *magnitude)
{
    const double ax = 2.5 * (double)case_floats(data, 0)[i], y = (double)case_floats(data, 1)[i];
    *magnitude = fabs(ax) + fabs(y);
    return ax + y;
}

// ---------------------------------------------------------------------------------------------
// sgemm: size M, N, K
// ---------------------------------------------------------------------------------------------

static inline void case_make_sgemm(case_data *data)
{
    const size_t m = (size_t)data->size[0], n = (size_t)data->size[1], k = (size_t)data->size[2];
    case_add_random(data, m * k); // A
    case_add_random(data, k * n); // B
    case_add_random(data, m * n); // C
    case_upload(data);
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    case_arg(data, gputune_float(1.5f));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_in(data, 1));
    case_arg(data, gputune_float(0.5f));
    case_arg(data, case_inout(data, 2));
    data->work = 2.0 * (double)m * (double)n * (double)k;
}

static inline double case_sgemm(const case_data *data, size_t index, double *magnitude)
{
    const size_t n = (size_t)data->size[1], k = (size_t)data->size[2];
    const float *a = case_floats(data, 0) + index / n * k, *b = case_floats(data, 1) + index % n;
    const double c = 0.5 * (double)case_floats(data, 2)[index];
    double sum = 0;
    *magnitude = fabs(c);
    for (size_t i = 0; i < k; i++) {
        const double term = 1.5 * (double)a[i] * (double)b[i * n];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum + c;
}

// ---------------------------------------------------------------------------------------------
// transpose: size rows, columns
// ---------------------------------------------------------------------------------------------

static inline void case_make_transpose(case_data *data)
{
    const size_t n = (size_t)data->size[0] * (size_t)data->size[1];
    case_add_random(data, n);
    case_add_output(data, n);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_int(data->size[1]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = 8.0 * (double)n;
}

static inline double case_transpose(const case_data *data, size_t index, double *magnitude)
{
    const size_t rows = (size_t)data->size[0], columns = (size_t)data->size[1];
    *magnitude = 0; // nothing is computed: it must be equal
    return (double)case_floats(data, 0)[index % rows * columns + index / rows];
}

// ---------------------------------------------------------------------------------------------
// convolution: size width, height, filter size
// ---------------------------------------------------------------------------------------------

static inline void case_make_convolution(case_data *data)
{
    const size_t pixels = (size_t)data->size[0] * (size_t)data->size[1];
    const size_t weights = (size_t)data->size[2] * (size_t)data->size[2];
    case_add_random(data, pixels);
    case_add_random(data, weights);
    case_add_output(data, pixels);
    case_upload(data);
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_in(data, 1));
    case_arg(data, case_out(data, 2));
    case_arg(data, gputune_local("LOCAL_IMAGE ? 4 * (GROUP_X * ITEMS_X + size - 1 + PAD)"
                                 " * (GROUP_Y * ITEMS_Y + size - 1) : 4"));
    case_arg(data, gputune_local("LOCAL_FILTER ? 4 * size * size : 4"));
    data->work = 2.0 * (double)pixels * (double)weights;
}

static inline int case_clamp(int x, int end)
{
    return x < 0 ? 0 : x < end ? x : end - 1;
}

static inline double case_convolution(const case_data *data, size_t index, double *magnitude)
{
    const int width = data->size[0], height = data->size[1], size = data->size[2];
    const int x = (int)(index % (size_t)width), y = (int)(index / (size_t)width);
    const float *image = case_floats(data, 0), *filter = case_floats(data, 1);
    double sum = *magnitude = 0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) {
            const int px = case_clamp(x + i - size / 2, width);
            const int py = case_clamp(y + j - size / 2, height);
            const double term = (double)filter[j * size + i] *
                                (double)image[(size_t)py * (size_t)width + (size_t)px];
            sum += term;
            *magnitude += fabs(term);
        }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// reduction: size n, length of a segment
// ---------------------------------------------------------------------------------------------

static inline void case_make_reduction(case_data *data)
{
    const size_t n = (size_t)data->size[0], length = (size_t)data->size[1];
    case_add_random(data, n);
    case_add_output(data, (n + length - 1) / length);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_int(data->size[1]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = 4.0 * (double)n;
}

static inline double case_reduction(const case_data *data, size_t segment, double *magnitude)
{
    const size_t n = (size_t)data->size[0], length = (size_t)data->size[1];
    double sum = *magnitude = 0;
    for (size_t i = segment * length; i < n && i < (segment + 1) * length; i++) {
        sum += (double)case_floats(data, 0)[i];
        *magnitude += fabs((double)case_floats(data, 0)[i]);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// spmv: size rows, columns, non-zeros a row on average
// ---------------------------------------------------------------------------------------------

// Rows have 0 to twice the average non-zeros; every 61st has none, every 67th eight times as many.
static inline int case_row_length(case_data *data, int row)
{
    const int length = (int)case_random(data, 2 * (uint32_t)data->size[2] + 1);
    return row % 61 == 60 ? 0 : row % 67 == 66 ? 8 * length : length;
}

static inline void case_make_spmv(case_data *data)
{
    const size_t rows = (size_t)data->size[0];
    int32_t *row_start = (int32_t *)case_add(data, rows + 1);
    if (!row_start) return;
    row_start[0] = 0;
    for (int r = 0; r < data->size[0]; r++)
        row_start[r + 1] = row_start[r] + case_row_length(data, r);
    const size_t nonzeros = (size_t)row_start[rows];
    const size_t room = nonzeros > 0 ? nonzeros : 1; // no buffer is empty
    int32_t *column = (int32_t *)case_add(data, room);
    for (size_t i = 0; column && i < room; i++)
        column[i] = (int32_t)case_random(data, (uint32_t)data->size[1]);
    case_add_random(data, room);
    case_add_random(data, (size_t)data->size[1]); // x
    case_add_output(data, rows);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_int((int32_t)nonzeros));
    for (int i = 0; i < 4; i++) case_arg(data, case_in(data, i));
    case_arg(data, case_out(data, 4));
    data->work = 2.0 * (double)nonzeros;
}

static inline double case_spmv(const case_data *data, size_t row, double *magnitude)
{
    const int32_t *row_start = case_ints(data, 0), *column = case_ints(data, 1);
    const float *value = case_floats(data, 2), *x = case_floats(data, 3);
    double sum = *magnitude = 0;
    for (int32_t k = row_start[row]; k < row_start[row + 1]; k++) {
        const double term = (double)value[k] * (double)x[column[k]];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// The list, and what can be done with each
// ---------------------------------------------------------------------------------------------

// name, file, kernel, problem, unit, tolerance, small, large, make, expected
static const example_case example_cases[] = {
    { "saxpy", KERNELS "/saxpy.cl", "saxpy", NULL, "GB/s", 1e-6, { 1 << 23, 0, 0 },
      { 1 << 26, 0, 0 }, case_make_saxpy, case_saxpy },
    { "sgemm", KERNELS "/sgemm.cl", "sgemm", NULL, "GFLOP/s", 2e-6, { 384, 384, 384 },
      { 4096, 4096, 4096 }, case_make_sgemm, case_sgemm },
    { "transpose", KERNELS "/transpose.cl", "transpose", NULL, "GB/s", 0, { 2048, 2048, 0 },
      { 8192, 8192, 0 }, case_make_transpose, case_transpose },
    { "convolution", KERNELS "/convolution.cl", "convolution", NULL, "GFLOP/s", 2e-6,
      { 512, 512, 7 }, { 8192, 8192, 7 }, case_make_convolution, case_convolution },
    { "reduction", KERNELS "/reduction.cl", "reduction", NULL, "GB/s", 1e-6,
      { 1 << 23, 1 << 16, 0 }, { 1 << 27, 1 << 16, 0 }, case_make_reduction, case_reduction },
    { "spmv", KERNELS "/spmv.cl", "SPMV", "rows, nonzeros / rows", "GFLOP/s", 1e-6,
      { 100000, 100000, 30 }, { 2000000, 2000000, 30 }, case_make_spmv, case_spmv },
};

enum { CASE_COUNT = sizeof example_cases / sizeof example_cases[0] };

// NULL: no such kernel.
static inline const example_case *case_find(const char *name)
{
    for (int i = 0; i < CASE_COUNT; i++)
        if (strcmp(example_cases[i].name, name) == 0) return &example_cases[i];
    return NULL;
}

// What gputune_kernel_create wants; add to it what you like.
static inline gputune_kernel_desc case_desc(const example_case *kind)
{
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.file = kind->file;
    desc.name = kind->kernel;
    desc.tune.problem = kind->problem;
    return desc;
}

static inline void case_free(case_data *data)
{
    for (int i = 0; i < data->buffer_count; i++) {
        gputune_buffer_destroy(data->device, data->buffers[i].buffer);
        free(data->buffers[i].host);
    }
    data->buffer_count = 0;
}

// Random data of a size, the same for the same seed. False, and nothing to free, when there is no
// room: gputune_device_error says why.
static inline bool case_make(case_data *data, const example_case *kind, gputune_device *device,
                             const int size[3], uint64_t seed)
{
    memset(data, 0, sizeof *data);
    data->kind = kind;
    data->device = device;
    data->random = seed * 0x9E3779B97F4A7C15u + 1;
    memcpy(data->size, size, sizeof data->size);
    kind->make(data);
    if (data->failed) case_free(data);
    return !data->failed;
}

// Puts the outputs back to what they held at first, between two launches.
static inline bool case_reset(case_data *data)
{
    for (int i = case_first_output(data); i < data->buffer_count; i++) {
        const case_buffer *output = &data->buffers[i];
        if (gputune_buffer_write(data->device, output->buffer, 0, output->host, output->bytes) !=
            GPUTUNE_OK)
            return false;
    }
    return true;
}

// "97 x 83 x 101"
static inline const char *case_size_text(const case_data *data, char *text, size_t size)
{
    int length = snprintf(text, size, "%d", data->size[0]);
    for (int i = 1; i < 3 && data->size[i] && length >= 0 && (size_t)length < size; i++)
        length += snprintf(text + length, size - (size_t)length, " x %d", data->size[i]);
    return text;
}

static inline double case_element(const void *values, case_type type, size_t i)
{
    if (type == CASE_FLOATS) return (double)((const float *)values)[i];
    if (type == CASE_UINTS) return (double)((const uint32_t *)values)[i];
    return (double)((const unsigned char *)values)[i];
}

static inline bool case_compare(const case_data *data, const void *output, size_t i, char *why,
                                size_t size)
{
    double magnitude;
    const double expected = data->kind->expected(data, i, &magnitude);
    const double got = case_element(output, data->buffers[data->output].type, i);
    const double off = fabs(got - expected);
    if (off <= data->kind->tolerance * magnitude || (isnan(expected) && isnan(got))) // not NaN
        return true;
    char dimensions[64];
    snprintf(why, size, "%s %s: output[%zu] is %.9g, expected %.9g", data->kind->name,
             case_size_text(data, dimensions, sizeof dimensions), i, got, expected);
    return false;
}

// One output: see case_check.
static inline bool case_check_output(case_data *data, size_t samples, char *why, size_t size)
{
    const case_buffer *buffer = &data->buffers[data->output];
    const size_t count = buffer->type == CASE_BYTES ? buffer->bytes : buffer->bytes / 4;
    void *output = malloc(buffer->bytes);
    bool right = output && gputune_buffer_read(data->device, buffer->buffer, 0, output,
                                                  buffer->bytes) == GPUTUNE_OK;
    if (!right) snprintf(why, size, "%s: the output cannot be read", data->kind->name);
    if (samples == 0 || samples > count) samples = count;
    for (size_t i = 0; right && i < samples; i++) {
        size_t at = samples == count ? i : case_random(data, (uint32_t)count);
        at = i == 0 ? 0 : i == 1 ? count - 1 : at;
        right = case_compare(data, output, at, why, size);
    }
    free(output);
    return right;
}

// Compares the outputs of one launch on fresh (or reset) data with plain C: that many elements of
// each drawn at random, the first and the last among them, or all of them with samples 0. On
// failure, why gets a sentence.
static inline bool case_check(case_data *data, size_t samples, char *why, size_t size)
{
    for (data->output = case_first_output(data); data->output < data->buffer_count; data->output++)
        if (!case_check_output(data, samples, why, size)) return false;
    return true;
}

// ---------------------------------------------------------------------------------------------
// For the example programs
// ---------------------------------------------------------------------------------------------

static inline const int *case_size(const example_case *kind, gputune_device *device)
{
    return gputune_device_limits(device)->is_gpu ? kind->large : kind->small;
}

static inline void case_print_time(const case_data *data, const char *what,
                                   const gputune_stats *stats)
{
    if (stats->median > 0)
        printf("  %-8s %8.3f ms %8.1f %s\n", what, stats->median * 1e3,
               1e-9 * data->work / stats->median, data->kind->unit);
}

// What gputune_run found out: times, rates, values, and what it took.
static inline void case_print(const case_data *data, const gputune_outcome *o)
{
    char text[512];
    fprintf(stderr, "\n");
    printf("%s %s\n", data->kind->name, case_size_text(data, text, sizeof text));
    case_print_time(data, "default", &o->default_stats);
    case_print_time(data, "best", &o->best_stats);
    printf("  speed-up %8.2f\n", o->speedup);
    printf("  %s\n", gputune_config_text(&o->config, text, sizeof text));
    if (o->origin == GPUTUNE_FROM_STORE)
        printf("  known from an earlier run, nothing tuned\n");
    else
        printf("  %d trials in %.1f s\n", o->trials, o->seconds);
}

// Prints whether a sample of the output is what plain C computes.
static inline bool case_verify(case_data *data)
{
    char why[256] = "";
    const bool right = case_check(data, 1000, why, sizeof why);
    printf("  %s\n", right ? "the output is right" : why);
    return right;
}

#endif
