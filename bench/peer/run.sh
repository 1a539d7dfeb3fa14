# shellcheck shell=sh disable=SC2154 # tmp: tests/setup.sh
# Side by side with Kernel Tuner on an NVIDIA GPU through CUDA, NVRTC on both sides, CuPy on its.
#
#     sh bench/run.sh peer [options]
#
#   --kernels A,B     sgemm,convolution,reduction (default: all three)
#   --do STEPS        verify,exhaustive,search,simulate,compare (default: all five), in this order:
#       verify        outputs of some configurations against plain C and NumPy
#       exhaustive    every configuration, both tools: the table by which answers are judged
#       search        each tool's searches, until the answer is within 5 % of the table's best
#       simulate      Kernel Tuner's simulation mode on its exhaustive search: needs no GPU, shows
#                     which of its strategies are worth their time under search
#       compare       rows of all logs in the folder: needs no GPU
#   --tools A,B       gputune,kernel_tuner
#   --seeds N         5
#   --base FOLDER     an older gputune beside them, its searches under `search` as of --runs auto:
#                     its sources with its bench/bench_peer.c, which must write the same logs:
#                         mkdir .base; git archive 50d922f '*.h' bench examples | tar -x -C .base
#   --runs A,B        gputune's searches: auto (default threads), serial (no compiling ahead)
#   --strategies A,B  Kernel Tuner's searches (default: random_sample,greedy_ils,genetic_algorithm)
#   --simulate A,B    its strategies in simulation
#   --iterations A,B  its launches a configuration: 7 (its default); 7,3 for both
#   --part P          exhaustive over this part of the space only, drawn at random
#   --cap SECONDS     40: a search that takes longer has missed
#   --logs FOLDER     where logs are kept and read (default: a temporary one); several calls with
#                     one folder make one comparison
#   --no-device       no GPU: invented times, to try these scripts; CuPy is not needed
#
# Needs python3 with Kernel Tuner, CuPy and NumPy. PEER_PYTHON is another python, PEER_PYTHONPATH a
# folder with their packages, PEER_WHEELS a folder of wheels to unpack first (default: .whl if it is
# there), made by: pip download --no-deps -d .whl kernel_tuner python-constraint2 xmltodict
# jsonschema jsonschema-specifications referencing rpds-py. PEER_CUDA is the toolkit (default:
# /usr/local/cuda), PEER_NVRTC gputune's NVRTC (default: the file that CuPy loads).
#
# Fairness. One process a tool, kernel, step; its start, imports, context and the first use of the
# compiler are startup_seconds (Kernel Tuner imports torch where that is installed). The clock of a
# tuning starts after them, with the data on the host. CUDA's and CuPy's caches start empty for each
# tuning, and so does gputune's store. Both compile with the options that Kernel Tuner and CuPy
# choose. Kernel Tuner has its defaults, prints nothing and verifies nothing; gputune verifies every
# configuration, as always. Kernel Tuner's strategies may try as many configurations as there are.

python=${PEER_PYTHON:-python3}
cuda=${PEER_CUDA:-/usr/local/cuda}
kernels=sgemm,convolution,reduction
steps=verify,exhaustive,search,simulate,compare
tools=gputune,kernel_tuner
seeds=5 runs=auto,serial iterations=7 part=1 cap=40 no_device=
strategies=random_sample,greedy_ils,genetic_algorithm
simulate=random_sample,greedy_ils,greedy_mls,mls,genetic_algorithm,diff_evo,dual_annealing
base=
simulate=$simulate,simulated_annealing,basinhopping,pso,firefly_algorithm,bayes_opt,hybrid_vndx
logs=$tmp/logs

peer_fail() { say "bench peer: $*"; exit 1; }

while [ $# -gt 0 ]; do
    [ "$1" = --no-device ] && { no_device=--no-device; shift; continue; }
    [ $# -gt 1 ] || peer_fail "$1: needs a value; see bench/peer/run.sh"
    case $1 in
    --kernels) kernels=$2 ;;
    --do) steps=$2 ;;
    --tools) tools=$2 ;;
    --base) base=$2 ;;
    --seeds) seeds=$2 ;;
    --runs) runs=$2 ;;
    --strategies) strategies=$2 ;;
    --simulate) simulate=$2 ;;
    --iterations) iterations=$2 ;;
    --part) part=$2 ;;
    --cap) cap=$2 ;;
    --logs) logs=$2 ;;
    *) peer_fail "$1: unknown option; see bench/peer/run.sh" ;;
    esac
    shift 2
done

has() { case ,$1, in *,"$2",*) return 0 ;; *) return 1 ;; esac; }

mkdir -p "$logs" "$tmp/scratch"
"$python" -c '' 2>/dev/null || peer_fail "$python does not start: name a python 3 by PEER_PYTHON"

# The packages that travel as wheels, put before what is installed.
wheels=${PEER_WHEELS:-.whl}
if [ -z "${PEER_PYTHONPATH:-}" ] && [ -e "$wheels" ]; then
    "$python" -m pip install -q --no-index --no-deps --no-compile --no-cache-dir \
        --disable-pip-version-check --root-user-action ignore --target "$tmp/site" \
        "$wheels"/*.whl >&2 || peer_fail "cannot unpack the wheels in $wheels"
    PEER_PYTHONPATH=$tmp/site
fi
PYTHONPATH=${PEER_PYTHONPATH:-}${PYTHONPATH:+:$PYTHONPATH}
export PYTHONPATH
# The driver's cache of compiled PTX would carry work from one tuning to the next.
export CUDA_CACHE_DISABLE=1 PYTHONDONTWRITEBYTECODE=1
unset GPUTUNE GPUTUNE_LOG GPUTUNE_STORE

# peer_run STEP COMMAND...: with the time of its start, for startup_seconds.
peer_run() { PEER_STARTED=$(date +%s.%N) "$@"; }

peer_gputune() {
    has "$tools" gputune || return 0
    peer_run "$tmp/bench" --kernel "$1" --do "$2" --logs "$logs" --scratch "$tmp/scratch" \
        --seeds "$seeds" --runs "$runs" --part "$part" --cap "$cap" ${no_device:+"$no_device"}
}

# Its logs are named as ours: they are written elsewhere, beside what is good.
peer_base() {
    { [ -n "$base" ] && has "$tools" gputune; } || return 0
    mkdir -p "$tmp/base_logs"
    cp "$logs/$1.good" "$tmp/base_logs"
    peer_run "$tmp/base" --kernel "$1" --do search --logs "$tmp/base_logs" \
        --scratch "$tmp/scratch" --seeds "$seeds" --runs auto --cap "$cap" \
        ${no_device:+"$no_device"}
    for log in "$tmp/base_logs/$1".gputune.auto.*.tsv; do
        mv "$log" "$logs/$1.base${log##*.gputune}"
    done
}

peer_kernel_tuner() {
    has "$tools" kernel_tuner || return 0
    peer_run "$python" bench/peer/kernel_tuner_run.py --kernel "$1" --do "$2" --logs "$logs" \
        --scratch "$tmp/scratch" --seeds "$seeds" --strategies "$strategies" \
        --simulate "$simulate" --iterations "$iterations" --part "$part" --cap "$cap" ${3:+"$3"}
}

if has "$steps" verify || has "$steps" exhaustive || has "$steps" search; then
    if has "$tools" gputune; then
        [ -e "$cuda/include/nvrtc.h" ] || peer_fail "no CUDA toolkit in $cuda: set PEER_CUDA"
        setup_basics
        "$CC" -O2 -I. -isystem "$cuda/include" bench/bench_peer.c -o "$tmp/bench" -lm
        [ -z "$base" ] || "$CC" -w -O2 -I"$base" -isystem "$cuda/include" \
            "$base/bench/bench_peer.c" -o "$tmp/base" -lm
    fi
fi
export TMPDIR="$tmp"
# An older or newer NVRTC would compile in another time.
if [ -z "${PEER_NVRTC:-}" ] && [ -z "$no_device" ] && has "$tools" gputune; then
    PEER_NVRTC=$("$python" -c '
from cupy.cuda import nvrtc
nvrtc.getVersion()
print([l.split()[-1] for l in open("/proc/self/maps") if "/libnvrtc.so" in l][0])' 2>/dev/null) ||
        PEER_NVRTC=
fi
[ -z "${PEER_NVRTC:-}" ] || export PEER_NVRTC

for kernel in $(echo "$kernels" | tr , ' '); do
    for step in verify exhaustive search simulate; do
        has "$steps" "$step" || continue
        [ "$step$no_device" != verify--no-device ] || continue
        [ "$step$no_device" != search--no-device ] || runs=auto
        say "$kernel, $step"
        [ "$step" != search ] || [ -e "$logs/$kernel.good" ] || # of an earlier exhaustive search
            "$python" bench/peer/compare.py "$logs" --good "$kernel"
        if [ "$step" = simulate ]; then
            peer_kernel_tuner "$kernel" simulate --no-device
            continue
        fi
        peer_gputune "$kernel" "$step"
        [ "$step" != search ] || peer_base "$kernel"
        [ "$step$no_device" = search--no-device ] ||
            peer_kernel_tuner "$kernel" "$step" "$no_device"
        [ "$step" != exhaustive ] || "$python" bench/peer/compare.py "$logs" --good "$kernel"
    done
done
! has "$steps" compare || "$python" bench/peer/compare.py "$logs"
