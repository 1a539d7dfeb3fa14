// Occupancy: against vectors computed with NVIDIA's own calculator, and its edges by hand.
#include "test.h"

typedef struct model_row {
    int group_size, registers, shared;
    int groups[10]; // by model_capabilities
} model_row;

static const int model_capabilities[10] = { 70, 75, 80, 86, 87, 89, 90, 100, 110, 120 };

static const model_row model_rows[] = {
    { 256, 32, 0, { 8, 4, 8, 6, 6, 6, 8, 8, 6, 6 } },
    { 256, 64, 16384, { 4, 4, 4, 4, 4, 4, 4, 4, 4, 4 } },
    { 1024, 64, 0, { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
    { 1024, 65, 0, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 } },
    { 128, 255, 0, { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 } },
    { 64, 40, 2048, { 24, 16, 24, 16, 16, 24, 24, 24, 24, 24 } },
    { 1024, 32, 8192, { 2, 1, 2, 1, 1, 1, 2, 2, 1, 1 } },
    { 256, 40, 8192, { 6, 4, 6, 6, 6, 6, 6, 6, 6, 6 } },
    { 96, 33, 1000, { 16, 10, 16, 16, 16, 16, 16, 16, 16, 16 } },
    { 32, 16, 0, { 32, 16, 32, 16, 16, 24, 32, 32, 24, 24 } },
};

typedef struct model_group {
    int group_size, registers;
    int64_t local_memory;
} model_group;

static model_group model_desc(int group_size, int registers, int64_t shared)
{
    model_group desc;
    desc.group_size = group_size;
    desc.registers = registers;
    desc.local_memory = shared;
    return desc;
}

static gputune_occupancy model_of(int capability, const model_group *desc)
{
    return gputune_occupancy_of(capability, desc->group_size, desc->registers, desc->local_memory);
}

static void test_model_vectors(void)
{
    size_t r, c;
    for (r = 0; r < sizeof model_rows / sizeof *model_rows; r++) {
        const model_row *row = &model_rows[r];
        model_group desc = model_desc(row->group_size, row->registers, row->shared);
        for (c = 0; c < 10; c++) {
            gputune_occupancy o = model_of(model_capabilities[c], &desc);
            CHECK_OR(o.active_groups == row->groups[c], "%d, %d, %d on %d: %d groups, expected %d",
                     row->group_size, row->registers, row->shared, model_capabilities[c],
                     o.active_groups, row->groups[c]);
            CHECK(o.occupancy <= 1 && (o.occupancy > 0) == (o.active_groups > 0));
            CHECK_HAS(o.text, "limited by ");
        }
    }
}

// The same kernel twice, with every limit by hand. 9.0: 64 warps, 32 groups, 228 KiB, 1 KiB taken
// of every group.
static void test_model_details(void)
{
    model_group desc = model_desc(96, 33, 1000);
    gputune_occupancy o = model_of(90, &desc); // 12 * 4 / 3 warps by registers, 114 by shared
    int warps;
    CHECK_INT(o.active_groups, 16);
    CHECK_NEAR(o.occupancy, 0.75, 0);
    CHECK_TEXT(o.text, "16 groups, 48 of 64 warps: limited by registers");
    desc = model_desc(256, 64, 16384); // 13 by shared memory
    o = model_of(90, &desc);
    CHECK_INT(o.active_groups, 4);
    CHECK_NEAR(o.occupancy, 0.5, 0);
    CHECK_TEXT(o.text, "4 groups, 32 of 64 warps: limited by registers");
    desc.registers = 16;
    desc.local_memory += 32768; // 50176 bytes with the reserved ones: 4 in 233472
    o = model_of(90, &desc);
    CHECK_TEXT(o.text, "4 groups, 32 of 64 warps: limited by local memory");
    desc = model_desc(64, 32, 0); // 32 each by warps, by groups, by registers
    o = model_of(90, &desc);
    CHECK_INT(o.active_groups, 32);
    CHECK_TEXT(o.text, "32 groups, 64 of 64 warps: limited by warps, groups, registers");
    for (warps = 1; warps <= 32; warps++) { // the last warp need not be full
        desc = model_desc(32 * (warps - 1) + 1, 32, 0);
        o = model_of(90, &desc);
        CHECK_NEAR(o.occupancy, o.active_groups * warps / 64.0, 0);
        desc.group_size = 32 * warps;
        CHECK_INT(model_of(90, &desc).active_groups, o.active_groups);
    }
    desc = model_desc(32, 16, 0);
    o = model_of(120, &desc);
    CHECK_INT(o.active_groups, 24);
    CHECK_TEXT(o.text, "24 groups, 24 of 48 warps: limited by groups");
}

static void test_model_shared(void)
{
    model_group desc = model_desc(32, 16, 0);
    gputune_occupancy o;
    desc.local_memory = 48 * 1024;
    CHECK_INT(model_of(90, &desc).active_groups, 4);
    desc.local_memory = 227 * 1024;
    CHECK_INT(model_of(90, &desc).active_groups, 1);
    desc.local_memory = 227 * 1024 + 1; // more than there can be
    o = model_of(90, &desc);
    CHECK_NEAR(o.occupancy, 0, 0);
    CHECK_TEXT(o.text, "0 groups, 0 of 64 warps: limited by local memory");
    desc.local_memory = 100 * 1024;
    CHECK_INT(model_of(80, &desc).active_groups, 1); // 101 KiB of 164
    CHECK_INT(model_of(86, &desc).active_groups, 0); // 99 is the most
}

static void test_model_registers(void)
{
    model_group desc = model_desc(32, 0, 0);
    CHECK_INT(model_of(90, &desc).active_groups, 32); // none: no limit
    desc.registers = 256;
    CHECK_INT(model_of(90, &desc).active_groups, 8);
    desc.registers = 257;
    CHECK_INT(model_of(90, &desc).active_groups, 0);
    // 3 warps of 1280 registers: a file holds 12 such warps, 4 files 48; one large file held 51
    desc = model_desc(96, 40, 0);
    CHECK_INT(model_of(90, &desc).active_groups, 16);
    // 18 warps of 3328 registers are 59904 in all; a file holds 4 such warps, 4 files 16
    desc = model_desc(18 * 32, 104, 0);
    CHECK_INT(model_of(90, &desc).active_groups, 0);
    desc = model_desc(16 * 32, 104, 0);
    CHECK_INT(model_of(90, &desc).active_groups, 1);
}

// What is refused is unknown, and the text says what is wrong.
static void model_refused(gputune_occupancy o, const char *text)
{
    CHECK_INT(o.active_groups, -1);
    CHECK(gt__is_nan(o.occupancy));
    CHECK_TEXT(o.text, text);
}

static void test_model_refusals(void)
{
    static const char *const capability = "compute_capability %d is unknown: 90 is that of 9.0";
    static const int unknown[] = { 61, 99, 0, 9, 1, -10, 88 };
    model_group desc = model_desc(32, 16, 0);
    gputune_occupancy o;
    char text[120];
    size_t i;
    for (i = 0; i < sizeof unknown / sizeof *unknown; i++) {
        snprintf(text, sizeof text, capability, unknown[i]);
        model_refused(model_of(unknown[i], &desc), text);
    }
    desc.group_size = 0;
    model_refused(model_of(90, &desc), "group_size is 0; it may be 1 to 1.79769313e+308");
    desc.group_size = -32;
    model_refused(model_of(90, &desc), "group_size is -32; it may be 1 to 1.79769313e+308");
    desc.group_size = 1025;
    o = model_of(90, &desc);
    CHECK_TEXT(o.text, "0 groups, 0 of 64 warps: limited by warps");
    desc.group_size = INT32_MAX;
    CHECK_INT(model_of(90, &desc).active_groups, 0);
}

static const test_case model_cases[] = {
    { "vectors", test_model_vectors },
    { "details", test_model_details },
    { "shared", test_model_shared },
    { "registers", test_model_registers },
    { "refusals", test_model_refusals },
    { NULL, NULL },
};
