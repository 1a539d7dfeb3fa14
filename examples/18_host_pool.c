// C functions as variants of one job: three loop orders of a matrix product. Threads take groups of
// rows; the first groups go to each variant in turn, the others to whichever is fastest by then,
// and no thread waits for another (asynchronous profiling; without OpenMP there is one thread).
//
//     cc -std=c99 -O2 -fopenmp -I. examples/18_host_pool.c -o host_pool -lm
//     ./host_pool
//
// On two processor cores it prints:
//     ijk: 18940 rows/s
//     ikj: 28734 rows/s
//     kij: 33591 rows/s
//     kij, asynchronous; 3 parts of at most 8 rows, then 12 chunks
//     c is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 20000, N = 400 }; // a: ROWS x N, b: N x N

static void rows_ijk(const gputune_host_call *call)
{
    const float *a = call->args[1], *b = call->args[2];
    float *c = call->args[3];
    for (size_t i = call->begin[0]; i < call->end[0] && i < ROWS; i++)
        for (size_t j = 0; j < N; j++) {
            float sum = 0;
            for (size_t k = 0; k < N; k++) sum += a[i * N + k] * b[k * N + j];
            c[i * N + j] = sum;
        }
}

static void rows_ikj(const gputune_host_call *call)
{
    const float *a = call->args[1], *b = call->args[2];
    float *c = call->args[3];
    for (size_t i = call->begin[0]; i < call->end[0] && i < ROWS; i++) {
        for (size_t j = 0; j < N; j++) c[i * N + j] = 0;
        for (size_t k = 0; k < N; k++)
            for (size_t j = 0; j < N; j++) c[i * N + j] += a[i * N + k] * b[k * N + j];
    }
}

static void rows_kij(const gputune_host_call *call) // a row of b serves all rows of the group
{
    const float *a = call->args[1], *b = call->args[2];
    float *c = call->args[3];
    const size_t begin = call->begin[0], end = call->end[0] < ROWS ? call->end[0] : ROWS;
    for (size_t i = begin * N; i < end * N; i++) c[i] = 0;
    for (size_t k = 0; k < N; k++)
        for (size_t i = begin; i < end; i++)
            for (size_t j = 0; j < N; j++) c[i * N + j] += a[i * N + k] * b[k * N + j];
}

int main(void)
{
    const gputune_function functions[] = {
        { "ijk", rows_ijk, NULL }, { "ikj", rows_ikj, NULL }, { "kij", rows_kij, NULL }, { 0 }
    };
    const size_t bytes = (size_t)ROWS * N * sizeof(float), b_bytes = (size_t)N * N * sizeof(float);
    float *a = (float *)malloc(bytes), *b = (float *)malloc(b_bytes), *c = (float *)malloc(bytes);
    if (!a || !b || !c) return 1;
    for (int i = 0; i < ROWS * N; i++) a[i] = (float)(i % 7); // small integers: sums are exact
    for (int i = 0; i < N * N; i++) b[i] = (float)(i % 5);

    gputune_device *device = gputune_host_device(NULL);
    gputune_variant variants[4] = { { 0 } };
    for (int i = 0; i < 3; i++) {
        gputune_kernel_desc desc = { .functions = functions, .global = "rows", .local = "4" };
        desc.name = functions[i].name;
        variants[i].kernel = gputune_kernel_create(device, &desc);
    }
    gputune_pool_desc desc = { .variants = variants };
    desc.mode = GPUTUNE_PROFILE_FULLY; // all rows are equal work; C functions are not analysed
    gputune_pool *pool = gputune_pool_create(device, &desc);
    const gputune_arg args[] = { gputune_named(gputune_int(ROWS), "rows"),
                                 gputune_typed(gputune_in(a, bytes), GPUTUNE_FLOAT),
                                 gputune_typed(gputune_in(b, b_bytes), GPUTUNE_FLOAT),
                                 gputune_typed(gputune_out(c, bytes), GPUTUNE_FLOAT) };
    int wrong = gputune_pool_run(pool, args, 4, GPUTUNE_PROFILE_FIRST) != GPUTUNE_OK;
    const gputune_pool_outcome *o = gputune_pool_last(pool);
    if (wrong) fputs(gputune_pool_error(pool)->text, stderr);
    for (int i = 0; i < o->variant_count && !wrong; i++)
        printf("%s: %.0f rows/s\n", o->variants[i].name, o->variants[i].rate);
    printf("%s%s; %d parts of at most %.0f rows, then %d chunks%s%s\n", o->name,
           o->flow == GPUTUNE_FLOW_ASYNC ? ", asynchronous" : "", o->parts, o->part, o->eager,
           *o->note ? ": " : "", o->note);
    for (size_t i = 0; i < ROWS * N && !wrong; i += 1009) {
        float sum = 0;
        for (size_t k = 0; k < N; k++) sum += a[i / N * N + k] * b[k * N + i % N];
        wrong = c[i] != sum;
    }
    puts(wrong ? "c is wrong" : "c is right");
    gputune_pool_destroy(pool);
    for (int i = 0; i < 3; i++) gputune_kernel_destroy(variants[i].kernel);
    gputune_device_destroy(device);
    free(a), free(b), free(c);
    return wrong;
}
