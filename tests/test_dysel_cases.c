// The variants of bench/dysel.h against plain C, each launched as it is, at awkward sizes.
#include "rig.h"
#include "test.h"

#include "../bench/dysel.h"

static void dysel_cases_launch(const dysel_case *c, const dysel_variant *v, case_data *data)
{
    gputune_kernel *kernel = dysel_kernel(c, v, data->device);
    dysel_plain plain;
    char why[256] = "";
    CHECK(dysel_reset(data));
    if (!dysel_plan(&plain, kernel, v, data) || dysel_launch(&plain) != GPUTUNE_OK)
        TEST_FAIL("%s %s: %s", c->base.name, v->name, gputune_kernel_error(kernel)->text);
    else
        CHECK_OR(case_check(data, 0, why, sizeof why), "%s %s: %s", c->base.name, v->name, why);
    gputune_kernel_destroy(kernel);
}

static void dysel_cases_run(const dysel_case *c, gputune_device *device)
{
    case_data data;
    if (!case_make(&data, &c->base, device, c->base.small, 1)) {
        TEST_FAIL("%s: %s", c->base.name, gputune_device_error(device)->text);
        return;
    }
    for (const dysel_variant *v = c->variants; v->name; v++) {
        CHECK(dysel_fits(v, &data)); // at these sizes
        dysel_cases_launch(c, v, &data);
    }
    case_free(&data);
}

static void dysel_cases_check(bool host, const char *study)
{
    gputune_options options;
    gputune_device *device;
    memset(&options, 0, sizeof options);
    device = host ? gputune_host_device_create(&options) : rig_device(NULL);
    if (!device) return;
    for (int i = 0; i < DYSEL_COUNT; i++)
        if (dysel_cases[i].host == host &&
            strncmp(dysel_cases[i].base.name, study, strlen(study)) == 0)
            dysel_cases_run(&dysel_cases[i], device);
    gputune_device_destroy(device);
}

static void dysel_cases_schedules(void)
{
    dysel_cases_check(true, "");
}

static void dysel_cases_placement(void)
{
    dysel_cases_check(false, "II_");
}

static void dysel_cases_optimised(void)
{
    dysel_cases_check(false, "III_");
}

static void dysel_cases_input(void)
{
    dysel_cases_check(false, "IV_");
    dysel_cases_check(false, "M_");
}

static void dysel_cases_atomics(void)
{
    dysel_cases_check(false, "S_");
}

static void dysel_cases_compile(const dialect_nvrtc *n, const char *file)
{
    static const char head[] = "__kernel void ";
    char *text = NULL, *log = NULL, *ptx = NULL, name[64] = "";
    gt__base b;
    memset(&b, 0, sizeof b);
    if (gt__read_file(&b, file, &text, NULL) == GPUTUNE_OK) {
        const char *first = strstr(text, head);
        if (first) sscanf(first + sizeof head - 1, "%63[a-zA-Z0-9_]", name);
        for (char *at = text; (at = strstr(at, "#pragma gputune")) != NULL;)
            memcpy(at, "//", 2); // else a warning each
        ptx = dialect_compile_text(n, text, name, &log);
    }
    CHECK_OR(ptx && !(log && strstr(log, "warning")), "%s: %.1500s", file,
             log ? log : "it cannot be read");
    CHECK_OR(!ptx || !strstr(ptx, ".local"), "%s: arrays in memory", file);
    gt__arr_free(&b, text);
    free(log);
    free(ptx);
}

// Converted to CUDA C, all of them compile without a warning, and no array of a work-item is left
// in memory. Needs NVRTC, but no GPU.
static void dysel_cases_nvrtc(void)
{
    static char why[1600];
    dialect_nvrtc n;
    if (!dialect_open(&n, why, sizeof why)) SKIP(why);
    for (int i = 0; i < DYSEL_COUNT; i++)
        if (!dysel_cases[i].host) dysel_cases_compile(&n, dysel_cases[i].base.file);
    dysel_cases_compile(&n, DYSEL_FILE("spin"));
    dialect_close(&n);
}

// Sizes: a part of the work, so many work-groups, and that names, units and factors are there.
static void dysel_cases_sizes(void)
{
    for (int i = 0; i < DYSEL_COUNT; i++) {
        const dysel_case *c = &dysel_cases[i];
        int size[3];
        CHECK(c->units && c->mode != GPUTUNE_PROFILE_AUTO && c->variants[1].name);
        CHECK(dysel_find(c->base.name) == c);
        dysel_size(c, false, 1, size);
        CHECK(memcmp(size, c->base.large, sizeof size) == 0);
        dysel_size(c, true, 1, size);
        CHECK(memcmp(size, c->cpu, sizeof size) == 0);
        for (double groups = 128; groups <= 1024; groups *= 2) {
            dysel_size_of_groups(c, false, groups, size);
            CHECK_OR(dysel_groups(c, size) >= fmin(groups, dysel_groups(c, c->base.large)) &&
                         dysel_groups(c, size) <= 2 * groups, // 5^3 is below 128, 6^3 is not
                     "%s: %.0f work-groups for %.0f", c->base.name, dysel_groups(c, size), groups);
        }
    }
}

static double dysel_cases_work(const dysel_case *c, gputune_device *device, double scale)
{
    case_data data;
    double work;
    int size[3];
    dysel_size(c, true, scale, size);
    if (!case_make(&data, &c->base, device, size, 1)) return 0;
    work = data.work;
    case_free(&data);
    return work;
}

// Twice the scale is about twice the work: sizes are whole numbers.
static void dysel_cases_scales(void)
{
    gputune_device *device = gputune_host_device_create(NULL);
    for (int i = 0; i < DYSEL_COUNT; i++) {
        const double once = dysel_cases_work(&dysel_cases[i], device, 0.003);
        const double twice = dysel_cases_work(&dysel_cases[i], device, 0.006);
        CHECK_OR(twice > 1.7 * once && twice < 2.3 * once, "%s: %g and %g",
                 dysel_cases[i].base.name, once, twice);
    }
    gputune_device_destroy(device);
}

// Outputs without a host copy begin as NaN, all of them, also those that are many blocks long.
static void dysel_cases_poison(void)
{
    enum { COUNT = 700001 };
    gputune_device *device = rig_device(NULL);
    case_data data;
    float *values;
    int wrong = 0;
    if (!device) return;
    memset(&data, 0, sizeof data);
    data.device = device;
    values = (float *)calloc(COUNT, sizeof *values);
    dysel_add_output(&data, COUNT);
    dysel_upload(&data);
    CHECK(values && !data.failed);
    for (int round = 0; values && !data.failed && round < 2; round++) {
        void *buffer = data.buffers[0].buffer;
        CHECK(gputune_buffer_read(device, buffer, 0, values, COUNT * 4) == GPUTUNE_OK);
        for (int i = 0; i < COUNT; i++) wrong += !gt__is_nan(values[i]);
        memset(values, 0, COUNT * 4); // as if a kernel had written
        CHECK(gputune_buffer_write(device, buffer, 0, values, COUNT * 4) == GPUTUNE_OK);
        CHECK(dysel_reset(&data));
    }
    CHECK(wrong == 0);
    free(values);
    case_free(&data);
    gputune_device_destroy(device);
}

static const test_case dysel_cases_cases[] = {
    { "placement", dysel_cases_placement },
    { "optimised", dysel_cases_optimised },
    { "input", dysel_cases_input },
    { "atomics", dysel_cases_atomics },
    { "poison", dysel_cases_poison },
    { NULL, NULL },
};

static const test_case dysel_host_cases[] = {
    { "sizes", dysel_cases_sizes },
    { "scales", dysel_cases_scales },
    { "nvrtc", dysel_cases_nvrtc },
    { "schedules", dysel_cases_schedules },
    { NULL, NULL },
};
