// The driver's calls in a launch, each with its time on the host. A call that waits has the
// device's time in it; a call that only enqueues has not.
#ifndef BENCH_TRACE_H
#define BENCH_TRACE_H

typedef struct trace_call {
    const char *name;
    double at, took; // s; `at` since the launch began
    double size;     // bytes, or work-groups of a launch
} trace_call;

static struct {
    gputune_driver real;
    trace_call calls[4096];
    int count;
    bool on;
    double begin;
} trace;

static void trace_add(const char *name, double at, double size)
{
    const int most = (int)(sizeof trace.calls / sizeof *trace.calls);
    trace_call *call = &trace.calls[trace.count];
    if (!trace.on || trace.count == most) return;
    trace.count++;
    call->name = name;
    call->at = at - trace.begin;
    call->took = gputune_now() - at;
    call->size = size;
}

static double trace_groups(const gputune_driver_launch *l)
{
    double groups = 1;
    for (int d = 0; d < l->dimensions; d++)
        groups *= (double)l->global[d] / (double)(l->local[d] ? l->local[d] : 1);
    return groups;
}

// A function of the driver that is timed: its parameters, how they are handed on, and the size.
#define TRACED(type, name, parameters, handed, size) \
    static type trace_##name parameters \
    { \
        const double at = gputune_now(); \
        const type result = trace.real.name handed; \
        trace_add(#name, at, (double)(size)); \
        return result; \
    }

TRACED(gputune_result, compile,
       (void *self, const gputune_build *build, void **code, gputune_error *error),
       (self, build, code, error), 0)
TRACED(gputune_result, launch,
       (void *self, void *code, const gputune_driver_launch *l, gputune_error *error),
       (self, code, l, error), trace_groups(l))
TRACED(gputune_result, submit,
       (void *self, void *code, const gputune_driver_launch *l, int queue, void **ticket,
        gputune_error *error),
       (self, code, l, queue, ticket, error), trace_groups(l))
TRACED(gputune_result, poll,
       (void *self, void *ticket, double patience, bool *done, gputune_span *span,
        gputune_error *error),
       (self, ticket, patience, done, span, error), 0)
TRACED(gputune_result, time,
       (void *self, void *code, const gputune_driver_launch *l, int batch, double time_limit,
        double hang_limit, double *seconds, gputune_error *error),
       (self, code, l, batch, time_limit, hang_limit, seconds, error), trace_groups(l))
TRACED(gputune_result, allocate,
       (void *self, size_t bytes, size_t guard, gputune_memory *memory, gputune_error *error),
       (self, bytes, guard, memory, error), bytes)
TRACED(gputune_result, allocate_like,
       (void *self, void *like, size_t bytes, size_t guard, gputune_memory *memory,
        gputune_error *error),
       (self, like, bytes, guard, memory, error), bytes)
TRACED(gputune_result, copy,
       (void *self, void *to, size_t to_offset, void *from, size_t from_offset, size_t bytes,
        gputune_error *error),
       (self, to, to_offset, from, from_offset, bytes, error), bytes)
TRACED(gputune_result, fill,
       (void *self, void *to, size_t offset, unsigned char byte, size_t bytes,
        gputune_error *error),
       (self, to, offset, byte, bytes, error), bytes)
TRACED(gputune_result, read,
       (void *self, void *from, size_t offset, void *host, size_t bytes, gputune_error *error),
       (self, from, offset, host, bytes, error), bytes)
TRACED(gputune_result, write,
       (void *self, void *to, size_t offset, const void *host, size_t bytes,
        gputune_error *error),
       (self, to, offset, host, bytes, error), bytes)
TRACED(gputune_result, differ,
       (void *self, const gputune_comparison *c, uint64_t *count, gputune_error *error),
       (self, c, count, error), c->bytes)
TRACED(gputune_result, wait, (void *self, gputune_error *error), (self, error), 0)
TRACED(gputune_result, fork, (void *self, int queue, gputune_error *error), (self, queue, error), 0)
TRACED(gputune_result, join, (void *self, int queue, gputune_error *error), (self, queue, error), 0)

static void trace_release(void *self, gputune_memory *memory)
{
    const double at = gputune_now(), bytes = (double)memory->bytes;
    trace.real.release(self, memory);
    trace_add("release", at, bytes);
}

// From now on the device's driver is timed.
static void trace_driver(gputune_driver *driver)
{
    trace.real = *driver;
#define TRACE(name) if (driver->name) driver->name = trace_##name
    TRACE(compile); TRACE(launch); TRACE(submit); TRACE(poll); TRACE(time); TRACE(allocate);
    TRACE(allocate_like); TRACE(copy); TRACE(fill); TRACE(read); TRACE(write); TRACE(differ);
    TRACE(wait); TRACE(fork); TRACE(join); TRACE(release);
#undef TRACE
}

static void trace_begin(void)
{
    trace.on = true;
    trace.count = 0;
    trace.begin = gputune_now();
}

// Prints the calls since then: begin and length in us, name, size.
static void trace_print(const char *name, const char *part)
{
    const double all = gputune_now() - trace.begin;
    double in = 0;
    trace.on = false;
    for (int i = 0; i < trace.count; i++) {
        const trace_call *c = &trace.calls[i];
        printf("trace\t%s.%s\t%.1f\t%.1f\t%s\t%.0f\n", name, part, 1e6 * c->at, 1e6 * c->took,
               c->name, c->size);
        in += c->took;
    }
    printf("trace\t%s.%s\t%.1f\t%.1f\tall, of them in these calls\t%d\n", name, part, 1e6 * all,
           1e6 * in, trace.count);
}

#endif
