// [coarsening] over tests/corpus: what the analysis says of each kernel, and every rewritten text's
// buffers against the unmodified kernel's, bit for bit: on OpenCL, on CUDA, and CUDA C on the
// processor (corpus/emulate.h). corpus/corpus.h says what stands in the files.
#include "rig.h"
#include "test.h"

#include "corpus/corpus.h"

#include <ctype.h>
#include <unistd.h>

#define CORPUS_FOLDER "tests/corpus"

typedef struct corpus_plan {
    gputune_coarsening form;
    int factor[3], stride[3];
    bool halves;      // two launches, one for each half of the grid
    bool other_group; // at thread level: another work-group than the original's
    int parts;        // of a range: launches in turn; 8: the grid is cut in each dimension
    bool merge;       // at thread level: statements, for kernels that can have it
} corpus_plan;

#define THREAD GPUTUNE_COARSEN_THREAD
#define GROUP GPUTUNE_COARSEN_GROUP
#define RANGE GPUTUNE_COARSEN_RANGE
#define ONE { 1, 1, 1 }, { 1, 1, 1 }, false, false

static const corpus_plan corpus_plans[] = {
    { THREAD, { 3, 2, 2 }, { 32, 3, 1 }, true, false, 0, false },
    { THREAD, { 4, 2, 1 }, { 1, 1, 1 }, false, true, 0, false },
    { THREAD, { 8, 4, 2 }, { 4096, 64, 32 }, false, false, 0, false },
    { THREAD, { 1, 1, 1 }, { 1, 1, 1 }, true, true, 0, false },
    { THREAD, { 1, 4, 3 }, { 1, 2, 1 }, true, true, 0, false },
    { THREAD, { 2, 1, 1 }, { 7, 1, 1 }, false, true, 0, false },
    { THREAD, { 4, 2, 1 }, { 1, 1, 1 }, false, true, 0, true },
    { THREAD, { 3, 1, 2 }, { 7, 1, 1 }, true, true, 0, true },
    { THREAD, { 1, 4, 3 }, { 1, 2, 1 }, true, false, 0, true },
    { GROUP, { 3, 2, 2 }, { 2, 1, 1 }, true, false, 0, false },
    { GROUP, { 2, 2, 1 }, { 1, 1, 1 }, false, false, 0, false },
    { GROUP, { 16, 4, 2 }, { 64, 16, 8 }, false, false, 0, false },
    { GROUP, { 1, 1, 1 }, { 1, 1, 1 }, true, false, 0, false },
    { GROUP, { 1, 3, 2 }, { 1, 2, 1 }, false, false, 0, false },
    { GROUP, { 5, 1, 1 }, { 3, 1, 1 }, true, false, 0, false },
    { RANGE, ONE, 0, false },
};

#undef THREAD
#undef GROUP
#undef RANGE
#undef ONE

// Into how many launches a range's one text cuts the grid.
static const int corpus_cuts[] = { 3, 8, 1 };
enum { CORPUS_CUTS = sizeof corpus_cuts / sizeof *corpus_cuts };

enum { CORPUS_PLANS = sizeof corpus_plans / sizeof *corpus_plans, CORPUS_ALL = CORPUS_PLANS };

static const char *corpus_plan_text(const corpus_entry *e, const corpus_plan *p)
{
    static char text[120];
    if (p->form == GPUTUNE_COARSEN_RANGE) {
        snprintf(text, sizeof text, "range in %d parts", p->parts);
        return text;
    }
    snprintf(text, sizeof text, "%s factor %d %d %d stride %d %d %d%s%s",
             p->merge ? "merged" : p->form == GPUTUNE_COARSEN_GROUP ? "group" : "thread",
             p->factor[0],
             e->dimensions > 1 ? p->factor[1] : 1, e->dimensions > 2 ? p->factor[2] : 1,
             p->stride[0], e->dimensions > 1 ? p->stride[1] : 1,
             e->dimensions > 2 ? p->stride[2] : 1, p->halves ? " in halves" : "",
             p->other_group ? " other group" : "");
    return text;
}

// The plan as the library takes it: nothing in dimensions that the launch does not have.
static gt__coarsen_plan corpus_real_plan(const corpus_entry *e, const corpus_plan *p)
{
    gt__coarsen_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.form = p->form;
    plan.merge = p->merge;
    plan.apart = p->form != GPUTUNE_COARSEN_RANGE; // each buffer is one argument's
    for (int d = 0; d < 3; d++) {
        plan.factor[d] = d < e->dimensions ? p->factor[d] : 1;
        plan.stride[d] = d < e->dimensions ? p->stride[d] : 1;
    }
    return plan;
}

// Whether the plan is of a form that this entry may have.
static bool corpus_plan_fits(const corpus_entry *e, const gt__coarsen_forms *forms, int plan)
{
    const corpus_plan *p = &corpus_plans[plan];
    if (p->form == GPUTUNE_COARSEN_RANGE) return forms->allowed[2] && e->local[0];
    if (p->merge && !forms->merges) return false;
    return p->form == GPUTUNE_COARSEN_THREAD ? forms->allowed[0] : forms->allowed[1] && e->local[0];
}

// The rewritten text, or NULL and the error. Freed with gputune_reallocate.
static char *corpus_rewrite(const corpus_entry *e, const corpus_plan *p, gputune_error *error)
{
    const gt__coarsen_plan plan = corpus_real_plan(e, p);
    char *text = NULL;
    memset(error, 0, sizeof *error);
    if (gt__coarsen_source(e->source, e->kernel, e->known, &plan, NULL, NULL, &text, error))
        return NULL;
    return text;
}

// --- launches ---

typedef struct corpus_launch {
    gputune_grid grid;
    size_t global[3], local[3]; // local 0: the driver's choice
} corpus_launch;

static size_t corpus_extent(const corpus_entry *e, const corpus_plan *p, int d)
{
    return p->form == GPUTUNE_COARSEN_THREAD ? e->global[d] : e->global[d] / e->local[d];
}

// The work-group that is launched at thread level.
static void corpus_group(const corpus_entry *e, const corpus_plan *p, size_t group[3])
{
    static const size_t other[3][3] = { { 24, 1, 1 }, { 5, 3, 1 }, { 3, 2, 2 } };
    for (int d = 0; d < 3; d++) {
        group[d] = e->local[d];
        if (p->form == GPUTUNE_COARSEN_THREAD && (p->other_group || !group[d]))
            group[d] = other[e->dimensions - 1][d];
    }
}

static int corpus_parts(const corpus_entry *e, const corpus_plan *p)
{
    if (p->form == GPUTUNE_COARSEN_RANGE) return p->parts == 8 ? 1 << e->dimensions : p->parts;
    return p->halves ? 2 : 1;
}

// Of a range: thirds of the longest dimension that are not equal, or what a cut in each dimension
// leaves; some have nothing in them.
static void corpus_cut(const corpus_entry *e, const corpus_plan *p, int part, int longest,
                       gputune_grid *grid)
{
    for (int d = 0; d < e->dimensions && p->parts == 8; d++) {
        const uint64_t cut = 1 + grid->end[d] / 3 < grid->end[d] ? 1 + grid->end[d] / 3 : 1;
        if (part >> d & 1)
            grid->begin[d] = cut;
        else
            grid->end[d] = cut;
    }
    if (p->parts == 3) {
        const uint64_t end = grid->end[longest], first = end / 4 | 1, second = end / 2 | 1;
        const uint64_t cuts[4] = { 0, first, second > end ? end : second, end };
        grid->begin[longest] = cuts[part];
        grid->end[longest] = cuts[part + 1];
    }
}

// One of a plan's parts: halves of the grid's longest dimension, parts of a range, or all of it.
static corpus_launch corpus_make_launch(const corpus_entry *e, const corpus_plan *p, int part)
{
    const gt__coarsen_plan plan = corpus_real_plan(e, p);
    corpus_launch l;
    int longest = 0;
    memset(&l, 0, sizeof l);
    for (int d = 0; d < 3; d++) {
        l.grid.size[d] = e->global[d];
        l.grid.local[d] = e->local[d] ? e->local[d] : 1;
        l.grid.end[d] = corpus_extent(e, p, d);
        if (l.grid.end[d] > l.grid.end[longest]) longest = d;
    }
    const uint64_t middle = (l.grid.end[longest] + 1) / 2;
    if (p->halves && part == 0) l.grid.end[longest] = middle;
    if (p->halves && part == 1) l.grid.begin[longest] = middle;
    corpus_cut(e, p, part, longest, &l.grid);
    corpus_group(e, p, l.local);
    gt__coarsen_launch(&plan, &l.grid, l.local, l.global);
    return l;
}

// The unmodified kernel's.
static corpus_launch corpus_whole(const corpus_entry *e)
{
    corpus_launch l;
    memset(&l, 0, sizeof l);
    memcpy(l.global, e->global, sizeof l.global);
    memcpy(l.local, e->local, sizeof l.local);
    return l;
}

static bool corpus_skips(const corpus_entry *e, const char *where)
{
    return strstr(e->skip, where) != NULL;
}

// --- a device ---

typedef struct corpus_device {
    gputune_device *device;
    void *self;
    gputune_driver d;
    gputune_error error;
    gputune_memory memory[CORPUS_ARGS];
    unsigned char *expected[CORPUS_ARGS], *got[CORPUS_ARGS];
    int texts, launches;
} corpus_device;

static bool corpus_open(corpus_device *c)
{
    memset(c, 0, sizeof *c);
    c->device = rig_device("");
    if (!c->device) return false;
    c->self = gputune_device_self(c->device, rig_now->api);
    rig_now->table(c->self, &c->d);
    return true;
}

static bool corpus_allocate(corpus_device *c, const corpus_entry *e)
{
    for (int i = 0; i < e->arg_count; i++) {
        const size_t bytes = e->args[i].bytes + CORPUS_CANARY;
        if (e->args[i].kind != GPUTUNE_ARG_INOUT) continue;
        c->expected[i] = (unsigned char *)malloc(bytes);
        c->got[i] = (unsigned char *)malloc(bytes);
        if (!c->expected[i] || !c->got[i] ||
            c->d.allocate(c->self, bytes, 0, &c->memory[i], &c->error))
            return false;
    }
    return true;
}

static void corpus_release(corpus_device *c, const corpus_entry *e)
{
    for (int i = 0; i < e->arg_count; i++) {
        if (c->memory[i].whole) c->d.release(c->self, &c->memory[i]);
        memset(&c->memory[i], 0, sizeof c->memory[i]);
        free(c->expected[i]), c->expected[i] = NULL;
        free(c->got[i]), c->got[i] = NULL;
    }
}

static bool corpus_write(corpus_device *c, const corpus_entry *e)
{
    for (int i = 0; i < e->arg_count; i++) {
        const corpus_arg *a = &e->args[i];
        if (a->kind != GPUTUNE_ARG_INOUT) continue;
        if (c->d.write(c->self, c->memory[i].whole, c->memory[i].guard, a->initial, a->bytes,
                       &c->error) ||
            c->d.fill(c->self, c->memory[i].whole, c->memory[i].guard + a->bytes, 0xee,
                      CORPUS_CANARY, &c->error))
            return false;
    }
    return true;
}

static int corpus_order_4(const void *a, const void *b)
{
    return memcmp(a, b, 4);
}
static int corpus_order_8(const void *a, const void *b)
{
    return memcmp(a, b, 8);
}

static bool corpus_read(corpus_device *c, const corpus_entry *e, unsigned char **to)
{
    for (int i = 0; i < e->arg_count; i++) {
        const corpus_arg *a = &e->args[i];
        if (a->kind != GPUTUNE_ARG_INOUT) continue;
        if (c->d.read(c->self, c->memory[i].whole, c->memory[i].guard, to[i],
                      a->bytes + CORPUS_CANARY, &c->error))
            return false;
        if (a->sorted)
            qsort(to[i], a->bytes / a->element, a->element,
                  a->element == 8 ? corpus_order_8 : corpus_order_4);
    }
    return true;
}

// The first difference between what was read and what the unmodified kernel made.
static bool corpus_differs(const corpus_device *c, const corpus_entry *e, char *where, size_t size)
{
    for (int i = 0; i < e->arg_count; i++)
        for (size_t k = 0; c->got[i] && k < e->args[i].bytes + CORPUS_CANARY; k++) {
            if (c->got[i][k] == c->expected[i][k]) continue;
            snprintf(where, size, "argument %d, element %zu of %zu", i, k / e->args[i].element,
                     e->args[i].bytes / e->args[i].element);
            return true;
        }
    return false;
}

// Compiles on the device. On one that takes CUDA C, OpenCL C is converted. optimised: as a program
// builds it; else quicker.
static void *corpus_compile(corpus_device *c, const corpus_entry *e, const char *name,
                            const char *text, bool optimised)
{
    gputune_build build;
    gt__base b;
    char options[200], known[400], *converted = NULL;
    void *code = NULL;
    const bool cuda = c->d.prelude != NULL;
    const char *extra = getenv("CORPUS_OPTIONS");
    if (!extra) extra = optimised ? "" : "-cl-opt-disable";
    memset(&build, 0, sizeof build);
    memset(&b, 0, sizeof b);
    build.source = text;
    build.name = name;
    build.options = options;
    snprintf(options, sizeof options, "%s %s", e->options,
             cuda ? "-fmad=false" : extra);
    c->error.text[0] = 0;
    if (cuda && !e->cuda) {
        build.converted = true;
        snprintf(known, sizeof known, "-D__CUDACC__ " CORPUS_OPENCL "%s", e->options);
        if (gt__source_to_cuda(&b, text, known, name, c->d.prelude, &converted, &c->error) ==
            GPUTUNE_OK)
            build.source = converted;
        else
            build.source = NULL;
    }
    if (build.source) c->d.compile(c->self, &build, &code, &c->error);
    gt__arr_free(&b, converted);
    c->texts++;
    return code;
}

static bool corpus_fire(corpus_device *c, const corpus_entry *e, void *code, const corpus_launch *l,
                        bool rewritten)
{
    gputune_bound_arg args[CORPUS_ARGS + 1];
    gputune_driver_launch launch;
    double seconds;
    int count = 0;
    memset(args, 0, sizeof args);
    for (; count < e->arg_count; count++) {
        args[count].kind = e->args[count].kind;
        args[count].bytes = e->args[count].bytes;
        if (args[count].kind == GPUTUNE_ARG_SCALAR) args[count].data = e->args[count].scalar;
        if (args[count].kind != GPUTUNE_ARG_INOUT) continue;
        args[count].handle = c->memory[count].handle;
        args[count].bytes += CORPUS_CANARY;
    }
    if (rewritten) {
        args[count].kind = GPUTUNE_ARG_SCALAR;
        args[count].data = &l->grid;
        args[count++].bytes = sizeof l->grid;
    }
    memset(&launch, 0, sizeof launch);
    launch.dimensions = e->dimensions;
    memcpy(launch.global, l->global, sizeof launch.global);
    memcpy(launch.local, l->local, sizeof launch.local);
    launch.args = args;
    launch.arg_count = count;
    c->launches++;
    return c->d.time(c->self, code, &launch, 1, 0, 0, &seconds, &c->error) == GPUTUNE_OK;
}

// Does the unmodified kernel what the plain C of it does?
static void corpus_check_plain(corpus_device *c, const corpus_entry *e, const corpus_launch *l)
{
    char where[100] = "";
    void *code = corpus_compile(c, e, e->plain, e->source, false);
    const bool ok = code && corpus_write(c, e) && corpus_fire(c, e, code, l, false) &&
                    corpus_read(c, e, c->got);
    CHECK_OR(ok, "%s, plain C: %.1500s", e->label, c->error.text);
    CHECK_OR(!ok || !corpus_differs(c, e, where, sizeof where), "%s, unchanged, and plain C: %s",
             e->label, where);
    if (code) c->d.discard(c->self, code);
}

// The unmodified kernel (or the one named in its place), whose results count as right, and must not
// be what was there before.
static bool corpus_reference(corpus_device *c, const corpus_entry *e)
{
    corpus_launch l;
    bool ok, changed = false;
    void *code =
        corpus_compile(c, e, *e->reference ? e->reference : e->instance, e->source, false);
    l = corpus_whole(e);
    ok = code && corpus_allocate(c, e) && corpus_write(c, e) &&
         corpus_fire(c, e, code, &l, false) && corpus_read(c, e, c->expected);
    CHECK_OR(ok, "%s, unchanged: %.1500s", e->label, c->error.text);
    for (int i = 0; ok && i < e->arg_count; i++)
        changed = changed || (e->args[i].initial &&
                              memcmp(c->expected[i], e->args[i].initial, e->args[i].bytes) != 0);
    CHECK_OR(!ok || changed, "%s, unchanged: nothing depends on it", e->label);
    if (ok && *e->plain) corpus_check_plain(c, e, &l);
    if (code) c->d.discard(c->self, code);
    return ok && changed;
}

static bool corpus_empty(const corpus_launch *l)
{
    return !l->global[0] || !l->global[1] || !l->global[2];
}

// All parts in turn. The first does not do the whole.
static bool corpus_run_parts(corpus_device *c, const corpus_entry *e, const corpus_plan *p,
                             void *code)
{
    const int parts = corpus_parts(e, p);
    char where[100] = "";
    for (int part = 0, fired = 0; part < parts; part++) {
        const corpus_launch l = corpus_make_launch(e, p, part);
        if (corpus_empty(&l)) continue;
        if (fired++ == 1) {
            if (!corpus_read(c, e, c->got)) return false;
            CHECK_OR(corpus_differs(c, e, where, sizeof where),
                     "%s, %s: a part of the grid is as good", e->label, corpus_plan_text(e, p));
        }
        if (!corpus_fire(c, e, code, &l, true)) return false;
    }
    return true;
}

static corpus_allowed corpus_allows(const corpus_entry *e, const corpus_plan *p)
{
    if (p->form == GPUTUNE_COARSEN_RANGE) return e->range;
    return p->form == GPUTUNE_COARSEN_GROUP ? e->group : e->thread;
}

// Does the compiler get the unmodified kernel wrong?
static bool corpus_miscompiled(corpus_device *c, const corpus_entry *e, bool optimised)
{
    char where[100] = "";
    const corpus_launch whole = corpus_whole(e);
    void *code = corpus_compile(c, e, e->instance, e->source, optimised);
    const bool wrong = code && corpus_write(c, e) && corpus_fire(c, e, code, &whole, false) &&
                       corpus_read(c, e, c->got) && corpus_differs(c, e, where, sizeof where);
    if (code) c->d.discard(c->self, code);
    return wrong;
}

// The code of a range, whose text is the kernel's own but for the ids. An optimiser that gets the
// unmodified kernel wrong gets the range wrong in the same way: the range is built without it then,
// as the reference is, and has to be right. PoCL 3.1 does that to group_leaves.cl/leaves_twice,
// which Oclgrind gets right, optimised or not.
static void *corpus_range_code(corpus_device *c, const corpus_entry *e, const corpus_plan *p,
                               const char *text, void *code)
{
    char where[100] = "";
    corpus_plan whole = *p;
    whole.parts = 1;
    if (!code || !corpus_write(c, e) || !corpus_run_parts(c, e, &whole, code) ||
        !corpus_read(c, e, c->got) || !corpus_differs(c, e, where, sizeof where) ||
        !corpus_miscompiled(c, e, true))
        return code;
    if (getenv("CORPUS_TALK"))
        printf("    %s: the unmodified kernel is wrong when it is optimised\n", e->label);
    c->d.discard(c->self, code);
    return corpus_compile(c, e, e->instance, text, false);
}

static void corpus_check_launches(corpus_device *c, const corpus_entry *e, const corpus_plan *p,
                                  void *code)
{
    char where[100] = "";
    if (!code || !corpus_write(c, e) || !corpus_run_parts(c, e, p, code) ||
        !corpus_read(c, e, c->got))
        TEST_FAIL("%s, %s: %.1500s", e->label, corpus_plan_text(e, p), c->error.text);
    else
        CHECK_OR(!corpus_differs(c, e, where, sizeof where), "%s, %s: %s", e->label,
                 corpus_plan_text(e, p), where);
}

static void corpus_check_plan(corpus_device *c, const corpus_entry *e, const corpus_plan *p)
{
    char *text = corpus_rewrite(e, p, &c->error);
    void *code = text ? corpus_compile(c, e, e->instance, text, true) : NULL;
    if (text && !code && strstr(c->error.text, "gputune: ") &&
        corpus_allows(e, p) == CORPUS_MAYBE) {
        gputune_reallocate(NULL, text, 0); // the text itself refuses this compiler
        return;
    }
    if (p->form == GPUTUNE_COARSEN_RANGE) code = corpus_range_code(c, e, p, text, code);
    for (int i = 0; i < CORPUS_CUTS && p->form == GPUTUNE_COARSEN_RANGE; i++) {
        corpus_plan cut = *p;
        cut.parts = corpus_cuts[i];
        corpus_check_launches(c, e, &cut, code);
    }
    if (p->form != GPUTUNE_COARSEN_RANGE) corpus_check_launches(c, e, p, code);
    if (code) c->d.discard(c->self, code);
    gputune_reallocate(NULL, text, 0);
}

// Kernels that must be refused are not run at all: some of them wait for ever.
static bool corpus_refused(const corpus_entry *e)
{
    return e->thread == CORPUS_NO && e->group == CORPUS_NO && e->range == CORPUS_NO;
}

enum { CORPUS_THREAD, CORPUS_MERGED, CORPUS_GROUP, CORPUS_RANGE, CORPUS_FORMS };

static int corpus_form(int plan)
{
    const corpus_plan *p = &corpus_plans[plan];
    return p->form == GPUTUNE_COARSEN_RANGE   ? CORPUS_RANGE
           : p->form == GPUTUNE_COARSEN_GROUP ? CORPUS_GROUP
           : p->merge                         ? CORPUS_MERGED
                                              : CORPUS_THREAD;
}

// The commit's number, from tests/run.sh.
static int corpus_commit(void)
{
    const char *turn = getenv("CORPUS_TURN");
    return turn ? (int)(strtoul(turn, NULL, 10) % 1000000) : 0;
}

// Every form of an entry has its turn in one of three commits.
static bool corpus_turn(int entry, int plan, int commit)
{
    return (entry + entry / 3 + corpus_form(plan) + commit) % 3 == 0;
}

// Which plans an entry is run with: all (few = 99), or one of each form: the first, and none that
// merges (1), or another one for each entry and commit (2), or this of the forms whose turn it is
// (0).
static bool corpus_plan_chosen(int entry, int plan, int few, int commit)
{
    int first = plan, count = 1;
    if (few >= CORPUS_ALL) return true;
    while (first > 0 && corpus_form(first - 1) == corpus_form(plan)) first--;
    while (first + count < CORPUS_PLANS && corpus_form(first + count) == corpus_form(plan)) count++;
    if (few == 1) return plan == first && !corpus_plans[plan].merge;
    return plan - first == (entry + commit / 3) % count &&
           (few || corpus_turn(entry, plan, commit));
}

static void corpus_check_entry(corpus_device *c, const corpus_entry *e, int index, int few)
{
    gt__coarsen_forms forms;
    gputune_error error;
    memset(&forms, 0, sizeof forms);
    gt__coarsen_analyse(e->source, e->kernel, e->known, NULL, NULL, &forms, &error);
    if (corpus_refused(e)) return;
    if (corpus_reference(c, e)) {
        // What a compiler gets wrong as it stands is as wrong in parts: nothing else is changed.
        if (*e->reference && corpus_miscompiled(c, e, false)) forms.allowed[2] = false;
        for (int p = 0; p < CORPUS_PLANS; p++)
            if (corpus_plan_fits(e, &forms, p) &&
                corpus_plan_chosen(index, p, few, corpus_commit()))
                corpus_check_plan(c, e, &corpus_plans[p]);
    }
    corpus_release(c, e);
}

// On rig_now. In the environment: CORPUS_FEW=1: one and the same plan of each form, 2: one of each
// that changes from entry to entry, 99: all. CORPUS_TURN: the commit's number, whose turn it is.
// CORPUS_SKIP: whose skips count. CORPUS_ONLY: the entries with this in their label.
// CORPUS_OPTIONS: more build options. Without any of these and GPUTUNE_STRICT every third entry: it
// takes minutes.
static void test_corpus_device(void)
{
    corpus_set *set;
    corpus_device c;
    const char *only = getenv("CORPUS_ONLY"), *few = getenv("CORPUS_FEW");
    const char *place = getenv("CORPUS_SKIP");
    const int step = only || few || getenv("GPUTUNE_STRICT") ? 1 : 3;
    bool nvidia;
    int entries = 0;
    if (!corpus_open(&c)) return;
    nvidia = !c.d.prelude && strstr(gputune_device_limits(c.device)->name, "NVIDIA");
    set = corpus_load(CORPUS_FOLDER);
    for (int i = 0; set && i < set->count; i += step) {
        const corpus_entry *e = &set->entries[i];
        const bool cuda = c.d.prelude != NULL; // takes both languages
        if ((e->cuda && !cuda) || (only && !strstr(e->label, only))) continue;
        if (corpus_skips(e, place ? place : cuda ? "nvrtc" : "opencl")) continue;
        if (nvidia && corpus_skips(e, "nvidia")) continue;
        corpus_check_entry(&c, e, i, few ? atoi(few) : cuda ? 2 : 0);
        entries++;
    }
    CHECK(only || (entries >= 120 / step && c.texts >= 300 / step && c.launches > c.texts));
    if (getenv("CORPUS_TALK")) printf("    %d texts, %d launches\n", c.texts, c.launches);
    corpus_free(set);
    gputune_device_destroy(c.device);
}

#ifndef CORPUS_ALONE

// --- the analysis ---

static void corpus_check_form(const corpus_entry *e, const char *form, corpus_allowed wanted,
                              const char *wanted_why, bool allowed, const char *why)
{
    CHECK_OR(wanted != CORPUS_YES || allowed, "%s: %s level is refused: %s", e->label, form, why);
    CHECK_OR(wanted != CORPUS_NO || !allowed, "%s: %s level is allowed, in spite of \"%s\"",
             e->label, form, wanted_why);
    CHECK_OR(wanted != CORPUS_NO || allowed || strstr(why, wanted_why),
             "%s: %s level is refused for \"%s\", expected \"%s\" in it", e->label, form, why,
             wanted_why);
    CHECK_OR(allowed || *why, "%s: %s level is refused for no reason", e->label, form);
}

// Are statements merged, and if not, for the right reason?
static bool corpus_check_merge(const corpus_entry *e, bool merges)
{
    const corpus_plan p = {
        GPUTUNE_COARSEN_THREAD, { 2, 1, 1 }, { 1, 1, 1 }, false, false, 0, true
    };
    gputune_error error;
    char *text = corpus_rewrite(e, &p, &error);
    CHECK_INT(text != NULL, merges);
    corpus_check_form(e, "merging at thread", e->merge, e->merge_why, merges, error.text);
    gputune_reallocate(NULL, text, 0);
    return merges;
}

// A form that is allowed can be rewritten, one that is not cannot, for the same reason.
static void corpus_check_rewrite(const corpus_entry *e, gputune_coarsening form, bool allowed)
{
    corpus_plan p = {
        form, { form == GPUTUNE_COARSEN_RANGE ? 1 : 2, 1, 1 }, { 1, 1, 1 }, false, false, 1, false
    };
    gputune_error error;
    char *text = corpus_rewrite(e, &p, &error);
    CHECK_OR(allowed == (text != NULL),
             "%s: %s level is %s by the analysis and %s by the rewriter: %s", e->label,
             form == GPUTUNE_COARSEN_RANGE   ? "range"
             : form == GPUTUNE_COARSEN_GROUP ? "group"
                                             : "thread",
             allowed ? "allowed" : "refused", text ? "allowed" : "refused", error.text);
    if (!allowed && !text) CHECK_INT(error.result, GPUTUNE_ERROR_UNSUPPORTED);
    gputune_reallocate(NULL, text, 0);
}

static void test_corpus_analysis(void)
{
    corpus_set *set = corpus_load(CORPUS_FOLDER);
    int opencl = 0, cuda = 0, merged = 0;
    for (int i = 0; set && i < set->count; i++) {
        const corpus_entry *e = &set->entries[i];
        gt__coarsen_forms forms;
        gputune_error error;
        memset(&forms, 0, sizeof forms);
        if (gt__coarsen_analyse(e->source, e->kernel, e->known, NULL, NULL, &forms, &error)) {
            CHECK_OR(e->thread == CORPUS_MAYBE && e->group == CORPUS_MAYBE && error.text[0],
                     "%s: %s", e->label, error.text);
            continue;
        }
        corpus_check_form(e, "thread", e->thread, e->thread_why, forms.allowed[0], forms.why[0]);
        corpus_check_form(e, "group", e->group, e->group_why, forms.allowed[1], forms.why[1]);
        corpus_check_form(e, "range", e->range, e->range_why, forms.allowed[2], forms.why[2]);
        corpus_check_rewrite(e, GPUTUNE_COARSEN_THREAD, forms.allowed[0]);
        corpus_check_rewrite(e, GPUTUNE_COARSEN_RANGE, forms.allowed[2]);
        corpus_check_rewrite(e, GPUTUNE_COARSEN_GROUP, forms.allowed[1]);
        if (forms.allowed[0]) merged += corpus_check_merge(e, forms.merges);
        e->cuda ? cuda++ : opencl++;
    }
    CHECK(opencl >= 45 && cuda >= 30 && merged >= 60);
    if (getenv("CORPUS_TALK"))
        printf("    %d in OpenCL C, %d in CUDA C; %d merged\n", opencl, cuda, merged);
    corpus_free(set);
}

// Three successive commits run each form of each entry once. With time each of its plans runs.
static void test_corpus_turns(void)
{
    int entry, commit, plan, form, forms_wrong = 0, plans_wrong = 0;
    for (entry = 0; entry < CORPUS_ENTRIES; entry++) {
        int plans[CORPUS_PLANS] = { 0 };
        for (commit = 0; commit < 60; commit++) {
            int turns[CORPUS_FORMS] = { 0 };
            for (plan = 0; plan < 3 * CORPUS_PLANS; plan++) {
                const int p = plan % CORPUS_PLANS, at = commit + plan / CORPUS_PLANS;
                const bool chosen = corpus_plan_chosen(entry, p, 0, at);
                turns[corpus_form(p)] += chosen;
                plans[p] += chosen;
            }
            for (form = 0; form < CORPUS_FORMS; form++) forms_wrong += turns[form] != 1;
        }
        for (plan = 0; plan < CORPUS_PLANS; plan++) plans_wrong += !plans[plan];
    }
    CHECK_INT(forms_wrong, 0);
    CHECK_INT(plans_wrong, 0);
}

// --- CUDA C on the processor: one C++ program of all texts ---

enum { CORPUS_TEXTS = 8192 };

typedef struct corpus_program {
    FILE *source, *blob;
    size_t at; // in the blob
    int texts, checks;
    char said[CORPUS_TEXTS][160]; // what each text is
    bool bad[CORPUS_TEXTS];       // does not compile, and is left out
} corpus_program;

// Without comments and strings being looked into: in the corpus none hides such a word.
static const char *corpus_emit_shared(FILE *out, const char *p)
{
    const char *end = strchr(p, ';'), *shared = strstr(p, "__shared__"), *open, *name;
    if (!end || !shared || shared > end) return NULL;
    open = memchr(shared, '[', (size_t)(end - shared));
    if (!open) return NULL;
    name = open;
    while (name[-1] == ' ') name--;
    open = name;
    while (isalnum((unsigned char)name[-1]) || name[-1] == '_') name--;
    shared += strlen("__shared__");
    fprintf(out, "static %.*s *const %.*s = (%.*s *)emu_dynamic;", (int)(name - shared), shared,
            (int)(open - name), name, (int)(name - shared), shared);
    return end + 1;
}

// The text in a namespace: extern "C" would make functions of two namespaces one, dynamic shared
// memory is the emulator's, and macros end with it.
static void corpus_emit_text(corpus_program *p, const char *text, const corpus_entry *e,
                             const corpus_plan *plan)
{
    const char *next;
    const int number = p->texts++;
    snprintf(p->said[number], sizeof p->said[number], "%s, %s", e->label,
             plan ? corpus_plan_text(e, plan) : "unchanged");
    if (p->bad[number]) return;
    fprintf(p->source, "#line 1 \"text%d\"\nnamespace t%d {\n", number, number);
    for (const char *c = text; *c; c++) {
        if (strncmp(c, "extern \"C\"", 10) == 0) {
            fputs("extern \"C++\"", p->source);
            c += 9;
        } else if (strncmp(c, "static __shared__", 17) == 0) {
            fputs("__shared__", p->source); // which is a macro: static
            c += 16;
        } else if (strncmp(c, "extern", 6) == 0 && (next = corpus_emit_shared(p->source, c))) {
            c = next - 1;
        } else
            fputc(*c, p->source);
    }
    if (plan)
        fprintf(p->source,
                "\nstatic_assert(sizeof(gputune_grid) == %zu && offsetof(gputune_grid, "
                "gt__e) == %zu, \"the grid\");",
                sizeof(gputune_grid), offsetof(gputune_grid, end));
    fprintf(p->source, "\n}\n");
    for (const char *c = text; (c = strstr(c, "define")) != NULL; c += 6) {
        char name[64];
        const char *hash = c;
        while (hash > text && (hash[-1] == ' ' || hash[-1] == '\t')) hash--;
        if (hash == text || hash[-1] != '#' || sscanf(c, "define %63[A-Za-z0-9_]", name) != 1)
            continue;
        fprintf(p->source, "#undef %s\n", name);
    }
}

// Where these bytes are in the blob.
static size_t corpus_emit_bytes(corpus_program *p, const void *bytes, size_t count)
{
    static const char zeros[16];
    const size_t at = p->at, padded = (count + 15) / 16 * 16;
    fwrite(bytes, 1, count, p->blob);
    fwrite(zeros, 1, padded - count, p->blob);
    p->at += padded;
    return at;
}

// A launch of text `text`: of the original, or of what was rewritten, with its grid.
static void corpus_emit_launch(corpus_program *p, const corpus_entry *e, const char *name,
                               int text, const corpus_launch *l, const corpus_plan *plan)
{
    int buffer = 0, args = 0;
    fprintf(p->source, "emu_launch(dim3(%zu, %zu, %zu), dim3(%zu, %zu, %zu), %s, [] { t%d::%s(",
            l->global[0] / l->local[0], l->global[1] / l->local[1], l->global[2] / l->local[2],
            l->local[0], l->local[1], l->local[2], text % 2 ? "true" : "false", text, name);
    for (int i = 0; i < e->arg_count; i++) {
        const corpus_arg *a = &e->args[i];
        if (a->kind == GPUTUNE_ARG_LOCAL) continue;
        fputs(args++ ? ", " : "", p->source);
        if (a->kind == GPUTUNE_ARG_INOUT)
            fprintf(p->source, "emu_at(%d)", buffer++);
        else
            fprintf(p->source, "emu_of(%zu)", corpus_emit_bytes(p, a->scalar, sizeof a->scalar));
    }
    if (plan)
        fprintf(p->source, "%semu_of(%zu)", args ? ", " : "",
                corpus_emit_bytes(p, &l->grid, sizeof l->grid));
    fprintf(p->source, "); })");
}

static void corpus_emit_plan(corpus_program *p, const corpus_entry *e, const corpus_plan *plan,
                             int text)
{
    const int parts = corpus_parts(e, plan);
    fprintf(p->source, "emu_variant = \"%s\";\nemu_reset();\nfinished = true;\n",
            corpus_plan_text(e, plan));
    for (int part = 0, fired = 0; part < parts; part++) {
        const corpus_launch l = corpus_make_launch(e, plan, part);
        if (corpus_empty(&l)) continue;
        if (fired++ == 1) fprintf(p->source, "emu_check_part();\n");
        fprintf(p->source, "finished = finished && ");
        corpus_emit_launch(p, e, e->instance, text, &l, plan);
        fprintf(p->source, ";\n");
    }
    fprintf(p->source, "emu_check(finished);\n");
    p->checks++;
}

// The texts of an entry, then a function that runs them.
static bool corpus_emit_entry(corpus_program *p, const corpus_entry *e, int index,
                              const gt__coarsen_forms *forms)
{
    const int original = p->texts;
    int texts[CORPUS_PLANS], buffers = 0;
    const corpus_launch whole = corpus_whole(e);
    corpus_emit_text(p, e->source, e, NULL);
    for (int i = 0; i < CORPUS_PLANS; i++) {
        gputune_error error;
        char *text;
        texts[i] = -1;
        if (!corpus_plan_fits(e, forms, i)) continue;
        if (e->dimensions == 1 && corpus_plans[i].factor[1] > corpus_plans[i].factor[0])
            continue; // there it does what 1, 1, 1 does
        text = corpus_rewrite(e, &corpus_plans[i], &error);
        if (!text) continue; // said by the case `analysis`
        texts[i] = p->texts;
        corpus_emit_text(p, text, e, &corpus_plans[i]);
        gputune_reallocate(NULL, text, 0);
    }
    if (p->bad[original]) return false;
    fprintf(p->source, "#line 1 \"entry\"\nstatic void entry%d()\n{\nconst emu_buffer b[] = {",
            index);
    for (int i = 0; i < e->arg_count; i++) {
        const corpus_arg *a = &e->args[i];
        if (a->kind != GPUTUNE_ARG_INOUT) continue;
        fprintf(p->source, "%s{ %zu, %zu, %zu, %d }", buffers++ ? ", " : " ",
                corpus_emit_bytes(p, a->initial, a->bytes), a->bytes, a->element, a->sorted);
    }
    fprintf(p->source, " };\nbool finished;\nemu_begin(\"%s\", b, %d);\nemu_reset();\nemu_keep(",
            e->label, buffers);
    corpus_emit_launch(p, e, e->instance, original, &whole, NULL);
    fprintf(p->source, ");\n");
    if (*e->plain) {
        fprintf(p->source, "emu_variant = \"plain C\";\nemu_reset();\nfinished = ");
        corpus_emit_launch(p, e, e->plain, original, &whole, NULL);
        fprintf(p->source, ";\nemu_check(finished);\n");
        p->checks++;
    }
    for (int i = 0; i < CORPUS_PLANS; i++)
        for (int k = 0; texts[i] >= 0 && !p->bad[texts[i]] && k < CORPUS_CUTS; k++) {
            corpus_plan plan = corpus_plans[i];
            if (plan.form == GPUTUNE_COARSEN_RANGE) plan.parts = corpus_cuts[k];
            if (plan.form == GPUTUNE_COARSEN_RANGE || !k) corpus_emit_plan(p, e, &plan, texts[i]);
        }
    fprintf(p->source, "}\n");
    return true;
}

// Writes the program and its blob.
static bool corpus_emit(corpus_program *p, const corpus_set *set, const char *folder)
{
    static bool in[CORPUS_ENTRIES];
    const char *only = getenv("CORPUS_ONLY");
    char path[300];
    p->at = 0;
    p->texts = p->checks = 0;
    snprintf(path, sizeof path, "%s/program.cc", folder);
    p->source = fopen(path, "wb");
    snprintf(path, sizeof path, "%s/blob", folder);
    p->blob = fopen(path, "wb");
    if (!p->source || !p->blob) return false;
    fprintf(p->source, "#include \"emulate.h\"\n");
    for (int i = 0; i < set->count; i++) {
        const corpus_entry *e = &set->entries[i];
        gt__coarsen_forms forms;
        in[i] = e->cuda && !corpus_skips(e, "emulate") && !corpus_refused(e) &&
                (!only || strstr(e->label, only));
        memset(&forms, 0, sizeof forms);
        gt__coarsen_analyse(e->source, e->kernel, e->known, NULL, NULL, &forms, NULL);
        in[i] = in[i] && corpus_emit_entry(p, e, i, &forms);
    }
    fprintf(p->source, "int main(int, char **args)\n{\nemu_load(args[1]);\n");
    for (int i = 0; i < set->count; i++)
        if (in[i]) fprintf(p->source, "entry%d();\n", i);
    fprintf(p->source, "return emu_checks != %d;\n}\n", p->checks);
    fclose(p->source);
    fclose(p->blob);
    return p->texts > 0;
}

// Compiles the program. A text with an error in it is a failure and left out the next time: true
// if there was one. What g++ says begins with "textN:LINE:COLUMN: error: ".
static bool corpus_compile_program(corpus_program *p, const char *folder, int *status)
{
    char line[600], command[900];
    bool again = false;
    int number, used;
    FILE *pipe;
    snprintf(command, sizeof command,
             "g++ -std=c++14 -O0 -w -ffp-contract=off -fno-strict-aliasing -I%s %s/program.cc "
             "-o %s/program 2>&1",
             CORPUS_FOLDER, folder, folder);
    pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "text%d:%*d:%*d: error:%n", &number, &used) != 1 ||
            !strstr(line, "error:"))
            continue;
        if (number < 0 || number >= p->texts || p->bad[number]) continue;
        p->bad[number] = again = true;
        TEST_FAIL("%s: %.*s", p->said[number], (int)strcspn(line, "\n"), line);
    }
    *status = pipe ? pclose(pipe) : -1;
    return again;
}

// Each line that the program prints is a failure.
static void corpus_run_program(const char *folder)
{
    char line[600], command[900];
    int lines = 0;
    FILE *pipe;
    snprintf(command, sizeof command, "timeout %d %s/program %s/blob 2>&1", 120 * test_load,
             folder, folder);
    pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe))
        if (lines++ < 100) TEST_FAIL("%.*s", (int)strcspn(line, "\n"), line);
    CHECK_INT(pipe ? pclose(pipe) : -1, 0);
}

static void test_corpus_emulated(void)
{
    char folder[200], command[300];
    corpus_set *set = corpus_load(CORPUS_FOLDER);
    corpus_program *p = (corpus_program *)calloc(1, sizeof *p);
    const char *keep = getenv("CORPUS_KEEP"), *temporary = getenv("TMPDIR");
    const char *only = getenv("CORPUS_ONLY");
    int status = -1, turn = 0;
    bool again = true;
    CHECK(p != NULL);
    snprintf(folder, sizeof folder, "%s/gputune.corpus.XXXXXX", temporary ? temporary : "/tmp");
    CHECK_OR(mkdtemp(folder), "%s cannot be made", folder);
    for (; set && p && again && turn < 4; turn++) {
        CHECK(corpus_emit(p, set, folder));
        again = corpus_compile_program(p, folder, &status);
    }
    CHECK_INT(status, 0);
    CHECK(p && (only || (p->texts >= 400 && p->checks >= 400)));
    if (p && getenv("CORPUS_TALK")) printf("    %d texts in %s\n", p->texts, folder);
    if (status == 0) corpus_run_program(folder);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_OR(keep || system(command) == 0, "%s", command);
    free(p);
    corpus_free(set);
}

// --- NVRTC, which needs no GPU: what is rewritten compiles, from OpenCL C converted ---

typedef struct corpus_nvrtc {
    dialect_nvrtc n;
    int (*expression)(void *, const char *);
    int texts;
} corpus_nvrtc;

// The build options as words, behind `count` fixed ones.
static int corpus_words(const char **words, int count, char *options)
{
    for (char *word = strtok(options, " "); word && count < 12; word = strtok(NULL, " "))
        words[count++] = word;
    return count;
}

static void corpus_nvrtc_compile(corpus_nvrtc *v, const corpus_entry *e, const corpus_plan *p,
                                 const char *text)
{
    const char *words[12] = { "--gpu-architecture=compute_80", "-std=c++14", "-default-device" };
    char options[128];
    void *program = NULL;
    int count = e->cuda ? 2 : 3, result;
    snprintf(options, sizeof options, "%s", e->options);
    count = corpus_words(words, count, options);
    result = v->n.create(&program, text, e->file, 0, NULL, NULL);
    if (!result) result = v->expression(program, e->instance);
    if (!result) result = v->n.compile(program, count, words);
    TEST_COUNT();
    if (result) {
        size_t size = 1;
        char *log;
        v->n.log_size(program, &size);
        log = (char *)calloc(1, size + 1);
        if (log) v->n.log(program, log);
        TEST_FAIL("%s, %s, NVRTC: %.1200s", e->label, corpus_plan_text(e, p), log ? log : "");
        free(log);
    }
    v->n.destroy(&program);
    v->texts++;
}

static void corpus_nvrtc_plan(corpus_nvrtc *v, const corpus_entry *e, const corpus_plan *p)
{
    gputune_error error;
    gt__base b;
    char *text = corpus_rewrite(e, p, &error), *converted = NULL, known[400];
    memset(&b, 0, sizeof b);
    snprintf(known, sizeof known, "-D__CUDACC__ " CORPUS_OPENCL "%s", e->options);
    if (!text) {
        TEST_FAIL("%s, %s: %s", e->label, corpus_plan_text(e, p), error.text);
        return;
    }
    if (e->cuda)
        corpus_nvrtc_compile(v, e, p, text);
    else if (gt__source_to_cuda(&b, text, known, e->instance, v->n.prelude, &converted,
                                &error) != GPUTUNE_OK)
        TEST_FAIL("%s, %s, converted: %s", e->label, corpus_plan_text(e, p), error.text);
    else
        corpus_nvrtc_compile(v, e, p, converted);
    gt__arr_free(&b, converted);
    gputune_reallocate(NULL, text, 0);
}

static void test_corpus_nvrtc(void)
{
    static char why[1600];
    const char *only = getenv("CORPUS_ONLY");
    const int step = only || getenv("GPUTUNE_STRICT") ? 1 : 3;
    corpus_nvrtc v;
    corpus_set *set;
    memset(&v, 0, sizeof v);
    if (!dialect_open(&v.n, why, sizeof why) ||
        !gputune_library_symbol(v.n.library, "nvrtcAddNameExpression", &v.expression))
        SKIP(why);
    set = corpus_load(CORPUS_FOLDER);
    for (int i = step - 1; set && i < set->count; i += step) { // not those that OpenCL has
        const corpus_entry *e = &set->entries[i];
        gt__coarsen_forms forms;
        if (corpus_skips(e, "nvrtc") || (only && !strstr(e->label, only))) continue;
        memset(&forms, 0, sizeof forms);
        gt__coarsen_analyse(e->source, e->kernel, e->known, NULL, NULL, &forms, NULL);
        for (int p = 0; p < CORPUS_PLANS; p++) {
            const corpus_plan plan = corpus_plans[p];
            if (corpus_plan_fits(e, &forms, p) &&
                (plan.merge ? !corpus_plans[p - 1].merge
                            : corpus_plan_chosen(i, p, 1, 0) &&
                                  !corpus_turn(i, p, corpus_commit()))) // not OpenCL's
                corpus_nvrtc_plan(&v, e, &plan);
        }
    }
    CHECK(only || v.texts >= 300 / step);
    if (getenv("CORPUS_TALK")) printf("    %d texts\n", v.texts);
    corpus_free(set);
    dialect_close(&v.n);
}

// --- clang, which needs no device: OpenCL C that no other test is sure to compile ---

// Compiles as OpenCL C 1.2, or as 2.0 where that does not do. False, and what clang says.
static bool corpus_clang_compiles(const corpus_entry *e, const char *text, char *said, size_t size)
{
    static const char *const standards[] = { "1.2", "2.0" };
    const char *temporary = getenv("TMPDIR");
    char path[300], command[900];
    FILE *file;
    bool ok;
    snprintf(path, sizeof path, "%s/gputune.clang.%d.cl", temporary ? temporary : "/tmp",
             (int)getpid());
    file = fopen(path, "wb");
    ok = file && fputs(text, file) >= 0;
    if (file) ok = fclose(file) == 0 && ok;
    for (int i = 0; ok && i < 2; i++) {
        size_t length;
        snprintf(command, sizeof command,
                 "clang -x cl %s -cl-std=CL%s -Xclang -finclude-default-header -w -fsyntax-only "
                 "%s 2>&1",
                 e->options, standards[i], path);
        file = popen(command, "r");
        length = file ? fread(said, 1, size - 1, file) : 0;
        said[length] = 0;
        if (file && pclose(file) == 0) break;
        ok = i == 0;
    }
    remove(path);
    return ok;
}

// Whether this case compiles a plan: merging, and all forms of kernels that no device runs here.
static bool corpus_clang_takes(const corpus_entry *e, int plan, bool compiles)
{
    const corpus_plan *p = &corpus_plans[plan];
    if (!p->merge)
        return compiles && corpus_skips(e, "opencl") &&
               (plan == 0 || corpus_form(plan - 1) != corpus_form(plan));
    return e->dimensions > 1 || p->factor[0] >= p->factor[1]; // else there is nothing to merge
}

static void test_corpus_clang(void)
{
    static char said[1200];
    const char *only = getenv("CORPUS_ONLY");
    corpus_set *set;
    int texts = 0;
    if (system("clang --version >/dev/null 2>&1") != 0) SKIP("clang is not installed");
    set = corpus_load(CORPUS_FOLDER);
    for (int i = 0; set && i < set->count; i++) {
        const corpus_entry *e = &set->entries[i];
        gt__coarsen_forms forms;
        gputune_error error;
        bool compiles;
        if (e->cuda || (only && !strstr(e->label, only))) continue;
        memset(&forms, 0, sizeof forms);
        gt__coarsen_analyse(e->source, e->kernel, e->known, NULL, NULL, &forms, NULL);
        // Some are of dialects that only one vendor's compiler takes.
        compiles = corpus_skips(e, "opencl") &&
                   corpus_clang_compiles(e, e->source, said, sizeof said);
        for (int p = 0; p < CORPUS_PLANS; p++) {
            char *text;
            if (!corpus_plan_fits(e, &forms, p) || !corpus_clang_takes(e, p, compiles)) continue;
            text = corpus_rewrite(e, &corpus_plans[p], &error);
            CHECK_OR(text && corpus_clang_compiles(e, text, said, sizeof said), "%s, %s: %s",
                     e->label, corpus_plan_text(e, &corpus_plans[p]), text ? said : error.text);
            gputune_reallocate(NULL, text, 0);
            texts++;
        }
    }
    CHECK(only || texts >= 200);
    if (getenv("CORPUS_TALK")) printf("    %d texts\n", texts);
    corpus_free(set);
}

static CUresult CUDAAPI corpus_driver_version(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

// Ids of 32 and of 64 bits are the loop's own: nothing is divided to find them again.
static void test_corpus_ids(void)
{
    static const char *const ids[] = { "int i = blockIdx.x * blockDim.x + threadIdx.x",
                                       "size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x",
                                       ("long long i = threadIdx.x + "
                                        "blockIdx.x * static_cast<long long>(blockDim.x)") };
    static char why[1600];
    static char macros[2000], names[200];
    gt_cuda__device cu;
    gputune_driver driver;
    dialect_nvrtc n;
    char *known, *why_not = NULL;
    if (!dialect_open(&n, why, sizeof why)) SKIP(why);
    memset(&cu, 0, sizeof cu);
    gt_cuda__table(&cu, &driver);
    // NVRTC has what the driver says of it; the rest is the device's and the prelude's.
    snprintf(names, sizeof names, "%.*s -U__NVCC__",
             (int)(strstr(driver.macros, " -D__CUDA_ARCH__") - driver.macros), driver.macros);
    CHECK_INT(test_macros(names, macros, sizeof macros), 3);
    cu.call.cuDriverGetVersion = corpus_driver_version;
    CHECK_INT(test_macros(driver.compiler_macros(&cu) + 1, macros + strlen(macros),
                          sizeof macros - strlen(macros)), 3);
    known = dialect_ptx(&n, macros, &why_not);
    CHECK_OR(known, "%s: %s", macros, why_not ? why_not : "");
    free(known);
    free(why_not);
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        corpus_entry e;
        gputune_error error;
        char source[300], *text, *log, *ptx = NULL;
        memset(&e, 0, sizeof e);
        snprintf(source, sizeof source,
                 "extern \"C\" __global__ void f(int n, float *x)\n{ %s; if (i < n) x[i] = n; }\n",
                 ids[i]);
        e.source = source;
        snprintf(e.kernel, sizeof e.kernel, "f");
        e.dimensions = 1;
        text = corpus_rewrite(&e, &corpus_plans[1], &error);
        CHECK(text != NULL);
        if (text) ptx = dialect_ptx(&n, text, &log);
        CHECK_OR(ptx && !strstr(ptx, "div."), "%s: divides", ids[i]);
        if (text) free(log);
        free(ptx);
        gputune_reallocate(NULL, text, 0);
    }
    dialect_close(&n);
}

// --- the preprocessor, and gcc's ---

// The tokens that gcc -E makes of a text, without directives; headers of the system stay out.
static bool corpus_gcc(const char *text, const char *options, gt__source *tokens)
{
    static const gt__base b;
    char path[300], command[700], part[4096], *copy = strdup(text), *all = NULL, *at = copy;
    const char *temporary = getenv("TMPDIR");
    bool ok = copy != NULL;
    size_t count;
    FILE *file;
    memset(tokens, 0, sizeof *tokens);
    while (ok && (at = strstr(at, "#include <")) != NULL) memcpy(at, "#pragma  ", 9);
    snprintf(path, sizeof path, "%s/gputune.preprocessed.%d.c", temporary ? temporary : "/tmp",
             (int)getpid());
    file = fopen(path, "wb");
    ok = ok && file && fputs(copy, file) >= 0;
    if (file) ok = fclose(file) == 0 && ok;
    snprintf(command, sizeof command, "gcc -E -P -undef -x c -w %s - <%s",
             strstr(options, "-cl-") ? "" : options, path);
    file = ok ? popen(command, "r") : NULL;
    ok = file && gt__text_put(&b, &all, "", 0);
    while (ok && (count = fread(part, 1, sizeof part, file)) > 0)
        ok = gt__text_put(&b, &all, part, count);
    if (file) ok = pclose(file) == 0 && ok;
    tokens->text = ok ? strdup(all) : NULL;
    gt__arr_free(&b, all);
    remove(path);
    free(copy);
    if (tokens->text) gt__lexer_plain(tokens->text); // gcc leaves attributes and words
    return tokens->text && gt__source_lex(&b, tokens) &&
           gt__source_find_dead(&b, tokens);
}

// The next token from *i on that is of no directive; -1: there is none.
static int corpus_code(const gt__source *s, int *i)
{
    while (*i < gt__len(s->tokens) && s->tokens[*i].directive) (*i)++;
    return *i < gt__len(s->tokens) ? (*i)++ : -1;
}

// What is left to the compiler of a preprocessed text becomes what the text itself does.
static void test_corpus_preprocessed(void)
{
    static const gt__base b;
    corpus_set *set = corpus_load(CORPUS_FOLDER);
    int texts = 0;
    for (int i = 0; set && i < set->count; i++) {
        const corpus_entry *e = &set->entries[i];
        gt__source ours, theirs;
        gputune_error error;
        char *plain = NULL, options[500];
        int at = 0, to = 0, x, y;
        bool ok;
        if (i && e->source == e[-1].source && strcmp(e->options, e[-1].options) == 0) continue;
        if (gt__preprocess(&b, e->source, e->known, NULL, &plain, &error)) {
            TEST_FAIL("%s: %s", e->label, error.text);
            gt__arr_free(&b, plain);
            continue;
        }
        snprintf(options, sizeof options, "%s%s", e->known,
                 e->cuda ? "" : " -DM_PI=M_PI -DM_PI_F=M_PI_F"); // OpenCL C has these
        ok = corpus_gcc(plain, options, &ours);
        ok = corpus_gcc(e->source, options, &theirs) && ok;
        CHECK_OR(ok, "%s: gcc does not preprocess it", e->label);
        do {
            x = ok ? corpus_code(&ours, &at) : -1;
            y = ok ? corpus_code(&theirs, &to) : -1;
            ok = x >= 0 && y >= 0 &&
                 gt__same_word(ours.text + ours.tokens[x].begin,
                               ours.tokens[x].end - ours.tokens[x].begin,
                               theirs.text + theirs.tokens[y].begin,
                               theirs.tokens[y].end - theirs.tokens[y].begin);
        } while (ok);
        CHECK_OR(x < 0 && y < 0, "%s: another token than gcc's, %.40s and %.40s", e->label,
                 x < 0 ? "none" : ours.text + ours.tokens[x].begin,
                 y < 0 ? "none" : theirs.text + theirs.tokens[y].begin);
        gt__source_free(&b, &ours);
        gt__source_free(&b, &theirs);
        gt__arr_free(&b, plain);
        texts++;
    }
    CHECK(texts >= 80);
    corpus_free(set);
}

static const test_case corpus_cases[] = {
    { "analysis", test_corpus_analysis },
    { "turns", test_corpus_turns },
    { NULL, NULL },
};

static const test_case corpus_compiled_cases[] = {
    { "emulated", test_corpus_emulated },
    { "nvrtc", test_corpus_nvrtc },
    { "clang", test_corpus_clang },
    { "ids", test_corpus_ids },
    { "preprocessed", test_corpus_preprocessed },
    { NULL, NULL },
};

static const test_case corpus_device_cases[] = {
    { "buffers", test_corpus_device },
    { NULL, NULL },
};

#endif // CORPUS_ALONE
