// The device that a benchmark's command line names. Include it behind gputune.h, gputune_cl.h and
// gputune_cuda.h.
#include <string.h>

// api: cuda, opencl (a GPU), pocl, host (C functions), "" (the best OpenCL device). store, shared:
// as in gputune_options.
static gputune_device *bench_device_of(const char *api, const char *store, const char *shared)
{
    gputune_options options;
    gputune_cl_desc cl;
    memset(&options, 0, sizeof options);
    options.store = store;
    options.shared_store = shared;
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

// Nothing is remembered: every search is a fresh one.
static gputune_device *bench_device(const char *api)
{
    return bench_device_of(api, "", NULL);
}
