// Timing configurations of your own beside the tuned one: what does each switch of the convolution
// kernel gain over the default? Its local memory arguments are sized by expressions over parameters
// and arguments (see case_make_convolution in cases.h).
//
//     cc -std=c99 -O2 -I. examples/04_convolution.c -o convolution -lm
//     ./convolution
//
// On two processor cores (PoCL) it prints:
//     convolution 512 x 512 x 7
//       default     8.657 ms      3.0 GFLOP/s
//       best        4.692 ms      5.5 GFLOP/s
//       speed-up     1.84
//       GROUP_X=16 GROUP_Y=8 ITEMS_X=2 ITEMS_Y=2 LOCAL_IMAGE=0 LOCAL_FILTER=0 PAD=0
//       31 trials in 21.2 s
//       the output is right
//          9.908 ms with the defaults and LOCAL_IMAGE=0
//          8.863 ms with the defaults and LOCAL_FILTER=1
//          7.878 ms with the defaults and ITEMS_X=4
//          7.533 ms with the defaults and ITEMS_Y=4
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

// Values that are not named keep their defaults.
static void print_switch(gputune_kernel *kernel, const case_data *data, const char *values)
{
    const gputune_space *space = gputune_kernel_space(kernel, data->args, data->arg_count);
    gputune_config config;
    gputune_stats stats;
    if (space && gputune_config_parse(space, values, &config) &&
        gputune_kernel_time(kernel, &config, data->args, data->arg_count, 11, &stats) == GPUTUNE_OK)
        printf("  %8.3f ms with the defaults and %s\n", stats.median * 1e3, values);
    else
        printf("  %s: %s\n", values, gputune_kernel_error(kernel)->text);
}

int main(void)
{
    const example_case *kind = case_find("convolution");
    gputune_device *device = gputune_cl_device(NULL);
    case_data data;
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        return fprintf(stderr, "%s\n", gputune_device_error(device)->text), 1;

    gputune_kernel *kernel = gputune_kernel_create(
        device, &(gputune_kernel_desc){ .file = kind->file, // geometry: pragmas in the file
                                        .name = "convolution",
                                        .tune.budget.seconds = 20,
                                        .tune.progress = gputune_progress_bar });
    bool ok = gputune_run(kernel, data.args, data.arg_count) == GPUTUNE_OK;
    if (ok) {
        case_print(&data, gputune_kernel_outcome(kernel));
        ok = case_verify(&data);
        print_switch(kernel, &data, "LOCAL_IMAGE=0");
        print_switch(kernel, &data, "LOCAL_FILTER=1");
        print_switch(kernel, &data, "ITEMS_X=4");
        print_switch(kernel, &data, "ITEMS_Y=4");
    } else {
        fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    }
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
    return !ok;
}
