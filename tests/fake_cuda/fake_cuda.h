// What the fake CUDA is asked to do, and what it has seen. tests/test_cuda.c builds fake_cuda.c as
// a shared object, loads it instead of libcuda, libnvrtc and libnvml, and gets this from
// fake_cuda_state; fake_cuda_reset brings everything back to how it starts.
//
// Sources are compiled by looking at them: kernels are "__global__ ... NAME(parameters)", values
// come from "#define NAME value" and "#pragma NAME value", and a comment says what the kernel does
// and needs. Numbers may be names that the source defines:
//
//     // fake: does=HOW regs=32 static=0 local=0 us=10 threads=1024
//
//   does     a fake_cuda_deed (0)              regs    registers of a thread (32)
//   static   bytes of shared memory (0)        local   bytes of local memory: spills (0)
//   us       microseconds of one launch (100)  threads the most of a block (1024)
//   uj       microjoules of one launch (0)
//
// "// variable NAME BYTES" is a variable of the module, all zero at first; its first float is a of
// FAKE_CUDA_VARIABLE.
//
// "// fake NAME: ..." is for that kernel only. A kernel that does its work treats its parameters
// as those of y[i] += a * x[i], i < n: n is the first int, a the first float (2 without one), y
// the last pointer, x the one before it (1 without one).
//
// FAKE_CUDA_BINARY is a module compiled ahead with that kernel, as cuModuleLoadData takes it:
// parameters are i (int), f (float), l (8 bytes), c (1 byte), s (2 bytes), p (pointer).
#ifndef FAKE_CUDA_H
#define FAKE_CUDA_H

#include <stdbool.h>
#include <stddef.h>

enum {
    FAKE_CUDA_RETAINED, // primary contexts, once for each retain
    FAKE_CUDA_CONTEXT,  // of the program
    FAKE_CUDA_MODULE,
    FAKE_CUDA_STREAM,
    FAKE_CUDA_EVENT,
    FAKE_CUDA_MEMORY,
    FAKE_CUDA_PROGRAM, // NVRTC's
    FAKE_CUDA_NVML,    // initialisations
    FAKE_CUDA_KINDS
};

typedef enum fake_cuda_deed {
    FAKE_CUDA_WORKS,
    FAKE_CUDA_NO_COMPILE,
    FAKE_CUDA_NO_ROOM,     // cuLaunchKernel: CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES
    FAKE_CUDA_WRONG,       // adds one too much to one element
    FAKE_CUDA_BEYOND,      // writes y[n]
    FAKE_CUDA_NAN,         // one element is not a number
    FAKE_CUDA_ILLEGAL,     // from then on every call says CUDA_ERROR_ILLEGAL_ADDRESS
    FAKE_CUDA_TRAP,        // from then on every call says CUDA_ERROR_LAUNCH_FAILED
    FAKE_CUDA_HANG,        // never ends while `hangs` is set
    FAKE_CUDA_NOTHING,     // does nothing, rightly
    FAKE_CUDA_NO_LOAD,     // cuModuleLoadData: CUDA_ERROR_INVALID_IMAGE
    FAKE_CUDA_ASSIGNS,     // y[i] = a * x[i]
    FAKE_CUDA_VARIABLE     // y[i] += a * x[i], a of the module's variable
} fake_cuda_deed;

#define FAKE_CUDA_BINARY                                                                          \
    "FAKE CUBIN 90\nkernel ahead params=ifpp does=0 regs=32 static=0 local=0 us=100 "             \
    "threads=1024\nend\n"

typedef struct fake_cuda_device {
    const char *name, *bus;
    size_t memory;      // bytes in all
    int attribute[256]; // by CUdevice_attribute
    void *primary;      // its context, whether retained or not
} fake_cuda_device;

typedef struct fake_cuda {
    // requests
    const char *fail; // the function that fails ...
    int fail_at;      // ... at this call of it, from 0 ...
    int fail_code;    // ... with this
    int device_count;
    fake_cuda_device devices[2];
    int version;            // of the driver
    int nvrtc_version[2];
    int archs[8];           // that NVRTC knows, ends with 0
    bool hangs;             // launches of FAKE_CUDA_HANG never end
    int late;               // calls that still work after a kernel killed the context
    double delay;           // seconds on the wall clock until a launch has ended
    double kernel_seconds;  // of every launch on the device's clock; 0: what its source says
    int nvml_init;          // what nvmlInit_v2 says
    int nvml_energy;        // what nvmlDeviceGetTotalEnergyConsumption says
    double launch_joules;   // taken by a launch ...
    double watts;           // ... and by the device while a launch runs, on its clock
    void *watched;          // a stream of the program
    // what was seen
    int failed;      // times `fail` struck
    int fail_seen;   // calls of it
    int calls;       // of anything
    int looks;       // of cuEventQuery
    int compiles;    // nvrtcCompileProgram
    int loads;       // cuModuleLoadData
    int launches;
    int compared;    // launches of gputune's own kernel that compares outputs
    int alive[FAKE_CUDA_KINDS];
    int made[5];     // pieces of memory, by CUmemorytype
    int retains;     // of primary contexts, in all
    int blocked;     // calls that would have waited for a hanging launch for ever
    int misused;     // handles that are not alive, copies beyond a buffer, pops of nothing
    char misuse[200]; // the first of them
    double clock;    // the device's, seconds
    double joules;   // that launches have taken by their sources
    char options[2048]; // of the last compilation, one a line
    char source[65536]; // and its text
    char image[16];     // the last module's: "CUBIN" or "PTX"
    char kernel[128];   // the last launch's
    unsigned grid[3], block[3], dynamic; // of it
    void *stream, *context;              // it ran on, in
    int parameters;
    long long values[16];                // of its arguments
    int most_dynamic;                    // the last value set for it
    int watched_launches, watched_waits, watched_copies; // on the watched stream
    char trace[512]; // launches L, events recorded R, waits W, with their stream's number (0: the
                     // default one, else as they were made), W also with the event's: "R1 W2<1 "
    int streams;     // that were made
    int first_priority, other_streams; // of the highest priority; of none
    int wiped;                         // times as much as the cache was filled or more
} fake_cuda;

fake_cuda *fake_cuda_state(void);
void fake_cuda_reset(void);
void *fake_cuda_new_context(int device); // as cuCtxCreate, but not made current
void fake_cuda_end_context(void *context);
int fake_cuda_depth(void);               // of this thread's stack of contexts
int fake_cuda_mode(void);                // of this thread: CUstreamCaptureMode

#endif
