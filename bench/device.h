// The device that a benchmark's command line names. Include it behind gputune.h, gputune_cl.h and
// gputune_cuda.h.
#include <string.h>

// api: cuda, opencl (a GPU), pocl, host (C functions), "" (the best OpenCL device).
static gputune_device *bench_device(const char *api)
{
    gputune_options options;
    gputune_cl_desc cl;
    memset(&options, 0, sizeof options);
    options.store = ""; // nothing is remembered: every search is a fresh one
    options.mode = GPUTUNE_MODE_ON;
    options.tuning_seconds = 1e6; // further tunings do not wait
    if (strcmp(api, "host") == 0) return gputune_host_device_create(&options);
    if (strcmp(api, "cuda") == 0) {
        gputune_cuda_desc cuda;
        memset(&cuda, 0, sizeof cuda);
        cuda.options = options;
        return gputune_cuda_device_create(&cuda);
    }
    memset(&cl, 0, sizeof cl);
    cl.options = options;
    if (strcmp(api, "pocl") == 0) cl.platform = "Portable Computing Language";
    if (strcmp(api, "opencl") == 0) cl.type = CL_DEVICE_TYPE_GPU;
    return gputune_cl_device_create(&cl);
}
