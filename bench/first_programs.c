// Four programs as people have them, for `sh bench/run.sh first`, which runs each four times:
//
//     first NAME      histogram, fdtd2d, pathfinder, stencil
//
// Each computes on gputune's default device with gputune's default options, and prints
//
//     gain G          the defaults' time over the tuned ones', one launch of each kernel, as the
//                     outcomes have them
//     sum S           of what was computed: the same in every process
//
// fdtd2d is PolyBench's fdtd-2d, pathfinder Rodinia's: their jobs and their defaults, in words of
// our own. The histogram and the stencil (seven points, three dimensions) have the usual defaults.
#define _POSIX_C_SOURCE 200809L
#include "gputune_cl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static gputune_device *device;
static double before, after; // seconds of one launch of each kernel

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void *reserve(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory) fail("no memory");
    return memory;
}

static gputune_kernel *make(const char *source, const char *name)
{
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    desc.name = name;
    return gputune_kernel_create(device, &desc);
}

static void launch(gputune_kernel *kernel, const gputune_arg *args, int count)
{
    if (gputune_run(kernel, args, count) != GPUTUNE_OK) fail(gputune_kernel_error(kernel)->text);
}

static void finish(gputune_kernel *kernel)
{
    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    if (o && o->best_stats.median > 0 && o->default_stats.median > 0) {
        before += o->default_stats.median;
        after += o->best_stats.median;
    }
    gputune_kernel_destroy(kernel);
}

static void read_back(void *buffer, void *host, size_t bytes)
{
    if (gputune_buffer_read(device, buffer, 0, host, bytes) != GPUTUNE_OK)
        fail(gputune_device_error(device)->text);
}

static double sum_of(void *buffer, size_t count)
{
    float *host = (float *)reserve(count * sizeof(float));
    double sum = 0;
    read_back(buffer, host, count * sizeof(float));
    for (size_t i = 0; i < count; i++) sum += host[i];
    free(host);
    return sum;
}

// --- bins of bytes, in local memory first; a launch a frame ---

static const char histogram_source[] =
    "#pragma gputune erange 64,1024,2\n"
    "#define BLOCK 256\n"
    "#pragma gputune erange 1,64,2\n"
    "#define ITEMS 16 // numbers of a work-item\n"
    "#pragma gputune set 1,2,4,8\n"
    "#define COPIES 1 // of the bins, so that neighbours seldom meet\n"
    "#pragma gputune require BLOCK <= max_group_size\n"
    "#pragma gputune global ceil_div(count, ITEMS)\n"
    "#pragma gputune local BLOCK\n"
    "__kernel void histogram(int count, __global const uchar *numbers, __global int *bins)\n"
    "{\n"
    "    __local int own[COPIES * 256];\n"
    "    const int me = get_local_id(0), copy = me % COPIES * 256;\n"
    "    const int first = get_group_id(0) * BLOCK * ITEMS + me;\n"
    "    for (int i = me; i < COPIES * 256; i += BLOCK) own[i] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = 0; i < ITEMS; i++)\n"
    "        if (first + i * BLOCK < count) atomic_inc(&own[copy + numbers[first + i * BLOCK]]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int i = me; i < 256; i += BLOCK) {\n"
    "        int sum = 0;\n"
    "        for (int c = 0; c < COPIES; c++) sum += own[c * 256 + i];\n"
    "        if (sum) atomic_add(&bins[i], sum);\n"
    "    }\n"
    "}\n";

static double histogram(void)
{
    enum { COUNT = 1 << 24, FRAMES = 20 };
    unsigned char *numbers = (unsigned char *)reserve(COUNT);
    int bins[256] = { 0 };
    unsigned random = 1;
    for (int i = 0; i < COUNT; i++) {
        random = random * 1664525u + 1013904223u;
        numbers[i] = (unsigned char)((random >> 24) & (random >> 16)); // some are seldom
    }
    void *in = gputune_buffer_create(device, COUNT, numbers);
    void *out = gputune_buffer_create(device, sizeof bins, bins);
    gputune_kernel *kernel = make(histogram_source, "histogram");
    const gputune_arg args[] = { gputune_int(COUNT), gputune_in(in, COUNT),
                                 gputune_inout(out, sizeof bins) };
    double sum = 0;
    for (int frame = 0; frame < FRAMES; frame++) launch(kernel, args, 3);
    read_back(out, bins, sizeof bins);
    for (int i = 0; i < 256; i++) sum += (double)bins[i] * (i + 1);
    finish(kernel);
    gputune_buffer_destroy(device, in);
    gputune_buffer_destroy(device, out);
    free(numbers);
    return sum;
}

// --- electric and magnetic fields in two dimensions, three kernels a step ---

#define FDTD_GEOMETRY                                                                             \
    "#pragma gputune erange 8,256,2\n"                                                            \
    "#define WIDTH 32\n"                                                                          \
    "#pragma gputune erange 1,32,2\n"                                                             \
    "#define HEIGHT 8\n"                                                                          \
    "#pragma gputune require WIDTH * HEIGHT >= 32 && WIDTH * HEIGHT <= max_group_size\n"          \
    "#pragma gputune global ny, nx\n"                                                             \
    "#pragma gputune local WIDTH, HEIGHT\n"

static const char fdtd_source[] = FDTD_GEOMETRY
    "__kernel void fdtd_ey(int nx, int ny, float source, __global float *ey,\n"
    "                      __global const float *hz)\n"
    "{\n"
    "    const int j = get_global_id(0), i = get_global_id(1);\n"
    "    if (i >= nx || j >= ny) return;\n"
    "    if (i == 0)\n"
    "        ey[j] = source;\n"
    "    else\n"
    "        ey[i * ny + j] -= 0.5f * (hz[i * ny + j] - hz[(i - 1) * ny + j]);\n"
    "}\n";

static const char fdtd_ex_source[] = FDTD_GEOMETRY
    "__kernel void fdtd_ex(int nx, int ny, __global float *ex, __global const float *hz)\n"
    "{\n"
    "    const int j = get_global_id(0), i = get_global_id(1);\n"
    "    if (i < nx && j > 0 && j < ny)\n"
    "        ex[i * (ny + 1) + j] -= 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);\n"
    "}\n";

static const char fdtd_hz_source[] = FDTD_GEOMETRY
    "__kernel void fdtd_hz(int nx, int ny, __global const float *ex, __global const float *ey,\n"
    "                      __global float *hz)\n"
    "{\n"
    "    const int j = get_global_id(0), i = get_global_id(1);\n"
    "    if (i < nx && j < ny)\n"
    "        hz[i * ny + j] -= 0.7f * (ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] +\n"
    "                                  ey[(i + 1) * ny + j] - ey[i * ny + j]);\n"
    "}\n";

static double fdtd2d(void)
{
    enum { N = 1024, STEPS = 100 };
    const size_t hz_bytes = (size_t)N * N * sizeof(float);
    const size_t e_bytes = (size_t)N * (N + 1) * sizeof(float);
    float *host = (float *)reserve(e_bytes);
    for (int i = 0; i < N * (N + 1); i++) host[i] = (float)(i % 101) / 101;
    void *ex = gputune_buffer_create(device, e_bytes, host);
    void *ey = gputune_buffer_create(device, e_bytes, host);
    void *hz = gputune_buffer_create(device, hz_bytes, host);
    gputune_kernel *make_ey = make(fdtd_source, "fdtd_ey");
    gputune_kernel *make_ex = make(fdtd_ex_source, "fdtd_ex");
    gputune_kernel *make_hz = make(fdtd_hz_source, "fdtd_hz");
    for (int t = 0; t < STEPS; t++) {
        const gputune_arg of_ey[] = { gputune_int(N), gputune_int(N), gputune_float(t),
                                      gputune_inout(ey, e_bytes), gputune_in(hz, hz_bytes) };
        const gputune_arg of_ex[] = { gputune_int(N), gputune_int(N), gputune_inout(ex, e_bytes),
                                      gputune_in(hz, hz_bytes) };
        const gputune_arg of_hz[] = { gputune_int(N), gputune_int(N), gputune_in(ex, e_bytes),
                                      gputune_in(ey, e_bytes), gputune_inout(hz, hz_bytes) };
        launch(make_ey, of_ey, 5);
        launch(make_ex, of_ex, 4);
        launch(make_hz, of_hz, 5);
    }
    const double sum = sum_of(hz, (size_t)N * N);
    finish(make_ey);
    finish(make_ex);
    finish(make_hz);
    gputune_buffer_destroy(device, ex);
    gputune_buffer_destroy(device, ey);
    gputune_buffer_destroy(device, hz);
    free(host);
    return sum;
}

// --- the cheapest way through a grid, row by row; a launch does `steps` rows ---

static const char pathfinder_source[] =
    "#pragma gputune erange 64,1024,2\n"
    "#define BLOCK 256\n"
    "#pragma gputune require BLOCK > 2 * height && BLOCK <= max_group_size\n"
    "#pragma gputune global ceil_div(columns, BLOCK - 2 * height) * BLOCK\n"
    "#pragma gputune local BLOCK\n"
    "__kernel void pathfinder(int height, int steps, int columns, int row,\n"
    "                         __global const int *wall, __global const int *from,\n"
    "                         __global int *to)\n"
    "{\n"
    "    __local int cost[BLOCK];\n"
    "    const int me = get_local_id(0);\n"
    "    const int column = (int)get_group_id(0) * (BLOCK - 2 * height) - height + me;\n"
    "    const int inside = column >= 0 && column < columns;\n"
    "    cost[me] = inside ? from[column] : INT_MAX / 2;\n"
    "    for (int s = 0; s < steps; s++) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        int least = cost[me];\n"
    "        if (me > 0) least = min(least, cost[me - 1]);\n"
    "        if (me < BLOCK - 1) least = min(least, cost[me + 1]);\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (inside) cost[me] = least + wall[(row + s) * columns + column];\n"
    "    }\n"
    "    if (inside && me >= height && me < BLOCK - height) to[column] = cost[me];\n"
    "}\n";

static double pathfinder(void)
{
    enum { COLUMNS = 100000, ROWS = 200, PYRAMID = 20, ROUNDS = 10 };
    const size_t bytes = (size_t)COLUMNS * sizeof(int), all = bytes * ROWS;
    int *wall = (int *)reserve(all);
    unsigned random = 7;
    for (size_t i = 0; i < (size_t)COLUMNS * ROWS; i++) {
        random = random * 1664525u + 1013904223u;
        wall[i] = (int)((random >> 16) % 10);
    }
    void *walls = gputune_buffer_create(device, all, wall);
    void *costs[2] = { gputune_buffer_create(device, bytes, wall),
                       gputune_buffer_create(device, bytes, wall) };
    gputune_kernel *kernel = make(pathfinder_source, "pathfinder");
    int now = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int row = 1; row < ROWS; row += PYRAMID, now = !now) {
            const int steps = ROWS - row < PYRAMID ? ROWS - row : PYRAMID;
            const gputune_arg args[] = { gputune_int(PYRAMID), gputune_int(steps),
                                         gputune_int(COLUMNS), gputune_int(row),
                                         gputune_in(walls, all), gputune_in(costs[now], bytes),
                                         gputune_out(costs[!now], bytes) };
            launch(kernel, args, 7);
        }
    double sum = 0;
    read_back(costs[now], wall, bytes);
    for (int i = 0; i < COLUMNS; i++) sum += wall[i];
    finish(kernel);
    gputune_buffer_destroy(device, walls);
    for (int i = 0; i < 2; i++) gputune_buffer_destroy(device, costs[i]);
    free(wall);
    return sum;
}

// --- seven points in three dimensions, between two buffers ---

static const char stencil_source[] =
    "#pragma gputune erange 8,256,2\n"
    "#define WIDTH 32\n"
    "#pragma gputune erange 1,16,2\n"
    "#define HEIGHT 4\n"
    "#pragma gputune set 1,2,4,8,16\n"
    "#define DEPTH 1 // points of a work-item\n"
    "#pragma gputune require WIDTH * HEIGHT >= 32 && WIDTH * HEIGHT <= max_group_size\n"
    "#pragma gputune global n, n, ceil_div(n, DEPTH)\n"
    "#pragma gputune local WIDTH, HEIGHT, 1\n"
    "__kernel void stencil(int n, __global const float *from, __global float *to)\n"
    "{\n"
    "    const int x = get_global_id(0), y = get_global_id(1), first = get_global_id(2) * DEPTH;\n"
    "    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;\n"
    "    for (int z = max(first, 1); z < min(first + DEPTH, n - 1); z++) {\n"
    "        const int i = (z * n + y) * n + x;\n"
    "        to[i] = 0.4f * from[i] + 0.1f * (from[i - 1] + from[i + 1] + from[i - n] +\n"
    "                from[i + n] + from[i - n * n] + from[i + n * n]);\n"
    "    }\n"
    "}\n";

static double stencil(void)
{
    enum { N = 192, STEPS = 50 };
    const size_t count = (size_t)N * N * N, bytes = count * sizeof(float);
    float *host = (float *)reserve(bytes);
    for (size_t i = 0; i < count; i++) host[i] = (float)(i % 89);
    void *on[2] = { gputune_buffer_create(device, bytes, host),
                    gputune_buffer_create(device, bytes, host) };
    gputune_kernel *kernel = make(stencil_source, "stencil");
    for (int step = 0; step < STEPS; step++) {
        const gputune_arg args[] = { gputune_int(N), gputune_in(on[step % 2], bytes),
                                     gputune_inout(on[1 - step % 2], bytes) };
        launch(kernel, args, 3);
    }
    const double sum = sum_of(on[STEPS % 2], count);
    finish(kernel);
    for (int i = 0; i < 2; i++) gputune_buffer_destroy(device, on[i]);
    free(host);
    return sum;
}

int main(int argc, char **argv)
{
    const struct { const char *name; double (*run)(void); } programs[] = {
        { "histogram", histogram }, { "fdtd2d", fdtd2d },
        { "pathfinder", pathfinder }, { "stencil", stencil } };
    double sum = 0;
    int found = 0;
    device = gputune_cl_device(NULL);
    for (int i = 0; i < 4 && argc > 1; i++)
        if (strcmp(argv[1], programs[i].name) == 0) found = 1, sum = programs[i].run();
    if (!found) fail("usage: first histogram|fdtd2d|pathfinder|stencil");
    printf("gain %.4g\nsum %.9g\n", after > 0 ? before / after : 1, sum);
    gputune_device_destroy(device);
    return 0;
}
