// The four case studies of DySel (section 4), and two more: jobs with several variants
// each, their data, plain C references, sizes. Kernels for GPUs and PoCL in bench/kernels,
// dysel_*.cl, C functions for the host device. In the form of examples/cases.h, whose functions
// take a case's .base.
//
// Do this, after including gputune_cl.h or gputune_cuda.h:
//     const dysel_case *c = dysel_find("III_sgemm");        // or &dysel_cases[i], i < DYSEL_COUNT
//     int size[3];
//     case_data data;
//     dysel_size(c, cpu, 1, size);                          // or c->base.small
//     if (!case_make(&data, &c->base, device, size, 1)) ...
//     gputune_kernel *kernel = dysel_kernel(c, &c->variants[0], device);
//     dysel_plain plain;
//     if (!dysel_plan(&plain, kernel, &c->variants[0], &data)) ...
//     if (dysel_launch(&plain) != GPUTUNE_OK) ...           // one plain launch
//     if (!case_check(&data, 1000, why, sizeof why)) ...
//
// Data are made in time proportional to their bytes, on all cores. The paper's sizes take a device
// of today only microseconds, and a part must fill it before its time says anything: 132
// multiprocessors are full with 270,000 work-items. So sizes for GPUs are such that the best
// variant takes an H200 15 to 40 ms, or as long as about 8 GB of data allow where memory is the
// limit (2 to 12 ms; 16 GB for the stencil), and that every variant fills it 30 times or more:
// sgemm has many columns and rows and little between them, the stencil the paper's depth of 64, and
// random matrices have 2^23 rows of 128 non-zeros, not the paper's 1 %, which they still have on
// processors. No index of a kernel reaches 2^31.
#ifndef BENCH_DYSEL_H
#define BENCH_DYSEL_H

#include "../examples/cases.h"

#ifndef DYSEL_KERNELS
#define DYSEL_KERNELS "bench/kernels" // the folder, as seen from where the program is started
#endif

enum { DYSEL_VARIANTS = 8 };

typedef struct dysel_variant {
    const char *name;           // also of the kernel function, if there is no other
    const char *kernel;         // NULL: name
    gputune_host_fn function;   // of a host case
    const char *global, *local; // of a host case; NULL: the case's
    const char *config;         // NULL: the default
    const char *factor;         // gputune_kernel_desc.group_units
    int args[CASE_ARGS];        // 1 + index of the case's argument, ends with 0; none: all
    bool constant;              // only where the fourth buffer fits in constant memory
} dysel_variant;

typedef struct dysel_case {
    example_case base;          // small: for tests; large: for a big GPU; no .kernel
    int cpu[3];                 // for 16 processor cores
    double power[3];            // a size's part in the work: sizes grow with scale to that power
    bool host;                  // C functions on the host device
    const char *units;          // gputune_pool_desc.units
    int border, group[3];       // units: sizes less border; the first variant's group has so many
    gputune_profile_mode mode;  // the cheapest that is right, by a person
    const char *signature, *global, *local; // of host cases
    dysel_variant variants[DYSEL_VARIANTS]; // ends with a NULL name; the first: initial
} dysel_case;

// ---------------------------------------------------------------------------------------------
// Data
// ---------------------------------------------------------------------------------------------

static inline int32_t *dysel_add_ints(case_data *data, size_t count)
{
    int32_t *values = (int32_t *)case_add(data, count);
    data->buffers[data->buffer_count - 1].type = CASE_UINTS;
    return values;
}

enum { DYSEL_CHUNK = 1 << 20 }; // elements that a core makes in one go

// Another state for case_draw for each index: parts of the data can be made in any order.
static inline uint64_t dysel_stream(const case_data *data, size_t index)
{
    uint64_t x = data->random + ((uint64_t)index + 1) * 0x9E3779B97F4A7C15u; // splitmix64
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    x ^= x >> 31;
    return x ? x : 1;
}

// An output that begins as NaN, without the gigabytes of a host copy: see dysel_upload.
static inline void dysel_add_output(case_data *data, size_t count)
{
    data->buffers[data->buffer_count++].bytes = count * 4;
}

// Puts the outputs back to what they held at first; NaN, where there is no host copy, is spread on
// the device itself.
static inline bool dysel_reset(case_data *data)
{
    enum { BLOCK = 1 << 16 };
    const case_buffer *output = &data->buffers[case_first_output(data)];
    const gputune_driver *driver = &data->device->driver;
    size_t done = output->bytes < BLOCK * 4 ? output->bytes : BLOCK * 4;
    gputune_error error;
    gputune_result result;
    float *block;
    if (output->host) return case_reset(data);
    block = (float *)malloc(BLOCK * 4);
    if (!block) return false;
    for (size_t i = 0; i < BLOCK; i++) block[i] = NAN;
    result = gputune_buffer_write(data->device, output->buffer, 0, block, done);
    free(block);
    while (result == GPUTUNE_OK && done < output->bytes) { // twice as much each time
        const size_t more = output->bytes - done < done ? output->bytes - done : done;
        result =
            driver->copy(data->device->self, output->buffer, done, output->buffer, 0, more, &error);
        done += more;
    }
    if (result == GPUTUNE_OK) result = driver->wait(data->device->self, &error);
    return result == GPUTUNE_OK;
}

static inline void dysel_upload(case_data *data)
{
    case_upload(data);
    data->failed = data->failed || !dysel_reset(data);
}

// After the buffers are filled: inputs `first` to the last but one, then the output.
static inline void dysel_args(case_data *data, int first)
{
    const int last = data->buffer_count - 1;
    for (int i = first; i < last; i++) case_arg(data, case_in(data, i));
    case_arg(data, case_out(data, last));
}

// --- sgemm: size m, n, k ---

static inline void dysel_make_sgemm(case_data *data)
{
    const size_t m = (size_t)data->size[0], n = (size_t)data->size[1], k = (size_t)data->size[2];
    case_add_random(data, m * k);
    case_add_random(data, k * n);
    dysel_add_output(data, m * n);
    dysel_upload(data);
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    dysel_args(data, 0);
    data->work = 2.0 * (double)m * (double)n * (double)k;
}

static inline double dysel_sgemm(const case_data *data, size_t index, double *magnitude)
{
    const size_t n = (size_t)data->size[1], k = (size_t)data->size[2];
    const float *a = case_floats(data, 0) + index / n * k, *b = case_floats(data, 1) + index % n;
    double sum = *magnitude = 0;
    for (size_t i = 0; i < k; i++) {
        const double term = (double)a[i] * (double)b[i * n];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// --- spmv in CSR form: size rows, columns, non-zeros a row on average (0: the diagonal) ---

static inline int dysel_mean_gap(const case_data *data)
{
    const int many = data->size[2], gap = data->size[1] / (many > 0 ? many : 1);
    return gap > 0 ? gap : 1;
}

// A row's non-zeros; columns NULL: only counts.
static inline int32_t dysel_fill_row(const case_data *data, int row, int32_t *columns)
{
    const uint32_t twice = 2 * (uint32_t)dysel_mean_gap(data) - 1;
    uint64_t random = dysel_stream(data, (size_t)row);
    int32_t count = 0;
    if (data->size[2] == 0) {
        if (columns) columns[0] = row % data->size[1];
        return 1;
    }
    for (int64_t c = case_draw(&random, twice); c < data->size[1]; count++) {
        if (columns) columns[count] = (int32_t)c;
        c += 1 + case_draw(&random, twice);
    }
    return count;
}

// Where rows begin; false: there are more non-zeros than an int can count.
static inline bool dysel_start_rows(const case_data *data, int32_t *row_start)
{
    const int rows = data->size[0];
    int64_t k = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 4096)
#endif
    for (int r = 0; r < rows; r++) row_start[r + 1] = dysel_fill_row(data, r, NULL);
    row_start[0] = 0;
    for (int r = 1; r <= rows && k <= INT32_MAX; r++) {
        k += row_start[r];
        row_start[r] = (int32_t)k;
    }
    return k <= INT32_MAX;
}

static inline void dysel_make_csr(case_data *data)
{
    const size_t rows = (size_t)data->size[0];
    int32_t *row_start = dysel_add_ints(data, rows + 1), *column;
    size_t nonzeros, room;
    if (!row_start || !dysel_start_rows(data, row_start)) {
        data->failed = true;
        return;
    }
    nonzeros = (size_t)row_start[rows];
    room = nonzeros > 0 ? nonzeros : 1;
    column = dysel_add_ints(data, room);
    if (!column) return;
    column[0] = 0;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic, 4096)
#endif
    for (int r = 0; r < data->size[0]; r++) dysel_fill_row(data, r, column + row_start[r]);
    case_add_random(data, room);
    case_add_random(data, (size_t)data->size[1]);
    dysel_add_output(data, rows);
    dysel_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    dysel_args(data, 0);
    data->work = 2.0 * (double)nonzeros;
}

// --- spmv in JDS form: size rows (as many columns), -, non-zeros a row on average ---

static inline void dysel_sort_rows(const case_data *data, const int32_t *of_row, int32_t *length,
                                   int32_t *place, int32_t *inverse, int32_t *begin)
{
    const int rows = data->size[0], longest = 2 * data->size[2];
    memset(begin, 0, ((size_t)longest + 2) * sizeof *begin);
    for (int r = 0; r < rows; r++) begin[longest - of_row[r] + 1]++;
    for (int i = 0; i <= longest; i++) begin[i + 1] += begin[i];
    for (int r = 0; r < rows; r++) { // by counting, the longest first
        const int to = begin[longest - of_row[r]]++;
        length[to] = of_row[r];
        place[to] = r;
        inverse[r] = to;
    }
}

static inline bool dysel_fill_lengths(case_data *data, int32_t *length, int32_t *place,
                                      int32_t *inverse)
{
    const size_t rows = (size_t)data->size[0], longest = 2 * (size_t)data->size[2];
    int32_t *of_row = (int32_t *)malloc(rows * sizeof *of_row);
    int32_t *begin = (int32_t *)malloc((longest + 2) * sizeof *begin);
    const bool ok = of_row && begin;
    for (size_t r = 0; ok && r < rows; r++)
        of_row[r] = (int32_t)case_random(data, (uint32_t)longest + 1);
    if (ok) dysel_sort_rows(data, of_row, length, place, inverse, begin);
    free(of_row);
    free(begin);
    return ok;
}

static inline void dysel_start_diagonals(const case_data *data, const int32_t *length,
                                         int32_t *start)
{
    size_t k = 0, count = (size_t)data->size[0];
    for (int d = 0; d <= 2 * data->size[2]; d++) {
        start[d] = (int32_t)k;
        while (count > 0 && length[count - 1] <= d) count--;
        k += count;
    }
}

// In a band of 4096 beside the diagonal.
static inline void dysel_fill_diagonal(const case_data *data, size_t d, const int32_t *place,
                                       size_t count, int32_t *column)
{
    const size_t rows = (size_t)data->size[0];
    uint64_t random = dysel_stream(data, d);
    for (size_t r = 0; r < count; r++) {
        size_t at = (size_t)place[r] + case_draw(&random, 4096);
        while (at >= rows) at -= rows;
        column[r] = (int32_t)at;
    }
}

static inline void dysel_make_jds(case_data *data)
{
    const size_t rows = (size_t)data->size[0], longest = 2 * (size_t)data->size[2];
    int32_t *inverse = dysel_add_ints(data, rows); // for the reference alone
    int32_t *length = dysel_add_ints(data, rows), *place = dysel_add_ints(data, rows);
    int32_t *start = dysel_add_ints(data, longest + 1), *column;
    size_t nonzeros = 0, room;
    if (data->failed || !dysel_fill_lengths(data, length, place, inverse)) {
        data->failed = true;
        return;
    }
    for (size_t r = 0; r < rows; r++) nonzeros += (size_t)length[r];
    room = nonzeros > 0 ? nonzeros : 1;
    data->failed = nonzeros > INT32_MAX;
    column = data->failed ? NULL : dysel_add_ints(data, room);
    if (!column) return;
    column[0] = 0;
    dysel_start_diagonals(data, length, start);
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic)
#endif
    for (size_t d = 0; d < longest; d++)
        dysel_fill_diagonal(data, d, place, (size_t)(start[d + 1] - start[d]), column + start[d]);
    case_add_random(data, room);
    case_add_random(data, rows);
    dysel_add_output(data, rows);
    dysel_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    dysel_args(data, 1);
    data->work = 2.0 * (double)nonzeros;
}

static inline double dysel_jds(const case_data *data, size_t index, double *magnitude)
{
    const int32_t row = case_ints(data, 0)[index], *start = case_ints(data, 3);
    double sum = *magnitude = 0;
    for (int32_t d = 0; d < case_ints(data, 1)[row]; d++) {
        const int32_t k = start[d] + row;
        const double term =
            (double)case_floats(data, 5)[k] * (double)case_floats(data, 6)[case_ints(data, 4)[k]];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// --- stencil: size in three dimensions, with the border ---

static inline void dysel_args_cube(case_data *data)
{
    dysel_upload(data);
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    dysel_args(data, 0);
}

static inline void dysel_make_stencil(case_data *data)
{
    const size_t n = (size_t)data->size[0] * (size_t)data->size[1] * (size_t)data->size[2];
    case_add_random(data, n);
    dysel_add_output(data, n);
    dysel_args_cube(data);
    data->work = (double)n;
}

static inline double dysel_stencil(const case_data *data, size_t index, double *magnitude)
{
    const size_t nx = (size_t)data->size[0], ny = (size_t)data->size[1];
    const size_t steps[3] = { 1, nx, nx * ny };
    const float *before = case_floats(data, 0) + index;
    double sum = 0;
    *magnitude = 0;
    for (int d = 0; d < 3; d++) {
        const size_t at = index / steps[d] % (size_t)data->size[d];
        if (at == 0 || at == (size_t)data->size[d] - 1) return NAN;
        sum += (double)before[steps[d]] + (double)before[-(ptrdiff_t)steps[d]];
        *magnitude += fabs((double)before[steps[d]]) + fabs((double)before[-(ptrdiff_t)steps[d]]);
    }
    *magnitude = *magnitude / 36 + fabs((double)before[0]) / 6;
    return sum * (double)(1.0f / 36) - (double)before[0] * (double)(1.0f / 6);
}

// --- cutcp: size of the lattice; its constants are those of dysel_cutcp.cl ---

enum { DYSEL_EDGE = 8, DYSEL_DEPTH = 8, DYSEL_NEAR = 27 * DYSEL_DEPTH };

#define DYSEL_SPACING 0.5f
#define DYSEL_CUTOFF 4.0f
#define DYSEL_SOFT 0.001f

static inline int dysel_cells(int points)
{
    return (points + DYSEL_EDGE - 1) / DYSEL_EDGE + 2;
}

// The first atom of the i-th of 27 cells round a point.
static inline size_t dysel_near(const int size[3], const int point[3], int i)
{
    const size_t x = (size_t)(point[0] / DYSEL_EDGE + i % 3);
    const size_t y = (size_t)(point[1] / DYSEL_EDGE + i / 3 % 3);
    const size_t z = (size_t)(point[2] / DYSEL_EDGE + i / 9);
    return ((z * (size_t)dysel_cells(size[1]) + y) * (size_t)dysel_cells(size[0]) + x) *
           DYSEL_DEPTH;
}

static inline void dysel_make_cutcp(case_data *data)
{
    int cells[3], at[3];
    size_t i = 0;
    float *atoms;
    for (int d = 0; d < 3; d++) cells[d] = dysel_cells(data->size[d]);
    atoms = case_add_random(data, (size_t)cells[0] * (size_t)cells[1] * (size_t)cells[2] *
                                      DYSEL_DEPTH * 4);
    dysel_add_output(data, (size_t)data->size[0] * (size_t)data->size[1] * (size_t)data->size[2]);
    for (at[2] = 0; atoms && at[2] < cells[2]; at[2]++)
        for (at[1] = 0; at[1] < cells[1]; at[1]++)
            for (at[0] = 0; at[0] < cells[0]; at[0]++)
                for (int a = 0; a < DYSEL_DEPTH; a++, i++) {
                    bool border = false;
                    for (int d = 0; d < 3; d++) {
                        float *p = &atoms[4 * i + (size_t)d];
                        *p = ((float)(at[d] - 1) + 0.5f * (*p + 1.0f)) * DYSEL_CUTOFF;
                        border = border || at[d] == 0 || at[d] == cells[d] - 1;
                    }
                    if (border) atoms[4 * i + 3] = 0.0f;
                }
    dysel_args_cube(data);
    data->work = (double)data->size[0] * data->size[1] * data->size[2] * DYSEL_NEAR;
}

static inline double dysel_cutcp(const case_data *data, size_t index, double *magnitude)
{
    const size_t nx = (size_t)data->size[0], ny = (size_t)data->size[1];
    const int point[3] = { (int)(index % nx), (int)(index / nx % ny), (int)(index / nx / ny) };
    double sum = *magnitude = 0;
    for (int i = 0; i < 27; i++) {
        const float *atoms = case_floats(data, 0) + 4 * dysel_near(data->size, point, i);
        for (int a = 0; a < DYSEL_DEPTH; a++) {
            double square = 0, rest;
            for (int d = 0; d < 3; d++) {
                const double to = (double)atoms[4 * a + d] - (double)DYSEL_SPACING * point[d];
                square += to * to;
            }
            rest = 1 - square / ((double)DYSEL_CUTOFF * (double)DYSEL_CUTOFF);
            if (rest <= 0) continue;
            rest *= rest * (double)atoms[4 * a + 3] / sqrt(square + (double)DYSEL_SOFT);
            sum += rest;
            *magnitude += fabs(rest);
        }
    }
    return sum;
}

// --- kmeans, the step that assigns points to clusters: size points, features, clusters ---

// Whole numbers, so that every order of adding gives the same.
static inline void dysel_add_whole(case_data *data, size_t count)
{
    float *values = (float *)case_add(data, count);
    const size_t chunks = values ? (count + DYSEL_CHUNK - 1) / DYSEL_CHUNK : 0;
    case_random(data, 2); // other streams than the last array's
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t c = 0; c < chunks; c++) {
        uint64_t random = dysel_stream(data, c);
        for (size_t i = c * DYSEL_CHUNK; i < count && i < (c + 1) * DYSEL_CHUNK; i++)
            values[i] = (float)case_draw(&random, 64);
    }
}

static inline void dysel_make_kmeans(case_data *data)
{
    const size_t points = (size_t)data->size[0], features = (size_t)data->size[1];
    float *columns;
    dysel_add_whole(data, points * features);
    columns = (float *)case_add(data, points * features); // the same, a feature after the other
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t p = 0; p < (data->failed ? 0 : points); p++)
        for (size_t f = 0; f < features; f++)
            columns[f * points + p] = case_floats(data, 0)[p * features + f];
    dysel_add_whole(data, (size_t)data->size[2] * features);
    memset(dysel_add_ints(data, points), 0xA5, points * 4);
    dysel_upload(data);
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    dysel_args(data, 0);
    data->work = (double)points * (double)features * data->size[2];
}

static inline double dysel_kmeans(const case_data *data, size_t index, double *magnitude)
{
    const size_t features = (size_t)data->size[1];
    double best = HUGE_VAL;
    int nearest = 0;
    *magnitude = 0;
    for (int c = 0; c < data->size[2]; c++) {
        double sum = 0;
        for (size_t f = 0; f < features; f++) {
            const double off = (double)case_floats(data, 0)[index * features + f] -
                               (double)case_floats(data, 2)[(size_t)c * features + f];
            sum += off * off;
        }
        if (sum >= best) continue;
        best = sum;
        nearest = c;
    }
    return nearest;
}

// --- particle filter: size particles, radius of the disk, width and height of the frame ---

static inline void dysel_make_pfilter(case_data *data)
{
    const int radius = data->size[1], width = data->size[2];
    const size_t particles = (size_t)data->size[0], pixels = (size_t)width * (size_t)width;
    int32_t *disk = dysel_add_ints(data, 2 * (2 * (size_t)radius + 1) * (2 * (size_t)radius + 1));
    uint32_t *frame = (uint32_t *)case_add(data, (pixels + 3) / 4);
    int count = 0;
    data->buffers[1].type = CASE_BYTES;
    for (int dy = -radius; disk && dy <= radius; dy++)
        for (int dx = -radius; dx <= radius; dx++) {
            if (dx * dx + dy * dy >= radius * radius) continue;
            disk[2 * count] = dx;
            disk[2 * count++ + 1] = dy;
        }
    for (size_t i = 0; frame && i < (pixels + 3) / 4; i++)
        frame[i] = case_random(data, 0xFFFFFFFFu);
    for (int i = 0; i < 2; i++) { // x and y
        float *place = case_add_random(data, particles);
#ifdef _OPENMP
#pragma omp parallel for
#endif
        for (size_t p = 0; p < (place ? particles : 0); p++)
            place[p] = 0.5f * (place[p] + 1.0f) * (float)(width - 1);
    }
    dysel_add_output(data, particles);
    dysel_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_int(count));
    case_arg(data, gputune_int(width));
    case_arg(data, gputune_int(width));
    dysel_args(data, 0);
    data->work = (double)particles * count;
}

static inline double dysel_pfilter(const case_data *data, size_t index, double *magnitude)
{
    const unsigned char *frame = (const unsigned char *)data->buffers[1].host;
    const int32_t *disk = case_ints(data, 0);
    const int count = (int)data->args[1].value.i, width = data->size[2];
    const int x = (int)case_floats(data, 2)[index], y = (int)case_floats(data, 3)[index];
    double sum = *magnitude = 0;
    for (int i = 0; i < count; i++) {
        const int px = case_clamp(x + disk[2 * i], width);
        const int py = case_clamp(y + disk[2 * i + 1], width);
        const double pixel = frame[(size_t)py * (size_t)width + (size_t)px];
        sum += ((pixel - 100) * (pixel - 100) - (pixel - 228) * (pixel - 228)) / 50;
        *magnitude += ((pixel - 100) * (pixel - 100) + (pixel - 228) * (pixel - 228)) / 50;
    }
    *magnitude /= count;
    return sum / count;
}

// --- histogram: size numbers ---

// A chunk of numbers, small ones more often; their counts are added.
static inline void dysel_fill_numbers(const case_data *data, size_t chunk, int32_t *numbers,
                                      int32_t *counts)
{
    const size_t first = chunk * DYSEL_CHUNK, n = (size_t)data->size[0];
    const size_t end = n - first < DYSEL_CHUNK ? n : first + DYSEL_CHUNK;
    uint64_t random = dysel_stream(data, chunk);
    int32_t own[256] = { 0 };
    for (size_t i = first; i < end; i++) {
        const uint32_t r = case_draw(&random, 1u << 16);
        numbers[i] = (int32_t)((r & 255) * (r >> 8) >> 8);
        own[numbers[i]]++;
    }
#ifdef _OPENMP
#pragma omp critical(dysel)
#endif
    for (int i = 0; i < 256; i++) counts[i] += own[i];
}

static inline void dysel_make_histogram(case_data *data)
{
    const size_t n = (size_t)data->size[0], chunks = (n + DYSEL_CHUNK - 1) / DYSEL_CHUNK;
    int32_t *counts = dysel_add_ints(data, 256); // for the reference alone
    int32_t *numbers = dysel_add_ints(data, n), *bins;
    if (!counts || !numbers) return;
    memset(counts, 0, 256 * 4);
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (size_t c = 0; c < chunks; c++) dysel_fill_numbers(data, c, numbers, counts);
    bins = dysel_add_ints(data, 256);
    for (int i = 0; bins && i < 256; i++) bins[i] = 3 * i; // they are added to
    dysel_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, case_in(data, 1));
    case_arg(data, case_inout(data, 2));
    data->work = (double)n;
}

static inline double dysel_histogram(const case_data *data, size_t index, double *magnitude)
{
    *magnitude = 0;
    return (double)case_ints(data, 2)[index] + (double)case_ints(data, 0)[index];
}

// ---------------------------------------------------------------------------------------------
// Variants on the host: a function does a work-group. The orders of loops over its work-items and
// over what a work-item does are what locality-centric scheduling chooses from (DySel 4.2)
// ---------------------------------------------------------------------------------------------

// The parameters of such a function.
#ifdef __GNUC__
#define DYSEL_UNUSED __attribute__((unused))
#else
#define DYSEL_UNUSED
#endif
#define DYSEL_HOST                                                                                 \
    DYSEL_UNUSED const gputune_grid *range, DYSEL_UNUSED void *const *args,                        \
        DYSEL_UNUSED const gputune_config *config, DYSEL_UNUSED void *user

static inline int dysel_int(void *const *args, int arg)
{
    return *(const int32_t *)args[arg];
}

static inline const float *dysel_floats(void *const *args, int arg)
{
    return (const float *)args[arg];
}

static inline const int32_t *dysel_ints(void *const *args, int arg)
{
    return (const int32_t *)args[arg];
}

// The work-group's first item and the one behind its last, in a problem of that size.
static inline int dysel_first(const gputune_grid *range, int dimension)
{
    return (int)range->begin[dimension];
}

static inline int dysel_end(const gputune_grid *range, int dimension, int size)
{
    return range->end[dimension] < (size_t)size ? (int)range->end[dimension] : size;
}

#define DYSEL_FOR(i, begin, end) for (int i = (begin); i < (end); i++)

// --- sgemm: work-groups of 32 x 32 ---

enum { DYSEL_TILE = 32 };

#define DYSEL_I DYSEL_FOR(i, 0, i1 - i0)
#define DYSEL_J DYSEL_FOR(j, 0, j1 - j0)
#define DYSEL_K DYSEL_FOR(s, 0, k)

#define DYSEL_SGEMM(name, outer, middle, inner)                                                    \
    static inline void name(DYSEL_HOST)                                                            \
    {                                                                                              \
        const int m = dysel_int(args, 0), n = dysel_int(args, 1), k = dysel_int(args, 2);          \
        const int j0 = dysel_first(range, 0), j1 = dysel_end(range, 0, n);                         \
        const int i0 = dysel_first(range, 1), i1 = dysel_end(range, 1, m);                         \
        const float *a = dysel_floats(args, 3) + (size_t)i0 * (size_t)k;                           \
        const float *b = dysel_floats(args, 4) + j0;                                               \
        float *c = (float *)args[5];                                                               \
        float sum[DYSEL_TILE][DYSEL_TILE];                                                         \
        memset(sum, 0, sizeof sum);                                                                \
        outer middle inner sum[i][j] += a[i * k + s] * b[s * n + j];                               \
        DYSEL_I memcpy(c + (size_t)(i0 + i) * (size_t)n + j0, sum[i], (size_t)(j1 - j0) * 4);      \
    }

DYSEL_SGEMM(dysel_sgemm_ijk, DYSEL_I, DYSEL_J, DYSEL_K)
DYSEL_SGEMM(dysel_sgemm_ikj, DYSEL_I, DYSEL_K, DYSEL_J)
DYSEL_SGEMM(dysel_sgemm_jik, DYSEL_J, DYSEL_I, DYSEL_K)
DYSEL_SGEMM(dysel_sgemm_jki, DYSEL_J, DYSEL_K, DYSEL_I)
DYSEL_SGEMM(dysel_sgemm_kij, DYSEL_K, DYSEL_I, DYSEL_J)
DYSEL_SGEMM(dysel_sgemm_kji, DYSEL_K, DYSEL_J, DYSEL_I)

// --- spmv: work-groups of 64 rows; depth first is a row after the other, breadth first the
// n-th non-zeros of all rows, then the next ones ---

enum { DYSEL_ROWS = 64 };

static inline void dysel_csr_depth(DYSEL_HOST)
{
    const int32_t *start = dysel_ints(args, 1), *column = dysel_ints(args, 2);
    const float *value = dysel_floats(args, 3), *x = dysel_floats(args, 4);
    float *y = (float *)args[5];
    const int end = dysel_end(range, 0, dysel_int(args, 0));
    DYSEL_FOR(row, dysel_first(range, 0), end)
    {
        float sum = 0;
        DYSEL_FOR(k, start[row], start[row + 1]) sum += value[k] * x[column[k]];
        y[row] = sum;
    }
}

static inline void dysel_csr_breadth(DYSEL_HOST)
{
    const int first = dysel_first(range, 0);
    const int count = dysel_end(range, 0, dysel_int(args, 0)) - first;
    const int32_t *start = dysel_ints(args, 1) + first, *column = dysel_ints(args, 2);
    const float *value = dysel_floats(args, 3), *x = dysel_floats(args, 4);
    float *y = (float *)args[5], sum[DYSEL_ROWS];
    int longest = 0;
    memset(sum, 0, sizeof sum);
    DYSEL_FOR(r, 0, count)
    if (start[r + 1] - start[r] > longest) longest = start[r + 1] - start[r];
    DYSEL_FOR(i, 0, longest)
    DYSEL_FOR(r, 0, count)
    {
        const int k = start[r] + i;
        if (k < start[r + 1]) sum[r] += value[k] * x[column[k]];
    }
    if (count > 0) memcpy(y + first, sum, (size_t)count * 4);
}

// 32 work-items a row, 4 rows a work-group: a work-item after the other, or all side by side.
enum { DYSEL_LANES = 32 };

static inline float dysel_sum_lanes(const float *partial)
{
    float sum = 0;
    DYSEL_FOR(lane, 0, DYSEL_LANES) sum += partial[lane];
    return sum;
}

static inline int dysel_first_row(const gputune_grid *range)
{
    return (int)(range->begin[0] / DYSEL_LANES);
}

static inline int dysel_end_row(const gputune_grid *range, void *const *args)
{
    const size_t end = range->end[0] / DYSEL_LANES, rows = (size_t)dysel_int(args, 0);
    return (int)(end < rows ? end : rows);
}

static inline void dysel_csr_vector_depth(DYSEL_HOST)
{
    const int32_t *start = dysel_ints(args, 1), *column = dysel_ints(args, 2);
    const float *value = dysel_floats(args, 3), *x = dysel_floats(args, 4);
    float *y = (float *)args[5], partial[DYSEL_LANES];
    DYSEL_FOR(row, dysel_first_row(range), dysel_end_row(range, args))
    {
        DYSEL_FOR(lane, 0, DYSEL_LANES)
        {
            partial[lane] = 0;
            for (int k = start[row] + lane; k < start[row + 1]; k += DYSEL_LANES)
                partial[lane] += value[k] * x[column[k]];
        }
        y[row] = dysel_sum_lanes(partial);
    }
}

static inline void dysel_csr_vector_breadth(DYSEL_HOST)
{
    const int32_t *start = dysel_ints(args, 1), *column = dysel_ints(args, 2);
    const float *value = dysel_floats(args, 3), *x = dysel_floats(args, 4);
    float *y = (float *)args[5], partial[DYSEL_LANES];
    DYSEL_FOR(row, dysel_first_row(range), dysel_end_row(range, args))
    {
        memset(partial, 0, sizeof partial);
        for (int k = start[row]; k < start[row + 1]; k += DYSEL_LANES) {
            const int lanes = start[row + 1] - k < DYSEL_LANES ? start[row + 1] - k : DYSEL_LANES;
            DYSEL_FOR(lane, 0, lanes) partial[lane] += value[k + lane] * x[column[k + lane]];
        }
        y[row] = dysel_sum_lanes(partial);
    }
}

static inline void dysel_jds_depth(DYSEL_HOST)
{
    const int32_t *length = dysel_ints(args, 1), *place = dysel_ints(args, 2);
    const int32_t *start = dysel_ints(args, 3), *column = dysel_ints(args, 4);
    const float *value = dysel_floats(args, 5), *x = dysel_floats(args, 6);
    float *y = (float *)args[7];
    DYSEL_FOR(row, dysel_first(range, 0), dysel_end(range, 0, dysel_int(args, 0)))
    {
        float sum = 0;
        DYSEL_FOR(d, 0, length[row]) sum += value[start[d] + row] * x[column[start[d] + row]];
        y[place[row]] = sum;
    }
}

static inline void dysel_jds_breadth(DYSEL_HOST)
{
    const int first = dysel_first(range, 0);
    const int count = dysel_end(range, 0, dysel_int(args, 0)) - first;
    const int32_t *length = dysel_ints(args, 1) + first, *place = dysel_ints(args, 2) + first;
    const int32_t *start = dysel_ints(args, 3), *column = dysel_ints(args, 4);
    const float *value = dysel_floats(args, 5), *x = dysel_floats(args, 6);
    float *y = (float *)args[7], sum[DYSEL_ROWS];
    int left = count;
    memset(sum, 0, sizeof sum);
    for (int d = 0; left > 0; d++) { // they are sorted: those that go on are in front
        while (left > 0 && length[left - 1] <= d) left--;
        const int k0 = start[d] + first;
        DYSEL_FOR(r, 0, left) sum[r] += value[k0 + r] * x[column[k0 + r]];
    }
    DYSEL_FOR(r, 0, count) y[place[r]] = sum[r];
}

// --- stencil: work-groups of 64 x 8 x 8 ---

#define DYSEL_X DYSEL_FOR(x, x0, x1)
#define DYSEL_Y DYSEL_FOR(y, y0, y1)
#define DYSEL_Z DYSEL_FOR(z, z0, z1)

#define DYSEL_STENCIL(name, outer, middle, inner)                                                  \
    static inline void name(DYSEL_HOST)                                                            \
    {                                                                                              \
        const int nx = dysel_int(args, 0), ny = dysel_int(args, 1), nz = dysel_int(args, 2);       \
        const int x0 = dysel_first(range, 0) + 1, x1 = dysel_end(range, 0, nx - 2) + 1;            \
        const int y0 = dysel_first(range, 1) + 1, y1 = dysel_end(range, 1, ny - 2) + 1;            \
        const int z0 = dysel_first(range, 2) + 1, z1 = dysel_end(range, 2, nz - 2) + 1;            \
        const float *before = dysel_floats(args, 3);                                               \
        float *after = (float *)args[4];                                                           \
        const ptrdiff_t row = nx, plane = row * ny;                                                \
        outer middle inner                                                                         \
        {                                                                                          \
            const float *p = before + (x + row * y + plane * z);                                   \
            after[x + row * y + plane * z] =                                                       \
                (p[plane] + p[-plane] + p[row] + p[-row] + p[1] + p[-1]) * (1.0f / 36) -           \
                p[0] * (1.0f / 6);                                                                 \
        }                                                                                          \
    }

DYSEL_STENCIL(dysel_stencil_zyx, DYSEL_Z, DYSEL_Y, DYSEL_X)
DYSEL_STENCIL(dysel_stencil_zxy, DYSEL_Z, DYSEL_X, DYSEL_Y)
DYSEL_STENCIL(dysel_stencil_yzx, DYSEL_Y, DYSEL_Z, DYSEL_X)
DYSEL_STENCIL(dysel_stencil_yxz, DYSEL_Y, DYSEL_X, DYSEL_Z)
DYSEL_STENCIL(dysel_stencil_xzy, DYSEL_X, DYSEL_Z, DYSEL_Y)
DYSEL_STENCIL(dysel_stencil_xyz, DYSEL_X, DYSEL_Y, DYSEL_Z)

// --- cutcp: a work-group is a cell of 8 x 8 x 8 points; a is the loop over atoms ---

#define DYSEL_PX DYSEL_FOR(x, 0, DYSEL_EDGE)
#define DYSEL_PY DYSEL_FOR(y, 0, DYSEL_EDGE)
#define DYSEL_PZ DYSEL_FOR(z, 0, DYSEL_EDGE)
#define DYSEL_PA DYSEL_FOR(a, 0, DYSEL_NEAR)

// The atoms that the work-group's points feel: x, y, z, charge, as seen from its first point.
static inline void dysel_gather(const gputune_grid *range, void *const *args,
                                float (*atoms)[DYSEL_NEAR])
{
    const int size[3] = { dysel_int(args, 0), dysel_int(args, 1), dysel_int(args, 2) };
    int point[3];
    for (int d = 0; d < 3; d++) point[d] = dysel_first(range, d);
    for (int i = 0; i < 27; i++) {
        const float *from = dysel_floats(args, 3) + 4 * dysel_near(size, point, i);
        for (int a = 0; a < DYSEL_DEPTH; a++) {
            for (int d = 0; d < 3; d++)
                atoms[d][i * DYSEL_DEPTH + a] = from[4 * a + d] - DYSEL_SPACING * (float)point[d];
            atoms[3][i * DYSEL_DEPTH + a] = from[4 * a + 3];
        }
    }
}

static inline float dysel_potential(float x, float y, float z, float charge)
{
    const float square = x * x + y * y + z * z;
    const float rest = 1.0f - square * (1.0f / (DYSEL_CUTOFF * DYSEL_CUTOFF));
    const float inside = rest > 0.0f ? rest : 0.0f;
    return charge * inside * inside / sqrtf(square + DYSEL_SOFT);
}

static inline void dysel_put(const gputune_grid *range, void *const *args,
                             float (*sum)[DYSEL_EDGE][DYSEL_EDGE])
{
    const int nx = dysel_int(args, 0), ny = dysel_int(args, 1), nz = dysel_int(args, 2);
    const int x0 = dysel_first(range, 0), y0 = dysel_first(range, 1), z0 = dysel_first(range, 2);
    const size_t count = (size_t)(dysel_end(range, 0, nx) - x0);
    float *potential = (float *)args[4];
    DYSEL_FOR(z, z0, dysel_end(range, 2, nz))
    DYSEL_FOR(y, y0, dysel_end(range, 1, ny))
    memcpy(potential + ((size_t)z * (size_t)ny + (size_t)y) * (size_t)nx + x0, sum[z - z0][y - y0],
           count * 4);
}

#define DYSEL_CUTCP(name, first, second, third, fourth)                                            \
    static inline void name(DYSEL_HOST)                                                            \
    {                                                                                              \
        float atoms[4][DYSEL_NEAR], sum[DYSEL_EDGE][DYSEL_EDGE][DYSEL_EDGE];                       \
        dysel_gather(range, args, atoms);                                                          \
        memset(sum, 0, sizeof sum);                                                                \
        first second third fourth sum[z][y][x] += dysel_potential(                                 \
            atoms[0][a] - DYSEL_SPACING * (float)x, atoms[1][a] - DYSEL_SPACING * (float)y,        \
            atoms[2][a] - DYSEL_SPACING * (float)z, atoms[3][a]);                                  \
        dysel_put(range, args, sum);                                                               \
    }

DYSEL_CUTCP(dysel_cutcp_zyxa, DYSEL_PZ, DYSEL_PY, DYSEL_PX, DYSEL_PA)
DYSEL_CUTCP(dysel_cutcp_zyax, DYSEL_PZ, DYSEL_PY, DYSEL_PA, DYSEL_PX)
DYSEL_CUTCP(dysel_cutcp_zayx, DYSEL_PZ, DYSEL_PA, DYSEL_PY, DYSEL_PX)
DYSEL_CUTCP(dysel_cutcp_azyx, DYSEL_PA, DYSEL_PZ, DYSEL_PY, DYSEL_PX)
DYSEL_CUTCP(dysel_cutcp_xyaz, DYSEL_PX, DYSEL_PY, DYSEL_PA, DYSEL_PZ)
DYSEL_CUTCP(dysel_cutcp_xyza, DYSEL_PX, DYSEL_PY, DYSEL_PZ, DYSEL_PA)
DYSEL_CUTCP(dysel_cutcp_axyz, DYSEL_PA, DYSEL_PX, DYSEL_PY, DYSEL_PZ)

// --- kmeans: work-groups of 256 points; p, c, f are points, clusters, features. Distances to a
// cluster are complete before the next begins, so f may not be the outermost loop ---

enum { DYSEL_POINTS = 256 };

typedef struct dysel_nearest {
    float distance[DYSEL_POINTS], best[DYSEL_POINTS];
    int32_t cluster[DYSEL_POINTS];
} dysel_nearest;

static inline void dysel_nearer(dysel_nearest *n, int point, int cluster)
{
    const bool nearer = cluster == 0 || n->distance[point] < n->best[point];
    n->best[point] = nearer ? n->distance[point] : n->best[point];
    n->cluster[point] = nearer ? cluster : n->cluster[point];
}

static inline float dysel_square(float x)
{
    return x * x;
}

// What the three begin with; the points come as rows or, to cfp, as columns.
#define DYSEL_KMEANS_BEGIN                                                                         \
    const int features = dysel_int(args, 1), clusters = dysel_int(args, 2);                        \
    const int first = dysel_first(range, 0);                                                       \
    const int count = dysel_end(range, 0, dysel_int(args, 0)) - first;                             \
    const float *centres = dysel_floats(args, 4);                                                  \
    int32_t *membership = (int32_t *)args[5];                                                      \
    dysel_nearest n;                                                                               \
    memset(&n, 0, sizeof n);

static inline void dysel_kmeans_pcf(DYSEL_HOST)
{
    DYSEL_KMEANS_BEGIN
    DYSEL_FOR(p, 0, count)
    {
        const float *point = dysel_floats(args, 3) + (size_t)(first + p) * (size_t)features;
        DYSEL_FOR(c, 0, clusters)
        {
            float sum = 0;
            DYSEL_FOR(f, 0, features) sum += dysel_square(point[f] - centres[c * features + f]);
            n.distance[p] = sum;
            dysel_nearer(&n, p, c);
        }
        membership[first + p] = n.cluster[p];
    }
}

static inline void dysel_kmeans_cpf(DYSEL_HOST)
{
    DYSEL_KMEANS_BEGIN
    DYSEL_FOR(c, 0, clusters)
    DYSEL_FOR(p, 0, count)
    {
        const float *point = dysel_floats(args, 3) + (size_t)(first + p) * (size_t)features;
        float sum = 0;
        DYSEL_FOR(f, 0, features) sum += dysel_square(point[f] - centres[c * features + f]);
        n.distance[p] = sum;
        dysel_nearer(&n, p, c);
    }
    DYSEL_FOR(p, 0, count) membership[first + p] = n.cluster[p];
}

static inline void dysel_kmeans_cfp(DYSEL_HOST)
{
    DYSEL_KMEANS_BEGIN
    const size_t points = (size_t)dysel_int(args, 0);
    DYSEL_FOR(c, 0, clusters)
    {
        memset(n.distance, 0, sizeof n.distance);
        DYSEL_FOR(f, 0, features)
        {
            const float *column = dysel_floats(args, 3) + (size_t)f * points + first;
            const float centre = centres[c * features + f];
            DYSEL_FOR(p, 0, count) n.distance[p] += dysel_square(column[p] - centre);
        }
        DYSEL_FOR(p, 0, count) dysel_nearer(&n, p, c);
    }
    DYSEL_FOR(p, 0, count) membership[first + p] = n.cluster[p];
}

// ---------------------------------------------------------------------------------------------
// The list
// ---------------------------------------------------------------------------------------------

#define DYSEL_FILE(name) DYSEL_KERNELS "/dysel_" name ".cl"

#define DYSEL_SGEMM_BASE                                                                           \
    .unit = "GFLOP/s", .tolerance = 4e-6, .small = { 97, 83, 101 }, .make = dysel_make_sgemm,      \
    .expected = dysel_sgemm
#define DYSEL_CSR_BASE                                                                             \
    .unit = "GFLOP/s", .tolerance = 4e-6, .make = dysel_make_csr, .expected = case_spmv
#define DYSEL_JDS_BASE                                                                             \
    .unit = "GFLOP/s", .tolerance = 4e-6, .small = { 1009, 0, 8 }, .make = dysel_make_jds,         \
    .expected = dysel_jds
#define DYSEL_STENCIL_BASE                                                                         \
    .unit = "Gpoints/s", .tolerance = 2e-6, .small = { 70, 37, 23 }, .make = dysel_make_stencil,   \
    .expected = dysel_stencil
#define DYSEL_CUTCP_BASE                                                                           \
    .unit = "Gpairs/s", .tolerance = 2e-5, .small = { 21, 19, 13 }, .make = dysel_make_cutcp,      \
    .expected = dysel_cutcp

#define DYSEL_RANDOM .small = { 1000, 900, 90 }
#define DYSEL_DIAGONAL .small = { 1009, 1009, 0 }
#define DYSEL_CUBE                                                                                 \
    {                                                                                              \
        1.0 / 3, 1.0 / 3, 1.0 / 3                                                                  \
    }
#define DYSEL_SQUARE                                                                               \
    {                                                                                              \
        0.5, 0.5, 0.5                                                                              \
    }

// Variants of IV, for each of the two matrices.
#define DYSEL_CSR_VARIANTS                                                                         \
    .variants = { { .name = "scalar", .kernel = "spmv_readonly" },                                 \
                  { .name = "vector", .kernel = "spmv_vector", .factor = "4" } }
#define DYSEL_CSR_SIGNATURE                                                                        \
    .signature = "int rows, const int *start, const int *column, const float *value, "             \
                 "const float *x, float *y"
#define DYSEL_CSR_FUNCTIONS                                                                        \
    DYSEL_CSR_SIGNATURE, .global = "rows", .local = "64",                                          \
    .variants = { { .name = "scalar_depth", .function = dysel_csr_depth },                         \
                  { .name = "scalar_breadth", .function = dysel_csr_breadth },                     \
                  { .name = "vector_depth",                                                        \
                    .function = dysel_csr_vector_depth,                                            \
                    .global = "rows * 32",                                                         \
                    .local = "128",                                                                \
                    .factor = "4" },                                                               \
                  { .name = "vector_breadth",                                                      \
                    .function = dysel_csr_vector_breadth,                                          \
                    .global = "rows * 32",                                                         \
                    .local = "128",                                                                \
                    .factor = "4" } }
#define DYSEL_CSR_ORDERS                                                                           \
    DYSEL_CSR_SIGNATURE, .global = "rows", .local = "64",                                          \
    .variants = { { .name = "depth", .function = dysel_csr_depth },                                \
                  { .name = "breadth", .function = dysel_csr_breadth } }

// clang-format off
static const dysel_case dysel_cases[] = {
    // I: schedules on the host
    { .base = { .name = "I_sgemm", .large = { 1024, 1024, 1056 }, DYSEL_SGEMM_BASE },
      .cpu = { 1024, 1024, 1056 }, .power = DYSEL_CUBE, .host = true, .units = "n, m",
      .group = { 32, 32, 0 }, .mode = GPUTUNE_PROFILE_FULLY, .global = "n, m", .local = "32, 32",
      .signature = "int m, int n, int k, const float *a, const float *b, float *c",
      .variants = { { .name = "ijk", .function = dysel_sgemm_ijk },
                    { .name = "ikj", .function = dysel_sgemm_ikj },
                    { .name = "jik", .function = dysel_sgemm_jik },
                    { .name = "jki", .function = dysel_sgemm_jki },
                    { .name = "kij", .function = dysel_sgemm_kij },
                    { .name = "kji", .function = dysel_sgemm_kji } } },
    { .base = { .name = "I_spmv_jds", .large = { 1 << 20, 0, 32 }, DYSEL_JDS_BASE },
      .cpu = { 1 << 20, 0, 32 }, .power = { 1 }, .host = true, .units = "rows",
      .group = { 64, 0, 0 }, .mode = GPUTUNE_PROFILE_HYBRID, .global = "rows", .local = "64",
      .signature = "int rows, const int *length, const int *place, const int *start, "
                   "const int *column, const float *value, const float *x, float *y",
      .variants = { { .name = "depth", .function = dysel_jds_depth },
                    { .name = "breadth", .function = dysel_jds_breadth } } },
    { .base = { .name = "I_spmv_random", .large = { 98304, 98304, 983 }, DYSEL_RANDOM,
                DYSEL_CSR_BASE },
      .cpu = { 98304, 98304, 983 }, .power = DYSEL_SQUARE, .host = true, .units = "rows",
      .group = { 64, 0, 0 }, .mode = GPUTUNE_PROFILE_HYBRID, DYSEL_CSR_ORDERS },
    { .base = { .name = "I_spmv_diagonal", .large = { 1 << 25, 1 << 25, 0 }, DYSEL_DIAGONAL,
                DYSEL_CSR_BASE },
      .cpu = { 1 << 25, 1 << 25, 0 }, .power = { 1, 1 }, .host = true, .units = "rows",
      .group = { 64, 0, 0 }, .mode = GPUTUNE_PROFILE_HYBRID, DYSEL_CSR_ORDERS },
    { .base = { .name = "I_stencil", .large = { 770, 514, 258 }, DYSEL_STENCIL_BASE },
      .cpu = { 770, 514, 258 }, .power = DYSEL_CUBE, .host = true,
      .units = "nx - 2, ny - 2, nz - 2", .border = 2, .group = { 64, 8, 8 },
      .mode = GPUTUNE_PROFILE_FULLY, .global = "nx - 2, ny - 2, nz - 2", .local = "64, 8, 8",
      .signature = "int nx, int ny, int nz, const float *before, float *after",
      .variants = { { .name = "xyz", .function = dysel_stencil_xyz },
                    { .name = "xzy", .function = dysel_stencil_xzy },
                    { .name = "yxz", .function = dysel_stencil_yxz },
                    { .name = "yzx", .function = dysel_stencil_yzx },
                    { .name = "zxy", .function = dysel_stencil_zxy },
                    { .name = "zyx", .function = dysel_stencil_zyx } } },
    { .base = { .name = "I_cutcp", .large = { 128, 128, 128 }, DYSEL_CUTCP_BASE },
      .cpu = { 128, 128, 128 }, .power = DYSEL_CUBE, .host = true, .units = "nx, ny, nz",
      .group = { 8, 8, 8 }, .mode = GPUTUNE_PROFILE_FULLY, .global = "nx, ny, nz",
      .local = "8, 8, 8",
      .signature = "int nx, int ny, int nz, const float *atoms, float *potential",
      .variants = { { .name = "zyxa", .function = dysel_cutcp_zyxa },
                    { .name = "zyax", .function = dysel_cutcp_zyax },
                    { .name = "zayx", .function = dysel_cutcp_zayx },
                    { .name = "azyx", .function = dysel_cutcp_azyx },
                    { .name = "xyaz", .function = dysel_cutcp_xyaz },
                    { .name = "xyza", .function = dysel_cutcp_xyza },
                    { .name = "axyz", .function = dysel_cutcp_axyz } } },
    { .base = { .name = "I_kmeans", .unit = "Gdistances/s", .tolerance = 0,
                .small = { 1000, 7, 5 }, .large = { 5 * 988040, 34, 5 }, .make = dysel_make_kmeans,
                .expected = dysel_kmeans },
      .cpu = { 5 * 988040, 34, 5 }, .power = { 1 }, .host = true, .units = "points",
      .group = { 256, 0, 0 }, .mode = GPUTUNE_PROFILE_FULLY, .global = "points", .local = "256",
      .signature = "int points, int features, int clusters, const float *point, "
                   "const float *centres, int *membership",
      .variants = { { .name = "pcf", .function = dysel_kmeans_pcf, .args = { 1, 2, 3, 4, 6, 7 } },
                    { .name = "cpf", .function = dysel_kmeans_cpf, .args = { 1, 2, 3, 4, 6, 7 } },
                    { .name = "cfp", .function = dysel_kmeans_cfp,
                      .args = { 1, 2, 3, 5, 6, 7 } } } },
    // II: data placement on GPUs
    { .base = { .name = "II_spmv", .file = DYSEL_FILE("spmv_csr"),
                .large = { 1 << 23, 1 << 25, 128 }, DYSEL_RANDOM, DYSEL_CSR_BASE },
      .cpu = { 1 << 18, 16384, 164 }, .power = { 1 }, .units = "rows",
      .group = { 128, 0, 0 }, .mode = GPUTUNE_PROFILE_HYBRID,
      .variants = { { .name = "global", .kernel = "spmv_scalar" },
                    { .name = "readonly", .kernel = "spmv_readonly" },
                    { .name = "local_rows", .kernel = "spmv_local_rows" },
                    { .name = "local_pieces", .kernel = "spmv_local_pieces" },
                    { .name = "constant", .kernel = "spmv_constant", .constant = true } } },
    { .base = { .name = "II_pfilter", .file = DYSEL_FILE("pfilter"), .unit = "Gpixels/s",
                .tolerance = 1e-5, .small = { 1000, 5, 64 }, .large = { 3 << 26, 5, 1024 },
                .make = dysel_make_pfilter, .expected = dysel_pfilter },
      .cpu = { 1 << 19, 5, 1024 }, .power = { 1 }, .units = "particles", .group = { 128, 0, 0 },
      .mode = GPUTUNE_PROFILE_FULLY,
      .variants = { { .name = "global", .kernel = "pfilter_global" },
                    { .name = "readonly", .kernel = "pfilter_readonly" },
                    { .name = "constant", .kernel = "pfilter_constant" },
                    { .name = "local", .kernel = "pfilter_local" } } },
    // III: optimised differently
    { .base = { .name = "III_sgemm", .file = DYSEL_FILE("sgemm"), .large = { 16384, 16384, 1024 },
                DYSEL_SGEMM_BASE },
      .cpu = { 1024, 1024, 512 }, .power = { 0.5, 0.5 }, .units = "n, m", .group = { 16, 16, 0 },
      .mode = GPUTUNE_PROFILE_FULLY,
      .variants = { { .name = "naive", .kernel = "sgemm_naive" },
                    { .name = "tile", .kernel = "sgemm_tile" },
                    { .name = "block4", .kernel = "sgemm_block", .config = "WORK=4",
                      .factor = "16 * WORK, 16 * WORK" },
                    { .name = "block8", .kernel = "sgemm_block", .config = "WORK=8",
                      .factor = "16 * WORK, 16 * WORK" } } },
    { .base = { .name = "III_spmv_jds", .file = DYSEL_FILE("spmv_jds"), .large = { 1 << 25, 0, 32 },
                DYSEL_JDS_BASE },
      .cpu = { 1 << 21, 0, 32 }, .power = { 1 }, .units = "rows", .group = { 128, 0, 0 },
      .mode = GPUTUNE_PROFILE_HYBRID,
      .variants = { { .name = "base", .kernel = "jds_base" },
                    { .name = "unrolled", .kernel = "jds_unrolled" },
                    { .name = "prefetch", .kernel = "jds_prefetch" },
                    { .name = "coarse", .kernel = "jds_coarse", .factor = "256" } } },
    { .base = { .name = "III_stencil", .file = DYSEL_FILE("stencil"), .large = { 2818, 2818, 66 },
                DYSEL_STENCIL_BASE },
      .cpu = { 770, 770, 258 }, .power = { 0.5, 0.5 }, .units = "nx - 2, ny - 2, nz - 2",
      .border = 2, .group = { 32, 4, 1 }, .mode = GPUTUNE_PROFILE_FULLY,
      .variants = { { .name = "base", .kernel = "stencil_base" },
                    { .name = "chunk16", .kernel = "stencil_chunk", .config = "CHUNK=16",
                      .factor = "32, 4, CHUNK" },
                    { .name = "walk", .kernel = "stencil_walk", .factor = "32, 4, nz - 2" },
                    { .name = "tile", .kernel = "stencil_tile", .factor = "32, 8, nz - 2" } } },
    { .base = { .name = "III_cutcp", .file = DYSEL_FILE("cutcp"), .large = { 608, 608, 608 },
                DYSEL_CUTCP_BASE },
      .cpu = { 96, 96, 96 }, .power = DYSEL_CUBE, .units = "nx, ny, nz", .group = { 8, 8, 4 },
      .mode = GPUTUNE_PROFILE_FULLY,
      .variants = { { .name = "base", .kernel = "cutcp_base" },
                    { .name = "coarse", .kernel = "cutcp_coarse", .factor = "8, 8, 8" },
                    { .name = "local", .kernel = "cutcp_local", .factor = "8, 8, 8" } } },
    // IV: what is best depends on the input
    { .base = { .name = "IV_spmv_random", .file = DYSEL_FILE("spmv_csr"),
                .large = { 1 << 23, 1 << 25, 128 }, DYSEL_RANDOM, DYSEL_CSR_BASE },
      .cpu = { 98304, 98304, 983 }, .power = { 1 }, .units = "rows",
      .group = { 128, 0, 0 }, .mode = GPUTUNE_PROFILE_HYBRID, DYSEL_CSR_VARIANTS },
    { .base = { .name = "IV_spmv_diagonal", .file = DYSEL_FILE("spmv_csr"),
                .large = { 400 << 20, 400 << 20, 0 }, DYSEL_DIAGONAL, DYSEL_CSR_BASE },
      .cpu = { 1 << 24, 1 << 24, 0 }, .power = { 1, 1 }, .units = "rows", .group = { 128, 0, 0 },
      .mode = GPUTUNE_PROFILE_HYBRID, DYSEL_CSR_VARIANTS },
    { .base = { .name = "IV_spmv_random_host", .large = { 98304, 98304, 983 }, DYSEL_RANDOM,
                DYSEL_CSR_BASE },
      .cpu = { 98304, 98304, 983 }, .power = DYSEL_SQUARE, .host = true, .units = "rows",
      .group = { 64, 0, 0 }, .mode = GPUTUNE_PROFILE_HYBRID, DYSEL_CSR_FUNCTIONS },
    { .base = { .name = "IV_spmv_diagonal_host", .large = { 1 << 25, 1 << 25, 0 }, DYSEL_DIAGONAL,
                DYSEL_CSR_BASE },
      .cpu = { 1 << 25, 1 << 25, 0 }, .power = { 1, 1 }, .host = true, .units = "rows",
      .group = { 64, 0, 0 }, .mode = GPUTUNE_PROFILE_HYBRID, DYSEL_CSR_FUNCTIONS },
    // not the paper's: groups that write to common places
    { .base = { .name = "S_histogram", .file = DYSEL_FILE("histogram"), .unit = "Gnumbers/s",
                .tolerance = 0, .small = { 20011, 0, 0 }, .large = { 15 << 27, 0, 0 },
                .make = dysel_make_histogram, .expected = dysel_histogram },
      .cpu = { 1 << 24, 0, 0 }, .power = { 1 }, .units = "count", .group = { 256, 0, 0 },
      .mode = GPUTUNE_PROFILE_SWAP,
      .variants = { { .name = "global", .kernel = "histogram_global" },
                    { .name = "private", .kernel = "histogram_private", .factor = "4096" },
                    { .name = "local", .kernel = "histogram_local", .factor = "4096" },
                    { .name = "copies", .kernel = "histogram_copies", .factor = "4096" } } },
};
// clang-format on

enum { DYSEL_COUNT = sizeof dysel_cases / sizeof dysel_cases[0] };

// NULL: no such case.
static inline const dysel_case *dysel_find(const char *name)
{
    for (int i = 0; i < DYSEL_COUNT; i++)
        if (strcmp(dysel_cases[i].base.name, name) == 0) return &dysel_cases[i];
    return NULL;
}

// The sizes for a big GPU or for 16 processor cores, with that part of the work.
static inline void dysel_size(const dysel_case *c, bool cpu, double scale, int size[3])
{
    for (int d = 0; d < 3; d++) {
        const int full = cpu ? c->cpu[d] : c->base.large[d], border = full > 0 ? c->border : 0;
        const double scaled = (full - border) * pow(scale, c->power[d]);
        size[d] = full > 0 ? border + (int)fmax(1, floor(scaled + 0.5)) : full;
    }
}

// Work-groups of the first variant.
static inline double dysel_groups(const dysel_case *c, const int size[3])
{
    double groups = 1;
    for (int d = 0; d < 3; d++)
        if (c->group[d] > 0) groups *= ceil((double)(size[d] - c->border) / c->group[d]);
    return groups;
}

// A size of about so many work-groups of the first variant, at most the full one.
static inline void dysel_size_of_groups(const dysel_case *c, bool cpu, double groups, int size[3])
{
    double low = 1e-9, high = 1;
    for (int i = 0; i < 60; i++) {
        const double middle = sqrt(low * high);
        dysel_size(c, cpu, middle, size);
        if (dysel_groups(c, size) < groups)
            low = middle;
        else
            high = middle;
    }
    dysel_size(c, cpu, high, size);
}

// Whether the variant can run on that device with these data.
static inline bool dysel_fits(const dysel_variant *v, const case_data *data)
{
    const int64_t room = gputune_device_limits(data->device)->constant_memory;
    return !v->constant || (int64_t)data->buffers[3].bytes <= room;
}

// `functions` is read when a kernel is made.
static inline gputune_kernel_desc dysel_desc(const dysel_case *c, const dysel_variant *v,
                                             gputune_function functions[2])
{
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    memset(functions, 0, 2 * sizeof *functions);
    desc.name = v->kernel ? v->kernel : v->name;
    if (c->host) {
        functions[0].name = desc.name;
        functions[0].function = v->function;
        desc.functions = functions;
        desc.signature = c->signature;
        desc.global = v->global ? v->global : c->global;
        desc.local = v->local ? v->local : c->local;
    } else {
        desc.file = c->base.file;
    }
    return desc;
}

static inline gputune_kernel *dysel_kernel(const dysel_case *c, const dysel_variant *v,
                                           gputune_device *device)
{
    gputune_function functions[2];
    gputune_kernel_desc desc = dysel_desc(c, v, functions);
    return gputune_kernel_create(device, &desc);
}

// The variant's arguments among the case's, for gputune_kernel_desc.args; how many, 0: all.
static inline int dysel_mapping(const dysel_variant *v, int *indices)
{
    int count = 0;
    for (; count < CASE_ARGS && v->args[count] > 0; count++) indices[count] = v->args[count] - 1;
    return count;
}

// The same as gputune_kernel_desc.args. False: all.
static inline bool dysel_takes(const dysel_variant *v, char *text, size_t size)
{
    int indices[CASE_ARGS];
    const int count = dysel_mapping(v, indices);
    for (int i = 0, at = 0; i < count; i++)
        at += snprintf(text + at, size - (size_t)at, "%s%d", i ? "," : "", indices[i]);
    return count > 0;
}

// A variant ready for plain launches.
typedef struct dysel_plain {
    gputune_kernel *kernel;
    gputune_config config;
    gputune_arg args[CASE_ARGS];
    int arg_count;
} dysel_plain;

// False: gputune_kernel_error says why. Valid until the kernel is asked about other arguments.
static inline bool dysel_plan(dysel_plain *plain, gputune_kernel *kernel, const dysel_variant *v,
                              const case_data *data)
{
    const gputune_space *space = NULL;
    int indices[CASE_ARGS];
    memset(plain, 0, sizeof *plain);
    plain->kernel = kernel;
    plain->arg_count = dysel_mapping(v, indices);
    for (int i = 0; i < plain->arg_count; i++) plain->args[i] = data->args[indices[i]];
    if (plain->arg_count == 0) {
        plain->arg_count = data->arg_count;
        memcpy(plain->args, data->args, sizeof plain->args);
    }
    space = gputune_kernel_space(kernel, plain->args, plain->arg_count);
    return space && gputune_config_parse(space, v->config ? v->config : "", &plain->config);
}

static inline gputune_result dysel_launch(const dysel_plain *plain)
{
    return gputune_kernel_launch(plain->kernel, &plain->config, plain->args, plain->arg_count);
}

#endif
