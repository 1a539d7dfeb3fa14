// A large space: matrix multiplication with nine parameters, whose restrictions mention the
// kernel's own arguments. A vector must not straddle the end of a row, so how many configurations
// are valid depends on the size of the matrices. A budget bounds the time that the search may take.
//
//     cc -std=c99 -O2 -I. examples/02_sgemm.c -o sgemm -lm
//     ./sgemm
//
// On two processor cores (PoCL) version 0.2 printed, with another strategy:
//     127 x 131 x 137: 5000 of 36864 configurations are valid
//     sgemm 127 x 131 x 137
//       default     2.640 ms      1.7 GFLOP/s
//       best        1.520 ms      3.0 GFLOP/s
//       speed-up     1.74
//       TILE_M=16 TILE_N=32 TILE_K=32 ITEMS_M=8 ITEMS_N=4 LOCAL_MEMORY=1 PAD=1 VECTOR=1 UNROLL=8
//       20 trials in 20.7 s
//       the output is right
//     384 x 384 x 384: 12600 of 36864 configurations are valid
//     sgemm 384 x 384 x 384
//       default    23.913 ms      4.7 GFLOP/s
//       best        2.351 ms     48.2 GFLOP/s
//       speed-up    10.17
//       TILE_M=128 TILE_N=64 TILE_K=16 ITEMS_M=8 ITEMS_N=4 LOCAL_MEMORY=0 PAD=1 VECTOR=4 UNROLL=1
//       20 trials in 20.9 s
//       the output is right
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

static void print_space(gputune_kernel *kernel, const case_data *data)
{
    const gputune_space *space = gputune_kernel_space(kernel, data->args, data->arg_count);
    if (space)
        printf("%d x %d x %d: %.0f configurations are valid\n", data->size[0], data->size[1],
               data->size[2], (double)gputune_space_count(space));
}

static gputune_result tune(gputune_kernel *kernel, const example_case *kind, gputune_device *device,
                           const int size[3])
{
    case_data data;
    if (!case_make(&data, kind, device, size, 1)) return GPUTUNE_ERROR_MEMORY;
    print_space(kernel, &data);
    gputune_result result = gputune_run(kernel, data.args, data.arg_count);
    if (result == GPUTUNE_OK) {
        case_print(&data, gputune_kernel_outcome(kernel));
        if (!case_verify(&data)) result = GPUTUNE_ERROR_WRONG_OUTPUT;
    } else {
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    }
    case_free(&data);
    return result;
}

int main(void)
{
    const example_case *kind = case_find("sgemm");
    gputune_device *device = gputune_cl_device(NULL);
    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){ .file = kind->file, // geometry: pragmas in the file
                                        .name = "sgemm",
                                        .tune.budget = { .seconds = 20, .patience = 200 },
                                        .tune.progress = gputune_progress_bar });
    const int primes[3] = { 127, 131, 137 };
    const bool ok = tune(kernel, kind, device, primes) == GPUTUNE_OK &&
                    tune(kernel, kind, device, case_size(kind, device)) == GPUTUNE_OK;
    if (!ok) fprintf(stderr, "%s\n", gputune_device_error(device)->text);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return !ok;
}
