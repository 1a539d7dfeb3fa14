#!/bin/sh
# The three headers and the quick start, compiled for systems that are not here: Linux with musl,
# macOS and FreeBSD, by Zig's compiler (PyPI's ziglang, 100 MB, kept in the user's cache). musl's
# programs run on any Linux: example 07 is run. Installs what is missing; skipped, with status 77,
# where that fails.
#
#     sh tests/systems.sh              all of it, in 20 s of processor time
#
# macOS has OpenCL's headers elsewhere: Khronos's take their place. The last line is
# "N passed, N failed, N skipped"; the exit status is non-zero if any failed.
. "$(dirname "$0")/setup.sh"

skip() {
    echo "skipped: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}

# Sets zig to the compiler.
setup_zig() {
    version=0.17.1
    cache=${XDG_CACHE_HOME:-${HOME:-$tmp}/.cache}/gputune/zig-$version
    zig=$cache/ziglang/zig
    [ ! -e "$cache/complete" ] || return 0
    [ "${GPUTUNE_INSTALL:-yes}" != no ] || return 1
    want python3-pip python3 -m pip --version
    install_missing || return 1
    say "fetching Zig into $cache"
    mkdir -p "$cache" && (cd "$tmp" && python3 -m pip download --quiet --no-deps \
        --disable-pip-version-check "ziglang==$version") >>"$tmp/apt.log" 2>&1 || return 1
    python3 -m zipfile -e "$tmp"/ziglang-*.whl "$cache" && chmod +x "$zig" || return 1
    touch "$cache/complete"
}

setup_basics
setup_cuda_headers
want opencl-c-headers have_header CL/cl.h
want musl-tools have musl-gcc
install_missing || skip "not installed:$missing"
setup_zig && "$zig" version >/dev/null || skip "PyPI's ziglang cannot be installed"
export ZIG_GLOBAL_CACHE_DIR="$tmp/zig" ZIG_LOCAL_CACHE_DIR="$tmp/zig"

setup_cross_headers cuda.h nvrtc.h
mkdir -p "$tmp/include/OpenCL"
echo '#include <CL/cl.h>' >"$tmp/include/OpenCL/opencl.h"
unset C_INCLUDE_PATH CPLUS_INCLUDE_PATH

# compiled SYSTEM FILE OUTPUT. Zig's own sanitizer would need ten times as long.
compiled() {
    "$zig" cc -target "$1" -std=c99 -O0 -fno-sanitize=undefined -Wall -Wextra -Wpedantic -Werror \
        -I. -isystem "$tmp/include" -c "$2" -o "$3"
}

# The headers' code, and the quick start's without it.
case_compiles() { # SYSTEM
    compiled "$1" tests/compile/library.c "$tmp/library.$1.o" || return 1
    sed '/^#define GPUTUNE.*IMPLEMENTATION$/d' examples/01_row_sums.c >"$tmp/start.c"
    compiled "$1" "$tmp/start.c" "$tmp/start.$1.o"
}

case_musl() { # in the end a start has the answer, and tries nothing
    sed '/^#define GPUTUNE.*IMPLEMENTATION$/d' examples/07_ask_tell.c >"$tmp/07.c"
    compiled x86_64-linux-musl "$tmp/07.c" "$tmp/07.o" &&
        musl-gcc -static "$tmp/07.o" "$tmp/library.x86_64-linux-musl.o" -o "$tmp/07" -lm || return 1
    export GPUTUNE_STORE="$tmp/musl/store.txt"
    "$tmp/07" >"$tmp/07.log" && cat "$tmp/07.log" && grep -q '^no blocks ' "$tmp/07.log" || return 1
    for i in 1 2 3 4; do # on a busy machine a tuning ends unfinished, and the next start goes on
        "$tmp/07" >"$tmp/07.log" && cat "$tmp/07.log" || return 1
        ! head -n 1 "$tmp/07.log" | grep -q '^best ' || return 0
    done
    return 1
}

passed=0 failed=0
check() { # NAME COMMAND ...
    name=$1
    shift
    if "$@" >"$tmp/case" 2>&1; then
        passed=$((passed + 1))
        echo "systems/$name: passed"
    else
        failed=$((failed + 1))
        echo "FAILED systems/$name"
        head -n 30 "$tmp/case" | cut -c1-200
    fi
}
for system in x86_64-linux-musl aarch64-macos x86_64-freebsd; do
    check $system case_compiles $system
done
check musl_runs case_musl
echo "$passed passed, $failed failed, 0 skipped"
[ $failed = 0 ]
