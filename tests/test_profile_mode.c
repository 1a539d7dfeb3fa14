// [pool]: how AUTO tries parts, by the global atomics of the variants' sources.
#include "test.h"

#define HYBRID GPUTUNE_PROFILE_HYBRID
#define SWAP GPUTUNE_PROFILE_SWAP
#define CL "__kernel void f(__global int *x, __global const int *p, int n)\n"
#define CU "__global__ void f(int *x, const int *p, int n)\n"

static void mode_no_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user, (void)config;
    trial->seconds = 1e-3;
}

// What a pool whose variants have these sources (NULL ends them) takes, and says.
static gputune_profile_mode mode_of_pool(const char *const *sources, const char *build_options,
                                         char *why, size_t size)
{
    static const char *const names[] = { "first", "second", "third" };
    gputune_replay_desc replay;
    gputune_pool_desc desc;
    gputune_kernel_desc kernels[4];
    gputune_device *device;
    gputune_pool *pool;
    gputune_profile_mode mode;
    int x[64], p[64] = { 0 }, count;
    gputune_arg args[3];
    args[0] = gputune_inout(x, sizeof x);
    args[1] = gputune_in(p, sizeof p);
    args[2] = arg_int32(64);
    memset(x, 0, sizeof x);
    memset(p, 0, sizeof p);
    memset(&replay, 0, sizeof replay);
    memset(&desc, 0, sizeof desc);
    memset(kernels, 0, sizeof kernels);
    replay.options.store = "";
    replay.trial = mode_no_trial;
    device = gputune_replay_device_create(&replay);
    for (count = 0; sources[count]; count++) {
        kernels[count].name = "f";
        kernels[count].title = names[count];
        kernels[count].source = sources[count];
        kernels[count].signature = "int *x, const int *p, int n";
        kernels[count].global = "n";
        kernels[count].compiler_options = build_options;
    }
    desc.kernels = kernels;
    desc.units = "n";
    pool = gputune_pool_create(device, &desc);
    (void)gputune_pool_run(pool, args, 3); // it may be cut in parts, or not
    mode = gputune_pool_outcome(pool)->mode;
    snprintf(why, size, "%s",
             mode ? gputune_pool_outcome(pool)->text : gputune_pool_error(pool)->text);
    gputune_pool_destroy(pool);
    gputune_device_destroy(device);
    return mode;
}

// --- what calls for atomics, and where ---

static const struct mode_case {
    const char *source;
    gputune_profile_mode mode;
    const char *why;
} mode_cases[] = {
    // The names.
    { CL "{\natomic_add(&x[p[0]], 1); }", SWAP, "line 3: atomic_add" },
    { CL "{\natom_inc(x + 3); }", SWAP, "line 3: atom_inc" },
    { CL "{ atomic_fetch_add_explicit((volatile __global atomic_int *)x, 1, 0, 1); }", SWAP,
      "line 2: atomic_fetch_add_explicit" },
    { CL "{ while (n < p[0]) n++;\natomic_max(x, 1); }", SWAP, "line 3: atomic_max" },
    { CU "{ atomicCAS(x, 0, 1); }", SWAP, "atomicCAS" },
    { CU "{ __sync_fetch_and_add(x, 1); }", SWAP, "__sync_fetch_and_add" },
    { CU "{ __nvvm_atom_add_gen_i(x, 1); }", SWAP, "__nvvm_atom_add_gen_i" },
    { "#include <cuda/atomic>\n" CU "{ cuda::atomic_ref<int> r(x[0]);\nr.fetch_add(1); }", SWAP,
      "line 3: atomic_ref" },
    { CU "{ asm volatile(\"red.global.add.u32 [%0], 1;\" :: \"l\"(x)); }", SWAP, "line 2: \"red." },
    { CU "{ asm(\"{\\n\\tatom.add.u32 %0, [%1], 1;}\" : \"=r\"(n) : \"l\"(x)); }", SWAP,
      "atom.add" },
    { CU "{ asm(\"cp.reduce.async.bulk.global.add [%0];\" :: \"l\"(x)); }", SWAP, "reduce" },
    { CU "{ asm volatile(\"ld.global.u32 %0, [%1];\" : \"=r\"(n) : \"l\"(p)); }", HYBRID, "" },
    { CL "{ printf(\"red. measured.\\n\"); x[0] = 1; }", HYBRID, "" },
    { CL "{ \\\natomic_inc(x); }", SWAP, "line 3" },
    { CL "{ x[0] += p[n]; }", HYBRID, "no global atomics" },
    // Not told apart: memory of the group.
    { CL "{ __local int h[4];\natomic_add(&h[p[0]], 1); x[0] = h[0]; }", SWAP, "line 3" },
    // Comments, texts, what is never compiled.
    { CL "{ // atomic_add(x, 1)\n/* atomic_add(x, 1); */\nprintf(\"atomic_add(x)\"); }", HYBRID,
      "" },
    { CL "{\n#if 0\natomic_add(x, 1);\n#endif\nx[0] = 1; }", HYBRID, "" },
    { CL "{\n#ifdef A\nx[0]++;\n#else\natomic_inc(x);\n#endif\n}", SWAP, "line 6: atomic_inc" },
    { "#pragma OPENCL EXTENSION cl_khr_global_int32_base_atomics : enable\n" CL "{ x[0] = 1; }",
      HYBRID, "" },
    { "#ifdef HAVE_ATOMICS\n#endif\n" CL "{\n#if USE_ATOMICS\n#endif\nx[0] = 1; }", HYBRID, "" },
    // Not told apart: other functions, whoever calls them; macros, whoever uses them.
    { "void g(__global int *x) {\natomic_inc(x); }\n" CL "{ g(x); }", SWAP, "line 2" },
    { CL "{ x[0] = 1; }\n__kernel void g(__global int *x) { atomic_inc(x); }", SWAP, "line 3" },
    { "#define COUNT(q) atomicAdd(q, 1)\n" CU "{\nCOUNT(x); }", SWAP, "line 1: atomicAdd" },
    { "#define OP(name) atomic_##name\n#define ADD OP(add)\n" CL "{\nADD(x, 1); }", SWAP,
      "line 1" },
    { "void plain(__global int *x) { x[0]++; }\n#pragma gputune set plain,atomic_inc\n"
      "#define ADD plain\n" CL "{ ADD(x); }",
      SWAP, "line 2: atomic_inc" },
    { "#define KERNEL(f) __kernel void f(__global int *x, __global const int *p, int n)\n"
      "KERNEL(f) {\natomic_inc(x); }",
      SWAP, "line 3" },
    { "struct s { int *q;\n__device__ void add() { atomicAdd(q, 1); } };\n" CU
      "{ s y; y.q = x; y.add(); }",
      SWAP, "line 2" },
    { "using counter = cuda::atomic_ref<int>;\n" CU "{ counter(x[0])++; }", SWAP, "line 1" },
};

static void mode_verdicts(void)
{
    size_t i;
    for (i = 0; i < sizeof mode_cases / sizeof *mode_cases; i++) {
        const struct mode_case *e = &mode_cases[i];
        const char *sources[2] = { NULL, NULL };
        char why[400];
        gputune_profile_mode mode;
        sources[0] = e->source;
        mode = mode_of_pool(sources, NULL, why, sizeof why);
        CHECK_OR(mode == e->mode && strstr(why, e->why) &&
                     strstr(why, mode == SWAP ? "; swap: variant first: "
                                              : "; hybrid: variant first: "),
                 "%s\n    %d, %s", e->source, (int)mode, why);
    }
}

// The mode is that of the variant which needs most, wherever it stands, and it is named.
static void mode_variants(void)
{
    static const char *const sources[] = { CL "{ x[0] = 1; }", CL "{ atomic_add(x, n); }",
                                           CL "{ atomic_inc(x); }" };
    int i;
    char why[400];
    for (i = 0; i < 3; i++) {
        const char *order[4] = { NULL, NULL, NULL, NULL };
        order[0] = sources[i];
        order[1] = sources[(i + 1) % 3];
        CHECK_INT(mode_of_pool(order, NULL, why, sizeof why), SWAP);
        CHECK_HAS(why, i == 0 ? "variant second: line 2: atomic_add" : "variant first: line 2");
        order[1] = NULL;
        CHECK_INT(mode_of_pool(order, NULL, why, sizeof why), i ? SWAP : HYBRID);
    }
}

// The macros of build options, and included files.
static void mode_beside(void)
{
    static const char *const defined[] = { CL "{ DO; }", NULL };
    static const char *const elsewhere[] = { "#include \"nowhere.h\"\n" CL "{ g(x); }", NULL };
    char folder[] = "/tmp/gputune-test-XXXXXX", include[64], path[64], text[200], why[400];
    const char *included[] = { text, NULL };
    FILE *file;
    CHECK_INT(mode_of_pool(defined, "-DDO=atomic_inc(x)", why, sizeof why), SWAP);
    CHECK_INT(mode_of_pool(defined, "-DDO=x[0]=1", why, sizeof why), HYBRID);
    CHECK_INT(mode_of_pool(elsewhere, NULL, why, sizeof why), HYBRID);
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/beside.h", folder);
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    fputs("void h(__global int *x) {\natomic_inc(x); }\n", file);
    fclose(file);
    snprintf(include, sizeof include, "-I %s", folder);
    snprintf(text, sizeof text, "#include \"beside.h\"\n%s{ h(x); }", CL);
    CHECK_INT(mode_of_pool(included, include, why, sizeof why), SWAP);
    CHECK_HAS(why, "line 2: atomic_inc");
    remove(path);
    rmdir(folder);
}

// --- kernels as they are written ---

static char *mode_read(const char *path)
{
    gt__base b;
    gputune_error error;
    char *text = NULL;
    memset(&b, 0, sizeof b);
    CHECK_OR(!gt__read_file(&b, path, &text, &error), "%s", error.text);
    return text;
}

static const struct mode_file {
    const char *path;
    gputune_profile_mode mode;
} mode_files[] = {
    { "bench/kernels/dysel_histogram.cl", SWAP },
    { "bench/kernels/adapt_sum.cl", SWAP },
    { "bench/kernels/sgemm.cl", HYBRID },
    { "examples/kernels/heat.cu", HYBRID },
    { "examples/kernels/spmv.cl", HYBRID },
    { "tests/corpus/histogram.cl", SWAP },
    { "tests/corpus/histogram.cu", SWAP },
    { "tests/corpus/kmeans.cu", SWAP },
    { "tests/corpus/bfs.cl", HYBRID },
    { "tests/corpus/refuse_spin.cl", SWAP },
};

static void mode_of_files(void)
{
    gt__base b;
    size_t i;
    memset(&b, 0, sizeof b);
    for (i = 0; i < sizeof mode_files / sizeof *mode_files; i++) {
        const struct mode_file *e = &mode_files[i];
        char why[128], *text = mode_read(e->path);
        if (!text) continue;
        CHECK_OR(gt__source_mode(&b, text, NULL, why, sizeof why) == e->mode,
                 "%s: %s", e->path, why);
        gt__arr_free(&b, text);
    }
}

// Sources that are none: whatever is read of them, the answer is complete.
static void mode_damaged(const char *text)
{
    gt__base b;
    char why[128] = "";
    gputune_profile_mode mode;
    memset(&b, 0, sizeof b);
    mode = gt__source_mode(&b, text, NULL, why, sizeof why);
    CHECK(mode == SWAP ? strncmp(why, "line ", 5) == 0
                       : mode == HYBRID && strcmp(why, "no global atomics") == 0);
}

static void mode_robust(void)
{
    static const char *const files[] = { "examples/kernels/heat.cu", "tests/corpus/histogram.cu",
                                         "tests/corpus/hostile_lambda.cu" };
    gt__base b;
    uint64_t random = 12345;
    size_t i, k, length;
    int round;
    memset(&b, 0, sizeof b);
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = mode_read(files[i]), *copy;
        if (!text) continue;
        length = strlen(text);
        copy = (char *)malloc(length + 1);
        for (k = 0; k < length && copy; k++) { // every prefix
            memcpy(copy, text, k);
            copy[k] = 0;
            mode_damaged(copy);
        }
        for (round = 0; round < 300 && copy; round++) { // some characters less
            size_t to = 0;
            for (k = 0; k < length; k++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                if ((random >> 33) % 150) copy[to++] = text[k];
            }
            copy[to] = 0;
            mode_damaged(copy);
        }
        free(copy);
        gt__arr_free(&b, text);
    }
    for (i = 0; i < sizeof mode_cases / sizeof *mode_cases; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s", mode_cases[i].source);
        for (k = strlen(text); k > 0; k--) { // every prefix, and every one with an end
            text[k - 1] = '}';
            text[k] = 0;
            mode_damaged(text);
            text[k - 1] = 0;
            mode_damaged(text);
        }
    }
}

typedef struct mode_memory {
    int left, live;
} mode_memory;

static void *mode_reallocate(void *user, void *memory, size_t bytes)
{
    mode_memory *m = (mode_memory *)user;
    void *made;
    if (!bytes) {
        m->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (m->left-- <= 0) return NULL;
    made = realloc(memory, bytes);
    m->live += !memory && made;
    return made;
}

static void mode_out_of_memory(void)
{
    static const char source[] = "#define ADD(op, q) atomic_##op(q, 1)\n"
                                 "int g(int m) { return m; }\n" CL "{ g(n); ADD(add, x); }";
    char why[128] = "out of memory";
    int n;
    for (n = 0; strcmp(why, "out of memory") == 0 && n < 5000; n++) { // who cannot look takes care
        mode_memory memory = { 0, 0 };
        gt__base b;
        memory.left = n;
        memset(&b, 0, sizeof b);
        b.reallocate = mode_reallocate;
        b.user = &memory;
        CHECK_INT(gt__source_mode(&b, source, "-DX=1", why, sizeof why), SWAP);
        CHECK_INT(memory.live, 0);
    }
    CHECK_HAS(why, "line 1: atomic_");
    CHECK(n > 10);
}

#undef HYBRID
#undef SWAP
#undef CL
#undef CU

static const test_case profile_mode_cases[] = { { "verdicts", mode_verdicts },
                                                { "variants", mode_variants },
                                                { "beside", mode_beside },
                                                { "files", mode_of_files },
                                                { "robust", mode_robust },
                                                { "out_of_memory", mode_out_of_memory },
                                                { NULL, NULL } };
