#!/bin/sh
# What including the library costs: seconds (of the processor, which a busy machine does not change
# much) to compile and bytes of machine code and constants, at -O2 with each compiler there is, of
# example 01, and of files with one define alone. Called by `sh bench/run.sh overhead`.
#
# GPUTUNE_BASELINE=FOLDER, another checkout, gives its example 01, compiled in turn with ours, and
# the shares of its seconds and bytes that ours take: NAME_share.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
baseline=${GPUTUNE_BASELINE:-}

one_define() { # NAME DEFINE
    printf '#define GPUTUNE_%s_IMPLEMENTATION\n#include "gputune.h"\n' "$2" >"$work/$1.c"
    echo 'int main(void) { return 0; }' >>"$work/$1.c"
}
one_define tree TREE
one_define kernel KERNEL
cp examples/01_*.c "$work/example.c"
[ -z "$baseline" ] || cp "$baseline"/examples/01_*.c "$work/baseline.c"

# One compilation; its milliseconds are added to the file's.
compile() { # COMPILER NAME
    folder=$PWD
    [ "$2" != baseline ] || folder=$baseline
    (
        "$1" -O2 -w -I"$folder" -I"$folder/examples" -c "$work/$2.c" -o "$work/$2.o"
        times >"$work/times"
    )
    # The second line is the compiler's: minutes and seconds of its own, and of the system for it.
    awk 'NR == 2 {
        for (i = 1; i <= 2; i++) { split($i, part, "m"); all += 60 * part[1] + part[2] }
        print int(1000 * all)
    }' "$work/times" >>"$work/$2.$1.times"
}

names="example tree kernel${baseline:+ baseline}"
for compiler in gcc clang; do
    command -v $compiler >/dev/null 2>&1 || continue
    for round in 1 2 3; do
        for name in $names; do compile $compiler $name; done
    done
    for name in $names; do
        seconds=$(sort -n "$work/$name.$compiler.times" | sed -n 2p)
        bytes=$(size "$work/$name.o" | awk 'NR == 2 { print $1 + $2 }')
        echo "$name $seconds $bytes"
    done | awk -v compiler=$compiler '
        { milliseconds[$1] = $2; bytes[$1] = $3; order[++count] = $1 }
        END {
            for (i = 1; i <= count; i++) {
                name = order[i]
                printf "result\t%s_%s\t%.3f\ts\n", name, compiler, milliseconds[name] / 1000
                printf "result\t%s_%s_bytes\t%d\tbytes\n", name, compiler, bytes[name]
                if (!("baseline" in bytes) || name == "baseline") continue
                printf "result\t%s_%s_share\t%.3f\trate\n", name, compiler,
                    milliseconds[name] / milliseconds["baseline"]
                printf "result\t%s_%s_bytes_share\t%.3f\trate\n", name, compiler,
                    bytes[name] / bytes["baseline"]
            }
        }'
done
