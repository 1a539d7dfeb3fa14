// What tuning gains on the kernels of examples/kernels, and how far the winners of independent
// tunings differ. Through OpenCL; bench_cuda.c has the same rows through CUDA.
//
//     sh bench/run.sh kernels [KERNEL|all [TUNINGS [SECONDS [PLATFORM]]]]
//
//   KERNEL     a part of the name; all: every one           TUNINGS  fresh tunings each (5)
//   SECONDS    budget of one tuning (60)                    PLATFORM part of the platform's name
//
//   speedup_K        default's time over the winner's, median of the tunings: the default and all
//                    winners timed anew, in turn, when all tuning is over. May be below 1
//   speedup_min_K    the least of them
//   default_us_K, best_us_K      times of a launch then; the best winner's
//   race_speedup_K   what the tunings themselves said: of their final races, never below 1
//   trials_K, failed_K, tuning_seconds_K     medians;  budget_seconds_K: what a tuning was given
//   configurations_K             the space's size; as many trials: all were tried
//   repeat_spread_K  the winners: slowest over fastest
//   rate_K           work done per second by the best winner
#define _POSIX_C_SOURCE 200809L // unsetenv
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "kernels.h"

int main(int argc, char **argv)
{
    settings s = { "", 5, 60 };
    gputune_cl_desc desc;
    gputune_device *device;
    memset(&desc, 0, sizeof desc);
    desc.options.store = "";
    desc.options.tuning_seconds = 1e6; // further tunings do not wait
    if (argc > 1) s.kernel = part_of_name(argv[1]);
    if (argc > 2) s.tunings = atoi(argv[2]);
    if (argc > 3) s.seconds = atof(argv[3]);
    if (argc > 4) desc.platform = argv[4];
    check_settings(&s);
    unsetenv("GPUTUNE_STORE");
    device = gputune_cl_device_create(&desc);
    check_device(device);
    bench_kernels(device, &s);
    gputune_device_destroy(device);
    return 0;
}
