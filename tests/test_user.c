// What a user writes: five whole programs, each in a block of its own, as the manual and the README
// would have them, on real devices. Lines between "the program" and "its end" are theirs; the rest
// prepares what they find and looks at what came of it.
#include "rig.h"
#include "test.h"

static void user_write(const char *folder, const char *name, const char *text)
{
    char path[300];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    CHECK_OR(file && fputs(text, file) >= 0 && fclose(file) == 0, "%s cannot be written", path);
}

// A kernel from a file that finds its headers by -I and its default by -D, on the program's queue.
static void test_user_kernel(void)
{
    enum { N = 1000 };
    static const gputune_param params[] = { { "BLOCK", "set 16,64", NULL },
                                            { "TWICE", "bool", NULL }, { 0 } };
    float power[N], from[N], to[N];
    char state[200], include[220], here[4096], places[4096];
    const char *temporary = getenv("TMPDIR"), *usual = getenv("XDG_STATE_HOME");
    gputune_device *own = rig_device("");
    cl_command_queue queue;
    int i, wrong = 0;
    if (!own) return;
    queue = (cl_command_queue)gputune_cl_queue(own);
    snprintf(state, sizeof state, "%s/gputune_userXXXXXX", temporary ? temporary : "/tmp");
    CHECK_OR(mkdtemp(state), "%s cannot be made", state);
    snprintf(places, sizeof places, "%s", usual ? usual : "");
    setenv("XDG_STATE_HOME", state, 1); // where programs look: a store with nothing in it
    user_write(state, "hotspot.cl",
               "#include \"step.h\"\n"
               "__kernel void hotspot(int n, float step, __global const float *power,\n"
               "                      __global const float *from, __global float *to)\n"
               "{\n"
               "    const int i = (int)get_global_id(0);\n"
               "    if (i < n) to[i] = TWICE ? STEP(STEP(from[i]))\n"
               "                             : STEP(from[i]) + step * power[i];\n"
               "}\n");
    snprintf(include, sizeof include, "%s/inc", state);
    CHECK_INT(mkdir(include, 0700), 0);
    user_write(include, "step.h", "#define STEP(t) ((t) + step * power[i])\n");
    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK_INT(chdir(state), 0);
    for (i = 0; i < N; i++) power[i] = (float)(i % 7), from[i] = (float)i;
    {
        void *in = gputune_buffer_create(own, sizeof power, power);
        void *old = gputune_buffer_create(own, sizeof from, from);
        void *new_ = gputune_buffer_create(own, sizeof to, NULL);
        gputune_arg args[5];
        args[0] = gputune_int(N);
        args[1] = gputune_float(0.5);
        args[2] = gputune_in(in, sizeof power);
        args[3] = gputune_in(old, sizeof from);
        args[4] = gputune_out(new_, sizeof to);
        // --- the program ---
        gputune_device *dev = gputune_cl_device_create(&(gputune_cl_desc){ .queue = queue });
        gputune_kernel *k = gputune_kernel_create(dev, &(gputune_kernel_desc){
            .file = "hotspot.cl", .name = "hotspot",
            .compiler_options = "-DBLOCK=64 -Iinc", .params = params,
            .global = "n", .local = "BLOCK", .tune.budget.seconds = -1 });
        gputune_run(k, args, 5);
        const char *text = gputune_kernel_outcome(k)->text;
        // --- its end ---
        gputune_config config = gputune_space_default(gputune_kernel_space(k, args, 5));
        CHECK_INT(gputune_config_int(&config, "BLOCK"), 64); // the -D
        CHECK_HAS(text, "BLOCK=");
        CHECK_HAS(text, "4 trials in ");
        CHECK_OR(!gputune_kernel_error(k)->result, "%s", gputune_kernel_error(k)->text);
        gputune_buffer_read(dev, new_, 0, to, sizeof to);
        for (i = 0; i < N; i++) wrong += to[i] != from[i] + 0.5f * power[i] + 0.5f * power[i];
        CHECK_INT(wrong, 0);
        gputune_kernel_destroy(k);
        gputune_buffer_destroy(dev, new_);
        gputune_buffer_destroy(dev, old);
        gputune_buffer_destroy(dev, in);
        gputune_device_destroy(dev);
    }
    CHECK_INT(chdir(here), 0);
    if (usual) setenv("XDG_STATE_HOME", places, 1);
    else unsetenv("XDG_STATE_HOME");
    gputune_device_destroy(own);
}

// Two kernels for one job.
static void test_user_pool(void)
{
    enum { ROWS = 100000, LENGTH = 4, NONZEROS = ROWS * LENGTH };
    const char *const f = "examples/kernels/spmv_csr.cl";
    int *starts = (int *)malloc((ROWS + 1) * sizeof *starts);
    int *columns = (int *)malloc(NONZEROS * sizeof *columns);
    float *values = (float *)malloc(NONZEROS * sizeof *values);
    float *x = (float *)malloc(ROWS * sizeof *x), *y = (float *)malloc(ROWS * sizeof *y);
    gputune_device *dev = rig_device("");
    int i, k, wrong = 0;
    for (i = 0; i <= ROWS; i++) starts[i] = i * LENGTH;
    for (i = 0; i < ROWS; i++) x[i] = (float)(i % 10);
    for (k = 0; k < NONZEROS; k++) columns[k] = k * 7 % ROWS, values[k] = (float)(k % 3);
    if (dev) {
        void *at[] = { gputune_buffer_create(dev, (ROWS + 1) * sizeof *starts, starts),
                       gputune_buffer_create(dev, NONZEROS * sizeof *columns, columns),
                       gputune_buffer_create(dev, NONZEROS * sizeof *values, values),
                       gputune_buffer_create(dev, ROWS * sizeof *x, x),
                       gputune_buffer_create(dev, ROWS * sizeof *y, NULL) };
        gputune_arg args[7];
        args[0] = gputune_int(ROWS);
        args[1] = gputune_int(NONZEROS);
        args[2] = gputune_in(at[0], (ROWS + 1) * sizeof *starts);
        args[3] = gputune_in(at[1], NONZEROS * sizeof *columns);
        args[4] = gputune_in(at[2], NONZEROS * sizeof *values);
        args[5] = gputune_in(at[3], ROWS * sizeof *x);
        args[6] = gputune_out(at[4], ROWS * sizeof *y);
        // --- the program ---
        gputune_kernel_desc ways[] = { { .file = f, .name = "spmv_scalar", .group_units = "128" },
                                       { .file = f, .name = "spmv_vector", .group_units = "4" },
                                       { 0 } };
        gputune_pool *p = gputune_pool_create(dev, &(gputune_pool_desc){ .kernels = ways,
                                                                         .units = "rows" });
        gputune_pool_run(p, args, 7);
        // --- its end ---
        CHECK_OR(!gputune_pool_error(p)->result, "%s", gputune_pool_error(p)->text);
        CHECK_HAS(gputune_pool_outcome(p)->text, "spmv_");
        CHECK_INT(gputune_buffer_read(dev, at[4], 0, y, ROWS * sizeof *y), GPUTUNE_OK);
        for (i = 0; i < ROWS; i++) {
            float sum = 0;
            for (k = 0; k < LENGTH; k++) // whole numbers: exact in any order
                sum += values[i * LENGTH + k] * x[columns[i * LENGTH + k]];
            wrong += y[i] != sum;
        }
        CHECK_INT(wrong, 0);
        gputune_pool_destroy(p);
        for (i = 0; i < 5; i++) gputune_buffer_destroy(dev, at[i]);
    }
    gputune_device_destroy(dev);
    free(y), free(x), free(values), free(columns), free(starts);
}

// -Wextra is not what programs must compile with: numbers have neither values nor a default.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

// A tree over numbers of one's own: the device decides, and on the old one the width.
static void test_user_tree(void)
{
    double x[40 * 3], y[40];
    int i;
    for (i = 0; i < 40; i++) {
        x[3 * i] = i % 10, x[3 * i + 1] = i / 10, x[3 * i + 2] = i % 2;
        y[i] = i % 2 ? 1 : i % 10 < 5 ? 4 : 8;
    }
    {
        // --- the program ---
        gputune_param columns[] = { { "width" }, { "height" }, { "device", "set old,new" }, { 0 } };
        gputune_tree *t = gputune_tree_create(&(gputune_tree_desc){ .table = { columns, x, y, 40 },
                                                                    .leaves = 4 });
        const char *text = gputune_tree_text(t, GPUTUNE_TREE_TEXT, NULL);
        // --- its end ---
        CHECK_TEXT(text, "all: 3.3 (40 samples, 100 %)\n"
                         "  device is new: 1 (20 samples, 50 %)\n"
                         "  device is old: 5.6 (20 samples, 50 %)\n"
                         "    width <= 5: 4 (12 samples, 30 %)\n"
                         "    width > 5: 8 (8 samples, 20 %)\n");
        gputune_tree_destroy(t);
    }
}

#pragma GCC diagnostic pop

// The saturation point of a curve: 1 us of latency, a million a second times 1,000.
static void test_user_curve(void)
{
    const double size[] = { 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8 };
    double seconds[7];
    int i;
    for (i = 0; i < 7; i++) seconds[i] = 1e-6 + size[i] / 1e9;
    {
        // --- the program ---
        gputune_saturation s = gputune_saturation_of(size, NULL, seconds, 7, 0);
        // --- its end ---
        CHECK_INT(s.verdict, GPUTUNE_VERDICT_SATURATED);
        CHECK_INT(s.msp, 2); // 10^4: 0.909 of the rate, the first within a tenth
        CHECK_HAS(s.text, "saturated from size 10000 on");
    }
}

// Every configuration of a space, and of a kernel's coarsening.
static void test_user_space(void)
{
    static const gputune_param params[] = { { "BLOCK", "erange 32,128,2", "64" },
                                            { "ITEMS", "set 1,2", NULL }, { 0 } };
    static const char *const rules[] = { "BLOCK * ITEMS <= 128", NULL };
    char text[128], all[512];
    *all = 0;
    {
        // --- the program ---
        gputune_space *s = gputune_space_create(&(gputune_space_desc){ .params = params,
                                                                       .require = rules });
        for (uint64_t i = 0; i < gputune_space_count(s); i++) {
            gputune_config c = gputune_space_at(s, i);
            strcat(strcat(all, gputune_config_text(&c, text, sizeof text)), "\n");
        }
        // --- its end ---
        gputune_space_destroy(s);
    }
    CHECK_TEXT(all, "BLOCK=32 ITEMS=1\nBLOCK=32 ITEMS=2\nBLOCK=64 ITEMS=1\nBLOCK=64 ITEMS=2\n"
                    "BLOCK=128 ITEMS=1\n");
    *all = 0;
    {
        // --- the program ---
        gputune_space *s = gputune_coarsen_space(&(gputune_coarsen_space_desc){
            .source = "__kernel void scale(__global float *x) { x[get_global_id(0)] *= 2; }",
            .name = "scale", .global = { 1024 },
            .coarsen = { .factors = "set 1,4", .strides = "set 1,32", .groups = "set 0" } });
        for (uint64_t i = 0; i < gputune_space_count(s); i++) {
            gputune_config c = gputune_space_at(s, i);
            strcat(strcat(all, gputune_config_text(&c, text, sizeof text)), "\n");
        }
        // --- its end ---
        CHECK_OR(!gputune_space_error(s)->result, "%s", gputune_space_error(s)->text);
        gputune_space_destroy(s);
    }
    CHECK_TEXT(all, "FACTOR_X=1 STRIDE_X=1 GROUP_X=0 COARSEN_FORM=loop\n"
                    "FACTOR_X=4 STRIDE_X=1 GROUP_X=0 COARSEN_FORM=loop\n"
                    "FACTOR_X=4 STRIDE_X=1 GROUP_X=0 COARSEN_FORM=merge\n"
                    "FACTOR_X=4 STRIDE_X=32 GROUP_X=0 COARSEN_FORM=loop\n"
                    "FACTOR_X=4 STRIDE_X=32 GROUP_X=0 COARSEN_FORM=merge\n");
}

static const test_case user_cases[] = {
    { "kernel", test_user_kernel },
    { "pool", test_user_pool },
    { "tree", test_user_tree },
    { "curve", test_user_curve },
    { "space", test_user_space },
    { NULL, NULL },
};
