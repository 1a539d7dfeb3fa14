// The kernels of examples/kernels against plain C, at awkward sizes, over many configurations.
#include "rig.h"
#include "test.h"

#include "../examples/cases.h"
#include "builtins.h"

enum { KERNELS_DRAWN = 5, KERNELS_POOL = 1 + 2 * KERNELS_DRAWN };

typedef struct kernels_sizes {
    const char *name;
    int sizes[7][3]; // ends with zeros; the first is round: all vector widths are valid there
} kernels_sizes;

static const kernels_sizes kernels_table[] = {
    { "saxpy", { { 4096 }, { 65537 }, { 1 }, { 7 }, { 1009 } } },
    { "sgemm",
      { { 64, 64, 64 }, { 97, 83, 101 }, { 1, 1, 1 }, { 1, 31, 7 }, { 66, 72, 40 }, { 5, 8, 9 } } },
    { "transpose", { { 128, 64 }, { 97, 211 }, { 1, 1 }, { 1, 131 }, { 131, 1 }, { 33, 31 } } },
    { "convolution",
      { { 64, 64, 5 }, { 97, 53, 7 }, { 1, 1, 1 }, { 1, 1, 3 }, { 131, 17, 11 }, { 2, 67, 3 } } },
    { "reduction",
      { { 65536, 4096 }, { 100003, 1009 }, { 1, 16 }, { 1009, 64 }, { 31, 7 }, { 17, 1 } } },
    { "spmv",
      { { 1024, 1024, 8 }, { 1009, 503, 3 }, { 1, 1, 1 }, { 257, 1000, 40 }, { 7, 5, 200 } } },
};

typedef struct kernels_pool {
    char text[KERNELS_POOL][512]; // configurations, as each size has a space of its own
    int count;
} kernels_pool;

static void kernels_draw(kernels_pool *pool, gputune_kernel *kernel, const case_data *data)
{
    const gputune_space *space = NULL;
    uint64_t state = 1;
    if (test_space_of(kernel, data->args, data->arg_count, &space) != GPUTUNE_OK) return;
    for (int i = 0; i < rig_draws(KERNELS_DRAWN); i++) {
        uint64_t index = test_random_below(&state, gputune_space_count(space));
        const gputune_config config = gputune_space_at(space, index);
        gputune_config_text(&config, pool->text[pool->count], sizeof pool->text[0]);
        pool->count++;
    }
}

// One launch on fresh data. A configuration that this size does not allow is no failure.
static void kernels_launch(gputune_kernel *kernel, case_data *data, const char *text)
{
    const gputune_space *space = NULL;
    gputune_config config;
    uint64_t index;
    char why[256] = "";
    gputune_result result = test_space_of(kernel, data->args, data->arg_count, &space);
    CHECK_INT(result, GPUTUNE_OK);
    if (result != GPUTUNE_OK || !gputune_config_parse(space, text, &config)) {
        TEST_FAIL("%s: \"%s\" cannot be read: %s", data->kind->name, text,
                  gputune_kernel_error(kernel)->text);
        return;
    }
    if (!gputune_space_index(space, &config, &index)) {
        CHECK_OR(*text, "%s: the default is not valid", data->kind->name);
        return;
    }
    CHECK(case_reset(data));
    result = gputune_kernel_launch(kernel, &config, data->args, data->arg_count);
    if (result != GPUTUNE_OK)
        TEST_FAIL("%s %s: %s", data->kind->name, text, gputune_kernel_error(kernel)->text);
    else
        CHECK_OR(case_check(data, 0, why, sizeof why), "%s with \"%s\"", why, text);
}

// The default and configurations drawn at the two first sizes, each at every size.
static void kernels_check(const kernels_sizes *row)
{
    const example_case *kind = case_find(row->name);
    const gputune_kernel_desc desc = case_desc(kind);
    gputune_device *device = rig_device(NULL);
    if (!device) return;
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    kernels_pool pool = { { "" }, 1 };
    case_data data[7];
    int sizes = 0;
    for (; row->sizes[sizes][0]; sizes++) {
        if (!case_make(&data[sizes], kind, device, row->sizes[sizes], (uint64_t)sizes + 1)) {
            TEST_FAIL("%s: %s", row->name, gputune_device_error(device)->text);
            break;
        }
        if (sizes < 2) kernels_draw(&pool, kernel, &data[sizes]);
    }
    CHECK_INT(pool.count, 1 + 2 * rig_draws(KERNELS_DRAWN));
    for (int p = 0; p < pool.count; p++)
        for (int i = 0; i < sizes; i++) kernels_launch(kernel, &data[i], pool.text[p]);
    for (int i = 0; i < sizes; i++) case_free(&data[i]);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

static void kernels_saxpy(void) { kernels_check(&kernels_table[0]); }
static void kernels_sgemm(void) { kernels_check(&kernels_table[1]); }
static void kernels_transpose(void) { kernels_check(&kernels_table[2]); }
static void kernels_convolution(void) { kernels_check(&kernels_table[3]); }
static void kernels_reduction(void) { kernels_check(&kernels_table[4]); }
static void kernels_spmv(void) { kernels_check(&kernels_table[5]); }

// Whether the text is the file but for annotations, of which gaps and comments are there.
static bool kernels_same_text(const char *path, const char *text)
{
    static char file[1 << 16];
    FILE *f = fopen(path, "rb");
    const size_t length = f ? fread(file, 1, sizeof file, f) : 0;
    bool annotation = false;
    if (f) fclose(f);
    if (!length || !text) return false;
    for (size_t i = 0; i < length; i++) {
        if (strncmp(file + i, "#pragma gputune", 15) == 0) annotation = true;
        if (file[i] == '\n' && file[i - 1] != '\\') annotation = false;
        if (strncmp(file + i, "//", 2) == 0) annotation = false;
        if (annotation && !strchr(" \\\n", file[i])) continue;
        if (file[i] != *text++) return false;
    }
    return !*text;
}

// The defaults are what the files say: putting them in changes nothing.
static void kernels_defaults(void)
{
    gputune_device *device = rig_device(NULL), *texts;
    if (!device) return;
    texts = source_device(NULL, NULL);
    for (int i = 0; i < CASE_COUNT; i++) {
        const gputune_kernel_desc desc = case_desc(&example_cases[i]);
        gputune_kernel *kernel = gputune_kernel_create(device, &desc);
        const gputune_space *space = NULL;
        case_data data;
        CHECK(case_make(&data, &example_cases[i], device, example_cases[i].small, 1));
        CHECK_INT(test_space_of(kernel, data.args, data.arg_count, &space), GPUTUNE_OK);
        if (space) {
            const gputune_config config = gputune_space_default(space);
            gputune_kernel *plain = gputune_kernel_create(texts, &desc); // takes OpenCL C
            CHECK(kernels_same_text(desc.file, gputune_kernel_source(plain, &config)));
            gputune_kernel_destroy(plain);
            CHECK(gputune_kernel_source(kernel, &config) != NULL);
            if (gputune_device_limits(device)->max_group_size >= 1024) // smaller: smaller spaces
                CHECK(gputune_space_count(space) >= (strcmp(desc.name, "sgemm") == 0 ? 500 : 50));
        }
        case_free(&data);
        gputune_kernel_destroy(kernel);
    }
    gputune_device_destroy(texts);
    gputune_device_destroy(device);
}

// The comparison itself: one element off, one not a number, one not written.
static void kernels_comparison(void)
{
    gputune_device *device = rig_device(NULL);
    if (!device) return;
    const int size[3] = { 3, 2, 0 };
    float right[6] = { 0 }, wrong;
    char why[256] = "";
    case_data data;
    CHECK(case_make(&data, case_find("transpose"), device, size, 1));
    CHECK(!case_check(&data, 0, why, sizeof why));
    CHECK_HAS(why, "output[0]");
    for (size_t i = 0; i < 6; i++) {
        double magnitude;
        right[i] = (float)data.kind->expected(&data, i, &magnitude);
    }
    CHECK_NEAR(right[1], case_floats(&data, 0)[2], 0);
    void *output = data.buffers[1].buffer;
    CHECK_INT(gputune_buffer_write(device, output, 0, right, sizeof right), GPUTUNE_OK);
    CHECK(case_check(&data, 0, why, sizeof why));
    wrong = right[5], right[5] = nextafterf(right[5], 2);
    CHECK_INT(gputune_buffer_write(device, output, 0, right, sizeof right), GPUTUNE_OK);
    CHECK(!case_check(&data, 0, why, sizeof why));
    CHECK_HAS(why, "output[5]");
    right[5] = wrong, right[2] = NAN;
    CHECK_INT(gputune_buffer_write(device, output, 0, right, sizeof right), GPUTUNE_OK);
    CHECK(!case_check(&data, 0, why, sizeof why));
    CHECK_HAS(why, "output[2]");
    case_free(&data);
    gputune_device_destroy(device);
}

// One launch of one kernel of builtins.h, whose buffers are the device's.
static void kernels_builtins_of(gputune_device *device, int group, const builtins_type *t,
                                builtins_data *data)
{
    // PoCL 3.1 has these wrong: two loop for ever, a vector's sine is off by 0.01, and powers and
    // roots of 8 and 16 doubles are other numbers.
    const char *without = rig_now->needs_gpu ? "" : "double remainder, double remquo, double pown, "
                                                    "double rootn, double frexp, float sincos,";
    char *text = builtins_source(group, t, without), name[32];
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_arg args[BUILTINS_BUFFERS];
    const gputune_space *space = NULL;
    gputune_config config;
    void *at;
    size_t bytes;
    snprintf(name, sizeof name, "%s_%s", builtins_groups[group], t->name);
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    desc.name = name;
    desc.global = desc.local = "24";
    kernel = gputune_kernel_create(device, &desc);
    builtins_fill(t, data);
    for (int i = 0; i < BUILTINS_BUFFERS; i++) {
        at = builtins_buffer(data, i, &bytes);
        args[i] = gputune_inout(gputune_buffer_create(device, bytes, at), bytes);
        if (i < BUILTINS_INPUT_BUFFERS) args[i].kind = GPUTUNE_ARG_IN;
    }
    CHECK_INT(test_space_of(kernel, args, BUILTINS_BUFFERS, &space), GPUTUNE_OK);
    if (space) {
        config = gputune_space_default(space);
        CHECK_OR(!gputune_kernel_launch(kernel, &config, args, BUILTINS_BUFFERS), "%s: %s", name,
                 gputune_kernel_error(kernel)->text);
    }
    for (int i = 0; i < BUILTINS_BUFFERS; i++) {
        at = builtins_buffer(data, i, &bytes);
        CHECK(!gputune_buffer_read(device, args[i].pointer, 0, at, bytes));
        gputune_buffer_destroy(device, args[i].pointer);
    }
    CHECK_INT(builtins_check(group, t, without, data), 0);
    gputune_kernel_destroy(kernel);
    free(text);
}

// What OpenCL C has built in, of every type and width: OpenCL's own, and what the conversion adds
// to CUDA's.
static void kernels_builtins(void)
{
    static builtins_data data;
    gputune_device *device = rig_device(NULL);
    for (int group = 0; group < BUILTINS_GROUPS && device; group++)
        for (int i = 0; i < BUILTINS_TYPES; i++)
            if (builtins_has(group, &builtins_types[i]))
                kernels_builtins_of(device, group, &builtins_types[i], &data);
    gputune_device_destroy(device);
}

static const test_case kernels_cases[] = {
    { "builtins", kernels_builtins },
    { "comparison", kernels_comparison },
    { "defaults", kernels_defaults },
    { "saxpy", kernels_saxpy },
    { "sgemm", kernels_sgemm },
    { "transpose", kernels_transpose },
    { "convolution", kernels_convolution },
    { "reduction", kernels_reduction },
    { "spmv", kernels_spmv },
    { NULL, NULL },
};
