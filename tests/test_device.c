// [device]: arguments, host and replay drivers, failed devices.
#include "test.h"

static void test_device_args(void)
{
    unsigned char bytes[8];
    gputune_arg a = gputune_scalar(GPUTUNE_HALF, 1.0);
    uint16_t half;
    uint64_t large;
    gputune__scalar_bytes(&a, bytes);
    memcpy(&half, bytes, 2);
    CHECK_INT(half, 0x3c00);
    a = gputune_ulong(UINT64_MAX);
    gputune__scalar_bytes(&a, bytes);
    memcpy(&large, bytes, 8);
    CHECK(large == UINT64_MAX);
    a = gputune_scalar(GPUTUNE_UINT64, 1.5e19);
    gputune__scalar_bytes(&a, bytes);
    memcpy(&large, bytes, 8);
    CHECK(large == UINT64_C(15000000000000000000));
    a = gputune_named(gputune_int(-5), "n");
    CHECK_TEXT(a.name, "n");
    CHECK_INT(a.value.i, -5);
    CHECK_INT(a.bytes, 4);
    CHECK_INT(gputune_typed(gputune_out(NULL, 16), GPUTUNE_FLOAT).type, GPUTUNE_FLOAT);
}

// Every half: there and back; and the ties that round to even.
static void test_device_half(void)
{
    uint32_t h;
    int wrong = 0;
    for (h = 0; h < 0x10000; h++) {
        double value = gputune__double_of_half((uint16_t)h);
        if (value != value) continue;
        if (gputune__half_of(value) != h) wrong++;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(gputune__half_of(2049.0), 0x6800); // 2048 and 2050 are halves: ties to even
    CHECK_INT(gputune__half_of(2051.0), 0x6802);
    CHECK_INT(gputune__half_of(65519.0), 0x7bff);
    CHECK_INT(gputune__half_of(65520.0), 0x7c00);
    CHECK_INT(gputune__half_of(ldexp(1.0, -25)), 0); // half of the least subnormal, to even
    CHECK_INT(gputune__half_of(1.5 * ldexp(1.0, -25)), 1);
}

static void device_count_items(const gputune_host_call *call)
{
    int *count = (int *)call->args[0];
    int n = *(const int *)call->args[1];
    size_t x, y, z;
    for (z = call->begin[2]; z < call->end[2]; z++)
        for (y = call->begin[1]; y < call->end[1]; y++)
            for (x = call->begin[0]; x < call->end[0]; x++)
                if ((int)x < n) count[(z * call->global[1] + y) * (size_t)n + x]++;
}

// Every work-item of the grid is visited exactly once, whatever the group's size.
static void test_device_host_grid(void)
{
    static const char *const locals[] = { "1, 1, 1", "4, 2, 1", "3, 5, 2", "64, 1, 1", NULL };
    gputune_options options;
    gputune_function functions[] = { { "count", device_count_items, NULL }, { NULL, NULL, NULL } };
    int i, j;
    memset(&options, 0, sizeof options);
    options.store = "";
    options.mode = GPUTUNE_MODE_OFF;
    for (i = 0; i < 5; i++) {
        gputune_device *device = gputune_host_device(&options);
        gputune_kernel_desc desc;
        gputune_kernel *kernel;
        gputune_arg args[2];
        int count[37 * 10 * 4], n = 37, wrong = 0;
        memset(count, 0, sizeof count);
        memset(&desc, 0, sizeof desc);
        desc.name = "count";
        desc.functions = functions;
        desc.global = "n, 10, 4";
        desc.local = locals[i];
        kernel = gputune_kernel_create(device, &desc);
        args[0] = gputune_inout(count, sizeof count);
        args[1] = gputune_named(gputune_int(n), "n");
        CHECK_INT(gputune_run(kernel, args, 2), GPUTUNE_OK);
        for (j = 0; j < 37 * 10 * 4; j++) wrong += count[j] != 1;
        CHECK_INT(wrong, 0);
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
    }
}

static void test_device_failed(void)
{
    gputune_options options;
    gputune_error error;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_kernel_desc desc;
    memset(&options, 0, sizeof options);
    options.store = "";
    gputune_error_set(&error, GPUTUNE_ERROR_LIBRARY, "no library: %s", "libcuda.so.1");
    device = gputune_device_create_failed(&options, &error);
    CHECK_INT(gputune_device_error(device)->result, GPUTUNE_ERROR_LIBRARY);
    memset(&desc, 0, sizeof desc);
    desc.name = "k";
    kernel = gputune_kernel_create(device, &desc);
    CHECK_INT(gputune_run(kernel, NULL, 0), GPUTUNE_ERROR_LIBRARY);
    CHECK_INT(gputune_tune(kernel, NULL, 0, NULL), GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "libcuda.so.1");
    CHECK(gputune_device_self(device, "cuda") == NULL);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    gputune_device_destroy(NULL);
    CHECK_INT(gputune_device_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_kernel_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_run(NULL, NULL, 0), GPUTUNE_ERROR_MEMORY);
}

static void test_device_library(void)
{
    static const char *const names[] = { "libnothing-1.so", "libnothing-2.so", NULL };
    gputune_error error;
    CHECK(gputune_library_open(names, &error) == NULL);
    CHECK_INT(error.result, GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(error.text, "libnothing-1.so");
    CHECK_HAS(error.text, "libnothing-2.so");
    gputune_library_close(NULL);
}

// One entry a result: words without blanks, all different, so that files can hold them.
static void test_device_results(void)
{
    int i, j;
    for (i = 0; i < GPUTUNE_RESULT_COUNT; i++) {
        CHECK(strchr(gputune_result_name((gputune_result)i), ' ') == NULL);
        CHECK(*gputune_result_text((gputune_result)i));
        for (j = 0; j < i; j++)
            CHECK(strcmp(gputune_result_name((gputune_result)i),
                         gputune_result_name((gputune_result)j)) != 0);
    }
    CHECK_TEXT(gputune_result_name((gputune_result)999), "unknown");
}

static void test_device_stats(void)
{
    double a[] = { 4, 1, 3, 2 }, one[] = { 7 };
    gputune_stats s = gputune_stats_of(a, 4); // NumPy: percentile([1,2,3,4],[25,50,75])
    CHECK_NEAR(s.q1, 1.75, 1e-12);
    CHECK_NEAR(s.median, 2.5, 1e-12);
    CHECK_NEAR(s.q3, 3.25, 1e-12);
    CHECK_NEAR(s.min, 1, 0);
    CHECK_NEAR(s.max, 4, 0);
    CHECK_INT(s.count, 4);
    s = gputune_stats_of(one, 1);
    CHECK_NEAR(s.median, 7, 0);
    CHECK_NEAR(s.q1, 7, 0);
}

static void device_log(void *user, gputune_log_level level, const char *message)
{
    (void)level;
    snprintf((char *)user, 256, "%s", message);
}

static void test_device_environment(void)
{
    gputune_options options;
    gputune__base base;
    char last[256] = "";
    memset(&options, 0, sizeof options);
    options.log = device_log;
    options.log_user = last;
    options.mode = GPUTUNE_MODE_OFF;
    setenv("GPUTUNE", "force", 1);
    gputune__base_init(&base, &options);
    CHECK_INT(base.mode, GPUTUNE_MODE_FORCE);
    setenv("GPUTUNE", "sometimes", 1);
    gputune__base_init(&base, &options);
    CHECK_INT(base.mode, GPUTUNE_MODE_OFF);
    CHECK_HAS(last, "sometimes");
    unsetenv("GPUTUNE");
    setenv("GPUTUNE_LOG", "Debug", 1);
    gputune__base_init(&base, &options);
    CHECK_INT(base.level, GPUTUNE_LOG_DEBUG);
    setenv("GPUTUNE_LOG", "error", 1);
    gputune__base_init(&base, NULL);
    CHECK_INT(base.level, GPUTUNE_LOG_ERROR);
    CHECK(base.log == gputune__log_stderr);
    unsetenv("GPUTUNE_LOG");
    gputune__base_init(&base, NULL);
    CHECK(base.log == NULL);
    CHECK_INT(base.mode, GPUTUNE_MODE_ON);
}

static const test_case device_cases[] = {
    { "args", test_device_args },
    { "half", test_device_half },
    { "host_grid", test_device_host_grid },
    { "failed", test_device_failed },
    { "library", test_device_library },
    { "results", test_device_results },
    { "stats", test_device_stats },
    { "environment", test_device_environment },
    { NULL, NULL },
};
