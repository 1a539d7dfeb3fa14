#!/bin/sh
# Builds and runs an example on whatever device this machine has. Installs what is missing.
#
#     sh examples/run.sh                      the quick start, 01_saxpy
#     sh examples/run.sh NAME [arguments]     another, by number, name or part of the name
#
# Environment: see tests/setup.sh.
. "$(dirname "$0")/../tests/setup.sh"

list() {
    for file in examples/[0-9][0-9]_*.c; do
        [ -e "$file" ] || continue
        file=${file##*/}
        say "    ${file%.c}"
    done
}

# Prints the files that fit a name: by number or whole name if possible, else by part.
find_example() {
    case $1 in [0-9]) set -- "0$1" ;; esac
    for pattern in "$1_*" "$1" "[0-9][0-9]_$1" "*$1*"; do
        # shellcheck disable=SC2086 # a pattern
        found=$(cd examples && ls -d $pattern.c 2>/dev/null | grep '^[0-9][0-9]_') || continue
        echo "$found"
        return
    done
}

name=${1:-01}
[ $# -eq 0 ] || shift
case $name in *[!A-Za-z0-9_.-]*) file= ;; *) file=$(find_example "${name%.c}") ;; esac
case $file in
'') say "no example is called \"$name\"; there are"; list; exit 2 ;;
*'
'*) say "\"$name\" fits several; there are"; list; exit 2 ;;
esac

setup_basics
# Whether it uses OpenCL: also through another header.
! "$CC" -E -I. "examples/$file" 2>/dev/null | grep -q 'gputune_cl\.h"' || setup_opencl

# The flags of the command in the example's top comment: "//     cc -O2 ... -o saxpy -lm".
flags=
libraries=-lm
for word in $(sed -n '/^\/\/.* cc .* -o /p; /^\/\//!q' "examples/$file" | sed -n 1p); do
    case $word in
    -o | -I. | -lm) ;;
    -lOpenCL) setup_opencl_flag; libraries="$opencl_flag -lm" ;;
    -fopenmp) "$CC" -fopenmp "$tmp/empty.c" -o "$tmp/empty" 2>/dev/null && flags="$flags $word" ;;
    -*) flags="$flags $word" ;;
    esac
done
# shellcheck disable=SC2086 # words
"$CC" ${flags:--O2} -I. "examples/$file" -o "$tmp/${file%.c}" $libraries
"$tmp/${file%.c}" "$@"
