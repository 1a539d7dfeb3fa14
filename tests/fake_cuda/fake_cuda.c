// A CUDA driver, run-time compiler and management library that run on the host, compute what the
// tests' kernels compute and fail when asked to (see fake_cuda.h).
//
//     cc -shared -fPIC fake_cuda.c -o libfake.so -lpthread
//         -DFAKE_INCOMPLETE   cuMemsetD8Async is missing
//         -DFAKE_OLD          what is optional is missing: cuFuncGetParamInfo, as in drivers before
//                             12.4, capturing, priorities
//         -DFAKE_NO_COMPILER  nvrtcGetLoweredName is missing
#include <cuda.h>
#include <nvrtc.h>

// The header renames; these are the names that the library exports.
#undef cuEventElapsedTime

#include "fake_cuda.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

// One struct for every kind of object.
typedef struct object {
    int kind;
    struct object *context;      // it belongs to
    struct object *next, **link; // of all that are alive
    int device;                  // of a context
    unsigned char *data;         // of memory, of a module's variable
    size_t size;
    CUmemorytype type;           // of memory; UNIFIED: managed
    struct function *functions;  // of a module
    int number;                  // of a stream; of an event, the one that it was recorded in
    bool blocking;               // of a stream: in order with the default one
    bool captured;               // of an event: recorded in a capture
    bool hung;                   // stream, event: behind a launch that never ends
    double done_at;              // the same: on the wall clock
    double time;                 // of an event: on the device's; negative: never recorded
    char *text, *name;           // of a program: source, its name; of a module its variable's
    char *expressions[8], *lowered[8];
    int expression_count;
    char *log, *cubin, *ptx;
} object;

typedef struct function {
    struct function *next;
    object *module;
    char name[128], parameters[32];
    int does, registers, shared, local, threads, most_dynamic, carveout, capability;
    double seconds, joules;
} function;

enum { STACK = 64 };

enum { NODES = 16 }; // of a graph

// A launch that was captured, with copies of its arguments.
typedef struct node {
    CUfunction function;
    unsigned sizes[7]; // grid, block, dynamic
    long long values[16];
} node;

static fake_cuda state;
static struct {
    object *stream; // NULL: none is captured
    CUstreamCaptureMode mode;
    int status;
    node nodes[NODES]; // of the graph that was captured last
    int count;
} capture;
static __thread CUstreamCaptureMode thread_mode;
static bool initialised;
static int sticky; // the code that every call returns since a kernel failed
static object *objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread object *stack[STACK];
static __thread int depth;

static double wall(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

static void misuse(const char *what, const char *how)
{
    if (!state.misused++) snprintf(state.misuse, sizeof state.misuse, "%s: %s", what, how);
}

// --- objects ---

static object *make(int kind, object *context)
{
    object *o = (object *)calloc(1, sizeof *o);
    o->kind = kind;
    o->context = context;
    pthread_mutex_lock(&lock);
    o->next = objects;
    o->link = &objects;
    if (objects) objects->link = &o->next;
    objects = o;
    state.alive[kind]++;
    pthread_mutex_unlock(&lock);
    return o;
}

static void drop(object *o)
{
    function *f, *next;
    int i;
    pthread_mutex_lock(&lock);
    *o->link = o->next;
    if (o->next) o->next->link = o->link;
    state.alive[o->kind]--;
    pthread_mutex_unlock(&lock);
    for (f = o->functions; f; f = next) {
        next = f->next;
        free(f);
    }
    for (i = 0; i < 8; i++) {
        free(o->expressions[i]);
        free(o->lowered[i]);
    }
    free(o->data), free(o->text), free(o->name), free(o->log), free(o->cubin), free(o->ptx);
    free(o);
}

static bool alive(const void *handle, int kind)
{
    const object *o;
    pthread_mutex_lock(&lock);
    for (o = objects; o && o != (const object *)handle;) o = o->next;
    pthread_mutex_unlock(&lock);
    return o && o->kind == kind;
}

// The memory that holds all of [at, at + bytes), or NULL.
static object *memory_at(CUdeviceptr at, size_t bytes)
{
    object *o;
    pthread_mutex_lock(&lock);
    for (o = objects; o; o = o->next)
        if (o->data && at >= (CUdeviceptr)(uintptr_t)o->data &&
            at - (CUdeviceptr)(uintptr_t)o->data <= o->size &&
            bytes <= o->size - (size_t)(at - (CUdeviceptr)(uintptr_t)o->data))
            break;
    pthread_mutex_unlock(&lock);
    return o;
}

static bool fault(const char *name)
{
    bool strikes;
    pthread_mutex_lock(&lock);
    state.calls++;
    strikes = state.fail && strcmp(state.fail, name) == 0 && state.fail_seen++ == state.fail_at;
    state.failed += strikes;
    pthread_mutex_unlock(&lock);
    return strikes;
}

#define FAULT(name)                                                                               \
    if (fault(#name)) return (CUresult)state.fail_code
#define STARTED(name)                                                                             \
    FAULT(name);                                                                                  \
    if (!initialised) return CUDA_ERROR_NOT_INITIALIZED
// What needs a context that works.
#define WORKING(name)                                                                             \
    STARTED(name);                                                                                \
    if (!depth || !stack[depth - 1]) return misuse(#name, "no current context"),                  \
                                            CUDA_ERROR_INVALID_CONTEXT;                           \
    if (sticky && state.late-- <= 0) return (CUresult)sticky
#define ALIVE(name, handle, kind)                                                                 \
    do {                                                                                          \
        if (!alive(handle, kind)) return misuse(#name, "handle"), CUDA_ERROR_INVALID_HANDLE;      \
        if (((object *)(void *)(handle))->context != stack[depth - 1])                            \
            return misuse(#name, "another context's handle"), CUDA_ERROR_INVALID_HANDLE;          \
    } while (0)

// --- captures: what CUDA 13 does on an H200 ---

static CUresult invalidate(CUresult code)
{
    capture.status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
    return code;
}

// What only a relaxed thread may do during another capture than a relaxed one.
#define SAFE()                                                                                    \
    if (capture.stream && thread_mode != CU_STREAM_CAPTURE_MODE_RELAXED &&                        \
        capture.mode != CU_STREAM_CAPTURE_MODE_RELAXED)                                           \
    return invalidate((CUresult)900)

// What nobody may do with the captured stream, its events or its context.
#define NEVER(is) if (capture.stream && (is)) return invalidate((CUresult)900)

// --- the tests' side ---

static void start_device(fake_cuda_device *d, const char *name, const char *bus, int major,
                         int minor, int units)
{
    int *a = d->attribute;
    d->name = name;
    d->bus = bus;
    d->memory = (size_t)1 << 32;
    a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = 1024;
    a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X] = 1024;
    a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y] = 1024;
    a[CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z] = 64;
    a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X] = 2147483647;
    a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y] = 65535;
    a[CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z] = 65535;
    a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK] = 49152;
    a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN] = 232448;
    a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR] = 233472;
    a[111] = 1024; // reserved of each block: not in older headers
    a[106] = 32;   // blocks of a multiprocessor
    a[CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY] = 65536;
    a[CU_DEVICE_ATTRIBUTE_WARP_SIZE] = 32;
    a[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK] = 65536;
    a[CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR] = 65536;
    a[CU_DEVICE_ATTRIBUTE_CLOCK_RATE] = 1980000;
    a[CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT] = units;
    a[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE] = 1 << 20;
    a[CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR] = 2048;
    a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] = major;
    a[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR] = minor;
    a[CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING] = 1;
    a[CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS] = 1;
}

static object *primaries[2];

fake_cuda *fake_cuda_state(void)
{
    if (!state.device_count) fake_cuda_reset();
    return &state;
}

void fake_cuda_reset(void)
{
    static const int archs[] = { 75, 80, 86, 89, 90, 100, 120, 0 };
    int i;
    while (objects) drop(objects);
    memset(&state, 0, sizeof state);
    initialised = false;
    sticky = depth = 0;
    capture.stream = NULL;
    thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    start_device(&state.devices[0], "Fake H200", "0000:19:00.0", 9, 0, 132);
    start_device(&state.devices[1], "Fake A100", "0000:3B:00.0", 8, 0, 108);
    state.device_count = 2;
    state.version = 13000;
    state.nvrtc_version[0] = 13;
    memcpy(state.archs, archs, sizeof archs);
    state.watts = 100;
    for (i = 0; i < 2; i++) {
        if (primaries[i]) free(primaries[i]->text);
        free(primaries[i]);
        primaries[i] = (object *)calloc(1, sizeof **primaries); // alive for ever, uncounted
        primaries[i]->kind = FAKE_CUDA_CONTEXT;
        primaries[i]->device = i;
        state.devices[i].primary = primaries[i];
    }
}

void *fake_cuda_new_context(int device)
{
    object *context = make(FAKE_CUDA_CONTEXT, NULL);
    context->device = device;
    return context;
}

void fake_cuda_end_context(void *context)
{
    drop((object *)context);
}

int fake_cuda_depth(void)
{
    return depth;
}

// --- driver: versions, devices ---

CUresult CUDAAPI cuInit(unsigned flags)
{
    (void)flags;
    FAULT(cuInit);
    initialised = true;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDriverGetVersion(int *version)
{
    FAULT(cuDriverGetVersion);
    *version = state.version;
    return CUDA_SUCCESS;
}

#define NAMES(X)                                                                                  \
    X(CUDA_SUCCESS) X(CUDA_ERROR_INVALID_VALUE) X(CUDA_ERROR_OUT_OF_MEMORY)                       \
    X(CUDA_ERROR_NOT_INITIALIZED) X(CUDA_ERROR_NO_DEVICE) X(CUDA_ERROR_INVALID_DEVICE)            \
    X(CUDA_ERROR_INVALID_IMAGE) X(CUDA_ERROR_INVALID_CONTEXT) X(CUDA_ERROR_NO_BINARY_FOR_GPU)     \
    X(CUDA_ERROR_INVALID_PTX) X(CUDA_ERROR_INVALID_HANDLE) X(CUDA_ERROR_NOT_FOUND)                \
    X(CUDA_ERROR_NOT_READY) X(CUDA_ERROR_ILLEGAL_ADDRESS) X(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES)   \
    X(CUDA_ERROR_LAUNCH_TIMEOUT) X(CUDA_ERROR_LAUNCH_FAILED) X(CUDA_ERROR_NOT_SUPPORTED)          \
    X(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH) X(CUDA_ERROR_UNKNOWN)

static const char *code_name(CUresult code)
{
    switch ((int)code) {
#define NAME(name) case name: return #name;
        NAMES(NAME)
#undef NAME
    default: return NULL;
    }
}

CUresult CUDAAPI cuGetErrorName(CUresult code, const char **name)
{
    FAULT(cuGetErrorName);
    *name = code_name(code);
    return *name ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuGetErrorString(CUresult code, const char **text)
{
    FAULT(cuGetErrorString);
    *text = code == CUDA_ERROR_ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
            : code_name(code)                  ? "the fake was asked for this"
                                               : NULL;
    return *text ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult CUDAAPI cuDeviceGetCount(int *count)
{
    STARTED(cuDeviceGetCount);
    *count = state.device_count;
    return CUDA_SUCCESS;
}

#define DEVICE(name, device)                                                                      \
    STARTED(name);                                                                                \
    if ((device) < 0 || (device) >= state.device_count) return CUDA_ERROR_INVALID_DEVICE

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal)
{
    DEVICE(cuDeviceGet, ordinal);
    *device = ordinal;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetName(char *name, int size, CUdevice device)
{
    DEVICE(cuDeviceGetName, device);
    snprintf(name, (size_t)size, "%s", state.devices[device].name);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute what, CUdevice device)
{
    DEVICE(cuDeviceGetAttribute, device);
    *value = (int)what < 256 ? state.devices[device].attribute[what] : 0;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    DEVICE(cuDeviceTotalMem_v2, device);
    *bytes = state.devices[device].memory;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuDeviceGetPCIBusId(char *text, int size, CUdevice device)
{
    DEVICE(cuDeviceGetPCIBusId, device);
    snprintf(text, (size_t)size, "%s", state.devices[device].bus);
    return CUDA_SUCCESS;
}

// --- contexts ---

static bool context_alive(const object *context)
{
    return context == primaries[0] || context == primaries[1] ||
           alive(context, FAKE_CUDA_CONTEXT);
}

CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    DEVICE(cuDevicePrimaryCtxRetain, device);
    state.alive[FAKE_CUDA_RETAINED]++;
    state.retains++;
    primaries[device]->size++; // times it is retained
    *context = (CUcontext)(void *)primaries[device];
    return CUDA_SUCCESS;
}

// Whether a call that waits for everything in the context would never come back.
static bool blocks(const char *call, const object *context)
{
    const object *o;
    for (o = objects; o && state.hangs; o = o->next)
        if (o->kind == FAKE_CUDA_STREAM && o->hung && (!context || o->context == context)) break;
    if (!state.hangs || !o) return false;
    state.blocked++;
    misuse(call, "waits for ever");
    return true;
}

CUresult CUDAAPI cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    DEVICE(cuDevicePrimaryCtxRelease_v2, device);
    if (!primaries[device]->size)
        return misuse("cuDevicePrimaryCtxRelease_v2", "not retained"), CUDA_ERROR_INVALID_CONTEXT;
    if (primaries[device]->size == 1) blocks("cuDevicePrimaryCtxRelease_v2", primaries[device]);
    primaries[device]->size--;
    state.alive[FAKE_CUDA_RETAINED]--;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context)
{
    STARTED(cuCtxGetCurrent);
    *context = (CUcontext)(void *)(depth ? stack[depth - 1] : NULL);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxPushCurrent_v2(CUcontext context)
{
    STARTED(cuCtxPushCurrent_v2);
    if (!context_alive((object *)(void *)context) || depth == STACK)
        return misuse("cuCtxPushCurrent_v2", "context"), CUDA_ERROR_INVALID_CONTEXT;
    stack[depth++] = (object *)(void *)context;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxPopCurrent_v2(CUcontext *context)
{
    STARTED(cuCtxPopCurrent_v2);
    if (!depth)
        return misuse("cuCtxPopCurrent_v2", "empty stack"), CUDA_ERROR_INVALID_CONTEXT;
    depth--;
    if (context) *context = (CUcontext)(void *)stack[depth];
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuCtxGetDevice(CUdevice *device)
{
    STARTED(cuCtxGetDevice);
    if (!depth) return CUDA_ERROR_INVALID_CONTEXT;
    *device = stack[depth - 1]->device;
    return CUDA_SUCCESS;
}

// Waits until what was launched by now has ended.
static CUresult await(const char *call, const object *context, double until)
{
    if (blocks(call, context)) return CUDA_ERROR_LAUNCH_TIMEOUT;
    while (wall() < until) {}
    return (CUresult)sticky;
}

CUresult CUDAAPI cuCtxSynchronize(void)
{
    double until = 0;
    const object *o;
    WORKING(cuCtxSynchronize);
    NEVER(capture.stream->context == stack[depth - 1]);
    for (o = objects; o; o = o->next)
        if (o->kind == FAKE_CUDA_STREAM && o->context == stack[depth - 1] && o->done_at > until)
            until = o->done_at;
    if (state.watched) state.watched_waits++;
    return await("cuCtxSynchronize", stack[depth - 1], until);
}

// --- streams and events; the NULL stream of each context is made when it is first used ---

static object *stream_of(CUstream handle)
{
    object *context = stack[depth - 1];
    if (handle) return alive(handle, FAKE_CUDA_STREAM) ? (object *)(void *)handle : NULL;
    if (!context->text) { // where a context keeps it
        object *stream = (object *)calloc(1, sizeof *stream);
        stream->kind = FAKE_CUDA_STREAM;
        stream->context = context;
        context->text = (char *)stream;
    }
    return (object *)(void *)context->text;
}

#define STREAM(name, handle)                                                                      \
    object *stream;                                                                               \
    WORKING(name);                                                                                \
    if (handle) ALIVE(name, handle, FAKE_CUDA_STREAM);                                            \
    stream = stream_of(handle)

// Work on the default stream while one is captured that is in order with it.
static bool implicit(CUstream handle)
{
    return capture.stream && !handle && capture.stream->blocking &&
           capture.stream->context == stack[depth - 1];
}

static CUstream new_stream(unsigned flags)
{
    object *stream = make(FAKE_CUDA_STREAM, stack[depth - 1]);
    stream->blocking = !(flags & CU_STREAM_NON_BLOCKING);
    stream->number = ++state.streams;
    return (CUstream)(void *)stream;
}

static void trace(char what, const object *stream)
{
    size_t used = strlen(state.trace);
    snprintf(state.trace + used, sizeof state.trace - used, "%c%d ", what, stream->number);
}

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned flags)
{
    WORKING(cuStreamCreate);
    *stream = new_stream(flags);
    state.other_streams++;
    return CUDA_SUCCESS;
}

#ifndef FAKE_OLD
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    WORKING(cuCtxGetStreamPriorityRange);
    *least = 0;
    *greatest = -5;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned flags, int priority)
{
    WORKING(cuStreamCreateWithPriority);
    *stream = new_stream(flags);
    state.first_priority += priority == -5;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
    STARTED(cuStreamIsCapturing);
    if (handle && !alive(handle, FAKE_CUDA_STREAM))
        return misuse("cuStreamIsCapturing", "handle"), CUDA_ERROR_INVALID_HANDLE;
    if (!handle && !depth) return CUDA_ERROR_INVALID_CONTEXT;
    if (sticky) return (CUresult)sticky;
    if (implicit(handle)) return (CUresult)906;
    *status = (CUstreamCaptureStatus)(handle && (object *)(void *)handle == capture.stream
                                          ? capture.status : 0);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode)
{
    const CUstreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
#endif

CUresult CUDAAPI cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
    STREAM(cuStreamBeginCapture_v2, handle);
    if (!handle || capture.stream) return (CUresult)900;
    capture.stream = stream;
    capture.mode = mode;
    capture.status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    capture.count = 0;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
    STREAM(cuStreamEndCapture, handle);
    *graph = NULL;
    if (stream != capture.stream) return CUDA_ERROR_INVALID_VALUE;
    capture.stream = NULL;
    if (capture.status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) return (CUresult)901;
    *graph = (CUgraph)(void *)&capture;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamQuery(CUstream handle)
{
    STREAM(cuStreamQuery, handle);
    SAFE();
    NEVER(stream == capture.stream);
    return (stream->hung && state.hangs) || wall() < stream->done_at ? CUDA_ERROR_NOT_READY
                                                                     : CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamWaitEvent(CUstream handle, CUevent awaited, unsigned flags)
{
    const object *event = (const object *)(void *)awaited;
    size_t used;
    STREAM(cuStreamWaitEvent, handle);
    (void)flags;
    ALIVE(cuStreamWaitEvent, awaited, FAKE_CUDA_EVENT);
    if (event->time < 0) misuse("cuStreamWaitEvent", "never recorded");
    trace('W', stream);
    used = strlen(state.trace) - 1; // over the blank
    snprintf(state.trace + used, sizeof state.trace - used, "<%d ", event->number);
    if (event->done_at > stream->done_at) stream->done_at = event->done_at;
    stream->hung = stream->hung || event->hung;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamDestroy_v2(CUstream stream)
{
    WORKING(cuStreamDestroy_v2);
    ALIVE(cuStreamDestroy_v2, stream, FAKE_CUDA_STREAM);
    drop((object *)(void *)stream);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    STARTED(cuStreamGetCtx);
    if (!alive(stream, FAKE_CUDA_STREAM))
        return misuse("cuStreamGetCtx", "handle"), CUDA_ERROR_INVALID_HANDLE;
    *context = (CUcontext)(void *)((object *)(void *)stream)->context;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamSynchronize(CUstream handle)
{
    STREAM(cuStreamSynchronize, handle);
    SAFE();
    NEVER(stream == capture.stream || implicit(handle));
    state.watched_waits += handle && (void *)handle == state.watched;
    if (stream->hung && blocks("cuStreamSynchronize", NULL)) return CUDA_ERROR_LAUNCH_TIMEOUT;
    while (wall() < stream->done_at) {}
    return (CUresult)sticky;
}

CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned flags)
{
    object *made;
    (void)flags;
    WORKING(cuEventCreate);
    made = make(FAKE_CUDA_EVENT, stack[depth - 1]);
    made->time = -1;
    *event = (CUevent)(void *)made;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventDestroy_v2(CUevent event)
{
    WORKING(cuEventDestroy_v2);
    ALIVE(cuEventDestroy_v2, event, FAKE_CUDA_EVENT);
    drop((object *)(void *)event);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuEventRecord(CUevent handle, CUstream on)
{
    object *event = (object *)(void *)handle;
    STREAM(cuEventRecord, on);
    ALIVE(cuEventRecord, handle, FAKE_CUDA_EVENT);
    event->time = state.clock;
    event->captured = capture.stream && stream == capture.stream;
    event->done_at = stream->done_at;
    event->hung = stream->hung;
    event->number = stream->number;
    trace('R', stream);
    return CUDA_SUCCESS;
}

static bool ended(const object *event)
{
    return !(event->hung && state.hangs) && wall() >= event->done_at;
}

CUresult CUDAAPI cuEventQuery(CUevent handle)
{
    const object *event = (const object *)(void *)handle;
    WORKING(cuEventQuery);
    ALIVE(cuEventQuery, handle, FAKE_CUDA_EVENT);
    SAFE();
    NEVER(event->captured);
    state.looks++;
    return ended(event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent first, CUevent last)
{
    const object *a = (const object *)(void *)first, *b = (const object *)(void *)last;
    WORKING(cuEventElapsedTime);
    ALIVE(cuEventElapsedTime, first, FAKE_CUDA_EVENT);
    ALIVE(cuEventElapsedTime, last, FAKE_CUDA_EVENT);
    if (a->time < 0 || b->time < 0) return CUDA_ERROR_INVALID_HANDLE;
    if (!ended(a) || !ended(b)) return CUDA_ERROR_NOT_READY;
    *milliseconds = (float)(1e3 * (b->time - a->time));
    return CUDA_SUCCESS;
}

// --- memory: the host's, found by its address ---

static CUresult make_memory(CUdeviceptr *pointer, size_t bytes, CUmemorytype type)
{
    object *memory;
    unsigned char *data;
    SAFE();
    if (!bytes) return CUDA_ERROR_INVALID_VALUE;
    if (type == CU_MEMORYTYPE_DEVICE &&
        bytes > state.devices[stack[depth - 1]->device].memory)
        return CUDA_ERROR_OUT_OF_MEMORY;
    if (posix_memalign((void **)&data, 256, bytes)) return CUDA_ERROR_OUT_OF_MEMORY; // as CUDA
    memset(data, 0xCD, bytes);
    memory = make(FAKE_CUDA_MEMORY, stack[depth - 1]);
    memory->data = data;
    memory->size = bytes;
    memory->type = type;
    state.made[type]++;
    *pointer = (CUdeviceptr)(uintptr_t)data;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
    WORKING(cuMemAlloc_v2);
    return make_memory(pointer, bytes, CU_MEMORYTYPE_DEVICE);
}

CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned flags)
{
    WORKING(cuMemAllocManaged);
    if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
        return CUDA_ERROR_INVALID_VALUE;
    return make_memory(pointer, bytes, CU_MEMORYTYPE_UNIFIED); // without end
}

CUresult CUDAAPI cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    CUdeviceptr at = 0;
    CUresult code;
    WORKING(cuMemHostAlloc);
    if (flags & ~7u) return CUDA_ERROR_INVALID_VALUE;
    code = make_memory(&at, bytes, CU_MEMORYTYPE_HOST);
    *pointer = (void *)(uintptr_t)at;
    return code;
}

static CUresult free_memory(const char *call, CUdeviceptr pointer, bool host)
{
    object *memory;
    SAFE();
    if (blocks(call, stack[depth - 1])) return CUDA_ERROR_LAUNCH_TIMEOUT;
    memory = memory_at(pointer, 0);
    if (!memory || pointer != (CUdeviceptr)(uintptr_t)memory->data)
        return misuse(call, "not the start of any memory"), CUDA_ERROR_INVALID_VALUE;
    if (host != (memory->type == CU_MEMORYTYPE_HOST))
        return misuse(call, "memory of another kind"), CUDA_ERROR_INVALID_VALUE;
    drop(memory);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemFree_v2(CUdeviceptr pointer)
{
    WORKING(cuMemFree_v2);
    return free_memory("cuMemFree_v2", pointer, false);
}

CUresult CUDAAPI cuMemFreeHost(void *pointer)
{
    WORKING(cuMemFreeHost);
    return free_memory("cuMemFreeHost", (CUdeviceptr)(uintptr_t)pointer, true);
}

CUresult CUDAAPI cuMemGetInfo_v2(size_t *left, size_t *all)
{
    WORKING(cuMemGetInfo_v2);
    *left = *all = state.devices[stack[depth - 1]->device].memory;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuPointerGetAttribute(void *data, CUpointer_attribute what, CUdeviceptr pointer)
{
    const object *memory;
    WORKING(cuPointerGetAttribute);
    memory = memory_at(pointer, 0);
    if (!memory) return CUDA_ERROR_INVALID_VALUE;
    if (what == CU_POINTER_ATTRIBUTE_IS_MANAGED)
        *(int *)data = memory->type == CU_MEMORYTYPE_UNIFIED;
    else if (what == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) // of managed memory where it is now
        *(unsigned *)data = memory->type == CU_MEMORYTYPE_UNIFIED ? CU_MEMORYTYPE_HOST
                                                                  : memory->type;
    else
        return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *bytes, CUdeviceptr pointer)
{
    const object *memory;
    WORKING(cuMemGetAddressRange_v2);
    memory = memory_at(pointer, 1);
    if (!memory) return CUDA_ERROR_NOT_FOUND;
    *base = (CUdeviceptr)(uintptr_t)memory->data;
    *bytes = memory->size;
    return CUDA_SUCCESS;
}

// A copy's end is in memory of the current context.
static bool reaches(const char *call, CUdeviceptr at, size_t bytes)
{
    const object *memory = memory_at(at, bytes);
    if (memory && memory->context == stack[depth - 1]) return true;
    misuse(call, memory ? "another context's memory" : "beyond its memory");
    return false;
}

#define COPY(name, handle)                                                                        \
    STREAM(name, handle);                                                                         \
    if (implicit(handle)) return invalidate((CUresult)906);                                       \
    state.watched_copies += handle && (void *)handle == state.watched

CUresult CUDAAPI cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream on)
{
    COPY(cuMemcpyDtoDAsync_v2, on);
    (void)stream;
    if (!reaches("cuMemcpyDtoDAsync_v2", to, bytes) ||
        !reaches("cuMemcpyDtoDAsync_v2", from, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream on)
{
    COPY(cuMemcpyDtoHAsync_v2, on);
    if (stream->hung && blocks("cuMemcpyDtoHAsync_v2", NULL)) return CUDA_ERROR_LAUNCH_TIMEOUT;
    if (!reaches("cuMemcpyDtoHAsync_v2", from, bytes)) return CUDA_ERROR_INVALID_VALUE;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream on)
{
    COPY(cuMemcpyHtoDAsync_v2, on);
    if (stream->hung && blocks("cuMemcpyHtoDAsync_v2", NULL)) return CUDA_ERROR_LAUNCH_TIMEOUT;
    if (!reaches("cuMemcpyHtoDAsync_v2", to, bytes)) return CUDA_ERROR_INVALID_VALUE;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return CUDA_SUCCESS;
}

#ifndef FAKE_INCOMPLETE
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t bytes, CUstream on)
{
    COPY(cuMemsetD8Async, on);
    (void)stream;
    if (!reaches("cuMemsetD8Async", to, bytes)) return CUDA_ERROR_INVALID_VALUE;
    memset((void *)(uintptr_t)to, byte, bytes);
    state.wiped += bytes >= (size_t)state.devices[stack[depth - 1]->device]
                                .attribute[CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE];
    return CUDA_SUCCESS;
}
#endif

// --- modules and functions ---

static int number_after(const char *line, const char *end, const char *key, int otherwise)
{
    const char *at = strstr(line, key);
    return at && at < end ? atoi(at + strlen(key)) : otherwise;
}

// One line of an image: "kernel NAME params=... does=... ...".
static void add_function(object *module, const char *line, int capability)
{
    const char *end = line + strcspn(line, "\n"), *params = strstr(line, " params=");
    function *f = (function *)calloc(1, sizeof *f);
    sscanf(line, "kernel %127s", f->name);
    if (params && params < end) sscanf(params, " params=%31[a-z]", f->parameters);
    f->does = number_after(line, end, " does=", 0);
    f->registers = number_after(line, end, " regs=", 32);
    f->shared = number_after(line, end, " static=", 0);
    f->local = number_after(line, end, " local=", 0);
    f->threads = number_after(line, end, " threads=", 1024);
    f->seconds = 1e-6 * number_after(line, end, " us=", 100);
    f->joules = 1e-6 * number_after(line, end, " uj=", 0);
    f->most_dynamic = 49152 - f->shared;
    f->carveout = -1;
    f->capability = capability;
    f->module = module;
    f->next = module->functions;
    module->functions = f;
}

CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *handle, const void *image, unsigned count,
                                    CUjit_option *options, void **values)
{
    const char *line = (const char *)image;
    const fake_cuda_device *device;
    char kind[16] = "", name[128];
    int capability = 0, own, bytes;
    object *module;
    (void)count, (void)options, (void)values;
    WORKING(cuModuleLoadDataEx);
    SAFE(); // older drivers
    state.loads++;
    device = &state.devices[stack[depth - 1]->device];
    own = device->attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR] * 10 +
          device->attribute[CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR];
    if (sscanf(line, "FAKE %15s %d", kind, &capability) != 2 || !strstr(line, "\nend\n"))
        return CUDA_ERROR_INVALID_IMAGE;
    if (strcmp(kind, "PTX") == 0 && capability > own) return CUDA_ERROR_INVALID_PTX;
    if (strcmp(kind, "CUBIN") == 0 && (capability / 10 != own / 10 || capability > own))
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (strstr(line, " does=10 ")) return CUDA_ERROR_INVALID_IMAGE;
    snprintf(state.image, sizeof state.image, "%s", kind);
    module = make(FAKE_CUDA_MODULE, stack[depth - 1]);
    for (line = strchr(line, '\n'); strncmp(line, "\nend", 4); line = strchr(line + 1, '\n'))
        if (strncmp(line + 1, "kernel ", 7) == 0) {
            add_function(module, line + 1, own);
        } else if (sscanf(line + 1, "variable %127s %d", name, &bytes) == 2) {
            module->name = strdup(name);
            module->data = (unsigned char *)calloc(1, (size_t)bytes);
            module->size = (size_t)bytes;
        }
    *handle = (CUmodule)(void *)module;
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleUnload(CUmodule module)
{
    WORKING(cuModuleUnload);
    ALIVE(cuModuleUnload, module, FAKE_CUDA_MODULE);
    SAFE();
    if (blocks("cuModuleUnload", stack[depth - 1])) return CUDA_ERROR_LAUNCH_TIMEOUT;
    drop((object *)(void *)module);
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuModuleGetFunction(CUfunction *handle, CUmodule module, const char *name)
{
    function *f;
    WORKING(cuModuleGetFunction);
    ALIVE(cuModuleGetFunction, module, FAKE_CUDA_MODULE);
    for (f = ((object *)(void *)module)->functions; f && strcmp(f->name, name) != 0;) f = f->next;
    *handle = (CUfunction)(void *)f;
    return f ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult CUDAAPI cuModuleGetGlobal_v2(CUdeviceptr *at, size_t *bytes, CUmodule handle,
                                      const char *name)
{
    const object *module = (const object *)(const void *)handle;
    WORKING(cuModuleGetGlobal_v2);
    ALIVE(cuModuleGetGlobal_v2, handle, FAKE_CUDA_MODULE);
    if (!module->name || strcmp(module->name, name) != 0) return CUDA_ERROR_NOT_FOUND;
    *at = (CUdeviceptr)(uintptr_t)module->data;
    *bytes = module->size;
    return CUDA_SUCCESS;
}

static function *function_of(CUfunction handle)
{
    const object *o;
    function *f = NULL;
    for (o = objects; o && !f; o = o->next)
        for (f = o->functions; f && f != (function *)(void *)handle;) f = f->next;
    if (!f) misuse("a function", "its module is not loaded");
    return f;
}

CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute what, CUfunction handle)
{
    const function *f;
    WORKING(cuFuncGetAttribute);
    f = function_of(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    switch ((int)what) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = f->threads; break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *value = f->shared; break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *value = f->local; break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *value = f->registers; break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *value = f->capability; break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *value = f->most_dynamic; break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *value = f->carveout; break;
    default: *value = 0;
    }
    return CUDA_SUCCESS;
}

static const int *attributes(void)
{
    return state.devices[stack[depth - 1]->device].attribute;
}

CUresult CUDAAPI cuFuncSetAttribute(CUfunction handle, CUfunction_attribute what, int value)
{
    function *f;
    WORKING(cuFuncSetAttribute);
    f = function_of(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (what == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value < 0 ||
            value + f->shared > attributes()[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN])
            return CUDA_ERROR_INVALID_VALUE;
        f->most_dynamic = state.most_dynamic = value;
    } else if (what == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
        f->carveout = value;
    return CUDA_SUCCESS;
}

static size_t parameter_size(char kind)
{
    return kind == 'c' ? 1 : kind == 's' ? 2 : kind == 'i' || kind == 'f' ? 4 : 8;
}

#ifndef FAKE_OLD
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size)
{
    const function *f;
    size_t at = 0, i;
    WORKING(cuFuncGetParamInfo);
    f = function_of(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (index >= strlen(f->parameters)) return CUDA_ERROR_INVALID_VALUE;
    for (i = 0; i <= index; i++) {
        size_t bytes = parameter_size(f->parameters[i]);
        at = (at + bytes - 1) / bytes * bytes;
        *offset = at;
        if (size) *size = bytes;
        at += bytes;
    }
    return CUDA_SUCCESS;
}
#endif

// Capability 9.0 and 8.0 alike but for the memory: 64 warps, 4 files of 16384 registers.
static int groups(const function *f, int threads, size_t dynamic)
{
    static const int sizes[] = { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228 };
    const int *a = attributes();
    int warps = (threads + 31) / 32, each = (f->registers * 32 + 255) / 256 * 256, least, i;
    int total = a[CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR];
    long long shared = ((long long)f->shared + (long long)dynamic + 1024 + 127) / 128 * 128;
    least = a[106];
    if (threads > 1024 || dynamic > (size_t)f->most_dynamic) return 0;
    if (64 / warps < least) least = 64 / warps;
    if (each && 16384 / each * 4 / warps < least) least = 16384 / each * 4 / warps;
    if (f->carveout >= 0) {
        for (i = 0; i < 9 && sizes[i] * 1024 < total * f->carveout / 100;) i++;
        total = sizes[i] * 1024;
        for (; i < 9 && sizes[i] * 1024 < shared;) total = sizes[++i] * 1024;
    }
    if (total / shared < least) least = (int)(total / shared);
    return least;
}

CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *count, CUfunction handle,
                                                             int threads, size_t dynamic)
{
    const function *f;
    WORKING(cuOccupancyMaxActiveBlocksPerMultiprocessor);
    f = function_of(handle);
    if (!f || threads < 1) return CUDA_ERROR_INVALID_VALUE;
    *count = groups(f, threads, dynamic);
    return CUDA_SUCCESS;
}

// --- launches ---

typedef struct call {
    long long n;
    float a;
    float *x, *y;
} call;

// Reads each argument as wide as its parameter: a sanitizer sees one that is too narrow.
static void read_arguments(const function *f, void **arguments, call *c)
{
    int i;
    memset(c, 0, sizeof *c);
    c->n = -1;
    c->a = 2;
    state.parameters = (int)strlen(f->parameters);
    for (i = 0; i < state.parameters && i < 16; i++) {
        char kind = f->parameters[i];
        long long value = 0;
        float real;
        if (!arguments[i]) {
            misuse("cuLaunchKernel", "an argument is missing");
            continue;
        }
        memcpy(&value, arguments[i], parameter_size(kind));
        if (kind == 'i') value = (int)value;
        state.values[i] = value;
        if ((kind == 'i' || kind == 'l') && c->n < 0) c->n = value;
        if (kind == 'p') {
            c->x = c->y;
            c->y = (float *)(uintptr_t)value;
        }
        if (kind != 'f') continue;
        memcpy(&real, arguments[i], sizeof real);
        c->a = real;
    }
}

static bool in_memory(const float *at, size_t bytes)
{
    return memory_at((CUdeviceptr)(uintptr_t)at, bytes) != NULL;
}

// gputune's own kernel, which counts what differs, or fills: got, expected, and the numbers: the
// count, both offsets, bytes, those at once, bits, real, absolute, relative, poison, unwritten,
// shift, task, whether a number was written, marks.
static void differ(const function *f)
{
    unsigned long long *c = (unsigned long long *)(uintptr_t)state.values[2], *count = c;
    unsigned char *got = (unsigned char *)(uintptr_t)state.values[0];
    const unsigned char *expected = (const unsigned char *)(uintptr_t)state.values[1];
    unsigned *marks = (unsigned *)(c + 14);
    size_t width, bytes, i;
    bool real;
    unsigned long long word = 0, other = 0;
    double absolute, relative;
    float g, e = 0;
    if (!memory_at((CUdeviceptr)(uintptr_t)c, 14 * sizeof *c + 1024 / 8)) {
        misuse("cuLaunchKernel", "beyond the numbers");
        return;
    }
    got += c[1];
    expected += c[2];
    bytes = (size_t)c[3];
    width = (size_t)c[5] / 8;
    real = c[6] && width == 4;
    memcpy(&absolute, &c[7], sizeof absolute);
    memcpy(&relative, &c[8], sizeof relative);
    if (!memory_at((CUdeviceptr)(uintptr_t)got, bytes) ||
        !memory_at((CUdeviceptr)(uintptr_t)expected, bytes)) {
        misuse("cuLaunchKernel", "beyond compared memory");
        return;
    }
    if (((uintptr_t)got | (uintptr_t)expected) % c[4]) sticky = CUDA_ERROR_MISALIGNED_ADDRESS;
    for (i = 0; i + width <= bytes; i += width) {
        const size_t piece = i >> c[11];
        if (c[12] && !(marks[piece / 32] >> piece % 32 & 1)) continue;
        if (c[12] == 2) memset(got + i, (int)(c[10] & 255), width);
        memcpy(&g, got + i, real ? sizeof g : 0);
        memcpy(&e, expected + i, real ? sizeof e : 0);
        memcpy(&word, expected + i, width);
        memcpy(&other, got + i, width);
        if (word != c[9] && !c[12]) marks[piece / 32] |= 1u << piece % 32;
        if (word != c[9] && (!real || isfinite(e))) c[13] = 1;
        if (c[12] == 2 || word == other) continue;
        if (word == c[9])
            *count += other != c[10];
        else
            *count += !real || !(fabs((double)g - (double)e) <= absolute ||
                                 fabs((double)g - (double)e) <= relative * fabs((double)e));
    }
    state.compared++;
}

static void work(const function *f, call *c, long long threads)
{
    long long i, n = c->n < threads ? c->n : threads;
    if (f->does == FAKE_CUDA_ILLEGAL) sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
    if (f->does == FAKE_CUDA_TRAP) sticky = CUDA_ERROR_LAUNCH_FAILED;
    if (f->does == FAKE_CUDA_VARIABLE) memcpy(&c->a, f->module->data, sizeof c->a);
    if ((f->does > FAKE_CUDA_NAN && f->does < FAKE_CUDA_ASSIGNS) || n <= 0 || !c->y) return;
    if (!in_memory(c->y, (size_t)n * 4 + (f->does == FAKE_CUDA_BEYOND ? 4 : 0)) ||
        (c->x && !in_memory(c->x, (size_t)n * 4))) {
        misuse("cuLaunchKernel", "the kernel reaches beyond its memory");
        sticky = CUDA_ERROR_ILLEGAL_ADDRESS;
        return;
    }
    for (i = 0; i < n; i++)
        c->y[i] = (f->does == FAKE_CUDA_ASSIGNS ? 0 : c->y[i]) + c->a * (c->x ? c->x[i] : 1);
    if (f->does == FAKE_CUDA_WRONG) c->y[n / 2] += 1;
    if (f->does == FAKE_CUDA_BEYOND) c->y[n] = 7;
    if (f->does == FAKE_CUDA_NAN) c->y[n / 3] = NAN;
}

static void note_launch(const function *f, const object *stream, CUstream handle,
                        const unsigned *sizes, unsigned dynamic)
{
    snprintf(state.kernel, sizeof state.kernel, "%s", f->name);
    memcpy(state.grid, sizes, sizeof state.grid);
    memcpy(state.block, sizes + 3, sizeof state.block);
    state.dynamic = dynamic;
    state.stream = handle;
    state.context = stream->context;
    state.launches++;
    state.watched_launches += handle && (void *)handle == state.watched;
}

static CUresult capture_launch(const function *f, const unsigned *sizes, unsigned dynamic,
                               void **arguments)
{
    node *n = &capture.nodes[capture.count];
    int i;
    if (capture.status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return (CUresult)901;
    if (capture.count++ == NODES) return invalidate(CUDA_ERROR_OUT_OF_MEMORY);
    n->function = (CUfunction)(void *)(uintptr_t)f;
    memcpy(n->sizes, sizes, 6 * sizeof *sizes);
    n->sizes[6] = dynamic;
    for (i = 0; f->parameters[i] && i < 16; i++)
        memcpy(&n->values[i], arguments[i], parameter_size(f->parameters[i]));
    return CUDA_SUCCESS;
}

CUresult CUDAAPI cuLaunchKernel(CUfunction handle, unsigned gx, unsigned gy, unsigned gz,
                                unsigned bx, unsigned by, unsigned bz, unsigned dynamic,
                                CUstream on, void **arguments, void **extra)
{
    unsigned sizes[6];
    const function *f;
    long long threads = (long long)bx * by * bz;
    double seconds;
    call c;
    STREAM(cuLaunchKernel, on);
    (void)extra;
    sizes[0] = gx, sizes[1] = gy, sizes[2] = gz, sizes[3] = bx, sizes[4] = by, sizes[5] = bz;
    f = function_of(handle);
    if (!f) return CUDA_ERROR_INVALID_HANDLE;
    if (f->module->context != stack[depth - 1])
        return misuse("cuLaunchKernel", "another context's function"), CUDA_ERROR_INVALID_HANDLE;
    if (!gx || !gy || !gz || !threads || threads > 1024 || gy > 65535 || gz > 65535 || bz > 64 ||
        gx > 2147483647u || dynamic > (unsigned)f->most_dynamic)
        return CUDA_ERROR_INVALID_VALUE;
    if (f->does == FAKE_CUDA_NO_ROOM || threads > f->threads ||
        groups(f, (int)threads, dynamic) == 0)
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    if (implicit(on)) return invalidate((CUresult)906);
    if (capture.stream && stream == capture.stream)
        return capture_launch(f, sizes, dynamic, arguments);
    read_arguments(f, arguments, &c);
    note_launch(f, stream, on, sizes, dynamic);
    seconds = state.kernel_seconds > 0 ? state.kernel_seconds : f->seconds;
    state.clock += seconds;
    state.joules += f->joules;
    trace('L', stream);
    stream->done_at = wall() + state.delay;
    if (f->does == FAKE_CUDA_HANG && state.hangs) stream->hung = true;
    if (strcmp(f->name, "_Z6differv") == 0)
        differ(f);
    else
        work(f, &c, threads * gx * gy * gz);
    return CUDA_SUCCESS;
}

// The graph that was captured last: as if it had been instantiated.
CUresult CUDAAPI cuGraphLaunch(CUgraphExec graph, CUstream on)
{
    int i, k;
    CUresult code = CUDA_SUCCESS;
    (void)graph;
    for (i = 0; i < capture.count && code == CUDA_SUCCESS; i++) {
        node *n = &capture.nodes[i];
        const unsigned *s = n->sizes;
        void *arguments[16];
        for (k = 0; k < 16; k++) arguments[k] = &n->values[k];
        code = cuLaunchKernel(n->function, s[0], s[1], s[2], s[3], s[4], s[5], s[6], on, arguments,
                              NULL);
    }
    return code;
}

int fake_cuda_mode(void)
{
    return (int)thread_mode;
}

// --- the run-time compiler ---

#define COMPILER(name)                                                                            \
    if (fault(#name)) return (nvrtcResult)state.fail_code
#define PROGRAM(name, handle)                                                                     \
    COMPILER(name);                                                                               \
    if (!alive(handle, FAKE_CUDA_PROGRAM))                                                        \
        return misuse(#name, "program"), NVRTC_ERROR_INVALID_PROGRAM

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    COMPILER(nvrtcVersion);
    *major = state.nvrtc_version[0];
    *minor = state.nvrtc_version[1];
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult code)
{
    static const char *const names[] = {
        "NVRTC_SUCCESS", "NVRTC_ERROR_OUT_OF_MEMORY", "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
        "NVRTC_ERROR_INVALID_INPUT", "NVRTC_ERROR_INVALID_PROGRAM", "NVRTC_ERROR_INVALID_OPTION",
        "NVRTC_ERROR_COMPILATION", "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", "NVRTC_ERROR_INTERNAL_ERROR"
    };
    fault("nvrtcGetErrorString");
    return (unsigned)code < sizeof names / sizeof *names ? names[code] : "NVRTC_ERROR unknown";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    COMPILER(nvrtcGetNumSupportedArchs);
    for (*count = 0; state.archs[*count];) ++*count;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    int i;
    COMPILER(nvrtcGetSupportedArchs);
    for (i = 0; state.archs[i]; i++) archs[i] = state.archs[i];
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *handle, const char *source, const char *name,
                               int headers, const char *const *texts, const char *const *names)
{
    object *program;
    (void)headers, (void)texts, (void)names;
    COMPILER(nvrtcCreateProgram);
    if (!source) return NVRTC_ERROR_INVALID_INPUT;
    program = make(FAKE_CUDA_PROGRAM, NULL);
    program->text = strdup(source);
    program->name = strdup(name ? name : "default_program");
    *handle = (nvrtcProgram)(void *)program;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *handle)
{
    PROGRAM(nvrtcDestroyProgram, *handle);
    drop((object *)(void *)*handle);
    *handle = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram handle, const char *name)
{
    object *program = (object *)(void *)handle;
    PROGRAM(nvrtcAddNameExpression, handle);
    if (program->log) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    if (program->expression_count == 8) return NVRTC_ERROR_OUT_OF_MEMORY;
    program->expressions[program->expression_count++] = strdup(name);
    return NVRTC_SUCCESS;
}

static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Where a kernel's parameters begin, behind the '('; NULL: there is no such kernel.
static const char *find_kernel(const char *text, const char *name, bool *plain)
{
    size_t length = strcspn(name, "<");
    const char *at;
    for (at = text; *at; at++) {
        const char *from = at, *open = at + length;
        char before[256];
        if (strncmp(at, name, length) != 0) continue;
        if ((at > text && word_char(at[-1])) || word_char(at[length])) continue;
        while (*open == ' ' || *open == '\n') open++;
        if (*open != '(') continue;
        while (from > text && at - from < 250 && from[-1] != ';' && from[-1] != '}') from--;
        memcpy(before, from, (size_t)(at - from));
        before[at - from] = 0;
        if (!strstr(before, "__global__")) continue;
        *plain = strstr(before, "extern \"C\"") != NULL;
        return open + 1;
    }
    return NULL;
}

// The letters of a parameter list: see fake_cuda.h.
static void read_parameters(const char *at, char *letters)
{
    int count = 0;
    while (count < 31) {
        char text[200] = "";
        int nested = 0;
        size_t length = 0;
        for (; *at && (nested || (*at != ',' && *at != ')')); at++) {
            nested += (*at == '(') - (*at == ')');
            if (length < sizeof text - 1) text[length++] = *at;
        }
        text[length] = 0;
        if (strspn(text, " \n") == length || strcmp(text, "void") == 0) break;
        letters[count++] = strchr(text, '*')       ? 'p'
                           : strstr(text, "long") || strstr(text, "double") ||
                                   strstr(text, "size_t") || strstr(text, "index_t") ||
                                   strstr(text, "count_t")
                               ? 'l'
                           : strstr(text, "float") ? 'f'
                           : strstr(text, "char")  ? 'c'
                           : strstr(text, "short") || strstr(text, "half") ? 's'
                                                                           : 'i';
        if (*at++ != ',') break;
    }
    letters[count] = 0;
}

// What a name is defined as, or the number itself.
static int value_of(const char *text, const char *word)
{
    char pattern[100];
    const char *at = text, *found = NULL;
    size_t length;
    int pragma;
    if (!word_char(*word) || (*word >= '0' && *word <= '9')) return atoi(word);
    for (length = 0; word_char(word[length]) && length < 64;) length++;
    for (pragma = 0; pragma < 2; pragma++, at = text) {
        snprintf(pattern, sizeof pattern, "#%s %.*s ", pragma ? "pragma" : "define", (int)length,
                 word);
        while ((at = strstr(at, pattern)) != NULL) found = at += strlen(pattern);
    }
    return found ? atoi(found) : -1;
}

// One property of a kernel: in its own comment, else in the common one.
static int property(const char *text, const char *kernel, const char *key, int otherwise)
{
    char own[200], pattern[40];
    const char *line, *at, *end;
    int round;
    snprintf(own, sizeof own, "// fake %s:", kernel);
    snprintf(pattern, sizeof pattern, " %s=", key);
    for (round = 0; round < 2; round++) {
        line = strstr(text, round ? "// fake:" : own);
        if (!line) continue;
        end = line + strcspn(line, "\n");
        at = strstr(line, pattern);
        if (at && at < end) return value_of(text, at + strlen(pattern));
    }
    return otherwise;
}

static void lower(object *program, int expression, bool plain)
{
    const char *name = program->expressions[expression];
    char text[256];
    size_t i;
    if (plain)
        snprintf(text, sizeof text, "%s", name);
    else
        snprintf(text, sizeof text, "_Z%zu%sv", strcspn(name, "<"), name);
    for (i = 0; text[i]; i++)
        if (!word_char(text[i])) text[i] = '_';
    program->lowered[expression] = strdup(text);
}

static nvrtcResult compile_failed(object *program, const char *error)
{
    char log[8192] = "";
    int i;
    for (i = strstr(program->text, "few") ? 76 : 0; i < 80; i++)
        sprintf(log + strlen(log), "%s(%d): warning #177-D: this is odd\n\n", program->name, i);
    snprintf(log + strlen(log), 600, "%s(321): error: %s\n\n1 error detected in the "
             "compilation of \"%s\".\n", program->name, error, program->name);
    free(program->log);
    program->log = strdup(log);
    return NVRTC_ERROR_COMPILATION;
}

// Adds one kernel's line to the image.
static nvrtcResult compile_kernel(object *program, int expression, char *image, size_t size)
{
    const char *name = program->expressions[expression], *text = program->text;
    char letters[32], error[300];
    bool plain = false;
    const char *parameters = find_kernel(text, name, &plain);
    int does = property(text, name, "does", 0);
    snprintf(error, sizeof error, "identifier \"%.200s\" is undefined", name);
    if (!parameters) return compile_failed(program, error);
    if (does == FAKE_CUDA_NO_COMPILE)
        return compile_failed(program, "this configuration does not compile");
    read_parameters(parameters, letters);
    lower(program, expression, plain);
    snprintf(image + strlen(image), size - strlen(image),
             "kernel %s params=%s does=%d regs=%d static=%d local=%d us=%d threads=%d "
             "uj=%d\n",
             program->lowered[expression], letters, does, property(text, name, "regs", 32),
             property(text, name, "static", 0), property(text, name, "local", 0),
             property(text, name, "us", 100), property(text, name, "threads", 1024),
             property(text, name, "uj", 0));
    return NVRTC_SUCCESS;
}

static bool known_arch(int arch)
{
    int i;
    for (i = 0; state.archs[i]; i++)
        if (state.archs[i] == arch) return true;
    return false;
}

// Notes the options; the architecture, negative for a virtual one; 0: an option is refused.
static int read_options(object *program, int count, const char *const *options)
{
    static const char refused[] = "nvrtc: error: unrecognized option -nonsense found";
    int i, arch = -75;
    char text[sizeof state.options] = "";
    for (i = 0; i < count; i++) {
        const char *sm = strstr(options[i], "=sm_"), *compute = strstr(options[i], "=compute_");
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s\n", options[i]);
        if (strstr(options[i], "arch") && sm) arch = atoi(sm + 4);
        if (strstr(options[i], "arch") && compute) arch = -atoi(compute + 9);
        if (strcmp(options[i], "-nonsense") != 0) continue;
        program->log = strdup(refused);
        return 0;
    }
    pthread_mutex_lock(&lock);
    memcpy(state.options, text, sizeof text);
    pthread_mutex_unlock(&lock);
    if (known_arch(abs(arch))) return arch;
    program->log = strdup("nvrtc: error: invalid value for --gpu-architecture (-arch)");
    return 0;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram handle, int count, const char *const *options)
{
    object *program = (object *)(void *)handle;
    char kernels[4096] = "", image[4200];
    const char *variable = strstr(program->text, "// variable ");
    nvrtcResult result = NVRTC_SUCCESS;
    int i, arch;
    pthread_mutex_lock(&lock);
    state.compiles++;
    snprintf(state.source, sizeof state.source, "%s", program->text);
    pthread_mutex_unlock(&lock);
    PROGRAM(nvrtcCompileProgram, handle);
    arch = read_options(program, count, options);
    if (!arch) return NVRTC_ERROR_INVALID_OPTION;
    for (i = 0; i < count; i++)
        if (strcmp(options[i], "-minimal") == 0 && strstr(program->text, "cudaTextureObject_t"))
            return compile_failed(program, "identifier \"cudaTextureObject_t\" is undefined");
    for (i = 0; i < program->expression_count && result == NVRTC_SUCCESS; i++)
        result = compile_kernel(program, i, kernels, sizeof kernels);
    if (result != NVRTC_SUCCESS) return result;
    if (variable) // its line
        snprintf(kernels + strlen(kernels), sizeof kernels - strlen(kernels), "%.*s\n",
                 (int)strcspn(variable + 3, "\n"), variable + 3);
    free(program->log);
    program->log = strdup("");
    snprintf(image, sizeof image, "FAKE PTX %d\n%send\n", abs(arch), kernels);
    program->ptx = strdup(image);
    snprintf(image, sizeof image, "FAKE CUBIN %d\n%send\n", arch, kernels);
    if (arch > 0) program->cubin = strdup(image);
    return NVRTC_SUCCESS;
}

#ifndef FAKE_NO_COMPILER
nvrtcResult nvrtcGetLoweredName(nvrtcProgram handle, const char *name, const char **lowered)
{
    const object *program = (const object *)(void *)handle;
    int i;
    PROGRAM(nvrtcGetLoweredName, handle);
    if (!program->ptx) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (i = 0; i < program->expression_count; i++)
        if (strcmp(program->expressions[i], name) == 0)
            return *lowered = program->lowered[i], NVRTC_SUCCESS;
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
#endif

static nvrtcResult text_size(const char *text, size_t *size)
{
    *size = text ? strlen(text) + 1 : 0;
    return NVRTC_SUCCESS;
}

static nvrtcResult text_copy(const char *text, char *to)
{
    if (!text) return NVRTC_ERROR_INVALID_PROGRAM;
    memcpy(to, text, strlen(text) + 1);
    return NVRTC_SUCCESS;
}

#define TEXT_CALLS(what, field)                                                                   \
    nvrtcResult nvrtcGet##what##Size(nvrtcProgram handle, size_t *size)                           \
    {                                                                                             \
        PROGRAM(nvrtcGet##what##Size, handle);                                                    \
        return text_size(((const object *)(void *)handle)->field, size);                          \
    }                                                                                             \
    nvrtcResult nvrtcGet##what(nvrtcProgram handle, char *to)                                     \
    {                                                                                             \
        PROGRAM(nvrtcGet##what, handle);                                                          \
        return text_copy(((const object *)(void *)handle)->field, to);                            \
    }

TEXT_CALLS(ProgramLog, log)
TEXT_CALLS(CUBIN, cubin)
TEXT_CALLS(PTX, ptx)

// --- the management library ---

#define MANAGER(name)                                                                             \
    if (fault(#name)) return state.fail_code

int nvmlInit_v2(void)
{
    MANAGER(nvmlInit_v2);
    if (state.nvml_init) return state.nvml_init;
    state.alive[FAKE_CUDA_NVML]++;
    return 0;
}

int nvmlShutdown(void)
{
    MANAGER(nvmlShutdown);
    if (!state.alive[FAKE_CUDA_NVML]) return misuse("nvmlShutdown", "not initialised"), 1;
    state.alive[FAKE_CUDA_NVML]--;
    return 0;
}

const char *nvmlErrorString(int code)
{
    fault("nvmlErrorString");
    return code == 3 ? "Not Supported" : code == 9 ? "Driver Not Loaded" : "Fake Error";
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **handle)
{
    int i;
    MANAGER(nvmlDeviceGetHandleByPciBusId_v2);
    for (i = 0; i < state.device_count; i++)
        if (strcmp(state.devices[i].bus, bus) == 0) return *handle = &state.devices[i], 0;
    return 6; // not found
}

int nvmlDeviceGetTotalEnergyConsumption(void *handle, unsigned long long *millijoules)
{
    MANAGER(nvmlDeviceGetTotalEnergyConsumption);
    if (!state.alive[FAKE_CUDA_NVML] || !handle)
        return misuse("nvmlDeviceGetTotalEnergyConsumption", "not initialised"), 1;
    if (state.nvml_energy) return state.nvml_energy;
    *millijoules = (unsigned long long)(1e3 * (1000 + state.launch_joules * state.launches +
                                               state.watts * state.clock + state.joules));
    return 0;
}
