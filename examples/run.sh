#!/bin/sh
# Builds and runs an example on whatever device this machine has. Installs what is missing.
#
#     sh examples/run.sh                      the quick start, 01_row_sums, twice with a new store:
#                                             it tunes, and then starts tuned
#     sh examples/run.sh NAME [arguments]     another, by number, name or part of the name
#     sh examples/run.sh --cuda [NAME ...]    an example of OpenCL through CUDA instead
#
# Environment: see tests/setup.sh.
[ -e "$(dirname "$0")/../tests/setup.sh" ] || {
    echo "examples/run.sh needs tests/setup.sh of the whole project; without it, each" \
        "example's top comment says how to build it" >&2
    exit 1
}
. "$(dirname "$0")/../tests/setup.sh"

list() {
    for file in examples/[0-9][0-9]_*; do
        [ -e "$file" ] || continue
        file=${file##*/}
        say "    ${file%.c*}"
    done
}

# Prints the files that fit a name: by number or whole name if possible, else by part.
find_example() {
    case $1 in [0-9]) set -- "0$1" ;; esac
    for pattern in "$1_*" "$1" "[0-9][0-9]_$1" "*$1*"; do
        # shellcheck disable=SC2086 # patterns
        found=$(cd examples && ls -d $pattern.c $pattern.cu 2>/dev/null | grep '^[0-9][0-9]_') ||
            continue
        echo "$found"
        return
    done
}

# Whether it includes the header, perhaps through another.
includes() { "$CC" -E -I. -Iexamples "$source" 2>/dev/null | grep -q "$1\""; }

# The words of the command in the example's top comment: "//     cc -O2 ... -o saxpy -lm".
command_words() {
    sed -n '/^\/\/.* \(nv\|mpi\|\)cc .* -o /p; /^\/\//!q' "examples/$file" | sed -n 1p
}

# Sets cuda_flag: how a program that calls CUDA's driver API itself is linked. Where there is no
# driver the toolkit's stand-in serves.
setup_cuda_flag() {
    for cuda_flag in -lcuda "-L/usr/local/cuda/lib64/stubs -lcuda" -l:libcuda.so.1; do
        # shellcheck disable=SC2086 # words
        "$CC" "$tmp/empty.c" -o "$tmp/empty" $cuda_flag >/dev/null 2>&1 && return 0
    done
    say "libcuda.so is missing: install NVIDIA's driver or the CUDA toolkit"
    exit 1
}

# A C program, through CUDA if the first argument says so: the prefix is all that differs.
build_c() {
    setup_basics
    source=examples/$file
    if [ "$1" = cuda ]; then
        ! grep -q '<CL/' "$source" || { say "examples/$file calls OpenCL itself"; exit 2; }
        source=$tmp/$file
        sed 's/gputune_cl/gputune_cuda/g; s/GPUTUNE_CL/GPUTUNE_CUDA/g' "examples/$file" >"$source"
    fi
    ! grep -q 'gputune_cuda\.h"' "$source" || setup_cuda_headers
    ! includes 'gputune_cl\.h' || setup_opencl
    flags=
    libraries=-lm
    ! grep -q '<mpi.h>' "$source" || { setup_mpi; CC=mpicc; launcher="mpirun $mpi_flags -n 4"; }
    for word in $(command_words); do
        case $word in
        -o | -I. | -lm) ;;
        -lOpenCL) setup_opencl_flag; libraries="$opencl_flag -lm" ;;
        -lcuda) setup_cuda_flag; libraries="$cuda_flag -lm" ;;
        -fopenmp) "$CC" -fopenmp "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null &&
            flags="$flags $word" ;;
        -*) flags="$flags $word" ;;
        esac
    done
    # shellcheck disable=SC2086 # words
    "$CC" ${flags:--O2} -I. -Iexamples "$source" -o "$tmp/example" $libraries
}

# A program with CUDA's runtime API.
build_cu() {
    setup_basics
    if ! have nvcc; then
        say "examples/$file needs nvcc of the CUDA toolkit, in PATH or in /usr/local/cuda/bin"
        exit 1
    fi
    flags=
    for word in $(command_words); do
        case $word in -o | -I.) ;; -*) flags="$flags $word" ;; esac
    done
    # shellcheck disable=SC2086 # words
    nvcc $flags -I. "examples/$file" -o "$tmp/example"
}

api=
launcher=
[ "${1:-}" != --cuda ] || { api=cuda; shift; }
name=${1:-01}
again=
[ $# -gt 0 ] || again=yes
[ $# -eq 0 ] || shift
name=${name%.c}
name=${name%.cu}
case $name in *[!A-Za-z0-9_.-]*) file= ;; *) file=$(find_example "$name") ;; esac
# What calls CUDA itself does not start without its driver.
need_driver() {
    setup_nvidia
    has_library libcuda.so.1 && return 0
    say "examples/$file calls CUDA itself, and this machine has no driver: no libcuda.so.1"
    exit 1
}

case $file in
'') say "no example is called \"$name\"; there are"; list; exit 2 ;;
*'
'*) say "\"$name\" fits several; there are"; list; exit 2 ;;
*.cu) build_cu; need_driver ;;
*) build_c "$api"; [ "$libraries" = "${libraries#*cuda}" ] || need_driver ;;
esac
[ -z "$again" ] || export GPUTUNE_STORE="$tmp/store.txt"
# shellcheck disable=SC2086 # words
$launcher "$tmp/example" "$@"
[ -z "$again" ] || "$tmp/example"
