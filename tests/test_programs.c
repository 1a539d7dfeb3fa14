// The sixteen programs of bench/kernels against plain C: as they are at several sizes, and
// coarsened.
#include "rig.h"
#include "test.h"

#include "../bench/programs.h"

enum { PROGRAMS_SIZES = 3, PROGRAMS_DRAWN = 3 };

// Made fresh for each size: some launches are no expression over the arguments.
static gputune_kernel *programs_kernel(const program_kind *p, const case_data *data, bool coarse)
{
    char global[64];
    gputune_kernel_desc desc = program_desc(p, data, global, sizeof global);
    if (coarse) {
        desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
        desc.coarsen.factors = "set 1,2,3";
    }
    return gputune_kernel_create(data->device, &desc);
}

// One launch on fresh data.
static void programs_launch(gputune_kernel *kernel, case_data *data, const gputune_config *config)
{
    char why[256] = "", text[256];
    CHECK(case_reset(data));
    gputune_config_text(config, text, sizeof text);
    if (gputune_kernel_launch(kernel, config, data->args, data->arg_count) != GPUTUNE_OK)
        TEST_FAIL("%s with \"%s\": %s", data->kind->name, text, gputune_kernel_error(kernel)->text);
    else
        CHECK_OR(case_check(data, 1000, why, sizeof why), "%s with \"%s\"", why, text);
}

static void programs_default(const program_kind *p, case_data *data)
{
    gputune_kernel *kernel = programs_kernel(p, data, false);
    const gputune_space *space = NULL;
    if (test_space_of(kernel, data->args, data->arg_count, &space) != GPUTUNE_OK) {
        TEST_FAIL("%s: %s", p->base.name, gputune_kernel_error(kernel)->text);
    } else {
        const gputune_config config = gputune_space_default(space);
        CHECK_INT(gputune_space_count(space), 1);
        programs_launch(kernel, data, &config);
    }
    gputune_kernel_destroy(kernel);
}

// Configurations drawn at random, with a factor that divides nothing among those to draw from.
static void programs_coarsened(const program_kind *p, case_data *data)
{
    gputune_kernel *kernel = programs_kernel(p, data, true);
    const gputune_space *space = NULL;
    uint64_t state = 5;
    CHECK_OR(test_space_of(kernel, data->args, data->arg_count, &space) == GPUTUNE_OK,
             "%s: %s", p->base.name, gputune_kernel_error(kernel)->text);
    if (space) {
        const gputune_config first = gputune_space_at(space, 0);
        CHECK(gputune_config_choice(&first, "FACTOR_X") >= 0);
        CHECK(gputune_space_count(space) > 2);
    }
    for (int i = 0, drawn = 0; space && drawn < rig_draws(PROGRAMS_DRAWN) && i < 100; i++) {
        const uint64_t index = test_random_below(&state, gputune_space_count(space));
        const gputune_config config = gputune_space_at(space, index);
        const bool several = gputune_config_choice(&config, "FACTOR_Y") >= 0;
        if (gputune_config_int(&config, "FACTOR_X") == 1 &&
            (!several || gputune_config_int(&config, "FACTOR_Y") == 1))
            continue;
        programs_launch(kernel, data, &config);
        drawn++;
    }
    gputune_kernel_destroy(kernel);
}

static void programs_check(const char *name)
{
    static const double items[PROGRAMS_SIZES - 1] = { 600, 20000 };
    const program_kind *p = program_find(name);
    gputune_device *device = rig_device(NULL);
    if (!device) return;
    for (int i = 0; i < PROGRAMS_SIZES; i++) {
        case_data data;
        int size[3];
        memcpy(size, p->base.small, sizeof size);
        if (i > 0) p->fit(fmin(items[i - 1], p->largest / 16) * p->item_factor, size);
        if (!case_make(&data, &p->base, device, size, (uint64_t)i + 1)) {
            TEST_FAIL("%s: %s", name, gputune_device_error(device)->text);
            break;
        }
        programs_default(p, &data);
        if (i == 0) programs_coarsened(p, &data);
        case_free(&data);
    }
    gputune_device_destroy(device);
}

#define PROGRAMS_CASE(name)                                                                        \
    static void programs_##name(void)                                                              \
    {                                                                                              \
        programs_check(#name);                                                                     \
    }

PROGRAMS_CASE(binarySearch)
PROGRAMS_CASE(blackscholes)
PROGRAMS_CASE(convolution)
PROGRAMS_CASE(dwtHaar1D)
PROGRAMS_CASE(fastWalshTransform)
PROGRAMS_CASE(floydWarshall)
PROGRAMS_CASE(mriQ)
PROGRAMS_CASE(mt)
PROGRAMS_CASE(mtLocal)
PROGRAMS_CASE(mvCoal)
PROGRAMS_CASE(mvUncoal)
PROGRAMS_CASE(nbody)
PROGRAMS_CASE(reduce)
PROGRAMS_CASE(sgemm)
PROGRAMS_CASE(sobel)
PROGRAMS_CASE(stencil)

// The range of table 1 can be had, and nothing larger is made than asked for.
static void programs_sizes(void)
{
    CHECK_INT(PROGRAM_COUNT, 16);
    for (int i = 0; i < PROGRAM_COUNT; i++) {
        const program_kind *p = &programs[i];
        const double ends[2] = { p->smallest * p->item_factor, p->largest * p->item_factor };
        for (int end = 0; end < 2; end++) {
            int size[3];
            double items = 1;
            p->fit(ends[end], size);
            if (p->fit == program_fit_line || p->fit == program_fit_walsh ||
                p->fit == program_fit_mri || p->fit == program_fit_rows)
                items = size[0];
            else if (p->fit == program_fit_row_groups)
                items = 256.0 * size[1];
            else if (p->fit == program_fit_cube)
                items = pow(size[0] - 2, 3);
            else
                items = (double)size[0] * size[1];
            CHECK_OR(items <= ends[end] * (1 + 1e-9) && items >= 0.9 * ends[end],
                     "%s: %.0f work-items for %.0f", p->base.name, items, ends[end]);
        }
    }
}

static const test_case programs_cases[] = {
    { "sizes", programs_sizes },
    { "binarySearch", programs_binarySearch },
    { "blackscholes", programs_blackscholes },
    { "convolution", programs_convolution },
    { "dwtHaar1D", programs_dwtHaar1D },
    { "fastWalshTransform", programs_fastWalshTransform },
    { "floydWarshall", programs_floydWarshall },
    { "mriQ", programs_mriQ },
    { "mt", programs_mt },
    { "mtLocal", programs_mtLocal },
    { "mvCoal", programs_mvCoal },
    { "mvUncoal", programs_mvUncoal },
    { "nbody", programs_nbody },
    { "reduce", programs_reduce },
    { "sgemm", programs_sgemm },
    { "sobel", programs_sobel },
    { "stencil", programs_stencil },
    { NULL, NULL },
};
