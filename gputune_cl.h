// gputune_cl.h - v0.3.0 - OpenCL driver of gputune - MIT or public domain
//
// Do this in ONE C or C++ file (-lOpenCL is for the program's own calls). A whole program:
//     #define GPUTUNE_IMPLEMENTATION
//     #define GPUTUNE_CL_IMPLEMENTATION
//     #include "gputune_cl.h"
//     const char source[] = "#pragma gputune erange 32,1024,2          \n"  // 32, 64, ... 1024
//                           "#define BLOCK 128                         \n"  // the default
//                           "#pragma gputune global n                  \n"
//                           "#pragma gputune local BLOCK               \n"
//                           "__kernel void saxpy(int n, float a, __global const float *x,\n"
//                           "                    __global float *y)    \n"
//                           "{ int i = get_global_id(0); if (i < n) y[i] += a * x[i]; }\n";
//     static float data[1 << 20];
//     int main(void)
//     {
//         cl_platform_id platform; clGetPlatformIDs(1, &platform, NULL);
//         cl_device_id id; clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &id, NULL);
//         cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
//         cl_command_queue queue = clCreateCommandQueue(context, id, 0, NULL);
//         cl_mem x = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
//         cl_mem y = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof data, data, NULL);
//         gputune_device *device = gputune_cl_device(queue); // NULL: opens the best device itself
//         gputune_kernel_desc desc = { 0 }; desc.source = source, desc.name = "saxpy";
//         gputune_kernel *kernel = gputune_kernel_create(device, &desc);
//         gputune_arg args[] = { gputune_int(1 << 20), gputune_float(2),
//                                gputune_in(x, sizeof data), gputune_inout(y, sizeof data) };
//         if (gputune_run(kernel, args, 4)) // tunes the first time; later just runs
//             puts(gputune_kernel_error(kernel)->text);
//     }
//
// WHAT IT DOES NOT DO
//     It uses OpenCL 1.2 and nothing newer: no shared virtual memory, no pipes, no images or
//     samplers as arguments. It cannot stop a kernel that never ends; it gives the device up
//     instead (see ERRORS). It does not build for several devices of a context: the queue's counts.
//
// INDEX (search for "[name]")
//     [loader]         the OpenCL functions used, and where they come from
//     [errors]         codes by name, messages, waiting
//     [device]         limits, choosing and opening
//     [compile]        from source to a kernel; the compiler's messages
//     [arguments]      buffers with guards, copies, arguments of a launch
//     [launch+timing]  the final launch; trials, timed and guarded against hanging
//     [table]          what gputune.h calls
//     [public]         what programs call
//
// GLOSSARY
//     program's queue  the cl_command_queue handed to gputune_cl_device
//     trial queue      where trials and copies run: the program's queue if it is in order and has
//                      CL_QUEUE_PROFILING_ENABLE, else one of ours in the same context
//     guard            bytes before and after a trial's buffer that no kernel may write
//     ICD              an OpenCL implementation that the common loader finds (Installable Client
//                      Driver): NVIDIA's, AMD's, Intel's, Mesa's, PoCL
//
// STEP BY STEP
//  1. Hand over your queue, or NULL. NULL chooses among the devices of all platforms: GPUs before
//     accelerators before processors, and among equals the most compute units times clock. A
//     platform that fails is skipped, and the log reports it. gputune_cl_desc chooses by name.
//  2. The queue is retained, nothing of it is changed. Before trials it is waited for, once. The
//     final launch of gputune_run is enqueued on it as one of your own: it runs after your clFlush
//     or clFinish. Micro-profiling has two more queues in the same context, and flushes both. It is
//     enqueued on yours, with barriers, in order with your commands before and after it. The
//     device's clock is that of the queues: where yours has CL_QUEUE_PROFILING_ENABLE and is in
//     order, parts are timed on it.
//  3. Buffers are cl_mem of the queue's context. A program without set-up of its own makes them
//     with gputune_buffer_create and needs no -lOpenCL.
//  4. Pass gputune_local("BLOCK * 4") for a __local pointer.
//
// OVERRIDES (define before the include)
//     GPUTUNE_CL_IMPLEMENTATION  in one file: emit the code
//     GPUTUNE_CL_LINKED          call OpenCL's functions by name: link with -lOpenCL. Default: the
//                                library is loaded when a device is made
//     CL_TARGET_OPENCL_VERSION   of the headers (120: a program that calls newer functions defines
//                                it, or includes CL/cl.h first)
//     GPUTUNE_STATIC, GPUTUNE_API  as in gputune.h
//
// ERRORS
//     A device that cannot be opened carries its error: ERROR_LIBRARY (no OpenCL installed; the
//     text names the files tried), ERROR_NO_DEVICE (no platform or device; the text lists those
//     found), ERROR_DRIVER. Each text names the OpenCL function, its code and the culprit.
//     ERROR_COMPILE carries the compiler's first errors; the whole log goes to the log function at
//     GPUTUNE_LOG_DEBUG. A launch that the device has no room for (CL_OUT_OF_RESOURCES,
//     CL_INVALID_WORK_GROUP_SIZE ...) is ERROR_RESOURCES.
//     A kernel that still runs after the hang limit makes the device lost: calls fail at once with
//     ERROR_DEVICE_LOST until it and all else under way has ended. Buffers, queue and context that
//     may still be in use are left alone meanwhile, also by gputune_device_destroy, because OpenCL
//     would wait for them for ever. Each later call asks whether it has ended, and works if so. A
//     device that died is opened anew by another gputune_cl_device_create.
//     Launches count from when they run, which must be within a minute: some drivers (PoCL) compile
//     at the first one of each work-group size.
//
// MEMORY
//     The driver's own object, one per compiled kernel and the compiler's messages come from the
//     gputune_options.reallocate. Device buffers are touched when made, since drivers allocate
//     late and would fail in the middle of a trial. OpenCL's library stays loaded to the end of the
//     process once a function of it was called: implementations have threads and exit handlers
//     that do not survive unloading.
//
// THREADS
//     No globals: two devices may be used by two threads. One device, and its queue while it tunes,
//     by one thread at a time.
//     Programs are compiled one after the other, when they are tried. PoCL's compiler makes as many
//     a second for one thread as for 16 (bench/bench_answer.c, compiles_N_sgemm: 60 on two cores).
//     NVIDIA's (580.159, an H200) makes 6 to 7 for one and 8 to 12 for four to 16.
//
// HOW TO READ THE NUMBERS
//     Seconds are those of the device's own clock: from the start of the first launch of a batch to
//     the end of the last (CL_PROFILING_COMMAND_START, _END). Where a driver has no such clock or
//     gives zeros the host's clock serves, launch and wait included, and the log reports it once.
//
// REFERENCES
//     Khronos OpenCL Working Group: The OpenCL Specification, version 1.2, 2012: queues 5.1,
//     sub-buffers 5.2.1, building 5.6.2, launches 5.8, events 5.9, profiling 5.12.
//
// LICENCE
//     MIT or public domain, as you like: see the end of gputune.h.

#ifndef GPUTUNE_CL_H
#define GPUTUNE_CL_H

#include "gputune.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#ifdef __APPLE__
#include <OpenCL/opencl.h>
#else
#include <CL/cl.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

// The choice of a device, and how gputune behaves on it. All zero: the best device of the machine.
typedef struct gputune_cl_desc {
    gputune_options options;
    cl_command_queue queue; // the program's own; retained. NULL: a device is opened
    const char *platform;   // the rest is for queue NULL. Part of the platform's name or vendor,
    const char *device;     // part of the device's name, in any case; NULL: any
    cl_device_type type;    // CL_DEVICE_TYPE_GPU, ...; 0: any, GPUs preferred
    const char *library;    // of the OpenCL library to load, also for queue; NULL: the system's
} gputune_cl_desc;

// Makes a device of the program's queue; NULL: of the best device of the machine. NULL only when
// out of memory; otherwise check gputune_device_error, or gputune_run's result. Destroy it with
// gputune_device_destroy, which gives the queue back as it was.
GPUTUNE_API gputune_device *gputune_cl_device(cl_command_queue queue);
GPUTUNE_API gputune_device *gputune_cl_device_create(const gputune_cl_desc *desc);

// Return the OpenCL objects behind a device, for calls of your own. They live as long as the device
// unless you retain them. NULL when it has failed or is not an OpenCL device.
GPUTUNE_API cl_command_queue gputune_cl_queue(const gputune_device *device);
GPUTUNE_API cl_context gputune_cl_context(const gputune_device *device);
GPUTUNE_API cl_device_id gputune_cl_device_id(const gputune_device *device);
GPUTUNE_API cl_platform_id gputune_cl_platform_id(const gputune_device *device);

// The arguments of clEnqueueNDRangeKernel beside the kernel and its sizes. All zero: nothing.
typedef struct gputune_cl_order {
    // The first id of each dimension of the launch; NULL: 0. Not of several launches as one:
    // ERROR_ARGUMENT
    const size_t *offset;
    cl_uint wait_count;        // events that the launch waits for. Trials wait, too, for they read
    const cl_event *wait_list; // the same data. NULL: none
    cl_event *event;           // gets the launch's event, which is yours to release; or NULL
} gputune_cl_order;

// Does what gputune_run does, ordered by events, as queues that are out of order need it. A global
// offset holds for trials, too. A call that tunes, or frees old compiled code, waits for the list
// itself: your events must not need its return. *order->event is NULL where the call fails. Where
// nothing is launched it is a marker's behind the list. For several launches as one it is a
// marker's behind all in the queue, and barriers keep these in order. ERROR_ARGUMENT: the kernel's
// device is not OpenCL's.
GPUTUNE_API gputune_result gputune_cl_run(gputune_kernel *kernel, const gputune_arg *args,
                                          int arg_count, const gputune_cl_order *order);

#ifdef __cplusplus
}
#endif

#endif // GPUTUNE_CL_H

// =====
// IMPLEMENTATION
// =====

#if defined(GPUTUNE_CL_IMPLEMENTATION) && !defined(GT_CL__IMPLEMENTED)
#define GT_CL__IMPLEMENTED

#ifndef GPUTUNE_DRIVER
#define GPUTUNE_DRIVER
#endif
#include "gputune.h"

#include <stdio.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

GT__COLD // nothing here is hot

// -----
// [loader]
// -----

// Every OpenCL function used, once: result, name, parameters.
#define GT_CL__CALLS(X) \
    X(cl_int, clGetPlatformIDs, (cl_uint, cl_platform_id *, cl_uint *)) \
    X(cl_int, clGetPlatformInfo, (cl_platform_id, cl_platform_info, size_t, void *, size_t *)) \
    X(cl_int, clGetDeviceIDs, \
      (cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *)) \
    X(cl_int, clGetDeviceInfo, (cl_device_id, cl_device_info, size_t, void *, size_t *)) \
    X(cl_context, clCreateContext, \
      (const cl_context_properties *, cl_uint, const cl_device_id *, \
       void(CL_CALLBACK *)(const char *, const void *, size_t, void *), void *, cl_int *)) \
    X(cl_int, clRetainContext, (cl_context)) \
    X(cl_int, clReleaseContext, (cl_context)) \
    X(cl_command_queue, clCreateCommandQueue, \
      (cl_context, cl_device_id, cl_command_queue_properties, cl_int *)) \
    X(cl_int, clRetainCommandQueue, (cl_command_queue)) \
    X(cl_int, clReleaseCommandQueue, (cl_command_queue)) \
    X(cl_int, clGetCommandQueueInfo, \
      (cl_command_queue, cl_command_queue_info, size_t, void *, size_t *)) \
    X(cl_int, clFlush, (cl_command_queue)) \
    X(cl_int, clFinish, (cl_command_queue)) \
    X(cl_program, clCreateProgramWithSource, \
      (cl_context, cl_uint, const char **, const size_t *, cl_int *)) \
    X(cl_int, clBuildProgram, \
      (cl_program, cl_uint, const cl_device_id *, const char *, \
       void(CL_CALLBACK *)(cl_program, void *), void *)) \
    X(cl_int, clGetProgramInfo, (cl_program, cl_program_info, size_t, void *, size_t *)) \
    X(cl_int, clGetProgramBuildInfo, \
      (cl_program, cl_device_id, cl_program_build_info, size_t, void *, size_t *)) \
    X(cl_int, clReleaseProgram, (cl_program)) \
    X(cl_kernel, clCreateKernel, (cl_program, const char *, cl_int *)) \
    X(cl_int, clGetKernelInfo, (cl_kernel, cl_kernel_info, size_t, void *, size_t *)) \
    X(cl_int, clGetKernelWorkGroupInfo, \
      (cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *)) \
    X(cl_int, clSetKernelArg, (cl_kernel, cl_uint, size_t, const void *)) \
    X(cl_int, clReleaseKernel, (cl_kernel)) \
    X(cl_mem, clCreateBuffer, (cl_context, cl_mem_flags, size_t, void *, cl_int *)) \
    X(cl_mem, clCreateSubBuffer, \
      (cl_mem, cl_mem_flags, cl_buffer_create_type, const void *, cl_int *)) \
    X(cl_int, clGetMemObjectInfo, (cl_mem, cl_mem_info, size_t, void *, size_t *)) \
    X(cl_int, clReleaseMemObject, (cl_mem)) \
    X(cl_int, clEnqueueReadBuffer, \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, void *, cl_uint, const cl_event *, \
       cl_event *)) \
    X(cl_int, clEnqueueWriteBuffer, \
      (cl_command_queue, cl_mem, cl_bool, size_t, size_t, const void *, cl_uint, \
       const cl_event *, cl_event *)) \
    X(cl_int, clEnqueueCopyBuffer, \
      (cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint, const cl_event *, \
       cl_event *)) \
    X(cl_int, clEnqueueFillBuffer, \
      (cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, cl_uint, \
       const cl_event *, cl_event *)) \
    X(cl_int, clEnqueueNDRangeKernel, \
      (cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, const size_t *, \
       cl_uint, const cl_event *, cl_event *)) \
    X(cl_int, clEnqueueMarkerWithWaitList, \
      (cl_command_queue, cl_uint, const cl_event *, cl_event *)) \
    X(cl_int, clEnqueueBarrierWithWaitList, \
      (cl_command_queue, cl_uint, const cl_event *, cl_event *)) \
    X(cl_int, clGetEventInfo, (cl_event, cl_event_info, size_t, void *, size_t *)) \
    X(cl_int, clGetEventProfilingInfo, (cl_event, cl_profiling_info, size_t, void *, size_t *)) \
    X(cl_int, clRetainEvent, (cl_event)) \
    X(cl_int, clReleaseEvent, (cl_event))

typedef struct gt_cl__calls {
#define GT_CL__X(result, name, parameters) result(CL_API_CALL *name) parameters;
    GT_CL__CALLS(GT_CL__X)
#undef GT_CL__X
} gt_cl__calls;

#ifdef GPUTUNE_CL_LINKED

#ifdef __GNUC__ // clCreateCommandQueue is what 1.2 has; newer headers call it deprecated
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
static gputune_result gt_cl__load(gt_cl__calls *calls, const char *path, gputune_error *error)
{
    (void)path, (void)error;
#define GT_CL__X(result, name, parameters) calls->name = name;
    GT_CL__CALLS(GT_CL__X)
#undef GT_CL__X
    return GPUTUNE_OK;
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#else

static gputune_result gt_cl__load(gt_cl__calls *calls, const char *path, gputune_error *error)
{
#if defined(_WIN32)
    static const char *const system[] = { "OpenCL.dll", NULL };
    static const char advice[] = "install your GPU's driver";
#elif defined(__APPLE__)
    static const char *const system[] = {
        "/System/Library/Frameworks/OpenCL.framework/OpenCL", NULL
    };
    static const char advice[] = "this system has no OpenCL framework";
#else
    static const char *const system[] = { "libOpenCL.so.1", "libOpenCL.so", NULL };
    static const char advice[] = "install the loader (Debian: ocl-icd-libopencl1) and the GPU's "
                                 "driver or pocl-opencl-icd, which uses the processor";
#endif
#define GT_CL__X(result, name, parameters) #name,
    static const char *const symbols[] = { GT_CL__CALLS(GT_CL__X) NULL };
#undef GT_CL__X
    return gputune_library_load("OpenCL 1.2", path, system, advice, symbols, calls, error);
}

#endif // GPUTUNE_CL_LINKED

enum {
    GT_CL__QUEUES = 2, // for launches that are under way at once, beside the program's
    GT_CL__PARTS = 16  // of buffers, of one launch
};

// A launch that was submitted.
typedef struct gt_cl__ticket {
    struct gt_cl__ticket *next;
    cl_event event;   // NULL: not enqueued yet
    char kernel[128]; // its name
} gt_cl__ticket;

// Objects to release that the program gave up while the device was lost: events, memory, kernels.
// They are released when all of the events are over.
typedef enum gt_cl__kind { GT_CL__EVENT, GT_CL__MEMORY, GT_CL__KERNEL } gt_cl__kind;

typedef struct gt_cl__device {
    gt_cl__calls call;
    gputune_options options;
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;      // retained or our own
    cl_command_queue queue;  // the program's, retained, or our own
    cl_command_queue trials; // the trial queue; NULL until it is needed; may be == queue
    // Queues 1 and 2 of submit, NULL until needed: the first is the trial queue unless that is the
    // program's.
    cl_command_queue side[GT_CL__QUEUES];
    gt_cl__ticket *tickets; // under way
    bool unordered;         // the program's queue is out of order
    bool clocked;           // and has the device's clock
    bool asked;             // what the next launch on it takes
    cl_event timed;         // of the last that was, or NULL
    bool nvidia;            // the platform is NVIDIA's
    char *macros;           // of the compiler
    bool profiled;          // the trial queue has the device's clock
    bool warned;            // that it has not
    bool lost;
    bool hangs;          // lost, but only until what runs has ended
    char culprit[128];   // the kernel that the device was lost with
    gputune_later *left; // while it is lost
    cl_event probe;      // in `left`, and not over: whether a queue answers; or NULL
    size_t alignment;    // bytes, of a sub-buffer's start
    cl_mem parts[GT_CL__PARTS]; // of the launch in hand
    int part_count;
    cl_ulong local_memory; // bytes
    cl_ulong first_time;   // on the device's clock, of the first ticket; 0: none yet
    bool spins;            // waiting may use the processor: the device is another one
    const gputune_cl_order *order; // of gputune_cl_run, while it runs; or NULL
} gt_cl__device;

typedef struct gt_cl__code {
    cl_kernel kernel;
    cl_uint arg_count;
    size_t group_limit;    // 0: unknown
    cl_ulong local_memory; // bytes that it uses beside its arguments
    char name[128];        // cut
} gt_cl__code;

// -----
// [errors]
// -----

// Those that the calls above may give.
#define GT_CL__CODES(X) \
    X(CL_SUCCESS) X(CL_DEVICE_NOT_FOUND) X(CL_DEVICE_NOT_AVAILABLE) X(CL_COMPILER_NOT_AVAILABLE) \
    X(CL_MEM_OBJECT_ALLOCATION_FAILURE) X(CL_OUT_OF_RESOURCES) X(CL_OUT_OF_HOST_MEMORY) \
    X(CL_PROFILING_INFO_NOT_AVAILABLE) X(CL_MEM_COPY_OVERLAP) X(CL_BUILD_PROGRAM_FAILURE) \
    X(CL_MISALIGNED_SUB_BUFFER_OFFSET) X(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST) \
    X(CL_INVALID_VALUE) X(CL_INVALID_DEVICE_TYPE) X(CL_INVALID_PLATFORM) X(CL_INVALID_DEVICE) \
    X(CL_INVALID_CONTEXT) X(CL_INVALID_QUEUE_PROPERTIES) X(CL_INVALID_COMMAND_QUEUE) \
    X(CL_INVALID_HOST_PTR) X(CL_INVALID_MEM_OBJECT) X(CL_INVALID_BINARY) \
    X(CL_INVALID_BUILD_OPTIONS) X(CL_INVALID_PROGRAM) X(CL_INVALID_PROGRAM_EXECUTABLE) \
    X(CL_INVALID_KERNEL_NAME) X(CL_INVALID_KERNEL_DEFINITION) X(CL_INVALID_KERNEL) \
    X(CL_INVALID_ARG_INDEX) X(CL_INVALID_ARG_VALUE) X(CL_INVALID_ARG_SIZE) \
    X(CL_INVALID_KERNEL_ARGS) X(CL_INVALID_WORK_DIMENSION) X(CL_INVALID_WORK_GROUP_SIZE) \
    X(CL_INVALID_WORK_ITEM_SIZE) X(CL_INVALID_GLOBAL_OFFSET) X(CL_INVALID_EVENT_WAIT_LIST) \
    X(CL_INVALID_EVENT) X(CL_INVALID_OPERATION) X(CL_INVALID_BUFFER_SIZE) \
    X(CL_INVALID_GLOBAL_WORK_SIZE) X(CL_INVALID_PROPERTY)

static const char *gt_cl__code_name(cl_int code)
{
    switch (code) {
#define GT_CL__X(name) case name: return #name;
        GT_CL__CODES(GT_CL__X)
#undef GT_CL__X
    case -1001: return "CL_PLATFORM_NOT_FOUND_KHR";
    case -9999: return "NVIDIA: illegal read or write"; // in no header, but what users meet
    default: return "an unknown code";
    }
}

// Codes that say that this device has too little of something; others are the caller's `otherwise`.
static gputune_result gt_cl__result(cl_int code, gputune_result otherwise)
{
    switch (code) {
    case CL_OUT_OF_RESOURCES:
    case CL_OUT_OF_HOST_MEMORY:
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_INVALID_BUFFER_SIZE: // larger than CL_DEVICE_MAX_MEM_ALLOC_SIZE
    case CL_INVALID_WORK_GROUP_SIZE:
    case CL_INVALID_WORK_ITEM_SIZE: return GPUTUNE_ERROR_RESOURCES;
    default: return otherwise;
    }
}

// The failed function, its code by name, the culprit.
#define GT_CL__FAIL(error, otherwise, call, code, format, ...) \
    gputune_error_set(error, gt_cl__result(code, otherwise), "%s: %s (%d): " format, call, \
                      gt_cl__code_name(code), (int)(code), __VA_ARGS__)

static gputune_result gt_cl__gone(const gt_cl__device *cl, gputune_error *error)
{
    return gputune_error_set(error, GPUTUNE_ERROR_DEVICE_LOST,
                             "the OpenCL device no longer answers since kernel \"%s\" ran: %s",
                             cl->culprit,
                             cl->hangs ? "it works again when the kernel has ended; if that never "
                                         "happens, end the process"
                                       : "create another device");
}

// Waits until an event of a flushed queue is complete (or runs: CL_RUNNING), at most until `limit`
// seconds after *begin (0: for ever), without clWaitForEvents, which no limit ends. Spins at first
// so that short kernels cost little, then sleeps 1/128 of the time so far, 1 ms at most. *status is
// the event's last one: CL_COMPLETE, negative when it failed, positive when time was up; else
// *begin becomes the last moment at which it was not so far. Returns the code of clGetEventInfo.
static cl_int gt_cl__await(const gt_cl__device *cl, cl_event event, cl_int until, double *begin,
                           double limit, cl_int *status)
{
    double last = *begin;
    for (;;) {
        double elapsed = gputune_now() - *begin; // before asking: who sleeps must not be given up
        cl_int code = cl->call.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                              sizeof *status, status, NULL);
        if (!code && *status <= until) *begin = last;
        if (code || *status <= until) return code;
        last = *begin + elapsed;
        if (limit > 0 && elapsed > limit) return CL_SUCCESS;
        if (!cl->spins || elapsed >= 2e-3) gputune_sleep(elapsed < 0.128 ? elapsed / 128 : 1e-3);
    }
}

// -----
// [device]
// -----

enum {
    GT_CL__MAX_PLATFORMS = 32,
    GT_CL__MAX_DEVICES = 64, // of one platform
    GT_CL__MAX_FOUND = 128   // of all
};

// Copies a text, cut to size, without blanks at its ends.
static void gt_cl__copy_text(char *to, size_t size, const char *from)
{
    size_t length;
    while (*from == ' ') from++;
    length = strlen(from);
    while (length && from[length - 1] == ' ') length--;
    if (length >= size) length = size - 1;
    memcpy(to, from, length);
    to[length] = 0;
}

// A device's text; "" when it is not known. Read into more room than any has, since the call fails
// on too little.
static void gt_cl__device_text(const gt_cl__calls *call, cl_device_id id, cl_device_info what,
                               char *text, size_t size)
{
    char whole[8192] = "";
    if (call->clGetDeviceInfo(id, what, sizeof whole - 1, whole, NULL)) whole[0] = 0;
    gt_cl__copy_text(text, size, whole);
}

static void gt_cl__platform_text(const gt_cl__calls *call, cl_platform_id id, cl_platform_info what,
                                 char *text, size_t size)
{
    char whole[2048] = "";
    if (call->clGetPlatformInfo(id, what, sizeof whole - 1, whole, NULL)) whole[0] = 0;
    gt_cl__copy_text(text, size, whole);
}

// A device's number whether it is a cl_uint, a size_t or a cl_ulong; 0 when it is not known.
static int64_t gt_cl__device_number(const gt_cl__calls *call, cl_device_id id, cl_device_info what)
{
    cl_uint narrow;
    cl_ulong wide = 0;
    size_t size = 0;
    if (call->clGetDeviceInfo(id, what, sizeof wide, &wide, &size)) return 0;
    memcpy(&narrow, &wide, sizeof narrow);
    if (size == sizeof narrow) return (int64_t)narrow;
    return wide > (cl_ulong)INT64_MAX ? INT64_MAX : (int64_t)wide;
}

// Does text have part in it, whatever the case? A NULL or empty part is in every text.
static bool gt_cl__has(const char *text, const char *part)
{
    size_t i;
    if (!part || !*part) return true;
    for (; *text; text++) {
        for (i = 0; part[i] && text[i] && (part[i] | ' ') == (text[i] | ' ');) i++;
        if (!part[i]) return true;
    }
    return false;
}

// The codes are OpenCL 3.0's and the two vendors', which OpenCL 1.2's header lacks.
static int64_t gt_cl__warp_size(const gt_cl__calls *call, cl_device_id id)
{
    char extensions[8192];
    int64_t size = gt_cl__device_number(call, id, 0x1067);
    if (size > 0) return size;
    gt_cl__device_text(call, id, CL_DEVICE_EXTENSIONS, extensions, sizeof extensions);
    if (strstr(extensions, "cl_nv_device_attribute_query"))
        return gt_cl__device_number(call, id, 0x4003);
    if (strstr(extensions, "cl_amd_device_attribute_query"))
        return gt_cl__device_number(call, id, 0x4043);
    return 0;
}

static void gt_cl__limits(const gt_cl__device *cl, gputune_limits *limits)
{
    const gt_cl__calls *call = &cl->call;
    cl_uint bus[4]; // domain, bus, device, function
    size_t sizes[16];
    char version[256];
    memset(limits, 0, sizeof *limits);
    memset(sizes, 0, sizeof sizes);
    call->clGetDeviceInfo(cl->id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL);
    limits->max_group_x = (int64_t)sizes[0];
    limits->max_group_y = (int64_t)sizes[1];
    limits->max_group_z = (int64_t)sizes[2];
#define GT_CL__NUMBER(what) gt_cl__device_number(call, cl->id, what)
    limits->max_group_size = GT_CL__NUMBER(CL_DEVICE_MAX_WORK_GROUP_SIZE);
    limits->local_memory = GT_CL__NUMBER(CL_DEVICE_LOCAL_MEM_SIZE);
    limits->constant_memory = GT_CL__NUMBER(CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE);
    limits->global_memory = GT_CL__NUMBER(CL_DEVICE_GLOBAL_MEM_SIZE);
    limits->max_allocation = GT_CL__NUMBER(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    if (!cl->nvidia) // whose is that of the first level
        limits->cache_bytes = GT_CL__NUMBER(CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    limits->compute_units = GT_CL__NUMBER(CL_DEVICE_MAX_COMPUTE_UNITS);
    limits->clock_mhz = GT_CL__NUMBER(CL_DEVICE_MAX_CLOCK_FREQUENCY);
    limits->is_gpu = (GT_CL__NUMBER(CL_DEVICE_TYPE) & CL_DEVICE_TYPE_GPU) != 0;
#undef GT_CL__NUMBER
    limits->warp_size = gt_cl__warp_size(call, cl->id);
    if (!call->clGetDeviceInfo(cl->id, 0x410F, sizeof bus, bus, NULL)) // _KHR
        snprintf(limits->board, sizeof limits->board, "%04x:%02x:%02x.%x", (unsigned)bus[0],
                 (unsigned)bus[1], (unsigned)bus[2], (unsigned)bus[3]);
    gt_cl__device_text(call, cl->id, CL_DEVICE_NAME, limits->name, sizeof limits->name);
    gt_cl__device_text(call, cl->id, CL_DRIVER_VERSION, limits->driver, sizeof limits->driver);
    // Some platforms' holds it and says more that generated code depends on (PoCL: LLVM's version).
    gt_cl__platform_text(call, cl->platform, CL_PLATFORM_VERSION, version, sizeof version);
    if (strstr(version, limits->driver))
        gt_cl__copy_text(limits->driver, sizeof limits->driver, version);
}

// An in-order queue, with the device's clock if it has one.
static cl_command_queue gt_cl__new_queue(gt_cl__device *cl, bool *profiled, cl_int *code)
{
    cl_command_queue queue =
        cl->call.clCreateCommandQueue(cl->context, cl->id, CL_QUEUE_PROFILING_ENABLE, code);
    *profiled = queue != NULL;
    if (*code == CL_INVALID_QUEUE_PROPERTIES)
        queue = cl->call.clCreateCommandQueue(cl->context, cl->id, 0, code);
    return queue;
}

static void gt_cl__release_object(void *self, int kind, void *object)
{
    const gt_cl__device *cl = (const gt_cl__device *)self;
    if (kind == GT_CL__EVENT) cl->call.clReleaseEvent((cl_event)object);
    if (kind == GT_CL__MEMORY) cl->call.clReleaseMemObject((cl_mem)object);
    if (kind == GT_CL__KERNEL) cl->call.clReleaseKernel((cl_kernel)object);
}

// Without memory to remember it an event's end is never known.
static bool gt_cl__leave(gt_cl__device *cl, gt_cl__kind kind, void *object)
{
    const bool left = gputune_later_add(&cl->options, &cl->left, (int)kind, object);
    cl->hangs = cl->hangs && (left || kind != GT_CL__EVENT);
    return left;
}

// object may be NULL.
static void gt_cl__give_back(gt_cl__device *cl, gt_cl__kind kind, void *object)
{
    if (object && cl->lost) gt_cl__leave(cl, kind, object);
    if (object && !cl->lost) gt_cl__release_object(cl, (int)kind, object);
}

// Does the queue still work after a kernel failed? On some devices
// (NVIDIA's) an illegal access makes the whole context useless.
static bool gt_cl__answers(gt_cl__device *cl, cl_command_queue queue, double limit)
{
    double begin = gputune_now();
    cl_int code = CL_SUCCESS, status = CL_QUEUED;
    cl_event event = NULL;
    unsigned char byte = 0;
    cl_mem buffer;
    if (cl->probe) { // the last one, still
        code = gt_cl__await(cl, cl->probe, CL_COMPLETE, &begin, limit, &status);
        if (code || status > CL_COMPLETE) return false;
        cl->probe = NULL;
    }
    buffer = cl->call.clCreateBuffer(cl->context, CL_MEM_READ_WRITE, 1, NULL, &code);
    if (!buffer) return false;
    code = cl->call.clEnqueueFillBuffer(queue, buffer, &byte, 1, 0, 1, 0, NULL, &event);
    if (!code) code = cl->call.clFlush(queue);
    status = CL_QUEUED;
    begin = gputune_now();
    if (!code) code = gt_cl__await(cl, event, CL_COMPLETE, &begin, limit, &status);
    if (event && !code && status > CL_COMPLETE) { // in use
        if (gt_cl__leave(cl, GT_CL__EVENT, event)) cl->probe = event;
        gt_cl__leave(cl, GT_CL__MEMORY, buffer);
        return false;
    }
    if (event) cl->call.clReleaseEvent(event);
    cl->call.clReleaseMemObject(buffer);
    return !code && status == CL_COMPLETE;
}

// Is the launch over? *failed: with an error.
static bool gt_cl__over(const gt_cl__device *cl, cl_event event, bool *failed)
{
    cl_int status = CL_QUEUED;
    if (cl->call.clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status,
                                NULL) ||
        status > CL_COMPLETE)
        return false;
    *failed = *failed || status < CL_COMPLETE;
    return true;
}

// Does the device answer? One that was given up does so again when all that was under way in it has
// ended. Objects that wait for that are released then.
static bool gt_cl__alive(gt_cl__device *cl)
{
    const gt_cl__ticket *t;
    const gputune_later *left;
    bool failed = false;
    char text[256];
    if (!cl->lost || !cl->hangs) return !cl->lost;
    for (left = cl->left; left; left = left->next)
        if (left->kind == GT_CL__EVENT && !gt_cl__over(cl, (cl_event)left->object, &failed))
            return false;
    for (t = cl->tickets; t; t = t->next)
        if (t->event && !gt_cl__over(cl, t->event, &failed)) return false;
    if (failed && !gt_cl__answers(cl, cl->trials ? cl->trials : cl->queue, 1.0)) {
        cl->hangs = cl->probe != NULL;
        return false;
    }
    gputune_later_end(&cl->options, &cl->left, gt_cl__release_object, cl);
    cl->probe = NULL;
    cl->lost = cl->hangs = false;
    snprintf(text, sizeof text, "OpenCL: kernel \"%s\" has ended, the device is back",
                       cl->culprit);
    gputune_log(&cl->options, GPUTUNE_LOG_WARN, text);
    return true;
}

// Checks that the device answers and makes the trial queue if there is none yet; the program's own
// work is waited for then, so that it does not race the trials.
static gputune_result gt_cl__ready(gt_cl__device *cl, gputune_error *error)
{
    cl_int code;
    if (!gt_cl__alive(cl)) return gt_cl__gone(cl, error);
    if (cl->trials) return GPUTUNE_OK;
    code = cl->call.clFinish(cl->queue);
    if (code)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clFinish", code, "%s",
                           "the program's queue");
    cl->trials = gt_cl__new_queue(cl, &cl->profiled, &code);
    if (cl->trials) return GPUTUNE_OK;
    return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clCreateCommandQueue", code, "%s",
                       "a queue for trials");
}

// A queue of submit: 0 is the program's.
static gputune_result gt_cl__queue(gt_cl__device *cl, int queue, cl_command_queue *found,
                                   gputune_error *error)
{
    cl_command_queue *side = &cl->side[queue > 0 ? queue - 1 : 0];
    gputune_result result = GPUTUNE_OK;
    bool profiled;
    cl_int code = CL_SUCCESS;
    if (!gt_cl__alive(cl)) return gt_cl__gone(cl, error);
    *found = cl->queue;
    if (queue == 0) return GPUTUNE_OK;
    if (!*side && queue == 1) {
        result = gt_cl__ready(cl, error);
        if (result) return result;
        if (cl->trials != cl->queue) *side = cl->trials;
    }
    if (!*side) *side = gt_cl__new_queue(cl, &profiled, &code);
    if (!*side)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clCreateCommandQueue", code, "queue %d",
                           queue);
    *found = *side;
    return GPUTUNE_OK;
}

// Gives back all that is held; what a hanging kernel may use is left alone, since releasing a
// queue waits for it.
static void gt_cl__close(gt_cl__device *cl)
{
    gt_cl__ticket *ticket;
    int i;
    gt_cl__alive(cl);
    while ((ticket = cl->tickets) != NULL) {
        if (ticket->event && !cl->lost) cl->call.clReleaseEvent(ticket->event);
        cl->tickets = ticket->next;
        gputune_reallocate(&cl->options, ticket, 0);
    }
    gt_cl__give_back(cl, GT_CL__EVENT, cl->timed);
    gputune_later_end(&cl->options, &cl->left, NULL, NULL);
    for (i = 0; i < GT_CL__QUEUES; i++) {
        if (cl->side[i] && cl->side[i] != cl->trials && !cl->lost)
            cl->call.clReleaseCommandQueue(cl->side[i]);
        cl->side[i] = NULL;
    }
    if (!cl->lost) {
        if (cl->trials && cl->trials != cl->queue) cl->call.clReleaseCommandQueue(cl->trials);
        if (cl->queue) cl->call.clReleaseCommandQueue(cl->queue);
        if (cl->context) cl->call.clReleaseContext(cl->context);
    }
    cl->trials = cl->queue = NULL;
    cl->context = NULL;
}

// Takes the program's queue; it serves for trials, too, if it is in order and has a clock.
static gputune_result gt_cl__wrap(gt_cl__device *cl, cl_command_queue queue, gputune_error *error)
{
    const gt_cl__calls *call = &cl->call;
    cl_command_queue_properties properties = 0;
    cl_context context = NULL;
    const char *asked = "clGetCommandQueueInfo";
    cl_int code =
        call->clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    if (!code)
        code = call->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof cl->id, &cl->id, NULL);
    if (!code)
        code = call->clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                           &properties, NULL);
    if (!code) code = call->clRetainContext(context), asked = "clRetainContext";
    if (!code) {
        cl->context = context;
        code = call->clRetainCommandQueue(queue), asked = "clRetainCommandQueue";
    }
    if (code)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, asked, code, "%s", "the program's queue");
    cl->queue = queue;
    cl->profiled = cl->clocked = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    cl->unordered = (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0;
    if (cl->profiled && !cl->unordered) cl->trials = queue;
    call->clGetDeviceInfo(cl->id, CL_DEVICE_PLATFORM, sizeof cl->platform, &cl->platform, NULL);
    return GPUTUNE_OK;
}

typedef struct gt_cl__found {
    cl_platform_id platform;
    cl_device_id id;
    double score; // the largest is tried first; negative: has been tried
} gt_cl__found;

typedef struct gt_cl__search {
    const gputune_cl_desc *desc;
    gt_cl__found found[GT_CL__MAX_FOUND];
    int count;
    char seen[900]; // what there is, and why it does not serve: for the message
} gt_cl__search;

#define GT_CL__SEEN(s, ...) \
    snprintf((s)->seen + strlen((s)->seen), sizeof(s)->seen - strlen((s)->seen), __VA_ARGS__)

// Notes and logs what is passed over.
static void gt_cl__skip(gt_cl__search *s, const char *what, const char *call, cl_int code)
{
    gputune_error error;
    GT_CL__FAIL(&error, GPUTUNE_ERROR_DRIVER, call, code, "%s is passed over", what);
    GT_CL__SEEN(s, "\n  %.800s", error.text);
    gputune_log(&s->desc->options, GPUTUNE_LOG_WARN, error.text);
}

static void gt_cl__consider(gt_cl__search *s, const gt_cl__calls *call, cl_platform_id platform,
                            const char *platform_name, cl_device_id id)
{
    const int64_t type = gt_cl__device_number(call, id, CL_DEVICE_TYPE);
    const int64_t units = gt_cl__device_number(call, id, CL_DEVICE_MAX_COMPUTE_UNITS);
    const int64_t clock = gt_cl__device_number(call, id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    const bool usable = gt_cl__device_number(call, id, CL_DEVICE_AVAILABLE) != 0 &&
                        gt_cl__device_number(call, id, CL_DEVICE_COMPILER_AVAILABLE) != 0;
    char name[128];
    gt_cl__device_text(call, id, CL_DEVICE_NAME, name, sizeof name);
    GT_CL__SEEN(s, "\n  %s: %s%s", platform_name, name,
                usable ? "" : " (not available, or without a compiler)");
    if (!usable || !gt_cl__has(name, s->desc->device) || s->count == GT_CL__MAX_FOUND) return;
    s->found[s->count].platform = platform;
    s->found[s->count].id = id;
    s->found[s->count++].score = (double)(units > 0 ? units : 1) * (double)(clock > 0 ? clock : 1) +
                                 (type & CL_DEVICE_TYPE_GPU           ? 3e12
                                  : type & CL_DEVICE_TYPE_ACCELERATOR ? 2e12
                                  : type & CL_DEVICE_TYPE_CPU         ? 1e12
                                                                      : 0);
}

static void gt_cl__consider_platform(gt_cl__search *s, const gt_cl__calls *call,
                                     cl_platform_id platform)
{
    cl_device_id ids[GT_CL__MAX_DEVICES];
    cl_device_type type = s->desc->type ? s->desc->type : CL_DEVICE_TYPE_ALL;
    cl_uint count = 0, i;
    char name[128], vendor[128];
    cl_int code;
    gt_cl__platform_text(call, platform, CL_PLATFORM_NAME, name, sizeof name);
    gt_cl__platform_text(call, platform, CL_PLATFORM_VENDOR, vendor, sizeof vendor);
    if (!gt_cl__has(name, s->desc->platform) && !gt_cl__has(vendor, s->desc->platform)) {
        GT_CL__SEEN(s, "\n  %s", name);
        return;
    }
    code = call->clGetDeviceIDs(platform, type, GT_CL__MAX_DEVICES, ids, &count);
    if (code == CL_DEVICE_NOT_FOUND)
        GT_CL__SEEN(s, "\n  %s: no device%s", name,
                    strstr(name, "Portable Computing")
                        ? " (PoCL has none where it cannot write its cache: set HOME, or "
                          "POCL_CACHE_DIR, to a folder that you may write)"
                        : "");
    else if (code)
        gt_cl__skip(s, name, "clGetDeviceIDs", code);
    for (i = 0; !code && i < count && i < GT_CL__MAX_DEVICES; i++)
        gt_cl__consider(s, call, platform, name, ids[i]);
}

// Context and queue on one device; false when the next best is to be tried.
static bool gt_cl__start(gt_cl__device *cl, gt_cl__search *s, const gt_cl__found *found)
{
    const cl_context_properties properties[3] = { CL_CONTEXT_PLATFORM,
                                                  (cl_context_properties)found->platform, 0 };
    const char *call = "clCreateContext";
    char name[128];
    cl_int code = CL_SUCCESS;
    cl->platform = found->platform;
    cl->id = found->id;
    cl->context = cl->call.clCreateContext(properties, 1, &found->id, NULL, NULL, &code);
    if (cl->context) {
        call = "clCreateCommandQueue";
        cl->queue = cl->trials = gt_cl__new_queue(cl, &cl->profiled, &code);
        cl->clocked = cl->profiled;
    }
    if (cl->queue) return true;
    gt_cl__close(cl);
    gt_cl__device_text(&cl->call, found->id, CL_DEVICE_NAME, name, sizeof name);
    gt_cl__skip(s, name, call, code);
    return false;
}

static gputune_result gt_cl__open(gt_cl__device *cl, const gputune_cl_desc *desc,
                                  gputune_error *error)
{
    cl_platform_id platforms[GT_CL__MAX_PLATFORMS];
    gt_cl__search s;
    cl_uint count = 0, p;
    int i, best;
    cl_int code = cl->call.clGetPlatformIDs(GT_CL__MAX_PLATFORMS, platforms, &count);
    if (code || count == 0)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_NO_DEVICE, "clGetPlatformIDs", code, "%s",
                           "no OpenCL platform: install an implementation (Debian: the GPU's, "
                           "or pocl-opencl-icd for the processor)");
    memset(&s, 0, sizeof s);
    s.desc = desc;
    for (p = 0; p < count && p < GT_CL__MAX_PLATFORMS; p++)
        gt_cl__consider_platform(&s, &cl->call, platforms[p]);
    for (;;) {
        for (i = 0, best = -1; i < s.count; i++)
            if (s.found[i].score >= 0 && (best < 0 || s.found[i].score > s.found[best].score))
                best = i;
        if (best < 0) break;
        if (gt_cl__start(cl, &s, &s.found[best])) return GPUTUNE_OK;
        s.found[best].score = -1;
    }
    if (!desc->device && !desc->platform)
        return gputune_error_set(error, GPUTUNE_ERROR_NO_DEVICE,
                                 "no OpenCL device can be opened; there is:%s", s.seen);
    return gputune_error_set(error, GPUTUNE_ERROR_NO_DEVICE,
                             "no OpenCL device with \"%.100s\" in its name on a platform with "
                             "\"%.100s\" can be opened; there is:%s",
                             desc->device ? desc->device : "",
                             desc->platform ? desc->platform : "", s.seen);
}

// -----
// [compile]
// -----

static gputune_result gt_cl__build_failed(gt_cl__device *cl, cl_program program, cl_int code,
                                          const gputune_build *build, gputune_error *error)
{
    const gputune_result result = code == CL_COMPILER_NOT_AVAILABLE
                                      ? GPUTUNE_ERROR_UNSUPPORTED
                                      : gt_cl__result(code, GPUTUNE_ERROR_COMPILE);
    size_t size = 0;
    char *log;
    cl->call.clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = (char *)gputune_reallocate(&cl->options, NULL, size + 1);
    if (log) memset(log, 0, size + 1);
    if (log && size &&
        cl->call.clGetProgramBuildInfo(program, cl->id, CL_PROGRAM_BUILD_LOG, size, log, NULL))
        log[0] = 0;
    return gputune_build_failed(&cl->options, build, result, "clBuildProgram",
                                gt_cl__code_name(code), (int)code, code == CL_INVALID_BUILD_OPTIONS,
                                log, error);
}

static gputune_result gt_cl__build(gt_cl__device *cl, const gputune_build *build, cl_kernel *kernel,
                                   gputune_error *error)
{
    const char *source = build->source;
    char names[900] = "";
    gputune_result result = GPUTUNE_OK;
    cl_int code = CL_SUCCESS;
    cl_program program = NULL;
    if (build->same) {
        code = cl->call.clGetKernelInfo(((const gt_cl__code *)build->same)->kernel,
                                        CL_KERNEL_PROGRAM, sizeof program, &program, NULL);
        if (!code) *kernel = cl->call.clCreateKernel(program, build->name, &code);
        if (*kernel) return GPUTUNE_OK;
    }
    program = cl->call.clCreateProgramWithSource(cl->context, 1, &source, NULL, &code);
    if (!program)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clCreateProgramWithSource", code,
                           "kernel \"%s\"", build->name);
    code = cl->call.clBuildProgram(program, 1, &cl->id, build->options, NULL, NULL);
    if (code) {
        result = gt_cl__build_failed(cl, program, code, build, error);
    } else {
        *kernel = cl->call.clCreateKernel(program, build->name, &code);
        if (code == CL_INVALID_KERNEL_NAME)
            cl->call.clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names - 1, names,
                                      NULL);
        if (!*kernel)
            result = GT_CL__FAIL(error, GPUTUNE_ERROR_COMPILE, "clCreateKernel", code,
                                 "kernel \"%s\"%s%s", build->name,
                                 names[0] ? " is not in the source, which has: " : "", names);
    }
    cl->call.clReleaseProgram(program); // the kernel keeps what it needs of it
    return result;
}

// Asked before any argument is set: then the local memory is the kernel's own.
static gputune_result gt_cl__kernel_info(gt_cl__device *cl, gt_cl__code *code, gputune_error *error)
{
    cl_int status = cl->call.clGetKernelInfo(code->kernel, CL_KERNEL_NUM_ARGS,
                                             sizeof code->arg_count, &code->arg_count, NULL);
    if (status)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clGetKernelInfo", status, "kernel \"%s\"",
                           code->name);
    status = cl->call.clGetKernelWorkGroupInfo(code->kernel, cl->id, CL_KERNEL_WORK_GROUP_SIZE,
                                               sizeof code->group_limit, &code->group_limit, NULL);
    if (!status)
        status = cl->call.clGetKernelWorkGroupInfo(code->kernel, cl->id, CL_KERNEL_LOCAL_MEM_SIZE,
                                                   sizeof code->local_memory, &code->local_memory,
                                                   NULL);
    // NVIDIA says 256 of every kernel (580.159) and launches what the registers allow.
    if (cl->nvidia)
        code->group_limit =
            (size_t)gt_cl__device_number(&cl->call, cl->id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    if (!status) return GPUTUNE_OK;
    return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clGetKernelWorkGroupInfo", status,
                       "kernel \"%s\"", code->name);
}

static void gt_cl__discard(void *self, void *code)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gt_cl__code *old = (gt_cl__code *)code;
    if (!old) return;
    gt_cl__alive(cl);
    gt_cl__give_back(cl, GT_CL__KERNEL, old->kernel);
    gputune_reallocate(&cl->options, old, 0);
}

static gputune_result gt_cl__compile(void *self, const gputune_build *build, void **code,
                                     gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gt_cl__code *made;
    gputune_result result;
    if (!gt_cl__alive(cl)) return gt_cl__gone(cl, error);
    if (!build->source)
        return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED,
                                 "kernel \"%s\": OpenCL takes sources, not kernels compiled ahead",
                                 build->name);
    made = (gt_cl__code *)gputune_reallocate(&cl->options, NULL, sizeof *made);
    if (!made) return gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
    memset(made, 0, sizeof *made);
    snprintf(made->name, sizeof made->name, "%s", build->name);
    result = gt_cl__build(cl, build, &made->kernel, error);
    if (!result) result = gt_cl__kernel_info(cl, made, error);
    if (result) gt_cl__discard(cl, made);
    *code = !result ? made : NULL;
    return result;
}

static size_t gt_cl__group_limit(void *self, void *code)
{
    (void)self;
    return ((const gt_cl__code *)code)->group_limit;
}

// -----
// [arguments]
// -----

// Waits for what was enqueued on the trial queue and turns codes into an error.
static gputune_result gt_cl__finish(gt_cl__device *cl, const char *call, cl_int code, size_t offset,
                                    size_t bytes, gputune_error *error)
{
    if (!code) {
        code = cl->call.clFinish(cl->trials);
        if (!code) return GPUTUNE_OK;
        call = "clFinish";
    }
    return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, call, code, "%zu bytes at offset %zu", bytes,
                       offset);
}

static size_t gt_cl__extent(void *self, void *buffer)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    size_t bytes = 0;
    if (buffer)
        cl->call.clGetMemObjectInfo((cl_mem)buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    return bytes;
}

static void *gt_cl__parent(void *self, void *buffer, size_t *offset)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    cl_mem parent = NULL;
    size_t begin = 0;
    if (buffer)
        cl->call.clGetMemObjectInfo((cl_mem)buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent,
                                    &parent, NULL);
    if (!parent) return buffer;
    cl->call.clGetMemObjectInfo((cl_mem)buffer, CL_MEM_OFFSET, sizeof begin, &begin, NULL);
    *offset += begin;
    return parent;
}

static gputune_result gt_cl__copy(void *self, void *to, size_t to_offset, void *from,
                                  size_t from_offset, size_t bytes, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gputune_result result = gt_cl__ready(cl, error);
    cl_int code;
    if (result || bytes == 0) return result;
    code = cl->call.clEnqueueCopyBuffer(cl->trials, (cl_mem)from, (cl_mem)to, from_offset,
                                        to_offset, bytes, 0, NULL, NULL);
    return gt_cl__finish(cl, "clEnqueueCopyBuffer", code, from_offset, bytes, error);
}

static gputune_result gt_cl__write(void *self, void *to, size_t offset, const void *host,
                                   size_t bytes, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gputune_result result = gt_cl__ready(cl, error);
    cl_int code;
    if (result || bytes == 0) return result;
    code = cl->call.clEnqueueWriteBuffer(cl->trials, (cl_mem)to, CL_TRUE, offset, bytes, host, 0,
                                         NULL, NULL);
    return gt_cl__finish(cl, "clEnqueueWriteBuffer", code, offset, bytes, error);
}

// NVIDIA's driver (580.159, H200) takes the offset of a fill with one byte for 32 bits: from 2 GiB
// on it ends with CL_INVALID_COMMAND_QUEUE, from 4 GiB on it says nothing and fills another place.
#ifndef GT_CL__FILL_REACH
#define GT_CL__FILL_REACH ((size_t)1 << 31)
#endif

static gputune_result gt_cl__fill(void *self, void *to, size_t offset, unsigned char byte,
                                  size_t bytes, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gputune_result result = gt_cl__ready(cl, error);
    unsigned char block[16384]; // what lies beyond is written from the host
    size_t size = offset < GT_CL__FILL_REACH ? GT_CL__FILL_REACH - offset : 0;
    size_t each = 16; // bytes of the pattern: by one 1 GB takes an H200 2.5 ms, by sixteen 0.3
    cl_int code = CL_SUCCESS;
    if (size > bytes) size = bytes;
    if (result || bytes == 0) return result;
    if (offset % each || size < each) each = 1;
    size -= size % each;
    memset(block, byte, sizeof block);
    if (size > 0)
        code = cl->call.clEnqueueFillBuffer(cl->trials, (cl_mem)to, block, each, offset, size, 0,
                                            NULL, NULL);
    result = gt_cl__finish(cl, "clEnqueueFillBuffer", code, offset, size, error);
    for (offset += size, bytes -= size; bytes > 0 && !result; bytes -= size) {
        size = bytes < sizeof block ? bytes : sizeof block;
        result = gt_cl__write(cl, to, offset, block, size, error);
        offset += size;
    }
    return result;
}

static void gt_cl__release(void *self, gputune_memory *memory)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gt_cl__alive(cl);
    if (memory->handle != memory->whole) gt_cl__give_back(cl, GT_CL__MEMORY, memory->handle);
    gt_cl__give_back(cl, GT_CL__MEMORY, memory->whole);
    memset(memory, 0, sizeof *memory);
}

static gputune_result gt_cl__region(gt_cl__device *cl, void *buffer, size_t offset, size_t bytes,
                                    cl_mem *part, gputune_error *error)
{
    cl_buffer_region region;
    cl_int code = CL_SUCCESS;
    region.origin = offset;
    region.size = bytes ? bytes : 1; // OpenCL has no empty buffers
    *part = cl->call.clCreateSubBuffer((cl_mem)buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region,
                                       &code);
    if (*part) return GPUTUNE_OK;
    return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clCreateSubBuffer", code,
                       "%zu bytes at offset %zu", bytes, offset);
}

// The buffer, and the part of it that the kernel gets when there are guards.
static gputune_result gt_cl__make_buffer(gt_cl__device *cl, cl_mem_flags flags, size_t bytes,
                                         gputune_memory *memory, gputune_error *error)
{
    size_t guard = memory->guard, whole = 2 * guard + bytes;
    gputune_result result = GPUTUNE_OK;
    cl_int code = CL_SUCCESS;
    cl_mem part = NULL;
    memory->whole = cl->call.clCreateBuffer(cl->context, CL_MEM_READ_WRITE | flags,
                                            whole ? whole : 1, NULL, &code);
    if (!memory->whole)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clCreateBuffer", code, "%zu bytes", whole);
    if (guard) result = gt_cl__region(cl, memory->whole, guard, bytes, &part, error);
    memory->handle = guard ? part : memory->whole;
    return result;
}

static gputune_result gt_cl__make(gt_cl__device *cl, cl_mem_flags flags, size_t bytes, size_t guard,
                                  gputune_memory *memory, gputune_error *error)
{
    gputune_result result = gt_cl__ready(cl, error);
    size_t round = (guard + cl->alignment - 1) / cl->alignment * cl->alignment;
    memset(memory, 0, sizeof *memory);
    if (result) return result;
    if (round < guard || round > (size_t)-1 / 4 || bytes > (size_t)-1 - 2 * round)
        return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES, "a buffer of %zu bytes", bytes);
    memory->guard = round;
    memory->bytes = bytes;
    result = gt_cl__make_buffer(cl, flags, bytes, memory, error);
    // Drivers allocate when a buffer is first used: find out now whether there is room.
    if (!result) result = gt_cl__fill(cl, memory->whole, 0, 0, 1, error);
    if (result) gt_cl__release(cl, memory);
    return result;
}

// What the host may not read (CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY) is copied on the
// device first.
static gputune_result gt_cl__read(void *self, void *from, size_t offset, void *host, size_t bytes,
                                  gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gputune_result result = gt_cl__ready(cl, error);
    cl_mem_flags flags = 0;
    gputune_memory own;
    cl_int code;
    if (result || bytes == 0) return result;
    code = cl->call.clEnqueueReadBuffer(cl->trials, (cl_mem)from, CL_TRUE, offset, bytes, host, 0,
                                        NULL, NULL);
    if (code == CL_INVALID_OPERATION)
        cl->call.clGetMemObjectInfo((cl_mem)from, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (!(flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY)))
        return gt_cl__finish(cl, "clEnqueueReadBuffer", code, offset, bytes, error);
    result = gt_cl__make(cl, 0, bytes, 0, &own, error);
    if (result) return result;
    result = gt_cl__copy(cl, own.whole, 0, from, offset, bytes, error);
    if (!result) {
        code = cl->call.clEnqueueReadBuffer(cl->trials, (cl_mem)own.whole, CL_TRUE, 0, bytes, host,
                                            0, NULL, NULL);
        result = gt_cl__finish(cl, "clEnqueueReadBuffer", code, offset, bytes, error);
    }
    gt_cl__release(cl, &own);
    return result;
}

static gputune_result gt_cl__allocate(void *self, size_t bytes, size_t guard,
                                      gputune_memory *memory, gputune_error *error)
{
    return gt_cl__make((gt_cl__device *)self, 0, bytes, guard, memory, error);
}

// What the program has asked to be in the host's memory has its copy there, too.
static gputune_result gt_cl__allocate_like(void *self, void *like, size_t bytes, size_t guard,
                                           gputune_memory *memory, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    cl_mem_flags flags = like ? 0 : CL_MEM_ALLOC_HOST_PTR;
    if (like)
        cl->call.clGetMemObjectInfo((cl_mem)like, CL_MEM_FLAGS, sizeof flags, &flags, NULL);
    if (flags & CL_MEM_USE_HOST_PTR) flags = CL_MEM_ALLOC_HOST_PTR;
    return gt_cl__make(cl, flags & CL_MEM_ALLOC_HOST_PTR, bytes, guard, memory, error);
}

// What some drivers let pass and then end the program for (PoCL 3.1, too much local memory: an
// assertion), or report without the numbers.
static gputune_result gt_cl__fits(const gt_cl__device *cl, const gt_cl__code *code,
                                  const gputune_driver_launch *launch, gputune_error *error)
{
    size_t group = 1;
    cl_ulong local = code->local_memory;
    int i;
    for (i = 0; i < launch->dimensions; i++) group *= launch->local[i] ? launch->local[i] : 1;
    for (i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == GPUTUNE_ARG_LOCAL) local += launch->args[i].bytes;
    if (code->group_limit && group > code->group_limit)
        return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES,
                                 "kernel \"%s\": a work-group of %zu work-items, the most is %zu",
                                 code->name, group, code->group_limit);
    if (cl->local_memory && local > cl->local_memory)
        return gputune_error_set(error, GPUTUNE_ERROR_RESOURCES,
                                 "kernel \"%s\": %.0f bytes of local memory, the most is %.0f",
                                 code->name, (double)local, (double)cl->local_memory);
    if (launch->arg_count != (int)code->arg_count)
        return gputune_error_set(error, GPUTUNE_ERROR_ARGUMENT,
                                 "kernel \"%s\" has %u parameters, not %d", code->name,
                                 (unsigned)code->arg_count, launch->arg_count);
    return GPUTUNE_OK;
}

// What a kernel gets of a part of a buffer. The launch keeps it until it has ended.
static gputune_result gt_cl__part(gt_cl__device *cl, const gputune_bound_arg *arg, cl_mem *buffer,
                                  gputune_error *error)
{
    gputune_result result;
    if (cl->part_count == GT_CL__PARTS)
        return gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED, "more than %d parts of buffers",
                                 GT_CL__PARTS);
    result = gt_cl__region(cl, arg->handle, arg->offset, arg->bytes, buffer, error);
    if (!result) cl->parts[cl->part_count++] = *buffer;
    return result;
}

static gputune_result gt_cl__unbind(gt_cl__device *cl, gputune_result result)
{
    while (cl->part_count) gt_cl__give_back(cl, GT_CL__MEMORY, cl->parts[--cl->part_count]);
    return result;
}

static gputune_result gt_cl__bind(gt_cl__device *cl, const gt_cl__code *code,
                                  const gputune_driver_launch *launch, gputune_error *error)
{
    gputune_result result = gt_cl__fits(cl, code, launch, error);
    int i;
    for (i = 0; i < launch->arg_count && !result; i++) {
        const gputune_bound_arg *arg = &launch->args[i];
        cl_mem buffer = (cl_mem)arg->handle;
        const void *value = &buffer;
        size_t size = sizeof buffer;
        cl_int status;
        if (arg->offset) result = gt_cl__part(cl, arg, &buffer, error);
        if (result) break;
        if (arg->kind == GPUTUNE_ARG_LOCAL) {
            value = NULL;
            size = arg->bytes ? arg->bytes : 1; // none of it used; 0 is not allowed
        } else if (arg->kind == GPUTUNE_ARG_SCALAR) {
            value = arg->data;
            size = arg->bytes;
        }
        status = cl->call.clSetKernelArg(code->kernel, (cl_uint)i, size, value);
        if (status)
            result = GT_CL__FAIL(error, GPUTUNE_ERROR_LAUNCH, "clSetKernelArg", status,
                                 "argument %d (%zu bytes) of kernel \"%s\"", i, size, code->name);
    }
    return result;
}

// -----
// [launch+timing]
// -----

static gputune_result gt_cl__enqueue(gt_cl__device *cl, cl_command_queue queue,
                                     const gt_cl__code *code, const gputune_driver_launch *launch,
                                     cl_event *event, gputune_error *error)
{
    // What a launch waits for counts in the program's queue; trials have waited before.
    const gputune_cl_order *order = cl->order;
    const bool waits = order && queue == cl->queue && order->wait_count;
    size_t local[3] = { 1, 1, 1 };
    bool chosen = false;
    cl_int status;
    int i;
    for (i = 0; i < launch->dimensions; i++) {
        if (launch->local[i]) local[i] = launch->local[i];
        chosen = chosen || launch->local[i];
    }
    status = cl->call.clEnqueueNDRangeKernel(
        queue, code->kernel, (cl_uint)launch->dimensions, order ? order->offset : NULL,
        launch->global, chosen ? local : NULL, waits ? order->wait_count : 0,
        waits ? order->wait_list : NULL, event);
    if (!status) return GPUTUNE_OK;
    return GT_CL__FAIL(
        error, GPUTUNE_ERROR_LAUNCH, "clEnqueueNDRangeKernel", status,
        "kernel \"%s\", %zu x %zu x %zu work-items, groups of %zu x %zu x %zu", code->name,
        launch->global[0], launch->dimensions > 1 ? launch->global[1] : 1,
        launch->dimensions > 2 ? launch->global[2] : 1, local[0], local[1], local[2]);
}

// A marker in a queue, behind the events of a list or (count 0) behind all that is there; event
// NULL: a barrier, for which what follows waits.
static gputune_result gt_cl__mark(const gt_cl__device *cl, cl_command_queue queue, cl_uint count,
                                  const cl_event *list, cl_event *event, const char *what,
                                  gputune_error *error)
{
    const cl_event *of = count ? list : NULL;
    const cl_int code =
        event ? cl->call.clEnqueueMarkerWithWaitList(queue, count, of, event)
              : cl->call.clEnqueueBarrierWithWaitList(queue, count, of, NULL);
    if (!code) return GPUTUNE_OK;
    return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER,
                       event ? "clEnqueueMarkerWithWaitList" : "clEnqueueBarrierWithWaitList", code,
                       "%s", what);
}

static gputune_result gt_cl__launch(void *self, void *code, const gputune_driver_launch *launch,
                                    gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    const gt_cl__code *compiled = (const gt_cl__code *)code;
    cl_event *event = cl->asked ? &cl->timed : NULL;
    gputune_result result;
    if (!gt_cl__alive(cl)) return gt_cl__gone(cl, error);
    if (launch->series) {
        const gputune_driver_series *series = launch->series;
        const gputune_cl_order *order = cl->order;
        result = GPUTUNE_OK;
        if (order && order->wait_count) // a barrier: for the program's own launches, too
            result = gt_cl__mark(cl, cl->queue, order->wait_count, order->wait_list, NULL,
                                 series->name, error);
        if (!result) result = series->run(series->user, 0, cl->queue, error);
        if (!result && order && order->event)
            result = gt_cl__mark(cl, cl->queue, 0, NULL, order->event, series->name, error);
        return result;
    }
    if (cl->order && cl->order->event) event = cl->order->event;
    result = gt_cl__bind(cl, compiled, launch, error);
    if (!result) result = gt_cl__enqueue(cl, cl->queue, compiled, launch, event, error);
    if (!result && cl->asked && event != &cl->timed && !cl->call.clRetainEvent(*event))
        cl->timed = *event;
    cl->asked = false;
    return gt_cl__unbind(cl, result);
}

static void gt_cl__lose(gt_cl__device *cl, const char *kernel)
{
    cl->lost = true;
    gt_cl__copy_text(cl->culprit, sizeof cl->culprit, kernel);
}

static gputune_result gt_cl__hung(gt_cl__device *cl, const char *kernel, double seconds,
                                  gputune_error *error)
{
    gt_cl__lose(cl, kernel);
    cl->hangs = true;
    return gputune_error_set(error, GPUTUNE_ERROR_DEVICE_LOST,
                             "kernel \"%s\" still runs after %.3g s: the device is given up",
                             kernel, seconds);
}

// A launch ended with an error's code. limit: seconds that the device may take to answer.
static gputune_result gt_cl__ended(gt_cl__device *cl, const char *kernel, cl_int status,
                                   double limit, gputune_error *error)
{
    if (gt_cl__answers(cl, cl->trials ? cl->trials : cl->queue, limit))
        return gputune_error_set(error, GPUTUNE_ERROR_LAUNCH, "kernel \"%s\" ended with %s (%d)",
                                 kernel, gt_cl__code_name(status), (int)status);
    gt_cl__lose(cl, kernel);
    cl->hangs = cl->probe != NULL; // it may only be late
    return gputune_error_set(error, GPUTUNE_ERROR_DEVICE_LOST,
                             "kernel \"%s\" ended with %s (%d), and the device no longer works",
                             kernel, gt_cl__code_name(status), (int)status);
}

// When the first launch started and the last one ended on the device's clock; false where that says
// nothing of use: some drivers fill in zeros.
static bool gt_cl__device_times(const gt_cl__device *cl, cl_event first, cl_event last,
                                cl_ulong *start, cl_ulong *end)
{
    *start = *end = 0;
    return !cl->call.clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof *start,
                                             start, NULL) &&
           !cl->call.clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof *end, end,
                                             NULL) &&
           *start != 0 && *end > *start;
}

// In a queue without a clock nobody asks.
static double gt_cl__took(void *self)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    cl_ulong start, end;
    bool failed = false;
    double seconds = 0;
    if (cl->timed && !cl->lost && gt_cl__over(cl, cl->timed, &failed) && !failed &&
        gt_cl__device_times(cl, cl->timed, cl->timed, &start, &end))
        seconds = 1e-9 * (double)(end - start);
    gt_cl__give_back(cl, GT_CL__EVENT, cl->timed);
    cl->timed = NULL;
    cl->asked = true;
    return seconds;
}

// The launches of one timing.
typedef struct gt_cl__batch {
    const gt_cl__code *code;
    const char *name;
    cl_event first, last; // the same for one launch; of a series markers round it
    bool flushed;          // what was enqueued will end; else there is nothing to wait for
    double begin, seconds; // on the host's clock
} gt_cl__batch;

static gputune_result gt_cl__batch_start(gt_cl__device *cl, gt_cl__batch *b,
                                         const gputune_driver_launch *launch, int count,
                                         gputune_error *error)
{
    const gputune_driver_series *series = launch->series;
    gputune_result result = GPUTUNE_OK, marked;
    gputune_error late;
    cl_int code;
    int i;
    b->begin = gputune_now();
    if (series) result = gt_cl__mark(cl, cl->trials, 0, NULL, &b->first, b->name, error);
    for (i = 0; i < count && series && !result; i++)
        result = series->run(series->user, cl->trials == cl->queue ? 0 : 1, cl->trials, error);
    if (series && b->first) {
        marked = gt_cl__mark(cl, cl->trials, 0, NULL, &b->last, b->name, !result ? error : &late);
        if (!result) result = marked;
    }
    for (i = 0; i < count && !series && !result; i++)
        result = gt_cl__enqueue(cl, cl->trials, b->code, launch,
                                i == 0           ? &b->first
                                : i == count - 1 ? &b->last
                                                 : NULL,
                                error);
    if (count == 1 && !series) b->last = b->first;
    code = b->first ? cl->call.clFlush(cl->trials) : CL_SUCCESS; // after a failure, too
    b->flushed = b->first && !code;
    if (result || !code) return result;
    return GT_CL__FAIL(error, GPUTUNE_ERROR_LAUNCH, "clFlush", code, "kernel \"%s\"", b->name);
}

// Waits for a launch of a flushed queue, `limit` seconds (0: for ever) from when it, or `first` of
// its batch, runs. *begin, when waiting begins, becomes that.
static cl_int gt_cl__await_launch(const gt_cl__device *cl, cl_event first, cl_event last,
                                  double *begin, double limit, cl_int *status)
{
    const double start_limit = limit > 0 && limit < 60 ? 60 : limit;
    const cl_int runs = cl->nvidia ? CL_SUBMITTED : CL_RUNNING; // which NVIDIA's never says
    cl_int code = gt_cl__await(cl, first, runs, begin, start_limit, status);
    double ended = *begin;
    if (code || (first == last && (*status <= CL_COMPLETE || *status > runs))) return code;
    return gt_cl__await(cl, last, CL_COMPLETE, &ended, limit, status);
}

// Waits for the last launch; after a failure in between, for what did start.
static gputune_result gt_cl__batch_wait(gt_cl__device *cl, gt_cl__batch *b, double hang_limit,
                                        gputune_error *error)
{
    cl_int status = CL_QUEUED;
    double begin = b->begin;
    cl_int code = gt_cl__await_launch(cl, b->first, b->last ? b->last : b->first, &begin,
                                      hang_limit, &status);
    b->seconds = gputune_now() - (b->code ? begin : b->begin);
    if (code)
        return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clGetEventInfo", code, "kernel \"%s\"",
                           b->name);
    if (status == CL_COMPLETE) return GPUTUNE_OK;
    if (status > CL_COMPLETE) return gt_cl__hung(cl, b->name, b->seconds, error);
    return gt_cl__ended(cl, b->name, status, 1.0, error);
}

static double gt_cl__batch_seconds(gt_cl__device *cl, const gt_cl__batch *b)
{
    cl_ulong start, end;
    if (cl->profiled && gt_cl__device_times(cl, b->first, b->last, &start, &end))
        return 1e-9 * (double)(end - start);
    if (!cl->warned)
        gputune_log(&cl->options, GPUTUNE_LOG_WARN,
                        "OpenCL: the device's clock gives no times (clGetEventProfilingInfo); the "
                        "host's are used, which include launch and wait");
    cl->warned = true;
    return b->seconds;
}

static gputune_result gt_cl__time(void *self, void *code, const gputune_driver_launch *launch,
                                  int batch, double time_limit, double hang_limit, double *seconds,
                                  gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gputune_result result = gt_cl__ready(cl, error), waited;
    gt_cl__batch b;
    gputune_error late;
    memset(&b, 0, sizeof b);
    b.code = launch->series ? NULL : (const gt_cl__code *)code;
    b.name = launch->series ? launch->series->name : b.code->name;
    if (!result && b.code) result = gt_cl__bind(cl, b.code, launch, error);
    if (result) return gt_cl__unbind(cl, result);
    result = gt_cl__batch_start(cl, &b, launch, batch, error);
    if (b.flushed) { // the first failure is the one to tell, unless the second loses the device
        waited = gt_cl__batch_wait(cl, &b, time_limit > 0 ? hang_limit : 0, &late);
        if (waited && (!result || cl->lost))
            result = gputune_error_set(error, waited, "%s", late.text);
    }
    if (!result) {
        *seconds = gt_cl__batch_seconds(cl, &b);
        if (time_limit > 0 && *seconds > time_limit * batch)
            result = gputune_error_set(error, GPUTUNE_ERROR_TIMEOUT,
                                       "kernel \"%s\" took %.3g s, the limit is %.3g s",
                                       b.name, *seconds / batch, time_limit);
    }
    if (b.last != b.first) gt_cl__give_back(cl, GT_CL__EVENT, b.last);
    gt_cl__give_back(cl, GT_CL__EVENT, b.first);
    return gt_cl__unbind(cl, result);
}

// --- several launches under way at once ---

static gt_cl__ticket *gt_cl__issue(gt_cl__device *cl, const char *kernel)
{
    gt_cl__ticket *ticket = (gt_cl__ticket *)gputune_reallocate(&cl->options, NULL, sizeof *ticket);
    if (!ticket) return NULL;
    ticket->event = NULL;
    gt_cl__copy_text(ticket->kernel, sizeof ticket->kernel, kernel);
    ticket->next = cl->tickets;
    cl->tickets = ticket;
    return ticket;
}

static void gt_cl__drop(gt_cl__device *cl, gt_cl__ticket *ticket)
{
    gt_cl__ticket **at = &cl->tickets;
    while (*at != ticket) at = &(*at)->next;
    *at = ticket->next;
    gt_cl__give_back(cl, GT_CL__EVENT, ticket->event);
    gputune_reallocate(&cl->options, ticket, 0);
}

// What is not flushed need not ever start.
static gputune_result gt_cl__flush(gt_cl__device *cl, cl_command_queue queue, gputune_error *error)
{
    cl_int code = cl->call.clFlush(queue);
    if (!code) return GPUTUNE_OK;
    return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clFlush", code, "%s", "a queue");
}

static gputune_result gt_cl__submit(void *self, void *code, const gputune_driver_launch *launch,
                                    int queue, void **ticket, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    const gt_cl__code *compiled = (const gt_cl__code *)code;
    gt_cl__ticket *made = NULL;
    cl_command_queue on = NULL;
    gputune_result result;
    if (ticket) *ticket = NULL;
    if (cl->order && cl->order->offset)
        return gputune_error_set(error, GPUTUNE_ERROR_ARGUMENT,
                                 "kernel \"%s\": several launches have no offset in common",
                                 compiled->name);
    result = gt_cl__queue(cl, queue, &on, error);
    if (!result) result = gt_cl__bind(cl, compiled, launch, error);
    if (!result && queue == 0 && cl->unordered)
        result = gt_cl__mark(cl, on, 0, NULL, NULL, compiled->name, error);
    if (!result && ticket && !(made = gt_cl__issue(cl, compiled->name)))
        result = gputune_error_set(error, GPUTUNE_ERROR_MEMORY, NULL);
    if (!result)
        result = gt_cl__enqueue(cl, on, compiled, launch, made ? &made->event : NULL, error);
    gt_cl__unbind(cl, result);
    if (!result) result = gt_cl__flush(cl, on, error);
    if (!result && made) *ticket = made;
    if (result && made) gt_cl__drop(cl, made);
    return result;
}

// Nanoseconds since the machine or even the epoch began: as doubles they would lose up to 0.3 us,
// hence since the first that was seen.
static void gt_cl__span(gt_cl__device *cl, cl_event event, gputune_span *span)
{
    cl_ulong start, end;
    if (!gt_cl__device_times(cl, event, event, &start, &end)) return;
    if (!cl->first_time) cl->first_time = start;
    span->begin = 1 + 1e-9 * (double)(int64_t)(start - cl->first_time);
    span->end = 1 + 1e-9 * (double)(int64_t)(end - cl->first_time);
}

static gputune_result gt_cl__poll(void *self, void *ticket, double patience, bool *done,
                                  gputune_span *span, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gt_cl__ticket *t = (gt_cl__ticket *)ticket;
    double begin = gputune_now();
    cl_int code = CL_SUCCESS, status = CL_QUEUED;
    gputune_result result = GPUTUNE_OK;
    *done = false;
    span->begin = span->end = 0;
    if (!gt_cl__alive(cl))
        result = gt_cl__gone(cl, error);
    else if (patience < 0)
        code = gt_cl__await_launch(cl, t->event, t->event, &begin, -patience, &status);
    else // a limit of 0 would be none
        code = gt_cl__await(cl, t->event, CL_COMPLETE, &begin, patience > 0 ? patience : 1e-12,
                            &status);
    if (!result && code)
        result = GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clGetEventInfo", code, "kernel \"%s\"",
                             t->kernel);
    else if (!result && status < CL_COMPLETE) // it may have to wait for the others
        result = gt_cl__ended(cl, t->kernel, status, 10.0, error);
    else if (!result && status > CL_COMPLETE) {
        if (patience >= 0) return GPUTUNE_OK;
        result = gt_cl__hung(cl, t->kernel, gputune_now() - begin, error);
    }
    *done = !result;
    if (*done) gt_cl__span(cl, t->event, span);
    gt_cl__drop(cl, t);
    return result;
}

// What is enqueued on `then` begins after all that is on `first` now. Both are flushed, or neither
// need ever go on.
static gputune_result gt_cl__order(gt_cl__device *cl, cl_command_queue first, cl_command_queue then,
                                   gputune_error *error)
{
    const char *what = "to order two queues";
    cl_event event = NULL;
    gputune_result result = gt_cl__mark(cl, first, 0, NULL, &event, what, error);
    if (!result) result = gt_cl__mark(cl, then, 1, &event, NULL, what, error);
    if (event) cl->call.clReleaseEvent(event);
    if (!result) result = gt_cl__flush(cl, first, error);
    if (!result) result = gt_cl__flush(cl, then, error);
    return result;
}

static gputune_result gt_cl__fork(void *self, int queue, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    cl_command_queue then = NULL;
    gputune_result result = gt_cl__queue(cl, queue, &then, error);
    if (result || queue == 0) return result;
    return gt_cl__order(cl, cl->queue, then, error);
}

// A queue that was never needed has nothing on it.
static gputune_result gt_cl__join(void *self, int queue, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    if (!gt_cl__alive(cl)) return gt_cl__gone(cl, error);
    if (queue == 0 || !cl->side[queue - 1]) return GPUTUNE_OK;
    return gt_cl__order(cl, cl->side[queue - 1], cl->queue, error);
}

static gputune_result gt_cl__recover(void *self, double seconds, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    const double begin = gputune_now();
    while (!gt_cl__alive(cl)) {
        if (!cl->hangs || gputune_now() - begin >= seconds) return gt_cl__gone(cl, error);
        gputune_sleep(1e-3);
    }
    return GPUTUNE_OK;
}

static gputune_result gt_cl__wait(void *self, gputune_error *error)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gputune_result result = GPUTUNE_OK;
    cl_int code;
    int i;
    if (!gt_cl__alive(cl)) return gt_cl__gone(cl, error);
    if (cl->order && cl->order->wait_count)
        result = gt_cl__mark(cl, cl->queue, cl->order->wait_count, cl->order->wait_list, NULL,
                             "what the launch waits for", error);
    if (result) return result;
    code = cl->call.clFinish(cl->queue);
    if (!code && cl->trials && cl->trials != cl->queue) code = cl->call.clFinish(cl->trials);
    for (i = 0; i < GT_CL__QUEUES && !code; i++)
        if (cl->side[i] && cl->side[i] != cl->trials) code = cl->call.clFinish(cl->side[i]);
    if (!code) return GPUTUNE_OK;
    return GT_CL__FAIL(error, GPUTUNE_ERROR_DRIVER, "clFinish", code, "%s",
                       "waiting for the queue");
}

// A processor's outputs are the host's, whose thread compares 0.3 GB a second. A compilation is
// worth it for large ones.
static bool gt_cl__compares(void *self, size_t bytes)
{
    return ((const gt_cl__device *)self)->spins || bytes >= (size_t)64 << 20;
}

// The macros that the standard has compilers define for the device, or NULL: out of memory.
static char *gt_cl__macros(const gt_cl__device *cl)
{
    char list[8192], version[64] = "";
    const char *word = list;
    int major = 0, minor = 0, length;
    char *text, *at;
    gt_cl__device_text(&cl->call, cl->id, CL_DEVICE_EXTENSIONS, list, sizeof list);
    gt_cl__device_text(&cl->call, cl->id, CL_DEVICE_VERSION, version, sizeof version);
    text = (char *)gputune_reallocate(&cl->options, NULL, 4 * strlen(list) + 300);
    if (!text) return NULL;
    *text = 0;
    if (sscanf(version, "OpenCL %3d.%3d", &major, &minor) != 2) return text;
    at = text + sprintf(text, "-U__CUDACC__ -D__OPENCL_VERSION__=%d", 100 * major + 10 * minor);
    if (major > 1 || minor > 1)
        at += sprintf(at, " -DCL_VERSION_1_0=100 -DCL_VERSION_1_1=110 -DCL_VERSION_1_2=120");
    gt_cl__device_text(&cl->call, cl->id, CL_DEVICE_OPENCL_C_VERSION, version, sizeof version);
    if (sscanf(version, "OpenCL C %3d", &major) != 1) major = 1; // devices of 3.0 may have 1.2
    at += sprintf(at, "%s%s -%c__ENDIAN_LITTLE__ -%c__IMAGE_SUPPORT__",
                  major > 1 ? " -DCL_VERSION_2_0=200" : "",
                  major > 2 ? " -DCL_VERSION_3_0=300" : "",
                  gt_cl__device_number(&cl->call, cl->id, CL_DEVICE_ENDIAN_LITTLE) ? 'D' : 'U',
                  gt_cl__device_number(&cl->call, cl->id, CL_DEVICE_IMAGE_SUPPORT) ? 'D' : 'U');
    for (; *word; word += length + (word[length] == ' ')) {
        length = (int)strcspn(word, " ");
        if (length) at += sprintf(at, " -D%.*s", length, word);
    }
    return text;
}

// -----
// [table]
// -----

static void gt_cl__destroy(void *self)
{
    gt_cl__device *cl = (gt_cl__device *)self;
    gputune_options options = cl->options;
    gt_cl__close(cl);
    gputune_reallocate(&options, cl->macros, 0);
    gputune_reallocate(&options, cl, 0);
}

static void gt_cl__table(const gt_cl__device *cl, gputune_driver *driver)
{
    memset(driver, 0, sizeof *driver);
    driver->api = "opencl";
    driver->destroy = gt_cl__destroy;
    driver->compile = gt_cl__compile;
    driver->discard = gt_cl__discard;
    driver->group_limit = gt_cl__group_limit;
    driver->launch = gt_cl__launch;
    if (cl->clocked) driver->took = gt_cl__took;
    driver->time = gt_cl__time;
    driver->allocate = gt_cl__allocate;
    driver->allocate_like = gt_cl__allocate_like;
    driver->release = gt_cl__release;
    driver->extent = gt_cl__extent;
    driver->parent = gt_cl__parent;
    driver->copy = gt_cl__copy;
    driver->fill = gt_cl__fill;
    driver->read = gt_cl__read;
    driver->write = gt_cl__write;
    driver->compares = gt_cl__compares;
    driver->wait = gt_cl__wait;
    driver->recover = gt_cl__recover;
    driver->submit = gt_cl__submit;
    driver->poll = gt_cl__poll;
    driver->fork = gt_cl__fork;
    driver->join = gt_cl__join;
    driver->part_align = cl->alignment;
    driver->queues = GT_CL__QUEUES;
    driver->timed_queue = cl->trials == cl->queue ? 0 : 1; // the trial queue may not exist yet
    driver->takes_source = true;
    driver->macros = cl->macros;
}

// -----
// [public]
// -----

GPUTUNE_API gputune_device *gputune_cl_device_create(const gputune_cl_desc *desc)
{
    gputune_cl_desc none;
    gputune_driver driver;
    gputune_limits limits;
    gputune_error error;
    gt_cl__device *cl;
    gputune_result result;
    char vendor[128];
    memset(&none, 0, sizeof none);
    if (!desc) desc = &none;
    cl = (gt_cl__device *)gputune_reallocate(&desc->options, NULL, sizeof *cl);
    if (!cl) return NULL;
    memset(cl, 0, sizeof *cl);
    cl->options = desc->options;
    result = gt_cl__load(&cl->call, desc->library, &error);
    if (!result)
        result = desc->queue ? gt_cl__wrap(cl, desc->queue, &error) : gt_cl__open(cl, desc, &error);
    if (result) {
        gt_cl__destroy(cl);
        return gputune_device_create_failed(&desc->options, &error);
    }
    gt_cl__platform_text(&cl->call, cl->platform, CL_PLATFORM_VENDOR, vendor, sizeof vendor);
    cl->nvidia = gt_cl__has(vendor, "nvidia");
    gt_cl__limits(cl, &limits);
    cl->local_memory = (cl_ulong)limits.local_memory;
    cl->spins = limits.is_gpu != 0;
    cl->alignment = // bits; the most that OpenCL's types need where it is not known
        (size_t)gt_cl__device_number(&cl->call, cl->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    if (cl->alignment < 128) cl->alignment = 128;
    cl->macros = gt_cl__macros(cl);
    if (!cl->macros) {
        gputune_error_set(&error, GPUTUNE_ERROR_MEMORY, "out of memory");
        gt_cl__destroy(cl);
        return gputune_device_create_failed(&desc->options, &error);
    }
    gt_cl__table(cl, &driver);
    return gputune_device_create(&driver, cl, &limits, &desc->options);
}

GPUTUNE_API gputune_device *gputune_cl_device(cl_command_queue queue)
{
    gputune_cl_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.queue = queue;
    return gputune_cl_device_create(&desc);
}

static gt_cl__device *gt_cl__self(const gputune_device *device)
{
    return (gt_cl__device *)gputune_device_self(device, "opencl");
}

#define GT_CL__X(type, name, field) \
    GPUTUNE_API type name(const gputune_device *device) \
    { \
        const gt_cl__device *cl = gt_cl__self(device); \
        return cl ? cl->field : NULL; \
    }
GT_CL__X(cl_command_queue, gputune_cl_queue, queue)
GT_CL__X(cl_context, gputune_cl_context, context)
GT_CL__X(cl_device_id, gputune_cl_device_id, id)
GT_CL__X(cl_platform_id, gputune_cl_platform_id, platform)
#undef GT_CL__X

GPUTUNE_API gputune_result gputune_cl_run(gputune_kernel *kernel, const gputune_arg *args,
                                          int arg_count, const gputune_cl_order *order)
{
    gputune_error *error;
    gputune_device *device = gputune_kernel_device(kernel, &error);
    gt_cl__device *cl = device ? gt_cl__self(device) : NULL;
    gputune_result result;
    if (order->event) *order->event = NULL;
    if (!device) return GPUTUNE_ERROR_MEMORY;
    if (!cl && !gputune_device_error(device)->result)
        return gputune_error_set(error, GPUTUNE_ERROR_ARGUMENT, "%s",
                                 "gputune_cl_run: the kernel's device is none of OpenCL's");
    if (cl) cl->order = order;
    result = gputune_run(kernel, args, arg_count);
    if (!cl) return result;
    if (!result && order->event && !*order->event) // nothing was to be launched
        result = gt_cl__mark(cl, cl->queue, order->wait_count, order->wait_list, order->event,
                             "the program's queue", error);
    cl->order = NULL;
    return result;
}

GT__HOT

#ifdef __cplusplus
}
#endif

#endif // GPUTUNE_CL_IMPLEMENTATION

// History
//     v0.1.0  2026-11-21  first version

// Licence: MIT or public domain, as you like; the text is at the end of gputune.h.
