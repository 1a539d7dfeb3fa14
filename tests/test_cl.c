// gputune_cl.h: on the machine's OpenCL, and on a fake library (fake_cl/) that fails on request.
#include "gputune_cl.h"
#include "test.h"

#include "fake_cl/fake_cl.h"

#include <unistd.h>

// --- a device, its driver's table and object ---

typedef struct cl_rig {
    gputune_device *device;
    gt_cl__device *cl; // NULL when opening failed
    gputune_driver d;
    gputune_error error;
} cl_rig;

static gputune_cl_desc cl_quiet(void)
{
    gputune_cl_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.options.mode = GPUTUNE_MODE_OFF;
    desc.options.store = "";
    return desc;
}

static bool cl_open(cl_rig *rig, const gputune_cl_desc *desc)
{
    memset(rig, 0, sizeof *rig);
    rig->device = gputune_cl_device_create(desc);
    rig->cl = (gt_cl__device *)gputune_device_self(rig->device, "opencl");
    if (rig->cl) gt_cl__table(rig->cl, &rig->d);
    return rig->cl != NULL;
}

static bool cl_open_queue(cl_rig *rig, cl_command_queue queue)
{
    gputune_cl_desc desc = cl_quiet();
    desc.queue = queue;
    return cl_open(rig, &desc);
}

// The machine's best OpenCL device. False: there is none, though every machine can have one.
static bool cl_real(cl_rig *rig)
{
    gputune_cl_desc desc = cl_quiet();
    if (cl_open(rig, &desc)) return true;
    TEST_FAIL("%s", gputune_device_error(rig->device)->text);
    gputune_device_destroy(rig->device);
    return false;
}

static void *cl_compile(cl_rig *rig, const char *source, const char *name, const char *options)
{
    gputune_build build;
    void *code = NULL;
    memset(&build, 0, sizeof build);
    build.source = source;
    build.name = name;
    build.options = options;
    rig->error.text[0] = 0;
    rig->error.result = rig->d.compile(rig->cl, &build, &code, &rig->error);
    CHECK((code != NULL) == (rig->error.result == GPUTUNE_OK));
    return code;
}

static gputune_bound_arg cl_arg(gputune_arg_kind kind, const void *data, size_t bytes, void *handle)
{
    gputune_bound_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = kind;
    arg.data = data;
    arg.bytes = bytes;
    arg.handle = handle;
    return arg;
}

static gputune_driver_launch cl_launch(size_t global, size_t local, const gputune_bound_arg *args,
                                int count)
{
    gputune_driver_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.dimensions = 1;
    launch.global[0] = global;
    launch.local[0] = local;
    launch.args = args;
    launch.arg_count = count;
    return launch;
}

static gputune_result cl_time(cl_rig *rig, void *code, const gputune_driver_launch *launch,
                              int batch, double time_limit, double hang_limit, double *seconds)
{
    rig->error.text[0] = 0;
    return rig->error.result = rig->d.time(rig->cl, code, launch, batch, time_limit, hang_limit,
                                           seconds, &rig->error);
}

static void cl_allocate(cl_rig *rig, size_t bytes, size_t guard, gputune_memory *memory)
{
    CHECK_INT(rig->d.allocate(rig->cl, bytes, guard, memory, &rig->error), GPUTUNE_OK);
}

static void cl_read(cl_rig *rig, const gputune_memory *memory, size_t offset, void *to,
                    size_t bytes)
{
    CHECK_INT(rig->d.read(rig->cl, memory->whole, offset, to, bytes, &rig->error), GPUTUNE_OK);
}

static void cl_write(cl_rig *rig, const gputune_memory *memory, const void *from, size_t bytes)
{
    CHECK_INT(rig->d.write(rig->cl, memory->whole, memory->guard, from, bytes, &rig->error),
              GPUTUNE_OK);
}

static const char cl_saxpy[] =
    "__kernel void saxpy(int n, float a, __global const float *x, __global float *y)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i < n) y[i] += a * x[i];\n"
    "}\n";

enum { CL_N = 1000 };

// saxpy on private memory, timed and on the program's queue; checks every element.
static void cl_run_saxpy(cl_rig *rig, int batch)
{
    static float x[CL_N], y[CL_N];
    const int n = CL_N;
    const float a = 2;
    gputune_memory mx, my;
    gputune_bound_arg args[4];
    gputune_driver_launch launch;
    double seconds = 0;
    int i, wrong = 0;
    void *code = cl_compile(rig, cl_saxpy, "saxpy", "");
    if (!code) {
        TEST_FAIL("%s", rig->error.text);
        return;
    }
    for (i = 0; i < n; i++) x[i] = (float)i;
    cl_allocate(rig, sizeof x, 100, &mx);
    cl_allocate(rig, sizeof y, 100, &my);
    CHECK(mx.guard >= 100 && mx.bytes == sizeof x);
    cl_write(rig, &mx, x, sizeof x);
    CHECK_INT(rig->d.fill(rig->cl, my.whole, my.guard, 0, sizeof y, &rig->error), GPUTUNE_OK);
    args[0] = cl_arg(GPUTUNE_ARG_SCALAR, &n, sizeof n, NULL);
    args[1] = cl_arg(GPUTUNE_ARG_SCALAR, &a, sizeof a, NULL);
    args[2] = cl_arg(GPUTUNE_ARG_IN, NULL, sizeof x, mx.handle);
    args[3] = cl_arg(GPUTUNE_ARG_INOUT, NULL, sizeof y, my.handle);
    launch = cl_launch(1024, 64, args, 4);
    CHECK_INT(cl_time(rig, code, &launch, batch, 0, 0, &seconds), GPUTUNE_OK);
    CHECK(seconds > 0 && seconds < 10);
    launch.local[0] = 0;
    CHECK_INT(cl_time(rig, code, &launch, 1, 5, 20, &seconds), GPUTUNE_OK);
    CHECK_INT(rig->d.launch(rig->cl, code, &launch, &rig->error), GPUTUNE_OK);
    CHECK_INT(rig->d.wait(rig->cl, &rig->error), GPUTUNE_OK);
    cl_read(rig, &my, my.guard, y, sizeof y);
    for (i = 0; i < n; i++) wrong += y[i] != (float)(batch + 2) * a * (float)i;
    CHECK_INT(wrong, 0);
    rig->d.release(rig->cl, &mx);
    rig->d.release(rig->cl, &my);
    rig->d.discard(rig->cl, code);
}

// --- on the machine's OpenCL ---

static void test_cl_saxpy(void)
{
    SKIP_LACKING("opencl");
    cl_rig rig;
    void *code;
    if (!cl_real(&rig)) return;
    CHECK(rig.d.takes_source);
    CHECK_TEXT(rig.d.api, "opencl");
    cl_run_saxpy(&rig, 1);
    cl_run_saxpy(&rig, 5);
    code = cl_compile(&rig, cl_saxpy, "saxpy", "-DUNUSED=1 -cl-fast-relaxed-math");
    CHECK(code && rig.d.group_limit(rig.cl, code) > 0);
    rig.d.discard(rig.cl, code);
    gputune_device_destroy(rig.device);
}

static size_t cl_most; // bytes that were asked for at once

static gputune_result cl_allocate_seen(void *self, void *like, size_t bytes, size_t guard,
                                       gputune_memory *memory, gputune_error *error)
{
    cl_most = bytes > cl_most ? bytes : cl_most;
    return gt_cl__allocate_like(self, like, bytes, guard, memory, error);
}

// Elements are counted where bytes are meant: what the kernel writes behind them stays within the
// private copy, the culprit is named, and the default runs.
static void test_cl_bytes_short(void)
{
    SKIP_LACKING("opencl");
    static const gputune_param params[] = { { "B", "set 64,128", "64" }, { NULL, NULL, NULL } };
    static float x[CL_N], y[CL_N];
    cl_rig rig;
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_arg args[4];
    gputune_memory m;
    gputune_cl_desc device = cl_quiet();
    gputune_stats stats;
    char text[80];
    int i, wrong = 0;
    device.options.mode = GPUTUNE_MODE_ON;
    CHECK(cl_open(&rig, &device));
    if (!rig.cl) return;
    for (i = 0; i < CL_N; i++) x[i] = y[i] = (float)i;
    memset(&desc, 0, sizeof desc);
    desc.source = cl_saxpy;
    desc.name = "saxpy";
    desc.params = params;
    desc.global = "n";
    desc.local = "B";
    kernel = gputune_kernel_create(rig.device, &desc);
    args[0] = gputune_int(CL_N);
    args[1] = gputune_float(2);
    args[2] = gputune_in(gputune_buffer_create(rig.device, sizeof x, x), sizeof x);
    args[3] = gputune_inout(gputune_buffer_create(rig.device, sizeof y, y), CL_N / 2);
    args[2].bytes = CL_N / 2;
    rig.device->driver.allocate_like = cl_allocate_seen;
    cl_most = 0;
    CHECK_INT(gputune_run(kernel, args, 4), GPUTUNE_OK);
    CHECK_INT(cl_most, sizeof y);
    snprintf(text, sizeof text, "y: wrote outside its %d bytes, ", CL_N / 2);
    CHECK_HAS(gputune_kernel_outcome(kernel)->text, text);
    snprintf(text, sizeof text, "past the end (its buffer has %d)", (int)sizeof y);
    CHECK_HAS(gputune_kernel_outcome(kernel)->text, text);
    CHECK_INT(gputune_buffer_read(rig.device, args[3].pointer, 0, y, sizeof y), GPUTUNE_OK);
    for (i = 0; i < CL_N; i++) wrong += y[i] != 3 * (float)i;
    CHECK_INT(wrong, 0);
    args[3].bytes = 2 * sizeof y;
    CHECK_INT(gputune_kernel_time(kernel, &gputune_kernel_outcome(kernel)->config, args, 4, 1,
                                  &stats),
              GPUTUNE_ERROR_ARGUMENT);
    snprintf(text, sizeof text, "y: %d bytes given, its buffer has %d", 2 * (int)sizeof y,
             (int)sizeof y);
    CHECK_HAS(gputune_kernel_error(kernel)->text, text);
    gputune_buffer_destroy(rig.device, args[2].pointer);
    gputune_buffer_destroy(rig.device, args[3].pointer);
    gputune_kernel_destroy(kernel);
    args[3].pointer = gputune_buffer_create(rig.device, 1 << 20, NULL);
    CHECK_INT(rig.d.extent(rig.cl, args[3].pointer), 1 << 20);
    gputune_buffer_destroy(rig.device, args[3].pointer);
    cl_allocate(&rig, 100, 0, &m);
    CHECK_INT(rig.d.extent(rig.cl, m.handle), 100);
    rig.d.release(rig.cl, &m);
    gputune_device_destroy(rig.device);
}

typedef struct cl_messages {
    char text[16384];
    int count[GPUTUNE_LOG_DEBUG + 1];
} cl_messages;

static void cl_keep_message(void *user, gputune_log_level level, const char *message)
{
    cl_messages *m = (cl_messages *)user;
    size_t used = strlen(m->text);
    m->count[level]++;
    snprintf(m->text + used, sizeof m->text - used, "%s\n", message);
}

static void test_cl_build_log(void)
{
    SKIP_LACKING("opencl");
    static const char broken[] = "__kernel void broken(__global float *x)\n"
                                 "{\n"
                                 "    x[0] = no_such_name;\n"
                                 "}\n";
    static cl_messages messages;
    gputune_cl_desc desc = cl_quiet();
    cl_rig rig;
    if (!cl_real(&rig)) return;
    gputune_device_destroy(rig.device);
    memset(&messages, 0, sizeof messages);
    desc.options.log = cl_keep_message;
    desc.options.user = &messages;
    desc.options.log_level = GPUTUNE_LOG_DEBUG;
    CHECK(cl_open(&rig, &desc));
    CHECK(cl_compile(&rig, broken, "broken", "") == NULL);
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(rig.error.text, "clBuildProgram: CL_BUILD_PROGRAM_FAILURE");
    CHECK_HAS(rig.error.text, "\"broken\"");
    CHECK_HAS(rig.error.text, "no_such_name");
    CHECK_HAS(rig.error.text, ":3:");
    CHECK_HAS(messages.text, "no_such_name");
    CHECK(cl_compile(&rig, cl_saxpy, "sexpy", "") == NULL);
    CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
    CHECK_HAS(rig.error.text, "clCreateKernel: CL_INVALID_KERNEL_NAME");
    CHECK_HAS(rig.error.text, "\"sexpy\"");
    CHECK_HAS(rig.error.text, "saxpy");
    cl_run_saxpy(&rig, 1);
    gputune_device_destroy(rig.device);
}

// What a program calls itself.
typedef struct cl_calls {
    cl_int(CL_API_CALL *platforms)(cl_uint, cl_platform_id *, cl_uint *);
    cl_int(CL_API_CALL *devices)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *,
                                 cl_uint *);
    cl_context(CL_API_CALL *context)(const cl_context_properties *, cl_uint, const cl_device_id *,
                                     void(CL_CALLBACK *)(const char *, const void *, size_t,
                                                         void *),
                                     void *, cl_int *);
    cl_command_queue(CL_API_CALL *queue)(cl_context, cl_device_id, cl_command_queue_properties,
                                         cl_int *);
    cl_int(CL_API_CALL *release_queue)(cl_command_queue);
    cl_int(CL_API_CALL *release_context)(cl_context);
    cl_int(CL_API_CALL *queue_info)(cl_command_queue, cl_command_queue_info, size_t, void *,
                                    size_t *);
    cl_int(CL_API_CALL *context_info)(cl_context, cl_context_info, size_t, void *, size_t *);
} cl_calls;

// library NULL: the machine's. Never closed.
static cl_calls cl_load(const char *library)
{
    const char *const names[] = { library ? library : "libOpenCL.so.1",
                                  library ? library : "libOpenCL.so", NULL };
    void *handle = gputune_library_open(names, NULL);
    cl_calls call;
    CHECK(handle && gputune_library_symbol(handle, "clGetPlatformIDs", &call.platforms) &&
          gputune_library_symbol(handle, "clGetDeviceIDs", &call.devices) &&
          gputune_library_symbol(handle, "clCreateContext", &call.context) &&
          gputune_library_symbol(handle, "clCreateCommandQueue", &call.queue) &&
          gputune_library_symbol(handle, "clReleaseCommandQueue", &call.release_queue) &&
          gputune_library_symbol(handle, "clReleaseContext", &call.release_context) &&
          gputune_library_symbol(handle, "clGetCommandQueueInfo", &call.queue_info));
    call.context_info = NULL; // the fake has none
    if (handle) gputune_library_symbol(handle, "clGetContextInfo", &call.context_info);
    return call;
}

// References to the queue and its context, as one number.
static int cl_references(const cl_calls *call, cl_command_queue queue, cl_context context)
{
    cl_uint queues = 0, contexts = 0;
    CHECK(call->context_info != NULL);
    call->queue_info(queue, CL_QUEUE_REFERENCE_COUNT, sizeof queues, &queues, NULL);
    if (call->context_info)
        call->context_info(context, CL_CONTEXT_REFERENCE_COUNT, sizeof contexts, &contexts, NULL);
    CHECK(queues > 0 && contexts > 0);
    return (int)(queues * 1000 + contexts);
}

// A queue of the program with these properties: everything works on it, trials run on it only if
// they may, and afterwards it is as it was.
static void cl_check_queue(cl_command_queue_properties properties, bool shared)
{
    cl_rig own, rig;
    cl_command_queue queue;
    cl_int code;
    int before, i;
    unsigned char byte = 0;
    cl_mem buffer;
    cl_calls call;
    if (!cl_real(&own)) return;
    call = cl_load(NULL);
    queue = own.cl->call.clCreateCommandQueue(own.cl->context, own.cl->id, properties, &code);
    CHECK_INT(code, CL_SUCCESS);
    if (!queue) {
        gputune_device_destroy(own.device);
        return;
    }
    buffer = own.cl->call.clCreateBuffer(own.cl->context, 0, 16, NULL, &code);
    before = cl_references(&call, queue, own.cl->context);
    if (cl_open_queue(&rig, queue)) {
        CHECK(gputune_cl_queue(rig.device) == queue);
        CHECK(gputune_cl_context(rig.device) == own.cl->context);
        CHECK(gputune_cl_device_id(rig.device) == own.cl->id);
        CHECK(gputune_cl_platform_id(rig.device) == own.cl->platform);
        cl_run_saxpy(&rig, 3);
        CHECK((rig.cl->trials == queue) == shared);
        CHECK(rig.cl->profiled && !rig.cl->warned);
    } else
        TEST_FAIL("%s", gputune_device_error(rig.device)->text);
    gputune_device_destroy(rig.device);
    // PoCL's threads drop theirs a little after a queue has finished.
    for (i = 0; i < 200 && cl_references(&call, queue, own.cl->context) != before; i++)
        gputune_sleep(0.005);
    CHECK_INT(cl_references(&call, queue, own.cl->context), before);
    CHECK_INT(own.cl->call.clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 1, &byte, 0, NULL, NULL),
              CL_SUCCESS);
    own.cl->call.clReleaseMemObject(buffer);
    own.cl->call.clReleaseCommandQueue(queue);
    gputune_device_destroy(own.device);
}

static void test_cl_queue_plain(void)
{
    SKIP_LACKING("opencl");
    cl_check_queue(0, false);
}

static void test_cl_queue_profiling(void)
{
    SKIP_LACKING("opencl");
    cl_check_queue(CL_QUEUE_PROFILING_ENABLE, true);
}

static void test_cl_queue_out_of_order(void)
{
    SKIP_LACKING("opencl");
    cl_check_queue(CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, false);
}

// --- an order that events make ---

typedef struct cl_events {
    cl_event(CL_API_CALL *make)(cl_context, cl_int *);
    cl_int(CL_API_CALL *set)(cl_event, cl_int);
    cl_int(CL_API_CALL *wait)(cl_uint, const cl_event *);
    cl_int(CL_API_CALL *info)(cl_event, cl_event_info, size_t, void *, size_t *);
} cl_events;

static bool cl_load_events(cl_events *e)
{
    const char *const names[] = { "libOpenCL.so.1", "libOpenCL.so", NULL };
    void *library = gputune_library_open(names, NULL);
    return library && gputune_library_symbol(library, "clCreateUserEvent", &e->make) &&
           gputune_library_symbol(library, "clSetUserEventStatus", &e->set) &&
           gputune_library_symbol(library, "clWaitForEvents", &e->wait) &&
           gputune_library_symbol(library, "clGetEventInfo", &e->info);
}

static cl_int cl_event_state(const cl_events *e, cl_event event)
{
    cl_int state = -1;
    CHECK_INT(e->info(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL),
              CL_SUCCESS);
    return state;
}

static const char cl_ordered[] =
    "#pragma gputune set 1,2,4\n"
    "#define ITEMS 1\n"
    "__kernel void ordered(int n, __global const int *in, __global int *out)\n"
    "{\n"
    "    int i = get_global_id(0) - get_global_offset(0);\n"
    "    for (int k = i * ITEMS; k < (i + 1) * ITEMS && k < n; k++)\n"
    "        out[k] = in[k] + 1000 * get_global_offset(0);\n"
    "}\n";

// In a queue that is out of order a launch, and a tuning before it, come behind what they wait for,
// with the offset; and the next command may wait for the launch.
static void test_cl_run(void)
{
    SKIP_LACKING("opencl");
    enum { ITEMS = 300 };
    static int in[ITEMS], out[ITEMS], zero[ITEMS];
    const size_t offset = 7;
    int mode, i;
    cl_events e;
    if (!cl_load_events(&e)) {
        TEST_FAIL("the library lacks events");
        return;
    }
    for (i = 0; i < ITEMS; i++) in[i] = i * i % 91;
    for (mode = 0; mode < 2; mode++) { // untuned, tuned
        cl_rig own;
        gputune_cl_desc desc = cl_quiet();
        gputune_kernel_desc k;
        gputune_kernel *kernel;
        gputune_device *device;
        gputune_arg args[3];
        gputune_cl_order order;
        cl_event first, done = NULL, after = NULL;
        cl_mem from, to;
        cl_int code;
        if (!cl_real(&own)) return;
        desc.queue = own.cl->call.clCreateCommandQueue(
            own.cl->context, own.cl->id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
        desc.options.mode = mode ? GPUTUNE_MODE_ON : GPUTUNE_MODE_OFF;
        device = gputune_cl_device_create(&desc);
        memset(&k, 0, sizeof k);
        k.source = cl_ordered;
        k.name = "ordered";
        k.global = "ceil_div(n, ITEMS)";
        k.tune.budget.seconds = -1;
        kernel = gputune_kernel_create(device, &k);
        from = own.cl->call.clCreateBuffer(own.cl->context, 0, sizeof in, NULL, &code);
        to = own.cl->call.clCreateBuffer(own.cl->context, 0, sizeof out, NULL, &code);
        own.cl->call.clEnqueueWriteBuffer(desc.queue, to, CL_TRUE, 0, sizeof zero, zero, 0, NULL,
                                          NULL);
        args[0] = gputune_int(ITEMS);
        args[1] = gputune_in(from, sizeof in);
        args[2] = gputune_out(to, sizeof out);
        memset(&order, 0, sizeof order);
        order.offset = &offset;
        order.wait_count = 1;
        order.wait_list = &first;
        order.event = &done;
        if (mode) { // what is tuned reads what the write makes
            own.cl->call.clEnqueueWriteBuffer(desc.queue, from, CL_FALSE, 0, sizeof in, in, 0, NULL,
                                              &first);
        } else {
            own.cl->call.clEnqueueWriteBuffer(desc.queue, from, CL_TRUE, 0, sizeof in, in, 0, NULL,
                                              NULL);
            first = e.make(own.cl->context, &code);
        }
        CHECK_INT(gputune_cl_run(kernel, args, 3, &order), GPUTUNE_OK);
        CHECK_TEXT(gputune_kernel_error(kernel)->text, "");
        CHECK(done != NULL);
        if (!mode && done) {
            own.cl->call.clFlush(desc.queue);
            gputune_sleep(0.1); // in which it would end if it did not wait
            CHECK(cl_event_state(&e, done) > CL_COMPLETE); // and the call has come back
            CHECK_INT(e.set(first, CL_COMPLETE), CL_SUCCESS);
        }
        if (mode) CHECK_INT(gputune_kernel_outcome(kernel)->origin, GPUTUNE_FROM_TUNING);
        own.cl->call.clEnqueueReadBuffer(desc.queue, to, CL_TRUE, 0, sizeof out, out, done != NULL,
                                         done ? &done : NULL, NULL);
        for (i = 0; i < ITEMS; i++) CHECK_INT(out[i], in[i] + 7000);
        // Nothing to do: what follows may wait all the same.
        args[0] = gputune_int(0);
        order.event = &after;
        CHECK_INT(gputune_cl_run(kernel, args, 3, &order), GPUTUNE_OK);
        CHECK(after && e.wait(1, &after) == CL_SUCCESS);
        // What fails leaves no event.
        order.event = &after;
        if (after) own.cl->call.clReleaseEvent(after);
        CHECK(gputune_cl_run(kernel, args, 2, &order) != GPUTUNE_OK);
        CHECK(!after);
        CHECK(*gputune_kernel_error(kernel)->text);
        if (done) own.cl->call.clReleaseEvent(done);
        own.cl->call.clReleaseEvent(first);
        own.cl->call.clReleaseMemObject(from);
        own.cl->call.clReleaseMemObject(to);
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
        own.cl->call.clReleaseCommandQueue(desc.queue);
        gputune_device_destroy(own.device);
    }
}

// What launches take is told of a queue that profiles, of the one behind each question, also where
// the program has its event.
static void test_cl_took(void)
{
    SKIP_LACKING("opencl");
    int profiles, way;
    for (profiles = 0; profiles < 2; profiles++) {
        gputune_driver_launch launch = cl_launch(64, 0, NULL, 0);
        gputune_cl_order order;
        cl_event done = NULL;
        cl_rig own, rig;
        cl_command_queue queue;
        cl_int code;
        void *kernel;
        if (!cl_real(&own)) return;
        queue = own.cl->call.clCreateCommandQueue(
            own.cl->context, own.cl->id, profiles ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
        CHECK(cl_open_queue(&rig, queue));
        CHECK((rig.d.took != NULL) == profiles);
        kernel = cl_compile(&rig, "__kernel void one(void) {}", "one", "");
        for (way = 0; way < 3 && profiles && kernel; way++) { // 1: with an event; 2: not asked for
            memset(&order, 0, sizeof order);
            order.event = &done;
            rig.cl->order = way == 1 ? &order : NULL;
            if (way < 2) CHECK(rig.d.took(rig.cl) == 0);
            CHECK_INT(rig.d.launch(rig.cl, kernel, &launch, &rig.error), GPUTUNE_OK);
            CHECK_INT(rig.d.wait(rig.cl, &rig.error), GPUTUNE_OK);
            if (way < 2) CHECK(rig.d.took(rig.cl) > 0);
            rig.cl->asked = false;
        }
        if (profiles) CHECK(rig.d.took(rig.cl) == 0 && done);
        if (done) own.cl->call.clReleaseEvent(done);
        rig.cl->order = NULL;
        rig.d.discard(rig.cl, kernel);
        gputune_device_destroy(rig.device);
        own.cl->call.clReleaseCommandQueue(queue);
        gputune_device_destroy(own.device);
    }
}

// hotspot, as Rodinia has it: a size by -D, arithmetic that may be relaxed, buffers that change
// places, and a queue that profiles, whose events tell the program its own time.
static const char cl_hotspot[] =
    "#pragma gputune set 4,8,16\n"
    "#ifndef BLOCK_SIZE\n"
    "#define BLOCK_SIZE 16\n"
    "#endif\n"
    "#pragma gputune global n, n\n"
    "#pragma gputune local BLOCK_SIZE, BLOCK_SIZE\n"
    "__kernel void hotspot(int n, float step, __global const float *power,\n"
    "                      __global const float *from, __global float *to)\n"
    "{\n"
    "    int x = get_global_id(0), y = get_global_id(1), i = y * n + x;\n"
    "    if (x >= n || y >= n) return;\n"
    "    to[i] = from[i] + step * (power[i] + from[i - (x > 0)] + from[i + (x < n - 1)] +\n"
    "                              from[i - n * (y > 0)] + from[i + n * (y < n - 1)] -\n"
    "                              4.0f * from[i]);\n"
    "}\n";

static void cl_hotspot_step(int n, const float *power, const float *from, float *to)
{
    int x, y;
    for (y = 0; y < n; y++)
        for (x = 0; x < n; x++) {
            const int i = y * n + x;
            to[i] = from[i] + 0.1f * (power[i] + from[i - (x > 0)] + from[i + (x < n - 1)] +
                                      from[i - n * (y > 0)] + from[i + n * (y < n - 1)] -
                                      4.0f * from[i]);
        }
}

static void test_cl_hotspot(void)
{
    SKIP_LACKING("opencl");
    enum { N = 48, STEPS = 6 };
    static float power[N * N], heat[2][N * N], got[N * N];
    cl_rig own;
    gputune_cl_desc desc = cl_quiet();
    gputune_kernel_desc k;
    gputune_kernel *kernel;
    gputune_device *device;
    gputune_config first;
    gputune_arg args[5];
    cl_mem held, on[2];
    cl_ulong spent = 0, before = 0;
    cl_int code;
    int i, step;
    if (!cl_real(&own)) return;
    desc.queue = own.cl->call.clCreateCommandQueue(own.cl->context, own.cl->id,
                                                   CL_QUEUE_PROFILING_ENABLE, &code);
    desc.options.mode = GPUTUNE_MODE_ON;
    device = gputune_cl_device_create(&desc);
    memset(&k, 0, sizeof k);
    k.source = cl_hotspot;
    k.name = "hotspot";
    k.compiler_options = "-DBLOCK_SIZE=8 -cl-fast-relaxed-math";
    k.tune.budget.seconds = -1;
    kernel = gputune_kernel_create(device, &k);
    for (i = 0; i < N * N; i++) power[i] = (float)(i % 7), heat[0][i] = (float)(i % 53);
    held = (cl_mem)gputune_buffer_create(device, sizeof power, power);
    for (i = 0; i < 2; i++) on[i] = (cl_mem)gputune_buffer_create(device, sizeof got, heat[0]);
    for (step = 0; step < STEPS; step++) {
        cl_event done = NULL;
        cl_ulong start = 0, end = 0;
        gputune_cl_order order;
        memset(&order, 0, sizeof order);
        order.event = &done;
        args[0] = gputune_int(N);
        args[1] = gputune_float(0.1);
        args[2] = gputune_in(held, sizeof power);
        args[3] = gputune_in(on[step % 2], sizeof got);
        args[4] = gputune_out(on[1 - step % 2], sizeof got);
        CHECK_INT(gputune_cl_run(kernel, args, 5, &order), GPUTUNE_OK);
        CHECK_TEXT(gputune_kernel_error(kernel)->text, "");
        if (!done) continue;
        own.cl->call.clFinish(desc.queue);
        CHECK_INT(own.cl->call.clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_START,
                                                       sizeof start, &start, NULL), CL_SUCCESS);
        CHECK_INT(own.cl->call.clGetEventProfilingInfo(done, CL_PROFILING_COMMAND_END, sizeof end,
                                                       &end, NULL), CL_SUCCESS);
        CHECK(start > before && end > start); // one launch's, behind the last one's
        before = end;
        spent += end - start;
        own.cl->call.clReleaseEvent(done);
        cl_hotspot_step(N, power, heat[step % 2], heat[1 - step % 2]);
    }
    CHECK(spent > 0);
    CHECK_INT(gputune_kernel_outcome(kernel)->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(gputune_kernel_outcome(kernel)->trials, 3);
    first = gputune_kernel_trial(kernel, 0)->config;
    CHECK_INT(gputune_config_int(&first, "BLOCK_SIZE"), 8); // the program's -D is the default
    CHECK_INT(gputune_buffer_read(device, on[STEPS % 2], 0, got, sizeof got), GPUTUNE_OK);
    for (i = 0; i < N * N; i++)
        if (!(fabs(got[i] - heat[STEPS % 2][i]) < 1e-3))
            TEST_FAIL("element %d is %g, expected %g", i, got[i], heat[STEPS % 2][i]);
    for (i = 0; i < 2; i++) gputune_buffer_destroy(device, on[i]);
    gputune_buffer_destroy(device, held);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    own.cl->call.clReleaseCommandQueue(desc.queue);
    gputune_device_destroy(own.device);
}

static void test_cl_run_elsewhere(void)
{
    const gputune_cl_order order = { NULL, 0, NULL, NULL };
    gputune_device *device = gputune_host_device_create(NULL);
    gputune_kernel_desc k;
    gputune_kernel *kernel;
    memset(&k, 0, sizeof k);
    k.name = "ordered";
    kernel = gputune_kernel_create(device, &k);
    CHECK_INT(gputune_cl_run(kernel, NULL, 0, &order), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "none of OpenCL's");
    CHECK_INT(gputune_cl_run(NULL, NULL, 0, &order), GPUTUNE_ERROR_MEMORY);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

// Launches that no device can do are refused with the numbers, and the device stays usable.
static void test_cl_launch_failures(void)
{
    SKIP_LACKING("opencl");
    static const char source[] =
        "__kernel void f(int n, __global float *x, __local float *t)\n"
        "{ t[get_local_id(0)] = n; barrier(CLK_LOCAL_MEM_FENCE); x[0] = t[0]; }\n";
    cl_rig rig;
    const int n = 1;
    size_t limit;
    gputune_memory m;
    gputune_bound_arg args[3];
    gputune_driver_launch launch;
    double seconds;
    void *code;
    if (!cl_real(&rig)) return;
    code = cl_compile(&rig, source, "f", "");
    limit = rig.d.group_limit(rig.cl, code);
    cl_allocate(&rig, 64, 64, &m);
    args[0] = cl_arg(GPUTUNE_ARG_SCALAR, &n, sizeof n, NULL);
    args[1] = cl_arg(GPUTUNE_ARG_OUT, NULL, 64, m.handle);
    args[2] = cl_arg(GPUTUNE_ARG_LOCAL, NULL, 1024, NULL);
    launch = cl_launch(2 * limit, 2 * limit, args, 3);
    CHECK_INT(cl_time(&rig, code, &launch, 1, 0, 0, &seconds), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "\"f\": a work-group of");
    launch = cl_launch(16, 16, args, 3);
    args[2].bytes = (size_t)rig.cl->local_memory + 4;
    CHECK_INT(cl_time(&rig, code, &launch, 1, 0, 0, &seconds), GPUTUNE_ERROR_RESOURCES);
    CHECK_HAS(rig.error.text, "bytes of local memory");
    args[2].bytes = 1024;
    launch.arg_count = 2;
    CHECK_INT(cl_time(&rig, code, &launch, 1, 0, 0, &seconds), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(rig.error.text, "3 parameters, not 2");
    launch.arg_count = 3;
    launch.global[0] = 17; // not a multiple: OpenCL 1.2 refuses, newer ones may not
    if (cl_time(&rig, code, &launch, 1, 0, 0, &seconds) != GPUTUNE_OK) {
        CHECK_INT(rig.error.result, GPUTUNE_ERROR_RESOURCES);
        CHECK_HAS(rig.error.text, "clEnqueueNDRangeKernel: CL_INVALID_WORK_GROUP_SIZE");
        CHECK_HAS(rig.error.text, "\"f\", 17 x 1 x 1");
    }
    launch.global[0] = 16;
    CHECK_INT(cl_time(&rig, code, &launch, 1, 0, 0, &seconds), GPUTUNE_OK);
    rig.d.release(rig.cl, &m);
    rig.d.discard(rig.cl, code);
    gputune_device_destroy(rig.device);
}

static void test_cl_buffers(void)
{
    SKIP_LACKING("opencl");
    gputune_cl_desc desc = cl_quiet();
    cl_rig rig;
    float data[4] = { 1, 2, 3, 4 }, read[4] = { 0, 0, 0, 0 };
    void *buffer, *empty;
    if (!cl_real(&rig)) return;
    buffer = gputune_buffer_create(rig.device, sizeof data, data);
    CHECK(buffer != NULL);
    CHECK_INT(gputune_buffer_read(rig.device, buffer, 0, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    data[0] = 7;
    CHECK_INT(gputune_buffer_write(rig.device, buffer, 0, data, sizeof data), GPUTUNE_OK);
    CHECK_INT(gputune_buffer_read(rig.device, buffer, 0, read, sizeof read), GPUTUNE_OK);
    CHECK(memcmp(data, read, sizeof data) == 0);
    CHECK_INT(gputune_buffer_write(rig.device, buffer, 4, data, 8), GPUTUNE_OK);
    CHECK_INT(gputune_buffer_read(rig.device, buffer, 8, read, 8), GPUTUNE_OK);
    CHECK(read[0] == 2 && read[1] == 4 && read[2] == 3);
    CHECK(gputune_buffer_read(rig.device, buffer, 4, read, 16) != GPUTUNE_OK);
    empty = gputune_buffer_create(rig.device, 0, data);
    CHECK(empty != NULL);
    CHECK(gputune_buffer_read(rig.device, buffer, 0, read, 17) != GPUTUNE_OK);
    CHECK_HAS(gputune_device_error(rig.device)->text, "clEnqueueReadBuffer");
    CHECK(gputune_buffer_create(rig.device, (size_t)-1 / 2, NULL) == NULL);
    CHECK_INT(gputune_device_error(rig.device)->result, GPUTUNE_ERROR_RESOURCES);
    gputune_buffer_destroy(rig.device, buffer);
    gputune_buffer_destroy(rig.device, empty);
    gputune_buffer_destroy(rig.device, NULL);
    gputune_device_destroy(rig.device);
    desc.platform = "no such platform";
    CHECK(!cl_open(&rig, &desc));
    CHECK(gputune_buffer_create(rig.device, 4, data) == NULL);
    CHECK_INT(gputune_buffer_read(rig.device, NULL, 0, read, 4), GPUTUNE_ERROR_NO_DEVICE);
    CHECK(!gputune_cl_queue(rig.device) && !gputune_cl_context(rig.device));
    gputune_buffer_destroy(rig.device, NULL);
    gputune_device_destroy(rig.device);
    CHECK_INT(gputune_buffer_write(NULL, NULL, 0, read, 4), GPUTUNE_ERROR_MEMORY);
    CHECK(gputune_cl_device_id(NULL) == NULL && gputune_cl_platform_id(NULL) == NULL);
}

// A device of another driver is not taken for ours.
static void test_cl_other_driver(void)
{
    gputune_cl_desc desc = cl_quiet();
    gputune_device *host = gputune_host_device_create(&desc.options);
    CHECK(gputune_cl_queue(host) == NULL);
    CHECK(gputune_cl_context(host) == NULL && gputune_cl_device_id(host) == NULL);
    gputune_device_destroy(host);
}

// --- on the fake library ---

typedef struct cl_fake {
    char folder[200], library[232];
    void *handle;
    fake_cl *state;
    gputune_cl_desc desc;
} cl_fake;

// Builds and loads it, a new one each time.
static bool cl_fake_make(cl_fake *fake, const char *flags)
{
    const char *temporary = getenv("TMPDIR");
    static const char here[] = __FILE__; // one array, whatever the compiler makes of literals
    const char *names[2], *cc = getenv("CC"), *slash = strrchr(here, '/');
    int folder = slash ? (int)(slash - here) : 1;
    char command[1200];
    fake_cl *(*state)(void) = NULL;
    memset(fake, 0, sizeof *fake);
    snprintf(fake->folder, sizeof fake->folder, "%s/cl.XXXXXX", temporary ? temporary : "/tmp");
    if (!mkdtemp(fake->folder)) return TEST_FAIL("mkdtemp"), false;
    snprintf(fake->library, sizeof fake->library, "%s/libfake.so", fake->folder);
    snprintf(command, sizeof command,
             "%s -shared -fPIC -w %s '%.*s/fake_cl/fake_cl.c' -o '%s'", cc && *cc ? cc : "cc",
             flags, folder, slash ? here : ".", fake->library);
    if (system(command) != 0) return TEST_FAIL("cannot build the fake: %s", command), false;
    names[0] = fake->library;
    names[1] = NULL;
    fake->handle = gputune_library_open(names, NULL);
    if (!fake->handle || !gputune_library_symbol(fake->handle, "fake_cl_state", &state))
        return TEST_FAIL("cannot load the fake"), false;
    fake->state = state();
    fake->desc = cl_quiet();
    fake->desc.library = fake->library;
    return true;
}

// Removes its files. Nothing may be left alive in it.
static void cl_fake_end(cl_fake *fake)
{
    int i;
    for (i = 0; fake->state && i < FAKE_KINDS; i++)
        CHECK_OR(!fake->state->alive[i], "%d objects of kind %d are left", fake->state->alive[i],
                 i);
    if (fake->state) CHECK_INT(fake->state->misused, 0);
    unlink(fake->library);
    rmdir(fake->folder);
}

static void test_cl_no_library(void)
{
    gputune_cl_desc desc = cl_quiet();
    cl_fake fake;
    cl_rig rig;
    const gputune_error *error;
    desc.library = "/nowhere/libOpenCL.so.1";
    CHECK(!cl_open(&rig, &desc));
    error = gputune_device_error(rig.device);
    CHECK_INT(error->result, GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(error->text, "/nowhere/libOpenCL.so.1");
    CHECK_HAS(error->text, "ocl-icd-libopencl1");
    gputune_device_destroy(rig.device);
    if (cl_fake_make(&fake, "-DFAKE_INCOMPLETE")) {
        CHECK(!cl_open(&rig, &fake.desc));
        error = gputune_device_error(rig.device);
        CHECK_INT(error->result, GPUTUNE_ERROR_LIBRARY);
        CHECK_HAS(error->text, "no function clEnqueueFillBuffer");
        CHECK_HAS(error->text, fake.library);
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// Opens, expects this device.
static void cl_expect(cl_fake *fake, const char *name)
{
    cl_rig rig;
    if (cl_open(&rig, &fake->desc)) {
        CHECK_TEXT(gputune_device_limits(rig.device)->name, name);
        // A GPU compares outputs itself; a processor only large ones.
        CHECK_INT(rig.device->driver.compares(rig.device->self, 64), strstr(name, "GPU") != NULL);
        CHECK(rig.device->driver.compares(rig.device->self, (size_t)64 << 20));
    } else {
        TEST_FAIL("%s", gputune_device_error(rig.device)->text);
    }
    gputune_device_destroy(rig.device);
}

static void cl_expect_none(cl_fake *fake, const char *part, const char *other)
{
    cl_rig rig;
    CHECK(!cl_open(&rig, &fake->desc));
    CHECK_INT(gputune_device_error(rig.device)->result, GPUTUNE_ERROR_NO_DEVICE);
    CHECK_HAS(gputune_device_error(rig.device)->text, part);
    CHECK_HAS(gputune_device_error(rig.device)->text, other);
    gputune_device_destroy(rig.device);
}

static void test_cl_platforms(void)
{
    static cl_messages messages;
    cl_fake fake;
    if (cl_fake_make(&fake, "")) {
        memset(&messages, 0, sizeof messages);
        fake.desc.options.log = cl_keep_message;
        fake.desc.options.user = &messages;
        cl_expect(&fake, "middling GPU");
        CHECK_TEXT(messages.text, "");
        fake.state->platforms = 3; // a broken and an empty one besides
        cl_expect(&fake, "middling GPU");
        CHECK_HAS(messages.text, "clCreateContext: CL_DEVICE_NOT_AVAILABLE");
        CHECK_HAS(messages.text, "huge broken GPU is passed over");
        messages.text[0] = 0;
        fake.state->broken_ids = true;
        cl_expect(&fake, "middling GPU");
        CHECK_HAS(messages.text, "clGetDeviceIDs: CL_OUT_OF_HOST_MEMORY");
        CHECK_HAS(messages.text, "Fake Broken is passed over");
        fake.desc.type = CL_DEVICE_TYPE_CPU;
        cl_expect(&fake, "slow processor");
        fake.desc.type = 0;
        fake.desc.device = "SMALL";
        cl_expect(&fake, "small GPU");
        fake.desc.platform = "good";
        cl_expect(&fake, "small GPU");
        fake.desc.platform = "fakers"; // the vendor
        cl_expect(&fake, "small GPU");
        fake.desc.platform = "empty";
        cl_expect_none(&fake, "\"SMALL\"", "Portable Computing Language, empty: no device "
                                           "(PoCL has none where it cannot write its cache: set "
                                           "HOME");
        fake.desc.platform = "broken";
        cl_expect_none(&fake, "\"broken\"", "Fake Broken is passed over");
        fake.desc.platform = NULL;
        fake.desc.device = "quantum";
        cl_expect_none(&fake, "\"quantum\"", "Fake Good: slow processor");
        fake.desc.device = NULL;
        fake.desc.type = CL_DEVICE_TYPE_ACCELERATOR;
        cl_expect_none(&fake, "no OpenCL device can be opened; there is:", "set HOME");
        fake.state->platforms = 0;
        cl_expect_none(&fake, "CL_PLATFORM_NOT_FOUND_KHR", "pocl-opencl-icd");
    }
    cl_fake_end(&fake);
}

static void test_cl_fake_limits(void)
{
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        const gputune_limits *limits = gputune_device_limits(rig.device);
        CHECK_INT(limits->max_group_size, 256);
        CHECK_TEXT(limits->board, "0001:1b:00.0");
        CHECK_INT(limits->max_group_x, 256);
        CHECK_INT(limits->max_group_y, 128);
        CHECK_INT(limits->max_group_z, 64);
        CHECK_INT(limits->local_memory, 32768);
        CHECK_INT(limits->constant_memory, 65536);
        CHECK_INT(limits->global_memory, 1 << 30);
        CHECK_INT(limits->max_allocation, 1 << 28);
        CHECK_INT(limits->cache_bytes, 1 << 20);
        CHECK_INT(limits->compute_units, 4);
        CHECK_INT(limits->clock_mhz, 1000);
        CHECK_INT(limits->warp_size, 32); // by NVIDIA's extension
        CHECK_INT(limits->is_gpu, 1);
        CHECK_TEXT(limits->driver, "7.5");
        CHECK_INT(rig.cl->alignment, 512);
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

static const char cl_fake_source[] = "kernel void one(int n, global float *x) {}\n"
                                     "kernel void two() {}\n";

// Everything a driver does, once, on a device that exists. Returns the first failure.
static gputune_result cl_use(cl_rig *rig)
{
    const int n = 4;
    float data[4] = { 1, 2, 3, 4 };
    gputune_build build;
    gputune_memory a, b;
    gputune_bound_arg args[2];
    gputune_driver_launch launch;
    double seconds = 0;
    void *code = NULL, *ticket = NULL;
    bool done = false;
    int queue;
    gputune_span span;
    gputune_error *e = &rig->error;
    memset(&build, 0, sizeof build);
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    build.source = cl_fake_source;
    build.name = "one";
    build.options = "";
    e->result = rig->d.compile(rig->cl, &build, &code, e);
    if (!e->result) e->result = rig->d.wait(rig->cl, e);
    if (!e->result) e->result = rig->d.allocate(rig->cl, sizeof data, 4096, &a, e);
    if (!e->result) e->result = rig->d.allocate(rig->cl, sizeof data, 0, &b, e);
    if (!e->result) e->result = rig->d.write(rig->cl, a.whole, a.guard, data, sizeof data, e);
    if (!e->result) e->result = rig->d.fill(rig->cl, b.whole, 0, 0, sizeof data, e);
    if (!e->result) e->result = rig->d.copy(rig->cl, b.whole, 0, a.whole, a.guard, 16, e);
    args[0] = cl_arg(GPUTUNE_ARG_SCALAR, &n, sizeof n, NULL);
    args[1] = cl_arg(GPUTUNE_ARG_INOUT, NULL, sizeof data, a.handle);
    launch = cl_launch(64, 32, args, 2);
    if (!e->result) e->result = rig->d.time(rig->cl, code, &launch, 3, 1, 5, &seconds, e);
    if (!e->result) e->result = rig->d.time(rig->cl, code, &launch, 1, 0, 0, &seconds, e);
    if (!e->result) e->result = rig->d.launch(rig->cl, code, &launch, e);
    for (queue = 0; queue <= rig->d.queues; queue++) {
        if (!e->result) e->result = rig->d.fork(rig->cl, queue, e);
        if (!e->result) e->result = rig->d.submit(rig->cl, code, &launch, queue, &ticket, e);
        if (!e->result) e->result = rig->d.poll(rig->cl, ticket, -5, &done, &span, e);
        if (!e->result) CHECK(done);
        if (!e->result) e->result = rig->d.submit(rig->cl, code, &launch, queue, NULL, e);
        if (!e->result) e->result = rig->d.join(rig->cl, queue, e);
    }
    if (!e->result) e->result = rig->d.wait(rig->cl, e);
    if (!e->result) e->result = rig->d.read(rig->cl, b.whole, 0, data, sizeof data, e);
    if (!e->result) CHECK(data[0] == 1 && data[3] == 4 && seconds > 0);
    rig->d.release(rig->cl, &a);
    rig->d.release(rig->cl, &b);
    rig->d.discard(rig->cl, code);
    return e->result;
}

// The whole life of a device; with a queue of the program without profiling or with a device that
// is opened. The text of the first error goes to *error.
static gputune_result cl_live(cl_fake *fake, cl_command_queue queue, gputune_error *error)
{
    cl_rig rig;
    fake->desc.queue = queue;
    if (cl_open(&rig, &fake->desc))
        cl_use(&rig);
    else
        rig.error = *gputune_device_error(rig.device);
    *error = rig.error;
    gputune_device_destroy(rig.device);
    return error->result;
}

static cl_device_id cl_fake_device(const cl_calls *call)
{
    cl_platform_id platform;
    cl_device_id id;
    cl_uint count;
    call->platforms(1, &platform, &count);
    call->devices(platform, CL_DEVICE_TYPE_GPU, 1, &id, &count);
    return id;
}

static cl_command_queue cl_fake_queue(cl_fake *fake, cl_context *context)
{
    const cl_calls call = cl_load(fake->library);
    const cl_device_id id = cl_fake_device(&call);
    cl_int code;
    *context = call.context(NULL, 1, &id, NULL, NULL, &code);
    return call.queue(*context, id, 0, &code);
}

// Functions whose failure the driver survives, or cannot show: questions about a device whose
// answer is then unknown, the clock, and releases.
static bool cl_survives(const char *call)
{
    return strcmp(call, "clGetDeviceInfo") == 0 || strcmp(call, "clGetPlatformInfo") == 0 ||
           strcmp(call, "clGetEventProfilingInfo") == 0 || strncmp(call, "clRelease", 9) == 0;
}

static int cl_countdown; // allocations until one fails; negative: none does
static int cl_blocks;    // not yet given back

static void *cl_failing(void *user, void *memory, size_t bytes)
{
    void *moved;
    (void)user;
    if (!bytes) {
        cl_blocks -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (cl_countdown-- == 0) return NULL;
    moved = realloc(memory, bytes);
    cl_blocks += !memory && moved;
    return moved;
}

// Every call of every function fails once: the error names the function, nothing is left behind.
static void cl_check_faults(bool own_queue, int fail_code, const char *fail_name)
{
    static const char *const calls[] = {
#define CL_X(result, name, parameters) #name,
        GT_CL__CALLS(CL_X)
#undef CL_X
    };
    cl_fake fake;
    gputune_error error;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    int alive[FAKE_KINDS], struck = 0;
    size_t i;
    if (cl_fake_make(&fake, "")) {
        if (own_queue) queue = cl_fake_queue(&fake, &context);
        memcpy(alive, fake.state->alive, sizeof alive);
        fake.state->fail_code = fail_code;
        fake.desc.device = "middling"; // one only, so that no other takes its place
        fake.desc.options.reallocate = cl_failing;
        cl_countdown = -1;
        for (i = 0; i < sizeof calls / sizeof *calls; i++) {
            int at = 0, kind;
            fake.state->fail = calls[i];
            for (;; at++) {
                fake.state->fail_at = at;
                fake.state->fail_seen = fake.state->failed = 0;
                cl_live(&fake, queue, &error);
                if (!fake.state->failed) break;
                struck++;
                CHECK_INT(cl_blocks, 0);
                if (!cl_survives(calls[i])) {
                    CHECK(error.result != GPUTUNE_OK);
                    CHECK_HAS(error.text, calls[i]);
                    CHECK_HAS(error.text, fail_name);
                }
                for (kind = 0; kind < FAKE_KINDS; kind++)
                    if (strncmp(calls[i], "clRelease", 9) != 0)
                        CHECK_INT(fake.state->alive[kind], alive[kind]);
                memcpy(alive, fake.state->alive, sizeof alive);
            }
            CHECK_INT(error.result, GPUTUNE_OK);
        }
        CHECK(struck > 40);
        memset(fake.state->alive, 0, sizeof alive); // what failing releases left
    }
    cl_fake_end(&fake);
}

static void test_cl_faults(void)
{
    cl_check_faults(false, CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES");
    cl_check_faults(false, CL_INVALID_OPERATION, "CL_INVALID_OPERATION");
}

static void test_cl_faults_own_queue(void)
{
    cl_check_faults(true, CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY");
}

// What the driver says of its compiler's macros is what the compiler has.
static void test_cl_macros(void)
{
    SKIP_LACKING("opencl");
    static char text[65536];
    cl_rig rig;
    void *code;
    if (!cl_real(&rig)) return;
    CHECK(test_macros(rig.d.macros, text, sizeof text) >= 6);
    CHECK_HAS(text, "#if __OPENCL_VERSION__ != ");
    CHECK_HAS(text, "#ifdef __CUDACC__");
    CHECK_HAS(text, "#ifndef cl_khr_global_int32_base_atomics");
    CHECK_HAS(text, "def __IMAGE_SUPPORT__");
    CHECK_HAS(text, "#ifndef __ENDIAN_LITTLE__"); // of every device with OpenCL C
    strcat(text, "__kernel void one(__global int *a) { a[0] = 1; }\n");
    code = cl_compile(&rig, text, "one", "");
    CHECK_TEXT(rig.error.text, "");
    if (code) rig.d.discard(rig.cl, code);
    gputune_device_destroy(rig.device);
}

static void test_cl_allocations(void)
{
    cl_fake fake;
    cl_rig rig;
    int at, failed = 0;
    if (cl_fake_make(&fake, "")) {
        fake.desc.options.reallocate = cl_failing;
        for (at = 0; at < 100; at++) {
            gputune_result result = GPUTUNE_ERROR_MEMORY;
            void *code;
            cl_countdown = at;
            if (cl_open(&rig, &fake.desc)) {
                result = cl_use(&rig);
                code = cl_compile(&rig, "#error", "one", ""); // its log takes memory, too
                CHECK(!code);
                if (result == GPUTUNE_OK && rig.error.result == GPUTUNE_ERROR_MEMORY)
                    result = GPUTUNE_ERROR_MEMORY;
                if (result != GPUTUNE_OK) CHECK_INT(result, GPUTUNE_ERROR_MEMORY);
            } else
                CHECK_INT(gputune_device_error(rig.device)->result, GPUTUNE_ERROR_MEMORY);
            gputune_device_destroy(rig.device);
            CHECK_INT(cl_blocks, 0);
            failed += result != GPUTUNE_OK;
            if (result == GPUTUNE_OK) break;
        }
        CHECK(failed >= 5); // two objects for the device, its macros, code, log
    }
    cl_fake_end(&fake);
}

static void test_cl_long_log(void)
{
    static cl_messages messages;
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "")) {
        memset(&messages, 0, sizeof messages);
        fake.desc.options.log = cl_keep_message;
        fake.desc.options.user = &messages;
        fake.desc.options.log_level = GPUTUNE_LOG_DEBUG;
        CHECK(cl_open(&rig, &fake.desc));
        CHECK(!cl_compile(&rig, "#error", "one", ""));
        CHECK_INT(rig.error.result, GPUTUNE_ERROR_COMPILE);
        CHECK_HAS(rig.error.text, "\n<source>:321:1: error: it does not work");
        CHECK(!strstr(rig.error.text, "warning"));
        CHECK_HAS(messages.text, "<source>:0:1: warning");
        CHECK_HAS(messages.text, "<source>:99:1: warning");
        CHECK_INT(messages.count[GPUTUNE_LOG_DEBUG], 1);
        CHECK(!cl_compile(&rig, "#error few", "one", ""));
        CHECK_HAS(rig.error.text, "\n<source>:321:1: error: it does not work");
        CHECK(!strstr(rig.error.text, "warning"));
        CHECK(!cl_compile(&rig, cl_fake_source, "one", "-nonsense"));
        CHECK_HAS(rig.error.text, "CL_INVALID_BUILD_OPTIONS");
        CHECK_HAS(rig.error.text, "\"-nonsense\"");
        CHECK(!cl_compile(&rig, cl_fake_source, "three", ""));
        CHECK_HAS(rig.error.text, "which has: one;two");
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

static const gputune_bound_arg *cl_no_args = NULL;

// What runs on which queue, and what is waited for.
static void test_cl_queues(void)
{
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "")) {
        cl_context context;
        cl_command_queue queue = cl_fake_queue(&fake, &context);
        gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
        double seconds;
        void *code;
        fake.desc.queue = queue;
        CHECK(cl_open(&rig, &fake.desc));
        code = cl_compile(&rig, cl_fake_source, "two", "");
        CHECK(fake.state->finished[0] == NULL);
        CHECK_INT(cl_time(&rig, code, &launch, 1, 1, 5, &seconds), GPUTUNE_OK);
        CHECK(fake.state->finished[0] == queue); // the program's work before the trials
        CHECK(fake.state->launched_on != queue && fake.state->launched_on == rig.cl->trials);
        CHECK(fake.state->local_null);
        launch.local[0] = 32;
        CHECK_INT(rig.d.launch(rig.cl, code, &launch, &rig.error), GPUTUNE_OK);
        CHECK(fake.state->launched_on == queue && !fake.state->local_null);
        CHECK_INT(rig.d.wait(rig.cl, &rig.error), GPUTUNE_OK);
        CHECK(fake.state->finished[0] == rig.cl->trials && fake.state->finished[1] == queue);
        rig.cl->call.clReleaseCommandQueue(queue);
        rig.cl->call.clReleaseContext(context);
        rig.d.discard(rig.cl, code);
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// Drivers that find out at the first use that there is no room: it shows when allocating.
static void test_cl_late_allocation(void)
{
    cl_fake fake;
    cl_rig rig;
    gputune_memory m;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        fake.state->fail = "clEnqueueFillBuffer";
        fake.state->fail_code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
        CHECK_INT(rig.d.allocate(rig.cl, 64, 64, &m, &rig.error), GPUTUNE_ERROR_RESOURCES);
        CHECK_HAS(rig.error.text, "CL_MEM_OBJECT_ALLOCATION_FAILURE");
        CHECK(!m.whole && !m.handle);
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// A copy of what is in the host's memory is there, too; what is like nothing is there in any case.
static void test_cl_kinds(void)
{
    static const cl_mem_flags flags[] = { 0, CL_MEM_ALLOC_HOST_PTR, CL_MEM_USE_HOST_PTR,
                                          CL_MEM_READ_ONLY };
    static const int hosts[] = { 0, 1, 1, 0 };
    cl_fake fake;
    cl_rig rig;
    gputune_memory m;
    size_t i;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        for (i = 0; i < sizeof flags / sizeof *flags; i++) {
            cl_int code;
            char data[64];
            cl_mem buffer = rig.cl->call.clCreateBuffer(
                rig.cl->context, flags[i], sizeof data,
                flags[i] == CL_MEM_USE_HOST_PTR ? data : NULL, &code);
            fake.state->hosts = 0;
            CHECK_INT(rig.d.allocate_like(rig.cl, buffer, 64, 64, &m, &rig.error), GPUTUNE_OK);
            CHECK_INT(fake.state->hosts, hosts[i]);
            rig.d.release(rig.cl, &m);
            rig.cl->call.clReleaseMemObject(buffer);
        }
        fake.state->room = 64;
        CHECK_INT(rig.d.allocate(rig.cl, 64, 64, &m, &rig.error), GPUTUNE_ERROR_RESOURCES);
        CHECK_INT(rig.d.allocate_like(rig.cl, NULL, 64, 64, &m, &rig.error), GPUTUNE_OK);
        CHECK_INT(fake.state->hosts, 1);
        fake.state->room = 0;
        rig.d.release(rig.cl, &m);
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// What the host may not read is copied on the device, and that is read.
static void test_cl_host_access(void)
{
    static const cl_mem_flags flags[] = { CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY,
                                          CL_MEM_HOST_READ_ONLY };
    cl_fake fake;
    cl_rig rig;
    size_t i;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        for (i = 0; i < sizeof flags / sizeof *flags; i++) {
            cl_int code;
            char data[64] = "";
            cl_mem buffer = rig.cl->call.clCreateBuffer(rig.cl->context, flags[i], sizeof data,
                                                        NULL, &code);
            CHECK_INT(rig.d.fill(rig.cl, buffer, 8, 7, 8, &rig.error), GPUTUNE_OK);
            CHECK_INT(rig.d.read(rig.cl, buffer, 4, data, 8, &rig.error), GPUTUNE_OK);
            CHECK(data[3] == 0 && data[4] == 7 && data[7] == 7 && data[8] == 0);
            CHECK_INT(fake.state->alive[FAKE_BUFFER], 1 + (rig.cl->probe != NULL));
            if (i == 0) { // no room for the copy
                fake.state->room = 1;
                CHECK_INT(rig.d.read(rig.cl, buffer, 4, data, 8, &rig.error),
                          GPUTUNE_ERROR_RESOURCES);
                fake.state->room = 0;
            }
            rig.cl->call.clReleaseMemObject(buffer);
        }
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// A refused argument is named by its place and size.
static void test_cl_argument(void)
{
    SKIP_LACKING("opencl");
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        fake.state->fail = "clSetKernelArg";
        fake.state->fail_at = 1;
        fake.state->fail_code = CL_INVALID_ARG_SIZE;
        CHECK_INT(cl_use(&rig), GPUTUNE_ERROR_LAUNCH);
        CHECK_TEXT(rig.error.text, "clSetKernelArg: CL_INVALID_ARG_SIZE (-51): "
                                   "argument 1 (8 bytes) of kernel \"one\"");
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// A launch that never ends: the device is lost within the limit, and from then on OpenCL is only
// asked whether it has ended.
static void test_cl_lost(void)
{
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        void *code = cl_compile(&rig, cl_fake_source, "two", "");
        gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
        gputune_memory m, other;
        double seconds = 0, begin = gputune_now();
        char byte = 0;
        int calls, looks;
        void *buffer = gputune_buffer_create(rig.device, 4, NULL);
        cl_allocate(&rig, 16, 16, &m);
        fake.state->hangs = true;
        CHECK_INT(cl_time(&rig, code, &launch, 2, 0.01, 0.05, &seconds), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(rig.error.text, "\"two\"");
        CHECK(gputune_now() - begin >= 0.05 && gputune_now() - begin < 5 * test_load);
        calls = fake.state->calls;
        looks = fake.state->looks;
#define CL_LOST(call)                                                                             \
    do {                                                                                          \
        CHECK_INT(call, GPUTUNE_ERROR_DEVICE_LOST);                                               \
        CHECK_HAS(rig.error.text, "no longer answers since kernel \"two\"");                      \
        rig.error.text[0] = 0;                                                                    \
    } while (0)
        CL_LOST(cl_time(&rig, code, &launch, 1, 0, 0, &seconds));
        CL_LOST(rig.d.launch(rig.cl, code, &launch, &rig.error));
        CL_LOST(rig.d.allocate(rig.cl, 16, 0, &other, &rig.error));
        CL_LOST(rig.d.copy(rig.cl, m.whole, 0, m.whole, 8, 1, &rig.error));
        CL_LOST(rig.d.fill(rig.cl, m.whole, 0, 0, 1, &rig.error));
        CL_LOST(rig.d.read(rig.cl, m.whole, 0, &byte, 1, &rig.error));
        CL_LOST(rig.d.write(rig.cl, m.whole, 0, &byte, 1, &rig.error));
        CL_LOST(rig.d.wait(rig.cl, &rig.error));
        CHECK(!cl_compile(&rig, cl_fake_source, "one", ""));
        CHECK_INT(rig.error.result, GPUTUNE_ERROR_DEVICE_LOST);
        CHECK(!gputune_buffer_create(rig.device, 4, NULL));
        CHECK_INT(gputune_buffer_read(rig.device, buffer, 0, &byte, 1), GPUTUNE_ERROR_DEVICE_LOST);
        gputune_buffer_destroy(rig.device, buffer);
        rig.d.release(rig.cl, &m);
        rig.d.discard(rig.cl, code);
        gputune_device_destroy(rig.device);
        CHECK_INT(fake.state->calls, calls + fake.state->looks - looks);
        CHECK(fake.state->alive[FAKE_EVENT] == 2 && fake.state->alive[FAKE_QUEUE] == 1);
        memset(fake.state->alive, 0, sizeof fake.state->alive); // left alone on purpose
    }
    cl_fake_end(&fake);
}

// A launch that ends late but does end; one that fails; one that takes the device with it.
static void test_cl_event_failures(void)
{
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        void *code = cl_compile(&rig, cl_fake_source, "two", "");
        gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
        double seconds = 0;
        fake.state->delay = 0.05;
        fake.state->kernel_seconds = 0.04;
        CHECK_INT(cl_time(&rig, code, &launch, 3, 0.03, 10, &seconds), GPUTUNE_ERROR_TIMEOUT);
        CHECK_HAS(rig.error.text, "kernel \"two\" took 0.04 s, the limit is 0.03 s");
        CHECK_INT(cl_time(&rig, code, &launch, 3, 0.05, 10, &seconds), GPUTUNE_OK);
        CHECK_NEAR(seconds, 0.12, 1e-6); // of the whole batch, on the device's clock
        fake.state->delay = 0;
        fake.state->event_status = CL_OUT_OF_RESOURCES;
        CHECK_INT(cl_time(&rig, code, &launch, 2, 1, 10, &seconds), GPUTUNE_ERROR_LAUNCH);
        CHECK_HAS(rig.error.text, "kernel \"two\" ended with CL_OUT_OF_RESOURCES (-5)");
        fake.state->event_status = 0;
        CHECK_INT(cl_time(&rig, code, &launch, 2, 1, 10, &seconds), GPUTUNE_OK);
        fake.state->event_status = -9999;
        fake.state->dies = true;
        CHECK_INT(cl_time(&rig, code, &launch, 1, 1, 10, &seconds), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(rig.error.text, "NVIDIA: illegal read or write");
        CHECK_INT(rig.d.wait(rig.cl, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
        rig.d.discard(rig.cl, code);
        gputune_device_destroy(rig.device);
        memset(fake.state->alive, 0, sizeof fake.state->alive); // left alone on purpose
    }
    cl_fake_end(&fake);
}

// Without a usable device clock the host's serves, and the log says so, once.
// The driver's own fill is asked for no more than it can do; all bytes are there, and no others.
static void test_cl_fill(void)
{
    enum { BYTES = 40000 };
    static const int stretches[][2] = { { 0, BYTES }, { 9000, 20000 }, { 12000, 100 } };
    static unsigned char bytes[BYTES];
    cl_fake fake;
    cl_rig rig;
    gputune_memory m;
    int i, k;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        gputune_error *error = &rig.error;
        CHECK_INT(rig.d.allocate(rig.cl, BYTES, 0, &m, error), GPUTUNE_OK);
        for (k = 0; k < 3; k++) {
            const int from = stretches[k][0], to = from + stretches[k][1];
            int wrong = 0;
            memset(bytes, 1, BYTES);
            CHECK_INT(rig.d.write(rig.cl, m.whole, 0, bytes, BYTES, error), GPUTUNE_OK);
            CHECK_INT(rig.d.fill(rig.cl, m.whole, (size_t)from, 7, (size_t)(to - from), error),
                      GPUTUNE_OK);
            CHECK_INT(rig.d.read(rig.cl, m.whole, 0, bytes, BYTES, error), GPUTUNE_OK);
            for (i = 0; i < BYTES; i++) wrong += bytes[i] != (i >= from && i < to ? 7 : 1);
            CHECK_INT(wrong, 0);
        }
        CHECK_INT(fake.state->filled, GT_CL__FILL_REACH);
        rig.d.release(rig.cl, &m);
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// NVIDIA's OpenCL says 256 of every kernel and launches larger work-groups, and a launch of it is
// never said to run: its time counts from where it was submitted.
static void test_cl_nvidia(void)
{
    int which;
    for (which = 0; which < 2; which++) {
        cl_fake fake;
        cl_rig rig;
        if (!cl_fake_make(&fake, "")) return;
        fake.state->nvidia = which;
        if (cl_open(&rig, &fake.desc)) {
            void *code = cl_compile(&rig, cl_fake_source, "two", "");
            gputune_driver_launch launch = cl_launch(512, 256, cl_no_args, 0);
            double seconds = 0, begin;
            CHECK_INT(rig.d.group_limit(rig.cl, code), which ? 256 : 128);
            CHECK_INT(gputune_device_limits(rig.device)->cache_bytes, which ? 0 : 1 << 20);
            CHECK_INT(cl_time(&rig, code, &launch, 1, 0, 0, &seconds),
                      which ? GPUTUNE_OK : GPUTUNE_ERROR_RESOURCES);
            launch = cl_launch(64, 64, cl_no_args, 0);
            fake.state->delay = 30 * test_load;
            begin = gputune_now();
            CHECK_INT(cl_time(&rig, code, &launch, 1, 0.01, 0.02, &seconds),
                      GPUTUNE_ERROR_DEVICE_LOST);
            CHECK(gputune_now() - begin < 20 * test_load);
            rig.d.discard(rig.cl, code);
            gputune_device_destroy(rig.device);
            memset(fake.state->alive, 0, sizeof fake.state->alive); // left alone on purpose
        }
        cl_fake_end(&fake);
    }
}

static void test_cl_no_clock(void)
{
    static cl_messages messages;
    cl_fake fake;
    cl_rig rig;
    int way;
    if (cl_fake_make(&fake, "")) {
        memset(&messages, 0, sizeof messages);
        fake.desc.options.log = cl_keep_message;
        fake.desc.options.user = &messages;
        fake.state->kernel_seconds = 1000; // on the device's clock
        fake.state->delay = 0.02;          // on the host's
        for (way = 0; way < 2; way++) {
            gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
            double seconds = 0;
            void *code;
            fake.state->no_clock = way == 0;
            fake.state->no_profiling = way == 1;
            messages.text[0] = 0;
            messages.count[GPUTUNE_LOG_WARN] = 0;
            CHECK(cl_open(&rig, &fake.desc));
            code = cl_compile(&rig, cl_fake_source, "two", "");
            CHECK_INT(cl_time(&rig, code, &launch, 2, 1, 5, &seconds), GPUTUNE_OK);
            CHECK(seconds >= 0.02 && seconds < 1);
            CHECK_INT(cl_time(&rig, code, &launch, 2, 1, 5, &seconds), GPUTUNE_OK);
            CHECK_INT(messages.count[GPUTUNE_LOG_WARN], 1);
            CHECK_HAS(messages.text, "clock gives no times");
            rig.d.discard(rig.cl, code);
            gputune_device_destroy(rig.device);
        }
    }
    cl_fake_end(&fake);
}

// --- several launches under way at once ---

static void *cl_submit(cl_rig *rig, void *code, int queue)
{
    gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
    void *ticket = NULL;
    CHECK_INT(rig->d.submit(rig->cl, code, &launch, queue, &ticket, &rig->error), GPUTUNE_OK);
    CHECK(ticket != NULL);
    return ticket;
}

static gputune_result cl_poll(cl_rig *rig, void *ticket, double patience, bool *done,
                              gputune_span *span)
{
    rig->error.text[0] = 0;
    return rig->error.result = rig->d.poll(rig->cl, ticket, patience, done, span, &rig->error);
}

// Which queue is flushed and waits for which: with a queue of the program without a clock, one with
// a clock, and one out of order. Each has its numbers in the order that they are made.
static void test_cl_order(void)
{
    static const cl_command_queue_properties properties[3] = {
        0, CL_QUEUE_PROFILING_ENABLE, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE
    };
    static const char *const traces[3] = {
        "L0 F0 M0 W1 F0 F1 L1 F1 M1 W0 F1 F0 L0 F0 L2 F2 M2 W0 F2 F0 ",
        "L0 F0 M0 W1 F0 F1 L1 F1 M1 W0 F1 F0 L0 F0 L2 F2 M2 W0 F2 F0 ",
        "B0 L0 F0 M0 W1 F0 F1 L1 F1 M1 W0 F1 F0 B0 L0 F0 L2 F2 M2 W0 F2 F0 ",
    };
    int way, i;
    for (way = 0; way < 3; way++) {
        cl_fake fake;
        cl_rig rig;
        if (cl_fake_make(&fake, "")) {
            cl_context context;
            cl_command_queue plain = cl_fake_queue(&fake, &context), queue;
            void *code, *tickets[4];
            gputune_span spans[4];
            bool done = false;
            cl_int error;
            const cl_calls call = cl_load(fake.library);
            call.release_queue(plain);
            fake.state->queues = 0;
            queue = call.queue(context, cl_fake_device(&call), properties[way], &error);
            fake.desc.queue = queue;
            CHECK(cl_open(&rig, &fake.desc));
            CHECK_INT(rig.d.queues, 2);
            CHECK_INT(rig.d.timed_queue, way == 1 ? 0 : 1);
            code = cl_compile(&rig, cl_fake_source, "two", "");
            CHECK_INT(rig.d.join(rig.cl, 1, &rig.error), GPUTUNE_OK); // not made yet
            CHECK_INT(rig.d.fork(rig.cl, 0, &rig.error), GPUTUNE_OK);
            CHECK_INT(rig.d.join(rig.cl, 0, &rig.error), GPUTUNE_OK);
            CHECK_TEXT(fake.state->trace, "");
            tickets[0] = cl_submit(&rig, code, 0);
            CHECK_INT(rig.d.fork(rig.cl, 1, &rig.error), GPUTUNE_OK);
            tickets[1] = cl_submit(&rig, code, 1);
            CHECK_INT(rig.d.join(rig.cl, 1, &rig.error), GPUTUNE_OK);
            tickets[2] = cl_submit(&rig, code, 0);
            tickets[3] = cl_submit(&rig, code, 2);
            CHECK_INT(rig.d.join(rig.cl, 2, &rig.error), GPUTUNE_OK);
            CHECK_TEXT(fake.state->trace, traces[way]);
            CHECK_INT(fake.state->waited, 3);
            CHECK(fake.state->waits_for[0] == 0 && fake.state->waits_for[1] == 1 &&
                  fake.state->waits_for[2] == 2);
            for (i = 3; i > 0; i--) { // the first goes with the device
                CHECK_INT(cl_poll(&rig, tickets[i], 0, &done, &spans[i]), GPUTUNE_OK);
                CHECK(done);
                if (i != 2 || way == 1)
                    CHECK_NEAR(spans[i].end - spans[i].begin, 1e-3, 1e-9);
                else
                    CHECK(spans[i].begin == 0 && spans[i].end == 0); // no clock
            }
            CHECK_NEAR(spans[3].begin - spans[1].end, 1e-3, 1e-9);
            call.release_queue(queue);
            call.release_context(context);
            rig.d.discard(rig.cl, code);
            gputune_device_destroy(rig.device);
        }
        cl_fake_end(&fake);
    }
}

// Submitted launches that end late, end with an error, or never.
static void test_cl_submit_failures(void)
{
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        void *code = cl_compile(&rig, cl_fake_source, "two", ""), *ticket, *other;
        gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
        gputune_span span;
        bool done = true;
        int calls;
        fake.state->delay = 0.03;
        ticket = cl_submit(&rig, code, 1);
        CHECK_INT(cl_poll(&rig, ticket, 0, &done, &span), GPUTUNE_OK);
        CHECK(!done);
        CHECK_INT(cl_poll(&rig, ticket, 5, &done, &span), GPUTUNE_OK);
        CHECK(done);
        fake.state->delay = 0;
        fake.state->no_clock = true;
        CHECK_INT(cl_poll(&rig, cl_submit(&rig, code, 1), -5, &done, &span), GPUTUNE_OK);
        CHECK(done && span.begin == 0 && span.end == 0);
        fake.state->event_status = CL_OUT_OF_RESOURCES;
        ticket = cl_submit(&rig, code, 2);
        CHECK_INT(cl_poll(&rig, ticket, 1, &done, &span), GPUTUNE_ERROR_LAUNCH);
        CHECK(!done);
        CHECK_HAS(rig.error.text, "kernel \"two\" ended with CL_OUT_OF_RESOURCES (-5)");
        fake.state->event_status = 0;
        fake.state->fail = "clEnqueueNDRangeKernel";
        fake.state->fail_at = fake.state->fail_seen = 0;
        fake.state->fail_code = CL_INVALID_WORK_GROUP_SIZE;
        CHECK_INT(rig.d.submit(rig.cl, code, &launch, 1, &ticket, &rig.error),
                  GPUTUNE_ERROR_RESOURCES);
        CHECK(!ticket);
        fake.state->fail = NULL;
        other = cl_submit(&rig, code, 2);
        fake.state->hangs = true;
        ticket = cl_submit(&rig, code, 1);
        CHECK_INT(cl_poll(&rig, ticket, 0.01, &done, &span), GPUTUNE_OK);
        CHECK(!done);
        CHECK_INT(cl_poll(&rig, ticket, -0.05, &done, &span), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_HAS(rig.error.text, "kernel \"two\" still runs after");
        calls = fake.state->calls - fake.state->looks;
        CHECK_INT(cl_poll(&rig, other, 5, &done, &span), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK(!done);
        CHECK_INT(rig.d.submit(rig.cl, code, &launch, 0, &ticket, &rig.error),
                  GPUTUNE_ERROR_DEVICE_LOST);
        CHECK(!ticket);
        CHECK_INT(rig.d.fork(rig.cl, 1, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_INT(rig.d.join(rig.cl, 1, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
        rig.d.discard(rig.cl, code);
        gputune_device_destroy(rig.device);
        CHECK_INT(fake.state->calls - fake.state->looks, calls);
        memset(fake.state->alive, 0, sizeof fake.state->alive); // left alone on purpose
    }
    cl_fake_end(&fake);
}

// A launch that ends after it was given up, or ends with an error after which the device works or
// does not: the device is back, or is not. All is given back then, what was released before, too.
static void test_cl_back(void)
{
    int way;
    for (way = 0; way < 4; way++) {
        cl_fake fake;
        cl_rig rig;
        if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
            void *code = cl_compile(&rig, cl_fake_source, "two", ""), *ticket = NULL;
            void *other = cl_compile(&rig, cl_fake_source, "two", "");
            void *buffer = gputune_buffer_create(rig.device, 4, NULL);
            gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
            double seconds = 0, begin;
            gputune_memory m;
            gputune_span span;
            bool done;
            int buffers;
            cl_allocate(&rig, 16, 16, &m);
            buffers = fake.state->alive[FAKE_BUFFER];
            fake.state->hangs = true;
            fake.state->event_status = way == 1 || way == 2 ? CL_OUT_OF_RESOURCES : 0;
            fake.state->dies = way == 2;
            if (way == 3) {
                ticket = cl_submit(&rig, code, 1);
                CHECK_INT(cl_poll(&rig, ticket, -0.05, &done, &span), GPUTUNE_ERROR_DEVICE_LOST);
            } else
                CHECK_INT(cl_time(&rig, code, &launch, way == 2 ? 1 : 2, 0.01, 0.05, &seconds),
                          GPUTUNE_ERROR_DEVICE_LOST);
            rig.d.release(rig.cl, &m);
            rig.d.discard(rig.cl, other);
            CHECK_INT(fake.state->alive[FAKE_BUFFER], buffers);
            begin = gputune_now();
            CHECK_INT(rig.d.recover(rig.cl, 0.05, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
            CHECK(gputune_now() - begin >= 0.05);
            fake.state->hangs = false;
            gputune_buffer_destroy(rig.device, buffer); // sees that it has ended
            CHECK((fake.state->alive[FAKE_BUFFER] == 0) == (way != 2));
            CHECK_INT(rig.d.recover(rig.cl, 60, &rig.error),
                      way == 2 ? GPUTUNE_ERROR_DEVICE_LOST : GPUTUNE_OK);
            fake.state->event_status = 0;
            CHECK_INT(cl_time(&rig, code, &launch, 2, 1, 2, &seconds),
                      way == 2 ? GPUTUNE_ERROR_DEVICE_LOST : GPUTUNE_OK);
            rig.d.discard(rig.cl, code);
            gputune_device_destroy(rig.device);
            if (way == 2) memset(fake.state->alive, 0, sizeof fake.state->alive);
        }
        cl_fake_end(&fake);
    }
}

// A device that only answers late, after a launch that failed, is back, too.
static void test_cl_back_late(void)
{
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        void *code = cl_compile(&rig, cl_fake_source, "two", "");
        gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
        double seconds = 0;
        fake.state->event_status = CL_OUT_OF_RESOURCES;
        fake.state->late = true;
        CHECK_INT(cl_time(&rig, code, &launch, 1, 1, 2, &seconds), GPUTUNE_ERROR_DEVICE_LOST);
        CHECK_INT(rig.d.recover(rig.cl, 0, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
        fake.state->late = false;
        fake.state->event_status = 0;
        CHECK_INT(rig.d.recover(rig.cl, 0, &rig.error), GPUTUNE_OK);
        rig.d.discard(rig.cl, code);
        gputune_device_destroy(rig.device);
    }
    cl_fake_end(&fake);
}

// Where launches of two queues hang, the device is back when both have ended, asked for or not.
static void test_cl_back_both(void)
{
    int way;
    for (way = 0; way < 2; way++) {
        cl_fake fake;
        cl_rig rig;
        if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
            void *code = cl_compile(&rig, cl_fake_source, "two", ""), *tickets[2];
            gputune_span span;
            bool done;
            fake.state->hangs = true;
            tickets[0] = cl_submit(&rig, code, 1);
            tickets[1] = cl_submit(&rig, code, 2);
            CHECK_INT(cl_poll(&rig, tickets[0], -0.05, &done, &span), GPUTUNE_ERROR_DEVICE_LOST);
            if (way)
                CHECK_INT(cl_poll(&rig, tickets[1], 0, &done, &span), GPUTUNE_ERROR_DEVICE_LOST);
            fake.state->hangs_on = fake.state->launched_on;
            CHECK_INT(rig.d.recover(rig.cl, 0, &rig.error), GPUTUNE_ERROR_DEVICE_LOST);
            fake.state->hangs = false;
            CHECK_INT(rig.d.recover(rig.cl, 60, &rig.error), GPUTUNE_OK);
            if (!way) CHECK_INT(cl_poll(&rig, tickets[1], 1, &done, &span), GPUTUNE_OK);
            rig.d.discard(rig.cl, code);
            gputune_device_destroy(rig.device);
        }
        cl_fake_end(&fake);
    }
}

// A launch may be compiled when it is the first of its size: its time counts from where it runs.
static void test_cl_first_launch(void)
{
    cl_fake fake;
    cl_rig rig;
    if (cl_fake_make(&fake, "") && cl_open(&rig, &fake.desc)) {
        void *code = cl_compile(&rig, cl_fake_source, "two", "");
        gputune_driver_launch launch = cl_launch(64, 0, cl_no_args, 0);
        double seconds = 0;
        gputune_span span;
        bool done;
        int i;
        fake.state->delay = fake.state->compiles = 0.5;
        for (i = 0; i < 2; i++)
            CHECK_INT(cl_time(&rig, code, &launch, 1, 0.1, 0.2, &seconds), GPUTUNE_OK);
        CHECK_INT(cl_poll(&rig, cl_submit(&rig, code, 1), -0.2, &done, &span), GPUTUNE_OK);
        fake.state->no_clock = true; // the host's, from there on, too
        fake.state->compiles = 1;
        fake.state->delay = 1.1;
        CHECK_INT(cl_time(&rig, code, &launch, 1, 0.9, 10, &seconds), GPUTUNE_OK);
        fake.state->no_clock = false;
        fake.state->delay = 60;
        CHECK_INT(cl_time(&rig, code, &launch, 1, 0.01, 0.02, &seconds),
                  GPUTUNE_ERROR_DEVICE_LOST);
        rig.d.discard(rig.cl, code);
        gputune_device_destroy(rig.device);
        memset(fake.state->alive, 0, sizeof fake.state->alive); // left alone on purpose
    }
    cl_fake_end(&fake);
}

static const test_case cl_cases[] = {
    { "saxpy", test_cl_saxpy },
    { "bytes_short", test_cl_bytes_short },
    { "build_log", test_cl_build_log },
    { "queue_plain", test_cl_queue_plain },
    { "queue_profiling", test_cl_queue_profiling },
    { "queue_out_of_order", test_cl_queue_out_of_order },
    { "run", test_cl_run },
    { "run_elsewhere", test_cl_run_elsewhere },
    { "took", test_cl_took },
    { "hotspot", test_cl_hotspot },
    { "launch_failures", test_cl_launch_failures },
    { "buffers", test_cl_buffers },
    { "other_driver", test_cl_other_driver },
    { "no_library", test_cl_no_library },
    { "platforms", test_cl_platforms },
    { "back", test_cl_back },
    { "back_late", test_cl_back_late },
    { "back_both", test_cl_back_both },
    { "first_launch", test_cl_first_launch },
    { "fake_limits", test_cl_fake_limits },
    { "faults", test_cl_faults },
    { "faults_own_queue", test_cl_faults_own_queue },
    { "macros", test_cl_macros },
    { "allocations", test_cl_allocations },
    { "long_log", test_cl_long_log },
    { "queues", test_cl_queues },
    { "late_allocation", test_cl_late_allocation },
    { "kinds", test_cl_kinds },
    { "host_access", test_cl_host_access },
    { "argument", test_cl_argument },
    { "lost", test_cl_lost },
    { "event_failures", test_cl_event_failures },
    { "fill", test_cl_fill },
    { "nvidia", test_cl_nvidia },
    { "no_clock", test_cl_no_clock },
    { "order", test_cl_order },
    { "submit_failures", test_cl_submit_failures },
    { NULL, NULL },
};
