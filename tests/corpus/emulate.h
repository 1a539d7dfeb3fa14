// CUDA C as C++ on the processor, for the corpus: the threads of a block are fibres, so that
// barriers and warp shuffles work; blocks run one after the other, in either order. A barrier is
// passed when all threads that have not returned stand at one, whichever it is, as on a GPU.
#ifndef EMULATE_H
#define EMULATE_H

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <math.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__
#define __constant__ static
#define __shared__ static
#define __launch_bounds__(...)
#define __align__(n)
#define __CUDACC__ 1
#define __CUDA_ARCH__ 700
#define __builtin_assume(x) ((void)0)
#define GT__NO_PTX // this is no GPU: votes by __syncthreads_or

struct uint3 { unsigned x, y, z; };
struct int2 { int x, y; };
struct int3 { int x, y, z; };
struct int4 { int x, y, z, w; };
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
struct float2 { float x, y; };
struct float3 { float x, y, z; };
struct float4 { float x, y, z, w; };
struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const { return { x, y, z }; }
};
static inline int2 make_int2(int x, int y) { return { x, y }; }
static inline int4 make_int4(int x, int y, int z, int w) { return { x, y, z, w }; }
static inline uint3 make_uint3(unsigned x, unsigned y, unsigned z) { return { x, y, z }; }
static inline float2 make_float2(float x, float y) { return { x, y }; }
static inline float3 make_float3(float x, float y, float z) { return { x, y, z }; }
static inline float4 make_float4(float x, float y, float z, float w) { return { x, y, z, w }; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w)
{
    return { x, y, z, w };
}

static uint3 threadIdx, blockIdx;
static dim3 blockDim, gridDim;

namespace cooperative_groups {
struct emu_grid {
    unsigned long long thread_rank() const
    {
        const unsigned long long group =
            ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
        return group * blockDim.x * blockDim.y * blockDim.z +
               (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
};
static inline emu_grid this_grid() { return emu_grid(); }
}
static const int warpSize = 32;

// --- fibres ---

enum { EMU_THREADS = 1024, EMU_STACK = 64 * 1024, EMU_DYNAMIC = 64 * 1024, EMU_CANARY = 256 };
enum emu_state { EMU_READY, EMU_AT_BARRIER, EMU_AT_WARP, EMU_DONE };

// swapcontext asks the system for its signals twice a switch: only a fibre's first one is its, and
// it serves block after block.
struct emu_fibre {
    ucontext_t context;
    jmp_buf place; // where it waits, once it has begun
    bool begun;
    uint3 id;
    emu_state state;
    unsigned mask; // of the lanes that it waits for
};

alignas(16) static unsigned char emu_dynamic[EMU_DYNAMIC]; // extern __shared__
static emu_fibre emu_fibres[EMU_THREADS];
static jmp_buf emu_scheduler;
static int emu_now, emu_count;
static uint64_t emu_slots[EMU_THREADS];
static void (*emu_body)();
static char *emu_stacks;

static void emu_wait(emu_state state, unsigned mask)
{
    emu_fibre *f = &emu_fibres[emu_now];
    f->state = state;
    f->mask = mask;
    if (!_setjmp(f->place)) _longjmp(emu_scheduler, 1);
}

static void emu_start()
{
    for (;;) {
        emu_body();
        emu_wait(EMU_DONE, 0);
    }
}

static void emu_go_on(emu_fibre *f)
{
    if (_setjmp(emu_scheduler)) return;
    if (f->begun) _longjmp(f->place, 1);
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = emu_stacks + (size_t)emu_now * EMU_STACK;
    f->context.uc_stack.ss_size = EMU_STACK;
    makecontext(&f->context, emu_start, 0);
    f->begun = true;
    setcontext(&f->context);
}

// Whether the lanes that a fibre waits for are all waiting; then they go on.
static bool emu_release_warp(int fibre)
{
    const int first = fibre / 32 * 32;
    const unsigned mask = emu_fibres[fibre].mask;
    for (int l = 0; l < 32 && first + l < emu_count; l++) {
        const emu_fibre &f = emu_fibres[first + l];
        if (!(mask >> l & 1) || f.state == EMU_DONE) continue;
        if (f.state != EMU_AT_WARP || f.mask != mask) return false;
    }
    for (int l = 0; l < 32 && first + l < emu_count; l++)
        if (mask >> l & 1 && emu_fibres[first + l].state == EMU_AT_WARP)
            emu_fibres[first + l].state = EMU_READY;
    emu_fibres[fibre].state = EMU_READY; // also one that is not in its own mask
    return true;
}

static bool emu_release()
{
    int waiting = 0, done = 0;
    bool progress = false;
    for (int i = 0; i < emu_count; i++) {
        if (emu_fibres[i].state == EMU_AT_WARP) progress |= emu_release_warp(i);
        waiting += emu_fibres[i].state == EMU_AT_BARRIER;
        done += emu_fibres[i].state == EMU_DONE;
    }
    if (!waiting || waiting + done < emu_count) return progress;
    for (int i = 0; i < emu_count; i++)
        if (emu_fibres[i].state == EMU_AT_BARRIER) emu_fibres[i].state = EMU_READY;
    return true;
}

static void emu_prepare()
{
    if (!emu_stacks)
        emu_stacks = (char *)mmap(NULL, (size_t)EMU_THREADS * EMU_STACK, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    emu_count = (int)(blockDim.x * blockDim.y * blockDim.z);
    for (int i = 0; i < emu_count; i++) {
        emu_fibre *f = &emu_fibres[i];
        f->id.x = (unsigned)i % blockDim.x;
        f->id.y = (unsigned)i / blockDim.x % blockDim.y;
        f->id.z = (unsigned)i / blockDim.x / blockDim.y;
        f->state = EMU_READY;
    }
}

// One block; the fibres take turns from the first or from the last. False: they wait for ever.
static bool emu_block(bool backwards)
{
    memset(emu_dynamic, 0xa5, sizeof emu_dynamic);
    emu_prepare();
    for (;;) {
        bool progress = false, live = false;
        for (int k = 0; k < emu_count; k++) {
            emu_now = backwards ? emu_count - 1 - k : k;
            emu_fibre *f = &emu_fibres[emu_now];
            live |= f->state != EMU_DONE;
            if (f->state != EMU_READY) continue;
            progress = true;
            threadIdx = f->id;
            emu_go_on(f);
        }
        if (!live) return true;
        if (emu_release() || progress) continue;
        for (int i = 0; i < emu_count; i++) emu_fibres[i].begun = false; // the next block's are new
        return false;
    }
}

static bool emu_launch(dim3 grid, dim3 block, bool backwards, void (*body)())
{
    const unsigned count = grid.x * grid.y * grid.z;
    gridDim = grid;
    blockDim = block;
    emu_body = body;
    for (unsigned k = 0; k < count; k++) {
        const unsigned b = backwards ? count - 1 - k : k;
        blockIdx = { b % grid.x, b / grid.x % grid.y, b / grid.x / grid.y };
        if (!emu_block(backwards != (k % 2 == 1))) return false;
    }
    return true;
}

// --- what kernels call ---

static inline void __syncthreads() { emu_wait(EMU_AT_BARRIER, 0); }
static inline void __syncwarp(unsigned mask = ~0u) { emu_wait(EMU_AT_WARP, mask); }
static inline void __threadfence() {}
static inline void __threadfence_block() {}

template <class T> static T emu_exchange(unsigned mask, T value, int lane)
{
    const int first = emu_now / 32 * 32, own = emu_now % 32;
    T result;
    memcpy(&emu_slots[emu_now], &value, sizeof value);
    emu_wait(EMU_AT_WARP, mask);
    if (lane < 0 || lane > 31 || first + lane >= emu_count) lane = own;
    memcpy(&result, &emu_slots[first + lane], sizeof result);
    emu_wait(EMU_AT_WARP, mask);
    return result;
}

template <class T> static T __shfl_sync(unsigned mask, T v, int lane, int width = 32)
{
    return emu_exchange(mask, v, emu_now % 32 / width * width + lane % width);
}
template <class T> static T __shfl_down_sync(unsigned mask, T v, unsigned by, int width = 32)
{
    const int own = emu_now % 32;
    return emu_exchange(mask, v, own % width + (int)by < width ? own + (int)by : own);
}
template <class T> static T __shfl_up_sync(unsigned mask, T v, unsigned by, int width = 32)
{
    const int own = emu_now % 32;
    return emu_exchange(mask, v, own % width >= (int)by ? own - (int)by : own);
}
template <class T> static T __shfl_xor_sync(unsigned mask, T v, int by, int width = 32)
{
    (void)width;
    return emu_exchange(mask, v, emu_now % 32 ^ by);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
    const int first = emu_now / 32 * 32;
    unsigned votes = 0;
    emu_slots[emu_now] = predicate != 0;
    emu_wait(EMU_AT_WARP, mask);
    for (int l = 0; l < 32 && first + l < emu_count; l++)
        if (mask >> l & 1 && emu_fibres[first + l].state != EMU_DONE)
            votes |= (unsigned)emu_slots[first + l] << l;
    emu_wait(EMU_AT_WARP, mask);
    return votes;
}
static inline int __any_sync(unsigned mask, int p) { return __ballot_sync(mask, p) != 0; }
static inline int __all_sync(unsigned mask, int p) { return !__ballot_sync(mask, !p); }

static inline long long clock64()
{
    static long long now;
    return now += 7;
}

static inline int __syncthreads_count(int predicate)
{
    int count = 0;
    emu_slots[emu_now] = predicate != 0;
    __syncthreads();
    for (int i = 0; i < emu_count; i++)
        if (emu_fibres[i].state != EMU_DONE) count += (int)emu_slots[i];
    __syncthreads();
    return count;
}
static inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
static inline int __syncthreads_and(int predicate) { return !__syncthreads_count(!predicate); }

#define EMU_ATOMIC(name, expression)                                                              \
    template <class T> static T name(T *p, T v)                                                   \
    {                                                                                             \
        const T old = *p;                                                                         \
        *p = (expression);                                                                        \
        return old;                                                                               \
    }                                                                                             \
    template <class T, class U> static T name(T *p, U v) { return name(p, (T)v); }
EMU_ATOMIC(atomicAdd, old + v)
EMU_ATOMIC(atomicSub, old - v)
EMU_ATOMIC(atomicMax, old > v ? old : v)
EMU_ATOMIC(atomicMin, old < v ? old : v)
EMU_ATOMIC(atomicExch, v)
EMU_ATOMIC(atomicAnd, old & v)
EMU_ATOMIC(atomicOr, old | v)
EMU_ATOMIC(atomicXor, old ^ v)
EMU_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
template <class T> static T atomicCAS(T *p, T compare, T v)
{
    const T old = *p;
    if (old == compare) *p = v;
    return old;
}

template <class T> static T __ldg(const T *p) { return *p; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline int __mul24(int a, int b) { return a * b; }
static inline float __fdividef(float a, float b) { return a / b; }
static inline float rsqrtf(float v) { return 1 / sqrtf(v); }
using std::max;
using std::min;
static inline float min(float a, float b) { return a < b ? a : b; }
static inline float max(float a, float b) { return a > b ? a : b; }

// --- one kernel of the corpus after the other ---

struct emu_buffer { size_t at, bytes, element; int sorted; };

static unsigned char *emu_blob;               // the initial contents, all after another
static unsigned char *emu_data[16], *emu_kept[16]; // of the kernel that runs
static emu_buffer emu_buffers[16];
static int emu_buffer_count;
static const char *emu_entry, *emu_variant;

// A scalar, struct or vector as an argument of whatever type the parameter has.
struct emu_value {
    const unsigned char *bytes;
    template <class T> operator T() const
    {
        T value;
        memcpy((void *)&value, bytes, sizeof value);
        return value;
    }
};
struct emu_pointer {
    void *memory;
    template <class T> operator T *() const { return (T *)memory; }
};
static inline emu_value emu_of(size_t at) { return { emu_blob + at }; }
static inline emu_pointer emu_at(int buffer) { return { emu_data[buffer] }; }

static void emu_crashed(int)
{
    printf("%s, %s: it crashes\n", emu_entry, emu_variant);
    fflush(stdout);
    _exit(1);
}

static void emu_load(const char *path)
{
    static char stack[65536];
    static stack_t alternate;
    struct sigaction action;
    FILE *file = fopen(path, "rb");
    emu_blob = (unsigned char *)calloc(1, 1 << 24);
    if (!file || !fread(emu_blob, 1, 1 << 24, file)) exit(2);
    fclose(file);
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = emu_crashed;
    action.sa_flags = SA_ONSTACK;
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGFPE, &action, NULL);
}

static void emu_begin(const char *entry, const emu_buffer *buffers, int count)
{
    emu_entry = entry;
    emu_variant = "unchanged";
    emu_buffer_count = count;
    for (int i = 0; i < count; i++) {
        emu_buffers[i] = buffers[i];
        emu_data[i] = (unsigned char *)realloc(emu_data[i], buffers[i].bytes + EMU_CANARY);
        emu_kept[i] = (unsigned char *)realloc(emu_kept[i], buffers[i].bytes + EMU_CANARY);
    }
}

static void emu_reset()
{
    for (int i = 0; i < emu_buffer_count; i++) {
        memcpy(emu_data[i], emu_blob + emu_buffers[i].at, emu_buffers[i].bytes);
        memset(emu_data[i] + emu_buffers[i].bytes, 0xee, EMU_CANARY);
    }
}

template <class T> static void emu_sort(unsigned char *data, size_t bytes)
{
    std::sort((T *)data, (T *)(data + bytes));
}

// What has no order is compared in one.
static void emu_arrange()
{
    for (int i = 0; i < emu_buffer_count; i++) {
        if (!emu_buffers[i].sorted) continue;
        if (emu_buffers[i].element == 4) emu_sort<uint32_t>(emu_data[i], emu_buffers[i].bytes);
        if (emu_buffers[i].element == 8) emu_sort<uint64_t>(emu_data[i], emu_buffers[i].bytes);
    }
}

// The unmodified kernel's results are kept; they must differ from the initial contents.
static void emu_keep(bool finished)
{
    bool differs = false;
    emu_arrange();
    for (int i = 0; i < emu_buffer_count; i++) {
        const emu_buffer &b = emu_buffers[i];
        differs |= memcmp(emu_data[i], emu_blob + b.at, b.bytes) != 0;
        memcpy(emu_kept[i], emu_data[i], b.bytes + EMU_CANARY);
    }
    if (!finished) printf("%s, unchanged: its threads wait for ever\n", emu_entry);
    if (!differs) printf("%s, unchanged: nothing depends on it\n", emu_entry);
}

static bool emu_equal(bool tell)
{
    emu_arrange();
    for (int i = 0; i < emu_buffer_count; i++)
        for (size_t k = 0; k < emu_buffers[i].bytes + EMU_CANARY; k++) {
            if (emu_data[i][k] == emu_kept[i][k]) continue;
            if (tell)
                printf("%s, %s: buffer %d, element %zu of %zu\n", emu_entry, emu_variant, i,
                       k / emu_buffers[i].element, emu_buffers[i].bytes / emu_buffers[i].element);
            return false;
        }
    return true;
}

static int emu_checks; // made

static void emu_check(bool finished)
{
    emu_checks++;
    if (!finished)
        printf("%s, %s: its threads wait for ever\n", emu_entry, emu_variant);
    else
        emu_equal(true);
    fflush(stdout);
}

// After the first of several launches, which the others go on from.
static void emu_check_part()
{
    static unsigned char *saved[16];
    for (int i = 0; i < emu_buffer_count; i++) {
        saved[i] = (unsigned char *)realloc(saved[i], emu_buffers[i].bytes);
        memcpy(saved[i], emu_data[i], emu_buffers[i].bytes);
    }
    if (emu_equal(false)) printf("%s, %s: a part of the grid is as good\n", emu_entry, emu_variant);
    for (int i = 0; i < emu_buffer_count; i++)
        memcpy(emu_data[i], saved[i], emu_buffers[i].bytes);
}

#endif
