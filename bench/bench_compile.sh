#!/bin/sh
# What including the library costs: seconds to compile a file with the implementations of
# gputune.h and gputune_cl.h, less those of an empty file. Median of 5, gcc -O2. Called by
# `sh bench/run.sh overhead`.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo 'int main(void) { return 0; }' >"$work/empty.c"
{
    echo '#define GPUTUNE_IMPLEMENTATION'
    echo '#define GPUTUNE_CL_IMPLEMENTATION'
    echo '#include "gputune_cl.h"'
    cat "$work/empty.c"
} >"$work/full.c"

# Milliseconds of one compilation.
compile() {
    start=$(date +%s%N)
    "${CC:-gcc}" -O2 -I. -c "$work/$1.c" -o "$work/$1.o"
    end=$(date +%s%N)
    echo $(((end - start) / 1000000))
}

median() { sort -n | sed -n 3p; }

full=$(for i in 1 2 3 4 5; do compile full; done | median)
empty=$(for i in 1 2 3 4 5; do compile empty; done | median)
[ -n "$full" ] && [ -n "$empty" ] || exit 1
awk -v full="$full" -v empty="$empty" 'BEGIN {
    printf "result\tcompile_seconds\t%.3f\ts\n", (full - empty) / 1000 }'
