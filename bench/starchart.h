// The six kernels of Starchart, table I, in versions of our own (bench/kernels/starchart_*.cl),
// with all their parameters, data, and plain C references. In the form of examples/cases.h, whose
// functions take a kind's .base.
//
// Do this, after including gputune_cl.h or gputune_cuda.h:
//     const starchart_kind *kind = starchart_find("kmeans"); // or &starchart_kinds[i]
//     case_data data;
//     if (!case_make(&data, &kind->base, device, kind->base.small, 1)) ...
//     gputune_kernel_desc desc = starchart_desc(kind, &data);
//     ...
//     if (!starchart_check(&data, kind, why, sizeof why)) ...
#ifndef BENCH_STARCHART_H
#define BENCH_STARCHART_H

#include "../examples/cases.h"

#ifndef STARCHART_KERNELS
#define STARCHART_KERNELS "bench/kernels" // as seen from where the program is started
#endif

enum { STARCHART_INPUTS = 9 };

typedef struct starchart_kind {
    example_case base; // small: some ms on two cores, large: 0.1 ms or more on a big GPU
    int middle[3];     // some ms on 16 cores
    // Inputs of several sizes, as multiples of the case's; ends with a 0. On processors those that
    // are no more than `most` times it. names: the features that they are
    double scales[STARCHART_INPUTS + 1][3];
    double most;
    const char *names[3];
    bool sized;             // the size is one of the space's parameters (table I: nbody's n)
    gputune_check_fn check; // where the output's layout is a parameter; user: the data
    double absolute;        // tolerance of tuning, 0: gputune's
    const gputune_param *hardware; // table II's, for CUDA alone
} starchart_kind;

// ---------------------------------------------------------------------------------------------
// bfs: size nodes, edges a node
// ---------------------------------------------------------------------------------------------

enum { STARCHART_UNREACHED = 1 << 30 };

// Levels of all nodes from node 0 on, and the level that has most; false when out of memory.
static inline bool starchart_levels(int n, const int32_t *starts, const int32_t *edges,
                                    int32_t *levels, int *largest)
{
    int32_t *queue = (int32_t *)malloc((size_t)n * sizeof *queue);
    int head = 0, tail = 0, most = 0;
    if (!queue) return false;
    for (int i = 0; i < n; i++) levels[i] = i == 0 ? 0 : STARCHART_UNREACHED;
    queue[tail++] = 0;
    *largest = 0;
    while (head < tail) { // a level at a time
        const int end = tail, level = levels[queue[head]];
        if (end - head > most) {
            most = end - head;
            *largest = level;
        }
        for (; head < end; head++)
            for (int k = starts[queue[head]]; k < starts[queue[head] + 1]; k++)
                if (levels[edges[k]] == STARCHART_UNREACHED) {
                    levels[edges[k]] = level + 1;
                    queue[tail++] = edges[k];
                }
    }
    free(queue);
    return true;
}

// Both layouts: records of four, then arrays.
static inline void starchart_attributes(int n, const int32_t *starts, const int32_t *levels,
                                        int32_t *attributes)
{
    for (int i = 0; i < n; i++) {
        const int32_t values[4] = { levels[i], starts[i], starts[i + 1] - starts[i], 0 };
        for (int which = 0; which < 4; which++) {
            attributes[4 * i + which] = values[which];
            attributes[4 * n + which * n + i] = values[which];
        }
    }
}

// Flags of a node: visited, to visit. Of both layouts what one step writes.
static inline void starchart_flags(int n, const int32_t *levels, int level, char *expected)
{
    for (int i = 0; i < n; i++)
        for (int which = 0; which < 2; which++) {
            const char flag = levels[i] == level + which;
            expected[2 * i + which] = flag;
            expected[2 * n + which * n + i] = flag;
        }
}

static inline void starchart_make_bfs(case_data *data)
{
    const int n = data->size[0];
    int32_t *attributes = (int32_t *)case_add(data, 8 * (size_t)n), *edges;
    char *expected, *status;
    int32_t *starts = (int32_t *)malloc(((size_t)n + 1) * sizeof *starts);
    int32_t *levels = (int32_t *)malloc((size_t)n * sizeof *levels);
    int level = 0;
    data->failed = data->failed || !starts || !levels;
    if (starts) starts[0] = 0;
    for (int i = 0; starts && i < n; i++)
        starts[i + 1] = starts[i] + 1 + (int32_t)case_random(data, 2 * (uint32_t)data->size[1] - 1);
    edges = (int32_t *)case_add(data, starts ? (size_t)starts[n] : 1);
    for (int k = 0; starts && edges && k < starts[n]; k++)
        edges[k] = (int32_t)case_random(data, (uint32_t)n);
    expected = (char *)case_add(data, (size_t)n); // not for the kernel: for the check
    status = (char *)case_add(data, ((size_t)n + 1) / 2);
    if (!data->failed && starchart_levels(n, starts, edges, levels, &level)) {
        starchart_attributes(n, starts, levels, attributes);
        starchart_flags(n, levels, level, expected);
        memset(status, 0, data->buffers[3].bytes);
    } else {
        data->failed = true;
    }
    data->buffers[3].type = CASE_BYTES;
    case_upload(data);
    case_arg(data, gputune_int(n));
    case_arg(data, gputune_int(level));
    for (int i = 0; i < 3; i++) case_arg(data, i < 2 ? case_in(data, i) : case_out(data, 3));
    data->work = starts ? (double)starts[n] : 0;
    free(starts);
    free(levels);
}

// A gputune_check_fn: the flags in one of the two layouts.
static inline bool starchart_check_bfs(void *user, const void *const *outputs, char *why,
                                       size_t size)
{
    const case_data *data = (const case_data *)user;
    const char *status = (const char *)outputs[4]; // of five arguments, the last
    const char *expected = (const char *)data->buffers[2].host;
    const int flags = 2 * data->size[0];
    int wrong[2] = { 0, 0 };
    for (int i = 0; i < flags; i++) { // what is not set may hold anything but 1
        wrong[0] += (status[i] == 1) != expected[i];
        wrong[1] += (status[i] == 1) != expected[flags + i];
    }
    if (wrong[0] == 0 || wrong[1] == 0) return true;
    snprintf(why, size, "bfs: %d flags are wrong as records, %d as arrays", wrong[0], wrong[1]);
    return false;
}

// ---------------------------------------------------------------------------------------------
// hotspot: size columns, rows
// ---------------------------------------------------------------------------------------------

static const float starchart_heat[4] = { 0.5f, 0.1f, 0.2f, 0.01f }; // of power, x, y, air

static inline void starchart_make_hotspot(case_data *data)
{
    const size_t cells = (size_t)data->size[0] * (size_t)data->size[1];
    float *temperature = case_add_random(data, cells);
    for (size_t i = 0; temperature && i < cells; i++)
        temperature[i] = 60 + 20 * (temperature[i] + 1);
    case_add_random(data, cells);
    case_add_output(data, cells);
    case_upload(data);
    for (int i = 0; i < 2; i++) case_arg(data, gputune_int(data->size[i]));
    for (int i = 0; i < 4; i++) case_arg(data, gputune_float(starchart_heat[i]));
    for (int i = 0; i < 3; i++) case_arg(data, i < 2 ? case_in(data, i) : case_out(data, i));
    data->work = 2 * (double)cells;
}

// A cell's temperature after so many steps.
static inline double starchart_cell(const case_data *data, int x, int y, int steps)
{
    const int columns = data->size[0], rows = data->size[1];
    const int at[5][2] = { { x, y }, { x + 1, y }, { x - 1, y }, { x, y + 1 }, { x, y - 1 } };
    double t[5];
    if (steps == 0) return (double)case_floats(data, 0)[y * columns + x];
    for (int i = 0; i < 5; i++)
        t[i] = starchart_cell(data, case_clamp(at[i][0], columns), case_clamp(at[i][1], rows),
                              steps - 1);
    return t[0] + (double)starchart_heat[0] * (double)case_floats(data, 1)[y * columns + x] +
           (double)starchart_heat[1] * (t[1] + t[2] - 2 * t[0]) +
           (double)starchart_heat[2] * (t[3] + t[4] - 2 * t[0]) +
           (double)starchart_heat[3] * (80 - t[0]);
}

static inline double starchart_hotspot(const case_data *data, size_t index, double *magnitude)
{
    *magnitude = 200;
    return starchart_cell(data, (int)(index % (size_t)data->size[0]),
                          (int)(index / (size_t)data->size[0]), 2);
}

// ---------------------------------------------------------------------------------------------
// kmeans: size points, features
// ---------------------------------------------------------------------------------------------

static inline void starchart_make_kmeans(case_data *data)
{
    const size_t n = (size_t)data->size[0] * (size_t)data->size[1];
    case_add_random(data, n);
    case_add_output(data, n);
    case_upload(data);
    for (int i = 0; i < 2; i++) case_arg(data, gputune_int(data->size[i]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = (double)n;
}

static inline double starchart_kmeans(const case_data *data, size_t index, double *magnitude)
{
    const size_t points = (size_t)data->size[0], features = (size_t)data->size[1];
    *magnitude = 0; // nothing is computed: it must be equal
    return (double)case_floats(data, 0)[index % points * features + index / points];
}

// ---------------------------------------------------------------------------------------------
// matrix: size columns, rows, inner
// ---------------------------------------------------------------------------------------------

static inline void starchart_make_matrix(case_data *data)
{
    const size_t columns = (size_t)data->size[0], rows = (size_t)data->size[1];
    const size_t inner = (size_t)data->size[2];
    case_add_random(data, rows * inner);
    case_add_random(data, inner * columns);
    case_add_output(data, rows * columns);
    case_upload(data);
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    for (int i = 0; i < 3; i++) case_arg(data, i < 2 ? case_in(data, i) : case_out(data, i));
    data->work = 2.0 * (double)columns * (double)rows * (double)inner;
}

static inline double starchart_matrix(const case_data *data, size_t index, double *magnitude)
{
    const size_t columns = (size_t)data->size[0], inner = (size_t)data->size[2];
    const float *a = case_floats(data, 0) + index / columns * inner;
    const float *b = case_floats(data, 1) + index % columns;
    double sum = *magnitude = 0;
    for (size_t k = 0; k < inner; k++) {
        const double term = (double)a[k] * (double)b[k * columns];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// nbody: size bodies
// ---------------------------------------------------------------------------------------------

static const float starchart_softening = 0.01f;

static inline void starchart_make_nbody(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    float *bodies = case_add_random(data, 4 * n);
    for (size_t i = 0; bodies && i < n; i++) // masses, of 1 together
        bodies[4 * i + 3] = (bodies[4 * i + 3] + 1) / (float)n;
    case_add_output(data, 4 * n);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_float(starchart_softening));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = (double)n * (double)n;
}

static inline double starchart_nbody(const case_data *data, size_t index, double *magnitude)
{
    const float *bodies = case_floats(data, 0), *mine = bodies + index / 4 * 4;
    const size_t which = index % 4;
    double sum = *magnitude = 0;
    for (int i = 0; i < data->size[0] && which < 3; i++) {
        const float *other = bodies + 4 * (size_t)i;
        double square = (double)starchart_softening, term;
        for (int d = 0; d < 3; d++)
            square += ((double)other[d] - (double)mine[d]) * ((double)other[d] - (double)mine[d]);
        term = (double)other[3] * ((double)other[which] - (double)mine[which]) /
               (square * sqrt(square));
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// streamcluster: size points, dimensions
// ---------------------------------------------------------------------------------------------

// Numbers that are whole, so that every sum is exact and no tie depends on rounding.
static inline void starchart_make_stream(case_data *data)
{
    const size_t n = (size_t)data->size[0], dimensions = (size_t)data->size[1];
    float *points = (float *)case_add(data, 8 * n), *coordinates;
    uint32_t *centres;
    for (size_t i = 0; points && i < n; i++) {
        const float values[4] = { (float)(1 + case_random(data, 4)),
                                  (float)case_random(data, 200 * (uint32_t)dimensions) + 0.5f,
                                  (float)case_random(data, 100), 0 };
        for (size_t which = 0; which < 4; which++) {
            points[4 * i + which] = values[which];
            points[4 * n + which * n + i] = values[which];
        }
    }
    coordinates = (float *)case_add(data, n * dimensions);
    for (size_t i = 0; coordinates && i < n * dimensions; i++)
        coordinates[i] = (float)case_random(data, 16);
    case_add_output(data, n);
    centres = (uint32_t *)case_add(data, n);
    for (size_t i = 0; centres && i < n; i++) centres[i] = 0xFFFFFFFFu;
    data->buffers[3].type = CASE_UINTS;
    data->outputs = 2;
    case_upload(data);
    for (int i = 0; i < 2; i++) case_arg(data, gputune_int(data->size[i]));
    case_arg(data, gputune_int(data->size[0] / 3));
    for (int i = 0; i < 4; i++) case_arg(data, i < 2 ? case_in(data, i) : case_out(data, i));
    data->work = (double)n * (double)dimensions;
}

static inline double starchart_stream(const case_data *data, size_t i, double *magnitude)
{
    const size_t n = (size_t)data->size[0];
    const size_t centre = (size_t)data->args[2].value.i;
    const float *point = case_floats(data, 0) + 4 * i;
    double cost = 0;
    for (size_t d = 0; d < (size_t)data->size[1]; d++) {
        const double off = (double)case_floats(data, 1)[d * n + i] -
                           (double)case_floats(data, 1)[d * n + centre];
        cost += off * off;
    }
    cost *= (double)point[0];
    *magnitude = 0;
    if (data->output == 2) return cost < (double)point[1] ? (double)point[1] - cost : 0;
    return cost < (double)point[1] ? (double)centre : (double)point[2];
}

// ---------------------------------------------------------------------------------------------
// The list
// ---------------------------------------------------------------------------------------------

#define STARCHART(name, unit, tolerance, s0, s1, s2, l0, l1, l2, make, expected)                  \
    { #name, STARCHART_KERNELS "/starchart_" #name ".cl", #name, NULL, unit, tolerance,           \
      { s0, s1, s2 }, { l0, l1, l2 }, make, expected }

// What table II calls hardware parameters: the most registers of a thread, of which sm_90 has 24 to
// 255, and whether inputs go through the L1 cache. Its third, the cache's size, no kernel can set.
static const gputune_param starchart_hardware[] = { { "NREG", "set 24,32,40,48,64,128,255", "255" },
                                                    { "USE_L1", "bool", "1" },
                                                    { NULL, NULL, NULL } };

// name, what a second's billions are of, tolerance, small, large, data, reference;
// middle, scales, most, names, sized, check, absolute, hardware
//
// Sizes are those of Rodinia's and the paper's inputs where they keep an H200 busy (nbody and bfs's
// several inputs); others are 4 (bfs) to 16 times theirs.
static const starchart_kind starchart_kinds[] = {
    { STARCHART(bfs, "Gedges/s", 0, 1 << 16, 6, 0, 1 << 22, 6, 0, starchart_make_bfs, NULL),
      { 1 << 18, 6, 0 },
      { { 1 / 64.0, 1 / 3.0 }, { 1 / 64.0, 1 }, { 1 / 64.0, 4 },
        { 1 / 16.0, 1 / 3.0 }, { 1 / 16.0, 1 }, { 1 / 16.0, 4 },
        { 1 / 4.0, 1 / 3.0 }, { 1 / 4.0, 1 }, { 1 / 4.0, 4 } },
      4, { "NODES", "EDGES", NULL }, false, starchart_check_bfs, 0, NULL },
    { STARCHART(hotspot, "Gcells/s", 1e-6, 256, 256, 0, 4096, 4096, 0, starchart_make_hotspot,
                starchart_hotspot),
      { 512, 512, 0 }, { { 0 } }, 0, { NULL }, false, NULL, 0, NULL },
    { STARCHART(kmeans, "Gelements/s", 0, 1 << 14, 34, 0, 1 << 22, 34, 0, starchart_make_kmeans,
                starchart_kmeans),
      { 1 << 16, 34, 0 }, { { 0 } }, 0, { NULL }, false, NULL, 0, starchart_hardware },
    { STARCHART(matrix, "GFLOP/s", 4e-6, 96, 96, 96, 1024, 1024, 1024, starchart_make_matrix,
                starchart_matrix),
      { 256, 256, 256 },
      { { 0.5, 0.5, 0.5 }, { 1, 1, 1 }, { 1.5, 1.5, 1.5 }, { 2, 2, 2 }, { 3, 3, 3 },
        { 3, 0.5, 1 }, { 0.5, 3, 1 }, { 1, 1, 3 } },
      2, { "COLUMNS", "ROWS", "INNER" }, false, NULL, 0, starchart_hardware },
    { STARCHART(nbody, "Gpairs/s", 2e-5, 256, 0, 0, 1024, 0, 0, starchart_make_nbody,
                starchart_nbody),
      { 512, 0, 0 }, { { 1 }, { 2 }, { 4 }, { 8 }, { 16 }, { 32 } },
      4, { "N", NULL, NULL }, true, NULL, 1e-4, NULL },
    { STARCHART(streamcluster, "Gcoordinates/s", 0, 1 << 14, 16, 0, 1 << 22, 32, 0,
                starchart_make_stream, starchart_stream),
      { 1 << 16, 16, 0 }, { { 0 } }, 0, { NULL }, false, NULL, 0, NULL },
};

enum { STARCHART_COUNT = sizeof starchart_kinds / sizeof starchart_kinds[0] };

// NULL: no such kernel.
static inline const starchart_kind *starchart_find(const char *name)
{
    for (int i = 0; i < STARCHART_COUNT; i++)
        if (strcmp(starchart_kinds[i].base.name, name) == 0) return &starchart_kinds[i];
    return NULL;
}

// The input number `input` (0, 1, ...) beside one of the size `base`. False: there are no more.
static inline bool starchart_input(const starchart_kind *kind, bool gpu, int input,
                                   const int base[3], int size[3])
{
    for (int i = 0; i < STARCHART_INPUTS && kind->scales[i][0] > 0; i++) {
        double most = 0;
        for (int d = 0; d < 3; d++) {
            most = fmax(most, kind->scales[i][d]);
            size[d] = (int)(base[d] * kind->scales[i][d] + 0.5);
        }
        if ((gpu || most <= kind->most) && input-- == 0) return true;
    }
    return false;
}

// What gputune_kernel_create wants for that data, which must live as long as the kernel.
static inline gputune_kernel_desc starchart_desc(const starchart_kind *kind, case_data *data)
{
    gputune_kernel_desc desc = case_desc(&kind->base);
    desc.tune.check = kind->check;
    desc.tune.user = data;
    if (gputune_device_self(data->device, "cuda")) desc.params = kind->hardware;
    desc.tune.absolute_tolerance = kind->absolute;
    desc.tune.tolerance = kind->absolute > 0 ? 1e-3 : 0;
    return desc;
}

// Compares what one launch wrote with plain C: 2,000 elements of each output, or all where the
// layout may differ.
static inline bool starchart_check(case_data *data, const starchart_kind *kind, char *why,
                                   size_t size)
{
    const int first = case_first_output(data);
    const case_buffer *b = &data->buffers[first];
    const void *outputs[CASE_ARGS] = { NULL };
    void *host;
    bool right;
    if (!kind->check) return case_check(data, 2000, why, size);
    host = malloc(b->bytes);
    snprintf(why, size, "%s: the output cannot be read", kind->base.name);
    right = host && gputune_buffer_read(data->device, b->buffer, 0, host, b->bytes) == GPUTUNE_OK;
    outputs[data->arg_count - 1] = host;
    right = right && kind->check(data, outputs, why, size);
    free(host);
    return right;
}

#endif
