// [coarsening] kernels that do a range of their work-groups: what is refused and what not,
// launches, texts. What they compute is in test_corpus.c.
#include "test.h"

static gputune_result range_rewrite(const char *source, gputune_coarsening form, char **text,
                                    gputune_error *error)
{
    gt__coarsen_plan plan;
    memset(&plan, 0, sizeof plan);
    memset(error, 0, sizeof *error);
    plan.form = form;
    return gt__coarsen_source(source, "f", NULL, &plan, NULL, NULL, text, error);
}

// --- what is refused ---

#define CU_HEAD "__global__ void f(int n, int *x)\n{\n"
#define CG "cooperative_groups::"

// why: NULL where it is allowed.
static const struct {
    const char *source, *why;
} range_rows[] = {
    // What group level must refuse. A return before a barrier: in a loop, in a macro, in a branch.
    { CU_HEAD "for (;; n--) {\nif (threadIdx.x > n) return;\n__syncthreads();\n}\n}\n", NULL },
    { "#define LEAVE return\n" CU_HEAD "if (threadIdx.x > n) LEAVE;\n__syncthreads();\n}\n", NULL },
    { CU_HEAD "auto g = [=] { return 1; };\nif (threadIdx.x > g()) return;\n__syncthreads();\n}\n",
      NULL },
    { CU_HEAD "if (threadIdx.x > 4) return;\nx[0] = __shfl_sync(~0u, n, 0);\n}\n", NULL },
    { "__kernel void f(__global int *x)\n{\nfor (int i = 9;; i--) {\n"
      "if (get_local_id(0) > i) return;\n"
      "barrier(CLK_LOCAL_MEM_FENCE);\n}\n}\n",
      NULL },
    { "__kernel void f(__global int *x)\n{\nif (x[0]) goto end;\nbarrier(CLK_LOCAL_MEM_FENCE);\n"
      "if (get_local_id(0)) return;\nend: x[1] = 0;\n}\n",
      NULL },
    // A macro that names a scalar in local memory, and one that declares it.
    { "#define S (sum + 1)\n__kernel void f(__global int *x)\n{\n__local int sum;\nsum = 1;\nx[0] "
      "= "
      "S;\n}\n",
      NULL },
    { "#define S(t) __local t sum\n__kernel void f(__global int *x)\n{\nS(int);\nsum = 1;\n}\n",
      NULL },
    { CU_HEAD "__barrier_sync(0);\n}\n", NULL },
    { CU_HEAD "asm volatile(\"mbarrier.init.shared.b64 [%0], 1;\" : : \"r\"(n));\n}\n", NULL },
    { "__kernel void f(__global int *x)\n{\nx[0] = sub_group_reduce_add(1);\n}\n", NULL },
    // Words that are the device's own may be anything.
    { CU_HEAD "int threadIdx = 1;\nx[blockIdx.x] = threadIdx;\n}\n", NULL },
    // Parameters that cannot be read, as far as there is one.
    { "#define COMMON a, int *x\n__kernel void f(int n, int COMMON)\n{\nx[get_group_id(0)] = "
      "a;\n}\n",
      NULL },
    { "#define HEAD(name, p) void name(p)\n__kernel HEAD(f, __global int *x)\n{\n}\n", NULL },
    { "#define NAME(name) name\n__kernel void NAME(f)(__global int *x)\n{\n}\n", NULL },
    // Ids that cannot be redirected.
    { CU_HEAD "asm(\"mov.u32 %0, %%ctaid.x;\" : \"=r\"(n));\n}\n",
      "line 3: assembler that sees the launch" },
    { CU_HEAD "n = __nvvm_read_ptx_sreg_ctaid_x();\n}\n", "line 3: a function or namespace" },
    { CU_HEAD "n = __nvvm_read_ptx_sreg_nctaid_x();\n}\n", "line 3: a function or namespace" },
    { CU_HEAD "n = " CG "this_thread_block().group_index().x;\n}\n",
      "line 3: groups of the grid together" },
    { CU_HEAD "auto g = [n] { return blockIdx.x + n; };\n}\n", "line 3: ids in a lambda" },
    { "#ifdef M_X\n#define get_group_id(d) 0\n#endif\n__kernel void f(__global int *x)\n{\n}\n",
      "line 2: the source itself redefines" },
    // Groups that see each other.
    { CU_HEAD CG "this_grid().sync();\n}\n", "line 3: groups of the grid together" },
    { CU_HEAD "while (atomicAdd(x, 0) < n) ;\n}\n", "line 3: a loop that waits for others" },
    { CU_HEAD "while (x[0] == 0 || clock64() < 0) ;\n}\n",
      "line 3: a loop that waits for others" },
    { CU_HEAD "for (int i = 0; i < 9 || x[1] == 0; i++) ;\n}\n",
      "line 3: a loop that waits for others" },
    { CU_HEAD "for (int i = 0, j = 9; i < 9 || j > 0; i++) j--;\n}\n", NULL },
    { CU_HEAD CG "this_cluster().sync();\n}\n", "line 3: groups of the grid together" },
    { CU_HEAD "f<<<1, 1>>>(n, x);\n}\n", "line 3: " },
};

static void range_check(const char *source, const char *why)
{
    gputune_error error;
    char *text = NULL;
    const gputune_result result = range_rewrite(source, GPUTUNE_COARSEN_RANGE, &text, &error);
    CHECK_OR(why || result == GPUTUNE_OK, "refused: %s\n%s", error.text, source);
    CHECK_OR(!why || result != GPUTUNE_OK, "allowed, not \"%s\":\n%s", why, source);
    CHECK_OR(!why || result == GPUTUNE_OK || strstr(error.text, why),
             "\"%s\", expected \"%s\":\n%s", error.text, why, source);
    CHECK((text != NULL) == (result == GPUTUNE_OK));
    gputune_reallocate(NULL, text, 0);
}

static void range_refused(void)
{
    for (size_t i = 0; i < sizeof range_rows / sizeof *range_rows; i++) {
        gt__coarsen_forms forms;
        gputune_error error;
        range_check(range_rows[i].source, range_rows[i].why);
        if (gt__coarsen_analyse(range_rows[i].source, "f", NULL, NULL, &forms, &error))
            continue;
        CHECK(forms.allowed[2] == !range_rows[i].why);
        CHECK(!forms.why[2][0] == forms.allowed[2]);
        if (range_rows[i].why) CHECK(strstr(forms.why[2], range_rows[i].why) != NULL);
    }
}

// What neither thread nor group level allows.
static void range_alone(void)
{
    static const char neither[] =
        CU_HEAD "for (;; n--) {\nif (threadIdx.x > n) return;\n__syncthreads();\n}\n}\n";
    gputune_error error;
    char *text = NULL;
    CHECK_INT(range_rewrite(neither, GPUTUNE_COARSEN_THREAD, &text, &error),
              GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_INT(range_rewrite(neither, GPUTUNE_COARSEN_GROUP, &text, &error),
              GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_INT(range_rewrite(neither, GPUTUNE_COARSEN_RANGE, &text, &error), GPUTUNE_OK);
    gputune_reallocate(NULL, text, 0);
}

// Exactly the groups of the range; of nothing, none.
static void range_launches(void)
{
    gt__coarsen_plan plan;
    gputune_grid grid;
    const size_t group[3] = { 16, 2, 1 };
    size_t global[3];
    memset(&plan, 0, sizeof plan);
    memset(&grid, 0, sizeof grid);
    plan.form = GPUTUNE_COARSEN_RANGE;
    grid.begin[0] = 3, grid.end[0] = 10;
    grid.begin[1] = 4, grid.end[1] = 5;
    grid.begin[2] = 7, grid.end[2] = 7;
    gt__coarsen_launch(&plan, &grid, group, global);
    CHECK_INT(global[0], 7 * 16);
    CHECK_INT(global[1], 2);
    CHECK_INT(global[2], 0);
    grid.begin[2] = 8; // cut to nothing
    grid.begin[0] = 0, grid.end[0] = UINT64_MAX;
    gt__coarsen_launch(&plan, &grid, group, global);
    CHECK_INT(global[2], 0);
    CHECK(global[0] == (size_t)-1);
}

// --- texts ---

static const char range_cuda[] =
    "template <int N> __device__ int twice(int i) { return N * (i + gridDim.x); }\n"
    "extern \"C\" __global__ void f(int n, int *x)\n{\n"
    "    x[blockIdx.x * blockDim.x + threadIdx.x] = twice<2>(n);\n}\n";
static const char range_opencl[] =
    "int twice(int i) { return 2 * (i + (int)get_num_groups(0)); }\n"
    "__kernel void f(int n, __global int *x)\n{\n    __local int t[4];\n"
    "    t[get_local_id(0) % 4] = twice(n);\n    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_local_id(0) == 3) return;\n    x[get_global_id(0)] = t[0];\n}\n";

// The kernel stays in its place: no function of its body, no loop, no guard.
static void range_texts(void)
{
    static const char *const sources[] = { range_cuda, range_opencl };
    static const char *const body[] = { "gt__begin", "gt__k0", "gt__next",
                                        "gt__at." };
    for (int i = 0; i < 2; i++)
        for (int form = GPUTUNE_COARSEN_THREAD; form <= GPUTUNE_COARSEN_RANGE; form++) {
            gputune_error error;
            char *text = NULL;
            if (i && form == GPUTUNE_COARSEN_THREAD) continue; // it has a barrier
            CHECK_INT(range_rewrite(sources[i], (gputune_coarsening)form, &text, &error),
                      GPUTUNE_OK);
            for (int w = 0; w < 4 && text; w++)
                CHECK_OR(form != GPUTUNE_COARSEN_RANGE || !strstr(text, body[w]), "%s in a range",
                         body[w]);
            gputune_reallocate(NULL, text, 0);
        }
}

// How many blocks there are, which the CUDA text divides in 32 bits, also beyond 2^32 work-items.
static void range_blocks(void)
{
    static const char tail[] =
        "int main()\n{\n"
        "    static const unsigned long long sizes[] = { 1, 2, 31, 1000, 4294967294ull,\n"
        "        4294967295ull, 4294967296ull, 4294967297ull, 123456789012ull,\n"
        "        2147483647ull };\n"
        "    for (unsigned l = 1; l <= 1024; l++)\n"
        "        for (unsigned long long s : sizes) {\n"
        "            const unsigned long long most = s == 2147483647ull ? s * l : s;\n"
        "            if ((most + l - 1) / l > 2147483647ull) continue;\n"
        "            if (gt__blocks(most, l) != (most + l - 1) / l)\n"
        "                printf(\"%llu / %u\\n\", most, l);\n"
        "        }\n}\n";
    const char *temporary = getenv("TMPDIR");
    char folder[200], path[300], command[900], line[100];
    gputune_error error;
    char *text = NULL;
    FILE *file;
    int status;
    snprintf(folder, sizeof folder, "%s/gputune.ranges.XXXXXX", temporary ? temporary : "/tmp");
    CHECK_INT(range_rewrite(range_cuda, GPUTUNE_COARSEN_RANGE, &text, &error), GPUTUNE_OK);
    if (!text || !mkdtemp(folder)) {
        TEST_FAIL("%s cannot be made", folder);
        return;
    }
    snprintf(path, sizeof path, "%s/blocks.cc", folder);
    file = fopen(path, "wb");
    if (file) fprintf(file, "#include \"emulate.h\"\n%s\n%s", text, tail), fclose(file);
    snprintf(command, sizeof command,
             "g++ -std=c++14 -O0 -w -Itests/corpus %s -o %s/blocks 2>&1 && %s/blocks", path, folder,
             folder);
    file = popen(command, "r");
    for (int lines = 0; file && fgets(line, sizeof line, file); lines++)
        if (lines < 10) TEST_FAIL("%.*s", (int)strcspn(line, "\n"), line);
    status = file ? pclose(file) : -1;
    CHECK_INT(status, 0);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_OR(system(command) == 0, "%s", command);
    gputune_reallocate(NULL, text, 0);
}

static const test_case ranges_cases[] = {
    { "refused", range_refused }, { "alone", range_alone }, { "launches", range_launches },
    { "texts", range_texts },     { "blocks", range_blocks },       { NULL, NULL },
};
