// Choice of implementation: the parameter SPMV selects one of two kernel functions. Which of them
// is better for a sparse matrix depends on how long its rows are, so "rows, nonzeros / rows" is
// what makes two matrices alike: short and long rows get an answer each.
//
//     cc -std=c99 -O2 -I. examples/06_spmv.c -o spmv -lm
//     ./spmv
//
// On two processor cores (PoCL) it prints:
//     spmv 200000 x 200000 x 4
//       default     1.400 ms      1.2 GFLOP/s
//       best        1.400 ms      1.2 GFLOP/s
//       speed-up     1.00
//       SPMV=spmv_scalar BLOCK=128 ITEMS_PER_ROW=1 UNROLL=1
//       57 trials in 20.4 s
//       spmv_scalar for rows=2^18 nonzeros/rows=2^2
//       the output is right
//     spmv 400 x 400 x 2000
//       default     0.728 ms      2.3 GFLOP/s
//       best        0.375 ms      4.6 GFLOP/s
//       speed-up     1.94
//       SPMV=spmv_scalar BLOCK=64 ITEMS_PER_ROW=1 UNROLL=4
//       120 trials in 20.2 s
//       spmv_scalar for rows=2^9 nonzeros/rows=2^12
//       the output is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

static bool multiply(gputune_kernel *kernel, gputune_device *device, int rows, int row_length)
{
    const int size[3] = { rows, rows, row_length };
    case_data data;
    if (!case_make(&data, case_find("spmv"), device, size, 1)) {
        fprintf(stderr, "%s\n", gputune_device_error(device)->text);
        return false;
    }
    bool ok = gputune_run(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    if (ok) {
        const gputune_outcome *o = gputune_kernel_outcome(kernel);
        case_print(&data, o);
        printf("  %s for %s\n", gputune_config_name(&o->config, "SPMV"), o->problem);
        ok = case_verify(&data);
    } else {
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    }
    case_free(&data);
    return ok;
}

int main(void)
{
    gputune_device *device = gputune_cl_device(NULL);
    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){ .file = KERNELS "/spmv.cl",
                                        .name = "SPMV", // the parameter, not a function
                                        .tune.problem = "rows, nonzeros / rows",
                                        .tune.budget.seconds = 20,
                                        // sums of thousands of terms depend on their order
                                        .tune.tolerance = 1e-4, .tune.absolute_tolerance = 2e-3,
                                        .tune.progress = gputune_progress_bar });
    const int many = gputune_device_limits(device)->is_gpu ? 50 : 1;
    const bool ok =
        multiply(kernel, device, 200000 * many, 4) && multiply(kernel, device, 400 * many, 2000);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return !ok;
}
