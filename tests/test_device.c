// [device]: arguments, host and replay drivers, failed devices.
#include "test.h"

static void device_take_scalar(HOST_KERNEL)
{
    memcpy(args[1], args[0], (size_t)*(const int *)args[2]);
}

// What functions get of a scalar, again and again on one kernel.
typedef struct device_scalars {
    gputune_device *device;
    gputune_kernel *kernel;
} device_scalars;

static device_scalars device_scalars_open(void)
{
    static const gputune_function functions[] = { { "take", device_take_scalar, NULL },
                                                  { NULL, NULL, NULL } };
    device_scalars s;
    gputune_options options;
    gputune_kernel_desc desc;
    memset(&options, 0, sizeof options);
    options.store = "";
    options.mode = GPUTUNE_MODE_OFF;
    s.device = gputune_host_device_create(&options);
    memset(&desc, 0, sizeof desc);
    desc.name = "take";
    desc.functions = functions;
    desc.global = desc.local = "1";
    s.kernel = gputune_kernel_create(s.device, &desc);
    return s;
}

static void device_scalars_close(device_scalars *s)
{
    gputune_kernel_destroy(s->kernel);
    gputune_device_destroy(s->device);
}

static uint64_t device_scalar(device_scalars *s, gputune_arg scalar)
{
    gputune_arg args[3];
    uint64_t bits = 0;
    args[0] = scalar;
    args[1] = gputune_inout(&bits, sizeof bits);
    args[2] = arg_int32((int32_t)scalar.bytes);
    CHECK_INT(gputune_run(s->kernel, args, 3), GPUTUNE_OK);
    return bits; // of the low bytes: as all machines with a GPU have them
}

static void test_device_args(void)
{
    device_scalars s = device_scalars_open();
    static const uint16_t half = 0x3c00;
    static const uint64_t large = UINT64_C(15000000000000000001), most = UINT64_MAX;
    static const int64_t least = INT64_MIN;
    static const float f = -0.1f;
    static const int8_t byte = -2;
    uint32_t bits;
    gputune_arg a = gputune_scalar(GPUTUNE_INT8, &byte);
    memcpy(&bits, &f, 4);
    CHECK_INT(device_scalar(&s, gputune_scalar(GPUTUNE_HALF, &half)), 0x3c00);
    CHECK(device_scalar(&s, gputune_scalar(GPUTUNE_UINT64, &most)) == UINT64_MAX);
    CHECK(device_scalar(&s, gputune_scalar(GPUTUNE_UINT64, &large)) == large);
    CHECK(device_scalar(&s, gputune_scalar(GPUTUNE_INT64, &least)) == (uint64_t)INT64_MIN);
    CHECK(device_scalar(&s, gputune_scalar(GPUTUNE_FLOAT, &f)) == bits);
    CHECK_INT(device_scalar(&s, a), 0xfe);
    CHECK_INT(a.value.i, -2);
    CHECK_INT(a.bytes, 1);
    device_scalars_close(&s);
}

// By the definition of IEEE 754's binary16.
static double device_double_of_half(uint32_t h)
{
    const int exponent = (int)(h >> 10 & 31), mantissa = (int)(h & 1023);
    const double sign = h >> 15 ? -1 : 1;
    if (exponent == 31) return mantissa ? (double)NAN : sign * HUGE_VAL;
    return sign * (exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24));
}

// Every half as a scalar, and the ties that round to even. How halves are read: measure/halves.
static void test_device_half(void)
{
    static const struct {
        double value;
        int half;
    } ties[] = { { 2049.0, 0x6800 }, // 2048 and 2050 are halves: ties to even
                 { 2051.0, 0x6802 },
                 { 65519.0, 0x7bff },
                 { 65520.0, 0x7c00 } };
    device_scalars s = device_scalars_open();
    uint32_t h;
    int wrong = 0, numbers = 0;
    size_t i;
    for (h = 0; h < 0x10000; h++) {
        double value = device_double_of_half(h);
        if (gt__is_nan(value)) continue;
        numbers++;
        wrong += device_scalar(&s, arg_real(GPUTUNE_HALF, value)) != h;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(numbers, 0x10000 - 2 * 1023);
    for (i = 0; i < sizeof ties / sizeof *ties; i++)
        CHECK_INT(device_scalar(&s, arg_real(GPUTUNE_HALF, ties[i].value)), ties[i].half);
    // Half of the least subnormal, to even; and what is above it.
    CHECK_INT(device_scalar(&s, arg_real(GPUTUNE_HALF, ldexp(1.0, -25))), 0);
    CHECK_INT(device_scalar(&s, arg_real(GPUTUNE_HALF, 1.5 * ldexp(1.0, -25))), 1);
    device_scalars_close(&s);
}

// --- small reals: by the definition of their formats ---

typedef struct device_small {
    gputune_type type;
    int fraction, exponent; // bits
} device_small;

static const device_small device_smalls[] = { { GPUTUNE_HALF, 10, 5 },
                                              { GPUTUNE_BF16, 7, 8 },
                                              { GPUTUNE_FP8_E4M3, 3, 4 },
                                              { GPUTUNE_FP8_E5M2, 2, 5 } };

// What a code means; E4M3's largest exponent is one like the others but for its last fraction.
static double device_small_value(const device_small *f, uint32_t code)
{
    const uint32_t most = (1u << f->exponent) - 1, top = (1u << f->fraction) - 1;
    const uint32_t exponent = code >> f->fraction & most, fraction = code & top;
    const double sign = code >> (f->fraction + f->exponent) ? -1 : 1;
    const int bias = (1 << (f->exponent - 1)) - 1;
    if (f->type == GPUTUNE_FP8_E4M3) {
        if (exponent == most && fraction == top) return (double)NAN;
    } else if (exponent == most) {
        return fraction ? (double)NAN : sign * HUGE_VAL;
    }
    if (!exponent) return sign * fraction / (double)(top + 1) * pow(2, 1 - bias);
    return sign * (1 + fraction / (double)(top + 1)) * pow(2, (int)exponent - bias);
}

// Every number of every format as a scalar, and halfway to the next: to even, and a bit beside it.
static void test_device_small_reals(void)
{
    device_scalars s = device_scalars_open();
    size_t t;
    for (t = 0; t < sizeof device_smalls / sizeof *device_smalls; t++) {
        const device_small *f = &device_smalls[t];
        const int bits = 1 + f->fraction + f->exponent;
        const uint32_t negative = 1u << (bits - 1);
        uint32_t code, step = bits == 16 ? 7 : 1; // 7: all exponents, odd and even
        int wrong = 0, ties = 0;
        for (code = 0; code < negative; code += step) {
            const double value = device_small_value(f, code);
            const double next = device_small_value(f, code + 1);
            const double middle = (value + next) / 2;
            gputune_arg arg = arg_real(f->type, value);
            arg.bytes = (size_t)bits / 8;
            if (!(value <= 1e300)) continue;
            wrong += device_scalar(&s, arg) != code;
            arg.value.d = -value;
            wrong += device_scalar(&s, arg) != (code | negative);
            if (!(next <= 1e300)) continue;
            ties++;
            arg.value.d = middle;
            wrong += device_scalar(&s, arg) != (code & 1 ? code + 1 : code);
            arg.value.d = middle * (1 - 1e-12);
            wrong += device_scalar(&s, arg) != code;
            arg.value.d = middle * (1 + 1e-12);
            wrong += device_scalar(&s, arg) != code + 1;
        }
        CHECK_INT(wrong, 0);
        CHECK(ties > 100);
    }
    device_scalars_close(&s);
}

// --- what an argument gets of the signature ---

static void device_see(HOST_KERNEL)
{
    unsigned char *seen = (unsigned char *)args[4];
    memcpy(seen, args[0], 8);
    memcpy(seen + 8, args[1], 4);
    memcpy(seen + 12, args[2], 8);
    memcpy(seen + 20, args[3], 2);
}

static gputune_kernel *device_seer(gputune_device *device, const char *signature)
{
    static const gputune_function functions[] = { { "see", device_see, NULL },
                                                  { NULL, NULL, NULL } };
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.name = "see";
    desc.signature = signature;
    desc.functions = functions;
    desc.global = "many / many";
    desc.local = "1";
    return gputune_kernel_create(device, &desc);
}

static void test_device_signature(void)
{
    static const struct {
        int arg;
        gputune_arg (*real)(double value);
        int64_t i;
        double d;
        const char *error; // NULL: it fits
    } rows[] = { { 0, NULL, INT64_MAX, 0, NULL },
                 { 0, NULL, INT64_MIN, 0, NULL },
                 { 0, NULL, (INT64_C(1) << 53) + 1, 0, NULL },
                 { 0, gputune_float, 0, 3, "argument 0 (l) is long in the kernel, 3 given; "
                                               "pass gputune_int(3)" },
                 { 0, gputune_float, 0, 2.5, "(l) is long in the kernel, 2.5 given; pass "
                                             "gputune_int(l)" },
                 { 1, NULL, 1 << 24, 0, NULL },
                 { 1, NULL, (1 << 24) + 1, 0, "(f) is float in the kernel, 16777217 given" },
                 { 1, gputune_float, 0, 0.1, NULL },
                 { 1, gputune_float, 0, 1e39, "(f) is float in the kernel, 1e+39 given" },
                 { 2, gputune_float, 0, 1e39, NULL },
                 { 2, NULL, INT64_MIN, 0, NULL },
                 { 2, NULL, INT64_MAX, 0, "(d) is double in the kernel, 92233720" },
                 { 3, NULL, UINT16_MAX, 0, NULL },
                 { 3, NULL, UINT16_MAX + 1, 0, "(u) is ushort in the kernel, 65536 given" },
                 { 3, NULL, -1, 0, "(u) is ushort in the kernel, -1 given" } };
    unsigned char seen[24];
    gputune_options options;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[6];
    size_t r;
    memset(&options, 0, sizeof options);
    options.store = "";
    options.mode = GPUTUNE_MODE_OFF;
    device = gputune_host_device_create(&options);
    kernel = device_seer(device, "long l, float f, double d, unsigned short u, uchar *seen");
    for (r = 0; r < sizeof rows / sizeof *rows; r++) {
        const double d = rows[r].real ? rows[r].d : (double)rows[r].i;
        const float f = (float)d;
        const int16_t u = (int16_t)rows[r].i;
        int i;
        for (i = 0; i < 4; i++) args[i] = i == 1 || i == 2 ? gputune_float(0) : gputune_int(0);
        args[rows[r].arg] = rows[r].real ? rows[r].real(d) : gputune_int(rows[r].i);
        args[4] = gputune_out(seen, sizeof seen);
        args[5] = gputune_number("many", INT64_MAX);
        CHECK_INT(gputune_run(kernel, args, 6),
                  rows[r].error ? GPUTUNE_ERROR_ARGUMENT : GPUTUNE_OK);
        if (rows[r].error) {
            CHECK_HAS(gputune_kernel_error(kernel)->text, rows[r].error);
            continue;
        }
        switch (rows[r].arg) {
        case 0: CHECK(memcmp(seen, &rows[r].i, 8) == 0); break;
        case 1: CHECK(memcmp(seen + 8, &f, 4) == 0); break;
        case 2: CHECK(memcmp(seen + 12, &d, 8) == 0); break;
        default: CHECK(memcmp(seen + 20, &u, 2) == 0);
        }
    }
    args[3] = gputune_int(0);
    args[5] = args[4];
    args[4] = gputune_number("many", 1);
    CHECK_INT(gputune_run(kernel, args, 6), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "argument 5 stands behind a gputune_number");
    gputune_kernel_destroy(kernel);
    kernel = device_seer(device, NULL);
    CHECK_INT(gputune_run(kernel, args, 5), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "0 (?) is of a type that cannot be read");
    gputune_kernel_destroy(kernel);
    kernel = device_seer(device, "count_t n, float *x");
    args[1] = args[5];
    args[2] = args[4];
    CHECK_INT(gputune_run(kernel, args, 3), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "0 (n) is of a type that cannot be read");
    gputune_kernel_destroy(kernel);
    kernel = device_seer(device, "PARAMETERS");
    CHECK_INT(gputune_kernel_error(kernel)->result, GPUTUNE_ERROR_SYNTAX);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "signature \"PARAMETERS\"");
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

static void device_count_items(HOST_KERNEL)
{
    int *count = (int *)args[0];
    int n = *(const int *)args[1];
    size_t x, y, z;
    for (z = range->begin[2]; z < range->end[2]; z++)
        for (y = range->begin[1]; y < range->end[1]; y++)
            for (x = range->begin[0]; x < range->end[0]; x++)
                if ((int)x < n) count[(z * range->size[1] + y) * (size_t)n + x]++;
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
        gputune_device *device = gputune_host_device_create(&options);
        gputune_kernel_desc desc;
        gputune_kernel *kernel;
        gputune_arg args[2];
        int count[37 * 10 * 4], n = 37, wrong = 0;
        memset(count, 0, sizeof count);
        memset(&desc, 0, sizeof desc);
        desc.name = "count";
        desc.functions = functions;
        desc.signature = "int *count, int n";
        desc.global = "n, 10, 4";
        desc.local = locals[i];
        kernel = gputune_kernel_create(device, &desc);
        args[0] = gputune_inout(count, sizeof count);
        args[1] = arg_int32(n);
        CHECK_INT(gputune_run(kernel, args, 2), GPUTUNE_OK);
        for (j = 0; j < 37 * 10 * 4; j++) wrong += count[j] != 1;
        CHECK_INT(wrong, 0);
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
    }
}

static void device_log(void *user, gputune_log_level level, const char *message)
{
    (void)level;
    snprintf((char *)user, 256, "%s", message);
}

static void test_device_failed(void)
{
    gputune_options options;
    gputune_error error;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_kernel_desc desc;
    char last[256];
    memset(&options, 0, sizeof options);
    options.store = "";
    options.log = device_log;
    options.user = last;
    gputune_error_set(&error, GPUTUNE_ERROR_LIBRARY, "no library: %s", "libcuda.so.1");
    device = gputune_device_create_failed(&options, &error);
    CHECK_INT(gputune_device_error(device)->result, GPUTUNE_ERROR_LIBRARY);
    memset(&desc, 0, sizeof desc);
    desc.name = "k";
    kernel = gputune_kernel_create(device, &desc);
    CHECK_INT(gputune_run(kernel, NULL, 0), GPUTUNE_ERROR_LIBRARY);
    CHECK_TEXT(last, "k: no library: libcuda.so.1");
    CHECK_INT(gputune_tune(kernel, NULL, 0), GPUTUNE_ERROR_LIBRARY);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "libcuda.so.1");
    gputune_kernel_destroy(kernel);
    desc.name = NULL;
    kernel = gputune_kernel_create(device, &desc);
    CHECK_INT(gputune_run(kernel, NULL, 0), GPUTUNE_ERROR_LIBRARY);
    CHECK_TEXT(last, "a kernel: no library: libcuda.so.1");
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    // A device that is there, and a description that is refused before its texts are copied.
    device = gputune_host_device_create(&options);
    kernel = gputune_kernel_create(device, &desc);
    CHECK_INT(gputune_run(kernel, NULL, 0), GPUTUNE_ERROR_ARGUMENT);
    CHECK_TEXT(last, "a kernel: gputune_kernel_desc.name is missing");
    gputune_kernel_destroy(kernel);
    desc.name = "k";
    desc.coarsen.form = (gputune_coarsening)99;
    kernel = gputune_kernel_create(device, &desc);
    CHECK_INT(gputune_tune(kernel, NULL, 0), GPUTUNE_ERROR_ARGUMENT);
    CHECK(strncmp(last, "k: ", 3) == 0);
    CHECK(gputune_device_self(device, "cuda") == NULL);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    gputune_device_destroy(NULL);
    CHECK_INT(gputune_device_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_kernel_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_tuner_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_space_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_tree_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_INT(gputune_samples_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
    CHECK_TEXT(gputune_predictor_error(NULL)->text, "out of memory");
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

// Products of sizes that overflow are not had; nothing is something; all of it is zero.
static void test_device_sizes(void)
{
    const size_t most = (size_t)-1;
    gt__base b;
    unsigned char *memory;
    int i, sum = 0;
    gt__base_init(&b, NULL);
    CHECK(gt__alloc(&b, most / 8 + 2, 8) == NULL); // 8 bytes, were it cut
    CHECK(gt__alloc(&b, 8, most / 8 + 2) == NULL);
    memory = (unsigned char *)gt__alloc(&b, 0, 16);
    for (i = 0; memory && i < 16; i++) sum += memory[i];
    CHECK(memory && sum == 0);
    gt__free(&b, memory);
}

// Draws are uniform also where most of 64 bits are wanted: a third of the numbers below 3 * 2^62 is
// below 2^62.
static void test_device_random(void)
{
    static const char *const thirds[] = { "range 1,3", "range 1,32768", "range 1,32768",
                                          "range 1,32768", "range 1,32768", "range 1,4", NULL };
    static const char *const week[] = { "range 1,7", NULL };
    const uint64_t third = UINT64_C(1) << 62;
    gputune_space *large = search_space(thirds, NULL), *small = search_space(week, NULL);
    static uint64_t drawn[21000];
    uint64_t state = 5;
    int i, below = 0, of[7] = { 0, 0, 0, 0, 0, 0, 0 };
    CHECK(gputune_space_count(large) == 3 * third);
    CHECK_INT(gputune_space_sample(large, &state, true, drawn, 21000), GPUTUNE_OK);
    for (i = 0; i < 21000; i++) {
        CHECK(drawn[i] < 3 * third);
        below += drawn[i] < third;
    }
    CHECK(abs(below - 7000) < 300);
    CHECK_INT(gputune_space_sample(small, &state, true, drawn, 21000), GPUTUNE_OK);
    for (i = 0; i < 21000; i++) of[drawn[i] % 7]++;
    for (i = 0; i < 7; i++) CHECK(abs(of[i] - 3000) < 250);
    gputune_space_destroy(large);
    gputune_space_destroy(small);
}

static void test_device_stats(void)
{
    double a[] = { 4, 1, 3, 2 }, one[] = { 7 };
    gputune_stats s = gputune_stats_of(a, 4); // NumPy: percentile([1,2,3,4],[25,50,75])
    CHECK_NEAR(s.median, 2.5, 1e-12);
    CHECK_NEAR(s.iqr, 3.25 - 1.75, 1e-12);
    CHECK_NEAR(s.min, 1, 0);
    CHECK_INT(s.count, 4);
    s = gputune_stats_of(one, 1);
    CHECK_NEAR(s.median, 7, 0);
    CHECK_NEAR(s.iqr, 0, 0);
}

// One parameter, one trial: is it made?
static bool device_tunes(const gputune_options *options)
{
    static const gputune_param params[] = { { "a", "bool", NULL }, { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    bool tunes;
    memset(&desc, 0, sizeof desc);
    if (options) desc.space.options = *options;
    desc.space.options.store = "";
    desc.space.params = params;
    tuner = gputune_tuner_create(&desc);
    tunes = test_asks(tuner, &config);
    gputune_tuner_destroy(tuner);
    return tunes;
}

// What goes to stderr of a message of that level.
static const char *device_stderr(const gputune_options *options, gputune_log_level level)
{
    static char text[256];
    FILE *file = tmpfile();
    const int saved = dup(2);
    size_t length;
    fflush(stderr);
    dup2(fileno(file), 2);
    gputune_log(options, level, "a message");
    fflush(stderr);
    dup2(saved, 2);
    close(saved);
    rewind(file);
    length = fread(text, 1, sizeof text - 1, file);
    text[length] = 0;
    fclose(file);
    return text;
}

static void test_device_environment(void)
{
    enum { OFF_WORDS = 6 };
    static const char *const words[] = { "no", "false", "NONE", "disable", "0", "Off", "yes", "1",
                                         "on" };
    gputune_options options, mute;
    char last[256] = "";
    size_t i;
    memset(&options, 0, sizeof options);
    options.log = device_log;
    options.user = last;
    options.mode = GPUTUNE_MODE_OFF;
    CHECK(!device_tunes(&options));
    setenv("GPUTUNE", "force", 1);
    CHECK(device_tunes(&options));
    CHECK_TEXT(last, "");
    for (i = 0; i < sizeof words / sizeof *words; i++) {
        setenv("GPUTUNE", words[i], 1);
        options.mode = i < OFF_WORDS ? GPUTUNE_MODE_FORCE : GPUTUNE_MODE_OFF;
        CHECK_OR(device_tunes(&options) == (i >= OFF_WORDS), "%s", words[i]);
        CHECK_TEXT(last, "");
    }
    options.mode = GPUTUNE_MODE_FORCE;
    setenv("GPUTUNE", "sometimes", 1);
    CHECK(!device_tunes(&options));
    CHECK_TEXT(last, "GPUTUNE=sometimes is none of off, on, force, readonly: nothing is tuned");
    unsetenv("GPUTUNE");
    setenv("GPUTUNE_SECONDS", "abc", 1);
    CHECK(device_tunes(&options));
    CHECK_TEXT(last, "GPUTUNE_SECONDS=abc is no number above 0");
    unsetenv("GPUTUNE_SECONDS");
    setenv("GPUTUNE_LOG", "loud", 1);
    CHECK(device_tunes(&options));
    CHECK_TEXT(last, "GPUTUNE_LOG=loud is none of off, error, warn, info, debug");
    setenv("GPUTUNE_LOG", "Debug", 1);
    gputune_log(&options, GPUTUNE_LOG_DEBUG, "told");
    CHECK_TEXT(last, "told");
    setenv("GPUTUNE_LOG", "error", 1);
    gputune_log(&options, GPUTUNE_LOG_WARN, "not told");
    CHECK_TEXT(last, "told");
    CHECK_TEXT(device_stderr(&options, GPUTUNE_LOG_ERROR), ""); // the program's own function
    CHECK_TEXT(last, "a message");
    CHECK_HAS(device_stderr(NULL, GPUTUNE_LOG_ERROR), "a message");
    CHECK_TEXT(device_stderr(NULL, GPUTUNE_LOG_WARN), "");
    setenv("GPUTUNE_LOG", "off", 1);
    CHECK_TEXT(device_stderr(NULL, GPUTUNE_LOG_ERROR), "");
    unsetenv("GPUTUNE_LOG");
    CHECK_TEXT(device_stderr(NULL, GPUTUNE_LOG_ERROR), "gputune error: a message\n");
    CHECK_TEXT(device_stderr(NULL, GPUTUNE_LOG_WARN), "gputune warning: a message\n");
    CHECK_TEXT(device_stderr(NULL, GPUTUNE_LOG_INFO), "");
    memset(&mute, 0, sizeof mute);
    mute.quiet = true;
    CHECK_TEXT(device_stderr(&mute, GPUTUNE_LOG_ERROR), "");
    gputune_log(&options, GPUTUNE_LOG_DEBUG, "not told");
    CHECK_TEXT(last, "a message");
    CHECK(device_tunes(NULL));
}

static const char *const device_variables[][2] = {
    { "GPUTUNE", "off" }, { "GPUTUNE_SECONDS", "7" }, { "GPUTUNE_LOG", "debug" },
    { "GPUTUNE_STORE", "/nowhere/store.txt" }, { "XDG_STATE_HOME", "/nowhere" }, { "HOME", "/" }
};

enum { DEVICE_VARIABLES = sizeof device_variables / sizeof *device_variables };

// Which of device_variables, each set alone, are seen, a bit for each.
static int device_seen(void)
{
    gputune_options options;
    char last[256];
    int i, k, seen = 0;
    memset(&options, 0, sizeof options);
    options.log = device_log;
    options.user = last;
    for (i = 0; i < DEVICE_VARIABLES; i++) {
        gt__base b;
        gputune_error error;
        char *path = NULL;
        for (k = 0; k < DEVICE_VARIABLES; k++) unsetenv(device_variables[k][0]);
        setenv(device_variables[i][0], device_variables[i][1], 1);
        gt__base_init(&b, &options);
        gt__store_path(&b, NULL, &path, &error);
        if (b.mode == GPUTUNE_MODE_OFF || b.tuning_seconds < 10 || path ||
            b.level == GPUTUNE_LOG_DEBUG)
            seen |= 1 << i;
        gt__arr_free(&b, path);
    }
    return seen;
}

// What a copy of the tests that is root's sees when it has become root; 100: it has no such rights.
static int device_environment_main(void)
{
    if (getuid() == geteuid()) return 100;
    return setuid(0) ? 101 : device_seen();
}

static void device_millisecond(void *user, const gputune_config *config,
                               gputune_replay_trial *trial)
{
    (void)user;
    (void)config;
    trial->seconds = 1e-3;
}

// With rights of others there is no child process either, which could not know that it is one.
static int device_isolates(void)
{
    static const gputune_param params[] = { { "B", "set 8,16", NULL }, { NULL, NULL, NULL } };
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_kernel *kernel;
    gputune_arg out;
    char last[256] = "";
    float written[64];
    int wrong;
    memset(&replay, 0, sizeof replay);
    memset(&desc, 0, sizeof desc);
    replay.options.store = "";
    replay.options.log = device_log;
    replay.options.log_level = GPUTUNE_LOG_WARN;
    replay.options.user = last;
    replay.trial = device_millisecond;
    desc.name = "k";
    desc.params = params;
    desc.global = "64";
    desc.signature = "float *y";
    desc.tune.isolate = true;
    kernel = gputune_kernel_create(gputune_replay_device_create(&replay), &desc);
    out = gputune_out(written, sizeof written);
    wrong = gputune_tune(kernel, &out, 1) != GPUTUNE_OK;
    return wrong | 2 * !strstr(last, "not in a setuid program");
}

// What a process with those rights answers, in a child.
static int device_as(uid_t user, gid_t group, int (*steps)(void))
{
    int status = 0;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) _exit(setegid(group) || seteuid(user) ? 100 : steps());
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
    return WEXITSTATUS(status);
}

// The environment is not for a program that has other rights than who calls it.
static void test_device_setuid(void)
{
    const int all = (1 << DEVICE_VARIABLES) - 1;
    char folder[] = "/tmp/gputune-setuid-XXXXXX", command[400];
    int status;
    if (getuid() != 0 || geteuid() != 0) SKIP("needs root, to give rights away");
    SKIP_LACKING("restart");
    CHECK_INT(device_as(0, 0, device_seen), all);
    CHECK_INT(device_as(65534, 0, device_seen), 0);
    CHECK_INT(device_as(0, 65534, device_seen), 0);
    CHECK_INT(device_as(65534, 0, device_isolates), 0);
    CHECK(mkdtemp(folder) && chmod(folder, 0755) == 0);
    snprintf(command, sizeof command, "cp /proc/%d/exe %s/tests && chmod 4755 %s/tests",
             (int)getpid(), folder, folder);
    CHECK_INT(system(command), 0);
    // The file's owner is root. It makes root its real user, too, and no numbers differ any more.
    snprintf(command, sizeof command, "%s/tests", folder);
    fflush(stdout);
    if (fork() == 0) {
        if (setgid(65534) || setuid(65534)) _exit(102);
        execl(command, command, "--environment", (char *)NULL);
        _exit(103);
    }
    CHECK(wait(&status) > 0 && WIFEXITED(status));
    if (WEXITSTATUS(status) != 100) // 100: a file system on which owners' rights do not count
        CHECK_INT(WEXITSTATUS(status), 0);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    CHECK_INT(system(command), 0);
}

// --- several launches under way; parts of a grid ---

static gputune_device *device_host(void)
{
    gputune_options options;
    memset(&options, 0, sizeof options);
    options.store = "";
    return gputune_host_device_create(&options);
}

static void *device_function(gputune_device *device, gputune_host_fn function, void *user)
{
    static gputune_config none;
    gputune_error error;
    gputune_build build;
    void *code = NULL;
    memset(&build, 0, sizeof build);
    build.name = "function";
    build.function = function;
    build.function_user = user;
    build.config = &none;
    CHECK_INT(device->driver.compile(device->self, &build, &code, &error), GPUTUNE_OK);
    return code;
}

enum { DEVICE_X = 37, DEVICE_Y = 10, DEVICE_Z = 4, DEVICE_ALL = DEVICE_X * DEVICE_Y * DEVICE_Z };

// A launch of device_count_items, or a part of it.
typedef struct device_part {
    int n, count[DEVICE_ALL];
    gputune_bound_arg args[2];
    gputune_driver_launch launch;
    gputune_grid grid;
} device_part;

static void device_part_make(device_part *p, const size_t local[3])
{
    static const size_t size[3] = { DEVICE_X, DEVICE_Y, DEVICE_Z };
    int d;
    memset(p, 0, sizeof *p);
    p->n = DEVICE_X;
    p->args[0].kind = GPUTUNE_ARG_INOUT;
    p->args[0].handle = p->count;
    p->args[0].bytes = sizeof p->count;
    p->args[1].kind = GPUTUNE_ARG_SCALAR;
    p->args[1].data = &p->n;
    p->args[1].bytes = sizeof p->n;
    p->launch.args = p->args;
    p->launch.arg_count = 2;
    p->launch.dimensions = 3;
    for (d = 0; d < 3; d++) {
        p->launch.local[d] = local[d];
        p->launch.global[d] = p->grid.size[d] = size[d];
        p->grid.local[d] = local[d] ? local[d] : 1;
        p->grid.end[d] = (size[d] + p->grid.local[d] - 1) / p->grid.local[d];
    }
}

// Cuts it down to the groups [begin, end) of one dimension.
static void device_part_cut(device_part *p, int d, uint64_t begin, uint64_t end)
{
    p->launch.grid = &p->grid;
    p->grid.begin[d] = begin;
    p->grid.end[d] = end;
    p->launch.global[d] = (size_t)((end - begin) * p->grid.local[d]);
}

static int device_part_wrong(const device_part *p, int times)
{
    int i, wrong = 0;
    for (i = 0; i < DEVICE_ALL; i++) wrong += p->count[i] != times;
    return wrong;
}

// Checks that ids and sizes are those of the whole launch, and counts.
static void device_count_whole(HOST_KERNEL)
{
    const size_t *local = (const size_t *)user;
    int d;
    CHECK(range->size[0] == DEVICE_X && range->size[1] == DEVICE_Y &&
          range->size[2] == DEVICE_Z);
    for (d = 0; d < 3; d++) {
        CHECK(range->begin[d] < range->end[d] && range->end[d] <= range->size[d]);
        if (!local[d]) continue;
        CHECK_INT(range->local[d], local[d]);
        CHECK_INT(range->begin[d] % local[d], 0);
        CHECK(range->end[d] == range->size[d] || range->end[d] == range->begin[d] + local[d]);
    }
    device_count_items(range, args, config, user);
}

// Two parts on either side of a cut do each item once, wherever the cut and whatever the group;
// the part alone does those on its side.
static void test_device_host_ranges(void)
{
    static const size_t locals[4][3] = { { 4, 3, 1 }, { 5, 1, 3 }, { 64, 10, 4 }, { 0, 0, 0 } };
    static device_part p;
    gputune_device *device = device_host();
    gputune_error error;
    int i, d, x;
    for (i = 0; i < 4; i++) {
        void *code = device_function(device, device_count_whole, (void *)(uintptr_t)locals[i]);
        for (d = 0; d < 3; d++) {
            uint64_t groups, cut;
            device_part_make(&p, locals[i]);
            groups = p.grid.end[d];
            for (cut = 0; cut <= groups; cut++) {
                memset(p.count, 0, sizeof p.count);
                device_part_cut(&p, d, 0, cut);
                CHECK_INT(device->driver.launch(device->self, code, &p.launch, &error),
                          GPUTUNE_OK);
                for (x = 0; d == 0 && x < DEVICE_X; x++)
                    CHECK_INT(p.count[x], (uint64_t)x < cut * p.grid.local[0]);
                device_part_cut(&p, d, cut, groups);
                CHECK_INT(device->driver.launch(device->self, code, &p.launch, &error),
                          GPUTUNE_OK);
                CHECK_INT(device_part_wrong(&p, 1), 0);
            }
        }
        device->driver.discard(device->self, code);
    }
    gputune_device_destroy(device);
}

static void test_device_host_submit(void)
{
    static const size_t local[3] = { 4, 2, 1 };
    static device_part p;
    gputune_device *device = device_host();
    const gputune_driver *driver = &device->driver;
    void *code = device_function(device, device_count_items, NULL), *tickets[3];
    gputune_error error;
    gputune_span span, before = { 0, 0 };
    bool done;
    int i;
    device_part_make(&p, local);
    CHECK_INT(driver->queues, 0);
    CHECK_INT(driver->timed_queue, 0);
    CHECK_INT(driver->submit(device->self, code, &p.launch, 0, NULL, &error), GPUTUNE_OK);
    CHECK_INT(device_part_wrong(&p, 1), 0); // at once
    for (i = 0; i < 3; i++)
        CHECK_INT(driver->submit(device->self, code, &p.launch, 0, &tickets[i], &error),
                  GPUTUNE_OK);
    CHECK_INT(device_part_wrong(&p, 4), 0);
    for (i = 0; i < 3; i++) {
        done = false;
        CHECK_INT(driver->poll(device->self, tickets[i], 0, &done, &span, &error), GPUTUNE_OK);
        CHECK(done && span.begin > 0 && span.begin >= before.end && span.end >= span.begin);
        before = span;
    }
    driver->discard(device->self, code);
    gputune_device_destroy(device);
}

static int device_countdown; // allocations until one fails; negative: none does
static int device_blocks;    // not yet given back

static void *device_failing(void *user, void *memory, size_t bytes)
{
    void *moved;
    (void)user;
    if (!bytes) {
        device_blocks -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (device_countdown-- == 0) return NULL;
    moved = realloc(memory, bytes);
    device_blocks += !memory && moved;
    return moved;
}

// An allocation fails in the middle: nothing runs, nothing is left behind.
static void test_device_submit_memory(void)
{
    static const size_t local[3] = { 4, 3, 1 };
    static device_part p;
    gputune_options options;
    gputune_device *device;
    gputune_error error;
    gputune_span span;
    bool done;
    void *code, *ticket;
    int at;
    memset(&options, 0, sizeof options);
    options.store = "";
    options.reallocate = device_failing;
    device_countdown = -1;
    device = gputune_host_device_create(&options);
    code = device_function(device, device_count_items, NULL);
    for (at = 0; at < 2; at++) {
        device_part_make(&p, local);
        device_countdown = at;
        CHECK_INT(device->driver.submit(device->self, code, &p.launch, 0, &ticket, &error),
                  at < 1 ? GPUTUNE_ERROR_MEMORY : GPUTUNE_OK);
        CHECK((ticket != NULL) == (at == 1));
        CHECK_INT(device_part_wrong(&p, at == 1), 0);
    }
    CHECK_INT(device->driver.poll(device->self, ticket, 0, &done, &span, &error), GPUTUNE_OK);
    device_countdown = -1;
    device->driver.discard(device->self, code);
    gputune_device_destroy(device);
    CHECK_INT(device_blocks, 0);
}

// --- the replay driver's queues ---

typedef struct device_replay {
    gputune_replay_desc desc;
    gputune_device *device;
    gputune_driver *d;
    void *self, *code;
    double seconds; // of a launch
    double overhead;
    gputune_result result;
    double items; // that the last launch was asked for with
    gputune_error error;
    gputune_span span;
    bool done;
} device_replay;

static void device_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    device_replay *r = (device_replay *)user;
    (void)config;
    trial->seconds = r->seconds;
    if (!test_launch(trial)) return;
    trial->result = r->result;
    r->items = trial->items;
}

static void device_replay_make(device_replay *r)
{
    static gputune_config none;
    gputune_build build;
    memset(&build, 0, sizeof build);
    build.name = "k";
    build.config = &none;
    r->desc.options.store = "";
    r->desc.trial = device_trial;
    r->desc.user = r;
    r->device = rig_replay(&r->desc, r->overhead, false);
    r->d = &r->device->driver;
    r->self = r->device->self;
    CHECK_INT(r->d->compile(r->self, &build, &r->code, &r->error), GPUTUNE_OK);
}

static void device_replay_end(device_replay *r)
{
    r->d->discard(r->self, r->code);
    gputune_device_destroy(r->device);
}

static gputune_driver_launch device_plain_launch(const gputune_bound_arg *args, int count)
{
    gputune_driver_launch launch;
    memset(&launch, 0, sizeof launch);
    launch.dimensions = 1;
    launch.global[0] = 64;
    launch.local[0] = 1;
    launch.args = args;
    launch.arg_count = count;
    return launch;
}

// Submits a launch of so many seconds.
static void *device_submit(device_replay *r, int queue, double seconds)
{
    gputune_driver_launch launch = device_plain_launch(NULL, 0);
    void *ticket = NULL;
    r->seconds = seconds;
    CHECK_INT(r->d->submit(r->self, r->code, &launch, queue, &ticket, &r->error), GPUTUNE_OK);
    return ticket;
}

static gputune_result device_poll(device_replay *r, void *ticket, double patience)
{
    return r->d->poll(r->self, ticket, patience, &r->done, &r->span, &r->error);
}

#define DEVICE_RAN(from, to)                                                                      \
    do {                                                                                          \
        CHECK(r.done);                                                                            \
        CHECK_NEAR(r.span.begin, from, 1e-12);                                                    \
        CHECK_NEAR(r.span.end, to, 1e-12);                                                        \
    } while (0)

// Queues are in order, side by side, and ordered by fork and join; the clock goes on by waiting.
static void test_device_replay_queues(void)
{
    device_replay r;
    void *a, *b, *c, *d, *e;
    memset(&r, 0, sizeof r);
    device_replay_make(&r);
    CHECK_INT(r.d->queues, 2);
    CHECK_INT(r.d->timed_queue, 0);
    a = device_submit(&r, 0, 4);
    b = device_submit(&r, 0, 1);
    c = device_submit(&r, 1, 2);
    CHECK_INT(r.d->fork(r.self, 2, &r.error), GPUTUNE_OK);
    d = device_submit(&r, 2, 1);
    CHECK_INT(r.d->join(r.self, 2, &r.error), GPUTUNE_OK);
    e = device_submit(&r, 0, 3);
    CHECK_NEAR(r.d->now(r.self), 0, 0);
    CHECK_INT(device_poll(&r, c, 1.5), GPUTUNE_OK);
    CHECK(!r.done);
    CHECK_NEAR(r.d->now(r.self), 1.5, 0);
    CHECK_INT(device_poll(&r, c, 10), GPUTUNE_OK);
    DEVICE_RAN(0, 2);
    CHECK_NEAR(r.d->now(r.self), 2, 0);
    CHECK_INT(device_poll(&r, b, -10), GPUTUNE_OK);
    DEVICE_RAN(4, 5);
    CHECK_INT(device_poll(&r, a, 0), GPUTUNE_OK);
    DEVICE_RAN(0, 4);
    CHECK_NEAR(r.d->now(r.self), 5, 0);
    CHECK_INT(device_poll(&r, d, 1), GPUTUNE_OK);
    DEVICE_RAN(5, 6);
    CHECK_INT(device_poll(&r, e, 3), GPUTUNE_OK);
    DEVICE_RAN(6, 9);
    a = device_submit(&r, 1, 1); // queue 1 had nothing to do since 2
    CHECK_INT(r.d->wait(r.self, &r.error), GPUTUNE_OK);
    CHECK_NEAR(r.d->now(r.self), 10, 0);
    CHECK_INT(device_poll(&r, a, 0), GPUTUNE_OK);
    DEVICE_RAN(9, 10);
    device_replay_end(&r);
}

// Who only looks comes to the end, too; launches for real are in the program's queue; a timed
// launch costs what it costs; a ticket that nobody asks for goes with the device.
static void test_device_replay_looks(void)
{
    device_replay r;
    gputune_driver_launch launch = device_plain_launch(NULL, 0);
    int looks = 0;
    void *ticket;
    memset(&r, 0, sizeof r);
    r.overhead = 1e-3;
    device_replay_make(&r);
    r.seconds = 2;
    CHECK_INT(r.d->launch(r.self, r.code, &launch, &r.error), GPUTUNE_OK);
    CHECK_NEAR(r.d->now(r.self), 0, 0);
    device_submit(&r, 0, 1);
    ticket = device_submit(&r, 1, 2e-5);
    CHECK_NEAR(r.d->now(r.self), 2e-3, 1e-15);
    for (r.done = false; !r.done && looks < 1000; looks++)
        CHECK_INT(device_poll(&r, ticket, 0), GPUTUNE_OK);
    DEVICE_RAN(2e-3, 2e-3 + 2e-5);
    CHECK(looks > 100 && looks < 300);
    ticket = device_submit(&r, 0, 1);
    CHECK_INT(device_poll(&r, ticket, 10), GPUTUNE_OK);
    DEVICE_RAN(3, 4);
    device_replay_end(&r);
}

// The same seed gives the same spans; noise is in them.
static void test_device_replay_noise(void)
{
    double ends[2][8];
    int round, i;
    for (round = 0; round < 2; round++) {
        device_replay r;
        memset(&r, 0, sizeof r);
        r.desc.noise = 0.1;
        r.desc.seed = 7;
        device_replay_make(&r);
        for (i = 0; i < 8; i++) {
            CHECK_INT(device_poll(&r, device_submit(&r, i % 3, 1), 100), GPUTUNE_OK);
            ends[round][i] = r.span.end - r.span.begin;
            CHECK(i == 0 || ends[round][i] != ends[round][i - 1]);
            CHECK_NEAR(ends[round][i], 1, 0.6);
        }
        device_replay_end(&r);
    }
    CHECK(memcmp(ends[0], ends[1], sizeof ends[0]) == 0);
}

// What a trial can come to, as with `time`: refused at once, or lost when it is asked for.
static void test_device_replay_failures(void)
{
    static const gputune_result refused[] = { GPUTUNE_ERROR_LAUNCH, GPUTUNE_ERROR_LIBRARY,
                                              GPUTUNE_ERROR_RESOURCES };
    gputune_driver_launch launch = device_plain_launch(NULL, 0);
    device_replay r;
    void *ticket, *other;
    int i;
    memset(&r, 0, sizeof r);
    device_replay_make(&r);
    for (i = 0; i < 3; i++) {
        r.result = refused[i];
        ticket = &r;
        CHECK_INT(r.d->submit(r.self, r.code, &launch, 1, &ticket, &r.error), refused[i]);
        CHECK(!ticket);
        CHECK_INT(r.error.result, refused[i]);
    }
    r.result = GPUTUNE_OK;
    other = device_submit(&r, 1, 5);
    r.result = GPUTUNE_ERROR_DEVICE_LOST;
    ticket = device_submit(&r, 2, 1);
    r.result = GPUTUNE_OK;
    CHECK_INT(device_poll(&r, ticket, 0.5), GPUTUNE_OK);
    CHECK(!r.done);
    CHECK_INT(device_poll(&r, ticket, 5), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK(!r.done);
    CHECK_INT(device_poll(&r, other, 0), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_INT(r.d->fork(r.self, 1, &r.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_INT(r.d->join(r.self, 1, &r.error), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_INT(r.d->submit(r.self, r.code, &launch, 0, &ticket, &r.error),
              GPUTUNE_ERROR_DEVICE_LOST);
    device_replay_end(&r);
    memset(&r, 0, sizeof r);
    device_replay_make(&r);
    ticket = device_submit(&r, 1, 1);
    CHECK_INT(device_poll(&r, ticket, -1), GPUTUNE_OK); // just in time
    CHECK(r.done);
    ticket = device_submit(&r, 1, 2);
    CHECK_INT(device_poll(&r, ticket, -1), GPUTUNE_ERROR_DEVICE_LOST);
    CHECK_HAS(r.error.text, "still running after 1 s");
    CHECK_NEAR(r.d->now(r.self), 2, 0);
    device_replay_end(&r);
}

// Parts, in any order and of any size, write each byte of the outputs once and so come to what the
// whole launch writes; what lies between the rows of a box stays.
static void test_device_replay_parts(void)
{
    static const uint64_t cuts[][6] = { // begin and end in each dimension, of 6 x 5 x 4 groups
        { 0, 2, 0, 5, 0, 4 }, { 2, 6, 0, 2, 0, 4 }, { 2, 6, 2, 5, 0, 3 }, { 2, 6, 2, 5, 3, 4 }
    };
    unsigned char parts[2][1001], whole[2][1001];
    gputune_bound_arg args[2];
    gputune_driver_launch launch;
    gputune_grid grid;
    device_replay r;
    int i, d, size, up;
    memset(&r, 0, sizeof r);
    device_replay_make(&r);
    for (size = 1; size < 1000; size = size * 3 + 2) {
        memset(parts, 0xa5, sizeof parts);
        memset(whole, 0xa5, sizeof whole);
        memset(args, 0, sizeof args);
        args[0].kind = GPUTUNE_ARG_OUT;
        args[1].kind = GPUTUNE_ARG_INOUT;
        args[0].bytes = args[1].bytes = (size_t)size;
        args[0].handle = whole[0], args[1].handle = whole[1];
        launch = device_plain_launch(args, 2);
        CHECK_INT(r.d->launch(r.self, r.code, &launch, &r.error), GPUTUNE_OK);
        args[0].handle = parts[0], args[1].handle = parts[1];
        launch.grid = &grid;
        launch.dimensions = 3;
        for (i = 0; i < 4; i++) {
            memset(&grid, 0, sizeof grid);
            for (d = 0; d < 3; d++) {
                grid.local[d] = 7;
                grid.size[d] = (uint64_t)(7 * (6 - d) - 1); // the last group reaches over it
                grid.begin[d] = cuts[i][2 * d];
                grid.end[d] = cuts[i][2 * d + 1];
                launch.global[d] = (size_t)(7 * (grid.end[d] - grid.begin[d]));
            }
            CHECK_INT(r.d->submit(r.self, r.code, &launch, 0, NULL, &r.error), GPUTUNE_OK);
            CHECK_NEAR(r.items, 343. * (double)((grid.end[0] - grid.begin[0]) *
                                                (grid.end[1] - grid.begin[1]) *
                                                (grid.end[2] - grid.begin[2])), 0);
            for (up = 0; size << up < 41 * 34 * 27;) up++; // 2^up work-items have a byte
            if (i == 0 && size > 240) CHECK(parts[0][(4 * 343 >> up) + 1] == 0xa5); // group 4
        }
        CHECK(memcmp(parts, whole, sizeof parts) == 0);
    }
    // A part that is wrong is wrong in its own bytes.
    grid.begin[2] = grid.end[2] = 0;
    CHECK_INT(r.d->submit(r.self, r.code, &launch, 0, NULL, &r.error), GPUTUNE_OK);
    CHECK(memcmp(parts, whole, sizeof parts) == 0); // no groups, no bytes
    grid.begin[0] = grid.begin[1] = 0;
    grid.end[0] = grid.end[1] = grid.end[2] = 1;
    args[1].kind = GPUTUNE_ARG_IN;
    r.result = GPUTUNE_ERROR_WRONG_OUTPUT;
    CHECK_INT(r.d->submit(r.self, r.code, &launch, 0, NULL, &r.error), GPUTUNE_OK);
    for (i = d = 0; i < (int)sizeof parts[0]; i++) d += parts[0][i] != whole[0][i];
    CHECK_INT(d, 1);
    CHECK(memcmp(parts[0] + (343 >> up), whole[0] + (343 >> up), 500) == 0);
    device_replay_end(&r);
}

static const test_case device_cases[] = {
    { "args", test_device_args },
    { "half", test_device_half },
    { "small_reals", test_device_small_reals },
    { "signature", test_device_signature },
    { "host_grid", test_device_host_grid },
    { "failed", test_device_failed },
    { "library", test_device_library },
    { "results", test_device_results },
    { "sizes", test_device_sizes },
    { "random", test_device_random },
    { "stats", test_device_stats },
    { "environment", test_device_environment },
    { "setuid", test_device_setuid },
    { "host_ranges", test_device_host_ranges },
    { "host_submit", test_device_host_submit },
    { "submit_memory", test_device_submit_memory },
    { "replay_queues", test_device_replay_queues },
    { "replay_looks", test_device_replay_looks },
    { "replay_noise", test_device_replay_noise },
    { "replay_failures", test_device_replay_failures },
    { "replay_parts", test_device_replay_parts },
    { NULL, NULL },
};
