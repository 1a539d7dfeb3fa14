#!/bin/sh
# Feeds every reader of the library with libFuzzer, under clang's sanitizers: see fuzz.c. Installs
# what is missing.
#
#     sh tests/fuzz/run.sh SECONDS           every target, as many at a time as there are processors
#     sh tests/fuzz/run.sh SECONDS TARGET    one of them
#
# First inputs are the project's own kernels, annotations, expressions and files. An input that
# breaks something is kept in a folder that the output names: "FUZZ_TARGET=TARGET FUZZ INPUT" runs
# it again, FUZZ being the program beside it. FUZZ_SEED=N: the same inputs each time, as far as the
# seconds go. Environment: see tests/setup.sh.
case ${1:-} in --job) job=$2 ;; *) job= ;; esac

# --- one target: runs beside others, prints in one go ---

# Writes every line of the input into a file of its own, "N" for one.
each_line() { awk -v to="$seeds" 'NF { file = to "/line" NR; print >file; close(file) }'; }

# "NAME:VALUES:DEFAULT" and "?RESTRICTION" lines of annotated sources.
spaces() {
    awk '/^#pragma gputune (range|erange|set|bool|kernel)/ { sub(/^#pragma gputune /, ""); v = $0 }
        /^#define/ && v != "" { print $2 ":" v ":" $3; v = "" }
        /^#pragma gputune require/ { sub(/^#pragma gputune require /, "?"); print }' "$1"
}

# The string literals of C files, a file each.
literals() {
    sed -n 's/^[^"]*"\(.*\)"[^"]*$/\1/p' "$@" | grep -v '^"*$' >"$seeds.literals"
    count=0
    while IFS= read -r line; do
        count=$((count + 1))
        printf '%b' "$line" >"$seeds/literal$count"
    done <"$seeds.literals"
    rm "$seeds.literals"
}

first_inputs() { # TARGET
    case $1 in
    expressions)
        {
            sed -n 's/^#pragma gputune \(require\|global\|local\) //p' examples/kernels/* \
                tests/corpus/*.c[lu]
            grep -ohE '"[^"]+"' tests/test_expr.c | tr -d '"'
        } | each_line ;;
    space)
        for file in examples/kernels/*; do spaces "$file" >"$seeds/${file##*/}"; done
        printf 'A:range -3,3:0\nB:set 0.5,x,2:x\nC:bool\n?A * n <= 4 || B == "x"\n=n=2^3 m=1\n' \
            >"$seeds/own" ;;
    annotations | coarsen | atomics | dialect)
        for file in examples/kernels/* tests/corpus/*.c[lu]; do
            [ "$(wc -c <"$file")" -gt 2048 ] || cp "$file" "$seeds/$(echo "$file" | tr / _)"
        done
        literals tests/test_source.c tests/test_dialect.c ;;
    problems)
        printf 'n=2^20 m=1000\nm=1000 n=2^21\n' >"$seeds/two"
        printf 'bytes=2^12 x=0.5\nbytes=5 x=1e-3' >"$seeds/others" ;;
    environment)
        printf 'force\n/x/store.txt\ndebug\n1\n3:abc:def:12\n/state\n/home\n' >"$seeds/all"
        printf 'readonly\n-\n-\noff\n\n\n' >"$seeds/few" ;;
    esac
    FUZZ_TARGET=$1 FUZZ_SEEDS=$seeds "$fuzz"
}

if [ -n "$job" ]; then
    seeds=$tmp/seeds.$job
    found=$tmp/found.$job
    mkdir -p "$seeds" "$found"
    status=0
    first_inputs "$job" || {
        echo "$job: FAILED: no first inputs"
        echo "$job" >>"$tmp/failed"
        exit 0
    }
    words=
    case $job in
    annotations | coarsen | atomics | dialect) words=-dict=tests/fuzz/words.dict ;;
    esac
    # shellcheck disable=SC2086 # a word or none
    longest=2048
    [ "$job" != isolation ] || longest=4096 # a child's whole answer
    TMPDIR=$files FUZZ_TARGET=$job "$fuzz" -max_total_time="$seconds" -max_len="$longest" \
        -timeout=20 -rss_limit_mb=2560 -seed="${FUZZ_SEED:-0}" $words \
        -artifact_prefix="$kept/$job." -print_final_stats=1 \
        "$found" "$seeds" >"$tmp/$job.log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$tmp/$job.log")
    if [ $status -eq 0 ] && [ "${runs:-0}" -ge 100 ]; then
        echo "$job: $runs inputs"
    else
        echo "$job: FAILED, status $status after ${runs:-0} inputs"
        grep -avE '^#|^(INFO|NEW|stat::)|in fuzzer::' "$tmp/$job.log" | head -n 60 |
            cut -c 1-300 | sed 's/^/    /'
        echo "$job" >>"$tmp/failed"
    fi
    rm -rf "$seeds" "$found"
    exit 0
fi

# --- all of them ---

. "$(dirname "$0")/../setup.sh"
cd .. # of tests/fuzz
[ "${1:-0}" -gt 0 ] 2>/dev/null || { say "sh tests/fuzz/run.sh SECONDS [TARGET]"; exit 2; }
seconds=$1
CC=clang
want clang have clang
install_missing || cannot_install
setup_basics
version=$(clang -dumpversion)
printf 'int LLVMFuzzerTestOneInput(const char *x, long n) { return x && n < 0; }\n' >"$tmp/fuzzer.c"
want "libclang-rt-${version%%.*}-dev" clang -fsanitize=fuzzer,address "$tmp/fuzzer.c" \
    -o "$tmp/fuzzer"
install_missing || cannot_install
setup_cuda_headers
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG GPUTUNE_ISOLATE GPUTUNE_ISOLATED GPUTUNE_REPORT
kept=${TMPDIR:-/tmp}/gputune-fuzz.$$
export TMPDIR="$tmp" tmp seconds kept fuzz
mkdir -p "$kept"
fuzz=$kept/fuzz
clang -std=gnu99 -O1 -g1 -w -I. -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=undefined tests/fuzz/fuzz.c -o "$fuzz" -lm || exit 1
: >"$tmp/failed"
files=$(mktemp -d /dev/shm/fuzz.XXXXXX 2>/dev/null) || files=$tmp # where fsync costs nothing
export files
{
    if [ $# -gt 1 ]; then echo "$2"; else "$fuzz"; fi
} | xargs -P "$(nproc 2>/dev/null || echo 2)" -I TARGET sh tests/fuzz/run.sh --job TARGET
[ "$files" = "$tmp" ] || rm -rf "$files"
if [ -s "$tmp/failed" ]; then
    echo "what broke them: $kept"
    exit 1
fi
rm -rf "$kept"
