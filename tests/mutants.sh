#!/bin/sh
# Changes single lines of the headers, one at a time, and sees whether the tests notice: a test that
# does not is worth less than it seems. By hand, and before a module is rewritten.
#
#     sh tests/mutants.sh              all of tests/mutants.txt
#     sh tests/mutants.sh NAME ...     those with one of the parts in their name
#     sh tests/mutants.sh --sample N   so many, chosen by the commit's hash; of all, whether the
#                                      text that they change is there
#
# tests/mutants.txt has a block for each, and blank lines between them:
#
#     NAME: what it breaks
#     file gputune.h                   or another header that tests include by this path
#     after TEXT                       if the changed text occurs more often: the first behind this
#     - TEXT                           a part of one line, occurs once
#     + TEXT                           what stands there instead
#     noticed SUITE/CASE ...           every one of these cases fails, as none does without it
#     promise WORD ...                 which promises of the README's it breaks
#
# A case that this machine skips, for want of a GPU, is not counted on. tcc builds the tests where
# it is there and all cases pass with it: in a second, where other compilers take ten.
#
# It fails where a text is not found, a change does not compile, or a case passes all the same.
# A module that is rewritten takes its mutants along, never fewer. The last line is
# "N passed, N failed, N skipped". No sanitizers: what is noticed is noticed by an assertion.

case ${1:-} in --job) job=$2 ;; *) job= ;; esac
[ -n "$job" ] || . "$(dirname "$0")/setup.sh"

# field NAME WORD: the rest of the lines that begin with the word in a mutant's block.
field() {
    awk -v name="$1" -v word="$2 " '
        /^[^ ]+: / { at = $1 == name ":" }
        at && index($0, word) == 1 { print substr($0, length(word) + 1) }' tests/mutants.txt
}

# mutate NAME FOLDER: a copy of the headers with that change.
mutate() {
    mkdir -p "$2/examples"
    cp gputune.h gputune_cl.h gputune_cuda.h "$2"
    cp examples/subspaces.h "$2/examples"
    name=$1 file=$2/$(field "$1" file)
    after=$(field "$1" after) old=$(field "$1" -) new=$(field "$1" +)
    export after old new
    awk '
        BEGIN { after = ENVIRON["after"]; old = ENVIRON["old"]; new = ENVIRON["new"] }
        after != "" && index($0, after) { behind = 1; places++ }
        (at = index($0, old)) && !(after != "" && (!behind || done)) {
            done++
            $0 = substr($0, 1, at - 1) new substr($0, at + length(old))
        }
        { print }
        END {
            if (after == "") places = 1
            if (places != 1) print "the place occurs " places + 0 " times"
            else if (done != 1) print "the text occurs " done + 0 " times"
            exit done != 1 || places != 1
        }' "$file" >"$2/changed.new" && mv "$2/changed.new" "$file"
}

build() { # FOLDER: tests with the headers in it
    if [ "$builder" = tcc ]; then
        tcc -std=gnu99 -w "-I$1" -I. -Itests tests/main.c -o "$1/tests" -lm
        return
    fi
    # shellcheck disable=SC2086 # words
    "$CC" -std=gnu99 -O0 -w "-I$1" -I. -Itests tests/main.c -o "$1/tests" \
        -Wl,--as-needed $opencl_flag -lm
}

# passes FOLDER SUITE/CASE: 0 it passes, 1 it fails, 2 it is skipped or missing, 3 it says nothing.
# A case that ends the program fails; one that only makes fewer assertions has noticed nothing.
passes() {
    ended=0
    timeout -k 5 120 "$1/tests" --suite "${2%%/*}" "=$2" >"$1/log" 2>&1 || ended=$?
    ! grep -q "^  FAILED $2: it ended the program" "$1/log" || return 1
    [ "$ended" -ne 77 ] || return 1 # what a case's own fixture ends it with
    [ "$ended" -le 1 ] || return 3
    ! grep -q "^  skipped $2: " "$1/log" || return 2
    grep -q ': [1-9][0-9]* passed' "$1/log" && return 0
    grep -q "^  FAILED $2$" "$1/log" || return 2
    grep -v "assertions, at least" "$1/log" | grep -q '^    .*:[0-9]*: ' || return 0
    return 1
}

verdict() { # passed|FAILED TEXT
    echo "$*"
    echo "$1" >>"$tmp/tally"
}

job_mutant() {
    name=$1 folder=$tmp/mutant.$1
    mkdir "$folder"
    if ! mutate "$name" "$folder" 2>"$folder/error"; then
        verdict FAILED "$name: $(cat "$folder/error" "$folder"/*.new | tail -n 1)"
    elif ! build "$folder" >"$folder/error" 2>&1; then
        verdict FAILED "$name: does not compile: $(grep -m 1 error "$folder/error")"
    else
        noticed=
        for case in $(field "$name" noticed); do
            ! grep -qxF "$case" "$tmp/skipped" || continue
            status=0
            passes "$folder" "$case" || status=$?
            noticed=${noticed:-yes}
            [ "$status" != 1 ] || continue
            verdict FAILED "$name: $case did not notice ($status)"
            noticed=no
        done
        case $noticed in
        '') verdict skipped "$name: $(field "$name" noticed)" ;;
        yes) verdict passed "$name: noticed by $(field "$name" noticed)$(field "$name" promise |
            sed 's/^/, promise /')" ;;
        esac
    fi
    rm -rf "$folder"
}

if [ -n "$job" ]; then
    set -eu
    job_mutant "$job"
    exit 0
fi

sample=
if [ "${1:-}" = --sample ]; then
    sample=${2:-5}
    set --
fi
setup_basics
setup_opencl
setup_opencl_flag
setup_cuda_headers
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG GPUTUNE_ISOLATE GPUTUNE_ISOLATED GPUTUNE_REPORT
export HOME="$tmp/home" XDG_STATE_HOME="$tmp/home/state" XDG_CACHE_HOME="$tmp/home/cache"
export POCL_CACHE_DIR="$tmp/home/pocl" TMPDIR="$tmp" TEST_FOLDER="$tmp" tmp opencl_flag LC_ALL=C
mkdir -p "$POCL_CACHE_DIR"
: >"$tmp/tally"

sed -n 's/^\([^ ]*\): .*/\1/p' tests/mutants.txt >"$tmp/all"
twice=$(sort "$tmp/all" | uniq -d)
[ -z "$twice" ] || verdict FAILED "the same name twice:" $twice
for case in $(sed -n 's/^noticed //p' tests/mutants.txt | tr ' ' '\n' | sort -u); do
    grep -qF "{ \"$case\", " tests/counts.h || verdict FAILED "there is no case $case"
done
if [ -n "$sample" ]; then
    while read -r name; do
        mutate "$name" "$tmp" || verdict FAILED "$name: $(tail -n 1 "$tmp"/*.new)"
        rm -f "$tmp"/*.new
    done <"$tmp/all"
    hash=$(git rev-parse HEAD 2>/dev/null || cksum <gputune.h)
    while read -r name; do
        echo "$(echo "$hash $name" | cksum | cut -d' ' -f1) $name"
    done <"$tmp/all" | sort -n | head -n "$sample" | cut -d' ' -f2 >"$tmp/names"
    say "a sample by ${hash%% *}:" $(cat "$tmp/names")
else
    while read -r name; do
        [ $# -gt 0 ] || echo "$name"
        for part in "$@"; do case $name in *"$part"*) echo "$name"; break ;; esac; done
    done <"$tmp/all" >"$tmp/names"
    [ -s "$tmp/names" ] || { say "no mutant's name has a part of: $*"; exit 1; }
fi

# Without any change every case that is counted on passes.
mkdir "$tmp/unchanged"
cp gputune.h gputune_cl.h gputune_cuda.h "$tmp/unchanged"
while read -r name; do field "$name" noticed; done <"$tmp/names" | tr ' ' '\n' |
    sort -u >"$tmp/cases"
unchanged() { # prints the cases that fail
    : >"$tmp/skipped"
    while read -r case; do
        status=0
        passes "$tmp/unchanged" "$case" </dev/null || status=$?
        if [ "$status" = 2 ] && grep -q "^  skipped $case: " "$tmp/unchanged/log"; then
            echo "$case" >>"$tmp/skipped"
        elif [ "$status" != 0 ]; then
            echo "$case"
        fi
    done <"$tmp/cases"
}
builder=tcc
if ! have tcc || ! build "$tmp/unchanged" >/dev/null 2>&1 || [ -n "$(unchanged)" ]; then
    builder=$CC
    build "$tmp/unchanged"
    for case in $(unchanged); do verdict FAILED "$case: does not pass as things are"; done
fi
export builder

xargs -P "$(nproc 2>/dev/null || echo 2)" -n 1 sh tests/mutants.sh --job <"$tmp/names"
awk '{ n[$1]++ }
    END { printf "%d passed, %d failed, %d skipped\n", n["passed"], n["FAILED"], n["skipped"]
          exit n["FAILED"] > 0 || n["passed"] == 0 }' "$tmp/tally"
