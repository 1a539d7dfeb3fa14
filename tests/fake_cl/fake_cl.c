// An OpenCL library that computes nothing and fails when asked to (see fake_cl.h). Buffers are real
// memory; kernels are found in the source by "kernel void NAME(" and do nothing; a source with
// #error in it does not build.
//
//     cc -shared -fPIC fake_cl.c -o libfake.so        -DFAKE_INCOMPLETE: a function is missing
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "fake_cl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#define API CL_API_ENTRY

// One struct for every kind of object.
typedef struct object {
    int kind, count;
    struct object *parent; // of everything but contexts: what it keeps alive
    struct object *next, **link; // of all that are alive: no leak checker may call them lost
    cl_device_id device;
    cl_command_queue_properties properties;
    unsigned char *data;   // of a buffer
    size_t size;
    cl_mem_flags flags;
    char *text;            // source; kernel: its name
    cl_uint args;
    bool built;
    int number;            // of a queue, in the order that they were made
    int flushes;           // of a queue, so far; event: of its queue, when it was made
    bool launched;         // of a queue: a kernel
    double done_at;        // of an event
    cl_ulong start, end;
} object;

static fake_cl state = { .platforms = 1, .kernel_seconds = 1e-3 };
static cl_ulong device_clock = 1000;
static bool dead;
static object *objects;

fake_cl *fake_cl_state(void)
{
    dead = false;
    return &state;
}

static double wall(void)
{
    struct timeval now;
    gettimeofday(&now, NULL);
    return (double)now.tv_sec + 1e-6 * (double)now.tv_usec;
}

// Adds to what the tests look at: a letter and a queue's number.
static void trace(char what, const void *queue)
{
    size_t used = strlen(state.trace);
    snprintf(state.trace + used, sizeof state.trace - used, "%c%d ", what,
             ((const object *)queue)->number);
}

static bool fault(const char *name)
{
    state.calls++;
    if (!state.fail || strcmp(state.fail, name) != 0) return false;
    if (state.fail_seen++ != state.fail_at) return false;
    state.failed++;
    return true;
}

#define FAULT(name)                                                                               \
    if (fault(#name)) return state.fail_code
#define FAULT_NULL(name)                                                                          \
    if (fault(#name)) return (code ? (void)(*code = state.fail_code) : (void)0), NULL

static void *make(int kind, void *parent, cl_int *code)
{
    object *o = (object *)calloc(1, sizeof *o);
    o->kind = kind;
    o->count = 1;
    o->parent = (object *)parent;
    if (o->parent) o->parent->count++;
    o->next = objects;
    o->link = &objects;
    if (objects) objects->link = &o->next;
    objects = o;
    state.alive[kind]++;
    if (code) *code = CL_SUCCESS;
    return o;
}

static void drop(object *o)
{
    if (--o->count) return;
    state.alive[o->kind]--;
    if (o->kind == FAKE_BUFFER && o->parent->kind != FAKE_BUFFER) free(o->data);
    if (o->parent) drop(o->parent);
    *o->link = o->next;
    if (o->next) o->next->link = o->link;
    free(o->text);
    free(o);
}

static cl_int release(void *handle, int kind)
{
    object *o = (object *)handle;
    if (!o || o->kind != kind) return state.misused++, CL_INVALID_VALUE;
    drop(o);
    return CL_SUCCESS;
}

static cl_int put(const void *value, size_t bytes, size_t size, void *to, size_t *needed)
{
    if (needed) *needed = bytes;
    if (!to) return CL_SUCCESS;
    if (size < bytes) return CL_INVALID_VALUE;
    memcpy(to, value, bytes);
    return CL_SUCCESS;
}

#define PUT(type, value)                                                                          \
    do {                                                                                          \
        type put_value = (value);                                                                 \
        return put(&put_value, sizeof put_value, size, to, needed);                               \
    } while (0)
#define PUT_TEXT(text) return put((text), strlen(text) + 1, size, to, needed)

// --- platforms and devices: handles are pointers into these tables ---

typedef struct fake_device {
    const char *name;
    cl_device_type type;
    cl_uint units;
    int platform;
} fake_device;

static char platform_handles[3];
static const char *const platform_names[] = { "Fake Good", "Fake Broken",
                                              "Portable Computing Language, empty" };
static fake_device devices[] = {
    { "slow processor", CL_DEVICE_TYPE_CPU, 64, 0 },
    { "small GPU", CL_DEVICE_TYPE_GPU, 2, 0 },
    { "middling GPU", CL_DEVICE_TYPE_GPU, 4, 0 },
    { "huge broken GPU", CL_DEVICE_TYPE_GPU, 100, 1 },
};

API cl_int CL_API_CALL clGetPlatformIDs(cl_uint entries, cl_platform_id *ids, cl_uint *count)
{
    int i;
    FAULT(clGetPlatformIDs);
    if (state.platforms == 0) return -1001;
    for (i = 0; i < state.platforms && i < (int)entries; i++)
        ids[i] = (cl_platform_id)(void *)&platform_handles[i];
    *count = (cl_uint)state.platforms;
    return CL_SUCCESS;
}

API cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id id, cl_platform_info what, size_t size,
                                         void *to, size_t *needed)
{
    int platform = (int)((char *)id - platform_handles);
    FAULT(clGetPlatformInfo);
    if (what == CL_PLATFORM_VERSION) PUT_TEXT("OpenCL 1.2 fake");
    if (what == CL_PLATFORM_VENDOR) PUT_TEXT(state.nvidia ? "NVIDIA Corporation" : "Fakers");
    PUT_TEXT(platform_names[platform]);
}

API cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id id, cl_device_type type, cl_uint entries,
                                      cl_device_id *ids, cl_uint *count)
{
    int platform = (int)((char *)id - platform_handles);
    size_t i;
    FAULT(clGetDeviceIDs);
    if (platform == 1 && state.broken_ids) return CL_OUT_OF_HOST_MEMORY;
    *count = 0;
    for (i = 0; i < sizeof devices / sizeof *devices; i++) {
        if (devices[i].platform != platform || !(devices[i].type & type)) continue;
        if (*count < entries) ids[*count] = (cl_device_id)(void *)&devices[i];
        ++*count;
    }
    return *count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

API cl_int CL_API_CALL clGetDeviceInfo(cl_device_id id, cl_device_info what, size_t size, void *to,
                                       size_t *needed)
{
    static const size_t sizes[3] = { 256, 128, 64 };
    static const cl_uint bus[4] = { 1, 0x1b, 0, 0 };
    const fake_device *device = (const fake_device *)(void *)id;
    FAULT(clGetDeviceInfo);
    switch (what) {
    case CL_DEVICE_NAME: PUT_TEXT(device->name);
    case CL_DEVICE_VENDOR: PUT_TEXT("  Fakers ");
    case CL_DRIVER_VERSION: PUT_TEXT("7.5");
    case CL_DEVICE_EXTENSIONS: PUT_TEXT("cl_khr_fp64 cl_nv_device_attribute_query");
    case CL_DEVICE_TYPE: PUT(cl_device_type, device->type);
    case CL_DEVICE_PLATFORM:
        PUT(cl_platform_id, (cl_platform_id)(void *)&platform_handles[device->platform]);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: return put(sizes, sizeof sizes, size, to, needed);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: PUT(size_t, 256);
    case CL_DEVICE_LOCAL_MEM_SIZE: PUT(cl_ulong, 32768);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE: PUT(cl_ulong, 65536);
    case CL_DEVICE_GLOBAL_MEM_SIZE: PUT(cl_ulong, (cl_ulong)1 << 30);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: PUT(cl_ulong, (cl_ulong)1 << 28);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: PUT(cl_ulong, 1 << 20);
    case CL_DEVICE_MAX_COMPUTE_UNITS: PUT(cl_uint, device->units);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY: PUT(cl_uint, 1000);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: PUT(cl_uint, 4096);
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE: PUT(cl_bool, CL_TRUE);
    case 0x4003: PUT(cl_uint, 32);
    case 0x410F: return put(bus, sizeof bus, size, to, needed);
    default: return CL_INVALID_VALUE;
    }
}

// --- contexts and queues ---

API cl_context CL_API_CALL clCreateContext(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *ids,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code)
{
    (void)properties, (void)count, (void)notify, (void)user;
    FAULT_NULL(clCreateContext);
    if (((const fake_device *)(void *)ids[0])->platform == 1) {
        *code = CL_DEVICE_NOT_AVAILABLE;
        return NULL;
    }
    return (cl_context)make(FAKE_CONTEXT, NULL, code);
}

API cl_int CL_API_CALL clRetainContext(cl_context context)
{
    FAULT(clRetainContext);
    ((object *)(void *)context)->count++;
    return CL_SUCCESS;
}

API cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    FAULT(clReleaseContext);
    return release(context, FAKE_CONTEXT);
}

API cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                      cl_command_queue_properties properties,
                                                      cl_int *code)
{
    object *queue;
    FAULT_NULL(clCreateCommandQueue);
    if (state.no_profiling && (properties & CL_QUEUE_PROFILING_ENABLE)) {
        *code = CL_INVALID_QUEUE_PROPERTIES;
        return NULL;
    }
    queue = (object *)make(FAKE_QUEUE, context, code);
    queue->device = device;
    queue->number = state.queues++;
    queue->properties = properties;
    return (cl_command_queue)(void *)queue;
}

API cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
    FAULT(clRetainCommandQueue);
    ((object *)(void *)queue)->count++;
    return CL_SUCCESS;
}

// Whoever waits for such a queue does so for ever.
static bool stuck(const void *queue)
{
    return state.hangs && (!state.hangs_on || state.hangs_on == queue) &&
           ((const object *)queue)->launched;
}

API cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    FAULT(clReleaseCommandQueue);
    state.misused += stuck(queue);
    return release(queue, FAKE_QUEUE);
}

API cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue handle, cl_command_queue_info what,
                                             size_t size, void *to, size_t *needed)
{
    const object *queue = (const object *)(void *)handle;
    FAULT(clGetCommandQueueInfo);
    switch (what) {
    case CL_QUEUE_CONTEXT: PUT(cl_context, (cl_context)(void *)queue->parent);
    case CL_QUEUE_DEVICE: PUT(cl_device_id, queue->device);
    case CL_QUEUE_PROPERTIES: PUT(cl_command_queue_properties, queue->properties);
    case CL_QUEUE_REFERENCE_COUNT: PUT(cl_uint, (cl_uint)queue->count);
    default: return CL_INVALID_VALUE;
    }
}

API cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    FAULT(clFlush);
    trace('F', queue);
    ((object *)(void *)queue)->flushes++;
    return CL_SUCCESS;
}

API cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    FAULT(clFinish);
    state.misused += stuck(queue);
    ((object *)(void *)queue)->flushes++;
    state.finished[1] = state.finished[0];
    state.finished[0] = queue;
    return CL_SUCCESS;
}

// --- programs and kernels ---

API cl_program CL_API_CALL clCreateProgramWithSource(cl_context context, cl_uint count,
                                                     const char **texts, const size_t *lengths,
                                                     cl_int *code)
{
    object *program;
    (void)count, (void)lengths;
    FAULT_NULL(clCreateProgramWithSource);
    program = (object *)make(FAKE_PROGRAM, context, code);
    program->text = strdup(texts[0]);
    return (cl_program)(void *)program;
}

API cl_int CL_API_CALL clBuildProgram(cl_program handle, cl_uint count, const cl_device_id *ids,
                                      const char *options,
                                      void(CL_CALLBACK *notify)(cl_program, void *), void *user)
{
    object *program = (object *)(void *)handle;
    (void)count, (void)ids, (void)options, (void)notify, (void)user;
    FAULT(clBuildProgram);
    if (strstr(options, "-nonsense")) return CL_INVALID_BUILD_OPTIONS;
    program->built = !strstr(program->text, "#error");
    return program->built ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

// The log of a source with #error: pages of warnings, or few, then the error.
API cl_int CL_API_CALL clGetProgramBuildInfo(cl_program handle, cl_device_id id,
                                             cl_program_build_info what, size_t size, void *to,
                                             size_t *needed)
{
    const object *program = (const object *)(void *)handle;
    static char log[8192];
    int i;
    (void)id, (void)what;
    FAULT(clGetProgramBuildInfo);
    log[0] = 0;
    for (i = strstr(program->text, "few") ? 96 : 0; i < 100 && strstr(program->text, "#error"); i++)
        sprintf(log + strlen(log), "<source>:%d:1: warning: this is odd\n", i);
    if (log[0]) strcat(log, "<source>:321:1: error: it does not work\n");
    PUT_TEXT(log);
}

API cl_int CL_API_CALL clGetProgramInfo(cl_program handle, cl_program_info what, size_t size,
                                        void *to, size_t *needed)
{
    (void)handle, (void)what;
    FAULT(clGetProgramInfo);
    PUT_TEXT("one;two");
}

API cl_int CL_API_CALL clReleaseProgram(cl_program program)
{
    FAULT(clReleaseProgram);
    return release(program, FAKE_PROGRAM);
}

API cl_kernel CL_API_CALL clCreateKernel(cl_program handle, const char *name, cl_int *code)
{
    object *program = (object *)(void *)handle, *kernel;
    char pattern[200];
    const char *at;
    FAULT_NULL(clCreateKernel);
    snprintf(pattern, sizeof pattern, "kernel void %s(", name);
    at = strstr(program->text, pattern);
    if (!at) return *code = CL_INVALID_KERNEL_NAME, NULL;
    kernel = (object *)make(FAKE_KERNEL, program, code);
    at += strlen(pattern);
    kernel->args = *at != ')';
    for (; *at && *at != ')'; at++) kernel->args += *at == ',';
    return (cl_kernel)(void *)kernel;
}

API cl_int CL_API_CALL clGetKernelInfo(cl_kernel handle, cl_kernel_info what, size_t size, void *to,
                                       size_t *needed)
{
    const object *kernel = (const object *)(void *)handle;
    (void)what;
    FAULT(clGetKernelInfo);
    PUT(cl_uint, kernel->args);
}

API cl_int CL_API_CALL clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id id,
                                                cl_kernel_work_group_info what, size_t size,
                                                void *to, size_t *needed)
{
    (void)kernel, (void)id;
    FAULT(clGetKernelWorkGroupInfo);
    if (what == CL_KERNEL_LOCAL_MEM_SIZE) PUT(cl_ulong, 1024);
    PUT(size_t, 128);
}

API cl_int CL_API_CALL clSetKernelArg(cl_kernel handle, cl_uint index, size_t size,
                                      const void *value)
{
    const object *kernel = (const object *)(void *)handle;
    FAULT(clSetKernelArg);
    if (index >= kernel->args) return CL_INVALID_ARG_INDEX;
    if (size == 0) return CL_INVALID_ARG_SIZE;
    if (size == 8 && value && *(void *const *)value && state.alive[FAKE_BUFFER] == 0)
        state.misused++;
    return CL_SUCCESS;
}

API cl_int CL_API_CALL clReleaseKernel(cl_kernel kernel)
{
    FAULT(clReleaseKernel);
    return release(kernel, FAKE_KERNEL);
}

// --- buffers ---

API cl_mem CL_API_CALL clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size,
                                      void *host, cl_int *code)
{
    object *buffer;
    (void)host;
    FAULT_NULL(clCreateBuffer);
    if (state.room && !(flags & CL_MEM_ALLOC_HOST_PTR) && size > state.room)
        return *code = CL_MEM_OBJECT_ALLOCATION_FAILURE, NULL;
    if (size == 0 || size > (size_t)1 << 28) return *code = CL_INVALID_BUFFER_SIZE, NULL;
    buffer = (object *)make(FAKE_BUFFER, context, code);
    buffer->data = (unsigned char *)calloc(size, 1);
    buffer->size = size;
    buffer->flags = flags;
    state.hosts += (flags & CL_MEM_ALLOC_HOST_PTR) != 0;
    return (cl_mem)(void *)buffer;
}

API cl_mem CL_API_CALL clCreateSubBuffer(cl_mem handle, cl_mem_flags flags,
                                         cl_buffer_create_type type, const void *info,
                                         cl_int *code)
{
    object *whole = (object *)(void *)handle, *part;
    const cl_buffer_region *region = (const cl_buffer_region *)info;
    (void)flags, (void)type;
    FAULT_NULL(clCreateSubBuffer);
    if (region->origin % 512) return *code = CL_MISALIGNED_SUB_BUFFER_OFFSET, NULL;
    if (region->size == 0 || region->origin + region->size > whole->size)
        return *code = CL_INVALID_VALUE, NULL;
    part = (object *)make(FAKE_BUFFER, whole, code);
    part->data = whole->data + region->origin;
    part->size = region->size;
    return (cl_mem)(void *)part;
}

API cl_int CL_API_CALL clGetMemObjectInfo(cl_mem buffer, cl_mem_info what, size_t size, void *to,
                                          size_t *needed)
{
    const object *o = (const object *)(void *)buffer;
    FAULT(clGetMemObjectInfo);
    if (o->kind != FAKE_BUFFER) return CL_INVALID_MEM_OBJECT;
    if (what == CL_MEM_FLAGS) PUT(cl_mem_flags, o->flags);
    if (what != CL_MEM_SIZE) return CL_INVALID_MEM_OBJECT;
    PUT(size_t, o->size);
}

API cl_int CL_API_CALL clReleaseMemObject(cl_mem buffer)
{
    FAULT(clReleaseMemObject);
    return release(buffer, FAKE_BUFFER);
}

static cl_int transfer(object *buffer, size_t offset, size_t size)
{
    if (dead) return CL_INVALID_COMMAND_QUEUE;
    if (!buffer || buffer->kind != FAKE_BUFFER) return state.misused++, CL_INVALID_MEM_OBJECT;
    return size == 0 || offset + size > buffer->size ? CL_INVALID_VALUE : CL_SUCCESS;
}

static void add_event(cl_command_queue queue, cl_event *event, double seconds)
{
    object *made;
    cl_ulong start = device_clock;
    device_clock += (cl_ulong)(seconds * 1e9);
    if (!event) return;
    made = (object *)make(FAKE_EVENT, queue, NULL);
    made->start = start;
    made->end = device_clock;
    made->flushes = made->parent->flushes;
    made->done_at = wall() + state.delay;
    *event = (cl_event)(void *)made;
}

API cl_int CL_API_CALL clEnqueueReadBuffer(cl_command_queue queue, cl_mem handle, cl_bool blocking,
                                           size_t offset, size_t size, void *to, cl_uint waits,
                                           const cl_event *wait, cl_event *event)
{
    object *buffer = (object *)(void *)handle;
    cl_int code;
    (void)queue, (void)blocking, (void)waits, (void)wait, (void)event;
    FAULT(clEnqueueReadBuffer);
    code = transfer(buffer, offset, size);
    if (code == CL_SUCCESS && buffer->flags & (CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY))
        return CL_INVALID_OPERATION;
    if (code == CL_SUCCESS) memcpy(to, buffer->data + offset, size);
    return code;
}

API cl_int CL_API_CALL clEnqueueWriteBuffer(cl_command_queue queue, cl_mem handle, cl_bool blocking,
                                            size_t offset, size_t size, const void *from,
                                            cl_uint waits, const cl_event *wait, cl_event *event)
{
    object *buffer = (object *)(void *)handle;
    cl_int code;
    (void)queue, (void)blocking, (void)waits, (void)wait, (void)event;
    FAULT(clEnqueueWriteBuffer);
    code = transfer(buffer, offset, size);
    if (code == CL_SUCCESS) memcpy(buffer->data + offset, from, size);
    return code;
}

API cl_int CL_API_CALL clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to,
                                           size_t from_offset, size_t to_offset, size_t size,
                                           cl_uint waits, const cl_event *wait, cl_event *event)
{
    object *source = (object *)(void *)from, *target = (object *)(void *)to;
    cl_int code;
    (void)queue, (void)waits, (void)wait, (void)event;
    FAULT(clEnqueueCopyBuffer);
    code = transfer(source, from_offset, size);
    if (code == CL_SUCCESS) code = transfer(target, to_offset, size);
    if (code == CL_SUCCESS)
        memmove(target->data + to_offset, source->data + from_offset, size);
    return code;
}

#ifndef FAKE_INCOMPLETE
API cl_int CL_API_CALL clEnqueueFillBuffer(cl_command_queue queue, cl_mem handle,
                                           const void *pattern, size_t pattern_size, size_t offset,
                                           size_t size, cl_uint waits, const cl_event *wait,
                                           cl_event *event)
{
    object *buffer = (object *)(void *)handle;
    size_t at = 0;
    cl_int code;
    (void)waits, (void)wait;
    FAULT(clEnqueueFillBuffer);
    code = transfer(buffer, offset, size);
    if (!pattern_size || pattern_size > 128 || (pattern_size & (pattern_size - 1)) ||
        offset % pattern_size || size % pattern_size)
        code = CL_INVALID_VALUE;
    if (code != CL_SUCCESS) return code;
    for (; at < size; at += pattern_size) memcpy(buffer->data + offset + at, pattern, pattern_size);
    if (offset + size > state.filled) state.filled = offset + size;
    add_event(queue, event, 0);
    if (event) ((object *)(void *)*event)->done_at = -1; // no launch: it has ended
    return CL_SUCCESS;
}
#endif

// --- launches and events ---

API cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel,
                                              cl_uint dimensions, const size_t *offset,
                                              const size_t *global, const size_t *local,
                                              cl_uint waits, const cl_event *wait, cl_event *event)
{
    (void)kernel, (void)offset, (void)waits, (void)wait;
    FAULT(clEnqueueNDRangeKernel);
    if (dead) return CL_INVALID_COMMAND_QUEUE;
    if (dimensions < 1 || dimensions > 3) return CL_INVALID_WORK_DIMENSION;
    if (local && (local[0] == 0 || global[0] % local[0])) return CL_INVALID_WORK_GROUP_SIZE;
    state.local_null = local == NULL;
    state.launched_on = queue;
    trace('L', queue);
    ((object *)(void *)queue)->launched = true;
    add_event(queue, event, state.kernel_seconds);
    if (state.event_status && state.dies) dead = true;
    return CL_SUCCESS;
}

static bool waits_well(cl_uint waits, const cl_event *wait)
{
    cl_uint i;
    for (i = 0; i < waits; i++)
        if (((const object *)(void *)wait[i])->kind != FAKE_EVENT) return state.misused++, false;
    return (waits == 0) == (wait == NULL);
}

API cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint waits,
                                                   const cl_event *wait, cl_event *event)
{
    FAULT(clEnqueueMarkerWithWaitList);
    if (!waits_well(waits, wait)) return CL_INVALID_EVENT_WAIT_LIST;
    trace('M', queue);
    add_event(queue, event, 0);
    return CL_SUCCESS;
}

API cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint waits,
                                                    const cl_event *wait, cl_event *event)
{
    FAULT(clEnqueueBarrierWithWaitList);
    if (!waits_well(waits, wait)) return CL_INVALID_EVENT_WAIT_LIST;
    trace(waits ? 'W' : 'B', queue);
    if (waits && state.waited < 16)
        state.waits_for[state.waited++] = ((const object *)(void *)wait[0])->parent->number;
    if (event) add_event(queue, event, 0);
    return CL_SUCCESS;
}

API cl_int CL_API_CALL clGetEventInfo(cl_event handle, cl_event_info what, size_t size, void *to,
                                      size_t *needed)
{
    const object *event = (const object *)(void *)handle;
    const bool launch = event->done_at >= 0;
    const cl_int runs = launch && !state.nvidia ? CL_RUNNING : CL_SUBMITTED;
    (void)what;
    FAULT(clGetEventInfo);
    state.looks++;
    if (event->flushes == event->parent->flushes) PUT(cl_int, CL_QUEUED); // for ever
    if (launch && wall() < event->done_at - state.delay + state.compiles) PUT(cl_int, CL_SUBMITTED);
    if (stuck(event->parent)) PUT(cl_int, runs);
    if (launch && wall() < event->done_at) PUT(cl_int, runs);
    if (!launch && state.late) PUT(cl_int, CL_SUBMITTED);
    PUT(cl_int, launch ? state.event_status : CL_COMPLETE);
}

API cl_int CL_API_CALL clGetEventProfilingInfo(cl_event handle, cl_profiling_info what, size_t size,
                                               void *to, size_t *needed)
{
    const object *event = (const object *)(void *)handle;
    FAULT(clGetEventProfilingInfo);
    if (!(event->parent->properties & CL_QUEUE_PROFILING_ENABLE))
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if (state.no_clock) PUT(cl_ulong, 0);
    PUT(cl_ulong, what == CL_PROFILING_COMMAND_START ? event->start : event->end);
}

API cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    FAULT(clRetainEvent);
    ((object *)(void *)event)->count++;
    return CL_SUCCESS;
}

API cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    FAULT(clReleaseEvent);
    return release(event, FAKE_EVENT);
}
