#!/bin/sh
# Examples built by MinGW and started under Wine, whose OpenCL.dll forwards to this machine's OpenCL
# (PoCL). First and second starts, the store and where it lies, processes that share one, paths with
# blanks and letters outside ASCII, what is said where isolation is not possible. Installs what is
# missing; skipped where that fails.
#
#     sh tests/windows.sh              all of it, in two minutes on two idle cores
#     sh tests/windows.sh PART ...     the cases with one of the parts in their names
#
# GPUTUNE_HEADERS=FOLDER takes the headers from there, changed ones for instance. The last line is
# "N passed, N failed, N skipped"; the exit status is non-zero if any failed.
. "$(dirname "$0")/setup.sh"

passed=0 failed=0 skipped=0
finish() {
    [ ! -d "$tmp/wine" ] || "$server" -k || true # or it writes into a folder that goes away
    echo "$passed passed, $failed failed, $skipped skipped"
    exit $((failed > 0))
}

skip() {
    echo "skipped: $1"
    skipped=1
    finish
}

compiler=x86_64-w64-mingw32-gcc
setup_basics
setup_opencl
have $compiler-win32 || want gcc-mingw-w64-x86-64-win32 have $compiler
want wine64 test -e /usr/lib/wine/wine64
install_missing || skip "not installed:$missing"
have $compiler || compiler=$compiler-win32
wine=/usr/lib/wine/wine64
server=/usr/lib/wine/wineserver64
[ -e $wine ] || wine=wine server=wineserver

# A user's folder that is made for this, and goes away. The C library's letters are UTF-8, so that
# Wine takes this script's arguments and variables so.
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG GPUTUNE_ISOLATE GPUTUNE_ISOLATED GPUTUNE_REPORT DISPLAY
export HOME="$tmp/home" WINEPREFIX="$tmp/wine" POCL_CACHE_DIR="$tmp/pocl" LC_ALL=C.UTF-8
export WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml,winemenubuilder.exe,winedbg.exe='
mkdir -p "$HOME" "$POCL_CACHE_DIR"
drive=$WINEPREFIX/drive_c
project=$PWD

setup_cross_headers

# At -O0: it takes half the time, and optimisers are looked at elsewhere.
built() { # NUMBER: the example as a program
    [ ! -e "$tmp/$1.exe" ] || return 0
    $compiler -std=c99 -O0 "-I${GPUTUNE_HEADERS:-.}" -I. -isystem "$tmp/include" examples/"$1"_*.c \
        -o "$tmp/$1.exe" -lm >"$tmp/$1.build" 2>&1 || {
        echo "example $1 does not compile:"
        head -n 5 "$tmp/$1.build"
        return 1
    }
}

# Runs an example: its output in the file $log, its messages in $log.errors, its exit status in
# $status.
start() { # NUMBER [VARIABLE=VALUE ...] [-- ARGUMENT ...]
    program=$1 status=0
    shift
    settings=
    log=$tmp/$program.$$.log
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        settings="$settings set $1&&"
        shift
    done
    [ $# -eq 0 ] || shift
    # Wine makes variables like LOCALAPPDATA itself; cmd.exe hands on what is set there.
    if [ -n "$settings" ]; then
        timeout -k 5 300 $wine cmd /c "$settings Z:$tmp/$program.exe" >"$log.raw" 2>"$log.errors" ||
            status=$?
    else
        timeout -k 5 300 $wine "$tmp/$program.exe" "$@" >"$log.raw" 2>"$log.errors" || status=$?
    fi
    tr -d '\r' <"$log.raw" >"$log"
}

# says TEXT: in the last program's output. warns TEXT: in its messages. answers FILE N KERNEL: a
# store of N answers has one of that kernel. Each returns false and tells what there is instead.
says() { grep -qF -- "$1" "$log" || { echo "  no \"$1\" in:"; cat "$log"; return 1; } }
warns() {
    grep -qF -- "$1" "$log.errors" || { echo "  no \"$1\" in:"; cat "$log.errors"; return 1; }
}
ends() {
    [ "$status" = 0 ] || { echo "  ended with $status:"; cat "$log" "$log.errors"; return 1; }
}
answers() {
    [ -e "$1" ] || { echo "  no $1"; find "$drive/users" -name 'store*'; return 1; }
    [ "$(grep -c '^answer	' "$1")" = "$2" ] && grep -q "	*name=$3	" "$1" ||
        { echo "  not $2 answers, one of $3, in:"; cat "$1"; return 1; }
}

# knows NUMBER TEXT [VARIABLE=VALUE ...]: a further start has the answer, and its first line the
# text. On a busy machine a tuning ends unfinished, and the next start goes on with it.
knows() {
    number=$1 text=$2
    shift 2
    for i in 1 2 3 4 5; do
        start "$number" "$@"
        ends || return 1
        ! head -n 1 "$log" | grep -qF -- "$text" || return 0
    done
    echo "  no \"$text\" in:"
    cat "$log"
    return 1
}

# --- the cases ---

known="default's speed, known from an earlier run"

case_opencl() { # the store is where Windows has a program's data
    built 01 || return 1
    start 01 && ends && says ' trial' && says 'the sums are right' || return 1
    answers "$(echo "$drive"/users/*/AppData/Local/gputune/store.txt)" 1 row_sums || return 1
    knows 01 'from the store' && says 'the sums are right'
}

case_ask_tell() {
    built 07 || return 1
    start 07 'GPUTUNE_STORE=C:\ask\store.txt'
    ends && says 'no blocks ' && says 'best ' || return 1
    answers "$drive/ask/store.txt" 1 cpu_transpose || return 1
    knows 07 'best ' 'GPUTUNE_STORE=C:\ask\store.txt'
}

case_host() { # C functions
    built 08 || return 1
    start 08 'GPUTUNE_STORE=C:\host.txt' && ends && says "default's speed, tuned" || return 1
    answers "$drive/host.txt" 1 FUNCTION || return 1
    knows 08 "$known" 'GPUTUNE_STORE=C:\host.txt'
}

# A configuration ends the program. Without a child process the next start tries it last, and the
# one after that passes it over.
case_isolate() {
    built 13 || return 1
    for i in 1 2 3; do
        start 13 'GPUTUNE_STORE=C:\isolate\store.txt' GPUTUNE_LOG=warn
        warns 'sums: tuning in this process: isolation is not supported here: not on Windows' ||
            return 1
        [ $i = 3 ] || [ "$status" != 0 ] || { echo "  start $i: nothing ended it"; return 1; }
    done
    ends && says 'UNROLL=16 the program ended while this configuration ran' &&
        says 'UNROLL=8  ok' && answers "$drive/isolate/store.txt" 1 sums
}

case_tree() {
    built 19 || return 1
    start 19 && ends && says 'all: ' && says 'samples, 100 %' && says '%)'
}

case_space() {
    built 24 || return 1
    start 24 && ends && says '116928 combinations are valid:' &&
        says ' 47730  MWG=64 NWG=32 KWG=32' && says ' 29804  MWG=16 NWG=128 KWG=32'
}

case_replay() { # argv has the code page's letters, of which "ü" is one
    built 29 || return 1
    folder="$tmp/Jürgens Läufe"
    mkdir -p "$folder"
    start 29 -- "$folder" && ends && says 'all        3.95 x: WORK_GROUP_SIZE_X=32' || return 1
    for ending in csv json cache.json; do
        [ -s "$folder/coulomb.$ending" ] || { echo "  no $folder/coulomb.$ending"; return 1; }
    done
    [ "$(grep -c '^16,\|^32,' "$folder/coulomb.csv")" = 210 ] ||
        { echo "  not 210 rows"; return 1; }
}

case_report() { # beside the program, and where the environment wants it
    built 31 || return 1
    mkdir -p "$tmp/ein Ordner für 東京"
    cd "$tmp/ein Ordner für 東京"
    start 31 'GPUTUNE_REPORT=C:\Berichte für 東京\alle'
    cd "$project"
    ends && says 'report.html: ' && [ -s "$tmp/ein Ordner für 東京/report.html" ] ||
        { echo "  no report.html"; return 1; }
    grep -q '</html>' "$drive/Berichte für 東京/alle/index.html" ||
        { echo "  no index.html"; return 1; }
}

case_jurgen() { # a user's own folder
    built 08 || return 1
    knows 08 "$known" 'LOCALAPPDATA=C:\users\Jürgen Groß\AppData\Local' || return 1
    answers "$drive/users/Jürgen Groß/AppData/Local/gputune/store.txt" 1 FUNCTION || return 1
    [ "$(find "$drive/users" -name store.txt -path '*J*rgen*' | wc -l)" = 1 ]
}

case_letters() { # of no code page
    built 08 || return 1
    knows 08 "$known" 'GPUTUNE_STORE=C:\東京 und Ωmega\store.txt' || return 1
    answers "$drive/東京 und Ωmega/store.txt" 1 FUNCTION
}

case_share() { # four at once: two of one kernel, two of another
    built 07 && built 08 || return 1
    for i in 1 2 3 4; do
        (
            number=$((7 + i % 2))
            mkdir "$tmp/share.$i"
            $wine cmd /c "set GPUTUNE_STORE=C:\\all für 東京\\store.txt&& Z:$tmp/0$number.exe" \
                >"$tmp/share.$i/log" 2>&1
            echo $? >"$tmp/share.$i/status"
        ) &
    done
    wait
    for i in 1 2 3 4; do
        [ "$(cat "$tmp/share.$i/status")" = 0 ] || { cat "$tmp/share.$i/log"; return 1; }
    done
    answers "$drive/all für 東京/store.txt" 2 FUNCTION &&
        answers "$drive/all für 東京/store.txt" 2 cpu_transpose || return 1
    knows 08 "$known" 'GPUTUNE_STORE=C:\all für 東京\store.txt' &&
        knows 07 'best ' 'GPUTUNE_STORE=C:\all für 東京\store.txt'
}

# --- all of them ---

selected() { # NAME PART ...
    text=$1
    shift
    [ $# -gt 0 ] || return 0
    for part in "$@"; do case $text in *"$part"*) return 0 ;; esac; done
    return 1
}

# The prefix is made by the first program. Meanwhile the examples are built, two at once.
$wine cmd /c exit >"$tmp/prefix" 2>&1 &
if [ $# -eq 0 ]; then
    for numbers in '08 01 07 24' '13 29 31 19'; do
        (for number in $numbers; do built "$number" || true; done) >/dev/null &
    done
fi
wait
[ -d "$drive/windows" ] || {
    cat "$tmp/prefix"
    echo "no WINEPREFIX could be made"
    failed=1
    finish
}

for name in opencl ask_tell host isolate tree space replay report jurgen letters share; do
    selected "windows/$name" "$@" || continue
    begin=$(date +%s)
    if "case_$name" >"$tmp/case" 2>&1; then
        passed=$((passed + 1))
        echo "windows/$name: passed, $(($(date +%s) - begin)) s"
    else
        failed=$((failed + 1))
        echo "FAILED windows/$name"
        head -n 30 "$tmp/case" | cut -c1-200
    fi
done
finish
