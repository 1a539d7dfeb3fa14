// The sixteen programs of Magni, table 1: kernels of bench/kernels, plain and not
// coarsened, with their data, plain C references, ranges of sizes, and how their problems shrink.
// In the form of examples/cases.h, whose functions take a program's .base.
//
// Do this, after including gputune_cl.h or gputune_cuda.h:
//     const program_kind *p = program_find("sgemm");       // or &programs[i], i < PROGRAM_COUNT
//     case_data data;
//     int size[3];
//     p->fit(1 << 20, size);                               // work-items, at most
//     if (!case_make(&data, &p->base, device, size, 1)) ...
//     char global[64];
//     gputune_kernel_desc desc = program_desc(p, &data, global, sizeof global);
//     desc.tune.saturation = program_saturation(p);
#ifndef BENCH_PROGRAMS_H
#define BENCH_PROGRAMS_H

#include "../examples/cases.h"

#ifndef PROGRAMS
#define PROGRAMS "bench/kernels" // the folder, as seen from where the program is started
#endif

typedef struct program_kind {
    example_case base;
    int launch;               // the launch has so many of data->size; 0: as the source says
    int item_factor;          // work-items for one of table 1's: of mvCoal it counts rows
    double smallest, largest; // table 1
    void (*fit)(double items, int size[3]); // a problem of at most so many work-items
    // How it shrinks; NULL: a part of the grid is launched, since a work-item's work does not
    // depend on how many there are.
    const char *resize;
    const char *work; // when it shrinks in this way
} program_kind;

static inline uint32_t *case_uints(const case_data *data, int buffer)
{
    return (uint32_t *)data->buffers[buffer].host;
}

// A buffer of 32-bit integers (or of bytes: four times as many).
static inline uint32_t *program_add_uints(case_data *data, size_t count, case_type type)
{
    uint32_t *values = (uint32_t *)case_add(data, count);
    data->buffers[data->buffer_count - 1].type = type;
    return values;
}

static inline int program_root(double items, double power, int multiple)
{
    const int root = (int)(pow(items, 1 / power) * (1 + 1e-12)) / multiple * multiple;
    return root < multiple ? multiple : root;
}

// Sizes: a line of whole work-groups, a square, a cube inside a border.
static inline void program_fit_line(double items, int size[3])
{
    size[0] = program_root(items, 1, 256);
    size[1] = size[2] = 0;
}

static inline void program_fit_square(double items, int size[3])
{
    size[0] = size[1] = program_root(items, 2, 16);
    size[2] = 0;
}

static inline void program_fit_cube(double items, int size[3])
{
    size[0] = size[1] = size[2] = program_root(items, 3, 4) + 2;
}

// ---------------------------------------------------------------------------------------------
// binarySearch: size segments
// ---------------------------------------------------------------------------------------------

static inline void program_make_search(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    uint32_t *bounds = program_add_uints(data, 2 * n, CASE_UINTS);
    uint32_t *result = program_add_uints(data, 4, CASE_UINTS), key = 0;
    for (size_t i = 0; bounds && i < n; i++) { // in ascending order, with gaps
        bounds[2 * i] = (uint32_t)i * 12 + case_random(data, 6);
        bounds[2 * i + 1] = (uint32_t)i * 12 + 6 + case_random(data, 6);
    }
    if (bounds) key = (bounds[n / 3 * 2] + bounds[n / 3 * 2 + 1]) / 2;
    if (result) memset(result, 0xA5, 16);
    case_upload(data);
    case_arg(data, case_inout(data, 1));
    case_arg(data, case_in(data, 0));
    case_arg(data, gputune_int(key));
    case_arg(data, gputune_int((int64_t)n));
    data->work = (double)n;
}

static inline double program_search(const case_data *data, size_t i, double *magnitude)
{
    const uint32_t *bounds = case_uints(data, 0), key = (uint32_t)data->args[2].value.i;
    size_t low = 0, high = (size_t)data->size[0] - 1;
    while (low < high) { // the first segment that ends at the key or behind it
        const size_t middle = (low + high) / 2;
        if (bounds[2 * middle + 1] < key)
            low = middle + 1;
        else
            high = middle;
    }
    *magnitude = 0;
    return i == 0 ? (double)low : i == 3 ? 1 : (double)case_uints(data, 1)[i];
}

// ---------------------------------------------------------------------------------------------
// blackscholes: size options
// ---------------------------------------------------------------------------------------------

static inline float *program_add_between(case_data *data, size_t count, float low, float high)
{
    float *values = case_add_random(data, count);
    for (size_t i = 0; values && i < count; i++)
        values[i] = low + (high - low) * 0.5f * (values[i] + 1.0f);
    return values;
}

static inline void program_make_options(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    program_add_between(data, n, 5, 30);     // price
    program_add_between(data, n, 1, 100);    // strike
    program_add_between(data, n, 0.25f, 10); // years
    case_add_output(data, n);                // call
    case_add_output(data, n);                // put
    data->outputs = 2;
    case_upload(data);
    case_arg(data, case_out(data, 3));
    case_arg(data, case_out(data, 4));
    for (int i = 0; i < 3; i++) case_arg(data, case_in(data, i));
    case_arg(data, gputune_float(0.02f));
    case_arg(data, gputune_float(0.3f));
    case_arg(data, gputune_int((int64_t)n));
    data->work = (double)n;
}

static inline double program_options(const case_data *data, size_t i, double *magnitude)
{
    const double s = (double)case_floats(data, 0)[i], x = (double)case_floats(data, 1)[i];
    const double t = (double)case_floats(data, 2)[i], rate = (double)0.02f, v = (double)0.3f;
    const double d1 = (log(s / x) + (rate + 0.5 * v * v) * t) / (v * sqrt(t));
    const double d2 = d1 - v * sqrt(t), discounted = x * exp(-rate * t), half = sqrt(0.5);
    *magnitude = s + x;
    if (data->output == 3) return 0.5 * (s * erfc(-d1 * half) - discounted * erfc(-d2 * half));
    return 0.5 * (discounted * erfc(d2 * half) - s * erfc(d1 * half));
}

// ---------------------------------------------------------------------------------------------
// convolution: size width, height, mask
// ---------------------------------------------------------------------------------------------

static inline void program_fit_convolution(double items, int size[3])
{
    program_fit_square(items, size);
    size[2] = 3;
}

static inline void program_make_convolution(case_data *data)
{
    const size_t pixels = (size_t)data->size[0] * (size_t)data->size[1];
    case_add_random(data, pixels);
    case_add_random(data, (size_t)data->size[2] * (size_t)data->size[2]);
    case_add_output(data, pixels);
    case_upload(data);
    case_arg(data, case_out(data, 2));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_in(data, 1));
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int((int64_t)data->size[i]));
    data->work = (double)pixels;
}

static inline double program_convolution(const case_data *data, size_t index, double *magnitude)
{
    const int width = data->size[0], height = data->size[1], size = data->size[2];
    const int x = (int)(index % (size_t)width), y = (int)(index / (size_t)width);
    double sum = *magnitude = 0;
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++) {
            const int px = x + i - size / 2, py = y + j - size / 2;
            double term;
            if (px < 0 || px >= width || py < 0 || py >= height) continue;
            term = (double)case_floats(data, 1)[j * size + i] *
                   (double)case_floats(data, 0)[(size_t)py * (size_t)width + (size_t)px];
            sum += term;
            *magnitude += fabs(term);
        }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// dwtHaar1D: size half the signal's length
// ---------------------------------------------------------------------------------------------

enum { PROGRAM_GROUP = 256, PROGRAM_LEVELS = 9 }; // a group's 512 elements are halved so often

static inline void program_make_wavelet(case_data *data)
{
    const size_t n = 2 * (size_t)data->size[0];
    case_add_random(data, n);
    case_add_output(data, n);
    case_add_output(data, n / (2 * PROGRAM_GROUP));
    data->outputs = 2;
    case_upload(data);
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    case_arg(data, case_out(data, 2));
    case_arg(data, gputune_local("4 * 2 * 256"));
    case_arg(data, gputune_int(PROGRAM_LEVELS));
    case_arg(data, gputune_int((int64_t)n));
    data->work = (double)n;
}

// The scalar product with a Haar function: constant over some elements, negative in the 2nd half.
static inline double program_wavelet(const case_data *data, size_t index, double *magnitude)
{
    const size_t n = 2 * (size_t)data->size[0];
    const bool average = data->output == 2;
    size_t span = (size_t)1 << PROGRAM_LEVELS, place = index;
    double sum = *magnitude = 0, scale;
    if (!average && index < n / span) return NAN; // the host's
    if (!average) {
        int level = 0;
        while (index < n >> (level + 1)) level++;
        span = (size_t)2 << level;
        place = index - (n >> (level + 1));
    }
    scale = 1 / sqrt((double)span * (double)n);
    for (size_t i = 0; i < span; i++) {
        const double term = (double)case_floats(data, 0)[place * span + i] * scale;
        sum += average || i < span / 2 ? term : -term;
        *magnitude += fabs(term);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// fastWalshTransform: size butterflies, step
// ---------------------------------------------------------------------------------------------

static inline void program_fit_walsh(double items, int size[3])
{
    int n = 256;
    while (2.0 * n <= items) n *= 2;
    size[0] = n;
    size[1] = n < 4096 ? n : 4096;
    size[2] = 0;
}

static inline void program_make_walsh(case_data *data)
{
    case_add_random(data, 2 * (size_t)data->size[0]);
    case_upload(data);
    case_arg(data, case_inout(data, 0));
    case_arg(data, gputune_int(data->size[1]));
    data->work = (double)data->size[0];
}

static inline double program_walsh(const case_data *data, size_t i, double *magnitude)
{
    const size_t step = (size_t)data->size[1];
    const bool second = i / step % 2 == 1;
    const double mine = (double)case_floats(data, 0)[i];
    const double other = (double)case_floats(data, 0)[second ? i - step : i + step];
    *magnitude = fabs(mine) + fabs(other);
    return second ? other - mine : mine + other;
}

// ---------------------------------------------------------------------------------------------
// floydWarshall: size nodes
// ---------------------------------------------------------------------------------------------

static inline void program_make_paths(case_data *data)
{
    const size_t nodes = (size_t)data->size[0];
    uint32_t *distance = program_add_uints(data, nodes * nodes, CASE_UINTS);
    uint32_t *path = program_add_uints(data, nodes * nodes, CASE_UINTS);
    for (size_t i = 0; distance && i < nodes * nodes; i++)
        distance[i] = i / nodes == i % nodes ? 0 : 1 + case_random(data, 1000);
    for (size_t i = 0; path && i < nodes * nodes; i++) path[i] = (uint32_t)(i / nodes);
    data->outputs = 2;
    case_upload(data);
    case_arg(data, case_inout(data, 0));
    case_arg(data, case_inout(data, 1));
    case_arg(data, gputune_int((int64_t)nodes));
    case_arg(data, gputune_int((int64_t)nodes / 2));
    data->work = (double)nodes * (double)nodes;
}

static inline double program_paths(const case_data *data, size_t index, double *magnitude)
{
    const size_t nodes = (size_t)data->size[0], y = index / nodes, x = index % nodes;
    const size_t pass = nodes / 2;
    const uint32_t *distance = case_uints(data, 0), before = distance[index];
    const uint32_t over = distance[y * nodes + pass] + distance[pass * nodes + x];
    *magnitude = 0;
    if (data->output == 0) return over < before ? over : before;
    return over < before ? (double)pass : (double)case_uints(data, 1)[index];
}

// ---------------------------------------------------------------------------------------------
// mriQ: size voxels, samples
// ---------------------------------------------------------------------------------------------

static inline void program_fit_mri(double items, int size[3])
{
    program_fit_line(items, size);
    size[1] = 1024; // what a launch of the original takes
}

static inline void program_make_mri(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    for (int i = 0; i < 3; i++) case_add_random(data, n);
    case_add_random(data, 4 * (size_t)data->size[1]);
    case_add_output(data, n); // real
    case_add_output(data, n); // imaginary
    data->outputs = 2;
    case_upload(data);
    case_arg(data, gputune_int((int64_t)n));
    case_arg(data, gputune_int(data->size[1]));
    for (int i = 0; i < 3; i++) case_arg(data, case_in(data, i));
    case_arg(data, case_out(data, 4));
    case_arg(data, case_out(data, 5));
    case_arg(data, case_in(data, 3));
    data->work = (double)n * (double)data->size[1];
}

static inline double program_mri(const case_data *data, size_t index, double *magnitude)
{
    const float *k = case_floats(data, 3);
    double sum = *magnitude = 0;
    for (int i = 0; i < data->size[1]; i++) {
        double angle = 0;
        for (int d = 0; d < 3; d++)
            angle += (double)k[4 * i + d] * (double)case_floats(data, d)[index];
        angle *= 6.283185307179586;
        sum += (double)k[4 * i + 3] * (data->output == 4 ? cos(angle) : sin(angle));
        *magnitude += fabs((double)k[4 * i + 3]);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// mt, mtLocal: size width, height
// ---------------------------------------------------------------------------------------------

static inline void program_make_transpose(case_data *data)
{
    const size_t n = (size_t)data->size[0] * (size_t)data->size[1];
    case_add_random(data, n);
    case_add_output(data, n);
    case_upload(data);
    case_arg(data, case_out(data, 1));
    case_arg(data, case_in(data, 0));
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_int(data->size[1]));
    data->work = (double)n;
}

static inline double program_transpose(const case_data *data, size_t index, double *magnitude)
{
    const size_t width = (size_t)data->size[0], height = (size_t)data->size[1];
    *magnitude = 0; // nothing is computed: it must be equal
    return (double)case_floats(data, 0)[index % height * width + index / height];
}

// ---------------------------------------------------------------------------------------------
// mvCoal, mvUncoal: size columns, rows
// ---------------------------------------------------------------------------------------------

static inline void program_fit_rows(double items, int size[3])
{
    size[0] = size[1] = program_root(items, 1, 256);
    size[2] = 0;
}

static inline void program_fit_row_groups(double items, int size[3])
{
    program_fit_rows(items / PROGRAM_GROUP, size);
}

static inline void program_make_rows(case_data *data)
{
    const size_t width = (size_t)data->size[0], height = (size_t)data->size[1];
    case_add_random(data, width * height);
    case_add_random(data, width);
    case_add_output(data, height);
    case_upload(data);
    case_arg(data, case_in(data, 0));
    case_arg(data, case_in(data, 1));
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_int(data->size[1]));
    case_arg(data, case_out(data, 2));
    data->work = (double)width * (double)height;
}

static inline void program_make_row_groups(case_data *data)
{
    program_make_rows(data);
    case_arg(data, gputune_local("4 * 256"));
}

static inline double program_rows(const case_data *data, size_t row, double *magnitude)
{
    const size_t width = (size_t)data->size[0];
    double sum = *magnitude = 0;
    for (size_t x = 0; x < width; x++) {
        const double term =
            (double)case_floats(data, 0)[row * width + x] * (double)case_floats(data, 1)[x];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// nbody: size bodies
// ---------------------------------------------------------------------------------------------

#define PROGRAM_STEP 0.005f
#define PROGRAM_SOFTENING 0.01f

static inline void program_make_bodies(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    float *position = case_add_random(data, 4 * n);
    case_add_random(data, 4 * n); // velocity
    case_add_output(data, 4 * n);
    case_add_output(data, 4 * n);
    for (size_t i = 3; position && i < 4 * n; i += 4) // masses
        position[i] = (position[i] + 1.5f) / (float)n;
    data->outputs = 2;
    case_upload(data);
    case_arg(data, case_in(data, 0));
    case_arg(data, case_in(data, 1));
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, gputune_float(PROGRAM_STEP));
    case_arg(data, gputune_float(PROGRAM_SOFTENING));
    case_arg(data, case_out(data, 2));
    case_arg(data, case_out(data, 3));
    data->work = (double)n * (double)n;
}

static inline double program_bodies(const case_data *data, size_t index, double *magnitude)
{
    const double step = (double)PROGRAM_STEP, softening = (double)PROGRAM_SOFTENING;
    const float *position = case_floats(data, 0), *mine = position + index / 4 * 4;
    const size_t at = index % 4;
    const double velocity = (double)case_floats(data, 1)[index];
    const double factor = data->output == 2 ? 0.5 * step * step : step;
    double sum = 0, sizes = 0;
    *magnitude = 0;
    if (at == 3) return data->output == 2 ? (double)mine[3] : velocity;
    for (size_t i = 0; i < (size_t)data->size[0]; i++) {
        double distance[3], square = softening, term;
        for (int d = 0; d < 3; d++) {
            distance[d] = (double)position[4 * i + (size_t)d] - (double)mine[d];
            square += distance[d] * distance[d];
        }
        term = (double)position[4 * i + 3] * distance[at] / (square * sqrt(square));
        sum += term;
        sizes += fabs(term);
    }
    *magnitude = fabs(velocity) + factor * sizes;
    if (data->output == 3) return velocity + factor * sum;
    *magnitude += fabs((double)mine[at]);
    return (double)mine[at] + velocity * step + factor * sum;
}

// ---------------------------------------------------------------------------------------------
// reduce: size work-items, each of which adds two vectors
// ---------------------------------------------------------------------------------------------

static inline void program_make_reduce(case_data *data)
{
    const size_t n = (size_t)data->size[0] * 8;
    uint32_t *values = program_add_uints(data, n, CASE_UINTS), *sums;
    for (size_t i = 0; values && i < n; i++) values[i] = case_random(data, 0xFFFFFFFFu);
    sums = program_add_uints(data, n / 8 / PROGRAM_GROUP * 4, CASE_UINTS);
    if (sums) memset(sums, 0xA5, n / 8 / PROGRAM_GROUP * 16);
    case_upload(data);
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    case_arg(data, gputune_local("16 * 256"));
    data->work = (double)n;
}

static inline double program_reduce(const case_data *data, size_t index, double *magnitude)
{
    const uint32_t *of_group = case_uints(data, 0) + index / 4 * 8 * PROGRAM_GROUP;
    uint32_t sum = 0; // modulo 2^32
    for (size_t i = 0; i < 2 * PROGRAM_GROUP; i++) sum += of_group[4 * i + index % 4];
    *magnitude = 0;
    return (double)sum;
}

// ---------------------------------------------------------------------------------------------
// sgemm: size of all three matrices, which are square
// ---------------------------------------------------------------------------------------------

static inline void program_make_sgemm(case_data *data)
{
    const int n = data->size[0];
    const size_t elements = (size_t)n * (size_t)n;
    for (int i = 0; i < 3; i++) case_add_random(data, elements);
    case_upload(data);
    for (int i = 0; i < 3; i++) {
        case_arg(data, i < 2 ? case_in(data, i) : case_inout(data, 2));
        case_arg(data, gputune_int(n));
    }
    case_arg(data, gputune_int(n));
    case_arg(data, gputune_float(1.5f));
    case_arg(data, gputune_float(0.5f));
    data->work = 2.0 * (double)elements * (double)n;
}

static inline double program_sgemm(const case_data *data, size_t index, double *magnitude)
{
    const size_t n = (size_t)data->size[0];
    const float *a = case_floats(data, 0) + index % n, *b = case_floats(data, 1) + index / n;
    double sum = 0.5 * (double)case_floats(data, 2)[index];
    *magnitude = fabs(sum);
    for (size_t i = 0; i < n; i++) {
        const double term = 1.5 * (double)a[i * n] * (double)b[i * n];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------
// sobel: size width, height
// ---------------------------------------------------------------------------------------------

static inline void program_make_sobel(case_data *data)
{
    const size_t pixels = (size_t)data->size[0] * (size_t)data->size[1];
    uint32_t *input = program_add_uints(data, pixels, CASE_BYTES), *output;
    for (size_t i = 0; input && i < pixels; i++) input[i] = case_random(data, 0xFFFFFFFFu);
    output = program_add_uints(data, pixels, CASE_BYTES);
    if (output) memset(output, 0xA5, 4 * pixels);
    case_upload(data);
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = (double)pixels;
}

static inline double program_sobel(const case_data *data, size_t index, double *magnitude)
{
    static const int weights[3] = { 1, 2, 1 };
    const size_t width = (size_t)data->size[0], height = (size_t)data->size[1];
    const size_t x = index / 4 % width, y = index / 4 / width;
    const unsigned char *bytes = (const unsigned char *)data->buffers[0].host;
    int across = 0, down = 0;
    double edge;
    *magnitude = 0;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return 0xA5;
    for (size_t i = 0; i < 3; i++) {
        const size_t column = 4 * (y * width + x + i - 1) + index % 4;
        const size_t row = 4 * ((y + i - 1) * width + x) + index % 4;
        down += weights[i] * (bytes[column - 4 * width] - bytes[column + 4 * width]);
        across += weights[i] * (bytes[row - 4] - bytes[row + 4]);
    }
    *magnitude = 1; // a byte may be cut off one higher or lower
    edge = floor(sqrt((double)(down * down + across * across)) / 2);
    return edge > 255 ? 255 : edge;
}

// ---------------------------------------------------------------------------------------------
// stencil: size in three dimensions, with the border
// ---------------------------------------------------------------------------------------------

static inline void program_make_stencil(case_data *data)
{
    const size_t n = (size_t)data->size[0] * (size_t)data->size[1] * (size_t)data->size[2];
    case_add_random(data, n);
    case_add_output(data, n);
    case_upload(data);
    case_arg(data, gputune_float(1.0f / 6));
    case_arg(data, gputune_float(1.0f / 36));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    for (int i = 0; i < 3; i++) case_arg(data, gputune_int(data->size[i]));
    data->work = (double)n;
}

static inline double program_stencil(const case_data *data, size_t index, double *magnitude)
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

// ---------------------------------------------------------------------------------------------
// The list
// ---------------------------------------------------------------------------------------------

#define PROGRAM(name, unit, tolerance, s0, s1, s2, make, expected)                                \
    { #name, PROGRAMS "/" #name ".cl", #name, NULL, unit, tolerance, { s0, s1, s2 },              \
      { s0, s1, s2 }, make, expected }

// name, what a second's billions are of, tolerance, a small size, data, reference;
// launch, items, table 1, sizes, resize, work
static const program_kind programs[] = {
    { PROGRAM(binarySearch, "Gsegments/s", 0, 65536, 0, 0, program_make_search, program_search), 0,
      1, 1 << 20, 1 << 28, program_fit_line, NULL, NULL },
    { PROGRAM(blackscholes, "Goptions/s", 2e-6, 4096, 0, 0, program_make_options, program_options),
      0, 1, 2048, 1 << 24, program_fit_line, NULL, NULL },
    { PROGRAM(convolution, "Gpixels/s", 2e-6, 128, 96, 3, program_make_convolution,
              program_convolution),
      0, 1, 16384, 37748736, program_fit_convolution, NULL, NULL },
    { PROGRAM(dwtHaar1D, "Gelements/s", 2e-6, 4096, 0, 0, program_make_wavelet, program_wavelet), 0,
      1, 256, 1 << 21, program_fit_line, NULL, NULL },
    { PROGRAM(fastWalshTransform, "Gbutterflies/s", 1e-6, 8192, 64, 0, program_make_walsh,
              program_walsh),
      1, 1, 32768, 1 << 25, program_fit_walsh, NULL, NULL },
    { PROGRAM(floydWarshall, "Gpaths/s", 0, 96, 0, 0, program_make_paths, program_paths), 0, 1,
      9216, 1 << 26, program_fit_square, NULL, NULL },
    { PROGRAM(mriQ, "Gsamples/s", 1e-5, 512, 100, 0, program_make_mri, program_mri), 0, 1, 1024,
      1 << 19, program_fit_mri, NULL, NULL },
    { PROGRAM(mt, "Gelements/s", 0, 128, 64, 0, program_make_transpose, program_transpose), 0, 1,
      1024, 1 << 24, program_fit_square, NULL, NULL },
    { PROGRAM(mtLocal, "Gelements/s", 0, 128, 64, 0, program_make_transpose, program_transpose), 0,
      1, 1024, 1 << 24, program_fit_square, NULL, NULL },
    { PROGRAM(mvCoal, "Gelements/s", 4e-6, 640, 96, 0, program_make_row_groups, program_rows), 0,
      PROGRAM_GROUP, 256, 16384, program_fit_row_groups, NULL, NULL },
    { PROGRAM(mvUncoal, "Gelements/s", 4e-6, 256, 512, 0, program_make_rows, program_rows), 0, 1,
      256, 16384, program_fit_rows, NULL, NULL },
    { PROGRAM(nbody, "Gpairs/s", 1e-5, 1024, 0, 0, program_make_bodies, program_bodies), 0, 1, 1024,
      1 << 18, program_fit_line,
      "bodies = size; position = 16 * size; velocity = 16 * size; new_position = 16 * size; "
      "new_velocity = 16 * size",
      "1.0 * size * size" },
    { PROGRAM(reduce, "Gelements/s", 0, 4096, 0, 0, program_make_reduce, program_reduce), 1, 1,
      1 << 18, 1 << 26, program_fit_line, NULL, NULL },
    { PROGRAM(sgemm, "GFLOP/s", 4e-6, 96, 0, 0, program_make_sgemm, program_sgemm), 0, 1, 256,
      9437184, program_fit_square,
      // whole work-groups, for the kernel does not look where C ends
      "k = sqrt(size) / 16; k = 16 * k; lda = k; ldb = k; ldc = k; "
      "A = 4 * k * k; B = 4 * k * k; C = 4 * k * k",
      "1.0 * k * k * k" },
    { PROGRAM(sobel, "Gpixels/s", 1.01, 64, 48, 0, program_make_sobel, program_sobel), 2, 1, 4096,
      1 << 20, program_fit_square, NULL, NULL },
    { PROGRAM(stencil, "Gpoints/s", 1e-6, 66, 34, 18, program_make_stencil, program_stencil), 0, 1,
      1 << 20, 97336000, program_fit_cube, NULL, NULL },
};

enum { PROGRAM_COUNT = sizeof programs / sizeof programs[0] };

// NULL: no such program.
static inline const program_kind *program_find(const char *name)
{
    for (int i = 0; i < PROGRAM_COUNT; i++)
        if (strcmp(programs[i].base.name, name) == 0) return &programs[i];
    return NULL;
}

// What gputune_kernel_create wants for that data; global must live until then.
static inline gputune_kernel_desc program_desc(const program_kind *p, const case_data *data,
                                               char *global, size_t size)
{
    gputune_kernel_desc desc = case_desc(&p->base);
    if (p->launch == 1) snprintf(global, size, "%d", data->size[0]);
    if (p->launch == 2) snprintf(global, size, "%d, %d", data->size[0], data->size[1]);
    if (p->launch > 0) desc.global = global;
    desc.work = p->work;
    return desc;
}

// How its problems shrink; ends and threshold are the caller's.
static inline gputune_saturation_desc program_saturation(const program_kind *p)
{
    gputune_saturation_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.resize = p->resize;
    return desc;
}

#endif
