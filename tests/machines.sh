#!/bin/sh
# The unit tests that need no device, built for another machine: AArch64, by qemu-user; i686, whose
# programs an x86-64 runs itself (x87's arithmetic, sizes of 32 bits). Installs what is missing;
# skipped where that fails.
#
#     sh tests/machines.sh aarch64|i686 [SUITE ...]
#
# The last line is "N passed, N failed, N skipped"; the exit status is non-zero if any failed.

machine=${1:-}
[ $# -eq 0 ] || shift
case $machine in
--job) ;;
aarch64 | i686) . "$(dirname "$0")/setup.sh" ;;
*) echo "tests/machines.sh aarch64|i686 [SUITE ...]" >&2; exit 2 ;;
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
esac
[ $machine = i686 ] || want qemu-user have qemu-aarch64
install_missing || skip "not installed:$missing"

# A cross compiler looks nowhere near /usr/include: hand it the libraries' headers.
header_path() {
    echo "#include <$1>" | "$CC" -E -x c - | sed -n "s|^# [0-9]* \"\(.*/$1\)\".*|\1|p" | sed -n 1p
}
mkdir -p "$tmp/include/stb" "$tmp/home/state"
stb=$(header_path stb/stb_ds.h)
cp "${stb:-$(header_path stb_ds.h)}" "$tmp/include/stb"
cp -r "$(dirname "$(header_path CL/cl.h)")" "$tmp/include"
cp "$(header_path cuda.h)" "$(header_path nvrtc.h)" "$tmp/include"

# The compiler for this script and for tests that build something. What it makes for AArch64 is
# started by qemu: a script takes the program's place.
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
aarch64-linux-gnu-gcc "\$@" || exit
for word in "\$@"; do
    [ "\$before" != -o ] || output=\$word
    case \$word in -shared | -c | -E | -S | -fsyntax-only) exit 0 ;; esac
    before=\$word
done
mv "\$output" "\$output.program" || exit
printf '#!/bin/sh\nexec qemu-aarch64 -L $libraries "%s.program" "\$@"\n' \
    "\$(realpath "\$output")" >"\$output"
chmod +x "\$output"
EOF
fi
chmod +x "$tmp/cc"
"$tmp/cc" "$tmp/empty.c" -o "$tmp/empty" && "$tmp/empty" || skip "$machine's programs do not run"

unset CPLUS_INCLUDE_PATH
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG GPUTUNE_ISOLATE GPUTUNE_ISOLATED GPUTUNE_REPORT
export C_INCLUDE_PATH="$tmp/include" CC="$tmp/cc" TMPDIR="$tmp" LC_ALL=C tmp
export HOME="$tmp/home" XDG_STATE_HOME="$tmp/home/state" XDG_CACHE_HOME="$tmp/home/cache"
# What these machines lack (tests/test.h): OpenCL; under qemu a way to start the program anew.
export TEST_LACKS=opencl
[ $machine = i686 ] || export TEST_LOAD=2 # qemu's slowness
[ $machine = i686 ] || TEST_LACKS='opencl restart'
"$CC" -std=gnu99 -O1 -w -I. -Itests tests/main.c -o "$tmp/tests" -lm

# Left out: profiler, profiling and corpus read texts, whatever the machine is. CUDA has no programs
# of 32 bits. Under qemu also what starts the program anew (isolate), and what takes longest and
# knows no machine (answer, search: 150 s were not enough beside other work).
out='profiler profiling corpus'
[ $machine = i686 ] && out="$out cuda" || out="$out isolate answer search"
: >"$tmp/tally"
{
    [ $# -eq 0 ] || printf '%s\n' "$@"
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
