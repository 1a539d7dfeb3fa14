// The corpus: kernels as public programs have them. The lines of a file that begin with "//: " say
// how each of its kernels is launched and what coarsening must make of it:
//
//     //: kernel NAME                  the lines that follow are about this kernel
//     //: instance NAME<float, 4>      how it is called, where that is not its name (CUDA)
//     //: launch 40 30 / 8 5           global and local sizes in work-items; without / 8 5 the
//                                      work-group is the driver's choice
//     //: options -DN=4                build options
//     //: thread yes                   the form is allowed; `no REASON`: refused, with this in the
//     //: group no REASON              reason; `maybe`: refused, or right
//     //: range no REASON              parts of its grid; without such a line: yes
//     //: merge yes                    at thread level its statements are merged; `no REASON`
//     //: skip WHERE ...               opencl oclgrind emulate nvrtc: not there; nvidia: not on
//                                      NVIDIA's OpenCL
//     //: reference NAME               the kernel that says what is right on devices: PoCL 3.1 gets
//                                      the unmodified one wrong
//     //: plain NAME               plain C, done by one work-item of the launch: what the
//                                  unmodified kernel makes must be what this makes
//     //: args ARG; ARG ...            in order, on as many lines as it takes:
//         int 5                        a scalar: char ... ulong, float, double
//         struct int 5 float 0.5       a struct or vector by value
//         local 256                    bytes of local memory; in CUDA of extern __shared__
//         float[1000] = FILL [sorted]  a buffer; sorted: its elements have no order
//     FILL is a number; ramp STEP; mod M (scattered numbers below M); random LOW HIGH (below HIGH;
//     quarters for reals, so that sums are exact and do not depend on fused multiplications).
#ifndef CORPUS_H
#define CORPUS_H

#include "test.h"

#include <dirent.h>

enum { CORPUS_ENTRIES = 500, CORPUS_ARGS = 16, CORPUS_CANARY = 256 };
enum { CORPUS_LEAST = 200 }; // so many kernels are there, or more

typedef enum corpus_allowed { CORPUS_MAYBE, CORPUS_YES, CORPUS_NO } corpus_allowed;

typedef struct corpus_arg {
    gputune_arg_kind kind; // SCALAR, INOUT or LOCAL
    unsigned char scalar[64];
    void *initial; // of a buffer
    size_t bytes, element;
    bool sorted;
} corpus_arg;

typedef struct corpus_entry {
    char *source; // shared by the entries of a file
    char file[64], kernel[64], instance[96], options[128], skip[64], label[140];
    char known[400]; // the options behind what a driver names of its compiler's macros
    char reference[64]; // empty: the unmodified kernel is
    char plain[64];     // plain C of it; empty: there is none
    bool cuda, owns_source;
    int dimensions;
    size_t global[3], local[3]; // local 0: not said
    corpus_allowed thread, group, range, merge;
    char thread_why[96], group_why[96], range_why[96], merge_why[96];
    corpus_arg args[CORPUS_ARGS];
    int arg_count;
} corpus_entry;

typedef struct corpus_set {
    corpus_entry entries[CORPUS_ENTRIES];
    int count;
} corpus_set;

typedef struct corpus_type {
    const char *name;
    size_t bytes;
    bool real;
} corpus_type;

static const corpus_type corpus_types[] = {
    { "char", 1, false }, { "uchar", 1, false }, { "short", 2, false }, { "ushort", 2, false },
    { "int", 4, false },  { "uint", 4, false },  { "long", 8, false },  { "ulong", 8, false },
    { "float", 4, true }, { "double", 8, true },
};

static const corpus_type *corpus_find_type(const char *name)
{
    for (size_t i = 0; i < sizeof corpus_types / sizeof *corpus_types; i++)
        if (strcmp(corpus_types[i].name, name) == 0) return &corpus_types[i];
    return NULL;
}

static void corpus_put(const corpus_type *type, double value, void *to)
{
    const float f = (float)value;
    const int64_t i = type->real ? 0 : (int64_t)value; // little-endian: the low bytes come first
    if (type->real)
        memcpy(to, type->bytes == 4 ? (const void *)&f : (const void *)&value, type->bytes);
    else
        memcpy(to, &i, type->bytes);
}

// Random numbers that are the same everywhere.
static uint32_t corpus_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static bool corpus_fill(corpus_arg *arg, const corpus_type *type, const char *fill)
{
    double a = 0, b = 0, value;
    char word[16] = "number";
    uint32_t state = (uint32_t)arg->bytes;
    if (sscanf(fill, "%lf", &a) != 1 && sscanf(fill, "%15[a-z] %lf %lf", word, &a, &b) < 2)
        return false;
    for (size_t i = 0; i < arg->bytes / arg->element; i++) {
        if (strcmp(word, "number") == 0)
            value = a;
        else if (strcmp(word, "ramp") == 0)
            value = a * (double)i;
        else if (strcmp(word, "mod") == 0)
            value = (double)((i * 7919 + 3) % (size_t)a);
        else if (strcmp(word, "random") == 0 && b > a)
            value = type->real ? a + (double)(corpus_random(&state) % (uint32_t)(4 * (b - a))) / 4
                               : a + (double)(corpus_random(&state) % (uint32_t)(b - a));
        else
            return false;
        corpus_put(type, value, (unsigned char *)arg->initial + i * arg->element);
    }
    return true;
}

static bool corpus_read_buffer(corpus_arg *arg, const char *text)
{
    char name[16], fill[64];
    const corpus_type *type;
    size_t count;
    if (sscanf(text, "%15[a-z][%zu] = %63[^\n]", name, &count, fill) != 3) return false;
    type = corpus_find_type(name);
    if (!type || !count) return false;
    arg->kind = GPUTUNE_ARG_INOUT;
    arg->element = type->bytes;
    arg->bytes = count * type->bytes;
    arg->sorted = strstr(fill, "sorted") != NULL;
    arg->initial = calloc(1, arg->bytes);
    return arg->initial && corpus_fill(arg, type, fill);
}

// "int 5 float 0.5": one member after the other, each where its alignment has it.
static bool corpus_read_value(corpus_arg *arg, const char *text)
{
    char name[16];
    double value;
    int used;
    while (sscanf(text, " %15[a-z] %lf%n", name, &value, &used) == 2) {
        const corpus_type *type = corpus_find_type(name);
        if (!type || arg->bytes + 16 > sizeof arg->scalar) return false;
        arg->bytes = (arg->bytes + type->bytes - 1) / type->bytes * type->bytes;
        if (type->bytes > arg->element) arg->element = type->bytes;
        corpus_put(type, value, arg->scalar + arg->bytes);
        arg->bytes += type->bytes;
        text += used;
    }
    if (!arg->element) return false;
    arg->bytes = (arg->bytes + arg->element - 1) / arg->element * arg->element;
    return !text[strspn(text, " \n")];
}

static bool corpus_read_arg(corpus_arg *arg, const char *text)
{
    memset(arg, 0, sizeof *arg);
    text += strspn(text, " ");
    if (sscanf(text, "local %zu", &arg->bytes) == 1) {
        arg->kind = GPUTUNE_ARG_LOCAL;
        return arg->bytes > 0;
    }
    if (strchr(text, '[')) return corpus_read_buffer(arg, text);
    arg->kind = GPUTUNE_ARG_SCALAR;
    return corpus_read_value(arg, strncmp(text, "struct ", 7) ? text : text + 7);
}

static bool corpus_read_args(corpus_entry *e, const char *text)
{
    char one[200];
    int used;
    while (sscanf(text, " %199[^;]%n", one, &used) == 1) {
        if (e->arg_count == CORPUS_ARGS || !corpus_read_arg(&e->args[e->arg_count], one))
            return false;
        e->arg_count++;
        text += used;
        text += *text == ';';
    }
    return true;
}

static bool corpus_read_launch(corpus_entry *e, const char *text)
{
    size_t *g = e->global, *l = e->local;
    const char *slash = strchr(text, '/');
    int locals;
    e->dimensions = sscanf(text, "%zu %zu %zu", &g[0], &g[1], &g[2]);
    for (int d = 0; d < 3; d++)
        if (d >= e->dimensions) g[d] = l[d] = 1;
    if (!slash) return e->dimensions > 0;
    locals = sscanf(slash + 1, "%zu %zu %zu", &l[0], &l[1], &l[2]);
    return e->dimensions > 0 && locals == e->dimensions;
}

static bool corpus_read_allowed(const char *text, corpus_allowed *allowed, char *why)
{
    *allowed = strcmp(text, "yes") == 0      ? CORPUS_YES
               : strncmp(text, "no", 2) == 0 ? CORPUS_NO
                                             : CORPUS_MAYBE;
    if (*allowed == CORPUS_NO) snprintf(why, 96, "%.95s", text[2] ? text + 3 : "");
    return *allowed != CORPUS_MAYBE || strcmp(text, "maybe") == 0;
}

#define CORPUS_OPENCL "-D__OPENCL_VERSION__=120 -Dcl_khr_fp64 -Dcl_khr_byte_addressable_store "

static bool corpus_know(corpus_entry *e)
{
    return snprintf(e->known, sizeof e->known, "%s%s",
                    e->cuda ? "-D__CUDACC__ -D__CUDACC_RTC__ -D__CUDA_ARCH__=700 -U__NVCC__ "
                            : "-U__CUDACC__ " CORPUS_OPENCL, e->options) > 0;
}

// One line after "//: ". False: it cannot be read.
static bool corpus_read_line(corpus_set *set, const char *file, char *source, const char *line)
{
    corpus_entry *e = set->count ? &set->entries[set->count - 1] : NULL;
    const size_t word = strcspn(line, " ");
    const char *rest = line + word + (line[word] == ' ');
    if (strncmp(line, "kernel ", 7) == 0) {
        if (set->count == CORPUS_ENTRIES) return false;
        e = &set->entries[set->count++];
        memset(e, 0, sizeof *e);
        snprintf(e->file, sizeof e->file, "%s", file);
        snprintf(e->kernel, sizeof e->kernel, "%s", rest);
        snprintf(e->instance, sizeof e->instance, "%s", rest);
        snprintf(e->label, sizeof e->label, "%s/%s", file, rest);
        e->source = source;
        e->cuda = strstr(file, ".cu") != NULL;
        corpus_know(e);
        e->range = CORPUS_YES;
        return true;
    }
    if (!e || e->source != source) return false;
    if (strncmp(line, "instance ", 9) == 0)
        return snprintf(e->instance, sizeof e->instance, "%s", rest) > 0;
    if (strncmp(line, "options ", 8) == 0) {
        snprintf(e->options, sizeof e->options, "%s", rest);
        return corpus_know(e);
    }
    if (strncmp(line, "skip ", 5) == 0) return snprintf(e->skip, sizeof e->skip, "%s", rest) > 0;
    if (strncmp(line, "reference ", 10) == 0)
        return snprintf(e->reference, sizeof e->reference, "%s", rest) > 0;
    if (strncmp(line, "plain ", 6) == 0)
        return snprintf(e->plain, sizeof e->plain, "%s", rest) > 0;
    if (strncmp(line, "launch ", 7) == 0) return corpus_read_launch(e, rest);
    if (strncmp(line, "args ", 5) == 0) return corpus_read_args(e, rest);
    if (strncmp(line, "merge ", 6) == 0)
        return corpus_read_allowed(rest, &e->merge, e->merge_why);
    if (strncmp(line, "thread ", 7) == 0)
        return corpus_read_allowed(rest, &e->thread, e->thread_why);
    if (strncmp(line, "group ", 6) == 0) return corpus_read_allowed(rest, &e->group, e->group_why);
    if (strncmp(line, "range ", 6) == 0) return corpus_read_allowed(rest, &e->range, e->range_why);
    return false;
}

static void corpus_read_file(corpus_set *set, const char *folder, const char *file)
{
    char path[300], line[400], *source = (char *)calloc(1, 1 << 16);
    const int first = set->count;
    FILE *f;
    snprintf(path, sizeof path, "%s/%s", folder, file);
    f = fopen(path, "rb");
    CHECK_OR(f && source && fread(source, 1, (1 << 16) - 1, f), "%s cannot be read", path);
    if (f) fclose(f);
    for (const char *p = source; p && (p = strstr(p, "//: ")); p++) {
        if (p != source && p[-1] != '\n') continue;
        CHECK_OR(sscanf(p + 4, "%399[^\n]", line) == 1 && corpus_read_line(set, file, source, line),
                 "%s: this line cannot be read: %s", path, line);
    }
    if (set->count == first) {
        free(source);
        TEST_FAIL("%s: no line \"//: kernel\"", path);
    } else
        set->entries[first].owns_source = true;
}

static int corpus_by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int corpus_wanted(const struct dirent *file)
{
    const char *dot = strrchr(file->d_name, '.');
    return dot && (strcmp(dot, ".cl") == 0 || strcmp(dot, ".cu") == 0);
}

static corpus_set *corpus_load(const char *folder)
{
    corpus_set *set = (corpus_set *)calloc(1, sizeof *set);
    struct dirent **files = NULL;
    int count = scandir(folder, &files, corpus_wanted, corpus_by_name);
    for (int i = 0; i < count; i++) {
        if (set) corpus_read_file(set, folder, files[i]->d_name);
        free(files[i]);
    }
    free(files);
    CHECK_OR(set && set->count >= CORPUS_LEAST, "%s: %d files, %d kernels", folder, count,
             set ? set->count : 0);
    return set;
}

static void corpus_free(corpus_set *set)
{
    for (int i = 0; set && i < set->count; i++) {
        corpus_entry *e = &set->entries[i];
        for (int k = 0; k < e->arg_count; k++) free(e->args[k].initial);
        if (e->owns_source) free(e->source);
    }
    free(set);
}

#endif
