#!/bin/sh
# The unit tests that need no device, built for another machine: AArch64, by qemu-user; i686, whose
# programs an x86-64 runs itself (x87's arithmetic, sizes of 32 bits); s390x by qemu-user, whose
# highest byte comes first: the suites of what computes and what is written to files, and one tuning
# that it and this machine do in turns. Installs what is missing; skipped where that fails.
#
#     sh tests/machines.sh aarch64|i686|s390x [SUITE ...]    (also: portable, that tuning)
#
# The last line is "N passed, N failed, N skipped"; the exit status is non-zero if any failed.

machine=${1:-}
[ $# -eq 0 ] || shift
case $machine in
--job) ;;
aarch64 | i686 | s390x) . "$(dirname "$0")/setup.sh" ;;
*) echo "tests/machines.sh aarch64|i686|s390x [SUITE ...]" >&2; exit 2 ;;
esac

if [ "$machine" = --job ]; then
    log=$tmp/$1.log
    status=0
    timeout -k 10 -s ABRT 400 "$tmp/tests" --suite "$1" >"$log" 2>&1 || status=$?
    counts=$(sed -n "s/^$1: \(.*\) passed, \(.*\) failed, \(.*\) skipped$/\1 \2 \3/p" "$log")
    case $counts:$status in
    *:0 | *' '[1-9]*' '*) ;; # failures have been counted
    *) counts='0 1 0'; echo "$1: ended with status $status" >>"$log" ;;
    esac
    [ -n "$counts" ] || counts='0 1 0'
    echo "$counts" >>"$tmp/tally"
    case $counts in *' 0 '*) tail -n 1 "$log" ;; *) echo "FAILED $1"; head -n 40 "$log" ;; esac
    exit 0
fi

skip() {
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
}

setup_basics
setup_cuda_headers
want opencl-c-headers have_header CL/cl.h
want gcc-$machine-linux-gnu have $machine-linux-gnu-gcc
case $machine in
aarch64) want libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h ;;
i686) want libc6-dev-i386-cross test -e /usr/i686-linux-gnu/include/stdio.h ;;
s390x) want libc6-dev-s390x-cross test -e /usr/s390x-linux-gnu/include/stdio.h ;;
esac
[ $machine = i686 ] || want qemu-user have qemu-$machine
install_missing || skip "not installed:$missing"

setup_cross_headers cuda.h nvrtc.h
mkdir -p "$tmp/home/state"

# The compiler for this script and for tests that build something. What it makes for AArch64 and
# s390x is started by qemu: a script takes the program's place.
libraries=/usr/$machine-linux-gnu
if [ $machine = i686 ]; then
    cat >"$tmp/cc" <<EOF
#!/bin/sh
exec i686-linux-gnu-gcc "\$@" -Wl,-rpath,$libraries/lib \\
    -Wl,-dynamic-linker,$libraries/lib/ld-linux.so.2
EOF
else
    cat >"$tmp/cc" <<EOF
#!/bin/sh
$machine-linux-gnu-gcc "\$@" || exit
for word in "\$@"; do
    [ "\$before" != -o ] || output=\$word
    case \$word in -shared | -c | -E | -S | -fsyntax-only) exit 0 ;; esac
    before=\$word
done
mv "\$output" "\$output.program" || exit
printf '#!/bin/sh\nexec qemu-$machine -L $libraries "%s.program" "\$@"\n' \
    "\$(realpath "\$output")" >"\$output"
chmod +x "\$output"
EOF
fi
chmod +x "$tmp/cc"
"$tmp/cc" "$tmp/empty.c" -o "$tmp/empty" && "$tmp/empty" || skip "$machine's programs do not run"

native=$CC native_include=${C_INCLUDE_PATH:-}
unset CPLUS_INCLUDE_PATH
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG GPUTUNE_ISOLATE GPUTUNE_ISOLATED GPUTUNE_REPORT
export C_INCLUDE_PATH="$tmp/include" CC="$tmp/cc" TMPDIR="$tmp" LC_ALL=C tmp
export HOME="$tmp/home" XDG_STATE_HOME="$tmp/home/state" XDG_CACHE_HOME="$tmp/home/cache"
# What these machines lack (tests/test.h): OpenCL; under qemu a way to start the program anew.
export TEST_LACKS=opencl
[ $machine = i686 ] || export TEST_LOAD=2 # qemu's slowness
[ $machine = i686 ] || TEST_LACKS='opencl restart'
[ $machine = s390x ] && flags=-DTESTS_UNOPTIMISED || flags= # gcc for s390x takes its time
# shellcheck disable=SC2086
"$CC" -std=gnu99 -O1 $flags -w -I. -Itests tests/main.c -o "$tmp/tests" -lm

# Left out: profiler, profiling and corpus read texts, whatever the machine is. CUDA has no programs
# of 32 bits. Under qemu also what starts the program anew (isolate), and what takes longest and
# knows no machine (answer, search: 150 s were not enough beside other work).
out='profiler profiling corpus'
[ $machine = i686 ] && out="$out cuda" || out="$out isolate answer search"
: >"$tmp/tally"

# Two machines, a and b, share a store and a trial log: each of the three starts does what it would
# do after two of its own.
portable() {
    C_INCLUDE_PATH=$native_include "$native" -std=c99 -O0 -w -I. tests/portable.c -o "$tmp/a" -lm
    "$CC" -std=c99 -O0 -w -I. tests/portable.c -o "$tmp/b" -lm
    for order in aaa aba bab; do
        for start in 1 2 3; do
            GPUTUNE_STORE="$tmp/$order/store.txt" GPUTUNE_LOG=warn \
                "$tmp/$(echo $order | cut -c$start)" $((start == 1 ? 20 : 1000)) || true
        done >"$tmp/$order.log" 2>&1
        cmp -s "$tmp/aaa.log" "$tmp/$order.log" && grep -q '^20 ' "$tmp/$order.log" &&
            grep -q '^36 asked for, 56 known' "$tmp/$order.log" ||
            { echo "FAILED portable, starts $order"; cat "$tmp/$order.log"; return 1; }
    done
    echo 'portable: 1 passed, 0 failed, 0 skipped'
}
[ $machine != s390x ] || [ $# -gt 0 ] || set -- portable search store space tree expr base
case " $* " in
*' portable '*) portable && echo 1 0 0 >>"$tmp/tally" || echo 0 1 0 >>"$tmp/tally" ;;
esac
{
    [ $# -eq 0 ] || printf '%s\n' "$@" | sed '/^portable$/d'
    [ $# -gt 0 ] || {
        printf '%s\n' face isolate space adapt search cl cuda # the longest first; some of them wait
        sed -n 's/^    SUITE(\([a-z0-9_]*\)[,)].*/\1/p' tests/main.c
    } | awk -v out=" $out " '!seen[$1]++ && !index(out, " " $1 " ")'
} >"$tmp/suites"
jobs=$(nproc 2>/dev/null || echo 2)
xargs -P $((jobs + 1)) -n 1 sh tests/machines.sh --job <"$tmp/suites"
awk '{ passed += $1; failed += $2; skipped += $3 }
    END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
          exit failed > 0 || passed == 0 }' "$tmp/tally"
