// All tests in one program, together with the implementation, so that they may look inside.
//
//     tests                      every suite but those that want to be named: storm
//     tests --suites             their names
//     tests --suite NAME         one of them
//     tests ... PART [PART]      only the cases with one of the parts in "suite/case"; =suite/case:
//                                that one alone
//     tests --counts FILE ...    and writes what tests/counts.h should be
//
// Prints what failed with file and line and, per suite, "NAME: N passed, N failed, N skipped".
// Exit status 1 when anything failed. A new suite: tests/test_NAME.c and two lines below.
//
// A case fails that makes fewer assertions than tests/counts.h has for it: its loops have seen less
// than they were written for. So does one without a number. After adding or changing cases
//
//     tests --counts tests/counts.h --suite NAME
//
// writes the file anew, and the difference is to be looked at. A number stands where its case does
// not run, and as long as it makes at most twice as many assertions. Where they vary with the
// device or with time, or are thousands, half of what was made is enough: halve it by hand.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE // mkdtemp, fork, kill: for the tests; the library needs none of it
#endif

// A hung child is killed sooner than in programs. test_load: see test.h.
static int test_load;
#define GT__ISOLATE_MARGIN_SECONDS (4.0 * test_load)

// Both ways to fill a buffer are gone in every suite: real buffers end before 2 GiB.
#define GT_CL__FILL_REACH ((size_t)10001)

#include "faults.h"
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#include "faults.h" // the end of it
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

// The library is what takes time; the tests unoptimised take no longer to run, and much less to
// compile. Other builds have them optimised, for the warnings that need it.
#if defined(TESTS_UNOPTIMISED) && !defined(__clang__)
#pragma GCC optimize("O0")
#endif

#include "rig.h"
#include "test.h"

#include <signal.h>
#include <unistd.h>

// What is expected is computed by the rules of real numbers, whatever the flags.
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0
#ifdef __clang__
#pragma float_control(precise, on)
#else
#pragma GCC optimize("no-fast-math", "no-finite-math-only")
#endif
#endif

static char running[256]; // "suite/case", for the message when it ends the program
static pid_t main_process;

#include "test_expr.c"
#include "test_space.c"
#include "test_source.c"
#include "test_base.c"
#include "test_store.c"
#include "test_faults.c"
#include "test_storm.c"
#include "test_tree.c"
#include "test_search.c"
#include "test_subspaces.c"
#include "test_device.c"
#include "test_measure.c"
#include "test_tune.c"
#include "test_model.c"
#include "test_models.c"
#include "test_files.c"
#include "test_ptx.c"
#include "test_threads.c"
#include "test_answer.c"
#include "test_share.c"
#include "test_metrics.c"
#include "test_saturation.c"
#include "test_profiler.c"
#include "test_profiling.c"
#include "test_promises.c"
#include "test_isolate.c"
#include "test_adapt.c"
#include "test_sizes.c"
#include "test_classes.c"
#include "test_slices.c"
#include "test_cl.c"
#include "test_cuda.c"
#include "test_driver.c"
#include "test_composite.c"
#include "test_whole.c"
#include "test_kernels.c"
#include "test_pools.c"
#include "test_programs.c"
#include "test_dialect.c"
#include "test_others.c"
#include "test_dysel_cases.c"
#include "test_starchart.c"
#include "test_coarsen.c"
#include "test_coarsening.c"
#include "test_profile_mode.c"
#include "test_corpus.c"
#include "test_merging.c"
#include "test_ranges.c"
#include "test_face.c"
#include "test_user.c"
#include "test_figures.c"
#include "test_report.c"

typedef struct test_suite {
    const char *name;
    const test_case *cases;
    const rig_driver *rig; // for cases that run on several drivers
    bool named;            // runs only when --suite names it: takes long
} test_suite;

#define SUITE(name) { #name, name##_cases, NULL, false }
#define SUITE_ONCE(name) SUITE(name) // what compilers say of our texts: no matter who compiled us
#define SUITE_ON(name, cases, rig) { #name, cases##_cases, &rig, false }

static const test_suite suites[] = {
    SUITE(expr),
    SUITE(space),
    SUITE(source),
    SUITE(base),
    SUITE(store),
    SUITE(faults),
    SUITE(tree),
    SUITE(search),
    SUITE(subspaces),
    SUITE(device),
    SUITE(measure),
    SUITE(tune),
    SUITE(model),
    SUITE(files),
    SUITE(bench_models),
    SUITE(bench_ptx),
    SUITE(threads),
    SUITE(answer),
    SUITE(share),
    SUITE(metrics),
    SUITE(saturation),
    SUITE(profiler),
    SUITE(profiling),
    SUITE(promises),
    SUITE(isolate),
    SUITE(adapt),
    SUITE(composite),
    SUITE(sizes),
    SUITE(classes),
    SUITE(slices),
    SUITE(cl),
    SUITE(cuda),
    SUITE_ON(driver_opencl, driver, rig_opencl),
    SUITE_ON(driver_cuda, driver, rig_cuda),
    SUITE_ON(opencl, whole, rig_opencl),
    SUITE_ON(cuda_device, whole, rig_cuda),
    SUITE_ON(composite_opencl, composite_device, rig_opencl),
    SUITE_ON(composite_cuda, composite_device, rig_cuda),
    SUITE_ON(graphs_cuda, graphs, rig_cuda),
    SUITE_ON(kernels, kernels, rig_opencl),
    SUITE_ON(kernels_cuda, kernels, rig_cuda),
    SUITE_ON(programs, programs, rig_opencl),
    SUITE_ON(programs_cuda, programs, rig_cuda),
    SUITE_ONCE(others),
    SUITE_ON(ktt, ktt, rig_opencl),
    SUITE_ON(ktt_cuda, ktt, rig_cuda),
    SUITE_ON(pools, pools, rig_opencl),
    SUITE_ON(pools_cuda, pools, rig_cuda),
    SUITE_ON(pool_forms, pool_forms, rig_opencl),
    SUITE_ON(dysel_host, dysel_host, rig_opencl),
    SUITE_ON(dysel_cases, dysel_cases, rig_opencl),
    SUITE_ON(dysel_cases_cuda, dysel_cases, rig_cuda),
    SUITE_ON(starchart, starchart, rig_opencl),
    SUITE_ON(starchart_cuda, starchart, rig_cuda),
    SUITE(dialect),
    SUITE_ONCE(dialect_compiled),
    SUITE(coarsen),
    SUITE_ON(coarsened, coarsened, rig_opencl),
    SUITE_ON(coarsened_cuda, coarsened, rig_cuda),
    SUITE(coarsening),
    SUITE(profile_mode),
    SUITE(corpus),
    SUITE_ONCE(corpus_compiled),
    SUITE(merging),
    SUITE(ranges),
    SUITE(face),
    SUITE_ON(user, user, rig_opencl),
    SUITE(figures),
    SUITE(report),
    SUITE_ON(figures_opencl, figures_device, rig_opencl),
    SUITE_ON(figures_cuda, figures_device, rig_cuda),
    SUITE_ON(corpus_opencl, corpus_device, rig_opencl),
    SUITE_ON(corpus_cuda, corpus_device, rig_cuda),
    { "storm", storm_cases, NULL, true },
};

#define SUITE_COUNT (sizeof suites / sizeof *suites)

// The fewest assertions that a case makes.
static const struct {
    const char *name;
    long least;
} test_counts[] = {
#include "counts.h"
    { NULL, 0 },
};

static FILE *new_counts; // --counts

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
void __sanitizer_set_death_callback(void (*callback)(void));
const char *__asan_default_options(void);
const char *__ubsan_default_options(void);
const char *__lsan_default_options(void);
const char *__lsan_default_suppressions(void);

// CUDA maps memory where the sanitizer keeps its shadow's gap. Tests make allocations fail.
const char *__asan_default_options(void)
{
    return "protect_shadow_gap=0:allocator_may_return_null=1";
}

const char *__ubsan_default_options(void)
{
    return "abort_on_error=1:print_stacktrace=1";
}

const char *__lsan_default_options(void)
{
    return "print_suppressions=0";
}

// What OpenCL implementations leave behind is theirs. libstdc++: they are C++, we are not.
const char *__lsan_default_suppressions(void)
{
    return "leak:libOpenCL\nleak:libpocl\nleak:libLLVM\nleak:libclang\nleak:libhwloc\n"
           "leak:libnvidia\nleak:libcuda\nleak:libnvrtc\nleak:libstdc++\n";
}
#endif

static void report_death(void)
{
    if (!running[0] || getpid() != main_process) return;
    printf("  FAILED %s: it ended the program\n", running);
    fflush(stdout);
}

// Whoever calls exit(0) in a case has not passed it, nor those after it.
static void on_exit_early(void)
{
    if (!running[0] || getpid() != main_process) return;
    report_death();
    _exit(1);
}

static void on_abort(int number)
{
    report_death();
    signal(number, SIG_DFL);
    raise(number);
}

static bool selected(const char *name, char **parts, int count)
{
    int i;
    for (i = 0; i < count; i++)
        if (parts[i][0] == '=' ? strcmp(name, parts[i] + 1) == 0 : strstr(name, parts[i]) != NULL)
            return true;
    return count == 0;
}

// Of the case that runs; 0: it is not in tests/counts.h.
static long recorded_count(void)
{
    size_t i = 0;
    while (test_counts[i].name && strcmp(test_counts[i].name, running) != 0) i++;
    return test_counts[i].least;
}

// A case without assertions, or with fewer than it once had, would pass whatever is tested.
static void check_count(void)
{
    const long least = recorded_count();
    if (test_failures || test_skip_reason) return;
    if (!test_checks)
        TEST_FAIL("made no assertion");
    else if (!least && !new_counts)
        TEST_FAIL("made %ld assertions, and has no number in tests/counts.h", test_checks);
    else if (test_checks < least && !new_counts)
        TEST_FAIL("made %ld assertions, at least %ld are expected", test_checks, least);
}

// The recorded count stands unless one was made that is smaller, or more than twice as large.
static void write_count(bool ran)
{
    long count = recorded_count();
    if (!new_counts) return;
    if (ran && !test_failures && !test_skip_reason &&
        (test_checks < count || test_checks > 2 * count))
        count = test_checks;
    if (count) fprintf(new_counts, "{ \"%s\", %ld },\n", running, count);
    fflush(new_counts); // before the next case, which may fork
}

// Runs a suite's selected cases; returns how many failed.
static int run_suite(size_t suite, bool wanted, char **parts, int part_count)
{
    const test_case *c;
    int passed = 0, failed = 0, skipped = 0;
    rig_now = suites[suite].rig;
    for (c = suites[suite].cases; c->name; c++) {
        snprintf(running, sizeof running, "%s/%s", suites[suite].name, c->name);
        if (!wanted || !selected(running, parts, part_count)) {
            write_count(false);
            continue;
        }
        test_failures = 0;
        test_checks = 0;
        test_skip_reason = NULL;
        c->run();
        check_count();
        write_count(true);
        if (test_failures)
            failed++, printf("  FAILED %s\n", running);
        else if (test_skip_reason)
            skipped++, printf("  skipped %s: %s\n", running, test_skip_reason);
        else
            passed++;
        fflush(stdout);
    }
    running[0] = 0;
    if (passed + failed + skipped)
        printf("%s: %d passed, %d failed, %d skipped\n", suites[suite].name, passed, failed,
               skipped);
    fflush(stdout); // before the next suite, whose cases may fork
    return failed;
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    int failed = 0, first = 1;
    size_t i;
    test_load_read();
    if (argc > 3 && strcmp(argv[1], "--isolated-case") == 0) return isolate_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "--environment") == 0) _exit(device_environment_main());
    main_process = getpid();
    atexit(on_exit_early);
    signal(SIGABRT, on_abort);
#ifdef SANITIZED
    __sanitizer_set_death_callback(report_death);
#else
    signal(SIGSEGV, on_abort);
#endif
    if (argc > 1 && strcmp(argv[1], "--suites") == 0) {
        for (i = 0; i < SUITE_COUNT; i++) printf("%s\n", suites[i].name);
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "--counts") == 0) {
        new_counts = fopen(argv[2], "w");
        if (!new_counts) return perror(argv[2]), 1;
        fputs("// The fewest assertions that each case makes; tests/main.c says how this file is "
              "kept.\n", new_counts);
        first = 3;
    }
    if (argc > first + 1 && strcmp(argv[first], "--suite") == 0) {
        only = argv[first + 1];
        first += 2;
    }
    for (i = 0; i < SUITE_COUNT && only && strcmp(only, suites[i].name); i++) continue;
    if (i == SUITE_COUNT) return fprintf(stderr, "there is no suite %s\n", only), 2;
    for (i = 0; i < SUITE_COUNT; i++)
        failed += run_suite(i, only ? strcmp(only, suites[i].name) == 0 : !suites[i].named,
                            argv + first, argc - first);
    if (new_counts) fclose(new_counts);
    return failed > 0;
}
