#!/bin/sh
# Compile and link checks.
#
#     sh tests/compile/check.sh          lists them
#     sh tests/compile/check.sh NAME     runs one: exit status 0 passed, 77 skipped, else failed
#
# tests/run.sh runs them, after it has installed what they need; .ci/run those that it leaves out.
set -eu
cd "$(dirname "$0")/../.."
here=tests/compile
strict='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror'
# In C, gcc 12 reads the header again and again for -Wmisleading-indentation: 2.4 of 5.3 s for an
# unoptimised unit. c99_gcc has it done; clang and g++ do it everywhere, at no cost.
lean="$strict -Wno-misleading-indentation"

have() { command -v "$1" >/dev/null 2>&1; }

# A tool this machine lacks. GPUTUNE_STRICT=1, as in CI, does not let it pass.
need() {
    have "$1" && return 0
    echo "needs $1${2:+ ($2)}, which is not installed"
    [ "${GPUTUNE_STRICT:-}" = 1 ] && [ -z "${2:-}" ] && exit 1
    exit 77
}

# The compilers of programs of which only one is needed: clang takes a third of gcc's time, tcc a
# tenth of clang's.
quick=gcc
! have clang || quick=clang
quick_cpp=g++
! have clang++ || quick_cpp=clang++
quickest=$quick
! have tcc || quickest=tcc

# Compiles units as one program and runs it. The only library is -lm.
program() { # compiler and flags, --, units
    command=
    while [ "$1" != -- ]; do
        command="$command $1"
        shift
    done
    shift
    objects=
    rm -f "$work/program"
    for unit in "$@"; do
        $command -I. -c "$here/$unit.c" -o "$work/$unit.o" || return 1 # if asks: set -e is off
        objects="$objects $work/$unit.o"
    done
    # shellcheck disable=SC2086 # words
    ${command%%-x c*} $objects -o "$work/program" -lm && "$work/program"
}

# The diagnostics of units, and no code. gcc's -fsyntax-only lacks some that need no optimiser
# (functions unused, values not returned or not set); writing bytecode for the linker has them all
# and takes 1.1 s where machine code takes 3.1 (C++: 1.6 of 3.7).
warnings() { # compiler and flags, --, units
    command=
    while [ "$1" != -- ]; do
        command="$command $1"
        shift
    done
    shift
    case $command in
    *clang*) code=-fsyntax-only ;;
    *)
        code='-O0 -flto -fno-fat-lto-objects -S'
        # shellcheck disable=SC2086 # words
        echo 'int x;' | ${command%%-x c*} $code -x c - -o /dev/null 2>/dev/null || code='-O0 -S'
        ;;
    esac
    for unit in "$@"; do
        # shellcheck disable=SC2086
        $command $code -I. "$here/$unit.c" -o /dev/null || return 1
    done
}

# The diagnostics of all units, and a program.
strict() { # compiler and flags
    need "$1"
    warnings "$@" -- implementation cuda core user || return 1
    program "$@" -O0 -- both_drivers
}

strict_cpp() { # compiler and flags
    need "$1"
    warnings "$@" -x c++ -- implementation user || return 1
    program "$@" -O0 -x c++ -- cuda
}

# The diagnostics of a later standard: how units are put together is no matter of the standard, and
# the first one's check has it.
later() { # compiler and flags
    need "$1"
    warnings "$@" -- both_drivers user
}

# A program in C, with the diagnostics of the compiler that builds it, clang if it is there: how
# files include the headers is no matter of the compiler, and all others have every one's.
c() { # units, further flags in $flags
    # shellcheck disable=SC2086
    program $quick -std=c99 -O0 $lean $flags -- "$@"
}
flags=

cpp() { # the same in C++
    # shellcheck disable=SC2086
    program $quick_cpp -std=c++11 -O0 $lean -x c++ -- "$@"
}

both() { # the same units as C and as C++
    need gcc
    need g++
    c "$@" || return 1
    cpp "$@"
}

check_c99_gcc() {
    need gcc
    # shellcheck disable=SC2086
    {
        warnings gcc -std=c99 $lean -- implementation cuda core user || return 1
        program gcc -std=c99 -O0 $strict -- both_drivers
    }
}
check_c99_clang() { strict clang -std=c99 $strict; }
check_c11_gcc() { later gcc -std=c11 $lean; }
check_c11_clang() { later clang -std=c11 $strict; }
check_gnu17_gcc() { later gcc -std=gnu17 $lean; }
check_cpp11_gcc() { strict_cpp g++ -std=c++11 $strict; }
check_cpp11_clang() { strict_cpp clang++ -std=c++11 $strict; }
check_cpp17_gcc() { later g++ -std=c++17 $strict -x c++; }
check_cpp17_clang() { later clang++ -std=c++17 $strict -x c++; }
check_cpp20_gcc() { later g++ -std=c++20 $strict -x c++; }
check_cpp20_clang() { later clang++ -std=c++20 $strict -x c++; }

# OpenCL's own headers warn that they do not know this compiler; nothing else may.
check_tcc() {
    need tcc
    for units in core implementation cuda "library user"; do
        # shellcheck disable=SC2086
        program tcc -Wall -- $units >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
        grep -E 'warning|error' "$work/log" | grep -v /CL/cl_platform.h && return 1
    done
    return 0
}

# An optimiser sees more of what is not set.
check_optimised_modules() {
    need gcc
    for module in SPACE COARSEN; do
        printf '#define GPUTUNE_%s_IMPLEMENTATION\n#include "gputune.h"\n' $module >"$work/unit.c"
        gcc -std=c99 -O2 -Wall -Wextra -Werror -I. -c "$work/unit.c" -o /dev/null || return 1
    done
}

# NaN and infinity are told in programs that promise to have none. crtfastmath.o, which gcc links,
# makes 0 of subnormals. All of the library once, for the warnings of an optimiser in C++, which no
# other check has; else the modules that the program calls.
check_fast_math() {
    need gcc
    need g++
    run=-DGPUTUNE_RUN_IMPLEMENTATION
    for compiler in "gcc -std=c99 -O1 $run" "gcc -std=c99 -O3 $run" "g++ -std=c++11 -O2 -x c++" \
        "clang -std=c99 -O1 $run" "clang++ -std=c++11 -O2 $run -x c++"; do
        have "${compiler%% *}" || continue
        echo "with $compiler"
        # shellcheck disable=SC2086
        program $compiler -ffast-math $lean -- fast_math || return 1
    done
    have nvcc || return 0
    nvcc -x cu -Werror all-warnings -Xcompiler -Wall,-Wextra,-O1,-ffast-math $run -I. \
        "$here/fast_math.c" -o "$work/program"
    "$work/program"
}

# The steps that long texts take.
check_linear() {
    need gcc
    # shellcheck disable=SC2086
    gcc -std=gnu99 -O1 $lean -fsanitize-coverage=trace-pc -I. "$here/linear.c" \
        -o "$work/program" -lm
    LINEAR_STORE="$work/store" "$work/program"
}

# What calls the library's own functions where the unit tests do not: it follows their changes.
check_fuzzers() {
    need gcc
    # shellcheck disable=SC2086
    gcc -std=gnu99 $lean -I. -fsyntax-only "$here/../fuzz/fuzz.c"
}

check_mingw() {
    compiler=x86_64-w64-mingw32-gcc
    have $compiler || compiler=$compiler-win32
    need $compiler
    library_headers
    # shellcheck disable=SC2086
    warnings $compiler -std=c99 $lean -isystem "$work/include" -- core cuda
    # shellcheck disable=SC2086
    $compiler -std=c99 -O0 $lean -isystem "$work/include" -I. "$here/both_drivers.c" \
        -o "$work/program.exe"
    # With the optimiser, which the headers turn off and on again.
    for flags in -O2 "-O1 -D_FORTIFY_SOURCE=2"; do
        # shellcheck disable=SC2086
        $compiler -std=c99 $flags $lean -isystem "$work/include" -I. -c "$here/windows_first.c" \
            -o "$work/program.o" || return 1
    done
}

# Where the C compiler finds a header.
header_path() {
    echo "#include <$1>" | gcc -E -x c - | sed -n "s|^# [0-9]* \"\(.*/$1\)\".*|\1|p" | sed -n 1p
}

# A cross compiler looks nowhere near /usr/include: hand it the libraries' headers.
library_headers() {
    mkdir "$work/include" "$work/include/stb"
    cp "$(header_path stb/stb_ds.h)" "$work/include/stb"
    cp -r "$(dirname "$(header_path CL/cl.h)")" "$work/include"
    cp "$(header_path cuda.h)" "$(header_path nvrtc.h)" "$work/include"
}

# MSVC's rules, as far as clang knows them: its mode for MSVC, without the names by which programs
# tell clang, and headers that have what Microsoft's documentation names (tests/msvc). All of the
# library behind the names that <windows.h> takes away; then the programs of the quick start, of the
# first guides and of the README, with the declarations alone, and what the guides show in C++.
check_msvc() {
    need clang
    library_headers
    builtin=$(clang -print-resource-dir)/include
    [ -e "$builtin/stddef.h" ] || { echo "no stddef.h in $builtin"; return 1; }
    cl="clang --driver-mode=cl --target=x86_64-pc-windows-msvc -fmsc-version=1929 -nobuiltininc"
    cl="$cl -imsvctests/msvc -imsvc$builtin -imsvc$work/include -I."
    msvc="-U__clang__ -U__SSE__ -U__SSE2__ -U__STDC_VERSION__"
    refuse='/Zs /W4 /WX -Wpedantic -Wshadow -Wconversion -Wvla -Wgnu -Wgcc-compat -Wunknown-pragmas
        -Wsigned-enum-bitfield -Wno-missing-field-initializers -Wno-missing-braces'
    in_c="$cl $msvc $refuse /TC -Wno-overlength-strings"
    in_cpp="$cl $msvc $refuse /TP /std:c++17 -Wc99-extensions -Wc++20-extensions"
    in_cpp="$in_cpp -Woverlength-strings" # texts of 64 KB, as MSVC has it
    refuses_gnu || return 1
    # What Microsoft's library calls unsafe is silenced in ours by a pragma that clang passes over.
    grep -q '^#pragma warning(disable : .*4996' gputune.h || { echo "no 4996 is off"; return 1; }
    for command in "$in_c" "$in_cpp" "$cl /Zs /W4 /WX /TC"; do # the last one is clang-cl's
        $command -Wno-deprecated-declarations "$here/windows_first.c" || return 1
    done
    $cl $msvc /TC /E "$here/windows_first.c" >"$work/all.i"
    gnu_words "$work/all.i" >"$work/words"
    [ ! -s "$work/words" ] || { head "$work/words"; return 1; }
    for file in examples/0[178]_*.c examples/adopt/heat_c*_after.c; do
        sed '/^#define GPUTUNE.*IMPLEMENTATION$/d' "$file" >"$work/program.c"
        case $file in
        *_after.c) $in_c -Wno-conversion -Wno-deprecated-declarations "$work/program.c" ;;
        *) $in_c "$work/program.c" && $in_cpp "$work/program.c" ;;
        esac || return 1
    done
    shown_cpp README.md examples/README.md >"$work/shown.c"
    $in_cpp "$work/shown.c"
}

# The lines of our headers, behind the preprocessor, with what only gcc and clang know.
gnu_words() {
    awk '
        /^# [0-9]/ { ours = /gputune[_a-z]*\.h"/; if (ours) seen = 1; next }
        !ours { next }
        /^ *# *pragma/ && !/# *pragma (warning|float_control|intrinsic)/ { print; next }
        {
            line = " " $0
            gsub(/\\./, "", line)
            gsub(/"[^"]*"|__builtin_(va_|offsetof)/, "", line)
        }
        line ~ /[^a-z0-9_](__(attribute|extension|builtin|sync|atomic|asm)|typeof|__typeof|_Prag)/
        END { if (!seen) print "no header in it" }' "$@"
}

# Each of these is refused: the check can fail.
refuses_gnu() {
    while read -r line; do
        echo "$line" | sed 's/^\(#include [^ ]*\) /\1\n/' >"$work/bad.c"
        ! $in_c "$work/bad.c" >/dev/null 2>&1 || { echo "not refused: $line"; return 1; }
    done <<'EOF'
int f(void); int f(void) { return ({ 1; }); }
int f(int n); int f(int n) { int a[n]; a[0] = n; return a[0]; }
int f(int n); int f(int n) { return n ?: 1; }
#pragma unheard
#include <unistd.h>
#include <io.h> int f(void); int f(void) { return close(1); }
EOF
    echo 'struct s { int a; }; struct s f(void); struct s f(void)' >"$work/bad.c"
    echo '{ struct s s = { .a = 1 }; return s; }' >>"$work/bad.c"
    $in_c "$work/bad.c" || return 1
    ! $in_cpp "$work/bad.c" >/dev/null 2>&1 || { echo 'not refused in C++: .a = 1'; return 1; }
    for line in '__attribute__((unused)) int i;' '#pragma GCC optimize("O1")'; do
        printf '# 1 "./gputune.h"\n%s\n' "$line" >"$work/bad.i"
        gnu_words "$work/bad.i" | grep -q . || { echo "not found: $line"; return 1; }
    done
}

# The C++ of the guides, in a function that has what it speaks of.
shown_cpp() {
    echo '#include "gputune_cuda.h"'
    echo 'void f(CUstream stream, const char *source, int rows, int columns, void *in, void *out,'
    echo '       size_t bytes);'
    echo 'void f(CUstream stream, const char *source, int rows, int columns, void *in, void *out,'
    echo '       size_t bytes)'
    echo '{'
    awk '/^```cpp$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$@"
    echo '    (void)kernel, (void)args;'
    echo '}'
}

check_nvcc() { # a part of the list only where there is a CUDA toolkit
    warnings=-Wall,-Wextra,-Wshadow,-Wconversion,-Werror
    for unit in core implementation cuda both_drivers; do
        [ $unit = both_drivers ] && code= || code=,-flto,-fno-fat-lto-objects # see warnings
        nvcc -x cu -Werror all-warnings -Xcompiler $warnings$code -I. -c "$here/$unit.c" \
            -o "$work/$unit.o"
    done
    nvcc "$work/both_drivers.o" -o "$work/program"
    "$work/program"
}

# The examples' three kinds of CUDA programs compile; where there is a GPU each runs and checks what
# it has computed.
check_cuda_hosts() {
    need gcc
    # shellcheck disable=SC2086
    here=examples warnings gcc -std=c99 $lean -- 10_cuda_driver
    if have nvcc; then
        for program in 11_cuda_runtime 12_cuda_precompiled; do
            nvcc -std=c++17 -O0 -Xcompiler -flto,-fno-fat-lto-objects -I. \
                -c "examples/$program.cu" -o "$work/$program.o"
        done
    fi
    nvidia-smi -L >/dev/null 2>&1 || return 0
    for program in 10 11 12; do
        [ $program = 10 ] || have nvcc || continue
        sh examples/run.sh $program
    done
}

# The README's programs before and after: they compile, and those with OpenCL compute the same.
check_adopt() {
    need gcc
    cp examples/adopt/heat.c[lu] "$work"
    for program in heat_cl heat_cuda; do
        for state in before after; do
            sed 's/n = [48][0-9]*;/n = 320;/' "examples/adopt/${program}_$state.c" >"$work/$state.c"
            grep -q 'n = 320;' "$work/$state.c"
            # shellcheck disable=SC2086
            $quick -std=c99 -O0 -Wall -Wextra -Werror -I. -c "$work/$state.c" -o "$work/$state.o"
        done
        [ $program = heat_cl ] || continue # CUDA's need a driver to be linked with
        for state in before after; do
            gcc "$work/$state.o" -o "$work/$state" "${opencl_flag:--l:libOpenCL.so.1}" -lm
            (cd "$work" && GPUTUNE_SECONDS=5 XDG_STATE_HOME=$work "./$state") >"$work/$state.log" ||
                return 1
        done
        grep -q 'ten points from the left: [0-9]' "$work/before.log"
        grep -qxF "$(cat "$work/before.log")" "$work/after.log" ||
            { cat "$work/before.log" "$work/after.log"; return 1; }
        grep -q ' trials in ' "$work/after.log" || { cat "$work/after.log"; return 1; }
    done
}

# A C++ program's own classes of queue and buffers: no warning, and it computes what plain C++ does.
check_wrapper() {
    need g++
    flags="-std=c++11 $strict -Wno-deprecated-declarations"
    # shellcheck disable=SC2086
    {
        cp "$here/wrapper.cc" "$work/wrapper.c"
        [ $quick_cpp = g++ ] || here=$work warnings g++ $flags -x c++ -- wrapper || return 1
        $quick_cpp $flags -O0 -I. "$here/wrapper.cc" -o "$work/wrapper" \
            "${opencl_flag:--l:libOpenCL.so.1}" -lm || return 1
    }
    XDG_STATE_HOME=$work "$work/wrapper"
}

# The examples of pools compile and run; 16 compares what it computes with plain C. The
# implementation is compiled once and unoptimised; with less to compute than they print of.
check_pool_examples() {
    need gcc
    $quick -O0 -I. -c "$here/library.c" -o "$work/library.o"
    for program in 16_dysel 17_online; do
        # shellcheck disable=SC2086
        gcc -std=c99 -O0 $lean -I. -Iexamples -fsyntax-only "examples/$program.c"
        sed '/^#define GPUTUNE.*IMPLEMENTATION$/d; s/: 6000000, /: 100000, /; s/: 100000)/: 1000)/
            s/: 20000, /: 2000, /; s/: 400000)/: 20000)/
            s/STEPS = 3000, SHOWN = 500/STEPS = 240, SHOWN = 40/' "examples/$program.c" \
            >"$work/$program.c"
        ! grep -E ': 6000000, |: [14]00000\)|STEPS = 3000' "$work/$program.c" || return 1
        gcc -std=c99 -O2 -I. -Iexamples "$work/$program.c" "$work/library.o" -o "$work/program" -lm
        "$work/program"
    done
}

# The teaching examples: at most 60 lines and one define each; they run, and 18, with less to
# compute than it prints of, compares that with plain C. They are built by the command that they
# begin with, unoptimised. Those that say "It prints" print what they
# say: each line of it, or, where it ends in dots, that beginning.
check_teaching_examples() {
    need gcc
    for program in 18_host_pool 19_tree 22_saturation 23_coarsenings 24_space 26_models; do
        file=examples/$program.c
        [ "$(grep -c '' "$file")" -le 60 ] || { echo "$file: over 60 lines"; return 1; }
        [ "$(grep '^#define GPUTUNE' "$file" | grep -c '[A-Z]_IMPLEMENTATION$')" = 1 ] ||
            { echo "$file: not one define"; return 1; }
        # shellcheck disable=SC2086
        gcc -std=c99 -O0 $lean -I. -fsyntax-only "$file"
        if [ $program = 18_host_pool ]; then
            sed 's/N = 1 << 26/N = 1 << 22/' "$file" >"$work/$program.c"
            ! cmp -s "$file" "$work/$program.c" || { echo "$file: no N"; return 1; }
            gcc -std=c99 -O0 -fopenmp -I. "$work/$program.c" -o "$work/program" -lm
            "$work/program"
        else
            command=$(sed -n 's|^//  *cc \(.*\) -O2 \(.*\) -o [^ ]* |\1 -O0 \2 |p' "$file")
            [ -n "$command" ] || { echo "$file: no command"; return 1; }
            # shellcheck disable=SC2086
            $quick $command -o "$work/program" || return 1
            "$work/program" >"$work/log" || return 1
        fi
        sed -n '/^\/\/ It prints:$/,/^#/s|^//     ||p' "$file" |
            sed 's/ *\.\.\.$//; s/^ *//; /^$/d' >"$work/said"
        case $program in 2*) [ -s "$work/said" ] || { echo "$file: no output"; return 1; } ;; esac
        while read -r line; do
            grep -qF -- "$line" "$work/log" || { echo "$file does not print: $line"; return 1; }
        done <"$work/said"
    done
}

# The functions that a later gputune_run calls: at most 5 with the arguments of the call before, at
# most 110 with others of the same problem.
check_calls() {
    need gcc
    # shellcheck disable=SC2086
    gcc -std=c99 -O0 $lean -finstrument-functions -finstrument-functions-exclude-file-list=bench/ \
        -I. bench/bench_calls.c -o "$work/calls" -lm
    "$work/calls" >"$work/rows"
    awk '
        { print; rows++; most = $2 ~ /_same_/ ? 5 : 110 }
        $3 < 2 || $3 > most { print $2 ": at most " most; wrong = 1 }
        END { exit wrong || rows != 6 }' "$work/rows"
}

# A header of CUDA's that is missing is named, with advice. Without /usr/local/include, where a
# toolkit may have put them.
check_cuda_headers_missing() {
    need gcc
    mkdir -p "$work/include/stb"
    cp "$(header_path stb/stb_ds.h)" "$work/include/stb"
    cuda=$(header_path cuda.h)
    unset CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH
    mkdir "$work/system" # all but CUDA's
    for header in /usr/include/*; do
        case $header in */cuda.h | */nvrtc.h) ;; *) ln -s "$header" "$work/system" ;; esac
    done
    bare="gcc -nostdinc -isystem $(gcc -print-file-name=include) -isystem $work/system"
    bare="$bare -isystem /usr/include/$(gcc -print-multiarch) -I$work/include -I."
    for header in cuda.h nvrtc.h; do
        ! echo "#include <$header>" | $bare -E -x c - >/dev/null 2>&1 ||
            { echo "$header is found where it should not be"; return 1; }
        ! $bare -fsyntax-only "$here/cuda.c" 2>"$work/log" ||
            { echo "it compiled without $header"; return 1; }
        grep -q "gputune_cuda.h needs <$header>: add the CUDA toolkit's folder" "$work/log" ||
            { cat "$work/log"; return 1; }
        cp "$cuda" "$work/include" # now the other one
    done
}

# OpenCL C through the conversion and CUDA's prelude, run on the host against plain C++. clang++,
# because g++ allows no vectors in anonymous structs.
check_prelude() {
    need gcc
    need clang++
    # shellcheck disable=SC2086
    gcc -std=c99 $lean -I. "$here/prelude_text.c" -o "$work/prelude_text" -lm
    "$work/prelude_text" "$here/prelude.cl" >"$work/prelude.h"
    clang++ -std=c++14 -O1 -fsanitize=undefined -fno-sanitize=shift -w \
        -DPRELUDE="\"$work/prelude.h\"" "$here/prelude.cc" -o "$work/prelude" -lm
    "$work/prelude"
}

# The same of the kernels of tests/builtins.h. A function of the test stands for the instructions
# that convert halves.
check_builtins() {
    need gcc
    need clang++
    half='s/asm("cvt.rn.f16.*"=h"(\([a-z.]*\)) : "[fd]"(\(.\)));/\1 = stub_half(\2);/'
    # shellcheck disable=SC2086
    gcc -std=c99 $lean -I. "$here/prelude_text.c" -o "$work/prelude_text" -lm
    gcc -std=c99 -w "$here/builtins_text.c" -o "$work/builtins_text" -lm
    "$work/builtins_text" >"$work/builtins.cl"
    "$work/prelude_text" "$work/builtins.cl" |
        sed "$half; s/asm(\"cvt.f32.f16 .*/f = stub_float(bits);/" >"$work/prelude.h"
    clang++ -std=c++14 -O0 -fsanitize=undefined -fno-sanitize=shift,function -w -rdynamic \
        -DPRELUDE="\"$work/prelude.h\"" "$here/builtins.cc" -o "$work/builtins" -ldl -lm
    "$work/builtins"
}

# OpenCL's functions by name, as a program has them that loads nothing.
check_linked() {
    need gcc
    # shellcheck disable=SC2086
    $quick -std=c99 -O0 $lean -DGPUTUNE_CL_LINKED -I. -Iexamples -c examples/01_row_sums.c \
        -o "$work/sums.o"
    nm -u "$work/sums.o" | grep -q clBuildProgram
    gcc "$work/sums.o" "${opencl_flag:--l:libOpenCL.so.1}" -lm -o "$work/sums"
    GPUTUNE_SECONDS=1 XDG_STATE_HOME=$work "$work/sums" | grep 'the sums are right'
}

check_two_units() { both library user; }
check_own_driver() { both own_driver library; }

check_mixed_languages() { # the library as C++ in a C program, and the other way round
    need gcc
    need g++
    # shellcheck disable=SC2086
    for pair in "c++ c" "c c++"; do
        $quick -O0 -x "${pair% *}" $lean -I. -c "$here/library.c" -o "$work/library.o"
        $quick -O0 -x "${pair#* }" $lean -I. -c "$here/user.c" -o "$work/user.o"
        gcc "$work/library.o" "$work/user.o" -o "$work/program" -lm
        "$work/program"
    done
}

check_static_twice() {
    both static_one static_two
    [ "$(exported "$work/static_two.o")" = other ] || { exported "$work/static_two.o"; return 1; }
}

check_included_twice() { both twice; }
check_driver_first() { both driver_first; }
check_driver_only() { both driver_only; }
check_both_drivers() {
    both both_drivers
    both both_reversed
}
check_stb_same_file() { both stb_same_file; }
check_stb_other_unit() { both stb_user library; }
check_system_first() { both system_first; }

# Feature macros that a program may have set for itself.
check_feature_macros() {
    need gcc
    for macro in _GNU_SOURCE _DEFAULT_SOURCE _POSIX_C_SOURCE=199309L _POSIX_C_SOURCE=200809L \
        _XOPEN_SOURCE=500 _FILE_OFFSET_BITS=64; do
        echo "with $macro"
        # shellcheck disable=SC2086
        gcc -std=c99 $lean -D$macro -I. -fsyntax-only "$here/implementation.c"
        gcc -std=c99 $lean -D$macro -I. -fsyntax-only "$here/system_first.c"
    done
}

# The program in a header's manual, after the line that says "whole program", compiles.
check_manual_programs() {
    need gcc
    for header in gputune*.h; do
        awk '
            !/^\/\// { exit }
            /whole program/ { wanted = 1; next }
            !wanted { next }
            /^\/\/     / { print substr($0, 8); started = 1; next }
            /^\/\/$/ { print ""; next }
            started { exit }' "$header" >"$work/$header.c"
        if grep -q . "$work/$header.c"; then
            here=$work warnings gcc -std=c99 -Wall -Wextra -Wno-misleading-indentation -- "$header"
        else
            echo "$header: its manual has no line with \"whole program\" and a program below it"
            return 1
        fi
    done
}

# Each module alone with what it stands on, and several in one file: what else it names is missed by
# the compiler or, since something of it is used, by the linker.
check_modules() {
    need gcc
    need clang
    modules=$(sed -n 's|^// \[\([a-z]*\)\] stands on .*|\1|p' gputune.h | tr a-z A-Z)
    [ "$(echo "$modules" | wc -l)" -ge 20 ] || { echo "modules: $modules"; return 1; }
    trap 'echo "ended at $module"; exit 143' TERM # its time is up
    # shellcheck disable=SC2086
    for module in $modules "TREE_IMPLEMENTATION -DGPUTUNE_SPACE_IMPLEMENTATION -DGPUTUNE_CURVE"; do
        flags="$strict -DGPUTUNE_${module}_IMPLEMENTATION"
        program $quickest -std=c99 -O0 $flags -Werror=implicit-function-declaration -- module ||
            { echo "in C: $module"; return 1; }
        clang -x c++ -std=c++11 $flags -I. -fsyntax-only "$here/module.c" ||
            { echo "in C++: $module"; return 1; }
    done
    # shellcheck disable=SC2086
    for compiler in "gcc -std=c99 $lean" "g++ -std=c++11 $strict -x c++"; do
        warnings $compiler -DGPUTUNE_TREE_IMPLEMENTATION -- module || return 1
        warnings $compiler -DGPUTUNE_KERNEL_IMPLEMENTATION -- module || return 1
    done
    for old in COARSENING SATURATION ADAPT PROFILER SUBSPACES; do # of 0.1: say what is defined now
        ! $quick -DGPUTUNE_NO_$old -I. -fsyntax-only "$here/core.c" 2>"$work/log" ||
            { echo "GPUTUNE_NO_$old compiles"; return 1; }
        grep -q '_IMPLEMENTATION' "$work/log" || { cat "$work/log"; return 1; }
    done
}

# Two files with the same module's define link where each has it to itself.
check_modules_twice() {
    need gcc
    flags="-std=c99 -O0 -DGPUTUNE_STATIC -DGPUTUNE_SPACE_IMPLEMENTATION"
    flags="$flags -DGPUTUNE_TREE_IMPLEMENTATION"
    # shellcheck disable=SC2086
    {
        $quick $flags -I. -c "$here/module.c" -o "$work/one.o"
        $quick $flags -Dmain=other -I. -c "$here/module.c" -o "$work/two.o"
        [ "$(exported "$work/two.o")" = other ] || { exported "$work/two.o"; return 1; }
        $quick "$work/one.o" "$work/two.o" -o "$work/program" -lm && "$work/program"
    }
}

# As programs are released: what gcc's optimiser warns of that sees all of the three headers. With
# asserts it sees them at -O1, as tests/run.sh builds the tests.
check_asserts_off() { program gcc -std=c99 -O3 $lean -DNDEBUG -- both_drivers; }

# The instructions of a function of compile/after.c, but for those that copy registers or fill up:
# they change with the registers that gcc chooses, and these with what it has compiled before.
code_after() { # compiler and flags
    "$@" -ffunction-sections -I. -c "$here/after.c" -o "$work/after.o" || return 1
    objdump -d -j .text.after --no-show-raw-insn "$work/after.o" |
        awk '/^ / && $2 !~ /^(mov|nop|cs$|data16|xchg)/ { print $2 }'
}

# The headers change the optimisation of many of their functions, and of none of the program's.
# The C library's checks of buffers find nothing: gcc finds what it compiles without its optimiser.
check_optimisation_after() {
    need gcc
    need objdump
    fortify='-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2'
    for compiler in "gcc -std=gnu99 -O3 -ffast-math -DEXPECT_FAST" "clang -std=gnu99 -O2"; do
        have "${compiler%% *}" || continue
        echo "with $compiler"
        # shellcheck disable=SC2086 # words
        {
            code_after $compiler >"$work/alone" || return 1
            code_after $compiler $lean $fortify -DHEADERS >"$work/beside" || return 1
        }
        [ "$(wc -l <"$work/alone")" -ge 10 ] || { cat "$work/alone"; return 1; }
        diff "$work/alone" "$work/beside" || return 1
    done
}

# GPUTUNE_FULL_OPTIMIZATION and -Os leave the program's level alone.
check_full_optimisation() {
    for compiler in gcc clang; do
        have $compiler || continue
        for flags in -O2 -Os "-O2 -DGPUTUNE_FULL_OPTIMIZATION"; do
            [ "$flags" = -O2 ] && wanted=_Pragma || wanted=
            # shellcheck disable=SC2086 # words
            $compiler $flags -I. -E -dM "$here/core.c" >"$work/macros" || return 1
            found=$(sed -n 's/^#define GT__COLD *\(_Pragma\)*.*/\1/p' "$work/macros")
            grep -q '^#define GT__COLD' "$work/macros" && [ "$found" = "$wanted" ] ||
                { echo "$compiler $flags: $found"; return 1; }
            grep -q 'GT__OPTIMIZE_O1' "$work/macros" && found=yes || found=no
            [ "$compiler $flags" = "gcc -O2" ] && wanted=yes || wanted=no
            [ $found = $wanted ] || { echo "$compiler $flags: -O1 is $found"; return 1; }
        done
    done
}

# GPU libraries are loaded at run time: none is linked.
check_no_gpu_library() {
    need gcc
    program gcc -- both_drivers
    need readelf
    readelf -d "$work/program" | grep NEEDED >"$work/needed"
    grep -q 'libc\.so' "$work/needed" || { cat "$work/needed"; return 1; }
    grep -vE 'lib(m|c|dl|pthread)\.so' "$work/needed" && return 1
    nm -u "$work/both_drivers.o" >"$work/undefined"
    grep -qw dlopen "$work/undefined" || { cat "$work/undefined"; return 1; }
    grep -wE '(cl|cu|nvrtc|nvml)[A-Z][A-Za-z_0-9]*' "$work/undefined" && return 1
    return 0
}

# Names of the symbols an object defines for others.
exported() { nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }'; }

exported_symbols() {
    exported "$work/library.o" | grep -q '^gputune_run$' || return 1
    exported "$work/library.o" | grep -vE '^gputune_[a-z]' && return 1
    return 0
}

no_globals() { # but the one that stb_ds has
    nm "$work/library.o" | awk '
        $3 == "gputune_run" { looked = 1 }
        NF == 3 && $2 ~ /^[BbDdCcSsGg]$/ && $3 != "stbds_hash_seed" { print; wrong = 1 }
        END { exit wrong || !looked }'
}

# No output, no end of the program but by assert, no global state: nobody names what would do it,
# but these, and each of them must be seen: what GPUTUNE_LOG asks for and the progress bar go to
# stderr, files are written, and the child processes that gputune itself starts end by _exit, or by
# kill.
quiet_and_polite() {
    readelf -rW "$work/library.o" | awk '
        BEGIN {
            n = split("printf vprintf fprintf vfprintf dprintf vdprintf puts fputs fputc putc " \
                "putchar putw fwrite putwc fputws fputwc putwchar wprintf fwprintf vwprintf " \
                "vfwprintf write writev pwrite perror psignal psiginfo error warn warnx vwarn " \
                "vwarnx err errx verr verrx syslog vsyslog openlog stdin stdout stderr freopen " \
                "exit _exit _Exit quick_exit abort raise kill pthread_exit atexit at_quick_exit " \
                "on_exit cxa_atexit signal sigaction sigset bsd_signal sysv_signal sigprocmask " \
                "pthread_sigmask " \
                "alarm setitimer prctl setlocale uselocale setenv putenv unsetenv clearenv " \
                "environ srand rand srandom random srand48 drand48 chdir fchdir umask setrlimit " \
                "system popen fork vfork pthread_atfork strtok asctime ctime gmtime localtime " \
                "getopt", names, " ")
            for (i = 1; i <= n; i++) impolite[names[i]] = 1
            n = split("fprintf:log_stderr stderr:log_stderr write:file_write " \
                "kill:child_hear kill:child_end environ:child_start prctl:isolated_find " \
                "_exit:isolated_find _exit:isolated_serve pthread_sigmask:thread_start " \
                "fork:host_probe " \
                "_exit:host_probe", may, " ")
            for (i = 1; i <= n; i++) {
                split(may[i], pair, ":")
                awaited[pair[1] " in gt__" pair[2]] = 1
            }
            awaited["fprintf in gputune_progress_bar"] = 1
            awaited["stderr in gputune_progress_bar"] = 1
        }
        /^Relocation section/ { section = $3; gsub("\047|[.]rela?[.]|text[.]", "", section) }
        NF >= 5 && $1 ~ /^[0-9a-f]+$/ {
            name = $5
            sub(/^(__|_IO_)/, "", name)
            sub(/_chk$/, "", name)
            if (!(name in impolite)) next
            place = name " in " section
            if (place in awaited) seen[place] = 1
            else { print place; wrong = 1 }
        }
        END {
            for (place in awaited) if (!(place in seen)) { print "not found: " place; wrong = 1 }
            exit wrong
        }'
}

# What the compiled library has and uses. One object serves all, compiled so that constant tables
# stay constant and no call is replaced by a related one.
check_library_object() {
    need gcc
    need readelf
    $quick -O0 -fno-pic -fno-pie -fno-builtin -ffunction-sections -I. -c "$here/library.c" \
        -o "$work/library.o"
    for question in exported_symbols no_globals quiet_and_polite; do
        $question || { echo "$question: no"; return 1; }
    done
}

# The part of clang's OpenMP that tells its ThreadSanitizer of locks and barriers.
archer=$(clang -print-resource-dir 2>/dev/null || true)/../../libarcher.so

# The tests by a compiler with flags, for the next two checks.
threaded_tests() {
    "$@" -std=gnu99 -O0 -g1 -w -I. -Itests tests/main.c -o "$work/tests" -Wl,--as-needed \
        ${opencl_flag:--l:libOpenCL.so.1} -lm
}

# The suite with host functions, whose threads are OpenMP's.
openmp_suite() {
    nm -u "$work/tests" | grep -qE 'GOMP_parallel|__kmpc_fork_call' ||
        { echo 'no OpenMP in it'; return 1; }
    # Threads that spin while they wait starve those that they wait for, where cores are busy.
    OMP_NUM_THREADS=4 OMP_WAIT_POLICY=passive OMP_TOOL_LIBRARIES=$archer \
        TSAN_OPTIONS=ignore_noninstrumented_modules=1 timeout 120 "$work/tests" --suite device
}

# Everything that has threads. clang's build has OpenMP, too, where Archer is.
check_thread_sanitizer() {
    for compiler in gcc clang; do
        have $compiler || continue
        [ $compiler = gcc ] || [ ! -e "$archer" ] || compiler='clang -fopenmp'
        echo 'int main(void) { return 0; }' >"$work/empty.c"
        $compiler -fsanitize=thread "$work/empty.c" -o "$work/empty" 2>/dev/null || continue
        "$work/empty" 2>/dev/null || continue
        echo "with $compiler"
        # shellcheck disable=SC2086 # words
        threaded_tests $compiler -fsanitize=thread
        for suite in threads share; do
            "$work/tests" --suite $suite >"$work/log" 2>&1 || { cat "$work/log"; return 1; }
        done
        case $compiler in *openmp) openmp_suite ;; esac
        checked=1
    done
    [ -n "${checked:-}" ] || { echo "needs a compiler with ThreadSanitizer"; exit 77; }
}

# Host threads with OpenMP where the check above cannot have them.
check_openmp() {
    need gcc
    threaded_tests gcc -fopenmp
    openmp_suite
}

# Does clang build and run programs for check_thread_sanitizer that have OpenMP?
sanitizes_openmp() {
    [ -e "$archer" ] || return 1
    folder=$(mktemp -d)
    echo 'int main(void) { return 0; }' >"$folder/empty.c"
    clang -fopenmp -fsanitize=thread "$folder/empty.c" -o "$folder/empty" 2>/dev/null &&
        "$folder/empty" 2>/dev/null && does=0 || does=1
    rm -r "$folder"
    return $does
}

if [ $# -eq 0 ]; then
    sed -n 's/^check_\([a-z0-9_]*\)() .*/\1/p' "$0" |
        if have nvcc; then cat; else grep -vx nvcc; fi |
        if sanitizes_openmp; then grep -vx openmp; else cat; fi
    exit 0
fi

grep -q "^check_$1() " "$0" || { echo "no check is called $1"; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state"
"check_$1"
