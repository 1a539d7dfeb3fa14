# Sourced by run.sh: what a user sees of gputune in the first four processes of a program.
#
#     sh bench/run.sh first [opencl|cuda ...] [PROGRAM ...]    none: opencl and, with an NVIDIA GPU,
#                                     cuda; histogram, fdtd2d, pathfinder and stencil of
#                                     bench/first_programs.c, examples 01 to 06
#
# Each program runs with gputune's default options, a new store and empty caches of compiled
# programs; both are kept from one process to the next. Rows, PROGRAM.API:
#   seconds_1 ... seconds_4   of four processes in turn, on the wall
#   seconds_off  median of three more with GPUTUNE=off; over_off_3, over_off_4: the seconds of the
#                third and the fourth over it
#   gain         time of the default over that of the tuned, as the fourth process has it; of an
#                example that tunes several problems the last one's
#   lines_1 ... lines_4, bytes_1 ... bytes_4      of what they wrote to standard error
#   right        1: every process has computed the same, or has found its result to be right
setup_basics
first_apis=
first_programs=
for word in "$@"; do
    case $word in
    opencl | cuda) first_apis="$first_apis $word" ;;
    *) first_programs="$first_programs $word" ;;
    esac
done
setup_opencl
setup_cuda_headers
if [ -z "$first_apis" ]; then
    first_apis=opencl
    ! nvidia-smi -L >/dev/null 2>&1 || first_apis="opencl cuda"
fi
first_own='histogram fdtd2d pathfinder stencil'
first_examples='01_row_sums 02_sgemm 03_transpose 04_convolution 05_reduction 06_spmv'
: "${first_programs:=$first_own $first_examples}"

# An example of OpenCL, or the programs here, through one interface; linked with the library.
first_build() { # API SOURCE PROGRAM
    sed '/^#define GPUTUNE.*IMPLEMENTATION$/d' "$2" >"$tmp/first.c"
    [ "$1" = opencl ] ||
        sed -i 's/gputune_cl/gputune_cuda/g; s/GPUTUNE_CL/GPUTUNE_CUDA/g' "$tmp/first.c"
    "$CC" -std=c99 -O2 -I. -Iexamples "$tmp/first.c" "$tmp/library.o" -o "$3" -lm
}

# One process; prints its seconds on the wall. What it writes is in $store.1 and $store.2.
first_process() {
    begin=$(date +%s.%N)
    "$@" >"$store.1" 2>"$store.2" || { cat "$store.2" >&2; return 1; }
    echo "$begin $(date +%s.%N)" | awk '{ printf "%.3f\n", $2 - $1 }'
}

first_row() { printf 'result\t%s.%s\t%s\t%s\n' "$first_name.$api" "$1" "$2" "$3"; }

# What a process found out about itself: the last gain, and a sum or a word that must not change.
# (Example 05 compares its sum itself and fails if it is wrong: its last digits may change.)
first_gain() {
    sed -n 's/^gain \(.*\)/\1/p; s/^ *speed-up *\([0-9.]*\).*/\1/p; s/^\([0-9.]*\) x: .*/\1/p
        s/^.*: default \([0-9.]*\) ms, best \([0-9.]*\) ms$/\1 \2/p' "$store.1" |
        awk '{ gain = NF == 2 ? sprintf("%.2f", $1 / $2) : $1 } END { if (NR) print gain }'
}
first_sum() { grep -E '^sum |(is|are) (right|wrong)$' "$store.1" | sed 's/^sum .*, .*/compared/'; }

first_program() { # PROGRAM ...
    store=$tmp/first.$first_name.$api
    mkdir -p "$store"
    export GPUTUNE_STORE="$store/store.txt" POCL_CACHE_DIR="$store" CUDA_CACHE_PATH="$store"
    right=1
    off=$(for process in 1 2 3; do GPUTUNE=off first_process "$@"; done | sort -n | sed -n 2p)
    first_sum >"$store.first" || right=0 # what the default computes
    for process in 1 2 3 4; do
        seconds=$(first_process "$@")
        first_row seconds_$process "$seconds" s
        first_row lines_$process "$(grep -c '' <"$store.2")" lines
        first_row bytes_$process "$(wc -c <"$store.2")" bytes
        first_sum >"$store.sum" || right=0
        cmp -s "$store.sum" "$store.first" || right=0
        echo "$seconds" >"$store.seconds_$process"
    done
    gain=$(first_gain)
    first_row seconds_off "$off" s
    for process in 3 4; do
        first_row over_off_$process \
            "$(echo "$(cat "$store.seconds_$process") $off" | awk '{ printf "%.3f", $1 - $2 }')" s
    done
    [ -n "$gain" ] || { say "$first_name, $api: no gain in its output"; exit 1; }
    first_row gain "$gain" times
    first_row right $right 'of 1'
}

"$CC" -std=c99 -O1 -I. -c tests/compile/library.c -o "$tmp/library.o"
unset GPUTUNE GPUTUNE_LOG GPUTUNE_SECONDS GPUTUNE_REPORT GPUTUNE_ISOLATE
for api in $first_apis; do
    first_build "$api" bench/first_programs.c "$tmp/programs"
    for first_name in $first_programs; do
        say "$first_name, $api"
        case " $first_own " in
        *" $first_name "*) first_program "$tmp/programs" "$first_name" ;;
        *)
            first_build "$api" "examples/$first_name.c" "$tmp/example"
            first_program "$tmp/example"
            ;;
        esac
    done
done
