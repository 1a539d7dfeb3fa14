// gputune.h - v0.1.0 - tune GPU kernels while the program runs - MIT or public domain
//
// Do this in ONE C or C++ file, before the include:
//     #define GPUTUNE_IMPLEMENTATION
//     #include "gputune.h"                    // needs stb_ds.h (Debian: libstb-dev)
// A whole program, no GPU needed; it finds the fastest unrolling of a loop and remembers it:
//
//     #define GPUTUNE_IMPLEMENTATION
//     #include "gputune.h"
//     #include <stdio.h>
//     double seconds_of(long long unroll, long long block);      // yours
//     int main(void)
//     {
//         gputune_param params[] = { { "UNROLL", "set 1,2,4,8", "1" },
//                                    { "BLOCK", "erange 32,1024,2", "128" }, { 0 } };
//         gputune_tuner_desc desc = { .params = params, .name = "my loop" };
//         gputune_tuner *tuner = gputune_tuner_create(&desc);
//         gputune_config config;
//         char text[256];
//         while (gputune_next(tuner, &config))
//             gputune_tell(tuner, &config, seconds_of(gputune_get_int(&config, "UNROLL"),
//                                                     gputune_get_int(&config, "BLOCK")));
//         if (gputune_tuner_best(tuner, &config) == GPUTUNE_OK)
//             printf("%s\n", gputune_config_text(&config, text, sizeof text));
//         gputune_tuner_destroy(tuner);
//     }
//
// For OpenCL kernels include gputune_cl.h instead: it includes this file and shows its own program.
//
// WHAT IT DOES NOT DO
//     It does not write kernels, invent parameters or find your hot spot: you annotate what may
//     vary. It does not spread one launch over several devices. It cannot stop a kernel that never
//     ends: no GPU interface can. It gives the device up after a limit, says which configuration it
//     was, and passes it over in the next run, or in this one where tuning has a process of its own
//     (see ISOLATION). It does not protect buffers that a kernel reaches in ways its arguments do
//     not show (pointers inside structs, shared virtual memory), nor other processes' memory.
//     A winner is verified at the size it was tuned for and trusted for its whole bucket: set
//     gputune_tune_desc.exact where variants may be wrong at other sizes.
//
// INDEX (search for "[name]")
//     [base]     results, allocator, log, statistics
//     [expr]     expressions: restrictions, launch geometry
//     [space]    parameters, restrictions, configurations
//     [source]   annotations in OpenCL C and CUDA C, values into the text
//     [coarsening] kernels rewritten so that one work-item or work-group does several's work
//     [store]    what was learned, on disk; the journal of trials
//     [device]   the driver table; the host and the replay driver
//     [model]    the occupancy of NVIDIA's multiprocessors
//     [measure]  private copies, verification, timing, the final race
//     [saturation] throughput curves, the minimum saturation point
//     [search]   strategies
//     [threads]  locks and threads; compiling ahead
//     [isolate]  a child process in which trials run, and what is said between the two
//     [tune]     tuners (ask/tell) and kernels that tune themselves
//     Each name comes twice: declarations in the first part, code in the second; expr, source,
//     store, measure, threads and isolate have nothing public.
//
// GLOSSARY
//     parameter       something that may vary: a work-group size, an unrolling, an algorithm
//     configuration   one value for every parameter
//     restriction     an expression that valid configurations make non-zero
//     space           all valid configurations
//     trial           one configuration compiled, checked and measured
//     objective       what is minimised: the median time of a launch, or an expression over time,
//                     energy, power, registers, spilled bytes, occupancy
//     metric          what is measured of a trial
//     strategy        which configuration is tried next
//     budget          when the search ends
//     default         the configuration that the source compiles to without gputune
//     problem         what makes launches alike: by default the integer arguments, each rounded
//                     up to a power of two ("n=2^20")
//     store, journal  the file of answers; the file of one tuning's trials
//
// STEP BY STEP
//  1. Annotate the kernel. The file stays valid source that compiles to its defaults:
//
//         #pragma gputune erange 32,1024,2     // 32 64 128 ... 1024
//         #define BLOCK 128
//         #pragma gputune set 1,2,4,8
//         #define ITEMS 1
//         #pragma gputune require BLOCK * ITEMS <= 4096
//         #pragma gputune global ceil_div(n, ITEMS)
//         #pragma gputune local BLOCK
//         __kernel void saxpy(int n, float a, __global const float *x, __global float *y)
//
//     range LO,HI[,STEP]    numbers from LO to HI; real if one of them is
//     erange LO,HI,BASE     LO, LO*BASE, LO*BASE*BASE ... up to HI
//     set A,B,C             these numbers, or these names
//     bool                  0 and 1
//     kernel A,B            names of kernel functions: choice of implementation. Give the
//                           parameter's name as gputune_kernel_desc.name
//     require EXPRESSION    as many as you like, anywhere
//     global, local         the launch of the next kernel function, in work-items: up to three
//                           expressions, separated by commas
//     The pragma stands above its #define; comments, other gputune pragmas and an #ifndef of the
//     same name may stand between. Code under #if 0 is ignored. Values are put into the #define's
//     text, never passed by -D, and every line keeps its number. Parameters that stand in
//     gputune_kernel_desc.params and not in the source are defined in front of it.
//
//  2. Expressions are C over integers of 64 bits, reals and names: + - * / % << >> & | ^ ~ ! && ||
//     == != < <= > >= ?: and min max ceil_div is_pow2 log2 abs. Parameters, the kernel's scalar
//     arguments and the device's limits (see GPUTUNE_LIMITS) go by name. Names compare with
//     strings: SPMV == "spmv_vector". Overflow and division by zero are errors, and so is a
//     comparison of a comparison: write a <= b && b <= c.
//
//  3. Make a device (gputune_cl.h; gputune_host_device for C functions), a kernel, and run it with
//     its arguments in order. Say truthfully which buffers are in, out and inout: outputs are
//     compared, inputs renewed.
//
//  4. The first gputune_run for a problem tunes: it measures the default, searches within the
//     budget (60 s), and races the best few against the default. Every trial runs on private
//     copies. Then, and on every later run, the winner is launched on your buffers.
//
//  5. Give gputune_tune_desc.progress to see it work or to stop it; a budget that suits you; a
//     tolerance or a check of your own where outputs may differ; an objective other than time.
//
//  6. Answers are kept in $GPUTUNE_STORE, else gputune_options.store, else
//     $XDG_STATE_HOME/gputune/store.txt (~/.local/state/gputune/store.txt; on Windows in
//     %LOCALAPPDATA%\gputune, on macOS in ~/Library/Application Support/gputune). The file is text,
//     one line an answer, and may be copied to other machines of the same kind: an answer holds for
//     one kernel name, device, driver version, source text, space and problem. Near answers
//     (another size, another driver) are where the next search starts. Beside it,
//     store.txt.journal/ holds a file for each tuning; an interrupted one is resumed, and the
//     configuration that was running, in its trial or in the final race, is passed over. A default
//     that lost the device or ended the process (after its own trial: twice) is not tried again,
//     either, but with GPUTUNE=force: the error names its journal. Where a driver compiles in two
//     steps (CUDA), store.txt.binaries/ holds the newest 256 binaries of what was launched for
//     real: a second run does not compile. It is used only if it is yours, no link, and no other
//     user may write there.
//
//  7. Whoever runs the program steers it: GPUTUNE=off (defaults only), on, force (tune again),
//     readonly (use the store, never tune); GPUTUNE_STORE=path; GPUTUNE_LOG=none|error|warn|info|
//     debug, to the program's log function or to stderr; GPUTUNE_ISOLATE=1 (tune in a child
//     process) or 0.
//
// ONE KERNEL FOR OPENCL AND CUDA
//     On a device that compiles CUDA C, sources in OpenCL C are converted (gputune_kernel_source
//     shows how; lines keep their numbers). Kernels, address spaces, local memory as argument or
//     array, vectors of 2, 3, 4, 8 and 16 with literals, swizzles and operators, convert_ and as_,
//     vload and vstore, work-item, math and integer functions, barriers, fences and the atomics of
//     OpenCL 1.x mean what they mean in OpenCL; macros of the build options (-DN=4) count from the
//     source's first line. What is not converted is an error, ours with its line or the
//     compiler's: images, pipes, events, .even and .odd, ?: on vectors, OpenCL 2 atomics, async
//     copies, INFINITY and NAN in what initialises __constant, a kernel with local memory that
//     another calls, and #include, unless an #if round it asks for __CUDACC__: what is included
//     would be left as it is. Know that it is C++ then (no implicit conversion from void *); that a
//     scalar's shift by its width or more is not taken modulo the width; that half is computed in
//     float; that get_work_dim is guessed from the sizes; that { x } makes a vector of x only; and
//     that a type in brackets that a macro with arguments makes, CAST(float4)(f(), g(), 3, 4), is
//     not seen as a literal: an error, too, if one of the values but the last does nothing.
//
// OVERRIDES (define before the include)
//     GPUTUNE_IMPLEMENTATION    in one file: emit the code
//     GPUTUNE_STATIC            everything static: private to this file
//     GPUTUNE_API               linkage of public functions (default: extern)
//     GPUTUNE_MAX_PARAMETERS    of one space (64)
//     GPUTUNE_FULL_OPTIMIZATION compile this file at your -O level (gcc: default -O1, to be quick)
//     GPUTUNE_STB_DS_H          the file to include for stb_ds ("stb_ds.h" or <stb/stb_ds.h>). A
//                               program that uses stb_ds in the same file includes it first.
//
// ERRORS
//     Three kinds of trouble, three channels. A mistake of the program (NULL where none may be) is
//     an assert. What the world does (a driver, a compiler, a file) is a gputune_result, 0 = ok,
//     and a text that names the culprit: gputune_kernel_error, gputune_device_error and so on.
//     Advice goes to the log, silent by default. Objects that could not be made carry their error:
//     it is enough to check gputune_run. A configuration that fails is not an error but a trial
//     with a reason.
//
// MEMORY
//     All through gputune_options.allocator; every failure becomes GPUTUNE_ERROR_MEMORY. Texts and
//     arrays that you pass in are read during the call or copied. While a kernel is tuned, each
//     output (and each input that the kernel could write) has a private copy on the device and its
//     reference on the host (on CUDA, if there is room, on the device, too); where the device has
//     no room, trials run on your buffer and its content is put back afterwards. All of that is
//     freed when tuning ends.
//
// THREADS
//     No globals. Different devices may be used from different threads; one device and what is made
//     from it, or one space and its configurations, by one thread at a time. Processes share a
//     store: it is locked, read again and replaced in one step for every answer.
//     While it tunes, and only then, gputune has threads of its own; all have ended when
//     gputune_run or gputune_tune returns. Threads that compile ahead (gputune_options.threads)
//     call the driver's translate, the allocator and, as far as the driver does, the log. Each
//     further device (gputune_tune_desc.devices) has a thread that makes all calls to that device's
//     driver, calls the allocator and functions of the host driver, and the program's check, which
//     still sees one call at a time. The program's progress function and log are called from the
//     calling thread alone, but for a driver's own messages. The calling thread itself tries
//     configurations on the kernel's own device. Neither the order of trials nor the winner depends
//     on the number of threads; with several devices the order does depend on which of them is free
//     first.
//
// ISOLATION
//     A configuration may crash the process, or leave its GPU context useless for good (CUDA: an
//     illegal address, a trap). Within one process nothing helps: tuning ends with
//     ERROR_DEVICE_LOST, or there is nobody left to say so; the next run resumes and passes the
//     culprit over. A kernel that hangs cannot be ended either, but with its process.
//     gputune_tune_desc.isolate, or GPUTUNE_ISOLATE=1, does it in one run, on POSIX systems: where
//     it would tune, gputune starts the program anew as a child process, which tunes when it comes
//     to the same call, and ends there. A child that dies, loses its device, or is silent for
//     longer than a trial may take (hang_limit, some launches of time_limit, a minute to compile),
//     when it is killed, is followed by another one that resumes from the journal; each death must
//     have added to it, and 100 are the limit. The time they took counts against the budget.
//     Progress, errors and the answer come from the child; your callback is called in your
//     process, which runs no trial, about once a second even when nothing happens; when it says
//     stop, the child ends as a tuning here would, and at once while it is still starting
//     (CANCELLED).
//     What the program must bear: main() runs again up to the call, with the same arguments
//     (isolate_command: others; needed where there is no /proc, and where the program writes a
//     title over its arguments), in the directory in which the process is then, which relative
//     paths among them mean, too; without input, its stdout thrown away, stderr kept. Buffers exist
//     twice on the device meanwhile. What must happen once (a file written, a message sent) stands
//     behind the call or under if (!getenv("GPUTUNE_ISOLATED")).
//     On its way the child takes other kernels from the store or runs their defaults. Each problem
//     that is tuned costs this way once, and once more for each death.
//     If the program does not come to the same call (kernel, problem, device) within ten times
//     the budget's seconds (at least 30 s, at most ten minutes), nothing is tuned:
//     ERROR_UNSUPPORTED, and gputune_run launches the default; it is not tried here, where the
//     trials were not wanted. So, too, when the default itself ends its process:
//     ERROR_CRASHED names it, and gputune_run will launch it all the same.
//     It needs a store, beside which the journal lies. Without one, on Windows, and without a
//     command where one is needed, tuning takes place in the process; the log says so. It is not
//     for ask/tell tuners, nor for programs that close descriptors which they did not open.
//
// HOW TO READ THE NUMBERS
//     Times are seconds of one launch on the device, without launch and copy. Search values are
//     medians of one to three samples, good enough to drop what is slow. The times that count are
//     those of the final race (gputune_outcome): the best few and the default launched in turn, up
//     to 40 rounds; who is slower than the leader in so many rounds that chance explains it in less
//     than 1 % of cases (sign test) leaves. The default leaves last: if it is not beaten for
//     certain, it stays and the speed-up is 1. q3 - q1 is the spread. drift says how much the
//     device's own speed changed meanwhile: beyond 0.1 believe nothing under it.
//     A kernel shorter than 50 us is timed in batches, unless it has inout buffers: then each
//     launch starts from the original content, and times below about 10 us are mostly launch cost.
//
// REFERENCES
//     X. Shen, Y. Liu, E. Zhang, P. Bhamidipati: An Infrastructure for Tackling Input-Sensitivity
//     of GPU Program Optimizations. International Journal of Parallel Programming, 2012 (G-ADAPT+):
//     annotations 3.2.1, hill climbing 3.2.2.
//
// LICENCE
//     MIT or public domain, as you like: see the end of this file.

#ifndef GPUTUNE_H
#define GPUTUNE_H

#define GPUTUNE_VERSION "0.1.0"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef GPUTUNE_API
#ifdef GPUTUNE_STATIC
#if defined(__GNUC__) || defined(__clang__)
#define GPUTUNE_API static __attribute__((unused))
#else
#define GPUTUNE_API static
#endif
#else
#define GPUTUNE_API extern
#endif
#endif

#ifndef GPUTUNE_MAX_PARAMETERS
#define GPUTUNE_MAX_PARAMETERS 64 // of one space; a configuration is an array of this length
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// [base] results, allocator, log
// ---------------------------------------------------------------------------------------------

// Every function that can fail because of the world (a file, a driver, a text) returns one of
// these; 0 is success. The second column is the word that journals and stores write, the third
// the sentence for people. Mistakes of the calling program (a NULL where none may be) are asserts.
#define GPUTUNE_RESULTS(X)                                                                        \
    X(OK, "ok", "no error")                                                                       \
    X(ERROR_MEMORY, "memory", "out of memory")                                                    \
    X(ERROR_ARGUMENT, "argument", "an argument does not fit")                                     \
    X(ERROR_SYNTAX, "syntax", "syntax error")                                                     \
    X(ERROR_SYMBOL, "symbol", "unknown symbol")                                                   \
    X(ERROR_ARITHMETIC, "arithmetic", "division by zero or overflow")                             \
    X(ERROR_EMPTY_SPACE, "empty", "no valid configuration")                                       \
    X(ERROR_TOO_LARGE, "too_large", "too large")                                                  \
    X(ERROR_NO_DEVICE, "no_device", "no device")                                                  \
    X(ERROR_LIBRARY, "library", "a GPU library or one of its functions is missing")               \
    X(ERROR_DRIVER, "driver", "a driver call failed")                                             \
    X(ERROR_COMPILE, "compile", "the kernel does not compile")                                    \
    X(ERROR_LAUNCH, "launch", "the kernel does not launch")                                       \
    X(ERROR_RESOURCES, "resources", "the configuration needs more than the device has")           \
    X(ERROR_WRONG_OUTPUT, "wrong_output", "the output differs from the reference")                \
    X(ERROR_OUT_OF_BOUNDS, "out_of_bounds", "the kernel wrote outside its buffer")                \
    X(ERROR_TIMEOUT, "timeout", "over the time limit")                                            \
    X(ERROR_CRASHED, "crashed", "the program ended while this configuration ran")                 \
    X(ERROR_DEVICE_LOST, "device_lost", "the device no longer answers")                           \
    X(ERROR_FILE, "file", "a file could not be read or written")                                  \
    X(ERROR_FORMAT, "format", "a file is damaged or of another version")                          \
    X(ERROR_LOCKED, "locked", "another process holds the lock")                                   \
    X(ERROR_UNSUPPORTED, "unsupported", "not supported here")                                     \
    X(CANCELLED, "cancelled", "stopped by the program")

typedef enum gputune_result {
#define GPUTUNE__X(name, word, text) GPUTUNE_##name,
    GPUTUNE_RESULTS(GPUTUNE__X)
#undef GPUTUNE__X
        GPUTUNE_RESULT_COUNT
} gputune_result;

// The word ("compile") and the sentence ("the kernel does not compile") of a result. Static text.
GPUTUNE_API const char *gputune_result_name(gputune_result result);
GPUTUNE_API const char *gputune_result_text(gputune_result result);

// What went wrong last, and the culprit: a restriction with its column, a compiler's log, a path.
typedef struct gputune_error {
    gputune_result result;
    char text[1536]; // one or more lines, no newline at the end; "" after success
} gputune_error;

// All memory goes through one function, as realloc with a user pointer: memory NULL allocates,
// bytes 0 frees and returns NULL. NULL for bytes > 0 means out of memory: the call in hand then
// returns GPUTUNE_ERROR_MEMORY and everything stays usable. {0}: realloc and free.
typedef struct gputune_allocator {
    void *(*reallocate)(void *user, void *memory, size_t bytes);
    void *user;
} gputune_allocator;

typedef enum gputune_log_level {
    GPUTUNE_LOG_NONE,
    GPUTUNE_LOG_ERROR, // something failed; the call's result says it, too
    GPUTUNE_LOG_WARN,  // it works, but not as you would wish: store not writable, output has NaN
    GPUTUNE_LOG_INFO,  // one line a decision: store hit or why it missed, the winner
    GPUTUNE_LOG_DEBUG  // one line a trial
} gputune_log_level;

// One message, no newline at its end; valid during the call.
typedef void (*gputune_log_fn)(void *user, gputune_log_level level, const char *message);

typedef enum gputune_mode {
    GPUTUNE_MODE_DEFAULT, // what the environment variable GPUTUNE says, else on
    GPUTUNE_MODE_OFF,     // never tune, never look anything up: the default configuration
    GPUTUNE_MODE_ON,      // look up; tune when nothing is known; save
    GPUTUNE_MODE_FORCE,   // tune even when the answer is known; save
    GPUTUNE_MODE_READONLY // look up; never tune, never write
} gputune_mode;

// How gputune behaves; the same for every device and tuner. All zero is sensible. The environment
// variables GPUTUNE (off, on, force, readonly), GPUTUNE_STORE (path of the store) and GPUTUNE_LOG
// (none, error, warn, info, debug) win over what stands here, so that whoever runs a program can
// steer it. GPUTUNE_LOG without a log function writes to stderr.
typedef struct gputune_options {
    gputune_allocator allocator;
    gputune_log_fn log;          // NULL: silent
    void *log_user;
    gputune_log_level log_level; // 0: GPUTUNE_LOG_INFO
    gputune_mode mode;
    const char *store;           // path; NULL: the platform's place (the manual's step 6); "": none
    int threads; // host threads that compile ahead while a configuration is measured, where the
                 // driver can: allocator and log are then called from them, too. 0: one a
                 // processor, at most 16, and none with an allocator of your own; < 0: none
} gputune_options;

// What the samples of one measurement say. Seconds (of the final race with another objective than
// time: its values). Rank by median, never by mean.
typedef struct gputune_stats {
    double median, min, max;
    double q1, q3; // quartiles; q3 - q1 is the interquartile range
    int count;     // samples
} gputune_stats;

// Median, quartiles (linear interpolation between order statistics, as R's type 7 and NumPy),
// minimum and maximum of count > 0 samples. The samples are sorted in place.
GPUTUNE_API gputune_stats gputune_stats_of(double *samples, int count);

// ---------------------------------------------------------------------------------------------
// [space] parameters and restrictions
// ---------------------------------------------------------------------------------------------

// One tunable parameter, in the words of the annotations (shen-g-adapt 3.2.1):
//   "range 1,8"         1 2 3 ... 8          "range 0,1,0.25"   0 0.25 0.5 0.75 1
//   "erange 32,1024,2"  32 64 128 ... 1024   (powers: each value the last one times the third)
//   "set 1,2,4,8"       these, in this order; "set 0.5,1.5"; "set naive,tiled" (names)
//   "bool"              0 1
//   "kernel a,b"        the names of kernel functions
// value_default must be one of the values; NULL: the first.
typedef struct gputune_param {
    const char *name;
    const char *values;
    const char *value_default;
} gputune_param;

typedef enum gputune_value_kind { GPUTUNE_INTEGER, GPUTUNE_REAL, GPUTUNE_NAME } gputune_value_kind;

typedef struct gputune_value {
    gputune_value_kind kind;
    int64_t integer;  // GPUTUNE_INTEGER
    double real;      // GPUTUNE_REAL
    const char *name; // GPUTUNE_NAME; lives as long as what it came from
} gputune_value;

typedef struct gputune_space gputune_space;

// One configuration: for each parameter the position of its value in the parameter's list. A
// plain value: copy it, keep it as long as its space lives.
typedef struct gputune_config {
    const gputune_space *space;
    uint16_t choice[GPUTUNE_MAX_PARAMETERS];
} gputune_config;

// An empty space. NULL only when out of memory. options may be NULL; only its allocator and log
// are used. Destroy it with gputune_space_destroy.
GPUTUNE_API gputune_space *gputune_space_create(const gputune_options *options);
GPUTUNE_API void gputune_space_destroy(gputune_space *space); // NULL is fine
GPUTUNE_API const gputune_error *gputune_space_error(const gputune_space *space);

// Adds a parameter; the texts are copied. ERROR_SYNTAX names the offending word; ERROR_ARGUMENT: a
// name or a value twice, a default that is not among the values; ERROR_TOO_LARGE: over 65,535
// values or GPUTUNE_MAX_PARAMETERS parameters.
GPUTUNE_API gputune_result gputune_space_param(gputune_space *space, const char *name,
                                               const char *values, const char *value_default);

// Adds a number that restrictions may mention and that is not tuned: a device limit, a problem
// size. A parameter of the same name hides it. The same name again replaces the number; then the
// space must be built again.
GPUTUNE_API gputune_result gputune_space_symbol(gputune_space *space, const char *name,
                                                double value);

// Adds a restriction: a C expression over parameters and symbols that valid configurations make
// non-zero. Integers are 64 bits and checked; a real operand makes the operation real (% is then
// fmod). Beside C's operators, ?: included: min max ceil_div is_pow2 log2 abs, and == != with
// "text" for named parameters. Syntax errors are reported here, the rest by gputune_space_build.
GPUTUNE_API gputune_result gputune_space_require(gputune_space *space, const char *expression);

// Counts the valid configurations and makes the calls below work; they may be called only after
// it returned GPUTUNE_OK. Never walks the Cartesian product: parameters that share restrictions
// are decided in turn, each state is kept once, and independent groups multiply. Errors quote the
// restriction and the column: ERROR_SYMBOL, ERROR_ARITHMETIC (division by zero on a configuration
// that no other restriction excludes), ERROR_EMPTY_SPACE (a restriction that never holds, or
// several that contradict), ERROR_TOO_LARGE (2^64 configurations or more, or restrictions whose
// states exceed 4 million nodes: artificial ones do).
GPUTUNE_API gputune_result gputune_space_build(gputune_space *space);

GPUTUNE_API uint64_t gputune_space_count(const gputune_space *space); // valid configurations
GPUTUNE_API double gputune_space_combinations(const gputune_space *space); // of all values
GPUTUNE_API int gputune_space_param_count(const gputune_space *space);
GPUTUNE_API const char *gputune_space_param_name(const gputune_space *space, int param);
GPUTUNE_API int gputune_space_param_index(const gputune_space *space, const char *name); // or -1
GPUTUNE_API int gputune_space_value_count(const gputune_space *space, int param);
GPUTUNE_API gputune_value gputune_space_value(const gputune_space *space, int param, int choice);

// The index-th valid configuration, 0 <= index < count. The order is fixed by the definition.
GPUTUNE_API gputune_config gputune_space_at(const gputune_space *space, uint64_t index);
// Its inverse; false when the configuration is not valid.
GPUTUNE_API bool gputune_space_index(const gputune_space *space, const gputune_config *config,
                                     uint64_t *index);
// The default of every parameter or, where the restrictions forbid it, the nearest valid one.
GPUTUNE_API gputune_config gputune_space_default(const gputune_space *space);
// The valid configuration with the fewest changed parameters, then the fewest steps.
GPUTUNE_API gputune_config gputune_space_nearest(const gputune_space *space,
                                                 const gputune_config *config);

// Draws count configurations uniformly. *state is the random state: any seed, updated. With
// replacement each draw is independent; without, no index comes twice (count <= the space's).
GPUTUNE_API gputune_result gputune_space_sample(gputune_space *space, uint64_t *state,
                                                bool replacement, uint64_t *indices, size_t count);

typedef enum gputune_neighbourhood {
    GPUTUNE_NEIGHBOURS_ANY,     // one parameter changed to any other value (Hamming distance 1)
    GPUTUNE_NEIGHBOURS_ADJACENT // one parameter moved to its nearest valid value before or after
                                // it in the parameter's list
} gputune_neighbourhood;

// Writes up to capacity neighbours of a valid configuration; returns how many there are.
GPUTUNE_API size_t gputune_space_neighbours(const gputune_space *space,
                                            const gputune_config *config,
                                            gputune_neighbourhood kind, gputune_config *neighbours,
                                            size_t capacity);

// A parameter's value in a configuration. The name must exist (assert).
GPUTUNE_API gputune_value gputune_get(const gputune_config *config, const char *name);
GPUTUNE_API int64_t gputune_get_int(const gputune_config *config, const char *name);
GPUTUNE_API double gputune_get_real(const gputune_config *config, const char *name);
GPUTUNE_API const char *gputune_get_name(const gputune_config *config, const char *name);
// "BLOCK=256 ITEMS=4", cut to size; returns text.
GPUTUNE_API const char *gputune_config_text(const gputune_config *config, char *text, size_t size);
// "#define BLOCK 256\n#define ITEMS 4\n" for a compiler of your own, cut to size; returns text.
GPUTUNE_API const char *gputune_config_defines(const gputune_config *config, char *text,
                                               size_t size);
// Reads what gputune_config_text wrote, in any order; parameters not named keep their default.
// False when a name or a value is not in the space. Does not look at the restrictions.
GPUTUNE_API bool gputune_config_parse(const gputune_space *space, const char *text,
                                      gputune_config *config);

// ---------------------------------------------------------------------------------------------
// [coarsening] one work-item or work-group does the work of several
// ---------------------------------------------------------------------------------------------

// Thread coarsening (magni-msp-tuning 3.2) of unmodified kernels, by rewriting their source. The
// usual way is gputune_kernel_desc.coarsen, which makes it part of the tuning space; the functions
// here are for programs that compile and launch by themselves. GPUTUNE_NO_COARSENING leaves all of
// it out.
typedef enum gputune_coarsening {
    GPUTUNE_COARSEN_OFF,    // the kernel stays as it is
    GPUTUNE_COARSEN_AUTO,   // at thread level if the kernel allows it, else at group level
    GPUTUNE_COARSEN_THREAD, // a work-item does the work of `factor` original ones, whatever the
                            // work-group: kernels without barriers and local memory
    GPUTUNE_COARSEN_GROUP   // a work-group does `factor` original ones, one after the other
} gputune_coarsening;

// The coarsening parameters of a kernel, which join its space: FACTOR_X, STRIDE_X, _Y, _Z for each
// dimension of its launch and, at thread level, GROUP_X and so on, the work-group launched (0: as
// .local has it). Their defaults are 1, 1, 0: the kernel as it is. Restrictions may mention them.
typedef struct gputune_coarsen_desc {
    gputune_coarsening form; // OFF: no coarsening
    const char *factors;     // values of FACTOR_*, in the words of annotations; must have 1.
                             // NULL: 1 2 4 ... 32
    const char *strides;     // values of STRIDE_*; must have 1. NULL: powers of two
    const char *groups;      // values of GROUP_*; must have 0. NULL: 0 and powers of two
    int max_factor;          // most that the factors of all dimensions may multiply to; 0: 32
} gputune_coarsen_desc;

// What a kernel function allows.
typedef struct gputune_coarsen_forms {
    bool thread, group;
    bool reads_group;      // reads local or group ids or sizes otherwise than to work out global
                           // ids: at thread level the original work-group must be known
    char thread_why[256];  // what forbids the form, with its line; "" where it is allowed
    char group_why[256];
} gputune_coarsen_forms;

// Looks at a kernel function of a source in OpenCL C or CUDA C (an instance of a template by its
// plain name). By tokens: conservative, all branches of an #if count but #if 0. build_options: as
// the compiler will get them (-I: where #include "..." is looked for), or NULL. options may be
// NULL, and so may error. ERROR_SYMBOL: there is no such kernel; ERROR_SYNTAX.
GPUTUNE_API gputune_result gputune_coarsen_analyse(const char *source, const char *kernel,
                                                   const char *build_options,
                                                   const gputune_options *options,
                                                   gputune_coarsen_forms *forms,
                                                   gputune_error *error);

// How to rewrite. Dimensions that the launch does not have: factor and stride 1.
typedef struct gputune_coarsen_plan {
    gputune_coarsening form; // THREAD, GROUP, or AUTO
    int factor[3], stride[3]; // at least 1; factor 1 everywhere is allowed: it makes a kernel that
                              // does a part of its grid
} gputune_coarsen_plan;

// The launch as the original kernel would see it; the last argument of every rewritten kernel,
// passed by value. Dimensions that the launch does not have: size 1, local 1, begin 0, end 1.
typedef struct gputune_grid {
    uint64_t size[3];  // global size, in work-items
    uint64_t local[3]; // work-group; 1 where nobody knows or cares
    uint64_t begin[3], end[3]; // what to do of it: work-items at thread level, work-groups at
                               // group level. The whole: 0 and size, or size / local
} gputune_grid;

// Rewrites the kernel: the function of that name has one more argument at the end, a gputune_grid.
// At thread level its work-item n does, in each dimension, the original items
// begin + (n / stride) * factor * stride + n % stride + k * stride, k = 0 ... factor - 1, that are
// below end; at group level its work-groups do original groups in the same way. To the kernel all
// ids and sizes look as in the original launch. Lines of the source keep their numbers. *text is
// the caller's: gputune_reallocate(options, *text, 0). ERROR_UNSUPPORTED says what in the source
// forbids it, and where.
GPUTUNE_API gputune_result gputune_coarsen_source(const char *source, const char *kernel,
                                                  const char *build_options,
                                                  const gputune_coarsen_plan *plan,
                                                  const gputune_options *options, char **text,
                                                  gputune_error *error);

// Sizes of the launch that does grid->begin to grid->end: global in work-items, a multiple of
// local. group: at thread level the work-group to launch, at group level grid->local.
GPUTUNE_API void gputune_coarsen_launch(const gputune_coarsen_plan *plan, const gputune_grid *grid,
                                        const size_t group[3], size_t global[3]);

// ---------------------------------------------------------------------------------------------
// [device] the driver table; host and replay drivers
// ---------------------------------------------------------------------------------------------

typedef struct gputune_device gputune_device;

// What a device can do. Every number is also a symbol of the same name in restrictions and launch
// geometry. 0: unknown.
#define GPUTUNE_LIMITS(X)                                                                         \
    X(max_group_size)      /* work-items in a work-group (threads in a block) */                  \
    X(max_group_x)         /* the same by dimension */                                            \
    X(max_group_y)                                                                                \
    X(max_group_z)                                                                                \
    X(local_memory)        /* bytes of local (shared) memory a work-group may have */             \
    X(optin_local_memory)  /* the same if all of it is sized at launch (CUDA's opt-in) */         \
    X(constant_memory)     /* bytes */                                                            \
    X(global_memory)       /* bytes */                                                            \
    X(max_allocation)      /* bytes of one buffer */                                              \
    X(cache_bytes)         /* last-level (L2) cache */                                            \
    X(compute_units)       /* multiprocessors, cores */                                           \
    X(warp_size)           /* preferred work-group size multiple */                               \
    X(clock_mhz)                                                                                  \
    X(compute_capability)  /* of NVIDIA's GPUs: 90 for 9.0 */                                     \
    X(is_gpu)              /* 1 for a GPU, 0 for a processor */

typedef struct gputune_limits {
#define GPUTUNE__X(name) int64_t name;
    GPUTUNE_LIMITS(GPUTUNE__X)
#undef GPUTUNE__X
    char name[128];    // "NVIDIA H200"
    char vendor[64];
    char driver[128];  // version: part of the store's key
    char board[64];    // bus address, which tells equal devices apart; "": unknown
} gputune_limits;

// Types of kernel arguments: how many bytes one element has and how outputs are compared.
#define GPUTUNE_TYPES(X)                                                                          \
    X(BYTES, 1) X(INT8, 1) X(UINT8, 1) X(INT16, 2) X(UINT16, 2) X(INT32, 4) X(UINT32, 4)          \
    X(INT64, 8) X(UINT64, 8) X(HALF, 2) X(FLOAT, 4) X(DOUBLE, 8)

typedef enum gputune_type {
#define GPUTUNE__X(name, bytes) GPUTUNE_##name,
    GPUTUNE_TYPES(GPUTUNE__X)
#undef GPUTUNE__X
        GPUTUNE_TYPE_COUNT
} gputune_type;

typedef enum gputune_arg_kind {
    GPUTUNE_ARG_SCALAR, // passed by value
    GPUTUNE_ARG_IN,     // buffer, only read
    GPUTUNE_ARG_OUT,    // buffer, only written; what was in it does not matter
    GPUTUNE_ARG_INOUT,  // buffer, read and written
    GPUTUNE_ARG_LOCAL   // local memory, sized by an expression in bytes
} gputune_arg_kind;

// One argument of a kernel, in the order of the kernel's signature. Make it with the functions
// below. Nothing in it is kept after the call it is passed to.
typedef struct gputune_arg {
    gputune_arg_kind kind;
    gputune_type type; // of a scalar; of a buffer's elements: GPUTUNE_BYTES = see the signature
    size_t bytes;      // of the scalar or the buffer
    union {
        int64_t i;  // integers, sign or zero extended
        double d;   // GPUTUNE_HALF, GPUTUNE_FLOAT, GPUTUNE_DOUBLE
        const void *data; // GPUTUNE_BYTES: a struct or vector passed by value
    } value;
    void *buffer;           // cl_mem, (void *)(uintptr_t)CUdeviceptr, or a host pointer
    const char *expression; // GPUTUNE_ARG_LOCAL: bytes, over parameters and scalars
    const char *name;       // for launch geometry; NULL: as in the kernel's signature
} gputune_arg;

GPUTUNE_API gputune_arg gputune_int(int32_t value);
GPUTUNE_API gputune_arg gputune_uint(uint32_t value);
GPUTUNE_API gputune_arg gputune_long(int64_t value);   // OpenCL's long, CUDA's long long
GPUTUNE_API gputune_arg gputune_ulong(uint64_t value); // also size_t on a 64-bit device
GPUTUNE_API gputune_arg gputune_float(float value);
GPUTUNE_API gputune_arg gputune_double(double value);
GPUTUNE_API gputune_arg gputune_scalar(gputune_type type, double value); // char, short, half ...
GPUTUNE_API gputune_arg gputune_bytes(const void *data, size_t bytes);   // struct, float4 ...
GPUTUNE_API gputune_arg gputune_in(void *buffer, size_t bytes);
GPUTUNE_API gputune_arg gputune_out(void *buffer, size_t bytes);
GPUTUNE_API gputune_arg gputune_inout(void *buffer, size_t bytes);
// Local memory: a parameter of a kernel in OpenCL C. In CUDA C it is none, and this only sizes
// `extern __shared__ T name[]`, wherever it stands among the arguments.
GPUTUNE_API gputune_arg gputune_local(const char *bytes_expression);
GPUTUNE_API gputune_arg gputune_named(gputune_arg arg, const char *name);      // sets .name
GPUTUNE_API gputune_arg gputune_typed(gputune_arg arg, gputune_type elements); // sets .type

// --- what a driver fills in. Programs that use a ready driver can skip to [search]. ---

// A piece of device memory with guards round it. handle is what a kernel gets; copies name the
// memory by whole + offset, where the kernel's first byte is at offset guard.
typedef struct gputune_memory {
    void *handle;
    void *whole;  // == handle when guard is 0
    size_t guard; // bytes before and after; may be more than asked for
    size_t bytes; // between the guards
} gputune_memory;

// One launch: global is in work-items, already a multiple of local.
typedef struct gputune_launch {
    int dimensions; // 1 to 3
    size_t global[3], local[3];
    const struct gputune_bound_arg *args;
    int arg_count;
} gputune_launch;

// An argument as the driver sees it.
typedef struct gputune_bound_arg {
    gputune_arg_kind kind;
    const void *data; // scalar: its bytes in the kernel's own type
    size_t bytes;     // scalar: size; local: bytes of local memory; buffer: size
    void *handle;     // buffer
} gputune_bound_arg;

// A kernel of the host driver; see gputune_host_call below.
struct gputune_host_call;
typedef void (*gputune_host_fn)(const struct gputune_host_call *call);

// What translate made of a variant: bytes that only its driver reads. data comes from
// gputune_reallocate with the device's options.
typedef struct gputune_binary {
    void *data;
    size_t bytes;
    double seconds; // that it took; 0 from translate: measured from outside
} gputune_binary;

// One variant to compile.
typedef struct gputune_build {
    const char *source;  // with the configuration's values in it; NULL for function drivers
    const char *name;    // kernel function
    const char *options; // the user's build options, never NULL
    gputune_host_fn function; // of gputune_kernel_desc.functions, for drivers without source
    void *function_user;
    void *selected; // what gputune_kernel_desc.select gave; NULL: none
    bool converted; // the source was OpenCL C and is now CUDA C: a local-memory argument is an
                    // unsigned int, its offset in the launch's dynamic shared memory
    const gputune_binary *binary; // what translate made of it, now or in an earlier run, or NULL
    const gputune_config *config;
} gputune_build;

// What a compiled kernel takes of the device, with one launch's geometry. -1: unknown.
typedef struct gputune_usage {
    int registers;        // of a work-item
    int spill_bytes;      // of a work-item: registers and private arrays kept in device memory
    int64_t local_memory; // bytes of a work-group, static and dynamic
    int active_groups;    // work-groups on a compute unit at once
    double occupancy;     // warps on a compute unit at once, over the most there can be: 0 to 1
    unsigned limiters;    // bits of gputune_occupancy_limiter: what keeps active_groups low
} gputune_usage;

// Two stretches of device memory to compare, named as for copies.
typedef struct gputune_comparison {
    gputune_type type; // of the elements; all but reals must be equal
    void *got, *expected;
    size_t got_offset, expected_offset, bytes;
    double absolute, relative; // reals may differ by either (see gputune_tolerance)
    unsigned char poison;      // reals whose expected bytes are all this count as different
                               // unless they are equal bit for bit
} gputune_comparison;

// The table a driver fills. self is the driver's own object. Every function that returns a result
// writes the culprit into *error (never NULL) when it fails. None is called from two threads at
// once. Times are seconds.
typedef struct gputune_driver {
    const char *api; // "opencl", "cuda", "host", "replay": part of the store's key
    void (*destroy)(void *self);
    // Makes something launchable; *code is freed with discard. ERROR_COMPILE carries the log.
    gputune_result (*compile)(void *self, const gputune_build *build, void **code,
                              gputune_error *error);
    void (*discard)(void *self, void *code);
    // The first, long part of compile, where it can be told apart (NULL: it cannot): needs no
    // device and may be called from several threads, also while other functions run; but the first
    // call of all ends before the next begins. Its result goes to compile in build->binary, in this
    // process or a later one; `translator` names what it depends on beside the build: the target.
    gputune_result (*translate)(void *self, const gputune_build *build, gputune_binary *binary,
                                gputune_error *error);
    char translator[64];
    // Work-items a group of this compiled kernel may have, 0: as the device; NULL: unknown.
    size_t (*group_limit)(void *self, void *code);
    // Fills what it knows of *usage, which comes with everything unknown; NULL: nothing.
    void (*usage)(void *self, void *code, const gputune_launch *launch, gputune_usage *usage);
    // Enqueues the launch on the program's own queue and returns: the final launch.
    gputune_result (*launch)(void *self, void *code, const gputune_launch *launch,
                             gputune_error *error);
    // Runs the launch `batch` times back to back and waits; *seconds is the device time of the
    // whole batch. Over time_limit (0: none): waits until hang_limit, then ERROR_TIMEOUT if the
    // device came back, ERROR_DEVICE_LOST if not.
    gputune_result (*time)(void *self, void *code, const gputune_launch *launch, int batch,
                           double time_limit, double hang_limit, double *seconds,
                           gputune_error *error);
    gputune_result (*allocate)(void *self, size_t bytes, size_t guard, gputune_memory *memory,
                               gputune_error *error);
    void (*release)(void *self, gputune_memory *memory);
    // to and from are .whole of gputune_memory or the user's own buffer handles.
    gputune_result (*copy)(void *self, void *to, size_t to_offset, void *from, size_t from_offset,
                           size_t bytes, gputune_error *error);
    gputune_result (*fill)(void *self, void *to, size_t offset, unsigned char byte, size_t bytes,
                           gputune_error *error);
    gputune_result (*read)(void *self, void *from, size_t offset, void *host, size_t bytes,
                           gputune_error *error);
    gputune_result (*write)(void *self, void *to, size_t offset, const void *host, size_t bytes,
                            gputune_error *error);
    // Counts the elements that differ, on the device, where reading outputs back would take longer
    // than the trial. What it counts is looked at once more on the host, so it may count too many.
    // NULL or ERROR_UNSUPPORTED: it cannot.
    gputune_result (*differ)(void *self, const gputune_comparison *comparison, uint64_t *count,
                             gputune_error *error);
    // Waits for everything enqueued so far, the program's own work included.
    gputune_result (*wait)(void *self, gputune_error *error);
    // Monotonic seconds; NULL: the machine's clock. The replay driver has a virtual one.
    double (*now)(void *self);
    // Joules that the device has taken since some fixed moment; NULL: not measured. What runs for
    // less than energy_seconds is too short for it.
    gputune_result (*energy)(void *self, double *joules, gputune_error *error);
    double energy_seconds;
    bool takes_source; // true: OpenCL, CUDA; false: kernels are functions or nothing at all
    // Not NULL: the driver compiles CUDA C. Sources in OpenCL C are converted; this text, in front
    // of them, does the rest.
    const char *prelude;
} gputune_driver;

// Small helpers for drivers, which see only this public part.
// Writes result and text into *error (NULL is fine) and returns result.
GPUTUNE_API gputune_result gputune_error_set(gputune_error *error, gputune_result result,
                                             const char *format, ...);
// realloc through the options' allocator (options may be NULL): see gputune_allocator.
GPUTUNE_API void *gputune_reallocate(const gputune_options *options, void *memory, size_t bytes);
// One message to the options' log function, as the environment's GPUTUNE_LOG has it.
GPUTUNE_API void gputune_log(const gputune_options *options, gputune_log_level level,
                             const char *message);
// Loads the first library of a NULL-terminated list that can be loaded; NULL and ERROR_LIBRARY
// with every name tried and why, if none. Symbols stay private to the library (RTLD_LOCAL).
GPUTUNE_API void *gputune_library_open(const char *const *names, gputune_error *error);
// Stores the symbol's address into the function pointer at `function`; false when missing.
GPUTUNE_API bool gputune_library_symbol(void *library, const char *symbol, void *function);
GPUTUNE_API void gputune_library_close(void *library);
// Monotonic seconds since some fixed moment; and a pause of about so many.
GPUTUNE_API double gputune_now(void);
GPUTUNE_API void gputune_sleep(double seconds);

// Wraps a filled table; the device owns self from here on (also when this fails). options may be
// NULL. NULL only when out of memory, then self has been destroyed.
GPUTUNE_API gputune_device *gputune_device_create(const gputune_driver *driver, void *self,
                                                  const gputune_limits *limits,
                                                  const gputune_options *options);
// A device that only carries an error: what a driver returns when it cannot start, so that the
// program may check once, at the end: every call on it, and on kernels made from it, returns it.
GPUTUNE_API gputune_device *gputune_device_create_failed(const gputune_options *options,
                                                         const gputune_error *error);
// The driver's own object, so that a driver header can offer calls of its own; NULL when the device
// is another driver's or has failed.
GPUTUNE_API void *gputune_device_self(const gputune_device *device, const char *api);
// Kernels of the device must be destroyed first. NULL is fine.
GPUTUNE_API void gputune_device_destroy(gputune_device *device);
GPUTUNE_API const gputune_limits *gputune_device_limits(const gputune_device *device);
// The device's last error. NULL device: out of memory.
GPUTUNE_API const gputune_error *gputune_device_error(const gputune_device *device);

// Buffers for programs without calls of their own to the GPU's interface. A new buffer holds what
// host holds, or anything when host is NULL; its handle goes to gputune_in and so on (cl_mem,
// CUdeviceptr, host pointer). Read and write wait for everything enqueued before. NULL when it
// fails; then, and when a result is not GPUTUNE_OK, gputune_device_error says why.
GPUTUNE_API void *gputune_buffer(gputune_device *device, size_t bytes, const void *host);
GPUTUNE_API gputune_result gputune_buffer_read(gputune_device *device, void *buffer, void *host,
                                               size_t bytes);
GPUTUNE_API gputune_result gputune_buffer_write(gputune_device *device, void *buffer,
                                                const void *host, size_t bytes);
GPUTUNE_API void gputune_buffer_free(gputune_device *device, void *buffer); // NULL is fine

// A kernel on the host driver: called once for each work-group, from several threads when the
// program is compiled with OpenMP. It does the work-items [begin, end) of each dimension. As on a
// GPU the last group may reach over the problem's size: clip. args[i] points to the scalar's value
// or is the buffer itself.
typedef struct gputune_host_call {
    size_t begin[3], end[3];
    size_t global[3], local[3];
    void *const *args;
    const gputune_config *config;
    void *user; // gputune_function.user
} gputune_host_call;

// The processor as a device for C functions: OpenMP when compiled with it, serial otherwise.
GPUTUNE_API gputune_device *gputune_host_device(const gputune_options *options);

// What the replay driver does for one configuration. Set seconds; everything else is optional.
typedef struct gputune_replay_trial {
    double seconds;         // of one launch
    double compile_seconds; // of compiling it
    double watts;           // while it runs
    gputune_usage usage;    // all zero: unknown
    gputune_result result;  // GPUTUNE_ERROR_COMPILE, _LAUNCH, _LIBRARY, _RESOURCES, _DEVICE_LOST:
                            // fails so; _WRONG_OUTPUT, _OUT_OF_BOUNDS: the kernel misbehaves just
                            // so, and verification must find out
} gputune_replay_trial;

typedef struct gputune_replay_desc {
    gputune_options options;
    // Called for every compile and launch: fills *trial for the configuration.
    void (*trial)(void *user, const gputune_config *config, gputune_replay_trial *trial);
    void *user;
    double noise;      // relative standard deviation of a timing; 0: none
    double overhead;   // seconds a timed launch costs beside its own time (virtual clock)
    double energy_seconds; // how often the energy counter moves; 0: the device has none
    uint64_t seed;     // of the noise
    const char *name;  // device name; NULL: "replay"
    gputune_limits limits; // name and driver are overwritten
    bool translates; // compile in two steps, as CUDA: translation is done ahead by other threads,
                     // from which trial is then called, too, and costs no time on the clock
} gputune_replay_desc;

// A device that only pretends: times come from the callback, the clock is virtual, outputs are
// written by a fixed rule. Everything else (verification, journal, search) is the real thing.
GPUTUNE_API gputune_device *gputune_replay_device(const gputune_replay_desc *desc);

// ---------------------------------------------------------------------------------------------
// [model] occupancy
// ---------------------------------------------------------------------------------------------

// What keeps more work-groups from running on a multiprocessor at once; several may.
typedef enum gputune_occupancy_limiter {
    GPUTUNE_LIMITED_BY_WARPS = 1,
    GPUTUNE_LIMITED_BY_GROUPS = 2,
    GPUTUNE_LIMITED_BY_REGISTERS = 4,
    GPUTUNE_LIMITED_BY_LOCAL_MEMORY = 8,
    GPUTUNE_LIMITED_BY_BARRIERS = 16
} gputune_occupancy_limiter;

// A multiprocessor of an NVIDIA GPU. Set the compute capability; a number that is 0 is filled from
// a table of the known ones.
typedef struct gputune_multiprocessor {
    int major, minor; // compute capability
    int max_threads, max_groups;
    int64_t shared_memory;    // bytes in all
    int64_t shared_per_group; // bytes a block may have when it asks for more than usual (opt-in)
    int64_t shared_reserved;  // bytes that the system takes of every block
} gputune_multiprocessor;

typedef struct gputune_occupancy_desc {
    int group_size;            // work-items
    int registers;             // of a work-item
    int64_t static_shared, dynamic_shared; // bytes of a group
    int64_t max_dynamic;       // the function's limit for dynamic_shared; 0: 48 KiB, the default
    int carveout;              // percent of memory wished for as shared; 0: the driver's choice,
                               // -1: none
    int barriers;              // named barriers; 0: 1
} gputune_occupancy_desc;

typedef struct gputune_occupancy {
    int active_groups; // on one multiprocessor; 0: such a group cannot run
    int active_warps;
    double occupancy;  // active warps over the most there can be
    unsigned limiters; // bits of gputune_occupancy_limiter
} gputune_occupancy;

// The CUDA occupancy calculation, integer arithmetic, no device needed (shen-g-adapt 3.2.2 records
// it with every run). Fills zeros of *mp. ERROR_UNSUPPORTED for an unknown compute capability,
// ERROR_ARGUMENT for a group_size below 1.
GPUTUNE_API gputune_result gputune_occupancy_of(gputune_multiprocessor *mp,
                                                const gputune_occupancy_desc *desc,
                                                gputune_occupancy *occupancy);

// ---------------------------------------------------------------------------------------------
// [saturation] throughput curves and the minimum saturation point
// ---------------------------------------------------------------------------------------------

// Throughput is work over time (magni-msp-tuning 4, equation 1). It rises with the size of the
// problem until the device is busy; the minimum saturation point (MSP, 5.3) is the smallest size
// whose throughput is within a threshold of the highest. GPUTUNE_NO_SATURATION leaves it out.

// Units of work of a problem of `size`.
typedef enum gputune_complexity {
    GPUTUNE_LINEAR,
    GPUTUNE_N_LOG_N,
    GPUTUNE_QUADRATIC,
    GPUTUNE_CUBIC,
    GPUTUNE_POWER // size to the power of .exponent
} gputune_complexity;

// Units of work by a function of the program's own.
typedef double (*gputune_work_fn)(void *user, double size, const gputune_arg *args, int count);
// Changes the arguments (a copy; scalars, buffers, their bytes) to a problem of about that size;
// returns the size it made, <= 0: such a problem cannot be had.
typedef double (*gputune_resize_fn)(void *user, double size, gputune_arg *args, int count);

// How the size changes, what it means, how long to look. All zero: the kernel's work-items do equal
// work, and a part of its grid is launched on the real arguments.
typedef struct gputune_saturation_desc {
    const char *resize; // assignments to arguments by name, over `size` and the scalars as they
                        // are given: "n = size", "rows = sqrt(size), cols = rows, out = 4 * size"
                        // (a buffer's name: its bytes). NULL and no resize_fn: part of the grid
    gputune_resize_fn resize_fn;
    void *resize_user;
    double smallest, largest; // ends of the ladder. 0: largest / 4096, and the size of the call
                              // (with resize: must be given)
    double ratio;             // between two sizes; 0: 2
    gputune_complexity complexity;
    double exponent;
    const char *work;         // instead: an expression over `size` and the scalars, "n * n * m"
    gputune_work_fn work_fn;  // or a function
    void *work_user;
    double threshold;         // 0: 0.1; negative: 0
    int samples;              // launches a size; 0: 5 to 25, until the spread is small enough
    bool extrapolate;         // begin with small sizes, fit a saturating model and stop as soon as
                              // the plateau is certain (magni-msp-tuning 8.2)
    bool first;               // take the paper's MSP where throughput declines behind it. Default:
                              // the smallest size from which on throughput stays within the
                              // threshold of that at the largest size
} gputune_saturation_desc;

typedef struct gputune_curve_point {
    double size;         // as the ladder counts
    double items;        // work-items of the launch
    double work;
    gputune_stats stats; // seconds of a launch
    double throughput;   // work / stats.median
} gputune_curve_point;

#define GPUTUNE_VERDICTS(X)                                                                       \
    X(SATURATED, "saturated")     /* from the MSP on throughput stays within the threshold */     \
    X(NOT_REACHED, "not reached") /* still rising at the largest size, which is the MSP then */   \
    X(DECLINES, "declines")       /* throughput falls by more than the threshold behind the MSP */\
    X(TOO_NOISY, "too noisy")     /* points spread by more than the threshold: no telling */

typedef enum gputune_verdict {
#define GPUTUNE__X(name, word) GPUTUNE_##name,
    GPUTUNE_VERDICTS(GPUTUNE__X)
#undef GPUTUNE__X
        GPUTUNE_VERDICT_COUNT
} gputune_verdict;

GPUTUNE_API const char *gputune_verdict_name(gputune_verdict verdict);

// What a curve says.
typedef struct gputune_saturation {
    gputune_verdict verdict;
    int msp;             // index of the paper's MSP; -1: no points
    int settled;         // index of the first point from which on all are within the threshold of
                         // the last one's throughput; the same as msp where the curve saturates
    double peak;         // highest throughput measured
    // The model: seconds = latency + work / rate, by least squares of relative errors.
    double latency, rate;
    double rate_low, rate_high; // 95 % confidence interval of rate
    double misfit;       // root mean square of relative errors of the model; infinite: no model
    double model_msp;    // size at which the model reaches 1 - threshold of rate
} gputune_saturation;

// Reads a curve: points in ascending size. threshold as in the description. Pure arithmetic.
GPUTUNE_API void gputune_saturation_of(const gputune_curve_point *points, int count,
                                       double threshold, gputune_saturation *saturation);

enum { GPUTUNE_CURVE_POINTS = 64 };

typedef struct gputune_curve {
    gputune_curve_point points[GPUTUNE_CURVE_POINTS]; // measured, ascending
    int count;
    gputune_saturation saturation;
    double largest;        // end of the ladder; beyond the last point if the curve was cut short
    double seconds;        // wall time
    double device_seconds; // of all its launches
} gputune_curve;

// ---------------------------------------------------------------------------------------------
// [search] strategies
// ---------------------------------------------------------------------------------------------

#define GPUTUNE_STRATEGIES(X)                                                                     \
    X(AUTO, "auto")             /* exhaustive if the trials suffice, else local */                \
    X(EXHAUSTIVE, "exhaustive") /* every configuration once, in random order */                   \
    X(RANDOM, "random")         /* uniform, without replacement */                                \
    X(HILL_CLIMB, "hill_climb") /* shen-g-adapt 3.2.2: all parameters at their minimum, then the  \
                                   best of the one-step increases, until all are at the maximum */\
    X(LOCAL, "local")           /* greedy descent over neighbours with random restarts */

typedef enum gputune_strategy {
#define GPUTUNE__X(name, word) GPUTUNE_STRATEGY_##name,
    GPUTUNE_STRATEGIES(GPUTUNE__X)
#undef GPUTUNE__X
        GPUTUNE_STRATEGY_COUNT
} gputune_strategy;

GPUTUNE_API const char *gputune_strategy_name(gputune_strategy strategy);

// ---------------------------------------------------------------------------------------------
// [tune] tuners, and kernels that tune themselves
// ---------------------------------------------------------------------------------------------

// One configuration tried, as the journal has it.
typedef struct gputune_trial {
    gputune_config config;
    gputune_result result;  // GPUTUNE_OK, or why it cannot win
    double value;           // the objective: the median in seconds by default; infinite on
                            // failure
    gputune_stats stats;    // count 0 when told through gputune_tell
    double compile_seconds, wall_seconds;
    double energy, power;   // joules of a launch, watts; 0: not measured (see objective)
    gputune_usage usage;    // -1 in what is unknown: no driver's answer, or read from a journal
    const char *reason;     // the culprit's text, "" if ok; lives as long as the tuner
} gputune_trial;

typedef struct gputune_progress {
    const char *name;             // kernel or tuner
    const char *phase;            // "search", "race"; in an isolated tuning "start" and "wait",
                                  // too, without a trial: about once a second while its child
                                  // process starts, and while it runs a long trial
    int trials, trials_planned;   // done; expected in all (0: unknown)
    int failed;
    double seconds, eta;          // since tuning began; expected remaining (< 0: unknown)
    double default_value, best_value; // of the objective (s); infinite while unknown
    const gputune_trial *last;    // NULL at first and while waiting
} gputune_progress;

// Called after every trial. Return false to stop: what was found so far is used and saved.
typedef bool (*gputune_progress_fn)(void *user, const gputune_progress *progress);

// When a search is over, whichever comes first. All zero: 60 s, no limit on trials.
typedef struct gputune_budget {
    int trials;     // 0: no limit
    double seconds; // 0: 60; negative: no limit
    int patience;   // stop after this many trials in a row without a gain over 1 %; 0: never
} gputune_budget;

typedef struct gputune_tuner_desc {
    gputune_options options;
    const gputune_param *params;  // ends with a NULL name
    const char *const *require;   // ends with NULL; NULL: no restrictions
    const char *name;             // NULL: not stored, not journalled. Else the entry's name
    const char *problem;          // part of the store's key, e.g. "n=4096"; NULL: none
    gputune_strategy strategy;
    gputune_budget budget;
    uint64_t seed;                // the same seed and answers give the same trials
    gputune_progress_fn progress;
    void *progress_user;
} gputune_tuner_desc;

typedef struct gputune_tuner gputune_tuner;

// The third depth: minimise anything at all. NULL only when out of memory; other errors show in
// gputune_tuner_error, and gputune_next then returns false.
GPUTUNE_API gputune_tuner *gputune_tuner_create(const gputune_tuner_desc *desc);
GPUTUNE_API void gputune_tuner_destroy(gputune_tuner *tuner);
GPUTUNE_API const gputune_error *gputune_tuner_error(const gputune_tuner *tuner);
GPUTUNE_API const gputune_space *gputune_tuner_space(const gputune_tuner *tuner);

// The next configuration to try: the default first. False: the search is over, was cancelled, or
// the store knows the answer already. Each true must be followed by one tell.
GPUTUNE_API bool gputune_next(gputune_tuner *tuner, gputune_config *config);
// What it took: any finite number, smaller is better. Infinite or NaN: it failed.
GPUTUNE_API void gputune_tell(gputune_tuner *tuner, const gputune_config *config, double value);
// It failed, and why (copied).
GPUTUNE_API void gputune_tell_failure(gputune_tuner *tuner, const gputune_config *config,
                                      gputune_result result, const char *reason);
// The best so far, or the stored one. ERROR_EMPTY_SPACE while nothing has succeeded. Once the
// search is over, the first call also saves it.
GPUTUNE_API gputune_result gputune_tuner_best(gputune_tuner *tuner, gputune_config *config);
GPUTUNE_API int gputune_tuner_trial_count(const gputune_tuner *tuner);
GPUTUNE_API const gputune_trial *gputune_tuner_trial(const gputune_tuner *tuner, int trial);

// How far an output may be from the reference. An element passes if it is within any one of the
// three; NaN never passes; integers and BYTES must be equal unless absolute > 0; what the reference
// left unwritten must stay so. All zero: float 1e-4 relative or 1e-5 of the output's typical
// magnitude (the square of the mean of sqrt |x|), double 1e-10 and 1e-11, half 1e-2 and 1e-3. For
// bitwise equality of reals set absolute to 1e-300.
typedef struct gputune_tolerance {
    double absolute;
    double relative; // of the reference element
    double ulp;      // units in the last place of the element type
} gputune_tolerance;

// Outputs of one trial in host memory, for a check of your own.
typedef struct gputune_output {
    int arg;          // index in the kernel's arguments
    const void *data; // valid during the call
    size_t bytes;
    gputune_type type;
} gputune_output;

// Returns true if the outputs are right; else may write why (size bytes, NUL-terminated).
typedef bool (*gputune_check_fn)(void *user, const gputune_output *outputs, int count, char *why,
                                 size_t size);

// How to tune. All zero is sensible.
typedef struct gputune_tune_desc {
    gputune_strategy strategy;
    gputune_budget budget;
    uint64_t seed;
    gputune_progress_fn progress;
    void *progress_user;
    gputune_tolerance tolerance;
    gputune_check_fn check;   // replaces the comparison with the default's output
    void *check_user;
    const char *reference;    // a kernel of the same source and arguments: what it writes is right
    const char *reference_global, *reference_local; // its geometry; NULL: the kernel's own
    double time_limit;        // seconds one launch may take; 0: 1 s or 20 x the default's
    double hang_limit;        // seconds after which a device that does not answer is given up;
                              // 0: 10 s or 10 x time_limit
    bool cold_cache;          // wipe the last-level cache before every timed launch
    bool exact;               // key by the exact problem, not its power-of-two bucket
    const char *problem;      // what makes problems alike: expressions over the scalar arguments,
                              // "m, n, nnz / m"; NULL: every integer scalar
    int race_rounds;          // most rounds of the final race; 0: 40
    const char *objective;    // what to minimise: an expression over the metrics time (s), energy
                              // (J), power (W), registers, spill_bytes, local_bytes, occupancy, the
                              // parameters, scalar arguments and limits: "energy", "energy * time",
                              // "power > 150 ? 1e9 : time". NULL: "time". (jia-starchart VII.D)
    gputune_device *const *devices; // more devices identical to the kernel's, ends with NULL:
                              // trials are spread over all of them, one host thread each (see
                              // the manual's THREADS); the final race runs on the kernel's own.
                              // They must outlive the kernel. Read by gputune_kernel_create:
                              // ERROR_ARGUMENT names one that differs or comes twice
    bool isolate;             // POSIX: tune in a child process that runs the program anew, so that
                              // trials may crash it; see the manual's ISOLATION. The environment
                              // variable GPUTUNE_ISOLATE (1, 0) wins
    const char *const *isolate_command; // its arguments, ends with NULL, the program first (looked
                              // for in PATH); NULL: as this process's. Relative paths mean the
                              // directory in which the process is when it tunes
    bool msp;                 // MSP-tuning (magni-msp-tuning 5.3): search on a problem just large
                              // enough to keep the device busy, race the best few at the real size
    gputune_saturation_desc saturation; // of msp: how the problem shrinks
} gputune_tune_desc;

// A C function for devices without source, chosen by name like a kernel function.
typedef struct gputune_function {
    const char *name;
    gputune_host_fn function;
    void *user;
} gputune_function;

// For kernels compiled ahead: what the driver launches for a configuration (CUDA: a CUfunction).
// NULL: there is none, and the trial fails.
typedef void *(*gputune_select_fn)(void *user, const gputune_config *config);

typedef struct gputune_kernel_desc {
    const char *source;      // annotated OpenCL C or CUDA C; copied
    const char *file;        // or the path of it
    const char *name;        // the kernel function, or the parameter that selects it; in CUDA C
                             // also an instance of a template: "saxpy<float, BLOCK>"
    const char *global;      // work-items "ceil_div(n, ITEMS)", up to three, comma separated;
                             // rounded up to a multiple of local. NULL: the source's
                             // `#pragma gputune global`
    const char *local;       // work-group "BLOCK"; NULL: the pragma, else the driver chooses
    const char *options;     // for the compiler; must not define a parameter
    const gputune_param *params;      // besides the annotated ones; ends with a NULL name
    const char *const *require;       // besides the annotated ones; ends with NULL
    const gputune_function *functions; // for the host and replay drivers; ends with a NULL name
    gputune_coarsen_desc coarsen; // thread coarsening of a kernel with a source
    gputune_select_fn select; // instead of a source. The store then tells versions of your kernels
    void *select_user;        // apart by name and options alone: change one with them
    gputune_tune_desc tune;
} gputune_kernel_desc;

typedef struct gputune_kernel gputune_kernel;

// Reads the annotations. Never NULL unless out of memory; errors are kept and every later call
// returns them.
GPUTUNE_API gputune_kernel *gputune_kernel_create(gputune_device *device,
                                                  const gputune_kernel_desc *desc);
GPUTUNE_API void gputune_kernel_destroy(gputune_kernel *kernel);
GPUTUNE_API const gputune_error *gputune_kernel_error(const gputune_kernel *kernel);

typedef enum gputune_origin {
    GPUTUNE_FROM_DEFAULT, // not tuned: switched off, or nothing beat the default
    GPUTUNE_FROM_TUNING,  // found in this process
    GPUTUNE_FROM_STORE    // found in an earlier one
} gputune_origin;

// What MSP-tuning did. Equation 2: the time of an exhaustive search at the target size over that
// spent here, both counted in seconds of launches.
typedef struct gputune_msp_outcome {
    gputune_curve curve;
    double size, target;      // of the problem searched on, and of the real one
    int trials, candidates;   // tried there; raced at the target size
    double curve_seconds, search_seconds, race_seconds; // device time of launches
    double exhaustive_seconds; // estimate: the same trials at the target size
    double search_speedup;    // exhaustive_seconds / (curve_seconds + search_seconds +
                              // race_seconds): an estimate, too
} gputune_msp_outcome;

// What is known about a kernel for one problem. Strings and config live as long as the kernel.
typedef struct gputune_outcome {
    gputune_config config;       // the one that runs
    gputune_origin origin;
    gputune_stats default_stats; // from the final race; count 0 if unknown
    gputune_stats best_stats;
    double speedup;              // default over best, 1 if the default stays; of negative
                                 // objectives best over default, 0 where there is no ratio
    int trials, failed;          // of this tuning, resumed ones included; from the store: of the
                                 // tuning that found it (look at origin to tell)
    int resumed;                 // trials read from an interrupted run's journal
    double seconds;              // wall time of this tuning
    double drift;                // largest relative change of the default's time seen meanwhile
    double device_seconds;       // of all launches of this tuning
    const gputune_msp_outcome *msp; // NULL: was not tuned at its MSP in this process. Lives until
                                    // the kernel is tuned again
    const char *store;           // path, NULL if nothing was saved
    const char *problem;         // the key's problem part: "n=2^20"
    const char *note;            // why it is so: "tie with the default", "store: ...", "2
                                 // configurations ended the child process"
} gputune_outcome;

// Makes sure the best configuration for these arguments is known (looks it up or tunes) without
// launching it for real: the program's buffers are as before. outcome may be NULL.
GPUTUNE_API gputune_result gputune_tune(gputune_kernel *kernel, const gputune_arg *args,
                                        int arg_count, gputune_outcome *outcome);
// The same, then one launch on the program's own buffers and queue (asynchronous, as the API's own
// launch). When tuning fails, the default configuration is launched and the log says why; the
// result is an error only if that launch fails, too.
GPUTUNE_API gputune_result gputune_run(gputune_kernel *kernel, const gputune_arg *args,
                                       int arg_count);
// One launch of a configuration you choose, no tuning.
GPUTUNE_API gputune_result gputune_run_config(gputune_kernel *kernel, const gputune_config *config,
                                              const gputune_arg *args, int arg_count);
// Times a configuration you choose on private copies, no tuning: samples launches, verified
// against nothing.
GPUTUNE_API gputune_result gputune_time_config(gputune_kernel *kernel,
                                               const gputune_config *config,
                                               const gputune_arg *args, int arg_count,
                                               int samples, gputune_stats *stats);
// Builds the throughput curve of a configuration (NULL: the default) for these arguments, on
// private copies, no tuning. desc NULL: the kernel's own. ERROR_UNSUPPORTED: the size cannot be
// changed so, and why. (magni-msp-tuning 4, 5)
GPUTUNE_API gputune_result gputune_saturate(gputune_kernel *kernel,
                                            const gputune_saturation_desc *desc,
                                            const gputune_config *config, const gputune_arg *args,
                                            int arg_count, gputune_curve *curve);
// Of the last run or tune.
GPUTUNE_API const gputune_outcome *gputune_kernel_outcome(const gputune_kernel *kernel);
// The space for these arguments (its restrictions may mention them), for gputune_run_config.
GPUTUNE_API gputune_result gputune_kernel_space(gputune_kernel *kernel, const gputune_arg *args,
                                                int arg_count, const gputune_space **space);
// The trials of the last tuning in this process, resumed ones included.
GPUTUNE_API int gputune_kernel_trial_count(const gputune_kernel *kernel);
GPUTUNE_API const gputune_trial *gputune_kernel_trial(const gputune_kernel *kernel, int trial);
// A launch of a configuration, for programs that launch by themselves.
typedef struct gputune_geometry {
    int dimensions;
    size_t global[3], local[3]; // work-items; local 0: the interface chooses
    bool has_grid;              // coarsened: the kernel takes `grid` as one more argument, the last
    gputune_grid grid;
} gputune_geometry;

GPUTUNE_API gputune_result gputune_kernel_geometry(gputune_kernel *kernel,
                                                   const gputune_config *config,
                                                   const gputune_arg *args, int arg_count,
                                                   gputune_geometry *geometry);
// The source with a configuration's values in it: what the compiler gets. NULL and an error if it
// cannot be made. Lives until the next call.
GPUTUNE_API const char *gputune_kernel_source(gputune_kernel *kernel, const gputune_config *config);

#ifdef __cplusplus
}
#endif

#endif // GPUTUNE_H

// =============================================================================================
// IMPLEMENTATION
// =============================================================================================

#if defined(GPUTUNE_IMPLEMENTATION) && !defined(GPUTUNE__IMPLEMENTED)
#define GPUTUNE__IMPLEMENTED

#include <assert.h>
#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef _OPENMP
#include <omp.h>
#endif

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif
#endif

// A private copy of stb_ds: functions declared static first keep internal linkage, so nothing is
// exported. A program that uses stb_ds in the same file includes it before this header; then its
// copy serves both.
#ifndef INCLUDE_STB_DS_H
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__) || defined(__clang__)
#define GPUTUNE__PRIVATE static __attribute__((unused))
#else
#define GPUTUNE__PRIVATE static
#endif
typedef struct stbds_string_arena stbds_string_arena;
GPUTUNE__PRIVATE void stbds_rand_seed(size_t seed);
GPUTUNE__PRIVATE size_t stbds_hash_bytes(void *p, size_t len, size_t seed);
GPUTUNE__PRIVATE size_t stbds_hash_string(char *str, size_t seed);
GPUTUNE__PRIVATE char *stbds_stralloc(stbds_string_arena *a, char *str);
GPUTUNE__PRIVATE void stbds_strreset(stbds_string_arena *a);
GPUTUNE__PRIVATE void *stbds_arrgrowf(void *a, size_t elemsize, size_t addlen, size_t min_cap);
GPUTUNE__PRIVATE void stbds_arrfreef(void *a);
GPUTUNE__PRIVATE void stbds_hmfree_func(void *p, size_t elemsize);
GPUTUNE__PRIVATE void *stbds_hmget_key(void *a, size_t elemsize, void *key, size_t keysize,
                                       int mode);
GPUTUNE__PRIVATE void *stbds_hmget_key_ts(void *a, size_t elemsize, void *key, size_t keysize,
                                          ptrdiff_t *temp, int mode);
GPUTUNE__PRIVATE void *stbds_hmput_default(void *a, size_t elemsize);
GPUTUNE__PRIVATE void *stbds_hmput_key(void *a, size_t elemsize, void *key, size_t keysize,
                                       int mode);
GPUTUNE__PRIVATE void *stbds_hmdel_key(void *a, size_t elemsize, void *key, size_t keysize,
                                       size_t keyoffset, int mode);
GPUTUNE__PRIVATE void *stbds_shmode_func(size_t elemsize, int mode);
#ifdef __cplusplus
}
#endif
#define STB_DS_IMPLEMENTATION
#define STBDS_NO_SHORT_NAMES
#if defined(GPUTUNE_STB_DS_H)
#include GPUTUNE_STB_DS_H
#elif defined(__has_include)
#if __has_include("stb_ds.h")
#include "stb_ds.h"
#else
#include <stb/stb_ds.h>
#endif
#else
#include <stb/stb_ds.h>
#endif
#undef STB_DS_IMPLEMENTATION
#undef STBDS_NO_SHORT_NAMES
#endif

// gcc spends twice the time on this file at -O2 as at -O1 (6.6 against 3.2 s on a slow machine).
// What that buys: counting a space of 10^12 takes 0.13 instead of 0.16 s, a look-up 0.33 instead of
// 0.51 us, the rest is equal. GPUTUNE_FULL_OPTIMIZATION leaves your level alone. nvcc does not know
// the pragma.
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__) && defined(__OPTIMIZE__) &&  \
    !defined(GPUTUNE_FULL_OPTIMIZATION)
#define GPUTUNE__OPTIMIZE_O1
#pragma GCC push_options
#pragma GCC optimize("O1")
#endif

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------------
// [base]
// ---------------------------------------------------------------------------------------------

#if defined(__MINGW32__)
#define GPUTUNE__PRINTF(text, first) __attribute__((format(gnu_printf, text, first)))
#define GPUTUNE__MAYBE_UNUSED __attribute__((unused))
#elif defined(__GNUC__) || defined(__clang__)
#define GPUTUNE__PRINTF(text, first) __attribute__((format(printf, text, first)))
#define GPUTUNE__MAYBE_UNUSED __attribute__((unused))
#else
#define GPUTUNE__PRINTF(text, first)
#define GPUTUNE__MAYBE_UNUSED
#endif

// -std=c99 hides these from programs that define no feature macro; the library has them all the
// same. Declared with a struct of our own, since the real one is hidden, too.
#if defined(__STRICT_ANSI__) && defined(__linux__) && !defined(__cplusplus) &&                    \
    !defined(_POSIX_C_SOURCE) && !defined(_GNU_SOURCE) && !defined(_DEFAULT_SOURCE)
struct gputune__timespec {
    time_t tv_sec;
    long tv_nsec;
};
extern int clock_gettime(int clock, struct gputune__timespec *time);
#define GPUTUNE__MONOTONIC 1
#elif !defined(_WIN32)
#define gputune__timespec timespec
#define GPUTUNE__MONOTONIC CLOCK_MONOTONIC
#endif
// These are hidden by an old _POSIX_C_SOURCE, too.
#if defined(__linux__) && !defined(__cplusplus) && !defined(__USE_XOPEN2K) &&                     \
    (defined(__GLIBC__) || defined(__STRICT_ANSI__))
extern int fsync(int file);
extern int ftruncate(int file, off_t size);
extern ssize_t readlink(const char *path, char *target, size_t size);
#endif
#if !defined(_WIN32)
#if defined(__linux__) && !defined(__cplusplus) && defined(__STRICT_ANSI__)
extern int kill(pid_t process, int number);
extern int sigemptyset(sigset_t *set);
extern int sigfillset(sigset_t *set);
extern int sigdelset(sigset_t *set, int number);
extern int sigprocmask(int how, const sigset_t *set, sigset_t *old);
#ifndef SIG_SETMASK
#if defined(__mips__)
#define SIG_SETMASK 3
#else
#define SIG_SETMASK 2
#endif
#endif
#endif
// Of the calling thread. In glibc before 2.32 pthread_sigmask is not in libc itself.
#if defined(__linux__)
#define GPUTUNE__SIGMASK sigprocmask
#else
#define GPUTUNE__SIGMASK pthread_sigmask
#endif
extern char **environ;
#ifdef MSG_NOSIGNAL
#define GPUTUNE__NO_SIGNAL MSG_NOSIGNAL // writing to a process that is gone is an error, no signal
#else
#define GPUTUNE__NO_SIGNAL 0
#endif
#endif

// First member of every object: where its memory comes from, where its messages go, what went
// wrong last.
typedef struct gputune__base {
    gputune_allocator allocator;
    gputune_log_fn log;
    void *log_user;
    gputune_log_level level;
    gputune_mode mode;
    int threads; // gputune_options.threads
    gputune_error error;
} gputune__base;

GPUTUNE_API const char *gputune_result_name(gputune_result result)
{
    static const char *const names[] = {
#define GPUTUNE__X(name, word, text) word,
        GPUTUNE_RESULTS(GPUTUNE__X)
#undef GPUTUNE__X
    };
    return (unsigned)result < GPUTUNE_RESULT_COUNT ? names[result] : "unknown";
}

GPUTUNE_API const char *gputune_result_text(gputune_result result)
{
    static const char *const texts[] = {
#define GPUTUNE__X(name, word, text) text,
        GPUTUNE_RESULTS(GPUTUNE__X)
#undef GPUTUNE__X
    };
    return (unsigned)result < GPUTUNE_RESULT_COUNT ? texts[result] : "unknown result";
}

static void *gputune__reallocate(const gputune_allocator *allocator, void *memory, size_t bytes)
{
    if (allocator->reallocate) return allocator->reallocate(allocator->user, memory, bytes);
    if (bytes) return realloc(memory, bytes);
    free(memory);
    return NULL;
}

static void gputune__free(const gputune__base *b, void *memory)
{
    if (memory) gputune__reallocate(&b->allocator, memory, 0);
}

// Zeroed; NULL when out of memory or when count * size overflows. count 0 is taken as 1.
static void *gputune__alloc(const gputune__base *b, size_t count, size_t size)
{
    void *memory;
    if (count == 0) count = 1;
    if (size && count > (size_t)-1 / size) return NULL;
    memory = gputune__reallocate(&b->allocator, NULL, count * size);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

static char *gputune__strndup(const gputune__base *b, const char *text, size_t length)
{
    char *copy = (char *)gputune__alloc(b, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

static char *gputune__strdup(const gputune__base *b, const char *text)
{
    return gputune__strndup(b, text, strlen(text));
}

// Dynamic arrays are stb_ds arrays whose room is made here, through our allocator and checked,
// because stb_ds does not check its realloc. array is the address of the array variable; after
// success stbds_arrput and friends can add `add` items without growing.
static bool gputune__arr_room_(const gputune__base *b, void *array, size_t item, size_t add)
{
    stbds_array_header *header = NULL;
    size_t length = 0, capacity = 0, wanted;
    char *items, *block;
    memcpy(&items, array, sizeof items);
    if (items) {
        header = (stbds_array_header *)(void *)(items - sizeof *header);
        length = header->length;
        capacity = header->capacity;
    }
    if (add > (size_t)-1 / 4 - length) return false;
    wanted = length + add;
    if (wanted <= capacity && items) return true;
    if (wanted < 2 * capacity) wanted = 2 * capacity;
    if (wanted < 8) wanted = 8;
    if (wanted > ((size_t)-1 - sizeof *header) / item) return false;
    block = (char *)gputune__reallocate(&b->allocator, header, sizeof *header + wanted * item);
    if (!block) return false;
    header = (stbds_array_header *)(void *)block;
    if (!items) memset(header, 0, sizeof *header);
    header->capacity = wanted;
    items = block + sizeof *header;
    memcpy(array, &items, sizeof items);
    return true;
}

static void gputune__arr_free_(const gputune__base *b, void *array)
{
    char *items;
    memcpy(&items, array, sizeof items);
    if (items) gputune__free(b, items - sizeof(stbds_array_header));
    items = NULL;
    memcpy(array, &items, sizeof items);
}

#define gputune__arr_room(b, array, add) gputune__arr_room_(b, &(array), sizeof *(array), add)
#define gputune__arr_free(b, array) gputune__arr_free_(b, &(array))
// Appends one item; false when out of memory.
#define gputune__push(b, array, item)                                                             \
    (gputune__arr_room(b, array, 1) ? ((void)stbds_arrput(array, item), true) : false)
#define gputune__len(array) ((int)stbds_arrlen(array))

static gputune_result gputune__vfail(gputune_error *error, gputune_result result,
                                     const char *format, va_list args)
{
    if (!error) return result;
    error->result = result;
    if (format)
        vsnprintf(error->text, sizeof error->text, format, args);
    else
        snprintf(error->text, sizeof error->text, "%s", gputune_result_text(result));
    return result;
}

// Writes an error and returns its result.
GPUTUNE__PRINTF(3, 4)
static gputune_result gputune__error(gputune_error *error, gputune_result result,
                                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gputune__vfail(error, result, format, args);
    va_end(args);
    return result;
}

static gputune_result gputune__oom(gputune_error *error)
{
    return gputune__error(error, GPUTUNE_ERROR_MEMORY, "%s", "out of memory");
}

static void gputune__log_stderr(void *user, gputune_log_level level, const char *message)
{
    static const char *const words[] = { "", "error", "warning", "info", "debug" };
    (void)user;
    fprintf(stderr, "gputune %s: %s\n", words[level], message);
}

GPUTUNE__PRINTF(3, 4)
static void gputune__log(const gputune__base *b, gputune_log_level level, const char *format, ...)
{
    char message[2048];
    va_list args;
    if (!b->log || level > b->level) return;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    b->log(b->log_user, level, message);
}

// Appends to a text kept as an stb_ds array of char, always NUL-terminated; its length does not
// count the NUL. false when out of memory.
static bool gputune__text_put(const gputune__base *b, char **text, const char *add, size_t length)
{
    size_t old = *text ? (size_t)stbds_arrlen(*text) : 0;
    if (!gputune__arr_room_(b, text, 1, length + 1)) return false;
    if (length) memcpy(*text + old, add, length);
    (*text)[old + length] = 0;
    stbds_arrsetlen(*text, old + length);
    return true;
}

GPUTUNE__PRINTF(3, 4)
static bool gputune__text_add(const gputune__base *b, char **text, const char *format, ...)
{
    size_t old = *text ? (size_t)stbds_arrlen(*text) : 0;
    va_list args;
    int length;
    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0 || !gputune__arr_room_(b, text, 1, (size_t)length + 1)) return false;
    va_start(args, format);
    vsnprintf(*text + old, (size_t)length + 1, format, args);
    va_end(args);
    stbds_arrsetlen(*text, old + (size_t)length);
    return true;
}

static bool gputune__word_is(const char *text, const char *word)
{
    while (*text && *word) {
        char c = *text++;
        if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
        if (c != *word++) return false;
    }
    return *text == *word;
}

// Position of text in a list that ends with NULL, or -1.
static int gputune__word_find(const char *text, const char *const *words)
{
    int i;
    for (i = 0; words[i]; i++)
        if (gputune__word_is(text, words[i])) return i;
    return -1;
}

// Where messages go: the options' function and level, which the environment overrides. False when
// the environment's word is unknown.
static bool gputune__base_log(gputune__base *b, const gputune_options *options)
{
    static const char *const levels[] = { "none", "error", "warn", "info", "debug", NULL };
    const char *level = getenv("GPUTUNE_LOG");
    int found;
    if (options) {
        b->log = options->log;
        b->log_user = options->log_user;
        b->level = options->log_level;
    }
    if (!b->level) b->level = GPUTUNE_LOG_INFO;
    if (!level || !*level) return true;
    found = gputune__word_find(level, levels);
    b->level = found < 0 ? GPUTUNE_LOG_INFO : (gputune_log_level)found;
    if (!b->log) b->log = gputune__log_stderr;
    return found >= 0;
}

static void gputune__base_init(gputune__base *b, const gputune_options *options)
{
    static const char *const modes[] = { "default", "off", "on", "force", "readonly", NULL };
    const char *mode = getenv("GPUTUNE");
    memset(b, 0, sizeof *b);
    if (options) {
        b->allocator = options->allocator;
        b->mode = options->mode;
        b->threads = options->threads;
    }
    if (!gputune__base_log(b, options))
        gputune__log(b, GPUTUNE_LOG_WARN,
                     "GPUTUNE_LOG=%s is none of none, error, warn, info, debug",
                     getenv("GPUTUNE_LOG"));
    if (mode && *mode) {
        int found = gputune__word_find(mode, modes);
        if (found > 0)
            b->mode = (gputune_mode)found;
        else
            gputune__log(b, GPUTUNE_LOG_WARN, "GPUTUNE=%s is none of off, on, force, readonly",
                         mode);
    }
    if (b->mode == GPUTUNE_MODE_DEFAULT) b->mode = GPUTUNE_MODE_ON;
}

GPUTUNE_API double gputune_now(void)
{
#if defined(_WIN32)
    LARGE_INTEGER count, rate;
    QueryPerformanceCounter(&count);
    QueryPerformanceFrequency(&rate);
    return (double)count.QuadPart / (double)rate.QuadPart;
#else
    struct gputune__timespec now;
    clock_gettime(GPUTUNE__MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
#endif
}

GPUTUNE_API void gputune_sleep(double seconds)
{
#if defined(_WIN32)
    Sleep((DWORD)(seconds * 1000.0));
#else
    struct timeval wait;
    wait.tv_sec = (time_t)seconds;
    wait.tv_usec = (suseconds_t)((seconds - (double)(time_t)seconds) * 1e6);
    select(0, NULL, NULL, NULL, &wait);
#endif
}

// FNV-1a with a final mix (splitmix64's), so that short keys spread over all 64 bits. Written to
// disk: never change it.
static uint64_t gputune__mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static uint64_t gputune__hash(const void *data, size_t bytes, uint64_t seed)
{
    const unsigned char *p = (const unsigned char *)data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ seed;
    size_t i;
    for (i = 0; i < bytes; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return gputune__mix(hash);
}

static uint64_t gputune__hash_text(const char *text, uint64_t seed)
{
    return gputune__hash(text, strlen(text), seed);
}

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
static uint64_t gputune__random(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return gputune__mix(*state);
}

// Uniform in [0, n), n > 0, without modulo bias: the incomplete last block is drawn again.
static uint64_t gputune__random_below(uint64_t *state, uint64_t n)
{
    uint64_t limit = (uint64_t)-1 - ((uint64_t)-1 % n + 1) % n, x;
    do {
        x = gputune__random(state);
    } while (x > limit);
    return x % n;
}

// Uniform in (0, 1).
static double gputune__random_unit(uint64_t *state)
{
    return ((double)(gputune__random(state) >> 11) + 0.5) * (1.0 / 9007199254740992.0);
}

// Standard normal, by Box and Muller.
static double gputune__random_normal(uint64_t *state)
{
    double u = gputune__random_unit(state), v = gputune__random_unit(state);
    return sqrt(-2.0 * log(u)) * cos(6.283185307179586 * v);
}

static int gputune__compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double gputune__quantile(const double *sorted, int count, double p)
{
    double at = p * (count - 1);
    int below = (int)at;
    if (below >= count - 1) return sorted[count - 1];
    return sorted[below] + (at - below) * (sorted[below + 1] - sorted[below]);
}

GPUTUNE_API gputune_stats gputune_stats_of(double *samples, int count)
{
    gputune_stats stats;
    memset(&stats, 0, sizeof stats);
    assert(count > 0);
    qsort(samples, (size_t)count, sizeof *samples, gputune__compare_doubles);
    stats.count = count;
    stats.min = samples[0];
    stats.max = samples[count - 1];
    stats.q1 = gputune__quantile(samples, count, 0.25);
    stats.median = gputune__quantile(samples, count, 0.5);
    stats.q3 = gputune__quantile(samples, count, 0.75);
    return stats;
}

// ---------------------------------------------------------------------------------------------
// [expr]
// ---------------------------------------------------------------------------------------------

// Expressions in C syntax, kept as trees. a + b - c, a * b, a && b, a || b, min and max are one
// node with many operands: evaluated from left to right as C does, but open to regrouping.
typedef enum gputune__op {
    GPUTUNE__OP_CONSTANT,
    GPUTUNE__OP_SYMBOL,
    GPUTUNE__OP_AND,
    GPUTUNE__OP_OR,
    GPUTUNE__OP_COND,
    GPUTUNE__OP_ADD, // from here to CEIL_DIV: two operands, or many taken from left to right
    GPUTUNE__OP_SUB, // only between operands of ADD: gputune__node.minus
    GPUTUNE__OP_MUL,
    GPUTUNE__OP_DIV,
    GPUTUNE__OP_MOD,
    GPUTUNE__OP_SHL,
    GPUTUNE__OP_SHR,
    GPUTUNE__OP_LT,
    GPUTUNE__OP_LE,
    GPUTUNE__OP_GT,
    GPUTUNE__OP_GE,
    GPUTUNE__OP_EQ,
    GPUTUNE__OP_NE,
    GPUTUNE__OP_BIT_AND,
    GPUTUNE__OP_BIT_XOR,
    GPUTUNE__OP_BIT_OR,
    GPUTUNE__OP_MIN,
    GPUTUNE__OP_MAX,
    GPUTUNE__OP_CEIL_DIV,
    GPUTUNE__OP_NOT, // from here on: one operand
    GPUTUNE__OP_FLIP,
    GPUTUNE__OP_NEG,
    GPUTUNE__OP_ABS,
    GPUTUNE__OP_LOG2,
    GPUTUNE__OP_IS_POW2
} gputune__op;

// Why an operation has no value.
#define GPUTUNE__FAULTS(X)                                                                        \
    X(ZERO, "division by zero")                                                                   \
    X(OVERFLOW, "overflow")                                                                       \
    X(SHIFT, "shift count outside 0..63")                                                         \
    X(NAME, "a name where a number is needed")                                                    \
    X(REAL, "a real number where an integer is needed")                                           \
    X(LOG, "log2 of a number that is not positive")                                               \
    X(COMPARE, "a name compared with a number")

typedef enum gputune__fault {
#define GPUTUNE__X(name, text) GPUTUNE__FAULT_##name,
    GPUTUNE__FAULTS(GPUTUNE__X)
#undef GPUTUNE__X
        GPUTUNE__FAULT_COUNT
} gputune__fault;

enum { GPUTUNE__KIND_FAULT = GPUTUNE_NAME + 1 };

// A value small enough for two registers. kind: gputune_value_kind, or KIND_FAULT.
typedef struct gputune__num {
    int64_t kind;
    union {
        int64_t i; // GPUTUNE_INTEGER; a gputune__fault
        double r;
        const char *s;
    } u;
} gputune__num;

typedef struct gputune__node {
    gputune__op op;
    bool minus;              // an operand of ADD that is subtracted
    bool bare;               // a comparison without parentheses round it
    int depth;
    int column;              // of the operator, symbol or literal
    int before;              // of the operator between the operand to the left and this one
    int child, tail, next;   // first and last operand; next operand of the same parent; or -1
    int symbol;              // its place in gputune__expr.symbols, then in values
    int index;
    gputune__num value;      // CONSTANT
} gputune__node;

typedef struct gputune__symbol_ref {
    int start, length; // in the text
    int index;         // in values
} gputune__symbol_ref;

typedef struct gputune__expr {
    char *text;
    gputune__node *nodes;         // stb_ds arrays
    gputune__symbol_ref *symbols; // each name once, in order of appearance
    char **strings;
    int root;
} gputune__expr;

// Parser frames and levels of a tree; bounds the stack that hostile text can make us use.
enum { GPUTUNE__PARSE_DEPTH = 1000, GPUTUNE__TREE_DEPTH = 250 };

// The text between 0 and 5 of 0.5 in the program's locale.
static void gputune__decimal_point(char *point, size_t size)
{
    char half[16];
    size_t length;
    snprintf(half, sizeof half, "%.1f", 0.5);
    length = strlen(half);
    if (length < 3 || length - 2 >= size) {
        snprintf(point, size, ".");
        return;
    }
    memcpy(point, half + 1, length - 2);
    point[length - 2] = 0;
}

// strtod over the whole text, with a point for the decimal point whatever the locale says.
static bool gputune__real_parse(const char *text, size_t length, double *value)
{
    char copy[160], point[8], *end;
    const char *dot = (const char *)memchr(text, '.', length);
    size_t before = dot ? (size_t)(dot - text) : length, width = 0;
    if (length == 0 || length > sizeof copy - sizeof point) return false;
    memcpy(copy, text, before);
    if (dot) {
        gputune__decimal_point(point, sizeof point);
        width = strlen(point);
        memcpy(copy + before, point, width);
        memcpy(copy + before + width, dot + 1, length - before - 1);
        width--;
    }
    copy[length + width] = 0;
    *value = strtod(copy, &end);
    return *end == 0 && *value - *value == 0.0;
}

// The shortest text that reads back as the same number; always with a point or an exponent.
static void gputune__real_text(double value, char *text, size_t size)
{
    char buffer[64], point[8], *at;
    double back;
    int digits;
    gputune__decimal_point(point, sizeof point);
    for (digits = 15; digits <= 17; digits++) {
        snprintf(buffer, sizeof buffer, "%.*g", digits, value);
        at = strstr(buffer, point);
        if (at) {
            *at = '.';
            memmove(at + 1, at + strlen(point), strlen(at + strlen(point)) + 1);
        }
        if (gputune__real_parse(buffer, strlen(buffer), &back) && !(back < value) &&
            !(back > value))
            break;
    }
    snprintf(text, size, "%s%s", buffer, strpbrk(buffer, ".en") ? "" : ".0");
}

static gputune__num gputune__num_int(int64_t value)
{
    gputune__num num;
    num.kind = GPUTUNE_INTEGER;
    num.u.i = value;
    return num;
}

static gputune__num gputune__num_fault(gputune__fault fault)
{
    gputune__num num;
    num.kind = GPUTUNE__KIND_FAULT;
    num.u.i = (int64_t)fault;
    return num;
}

// -0.0 becomes 0.0, so that equal numbers have equal bits.
static gputune__num gputune__num_real(double value)
{
    gputune__num num;
    if (!(value - value == 0.0)) return gputune__num_fault(GPUTUNE__FAULT_OVERFLOW);
    num.kind = GPUTUNE_REAL;
    num.u.r = value + 0.0;
    return num;
}

static gputune__num gputune__num_name(const char *name)
{
    gputune__num num;
    num.kind = GPUTUNE_NAME;
    num.u.s = name;
    return num;
}

static gputune__num gputune__num_of(const gputune_value *value)
{
    if (value->kind == GPUTUNE_INTEGER) return gputune__num_int(value->integer);
    if (value->kind == GPUTUNE_REAL) return gputune__num_real(value->real);
    return gputune__num_name(value->name);
}

static double gputune__num_double(gputune__num a)
{
    return a.kind == GPUTUNE_INTEGER ? (double)a.u.i : a.u.r;
}

// 1 or 0, or -1 for a name or a fault.
static int gputune__num_truth(gputune__num a)
{
    if (a.kind == GPUTUNE_INTEGER) return a.u.i != 0;
    if (a.kind == GPUTUNE_REAL) return a.u.r < 0.0 || a.u.r > 0.0;
    return -1;
}

static gputune__num gputune__int_add(int64_t a, int64_t b)
{
    if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
        return gputune__num_fault(GPUTUNE__FAULT_OVERFLOW);
    return gputune__num_int(a + b);
}

static gputune__num gputune__int_sub(int64_t a, int64_t b)
{
    if (b > 0 ? a < INT64_MIN + b : a > INT64_MAX + b)
        return gputune__num_fault(GPUTUNE__FAULT_OVERFLOW);
    return gputune__num_int(a - b);
}

static gputune__num gputune__int_mul(int64_t a, int64_t b)
{
    bool over;
    if (a >= -INT32_MAX && a <= INT32_MAX && b >= -INT32_MAX && b <= INT32_MAX)
        return gputune__num_int(a * b);
    if (a > 0)
        over = b > 0 ? a > INT64_MAX / b : b < INT64_MIN / a;
    else
        over = b > 0 ? a < INT64_MIN / b : a != 0 && b < INT64_MAX / a;
    return over ? gputune__num_fault(GPUTUNE__FAULT_OVERFLOW) : gputune__num_int(a * b);
}

static gputune__num gputune__int_div(gputune__op op, int64_t a, int64_t b)
{
    int64_t quotient;
    if (b == 0) return gputune__num_fault(GPUTUNE__FAULT_ZERO);
    if (a == INT64_MIN && b == -1) return gputune__num_fault(GPUTUNE__FAULT_OVERFLOW);
    if (op == GPUTUNE__OP_MOD) return gputune__num_int(a % b);
    quotient = a / b;
    if (op == GPUTUNE__OP_CEIL_DIV && a % b != 0 && (a < 0) == (b < 0)) quotient++;
    return gputune__num_int(quotient);
}

static gputune__num gputune__int_shift(gputune__op op, int64_t a, int64_t count)
{
    if (count < 0 || count > 63) return gputune__num_fault(GPUTUNE__FAULT_SHIFT);
    if (op == GPUTUNE__OP_SHR) // arithmetic, without relying on the compiler for negative numbers
        return gputune__num_int(a < 0 ? ~(~a >> count) : a >> count);
    if (a == 0) return gputune__num_int(0);
    if (count == 63)
        return a == -1 ? gputune__num_int(INT64_MIN)
                       : gputune__num_fault(GPUTUNE__FAULT_OVERFLOW);
    return gputune__int_mul(a, INT64_C(1) << count);
}

static gputune__num gputune__int_apply(gputune__op op, int64_t a, int64_t b)
{
    switch (op) {
    case GPUTUNE__OP_ADD: return gputune__int_add(a, b);
    case GPUTUNE__OP_SUB: return gputune__int_sub(a, b);
    case GPUTUNE__OP_MUL: return gputune__int_mul(a, b);
    case GPUTUNE__OP_DIV:
    case GPUTUNE__OP_MOD:
    case GPUTUNE__OP_CEIL_DIV: return gputune__int_div(op, a, b);
    case GPUTUNE__OP_SHL:
    case GPUTUNE__OP_SHR: return gputune__int_shift(op, a, b);
    case GPUTUNE__OP_LT: return gputune__num_int(a < b);
    case GPUTUNE__OP_LE: return gputune__num_int(a <= b);
    case GPUTUNE__OP_GT: return gputune__num_int(a > b);
    case GPUTUNE__OP_GE: return gputune__num_int(a >= b);
    case GPUTUNE__OP_EQ: return gputune__num_int(a == b);
    case GPUTUNE__OP_NE: return gputune__num_int(a != b);
    case GPUTUNE__OP_BIT_AND: return gputune__num_int(a & b);
    case GPUTUNE__OP_BIT_XOR: return gputune__num_int(a ^ b);
    case GPUTUNE__OP_BIT_OR: return gputune__num_int(a | b);
    case GPUTUNE__OP_MIN: return gputune__num_int(a < b ? a : b);
    default: return gputune__num_int(a > b ? a : b); // MAX
    }
}

static gputune__num gputune__real_apply(gputune__op op, double a, double b)
{
    switch (op) {
    case GPUTUNE__OP_ADD: return gputune__num_real(a + b);
    case GPUTUNE__OP_SUB: return gputune__num_real(a - b);
    case GPUTUNE__OP_MUL: return gputune__num_real(a * b);
    case GPUTUNE__OP_DIV:
    case GPUTUNE__OP_MOD:
    case GPUTUNE__OP_CEIL_DIV:
        if (!(b < 0.0) && !(b > 0.0)) return gputune__num_fault(GPUTUNE__FAULT_ZERO);
        if (op == GPUTUNE__OP_MOD) return gputune__num_real(fmod(a, b));
        return gputune__num_real(op == GPUTUNE__OP_DIV ? a / b : ceil(a / b));
    case GPUTUNE__OP_LT: return gputune__num_int(a < b);
    case GPUTUNE__OP_LE: return gputune__num_int(a <= b);
    case GPUTUNE__OP_GT: return gputune__num_int(a > b);
    case GPUTUNE__OP_GE: return gputune__num_int(a >= b);
    case GPUTUNE__OP_EQ: return gputune__num_int(!(a < b) && !(a > b));
    case GPUTUNE__OP_NE: return gputune__num_int(a < b || a > b);
    case GPUTUNE__OP_MIN: return gputune__num_real(a < b ? a : b);
    case GPUTUNE__OP_MAX: return gputune__num_real(a > b ? a : b);
    default: return gputune__num_fault(GPUTUNE__FAULT_REAL);
    }
}

// An operator with two operands; a fault in one of them is the result.
static gputune__num gputune__apply2(gputune__op op, gputune__num a, gputune__num b)
{
    if (a.kind == GPUTUNE_INTEGER && b.kind == GPUTUNE_INTEGER)
        return gputune__int_apply(op, a.u.i, b.u.i);
    if (a.kind == GPUTUNE__KIND_FAULT) return a;
    if (b.kind == GPUTUNE__KIND_FAULT) return b;
    if (a.kind != GPUTUNE_NAME && b.kind != GPUTUNE_NAME)
        return gputune__real_apply(op, gputune__num_double(a), gputune__num_double(b));
    if (op != GPUTUNE__OP_EQ && op != GPUTUNE__OP_NE)
        return gputune__num_fault(GPUTUNE__FAULT_NAME);
    if (a.kind != b.kind) return gputune__num_fault(GPUTUNE__FAULT_COMPARE);
    return gputune__num_int((strcmp(a.u.s, b.u.s) == 0) == (op == GPUTUNE__OP_EQ));
}

static int64_t gputune__floor_log2(int64_t value)
{
    int64_t log = 0;
    while (value >>= 1) log++;
    return log;
}

static gputune__num gputune__int_apply1(gputune__op op, int64_t a)
{
    switch (op) {
    case GPUTUNE__OP_FLIP: return gputune__num_int(~a);
    case GPUTUNE__OP_NEG: return gputune__int_sub(0, a);
    case GPUTUNE__OP_ABS: return a < 0 ? gputune__int_sub(0, a) : gputune__num_int(a);
    case GPUTUNE__OP_LOG2:
        if (a <= 0) return gputune__num_fault(GPUTUNE__FAULT_LOG);
        return gputune__num_int(gputune__floor_log2(a));
    default: return gputune__num_int(a > 0 && (a & (a - 1)) == 0); // IS_POW2
    }
}

static gputune__num gputune__apply1(gputune__op op, gputune__num a)
{
    int exponent;
    if (a.kind == GPUTUNE__KIND_FAULT) return a;
    if (a.kind == GPUTUNE_NAME) return gputune__num_fault(GPUTUNE__FAULT_NAME);
    if (op == GPUTUNE__OP_NOT) return gputune__num_int(!gputune__num_truth(a));
    if (a.kind == GPUTUNE_INTEGER) return gputune__int_apply1(op, a.u.i);
    switch (op) {
    case GPUTUNE__OP_FLIP: return gputune__num_fault(GPUTUNE__FAULT_REAL);
    case GPUTUNE__OP_NEG: return gputune__num_real(-a.u.r);
    case GPUTUNE__OP_ABS: return gputune__num_real(fabs(a.u.r));
    case GPUTUNE__OP_LOG2:
        if (!(a.u.r > 0.0)) return gputune__num_fault(GPUTUNE__FAULT_LOG);
        return gputune__num_real(log2(a.u.r));
    default: // IS_POW2: a mantissa of exactly one half
        return gputune__num_int(a.u.r > 0.0 && !(frexp(a.u.r, &exponent) > 0.5));
    }
}

// What is known of a node before evaluation; [space] evaluates one tree for many configurations
// that have most values in common.
typedef struct gputune__memo {
    gputune__num value;
    int last; // value may be used where gputune__eval.known is greater
} gputune__memo;

typedef struct gputune__eval {
    const gputune__node *nodes;
    const gputune_value *values;
    const gputune__memo *memo; // or NULL
    int known;
    int column; // of the fault, 0 while there is none
} gputune__eval;

static gputune__num gputune__eval_node(gputune__eval *e, int at);

static gputune__num gputune__eval_fault(gputune__eval *e, gputune__num value, int column)
{
    if (value.kind == GPUTUNE__KIND_FAULT && !e->column) e->column = column;
    return value;
}

// 1, 0, or -1 with the fault in *fault.
static int gputune__eval_truth(gputune__eval *e, int at, gputune__num *fault)
{
    gputune__num value = gputune__eval_node(e, at);
    int truth = gputune__num_truth(value);
    if (truth < 0) {
        if (value.kind == GPUTUNE_NAME) value = gputune__num_fault(GPUTUNE__FAULT_NAME);
        *fault = gputune__eval_fault(e, value, e->nodes[at].column);
    }
    return truth;
}

static gputune__num gputune__eval_logic(gputune__eval *e, const gputune__node *node)
{
    gputune__num fault = gputune__num_int(0);
    int at, truth = 0;
    if (node->op == GPUTUNE__OP_COND) {
        truth = gputune__eval_truth(e, node->child, &fault);
        if (truth < 0) return fault;
        at = e->nodes[node->child].next;
        return gputune__eval_node(e, truth ? at : e->nodes[at].next);
    }
    for (at = node->child; at >= 0; at = e->nodes[at].next) {
        truth = gputune__eval_truth(e, at, &fault);
        if (truth < 0) return fault;
        if (truth == (node->op == GPUTUNE__OP_OR)) break;
    }
    return gputune__num_int(truth);
}

// Constants and symbols without a call: half of all nodes.
static inline gputune__num gputune__eval_operand(gputune__eval *e, const gputune__node *node)
{
    if (node->op == GPUTUNE__OP_CONSTANT) return node->value;
    if (node->op == GPUTUNE__OP_SYMBOL && !e->memo)
        return gputune__num_of(&e->values[node->index]);
    return gputune__eval_node(e, (int)(node - e->nodes));
}

static gputune__num gputune__eval_node(gputune__eval *e, int at)
{
    const gputune__node *node = &e->nodes[at], *operand;
    gputune__num value;
    if (e->memo && e->memo[at].last < e->known) return e->memo[at].value;
    if (node->op == GPUTUNE__OP_CONSTANT) return node->value;
    if (node->op == GPUTUNE__OP_SYMBOL) return gputune__num_of(&e->values[node->index]);
    if (node->op <= GPUTUNE__OP_COND) return gputune__eval_logic(e, node);
    operand = &e->nodes[node->child];
    value = gputune__eval_operand(e, operand);
    if (node->op >= GPUTUNE__OP_NOT)
        return gputune__eval_fault(e, gputune__apply1(node->op, value), node->column);
    while (operand->next >= 0 && value.kind != GPUTUNE__KIND_FAULT) {
        operand = &e->nodes[operand->next];
        value = gputune__apply2(operand->minus ? GPUTUNE__OP_SUB : node->op, value,
                                gputune__eval_operand(e, operand));
        if (value.kind == GPUTUNE__KIND_FAULT) gputune__eval_fault(e, value, operand->before);
    }
    return value;
}

typedef struct gputune__parser {
    const gputune__base *b;
    gputune__expr *expr;
    const char *text, *at;
    int depth;
    gputune_result result;
    gputune_error *error;
} gputune__parser;

static int gputune__parse_cond(gputune__parser *p);

// Formats an error at a column (1-based) of the text; always returns -1.
GPUTUNE__PRINTF(4, 5)
static int gputune__parse_fail(gputune__parser *p, gputune_result result, int column,
                               const char *format, ...)
{
    char message[512];
    va_list args;
    if (p->result) return -1; // the first error counts
    p->result = result;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    gputune__error(p->error, result, "%s at column %d of \"%s\"", message, column, p->text);
    return -1;
}

static int gputune__parse_oom(gputune__parser *p)
{
    if (!p->result) p->result = gputune__oom(p->error);
    return -1;
}

static int gputune__parse_column(const gputune__parser *p)
{
    return (int)(p->at - p->text) + 1;
}

static void gputune__parse_space(gputune__parser *p)
{
    while (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r')) p->at++;
}

static bool gputune__is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool gputune__is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool gputune__is_identifier(const char *text)
{
    if (!gputune__is_letter(*text)) return false;
    while (gputune__is_letter(*text) || gputune__is_digit(*text)) text++;
    return *text == 0;
}

static int gputune__parse_node(gputune__parser *p, gputune__op op, int column)
{
    gputune__node node;
    memset(&node, 0, sizeof node);
    node.op = op;
    node.column = column;
    node.depth = 1;
    node.child = node.tail = node.next = -1;
    if (gputune__len(p->expr->nodes) > INT_MAX / 2 || !gputune__push(p->b, p->expr->nodes, node))
        return gputune__parse_oom(p);
    return gputune__len(p->expr->nodes) - 1;
}

static int gputune__parse_constant(gputune__parser *p, gputune__num value, int column)
{
    int at = gputune__parse_node(p, GPUTUNE__OP_CONSTANT, column);
    if (at >= 0) p->expr->nodes[at].value = value;
    return at;
}

// Appends an operand; before: the column of the operator in front of it.
static int gputune__parse_append(gputune__parser *p, int parent, int child, int before)
{
    gputune__node *nodes = p->expr->nodes;
    if (parent < 0 || child < 0) return -1;
    if (nodes[child].op == GPUTUNE__OP_CONSTANT && nodes[child].value.kind == GPUTUNE_NAME &&
        nodes[parent].op != GPUTUNE__OP_EQ && nodes[parent].op != GPUTUNE__OP_NE &&
        (nodes[parent].op != GPUTUNE__OP_COND || nodes[parent].child < 0))
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, nodes[child].column,
                                   "text can only be compared with == or !=");
    if (nodes[parent].tail < 0)
        nodes[parent].child = child;
    else
        nodes[nodes[parent].tail].next = child;
    nodes[parent].tail = child;
    nodes[child].before = before;
    if (nodes[parent].depth <= nodes[child].depth) nodes[parent].depth = nodes[child].depth + 1;
    if (nodes[parent].depth > GPUTUNE__TREE_DEPTH)
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, before, "nested too deeply");
    return parent;
}

static int gputune__parse_string(gputune__parser *p)
{
    const char *end = strchr(p->at + 1, '"');
    int column = gputune__parse_column(p);
    char *copy;
    if (!end)
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "text without closing quote");
    copy = gputune__strndup(p->b, p->at + 1, (size_t)(end - p->at - 1));
    if (!copy) return gputune__parse_oom(p);
    if (!gputune__push(p->b, p->expr->strings, copy)) {
        gputune__free(p->b, copy);
        return gputune__parse_oom(p);
    }
    p->at = end + 1;
    return gputune__parse_constant(p, gputune__num_name(copy), column);
}

static int gputune__hex_digit(char c)
{
    if (gputune__is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Digits of a base; false when the number exceeds 2^63.
static bool gputune__parse_digits(gputune__parser *p, int base, uint64_t *value)
{
    bool fits = true;
    int digit;
    *value = 0;
    while ((digit = gputune__hex_digit(*p->at)) >= 0 && digit < base) {
        fits = fits && *value <= ((UINT64_C(1) << 63) - (uint64_t)digit) / (uint64_t)base;
        if (fits) *value = *value * (uint64_t)base + (uint64_t)digit;
        p->at++;
    }
    return fits;
}

// The rest of a number that has a point or an exponent; at: where it began.
static bool gputune__parse_fraction(gputune__parser *p, const char *start, double *value)
{
    const char *mark;
    if (*p->at == '.') p->at++;
    while (gputune__is_digit(*p->at)) p->at++;
    mark = p->at;
    if (*mark == 'e' || *mark == 'E') {
        mark++;
        if (*mark == '+' || *mark == '-') mark++;
        if (gputune__is_digit(*mark)) {
            while (gputune__is_digit(*mark)) mark++;
            p->at = mark;
        }
    }
    return gputune__real_parse(start, (size_t)(p->at - start), value);
}

// u, l and f in any number after a literal; sets *real at an f.
static bool gputune__parse_suffix(gputune__parser *p, bool *real)
{
    while (*p->at && strchr("uUlLfF", *p->at)) {
        if (*p->at == 'f' || *p->at == 'F') *real = true;
        p->at++;
    }
    return !gputune__is_letter(*p->at) && !gputune__is_digit(*p->at) && *p->at != '.';
}

// negative: a minus stands before, so that INT64_MIN can be written.
static int gputune__parse_number(gputune__parser *p, bool negative)
{
    const char *start = p->at;
    int column = gputune__parse_column(p);
    bool hex = start[0] == '0' && (start[1] == 'x' || start[1] == 'X'), real = false, fits;
    uint64_t value = 0;
    double number = 0.0;
    if (hex) p->at += 2;
    fits = gputune__parse_digits(p, hex ? 16 : 10, &value);
    if (!hex && (*p->at == '.' || *p->at == 'e' || *p->at == 'E')) {
        real = true;
        fits = gputune__parse_fraction(p, start, &number);
    } else {
        number = (double)value;
        if (start[0] == '0' && p->at - start > 1 && !hex)
            return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column,
                                       "octal numbers are not supported");
    }
    if (p->at - start == (hex ? 2 : 0) || !gputune__parse_suffix(p, &real))
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "malformed number");
    if (!fits || (!real && value > (uint64_t)INT64_MAX + (negative ? 1U : 0U)))
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "number too large");
    if (real) return gputune__parse_constant(p, gputune__num_real(negative ? -number : number),
                                             column);
    if (negative)
        return gputune__parse_constant(
            p, gputune__num_int(value ? -(int64_t)(value - 1) - 1 : 0), column);
    return gputune__parse_constant(p, gputune__num_int((int64_t)value), column);
}

static int gputune__parse_symbol(gputune__parser *p, const char *start, int length)
{
    int column = (int)(start - p->text) + 1, at, i;
    for (i = 0; i < gputune__len(p->expr->symbols); i++) {
        const gputune__symbol_ref *symbol = &p->expr->symbols[i];
        if (symbol->length == length &&
            memcmp(p->text + symbol->start, start, (size_t)length) == 0)
            break;
    }
    if (i == gputune__len(p->expr->symbols)) {
        gputune__symbol_ref symbol;
        symbol.start = column - 1;
        symbol.length = length;
        symbol.index = -1;
        if (!gputune__push(p->b, p->expr->symbols, symbol)) return gputune__parse_oom(p);
    }
    at = gputune__parse_node(p, GPUTUNE__OP_SYMBOL, column);
    if (at >= 0) p->expr->nodes[at].symbol = i;
    return at;
}

typedef struct gputune__function {
    const char *name;
    gputune__op op;
    int min, max; // operands
} gputune__function;

static const gputune__function *gputune__function_find(const char *name, int length)
{
    static const gputune__function functions[] = {
        { "min", GPUTUNE__OP_MIN, 2, INT_MAX },  { "max", GPUTUNE__OP_MAX, 2, INT_MAX },
        { "ceil_div", GPUTUNE__OP_CEIL_DIV, 2, 2 }, { "is_pow2", GPUTUNE__OP_IS_POW2, 1, 1 },
        { "log2", GPUTUNE__OP_LOG2, 1, 1 },      { "abs", GPUTUNE__OP_ABS, 1, 1 },
    };
    size_t i;
    for (i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == (size_t)length &&
            memcmp(functions[i].name, name, (size_t)length) == 0)
            return &functions[i];
    return NULL;
}

// After the name and "(".
static int gputune__parse_call(gputune__parser *p, const char *name, int length)
{
    const gputune__function *function = gputune__function_find(name, length);
    int column = (int)(name - p->text) + 1, count = 0, at, operand, before = column;
    if (!function)
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYMBOL, column,
                                   "unknown function '%.*s' (known: min max ceil_div is_pow2 "
                                   "log2 abs)",
                                   length, name);
    at = gputune__parse_node(p, function->op, column);
    for (;;) {
        operand = gputune__parse_cond(p);
        if (at < 0 || operand < 0) return -1;
        count++;
        if (count <= function->max && gputune__parse_append(p, at, operand, before) < 0)
            return -1;
        gputune__parse_space(p);
        before = gputune__parse_column(p);
        if (*p->at != ',') break;
        p->at++;
    }
    if (*p->at != ')')
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, before, "expected ',' or ')'");
    p->at++;
    if (count < function->min || count > function->max)
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "%s takes %d operand%s%s",
                                   function->name, function->min, function->min > 1 ? "s" : "",
                                   function->max > function->min ? " or more" : "");
    return at;
}

static int gputune__parse_word(gputune__parser *p)
{
    static const struct {
        const char *word, *instead;
    } foreign[] = { { "and", "&&" }, { "or", "||" }, { "not", "!" } };
    const char *start = p->at;
    int length, column = gputune__parse_column(p), i;
    while (gputune__is_letter(*p->at) || gputune__is_digit(*p->at)) p->at++;
    length = (int)(p->at - start);
    gputune__parse_space(p);
    if (length == 4 && memcmp(start, "true", 4) == 0)
        return gputune__parse_constant(p, gputune__num_int(1), column);
    if (length == 5 && memcmp(start, "false", 5) == 0)
        return gputune__parse_constant(p, gputune__num_int(0), column);
    for (i = 0; i < 3; i++)
        if ((size_t)length == strlen(foreign[i].word) &&
            memcmp(start, foreign[i].word, (size_t)length) == 0)
            return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "'%s' is written %s",
                                       foreign[i].word, foreign[i].instead);
    if (*p->at != '(') return gputune__parse_symbol(p, start, length);
    p->at++;
    return gputune__parse_call(p, start, length);
}

static int gputune__parse_primary(gputune__parser *p)
{
    int at, column = gputune__parse_column(p);
    if (*p->at == '(') {
        p->at++;
        at = gputune__parse_cond(p);
        if (at < 0) return -1;
        gputune__parse_space(p);
        if (*p->at != ')')
            return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, gputune__parse_column(p),
                                       "expected ')' for '(' of column %d", column);
        p->at++;
        p->expr->nodes[at].bare = false;
        return at;
    }
    if (gputune__is_digit(*p->at) || (*p->at == '.' && gputune__is_digit(p->at[1])))
        return gputune__parse_number(p, false);
    if (gputune__is_letter(*p->at)) return gputune__parse_word(p);
    if (*p->at == '"') return gputune__parse_string(p);
    if (!*p->at) return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "expected an operand");
    return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column,
                               "expected an operand instead of '%c'", *p->at);
}

static int gputune__parse_unary(gputune__parser *p)
{
    static const char signs[] = "!~-";
    static const gputune__op ops[] = { GPUTUNE__OP_NOT, GPUTUNE__OP_FLIP, GPUTUNE__OP_NEG };
    const char *sign;
    int column, at, operand;
    gputune__parse_space(p);
    column = gputune__parse_column(p);
    if (++p->depth > GPUTUNE__PARSE_DEPTH)
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "nested too deeply");
    sign = *p->at ? strchr(signs, *p->at) : NULL;
    if (*p->at == '+') {
        p->at++;
        at = gputune__parse_unary(p);
        if (at >= 0 && p->expr->nodes[at].value.kind == GPUTUNE_NAME)
            at = gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column,
                                     "text can only be compared with == or !=");
    } else if (*p->at == '-' && gputune__is_digit(p->at[1])) {
        p->at++;
        at = gputune__parse_number(p, true);
    } else if (sign) {
        p->at++;
        operand = gputune__parse_unary(p);
        at = gputune__parse_append(p, gputune__parse_node(p, ops[sign - signs], column), operand,
                                   column);
    } else {
        at = gputune__parse_primary(p);
    }
    p->depth--;
    return at;
}

typedef struct gputune__operator {
    const char *text;
    gputune__op op;
    int level; // of precedence, higher binds tighter
} gputune__operator;

static const gputune__operator *gputune__parse_operator(const gputune__parser *p)
{
    static const gputune__operator operators[] = {
        { "||", GPUTUNE__OP_OR, 1 },   { "&&", GPUTUNE__OP_AND, 2 },
        { "==", GPUTUNE__OP_EQ, 6 },   { "!=", GPUTUNE__OP_NE, 6 },
        { "<=", GPUTUNE__OP_LE, 7 },   { ">=", GPUTUNE__OP_GE, 7 },
        { "<<", GPUTUNE__OP_SHL, 8 },  { ">>", GPUTUNE__OP_SHR, 8 },
        { "|", GPUTUNE__OP_BIT_OR, 3 }, { "^", GPUTUNE__OP_BIT_XOR, 4 },
        { "&", GPUTUNE__OP_BIT_AND, 5 }, { "<", GPUTUNE__OP_LT, 7 },
        { ">", GPUTUNE__OP_GT, 7 },    { "+", GPUTUNE__OP_ADD, 9 },
        { "-", GPUTUNE__OP_SUB, 9 },   { "*", GPUTUNE__OP_MUL, 10 },
        { "/", GPUTUNE__OP_DIV, 10 },  { "%", GPUTUNE__OP_MOD, 10 },
    };
    size_t i;
    for (i = 0; i < sizeof operators / sizeof *operators; i++)
        if (strncmp(p->at, operators[i].text, strlen(operators[i].text)) == 0)
            return &operators[i];
    return NULL;
}

// left op right. Chains of + and -, *, && and || become one node where the order of evaluation
// stays the same.
static int gputune__parse_join(gputune__parser *p, gputune__op op, int left, int right, int column)
{
    gputune__node *nodes = p->expr->nodes;
    bool minus = op == GPUTUNE__OP_SUB, logic = op == GPUTUNE__OP_AND || op == GPUTUNE__OP_OR;
    bool compare = op >= GPUTUNE__OP_LT && op <= GPUTUNE__OP_NE;
    int at = left, next;
    if (left < 0 || right < 0) return -1;
    if (compare && (nodes[left].bare || nodes[right].bare))
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column,
                                   "chained comparison: write a < b && b < c (or parentheses)");
    if (minus) op = GPUTUNE__OP_ADD;
    if (nodes[left].op != op || (op != GPUTUNE__OP_ADD && op != GPUTUNE__OP_MUL && !logic)) {
        at = gputune__parse_node(p, op, column);
        if (gputune__parse_append(p, at, left, column) < 0) return -1;
        nodes = p->expr->nodes;
        nodes[at].bare = compare;
    }
    if (!logic || nodes[right].op != op) {
        nodes[right].minus = minus;
        return gputune__parse_append(p, at, right, column);
    }
    for (right = nodes[right].child; right >= 0; right = next) {
        next = nodes[right].next;
        nodes[right].next = -1;
        if (gputune__parse_append(p, at, right, column) < 0) return -1;
    }
    return at;
}

static int gputune__parse_binary(gputune__parser *p, int level)
{
    const gputune__operator *found;
    int left, right, column;
    if (++p->depth > GPUTUNE__PARSE_DEPTH)
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, gputune__parse_column(p),
                                   "nested too deeply");
    left = gputune__parse_unary(p);
    while (left >= 0) {
        gputune__parse_space(p);
        found = gputune__parse_operator(p);
        if (!found || found->level < level) break;
        column = gputune__parse_column(p);
        p->at += strlen(found->text);
        right = gputune__parse_binary(p, found->level + 1);
        left = gputune__parse_join(p, found->op, left, right, column);
    }
    p->depth--;
    return left;
}

static int gputune__parse_cond(gputune__parser *p)
{
    int cond, yes, no, at, column;
    if (++p->depth > GPUTUNE__PARSE_DEPTH)
        return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, gputune__parse_column(p),
                                   "nested too deeply");
    cond = gputune__parse_binary(p, 1);
    gputune__parse_space(p);
    if (cond >= 0 && *p->at == '?') {
        column = gputune__parse_column(p);
        p->at++;
        at = gputune__parse_append(p, gputune__parse_node(p, GPUTUNE__OP_COND, column), cond,
                                   column);
        yes = gputune__parse_cond(p);
        if (at < 0 || gputune__parse_append(p, at, yes, column) < 0) return -1;
        gputune__parse_space(p);
        if (*p->at != ':')
            return gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, gputune__parse_column(p),
                                       "expected ':' for '?' of column %d", column);
        p->at++;
        no = gputune__parse_cond(p);
        cond = gputune__parse_append(p, at, no, column);
    }
    p->depth--;
    return cond;
}

static void gputune__expr_free(const gputune__base *b, gputune__expr *expr)
{
    int i;
    if (!expr) return;
    for (i = 0; i < gputune__len(expr->strings); i++) gputune__free(b, expr->strings[i]);
    gputune__arr_free(b, expr->strings);
    gputune__arr_free(b, expr->nodes);
    gputune__arr_free(b, expr->symbols);
    gputune__free(b, expr->text);
    gputune__free(b, expr);
}

// What stands where the expression should have ended.
static void gputune__parse_rest(gputune__parser *p)
{
    int column = gputune__parse_column(p);
    if (*p->at == '=')
        gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "'=' compares nothing: write ==");
    else if (gputune__is_letter(*p->at) && p->expr->root >= 0)
        gputune__parse_word(p); // for its message about and, or, not
    gputune__parse_fail(p, GPUTUNE_ERROR_SYNTAX, column, "expected an operator instead of '%c'",
                        *p->at);
}

// One expression from *start on; *start moves to its end, which is a comma if list, or 0.
static gputune_result gputune__expr_parse(const gputune__base *b, const char *text, size_t *start,
                                          bool list, gputune__expr **out, gputune_error *error)
{
    gputune__parser p;
    memset(&p, 0, sizeof p);
    *out = NULL;
    p.b = b;
    p.error = error;
    if (strlen(text) > INT_MAX / 2)
        return gputune__error(error, GPUTUNE_ERROR_TOO_LARGE, "%s", "expression too long");
    p.expr = (gputune__expr *)gputune__alloc(b, 1, sizeof *p.expr);
    if (!p.expr) return gputune__oom(error);
    p.expr->text = gputune__strdup(b, text);
    if (p.expr->text) {
        p.text = p.expr->text;
        p.at = p.text + *start;
        p.expr->root = gputune__parse_cond(&p);
        gputune__parse_space(&p);
        if (!p.result && *p.at && !(list && *p.at == ',')) gputune__parse_rest(&p);
        *start = (size_t)(p.at - p.text);
    } else {
        gputune__parse_oom(&p);
    }
    if (p.result)
        gputune__expr_free(b, p.expr);
    else
        *out = p.expr;
    return p.result;
}

// Levenshtein distance, case ignored; large for long names.
static int gputune__distance(const char *a, int length, const char *b)
{
    int row[65], i, j, width = (int)strlen(b), before, cost;
    if (length > 64 || width > 64) return INT_MAX;
    for (j = 0; j <= width; j++) row[j] = j;
    for (i = 1; i <= length; i++) {
        before = row[0];
        row[0] = i;
        for (j = 1; j <= width; j++) {
            cost = before + (((a[i - 1] ^ b[j - 1]) & ~0x20) != 0);
            before = row[j];
            if (row[j] + 1 < cost) cost = row[j] + 1;
            if (row[j - 1] + 1 < cost) cost = row[j - 1] + 1;
            row[j] = cost;
        }
    }
    return row[width];
}

static gputune_result gputune__expr_unknown(const gputune__expr *expr,
                                            const gputune__symbol_ref *symbol,
                                            const char *const *names, int name_count,
                                            gputune_error *error)
{
    const char *name = expr->text + symbol->start, *near_name = NULL;
    int i, distance, best = symbol->length / 3 + 2;
    for (i = 0; i < name_count; i++) {
        distance = gputune__distance(name, symbol->length, names[i]);
        if (distance < best) {
            best = distance;
            near_name = names[i];
        }
    }
    return gputune__error(error, GPUTUNE_ERROR_SYMBOL,
                          "unknown symbol '%.*s' at column %d of \"%s\"%s%s%s", symbol->length,
                          name, symbol->start + 1, expr->text,
                          near_name ? ": did you mean '" : "", near_name ? near_name : "",
                          near_name ? "'?" : "");
}

// Looks the symbols up; may be done again with other names.
static gputune_result gputune__expr_bind(gputune__expr *expr, const char *const *names,
                                         int name_count, gputune_error *error)
{
    int i, j;
    for (i = 0; i < gputune__len(expr->symbols); i++) {
        gputune__symbol_ref *symbol = &expr->symbols[i];
        symbol->index = -1;
        for (j = 0; j < name_count && symbol->index < 0; j++)
            if (strlen(names[j]) == (size_t)symbol->length &&
                memcmp(names[j], expr->text + symbol->start, (size_t)symbol->length) == 0)
                symbol->index = j;
        if (symbol->index < 0)
            return gputune__expr_unknown(expr, symbol, names, name_count, error);
    }
    for (i = 0; i < gputune__len(expr->nodes); i++)
        if (expr->nodes[i].op == GPUTUNE__OP_SYMBOL)
            expr->nodes[i].index = expr->symbols[expr->nodes[i].symbol].index;
    return GPUTUNE_OK;
}

// Compiles; names[i] is the symbol whose value is values[i] at evaluation.
GPUTUNE__MAYBE_UNUSED
static gputune_result gputune__expr_compile(const gputune__base *b, const char *text,
                                            const char *const *names, int name_count,
                                            gputune__expr **expr, gputune_error *error)
{
    size_t start = 0;
    gputune_result result = gputune__expr_parse(b, text, &start, false, expr, error);
    if (!result) result = gputune__expr_bind(*expr, names, name_count, error);
    if (result) {
        gputune__expr_free(b, *expr);
        *expr = NULL;
    }
    return result;
}

// A comma-separated list of at most max expressions; *count says how many.
GPUTUNE__MAYBE_UNUSED
static gputune_result gputune__expr_compile_list(const gputune__base *b, const char *text,
                                                 const char *const *names, int name_count,
                                                 gputune__expr **exprs, int max, int *count,
                                                 gputune_error *error)
{
    size_t start = 0;
    gputune_result result;
    *count = 0;
    for (;;) {
        gputune__expr *expr;
        result = gputune__expr_parse(b, text, &start, true, &expr, error);
        if (result) break;
        if (*count == max) {
            gputune__expr_free(b, expr);
            result = gputune__error(error, GPUTUNE_ERROR_SYNTAX,
                                    "more than %d expressions in \"%s\"", max, text);
            break;
        }
        exprs[(*count)++] = expr;
        result = gputune__expr_bind(expr, names, name_count, error);
        if (result || !text[start]) break;
        start++;
    }
    while (result && *count > 0) gputune__expr_free(b, exprs[--*count]);
    return result;
}

static gputune_result gputune__expr_fault(const gputune__expr *expr, gputune__num fault,
                                          int column, gputune_error *error)
{
    static const char *const texts[] = {
#define GPUTUNE__X(name, text) text,
        GPUTUNE__FAULTS(GPUTUNE__X)
#undef GPUTUNE__X
    };
    return gputune__error(error, GPUTUNE_ERROR_ARITHMETIC, "%s at column %d of \"%s\"",
                          texts[fault.u.i], column, expr->text);
}

// error may be NULL. ERROR_ARITHMETIC: division by zero, overflow; quotes text and column.
GPUTUNE__MAYBE_UNUSED
static gputune_result gputune__expr_eval(const gputune__expr *expr, const gputune_value *values,
                                         gputune_value *out, gputune_error *error)
{
    gputune__eval e;
    gputune__num value;
    e.nodes = expr->nodes;
    e.values = values;
    e.memo = NULL;
    e.known = 0;
    e.column = 0;
    value = gputune__eval_node(&e, expr->root);
    if (value.kind == GPUTUNE__KIND_FAULT)
        return gputune__expr_fault(expr, value, e.column, error);
    out->kind = (gputune_value_kind)value.kind;
    out->integer = value.kind == GPUTUNE_INTEGER ? value.u.i : 0;
    out->real = value.kind == GPUTUNE_REAL ? value.u.r : 0.0;
    out->name = value.kind == GPUTUNE_NAME ? value.u.s : NULL;
    return GPUTUNE_OK;
}

GPUTUNE__MAYBE_UNUSED
static bool gputune__expr_uses(const gputune__expr *expr, int symbol)
{
    int i;
    for (i = 0; i < gputune__len(expr->symbols); i++)
        if (expr->symbols[i].index == symbol) return true;
    return false;
}

// ---------------------------------------------------------------------------------------------
// [space]
// ---------------------------------------------------------------------------------------------

enum { GPUTUNE__MAX_VALUES = 65535 };

typedef struct gputune__param {
    char *name, *text;     // text: the words of `values`, to which names point
    gputune_value *values; // stb_ds array
    int initial;           // the default's position
} gputune__param;

typedef struct gputune__constant {
    char *name;
    gputune_value value;
} gputune__constant;

// Parameters that restrictions tie together, as a decision diagram. Node 0 is the end; every
// other node stands for one parameter and one state of the restrictions, and has an edge for each
// value that leads to a valid configuration. Children have smaller numbers than parents. Many
// paths share a node, so that the diagram stays small where the configurations are many. A
// parameter alone is a diagram of one node.
typedef struct gputune__group {
    uint16_t *params; // in the order of decision
    int count;
    uint32_t *first;  // node -> its first edge; one more than nodes
    uint16_t *level;  // node -> place in params
    uint16_t *digit;  // edge -> position of the value, ascending within a node
    uint32_t *child;  // edge -> node
    uint64_t *upto;   // edge -> configurations below it and its elder siblings
    uint64_t *cost;   // node -> of gputune_space_nearest, which writes it
    uint64_t stride;  // of its own index in the space's
} gputune__group;

struct gputune_space {
    gputune__base base;
    gputune__param *params; // stb_ds arrays
    gputune__constant *constants;
    gputune__expr **requires_;
    gputune_value *values; // what the restrictions' symbols mean; parameters first
    gputune__group *groups;
    uint64_t count;
    uint16_t initial[GPUTUNE_MAX_PARAMETERS]; // the nearest valid configuration to the defaults
    bool bound; // symbols looked up since the last change
    bool built;
};

static const char *gputune__value_text(const gputune_value *value, char *text, size_t size)
{
    if (value->kind == GPUTUNE_INTEGER)
        snprintf(text, size, "%lld", (long long)value->integer);
    else if (value->kind == GPUTUNE_REAL)
        gputune__real_text(value->real, text, size);
    else
        snprintf(text, size, "%s", value->name);
    return text;
}

static void gputune__group_free(const gputune__base *b, gputune__group *group)
{
    gputune__free(b, group->params);
    gputune__free(b, group->cost);
    gputune__arr_free(b, group->first);
    gputune__arr_free(b, group->level);
    gputune__arr_free(b, group->digit);
    gputune__arr_free(b, group->child);
    gputune__arr_free(b, group->upto);
}

static void gputune__groups_free(const gputune__base *b, gputune__group **groups)
{
    int i;
    for (i = 0; i < gputune__len(*groups); i++) gputune__group_free(b, &(*groups)[i]);
    gputune__arr_free_(b, groups);
}

// The definition changed: what was built no longer fits it.
static void gputune__space_changed(gputune_space *space)
{
    gputune__groups_free(&space->base, &space->groups);
    space->bound = space->built = false;
    space->base.error.result = GPUTUNE_OK;
    space->base.error.text[0] = 0;
}

// --- words of gputune_space_param

// Decimal number as mantissa / 10^places, if both are exact as doubles.
typedef struct gputune__decimal {
    bool exact, integer;
    int64_t mantissa;
    int places;
    double value;
} gputune__decimal;

static double gputune__power10(int exponent)
{
    double power = 1.0;
    while (exponent-- > 0) power *= 10.0;
    return power;
}

// A number as people write it: sign, digits, point, exponent; or hexadecimal.
static bool gputune__decimal_parse(const char *text, gputune__decimal *d)
{
    const char *at = text + (*text == '-' || *text == '+');
    bool negative = *text == '-', point = false, digits = false, exact = true;
    memset(d, 0, sizeof *d);
    d->integer = true;
    for (; gputune__is_digit(*at) || (*at == '.' && !point); at++) {
        if (*at == '.') {
            point = true;
            d->integer = false;
            continue;
        }
        digits = true;
        if (d->mantissa > (INT64_MAX - 9) / 10) return false; // 19 digits and more
        d->mantissa = d->mantissa * 10 + (*at - '0');
        if (point) d->places++;
    }
    if (!digits) return false;
    if (*at == 'e' || *at == 'E') {
        at++;
        if (*at == '-' || *at == '+') at++;
        if (!gputune__is_digit(*at)) return false;
        while (gputune__is_digit(*at)) at++;
        d->integer = exact = false;
    }
    if (*at) return false;
    if (negative) d->mantissa = -d->mantissa;
    d->exact = exact && d->places <= 15 && d->mantissa < (INT64_C(1) << 53) &&
               d->mantissa > -(INT64_C(1) << 53);
    d->value = (double)d->mantissa;
    return d->integer || gputune__real_parse(text + (*text == '+'), strlen(text + (*text == '+')),
                                             &d->value);
}

static bool gputune__number_parse(const char *text, gputune_value *value)
{
    gputune__decimal d;
    memset(value, 0, sizeof *value);
    if (!gputune__decimal_parse(text, &d)) return false;
    value->kind = d.integer ? GPUTUNE_INTEGER : GPUTUNE_REAL;
    if (d.integer)
        value->integer = d.mantissa;
    else
        value->real = d.value + 0.0;
    return true;
}

static bool gputune__value_equal(const gputune_value *a, const gputune_value *b)
{
    if ((a->kind == GPUTUNE_NAME) != (b->kind == GPUTUNE_NAME)) return false;
    return gputune__apply2(GPUTUNE__OP_EQ, gputune__num_of(a), gputune__num_of(b)).u.i != 0;
}

// The text as one of the parameter's values; its position or -1.
static int gputune__param_find(const gputune__param *param, const char *text)
{
    gputune_value value;
    bool number = gputune__number_parse(text, &value);
    int i;
    if (!number || param->values[0].kind == GPUTUNE_NAME) {
        value.kind = GPUTUNE_NAME;
        value.name = text;
    }
    for (i = 0; i < gputune__len(param->values); i++)
        if (gputune__value_equal(&param->values[i], &value)) return i;
    return -1;
}

static gputune_result gputune__param_push(gputune_space *space, gputune__param *param,
                                          const gputune_value *value)
{
    if (gputune__len(param->values) == GPUTUNE__MAX_VALUES)
        return gputune__error(&space->base.error, GPUTUNE_ERROR_TOO_LARGE,
                              "parameter '%s': more than %d values", param->name,
                              GPUTUNE__MAX_VALUES);
    if (!gputune__push(&space->base, param->values, *value))
        return gputune__oom(&space->base.error);
    return GPUTUNE_OK;
}

static gputune_result gputune__param_syntax(gputune_space *space, const gputune__param *param,
                                            const char *word, const char *why)
{
    return gputune__error(&space->base.error, GPUTUNE_ERROR_SYNTAX, "parameter '%s': '%s' %s",
                          param->name, word, why);
}

static gputune_result gputune__param_real(gputune_space *space, gputune__param *param,
                                          double number)
{
    gputune_value value;
    memset(&value, 0, sizeof value);
    value.kind = GPUTUNE_REAL;
    value.real = number + 0.0;
    return gputune__param_push(space, param, &value);
}

static gputune_result gputune__param_integer(gputune_space *space, gputune__param *param,
                                             int64_t number)
{
    gputune_value value;
    memset(&value, 0, sizeof value);
    value.integer = number;
    return gputune__param_push(space, param, &value);
}

// low, low + step, ... high. Reals are computed as integers over a power of ten, each from low
// anew: 0.3 is the number nearest to 0.3, whatever the step was.
static gputune_result gputune__param_range(gputune_space *space, gputune__param *param,
                                           const gputune__decimal *words, int64_t low,
                                           int64_t high, int64_t step, int places)
{
    bool integer = words[0].integer && words[1].integer && words[2].integer;
    double scale = gputune__power10(places);
    int64_t value = low;
    for (;;) {
        gputune_result result =
            integer ? gputune__param_integer(space, param, value)
                    : gputune__param_real(space, param, (double)value / scale);
        if (result) return result;
        // high - value cannot overflow: both are within 2^53 or of one sign, or the list is full
        if (step > 0 ? value > high - step : value < high - step) return GPUTUNE_OK;
        value += step;
    }
}

static int64_t gputune__decimal_scaled(const gputune__decimal *d, int places)
{
    return d->mantissa * (int64_t)gputune__power10(places - d->places);
}

// words: low, high and step or base, as numbers.
static gputune_result gputune__param_ranges(gputune_space *space, gputune__param *param,
                                            const char *text, bool powers,
                                            const gputune__decimal *words)
{
    int64_t scaled[3], value;
    int places = 0, i;
    bool integer = words[0].integer && words[1].integer && words[2].integer;
    gputune_result result = GPUTUNE_OK;
    for (i = 0; i < 3; i++)
        if (words[i].places > places) places = words[i].places;
    for (i = 0; i < 3; i++) {
        if (!words[i].exact || fabs(words[i].value) * gputune__power10(places) > 9.0e15)
            return gputune__param_syntax(space, param, text, "has numbers with too many digits");
        scaled[i] = gputune__decimal_scaled(&words[i], places);
    }
    if (!powers && scaled[2] == 0)
        return gputune__param_syntax(space, param, text, "has step 0");
    if (powers && (words[2].value <= 1.0 || words[0].value <= 0.0))
        return gputune__param_syntax(space, param, text,
                                     "needs a first value above 0 and a base above 1");
    if (powers || scaled[2] > 0 ? scaled[0] > scaled[1] : scaled[0] < scaled[1])
        return gputune__param_syntax(space, param, text, "is an empty range");
    if (!powers)
        return gputune__param_range(space, param, words, scaled[0], scaled[1], scaled[2], places);
    if (words[2].integer) { // exact while the numerator is
        for (value = scaled[0]; !result && value <= scaled[1]; value *= words[2].mantissa) {
            result = integer ? gputune__param_integer(space, param, value)
                             : gputune__param_real(space, param, (double)value /
                                                                     gputune__power10(places));
            if (value > scaled[1] / words[2].mantissa) break;
        }
        return result;
    }
    for (i = 0; !result; i++) {
        double power = words[0].value * pow(words[2].value, (double)i);
        if (power > words[1].value * (1.0 + 1e-12)) break;
        result = gputune__param_real(space, param, power);
    }
    return result;
}

// Splits at commas in place; each word loses the blanks round it.
static char *gputune__next_word(char **rest)
{
    char *word = *rest, *end;
    if (!word) return NULL;
    while (*word == ' ' || *word == '\t') word++;
    end = strchr(word, ',');
    *rest = end ? end + 1 : NULL;
    if (!end) end = word + strlen(word);
    *end = 0;
    while (end > word && (end[-1] == ' ' || end[-1] == '\t')) *--end = 0;
    return word;
}

// A name goes into source text, journals and restrictions: no blanks, quotes or equal signs.
static bool gputune__is_name(const char *word)
{
    const char *digits = word + (*word == '-' || *word == '+' || *word == '.');
    if (!*word || gputune__is_digit(*digits)) return false;
    for (; *word; word++)
        if (*word <= ' ' || *word == 127 || strchr("\"'=\\#;", *word)) return false;
    return true;
}

static gputune_result gputune__param_set(gputune_space *space, gputune__param *param,
                                         const char *word, bool names)
{
    gputune_value value;
    bool number = !names && gputune__number_parse(word, &value);
    if (!number) {
        if (!gputune__is_name(word) || !*word)
            return gputune__param_syntax(space, param, word, "is neither a number nor a name");
        memset(&value, 0, sizeof value);
        value.kind = GPUTUNE_NAME;
        value.name = word;
    }
    if (stbds_arrlen(param->values) &&
        (param->values[0].kind == GPUTUNE_NAME) != (value.kind == GPUTUNE_NAME))
        return gputune__param_syntax(space, param, word, "mixes names and numbers");
    return gputune__param_push(space, param, &value);
}

// Integers become reals when one value is real.
static void gputune__param_unify(gputune__param *param)
{
    int i, count = gputune__len(param->values);
    bool real = false;
    for (i = 0; i < count; i++) real = real || param->values[i].kind == GPUTUNE_REAL;
    for (i = 0; real && i < count; i++) {
        gputune_value *value = &param->values[i];
        if (value->kind != GPUTUNE_INTEGER) continue;
        value->kind = GPUTUNE_REAL;
        value->real = (double)value->integer;
        value->integer = 0;
    }
}

static int gputune__compare_values(const void *a, const void *b)
{
    const gputune_value *x = *(const gputune_value *const *)a;
    const gputune_value *y = *(const gputune_value *const *)b;
    if (x->kind == GPUTUNE_NAME) return strcmp(x->name, y->name);
    if (x->kind == GPUTUNE_REAL) return (x->real > y->real) - (x->real < y->real);
    return (x->integer > y->integer) - (x->integer < y->integer);
}

static gputune_result gputune__param_duplicates(gputune_space *space, const gputune__param *param)
{
    int i, count = gputune__len(param->values);
    char text[64];
    const gputune_value **sorted = (const gputune_value **)gputune__alloc(
        &space->base, (size_t)count, sizeof *sorted);
    gputune_result result = GPUTUNE_OK;
    if (!sorted) return gputune__oom(&space->base.error);
    for (i = 0; i < count; i++) sorted[i] = &param->values[i];
    qsort((void *)sorted, (size_t)count, sizeof *sorted, gputune__compare_values);
    for (i = 1; i < count && !result; i++)
        if (gputune__compare_values(&sorted[i - 1], &sorted[i]) == 0)
            result = gputune__error(&space->base.error, GPUTUNE_ERROR_ARGUMENT,
                                    "parameter '%s': the value %s comes twice", param->name,
                                    gputune__value_text(sorted[i], text, sizeof text));
    gputune__free(&space->base, (void *)sorted);
    return result;
}

static gputune_result gputune__param_words(gputune_space *space, gputune__param *param,
                                           const char *values)
{
    static const char *const kinds[] = { "range", "erange", "set", "bool", "kernel", NULL };
    gputune__decimal words[3];
    char *rest = param->text, *word, kind_name[16];
    size_t length;
    int kind, count = 0;
    gputune_result result = GPUTUNE_OK;
    while (*rest == ' ' || *rest == '\t') rest++;
    length = strcspn(rest, " \t");
    snprintf(kind_name, sizeof kind_name, "%.*s", length < 15 ? (int)length : 15, rest);
    kind = gputune__word_find(kind_name, kinds);
    rest += length;
    rest += strspn(rest, " \t");
    if (kind < 0)
        return gputune__param_syntax(space, param, kind_name,
                                     "is none of range, erange, set, bool, kernel");
    if (kind == 3) {
        if (*rest) return gputune__param_syntax(space, param, rest, "stands after bool");
        result = gputune__param_integer(space, param, 0);
        return result ? result : gputune__param_integer(space, param, 1);
    }
    gputune__decimal_parse(kind == 1 ? "2" : "1", &words[2]);
    while (!result && (word = gputune__next_word(&rest)) != NULL) {
        if (kind >= 2)
            result = gputune__param_set(space, param, word, kind == 4);
        else if (count == 3 || !gputune__decimal_parse(word, &words[count]))
            result = gputune__param_syntax(space, param, word,
                                           count == 3 ? "is one word too many"
                                                      : "is not a number");
        count++;
    }
    if (result || kind >= 2) return result;
    if (count < 2) return gputune__param_syntax(space, param, values, "needs two or three numbers");
    return gputune__param_ranges(space, param, values, kind == 1, words);
}

// --- restrictions

// Looks up the symbols of all restrictions.
static gputune_result gputune__space_bind(gputune_space *space)
{
    gputune__base *b = &space->base;
    int params = gputune__len(space->params), count = params + gputune__len(space->constants), i;
    gputune_result result = GPUTUNE_OK;
    const char **names;
    gputune_value *values;
    if (space->bound) return GPUTUNE_OK;
    names = (const char **)gputune__alloc(b, (size_t)count, sizeof *names);
    values = (gputune_value *)gputune__alloc(b, (size_t)count, sizeof *values);
    if (names && values) {
        for (i = 0; i < count; i++) {
            names[i] = i < params ? space->params[i].name : space->constants[i - params].name;
            values[i] = i < params ? space->params[i].values[0]
                                   : space->constants[i - params].value;
        }
        for (i = 0; i < gputune__len(space->requires_) && !result; i++)
            result = gputune__expr_bind(space->requires_[i], names, count, &b->error);
    } else {
        result = gputune__oom(&b->error);
    }
    gputune__free(b, (void *)names);
    gputune__free(b, result ? (void *)values : (void *)space->values);
    space->values = result ? NULL : values;
    space->bound = !result;
    if (result) space->values = NULL;
    return result;
}

// The value of restriction r under space->values: 1, 0, or -1 with *fault and *column.
static int gputune__space_holds(const gputune_space *space, int r, gputune__num *fault,
                                int *column)
{
    gputune__eval e;
    int truth;
    e.nodes = space->requires_[r]->nodes;
    e.values = space->values;
    e.memo = NULL;
    e.known = e.column = 0;
    truth = gputune__eval_truth(&e, space->requires_[r]->root, fault);
    *column = e.column;
    return truth;
}

static void gputune__space_load(gputune_space *space, const uint16_t *choice)
{
    int i;
    for (i = 0; i < gputune__len(space->params); i++)
        space->values[i] = space->params[i].values[choice[i]];
}

// The restrictions evaluated directly.
GPUTUNE__MAYBE_UNUSED
static bool gputune__space_valid(gputune_space *space, const gputune_config *config)
{
    gputune__num fault;
    int r, column;
    for (r = 0; r < gputune__len(space->params); r++)
        if (config->choice[r] >= gputune__len(space->params[r].values)) return false;
    if (gputune__space_bind(space)) return false;
    gputune__space_load(space, config->choice);
    for (r = 0; r < gputune__len(space->requires_); r++)
        if (gputune__space_holds(space, r, &fault, &column) != 1) return false;
    return true;
}

// --- what is known of an expression while some parameters are open

enum { GPUTUNE__SET_WORDS = (GPUTUNE_MAX_PARAMETERS + 63) / 64 };

// A set of parameters, by index.
typedef struct gputune__set {
    uint64_t w[GPUTUNE__SET_WORDS];
} gputune__set;

static void gputune__set_add(gputune__set *set, int item)
{
    set->w[item / 64] |= UINT64_C(1) << (item % 64);
}

static bool gputune__set_has(const gputune__set *set, int item)
{
    return (set->w[item / 64] >> (item % 64) & 1) != 0;
}

static void gputune__set_join(gputune__set *set, const gputune__set *other)
{
    int i;
    for (i = 0; i < GPUTUNE__SET_WORDS; i++) set->w[i] |= other->w[i];
}

static bool gputune__set_inside(const gputune__set *set, const gputune__set *other)
{
    int i;
    for (i = 0; i < GPUTUNE__SET_WORDS; i++)
        if (set->w[i] & ~other->w[i]) return false;
    return true;
}

static bool gputune__set_meets(const gputune__set *set, const gputune__set *other)
{
    int i;
    for (i = 0; i < GPUTUNE__SET_WORDS; i++)
        if (set->w[i] & other->w[i]) return true;
    return false;
}

static int gputune__set_count(const gputune__set *set)
{
    int i, count = 0;
    for (i = 0; i < GPUTUNE_MAX_PARAMETERS; i++) count += gputune__set_has(set, i);
    return count;
}

// A bound beyond which doubles no longer hold every integer; larger intervals count as unknown.
#define GPUTUNE__EXACT 9007199254740992.0

// The value of a node, or what is known of it: its kind and an interval. fails: some choice of
// the open parameters may be a fault. A closed value may be a fault itself.
typedef struct gputune__part {
    bool open, fails;
    int kind; // GPUTUNE__KIND_FAULT when open: any
    double low, high;
    gputune__num value; // when not open
} gputune__part;

static gputune__part gputune__part_closed(gputune__num value)
{
    gputune__part part;
    part.open = false;
    part.fails = value.kind == GPUTUNE__KIND_FAULT;
    part.kind = (int)value.kind;
    part.low = part.high = value.kind <= GPUTUNE_REAL ? gputune__num_double(value) : 0.0;
    part.value = value;
    if (value.kind == GPUTUNE_INTEGER && fabs(part.low) >= GPUTUNE__EXACT) {
        part.low = -HUGE_VAL;
        part.high = HUGE_VAL;
    }
    return part;
}

static gputune__part gputune__part_open(int kind, double low, double high, bool fails)
{
    gputune__part part;
    part.open = true;
    part.fails = fails;
    part.kind = kind;
    part.low = low;
    part.high = high;
    part.value = gputune__num_int(0);
    if (kind == GPUTUNE_INTEGER && !fails && !(low < high) && low > -GPUTUNE__EXACT)
        return gputune__part_closed(gputune__num_int((int64_t)low));
    return part;
}

static gputune__part gputune__part_unknown(int kind, bool fails)
{
    return gputune__part_open(kind, -HUGE_VAL, HUGE_VAL, fails);
}

static bool gputune__part_fault(const gputune__part *part)
{
    return !part->open && part->kind == GPUTUNE__KIND_FAULT;
}

// 1, 0, or -1 when undecided (or a fault, or a name).
static int gputune__part_truth(const gputune__part *part)
{
    if (!part->open) return gputune__num_truth(part->value);
    if (part->fails || part->kind > GPUTUNE_REAL) return -1;
    if (part->low > 0.0 || part->high < 0.0) return 1;
    return part->low < 0.0 || part->high > 0.0 ? -1 : 0;
}

static bool gputune__part_bounded(const gputune__part *part)
{
    return part->kind <= GPUTUNE_REAL && part->low > -DBL_MAX && part->high < DBL_MAX;
}

static double gputune__corner(gputune__op op, bool integer, double a, double b)
{
    switch (op) {
    case GPUTUNE__OP_MUL: return a * b;
    case GPUTUNE__OP_DIV: return integer ? trunc(a / b) : a / b;
    case GPUTUNE__OP_CEIL_DIV: return ceil(a / b);
    case GPUTUNE__OP_SHL: return ldexp(a, (int)b);
    default: return floor(ldexp(a, -(int)b)); // SHR
    }
}

// The hull of an operation's values at the corners: exact bounds where it is monotone in each
// operand (rounding is monotone, too).
static gputune__part gputune__part_corners(gputune__op op, int kind, const gputune__part *a,
                                           const gputune__part *b, bool fails)
{
    bool integer = kind == GPUTUNE_INTEGER;
    double x[4], low, high;
    int i;
    x[0] = gputune__corner(op, integer, a->low, b->low);
    x[1] = gputune__corner(op, integer, a->low, b->high);
    x[2] = gputune__corner(op, integer, a->high, b->low);
    x[3] = gputune__corner(op, integer, a->high, b->high);
    low = high = x[0];
    for (i = 1; i < 4; i++) {
        if (x[i] < low) low = x[i];
        if (x[i] > high) high = x[i];
    }
    return gputune__part_open(kind, low, high, fails);
}

static gputune__part gputune__part_divide(gputune__op op, int kind, const gputune__part *a,
                                          const gputune__part *b)
{
    gputune__part divisor = *b;
    double width;
    bool fails = a->fails || b->fails || (b->low <= 0.0 && b->high >= 0.0);
    if (kind == GPUTUNE_INTEGER && !(divisor.low < 0.0) && divisor.low < 1.0) divisor.low = 1.0;
    if (kind == GPUTUNE_INTEGER && !(divisor.high > 0.0) && divisor.high > -1.0)
        divisor.high = -1.0;
    if (divisor.low > divisor.high) return gputune__part_unknown(kind, true);
    if (op == GPUTUNE__OP_MOD) {
        width = fmax(fabs(divisor.low), fabs(divisor.high));
        if (kind == GPUTUNE_INTEGER) width -= 1.0;
        if (!(a->low < 0.0) && divisor.low > a->high)
            return gputune__part_open(kind, a->low, a->high, fails);
        return gputune__part_open(kind, a->low < 0.0 ? fmax(a->low, -width) : 0.0,
                                  a->high > 0.0 ? fmin(a->high, width) : 0.0, fails);
    }
    if (divisor.low <= 0.0 && divisor.high >= 0.0) {
        if (kind != GPUTUNE_INTEGER) return gputune__part_unknown(kind, true);
        width = fmax(fabs(a->low), fabs(a->high));
        return gputune__part_open(kind, -width, width, true);
    }
    return gputune__part_corners(op, kind, a, &divisor, fails);
}

static gputune__part gputune__part_bits(gputune__op op, const gputune__part *a,
                                        const gputune__part *b, bool fails)
{
    double bound = 1.0;
    bool shift = op == GPUTUNE__OP_SHL || op == GPUTUNE__OP_SHR;
    if (shift) {
        if (b->low < 0.0 || b->high > 63.0) return gputune__part_unknown(GPUTUNE_INTEGER, true);
        return gputune__part_corners(op, GPUTUNE_INTEGER, a, b, fails);
    }
    if (a->low < 0.0 || b->low < 0.0) return gputune__part_unknown(GPUTUNE_INTEGER, fails);
    if (op == GPUTUNE__OP_BIT_AND)
        return gputune__part_open(GPUTUNE_INTEGER, 0.0, fmin(a->high, b->high), fails);
    while (bound <= a->high || bound <= b->high) bound *= 2.0;
    return gputune__part_open(GPUTUNE_INTEGER, 0.0, bound - 1.0, fails);
}

// Comparisons; bounds must be numbers, perhaps infinite.
static gputune__part gputune__part_compare(gputune__op op, const gputune__part *a,
                                           const gputune__part *b, bool fails)
{
    bool less = a->high < b->low, not_more = a->high <= b->low;
    bool more = a->low > b->high, not_less = a->low >= b->high;
    bool yes = false, no = false;
    switch (op) {
    case GPUTUNE__OP_LT: yes = less, no = not_less; break;
    case GPUTUNE__OP_LE: yes = not_more, no = more; break;
    case GPUTUNE__OP_GT: yes = more, no = not_more; break;
    case GPUTUNE__OP_GE: yes = not_less, no = less; break;
    case GPUTUNE__OP_EQ: no = less || more; break;
    default: yes = less || more; break; // NE
    }
    return gputune__part_open(GPUTUNE_INTEGER, yes ? 1.0 : 0.0, no ? 0.0 : 1.0, fails);
}

// op on two operands of which one at least is open, and none a fault.
static gputune__part gputune__part_apply2(gputune__op op, const gputune__part *a,
                                          const gputune__part *b)
{
    bool fails = a->fails || b->fails, compare = op >= GPUTUNE__OP_LT && op <= GPUTUNE__OP_NE;
    bool bits = op == GPUTUNE__OP_SHL || op == GPUTUNE__OP_SHR ||
                (op >= GPUTUNE__OP_BIT_AND && op <= GPUTUNE__OP_BIT_OR);
    int kind = a->kind == GPUTUNE_INTEGER && b->kind == GPUTUNE_INTEGER ? GPUTUNE_INTEGER
                                                                        : GPUTUNE_REAL;
    gputune__part part;
    if (a->kind > GPUTUNE_REAL || b->kind > GPUTUNE_REAL) {
        bool names = a->kind == GPUTUNE_NAME && b->kind == GPUTUNE_NAME &&
                     (op == GPUTUNE__OP_EQ || op == GPUTUNE__OP_NE);
        if (names) return gputune__part_open(GPUTUNE_INTEGER, 0.0, 1.0, fails);
        return gputune__part_unknown(compare ? (int)GPUTUNE_INTEGER : (int)GPUTUNE__KIND_FAULT,
                                     true);
    }
    if (compare) return gputune__part_compare(op, a, b, fails);
    if (bits && kind == GPUTUNE_REAL) return gputune__part_unknown(GPUTUNE_INTEGER, true);
    if (!gputune__part_bounded(a) || !gputune__part_bounded(b))
        return gputune__part_unknown(kind, true);
    switch (op) {
    case GPUTUNE__OP_ADD:
        part = gputune__part_open(kind, a->low + b->low, a->high + b->high, fails);
        break;
    case GPUTUNE__OP_SUB:
        part = gputune__part_open(kind, a->low - b->high, a->high - b->low, fails);
        break;
    case GPUTUNE__OP_MUL: part = gputune__part_corners(op, kind, a, b, fails); break;
    case GPUTUNE__OP_MIN:
        part = gputune__part_open(kind, fmin(a->low, b->low), fmin(a->high, b->high), fails);
        break;
    case GPUTUNE__OP_MAX:
        part = gputune__part_open(kind, fmax(a->low, b->low), fmax(a->high, b->high), fails);
        break;
    case GPUTUNE__OP_DIV:
    case GPUTUNE__OP_MOD:
    case GPUTUNE__OP_CEIL_DIV: part = gputune__part_divide(op, kind, a, b); break;
    default: part = gputune__part_bits(op, a, b, fails); break;
    }
    if (!gputune__part_bounded(&part) ||
        (kind == GPUTUNE_INTEGER &&
         (part.low < -GPUTUNE__EXACT || part.high > GPUTUNE__EXACT)))
        return gputune__part_unknown(kind, true);
    return part;
}

static gputune__part gputune__part_apply1(gputune__op op, const gputune__part *a)
{
    int truth;
    bool integer = a->kind == GPUTUNE_INTEGER;
    if (a->kind > GPUTUNE_REAL) return gputune__part_unknown(GPUTUNE__KIND_FAULT, true);
    if (op == GPUTUNE__OP_NOT || op == GPUTUNE__OP_IS_POW2) {
        truth = op == GPUTUNE__OP_NOT ? gputune__part_truth(a) : -1;
        return gputune__part_open(GPUTUNE_INTEGER, truth == 0 ? 1.0 : 0.0,
                                  truth == 1 ? 0.0 : 1.0, a->fails);
    }
    if (!gputune__part_bounded(a) || (op == GPUTUNE__OP_FLIP && !integer))
        return gputune__part_unknown(a->kind, true);
    switch (op) {
    case GPUTUNE__OP_FLIP:
        return gputune__part_open(a->kind, -a->high - 1.0, -a->low - 1.0, a->fails);
    case GPUTUNE__OP_NEG: return gputune__part_open(a->kind, -a->high, -a->low, a->fails);
    case GPUTUNE__OP_ABS:
        return gputune__part_open(a->kind, fmax(0.0, fmax(a->low, -a->high)),
                                  fmax(-a->low, a->high), a->fails);
    default: // LOG2; a library's log2 need not be monotone in its last bit
        if (!(a->low > 0.0)) return gputune__part_unknown(a->kind, true);
        if (integer)
            return gputune__part_open(a->kind,
                                      (double)gputune__floor_log2((int64_t)a->low),
                                      (double)gputune__floor_log2((int64_t)a->high), a->fails);
        return gputune__part_open(a->kind, log2(a->low) - 1e-9, log2(a->high) + 1e-9, a->fails);
    }
}

// What is known of a node before any parameter is decided, and where in the order of decision
// its parameters stand.
typedef struct gputune__info {
    gputune__part part;
    gputune__set params; // open ones on which it depends
    double magnitude;    // bound of any partial sum or product in it
    double bits;         // log2 of how many values it may take
    int first;           // place of the earliest of params
    bool seen;
    bool regroup;        // a chain whose operands may be taken in any order, and cannot overflow
} gputune__info;

// One walker over a restriction's tree. It folds what is decided and writes down the rest, as
// bytes: two states with the same bytes have the same valid completions.
typedef struct gputune__walk {
    gputune__eval eval; // memo is its own
    gputune__info *info;
    gputune__memo *memo;
    const gputune__base *b;
    int known;          // parameters decided: places 0 .. known - 1
    bool analyse;       // first walk: fills info
    unsigned char *key; // stb_ds array with room
    size_t length;
    bool oom;
} gputune__walk;

enum {
    GPUTUNE__KEY_OPEN = 1,
    GPUTUNE__KEY_REAL,
    GPUTUNE__KEY_NAME,
    GPUTUNE__KEY_FAULT,
    GPUTUNE__KEY_FOLDED,
    GPUTUNE__KEY_TRUE,
    GPUTUNE__KEY_FALSE,
    GPUTUNE__KEY_SMALL = 16, // integers -64 .. 127, one byte
    GPUTUNE__KEY_WIDE = 8    // others: 8 + (bytes - 1), then the bytes
};

static gputune__part gputune__walk_node(gputune__walk *w, int at);

static void gputune__key_put(gputune__walk *w, const void *bytes, size_t count)
{
    if (w->analyse) return;
    if (w->length + count > stbds_arrcap(w->key)) {
        if (w->oom) return;
        stbds_arrsetlen(w->key, w->length);
        if (!gputune__arr_room(w->b, w->key, count)) {
            w->oom = true;
            return;
        }
    }
    memcpy(w->key + w->length, bytes, count);
    w->length += count;
}

static void gputune__key_tag(gputune__walk *w, int tag)
{
    unsigned char byte = (unsigned char)tag;
    gputune__key_put(w, &byte, 1);
}

static void gputune__key_integer(gputune__walk *w, int64_t value)
{
    unsigned char bytes[9];
    uint64_t rest = (uint64_t)value;
    int count = 0, i;
    if (value >= -64 && value < 128) {
        gputune__key_tag(w, (int)value + 64 + GPUTUNE__KEY_SMALL);
        return;
    }
    for (i = 1; i <= 8; i++, rest >>= 8) {
        bytes[i] = (unsigned char)rest;
        if (rest) count = i;
    }
    bytes[0] = (unsigned char)(GPUTUNE__KEY_WIDE + count - 1);
    gputune__key_put(w, bytes, (size_t)count + 1);
}

static void gputune__key_value(gputune__walk *w, gputune__num value)
{
    if (value.kind == GPUTUNE_INTEGER) {
        gputune__key_integer(w, value.u.i);
    } else if (value.kind == GPUTUNE__KIND_FAULT) {
        gputune__key_tag(w, GPUTUNE__KEY_FAULT);
    } else {
        gputune__key_tag(w, value.kind == GPUTUNE_REAL ? GPUTUNE__KEY_REAL : GPUTUNE__KEY_NAME);
        gputune__key_put(w, &value.u, 8);
    }
}

// && and ||: operands up to the one that decides. Those after it are never evaluated.
static gputune__part gputune__walk_logic(gputune__walk *w, const gputune__node *node)
{
    int decisive = node->op == GPUTUNE__OP_OR, at, truth;
    bool open = false, fails = false;
    size_t start;
    gputune__part part;
    for (at = node->child; at >= 0; at = w->eval.nodes[at].next) {
        start = w->length;
        part = gputune__walk_node(w, at);
        truth = gputune__part_truth(&part);
        if (!part.open && truth < 0 && !open)
            return gputune__part_fault(&part)
                       ? part
                       : gputune__part_closed(gputune__num_fault(GPUTUNE__FAULT_NAME));
        if (truth >= 0) {
            w->length = start;
            if (truth == decisive && !fails)
                return gputune__part_closed(gputune__num_int(decisive));
            gputune__key_tag(w, truth ? GPUTUNE__KEY_TRUE : GPUTUNE__KEY_FALSE);
            if (truth == decisive) break;
        } else {
            open = true;
            fails = fails || part.fails || part.kind > GPUTUNE_REAL;
            if (!part.open) break;
        }
    }
    if (!open) return gputune__part_closed(gputune__num_int(!decisive));
    return gputune__part_open(GPUTUNE_INTEGER, 0.0, 1.0, fails);
}

static gputune__part gputune__walk_cond(gputune__walk *w, const gputune__node *node)
{
    int yes = w->eval.nodes[node->child].next, truth;
    size_t start = w->length;
    gputune__part cond = gputune__walk_node(w, node->child), a, b;
    truth = gputune__part_truth(&cond);
    if (truth >= 0) {
        w->length = start;
        gputune__key_tag(w, truth ? GPUTUNE__KEY_TRUE : GPUTUNE__KEY_FALSE);
        return gputune__walk_node(w, truth ? yes : w->eval.nodes[yes].next);
    }
    if (!cond.open)
        return gputune__part_fault(&cond)
                   ? cond
                   : gputune__part_closed(gputune__num_fault(GPUTUNE__FAULT_NAME));
    a = gputune__walk_node(w, yes);
    b = gputune__walk_node(w, w->eval.nodes[yes].next);
    cond.fails = cond.fails || a.fails || b.fails || cond.kind > GPUTUNE_REAL;
    if (a.kind != b.kind || a.kind > GPUTUNE_REAL)
        return gputune__part_unknown(a.kind == b.kind ? a.kind : (int)GPUTUNE__KIND_FAULT,
                                     cond.fails);
    return gputune__part_open(a.kind, fmin(a.low, b.low), fmax(a.high, b.high), cond.fails);
}

// Operands taken together in a chain: those decided as one number, and the bounds of all.
typedef struct gputune__chain {
    gputune__op op;
    bool any;        // a decided operand
    int64_t value;   // of all decided ones; cannot overflow: gputune__info.regroup
    gputune__part all;
    bool started;
    gputune__num fault;
} gputune__chain;

static void gputune__chain_value(gputune__chain *chain, int64_t value, bool minus)
{
    if (!chain->any)
        chain->value = minus ? -value : value;
    else if (chain->op == GPUTUNE__OP_ADD)
        chain->value += minus ? -value : value;
    else
        chain->value = gputune__int_apply(chain->op, chain->value, value).u.i;
    chain->any = true;
}

static void gputune__chain_bound(gputune__chain *chain, gputune__part part, bool minus)
{
    gputune__part zero;
    if (minus) {
        zero = gputune__part_closed(gputune__num_int(0));
        part = part.open ? gputune__part_apply2(GPUTUNE__OP_SUB, &zero, &part)
                         : gputune__part_closed(gputune__apply2(GPUTUNE__OP_SUB, zero.value,
                                                                part.value));
    }
    if (!chain->started)
        chain->all = part;
    else if (part.open || chain->all.open)
        chain->all = gputune__part_apply2(chain->op, &chain->all, &part);
    else
        chain->all =
            gputune__part_closed(gputune__apply2(chain->op, chain->all.value, part.value));
    chain->started = true;
}

// Chains of integers in which order does not matter: a + (b - c) is one chain.
static void gputune__walk_chain(gputune__walk *w, const gputune__node *node, bool minus,
                                gputune__chain *chain)
{
    int at;
    size_t start;
    bool sign;
    gputune__part part;
    for (at = node->child; at >= 0; at = w->eval.nodes[at].next) {
        const gputune__info *info = &w->info[at];
        sign = minus != w->eval.nodes[at].minus;
        if (w->eval.nodes[at].op == node->op && info->regroup && info->part.open &&
            w->memo[at].last >= w->known && info->first < w->known) {
            gputune__walk_chain(w, &w->eval.nodes[at], sign, chain);
            continue;
        }
        start = w->length;
        part = gputune__walk_node(w, at);
        if (gputune__part_fault(&part)) {
            chain->fault = part.value;
            return;
        }
        if (!part.open) {
            w->length = start;
            if (w->memo[at].last >= w->known) gputune__key_tag(w, GPUTUNE__KEY_FOLDED);
            gputune__chain_value(chain, part.value.u.i, sign);
        }
        gputune__chain_bound(chain, part, sign);
    }
}

static gputune__part gputune__walk_regroup(gputune__walk *w, const gputune__node *node)
{
    gputune__chain chain;
    memset(&chain, 0, sizeof chain);
    chain.op = node->op;
    gputune__walk_chain(w, node, false, &chain);
    if (chain.fault.kind == GPUTUNE__KIND_FAULT) return gputune__part_closed(chain.fault);
    if (chain.any) gputune__key_integer(w, chain.value);
    return chain.all;
}

static gputune__part gputune__walk_strict(gputune__walk *w, const gputune__node *node)
{
    gputune__part all, part;
    int at = node->child;
    gputune__op op;
    all = gputune__walk_node(w, at);
    if (gputune__part_fault(&all)) return all;
    if (node->op >= GPUTUNE__OP_NOT)
        return all.open ? gputune__part_apply1(node->op, &all)
                        : gputune__part_closed(gputune__apply1(node->op, all.value));
    while ((at = w->eval.nodes[at].next) >= 0) {
        part = gputune__walk_node(w, at);
        if (gputune__part_fault(&part)) return part;
        op = w->eval.nodes[at].minus ? GPUTUNE__OP_SUB : node->op;
        all = all.open || part.open
                  ? gputune__part_apply2(op, &all, &part)
                  : gputune__part_closed(gputune__apply2(op, all.value, part.value));
        if (gputune__part_fault(&all)) return all;
    }
    return all;
}

static void gputune__analyse_node(gputune__walk *w, int at, const gputune__part *part);

// Value or bounds of a node, and the bytes that tell this state from others.
static gputune__part gputune__walk_node(gputune__walk *w, int at)
{
    const gputune__node *node = &w->eval.nodes[at];
    const gputune__info *info = &w->info[at];
    size_t start = w->length;
    gputune__part part;
    if (!w->analyse) {
        if (!info->part.open) {
            gputune__key_value(w, info->part.value);
            return info->part;
        }
        if (info->first >= w->known) return info->part; // nothing in it is decided yet
    }
    if (w->analyse ? node->op == GPUTUNE__OP_CONSTANT : w->memo[at].last < w->known) {
        part = gputune__part_closed(gputune__eval_node(&w->eval, at));
    } else {
        gputune__key_tag(w, GPUTUNE__KEY_OPEN);
        if (node->op == GPUTUNE__OP_SYMBOL)
            part = info->part; // its analysis has set it
        else if (node->op == GPUTUNE__OP_COND)
            part = gputune__walk_cond(w, node);
        else if (node->op < GPUTUNE__OP_COND)
            part = gputune__walk_logic(w, node);
        else if (info->regroup && !w->analyse)
            part = gputune__walk_regroup(w, node);
        else
            part = gputune__walk_strict(w, node);
    }
    if (w->analyse) gputune__analyse_node(w, at, &part);
    if (!part.open) {
        w->length = start;
        gputune__key_value(w, part.value);
    }
    return part;
}

// Sums the magnitudes, or multiplies them.
static double gputune__chain_magnitude(const gputune__walk *w, const gputune__node *node)
{
    bool sum = node->op == GPUTUNE__OP_ADD;
    double all = sum ? 0.0 : 1.0;
    int at;
    for (at = node->child; at >= 0; at = w->eval.nodes[at].next) {
        double magnitude = w->info[at].magnitude;
        if (w->info[at].part.kind != GPUTUNE_INTEGER) return HUGE_VAL;
        if (node->op == GPUTUNE__OP_MUL)
            all *= fmax(1.0, magnitude);
        else
            all = sum ? all + magnitude : fmax(all, magnitude);
    }
    return all;
}

// After its operands: what the node depends on, and whether its operands may be regrouped.
static void gputune__analyse_node(gputune__walk *w, int at, const gputune__part *part)
{
    const gputune__node *node = &w->eval.nodes[at];
    gputune__info *info = &w->info[at];
    bool chain = node->op == GPUTUNE__OP_ADD || node->op == GPUTUNE__OP_MUL ||
                 node->op == GPUTUNE__OP_MIN || node->op == GPUTUNE__OP_MAX;
    double width = part->high - part->low + 1.0;
    int operand;
    info->seen = true;
    info->part = *part;
    info->magnitude = fmax(fabs(part->low), fabs(part->high));
    if (!part->open) {
        memset(&info->params, 0, sizeof info->params);
        w->memo[at].value = part->value;
        return;
    }
    for (operand = node->child; operand >= 0; operand = w->eval.nodes[operand].next) {
        if (!w->info[operand].seen) continue;
        gputune__set_join(&info->params, &w->info[operand].params);
        if (node->op != GPUTUNE__OP_SYMBOL) info->bits += w->info[operand].bits;
    }
    if (part->kind == GPUTUNE_INTEGER && width < GPUTUNE__EXACT)
        info->bits = fmin(info->bits, log2(width));
    if (chain) {
        double magnitude = gputune__chain_magnitude(w, node);
        info->regroup = magnitude < GPUTUNE__EXACT;
        if (info->regroup) info->magnitude = magnitude;
    }
}

// --- building the diagrams

// A restriction, or one operand of its outermost &&.
typedef struct gputune__term {
    int restriction, root;
    gputune__set params;
    int first, last; // places in the order
    uint16_t *open;  // by place: how many of its parameters stand there or later
} gputune__term;

typedef struct gputune__domain {
    uint16_t *digits; // positions of the values that restrictions on this parameter alone allow
    int count;
} gputune__domain;

typedef enum gputune__outcome {
    GPUTUNE__SOLVED,
    GPUTUNE__SOLVED_EMPTY,
    GPUTUNE__SOLVED_FAULT, // something divides by zero and nothing excludes it
    GPUTUNE__SOLVED_LARGE,    // too many states for the budget
    GPUTUNE__SOLVED_OVERFLOW, // 2^64 configurations or more
    GPUTUNE__SOLVED_OOM
} gputune__outcome;

typedef struct gputune__solver {
    const gputune__base *b;
    gputune_space *space;
    const bool *active;       // by restriction; NULL: all
    gputune__walk *walks;     // by restriction
    gputune__domain *domains; // by parameter
    uint16_t *digits;         // the room of all domains
    gputune__term *terms;     // stb_ds array
    gputune__group *groups;   // stb_ds array
    bool fault;               // a fault was found: fault_choice leads to it
    uint16_t fault_choice[GPUTUNE_MAX_PARAMETERS];
    uint32_t limit;           // most nodes of one diagram
    int blame;                // the restriction that cannot hold, or -1
    gputune__set large;       // parameters of the group that grew too large
} gputune__solver;

static int gputune__solver_params(const gputune__solver *s)
{
    return gputune__len(s->space->params);
}

static const gputune_value *gputune__domain_value(const gputune__solver *s, int param, int i)
{
    return &s->space->params[param].values[s->domains[param].digits[i]];
}

static void gputune__solver_close(gputune__solver *s)
{
    int r;
    for (r = 0; s->walks && r < gputune__len(s->space->requires_); r++) {
        gputune__free(s->b, s->walks[r].info);
        gputune__free(s->b, s->walks[r].memo);
    }
    for (r = 0; r < gputune__len(s->terms); r++) gputune__free(s->b, s->terms[r].open);
    gputune__free(s->b, s->walks);
    gputune__free(s->b, s->domains);
    gputune__free(s->b, s->digits);
    gputune__arr_free(s->b, s->terms);
    gputune__groups_free(s->b, &s->groups);
}

static bool gputune__solver_open(gputune__solver *s)
{
    int params = gputune__solver_params(s), rows = gputune__len(s->space->requires_), i, j;
    size_t total = 0, at = 0;
    for (i = 0; i < params; i++) total += (size_t)gputune__len(s->space->params[i].values);
    s->walks = (gputune__walk *)gputune__alloc(s->b, (size_t)rows, sizeof *s->walks);
    s->domains = (gputune__domain *)gputune__alloc(s->b, (size_t)params, sizeof *s->domains);
    s->digits = (uint16_t *)gputune__alloc(s->b, total, sizeof *s->digits);
    if (!s->walks || !s->domains || !s->digits) return false;
    for (i = 0; i < params; i++) {
        s->domains[i].digits = s->digits + at;
        s->domains[i].count = gputune__len(s->space->params[i].values);
        for (j = 0; j < s->domains[i].count; j++) s->digits[at++] = (uint16_t)j;
    }
    for (i = 0; i < rows; i++) {
        gputune__walk *w = &s->walks[i];
        const gputune__expr *expr = s->space->requires_[i];
        size_t nodes = (size_t)gputune__len(expr->nodes);
        w->info = (gputune__info *)gputune__alloc(s->b, nodes, sizeof *w->info);
        w->memo = (gputune__memo *)gputune__alloc(s->b, nodes, sizeof *w->memo);
        if (!w->info || !w->memo) return false;
        w->b = s->b;
        w->eval.nodes = expr->nodes;
        w->eval.values = s->space->values;
        w->eval.memo = w->memo;
    }
    return true;
}

// Kind and bounds of a parameter's values.
static gputune__part gputune__domain_part(const gputune__solver *s, int param)
{
    const gputune__domain *domain = &s->domains[param];
    gputune__part part =
        gputune__part_closed(gputune__num_of(gputune__domain_value(s, param, 0)));
    double low = part.low, high = part.high;
    int i;
    if (domain->count == 1) return part;
    for (i = 1; i < domain->count; i++) {
        part = gputune__part_closed(gputune__num_of(gputune__domain_value(s, param, i)));
        low = fmin(low, part.low);
        high = fmax(high, part.high);
    }
    return gputune__part_open(part.kind, low, high, false);
}

// The tree of one restriction with no parameter decided but those with a single value.
static gputune__part gputune__solver_analyse(gputune__solver *s, int r)
{
    gputune__walk *w = &s->walks[r];
    const gputune__expr *expr = s->space->requires_[r];
    int i, index, nodes = gputune__len(expr->nodes), params = gputune__solver_params(s);
    memset(w->info, 0, (size_t)nodes * sizeof *w->info);
    for (i = 0; i < nodes; i++) {
        w->memo[i].last = INT_MAX;
        if (expr->nodes[i].op != GPUTUNE__OP_SYMBOL) continue;
        index = expr->nodes[i].index;
        if (index >= params) {
            w->info[i].part = gputune__part_closed(gputune__num_of(&s->space->values[index]));
            continue;
        }
        w->info[i].part = gputune__domain_part(s, index);
        if (!w->info[i].part.open) continue;
        gputune__set_add(&w->info[i].params, index);
        w->info[i].bits = log2((double)s->domains[index].count);
    }
    w->analyse = true;
    w->known = w->eval.known = 0;
    w->eval.column = 0;
    return gputune__walk_node(w, expr->root);
}

// Adds the undecided parts of a restriction to the terms. The operands of an outermost && are
// terms of their own if none but the last can fail: a && b fails where a does, even if b is false.
static bool gputune__solver_terms(gputune__solver *s, int r)
{
    const gputune__walk *w = &s->walks[r];
    const gputune__node *nodes = w->eval.nodes;
    int root = s->space->requires_[r]->root, at;
    bool split = nodes[root].op == GPUTUNE__OP_AND;
    gputune__term term;
    memset(&term, 0, sizeof term);
    term.restriction = r;
    for (at = nodes[root].child; split && nodes[at].next >= 0; at = nodes[at].next)
        split = !w->info[at].part.fails && w->info[at].part.kind <= GPUTUNE_REAL;
    for (at = split ? nodes[root].child : root; at >= 0; at = split ? nodes[at].next : -1) {
        if (!w->info[at].seen) continue;
        if (gputune__part_truth(&w->info[at].part) == 1) continue;
        term.root = at;
        term.params = w->info[at].params;
        if (!gputune__push(s->b, s->terms, term)) return false;
    }
    return true;
}

// A term over one parameter: drops the values for which it is false. false if it can fail, and
// must be decided together with the rest.
static bool gputune__solver_filter(gputune__solver *s, const gputune__term *term, bool *changed)
{
    gputune__eval e = s->walks[term->restriction].eval;
    gputune__domain *domain;
    gputune__num fault;
    int param = 0, i, kept = 0, truth;
    while (!gputune__set_has(&term->params, param)) param++;
    domain = &s->domains[param];
    e.memo = NULL;
    for (i = 0; i < domain->count; i++) {
        s->space->values[param] = *gputune__domain_value(s, param, i);
        if (gputune__eval_truth(&e, term->root, &fault) < 0) return false;
    }
    for (i = 0; i < domain->count; i++) {
        s->space->values[param] = *gputune__domain_value(s, param, i);
        truth = gputune__eval_truth(&e, term->root, &fault);
        if (truth) domain->digits[kept++] = domain->digits[i];
    }
    if (kept < domain->count) *changed = true;
    domain->count = kept;
    if (kept)
        s->space->values[param] = *gputune__domain_value(s, param, 0);
    else
        s->blame = term->restriction;
    return true;
}

static void gputune__solver_clear_terms(gputune__solver *s, int from)
{
    int i;
    for (i = from; i < gputune__len(s->terms); i++) gputune__free(s->b, s->terms[i].open);
    if (s->terms) stbds_arrsetlen(s->terms, (size_t)from);
}

// One restriction with the domains as they are.
static gputune__outcome gputune__solver_restriction(gputune__solver *s, int r, bool *changed)
{
    gputune__part part = gputune__solver_analyse(s, r);
    int truth = gputune__part_truth(&part), from = gputune__len(s->terms), i, kept;
    if (truth == 1) return GPUTUNE__SOLVED;
    if (truth == 0) {
        s->blame = r;
        return GPUTUNE__SOLVED_EMPTY;
    }
    if (!part.open) return GPUTUNE__SOLVED_FAULT;
    if (!gputune__solver_terms(s, r)) return GPUTUNE__SOLVED_OOM;
    for (i = kept = from; i < gputune__len(s->terms); i++) {
        if (gputune__set_count(&s->terms[i].params) == 1 &&
            gputune__solver_filter(s, &s->terms[i], changed)) {
            if (s->blame >= 0) return GPUTUNE__SOLVED_EMPTY;
            continue;
        }
        s->terms[kept++] = s->terms[i];
    }
    if (s->terms) stbds_arrsetlen(s->terms, (size_t)kept);
    return GPUTUNE__SOLVED;
}

// Domains and terms: repeated while a restriction on one parameter makes a domain smaller.
static gputune__outcome gputune__solver_prepare(gputune__solver *s)
{
    bool changed = true;
    int r, i;
    for (i = 0; i < gputune__solver_params(s); i++)
        s->space->values[i] = *gputune__domain_value(s, i, 0);
    while (changed) {
        changed = s->fault = false;
        gputune__solver_clear_terms(s, 0);
        for (r = 0; r < gputune__len(s->space->requires_); r++) {
            gputune__outcome outcome;
            if (s->active && !s->active[r]) continue;
            outcome = gputune__solver_restriction(s, r, &changed);
            if (outcome == GPUTUNE__SOLVED_FAULT)
                s->fault = true;
            else if (outcome)
                return outcome;
        }
    }
    return GPUTUNE__SOLVED;
}

// --- the order of decision

// A value that must be remembered: which parameters are in it, and how many bits it takes.
typedef struct gputune__slot {
    gputune__set params;
    double bits;
} gputune__slot;

typedef struct gputune__order {
    gputune__solver *s;
    const int *terms; // of the group
    int term_count;
    const uint16_t *params;
    int count;
    gputune__set chosen;
    gputune__slot *slots; // stb_ds array
    bool oom;
} gputune__order;

static void gputune__order_slot(gputune__order *o, const gputune__set *params, double bits)
{
    gputune__slot slot;
    int i;
    for (i = 0; i < gputune__len(o->slots); i++)
        if (memcmp(&o->slots[i].params, params, sizeof *params) == 0) return;
    slot.params = *params;
    slot.bits = bits;
    if (!gputune__push(o->s->b, o->slots, slot)) o->oom = true;
}

static void gputune__order_node(gputune__order *o, const gputune__walk *w, int at);

// The decided operands of a chain are one slot.
static void gputune__order_chain(gputune__order *o, const gputune__walk *w, int at,
                                 gputune__slot *sum)
{
    gputune__op op = w->eval.nodes[at].op;
    for (at = w->eval.nodes[at].child; at >= 0; at = w->eval.nodes[at].next) {
        const gputune__info *info = &w->info[at];
        if (!gputune__set_meets(&info->params, &o->chosen)) continue;
        if (gputune__set_inside(&info->params, &o->chosen)) {
            gputune__set_join(&sum->params, &info->params);
            sum->bits += op == GPUTUNE__OP_MUL ? 0.85 * info->bits : info->bits;
        } else if (w->eval.nodes[at].op == op && info->regroup) {
            gputune__order_chain(o, w, at, sum);
        } else {
            gputune__order_node(o, w, at);
        }
    }
}

static void gputune__order_node(gputune__order *o, const gputune__walk *w, int at)
{
    const gputune__info *info = &w->info[at];
    gputune__slot sum;
    if (!info->seen || !info->part.open || !gputune__set_meets(&info->params, &o->chosen)) return;
    if (gputune__set_inside(&info->params, &o->chosen)) {
        gputune__order_slot(o, &info->params, info->bits);
        return;
    }
    if (info->regroup) {
        memset(&sum, 0, sizeof sum);
        gputune__order_chain(o, w, at, &sum);
        if (sum.bits > 0.0) gputune__order_slot(o, &sum.params, fmin(sum.bits, 20.0));
        return;
    }
    for (at = w->eval.nodes[at].child; at >= 0; at = w->eval.nodes[at].next)
        gputune__order_node(o, w, at);
}

static double gputune__order_domains(const gputune__order *o, const gputune__set *params,
                                     const gputune__set *less)
{
    double bits = 0.0;
    int i;
    for (i = 0; i < o->count; i++) {
        int param = o->params[i];
        if (gputune__set_has(params, param) && !gputune__set_has(less, param))
            bits += log2((double)o->s->domains[param].count);
    }
    return bits;
}

// The slots of one term; a term with one parameter left is a set of that one's values.
static void gputune__order_term(gputune__order *o, const gputune__term *term, gputune__set *active)
{
    int from = gputune__len(o->slots), i, last = -1, open = 0;
    gputune__slot all;
    if (!gputune__set_meets(&term->params, &o->chosen) ||
        gputune__set_inside(&term->params, &o->chosen))
        return;
    gputune__order_node(o, &o->s->walks[term->restriction], term->root);
    for (i = 0; i < o->count; i++) {
        if (!gputune__set_has(&term->params, o->params[i])) continue;
        if (gputune__set_has(&o->chosen, o->params[i])) {
            gputune__set_add(active, o->params[i]);
        } else {
            last = o->params[i];
            open++;
        }
    }
    if (open != 1 || gputune__len(o->slots) - from < 1) return;
    memset(&all, 0, sizeof all);
    for (i = from; i < gputune__len(o->slots); i++) {
        gputune__set_join(&all.params, &o->slots[i].params);
        all.bits += o->slots[i].bits;
    }
    all.bits = fmin(all.bits, log2((double)o->s->domains[last].count) + 1.0);
    stbds_arrsetlen(o->slots, (size_t)from);
    gputune__order_slot(o, &all.params, all.bits);
}

// log2 of a guess at how many states there are when `chosen` are decided.
static double gputune__order_bits(gputune__order *o)
{
    gputune__set active, plain, none;
    double total;
    int i;
    memset(&active, 0, sizeof active);
    memset(&plain, 0, sizeof plain);
    memset(&none, 0, sizeof none);
    if (o->slots) stbds_arrsetlen(o->slots, 0);
    for (i = 0; i < o->term_count; i++)
        gputune__order_term(o, &o->s->terms[o->terms[i]], &active);
    for (i = 0; i < gputune__len(o->slots); i++)
        if (o->slots[i].bits + 0.01 > gputune__order_domains(o, &o->slots[i].params, &none))
            gputune__set_join(&plain, &o->slots[i].params);
    total = gputune__order_domains(o, &plain, &none);
    for (i = 0; i < gputune__len(o->slots); i++)
        total += fmin(o->slots[i].bits,
                      gputune__order_domains(o, &o->slots[i].params, &plain));
    return fmin(total, gputune__order_domains(o, &active, &none));
}

// Guess at the work of an order: states before each decision, times the values tried.
static double gputune__order_work(gputune__order *o, const uint16_t *order)
{
    double work = 0.0, states = 0.0;
    int place;
    memset(&o->chosen, 0, sizeof o->chosen);
    for (place = 0; place < o->count; place++) {
        work += exp2(states) * o->s->domains[order[place]].count;
        gputune__set_add(&o->chosen, order[place]);
        states = gputune__order_bits(o);
    }
    return work;
}

// Greedy from a first parameter: always the next one that leaves the fewest states, where credit
// is how much of its own size a parameter is forgiven (else those with few values come first,
// and must be remembered through all later layers). Writes the order.
static void gputune__order_greedy(gputune__order *o, int start, double credit, uint16_t *order)
{
    int place, i, best;
    memset(&o->chosen, 0, sizeof o->chosen);
    for (place = 0; place < o->count; place++) {
        double best_bits = HUGE_VAL, bits;
        best = place == 0 ? start : -1;
        for (i = 0; i < o->count && place > 0; i++) {
            gputune__set before = o->chosen;
            if (gputune__set_has(&before, o->params[i])) continue;
            gputune__set_add(&o->chosen, o->params[i]);
            bits = gputune__order_bits(o) -
                   credit * log2((double)o->s->domains[o->params[i]].count);
            o->chosen = before;
            if (best < 0 || bits < best_bits) {
                best_bits = bits;
                best = i;
            }
        }
        gputune__set_add(&o->chosen, o->params[best]);
        order[place] = o->params[best];
    }
}

// Moves one parameter at a time to where the guess is lowest, until nothing helps.
static double gputune__order_improve(gputune__order *o, uint16_t *order)
{
    double work = gputune__order_work(o, order), moved_work;
    uint16_t moved[GPUTUNE_MAX_PARAMETERS];
    int from, to, rounds = o->count > 24 ? 3 : 0, reach = o->count > 24 ? 4 : o->count;
    bool better = true;
    while (better && rounds++ < 4) {
        better = false;
        for (from = 0; from < o->count; from++) {
            for (to = 0; to < o->count; to++) {
                if (to == from || abs(to - from) > reach) continue;
                memcpy(moved, order, sizeof *order * (size_t)o->count);
                if (to < from)
                    memmove(moved + to + 1, order + to, sizeof *order * (size_t)(from - to));
                else
                    memmove(moved + from, order + from + 1, sizeof *order * (size_t)(to - from));
                moved[to] = order[from];
                moved_work = gputune__order_work(o, moved);
                if (moved_work >= 0.999 * work) continue;
                work = moved_work;
                memcpy(order, moved, sizeof *order * (size_t)o->count);
                better = true;
            }
        }
    }
    return work;
}

// --- expansion: top down, one layer a parameter, states merged by their keys

typedef struct gputune__layer {
    uint32_t *first; // stb_ds arrays: state -> first edge (one more than states)
    uint16_t *digit;
    uint32_t *child;
} gputune__layer;

typedef struct gputune__state {
    size_t at; // in bytes: the digits so far, then the key
    uint32_t length, hash;
} gputune__state;

// The states after some number of decisions.
typedef struct gputune__frontier {
    gputune__state *states; // stb_ds arrays
    unsigned char *bytes;
    uint32_t *table; // open addressing, state + 1
    size_t slots;
} gputune__frontier;

enum { GPUTUNE__MASK_VALUES = 256 }; // domains up to this size may be kept as bit sets

typedef struct gputune__expansion {
    gputune__solver *s;
    const uint16_t *params; // in order
    int count;
    const int *terms;
    int term_count;
    gputune__layer *layers; // count of them
    gputune__frontier now, next;
    bool *masked;       // by place * (count + 1) + depth: a bit set of the place is in the key
    gputune__walk w;    // its key buffer is shared by the walks of all restrictions
    uint32_t *part_at;  // by term: where its part of the key of the state in hand is,
    uint32_t *part_len; // and how long; 0: decided
    unsigned char **mask; // by place: the bit set in the state in hand, or NULL
    unsigned char *scratch; // one bit set a place
    gputune__frontier *seen; // by term: what is left of it with one parameter open, and
    unsigned char **made;    // the bit sets made from that; stb_ds arrays
    uint16_t digits[GPUTUNE_MAX_PARAMETERS];
    uint64_t nodes, tried;
    uint32_t limit;
    bool fault, failing;
    gputune__outcome outcome;
} gputune__expansion;

static size_t gputune__mask_bytes(const gputune__expansion *x, int place)
{
    return (size_t)(x->s->domains[x->params[place]].count + 7) / 8;
}

static void gputune__frontier_free(const gputune__base *b, gputune__frontier *f)
{
    gputune__arr_free(b, f->states);
    gputune__arr_free(b, f->bytes);
    gputune__free(b, f->table);
    f->table = NULL;
    f->slots = 0;
}

static uint32_t gputune__key_hash(const unsigned char *bytes, size_t length)
{
    uint64_t hash = length, word;
    while (length >= 8) {
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
        bytes += 8;
        length -= 8;
    }
    word = 0;
    memcpy(&word, bytes, length);
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash ^ hash >> 29 ^ hash >> 47);
}

static bool gputune__frontier_grow(const gputune__base *b, gputune__frontier *f)
{
    size_t slots = f->slots ? 2 * f->slots : 64, at;
    uint32_t *table = (uint32_t *)gputune__alloc(b, slots, sizeof *table);
    int i;
    if (!table) return false;
    for (i = 0; i < gputune__len(f->states); i++) {
        at = f->states[i].hash & (slots - 1);
        while (table[at]) at = (at + 1) & (slots - 1);
        table[at] = (uint32_t)i + 1;
    }
    gputune__free(b, f->table);
    f->table = table;
    f->slots = slots;
    return true;
}

// The state with this key, made if it is new; digits are those that lead to it. UINT32_MAX: out
// of memory.
static uint32_t gputune__frontier_state(const gputune__base *b, gputune__frontier *f,
                                        const uint16_t *digits, size_t digit_count,
                                        const unsigned char *key, size_t length)
{
    uint32_t hash = gputune__key_hash(key, length), found;
    size_t at, prefix = digit_count * sizeof *digits, total;
    gputune__state state;
    if ((size_t)gputune__len(f->states) * 4 >= f->slots * 3 && !gputune__frontier_grow(b, f))
        return UINT32_MAX;
    for (at = hash & (f->slots - 1); (found = f->table[at]) != 0; at = (at + 1) & (f->slots - 1)) {
        const gputune__state *other = &f->states[found - 1];
        if (other->hash == hash && other->length == length &&
            memcmp(f->bytes + other->at + prefix, key, length) == 0)
            return found - 1;
    }
    total = f->bytes ? (size_t)stbds_arrlen(f->bytes) : 0;
    state.at = total;
    state.length = (uint32_t)length;
    state.hash = hash;
    if (!gputune__arr_room(b, f->bytes, prefix + length)) return UINT32_MAX;
    if (!gputune__push(b, f->states, state)) return UINT32_MAX;
    if (prefix) memcpy(f->bytes + total, digits, prefix);
    if (length) memcpy(f->bytes + total + prefix, key, length);
    stbds_arrsetlen(f->bytes, total + prefix + length);
    f->table[at] = (uint32_t)gputune__len(f->states);
    return (uint32_t)gputune__len(f->states) - 1;
}

// Values of the largest subtrees that are decided by now, computed once for many evaluations.
static void gputune__walk_refresh(gputune__walk *w, int at, int depth)
{
    int child;
    if (w->memo[at].last < w->eval.known || !w->info[at].seen || w->info[at].first >= depth)
        return;
    if (w->memo[at].last < depth) {
        w->memo[at].value = gputune__eval_node(&w->eval, at);
        return;
    }
    for (child = w->eval.nodes[at].child; child >= 0; child = w->eval.nodes[child].next)
        gputune__walk_refresh(w, child, depth);
}

static bool gputune__term_is_here(const gputune__expansion *x, const gputune__term *term, int depth)
{
    return gputune__set_has(&term->params, x->params[depth]);
}

// Takes a state of the frontier in hand: values of what is decided, parts of its key.
static void gputune__expand_load(gputune__expansion *x, const gputune__state *state, int depth)
{
    const gputune__solver *s = x->s;
    unsigned char *bytes = x->now.bytes + state->at;
    size_t at;
    int i;
    if (depth) memcpy(x->digits, bytes, (size_t)depth * sizeof *x->digits);
    for (i = 0; i < depth; i++)
        s->space->values[x->params[i]] =
            s->space->params[x->params[i]].values[x->digits[i]];
    at = (size_t)depth * sizeof *x->digits;
    x->failing = bytes[at++] != 0;
    for (i = depth; i < x->count; i++) {
        x->mask[i] = NULL;
        if (!x->masked[i * (x->count + 1) + depth]) continue;
        x->mask[i] = bytes + at;
        at += gputune__mask_bytes(x, i);
    }
    for (i = 0; i < x->term_count; i++) {
        const gputune__term *term = &s->terms[x->terms[i]];
        uint16_t length;
        x->part_len[i] = 0;
        if (term->first >= depth || term->last < depth) continue;
        memcpy(&length, bytes + at, sizeof length);
        at += sizeof length;
        x->part_at[i] = (uint32_t)at;
        x->part_len[i] = length;
        at += length;
    }
    for (i = 0; i < x->term_count; i++) {
        const gputune__term *term = &s->terms[x->terms[i]];
        gputune__walk *w = &s->walks[term->restriction];
        if (!gputune__term_is_here(x, term, depth)) continue;
        if (term->first < depth && x->part_len[i] == 0) continue;
        w->known = depth;
        w->eval.known = 0;
        gputune__walk_refresh(w, term->root, depth);
    }
}

// Evaluates a term for each value of its one open parameter. False: some value fails.
static bool gputune__mask_make(gputune__expansion *x, const gputune__term *term, int depth,
                               unsigned char *made)
{
    gputune__solver *s = x->s;
    gputune__walk *w = &s->walks[term->restriction];
    int param = x->params[term->last], i, truth;
    const gputune__domain *domain = &s->domains[param];
    gputune__num fault;
    memset(made, 0, gputune__mask_bytes(x, term->last));
    x->tried += (uint64_t)domain->count / 4; // an evaluation costs a fourth of a new state
    w->eval.known = depth;
    gputune__walk_refresh(w, term->root, depth + 1);
    w->eval.known = depth + 1;
    for (i = 0; i < domain->count; i++) {
        s->space->values[param] = s->space->params[param].values[domain->digits[i]];
        truth = gputune__eval_truth(&w->eval, term->root, &fault);
        if (truth < 0) return false;
        if (truth) made[i / 8] = (unsigned char)(made[i / 8] | 1 << i % 8);
    }
    return true;
}

// The same by way of those made before: key is what is left of the term. NULL: out of memory.
// The byte after the set says whether it is one.
static const unsigned char *gputune__mask_find(gputune__expansion *x, int i, int depth,
                                               const unsigned char *key, size_t length)
{
    const gputune__base *b = x->s->b;
    const gputune__term *term = &x->s->terms[x->terms[i]];
    size_t bytes = gputune__mask_bytes(x, term->last) + 1, known;
    uint32_t found;
    known = (size_t)gputune__len(x->seen[i].states);
    found = gputune__frontier_state(b, &x->seen[i], NULL, 0, key, length);
    if (found == UINT32_MAX || !gputune__arr_room(b, x->made[i], bytes)) return NULL;
    if (found == known) {
        unsigned char *made = x->made[i] + found * bytes;
        made[bytes - 1] = gputune__mask_make(x, term, depth, made);
        stbds_arrsetlen(x->made[i], (found + 1) * bytes);
    }
    return x->made[i] + found * bytes;
}

// Narrows the bit set of the term's one open parameter; the key beyond `start` is what is left of
// the term. 1: done; 0: no value is left; -1: some value fails, so that no bit set will do.
static int gputune__expand_mask(gputune__expansion *x, int i, int depth, size_t start,
                                size_t length)
{
    const gputune__term *term = &x->s->terms[x->terms[i]];
    size_t bytes = gputune__mask_bytes(x, term->last), at;
    unsigned char *mask = x->scratch + (size_t)term->last * (GPUTUNE__MASK_VALUES / 8);
    const unsigned char *made = gputune__mask_find(x, i, depth, x->w.key + start, length - start);
    int any = 0;
    if (!made) {
        x->w.oom = true;
        return 0;
    }
    if (!made[bytes]) return -1;
    for (at = 0; at < bytes; at++) {
        mask[at] = (unsigned char)(mask[at] & made[at]);
        any |= mask[at];
    }
    return any != 0;
}

// One term after the decision at `depth`: writes its part of the new key. False: it is false.
static bool gputune__expand_term(gputune__expansion *x, int i, int depth,
                                 const gputune__state *state)
{
    const gputune__term *term = &x->s->terms[x->terms[i]];
    gputune__walk *w = &x->s->walks[term->restriction];
    bool here = gputune__term_is_here(x, term, depth), ends = term->last == depth;
    bool decided = term->first < depth && x->part_len[i] == 0;
    uint16_t length = 0;
    size_t start = x->w.length;
    gputune__part part;
    int done = -1, truth = 1;
    if (!here && (term->first > depth || term->last < depth)) return true;
    if (!ends) gputune__key_put(&x->w, &length, sizeof length);
    if (decided) return true;
    if (!here) {
        length = (uint16_t)x->part_len[i];
        gputune__key_put(&x->w, x->now.bytes + state->at + x->part_at[i], length);
    } else {
        w->known = depth + 1;
        w->eval.known = depth;
        w->key = x->w.key;
        w->length = x->w.length;
        part = gputune__walk_node(w, term->root);
        x->w.key = w->key;
        x->w.oom = x->w.oom || w->oom;
        truth = gputune__part_truth(&part);
        if (truth < 0 && !part.open) x->failing = true;
        if (truth < 0 && part.open && !x->w.oom) {
            if (term->open[depth + 1] == 1 &&
                x->masked[term->last * (x->count + 1) + depth + 1])
                done = gputune__expand_mask(x, i, depth, start + sizeof length, w->length);
            if (done >= 0) return done > 0;
            x->w.length = w->length;
        }
        if (x->w.length - start > UINT16_MAX) x->w.oom = true;
        length = (uint16_t)(x->w.length - start - sizeof length);
    }
    if (!ends && !x->w.oom) memcpy(x->w.key + start, &length, sizeof length);
    return truth != 0;
}

// The key of the state that digit leads to. False: no valid configuration there.
static bool gputune__expand_key(gputune__expansion *x, int depth, const gputune__state *state)
{
    size_t mask_at;
    int i;
    bool alive = true;
    x->w.length = 0;
    gputune__key_tag(&x->w, 0);
    mask_at = x->w.length;
    for (i = depth + 1; i < x->count; i++) {
        size_t bytes = gputune__mask_bytes(x, i);
        unsigned char *mask = x->scratch + (size_t)i * (GPUTUNE__MASK_VALUES / 8);
        int values = x->s->domains[x->params[i]].count;
        if (!x->masked[i * (x->count + 1) + depth + 1]) continue;
        if (x->mask[i]) {
            memcpy(mask, x->mask[i], bytes);
        } else {
            memset(mask, 255, bytes);
            if (values % 8) mask[bytes - 1] = (unsigned char)((1 << values % 8) - 1);
        }
        gputune__key_put(&x->w, mask, bytes); // room; the final set is written below
    }
    for (i = 0; i < x->term_count && alive; i++) alive = gputune__expand_term(x, i, depth, state);
    if (alive && !x->w.oom) {
        x->w.key[0] = x->failing;
        for (i = depth + 1; i < x->count; i++) {
            if (!x->masked[i * (x->count + 1) + depth + 1]) continue;
            memcpy(x->w.key + mask_at, x->scratch + (size_t)i * (GPUTUNE__MASK_VALUES / 8),
                   gputune__mask_bytes(x, i));
            mask_at += gputune__mask_bytes(x, i);
        }
    }
    return alive;
}

static void gputune__expand_fault(gputune__expansion *x)
{
    int i;
    if (x->fault) return;
    x->fault = true;
    for (i = 0; i < x->count; i++) x->s->fault_choice[x->params[i]] = x->digits[i];
}

// All edges of one state. False: out of memory or over the limit.
static bool gputune__expand_state(gputune__expansion *x, int depth, const gputune__state *state)
{
    gputune__solver *s = x->s;
    gputune__layer *layer = &x->layers[depth];
    int param = x->params[depth], i;
    const gputune__domain *domain = &s->domains[param];
    bool failing;
    gputune__expand_load(x, state, depth);
    failing = x->failing;
    for (i = 0; i < domain->count; i++) {
        uint32_t child = 0;
        if (x->mask[depth] && !(x->mask[depth][i / 8] >> i % 8 & 1)) continue;
        x->failing = failing;
        x->digits[depth] = domain->digits[i];
        s->space->values[param] = s->space->params[param].values[domain->digits[i]];
        if (!gputune__expand_key(x, depth, state)) {
            if (x->w.oom) return false;
            continue;
        }
        if (x->w.oom) return false;
        if (depth + 1 == x->count && x->failing) {
            gputune__expand_fault(x);
            continue;
        }
        if (depth + 1 < x->count)
            child = gputune__frontier_state(s->b, &x->next, x->digits, (size_t)depth + 1,
                                            x->w.key, x->w.length);
        if (child == UINT32_MAX || !gputune__push(s->b, layer->digit, domain->digits[i]) ||
            !gputune__push(s->b, layer->child, child))
            return false;
    }
    return gputune__push(s->b, layer->first, (uint32_t)gputune__len(layer->child));
}

// The layer of one parameter: from the states now to those next.
static gputune__outcome gputune__expand_layer(gputune__expansion *x, int depth)
{
    const gputune__base *b = x->s->b;
    int i;
    uint32_t zero = 0;
    if (!gputune__push(b, x->layers[depth].first, zero)) return GPUTUNE__SOLVED_OOM;
    for (i = 0; i < gputune__len(x->now.states); i++) {
        gputune__state state = x->now.states[i];
        if (!gputune__expand_state(x, depth, &state)) return GPUTUNE__SOLVED_OOM;
        // eight values tried count as a node: a bound of time, and of the edges' memory
        x->tried += (uint64_t)x->s->domains[x->params[depth]].count;
        if (x->nodes + (uint64_t)gputune__len(x->next.states) + x->tried / 8 > x->limit)
            return GPUTUNE__SOLVED_LARGE;
    }
    x->nodes += (uint64_t)gputune__len(x->next.states);
    gputune__frontier_free(b, &x->now);
    x->now = x->next;
    memset(&x->next, 0, sizeof x->next);
    return GPUTUNE__SOLVED;
}

// Where each node's and term's parameters stand in the order.
static void gputune__expand_places(gputune__expansion *x)
{
    gputune__solver *s = x->s;
    int i, j, place;
    for (i = 0; i < x->term_count; i++) {
        gputune__term *term = &s->terms[x->terms[i]];
        gputune__walk *w = &s->walks[term->restriction];
        int nodes = gputune__len(s->space->requires_[term->restriction]->nodes);
        w->analyse = w->oom = false;
        for (j = 0; j < nodes; j++) {
            gputune__info *info = &w->info[j];
            if (!info->seen) continue;
            w->memo[j].last = -1;
            info->first = INT_MAX;
            for (place = x->count - 1; place >= 0; place--) {
                if (!gputune__set_has(&info->params, x->params[place])) continue;
                info->first = place;
                if (w->memo[j].last < 0) w->memo[j].last = place;
            }
        }
        term->first = w->info[term->root].first;
        term->last = w->memo[term->root].last;
        term->open[x->count] = 0;
        for (place = x->count - 1; place >= 0; place--)
            term->open[place] = (uint16_t)(term->open[place + 1] +
                                           gputune__set_has(&term->params, x->params[place]));
    }
}

// At which depths a place has a bit set: once a term depends on that place alone.
static void gputune__expand_masks(gputune__expansion *x)
{
    int i, depth;
    for (i = 0; i < x->term_count; i++) {
        const gputune__term *term = &x->s->terms[x->terms[i]];
        if (term->first == term->last ||
            x->s->domains[x->params[term->last]].count > GPUTUNE__MASK_VALUES)
            continue;
        for (depth = term->first + 1; depth <= term->last; depth++)
            if (term->open[depth] == 1)
                x->masked[term->last * (x->count + 1) + depth] = true;
    }
}

static void gputune__expand_close(gputune__expansion *x)
{
    const gputune__base *b = x->s->b;
    int i;
    for (i = 0; x->layers && i < x->count; i++) {
        gputune__arr_free(b, x->layers[i].first);
        gputune__arr_free(b, x->layers[i].digit);
        gputune__arr_free(b, x->layers[i].child);
    }
    gputune__free(b, x->layers);
    gputune__frontier_free(b, &x->now);
    gputune__frontier_free(b, &x->next);
    gputune__free(b, x->masked);
    gputune__free(b, x->part_at);
    gputune__free(b, x->part_len);
    gputune__free(b, (void *)x->mask);
    gputune__free(b, x->scratch);
    for (i = 0; i < x->term_count; i++) {
        if (x->seen) gputune__frontier_free(b, &x->seen[i]);
        if (x->made) gputune__arr_free(b, x->made[i]);
    }
    gputune__free(b, x->seen);
    gputune__free(b, (void *)x->made);
    gputune__arr_free(b, x->w.key);
}

static bool gputune__expand_open(gputune__expansion *x)
{
    const gputune__base *b = x->s->b;
    size_t n = (size_t)x->count, terms = (size_t)x->term_count;
    static const unsigned char root = 0;
    x->w.b = b;
    x->layers = (gputune__layer *)gputune__alloc(b, n, sizeof *x->layers);
    x->masked = (bool *)gputune__alloc(b, n * (n + 1), sizeof *x->masked);
    x->part_at = (uint32_t *)gputune__alloc(b, terms, sizeof *x->part_at);
    x->part_len = (uint32_t *)gputune__alloc(b, terms, sizeof *x->part_len);
    x->mask = (unsigned char **)gputune__alloc(b, n, sizeof *x->mask);
    x->scratch = (unsigned char *)gputune__alloc(b, n, GPUTUNE__MASK_VALUES / 8);
    x->seen = (gputune__frontier *)gputune__alloc(b, terms, sizeof *x->seen);
    x->made = (unsigned char **)gputune__alloc(b, terms, sizeof *x->made);
    if (!x->layers || !x->masked || !x->part_at || !x->part_len || !x->mask || !x->scratch ||
        !x->seen || !x->made || !gputune__arr_room(b, x->w.key, 1024))
        return false;
    gputune__expand_places(x);
    gputune__expand_masks(x);
    return gputune__frontier_state(b, &x->now, NULL, 0, &root, 1) == 0;
}

// --- reduction: bottom up, nodes with the same edges become one

typedef struct gputune__reduction {
    const gputune__base *b;
    gputune__group *group;
    uint32_t *table; // open addressing, node; 0: free
    size_t slots;
    int in_table;
    bool too_large;
} gputune__reduction;

static uint32_t gputune__edges_hash(const gputune__group *g, uint32_t from, uint32_t to)
{
    uint64_t hash = to - from;
    for (; from < to; from++) {
        hash = (hash ^ (((uint64_t)g->digit[from] << 32) | g->child[from])) *
               UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 31;
    }
    return (uint32_t)(hash ^ hash >> 32);
}

static bool gputune__reduce_grow(gputune__reduction *r, uint32_t from, uint32_t to)
{
    size_t slots = r->slots ? 2 * r->slots : 64, at;
    const gputune__group *g = r->group;
    uint32_t *table = (uint32_t *)gputune__alloc(r->b, slots, sizeof *table);
    if (!table) return false;
    for (; from < to; from++) {
        at = gputune__edges_hash(g, g->first[from], g->first[from + 1]) & (slots - 1);
        while (table[at]) at = (at + 1) & (slots - 1);
        table[at] = from;
    }
    gputune__free(r->b, r->table);
    r->table = table;
    r->slots = slots;
    return true;
}

// The edges from `from` on, just appended, as a node of the layer whose nodes begin at `base`: one
// that exists or a new one. 0: no edges. UINT32_MAX: out of memory.
static uint32_t gputune__reduce_node(gputune__reduction *r, uint32_t base, int level)
{
    gputune__group *g = r->group;
    uint32_t node = (uint32_t)gputune__len(g->first) - 1, from = g->first[node], found;
    uint32_t to = (uint32_t)gputune__len(g->digit), count = to - from;
    size_t at;
    uint16_t place = (uint16_t)level;
    if (!count) return 0;
    if ((size_t)(node - base) * 4 >= r->slots * 3 && !gputune__reduce_grow(r, base, node))
        return UINT32_MAX;
    at = gputune__edges_hash(g, from, to) & (r->slots - 1);
    for (; (found = r->table[at]) != 0; at = (at + 1) & (r->slots - 1)) {
        uint32_t other = g->first[found];
        if (g->first[found + 1] - other == count &&
            memcmp(g->digit + other, g->digit + from, count * sizeof *g->digit) == 0 &&
            memcmp(g->child + other, g->child + from, count * sizeof *g->child) == 0)
            break;
    }
    if (found) {
        stbds_arrsetlen(g->digit, from);
        stbds_arrsetlen(g->child, from);
        return found;
    }
    if (!gputune__push(r->b, g->first, to) || !gputune__push(r->b, g->level, place))
        return UINT32_MAX;
    r->table[at] = node;
    return node;
}

// Running sums of the configurations below each edge of a new node.
static bool gputune__reduce_count(gputune__reduction *r, uint32_t node)
{
    gputune__group *g = r->group;
    uint32_t edge;
    uint64_t sum = 0, below;
    if (!gputune__arr_room(r->b, g->upto, g->first[node + 1] - g->first[node])) return false;
    for (edge = g->first[node]; edge < g->first[node + 1]; edge++) {
        uint32_t child = g->child[edge];
        below = child ? g->upto[g->first[child + 1] - 1] : 1;
        if (below > UINT64_MAX - sum) r->too_large = true;
        sum += below;
        stbds_arrput(g->upto, sum);
    }
    return true;
}

// One layer; map: state of the layer below -> node, and from this layer's states on return.
static bool gputune__reduce_layer(gputune__reduction *r, gputune__layer *layer, int level,
                                  bool last, uint32_t **map)
{
    gputune__group *g = r->group;
    uint32_t states = (uint32_t)gputune__len(layer->first) - 1, state, edge;
    uint32_t base = (uint32_t)gputune__len(g->first) - 1;
    uint32_t *made = (uint32_t *)gputune__alloc(r->b, states, sizeof *made);
    bool fine = made != NULL;
    gputune__free(r->b, r->table);
    r->table = NULL;
    r->slots = 0;
    for (state = 0; fine && state < states; state++) {
        uint32_t node = (uint32_t)gputune__len(g->first) - 1;
        for (edge = layer->first[state]; fine && edge < layer->first[state + 1]; edge++) {
            uint32_t child = last ? 0 : (*map)[layer->child[edge]];
            if (!last && !child) continue;
            fine = gputune__push(r->b, g->digit, layer->digit[edge]) &&
                   gputune__push(r->b, g->child, child);
        }
        if (!fine) break;
        made[state] = gputune__reduce_node(r, base, level);
        fine = made[state] != UINT32_MAX &&
               (made[state] != node || gputune__reduce_count(r, node));
    }
    gputune__free(r->b, *map);
    *map = made;
    gputune__arr_free(r->b, layer->first);
    gputune__arr_free(r->b, layer->digit);
    gputune__arr_free(r->b, layer->child);
    return fine;
}

static gputune__outcome gputune__reduce(gputune__expansion *x, gputune__group *g)
{
    gputune__reduction r;
    uint32_t *map = NULL, zero = 0;
    uint16_t end;
    bool fine, empty;
    int level;
    memset(&r, 0, sizeof r);
    r.b = x->s->b;
    r.group = g;
    end = (uint16_t)x->count;
    fine = gputune__push(r.b, g->first, zero) && gputune__push(r.b, g->first, zero) &&
           gputune__push(r.b, g->level, end);
    for (level = x->count - 1; fine && level >= 0; level--)
        fine = gputune__reduce_layer(&r, &x->layers[level], level, level == x->count - 1, &map);
    empty = fine && map[0] == 0;
    gputune__free(r.b, map);
    gputune__free(r.b, r.table);
    if (!fine) return GPUTUNE__SOLVED_OOM;
    if (empty) return GPUTUNE__SOLVED_EMPTY;
    return r.too_large ? GPUTUNE__SOLVED_OVERFLOW : GPUTUNE__SOLVED;
}

// --- groups

static uint32_t gputune__group_root(const gputune__group *g)
{
    return (uint32_t)gputune__len(g->first) - 2;
}

static uint64_t gputune__group_count(const gputune__group *g)
{
    return g->upto[gputune__len(g->upto) - 1];
}

// One attempt at a group's diagram, with an order.
static gputune__outcome gputune__group_attempt(gputune__solver *s, gputune__group *g,
                                               const int *terms, int term_count, uint32_t limit)
{
    gputune__expansion x;
    int depth;
    memset(&x, 0, sizeof x);
    x.s = s;
    x.params = g->params;
    x.count = g->count;
    x.terms = terms;
    x.term_count = term_count;
    x.limit = limit;
    x.outcome = gputune__expand_open(&x) ? GPUTUNE__SOLVED : GPUTUNE__SOLVED_OOM;
    for (depth = 0; depth < x.count && !x.outcome; depth++)
        x.outcome = gputune__expand_layer(&x, depth);
    gputune__frontier_free(s->b, &x.now);
    gputune__frontier_free(s->b, &x.next);
    if (!x.outcome) x.outcome = gputune__reduce(&x, g);
    if (x.fault && (x.outcome == GPUTUNE__SOLVED || x.outcome == GPUTUNE__SOLVED_EMPTY)) {
        s->fault = true;
        x.outcome = GPUTUNE__SOLVED_FAULT;
    }
    if (x.outcome) {
        gputune__arr_free(s->b, g->first);
        gputune__arr_free(s->b, g->level);
        gputune__arr_free(s->b, g->digit);
        gputune__arr_free(s->b, g->child);
        gputune__arr_free(s->b, g->upto);
    }
    gputune__expand_close(&x);
    return x.outcome;
}

typedef struct gputune__plan {
    uint16_t order[GPUTUNE_MAX_PARAMETERS];
    double work;
} gputune__plan;

static int gputune__compare_plans(const void *a, const void *b)
{
    const gputune__plan *x = (const gputune__plan *)a, *y = (const gputune__plan *)b;
    return (x->work > y->work) - (x->work < y->work);
}

// Orders to try, the most promising first: from each parameter on, with several credits. The
// second is the order of definition: people put next to each other what belongs together.
static int gputune__group_plans(gputune__order *o, gputune__plan *plans)
{
    static const double credits[] = { 0.0, 0.6, 1.0 };
    int i, j, count = 0, step = o->count > 24 ? o->count / 4 : 1;
    for (i = 0; i < o->count; i += step) {
        for (j = 0; j < 3; j++) {
            gputune__order_greedy(o, i, credits[j], plans[count].order);
            plans[count].work = gputune__order_work(o, plans[count].order);
            count++;
        }
    }
    qsort(plans, (size_t)count, sizeof *plans, gputune__compare_plans);
    plans[count] = plans[count > 1];
    count++;
    memcpy(plans[1].order, o->params, (size_t)o->count * sizeof *o->params);
    plans[1].work = gputune__order_work(o, plans[1].order);
    return count;
}

// The guess at an order's work can be far off, so the best few get a small budget each, then
// improved ones a larger one.
static gputune__outcome gputune__group_solve(gputune__solver *s, gputune__group *g,
                                             const int *terms, int term_count)
{
    static const uint32_t budgets[] = { 10000, 60000, 500000, UINT32_MAX };
    gputune__outcome outcome = GPUTUNE__SOLVED_LARGE;
    gputune__plan *plans =
        (gputune__plan *)gputune__alloc(s->b, 3 * (size_t)g->count + 1, sizeof *plans);
    gputune__order o;
    int i, attempt, count;
    if (!plans) return GPUTUNE__SOLVED_OOM;
    memset(&o, 0, sizeof o);
    o.s = s;
    o.terms = terms;
    o.term_count = term_count;
    o.params = g->params;
    o.count = g->count;
    count = gputune__group_plans(&o, plans);
    for (i = 0; i < 4 && outcome == GPUTUNE__SOLVED_LARGE && !o.oom; i++) {
        uint32_t limit = budgets[i] < s->limit ? budgets[i] : s->limit;
        if (i > 0) { // improving costs milliseconds
            for (attempt = 0; attempt < count && attempt < 3; attempt++)
                plans[attempt].work = gputune__order_improve(&o, plans[attempt].order);
            qsort(plans, (size_t)attempt, sizeof *plans, gputune__compare_plans);
        }
        for (attempt = 0; attempt < count && attempt < (i < 2 ? 2 : 1) && !o.oom; attempt++) {
            memcpy(g->params, plans[attempt].order, (size_t)g->count * sizeof *g->params);
            outcome = gputune__group_attempt(s, g, terms, term_count, limit);
            if (outcome != GPUTUNE__SOLVED_LARGE) break;
        }
        if (limit == s->limit) break;
    }
    gputune__arr_free(s->b, o.slots);
    gputune__free(s->b, plans);
    return o.oom ? GPUTUNE__SOLVED_OOM : outcome;
}

// A new group of some parameters.
static gputune__group *gputune__group_add(gputune__solver *s, const gputune__set *params)
{
    gputune__group group;
    int i, count = gputune__set_count(params);
    memset(&group, 0, sizeof group);
    group.params = (uint16_t *)gputune__alloc(s->b, (size_t)count, sizeof *group.params);
    if (!group.params) return NULL;
    for (i = 0; i < gputune__solver_params(s); i++)
        if (gputune__set_has(params, i)) group.params[group.count++] = (uint16_t)i;
    if (!gputune__push(s->b, s->groups, group)) {
        gputune__free(s->b, group.params);
        return NULL;
    }
    return &s->groups[gputune__len(s->groups) - 1];
}

// The group of parameter `first`: whatever restrictions tie to it, directly or not. terms: those.
static int gputune__group_gather(const gputune__solver *s, int first, gputune__set *params,
                                 int *terms)
{
    int i, count = 0, before = -1;
    memset(params, 0, sizeof *params);
    gputune__set_add(params, first);
    while (count != before) {
        before = count;
        count = 0;
        for (i = 0; i < gputune__len(s->terms); i++) {
            if (!gputune__set_meets(&s->terms[i].params, params)) continue;
            gputune__set_join(params, &s->terms[i].params);
            terms[count++] = i;
        }
    }
    return count;
}

// All groups. The graver outcome wins: an empty group excludes every fault of another.
static gputune__outcome gputune__solver_groups(gputune__solver *s)
{
    int params = gputune__solver_params(s), i, count;
    int *terms = (int *)gputune__alloc(s->b, (size_t)gputune__len(s->terms), sizeof *terms);
    gputune__set done, members;
    gputune__outcome all = s->fault ? GPUTUNE__SOLVED_FAULT : GPUTUNE__SOLVED, outcome;
    memset(&done, 0, sizeof done);
    if (!terms) return GPUTUNE__SOLVED_OOM;
    for (i = 0; i < params; i++) s->fault_choice[i] = s->domains[i].digits[0];
    for (i = 0; i < params && all != GPUTUNE__SOLVED_OOM && all != GPUTUNE__SOLVED_EMPTY; i++) {
        gputune__group *group;
        if (gputune__set_has(&done, i)) continue;
        count = gputune__group_gather(s, i, &members, terms);
        gputune__set_join(&done, &members);
        group = gputune__group_add(s, &members);
        outcome = group ? gputune__group_solve(s, group, terms, count) : GPUTUNE__SOLVED_OOM;
        if (outcome == GPUTUNE__SOLVED_LARGE && !gputune__set_count(&s->large)) s->large = members;
        if (outcome == GPUTUNE__SOLVED_OOM || outcome == GPUTUNE__SOLVED_EMPTY ||
            all == GPUTUNE__SOLVED || (outcome == GPUTUNE__SOLVED_FAULT))
            all = outcome == GPUTUNE__SOLVED ? all : outcome;
    }
    gputune__free(s->b, terms);
    return all;
}

static gputune__outcome gputune__solve(gputune__solver *s, gputune_space *space,
                                       const bool *active, uint32_t limit)
{
    gputune__outcome outcome;
    int i;
    memset(s, 0, sizeof *s);
    s->b = &space->base;
    s->space = space;
    s->active = active;
    s->limit = limit;
    s->blame = -1;
    if (!gputune__solver_open(s)) return GPUTUNE__SOLVED_OOM;
    outcome = gputune__solver_prepare(s);
    if (outcome) return outcome;
    for (i = 0; i < gputune__len(s->terms); i++) {
        s->terms[i].open = (uint16_t *)gputune__alloc(
            s->b, (size_t)gputune__solver_params(s) + 1, sizeof *s->terms[i].open);
        if (!s->terms[i].open) return GPUTUNE__SOLVED_OOM;
    }
    return gputune__solver_groups(s);
}

// --- errors of gputune_space_build

// Most nodes of one group's diagram, and of those built only to find out who is to blame.
enum { GPUTUNE__SPACE_NODES = 4000000, GPUTUNE__BLAME_NODES = 200000 };

// Some configuration satisfies the active restrictions (or it would take too long to know).
static bool gputune__blame_test(gputune_space *space, const bool *active, bool *oom)
{
    gputune__solver s;
    gputune__outcome outcome = gputune__solve(&s, space, active, GPUTUNE__BLAME_NODES);
    gputune__solver_close(&s);
    if (outcome == GPUTUNE__SOLVED_OOM) *oom = true;
    return outcome != GPUTUNE__SOLVED_EMPTY;
}

static void gputune__quote(char *text, size_t size, const char *add, const char *separator)
{
    size_t length = strlen(text);
    if (length < size)
        snprintf(text + length, size - length, "%s\"%s\"", length ? separator : "", add);
}

// Quotes the one restriction that never holds, or else a smallest set that contradicts itself: a
// restriction belongs to it if the rest can hold without it.
static gputune_result gputune__blame(gputune_space *space)
{
    int rows = gputune__len(space->requires_), r;
    bool *active = (bool *)gputune__alloc(&space->base, (size_t)rows, sizeof *active), oom = false;
    char text[1200] = "";
    if (!active) return gputune__oom(&space->base.error);
    for (r = 0; r < rows && !text[0] && !oom; r++) {
        active[r] = true;
        if (!gputune__blame_test(space, active, &oom) && !oom)
            gputune__quote(text, sizeof text, space->requires_[r]->text, "");
        active[r] = false;
    }
    if (text[0] && !oom) {
        gputune__free(&space->base, active);
        return gputune__error(&space->base.error, GPUTUNE_ERROR_EMPTY_SPACE,
                              "no valid configuration: %s never holds", text);
    }
    for (r = 0; r < rows; r++) active[r] = true;
    for (r = 0; r < rows && !oom; r++) {
        active[r] = false;
        active[r] = gputune__blame_test(space, active, &oom);
        if (active[r]) gputune__quote(text, sizeof text, space->requires_[r]->text, ", ");
    }
    gputune__free(&space->base, active);
    if (oom) return gputune__oom(&space->base.error);
    return gputune__error(&space->base.error, GPUTUNE_ERROR_EMPTY_SPACE,
                          "no valid configuration: these restrictions contradict each other: %s",
                          text);
}

// The fault at the solver's configuration, with the values that lead to it.
static gputune_result gputune__fault_error(gputune_space *space, const uint16_t *choice)
{
    gputune__num fault = gputune__num_fault(GPUTUNE__FAULT_ZERO);
    int r, i, column = 0, params = gputune__len(space->params);
    size_t length;
    char *text = space->base.error.text, value[64];
    size_t size = sizeof space->base.error.text;
    gputune__space_load(space, choice);
    for (r = 0; r < gputune__len(space->requires_); r++)
        if (gputune__space_holds(space, r, &fault, &column) < 0) break;
    if (r == gputune__len(space->requires_)) // cannot be
        return gputune__error(&space->base.error, GPUTUNE_ERROR_ARITHMETIC, "%s",
                              gputune_result_text(GPUTUNE_ERROR_ARITHMETIC));
    gputune__expr_fault(space->requires_[r], fault, column, &space->base.error);
    for (i = 0; i < gputune__len(space->requires_[r]->symbols); i++) {
        const gputune__symbol_ref *symbol = &space->requires_[r]->symbols[i];
        length = strlen(text);
        snprintf(text + length, size - length, "%s %s=%s", i ? "" : " with",
                 symbol->index < params ? space->params[symbol->index].name
                                        : space->constants[symbol->index - params].name,
                 gputune__value_text(&space->values[symbol->index], value, sizeof value));
    }
    return GPUTUNE_ERROR_ARITHMETIC;
}

static gputune_result gputune__large_error(gputune_space *space, const gputune__solver *s)
{
    char text[1200] = "";
    int i, last = -1;
    for (i = 0; i < gputune__len(s->terms); i++) {
        if (!gputune__set_meets(&s->terms[i].params, &s->large)) continue;
        if (s->terms[i].restriction != last)
            gputune__quote(text, sizeof text,
                           space->requires_[s->terms[i].restriction]->text, ", ");
        last = s->terms[i].restriction;
    }
    return gputune__error(&space->base.error, GPUTUNE_ERROR_TOO_LARGE,
                          "these restrictions together are too complex to count: %s", text);
}

// --- building

// Takes over the solver's groups. GPUTUNE_ERROR_TOO_LARGE: 2^64 configurations or more.
static gputune_result gputune__space_adopt(gputune_space *space, gputune__solver *s)
{
    int i;
    uint64_t count = 1, below;
    for (i = 0; i < gputune__len(s->groups); i++) {
        gputune__group *g = &s->groups[i];
        g->cost = (uint64_t *)gputune__alloc(s->b, (size_t)gputune__len(g->first),
                                             sizeof *g->cost);
        if (!g->cost) return gputune__oom(&space->base.error);
        g->stride = count;
        below = gputune__group_count(g);
        if (count > UINT64_MAX / below)
            return gputune__error(&space->base.error, GPUTUNE_ERROR_TOO_LARGE,
                                  "2^64 configurations or more");
        count *= below;
    }
    space->groups = s->groups;
    s->groups = NULL;
    space->count = count;
    return GPUTUNE_OK;
}

static uint64_t gputune__distance_cost(uint16_t a, uint16_t b)
{
    uint64_t steps = a < b ? (uint64_t)(b - a) : (uint64_t)(a - b);
    return steps ? (UINT64_C(1) << 32) + steps : 0;
}

// Shortest path: changed parameters in the upper half of the cost, steps in the lower.
static void gputune__group_nearest(const gputune__group *g, const uint16_t *from, uint16_t *to)
{
    uint32_t node, root = gputune__group_root(g), edge, best;
    g->cost[0] = 0;
    for (node = 1; node <= root; node++) {
        uint16_t wanted = from[g->params[g->level[node]]];
        uint64_t cost, least = UINT64_MAX;
        for (edge = g->first[node]; edge < g->first[node + 1]; edge++) {
            cost = g->cost[g->child[edge]] + gputune__distance_cost(wanted, g->digit[edge]);
            if (cost < least) least = cost;
        }
        g->cost[node] = least;
    }
    for (node = root; node; node = g->child[best]) {
        uint16_t param = g->params[g->level[node]];
        for (best = g->first[node]; ; best++)
            if (g->cost[g->child[best]] + gputune__distance_cost(from[param], g->digit[best]) ==
                g->cost[node])
                break;
        to[param] = g->digit[best];
    }
}

static void gputune__space_nearest(const gputune_space *space, const uint16_t *from, uint16_t *to)
{
    int i;
    for (i = 0; i < gputune__len(space->groups); i++)
        gputune__group_nearest(&space->groups[i], from, to);
}

GPUTUNE_API gputune_result gputune_space_build(gputune_space *space)
{
    gputune__solver s;
    gputune__outcome outcome;
    gputune_result result;
    uint16_t defaults[GPUTUNE_MAX_PARAMETERS];
    int i;
    gputune__space_changed(space);
    result = gputune__space_bind(space);
    if (result) return result;
    outcome = gputune__solve(&s, space, NULL, GPUTUNE__SPACE_NODES);
    switch (outcome) {
    case GPUTUNE__SOLVED: result = gputune__space_adopt(space, &s); break;
    case GPUTUNE__SOLVED_FAULT: result = gputune__fault_error(space, s.fault_choice); break;
    case GPUTUNE__SOLVED_LARGE: result = gputune__large_error(space, &s); break;
    case GPUTUNE__SOLVED_OVERFLOW:
        result = gputune__error(&space->base.error, GPUTUNE_ERROR_TOO_LARGE, "%s",
                                "2^64 configurations or more");
        break;
    case GPUTUNE__SOLVED_OOM: result = gputune__oom(&space->base.error); break;
    default: break; // below, when the solver's memory is free again
    }
    gputune__solver_close(&s);
    if (outcome == GPUTUNE__SOLVED_EMPTY) result = gputune__blame(space);
    if (result) return result;
    for (i = 0; i < gputune__len(space->params); i++)
        defaults[i] = (uint16_t)space->params[i].initial;
    gputune__space_nearest(space, defaults, space->initial);
    space->built = true;
    return GPUTUNE_OK;
}

// --- definition

GPUTUNE_API gputune_space *gputune_space_create(const gputune_options *options)
{
    gputune__base b;
    gputune_space *space;
    gputune__base_init(&b, options);
    space = (gputune_space *)gputune__alloc(&b, 1, sizeof *space);
    if (space) space->base = b;
    return space;
}

static void gputune__param_free(const gputune__base *b, gputune__param *param)
{
    gputune__free(b, param->name);
    gputune__free(b, param->text);
    gputune__arr_free(b, param->values);
}

GPUTUNE_API void gputune_space_destroy(gputune_space *space)
{
    gputune__base b;
    int i;
    if (!space) return;
    b = space->base;
    gputune__groups_free(&b, &space->groups);
    for (i = 0; i < gputune__len(space->params); i++) gputune__param_free(&b, &space->params[i]);
    for (i = 0; i < gputune__len(space->constants); i++)
        gputune__free(&b, space->constants[i].name);
    for (i = 0; i < gputune__len(space->requires_); i++)
        gputune__expr_free(&b, space->requires_[i]);
    gputune__arr_free(&b, space->params);
    gputune__arr_free(&b, space->constants);
    gputune__arr_free(&b, space->requires_);
    gputune__free(&b, space->values);
    gputune__free(&b, space);
}

GPUTUNE_API const gputune_error *gputune_space_error(const gputune_space *space)
{
    return &space->base.error;
}

static gputune_result gputune__name_check(gputune_space *space, const char *what,
                                          const char *name)
{
    if (gputune__is_identifier(name) && strcmp(name, "true") != 0 && strcmp(name, "false") != 0)
        return GPUTUNE_OK;
    return gputune__error(&space->base.error, GPUTUNE_ERROR_SYNTAX, "%s '%s' is not an identifier",
                          what, name);
}

// Everything of a parameter but its place in the space.
static gputune_result gputune__param_fill(gputune_space *space, gputune__param *param,
                                          const char *name, const char *values,
                                          const char *value_default)
{
    gputune_result result;
    param->name = gputune__strdup(&space->base, name);
    param->text = gputune__strdup(&space->base, values);
    if (!param->name || !param->text) return gputune__oom(&space->base.error);
    result = gputune__param_words(space, param, values);
    if (result) return result;
    gputune__param_unify(param);
    result = gputune__param_duplicates(space, param);
    if (result) return result;
    param->initial = value_default ? gputune__param_find(param, value_default) : 0;
    if (param->initial < 0)
        return gputune__error(&space->base.error, GPUTUNE_ERROR_ARGUMENT,
                              "parameter '%s': the default '%s' is none of its values (%s)", name,
                              value_default, values);
    return GPUTUNE_OK;
}

GPUTUNE_API gputune_result gputune_space_param(gputune_space *space, const char *name,
                                               const char *values, const char *value_default)
{
    gputune__param param;
    gputune_result result;
    assert(space && name && values);
    memset(&param, 0, sizeof param);
    gputune__space_changed(space);
    result = gputune__name_check(space, "parameter", name);
    if (result) return result;
    if (gputune_space_param_index(space, name) >= 0)
        return gputune__error(&space->base.error, GPUTUNE_ERROR_ARGUMENT,
                              "parameter '%s' exists already", name);
    if (gputune__len(space->params) == GPUTUNE_MAX_PARAMETERS)
        return gputune__error(&space->base.error, GPUTUNE_ERROR_TOO_LARGE,
                              "parameter '%s': more than %d parameters", name,
                              GPUTUNE_MAX_PARAMETERS);
    result = gputune__param_fill(space, &param, name, values, value_default);
    if (!result && !gputune__push(&space->base, space->params, param))
        result = gputune__oom(&space->base.error);
    if (result) gputune__param_free(&space->base, &param);
    return result;
}

GPUTUNE_API gputune_result gputune_space_symbol(gputune_space *space, const char *name,
                                                double value)
{
    gputune__constant constant;
    gputune_result result;
    int i;
    assert(space && name);
    memset(&constant, 0, sizeof constant);
    gputune__space_changed(space);
    result = gputune__name_check(space, "symbol", name);
    if (result) return result;
    if (!(value - value == 0.0))
        return gputune__error(&space->base.error, GPUTUNE_ERROR_ARGUMENT,
                              "symbol '%s' is not a finite number", name);
    constant.value.kind = GPUTUNE_REAL;
    constant.value.real = value + 0.0;
    if (value >= -9223372036854775808.0 && value < 9223372036854775808.0 &&
        !(floor(value) < value)) {
        constant.value.kind = GPUTUNE_INTEGER;
        constant.value.integer = (int64_t)value;
        constant.value.real = 0.0;
    }
    for (i = 0; i < gputune__len(space->constants); i++) {
        if (strcmp(space->constants[i].name, name) != 0) continue;
        space->constants[i].value = constant.value;
        return GPUTUNE_OK;
    }
    constant.name = gputune__strdup(&space->base, name);
    if (!constant.name || !gputune__push(&space->base, space->constants, constant)) {
        gputune__free(&space->base, constant.name);
        return gputune__oom(&space->base.error);
    }
    return GPUTUNE_OK;
}

GPUTUNE_API gputune_result gputune_space_require(gputune_space *space, const char *expression)
{
    gputune__expr *expr;
    gputune_result result;
    size_t start = 0;
    assert(space && expression);
    gputune__space_changed(space);
    result = gputune__expr_parse(&space->base, expression, &start, false, &expr,
                                 &space->base.error);
    if (result) return result;
    if (gputune__push(&space->base, space->requires_, expr)) return GPUTUNE_OK;
    gputune__expr_free(&space->base, expr);
    return gputune__oom(&space->base.error);
}

// --- looking at it

GPUTUNE_API uint64_t gputune_space_count(const gputune_space *space)
{
    assert(space->built);
    return space->count;
}

GPUTUNE_API double gputune_space_combinations(const gputune_space *space)
{
    double all = 1.0;
    int i;
    for (i = 0; i < gputune__len(space->params); i++)
        all *= gputune__len(space->params[i].values);
    return all;
}

GPUTUNE_API int gputune_space_param_count(const gputune_space *space)
{
    return gputune__len(space->params);
}

GPUTUNE_API const char *gputune_space_param_name(const gputune_space *space, int param)
{
    assert(param >= 0 && param < gputune__len(space->params));
    return space->params[param].name;
}

GPUTUNE_API int gputune_space_param_index(const gputune_space *space, const char *name)
{
    int i;
    for (i = 0; i < gputune__len(space->params); i++)
        if (strcmp(space->params[i].name, name) == 0) return i;
    return -1;
}

GPUTUNE_API int gputune_space_value_count(const gputune_space *space, int param)
{
    assert(param >= 0 && param < gputune__len(space->params));
    return gputune__len(space->params[param].values);
}

GPUTUNE_API gputune_value gputune_space_value(const gputune_space *space, int param, int choice)
{
    assert(param >= 0 && param < gputune__len(space->params));
    assert(choice >= 0 && choice < gputune__len(space->params[param].values));
    return space->params[param].values[choice];
}

// Some restriction mentions the symbol.
GPUTUNE__MAYBE_UNUSED
static bool gputune__space_uses(const gputune_space *space, const char *name)
{
    int r, i;
    if (gputune_space_param_index(space, name) >= 0) return false;
    for (r = 0; r < gputune__len(space->requires_); r++) {
        const gputune__expr *expr = space->requires_[r];
        for (i = 0; i < gputune__len(expr->symbols); i++)
            if (strlen(name) == (size_t)expr->symbols[i].length &&
                memcmp(name, expr->text + expr->symbols[i].start, strlen(name)) == 0)
                return true;
    }
    return false;
}

// Parameters, values, defaults and restrictions; not symbols.
GPUTUNE__MAYBE_UNUSED
static uint64_t gputune__space_hash(const gputune_space *space)
{
    uint64_t hash = 1;
    char text[64];
    int i, j;
    for (i = 0; i < gputune__len(space->params); i++) {
        const gputune__param *param = &space->params[i];
        hash = gputune__hash_text(param->name, hash);
        for (j = 0; j < gputune__len(param->values); j++) {
            const gputune_value *value = &param->values[j];
            hash = gputune__hash_text(value->kind == GPUTUNE_NAME
                                          ? value->name
                                          : gputune__value_text(value, text, sizeof text),
                                      hash);
        }
        hash = gputune__mix(hash + (uint64_t)param->initial);
    }
    for (i = 0; i < gputune__len(space->requires_); i++)
        hash = gputune__hash_text(space->requires_[i]->text, gputune__mix(hash));
    return hash;
}

GPUTUNE_API gputune_config gputune_space_at(const gputune_space *space, uint64_t index)
{
    gputune_config config;
    int i;
    assert(space->built && index < space->count);
    memset(&config, 0, sizeof config);
    config.space = space;
    for (i = 0; i < gputune__len(space->groups); i++) {
        const gputune__group *g = &space->groups[i];
        uint64_t rest = index / g->stride % gputune__group_count(g);
        uint32_t node = gputune__group_root(g), low, high, middle;
        while (node) {
            low = g->first[node];
            high = g->first[node + 1] - 1;
            while (low < high) { // the first edge with upto > rest
                middle = low + (high - low) / 2;
                if (g->upto[middle] > rest)
                    high = middle;
                else
                    low = middle + 1;
            }
            if (low > g->first[node]) rest -= g->upto[low - 1];
            config.choice[g->params[g->level[node]]] = g->digit[low];
            node = g->child[low];
        }
    }
    return config;
}

// The node's edge for a digit, or UINT32_MAX.
static uint32_t gputune__group_edge(const gputune__group *g, uint32_t node, uint16_t digit)
{
    uint32_t low = g->first[node], high = g->first[node + 1], middle;
    while (low < high) {
        middle = low + (high - low) / 2;
        if (g->digit[middle] < digit)
            low = middle + 1;
        else
            high = middle;
    }
    return low < g->first[node + 1] && g->digit[low] == digit ? low : UINT32_MAX;
}

GPUTUNE_API bool gputune_space_index(const gputune_space *space, const gputune_config *config,
                                     uint64_t *index)
{
    uint64_t all = 0;
    int i;
    assert(space->built);
    for (i = 0; i < gputune__len(space->groups); i++) {
        const gputune__group *g = &space->groups[i];
        uint32_t node = gputune__group_root(g), edge;
        uint64_t rest = 0;
        for (; node; node = g->child[edge]) {
            edge = gputune__group_edge(g, node, config->choice[g->params[g->level[node]]]);
            if (edge == UINT32_MAX) return false;
            if (edge > g->first[node]) rest += g->upto[edge - 1];
        }
        all += rest * g->stride;
    }
    if (index) *index = all;
    return true;
}

GPUTUNE_API gputune_config gputune_space_default(const gputune_space *space)
{
    gputune_config config;
    assert(space->built);
    config.space = space;
    memcpy(config.choice, space->initial, sizeof config.choice);
    return config;
}

GPUTUNE_API gputune_config gputune_space_nearest(const gputune_space *space,
                                                 const gputune_config *config)
{
    gputune_config nearest;
    assert(space->built);
    memset(&nearest, 0, sizeof nearest);
    nearest.space = space;
    gputune__space_nearest(space, config->choice, nearest.choice);
    return nearest;
}

// --- sampling

// Adds a number to an open-addressing set of numbers + 1; false if it is there already.
static bool gputune__draw_add(uint64_t *table, size_t slots, uint64_t number)
{
    size_t at = (size_t)gputune__mix(number) & (slots - 1);
    for (; table[at]; at = (at + 1) & (slots - 1))
        if (table[at] == number + 1) return false;
    table[at] = number + 1;
    return true;
}

// Floyd's method (Bentley, Floyd: A sample of brilliance, 1987), then shuffled (Fisher and Yates).
GPUTUNE_API gputune_result gputune_space_sample(gputune_space *space, uint64_t *state,
                                                bool replacement, uint64_t *indices, size_t count)
{
    uint64_t *table, top, pick, swap;
    size_t slots = 16, i;
    assert(space->built && state && (indices || !count));
    if (replacement) {
        for (i = 0; i < count; i++) indices[i] = gputune__random_below(state, space->count);
        return GPUTUNE_OK;
    }
    if (count > space->count)
        return gputune__error(&space->base.error, GPUTUNE_ERROR_ARGUMENT,
                              "more samples than the space has configurations");
    if (count > (size_t)-1 / 64) return gputune__oom(&space->base.error);
    while (slots < 2 * count) slots *= 2;
    table = (uint64_t *)gputune__alloc(&space->base, slots, sizeof *table);
    if (!table) return gputune__oom(&space->base.error);
    for (i = 0; i < count; i++) {
        top = space->count - count + i;
        pick = top == UINT64_MAX ? gputune__random(state) : gputune__random_below(state, top + 1);
        if (!gputune__draw_add(table, slots, pick)) {
            pick = top;
            gputune__draw_add(table, slots, pick);
        }
        indices[i] = pick;
    }
    gputune__free(&space->base, table);
    for (i = count; i > 1; i--) {
        pick = gputune__random_below(state, i);
        swap = indices[i - 1];
        indices[i - 1] = indices[pick];
        indices[pick] = swap;
    }
    return GPUTUNE_OK;
}

// --- neighbours

// The rest of a configuration from a node on is valid. meet: by level, the node on the
// configuration's own path: once there, it is.
static bool gputune__group_completes(const gputune__group *g, uint32_t node,
                                     const uint16_t *choice, const uint32_t *meet)
{
    uint32_t edge;
    while (node && node != meet[g->level[node]]) {
        edge = gputune__group_edge(g, node, choice[g->params[g->level[node]]]);
        if (edge == UINT32_MAX) return false;
        node = g->child[edge];
    }
    return true;
}

typedef struct gputune__neighbours {
    const gputune_config *config;
    gputune_config *out;
    size_t capacity, count;
} gputune__neighbours;

static void gputune__neighbours_add(gputune__neighbours *n, uint16_t param, uint16_t digit)
{
    if (n->count < n->capacity) {
        n->out[n->count] = *n->config;
        n->out[n->count].choice[param] = digit;
    }
    n->count++;
}

// Changes of one parameter; all of them, or the nearest valid one in each direction.
static void gputune__neighbours_of(gputune__neighbours *n, const gputune__group *g, uint32_t node,
                                   const uint32_t *meet, bool all)
{
    const uint16_t *choice = n->config->choice;
    uint16_t param = g->params[g->level[node]];
    uint32_t own = gputune__group_edge(g, node, choice[param]), edge;
    for (edge = own; edge-- > g->first[node];) {
        if (!gputune__group_completes(g, g->child[edge], choice, meet)) continue;
        gputune__neighbours_add(n, param, g->digit[edge]);
        if (!all) break;
    }
    for (edge = own + 1; edge < g->first[node + 1]; edge++) {
        if (!gputune__group_completes(g, g->child[edge], choice, meet)) continue;
        gputune__neighbours_add(n, param, g->digit[edge]);
        if (!all) break;
    }
}

GPUTUNE_API size_t gputune_space_neighbours(const gputune_space *space,
                                            const gputune_config *config,
                                            gputune_neighbourhood kind, gputune_config *neighbours,
                                            size_t capacity)
{
    gputune__neighbours n;
    uint32_t path[GPUTUNE_MAX_PARAMETERS + 1], node, edge;
    int i;
    n.config = config;
    n.out = neighbours;
    n.capacity = capacity;
    n.count = 0;
    assert(gputune_space_index(space, config, NULL));
    for (i = 0; i < gputune__len(space->groups); i++) {
        const gputune__group *g = &space->groups[i];
        for (node = gputune__group_root(g); node; node = g->child[edge]) {
            path[g->level[node]] = node;
            edge = gputune__group_edge(g, node, config->choice[g->params[g->level[node]]]);
            if (edge == UINT32_MAX) return 0;
        }
        for (node = gputune__group_root(g); node; node = g->child[edge]) {
            gputune__neighbours_of(&n, g, node, path, kind == GPUTUNE_NEIGHBOURS_ANY);
            edge = gputune__group_edge(g, node, config->choice[g->params[g->level[node]]]);
        }
    }
    return n.count;
}

// --- configurations

GPUTUNE_API gputune_value gputune_get(const gputune_config *config, const char *name)
{
    int param = gputune_space_param_index(config->space, name);
    assert(param >= 0);
    return gputune_space_value(config->space, param, config->choice[param]);
}

GPUTUNE_API int64_t gputune_get_int(const gputune_config *config, const char *name)
{
    gputune_value value = gputune_get(config, name);
    return value.kind == GPUTUNE_REAL ? (int64_t)value.real : value.integer;
}

GPUTUNE_API double gputune_get_real(const gputune_config *config, const char *name)
{
    gputune_value value = gputune_get(config, name);
    return value.kind == GPUTUNE_INTEGER ? (double)value.integer : value.real;
}

GPUTUNE_API const char *gputune_get_name(const gputune_config *config, const char *name)
{
    gputune_value value = gputune_get(config, name);
    assert(value.kind == GPUTUNE_NAME);
    return value.name;
}

// before NAME between VALUE after, for every parameter; cut to size.
static const char *gputune__config_write(const gputune_config *config, const char *before,
                                         const char *between, const char *after, char *text,
                                         size_t size)
{
    const gputune_space *space = config->space;
    size_t length = 0;
    char number[64];
    int i;
    if (size) text[0] = 0;
    for (i = 0; i < gputune__len(space->params) && length < size; i++) {
        const gputune_value *value = &space->params[i].values[config->choice[i]];
        bool last = i + 1 == gputune__len(space->params) && after[0] == ' ';
        length += (size_t)snprintf(text + length, size - length, "%s%s%s%s%s", before,
                                   space->params[i].name, between,
                                   value->kind == GPUTUNE_NAME
                                       ? value->name
                                       : gputune__value_text(value, number, sizeof number),
                                   last ? "" : after);
    }
    return text;
}

GPUTUNE_API const char *gputune_config_text(const gputune_config *config, char *text, size_t size)
{
    return gputune__config_write(config, "", "=", " ", text, size);
}

GPUTUNE_API const char *gputune_config_defines(const gputune_config *config, char *text,
                                               size_t size)
{
    return gputune__config_write(config, "#define ", " ", "\n", text, size);
}

// The parameter whose name begins the text up to its '='; -1.
static int gputune__config_name(const gputune_space *space, const char *text, size_t length)
{
    int i;
    for (i = 0; i < gputune__len(space->params); i++)
        if (strlen(space->params[i].name) == length &&
            memcmp(space->params[i].name, text, length) == 0)
            return i;
    return -1;
}

// The value as the parameter's position. Compared as text: names may be of any length.
static int gputune__config_value(const gputune__param *param, const char *text, size_t length)
{
    char copy[64];
    int i;
    if (param->values[0].kind != GPUTUNE_NAME) {
        if (length >= sizeof copy) return -1;
        memcpy(copy, text, length);
        copy[length] = 0;
        return gputune__param_find(param, copy);
    }
    for (i = 0; i < gputune__len(param->values); i++)
        if (strlen(param->values[i].name) == length &&
            memcmp(param->values[i].name, text, length) == 0)
            return i;
    return -1;
}

GPUTUNE_API bool gputune_config_parse(const gputune_space *space, const char *text,
                                      gputune_config *config)
{
    static const char blanks[] = " \t\r\n";
    size_t length, name;
    int param, choice;
    memset(config, 0, sizeof *config);
    config->space = space;
    for (param = 0; param < gputune__len(space->params); param++)
        config->choice[param] = (uint16_t)space->params[param].initial;
    for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
        length = strcspn(text, blanks);
        name = strcspn(text, "=");
        if (name >= length) return false;
        param = gputune__config_name(space, text, name);
        if (param < 0) return false;
        choice = gputune__config_value(&space->params[param], text + name + 1, length - name - 1);
        if (choice < 0) return false;
        config->choice[param] = (uint16_t)choice;
        text += length;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------
// [source]
// ---------------------------------------------------------------------------------------------

typedef struct gputune__source_param {
    char *name, *values, *value_default;
    int line;
} gputune__source_param;

typedef struct gputune__signature_arg {
    char *name;
    gputune_type type;
    int elements;  // vector width, 1 for scalars; 0: unknown (a struct, an image)
    bool pointer;
    bool constant; // what it points to is const or __constant
    bool local;
} gputune__signature_arg;

typedef struct gputune__signature {
    char *name;
    int line;
    gputune__signature_arg *args; // stb_ds array
    char *global, *local;         // from the pragmas above it, else NULL
    bool known;                   // false: the parameter list could not be read; args is empty
    bool cuda;                    // CUDA C: vectors of 3 have 3 elements, local memory no argument
} gputune__signature;

typedef enum {
    GPUTUNE__TOKEN_WORD,
    GPUTUNE__TOKEN_NUMBER,
    GPUTUNE__TOKEN_TEXT, // string or character
    GPUTUNE__TOKEN_SIGN  // one character
} gputune__token_kind;

typedef struct gputune__token {
    size_t begin, end;
    int line;
    gputune__token_kind kind;
    bool first;     // of its line
    bool directive; // part of a preprocessor line
    bool live;      // not under #if 0
} gputune__token;

// A #define of the source: where its value stands.
typedef struct gputune__define {
    int name, value, value_end; // tokens [value, value_end)
    int param;                  // annotated: index in params; -1: plain
    bool function;              // #define F(x)
} gputune__define;

typedef struct gputune__source {
    char *text;
    gputune__source_param *params; // stb_ds arrays, all of them
    char **require;
    gputune__signature *kernels;
    gputune__token *tokens;
    gputune__define *defines;
    int *pragmas;  // first tokens of our pragmas
    int *typedefs; // live `typedef` tokens
    bool cuda;     // has __global__: CUDA C
} gputune__source;

// --- lexer ---

typedef struct gputune__lexer {
    const char *text;
    size_t at;
    int line;
    bool first;
} gputune__lexer;

static bool gputune__source_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (unsigned char)c >= 0x80;
}

// Length of a line continuation at p: backslash and newline; compilers let blanks and a carriage
// return stand between.
static size_t gputune__continuation(const char *p)
{
    size_t length = 1;
    if (p[0] != '\\') return 0;
    while (p[length] == ' ' || p[length] == '\t') length++;
    length += p[length] == '\r';
    return p[length] == '\n' ? length + 1 : 0;
}

static void gputune__lexer_comment(gputune__lexer *x, bool block)
{
    const char *p = x->text;
    x->at += 2;
    while (p[x->at]) {
        size_t more = gputune__continuation(p + x->at);
        if (block && p[x->at] == '*' && p[x->at + 1] == '/') {
            x->at += 2;
            return;
        }
        if (!block && p[x->at] == '\n') return;
        if (!block && more) {
            x->line++;
            x->at += more;
            continue;
        }
        x->line += p[x->at] == '\n';
        x->at++;
    }
}

// Skips blanks, comments and continuations; notes whether a line begins.
static void gputune__lexer_skip(gputune__lexer *x)
{
    for (;;) {
        const char *p = x->text + x->at;
        size_t more = gputune__continuation(p);
        if (more) {
            x->line++;
            x->at += more;
        } else if (*p == '\n') {
            x->line++;
            x->at++;
            x->first = true;
        } else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\v' || *p == '\f') {
            x->at++;
        } else if (p[0] == '/' && (p[1] == '/' || p[1] == '*')) {
            gputune__lexer_comment(x, p[1] == '*');
        } else {
            return;
        }
    }
}

// A string or character constant ends at its quote or, unterminated, at the end of its line.
static void gputune__lexer_quoted(gputune__lexer *x)
{
    const char *p = x->text;
    char quote = p[x->at++];
    while (p[x->at] && p[x->at] != quote && p[x->at] != '\n') {
        if (p[x->at] == '\\' && p[x->at + 1]) {
            size_t more = gputune__continuation(p + x->at);
            x->line += more > 0;
            x->at += more ? more : 2;
            continue;
        }
        x->at++;
    }
    if (p[x->at] == quote) x->at++;
}

static bool gputune__source_word_char(char c)
{
    return gputune__source_letter(c) || gputune__is_digit(c);
}

// A word may go on behind a line continuation.
static void gputune__lexer_word(gputune__lexer *x)
{
    for (;;) {
        const char *p = x->text + x->at;
        size_t more = 0, one;
        int lines = 0;
        while ((one = gputune__continuation(p + more)) != 0) {
            more += one;
            lines++;
        }
        if (!gputune__source_word_char(p[more])) return;
        x->at += more + 1;
        x->line += lines;
    }
}

// C++'s R"delimiter( ... )delimiter", after a word that ends in R. False: it is none.
static bool gputune__lexer_raw(gputune__lexer *x)
{
    const char *open = x->text + x->at, *p, *end;
    size_t length;
    if (*open != '"' || x->at == 0 || open[-1] != 'R') return false;
    length = strcspn(open + 1, "()\\ \t\r\n\"");
    if (length > 16 || open[length + 1] != '(') return false;
    for (end = open + length + 2; (end = strchr(end, ')')) != NULL; end++) {
        if (strncmp(end + 1, open + 1, length) != 0 || end[length + 1] != '"') continue;
        for (p = open; p < end; p++) x->line += *p == '\n';
        x->at += (size_t)(end - open) + length + 2;
        return true;
    }
    return false;
}

// False at the end of the text.
static bool gputune__lexer_next(gputune__lexer *x, gputune__token *token)
{
    const char *p = x->text;
    gputune__lexer_skip(x);
    memset(token, 0, sizeof *token);
    if (!p[x->at]) return false;
    token->begin = x->at;
    token->line = x->line;
    token->first = x->first;
    x->first = false;
    if (gputune__source_letter(p[x->at])) {
        gputune__lexer_word(x);
        token->kind = gputune__lexer_raw(x) ? GPUTUNE__TOKEN_TEXT : GPUTUNE__TOKEN_WORD;
    } else if (gputune__is_digit(p[x->at]) ||
               (p[x->at] == '.' && gputune__is_digit(p[x->at + 1]))) {
        token->kind = GPUTUNE__TOKEN_NUMBER;
        while (gputune__source_letter(p[x->at]) || gputune__is_digit(p[x->at]) || p[x->at] == '.' ||
               ((p[x->at] == '+' || p[x->at] == '-') && strchr("eEpP", p[x->at - 1])))
            x->at++;
    } else if (p[x->at] == '"' || p[x->at] == '\'') {
        token->kind = GPUTUNE__TOKEN_TEXT;
        gputune__lexer_quoted(x);
    } else {
        token->kind = GPUTUNE__TOKEN_SIGN;
        x->at++;
    }
    token->end = x->at;
    return true;
}

// Are the two texts the same but for line continuations?
static bool gputune__same_word(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t i = 0, j = 0, more;
    // Nearly always; no word begins with a continuation.
    if (a_length && b_length && *a != *b && *a != '\\' && *b != '\\') return false;
    if (a_length == b_length && memcmp(a, b, a_length) == 0) return true;
    if (!memchr(a, '\\', a_length) && !memchr(b, '\\', b_length)) return false;
    for (;;) {
        while (i < a_length && (more = gputune__continuation(a + i)) != 0) i += more;
        while (j < b_length && (more = gputune__continuation(b + j)) != 0) j += more;
        if (i >= a_length || j >= b_length) return i >= a_length && j >= b_length;
        if (a[i++] != b[j++]) return false;
    }
}

static bool gputune__token_is(const gputune__source *s, int i, const char *word)
{
    const gputune__token *t;
    if (i < 0 || i >= gputune__len(s->tokens)) return false;
    t = &s->tokens[i];
    return gputune__same_word(s->text + t->begin, t->end - t->begin, word, strlen(word));
}

static bool gputune__token_same(const gputune__source *s, int a, int b)
{
    const gputune__token *x = &s->tokens[a], *y = &s->tokens[b];
    return gputune__same_word(s->text + x->begin, x->end - x->begin, s->text + y->begin,
                              y->end - y->begin);
}

static bool gputune__token_in(const gputune__source *s, int i, const char *const *words)
{
    for (; *words; words++)
        if (gputune__token_is(s, i, *words)) return true;
    return false;
}

// First token after the preprocessor line that i is in.
static int gputune__line_end(const gputune__source *s, int i)
{
    for (i++; i < gputune__len(s->tokens) && !s->tokens[i].first; i++) continue;
    return i;
}

// Adds the token to a text; a word without its line continuations.
static bool gputune__token_put(const gputune__base *b, const gputune__source *s, int i, char **text)
{
    const gputune__token *t = &s->tokens[i];
    size_t at, from = t->begin, more;
    bool ok = true;
    for (at = t->begin; at < t->end && ok && t->kind == GPUTUNE__TOKEN_WORD; at++) {
        more = gputune__continuation(s->text + at);
        if (!more) continue;
        ok = gputune__text_put(b, text, s->text + from, at - from);
        from = at + more;
        at = from - 1;
    }
    return ok && gputune__text_put(b, text, s->text + from, t->end - from);
}

// Text of tokens [begin, end) with one blank where there was any gap. NULL when out of memory;
// owned by the caller.
static char *gputune__tokens_text(const gputune__base *b, const gputune__source *s, int begin,
                                  int end)
{
    char *text = NULL, *copy;
    bool ok = gputune__text_put(b, &text, "", 0);
    int i;
    for (i = begin; i < end && ok; i++) {
        const gputune__token *t = &s->tokens[i];
        if (i > begin && t->begin > s->tokens[i - 1].end) ok = gputune__text_put(b, &text, " ", 1);
        ok = ok && gputune__token_put(b, s, i, &text);
    }
    copy = ok ? gputune__strdup(b, text) : NULL;
    gputune__arr_free(b, text);
    return copy;
}

static gputune_result gputune__source_error(const gputune__source *s, int token, const char *what,
                                            gputune_error *error)
{
    const gputune__token *t = &s->tokens[token];
    const char *line = s->text + t->begin;
    size_t length;
    while (line > s->text && line[-1] != '\n') line--;
    length = strcspn(line, "\r\n");
    return gputune__error(error, GPUTUNE_ERROR_SYNTAX, "line %d: %s: %.*s", t->line, what,
                          length > 200 ? 200 : (int)length, line);
}

// Length of a byte order mark at the beginning.
static size_t gputune__byte_order_mark(const char *text)
{
    return strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

// `#line 12`: what follows, a line break first, has these numbers.
static void gputune__source_line(const gputune__source *s, gputune__lexer *x)
{
    int last = gputune__len(s->tokens) - 1;
    if (last < 2 || !s->tokens[last - 2].first || !s->tokens[last].directive ||
        !gputune__token_is(s, last - 1, "line") ||
        s->tokens[last].kind != GPUTUNE__TOKEN_NUMBER)
        return;
    x->line = atoi(s->text + s->tokens[last].begin) - 1;
}

static bool gputune__source_lex(const gputune__base *b, gputune__source *s)
{
    gputune__lexer x;
    gputune__token token;
    bool directive = false;
    x.text = s->text;
    x.at = gputune__byte_order_mark(s->text);
    x.line = 1;
    x.first = true;
    while (gputune__lexer_next(&x, &token)) {
        if (token.first) directive = s->text[token.begin] == '#';
        token.directive = directive;
        token.live = true;
        if (!gputune__push(b, s->tokens, token)) return false;
        gputune__source_line(s, &x);
    }
    return true;
}

// --- #if 0 ---

typedef struct gputune__branch {
    bool dead_outside;
    bool dead;       // this branch
    bool known_true; // an earlier branch was #if 1: all later ones are dead
} gputune__branch;

// Follows one preprocessor line; returns whether what comes next is dead.
static bool gputune__source_branch(const gputune__base *b, const gputune__source *s, int i,
                                   gputune__branch **stack, bool dead, bool *ok)
{
    static const char *const opens[] = { "if", "ifdef", "ifndef", NULL };
    static const char *const turns[] = { "else", "elif", "elifdef", "elifndef", NULL };
    int depth = gputune__len(*stack);
    bool one_token = gputune__line_end(s, i) == i + 3 &&
                     (gputune__token_is(s, i + 1, "if") || gputune__token_is(s, i + 1, "elif"));
    bool zero = one_token && gputune__token_is(s, i + 2, "0");
    bool one = one_token && gputune__token_is(s, i + 2, "1");
    if (gputune__token_in(s, i + 1, opens)) {
        gputune__branch branch;
        branch.dead_outside = dead;
        branch.dead = dead || zero;
        branch.known_true = one;
        *ok = gputune__push(b, *stack, branch);
        return branch.dead;
    }
    if (!depth) return dead;
    if (gputune__token_in(s, i + 1, turns)) {
        gputune__branch *top = &(*stack)[depth - 1];
        top->dead = top->dead_outside || top->known_true || zero;
        top->known_true = top->known_true || one;
        return top->dead;
    }
    if (!gputune__token_is(s, i + 1, "endif")) return dead;
    dead = (*stack)[depth - 1].dead_outside;
    stbds_arrsetlen(*stack, (size_t)depth - 1);
    return dead;
}

static bool gputune__source_find_dead(const gputune__base *b, gputune__source *s)
{
    gputune__branch *stack = NULL;
    bool dead = false, ok = true;
    int i;
    for (i = 0; i < gputune__len(s->tokens) && ok; i++) {
        gputune__token *t = &s->tokens[i];
        if (t->directive && t->first) dead = gputune__source_branch(b, s, i, &stack, dead, &ok);
        t->live = !dead;
        if (!t->live) continue;
        if (gputune__token_is(s, i, "__global__")) s->cuda = true;
        if (gputune__token_is(s, i, "typedef")) ok = gputune__push(b, s->typedefs, i) && ok;
    }
    gputune__arr_free(b, stack);
    return ok;
}

// --- annotations ---

// What pragmas wait for.
typedef struct gputune__pending {
    int depth;         // of braces and brackets
    int *depths;       // stb_ds array: the depth where each open #if began
    int param;         // first token of the pragma whose #define must follow; -1: none
    int guard;         // token of the name in the #ifndef between; -1: none
    int global, local; // first tokens of pragmas that wait for a kernel; -1: none
} gputune__pending;

static const char *const gputune__param_kinds[] = { "range", "erange", "set",
                                                    "bool",  "kernel", NULL };

// The plain #define that a default names, if the name is not itself one of the pragma's values.
static const gputune__define *gputune__default_macro(const gputune__source *s, int pragma,
                                                     int begin, int end)
{
    int i;
    if (end - begin != 1 || s->tokens[begin].kind != GPUTUNE__TOKEN_WORD) return NULL;
    for (i = pragma + 3; i < gputune__line_end(s, pragma); i++)
        if (gputune__token_same(s, i, begin)) return NULL;
    for (i = gputune__len(s->defines) - 1; i >= 0; i--) {
        const gputune__define *d = &s->defines[i];
        if (gputune__token_same(s, d->name, begin)) return d->function || d->param >= 0 ? NULL : d;
    }
    return NULL;
}

// The default as a plain value: without parentheses, blanks and suffixes, octal and hexadecimal
// made decimal, true and false made 1 and 0.
static char *gputune__default_text(const gputune__base *b, const gputune__source *s, int begin,
                                   int end)
{
    char buffer[64], *text, *digits;
    const char *sign;
    size_t length;
    while (end - begin > 2 && gputune__token_is(s, begin, "(") &&
           gputune__token_is(s, end - 1, ")")) {
        begin++;
        end--;
    }
    if (gputune__token_is(s, begin, "true")) return gputune__strdup(b, "1");
    if (gputune__token_is(s, begin, "false")) return gputune__strdup(b, "0");
    sign = gputune__token_is(s, begin, "-") ? "-" : "";
    if (gputune__token_is(s, begin, "-") || gputune__token_is(s, begin, "+")) begin++;
    text = gputune__tokens_text(b, s, begin, end);
    if (!text || s->tokens[end - 1].kind != GPUTUNE__TOKEN_NUMBER) return text;
    length = strlen(text);
    if (text[0] == '0' && strpbrk(text, "pP") == NULL && strchr(text, '.') == NULL && length > 1 &&
        (text[1] == 'x' || text[1] == 'X' || gputune__is_digit(text[1]))) {
        snprintf(buffer, sizeof buffer, "%s%llu", sign, strtoull(text, &digits, 0));
    } else {
        while (length && strchr("uUlLfFhH", text[length - 1])) text[--length] = 0;
        snprintf(buffer, sizeof buffer, "%s%.60s", sign, text);
    }
    gputune__free(b, text);
    return gputune__strdup(b, buffer);
}

static bool gputune__default_is_plain(const gputune__source *s, int begin, int end)
{
    while (end - begin > 2 && gputune__token_is(s, begin, "(") &&
           gputune__token_is(s, end - 1, ")")) {
        begin++;
        end--;
    }
    if (end - begin == 2 && (gputune__token_is(s, begin, "-") || gputune__token_is(s, begin, "+")))
        begin++;
    return end - begin == 1 && (s->tokens[begin].kind == GPUTUNE__TOKEN_NUMBER ||
                                s->tokens[begin].kind == GPUTUNE__TOKEN_WORD);
}

static int gputune__source_param_find(const gputune__source *s, int name)
{
    int i;
    for (i = 0; i < gputune__len(s->params); i++)
        if (gputune__token_is(s, name, s->params[i].name)) return i;
    return -1;
}

static void gputune__source_param_free(const gputune__base *b, gputune__source_param *p)
{
    gputune__free(b, p->name);
    gputune__free(b, p->values);
    gputune__free(b, p->value_default);
}

// A #define under a pragma becomes a parameter.
static gputune_result gputune__source_add_param(const gputune__base *b, gputune__source *s,
                                                int pragma, bool conditional,
                                                gputune__define *define, gputune_error *error)
{
    gputune__source_param p;
    int known = gputune__source_param_find(s, define->name), steps;
    int value = define->value, value_end = define->value_end;
    bool same;
    for (steps = 0; steps < 8; steps++) {
        const gputune__define *macro = gputune__default_macro(s, pragma, value, value_end);
        if (!macro) break;
        value = macro->value;
        value_end = macro->value_end;
    }
    if (define->function)
        return gputune__source_error(s, define->name, "a macro with arguments cannot be tuned",
                                     error);
    if (!gputune__default_is_plain(s, value, value_end))
        return gputune__source_error(s, define->name, "the default must be one number or one name",
                                     error);
    memset(&p, 0, sizeof p);
    p.line = s->tokens[define->name].line;
    p.name = gputune__tokens_text(b, s, define->name, define->name + 1);
    p.values = gputune__tokens_text(b, s, pragma + 3, gputune__line_end(s, pragma));
    p.value_default = gputune__default_text(b, s, value, value_end);
    if (!p.name || !p.values || !p.value_default) {
        gputune__source_param_free(b, &p);
        return gputune__oom(error);
    }
    if (known >= 0) {
        same = strcmp(s->params[known].values, p.values) == 0 &&
               strcmp(s->params[known].value_default, p.value_default) == 0;
        gputune__source_param_free(b, &p);
        if (!conditional) // not under any #if
            return gputune__source_error(s, define->name, "this parameter is declared twice",
                                         error);
        if (!same)
            return gputune__source_error(
                s, define->name,
                "this parameter has other values or another default in another branch", error);
        define->param = known;
        return GPUTUNE_OK;
    }
    define->param = gputune__len(s->params);
    if (gputune__push(b, s->params, p)) return GPUTUNE_OK;
    gputune__source_param_free(b, &p);
    return gputune__oom(error);
}

static gputune_result gputune__source_define(const gputune__base *b, gputune__source *s, int i,
                                             gputune__pending *pending, gputune_error *error)
{
    gputune__define define;
    int end = gputune__line_end(s, i), pragma = pending->param;
    gputune_result result = GPUTUNE_OK;
    if (i + 2 >= end || s->tokens[i + 2].kind != GPUTUNE__TOKEN_WORD) return GPUTUNE_OK;
    define.name = i + 2;
    define.value = i + 3;
    define.value_end = end;
    define.param = -1;
    define.function = i + 3 < end && gputune__token_is(s, i + 3, "(") &&
                      s->tokens[i + 3].begin == s->tokens[i + 2].end;
    if (pragma >= 0) {
        if (pending->guard >= 0 && !gputune__token_same(s, pending->guard, define.name))
            return gputune__source_error(s, define.name, "the guard above has another name", error);
        result = gputune__source_add_param(b, s, pragma, gputune__len(pending->depths) > 0, &define,
                                           error);
    }
    pending->param = pending->guard = -1;
    if (result == GPUTUNE_OK && !gputune__push(b, s->defines, define)) return gputune__oom(error);
    return result;
}

static gputune_result gputune__source_pragma(const gputune__base *b, gputune__source *s, int i,
                                             gputune__pending *pending, gputune_error *error)
{
    int end = gputune__line_end(s, i);
    if (!gputune__push(b, s->pragmas, i)) return gputune__oom(error);
    if (end > i + 3 && gputune__token_in(s, i + 3, gputune__param_kinds)) {
        if (pending->param >= 0)
            return gputune__source_error(s, pending->param, "no #define follows this pragma",
                                         error);
        pending->param = i;
    } else if (end > i + 4 && gputune__token_is(s, i + 3, "require")) {
        char *text = gputune__tokens_text(b, s, i + 4, end);
        if (text && gputune__push(b, s->require, text)) return GPUTUNE_OK;
        gputune__free(b, text);
        return gputune__oom(error);
    } else if (end > i + 4 && pending->depth &&
               (gputune__token_is(s, i + 3, "global") || gputune__token_is(s, i + 3, "local"))) {
        return gputune__source_error(s, i, "the launch stands above its kernel, not in it", error);
    } else if (end > i + 4 && gputune__token_is(s, i + 3, "global")) {
        pending->global = i;
    } else if (end > i + 4 && gputune__token_is(s, i + 3, "local")) {
        pending->local = i;
    } else {
        return gputune__source_error(s, i, "expected range, erange, set, bool, kernel, require, "
                                           "global or local with its text",
                                     error);
    }
    return GPUTUNE_OK;
}

// Token of NAME in `#ifndef NAME`, `#if !defined NAME`, `#if !defined(NAME)`; else -1.
static int gputune__source_guard(const gputune__source *s, int i)
{
    int end = gputune__line_end(s, i);
    if (gputune__token_is(s, i + 1, "ifndef") && end == i + 3) return i + 2;
    if (!gputune__token_is(s, i + 1, "if") || !gputune__token_is(s, i + 2, "!") ||
        !gputune__token_is(s, i + 3, "defined"))
        return -1;
    if (end == i + 5) return i + 4;
    return end == i + 7 && gputune__token_is(s, i + 4, "(") ? i + 5 : -1;
}

// --- kernel functions ---

static int gputune__skip_directives(const gputune__source *s, int i)
{
    while (i < gputune__len(s->tokens) && (s->tokens[i].directive || !s->tokens[i].live)) i++;
    return i;
}

// The token after the bracket that matches the one at i, or the number of tokens.
static int gputune__bracket_end(const gputune__source *s, int i)
{
    int depth = 0, count = gputune__len(s->tokens);
    for (; i < count; i++) {
        char c = s->text[s->tokens[i].begin];
        if (s->tokens[i].kind != GPUTUNE__TOKEN_SIGN || s->tokens[i].directive ||
            !s->tokens[i].live)
            continue;
        if (c == '(' || c == '[' || c == '{') depth++;
        if (c == ')' || c == ']' || c == '}') depth--;
        if (depth == 0) return i + 1;
    }
    return count;
}

static const struct {
    const char *name;
    gputune_type type;
} gputune__type_words[] = {
    { "char", GPUTUNE_INT8 },        { "schar", GPUTUNE_INT8 },      { "uchar", GPUTUNE_UINT8 },
    { "short", GPUTUNE_INT16 },      { "ushort", GPUTUNE_UINT16 },   { "int", GPUTUNE_INT32 },
    { "uint", GPUTUNE_UINT32 },      { "long", GPUTUNE_INT64 },      { "ulong", GPUTUNE_UINT64 },
    { "longlong", GPUTUNE_INT64 },   { "ulonglong", GPUTUNE_UINT64 }, { "float", GPUTUNE_FLOAT },
    { "double", GPUTUNE_DOUBLE },    { "half", GPUTUNE_HALF },       { "__half", GPUTUNE_HALF },
    { "size_t", GPUTUNE_UINT64 },    { "ptrdiff_t", GPUTUNE_INT64 }, { "intptr_t", GPUTUNE_INT64 },
    { "uintptr_t", GPUTUNE_UINT64 }, { "bool", GPUTUNE_UINT8 },      { "int8_t", GPUTUNE_INT8 },
    { "uint8_t", GPUTUNE_UINT8 },    { "int16_t", GPUTUNE_INT16 },   { "uint16_t", GPUTUNE_UINT16 },
    { "int32_t", GPUTUNE_INT32 },    { "uint32_t", GPUTUNE_UINT32 }, { "int64_t", GPUTUNE_INT64 },
    { "uint64_t", GPUTUNE_UINT64 },  { NULL, GPUTUNE_BYTES }
};

// float -> FLOAT, 1; float4 -> FLOAT, 4. False if it is no built-in type.
static bool gputune__builtin_type(const char *word, size_t length, gputune_type *type,
                                  int *elements)
{
    static const char *const widths[] = { "", "2", "3", "4", "8", "16" };
    static const int counts[] = { 1, 2, 3, 4, 8, 16 };
    int i, w;
    for (i = 0; gputune__type_words[i].name; i++) {
        size_t base = strlen(gputune__type_words[i].name);
        if (length < base || memcmp(word, gputune__type_words[i].name, base) != 0) continue;
        for (w = 0; w < 6; w++)
            if (length - base == strlen(widths[w]) &&
                memcmp(word + base, widths[w], length - base) == 0) {
                *type = gputune__type_words[i].type;
                *elements = counts[w];
                return true;
            }
    }
    return false;
}

// --- address spaces ---

typedef enum gputune__address {
    GPUTUNE__ADDRESS_NONE, // the word is none
    GPUTUNE__ADDRESS_GLOBAL,
    GPUTUNE__ADDRESS_CONSTANT,
    GPUTUNE__ADDRESS_LOCAL,
    GPUTUNE__ADDRESS_PRIVATE
} gputune__address;

static const struct {
    const char *name;
    gputune__address address;
} gputune__address_words[] = {
    { "__global", GPUTUNE__ADDRESS_GLOBAL },     { "global", GPUTUNE__ADDRESS_GLOBAL },
    { "__constant", GPUTUNE__ADDRESS_CONSTANT }, { "constant", GPUTUNE__ADDRESS_CONSTANT },
    { "__local", GPUTUNE__ADDRESS_LOCAL },       { "local", GPUTUNE__ADDRESS_LOCAL },
    { "__private", GPUTUNE__ADDRESS_PRIVATE },   { "private", GPUTUNE__ADDRESS_PRIVATE },
    { "__generic", GPUTUNE__ADDRESS_PRIVATE },   { "generic", GPUTUNE__ADDRESS_PRIVATE }
};

// Is the token a word and, if it stands in a directive, in the same one as its neighbour i?
static bool gputune__word_beside(const gputune__source *s, int i, int neighbour)
{
    if (i < 0 || i >= gputune__len(s->tokens)) return false;
    if (s->tokens[i].kind != GPUTUNE__TOKEN_WORD) return false;
    return s->tokens[i].directive == s->tokens[neighbour].directive &&
           !s->tokens[i > neighbour ? i : neighbour].first;
}

// global, local and so on without underscores may be names, too: they are qualifiers before
// another word, between a type and its star, and at the end of a macro.
static bool gputune__is_declarative(const gputune__source *s, int i)
{
    static const char *const statements[] = { "return", "case", "sizeof", "else", "do", NULL };
    bool before = gputune__word_beside(s, i - 1, i) && !gputune__token_in(s, i - 1, statements);
    if (gputune__token_is(s, i - 1, ".") ||
        (gputune__token_is(s, i - 1, ">") && gputune__token_is(s, i - 2, "-")))
        return false;
    if (s->tokens[i].directive && gputune__line_end(s, i) == i + 1) return true;
    if (i + 1 < gputune__len(s->tokens) && s->tokens[i + 1].kind == GPUTUNE__TOKEN_WORD)
        return true;
    return before && gputune__token_is(s, i + 1, "*");
}

// The address space that the word itself names.
static gputune__address gputune__address_word(const gputune__source *s, int i)
{
    size_t w;
    if (s->cuda || s->tokens[i].kind != GPUTUNE__TOKEN_WORD) return GPUTUNE__ADDRESS_NONE;
    for (w = 0; w < sizeof gputune__address_words / sizeof *gputune__address_words; w++)
        if (gputune__token_is(s, i, gputune__address_words[w].name))
            return gputune__address_words[w].name[0] == '_' || gputune__is_declarative(s, i)
                       ? gputune__address_words[w].address
                       : GPUTUNE__ADDRESS_NONE;
    return GPUTUNE__ADDRESS_NONE;
}

static gputune__address gputune__address_space(const gputune__source *s, int i, int depth);

// What `#define LOCAL __local volatile` stands for: words only, one of them an address space.
static gputune__address gputune__address_macro(const gputune__source *s, const gputune__define *d,
                                               int depth)
{
    gputune__address address = GPUTUNE__ADDRESS_NONE;
    int v;
    if (d->function || depth > 4) return GPUTUNE__ADDRESS_NONE;
    for (v = d->value; v < d->value_end; v++) {
        gputune__address one = gputune__address_space(s, v, depth + 1);
        if (s->tokens[v].kind != GPUTUNE__TOKEN_WORD) return GPUTUNE__ADDRESS_NONE;
        if (one != GPUTUNE__ADDRESS_NONE) address = one;
    }
    return address;
}

// The address space that a word names, itself or as a macro of the file.
static gputune__address gputune__address_space(const gputune__source *s, int i, int depth)
{
    gputune__address address = gputune__address_word(s, i);
    int d;
    if (s->cuda || s->tokens[i].kind != GPUTUNE__TOKEN_WORD) return GPUTUNE__ADDRESS_NONE;
    for (d = 0; d < gputune__len(s->defines) && address == GPUTUNE__ADDRESS_NONE; d++)
        if (s->defines[d].name != i && gputune__token_same(s, s->defines[d].name, i))
            address = gputune__address_macro(s, &s->defines[d], depth);
    return address;
}

static const char *const gputune__qualifiers[] = {
    "const",      "volatile",     "restrict",  "__restrict",        "__restrict__",
    "__const",    "read_only",    "__read_only", "write_only",      "__write_only",
    "read_write", "__read_write", "register",  "pipe",              "typename",
    "struct",     "union",        "enum",      "__grid_constant__", "static",
    "extern",     "inline",       NULL
};

static bool gputune__is_qualifier(const gputune__source *s, int i)
{
    return gputune__token_in(s, i, gputune__qualifiers) ||
           gputune__address_space(s, i, 0) != GPUTUNE__ADDRESS_NONE;
}

// Counts of the words that C combines into integer types.
typedef struct gputune__type_parts {
    int is_unsigned, is_signed, longs, shorts, chars, ints, doubles;
    int other; // token of a type name that is none of these; -1
} gputune__type_parts;

static bool gputune__type_part(const gputune__source *s, int i, gputune__type_parts *p)
{
    int *count = gputune__token_is(s, i, "unsigned") ? &p->is_unsigned
                 : gputune__token_is(s, i, "signed") ? &p->is_signed
                 : gputune__token_is(s, i, "long")   ? &p->longs
                 : gputune__token_is(s, i, "short")  ? &p->shorts
                 : gputune__token_is(s, i, "char")   ? &p->chars
                 : gputune__token_is(s, i, "int")    ? &p->ints
                 : gputune__token_is(s, i, "double") ? &p->doubles
                                                     : NULL;
    if (count) (*count)++;
    return count != NULL;
}

static bool gputune__source_type(const gputune__source *s, int begin, int end, int depth,
                                 gputune_type *type, int *elements);

static const char *const gputune__opaque_types[] = {
    "image1d_t", "image1d_array_t", "image1d_buffer_t", "image2d_t", "image2d_array_t",
    "image2d_depth_t", "image3d_t", "sampler_t", "event_t", "queue_t", "reserve_id_t", NULL
};

// A name that the file defines: `#define REAL float`, `typedef float real;`. Where several
// branches define it, what they agree on is known.
static bool gputune__source_named_type(const gputune__source *s, int name, int depth,
                                       gputune_type *type, int *elements)
{
    int i, t, found = 0, last;
    if (depth > 6 || gputune__token_in(s, name, gputune__opaque_types)) return false;
    *type = GPUTUNE_BYTES;
    *elements = 0;
    for (i = 0; i < gputune__len(s->defines); i++) {
        const gputune__define *d = &s->defines[i];
        if (!gputune__token_same(s, d->name, name)) continue;
        if (d->param >= 0 || d->function || d->value == d->value_end) return false;
        if (!gputune__source_type(s, d->value, d->value_end, depth + 1, type, elements))
            return false;
        found++;
    }
    for (t = 0; t < gputune__len(s->typedefs) && !found; t++) {
        gputune_type one;
        int width;
        i = s->typedefs[t];
        for (last = i; last < gputune__len(s->tokens) && !gputune__token_is(s, last, ";"); last++)
            if (gputune__token_is(s, last, "{")) last = gputune__bracket_end(s, last) - 1;
        if (last - 1 <= i || !gputune__token_same(s, last - 1, name)) continue;
        if (!gputune__source_type(s, i + 1, last - 1, depth + 1, &one, &width)) return false;
        if (*elements == 0 && *type == GPUTUNE_BYTES) {
            *type = one;
            *elements = width;
        } else {
            if (*type != one) *type = GPUTUNE_BYTES;
            if (*elements != width) *elements = 0;
            if (*type == GPUTUNE_BYTES) return true;
        }
        depth++; // each alternative counts, so that a file cannot make this long
        if (depth > 6) return true;
    }
    return true;
}

// The type that tokens [begin, end) name; false if it cannot be told.
static bool gputune__source_type(const gputune__source *s, int begin, int end, int depth,
                                 gputune_type *type, int *elements)
{
    gputune__type_parts p;
    int i, integers;
    memset(&p, 0, sizeof p);
    p.other = -1;
    for (i = begin; i < end; i++) {
        if (s->tokens[i].kind != GPUTUNE__TOKEN_WORD) return false;
        if (gputune__is_qualifier(s, i)) continue;
        if (!gputune__type_part(s, i, &p)) p.other = i;
    }
    if (p.other >= 0) {
        const gputune__token *t = &s->tokens[p.other];
        if (gputune__builtin_type(s->text + t->begin, t->end - t->begin, type, elements))
            return true;
        return gputune__source_named_type(s, p.other, depth, type, elements);
    }
    integers = p.is_unsigned + p.is_signed + p.longs + p.shorts + p.chars + p.ints;
    *elements = 1;
    if (p.doubles) *type = GPUTUNE_DOUBLE;
    else if (!integers) return false;
    else if (p.chars) *type = p.is_unsigned ? GPUTUNE_UINT8 : GPUTUNE_INT8;
    else if (p.shorts) *type = p.is_unsigned ? GPUTUNE_UINT16 : GPUTUNE_INT16;
    else if (p.longs) *type = p.is_unsigned ? GPUTUNE_UINT64 : GPUTUNE_INT64;
    else *type = p.is_unsigned ? GPUTUNE_UINT32 : GPUTUNE_INT32;
    return true;
}

static bool gputune__is_type_word(const gputune__source *s, int i)
{
    gputune__type_parts p;
    gputune_type type;
    int elements;
    const gputune__token *t = &s->tokens[i];
    memset(&p, 0, sizeof p);
    return gputune__type_part(s, i, &p) ||
           gputune__builtin_type(s->text + t->begin, t->end - t->begin, &type, &elements);
}

// Reads one parameter, tokens [begin, end). False: it cannot be read (a macro, a directive).
static bool gputune__source_read_arg(const gputune__base *b, const gputune__source *s, int begin,
                                     int end, gputune__signature_arg *arg, bool *memory)
{
    int i, words = 0, name = -1, star = -1, type_end = end;
    bool other_words = false;
    memset(arg, 0, sizeof *arg);
    for (i = begin; i < end; i++) {
        if (s->tokens[i].directive || !s->tokens[i].live) return false;
        if (gputune__token_is(s, i, "__attribute__")) {
            i = gputune__bracket_end(s, i + 1) - 1;
        } else if (gputune__token_is(s, i, "*") || gputune__token_is(s, i, "[")) {
            if (star < 0) star = i;
            arg->pointer = true;
            if (gputune__token_is(s, i, "[")) i = gputune__bracket_end(s, i) - 1;
        } else if (gputune__token_is(s, i, "(")) {
            return false;
        } else if (s->tokens[i].kind == GPUTUNE__TOKEN_WORD) {
            gputune__address address = gputune__address_space(s, i, 0);
            bool is_const = gputune__token_is(s, i, "const") || gputune__token_is(s, i, "__const");
            arg->local = arg->local || address == GPUTUNE__ADDRESS_LOCAL;
            if (address == GPUTUNE__ADDRESS_CONSTANT ||
                (is_const && (star < 0 || gputune__token_is(s, star, "["))))
                arg->constant = true;
            if (gputune__is_qualifier(s, i)) continue;
            words++;
            if (!gputune__is_type_word(s, i)) {
                other_words = true;
                name = i;
            }
        }
    }
    if (!words) return false;
    if (words == 1 && other_words && !arg->pointer)
        return false; // a macro that supplies parameters
    if (words == 1) name = -1;
    if (star >= 0) type_end = star;
    if (name >= 0 && name < type_end) type_end = name;
    if (!gputune__source_type(s, begin, type_end, 0, &arg->type, &arg->elements)) {
        arg->type = GPUTUNE_BYTES;
        arg->elements = 0;
    }
    if (arg->local && !arg->pointer) arg->local = false;
    arg->name = name < 0 ? gputune__strdup(b, "") : gputune__tokens_text(b, s, name, name + 1);
    *memory = arg->name != NULL;
    return *memory;
}

static void gputune__signature_clear(const gputune__base *b, gputune__signature *k)
{
    int i;
    for (i = 0; i < gputune__len(k->args); i++) gputune__free(b, k->args[i].name);
    gputune__arr_free(b, k->args);
    k->known = false;
}

static void gputune__signature_free(const gputune__base *b, gputune__signature *k)
{
    gputune__signature_clear(b, k);
    gputune__free(b, k->name);
    gputune__free(b, k->global);
    gputune__free(b, k->local);
}

// Reads the parameter list between the brackets at open and close. False when out of memory.
static bool gputune__source_read_args(const gputune__base *b, const gputune__source *s, int open,
                                      int close, gputune__signature *k)
{
    int i, begin = open + 1, depth = 0;
    k->known = true;
    if (close == open + 1 || (close == open + 2 && gputune__token_is(s, open + 1, "void")))
        return true;
    for (i = open + 1; i <= close; i++) {
        gputune__signature_arg arg;
        bool memory = true;
        if (i < close) {
            if (gputune__token_is(s, i, "(") || gputune__token_is(s, i, "<")) depth++;
            if (gputune__token_is(s, i, ")") || gputune__token_is(s, i, ">")) depth--;
            if (depth || !gputune__token_is(s, i, ",")) continue;
        }
        if (!gputune__source_read_arg(b, s, begin, i, &arg, &memory)) {
            gputune__signature_clear(b, k);
            return memory;
        }
        if (!gputune__push(b, k->args, arg)) {
            gputune__free(b, arg.name);
            return false;
        }
        begin = i + 1;
    }
    return true;
}

static bool gputune__signature_same(const gputune__signature *a, const gputune__signature *b)
{
    int i;
    if (a->known != b->known || gputune__len(a->args) != gputune__len(b->args)) return false;
    for (i = 0; i < gputune__len(a->args); i++) {
        const gputune__signature_arg *x = &a->args[i], *y = &b->args[i];
        if (strcmp(x->name, y->name) != 0 || x->type != y->type || x->elements != y->elements ||
            x->pointer != y->pointer || x->constant != y->constant || x->local != y->local)
            return false;
    }
    return true;
}

// Adds a kernel; the same name again (under another #if) must agree, or the list is unknown.
static bool gputune__source_add_kernel(const gputune__base *b, gputune__source *s,
                                       gputune__signature *k)
{
    int i;
    for (i = 0; i < gputune__len(s->kernels); i++) {
        gputune__signature *old = &s->kernels[i];
        if (strcmp(old->name, k->name) != 0) continue;
        if (!gputune__signature_same(old, k)) gputune__signature_clear(b, old);
        if (!old->global && k->global) {
            old->global = k->global;
            k->global = NULL;
        }
        if (!old->local && k->local) {
            old->local = k->local;
            k->local = NULL;
        }
        gputune__signature_free(b, k);
        return true;
    }
    if (gputune__push(b, s->kernels, *k)) return true;
    gputune__signature_free(b, k);
    return false;
}

static const char *const gputune__attribute_words[] = { "__attribute__", "__attribute",
                                                        "__launch_bounds__", NULL };
static const char *const gputune__kernel_words[] = { "__kernel", "kernel", "__global__", NULL };

// __kernel, or a macro of the file that stands for it.
static bool gputune__source_is_kernel_word(const gputune__source *s, int i)
{
    int d, v;
    if (s->tokens[i].kind != GPUTUNE__TOKEN_WORD) return false;
    if (gputune__token_is(s, i, "kernel"))
        return !s->cuda && !gputune__token_is(s, i + 1, "("); // a favourite name in CUDA C
    if (gputune__token_in(s, i, gputune__kernel_words)) return true;
    for (d = 0; d < gputune__len(s->defines); d++) {
        const gputune__define *define = &s->defines[d];
        if (define->function || !gputune__token_same(s, define->name, i)) continue;
        for (v = define->value; v < define->value_end; v++)
            if (gputune__token_in(s, v, gputune__kernel_words)) return true;
    }
    return false;
}

// From a kernel word on, finds the function's name: the word before the brackets that a body (or,
// across a directive, another head) follows; brackets of attributes and macros have other words
// behind them. Returns the token of the name, -1: a prototype or no kernel.
static int gputune__source_kernel_name(const gputune__source *s, int i, int *open, int *close)
{
    int count = gputune__len(s->tokens), name = -1, next;
    for (i++; i < count; i++) {
        if (s->tokens[i].directive || !s->tokens[i].live) continue;
        if (gputune__token_is(s, i, ";") || gputune__token_is(s, i, "{") ||
            gputune__source_is_kernel_word(s, i))
            return -1;
        if (gputune__token_is(s, i, "<")) continue;
        if (!gputune__token_is(s, i, "(") || i == 0) continue;
        name = i - 1;
        *open = i;
        next = gputune__bracket_end(s, i);
        *close = next - 1;
        i = *close;
        if (s->tokens[name].kind != GPUTUNE__TOKEN_WORD ||
            gputune__token_in(s, name, gputune__attribute_words))
            continue;
        next = gputune__skip_directives(s, next);
        while (gputune__token_in(s, next, gputune__attribute_words))
            next = gputune__skip_directives(s, gputune__bracket_end(s, next + 1));
        if (gputune__token_is(s, next, "{")) return name;
        if (gputune__token_is(s, next, ";")) return -1;
        if (next > *close + 1 && s->tokens[*close + 1].directive && next < count &&
            gputune__source_is_kernel_word(s, next))
            return name;
    }
    return -1;
}

static char *gputune__pragma_text(const gputune__base *b, const gputune__source *s, int pragma)
{
    return gputune__tokens_text(b, s, pragma + 4, gputune__line_end(s, pragma));
}

// A kernel word at depth 0: reads the head. *next is where to go on.
static gputune_result gputune__source_kernel(const gputune__base *b, gputune__source *s, int i,
                                             gputune__pending *pending, int *next,
                                             gputune_error *error)
{
    gputune__signature k;
    int open = 0, close = 0, name = gputune__source_kernel_name(s, i, &open, &close);
    bool ok;
    *next = i;
    if (name < 0) return GPUTUNE_OK;
    *next = close;
    memset(&k, 0, sizeof k);
    k.line = s->tokens[name].line;
    k.cuda = s->cuda;
    k.name = gputune__tokens_text(b, s, name, name + 1);
    ok = k.name && gputune__source_read_args(b, s, open, close, &k);
    if (ok && pending->global >= 0)
        ok = (k.global = gputune__pragma_text(b, s, pending->global)) != NULL;
    if (ok && pending->local >= 0)
        ok = (k.local = gputune__pragma_text(b, s, pending->local)) != NULL;
    if (!ok) {
        gputune__signature_free(b, &k);
        return gputune__oom(error);
    }
    pending->global = pending->local = -1;
    return gputune__source_add_kernel(b, s, &k) ? GPUTUNE_OK : gputune__oom(error);
}

// --- the whole ---

// Each branch of an #if begins at the depth where the #if began, because only one of them is
// compiled: `if (a) {` may stand in both.
static bool gputune__source_track_depth(const gputune__base *b, const gputune__source *s, int i,
                                        gputune__pending *pending)
{
    static const char *const opens[] = { "if", "ifdef", "ifndef", NULL };
    static const char *const turns[] = { "else", "elif", NULL };
    int count = gputune__len(pending->depths);
    if (gputune__token_in(s, i + 1, opens))
        return gputune__push(b, pending->depths, pending->depth);
    if (!count) return true;
    if (gputune__token_in(s, i + 1, turns)) pending->depth = pending->depths[count - 1];
    if (gputune__token_is(s, i + 1, "endif")) stbds_arrsetlen(pending->depths, (size_t)count - 1);
    return true;
}

static gputune_result gputune__source_directive(const gputune__base *b, gputune__source *s, int i,
                                                gputune__pending *pending, gputune_error *error)
{
    if (!gputune__source_track_depth(b, s, i, pending)) return gputune__oom(error);
    if (gputune__token_is(s, i + 1, "pragma") && gputune__token_is(s, i + 2, "gputune") &&
        gputune__line_end(s, i) > i + 2)
        return gputune__source_pragma(b, s, i, pending, error);
    if (gputune__token_is(s, i + 1, "define"))
        return gputune__source_define(b, s, i, pending, error);
    if (pending->param < 0 || gputune__token_is(s, i + 1, "undef")) return GPUTUNE_OK;
    if (pending->guard < 0) {
        pending->guard = gputune__source_guard(s, i);
        if (pending->guard >= 0) return GPUTUNE_OK;
    }
    return gputune__source_error(s, i, "a #define must follow the gputune pragma above", error);
}

// Braces of `extern "C" {` and `namespace x {` do not count.
static bool gputune__source_transparent(const gputune__source *s, int brace)
{
    int i = brace - 1;
    if (i >= 0 && s->tokens[i].kind == GPUTUNE__TOKEN_TEXT) return true;
    while (i >= 0 && (s->tokens[i].kind == GPUTUNE__TOKEN_WORD || gputune__token_is(s, i, ":"))) {
        if (gputune__token_is(s, i, "namespace")) return true;
        i--;
    }
    return false;
}

static gputune_result gputune__source_read(const gputune__base *b, gputune__source *s,
                                           gputune__pending *pending, gputune_error *error)
{
    int i;
    gputune_result result = GPUTUNE_OK;
    for (i = 0; i < gputune__len(s->tokens) && result == GPUTUNE_OK; i++) {
        const gputune__token *t = &s->tokens[i];
        if (!t->live || (t->directive && !t->first)) continue;
        if (t->directive) {
            result = gputune__source_directive(b, s, i, pending, error);
            continue;
        }
        if (pending->param >= 0)
            return gputune__source_error(s, i, "a #define must follow the gputune pragma above",
                                         error);
        if (gputune__token_is(s, i, "(") ||
            (gputune__token_is(s, i, "{") && !gputune__source_transparent(s, i)))
            pending->depth++;
        if (gputune__token_is(s, i, "}") || gputune__token_is(s, i, ")"))
            pending->depth -= pending->depth > 0;
        if (pending->depth == 0 && gputune__source_is_kernel_word(s, i))
            result = gputune__source_kernel(b, s, i, pending, &i, error);
    }
    if (result == GPUTUNE_OK && pending->param >= 0)
        return gputune__source_error(s, pending->param, "no #define follows this pragma", error);
    if (result == GPUTUNE_OK && pending->global >= 0)
        return gputune__source_error(s, pending->global, "no kernel follows this pragma", error);
    if (result == GPUTUNE_OK && pending->local >= 0)
        return gputune__source_error(s, pending->local, "no kernel follows this pragma", error);
    return result;
}

// By the function's name, or that of an instance of a template: "saxpy<float, 4>".
static const gputune__signature *gputune__source_find(const gputune__source *s, const char *kernel)
{
    size_t length = strcspn(kernel, "<");
    int i;
    while (length && kernel[length] && kernel[length - 1] == ' ') length--;
    for (i = 0; i < gputune__len(s->kernels); i++) {
        const char *name = s->kernels[i].name;
        if (strlen(name) == length && memcmp(name, kernel, length) == 0) return &s->kernels[i];
    }
    return NULL;
}

// Position in the kernel's parameter list of the i-th argument given: CUDA C has no parameters for
// local memory, whose size alone is given. -1: no parameter.
static int gputune__signature_position(const gputune__signature *k, const gputune_arg *args, int i)
{
    int a, position = i;
    if (!k || !k->cuda) return i;
    if (args[i].kind == GPUTUNE_ARG_LOCAL) return -1;
    for (a = 0; a < i; a++) position -= args[a].kind == GPUTUNE_ARG_LOCAL;
    return position;
}

// The parameter of the i-th argument given; NULL: unknown, or it has none.
static const gputune__signature_arg *gputune__signature_takes(const gputune__signature *k,
                                                              const gputune_arg *args, int i)
{
    int position = gputune__signature_position(k, args, i);
    if (!k || !k->known || position < 0 || position >= gputune__len(k->args)) return NULL;
    return &k->args[position];
}

// Every name of a `#pragma gputune kernel` must be a kernel function.
static gputune_result gputune__source_check_choices(const gputune__source *s, gputune_error *error)
{
    int i, j;
    for (i = 0; i < gputune__len(s->pragmas); i++) {
        int end = gputune__line_end(s, s->pragmas[i]);
        if (!gputune__token_is(s, s->pragmas[i] + 3, "kernel")) continue;
        for (j = s->pragmas[i] + 4; j < end; j++) {
            const gputune__token *t = &s->tokens[j];
            char name[128], what[200];
            if (t->kind != GPUTUNE__TOKEN_WORD) continue;
            snprintf(name, sizeof name, "%.*s",
                     (int)(t->end - t->begin > 100 ? 100 : t->end - t->begin), s->text + t->begin);
            snprintf(what, sizeof what, "there is no kernel function %s", name);
            if (!gputune__source_find(s, name)) return gputune__source_error(s, j, what, error);
        }
    }
    return GPUTUNE_OK;
}

static void gputune__source_free(const gputune__base *b, gputune__source *s)
{
    int i;
    for (i = 0; i < gputune__len(s->params); i++) gputune__source_param_free(b, &s->params[i]);
    for (i = 0; i < gputune__len(s->require); i++) gputune__free(b, s->require[i]);
    for (i = 0; i < gputune__len(s->kernels); i++) gputune__signature_free(b, &s->kernels[i]);
    gputune__arr_free(b, s->params);
    gputune__arr_free(b, s->require);
    gputune__arr_free(b, s->kernels);
    gputune__arr_free(b, s->tokens);
    gputune__arr_free(b, s->defines);
    gputune__arr_free(b, s->pragmas);
    gputune__arr_free(b, s->typedefs);
    gputune__free(b, s->text);
    memset(s, 0, sizeof *s);
}

// Reads annotations and signatures. After an error *source is empty.
static gputune_result gputune__source_parse(const gputune__base *b, const char *text,
                                            gputune__source *source, gputune_error *error)
{
    gputune__pending pending;
    gputune_result result;
    memset(source, 0, sizeof *source);
    memset(&pending, 0, sizeof pending);
    pending.param = pending.guard = pending.global = pending.local = -1;
    source->text = gputune__strdup(b, text);
    if (!source->text || !gputune__source_lex(b, source) || !gputune__source_find_dead(b, source))
        result = gputune__oom(error);
    else
        result = gputune__source_read(b, source, &pending, error);
    gputune__arr_free(b, pending.depths);
    if (result == GPUTUNE_OK) result = gputune__source_check_choices(source, error);
    if (result != GPUTUNE_OK) gputune__source_free(b, source);
    return result;
}

// --- values into the text ---

// A change to the text: bytes [begin, end) become `value` and the line breaks that were there, or,
// for a pragma (value NULL), blanks.
typedef struct gputune__edit {
    size_t begin, end;
    int param;            // of the space; -1: blank out
    const char *standard; // the default as the annotation reads it; NULL: a plain #define
} gputune__edit;

static int gputune__compare_edits(const void *a, const void *b)
{
    size_t x = ((const gputune__edit *)a)->begin, y = ((const gputune__edit *)b)->begin;
    return (x > y) - (x < y);
}

// Parameter of the space that a #define sets, -1: none.
static int gputune__define_param(const gputune__source *s, const gputune__define *d,
                                 const gputune_space *space)
{
    int i, count = gputune_space_param_count(space);
    if (d->function) return -1;
    for (i = 0; i < count; i++)
        if (gputune__token_is(s, d->name, gputune_space_param_name(space, i))) break;
    if (i == count) return -1;
    return d->param >= 0 || gputune__source_param_find(s, d->name) < 0 ? i : -1;
}

static bool gputune__source_edits(const gputune__base *b, const gputune__source *s,
                                  const gputune_space *space, gputune__edit **edits, bool *defined)
{
    gputune__edit edit;
    int i;
    for (i = 0; i < gputune__len(s->pragmas); i++) {
        edit.begin = s->tokens[s->pragmas[i]].begin;
        edit.end = s->tokens[gputune__line_end(s, s->pragmas[i]) - 1].end;
        edit.param = -1;
        edit.standard = NULL;
        if (!gputune__push(b, *edits, edit)) return false;
    }
    for (i = 0; i < gputune__len(s->defines); i++) {
        const gputune__define *d = &s->defines[i];
        edit.param = gputune__define_param(s, d, space);
        edit.standard = d->param >= 0 ? s->params[d->param].value_default : NULL;
        if (edit.param < 0) continue;
        edit.begin = s->tokens[d->name].end;
        edit.end = edit.begin;
        if (d->value < d->value_end) {
            edit.begin = s->tokens[d->value].begin;
            edit.end = s->tokens[d->value_end - 1].end;
        }
        defined[edit.param] = true;
        if (!gputune__push(b, *edits, edit)) return false;
    }
    if (*edits)
        qsort(*edits, (size_t)gputune__len(*edits), sizeof **edits, gputune__compare_edits);
    return true;
}

// The suffix of the literal that a value replaces (2u, 0.5f), so that the type stays what it was.
static const char *gputune__source_suffix(const gputune__source *s, const gputune__edit *edit,
                                          const char *value, char *suffix, size_t size)
{
    const char *begin = s->text + edit->begin, *end = s->text + edit->end, *at;
    bool hex, real = strpbrk(value, ".eE") != NULL;
    while (begin < end && strchr("(+- \t", *begin)) begin++;
    while (end > begin && strchr(") \t", end[-1])) end--;
    suffix[0] = 0;
    if (begin == end || (!gputune__is_digit(*begin) && *begin != '.')) return suffix;
    if (!gputune__is_digit(value[0]) && value[0] != '-' && value[0] != '.') return suffix;
    hex = begin + 1 < end && (begin[1] == 'x' || begin[1] == 'X');
    for (at = end; at > begin && strchr(hex ? "uUlL" : "uUlLfFhH", at[-1]);) at--;
    if (at == end || (size_t)(end - at) >= size) return suffix;
    if (real != (strpbrk(at, "fFhH") != NULL && strpbrk(at, "fFhH") < end)) return suffix;
    memcpy(suffix, at, (size_t)(end - at));
    suffix[end - at] = 0;
    return suffix;
}

// Is the value the one the text has? Then the text stays, whatever way it is written.
static bool gputune__source_is_default(const gputune__source *s, const gputune__edit *edit,
                                       const char *value)
{
    return edit->standard && strcmp(edit->standard, value) == 0 && edit->end > edit->begin &&
           s->text[edit->begin] != '(';
}

static bool gputune__source_put_value(const gputune__base *b, const gputune__source *s,
                                      const gputune_config *config, const gputune__edit *edit,
                                      char **out)
{
    char text[128], suffix[8];
    bool ok = true;
    size_t at;
    gputune_value value =
        gputune_space_value(config->space, edit->param, config->choice[edit->param]);
    gputune__value_text(&value, text, sizeof text);
    if (gputune__source_is_default(s, edit, text))
        return gputune__text_put(b, out, s->text + edit->begin, edit->end - edit->begin);
    if (edit->begin == edit->end || gputune__source_word_char(s->text[edit->begin - 1]))
        ok = gputune__text_put(b, out, " ", 1); // `#define B` and `#define B-1`
    gputune__source_suffix(s, edit, text, suffix, sizeof suffix);
    ok = ok && gputune__text_put(b, out, text, strlen(text)) &&
         gputune__text_put(b, out, suffix, strlen(suffix));
    for (at = edit->begin; at < edit->end && ok;) {
        size_t more = gputune__continuation(s->text + at);
        if (more) ok = gputune__text_put(b, out, s->text + at, more);
        else if (s->text[at] == '\n') ok = gputune__text_put(b, out, "\\\n", 2); // in a comment
        at += more ? more : 1;
    }
    return ok;
}

static bool gputune__source_put_edit(const gputune__base *b, const gputune__source *s,
                                     const gputune_config *config, const gputune__edit *edit,
                                     char **out)
{
    bool ok = true;
    size_t at;
    if (edit->param >= 0) return gputune__source_put_value(b, s, config, edit, out);
    for (at = edit->begin; at < edit->end && ok; at++) {
        char c = s->text[at];
        ok = gputune__text_put(b, out, c == '\n' || c == '\r' ? &s->text[at] : " ", 1);
    }
    return ok;
}

// #define lines for the parameters that the text does not define, and the line number put right.
static bool gputune__source_put_prefix(const gputune__base *b, const gputune_config *config,
                                       const bool *defined, char **out)
{
    int i, count = gputune_space_param_count(config->space);
    bool ok = true, any = false;
    for (i = 0; i < count && ok; i++) {
        char text[128];
        gputune_value value;
        if (defined[i]) continue;
        value = gputune_space_value(config->space, i, config->choice[i]);
        gputune__value_text(&value, text, sizeof text);
        ok = gputune__text_add(b, out, "#define %s %s\n",
                               gputune_space_param_name(config->space, i), text);
        any = true;
    }
    return ok && (!any || gputune__text_add(b, out, "%s", "#line 1\n"));
}

// The text for the compiler: each parameter's value in its #define, our pragmas blanked out, every
// line where it was. *out is an array of the text_put kind, freed by the caller also on failure.
static gputune_result gputune__source_inject(const gputune__base *b, const gputune__source *s,
                                             const gputune_config *config, char **out,
                                             gputune_error *error)
{
    gputune__edit *edits = NULL;
    bool defined[GPUTUNE_MAX_PARAMETERS], ok;
    size_t at = gputune__byte_order_mark(s->text); // of no use to a compiler
    int i;
    memset(defined, 0, sizeof defined);
    ok = gputune__text_put(b, out, "", 0) &&
         gputune__source_edits(b, s, config->space, &edits, defined);
    ok = ok && gputune__source_put_prefix(b, config, defined, out);
    for (i = 0; i < gputune__len(edits) && ok; i++) {
        ok = gputune__text_put(b, out, s->text + at, edits[i].begin - at) &&
             gputune__source_put_edit(b, s, config, &edits[i], out);
        at = edits[i].end;
    }
    ok = ok && gputune__text_put(b, out, s->text + at, strlen(s->text + at));
    gputune__arr_free(b, edits);
    return ok ? GPUTUNE_OK : gputune__oom(error);
}

// Build options must not define a parameter: the #define of the text would not count any more.
static gputune_result gputune__source_check_options(const gputune_space *space, const char *options,
                                                    gputune_error *error)
{
    const char *at = options;
    while ((at = strstr(at, "-D")) != NULL) {
        bool starts = at == options || at[-1] == ' ' || at[-1] == '\t' || at[-1] == '"';
        char name[128];
        size_t length;
        at += 2;
        if (!starts) continue;
        at += strspn(at, " \t\"'");
        for (length = 0; gputune__source_letter(at[length]) || gputune__is_digit(at[length]);)
            length++;
        snprintf(name, sizeof name, "%.*s", (int)(length < 127 ? length : 127), at);
        if (gputune_space_param_index(space, name) >= 0)
            return gputune__error(error, GPUTUNE_ERROR_ARGUMENT,
                                  "the build options define the parameter %s: \"%.200s\"", name,
                                  options);
    }
    return GPUTUNE_OK;
}

// --- OpenCL C as CUDA C ---
//
// Token by token, so that every line keeps its number; the driver's prelude gives the words left
// over their meaning. What is not known here is left for the compiler to refuse.

typedef struct gputune__rewrite {
    const gputune__base *b;
    const gputune__source *s;
    char **to;         // by token, stb_ds texts: what it becomes; NULL: it stays
    int depth, parens; // of braces and parentheses
    gputune_result result;
    gputune_error *error;
} gputune__rewrite;

// Is the source OpenCL C?
static bool gputune__source_is_opencl(const gputune__source *s)
{
    int i;
    for (i = 0; i < gputune__len(s->tokens) && !s->cuda; i++) {
        if (!s->tokens[i].live) continue;
        if (gputune__token_is(s, i, "__kernel")) return true;
        if (!s->tokens[i].directive && gputune__token_is(s, i, "kernel") &&
            gputune__is_declarative(s, i))
            return true;
    }
    return false;
}

static void gputune__rewrite_fail(gputune__rewrite *r, int i, const char *what)
{
    if (r->result != GPUTUNE_OK) return;
    gputune__source_error(r->s, i, what, r->error);
    r->result = r->error->result = GPUTUNE_ERROR_COMPILE;
}

// Adds to what token i becomes.
static void gputune__rewrite_add(gputune__rewrite *r, int i, const char *text)
{
    if (r->result == GPUTUNE_OK && !gputune__text_put(r->b, &r->to[i], text, strlen(text)))
        r->result = gputune__oom(r->error);
}

static void gputune__rewrite_add_word(gputune__rewrite *r, int i, int word)
{
    if (r->result == GPUTUNE_OK && !gputune__token_put(r->b, r->s, word, &r->to[i]))
        r->result = gputune__oom(r->error);
}

static void gputune__rewrite_set(gputune__rewrite *r, int i, const char *text)
{
    gputune__arr_free(r->b, r->to[i]);
    gputune__rewrite_add(r, i, text);
}

static void gputune__rewrite_add_tokens(gputune__rewrite *r, int i, int begin, int end)
{
    for (; begin < end && r->result == GPUTUNE_OK; begin++) {
        if (r->to[i] && *r->to[i] && gputune__source_word_char(r->to[i][strlen(r->to[i]) - 1]))
            gputune__rewrite_add(r, i, " ");
        gputune__rewrite_add_word(r, i, begin);
    }
}

// The token after i in the same directive or, outside of directives, in the text; -1: none.
static int gputune__token_after(const gputune__source *s, int i)
{
    int count = gputune__len(s->tokens), next = i + 1;
    if (s->tokens[i].directive) return next < count && !s->tokens[next].first ? next : -1;
    next = gputune__skip_directives(s, next);
    return next < count ? next : -1;
}

static int gputune__token_before(const gputune__source *s, int i)
{
    if (s->tokens[i].directive) return s->tokens[i].first ? -1 : i - 1;
    for (i--; i >= 0 && (s->tokens[i].directive || !s->tokens[i].live);) i--;
    return i;
}

// The bracket that closes the one at i; -1: none.
static int gputune__token_closing(const gputune__source *s, int i)
{
    int depth = 0;
    for (; i >= 0; i = gputune__token_after(s, i)) {
        char c = s->text[s->tokens[i].begin];
        if (s->tokens[i].kind != GPUTUNE__TOKEN_SIGN) continue;
        if (c == '(' || c == '[' || c == '{') depth++;
        if (c == ')' || c == ']' || c == '}') depth--;
        if (depth == 0) return i;
    }
    return -1;
}

static bool gputune__is_word(const gputune__source *s, int i)
{
    return i >= 0 && s->tokens[i].kind == GPUTUNE__TOKEN_WORD;
}

// --- address spaces ---

enum { GPUTUNE__VARIABLE, GPUTUNE__POINTER, GPUTUNE__UNCLEAR };

// Does the address space at i qualify what is declared, or what a pointer points to? As a
// parameter, an array is a pointer.
static int gputune__rewrite_declares(const gputune__source *s, int i, bool parameter)
{
    int words = 0;
    for (i = gputune__token_after(s, i); i >= 0; i = gputune__token_after(s, i)) {
        if (gputune__token_is(s, i, "*")) return GPUTUNE__POINTER;
        if (gputune__is_word(s, i)) {
            words++;
            continue;
        }
        if (gputune__token_is(s, i, "(") || gputune__token_is(s, i, "{")) {
            int next = gputune__token_after(s, i);
            if (next >= 0 && gputune__token_is(s, next, "*")) return GPUTUNE__POINTER;
            i = gputune__token_closing(s, i);
            if (i < 0) break;
            continue;
        }
        if (gputune__token_is(s, i, ")")) break;
        if (parameter && gputune__token_is(s, i, "[")) return GPUTUNE__POINTER;
        return words ? GPUTUNE__VARIABLE : GPUTUNE__UNCLEAR;
    }
    return GPUTUNE__UNCLEAR;
}

// `__local float *p, x;` declares a pointer of one's own and a variable of the group's: no one
// specifier in CUDA C says that.
static bool gputune__rewrite_mixes(const gputune__source *s, int i, bool pointer)
{
    bool mixes = false;
    for (i = gputune__token_after(s, i); i >= 0; i = gputune__token_after(s, i)) {
        if (gputune__token_is(s, i, ";")) return mixes;
        if (gputune__token_is(s, i, ")") || gputune__token_is(s, i, "}")) return false;
        if (gputune__token_is(s, i, ",")) {
            int next = gputune__token_after(s, i);
            mixes = mixes || (next >= 0 && gputune__token_is(s, next, "*") != pointer);
        }
        if (gputune__token_is(s, i, "(") || gputune__token_is(s, i, "[") ||
            gputune__token_is(s, i, "{")) {
            i = gputune__token_closing(s, i);
            if (i < 0) return false;
        }
    }
    return false;
}

// Is one of the words round i, up to a star, this one?
static bool gputune__rewrite_run_has(const gputune__source *s, int i, const char *word)
{
    int at;
    for (at = i; gputune__is_word(s, at); at = gputune__token_before(s, at))
        if (gputune__token_is(s, at, word)) return true;
    for (at = gputune__token_after(s, i); gputune__is_word(s, at); at = gputune__token_after(s, at))
        if (gputune__token_is(s, at, word)) return true;
    return false;
}

// Is the declaration that i belongs to a typedef?
static bool gputune__rewrite_in_typedef(const gputune__source *s, int i)
{
    int depth = 0;
    for (; i >= 0; i = gputune__token_before(s, i)) {
        if (gputune__token_is(s, i, "}")) depth++;
        if (gputune__token_is(s, i, "{") && --depth < 0) return false;
        if (depth == 0 && gputune__token_is(s, i, ";")) return false;
        if (depth == 0 && gputune__token_is(s, i, "typedef")) return true;
    }
    return false;
}

// What CUDA C says instead of the address space at i.
static const char *gputune__rewrite_specifier(gputune__rewrite *r, int i, gputune__address address)
{
    const gputune__source *s = r->s;
    int declares = gputune__rewrite_declares(s, i, r->parens > 0);
    bool is_const = gputune__rewrite_run_has(s, i, "const");
    if (address == GPUTUNE__ADDRESS_GLOBAL || address == GPUTUNE__ADDRESS_PRIVATE) return "";
    if (declares == GPUTUNE__UNCLEAR) {
        gputune__rewrite_fail(r, i, "CUDA: is this a pointer, or a variable in that memory?");
        return "";
    }
    if (!s->tokens[i].directive && gputune__rewrite_mixes(s, i, declares == GPUTUNE__POINTER))
        gputune__rewrite_fail(r, i, "CUDA: declare pointers and variables one by one");
    if (declares == GPUTUNE__VARIABLE && gputune__rewrite_in_typedef(s, i))
        gputune__rewrite_fail(r, i, "CUDA: a typedef cannot say in which memory a variable is");
    if (address == GPUTUNE__ADDRESS_LOCAL) return declares == GPUTUNE__POINTER ? "" : "__shared__";
    if (declares == GPUTUNE__POINTER) return is_const ? "" : "const";
    if (r->depth == 0) return "__constant__";
    if (gputune__rewrite_run_has(s, i, "static")) return is_const ? "" : "const";
    return is_const ? "static" : "static const";
}

static void gputune__rewrite_address(gputune__rewrite *r, int i)
{
    bool direct = gputune__address_word(r->s, i) != GPUTUNE__ADDRESS_NONE;
    const char *specifier = gputune__rewrite_specifier(r, i, gputune__address_space(r->s, i, 0));
    if (direct) {
        gputune__rewrite_set(r, i, specifier);
    } else if (*specifier) { // a macro, left with its other words
        gputune__rewrite_set(r, i, specifier);
        gputune__rewrite_add_tokens(r, i, i, i + 1);
    }
}

// --- kernel heads ---

// A parameter in local memory, tokens [begin, end), becomes its offset; the pointer is made where
// the body begins (-1: a prototype).
static void gputune__rewrite_local_param(gputune__rewrite *r, int begin, int end, int body)
{
    const gputune__source *s = r->s;
    int i, name = -1, star = -1, bracket = -1;
    for (i = begin; i < end; i++) {
        if (s->tokens[i].directive || !s->tokens[i].live) {
            gputune__rewrite_fail(r, i, "CUDA: a directive in a parameter in local memory");
            return;
        }
        if (gputune__token_is(s, i, "(")) {
            gputune__rewrite_fail(r, i, "CUDA: brackets in a parameter in local memory");
            return;
        }
        if (gputune__token_is(s, i, "[") && bracket < 0) bracket = i;
        if (gputune__token_is(s, i, "*")) star = i;
        if (gputune__is_word(s, i) && bracket < 0 && !gputune__is_qualifier(s, i)) name = i;
        gputune__rewrite_set(r, i, "");
    }
    if (name < star) name = -1; // a prototype needs none
    gputune__rewrite_set(r, begin, "unsigned");
    if (name < 0) {
        if (body >= 0) gputune__rewrite_fail(r, begin, "CUDA: this parameter has no name");
        return;
    }
    gputune__rewrite_add(r, begin, " gputune_at_");
    gputune__rewrite_add_word(r, begin, name);
    if (body < 0) return;
    if (!r->to[body]) gputune__rewrite_add(r, body, "{");
    for (i = 0; i < 2; i++) { // T *name = (T *)(gputune_shared + gputune_at_name);
        int t;
        gputune__rewrite_add(r, body, i ? "(" : " ");
        for (t = begin; t < (star < 0 ? name : star); t++)
            if (gputune__address_space(s, t, 0) == GPUTUNE__ADDRESS_NONE)
                gputune__rewrite_add_tokens(r, body, t, t + 1);
        gputune__rewrite_add(r, body, i ? " *)" : " *");
        gputune__rewrite_add_tokens(r, body, name, i ? name : name + 1);
        if (i == 0) gputune__rewrite_add(r, body, " __attribute__((unused)) = ");
    }
    gputune__rewrite_add(r, body, "(gputune_shared + gputune_at_");
    gputune__rewrite_add_word(r, body, name);
    gputune__rewrite_add(r, body, ");");
}

// What a kernel reads through a pointer to constant memory is written by no one meanwhile.
static void gputune__rewrite_constant_param(gputune__rewrite *r, int begin, int end)
{
    int i, star = -1;
    for (i = begin; i < end; i++) {
        if (gputune__token_is(r->s, i, "restrict") || gputune__token_is(r->s, i, "__restrict") ||
            gputune__token_is(r->s, i, "__restrict__"))
            return;
        if (gputune__token_is(r->s, i, "*")) star = i;
    }
    if (star >= 0) gputune__rewrite_set(r, star, "*__restrict__ ");
}

// Does a macro of this name stand for more than an address space, local memory among it?
static bool gputune__rewrite_hides_local(const gputune__source *s, int i, int depth)
{
    int d, v;
    if (!gputune__is_word(s, i) || depth > 4) return false;
    if (gputune__address_space(s, i, 0) != GPUTUNE__ADDRESS_NONE) return false;
    for (d = 0; d < gputune__len(s->defines); d++) {
        if (!gputune__token_same(s, s->defines[d].name, i)) continue;
        for (v = s->defines[d].value; v < s->defines[d].value_end; v++)
            if (gputune__address_space(s, v, 0) == GPUTUNE__ADDRESS_LOCAL ||
                gputune__rewrite_hides_local(s, v, depth + 1))
                return true;
    }
    return false;
}

static void gputune__rewrite_param(gputune__rewrite *r, int begin, int end, int body)
{
    gputune__address address = GPUTUNE__ADDRESS_NONE;
    int i;
    bool pointer = false;
    for (i = begin; i < end; i++) {
        if (gputune__rewrite_hides_local(r->s, i, 0))
            gputune__rewrite_fail(r, i, "CUDA: a macro hides a parameter in local memory");
        if (address == GPUTUNE__ADDRESS_NONE) address = gputune__address_space(r->s, i, 0);
        pointer = pointer || gputune__token_is(r->s, i, "*") || gputune__token_is(r->s, i, "[");
    }
    if (!pointer) return;
    if (address == GPUTUNE__ADDRESS_LOCAL) gputune__rewrite_local_param(r, begin, end, body);
    if (address == GPUTUNE__ADDRESS_CONSTANT) gputune__rewrite_constant_param(r, begin, end);
}

// The `{` of the function whose parameters close there; -1: a prototype. Heads under #if and #else
// that share a body: -2.
static int gputune__rewrite_body(const gputune__source *s, int close)
{
    int i;
    for (i = gputune__token_after(s, close); i >= 0; i = gputune__token_after(s, i)) {
        if (gputune__token_is(s, i, "{")) return i;
        if (gputune__token_is(s, i, ";")) return -1;
        if (gputune__source_is_kernel_word(s, i)) return -2;
    }
    return -1;
}

static void gputune__rewrite_params(gputune__rewrite *r, int kernel)
{
    const gputune__source *s = r->s;
    int open = -1, close = -1, begin, i, depth = 0, body;
    gputune__source_kernel_name(s, kernel, &open, &close);
    if (open < 0 || gputune__token_in(s, open - 1, gputune__attribute_words)) return;
    body = gputune__rewrite_body(s, close);
    for (begin = i = open + 1; i <= close; i++) {
        if (gputune__token_is(s, i, "(")) depth++;
        if (gputune__token_is(s, i, ")")) depth--;
        if (i < close && (depth || !gputune__token_is(s, i, ","))) continue;
        gputune__rewrite_param(r, begin, i, body);
        if (body == -2 && begin < i && r->to[begin] && strncmp(r->to[begin], "unsigned", 8) == 0)
            gputune__rewrite_fail(r, begin, "CUDA: two heads share a body: no local memory here");
        begin = i + 1;
    }
}

// `extern "C"` stands before attributes.
static void gputune__rewrite_kernel(gputune__rewrite *r, int i)
{
    const gputune__source *s = r->s;
    int start = i, at = gputune__token_before(s, i);
    while (at >= 0 && gputune__token_is(s, at, ")")) {
        int depth = 0;
        for (; at >= 0; at = gputune__token_before(s, at)) {
            if (gputune__token_is(s, at, ")")) depth++;
            if (gputune__token_is(s, at, "(") && --depth == 0) break;
        }
        if (at < 0) break;
        at = gputune__token_before(s, at);
        if (at < 0 || !gputune__token_in(s, at, gputune__attribute_words)) break;
        start = at;
        at = gputune__token_before(s, at);
    }
    gputune__rewrite_set(r, i, start == i ? "extern \"C\" __global__" : "__global__");
    if (start == i) return;
    gputune__rewrite_set(r, start, "extern \"C\" ");
    gputune__rewrite_add_tokens(r, start, start, start + 1);
}

// First token of what a macro stands for: `value` of one with arguments begins at these.
static int gputune__define_body(const gputune__source *s, const gputune__define *d)
{
    int close = d->function ? gputune__token_closing(s, d->value) : -1;
    return !d->function ? d->value : close < 0 ? d->value_end : close + 1;
}

// --- structs and includes ---

// The last token of an attribute that begins at i, written out or as a macro of the file; -1: no
// attribute.
static int gputune__attribute_end(const gputune__source *s, int i)
{
    int d, open = gputune__is_word(s, i) ? gputune__token_after(s, i) : -1;
    bool brackets = open >= 0 && gputune__token_is(s, open, "(");
    if (!gputune__is_word(s, i)) return -1;
    if (gputune__token_in(s, i, gputune__attribute_words))
        return brackets ? gputune__token_closing(s, open) : -1;
    for (d = 0; d < gputune__len(s->defines); d++) {
        const gputune__define *define = &s->defines[d];
        int body = gputune__define_body(s, define);
        if (!gputune__token_same(s, define->name, i) || body >= define->value_end ||
            !gputune__token_in(s, body, gputune__attribute_words))
            continue;
        if (!define->function) return i;
        return brackets ? gputune__token_closing(s, open) : -1;
    }
    return -1;
}

// The tokens from begin to end move behind what token i becomes.
static void gputune__rewrite_move(gputune__rewrite *r, int i, int begin, int end)
{
    const gputune__source *s = r->s;
    int t;
    if (!r->to[i]) gputune__rewrite_add_tokens(r, i, i, i + 1);
    for (t = begin; t <= end; t++) {
        if (!s->tokens[i].directive && (s->tokens[t].directive || !s->tokens[t].live)) {
            gputune__rewrite_fail(r, t, "CUDA: a directive among a struct's attributes");
            return;
        }
        if (t == begin) gputune__rewrite_add(r, i, " ");
        gputune__rewrite_add_tokens(r, i, t, t + 1);
        gputune__rewrite_set(r, t, "");
    }
}

// `struct { ... } __attribute__((packed))`: NVRTC ignores what stands there, and obeys it before
// the brace.
static void gputune__rewrite_struct(gputune__rewrite *r, int i)
{
    const gputune__source *s = r->s;
    int at = gputune__token_after(s, i), end, last;
    while (at >= 0 && !gputune__token_is(s, at, "{")) {
        end = gputune__attribute_end(s, at);
        if (end < 0 && !gputune__is_word(s, at)) return;
        at = gputune__token_after(s, end < 0 ? at : end);
    }
    last = at < 0 ? -1 : gputune__token_closing(s, at);
    at = last < 0 ? -1 : gputune__token_after(s, last);
    while (at >= 0 && (end = gputune__attribute_end(s, at)) >= 0) {
        gputune__rewrite_move(r, i, last + 1, end);
        last = end;
        at = gputune__token_after(s, end);
    }
}

// Does an #if round the directive at i ask for __CUDACC__?
static bool gputune__rewrite_asks_cuda(const gputune__source *s, int i)
{
    int depth = 0, t, end;
    for (i--; i >= 0; i--) {
        if (!s->tokens[i].directive || !s->tokens[i].first) continue;
        if (gputune__token_is(s, i + 1, "endif")) depth++;
        if (!gputune__token_is(s, i + 1, "if") && !gputune__token_is(s, i + 1, "ifdef") &&
            !gputune__token_is(s, i + 1, "ifndef"))
            continue;
        if (depth-- > 0) continue;
        depth = 0;
        end = gputune__line_end(s, i);
        for (t = i + 2; t < end; t++)
            if (gputune__token_is(s, t, "__CUDACC__")) return true;
    }
    return false;
}

// --- expressions ---

// Components that `.xyz` and `.s02` name: "0,1,2", "0,2". False: it is no such word.
static bool gputune__swizzle(const char *word, size_t length, char *list, size_t size)
{
    static const char letters[] = "xyzw";
    bool digits = word[0] == 's' || word[0] == 'S';
    size_t i, used = 0;
    if (length < 2 || length > 17) return false;
    for (i = digits; i < length; i++) {
        const char *at = strchr(letters, word[i]);
        int index = at ? (int)(at - letters) : -1;
        if (digits)
            index = gputune__is_digit(word[i])         ? word[i] - '0'
                    : word[i] >= 'a' && word[i] <= 'f' ? word[i] - 'a' + 10
                    : word[i] >= 'A' && word[i] <= 'F' ? word[i] - 'A' + 10
                                                       : -1;
        if (index < 0) return false;
        used += (size_t)snprintf(list + used, size - used, "%s%d", used ? "," : "", index);
    }
    return true;
}

// The { of the members of the struct or union whose keyword is token t, or -1: brackets before it
// are attributes, and not the parameters of a function that has it as a type.
static int gputune__rewrite_members(const gputune__source *s, int t)
{
    int at, after, count = gputune__len(s->tokens);
    for (at = t + 1; at < count && !gputune__token_is(s, at, "{"); at++) {
        if (gputune__is_word(s, at)) continue;
        if (!gputune__token_is(s, at, "(")) return -1;
        after = gputune__bracket_end(s, at);
        if (after < count && gputune__token_is(s, after, "{") &&
            !gputune__token_is(s, at - 1, "__attribute__") &&
            !gputune__token_is(s, at - 1, "__attribute"))
            return -1;
        at = after - 1;
    }
    return at < count ? at : -1;
}

// Is the word of token i a member of a struct or union of the file?
static bool gputune__rewrite_is_member(const gputune__source *s, int i)
{
    int t, at;
    for (t = 0; t < gputune__len(s->tokens); t++) {
        if (!s->tokens[t].live) continue;
        if (!gputune__token_is(s, t, "struct") && !gputune__token_is(s, t, "union")) continue;
        at = gputune__rewrite_members(s, t);
        if (at < 0) continue;
        for (t = gputune__bracket_end(s, at); at < t; at++)
            if (gputune__token_same(s, at, i)) return true;
    }
    return false;
}

// Is the token after i an assignment: = += <<= and so on?
static bool gputune__rewrite_assigned(const gputune__source *s, int i)
{
    int a = gputune__token_after(s, i), b = a < 0 ? -1 : gputune__token_after(s, a);
    bool joined = b >= 0 && s->tokens[b].begin == s->tokens[a].end && gputune__token_is(s, b, "=");
    if (a < 0 || s->tokens[a].kind != GPUTUNE__TOKEN_SIGN) return false;
    if (gputune__token_is(s, a, "=")) return !joined;
    if (joined) return strchr("+-*/%&|^", s->text[s->tokens[a].begin]) != NULL;
    return b >= 0 && gputune__token_same(s, a, b) && strchr("<>", s->text[s->tokens[a].begin]) &&
           s->tokens[b].begin == s->tokens[a].end && b + 1 < gputune__len(s->tokens) &&
           s->tokens[b + 1].begin == s->tokens[b].end && gputune__token_is(s, b + 1, "=");
}

// A word behind . or ->
static void gputune__rewrite_member(gputune__rewrite *r, int i)
{
    const gputune__token *t = &r->s->tokens[i];
    char list[64], text[128];
    if (!gputune__swizzle(r->s->text + t->begin, t->end - t->begin, list, sizeof list) ||
        gputune__rewrite_is_member(r->s, i))
        return;
    if (!strchr(list, ',')) // .sA and .S0 too
        snprintf(text, sizeof text, "s%c", "0123456789abcdef"[atoi(list)]);
    else
        snprintf(text, sizeof text, "gputune_%s<%s>()",
                 gputune__rewrite_assigned(r->s, i) ? "ref" : "get", list);
    gputune__rewrite_set(r, i, text);
}

// convert_uchar4_sat_rte, as_float: a template of the prelude and its type.
static void gputune__rewrite_conversion(gputune__rewrite *r, int i)
{
    static const char *const modes[] = { "_rte", "_rtz", "_rtp", "_rtn" };
    const gputune__token *t = &r->s->tokens[i];
    const char *word = r->s->text + t->begin, *mode = "";
    size_t length = t->end - t->begin, skip, m;
    bool convert = length > 8 && memcmp(word, "convert_", 8) == 0, sat = false;
    char text[128];
    gputune_type type;
    int elements;
    skip = convert ? 8 : 3;
    if (!convert && (length <= 3 || memcmp(word, "as_", 3) != 0)) return;
    for (m = 0; convert && m < 4; m++)
        if (length > 12 && memcmp(word + length - 4, modes[m], 4) == 0) mode = modes[m];
    length -= strlen(mode);
    if (convert && length > 12 && memcmp(word + length - 4, "_sat", 4) == 0) sat = true;
    if (sat) length -= 4;
    if (length <= skip || length - skip > 32 ||
        !gputune__builtin_type(word + skip, length - skip, &type, &elements))
        return;
    if (convert)
        snprintf(text, sizeof text, "gputune_convert<%.*s, gputune%s, %s>", (int)(length - skip),
                 word + skip, *mode ? mode : "_any", sat ? "true" : "false");
    else
        snprintf(text, sizeof text, "gputune_as<%.*s>", (int)(length - skip), word + skip);
    gputune__rewrite_set(r, i, text);
}

// The name in `#define NAME text`, i being a token of it?
static bool gputune__rewrite_is_macro_name(const gputune__source *s, int i)
{
    int d;
    for (d = 0; d < gputune__len(s->defines); d++)
        if (s->defines[d].name == i) return !s->defines[d].function;
    return false;
}

// The macro of the file that token i names, -1: none. Of several, one.
static int gputune__rewrite_macro(const gputune__source *s, int i)
{
    int d;
    for (d = 0; d < gputune__len(s->defines) && gputune__is_word(s, i); d++)
        if (s->defines[d].name != i && gputune__token_same(s, s->defines[d].name, i) &&
            s->defines[d].value < s->defines[d].value_end)
            return d;
    return -1;
}

// Is there a comma in tokens [i, end), outside of brackets or in a macro that stands there?
static bool gputune__rewrite_commas(const gputune__source *s, int i, int end, int level)
{
    int d, depth = 0;
    for (; i >= 0 && i < end; i = gputune__token_after(s, i)) {
        char c = s->text[s->tokens[i].begin];
        if (s->tokens[i].kind != GPUTUNE__TOKEN_SIGN) {
            if (gputune__token_is(s, i, "__VA_ARGS__")) return true;
            d = depth == 0 && level < 4 ? gputune__rewrite_macro(s, i) : -1;
            if (d >= 0 && !s->defines[d].function &&
                gputune__rewrite_commas(s, s->defines[d].value, s->defines[d].value_end, level + 1))
                return true;
            continue;
        }
        if (c == '(' || c == '[' || c == '{') depth++;
        if (c == ')' || c == ']' || c == '}') depth--;
        if (c == ',' && depth == 0) return true;
    }
    return false;
}

// The same between the brackets open and close.
static bool gputune__rewrite_has_comma(const gputune__source *s, int open, int close)
{
    int first = gputune__token_after(s, open);
    return first >= 0 && gputune__rewrite_commas(s, first, close, 0);
}

// Is the word of token i a parameter of the macro in whose text it stands?
static bool gputune__rewrite_is_parameter(const gputune__source *s, int i)
{
    int d, t;
    for (d = 0; d < gputune__len(s->defines); d++) {
        const gputune__define *define = &s->defines[d];
        int body = gputune__define_body(s, define);
        if (!define->function || i < body || i >= define->value_end) continue;
        for (t = define->value; t < body; t++)
            if (gputune__is_word(s, t) && gputune__token_same(s, t, i)) return true;
    }
    return false;
}

// `(float4)ARGS`: do the brackets of a literal come from the macro or its parameter at i?
static bool gputune__rewrite_hides_list(const gputune__source *s, int i, bool vector)
{
    int d = gputune__rewrite_macro(s, i), open;
    if (!gputune__is_word(s, i)) return false;
    if (vector && s->tokens[i].directive && gputune__rewrite_is_parameter(s, i)) return true;
    if (d < 0 || s->defines[d].function) return false;
    open = s->defines[d].value;
    return gputune__token_is(s, open, "(") &&
           (vector || gputune__rewrite_has_comma(s, open, gputune__token_closing(s, open)));
}

// The last token of `a##4`, if that begins at i; else i.
static int gputune__rewrite_pasted(const gputune__source *s, int i)
{
    for (;;) {
        int a = gputune__token_after(s, i), b = a < 0 ? -1 : gputune__token_after(s, a);
        int c = b < 0 ? -1 : gputune__token_after(s, b);
        if (c < 0 || !gputune__token_is(s, a, "#") || !gputune__token_is(s, b, "#")) return i;
        if (!gputune__is_word(s, c) && s->tokens[c].kind != GPUTUNE__TOKEN_NUMBER) return i;
        i = c;
    }
}

// The bracket that closes the type after `open`, or -1; `from` is the first word that stays, and
// whether it is known to be a vector. Scalars' casts are what they are.
static int gputune__rewrite_literal_type(const gputune__source *s, int open, int *from,
                                         bool *vector)
{
    int first = gputune__token_after(s, open), last = first, close, elements = 0;
    gputune_type type = GPUTUNE_BYTES;
    while (gputune__is_word(s, last) && gputune__is_word(s, gputune__token_after(s, last)))
        last = gputune__token_after(s, last);
    if (!gputune__is_word(s, last)) return -1;
    *from = last;
    close = gputune__token_after(s, gputune__rewrite_pasted(s, last));
    if (close >= 0 && gputune__token_is(s, close, "(")) { // VECTOR(float, 4)
        close = gputune__token_closing(s, close);
        close = close < 0 ? -1 : gputune__token_after(s, close);
    } else if (gputune__token_after(s, last) == close &&
               gputune__source_type(s, first, last + 1, 0, &type, &elements)) {
        if (elements == 1 && type != GPUTUNE_BYTES) return -1;
    }
    if (close < 0 || !gputune__token_is(s, close, ")") || gputune__token_is(s, last, "void"))
        return -1;
    *vector = elements > 1;
    return close;
}

// (float4)(a, b, c, d) is a comma expression in C++: silently another value. The type loses its
// brackets, and so it does in (type){ a, b }; (name)(a, b) stays a call.
static void gputune__rewrite_literal(gputune__rewrite *r, int open)
{
    static const char *const statements[] = { "return", "case", "else", "do", NULL };
    const gputune__source *s = r->s;
    int before = gputune__token_before(s, open), from = -1, close, next, at;
    bool vector = false;
    if (gputune__is_word(s, before) && !gputune__token_in(s, before, statements) &&
        !gputune__rewrite_is_macro_name(s, before))
        return;
    if (before >= 0 && gputune__token_is(s, before, "]")) return;
    close = gputune__rewrite_literal_type(s, open, &from, &vector);
    if (close < 0) return;
    next = gputune__token_after(s, close);
    if (next < 0) {
        if (!vector || !s->tokens[open].directive || before < 0 ||
            !gputune__rewrite_is_macro_name(s, before))
            return; // else #define V (float4)
    } else if (gputune__token_is(s, next, "(")) {
        if (!vector && !gputune__rewrite_has_comma(s, next, gputune__token_closing(s, next)))
            return;
    } else if (!gputune__token_is(s, next, "{") && !gputune__rewrite_hides_list(s, next, vector)) {
        return;
    }
    for (at = open; at != from; at = gputune__token_after(s, at)) gputune__rewrite_set(r, at, " ");
    gputune__rewrite_set(r, close, " ");
}

// __attribute__((opencl_unroll_hint(4)))
static void gputune__rewrite_unroll(gputune__rewrite *r, int i)
{
    const gputune__source *s = r->s;
    int open = gputune__token_after(s, i), close, t;
    if (open < 0 || !gputune__token_is(s, open + 2, "opencl_unroll_hint")) return;
    close = gputune__token_closing(s, open);
    if (close < 0) return;
    gputune__rewrite_set(r, i, "_Pragma(\"unroll");
    if (close > open + 4) gputune__rewrite_add_tokens(r, i, open + 4, close - 2);
    gputune__rewrite_add(r, i, "\")");
    for (t = open; t <= close; t++) gputune__rewrite_set(r, t, "");
}

// --- the whole ---

// Words of C++ that are names in C.
static const char *const gputune__cpp_words[] = {
    "and",       "and_eq",    "bitand",   "bitor",    "catch",    "class",
    "compl",     "delete",    "explicit", "export",   "friend",   "mutable",
    "namespace", "new",       "not",      "not_eq",   "operator", "or",
    "or_eq",     "protected", "public",   "this",     "throw",    "try",
    "typeid",    "using",     "virtual",  "xor",      "xor_eq",   "constexpr",
    "decltype",  "noexcept",  "nullptr",  "template", "typename", NULL
};

// Words that mean nothing in CUDA C, and calls of what is no function there.
static void gputune__rewrite_check_word(gputune__rewrite *r, int i)
{
    const gputune__source *s = r->s;
    int next = gputune__token_after(s, i), k, a;
    if (gputune__token_in(s, i, gputune__opaque_types))
        gputune__rewrite_fail(r, i, "CUDA: images, samplers, events and pipes are not converted");
    if (next < 0 || !gputune__token_is(s, next, "(") || r->depth == 0 || s->tokens[i].directive)
        return;
    for (k = 0; k < gputune__len(s->kernels); k++) {
        if (!gputune__token_is(s, i, s->kernels[k].name)) continue;
        for (a = 0; a < gputune__len(s->kernels[k].args); a++)
            if (s->kernels[k].args[a].local)
                gputune__rewrite_fail(r, i, "CUDA: this kernel has local memory: no one calls it");
    }
}

static void gputune__rewrite_word(gputune__rewrite *r, int i)
{
    const gputune__source *s = r->s;
    int before = gputune__token_before(s, i);
    if (before >= 0 &&
        (gputune__token_is(s, before, ".") || (gputune__token_is(s, before, ">") && before > 0 &&
                                               gputune__token_is(s, before - 1, "-")))) {
        gputune__rewrite_member(r, i);
        if (!r->to[i] && gputune__token_in(s, i, gputune__cpp_words)) {
            gputune__rewrite_add(r, i, "gputune_");
            gputune__rewrite_add_word(r, i, i);
        }
    } else if (gputune__token_is(s, i, "__kernel") ||
               (gputune__token_is(s, i, "kernel") && gputune__is_declarative(s, i))) {
        gputune__rewrite_kernel(r, i);
    } else if (gputune__address_space(s, i, 0) != GPUTUNE__ADDRESS_NONE) {
        gputune__rewrite_address(r, i);
    } else if (gputune__token_in(s, i, gputune__cpp_words)) {
        gputune__rewrite_set(r, i, "gputune_");
        gputune__rewrite_add_word(r, i, i);
    } else if (gputune__token_is(s, i, "__attribute__")) {
        gputune__rewrite_unroll(r, i);
    } else if (gputune__token_is(s, i, "struct") || gputune__token_is(s, i, "union")) {
        gputune__rewrite_struct(r, i);
    } else {
        gputune__rewrite_check_word(r, i);
        gputune__rewrite_conversion(r, i);
    }
    if (!s->tokens[i].directive && gputune__source_is_kernel_word(s, i))
        gputune__rewrite_params(r, i);
}

// Macros that make kernels with local memory would need their parameters changed.
static void gputune__rewrite_check_macro(gputune__rewrite *r, const gputune__define *d)
{
    int v;
    bool kernel = false, local = false;
    for (v = d->value; v < d->value_end; v++) {
        kernel = kernel || gputune__source_is_kernel_word(r->s, v);
        local = local || (gputune__address_space(r->s, v, 0) == GPUTUNE__ADDRESS_LOCAL &&
                          gputune__rewrite_declares(r->s, v, true) == GPUTUNE__POINTER);
    }
    if (kernel && local)
        gputune__rewrite_fail(r, d->name, "CUDA: a macro that makes kernels with local memory");
}

// One preprocessor line: only what a #define stands for is code.
static void gputune__rewrite_directive(gputune__rewrite *r, int i, int end)
{
    static const char *const includes[] = { "include", "include_next", "import", NULL };
    const gputune__source *s = r->s;
    const gputune__define *define = NULL;
    int d, t;
    if (gputune__token_is(s, i + 1, "pragma") && gputune__token_is(s, i + 2, "OPENCL")) {
        for (t = i; t < end; t++) gputune__rewrite_set(r, t, "");
        if (s->tokens[i].live && gputune__token_is(s, i + 3, "FP_CONTRACT") &&
            gputune__token_is(s, i + 4, "OFF"))
            gputune__rewrite_add(r, i, "/* gputune: -fmad=false */"); // the driver looks for it
    }
    for (d = 0; d < gputune__len(s->defines); d++)
        if (s->defines[d].name == i + 2) define = &s->defines[d];
    if (s->tokens[i].live && gputune__token_in(s, i + 1, includes) &&
        !gputune__rewrite_asks_cuda(s, i))
        gputune__rewrite_fail(r, i, "CUDA: what is included is not converted");
    if (!define || !s->tokens[i].live) return;
    gputune__rewrite_check_macro(r, define);
    if (gputune__address_macro(s, define, 0) != GPUTUNE__ADDRESS_NONE) {
        for (t = define->value; t < end; t++) // its uses say what it becomes
            if (gputune__address_word(s, t) != GPUTUNE__ADDRESS_NONE)
                gputune__rewrite_set(r, t, "");
        return;
    }
    for (t = define->value; t < end; t++) {
        if (r->to[t]) continue;
        if (s->tokens[t].kind == GPUTUNE__TOKEN_WORD)
            gputune__rewrite_word(r, t);
        else if (gputune__token_is(s, t, "("))
            gputune__rewrite_literal(r, t);
    }
}

static void gputune__rewrite_all(gputune__rewrite *r)
{
    const gputune__source *s = r->s;
    int i, count = gputune__len(s->tokens);
    for (i = 0; i < count && r->result == GPUTUNE_OK; i++) {
        const gputune__token *t = &s->tokens[i];
        if (t->directive && t->first) gputune__rewrite_directive(r, i, gputune__line_end(s, i));
        if (t->directive || !t->live) continue;
        if (gputune__token_is(s, i, "{")) r->depth++;
        if (gputune__token_is(s, i, "}")) r->depth--;
        if (gputune__token_is(s, i, "(")) r->parens++;
        if (gputune__token_is(s, i, ")")) r->parens--;
        if (r->to[i]) continue; // done with what stands before it
        if (t->kind == GPUTUNE__TOKEN_WORD) gputune__rewrite_word(r, i);
        if (gputune__token_is(s, i, "(")) gputune__rewrite_literal(r, i);
    }
}

// What lies between tokens. CUDA's compilers do not take a backslash and blanks for a continuation.
static bool gputune__rewrite_put_gap(const gputune__rewrite *r, size_t at, size_t end, char **out)
{
    const char *text = r->s->text;
    size_t from = at, more;
    bool ok = true;
    for (; at < end && ok; at++) {
        more = gputune__continuation(text + at);
        if (more <= 2 || more > end - at) continue;
        ok = gputune__text_put(r->b, out, text + from, at - from) &&
             gputune__text_put(r->b, out, "\\\n", 2);
        from = at + more;
        at = from - 1;
    }
    return ok && gputune__text_put(r->b, out, text + from, end - from);
}

// Line continuations within a word that changes come after it.
static bool gputune__rewrite_text(const gputune__rewrite *r, char **out)
{
    const gputune__source *s = r->s;
    size_t at = gputune__byte_order_mark(s->text), inner;
    int i;
    bool ok = true;
    for (i = 0; i < gputune__len(s->tokens) && ok; i++) {
        const gputune__token *t = &s->tokens[i];
        ok = gputune__rewrite_put_gap(r, at, t->begin, out);
        at = t->end;
        if (!r->to[i]) {
            ok = ok && gputune__rewrite_put_gap(r, t->begin, t->end, out);
            continue;
        }
        ok = ok && gputune__text_put(r->b, out, r->to[i], strlen(r->to[i]));
        for (inner = t->begin; inner < t->end && ok; inner++)
            if (gputune__continuation(s->text + inner))
                ok = gputune__text_put(r->b, out, "\\\n", 2);
    }
    return ok && gputune__rewrite_put_gap(r, at, strlen(s->text), out);
}

// OpenCL C as CUDA C, the driver's prelude in front; every line keeps its number. *out is an array
// of the text_put kind, freed by the caller also on failure. ERROR_COMPILE names a line that would
// mean something else in CUDA C.
static gputune_result gputune__source_to_cuda(const gputune__base *b, const char *text,
                                              const char *prelude, char **out, gputune_error *error)
{
    gputune__source source;
    gputune__rewrite r;
    int i, count;
    bool ok;
    gputune_result result = gputune__source_parse(b, text, &source, error);
    if (result != GPUTUNE_OK) return result;
    memset(&r, 0, sizeof r);
    r.b = b;
    r.s = &source;
    r.error = error;
    count = gputune__len(source.tokens);
    ok = gputune__arr_room(b, r.to, (size_t)count);
    for (i = 0; i < count && ok; i++) stbds_arrput(r.to, NULL);
    if (ok) gputune__rewrite_all(&r);
    result = ok ? r.result : gputune__oom(error);
    if (result == GPUTUNE_OK) {
        ok = gputune__text_put(b, out, prelude, strlen(prelude)) && // long: not through printf
             gputune__text_add(b, out, "\n#line 1 \"kernel.cl\"\n") &&
             gputune__rewrite_text(&r, out);
        if (!ok) result = gputune__oom(error);
    }
    for (i = 0; i < gputune__len(r.to); i++) gputune__arr_free(b, r.to[i]);
    gputune__arr_free(b, r.to);
    gputune__source_free(b, &source);
    return result;
}

// ---------------------------------------------------------------------------------------------
// [coarsening]
// ---------------------------------------------------------------------------------------------

#ifndef GPUTUNE_NO_COARSENING

// Magni, Dubach, O'Boyle coarsen with a pass of a compiler (magni-msp-tuning 3.2); here the source
// is rewritten, token by token, so that any compiler will do and every line keeps its number. The
// kernel's body becomes an ordinary function with one more parameter, the ids it sees; behind it,
// in the same branch of every #if, stands a kernel of the original name whose loops call it. Early
// returns, changed parameters, gotos and macros defined within the body mean what they meant.
//
// Ids: words like get_global_id and blockIdx become macros that look at that parameter. Functions
// that use them, directly or not, and their calls get the parameter as well. A function that is
// overlooked (an include, a name that ## makes) lacks it: an error of the compiler, nothing silent.
//
// Local memory of an OpenCL kernel's body must be declared in a kernel: it moves to the new one,
// which hands down pointers to it.

enum {
    GPUTUNE__USES_IDS = 1, // a word that needs the ids: one of them, or a macro or function
    GPUTUNE__IS_FUNCTION = 2,
    GPUTUNE__IS_MACRO = 4,
    GPUTUNE__IS_SURE = 8,  // a macro defined under no #if
    GPUTUNE__REACHED = 16, // from the kernel
    GPUTUNE__BARS = 32,    // contains a barrier
    GPUTUNE__IS_KERNEL = 64
};

// A function at file scope; all members but kernel are tokens.
typedef struct gputune__routine {
    int start, name, name_end; // the head's first token; the name, of several tokens if a macro
    int open, close;           // the parameters' brackets
    int body, end;             // braces; -1: a prototype
    bool kernel;
    bool shared; // another head follows, and then the body of both
} gputune__routine;

// A variable of the kernel's body in local or constant memory.
typedef struct gputune__hoist {
    int specs, specs_end;   // the type
    int name, suffix, end;  // [suffix, end): dimensions, attributes, the initial value
    int dims;               // end of the dimensions
    int last;               // the declaration's semicolon
    bool array, open_ended; // a[] = { ... }
} gputune__hoist;

typedef struct gputune__coarsener {
    gputune__rewrite r;
    gputune__source source;
    gputune__base base;
    gputune_coarsening form; // THREAD or GROUP
    int factor[3], stride[3];
    const char *kernel;
    int *symbols, *depths, *levels; // by token: first token of the same word, or -1; depth of
                                    // braces before it; of #if
    unsigned char *flags;           // by symbol
    gputune__routine *functions;    // stb_ds arrays
    gputune__hoist *hoists;
    bool made; // the kernel's name is made by a macro
    bool reads_group;
    bool waits;      // needs a barrier between groups
    bool exits;      // items may end before a barrier that others come to
    int odd_barrier; // token of a barrier other than the plain one; -1
} gputune__coarsener;

static void gputune__coarsen_fail(gputune__coarsener *c, int i, const char *what)
{
    const gputune__token *t;
    if (c->r.result != GPUTUNE_OK) return;
    t = &c->source.tokens[i];
    c->r.result = gputune__error(
        c->r.error, GPUTUNE_ERROR_UNSUPPORTED, "line %d: %s (%.*s)", t->line, what,
        (int)(t->end - t->begin > 60 ? 60 : t->end - t->begin), c->source.text + t->begin);
}

static void gputune__coarsen_check(gputune__coarsener *c, bool ok)
{
    if (!ok && c->r.result == GPUTUNE_OK) c->r.result = gputune__oom(c->r.error);
}

static void gputune__coarsen_put(gputune__coarsener *c, char **out, const char *text)
{
    if (c->r.result == GPUTUNE_OK)
        gputune__coarsen_check(c, gputune__text_put(&c->base, out, text, strlen(text)));
}

// Puts texts before and behind what token i becomes.
static void gputune__coarsen_wrap(gputune__coarsener *c, int i, const char *before,
                                  const char *behind)
{
    char *old = c->r.to[i];
    c->r.to[i] = NULL;
    gputune__rewrite_add(&c->r, i, before);
    if (old)
        gputune__rewrite_add(&c->r, i, old);
    else
        gputune__rewrite_add_word(&c->r, i, i);
    gputune__rewrite_add(&c->r, i, behind);
    gputune__arr_free(&c->base, old);
}

// Tokens [begin, end) as they stand, comments made blanks; directives on lines of their own.
static void gputune__coarsen_span(gputune__coarsener *c, int begin, int end, char **out)
{
    const gputune__source *s = &c->source;
    int i;
    for (i = begin; i < end; i++) {
        const gputune__token *t = &s->tokens[i];
        if (t->first && (t->directive || (i > 0 && s->tokens[i - 1].directive)))
            gputune__coarsen_put(c, out, "\n");
        else if (i > begin && t->begin > s->tokens[i - 1].end)
            gputune__coarsen_put(c, out, " ");
        if (c->r.result == GPUTUNE_OK)
            gputune__coarsen_check(c, gputune__token_put(&c->base, s, i, out));
        if (t->directive && (i + 1 == end || s->tokens[i + 1].first))
            gputune__coarsen_put(c, out, "\n");
    }
}

// --- tables: words, depths, functions ---

static size_t gputune__coarsen_hash(const char *text, size_t length)
{
    size_t hash = 5381, i;
    for (i = 0; i < length; i++)
        if (gputune__source_word_char(text[i])) hash = hash * 33 + (unsigned char)text[i];
    return hash;
}

static bool gputune__coarsen_intern(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    int count = gputune__len(s->tokens), i, *table;
    size_t size = 64, at;
    while (size < (size_t)count * 2) size *= 2;
    table = (int *)gputune__alloc(&c->base, size, sizeof *table);
    if (!table) return false;
    for (i = 0; i < count; i++) {
        const gputune__token *t = &s->tokens[i];
        c->symbols[i] = -1;
        if (t->kind != GPUTUNE__TOKEN_WORD) continue;
        at = gputune__coarsen_hash(s->text + t->begin, t->end - t->begin) & (size - 1);
        while (table[at] && !gputune__token_same(s, table[at] - 1, i)) at = (at + 1) & (size - 1);
        if (!table[at]) table[at] = i + 1;
        c->symbols[i] = table[at] - 1;
    }
    gputune__free(&c->base, table);
    return true;
}

// Braces and #ifs round each token. Each branch of an #if begins at the depth where the #if began.
typedef struct gputune__brace_state {
    int depth;       // braces open, those of namespaces not counted
    int transparent; // those
    int at;          // of kinds
    bool kinds[64];  // which of the open braces are transparent
} gputune__brace_state;

static void gputune__coarsen_brace(const gputune__source *s, int i, gputune__brace_state *state)
{
    bool transparent;
    if (gputune__token_is(s, i, "{")) {
        transparent = state->depth == 0 && state->at < 64 && gputune__source_transparent(s, i);
        if (state->at < 64) state->kinds[state->at] = transparent;
        state->at++;
        state->depth += !transparent;
    } else if (gputune__token_is(s, i, "}") && state->at > 0) {
        state->at--;
        if (state->at >= 64 || !state->kinds[state->at]) state->depth--;
    }
}

static bool gputune__coarsen_depths(gputune__coarsener *c)
{
    static const char *const opens[] = { "if", "ifdef", "ifndef", NULL };
    static const char *const turns[] = { "else", "elif", "elifdef", "elifndef", NULL };
    const gputune__source *s = &c->source;
    gputune__brace_state state, *stack = NULL;
    bool ok = true;
    int i;
    memset(&state, 0, sizeof state);
    for (i = 0; i < gputune__len(s->tokens) && ok; i++) {
        const gputune__token *t = &s->tokens[i];
        int level = gputune__len(stack);
        if (t->directive && t->first) {
            if (gputune__token_in(s, i + 1, opens)) ok = gputune__push(&c->base, stack, state);
            if (level && gputune__token_in(s, i + 1, turns)) state = stack[level - 1];
            if (level && gputune__token_is(s, i + 1, "endif"))
                stbds_arrsetlen(stack, (size_t)level - 1);
        }
        c->depths[i] = state.depth;
        c->levels[i] = gputune__len(stack);
        if (!t->directive && t->live) gputune__coarsen_brace(s, i, &state);
    }
    gputune__arr_free(&c->base, stack);
    return ok;
}

static unsigned char gputune__coarsen_flags(const gputune__coarsener *c, int i)
{
    return i >= 0 && c->symbols[i] >= 0 ? c->flags[c->symbols[i]] : 0;
}

// The bracket that opens the one at i; -1: none.
static int gputune__token_opening(const gputune__source *s, int i, char open, char close)
{
    int depth = 0;
    for (; i >= 0; i = gputune__token_before(s, i)) {
        char sign = s->text[s->tokens[i].begin];
        if (s->tokens[i].kind != GPUTUNE__TOKEN_SIGN) continue;
        if (sign == close) depth++;
        if (sign == open && --depth == 0) return i;
        if (sign == ')' && open == '<') { // = (N > 1)
            i = gputune__token_opening(s, i, '(', ')');
            if (i < 0) return -1;
            continue;
        }
        if (sign == ';' || sign == '{' || sign == '}') return -1;
    }
    return -1;
}

// One step back in a function's head: the first token of what stands before `at`, or -1.
static int gputune__head_before(const gputune__source *s, int at)
{
    static const char *const far_words[] = {
        "static", "extern", "inline", "template", "void", NULL
    };
    int p = gputune__token_before(s, at), open;
    bool crossed = p >= 0 && p != at - 1;
    if (p < 0) return -1;
    if (gputune__token_is(s, p, ")")) {
        open = gputune__token_opening(s, p, '(', ')');
        open = open < 0 ? -1 : gputune__token_before(s, open);
        return open >= 0 && gputune__attribute_end(s, open) == p ? open : -1;
    }
    if (gputune__token_is(s, p, ">")) return s->cuda ? gputune__token_opening(s, p, '<', '>') : -1;
    if (gputune__is_word(s, p))
        return crossed && !gputune__source_is_kernel_word(s, p) &&
                       !gputune__token_in(s, p, far_words) && gputune__attribute_end(s, p) < 0
                   ? -1
                   : p;
    if (s->tokens[p].kind == GPUTUNE__TOKEN_TEXT) return gputune__token_before(s, p) >= 0 ? p : -1;
    return !crossed && (gputune__token_is(s, p, "*") || gputune__token_is(s, p, "&") ||
                        gputune__token_is(s, p, ":"))
               ? p
               : -1;
}

static int gputune__coarsen_end(const gputune__coarsener *c, int body)
{
    const gputune__source *s = &c->source;
    int i;
    for (i = body + 1; i < gputune__len(s->tokens); i++)
        if (!s->tokens[i].directive && s->tokens[i].live && gputune__token_is(s, i, "}") &&
            c->depths[i] == c->depths[body] + 1)
            return i;
    return -1;
}

// A function whose name may be token i. False: it is none.
static bool gputune__coarsen_function(gputune__coarsener *c, int i, gputune__routine *f)
{
    const gputune__source *s = &c->source;
    int at, next, attribute;
    memset(f, 0, sizeof *f);
    f->name = f->name_end = i;
    f->open = gputune__token_after(s, i);
    f->body = f->end = -1;
    if (f->open < 0 || !gputune__token_is(s, f->open, "(")) return false;
    f->close = gputune__bracket_end(s, f->open) - 1;
    next = gputune__skip_directives(s, f->close + 1);
    if (gputune__token_is(s, next, "(")) { // NAME(sum)(float *x)
        f->name_end = f->close;
        f->open = next;
        f->close = gputune__bracket_end(s, next) - 1;
        next = gputune__skip_directives(s, f->close + 1);
    }
    while ((attribute = gputune__attribute_end(s, next)) >= 0 ||
           gputune__token_is(s, next, "const"))
        next = gputune__skip_directives(s, (attribute < 0 ? next : attribute) + 1);
    for (f->start = i; (at = gputune__head_before(s, f->start)) >= 0;) f->start = at;
    for (at = f->start; at < i; at++)
        if (!s->tokens[at].directive && s->tokens[at].live && gputune__source_is_kernel_word(s, at))
            f->kernel = true;
    if (next >= gputune__len(s->tokens)) return false;
    if (gputune__token_is(s, next, "{")) {
        f->body = next;
        f->end = gputune__coarsen_end(c, next);
        return true;
    }
    if (f->kernel && next > f->close + 1 && s->tokens[f->close + 1].directive &&
        gputune__is_word(s, next))
        return f->shared = true;
    return f->start < i && (gputune__token_is(s, next, ";") || gputune__token_is(s, next, ","));
}

static bool gputune__coarsen_find_functions(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    int i;
    for (i = 0; i < gputune__len(s->tokens); i++) {
        gputune__routine f;
        if (s->tokens[i].directive || !s->tokens[i].live || c->depths[i] ||
            !gputune__is_word(s, i) || gputune__attribute_end(s, i) >= 0 ||
            !gputune__coarsen_function(c, i, &f))
            continue;
        if (!gputune__push(&c->base, c->functions, f)) return false;
        c->flags[c->symbols[i]] |= GPUTUNE__IS_FUNCTION;
        if (f.kernel) c->flags[c->symbols[i]] |= GPUTUNE__IS_KERNEL;
        i = f.close; // parameters hold no functions
    }
    return true;
}

// --- words that see the launch ---

static const char *const gputune__coarsen_ids[] = { "get_global_id",
                                                    "get_global_size",
                                                    "get_local_id",
                                                    "get_local_size",
                                                    "get_group_id",
                                                    "get_num_groups",
                                                    "get_enqueued_local_size",
                                                    "get_global_linear_id",
                                                    "get_local_linear_id",
                                                    "get_work_dim",
                                                    NULL };
static const char *const gputune__coarsen_cuda_ids[] = { "threadIdx", "blockIdx", "blockDim",
                                                         "gridDim", NULL };

static const char *const *gputune__coarsen_words(const gputune__coarsener *c)
{
    return c->source.cuda ? gputune__coarsen_cuda_ids : gputune__coarsen_ids;
}

static bool gputune__coarsen_span_uses(const gputune__coarsener *c, int begin, int end, bool macro,
                                       int flag)
{
    int i;
    for (i = begin; i < end; i++)
        if (c->source.tokens[i].directive == macro && c->source.tokens[i].live &&
            (gputune__coarsen_flags(c, i) & flag))
            return true;
    return false;
}

// Spreads a flag from words to the macros and functions that contain them.
static void gputune__coarsen_spread(gputune__coarsener *c, int flag)
{
    const gputune__source *s = &c->source;
    bool more = true;
    int i;
    while (more) {
        more = false;
        for (i = 0; i < gputune__len(s->defines); i++) {
            const gputune__define *d = &s->defines[i];
            unsigned char *flags = &c->flags[c->symbols[d->name]];
            if ((*flags & flag) ||
                !gputune__coarsen_span_uses(c, d->value, d->value_end, true, flag))
                continue;
            *flags = (unsigned char)(*flags | flag);
            more = true;
        }
        for (i = 0; i < gputune__len(c->functions); i++) {
            const gputune__routine *f = &c->functions[i];
            unsigned char *flags = &c->flags[c->symbols[f->name]];
            if ((*flags & flag) || f->body < 0 ||
                !gputune__coarsen_span_uses(c, f->body, f->end, false, flag))
                continue;
            *flags = (unsigned char)(*flags | flag);
            more = true;
        }
    }
}

static void gputune__coarsen_flag_words(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    int i;
    for (i = 0; i < gputune__len(s->defines); i++) {
        const gputune__define *d = &s->defines[i];
        unsigned char *flags = &c->flags[c->symbols[d->name]];
        *flags |= GPUTUNE__IS_MACRO;
        if (!c->levels[d->name]) *flags |= GPUTUNE__IS_SURE;
    }
    for (i = 0; i < gputune__len(s->tokens); i++)
        if (c->symbols[i] == i && gputune__token_in(s, i, gputune__coarsen_words(c)))
            c->flags[i] |= GPUTUNE__USES_IDS;
}

// Is the token at i in a lambda that captures only what it names? What ids are worked out from is
// not among that.
static bool gputune__coarsen_in_closed_lambda(const gputune__source *s, int i)
{
    int open, close, first, depth = 0;
    for (open = i - 1; open >= 0; open--) {
        if (s->tokens[open].directive) continue;
        if (gputune__token_is(s, open, "}")) depth++;
        if (!gputune__token_is(s, open, "{") || depth-- > 0) continue;
        depth = 0;
        for (close = open - 1; close >= 0; close--)
            if (gputune__token_is(s, close, ";") || gputune__token_is(s, close, "{") ||
                gputune__token_is(s, close, "}") || gputune__token_is(s, close, "]"))
                break;
        if (close < 0 || !gputune__token_is(s, close, "]")) continue;
        first = gputune__token_opening(s, close, '[', ']');
        if (first < 1 || gputune__is_word(s, first - 1) || gputune__token_is(s, first - 1, ")") ||
            gputune__token_is(s, first - 1, "]"))
            continue; // an element
        if (first + 1 < close && (gputune__token_is(s, first + 1, "=") ||
                                  (gputune__token_is(s, first + 1, "&") &&
                                   !gputune__is_word(s, first + 2))))
            continue;
        return true;
    }
    return false;
}

// Does a declaration give this name to something of its own: a type stands before it?
static bool gputune__coarsen_named(const gputune__source *s, int i)
{
    static const char *const others[] = { "return", "else", "case", "do", "sizeof", "throw", NULL };
    const int before = gputune__token_before(s, i);
    return before >= 0 && gputune__is_word(s, before) && !gputune__token_in(s, before, others);
}

// Does a directive other than the text of a #define name an id? Then the macro that it becomes
// would change what that means.
static void gputune__coarsen_check_ids(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    int i, end = 0;
    bool value = false;
    for (i = 0; i < gputune__len(s->tokens); i++) {
        const gputune__token *t = &s->tokens[i];
        if (!t->live || t->kind != GPUTUNE__TOKEN_WORD) continue;
        if (t->end - t->begin > 9 && memcmp(s->text + t->begin, "gputune__", 9) == 0)
            gputune__coarsen_fail(c, i, "names that begin with gputune__ are taken");
        if (gputune__token_is(s, i, "gputune_grid"))
            gputune__coarsen_fail(c, i, "this name is taken: is it rewritten already?");
        if (!gputune__token_in(s, i, gputune__coarsen_words(c))) continue;
        if (s->cuda && !t->directive && gputune__coarsen_named(s, i))
            gputune__coarsen_fail(c, i, "a variable of this name");
        if (s->cuda && !t->directive && gputune__coarsen_in_closed_lambda(s, i))
            gputune__coarsen_fail(c, i, "ids in a lambda that does not capture all");
        if (!t->directive) continue;
        for (end = i; !s->tokens[end].first;) end--;
        value = gputune__token_is(s, end + 1, "pragma") ||
                (gputune__token_is(s, end + 1, "define") && i > end + 2);
        if (!value) gputune__coarsen_fail(c, i, "the source itself redefines this word");
    }
}

// --- what is reached from the kernel ---

typedef struct gputune__coarsen_rule {
    const char *word; // ends in *: a prefix
    int level;        // 1: forbidden at thread level, 2: at group level, 3: both
    bool bars;        // a barrier
    const char *what;
} gputune__coarsen_rule;

static const gputune__coarsen_rule gputune__coarsen_opencl_rules[] = {
    { "barrier", 1, true, "a barrier" },
    { "work_group_barrier", 1, true, "a barrier" },
    { "sub_group_barrier", 1, false, "a barrier" },
    { "work_group_size_hint", 0, false, "" },
    { "work_group_*", 1, true, "a function of the whole work-group" },
    { "async_work_group_*", 1, true, "a function of the whole work-group" },
    { "wait_group_events", 1, true, "a function of the whole work-group" },
    { "sub_group_*", 1, false, "a function of the whole sub-group" },
    { "intel_sub_group_*", 1, false, "a function of the whole sub-group" },
    { "get_sub_group_*", 1, false, "sub-groups" },
    { "get_num_sub_groups", 1, false, "sub-groups" },
    { "get_max_sub_group_size", 1, false, "sub-groups" },
    { "get_enqueued_num_sub_groups", 1, false, "sub-groups" },
    { "enqueue_kernel", 3, false, "a kernel that launches kernels" },
    { "read_pipe", 3, false, "pipes" },
    { "write_pipe", 3, false, "pipes" },
    { NULL, 0, false, NULL }
};

static const gputune__coarsen_rule gputune__coarsen_cuda_rules[] = {
    { "__shared__", 1, false, "shared memory" },
    { "__syncthreads*", 1, true, "a barrier" },
    { "__syncwarp", 1, false, "a barrier" },
    { "__barrier_sync*", 3, false, "a named barrier" },
    { "__named_barrier*", 3, false, "a named barrier" },
    { "__shfl*", 1, false, "an exchange within the warp" },
    { "__ballot*", 1, false, "a vote of the warp" },
    { "__any", 1, false, "a vote of the warp" },
    { "__all", 1, false, "a vote of the warp" },
    { "__any_sync", 1, false, "a vote of the warp" },
    { "__all_sync", 1, false, "a vote of the warp" },
    { "__match_*", 1, false, "a vote of the warp" },
    { "__activemask", 1, false, "a vote of the warp" },
    { "__reduce_*", 1, false, "a reduction of the warp" },
    { "__pipeline_*", 1, false, "asynchronous copies" },
    { "memcpy_async", 1, false, "asynchronous copies" },
    { "cooperative_groups", 1, false, "cooperative groups" },
    { "this_thread_block", 1, true, "cooperative groups" },
    { "tiled_partition", 1, false, "cooperative groups" },
    { "coalesced_threads", 1, false, "cooperative groups" },
    { "thread_block", 1, true, "cooperative groups" },
    { "this_grid", 3, false, "all groups of the grid together" },
    { "this_multi_grid", 3, false, "all groups of the grid together" },
    { "grid_group", 3, false, "all groups of the grid together" },
    { "multi_grid_group", 3, false, "all groups of the grid together" },
    { "group_index", 3, false, "group ids of cooperative groups" },
    { "dim_blocks", 3, false, "group ids of cooperative groups" },
    { "block_rank", 3, false, "clusters" },
    { "this_cluster", 3, false, "clusters" },
    { "cluster_group", 3, false, "clusters" },
    { "__cluster_dims__", 3, false, "clusters" },
    { "mbarrier*", 3, false, "barriers in memory" },
    { "wmma", 1, false, "matrices of the whole warp" },
    { "load_matrix_sync", 1, false, "matrices of the whole warp" },
    { "mma_sync", 1, false, "matrices of the whole warp" },
    { "cub", 1, true, "functions of the whole group" },
    { "cudaLaunchDevice*", 3, false, "a kernel that launches kernels" },
    { "cudaDeviceSynchronize", 3, false, "a kernel that launches kernels" },
    { NULL, 0, false, NULL }
};

static const gputune__coarsen_rule *gputune__coarsen_find_rule(const gputune__coarsener *c, int i)
{
    const gputune__coarsen_rule *rule =
        c->source.cuda ? gputune__coarsen_cuda_rules : gputune__coarsen_opencl_rules;
    const gputune__token *t = &c->source.tokens[i];
    const char *word = c->source.text + t->begin;
    for (; rule->word; rule++) {
        size_t length = strlen(rule->word);
        bool prefix = rule->word[length - 1] == '*';
        if (prefix ? t->end - t->begin >= length - 1 && memcmp(word, rule->word, length - 1) == 0
                   : gputune__token_is(&c->source, i, rule->word))
            return rule;
    }
    return NULL;
}

// Is the word something of the language, not of the file? A macro under an #if may be both.
static bool gputune__coarsen_builtin(const gputune__coarsener *c, int i)
{
    int flags = gputune__coarsen_flags(c, i), before = gputune__token_before(&c->source, i);
    if (flags & (GPUTUNE__IS_FUNCTION | GPUTUNE__IS_SURE)) return false;
    return !gputune__token_is(&c->source, before, ".") || c->source.cuda;
}

static const char *const gputune__coarsen_asm_thread[] = {
    "tid",  "laneid", "lanemask", "warpid",     "bar.", "barrier",  "shfl",
    "vote", "match.", "redux",    "activemask", "mma",  "cp.async", NULL
};
static const char *const gputune__coarsen_asm_group[] = { "ctaid", "gridid", "cluster", NULL };

// Is the token at i within an asm statement?
static bool gputune__coarsen_in_asm(const gputune__source *s, int i)
{
    static const char *const words[] = { "asm", "__asm", "__asm__", NULL };
    static const char *const ends[] = { ";", "{", "}", NULL };
    for (i--; i >= 0 && !gputune__token_in(s, i, ends); i--)
        if (gputune__token_in(s, i, words)) return true;
    return false;
}

static void gputune__coarsen_check_asm(gputune__coarsener *c, int i)
{
    const gputune__token *t = &c->source.tokens[i];
    const char *const *lists[2], *const *word;
    int list;
    if (!gputune__coarsen_in_asm(&c->source, i)) return;
    lists[0] = gputune__coarsen_asm_group;
    lists[1] = gputune__coarsen_asm_thread;
    for (list = 0; list < (c->form == GPUTUNE_COARSEN_THREAD ? 2 : 1); list++)
        for (word = lists[list]; *word; word++) {
            size_t length = strlen(*word), at;
            for (at = t->begin; at + length <= t->end; at++)
                if (memcmp(c->source.text + at, *word, length) == 0)
                    gputune__coarsen_fail(c, i, "assembler that sees the launch");
        }
}

static const char *const gputune__coarsen_barriers[] = { "barrier", "work_group_barrier",
                                                         "__syncthreads", NULL };

static void gputune__coarsen_check_word(gputune__coarsener *c, int i)
{
    const gputune__source *s = &c->source;
    const gputune__coarsen_rule *rule;
    bool thread = c->form == GPUTUNE_COARSEN_THREAD;
    if (s->tokens[i].kind == GPUTUNE__TOKEN_TEXT) gputune__coarsen_check_asm(c, i);
    if (s->cuda && gputune__token_is(s, i, "<") && gputune__token_is(s, i + 1, "<") &&
        gputune__token_is(s, i + 2, "<"))
        gputune__coarsen_fail(c, i, "a kernel that launches kernels");
    if (s->tokens[i].kind != GPUTUNE__TOKEN_WORD) return;
    if (gputune__address_space(s, i, 0) == GPUTUNE__ADDRESS_LOCAL) {
        c->waits = true;
        if (thread) gputune__coarsen_fail(c, i, "local memory");
    }
    if ((gputune__coarsen_flags(c, i) & GPUTUNE__IS_KERNEL) && gputune__token_is(s, i + 1, "(") &&
        (c->depths[i] || s->tokens[i].directive))
        gputune__coarsen_fail(c, i, "a kernel is called as a function");
    rule = gputune__coarsen_builtin(c, i) ? gputune__coarsen_find_rule(c, i) : NULL;
    if (!rule) return;
    if (rule->bars || strncmp(rule->word, "__shared__", 10) == 0) c->waits = true;
    if (rule->bars && !gputune__token_in(s, i, gputune__coarsen_barriers)) c->odd_barrier = i;
    if (rule->level & (thread ? 1 : 2)) gputune__coarsen_fail(c, i, rule->what);
}

// Does the `while` at i wait for memory that others write: an empty body, or only fences in it, and
// a condition that reads memory and changes nothing?
static bool gputune__coarsen_polls(const gputune__source *s, int i)
{
    static const char *const fences[] = { "mem_fence",
                                          "read_mem_fence",
                                          "write_mem_fence",
                                          "__threadfence",
                                          "__threadfence_block",
                                          "__nanosleep",
                                          "CLK_GLOBAL_MEM_FENCE",
                                          "CLK_LOCAL_MEM_FENCE",
                                          NULL };
    int open = gputune__token_after(s, i), close, next, t, before = gputune__token_before(s, i);
    bool reads = false, changes = false;
    if (open < 0 || !gputune__token_is(s, open, "(")) return false;
    close = gputune__token_closing(s, open);
    next = close < 0 ? -1 : gputune__token_after(s, close);
    if (next < 0) return false;
    if (gputune__token_is(s, before, "}")) { // do { ... } while (...);
        int depth = 0;
        for (t = before; t > 0; t--) {
            if (s->tokens[t].directive) continue;
            depth += gputune__token_is(s, t, "}");
            if (gputune__token_is(s, t, "{") && --depth == 0) break;
        }
        if (t < before - 1 && gputune__token_is(s, t - 1, "do")) return false;
    }
    if (gputune__token_is(s, next, "{")) {
        for (t = gputune__token_after(s, next); t >= 0 && !gputune__token_is(s, t, "}");
             t = gputune__token_after(s, t))
            if (gputune__is_word(s, t) && !gputune__token_in(s, t, fences))
                return false;
            else if (gputune__token_is(s, t, "{"))
                return false;
    } else if (!gputune__token_is(s, next, ";")) {
        return false;
    }
    for (t = open; t < close; t++) {
        const gputune__token *token = &s->tokens[t];
        if (token->end - token->begin > 4 && (memcmp(s->text + token->begin, "atom", 4) == 0))
            return true;
        reads = reads || gputune__token_is(s, t, "[") || gputune__token_is(s, t, "*") ||
                gputune__token_is(s, t, ">");
        changes = changes || (t + 1 < close && gputune__token_same(s, t, t + 1) &&
                              (gputune__token_is(s, t, "+") || gputune__token_is(s, t, "-")));
    }
    return reads && !changes;
}

static const char *const gputune__coarsen_group_words[] = { "get_local_id",
                                                            "get_local_size",
                                                            "get_group_id",
                                                            "get_num_groups",
                                                            "get_enqueued_local_size",
                                                            "get_local_linear_id",
                                                            "threadIdx",
                                                            "blockIdx",
                                                            "blockDim",
                                                            "gridDim",
                                                            NULL };

// Looks at all that tokens [begin, end) may do, in other functions and macros, too.
static void gputune__coarsen_reach(gputune__coarsener *c, int begin, int end)
{
    const gputune__source *s = &c->source;
    bool macro = begin < end && s->tokens[begin].directive;
    int i, k;
    for (i = begin; i < end && c->r.result == GPUTUNE_OK; i++) {
        int flags = gputune__coarsen_flags(c, i);
        if (!s->tokens[i].live || (s->tokens[i].directive && !macro)) continue;
        gputune__coarsen_check_word(c, i);
        if (gputune__token_is(s, i, "while") && gputune__coarsen_polls(s, i))
            gputune__coarsen_fail(c, i, "a loop that waits for others");
        if (!c->r.to[i] && gputune__token_in(s, i, gputune__coarsen_group_words))
            c->reads_group = true;
        if (!(flags & (GPUTUNE__IS_MACRO | GPUTUNE__IS_FUNCTION)) || (flags & GPUTUNE__REACHED))
            continue;
        c->flags[c->symbols[i]] |= GPUTUNE__REACHED;
        for (k = 0; k < gputune__len(s->defines); k++)
            if (c->symbols[s->defines[k].name] == c->symbols[i])
                gputune__coarsen_reach(c, s->defines[k].value, s->defines[k].value_end);
        for (k = 0; k < gputune__len(c->functions); k++)
            if (c->symbols[c->functions[k].name] == c->symbols[i] && !c->functions[k].kernel &&
                c->functions[k].body >= 0)
                gputune__coarsen_reach(c, c->functions[k].open, c->functions[k].end);
    }
}

// --- sums that are a global id ---
//
// blockIdx.x * blockDim.x + threadIdx.x, in any order, with casts and brackets, is the virtual
// item itself: no division, and the original work-group need not be known.

enum {
    GPUTUNE__ID_NONE,
    GPUTUNE__ID_GROUP,
    GPUTUNE__ID_SIZE,
    GPUTUNE__ID_LOCAL,
    GPUTUNE__ID_COUNT,
    GPUTUNE__ID_FIRST, // group * size
    GPUTUNE__ID_TOTAL, // count * size
    GPUTUNE__ID_ITEM   // group * size + local
};

typedef struct gputune__id {
    int kind, dim; // a token of .x or (0)
    int rank;      // of the type: int, unsigned, long, unsigned long
    int next;      // token behind; -1: end of the directive
} gputune__id;

// A cast at i to an integer type no narrower than int: its rank; -1: none.
static int gputune__id_cast(const gputune__source *s, int i, int *next)
{
    int first = gputune__token_after(s, i), last = first, end = first, elements = 0;
    gputune_type type = GPUTUNE_BYTES;
    while (gputune__is_word(s, end)) {
        last = end;
        end = gputune__token_after(s, end);
    }
    if (end < 0 || end == first || !gputune__token_is(s, end, ")")) return -1;
    if (!gputune__source_type(s, first, last + 1, 0, &type, &elements) || elements != 1) return -1;
    *next = gputune__token_after(s, end);
    return type == GPUTUNE_INT32    ? 0
           : type == GPUTUNE_UINT32 ? 1
           : type == GPUTUNE_INT64  ? 2
           : type == GPUTUNE_UINT64 ? 3
                                    : -1;
}

static gputune__id gputune__id_word(const gputune__source *s, int i)
{
    static const char *const words[] = { "get_group_id", "get_local_size", "get_local_id",
                                         "get_num_groups" };
    static const char *const cuda[] = { "blockIdx", "blockDim", "threadIdx", "gridDim" };
    gputune__id id;
    int w, a = gputune__token_after(s, i), b = a < 0 ? -1 : gputune__token_after(s, a);
    memset(&id, 0, sizeof id);
    id.rank = s->cuda ? 1 : 3;
    id.dim = b;
    id.next = b < 0 ? -1 : gputune__token_after(s, b);
    for (w = 0; w < 4 && b >= 0; w++)
        if (gputune__token_is(s, i, s->cuda ? cuda[w] : words[w])) id.kind = GPUTUNE__ID_GROUP + w;
    if (id.kind && s->cuda) {
        if (!gputune__token_is(s, a, ".") || !gputune__is_word(s, b)) id.kind = GPUTUNE__ID_NONE;
    } else if (id.kind) {
        if (!gputune__token_is(s, a, "(") || id.next < 0 || !gputune__token_is(s, id.next, ")"))
            id.kind = GPUTUNE__ID_NONE;
        else
            id.next = gputune__token_after(s, id.next);
    }
    return id;
}

static int gputune__id_join(const gputune__source *s, gputune__id a, gputune__id b)
{
    if (!a.kind || !b.kind || !gputune__token_same(s, a.dim, b.dim)) return GPUTUNE__ID_NONE;
    if (a.kind > b.kind) return gputune__id_join(s, b, a);
    if (a.kind == GPUTUNE__ID_GROUP && b.kind == GPUTUNE__ID_SIZE) return GPUTUNE__ID_FIRST;
    if (a.kind == GPUTUNE__ID_SIZE && b.kind == GPUTUNE__ID_COUNT) return GPUTUNE__ID_TOTAL;
    if (a.kind == GPUTUNE__ID_LOCAL && b.kind == GPUTUNE__ID_FIRST) return GPUTUNE__ID_ITEM;
    return GPUTUNE__ID_NONE;
}

static gputune__id gputune__id_sum(const gputune__source *s, int i, int depth);

// a op b, op being a sign, `,` among them; a alone if it goes on otherwise.
static gputune__id gputune__id_pair(const gputune__source *s, gputune__id a, const char *sign,
                                    int depth, bool atoms);

// A word, a cast, brackets, or __mul24(a, b).
static gputune__id gputune__id_atom(const gputune__source *s, int i, int depth)
{
    static const char *const products[] = { "__mul24", "__umul24", "mul24", "IMUL", "UMUL", NULL };
    gputune__id id;
    int next = -1, rank, open;
    memset(&id, 0, sizeof id);
    if (i < 0 || depth > 12) return id;
    open = gputune__token_in(s, i, products) ? gputune__token_after(s, i) : -1;
    if (open >= 0 && gputune__token_is(s, open, "(")) {
        id = gputune__id_sum(s, gputune__token_after(s, open), depth + 1);
        id = gputune__id_pair(s, id, ",", depth + 1, false);
        if (id.next < 0 || !gputune__token_is(s, id.next, ")"))
            id.kind = GPUTUNE__ID_NONE;
        else
            id.next = gputune__token_after(s, id.next);
        return id;
    }
    if (!gputune__token_is(s, i, "(")) return gputune__id_word(s, i);
    rank = gputune__id_cast(s, i, &next);
    if (rank >= 0) {
        id = gputune__id_atom(s, next, depth + 1);
        id.rank = rank;
        return id;
    }
    id = gputune__id_sum(s, gputune__token_after(s, i), depth + 1);
    if (id.next < 0 || !gputune__token_is(s, id.next, ")"))
        id.kind = GPUTUNE__ID_NONE;
    else
        id.next = gputune__token_after(s, id.next);
    return id;
}

static gputune__id gputune__id_product(const gputune__source *s, int i, int depth)
{
    return gputune__id_pair(s, gputune__id_atom(s, i, depth + 1), "*", depth + 1, true);
}

static gputune__id gputune__id_pair(const gputune__source *s, gputune__id a, const char *sign,
                                    int depth, bool atoms)
{
    gputune__id b;
    if (!a.kind || a.next < 0 || !gputune__token_is(s, a.next, sign)) return a;
    b = gputune__token_after(s, a.next) < 0 ? a
        : atoms ? gputune__id_atom(s, gputune__token_after(s, a.next), depth + 1)
                : gputune__id_product(s, gputune__token_after(s, a.next), depth + 1);
    b.kind = gputune__id_join(s, a, b);
    if (!b.kind) return a;
    if (a.rank > b.rank) b.rank = a.rank;
    return b;
}

static gputune__id gputune__id_sum(const gputune__source *s, int i, int depth)
{
    return gputune__id_pair(s, gputune__id_product(s, i, depth + 1), "+", depth + 1, false);
}

// May a product or sum begin behind token `before`, so that it is an operand by itself?
static bool gputune__id_begins(const gputune__source *s, int before)
{
    static const char *const words[] = { "return", "case", "else", NULL };
    if (before < 0) return true;
    if (gputune__is_word(s, before)) return gputune__token_in(s, before, words);
    if (gputune__token_is(s, before, ">") && before > 0 && gputune__token_is(s, before - 1, "-"))
        return false;
    return s->tokens[before].kind == GPUTUNE__TOKEN_SIGN &&
           !strchr("*/%+-.~!)]", s->text[s->tokens[before].begin]);
}

static bool gputune__id_ends(const gputune__source *s, gputune__id id)
{
    if (id.next < 0) return true;
    if (s->tokens[id.next].kind != GPUTUNE__TOKEN_SIGN) return false;
    return !strchr(id.kind == GPUTUNE__ID_TOTAL ? ".[(" : "*/%.[(",
                   s->text[s->tokens[id.next].begin]);
}

static void gputune__coarsen_absorb(gputune__coarsener *c)
{
    static const char *const types[] = { "int", "unsigned", "long", "gputune__big" };
    static const char *const cuda_types[] = { "int", "unsigned", "long long", "gputune__big" };
    const gputune__source *s = &c->source;
    int i, t;
    for (i = 0; i < gputune__len(s->tokens); i++) {
        gputune__id id;
        const char *name;
        if (!s->tokens[i].live || c->r.to[i] ||
            (!gputune__token_is(s, i, "(") && !gputune__is_word(s, i)) ||
            !gputune__id_begins(s, gputune__token_before(s, i)))
            continue;
        id = gputune__id_sum(s, i, 0);
        if (id.kind < GPUTUNE__ID_TOTAL || !gputune__id_ends(s, id)) continue;
        name = id.kind == GPUTUNE__ID_ITEM ? "gputune__item" : "gputune__items";
        for (t = i; t >= 0 && t != id.next; t = gputune__token_after(s, t))
            gputune__rewrite_set(&c->r, t, "");
        gputune__rewrite_add(&c->r, i, "((");
        gputune__rewrite_add(&c->r, i, (s->cuda ? cuda_types : types)[id.rank]);
        gputune__rewrite_add(&c->r, i, ")");
        gputune__rewrite_add(&c->r, i, name);
        gputune__rewrite_add(&c->r, i, s->cuda ? "." : "_of(gputune__v, ");
        gputune__rewrite_add_word(&c->r, i, id.dim);
        gputune__rewrite_add(&c->r, i, s->cuda ? ")" : "))");
    }
}

// --- functions that get the ids ---

static bool gputune__coarsen_no_params(const gputune__source *s, int open, int close, bool *is_void)
{
    int first = gputune__skip_directives(s, open + 1);
    *is_void =
        gputune__token_is(s, first, "void") && gputune__skip_directives(s, first + 1) == close;
    return first == close || *is_void;
}

static void gputune__coarsen_function_head(gputune__coarsener *c, const gputune__routine *f)
{
    bool is_void, none = gputune__coarsen_no_params(&c->source, f->open, f->close, &is_void);
    if (is_void) gputune__rewrite_set(&c->r, gputune__skip_directives(&c->source, f->open + 1), "");
    gputune__coarsen_wrap(c, f->open, "", none ? "gputune__p" : "gputune__p, ");
    if (gputune__token_is(&c->source, gputune__token_before(&c->source, f->name), ":"))
        gputune__coarsen_fail(c, f->name, "a method uses ids");
}

// The bracket of a call whose function's name is token i; -1: it is none.
static int gputune__coarsen_call(const gputune__source *s, int i)
{
    int at = gputune__token_after(s, i), depth = 0;
    if (at >= 0 && s->cuda && gputune__token_is(s, at, "<"))
        for (; at >= 0; at = gputune__token_after(s, at)) { // helper<4>(x)
            if (gputune__token_is(s, at, "<")) depth++;
            if (gputune__token_is(s, at, ">") && --depth == 0) {
                at = gputune__token_after(s, at);
                break;
            }
            if (gputune__token_is(s, at, ";") || gputune__token_is(s, at, "{")) return -1;
        }
    return at >= 0 && gputune__token_is(s, at, "(") ? at : -1;
}

static void gputune__coarsen_calls(gputune__coarsener *c)
{
    static const char *const statements[] = { "return", "else", "do", "case", "goto", NULL };
    const gputune__source *s = &c->source;
    int i, before, open, next;
    for (i = 0; i < gputune__len(s->tokens) && c->r.result == GPUTUNE_OK; i++) {
        int flags = gputune__coarsen_flags(c, i);
        if (!(flags & GPUTUNE__USES_IDS) || !(flags & GPUTUNE__IS_FUNCTION) ||
            (flags & GPUTUNE__IS_KERNEL) || !s->tokens[i].live ||
            (!s->tokens[i].directive && !c->depths[i]))
            continue;
        before = gputune__token_before(s, i);
        open = gputune__coarsen_call(s, i);
        if (open < 0 || gputune__token_is(s, before, ".")) continue;
        next = gputune__token_after(s, open);
        if (s->tokens[i].directive && before >= 0 && gputune__token_is(s, before, "define"))
            continue;
        if (gputune__is_word(s, before) && !gputune__token_in(s, before, statements) &&
            !s->tokens[i].directive)
            gputune__coarsen_wrap(c, open, "", "gputune__p, "); // a declaration
        else
            gputune__coarsen_wrap(c, open, "",
                                  next >= 0 && gputune__token_is(s, next, ")") ? "gputune__a"
                                                                               : "gputune__a, ");
    }
}

// The function in whose body token i stands, or NULL.
static const gputune__routine *gputune__coarsen_inside(const gputune__coarsener *c, int i)
{
    int k;
    for (k = 0; k < gputune__len(c->functions); k++)
        if (c->functions[k].body >= 0 && i > c->functions[k].body && i < c->functions[k].end)
            return &c->functions[k];
    return NULL;
}

static bool gputune__coarsen_is_target(const gputune__coarsener *c, const gputune__routine *f)
{
    const gputune__source *s = &c->source;
    if (!f->kernel) return false;
    if (c->made)
        return f->name_end > f->name || (gputune__coarsen_flags(c, f->name) & GPUTUNE__IS_MACRO);
    return f->name_end == f->name && gputune__token_is(s, f->name, c->kernel);
}

static void gputune__coarsen_functions(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    int i;
    for (i = 0; i < gputune__len(c->functions); i++) {
        const gputune__routine *f = &c->functions[i];
        if (gputune__coarsen_is_target(c, f)) continue;
        if (f->kernel) {
            if (f->body >= 0 &&
                gputune__coarsen_span_uses(c, f->body, f->end, false, GPUTUNE__USES_IDS))
                gputune__coarsen_wrap(c, f->body, "", " gputune__here ");
        } else if (gputune__coarsen_flags(c, f->name) & GPUTUNE__USES_IDS) {
            gputune__coarsen_function_head(c, f);
        }
    }
    for (i = 0; i < gputune__len(s->tokens) && c->r.result == GPUTUNE_OK; i++)
        if (s->tokens[i].live && !s->tokens[i].directive &&
            gputune__token_in(s, i, gputune__coarsen_words(c)) && !gputune__coarsen_inside(c, i) &&
            gputune__token_is(s, gputune__token_after(s, i), s->cuda ? "." : "("))
            gputune__coarsen_fail(c, i, "ids are used outside of a plain function");
    for (i = 0; i < gputune__len(s->tokens) && c->r.result == GPUTUNE_OK; i++) {
        const int flags = gputune__coarsen_flags(c, i);
        if (s->tokens[i].live && !s->tokens[i].directive && (flags & GPUTUNE__IS_MACRO) &&
            (flags & GPUTUNE__USES_IDS) && !gputune__coarsen_inside(c, i))
            gputune__coarsen_fail(c, i, "a macro with ids outside of a plain function");
    }
}

// --- parameters handed on ---

// The name that tokens [begin, end) declare, -1: none.
static int gputune__coarsen_declared(const gputune__source *s, int begin, int end)
{
    int i, name = -1, words = 0;
    bool star = false;
    for (i = begin; i < end; i++) {
        if (gputune__token_is(s, i, "=") || gputune__token_is(s, i, "[")) break;
        if (gputune__attribute_end(s, i) >= 0) {
            i = gputune__attribute_end(s, i);
        } else if (gputune__token_is(s, i, "<")) {
            int depth = 0;
            for (; i < end; i++) {
                depth += gputune__token_is(s, i, "<");
                if (gputune__token_is(s, i, ">") && --depth == 0) break;
            }
        } else if (gputune__token_is(s, i, "(")) { // (*f)(int), (&a)[3]; GLOBAL_PTR(int) a
            int close = gputune__bracket_end(s, i) - 1;
            if (i > begin && gputune__is_word(s, i - 1) && close < end - 1 &&
                !gputune__token_is(s, close + 1, "(") && !gputune__token_is(s, close + 1, "[")) {
                name = -1;
                i = close;
                continue;
            }
            return close > i + 1 && gputune__is_word(s, close - 1) ? close - 1 : -1;
        } else if (gputune__token_is(s, i, "*") || gputune__token_is(s, i, "&")) {
            star = true;
            name = -1;
        } else if (gputune__is_word(s, i) && !gputune__is_qualifier(s, i)) {
            words++;
            name = i;
        }
    }
    if (name < 0 || gputune__is_type_word(s, name)) return -1;
    return words > 1 || (star && words > 0) ? name : -1;
}

// Does the parameter whose tokens end at i go on behind directives?
static bool gputune__coarsen_goes_on(const gputune__source *s, int i, int close)
{
    static const char *const turns[] = { "else", "elif", "elifdef", "elifndef", NULL };
    int depth = 0;
    while (i < close) {
        const gputune__token *t = &s->tokens[i];
        if (!t->directive || !t->first) {
            if (!depth && t->live && !t->directive) return !gputune__token_is(s, i, ",");
            i++;
            continue;
        }
        if (depth && (gputune__token_is(s, i + 1, "if") || gputune__token_is(s, i + 1, "ifdef") ||
                      gputune__token_is(s, i + 1, "ifndef")))
            depth++;
        if (!depth && gputune__token_in(s, i + 1, turns))
            depth = 1;
        else if (depth && gputune__token_is(s, i + 1, "endif"))
            depth--;
        i = gputune__line_end(s, i);
    }
    return false;
}

static void gputune__coarsen_args(gputune__coarsener *c, int begin, int end, int level, char **out);

// A word alone in a parameter list: the macro's own list.
static void gputune__coarsen_macro_args(gputune__coarsener *c, int i, int level, char **out)
{
    const gputune__source *s = &c->source;
    char *first = NULL;
    int d, found = 0;
    for (d = 0; d < gputune__len(s->defines) && c->r.result == GPUTUNE_OK; d++) {
        const gputune__define *define = &s->defines[d];
        char *one = NULL;
        if (c->symbols[define->name] != c->symbols[i]) continue;
        if (define->function || level > 4)
            gputune__coarsen_fail(c, i, "a macro in a parameter list that cannot be read");
        gputune__coarsen_put(c, &one, "");
        gputune__coarsen_args(c, define->value, define->value_end, level + 1, &one);
        if (found++ == 0) {
            first = one;
            continue;
        }
        if (c->r.result == GPUTUNE_OK && strcmp(first, one) != 0)
            gputune__coarsen_fail(c, i, "a macro of two meanings in a parameter list");
        gputune__arr_free(&c->base, one);
    }
    if (!found) gputune__coarsen_fail(c, i, "a parameter without a name");
    if (first) gputune__coarsen_put(c, out, first);
    gputune__arr_free(&c->base, first);
}

// Is a word of a parameter a macro that has commas, and so is more than a part of this one?
static bool gputune__coarsen_has_list(const gputune__coarsener *c, int i)
{
    const gputune__source *s = &c->source;
    int d, k;
    for (d = 0; d < gputune__len(s->defines); d++) {
        const gputune__define *define = &s->defines[d];
        if (c->symbols[define->name] != c->symbols[i] || define->function) continue;
        for (k = define->value; k < define->value_end; k++)
            if (gputune__token_is(s, k, ",")) return true;
    }
    return false;
}

// One parameter or part of it, tokens [begin, end), none of them of a directive.
static void gputune__coarsen_arg(gputune__coarsener *c, int begin, int end, int close, int level,
                                 char **out)
{
    const gputune__source *s = &c->source;
    int name, i;
    if (begin >= end || (!level && gputune__coarsen_goes_on(s, end, close))) return;
    for (i = begin; i < end; i++)
        if (gputune__token_is(s, i, "="))
            gputune__coarsen_fail(c, i, "a default argument");
        else if (end > begin + 1 && gputune__is_word(s, i) && gputune__coarsen_has_list(c, i))
            gputune__coarsen_fail(c, i, "a macro with parameters among parameters");
    name = gputune__coarsen_declared(s, begin, end);
    if (name >= 0) {
        gputune__coarsen_put(c, out, " ");
        if (c->r.result == GPUTUNE_OK)
            gputune__coarsen_check(c, gputune__token_put(&c->base, s, name, out));
    } else if (end == begin + 1 && gputune__is_word(s, begin)) {
        gputune__coarsen_macro_args(c, begin, level, out);
    } else {
        gputune__coarsen_fail(c, begin, "a parameter that cannot be read");
    }
}

// The arguments that hand parameters [begin, end) on, with the same directives between.
static void gputune__coarsen_args(gputune__coarsener *c, int begin, int end, int level, char **out)
{
    const gputune__source *s = &c->source;
    int i, from = begin, depth = 0, angle = 0;
    for (i = begin; i < end && c->r.result == GPUTUNE_OK; i++) {
        const gputune__token *t = &s->tokens[i];
        bool directive = t->directive && !level;
        if (!directive && t->live) {
            if (gputune__token_is(s, i, "(") || gputune__token_is(s, i, "[")) depth++;
            if (gputune__token_is(s, i, ")") || gputune__token_is(s, i, "]")) depth--;
            angle += gputune__token_is(s, i, "<") - gputune__token_is(s, i, ">");
            if (depth || angle || !gputune__token_is(s, i, ",")) continue;
        }
        gputune__coarsen_arg(c, from, i, end, level, out);
        if (directive) {
            int next = gputune__line_end(s, i);
            gputune__coarsen_span(c, i, next, out);
            i = next - 1;
        } else if (t->live) {
            gputune__coarsen_put(c, out, ",");
        }
        from = i + 1;
    }
    gputune__coarsen_arg(c, from, end, end, level, out);
}

// --- local memory that moves to the new kernel ---

static void gputune__coarsen_numbered(gputune__coarsener *c, char **out, const char *name, int k)
{
    char text[64];
    snprintf(text, sizeof text, "gputune__%s%d", name, k);
    gputune__coarsen_put(c, out, text);
}

// The type, its address space first; attributes where the variable is made.
static void gputune__coarsen_specs(gputune__coarsener *c, const gputune__hoist *h, bool attributes,
                                   char **out)
{
    const gputune__source *s = &c->source;
    int i;
    for (i = h->specs; i < h->specs_end; i++)
        if (gputune__address_word(s, i) != GPUTUNE__ADDRESS_NONE)
            gputune__coarsen_put(
                c, out,
                gputune__address_word(s, i) == GPUTUNE__ADDRESS_LOCAL ? "__local " : "__constant ");
    for (i = h->specs; i < h->specs_end; i++) {
        int end = attributes ? -1 : gputune__attribute_end(s, i);
        if (end >= 0) {
            i = end;
            continue;
        }
        if (gputune__address_word(s, i) != GPUTUNE__ADDRESS_NONE) continue;
        if (c->r.result == GPUTUNE_OK)
            gputune__coarsen_check(c, gputune__token_put(&c->base, s, i, out));
        gputune__coarsen_put(c, out, " ");
    }
}

// In the body: a pointer to the whole, and for arrays one of the variable's name to the first row.
static void gputune__coarsen_pointers(gputune__coarsener *c, int k, char **out)
{
    const gputune__hoist *h = &c->hoists[k];
    int row = h->array ? gputune__bracket_end(&c->source, h->suffix) : h->suffix, cast;
    for (cast = 0; cast < 2 && !h->open_ended; cast++) {
        gputune__coarsen_put(c, out, cast ? " = (" : "");
        gputune__coarsen_specs(c, h, false, out);
        gputune__coarsen_put(c, out, h->array ? "(*" : "*");
        if (!cast) gputune__coarsen_numbered(c, out, "w", k);
        gputune__coarsen_put(c, out, h->array ? ")" : "");
        gputune__coarsen_span(c, h->suffix, h->dims, out);
    }
    if (!h->open_ended) {
        gputune__coarsen_put(c, out, ")");
        gputune__coarsen_numbered(c, out, "l", k);
        gputune__coarsen_put(c, out, "; ");
    }
    if (!h->array) return;
    gputune__coarsen_specs(c, h, false, out);
    gputune__coarsen_put(c, out, row < h->dims ? "(*" : "*");
    gputune__coarsen_span(c, h->name, h->name + 1, out);
    gputune__coarsen_put(c, out, row < h->dims ? ")" : "");
    gputune__coarsen_span(c, row, h->dims, out);
    gputune__coarsen_put(c, out, " = ");
    if (h->open_ended) {
        gputune__coarsen_put(c, out, "(");
        gputune__coarsen_specs(c, h, false, out);
        gputune__coarsen_put(c, out, row < h->dims ? "(*)" : "*");
        gputune__coarsen_span(c, row, h->dims, out);
        gputune__coarsen_put(c, out, ")");
        gputune__coarsen_numbered(c, out, "l", k);
    } else {
        gputune__coarsen_put(c, out, "*");
        gputune__coarsen_numbered(c, out, "w", k);
    }
    gputune__coarsen_put(c, out, "; ");
}

// Does token i, the variable's name, stand where sizeof or & take the whole of it? The & then.
static bool gputune__coarsen_whole(const gputune__source *s, int i, int *address)
{
    static const char *const statements[] = { "return", "case", NULL };
    int next = gputune__token_after(s, i), p = gputune__token_before(s, i), q;
    *address = -1;
    if (p < 0 || (next >= 0 && (gputune__token_is(s, next, "[")))) return false;
    q = gputune__token_before(s, p);
    if (gputune__token_is(s, p, "sizeof")) return true;
    if (gputune__token_is(s, p, "(") && gputune__token_is(s, q, "sizeof")) return true;
    if (!gputune__token_is(s, p, "&")) return false;
    if (q == p - 1 && gputune__token_is(s, q, "&") && s->tokens[q].end == s->tokens[p].begin)
        return false;
    if (q >= 0 && (gputune__token_is(s, q, ")") || gputune__token_is(s, q, "]") ||
                   s->tokens[q].kind == GPUTUNE__TOKEN_NUMBER ||
                   (gputune__is_word(s, q) && !gputune__token_in(s, q, statements))))
        return false;
    *address = p;
    return true;
}

// A use of a variable that moved, token i.
static void gputune__coarsen_use(gputune__coarsener *c, const gputune__hoist *h, int k, int i)
{
    static const char *const statements[] = {
        "return", "else", "do", "case", "goto", "sizeof", NULL
    };
    const gputune__source *s = &c->source;
    int before = gputune__token_before(s, i), address = -1;
    bool whole = gputune__coarsen_whole(s, i, &address);
    char text[64];
    if (gputune__token_is(s, before, ".") ||
        (gputune__token_is(s, before, ">") && gputune__token_is(s, before - 1, "-")))
        return;
    if (h->array && !whole) return;
    if (gputune__is_word(s, before) && !gputune__token_in(s, before, statements))
        gputune__coarsen_fail(c, i, "a variable that hides one in local memory");
    if (h->open_ended) gputune__coarsen_fail(c, i, "the size of an array without one");
    if (h->array && address >= 0) {
        gputune__rewrite_set(&c->r, address, "");
        snprintf(text, sizeof text, "gputune__w%d", k);
    } else {
        // What cannot be mistaken for a declarator, if this hides the variable.
        snprintf(text, sizeof text, h->array ? "*gputune__w%d" : "(*(gputune__w%d + 0))", k);
    }
    gputune__rewrite_set(&c->r, i, text);
}

// The uses of hoisted variable k, which is in scope from its declaration to the block's end.
static void gputune__coarsen_uses(gputune__coarsener *c, int k, int end)
{
    const gputune__source *s = &c->source;
    const gputune__hoist *h = &c->hoists[k];
    int i, d, address;
    for (i = h->last + 1; i < end; i++) {
        if (!s->tokens[i].directive && s->tokens[i].live && gputune__token_is(s, i, "}") &&
            c->depths[i] == c->depths[h->specs])
            break;
        if (c->symbols[i] == c->symbols[h->name] && s->tokens[i].live && !s->tokens[i].directive)
            gputune__coarsen_use(c, h, k, i);
    }
    for (d = 0; d < gputune__len(s->defines); d++) {
        const gputune__define *define = &s->defines[d];
        if (!(gputune__coarsen_flags(c, define->name) & GPUTUNE__REACHED)) continue;
        for (i = define->value; i < define->value_end; i++)
            if (c->symbols[i] == c->symbols[h->name] &&
                (!h->array || gputune__coarsen_whole(s, i, &address)))
                gputune__coarsen_fail(c, i, "a macro uses a variable in local memory");
    }
}

// Reads one declarator from token i on. Returns the token behind it, a comma or semicolon; -1: it
// cannot be read.
static int gputune__coarsen_declarator(gputune__coarsener *c, gputune__hoist *h, int i)
{
    const gputune__source *s = &c->source;
    int depth = 0, start = i;
    h->name = i;
    h->suffix = h->dims = i + 1;
    h->array = gputune__token_is(s, h->suffix, "[");
    while (gputune__token_is(s, h->dims, "[")) h->dims = gputune__bracket_end(s, h->dims);
    h->open_ended = h->array && gputune__token_is(s, h->suffix + 1, "]");
    if (!gputune__is_word(s, i)) return -1;
    for (; i < gputune__len(s->tokens); i++) {
        if (s->tokens[i].directive || !s->tokens[i].live) return -1;
        if (gputune__token_is(s, i, "(") || gputune__token_is(s, i, "[") ||
            gputune__token_is(s, i, "{"))
            depth++;
        if (gputune__token_is(s, i, ")") || gputune__token_is(s, i, "]") ||
            gputune__token_is(s, i, "}"))
            depth--;
        if (!depth && (gputune__token_is(s, i, ",") || gputune__token_is(s, i, ";"))) break;
    }
    h->end = i;
    return i > start ? i : -1;
}

// First token of the declaration that the address space at i belongs to; -1: a cast and the like.
static int gputune__coarsen_declaration(const gputune__source *s, int i)
{
    int p = gputune__token_before(s, i), open;
    while (p >= 0) {
        if (gputune__is_word(s, p)) {
            i = p;
        } else if (gputune__token_is(s, p, ")")) {
            open = gputune__token_opening(s, p, '(', ')');
            open = open < 0 ? -1 : gputune__token_before(s, open);
            if (open < 0 || gputune__attribute_end(s, open) != p) return -1;
            i = open;
        } else {
            break;
        }
        p = gputune__token_before(s, i);
    }
    return gputune__token_is(s, p, ";") || gputune__token_is(s, p, "{") ||
                   gputune__token_is(s, p, "}") || gputune__token_is(s, p, ":")
               ? i
               : -1;
}

// The declarations of the kernel's body at token i, if it is such an address space. Returns the
// last token of it, or i.
static int gputune__coarsen_hoist(gputune__coarsener *c, int i, int end)
{
    const gputune__source *s = &c->source;
    gputune__hoist h;
    int first = gputune__len(c->hoists), k, at, t, start = gputune__coarsen_declaration(s, i);
    char *text = NULL;
    if (start < 0) return i;
    memset(&h, 0, sizeof h);
    h.specs = start;
    for (at = t = start; t < end; t++) { // at: the last word, the first one declared
        int attribute = gputune__attribute_end(s, t);
        if (s->tokens[t].directive || !s->tokens[t].live) {
            gputune__coarsen_fail(c, t, "a directive within a declaration of local memory");
            return i;
        }
        if (attribute >= 0)
            t = attribute;
        else if (gputune__is_word(s, t))
            at = t;
        else
            break;
    }
    if (gputune__token_is(s, t, "*") || gputune__token_is(s, t, "(")) return i; // a pointer
    if (gputune__token_is(s, t, "{"))
        gputune__coarsen_fail(c, t, "a struct within the declaration");
    h.specs_end = at;
    for (t = at; t >= 0 && c->r.result == GPUTUNE_OK; t++) {
        t = gputune__coarsen_declarator(c, &h, t);
        if (t < 0) {
            gputune__coarsen_fail(c, at, "a declaration of local memory that cannot be read");
            return i;
        }
        gputune__coarsen_check(c, gputune__push(&c->base, c->hoists, h));
        if (gputune__token_is(s, t, ";")) break;
    }
    if (c->r.result != GPUTUNE_OK) return i;
    gputune__coarsen_put(c, &text, "");
    for (k = first; k < gputune__len(c->hoists); k++) {
        c->hoists[k].last = t;
        gputune__coarsen_pointers(c, k, &text);
    }
    for (k = start; k <= t; k++) gputune__rewrite_set(&c->r, k, "");
    if (text) gputune__rewrite_add(&c->r, start, text);
    gputune__arr_free(&c->base, text);
    for (k = first; k < gputune__len(c->hoists); k++) gputune__coarsen_uses(c, k, end);
    return t;
}

static void gputune__coarsen_hoists(gputune__coarsener *c, const gputune__routine *f)
{
    const gputune__source *s = &c->source;
    int i;
    for (i = f->body + 1; i < f->end && c->r.result == GPUTUNE_OK; i++) {
        gputune__address address;
        if (s->cuda || s->tokens[i].directive || !s->tokens[i].live || !gputune__is_word(s, i))
            continue;
        address = gputune__address_space(s, i, 0);
        if (address == GPUTUNE__ADDRESS_LOCAL || address == GPUTUNE__ADDRESS_CONSTANT)
            i = gputune__coarsen_hoist(c, i, f->end);
        else if (gputune__rewrite_hides_local(s, i, 0) && !gputune__token_is(s, i + 1, "*"))
            gputune__coarsen_fail(c, i, "a macro that may declare local memory");
    }
}

// --- items that end before a barrier ---

static const char *const gputune__coarsen_uniform[] = { "if",
                                                        "get_group_id",
                                                        "get_num_groups",
                                                        "get_local_size",
                                                        "get_global_size",
                                                        "blockIdx",
                                                        "gridDim",
                                                        "blockDim",
                                                        "x",
                                                        "y",
                                                        "z",
                                                        "NULL",
                                                        NULL };

// Is the condition of the return at i, `if (...) return` or `if (...) { return`, the same for the
// whole group: made of numbers and group ids only?
static bool gputune__coarsen_uniform_return(const gputune__coarsener *c, int i, int body)
{
    const gputune__source *s = &c->source;
    int close = gputune__token_before(s, i), open, t;
    bool brace = gputune__token_is(s, close, "{");
    if (c->depths[i] != c->depths[body] + 1 + brace) return false;
    if (brace) close = gputune__token_before(s, close);
    if (!gputune__token_is(s, close, ")")) return false;
    open = gputune__token_opening(s, close, '(', ')');
    if (open < 0 || !gputune__token_is(s, gputune__token_before(s, open), "if")) return false;
    for (t = open; t < close; t++)
        if (gputune__is_word(s, t) && !gputune__token_in(s, t, gputune__coarsen_uniform))
            return false;
    t = gputune__token_before(s, gputune__token_before(s, open));
    return gputune__token_is(s, t, ";") || gputune__token_is(s, t, "{") ||
           gputune__token_is(s, t, "}");
}

// Items that return while others go on to a barrier would come early to the one between groups, and
// run ahead into the next group. So they must take part in the others' barriers until all have
// ended: each barrier says whether anyone who came to it is still within the body.
static void gputune__coarsen_exits(gputune__coarsener *c, const gputune__routine *f)
{
    const gputune__source *s = &c->source;
    int i, at = -1;
    for (i = f->body; i < f->end; i++) {
        if (!s->tokens[i].live || s->tokens[i].directive) continue;
        if (gputune__token_is(s, i, "return") && at < 0 &&
            !gputune__coarsen_uniform_return(c, i, f->body))
            at = i;
        if ((gputune__coarsen_flags(c, i) & GPUTUNE__BARS) && at >= 0) c->exits = true;
    }
    if (c->exits && c->odd_barrier >= 0)
        gputune__coarsen_fail(c, at, "items may end here before others come to a barrier");
}

// --- the kernel and its body ---

static bool gputune__coarsen_drops(const gputune__coarsener *c, int i, int *end)
{
    *end = c->form == GPUTUNE_COARSEN_THREAD ? gputune__attribute_end(&c->source, i) : -1;
    return *end >= 0;
}

// Tokens [begin, end) of a head, for the new kernel; at thread level without what fixes the group.
static void gputune__coarsen_put_head(gputune__coarsener *c, int begin, int end, char **out)
{
    static const char *const kernel_words[] = { "extern", "static", "void", NULL };
    const gputune__source *s = &c->source;
    int i, d, v, last;
    for (i = begin; i < end; i++) {
        const char *const *word;
        if (s->tokens[i].directive || !s->tokens[i].live ||
            !(gputune__coarsen_drops(c, i, &last) ||
              (c->form == GPUTUNE_COARSEN_THREAD && gputune__source_is_kernel_word(s, i)))) {
            gputune__coarsen_span(c, i, i + 1, out);
            gputune__coarsen_put(
                c, out, i + 1 < end && s->tokens[i + 1].begin > s->tokens[i].end ? " " : "");
            continue;
        }
        if (last >= 0) {
            i = last;
            continue;
        }
        // The macro may hold a group's size: what else it says.
        for (word = kernel_words; *word; word++)
            for (d = 0; d < gputune__len(s->defines); d++)
                for (v = s->defines[d].value; v < s->defines[d].value_end; v++)
                    if (c->symbols[s->defines[d].name] == c->symbols[i] &&
                        gputune__token_is(s, v, *word)) {
                        gputune__coarsen_put(c, out, *word);
                        gputune__coarsen_put(c, out, strcmp(*word, "extern") ? " " : " \"C\" ");
                        d = gputune__len(s->defines) - 1;
                        break;
                    }
        gputune__coarsen_put(c, out, s->cuda ? "__global__ " : "__kernel ");
    }
}

// The head begins where the #if begins that it is in, if only that stands before it.
static int gputune__coarsen_region(gputune__coarsener *c, const gputune__routine *f)
{
    static const char *const turns[] = { "else", "elif", "elifdef", "elifndef", "endif", NULL };
    const gputune__source *s = &c->source;
    int i, start = f->start, level = c->levels[f->start], lowest = level;
    for (i = f->start; i < f->name; i++)
        if (s->tokens[i].directive && s->tokens[i].first) {
            int inside = c->levels[i] - gputune__token_in(s, i + 1, turns) +
                         gputune__token_is(s, i + 1, "endif");
            if (inside < lowest) lowest = inside;
        }
    while (level > lowest && start > 0) {
        for (i = start - 1; i > 0 && !(s->tokens[i].directive && s->tokens[i].first);) i--;
        if (!s->tokens[i].directive ||
            (start == f->start && i < start - 1 && gputune__line_end(s, i) < start)) {
            gputune__coarsen_fail(c, f->name, "a head that begins in the middle of an #if");
            return f->start;
        }
        start = i;
        level = i > 0 ? c->levels[i - 1] : 0;
    }
    return start;
}

// Names of the template's parameters, as arguments.
static void gputune__coarsen_template(gputune__coarsener *c, const gputune__routine *f, char **out)
{
    const gputune__source *s = &c->source;
    int i, depth = 0, name = -1;
    bool pack = false, first = true, value = false;
    for (i = f->start; i < f->name && !gputune__token_is(s, i, "template"); i++) continue;
    if (i == f->name) return;
    gputune__coarsen_put(c, out, "<");
    for (i++; i < f->name && c->r.result == GPUTUNE_OK; i++) {
        bool close;
        if (gputune__token_is(s, i, "(")) i = gputune__bracket_end(s, i); // = (N > 1)
        close = gputune__token_is(s, i, ">");
        depth += gputune__token_is(s, i, "<") - close;
        if (depth > 1) continue;
        if (gputune__token_is(s, i, ".")) pack = true;
        if (gputune__token_is(s, i, "=")) value = true;
        if (gputune__is_word(s, i) && !value) name = i;
        if (!gputune__token_is(s, i, ",") && depth > 0) continue;
        if (name < 0) {
            gputune__coarsen_fail(c, i, "a template that cannot be read");
            return;
        }
        gputune__coarsen_put(c, out, first ? "" : ", ");
        gputune__coarsen_span(c, name, name + 1, out);
        gputune__coarsen_put(c, out, pack ? "..." : "");
        first = pack = value = false;
        name = -1;
        if (depth == 0) break;
    }
    gputune__coarsen_put(c, out, ">");
}

// The loops round the call. The bound stands in the conditions of group level's loops: PoCL 3.1
// miscompiles an `if` round a body with barriers.
static bool gputune__coarsen_loops(gputune__coarsener *c, bool guarded, const char *call,
                                   char **out)
{
    const gputune__base *b = &c->base;
    bool group = c->form == GPUTUNE_COARSEN_GROUP, ok = true;
    bool unroll = !group && !guarded && (double)c->factor[0] * c->factor[1] * c->factor[2] <= 16;
    int d;
    for (d = 2; d >= 0 && ok; d--)
        if (!group && c->factor[d] == 1)
            ok = gputune__text_add(b, out, " const int gputune__k%d = 0;", d);
    for (d = 2; d >= 0 && ok; d--) {
        if (!group && c->factor[d] == 1) continue;
        ok = gputune__text_add(b, out, "%sfor (gputune__big gputune__k%d = 0; gputune__k%d < %d",
                               unroll ? "\n#pragma unroll\n" : "\n", d, d, c->factor[d]);
        if (group && ok)
            ok = gputune__text_add(b, out,
                                   " && gputune__at.gputune__i%d + gputune__k%d * %d < "
                                   "gputune__at.gputune__e%d",
                                   d, d, c->stride[d], d);
        ok = ok && gputune__text_add(b, out, "; gputune__k%d++)", d);
    }
    ok = ok && gputune__text_add(b, out, " {\n");
    for (d = 0; d < 3 && ok; d++)
        ok = gputune__text_add(b, out,
                               "const gputune__big gputune__n%d = gputune__at.gputune__i%d + "
                               "gputune__k%d * %d;\n",
                               d, d, d, c->stride[d]);
    if (guarded && ok)
        ok = gputune__text_add(b, out,
                               "if (gputune__n0 < gputune__at.gputune__e0 && gputune__n1 < "
                               "gputune__at.gputune__e1 && gputune__n2 < "
                               "gputune__at.gputune__e2) ");
    return ok && gputune__text_add(b, out, "{ gputune__set ") &&
           gputune__text_put(b, out, call, strlen(call)) &&
           gputune__text_add(b, out, "; }%s }\n", group && c->waits ? " gputune__next();" : "");
}

static bool gputune__coarsen_body(gputune__coarsener *c, const char *call, char **out)
{
    const gputune__base *b = &c->base;
    const int *f = c->factor, *t = c->stride;
    if (!gputune__text_add(b, out,
                           "const gputune__start gputune__at = "
                           "gputune__begin(gputune__grid);\n"))
        return false;
    if (c->form == GPUTUNE_COARSEN_GROUP) return gputune__coarsen_loops(c, false, call, out);
    if (f[0] == 1 && f[1] == 1 && f[2] == 1) return gputune__coarsen_loops(c, true, call, out);
    return gputune__text_add(b, out,
                             "if (gputune__at.gputune__i0 + %lldu < gputune__at.gputune__e0 && "
                             "gputune__at.gputune__i1 + %lldu < gputune__at.gputune__e1 && "
                             "gputune__at.gputune__i2 + %lldu < gputune__at.gputune__e2) {",
                             (long long)(f[0] - 1) * t[0], (long long)(f[1] - 1) * t[1],
                             (long long)(f[2] - 1) * t[2]) &&
           gputune__coarsen_loops(c, false, call, out) && gputune__text_add(b, out, "} else {") &&
           gputune__coarsen_loops(c, true, call, out) && gputune__text_add(b, out, "}\n");
}

// The name of the function that the body of f becomes.
static void gputune__coarsen_name(gputune__coarsener *c, const gputune__routine *f, char **out)
{
    gputune__coarsen_put(c, out, "gputune__body_");
    gputune__coarsen_span(c, f->name, f->name + 1, out);
}

// Is what is hoisted local memory, and not a constant?
static bool gputune__coarsen_is_local(const gputune__coarsener *c, const gputune__hoist *h)
{
    int i;
    for (i = h->specs; i < h->specs_end; i++)
        if (gputune__address_space(&c->source, i, 0) == GPUTUNE__ADDRESS_LOCAL) return true;
    return false;
}

// The original head becomes that of a plain function.
static void gputune__coarsen_body_head(gputune__coarsener *c, const gputune__routine *f, int first)
{
    const gputune__source *s = &c->source;
    bool is_void, none = gputune__coarsen_no_params(s, f->open, f->close, &is_void);
    char *text = NULL;
    int i, k, depth = 0;
    for (i = f->start; i < f->open; i++) {
        if (s->tokens[i].directive || !s->tokens[i].live) continue;
        if (gputune__token_is(s, i, "template")) {
            for (i++; i < f->open; i++) {
                if (gputune__token_is(s, i, "(")) i = gputune__bracket_end(s, i);
                depth += gputune__token_is(s, i, "<") - gputune__token_is(s, i, ">");
                if (depth == 0) break;
            }
            continue;
        }
        gputune__rewrite_set(&c->r, i, "");
    }
    for (i = f->close + 1; i < f->body; i++)
        if (!s->tokens[i].directive && s->tokens[i].live && !f->shared)
            gputune__rewrite_set(&c->r, i, "");
    gputune__coarsen_put(c, &text, "gputune__fn void ");
    gputune__coarsen_name(c, f, &text);
    if (text) gputune__rewrite_add(&c->r, f->name, text);
    gputune__arr_free(&c->base, text);
    if (is_void) gputune__rewrite_set(&c->r, gputune__skip_directives(s, f->open + 1), "");
    gputune__coarsen_put(c, &text, "gputune__p");
    for (k = first; k < gputune__len(c->hoists); k++) {
        bool local = gputune__coarsen_is_local(c, &c->hoists[k]);
        gputune__coarsen_put(c, &text, local ? ", __local void *" : ", __constant void *");
        gputune__coarsen_numbered(c, &text, "l", k);
    }
    gputune__coarsen_put(c, &text, none ? "" : ", ");
    if (text) gputune__coarsen_wrap(c, f->open, "", text);
    gputune__arr_free(&c->base, text);
}

// The head of the new kernel, f's with one more parameter, and the call of its body; parts of an
// #if are copied to both.
static void gputune__coarsen_new_head(gputune__coarsener *c, const gputune__routine *f, int begin,
                                      int first, char **head, char **call)
{
    const gputune__source *s = &c->source;
    bool is_void, none = gputune__coarsen_no_params(s, f->open, f->close, &is_void);
    int k;
    gputune__coarsen_put_head(c, begin, f->open + 1, head);
    if (!none) gputune__coarsen_span(c, f->open + 1, f->close, head);
    gputune__coarsen_put(c, head,
                         none ? "gputune_grid gputune__grid)" : "\n, gputune_grid gputune__grid)");
    gputune__coarsen_name(c, f, call);
    gputune__coarsen_template(c, f, call);
    gputune__coarsen_put(c, call, "(gputune__a");
    for (k = first; k < gputune__len(c->hoists); k++) {
        bool local = gputune__coarsen_is_local(c, &c->hoists[k]); // volatile ones need the cast
        gputune__coarsen_put(c, call, local ? ", (__local void *)" : ", (__constant void *)");
        gputune__coarsen_put(c, call, c->hoists[k].array ? "" : "&");
        gputune__coarsen_numbered(c, call, "l", k);
    }
    if (none) {
        gputune__coarsen_put(c, call, ")");
        return;
    }
    gputune__coarsen_put(c, call, ",");
    gputune__coarsen_args(c, f->open + 1, f->close, 0, call);
    gputune__coarsen_put(c, call, ")");
}

static void gputune__coarsen_kernel(gputune__coarsener *c, int index)
{
    const gputune__source *s = &c->source;
    const gputune__routine *f = &c->functions[index];
    int first = gputune__len(c->hoists), begin = gputune__coarsen_region(c, f), k;
    char *head = NULL, *call = NULL, *text = NULL;
    if (f->end < 0 || c->levels[f->end] != c->levels[f->body]) {
        gputune__coarsen_fail(c, f->name, "the end of this kernel is not clear");
        return;
    }
    if (c->levels[f->open] != c->levels[f->close] || f->shared ||
        (index > 0 && c->functions[index - 1].shared)) {
        gputune__coarsen_fail(c, f->name, "heads in the branches of an #if");
        return;
    }
    if (c->form == GPUTUNE_COARSEN_GROUP) gputune__coarsen_exits(c, f);
    gputune__coarsen_hoists(c, f);
    gputune__coarsen_body_head(c, f, first);
    gputune__coarsen_new_head(c, f, begin, first, &head, &call);
    gputune__coarsen_put(c, &text, "\n");
    if (head) gputune__coarsen_put(c, &text, head);
    if (f->body > f->close + 1) gputune__coarsen_put_head(c, f->close + 1, f->body, &text);
    gputune__coarsen_put(c, &text, "\n{ ");
    for (k = first; k < gputune__len(c->hoists) && c->r.result == GPUTUNE_OK; k++) {
        const gputune__hoist *h = &c->hoists[k];
        gputune__coarsen_specs(c, h, true, &text);
        gputune__coarsen_numbered(c, &text, "l", k);
        gputune__coarsen_span(c, h->suffix, h->end, &text);
        gputune__coarsen_put(c, &text, ";\n");
    }
    if (c->r.result == GPUTUNE_OK)
        gputune__coarsen_check(
            c, gputune__coarsen_body(c, call, &text) &&
                   gputune__text_add(&c->base, &text, "}\n#line %d\n", s->tokens[f->end].line));
    if (c->r.result == GPUTUNE_OK) gputune__coarsen_wrap(c, f->end, "", text);
    gputune__arr_free(&c->base, head);
    gputune__arr_free(&c->base, call);
    gputune__arr_free(&c->base, text);
}

// A prototype of the kernel, or an explicit instance of it, has the grid, too.
static void gputune__coarsen_prototype(gputune__coarsener *c, const gputune__routine *f)
{
    bool is_void, none = gputune__coarsen_no_params(&c->source, f->open, f->close, &is_void);
    if (is_void) gputune__rewrite_set(&c->r, gputune__skip_directives(&c->source, f->open + 1), "");
    gputune__coarsen_wrap(c, f->close, none ? "gputune_grid" : ", gputune_grid", "");
}

// template __global__ void f<int>(int *);
static void gputune__coarsen_instances(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    int i, open, close;
    for (i = 0; i < gputune__len(s->tokens) && c->r.result == GPUTUNE_OK; i++) {
        if (!s->tokens[i].live || s->tokens[i].directive || c->depths[i] ||
            !gputune__token_is(s, i, c->kernel) || !gputune__token_is(s, i + 1, "<"))
            continue;
        open = gputune__coarsen_call(s, i);
        close = open < 0 ? -1 : gputune__token_closing(s, open);
        if (close < 0) continue;
        if (gputune__token_is(s, close + 1, "{"))
            gputune__coarsen_fail(c, i, "a specialisation of the kernel");
        gputune__coarsen_wrap(c, close, close > open + 1 ? ", gputune_grid" : "gputune_grid", "");
    }
}

static void gputune__coarsen_kernels(gputune__coarsener *c)
{
    int i;
    gputune__coarsen_instances(c);
    for (i = 0; i < gputune__len(c->functions) && c->r.result == GPUTUNE_OK; i++) {
        if (!gputune__coarsen_is_target(c, &c->functions[i])) continue;
        if (c->functions[i].body < 0 && !c->functions[i].shared)
            gputune__coarsen_prototype(c, &c->functions[i]);
        else
            gputune__coarsen_kernel(c, i);
    }
}

// --- what stands in front ---
//
// Every name begins with gputune__, so that no macro of the build options changes it. Ids of OpenCL
// are functions of a struct that is passed by value; those of CUDA are parameters of their names.
// Macros made of words only, so that members and variables of these names stay what they are.

static const char gputune__coarsen_opencl_types[] =
    "#ifdef __CUDACC__\n"
    "#define gputune__fn static __forceinline__\n"
    "#else\n"
    "#define gputune__fn static\n"
    "#endif\n"
    "#define gputune__big size_t\n"
    "typedef struct gputune_grid {\n"
    "    ulong gputune__s[3], gputune__l[3], gputune__b[3], gputune__e[3];\n"
    "} gputune_grid;\n"
    "typedef struct gputune__ids {\n"
    "    size_t gputune__i0, gputune__i1, gputune__i2, gputune__e0, gputune__e1, gputune__e2;\n"
    "    size_t gputune__s0, gputune__s1, gputune__s2, gputune__l0, gputune__l1, gputune__l2;\n"
    "} gputune__ids;\n"
    "typedef gputune__ids gputune__start;\n"
    "#define gputune__p const gputune__ids gputune__v\n"
    "#define gputune__a gputune__v\n"
    "#define gputune__here const gputune__ids gputune__v = gputune__real();\n"
    "#define gputune__set const gputune__ids gputune__v = gputune__at_item(gputune__at, "
    "gputune__n0, gputune__n1, gputune__n2);\n"
    "#define gputune__pick(d, v, name, none) ((d) == 0 ? (v).name##0 : (d) == 1 ? (v).name##1 : "
    "(d) == 2 ? (v).name##2 : (none))\n"
    "gputune__fn gputune__ids gputune__at_item(gputune__ids gputune__v, size_t gputune__x, size_t "
    "gputune__y, size_t gputune__z)\n"
    "{\n"
    "    gputune__v.gputune__i0 = gputune__x;\n"
    "    gputune__v.gputune__i1 = gputune__y;\n"
    "    gputune__v.gputune__i2 = gputune__z;\n"
    "    return gputune__v;\n"
    "}\n"
    "gputune__fn size_t gputune__div(size_t gputune__x, size_t gputune__y)\n"
    "{\n"
    "    return (((ulong)gputune__x | gputune__y) >> 32) ? gputune__x / gputune__y\n"
    "                                                   : (uint)gputune__x / (uint)gputune__y;\n"
    "}\n"
    "gputune__fn size_t gputune__ceil(size_t gputune__x, size_t gputune__y)\n"
    "{ return gputune__div(gputune__x + gputune__y - 1, gputune__y); }\n"
    "gputune__fn size_t gputune__items_of(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__pick(gputune__d, gputune__v, gputune__s, (size_t)1); }\n"
    "gputune__fn uint gputune__work_dim(gputune__ids gputune__v)\n"
    "{\n"
    "#ifdef __CUDACC__\n"
    "    return gputune__v.gputune__s2 > 1 ? 3 : gputune__v.gputune__s1 > 1 ? 2 : 1;\n"
    "#else\n"
    "    return get_work_dim();\n"
    "#endif\n"
    "}\n";

static const char gputune__coarsen_opencl_thread[] =
    "gputune__fn size_t gputune__item_of(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__pick(gputune__d, gputune__v, gputune__i, (size_t)0); }\n"
    "gputune__fn size_t gputune__global_id(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__item_of(gputune__v, gputune__d) + get_global_offset(gputune__d); }\n"
    "gputune__fn size_t gputune__local_size(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__pick(gputune__d, gputune__v, gputune__l, (size_t)1); }\n"
    "gputune__fn size_t gputune__group_id(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__div(gputune__item_of(gputune__v, gputune__d), "
    "gputune__local_size(gputune__v, gputune__d)); }\n"
    "gputune__fn size_t gputune__local_id(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__item_of(gputune__v, gputune__d) - gputune__group_id(gputune__v, gputune__d) "
    "* gputune__local_size(gputune__v, gputune__d); }\n"
    "gputune__fn size_t gputune__local_linear(gputune__ids gputune__v)\n"
    "{ return (gputune__local_id(gputune__v, 2) * gputune__v.gputune__l1 + "
    "gputune__local_id(gputune__v, 1)) * gputune__v.gputune__l0 + gputune__local_id(gputune__v, "
    "0); "
    "}\n"
    "#define get_local_id(d) gputune__local_id(gputune__v, d)\n"
    "#define get_local_size(d) gputune__local_size(gputune__v, d)\n"
    "#define get_enqueued_local_size(d) gputune__local_size(gputune__v, d)\n"
    "#define get_local_linear_id() gputune__local_linear(gputune__v)\n";

static const char gputune__coarsen_opencl_group[] =
    "gputune__fn size_t gputune__group_id(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__pick(gputune__d, gputune__v, gputune__i, (size_t)0); }\n"
    "gputune__fn size_t gputune__local_size(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__d < 3 ? get_local_size(gputune__d) : 1; }\n" // PoCL 3.1: else 0
    "gputune__fn size_t gputune__item_of(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__group_id(gputune__v, gputune__d) * get_local_size(gputune__d) + "
    "get_local_id(gputune__d); }\n"
    "gputune__fn size_t gputune__global_id(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__item_of(gputune__v, gputune__d) + get_global_offset(gputune__d); }\n";

static const char gputune__coarsen_opencl_next[] =
    "gputune__fn void gputune__next(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n";

// Where items may end before a barrier. The standard lets no one do that unless all do: what only
// holds for NVIDIA's devices is made for these. PoCL 3.1 hangs, even if all of a group end.
static const char gputune__coarsen_opencl_exits[] =
    "#if defined(__CUDACC__)\n"
    "gputune__fn int gputune__any(int gputune__x) { return __syncthreads_or(gputune__x); }\n"
    "#elif defined(__NV_CL_C_VERSION)\n"
    "gputune__fn int gputune__any(int gputune__x)\n"
    "{\n"
    "    int gputune__r;\n"
    "    asm volatile(\"{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; \"\n"
    "                 \"selp.s32 %0, 1, 0, q; }\" : \"=r\"(gputune__r) : \"r\"(gputune__x) : "
    "\"memory\");\n"
    "    return gputune__r;\n"
    "}\n"
    "#else\n"
    "#error \"gputune: items may end before others come to a barrier\"\n"
    "#endif\n"
    "gputune__fn void gputune__next(void) { while (gputune__any(0)) { } }\n"
    "#define barrier(...) ((void)gputune__any(1))\n"
    "#define work_group_barrier(...) ((void)gputune__any(1))\n";

// Behind the types and gputune__real_id.
static const char gputune__coarsen_opencl_real[] =
    "gputune__fn gputune__ids gputune__real(void)\n"
    "{\n"
    "    gputune__ids gputune__v;\n"
    "    gputune__v.gputune__i0 = gputune__real_id(0);\n"
    "    gputune__v.gputune__i1 = gputune__real_id(1);\n"
    "    gputune__v.gputune__i2 = gputune__real_id(2);\n"
    "    gputune__v.gputune__s0 = get_global_size(0);\n"
    "    gputune__v.gputune__s1 = get_global_size(1);\n"
    "    gputune__v.gputune__s2 = get_global_size(2);\n"
    "    gputune__v.gputune__l0 = get_local_size(0);\n"
    "    gputune__v.gputune__l1 = get_local_size(1);\n"
    "    gputune__v.gputune__l2 = get_local_size(2);\n"
    "    gputune__v.gputune__e0 = gputune__v.gputune__e1 = gputune__v.gputune__e2 = 0;\n"
    "    return gputune__v;\n"
    "}\n";

static const char gputune__coarsen_opencl_end[] =
    "gputune__fn size_t gputune__num_groups(gputune__ids gputune__v, uint gputune__d)\n"
    "{ return gputune__ceil(gputune__items_of(gputune__v, gputune__d), "
    "gputune__local_size(gputune__v, gputune__d)); }\n"
    "gputune__fn size_t gputune__global_linear(gputune__ids gputune__v)\n"
    "{ return (gputune__item_of(gputune__v, 2) * gputune__v.gputune__s1 + "
    "gputune__item_of(gputune__v, 1)) * gputune__v.gputune__s0 + gputune__item_of(gputune__v, 0); "
    "}\n"
    "#define get_global_id(d) gputune__global_id(gputune__v, d)\n"
    "#define get_global_size(d) gputune__items_of(gputune__v, d)\n"
    "#define get_group_id(d) gputune__group_id(gputune__v, d)\n"
    "#define get_num_groups(d) gputune__num_groups(gputune__v, d)\n"
    "#define get_global_linear_id() gputune__global_linear(gputune__v)\n"
    "#define get_work_dim() gputune__work_dim(gputune__v)\n";

static const char gputune__coarsen_cuda_types[] =
    "#define gputune__fn static __device__ __forceinline__\n"
    "#define gputune__big unsigned long long\n"
    "typedef struct gputune_grid {\n"
    "    unsigned long long gputune__s[3], gputune__l[3], gputune__b[3], gputune__e[3];\n"
    "} gputune_grid;\n"
    "typedef struct gputune__start {\n"
    "    unsigned long long gputune__i0, gputune__i1, gputune__i2;\n"
    "    unsigned long long gputune__e0, gputune__e1, gputune__e2;\n"
    "    unsigned long long gputune__s0, gputune__s1, gputune__s2;\n"
    "    unsigned long long gputune__l0, gputune__l1, gputune__l2;\n"
    "} gputune__start;\n"
    "typedef struct gputune__wide { unsigned long long x, y, z; } gputune__wide;\n"
    "gputune__fn unsigned gputune__ceil(unsigned long long gputune__x, unsigned long long "
    "gputune__y)\n"
    "{\n"
    "    gputune__x += gputune__y - 1;\n"
    "    return ((gputune__x | gputune__y) >> 32) ? (unsigned)(gputune__x / gputune__y)\n"
    "                                             : (unsigned)gputune__x / (unsigned)gputune__y;\n"
    "}\n"
    "gputune__fn dim3 gputune__groups(const gputune__start &gputune__v)\n"
    "{\n"
    "    return dim3(gputune__ceil(gputune__v.gputune__s0, gputune__v.gputune__l0),\n"
    "                gputune__ceil(gputune__v.gputune__s1, gputune__v.gputune__l1),\n"
    "                gputune__ceil(gputune__v.gputune__s2, gputune__v.gputune__l2));\n"
    "}\n"
    "gputune__fn uint3 gputune__uint3(unsigned gputune__x, unsigned gputune__y, unsigned "
    "gputune__z)\n"
    "{ uint3 gputune__v; gputune__v.x = gputune__x; gputune__v.y = gputune__y; gputune__v.z = "
    "gputune__z; return gputune__v; }\n";

static const char gputune__coarsen_cuda_thread[] =
    "#define gputune__real_id(d) ((unsigned long long)blockIdx.d * blockDim.d + threadIdx.d)\n"
    "gputune__fn unsigned gputune__group(unsigned long long gputune__x, unsigned gputune__y)\n"
    "{ return gputune__ceil(gputune__x - gputune__y + 1, gputune__y); }\n"
    "gputune__fn uint3 gputune__block(gputune__wide gputune__x, dim3 gputune__y)\n"
    "{\n"
    "    return gputune__uint3(gputune__group(gputune__x.x, gputune__y.x),\n"
    "                          gputune__group(gputune__x.y, gputune__y.y),\n"
    "                          gputune__group(gputune__x.z, gputune__y.z));\n"
    "}\n"
    "gputune__fn uint3 gputune__thread(gputune__wide gputune__x, uint3 gputune__y, dim3 "
    "gputune__z)\n"
    "{\n"
    "    return gputune__uint3((unsigned)gputune__x.x - gputune__y.x * gputune__z.x,\n"
    "                          (unsigned)gputune__x.y - gputune__y.y * gputune__z.y,\n"
    "                          (unsigned)gputune__x.z - gputune__y.z * gputune__z.z);\n"
    "}\n"
    "gputune__fn uint3 gputune__real_thread() { return threadIdx; }\n"
    "gputune__fn uint3 gputune__real_block() { return blockIdx; }\n"
    "gputune__fn dim3 gputune__real_block_dim() { return blockDim; }\n"
    "gputune__fn dim3 gputune__real_grid_dim() { return gridDim; }\n"
    "gputune__fn gputune__wide gputune__wide_of(unsigned long long gputune__x, unsigned long long "
    "gputune__y, unsigned long long gputune__z)\n"
    "{ gputune__wide gputune__v; gputune__v.x = gputune__x; gputune__v.y = gputune__y; "
    "gputune__v.z = gputune__z; return gputune__v; }\n"
    "gputune__fn gputune__wide gputune__real_item()\n"
    "{ return gputune__wide_of(gputune__real_id(x), gputune__real_id(y), gputune__real_id(z)); }\n"
    "gputune__fn gputune__wide gputune__real_items()\n"
    "{ return gputune__wide_of((unsigned long long)gridDim.x * blockDim.x, (unsigned long "
    "long)gridDim.y * blockDim.y, (unsigned long long)gridDim.z * blockDim.z); }\n"
    "#define gputune__p const uint3 gputune__threadIdx, const uint3 gputune__blockIdx, const dim3 "
    "gputune__blockDim, const dim3 gputune__gridDim, const gputune__wide gputune__item, const "
    "gputune__wide gputune__items\n"
    "#define gputune__a gputune__threadIdx, gputune__blockIdx, gputune__blockDim, "
    "gputune__gridDim, gputune__item, gputune__items\n"
    "#define gputune__here const uint3 gputune__threadIdx = gputune__real_thread(), "
    "gputune__blockIdx = gputune__real_block(); const dim3 gputune__blockDim = "
    "gputune__real_block_dim(), gputune__gridDim = gputune__real_grid_dim(); const gputune__wide "
    "gputune__item = gputune__real_item(), gputune__items = gputune__real_items();\n"
    "#define gputune__set const gputune__wide gputune__item = gputune__wide_of(gputune__n0, "
    "gputune__n1, gputune__n2), gputune__items = gputune__wide_of(gputune__at.gputune__s0, "
    "gputune__at.gputune__s1, gputune__at.gputune__s2); const dim3 gputune__blockDim((unsigned)"
    "gputune__at.gputune__l0, (unsigned)gputune__at.gputune__l1, (unsigned)gputune__at.gputune__l2)"
    ", gputune__gridDim = gputune__groups(gputune__at); const uint3 gputune__blockIdx = "
    "gputune__block(gputune__item, gputune__blockDim), gputune__threadIdx = gputune__thread("
    "gputune__item, gputune__blockIdx, gputune__blockDim);\n";

static const char gputune__coarsen_cuda_group[] =
    "#define gputune__real_id(d) blockIdx.d\n"
    "gputune__fn uint3 gputune__real_block() { return blockIdx; }\n"
    "gputune__fn dim3 gputune__real_grid_dim() { return gridDim; }\n"
    "gputune__fn void gputune__next_plain() { __syncthreads(); }\n"
    "gputune__fn void gputune__next_exits() { while (__syncthreads_or(0)) { } }\n"
    "#define gputune__p const uint3 gputune__blockIdx, const dim3 gputune__gridDim\n"
    "#define gputune__a gputune__blockIdx, gputune__gridDim\n"
    "#define gputune__here const uint3 gputune__blockIdx = gputune__real_block(); const dim3 "
    "gputune__gridDim = gputune__real_grid_dim();\n"
    "#define gputune__set const uint3 gputune__blockIdx = gputune__uint3((unsigned)gputune__n0, "
    "(unsigned)gputune__n1, (unsigned)gputune__n2); const dim3 gputune__gridDim = "
    "gputune__groups(gputune__at);\n";

static const char gputune__coarsen_thread_ids[] = "#define threadIdx gputune__threadIdx\n"
                                                  "#define blockDim gputune__blockDim\n";
static const char gputune__coarsen_group_ids[] = "#define blockIdx gputune__blockIdx\n"
                                                 "#define gridDim gputune__gridDim\n";
static const char gputune__coarsen_exit_ids[] =
    "#define __syncthreads() ((void)__syncthreads_or(1))\n";

// Where the launch's work-item or work-group begins, the plan's numbers written out so that the
// compiler makes shifts of the divisions.
static bool gputune__coarsen_begin(gputune__coarsener *c, char **out)
{
    static const char axes[] = "xyz";
    const gputune__base *b = &c->base;
    int d;
    bool ok = gputune__text_add(b, out,
                                "gputune__fn gputune__start gputune__begin(gputune_grid "
                                "gputune__g)\n{\n    gputune__start gputune__v;\n    "
                                "gputune__big gputune__n;\n");
    for (d = 0; d < 3 && ok; d++) {
        char axis = c->source.cuda ? axes[d] : (char)('0' + d);
        ok = gputune__text_add(b, out, "    gputune__n = gputune__real_id(%c);\n", axis);
        if (ok && c->factor[d] == 1)
            ok = gputune__text_add(b, out,
                                   "    gputune__v.gputune__i%d = gputune__g.gputune__b[%d] "
                                   "+ gputune__n;\n",
                                   d, d);
        else
            ok = ok && gputune__text_add(
                           b, out,
                           "    gputune__v.gputune__i%d = gputune__g.gputune__b[%d] + "
                           "gputune__n / %du * %lluu + gputune__n %% %du;\n",
                           d, d, c->stride[d],
                           (unsigned long long)c->stride[d] * (unsigned long long)c->factor[d],
                           c->stride[d]);
        ok = ok && gputune__text_add(b, out,
                                     "    gputune__v.gputune__e%d = gputune__g.gputune__e[%d];\n"
                                     "    gputune__v.gputune__s%d = gputune__g.gputune__s[%d];\n"
                                     "    gputune__v.gputune__l%d = gputune__g.gputune__l[%d];\n",
                                     d, d, d, d, d, d);
    }
    return ok && gputune__text_add(b, out, "    return gputune__v;\n}\n");
}

static void gputune__coarsen_prefix(gputune__coarsener *c, char **out)
{
    bool thread = c->form == GPUTUNE_COARSEN_THREAD;
    if (c->source.cuda) {
        gputune__coarsen_put(c, out, gputune__coarsen_cuda_types);
        gputune__coarsen_put(c, out,
                             thread ? gputune__coarsen_cuda_thread : gputune__coarsen_cuda_group);
        gputune__coarsen_check(c, gputune__coarsen_begin(c, out));
        if (thread) gputune__coarsen_put(c, out, gputune__coarsen_thread_ids);
        gputune__coarsen_put(c, out, gputune__coarsen_group_ids);
        gputune__coarsen_put(c, out,
                             c->exits ? "#define gputune__next gputune__next_exits\n"
                                      : "#define gputune__next gputune__next_plain\n");
        if (c->exits) gputune__coarsen_put(c, out, gputune__coarsen_exit_ids);
        return;
    }
    gputune__coarsen_put(c, out, gputune__coarsen_opencl_types);
    gputune__coarsen_put(c, out, "gputune__fn size_t gputune__real_id(uint gputune__d)\n");
    gputune__coarsen_put(c, out,
                         thread ? "{ return get_global_id(gputune__d) - "
                                  "get_global_offset(gputune__d); }\n"
                                : "{ return get_group_id(gputune__d); }\n");
    gputune__coarsen_put(c, out, gputune__coarsen_opencl_real);
    gputune__coarsen_check(c, gputune__coarsen_begin(c, out));
    gputune__coarsen_put(c, out,
                         thread ? gputune__coarsen_opencl_thread : gputune__coarsen_opencl_group);
    if (!thread)
        gputune__coarsen_put(
            c, out, c->exits ? gputune__coarsen_opencl_exits : gputune__coarsen_opencl_next);
    gputune__coarsen_put(c, out, gputune__coarsen_opencl_end);
}

// CUDA's own headers see the real ids.
static void gputune__coarsen_includes(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    bool thread = c->form == GPUTUNE_COARSEN_THREAD;
    int i, end;
    for (i = 0; i < gputune__len(s->tokens) && c->r.result == GPUTUNE_OK; i++) {
        char text[64];
        if (!s->tokens[i].directive || !s->tokens[i].first || !s->tokens[i].live ||
            !gputune__token_is(s, i + 1, "include"))
            continue;
        if (!gputune__token_is(s, i + 2, "<")) {
            if (thread) gputune__coarsen_fail(c, i + 2, "an include that may hold barriers");
            continue;
        }
        if (!s->cuda) continue;
        end = gputune__line_end(s, i) - 1;
        snprintf(text, sizeof text, "#line %d", s->tokens[end].line + 1);
        gputune__coarsen_wrap(c, end, "", "\n");
        if (thread) gputune__rewrite_add(&c->r, end, gputune__coarsen_thread_ids);
        gputune__rewrite_add(&c->r, end, gputune__coarsen_group_ids);
        if (c->exits) gputune__rewrite_add(&c->r, end, gputune__coarsen_exit_ids);
        gputune__rewrite_add(&c->r, end, text);
        gputune__coarsen_wrap(c, i,
                              "#undef threadIdx\n#undef blockDim\n#undef blockIdx\n"
                              "#undef gridDim\n#undef __syncthreads\n",
                              "");
    }
}

// --- the whole ---

// One word of build options, quotes and backslashes taken away; false: none is left.
static bool gputune__coarsen_option(const gputune__base *b, const char **at, char **word, bool *ok)
{
    char quote = 0;
    while (**at == ' ' || **at == '\t' || **at == '\n') (*at)++;
    if (!**at) return false;
    *ok = gputune__text_put(b, word, "", 0);
    for (; **at && *ok && (quote || !strchr(" \t\n", **at)); (*at)++) {
        if (quote ? **at == quote : **at == '"' || **at == '\'') {
            quote = quote ? 0 : **at;
            continue;
        }
        if (**at == '\\' && (*at)[1]) (*at)++;
        *ok = gputune__text_put(b, word, *at, 1);
    }
    return *ok;
}

// The macros of the build options as #define lines; the source behind them, from its line 1.
static bool gputune__coarsen_text(const gputune__base *b, const char *source, const char *options,
                                  char **out)
{
    const char *at = options ? options : "";
    char *word = NULL;
    bool ok = gputune__text_put(b, out, "", 0), next = false;
    while (ok && gputune__coarsen_option(b, &at, &word, &ok)) {
        const char *name = word;
        bool defines = next || strncmp(word, "-D", 2) == 0;
        size_t length;
        if (!next && defines) name += 2;
        next = !next && defines && !*name;
        if (defines && *name) {
            length = strcspn(name, "=\n");
            ok = gputune__text_add(b, out, "#define %.*s ", (int)length, name) &&
                 gputune__text_put(b, out, name[length] ? name + length + 1 : "1",
                                   name[length] ? strcspn(name + length + 1, "\n") : 1) &&
                 gputune__text_put(b, out, "\n", 1);
        }
        gputune__arr_free(b, word);
    }
    gputune__arr_free(b, word);
    source += gputune__byte_order_mark(source);
    return ok && gputune__text_add(b, out, "#line 1\n") &&
           gputune__text_put(b, out, source, strlen(source));
}

static bool gputune__coarsen_tables(gputune__coarsener *c)
{
    size_t count = (size_t)gputune__len(c->source.tokens), i;
    c->symbols = (int *)gputune__alloc(&c->base, count, sizeof *c->symbols);
    c->depths = (int *)gputune__alloc(&c->base, count, sizeof *c->depths);
    c->levels = (int *)gputune__alloc(&c->base, count, sizeof *c->levels);
    c->flags = (unsigned char *)gputune__alloc(&c->base, count, 1);
    if (!c->symbols || !c->depths || !c->levels || !c->flags ||
        !gputune__arr_room(&c->base, c->r.to, count))
        return false;
    for (i = 0; i < count; i++) stbds_arrput(c->r.to, NULL);
    if (!gputune__coarsen_intern(c) || !gputune__coarsen_depths(c)) return false;
    gputune__coarsen_flag_words(c);
    return gputune__coarsen_find_functions(c);
}

static void gputune__coarsen_close(gputune__coarsener *c)
{
    int i;
    for (i = 0; i < gputune__len(c->r.to); i++) gputune__arr_free(&c->base, c->r.to[i]);
    gputune__arr_free(&c->base, c->r.to);
    gputune__free(&c->base, c->symbols);
    gputune__free(&c->base, c->depths);
    gputune__free(&c->base, c->levels);
    gputune__free(&c->base, c->flags);
    gputune__arr_free(&c->base, c->functions);
    gputune__arr_free(&c->base, c->hoists);
    gputune__source_free(&c->base, &c->source);
}

// Finds the kernel by its name, or else those whose names macros make: one of them is meant.
static void gputune__coarsen_find(gputune__coarsener *c)
{
    int i, pass, found = 0;
    for (pass = 0; pass < 2 && !found; pass++) {
        c->made = pass > 0;
        for (i = 0; i < gputune__len(c->functions); i++)
            found += gputune__coarsen_is_target(c, &c->functions[i]) &&
                     (c->functions[i].body >= 0 || c->functions[i].shared);
    }
    if (!found && c->r.result == GPUTUNE_OK)
        c->r.result =
            gputune__error(c->r.error, GPUTUNE_ERROR_SYMBOL,
                           "there is no kernel function %.200s, or a macro makes it", c->kernel);
}

static void gputune__coarsen_rewrite(gputune__coarsener *c)
{
    const gputune__source *s = &c->source;
    int i, k;
    gputune__coarsen_find(c);
    gputune__coarsen_check_ids(c);
    gputune__coarsen_spread(c, GPUTUNE__USES_IDS);
    if (c->form == GPUTUNE_COARSEN_THREAD) gputune__coarsen_absorb(c);
    for (i = 0; i < gputune__len(c->functions) && c->r.result == GPUTUNE_OK; i++)
        if (gputune__coarsen_is_target(c, &c->functions[i])) {
            const gputune__routine *f = &c->functions[i];
            gputune__coarsen_reach(c, f->start, f->body < 0 ? f->close : f->end);
        }
    for (i = 0; i < gputune__len(s->tokens); i++) {
        const gputune__coarsen_rule *rule = c->symbols[i] == i && gputune__coarsen_builtin(c, i)
                                                ? gputune__coarsen_find_rule(c, i)
                                                : NULL;
        if (rule && rule->bars) c->flags[i] |= GPUTUNE__BARS;
    }
    gputune__coarsen_spread(c, GPUTUNE__BARS);
    for (i = 0; i < gputune__len(s->tokens) && c->r.result == GPUTUNE_OK; i++)
        if (s->tokens[i].live && (gputune__coarsen_flags(c, i) & GPUTUNE__IS_KERNEL) &&
            gputune__token_is(s, i + 1, "(") && gputune__coarsen_inside(c, i))
            for (k = 0; k < gputune__len(c->functions); k++)
                if (c->symbols[c->functions[k].name] == c->symbols[i] &&
                    gputune__coarsen_is_target(c, &c->functions[k]))
                    gputune__coarsen_fail(c, i, "the kernel is called as a function");
    if (c->r.result == GPUTUNE_OK) gputune__coarsen_kernels(c);
    if (c->r.result == GPUTUNE_OK) gputune__coarsen_functions(c);
    if (c->r.result == GPUTUNE_OK) gputune__coarsen_calls(c);
    if (c->r.result == GPUTUNE_OK) gputune__coarsen_includes(c);
}

// *out: an array of the text_put kind.
static gputune_result gputune__coarsen(const char *source, const char *kernel,
                                       const char *build_options, const gputune_coarsen_plan *plan,
                                       const gputune_options *options, bool *reads_group,
                                       char **out, gputune_error *error)
{
    gputune__coarsener c;
    char *text = NULL;
    size_t length = strcspn(kernel, "< ");
    int i, line;
    memset(&c, 0, sizeof c);
    if (options) c.base.allocator = options->allocator;
    c.r.b = &c.base;
    c.r.s = &c.source;
    c.r.error = error;
    c.odd_barrier = -1;
    c.form = plan->form;
    for (i = 0; i < 3; i++) {
        c.factor[i] = plan->factor[i] < 1 ? 1 : plan->factor[i];
        c.stride[i] = plan->stride[i] < 1 ? 1 : plan->stride[i];
    }
    c.kernel = gputune__strndup(&c.base, kernel, length);
    c.r.result = GPUTUNE_OK;
    if (!c.kernel || !gputune__coarsen_text(&c.base, source, build_options, &text))
        c.r.result = gputune__oom(error);
    if (c.r.result == GPUTUNE_OK)
        c.r.result = gputune__source_parse(&c.base, text, &c.source, error);
    if (c.r.result == GPUTUNE_OK) {
        if (gputune__coarsen_tables(&c))
            gputune__coarsen_rewrite(&c);
        else
            c.r.result = gputune__oom(error);
    }
    gputune__coarsen_prefix(&c, out);
    for (line = 0; line < gputune__len(c.r.to) && c.r.result == GPUTUNE_OK; line++) {
        if (gputune__token_is(&c.source, line, "#") &&
            gputune__token_is(&c.source, line + 1, "line"))
            break;
        gputune__rewrite_set(&c.r, line, ""); // macros of the options
    }
    if (c.r.result == GPUTUNE_OK) gputune__coarsen_check(&c, gputune__rewrite_text(&c.r, out));
    *reads_group = c.reads_group;
    gputune__arr_free(&c.base, text);
    gputune__coarsen_close(&c);
    gputune__free(&c.base, (char *)(uintptr_t)c.kernel);
    return c.r.result;
}

GPUTUNE_API gputune_result gputune_coarsen_analyse(const char *source, const char *kernel,
                                                   const char *build_options,
                                                   const gputune_options *options,
                                                   gputune_coarsen_forms *forms,
                                                   gputune_error *error)
{
    static const gputune_coarsening tried[] = { GPUTUNE_COARSEN_THREAD, GPUTUNE_COARSEN_GROUP };
    gputune__base b;
    int i;
    memset(forms, 0, sizeof *forms);
    memset(&b, 0, sizeof b);
    if (options) b.allocator = options->allocator;
    for (i = 0; i < 2; i++) {
        gputune_coarsen_plan plan;
        gputune_error why;
        gputune_result result;
        char *text = NULL;
        bool reads_group = false;
        memset(&plan, 0, sizeof plan);
        plan.form = tried[i];
        result = gputune__coarsen(source, kernel, build_options, &plan, options, &reads_group,
                                  &text, &why);
        gputune__arr_free(&b, text);
        if (result == GPUTUNE_ERROR_UNSUPPORTED) {
            snprintf(i ? forms->group_why : forms->thread_why, sizeof forms->group_why, "%.255s",
                     why.text);
            continue;
        }
        if (result != GPUTUNE_OK) return gputune__error(error, result, "%s", why.text);
        if (i == 0)
            forms->thread = true;
        else
            forms->group = true;
        forms->reads_group = forms->reads_group || (i == 0 && reads_group);
    }
    return GPUTUNE_OK;
}

GPUTUNE_API gputune_result gputune_coarsen_source(const char *source, const char *kernel,
                                                  const char *build_options,
                                                  const gputune_coarsen_plan *plan,
                                                  const gputune_options *options, char **text,
                                                  gputune_error *error)
{
    gputune_coarsen_plan one = *plan;
    gputune__base b;
    gputune_result result;
    char *out = NULL;
    bool reads_group = false;
    memset(&b, 0, sizeof b);
    if (options) b.allocator = options->allocator;
    *text = NULL;
    if (plan->form == GPUTUNE_COARSEN_AUTO) one.form = GPUTUNE_COARSEN_THREAD;
    result =
        gputune__coarsen(source, kernel, build_options, &one, options, &reads_group, &out, error);
    if (result == GPUTUNE_ERROR_UNSUPPORTED && plan->form == GPUTUNE_COARSEN_AUTO) {
        gputune__arr_free(&b, out);
        one.form = GPUTUNE_COARSEN_GROUP;
        result = gputune__coarsen(source, kernel, build_options, &one, options, &reads_group, &out,
                                  error);
    }
    if (result == GPUTUNE_OK) {
        *text = gputune__strdup(&b, out);
        if (!*text) result = gputune__oom(error);
    }
    gputune__arr_free(&b, out);
    return result;
}

// a * b, the largest number if there is none so large.
static uint64_t gputune__coarsen_times(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

// A range without anything in it is one group that finds nothing to do; what is too large for the
// machine stays too large, so that the driver refuses it.
GPUTUNE_API void gputune_coarsen_launch(const gputune_coarsen_plan *plan, const gputune_grid *grid,
                                        const size_t group[3], size_t global[3])
{
    int d;
    for (d = 0; d < 3; d++) {
        uint64_t count = grid->end[d] > grid->begin[d] ? grid->end[d] - grid->begin[d] : 1;
        uint64_t stride = plan->stride[d] < 1 ? 1 : (uint64_t)plan->stride[d];
        uint64_t tile = stride * (plan->factor[d] < 1 ? 1 : (uint64_t)plan->factor[d]);
        uint64_t local = group[d] ? group[d] : 1;
        count = gputune__coarsen_times((count - 1) / tile + 1, stride);
        if (plan->form != GPUTUNE_COARSEN_GROUP) count = (count - 1) / local + 1;
        count = gputune__coarsen_times(count, local);
        global[d] = count > (size_t)-1 ? (size_t)-1 : (size_t)count;
    }
}

#endif // GPUTUNE_NO_COARSENING

// ---------------------------------------------------------------------------------------------
// [store]
// ---------------------------------------------------------------------------------------------
//
// Two kinds of file, both lines of tab-separated words that a person can read:
//
//     gputune store 1
//     entry <tab> name=saxpy <tab> api=opencl ... config=BLOCK=256 ITEMS=4 ... check=1f0c33a2
//
//     gputune journal 1
//     key <tab> name=saxpy ... check=...
//     begin <tab> config=BLOCK=256 ITEMS=4 <tab> check=...
//     end <tab> config=BLOCK=256 ITEMS=4 <tab> result=ok <tab> value=1.25e-05 ... check=...
//     race <tab> config=BLOCK=256 ITEMS=4 <tab> check=...
//     rest <tab> check=...
//     done <tab> check=...
//
// Several configurations may be in flight: each `end` names the one that it closes. `back` says
// that one had begun and nothing is known of it. `race` says which one is launched again after its
// trial: in the final race, or the default between trials; the next `race` or `rest` closes it. A
// second `end` of a configuration counts instead of the first.
//
// In a value, control characters and % are %XX. check is a hash of what stands before it. Lines
// with another first word are a later version's and lines without a right check are damaged: both
// are skipped, and stay in the file.

// How long saving waits for other processes. Saving 10,000 entries takes about 50 ms, so 2 s let
// tens of processes pass; a program that waits longer for a lock seems to hang.
#ifndef GPUTUNE__LOCK_SECONDS
#define GPUTUNE__LOCK_SECONDS 2.0
#endif
#define GPUTUNE__LOCK_POLL_SECONDS 0.002

// A line survives the process's death as soon as it is written; only a power cut needs fsync. It
// costs 0.5 ms (SSD) to 10 ms (disk), so once a second is 1 % at worst.
#define GPUTUNE__SYNC_SECONDS 1.0

#define GPUTUNE__STORE_VERSION 1
#define GPUTUNE__JOURNAL_VERSION 1
#define GPUTUNE__STORE_HEADER "gputune store "
#define GPUTUNE__JOURNAL_HEADER "gputune journal "
#define GPUTUNE__STRING_MAX 65536 // bytes of one string in an entry

// What an answer depends on, outermost layer first.
typedef struct gputune__key {
    const char *name;                 // kernel or tuner
    const char *api, *device, *driver; // "opencl", "NVIDIA H200", "580.159.03"
    uint64_t source, space;           // hashes
    const char *problem;              // "n=2^20 m=2^10", or exact "n=1000"; "" if none
} gputune__key;

typedef struct gputune__entry {
    gputune__key key;
    const char *config; // "BLOCK=256 ITEMS=4"
    double value, default_value;
    int trials;
    const char *date; // ISO 8601, UTC; put fills it in when it is NULL or ""
} gputune__entry;

typedef enum {
    GPUTUNE__MATCH_NONE,
    GPUTUNE__MATCH_OTHER,   // same name and space; other device, driver or source
    GPUTUNE__MATCH_PROBLEM, // all but the problem: the nearest one
    GPUTUNE__MATCH_EXACT
} gputune__match;

// --- files: thin wrappers that return 0 or the system's error code ---

#define GPUTUNE__CODE_IRREGULAR (-1) // a folder or a device, not a file
#define GPUTUNE__CODE_BUSY (-2)      // locked by another

typedef enum gputune__file_use {
    GPUTUNE__FILE_READ,
    GPUTUNE__FILE_NEW,   // to write; must not exist
    GPUTUNE__FILE_LOCK,  // made if missing
    GPUTUNE__FILE_APPEND // to read and append; made if missing
} gputune__file_use;

// A file of a folder; longer names are left out.
typedef struct gputune__listed {
    char name[48];
    int64_t time; // of its last change, in any unit
} gputune__listed;

static bool gputune__listed_add(const gputune__base *b, gputune__listed **files, const char *name,
                                int64_t time)
{
    gputune__listed file;
    if (strlen(name) >= sizeof file.name) return true;
    snprintf(file.name, sizeof file.name, "%.47s", name);
    file.time = time;
    return gputune__push(b, *files, file);
}

#if defined(_WIN32)

#define GPUTUNE__SEPARATORS "/\\"
typedef HANDLE gputune__file;

static int gputune__file_code(bool ok) { return ok ? 0 : (int)GetLastError(); }

static bool gputune__code_missing(int code)
{
    return code == ERROR_FILE_NOT_FOUND || code == ERROR_PATH_NOT_FOUND;
}

static bool gputune__code_exists(int code)
{
    return code == ERROR_FILE_EXISTS || code == ERROR_ALREADY_EXISTS;
}

static const char *gputune__code_text(int code, char *text, size_t size)
{
    DWORD length = FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL,
                                  (DWORD)code, 0, text, (DWORD)size, NULL);
    while (length && (text[length - 1] == '\n' || text[length - 1] == '\r')) length--;
    text[length] = 0;
    if (!length) snprintf(text, size, "error %d", code);
    return text;
}

static int gputune__file_open(const char *path, gputune__file_use use, unsigned mode,
                              gputune__file *file)
{
    static const DWORD how[] = { OPEN_EXISTING, CREATE_NEW, OPEN_ALWAYS, OPEN_ALWAYS };
    DWORD access = use == GPUTUNE__FILE_READ ? GENERIC_READ : GENERIC_READ | GENERIC_WRITE;
    (void)mode;
    *file = CreateFileA(path, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                        how[use], FILE_ATTRIBUTE_NORMAL, NULL);
    if (*file == INVALID_HANDLE_VALUE) return gputune__file_code(false);
    if (GetFileType(*file) == FILE_TYPE_DISK) return 0;
    CloseHandle(*file);
    return GPUTUNE__CODE_IRREGULAR;
}

static int gputune__file_size(gputune__file file, uint64_t *size)
{
    LARGE_INTEGER bytes;
    if (!GetFileSizeEx(file, &bytes)) return gputune__file_code(false);
    *size = (uint64_t)bytes.QuadPart;
    return 0;
}

static int gputune__file_read(gputune__file file, char *data, size_t size, size_t *got)
{
    DWORD count = 0;
    bool ok = ReadFile(file, data, size > 1 << 30 ? 1 << 30 : (DWORD)size, &count, NULL) != 0;
    *got = count;
    return gputune__file_code(ok);
}

// Always at the end: whoever appends holds the file's lock.
static int gputune__file_write(gputune__file file, const char *data, size_t size)
{
    LARGE_INTEGER zero;
    zero.QuadPart = 0;
    if (!SetFilePointerEx(file, zero, NULL, FILE_END)) return gputune__file_code(false);
    while (size) {
        DWORD done = 0;
        if (!WriteFile(file, data, size > 1 << 30 ? 1 << 30 : (DWORD)size, &done, NULL))
            return gputune__file_code(false);
        data += done;
        size -= done;
    }
    return 0;
}

static int gputune__file_sync(gputune__file file)
{
    return gputune__file_code(FlushFileBuffers(file) != 0);
}

static int gputune__file_cut(gputune__file file, uint64_t size)
{
    LARGE_INTEGER at;
    at.QuadPart = (LONGLONG)size;
    return gputune__file_code(SetFilePointerEx(file, at, NULL, FILE_BEGIN) && SetEndOfFile(file));
}

// Locks a byte far behind the end, because a locked range cannot be read by others.
static int gputune__file_lock(gputune__file file)
{
    OVERLAPPED where;
    memset(&where, 0, sizeof where);
    where.OffsetHigh = 0x40000000;
    if (LockFileEx(file, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &where))
        return 0;
    return GetLastError() == ERROR_LOCK_VIOLATION ? GPUTUNE__CODE_BUSY : gputune__file_code(false);
}

static int gputune__file_close(gputune__file file)
{
    return gputune__file_code(CloseHandle(file) != 0);
}

static void gputune__file_unlock(gputune__file file) { gputune__file_close(file); }

static unsigned gputune__file_mode(const char *path)
{
    (void)path;
    return 0;
}

static int gputune__file_rename(const char *from, const char *to)
{
    return gputune__file_code(
        MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0);
}

static void gputune__file_remove(const char *path) { DeleteFileA(path); }

static int gputune__folder_create(const char *path, unsigned mode)
{
    (void)mode;
    if (CreateDirectoryA(path, NULL) || GetLastError() == ERROR_ALREADY_EXISTS) return 0;
    return gputune__file_code(false);
}

static void gputune__folder_sync(const char *path) { (void)path; }

static bool gputune__folder_private(const char *path)
{
    (void)path;
    return true; // a profile's folders are
}

// False when out of memory; a folder that cannot be read is empty.
static bool gputune__folder_list(const gputune__base *b, const char *path, gputune__listed **files)
{
    WIN32_FIND_DATAA found;
    HANDLE search = INVALID_HANDLE_VALUE;
    char *pattern = NULL;
    bool ok = gputune__text_add(b, &pattern, "%s\\*", path);
    if (ok) search = FindFirstFileA(pattern, &found);
    gputune__arr_free(b, pattern);
    if (search == INVALID_HANDLE_VALUE) return ok;
    do {
        uint64_t time = (uint64_t)found.ftLastWriteTime.dwHighDateTime << 32 |
                        found.ftLastWriteTime.dwLowDateTime;
        ok = gputune__listed_add(b, files, found.cFileName, (int64_t)time);
    } while (ok && FindNextFileA(search, &found));
    FindClose(search);
    return ok;
}

static unsigned long gputune__process_id(void)
{
    return GetCurrentProcessId();
}

// Symbolic links need rights that few have; they are replaced like files.
static char *gputune__link_target(const gputune__base *b, const char *path)
{
    return gputune__strdup(b, path);
}

#else

#define GPUTUNE__SEPARATORS "/"
typedef int gputune__file;

static bool gputune__code_missing(int code) { return code == ENOENT; }
static bool gputune__code_exists(int code) { return code == EEXIST; }

static const char *gputune__code_text(int code, char *text, size_t size)
{
    snprintf(text, size, "%s", strerror(code));
    return text;
}

static int gputune__file_close(gputune__file file) { return close(file) ? errno : 0; }

static int gputune__file_open(const char *path, gputune__file_use use, unsigned mode,
                              gputune__file *file)
{
    static const int flags[] = { O_RDONLY, O_WRONLY | O_CREAT | O_EXCL, O_RDWR | O_CREAT,
                                 O_RDWR | O_CREAT | O_APPEND };
    struct stat info;
    int how = flags[use] | O_NOCTTY | O_NONBLOCK; // does not wait for a pipe's other end
#ifdef O_CLOEXEC
    how |= O_CLOEXEC; // a program started meanwhile must not inherit the lock
#endif
    do {
        *file = open(path, how, (mode_t)mode);
    } while (*file < 0 && errno == EINTR);
    // flock needs no right to write: a lock file made by root serves everybody.
    if (*file < 0 && errno == EACCES && use == GPUTUNE__FILE_LOCK)
        *file = open(path, (how & ~(O_RDWR | O_CREAT)) | O_RDONLY);
    if (*file < 0) return errno;
#ifndef O_CLOEXEC
    fcntl(*file, F_SETFD, FD_CLOEXEC);
#endif
    if (fstat(*file, &info) == 0 && S_ISREG(info.st_mode)) return 0;
    close(*file);
    return GPUTUNE__CODE_IRREGULAR;
}

static int gputune__file_size(gputune__file file, uint64_t *size)
{
    struct stat info;
    if (fstat(file, &info)) return errno;
    *size = (uint64_t)info.st_size;
    return 0;
}

static int gputune__file_read(gputune__file file, char *data, size_t size, size_t *got)
{
    ssize_t count;
    do {
        count = read(file, data, size);
    } while (count < 0 && errno == EINTR);
    *got = count < 0 ? 0 : (size_t)count;
    return count < 0 ? errno : 0;
}

// One write() unless the system takes less.
static int gputune__file_write(gputune__file file, const char *data, size_t size)
{
    while (size) {
        ssize_t count = write(file, data, size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return errno;
        if (count == 0) return ENOSPC;
        data += count;
        size -= (size_t)count;
    }
    return 0;
}

static int gputune__file_sync(gputune__file file)
{
    int failed;
    do {
        failed = fsync(file);
    } while (failed && errno == EINTR);
    return failed && errno != EINVAL ? errno : 0; // EINVAL: nothing to flush on this file system
}

static int gputune__file_cut(gputune__file file, uint64_t size)
{
    return ftruncate(file, (off_t)size) ? errno : 0;
}

// flock and not fcntl: a lock of the open file, not lost when the process closes another
// descriptor of it, and gone when the process dies.
static int gputune__file_lock(gputune__file file)
{
    if (flock(file, LOCK_EX | LOCK_NB) == 0) return 0;
    return errno == EWOULDBLOCK || errno == EINTR ? GPUTUNE__CODE_BUSY : errno;
}

// Unlocks first: a forked child may have the same open file.
static void gputune__file_unlock(gputune__file file)
{
    flock(file, LOCK_UN);
    close(file);
}

// Permissions for a file that replaces this one.
static unsigned gputune__file_mode(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (unsigned)info.st_mode & 0777u : 0666u;
}

static int gputune__file_rename(const char *from, const char *to)
{
    return rename(from, to) ? errno : 0;
}

static void gputune__file_remove(const char *path) { unlink(path); }

static int gputune__folder_create(const char *path, unsigned mode)
{
    return mkdir(path, (mode_t)mode) && errno != EEXIST ? errno : 0;
}

// Is it a folder of this user's, no link to one, into which nobody else writes? One that is missing
// can be made so.
static bool gputune__folder_private(const char *path)
{
    struct stat info;
    char target;
    if (readlink(path, &target, 1) >= 0) return false;
    if (stat(path, &info)) return errno == ENOENT;
    return S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           !(info.st_mode & (S_IWGRP | S_IWOTH));
}

// Makes a rename in it durable. Not every file system can; the data are safe either way.
static void gputune__folder_sync(const char *path)
{
    int folder = open(path, O_RDONLY);
    if (folder < 0) return;
    fsync(folder);
    close(folder);
}

// False when out of memory; a folder that cannot be read is empty.
static bool gputune__folder_list(const gputune__base *b, const char *path, gputune__listed **files)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    struct stat info;
    char *file = NULL;
    bool ok = true;
    while (folder && ok && (entry = readdir(folder)) != NULL) {
        gputune__arr_free(b, file);
        ok = gputune__text_add(b, &file, "%s/%s", path, entry->d_name);
        if (ok && stat(file, &info) == 0 && S_ISREG(info.st_mode))
            ok = gputune__listed_add(b, files, entry->d_name, (int64_t)info.st_mtime);
    }
    gputune__arr_free(b, file);
    if (folder) closedir(folder);
    return ok;
}

static unsigned long gputune__process_id(void)
{
    return (unsigned long)getpid();
}

// What a symbolic link holds, in memory of its own; *target NULL: not a link.
static bool gputune__link_read(const gputune__base *b, const char *path, char **target)
{
    size_t size = 256;
    *target = NULL;
    for (;;) {
        char *text = (char *)gputune__alloc(b, size, 1);
        ssize_t length = text ? readlink(path, text, size) : 0;
        if (!text) return false;
        if (length >= 0 && (size_t)length < size) {
            text[length] = 0;
            *target = text;
            return true;
        }
        gputune__free(b, text);
        if (length < 0) return true;
        size *= 2;
    }
}

// The file behind a path that may be a symbolic link to it, so that replacing the file keeps the
// link. NULL: out of memory.
static char *gputune__link_target(const gputune__base *b, const char *path)
{
    char *result = gputune__strdup(b, path), *target = NULL, *joined, *slash;
    int links;
    for (links = 0; result && links < 40; links++) { // Linux follows as many
        if (!gputune__link_read(b, result, &target)) {
            gputune__free(b, result);
            return NULL;
        }
        if (!target) break;
        slash = strrchr(result, '/');
        if (target[0] != '/' && slash) { // relative to the link's folder
            size_t folder = (size_t)(slash - result) + 1, length = strlen(target);
            joined = (char *)gputune__alloc(b, folder + length + 1, 1);
            if (joined) {
                memcpy(joined, result, folder);
                memcpy(joined + folder, target, length);
            }
            gputune__free(b, target);
            target = joined;
        }
        gputune__free(b, result);
        result = target;
    }
    return result;
}

#endif

// ERROR_FILE (ERROR_LOCKED for a lock) with operation, path and the system's reason.
static gputune_result gputune__file_fail(gputune_error *error, const char *operation,
                                         const char *path, int code)
{
    char text[256];
    if (code == GPUTUNE__CODE_BUSY)
        return gputune__error(error, GPUTUNE_ERROR_LOCKED, "cannot %s %.1000s: %s", operation, path,
                              "another process holds it");
    return gputune__error(error, GPUTUNE_ERROR_FILE, "cannot %s %.1000s: %s", operation, path,
                          code == GPUTUNE__CODE_IRREGULAR
                              ? "not a regular file"
                              : gputune__code_text(code, text, sizeof text));
}

// Reads an open file whole; *data has a NUL behind its end.
static gputune_result gputune__file_load(const gputune__base *b, gputune__file file,
                                         const char *path, char **data, size_t *size,
                                         gputune_error *error)
{
    uint64_t bytes = 0;
    size_t got = 1;
    int code = gputune__file_size(file, &bytes);
    *data = NULL;
    *size = 0;
    if (code) return gputune__file_fail(error, "read", path, code);
    if (bytes >= (size_t)-1 / 2) return gputune__oom(error);
    *data = (char *)gputune__reallocate(&b->allocator, NULL, (size_t)bytes + 1);
    if (!*data) return gputune__oom(error);
    while (!code && got && *size < bytes) {
        code = gputune__file_read(file, *data + *size, (size_t)bytes - *size, &got);
        *size += got;
    }
    (*data)[*size] = 0;
    if (!code) return GPUTUNE_OK;
    gputune__free(b, *data);
    *data = NULL;
    *size = 0;
    return gputune__file_fail(error, "read", path, code);
}

// Length of a path's folder, without the separator at its end unless it is the root; 0: none.
static size_t gputune__folder_length(const char *path)
{
    size_t i, length = 0;
    for (i = 0; path[i]; i++)
        if (strchr(GPUTUNE__SEPARATORS, path[i])) length = i ? i : 1;
    return length;
}

// Makes the missing folders above a file; the innermost is for the user's eyes only, as the XDG
// convention wants it. That an outer one cannot be made shows when the next one fails.
static gputune_result gputune__folders_create(const gputune__base *b, const char *file,
                                              gputune_error *error)
{
    size_t i, length = gputune__folder_length(file);
    char *path = gputune__strndup(b, file, length);
    int code = 0;
    gputune_result result = GPUTUNE_OK;
    if (!path) return gputune__oom(error);
    for (i = 1; i <= length; i++) {
        char c = path[i];
        if (c && !strchr(GPUTUNE__SEPARATORS, c)) continue;
        path[i] = 0;
        code = gputune__folder_create(path, i == length ? 0700 : 0777);
        path[i] = c;
    }
    if (code) result = gputune__file_fail(error, "create the folder", path, code);
    gputune__free(b, path);
    return result;
}

// Opens a file that is made when missing, and its folders with it.
static gputune_result gputune__file_make(const gputune__base *b, const char *path,
                                         gputune__file_use use, const char *operation,
                                         gputune__file *file, gputune_error *error)
{
    gputune_result result;
    int code = gputune__file_open(path, use, 0666, file);
    if (code && gputune__code_missing(code)) {
        result = gputune__folders_create(b, path, error);
        if (result != GPUTUNE_OK) return result;
        code = gputune__file_open(path, use, 0666, file);
    }
    return code ? gputune__file_fail(error, operation, path, code) : GPUTUNE_OK;
}

// 0 or the system's error code; *operation: what failed.
static int gputune__file_put(const char *path, unsigned mode, const char *text, size_t size,
                             const char **operation)
{
    gputune__file file;
    int code = gputune__file_open(path, GPUTUNE__FILE_NEW, mode, &file), closed;
    *operation = "create";
    if (code) return code;
    *operation = "write";
    code = gputune__file_write(file, text, size);
    if (!code) {
        *operation = "flush";
        code = gputune__file_sync(file);
    }
    closed = gputune__file_close(file);
    return code ? code : closed;
}

static gputune_result gputune__file_write_new(const char *path, unsigned mode, const char *text,
                                              size_t size, gputune_error *error)
{
    const char *operation;
    int code;
    gputune__file_remove(path); // left by a process that died
    code = gputune__file_put(path, mode, text, size, &operation);
    return code ? gputune__file_fail(error, operation, path, code) : GPUTUNE_OK;
}

// Puts a text in a file's place so that whoever reads, now or after a crash, finds either the old
// one or the new one whole. On error the old file is as it was.
static gputune_result gputune__file_replace(const gputune__base *b, const char *path,
                                            const char *text, size_t size, gputune_error *error)
{
    size_t length = gputune__folder_length(path);
    char *temporary = NULL, *folder = gputune__strndup(b, length ? path : ".", length ? length : 1);
    gputune_result result = GPUTUNE_OK;
    int code;
    if (!folder || !gputune__text_add(b, &temporary, "%s.tmp", path)) {
        result = gputune__oom(error);
    } else {
        result = gputune__file_write_new(temporary, gputune__file_mode(path), text, size, error);
        code = result == GPUTUNE_OK ? gputune__file_rename(temporary, path) : 0;
        if (code) result = gputune__file_fail(error, "replace", path, code);
        if (result != GPUTUNE_OK) gputune__file_remove(temporary);
    }
    if (result == GPUTUNE_OK) gputune__folder_sync(folder);
    gputune__arr_free(b, temporary);
    gputune__free(b, folder);
    return result;
}

// --- numbers: every locale writes a point, and reading gives back the same bits ---

// Product of two 64-bit numbers: returns the lower half.
static uint64_t gputune__multiply(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
    uint64_t low = a0 * b0, middle = a1 * b0 + (low >> 32);
    uint64_t other = a0 * b1 + (middle & 0xffffffffu);
    *high = a1 * b1 + (middle >> 32) + (other >> 32);
    return other << 32 | (low & 0xffffffffu);
}

// mantissa * 2^exponent * 10^power, rounded to an integer. The product with 5^power is exact (53 +
// 59 bits for power <= 25) and the caller's range keeps the shift between 1 and 63.
static uint64_t gputune__scale_decimal(uint64_t mantissa, int exponent, int power)
{
    uint64_t five = 1, low, high;
    int i, shift = -(exponent + power);
    for (i = 0; i < power; i++) five *= 5;
    low = gputune__multiply(mantissa, five, &high);
    assert(shift > 0 && shift < 64);
    return (high << (64 - shift) | low >> shift) + (low >> (shift - 1) & 1);
}

// digits / 10^scale, correctly rounded because both are exact (Clinger, How to read floating point
// numbers accurately, 1990); NaN when one is not.
static double gputune__decimal_value(uint64_t digits, int scale)
{
    static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                   1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (digits >> 53 || scale < -22 || scale > 22) return NAN;
    return scale < 0 ? (double)digits * tens[-scale] : (double)digits / tens[scale];
}

// digits / 10^scale as text; digits > 0.
static void gputune__decimal_text(uint64_t digits, int scale, char *text)
{
    char reversed[24];
    int i, n = 0, exponent;
    for (; digits % 10 == 0; digits /= 10) scale--;
    for (; digits; digits /= 10) reversed[n++] = (char)('0' + digits % 10);
    exponent = n - 1 - scale;
    if (exponent < -4) { // 1.25e-05
        *text++ = reversed[n - 1];
        if (n > 1) *text++ = '.';
        for (i = n - 2; i >= 0; i--) *text++ = reversed[i];
        *text++ = 'e';
        *text++ = '-';
        *text++ = (char)('0' + -exponent / 10);
        *text++ = (char)('0' + -exponent % 10);
    } else { // 0.00125, 12.5, 125000
        if (exponent < 0) *text++ = '0', *text++ = '.';
        for (i = exponent; i < -1; i++) *text++ = '0';
        for (i = n - 1; i >= 0; i--) {
            *text++ = reversed[i];
            if (i && i == scale) *text++ = '.';
        }
        for (; scale < 0; scale++) *text++ = '0';
    }
    *text = 0;
}

// By printf, which takes ten times as long.
static void gputune__number_print(double value, char *text)
{
    char printed[40];
    const char *p = printed;
    bool point = false;
    snprintf(printed, sizeof printed, "%.15g", value);
    if (strtod(printed, NULL) != value) snprintf(printed, sizeof printed, "%.17g", value);
    for (; *p; p++) { // whatever is the locale's point becomes ours
        if (strchr("0123456789+-einfa", *p))
            *text++ = *p;
        else if (!point)
            *text++ = '.', point = true;
    }
    *text = 0;
}

// Writes a number with as few digits as give it back exactly: 15 if they do, else 16, else 17.
// 40 bytes suffice. Usual times take 0.1 us here and 1 us by printf and strtod; a trial's lines
// have eight.
static void gputune__number_text(double value, char *text)
{
    uint64_t bits, mantissa, digits, shorter;
    int exponent, power, drop;
    if (!(value >= 1e-7 && value < 1e14)) { // the range in which all below is exact
        gputune__number_print(value, text);
        return;
    }
    memcpy(&bits, &value, sizeof bits);
    mantissa = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    exponent = (int)(bits >> 52) - 1075;
    power = 16 - (int)floor((exponent + 52) * 0.30102999566398120); // 17 or 18 digits
    digits = gputune__scale_decimal(mantissa, exponent, power);
    if (digits >= UINT64_C(100000000000000000))
        digits = gputune__scale_decimal(mantissa, exponent, --power);
    for (drop = 2; drop > 0; drop--) {
        uint64_t unit = drop == 2 ? 100 : 10;
        shorter = (digits + unit / 2) / unit;
        if (gputune__decimal_value(shorter, power - drop) != value) continue;
        digits = shorter;
        power -= drop;
        break;
    }
    gputune__decimal_text(digits, power, text);
}

// Reads "12.5" or "1.25e-05" when that can be done exactly, five times as fast as strtod.
static bool gputune__number_quick(const char *text, double *value)
{
    uint64_t digits = 0;
    int scale = 0, exponent = 0, sign = -1;
    bool point = false, any = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        any = true;
        digits = digits * 10 + (uint64_t)(*text - '0');
        scale += point;
        if (digits >> 53) return false;
    }
    if (any && *text == 'e') {
        text++;
        if (*text == '+' || *text == '-') sign = *text++ == '+' ? -1 : 1;
        if (!*text) return false;
        for (; *text >= '0' && *text <= '9' && exponent < 999; text++)
            exponent = exponent * 10 + (*text - '0');
    }
    *value = gputune__decimal_value(digits, scale + sign * exponent);
    return any && !*text && *value == *value;
}

// Reads a number in any locale.
static bool gputune__store_number_parse(const char *text, double *value)
{
    char copy[64], half[16];
    char *end;
    size_t at, rest, point;
    if (gputune__number_quick(text, value)) return true;
    *value = strtod(text, &end);
    if (end != text && !*end) return true;
    if (end == text || *end != '.' || strlen(text) > 40) return false;
    snprintf(half, sizeof half, "%.1f", 0.5); // another locale: "0,5"
    point = strlen(half) - 2;
    at = (size_t)(end - text);
    rest = strlen(end + 1);
    memcpy(copy, text, at);
    memcpy(copy + at, half + 1, point);
    memcpy(copy + at + point, end + 1, rest + 1);
    *value = strtod(copy, &end);
    return !*end;
}

// The value of count hexadecimal digits; false when there are others.
static bool gputune__hex_parse(const char *text, int count, uint64_t *value)
{
    int i;
    *value = 0;
    for (i = 0; i < count; i++) {
        char c = text[i];
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0) return false;
        *value = *value << 4 | (uint64_t)digit;
    }
    return true;
}

// Writes count digits and a NUL; returns text.
static const char *gputune__hex_text(uint64_t value, int count, char *text)
{
    text[count] = 0;
    for (; count > 0; value >>= 4) text[--count] = "0123456789abcdef"[value & 15];
    return text;
}

// --- lines ---

// Appends "<tab>name=value". Tab, newline, other control characters and % become %XX.
static bool gputune__put_text(const gputune__base *b, char **line, const char *name,
                              const char *value)
{
    const unsigned char *p = (const unsigned char *)value, *begin;
    char code[4] = "%";
    if (!gputune__text_put(b, line, "\t", 1) || !gputune__text_put(b, line, name, strlen(name)) ||
        !gputune__text_put(b, line, "=", 1))
        return false;
    for (;;) {
        for (begin = p; *p >= ' ' && *p != 127 && *p != '%'; p++) {}
        if (!gputune__text_put(b, line, (const char *)begin, (size_t)(p - begin))) return false;
        if (!*p) return true;
        gputune__hex_text(*p++, 2, code + 1);
        if (!gputune__text_put(b, line, code, 3)) return false;
    }
}

static bool gputune__put_number(const gputune__base *b, char **line, const char *name, double value)
{
    char text[40];
    gputune__number_text(value, text);
    return gputune__put_text(b, line, name, text);
}

static bool gputune__put_hash(const gputune__base *b, char **line, const char *name, uint64_t value)
{
    char text[17];
    return gputune__put_text(b, line, name, gputune__hex_text(value, 16, text));
}

static bool gputune__put_count(const gputune__base *b, char **line, const char *name, int value)
{
    char text[16];
    snprintf(text, sizeof text, "%d", value);
    return gputune__put_text(b, line, name, text);
}

#define GPUTUNE__CHECK "\tcheck="
#define GPUTUNE__CHECK_LENGTH 15 // with its 8 digits

// The hash behind a line's check: FNV-1a's idea on 8 bytes at a time, because the whole file passes
// through it. A step is a bijection, so one changed word changes the state for certain; the 32 bits
// that are written miss a damage once in 4 billion. Never change it.
static uint64_t gputune__line_hash(const char *text, size_t length)
{
    const unsigned char *p = (const unsigned char *)text;
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ length, word;
    size_t i;
    for (; length >= 8; length -= 8, p += 8) {
        word = (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
               (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
               (uint64_t)p[7] << 56;
        hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 32;
    }
    for (i = 0; i < length; i++) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return gputune__mix(hash) & 0xffffffffu;
}

// Ends the line that begins at `begin` with its check and a newline.
static bool gputune__put_check(const gputune__base *b, char **line, size_t begin)
{
    char check[GPUTUNE__CHECK_LENGTH + 2] = GPUTUNE__CHECK;
    uint64_t hash = gputune__line_hash(*line + begin, (size_t)stbds_arrlen(*line) - begin);
    gputune__hex_text(hash, 8, check + GPUTUNE__CHECK_LENGTH - 8);
    check[GPUTUNE__CHECK_LENGTH] = '\n';
    return gputune__text_put(b, line, check, GPUTUNE__CHECK_LENGTH + 1);
}

// One line of a file in memory.
typedef struct gputune__line {
    size_t begin, end; // end: behind its newline
    size_t body;       // where its check begins, if `sound`; else where its text ends
    bool newline;      // not so on a torn last line
    bool sound;        // has a right check
} gputune__line;

// Finds the line that begins at `begin` < size.
static gputune__line gputune__line_at(const char *text, size_t begin, size_t size)
{
    gputune__line line;
    const char *newline = (const char *)memchr(text + begin, '\n', size - begin);
    uint64_t check;
    line.begin = begin;
    line.newline = newline != NULL;
    line.end = newline ? (size_t)(newline - text) + 1 : size;
    line.body = newline ? line.end - 1 : size;
    if (line.body > begin && text[line.body - 1] == '\r') line.body--;
    line.sound = line.body - begin > GPUTUNE__CHECK_LENGTH;
    if (line.sound) {
        size_t body = line.body - GPUTUNE__CHECK_LENGTH;
        line.sound = memcmp(text + body, GPUTUNE__CHECK, sizeof GPUTUNE__CHECK - 1) == 0 &&
                     gputune__hex_parse(text + line.body - 8, 8, &check) &&
                     gputune__line_hash(text + begin, body - begin) == check;
        if (line.sound) line.body = body;
    }
    return line;
}

// A sound line whose first word is this.
static bool gputune__line_is(const char *text, const gputune__line *line, const char *word)
{
    size_t length = strlen(word);
    return line->sound && line->body - line->begin >= length &&
           memcmp(text + line->begin, word, length) == 0 &&
           (line->body == line->begin + length || text[line->begin + length] == '\t');
}

// The version when the line is a header, else 0.
static int gputune__line_version(const char *text, const gputune__line *line, const char *header)
{
    size_t i = line->begin + strlen(header);
    int version = 0;
    if (line->body <= i || memcmp(text + line->begin, header, i - line->begin) != 0) return 0;
    for (; i < line->body; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        version = version > 9999 ? version : version * 10 + text[i] - '0';
    }
    return version;
}

static void gputune__unescape(char *text)
{
    char *to = strchr(text, '%');
    uint64_t c;
    if (!to) return;
    for (text = to; *text; to++) {
        if (*text == '%' && gputune__hex_parse(text + 1, 2, &c)) {
            *to = (char)c;
            text += 3;
        } else {
            *to = *text++;
        }
    }
    *to = 0;
}

// The "name=value" fields of a sound line, taken apart in place.
typedef struct gputune__fields {
    char *at, *end; // at: the tab before the next one
    bool escaped;   // some of them are
} gputune__fields;

static gputune__fields gputune__fields_of(char *text, const gputune__line *line)
{
    gputune__fields f;
    size_t length = line->body - line->begin;
    f.at = (char *)memchr(text + line->begin, '\t', length);
    f.end = text + line->body;
    f.escaped = memchr(text + line->begin, '%', length) != NULL;
    if (!f.at) f.at = f.end;
    return f;
}

static bool gputune__field_next(gputune__fields *f, char **name, char **value)
{
    char *stop;
    if (f->at >= f->end) return false;
    *name = f->at + 1;
    stop = (char *)memchr(*name, '\t', (size_t)(f->end - *name));
    if (!stop) stop = f->end;
    *value = (char *)memchr(*name, '=', (size_t)(stop - *name));
    if (*value)
        *(*value)++ = 0;
    else
        *value = stop;
    *stop = 0;
    f->at = stop;
    if (f->escaped) gputune__unescape(*value);
    return true;
}

// Position of a word in a list that ends with NULL, or -1. Looks first behind the last one found,
// because lines are written in the list's order.
static int gputune__field_find(const char *word, const char *const *words, int *last)
{
    int i = *last + 1;
    if (!words[i] || strcmp(word, words[i]) != 0)
        for (i = 0; words[i] && strcmp(word, words[i]) != 0; i++) {}
    if (!words[i]) return -1;
    *last = i;
    return i;
}

static void gputune__int_parse(const char *text, int *value)
{
    long number = strtol(text, NULL, 10);
    *value = number < 0 ? 0 : number > INT_MAX ? INT_MAX : (int)number;
}

static bool gputune__hash_parse(const char *text, uint64_t *value)
{
    return strlen(text) == 16 && gputune__hex_parse(text, 16, value);
}

// --- keys ---

// A key without NULL.
static gputune__key gputune__key_of(const gputune__key *key)
{
    gputune__key whole = *key;
    if (!whole.name) whole.name = "";
    if (!whole.api) whole.api = "";
    if (!whole.device) whole.device = "";
    if (!whole.driver) whole.driver = "";
    if (!whole.problem) whole.problem = "";
    return whole;
}

// In the names of journals: never change it.
static uint64_t gputune__store_key_hash(const gputune__key *key)
{
    uint64_t hash = gputune__hash_text(key->name, 0);
    hash = gputune__hash_text(key->api, hash);
    hash = gputune__hash_text(key->device, hash);
    hash = gputune__hash_text(key->driver, hash);
    hash = gputune__mix(hash ^ key->source);
    hash = gputune__mix(hash + key->space);
    return gputune__hash_text(key->problem, hash);
}

// All but name and problem.
static bool gputune__key_same_layers(const gputune__key *a, const gputune__key *b)
{
    return a->source == b->source && a->space == b->space && strcmp(a->driver, b->driver) == 0 &&
           strcmp(a->device, b->device) == 0 && strcmp(a->api, b->api) == 0;
}

static bool gputune__key_equal(const gputune__key *a, const gputune__key *b)
{
    return gputune__key_same_layers(a, b) && strcmp(a->name, b->name) == 0 &&
           strcmp(a->problem, b->problem) == 0;
}

static bool gputune__put_key(const gputune__base *b, char **line, const gputune__key *key)
{
    return gputune__put_text(b, line, "name", key->name) &&
           gputune__put_text(b, line, "api", key->api) &&
           gputune__put_text(b, line, "device", key->device) &&
           gputune__put_text(b, line, "driver", key->driver) &&
           gputune__put_hash(b, line, "source", key->source) &&
           gputune__put_hash(b, line, "space", key->space) &&
           gputune__put_text(b, line, "problem", key->problem);
}

#define GPUTUNE__KEY_WORDS "name", "api", "device", "driver", "source", "space", "problem"
#define GPUTUNE__KEY_WORD_COUNT 7

// Takes over the value of the field-th of these words. False when it cannot be right.
static bool gputune__key_field(gputune__key *key, int field, const char *value)
{
    switch (field) {
    case 0: key->name = value; break;
    case 1: key->api = value; break;
    case 2: key->device = value; break;
    case 3: key->driver = value; break;
    case 4: return gputune__hash_parse(value, &key->source);
    case 5: return gputune__hash_parse(value, &key->space);
    case 6: key->problem = value; break;
    }
    return true;
}

// --- problems: how near is one to another ---

// The binary logarithm of "2^20" or "1000".
static bool gputune__problem_log2(const char *text, size_t length, double *result)
{
    char copy[48];
    double value;
    char *end;
    if (length == 0 || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    if (strncmp(copy, "2^", 2) == 0) {
        *result = (double)strtol(copy + 2, &end, 10);
        return end != copy + 2 && !*end;
    }
    if (!gputune__store_number_parse(copy, &value)) return false;
    if (!(value > 0 && value <= DBL_MAX)) return false;
    *result = log2(value);
    return true;
}

// The next of the words between spaces: its length and its name's; 0 at the end.
static size_t gputune__problem_word(const char **text, size_t *name)
{
    size_t length;
    while (**text == ' ') ++*text;
    length = strcspn(*text, " ");
    for (*name = 0; *name < length && (*text)[*name] != '='; ++*name) {}
    return length;
}

// Sum of |log2 a - log2 b| over the names; false when the names differ or values that are not
// numbers do.
static bool gputune__problem_distance(const char *a, const char *b, double *distance)
{
    const char *other;
    size_t a_length, a_name, b_length, b_name;
    int count = 0;
    *distance = 0;
    for (; (a_length = gputune__problem_word(&a, &a_name)) != 0; a += a_length, count++) {
        double x, y;
        for (other = b; (b_length = gputune__problem_word(&other, &b_name)) != 0; other += b_length)
            if (a_name == b_name && memcmp(a, other, a_name) == 0) break;
        if (b_length == 0) return false;
        if (a_length == b_length && memcmp(a, other, a_length) == 0) continue;
        if (a_length <= a_name + 1 || b_length <= b_name + 1 ||
            !gputune__problem_log2(a + a_name + 1, a_length - a_name - 1, &x) ||
            !gputune__problem_log2(other + b_name + 1, b_length - b_name - 1, &y))
            return false;
        *distance += fabs(x - y);
    }
    for (; (b_length = gputune__problem_word(&b, &b_name)) != 0; b += b_length) count--;
    return count == 0;
}

// --- what a store's file holds ---

typedef struct gputune__stored {
    gputune__entry entry; // its texts point into the content's
    uint64_t hash;        // of the key
    size_t line;
    int next;             // entry of the same name before this one, or -1
} gputune__stored;

typedef struct gputune__content {
    char *text; // the file, taken apart
    char *raw;  // the file as it is, if kept
    size_t size;
    gputune__line *lines;
    int *line_entries;      // for each line its entry, -1: none, -2: superseded by a later line
    gputune__stored *entries;
    int *by_key, *by_name;  // open addressing: entry + 1, 0: free. by_name: the last of the name
    size_t mask;
    int version;            // the highest in a header, 0: no header
    int damaged;
    size_t first_damaged;   // line number, from 1
} gputune__content;

static void gputune__content_free(const gputune__base *b, gputune__content *c)
{
    if (!c) return;
    gputune__free(b, c->raw);
    gputune__free(b, c->text);
    gputune__arr_free(b, c->lines);
    gputune__arr_free(b, c->line_entries);
    gputune__arr_free(b, c->entries);
    gputune__free(b, c->by_key);
    gputune__free(b, c->by_name);
    gputune__free(b, c);
}

// Reads a sound "entry" line. False when a field's value is impossible or one that must be there
// is not.
static bool gputune__entry_parse(char *text, const gputune__line *line, gputune__entry *entry)
{
    static const char *const words[] = { GPUTUNE__KEY_WORDS, "config", "value", "default",
                                         "trials", "date", NULL };
    gputune__fields fields = gputune__fields_of(text, line);
    char *name, *value;
    int last = -1;
    bool good = true;
    memset(entry, 0, sizeof *entry);
    entry->date = "";
    entry->default_value = HUGE_VAL;
    while (gputune__field_next(&fields, &name, &value)) {
        int field = gputune__field_find(name, words, &last);
        switch (field - GPUTUNE__KEY_WORD_COUNT) {
        case 0: entry->config = value; break;
        case 1: good &= gputune__store_number_parse(value, &entry->value); break;
        case 2: good &= gputune__store_number_parse(value, &entry->default_value); break;
        case 3: gputune__int_parse(value, &entry->trials); break;
        case 4: entry->date = value; break;
        default: good &= gputune__key_field(&entry->key, field, value);
        }
    }
    entry->key = gputune__key_of(&entry->key);
    return good && entry->config;
}

// Takes one line in. False when out of memory.
static bool gputune__content_line(const gputune__base *b, gputune__content *c,
                                  const gputune__line *line)
{
    gputune__stored stored;
    int entry = -1;
    size_t number = (size_t)stbds_arrlen(c->lines);
    int version = gputune__line_version(c->text, line, GPUTUNE__STORE_HEADER);
    if (version > c->version) c->version = version;
    if (gputune__line_is(c->text, line, "entry")) {
        if (gputune__entry_parse(c->text, line, &stored.entry)) {
            entry = gputune__len(c->entries);
            stored.hash = gputune__store_key_hash(&stored.entry.key);
            stored.line = number;
            stored.next = -1;
            if (!gputune__push(b, c->entries, stored)) return false;
        }
    } else if (!line->sound && !version && line->body > line->begin &&
               c->text[line->begin] != '#') {
        if (!c->damaged++) c->first_damaged = number + 1;
    }
    return gputune__push(b, c->lines, *line) && gputune__push(b, c->line_entries, entry);
}

static int gputune__content_find(const gputune__content *c, const gputune__key *key, uint64_t hash)
{
    size_t slot = (size_t)hash & c->mask;
    for (; c->by_key[slot]; slot = (slot + 1) & c->mask) {
        const gputune__stored *s = &c->entries[c->by_key[slot] - 1];
        if (s->hash == hash && gputune__key_equal(&s->entry.key, key)) return (int)slot;
    }
    return -1 - (int)slot;
}

// The slot of a name, used or free.
static size_t gputune__content_name_slot(const gputune__content *c, const char *name)
{
    size_t slot = (size_t)gputune__hash_text(name, 0) & c->mask;
    while (c->by_name[slot] && strcmp(c->entries[c->by_name[slot] - 1].entry.key.name, name) != 0)
        slot = (slot + 1) & c->mask;
    return slot;
}

// Of two lines with the same key (two files put together by hand) the later one counts.
static bool gputune__content_index(const gputune__base *b, gputune__content *c)
{
    int i, count = gputune__len(c->entries);
    size_t size = 8, slot;
    while (size < 2 * (size_t)count) size *= 2;
    c->mask = size - 1;
    c->by_key = (int *)gputune__alloc(b, size, sizeof *c->by_key);
    c->by_name = (int *)gputune__alloc(b, size, sizeof *c->by_name);
    if (!c->by_key || !c->by_name) return false;
    for (i = 0; i < count; i++) {
        int found = gputune__content_find(c, &c->entries[i].entry.key, c->entries[i].hash);
        if (found >= 0) {
            c->line_entries[c->entries[c->by_key[found] - 1].line] = -2;
            c->by_key[found] = i + 1;
        } else {
            c->by_key[-1 - found] = i + 1;
        }
    }
    for (i = 0; i < count; i++) {
        if (c->line_entries[c->entries[i].line] < 0) continue;
        slot = gputune__content_name_slot(c, c->entries[i].entry.key.name);
        c->entries[i].next = c->by_name[slot] - 1;
        c->by_name[slot] = i + 1;
    }
    return true;
}

// Makes room for all lines at once: growing step by step costs a quarter of the loading time.
static bool gputune__content_room(const gputune__base *b, gputune__content *c)
{
    const char *at = c->text, *end = at ? at + c->size : NULL;
    size_t count = 1;
    while (at && (at = (const char *)memchr(at, '\n', (size_t)(end - at))) != NULL) {
        count++;
        at++;
    }
    return gputune__arr_room(b, c->lines, count) && gputune__arr_room(b, c->line_entries, count) &&
           gputune__arr_room(b, c->entries, count);
}

// Takes over text (NULL: empty) of size bytes; keep: with a copy that stays as it is. NULL when out
// of memory.
static gputune__content *gputune__content_parse(const gputune__base *b, char *text, size_t size,
                                                bool keep)
{
    gputune__content *c = (gputune__content *)gputune__alloc(b, 1, sizeof *c);
    gputune__line line;
    bool ok = true;
    size_t at;
    if (!c) {
        gputune__free(b, text);
        return NULL;
    }
    c->text = text;
    c->size = size;
    if (keep) {
        c->raw = gputune__strndup(b, text ? text : "", size);
        ok = c->raw != NULL;
    }
    ok = ok && gputune__content_room(b, c);
    for (at = 0; ok && at < size; at = line.end) {
        line = gputune__line_at(c->text, at, size);
        ok = gputune__content_line(b, c, &line);
    }
    if (ok && gputune__content_index(b, c)) return c;
    gputune__content_free(b, c);
    return NULL;
}

// Reads a store's file; a missing one is empty. On error *content is NULL.
static gputune_result gputune__content_load(const gputune__base *b, const char *path, bool keep,
                                            gputune__content **content, gputune_error *error)
{
    gputune__file file;
    gputune_result result = GPUTUNE_OK;
    char *text = NULL;
    size_t size = 0;
    int code = gputune__file_open(path, GPUTUNE__FILE_READ, 0, &file);
    *content = NULL;
    if (code && !gputune__code_missing(code)) return gputune__file_fail(error, "read", path, code);
    if (!code) {
        result = gputune__file_load(b, file, path, &text, &size, error);
        gputune__file_close(file);
    }
    if (result != GPUTUNE_OK) return result;
    *content = gputune__content_parse(b, text, size, keep);
    return *content ? GPUTUNE_OK : gputune__oom(error);
}

// --- the store ---

typedef struct gputune__store {
    gputune__base base;
    char *path;
    bool readonly;
    gputune__content *content;
} gputune__store;

// The user's folder for such files, by the platform's convention; *path NULL: none found.
static gputune_result gputune__store_place(const gputune__base *b, char **path,
                                           gputune_error *error)
{
#if defined(_WIN32)
    static const char *const places[][2] = { { "LOCALAPPDATA", "\\gputune\\store.txt" } };
#elif defined(__APPLE__)
    static const char *const places[][2] = {
        { "HOME", "/Library/Application Support/gputune/store.txt" }
    };
#else
    static const char *const places[][2] = { { "XDG_STATE_HOME", "/gputune/store.txt" },
                                             { "HOME", "/.local/state/gputune/store.txt" } };
#endif
    size_t i;
    for (i = 0; i < sizeof places / sizeof *places; i++) {
        const char *folder = getenv(places[i][0]);
        size_t length = folder ? strlen(folder) : 0, rest = strlen(places[i][1]);
        if (!length) continue;
#if !defined(_WIN32)
        if (folder[0] != '/') continue; // XDG: relative ones are to be ignored
#endif
        *path = (char *)gputune__alloc(b, length + rest + 1, 1);
        if (!*path) return gputune__oom(error);
        memcpy(*path, folder, length);
        memcpy(*path + length, places[i][1], rest);
        return GPUTUNE_OK;
    }
    gputune__log(b, GPUTUNE_LOG_WARN, "no store: the environment has no %s",
                 places[sizeof places / sizeof *places - 1][0]);
    return GPUTUNE_OK;
}

static gputune_result gputune__store_path(const gputune__base *b, const gputune_options *options,
                                          char **path, gputune_error *error)
{
    const char *chosen = getenv("GPUTUNE_STORE");
    *path = NULL;
    if (!chosen && options) chosen = options->store;
    if (!chosen) return gputune__store_place(b, path, error);
    if (!*chosen) {
        gputune__log(b, GPUTUNE_LOG_INFO, "no store: none is wanted");
        return GPUTUNE_OK;
    }
    *path = gputune__strdup(b, chosen);
    return *path ? GPUTUNE_OK : gputune__oom(error);
}

static void gputune__store_close(gputune__store *store)
{
    gputune__base base;
    if (!store) return;
    base = store->base;
    gputune__content_free(&base, store->content);
    gputune__free(&base, store->path);
    gputune__free(&base, store);
}

static void gputune__store_remarks(const gputune__store *store)
{
    const gputune__content *c = store->content;
    if (c->version > GPUTUNE__STORE_VERSION)
        gputune__log(&store->base, GPUTUNE_LOG_WARN,
                     "store %s is of version %d, newer than this program's %d: read, not written",
                     store->path, c->version, GPUTUNE__STORE_VERSION);
    if (c->damaged)
        gputune__log(&store->base, GPUTUNE_LOG_WARN,
                     "store %s: %d damaged lines skipped, the first is line %lu", store->path,
                     c->damaged, (unsigned long)c->first_damaged);
}

// Loads. A missing file is an empty store; an unreadable one, too, with a warning. NULL only when
// out of memory.
static gputune__store *gputune__store_open(const gputune__base *b, const char *path, bool readonly)
{
    gputune__store *store = (gputune__store *)gputune__alloc(b, 1, sizeof *store);
    gputune_error error;
    gputune_result result = GPUTUNE_ERROR_MEMORY;
    if (!store) return NULL;
    store->base = *b;
    store->readonly = readonly;
    store->path = gputune__strdup(b, path);
    if (store->path) result = gputune__content_load(b, path, false, &store->content, &error);
    if (result != GPUTUNE_OK && result != GPUTUNE_ERROR_MEMORY) {
        gputune__log(b, GPUTUNE_LOG_WARN, "no store: %s", error.text);
        store->content = gputune__content_parse(b, NULL, 0, false);
    }
    if (!store->content) {
        gputune__store_close(store);
        return NULL;
    }
    gputune__store_remarks(store);
    return store;
}

// Takes over what another process has written. An unreadable file leaves all as it was.
static void gputune__store_reload(gputune__store *store)
{
    gputune__content *now;
    gputune_error error;
    if (gputune__content_load(&store->base, store->path, false, &now, &error) != GPUTUNE_OK) return;
    gputune__content_free(&store->base, store->content);
    store->content = now;
}

// How well an entry of the same name serves a key that is not in the store. Larger is better.
typedef struct gputune__rating {
    gputune__match match;
    double score;
    const char *date;
} gputune__rating;

static gputune__rating gputune__entry_rate(const gputune__entry *entry, const gputune__key *key)
{
    const gputune__key *k = &entry->key;
    bool device = strcmp(k->api, key->api) == 0 && strcmp(k->device, key->device) == 0;
    bool problem = strcmp(k->problem, key->problem) == 0;
    gputune__rating rating;
    double distance;
    rating.match = GPUTUNE__MATCH_NONE;
    rating.date = entry->date;
    rating.score = device + problem + (k->source == key->source) +
                   (k->space == key->space) + (strcmp(k->driver, key->driver) == 0);
    if (gputune__key_same_layers(k, key)) {
        if (!gputune__problem_distance(k->problem, key->problem, &distance)) return rating;
        rating.match = GPUTUNE__MATCH_PROBLEM;
        rating.score = -distance;
    } else if (k->space == key->space) { // the device first; its own answer to this problem, then
        rating.match = GPUTUNE__MATCH_OTHER; // the latest
        rating.score = 2 * device + problem;
    }
    return rating;
}

static bool gputune__rating_less(const gputune__rating *a, const gputune__rating *b)
{
    if (a->match != b->match) return a->match < b->match;
    if (a->score < b->score || a->score > b->score) return a->score < b->score;
    return strcmp(a->date, b->date) < 0;
}

GPUTUNE__PRINTF(3, 4)
static void gputune__why_add(char *why, size_t size, const char *format, ...)
{
    size_t length = size ? strlen(why) : 0;
    va_list args;
    if (length + 3 >= size) return;
    if (length) {
        memcpy(why + length, ", ", 3);
        length += 2;
    }
    va_start(args, format);
    vsnprintf(why + length, size - length, format, args);
    va_end(args);
}

static void gputune__why_text(char *why, size_t size, const char *layer, const char *wanted,
                              const char *stored)
{
    if (strcmp(wanted, stored) == 0) return;
    gputune__why_add(why, size, "%s %.200s (stored under %.200s)", layer,
                     *wanted ? wanted : "none", *stored ? stored : "none");
}

// Layer by layer what an entry lacks.
static void gputune__why(char *why, size_t size, const gputune__key *key,
                         const gputune__entry *entry, gputune__match match)
{
    const gputune__key *k = &entry->key;
    gputune__why_text(why, size, "api", key->api, k->api);
    gputune__why_text(why, size, "device", key->device, k->device);
    gputune__why_text(why, size, "driver", key->driver, k->driver);
    if (k->source != key->source) gputune__why_add(why, size, "source changed");
    if (k->space != key->space) gputune__why_add(why, size, "space changed");
    if (match == GPUTUNE__MATCH_PROBLEM)
        gputune__why_add(why, size, "problem %.200s (nearest stored %.200s)", key->problem,
                         k->problem);
    else
        gputune__why_text(why, size, "problem", key->problem, k->problem);
}

// The best match, or NULL; `why` gets the reason for a miss, layer by layer.
static const gputune__entry *gputune__store_find(const gputune__store *store,
                                                 const gputune__key *wanted, gputune__match *match,
                                                 char *why, size_t size)
{
    const gputune__content *c = store->content;
    gputune__key key = gputune__key_of(wanted);
    int i, best = -1, found = gputune__content_find(c, &key, gputune__store_key_hash(&key));
    gputune__rating best_rating, rating;
    if (size) why[0] = 0;
    *match = GPUTUNE__MATCH_EXACT;
    if (found >= 0) return &c->entries[c->by_key[found] - 1].entry;
    *match = GPUTUNE__MATCH_NONE;
    memset(&best_rating, 0, sizeof best_rating);
    for (i = c->by_name[gputune__content_name_slot(c, key.name)] - 1; i >= 0;
         i = c->entries[i].next) {
        rating = gputune__entry_rate(&c->entries[i].entry, &key);
        if (best >= 0 && !gputune__rating_less(&best_rating, &rating)) continue;
        best = i;
        best_rating = rating;
    }
    if (best < 0) {
        gputune__why_add(why, size, "no entry for kernel \"%.200s\"", key.name);
        return NULL;
    }
    *match = best_rating.match;
    gputune__why(why, size, &key, &c->entries[best].entry, *match);
    return *match == GPUTUNE__MATCH_NONE ? NULL : &c->entries[best].entry;
}

// --- changing the store ---

// "2025-11-21T07:00:00Z". Days to dates after Hinnant, chrono-Compatible Low-Level Date
// Algorithms, civil_from_days; gmtime is not safe among threads.
static void gputune__date_text(int64_t seconds, char *text, size_t size)
{
    int64_t days = seconds / 86400 + 719468, era = days / 146097;
    int rest = (int)(seconds % 86400), day = (int)(days - era * 146097);
    int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int month;
    day -= 365 * year + year / 4 - year / 100;
    month = (5 * day + 2) / 153;
    day -= (153 * month + 2) / 5 - 1;
    month += month < 10 ? 3 : -9;
    year += (int)era * 400 + (month <= 2);
    snprintf(text, size, "%04d-%02d-%02dT%02d:%02d:%02dZ", year, month, day, rest / 3600,
             rest / 60 % 60, rest % 60);
}

static bool gputune__put_entry(const gputune__base *b, char **text, const gputune__entry *entry)
{
    gputune__key key = gputune__key_of(&entry->key);
    size_t begin = (size_t)stbds_arrlen(*text);
    char date[96];
    if (entry->date && *entry->date)
        snprintf(date, sizeof date, "%s", entry->date);
    else
        gputune__date_text((int64_t)time(NULL), date, sizeof date);
    return gputune__text_put(b, text, "entry", 5) && gputune__put_key(b, text, &key) &&
           gputune__put_text(b, text, "config", entry->config) &&
           gputune__put_number(b, text, "value", entry->value) &&
           gputune__put_number(b, text, "default", entry->default_value) &&
           gputune__put_count(b, text, "trials", entry->trials) &&
           gputune__put_text(b, text, "date", date) && gputune__put_check(b, text, begin);
}

// The file's text with the entry at line `at` replaced, with it removed (entry NULL), or with one
// more at the end (at < 0). All other lines stay as they are.
static bool gputune__content_edit(const gputune__base *b, const gputune__content *c, int at,
                                  const gputune__entry *entry, char **text)
{
    int i, count = gputune__len(c->lines);
    *text = NULL;
    if (!gputune__arr_room(b, *text, c->size + 512)) return false;
    if (!c->version &&
        !gputune__text_add(b, text, GPUTUNE__STORE_HEADER "%d\n", GPUTUNE__STORE_VERSION))
        return false;
    for (i = 0; i < count; i++) {
        const gputune__line *line = &c->lines[i];
        if (c->line_entries[i] == -2) continue;
        if (i == at) {
            if (entry && !gputune__put_entry(b, text, entry)) return false;
            continue;
        }
        if (!c->version && gputune__len(c->lines) == 1 && !line->newline && !line->sound)
            continue; // a torn header
        if (!gputune__text_put(b, text, c->raw + line->begin, line->end - line->begin) ||
            (!line->newline && !gputune__text_put(b, text, "\n", 1)))
            return false;
    }
    return at >= 0 || !entry || gputune__put_entry(b, text, entry);
}

// Is this a file that we may change? What is neither empty nor a store belongs to somebody else.
static gputune_result gputune__content_check(const gputune__store *store,
                                             const gputune__content *c, gputune_error *error)
{
    static const char header[] = GPUTUNE__STORE_HEADER;
    if (c->version > GPUTUNE__STORE_VERSION) {
        gputune__log(&store->base, GPUTUNE_LOG_WARN,
                     "store %s is of version %d, newer than this program's %d: not written",
                     store->path, c->version, GPUTUNE__STORE_VERSION);
        return gputune__error(error, GPUTUNE_ERROR_FORMAT,
                              "store %.1000s is of the newer version %d", store->path, c->version);
    }
    if (c->version || gputune__len(c->entries)) return GPUTUNE_OK;
    if (c->size < sizeof header && (!c->size || memcmp(c->raw, header, c->size) == 0))
        return GPUTUNE_OK;
    return gputune__error(error, GPUTUNE_ERROR_FORMAT,
                          "%.1000s is not a store: it does not begin with \"%s%d\"", store->path,
                          header, GPUTUNE__STORE_VERSION);
}

// Under the lock: reads the file again, so that nothing another process saved is lost, changes
// the one entry (NULL: removes it), writes. What memory the new state takes is taken before.
static gputune_result gputune__store_rewrite(gputune__store *store, const char *path,
                                             const gputune__key *key, const gputune__entry *entry,
                                             gputune_error *error)
{
    const gputune__base *b = &store->base;
    gputune__content *now, *next = NULL;
    gputune_result result = gputune__content_load(b, path, true, &now, error);
    char *text = NULL, *copy = NULL;
    int slot;
    size_t size = 0;
    if (result == GPUTUNE_OK) result = gputune__content_check(store, now, error);
    if (result == GPUTUNE_OK) {
        slot = gputune__content_find(now, key, gputune__store_key_hash(key));
        if (slot < 0 && !entry) { // nothing to remove
            next = now;
            now = NULL;
        } else if (gputune__content_edit(
                       b, now, slot < 0 ? -1 : (int)now->entries[now->by_key[slot] - 1].line,
                       entry, &text)) {
            size = (size_t)stbds_arrlen(text);
            copy = gputune__strndup(b, text, size);
            next = copy ? gputune__content_parse(b, copy, size, false) : NULL;
        }
        if (!next) result = gputune__oom(error);
    }
    if (result == GPUTUNE_OK && text) result = gputune__file_replace(b, path, text, size, error);
    if (result == GPUTUNE_OK) {
        gputune__content_free(b, store->content);
        store->content = next;
        next = NULL;
    }
    gputune__content_free(b, now);
    gputune__content_free(b, next);
    gputune__arr_free(b, text);
    return result;
}

// Waits for the lock beside a file.
static gputune_result gputune__lock_take(const gputune__base *b, const char *path,
                                         gputune__file *lock, gputune_error *error)
{
    double end = gputune_now() + GPUTUNE__LOCK_SECONDS;
    gputune_result result =
        gputune__file_make(b, path, GPUTUNE__FILE_LOCK, "create", lock, error);
    int code;
    if (result != GPUTUNE_OK) return result;
    while ((code = gputune__file_lock(*lock)) == GPUTUNE__CODE_BUSY && gputune_now() < end)
        gputune_sleep(GPUTUNE__LOCK_POLL_SECONDS);
    if (!code) return GPUTUNE_OK;
    gputune__file_close(*lock);
    return gputune__file_fail(error, "lock", path, code);
}

// Symbolic links are followed first, so that all names of one file share its lock.
static gputune_result gputune__store_change(gputune__store *store, const gputune__key *wanted,
                                            const gputune__entry *entry, gputune_error *error)
{
    const gputune__base *b = &store->base;
    gputune__key key = gputune__key_of(wanted);
    gputune_result result;
    gputune__file lock = (gputune__file)0;
    char *path, *lock_path = NULL;
    if (store->readonly)
        return gputune__error(error, GPUTUNE_ERROR_UNSUPPORTED, "store %.1000s is only read",
                              store->path);
    path = gputune__link_target(b, store->path);
    if (!path || !gputune__text_add(b, &lock_path, "%s.lock", path))
        result = gputune__oom(error);
    else
        result = gputune__lock_take(b, lock_path, &lock, error);
    if (result == GPUTUNE_OK) {
        result = gputune__store_rewrite(store, path, &key, entry, error);
        gputune__file_unlock(lock);
    }
    gputune__arr_free(b, lock_path);
    gputune__free(b, path);
    return result;
}

// Saves an entry in memory and file. An error leaves the file and what find returns as they were:
// ERROR_TOO_LARGE (a text over 64 KiB), ERROR_LOCKED, ERROR_FILE, ERROR_FORMAT (a newer version's
// file, or not a store), ERROR_MEMORY, ERROR_UNSUPPORTED (opened read-only).
static gputune_result gputune__store_put(gputune__store *store, const gputune__entry *entry,
                                         gputune_error *error)
{
    gputune__key key = gputune__key_of(&entry->key);
    const char *texts[7];
    size_t i;
    texts[0] = key.name;
    texts[1] = key.api;
    texts[2] = key.device;
    texts[3] = key.driver;
    texts[4] = key.problem;
    texts[5] = entry->config;
    texts[6] = entry->date ? entry->date : "";
    for (i = 0; i < 7; i++)
        if (strlen(texts[i]) > (i == 6 ? 64 : GPUTUNE__STRING_MAX))
            return gputune__error(error, GPUTUNE_ERROR_TOO_LARGE,
                                  "\"%.40s...\" is too long for the store (%lu bytes)", texts[i],
                                  (unsigned long)strlen(texts[i]));
    return gputune__store_change(store, &key, entry, error);
}

// Forgets an entry; one that is not there is no error. Otherwise as put.
static gputune_result gputune__store_evict(gputune__store *store, const gputune__key *key,
                                           gputune_error *error)
{
    return gputune__store_change(store, key, NULL, error);
}

// --- the journal ---

// One trial in a journal.
typedef struct gputune__record {
    char *config;
    gputune_result result;
    double value;
    gputune_stats stats;
    double compile_seconds, wall_seconds;
    char *reason; // NULL as ""
} gputune__record;

typedef struct gputune__journal {
    gputune__base base;
    char *path;      // stb_ds arrays
    char *line;      // the one being written
    gputune__file file;
    uint64_t size;   // of the file, so that half a line can be cut off again
    char **open;     // configurations that have begun and not ended
    uint64_t before; // its size when the first of them began
    bool ended;      // some other has ended since
    char *race;      // stb_ds array: what is launched again after its trial
    bool racing;     // it is in flight
    uint64_t raced;  // the size when `racing` began
    double synced;   // when, by gputune_now
    bool begun;      // some trial of this process has
    bool failed;     // a line could not be written: said once, nothing is written any more
} gputune__journal;

static void gputune__records_free(const gputune__base *b, gputune__record *records)
{
    int i;
    for (i = 0; i < gputune__len(records); i++) {
        gputune__free(b, records[i].config);
        gputune__free(b, records[i].reason);
    }
    gputune__arr_free(b, records);
}

static bool gputune__records_add(const gputune__base *b, gputune__record **records,
                                 const gputune__record *record)
{
    gputune__record copy = *record;
    copy.config = gputune__strdup(b, record->config);
    copy.reason = gputune__strdup(b, record->reason ? record->reason : "");
    if (copy.config && copy.reason && gputune__push(b, *records, copy)) return true;
    gputune__free(b, copy.config);
    gputune__free(b, copy.reason);
    return false;
}

// A configuration that began and did not end.
typedef struct gputune__unended {
    const char *config; // in the file's text
    size_t at;          // where its line begins
} gputune__unended;

// What reading a journal found.
typedef struct gputune__journal_found {
    gputune__record *records;
    gputune__unended *pending, *unknown; // unknown: perhaps it did, by a line that is damaged
    const char *racing;  // launched again after its trial, and no line says that it came back
    bool rest_unknown;   // perhaps one did that is damaged
    int version;
    bool key, other_key; // a key line; of another key than ours
    bool done;
    int damaged;
    size_t keep;         // bytes before a torn last line
    bool newline;        // the last line is whole but for its newline
} gputune__journal_found;

static bool gputune__result_parse(const char *word, gputune_result *result)
{
    int i;
    for (i = 0; i < GPUTUNE_RESULT_COUNT; i++) {
        *result = (gputune_result)i;
        if (strcmp(word, gputune_result_name(*result)) == 0) return true;
    }
    return false;
}

// Reads a sound "end" or "begin" line; the record's texts point into it. False: not understood.
static bool gputune__record_parse(char *text, const gputune__line *line, gputune__record *record)
{
    static const char *const words[] = { "config", "result", "value", "count", "min", "q1",
                                         "median", "q3", "max", "compile", "wall", "reason", NULL };
    gputune__fields fields = gputune__fields_of(text, line);
    char *name, *value;
    bool good = true, median = false;
    int last = -1;
    memset(record, 0, sizeof *record);
    record->value = HUGE_VAL;
    while (gputune__field_next(&fields, &name, &value)) {
        double *number = NULL;
        switch (gputune__field_find(name, words, &last)) {
        case 0: record->config = value; break;
        case 1: good &= gputune__result_parse(value, &record->result); break;
        case 2: number = &record->value; break;
        case 3: gputune__int_parse(value, &record->stats.count); break;
        case 4: number = &record->stats.min; break;
        case 5: number = &record->stats.q1; break;
        case 6: number = &record->stats.median; median = true; break;
        case 7: number = &record->stats.q3; break;
        case 8: number = &record->stats.max; break;
        case 9: number = &record->compile_seconds; break;
        case 10: number = &record->wall_seconds; break;
        case 11: record->reason = value; break;
        }
        if (number) good &= gputune__store_number_parse(value, number);
    }
    if (!median && record->stats.count) record->stats.median = record->value;
    return good && record->config;
}

// Is the key line of our key? The file's name is a hash of it, so another one is a collision.
static bool gputune__journal_key_matches(char *text, const gputune__line *line,
                                         const gputune__key *key)
{
    static const char *const words[] = { GPUTUNE__KEY_WORDS, NULL };
    gputune__fields fields = gputune__fields_of(text, line);
    char *name, *value;
    gputune__key found;
    int last = -1;
    bool good = true;
    memset(&found, 0, sizeof found);
    while (gputune__field_next(&fields, &name, &value))
        good &= gputune__key_field(&found, gputune__field_find(name, words, &last), value);
    found = gputune__key_of(&found);
    return good && gputune__key_equal(&found, key);
}

// Moves the pending configuration of this name (NULL: all of them) away: to `unknown`, or it is
// settled. False when out of memory.
static bool gputune__journal_settle(const gputune__base *b, gputune__journal_found *found,
                                    const char *config, bool unknown)
{
    int i, left = 0;
    for (i = 0; i < gputune__len(found->pending); i++) {
        gputune__unended pending = found->pending[i];
        if (config && strcmp(pending.config, config) != 0)
            found->pending[left++] = pending;
        else if (unknown && !gputune__push(b, found->unknown, pending))
            return false;
    }
    if (found->pending) stbds_arrsetlen(found->pending, (size_t)left);
    return true;
}

// A line without a right check. What it was cannot be known; so if it comes after a `begin` it
// may have been its `end`, and then nothing may be held against that configuration: a torn `end`
// goes together with its `begin`, if there is only one. But bytes 0 are no line: a power cut leaves
// them behind a file's last write.
static bool gputune__journal_damaged(const gputune__base *b, gputune__journal_found *found,
                                     const char *text, const gputune__line *line)
{
    size_t i = line->begin;
    while (i < line->body && !text[i]) i++;
    if (line->newline)
        found->damaged++;
    else
        found->keep = line->begin;
    if (i == line->body) return true;
    found->rest_unknown |= found->racing != NULL;
    found->racing = NULL;
    if (!line->newline && gputune__len(found->pending) == 1) {
        found->keep = found->pending[0].at;
        return gputune__journal_settle(b, found, NULL, false);
    }
    return gputune__journal_settle(b, found, NULL, true);
}

// A sound line of a trial: it begins, ends or is taken back. False when out of memory.
static bool gputune__journal_trial(const gputune__base *b, gputune__journal_found *found,
                                   char *text, const gputune__line *line)
{
    gputune__unended pending;
    gputune__record record;
    bool begin = gputune__line_is(text, line, "begin"), end = gputune__line_is(text, line, "end");
    found->done = false;
    pending.at = line->begin;
    if (!gputune__record_parse(text, line, &record)) // it may have been the end of any of them
        return begin || gputune__journal_settle(b, found, NULL, true);
    pending.config = record.config;
    if (!gputune__journal_settle(b, found, record.config, false)) return false;
    if (found->racing && strcmp(found->racing, record.config) == 0) found->racing = NULL;
    if (begin) return gputune__push(b, found->pending, pending);
    return !end || gputune__records_add(b, &found->records, &record);
}

// A sound line of what is launched after its trial.
static void gputune__journal_raced(gputune__journal_found *found, char *text,
                                   const gputune__line *line)
{
    gputune__record record;
    bool race = gputune__line_is(text, line, "race");
    found->rest_unknown = false;
    found->racing = race && gputune__record_parse(text, line, &record) ? record.config : NULL;
}

// Takes one line in. False when out of memory.
static bool gputune__journal_line(const gputune__base *b, gputune__journal_found *found, char *text,
                                  const gputune__line *line, const gputune__key *key)
{
    int version = gputune__line_version(text, line, GPUTUNE__JOURNAL_HEADER);
    if (line->begin == 0) found->version = version;
    if (version || line->body == line->begin || text[line->begin] == '#') return true;
    if (!line->sound) {
        return gputune__journal_damaged(b, found, text, line);
    } else if (gputune__line_is(text, line, "key")) {
        found->key = true;
        found->other_key |= !gputune__journal_key_matches(text, line, key);
    } else if (gputune__line_is(text, line, "done")) {
        found->done = true;
    } else if (gputune__line_is(text, line, "race") || gputune__line_is(text, line, "rest")) {
        gputune__journal_raced(found, text, line);
    } else if (gputune__line_is(text, line, "begin") || gputune__line_is(text, line, "end") ||
               gputune__line_is(text, line, "back")) {
        return gputune__journal_trial(b, found, text, line);
    }
    return true;
}

static bool gputune__journal_parse(const gputune__base *b, char *text, size_t size,
                                   const gputune__key *key, gputune__journal_found *found)
{
    gputune__line line;
    size_t at;
    memset(found, 0, sizeof *found);
    found->keep = size;
    for (at = 0; at < size; at = line.end) {
        line = gputune__line_at(text, at, size);
        found->newline = !line.newline;
        if (!gputune__journal_line(b, found, text, &line, key)) return false;
    }
    if (found->keep < size) found->newline = false;
    return true;
}

static void gputune__journal_close_all(gputune__journal *j)
{
    int i;
    for (i = 0; i < gputune__len(j->open); i++) gputune__free(&j->base, j->open[i]);
    gputune__arr_free(&j->base, j->open);
}

// Cuts trials off that began and of which no end can be written although the program goes on: the
// next run must not believe that the program died in them. What ended meanwhile goes with them.
static void gputune__journal_cut_open(gputune__journal *j)
{
    if (gputune__len(j->open)) j->size = j->before;
    if (j->racing && j->raced < j->size) j->size = j->raced;
    j->racing = false;
    gputune__journal_close_all(j);
    gputune__file_cut(j->file, j->size);
}

// Writes what stands in j->line. After a failure, which is reported once, the journal is silent:
// tuning goes on without it.
static gputune_result gputune__journal_write(gputune__journal *j, gputune_error *error)
{
    size_t length = (size_t)stbds_arrlen(j->line);
    int code;
    if (j->failed) return GPUTUNE_OK;
    code = gputune__file_write(j->file, j->line, length);
    if (!code) {
        j->size += length;
        return GPUTUNE_OK;
    }
    j->failed = true;
    gputune__journal_cut_open(j);
    return gputune__file_fail(error, "write", j->path, code);
}

// A line that says no more of a configuration than this word.
static bool gputune__put_word(const gputune__base *b, char **line, const char *word,
                              const char *config)
{
    size_t begin = (size_t)stbds_arrlen(*line);
    return gputune__text_put(b, line, word, strlen(word)) &&
           gputune__put_text(b, line, "config", config) && gputune__put_check(b, line, begin);
}

static bool gputune__put_begin(const gputune__base *b, char **line, const char *config)
{
    return gputune__put_word(b, line, "begin", config);
}

static bool gputune__put_stats(const gputune__base *b, char **line, const gputune_stats *s,
                               double value)
{
    return gputune__put_count(b, line, "count", s->count) &&
           gputune__put_number(b, line, "min", s->min) &&
           gputune__put_number(b, line, "q1", s->q1) &&
           (!(s->median < value || s->median > value) ||
            gputune__put_number(b, line, "median", s->median)) &&
           gputune__put_number(b, line, "q3", s->q3) && gputune__put_number(b, line, "max", s->max);
}

static bool gputune__put_end(const gputune__base *b, char **line, const gputune__record *r)
{
    return gputune__text_put(b, line, "end", 3) &&
           gputune__put_text(b, line, "config", r->config) &&
           gputune__put_text(b, line, "result", gputune_result_name(r->result)) &&
           gputune__put_number(b, line, "value", r->value) &&
           (r->stats.count == 0 || gputune__put_stats(b, line, &r->stats, r->value)) &&
           gputune__put_number(b, line, "compile", r->compile_seconds) &&
           gputune__put_number(b, line, "wall", r->wall_seconds) &&
           (!r->reason || !*r->reason || gputune__put_text(b, line, "reason", r->reason)) &&
           gputune__put_check(b, line, 0);
}

static void gputune__line_clear(char *line)
{
    if (line) stbds_arrsetlen(line, 0);
}

// Says that a configuration is about to run. On return the line survives the process's death.
static gputune_result gputune__journal_begin(gputune__journal *j, const char *config,
                                             gputune_error *error)
{
    gputune_result result;
    char *name;
    double now;
    gputune__line_clear(j->line);
    if (!gputune__put_begin(&j->base, &j->line, config) || !gputune__arr_room(&j->base, j->open, 1))
        return gputune__oom(error);
    name = gputune__strdup(&j->base, config);
    if (!name) return gputune__oom(error);
    if (!gputune__len(j->open)) {
        j->before = j->racing ? j->raced : j->size; // cut off, it takes no `rest` along alone
        j->ended = false;
    }
    result = gputune__journal_write(j, error);
    if (result != GPUTUNE_OK || j->failed) {
        gputune__free(&j->base, name);
        return result;
    }
    stbds_arrput(j->open, name);
    now = gputune_now();
    if (!j->begun || now - j->synced >= GPUTUNE__SYNC_SECONDS) {
        gputune__file_sync(j->file);
        j->synced = now;
    }
    j->begun = true;
    return GPUTUNE_OK;
}

// Writes how it went. ERROR_FILE once when the journal can no longer be written.
static gputune_result gputune__journal_end(gputune__journal *j, const gputune__record *record,
                                           gputune_error *error)
{
    gputune_result result;
    int i;
    gputune__line_clear(j->line);
    if (!gputune__put_end(&j->base, &j->line, record)) return gputune__oom(error);
    result = gputune__journal_write(j, error);
    for (i = gputune__len(j->open); i-- > 0;) {
        if (strcmp(j->open[i], record->config) != 0) continue;
        gputune__free(&j->base, j->open[i]);
        (void)stbds_arrdelswap(j->open, i);
    }
    if (j->racing && strcmp(j->race, record->config) == 0) j->racing = false;
    j->ended = true;
    return result;
}

// Says that a configuration is launched again after its trial; NULL: that the last such one came
// back. On return the line survives the process's death; not a power cut, for which it is not worth
// waiting. ERROR_FILE once when the journal can no longer be written.
static gputune_result gputune__journal_race(gputune__journal *j, const char *config,
                                            gputune_error *error)
{
    gputune_result result;
    bool ok;
    if (config ? j->racing && strcmp(j->race, config) == 0 : !j->racing) return GPUTUNE_OK;
    gputune__line_clear(j->line);
    if (config) {
        ok = gputune__put_word(&j->base, &j->line, "race", config);
        if (!j->racing) {
            j->raced = j->size;
            gputune__line_clear(j->race);
        }
    } else {
        ok = gputune__text_put(&j->base, &j->line, "rest", 4) &&
             gputune__put_check(&j->base, &j->line, 0);
    }
    if (!ok) return gputune__oom(error);
    result = gputune__journal_write(j, error);
    if (result != GPUTUNE_OK || j->failed) return result;
    j->ended = true; // or taking trials back would cut this line off, too
    gputune__line_clear(j->race);
    j->racing = config && gputune__text_put(&j->base, &j->race, config, strlen(config));
    return !config || j->racing ? GPUTUNE_OK : gputune__oom(error);
}

// Takes trials back that have begun and will have no end although the program goes on.
static void gputune__journal_take_back(gputune__journal *j)
{
    bool ok = true;
    int i;
    if (!gputune__len(j->open)) return;
    gputune__line_clear(j->line);
    for (i = 0; i < gputune__len(j->open) && ok; i++)
        ok = gputune__put_word(&j->base, &j->line, "back", j->open[i]);
    if (!j->ended || !ok || j->failed)
        gputune__journal_cut_open(j);
    else
        gputune__journal_write(j, NULL);
    gputune__journal_close_all(j);
}

static gputune_result gputune__journal_restart(gputune__journal *j, const gputune__key *key,
                                               gputune_error *error)
{
    const gputune__base *b = &j->base;
    size_t folder = gputune__folder_length(j->path);
    gputune_result result;
    size_t begin;
    char c;
    int code = gputune__file_cut(j->file, 0);
    if (code) return gputune__file_fail(error, "empty", j->path, code);
    j->size = 0;
    gputune__line_clear(j->line);
    if (!gputune__text_add(b, &j->line, GPUTUNE__JOURNAL_HEADER "%d\n", GPUTUNE__JOURNAL_VERSION))
        return gputune__oom(error);
    begin = (size_t)stbds_arrlen(j->line);
    if (!gputune__text_put(b, &j->line, "key", 3) || !gputune__put_key(b, &j->line, key) ||
        !gputune__put_check(b, &j->line, begin))
        return gputune__oom(error);
    result = gputune__journal_write(j, error);
    c = j->path[folder];
    j->path[folder] = 0;
    gputune__folder_sync(j->path);
    j->path[folder] = c;
    return result;
}

// The trial that a process died in.
static gputune__record gputune__record_crashed(const char *config)
{
    static const char reason[] = "the program ended while this configuration ran";
    gputune__record record;
    memset(&record, 0, sizeof record);
    record.config = (char *)(uintptr_t)config;
    record.result = GPUTUNE_ERROR_CRASHED;
    record.value = HUGE_VAL;
    record.reason = (char *)(uintptr_t)reason;
    return record;
}

// Is what was launched again after its trial to blame for the program's death? Not while others
// ran that had never come to their end.
static bool gputune__journal_blames(const gputune__journal_found *found)
{
    return found->racing && !gputune__len(found->pending);
}

// Closes a trial that the program died in.
static gputune_result gputune__journal_crashed(gputune__journal *j, gputune__journal_found *found,
                                               const char *config, gputune_error *error)
{
    gputune__record record = gputune__record_crashed(config);
    if (!gputune__records_add(&j->base, &found->records, &record)) return gputune__oom(error);
    gputune__log(&j->base, GPUTUNE_LOG_WARN, "%s: %s", record.reason, config);
    return gputune__journal_end(j, &record, error);
}

// Goes on after an interrupted run: mends the torn end of its file and closes the trials that it
// died in.
static gputune_result gputune__journal_resume(gputune__journal *j, gputune__journal_found *found,
                                              gputune_error *error)
{
    const gputune__base *b = &j->base;
    gputune_result result = GPUTUNE_OK;
    int code = 0, i;
    uint64_t size = j->size;
    if (found->keep < j->size) code = gputune__file_cut(j->file, found->keep);
    if (code) return gputune__file_fail(error, "cut", j->path, code);
    j->size = found->keep;
    gputune__line_clear(j->line);
    if (found->newline && !gputune__text_put(b, &j->line, "\n", 1)) return gputune__oom(error);
    // Or a later reading, of the same lines without the damaged one, would take them for crashed.
    for (i = 0; found->keep < size && i < gputune__len(found->unknown); i++)
        if (!gputune__put_word(b, &j->line, "back", found->unknown[i].config))
            return gputune__oom(error);
    if ((found->rest_unknown || (found->racing && !gputune__journal_blames(found))) &&
        (!gputune__text_put(b, &j->line, "rest", 4) ||
         !gputune__put_check(b, &j->line, (size_t)stbds_arrlen(j->line) - 4)))
        return gputune__oom(error);
    if (gputune__len(j->line) && gputune__journal_write(j, error) != GPUTUNE_OK)
        return GPUTUNE_ERROR_FILE;
    for (i = 0; i < gputune__len(found->pending) && result == GPUTUNE_OK; i++)
        result = gputune__journal_crashed(j, found, found->pending[i].config, error);
    if (result == GPUTUNE_OK && gputune__journal_blames(found))
        result = gputune__journal_crashed(j, found, found->racing, error);
    return result;
}

// Reads the locked file and makes it ready to append.
static gputune_result gputune__journal_start(gputune__journal *j, const gputune__key *key,
                                             bool fresh, gputune__record **records,
                                             gputune_error *error)
{
    const gputune__base *b = &j->base;
    gputune__journal_found found;
    char *text;
    size_t size;
    gputune_result result = gputune__file_load(b, j->file, j->path, &text, &size, error);
    if (result != GPUTUNE_OK) return result;
    j->size = size;
    if (!gputune__journal_parse(b, text, size, key, &found)) {
        result = gputune__oom(error);
    } else if (found.version > GPUTUNE__JOURNAL_VERSION) {
        result = gputune__error(error, GPUTUNE_ERROR_FORMAT, "%.1000s is of the newer version %d",
                                j->path, found.version);
    } else if (fresh || found.done || found.other_key ||
               (!found.key && !found.records && !gputune__len(found.pending))) {
        gputune__records_free(b, found.records);
        found.records = NULL;
        result = gputune__journal_restart(j, key, error);
    } else {
        if (found.damaged)
            gputune__log(b, GPUTUNE_LOG_WARN, "journal %s: %d damaged lines skipped", j->path,
                         found.damaged);
        result = gputune__journal_resume(j, &found, error);
    }
    gputune__arr_free(b, found.pending);
    gputune__arr_free(b, found.unknown);
    gputune__free(b, text);
    if (result != GPUTUNE_OK) {
        gputune__records_free(b, found.records);
        found.records = NULL;
    }
    *records = found.records;
    return result;
}

// STORE.journal/NAME-<hash of the key>.txt
static bool gputune__journal_path(const gputune__base *b, const char *store_path,
                                  const gputune__key *key, char **path)
{
    char name[65], hash[17];
    int i;
    for (i = 0; i < 64 && key->name[i]; i++) {
        char c = key->name[i];
        bool safe = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                    c == '_' || c == '-' || (c == '.' && i > 0);
        name[i] = safe ? c : '_';
    }
    name[i] = 0;
    return gputune__text_add(b, path, "%s.journal/%s-%s.txt", store_path, name,
                             gputune__hex_text(gputune__store_key_hash(key), 16, hash));
}

static void gputune__journal_free(gputune__journal *j)
{
    gputune__base base = j->base;
    gputune__journal_close_all(j);
    gputune__arr_free(&base, j->path);
    gputune__arr_free(&base, j->line);
    gputune__arr_free(&base, j->race);
    gputune__free(&base, j);
}

// Opens the journal of one tuning, beside the store. fresh: starts anew. Otherwise *records gets
// what an interrupted run left (an stb_ds array, freed with gputune__records_free); a trial that
// began and never ended comes back as GPUTUNE_ERROR_CRASHED and is written so. A journal that was
// closed as done yields nothing and starts anew. ERROR_LOCKED: another tuner has it. On error
// *journal and *records are NULL.
static gputune_result gputune__journal_open(const gputune__base *b, const char *store_path,
                                            const gputune__key *wanted, bool fresh,
                                            gputune__journal **journal, gputune__record **records,
                                            gputune_error *error)
{
    gputune__key key = gputune__key_of(wanted);
    gputune__journal *j = (gputune__journal *)gputune__alloc(b, 1, sizeof *j);
    gputune_result result;
    int code;
    *journal = NULL;
    *records = NULL;
    if (!j) return gputune__oom(error);
    j->base = *b;
    if (!gputune__journal_path(b, store_path, &key, &j->path))
        result = gputune__oom(error);
    else
        result = gputune__file_make(b, j->path, GPUTUNE__FILE_APPEND, "open", &j->file, error);
    if (result != GPUTUNE_OK) {
        gputune__journal_free(j);
        return result;
    }
    code = gputune__file_lock(j->file);
    if (code)
        result = gputune__file_fail(error, "lock", j->path, code);
    else
        result = gputune__journal_start(j, &key, fresh, records, error);
    if (result == GPUTUNE_OK) {
        *journal = j;
        return GPUTUNE_OK;
    }
    gputune__file_unlock(j->file);
    gputune__journal_free(j);
    return result;
}

// What a journal holds that another process writes or wrote, without touching it: the trials, the
// one in flight as crashed (freed with gputune__records_free; NULL on error), and whether the
// tuning is over. A journal that is missing or of no use holds nothing.
static gputune_result gputune__journal_read(const gputune__base *b, const char *store_path,
                                            const gputune__key *wanted, gputune__record **records,
                                            bool *done, gputune_error *error)
{
    gputune__key key = gputune__key_of(wanted);
    gputune__journal_found found;
    gputune_result result = GPUTUNE_OK;
    gputune__file file;
    char *path = NULL, *text = NULL;
    size_t size = 0;
    int i;
    memset(&found, 0, sizeof found);
    if (!gputune__journal_path(b, store_path, &key, &path)) {
        result = gputune__oom(error);
    } else if (gputune__file_open(path, GPUTUNE__FILE_READ, 0, &file) == 0) {
        result = gputune__file_load(b, file, path, &text, &size, error);
        gputune__file_close(file);
    }
    if (result == GPUTUNE_OK && !gputune__journal_parse(b, text, size, &key, &found))
        result = gputune__oom(error);
    for (i = 0; i < gputune__len(found.pending) && result == GPUTUNE_OK; i++) {
        gputune__record record = gputune__record_crashed(found.pending[i].config);
        if (!gputune__records_add(b, &found.records, &record)) result = gputune__oom(error);
    }
    if (result == GPUTUNE_OK && gputune__journal_blames(&found)) {
        gputune__record record = gputune__record_crashed(found.racing);
        if (!gputune__records_add(b, &found.records, &record)) result = gputune__oom(error);
    }
    gputune__arr_free(b, found.pending);
    gputune__arr_free(b, found.unknown);
    gputune__free(b, text);
    gputune__arr_free(b, path);
    if (result != GPUTUNE_OK || found.other_key || found.version > GPUTUNE__JOURNAL_VERSION) {
        gputune__records_free(b, found.records);
        found.records = NULL;
    }
    *done = found.done && found.records;
    *records = found.records;
    return result;
}

// done: the tuning is over and its answer saved; the journal will not be resumed. NULL is fine.
static void gputune__journal_close(gputune__journal *j, bool done)
{
    if (!j) return;
    gputune__journal_race(j, NULL, NULL);
    gputune__journal_take_back(j);
    gputune__line_clear(j->line);
    if (done && gputune__text_put(&j->base, &j->line, "done", 4) &&
        gputune__put_check(&j->base, &j->line, 0))
        gputune__journal_write(j, NULL);
    if (j->begun && !j->failed) gputune__file_sync(j->file);
    gputune__file_unlock(j->file);
    gputune__journal_free(j);
}

// --- binaries: what translating gave, one file each beside the store ---
//
// STORE.binaries/<hash of all that it depends on, 16 digits> holds a line "gputune binary 1 <that
// hash> <check>" and the binary. The check is a hash of it, so that damage is found; it keeps
// nobody out. A binary is code that runs as this user: only a folder of this user's is used, into
// which nobody else writes, though the store itself may be shared.

#define GPUTUNE__BINARY_HEADER "gputune binary 1 "
enum {
    GPUTUNE__BINARY_HEAD = sizeof GPUTUNE__BINARY_HEADER - 1 + 16 + 1 + 16 + 1,
    GPUTUNE__BINARIES_MOST = 256 // files; a binary has 10 to 100 KiB
};

// False: nothing is read from the folder or written into it.
static bool gputune__binaries_private(const gputune__base *b, const char *store_path)
{
    char *path = NULL;
    bool good = gputune__text_add(b, &path, "%s.binaries", store_path);
    if (good && !gputune__folder_private(path)) {
        good = false;
        gputune__log(b, GPUTUNE_LOG_WARN,
                     "%s is not used: it is no folder of this user's into which no other writes",
                     path);
    }
    gputune__arr_free(b, path);
    return good;
}

static bool gputune__binary_path(const gputune__base *b, const char *store_path, uint64_t hash,
                                 char **path)
{
    char digits[17];
    return gputune__text_add(b, path, "%s.binaries/%s", store_path,
                             gputune__hex_text(hash, 16, digits));
}

static bool gputune__binary_sound(const char *data, size_t size, uint64_t hash)
{
    const char *at = data + sizeof GPUTUNE__BINARY_HEADER - 1;
    uint64_t named, check;
    return size > GPUTUNE__BINARY_HEAD &&
           memcmp(data, GPUTUNE__BINARY_HEADER, (size_t)(at - data)) == 0 &&
           gputune__hex_parse(at, 16, &named) && named == hash && at[16] == ' ' &&
           gputune__hex_parse(at + 17, 16, &check) && at[33] == '\n' &&
           check == gputune__hash(data + GPUTUNE__BINARY_HEAD, size - GPUTUNE__BINARY_HEAD, hash);
}

// Reads one. False when there is none, when it is damaged, and when anything fails: it can be made
// anew.
static bool gputune__binary_read(const gputune__base *b, const char *store_path, uint64_t hash,
                                 gputune_binary *binary)
{
    gputune_error error;
    gputune__file file;
    char *path = NULL, *data = NULL;
    size_t size = 0;
    bool found = false;
    memset(binary, 0, sizeof *binary);
    if (gputune__binary_path(b, store_path, hash, &path) &&
        gputune__file_open(path, GPUTUNE__FILE_READ, 0, &file) == 0) {
        if (gputune__file_load(b, file, path, &data, &size, &error) == GPUTUNE_OK)
            found = gputune__binary_sound(data, size, hash);
        gputune__file_close(file);
        if (data && !found)
            gputune__log(b, GPUTUNE_LOG_INFO, "%s is damaged: compiling anew", path);
    }
    if (found) {
        binary->bytes = size - GPUTUNE__BINARY_HEAD;
        memmove(data, data + GPUTUNE__BINARY_HEAD, binary->bytes); // aligned as it was made
        binary->data = data;
    } else {
        gputune__free(b, data);
    }
    gputune__arr_free(b, path);
    return found;
}

static void gputune__binary_remove(const gputune__base *b, const char *store_path, uint64_t hash)
{
    char *path = NULL;
    if (gputune__binary_path(b, store_path, hash, &path)) gputune__file_remove(path);
    gputune__arr_free(b, path);
}

// Oldest first.
static int gputune__compare_listed(const void *a, const void *b)
{
    const gputune__listed *x = (const gputune__listed *)a, *y = (const gputune__listed *)b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return strcmp(x->name, y->name);
}

// Removes the oldest files of our kind beyond the limit, temporary ones of dead processes included;
// never `keep`.
static void gputune__binaries_prune(const gputune__base *b, const char *folder, const char *keep)
{
    gputune__listed *files = NULL;
    uint64_t hash;
    char *path = NULL;
    int i, count = 0, surplus;
    bool ok = gputune__folder_list(b, folder, &files);
    for (i = 0; i < gputune__len(files); i++)
        if (gputune__hex_parse(files[i].name, 16, &hash) && strcmp(files[i].name, keep) != 0)
            files[count++] = files[i];
    surplus = count + 1 - GPUTUNE__BINARIES_MOST;
    if (count > 1 && surplus > 0)
        qsort(files, (size_t)count, sizeof *files, gputune__compare_listed);
    for (i = 0; i < surplus && ok; i++) {
        gputune__arr_free(b, path);
        ok = gputune__text_add(b, &path, "%s/%s", folder, files[i].name);
        if (ok) gputune__file_remove(path);
    }
    gputune__arr_free(b, path);
    gputune__arr_free(b, files);
}

// A name that no other writer has: neither another thread, nor a process of the same number in
// another container that shares the folder.
static bool gputune__binary_temporary(const gputune__base *b, const char *path, char **temporary)
{
    char digits[17];
    struct {
        const void *here;
        double now;
        unsigned long process;
    } own;
    memset(&own, 0, sizeof own);
    own.here = &own;
    own.now = gputune_now(); // to a nanosecond or so
    own.process = gputune__process_id();
    return gputune__text_add(b, temporary, "%s.%s.tmp", path,
                             gputune__hex_text(gputune__hash(&own, sizeof own, 0), 16, digits));
}

// Writes the file's text under a name of this writer's own, for no lock is held, and puts it in
// place. A folder that another process removes, or makes, meanwhile is no failure: ERROR_LOCKED
// when it goes on like that.
static gputune_result gputune__binary_place(const gputune__base *b, const char *path,
                                            const char *text, size_t size, gputune_error *error)
{
    gputune_result result = GPUTUNE_OK;
    const char *operation;
    int code = 0, tries;
    for (tries = 0; tries < 3; tries++) {
        char *temporary = NULL;
        result = gputune__folders_create(b, path, error);
        if (result == GPUTUNE_OK && !gputune__binary_temporary(b, path, &temporary))
            result = gputune__oom(error);
        if (result != GPUTUNE_OK) return result;
        code = gputune__file_put(temporary, 0666, text, size, &operation);
        if (!code) {
            operation = "replace";
            code = gputune__file_rename(temporary, path);
        }
        if (code && !gputune__code_exists(code)) gputune__file_remove(temporary);
        gputune__arr_free(b, temporary);
        if (!gputune__code_missing(code) && !gputune__code_exists(code))
            return code ? gputune__file_fail(error, operation, path, code) : GPUTUNE_OK;
    }
    return gputune__error(error, GPUTUNE_ERROR_LOCKED, "cannot write %.1000s: its folder changes",
                          path);
}

static gputune_result gputune__binary_put(const gputune__base *b, const char *path, uint64_t hash,
                                          const gputune_binary *binary, gputune_error *error)
{
    char head[GPUTUNE__BINARY_HEAD + 1], named[17], check[17], *text = NULL;
    gputune_result result;
    gputune__hex_text(hash, 16, named);
    gputune__hex_text(gputune__hash(binary->data, binary->bytes, hash), 16, check);
    snprintf(head, sizeof head, "%s%s %s\n", GPUTUNE__BINARY_HEADER, named, check);
    if (gputune__text_put(b, &text, head, GPUTUNE__BINARY_HEAD) &&
        gputune__text_put(b, &text, (const char *)binary->data, binary->bytes))
        result = gputune__binary_place(b, path, text, (size_t)gputune__len(text), error);
    else
        result = gputune__oom(error);
    gputune__arr_free(b, text);
    return result;
}

static gputune_result gputune__binary_write(const gputune__base *b, const char *store_path,
                                            uint64_t hash, const gputune_binary *binary,
                                            gputune_error *error)
{
    char *path = NULL;
    gputune_result result = GPUTUNE_ERROR_MEMORY;
    size_t slash;
    if (gputune__binary_path(b, store_path, hash, &path))
        result = gputune__binary_put(b, path, hash, binary, error);
    else
        gputune__oom(error);
    if (result == GPUTUNE_OK) {
        slash = strlen(path) - 17;
        path[slash] = 0;
        gputune__binaries_prune(b, path, path + slash + 1);
    }
    gputune__arr_free(b, path);
    return result;
}

// ---------------------------------------------------------------------------------------------
// [device]
// ---------------------------------------------------------------------------------------------

GPUTUNE_API gputune_result gputune_error_set(gputune_error *error, gputune_result result,
                                             const char *format, ...)
{
    va_list args;
    va_start(args, format);
    gputune__vfail(error, result, format, args);
    va_end(args);
    return result;
}

GPUTUNE_API void gputune_log(const gputune_options *options, gputune_log_level level,
                             const char *message)
{
    gputune__base b;
    memset(&b, 0, sizeof b);
    gputune__base_log(&b, options);
    if (b.log && level <= b.level) b.log(b.log_user, level, message); // whole, however long
}

GPUTUNE_API void *gputune_reallocate(const gputune_options *options, void *memory, size_t bytes)
{
    gputune_allocator none;
    memset(&none, 0, sizeof none);
    return gputune__reallocate(options ? &options->allocator : &none, memory, bytes);
}

static void *gputune__library_load(const char *name, char *why, size_t size)
{
#if defined(_WIN32)
    HMODULE library = LoadLibraryA(name);
    if (!library) snprintf(why, size, "error %lu", (unsigned long)GetLastError());
    return (void *)library;
#else
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    const char *text = library ? NULL : dlerror();
    if (!library) snprintf(why, size, "%s", text ? text : "dlopen failed");
    return library;
#endif
}

GPUTUNE_API void *gputune_library_open(const char *const *names, gputune_error *error)
{
    char why[256], tried[1024];
    size_t used = 0;
    int i;
    tried[0] = 0;
    for (i = 0; names[i]; i++) {
        void *library = gputune__library_load(names[i], why, sizeof why);
        if (library) return library;
        if (used < sizeof tried)
            used += (size_t)snprintf(tried + used, sizeof tried - used, "%s%s (%s)",
                                     i ? "; " : "", names[i], why);
    }
    gputune__error(error, GPUTUNE_ERROR_LIBRARY, "no library could be loaded: %s", tried);
    return NULL;
}

GPUTUNE_API bool gputune_library_symbol(void *library, const char *symbol, void *function)
{
#if defined(_WIN32)
    FARPROC address = GetProcAddress((HMODULE)library, symbol);
#else
    void *address = dlsym(library, symbol);
#endif
    // ISO C has no conversion from object to function pointers.
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

GPUTUNE_API void gputune_library_close(void *library)
{
    if (!library) return;
#if defined(_WIN32)
    FreeLibrary((HMODULE)library);
#else
    dlclose(library);
#endif
}

static size_t gputune__type_bytes(gputune_type type)
{
    static const size_t bytes[] = {
#define GPUTUNE__X(name, size) size,
        GPUTUNE_TYPES(GPUTUNE__X)
#undef GPUTUNE__X
    };
    return bytes[type];
}

static const char *gputune__type_name(gputune_type type)
{
    static const char *const names[] = { "struct", "char",  "uchar", "short", "ushort", "int",
                                         "uint",   "long",  "ulong", "half",  "float",  "double" };
    return names[type];
}

static bool gputune__type_is_real(gputune_type type)
{
    return type == GPUTUNE_HALF || type == GPUTUNE_FLOAT || type == GPUTUNE_DOUBLE;
}

static gputune_arg gputune__arg(gputune_arg_kind kind, gputune_type type, size_t bytes)
{
    gputune_arg arg;
    memset(&arg, 0, sizeof arg);
    arg.kind = kind;
    arg.type = type;
    arg.bytes = bytes;
    return arg;
}

static gputune_arg gputune__integer_arg(gputune_type type, int64_t value)
{
    gputune_arg arg = gputune__arg(GPUTUNE_ARG_SCALAR, type, gputune__type_bytes(type));
    arg.value.i = value;
    return arg;
}

GPUTUNE_API gputune_arg gputune_int(int32_t value)
{
    return gputune__integer_arg(GPUTUNE_INT32, value);
}

GPUTUNE_API gputune_arg gputune_uint(uint32_t value)
{
    return gputune__integer_arg(GPUTUNE_UINT32, (int64_t)value);
}

GPUTUNE_API gputune_arg gputune_long(int64_t value)
{
    return gputune__integer_arg(GPUTUNE_INT64, value);
}

GPUTUNE_API gputune_arg gputune_ulong(uint64_t value)
{
    return gputune__integer_arg(GPUTUNE_UINT64, (int64_t)value);
}

GPUTUNE_API gputune_arg gputune_scalar(gputune_type type, double value)
{
    gputune_arg arg = gputune__arg(GPUTUNE_ARG_SCALAR, type, gputune__type_bytes(type));
    assert(type != GPUTUNE_BYTES);
    if (gputune__type_is_real(type))
        arg.value.d = value;
    else if (type == GPUTUNE_UINT64 && value >= 9223372036854775808.0)
        arg.value.i = (int64_t)(uint64_t)value;
    else
        arg.value.i = (int64_t)value;
    return arg;
}

GPUTUNE_API gputune_arg gputune_float(float value)
{
    return gputune_scalar(GPUTUNE_FLOAT, (double)value);
}

GPUTUNE_API gputune_arg gputune_double(double value)
{
    return gputune_scalar(GPUTUNE_DOUBLE, value);
}

GPUTUNE_API gputune_arg gputune_bytes(const void *data, size_t bytes)
{
    gputune_arg arg = gputune__arg(GPUTUNE_ARG_SCALAR, GPUTUNE_BYTES, bytes);
    arg.value.data = data;
    return arg;
}

static gputune_arg gputune__buffer_arg(gputune_arg_kind kind, void *buffer, size_t bytes)
{
    gputune_arg arg = gputune__arg(kind, GPUTUNE_BYTES, bytes);
    arg.buffer = buffer;
    return arg;
}

GPUTUNE_API gputune_arg gputune_in(void *buffer, size_t bytes)
{
    return gputune__buffer_arg(GPUTUNE_ARG_IN, buffer, bytes);
}

GPUTUNE_API gputune_arg gputune_out(void *buffer, size_t bytes)
{
    return gputune__buffer_arg(GPUTUNE_ARG_OUT, buffer, bytes);
}

GPUTUNE_API gputune_arg gputune_inout(void *buffer, size_t bytes)
{
    return gputune__buffer_arg(GPUTUNE_ARG_INOUT, buffer, bytes);
}

GPUTUNE_API gputune_arg gputune_local(const char *bytes_expression)
{
    gputune_arg arg = gputune__arg(GPUTUNE_ARG_LOCAL, GPUTUNE_BYTES, 0);
    arg.expression = bytes_expression;
    return arg;
}

GPUTUNE_API gputune_arg gputune_named(gputune_arg arg, const char *name)
{
    arg.name = name;
    return arg;
}

GPUTUNE_API gputune_arg gputune_typed(gputune_arg arg, gputune_type elements)
{
    arg.type = elements;
    return arg;
}

// Round to nearest even, subnormals and overflow to infinity included.
static uint16_t gputune__half_of(double value)
{
    uint16_t sign = (uint16_t)(copysign(1.0, value) < 0 ? 0x8000 : 0);
    double size = fabs(value), scaled;
    int exponent;
    if (value != value) return 0x7e00;
    if (size == 0) return sign;
    if (size >= 65520.0) return (uint16_t)(sign | 0x7c00);
    frexp(size, &exponent);
    if (exponent < -13) exponent = -13;
    scaled = nearbyint(ldexp(size, 11 - exponent));
    return (uint16_t)(sign + (uint16_t)scaled + (uint16_t)((exponent + 13) * 1024));
}

// A scalar argument in the bytes of its own type.
static void gputune__scalar_bytes(const gputune_arg *arg, unsigned char *to)
{
    float f = (float)arg->value.d;
    uint16_t half;
    int8_t i8 = (int8_t)arg->value.i;
    int16_t i16 = (int16_t)arg->value.i;
    int32_t i32 = (int32_t)arg->value.i;
    switch (arg->type) {
    case GPUTUNE_BYTES: memcpy(to, arg->value.data, arg->bytes); break;
    case GPUTUNE_INT8:
    case GPUTUNE_UINT8: memcpy(to, &i8, 1); break;
    case GPUTUNE_INT16:
    case GPUTUNE_UINT16: memcpy(to, &i16, 2); break;
    case GPUTUNE_INT32:
    case GPUTUNE_UINT32: memcpy(to, &i32, 4); break;
    case GPUTUNE_HALF:
        half = gputune__half_of(arg->value.d);
        memcpy(to, &half, 2);
        break;
    case GPUTUNE_FLOAT: memcpy(to, &f, 4); break;
    case GPUTUNE_DOUBLE: memcpy(to, &arg->value.d, 8); break;
    default: memcpy(to, &arg->value.i, 8); break;
    }
}

static gputune_usage gputune__no_usage(void)
{
    gputune_usage usage;
    memset(&usage, 0, sizeof usage);
    usage.registers = usage.spill_bytes = usage.active_groups = -1;
    usage.local_memory = -1;
    usage.occupancy = -1;
    return usage;
}

struct gputune_device {
    gputune__base base;
    gputune_driver driver;
    void *self;
    gputune_limits limits;
    gputune__store *store; // opened with the device, shared by its kernels; NULL: none
    char *store_path;
    bool failed;
    bool binaries_failed; // none can be written: said once, not tried again
    bool binaries_shut;   // the folder is not this user's alone: said once
};

static double gputune__device_now(const gputune_device *device)
{
    return device->driver.now ? device->driver.now(device->self) : gputune_now();
}

static void gputune__device_free(gputune_device *device)
{
    gputune__base base = device->base;
    if (device->store) gputune__store_close(device->store);
    gputune__free(&base, device->store_path);
    if (device->self && device->driver.destroy) device->driver.destroy(device->self);
    gputune__free(&base, device);
}

static gputune_device *gputune__device_new(const gputune_options *options)
{
    gputune__base base;
    gputune_device *device;
    gputune__base_init(&base, options);
    device = (gputune_device *)gputune__alloc(&base, 1, sizeof *device);
    if (device) device->base = base;
    return device;
}

static bool gputune__device_open_store(gputune_device *device, const gputune_options *options)
{
    gputune_error *error = &device->base.error;
    if (device->base.mode == GPUTUNE_MODE_OFF) return true;
    if (gputune__store_path(&device->base, options, &device->store_path, error) != GPUTUNE_OK)
        return error->result != GPUTUNE_ERROR_MEMORY;
    if (!device->store_path) return true;
    device->store = gputune__store_open(&device->base, device->store_path,
                                        device->base.mode == GPUTUNE_MODE_READONLY);
    return device->store != NULL;
}

GPUTUNE_API gputune_device *gputune_device_create(const gputune_driver *driver, void *self,
                                                  const gputune_limits *limits,
                                                  const gputune_options *options)
{
    gputune_device *device = gputune__device_new(options);
    if (!device) {
        driver->destroy(self);
        return NULL;
    }
    device->driver = *driver;
    device->self = self;
    device->limits = *limits;
    if (!gputune__device_open_store(device, options)) {
        gputune__device_free(device);
        return NULL;
    }
    return device;
}

GPUTUNE_API gputune_device *gputune_device_create_failed(const gputune_options *options,
                                                         const gputune_error *error)
{
    gputune_device *device = gputune__device_new(options);
    if (!device) return NULL;
    device->failed = true;
    device->driver.api = "";
    device->base.error = *error;
    gputune__log(&device->base, GPUTUNE_LOG_ERROR, "%s", error->text);
    return device;
}

GPUTUNE_API void *gputune_device_self(const gputune_device *device, const char *api)
{
    if (!device || device->failed || strcmp(device->driver.api, api) != 0) return NULL;
    return device->self;
}

GPUTUNE_API void gputune_device_destroy(gputune_device *device)
{
    if (device) gputune__device_free(device);
}

GPUTUNE_API const gputune_limits *gputune_device_limits(const gputune_device *device)
{
    return &device->limits;
}

static const gputune_error gputune__no_memory = { GPUTUNE_ERROR_MEMORY, "out of memory" };

GPUTUNE_API const gputune_error *gputune_device_error(const gputune_device *device)
{
    return device ? &device->base.error : &gputune__no_memory;
}

// The device is fit for a call; else the reason in *result.
static bool gputune__device_fit(gputune_device *device, gputune_result *result)
{
    *result = !device          ? GPUTUNE_ERROR_MEMORY
              : device->failed ? device->base.error.result
                               : GPUTUNE_OK;
    return *result == GPUTUNE_OK;
}

GPUTUNE_API gputune_result gputune_buffer_read(gputune_device *device, void *buffer, void *host,
                                               size_t bytes)
{
    gputune_result result;
    if (!gputune__device_fit(device, &result)) return result;
    result = device->driver.wait(device->self, &device->base.error);
    if (result != GPUTUNE_OK || bytes == 0) return result;
    return device->driver.read(device->self, buffer, 0, host, bytes, &device->base.error);
}

GPUTUNE_API gputune_result gputune_buffer_write(gputune_device *device, void *buffer,
                                                const void *host, size_t bytes)
{
    gputune_result result;
    if (!gputune__device_fit(device, &result)) return result;
    result = device->driver.wait(device->self, &device->base.error);
    if (result != GPUTUNE_OK || bytes == 0) return result;
    return device->driver.write(device->self, buffer, 0, host, bytes, &device->base.error);
}

GPUTUNE_API void *gputune_buffer(gputune_device *device, size_t bytes, const void *host)
{
    gputune_memory memory;
    gputune_result result;
    int64_t most = device ? device->limits.global_memory : 0;
    if (!gputune__device_fit(device, &result)) return NULL;
    // NVIDIA's OpenCL hands out what no device has and fails at the first use.
    if (most > 0 && (uint64_t)bytes > (uint64_t)most) {
        gputune__error(&device->base.error, GPUTUNE_ERROR_RESOURCES,
                       "a buffer of %zu bytes; the device has %lld", bytes, (long long)most);
        return NULL;
    }
    if (device->driver.allocate(device->self, bytes, 0, &memory, &device->base.error) !=
        GPUTUNE_OK)
        return NULL;
    if (!host || gputune_buffer_write(device, memory.handle, host, bytes) == GPUTUNE_OK)
        return memory.handle;
    device->driver.release(device->self, &memory);
    return NULL;
}

GPUTUNE_API void gputune_buffer_free(gputune_device *device, void *buffer)
{
    gputune_memory memory;
    if (!buffer || !device || device->failed) return;
    memset(&memory, 0, sizeof memory);
    memory.handle = memory.whole = buffer;
    device->driver.release(device->self, &memory);
}

// --- memory of the host and replay drivers ---

// First member of both drivers' objects, so that their memory functions are the same.
typedef struct gputune__plain {
    gputune__base base;
} gputune__plain;

// Alignment that vector instructions of all present processors are content with.
enum { GPUTUNE__HOST_ALIGN = 64 };

static gputune_result gputune__plain_allocate(void *self, size_t bytes, size_t guard,
                                              gputune_memory *memory, gputune_error *error)
{
    gputune__plain *plain = (gputune__plain *)self;
    size_t round = (guard + GPUTUNE__HOST_ALIGN - 1) / GPUTUNE__HOST_ALIGN * GPUTUNE__HOST_ALIGN;
    size_t extra = 2 * round + GPUTUNE__HOST_ALIGN + sizeof(void *);
    char *block, *whole;
    memset(memory, 0, sizeof *memory);
    if (bytes > (size_t)-1 - extra)
        return gputune__error(error, GPUTUNE_ERROR_RESOURCES, "a buffer of %zu bytes", bytes);
    block = (char *)gputune__reallocate(&plain->base.allocator, NULL, bytes + extra);
    if (!block) return gputune__oom(error);
    whole = block + sizeof(void *) + GPUTUNE__HOST_ALIGN - 1;
    whole -= (uintptr_t)whole % GPUTUNE__HOST_ALIGN;
    memcpy(whole - sizeof(void *), &block, sizeof block);
    memory->whole = whole;
    memory->handle = whole + round;
    memory->guard = round;
    memory->bytes = bytes;
    return GPUTUNE_OK;
}

static void gputune__plain_release(void *self, gputune_memory *memory)
{
    gputune__plain *plain = (gputune__plain *)self;
    void *block;
    if (!memory->whole) return;
    memcpy(&block, (char *)memory->whole - sizeof(void *), sizeof block);
    gputune__free(&plain->base, block);
    memset(memory, 0, sizeof *memory);
}

static gputune_result gputune__plain_copy(void *self, void *to, size_t to_offset, void *from,
                                          size_t from_offset, size_t bytes, gputune_error *error)
{
    (void)self, (void)error;
    if (bytes) memmove((char *)to + to_offset, (char *)from + from_offset, bytes);
    return GPUTUNE_OK;
}

static gputune_result gputune__plain_fill(void *self, void *to, size_t offset, unsigned char byte,
                                          size_t bytes, gputune_error *error)
{
    (void)self, (void)error;
    if (bytes) memset((char *)to + offset, byte, bytes);
    return GPUTUNE_OK;
}

static gputune_result gputune__plain_read(void *self, void *from, size_t offset, void *host,
                                          size_t bytes, gputune_error *error)
{
    return gputune__plain_copy(self, host, 0, from, offset, bytes, error);
}

static gputune_result gputune__plain_write(void *self, void *to, size_t offset, const void *host,
                                           size_t bytes, gputune_error *error)
{
    (void)self, (void)error;
    if (bytes) memcpy((char *)to + offset, host, bytes);
    return GPUTUNE_OK;
}

static gputune_result gputune__plain_wait(void *self, gputune_error *error)
{
    (void)self, (void)error;
    return GPUTUNE_OK;
}

static void gputune__plain_discard(void *self, void *code)
{
    gputune__free(&((gputune__plain *)self)->base, code);
}

static void gputune__plain_table(gputune_driver *driver, const char *api)
{
    memset(driver, 0, sizeof *driver);
    driver->api = api;
    driver->allocate = gputune__plain_allocate;
    driver->release = gputune__plain_release;
    driver->copy = gputune__plain_copy;
    driver->fill = gputune__plain_fill;
    driver->read = gputune__plain_read;
    driver->write = gputune__plain_write;
    driver->wait = gputune__plain_wait;
    driver->discard = gputune__plain_discard;
}

// --- host driver ---

typedef struct gputune__host {
    gputune__plain plain;
    int threads;
} gputune__host;

typedef struct gputune__host_code {
    gputune_host_fn function;
    void *user;
    gputune_config config;
} gputune__host_code;

static gputune_result gputune__host_compile(void *self, const gputune_build *build, void **code,
                                            gputune_error *error)
{
    gputune__host *host = (gputune__host *)self;
    gputune__host_code *made;
    if (!build->function)
        return gputune__error(error, GPUTUNE_ERROR_COMPILE,
                              "kernel \"%s\": the host driver takes C functions: list it in "
                              "gputune_kernel_desc.functions",
                              build->name);
    made = (gputune__host_code *)gputune__alloc(&host->plain.base, 1, sizeof *made);
    if (!made) return gputune__oom(error);
    made->function = build->function;
    made->user = build->function_user;
    made->config = *build->config;
    *code = made;
    return GPUTUNE_OK;
}

// Where the driver may choose, one group is a thread's share of the outermost dimension.
static void gputune__host_local(const gputune__host *host, const gputune_launch *launch,
                                size_t local[3])
{
    int d, last = launch->dimensions - 1;
    for (d = 0; d < 3; d++) local[d] = d < launch->dimensions ? launch->local[d] : 1;
    for (d = 0; d < launch->dimensions; d++) {
        size_t global = launch->global[d], threads = (size_t)host->threads;
        if (local[d]) continue;
        local[d] = d == last ? (global + threads - 1) / threads : global;
        if (!local[d]) local[d] = 1;
    }
}

static gputune_result gputune__host_launch(void *self, void *code, const gputune_launch *launch,
                                           gputune_error *error)
{
    gputune__host *host = (gputune__host *)self;
    gputune__host_code *kernel = (gputune__host_code *)code;
    size_t local[3], groups[3], total = 1;
    void **args;
    long long g;
    int i;
    gputune__host_local(host, launch, local);
    for (i = 0; i < 3; i++) {
        size_t global = i < launch->dimensions ? launch->global[i] : 1;
        groups[i] = (global + local[i] - 1) / local[i];
        total *= groups[i];
    }
    args = (void **)gputune__alloc(&host->plain.base, (size_t)launch->arg_count, sizeof *args);
    if (!args) return gputune__oom(error);
    for (i = 0; i < launch->arg_count; i++) {
        const gputune_bound_arg *arg = &launch->args[i];
        args[i] = arg->handle;
        if (arg->kind == GPUTUNE_ARG_SCALAR) memcpy(&args[i], &arg->data, sizeof args[i]);
    }
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (g = 0; g < (long long)total; g++) {
        gputune_host_call call;
        size_t at = (size_t)g, group, global;
        int d;
        for (d = 0; d < 3; d++) {
            group = at % groups[d];
            at /= groups[d];
            global = d < launch->dimensions ? launch->global[d] : 1;
            call.global[d] = global;
            call.local[d] = local[d];
            call.begin[d] = group * local[d];
            call.end[d] = call.begin[d] + local[d] < global ? call.begin[d] + local[d] : global;
        }
        call.args = args;
        call.config = &kernel->config;
        call.user = kernel->user;
        kernel->function(&call);
    }
    gputune__free(&host->plain.base, args);
    return GPUTUNE_OK;
}

// A C function cannot be stopped: the limit is only looked at afterwards.
static gputune_result gputune__host_time(void *self, void *code, const gputune_launch *launch,
                                         int batch, double time_limit, double hang_limit,
                                         double *seconds, gputune_error *error)
{
    double begin = gputune_now();
    int i;
    (void)hang_limit;
    for (i = 0; i < batch; i++) {
        gputune_result result = gputune__host_launch(self, code, launch, error);
        if (result != GPUTUNE_OK) return result;
    }
    *seconds = gputune_now() - begin;
    if (time_limit > 0 && *seconds > time_limit * batch)
        return gputune__error(error, GPUTUNE_ERROR_TIMEOUT, "took %.3g s, the limit is %.3g s",
                              *seconds / batch, time_limit);
    return GPUTUNE_OK;
}

static void gputune__host_destroy(void *self)
{
    gputune__host *host = (gputune__host *)self;
    gputune__base base = host->plain.base;
    gputune__free(&base, host);
}

static int gputune__processors(void)
{
#ifdef _OPENMP
    return omp_get_max_threads();
#else
    return 1;
#endif
}

// The processor's name, for the store's key: answers of one machine do not fit another.
static void gputune__processor_name(char *name, size_t size)
{
    snprintf(name, size, "processor");
#if defined(__linux__)
    {
        FILE *file = fopen("/proc/cpuinfo", "r");
        char line[256];
        while (file && fgets(line, sizeof line, file)) {
            char *colon = strchr(line, ':');
            if (strncmp(line, "model name", 10) != 0 || !colon) continue;
            line[strcspn(line, "\n")] = 0;
            snprintf(name, size, "%.100s", colon + 2);
            break;
        }
        if (file) fclose(file);
    }
#endif
}

GPUTUNE_API gputune_device *gputune_host_device(const gputune_options *options)
{
    gputune_driver driver;
    gputune_limits limits;
    gputune__base base;
    gputune__host *host;
    gputune__base_init(&base, options);
    host = (gputune__host *)gputune__alloc(&base, 1, sizeof *host);
    if (!host) return NULL;
    host->plain.base = base;
    host->threads = gputune__processors();
    gputune__plain_table(&driver, "host");
    driver.destroy = gputune__host_destroy;
    driver.compile = gputune__host_compile;
    driver.launch = gputune__host_launch;
    driver.time = gputune__host_time;
    memset(&limits, 0, sizeof limits);
    limits.max_group_size = limits.max_group_x = limits.max_group_y = limits.max_group_z =
        INT32_MAX;
    limits.compute_units = host->threads;
    limits.cache_bytes = 32 << 20; // a guess on the safe side; only the cold-cache wipe uses it
    gputune__processor_name(limits.name, sizeof limits.name);
    snprintf(limits.driver, sizeof limits.driver, "%d thread%s", host->threads,
             host->threads == 1 ? "" : "s");
    return gputune_device_create(&driver, host, &limits, options);
}

// --- replay driver ---

typedef struct gputune__replay {
    gputune__plain plain;
    gputune_replay_desc desc;
    double clock;
    double joules, counted; // taken in all; what the counter showed when it moved last
    uint64_t random;
    bool lost;
} gputune__replay;

static gputune_replay_trial gputune__replay_ask(gputune__replay *replay,
                                                const gputune_config *config)
{
    gputune_replay_trial trial;
    memset(&trial, 0, sizeof trial);
    replay->desc.trial(replay->desc.user, config, &trial);
    return trial;
}

static gputune_result gputune__replay_lost(gputune_error *error)
{
    return gputune__error(error, GPUTUNE_ERROR_DEVICE_LOST, "%s",
                          "replay: the device no longer answers");
}

static gputune_result gputune__replay_refused(const gputune_build *build, gputune_error *error)
{
    return gputune__error(error, GPUTUNE_ERROR_COMPILE, "replay: \"%s\" does not compile",
                          build->name);
}

// What stands in a binary of this driver, in front of the configuration's choices.
static const char gputune__replay_binary[] = "replay binary 1";

// Touches neither the clock nor anything else of the driver's: other threads call it.
static gputune_result gputune__replay_translate(void *self, const gputune_build *build,
                                                gputune_binary *binary, gputune_error *error)
{
    gputune__replay *replay = (gputune__replay *)self;
    gputune_replay_trial trial = gputune__replay_ask(replay, build->config);
    size_t head = sizeof gputune__replay_binary, rest = sizeof build->config->choice;
    binary->seconds = trial.compile_seconds;
    if (trial.result == GPUTUNE_ERROR_COMPILE) return gputune__replay_refused(build, error);
    binary->data = gputune__alloc(&replay->plain.base, head + rest, 1);
    if (!binary->data) return gputune__oom(error);
    binary->bytes = head + rest;
    memcpy(binary->data, gputune__replay_binary, head);
    memcpy((char *)binary->data + head, build->config->choice, rest);
    return GPUTUNE_OK;
}

static bool gputune__replay_loads(const gputune_build *build)
{
    size_t head = sizeof gputune__replay_binary, rest = sizeof build->config->choice;
    const gputune_binary *binary = build->binary;
    return binary->bytes == head + rest &&
           memcmp(binary->data, gputune__replay_binary, head) == 0 &&
           memcmp((char *)binary->data + head, build->config->choice, rest) == 0;
}

static gputune_result gputune__replay_compile(void *self, const gputune_build *build, void **code,
                                              gputune_error *error)
{
    gputune__replay *replay = (gputune__replay *)self;
    gputune_replay_trial trial = gputune__replay_ask(replay, build->config);
    gputune_config *made;
    if (replay->lost) return gputune__replay_lost(error);
    if (build->binary && !gputune__replay_loads(build))
        return gputune__error(error, GPUTUNE_ERROR_DRIVER, "replay: not a binary of \"%s\"",
                              build->name);
    if (!build->binary) replay->clock += trial.compile_seconds;
    if (trial.result == GPUTUNE_ERROR_COMPILE) return gputune__replay_refused(build, error);
    made = (gputune_config *)gputune__alloc(&replay->plain.base, 1, sizeof *made);
    if (!made) return gputune__oom(error);
    *made = *build->config;
    *code = made;
    return GPUTUNE_OK;
}

// The rule that outputs follow: bytes below 0x40, so that no float is NaN; a buffer that is also
// read has the lowest bit of every eighth byte flipped, so that running twice shows.
static void gputune__replay_write(const gputune_bound_arg *arg, gputune_result flaw)
{
    unsigned char *bytes = (unsigned char *)arg->handle;
    size_t i;
    if (arg->kind != GPUTUNE_ARG_OUT && arg->kind != GPUTUNE_ARG_INOUT) return;
    if (arg->kind == GPUTUNE_ARG_OUT)
        for (i = 0; i < arg->bytes; i++) bytes[i] = (unsigned char)((i * 31 + 7) & 0x3f);
    else
        for (i = 0; i < arg->bytes; i += 8) bytes[i] ^= 1;
    if (flaw == GPUTUNE_ERROR_WRONG_OUTPUT && arg->bytes)
        bytes[arg->bytes - 1] ^= 0x40; // little-endian: the exponent of the last float
    if (flaw == GPUTUNE_ERROR_OUT_OF_BOUNDS) bytes[arg->bytes] ^= 0xff;
}

static gputune_result gputune__replay_launch(void *self, void *code, const gputune_launch *launch,
                                             gputune_error *error)
{
    gputune__replay *replay = (gputune__replay *)self;
    gputune_replay_trial trial = gputune__replay_ask(replay, (const gputune_config *)code);
    int i;
    if (replay->lost) return gputune__replay_lost(error);
    switch (trial.result) {
    case GPUTUNE_ERROR_LAUNCH:
    case GPUTUNE_ERROR_LIBRARY:
    case GPUTUNE_ERROR_RESOURCES:
        return gputune__error(error, trial.result, "replay: %s",
                              gputune_result_text(trial.result));
    case GPUTUNE_ERROR_DEVICE_LOST: replay->lost = true; return gputune__replay_lost(error);
    default: break;
    }
    for (i = 0; i < launch->arg_count; i++) gputune__replay_write(&launch->args[i], trial.result);
    return GPUTUNE_OK;
}

// Lets the virtual time pass; the counter shows what was taken when it last moved.
static void gputune__replay_work(gputune__replay *replay, double seconds, double watts)
{
    double period = replay->desc.energy_seconds, end = replay->clock + seconds, tick;
    if (period > 0) {
        tick = floor(end / period) * period;
        if (tick > replay->clock) replay->counted = replay->joules + watts * (tick - replay->clock);
        replay->joules += watts * seconds;
    }
    replay->clock = end;
}

static gputune_result gputune__replay_energy(void *self, double *joules, gputune_error *error)
{
    (void)error;
    *joules = ((gputune__replay *)self)->counted;
    return GPUTUNE_OK;
}

static void gputune__replay_usage(void *self, void *code, const gputune_launch *launch,
                                  gputune_usage *usage)
{
    gputune_replay_trial trial =
        gputune__replay_ask((gputune__replay *)self, (const gputune_config *)code);
    gputune_usage none;
    (void)launch;
    memset(&none, 0, sizeof none);
    if (memcmp(&trial.usage, &none, sizeof none) != 0) *usage = trial.usage;
}

static gputune_result gputune__replay_time(void *self, void *code, const gputune_launch *launch,
                                           int batch, double time_limit, double hang_limit,
                                           double *seconds, gputune_error *error)
{
    gputune__replay *replay = (gputune__replay *)self;
    gputune_replay_trial trial = gputune__replay_ask(replay, (const gputune_config *)code);
    gputune_result result = GPUTUNE_OK;
    double each = trial.seconds;
    int i;
    for (i = 0; i < batch && result == GPUTUNE_OK; i++)
        result = gputune__replay_launch(self, code, launch, error);
    if (result != GPUTUNE_OK) return result;
    if (replay->desc.noise > 0) {
        double factor = 1.0 + replay->desc.noise * gputune__random_normal(&replay->random);
        each *= factor > 0.1 ? factor : 0.1;
    }
    *seconds = each * batch;
    if (time_limit > 0 && *seconds > hang_limit) {
        replay->clock += hang_limit;
        replay->lost = true;
        return gputune__error(error, GPUTUNE_ERROR_DEVICE_LOST,
                              "replay: still running after %.3g s", hang_limit);
    }
    gputune__replay_work(replay, *seconds, trial.watts);
    gputune__replay_work(replay, replay->desc.overhead, 0);
    if (time_limit > 0 && each > time_limit)
        return gputune__error(error, GPUTUNE_ERROR_TIMEOUT, "took %.3g s, the limit is %.3g s",
                              each, time_limit);
    return GPUTUNE_OK;
}

static double gputune__replay_now(void *self)
{
    return ((gputune__replay *)self)->clock;
}

static void gputune__replay_destroy(void *self)
{
    gputune__replay *replay = (gputune__replay *)self;
    gputune__base base = replay->plain.base;
    gputune__free(&base, replay);
}

GPUTUNE_API gputune_device *gputune_replay_device(const gputune_replay_desc *desc)
{
    gputune_driver driver;
    gputune_limits limits = desc->limits;
    gputune__base base;
    gputune__replay *replay;
    assert(desc->trial);
    gputune__base_init(&base, &desc->options);
    replay = (gputune__replay *)gputune__alloc(&base, 1, sizeof *replay);
    if (!replay) return NULL;
    replay->plain.base = base;
    replay->desc = *desc;
    replay->random = desc->seed;
    gputune__plain_table(&driver, "replay");
    driver.destroy = gputune__replay_destroy;
    driver.compile = gputune__replay_compile;
    driver.launch = gputune__replay_launch;
    driver.time = gputune__replay_time;
    driver.now = gputune__replay_now;
    driver.usage = gputune__replay_usage;
    if (desc->energy_seconds > 0) {
        driver.energy = gputune__replay_energy;
        driver.energy_seconds = 5 * desc->energy_seconds;
    }
    if (desc->translates) driver.translate = gputune__replay_translate;
    snprintf(driver.translator, sizeof driver.translator, "%s", "replay 1");
    snprintf(limits.name, sizeof limits.name, "%s", desc->name ? desc->name : "replay");
    snprintf(limits.driver, sizeof limits.driver, "%s", "1");
    return gputune_device_create(&driver, replay, &limits, &desc->options);
}

// ---------------------------------------------------------------------------------------------
// [model]
// ---------------------------------------------------------------------------------------------

// Compute capability, threads and blocks a multiprocessor holds, KiB of shared memory in all and
// for a block that opts in, allocation granule, bytes the system takes of every block, carve-out
// sizes in KiB. 10.1, 11.0 and 12.x count named barriers once, others from 9.0 on twice.
typedef struct gputune__capability {
    int version, threads, groups, shared, per_group, granule, reserved;
    short carveouts[12]; // ends with -1
} gputune__capability;

static const gputune__capability gputune__capabilities[] = {
    { 700, 2048, 32, 96, 96, 256, 0, { 0, 8, 16, 32, 64, 96, -1 } },
    { 702, 2048, 32, 96, 96, 256, 0, { 0, 8, 16, 32, 64, 96, -1 } },
    { 705, 1024, 16, 64, 64, 256, 0, { 32, 64, -1 } },
    { 800, 2048, 32, 164, 163, 128, 1024, { 0, 8, 16, 32, 64, 100, 132, 164, -1 } },
    { 806, 1536, 16, 100, 99, 128, 1024, { 0, 8, 16, 32, 64, 100, -1 } },
    { 807, 1536, 16, 164, 163, 128, 1024, { 0, 8, 16, 32, 64, 100, 132, 164, -1 } },
    { 808, 0, 16, 0, 0, 128, 1024, { 0, 8, 16, 32, 64, 100, -1 } },
    { 809, 1536, 24, 100, 99, 128, 1024, { 0, 8, 16, 32, 64, 100, -1 } },
    { 900, 2048, 32, 228, 227, 128, 1024, { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228, -1 } },
    { 1000, 2048, 32, 228, 227, 128, 1024, { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228, -1 } },
    { 1001, 1536, 24, 228, 227, 128, 1024, { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228, -1 } },
    { 1003, 2048, 32, 228, 227, 128, 1024, { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228, -1 } },
    { 1100, 1536, 24, 228, 227, 128, 1024, { 0, 8, 16, 32, 64, 100, 132, 164, 196, 228, -1 } },
    { 1200, 1536, 24, 100, 99, 128, 1024, { 0, 8, 16, 32, 64, 100, -1 } },
    { 1201, 1536, 24, 100, 99, 128, 1024, { 0, 8, 16, 32, 64, 100, -1 } },
};

static int64_t gputune__round_up(int64_t x, int64_t granule)
{
    return (x + granule - 1) / granule * granule;
}

// Groups by registers: a warp's registers come from one of four files of 16384, in units of 256.
static int gputune__groups_by_registers(int registers, int warps)
{
    int64_t each = gputune__round_up((int64_t)registers * 32, 256);
    if (registers > 256 || each * gputune__round_up(warps, 4) > 65536) return 0;
    return each > 0 ? (int)(16384 / each * 4 / warps) : INT_MAX;
}

// The smallest carve-out, in bytes, that holds so many; the largest there is if none does.
static int64_t gputune__carveout(const gputune__capability *cc, int64_t bytes)
{
    int i;
    for (i = 0; cc->carveouts[i + 1] >= 0 && cc->carveouts[i] * (int64_t)1024 < bytes;) i++;
    return cc->carveouts[i] * (int64_t)1024;
}

static int gputune__groups_by_shared(const gputune__capability *cc,
                                     const gputune_multiprocessor *mp,
                                     const gputune_occupancy_desc *desc)
{
    int64_t each = gputune__round_up(
        desc->static_shared + desc->dynamic_shared + mp->shared_reserved, cc->granule);
    int64_t most = desc->max_dynamic > 0 ? desc->max_dynamic : 48 * 1024, wish = mp->shared_memory;
    if (desc->carveout)
        wish = gputune__carveout(cc, desc->carveout > 0 ? wish * desc->carveout / 100 : 0);
    if (desc->dynamic_shared > most || each > mp->shared_per_group + mp->shared_reserved) return 0;
    if (wish < each) wish = gputune__carveout(cc, each);
    return each > 0 ? (int)(wish / each) : INT_MAX;
}

GPUTUNE_API gputune_result gputune_occupancy_of(gputune_multiprocessor *mp,
                                                const gputune_occupancy_desc *desc,
                                                gputune_occupancy *occupancy)
{
    const gputune__capability *cc = NULL;
    int version = mp->major * 100 + mp->minor, warps, limits[5], i, barriers, most;
    memset(occupancy, 0, sizeof *occupancy);
    for (i = 0; i < (int)(sizeof gputune__capabilities / sizeof *gputune__capabilities); i++)
        if (gputune__capabilities[i].version == version) cc = &gputune__capabilities[i];
    if (!cc) return GPUTUNE_ERROR_UNSUPPORTED;
    if (!mp->max_threads) mp->max_threads = cc->threads;
    if (!mp->max_groups) mp->max_groups = cc->groups;
    if (!mp->shared_memory) mp->shared_memory = cc->shared * (int64_t)1024;
    if (!mp->shared_per_group) mp->shared_per_group = cc->per_group * (int64_t)1024;
    if (!mp->shared_reserved) mp->shared_reserved = cc->reserved;
    if (!mp->max_threads || !mp->shared_memory || !mp->shared_per_group)
        return GPUTUNE_ERROR_UNSUPPORTED;
    if (desc->group_size < 1) return GPUTUNE_ERROR_ARGUMENT;
    warps = (int)(((int64_t)desc->group_size + 31) / 32);
    barriers = desc->barriers > 0 ? desc->barriers : 1;
    limits[0] = desc->group_size > 1024 ? 0 : mp->max_threads / 32 / warps;
    limits[1] = mp->max_groups;
    limits[2] = gputune__groups_by_registers(desc->registers, warps);
    limits[3] = gputune__groups_by_shared(cc, mp, desc);
    limits[4] = INT_MAX; // plain barriers, one a group, never bind
    if (mp->major >= 9 && barriers > 1)
        limits[4] = mp->max_groups * (version == 1001 || version >= 1100 ? 1 : 2) / barriers;
    for (i = 0, most = INT_MAX; i < 5; i++)
        if (limits[i] < most) most = limits[i];
    for (i = 0; i < 5; i++)
        if (limits[i] == most) occupancy->limiters |= 1u << i;
    occupancy->active_groups = most;
    occupancy->active_warps = most * warps;
    occupancy->occupancy = (double)occupancy->active_warps / (mp->max_threads / 32);
    return GPUTUNE_OK;
}

// ---------------------------------------------------------------------------------------------
// [measure]
// ---------------------------------------------------------------------------------------------

enum {
    GPUTUNE__MAX_ARGS = 64,   // of one kernel; OpenCL promises far fewer
    GPUTUNE__MAX_LOCALS = 8,  // local-memory arguments of one kernel
    GPUTUNE__GUARD = 4096,    // bytes of canary: a row of 1024 floats too many shows
    GPUTUNE__GUARD_BYTE = 0xa7,
    // As float 1.3e36, as double 1e287, as half 61280, as int 2071690107: neither NaN nor near
    // anything a kernel computes, so that a forgotten element never passes.
    GPUTUNE__POISON = 0x7b
};

// One compiled configuration, ready to launch.
typedef struct gputune__variant {
    gputune_config config;
    void *code;
    int dimensions;
    size_t global[3], local[3];
    size_t local_bytes[GPUTUNE__MAX_LOCALS]; // of the local-memory arguments in order
    int batch; // launches in one timed sample; 0: not known yet, 1
    // Scalars in the types of this variant's own kernel function, for trials; bytes 0: as bound.
    unsigned char scalars[GPUTUNE__MAX_ARGS][8];
    unsigned char scalar_bytes[GPUTUNE__MAX_ARGS];
    gputune_binary binary; // what it was loaded from, if that was translated now; else data NULL
    uint64_t binary_hash;
    bool has_grid;     // rewritten: takes the grid as one more argument, the last
    gputune_grid grid;
} gputune__variant;

// The arguments of one kernel bound twice: to the program's buffers and to private copies, on
// which all trials run.
typedef struct gputune__work {
    gputune_device *device;
    int count;
    gputune_bound_arg real[GPUTUNE__MAX_ARGS];
    gputune_bound_arg trial[GPUTUNE__MAX_ARGS];
    const char *name[GPUTUNE__MAX_ARGS];     // for messages
    gputune_type type[GPUTUNE__MAX_ARGS];    // of a buffer's elements
    int owner[GPUTUNE__MAX_ARGS];            // first argument with the same buffer, -1: no buffer
    bool reads[GPUTUNE__MAX_ARGS];           // by owner: some alias is read
    bool writes[GPUTUNE__MAX_ARGS];          // by owner: some alias is written
    bool guarded[GPUTUNE__MAX_ARGS];         // by owner: trials must not touch the original
    gputune_memory memory[GPUTUNE__MAX_ARGS]; // by owner: the private copy
    void *snapshot[GPUTUNE__MAX_ARGS];       // by owner: content, where no copy could be had
    void *reference[GPUTUNE__MAX_ARGS];      // by owner: what is right
    gputune_memory right[GPUTUNE__MAX_ARGS]; // by owner: the same on the device, if there is room
    double scale[GPUTUNE__MAX_ARGS];         // by owner: typical magnitude of the reference
    void *scratch;                           // host memory for the largest output and two guards
    size_t scratch_bytes;
    gputune_memory wipe; // cold cache: what is filled before every timed launch
    bool any_inout;      // content must be restored before each timed launch
    bool cold;
    double time_limit, hang_limit;
    // What the final race compares; NULL: seconds of a launch (gputune__work_sample).
    gputune_result (*judge)(void *user, struct gputune__variant *v, double *value,
                            gputune_error *error);
    void *judge_user;
} gputune__work;

// --- comparing outputs ---

static double gputune__double_of_half(uint16_t half)
{
    int exponent = (half >> 10) & 31;
    double fraction = (double)(half & 1023), value;
    if (exponent == 31) return fraction > 0 ? (double)NAN : (half & 0x8000 ? -HUGE_VAL : HUGE_VAL);
    value = exponent ? ldexp(1024.0 + fraction, exponent - 25) : ldexp(fraction, -24);
    return half & 0x8000 ? -value : value;
}

static double gputune__real_at(gputune_type type, const void *data, size_t i)
{
    const char *at = (const char *)data + i * gputune__type_bytes(type);
    double d;
    float f;
    uint16_t h;
    switch (type) {
    case GPUTUNE_HALF: memcpy(&h, at, 2); return gputune__double_of_half(h);
    case GPUTUNE_FLOAT: memcpy(&f, at, 4); return (double)f;
    default: memcpy(&d, at, 8); return d;
    }
}

static int64_t gputune__integer_at(gputune_type type, const void *data, size_t i)
{
    const char *at = (const char *)data + i * gputune__type_bytes(type);
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    switch (type) {
    case GPUTUNE_INT8: memcpy(&i8, at, 1); return i8;
    case GPUTUNE_INT16: memcpy(&i16, at, 2); return i16;
    case GPUTUNE_INT32: memcpy(&i32, at, 4); return i32;
    case GPUTUNE_UINT16: memcpy(&i16, at, 2); return (uint16_t)i16;
    case GPUTUNE_UINT32: memcpy(&i32, at, 4); return (uint32_t)i32;
    case GPUTUNE_INT64:
    case GPUTUNE_UINT64: memcpy(&i64, at, 8); return i64;
    default: return *(const unsigned char *)at;
    }
}

// Distance between neighbouring numbers of the type at this magnitude.
static double gputune__spacing(gputune_type type, double value)
{
    int digits = type == GPUTUNE_HALF ? 11 : type == GPUTUNE_FLOAT ? FLT_MANT_DIG : DBL_MANT_DIG;
    int least = type == GPUTUNE_HALF ? -24 : type == GPUTUNE_FLOAT ? -149 : -1074, exponent;
    if (value == 0) return ldexp(1.0, least);
    frexp(value, &exponent);
    return ldexp(1.0, exponent - digits > least ? exponent - digits : least);
}

// What "all zero" means. For real types the absolute part is a share of the output's typical
// magnitude, because sums that cancel carry the error of their terms, not of their result.
static gputune_tolerance gputune__tolerance(const gputune_tolerance *wish, gputune_type type,
                                            double scale)
{
    gputune_tolerance t = *wish;
    if (t.absolute > 0 || t.relative > 0 || t.ulp > 0 || !gputune__type_is_real(type)) return t;
    t.relative = type == GPUTUNE_HALF ? 1e-2 : type == GPUTUNE_FLOAT ? 1e-4 : 1e-10;
    t.absolute = 0.1 * t.relative * scale;
    return t;
}

static bool gputune__real_close(gputune_type type, double got, double expected,
                                const gputune_tolerance *t)
{
    double difference = fabs(got - expected);
    if (got == expected) return true; // equal infinities, too
    if (!(difference <= DBL_MAX)) return false;
    if (difference <= t->absolute || difference <= t->relative * fabs(expected)) return true;
    return t->ulp > 0 && difference <= t->ulp * gputune__spacing(type, expected);
}

// Was the element never written? Then it counts for nothing and must stay so.
static bool gputune__is_poison(gputune_type type, const void *data, size_t i)
{
    const unsigned char *at = (const unsigned char *)data + i * gputune__type_bytes(type);
    size_t k, bytes = gputune__type_bytes(type);
    for (k = 0; k < bytes; k++)
        if (at[k] != GPUTUNE__POISON) return false;
    return true;
}

// Index of the first element that differs, or count.
static size_t gputune__first_difference(gputune_type type, const void *got, const void *expected,
                                        size_t begin, size_t count, const gputune_tolerance *t)
{
    size_t i;
    if (!gputune__type_is_real(type)) {
        for (i = begin; i < count; i++) {
            int64_t a = gputune__integer_at(type, got, i);
            int64_t b = gputune__integer_at(type, expected, i);
            double x = type == GPUTUNE_UINT64 ? (double)(uint64_t)a : (double)a;
            double y = type == GPUTUNE_UINT64 ? (double)(uint64_t)b : (double)b;
            if (a != b && fabs(x - y) > t->absolute) return i;
            if (a != b && !(t->absolute > 0)) return i; // beyond the precision of double
        }
        return count;
    }
    for (i = begin; i < count; i++) {
        double a = gputune__real_at(type, got, i), b = gputune__real_at(type, expected, i);
        if (a == b) continue;
        if (!gputune__real_close(type, a, b, t) || gputune__is_poison(type, expected, i)) return i;
    }
    return count;
}

static void gputune__element_text(gputune_type type, const void *data, size_t i, char *text,
                                  size_t size)
{
    if (gputune__type_is_real(type))
        snprintf(text, size, "%.9g", gputune__real_at(type, data, i));
    else
        snprintf(text, size, "%lld", (long long)gputune__integer_at(type, data, i));
}

// Compares one output; ERROR_WRONG_OUTPUT names the first element and how many differ.
static gputune_result gputune__compare(const char *name, gputune_type type, const void *got,
                                       const void *expected, size_t bytes, double scale,
                                       const gputune_tolerance *wish, gputune_error *error)
{
    size_t count = bytes / gputune__type_bytes(type), first, i, wrong = 0;
    gputune_tolerance t = gputune__tolerance(wish, type, scale);
    char a[40], b[40];
    first = gputune__first_difference(type, got, expected, 0, count, &t);
    for (i = first; i < count; wrong++)
        i = gputune__first_difference(type, got, expected, i + 1, count, &t);
    if (!wrong) return GPUTUNE_OK;
    gputune__element_text(type, got, first, a, sizeof a);
    gputune__element_text(type, expected, first, b, sizeof b);
    return gputune__error(error, GPUTUNE_ERROR_WRONG_OUTPUT,
                          "%s[%zu] is %s, expected %s; %zu of %zu elements differ", name, first, a,
                          b, wrong, count);
}

// Typical magnitude of the finite elements that were written, 0 for integers: the square of the
// mean of sqrt |x|, which a few huge elements move far less than the root mean square.
static double gputune__magnitude(gputune_type type, const void *data, size_t bytes)
{
    size_t count = bytes / gputune__type_bytes(type), finite = 0, i;
    double sum = 0;
    if (!gputune__type_is_real(type)) return 0;
    for (i = 0; i < count; i++) {
        double x = fabs(gputune__real_at(type, data, i));
        if (!(x <= DBL_MAX) || gputune__is_poison(type, data, i)) continue;
        sum += sqrt(x);
        finite++;
    }
    return finite ? sum / (double)finite * (sum / (double)finite) : 0;
}

static bool gputune__has_nan(gputune_type type, const void *data, size_t bytes, size_t *where)
{
    size_t count = bytes / gputune__type_bytes(type), i;
    if (!gputune__type_is_real(type)) return false;
    for (i = 0; i < count; i++) {
        double x = gputune__real_at(type, data, i);
        if (x == x) continue;
        *where = i;
        return true;
    }
    return false;
}

// --- private copies ---

// Finds aliases: arguments with the same buffer share one private copy.
static void gputune__work_owners(gputune__work *w, const gputune_arg *args, const bool *constant)
{
    int i, j;
    for (i = 0; i < w->count; i++) {
        bool written = args[i].kind == GPUTUNE_ARG_OUT || args[i].kind == GPUTUNE_ARG_INOUT;
        w->owner[i] = -1;
        if (args[i].kind == GPUTUNE_ARG_SCALAR || args[i].kind == GPUTUNE_ARG_LOCAL) continue;
        for (j = 0; w->owner[j] != j || args[j].buffer != args[i].buffer; j++)
            if (j == i) break;
        w->owner[i] = j == i ? i : j;
        if (j == i) w->owner[i] = i;
        j = w->owner[i];
        w->reads[j] = w->reads[j] || args[i].kind != GPUTUNE_ARG_OUT;
        w->writes[j] = w->writes[j] || written;
        // A pointer that the kernel could write through is never shown the original.
        w->guarded[j] = w->guarded[j] || written || !constant[i];
        if (w->real[i].bytes > w->real[j].bytes) w->real[j].bytes = w->real[i].bytes;
    }
}

static bool gputune__work_owns(const gputune__work *w, int i)
{
    return w->owner[i] == i && w->guarded[i];
}

// A private copy or, where the device has no room for one, a snapshot on the host: then trials
// run on the original and its content is put back.
static gputune_result gputune__work_copy(gputune__work *w, int i, gputune_error *error)
{
    const gputune_driver *d = &w->device->driver;
    void *self = w->device->self;
    size_t bytes = w->real[i].bytes;
    gputune_memory *m = &w->memory[i];
    void *snapshot;
    gputune_result result = d->allocate(self, bytes, GPUTUNE__GUARD, m, error);
    if (result == GPUTUNE_OK) {
        w->trial[i].handle = m->handle;
        result = d->fill(self, m->whole, 0, GPUTUNE__GUARD_BYTE, m->guard, error);
        if (result != GPUTUNE_OK) return result;
        return d->fill(self, m->whole, m->guard + bytes, GPUTUNE__GUARD_BYTE, m->guard, error);
    }
    if (result != GPUTUNE_ERROR_RESOURCES && result != GPUTUNE_ERROR_MEMORY) return result;
    memset(m, 0, sizeof *m);
    snapshot = gputune__alloc(&w->device->base, bytes, 1);
    if (!snapshot) return gputune__oom(error);
    gputune__log(
        &w->device->base, GPUTUNE_LOG_INFO,
        "no device memory for a private copy of %s (%zu bytes): trials run on the original "
        "and its content is put back",
        w->name[i], bytes);
    result = d->read(self, w->real[i].handle, 0, snapshot, bytes, error);
    if (result == GPUTUNE_OK)
        w->snapshot[i] = snapshot; // only now: what is here is written back in the end
    else
        gputune__free(&w->device->base, snapshot);
    return result;
}

// Puts the original content where trials read it. For the check of a configuration's first trial
// (poison) outputs are poisoned and everything is renewed; before a timed launch only what the
// kernel itself changes.
static gputune_result gputune__work_prepare(gputune__work *w, bool poison, gputune_error *error)
{
    const gputune_driver *d = &w->device->driver;
    void *self = w->device->self;
    gputune_result result = GPUTUNE_OK;
    int i;
    for (i = 0; i < w->count && result == GPUTUNE_OK; i++) {
        size_t bytes = w->real[i].bytes, at = w->memory[i].guard;
        void *to = w->snapshot[i] ? w->real[i].handle : w->memory[i].whole;
        if (!gputune__work_owns(w, i)) continue;
        if (!w->reads[i]) {
            if (poison) result = d->fill(self, to, at, GPUTUNE__POISON, bytes, error);
        } else if (poison || w->writes[i]) {
            if (w->snapshot[i])
                result = d->write(self, to, 0, w->snapshot[i], bytes, error);
            else
                result = d->copy(self, to, at, w->real[i].handle, 0, bytes, error);
        }
    }
    return result;
}

// Gives everything back; snapshots are written back to the program's buffers first.
static gputune_result gputune__work_destroy(gputune__work *w, gputune_error *error)
{
    const gputune_driver *d = &w->device->driver;
    gputune_result result = GPUTUNE_OK;
    int i;
    for (i = 0; i < w->count; i++) {
        if (w->snapshot[i]) {
            gputune_result wrote = d->write(w->device->self, w->real[i].handle, 0, w->snapshot[i],
                                            w->real[i].bytes, error);
            if (result == GPUTUNE_OK) result = wrote;
        }
        if (w->memory[i].whole) d->release(w->device->self, &w->memory[i]);
        if (w->right[i].whole) d->release(w->device->self, &w->right[i]);
        gputune__free(&w->device->base, w->snapshot[i]);
        gputune__free(&w->device->base, w->reference[i]);
    }
    if (w->wipe.whole) d->release(w->device->self, &w->wipe);
    gputune__free(&w->device->base, w->scratch);
    memset(w, 0, sizeof *w);
    return result;
}

// Element types that are unknown compare as bytes; a size that the type does not divide, too.
static gputune_result gputune__work_scratch(gputune__work *w, gputune_error *error)
{
    size_t most = 0;
    int i;
    for (i = 0; i < w->count; i++) {
        size_t bytes = w->real[i].bytes;
        if (!gputune__work_owns(w, i)) continue;
        if (bytes % gputune__type_bytes(w->type[i])) w->type[i] = GPUTUNE_BYTES;
        if (w->memory[i].guard > most) most = w->memory[i].guard;
        if (bytes > most) most = bytes;
    }
    w->scratch_bytes = most;
    w->scratch = gputune__alloc(&w->device->base, most, 1);
    return w->scratch ? GPUTUNE_OK : gputune__oom(error);
}

// w->device, count, real, name, type are set; args and constant (pointer to const, by argument)
// tell the rest. On failure everything is given back.
static gputune_result gputune__work_start(gputune__work *w, const gputune_arg *args,
                                          const bool *constant, gputune_error *error)
{
    gputune_result result = w->device->driver.wait(w->device->self, error);
    gputune_error ignored;
    int i;
    gputune__work_owners(w, args, constant);
    memcpy(w->trial, w->real, sizeof w->trial);
    for (i = 0; i < w->count && result == GPUTUNE_OK; i++) {
        if (gputune__work_owns(w, i)) {
            result = gputune__work_copy(w, i, error);
            w->any_inout = w->any_inout || (w->reads[i] && w->writes[i]);
        }
        if (w->owner[i] >= 0) w->trial[i].handle = w->trial[w->owner[i]].handle;
    }
    if (result == GPUTUNE_OK) result = gputune__work_scratch(w, error);
    if (result == GPUTUNE_OK && w->cold && w->device->limits.cache_bytes > 0)
        result = w->device->driver.allocate(w->device->self,
                                            2 * (size_t)w->device->limits.cache_bytes, 0, &w->wipe,
                                            error);
    if (result != GPUTUNE_OK) gputune__work_destroy(w, &ignored);
    return result;
}

// --- verification ---

// ERROR_OUT_OF_BOUNDS when a canary has changed; it is mended for the next configuration.
static gputune_result gputune__work_check_guards(gputune__work *w, gputune_error *error)
{
    const gputune_driver *d = &w->device->driver;
    gputune_result result = GPUTUNE_OK, damage = GPUTUNE_OK;
    int i, side;
    for (i = 0; i < w->count && result == GPUTUNE_OK; i++) {
        gputune_memory *m = &w->memory[i];
        for (side = 0; side < 2 && m->guard && result == GPUTUNE_OK; side++) {
            size_t at = side ? m->guard + m->bytes : 0, k;
            const unsigned char *guard = (const unsigned char *)w->scratch;
            result = d->read(w->device->self, m->whole, at, w->scratch, m->guard, error);
            if (result != GPUTUNE_OK) break;
            if (guard[0] == GPUTUNE__GUARD_BYTE && memcmp(guard, guard + 1, m->guard - 1) == 0)
                continue;
            for (k = 0; guard[k] == GPUTUNE__GUARD_BYTE; k++) continue;
            if (damage == GPUTUNE_OK)
                damage = gputune__error(error, GPUTUNE_ERROR_OUT_OF_BOUNDS,
                                        "%s: wrote outside its %zu bytes, %zu bytes %s", w->name[i],
                                        m->bytes, side ? k + 1 : m->guard - k,
                                        side ? "past the end" : "before the start");
            result = d->fill(w->device->self, m->whole, at, GPUTUNE__GUARD_BYTE, m->guard, error);
        }
    }
    return result != GPUTUNE_OK ? result : damage;
}

static gputune_result gputune__work_read(gputune__work *w, int i, void *host, gputune_error *error)
{
    bool own = w->memory[i].whole != NULL;
    return w->device->driver.read(w->device->self, own ? w->memory[i].whole : w->real[i].handle,
                                  w->memory[i].guard, host, w->real[i].bytes, error);
}

// Keeps what the last launch wrote on the device, too, where it can be compared there. A comfort:
// without room, outputs are compared on the host.
static void gputune__work_keep_on_device(gputune__work *w, int i)
{
    const gputune_driver *d = &w->device->driver;
    gputune_error error;
    size_t bytes = w->real[i].bytes;
    gputune_result result = GPUTUNE_OK;
    if (!d->differ || !w->memory[i].whole) return;
    if (!w->right[i].whole) {
        result = d->allocate(w->device->self, bytes, 0, &w->right[i], &error);
        if (result != GPUTUNE_OK) memset(&w->right[i], 0, sizeof w->right[i]);
    }
    if (result == GPUTUNE_OK)
        result = d->copy(w->device->self, w->right[i].whole, 0, w->memory[i].whole,
                         w->memory[i].guard, bytes, &error);
    if (result == GPUTUNE_OK) return;
    if (w->right[i].whole) d->release(w->device->self, &w->right[i]);
    gputune__log(&w->device->base, GPUTUNE_LOG_DEBUG, "outputs are compared on the host: %s",
                 error.text);
}

// Does the device itself say that nothing differs? False also when it cannot tell.
static bool gputune__work_same_on_device(gputune__work *w, int i, const gputune_tolerance *wish,
                                         gputune_result *result, gputune_error *error)
{
    gputune_comparison c;
    gputune_tolerance t;
    uint64_t count = 1;
    *result = GPUTUNE_OK;
    if (!w->right[i].whole) return false;
    memset(&c, 0, sizeof c);
    c.type = w->writes[i] ? w->type[i] : GPUTUNE_BYTES;
    t = gputune__tolerance(wish, c.type, w->scale[i]);
    c.got = w->memory[i].whole;
    c.got_offset = w->memory[i].guard;
    c.expected = w->right[i].whole;
    c.bytes = w->real[i].bytes;
    c.absolute = t.absolute;
    c.relative = t.relative;
    c.poison = GPUTUNE__POISON;
    *result = w->device->driver.differ(w->device->self, &c, &count, error);
    if (*result == GPUTUNE_OK) return count == 0;
    if (*result != GPUTUNE_ERROR_DEVICE_LOST) {
        w->device->driver.release(w->device->self, &w->right[i]);
        *result = GPUTUNE_OK; // the host will do
    }
    return false;
}

// Keeps what the last launch wrote as what is right.
static gputune_result gputune__work_keep(gputune__work *w, gputune_error *error)
{
    int i;
    for (i = 0; i < w->count; i++) {
        gputune_result result;
        if (!gputune__work_owns(w, i)) continue;
        if (!w->reference[i])
            w->reference[i] = gputune__alloc(&w->device->base, w->real[i].bytes, 1);
        if (!w->reference[i]) return gputune__oom(error);
        result = gputune__work_read(w, i, w->reference[i], error);
        if (result != GPUTUNE_OK) return result;
        w->scale[i] = gputune__magnitude(w->type[i], w->reference[i], w->real[i].bytes);
        gputune__work_keep_on_device(w, i);
    }
    return GPUTUNE_OK;
}

// NaN never passes, so a reference with NaN can confirm nothing.
static gputune_result gputune__work_check_reference(const gputune__work *w, gputune_error *error)
{
    size_t where;
    int i;
    for (i = 0; i < w->count; i++)
        if (w->reference[i] && w->writes[i] &&
            gputune__has_nan(w->type[i], w->reference[i], w->real[i].bytes, &where))
            return gputune__error(error, GPUTUNE_ERROR_WRONG_OUTPUT,
                                  "the reference output %s[%zu] is NaN: nothing can be compared "
                                  "with it",
                                  w->name[i], where);
    return GPUTUNE_OK;
}

static gputune_result gputune__work_ask_check(gputune__work *w, gputune_check_fn check, void *user,
                                              gputune_error *error)
{
    gputune_output outputs[GPUTUNE__MAX_ARGS];
    void *data[GPUTUNE__MAX_ARGS];
    char why[512] = "";
    int i, count = 0;
    bool right = false;
    gputune_result result = GPUTUNE_OK;
    memset(outputs, 0, sizeof outputs);
    for (i = 0; i < w->count && result == GPUTUNE_OK; i++) {
        if (w->owner[i] != i || !w->writes[i]) continue;
        data[count] = gputune__alloc(&w->device->base, w->real[i].bytes, 1);
        if (!data[count]) {
            result = gputune__oom(error);
            break;
        }
        outputs[count].arg = i;
        outputs[count].data = data[count];
        outputs[count].bytes = w->real[i].bytes;
        outputs[count].type = w->type[i];
        result = gputune__work_read(w, i, data[count++], error);
    }
    if (result == GPUTUNE_OK) right = check(user, outputs, count, why, sizeof why);
    for (i = 0; i < count; i++) gputune__free(&w->device->base, data[i]);
    if (result != GPUTUNE_OK || right) return result;
    return gputune__error(error, GPUTUNE_ERROR_WRONG_OUTPUT, "the program's check says no%s%s",
                          *why ? ": " : "", why);
}

// Compares what the last launch wrote with the reference, bit for bit first because that is fast.
static gputune_result gputune__work_verify(gputune__work *w, const gputune_tolerance *tolerance,
                                           gputune_error *error)
{
    int i;
    for (i = 0; i < w->count; i++) {
        gputune_result result;
        if (w->owner[i] != i || !w->reference[i]) continue;
        if (gputune__work_same_on_device(w, i, tolerance, &result, error)) continue;
        if (result == GPUTUNE_OK) result = gputune__work_read(w, i, w->scratch, error);
        if (result != GPUTUNE_OK) return result;
        if (memcmp(w->scratch, w->reference[i], w->real[i].bytes) == 0) continue;
        if (!w->writes[i])
            return gputune__error(error, GPUTUNE_ERROR_WRONG_OUTPUT,
                                  "the kernel changed %s, which is passed as an input", w->name[i]);
        result = gputune__compare(w->name[i], w->type[i], w->scratch, w->reference[i],
                                  w->real[i].bytes, w->scale[i], tolerance, error);
        if (result != GPUTUNE_OK) return result;
    }
    return GPUTUNE_OK;
}

// --- timing ---

static void gputune__variant_launch(const gputune__variant *v, gputune_bound_arg *args, int count,
                                    gputune_launch *launch)
{
    int i, locals = 0;
    memset(launch, 0, sizeof *launch);
    launch->dimensions = v->dimensions;
    for (i = 0; i < 3; i++) {
        launch->global[i] = v->global[i];
        launch->local[i] = v->local[i];
    }
    for (i = 0; i < count; i++)
        if (args[i].kind == GPUTUNE_ARG_LOCAL) args[i].bytes = v->local_bytes[locals++];
    launch->args = args;
    launch->arg_count = count;
}

// Seconds of one batch on the private copies, as they are.
static gputune_result gputune__work_time(gputune__work *w, const gputune__variant *v, int batch,
                                         double *seconds, gputune_error *error)
{
    gputune_launch launch;
    int i;
    gputune__variant_launch(v, w->trial, w->count, &launch);
    for (i = 0; i < w->count; i++) {
        if (!v->scalar_bytes[i]) continue;
        w->trial[i].data = v->scalars[i];
        w->trial[i].bytes = v->scalar_bytes[i];
    }
    return w->device->driver.time(w->device->self, v->code, &launch, batch, w->time_limit,
                                  w->hang_limit, seconds, error);
}

// What goes before every timed sample: restores what the kernel changes, wipes the cache.
static gputune_result gputune__work_renew(gputune__work *w, gputune_error *error)
{
    gputune_result result = w->any_inout ? gputune__work_prepare(w, false, error) : GPUTUNE_OK;
    if (result != GPUTUNE_OK || !w->wipe.whole) return result;
    return w->device->driver.fill(w->device->self, w->wipe.whole, 0, 0, w->wipe.bytes, error);
}

// One timed sample: seconds of one launch.
static gputune_result gputune__work_sample(gputune__work *w, const gputune__variant *v,
                                           double *seconds, gputune_error *error)
{
    int batch = v->batch > 0 ? v->batch : 1;
    gputune_result result = gputune__work_renew(w, error);
    if (result == GPUTUNE_OK) result = gputune__work_time(w, v, batch, seconds, error);
    if (result == GPUTUNE_OK) *seconds /= batch;
    return result;
}

// A kernel shorter than the cost of a launch (4 us between two events of an empty kernel on an
// H200) cannot be ranked from single launches. Batches of at least 100 us can; not where content
// must be restored between launches or the cache be wiped.
static int gputune__work_batch(const gputune__work *w, double seconds)
{
    double wanted = 100e-6 / (seconds > 1e-6 ? seconds : 1e-6);
    if (w->any_inout || w->cold || seconds >= 50e-6) return 1;
    return wanted > 64 ? 64 : (int)ceil(wanted);
}

// Each variant has a batch of its own: the default may be long and the best short. `seconds` is the
// first launch's, which loads the module: where that may matter one more decides.
static gputune_result gputune__work_find_batch(gputune__work *w, gputune__variant *v,
                                               double seconds, gputune_error *error)
{
    gputune_result result = GPUTUNE_OK;
    v->batch = 1;
    if (!w->any_inout && !w->cold && seconds < 500e-6)
        result = gputune__work_sample(w, v, &seconds, error);
    if (result == GPUTUNE_OK) v->batch = gputune__work_batch(w, seconds);
    return result;
}

// Launches until the clocks have settled: two medians of five in a row within 2 %, or the time is
// over.
static gputune_result gputune__work_spin_up(gputune__work *w, const gputune__variant *v,
                                            double most_seconds, gputune_error *error)
{
    double begin = gputune__device_now(w->device), before = HUGE_VAL;
    do {
        double samples[5], median;
        int i;
        for (i = 0; i < 5; i++) {
            gputune_result result = gputune__work_sample(w, v, &samples[i], error);
            if (result != GPUTUNE_OK) return result;
            if (gputune__device_now(w->device) - begin > most_seconds) return GPUTUNE_OK;
        }
        median = gputune_stats_of(samples, 5).median;
        if (fabs(median - before) <= 0.02 * before) return GPUTUNE_OK;
        before = median;
    } while (gputune__device_now(w->device) - begin < most_seconds);
    return GPUTUNE_OK;
}

// --- energy ---

// What the energy counter showed between two of its movements.
typedef struct gputune__meter {
    double joules, seconds;
    double launches;
} gputune__meter;

// About 10 ms of launches: reading the counter takes time (3 ms on an H200), in which the device
// idles. v NULL: only what goes before each launch.
static gputune_result gputune__work_burst(gputune__work *w, const gputune__variant *v,
                                          double launch_seconds, double *launches,
                                          gputune_error *error)
{
    double wanted = ceil(10e-3 / (launch_seconds > 1e-6 ? launch_seconds : 1e-6)), seconds;
    int count = wanted > 512 ? 512 : (int)wanted, i; // more would fill the driver's queue
    gputune_result result = GPUTUNE_OK;
    if (!w->any_inout && !w->cold) {
        *launches += count;
        return gputune__work_time(w, v, count, &seconds, error);
    }
    for (i = 0; i < count && result == GPUTUNE_OK; i++) {
        result = gputune__work_renew(w, error);
        if (result == GPUTUNE_OK && v) result = gputune__work_time(w, v, 1, &seconds, error);
        if (result == GPUTUNE_OK && !v) result = w->device->driver.wait(w->device->self, error);
    }
    *launches += count;
    return result;
}

// Runs bursts from one movement of the counter to another, for at least the driver's
// energy_seconds. As launches run on for a while after either movement is seen, the two errors
// cancel on average.
static gputune_result gputune__work_meter(gputune__work *w, const gputune__variant *v,
                                          double launch_seconds, gputune__meter *m,
                                          gputune_error *error)
{
    const gputune_driver *d = &w->device->driver;
    double least = d->energy_seconds, begin = gputune__device_now(w->device), now, start = -1;
    double joules = 0, last = 0, launches = 0;
    gputune_result result = d->energy(w->device->self, &last, error);
    while (result == GPUTUNE_OK) {
        result = gputune__work_burst(w, v, launch_seconds, &launches, error);
        now = gputune__device_now(w->device);
        m->launches = launches;
        if (!v && now == begin) return result; // a virtual clock: renewing takes nothing
        if (result != GPUTUNE_OK || (start >= 0 && now - start < 0.8 * least)) continue;
        result = d->energy(w->device->self, &joules, error);
        now = gputune__device_now(w->device);
        if (result == GPUTUNE_OK && now - begin > 20 * least)
            return gputune__error(error, GPUTUNE_ERROR_DRIVER,
                                  "the energy counter did not move for %.3g s", now - begin);
        if (result != GPUTUNE_OK || joules == last) continue;
        if (start >= 0) {
            m->joules = joules - m->joules;
            m->seconds = now - start;
            m->launches = launches;
            if (m->seconds >= 0.8 * least && m->joules >= 0) return GPUTUNE_OK;
            return gputune__error(error, GPUTUNE_ERROR_DRIVER, "%s",
                                  "the energy counter went backwards");
        }
        m->joules = last = joules;
        start = now;
        launches = 0;
    }
    return result;
}

// Joules of one launch, and watts while it runs. Where content must be renewed before every
// launch, what that takes is measured, too (once: *renewing < 0 before), and left out.
static gputune_result gputune__work_energy(gputune__work *w, const gputune__variant *v,
                                           double launch_seconds, double *renewing, double *energy,
                                           double *power, gputune_error *error)
{
    bool renews = w->any_inout || w->cold;
    gputune__meter m;
    gputune_result result = GPUTUNE_OK;
    memset(&m, 0, sizeof m);
    if (renews && *renewing < 0) {
        result = gputune__work_meter(w, NULL, launch_seconds, &m, error);
        if (result != GPUTUNE_OK) return result;
        *renewing = m.joules / m.launches;
        memset(&m, 0, sizeof m);
    }
    result = gputune__work_meter(w, v, launch_seconds, &m, error);
    if (result != GPUTUNE_OK) return result;
    *energy = m.joules / m.launches - (renews ? *renewing : 0);
    if (*energy < 0) *energy = 0;
    *power = renews ? *energy / launch_seconds : m.joules / m.seconds;
    return GPUTUNE_OK;
}

enum { GPUTUNE__SCREEN_SAMPLES = 3 };

// One to three samples: what takes over twice the best so far is dropped after the first, and
// slow kernels are not repeated for longer than a quarter of a second.
static gputune_result gputune__work_screen(gputune__work *w, const gputune__variant *v, double best,
                                           gputune_stats *stats, gputune_error *error)
{
    double samples[GPUTUNE__SCREEN_SAMPLES], total = 0;
    int count = 0;
    do {
        gputune_result result = gputune__work_sample(w, v, &samples[count], error);
        if (result != GPUTUNE_OK) return result;
        total += samples[count] * (v->batch > 0 ? v->batch : 1);
        count++;
    } while (count < GPUTUNE__SCREEN_SAMPLES && samples[0] <= 2 * best && total < 0.25);
    *stats = gputune_stats_of(samples, count);
    return GPUTUNE_OK;
}

// --- the final race ---

// P(at most `losses` successes in `rounds` fair coin tosses): the one-sided sign test.
static double gputune__sign_test(int losses, int rounds)
{
    double term = ldexp(1.0, -rounds), sum = 0;
    int i;
    for (i = 0; i <= losses; i++) {
        sum += term;
        term *= (double)(rounds - i) / (double)(i + 1);
    }
    return sum;
}

typedef struct gputune__racer {
    gputune__variant *variant;
    double *samples; // by round
    int rounds;      // it took part in
    double median;
    bool out;        // slower than the leader, or failed
    gputune_result result;
} gputune__racer;

static double gputune__racer_median(gputune__racer *r, double *scratch)
{
    memcpy(scratch, r->samples, (size_t)r->rounds * sizeof *scratch);
    r->median = gputune_stats_of(scratch, r->rounds).median;
    return r->median;
}

// Did a win every round by far? Where three launches of one are all under all of the other's and
// the medians differ by half, or five and by 5 %, more rounds say nothing new; slow kernels get no
// more.
static bool gputune__racer_far_ahead(const gputune__racer *a, const gputune__racer *b, int rounds)
{
    double most = 0, least = HUGE_VAL;
    int i;
    for (i = 0; i < rounds; i++) {
        if (a->samples[i] > most) most = a->samples[i];
        if (b->samples[i] < least) least = b->samples[i];
    }
    if (most >= least) return false;
    return (rounds >= 3 && b->median - a->median > 0.5 * fabs(a->median)) ||
           (rounds >= 5 && b->median - a->median > 0.05 * fabs(a->median));
}

// Is b slower than a for certain? Paired rounds, one-sided sign test, and at least 0.3 % of
// difference, below which nobody would notice.
static bool gputune__racer_beats(const gputune__racer *a, const gputune__racer *b, double chance)
{
    int rounds = a->rounds < b->rounds ? a->rounds : b->rounds, i, lost = 0, unequal = 0;
    for (i = 0; i < rounds; i++) {
        if (a->samples[i] > b->samples[i]) lost++;
        if (a->samples[i] != b->samples[i]) unequal++;
    }
    if (gputune__racer_far_ahead(a, b, rounds)) return true;
    return b->median - a->median > 0.003 * fabs(a->median) &&
           gputune__sign_test(lost, unequal) < chance;
}

// What chance may explain and a racer still leaves. It is looked at after every round and for
// every racer, so for the default, which leaves for good, it is set lower: with seven equal rivals,
// 40 rounds and 3 % of noise, 1 % let the default lose one time in ten.
static double gputune__race_chance(int racer)
{
    return racer == 0 ? 0.0005 : 0.01;
}

// One round: every racer that is still in takes one sample, in an order that rotates.
static gputune_result gputune__race_round(gputune__work *w, gputune__racer *racers, int count,
                                          int round, gputune_error *error)
{
    int i;
    for (i = 0; i < count; i++) {
        gputune__racer *r = &racers[(i + round) % count];
        if (r->out) continue;
        r->result = w->judge ? w->judge(w->judge_user, r->variant, &r->samples[round], error)
                             : gputune__work_sample(w, r->variant, &r->samples[round], error);
        if (r->result == GPUTUNE_ERROR_DEVICE_LOST) return r->result;
        // A default that stumbles loses the round, not its place.
        if (r == racers && r->result != GPUTUNE_OK) r->samples[round] = HUGE_VAL;
        if (r == racers || r->result == GPUTUNE_OK)
            r->rounds = round + 1;
        else
            r->out = true;
    }
    return GPUTUNE_OK;
}

// Races until the leader stands alone, the rounds are used up or the time is over (but five
// rounds at least). Returns the leader's number in *leader. racers[0] is the default: while it is
// not beaten for certain it stays in, and then it wins: a tie keeps the default. go_on is asked
// after each round from the fifth on.
static gputune_result gputune__race(gputune__work *w, gputune__racer *racers, int count,
                                    int most_rounds, double most_seconds, double *scratch,
                                    bool (*go_on)(void *user), void *user, int *leader,
                                    gputune_error *error)
{
    double begin = gputune__device_now(w->device);
    int round, i, lead = -1, left = count;
    for (round = 0; round < most_rounds && (left > 1 || round < 5); round++) {
        gputune_result result = gputune__race_round(w, racers, count, round, error);
        if (result != GPUTUNE_OK) return result;
        for (i = 0, lead = -1; i < count; i++) {
            if (racers[i].out) continue;
            gputune__racer_median(&racers[i], scratch);
            if (lead < 0 || racers[i].median < racers[lead].median) lead = i;
        }
        for (i = 0, left = 0; i < count; i++) {
            if (!racers[i].out && i != lead &&
                gputune__racer_beats(&racers[lead], &racers[i], gputune__race_chance(i)))
                racers[i].out = true;
            left += !racers[i].out;
        }
        if (round >= 4 && gputune__device_now(w->device) - begin > most_seconds) break;
        if (round >= 4 && !go_on(user)) break;
    }
    *leader = racers[0].out && lead > 0 && racers[lead].median < racers[0].median ? lead : 0;
    return GPUTUNE_OK;
}

// ---------------------------------------------------------------------------------------------
// [saturation]
// ---------------------------------------------------------------------------------------------

#ifndef GPUTUNE_NO_SATURATION

GPUTUNE_API const char *gputune_verdict_name(gputune_verdict verdict)
{
    static const char *const names[] = {
#define GPUTUNE__X(name, word) word,
        GPUTUNE_VERDICTS(GPUTUNE__X)
#undef GPUTUNE__X
    };
    return (unsigned)verdict < GPUTUNE_VERDICT_COUNT ? names[verdict] : "unknown";
}

#endif // GPUTUNE_NO_SATURATION

// ---------------------------------------------------------------------------------------------
// [search]
// ---------------------------------------------------------------------------------------------

// What is known of configurations, by their index in the space: an open-addressing table.
typedef struct gputune__known {
    uint64_t key; // index + 1; 0: free
    double value; // NaN: asked and not answered yet
    bool stood;   // a descent of local search came through
} gputune__known;

typedef struct gputune__known_table {
    gputune__known *slots;
    size_t capacity, used; // capacity is a power of two, at most 3/4 of it used
} gputune__known_table;

// The slot of an index: its own or the free one where it belongs.
static gputune__known *gputune__known_slot(const gputune__known_table *table, uint64_t index)
{
    size_t mask = table->capacity - 1, at = (size_t)gputune__mix(index + 1) & mask;
    while (table->slots[at].key && table->slots[at].key != index + 1) at = (at + 1) & mask;
    return &table->slots[at];
}

// NULL: nothing is known.
static const gputune__known *gputune__known_find(const gputune__known_table *table, uint64_t index)
{
    const gputune__known *slot = gputune__known_slot(table, index);
    return slot->key ? slot : NULL;
}

// Makes room for so many more. The table is as before when memory lacks.
static bool gputune__known_room(const gputune__base *b, gputune__known_table *table, size_t more)
{
    gputune__known_table bigger;
    size_t i;
    if (table->slots && (table->used + more) * 4 <= table->capacity * 3) return true;
    bigger.used = table->used;
    bigger.capacity = table->slots ? table->capacity * 2 : 64;
    while ((table->used + more) * 4 > bigger.capacity * 3) bigger.capacity *= 2;
    bigger.slots = (gputune__known *)gputune__alloc(b, bigger.capacity, sizeof *bigger.slots);
    if (!bigger.slots) return false;
    for (i = 0; table->slots && i < table->capacity; i++)
        if (table->slots[i].key)
            *gputune__known_slot(&bigger, table->slots[i].key - 1) = table->slots[i];
    gputune__free(b, table->slots);
    *table = bigger;
    return true;
}

// There must be room.
static void gputune__known_put(gputune__known_table *table, uint64_t index, double value)
{
    gputune__known *slot = gputune__known_slot(table, index);
    if (!slot->key) table->used++;
    slot->key = index + 1;
    slot->value = value;
}

// A random permutation of [0, count) in no memory: the swap-or-not shuffle (Hoang, Morris, Rogaway:
// An enciphering scheme based on a card shuffle, CRYPTO 2012). Each round pairs x with key - x and
// swaps the pair or not. Their bound asks for about 6 log2(count) rounds.
#define GPUTUNE__SHUFFLE_ROUNDS 384 // enough for 2^64

typedef struct gputune__shuffle {
    uint64_t count, seed;
    uint64_t keys[GPUTUNE__SHUFFLE_ROUNDS];
    int rounds;
} gputune__shuffle;

static void gputune__shuffle_init(gputune__shuffle *shuffle, uint64_t count, uint64_t seed)
{
    uint64_t left;
    int i;
    shuffle->count = count;
    shuffle->rounds = 24; // so that small counts mix, too
    for (left = count; left > 1; left >>= 1) shuffle->rounds += 6;
    if (shuffle->rounds > GPUTUNE__SHUFFLE_ROUNDS) shuffle->rounds = GPUTUNE__SHUFFLE_ROUNDS;
    for (i = 0; i < shuffle->rounds; i++) shuffle->keys[i] = gputune__random_below(&seed, count);
    shuffle->seed = gputune__random(&seed);
}

static uint64_t gputune__shuffle_at(const gputune__shuffle *shuffle, uint64_t x)
{
    int i;
    for (i = 0; i < shuffle->rounds; i++) {
        uint64_t key = shuffle->keys[i];
        uint64_t other = x <= key ? key - x : shuffle->count - (x - key);
        uint64_t high = x > other ? x : other;
        if (gputune__mix(high + shuffle->seed * (uint64_t)(2 * i + 1)) >> 63) x = other;
    }
    return x;
}

// One parameter of the configuration where the search stands set to another value. Values are
// numbered by size here ("rank"), not by their place in the parameter's list.
typedef struct gputune__move {
    uint16_t param, rank;
} gputune__move;

typedef enum gputune__local_phase {
    GPUTUNE__LOCAL_SAMPLE,  // random configurations before the first descent
    GPUTUNE__LOCAL_DESCEND, // trying neighbours of where it stands
    GPUTUNE__LOCAL_RESTART  // in a local minimum: the next answer that is no failure is a new start
} gputune__local_phase;

enum {
    GPUTUNE__OPEN_MOST = 64, // questions that local search may have open at once
    GPUTUNE__PEEK_MOST = 32, // configurations that can be foreseen
    GPUTUNE__PEEK_STEPS = 64 // known ones passed over for each of them
};

// A question of local search that is open while others are asked.
typedef struct gputune__open_ask {
    uint64_t index;
    double bar; // an answer below it is where the search goes on
} gputune__open_ask;

typedef struct gputune__search {
    const gputune__base *base;
    const gputune_space *space;
    gputune_strategy strategy; // never AUTO
    uint64_t random, count;
    int trials; // budget, 0: none
    gputune_config *starts;
    int start_count, start_at;   // start_at of them are done
    gputune__known_table known;  // exhaustive and random: only what the shuffle has to skip
    gputune__shuffle shuffle;    // of the whole space
    uint64_t shuffle_at, asked;  // so many of it are done; the index asked last
    gputune_config at;           // where the search stands
    uint64_t best;               // index of the best known
    double at_value, best_value; // infinite: nowhere, none
    uint16_t *order, *rank;      // parameter by parameter: choice of a rank, rank of a choice
    int first[GPUTUNE_MAX_PARAMETERS + 1]; // where a parameter begins in those two
    gputune__local_phase phase;
    uint64_t samples;     // known configurations wanted before the first descent
    gputune__move *moves; // all there are, always; the first moves_at are drawn
    int moves_at;
    uint16_t steps[2 * GPUTUNE_MAX_PARAMETERS]; // the same for adjacent ones: 2 * param + upwards
    int steps_at;
    int hill_param; // hill climbing: the next parameter to increase; -1: not begun
    bool batch;     // several questions may be open: see gputune__search_next
    bool wait;      // the last question was refused only until an open one is answered
    gputune__open_ask open_asks[GPUTUNE__OPEN_MOST]; // of local search, while `batch`
    int open_count;
    bool peeking;                // inside gputune__search_peek: all that changes is put back
    int peek_left;               // known configurations that it may still pass over
    gputune__move *moves_before; // what it puts back
} gputune__search;

GPUTUNE_API const char *gputune_strategy_name(gputune_strategy strategy)
{
    static const char *const names[] = {
#define GPUTUNE__X(name, word) word,
        GPUTUNE_STRATEGIES(GPUTUNE__X)
#undef GPUTUNE__X
    };
    return (unsigned)strategy < GPUTUNE_STRATEGY_COUNT ? names[strategy] : "unknown";
}

// --- what all strategies share

// Hands a configuration out. There is room for one more known one.
static bool gputune__search_ask(gputune__search *s, uint64_t index, gputune_config *config)
{
    bool stored = s->strategy == GPUTUNE_STRATEGY_LOCAL ||
                  s->strategy == GPUTUNE_STRATEGY_HILL_CLIMB || s->start_at < s->start_count;
    *config = gputune_space_at(s->space, index);
    s->asked = index;
    if (stored) gputune__known_put(&s->known, index, (double)NAN);
    if (s->batch && s->strategy == GPUTUNE_STRATEGY_LOCAL) { // gputune__search_next keeps room
        s->open_asks[s->open_count].index = index;
        s->open_asks[s->open_count++].bar =
            s->phase == GPUTUNE__LOCAL_DESCEND ? s->at_value : HUGE_VAL;
    }
    return true;
}

// May a known configuration be passed over? Foreseeing does so again for every trial, so it stops
// early where nearly everything is known.
static bool gputune__search_pass(gputune__search *s)
{
    return !s->peeking || s->peek_left-- > 0;
}

// The next start that is valid and was not tried.
static bool gputune__search_start(gputune__search *s, gputune_config *config)
{
    uint64_t index;
    for (; s->start_at < s->start_count; s->start_at++) {
        if (!gputune_space_index(s->space, &s->starts[s->start_at], &index)) continue;
        if (gputune__known_find(&s->known, index)) continue;
        gputune__search_ask(s, index, config);
        s->start_at++;
        return true;
    }
    return false;
}

// A random one that was not tried; false when all were.
static bool gputune__search_fresh(gputune__search *s, gputune_config *config)
{
    while (s->shuffle_at < s->count) {
        uint64_t index = gputune__shuffle_at(&s->shuffle, s->shuffle_at++);
        if (!gputune__known_find(&s->known, index)) return gputune__search_ask(s, index, config);
        if (!gputune__search_pass(s)) return false;
    }
    return false;
}

static int gputune__search_rank(const gputune__search *s, const gputune_config *config, int param)
{
    return s->rank[s->first[param] + config->choice[param]];
}

static void gputune__search_set(const gputune__search *s, gputune_config *config, int param,
                                int rank)
{
    config->choice[param] = s->order[s->first[param] + rank];
}

static int gputune__search_ranks(const gputune__search *s, int param)
{
    return s->first[param + 1] - s->first[param];
}

// Uniform in [from, to).
static int gputune__search_pick(gputune__search *s, int from, int to)
{
    return from + (int)gputune__random_below(&s->random, (uint64_t)(to - from));
}

// --- local search

static void gputune__local_stand(gputune__search *s, const gputune_config *config,
                                 gputune__known *known)
{
    s->at = *config;
    s->at_value = known->value;
    if (!s->peeking) known->stood = true;
    s->moves_at = s->steps_at = 0;
    s->phase = GPUTUNE__LOCAL_DESCEND;
}

// Draws one step to the nearest valid value up or down; false when all were drawn.
static bool gputune__local_step(gputune__search *s, gputune_config *config, uint64_t *index)
{
    int total = 2 * gputune_space_param_count(s->space);
    while (s->steps_at < total) {
        int pick = gputune__search_pick(s, s->steps_at, total);
        uint16_t step = s->steps[pick];
        int param = step / 2, by = step % 2 ? 1 : -1, rank;
        s->steps[pick] = s->steps[s->steps_at];
        s->steps[s->steps_at++] = step;
        *config = s->at;
        rank = gputune__search_rank(s, config, param) + by;
        for (; rank >= 0 && rank < gputune__search_ranks(s, param); rank += by) {
            gputune__search_set(s, config, param, rank);
            if (gputune_space_index(s->space, config, index)) return true;
        }
    }
    return false;
}

// Draws one change of one parameter to anything valid; false when all were drawn.
static bool gputune__local_move(gputune__search *s, gputune_config *config, uint64_t *index)
{
    int total = s->first[gputune_space_param_count(s->space)];
    while (s->moves_at < total) {
        int pick = gputune__search_pick(s, s->moves_at, total);
        gputune__move move = s->moves[pick];
        s->moves[pick] = s->moves[s->moves_at];
        s->moves[s->moves_at++] = move;
        if (gputune__search_rank(s, &s->at, move.param) == move.rank) continue;
        *config = s->at;
        gputune__search_set(s, config, move.param, move.rank);
        if (gputune_space_index(s->space, config, index)) return true;
    }
    return false;
}

// Descends through what is known; true when it has something to ask, false in a local minimum or
// where an earlier descent came through: its minimum is known.
static bool gputune__local_descend(gputune__search *s, gputune_config *config)
{
    uint64_t index;
    while (gputune__local_step(s, config, &index) || gputune__local_move(s, config, &index)) {
        gputune__known *known = gputune__known_slot(&s->known, index);
        if (!known->key) return gputune__search_ask(s, index, config);
        if (!gputune__search_pass(s)) return false;
        if (!(known->value < s->at_value)) continue;
        if (known->stood) return false;
        gputune__local_stand(s, config, known);
    }
    return false;
}

// With several questions open: takes the answers that have come, in the order of asking, and goes
// where they are better. What was asked in a descent that is given up meanwhile counts only if it
// is better than what that descent had reached.
static void gputune__local_answers(gputune__search *s)
{
    int i, left = 0;
    for (i = 0; i < s->open_count; i++) {
        gputune__open_ask ask = s->open_asks[i];
        gputune__known *known = gputune__known_slot(&s->known, ask.index);
        if (known->value != known->value) {
            s->open_asks[left++] = ask;
        } else if (s->phase != GPUTUNE__LOCAL_SAMPLE && known->value < ask.bar &&
                   known->value < s->at_value) {
            gputune_config better = gputune_space_at(s->space, ask.index);
            gputune__local_stand(s, &better, known);
        }
    }
    s->open_count = left;
}

// Greedy descent: the first neighbour that is better becomes where the search stands. Neighbours
// come in random order, adjacent values before others. In a local minimum it starts again from
// something random. Best / optimum after 25, 50, 100, 200, 400 trials, geometric mean of 14
// recorded spaces and 301 seeds (10 while nothing is found), each line one change to the first:
//     as it is, 20 samples first                 1.170 1.074 1.040 1.019 1.006
//     the best of the neighbours, not the first  1.178 1.083 1.048 1.024 1.010
//     adjacent and other values mixed            1.179 1.080 1.044 1.019 1.005
//     adjacent values only                       1.170 1.087 1.052 1.028 1.011
//     restart 3 changes away from the best       1.170 1.074 1.040 1.020 1.008
//     no samples before the first descent        1.244 1.119 1.060 1.027 1.007
//     10 samples                                 1.151 1.085 1.047 1.021 1.006
//     30 samples                                 1.215 1.075 1.037 1.017 1.005
//     random search                              1.215 1.146 1.102 1.071 1.046
static bool gputune__local_next(gputune__search *s, gputune_config *config)
{
    bool sampling = s->phase == GPUTUNE__LOCAL_SAMPLE;
    uint64_t index = sampling ? s->best : s->asked;
    gputune__known *known = gputune__known_slot(&s->known, index);
    if (s->batch) gputune__local_answers(s);
    if (sampling && (s->known.used < s->samples || !(s->best_value < HUGE_VAL)))
        return gputune__search_fresh(s, config);
    if ((sampling || !s->batch) && known->key && known->value < s->at_value) {
        gputune_config better = gputune_space_at(s->space, index);
        gputune__local_stand(s, &better, known);
    }
    if (s->phase == GPUTUNE__LOCAL_DESCEND && gputune__local_descend(s, config)) return true;
    s->phase = GPUTUNE__LOCAL_RESTART;
    s->at_value = HUGE_VAL;
    return gputune__search_fresh(s, config);
}

// --- hill climbing, shen-g-adapt 3.2.2

// One step up in a parameter; false at its maximum and where the restrictions forbid it.
static bool gputune__hill_step(const gputune__search *s, int param, gputune_config *config,
                               uint64_t *index)
{
    int rank = gputune__search_rank(s, &s->at, param) + 1;
    if (rank >= gputune__search_ranks(s, param)) return false;
    *config = s->at;
    gputune__search_set(s, config, param, rank);
    return gputune_space_index(s->space, config, index);
}

// The best of the steps just tried becomes the base, though it be worse than the old one. Of
// equals, and when all failed, the first. False when no step was possible.
static bool gputune__hill_choose(gputune__search *s)
{
    gputune_config config, best = s->at;
    double best_value = HUGE_VAL;
    bool any = false;
    int param;
    for (param = 0; param < gputune_space_param_count(s->space); param++) {
        const gputune__known *known;
        uint64_t index;
        if (!gputune__hill_step(s, param, &config, &index)) continue;
        known = gputune__known_find(&s->known, index);
        if (any && !(known && known->value < best_value)) continue;
        best = config;
        best_value = known && known->value < HUGE_VAL ? known->value : HUGE_VAL;
        any = true;
    }
    s->at = best;
    return any;
}

// Increases parameters a and b by `by` steps together, all ways in turn; false when none is valid.
// *left bounds the work: so many may still be looked at.
static bool gputune__hill_pair(const gputune__search *s, int a, int b, int by,
                               gputune_config *config, int *left)
{
    int rank_a = gputune__search_rank(s, &s->at, a), rank_b = gputune__search_rank(s, &s->at, b);
    int more_a = a == b ? by : 1; // a == b: this parameter alone
    for (; more_a <= by - (a != b) && *left > 0; more_a++, --*left) {
        if (rank_a + more_a >= gputune__search_ranks(s, a)) return false;
        if (a != b && rank_b + by - more_a >= gputune__search_ranks(s, b)) continue;
        *config = s->at;
        gputune__search_set(s, config, b, rank_b + by - more_a);
        gputune__search_set(s, config, a, rank_a + more_a);
        if (gputune_space_index(s->space, config, NULL)) return true;
    }
    return false;
}

// Where restrictions forbid every single step: the smallest valid increase of one or two
// parameters becomes the base. False when there is none; then the search is over.
static bool gputune__hill_leap(gputune__search *s)
{
    int params = gputune_space_param_count(s->space), most = 0, left = 100000, by, a, b;
    gputune_config config;
    for (a = 0; a < params; a++)
        if (gputune__search_ranks(s, a) > most) most = gputune__search_ranks(s, a);
    for (by = 2; by <= 2 * most; by++)
        for (a = 0; a < params; a++)
            for (b = a; b < params && left-- > 0; b++)
                if (gputune__hill_pair(s, a, b, by, &config, &left)) {
                    s->at = config;
                    return true;
                }
    return false;
}

// Is one of the steps from here still without an answer?
static bool gputune__hill_open(const gputune__search *s)
{
    gputune_config config;
    uint64_t index;
    int param;
    for (param = 0; param < gputune_space_param_count(s->space); param++) {
        const gputune__known *known = NULL;
        if (gputune__hill_step(s, param, &config, &index))
            known = gputune__known_find(&s->known, index);
        if (known && known->value != known->value) return true;
    }
    return false;
}

static void gputune__hill_bottom(gputune__search *s)
{
    int param;
    s->at = gputune_space_default(s->space);
    for (param = 0; param < gputune_space_param_count(s->space); param++)
        gputune__search_set(s, &s->at, param, 0);
    s->at = gputune_space_nearest(s->space, &s->at);
}

enum { GPUTUNE__HILL_BEGIN = -1, GPUTUNE__HILL_OVER = -2 };

// What the paper leaves open: the bottom is the valid configuration nearest to all minima; a step
// into a restriction is not tried; what is known already is not asked again, its value counts;
// where no single step is valid, see gputune__hill_leap.
static bool gputune__hill_next(gputune__search *s, gputune_config *config)
{
    uint64_t index;
    bool moved = s->hill_param == GPUTUNE__HILL_BEGIN;
    if (moved) gputune__hill_bottom(s);
    while (s->hill_param != GPUTUNE__HILL_OVER) {
        if (moved) { // the bottom, or a leap: to be tried itself
            s->hill_param = 0;
            moved = false;
            if (gputune_space_index(s->space, &s->at, &index) &&
                !gputune__known_find(&s->known, index))
                return gputune__search_ask(s, index, config);
        }
        while (s->hill_param < gputune_space_param_count(s->space))
            if (gputune__hill_step(s, s->hill_param++, config, &index) &&
                !gputune__known_find(&s->known, index))
                return gputune__search_ask(s, index, config);
        s->wait = (s->batch || s->peeking) && gputune__hill_open(s);
        if (s->wait) return false;
        s->hill_param = 0;
        if (gputune__hill_choose(s)) continue;
        moved = gputune__hill_leap(s);
        if (!moved) s->hill_param = GPUTUNE__HILL_OVER;
    }
    return false;
}

// --- creation

typedef struct gputune__ranked {
    gputune_value value;
    int choice;
} gputune__ranked;

// Numbers by size; names as listed.
static int gputune__compare_ranked(const void *a, const void *b)
{
    const gputune__ranked *x = (const gputune__ranked *)a, *y = (const gputune__ranked *)b;
    int order = 0;
    if (x->value.kind == GPUTUNE_REAL)
        order = (x->value.real > y->value.real) - (x->value.real < y->value.real);
    else if (x->value.kind == GPUTUNE_INTEGER)
        order = (x->value.integer > y->value.integer) - (x->value.integer < y->value.integer);
    return order ? order : x->choice - y->choice;
}

static bool gputune__search_sort(gputune__search *s, int param)
{
    int count = gputune__search_ranks(s, param), first = s->first[param], i;
    gputune__ranked *values =
        (gputune__ranked *)gputune__alloc(s->base, (size_t)count, sizeof *values);
    if (!values) return false;
    for (i = 0; i < count; i++) {
        values[i].value = gputune_space_value(s->space, param, i);
        values[i].choice = i;
    }
    qsort(values, (size_t)count, sizeof *values, gputune__compare_ranked);
    for (i = 0; i < count; i++) {
        s->order[first + i] = (uint16_t)values[i].choice;
        s->rank[first + values[i].choice] = (uint16_t)i;
        s->moves[first + i].param = (uint16_t)param;
        s->moves[first + i].rank = (uint16_t)i;
    }
    gputune__free(s->base, values);
    return true;
}

static bool gputune__search_setup(gputune__search *s, const gputune_config *starts)
{
    int params = gputune_space_param_count(s->space), i;
    size_t total;
    for (i = 0; i < params; i++)
        s->first[i + 1] = s->first[i] + gputune_space_value_count(s->space, i);
    total = (size_t)s->first[params];
    s->order = (uint16_t *)gputune__alloc(s->base, total, sizeof *s->order);
    s->rank = (uint16_t *)gputune__alloc(s->base, total, sizeof *s->rank);
    s->moves = (gputune__move *)gputune__alloc(s->base, total, sizeof *s->moves);
    s->starts = (gputune_config *)gputune__alloc(s->base, (size_t)s->start_count, sizeof *starts);
    if (!s->order || !s->rank || !s->moves || !s->starts) return false;
    if (s->start_count) memcpy(s->starts, starts, (size_t)s->start_count * sizeof *starts);
    for (i = 0; i < 2 * params; i++) s->steps[i] = (uint16_t)i;
    for (i = 0; i < params; i++)
        if (!gputune__search_sort(s, i)) return false;
    return gputune__known_room(s->base, &s->known, 1);
}

static void gputune__search_destroy(const gputune__base *b, gputune__search *s)
{
    if (!s) return;
    gputune__free(b, s->known.slots);
    gputune__free(b, s->starts);
    gputune__free(b, s->moves_before);
    gputune__free(b, s->moves);
    gputune__free(b, s->rank);
    gputune__free(b, s->order);
    gputune__free(b, s);
}

static gputune_result gputune__search_create(const gputune__base *b, const gputune_space *space,
                                             gputune_strategy strategy, uint64_t seed, int trials,
                                             const gputune_config *starts, int start_count,
                                             gputune__search **search, gputune_error *error)
{
    gputune__search *s = (gputune__search *)gputune__alloc(b, 1, sizeof *s);
    *search = NULL;
    if (!s) return gputune__oom(error);
    s->base = b;
    s->space = space;
    s->count = gputune_space_count(space);
    s->strategy = strategy;
    // Seconds may end the search at any moment, and local search, too, ends when all was tried.
    if (strategy == GPUTUNE_STRATEGY_AUTO)
        s->strategy = trials > 0 && s->count <= (uint64_t)trials ? GPUTUNE_STRATEGY_EXHAUSTIVE
                                                                 : GPUTUNE_STRATEGY_LOCAL;
    s->random = seed;
    s->asked = UINT64_MAX; // no index
    s->trials = trials;
    s->start_count = start_count;
    s->at_value = s->best_value = HUGE_VAL;
    s->hill_param = GPUTUNE__HILL_BEGIN;
    s->samples = trials > 0 && trials < 40 ? (uint64_t)trials / 2 : 20;
    gputune__shuffle_init(&s->shuffle, s->count, gputune__random(&s->random));
    if (!gputune__search_setup(s, starts)) {
        gputune__search_destroy(b, s);
        return gputune__oom(error);
    }
    *search = s;
    return GPUTUNE_OK;
}

// Trials in all that it will make: what the budget allows, at most every configuration. 0: unknown,
// since hill climbing depends on the answers.
static uint64_t gputune__search_planned(const gputune__search *s)
{
    if (s->strategy == GPUTUNE_STRATEGY_HILL_CLIMB) return 0;
    return s->trials > 0 && (uint64_t)s->trials < s->count ? (uint64_t)s->trials : s->count;
}

// --- asking and telling

// The next configuration to try, never one that was asked or told before. Each is to be answered
// before the next; one that is not counts as failed. False when the strategy has no more, or when
// memory lacks (a warning says so): what is known is then as before, and a later call goes on.
// With s->batch set, any number may be asked before the first is answered, and answers may come in
// any order; then false with s->wait means: not before an open one is answered. Exhaustive and
// random search never wait, hill climbing at the end of each round. Local search goes on with the
// neighbours that come next, though an open answer may be better.
static bool gputune__search_next(gputune__search *s, gputune_config *config)
{
    s->wait = false;
    if (s->open_count == GPUTUNE__OPEN_MOST) gputune__local_answers(s);
    s->wait = s->open_count == GPUTUNE__OPEN_MOST;
    if (s->wait) return false;
    if (!gputune__known_room(s->base, &s->known, 1)) {
        gputune__log(s->base, GPUTUNE_LOG_WARN, "%s", "the search ends here: out of memory");
        return false;
    }
    if (gputune__search_start(s, config)) return true;
    if (s->strategy == GPUTUNE_STRATEGY_HILL_CLIMB) return gputune__hill_next(s, config);
    if (s->strategy == GPUTUNE_STRATEGY_LOCAL) return gputune__local_next(s, config);
    return gputune__search_fresh(s, config);
}

// The moves that a strategy has drawn from are a permutation: kept and put back whole.
static bool gputune__search_keep_moves(gputune__search *s)
{
    size_t total = (size_t)s->first[gputune_space_param_count(s->space)];
    if (s->strategy != GPUTUNE_STRATEGY_LOCAL) return true;
    if (!s->moves_before)
        s->moves_before = (gputune__move *)gputune__alloc(s->base, total, sizeof *s->moves);
    if (s->moves_before) memcpy(s->moves_before, s->moves, total * sizeof *s->moves);
    return s->moves_before != NULL;
}

// The configurations that will be asked next, in order, if no open question brings an improvement;
// returns how many there are, at most GPUTUNE__PEEK_MOST and maybe fewer than will come. Nothing
// changes: the search is let run and put back. What it adds to the table of the known ones is taken
// out again in reverse order, which leaves that as it was.
static int gputune__search_peek(gputune__search *s, gputune_config *configs, int count)
{
    uint64_t indices[GPUTUNE__PEEK_MOST];
    gputune__search before;
    gputune__known *restart = NULL, *slot;
    size_t total = (size_t)s->first[gputune_space_param_count(s->space)];
    bool local = s->strategy == GPUTUNE_STRATEGY_LOCAL;
    double guess = s->best_value < HUGE_VAL ? s->best_value : DBL_MAX;
    int n = 0, i;
    if (count > GPUTUNE__PEEK_MOST) count = GPUTUNE__PEEK_MOST;
    if (!gputune__known_room(s->base, &s->known, (size_t)count + 1)) return 0;
    if (!gputune__search_keep_moves(s)) return 0;
    before = *s;
    s->peeking = true;
    s->peek_left = GPUTUNE__PEEK_STEPS * count;
    // After a local minimum whatever does not fail is where the next descent starts.
    if (local && s->phase == GPUTUNE__LOCAL_RESTART && !s->batch)
        restart = gputune__known_slot(&s->known, s->asked);
    if (restart && (!restart->key || restart->value == restart->value)) restart = NULL;
    if (restart) restart->value = guess;
    while (n < count && gputune__search_next(s, &configs[n])) {
        indices[n++] = s->asked;
        if (local && s->phase == GPUTUNE__LOCAL_RESTART)
            gputune__known_slot(&s->known, s->asked)->value = guess;
    }
    for (i = n; i-- > 0;) {
        slot = gputune__known_slot(&s->known, indices[i]);
        slot->key = 0;
    }
    if (restart) restart->value = (double)NAN;
    *s = before;
    if (local) memcpy(s->moves, s->moves_before, total * sizeof *s->moves);
    return n;
}

// What a configuration took; infinite or NaN: it failed. Also for one that was not asked: it is
// then known and will not be (forgotten when memory lacks).
static void gputune__search_tell(gputune__search *s, const gputune_config *config, double value)
{
    uint64_t index;
    bool stored;
    if (!gputune_space_index(s->space, config, &index)) return;
    if (!(fabs(value) < HUGE_VAL)) value = HUGE_VAL;
    stored = gputune__known_find(&s->known, index) != NULL;
    if (!stored && index == s->asked) return; // the shuffle does not come back to it
    if (!stored && !gputune__known_room(s->base, &s->known, 1)) return;
    gputune__known_put(&s->known, index, value);
    if (!(value < s->best_value)) return;
    s->best_value = value;
    s->best = index;
}

// ---------------------------------------------------------------------------------------------
// [threads]
// ---------------------------------------------------------------------------------------------
//
// Threads begin and end inside one tuning. All that they share with the calling thread stands in
// one object behind one lock.

typedef void (*gputune__thread_fn)(void *user);

#if defined(_WIN32)

typedef CRITICAL_SECTION gputune__lock;
typedef CONDITION_VARIABLE gputune__signal;

// Must not move while it runs.
typedef struct gputune__thread {
    gputune__thread_fn run;
    void *user;
    HANDLE handle;
} gputune__thread;

static void gputune__lock_init(gputune__lock *lock)
{
    InitializeCriticalSection(lock);
}
static void gputune__lock_end(gputune__lock *lock)
{
    DeleteCriticalSection(lock);
}
static void gputune__lock_enter(gputune__lock *lock)
{
    EnterCriticalSection(lock);
}
static void gputune__lock_leave(gputune__lock *lock)
{
    LeaveCriticalSection(lock);
}
static void gputune__signal_init(gputune__signal *signal)
{
    InitializeConditionVariable(signal);
}
static void gputune__signal_end(gputune__signal *signal)
{
    (void)signal;
}
static void gputune__signal_all(gputune__signal *signal)
{
    WakeAllConditionVariable(signal);
}

static void gputune__signal_wait(gputune__signal *signal, gputune__lock *lock)
{
    SleepConditionVariableCS(signal, lock, INFINITE);
}

static DWORD WINAPI gputune__thread_main(LPVOID user)
{
    gputune__thread *thread = (gputune__thread *)user;
    thread->run(thread->user);
    return 0;
}

static bool gputune__thread_start(gputune__thread *thread, gputune__thread_fn run, void *user)
{
    thread->run = run;
    thread->user = user;
    thread->handle = CreateThread(NULL, 0, gputune__thread_main, thread, 0, NULL);
    return thread->handle != NULL;
}

static void gputune__thread_join(gputune__thread *thread)
{
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

static int gputune__processor_count(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return (int)info.dwNumberOfProcessors;
}

#else

typedef pthread_mutex_t gputune__lock;
typedef pthread_cond_t gputune__signal;
typedef int (*gputune__pthread_join_fn)(pthread_t thread, void **result);
typedef int (*gputune__pthread_create_fn)(pthread_t *thread, const pthread_attr_t *attributes,
                                          void *(*run)(void *), void *user);

// Must not move while it runs.
typedef struct gputune__thread {
    gputune__thread_fn run;
    void *user;
    pthread_t handle;
    gputune__pthread_join_fn join;
} gputune__thread;

static void gputune__lock_init(gputune__lock *lock)
{
    pthread_mutex_init(lock, NULL);
}
static void gputune__lock_end(gputune__lock *lock)
{
    pthread_mutex_destroy(lock);
}
static void gputune__lock_enter(gputune__lock *lock)
{
    pthread_mutex_lock(lock);
}
static void gputune__lock_leave(gputune__lock *lock)
{
    pthread_mutex_unlock(lock);
}
static void gputune__signal_init(gputune__signal *signal)
{
    pthread_cond_init(signal, NULL);
}
static void gputune__signal_end(gputune__signal *signal)
{
    pthread_cond_destroy(signal);
}
static void gputune__signal_all(gputune__signal *signal)
{
    pthread_cond_broadcast(signal);
}

static void gputune__signal_wait(gputune__signal *signal, gputune__lock *lock)
{
    pthread_cond_wait(signal, lock);
}

static void *gputune__thread_main(void *user)
{
    gputune__thread *thread = (gputune__thread *)user;
    thread->run(thread->user);
    return NULL;
}

// glibc before 2.34 keeps these two in a library of its own, which a program without -lpthread does
// not have: there no program names them, they are used if something else has brought them, and
// otherwise looked up. Locks are in libc itself. (A weak reference alone would leave a static
// program of a newer glibc without threads: nothing would take them out of its libc.a.)
#if !defined(GPUTUNE__THREADS_APART) && defined(__linux__) &&                                      \
    (!defined(__GLIBC__) || __GLIBC__ > 2 || (__GLIBC__ == 2 && __GLIBC_MINOR__ >= 34))

static bool gputune__thread_symbols(gputune__pthread_create_fn *create,
                                    gputune__pthread_join_fn *join)
{
    *create = pthread_create;
    *join = pthread_join;
    return true;
}

#else

#if defined(__GNUC__) && defined(__ELF__)
// References of our own, so that those of the program in the same file stay as strong as they are.
static int gputune__weak_create(pthread_t *thread, const pthread_attr_t *attributes,
                                void *(*run)(void *), void *user)
    __attribute__((weakref("pthread_create")));
static int gputune__weak_join(pthread_t thread, void **result)
    __attribute__((weakref("pthread_join")));
extern const char gputune__weak_dynamic[] __asm__("_DYNAMIC") __attribute__((weak));
#endif

static bool gputune__thread_symbols(gputune__pthread_create_fn *create,
                                    gputune__pthread_join_fn *join)
{
    static const char *const names[] = { NULL, "libpthread.so.0" };
    size_t i;
#if defined(__GNUC__) && defined(__ELF__)
    *create = gputune__weak_create;
    *join = gputune__weak_join;
    if (*create && *join) return true;
    if (!gputune__weak_dynamic) return false; // static: what dlopen gives has a libc of its own
#endif
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW); // stays loaded with its threads
        if (library && gputune_library_symbol(library, "pthread_create", create) &&
            gputune_library_symbol(library, "pthread_join", join))
            return true;
        gputune_library_close(library);
    }
    return false;
}

#endif

// The program's signals are for its own threads. Those that a thread causes itself stay with it:
// blocked, they would end the process without its handlers.
static bool gputune__signals_block(sigset_t *before)
{
    static const int own[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP };
    sigset_t most;
    size_t i;
    sigfillset(&most);
    for (i = 0; i < sizeof own / sizeof *own; i++) sigdelset(&most, own[i]);
    return GPUTUNE__SIGMASK(SIG_SETMASK, &most, before) == 0;
}

static bool gputune__thread_start(gputune__thread *thread, gputune__thread_fn run, void *user)
{
    gputune__pthread_create_fn create;
    sigset_t before;
    bool blocked, started;
    thread->run = run;
    thread->user = user;
    if (!gputune__thread_symbols(&create, &thread->join)) return false;
    blocked = gputune__signals_block(&before);
    started = create(&thread->handle, NULL, gputune__thread_main, thread) == 0;
    if (blocked) GPUTUNE__SIGMASK(SIG_SETMASK, &before, NULL);
    return started;
}

static void gputune__thread_join(gputune__thread *thread)
{
    thread->join(thread->handle, NULL);
}

static int gputune__processor_count(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > 1024 ? 1024 : (int)count;
}

#endif

// --- compiling ahead ---

enum {
    GPUTUNE__THREADS_MOST = 64,
    // NVRTC 13.0 on 16 cores, kernels of 245 ms each: 4 a second with 1 thread, 8 with 2, 17 with
    // 4, 28 with 8, 47 with 16.
    GPUTUNE__THREADS_USUAL = 16,
    GPUTUNE__AHEAD_EACH = 4     // results kept for each thread
};

typedef enum gputune__job_state {
    GPUTUNE__JOB_FREE,
    GPUTUNE__JOB_WAITING,
    GPUTUNE__JOB_RUNNING,
    GPUTUNE__JOB_DONE
} gputune__job_state;

// One translation.
typedef struct gputune__ahead_job {
    gputune__job_state state;
    bool wanted;    // somebody waits for its end: it stays
    int rank;       // its place among what was foreseen last: the lowest is translated first
    uint64_t round; // when it was foreseen last
    gputune_config config;
    gputune_build build; // of text and config here
    char *text;
    gputune_binary binary;
    gputune_result result;
    gputune_error error;
} gputune__ahead_job;

// Threads that translate what will be asked for, and what they have made. Driver and self are of
// the device whose first translation has ended.
typedef struct gputune__ahead {
    gputune__base base;
    const gputune_driver *driver;
    void *self;
    gputune__lock lock;
    gputune__signal work, done;
    gputune__thread threads[GPUTUNE__THREADS_MOST];
    int thread_count;
    bool stop;
    uint64_t round;
    gputune__ahead_job *jobs;
    int job_count;
} gputune__ahead;

// How many threads the options ask for.
static int gputune__ahead_threads(const gputune__base *b)
{
    int count = b->threads;
    if (count > GPUTUNE__THREADS_MOST) count = GPUTUNE__THREADS_MOST;
    if (count || b->allocator.reallocate) return count > 0 ? count : 0;
    count = gputune__processor_count();
    return count > GPUTUNE__THREADS_USUAL ? GPUTUNE__THREADS_USUAL : count;
}

// Under the lock, or without threads. A job that runs stays.
static void gputune__ahead_clear(gputune__ahead *a, gputune__ahead_job *job)
{
    if (job->state == GPUTUNE__JOB_RUNNING) return;
    gputune__arr_free(&a->base, job->text);
    gputune__free(&a->base, job->binary.data);
    memset(job, 0, sizeof *job);
}

// One translation with the time that it took.
static gputune_result gputune__translate(const gputune_driver *driver, void *self,
                                         const gputune_build *build, gputune_binary *binary,
                                         gputune_error *error)
{
    double begin = gputune_now();
    gputune_result result;
    memset(binary, 0, sizeof *binary);
    result = driver->translate(self, build, binary, error);
    if (!(binary->seconds > 0)) binary->seconds = gputune_now() - begin;
    return result;
}

static gputune__ahead_job *gputune__ahead_first(gputune__ahead *a)
{
    gputune__ahead_job *first = NULL;
    int i;
    for (i = 0; i < a->job_count; i++)
        if (a->jobs[i].state == GPUTUNE__JOB_WAITING && (!first || a->jobs[i].rank < first->rank))
            first = &a->jobs[i];
    return first;
}

static void gputune__ahead_run(void *user)
{
    gputune__ahead *a = (gputune__ahead *)user;
    gputune__ahead_job *job;
    gputune__lock_enter(&a->lock);
    while (!a->stop) {
        job = gputune__ahead_first(a);
        if (!job) {
            gputune__signal_wait(&a->work, &a->lock);
            continue;
        }
        job->state = GPUTUNE__JOB_RUNNING;
        gputune__lock_leave(&a->lock);
        job->result =
            gputune__translate(a->driver, a->self, &job->build, &job->binary, &job->error);
        gputune__lock_enter(&a->lock);
        job->state = GPUTUNE__JOB_DONE;
        gputune__signal_all(&a->done);
    }
    gputune__lock_leave(&a->lock);
}

// Drops what has not begun, waits for the rest. NULL is fine.
static void gputune__ahead_close(gputune__ahead *a)
{
    gputune__base base;
    int i;
    if (!a) return;
    gputune__lock_enter(&a->lock);
    a->stop = true;
    gputune__signal_all(&a->work);
    gputune__lock_leave(&a->lock);
    for (i = 0; i < a->thread_count; i++) gputune__thread_join(&a->threads[i]);
    for (i = 0; i < a->job_count; i++) gputune__ahead_clear(a, &a->jobs[i]);
    gputune__signal_end(&a->done);
    gputune__signal_end(&a->work);
    gputune__lock_end(&a->lock);
    base = a->base;
    gputune__free(&base, a->jobs);
    gputune__free(&base, a);
}

// NULL when no thread can be had or memory lacks: then everything is translated when it is wanted.
static gputune__ahead *gputune__ahead_open(const gputune__base *b, const gputune_driver *driver,
                                           void *self, int threads)
{
    gputune__ahead *a = threads > 0 ? (gputune__ahead *)gputune__alloc(b, 1, sizeof *a) : NULL;
    if (!a) return NULL;
    a->base = *b;
    a->driver = driver;
    a->self = self;
    a->job_count = GPUTUNE__AHEAD_EACH * threads;
    a->jobs = (gputune__ahead_job *)gputune__alloc(b, (size_t)a->job_count, sizeof *a->jobs);
    if (!a->jobs) {
        gputune__free(b, a);
        return NULL;
    }
    gputune__lock_init(&a->lock);
    gputune__signal_init(&a->work);
    gputune__signal_init(&a->done);
    while (a->thread_count < threads &&
           gputune__thread_start(&a->threads[a->thread_count], gputune__ahead_run, a))
        a->thread_count++;
    if (a->thread_count) return a;
    gputune__ahead_close(a);
    return NULL;
}

// Under the lock: the job of a configuration and a kernel function, or NULL.
static gputune__ahead_job *gputune__ahead_find(gputune__ahead *a, const gputune_config *config,
                                               const char *function)
{
    int i;
    for (i = 0; i < a->job_count; i++) {
        gputune__ahead_job *job = &a->jobs[i];
        if (job->state != GPUTUNE__JOB_FREE && strcmp(job->build.name, function) == 0 &&
            memcmp(job->config.choice, config->choice, sizeof config->choice) == 0)
            return job;
    }
    return NULL;
}

// Under the lock: may it make room for another?
static bool gputune__ahead_spare(const gputune__ahead *a, const gputune__ahead_job *job)
{
    return job->state == GPUTUNE__JOB_FREE ||
           (job->state != GPUTUNE__JOB_RUNNING && !job->wanted && job->round < a->round);
}

// Begins a new list of what is foreseen, most probable first.
static void gputune__ahead_foresee(gputune__ahead *a)
{
    gputune__lock_enter(&a->lock);
    a->round++;
    gputune__lock_leave(&a->lock);
}

// The next of the list. True: it is not there yet and there is room for it.
static bool gputune__ahead_wants(gputune__ahead *a, const gputune_config *config,
                                 const char *function, int rank)
{
    gputune__ahead_job *job;
    bool room = false;
    int i;
    gputune__lock_enter(&a->lock);
    job = gputune__ahead_find(a, config, function);
    for (i = 0; i < a->job_count && !job && !room; i++) room = gputune__ahead_spare(a, &a->jobs[i]);
    if (job) {
        job->rank = rank;
        job->round = a->round;
    }
    gputune__lock_leave(&a->lock);
    return room;
}

// Takes the build and its text over. What was foreseen the longest time ago makes room.
static void gputune__ahead_put(gputune__ahead *a, const gputune_build *build, char *text, int rank)
{
    gputune__ahead_job *job = NULL;
    int i;
    gputune__lock_enter(&a->lock);
    for (i = 0; i < a->job_count; i++) {
        gputune__ahead_job *other = &a->jobs[i];
        if (!gputune__ahead_spare(a, other)) continue;
        if (!job || other->state == GPUTUNE__JOB_FREE ||
            (job->state != GPUTUNE__JOB_FREE && other->round < job->round))
            job = other;
    }
    if (job) {
        gputune__ahead_clear(a, job);
        job->rank = rank;
        job->round = a->round;
        job->config = *build->config;
        job->build = *build;
        job->build.config = &job->config;
        job->text = text;
        job->state = GPUTUNE__JOB_WAITING;
        gputune__signal_all(&a->work);
    } else {
        gputune__arr_free(&a->base, text);
    }
    gputune__lock_leave(&a->lock);
}

// Ends the list: what has not begun and stands no longer in it is dropped.
static void gputune__ahead_drop(gputune__ahead *a)
{
    int i;
    gputune__lock_enter(&a->lock);
    for (i = 0; i < a->job_count; i++)
        if (a->jobs[i].state == GPUTUNE__JOB_WAITING && a->jobs[i].round < a->round)
            gputune__ahead_clear(a, &a->jobs[i]);
    gputune__lock_leave(&a->lock);
}

// Takes a result out, waiting for one that is being made. False when it has not begun: whoever asks
// does it. *binary is the caller's.
static bool gputune__ahead_take(gputune__ahead *a, const gputune_build *build,
                                gputune_result *result, gputune_binary *binary,
                                gputune_error *error)
{
    gputune__ahead_job *job;
    bool done = false;
    gputune__lock_enter(&a->lock);
    job = gputune__ahead_find(a, build->config, build->name);
    while (job && job->state == GPUTUNE__JOB_RUNNING) {
        job->wanted = true;
        gputune__signal_wait(&a->done, &a->lock);
        job = gputune__ahead_find(a, build->config, build->name); // another may have taken it
    }
    if (job && job->state == GPUTUNE__JOB_DONE) {
        done = true;
        *result = job->result;
        *binary = job->binary;
        job->binary.data = NULL;
        if (*result != GPUTUNE_OK) *error = job->error;
    }
    if (job) gputune__ahead_clear(a, job);
    gputune__lock_leave(&a->lock);
    return done;
}

// ---------------------------------------------------------------------------------------------
// [isolate]
// ---------------------------------------------------------------------------------------------
//
// Two processes of one program and a socket between them. The child writes lines as in the store's
// files, with their checks:
//
//     reached                       the call whose key the parent wants: tuning begins
//     end config=... value=...      the last trial; before `final` the default and the winner
//     progress trials=5 ...         answered with one byte: go on, or stop
//     final result=ok ...           the child ends
//
// The child waits for each answer, so that the parent's callback decides as if it were called
// there, and so that a child whose parent is gone ends at once.
//
// What it rests on, seen on an H200 (driver 580, CUDA 13): a child's illegal address or trap
// leaves the parent's context on the same GPU as it was, and a child whose kernel never ends is
// gone 50 ms after SIGKILL.
//
// The environment says GPUTUNE_ISOLATED=<socket>:<its inode>:<key>:<milliseconds lost>. A process
// further down inherits the variable, too, but not the socket: the inode tells it that it is not
// meant, and nothing has to be unset, which other threads could not bear.

#define GPUTUNE__ISOLATED "GPUTUNE_ISOLATED"

// After the tuning's hang limit a silent child gets so much more, for compiling and for copying
// data, before it is killed.
#ifndef GPUTUNE__ISOLATE_MARGIN_SECONDS
#define GPUTUNE__ISOLATE_MARGIN_SECONDS 60.0
#endif
// How long the program may take from its start to the call that is tuned.
#ifndef GPUTUNE__ISOLATE_REACH_SECONDS
#define GPUTUNE__ISOLATE_REACH_SECONDS 600.0
#endif
// How long a child may take to end when there is nothing left for it to do.
#ifndef GPUTUNE__ISOLATE_GRACE_SECONDS
#define GPUTUNE__ISOLATE_GRACE_SECONDS 5.0
#endif
// A wait for the child is at most so long a slice, and counts as at most so much silence: while the
// machine sleeps or both processes are stopped, by Ctrl-Z or a debugger, nobody is silent.
#define GPUTUNE__ISOLATE_SLICE_SECONDS 0.1
#define GPUTUNE__ISOLATE_SLICE_MOST 0.5
// How often the program's callback is asked whether to go on while the child says nothing.
#define GPUTUNE__ISOLATE_ASK_SECONDS 1.0
#define GPUTUNE__ISOLATE_RESTARTS 100
#define GPUTUNE__ISOLATE_LINE_MAX                                                                  \
    ((size_t)1 << 20) // bytes: whoever writes more is no child of ours

// What the two say to each other beside records.
typedef struct gputune__report {
    char word[16]; // "reached", "progress", "final"
    char phase[32];
    int trials, planned, failed;
    double seconds, eta, standard, best;
    gputune_result result; // of the whole tuning
    char text[1536];       // its error's, or the outcome's note
    double speedup, drift;
    int saved;
} gputune__report;

static bool gputune__put_report(const gputune__base *b, char **line, const gputune__report *r)
{
    size_t begin = *line ? (size_t)stbds_arrlen(*line) : 0;
    return gputune__text_put(b, line, r->word, strlen(r->word)) &&
           gputune__put_text(b, line, "phase", r->phase) &&
           gputune__put_count(b, line, "trials", r->trials) &&
           gputune__put_count(b, line, "planned", r->planned) &&
           gputune__put_count(b, line, "failed", r->failed) &&
           gputune__put_number(b, line, "seconds", r->seconds) &&
           gputune__put_number(b, line, "eta", r->eta) &&
           gputune__put_number(b, line, "default", r->standard) &&
           gputune__put_number(b, line, "best", r->best) &&
           gputune__put_text(b, line, "result", gputune_result_name(r->result)) &&
           gputune__put_text(b, line, "text", r->text) &&
           gputune__put_number(b, line, "speedup", r->speedup) &&
           gputune__put_number(b, line, "drift", r->drift) &&
           gputune__put_count(b, line, "saved", r->saved) && gputune__put_check(b, line, begin);
}

// What a child knows of its task.
typedef struct gputune__isolated {
    gputune__base base;
    int socket;
    uint64_t key; // hash of the tuning's
    double lost;  // seconds of the budget that earlier children took and no journal shows
    char *line;   // stb_ds array
} gputune__isolated;

// What a parent knows of its child.
typedef struct gputune__child {
    long pid;   // 0: none
    int socket; // -1: closed
    char *text; // stb_ds array: received; handled up to `at`
    size_t at;
    double silent;            // seconds since the last report, in slices
    bool told;                // the records belong to a report that has been handled
    gputune__record *records; // since the last report
    char status[48];          // how it ended: "signal 11"
} gputune__child;

typedef enum gputune__heard {
    GPUTUNE__HEARD_REPORT,
    GPUTUNE__HEARD_END,     // it ended or hung up
    GPUTUNE__HEARD_NOTHING, // within the limit, or it is time to ask the program
    GPUTUNE__HEARD_NO_MEMORY
} gputune__heard;

#if defined(_WIN32)

// A process can be started anew here, too, but passing it a socket takes another design.
static const char *gputune__isolate_missing(const char *const *command)
{
    (void)command;
    return "not on Windows";
}

static bool gputune__isolated_find(const gputune__base *b, gputune__isolated *self)
{
    (void)b;
    (void)self;
    return false;
}

static bool gputune__isolated_send(gputune__isolated *self)
{
    (void)self;
    return false;
}

static bool gputune__isolated_answer(gputune__isolated *self)
{
    (void)self;
    return false;
}

static void gputune__isolated_exit(int status)
{
    (void)status;
}

static gputune_result gputune__child_start(const gputune__base *b, const char *const *command,
                                           uint64_t key, double lost, gputune__child *c,
                                           gputune_error *error)
{
    (void)b;
    (void)command;
    (void)key;
    (void)lost;
    (void)c;
    return gputune__error(error, GPUTUNE_ERROR_UNSUPPORTED, NULL);
}

static gputune__heard gputune__child_listen(const gputune__base *b, gputune__child *c, double limit,
                                            gputune__report *report)
{
    (void)b;
    (void)c;
    (void)limit;
    (void)report;
    return GPUTUNE__HEARD_END;
}

static void gputune__child_answer(const gputune__child *c, bool go_on)
{
    (void)c;
    (void)go_on;
}

static void gputune__child_end(const gputune__base *b, gputune__child *c, double grace)
{
    (void)b;
    (void)c;
    (void)grace;
}

#else

#if defined(__linux__)
// Why this process's own arguments cannot be had; NULL: they can. A program that writes another
// title over them leaves empty ones at the end.
static const char *gputune__own_command_missing(void)
{
    char part[1024];
    size_t got = 1, i, zeros = 0;
    int file = open("/proc/self/cmdline", O_RDONLY), code = 0;
    if (file < 0) return "there is no /proc here: it needs isolate_command";
    while (!code && got) {
        code = gputune__file_read(file, part, sizeof part, &got);
        for (i = 0; i < got; i++) zeros = part[i] ? 0 : zeros + 1;
    }
    gputune__file_close(file);
    if (code) return "/proc does not show the arguments: it needs isolate_command";
    return zeros > 2 ? "the arguments have been written over: it needs isolate_command" : NULL;
}
#endif

// Linux shows a process its own program and arguments; elsewhere the program must name them.
static const char *gputune__isolate_missing(const char *const *command)
{
    if (command && *command) return NULL;
#if defined(__linux__)
    return gputune__own_command_missing();
#else
    return "on this system it needs isolate_command";
#endif
}

static void gputune__close_on_exec(int file)
{
    fcntl(file, F_SETFD, FD_CLOEXEC);
}

// --- the child's side ---

// Is this process the child of an isolated tuning? Then fills *self.
static bool gputune__isolated_find(const gputune__base *b, gputune__isolated *self)
{
    const char *text = getenv(GPUTUNE__ISOLATED);
    unsigned long long inode, key;
    unsigned long lost;
    struct stat info;
    char word;
    memset(self, 0, sizeof *self);
    if (!text || sscanf(text, "%d:%llx:%llx:%lu", &self->socket, &inode, &key, &lost) != 4)
        return false;
    if (fstat(self->socket, &info) || (unsigned long long)info.st_ino != inode) return false;
    gputune__close_on_exec(self->socket); // what this process starts is not meant
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGKILL);     // a kernel that never ends would outlive the parent
#endif
    // A parent that was gone before that sent no signal. Its socket tells, and not getppid: a
    // command may put a process of its own between the two.
    if (recv(self->socket, &word, 1, MSG_PEEK | MSG_DONTWAIT) == 0) _exit(1);
    self->base = *b;
    self->key = key;
    self->lost = 1e-3 * (double)lost;
    return true;
}

// Sends what stands in self->line; false when the parent is gone.
static bool gputune__isolated_send(gputune__isolated *self)
{
    const char *at = self->line;
    size_t left = (size_t)stbds_arrlen(self->line);
    while (left) {
        ssize_t count = send(self->socket, at, left, GPUTUNE__NO_SIGNAL);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        at += count;
        left -= (size_t)count;
    }
    gputune__line_clear(self->line);
    return true;
}

// Waits for the parent's word; false: stop. Without a parent there is nobody to tune for.
static bool gputune__isolated_answer(gputune__isolated *self)
{
    char word = 0;
    ssize_t count;
    do {
        count = recv(self->socket, &word, 1, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) _exit(1);
    return word != 's';
}

// The only place that ends a process, and it is one that gputune started. _exit: the program's
// atexit handlers and the driver's destructors are for the program's own end, and may hang when
// the device is lost.
static void gputune__isolated_exit(int status)
{
    _exit(status);
}

// --- the parent's side ---

static bool gputune__report_parse(char *text, const gputune__line *line, gputune__report *r)
{
    static const char *const words[] = { "phase",   "trials",  "planned", "failed", "seconds",
                                         "eta",     "default", "best",    "result", "text",
                                         "speedup", "drift",   "saved",   NULL };
    size_t length = strcspn(text + line->begin, "\t\r\n");
    gputune__fields fields = gputune__fields_of(text, line);
    char *name, *value;
    int last = -1;
    bool good = true;
    memset(r, 0, sizeof *r);
    if (length >= sizeof r->word) return false;
    memcpy(r->word, text + line->begin, length);
    while (gputune__field_next(&fields, &name, &value)) {
        switch (gputune__field_find(name, words, &last)) {
        case 0:
            snprintf(r->phase, sizeof r->phase, "%s", value);
            break;
        case 1:
            gputune__int_parse(value, &r->trials);
            break;
        case 2:
            gputune__int_parse(value, &r->planned);
            break;
        case 3:
            gputune__int_parse(value, &r->failed);
            break;
        case 4:
            good &= gputune__store_number_parse(value, &r->seconds);
            break;
        case 5:
            good &= gputune__store_number_parse(value, &r->eta);
            break;
        case 6:
            good &= gputune__store_number_parse(value, &r->standard);
            break;
        case 7:
            good &= gputune__store_number_parse(value, &r->best);
            break;
        case 8:
            good &= gputune__result_parse(value, &r->result);
            break;
        case 9:
            snprintf(r->text, sizeof r->text, "%s", value);
            break;
        case 10:
            good &= gputune__store_number_parse(value, &r->speedup);
            break;
        case 11:
            good &= gputune__store_number_parse(value, &r->drift);
            break;
        case 12:
            gputune__int_parse(value, &r->saved);
            break;
        }
    }
    return good;
}

// The arguments of this process. *list is an stb_ds array that ends with NULL, its texts lie in
// *text.
static gputune_result gputune__own_command(const gputune__base *b, char **text, char ***list,
                                           gputune_error *error)
{
    static const char path[] = "/proc/self/cmdline";
    char part[1024];
    size_t got = 1, i, size;
    gputune__file file = open(path, O_RDONLY); // of size 0, which says nothing
    int code = file < 0 ? errno : 0;
    if (code) return gputune__file_fail(error, "read", path, code);
    gputune__close_on_exec(file);
    while (!code && got) {
        code = gputune__file_read(file, part, sizeof part, &got);
        if (gputune__text_put(b, text, part, got)) continue;
        gputune__file_close(file);
        return gputune__oom(error);
    }
    gputune__file_close(file);
    size = (size_t)stbds_arrlen(*text);
    if (code || !size) return gputune__file_fail(error, "read", path, code ? code : EIO);
    for (i = 0; i < size; i += strlen(*text + i) + 1)
        if (!gputune__push(b, *list, *text + i)) return gputune__oom(error);
    return gputune__push(b, *list, (char *)NULL) ? GPUTUNE_OK : gputune__oom(error);
}

// This process's environment, but with `own` as GPUTUNE_ISOLATED.
static bool gputune__child_environment(const gputune__base *b, char *own, char ***list)
{
    static const char name[] = GPUTUNE__ISOLATED "=";
    char **at;
    for (at = environ; at && *at; at++)
        if (strncmp(*at, name, sizeof name - 1) != 0 && !gputune__push(b, *list, *at)) return false;
    return gputune__push(b, *list, own) && gputune__push(b, *list, (char *)NULL);
}

// A pair of sockets, both closed on exec and behind the standard three, which the child's are made
// from. 0 or the system's error code.
static int gputune__socket_pair(int *ends)
{
#ifdef SO_NOSIGPIPE
    const int on = 1;
#endif
    int i, code = 0;
#ifdef SOCK_CLOEXEC
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return errno;
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) return errno;
#endif
    for (i = 0; i < 2 && !code; i++) {
        int old = ends[i];
        if (old < 3) {
            ends[i] = fcntl(old, F_DUPFD, 3);
            if (ends[i] < 0) code = errno;
            close(old);
        }
        if (ends[i] >= 0) gputune__close_on_exec(ends[i]);
#ifdef SO_NOSIGPIPE
        if (ends[i] >= 0) setsockopt(ends[i], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    }
    if (!code) return 0;
    for (i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    return code;
}

// Starts the program with ends[1] under the number of ends[0], which the child has no use for: so
// no moment comes at which another thread's child could inherit it.
static int gputune__spawn(const char *path, char *const *argv, char *const *environment,
                          const int *ends, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int code = posix_spawn_file_actions_init(&actions);
    if (code) return code;
    code = posix_spawnattr_init(&attributes);
    if (code) {
        posix_spawn_file_actions_destroy(&actions);
        return code;
    }
    // What the calling thread blocks is its own affair: the child must hear Ctrl-C.
    sigemptyset(&none);
    code = posix_spawnattr_setsigmask(&attributes, &none);
    if (!code) code = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!code) code = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!code) code = posix_spawn_file_actions_adddup2(&actions, ends[1], ends[0]);
    if (!code) code = posix_spawnp(pid, path, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

// Starts a child for the tuning of a key; `command` NULL: this process's own. posix_spawn and not
// fork, whose child could not use CUDA and would have the locks of threads that it lacks.
static gputune_result gputune__child_start(const gputune__base *b, const char *const *command,
                                           uint64_t key, double lost, gputune__child *c,
                                           gputune_error *error)
{
    gputune_result result = GPUTUNE_OK;
    char *text = NULL, own[128], **list = NULL, **environment = NULL;
    const char *path = command && *command ? *command : "/proc/self/exe";
    struct stat info;
    int ends[2], code;
    pid_t pid = 0;
    memset(c, 0, sizeof *c);
    c->socket = -1;
    for (; command && *command && result == GPUTUNE_OK; command++)
        if (!gputune__push(b, list, (char *)(uintptr_t)*command)) result = gputune__oom(error);
    if (result == GPUTUNE_OK && !list)
        result = gputune__own_command(b, &text, &list, error);
    else if (result == GPUTUNE_OK && !gputune__push(b, list, (char *)NULL))
        result = gputune__oom(error);
    code = result == GPUTUNE_OK ? gputune__socket_pair(ends) : 0;
    if (result == GPUTUNE_OK && !code) {
        if (fstat(ends[1], &info)) code = errno;
        snprintf(own, sizeof own, "%s=%d:%llx:%llx:%lu", GPUTUNE__ISOLATED, ends[0],
                 code ? 0 : (unsigned long long)info.st_ino, (unsigned long long)key,
                 (unsigned long)(1e3 * lost));
        if (!gputune__child_environment(b, own, &environment))
            result = gputune__oom(error);
        else if (!code)
            code = gputune__spawn(path, list, environment, ends, &pid);
        close(ends[1]);
        if (code || result != GPUTUNE_OK) close(ends[0]);
    }
    if (code) result = gputune__file_fail(error, "start", path, code);
    gputune__arr_free(b, environment);
    gputune__arr_free(b, list);
    gputune__arr_free(b, text);
    if (result != GPUTUNE_OK) return result;
    c->pid = (long)pid;
    c->socket = ends[0];
    return GPUTUNE_OK;
}

// Has the child ended? Then says how, and no zombie remains. Where the program itself reaps every
// child (or has the system do it), only that it ended is known.
static bool gputune__child_reap(gputune__child *c)
{
    int status = 0;
    pid_t pid;
    if (!c->pid) return true;
    do {
        pid = waitpid((pid_t)c->pid, &status, WNOHANG);
    } while (pid < 0 && errno == EINTR);
    if (pid == 0) return false;
    c->pid = 0;
    if (pid < 0)
        snprintf(c->status, sizeof c->status, "unknown status");
    else if (WIFSIGNALED(status))
        snprintf(c->status, sizeof c->status, "signal %d", WTERMSIG(status));
    else
        snprintf(c->status, sizeof c->status, "exit status %d", WEXITSTATUS(status));
    return true;
}

// Takes in what has come, waiting for at most so long. 1: something; 0: nothing; -1: the other end
// is closed; -2: out of memory.
static int gputune__child_receive(const gputune__base *b, gputune__child *c, double seconds)
{
    char part[4096];
    struct pollfd wait;
    ssize_t count;
    wait.fd = c->socket;
    wait.events = POLLIN;
    wait.revents = 0;
    if (poll(&wait, 1, (int)(1e3 * seconds)) <= 0) return 0;
    count = recv(c->socket, part, sizeof part, 0);
    if (count < 0 && errno == EINTR) return 0;
    if (count <= 0) return -1;
    return gputune__text_put(b, &c->text, part, (size_t)count) ? 1 : -2;
}

// Takes the next whole line in. *done: it was a report.
static bool gputune__child_line(const gputune__base *b, gputune__child *c,
                                const gputune__line *line, gputune__report *report, bool *done)
{
    gputune__record record;
    c->at = line->end;
    *done = false;
    if (!line->sound) return true;
    if (gputune__line_is(c->text, line, "end"))
        return !gputune__record_parse(c->text, line, &record) ||
               gputune__records_add(b, &c->records, &record);
    *done = gputune__report_parse(c->text, line, report);
    return true;
}

// Waits for the next report, until the child has been silent for `limit` seconds or for as long as
// the program should be asked. Looks at the process, too: what the child started may keep the
// socket open.
static gputune__heard gputune__child_listen(const gputune__base *b, gputune__child *c, double limit,
                                            gputune__report *report)
{
    const double until = c->silent + GPUTUNE__ISOLATE_ASK_SECONDS;
    int got = 0;
    if (c->told) {
        gputune__records_free(b, c->records);
        c->records = NULL;
        c->told = false;
    }
    for (;;) {
        size_t size = c->text ? (size_t)stbds_arrlen(c->text) : 0;
        bool ended, done;
        double passed;
        while (c->at < size) {
            gputune__line line = gputune__line_at(c->text, c->at, size);
            if (!line.newline) break;
            if (!gputune__child_line(b, c, &line, report, &done)) return GPUTUNE__HEARD_NO_MEMORY;
            if (!done) continue;
            c->silent = 0;
            c->told = true;
            return GPUTUNE__HEARD_REPORT;
        }
        if (c->at && c->at == size) {
            gputune__line_clear(c->text);
            c->at = 0;
        }
        if (got == -1 || size > GPUTUNE__ISOLATE_LINE_MAX) return GPUTUNE__HEARD_END;
        ended = gputune__child_reap(c); // before looking for its last words
        passed = gputune_now();
        got = gputune__child_receive(b, c, ended ? 0 : GPUTUNE__ISOLATE_SLICE_SECONDS);
        passed = gputune_now() - passed;
        if (got == -2) return GPUTUNE__HEARD_NO_MEMORY;
        if (got == 0 && ended) return GPUTUNE__HEARD_END;
        if (passed > GPUTUNE__ISOLATE_SLICE_MOST) { // stopped: the child has its say first
            c->silent += GPUTUNE__ISOLATE_SLICE_MOST;
            continue;
        }
        c->silent += passed;
        if (got == 0 && (c->silent > limit || c->silent > until)) return GPUTUNE__HEARD_NOTHING;
    }
}

static void gputune__child_answer(const gputune__child *c, bool go_on)
{
    ssize_t sent;
    do {
        sent = send(c->socket, go_on ? "g" : "s", 1, GPUTUNE__NO_SIGNAL);
    } while (sent < 0 && errno == EINTR);
}

// Lets the child end within `grace` seconds, kills it after that, and frees what is held. A process
// that not even SIGKILL ends (its driver keeps it) is given up after as long again.
static void gputune__child_end(const gputune__base *b, gputune__child *c, double grace)
{
    double end = gputune_now() + grace;
    int killed;
    if (c->socket >= 0) close(c->socket);
    c->socket = -1;
    for (killed = 0; !gputune__child_reap(c) && killed < 2;) {
        if (gputune_now() < end) {
            gputune_sleep(0.002);
            continue;
        }
        if (killed++ == 0) kill((pid_t)c->pid, SIGKILL);
        end = gputune_now() + GPUTUNE__ISOLATE_GRACE_SECONDS;
    }
    if (c->pid) snprintf(c->status, sizeof c->status, "not even when killed");
    gputune__records_free(b, c->records);
    gputune__arr_free(b, c->text);
    c->records = NULL;
}

#endif

// ---------------------------------------------------------------------------------------------
// [tune]
// ---------------------------------------------------------------------------------------------

// --- tuner: search + budget + journal + store ---

// A trial read from an interrupted run's journal, by index of its configuration.
typedef struct gputune__past {
    uint64_t index;
    gputune__record *record;
} gputune__past;

struct gputune_tuner {
    gputune__base base;
    const gputune_device *device; // whose clock counts; NULL: the machine's
    gputune_space *space;
    bool owns_space, owns_store;
    char *name, *problem, *store_path;
    gputune__key key;    // its texts point to name, problem and the device's
    gputune_limits host; // ask/tell: names the machine in the key
    gputune__store *store;
    gputune__journal *journal;
    gputune__lock *lock; // of the journal while several threads write it, or NULL
    gputune__record *records;
    gputune__past *past; // records by index, sorted
    int lanes;           // devices that try configurations at once; 0 as 1
    gputune__search *search;
    gputune_budget budget;
    gputune_progress_fn progress;
    void *progress_user;
    gputune_trial *trials;
    char **reasons; // texts owned here
    int best;       // in trials, -1: none
    int failed, resumed, since_gain;
    double begin, trial_begin, past_seconds, default_value;
    gputune_config stored; // when `known`
    bool known;            // the store knows the answer: nothing to search
    bool broken, cancelled, over, saved;
};

static double gputune__tuner_now(const gputune_tuner *t)
{
    return t->device ? gputune__device_now(t->device) : gputune_now();
}

static double gputune__tuner_seconds(const gputune_tuner *t)
{
    return gputune__tuner_now(t) - t->begin + t->past_seconds;
}

static int gputune__compare_past(const void *a, const void *b)
{
    uint64_t x = ((const gputune__past *)a)->index, y = ((const gputune__past *)b)->index;
    return (x > y) - (x < y);
}

// Did the configuration itself fail, or what it was tried with (no compiler found, no memory)? The
// latter may be mended by the next run.
static bool gputune__blames_world(gputune_result result)
{
    return result == GPUTUNE_ERROR_LIBRARY || result == GPUTUNE_ERROR_MEMORY ||
           result == GPUTUNE_ERROR_NO_DEVICE || result == GPUTUNE_ERROR_UNSUPPORTED ||
           result == GPUTUNE_ERROR_FILE;
}

// Same configuration: in the order of the journal.
static int gputune__order_past(const void *a, const void *b)
{
    const gputune__record *x = ((const gputune__past *)a)->record;
    const gputune__record *y = ((const gputune__past *)b)->record;
    int order = gputune__compare_past(a, b);
    return order ? order : (x > y) - (x < y);
}

// Has this configuration once ended the process, after a trial that went well?
static bool gputune__died_once(const gputune__record *records, const char *text)
{
    int i, deaths = 0, good = 0;
    for (i = 0; i < gputune__len(records); i++) {
        if (strcmp(records[i].config, text) != 0) continue;
        deaths += records[i].result == GPUTUNE_ERROR_CRASHED;
        good += records[i].result == GPUTUNE_OK;
    }
    return deaths == 1 && good > 0;
}

// Is a default that failed to be tried again? Without it a kernel cannot be tuned at all, so one
// failure must not decide for ever. One that ended the process or lost the device would do so in
// every run: only when the mode is `force`. But the default is half of a race, and who interrupts
// the program there is not its fault: a first death after its trial is forgiven, too.
static bool gputune__tuner_forgives(const gputune_tuner *t, const gputune_config *config,
                                    const gputune__record *record)
{
    gputune_config standard;
    if (record->result == GPUTUNE_OK || !t->device) return false; // ask/tell can do without
    standard = gputune_space_default(t->space);
    if (memcmp(standard.choice, config->choice, sizeof standard.choice) != 0) return false;
    if (t->base.mode == GPUTUNE_MODE_FORCE) return true;
    if (record->result == GPUTUNE_ERROR_CRASHED)
        return gputune__died_once(t->records, record->config);
    return record->result != GPUTUNE_ERROR_DEVICE_LOST;
}

// Records whose configuration is no longer in the space are of no use and left out, and so are
// those that say nothing about it. Of several of one configuration the last counts: what succeeded
// in its trial may have failed in the race.
static bool gputune__tuner_index_past(gputune_tuner *t)
{
    int i, left = 0, count = gputune__len(t->records);
    if (!gputune__arr_room(&t->base, t->past, (size_t)count)) return false;
    for (i = 0; i < count; i++) {
        gputune__past past;
        gputune_config config;
        past.record = &t->records[i];
        if (gputune__blames_world(past.record->result)) continue;
        if (!gputune_config_parse(t->space, past.record->config, &config)) continue;
        if (!gputune_space_index(t->space, &config, &past.index)) continue;
        if (gputune__tuner_forgives(t, &config, past.record)) {
            gputune__log(&t->base, GPUTUNE_LOG_INFO,
                         "%s: the default failed and is tried again: %s", t->name,
                         past.record->reason);
            continue;
        }
        stbds_arrput(t->past, past);
    }
    count = gputune__len(t->past);
    if (count) qsort(t->past, (size_t)count, sizeof *t->past, gputune__order_past);
    for (i = 0; i < count; i++) {
        bool again = left && t->past[left - 1].index == t->past[i].index;
        if (again) t->past[i].record->wall_seconds += t->past[--left].record->wall_seconds;
        t->past[left++] = t->past[i];
    }
    if (count) stbds_arrsetlen(t->past, (size_t)left);
    return true;
}

static const gputune__record *gputune__tuner_past(const gputune_tuner *t,
                                                  const gputune_config *config)
{
    gputune__past wanted, *found;
    if (!gputune__len(t->past) || !gputune_space_index(t->space, config, &wanted.index))
        return NULL;
    found = (gputune__past *)bsearch(&wanted, t->past, (size_t)gputune__len(t->past), sizeof wanted,
                                     gputune__compare_past);
    return found ? found->record : NULL;
}

// The journal is a comfort: without it tuning goes on, only resuming is lost.
static bool gputune__tuner_open_journal(gputune_tuner *t, const char *store_path)
{
    gputune_error error;
    // An interrupted run is resumed in every mode, or what ended it would end the next one, too.
    gputune_result result = gputune__journal_open(&t->base, store_path, &t->key, false, &t->journal,
                                                  &t->records, &error);
    if (result == GPUTUNE_ERROR_MEMORY) return false;
    if (result != GPUTUNE_OK) {
        t->journal = NULL;
        gputune__log(&t->base, GPUTUNE_LOG_WARN, "%s: tuning without a journal: %s", t->name,
                     error.text);
        return true;
    }
    if (gputune__len(t->records))
        gputune__log(&t->base, GPUTUNE_LOG_INFO, "%s: resuming after %d trials", t->name,
                     gputune__len(t->records));
    return gputune__tuner_index_past(t);
}

// Builds the space, opens the journal, sets up the search. t->space, key, store, budget are set.
static gputune_result gputune__tuner_start(gputune_tuner *t, gputune_strategy strategy,
                                           uint64_t seed, const gputune_config *hint,
                                           const char *store_path)
{
    gputune_config starts[2];
    int count = 1;
    gputune_result result = gputune_space_build(t->space);
    if (result != GPUTUNE_OK) {
        t->base.error = *gputune_space_error(t->space);
        return result;
    }
    t->begin = gputune__tuner_now(t);
    if (t->budget.seconds == 0) t->budget.seconds = 60;
    if (store_path && t->base.mode != GPUTUNE_MODE_READONLY &&
        !gputune__tuner_open_journal(t, store_path))
        return gputune__oom(&t->base.error);
    starts[0] = gputune_space_default(t->space);
    if (hint) starts[count++] = gputune_space_nearest(t->space, hint);
    return gputune__search_create(&t->base, t->space, strategy, seed, t->budget.trials, starts,
                                  count, &t->search, &t->base.error);
}

static gputune_tuner *gputune__tuner_new(const gputune__base *base)
{
    gputune_tuner *t = (gputune_tuner *)gputune__alloc(base, 1, sizeof *t);
    if (!t) return NULL;
    t->base = *base;
    memset(&t->base.error, 0, sizeof t->base.error);
    t->best = -1;
    t->default_value = HUGE_VAL;
    return t;
}

static void gputune__tuner_progress(gputune_tuner *t, const char *phase)
{
    gputune_progress p;
    uint64_t planned = t->search ? gputune__search_planned(t->search) : 0;
    if (!t->progress || t->cancelled) return;
    memset(&p, 0, sizeof p);
    p.name = t->name ? t->name : "";
    p.phase = phase;
    p.trials = gputune__len(t->trials);
    if (t->budget.trials && (!planned || planned > (uint64_t)t->budget.trials))
        planned = (uint64_t)t->budget.trials;
    p.trials_planned = planned > INT_MAX ? 0 : (int)planned;
    p.failed = t->failed;
    p.seconds = gputune__tuner_seconds(t);
    p.eta = -1;
    if (t->budget.seconds > 0) p.eta = t->budget.seconds - p.seconds;
    if (p.trials_planned && p.trials > t->resumed) {
        double each = (p.seconds - t->past_seconds) / (p.trials - t->resumed);
        double rest = each * (p.trials_planned - p.trials);
        if (p.eta < 0 || rest < p.eta) p.eta = rest;
    }
    if (p.eta < 0 && t->budget.seconds > 0) p.eta = 0;
    p.default_value = t->default_value;
    p.best_value = t->best >= 0 ? t->trials[t->best].value : HUGE_VAL;
    p.last = p.trials ? &t->trials[p.trials - 1] : NULL;
    if (!t->progress(t->progress_user, &p)) t->cancelled = true;
}

// The reason's text is kept apart, because trials move when their array grows.
static bool gputune__tuner_keep_reason(gputune_tuner *t, gputune_trial *trial)
{
    char *copy;
    if (!trial->reason || !*trial->reason) {
        trial->reason = "";
        return true;
    }
    copy = gputune__strdup(&t->base, trial->reason);
    if (!copy || !gputune__push(&t->base, t->reasons, copy)) {
        gputune__free(&t->base, copy);
        return false;
    }
    trial->reason = copy;
    return true;
}

// Takes a finished trial in. The order matters: what the search learns must not depend on whether
// the trial ran now or was read from a journal.
static void gputune__tuner_take(gputune_tuner *t, gputune_trial *trial)
{
    gputune_config standard;
    bool ok = trial->result == GPUTUNE_OK;
    double best = t->best >= 0 ? t->trials[t->best].value : HUGE_VAL;
    if (!ok) trial->value = HUGE_VAL;
    if (!gputune__tuner_keep_reason(t, trial) || !gputune__push(&t->base, t->trials, *trial)) {
        gputune__oom(&t->base.error);
        t->broken = true;
        return;
    }
    if (gputune__len(t->trials) == 1) {
        standard = gputune_space_default(t->space);
        if (memcmp(standard.choice, trial->config.choice, sizeof standard.choice) == 0)
            t->default_value = trial->value;
    }
    t->failed += !ok;
    t->since_gain = ok && (t->best < 0 || best - trial->value > 0.01 * fabs(best))
                        ? 0
                        : t->since_gain + 1;
    if (ok && trial->value < best) t->best = gputune__len(t->trials) - 1;
    gputune__search_tell(t->search, &trial->config, trial->value);
}

// A journal's record as a trial, but for the configuration; its texts stay the record's.
static void gputune__trial_of(const gputune__record *record, gputune_trial *trial)
{
    gputune_config config = trial->config;
    memset(trial, 0, sizeof *trial);
    trial->usage = gputune__no_usage();
    trial->config = config;
    trial->result = record->result;
    trial->value = record->result == GPUTUNE_OK ? record->value : HUGE_VAL;
    trial->stats = record->stats;
    trial->compile_seconds = record->compile_seconds;
    trial->wall_seconds = record->wall_seconds;
    trial->reason = record->reason ? record->reason : "";
}

// And back; `text` is the configuration's.
static gputune__record gputune__record_of(const gputune_trial *trial, const char *text)
{
    gputune__record record;
    memset(&record, 0, sizeof record);
    record.config = (char *)(uintptr_t)text;
    record.result = trial->result;
    record.value = trial->value;
    record.stats = trial->stats;
    record.compile_seconds = trial->compile_seconds;
    record.wall_seconds = trial->wall_seconds;
    record.reason = (char *)(uintptr_t)trial->reason;
    return record;
}

static void gputune__tuner_resume(gputune_tuner *t, const gputune_config *config,
                                  const gputune__record *record)
{
    gputune_trial trial;
    trial.config = *config;
    gputune__trial_of(record, &trial);
    t->resumed++;
    t->past_seconds += record->wall_seconds / (t->lanes > 1 ? t->lanes : 1);
    gputune__tuner_take(t, &trial);
}

static bool gputune__tuner_spent(const gputune_tuner *t)
{
    const gputune_budget *b = &t->budget;
    if (t->broken || t->cancelled || t->known || !t->search) return true;
    if (b->trials && gputune__len(t->trials) >= b->trials) return true;
    if (b->patience && t->since_gain >= b->patience) return true;
    // The first trial is the default: without it there is nothing to compare with.
    return b->seconds > 0 && gputune__len(t->trials) > 0 && gputune__tuner_seconds(t) > b->seconds;
}

static void gputune__tuner_journal_failed(gputune_tuner *t, const gputune_error *error)
{
    gputune__log(&t->base, GPUTUNE_LOG_WARN, "%s: the journal ends here: %s", t->name, error->text);
    gputune__journal_close(t->journal, false);
    t->journal = NULL;
}

// Says that a configuration begins, from any thread. False when the journal fails.
static bool gputune__tuner_journal_begin(gputune_tuner *t, const gputune_config *config,
                                         gputune_error *error)
{
    char text[4096];
    bool ok = true;
    if (t->lock) gputune__lock_enter(t->lock);
    gputune_config_text(config, text, sizeof text);
    if (t->journal) ok = gputune__journal_begin(t->journal, text, error) == GPUTUNE_OK;
    if (t->lock) gputune__lock_leave(t->lock);
    return ok;
}

// And how it went, from the thread that tried it, at once: a crash elsewhere must not be blamed on
// a trial that is over.
static bool gputune__tuner_journal_end(gputune_tuner *t, const gputune_trial *trial,
                                       gputune_error *error)
{
    gputune__record record;
    char text[4096];
    bool ok = true;
    if (t->lock) gputune__lock_enter(t->lock);
    if (t->journal) {
        gputune_config_text(&trial->config, text, sizeof text);
        record = gputune__record_of(trial, text);
        if (trial->result != GPUTUNE_OK) record.value = HUGE_VAL;
        ok = gputune__journal_end(t->journal, &record, error) == GPUTUNE_OK;
    }
    if (t->lock) gputune__lock_leave(t->lock);
    return ok;
}

// Says that a configuration is launched again after its trial, or (NULL) that it came back. One
// write of 60 bytes, not synced, takes 0.4 us (ext4): little beside a sample's launches, and so
// every launch of the race is named exactly.
static void gputune__tuner_journal_race(gputune_tuner *t, const gputune_config *config)
{
    gputune_error error;
    char text[4096];
    if (t->lock) gputune__lock_enter(t->lock);
    if (t->journal &&
        gputune__journal_race(t->journal,
                              config ? gputune_config_text(config, text, sizeof text) : NULL,
                              &error) != GPUTUNE_OK)
        gputune__tuner_journal_failed(t, &error);
    if (t->lock) gputune__lock_leave(t->lock);
}

// The next configuration while `open` others are not answered; false with *wait: not before one of
// them is. What an interrupted run's journal answers is taken in here.
static bool gputune__tuner_ask(gputune_tuner *t, int open, gputune_config *config, bool *wait)
{
    const gputune__record *record;
    *wait = false;
    while (!t->over && !gputune__tuner_spent(t) &&
           !(t->budget.trials && gputune__len(t->trials) + open >= t->budget.trials) &&
           gputune__search_next(t->search, config)) {
        record = gputune__tuner_past(t, config);
        if (!record) return true;
        gputune__tuner_resume(t, config, record);
    }
    *wait = !t->over && t->search && t->search->wait && open > 0;
    if (!*wait) t->over = true;
    return false;
}

GPUTUNE_API bool gputune_next(gputune_tuner *t, gputune_config *config)
{
    gputune_error error;
    bool wait;
    if (!t || !gputune__tuner_ask(t, 0, config, &wait)) return false;
    t->trial_begin = gputune__tuner_now(t);
    if (!gputune__tuner_journal_begin(t, config, &error)) gputune__tuner_journal_failed(t, &error);
    return true;
}

// Takes an answer in that stands in the journal: search, log, progress. Its wall_seconds are set.
static void gputune__tuner_told(gputune_tuner *t, gputune_trial *trial)
{
    char text[4096];
    gputune__tuner_take(t, trial);
    if (t->base.log && t->base.level >= GPUTUNE_LOG_DEBUG)
        gputune__log(&t->base, GPUTUNE_LOG_DEBUG, "%s: %s: %s %.6g %s", t->name ? t->name : "trial",
                     gputune_config_text(&trial->config, text, sizeof text),
                     gputune_result_name(trial->result), trial->value, trial->reason);
    gputune__tuner_progress(t, "search");
}

static void gputune__tuner_tell(gputune_tuner *t, gputune_trial *trial)
{
    gputune_error error;
    if (!t || !t->search) return; // nothing was asked: the answer was known, or tuning is off
    trial->wall_seconds = gputune__tuner_now(t) - t->trial_begin;
    if (!gputune__tuner_journal_end(t, trial, &error)) gputune__tuner_journal_failed(t, &error);
    gputune__tuner_told(t, trial);
}

GPUTUNE_API void gputune_tell(gputune_tuner *t, const gputune_config *config, double value)
{
    gputune_trial trial;
    memset(&trial, 0, sizeof trial);
    trial.usage = gputune__no_usage();
    trial.config = *config;
    trial.value = value;
    if (!(fabs(value) <= DBL_MAX)) {
        trial.result = GPUTUNE_ERROR_LAUNCH;
        trial.reason = "told an infinite value or NaN";
    }
    gputune__tuner_tell(t, &trial);
}

GPUTUNE_API void gputune_tell_failure(gputune_tuner *t, const gputune_config *config,
                                      gputune_result result, const char *reason)
{
    gputune_trial trial;
    memset(&trial, 0, sizeof trial);
    trial.usage = gputune__no_usage();
    trial.config = *config;
    trial.result = result == GPUTUNE_OK ? GPUTUNE_ERROR_LAUNCH : result;
    trial.reason = reason;
    gputune__tuner_tell(t, &trial);
}

// Writes an answer to the store. A store that cannot be written costs the answer's survival, not
// the answer: a warning. True if it was saved.
static bool gputune__tuner_save(gputune_tuner *t, const gputune_config *config, double value)
{
    gputune__entry entry;
    gputune_error error;
    char text[4096];
    if (t->saved) return true;
    if (!t->store || t->base.mode == GPUTUNE_MODE_READONLY || t->base.mode == GPUTUNE_MODE_OFF)
        return false;
    memset(&entry, 0, sizeof entry);
    entry.key = t->key;
    entry.config = gputune_config_text(config, text, sizeof text);
    entry.value = value;
    entry.default_value = t->default_value;
    entry.trials = gputune__len(t->trials);
    if (gputune__store_put(t->store, &entry, &error) != GPUTUNE_OK) {
        gputune__log(&t->base, GPUTUNE_LOG_WARN, "%s: the answer is not saved: %s", t->name,
                     error.text);
        return false;
    }
    if (t->journal) gputune__journal_close(t->journal, true);
    t->journal = NULL;
    t->saved = true;
    return true;
}

GPUTUNE_API gputune_result gputune_tuner_best(gputune_tuner *t, gputune_config *config)
{
    if (!t) return GPUTUNE_ERROR_MEMORY;
    if (t->known) {
        *config = t->stored;
        return GPUTUNE_OK;
    }
    if (t->broken) return t->base.error.result;
    if (t->best < 0)
        return gputune__error(&t->base.error, GPUTUNE_ERROR_EMPTY_SPACE,
                              "no configuration has succeeded (%d of %d trials failed)", t->failed,
                              gputune__len(t->trials));
    *config = t->trials[t->best].config;
    if (t->over) gputune__tuner_save(t, config, t->trials[t->best].value);
    return GPUTUNE_OK;
}

GPUTUNE_API void gputune_tuner_destroy(gputune_tuner *t)
{
    gputune__base base;
    int i;
    if (!t) return;
    base = t->base;
    if (t->search) gputune__search_destroy(&base, t->search);
    if (t->journal) gputune__journal_close(t->journal, false);
    gputune__records_free(&base, t->records);
    gputune__arr_free(&base, t->past);
    gputune__arr_free(&base, t->trials);
    for (i = 0; i < gputune__len(t->reasons); i++) gputune__free(&base, t->reasons[i]);
    gputune__arr_free(&base, t->reasons);
    if (t->owns_space) gputune_space_destroy(t->space);
    if (t->owns_store && t->store) gputune__store_close(t->store);
    gputune__free(&base, t->name);
    gputune__free(&base, t->problem);
    gputune__free(&base, t->store_path);
    gputune__free(&base, t);
}

GPUTUNE_API const gputune_error *gputune_tuner_error(const gputune_tuner *t)
{
    return t ? &t->base.error : &gputune__no_memory;
}

GPUTUNE_API const gputune_space *gputune_tuner_space(const gputune_tuner *t)
{
    return t->space;
}

GPUTUNE_API int gputune_tuner_trial_count(const gputune_tuner *t)
{
    return gputune__len(t->trials);
}

GPUTUNE_API const gputune_trial *gputune_tuner_trial(const gputune_tuner *t, int trial)
{
    assert(trial >= 0 && trial < gputune__len(t->trials));
    return &t->trials[trial];
}

// Adds the parameters and restrictions of a description to a space.
static gputune_result gputune__space_describe(gputune_space *space, const gputune_param *params,
                                              const char *const *require)
{
    gputune_result result = GPUTUNE_OK;
    for (; params && params->name && result == GPUTUNE_OK; params++)
        result = gputune_space_param(space, params->name, params->values, params->value_default);
    for (; require && *require && result == GPUTUNE_OK; require++)
        result = gputune_space_require(space, *require);
    return result;
}

// Looks the answer up; *hint points to a start for the search when only something similar is
// known. True if the exact answer is in t->stored.
static bool gputune__tuner_look_up(gputune_tuner *t, gputune_config *hint, bool *has_hint)
{
    gputune__match match = GPUTUNE__MATCH_NONE;
    const gputune__entry *entry;
    char why[512] = "";
    *has_hint = false;
    if (!t->store || t->base.mode == GPUTUNE_MODE_FORCE) return false;
    entry = gputune__store_find(t->store, &t->key, &match, why, sizeof why);
    if (entry && gputune_config_parse(t->space, entry->config, hint)) {
        if (match == GPUTUNE__MATCH_EXACT && gputune__space_valid(t->space, hint)) {
            gputune__log(&t->base, GPUTUNE_LOG_INFO, "%s: known: %s", t->name, entry->config);
            t->stored = *hint;
            return true;
        }
        *has_hint = match != GPUTUNE__MATCH_EXACT;
    }
    gputune__log(&t->base, GPUTUNE_LOG_INFO, "%s: not in the store: %s", t->name,
                 *why ? why : "the stored configuration is not valid here");
    return false;
}

static gputune_result gputune__tuner_open_store(gputune_tuner *t, const gputune_options *options)
{
    gputune_result result;
    if (!t->name || t->base.mode == GPUTUNE_MODE_OFF) return GPUTUNE_OK;
    result = gputune__store_path(&t->base, options, &t->store_path, &t->base.error);
    if (result != GPUTUNE_OK || !t->store_path) return result;
    t->store = gputune__store_open(&t->base, t->store_path,
                                   t->base.mode == GPUTUNE_MODE_READONLY);
    t->owns_store = true;
    return t->store ? GPUTUNE_OK : gputune__oom(&t->base.error);
}

// Everything of gputune_tuner_create that can fail with a text.
static gputune_result gputune__tuner_set_up(gputune_tuner *t, const gputune_tuner_desc *desc)
{
    gputune_config hint;
    bool has_hint;
    gputune_result result = gputune__tuner_open_store(t, &desc->options);
    if (result != GPUTUNE_OK) return result;
    result = gputune__space_describe(t->space, desc->params, desc->require);
    if (result == GPUTUNE_OK) result = gputune_space_build(t->space);
    if (result != GPUTUNE_OK) {
        t->base.error = *gputune_space_error(t->space);
        return result;
    }
    gputune__processor_name(t->host.name, sizeof t->host.name);
    t->key.name = t->name;
    t->key.api = "ask";
    t->key.device = t->host.name;
    t->key.driver = "";
    t->key.space = gputune__space_hash(t->space);
    t->key.problem = t->problem ? t->problem : "";
    t->known = gputune__tuner_look_up(t, &hint, &has_hint);
    if (t->known) return GPUTUNE_OK;
    if (t->base.mode == GPUTUNE_MODE_OFF || t->base.mode == GPUTUNE_MODE_READONLY) {
        t->known = true;
        t->stored = gputune_space_default(t->space);
        return GPUTUNE_OK;
    }
    return gputune__tuner_start(t, desc->strategy, desc->seed, has_hint ? &hint : NULL,
                                t->store_path);
}

GPUTUNE_API gputune_tuner *gputune_tuner_create(const gputune_tuner_desc *desc)
{
    gputune__base base;
    gputune__isolated self;
    gputune_tuner *t;
    bool copied;
    gputune__base_init(&base, &desc->options);
    // A child that tunes one kernel takes all else as it is known.
    if (base.mode != GPUTUNE_MODE_OFF && gputune__isolated_find(&base, &self))
        base.mode = GPUTUNE_MODE_READONLY;
    t = gputune__tuner_new(&base);
    if (!t) return NULL;
    t->space = gputune_space_create(&desc->options);
    t->owns_space = true;
    t->budget = desc->budget;
    t->progress = desc->progress;
    t->progress_user = desc->progress_user;
    copied = t->space != NULL;
    if (desc->name) copied = copied && (t->name = gputune__strdup(&base, desc->name)) != NULL;
    if (desc->problem)
        copied = copied && (t->problem = gputune__strdup(&base, desc->problem)) != NULL;
    if (!copied) {
        gputune_tuner_destroy(t);
        return NULL;
    }
    if (gputune__tuner_set_up(t, desc) != GPUTUNE_OK) {
        t->broken = true;
        gputune__log(&t->base, GPUTUNE_LOG_ERROR, "%s", t->base.error.text);
    }
    return t;
}

// --- kernels: what is known of them ---

// One kernel function with its launch geometry compiled. Symbols are, in this order: the space's
// parameters, the arguments by name, the device's limits.
typedef struct gputune__target {
    const char *function;                // the kernel's copy
    const gputune__signature *signature; // NULL: unknown
    char *arg_names[GPUTUNE__MAX_ARGS];
    bool scalar[GPUTUNE__MAX_ARGS]; // a number, which expressions may use
    int arg_count;
    gputune__expr *global[3], *local[3];
    int dimensions, local_dimensions; // local_dimensions 0: the driver chooses
    gputune__expr *locals[GPUTUNE__MAX_LOCALS]; // sizes of local-memory arguments
    char *local_texts[GPUTUNE__MAX_LOCALS];
    int local_count;
} gputune__target;

// The arguments of one call in the kernel's own types.
typedef struct gputune__call {
    int count;
    gputune_bound_arg bound[GPUTUNE__MAX_ARGS];
    unsigned char bytes[GPUTUNE__MAX_ARGS][8];
    gputune_value scalars[GPUTUNE__MAX_ARGS]; // integers and reals; others are 0
    uint64_t part; // 0: the whole grid; else launch about so many of its work-items, whole groups
                   // of its beginning (the kernel must be `ranged`)
} gputune__call;

// What is known for one problem (bucket of sizes).
typedef struct gputune__problem {
    uint64_t hash;
    char *text;
    gputune_space *space;
    bool owns_space; // restrictions mention the arguments: a space of its own
    bool settled, tuned_again;
    gputune__variant ready; // code NULL: not compiled yet
    gputune__variant standard; // the default, once a size did not fit `ready`; likewise
    gputune_outcome outcome;
    char note[256];       // the outcome's, where it is made
    gputune_tuner *tuner; // of the last tuning, for its trials
} gputune__problem;

struct gputune_kernel {
    gputune__base base;
    gputune_device *device;
    char *name, *global, *local, *options, *problem_text, *reference, *reference_global,
        *reference_local, *objective;
    gputune_tune_desc tune;
    gputune__source source;
    bool has_source;
    gputune_param *params;         // of the description, deep copy
    char **require;
    char **command; // isolate_command, ends with NULL; NULL: none
    gputune_function *functions;
    gputune_select_fn select;      // kernels compiled ahead; NULL: none
    void *select_user;
    int selector;                  // parameter that names the function, -1: none
    gputune_space *space;
    uint64_t hash;                 // of the source and what else changes the code
    gputune__target **targets;
    gputune__problem **problems;
    gputune__problem *last;
    gputune_outcome none;          // outcome before anything ran
    gputune__expr *problem_exprs[GPUTUNE__MAX_ARGS];
    char *problem_names[GPUTUNE__MAX_ARGS];
    int problem_count;
    bool problem_compiled;
    char *text; // gputune_kernel_source's answer
    gputune__variant recent[8]; // of gputune_run_config: compiled once
    int recent_at;
    gputune_device **devices; // of gputune_tune_desc.devices
    gputune__ahead *ahead;    // while it is tuned, or NULL
    bool tuning;              // binaries of earlier runs are not looked for
    gputune_binary made;      // by the last compile that had to translate; else data NULL
    uint64_t made_hash;
    bool includes; // other files: a kept binary would not see them change
    double compile_seconds; // of the last compile: translating, here or elsewhere, and loading
    bool ranged; // for now every variant is compiled to do a part of its grid
};

static const char *const gputune__limit_names[] = {
#define GPUTUNE__X(name) #name,
    GPUTUNE_LIMITS(GPUTUNE__X)
#undef GPUTUNE__X
};

enum {
    GPUTUNE__LIMIT_COUNT = sizeof gputune__limit_names / sizeof gputune__limit_names[0],
    GPUTUNE__MAX_SYMBOLS = GPUTUNE_MAX_PARAMETERS + GPUTUNE__MAX_ARGS + GPUTUNE__LIMIT_COUNT
};

static gputune_value gputune__integer_value(int64_t i)
{
    gputune_value value;
    memset(&value, 0, sizeof value);
    value.kind = GPUTUNE_INTEGER;
    value.integer = i;
    value.real = (double)i;
    return value;
}

static void gputune__limit_values(const gputune_limits *limits, gputune_value *values)
{
    int i = 0;
#define GPUTUNE__X(name) values[i++] = gputune__integer_value(limits->name);
    GPUTUNE_LIMITS(GPUTUNE__X)
#undef GPUTUNE__X
}

// --- targets ---

static void gputune__target_free(const gputune__base *b, gputune__target *target)
{
    int i;
    for (i = 0; i < target->dimensions; i++) gputune__expr_free(b, target->global[i]);
    for (i = 0; i < target->local_dimensions; i++) gputune__expr_free(b, target->local[i]);
    for (i = 0; i < target->local_count; i++) {
        gputune__expr_free(b, target->locals[i]);
        gputune__free(b, target->local_texts[i]);
    }
    for (i = 0; i < target->arg_count; i++) gputune__free(b, target->arg_names[i]);
    gputune__free(b, target);
}

// The name an argument has in expressions; "" when it has none.
static const char *gputune__arg_name(const gputune__signature *signature, const gputune_arg *args,
                                     int i)
{
    const gputune__signature_arg *takes = gputune__signature_takes(signature, args, i);
    if (args[i].name) return args[i].name;
    return takes && takes->name ? takes->name : "";
}

// Buffers, structs and vectors have no value for an expression.
static bool gputune__arg_is_number(const gputune_arg *args, int i)
{
    return args[i].kind == GPUTUNE_ARG_SCALAR && args[i].type != GPUTUNE_BYTES;
}

// Fills names with the symbols that expressions of this target may use; returns how many.
static int gputune__target_symbols(const gputune_kernel *k, const gputune__target *target,
                                   const char **names)
{
    int count = 0, i;
    for (i = 0; i < gputune_space_param_count(k->space); i++)
        names[count++] = gputune_space_param_name(k->space, i);
    for (i = 0; i < target->arg_count; i++)
        names[count++] = target->scalar[i] ? target->arg_names[i] : "";
    for (i = 0; i < GPUTUNE__LIMIT_COUNT; i++) names[count++] = gputune__limit_names[i];
    return count;
}

static gputune_result gputune__target_compile(gputune_kernel *k, gputune__target *target,
                                              const char *global, const char *local)
{
    const char *names[GPUTUNE__MAX_SYMBOLS];
    int count = gputune__target_symbols(k, target, names);
    gputune_error *error = &k->base.error;
    gputune_result result;
    if (!global)
        return gputune__error(error, GPUTUNE_ERROR_ARGUMENT,
                              "kernel %s: how many work-items? Set gputune_kernel_desc.global or "
                              "write `#pragma gputune global` above it",
                              target->function);
    result = gputune__expr_compile_list(&k->base, global, names, count, target->global, 3,
                                        &target->dimensions, error);
    if (result == GPUTUNE_OK && local && *local)
        result = gputune__expr_compile_list(&k->base, local, names, count, target->local, 3,
                                            &target->local_dimensions, error);
    if (result == GPUTUNE_OK && target->local_dimensions &&
        target->local_dimensions != target->dimensions)
        return gputune__error(error, GPUTUNE_ERROR_ARGUMENT,
                              "kernel %s: global \"%s\" has %d dimensions, local \"%s\" has %d",
                              target->function, global, target->dimensions, local,
                              target->local_dimensions);
    return result;
}

static gputune_result gputune__target_locals(gputune_kernel *k, gputune__target *target,
                                             const gputune_arg *args, int count)
{
    const char *names[GPUTUNE__MAX_SYMBOLS];
    int symbols = gputune__target_symbols(k, target, names), i;
    for (i = 0; i < count; i++) {
        int n = target->local_count;
        gputune_result result;
        if (args[i].kind != GPUTUNE_ARG_LOCAL) continue;
        if (n == GPUTUNE__MAX_LOCALS)
            return gputune__error(&k->base.error, GPUTUNE_ERROR_ARGUMENT,
                                  "kernel %s: more than %d local-memory arguments",
                                  target->function, GPUTUNE__MAX_LOCALS);
        result = gputune__expr_compile(&k->base, args[i].expression, names, symbols,
                                       &target->locals[n], &k->base.error);
        if (result != GPUTUNE_OK) return result;
        target->local_count++;
        target->local_texts[n] = gputune__strdup(&k->base, args[i].expression);
        if (!target->local_texts[n]) return gputune__oom(&k->base.error);
    }
    return GPUTUNE_OK;
}

// Was the target compiled for arguments of these names and local sizes?
static bool gputune__target_fits(const gputune__target *target, const gputune_arg *args, int count)
{
    int i, locals = 0;
    if (target->arg_count != count) return false;
    for (i = 0; i < count; i++) {
        const char *name = gputune__arg_name(target->signature, args, i);
        if (strcmp(name, target->arg_names[i]) != 0) return false;
        if (target->scalar[i] != gputune__arg_is_number(args, i)) return false;
        if (args[i].kind != GPUTUNE_ARG_LOCAL) continue;
        if (locals == target->local_count ||
            strcmp(args[i].expression, target->local_texts[locals++]) != 0)
            return false;
    }
    return locals == target->local_count;
}

static gputune_result gputune__target_fill(gputune_kernel *k, gputune__target *target,
                                           const gputune_arg *args, int count, const char *global,
                                           const char *local)
{
    const gputune__signature *s = target->signature;
    gputune_result result;
    int i;
    for (i = 0; i < count; i++) {
        target->arg_names[i] = gputune__strdup(&k->base, gputune__arg_name(s, args, i));
        if (!target->arg_names[i]) return gputune__oom(&k->base.error);
        target->scalar[i] = gputune__arg_is_number(args, i);
        target->arg_count++;
    }
    if (!global) global = k->global ? k->global : s ? s->global : NULL;
    if (!local) local = k->local ? k->local : s ? s->local : NULL;
    result = gputune__target_compile(k, target, global, local);
    return result == GPUTUNE_OK ? gputune__target_locals(k, target, args, count) : result;
}

// A new target; global and local NULL: the kernel's own.
static gputune__target *gputune__target_new(gputune_kernel *k, const char *function,
                                            const gputune_arg *args, int count, const char *global,
                                            const char *local)
{
    gputune__target *target = (gputune__target *)gputune__alloc(&k->base, 1, sizeof *target);
    if (!target) {
        gputune__oom(&k->base.error);
        return NULL;
    }
    target->function = function;
    if (k->has_source) target->signature = gputune__source_find(&k->source, function);
    if (gputune__target_fill(k, target, args, count, global, local) == GPUTUNE_OK) return target;
    gputune__target_free(&k->base, target);
    return NULL;
}

// Every parameter's own default; the restrictions may forbid it.
static gputune_config gputune__space_defaults(const gputune_space *space)
{
    gputune_config config;
    gputune_config_parse(space, "", &config);
    return config;
}

// The default configuration without building the space where that is not needed.
static gputune_config gputune__space_standard(gputune_space *space)
{
    gputune_config config = gputune__space_defaults(space);
    if (gputune__space_valid(space, &config)) return config;
    return gputune_space_build(space) == GPUTUNE_OK ? gputune_space_default(space) : config;
}

// The kernel function a configuration selects.
static const char *gputune__kernel_function(const gputune_kernel *k, const gputune_config *config)
{
    if (k->selector < 0) return k->name;
    return gputune_space_value(config->space, k->selector, config->choice[k->selector]).name;
}

// The target of a configuration; compiled at the first use. NULL and k's error on failure.
static gputune__target *gputune__kernel_target(gputune_kernel *k, const gputune_config *config,
                                               const gputune_arg *args, int count)
{
    const char *function = gputune__kernel_function(k, config);
    gputune__target *target;
    int i;
    for (i = 0; i < gputune__len(k->targets); i++)
        if (strcmp(k->targets[i]->function, function) == 0) {
            if (gputune__target_fits(k->targets[i], args, count)) return k->targets[i];
            gputune__target_free(&k->base, k->targets[i]);
            (void)stbds_arrdelswap(k->targets, i);
            break;
        }
    target = gputune__target_new(k, function, args, count, NULL, NULL);
    if (target && !gputune__push(&k->base, k->targets, target)) {
        gputune__target_free(&k->base, target);
        gputune__oom(&k->base.error);
        return NULL;
    }
    return target;
}

// --- binding arguments ---

// As C converts arithmetic arguments, but refusing what would change the value.
static bool gputune__convert(gputune_arg *arg, gputune_type to)
{
    static const int64_t least[] = { 0, INT8_MIN, 0, INT16_MIN, 0, INT32_MIN, 0, INT64_MIN, 0 };
    static const int64_t most[] = { 0,         INT8_MAX,   UINT8_MAX, INT16_MAX, UINT16_MAX,
                                    INT32_MAX, UINT32_MAX, INT64_MAX, INT64_MAX };
    gputune_type from = arg->type;
    arg->type = to;
    arg->bytes = gputune__type_bytes(to);
    if (from == to) return true;
    if (gputune__type_is_real(to)) {
        if (!gputune__type_is_real(from))
            arg->value.d = from == GPUTUNE_UINT64 ? (double)(uint64_t)arg->value.i
                                                  : (double)arg->value.i;
        return true;
    }
    if (gputune__type_is_real(from)) return false;
    if (from == GPUTUNE_UINT64 && arg->value.i < 0) return false;
    return arg->value.i >= least[to] && arg->value.i <= most[to];
}

static gputune_result gputune__bind_error(gputune_error *error, const gputune__target *target,
                                          int i, const char *takes, const char *given)
{
    return gputune__error(error, GPUTUNE_ERROR_ARGUMENT,
                          "kernel %s: argument %d (%s) is %s in the kernel, %s given",
                          target->function, i, *target->arg_names[i] ? target->arg_names[i] : "?",
                          takes, given);
}

static gputune_result gputune__bind_scalar(const gputune__target *target,
                                           const gputune__signature_arg *takes, gputune_arg *arg,
                                           int i, gputune__call *call, gputune_error *error)
{
    gputune_bound_arg *bound = &call->bound[i];
    char given[64];
    if (takes && takes->pointer)
        return gputune__bind_error(error, target, i, "a pointer", "a scalar");
    if (takes && takes->elements == 1 && takes->type != GPUTUNE_BYTES) {
        snprintf(given, sizeof given, "%s of another size or value",
                 gputune__type_name(arg->type));
        if (arg->type == GPUTUNE_BYTES ? arg->bytes != gputune__type_bytes(takes->type)
                                       : !gputune__convert(arg, takes->type))
            return gputune__bind_error(error, target, i, gputune__type_name(takes->type), given);
    } else if (takes && takes->elements > 1) {
        bool padded = takes->elements == 3 && !target->signature->cuda;
        size_t wide = padded ? 4 : (size_t)takes->elements;
        snprintf(given, sizeof given, "%zu bytes", arg->bytes);
        if (arg->bytes != wide * gputune__type_bytes(takes->type))
            return gputune__bind_error(error, target, i, "a vector", given);
    }
    bound->bytes = arg->bytes;
    bound->data = arg->type == GPUTUNE_BYTES ? arg->value.data : call->bytes[i];
    if (arg->type == GPUTUNE_BYTES) return GPUTUNE_OK;
    gputune__scalar_bytes(arg, call->bytes[i]);
    call->scalars[i] = gputune__integer_value(arg->value.i);
    if (gputune__type_is_real(arg->type)) {
        call->scalars[i].kind = GPUTUNE_REAL;
        call->scalars[i].real = arg->value.d;
    }
    return GPUTUNE_OK;
}

// Checks the arguments against the signature and converts them to the kernel's types.
static gputune_result gputune__call_bind(const gputune__target *target, const gputune_arg *args,
                                         int count, gputune__call *call, gputune_error *error)
{
    const gputune__signature *s = target->signature;
    int i, given = count; // of those that have a parameter
    for (i = 0; i < count; i++) given -= gputune__signature_position(s, args, i) < 0;
    if (s && s->known && gputune__len(s->args) != given)
        return gputune__error(error, GPUTUNE_ERROR_ARGUMENT,
                              "kernel %s takes %d arguments, %d given", target->function,
                              gputune__len(s->args), given);
    call->count = count;
    for (i = 0; i < count; i++) {
        const gputune__signature_arg *takes = gputune__signature_takes(s, args, i);
        gputune_arg arg = args[i];
        gputune_result result;
        memset(&call->bound[i], 0, sizeof call->bound[i]);
        call->scalars[i] = gputune__integer_value(0);
        call->bound[i].kind = arg.kind;
        call->bound[i].bytes = arg.bytes;
        call->bound[i].handle = arg.buffer;
        if (arg.kind == GPUTUNE_ARG_SCALAR) {
            result = gputune__bind_scalar(target, takes, &arg, i, call, error);
            if (result != GPUTUNE_OK) return result;
        } else if (takes && !takes->pointer) {
            return gputune__bind_error(error, target, i, "a scalar", "a buffer");
        } else if (takes && takes->local != (arg.kind == GPUTUNE_ARG_LOCAL)) {
            return gputune__bind_error(error, target, i, takes->local ? "local memory" : "a buffer",
                                       takes->local ? "a buffer" : "local memory");
        } else if (takes && takes->constant &&
                   (arg.kind == GPUTUNE_ARG_OUT || arg.kind == GPUTUNE_ARG_INOUT)) {
            return gputune__bind_error(error, target, i, "a pointer to const", "an output");
        }
    }
    return GPUTUNE_OK;
}

static void gputune__call_values(const gputune_kernel *k, const gputune_config *config,
                                 const gputune__call *call, gputune_value *values)
{
    int params = gputune_space_param_count(k->space), i;
    for (i = 0; i < params; i++)
        values[i] = config ? gputune_space_value(config->space, i, config->choice[i])
                           : gputune__integer_value(0);
    memcpy(values + params, call->scalars, (size_t)call->count * sizeof *values);
    gputune__limit_values(&k->device->limits, values + params + call->count);
}

// --- launch geometry ---

static gputune_result gputune__size_of_expr(const gputune__expr *expr, const gputune_value *values,
                                            const char *what, int64_t least, size_t *size,
                                            gputune_error *error)
{
    gputune_value value = gputune__integer_value(0);
    gputune_result result = gputune__expr_eval(expr, values, &value, error);
    if (result != GPUTUNE_OK) return result;
    if (value.kind == GPUTUNE_REAL) value.integer = (int64_t)ceil(value.real);
    if (value.kind == GPUTUNE_NAME || value.integer < least)
        return gputune__error(error, GPUTUNE_ERROR_LAUNCH, "%s size %lld", what,
                              (long long)value.integer);
    *size = (size_t)value.integer;
    return GPUTUNE_OK;
}

static gputune_result gputune__check_group(const gputune_kernel *k, const gputune__variant *v,
                                           gputune_error *error)
{
    const gputune_limits *l = &k->device->limits;
    int64_t by_dimension[3], most = l->max_group_size;
    size_t total = 1, limit = 0;
    int d;
    by_dimension[0] = l->max_group_x;
    by_dimension[1] = l->max_group_y;
    by_dimension[2] = l->max_group_z;
    if (v->code && k->device->driver.group_limit)
        limit = k->device->driver.group_limit(k->device->self, v->code);
    if (limit && (!most || (int64_t)limit < most)) most = (int64_t)limit;
    for (d = 0; d < v->dimensions; d++) {
        if (!v->local[d]) return GPUTUNE_OK;
        if (by_dimension[d] && v->local[d] > (size_t)by_dimension[d])
            return gputune__error(error, GPUTUNE_ERROR_RESOURCES,
                                  "a work-group of %zu in dimension %d; the device allows %lld",
                                  v->local[d], d, (long long)by_dimension[d]);
        total *= v->local[d];
    }
    if (most && total > (size_t)most)
        return gputune__error(error, GPUTUNE_ERROR_RESOURCES,
                              "a work-group of %zu work-items; the %s allows %lld", total,
                              limit ? "compiled kernel" : "device", (long long)most);
    return GPUTUNE_OK;
}

// Sizes of the launch for these arguments; global is rounded up to a multiple of local.
static gputune_result gputune__variant_shape(const gputune_kernel *k, const gputune__target *target,
                                             const gputune__call *call, gputune__variant *v,
                                             gputune_error *error)
{
    gputune_value values[GPUTUNE__MAX_SYMBOLS];
    gputune_result result = GPUTUNE_OK;
    size_t local_memory = 0;
    int64_t most = k->device->limits.local_memory;
    int d, i;
    if (k->device->limits.optin_local_memory > most) most = k->device->limits.optin_local_memory;
    gputune__call_values(k, &v->config, call, values);
    v->dimensions = target->dimensions;
    for (d = 0; d < target->dimensions && result == GPUTUNE_OK; d++) {
        result =
            gputune__size_of_expr(target->global[d], values, "global", 0, &v->global[d], error);
        v->local[d] = 0;
        if (result != GPUTUNE_OK || !target->local_dimensions) continue;
        result = gputune__size_of_expr(target->local[d], values, "local", 1, &v->local[d], error);
        if (result == GPUTUNE_OK)
            v->global[d] = (v->global[d] + v->local[d] - 1) / v->local[d] * v->local[d];
    }
    for (i = 0; i < target->local_count && result == GPUTUNE_OK; i++) {
        result = gputune__size_of_expr(target->locals[i], values, "local memory", 0,
                                       &v->local_bytes[i], error);
        if (!v->local_bytes[i]) v->local_bytes[i] = 1; // OpenCL has no empty local memory
        local_memory += v->local_bytes[i];
    }
    if (result != GPUTUNE_OK) return result;
    if (most && local_memory > (size_t)most)
        return gputune__error(error, GPUTUNE_ERROR_RESOURCES,
                              "%zu bytes of local memory; the device has %lld", local_memory,
                              (long long)most);
    return gputune__check_group(k, v, error);
}

static bool gputune__variant_empty(const gputune__variant *v)
{
    int d;
    for (d = 0; d < v->dimensions; d++)
        if (v->global[d] == 0) return true;
    return false;
}

// --- compiling ---

static const gputune_function *gputune__kernel_find_function(const gputune_kernel *k,
                                                             const char *name)
{
    int i;
    for (i = 0; i < gputune__len(k->functions); i++)
        if (strcmp(k->functions[i].name, name) == 0) return &k->functions[i];
    return NULL;
}

// The text that the compiler gets: the configuration's values in it and, where the driver compiles
// CUDA C and the source is OpenCL C, converted. Freed by the caller also on failure.
static gputune_result gputune__kernel_text(const gputune_kernel *k, const gputune_config *config,
                                           char **text, bool *converted, gputune_error *error)
{
    char *plain = NULL;
    gputune_result result = gputune__source_inject(&k->base, &k->source, config, text, error);
    *converted = k->device->driver.prelude && gputune__source_is_opencl(&k->source);
    if (result != GPUTUNE_OK || !*converted) return result;
    plain = *text;
    *text = NULL;
    result = gputune__source_to_cuda(&k->base, plain, k->device->driver.prelude, text, error);
    gputune__arr_free(&k->base, plain);
    return result;
}

// What the driver gets; text is freed by the caller, also on failure.
static gputune_result gputune__kernel_build(gputune_kernel *k, const char *function,
                                            const gputune_config *config, gputune_build *build,
                                            char **text, gputune_error *error)
{
    const gputune_function *host = gputune__kernel_find_function(k, function);
    gputune_result result = GPUTUNE_OK;
    memset(build, 0, sizeof *build);
    *text = NULL;
    if (k->select && !(build->selected = k->select(k->select_user, config)))
        return gputune__error(error, GPUTUNE_ERROR_COMPILE,
                              "kernel %s: the program has none for this configuration", function);
    if (k->has_source) result = gputune__kernel_text(k, config, text, &build->converted, error);
    build->source = *text;
    build->name = function;
    build->options = k->options ? k->options : "";
    build->function = host ? host->function : NULL;
    build->function_user = host ? host->user : NULL;
    build->config = config;
    return result;
}

// Of everything that a binary depends on. In the names of files: never change it but with
// GPUTUNE__BINARY_HEADER.
static uint64_t gputune__build_hash(const gputune_kernel *k, const gputune_build *build)
{
    const gputune_driver *d = &k->device->driver;
    char text[4096];
    uint64_t hash = gputune__hash_text(GPUTUNE_VERSION, build->converted ? 1 : 0);
    hash = gputune__hash_text(d->api, hash);
    hash = gputune__hash_text(d->translator, hash);
    hash = gputune__hash_text(build->options, hash);
    hash = gputune__hash_text(build->name, hash);
    if (build->source) return gputune__hash_text(build->source, hash);
    return gputune__hash_text(gputune_config_text(build->config, text, sizeof text),
                              gputune__mix(hash ^ k->hash));
}

static void gputune__kernel_drop_made(gputune_kernel *k)
{
    gputune__free(&k->base, k->made.data);
    memset(&k->made, 0, sizeof k->made);
}

// May the folder with the binaries be used?
static bool gputune__kernel_keeps(gputune_kernel *k)
{
    gputune_device *device = k->device;
    if (!device->binaries_shut && !gputune__binaries_private(&k->base, device->store_path))
        device->binaries_shut = true;
    return !device->binaries_shut;
}

// Loads what an earlier run translated. False when there is nothing, or nothing that serves: what
// the driver refuses is removed. *result says how it went if true.
static bool gputune__kernel_load_kept(gputune_kernel *k, gputune_build *build, void **code,
                                      gputune_result *result, gputune_error *error)
{
    const char *store = k->device->store_path;
    gputune_binary kept;
    if (k->tuning || k->includes || !store || k->base.mode == GPUTUNE_MODE_FORCE) return false;
    if (!gputune__kernel_keeps(k)) return false;
    if (!gputune__binary_read(&k->base, store, k->made_hash, &kept)) return false;
    build->binary = &kept;
    *result = k->device->driver.compile(k->device->self, build, code, error);
    build->binary = NULL;
    gputune__free(&k->base, kept.data);
    if (*result == GPUTUNE_OK || *result == GPUTUNE_ERROR_DEVICE_LOST ||
        gputune__blames_world(*result))
        return true;
    gputune__log(&k->base, GPUTUNE_LOG_INFO, "%s: a kept binary does not load: compiling anew: %s",
                 build->name, error->text);
    if (k->base.mode != GPUTUNE_MODE_READONLY)
        gputune__binary_remove(&k->base, store, k->made_hash);
    return false;
}

// Compiles, in two steps where the driver has them: the first may have been done ahead or in an
// earlier run.
static gputune_result gputune__kernel_load(gputune_kernel *k, gputune_build *build, void **code,
                                           gputune_error *error)
{
    const gputune_driver *d = &k->device->driver;
    double begin = gputune__device_now(k->device);
    gputune_result result;
    gputune__kernel_drop_made(k);
    k->compile_seconds = 0;
    if (!d->translate || build->selected || (d->takes_source && !build->source)) {
        result = d->compile(k->device->self, build, code, error);
        k->compile_seconds = gputune__device_now(k->device) - begin;
        return result;
    }
    k->made_hash = gputune__build_hash(k, build);
    if (gputune__kernel_load_kept(k, build, code, &result, error)) return result;
    if (!k->ahead || !gputune__ahead_take(k->ahead, build, &result, &k->made, error))
        result = gputune__translate(d, k->device->self, build, &k->made, error);
    begin = gputune__device_now(k->device);
    build->binary = &k->made;
    if (result == GPUTUNE_OK) result = d->compile(k->device->self, build, code, error);
    build->binary = NULL;
    k->compile_seconds = k->made.seconds + gputune__device_now(k->device) - begin;
    if (result != GPUTUNE_OK) gputune__kernel_drop_made(k);
    return result;
}

static gputune_result gputune__kernel_compile(gputune_kernel *k, const char *function,
                                              const gputune_config *config, void **code,
                                              gputune_error *error)
{
    gputune_build build;
    char *text;
    gputune_result result = gputune__kernel_build(k, function, config, &build, &text, error);
    *code = NULL;
    if (result == GPUTUNE_OK) result = gputune__kernel_load(k, &build, code, error);
    gputune__arr_free(&k->base, text);
    return result;
}

static void gputune__variant_drop_binary(gputune_kernel *k, gputune__variant *v)
{
    gputune__free(&k->base, v->binary.data);
    memset(&v->binary, 0, sizeof v->binary);
}

static void gputune__variant_discard(gputune_kernel *k, gputune__variant *v)
{
    if (v->code) k->device->driver.discard(k->device->self, v->code);
    v->code = NULL;
    gputune__variant_drop_binary(k, v);
}

// Discards what was launched for the program and may still run: not every driver's unloading waits
// for that. A device that is lost runs nothing.
static void gputune__variant_retire(gputune_kernel *k, gputune__variant *v)
{
    gputune_error error;
    if (v->code) k->device->driver.wait(k->device->self, &error);
    gputune__variant_discard(k, v);
}

// Compiles the variant's configuration; its binary, if one was made, comes with it.
static gputune_result gputune__variant_compile(gputune_kernel *k, const char *function,
                                               gputune__variant *v, gputune_error *error)
{
    gputune_result result = gputune__kernel_compile(k, function, &v->config, &v->code, error);
    gputune__variant_drop_binary(k, v);
    if (result != GPUTUNE_OK) return result;
    v->binary = k->made;
    v->binary_hash = k->made_hash;
    k->made.data = NULL;
    return result;
}

// Writes the binary of a winner, or of what was launched for real, beside the store, once.
static void gputune__variant_keep_binary(gputune_kernel *k, gputune__variant *v)
{
    gputune_device *device = k->device;
    bool writes = k->base.mode == GPUTUNE_MODE_ON || k->base.mode == GPUTUNE_MODE_FORCE;
    gputune_error error;
    if (!v->binary.data) return;
    if (writes && !k->includes && device->store_path && !device->binaries_failed &&
        gputune__kernel_keeps(k) &&
        gputune__binary_write(&k->base, device->store_path, v->binary_hash, &v->binary, &error) !=
            GPUTUNE_OK) {
        device->binaries_failed = error.result != GPUTUNE_ERROR_LOCKED;
        gputune__log(&k->base, GPUTUNE_LOG_WARN, "%s: its binary is not kept: %s", k->name,
                     error.text);
    }
    gputune__variant_drop_binary(k, v);
}

// Compiles a configuration and works out its launch.
static gputune_result gputune__variant_make(gputune_kernel *k, const gputune__target *target,
                                            const gputune_config *config, const gputune__call *call,
                                            gputune__variant *v, gputune_error *error)
{
    gputune_result result;
    memset(v, 0, sizeof *v);
    v->config = *config;
    result = gputune__variant_shape(k, target, call, v, error);
    if (result == GPUTUNE_OK) result = gputune__variant_compile(k, target->function, v, error);
    if (result == GPUTUNE_OK) result = gputune__check_group(k, v, error);
    if (result != GPUTUNE_OK) gputune__variant_discard(k, v);
    return result;
}

// --- problems ---

typedef struct gputune__key_part {
    const char *name;
    int64_t value; // of a real number: its bits
    bool exact, is_real;
    double real;
} gputune__key_part;

// Exponent of the power of two that n > 1 is rounded up to.
static int gputune__bucket(int64_t n)
{
    int exponent = 0;
    uint64_t power = 1;
    while (power < (uint64_t)n) {
        power *= 2;
        exponent++;
    }
    return exponent;
}

static gputune_result gputune__kernel_compile_problem(gputune_kernel *k,
                                                      const gputune__target *target)
{
    const char *names[GPUTUNE__MAX_SYMBOLS];
    int count = gputune__target_symbols(k, target, names), i, params;
    const char *at = k->problem_text;
    gputune_result result = gputune__expr_compile_list(&k->base, at, names, count, k->problem_exprs,
                                                       GPUTUNE__MAX_ARGS, &k->problem_count,
                                                       &k->base.error);
    if (result != GPUTUNE_OK) return result;
    params = gputune_space_param_count(k->space);
    for (i = 0; i < k->problem_count; i++) {
        const char *end = at;
        int depth = 0, j;
        while (*end && (depth || *end != ',')) depth += (*end == '(') - (*end == ')'), end++;
        k->problem_names[i] = gputune__strndup(&k->base, at, (size_t)(end - at));
        if (!k->problem_names[i]) return gputune__oom(&k->base.error);
        for (j = 0, at = k->problem_names[i]; *at; at++) // words of the key have no blanks
            if (*at > ' ') k->problem_names[i][j++] = *at;
        k->problem_names[i][j] = 0;
        for (j = 0; j < params; j++)
            if (gputune__expr_uses(k->problem_exprs[i], j))
                return gputune__error(&k->base.error, GPUTUNE_ERROR_ARGUMENT,
                                      "problem \"%s\" depends on the parameter %s",
                                      k->problem_text, names[j]);
        at = *end ? end + 1 : end;
    }
    k->problem_compiled = true;
    return GPUTUNE_OK;
}

// What makes this call's problem: the program's expressions, else every integer argument, else
// the sizes of the buffers. Arguments that restrictions mention always count exactly, because the
// valid configurations depend on them.
static gputune_result gputune__problem_parts(gputune_kernel *k, const gputune__target *target,
                                             const gputune__call *call, gputune__key_part *parts,
                                             int *count)
{
    gputune_value values[GPUTUNE__MAX_SYMBOLS], value;
    int i, n = 0;
    for (i = 0; i < 2 * GPUTUNE__MAX_ARGS; i++) parts[i].is_real = false;
    if (k->problem_text) {
        value = gputune__integer_value(0);
        gputune__call_values(k, NULL, call, values);
        for (i = 0; i < k->problem_count; i++) {
            gputune_result result = gputune__expr_eval(k->problem_exprs[i], values, &value,
                                                       &k->base.error);
            if (result != GPUTUNE_OK) return result;
            if (value.kind == GPUTUNE_REAL) value.integer = (int64_t)ceil(value.real);
            parts[n].name = k->problem_names[i];
            parts[n].exact = k->tune.exact;
            parts[n++].value = value.integer;
        }
    }
    for (i = 0; i < call->count; i++) {
        bool is_real = call->scalars[i].kind == GPUTUNE_REAL, mentioned;
        if (!target->scalar[i] || !*target->arg_names[i]) continue;
        mentioned = gputune__space_uses(k->space, target->arg_names[i]);
        if ((k->problem_text || is_real) && !mentioned) continue;
        parts[n].is_real = is_real;
        parts[n].real = call->scalars[i].real;
        parts[n].name = target->arg_names[i];
        parts[n].exact = k->tune.exact || mentioned;
        parts[n].value = call->scalars[i].integer;
        if (is_real) memcpy(&parts[n].value, &parts[n].real, sizeof parts[n].value);
        n++;
    }
    for (i = 0; i < call->count && !n; i++)
        if (call->bound[i].handle) {
            parts[n].name = "bytes";
            parts[n].exact = k->tune.exact;
            parts[n++].value = (int64_t)call->bound[i].bytes;
        }
    *count = n;
    return GPUTUNE_OK;
}

static uint64_t gputune__problem_hash(const gputune__key_part *parts, int count)
{
    uint64_t hash = 0;
    int i;
    for (i = 0; i < count; i++) {
        bool exact = parts[i].exact || parts[i].is_real || parts[i].value <= 1;
        uint64_t value =
            exact ? (uint64_t)parts[i].value : (uint64_t)gputune__bucket(parts[i].value);
        hash = gputune__mix(hash ^ gputune__mix(value * 2 + exact + (uint64_t)i));
    }
    return hash;
}

static bool gputune__problem_write(const gputune__base *b, const gputune__key_part *parts,
                                   int count, char **text)
{
    int i;
    bool ok = gputune__text_put(b, text, "", 0);
    for (i = 0; i < count && ok; i++) {
        const char *gap = i ? " " : "";
        if (parts[i].is_real)
            ok = gputune__text_add(b, text, "%s%s=%.17g", gap, parts[i].name, parts[i].real);
        else if (parts[i].exact || parts[i].value <= 1)
            ok = gputune__text_add(b, text, "%s%s=%lld", gap, parts[i].name,
                                   (long long)parts[i].value);
        else
            ok = gputune__text_add(b, text, "%s%s=2^%d", gap, parts[i].name,
                                   gputune__bucket(parts[i].value));
    }
    return ok;
}

// The kernel's space as the annotations and the description have it, with the device's limits.
static gputune_space *gputune__kernel_make_space(gputune_kernel *k)
{
    gputune_options options;
    gputune_space *space;
    gputune_value limits[GPUTUNE__LIMIT_COUNT];
    gputune_result result = GPUTUNE_OK;
    int i;
    memset(&options, 0, sizeof options);
    options.allocator = k->base.allocator;
    space = gputune_space_create(&options);
    if (!space) {
        gputune__oom(&k->base.error);
        return NULL;
    }
    for (i = 0; i < gputune__len(k->source.params) && result == GPUTUNE_OK; i++)
        result = gputune_space_param(space, k->source.params[i].name, k->source.params[i].values,
                                     k->source.params[i].value_default);
    for (i = 0; i < gputune__len(k->params) && result == GPUTUNE_OK; i++)
        result = gputune_space_param(space, k->params[i].name, k->params[i].values,
                                     k->params[i].value_default);
    for (i = 0; i < gputune__len(k->source.require) && result == GPUTUNE_OK; i++)
        result = gputune_space_require(space, k->source.require[i]);
    for (i = 0; i < gputune__len(k->require) && result == GPUTUNE_OK; i++)
        result = gputune_space_require(space, k->require[i]);
    gputune__limit_values(&k->device->limits, limits);
    for (i = 0; i < GPUTUNE__LIMIT_COUNT && result == GPUTUNE_OK; i++)
        result = gputune_space_symbol(space, gputune__limit_names[i], limits[i].real);
    if (result == GPUTUNE_OK) return space;
    k->base.error = *gputune_space_error(space);
    gputune_space_destroy(space);
    return NULL;
}

// Gives the problem its space: the kernel's or, if restrictions mention arguments, its own.
static gputune_result gputune__problem_space(gputune_kernel *k, gputune__problem *p,
                                             const gputune__target *target,
                                             const gputune__call *call)
{
    gputune_result result = GPUTUNE_OK;
    int i;
    p->space = k->space;
    for (i = 0; i < call->count && result == GPUTUNE_OK; i++) {
        const char *name = target->arg_names[i];
        if (!*name || call->bound[i].kind != GPUTUNE_ARG_SCALAR) continue;
        if (!gputune__space_uses(k->space, name)) continue;
        if (!p->owns_space) {
            p->space = gputune__kernel_make_space(k);
            if (!p->space) return k->base.error.result;
            p->owns_space = true;
        }
        result = gputune_space_symbol(p->space, name, call->scalars[i].real);
    }
    if (result != GPUTUNE_OK) k->base.error = *gputune_space_error(p->space);
    return result;
}

static void gputune__problem_free(gputune_kernel *k, gputune__problem *p)
{
    gputune__variant_discard(k, &p->ready);
    gputune__variant_discard(k, &p->standard);
    gputune_tuner_destroy(p->tuner);
    if (p->owns_space) gputune_space_destroy(p->space);
    gputune__arr_free(&k->base, p->text);
    gputune__free(&k->base, p);
}

static gputune__problem *gputune__problem_new(gputune_kernel *k, const gputune__target *target,
                                              const gputune__call *call, uint64_t hash,
                                              const gputune__key_part *parts, int count)
{
    gputune__problem *p = (gputune__problem *)gputune__alloc(&k->base, 1, sizeof *p);
    gputune_result result;
    if (!p) {
        gputune__oom(&k->base.error);
        return NULL;
    }
    p->hash = hash;
    if (!gputune__problem_write(&k->base, parts, count, &p->text))
        result = gputune__oom(&k->base.error);
    else
        result = gputune__problem_space(k, p, target, call);
    if (result == GPUTUNE_OK && !gputune__push(&k->base, k->problems, p))
        result = gputune__oom(&k->base.error);
    if (result != GPUTUNE_OK) {
        gputune__problem_free(k, p);
        return NULL;
    }
    p->outcome.problem = p->text;
    p->outcome.speedup = 1;
    p->outcome.note = "";
    return p;
}

// The problem of this call, made at its first sight. NULL and k's error on failure.
static gputune__problem *gputune__kernel_problem(gputune_kernel *k, const gputune__target *target,
                                                 const gputune__call *call)
{
    gputune__key_part parts[2 * GPUTUNE__MAX_ARGS];
    uint64_t hash;
    int count, i;
    if (k->problem_text && !k->problem_compiled &&
        gputune__kernel_compile_problem(k, target) != GPUTUNE_OK)
        return NULL;
    if (gputune__problem_parts(k, target, call, parts, &count) != GPUTUNE_OK) return NULL;
    hash = gputune__problem_hash(parts, count);
    for (i = 0; i < gputune__len(k->problems); i++)
        if (k->problems[i]->hash == hash) return k->problems[i];
    return gputune__problem_new(k, target, call, hash, parts, count);
}

// --- one tuning ---

enum {
    GPUTUNE__RACERS = 8,        // of the final race, the default included
    GPUTUNE__SENTINEL_EVERY = 16 // trials between two looks at the default
};

// A trial's median of three may be off by this much; what is further behind the best stays out of
// the race.
static const double gputune__race_margin = 0.15;

typedef struct gputune__session {
    gputune_kernel *k;
    gputune__problem *p;
    const gputune_arg *args;
    int arg_count;
    gputune__call call;
    gputune__work work;
    gputune_tuner *tuner;
    gputune__variant standard;        // the default, compiled
    gputune_stats standard_stats;
    gputune__variant cache[2 * GPUTUNE__RACERS]; // the best so far, compiled, best first; then
    double cache_value[2 * GPUTUNE__RACERS];     // those that the race had compiled again
    int cached;
    bool has_reference;
    bool foresees;                // has tried to start threads that compile ahead
    const gputune_config **asked; // of several devices: asked of the search and not begun
    int asked_count;
    double drift; // largest relative change of the sentinel
    gputune__expr *objective; // NULL: time
    bool needs_energy, needs_usage; // the objective uses them
    double renewing;                // joules of renewing content for a launch; < 0: unknown
} gputune__session;

// What an objective may be made of, in the order of gputune__session_judge's values.
static const char *const gputune__metric_names[] = { "time",        "energy",      "power",
                                                     "registers",   "spill_bytes", "local_bytes",
                                                     "occupancy" };

enum { GPUTUNE__METRICS = sizeof gputune__metric_names / sizeof gputune__metric_names[0] };

static gputune__target *gputune__session_target(gputune__session *s, const gputune_config *config)
{
    return gputune__kernel_target(s->k, config, s->args, s->arg_count);
}

// Compiles a configuration for trials; its scalars are bound for its own kernel function, since
// functions that a parameter selects among may have other signatures.
static gputune_result gputune__session_make(gputune__session *s, const gputune__target *target,
                                            const gputune_config *config, gputune__variant *v,
                                            gputune_error *error)
{
    gputune__call call;
    gputune_result result;
    int i;
    s->k->compile_seconds = 0;
    memset(v, 0, sizeof *v);
    if (!target) {
        *error = s->k->base.error;
        return error->result;
    }
    result = gputune__call_bind(target, s->args, s->arg_count, &call, error);
    if (result == GPUTUNE_OK)
        result = gputune__variant_make(s->k, target, config, &call, v, error);
    for (i = 0; i < s->arg_count && result == GPUTUNE_OK; i++) {
        if (call.bound[i].kind != GPUTUNE_ARG_SCALAR || call.bound[i].data != call.bytes[i])
            continue;
        memcpy(v->scalars[i], call.bytes[i], call.bound[i].bytes);
        v->scalar_bytes[i] = (unsigned char)call.bound[i].bytes;
    }
    return result;
}

// Compiles the objective, and makes sure that the device can tell what it is made of. Metrics come
// first: an argument of the same name is hidden.
static gputune_result gputune__session_objective(gputune__session *s,
                                                 const gputune__target *target)
{
    const char *names[(int)GPUTUNE__METRICS + GPUTUNE__MAX_SYMBOLS];
    gputune_kernel *k = s->k;
    const gputune_driver *driver = &k->device->driver;
    double joules;
    int count = GPUTUNE__METRICS, i;
    gputune_result result;
    s->renewing = -1;
    if (!k->objective) return GPUTUNE_OK;
    memcpy(names, gputune__metric_names, sizeof gputune__metric_names);
    count += gputune__target_symbols(k, target, names + count);
    result = gputune__expr_compile(&k->base, k->objective, names, count, &s->objective,
                                   &k->base.error);
    if (result != GPUTUNE_OK) return result;
    s->needs_energy = gputune__expr_uses(s->objective, 1) || gputune__expr_uses(s->objective, 2);
    for (i = 3; i < GPUTUNE__METRICS; i++)
        s->needs_usage = s->needs_usage || gputune__expr_uses(s->objective, i);
    if ((s->needs_energy && !driver->energy) || (s->needs_usage && !driver->usage))
        return gputune__error(&k->base.error, GPUTUNE_ERROR_UNSUPPORTED,
                              "kernel %s: objective \"%s\": the %s driver does not measure %s",
                              k->name, k->objective, driver->api,
                              s->needs_energy && !driver->energy ? "energy" : "resources");
    return s->needs_energy ? driver->energy(k->device->self, &joules, &k->base.error) : GPUTUNE_OK;
}

static gputune_usage gputune__session_usage(gputune__session *s, const gputune__variant *v)
{
    gputune_usage usage = gputune__no_usage();
    gputune_launch launch;
    if (!s->k->device->driver.usage) return usage;
    gputune__variant_launch(v, s->work.trial, s->work.count, &launch);
    s->k->device->driver.usage(s->k->device->self, v->code, &launch, &usage);
    return usage;
}

// The objective of a variant whose launch takes so many seconds. Energy is measured when it counts.
static gputune_result gputune__session_value(gputune__session *s, const gputune__variant *v,
                                             gputune_trial *trial, double seconds, double *value,
                                             gputune_error *error)
{
    gputune_value values[(int)GPUTUNE__METRICS + GPUTUNE__MAX_SYMBOLS], answer;
    double metrics[GPUTUNE__METRICS];
    gputune_result result = GPUTUNE_OK;
    int i;
    *value = seconds;
    trial->usage = gputune__session_usage(s, v);
    if (s->needs_energy)
        result = gputune__work_energy(&s->work, v, seconds, &s->renewing, &trial->energy,
                                      &trial->power, error);
    if (result != GPUTUNE_OK || !s->objective) return result;
    metrics[0] = seconds;
    metrics[1] = trial->energy;
    metrics[2] = trial->power;
    metrics[3] = trial->usage.registers;
    metrics[4] = trial->usage.spill_bytes;
    metrics[5] = (double)trial->usage.local_memory;
    metrics[6] = trial->usage.occupancy;
    for (i = 0; i < GPUTUNE__METRICS; i++) {
        if (i > 2 && metrics[i] < 0 && gputune__expr_uses(s->objective, i))
            return gputune__error(error, GPUTUNE_ERROR_UNSUPPORTED,
                                  "objective \"%s\": %s is unknown here", s->k->objective,
                                  gputune__metric_names[i]);
        values[i] = gputune__integer_value(0);
        values[i].kind = GPUTUNE_REAL;
        values[i].real = metrics[i];
    }
    gputune__call_values(s->k, &v->config, &s->call, values + GPUTUNE__METRICS);
    answer = gputune__integer_value(0);
    result = gputune__expr_eval(s->objective, values, &answer, error);
    if (result != GPUTUNE_OK) return result;
    *value = answer.kind == GPUTUNE_INTEGER ? (double)answer.integer : answer.real;
    if (answer.kind != GPUTUNE_NAME && fabs(*value) <= DBL_MAX) return GPUTUNE_OK;
    return gputune__error(error, GPUTUNE_ERROR_ARITHMETIC,
                          "objective \"%s\" is not a finite number", s->k->objective);
}

// A configuration has lost the device after its trial: names it, and has the journal remember, so
// that the next run passes it over.
static gputune_result gputune__session_lost(gputune__session *s, const gputune_config *config,
                                            gputune_error *error)
{
    gputune_error why = *error;
    gputune_trial trial;
    char text[512];
    memset(&trial, 0, sizeof trial);
    trial.config = *config;
    trial.result = GPUTUNE_ERROR_DEVICE_LOST;
    trial.value = HUGE_VAL;
    trial.reason = why.text;
    if (!gputune__tuner_journal_end(s->tuner, &trial, error)) {
        if (s->tuner->lock) gputune__lock_enter(s->tuner->lock); // other devices use the journal
        if (s->tuner->journal) gputune__tuner_journal_failed(s->tuner, error);
        if (s->tuner->lock) gputune__lock_leave(s->tuner->lock);
    }
    return gputune__error(error, GPUTUNE_ERROR_DEVICE_LOST, "kernel %s, %s: %.900s", s->k->name,
                          gputune_config_text(config, text, sizeof text), why.text);
}

// One sample of the final race. The journal says whose: any launch may be the one that ends the
// process.
static gputune_result gputune__session_judge(void *user, gputune__variant *v, double *value,
                                             gputune_error *error)
{
    gputune__session *s = (gputune__session *)user;
    gputune_trial trial;
    double seconds = 0;
    gputune_result result;
    gputune__tuner_journal_race(s->tuner, &v->config);
    memset(&trial, 0, sizeof trial);
    result = gputune__work_sample(&s->work, v, &seconds, error);
    *value = seconds;
    if (result == GPUTUNE_OK && s->objective)
        result = gputune__session_value(s, v, &trial, seconds, value, error);
    if (result == GPUTUNE_ERROR_DEVICE_LOST)
        return gputune__session_lost(s, &v->config, error);
    return result;
}

// The reference kernel's output, when the program names one; ERROR_COMPILE and so on when it
// cannot be had.
static gputune_result gputune__session_run_reference(gputune__session *s, gputune_error *error)
{
    gputune_kernel *k = s->k;
    gputune__target *target = gputune__target_new(k, k->reference, s->args, s->arg_count,
                                                  k->reference_global, k->reference_local);
    gputune__variant v;
    double seconds;
    gputune_result result;
    result = gputune__session_make(s, target, &s->standard.config, &v, error);
    if (result == GPUTUNE_OK) result = gputune__work_prepare(&s->work, true, error);
    if (result == GPUTUNE_OK) result = gputune__work_time(&s->work, &v, 1, &seconds, error);
    if (result == GPUTUNE_OK) result = gputune__work_keep(&s->work, error);
    gputune__variant_discard(k, &v);
    if (target) gputune__target_free(&k->base, target);
    return result;
}

// Launches once on poisoned outputs, checks canaries and outputs. seconds is that launch's time,
// which includes the module's first-launch cost and is good for nothing but a size.
static gputune_result gputune__session_check(gputune__session *s, const gputune__variant *v,
                                             double *seconds, gputune_error *error)
{
    const gputune_tune_desc *tune = &s->k->tune;
    gputune_result result = gputune__work_prepare(&s->work, true, error);
    if (result == GPUTUNE_OK) result = gputune__work_time(&s->work, v, 1, seconds, error);
    if (result == GPUTUNE_OK) result = gputune__work_check_guards(&s->work, error);
    if (result != GPUTUNE_OK) return result;
    if (tune->check) return gputune__work_ask_check(&s->work, tune->check, tune->check_user, error);
    if (!s->has_reference) return GPUTUNE_OK;
    return gputune__work_verify(&s->work, &tune->tolerance, error);
}

static void gputune__session_set_limits(gputune__session *s, double seconds)
{
    const gputune_tune_desc *tune = &s->k->tune;
    gputune__work *w = &s->work;
    w->time_limit = tune->time_limit;
    if (!(w->time_limit > 0)) w->time_limit = 20 * seconds > 1 ? 20 * seconds : 1;
    w->hang_limit = tune->hang_limit;
    if (!(w->hang_limit > 0)) w->hang_limit = 10 * w->time_limit > 10 ? 10 * w->time_limit : 10;
}

// Gets the reference output: from the program's kernel, else from the default, whose output must
// be the same twice, or nothing could be told from a difference.
static gputune_result gputune__session_get_reference(gputune__session *s, double *seconds,
                                                     gputune_error *error)
{
    gputune_result result;
    if (s->k->tune.check || s->has_reference) // another device's
        return gputune__session_check(s, &s->standard, seconds, error);
    if (s->k->reference) {
        result = gputune__session_run_reference(s, error);
    } else {
        result = gputune__session_check(s, &s->standard, seconds, error);
        if (result == GPUTUNE_OK) result = gputune__work_keep(&s->work, error);
    }
    if (result == GPUTUNE_OK) result = gputune__work_check_reference(&s->work, error);
    if (result != GPUTUNE_OK) return result;
    s->has_reference = true;
    return gputune__session_check(s, &s->standard, seconds, error);
}

// What compiling took that began then. Translation has a time of its own, wherever it was done.
static double gputune__session_compiled(const gputune__session *s, double begin)
{
    return s->k->device->driver.translate ? s->k->compile_seconds
                                          : gputune__device_now(s->k->device) - begin;
}

// Compiles, checks, spins up and measures the default configuration.
static gputune_result gputune__session_default(gputune__session *s, gputune_trial *trial,
                                               gputune_error *error)
{
    double begin = gputune__device_now(s->k->device), seconds = 0, most = 0.5;
    const gputune__target *target = gputune__session_target(s, &trial->config);
    gputune_result result;
    s->work.time_limit = s->k->tune.time_limit > 0 ? s->k->tune.time_limit : 30;
    s->work.hang_limit = s->k->tune.hang_limit > 0 ? s->k->tune.hang_limit : 60;
    result = gputune__session_make(s, target, &trial->config, &s->standard, error);
    trial->compile_seconds = gputune__session_compiled(s, begin);
    if (result != GPUTUNE_OK) return result;
    result = gputune__session_get_reference(s, &seconds, error);
    if (result == GPUTUNE_OK)
        result = gputune__work_sample(&s->work, &s->standard, &seconds, error);
    if (result != GPUTUNE_OK) return result;
    gputune__session_set_limits(s, seconds);
    s->standard.batch = gputune__work_batch(&s->work, seconds);
    if (s->tuner->budget.seconds > 0 && 0.1 * s->tuner->budget.seconds < most)
        most = 0.1 * s->tuner->budget.seconds;
    if (seconds < 0.2 * most) result = gputune__work_spin_up(&s->work, &s->standard, most, error);
    if (result == GPUTUNE_OK)
        result = gputune__work_screen(&s->work, &s->standard, HUGE_VAL, &s->standard_stats, error);
    trial->stats = s->standard_stats;
    if (result != GPUTUNE_OK) return result;
    return gputune__session_value(s, &s->standard, trial, trial->stats.median, &trial->value,
                                  error);
}

// Keeps the best variants compiled for the race; v is taken over or discarded.
static void gputune__session_cache(gputune__session *s, gputune__variant *v, double value)
{
    int at;
    if (s->cached == GPUTUNE__RACERS) {
        if (value >= s->cache_value[GPUTUNE__RACERS - 1]) {
            gputune__variant_discard(s->k, v);
            return;
        }
        gputune__variant_discard(s->k, &s->cache[--s->cached]);
    }
    for (at = s->cached++; at > 0 && s->cache_value[at - 1] > value; at--) {
        s->cache[at] = s->cache[at - 1];
        s->cache_value[at] = s->cache_value[at - 1];
    }
    s->cache[at] = *v;
    s->cache_value[at] = value;
}

// One trial of a configuration other than the default.
static gputune_result gputune__session_trial(gputune__session *s, gputune_trial *trial,
                                             gputune_error *error)
{
    double begin = gputune__device_now(s->k->device), seconds;
    double best = s->cached && !s->objective ? s->cache_value[0] : HUGE_VAL;
    const gputune__target *target = gputune__session_target(s, &trial->config);
    gputune__variant v;
    gputune_result result;
    if (s->standard_stats.median < best && !s->objective) best = s->standard_stats.median;
    result = gputune__session_make(s, target, &trial->config, &v, error);
    trial->compile_seconds = gputune__session_compiled(s, begin);
    if (result != GPUTUNE_OK) return result;
    result = gputune__session_check(s, &v, &seconds, error);
    if (result == GPUTUNE_OK) result = gputune__work_find_batch(&s->work, &v, seconds, error);
    if (result == GPUTUNE_OK)
        result = gputune__work_screen(&s->work, &v, best, &trial->stats, error);
    if (result == GPUTUNE_OK)
        result = gputune__session_value(s, &v, trial, trial->stats.median, &trial->value, error);
    if (result == GPUTUNE_OK)
        gputune__session_cache(s, &v, trial->value);
    else
        gputune__variant_discard(s->k, &v);
    return result;
}

// The default again, to see clocks drift. Values are not corrected: the race decides.
static gputune_result gputune__session_sentinel(gputune__session *s, gputune_error *error)
{
    double seconds[3], change;
    gputune_error why; // a single slow launch is no error of the tuning; a lost device is
    gputune_result result = GPUTUNE_OK;
    int i;
    gputune__tuner_journal_race(s->tuner, &s->standard.config);
    for (i = 0; i < 3 && result == GPUTUNE_OK; i++)
        result = gputune__work_sample(&s->work, &s->standard, &seconds[i], &why);
    if (result == GPUTUNE_ERROR_DEVICE_LOST) {
        *error = why;
        return gputune__session_lost(s, &s->standard.config, error);
    }
    gputune__tuner_journal_race(s->tuner, NULL);
    if (result != GPUTUNE_OK) return result;
    change = fabs(gputune_stats_of(seconds, 3).median / s->standard_stats.median - 1);
    if (change > s->drift) s->drift = change;
    return GPUTUNE_OK;
}

static bool gputune__same_choice(const gputune_config *a, const gputune_config *b)
{
    return memcmp(a->choice, b->choice, sizeof a->choice) == 0;
}

// When the default's trial is in the journal, its output and time are still needed: measured now,
// before any other configuration is in flight that a crash would be blamed on. A default that
// ended the process or lost the device then is not run again, unless the mode is `force`.
static gputune_result gputune__session_resume(gputune__session *s)
{
    gputune_trial trial;
    const gputune__record *past;
    gputune_error *error = &s->k->base.error;
    gputune_result result;
    char text[512];
    memset(&trial, 0, sizeof trial);
    trial.config = gputune_space_default(s->p->space);
    past = gputune__tuner_past(s->tuner, &trial.config);
    if (!past) return GPUTUNE_OK;
    if (past->result != GPUTUNE_OK)
        return gputune__error(error, past->result,
                              "kernel %s, %s: the default failed in an earlier run: %.500s "
                              "(GPUTUNE=force tries it again, and so does a run after the journal "
                              "%.300s is deleted)",
                              s->k->name, gputune_config_text(&trial.config, text, sizeof text),
                              past->reason ? past->reason : "",
                              s->tuner->journal ? s->tuner->journal->path : "");
    gputune__tuner_journal_race(s->tuner, &trial.config);
    result = gputune__session_default(s, &trial, error);
    if (result == GPUTUNE_ERROR_DEVICE_LOST) return gputune__session_lost(s, &trial.config, error);
    gputune__tuner_journal_race(s->tuner, NULL);
    return result;
}

static void gputune__session_end(gputune__session *s)
{
    gputune_error error;
    int i;
    gputune__ahead_close(s->k->ahead);
    s->k->ahead = NULL;
    if (s->objective) gputune__expr_free(&s->k->base, s->objective);
    gputune__variant_discard(s->k, &s->standard);
    for (i = 0; i < s->cached; i++) gputune__variant_discard(s->k, &s->cache[i]);
    if (s->work.device && gputune__work_destroy(&s->work, &error) != GPUTUNE_OK)
        gputune__log(&s->k->base, GPUTUNE_LOG_ERROR,
                     "%s: the content of a buffer could not be put back: %s", s->k->name,
                     error.text);
    if (s->tuner && s->tuner->journal) {
        gputune__journal_close(s->tuner->journal, false);
        s->tuner->journal = NULL;
    }
}

static bool gputune__function_only_reads(const gputune_kernel *k, const char *function,
                                         const gputune_arg *args, int arg)
{
    const gputune__signature *s = k->has_source ? gputune__source_find(&k->source, function) : NULL;
    const gputune__signature_arg *takes = gputune__signature_takes(s, args, arg);
    return takes && takes->constant;
}

// Does every function that may run in a trial take the argument as a pointer to const?
static bool gputune__kernel_only_reads(const gputune_kernel *k, const gputune__target *target,
                                       const gputune_arg *args, int arg)
{
    int i;
    if (!gputune__function_only_reads(k, target->function, args, arg)) return false;
    if (k->reference && !gputune__function_only_reads(k, k->reference, args, arg)) return false;
    for (i = 0; k->selector >= 0 && i < gputune_space_value_count(k->space, k->selector); i++)
        if (!gputune__function_only_reads(k, gputune_space_value(k->space, k->selector, i).name,
                                          args, arg))
            return false;
    return true;
}

// Private copies for the arguments of this call.
static gputune_result gputune__session_work(gputune__session *s, const gputune__target *target)
{
    gputune__work *w = &s->work;
    bool constant[GPUTUNE__MAX_ARGS];
    int i;
    memset(w, 0, sizeof *w);
    w->device = s->k->device;
    w->count = s->arg_count;
    w->cold = s->k->tune.cold_cache;
    memcpy(w->real, s->call.bound, sizeof w->real);
    for (i = 0; i < s->arg_count; i++) {
        const gputune__signature_arg *takes =
            gputune__signature_takes(target->signature, s->args, i);
        constant[i] = gputune__kernel_only_reads(s->k, target, s->args, i);
        w->name[i] = *target->arg_names[i] ? target->arg_names[i] : "a buffer";
        w->type[i] = s->args[i].type;
        if (w->type[i] == GPUTUNE_BYTES && takes) w->type[i] = takes->type;
    }
    return gputune__work_start(w, s->args, constant, &s->k->base.error);
}

// --- compiling ahead of the search ---

// Hands one configuration to the threads that translate, unless it is there or cannot be launched.
// An error shows again when it is asked for.
static void gputune__session_translate(gputune__session *s, const gputune_config *config, int rank)
{
    gputune_kernel *k = s->k;
    const gputune__target *target;
    gputune__call call;
    gputune__variant shape;
    gputune_build build;
    gputune_error error;
    char *text = NULL;
    if (!gputune__ahead_wants(k->ahead, config, gputune__kernel_function(k, config), rank)) return;
    target = gputune__session_target(s, config);
    memset(&shape, 0, sizeof shape);
    shape.config = *config;
    if (!target || gputune__call_bind(target, s->args, s->arg_count, &call, &error) != GPUTUNE_OK ||
        gputune__variant_shape(k, target, &call, &shape, &error) != GPUTUNE_OK)
        return;
    if (gputune__kernel_build(k, target->function, config, &build, &text, &error) == GPUTUNE_OK)
        gputune__ahead_put(k->ahead, &build, text, rank);
    else
        gputune__arr_free(&k->base, text);
}

// Sets threads to work on what will be asked next, while the configuration in hand is measured. The
// default has been compiled: no other thread does the first translation. Programs that select
// kernels compiled ahead leave nothing to translate.
static void gputune__session_foresee(gputune__session *s)
{
    gputune_config next[GPUTUNE__PEEK_MOST];
    gputune_kernel *k = s->k;
    int i, count;
    if (!k->device->driver.translate || k->select) return;
    if (!s->foresees) {
        s->foresees = true;
        k->ahead = gputune__ahead_open(&k->base, &k->device->driver, k->device->self,
                                       gputune__ahead_threads(&k->base));
    }
    if (!k->ahead) return;
    gputune__ahead_foresee(k->ahead);
    for (i = 0; i < s->asked_count; i++) gputune__session_translate(s, s->asked[i], i);
    count = gputune__search_peek(s->tuner->search, next, 2 * k->ahead->thread_count);
    for (i = 0; i < count; i++) // what an interrupted run has tried is not compiled
        if (!gputune__tuner_past(s->tuner, &next[i]))
            gputune__session_translate(s, &next[i], s->asked_count + i);
    gputune__ahead_drop(k->ahead);
}

// One trial with its value and reason; why carries the reason's text.
static void gputune__session_try(gputune__session *s, gputune_trial *trial, gputune_error *why)
{
    memset(why, 0, sizeof *why);
    trial->result = gputune__session_trial(s, trial, why);
    trial->reason = trial->result == GPUTUNE_OK ? "" : why->text;
}

// Do the questions not depend on the answers?
static bool gputune__search_order_free(const gputune__search *search)
{
    return search->strategy == GPUTUNE_STRATEGY_EXHAUSTIVE ||
           search->strategy == GPUTUNE_STRATEGY_RANDOM;
}

// --- several devices ---
//
// The calling thread asks the search, tells it the answers and tries configurations on the kernel's
// own device. Each further device (a lane) has a thread with a kernel and a session of its own, all
// of whose calls to the driver it makes itself. They share the fleet: what was asked stands in its
// jobs, and whoever is free takes the oldest.

enum { GPUTUNE__LANES_MOST = 31 }; // two open questions each and one: GPUTUNE__OPEN_MOST

typedef struct gputune__fleet_job {
    gputune__job_state state;
    uint64_t number; // in the order of asking
    gputune_config config;
    gputune_trial trial; // its answer
    gputune_error why;
} gputune__fleet_job;

typedef struct gputune__message {
    gputune_log_level level;
    char *text;
} gputune__message;

struct gputune__fleet;

typedef struct gputune__lane {
    struct gputune__fleet *fleet;
    gputune_device *device;
    gputune_kernel *k;   // the same kernel on this device
    gputune__session *s; // its own; the tuner in it is only read
    gputune_arg args[GPUTUNE__MAX_ARGS];
    gputune_memory buffers[GPUTUNE__MAX_ARGS]; // that stand for the program's
    gputune__thread thread;
    bool started;
    int tried;
    gputune_log_fn log; // the device's own
    void *log_user;
} gputune__lane;

typedef struct gputune__fleet {
    gputune__session *s;          // of the kernel's own device
    gputune__lock lock;           // of all that changes here
    gputune__lock journal, calls; // of the tuner's journal; of the program's check
    gputune__signal work, done;
    bool stop, journal_failed;
    gputune_error journal_error;
    gputune__lane *lanes;
    int lane_count, alive, loading; // that have not ended; that still need contents
    gputune__fleet_job *jobs;
    int job_count;
    // Questions asked ahead for each lane: it runs one and finds the next at once. Where answers do
    // not matter there are more: the calling thread may be busy with a slow trial of its own, while
    // a lane does several fast ones (300 trials, 1 to 11 ms a launch, 2 devices: 1.82 times as fast
    // as one with 2, 1.98 times with 8).
    int each;
    uint64_t asked;
    gputune__message *messages;
    void *contents[GPUTUNE__MAX_ARGS]; // of the program's buffers, by owner
    const gputune_config *waiting[2 * GPUTUNE__LANES_MOST + 1]; // job_count at most
    gputune_check_fn check;
    void *check_user;
    int tried; // on the kernel's own device
} gputune__fleet;

// Messages of the lanes' threads wait here for the calling thread.
static void gputune__fleet_log(void *user, gputune_log_level level, const char *text)
{
    gputune__fleet *f = (gputune__fleet *)user;
    const gputune__base *b = &f->s->k->base;
    gputune__message message;
    gputune__lock_enter(&f->lock);
    message.level = level;
    message.text = gputune__strdup(b, text);
    if (message.text && !gputune__push(b, f->messages, message)) gputune__free(b, message.text);
    gputune__lock_leave(&f->lock);
}

static void gputune__fleet_drain(gputune__fleet *f)
{
    const gputune__base *b = &f->s->k->base;
    gputune__message *messages;
    int i;
    gputune__lock_enter(&f->lock);
    messages = f->messages;
    f->messages = NULL;
    gputune__lock_leave(&f->lock);
    for (i = 0; i < gputune__len(messages); i++) {
        gputune__log(b, messages[i].level, "%s", messages[i].text);
        gputune__free(b, messages[i].text);
    }
    gputune__arr_free(b, messages);
}

// The program's check sees one call at a time.
static bool gputune__fleet_check(void *user, const gputune_output *outputs, int count, char *why,
                                 size_t size)
{
    gputune__fleet *f = (gputune__fleet *)user;
    bool right;
    gputune__lock_enter(&f->calls);
    right = f->check(f->check_user, outputs, count, why, size);
    gputune__lock_leave(&f->calls);
    return right;
}

// --- a lane: everything in its own thread ---

// Buffers on this device with the contents of the program's.
static gputune_result gputune__lane_buffers(gputune__lane *lane, gputune_error *error)
{
    const gputune_driver *d = &lane->device->driver;
    const gputune__work *own = &lane->fleet->s->work;
    void *self = lane->device->self;
    int i;
    for (i = 0; i < own->count; i++) {
        gputune_memory *m = &lane->buffers[i];
        int owner = own->owner[i];
        gputune_result result = GPUTUNE_OK;
        lane->args[i] = lane->fleet->s->args[i];
        if (owner < 0) continue;
        if (owner == i) {
            result = d->allocate(self, own->real[i].bytes, 0, m, error);
            if (result == GPUTUNE_OK && lane->fleet->contents[i])
                result = d->write(self, m->whole, 0, lane->fleet->contents[i], own->real[i].bytes,
                                  error);
        }
        if (result != GPUTUNE_OK) return result;
        lane->args[i].buffer = lane->buffers[owner].handle;
    }
    return GPUTUNE_OK;
}

// What is right is what the kernel's own device holds for right.
static gputune_result gputune__lane_reference(gputune__lane *lane, gputune_error *error)
{
    const gputune__work *own = &lane->fleet->s->work;
    gputune__work *w = &lane->s->work;
    int i;
    for (i = 0; i < w->count; i++) {
        if (!own->reference[i] || !gputune__work_owns(w, i)) continue;
        w->reference[i] = gputune__alloc(&lane->device->base, w->real[i].bytes, 1);
        if (!w->reference[i]) return gputune__oom(error);
        memcpy(w->reference[i], own->reference[i], w->real[i].bytes);
        w->scale[i] = own->scale[i];
    }
    lane->s->has_reference = lane->fleet->s->has_reference;
    return GPUTUNE_OK;
}

// Everything up to the default's measured and verified launch.
static gputune_result gputune__lane_prepare(gputune__lane *lane, gputune_error *error)
{
    gputune__session *s = lane->s;
    gputune_config standard = lane->fleet->s->standard.config;
    const gputune__target *target;
    gputune_trial trial;
    gputune_result result = gputune__lane_buffers(lane, error);
    if (result != GPUTUNE_OK) return result;
    standard.space = s->k->space;
    target = gputune__kernel_target(s->k, &standard, s->args, s->arg_count);
    if (!target) {
        *error = s->k->base.error;
        return error->result;
    }
    result = gputune__call_bind(target, s->args, s->arg_count, &s->call, error);
    if (result != GPUTUNE_OK) return result;
    s->p = gputune__kernel_problem(s->k, target, &s->call);
    if (!s->p || gputune__session_objective(s, target) != GPUTUNE_OK ||
        gputune__session_work(s, target) != GPUTUNE_OK) {
        *error = s->k->base.error;
        return error->result;
    }
    result = gputune__lane_reference(lane, error);
    memset(&trial, 0, sizeof trial);
    trial.config = standard;
    trial.config.space = s->p->space;
    return result == GPUTUNE_OK ? gputune__session_default(s, &trial, error) : result;
}

// The oldest job, if one waits. Under the lock.
static gputune__fleet_job *gputune__fleet_first(gputune__fleet *f)
{
    gputune__fleet_job *first = NULL;
    int i;
    for (i = 0; i < f->job_count; i++)
        if (f->jobs[i].state == GPUTUNE__JOB_WAITING &&
            (!first || f->jobs[i].number < first->number))
            first = &f->jobs[i];
    if (first) first->state = GPUTUNE__JOB_RUNNING;
    return first;
}

// Keeps a journal's failure for the calling thread.
static void gputune__fleet_journal_failed(gputune__fleet *f, const gputune_error *error)
{
    gputune__lock_enter(&f->lock);
    f->journal_failed = true;
    f->journal_error = *error;
    gputune__lock_leave(&f->lock);
}

// Tries a job's configuration in a session, in the session's thread.
static void gputune__fleet_try(gputune__fleet *f, gputune__session *s, gputune__fleet_job *job)
{
    gputune_trial *trial = &job->trial;
    double begin = gputune__device_now(s->k->device);
    gputune_error error;
    if (!gputune__tuner_journal_begin(f->s->tuner, &job->config, &error))
        gputune__fleet_journal_failed(f, &error);
    memset(trial, 0, sizeof *trial);
    trial->usage = gputune__no_usage();
    trial->config = job->config;
    trial->config.space = s->p->space;
    gputune__session_try(s, trial, &job->why);
    trial->config.space = job->config.space;
    trial->wall_seconds = gputune__device_now(s->k->device) - begin;
    if (!gputune__tuner_journal_end(f->s->tuner, trial, &error))
        gputune__fleet_journal_failed(f, &error);
}

static void gputune__lane_end(gputune__lane *lane)
{
    int i;
    lane->s->tuner = NULL; // the calling thread's, and so is what translates ahead
    lane->k->ahead = NULL;
    gputune__session_end(lane->s);
    for (i = 0; i < GPUTUNE__MAX_ARGS; i++)
        if (lane->buffers[i].whole)
            lane->device->driver.release(lane->device->self, &lane->buffers[i]);
}

static void gputune__lane_run(void *user)
{
    gputune__lane *lane = (gputune__lane *)user;
    gputune__fleet *f = lane->fleet;
    gputune__fleet_job *job;
    gputune_error error;
    gputune_result result;
    memset(&error, 0, sizeof error);
    result = gputune__lane_prepare(lane, &error);
    if (result != GPUTUNE_OK)
        gputune__log(&lane->k->base, GPUTUNE_LOG_WARN, "%s: a device is not used: %s",
                     lane->k->name, error.text);
    gputune__lock_enter(&f->lock);
    f->loading--;
    while (result == GPUTUNE_OK && !f->stop) {
        job = gputune__fleet_first(f);
        if (!job) {
            gputune__signal_wait(&f->work, &f->lock);
            continue;
        }
        gputune__lock_leave(&f->lock);
        gputune__fleet_try(f, lane->s, job);
        result = job->trial.result == GPUTUNE_ERROR_DEVICE_LOST ? job->trial.result : GPUTUNE_OK;
        if (result != GPUTUNE_OK)
            gputune__log(&lane->k->base, GPUTUNE_LOG_WARN,
                         "%s: a device is lost, the others go on: %s", lane->k->name,
                         job->why.text);
        gputune__lock_enter(&f->lock);
        job->state = GPUTUNE__JOB_DONE;
        lane->tried++;
        gputune__signal_all(&f->done);
    }
    f->alive--;
    gputune__signal_all(&f->done);
    gputune__lock_leave(&f->lock);
    gputune__lane_end(lane);
}

// --- the calling thread ---

// The same description for another device. Its texts are the kernel's.
static bool gputune__kernel_describe(gputune_kernel *k, gputune_kernel_desc *desc)
{
    const gputune__base *b = &k->base;
    memset(desc, 0, sizeof *desc);
    if (!gputune__arr_room(b, k->params, 1) || !gputune__arr_room(b, k->require, 1) ||
        !gputune__arr_room(b, k->functions, 1))
        return false;
    memset(&k->params[gputune__len(k->params)], 0, sizeof *k->params); // the lists' ends
    memset(&k->functions[gputune__len(k->functions)], 0, sizeof *k->functions);
    k->require[gputune__len(k->require)] = NULL;
    desc->params = k->params;
    desc->require = (const char *const *)k->require;
    if (gputune__len(k->functions)) desc->functions = k->functions;
    if (k->has_source) desc->source = k->source.text;
    desc->name = k->name;
    desc->global = k->global;
    desc->local = k->local;
    desc->options = k->options;
    desc->tune = k->tune;
    desc->tune.problem = k->problem_text;
    desc->tune.reference = k->reference;
    desc->tune.reference_global = k->reference_global;
    desc->tune.reference_local = k->reference_local;
    desc->tune.objective = k->objective;
    desc->tune.devices = NULL;
    desc->tune.isolate = false; // the calling process is the child, if there is one
    desc->tune.isolate_command = NULL;
    return true;
}

// Makes what the lane's thread needs and starts it. False with the reason: the device is not used.
static bool gputune__lane_start(gputune__lane *lane, const gputune_kernel_desc *desc,
                                gputune_error *why)
{
    gputune__fleet *f = lane->fleet;
    gputune_kernel *own = f->s->k;
    lane->k = gputune_kernel_create(lane->device, desc);
    lane->s = (gputune__session *)gputune__alloc(&own->base, 1, sizeof *lane->s);
    if (!lane->k || !lane->s) gputune__oom(why);
    if (lane->k && !lane->k->space) *why = *gputune_kernel_error(lane->k);
    if (!lane->k || !lane->k->space || !lane->s) return false;
    lane->k->tuning = true;
    if (strcmp(lane->device->driver.translator, own->device->driver.translator) == 0)
        lane->k->ahead = own->ahead;
    lane->s->k = lane->k;
    lane->s->args = lane->args;
    lane->s->arg_count = f->s->arg_count;
    lane->s->tuner = f->s->tuner;
    gputune__lock_enter(&f->lock);
    f->alive++;
    f->loading++;
    gputune__lock_leave(&f->lock);
    lane->started = gputune__thread_start(&lane->thread, gputune__lane_run, lane);
    if (lane->started) return true;
    gputune__lock_enter(&f->lock);
    f->alive--;
    f->loading--;
    gputune__lock_leave(&f->lock);
    gputune__error(why, GPUTUNE_ERROR_UNSUPPORTED, "no thread could be started");
    return false;
}

// Host copies of the program's buffers, for the lanes: those that the kernel reads.
static gputune_result gputune__fleet_load(gputune__fleet *f, gputune_error *error)
{
    gputune__work *w = &f->s->work;
    int i;
    for (i = 0; i < w->count; i++) {
        size_t bytes = w->real[i].bytes;
        gputune_result result = GPUTUNE_OK;
        if (w->owner[i] != i || !bytes || (w->writes[i] && !w->reads[i])) continue;
        f->contents[i] = gputune__alloc(&w->device->base, bytes, 1);
        if (!f->contents[i]) return gputune__oom(error);
        if (w->snapshot[i]) // trials run on the program's own
            memcpy(f->contents[i], w->snapshot[i], bytes);
        else
            result = w->device->driver.read(w->device->self, w->real[i].handle, 0, f->contents[i],
                                            bytes, error);
        if (result != GPUTUNE_OK) return result;
    }
    return GPUTUNE_OK;
}

static void gputune__fleet_unload(gputune__fleet *f)
{
    int i, loading;
    gputune__lock_enter(&f->lock);
    loading = f->loading;
    gputune__lock_leave(&f->lock);
    for (i = 0; i < GPUTUNE__MAX_ARGS && !loading; i++) {
        gputune__free(&f->s->k->base, f->contents[i]);
        f->contents[i] = NULL;
    }
}

// Starts the lanes. What cannot be had is done without.
static void gputune__fleet_start(gputune__fleet *f)
{
    gputune_kernel *k = f->s->k;
    gputune_kernel_desc desc;
    gputune_error error, why;
    int i, used = 0;
    f->check = k->tune.check;
    f->check_user = k->tune.check_user;
    f->s->tuner->lock = &f->journal;
    f->s->tuner->search->batch = true;
    memset(&error, 0, sizeof error);
    memset(&why, 0, sizeof why);
    if (f->check) {
        k->tune.check = gputune__fleet_check;
        k->tune.check_user = f;
    }
    gputune__session_foresee(f->s); // or the lanes' kernels would miss what translates ahead
    if (!gputune__kernel_describe(k, &desc)) gputune__oom(&error);
    if (!error.result) gputune__fleet_load(f, &error);
    for (i = 0; i < f->lane_count; i++) {
        gputune__lane *lane = &f->lanes[i];
        lane->fleet = f;
        lane->device = k->devices[i];
        lane->log = lane->device->base.log;
        lane->log_user = lane->device->base.log_user;
        if (lane->log) {
            lane->device->base.log = gputune__fleet_log;
            lane->device->base.log_user = f;
        }
        if (!error.result) used += gputune__lane_start(lane, &desc, &why);
    }
    if (!error.result) error = why;
    if (used < f->lane_count)
        gputune__log(&k->base, GPUTUNE_LOG_WARN, "%s: %d of %d more devices are not used: %s",
                     k->name, f->lane_count - used, f->lane_count, error.text);
}

static gputune__fleet *gputune__fleet_open(gputune__session *s)
{
    const gputune__base *b = &s->k->base;
    int lanes = gputune__len(s->k->devices);
    gputune__fleet *f = (gputune__fleet *)gputune__alloc(b, 1, sizeof *f);
    if (!f) return NULL;
    f->s = s;
    f->lane_count = lanes;
    f->each = gputune__search_order_free(s->tuner->search) ? 8 : 2;
    if (f->each * lanes > 2 * GPUTUNE__LANES_MOST) f->each = 2 * GPUTUNE__LANES_MOST / lanes;
    f->job_count = f->each * lanes + 1;
    f->lanes = (gputune__lane *)gputune__alloc(b, (size_t)lanes, sizeof *f->lanes);
    f->jobs = (gputune__fleet_job *)gputune__alloc(b, (size_t)f->job_count, sizeof *f->jobs);
    if (!f->lanes || !f->jobs) {
        gputune__free(b, f->lanes);
        gputune__free(b, f->jobs);
        gputune__free(b, f);
        return NULL;
    }
    gputune__lock_init(&f->lock);
    gputune__lock_init(&f->journal);
    gputune__lock_init(&f->calls);
    gputune__signal_init(&f->work);
    gputune__signal_init(&f->done);
    gputune__fleet_start(f);
    return f;
}

// What stops the tuning, named after its configuration.
static gputune_result gputune__session_stop(gputune__session *s, const gputune_config *config,
                                            const gputune_error *why)
{
    char text[512], message[1024];
    snprintf(message, sizeof message, "%.900s", why->text);
    return gputune__error(&s->k->base.error, why->result, "kernel %s, %s: %s", s->k->name,
                          gputune_config_text(config, text, sizeof text), message);
}

// Tells the tuner what is done. A lost lane is no error: its configuration is told so.
static gputune_result gputune__fleet_collect(gputune__fleet *f)
{
    gputune_result result = GPUTUNE_OK;
    gputune_error error;
    bool failed;
    int i;
    gputune__fleet_drain(f);
    gputune__lock_enter(&f->lock);
    failed = f->journal_failed;
    error = f->journal_error;
    gputune__lock_leave(&f->lock);
    gputune__lock_enter(&f->journal);
    if (failed && f->s->tuner->journal) gputune__tuner_journal_failed(f->s->tuner, &error);
    gputune__lock_leave(&f->journal);
    gputune__lock_enter(&f->lock);
    for (i = 0; i < f->job_count; i++) {
        gputune__fleet_job *job = &f->jobs[i];
        if (job->state != GPUTUNE__JOB_DONE) continue;
        gputune__lock_leave(&f->lock);
        gputune__tuner_told(f->s->tuner, &job->trial);
        if (job->trial.result == GPUTUNE_ERROR_MEMORY)
            result = gputune__session_stop(f->s, &job->config, &job->why);
        gputune__lock_enter(&f->lock);
        job->state = GPUTUNE__JOB_FREE;
    }
    gputune__lock_leave(&f->lock);
    if (f->s->tuner->broken) result = gputune__oom(&f->s->k->base.error);
    return result;
}

// Asks for as many as the devices can use; nothing that waits begins once the budget is spent.
static void gputune__fleet_ask(gputune__fleet *f)
{
    gputune__session *s = f->s;
    gputune__fleet_job *jobs = f->jobs;
    bool spent = gputune__tuner_spent(s->tuner), more = !spent, wait;
    int i, open = 0, most;
    gputune__lock_enter(&f->lock);
    most = f->each * f->alive + 1;
    s->asked_count = 0;
    for (i = 0; i < f->job_count; i++) {
        if (spent && jobs[i].state == GPUTUNE__JOB_WAITING) jobs[i].state = GPUTUNE__JOB_FREE;
        open += jobs[i].state != GPUTUNE__JOB_FREE;
    }
    for (i = 0; i < f->job_count && more && open < most; i++) {
        if (jobs[i].state != GPUTUNE__JOB_FREE) continue;
        more = gputune__tuner_ask(s->tuner, open, &jobs[i].config, &wait);
        if (!more) break;
        jobs[i].number = f->asked++;
        jobs[i].state = GPUTUNE__JOB_WAITING;
        open++;
    }
    for (i = 0; i < f->job_count; i++)
        if (jobs[i].state == GPUTUNE__JOB_WAITING) f->waiting[s->asked_count++] = &jobs[i].config;
    s->asked = f->waiting;
    gputune__signal_all(&f->work);
    gputune__lock_leave(&f->lock);
}

// Waits until a lane has an answer. False: none has anything to do.
static bool gputune__fleet_wait(gputune__fleet *f)
{
    bool running = true, done = false;
    int i;
    gputune__lock_enter(&f->lock);
    for (;;) {
        for (i = 0, running = done = false; i < f->job_count; i++) {
            running = running || f->jobs[i].state == GPUTUNE__JOB_RUNNING;
            done = done || f->jobs[i].state == GPUTUNE__JOB_DONE;
        }
        if (done || !running) break;
        gputune__signal_wait(&f->done, &f->lock);
    }
    gputune__lock_leave(&f->lock);
    return done;
}

// A trial on the kernel's own device.
static gputune_result gputune__fleet_step(gputune__fleet *f, gputune__fleet_job *job)
{
    gputune__session *s = f->s;
    gputune_error *error = &s->k->base.error;
    gputune_trial *trial = &job->trial;
    gputune_result result;
    gputune__fleet_try(f, s, job);
    gputune__tuner_told(s->tuner, trial);
    result = trial->result;
    gputune__lock_enter(&f->lock);
    job->state = GPUTUNE__JOB_FREE;
    gputune__lock_leave(&f->lock);
    if (result == GPUTUNE_ERROR_DEVICE_LOST || result == GPUTUNE_ERROR_MEMORY)
        return gputune__session_stop(s, &job->config, &job->why);
    if (++f->tried % GPUTUNE__SENTINEL_EVERY == 0 &&
        gputune__session_sentinel(s, error) == GPUTUNE_ERROR_DEVICE_LOST)
        return error->result;
    return GPUTUNE_OK;
}

// Stops the lanes, waits for the trials that run, takes their answers in and frees everything.
static gputune_result gputune__fleet_close(gputune__fleet *f)
{
    gputune_kernel *k = f->s->k;
    gputune_result result;
    char *tried = NULL;
    int i;
    gputune__lock_enter(&f->lock);
    f->stop = true;
    gputune__signal_all(&f->work);
    gputune__lock_leave(&f->lock);
    for (i = 0; i < f->lane_count; i++)
        if (f->lanes[i].started) gputune__thread_join(&f->lanes[i].thread);
    result = gputune__fleet_collect(f);
    gputune__text_add(&k->base, &tried, "%d", f->tried);
    for (i = 0; i < f->lane_count; i++) {
        gputune__lane *lane = &f->lanes[i];
        gputune__text_add(&k->base, &tried, ", %d", lane->tried);
        gputune_kernel_destroy(lane->k);
        gputune__free(&k->base, lane->s);
        lane->device->base.log = lane->log;
        lane->device->base.log_user = lane->log_user;
    }
    if (tried) gputune__log(&k->base, GPUTUNE_LOG_INFO, "%s: trials by device: %s", k->name, tried);
    gputune__arr_free(&k->base, tried);
    gputune__fleet_drain(f);
    gputune__fleet_unload(f);
    k->tune.check = f->check;
    k->tune.check_user = f->check_user;
    f->s->tuner->lock = NULL;
    f->s->tuner->search->batch = false;
    f->s->asked_count = 0;
    gputune__signal_end(&f->done);
    gputune__signal_end(&f->work);
    gputune__lock_end(&f->calls);
    gputune__lock_end(&f->journal);
    gputune__lock_end(&f->lock);
    gputune__free(&k->base, f->lanes);
    gputune__free(&k->base, f->jobs);
    gputune__free(&k->base, f);
    return result;
}

// The search on several devices, after the default: as gputune__session_search.
static gputune_result gputune__fleet_search(gputune__session *s)
{
    gputune__fleet *f = gputune__fleet_open(s);
    gputune__fleet_job *job;
    gputune_result result = GPUTUNE_OK, closed;
    gputune_error error;
    if (!f) return gputune__oom(&s->k->base.error);
    while (result == GPUTUNE_OK) {
        result = gputune__fleet_collect(f);
        if (result != GPUTUNE_OK) break;
        gputune__fleet_unload(f);
        gputune__fleet_ask(f);
        gputune__session_foresee(s);
        gputune__lock_enter(&f->lock);
        job = gputune__fleet_first(f);
        gputune__lock_leave(&f->lock);
        if (job)
            result = gputune__fleet_step(f, job);
        else if (!gputune__fleet_wait(f))
            break;
    }
    error = s->k->base.error;
    closed = gputune__fleet_close(f);
    if (result == GPUTUNE_OK) return closed;
    s->k->base.error = error;
    return result;
}

// Runs the search to its end. Only what stops everything is an error: a lost device, no memory,
// a default that fails.
static gputune_result gputune__session_search(gputune__session *s)
{
    gputune_error *error = &s->k->base.error;
    gputune_trial trial;
    gputune_config standard = gputune_space_default(s->p->space);
    int count = 0;
    memset(&trial, 0, sizeof trial);
    if (gputune__len(s->k->devices) && s->standard.code) return gputune__fleet_search(s);
    while (gputune_next(s->tuner, &trial.config)) {
        gputune_config config = trial.config;
        bool is_standard = gputune__same_choice(&config, &standard);
        gputune_error why;
        memset(&trial, 0, sizeof trial);
        memset(&why, 0, sizeof why);
        trial.usage = gputune__no_usage();
        trial.config = config;
        if (!is_standard) gputune__session_foresee(s);
        trial.result = is_standard ? gputune__session_default(s, &trial, &why)
                                   : gputune__session_trial(s, &trial, &why);
        trial.reason = trial.result == GPUTUNE_OK ? "" : why.text;
        gputune__tuner_tell(s->tuner, &trial);
        if (trial.result == GPUTUNE_ERROR_DEVICE_LOST || trial.result == GPUTUNE_ERROR_MEMORY ||
            (is_standard && trial.result != GPUTUNE_OK)) {
            char text[1024];
            return gputune__error(error, trial.result, "kernel %s, %s: %.900s", s->k->name,
                                  gputune_config_text(&trial.config, text, 512), why.text);
        }
        if (is_standard && gputune__len(s->k->devices)) return gputune__fleet_search(s);
        if (++count % GPUTUNE__SENTINEL_EVERY == 0 &&
            gputune__session_sentinel(s, error) == GPUTUNE_ERROR_DEVICE_LOST)
            return error->result;
    }
    if (s->tuner->broken) return gputune__oom(error);
    return GPUTUNE_OK;
}

static int gputune__compare_trials(const void *a, const void *b)
{
    const gputune_trial *x = *(const gputune_trial *const *)a;
    const gputune_trial *y = *(const gputune_trial *const *)b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return (x > y) - (x < y);
}

// Compiled already, or compiled now (after a resume). NULL if that fails; a lost device is the
// kernel's error.
static gputune__variant *gputune__session_variant(gputune__session *s, const gputune_config *config)
{
    const gputune__target *target;
    gputune_error error;
    gputune__variant v;
    int i;
    if (gputune__same_choice(config, &s->standard.config)) return &s->standard;
    for (i = 0; i < s->cached; i++)
        if (gputune__same_choice(config, &s->cache[i].config)) return &s->cache[i];
    target = gputune__session_target(s, config);
    if (!target || s->cached == 2 * GPUTUNE__RACERS) return NULL;
    gputune__tuner_progress(s->tuner, "race"); // a sign of life: compiling may take long
    gputune__tuner_journal_race(s->tuner, config);
    if (gputune__session_make(s, target, config, &v, &error) != GPUTUNE_OK) {
        if (error.result != GPUTUNE_ERROR_DEVICE_LOST) return NULL;
        gputune__session_lost(s, config, &error);
        s->k->base.error = error;
        return NULL;
    }
    s->cache[s->cached] = v;
    s->cache_value[s->cached] = HUGE_VAL;
    return &s->cache[s->cached++];
}

// Is a trial near enough to the best to race? Values may be negative where they are not times.
static bool gputune__session_races(double best, double value)
{
    return value - best <= gputune__race_margin * fabs(best);
}

static double gputune__session_sample_seconds(const gputune__session *s, double launch_seconds)
{
    return launch_seconds * gputune__work_batch(&s->work, launch_seconds);
}

// Sets the threads to work on racers that are not compiled here: found by an interrupted run or on
// another device. What the search has foreseen is dropped.
static void gputune__session_foresee_race(gputune__session *s, const gputune_trial **sorted,
                                          int total)
{
    int i, j;
    if (!s->k->ahead) return;
    gputune__ahead_foresee(s->k->ahead);
    for (i = 0; i < total && i < GPUTUNE__RACERS && sorted[i]->result == GPUTUNE_OK; i++) {
        const gputune_config *config = &sorted[i]->config;
        bool made = gputune__same_choice(config, &s->standard.config);
        if (!gputune__session_races(sorted[0]->value, sorted[i]->value)) break;
        for (j = 0; j < s->cached && !made; j++)
            made = gputune__same_choice(config, &s->cache[j].config);
        if (!made) gputune__session_translate(s, config, i);
    }
    gputune__ahead_drop(s->k->ahead);
}

// The race gets a quarter of the budget, a third of what the search had.
static double gputune__session_race_seconds(const gputune__session *s)
{
    if (s->tuner->cancelled) return 0;
    return s->tuner->budget.seconds > 0 ? s->tuner->budget.seconds / 3 : 30;
}

// Fills racers with the default and the best trials, not more than there is time for (but one);
// returns how many; 0: an error.
static int gputune__session_racers(gputune__session *s, gputune__racer *racers)
{
    int total = gputune__len(s->tuner->trials), count = 1, i;
    double round_seconds, extra;
    gputune__variant *v;
    const gputune_trial **sorted =
        (const gputune_trial **)gputune__alloc(&s->k->base, (size_t)total, sizeof *sorted);
    if (!sorted) {
        gputune__oom(&s->k->base.error);
        return 0;
    }
    for (i = 0; i < total; i++) sorted[i] = &s->tuner->trials[i];
    qsort(sorted, (size_t)total, sizeof *sorted, gputune__compare_trials);
    gputune__session_foresee_race(s, sorted, total);
    racers[0].variant = &s->standard;
    extra = s->needs_energy ? 1.2 * s->k->device->driver.energy_seconds : 0;
    round_seconds = gputune__session_sample_seconds(s, s->standard_stats.median) + extra;
    for (i = 0; i < total && count < GPUTUNE__RACERS; i++) {
        if (sorted[i]->result != GPUTUNE_OK) break;
        if (count > 1 && 11 * round_seconds > gputune__session_race_seconds(s)) break;
        round_seconds += gputune__session_sample_seconds(s, sorted[i]->stats.median) + extra;
        if (!gputune__session_races(sorted[0]->value, sorted[i]->value)) break;
        v = gputune__session_variant(s, &sorted[i]->config);
        if (!v && s->k->base.error.result == GPUTUNE_ERROR_DEVICE_LOST) {
            count = 0;
            break;
        }
        if (!v || v == &s->standard) continue;
        if (!v->batch) v->batch = gputune__work_batch(&s->work, sorted[i]->stats.median);
        racers[count++].variant = v;
    }
    gputune__free(&s->k->base, sorted);
    return count;
}

static bool gputune__session_go_on(void *user)
{
    gputune_tuner *tuner = (gputune_tuner *)user;
    gputune__tuner_progress(tuner, "race");
    return !tuner->cancelled;
}

// Checks the output of the winner once more; one that fails gives way to the next.
static gputune_result gputune__session_crown(gputune__session *s, gputune__racer *racers, int count,
                                             int *leader)
{
    gputune_error *error = &s->k->base.error, why;
    double seconds;
    int i;
    while (*leader > 0) {
        const gputune__variant *v = racers[*leader].variant;
        gputune_result result;
        gputune__tuner_journal_race(s->tuner, &v->config);
        result = gputune__session_check(s, v, &seconds, &why);
        if (result == GPUTUNE_OK) break;
        if (result == GPUTUNE_ERROR_DEVICE_LOST) {
            *error = why;
            return gputune__session_lost(s, &v->config, error);
        }
        gputune__log(&s->k->base, GPUTUNE_LOG_WARN, "%s: a winner failed its second check: %s",
                     s->k->name, why.text);
        racers[*leader].rounds = 0;
        for (i = 1, *leader = 0; i < count; i++)
            if (!racers[i].out && racers[i].rounds && racers[i].median < racers[*leader].median)
                *leader = i;
        if (racers[*leader].rounds == 0) *leader = 0;
    }
    return GPUTUNE_OK;
}

// Interleaved race of the default and the best few; the winner's output is checked once more.
static gputune_result gputune__session_race(gputune__session *s, gputune__racer *racers, int *count,
                                            int *leader)
{
    gputune_error *error = &s->k->base.error;
    int rounds = s->k->tune.race_rounds > 0 ? s->k->tune.race_rounds : 40, i;
    double most = gputune__session_race_seconds(s);
    double *samples;
    gputune_result result;
    gputune__tuner_progress(s->tuner, "race");
    *count = gputune__session_racers(s, racers);
    if (!*count) return error->result;
    samples =
        (double *)gputune__alloc(&s->k->base, (size_t)(rounds * (*count + 1)), sizeof *samples);
    if (!samples) return gputune__oom(error);
    for (i = 0; i < *count; i++) racers[i].samples = samples + (size_t)i * (size_t)rounds;
    s->work.judge = gputune__session_judge;
    s->work.judge_user = s;
    result = gputune__race(&s->work, racers, *count, rounds, most,
                           samples + (size_t)*count * (size_t)rounds, gputune__session_go_on,
                           s->tuner, leader, error);
    if (result == GPUTUNE_OK) result = gputune__session_crown(s, racers, *count, leader);
    if (result == GPUTUNE_OK) gputune__tuner_journal_race(s->tuner, NULL);
    for (i = 0; i < *count && result == GPUTUNE_OK; i += *leader > 0 ? *leader : *count) {
        gputune_stats *to = i ? &s->p->outcome.best_stats : &s->p->outcome.default_stats;
        if (racers[i].rounds) *to = gputune_stats_of(racers[i].samples, racers[i].rounds);
        if (i == *leader) break;
    }
    gputune__free(&s->k->base, samples);
    return result;
}

// Hands the winner over to the problem, with everything the program may want to know.
static void gputune__session_finish(gputune__session *s, const gputune__racer *racers, int leader)
{
    gputune_outcome *o = &s->p->outcome;
    gputune_tuner *t = s->tuner;
    gputune__variant *winner = racers[leader].variant;
    double value;
    s->p->ready = *winner;
    winner->code = NULL;
    winner->binary.data = NULL;
    o->config = s->p->ready.config;
    o->origin = GPUTUNE_FROM_TUNING;
    o->note = "";
    if (leader == 0) {
        o->best_stats = o->default_stats;
        o->note = "nothing is faster than the default for certain: it stays";
    }
    o->speedup = 0;
    if (o->best_stats.median > 0) o->speedup = o->default_stats.median / o->best_stats.median;
    if (o->default_stats.median < 0) o->speedup = o->best_stats.median / o->default_stats.median;
    if (leader == 0 || (o->speedup > 0 && o->speedup < 1)) o->speedup = 1;
    o->trials = gputune__len(t->trials);
    o->failed = t->failed;
    o->resumed = t->resumed;
    o->drift = s->drift;
    if (s->drift > 0.1)
        gputune__log(&s->k->base, GPUTUNE_LOG_WARN,
                     "%s: the device's speed changed by %.0f %% during the search", s->k->name,
                     100 * s->drift);
    t->default_value = o->default_stats.median;
    value = o->best_stats.median;
    o->store = gputune__tuner_save(t, &o->config, value) ? s->k->device->store_path : NULL;
    if (o->store) gputune__variant_keep_binary(s->k, &s->p->ready); // for the next process
    o->seconds = gputune__tuner_seconds(t) - t->past_seconds;
}

static bool gputune__any_output(const gputune_arg *args, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (args[i].kind == GPUTUNE_ARG_OUT || args[i].kind == GPUTUNE_ARG_INOUT) return true;
    return false;
}

static gputune_tuner *gputune__session_tuner(gputune_kernel *k, gputune__problem *p)
{
    gputune_tuner *t = gputune__tuner_new(&k->base);
    if (!t) return NULL;
    t->device = k->device;
    t->space = p->space;
    t->store = k->device->store;
    t->budget = k->tune.budget;
    t->lanes = 1 + gputune__len(k->devices);
    if (t->budget.seconds == 0) t->budget.seconds = 60;
    t->budget.seconds *= 0.75; // the rest is the race's
    t->progress = k->tune.progress;
    t->progress_user = k->tune.progress_user;
    t->name = gputune__strdup(&k->base, k->name);
    t->problem = gputune__strdup(&k->base, p->text);
    if (!t->name || !t->problem) {
        gputune_tuner_destroy(t);
        return NULL;
    }
    t->key.name = t->name;
    t->key.api = k->device->driver.api;
    t->key.device = k->device->limits.name;
    t->key.driver = k->device->limits.driver;
    t->key.source = k->hash;
    t->key.space = gputune__space_hash(k->space);
    t->key.problem = t->problem;
    return t;
}

static gputune_result gputune__session_go(gputune__session *s, const gputune__target *target,
                                          const gputune_config *hint)
{
    gputune__racer racers[GPUTUNE__RACERS];
    gputune_kernel *k = s->k;
    int count, leader = 0;
    gputune_result result = gputune__tuner_start(s->tuner, k->tune.strategy, k->tune.seed, hint,
                                                 k->device->store ? k->device->store_path : NULL);
    if (result != GPUTUNE_OK) {
        k->base.error = s->tuner->base.error;
        return result;
    }
    memset(racers, 0, sizeof racers);
    result = gputune__session_objective(s, target);
    if (result == GPUTUNE_OK) result = gputune__session_work(s, target);
    if (result == GPUTUNE_OK) result = gputune__session_resume(s);
    if (result == GPUTUNE_OK) result = gputune__session_search(s);
    if (result == GPUTUNE_OK) result = gputune__session_race(s, racers, &count, &leader);
    if (result == GPUTUNE_OK) gputune__session_finish(s, racers, leader);
    return result;
}

// Tunes the kernel for one problem; the tuner's trials stay with the problem.
static gputune_result gputune__kernel_tune(gputune_kernel *k, gputune__problem *p,
                                           gputune_tuner *tuner, const gputune__target *target,
                                           const gputune_arg *args, const gputune__call *call,
                                           const gputune_config *hint)
{
    gputune__session *s = (gputune__session *)gputune__alloc(&k->base, 1, sizeof *s);
    gputune_result result;
    if (!s) return gputune__oom(&k->base.error);
    s->k = k;
    s->p = p;
    s->args = args;
    s->arg_count = call->count;
    s->call = *call;
    for (result = GPUTUNE_OK; s->arg_count-- > 0;) // scalars live in the call: move the pointers
        if (call->bound[s->arg_count].data == call->bytes[s->arg_count])
            s->call.bound[s->arg_count].data = s->call.bytes[s->arg_count];
    s->arg_count = call->count;
    s->tuner = tuner;
    k->tuning = true;
    if (k->tune.check || gputune__any_output(args, call->count))
        result = gputune__session_go(s, target, hint);
    else
        result =
            gputune__error(&k->base.error, GPUTUNE_ERROR_ARGUMENT,
                           "kernel %s: no argument is an output, so nothing could be verified: "
                           "pass what it writes by gputune_out or gputune_inout",
                           k->name);
    gputune__session_end(s);
    gputune__free(&k->base, s);
    k->tuning = false;
    return result;
}

// --- settling a problem: store, tuning, default ---

static gputune_result gputune__problem_use_stored(gputune_kernel *k, gputune__problem *p,
                                                  gputune_tuner *tuner, const gputune_arg *args,
                                                  const gputune__call *call)
{
    const gputune__target *target = gputune__kernel_target(k, &tuner->stored, args, call->count);
    gputune_result result = k->base.error.result;
    gputune_outcome *o = &p->outcome;
    gputune__match match;
    const gputune__entry *entry;
    char why[256];
    if (target)
        result = gputune__variant_make(k, target, &tuner->stored, call, &p->ready, &k->base.error);
    if (result != GPUTUNE_OK) return result;
    o->config = tuner->stored;
    o->origin = GPUTUNE_FROM_STORE;
    o->note = "";
    o->store = k->device->store_path;
    entry = gputune__store_find(tuner->store, &tuner->key, &match, why, sizeof why);
    if (entry && match == GPUTUNE__MATCH_EXACT) {
        o->best_stats.median = entry->value;
        o->default_stats.median = entry->default_value;
        if (entry->value > 0 && entry->default_value > entry->value)
            o->speedup = entry->default_value / entry->value;
        o->trials = entry->trials;
    }
    return GPUTUNE_OK;
}

static void gputune__problem_use_default(gputune_kernel *k, gputune__problem *p, const char *note)
{
    gputune_config config = gputune__space_standard(p->space);
    gputune__variant_discard(k, &p->ready);
    memset(&p->ready, 0, sizeof p->ready);
    p->ready.config = config;
    p->outcome.config = config;
    p->outcome.origin = GPUTUNE_FROM_DEFAULT;
    p->outcome.speedup = 1;
    p->outcome.note = note;
}

static void gputune__kernel_evict(gputune_kernel *k, const gputune_tuner *tuner)
{
    gputune_error error;
    gputune__log(&k->base, GPUTUNE_LOG_WARN,
                 "%s: the stored answer no longer works (%.600s): tuning "
                 "again",
                 k->name, k->base.error.text);
    if (k->base.mode == GPUTUNE_MODE_READONLY) return;
    if (gputune__store_evict(tuner->store, &tuner->key, &error) != GPUTUNE_OK)
        gputune__log(&k->base, GPUTUNE_LOG_WARN, "%s: %s", k->name, error.text);
}

// --- tuning in a child process: the child's side ---

static bool gputune__isolated_progress(void *user, const gputune_progress *p)
{
    gputune__isolated *self = (gputune__isolated *)user;
    const gputune__base *b = &self->base;
    gputune__record record;
    gputune__report report;
    char text[4096];
    bool ok = true;
    memset(&report, 0, sizeof report);
    snprintf(report.word, sizeof report.word, "progress");
    snprintf(report.phase, sizeof report.phase, "%s", p->phase);
    report.trials = p->trials;
    report.planned = p->trials_planned;
    report.failed = p->failed;
    report.seconds = p->seconds;
    report.eta = p->eta;
    report.standard = p->default_value;
    report.best = p->best_value;
    gputune__line_clear(self->line);
    if (p->last) {
        gputune_config_text(&p->last->config, text, sizeof text);
        record = gputune__record_of(p->last, text);
        ok = gputune__put_end(b, &self->line, &record);
    }
    if (!ok || !gputune__put_report(b, &self->line, &report)) return true; // said the next time
    gputune__isolated_send(self);
    return gputune__isolated_answer(self);
}

// Adds one of the two times of the answer to the child's last words.
static bool gputune__isolated_add(gputune__isolated *self, const gputune_config *config,
                                  const gputune_stats *stats)
{
    gputune__record record;
    char text[4096], *line = NULL;
    bool ok;
    memset(&record, 0, sizeof record);
    record.config = (char *)(uintptr_t)gputune_config_text(config, text, sizeof text);
    record.stats = *stats;
    record.value = stats->median;
    ok = gputune__put_end(&self->base, &line, &record) &&
         gputune__text_put(&self->base, &self->line, line, (size_t)stbds_arrlen(line));
    gputune__arr_free(&self->base, line);
    return ok;
}

static void gputune__isolated_finish(gputune__isolated *self, const gputune_kernel *k,
                                     const gputune__problem *p, gputune_result result)
{
    const gputune_outcome *o = &p->outcome;
    gputune_config standard = gputune__space_standard(p->space);
    gputune__report report;
    bool ok = true;
    memset(&report, 0, sizeof report);
    snprintf(report.word, sizeof report.word, "final");
    report.result = result;
    snprintf(report.text, sizeof report.text, "%s",
             result == GPUTUNE_OK ? o->note : k->base.error.text);
    report.trials = o->trials;
    report.failed = o->failed;
    report.speedup = o->speedup;
    report.drift = o->drift;
    report.saved = o->store != NULL;
    gputune__line_clear(self->line);
    if (result == GPUTUNE_OK)
        ok = gputune__isolated_add(self, &standard, &o->default_stats) &&
             gputune__isolated_add(self, &o->config, &o->best_stats);
    if (ok && gputune__put_report(&self->base, &self->line, &report)) gputune__isolated_send(self);
}

// In a child: the tuning that its parent wants ends the process; every other problem is taken from
// the store, or runs its default, so that the program comes to that call as quickly as it can.
static gputune_result gputune__isolated_settle(gputune_kernel *k, gputune__problem *p,
                                               gputune__isolated *self,
                                               const gputune__target *target,
                                               const gputune_arg *args, const gputune__call *call)
{
    gputune_tuner *tuner = p->tuner;
    gputune__report report;
    gputune_config hint;
    bool has_hint = false, known;
    gputune_result result;
    if (gputune__store_key_hash(&tuner->key) != self->key) {
        tuner->base.mode = GPUTUNE_MODE_READONLY; // also where it is `force`: done in the parent
        if (gputune__tuner_look_up(tuner, &hint, &has_hint)) {
            result = gputune__problem_use_stored(k, p, tuner, args, call);
            if (result == GPUTUNE_OK || result == GPUTUNE_ERROR_DEVICE_LOST) return result;
        }
        gputune__problem_use_default(k, p, "another kernel is being tuned in this process");
        return GPUTUNE_OK;
    }
    known = gputune__tuner_look_up(tuner, &hint, &has_hint); // by then another process may know it
    tuner->progress = gputune__isolated_progress;
    tuner->progress_user = self;
    tuner->past_seconds = self->lost;
    memset(&report, 0, sizeof report);
    snprintf(report.word, sizeof report.word, "reached");
    if (!gputune__put_report(&self->base, &self->line, &report) || !gputune__isolated_send(self))
        gputune__isolated_exit(1); // nobody waits for what would follow
    result =
        gputune__kernel_tune(k, p, tuner, target, args, call, known || has_hint ? &hint : NULL);
    gputune__isolated_finish(self, k, p, result);
    gputune__isolated_exit(0);
    return result;
}

// --- tuning in a child process: the parent's side ---

// Is it wanted and possible? What is wanted and not possible is said in the log.
static bool gputune__isolate_wanted(const gputune_kernel *k)
{
    static const char *const words[] = {
        "0", "off", "no", "false", "1", "on", "yes", "true", NULL
    };
    const char *text = getenv("GPUTUNE_ISOLATE"), *missing;
    bool wanted = k->tune.isolate;
    if (text && *text) {
        int found = gputune__word_find(text, words);
        if (found >= 0)
            wanted = found >= 4;
        else
            gputune__log(&k->base, GPUTUNE_LOG_WARN, "GPUTUNE_ISOLATE=%s is neither 0 nor 1", text);
    }
    if (!wanted) return false;
    missing = gputune__isolate_missing((const char *const *)k->command);
    if (!missing && !k->device->store) missing = "there is no store, beside which the journal lies";
    if (missing)
        gputune__log(&k->base, GPUTUNE_LOG_WARN, "%s: tuning in this process: isolation is %s: %s",
                     k->name, gputune_result_text(GPUTUNE_ERROR_UNSUPPORTED), missing);
    return !missing;
}

typedef struct gputune__isolation {
    gputune_kernel *k;
    gputune__problem *p;
    gputune__key key;
    gputune__child child;
    gputune__report report;   // the last one; `final` when all is well
    gputune__record *answer;  // the default and the winner, with `final`
    gputune__record *records; // the journal's
    double walls;             // seconds of theirs before the first child
    double spent;             // that children have been tuning
    int deaths;
    bool reached, done; // the last child came to the call; the journal says it is over
} gputune__isolation;

// Reads the journal; *count is the number of its trials, *walls the seconds that they took, several
// devices at once.
static gputune_result gputune__isolation_read(gputune__isolation *s, int *count, double *walls)
{
    int i;
    gputune_result result;
    gputune__records_free(&s->k->base, s->records);
    s->records = NULL;
    result = gputune__journal_read(&s->k->base, s->k->device->store_path, &s->key, &s->records,
                                   &s->done, &s->k->base.error);
    *count = gputune__len(s->records);
    for (i = 0, *walls = 0; i < *count; i++) *walls += s->records[i].wall_seconds;
    *walls /= 1 + gputune__len(s->k->devices);
    return result;
}

// Calls the program's own callback; false: stop.
static bool gputune__isolation_tell(gputune__isolation *s, const char *phase, double seconds,
                                    const gputune_trial *last)
{
    gputune_tuner *t = s->p->tuner;
    const gputune__report *r = &s->report;
    const bool knows = strcmp(r->word, "progress") == 0;
    gputune_progress p;
    if (!t->progress || t->cancelled) return !t->cancelled;
    memset(&p, 0, sizeof p);
    p.name = s->k->name;
    p.phase = phase;
    p.trials = r->trials;
    p.trials_planned = r->planned;
    p.failed = r->failed;
    p.seconds = seconds;
    p.eta = knows ? r->eta : -1;
    p.default_value = knows ? r->standard : HUGE_VAL;
    p.best_value = knows ? r->best : HUGE_VAL;
    p.last = last;
    if (!t->progress(t->progress_user, &p)) t->cancelled = true;
    return !t->cancelled;
}

// With a child's report.
static bool gputune__isolation_progress(gputune__isolation *s)
{
    gputune_trial last;
    bool has_last = gputune__len(s->child.records) &&
                    gputune_config_parse(s->p->space, s->child.records[0].config, &last.config);
    if (has_last) gputune__trial_of(&s->child.records[0], &last);
    return gputune__isolation_tell(s, s->report.phase, s->report.seconds, has_last ? &last : NULL);
}

// Without one. False: the child is not needed any more. Once it is tuning it ends by itself at its
// next report: killed, its trial would count as crashed.
static bool gputune__isolation_wait(gputune__isolation *s)
{
    double seconds = s->report.seconds + s->child.silent;
    bool go_on = gputune__isolation_tell(s, s->reached ? "wait" : "start", seconds, NULL);
    return go_on || s->reached || s->deaths;
}

// Seconds within which the program must come to its call: nobody wants to wait much longer for the
// tuning to begin than for the tuning.
static double gputune__isolation_reach(const gputune_tuner *t)
{
    double limit = 10 * t->budget.seconds > 30 ? 10 * t->budget.seconds : 30;
    if (t->budget.seconds <= 0 || limit > GPUTUNE__ISOLATE_REACH_SECONDS)
        limit = GPUTUNE__ISOLATE_REACH_SECONDS;
    return limit;
}

// Seconds without a sign after which a child is killed: what the longest trial takes whose launches
// (8 of the default, fewer of others) stay within their limit and whose last one hangs, and a
// margin. The limits are the session's own; `standard` is the default's time, infinite at first.
static double gputune__isolation_silence(const gputune_tune_desc *tune, double standard)
{
    double time = 30, hang = 60;
    if (tune->objective) standard = HUGE_VAL; // what it is is no time
    if (standard <= DBL_MAX) time = 20 * standard > 1 ? 20 * standard : 1;
    if (tune->time_limit > 0) time = tune->time_limit;
    if (standard <= DBL_MAX) hang = 10 * time > 10 ? 10 * time : 10;
    if (tune->hang_limit > 0) hang = tune->hang_limit;
    return hang + 8 * (time < hang ? time : hang) + GPUTUNE__ISOLATE_MARGIN_SECONDS;
}

// Runs one child to its end. HEARD_REPORT: it said `final`, which is in s->report.
static gputune__heard gputune__isolation_follow(gputune__isolation *s)
{
    const gputune__base *b = &s->k->base;
    double limit = gputune__isolation_reach(s->p->tuner), begin = 0;
    gputune__heard heard;
    bool silent;
    s->reached = false;
    for (;;) {
        heard = gputune__child_listen(b, &s->child, limit, &s->report);
        silent = s->child.silent > limit;
        if (heard == GPUTUNE__HEARD_NOTHING && !silent && gputune__isolation_wait(s)) continue;
        if (heard != GPUTUNE__HEARD_REPORT) break;
        if (strcmp(s->report.word, "final") == 0) break;
        if (strcmp(s->report.word, "reached") == 0) {
            s->reached = true;
            begin = gputune_now();
            limit = gputune__isolation_silence(&s->k->tune, HUGE_VAL);
        } else if (strcmp(s->report.word, "progress") == 0) {
            limit = gputune__isolation_silence(&s->k->tune, s->report.standard);
            gputune__child_answer(&s->child, gputune__isolation_progress(s));
        }
    }
    if (s->reached) s->spent += gputune_now() - begin;
    if (heard == GPUTUNE__HEARD_REPORT) {
        s->answer = s->child.records;
        s->child.records = NULL;
    }
    gputune__child_end(b, &s->child,
                       heard == GPUTUNE__HEARD_NOTHING ? 0 : GPUTUNE__ISOLATE_GRACE_SECONDS);
    if (heard == GPUTUNE__HEARD_NOTHING && silent)
        snprintf(s->child.status, sizeof s->child.status, "killed after %.0f s of silence", limit);
    return heard;
}

// A child has died, or lost its device. OK if another one may go on: when the journal has grown
// since this one began, for otherwise the next one would end as it did. So would it where the mode
// is `force`, which tries even a default that ended its process again: once is enough.
static gputune_result gputune__isolation_death(gputune__isolation *s, int known, int now)
{
    gputune_error *error = &s->k->base.error;
    const char *name = s->k->name, *culprit = now ? s->records[now - 1].config : "none";
    bool lost = strcmp(s->report.word, "final") == 0;
    bool again = now > 1 && s->records[now - 2].result != GPUTUNE_OK &&
                 strcmp(s->records[now - 2].config, culprit) == 0;
    if (!s->reached && s->p->tuner->cancelled)
        return gputune__error(error, GPUTUNE_CANCELLED,
                              "kernel %s: not tuned: stopped before its child process had begun",
                              name);
    if (!s->reached)
        return gputune__error(error, GPUTUNE_ERROR_UNSUPPORTED,
                              "kernel %s: not tuned: this program, started anew as a child "
                              "process, did not come to the same call (%s)",
                              name, s->child.status);
    s->deaths++;
    if (now > known && s->deaths <= GPUTUNE__ISOLATE_RESTARTS && !again) {
        gputune__log(&s->k->base, GPUTUNE_LOG_WARN,
                     "%s: the child process %s (%s), its last configuration was %.900s: going on "
                     "in a new one",
                     name, lost ? "lost the device" : "ended", s->child.status, culprit);
        return GPUTUNE_OK;
    }
    if (lost) return gputune__error(error, s->report.result, "%s", s->report.text);
    if (now > known)
        return gputune__error(error, GPUTUNE_ERROR_CRASHED,
                              "kernel %s: %d child processes ended, the last (%s) with %.900s",
                              name, s->deaths, s->child.status, culprit);
    return gputune__error(error, GPUTUNE_ERROR_CRASHED,
                          "kernel %s: the child process ended (%s) %s%s, and no configuration can "
                          "be blamed",
                          name, s->child.status, *s->report.phase ? "in the phase " : "at once",
                          s->report.phase);
}

// Starts children until one has the answer, or says why there is none.
static gputune_result gputune__isolation_run(gputune__isolation *s)
{
    gputune_kernel *k = s->k;
    gputune_error *error = &k->base.error;
    int known, now, old = 0; // trials in the journal; in one that was over before we began
    double walls, lost;
    gputune__heard heard;
    gputune_result result = gputune__isolation_read(s, &known, &s->walls);
    if (s->done) old = known, known = 0, s->walls = 0; // the first child begins it anew
    walls = s->walls;
    s->p->outcome.resumed = known;
    for (; result == GPUTUNE_OK; known = now) {
        // What children took and no trial shows: the one that each died in, the default again.
        lost = s->spent - (walls - s->walls);
        memset(&s->report, 0, sizeof s->report);
        result = gputune__child_start(&k->base, (const char *const *)k->command,
                                      gputune__store_key_hash(&s->key), lost > 0 ? lost : 0,
                                      &s->child, error);
        if (result != GPUTUNE_OK) return result;
        heard = gputune__isolation_follow(s);
        if (heard == GPUTUNE__HEARD_NO_MEMORY) return gputune__oom(error);
        result = gputune__isolation_read(s, &now, &walls);
        if (result != GPUTUNE_OK) return result;
        if (heard == GPUTUNE__HEARD_REPORT && s->report.result == GPUTUNE_OK) return GPUTUNE_OK;
        if (heard == GPUTUNE__HEARD_REPORT && s->report.result != GPUTUNE_ERROR_DEVICE_LOST)
            return gputune__error(error, s->report.result, "%s", s->report.text);
        if (s->reached && s->done && now != old) return GPUTUNE_OK; // it died with its answer saved
        gputune__records_free(&k->base, s->answer);
        s->answer = NULL;
        result = gputune__isolation_death(s, known, now);
    }
    return result;
}

// Is a record not the word on its configuration? Later ones are, but not the default's forgiven
// death.
static bool gputune__isolation_outdated(const gputune__isolation *s, int record,
                                        const gputune_config *config)
{
    const char *text = s->records[record].config;
    const gputune_config standard = gputune__space_standard(s->p->space);
    bool forgiven =
        gputune__same_choice(config, &standard) && gputune__died_once(s->records, text);
    int i;
    if (forgiven && s->records[record].result == GPUTUNE_ERROR_CRASHED) return true;
    for (i = record + 1; i < gputune__len(s->records); i++)
        if (strcmp(s->records[i].config, text) == 0 &&
            !(forgiven && s->records[i].result == GPUTUNE_ERROR_CRASHED))
            return true;
    return false;
}

// The journal's trials become those of the problem's tuner, for gputune_kernel_trial. Some are
// missing when memory lacks.
static void gputune__isolation_trials(gputune__isolation *s)
{
    gputune_tuner *t = s->p->tuner;
    gputune_trial trial;
    int i;
    for (i = 0; i < gputune__len(s->records); i++) {
        if (!gputune_config_parse(t->space, s->records[i].config, &trial.config)) continue;
        if (gputune__isolation_outdated(s, i, &trial.config)) continue;
        gputune__trial_of(&s->records[i], &trial);
        if (!gputune__tuner_keep_reason(t, &trial)) return;
        if (!gputune__push(&t->base, t->trials, trial)) return;
        t->failed += trial.result != GPUTUNE_OK;
    }
}

// Takes the answer over: from the child's last words or, if they did not come, from the store.
static gputune_result gputune__isolation_take(gputune__isolation *s, const gputune_arg *args,
                                              const gputune__call *call)
{
    gputune_kernel *k = s->k;
    gputune__problem *p = s->p;
    gputune_tuner *t = p->tuner;
    gputune_outcome *o = &p->outcome;
    const gputune__target *target = NULL;
    const char *note = "";
    gputune_result result;
    if (gputune__len(s->answer) == 2) {
        if (!gputune_config_parse(p->space, s->answer[1].config, &o->config))
            return gputune__error(&k->base.error, GPUTUNE_ERROR_FORMAT,
                                  "kernel %s: the child process answered \"%.900s\"", k->name,
                                  s->answer[1].config);
        target = gputune__kernel_target(k, &o->config, args, call->count);
        result = k->base.error.result;
        if (target)
            result = gputune__variant_make(k, target, &o->config, call, &p->ready, &k->base.error);
        o->default_stats = s->answer[0].stats;
        o->best_stats = s->answer[1].stats;
        o->speedup = s->report.speedup;
        o->drift = s->report.drift;
        o->store = s->report.saved ? k->device->store_path : NULL;
        note = s->report.text;
    } else {
        gputune_config hint;
        bool has_hint;
        t->base.mode = GPUTUNE_MODE_ON; // not `force`: it has just been written
        if (!gputune__tuner_look_up(t, &hint, &has_hint))
            return gputune__error(&k->base.error, GPUTUNE_ERROR_FILE,
                                  "kernel %s: the child process saved no answer", k->name);
        result = gputune__problem_use_stored(k, p, t, args, call);
    }
    o->origin = GPUTUNE_FROM_TUNING;
    if (s->deaths)
        snprintf(p->note, sizeof p->note, "%.180s%s%d %s the child process", note,
                 *note ? "; " : "", s->deaths,
                 s->deaths == 1 ? "configuration ended" : "configurations ended");
    else
        snprintf(p->note, sizeof p->note, "%.180s", note);
    o->note = p->note;
    return result;
}

// Tunes the kernel for one problem in child processes; this one's device sees no trial.
static gputune_result gputune__isolate_tune(gputune_kernel *k, gputune__problem *p,
                                            const gputune_arg *args, const gputune__call *call)
{
    const double begin = gputune_now();
    gputune__isolation *s = (gputune__isolation *)gputune__alloc(&k->base, 1, sizeof *s);
    gputune_outcome *o = &p->outcome;
    gputune_result result;
    if (!s) return gputune__oom(&k->base.error);
    s->k = k;
    s->p = p;
    s->key = p->tuner->key;
    gputune__log(&k->base, GPUTUNE_LOG_INFO, "%s: tuning in a child process", k->name);
    result = gputune__isolation_run(s);
    gputune__store_reload(k->device->store);
    gputune__isolation_trials(s);
    if (result == GPUTUNE_OK) result = gputune__isolation_take(s, args, call);
    o->trials = gputune__len(p->tuner->trials) ? gputune__len(p->tuner->trials) : s->report.trials;
    o->failed = gputune__len(p->tuner->trials) ? p->tuner->failed : s->report.failed;
    o->seconds = gputune_now() - begin;
    gputune__records_free(&k->base, s->answer);
    gputune__records_free(&k->base, s->records);
    gputune__free(&k->base, s);
    return result;
}

// Finds the configuration for a problem that is seen for the first time (or again, after its
// stored answer has failed). The error, if any, is why the default is used.
static gputune_result gputune__problem_settle(gputune_kernel *k, gputune__problem *p,
                                              const gputune__target *target,
                                              const gputune_arg *args, const gputune__call *call)
{
    gputune_tuner *tuner;
    gputune_config hint;
    bool has_hint = false, known;
    gputune__isolated self;
    gputune_result result;
    p->settled = true;
    if (k->base.mode == GPUTUNE_MODE_OFF) {
        gputune__problem_use_default(k, p, "tuning is switched off");
        return GPUTUNE_OK;
    }
    tuner = gputune__session_tuner(k, p);
    if (!tuner) {
        gputune__problem_use_default(k, p, "tuning failed");
        return gputune__oom(&k->base.error);
    }
    gputune_tuner_destroy(p->tuner);
    p->tuner = tuner;
    if (gputune__isolated_find(&k->base, &self))
        return gputune__isolated_settle(k, p, &self, target, args, call);
    known = !p->tuned_again && gputune__tuner_look_up(tuner, &hint, &has_hint);
    if (known) {
        result = gputune__problem_use_stored(k, p, tuner, args, call);
        if (result == GPUTUNE_OK || result == GPUTUNE_ERROR_DEVICE_LOST) return result;
        gputune__kernel_evict(k, tuner);
    }
    if (k->base.mode == GPUTUNE_MODE_READONLY) {
        gputune__problem_use_default(k, p, "read-only, and the store knows no answer");
        return GPUTUNE_OK;
    }
    if (gputune__isolate_wanted(k))
        result = gputune__isolate_tune(k, p, args, call);
    else
        result = gputune__kernel_tune(k, p, tuner, target, args, call, has_hint ? &hint : NULL);
    if (result != GPUTUNE_OK) gputune__problem_use_default(k, p, "tuning failed");
    return result;
}

// The common way in: binds the arguments, finds the problem, settles it. *tuned says what settling
// returned; the result is an error only if there is nothing to launch.
static gputune_result gputune__kernel_settle(gputune_kernel *k, const gputune_arg *args, int count,
                                             gputune__problem **problem, gputune_result *tuned)
{
    gputune_error *error = &k->base.error;
    gputune_config standard;
    const gputune__target *target;
    gputune__call call;
    gputune__variant shape;
    gputune_result result;
    *tuned = GPUTUNE_OK;
    if (k->device == NULL || k->device->failed || k->space == NULL) return error->result;
    if (count > GPUTUNE__MAX_ARGS)
        return gputune__error(error, GPUTUNE_ERROR_ARGUMENT, "%d arguments; at most %d", count,
                              GPUTUNE__MAX_ARGS);
    standard = gputune__space_defaults(k->space);
    target = gputune__kernel_target(k, &standard, args, count);
    if (!target) return error->result;
    result = gputune__call_bind(target, args, count, &call, error);
    if (result != GPUTUNE_OK) return result;
    *problem = gputune__kernel_problem(k, target, &call);
    if (!*problem) return error->result;
    k->last = *problem;
    if ((*problem)->settled) return GPUTUNE_OK;
    memset(&shape, 0, sizeof shape);
    shape.config = standard;
    if (gputune__variant_shape(k, target, &call, &shape, error) == GPUTUNE_OK &&
        gputune__variant_empty(&shape)) {
        gputune__problem_use_default(k, *problem, "nothing to do for these arguments");
        return GPUTUNE_OK;
    }
    *tuned = gputune__problem_settle(k, *problem, target, args, &call);
    return GPUTUNE_OK;
}

// --- launching ---

// Every call begins with a clean error, but a kernel that could not be made keeps its own.
static bool gputune__kernel_enter(gputune_kernel *k)
{
    if (!k || !k->space) return false;
    k->base.error.result = GPUTUNE_OK;
    k->base.error.text[0] = 0;
    return true;
}

static gputune_result gputune__kernel_refused(const gputune_kernel *k)
{
    return k ? k->base.error.result : GPUTUNE_ERROR_MEMORY;
}

static gputune_result gputune__kernel_launch(gputune_kernel *k, gputune__variant *v,
                                             const gputune_arg *args, int count)
{
    gputune_error *error = &k->base.error;
    const gputune__target *target = gputune__kernel_target(k, &v->config, args, count);
    gputune__call call;
    gputune_launch launch;
    gputune_result result;
    if (!target) return error->result;
    result = gputune__call_bind(target, args, count, &call, error);
    if (result == GPUTUNE_OK) result = gputune__variant_shape(k, target, &call, v, error);
    if (result != GPUTUNE_OK || gputune__variant_empty(v)) return result;
    if (!v->code) result = gputune__variant_compile(k, target->function, v, error);
    if (result == GPUTUNE_OK) result = gputune__check_group(k, v, error);
    if (result != GPUTUNE_OK) return result;
    gputune__variant_launch(v, call.bound, call.count, &launch);
    return k->device->driver.launch(k->device->self, v->code, &launch, error);
}

// A winner may not fit another size of its bucket: this once the default does the work. It stays
// compiled: that size will come again, and the launch is still under way when this returns.
static gputune_result gputune__kernel_launch_default(gputune_kernel *k, gputune__problem *p,
                                                     const gputune_arg *args, int count,
                                                     gputune_result why)
{
    gputune_result result;
    if (!p->standard.code) p->standard.config = gputune__space_standard(p->space);
    if (gputune__same_choice(&p->standard.config, &p->ready.config)) return why;
    gputune__log(&k->base, GPUTUNE_LOG_WARN, "%s: launching the default this once: %s", k->name,
                 k->base.error.text);
    result = gputune__kernel_launch(k, &p->standard, args, count);
    if (result == GPUTUNE_OK) gputune__variant_keep_binary(k, &p->standard);
    return result;
}

GPUTUNE_API gputune_result gputune_tune(gputune_kernel *k, const gputune_arg *args, int arg_count,
                                        gputune_outcome *outcome)
{
    gputune__problem *p = NULL;
    gputune_result tuned, result;
    if (!gputune__kernel_enter(k)) return gputune__kernel_refused(k);
    result = gputune__kernel_settle(k, args, arg_count, &p, &tuned);
    if (outcome) *outcome = p ? p->outcome : k->none;
    return result != GPUTUNE_OK ? result : tuned;
}

GPUTUNE_API gputune_result gputune_run(gputune_kernel *k, const gputune_arg *args, int arg_count)
{
    gputune__problem *p = NULL;
    gputune_result tuned, result;
    if (!gputune__kernel_enter(k)) return gputune__kernel_refused(k);
    result = gputune__kernel_settle(k, args, arg_count, &p, &tuned);
    if (result != GPUTUNE_OK) return result;
    // Mistakes in the annotations are the program's to mend: launching would hide them.
    if (tuned == GPUTUNE_ERROR_SYMBOL || tuned == GPUTUNE_ERROR_SYNTAX ||
        tuned == GPUTUNE_ERROR_ARITHMETIC || tuned == GPUTUNE_ERROR_EMPTY_SPACE)
        return tuned;
    if (tuned != GPUTUNE_OK)
        gputune__log(&k->base, GPUTUNE_LOG_WARN, "%s: launching the default: %s", k->name,
                     k->base.error.text);
    result = gputune__kernel_launch(k, &p->ready, args, arg_count);
    if (result == GPUTUNE_OK) gputune__variant_keep_binary(k, &p->ready);
    if (result == GPUTUNE_OK || result == GPUTUNE_ERROR_DEVICE_LOST ||
        result == GPUTUNE_ERROR_ARGUMENT)
        return result;
    if (p->outcome.origin != GPUTUNE_FROM_STORE || p->tuned_again)
        return gputune__kernel_launch_default(k, p, args, arg_count, result);
    // A stored winner that no longer fits the device: forget it and tune again, once.
    gputune__kernel_evict(k, p->tuner);
    gputune__variant_retire(k, &p->ready);
    p->tuned_again = true;
    p->settled = false;
    result = gputune__kernel_settle(k, args, arg_count, &p, &tuned);
    if (result == GPUTUNE_OK) result = gputune__kernel_launch(k, &p->ready, args, arg_count);
    if (result == GPUTUNE_OK) gputune__variant_keep_binary(k, &p->ready);
    return result;
}

GPUTUNE_API gputune_result gputune_run_config(gputune_kernel *k, const gputune_config *config,
                                              const gputune_arg *args, int arg_count)
{
    gputune__variant *v = NULL;
    gputune_result result;
    int i, count = (int)(sizeof k->recent / sizeof *k->recent);
    if (!gputune__kernel_enter(k)) return gputune__kernel_refused(k);
    for (i = 0; i < count && !v; i++)
        if (k->recent[i].code && k->recent[i].config.space == config->space &&
            gputune__same_choice(&k->recent[i].config, config))
            v = &k->recent[i];
    if (!v) {
        v = &k->recent[k->recent_at++ % count];
        gputune__variant_retire(k, v);
        memset(v, 0, sizeof *v);
        v->config = *config;
    }
    result = gputune__kernel_launch(k, v, args, arg_count);
    gputune__variant_drop_binary(k, v);
    return result;
}

GPUTUNE_API gputune_result gputune_time_config(gputune_kernel *k, const gputune_config *config,
                                               const gputune_arg *args, int arg_count, int samples,
                                               gputune_stats *stats)
{
    gputune__session *s;
    const gputune__target *target;
    gputune_result result;
    double *seconds;
    int i;
    memset(stats, 0, sizeof *stats);
    if (!gputune__kernel_enter(k)) return gputune__kernel_refused(k);
    if (samples < 1)
        return gputune__error(&k->base.error, GPUTUNE_ERROR_ARGUMENT, "%d samples", samples);
    target = gputune__kernel_target(k, config, args, arg_count);
    if (!target) return k->base.error.result;
    s = (gputune__session *)gputune__alloc(&k->base, 1, sizeof *s);
    seconds = (double *)gputune__alloc(&k->base, (size_t)samples, sizeof *seconds);
    result = s && seconds ? GPUTUNE_OK : gputune__oom(&k->base.error);
    if (result == GPUTUNE_OK) {
        s->k = k;
        s->args = args;
        s->arg_count = arg_count;
        result = gputune__call_bind(target, args, arg_count, &s->call, &k->base.error);
    }
    if (result == GPUTUNE_OK) result = gputune__session_work(s, target);
    if (result == GPUTUNE_OK) {
        s->work.time_limit = k->tune.time_limit > 0 ? k->tune.time_limit : 30;
        s->work.hang_limit = k->tune.hang_limit > 0 ? k->tune.hang_limit : 60;
        result = gputune__variant_make(k, target, config, &s->call, &s->standard, &k->base.error);
    }
    if (result == GPUTUNE_OK) result = gputune__work_prepare(&s->work, true, &k->base.error);
    for (i = -1; i < samples && result == GPUTUNE_OK; i++) { // the first launch does not count
        double one;
        result = gputune__work_sample(&s->work, &s->standard, &one, &k->base.error);
        if (result != GPUTUNE_OK) break;
        if (i < 0)
            s->standard.batch = gputune__work_batch(&s->work, one);
        else
            seconds[i] = one;
    }
    if (result == GPUTUNE_OK && samples > 0) *stats = gputune_stats_of(seconds, samples);
    if (s) gputune__session_end(s);
    gputune__free(&k->base, s);
    gputune__free(&k->base, seconds);
    return result;
}

GPUTUNE_API const gputune_outcome *gputune_kernel_outcome(const gputune_kernel *k)
{
    return k->last ? &k->last->outcome : &k->none;
}

GPUTUNE_API gputune_result gputune_kernel_space(gputune_kernel *k, const gputune_arg *args,
                                                int arg_count, const gputune_space **space)
{
    gputune_config standard;
    const gputune__target *target;
    gputune__problem *p;
    gputune__call call;
    gputune_result result;
    *space = NULL;
    if (!gputune__kernel_enter(k)) return gputune__kernel_refused(k);
    standard = gputune__space_defaults(k->space);
    target = gputune__kernel_target(k, &standard, args, arg_count);
    if (!target) return k->base.error.result;
    result = gputune__call_bind(target, args, arg_count, &call, &k->base.error);
    if (result != GPUTUNE_OK) return result;
    p = gputune__kernel_problem(k, target, &call);
    if (!p) return k->base.error.result;
    result = gputune_space_build(p->space);
    if (result != GPUTUNE_OK) k->base.error = *gputune_space_error(p->space);
    *space = p->space;
    return result;
}

GPUTUNE_API int gputune_kernel_trial_count(const gputune_kernel *k)
{
    return k->last && k->last->tuner ? gputune__len(k->last->tuner->trials) : 0;
}

GPUTUNE_API const gputune_trial *gputune_kernel_trial(const gputune_kernel *k, int trial)
{
    return gputune_tuner_trial(k->last->tuner, trial);
}

GPUTUNE_API const char *gputune_kernel_source(gputune_kernel *k, const gputune_config *config)
{
    bool converted;
    if (!gputune__kernel_enter(k)) return NULL;
    gputune__arr_free(&k->base, k->text);
    if (!k->has_source) {
        gputune__error(&k->base.error, GPUTUNE_ERROR_UNSUPPORTED, "kernel %s has no source",
                       k->name);
        return NULL;
    }
    if (gputune__kernel_text(k, config, &k->text, &converted, &k->base.error) == GPUTUNE_OK)
        return k->text;
    gputune__arr_free(&k->base, k->text);
    return NULL;
}

// --- making a kernel ---

// Reads a whole file as text.
static gputune_result gputune__read_file(const gputune__base *b, const char *path, char **text,
                                         gputune_error *error)
{
    FILE *file = fopen(path, "rb");
    char part[4096];
    size_t got;
    bool ok = true;
    if (!file)
        return gputune__error(error, GPUTUNE_ERROR_FILE, "cannot read %s: %s", path,
                              strerror(errno));
    while (ok && (got = fread(part, 1, sizeof part, file)) > 0)
        ok = gputune__text_put(b, text, part, got);
    if (ok) ok = gputune__text_put(b, text, "", 0);
    if (ok && ferror(file)) {
        fclose(file);
        return gputune__error(error, GPUTUNE_ERROR_FILE, "cannot read %s", path);
    }
    fclose(file);
    return ok ? GPUTUNE_OK : gputune__oom(error);
}

static bool gputune__copy_text(const gputune__base *b, char **to, const char *from)
{
    if (from) *to = gputune__strdup(b, from);
    return !from || *to;
}

static bool gputune__kernel_copy_command(gputune_kernel *k, const char *const *command)
{
    char *copy;
    for (; command && *command; command++) {
        copy = gputune__strdup(&k->base, *command);
        if (copy && gputune__arr_room(&k->base, k->command, 2)) {
            stbds_arrput(k->command, copy);
            k->command[stbds_arrlen(k->command)] = NULL;
            continue;
        }
        gputune__free(&k->base, copy);
        return false;
    }
    return true;
}

static gputune_result gputune__kernel_copy_lists(gputune_kernel *k, const gputune_kernel_desc *desc)
{
    const gputune__base *b = &k->base;
    const gputune_param *p;
    const gputune_function *f;
    const char *const *r;
    for (p = desc->params; p && p->name; p++) {
        gputune_param copy;
        char *name = NULL, *values = NULL, *standard = NULL;
        bool ok = gputune__copy_text(b, &name, p->name) &&
                  gputune__copy_text(b, &values, p->values) &&
                  gputune__copy_text(b, &standard, p->value_default);
        copy.name = name;
        copy.values = values;
        copy.value_default = standard;
        if (ok && gputune__push(b, k->params, copy)) continue;
        gputune__free(b, name);
        gputune__free(b, values);
        gputune__free(b, standard);
        return gputune__oom(&k->base.error);
    }
    for (r = desc->require; r && *r; r++) {
        char *copy = gputune__strdup(b, *r);
        if (copy && gputune__push(b, k->require, copy)) continue;
        gputune__free(b, copy);
        return gputune__oom(&k->base.error);
    }
    if (!gputune__kernel_copy_command(k, desc->tune.isolate_command))
        return gputune__oom(&k->base.error);
    for (f = desc->functions; f && f->name; f++) {
        gputune_function copy = *f;
        char *name = gputune__strdup(b, f->name);
        copy.name = name;
        if (name && gputune__push(b, k->functions, copy)) continue;
        gputune__free(b, name);
        return gputune__oom(&k->base.error);
    }
    return GPUTUNE_OK;
}

static gputune_result gputune__kernel_copy(gputune_kernel *k, const gputune_kernel_desc *desc)
{
    const gputune__base *b = &k->base;
    bool ok = gputune__copy_text(b, &k->name, desc->name) &&
              gputune__copy_text(b, &k->global, desc->global) &&
              gputune__copy_text(b, &k->local, desc->local) &&
              gputune__copy_text(b, &k->options, desc->options) &&
              gputune__copy_text(b, &k->problem_text, desc->tune.problem) &&
              gputune__copy_text(b, &k->reference, desc->tune.reference) &&
              gputune__copy_text(b, &k->reference_global, desc->tune.reference_global) &&
              gputune__copy_text(b, &k->reference_local, desc->tune.reference_local) &&
              gputune__copy_text(b, &k->objective, desc->tune.objective);
    if (!ok) return gputune__oom(&k->base.error);
    k->select = desc->select;
    k->select_user = desc->select_user;
    k->tune = desc->tune;
    return gputune__kernel_copy_lists(k, desc);
}

// May the text include other files, in any spelling? Comments count, too: then nothing is lost but
// the kept binary.
static bool gputune__text_includes(const char *text)
{
    return strstr(text, "include") || strstr(text, "embed");
}

static gputune_result gputune__kernel_read_source(gputune_kernel *k,
                                                  const gputune_kernel_desc *desc)
{
    gputune_error *error = &k->base.error;
    const char *source = desc->source;
    char *text = NULL;
    gputune_result result = GPUTUNE_OK;
    if ((!k->device->driver.takes_source || k->select) && !source && !desc->file) return GPUTUNE_OK;
    if (!source && !desc->file)
        return gputune__error(error, GPUTUNE_ERROR_ARGUMENT, "kernel %s: no source and no file",
                              k->name);
    if (!source) {
        result = gputune__read_file(&k->base, desc->file, &text, error);
        source = text;
    }
    if (result == GPUTUNE_OK) result = gputune__source_parse(&k->base, source, &k->source, error);
    if (result == GPUTUNE_OK) {
        k->has_source = true;
        k->hash = gputune__hash_text(source, 0);
        k->includes = gputune__text_includes(source);
    } else if (desc->file && !desc->source && result == GPUTUNE_ERROR_SYNTAX) {
        gputune_error inner = *error;
        gputune__error(error, result, "%.400s: %.1000s", desc->file, inner.text);
    }
    gputune__arr_free(&k->base, text);
    return result;
}

// Are there kernels whose heads a macro makes? Then only the compiler knows their names.
static bool gputune__source_hides_kernels(const gputune__source *s)
{
    int d, v;
    for (d = 0; d < gputune__len(s->defines); d++)
        for (v = s->defines[d].value; s->defines[d].function && v < s->defines[d].value_end; v++)
            if (gputune__token_in(s, v, gputune__kernel_words)) return true;
    return s->kernels == NULL;
}

static gputune_result gputune__kernel_check_function(gputune_kernel *k, const char *function)
{
    char known[512] = "";
    size_t used = 0;
    int i;
    if (k->has_source && gputune__source_find(&k->source, function)) return GPUTUNE_OK;
    if (!k->has_source &&
        (gputune__kernel_find_function(k, function) || !k->functions || k->select))
        return GPUTUNE_OK; // the replay driver needs none; the host driver says so itself
    if (k->has_source && gputune__source_hides_kernels(&k->source)) return GPUTUNE_OK;
    for (i = 0; k->has_source && i < gputune__len(k->source.kernels) && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 k->source.kernels[i].name);
    for (i = 0; !k->has_source && i < gputune__len(k->functions) && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "",
                                 k->functions[i].name);
    return gputune__error(&k->base.error, GPUTUNE_ERROR_ARGUMENT,
                          "there is no kernel \"%s\"; there are: %s", function, known);
}

// The name is a kernel function or a parameter whose values are kernel functions.
static gputune_result gputune__kernel_check_names(gputune_kernel *k)
{
    gputune_result result = GPUTUNE_OK;
    int i;
    k->selector = gputune_space_param_index(k->space, k->name);
    if (k->selector < 0) {
        result = gputune__kernel_check_function(k, k->name);
    } else {
        for (i = 0; i < gputune_space_value_count(k->space, k->selector); i++) {
            gputune_value value = gputune_space_value(k->space, k->selector, i);
            if (value.kind != GPUTUNE_NAME)
                return gputune__error(&k->base.error, GPUTUNE_ERROR_ARGUMENT,
                                      "parameter %s selects the kernel: its values must be names",
                                      k->name);
            if (result == GPUTUNE_OK) result = gputune__kernel_check_function(k, value.name);
        }
    }
    if (result == GPUTUNE_OK && k->reference)
        result = gputune__kernel_check_function(k, k->reference);
    if (result == GPUTUNE_OK && k->has_source)
        result = gputune__source_check_options(k->space, k->options ? k->options : "",
                                               &k->base.error);
    return result;
}

// Is the other device of the kernel's kind? Else what differs goes into *why.
static bool gputune__device_matches(const gputune_device *own, const gputune_device *other,
                                    char *why, size_t size)
{
    const gputune_limits *a = &own->limits, *b = &other->limits;
    double memory = (double)a->global_memory, difference = memory - (double)b->global_memory;
    if (a->board[0] && strcmp(a->board, b->board) == 0)
        snprintf(why, size, "it is the same board as another of them (%s)", a->board);
    else if (strcmp(own->driver.api, other->driver.api) != 0)
        snprintf(why, size, "its interface is %s, not %s", other->driver.api, own->driver.api);
    else if (strcmp(a->name, b->name) != 0)
        snprintf(why, size, "it is not a %s", a->name);
    else if (strcmp(a->driver, b->driver) != 0)
        snprintf(why, size, "its driver is %s, not %s", b->driver, a->driver);
    else if (a->compute_units != b->compute_units)
        snprintf(why, size, "it has %lld compute units, not %lld", (long long)b->compute_units,
                 (long long)a->compute_units);
    else if (fabs(difference) > 0.01 * memory)
        snprintf(why, size, "it has %lld bytes of memory, not %lld", (long long)b->global_memory,
                 (long long)a->global_memory);
    else
        return true;
    return false;
}

// Takes the list of further devices over. Trials on other devices say nothing about this one.
static gputune_result gputune__kernel_copy_devices(gputune_kernel *k, gputune_device *const *list)
{
    gputune_error *error = &k->base.error;
    int i, j;
    for (i = 0; list && list[i]; i++) {
        char why[512] = "it is the kernel's own";
        bool fits = list[i] != k->device;
        if (list[i]->failed) {
            *error = list[i]->base.error;
            return error->result;
        }
        if (fits) fits = gputune__device_matches(k->device, list[i], why, sizeof why);
        for (j = 0; j < i && fits; j++) {
            fits = list[j] != list[i] && (!list[i]->limits.board[0] ||
                                          strcmp(list[i]->limits.board, list[j]->limits.board));
            if (!fits) snprintf(why, sizeof why, "it is device %d, too", j);
        }
        if (fits && k->select) {
            fits = false;
            snprintf(why, sizeof why, "what `select` gives is of one device");
        } else if (fits && i == GPUTUNE__LANES_MOST) {
            fits = false;
            snprintf(why, sizeof why, "more than %d devices", GPUTUNE__LANES_MOST + 1);
        }
        if (!fits)
            return gputune__error(error, GPUTUNE_ERROR_ARGUMENT,
                                  "kernel %s: gputune_tune_desc.devices[%d], %s: %s", k->name, i,
                                  list[i]->limits.name, why);
        if (!gputune__push(&k->base, k->devices, list[i])) return gputune__oom(error);
    }
    return GPUTUNE_OK;
}

// An answer holds for the rules by which it was found.
static void gputune__kernel_hash_rules(gputune_kernel *k)
{
    const gputune_tolerance *t = &k->tune.tolerance;
    char text[128];
    if (k->tune.cold_cache) k->hash = gputune__hash_text("cold", k->hash);
    if (k->reference) k->hash = gputune__hash_text(k->reference, k->hash);
    if (!(t->absolute > 0) && !(t->relative > 0) && !(t->ulp > 0)) return;
    snprintf(text, sizeof text, "%.17g %.17g %.17g", t->absolute, t->relative, t->ulp);
    k->hash = gputune__hash_text(text, k->hash);
}

static gputune_result gputune__kernel_set_up(gputune_kernel *k, const gputune_kernel_desc *desc)
{
    gputune_result result = gputune__kernel_copy(k, desc);
    if (result == GPUTUNE_OK) result = gputune__kernel_copy_devices(k, desc->tune.devices);
    if (result == GPUTUNE_OK) result = gputune__kernel_read_source(k, desc);
    if (result != GPUTUNE_OK) return result;
    k->includes = k->includes || (k->options && strstr(k->options, "include"));
    k->hash = gputune__hash_text(k->options ? k->options : "", k->hash);
    gputune__kernel_hash_rules(k);
    if (k->objective) k->hash = gputune__hash_text(k->objective, k->hash);
    k->space = gputune__kernel_make_space(k);
    return k->space ? gputune__kernel_check_names(k) : k->base.error.result;
}

GPUTUNE_API gputune_kernel *gputune_kernel_create(gputune_device *device,
                                                  const gputune_kernel_desc *desc)
{
    gputune_kernel *k;
    assert(desc->name);
    if (!device) return NULL;
    k = (gputune_kernel *)gputune__alloc(&device->base, 1, sizeof *k);
    if (!k) return NULL;
    k->base = device->base;
    k->device = device;
    k->selector = -1;
    k->none.note = "not run yet";
    k->none.speedup = 1;
    if (device->failed) return k; // keeps the device's error
    memset(&k->base.error, 0, sizeof k->base.error);
    if (gputune__kernel_set_up(k, desc) != GPUTUNE_OK) {
        gputune_space_destroy(k->space);
        k->space = NULL; // the sign that every later call returns the error
        gputune__log(&k->base, GPUTUNE_LOG_ERROR, "%s", k->base.error.text);
    }
    return k;
}

GPUTUNE_API void gputune_kernel_destroy(gputune_kernel *k)
{
    const gputune__base *b;
    int i;
    if (!k) return;
    b = &k->device->base;
    for (i = 0; i < (int)(sizeof k->recent / sizeof *k->recent); i++)
        gputune__variant_discard(k, &k->recent[i]);
    for (i = 0; i < gputune__len(k->problems); i++) gputune__problem_free(k, k->problems[i]);
    gputune__arr_free(b, k->problems);
    for (i = 0; i < gputune__len(k->targets); i++) gputune__target_free(b, k->targets[i]);
    gputune__arr_free(b, k->targets);
    for (i = 0; i < gputune__len(k->params); i++) {
        gputune__free(b, (void *)(uintptr_t)k->params[i].name);
        gputune__free(b, (void *)(uintptr_t)k->params[i].values);
        gputune__free(b, (void *)(uintptr_t)k->params[i].value_default);
    }
    gputune__arr_free(b, k->params);
    for (i = 0; i < gputune__len(k->require); i++) gputune__free(b, k->require[i]);
    gputune__arr_free(b, k->require);
    for (i = 0; i < gputune__len(k->command); i++) gputune__free(b, k->command[i]);
    gputune__arr_free(b, k->command);
    for (i = 0; i < gputune__len(k->functions); i++)
        gputune__free(b, (void *)(uintptr_t)k->functions[i].name);
    gputune__arr_free(b, k->functions);
    for (i = 0; i < k->problem_count; i++) {
        gputune__expr_free(b, k->problem_exprs[i]);
        gputune__free(b, k->problem_names[i]);
    }
    gputune__kernel_drop_made(k);
    gputune__arr_free(b, k->devices);
    gputune_space_destroy(k->space);
    gputune__source_free(b, &k->source);
    gputune__arr_free(b, k->text);
    gputune__free(b, k->name);
    gputune__free(b, k->global);
    gputune__free(b, k->local);
    gputune__free(b, k->options);
    gputune__free(b, k->problem_text);
    gputune__free(b, k->reference);
    gputune__free(b, k->reference_global);
    gputune__free(b, k->reference_local);
    gputune__free(b, k->objective);
    gputune__free(b, k);
}

GPUTUNE_API const gputune_error *gputune_kernel_error(const gputune_kernel *k)
{
    return k ? &k->base.error : &gputune__no_memory;
}

#ifdef __cplusplus
}
#endif

#ifdef GPUTUNE__OPTIMIZE_O1
#pragma GCC pop_options
#undef GPUTUNE__OPTIMIZE_O1
#endif

#endif // GPUTUNE_IMPLEMENTATION

// HISTORY
//     0.1.0  2026-11-21  first version: spaces, annotations, host, replay and OpenCL drivers, store
//
// LICENCE
//     This software is available under two licences: choose whichever you prefer.
//
//     ALTERNATIVE A - MIT License
//     Copyright (c) 2026 gputune authors
//     Permission is hereby granted, free of charge, to any person obtaining a copy of this
//     software and associated documentation files (the "Software"), to deal in the Software
//     without restriction, including without limitation the rights to use, copy, modify, merge,
//     publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons
//     to whom the Software is furnished to do so, subject to the following conditions: The above
//     copyright notice and this permission notice shall be included in all copies or substantial
//     portions of the Software. THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND,
//     EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS
//     FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT
//     HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF
//     CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE
//     USE OR OTHER DEALINGS IN THE SOFTWARE.
//
//     ALTERNATIVE B - Public Domain (www.unlicense.org)
//     This is free and unencumbered software released into the public domain. Anyone is free to
//     copy, modify, publish, use, compile, sell, or distribute this software, either in source
//     code form or as a compiled binary, for any purpose, commercial or non-commercial, and by any
//     means. In jurisdictions that recognize copyright laws, the author or authors of this
//     software dedicate any and all copyright interest in the software to the public domain. We
//     make this dedication for the benefit of the public at large and to the detriment of our
//     heirs and successors. We intend this dedication to be an overt act of relinquishment in
//     perpetuity of all present and future rights to this software under copyright law. THE
//     SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING
//     BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
//     NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
//     LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
//     CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
