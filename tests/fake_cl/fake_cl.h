// What the fake OpenCL library is asked to do, and what it has seen. tests/test_cl.c builds
// fake_cl.c as a shared object, loads it instead of OpenCL's library and gets this from
// fake_cl_state.
#ifndef FAKE_CL_H
#define FAKE_CL_H

#include <stdbool.h>
#include <stddef.h>

enum { FAKE_CONTEXT, FAKE_QUEUE, FAKE_PROGRAM, FAKE_KERNEL, FAKE_BUFFER, FAKE_EVENT, FAKE_KINDS };

typedef struct fake_cl {
    // requests
    const char *fail;      // the function that fails ...
    int fail_at;           // ... at this call of it, from 0
    int fail_code;
    int platforms;         // 1: good. 2: and a broken one with a faster GPU. 3: and an empty one
    bool broken_ids;       // the broken one's clGetDeviceIDs fails; else its clCreateContext
    bool hangs;            // launches never end, and what follows them in their queue waits
    void *hangs_on;        // only those of this queue; NULL: of all
    bool late;             // what is no launch has not ended
    double delay;          // seconds after which they do
    double compiles;       // seconds before they begin to run
    int event_status;      // negative: launches end with it
    bool dies;             // and nothing can be enqueued after that
    bool no_clock;         // profiling gives zeros
    bool no_profiling;     // no queue has profiling
    double kernel_seconds; // of a launch on the device's clock
    bool nvidia;           // a platform of NVIDIA's, whose launches never say that they run
    size_t room;           // bytes that a buffer may have on the device; 0: 2^28
    // what was seen
    int failed;            // times `fail` struck
    int fail_seen;         // calls of it
    int calls;             // of anything
    int looks;             // of clGetEventInfo
    int alive[FAKE_KINDS]; // objects not yet released
    bool local_null;       // the last launch left the work-group to the driver
    void *launched_on;     // its queue
    void *finished[2];     // the last two queues that were finished, the latest first
    size_t filled;         // how far fills reached
    int hosts;             // buffers that were made in the host's memory
    int queues;            // that were ever made: a queue's number
    char trace[512];       // flushes F, launches L, markers M, barriers B and those that wait for
                           // an event W, each with its queue's number: "L0 F0 "
    int waits_for[16], waited; // the queues of events that barriers wait for
    int misused;           // releases of what is not alive, arguments that are no objects
} fake_cl;

fake_cl *fake_cl_state(void);

#endif
