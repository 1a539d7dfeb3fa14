# Sourced by examples/run.sh, tests/run.sh and bench/run.sh: finds or installs what they need.
# Works from the project folder, writes only to a temporary folder that goes away at the end.
#
# Environment:
#   CC                  the C compiler (default: gcc, else clang, else cc)
#   GPUTUNE_INCLUDE     more folders with headers, colon separated: for a machine that cannot
#                       install packages. Unpack them beside the project and name their folder:
#                           dpkg -x libstb-dev_*.deb deps; dpkg -x opencl-c-headers_*.deb deps
#                           GPUTUNE_INCLUDE=$PWD/deps/usr/include sh tests/run.sh
#   GPUTUNE_INSTALL=no  never install anything
#   GPUTUNE_CUDA_HEADERS=wheels  CUDA's headers from PyPI even where a toolkit has them
#   LD_LIBRARY_PATH     also where OpenCL's loader (libOpenCL.so.1) is looked for

set -eu
PATH=$PATH:/usr/local/cuda/bin:/usr/sbin:/sbin

# Header folders, absolute. gcc, clang, nvcc and tcc all read these two variables, and treat what
# is in them as system headers: no warnings about other people's code.
setup_includes() {
    saved_ifs=$IFS
    IFS=:
    for folder in ${GPUTUNE_INCLUDE:-}; do
        [ -n "$folder" ] || continue
        folder=$(cd "$folder" && pwd) || { echo "GPUTUNE_INCLUDE: no folder" >&2; exit 1; }
        C_INCLUDE_PATH=$folder${C_INCLUDE_PATH:+:$C_INCLUDE_PATH}
        CPLUS_INCLUDE_PATH=$folder${CPLUS_INCLUDE_PATH:+:$CPLUS_INCLUDE_PATH}
        export C_INCLUDE_PATH CPLUS_INCLUDE_PATH
    done
    IFS=$saved_ifs
}

setup_includes
cd "$(dirname "$0")/.."
tmp=$(mktemp -d "${TMPDIR:-/tmp}/gputune.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say() { echo "$*" >&2; }

have() { command -v "$1" >/dev/null 2>&1; }

# have_header NAME: the C compiler finds it.
have_header() { echo "#include <$1>" | "$CC" -E -x c - >/dev/null 2>&1; }

have_stb() { have_header stb_ds.h || have_header stb/stb_ds.h; }

have_compiler() {
    [ -n "${CC:-}" ] || for CC in gcc clang cc; do have "$CC" && break; done
    printf '#include <stdio.h>\nint main(void) { return 0; }\n' >"$tmp/empty.c"
    "$CC" "$tmp/empty.c" -o "$tmp/empty" >/dev/null 2>&1 || { CC=; return 1; }
}

# NVIDIA's OpenCL may be there without being announced (containers): announce it to this process,
# in a private copy of the vendors folder, which both common loaders take from OCL_ICD_VENDORS.
setup_nvidia() {
    for folder in /usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib64 \
        /usr/lib/x86_64-linux-gnu /usr/lib/aarch64-linux-gnu /usr/local/cuda/lib64; do
        [ -e "$folder/libnvidia-opencl.so.1" ] || [ -e "$folder/libOpenCL.so.1" ] || continue
        ldconfig -p 2>/dev/null | grep -qF "$folder/" && continue
        LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$folder
        export LD_LIBRARY_PATH
    done
    [ -z "${OCL_ICD_VENDORS:-}" ] || return 0
    grep -qs libnvidia-opencl /etc/OpenCL/vendors/*.icd && return 0
    has_library libnvidia-opencl.so.1 || return 0
    mkdir -p "$tmp/vendors"
    cp /etc/OpenCL/vendors/*.icd "$tmp/vendors" 2>/dev/null || true
    echo libnvidia-opencl.so.1 >"$tmp/vendors/nvidia.icd"
    export OCL_ICD_VENDORS="$tmp/vendors"
}

# has_library NAME: the dynamic loader will find it.
has_library() {
    ldconfig -p 2>/dev/null | grep -qF "$1 " && return 0
    saved_ifs=$IFS
    IFS=:
    for folder in ${LD_LIBRARY_PATH:-}; do
        [ -e "$folder/$1" ] && { IFS=$saved_ifs; return 0; }
    done
    IFS=$saved_ifs
    return 1
}

# True when OpenCL offers at least one device. Needs no header and no link flag.
have_opencl_device() {
    cat >"$tmp/devices.c" <<'EOF'
#include <dlfcn.h>
#include <string.h>
typedef int (*platforms_fn)(unsigned, void **, unsigned *);
typedef int (*devices_fn)(void *, unsigned long, unsigned, void **, unsigned *);
int main(void)
{
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW), *platforms[16], *symbol;
    platforms_fn get_platforms;
    devices_fn get_devices;
    unsigned platform_count = 0, device_count, found = 0, i;
    if (!library) return 1;
    symbol = dlsym(library, "clGetPlatformIDs");
    memcpy(&get_platforms, &symbol, sizeof symbol);
    symbol = dlsym(library, "clGetDeviceIDs");
    memcpy(&get_devices, &symbol, sizeof symbol);
    if (get_platforms(16, platforms, &platform_count) != 0) return 1;
    for (i = 0; i < platform_count && i < 16; i++) {
        device_count = 0;
        if (get_devices(platforms[i], 0xFFFFFFFFul, 0, 0, &device_count) == 0)
            found += device_count;
    }
    return found == 0;
}
EOF
    "$CC" "$tmp/devices.c" -o "$tmp/devices" -ldl 2>/dev/null && "$tmp/devices" >/dev/null 2>&1
}

# want PACKAGE TEST...: remembers the package unless the test holds or the package is there.
missing=
want() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 && return 0
    dpkg -s "$package" 2>/dev/null | grep -q '^Status: install ok installed' && return 0
    missing="$missing $package"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif have sudo && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
        sudo "$@"
    else
        return 1
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 \
        -o Acquire::http::Timeout=20 -o Acquire::Retries=1 "$@" >>"$tmp/apt.log" 2>&1
}

# Installs what want remembered, in one go; the package lists are fetched only when they do not
# serve. False when that is not possible; then $missing still names the packages.
install_missing() {
    [ -n "$missing" ] || return 0
    [ "${GPUTUNE_INSTALL:-yes}" != no ] && have apt-get || return 1
    as_root true 2>/dev/null || return 1
    say "installing$missing"
    # shellcheck disable=SC2086 # a list of words
    apt_get install -y --no-install-recommends $missing ||
        { apt_get update && apt_get install -y --no-install-recommends $missing; } || return 1
    missing=
}

cannot_install() {
    say "missing, and this script cannot install it here:$missing"
    say "on Debian or Ubuntu: sudo apt-get install$missing"
    say "without such rights: see GPUTUNE_INCLUDE at the top of tests/setup.sh"
    [ ! -s "$tmp/apt.log" ] || tail -n 3 "$tmp/apt.log" >&2
    exit 1
}

# A C compiler and stb_ds.h.
setup_basics() {
    have_compiler || missing=' gcc libc6-dev'
    CC=${CC:-gcc}
    want libstb-dev have_stb
    install_missing || cannot_install
    have_compiler || cannot_install
    export CC
}

# After setup_basics: Open MPI. Sets mpi_flags: what mpirun needs to start more ranks than there are
# processors, as whoever this is.
setup_mpi() {
    want openmpi-bin have mpirun
    want libopenmpi-dev have mpicc
    install_missing || cannot_install
    mpi_flags=--oversubscribe
    [ "$(id -u)" != 0 ] || mpi_flags="$mpi_flags --allow-run-as-root"
    export OMPI_CC="$CC"
}

# After setup_basics: OpenCL's headers, its loader and a device. PoCL is one on any processor.
setup_opencl() {
    setup_nvidia
    want opencl-c-headers have_header CL/cl.h
    want ocl-icd-libopencl1 has_library libOpenCL.so.1
    install_missing || cannot_install
    have_opencl_device && return 0
    want pocl-opencl-icd false
    install_missing || cannot_install
    have_opencl_device || say "OpenCL finds no device on this machine"
}

# Sets opencl_flag: how a program that calls OpenCL itself is linked. The plain flag needs a
# development package; the library's own name does not.
setup_opencl_flag() {
    opencl_flag=-lOpenCL
    saved_ifs=$IFS
    IFS=:
    for folder in ${LD_LIBRARY_PATH:-}; do
        LIBRARY_PATH=${LIBRARY_PATH:+$LIBRARY_PATH:}$folder
    done
    IFS=$saved_ifs
    [ -z "${LIBRARY_PATH:-}" ] || export LIBRARY_PATH
    "$CC" "$tmp/empty.c" -o "$tmp/empty" -lOpenCL >/dev/null 2>&1 ||
        opencl_flag=-l:libOpenCL.so.1
}

have_cuda_headers() { have_header cuda.h && have_header nvrtc.h; }

# At the end of the header folders: what a machine has otherwise comes first.
add_include() {
    C_INCLUDE_PATH=${C_INCLUDE_PATH:+$C_INCLUDE_PATH:}$1
    CPLUS_INCLUDE_PATH=${CPLUS_INCLUDE_PATH:+$CPLUS_INCLUDE_PATH:}$1
    export C_INCLUDE_PATH CPLUS_INCLUDE_PATH
}

# Where the C compiler finds a header.
header_path() {
    echo "#include <$1>" | "$CC" -E -x c - | sed -n "s|^# [0-9]* \"\(.*/$1\)\".*|\1|p" | sed -n 1p
}

# The libraries' headers in $tmp/include. A cross compiler looks nowhere near /usr/include.
setup_cross_headers() { # further headers
    mkdir -p "$tmp/include/stb"
    stb=$(header_path stb/stb_ds.h)
    cp "${stb:-$(header_path stb_ds.h)}" "$tmp/include/stb"
    cp -r "$(dirname "$(header_path CL/cl.h)")" "$tmp/include"
    for header in "$@"; do cp "$(header_path "$header")" "$tmp/include"; done
}

# Where toolkits put them, and Debian's package where apt offers it (non-free).
toolkit_cuda_headers() {
    have_cuda_headers && return 0
    nvcc=$(command -v nvcc 2>/dev/null) && nvcc=$(readlink -f "$nvcc") || nvcc=
    for folder in "${CUDA_PATH:-}" "${CUDA_HOME:-}" "${nvcc%/bin/nvcc}" /usr/local/cuda \
        /opt/cuda; do
        [ -n "$folder" ] && [ -e "$folder/include/cuda.h" ] && [ -e "$folder/include/nvrtc.h" ] ||
            continue
        add_include "$folder/include"
        return 0
    done
    have apt-cache && apt-cache show nvidia-cuda-dev >/dev/null 2>&1 || return 1
    want nvidia-cuda-dev false
    install_missing || { missing=; return 1; }
    have_cuda_headers
}

# NVIDIA's wheels on PyPI, 90 MB, kept in the user's cache: headers and a libnvrtc.
wheel_cuda_headers() {
    cache=${XDG_CACHE_HOME:-${HOME:-$tmp}/.cache}/gputune/cuda-12.8.93
    if [ ! -e "$cache/complete" ]; then
        [ "${GPUTUNE_INSTALL:-yes}" != no ] || return 1
        want python3-pip python3 -m pip --version
        install_missing || { missing=; return 1; }
        mkdir -p "$cache" "$tmp/wheels" || return 1
        say "fetching CUDA's headers into $cache"
        (cd "$tmp/wheels" && python3 -m pip download --quiet --no-deps --disable-pip-version-check \
            nvidia-cuda-runtime-cu12==12.8.90 nvidia-cuda-nvrtc-cu12==12.8.93) \
            >>"$tmp/apt.log" 2>&1 || return 1
        for wheel in "$tmp"/wheels/*.whl; do
            python3 -m zipfile -e "$wheel" "$cache" || return 1
        done
        touch "$cache/complete"
    fi
    add_include "$cache/nvidia/cuda_runtime/include"
    add_include "$cache/nvidia/cuda_nvrtc/include"
    LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$cache/nvidia/cuda_nvrtc/lib
    export LD_LIBRARY_PATH
    have_cuda_headers
}

# After setup_basics: <cuda.h> and <nvrtc.h>. No GPU and no driver are needed to compile.
setup_cuda_headers() {
    [ "${GPUTUNE_CUDA_HEADERS:-}" != wheels ] && toolkit_cuda_headers && return 0
    wheel_cuda_headers && return 0
    say "cuda.h and nvrtc.h are missing, and this script cannot get them here: install the CUDA"
    say "toolkit, or see GPUTUNE_INCLUDE at the top of tests/setup.sh"
    [ ! -s "$tmp/apt.log" ] || tail -n 3 "$tmp/apt.log" >&2
    exit 1
}
