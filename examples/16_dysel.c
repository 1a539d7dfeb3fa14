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
//       spmv_scalar: 146.9 million rows/s
//       spmv_wide: 108.9 million rows/s
//       spmv_vector: 10.4 million rows/s
//       spmv_scalar after 2 rounds, 5 parts of at most 16384 of 8000000 rows, 2 eager chunks
//       mode hybrid, asynchronous: variant spmv_scalar: no global atomics
//       about 54.89 ms, of which profiling has cost 0.44 ms
//       the output is right
//     spmv 400000 x 10000 x 200
//       spmv_scalar: 7.1 million rows/s
//       spmv_wide: 11.2 million rows/s
//       spmv_vector: 4.7 million rows/s
//       spmv_wide after 2 rounds, 5 parts of at most 1024 of 400000 rows, 2 eager chunks
//       mode hybrid, asynchronous: variant spmv_scalar: no global atomics
//       about 36.06 ms, of which profiling has cost 0.46 ms
//       the output is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

static gputune_kernel *kernel(gputune_device *device, const char *name)
{
    gputune_kernel_desc desc = { .file = KERNELS "/spmv_csr.cl", .name = name };
    return gputune_kernel_create(device, &desc);
}

static void print_pool(const gputune_pool_outcome *o)
{
    static const char *const flows[] = { "", ", synchronous", ", asynchronous" };
    for (int i = 0; i < o->variant_count; i++) {
        const gputune_variant_report *v = &o->variants[i];
        printf("  %s: %.1f million rows/s%s%s\n", v->name, v->rate * 1e-6,
               *v->reason ? ", passed over: " : "", v->reason);
    }
    if (o->profiled)
        printf("  %s after %d rounds, %d parts of at most %.0f of %.0f rows, %d eager chunks\n",
               o->name, o->rounds, o->parts, o->part, (double)(o->block[0] * o->blocks), o->eager);
    else
        printf("  %s, not profiled: %s\n", o->name, o->note);
    printf("  mode %s%s: %s\n", gputune_profile_mode_name(o->mode), flows[o->flow], o->why);
    printf("  about %.2f ms, of which profiling has cost %.2f ms\n", (o->seconds + o->cost) * 1e3,
           o->cost * 1e3);
}

int main(void)
{
    gputune_device *device = gputune_cl_device(NULL);
    const bool gpu = gputune_device_limits(device)->is_gpu != 0;
    const int matrices[][3] = { { gpu ? 20000000 : 8000000, 10000, 2 }, // rows, columns, length
                                { 400000, 10000, 200 } };
    bool ok = true;

    gputune_kernel *scalar = kernel(device, "spmv_scalar"), *wide = kernel(device, "spmv_wide");
    gputune_kernel *vector = kernel(device, "spmv_vector");
    gputune_variant variants[] = { { .kernel = scalar, .factor = "128" }, // rows of a work-group
                                   { .kernel = wide, .factor = "128" },
                                   { .kernel = vector, .factor = "4" }, // 32 work-items each
                                   { 0 } };
    gputune_pool_desc desc = { .variants = variants, .units = "rows" };
    desc.tolerance.absolute = 2e-3; // sums of hundreds of terms depend on their order
    gputune_pool *pool = gputune_pool_create(device, &desc);
    for (int i = 0; i < 2 && ok; i++) {
        case_data data;
        ok = case_make(&data, case_find("spmv"), device, matrices[i], 1) &&
             gputune_pool_run(pool, data.args, data.arg_count, GPUTUNE_PROFILE_FIRST) == GPUTUNE_OK;
        if (ok) {
            char text[64];
            printf("spmv %s\n", case_size_text(&data, text, sizeof text));
            print_pool(gputune_pool_last(pool));
            ok = case_verify(&data);
            case_free(&data);
        } else {
            const char *why = gputune_pool_error(pool)->text;
            fprintf(stderr, "%s\n", *why ? why : gputune_device_error(device)->text);
        }
    }
    gputune_pool_destroy(pool);
    gputune_kernel_destroy(scalar);
    gputune_kernel_destroy(wide);
    gputune_kernel_destroy(vector);
    gputune_device_destroy(device);
    return !ok;
}
