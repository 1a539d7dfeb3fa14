// gputune_cuda.h - v0.3.0 - CUDA driver of gputune - MIT or public domain
//
// Do this in ONE C, C++ or .cu file; nothing of CUDA is linked. A whole program:
//     #define GPUTUNE_IMPLEMENTATION
//     #define GPUTUNE_CUDA_IMPLEMENTATION
//     #include "gputune_cuda.h"
//     const char source[] = "#pragma gputune erange 32,1024,2          \n"  // 32, 64, ... 1024
//                           "#define BLOCK 128                         \n"  // the default
//                           "#pragma gputune global n                  \n"  // threads
//                           "#pragma gputune local BLOCK               \n"  // of a block
//                           "extern \"C\" __global__ void saxpy(int n, float a, const float *x,\n"
//                           "                                 float *y)\n"
//                           "{ int i = blockIdx.x * BLOCK + threadIdx.x;\n"
//                           "  if (i < n) y[i] += a * x[i]; }          \n";
//     static float data[1 << 20];
//     int main(void)
//     {
//         gputune_device *device = gputune_cuda_device(NULL); // or the program's own stream
//         void *x = gputune_buffer_create(device, sizeof data, data); // or cudaMalloc's
//         void *y = gputune_buffer_create(device, sizeof data, data);
//         gputune_kernel_desc desc = { 0 }; desc.source = source, desc.name = "saxpy";
//         gputune_kernel *kernel = gputune_kernel_create(device, &desc);
//         gputune_arg args[] = { gputune_int(1 << 20), gputune_float(2),
//                                gputune_in(x, sizeof data), gputune_inout(y, sizeof data) };
//         if (gputune_run(kernel, args, 4)) // tunes the first time; later just runs
//             puts(gputune_kernel_error(kernel)->text);
//     }
//
// WHAT IT DOES NOT DO
//     No textures, surfaces, cooperative launches or clusters; of graphs those of step 8. It does
//     not stop a kernel that never ends, nor repair a context that a kernel's illegal access has
//     killed: CUDA can do neither in the process (see ERRORS). Managed memory and peers' memory are
//     not protected.
//
// INDEX (search for "[name]")
//     [loader]         the functions used of CUDA, NVRTC and NVML, and where they come from
//     [errors]         codes by name, messages, a lost device
//     [device]         limits, context, streams
//     [prelude]        OpenCL C as CUDA C
//     [compile]        from source to a cubin, from a cubin to a function
//     [arguments]      buffers with guards, copies, arguments of a launch
//     [launch+timing]  the final launch; trials, timed and guarded against hanging
//     [metrics]        registers, occupancy, energy
//     [table]          what gputune.h calls
//     [public]         what programs call
//
// GLOSSARY
//     In CUDA's words: a work-item is a thread, a work-group a block, local memory is shared
//     memory, a compute unit a multiprocessor.
//     primary context  the one context of a GPU that the runtime API works in
//     trial stream     where trials and copies run; ours, in the program's context, non-blocking
//     cubin            machine code of one architecture; PTX: text that the driver compiles
//     NVRTC, NVML      NVIDIA's compiler and its management interface, as libraries
//
// STEP BY STEP
//  1. Three kinds of programs:
//     - The driver API: make your context current, hand over your CUstream; buffers are
//       gputune_cuda_pointer(CUdeviceptr).
//     - The runtime API, compiled by nvcc: hand over your cudaStream_t; pointers of cudaMalloc are
//       buffers as they are. Both work in the primary context.
//     - Kernels compiled ahead (no NVRTC): gputune_kernel_desc.select maps a configuration to a
//       CUfunction, for instance cudaGetFuncBySymbol of a template instance.
//  2. gputune_kernel_desc.global counts threads, not blocks: "n", or "blocks * BLOCK".
//  3. A source is CUDA C++ or OpenCL C (which is converted: kernels of both interfaces from one
//     text). A kernel needs no extern "C"; a name like "saxpy<float, 4>" makes that instance of a
//     template. gputune_kernel_desc.compiler_options go to NVRTC ("-use_fast_math -Iinclude").
//  4. Shared memory of a size known at the launch (extern __shared__): pass
//     gputune_local("BLOCK * 4") after the kernel's own arguments. More than 48 KiB is asked for as
//     CUDA wants it.
//     OpenCL C needs NVRTC 12.8 or newer, CUDA C 11.2. It has all built-in functions of OpenCL 1.2
//     but vec_step, those of images and samplers, and asynchronous copies with their events.
//  5. Kernels are compiled for the GPU's own architecture, for instance sm_90. For instructions of
//     one architecture alone (wgmma) write "-arch=sm_90a" into
//     gputune_kernel_desc.compiler_options.
//  6. Without gputune_kernel_desc.local and `#pragma gputune local` a block has 256 threads, and
//     the grid reaches over the problem's size: the kernel must guard.
//     NVRTC's version does not count for the binaries beside the store: after a new NVRTC run once
//     with GPUTUNE=force.
//  7. Micro-profiling uses your stream, the trial stream, which has the highest priority, and a
//     third. Events make them wait for each other: your commands on your stream before and after it
//     are in order with it.
//  8. Graphs. While the stream is being captured gputune_run and gputune_pool_run try nothing and
//     wait for nothing. They launch the known answer for the call, else the default or the initial
//     variant, which one warning reports. Run each kernel once before the capture. The next call
//     outside of the capture tunes. gputune_tune and other calls that must wait are
//     ERROR_UNSUPPORTED. A graph may use its kernels' code and scratch as long as the device lives:
//     destroy the device after its graphs. All this needs the captured stream in
//     gputune_cuda_desc.stream. CUDA does not report a capture in another stream that is
//     non-blocking: tuning ends that capture.
//  9. CUDA keeps a cache of its own of NVRTC's results (~/.nv): compiling the same text again takes
//     a tenth of the time. CUDA_CACHE_DISABLE=1 switches it off.
//
// OVERRIDES (define before the include)
//     GPUTUNE_CUDA_IMPLEMENTATION  in one file: emit the code (needs <nvrtc.h>, too)
//     GPUTUNE_STATIC, GPUTUNE_API  as in gputune.h
//
// ERRORS
//     A device that cannot be opened carries its error: ERROR_LIBRARY (no driver; the text names
//     the files tried), ERROR_NO_DEVICE, ERROR_DRIVER. Each text names the CUDA function, its code
//     and the culprit. NVRTC is loaded when the first source must be compiled, NVML when energy is
//     first asked for; if it is missing then, that call is ERROR_LIBRARY.
//     ERROR_COMPILE carries the compiler's first errors; the whole log goes to the log function at
//     GPUTUNE_LOG_DEBUG.
//     After an illegal address, a trap or a failed assertion the context is dead, for the program,
//     too: CUDA offers no way back in the process. The device is then lost: every later call fails
//     with ERROR_DEVICE_LOST, which names the kernel. The configuration is in the trial log, and
//     the next run skips it. gputune_tune_desc.isolate keeps such trials out of the program.
//     A kernel that still runs after the hang limit makes the device lost, too, until it ends.
//     Memory that it may use is left alone on purpose meanwhile, also by gputune_device_destroy,
//     since CUDA would wait for it. Each later call asks whether it has ended, and works if so.
//
// MEMORY
//     The driver's own object, one per compiled kernel, translated binaries and the compiler's
//     messages come from gputune_options.reallocate. CUDA's libraries stay loaded to the end
//     of the process: they have threads and exit handlers.
//
// THREADS
//     No globals: devices may be used by different threads; one device by one thread at a time.
//     Every call makes the device's context current and then restores the one before. NVRTC is
//     called from gputune_options.threads at once.
//
// HOW TO READ THE NUMBERS
//     Seconds are those between two CUDA events round a batch of launches. An empty kernel takes 4
//     us so (H200). Shorter kernels are timed in batches, which count the gap of 2 us between
//     launches. They are not with inout buffers or a cold cache, where times below 10 us are mostly
//     the launch's.
//     Occupancy is CUDA's own answer. Spilled bytes are CUDA's local memory of a thread.
//     Joules are those of the whole board (NVML's counter), other programs' included. The counter
//     moves every 100 ms (H200), so each measurement takes half a second of launches: the default
//     budget of 60 s then tries about 70 configurations. With inout buffers or a cold cache the
//     pauses between launches count, too: energies of kernels below 100 us are then too high.
//
// REFERENCES
//     NVIDIA: CUDA Driver API; NVRTC; NVML API Reference Guide; CUDA C++ Programming Guide,
//     appendix Compute Capabilities.
//     W. Jia, K. Shaw, M. Martonosi: Starchart: Hardware and Software Optimization Using Recursive
//     Partitioning Regression Trees, PACT 2013: tuning for power, VII.D.
//
// LICENCE
//     MIT or public domain, as you like: see the end of gputune.h.

#ifndef GPUTUNE_CUDA_H
#define GPUTUNE_CUDA_H

#include "gputune.h"

#if defined(__has_include)
#if !__has_include(<cuda.h>)
#error "gputune_cuda.h needs <cuda.h>: add the CUDA toolkit's folder, -I/usr/local/cuda/include"
#endif
#endif
#include <cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

// The choice of a GPU, and how gputune behaves on it. All zero: the calling thread's current
// context, else the primary context (the one that the runtime API uses) of the first GPU, and its
// default stream.
typedef struct gputune_cuda_desc {
    gputune_options options;
    CUcontext context; // the program's; must outlive the device. NULL: as above
    CUstream stream;   // where the final launches go, e.g. a cudaStream_t; NULL: the default stream
    int device;        // ordinal; 0: the current context's GPU, if there is one
    const char *library; // of the driver to load (libcuda.so.1); NULL: the system's
    const char *nvrtc;   // of the run-time compiler; NULL: the driver's version's, else another
    const char *nvml;    // of the management library, for energy; NULL: the system's
} gputune_cuda_desc;

// Makes a device of a stream of the calling thread's current context (a cudaStream_t will do).
// Without a current context it takes the primary one of the first GPU. NULL only when out of
// memory; otherwise check gputune_device_error, or gputune_run's result. Destroy it with
// gputune_device_destroy. The stream is the order: a launch, and the tuning for it, come behind the
// stream's earlier commands and before its later ones.
GPUTUNE_API gputune_device *gputune_cuda_device(CUstream stream);
GPUTUNE_API gputune_device *gputune_cuda_device_create(const gputune_cuda_desc *desc);

// Return the CUDA objects behind a device. NULL (ordinal -1) when it has failed or is another
// driver's.
GPUTUNE_API CUcontext gputune_cuda_context(const gputune_device *device);
GPUTUNE_API CUstream gputune_cuda_stream(const gputune_device *device);
GPUTUNE_API CUdevice gputune_cuda_ordinal(const gputune_device *device);

// Makes an argument for gputune_in and so on of a CUdeviceptr: its bits. A pointer of cudaMalloc is
// one as it is.
GPUTUNE_API void *gputune_cuda_pointer(CUdeviceptr pointer);

#ifdef __cplusplus
}
#endif

#endif // GPUTUNE_CUDA_H

// =====
// IMPLEMENTATION
// =====

#if defined(GPUTUNE_CUDA_IMPLEMENTATION) && !defined(GT_CUDA__IMPLEMENTED)
#define GT_CUDA__IMPLEMENTED

#ifndef GPUTUNE_DRIVER
#define GPUTUNE_DRIVER
#endif
#include "gputune.h"

#if defined(__has_include)
#if !__has_include(<nvrtc.h>)
#error "gputune_cuda.h needs <nvrtc.h>: add the CUDA toolkit's folder, -I/usr/local/cuda/include"
#endif
#endif
#include <nvrtc.h>
#include <stdio.h>
#include <string.h>
#if defined(_MSC_VER)
#define GT_CUDA__LOCK(lock) _InterlockedExchange(lock, 1) // 0: it is the caller's
#define GT_CUDA__UNLOCK(lock) (void)_InterlockedExchange(lock, 0)
#elif defined(__GNUC__) && !defined(__TINYC__)
#define GT_CUDA__LOCK(lock) __sync_lock_test_and_set(lock, 1)
#define GT_CUDA__UNLOCK(lock) __sync_lock_release(lock)
#else
#define GT_CUDA__LOCK(lock) 0
#define GT_CUDA__UNLOCK(lock) (void)0
#endif

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_MSC_VER) // <intrin.h> has it among much else
long _InterlockedExchange(long volatile *at, long value);
#pragma intrinsic(_InterlockedExchange)
#endif

GT__COLD // nothing here is hot

// -----
// [loader]
// -----

// Every function of the CUDA driver used, once: result, exported name, parameters.
#define GT_CUDA__CALLS(X) \
    X(CUresult, cuInit, (unsigned)) \
    X(CUresult, cuDriverGetVersion, (int *)) \
    X(CUresult, cuGetErrorName, (CUresult, const char **)) \
    X(CUresult, cuDeviceGetCount, (int *)) \
    X(CUresult, cuDeviceGet, (CUdevice *, int)) \
    X(CUresult, cuDeviceGetName, (char *, int, CUdevice)) \
    X(CUresult, cuDeviceGetAttribute, (int *, CUdevice_attribute, CUdevice)) \
    X(CUresult, cuDeviceTotalMem_v2, (size_t *, CUdevice)) \
    X(CUresult, cuDeviceGetPCIBusId, (char *, int, CUdevice)) \
    X(CUresult, cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice)) \
    X(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice)) \
    X(CUresult, cuCtxGetCurrent, (CUcontext *)) \
    X(CUresult, cuCtxPushCurrent_v2, (CUcontext)) \
    X(CUresult, cuCtxPopCurrent_v2, (CUcontext *)) \
    X(CUresult, cuCtxGetDevice, (CUdevice *)) \
    X(CUresult, cuCtxSynchronize, (void)) \
    X(CUresult, cuModuleLoadDataEx, \
      (CUmodule *, const void *, unsigned, CUjit_option *, void **)) \
    X(CUresult, cuModuleUnload, (CUmodule)) \
    X(CUresult, cuModuleGetFunction, (CUfunction *, CUmodule, const char *)) \
    X(CUresult, cuModuleGetGlobal_v2, (CUdeviceptr *, size_t *, CUmodule, const char *)) \
    X(CUresult, cuFuncGetAttribute, (int *, CUfunction_attribute, CUfunction)) \
    X(CUresult, cuFuncSetAttribute, (CUfunction, CUfunction_attribute, int)) \
    X(CUresult, cuLaunchKernel, \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, \
       CUstream, void **, void **)) \
    X(CUresult, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, CUfunction, int, size_t)) \
    X(CUresult, cuStreamCreate, (CUstream *, unsigned)) \
    X(CUresult, cuStreamDestroy_v2, (CUstream)) \
    X(CUresult, cuStreamGetCtx, (CUstream, CUcontext *)) \
    X(CUresult, cuStreamSynchronize, (CUstream)) \
    X(CUresult, cuStreamQuery, (CUstream)) \
    X(CUresult, cuStreamWaitEvent, (CUstream, CUevent, unsigned)) \
    X(CUresult, cuEventCreate, (CUevent *, unsigned)) \
    X(CUresult, cuEventDestroy_v2, (CUevent)) \
    X(CUresult, cuEventRecord, (CUevent, CUstream)) \
    X(CUresult, cuEventQuery, (CUevent)) \
    X(CUresult, cuEventElapsedTime, (float *, CUevent, CUevent)) \
    X(CUresult, cuMemAlloc_v2, (CUdeviceptr *, size_t)) \
    X(CUresult, cuMemFree_v2, (CUdeviceptr)) \
    X(CUresult, cuMemAllocManaged, (CUdeviceptr *, size_t, unsigned)) \
    X(CUresult, cuMemHostAlloc, (void **, size_t, unsigned)) \
    X(CUresult, cuMemFreeHost, (void *)) \
    X(CUresult, cuMemGetInfo_v2, (size_t *, size_t *)) \
    X(CUresult, cuPointerGetAttribute, (void *, CUpointer_attribute, CUdeviceptr)) \
    X(CUresult, cuMemGetAddressRange_v2, (CUdeviceptr *, size_t *, CUdeviceptr)) \
    X(CUresult, cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream)) \
    X(CUresult, cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream)) \
    X(CUresult, cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream)) \
    X(CUresult, cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))

// Newer drivers have these; NULL where they are missing.
#define GT_CUDA__OPTIONAL_CALLS(X) \
    X(CUresult, cuFuncGetParamInfo, (CUfunction, size_t, size_t *, size_t *)) \
    X(CUresult, cuStreamIsCapturing, (CUstream, CUstreamCaptureStatus *)) \
    X(CUresult, cuThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *)) \
    X(CUresult, cuCtxGetStreamPriorityRange, (int *, int *)) \
    X(CUresult, cuStreamCreateWithPriority, (CUstream *, unsigned, int))

#define GT_CUDA__NVRTC_CALLS(X) \
    X(nvrtcResult, nvrtcVersion, (int *, int *)) \
    X(const char *, nvrtcGetErrorString, (nvrtcResult)) \
    X(nvrtcResult, nvrtcGetNumSupportedArchs, (int *)) \
    X(nvrtcResult, nvrtcGetSupportedArchs, (int *)) \
    X(nvrtcResult, nvrtcCreateProgram, \
      (nvrtcProgram *, const char *, const char *, int, const char *const *, \
       const char *const *)) \
    X(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram *)) \
    X(nvrtcResult, nvrtcAddNameExpression, (nvrtcProgram, const char *)) \
    X(nvrtcResult, nvrtcCompileProgram, (nvrtcProgram, int, const char *const *)) \
    X(nvrtcResult, nvrtcGetLoweredName, (nvrtcProgram, const char *, const char **)) \
    X(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram, size_t *)) \
    X(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram, char *)) \
    X(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram, size_t *)) \
    X(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram, char *)) \
    X(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram, size_t *)) \
    X(nvrtcResult, nvrtcGetPTX, (nvrtcProgram, char *))

// Of NVML, whose header is not needed: results are int, 0 is success.
#define GT_CUDA__NVML_CALLS(X) \
    X(int, nvmlInit_v2, (void)) \
    X(int, nvmlShutdown, (void)) \
    X(const char *, nvmlErrorString, (int)) \
    X(int, nvmlDeviceGetHandleByPciBusId_v2, (const char *, void **)) \
    X(int, nvmlDeviceGetTotalEnergyConsumption, (void *, unsigned long long *))

typedef struct gt_cuda__calls {
#define GT_CUDA__X(result, name, parameters) result(CUDAAPI *name) parameters;
    GT_CUDA__CALLS(GT_CUDA__X)
    GT_CUDA__OPTIONAL_CALLS(GT_CUDA__X)
#undef GT_CUDA__X
} gt_cuda__calls;

typedef struct gt_cuda__nvrtc {
#define GT_CUDA__X(result, name, parameters) result(*name) parameters;
    GT_CUDA__NVRTC_CALLS(GT_CUDA__X)
} gt_cuda__nvrtc;

typedef struct gt_cuda__nvml {
    GT_CUDA__NVML_CALLS(GT_CUDA__X)
#undef GT_CUDA__X
} gt_cuda__nvml;

// Names are spelled as exported, which <cuda.h> hides behind macros: hence #name of the lists' own
// words.
#define GT_CUDA__X(result, name, parameters) #name,
#define GT_CUDA__OPTIONAL(result, name, parameters) "?" #name,
static const char *const gt_cuda__symbols[] = {
    GT_CUDA__CALLS(GT_CUDA__X)
    GT_CUDA__OPTIONAL_CALLS(GT_CUDA__OPTIONAL) NULL
};
static const char *const gt_cuda__nvrtc_symbols[] = {
    GT_CUDA__NVRTC_CALLS(GT_CUDA__X) NULL
};
static const char *const gt_cuda__nvml_symbols[] = {
    GT_CUDA__NVML_CALLS(GT_CUDA__X) NULL
};
#undef GT_CUDA__X
#undef GT_CUDA__OPTIONAL

#if defined(_WIN32)
static const char *const gt_cuda__driver_names[] = { "nvcuda.dll", NULL };
static const char *const gt_cuda__nvrtc_names[] = { "nvrtc64_130_0.dll", "nvrtc64_120_0.dll",
                                                    "nvrtc64_112_0.dll", NULL };
static const char *const gt_cuda__nvml_names[] = { "nvml.dll", NULL };
#else
static const char *const gt_cuda__driver_names[] = { "libcuda.so.1", "libcuda.so",
                                                     "/usr/lib/wsl/lib/libcuda.so.1", NULL };
static const char *const gt_cuda__nvrtc_names[] = {
    "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so",
    "/usr/local/cuda/lib64/libnvrtc.so", NULL
};
static const char *const gt_cuda__nvml_names[] = { "libnvidia-ml.so.1", "libnvidia-ml.so", NULL };
#endif

// The NVRTC of the driver's own CUDA version first, then older ones, then newer.
static gputune_result gt_cuda__load_nvrtc(gt_cuda__nvrtc *calls, const char *path, int driver,
                                          gputune_error *error)
{
    // The first three names are those of CUDA 13, 12 and 11.
    int own = driver >= 13000 ? 0 : driver >= 12000 ? 1 : 2, i;
    const char *names[8];
    for (i = 0; i < 3; i++) names[i] = gt_cuda__nvrtc_names[i < 3 - own ? own + i : 2 - i];
    for (; (names[i] = gt_cuda__nvrtc_names[i]) != NULL; i++) continue;
    return gputune_library_load("NVRTC", path, names,
                                "install NVRTC 11.2 or newer (part of the CUDA toolkit; as a "
                                "wheel: nvidia-cuda-nvrtc) and put its folder on the library path",
                                gt_cuda__nvrtc_symbols, calls, error);
}

enum {
    GT_CUDA__MAX_PARAMS = 65,  // of one kernel, the grid of a rewritten one included
    GT_CUDA__MAX_OPTIONS = 64, // of one compilation
    GT_CUDA__ALIGNMENT = 256,  // of what cuMemAlloc returns; kept for guarded buffers
    GT_CUDA__QUEUES = 2        // for launches under way at once, beside the program's
};

#define GT_CUDA__IMPLICIT ((CUresult)906) // CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, new in 10.0

// A launch that was submitted, between two events. Making events is slow: they stay with the
// ticket, which is used again.
typedef struct gt_cuda__ticket {
    struct gt_cuda__ticket *next;
    CUevent start, stop;
    char kernel[128]; // its name
} gt_cuda__ticket;

enum { GT_CUDA__MODULE, GT_CUDA__MEMORY }; // what is given back later

typedef struct gt_cuda__device {
    gt_cuda__calls call;
    gputune_options options;
    CUdevice id;
    char bus[64]; // its address; "": unknown
    CUcontext context;
    CUstreamCaptureMode mode; // of the thread, before the driver entered the context
    int inside;               // times that it has entered and not left
    bool recording;           // when last asked, the program's stream was being captured
    bool barred;              // a launch on the default stream would end another one's capture
    gputune_later *recorded;  // what graphs may use: stays as long as the device
    bool retained;   // the primary context, by us
    CUstream stream; // the program's
    CUstream trials; // the trial stream; NULL until it is needed
    CUstream other;  // queue 2 of submit; NULL until it is needed
    CUevent start, stop;
    CUevent order; // makes one stream wait for another
    CUevent base;  // the moment base_seconds of tickets' times
    double base_seconds;
    gt_cuda__ticket *tickets; // under way
    gt_cuda__ticket *spare;   // to be used again
    bool lost;    // the context is dead or a kernel hangs
    CUevent hung; // the end of the kernel that hangs: nothing may be released; NULL: none
    gputune_later *left; // what was to be released meanwhile
    char culprit[520]; // what the device was lost with
    char pending[128]; // the last kernel launched for real, until it is known to have ended
    char versions[160]; // why the driver may have refused a binary
    int major, minor, max_threads; // compute capability; of a multiprocessor
    int64_t shared_per_group; // bytes that a block may have when it opts in
    gt_cuda__nvrtc nvrtc;
    bool has_nvrtc;
    int nvrtc_version; // 1208: 12.8
    long nvrtc_lock; // 1 while a thread loads NVRTC
    volatile bool whole; // programs need what -minimal leaves out
    char *nvrtc_path, *nvml_path, *prelude;
    char macros[500];
    char compiler[100]; // what the loaded NVRTC defines
    gt_cuda__nvml nvml;
    void *board; // NVML's handle, NULL until energy is asked for
} gt_cuda__device;

typedef struct gt_cuda__code {
    CUmodule module; // NULL for the program's own functions
    CUfunction function;
    int params; // -1: unknown
    size_t param_bytes[GT_CUDA__MAX_PARAMS];
    int group_limit, registers, spill_bytes, max_dynamic, shared; // shared: static
    bool converted; // local-memory arguments are offsets
    bool recorded;  // a graph may use it
    unsigned access; // gt_cuda__head
    char name[128]; // cut
} gt_cuda__code;

// -----
// [errors]
// -----

static const char *gt_cuda__code_name(const gt_cuda__device *cu, CUresult code)
{
    const char *name = NULL;
    if (cu->call.cuGetErrorName(code, &name) || !name) return "an unknown code";
    return name;
}

// Codes that say that this device has too little of something; others are the caller's `otherwise`.
static gputune_result gt_cuda__result(CUresult code, gputune_result otherwise)
{
    if (code == CUDA_ERROR_OUT_OF_MEMORY || code == CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)
        return GPUTUNE_ERROR_RESOURCES;
    return otherwise;
}

// The failed function, its code by name, the culprit. Names end before _v2. This and the next use
// the variables cu, call, code and error.
#define GT_CUDA__FAIL(otherwise, format, ...) \
    gputune_error_set(error, gt_cuda__result(code, otherwise), "%.*s: %s (%d): " format, \
                      (int)strcspn(call, "_"), call, gt_cuda__code_name(cu, code), \
                      (int)(code), __VA_ARGS__)

// Calls a function of the driver unless one before has failed.
#define GT_CUDA__TRY(name, parameters) \
    do { \
        if (code) break; \
        call = #name; \
        code = cu->call.name parameters; \
    } while (0)

// Another kernel that may have been it, if it is not named yet; at most three beside the first.
static void gt_cuda__suspect(gt_cuda__device *cu, const char *kernel, int *count)
{
    size_t used = strlen(cu->culprit);
    char quoted[132];
    snprintf(quoted, sizeof quoted, "\"%.100s\"", kernel);
    if (!kernel[0] || *count == 4 || strstr(cu->culprit, quoted)) return;
    snprintf(cu->culprit + used, sizeof cu->culprit - used, "%skernel %s",
             *count == 0   ? ""
             : *count == 1 ? " (or "
                           : ", ",
             quoted);
    ++*count;
}

// kernel: the trial that ran, or NULL. Launches for real and submitted ones are asynchronous: what
// they do wrong shows in a later call.
static void gt_cuda__lose(gt_cuda__device *cu, const char *kernel)
{
    const gt_cuda__ticket *ticket;
    size_t used;
    int count = 0, before;
    if (cu->lost) return;
    cu->lost = true;
    cu->culprit[0] = 0;
    if (kernel) gt_cuda__suspect(cu, kernel, &count);
    gt_cuda__suspect(cu, cu->pending, &count);
    before = count;
    for (ticket = cu->tickets; ticket; ticket = ticket->next)
        gt_cuda__suspect(cu, ticket->kernel, &count);
    used = strlen(cu->culprit);
    snprintf(cu->culprit + used, sizeof cu->culprit - used, "%s ran",
             count == 0       ? "a kernel of the program's own"
             : count == 1     ? ""
             : count > before ? ", under way with it)"
                              : ", launched before it)");
}

static gputune_result gt_cuda__gone(const gt_cuda__device *cu, gputune_error *error)
{
    return gputune_error_set(error, GPUTUNE_ERROR_DEVICE_LOST,
                             cu->hung ? "the CUDA device does not answer since %s: it works again "
                                        "when the kernel has ended; if that never happens, end "
                                        "the process"
                                      : "the CUDA context is of no use any more since %s: end the "
                                        "process, or tune with .isolate",
                             cu->culprit);
}

// Errors that stay: CUDA returns them from every later call in the context. Others (a stream that
// is being captured) pass. By number, since older headers lack some: uncorrectable memory and link,
// timeout, contained and unknown errors among them.
static bool gt_cuda__stays(CUresult code)
{
    static const int codes[] = { 4,   214, 220, 700, 702, 709, 710, 714, 715,
                                 716, 717, 718, 719, 721, 722, 999 };
    size_t i;
    for (i = 0; i < sizeof codes / sizeof *codes; i++)
        if ((int)code == codes[i]) return true;
    return false;
}

// The result of a failed call where the context's state is `code`.
static gputune_result gt_cuda__verdict(gt_cuda__device *cu, gputune_result result, CUresult code,
                                       const char *kernel, gputune_error *error)
{
    char text[900];
    if (!gt_cuda__stays(code)) return result;
    gt_cuda__lose(cu, kernel);
    snprintf(text, sizeof text, "%.899s", error->text);
    return gputune_error_set(error, GPUTUNE_ERROR_DEVICE_LOST,
                             "%s; the context is dead since %s: %s (%d)", text, cu->culprit,
                             gt_cuda__code_name(cu, code), (int)code);
}

// Is the program's stream being captured? The default stream cannot be: it has a code of its own
// where another one is with which it is in order. Other streams need no current context.
static CUresult gt_cuda__ask_captured(gt_cuda__device *cu)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    CUresult code;
    if (!cu->call.cuStreamIsCapturing) return CUDA_SUCCESS;
    code = cu->call.cuStreamIsCapturing(cu->stream, &status);
    cu->barred = code == GT_CUDA__IMPLICIT;
    cu->recording = cu->barred || status != CU_STREAM_CAPTURE_STATUS_NONE;
    return cu->barred ? CUDA_SUCCESS : code;
}

// In the context: is that or another stream of the context being captured, as far as CUDA tells? To
// wait for it or for the context ends the capture, whatever the thread's mode.
static CUresult gt_cuda__ask_all(gt_cuda__device *cu, bool *captured)
{
    CUstreamCaptureStatus status;
    CUresult code = gt_cuda__ask_captured(cu);
    *captured = cu->recording;
    if (code || cu->recording || !cu->stream || !cu->call.cuStreamIsCapturing) return code;
    code = cu->call.cuStreamIsCapturing(NULL, &status);
    *captured = code == GT_CUDA__IMPLICIT;
    return *captured ? CUDA_SUCCESS : code;
}

// After a call failed: is the context dead? kernel: of the trial that ran, or NULL. wait: where
// nothing of ours is running, or it would be waited for.
static gputune_result gt_cuda__aftermath(gt_cuda__device *cu, gputune_result result, bool wait,
                                         const char *kernel, gputune_error *error)
{
    CUresult code;
    bool captured;
    if (!result || cu->lost) return result;
    code = gt_cuda__ask_all(cu, &captured);
    if (!code && !captured)
        code = wait ? cu->call.cuCtxSynchronize()
                    : cu->call.cuStreamQuery(cu->trials ? cu->trials : cu->stream);
    return gt_cuda__verdict(cu, result, code, kernel, error);
}

// Of what kind the memory at an address is: the host's, managed (UNIFIED) or the device's, as is
// what CUDA does not know.
static unsigned gt_cuda__kind(gt_cuda__device *cu, CUdeviceptr at)
{
    unsigned kind = CU_MEMORYTYPE_DEVICE;
    int managed = 0;
    if (!cu->call.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, at) && managed)
        return CU_MEMORYTYPE_UNIFIED;
    if (cu->call.cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, at))
        return CU_MEMORYTYPE_DEVICE;
    return kind;
}

// Makes the device's context the current one, until leave. In it the thread's capture mode is
// relaxed: with another, to allocate, to release and to ask for an event end a capture.
static CUresult gt_cuda__push(gt_cuda__device *cu)
{
    const CUresult code = cu->call.cuCtxPushCurrent_v2(cu->context);
    if (code || cu->inside++ || !cu->call.cuThreadExchangeStreamCaptureMode) return code;
    cu->mode = CU_STREAM_CAPTURE_MODE_RELAXED;
    cu->call.cuThreadExchangeStreamCaptureMode(&cu->mode);
    return code;
}

static void gt_cuda__leave(gt_cuda__device *cu)
{
    CUcontext context;
    if (--cu->inside == 0 && cu->call.cuThreadExchangeStreamCaptureMode)
        cu->call.cuThreadExchangeStreamCaptureMode(&cu->mode);
    cu->call.cuCtxPopCurrent_v2(&context);
}

// Releases an object now or, in a device that hangs, when the running kernels have ended. Objects
// of a dead context stay.
static void gt_cuda__give_back(void *self, int kind, void *object)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const CUdeviceptr memory = (CUdeviceptr)(uintptr_t)object;
    if (!cu->lost && !gt_cuda__push(cu)) {
        if (kind == GT_CUDA__MODULE)
            cu->call.cuModuleUnload((CUmodule)object);
        else if (gt_cuda__kind(cu, memory) == CU_MEMORYTYPE_HOST)
            cu->call.cuMemFreeHost(object);
        else
            cu->call.cuMemFree_v2(memory);
        gt_cuda__leave(cu);
    }
    if (cu->hung) gputune_later_add(&cu->options, &cu->left, kind, object);
}

// Does the device answer? One that was given up does so again when all that was under way in it has
// ended.
static bool gt_cuda__alive(gt_cuda__device *cu)
{
    const gt_cuda__ticket *t;
    CUresult code;
    char text[640];
    if (!cu->lost || !cu->hung) return !cu->lost;
    if (gt_cuda__push(cu)) return false;
    code = cu->call.cuEventQuery(cu->hung);
    if (!code && cu->trials) code = cu->call.cuStreamQuery(cu->trials);
    if (!code && cu->other) code = cu->call.cuStreamQuery(cu->other);
    for (t = cu->tickets; t && !code; t = t->next) // on the program's stream, too
        if (t->stop) code = cu->call.cuEventQuery(t->stop);
    gt_cuda__leave(cu);
    if (code == CUDA_ERROR_NOT_READY) return false;
    cu->hung = NULL;
    cu->lost = gt_cuda__stays(code);
    gputune_later_end(&cu->options, &cu->left, cu->lost ? NULL : gt_cuda__give_back, cu);
    if (cu->lost) return false;
    snprintf(text, sizeof text, "CUDA: the device is back: it was given up since %s", cu->culprit);
    gputune_log(&cu->options, GPUTUNE_LOG_WARN, text);
    return true;
}

// The same if the device answers; with leave, the context before is current again.
static gputune_result gt_cuda__enter(gt_cuda__device *cu, gputune_error *error)
{
    const char *call = "cuCtxPushCurrent";
    CUresult code;
    if (!gt_cuda__alive(cu)) return gt_cuda__gone(cu, error);
    code = gt_cuda__push(cu);
    if (!code) return GPUTUNE_OK;
    return GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%s", "the device's context");
}

static bool gt_cuda__capturing(void *self)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    if (cu->lost) return false;
    if (cu->stream && !gt_cuda__ask_captured(cu)) return cu->recording;
    if (gt_cuda__push(cu)) return false;
    gt_cuda__ask_captured(cu); // what is wrong, the next call says, too
    gt_cuda__leave(cu);
    return cu->recording;
}

// Events recorded in a stream that is being captured belong to the graph: they cannot be asked for,
// and who waits for them is captured, too.
static gputune_result gt_cuda__uncaptured(gt_cuda__device *cu, gputune_error *error)
{
    const char *call = "cuStreamIsCapturing";
    bool captured;
    const CUresult code = gt_cuda__ask_all(cu, &captured);
    if (code) {
        GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%s", "the program's stream");
        return gt_cuda__verdict(cu, error->result, code, NULL, error);
    }
    if (captured && !cu->recording)
        return gputune_error_set(error, GPUTUNE_ERROR_LOCKED, "%s",
                                 "another stream is being captured: nothing can be timed or waited "
                                 "for until its capture ends");
    if (!captured) return GPUTUNE_OK;
    return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED, "%s",
                             "the program's stream is being captured: nothing in it can be timed "
                             "or waited for; do this before the capture or after it");
}

// -----
// [device]
// -----

static int64_t gt_cuda__number(const gt_cuda__device *cu, CUdevice_attribute what)
{
    int number = 0;
    if (cu->call.cuDeviceGetAttribute(&number, what, cu->id)) return 0;
    return number;
}

GT__HOT // fgets, see gputune.h

// The driver's version: "580.95.05", or CUDA's where the system does not tell.
static void gt_cuda__driver_text(const gt_cuda__device *cu, char *text, size_t size)
{
    int version = 0;
    cu->call.cuDriverGetVersion(&version);
    snprintf(text, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
#if defined(__linux__)
    {
        FILE *file = fopen("/proc/driver/nvidia/version", "r");
        char line[256] = "", word[64];
        const char *at = file ? fgets(line, sizeof line, file) : NULL;
        int n = 0;
        for (; at && sscanf(at, "%63s%n", word, &n) == 1; at += n) {
            if (word[strspn(word, "0123456789.")] || !strchr(word, '.')) continue;
            snprintf(text, size, "%s", word);
            break;
        }
        if (file) fclose(file);
    }
#endif
}

GT__COLD

static void gt_cuda__limits(gt_cuda__device *cu, gputune_limits *limits)
{
    size_t memory = 0;
    memset(limits, 0, sizeof *limits);
#define GT_CUDA__NUMBER(what) gt_cuda__number(cu, CU_DEVICE_ATTRIBUTE_##what)
    limits->max_group_size = GT_CUDA__NUMBER(MAX_THREADS_PER_BLOCK);
    limits->max_group_x = GT_CUDA__NUMBER(MAX_BLOCK_DIM_X);
    limits->max_group_y = GT_CUDA__NUMBER(MAX_BLOCK_DIM_Y);
    limits->max_group_z = GT_CUDA__NUMBER(MAX_BLOCK_DIM_Z);
    limits->local_memory = GT_CUDA__NUMBER(MAX_SHARED_MEMORY_PER_BLOCK);
    limits->optin_local_memory = GT_CUDA__NUMBER(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    limits->constant_memory = GT_CUDA__NUMBER(TOTAL_CONSTANT_MEMORY);
    limits->cache_bytes = GT_CUDA__NUMBER(L2_CACHE_SIZE);
    limits->compute_units = GT_CUDA__NUMBER(MULTIPROCESSOR_COUNT);
    limits->warp_size = GT_CUDA__NUMBER(WARP_SIZE);
    limits->clock_mhz = GT_CUDA__NUMBER(CLOCK_RATE) / 1000;
    limits->is_gpu = 1;
    cu->major = (int)GT_CUDA__NUMBER(COMPUTE_CAPABILITY_MAJOR);
    cu->minor = (int)GT_CUDA__NUMBER(COMPUTE_CAPABILITY_MINOR);
    cu->max_threads = (int)GT_CUDA__NUMBER(MAX_THREADS_PER_MULTIPROCESSOR);
    cu->shared_per_group = limits->optin_local_memory;
#undef GT_CUDA__NUMBER
    limits->compute_capability = 10 * cu->major + cu->minor;
    if (!cu->call.cuDeviceTotalMem_v2(&memory, cu->id))
        limits->global_memory = limits->max_allocation = (int64_t)memory;
    if (cu->call.cuDeviceGetName(limits->name, (int)sizeof limits->name, cu->id))
        snprintf(limits->name, sizeof limits->name, "%s", "NVIDIA GPU");
    if (cu->call.cuDeviceGetPCIBusId(cu->bus, (int)sizeof cu->bus, cu->id)) cu->bus[0] = 0;
    snprintf(limits->board, sizeof limits->board, "%s", cu->bus);
    gt_cuda__driver_text(cu, limits->driver, sizeof limits->driver);
}

// The primary context of the description's GPU.
static gputune_result gt_cuda__retain(gt_cuda__device *cu, int ordinal, gputune_error *error)
{
    const char *call = NULL;
    int count = 0;
    CUresult code = CUDA_SUCCESS;
    GT_CUDA__TRY(cuDeviceGetCount, (&count));
    if (!code && (ordinal < 0 || ordinal >= count))
        return gputune_error_set(error, GPUTUNE_ERROR_NO_DEVICE,
                                 "CUDA: there is no GPU with the ordinal %d; there are %d",
                                 ordinal, count);
    GT_CUDA__TRY(cuDeviceGet, (&cu->id, ordinal));
    GT_CUDA__TRY(cuDevicePrimaryCtxRetain, (&cu->context, cu->id));
    cu->retained = !code;
    if (!code) return GPUTUNE_OK;
    return GT_CUDA__FAIL(GPUTUNE_ERROR_NO_DEVICE, "GPU %d", ordinal);
}

// Which context: the description's, the stream's, the current one, a primary one.
static gputune_result gt_cuda__attach(gt_cuda__device *cu, const gputune_cuda_desc *desc,
                                      gputune_error *error)
{
    CUresult code = CUDA_SUCCESS;
    const char *call = NULL;
    gputune_result result;
    GT_CUDA__TRY(cuInit, (0));
    if (code) return GT_CUDA__FAIL(GPUTUNE_ERROR_NO_DEVICE, "%s", "no CUDA device can be used");
    cu->stream = desc->stream;
    cu->context = desc->context;
    if (!cu->context && desc->stream) GT_CUDA__TRY(cuStreamGetCtx, (desc->stream, &cu->context));
    if (code) return GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%s", "the program's stream");
    if (!cu->context && desc->device == 0) cu->call.cuCtxGetCurrent(&cu->context);
    if (!cu->context) return gt_cuda__retain(cu, desc->device, error);
    result = gt_cuda__enter(cu, error);
    if (result) return result;
    GT_CUDA__TRY(cuCtxGetDevice, (&cu->id));
    gt_cuda__leave(cu);
    if (!code) return GPUTUNE_OK;
    return GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%s", "the program's context");
}

// A stream of our own. Parts of a job that are timed go before what else the device has to do:
// queue 1 has the highest priority.
static CUresult gt_cuda__new_stream(gt_cuda__device *cu, bool first, const char **call,
                                    CUstream *stream)
{
    int least = 0, greatest = 0;
    CUresult code;
    *call = "cuStreamCreate";
    if (first && cu->call.cuCtxGetStreamPriorityRange && cu->call.cuStreamCreateWithPriority &&
        !cu->call.cuCtxGetStreamPriorityRange(&least, &greatest) && greatest < least) {
        *call = "cuStreamCreateWithPriority";
        code = cu->call.cuStreamCreateWithPriority(stream, CU_STREAM_NON_BLOCKING, greatest);
    } else
        code = cu->call.cuStreamCreate(stream, CU_STREAM_NON_BLOCKING);
    if (code) *stream = NULL;
    return code;
}

// In the context: what trials need, made at their first use. The program's own work is waited for
// then, so that it does not race the trials; in a capture there are none.
static gputune_result gt_cuda__ready(gt_cuda__device *cu, gputune_error *error)
{
    const char *call = "cuStreamIsCapturing";
    bool captured;
    CUresult code;
    if (cu->trials) return GPUTUNE_OK;
    code = gt_cuda__ask_all(cu, &captured);
    if (!captured) GT_CUDA__TRY(cuCtxSynchronize, ());
    if (!cu->start) GT_CUDA__TRY(cuEventCreate, (&cu->start, CU_EVENT_DEFAULT));
    if (!cu->stop) GT_CUDA__TRY(cuEventCreate, (&cu->stop, CU_EVENT_DEFAULT));
    if (!code) code = gt_cuda__new_stream(cu, true, &call, &cu->trials);
    if (!code) return GPUTUNE_OK;
    return GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%s", "a stream for trials");
}

// enter and ready; leave follows if it is GPUTUNE_OK.
static gputune_result gt_cuda__begin(gt_cuda__device *cu, gputune_error *error)
{
    gputune_result result = gt_cuda__enter(cu, error);
    if (result) return result;
    result = gt_cuda__ready(cu, error);
    result = gt_cuda__aftermath(cu, result, true, NULL, error);
    if (result) gt_cuda__leave(cu);
    return result;
}

// Ends what begin began: a failed call may mean a dead context.
static gputune_result gt_cuda__end(gt_cuda__device *cu, const char *call, CUresult code,
                                   size_t offset, size_t bytes, gputune_error *error)
{
    gputune_result result = GPUTUNE_OK;
    if (code) {
        GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%zu bytes at offset %zu", bytes, offset);
        result = gt_cuda__aftermath(cu, error->result, true, NULL, error);
    }
    gt_cuda__leave(cu);
    return result;
}

// A dead context takes its objects along; with a hanging kernel nothing may be touched.
static void gt_cuda__close(gt_cuda__device *cu)
{
    gputune_error ignored;
    bool inside = cu->context && !gt_cuda__enter(cu, &ignored);
    gt_cuda__ticket *ticket;
    while ((ticket = cu->tickets ? cu->tickets : cu->spare) != NULL) {
        *(cu->tickets ? &cu->tickets : &cu->spare) = ticket->next;
        if (inside && ticket->start) cu->call.cuEventDestroy_v2(ticket->start);
        if (inside && ticket->stop) cu->call.cuEventDestroy_v2(ticket->stop);
        gputune_reallocate(&cu->options, ticket, 0);
    }
    if (inside) {
        if (cu->start) cu->call.cuEventDestroy_v2(cu->start);
        if (cu->stop) cu->call.cuEventDestroy_v2(cu->stop);
        if (cu->order) cu->call.cuEventDestroy_v2(cu->order);
        if (cu->base) cu->call.cuEventDestroy_v2(cu->base);
        if (cu->trials) cu->call.cuStreamDestroy_v2(cu->trials);
        if (cu->other) cu->call.cuStreamDestroy_v2(cu->other);
        gt_cuda__leave(cu);
    }
    gputune_later_end(&cu->options, &cu->recorded, cu->lost ? NULL : gt_cuda__give_back, cu);
    gputune_later_end(&cu->options, &cu->left, cu->lost ? NULL : gt_cuda__give_back, cu);
    if (cu->retained && !cu->hung) cu->call.cuDevicePrimaryCtxRelease_v2(cu->id);
    cu->retained = false;
    cu->context = NULL;
}

// -----
// [prelude]
// -----

// The vectors of one type. CUDA's own float4 and so on are other types: hence the macros.
#define GT_CUDA__VECTOR(t, n) \
    "typedef gputune_vec<" t ", " n "> gputune_" t n ";\n#define " t n " gputune_" t n "\n"
#define GT_CUDA__VECTORS(t) \
    GT_CUDA__VECTOR(t, "2") GT_CUDA__VECTOR(t, "3") GT_CUDA__VECTOR(t, "4") \
    GT_CUDA__VECTOR(t, "8") GT_CUDA__VECTOR(t, "16")

// How halves are stored and loaded: names of OpenCL are cheaper to read than functions of these
// names. Three of the aligned ones take the room of four.
#define GT_CUDA__STORE(name, mode, rest) \
    "#define vstore" name " gputune_store_half<gputune_" mode rest ">\n"
#define GT_CUDA__STORES(name, rest) \
    GT_CUDA__STORE(name, "rte", rest) GT_CUDA__STORE(name "_rte", "rte", rest) \
    GT_CUDA__STORE(name "_rtz", "rtz", rest) GT_CUDA__STORE(name "_rtp", "rtp", rest) \
    GT_CUDA__STORE(name "_rtn", "rtn", rest)
#define GT_CUDA__HALVES(n, room) \
    GT_CUDA__STORES("_half" n, ", " n ", " n) GT_CUDA__STORES("a_half" n, ", " room ", " n) \
    "#define vload_half" n " gputune_load_half<" n ", " n ">\n" \
    "#define vloada_half" n " gputune_load_half<" room ", " n ">\n"

// A constant as double and float, the ends of a signed type, words of the prelude's own that end.
#define GT_CUDA__M(name, value) \
    "#define M_" name " " value "\n#define M_" name "_F " value "f\n"
#define GT_CUDA__ENDS(name, most) \
    "#define " name "_MAX " most "\n#define " name "_MIN (-" name "_MAX - 1)\n"
#define GT_CUDA__UNDEF(a, b, c, d) \
    "#undef " a "\n#undef " b "\n#undef " c "\n#undef " d "\n"

// OpenCL C on top of CUDA C++14, in front of every converted source. Compiled with
// -default-device, without any header. Several strings, because C99 promises no more than 4095
// characters of one. OpenCL's long has 64 bits, CUDA's only where the host's has.
static const char *const gt_cuda__prelude_parts[] = {
    // Errors: values that nobody uses, as of a literal not seen as one, and attributes ignored.
    "#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1105\n"
    "#pragma nv_diag_error 174,1290,1835,1866\n"
    "#endif\n"
    "#define __OPENCL_VERSION__ 120\n"
    "#define __OPENCL_C_VERSION__ 120\n"
    "#define CL_VERSION_1_0 100\n"
    "#define CL_VERSION_1_1 110\n"
    "#define CL_VERSION_1_2 120\n"
    "#define CL_VERSION_2_0 200\n"
    "#define CL_VERSION_3_0 300\n"
    "#define __ENDIAN_LITTLE__ 1\n"
    "#define cl_khr_fp64 1\n"
    "#define cl_khr_byte_addressable_store 1\n"
    "#define restrict __restrict__\n"
    "#define __typeof__ decltype\n"
    "#define reqd_work_group_size(x, y, z) launch_bounds((x) * (y) * (z))\n"
    "#define work_group_size_hint(x, y, z)\n"
    "#define vec_type_hint(t)\n"
    "#define overloadable\n"
    "#define register\n"
    "#define force __forceinline__\n"
    "typedef unsigned char uchar;\n"
    "typedef unsigned short ushort;\n"
    "typedef unsigned int uint;\n"
    "typedef unsigned long ulong;\n"
    "typedef size_t uintptr_t;\n"
    "typedef long intptr_t;\n"
    "typedef uint cl_mem_fence_flags;\n"
    "extern __shared__ __align__(16) char gputune_shared[];\n"
    // Work-items. A constant dimension leaves one expression.
    "#define gputune_axis(d, x, y, z) ((d) == 0 ? (x) : (d) == 1 ? (y) : (d) == 2 ? (z) : none)\n"
    "#define gputune_index(name, v, none_is) force size_t name(uint d) \\\n"
    "    { const uint none = none_is; return gputune_axis(d, v.x, v.y, v.z); }\n"
    "gputune_index(get_local_id, threadIdx, 0)\n"
    "gputune_index(get_group_id, blockIdx, 0)\n"
    "gputune_index(get_local_size, blockDim, 1)\n"
    "gputune_index(get_enqueued_local_size, blockDim, 1)\n"
    "gputune_index(get_num_groups, gridDim, 1)\n"
    "force size_t get_global_id(uint d)\n"
    "{ return get_group_id(d) * get_local_size(d) + get_local_id(d); }\n"
    "force size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }\n"
    "force size_t get_global_offset(uint) { return 0; }\n"
    "force uint get_work_dim()\n"
    "{\n"
    "    return gridDim.z * blockDim.z > 1 ? 3 : gridDim.y * blockDim.y > 1 ? 2 : 1;\n"
    "}\n"
    "#define CLK_LOCAL_MEM_FENCE 1\n"
    "#define CLK_GLOBAL_MEM_FENCE 2\n"
    "force void barrier(int) { __syncthreads(); }\n"
    "#define work_group_barrier(...) __syncthreads()\n"
    "force void mem_fence(int flags)\n"
    "{\n"
    "    if (flags & CLK_GLOBAL_MEM_FENCE) __threadfence();\n"
    "    else __threadfence_block();\n"
    "}\n"
    "#define read_mem_fence mem_fence\n"
    "#define write_mem_fence mem_fence\n"
    // Numbers.
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "#define HUGE_VALF INFINITY\n"
    "#define HUGE_VAL __longlong_as_double(0x7ff0000000000000)\n"
    "#define FLT_MAX 3.402823466e+38f\n"
    "#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-7f\n"
    "#define FLT_DIG 6\n"
    "#define FLT_RADIX 2\n"
    "#define FLT_MANT_DIG 24\n"
    "#define MAXFLOAT FLT_MAX\n"
    "#define DBL_MAX 1.7976931348623158e+308\n"
    "#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n"
    "#define CHAR_BIT 8\n"
    GT_CUDA__ENDS("CHAR", "127")
    GT_CUDA__ENDS("SCHAR", "127")
    "#define UCHAR_MAX 255\n"
    GT_CUDA__ENDS("SHRT", "32767")
    "#define USHRT_MAX 65535\n"
    GT_CUDA__ENDS("INT", "2147483647")
    "#define UINT_MAX 4294967295u\n"
    GT_CUDA__ENDS("LONG", "9223372036854775807L")
    "#define ULONG_MAX 18446744073709551615UL\n"
    GT_CUDA__M("E", "2.718281828459045")
    GT_CUDA__M("LN2", "0.6931471805599453")
    GT_CUDA__M("PI", "3.141592653589793")
    GT_CUDA__M("PI_2", "1.5707963267948966")
    GT_CUDA__M("PI_4", "0.7853981633974483")
    GT_CUDA__M("SQRT2", "1.4142135623730951")
    GT_CUDA__M("LOG2E", "1.4426950408889634")
    GT_CUDA__M("LOG10E", "0.4342944819032518")
    GT_CUDA__M("LN10", "2.302585092994046")
    GT_CUDA__M("1_PI", "0.3183098861837907")
    GT_CUDA__M("2_PI", "0.6366197723675814")
    GT_CUDA__M("2_SQRTPI", "1.1283791670955126")
    GT_CUDA__M("SQRT1_2", "0.7071067811865476"),

    // Storage; arithmetic is done in float.
    "struct half {\n"
    "    ushort bits;\n"
    "    half() = default;\n"
    "    force half(float f) { asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(bits) : \"f\"(f)); }\n"
    "    force operator float() const\n"
    "    {\n"
    "        float f;\n"
    "        asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(f) : \"h\"(bits));\n"
    "        return f;\n"
    "    }\n"
    "};\n"
    // Vectors. gputune_same keeps an argument out of deduction, gputune_scalar a vector out of a
    // template for scalars. Assigning to an rvalue, which v.xy and the like are, does not compile.
    "template <class T, int N> struct gputune_vec;\n"
    "template <class T> struct gputune_same { typedef T type; };\n"
    // Of a reference, what it refers to; merged kernels ask for it.
    "template <class T> struct gputune_value_of { typedef T type; };\n"
    "template <class T> struct gputune_value_of<T &> { typedef T type; };\n"
    "template <class T> using gputune_value = typename gputune_value_of<T>::type;\n"
    "#define gt__value(...) gputune_value<decltype(__VA_ARGS__)>\n"
    "template <class T> struct gputune_scalar { typedef T type; };\n"
    "template <class T, int N> struct gputune_scalar<gputune_vec<T, N>> {};\n"
    // No real number becomes an integer beside a vector.
    "template <class T> struct gputune_real { static const bool value = false; };\n"
    "#define gputune_x(T) \\\n"
    "    template <> struct gputune_real<T> { static const bool value = true; typedef T type; };\n"
    "gputune_x(float) gputune_x(double)\n"
    "#undef gputune_x\n"
    "template <> struct gputune_real<half> { static const bool value = true; };\n"
    "template <class T, class S, bool bad = gputune_real<S>::value && !gputune_real<T>::value>\n"
    "struct gputune_number { typedef T type; };\n"
    "template <class T, class S> struct gputune_number<T, S, true> {};\n"
    "template <class T, class S, int N> struct gputune_number<T, gputune_vec<S, N>, false> {};\n"
    "template <class, class R> using gputune_if = R;\n"
    "template <class T> struct gputune_unsigned;\n"
    "#define gputune_x(T) template <> struct gputune_unsigned<T> { typedef u##T type; }; \\\n"
    "    template <> struct gputune_unsigned<u##T> { typedef u##T type; };\n"
    "gputune_x(char) gputune_x(short) gputune_x(int) gputune_x(long)\n"
    "#undef gputune_x\n"
    "template <int bytes> struct gputune_int { typedef int type; };\n"
    "template <> struct gputune_int<1> { typedef char type; };\n"
    "template <> struct gputune_int<2> { typedef short type; };\n"
    "template <> struct gputune_int<8> { typedef long type; };\n"
    "template <class... A> struct gputune_count { static const int value = 0; };\n"
    "template <class A, class... R> struct gputune_count<A, R...> {\n"
    "    static const int value = 1 + gputune_count<R...>::value;\n"
    "};\n"
    "template <class T, int N, class... R>\n"
    "struct gputune_count<gputune_vec<T, N>, R...> {\n"
    "    static const int value = N + gputune_count<R...>::value;\n"
    "};\n"
    "template <class T> constexpr void gputune_put(T *) {}\n"
    "template <class T, class A, class... R> constexpr void gputune_put(T *to, A a, R... rest);\n"
    "template <class T, class U, int N, class... R>\n"
    "constexpr void gputune_put(T *to, gputune_vec<U, N> a, R... rest)\n"
    "{\n"
    "    for (int i = 0; i < N; i++) to[i] = a.s[i];\n"
    "    gputune_put(to + N, rest...);\n"
    "}\n"
    "template <class T, class A, class... R> constexpr void gputune_put(T *to, A a, R... rest)\n"
    "{\n"
    "    *to = (T)a;\n"
    "    gputune_put(to + 1, rest...);\n"
    "}\n"
    "template <class T, int... I> struct gputune_swizzle {\n"
    "    T *s;\n"
    "    template <class O> force void operator=(const O &o) const\n"
    "    {\n"
    "        const gputune_vec<T, sizeof...(I)> from(o);\n"
    "        int i = 0, x[] = { (s[I] = from.s[i++], 0)... };\n"
    "    }\n"
    "#define gputune_x(op) template <class O> force void operator op##=(const O &o) const \\\n"
    "    { *this = gputune_vec<T, sizeof...(I)>(s[I]...) op o; }\n"
    "    gputune_x(+) gputune_x(-) gputune_x(*) gputune_x(/) gputune_x(%) gputune_x(&)\n"
    "    gputune_x(|) gputune_x(^) gputune_x(<<) gputune_x(>>)\n"
    "#undef gputune_x\n"
    "};\n",

    "#define gputune_list(...) __VA_ARGS__\n"
    "#define gputune_vector(N, room, all, ...) \\\n"
    "    template <class T> struct alignas(room * sizeof(T)) gputune_vec<T, N> { \\\n"
    "    union { T s[room]; __VA_ARGS__ }; \\\n"
    "    gputune_vec() = default; \\\n"
    "    gputune_vec(const gputune_vec &) = default; \\\n"
    "    gputune_vec &operator=(const gputune_vec &) & = default; \\\n"
    "    force constexpr gputune_vec(T a) : s{ gputune_list all } {} \\\n"
    "    template <class A, class B, class... R> \\\n"
    "    force constexpr gputune_vec(A a, B b, R... rest) : s{} \\\n"
    "    { \\\n"
    "        static_assert(gputune_count<A, B, R...>::value == N, \"components of a vector\"); \\\n"
    "        gputune_put(s, a, b, rest...); \\\n"
    "    } \\\n"
    "    template <int... I> force gputune_vec<T, sizeof...(I)> gputune_get() const \\\n"
    "    { return gputune_vec<T, sizeof...(I)>(s[I]...); } \\\n"
    "    template <int... I> force gputune_swizzle<T, I...> gputune_ref() & \\\n"
    "    { return gputune_swizzle<T, I...>{ s }; } }\n"
    "gputune_vector(2, 2, (a, a), struct { T x, y; }; struct { T s0, s1; };\n"
    "               struct { T lo, hi; };);\n"
    "gputune_vector(3, 4, (a, a, a), struct { T x, y, z; }; struct { T s0, s1, s2; };\n"
    "               struct { gputune_vec<T, 2> lo; T hi; };);\n"
    "gputune_vector(4, 4, (a, a, a, a), struct { T x, y, z, w; }; struct { T s0, s1, s2, s3; };\n"
    "               struct { gputune_vec<T, 2> lo, hi; };);\n"
    "gputune_vector(8, 8, (a, a, a, a, a, a, a, a), struct { T s0, s1, s2, s3, s4, s5, s6, s7; };\n"
    "               struct { gputune_vec<T, 4> lo, hi; };);\n"
    "gputune_vector(16, 16, (a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a),\n"
    "    struct { T s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, sa, sb, sc, sd, se, sf; };\n"
    "    struct { gputune_vec<T, 8> lo, hi; };);\n"
    // Operators.
    "#define each _Pragma(\"unroll\") for (int i = 0; i < N; i++)\n"
    "#define V gputune_vec<T, N>\n"
    "#define any_vec template <class T, int N> force\n"
    "#define same typename gputune_same<V>::type\n"
    "#define same_T typename gputune_same<T>::type\n"
    "#define flags gputune_vec<typename gputune_int<sizeof(T)>::type, N>\n"
    "#define vec_and template <class T, int N, class S> force\n"
    "#define number typename gputune_number<T, S>::type\n"
    "#define with_scalars(R, o) \\\n"
    "    vec_and gputune_if<number, R> operator o(V a, S b) { return a o V((T)b); } \\\n"
    "    vec_and gputune_if<number, R> operator o(S a, V b) { return V((T)a) o b; }\n"
    "#define op(o) \\\n"
    "    any_vec V operator o(V a, V b) { V r; each r.s[i] = a.s[i] o b.s[i]; return r; } \\\n"
    "    with_scalars(V, o) \\\n"
    "    vec_and V &operator o##=(V &a, const S &b) { return a = a o b; }\n"
    "#define shift(o) \\\n"
    "    vec_and V operator o(V a, gputune_vec<S, N> b) \\\n"
    "    { V r; each r.s[i] = a.s[i] o (b.s[i] & (8 * sizeof(T) - 1)); return r; } \\\n"
    "    with_scalars(V, o) \\\n"
    "    vec_and V &operator o##=(V &a, const S &b) { return a = a o b; }\n"
    "op(+) op(-) op(*) op(/) op(%) op(&) op(|) op(^) shift(<<) shift(>>)\n"
    "#define compare(o) \\\n"
    "    any_vec flags operator o(V a, V b) \\\n"
    "    { flags r; each r.s[i] = -(a.s[i] o b.s[i]); return r; } \\\n"
    "    with_scalars(flags, o)\n"
    "compare(==) compare(!=) compare(<) compare(>) compare(<=) compare(>=)\n"
    "compare(&&) compare(||)\n"
    "any_vec constexpr V operator-(V a)\n"
    "{ for (int i = 0; i < N; i++) a.s[i] = -a.s[i]; return a; }\n",

    "any_vec V operator+(V a) { return a; }\n"
    "any_vec V operator~(V a) { each a.s[i] = ~a.s[i]; return a; }\n"
    "any_vec flags operator!(V a) { return a == V(0); }\n"
    "any_vec V &operator++(V &a) { return a += V(1); }\n"
    "any_vec V &operator--(V &a) { return a -= V(1); }\n"
    "any_vec V operator++(V &a, int) { V old = a; a += V(1); return old; }\n"
    "any_vec V operator--(V &a, int) { V old = a; a -= V(1); return old; }\n"
    // Functions: those of scalars by component, and what OpenCL has beside CUDA.
    "#define fn1(f) any_vec V f(V a) { each a.s[i] = f(a.s[i]); return a; }\n"
    "#define fn2(f) any_vec V f(V a, same b) { each a.s[i] = f(a.s[i], b.s[i]); return a; }\n"
    "#define fn3(f) any_vec V f(V a, same b, same c) \\\n"
    "    { each a.s[i] = f(a.s[i], b.s[i], c.s[i]); return a; }\n"
    "#define real1(f, value) force float f(float a) { return value; } \\\n"
    "    force double f(double a) { return value; } fn1(f)\n"
    "#define real2(f, value) force float f(float a, float b) { return value; } \\\n"
    "    force double f(double a, double b) { return value; } fn2(f)\n"
    "#define real3(f, value) force float f(float a, float b, float c) { return value; } \\\n"
    "    force double f(double a, double b, double c) { return value; } fn3(f)\n"
    "#define fast1(f, value) force float native_##f(float a) { return value; } \\\n"
    "    fn1(native_##f) force float half_##f(float a) { return value; } fn1(half_##f)\n"
    "#define fast2(f, value) force float native_##f(float a, float b) { return value; } \\\n"
    "    fn2(native_##f) \\\n"
    "    force float half_##f(float a, float b) { return value; } fn2(half_##f)\n"
    "force float gputune_sqrt(float a)\n"
    "{\n"
    "    float r;\n"
    "    asm(\"sqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(r) : \"f\"(a));\n"
    "    return r;\n"
    "}\n"
    "fn1(sqrt) fn1(rsqrt) fn1(cbrt) fn1(fabs) fn1(floor) fn1(ceil) fn1(round) fn1(rint)\n"
    "fn1(trunc)\n"
    "fn1(exp) fn1(exp2) fn1(exp10) fn1(expm1) fn1(log) fn1(log2) fn1(log10) fn1(log1p)\n"
    "fn1(sin) fn1(cos) fn1(tan) fn1(asin) fn1(acos) fn1(atan) fn1(sinh) fn1(cosh) fn1(tanh)\n"
    "fn1(acosh) fn1(asinh) fn1(atanh) fn1(sinpi) fn1(cospi) fn1(erf) fn1(erfc) fn1(lgamma)\n"
    "fn1(tgamma) fn1(logb)\n"
    "fn2(fmin) fn2(fmax) fn2(fmod) fn2(pow) fn2(atan2) fn2(hypot) fn2(copysign) fn2(fdim)\n"
    "fn2(nextafter) fn2(remainder) fn2(min) fn2(max) fn3(fma)\n"
    "real1(sign, a > 0 ? 1 : a < 0 ? -1 : a == 0 ? a : 0)\n"
    "real1(degrees, a * (decltype(a))57.29577951308232)\n"
    "real1(radians, a * (decltype(a))0.017453292519943295)\n"
    "real2(powr, a < 0 ? NAN : pow(a, b)) real2(step, b < a ? 0 : 1)\n"
    "real3(mad, a * b + c) real3(mix, a + (b - a) * c)\n"
    "real2(gputune_hermite, a * a * (3 - 2 * a))\n"
    "real3(smoothstep, gputune_hermite(fmin(fmax((c - a) / (b - a), 0), 1), 0))\n"
    "any_vec V step(same_T a, V b) { return step(V(a), b); }\n"
    "any_vec V smoothstep(same_T a, same_T b, V c)\n"
    "{ return smoothstep(V(a), V(b), c); }\n"
    "force float pown(float a, int b) { return pow(a, b); }\n"
    "force double pown(double a, int b) { return pow(a, b); }\n"
    "force float sincos(float a, float *c) { float s; sincosf(a, &s, c); return s; }\n"
    "force double sincos(double a, double *c) { double s; sincos(a, &s, c); return s; }\n"
    "force float nan(uint bits) { return __int_as_float(0x7fc00000 | bits); }\n"
    "force float nan(int bits) { return nan((uint)bits); }\n"
    "fast1(sin, __sinf(a)) fast1(cos, __cosf(a)) fast1(tan, __tanf(a)) fast1(exp, __expf(a))\n"
    "fast1(exp2, exp2f(a)) fast1(exp10, __exp10f(a))\n"
    "fast1(log, __logf(a)) fast1(log2, __log2f(a))\n"
    "fast1(log10, __log10f(a)) fast1(sqrt, gputune_sqrt(a)) fast1(rsqrt, rsqrtf(a))\n"
    "fast1(recip, __fdividef(1, a)) fast2(divide, __fdividef(a, b)) fast2(powr, __powf(a, b))\n",

    "#define scalar typename gputune_scalar<T>::type\n"
    "#define sat(name, r_is, above, most, over) \\\n"
    "    template <class T> force scalar name(T a, same_T b) \\\n"
    "    { \\\n"
    "        const T r = (T)((ulong)a r_is (ulong)b), top = (T)(~0UL >> (65 - 8 * sizeof(T))); \\\n"
    "        if ((T)0.5f == 0 && (T)-1 > (T)1) return above ? most : r; \\\n"
    "        return (long)(over) < 0 ? ((long)a < 0 ? (T)~top : top) : r; \\\n"
    "    } \\\n"
    "    fn2(name)\n"
    "sat(add_sat, +, r < a, (T)~(T)0, (a ^ r) & (b ^ r))\n"
    "sat(sub_sat, -, a < b, (T)0, (a ^ b) & (a ^ r))\n"
    "template <class T> force scalar hadd(T a, same_T b)\n"
    "{ return (T)((a & b) + ((a ^ b) >> 1)); }\n"
    "template <class T> force scalar rhadd(T a, same_T b)\n"
    "{ return (T)((a | b) - ((a ^ b) >> 1)); }\n"
    "template <class T> force scalar ctz(T a)\n"
    "{\n"
    "    const ulong u = (ulong)a;\n"
    "    return (T)__popcll(~u & (u - 1) & (~0UL >> (64 - 8 * sizeof(T))));\n"
    "}\n"
    "template <class T> force scalar bitselect(T a, T b, T c) { return (a & ~c) | (b & c); }\n"
    "#define bits_of(T, I, to, from) \\\n"
    "    force T bitselect(T a, T b, T c) { return to((I)bitselect(from(a), from(b), from(c))); }\n"
    "bits_of(float, int, __int_as_float, __float_as_int)\n"
    "bits_of(double, long, __longlong_as_double, __double_as_longlong)\n"
    "fn2(hadd) fn2(rhadd) fn1(ctz) fn3(bitselect)\n"
    "#define test(f, x, value) any_vec flags f(V a) \\\n"
    "    { flags r; each { const T x = a.s[i]; r.s[i] = -(value); } return r; }\n"
    "test(isnan, x, x != x) test(isinf, x, x == x && x - x != 0) test(isfinite, x, x - x == 0)\n"
    "test(signbit, x, x < 0 || (x == 0 && 1 / x < 0))\n"
    "template <class T> force T fract(same_T a, T *whole)\n"
    "{\n"
    "    *whole = floor(a);\n"
    "    return a != a ? a : a - a != 0 ? 0\n"
    "           : fmin(a - floor(a), (T)(sizeof(T) == 8 ? 0.99999999999999989 : 0.99999994f));\n"
    "}\n",

    // Of scalars of several types, as C's own operators.
    "#define sum_of(a, ...) decltype(typename gputune_scalar<a>::type() __VA_ARGS__)\n"
    "#define plus(a) + typename gputune_scalar<a>::type()\n"
    "template <class T> force scalar clamp(T a, T b, T c) { return min(max(a, b), c); }\n"
    "template <class A, class B, class C> force sum_of(A, plus(B) plus(C)) clamp(A a, B b, C c)\n"
    "{ typedef decltype(a + b + c) R; return min(max((R)a, (R)b), (R)c); }\n"
    "fn3(clamp)\n"
    "template <class A, class B> force sum_of(A, plus(B)) mul24(A a, B b) { return a * b; }\n"
    "fn2(mul24)\n"
    "template <class A, class B, class C> force sum_of(A, plus(B) plus(C)) mad24(A a, B b, C c)\n"
    "{ return a * b + c; }\n"
    "fn3(mad24)\n"
    "template <class T> force scalar rotate(T a, T b)\n"
    "{\n"
    "    const int bits = 8 * sizeof(T), n = (int)b & (bits - 1);\n"
    "    const ulong u = (ulong)a & (~0UL >> (64 - bits));\n"
    "    return (T)(u << n | (n ? u >> (bits - n) : 0));\n"
    "}\n"
    "force int rotate(int a, int b) { return (int)__funnelshift_l(a, a, b); }\n"
    "force uint rotate(uint a, uint b) { return __funnelshift_l(a, a, b); }\n"
    "fn2(rotate)\n"
    "template <class T> force scalar popcount(T a)\n"
    "{\n"
    "    return (T)__popcll((ulong)a & (~0UL >> (64 - 8 * sizeof(T))));\n"
    "}\n"
    "force int popcount(int a) { return __popc(a); }\n"
    "force uint popcount(uint a) { return __popc(a); }\n"
    "fn1(popcount)\n"
    "template <class T> force scalar clz(T a)\n"
    "{\n"
    "    const int bits = 8 * sizeof(T);\n"
    "    return (T)(__clzll((long long)((ulong)a & (~0UL >> (64 - bits)))) - (64 - bits));\n"
    "}\n"
    "fn1(clz)\n"
    "template <class T> force scalar mul_hi(T a, T b)\n"
    "{ return (T)((long)a * (long)b >> 8 * sizeof(T)); }\n"
    "force int mul_hi(int a, int b) { return __mulhi(a, b); }\n"
    "force uint mul_hi(uint a, uint b) { return __umulhi(a, b); }\n"
    "force long mul_hi(long a, long b) { return __mul64hi(a, b); }\n"
    "force ulong mul_hi(ulong a, ulong b) { return __umul64hi(a, b); }\n"
    "fn2(mul_hi)\n"
    "#define unsigned_of(T) typename gputune_unsigned<T>::type\n"
    "template <class T> force unsigned_of(T) gputune_abs(T a)\n"
    "{ return (unsigned_of(T))(a < 1 ? 0 - (unsigned_of(T))a : (unsigned_of(T))a); }\n"
    "template <class T> force unsigned_of(T) abs_diff(T a, same_T b)\n"
    "{\n"
    "    return (unsigned_of(T))(a < b ? (unsigned_of(T))b - (unsigned_of(T))a\n"
    "                                  : (unsigned_of(T))a - (unsigned_of(T))b);\n"
    "}\n"
    "any_vec gputune_vec<unsigned_of(T), N> gputune_abs(V a)\n"
    "{ gputune_vec<unsigned_of(T), N> r; each r.s[i] = gputune_abs(a.s[i]); return r; }\n"
    "any_vec gputune_vec<unsigned_of(T), N> abs_diff(V a, V b)\n"
    "{ gputune_vec<unsigned_of(T), N> r; each r.s[i] = abs_diff(a.s[i], b.s[i]); return r; }\n"
    "#define abs gputune_abs\n"
    "template <class T, class C> force scalar select(T a, T b, C c) { return c ? b : a; }\n"
    "template <class T, class C, int N> force V select(V a, V b, gputune_vec<C, N> c)\n"
    "{\n"
    "    static_assert(sizeof(T) == sizeof(C), \"select: a condition of another size\");\n"
    "    each a.s[i] = (typename gputune_int<sizeof(C)>::type)c.s[i] < 0 ? b.s[i] : a.s[i];\n"
    "    return a;\n"
    "}\n"
    "any_vec int any(V a) { int r = 0; each r |= a.s[i] < 0; return r; }\n"
    "any_vec int all(V a) { int r = 1; each r &= a.s[i] < 0; return r; }\n"
    "force int any(int a) { return a < 0; }\n"
    "force int all(int a) { return a < 0; }\n"
    "force int any(long a) { return a < 0; }\n"
    "force int all(long a) { return a < 0; }\n",

    // Reals that CUDA lacks. Templates: a later CUDA may have functions of these names.
    "#define of_real(R) template <class T> force gputune_if<typename gputune_real<T>::type, R>\n"
    "#define by_pi(f) of_real(T) f##pi(T a) { return f(a) * (T)M_1_PI; } fn1(f##pi)\n"
    "by_pi(acos) by_pi(asin) by_pi(atan)\n"
    "of_real(T) tanpi(T a) { return sinpi(a) / cospi(a); }\n"
    "of_real(T) atan2pi(T a, same_T b) { return atan2(a, b) * (T)M_1_PI; }\n"
    "of_real(T) maxmag(T a, same_T b)\n"
    "{ return fabs(a) > fabs(b) ? a : fabs(b) > fabs(a) ? b : fmax(a, b); }\n"
    "of_real(T) minmag(T a, same_T b)\n"
    "{ return fabs(a) < fabs(b) ? a : fabs(b) < fabs(a) ? b : fmin(a, b); }\n"
    "fn1(tanpi) fn2(atan2pi) fn2(maxmag) fn2(minmag)\n"
    // The power of two apart: 1 / n is rounded, and its error grows with the logarithm of a.
    "of_real(T) rootn(T a, int n)\n"
    "{\n"
    "    const int k = n && a != 0 && a - a == 0 ? ilogb(a) / n : 0;\n"
    "    const T r = ldexp(pow(ldexp(fabs(a), -k * n), 1 / (T)n), k);\n"
    "    return n == 0 || (a < 0 && n % 2 == 0) ? (T)NAN : n % 2 ? copysign(r, a) : r;\n"
    "}\n"
    "of_real(T) lgamma_r(T a, int *sign)\n"
    "{ *sign = fmod(floor(a), (T)2) < 0 ? -1 : 1; return lgamma(a); }\n"
    "of_real(int) isnormal(T a)\n"
    "{ return a - a == 0 && fabs(a) >= (sizeof(T) == 8 ? (T)DBL_MIN : (T)FLT_MIN); }\n"
    "test(isnormal, x, isnormal(x))\n"
    "#define relation(f, value) template <class A, class B> force \\\n"
    "    gputune_if<sum_of(A, plus(B)), int> f(A a, B b) { return value; } \\\n"
    "    any_vec flags f(V a, same b) { return value; }\n"
    "relation(isequal, a == b) relation(isnotequal, a != b) relation(isgreater, a > b)\n"
    "relation(isgreaterequal, a >= b) relation(isless, a < b) relation(islessequal, a <= b)\n"
    "relation(islessgreater, a < b || a > b) relation(isordered, a == a && b == b)\n"
    "relation(isunordered, a != a || b != b)\n"
    "#define fn_n(f) any_vec V f(V a, typename gputune_same<gputune_vec<int, N>>::type b) \\\n"
    "    { each a.s[i] = f(a.s[i], b.s[i]); return a; }\n"
    "fn_n(ldexp) fn_n(pown) fn_n(rootn)\n"
    "#define fn_to(f, S) any_vec V f(V a, gputune_vec<S, N> *b) \\\n"
    "    { each a.s[i] = f(a.s[i], &b->s[i]); return a; }\n"
    "fn_to(fract, T) fn_to(modf, T) fn_to(sincos, T) fn_to(frexp, int) fn_to(lgamma_r, int)\n"
    // Seven bits of the quotient; CUDA's has three.
    "of_real(T) gputune_remquo(T a, same_T b, int *n)\n"
    "{\n"
    "    const T r = remainder(a, b);\n"
    "    *n = r == r && b - b == 0 ? (int)rint((fmod(a, 128 * b) - r) / b) : 0;\n"
    "    return r;\n"
    "}\n"
    "any_vec V gputune_remquo(V a, V b, gputune_vec<int, N> *n)\n"
    "{ each a.s[i] = gputune_remquo(a.s[i], b.s[i], &n->s[i]); return a; }\n"
    "#define remquo gputune_remquo\n"
    "any_vec gputune_vec<int, N> ilogb(V a)\n"
    "{ gputune_vec<int, N> r; each r.s[i] = ilogb(a.s[i]); return r; }\n"
    "force double nan(ulong bits)\n"
    "{ return __longlong_as_double((long long)(bits | 0x7ff8000000000000)); }\n"
    "#define nans(R, U) template <int N> force gputune_vec<R, N> nan(gputune_vec<U, N> a) \\\n"
    "    { gputune_vec<R, N> r; each r.s[i] = nan(a.s[i]); return r; }\n"
    "nans(float, uint) nans(double, ulong)\n",

    "any_vec T dot(V a, V b)\n"
    "{\n"
    "    T r = a.s[0] * b.s[0];\n"
    "    for (int i = 1; i < N; i++) r += a.s[i] * b.s[i];\n"
    "    return r;\n"
    "}\n"
    "force float dot(float a, float b) { return a * b; }\n"
    "force double dot(double a, double b) { return a * b; }\n"
    // A power of two that keeps squares which sum up to r in range.
    "template <class T> force T gputune_scale(T r)\n"
    "{\n"
    "    const bool wide = sizeof(T) == 8;\n"
    "    return r < (T)(wide ? 1e-290 : 1e-30) ? (T)(wide ? 4.149515568880993e180\n"
    "                                                     : 7.737125245533627e25)\n"
    "           : r > (T)(wide ? 1e290 : 1e30) ? (T)(wide ? 2.409919865102884e-181\n"
    "                                                     : 8.470329472543003e-22)\n"
    "                                          : (T)1;\n"
    "}\n"
    "any_vec T length(V a)\n"
    "{\n"
    "    const T r = dot(a, a), k = gputune_scale(r);\n"
    "    return k == 1 ? sqrt(r) : sqrt(dot(a * k, a * k)) / k;\n"
    "}\n"
    "any_vec T distance(V a, V b) { return length(a - b); }\n"
    "any_vec V normalize(V a)\n"
    "{\n"
    "    T r = dot(a, a);\n"
    "    const T k = gputune_scale(r);\n"
    "    if (k != 1) a = a * k, r = dot(a, a);\n"
    "    return r == 0 ? a : a * rsqrt(r);\n"
    "}\n"
    "any_vec T fast_length(V a) { return native_sqrt(dot(a, a)); }\n"
    "any_vec T fast_distance(V a, V b) { return fast_length(a - b); }\n"
    "any_vec V fast_normalize(V a)\n"
    "{\n"
    "    const T r = dot(a, a);\n"
    "    return r == 0 ? a : a * rsqrt(r);\n"
    "}\n"
    "#define one_dimension(T) \\\n"
    "    force T length(T a) { return fabs(a); } \\\n"
    "    force T fast_length(T a) { return fabs(a); } \\\n"
    "    force T distance(T a, T b) { return fabs(a - b); } \\\n"
    "    force T fast_distance(T a, T b) { return fabs(a - b); } \\\n"
    "    force T normalize(T a) { return sign(a); } \\\n"
    "    force T fast_normalize(T a) { return sign(a); }\n"
    "one_dimension(float) one_dimension(double)\n"
    "any_vec V cross(V a, V b)\n"
    "{\n"
    "    static_assert(N == 3 || N == 4, \"cross: 3 or 4 components\");\n"
    "    V r(0);\n"
    "    r.x = a.y * b.z - a.z * b.y;\n"
    "    r.y = a.z * b.x - a.x * b.z;\n"
    "    r.z = a.x * b.y - a.y * b.x;\n"
    "    return r;\n"
    "}\n",

    // Conversions: the words convert_T and as_T become these.
    "template <class To, class A> force To gputune_as(A a)\n"
    "{\n"
    "    static_assert(sizeof(To) == sizeof(A), \"as_: another size\");\n"
    "    To r;\n"
    "    memcpy(&r, &a, sizeof r);\n"
    "    return r;\n"
    "}\n"
    "template <class A> force A gputune_plain(A a) { return a; }\n"
    "force float gputune_plain(half a) { return a; }\n"
    "enum { gputune_any, gputune_rte, gputune_rtz, gputune_rtp, gputune_rtn, gputune_sat = 8,\n"
    "    gputune_sat_rte, gputune_sat_rtz, gputune_sat_rtp, gputune_sat_rtn };\n"
    "template <class A> force A gputune_round(int, A a) { return a; }\n"
    "#define round_real(A) force A gputune_round(int mode, A a) \\\n"
    "    { return mode == gputune_rte ? rint(a) : mode == gputune_rtp ? ceil(a) \\\n"
    "             : mode == gputune_rtn ? floor(a) : a; }\n"
    "round_real(float) round_real(double)\n"
    "template <class To, class A> force To gputune_clip(A a, To least, To most)\n"
    "{\n"
    "    if ((A)0.5 != (A)0)\n"
    "        return a != a ? (To)0 : a <= (A)least ? least : a >= (A)most ? most : (To)a;\n"
    "    if (a < 1 && a != 0 && (least == 0 || (long)a < (long)least)) return least;\n"
    "    return a > 0 && (ulong)a > (ulong)most ? most : (To)a;\n"
    "}\n"
    "template <class To, int mode> struct gputune_cast {\n"
    "    template <class A> static force To of(A given)\n"
    "    {\n"
    "        auto a = gputune_plain(given);\n"
    "        if ((float)(To)0.5f != 0) {\n"
    "            static_assert(mode < 2 || (float)(To)0.5f == 0, \"convert_: rounded reals\");\n"
    "            return (To)a;\n"
    "        }\n"
    "        a = gputune_round(mode & 7, a);\n"
    "        const bool is_signed = (To)-1 < (To)0;\n"
    "        const ulong ones = ~0UL >> (64 - 8 * sizeof(To));\n"
    "        return mode & 8 ? gputune_clip(a, (To)(is_signed ? ~(ones >> 1) : 0),\n"
    "                                  (To)(is_signed ? ones >> 1 : ones))\n"
    "                   : (To)a;\n"
    "    }\n"
    "};\n"
    "template <class T, int N, int mode> struct gputune_cast<V, mode> {\n"
    "    template <class A> static force V of(gputune_vec<A, N> a)\n"
    "    {\n"
    "        V r;\n"
    "        each r.s[i] = gputune_cast<T, mode>::of(a.s[i]);\n"
    "        return r;\n"
    "    }\n"
    "};\n"
    "template <class To, int mode = gputune_any, class A>\n"
    "force To gputune_convert(A a)\n"
    "{\n"
    "    return gputune_cast<To, mode>::of(a);\n"
    "}\n"
    // Integers of twice and more bits.
    "force long mad_sat(long a, long b, long c)\n"
    "{\n"
    "    const ulong r = (ulong)a * (ulong)b + (ulong)c;\n"
    "    const long high = mul_hi(a, b) + (r < (ulong)c) - (c < 0);\n"
    "    return high == (long)r >> 63 ? (long)r : high < 0 ? LONG_MIN : LONG_MAX;\n"
    "}\n"
    "force ulong mad_sat(ulong a, ulong b, ulong c)\n"
    "{ return mul_hi(a, b) || a * b + c < c ? ULONG_MAX : a * b + c; }\n"
    "template <class T> force scalar mad_sat(T a, T b, T c)\n"
    "{\n"
    "    return (T)-1 < (T)0\n"
    "               ? gputune_convert<T, gputune_sat>(mad_sat((long)a, (long)b, (long)c))\n"
    "               : gputune_convert<T, gputune_sat>(mad_sat((ulong)a, (ulong)b, (ulong)c));\n"
    "}\n"
    "template <class T> force scalar mad_hi(T a, T b, T c)\n"
    "{ return (T)((ulong)mul_hi(a, b) + (ulong)c); }\n"
    "fn3(mad_sat) fn3(mad_hi)\n"
    "#define twice(T, U, R) force R upsample(T a, U b) \\\n"
    "    { return (R)((R)a << 8 * sizeof(T) | b); } template <int N> force \\\n"
    "    gputune_vec<R, N> upsample(gputune_vec<T, N> a, gputune_vec<U, N> b) \\\n"
    "    { gputune_vec<R, N> r; each r.s[i] = upsample(a.s[i], b.s[i]); return r; }\n"
    "twice(char, uchar, short) twice(uchar, uchar, ushort) twice(short, ushort, int)\n"
    "twice(ushort, ushort, uint) twice(int, uint, long) twice(uint, uint, ulong)\n"
    // Of a mask only the bits that number the components count.
    "template <class T, class U, int M, int N> force\n"
    "gputune_vec<T, N> shuffle2(gputune_vec<T, M> a, gputune_vec<T, M> b, gputune_vec<U, N> mask)\n"
    "{\n"
    "    static_assert(M != 3 && N != 3, \"shuffle: 3 components\");\n"
    "    gputune_vec<T, N> r;\n"
    "    each r.s[i] = (mask.s[i] & M ? b : a).s[mask.s[i] & (M - 1)];\n"
    "    return r;\n"
    "}\n"
    "template <class T, class U, int M, int N> force\n"
    "gputune_vec<T, N> shuffle(gputune_vec<T, M> a, gputune_vec<U, N> mask)\n"
    "{ return shuffle2(a, a, mask); }\n",

    // Memory. A half that CUDA rounded to even takes one step where the mode asks for another.
    "force half gputune_halved(float a) { return a; }\n"
    "force half gputune_halved(double a)\n"
    "{\n"
    "    half r;\n"
    "    asm(\"cvt.rn.f16.f64 %0, %1;\" : \"=h\"(r.bits) : \"d\"(a));\n"
    "    return r;\n"
    "}\n"
    "template <int mode, class T> force half gputune_to_half(T a)\n"
    "{\n"
    "    half r = gputune_halved(a);\n"
    "    const T b = (float)r;\n"
    "    const bool above = fabs(b) > fabs(a);\n"
    "    if (mode == gputune_rtz ? above : mode == gputune_rtp ? b < a\n"
    "                                                          : mode == gputune_rtn && b > a)\n"
    "        r.bits += above ? -1 : 1;\n"
    "    return r;\n"
    "}\n"
    "template <int mode, int step, int N, class T> force\n"
    "void gputune_store_half(gputune_vec<T, N> v, size_t at, half *p)\n"
    "{ each p[at * step + i] = gputune_to_half<mode>(v.s[i]); }\n"
    "template <int mode, class T> force void gputune_store_half(T v, size_t at, half *p)\n"
    "{ p[at] = gputune_to_half<mode>(v); }\n"
    "template <int step, int N> force\n"
    "gputune_vec<float, N> gputune_load_half(size_t at, const half *p)\n"
    "{ gputune_vec<float, N> r; each r.s[i] = p[at * step + i]; return r; }\n"
    "#define memory(n) \\\n"
    "    template <class T> force gputune_vec<T, n> vload##n(size_t at, const T *p) \\\n"
    "    { gputune_vec<T, n> r; const int N = n; each r.s[i] = p[at * N + i]; return r; } \\\n"
    "    template <class T> force \\\n"
    "    void vstore##n(gputune_vec<T, n> v, size_t at, same_T *p) \\\n"
    "    { const int N = n; each p[at * N + i] = v.s[i]; }\n"
    "memory(2) memory(3) memory(4) memory(8) memory(16)\n"
    "force float vload_half(size_t at, const half *p) { return p[at]; }\n"
    "#define prefetch(p, n) ((void)(p), (void)(n))\n",

    // Atomics: the types that CUDA's functions take for T.
    "template <class T> struct gputune_atom;\n"
    "template <> struct gputune_atom<int> { typedef int type, wide; };\n"
    "template <> struct gputune_atom<uint> { typedef uint type, wide; };\n"
    "template <> struct gputune_atom<float> { typedef float type, wide; };\n"
    "template <> struct gputune_atom<double> { typedef double type, wide; };\n"
    "template <> struct gputune_atom<long> {\n"
    "    typedef unsigned long long type;\n"
    "    typedef long long wide;\n"
    "};\n"
    "template <> struct gputune_atom<ulong> { typedef unsigned long long type, wide; };\n"
    "#define atomic(name, call, width) \\\n"
    "    template <class T> force T atomic_##name(volatile T *p, same_T v) \\\n"
    "    { \\\n"
    "        typedef typename gputune_atom<T>::width A; \\\n"
    "        return (T)call((A *)p, (A)v); \\\n"
    "    } \\\n"
    "    template <class T> force T atom_##name(volatile T *p, same_T v) \\\n"
    "    { return atomic_##name(p, v); }\n"
    "atomic(add, atomicAdd, type) atomic(xchg, atomicExch, type) atomic(min, atomicMin, wide)\n"
    "atomic(max, atomicMax, wide) atomic(and, atomicAnd, type) atomic(or, atomicOr, type)\n"
    "atomic(xor, atomicXor, type)\n"
    "template <class T> force\n"
    "T atomic_sub(volatile T *p, same_T v)\n"
    "{ return atomic_add(p, 0 - v); }\n"
    "template <class T> force T atomic_inc(volatile T *p) { return atomic_add(p, 1); }\n"
    "template <class T> force T atomic_dec(volatile T *p) { return atomic_sub(p, 1); }\n"
    "#define atom_sub atomic_sub\n"
    "#define atom_inc atomic_inc\n"
    "#define atom_dec atomic_dec\n"
    "template <class T> force\n"
    "T atomic_cmpxchg(volatile T *p, same_T a, same_T b)\n"
    "{\n"
    "    typedef typename gputune_atom<T>::type A;\n"
    "    return (T)atomicCAS((A *)p, (A)a, (A)b);\n"
    "}\n"
    "#define atom_cmpxchg atomic_cmpxchg\n"
    GT_CUDA__UNDEF("force", "each", "V", "any_vec")
    GT_CUDA__UNDEF("same", "unsigned_of", "flags", "op")
    GT_CUDA__UNDEF("shift", "with_scalars", "vec_and", "number")
    GT_CUDA__UNDEF("compare", "fn1", "fn2", "fn3")
    GT_CUDA__UNDEF("real1", "real2", "real3", "fast1")
    GT_CUDA__UNDEF("fast2", "scalar", "sum_of", "plus")
    GT_CUDA__UNDEF("sat", "test", "nans", "round_real")
    GT_CUDA__UNDEF("memory", "atomic", "gputune_axis", "gputune_index")
    GT_CUDA__UNDEF("of_real", "by_pi", "relation", "twice")
    GT_CUDA__UNDEF("fn_n", "fn_to", "bits_of", "gputune_x")
    GT_CUDA__UNDEF("gputune_vector", "same_T", "one_dimension", "gputune_list"),

    GT_CUDA__VECTORS("char") GT_CUDA__VECTORS("uchar") GT_CUDA__VECTORS("short"),
    GT_CUDA__VECTORS("ushort") GT_CUDA__VECTORS("int") GT_CUDA__VECTORS("uint"),
    GT_CUDA__VECTORS("long") GT_CUDA__VECTORS("ulong") GT_CUDA__VECTORS("float"),
    GT_CUDA__VECTORS("double") GT_CUDA__VECTORS("half"),
    GT_CUDA__STORES("_half", "") GT_CUDA__HALVES("2", "2") GT_CUDA__HALVES("3", "4"),
    GT_CUDA__HALVES("4", "4") GT_CUDA__HALVES("8", "8"), GT_CUDA__HALVES("16", "16"),
    NULL
};

// The prelude as one text, or NULL; freed by the caller through gputune_reallocate.
static char *gt_cuda__prelude(const gputune_options *options)
{
    const char *const *part = gt_cuda__prelude_parts;
    size_t length = 1;
    char *text;
    for (; *part; part++) length += strlen(*part);
    text = (char *)gputune_reallocate(options, NULL, length);
    if (text) *text = 0;
    for (part = gt_cuda__prelude_parts; text && *part; part++) strcat(text, *part);
    return text;
}

// -----
// [compile]
// -----

// A binary: this head, the kernel's lowered name with zeros up to a multiple of 16 bytes, then what
// the driver loads: a cubin, or PTX with its NUL.
typedef struct gt_cuda__head {
    char magic[8];
    uint32_t name_bytes; // zeros included
    uint32_t access;     // bytes that it reads or writes in global memory at once; 0: unknown
} gt_cuda__head;

static const char gt_cuda__magic[8] = { 'g', 'p', 't', 'c', 'u', 'd', 'a', '2' };

static gputune_result gt_cuda__nvrtc_failed(const gt_cuda__device *cu, const char *call,
                                            nvrtcResult code, const char *culprit,
                                            gputune_error *error)
{
    gputune_result result = code == NVRTC_ERROR_OUT_OF_MEMORY ? GPUTUNE_ERROR_MEMORY
                                                              : GPUTUNE_ERROR_COMPILE;
    return gputune_error_set(error, result, "%s: %s (%d): %.1200s", call,
                             cu->nvrtc.nvrtcGetErrorString(code), (int)code, culprit);
}

static gputune_result gt_cuda__build_failed(const gt_cuda__device *cu, nvrtcProgram program,
                                            nvrtcResult code, const gputune_build *build,
                                            gputune_error *error)
{
    size_t size = 0;
    char *log;
    if (cu->nvrtc.nvrtcGetProgramLogSize(program, &size)) size = 0;
    log = (char *)gputune_reallocate(&cu->options, NULL, size + 1);
    if (log) memset(log, 0, size + 1);
    if (log && size && cu->nvrtc.nvrtcGetProgramLog(program, log)) log[0] = 0;
    return gputune_build_failed(&cu->options, build,
                                code == NVRTC_ERROR_OUT_OF_MEMORY ? GPUTUNE_ERROR_MEMORY
                                                                  : GPUTUNE_ERROR_COMPILE,
                                "nvrtcCompileProgram", cu->nvrtc.nvrtcGetErrorString(code),
                                (int)code, code == NVRTC_ERROR_INVALID_OPTION, log, error);
}

// The device's own architecture if NVRTC knows it; else the newest PTX below it, which the driver
// compiles.
static gputune_result gt_cuda__architecture(const gt_cuda__device *cu, char *option, size_t size,
                                            gputune_error *error)
{
    int archs[64], count = 0, best = 0, i, own = 10 * cu->major + cu->minor;
    const char *call = "nvrtcGetNumSupportedArchs";
    nvrtcResult code = cu->nvrtc.nvrtcGetNumSupportedArchs(&count);
    if (!code && count >= 0 && count <= 64)
        code = cu->nvrtc.nvrtcGetSupportedArchs(archs), call = "nvrtcGetSupportedArchs";
    if (code || count < 0 || count > 64) return gt_cuda__nvrtc_failed(cu, call, code, "", error);
    for (i = 0; i < count; i++)
        if (archs[i] <= own && archs[i] > best) best = archs[i];
    if (!best)
        return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED,
                                 "NVRTC compiles for no architecture up to %d.%d, which this GPU "
                                 "has: use an older NVRTC",
                                 cu->major, cu->minor);
    snprintf(option, size, best == own ? "-arch=sm_%d" : "-arch=compute_%d", best);
    return GPUTUNE_OK;
}

// Cuts the user's options into words, in place; quotes keep blanks. Returns how many there are.
static int gt_cuda__split(char *text, const char **words, int most)
{
    static const char blanks[] = " \t\n";
    int count = 0;
    for (text += strspn(text, blanks); *text && count < most; text += strspn(text, blanks)) {
        char *to = text, quote = 0;
        words[count++] = to;
        for (; *text && (quote || !strchr(blanks, *text)); text++) {
            if (*text == quote)
                quote = 0;
            else if (!quote && (*text == '"' || *text == '\''))
                quote = *text;
            else
                *to++ = *text;
        }
        text += *text != 0;
        *to = 0;
    }
    return count;
}

// What -D at words[*i] defines, or NULL; *i is then its last word.
static const char *gt_cuda__defined(const char *const *words, int count, int *i)
{
    static const char *const forms[] = { "-D", "--define-macro" };
    int f;
    for (f = 0; f < 2; f++) {
        size_t length = strlen(forms[f]);
        if (strncmp(words[*i], forms[f], length) != 0) continue;
        if (words[*i][length]) return words[*i] + length + (f == 1 && words[*i][length] == '=');
        return *i + 1 < count ? words[++*i] : NULL;
    }
    return NULL;
}

// Behind the prelude, which would change, too, stand the macros that the user's options define; the
// words of those go. *source is a new text, or as it was; false: out of memory.
static bool gt_cuda__take_defines(const gt_cuda__device *cu, const char *options,
                                  const char **words, int *count, char **source)
{
    const char *behind = strstr(*source, "\n#line 1 \"kernel.cl\"\n");
    const size_t room = strlen(options) + (size_t)*count * sizeof "#define  1\n";
    int i, kept = 0;
    char *text, *at;
    if (!behind) return true;
    text = (char *)gputune_reallocate(&cu->options, NULL, strlen(*source) + room + 1);
    if (!text) return false;
    at = text + (++behind - *source);
    memcpy(text, *source, (size_t)(at - text));
    for (i = 0; i < *count; i++) {
        const char *define = gt_cuda__defined(words, *count, &i);
        const size_t name = define ? strcspn(define, "=") : 0;
        if (define)
            at += snprintf(at, room, "#define %.*s %s\n", (int)name, define,
                           define[name] ? define + name + 1 : "1");
        else
            words[kept++] = words[i];
    }
    memcpy(at, behind, strlen(behind) + 1);
    *count = kept;
    *source = text;
    return true;
}

// Adds to the user's words all other options of a compilation.
static gputune_result gt_cuda__options(const gt_cuda__device *cu, const gputune_build *build,
                                       char *arch, size_t arch_size, const char **words, int *count,
                                       gputune_error *error)
{
    int n = *count, i;
    bool own_arch = false, own_precision = false, own_fma = false, own_standard = false;
    for (i = 0; i < n; i++) { // NVRTC refuses an option that comes twice
        own_arch = own_arch || strncmp(words[i], "-arch", 5) == 0 ||
                   strncmp(words[i], "--gpu-architecture", 18) == 0;
        own_precision = own_precision || strstr(words[i], "prec-") || strstr(words[i], "fast_math");
        own_standard = own_standard || strncmp(words[i], "-std", 4) == 0 ||
                       strncmp(words[i], "--std", 5) == 0;
        own_fma = own_fma || strstr(words[i], "-fmad") || strstr(words[i], "fast_math");
    }
    if (*count > GT_CUDA__MAX_OPTIONS - 8)
        return gputune_error_set(error, GPUTUNE_ERROR_TOO_LARGE,
                                 "kernel \"%.100s\": more than %d options", build->name,
                                 GT_CUDA__MAX_OPTIONS - 8);
    if (build->converted) words[(*count)++] = "-default-device"; // functions lack __device__
    if (build->converted && !own_standard) words[(*count)++] = "-std=c++14"; // CUDA 11 takes C++03
    if (build->converted && !own_precision) { // OpenCL's / and sqrt need not be exact
        words[(*count)++] = "-prec-div=false";
        words[(*count)++] = "-prec-sqrt=false";
    }
    if (build->converted && !own_fma && strstr(build->source, "/* gputune: -fmad=false */"))
        words[(*count)++] = "-fmad=false"; // it has #pragma OPENCL FP_CONTRACT OFF
    if (own_arch) return GPUTUNE_OK;
    words[(*count)++] = arch;
    return gt_cuda__architecture(cu, arch, arch_size, error);
}

// Bytes that one instruction of PTX, up to its line's end, reads or writes in global memory.
static unsigned gt_cuda__ptx_access(const char *line)
{
    const size_t length = strcspn(line, " \t\n;");
    const char *end = line + length, *p;
    unsigned bits = 8, count = 1;
    bool global = false, other = false, known = false;
    for (p = line; p < end; p++) {
        if (*p != '.') continue;
        global = global || strncmp(p, ".global", 7) == 0;
        other = other || strncmp(p, ".shared", 7) == 0 || strncmp(p, ".local", 6) == 0 ||
                strncmp(p, ".const", 6) == 0 || strncmp(p, ".param", 6) == 0;
        if (p[1] == 'v' && p[2] >= '2' && p[2] <= '8') count = (unsigned)(p[2] - '0');
        if (p + 2 < end && strchr("busf", p[1]) && p[2] >= '1' && p[2] <= '9')
            bits = (unsigned)strtoul(p + 2, NULL, 10), known = true;
    }
    if (other && !global) return 1;
    return known && strncmp(line, "cp.", 3) != 0 && strncmp(line, "wmma", 4) != 0
               ? count * bits / 8 : 16;
}

// The same of a whole text: the most. Such memory must be aligned to that, or the context is lost.
static unsigned gt_cuda__access(const char *ptx)
{
    static const char *const words[] = { "ld.", "ldu.", "st.", "atom", "red.", "cp.async", "wmma.l",
                                         "wmma.s" };
    unsigned most = 1, one;
    size_t i;
    for (; *ptx; ptx += strcspn(ptx, "\n"), ptx += *ptx == '\n') {
        ptx += strspn(ptx, " \t{");
        if (*ptx == '@') ptx += strcspn(ptx, " \t\n"), ptx += strspn(ptx, " \t");
        for (i = 0; i < sizeof words / sizeof *words; i++)
            if (strncmp(ptx, words[i], strlen(words[i])) == 0) break;
        one = i < sizeof words / sizeof *words ? gt_cuda__ptx_access(ptx) : 1;
        if (one > most) most = one;
    }
    return most;
}

// Of a program that NVRTC has compiled. False: out of memory.
static bool gt_cuda__program_access(const gt_cuda__device *cu, nvrtcProgram program,
                                    uint32_t *access)
{
    size_t bytes = 0;
    char *ptx;
    *access = 0;
    if (cu->nvrtc.nvrtcGetPTXSize(program, &bytes) || bytes < 2) return true;
    ptx = (char *)gputune_reallocate(&cu->options, NULL, bytes + 1);
    if (!ptx) return false;
    ptx[bytes] = 0;
    if (!cu->nvrtc.nvrtcGetPTX(program, ptx)) *access = gt_cuda__access(ptx);
    gputune_reallocate(&cu->options, ptx, 0);
    return true;
}

// Puts lowered name and machine code (or PTX) of a compiled program together.
static gputune_result gt_cuda__pack(const gt_cuda__device *cu, nvrtcProgram program,
                                    const gputune_build *build, gputune_binary *binary,
                                    gputune_error *error)
{
    gt_cuda__head head;
    const char *name = NULL, *call = "nvrtcGetLoweredName";
    size_t bytes = 0, at;
    bool ptx;
    nvrtcResult code = cu->nvrtc.nvrtcGetLoweredName(program, build->name, &name);
    if (code || !name) return gt_cuda__nvrtc_failed(cu, call, code, build->name, error);
    ptx = cu->nvrtc.nvrtcGetCUBINSize(program, &bytes) || bytes == 0;
    call = ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN";
    if (ptx) code = cu->nvrtc.nvrtcGetPTXSize(program, &bytes);
    memcpy(head.magic, gt_cuda__magic, sizeof head.magic);
    head.name_bytes = (uint32_t)((strlen(name) + 16) / 16 * 16);
    at = sizeof head + (size_t)head.name_bytes;
    if (ptx || gt_cuda__program_access(cu, program, &head.access))
        binary->data = gputune_reallocate(&cu->options, NULL, at + bytes + 1);
    if (!binary->data) return gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
    binary->bytes = at + bytes + 1; // PTX ends with a NUL whatever NVRTC says
    memset(binary->data, 0, binary->bytes);
    memcpy((char *)binary->data + sizeof head, name, strlen(name));
    if (!code)
        code = ptx ? cu->nvrtc.nvrtcGetPTX(program, (char *)binary->data + at)
                   : cu->nvrtc.nvrtcGetCUBIN(program, (char *)binary->data + at);
    if (ptx && !code) head.access = gt_cuda__access((const char *)binary->data + at);
    memcpy(binary->data, &head, sizeof head);
    if (!code) return GPUTUNE_OK;
    gputune_reallocate(&cu->options, binary->data, 0);
    memset(binary, 0, sizeof *binary);
    return gt_cuda__nvrtc_failed(cu, call, code, build->name, error);
}

static gputune_result gt_cuda__compile_program(gt_cuda__device *cu, nvrtcProgram program,
                                               const gputune_build *build, const char **words,
                                               int count, gputune_error *error)
{
    char arch[32];
    nvrtcResult code;
    gputune_result result = gt_cuda__options(cu, build, arch, sizeof arch, words, &count, error);
    if (result) return result;
    code = cu->nvrtc.nvrtcAddNameExpression(program, build->name);
    if (code) return gt_cuda__nvrtc_failed(cu, "nvrtcAddNameExpression", code, build->name, error);
    // NVRTC's own cache is not asked (it takes a tenth of the time; what wins is kept beside the
    // store). Without textures, surfaces and the runtime's types several threads compile a third
    // more; what needs them is compiled once more.
    if (cu->nvrtc_version >= 1300) {
        words[count++] = "-no-cache";
        if (!cu->whole) words[count++] = "-minimal";
    }
    code = cu->nvrtc.nvrtcCompileProgram(program, count, words);
    if (code == NVRTC_ERROR_COMPILATION && strcmp(words[count - 1], "-minimal") == 0) {
        code = cu->nvrtc.nvrtcCompileProgram(program, count - 1, words);
        if (!code) cu->whole = true;
    }
    if (!code) return GPUTUNE_OK;
    return gt_cuda__build_failed(cu, program, code, build, error);
}

// Several threads may ask for NVRTC at once; the first loads it.
static gputune_result gt_cuda__need_nvrtc(gt_cuda__device *cu, gputune_error *error)
{
    gputune_result result = GPUTUNE_OK;
    int driver = 0, major = 0, minor = 0;
    while (GT_CUDA__LOCK(&cu->nvrtc_lock)) gputune_sleep(1e-4);
    cu->call.cuDriverGetVersion(&driver);
    if (!cu->has_nvrtc) result = gt_cuda__load_nvrtc(&cu->nvrtc, cu->nvrtc_path, driver, error);
    if (!cu->has_nvrtc && !result && !cu->nvrtc.nvrtcVersion(&major, &minor)) {
        cu->nvrtc_version = 100 * major + minor;
        snprintf(cu->compiler, sizeof cu->compiler,
                 " -DCUDART_VERSION=%d -D__CUDACC_VER_MAJOR__=%d -D__CUDACC_VER_MINOR__=%d",
                 1000 * major + 10 * minor, major, minor);
    }
    if (!result) cu->has_nvrtc = true;
    GT_CUDA__UNLOCK(&cu->nvrtc_lock);
    return result;
}

static const char *gt_cuda__compiler_macros(void *self)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    return gt_cuda__need_nvrtc(cu, NULL) ? "" : cu->compiler;
}

// Needs no context, and but for the loading of NVRTC changes nothing of the device's: several
// threads may call it.
static gputune_result gt_cuda__translate(void *self, const gputune_build *build,
                                         gputune_binary *binary, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    nvrtcProgram program = NULL;
    nvrtcResult code;
    gputune_result result = GPUTUNE_OK;
    const char *words[GT_CUDA__MAX_OPTIONS];
    char *users, *source = (char *)(uintptr_t)build->source;
    int count;
    memset(binary, 0, sizeof *binary);
    result = gt_cuda__need_nvrtc(cu, error);
    if (result) return result;
    // Older ones refuse anonymous structs, by which vectors have their components' names.
    if (build->converted && cu->nvrtc_version && cu->nvrtc_version < 1208)
        return gputune_error_set(error, GPUTUNE_ERROR_LIBRARY,
                                 "kernel \"%.100s\" is OpenCL C, which needs NVRTC 12.8 or newer; "
                                 "this is %d.%d, which compiles CUDA C",
                                 build->name, cu->nvrtc_version / 100, cu->nvrtc_version % 100);
    users = (char *)gputune_reallocate(&cu->options, NULL, strlen(build->options) + 1);
    if (!users) return gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
    memcpy(users, build->options, strlen(build->options) + 1);
    count = gt_cuda__split(users, words, GT_CUDA__MAX_OPTIONS);
    if (build->converted && !gt_cuda__take_defines(cu, build->options, words, &count, &source))
        result = gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
    code = NVRTC_SUCCESS;
    if (!result) code = cu->nvrtc.nvrtcCreateProgram(&program, source, "kernel.cu", 0, NULL, NULL);
    if (code) result = gt_cuda__nvrtc_failed(cu, "nvrtcCreateProgram", code, build->name, error);
    if (!result) result = gt_cuda__compile_program(cu, program, build, words, count, error);
    if (!result) result = gt_cuda__pack(cu, program, build, binary, error);
    if (program) cu->nvrtc.nvrtcDestroyProgram(&program);
    if (source != build->source) gputune_reallocate(&cu->options, source, 0);
    gputune_reallocate(&cu->options, users, 0);
    return result;
}

// Does the driver refuse what a newer NVRTC made? Then no configuration will load.
static gputune_result gt_cuda__mismatch(gt_cuda__device *cu, CUresult status)
{
    int driver = 0;
    cu->versions[0] = 0;
    cu->call.cuDriverGetVersion(&driver);
    if (cu->nvrtc_version / 100 <= driver / 1000) return GPUTUNE_ERROR_COMPILE;
    snprintf(cu->versions, sizeof cu->versions,
             ": NVRTC %d.%d is newer than the driver, which is for CUDA %d.%d: install its NVRTC",
             cu->nvrtc_version / 100, cu->nvrtc_version % 100, driver / 1000, driver % 1000 / 10);
    return status == CUDA_ERROR_INVALID_IMAGE || status == CUDA_ERROR_NO_BINARY_FOR_GPU ||
                   status == CUDA_ERROR_INVALID_PTX || (int)status == 222 // its PTX version
               ? GPUTUNE_ERROR_LIBRARY
               : GPUTUNE_ERROR_COMPILE;
}

// Checks a binary's head, as it may come from a file, and loads it into the context.
static gputune_result gt_cuda__load_binary(gt_cuda__device *cu, const gputune_binary *binary,
                                           gt_cuda__code *made, gputune_error *error)
{
    const char *bytes = (const char *)binary->data, *call = NULL;
    gt_cuda__head head;
    size_t most = binary->bytes - sizeof head;
    char log[1024] = ""; // of the driver's compiler, when it is PTX
    CUjit_option options[2] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *values[2];
    CUresult code = CUDA_SUCCESS;
    if (binary->bytes > sizeof head) memcpy(&head, bytes, sizeof head);
    if (binary->bytes <= sizeof head || memcmp(head.magic, gt_cuda__magic, 8) != 0 ||
        head.name_bytes >= most || head.name_bytes % 16 || head.access > 64 ||
        bytes[binary->bytes - 1] || !memchr(bytes + sizeof head, 0, (size_t)head.name_bytes))
        return gputune_error_set(error, GPUTUNE_ERROR_FORMAT,
                                 "kernel \"%s\": the translated kernel is damaged", made->name);
    values[0] = log;
    values[1] = (void *)(uintptr_t)(sizeof log - 1);
    made->access = head.access;
    GT_CUDA__TRY(cuModuleLoadDataEx,
                 (&made->module, bytes + sizeof head + head.name_bytes, 2, options, values));
    if (code) made->module = NULL;
    GT_CUDA__TRY(cuModuleGetFunction, (&made->function, made->module, bytes + sizeof head));
    if (!code) return GPUTUNE_OK;
    return GT_CUDA__FAIL(gt_cuda__mismatch(cu, code), "kernel \"%s\"%s%s%s", made->name,
                         cu->versions, log[0] ? "\n" : "", log);
}

// What the function takes. Older drivers do not tell how many parameters there are.
static gputune_result gt_cuda__attributes(gt_cuda__device *cu, gt_cuda__code *made,
                                          gputune_error *error)
{
    const CUfunction f = made->function;
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    size_t offset, bytes, i;
#define GT_CUDA__ATTRIBUTE(to, name) \
    GT_CUDA__TRY(cuFuncGetAttribute, (&made->to, CU_FUNC_ATTRIBUTE_##name, f))
    GT_CUDA__ATTRIBUTE(group_limit, MAX_THREADS_PER_BLOCK);
    GT_CUDA__ATTRIBUTE(registers, NUM_REGS);
    GT_CUDA__ATTRIBUTE(spill_bytes, LOCAL_SIZE_BYTES);
    GT_CUDA__ATTRIBUTE(max_dynamic, MAX_DYNAMIC_SHARED_SIZE_BYTES);
    GT_CUDA__ATTRIBUTE(shared, SHARED_SIZE_BYTES);
#undef GT_CUDA__ATTRIBUTE
    if (code) return GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "kernel \"%s\"", made->name);
    made->params = -1;
    if (!cu->call.cuFuncGetParamInfo) return GPUTUNE_OK;
    for (i = 0; i <= GT_CUDA__MAX_PARAMS; i++) {
        if (cu->call.cuFuncGetParamInfo(f, i, &offset, &bytes)) break;
        if (i < GT_CUDA__MAX_PARAMS) made->param_bytes[i] = bytes;
    }
    made->params = (int)i;
    return GPUTUNE_OK;
}

static void gt_cuda__discard(void *self, void *code)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__code *old = (gt_cuda__code *)code;
    if (!old) return;
    gt_cuda__alive(cu);
    if (old->module && old->recorded)
        gputune_later_add(&cu->options, &cu->recorded, GT_CUDA__MODULE, old->module);
    else if (old->module)
        gt_cuda__give_back(cu, GT_CUDA__MODULE, old->module);
    gputune_reallocate(&cu->options, old, 0);
}

// Loads build->binary, or a translation of its own, or takes the program's function.
static gputune_result gt_cuda__obtain(gt_cuda__device *cu, const gputune_build *build,
                                      gt_cuda__code *code, gputune_error *error)
{
    gputune_binary binary;
    gputune_result result = GPUTUNE_OK;
    memset(&binary, 0, sizeof binary);
    if (!build->selected && !build->binary) {
        if (!build->source)
            return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED,
                                     "kernel \"%s\" has neither a source nor a CUfunction: see "
                                     "gputune_kernel_desc.select",
                                     build->name);
        result = gt_cuda__translate(cu, build, &binary, error);
        if (result) return result;
    }
    code->function = (CUfunction)build->selected;
    code->converted = build->converted;
    result = gt_cuda__enter(cu, error);
    if (!result) {
        if (!build->selected)
            result = gt_cuda__load_binary(cu, build->binary ? build->binary : &binary, code, error);
        if (!result) result = gt_cuda__attributes(cu, code, error);
        result = gt_cuda__aftermath(cu, result, true, NULL, error);
        gt_cuda__leave(cu);
    }
    if (binary.data) gputune_reallocate(&cu->options, binary.data, 0);
    return result;
}

static gputune_result gt_cuda__compile(void *self, const gputune_build *build, void **code,
                                       gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__code *made;
    gputune_result result;
    if (!gt_cuda__alive(cu)) return gt_cuda__gone(cu, error);
    made = (gt_cuda__code *)gputune_reallocate(&cu->options, NULL, sizeof *made);
    if (!made) return gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", build->name);
    result = gt_cuda__obtain(cu, build, made, error);
    if (result) gt_cuda__discard(cu, made);
    *code = !result ? made : NULL;
    return result;
}

static int gt_cuda__access_of(void *self, void *code)
{
    (void)self;
    return (int)((const gt_cuda__code *)code)->access;
}

static size_t gt_cuda__group_limit(void *self, void *code)
{
    (void)self;
    return (size_t)((const gt_cuda__code *)code)->group_limit;
}

// -----
// [arguments]
// -----

static CUdeviceptr gt_cuda__address(const void *handle, size_t offset)
{
    return (CUdeviceptr)(uintptr_t)handle + offset;
}

// Of an allocation, from the buffer on.
static size_t gt_cuda__extent(void *self, void *buffer)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const CUdeviceptr at = gt_cuda__address(buffer, 0);
    CUdeviceptr base = 0;
    gputune_error ignored;
    size_t bytes = 0;
    if (gt_cuda__enter(cu, &ignored)) return 0;
    if (cu->call.cuMemGetAddressRange_v2(&base, &bytes, at)) bytes = 0;
    gt_cuda__leave(cu);
    return bytes ? bytes - (size_t)(at - base) : 0;
}

// Copies and fills are enqueued on the trial stream, which trials use, too; only reads wait.
static gputune_result gt_cuda__copy(void *self, void *to, size_t to_offset, void *from,
                                    size_t from_offset, size_t bytes, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const CUdeviceptr target = gt_cuda__address(to, to_offset);
    const CUdeviceptr source = gt_cuda__address(from, from_offset);
    gputune_result result = gt_cuda__begin(cu, error);
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (result) return result;
    if (bytes) GT_CUDA__TRY(cuMemcpyDtoDAsync_v2, (target, source, bytes, cu->trials));
    return gt_cuda__end(cu, call, code, from_offset, bytes, error);
}

static gputune_result gt_cuda__fill(void *self, void *to, size_t offset, unsigned char byte,
                                    size_t bytes, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const CUdeviceptr at = gt_cuda__address(to, offset);
    gputune_result result = gt_cuda__begin(cu, error);
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (result) return result;
    if (bytes) GT_CUDA__TRY(cuMemsetD8Async, (at, byte, bytes, cu->trials));
    return gt_cuda__end(cu, call, code, offset, bytes, error);
}

static gputune_result gt_cuda__read(void *self, void *from, size_t offset, void *host, size_t bytes,
                                    gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const CUdeviceptr at = gt_cuda__address(from, offset);
    gputune_result result = gt_cuda__begin(cu, error);
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (result) return result;
    if (bytes) GT_CUDA__TRY(cuMemcpyDtoHAsync_v2, (host, at, bytes, cu->trials));
    GT_CUDA__TRY(cuStreamSynchronize, (cu->trials));
    return gt_cuda__end(cu, call, code, offset, bytes, error);
}

// Waits, because the caller's memory may go away.
static gputune_result gt_cuda__write(void *self, void *to, size_t offset, const void *host,
                                     size_t bytes, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const CUdeviceptr at = gt_cuda__address(to, offset);
    gputune_result result = gt_cuda__begin(cu, error);
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (result) return result;
    if (bytes) GT_CUDA__TRY(cuMemcpyHtoDAsync_v2, (at, host, bytes, cu->trials));
    GT_CUDA__TRY(cuStreamSynchronize, (cu->trials));
    return gt_cuda__end(cu, call, code, offset, bytes, error);
}

static bool gt_cuda__is_recorded(const gt_cuda__device *cu, const void *object)
{
    const gputune_later *left = cu->recorded;
    while (left && left->object != object) left = left->next;
    return left != NULL;
}

// A launch that is recorded: a graph may use its code and its scratch buffers for as long as the
// device. The program's own buffers are the program's.
static void gt_cuda__record_launch(gt_cuda__device *cu, gt_cuda__code *code,
                                   const gputune_driver_launch *launch)
{
    int i;
    if (!cu->recording) return;
    if (code) code->recorded = true;
    for (i = 0; i < launch->arg_count; i++) {
        void *buffer = launch->args[i].handle;
        if (launch->args[i].kind == GPUTUNE_ARG_SCRATCH && !gt_cuda__is_recorded(cu, buffer))
            gputune_later_add(&cu->options, &cu->recorded, GT_CUDA__MEMORY, buffer);
    }
}

static void gt_cuda__release(void *self, gputune_memory *memory)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__alive(cu);
    if (memory->whole && !gt_cuda__is_recorded(cu, memory->whole))
        gt_cuda__give_back(cu, GT_CUDA__MEMORY, memory->whole);
    memset(memory, 0, sizeof *memory);
}

// like: a buffer whose kind of memory it is to be, or NULL.
static gputune_result gt_cuda__make(void *self, unsigned kind, void *like, size_t bytes,
                                    size_t guard, gputune_memory *memory, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    gputune_result result;
    CUdeviceptr address = 0;
    void *host = NULL;
    size_t round = (guard + GT_CUDA__ALIGNMENT - 1) / GT_CUDA__ALIGNMENT * GT_CUDA__ALIGNMENT;
    size_t whole = 2 * round + bytes ? 2 * round + bytes : 1, left = 0, all = 0;
    memset(memory, 0, sizeof *memory);
    if (round < guard || round > (size_t)-1 / 4 || bytes > (size_t)-1 - 2 * round)
        return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES, "a buffer of %zu bytes", bytes);
    result = gt_cuda__begin(cu, error);
    if (result) return result;
    if (like) kind = gt_cuda__kind(cu, gt_cuda__address(like, 0));
    if (kind == CU_MEMORYTYPE_HOST) { // one address for both
        GT_CUDA__TRY(cuMemHostAlloc,
                     (&host, whole, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP));
        address = (CUdeviceptr)(uintptr_t)host;
    } else if (kind == CU_MEMORYTYPE_UNIFIED) { // is had without end, and then everything crawls
        GT_CUDA__TRY(cuMemGetInfo_v2, (&left, &all));
        if (!code) call = "cuMemAllocManaged";
        if (!code && whole > left) code = CUDA_ERROR_OUT_OF_MEMORY;
        GT_CUDA__TRY(cuMemAllocManaged, (&address, whole, CU_MEM_ATTACH_GLOBAL));
    } else
        GT_CUDA__TRY(cuMemAlloc_v2, (&address, whole));
    if (!code) {
        memory->guard = round;
        memory->bytes = bytes;
        memory->whole = (void *)(uintptr_t)address;
        memory->handle = (void *)(uintptr_t)(address + round);
    }
    return gt_cuda__end(cu, call, code, 0, 2 * round + bytes, error);
}

static gputune_result gt_cuda__allocate(void *self, size_t bytes, size_t guard,
                                        gputune_memory *memory, gputune_error *error)
{
    return gt_cuda__make(self, CU_MEMORYTYPE_DEVICE, NULL, bytes, guard, memory, error);
}

static gputune_result gt_cuda__allocate_like(void *self, void *like, size_t bytes, size_t guard,
                                             gputune_memory *memory, gputune_error *error)
{
    return gt_cuda__make(self, CU_MEMORYTYPE_HOST, like, bytes, guard, memory, error);
}

// Variables with internal linkage have a name of their own.
static gputune_result gt_cuda__symbol(void *self, void *made, const char *name, const void *data,
                                      size_t bytes, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    const gt_cuda__code *compiled = (const gt_cuda__code *)made;
    gputune_result result = gt_cuda__begin(cu, error);
    const char *call = "cuModuleGetGlobal";
    CUdeviceptr at = 0;
    size_t size = 0;
    char local[512];
    CUresult code;
    if (result) return result;
    snprintf(local, sizeof local, "_ZL%zu%s", strlen(name), name);
    code = cu->call.cuModuleGetGlobal_v2(&at, &size, compiled->module, name);
    if (code == CUDA_ERROR_NOT_FOUND)
        code = cu->call.cuModuleGetGlobal_v2(&at, &size, compiled->module, local);
    gt_cuda__leave(cu);
    if (!code && size >= bytes)
        return gt_cuda__write(cu, (void *)(uintptr_t)at, 0, data, bytes, error);
    if (!code)
        return gputune_error_set(error, GPUTUNE_ERROR_ARGUMENT,
                                 "kernel \"%s\": variable %s has %zu bytes, %zu given",
                                 compiled->name, name, size, bytes);
    return GT_CUDA__FAIL(code == CUDA_ERROR_NOT_FOUND ? GPUTUNE_ERROR_SYMBOL : GPUTUNE_ERROR_DRIVER,
                         "kernel \"%s\", variable %s", compiled->name, name);
}

// One launch as cuLaunchKernel takes it, so that nothing but launches stands between two events.
typedef struct gt_cuda__bound {
    void *params[GT_CUDA__MAX_PARAMS];
    CUdeviceptr addresses[GT_CUDA__MAX_PARAMS];
    unsigned offsets[GT_CUDA__MAX_PARAMS];
    size_t dynamic; // bytes of shared memory
    unsigned grid[3], block[3];
} gt_cuda__bound;

// More shared memory than every function may have is asked for, up to what the device allows.
static gputune_result gt_cuda__opt_in(gt_cuda__device *cu, gt_cuda__code *made, size_t dynamic,
                                      gputune_error *error)
{
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (dynamic <= (size_t)made->max_dynamic) return GPUTUNE_OK;
    if (dynamic + (size_t)made->shared > (size_t)cu->shared_per_group)
        return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES,
                                 "kernel \"%s\": %zu bytes of shared memory, the most is %lld",
                                 made->name, dynamic + (size_t)made->shared,
                                 (long long)cu->shared_per_group);
    GT_CUDA__TRY(cuFuncSetAttribute,
                 (made->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)dynamic));
    if (!code) made->max_dynamic = (int)dynamic;
    if (!code) return GPUTUNE_OK;
    return GT_CUDA__FAIL(GPUTUNE_ERROR_RESOURCES,
                         "kernel \"%s\", %zu bytes of dynamic shared memory", made->name, dynamic);
}

// Blocks and threads of a launch. Where the program leaves the block to us it has 256 threads: the
// grid may then reach over the problem's size, as CUDA kernels expect. OpenCL's do not: there it is
// the largest divisor of the first dimension up to 256.
static gputune_result gt_cuda__shape(const gt_cuda__code *code, const gputune_driver_launch *launch,
                                     unsigned grid[3], unsigned block[3], gputune_error *error)
{
    static const size_t most[3] = { 0x7fffffff, 65535, 65535 };
    int d;
    for (d = 0; d < 3; d++) {
        size_t global = d < launch->dimensions ? launch->global[d] : 1;
        size_t local = d < launch->dimensions ? launch->local[d] : 1;
        size_t blocks;
        bool ours = !local;
        if (ours) local = d ? 1 : 256;
        if (ours && code->converted)
            while (global % local) local--;
        blocks = (global + local - 1) / local;
        if (blocks > most[d])
            return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES,
                                     "kernel \"%s\": %zu blocks in dimension %d, the most is %zu",
                                     code->name, blocks, d, most[d]);
        grid[d] = (unsigned)blocks;
        block[d] = (unsigned)local;
    }
    return GPUTUNE_OK;
}

// The arguments must fit the compiled kernel in number and sizes: CUDA would read beyond them.
static gputune_result gt_cuda__bind(gt_cuda__device *cu, gt_cuda__code *made,
                                    const gputune_driver_launch *launch, gt_cuda__bound *bound,
                                    gputune_error *error)
{
    gputune_result result;
    size_t given = 0;
    int i, at = 0, odd = -1;
    bound->dynamic = 0;
    for (i = 0; i < launch->arg_count; i++) {
        const gputune_bound_arg *arg = &launch->args[i];
        size_t bytes = arg->bytes;
        if (at == GT_CUDA__MAX_PARAMS)
            return gputune_error_set(error, GPUTUNE_ERROR_TOO_LARGE,
                                     "kernel \"%s\": more than %d arguments", made->name, at);
        if (arg->kind == GPUTUNE_ARG_SCALAR) {
            bound->params[at] = (void *)(uintptr_t)arg->data;
        } else if (arg->kind == GPUTUNE_ARG_LOCAL) {
            bound->offsets[at] = (unsigned)bound->dynamic;
            bound->params[at] = &bound->offsets[at];
            bytes = sizeof bound->offsets[at];
            bound->dynamic += (arg->bytes + 15) / 16 * 16; // the largest vector's alignment
            if (!made->converted) continue;
        } else {
            bound->addresses[at] = gt_cuda__address(arg->handle, 0);
            bound->params[at] = &bound->addresses[at];
            bytes = sizeof bound->addresses[at];
        }
        if (odd < 0 && at < made->params && bytes != made->param_bytes[at]) odd = at, given = bytes;
        at++;
    }
    if (made->params >= 0 && at != made->params)
        return gputune_error_set(error, GPUTUNE_ERROR_ARGUMENT,
                                 "kernel \"%s\" has %d parameters, not %d", made->name,
                                 made->params, at);
    if (odd >= 0)
        return gputune_error_set(error, GPUTUNE_ERROR_ARGUMENT,
                                 "kernel \"%s\": parameter %d has %zu bytes, not %zu", made->name,
                                 odd, made->param_bytes[odd], given);
    result = gt_cuda__opt_in(cu, made, bound->dynamic, error);
    if (result) return result;
    return gt_cuda__shape(made, launch, bound->grid, bound->block, error);
}

// -----
// [launch+timing]
// -----

// Enqueues `count` launches. An error names the sizes.
static gputune_result gt_cuda__fire(gt_cuda__device *cu, CUstream stream, gt_cuda__code *made,
                                    gt_cuda__bound *r, int count, gputune_error *error)
{
    const unsigned *g = r->grid, *b = r->block;
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    while (count-- > 0)
        GT_CUDA__TRY(cuLaunchKernel, (made->function, g[0], g[1], g[2], b[0], b[1], b[2],
                                      (unsigned)r->dynamic, stream, r->params, NULL));
    if (!code) return GPUTUNE_OK;
    return GT_CUDA__FAIL(GPUTUNE_ERROR_LAUNCH,
                         "kernel \"%s\", %u x %u x %u blocks of %u x %u x %u threads, %zu "
                         "bytes of dynamic shared memory",
                         made->name, g[0], g[1], g[2], b[0], b[1], b[2], r->dynamic);
}

static gputune_result gt_cuda__launch(void *self, void *code, const gputune_driver_launch *launch,
                                      gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__code *compiled = (gt_cuda__code *)code;
    gt_cuda__bound ready;
    gputune_result result = gt_cuda__enter(cu, error);
    if (!result && cu->barred) {
        result = gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED, "%s",
                                   "another stream is being captured, which a launch on the "
                                   "default stream would end: hand over that stream "
                                   "(gputune_cuda_desc.stream)");
        gt_cuda__leave(cu);
    }
    if (result) return result;
    gt_cuda__record_launch(cu, launch->series ? NULL : compiled, launch);
    if (launch->series) {
        result = launch->series->run(launch->series->user, 0, cu->stream, error);
        gt_cuda__leave(cu);
        return result;
    }
    result = gt_cuda__bind(cu, compiled, launch, &ready, error);
    if (!result) result = gt_cuda__fire(cu, cu->stream, compiled, &ready, 1, error);
    result = gt_cuda__aftermath(cu, result, true, NULL, error);
    if (!result) snprintf(cu->pending, sizeof cu->pending, "%s", compiled->name);
    gt_cuda__leave(cu);
    return result;
}

// Waits for an event until `limit` seconds after `begin` (0: for ever), without
// cuEventSynchronize, which no limit ends. Spins at first so that short kernels cost little, then
// sleeps 1/128 of the time so far, 1 ms at most. CUDA_ERROR_NOT_READY: time was up.
static CUresult gt_cuda__await(const gt_cuda__device *cu, CUevent event, double begin, double limit)
{
    for (;;) {
        double elapsed = gputune_now() - begin; // before asking: who sleeps must not be given up
        CUresult code = cu->call.cuEventQuery(event);
        if (code != CUDA_ERROR_NOT_READY) return code;
        if (limit > 0 && elapsed > limit) return code;
        if (elapsed >= 2e-3) gputune_sleep(elapsed < 0.128 ? elapsed / 128 : 1e-3);
    }
}

static gputune_result gt_cuda__hung(gt_cuda__device *cu, const char *kernel, CUevent end,
                                    double seconds, gputune_error *error)
{
    cu->hung = end;
    gt_cuda__lose(cu, kernel);
    return gputune_error_set(error, GPUTUNE_ERROR_DEVICE_LOST,
                             "kernel \"%s\" still runs after %.3g s: the device is given up",
                             kernel, seconds);
}

// Between two events: all launches of a batch.
static gputune_result gt_cuda__time_batch(gt_cuda__device *cu, gt_cuda__code *made,
                                          const gputune_driver_launch *launch, int batch,
                                          double hang_limit, double *seconds, gputune_error *error)
{
    const gputune_driver_series *series = launch->series;
    const char *name = series ? series->name : made->name, *call = NULL;
    double begin = gputune_now();
    float milliseconds = 0;
    gt_cuda__bound ready;
    gputune_result result = series ? GPUTUNE_OK : gt_cuda__bind(cu, made, launch, &ready, error);
    CUresult code = CUDA_SUCCESS;
    if (result) return gt_cuda__aftermath(cu, result, true, name, error);
    if (series) GT_CUDA__TRY(cuStreamSynchronize, (cu->trials)); // or copies hide the host
    GT_CUDA__TRY(cuEventRecord, (cu->start, cu->trials));
    for (; series && !code && !result && batch > 0; batch--)
        result = series->run(series->user, 1, cu->trials, error);
    if (series) begin = gputune_now();
    if (cu->lost) return result ? result : gt_cuda__gone(cu, error);
    if (!series && !code) result = gt_cuda__fire(cu, cu->trials, made, &ready, batch, error);
    GT_CUDA__TRY(cuEventRecord, (cu->stop, cu->trials));
    if (!code) {
        call = "cuEventQuery";
        code = gt_cuda__await(cu, cu->stop, begin, hang_limit);
    }
    if (code == CUDA_ERROR_NOT_READY)
        return gt_cuda__hung(cu, name, cu->stop, gputune_now() - begin, error);
    if (!result) {
        GT_CUDA__TRY(cuEventElapsedTime, (&milliseconds, cu->start, cu->stop));
        *seconds = 1e-3 * (double)milliseconds;
    }
    if (!result && code) result = GT_CUDA__FAIL(GPUTUNE_ERROR_LAUNCH, "kernel \"%s\"", name);
    return gt_cuda__aftermath(cu, result, true, name, error);
}

static gputune_result gt_cuda__time(void *self, void *code, const gputune_driver_launch *launch,
                                    int batch, double time_limit, double hang_limit,
                                    double *seconds, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__code *compiled = (gt_cuda__code *)code;
    gputune_result result = gt_cuda__begin(cu, error);
    if (result) return result;
    result = gt_cuda__time_batch(cu, compiled, launch, batch, time_limit > 0 ? hang_limit : 0,
                                 seconds, error);
    gt_cuda__leave(cu);
    if (!result && time_limit > 0 && *seconds > time_limit * batch)
        return gputune_error_set(error, GPUTUNE_ERROR_TIMEOUT,
                                 "kernel \"%s\" took %.3g s, the limit is %.3g s",
                                 launch->series ? launch->series->name : compiled->name,
                                 *seconds / batch, time_limit);
    return result;
}

// --- several launches under way at once ---

// A ticket with its events, among those under way; NULL: *error says why.
static gt_cuda__ticket *gt_cuda__issue(gt_cuda__device *cu, const char *kernel,
                                       gputune_error *error)
{
    gt_cuda__ticket *ticket = cu->spare;
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (!ticket) {
        ticket = (gt_cuda__ticket *)gputune_reallocate(&cu->options, NULL, sizeof *ticket);
        if (!ticket) {
            gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
            return NULL;
        }
        memset(ticket, 0, sizeof *ticket);
        cu->spare = ticket;
    }
    if (!ticket->start) GT_CUDA__TRY(cuEventCreate, (&ticket->start, CU_EVENT_DEFAULT));
    if (!ticket->stop) GT_CUDA__TRY(cuEventCreate, (&ticket->stop, CU_EVENT_DEFAULT));
    if (code) {
        GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "to time kernel \"%s\"", kernel);
        return NULL;
    }
    cu->spare = ticket->next;
    ticket->next = cu->tickets;
    cu->tickets = ticket;
    snprintf(ticket->kernel, sizeof ticket->kernel, "%s", kernel);
    return ticket;
}

static void gt_cuda__drop(gt_cuda__device *cu, gt_cuda__ticket *ticket)
{
    gt_cuda__ticket **at = &cu->tickets;
    while (*at != ticket) at = &(*at)->next;
    *at = ticket->next;
    ticket->next = cu->spare;
    cu->spare = ticket;
}

// Enters the context and gets the stream of a queue; leave follows if it is GPUTUNE_OK.
static gputune_result gt_cuda__begin_on(gt_cuda__device *cu, int queue, CUstream *stream,
                                        gputune_error *error)
{
    gputune_result result = queue ? gt_cuda__begin(cu, error) : gt_cuda__enter(cu, error);
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (result) return result;
    if (queue == 2 && !cu->other) code = gt_cuda__new_stream(cu, false, &call, &cu->other);
    *stream = queue == 0 ? cu->stream : queue == 1 ? cu->trials : cu->other;
    if (!code) return GPUTUNE_OK;
    result = GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "queue %d", queue);
    result = gt_cuda__verdict(cu, result, code, NULL, error);
    gt_cuda__leave(cu);
    return result;
}

// The launch, between two events if there is to be a ticket.
static gputune_result gt_cuda__submit_on(gt_cuda__device *cu, CUstream stream,
                                         gt_cuda__code *compiled,
                                         const gputune_driver_launch *launch,
                                         gt_cuda__ticket **ticket, gputune_error *error)
{
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    gt_cuda__bound ready;
    gt_cuda__ticket *made;
    gputune_result result = gt_cuda__bind(cu, compiled, launch, &ready, error);
    if (result) return result;
    if (!ticket) return gt_cuda__fire(cu, stream, compiled, &ready, 1, error);
    made = gt_cuda__issue(cu, compiled->name, error);
    if (!made) return error->result;
    GT_CUDA__TRY(cuEventRecord, (made->start, stream));
    if (!code) result = gt_cuda__fire(cu, stream, compiled, &ready, 1, error);
    if (!result) GT_CUDA__TRY(cuEventRecord, (made->stop, stream));
    if (code) result = GT_CUDA__FAIL(GPUTUNE_ERROR_LAUNCH, "kernel \"%s\"", compiled->name);
    if (!result)
        *ticket = made;
    else
        gt_cuda__drop(cu, made);
    return result;
}

static gputune_result gt_cuda__submit(void *self, void *code, const gputune_driver_launch *launch,
                                      int queue, void **ticket, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__code *compiled = (gt_cuda__code *)code;
    gt_cuda__ticket *made = NULL;
    gputune_result result;
    CUstream on;
    if (ticket) *ticket = NULL;
    result = gt_cuda__begin_on(cu, queue, &on, error);
    if (result) return result;
    if (ticket && queue == 0) result = gt_cuda__uncaptured(cu, error);
    if (!result && queue == 0) gt_cuda__record_launch(cu, compiled, launch);
    if (!result) {
        result = gt_cuda__submit_on(cu, on, compiled, launch, ticket ? &made : NULL, error);
        if (ticket) *ticket = made;
        result = gt_cuda__aftermath(cu, result, false, NULL, error);
    }
    if (!ticket && !result) snprintf(cu->pending, sizeof cu->pending, "%s", compiled->name);
    gt_cuda__leave(cu);
    return result;
}

// When a launch that is over ran. A float of milliseconds is exact to 0.06 us only up to a second:
// the length is measured from event to event, the beginning from an event that is never older. That
// is the end of an earlier ticket, at first this one's own.
static CUresult gt_cuda__span(gt_cuda__device *cu, gt_cuda__ticket *ticket, gputune_span *span)
{
    float length = 0, since = 0;
    CUevent base = cu->base;
    CUresult code = cu->call.cuEventElapsedTime(&length, ticket->start, ticket->stop);
    if (!code && base) code = cu->call.cuEventElapsedTime(&since, base, ticket->start);
    if (code) return code;
    span->begin = base ? cu->base_seconds + 1e-3 * (double)since : 1;
    span->end = span->begin + 1e-3 * (double)length;
    if (base && since > -500 && since + length < 500) return CUDA_SUCCESS;
    cu->base = ticket->stop;
    cu->base_seconds = span->end;
    ticket->stop = base; // NULL: made anew
    return CUDA_SUCCESS;
}

static gputune_result gt_cuda__poll(void *self, void *ticket, double patience, bool *done,
                                    gputune_span *span, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__ticket *t = (gt_cuda__ticket *)ticket;
    double begin = gputune_now(), limit = patience < 0 ? -patience : patience;
    const char *call = "cuEventQuery";
    gputune_result result = gt_cuda__enter(cu, error);
    CUresult code;
    *done = false;
    span->begin = span->end = 0;
    if (result) {
        gt_cuda__drop(cu, t);
        return result;
    }
    code = gt_cuda__await(cu, t->stop, begin, limit > 0 ? limit : 1e-12); // 0: for ever
    if (code == CUDA_ERROR_NOT_READY && patience >= 0) {
        gt_cuda__leave(cu);
        return GPUTUNE_OK;
    }
    if (!code) {
        call = "cuEventElapsedTime";
        code = gt_cuda__span(cu, t, span);
    }
    *done = !code;
    if (code == CUDA_ERROR_NOT_READY)
        result = gt_cuda__hung(cu, t->kernel, t->stop, gputune_now() - begin, error);
    else if (code) {
        result = GT_CUDA__FAIL(GPUTUNE_ERROR_LAUNCH, "kernel \"%s\"", t->kernel);
        result = gt_cuda__verdict(cu, result, code, t->kernel, error);
    }
    gt_cuda__drop(cu, t);
    gt_cuda__leave(cu);
    return result;
}

// What is enqueued on `then` begins after all that is on `first` now. A stream with nothing on it
// need not be waited for; but the default stream waits for all others of the program.
static gputune_result gt_cuda__order(gt_cuda__device *cu, CUstream first, CUstream then,
                                     gputune_error *error)
{
    const char *call = "cuStreamQuery";
    CUresult code =
        first && first != CU_STREAM_LEGACY ? cu->call.cuStreamQuery(first) : CUDA_ERROR_NOT_READY;
    if (!code) return GPUTUNE_OK;
    if (code == CUDA_ERROR_NOT_READY) code = CUDA_SUCCESS;
    if (!cu->order) GT_CUDA__TRY(cuEventCreate, (&cu->order, CU_EVENT_DISABLE_TIMING));
    GT_CUDA__TRY(cuEventRecord, (cu->order, first));
    GT_CUDA__TRY(cuStreamWaitEvent, (then, cu->order, 0));
    if (!code) return GPUTUNE_OK;
    GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%s", "to order two streams");
    return gt_cuda__verdict(cu, error->result, code, NULL, error);
}

static gputune_result gt_cuda__fork(void *self, int queue, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    CUstream then;
    gputune_result result = gt_cuda__begin_on(cu, queue, &then, error);
    if (result) return result;
    if (queue > 0) result = gt_cuda__uncaptured(cu, error);
    if (queue > 0 && !result) result = gt_cuda__order(cu, cu->stream, then, error);
    gt_cuda__leave(cu);
    return result;
}

static gputune_result gt_cuda__join(void *self, int queue, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    CUstream first = queue == 1 ? cu->trials : queue == 2 ? cu->other : NULL;
    gputune_result result = gt_cuda__enter(cu, error);
    if (result) return result;
    if (first) result = gt_cuda__uncaptured(cu, error);
    if (first && !result) result = gt_cuda__order(cu, first, cu->stream, error);
    gt_cuda__leave(cu);
    return result;
}

// Not where the program does without NVRTC.
static bool gt_cuda__compares(void *self, size_t bytes)
{
    (void)bytes;
    return ((const gt_cuda__device *)self)->has_nvrtc;
}

static gputune_result gt_cuda__recover(void *self, double seconds, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    double begin = gputune_now();
    while (!gt_cuda__alive(cu)) {
        double elapsed = gputune_now() - begin;
        if (!cu->hung || elapsed > seconds) return gt_cuda__gone(cu, error);
        gputune_sleep(elapsed < 16e-3 ? 1e-3 : elapsed < 1.6 ? elapsed / 16 : 0.1);
    }
    return GPUTUNE_OK;
}

static gputune_result gt_cuda__wait(void *self, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gputune_result result = gt_cuda__enter(cu, error);
    const char *call = NULL;
    CUresult code = CUDA_SUCCESS;
    if (result) return result;
    result = gt_cuda__uncaptured(cu, error);
    if (!result) {
        GT_CUDA__TRY(cuCtxSynchronize, ());
        if (!code)
            cu->pending[0] = 0;
        else
            result = GT_CUDA__FAIL(GPUTUNE_ERROR_DRIVER, "%s", "waiting for the context");
        result = gt_cuda__aftermath(cu, result, true, NULL, error);
    }
    gt_cuda__leave(cu);
    return result;
}

// -----
// [metrics]
// -----

// CUDA's answer for a launch, opted in as the launch does.
static void gt_cuda__fill_occupancy(gt_cuda__device *cu, gt_cuda__code *code, int group_size,
                                    gputune_usage *usage)
{
    const size_t dynamic = (size_t)(usage->local_memory - code->shared);
    const int warps = cu->max_threads / 32;
    gputune_error error;
    int groups;
    if (gt_cuda__enter(cu, &error)) return;
    if (!gt_cuda__opt_in(cu, code, dynamic, &error) &&
        !cu->call.cuOccupancyMaxActiveBlocksPerMultiprocessor(&groups, code->function, group_size,
                                                              dynamic) && warps > 0) {
        usage->active_groups = groups;
        usage->occupancy = (double)groups * ((group_size + 31) / 32) / warps;
    }
    gt_cuda__leave(cu);
}

static void gt_cuda__usage(void *self, void *code, const gputune_driver_launch *launch,
                           gputune_usage *usage)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gt_cuda__code *compiled = (gt_cuda__code *)code;
    gputune_error ignored;
    unsigned grid[3], block[3];
    int i;
    usage->local_memory = compiled->shared;
    for (i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == GPUTUNE_ARG_LOCAL)
            usage->local_memory += (int64_t)((launch->args[i].bytes + 15) / 16 * 16);
    usage->registers = compiled->registers;
    usage->spill_bytes = compiled->spill_bytes;
    if (!gt_cuda__shape(compiled, launch, grid, block, &ignored))
        gt_cuda__fill_occupancy(cu, compiled, (int)(block[0] * block[1] * block[2]), usage);
}

static gputune_result gt_cuda__nvml_failed(const gt_cuda__device *cu, const char *call, int code,
                                           gputune_error *error)
{
    return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED, "%s: %s (%d): this GPU's energy",
                             call, cu->nvml.nvmlErrorString(code), code);
}

// NVML counts boards in its own order: the bus address tells which is ours.
static gputune_result gt_cuda__open_board(gt_cuda__device *cu, gputune_error *error)
{
    int code;
    gputune_result result = gputune_library_load("NVML", cu->nvml_path, gt_cuda__nvml_names,
                                                 "it comes with NVIDIA's driver",
                                                 gt_cuda__nvml_symbols, &cu->nvml, error);
    if (result) return result;
    code = cu->nvml.nvmlInit_v2();
    if (code) return gt_cuda__nvml_failed(cu, "nvmlInit", code, error);
    code = cu->nvml.nvmlDeviceGetHandleByPciBusId_v2(cu->bus, &cu->board);
    if (code == 0 && cu->board) return GPUTUNE_OK;
    cu->board = NULL;
    cu->nvml.nvmlShutdown();
    return gt_cuda__nvml_failed(cu, "nvmlDeviceGetHandleByPciBusId", code, error);
}

static gputune_result gt_cuda__energy(void *self, double *joules, gputune_error *error)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    unsigned long long millijoules = 0;
    int code;
    gputune_result result = cu->board ? GPUTUNE_OK : gt_cuda__open_board(cu, error);
    if (result) return result;
    code = cu->nvml.nvmlDeviceGetTotalEnergyConsumption(cu->board, &millijoules);
    if (code) return gt_cuda__nvml_failed(cu, "nvmlDeviceGetTotalEnergyConsumption", code, error);
    *joules = 1e-3 * (double)millijoules;
    return GPUTUNE_OK;
}

// -----
// [table]
// -----

static void gt_cuda__destroy(void *self)
{
    gt_cuda__device *cu = (gt_cuda__device *)self;
    gputune_options options = cu->options;
    gt_cuda__close(cu);
    if (cu->board) cu->nvml.nvmlShutdown();
    gputune_reallocate(&options, cu->nvrtc_path, 0);
    gputune_reallocate(&options, cu->nvml_path, 0);
    gputune_reallocate(&options, cu->prelude, 0);
    gputune_reallocate(&options, cu, 0);
}

static void gt_cuda__table(gt_cuda__device *cu, gputune_driver *driver)
{
    memset(driver, 0, sizeof *driver);
    driver->api = "cuda";
    driver->destroy = gt_cuda__destroy;
    driver->compile = gt_cuda__compile;
    driver->discard = gt_cuda__discard;
    driver->translate = gt_cuda__translate;
    driver->group_limit = gt_cuda__group_limit;
    driver->symbol = gt_cuda__symbol;
    driver->usage = gt_cuda__usage;
    driver->launch = gt_cuda__launch;
    driver->capturing = gt_cuda__capturing;
    driver->access = gt_cuda__access_of;
    driver->time = gt_cuda__time;
    driver->allocate = gt_cuda__allocate;
    driver->allocate_like = gt_cuda__allocate_like;
    driver->release = gt_cuda__release;
    driver->extent = gt_cuda__extent;
    driver->copy = gt_cuda__copy;
    driver->fill = gt_cuda__fill;
    driver->read = gt_cuda__read;
    driver->write = gt_cuda__write;
    driver->wait = gt_cuda__wait;
    driver->recover = gt_cuda__recover;
    driver->submit = gt_cuda__submit;
    driver->poll = gt_cuda__poll;
    driver->fork = gt_cuda__fork;
    driver->join = gt_cuda__join;
    driver->queues = GT_CUDA__QUEUES;
    driver->compares = gt_cuda__compares;
    driver->energy = gt_cuda__energy;
    // H200: the counter moves every 100 ms. What it says of 0.1 s of work differs by 15 % between
    // repetitions, of 0.2 s by 7 %, of 0.5 s by 2.6 %.
    driver->energy_seconds = 0.5;
    driver->takes_source = true;
    driver->prelude = cu->prelude;
    // NVRTC's, and the prelude's for OpenCL C.
    snprintf(cu->macros, sizeof cu->macros,
             "-D__CUDACC__ -D__CUDACC_RTC__ -D__CUDA_ARCH__=%d -D__CUDA_ARCH_LIST__=%d -U__NVCC__ "
             "-Dgputune_prelude "
             "-D__OPENCL_VERSION__=120 -D__OPENCL_C_VERSION__=120 -DCL_VERSION_1_0=100 "
             "-DCL_VERSION_1_1=110 -DCL_VERSION_1_2=120 -DCL_VERSION_2_0=200 -DCL_VERSION_3_0=300 "
             "-D__ENDIAN_LITTLE__ -Dcl_khr_fp64 -Dcl_khr_byte_addressable_store",
             100 * cu->major + 10 * cu->minor, 100 * cu->major + 10 * cu->minor);
    driver->macros = cu->macros;
    driver->compiler_macros = gt_cuda__compiler_macros;
    // NVRTC's version is not part of it: a second start need not load NVRTC, unless a text asks for
    // that version.
    snprintf(driver->translator, sizeof driver->translator, "sm_%d%d", cu->major,
             cu->minor);
}

// -----
// [public]
// -----

static char *gt_cuda__copy_text(const gputune_options *options, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = (char *)gputune_reallocate(options, NULL, size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

// Texts of the description are the program's: copies of those that are needed later.
static bool gt_cuda__copy_desc(gt_cuda__device *cu, const gputune_cuda_desc *desc)
{
    const gputune_options *options = &cu->options;
    if (desc->nvrtc && !(cu->nvrtc_path = gt_cuda__copy_text(options, desc->nvrtc))) return false;
    if (desc->nvml && !(cu->nvml_path = gt_cuda__copy_text(options, desc->nvml))) return false;
    cu->prelude = gt_cuda__prelude(options);
    return cu->prelude != NULL;
}

GPUTUNE_API gputune_device *gputune_cuda_device_create(const gputune_cuda_desc *desc)
{
    gputune_cuda_desc none;
    gputune_driver driver;
    gputune_limits limits;
    gputune_error error;
    gt_cuda__device *cu;
    gputune_result result;
    memset(&none, 0, sizeof none);
    if (!desc) desc = &none;
    cu = (gt_cuda__device *)gputune_reallocate(&desc->options, NULL, sizeof *cu);
    if (!cu) return NULL;
    memset(cu, 0, sizeof *cu);
    cu->options = desc->options;
    result = gputune_library_load("CUDA driver", desc->library, gt_cuda__driver_names,
                                  "install NVIDIA's driver", gt_cuda__symbols, &cu->call, &error);
    if (!result) result = gt_cuda__attach(cu, desc, &error);
    if (!result && !gt_cuda__copy_desc(cu, desc))
        result = gputune_error_set(&error, GPUTUNE_ERROR_MEMORY, NULL);
    if (result) {
        gt_cuda__destroy(cu);
        return gputune_device_create_failed(&desc->options, &error);
    }
    gt_cuda__limits(cu, &limits);
    gt_cuda__table(cu, &driver);
    return gputune_device_create(&driver, cu, &limits, &desc->options);
}

GPUTUNE_API gputune_device *gputune_cuda_device(CUstream stream)
{
    gputune_cuda_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.stream = stream;
    return gputune_cuda_device_create(&desc);
}

static const gt_cuda__device *gt_cuda__self(const gputune_device *device)
{
    return (const gt_cuda__device *)gputune_device_self(device, "cuda");
}

#define GT_CUDA__X(type, name, field, none) \
    GPUTUNE_API type name(const gputune_device *device) \
    { \
        const gt_cuda__device *cu = gt_cuda__self(device); \
        return cu ? cu->field : none; \
    }
GT_CUDA__X(CUcontext, gputune_cuda_context, context, NULL)
GT_CUDA__X(CUstream, gputune_cuda_stream, stream, NULL)
GT_CUDA__X(CUdevice, gputune_cuda_ordinal, id, -1)
#undef GT_CUDA__X

GPUTUNE_API void *gputune_cuda_pointer(CUdeviceptr pointer)
{
    return (void *)(uintptr_t)pointer;
}

GT__HOT

#ifdef __cplusplus
}
#endif

#endif // GPUTUNE_CUDA_IMPLEMENTATION

// History
//     v0.1.0  2026-11-21  first version

// Licence: MIT or public domain, as you like; the text is at the end of gputune.h.
