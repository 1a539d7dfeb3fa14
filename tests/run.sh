#!/bin/sh
# Runs every test: the unit tests under AddressSanitizer and UndefinedBehaviorSanitizer, the
# compile checks, the style check. Installs what is missing.
#
#     sh tests/run.sh                  all
#     sh tests/run.sh PART [PART ...]  those with one of the parts in "suite/case", "compile/check",
#                                      "corpus/oclgrind" or "style"; what takes long and runs
#                                      only if it is named: "compile/fast_math", "compile/nvcc",
#                                      "compile/thread_sanitizer", "corpus/oclgrind",
#                                      "report/chromium"
#     sh tests/run.sh --units [FLAG ...]  the unit tests that no device runs, with these flags of
#                                      the compiler in place of the sanitizers' (with CC=clang, too)
#
# The last line is "N passed, N failed, N skipped"; the exit status is non-zero if any failed.
# What needs a GPU, or a compiler that cannot be installed here, is skipped with its reason;
# GPUTUNE_STRICT=1 makes a missing compiler a failure, and takes all of the corpus, not a third, to
# OpenCL's compiler and NVRTC. Of each kernel a third of its forms runs there: three successive
# commits run them all. Environment: see also tests/setup.sh.
#
# Limits of time grow with the machine's load, which is measured once at the start. TEST_LOAD=3 by
# hand: things take three times as long as on an idle machine.

case ${1:-} in --job) job=$2; shift 2 ;; *) job= ;; esac
units= units_flags= on="[_A-Z]*"
case ${1:-} in --units) units=yes on=; shift; units_flags=$*; set -- ;; esac
[ -n "$job" ] || . "$(dirname "$0")/setup.sh"

tally() { echo "$@" >>"$tmp/tally"; } # passed failed skipped

# --- one job: runs beside others, prints in one go, adds to the tally ---

limit=$((300 * ${TEST_LOAD:-1})) # seconds

# Prints a log, cut to size, indented.
show() { sed 's/^/    /' "$1" | awk 'NR <= 30 { print } END { if (NR > 30) print "    ..." }'; }

job_build() {
    if $TEST_CC >"$tmp/build.log" 2>&1; then
        touch "$tmp/built"
    else
        { echo "FAILED building tests/main.c"; show "$tmp/build.log"; } >"$tmp/build.out"
        cat "$tmp/build.out"
        tally 0 1 0
        touch "$tmp/unbuilt"
    fi
}

job_suite() { # NAME [PART ...]: needs job_build, which was started before it
    suite=$1
    shift
    parts=$#
    while [ ! -e "$tmp/built" ]; do
        [ ! -e "$tmp/unbuilt" ] && [ -e "$tmp/tally" ] || return 0 # failed, or all is over
        sleep 0.2
    done
    log=$tmp/suite.$suite.log
    status=0
    # PoCL's threads end LeakSanitizer's tracer with a fault of its own after a failed build, and
    # after some large kernels; the same code is looked at for leaks by the suites cl, tune, pools.
    # Clang's tracer ends so behind cl, too, whose leaks gcc's looks for.
    case $suite:${CC:-} in
        opencl:* | composite_opencl:* | dysel_cases:* | cl:clang)
            export ASAN_OPTIONS="${ASAN_OPTIONS:-}:detect_leaks=0"
            ;;
    esac
    # Whole programs' kernels, of which we change values alone: what PoCL's optimiser makes of them
    # is not ours, and half of the time. Where we rewrite kernels it stays on.
    case $suite in
    kernels | ktt | starchart | dysel_cases | composite_opencl)
        export POCL_EXTRA_BUILD_FLAGS=-cl-opt-disable
        ;;
    esac
    timeout -k 10 -s ABRT $limit "$tmp/tests" --suite "$suite" "$@" >"$log" 2>&1 || status=$?
    counts=$(sed -n "s/^$suite: \(.*\) passed, \(.*\) failed, \(.*\) skipped$/\1 \2 \3/p" "$log")
    # shellcheck disable=SC2086 # three numbers
    set -- $counts
    if [ $# -ne 3 ]; then
        [ $status -ne 0 ] || [ "$parts" -eq 0 ] || return 0 # nothing selected
        set -- 0 1 0
        echo "$suite: ended with status $status; it may take $limit s" >>"$log"
    elif [ $status -ne 0 ] && [ "$2" -eq 0 ]; then # a leak, seen at the end
        set -- "$1" 1 "$3"
    fi
    tally "$@"
    if [ "$2" -eq 0 ]; then
        echo "$suite: $1 passed$([ "$3" -eq 0 ] || echo ", $3 skipped")" >"$tmp/$suite.out"
        sed -n 's/^  skipped/    skipped/p' "$log" >>"$tmp/$suite.out"
    else
        # What the failed ones said; they stand in a log that children's ends may have filled.
        grep -B 6 '^  FAILED ' "$log" >"$log.failed" || cp "$log" "$log.failed"
        { echo "$suite: $1 passed, $2 FAILED, $3 skipped"; show "$log.failed"; } >"$tmp/$suite.out"
    fi
    cat "$tmp/$suite.out"
}

# A script that says by its status how it went: 0 passed, 77 skipped, else failed.
job_script() { # NAME COMMAND ...
    name=$1
    shift
    out=$tmp/$(echo "$name" | tr / _).out
    status=0
    timeout $limit "$@" >"$out.log" 2>&1 || status=$?
    case $status in
    0) tally 1 0 0; echo "$name: passed" >"$out" ;;
    77) tally 0 0 1; echo "$name: skipped, $(tail -n 1 "$out.log")" >"$out" ;;
    *)
        why="status $status"
        [ $status -ne 124 ] || why="not at its end after $limit s"
        tally 0 1 0
        { echo "$name: FAILED, $why"; show "$out.log"; } >"$out"
        ;;
    esac
    cat "$out"
}

case $job in
build) job_build; exit 0 ;;
suite) job_suite "$@"; exit 0 ;;
script) job_script "$@"; exit 0 ;;
esac

# --- all of them ---

# selected NAME PART ...: one of the parts is in the name, or there are none
selected() {
    text=$1
    shift
    [ $# -gt 0 ] || return 0
    for part in "$@"; do
        case $text in *"$part"*) return 0 ;; esac
    done
    return 1
}

# The compilers of the compile checks, and Oclgrind. A machine that cannot install them skips what
# needs them.
setup_compilers() {
    want gcc have gcc
    want g++ have g++
    want clang have clang++
    want tcc have tcc
    want oclgrind test -e /usr/lib/oclgrind/liboclgrind-rt-icd.so
    have x86_64-w64-mingw32-gcc-win32 ||
        want gcc-mingw-w64-x86-64-win32 have x86_64-w64-mingw32-gcc
    install_missing || say "not installed:$missing"
    missing=
}

setup_browser() {
    want chromium have chromium
    install_missing || say "not installed:$missing"
    missing=
}

# Sets TEST_CC to a command that builds the tests with sanitizers.
choose_test_compiler() {
    # With lines only. The library at -O1 takes 15 s longer to compile than at -O0, and the suites
    # half the time.
    flags='-std=gnu99 -O1 -g1 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -I. -Itests'
    sanitize='-fsanitize=address,undefined -fno-sanitize-recover=undefined -DTESTS_UNOPTIMISED'
    [ -z "$units_flags" ] || sanitize=$units_flags
    for compiler in "$CC" gcc clang; do
        # shellcheck disable=SC2086
        $compiler $sanitize "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null || continue
        "$tmp/empty" >/dev/null 2>&1 || export ASAN_OPTIONS=detect_leaks=0 # no ptrace here
        "$tmp/empty" >/dev/null 2>&1 || continue
        TEST_CC="$compiler $flags $sanitize tests/main.c -o $tmp/tests"
        TEST_CC="$TEST_CC -Wl,--as-needed $opencl_flag -lm"
        return 0
    done
    say "neither $CC nor gcc nor clang has the sanitizers"
    exit 1
}

# Sets TEST_LOAD: how many times longer half a second of every processor's own time takes, rounded
# up; 1 on an idle machine, 3 with four busy loops beside two processors.
measure_load() {
    cat >"$tmp/load.c" <<'EOF'
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }
int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 1;
    struct timeval begin, end;
    struct rusage used;
    double times;
    int i;
    gettimeofday(&begin, NULL);
    for (i = 0; i < count; i++)
        if (fork() == 0) {
            do getrusage(RUSAGE_SELF, &used);
            while (seconds(used.ru_utime) + seconds(used.ru_stime) < 0.5);
            _exit(0);
        }
    while (wait(NULL) > 0) continue;
    gettimeofday(&end, NULL);
    times = (seconds(end) - seconds(begin)) / 0.5;
    printf("%d\n", times < 1.25 ? 1 : (int)(times + 0.999));
    return 0;
}
EOF
    TEST_LOAD=1
    "$CC" "$tmp/load.c" -o "$tmp/load" && TEST_LOAD=$("$tmp/load" "$(nproc 2>/dev/null || echo 2)")
    [ "$TEST_LOAD" -eq 1 ] ||
        say "the machine is busy: limits of time are $TEST_LOAD times as long (TEST_LOAD)"
}

# A locale with a decimal comma, for the test that files look the same in it.
setup_locale() {
    want locales test -e /usr/share/i18n/locales/de_DE
    install_missing || say "not installed:$missing"
    missing=
    mkdir -p "$tmp/locale"
    localedef -i de_DE -f UTF-8 "$tmp/locale/de_DE.UTF-8" >/dev/null 2>&1 || return 0
    export LOCPATH="$tmp/locale"
}

setup_basics
setup_opencl
setup_opencl_flag
setup_cuda_headers
setup_compilers
[ $# -eq 0 ] || ! selected report/chromium "$@" || setup_browser
setup_locale
choose_test_compiler
[ -n "${TEST_LOAD:-}" ] || measure_load
[ -z "${ASAN_OPTIONS:-}" ] || say "leaks cannot be looked for on this machine"

# Nothing of the user's settings, stores or caches has a part in this, or is touched by it.
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG GPUTUNE_ISOLATE GPUTUNE_ISOLATED GPUTUNE_REPORT
export HOME="$tmp/home" XDG_STATE_HOME="$tmp/home/state" XDG_CACHE_HOME="$tmp/home/cache"
export POCL_CACHE_DIR="$tmp/home/pocl" CUDA_CACHE_PATH="$tmp/home/cuda" TMPDIR="$tmp"
export TEST_CC tmp opencl_flag TEST_LOAD LC_ALL=C
mkdir -p "$POCL_CACHE_DIR" "$CUDA_CACHE_PATH"
: >"$tmp/tally"

# Whose turn it is: the number of commits. A shallow clone does not know it, and takes the commit's
# second: any third. Without git it is the first third. CORPUS_TURN=0, 1, 2 by hand runs all.
if [ -z "${CORPUS_TURN:-}" ]; then
    case $(git rev-parse --is-shallow-repository 2>/dev/null) in
    false) CORPUS_TURN=$(git rev-list --count HEAD) ;;
    true) CORPUS_TURN=$(git log -1 --format=%ct) ;;
    *) CORPUS_TURN=0 ;;
    esac
fi
export CORPUS_TURN

waiting='isolate cuda face cl'
{
    echo build
    for check in $([ -n "$units" ] || sh tests/compile/check.sh); do
        case $check$# in fast_math0 | thread_sanitizer0 | nvcc0) continue ;; esac # CI names them
        ! selected "compile/$check" "$@" ||
            echo "script compile/$check sh tests/compile/check.sh $check"
    done
    [ -n "$units" ] || ! selected style "$@" || echo "script style sh tests/style.sh"
    [ $# -eq 0 ] || ! selected report/chromium "$@" ||
        echo "script report/chromium sh tests/report/run.sh"
    [ -n "$units" ] || [ $# -eq 0 ] || ! selected corpus/oclgrind "$@" ||
        echo "script corpus/oclgrind sh tests/corpus/oclgrind.sh"
    # The longest first, so that none runs alone at the end; those that wait for most of their time
    # ($waiting) beside all others.
    {
        [ -n "$units" ] || printf '%s\n' corpus_opencl corpus_cuda starchart programs coarsened \
            coarsened_cuda kernels corpus_compiled
        printf '%s\n' adapt search profiling profiler
        sed -n "s/^    SUITE$on(\([a-z0-9_]*\)[,)].*/\1/p" tests/main.c
    } | awk -v parts="$*" -v waiting=" $waiting " \
        '!seen[$1]++ && !index(waiting, " " $1 " ") { print "suite", $1, parts }'
} >"$tmp/jobs"
jobs=$(nproc 2>/dev/null || echo 2)
lost() {
    echo "FAILED: a job ended without a result"
    tally 0 1 0
}
for suite in $waiting; do sh tests/run.sh --job suite "$suite" "$@"; done &
beside=$!
xargs -P "$jobs" -I LINE sh -c 'sh tests/run.sh --job LINE' <"$tmp/jobs" || lost
wait $beside || lost

# What failed once more, where nobody has to look for it.
for out in "$tmp"/*.out; do
    ! grep -q FAILED "$out" || cat "$out"
done
awk '{ passed += $1; failed += $2; skipped += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
          exit failed > 0 || passed + skipped == 0 }' "$tmp/tally"
