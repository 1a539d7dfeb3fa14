// Counts the instructions of a kernel in PTX text by class, loop by loop: what the models of
// models.h ask of compiled code.
//
//     ptx_kernel k = ptx_read(text, "mm");           // NULL: the first kernel
//     double trips[] = { n / 16, 16 / 4 };           // of k.loop[1], k.loop[2]: in text order
//     ptx_work w = ptx_count(&k, trips);
//     ... w.count[PTX_FMA] of each thread
//
// It cannot know
// - how often a loop runs: trips are handed in, for each time that its loop is entered;
// - which way a branch goes: what is skipped by an `if`, or predicated off, is counted;
// - what the assembler makes of it: it joins loads into wider ones, drops moves and conversions,
//   turns a division into twenty instructions, unrolls. Counts of arithmetic and of memory's bytes
//   survive that, their number of instructions often does not, and moves (in PTX_OTHER) vanish;
// - where a generic address points: it counts as global memory;
// - what a called function does: `calls` says that there are some.
// Needs no other header; C99 and C++.
#ifndef BENCH_PTX_H
#define BENCH_PTX_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef enum ptx_class {
    PTX_FMA, // of 32 bits or fewer, as are the next two
    PTX_ADD,
    PTX_MUL,
    PTX_FP64,
    PTX_INTEGER, // and comparing, selecting, minima: the same units do it
    PTX_SPECIAL, // sine, root, reciprocal, division
    PTX_GLOBAL_LOAD,
    PTX_GLOBAL_STORE,
    PTX_SHARED_LOAD,
    PTX_SHARED_STORE,
    PTX_ATOMIC,
    PTX_BRANCH,
    PTX_BARRIER,
    PTX_ASYNC,  // copies that are not waited for: the models have no idea of these
    PTX_TENSOR, // nor of these
    PTX_OTHER,
    PTX_CLASSES
} ptx_class;

enum { PTX_LOOPS = 64 };

typedef struct ptx_work {
    double count[PTX_CLASSES];      // instructions of a thread
    double load_bytes, store_bytes; // of global memory
    double shared_load_bytes, shared_store_bytes;
    const char
        *missing; // what is wrong: "text", "kernel", "memory", "loops", "trips"; NULL: nothing
} ptx_work;

typedef struct ptx_loop {
    int begin, end, parent; // instructions; the loop around it, 0: none
    ptx_work work;          // of its body once, without the loops within
} ptx_loop;

typedef struct ptx_kernel {
    const char *missing;
    int loops;  // with loop[0], which is what stands outside of all
    int calls;  // of functions, whose instructions are not counted
    int target; // 90 of ".target sm_90": the text's, whatever is missing; 0: none
    ptx_loop loop[PTX_LOOPS];
} ptx_kernel;

// --- words ---

static inline bool ptx_is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '$' || c == '%';
}

static inline const char *ptx_skip(const char *s) // blanks and comments
{
    for (;;) {
        if (*s == ' ' || (*s >= '\t' && *s <= '\r')) {
            s++;
        } else if (s[0] == '/' && s[1] == '/') {
            while (*s && *s != '\n') s++;
        } else if (s[0] == '/' && s[1] == '*') {
            for (s += 2; *s && !(s[0] == '*' && s[1] == '/'); s++) {
            }
            if (*s) s += 2;
        } else {
            return s;
        }
    }
}

static inline int ptx_word(const char *s)
{
    int length = 0;
    while (ptx_is_word(s[length])) length++;
    return length;
}

static inline const char *ptx_string(const char *s) // behind one that begins here
{
    for (s++; *s && *s != '"'; s++) {}
    return *s ? s + 1 : s;
}

// Behind the next one of this character or of '\0'; comments and strings are skipped.
static inline const char *ptx_behind(const char *s, char wanted)
{
    for (;;) {
        s = ptx_skip(s);
        if (*s == '"') {
            s = ptx_string(s);
        } else if (*s == '\0') {
            return s;
        } else if (*s++ == wanted) {
            return s;
        }
    }
}

// --- opcodes ---

// Whether "ld.global.v4.f32" has a part, "global" or "global::...".
static inline bool ptx_has(const char *op, int length, const char *part)
{
    const int size = (int)strlen(part);
    for (int at = 0; at + size < length; at++)
        if (op[at] == '.' && strncmp(op + at + 1, part, (size_t)size) == 0 &&
            (at + 1 + size == length || op[at + 1 + size] == '.' || op[at + 1 + size] == ':'))
            return true;
    return false;
}

// Whether a list "add sub" has what stands in front of the first point.
static inline bool ptx_one_of(const char *op, const char *list)
{
    const int length = ptx_word(op);
    while (*list) {
        const int here = (int)strcspn(list, " ");
        if (here == length && strncmp(list, op, (size_t)length) == 0) return true;
        list += here;
        list += *list == ' ';
    }
    return false;
}

// Bytes that a load or store of a thread moves: of its type, the last part, times v2, v4, v8.
static inline double ptx_bytes(const char *op, int length)
{
    int digits = length;
    double bits;
    while (digits > 0 && op[digits - 1] >= '0' && op[digits - 1] <= '9') digits--;
    bits = atof(op + digits);
    return bits / 8.0 *
           (ptx_has(op, length, "v2")   ? 2
            : ptx_has(op, length, "v4") ? 4
            : ptx_has(op, length, "v8") ? 8
                                        : 1);
}

static inline ptx_class ptx_class_of(const char *op, int length)
{
    const bool wide = ptx_has(op, length, "f64");
    const bool real = ptx_has(op, length, "f32") || ptx_has(op, length, "f16") ||
                      ptx_has(op, length, "bf16") || ptx_has(op, length, "f16x2") ||
                      ptx_has(op, length, "bf16x2") || ptx_has(op, length, "f32x2");
    const bool shared = ptx_has(op, length, "shared");
    const bool elsewhere = ptx_has(op, length, "param") || ptx_has(op, length, "const") ||
                           ptx_has(op, length, "local");
    if (ptx_one_of(op, "ld ldu"))
        return shared ? PTX_SHARED_LOAD : elsewhere ? PTX_OTHER : PTX_GLOBAL_LOAD;
    if (ptx_one_of(op, "st"))
        return shared ? PTX_SHARED_STORE : elsewhere ? PTX_OTHER : PTX_GLOBAL_STORE;
    if (ptx_one_of(op, "atom red")) return PTX_ATOMIC;
    if (ptx_one_of(op, "bra brx call")) return PTX_BRANCH;
    if (ptx_one_of(op, "bar barrier")) return ptx_has(op, length, "warp") ? PTX_OTHER : PTX_BARRIER;
    if (ptx_one_of(op, "cp")) return PTX_ASYNC;
    if (ptx_one_of(op, "mma wmma wgmma tcgen05")) return PTX_TENSOR;
    if (ptx_one_of(op, "fma mad add sub mul div rcp sqrt rsqrt min max abs neg setp set")) {
        if (wide) return PTX_FP64;
        if (real && ptx_one_of(op, "fma mad")) return PTX_FMA;
        if (real && ptx_one_of(op, "add sub")) return PTX_ADD;
        if (real && ptx_one_of(op, "mul")) return PTX_MUL;
        if (real && ptx_one_of(op, "div rcp sqrt rsqrt")) return PTX_SPECIAL;
        return PTX_INTEGER;
    }
    if (ptx_one_of(op, "sin cos lg2 ex2 tanh")) return PTX_SPECIAL;
    if (ptx_one_of(op, "mul24 mad24 addc subc madc sad rem and or xor not cnot lop3 shl shr shf "
                       "prmt bfe bfi bfind brev popc clz fns dp4a dp2a szext selp slct bmsk"))
        return PTX_INTEGER;
    return PTX_OTHER;
}

// --- a kernel's instructions and labels, in order ---

typedef struct ptx_item {
    const char *op;
    int length;
    const char *target; // of a branch, else NULL; the label itself where length is 0
} ptx_item;

// Behind the "{" of a kernel's body; NULL: there is none.
static inline const char *ptx_body(const char *s, const char *name)
{
    for (;;) {
        s = ptx_skip(s);
        if (!*s) return NULL;
        if (*s == '"') {
            s = ptx_string(s);
        } else if (strncmp(s, ".entry", 6) == 0 && !ptx_is_word(s[6])) {
            s = ptx_skip(s + 6);
            if (!name ||
                (ptx_word(s) == (int)strlen(name) && strncmp(s, name, strlen(name)) == 0)) {
                s = ptx_behind(s, '{');
                return *s ? s : NULL;
            }
        } else {
            s++;
        }
    }
}

// Reads the next statement; *depth: of braces. False at the body's end, or the text's, where the
// depth is not 0.
static inline bool ptx_next(const char **text, int *depth, ptx_item *item)
{
    const char *s = *text;
    item->length = 0;
    item->target = NULL;
    for (;;) {
        s = ptx_skip(s);
        *text = s;
        if (!*s) return false;
        if (*s == '{' || *s == '}') {
            *depth += *s++ == '{' ? 1 : -1;
            *text = s;
            if (*depth == 0) return false;
        } else if (strncmp(s, ".loc", 4) == 0 && !ptx_is_word(s[4])) { // to the line's end
            while (*s && *s != '\n') s++;
        } else if (*s == '.' || *s == ';') { // a directive: .reg, .shared, .pragma
            s = ptx_behind(s, ';');
        } else {
            const int length = ptx_word(s);
            if (length > 0 && *ptx_skip(s + length) == ':') {
                item->op = NULL;
                item->target = s;
                *text = ptx_skip(s + length) + 1;
                return true;
            }
            if (*s == '@') { // @!%p1
                for (s++; *s == '!' || *s == ' '; s++) {
                }
                s = ptx_skip(s + ptx_word(s));
            }
            item->op = s;
            while (ptx_is_word(*s) || *s == '.' || *s == ':') s++;
            item->length = (int)(s - item->op);
            if (item->length > 0 && ptx_one_of(item->op, "bra")) item->target = ptx_skip(s);
            *text = ptx_behind(s, ';');
            if (item->length > 0) return true;
            s = *text; // no instruction that is known
        }
    }
}

static inline bool ptx_same_word(const char *a, const char *b)
{
    const int length = ptx_word(a);
    return length == ptx_word(b) && strncmp(a, b, (size_t)length) == 0;
}

// The loop that stands closest around an instruction, other than `but`.
static inline int ptx_around(const ptx_kernel *k, int at, int but)
{
    int best = 0;
    for (int l = 1; l < k->loops; l++) // they begin one behind the other
        if (l != but && k->loop[l].begin <= at && k->loop[l].end >= at) best = l;
    return best;
}

// A loop is what stands between a label and the last branch back to it.
static inline void ptx_find_loops(ptx_kernel *k, const ptx_item *items, int count)
{
    k->loops = 1;
    k->loop[0].end = count;
    for (int i = 0; i < count; i++) {
        int end = -1;
        if (items[i].length > 0) continue;
        for (int j = i; j < count; j++)
            if (items[j].length > 0 && items[j].target &&
                ptx_same_word(items[j].target, items[i].target))
                end = j;
        if (end < 0) continue;
        if (k->loops == PTX_LOOPS) {
            k->missing = "loops";
            return;
        }
        k->loop[k->loops].begin = i;
        k->loop[k->loops++].end = end;
    }
    for (int l = 1; l < k->loops; l++) k->loop[l].parent = ptx_around(k, k->loop[l].begin, l);
}

// What the text is for: 90 of ".target sm_90a"; 0: it does not say.
static inline int ptx_target(const char *s)
{
    int target = 0;
    for (s = ptx_skip(s); *s; s = ptx_skip(s)) {
        if (*s == '"') {
            s = ptx_string(s);
        } else if (strncmp(s, ".target", 7) == 0 && !ptx_is_word(s[7])) {
            s = ptx_skip(s + 7);
            if (strncmp(s, "sm_", 3) != 0) return 0;
            for (s += 3; *s >= '0' && *s <= '9' && target < 1000; s++)
                target = 10 * target + (*s - '0');
            return target;
        } else {
            s++;
        }
    }
    return 0;
}

// --- what it is for ---

// The kernel of such a name, NULL: the first.
static inline ptx_kernel ptx_read(const char *text, const char *name)
{
    ptx_kernel k;
    ptx_item *items = NULL, item;
    const char *s;
    int depth = 1, count = 0, room = 0;
    memset(&k, 0, sizeof k);
    if (text) k.target = ptx_target(text);
    s = text ? ptx_body(text, name) : NULL;
    if (!s) k.missing = text ? "kernel" : "text";
    while (s && ptx_next(&s, &depth, &item)) {
        if (count == room) {
            ptx_item *more;
            room = room ? 2 * room : 256;
            more = (ptx_item *)realloc(items, (size_t)room * sizeof *items);
            if (!more) {
                k.missing = "memory";
                break;
            }
            items = more;
        }
        items[count++] = item;
    }
    if (!k.missing && depth != 0) k.missing = "text"; // it ends within
    if (!k.missing) ptx_find_loops(&k, items, count);
    for (int i = 0; i < count && !k.missing; i++) {
        ptx_work *work = &k.loop[ptx_around(&k, i, 0)].work;
        const ptx_class what = ptx_class_of(items[i].op ? items[i].op : "", items[i].length);
        double bytes;
        if (items[i].length == 0) continue;
        bytes = ptx_bytes(items[i].op, items[i].length);
        work->count[what]++;
        if (what == PTX_GLOBAL_LOAD) work->load_bytes += bytes;
        if (what == PTX_GLOBAL_STORE) work->store_bytes += bytes;
        if (what == PTX_SHARED_LOAD) work->shared_load_bytes += bytes;
        if (what == PTX_SHARED_STORE) work->shared_store_bytes += bytes;
        if (ptx_one_of(items[i].op, "call")) k.calls++;
    }
    free(items);
    return k;
}

// What a thread does in all, where the body of loop i runs times[i] times; times[0] is 1.
static inline ptx_work ptx_sum(const ptx_kernel *k, const double *times)
{
    ptx_work sum;
    memset(&sum, 0, sizeof sum);
    sum.missing = k->missing;
    for (int l = 0; l < k->loops && !sum.missing; l++) {
        const ptx_work *work = &k->loop[l].work;
        if (!(times[l] >= 0 && times[l] <= 1e18)) sum.missing = "trips";
        for (int c = 0; c < PTX_CLASSES; c++) sum.count[c] += times[l] * work->count[c];
        sum.load_bytes += times[l] * work->load_bytes;
        sum.store_bytes += times[l] * work->store_bytes;
        sum.shared_load_bytes += times[l] * work->shared_load_bytes;
        sum.shared_store_bytes += times[l] * work->shared_store_bytes;
    }
    return sum;
}

// The same, where loop i runs trips[i - 1] times whenever it is entered.
static inline ptx_work ptx_count(const ptx_kernel *k, const double *trips)
{
    double times[PTX_LOOPS] = { 1.0 };
    for (int l = 1; l < k->loops; l++) {
        times[l] = 1.0;
        for (int up = l; up > 0; up = k->loop[up].parent) times[l] *= trips[up - 1];
    }
    return ptx_sum(k, times);
}

// What the source says of a thread: enough to tell how often loops run, however the compiler has
// unrolled them.
typedef struct ptx_known {
    ptx_class anchor; // most work is in the loop that has most of these,
    double count;     // so many of them in all
    double around;    // how often the body of the loop around that one runs, if there is one
    double loads;     // of global memory in loops without any of the anchor: copies, all together
    double rows;      // how often bodies of loops around the latter run, all together
} ptx_known;

// What a thread does in all. The loop with most of the anchor runs as often as makes `count` of
// them; other loops that have some are what is left over by unrolling, and nothing is. Loops that
// load run equally often, those around them (and not around the first) together `rows` times; all
// others, and branches outside of loops, are not understood: the former count as never run, the
// latter as run. missing: "anchor" where there is none of it, or twice what there may be.
static inline ptx_work ptx_fit(const ptx_kernel *k, const ptx_known *known)
{
    double times[PTX_LOOPS] = { 1.0 }, loads = 0.0, rows = 0.0;
    bool around[PTX_LOOPS] = { false }, copies[PTX_LOOPS] = { false }, holds[PTX_LOOPS] = { false };
    ptx_work work;
    int most = 0;
    for (int l = 1; l < k->loops; l++)
        if (k->loop[l].work.count[known->anchor] >
            (most ? k->loop[most].work.count[known->anchor] : 0.0))
            most = l;
    if (most) times[most] = known->count / k->loop[most].work.count[known->anchor];
    for (int up = most ? k->loop[most].parent : 0; up > 0; up = k->loop[up].parent) {
        around[up] = true;
        times[up] = up == k->loop[most].parent ? known->around : 1.0;
    }
    for (int l = 1; l < k->loops; l++) {
        const ptx_work *body = &k->loop[l].work;
        copies[l] = l != most && !around[l] && body->count[PTX_GLOBAL_LOAD] > 0 &&
                    !(body->count[known->anchor] > 0);
        if (copies[l]) loads += body->count[PTX_GLOBAL_LOAD];
    }
    for (int l = 1; l < k->loops; l++)
        for (int up = copies[l] ? k->loop[l].parent : 0; up > 0; up = k->loop[up].parent)
            if (up != most && !around[up] && !copies[up] && !holds[up]) {
                holds[up] = true;
                rows++;
            }
    for (int l = 1; l < k->loops; l++) {
        if (copies[l]) times[l] = known->loads / loads;
        if (holds[l]) times[l] = known->rows / rows;
    }
    work = ptx_sum(k, times);
    if (!work.missing && known->count > 0 &&
        !(work.count[known->anchor] >= 0.5 * known->count &&
          work.count[known->anchor] <= 2.0 * known->count))
        work.missing = "anchor";
    return work;
}

#endif
