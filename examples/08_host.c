// The processor is a device, too, for C functions: here they add up the columns of a matrix. Tuned
// are which function does it and how many columns it gets at a time. With OpenMP the groups of
// columns run in parallel.
//
//     cc -std=c99 -O2 -fopenmp -I. examples/08_host.c -o host -lm
//     ./host
//
// On two processor cores it prints:
//     FUNCTION=rows BLOCK=64, 2.13 times the default's speed, tuned
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 1000, COLUMNS = 5003 };

// The arguments come as pointers, in the order of gputune_run's. The range is rounded up to whole
// groups: it may end beyond the last column.
static void column_by_column(const gputune_grid *range, void *const *args,
                             const gputune_config *config, void *user)
{
    (void)config, (void)user;
    const float *matrix = (const float *)args[1];
    float *sums = (float *)args[2];
    for (uint64_t x = range->begin[0]; x < range->end[0] && x < COLUMNS; x++) {
        float sum = 0;
        for (size_t y = 0; y < ROWS; y++) sum += matrix[y * COLUMNS + x];
        sums[x] = sum;
    }
}

static void row_by_row(const gputune_grid *range, void *const *args,
                       const gputune_config *config, void *user)
{
    (void)config, (void)user;
    const float *matrix = (const float *)args[1];
    float *sums = (float *)args[2];
    const uint64_t end = range->end[0] < COLUMNS ? range->end[0] : COLUMNS;
    for (uint64_t x0 = range->begin[0]; x0 < end; x0 += range->local[0]) {
        const uint64_t x1 = x0 + range->local[0] < end ? x0 + range->local[0] : end;
        for (uint64_t x = x0; x < x1; x++) sums[x] = 0; // stays in the nearest cache
        for (size_t y = 0; y < ROWS; y++)
            for (uint64_t x = x0; x < x1; x++) sums[x] += matrix[y * COLUMNS + x];
    }
}

int main(void)
{
    const size_t bytes = (size_t)ROWS * COLUMNS * sizeof(float),
                 sum_bytes = COLUMNS * sizeof(float);
    float *matrix = (float *)malloc(bytes), *sums = (float *)malloc(sum_bytes);
    if (!matrix || !sums) return 1;
    for (int i = 0; i < ROWS * COLUMNS; i++) matrix[i] = (float)(i % COLUMNS);

    const gputune_function functions[] = { { "columns", column_by_column, NULL },
                                           { "rows", row_by_row, NULL },
                                           { 0 } };
    const gputune_param params[] = { { "FUNCTION", "set columns,rows", "columns" },
                                     { "BLOCK", "erange 16,4096,2", "64" },
                                     { 0 } };
    gputune_device *device = gputune_host_device_create(NULL);
    gputune_kernel_desc desc = { 0 }; // field by field: for C++ before C++20
    desc.name = "FUNCTION";
    desc.functions = functions;
    desc.signature = "int count, const float *matrix, float *sums";
    desc.params = params;
    desc.global = "count";
    desc.local = "BLOCK";
    desc.tune.budget.seconds = 10;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    const gputune_arg args[] = { gputune_int(COLUMNS), gputune_in(matrix, bytes),
                                 gputune_out(sums, sum_bytes) };
    const gputune_result result = gputune_run(kernel, args, 3);
    int wrong = result != GPUTUNE_OK;
    if (wrong) {
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    } else {
        const gputune_outcome *o = gputune_kernel_outcome(kernel);
        char text[128];
        printf("%s, %.2f times the default's speed, %s\n",
               gputune_config_text(&o->config, text, sizeof text), o->speedup,
               o->origin == GPUTUNE_FROM_STORE ? "known from an earlier run" : "tuned");
        for (int x = 0; x < COLUMNS; x++) wrong |= sums[x] != (float)ROWS * (float)x;
    }
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    free(matrix);
    free(sums);
    return wrong;
}
