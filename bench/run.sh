#!/bin/sh
# Builds and runs a benchmark. Installs what is missing.
#
#     sh bench/run.sh NAME [arguments]     overhead, space, search, kernels, cuda, msp, threshold,
#                                          merge, dysel, starchart, tree, adapt, models, bounds,
#                                          embed, answer, calls, slice, voting: bench/bench_NAME.c
#     sh bench/run.sh first [...]          the first four processes of ten programs: bench/first.sh
#     sh bench/run.sh mpi                  trials a second of examples/30_mpi.c: bench/mpi.sh
#     sh bench/run.sh peer [options]       beside Kernel Tuner: see bench/peer/run.sh
#     sh bench/run.sh search_peer FOLDER [SEEDS [STRATEGY ...]]    its strategies on recorded spaces
#     sh bench/run.sh search_peer --beside OURS THEIRS             a table of both rows
#     sh bench/run.sh report [...]     the README's picture of a report: see bench/report.sh
#     sh bench/run.sh plots [FOLDER]   the plots of bench/README.md, of what stands in bench/results
#
# Prints one row a figure: result<TAB>name<TAB>value<TAB>unit. Everything else goes to stderr.
# The exit status is 0 only when the benchmark ran to its end. Environment: see tests/setup.sh.
. "$(dirname "$0")/../tests/setup.sh"

name=${1:-}
[ $# -eq 0 ] || shift
case $name in *[!a-z0-9_]*) name= ;; esac
if [ "$name" = search_peer ]; then
    . bench/search_peer.sh
    exit 0
fi
if [ "$name" = mpi ]; then
    . bench/mpi.sh
    exit 0
fi
if [ "$name" = first ]; then
    . bench/first.sh
    exit 0
fi
if [ "$name" = report ]; then
    . bench/report.sh
    exit 0
fi
if [ -z "$name" ] || [ ! -e "bench/bench_$name.c" ]; then
    say "usage: sh bench/run.sh NAME [arguments]; there are"
    for file in bench/bench_*.c; do
        file=${file##*/bench_}
        say "    ${file%.c}"
    done
    exit 2
fi

if [ "$name" = peer ]; then
    . bench/peer/run.sh
    exit 0
fi
setup_basics
libraries=-lm
case $name in
cuda | msp | merge | threshold | dysel | starchart | adapt | models | bounds | embed | answer | \
    slice | voting)
    setup_cuda_headers
    ;;
esac
if [ "$name" != cuda ] && [ "$name" != plots ] && [ "$name" != calls ]; then
    setup_opencl
    setup_opencl_flag
    libraries="$opencl_flag -lm"
fi
flags=-O2
if [ "$name" = calls ]; then
    CC=gcc
    flags='-O0 -finstrument-functions -finstrument-functions-exclude-file-list=bench/'
fi
if [ "$name" = dysel ]; then # its C functions are what is measured: all cores, vectors
    flags='-O3 -march=native -fno-math-errno -fno-trapping-math'
    if "$CC" -fopenmp "$tmp/empty.c" -o "$tmp/empty" >/dev/null 2>&1; then
        flags="$flags -fopenmp"
    else
        say "$CC has no OpenMP: the host device uses one core"
    fi
fi
# shellcheck disable=SC2086 # words
"$CC" $flags -I. "bench/bench_$name.c" -o "$tmp/bench" -Wl,--as-needed $libraries
export TMPDIR="$tmp"
if [ "$name" = tree ]; then # scikit-learn measures the same data afterwards
    export GPUTUNE_TREE_TASKS="$tmp/tasks"
fi
if [ "$name" = bounds ]; then # a profiler launches the same winners again
    export GPUTUNE_STORE="$tmp/store.txt"
    "$tmp/bench" "$@" >"$tmp/rows"
    cat "$tmp/rows"
    . bench/bounds_ncu.sh
    exit 0
fi
if [ "$name" = answer ] && [ "${1:-}" = --base ]; then # an older gputune's sources
    base=$2
    shift 2
    "$tmp/bench" "$@" >"$tmp/rows"
    cat "$tmp/rows"
    interface=3
    grep -q 'bool all;' "$base/gputune.h" || interface=2
    ! grep -q 'define GPUTUNE_VERSION "0\.1\.' "$base/gputune.h" || interface=1
    [ "${1:-}" != relatives ] || shift
    # shellcheck disable=SC2086 # words
    "$CC" -w $flags -DANSWER_BASE=$interface -I"$base" \
        -DKERNELS="\"$base/examples/kernels\"" bench/answer_base.c -o "$tmp/base" \
        -Wl,--as-needed $libraries
    ANSWER_ROWS=$tmp/rows "$tmp/base" "$@"
    exit 0
fi
"$tmp/bench" "$@"
if [ "$name" = tree ]; then
    . bench/tree_peer.sh
fi
[ "$name" != overhead ] || sh bench/bench_compile.sh
