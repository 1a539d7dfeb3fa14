#!/bin/sh
# The style check: what a compiler does not see. Prints every offence; exit status 1 if any.
#
# Conventions it relies on:
# - A section's banner is a line "// [name] ..." between two lines "// -----...". The index in a
#   header's manual has one line "//     [name] what it holds" a section; the banners after the
#   line "// IMPLEMENTATION" have the same names in the same order, and those before it are some
#   of them, in that order. In gputune.h they are modules: see tests/modules.awk.
# - The file tests/size holds the caps of gputune.h and its modules. Their sizes are printed.
# - In README.md and examples/README.md, a line "<!-- file: PATH -->" before a code block says that
#   it is a contiguous part of that file; "<!-- diff: BEFORE AFTER -->" that each of its
#   hunks, which lines with "@@" divide, is one of BEFORE without its lines with "+", and of AFTER
#   without those with "-". The first code block that is neither shell nor output has one.
# - Tables of figures name their rows: see tests/figures.awk. A promise of these pages names its
#   test in brackets; a block of tests/mutants.txt with a line "promise" names it, too.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

offence() { echo "$*" | tee -a "$work/offences"; }
offences() { tee -a "$work/offences"; } # a filter: each line is one

if git rev-parse --is-inside-work-tree >/dev/null 2>&1 && [ -n "$(git ls-files | head -n 1)" ]; then
    git ls-files
else
    find . -type f | sed 's|^\./||' | grep -vE '^\.[^/]*/' || true
    ls .ci/run
fi | sort | while read -r file; do
    [ ! -f "$file" ] || echo "$file"
done >"$work/files"

headers=
for header in gputune.h gputune_cl.h gputune_cuda.h; do
    [ ! -e $header ] || headers="$headers $header"
done
[ "$headers" = " gputune.h gputune_cl.h gputune_cuda.h" ] || offence "only these headers:$headers"
code=$(grep -E '\.(h|c|cc|cl|cu|sh|awk|py|R)$|^\.ci/run$' "$work/files")

# --- the top level ---

sed 's|/.*||' "$work/files" | sort -u | grep -v '^\.' |
    grep -vxE 'gputune(_cl|_cuda)?\.h|examples|tests|bench|LICENSE|README\.md' |
    sed 's/$/: not one of the entries of the top level/' | offences

# --- lines ---

# shellcheck disable=SC2086 # words
awk '
    length($0) > 100 { print FILENAME ":" FNR ": " length($0) " columns" }
    /[ \t\r]$/ { print FILENAME ":" FNR ": blank at the end of the line" }
    /\t/ && FILENAME ~ /\.[hc]$/ { print FILENAME ":" FNR ": tab" }' $code | offences
grep -vE '\.(png|svg|csv|json|gz)$' "$work/files" | xargs grep -nwE 'TO[D]O|FIX[M]E|X[X]X|HA[C]K' |
    sed 's/$/  <- unfinished/' | offences

# --- functions in headers: at most 80 lines ---

# shellcheck disable=SC2086
awk '
    FNR == 1 { start = 0 }
    /^\{$/ { start = FNR; functions++ }
    /^[}]/ && start {
        if (FNR - start + 2 > 80) print FILENAME ":" start ": function of " FNR - start + 2 " lines"
        start = 0
    }
    END { if (functions < 1000) print functions + 0 " functions" }' $headers | offences

# --- the manual's index and the version ---

version=$(sed -n 's/^#define GPUTUNE_VERSION "\(.*\)"$/\1/p' gputune.h)
for header in $headers; do
    case $(sed -n 1p "$header") in
    "// $header - v$version - "*) ;;
    *) offence "$header:1: does not begin \"// $header - v$version - \"" ;;
    esac
    awk '
        function name(line) { sub(/^[^[]*\[/, "", line); sub(/\].*/, "", line); return line }
        !/^\/\// && NF { code = 1 }
        /^\/\/ IMPLEMENTATION$/ { implementation = 1 }
        !code && /^\/\/  +\[[a-z+ ]+\]/ { index_of[++entries] = name($0) }
        code && banner && /^\/\/ \[[a-z+ ]+\]/ {
            if (!entries) next
            if (implementation) {
                if (name($0) != index_of[++at])
                    print FILENAME ":" FNR ": [" name($0) "] where the index has [" index_of[at] "]"
            } else {
                while (declared < entries && index_of[declared + 1] != name($0)) declared++
                if (declared++ >= entries)
                    print FILENAME ":" FNR ": [" name($0) "] is not in the index, or out of order"
            }
        }
        { banner = /^\/\/ ---+$/ }
        END {
            if (!entries) print FILENAME ": no index in the manual"
            for (at++; at <= entries; at++)
                print FILENAME ": no implementation under a banner [" index_of[at] "]"
        }' "$header" | offences
done

# --- the environment is read where it is known whether it counts ---

grep -nE '(^|[^a-z_])getenv\(' $headers | grep -vE '^[a-z_.]+:[0-9]+:(//|#define gt__env\()' |
    sed 's/$/: gt__env/' | offences

# --- texts that nobody reads to their end if they are longer ---

[ "$(wc -l <README.md)" -le 220 ] || offence "README.md: over 220 lines"
[ "$(sed -n '/^\/\//!q; p' gputune.h | wc -l)" -le 300 ] ||
    offence "gputune.h: a manual of over 300 lines"

# --- sentences of at most 35 words, in the words of the field; of headers manual and contracts ---

# A sentence ends before a capital, a quote, gputune or .field; `code` and a link's text are a word.
# shellcheck disable=SC2086
for page in README.md examples/README.md bench/README.md $headers; do
    awk -f tests/sentences.awk $page | offences
done

# --- modules stand on what they say, and are no larger than they may be ---

awk -f tests/modules.awk gputune.h | offences
awk -v caps=tests/size -f tests/modules.awk gputune.h >"$work/sizes"
grep -v '^over: ' "$work/sizes"
grep '^over: ' "$work/sizes" | offences

# --- what GT__COLD begins GT__HOT ends, also where conditions leave either out ---

for header in $headers; do
    awk '/^#if/ { at[++depth] = NR } /^#el/ { at[depth] = NR } /^#endif/ { depth-- }
        /^GT__COLD/ {
            if (cold) print FILENAME ":" NR ": GT__COLD twice"
            cold = at[depth] "," depth
        }
        /^GT__HOT/ {
            if (cold != at[depth] "," depth) print FILENAME ":" NR ": GT__HOT of another condition"
            cold = ""
        }' "$header" | offences
done

# --- the public face: how large it may be, and all of it in use ---

# Used: in an example, the README or a test of behaviour. test_face.c has tables of NULL and of
# numbers out of range, which show nothing of what a thing is for.
find tests -name 'test_*.c' ! -name test_face.c -exec cat {} + >"$work/users"
cat examples/*.[ch] examples/*.cu README.md examples/README.md >>"$work/users"
grep -oE 'gputune_[a-z_0-9]+' "$work/users" | sort -u >"$work/used.function"
grep -oE '(\.|->)[a-z_0-9]+' "$work/users" | sed 's/^[.>-]*//' | sort -u >"$work/used.field"
for header in $headers; do
    awk -f tests/face.awk "$header" >"$work/face"
    awk -v header="$header" '
        FILENAME ~ /size$/ { if ($1 == header) most[$3] = $2; next }
        { count[$1 "s"]++ }
        END {
            for (kind in count) if (kind in most && count[kind] > most[kind])
                print header ": " count[kind] " public " kind ", " most[kind] " are its cap"
            for (kind in most) if (kind != "bytes" && kind != "lines" && !count[kind])
                print header ": no public " kind " found"
        }' tests/size "$work/face" | offences
    awk -v header="$header" '
        FILENAME ~ /function$/ { function_used[$1]; next }
        FILENAME ~ /field$/ { field_used[$1]; next }
        $1 == "function" && !($2 in function_used) || $1 == "field" && !($3 in field_used) {
            print header ": no example, guide or test uses " $1 " " $2 " " $3
        }' "$work/used.function" "$work/used.field" "$work/face" | offences
    awk -v header="$header" '{ n[$1 "s"]++ }
        END { printf "%-14s %4d functions %4d types %4d fields\n", header,
              n["functions"], n["types"], n["fields"] }' "$work/face"
done

# --- the code of README.md and the guides is the files' code ---

for page in README.md examples/README.md; do
    [ -e $page ] || { offence "$page is missing"; continue; }
    awk -v out="$work/block" '
        function put(path, text) { # a part of a block; empty ones say nothing
            if (text == "") return
            print path >(out "." ++count ".file")
            printf "%s", text >(out "." count)
        }
        function close_hunk() {
            put(before, was)
            put(after, is)
            was = is = ""
        }
        /^<!-- file: .* -->$/ { before = ""; after = $3; next }
        /^<!-- diff: .* -->$/ { before = $3; after = $4; next }
        /^```/ && !inside {
            inside = 1
            if (after == "" && !marked && /^```(c|C|cpp|c\+\+|opencl|cl|cuda|diff)$/)
                print FILENAME ":" FNR ": the first code block has no <!-- file: PATH -->"
            marked = marked || after != "" || /^```./
            next
        }
        /^```/ { close_hunk(); inside = 0; after = ""; next }
        inside && after == "" { next }
        inside && before == "" { is = is $0 "\n"; next }
        inside && /^@@/ { close_hunk(); next }
        inside && !/^\+/ { was = was substr($0, 2) "\n" }
        inside && !/^-/ { is = is substr($0, 2) "\n" }
        !inside && NF { after = "" }' $page | offences
    for block in "$work"/block.*.file; do
        [ -e "$block" ] || { offence "$page: no block with <!-- file: PATH -->"; break; }
        file=$(cat "$block")
        [ -f "$file" ] || { offence "$page: $file does not exist"; continue; }
        awk -v block="${block%.file}" '
            BEGIN { while ((getline line < block) > 0) wanted = wanted line "\n" }
            { have = have $0 "\n" }
            END { exit index("\n" have, "\n" wanted) == 0 }' "$file" ||
            offence "$page: a code block is not a part of $file: $(head -n 1 "${block%.file}")"
    done
    rm -f "$work"/block.*
done

# --- figures are those of bench/results; promises have a test, and a change that it notices ---

for page in README.md bench/README.md; do
    awk -f tests/figures.awk $page | offences
done
for page in README.md examples/README.md; do
    awk -v out="$work/promises" '
    function close_item() {
        if (item != "" && item !~ /\[`[a-z_]+\/[a-z_]+`/) print FILENAME ": no test for: " item
        item = ""
    }
    /^##+ What you can rely on/ { inside = 1; next }
    { text = text " " $0 }
    !inside { next }
    /^##/ { close_item(); inside = 0; next }
    /^- / { close_item(); item = $0; items++; next }
    /^$/ { close_item() }
    item != "" { item = item " " $0 }
    END {
        while (match(text, /\[`[a-z_\/`, ]*`\]/)) {
            tests = substr(text, RSTART, RLENGTH)
            text = substr(text, RSTART + RLENGTH)
            gsub(/[][`,]/, "", tests)
            count = split(tests, test, " ")
            for (i = 1; i <= count; i++) print test[i] >>out
        }
        if (items < 6) print FILENAME ": " items + 0 " promises"
    }' $page | offences
done
sort -u "$work/promises" >"$work/promises.once"
while read -r case; do
    grep -q "{ \"$case\", " tests/counts.h || offence "a promise: there is no test $case"
    awk -v case="$case" '
        /^noticed / { noticed = index($0 " ", " " case " ") }
        /^promise / && noticed { found = 1 }
        END { exit !found }' tests/mutants.txt ||
        offence "no change in tests/mutants.txt breaks a promise and is noticed by $case"
done <"$work/promises.once"
awk '/^[^ ]+: / { n++ } END { exit n < 260 }' tests/mutants.txt ||
    offence "tests/mutants.txt: fewer changes than there were (260)"

[ ! -s "$work/offences" ]
