// Several kernels for one job, and the first launch finds out which is best: y = A x with a
// work-item a row, the same 16 numbers at a time, or 32 work-items a row. It depends on the device
// and on how long the rows are, so on data that only the running program has. Each kernel does a
// small part of the launch, and the fastest one the rest.
//
//     cc -std=c99 -O2 -I. examples/16_dysel.c -o dysel -lm
//     ./dysel
//
// On two processor cores (PoCL) it prints:
//     spmv 8000000 x 10000 x 2
//       spmv_scalar: 155.6 million rows/s
//       spmv_wide: 52.0 million rows/s
//       spmv_vector: 3.0 million rows/s
//       spmv_scalar: 4 parts of at most 16384 units, rounds: 2, eager chunks: 2; hybrid: variant
//         spmv_scalar: no global atomics; 226 ms, 1.7e+02 of them for profiling
//       the output is right
//     spmv 400000 x 10000 x 200
//       spmv_scalar: 10.7 million rows/s
//       spmv_wide: 18.1 million rows/s
//       spmv_vector: 4.8 million rows/s
//       spmv_wide: 5 parts of at most 3072 units, rounds: 2, eager chunks: 2; hybrid: variant
//         spmv_scalar: no global atomics; 29.8 ms, 7.6 of them for profiling
//       the output is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

static void print_pool(const gputune_pool_report *o)
{
    for (const gputune_variant_report *v = o->variants; v->name; v++)
        printf("  %s: %.1f million rows/s%s%s\n", v->name, v->rate * 1e-6,
               *v->reason ? ", passed over: " : "", v->reason);
    printf("  %s\n", o->text);
}

int main(void)
{
    gputune_device *device = gputune_cl_device(NULL);
    const bool gpu = gputune_device_limits(device)->is_gpu != 0;
    const int matrices[][3] = { { gpu ? 20000000 : 8000000, 10000, 2 }, // rows, columns, length
                                { 400000, 10000, 200 } };
    bool ok = true;

    const char *file = KERNELS "/spmv_csr.cl";
    gputune_kernel_desc ways[] = { { .file = file, .name = "spmv_scalar", .group_units = "128" },
                                   { .file = file, .name = "spmv_wide", .group_units = "128" },
                                   { .file = file, .name = "spmv_vector", .group_units = "4" },
                                   { 0 } }; // rows of a work-group
    ways[0].tune.absolute_tolerance = 2e-3; // sums of hundreds of terms depend on their order
    gputune_pool_desc desc = { .kernels = ways, .units = "rows" };
    gputune_pool *pool = gputune_pool_create(device, &desc);
    for (int i = 0; i < 2 && ok; i++) {
        case_data data;
        ok = case_make(&data, case_find("spmv"), device, matrices[i], 1) &&
             gputune_pool_run(pool, data.args, data.arg_count) == GPUTUNE_OK;
        if (ok) {
            char text[64];
            printf("spmv %s\n", case_size_text(&data, text, sizeof text));
            print_pool(gputune_pool_outcome(pool));
            ok = case_verify(&data);
            case_free(&data);
        } else {
            const char *why = gputune_pool_error(pool)->text;
            fprintf(stderr, "%s\n", *why ? why : gputune_device_error(device)->text);
        }
    }
    gputune_pool_destroy(pool);
    gputune_device_destroy(device);
    return !ok;
}
