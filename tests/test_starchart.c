// The six kernels of bench/starchart.h against plain C: the default and configurations drawn at
// random, at the small size and at sizes that no work-group divides.
#include "rig.h"
#include "test.h"

#include "../bench/starchart.h"

enum { STARCHART_DRAWN = 8 };

// bfs, hotspot, kmeans, matrix, nbody, streamcluster
static const int starchart_odd[STARCHART_COUNT][3] = {
    { 4999, 5, 0 }, { 97, 83, 0 }, { 1013, 7, 0 }, { 61, 83, 47 }, { 331, 0, 0 }, { 1777, 3, 0 }
};

// Returns whether it ran. Where NREG allows a large work-group more registers than a GPU has, that
// is a trial that fails with this reason, and no defect.
static bool starchart_launch(const starchart_kind *kind, gputune_kernel *kernel, case_data *data,
                             const gputune_config *config)
{
    char why[256] = "", text[256];
    gputune_result result;
    gputune_config_text(config, text, sizeof text);
    CHECK(case_reset(data));
    result = gputune_kernel_launch(kernel, config, data->args, data->arg_count);
    if (result == GPUTUNE_ERROR_RESOURCES && strstr(text, "NREG=")) return false;
    if (result != GPUTUNE_OK)
        TEST_FAIL("%s with \"%s\": %s", kind->base.name, text, gputune_kernel_error(kernel)->text);
    else
        CHECK_OR(starchart_check(data, kind, why, sizeof why), "%s with \"%s\"", why, text);
    return true;
}

static void starchart_size(gputune_device *device, const starchart_kind *kind, const int *size,
                           int drawn)
{
    const gputune_space *space = NULL;
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_config config;
    case_data data;
    uint64_t random = 77;
    int ran = 0;
    if (!case_make(&data, &kind->base, device, size, 3)) {
        TEST_FAIL("%s: no data", kind->base.name);
        return;
    }
    desc = starchart_desc(kind, &data);
    kernel = gputune_kernel_create(device, &desc);
    CHECK_OR(test_space_of(kernel, data.args, data.arg_count, &space) == GPUTUNE_OK,
             "%s: %s", kind->base.name, gputune_kernel_error(kernel)->text);
    for (int i = 0; space && i <= drawn; i++) {
        const uint64_t index = gt__random_below(&random, gputune_space_count(space));
        config = i ? gputune_space_at(space, index) : gputune_space_default(space);
        ran += starchart_launch(kind, kernel, &data, &config);
        CHECK(i > 0 || ran == 1); // the default has to
    }
    CHECK(ran > drawn / 2);
    gputune_kernel_destroy(kernel);
    case_free(&data);
}

static void starchart_run(const char *name)
{
    gputune_device *device = rig_device("");
    const starchart_kind *kind = starchart_find(name);
    if (!device) return;
    starchart_size(device, kind, kind->base.small, 1);
    starchart_size(device, kind, starchart_odd[kind - starchart_kinds],
                   rig_draws(STARCHART_DRAWN));
    gputune_device_destroy(device);
}

static void test_starchart_bfs(void) { starchart_run("bfs"); }
static void test_starchart_hotspot(void) { starchart_run("hotspot"); }
static void test_starchart_kmeans(void) { starchart_run("kmeans"); }
static void test_starchart_matrix(void) { starchart_run("matrix"); }
static void test_starchart_nbody(void) { starchart_run("nbody"); }
static void test_starchart_streamcluster(void) { starchart_run("streamcluster"); }

// The spaces have table I's parameters and about its sizes (figures in the paper: 98,816 for bfs on
// a device with blocks of 64 to 256).
static void test_starchart_spaces(void)
{
    static const double sizes[STARCHART_COUNT] = { 508416, 58096, 8286, 1e8, 58096, 63552 };
    gputune_device *device = rig_device("");
    if (!device) return;
    for (int k = 0; k < STARCHART_COUNT; k++) {
        const starchart_kind *kind = &starchart_kinds[k];
        const gputune_space *space = NULL;
        gputune_kernel_desc desc;
        gputune_kernel *kernel;
        case_data data;
        if (!case_make(&data, &kind->base, device, starchart_odd[k], 1)) {
            TEST_FAIL("%s: no data", kind->base.name);
            continue;
        }
        desc = starchart_desc(kind, &data);
        kernel = gputune_kernel_create(device, &desc);
        if (test_space_of(kernel, data.args, data.arg_count, &space) != GPUTUNE_OK)
            TEST_FAIL("%s: %s", kind->base.name, gputune_kernel_error(kernel)->text);
        else // of a device with groups of 1024; smaller ones have smaller spaces
            CHECK((double)gputune_space_count(space) >=
                  (gputune_device_limits(device)->max_group_size >= 1024 ? sizes[k] : 1));
        gputune_kernel_destroy(kernel);
        case_free(&data);
    }
    gputune_device_destroy(device);
}

// What one step of the search writes, from attributes and edges alone.
static void starchart_step(const case_data *data, char *status, bool arrays)
{
    const int32_t *attributes = case_ints(data, 0), *edges = case_ints(data, 1);
    const int n = data->size[0], level = (int)data->args[1].value.i;
    memset(status, 0, 2 * (size_t)n);
    for (int i = 0; i < n; i++) {
        if (attributes[4 * i] != level) continue;
        status[arrays ? i : 2 * i] = 1;
        for (int k = 0; k < attributes[4 * i + 2]; k++) {
            const int next = edges[attributes[4 * i + 1] + k];
            if (attributes[4 * next] > level) status[arrays ? n + next : 2 * next + 1] = 1;
        }
    }
}

static void test_starchart_flags(void)
{
    const starchart_kind *kind = starchart_find("bfs");
    gputune_device *device = rig_device("");
    case_data data;
    if (!device) return;
    if (case_make(&data, &kind->base, device, starchart_odd[0], 5)) {
        const size_t flags = 2 * (size_t)data.size[0];
        char *status = (char *)malloc(flags), why[256] = "";
        const void *outputs[CASE_ARGS] = { NULL };
        outputs[data.arg_count - 1] = status;
        for (int arrays = 0; status && arrays < 2; arrays++) {
            starchart_step(&data, status, arrays);
            CHECK(memchr(status, 1, flags) != NULL);
            CHECK(kind->check(&data, outputs, why, sizeof why));
            status[flags - 1] = (char)!status[flags - 1];
            CHECK(!kind->check(&data, outputs, why, sizeof why));
            CHECK_HAS(why, "flags are wrong");
        }
        free(status);
        case_free(&data);
    }
    gputune_device_destroy(device);
}

// Inputs of several sizes: all on a GPU, on processors none that is much larger than the case's.
static void test_starchart_inputs(void)
{
    static const int counts[STARCHART_COUNT][2] = { { 9, 9 }, { 0, 0 }, { 0, 0 },
                                                    { 4, 8 }, { 3, 6 }, { 0, 0 } };
    for (int k = 0; k < STARCHART_COUNT; k++)
        for (int gpu = 0; gpu < 2; gpu++) {
            const starchart_kind *kind = &starchart_kinds[k];
            const int *base = gpu ? kind->base.large : kind->middle;
            int size[3], count = 0, most = 0;
            for (; starchart_input(kind, gpu != 0, count, base, size); count++)
                for (int d = 0; d < 3; d++) {
                    CHECK((size[d] > 0) == (base[d] > 0));
                    CHECK((base[d] > 0) || d > 0);
                    if (base[d] > 0 && size[d] / base[d] > most) most = size[d] / base[d];
                }
            CHECK_INT(count, counts[k][gpu]);
            CHECK(gpu || most <= kind->most);
            if (count) CHECK(kind->names[0] != NULL);
        }
}

static const test_case starchart_cases[] = {
    { "bfs", test_starchart_bfs },
    { "hotspot", test_starchart_hotspot },
    { "kmeans", test_starchart_kmeans },
    { "matrix", test_starchart_matrix },
    { "nbody", test_starchart_nbody },
    { "streamcluster", test_starchart_streamcluster },
    { "spaces", test_starchart_spaces },
    { "flags", test_starchart_flags },
    { "inputs", test_starchart_inputs },
    { NULL, NULL },
};
