// gputune_cuda.h - v0.1.0 - CUDA driver of gputune - MIT or public domain

#ifndef GPUTUNE_CUDA_H
#define GPUTUNE_CUDA_H

#include "gputune.h"

#if defined(__has_include)
#if !__has_include(<cuda.h>)
#error "gputune_cuda.h needs <cuda.h> of the CUDA toolkit: add its include folder, e.g. -I/usr/local/cuda/include"
#endif
#endif
#include <cuda.h>

#ifdef __cplusplus
extern "C" {
#endif

// Which GPU, and how gputune behaves on it. All zero: the calling thread's current context, else
// the primary context (the one that the runtime API uses) of the first GPU, and its default stream.
typedef struct gputune_cuda_desc {
    gputune_options options;
    CUcontext context; // the program's; must outlive the device. NULL: as above
    CUstream stream;   // where the final launches go, e.g. a cudaStream_t; NULL: the default stream
    int device;        // ordinal, where neither context nor a current one is there
    const char *const *include; // folders for the compiler's #include, ends with NULL
    const char *library; // of the driver to load (libcuda.so.1); NULL: the system's
    const char *nvrtc;   // of the run-time compiler; NULL: the newest that is found
    const char *nvml;    // of the management library, for energy; NULL: the system's
} gputune_cuda_desc;

// The device behind a stream of the calling thread's current context (a cudaStream_t will do);
// without a current context, the primary one of the first GPU. NULL only when out of memory;
// otherwise check gputune_device_error, or gputune_run's result. Destroy it with
// gputune_device_destroy.
GPUTUNE_API gputune_device *gputune_cuda_device(CUstream stream);
GPUTUNE_API gputune_device *gputune_cuda_device_create(const gputune_cuda_desc *desc);

// The CUDA objects behind a device. NULL (ordinal -1) when it has failed or is another driver's.
GPUTUNE_API CUcontext gputune_cuda_context(const gputune_device *device);
GPUTUNE_API CUstream gputune_cuda_stream(const gputune_device *device);
GPUTUNE_API CUdevice gputune_cuda_ordinal(const gputune_device *device);

// Arguments in device memory, as gputune_in and so on take them: the bits of a CUdeviceptr, or a
// pointer of cudaMalloc as it is.
GPUTUNE_API void *gputune_cuda_pointer(CUdeviceptr pointer);

#ifdef __cplusplus
}
#endif

#endif // GPUTUNE_CUDA_H

// =============================================================================================
// IMPLEMENTATION
// =============================================================================================

#if defined(GPUTUNE_CUDA_IMPLEMENTATION) && !defined(GPUTUNE_CUDA__IMPLEMENTED)
#define GPUTUNE_CUDA__IMPLEMENTED

#include <nvrtc.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// [loader]
// ---------------------------------------------------------------------------------------------

// Every function of the CUDA driver used, once: result, exported name, parameters.
#define GPUTUNE_CUDA__CALLS(X)                                                                    \
    X(CUresult, cuInit, (unsigned))                                                               \
    X(CUresult, cuDriverGetVersion, (int *))                                                      \
    X(CUresult, cuGetErrorName, (CUresult, const char **))                                        \
    X(CUresult, cuGetErrorString, (CUresult, const char **))                                      \
    X(CUresult, cuDeviceGetCount, (int *))                                                        \
    X(CUresult, cuDeviceGet, (CUdevice *, int))                                                   \
    X(CUresult, cuDeviceGetName, (char *, int, CUdevice))                                         \
    X(CUresult, cuDeviceGetAttribute, (int *, CUdevice_attribute, CUdevice))                      \
    X(CUresult, cuDeviceTotalMem_v2, (size_t *, CUdevice))                                        \
    X(CUresult, cuDeviceGetPCIBusId, (char *, int, CUdevice))                                     \
    X(CUresult, cuDevicePrimaryCtxRetain, (CUcontext *, CUdevice))                                \
    X(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice))                                         \
    X(CUresult, cuCtxGetCurrent, (CUcontext *))                                                   \
    X(CUresult, cuCtxPushCurrent_v2, (CUcontext))                                                 \
    X(CUresult, cuCtxPopCurrent_v2, (CUcontext *))                                                \
    X(CUresult, cuCtxGetDevice, (CUdevice *))                                                     \
    X(CUresult, cuCtxSynchronize, (void))                                                         \
    X(CUresult, cuModuleLoadData, (CUmodule *, const void *))                                     \
    X(CUresult, cuModuleUnload, (CUmodule))                                                       \
    X(CUresult, cuModuleGetFunction, (CUfunction *, CUmodule, const char *))                      \
    X(CUresult, cuFuncGetAttribute, (int *, CUfunction_attribute, CUfunction))                    \
    X(CUresult, cuFuncSetAttribute, (CUfunction, CUfunction_attribute, int))                      \
    X(CUresult, cuLaunchKernel,                                                                   \
      (CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,          \
       CUstream, void **, void **))                                                               \
    X(CUresult, cuOccupancyMaxActiveBlocksPerMultiprocessor, (int *, CUfunction, int, size_t))    \
    X(CUresult, cuStreamCreate, (CUstream *, unsigned))                                           \
    X(CUresult, cuStreamDestroy_v2, (CUstream))                                                   \
    X(CUresult, cuStreamSynchronize, (CUstream))                                                  \
    X(CUresult, cuEventCreate, (CUevent *, unsigned))                                             \
    X(CUresult, cuEventDestroy_v2, (CUevent))                                                     \
    X(CUresult, cuEventRecord, (CUevent, CUstream))                                               \
    X(CUresult, cuEventQuery, (CUevent))                                                          \
    X(CUresult, cuEventElapsedTime, (float *, CUevent, CUevent))                                  \
    X(CUresult, cuMemAlloc_v2, (CUdeviceptr *, size_t))                                           \
    X(CUresult, cuMemFree_v2, (CUdeviceptr))                                                      \
    X(CUresult, cuMemcpyDtoDAsync_v2, (CUdeviceptr, CUdeviceptr, size_t, CUstream))               \
    X(CUresult, cuMemcpyDtoHAsync_v2, (void *, CUdeviceptr, size_t, CUstream))                    \
    X(CUresult, cuMemcpyHtoDAsync_v2, (CUdeviceptr, const void *, size_t, CUstream))              \
    X(CUresult, cuMemsetD8Async, (CUdeviceptr, unsigned char, size_t, CUstream))

// Newer drivers have these; NULL where they are missing.
#define GPUTUNE_CUDA__OPTIONAL_CALLS(X)                                                           \
    X(CUresult, cuFuncGetParamInfo, (CUfunction, size_t, size_t *, size_t *))

#define GPUTUNE_CUDA__NVRTC_CALLS(X)                                                              \
    X(nvrtcResult, nvrtcVersion, (int *, int *))                                                  \
    X(const char *, nvrtcGetErrorString, (nvrtcResult))                                           \
    X(nvrtcResult, nvrtcGetNumSupportedArchs, (int *))                                            \
    X(nvrtcResult, nvrtcGetSupportedArchs, (int *))                                               \
    X(nvrtcResult, nvrtcCreateProgram,                                                            \
      (nvrtcProgram *, const char *, const char *, int, const char *const *,                      \
       const char *const *))                                                                      \
    X(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram *))                                         \
    X(nvrtcResult, nvrtcAddNameExpression, (nvrtcProgram, const char *))                          \
    X(nvrtcResult, nvrtcCompileProgram, (nvrtcProgram, int, const char *const *))                 \
    X(nvrtcResult, nvrtcGetLoweredName, (nvrtcProgram, const char *, const char **))              \
    X(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram, size_t *))                              \
    X(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram, char *))                                    \
    X(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram, size_t *))                                   \
    X(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram, char *))                                         \
    X(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram, size_t *))                                     \
    X(nvrtcResult, nvrtcGetPTX, (nvrtcProgram, char *))

// Of NVML, whose header is not needed: results are int, 0 is success.
#define GPUTUNE_CUDA__NVML_CALLS(X)                                                               \
    X(int, nvmlInit_v2, (void))                                                                   \
    X(int, nvmlShutdown, (void))                                                                  \
    X(const char *, nvmlErrorString, (int))                                                       \
    X(int, nvmlDeviceGetHandleByPciBusId_v2, (const char *, void **))                             \
    X(int, nvmlDeviceGetTotalEnergyConsumption, (void *, unsigned long long *))

#endif // GPUTUNE_CUDA_IMPLEMENTATION
