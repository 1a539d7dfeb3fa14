// Spaces: everything is compared with walking the whole Cartesian product of small spaces.
#include "test.h"
#include "definitions.h"

static uint64_t space_random_state;

static int space_random(int n)
{
    return (int)gt__random_below(&space_random_state, (uint64_t)n);
}

static int space_param_count(const gputune_space *space)
{
    int count = 0;
    while (gputune_space_param(space, count)) count++;
    return count;
}

// A space from NAME, VALUES pairs up to NULL, then restrictions up to NULL.
static gputune_space *space_make(const char *const *params, const char *const *require,
                                 gputune_result expected)
{
    gputune_space *space;
    gputune_result result;
    space_parts p;
    parts_begin(&p);
    for (; *params; params += 2) parts_param(&p, params[0], params[1], NULL);
    for (; require && *require; require++) parts_require(&p, *require);
    space = parts_space(&p);
    result = gputune_space_error(space)->result;
    CHECK_OR(result == expected, "%s, expected %s: %s", gputune_result_name(result),
             gputune_result_name(expected), gputune_space_error(space)->text);
    return space;
}

static void test_space_words(void)
{
    static const struct {
        const char *values, *expected; // joined with blanks, or "!" and a part of the error
    } cases[] = {
        { "range 1,5", "1 2 3 4 5" },
        { "range 1,6,2", "1 3 5" },
        { "range -3,3,3", "-3 0 3" },
        { "range 5,1,-2", "5 3 1" },
        { "range 0,1,0.25", "0.0 0.25 0.5 0.75 1.0" },
        { "range 0,1,0.1", "0.0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1.0" },
        { "range -0.3,0.3,0.3", "-0.3 0.0 0.3" },
        { "range 4,4", "4" },
        { "erange 32,256,2", "32 64 128 256" },
        { "erange 1,100,10", "1 10 100" },
        { "erange 1,99,10", "1 10" },
        { "erange 3,50", "3 6 12 24 48" },
        { "erange 0.125,1,2", "0.125 0.25 0.5 1.0" },
        { "erange 0.001,1,10", "0.001 0.01 0.1 1.0" },
        { "erange 1,2.3,1.5", "1.0 1.5 2.25" },
        { "set 1,2,4,8", "1 2 4 8" },
        { "set  8 , 1,\t-4 ", "8 1 -4" },
        { "set 0.5,1,1.5", "0.5 1.0 1.5" },
        { "set naive, tiled", "naive tiled" },
        { "set 1,2,0.5,3", "1.0 2.0 0.5 3.0" },
        { "set -O2,-O3", "-O2 -O3" },
        { "kernel a,b", "a b" },
        { "bool", "0 1" },
        { " bool ", "0 1" },
        { "set 9223372036854775", "9223372036854775" },
        { "list 1,2", "!'list'" },
        { "", "!is none of" },
        { "range 1", "!two or three" },
        { "range 1,2,3,4", "!'4'" },
        { "range 1,x", "!'x'" },
        { "range 1,5,0", "!step 0" },
        { "range 5,1", "!empty range" },
        { "range 1,1.000000000000002,0.0000000000000001", "!twice" },
        { "range 1,5,-1", "!empty range" },
        { "range 9007199254740993,9007199254740992", "!empty range" },
        { "range 9223372036854775800,9223372036854775806,5",
          "9223372036854775800 9223372036854775805" },
        { "range -9223372036854775800,-9223372036854775806,-5",
          "-9223372036854775800 -9223372036854775805" },
        { "erange 1,9223372036854775806,1000000000000", "1 1000000000000" },
        { "range 9223372036854775805,9223372036854775807",
          "9223372036854775805 9223372036854775806 9223372036854775807" },
        { "set -9223372036854775808,9223372036854775807",
          "-9223372036854775808 9223372036854775807" },
        { "range 0,9223372036854775808", "!'9223372036854775808'" },
        { "range 0,-9223372036854775809", "!'-9223372036854775809'" },
        // over limits and numbers
        { "set 1, compute_units * 16", "1 96" },
        { "range 1, compute_units / 2", "1 2 3" },
        { "range -compute_units / 2, 0, ceil_div(n, 12)", "-3 -2 -1 0" },
        { "set max(n, 3, 4), min((n), 7)+d,compute_units", "12 4 6" },
        { "erange 1 << 3, big > 0 ? 32 : 8", "8 16 32" },
        { "set third, 2^20, big, -big - 1",
          "1099511627776 1048576 9223372036854775807 -9223372036854775808" },
        { "set real * 2, 1", "1.5 1.0" },
        { "kernel compute_units,n", "compute_units n" },
        { "set x, y*2", "x y*2" },
        { "set x, n", "!'n' mixes" },
        { "set n, x", "!'x' is no number" },
        { "set n, m", "!'m' is no number" },
        { "set 1, unit * 2", "!unknown symbol 'unit'" },
        { "range 1, unit * 2", "!unknown symbol 'unit'" },
        { "range 1, unit", "!'unit' is no number" },
        { "range 1, n / (d + 3)", "!division by zero" },
        { "range 1, big * 2", "!overflow" },
        { "set 1, 2 ^ 3", "!'2 ^ 3' has a ^" },
        { "set 1, (2, 3)", "!column 3" },
        { "set f(a,b)", "!unknown function 'f'" },
        { "set 1, 12, n", "!n comes twice" },
        { "set 2^63", "!2^63" },
        { "set \"a\",b", "!'\"a\"' is no number: it is text" },
        { "erange 0,8,2", "!above 0" },
        { "erange 1,8,1", "!above 1" },
        { "erange 8,1,2", "!empty range" },
        { "set 1,12ab", "!'12ab'" },
        { "set 1,,2", "!''" },
        { "set", "!''" },
        { "set 1,tiled", "!'tiled'" },
        { "set tiled,1", "!'1'" },
        { "kernel 1,2", "!'1'" },
        { "set 1,2,1", "!1 comes twice" },
        { "set 1,1.0", "!1.0 comes twice" },
        { "set a,b,a", "!a comes twice" },
        { "set a b", "!'a b'" },
        { "bool 1", "!'1'" },
        { "range 0,65535", "!more than 65535" },
        { NULL, NULL },
    };
    gputune_limits limits;
    int i, j;
    memset(&limits, 0, sizeof limits);
    limits.compute_units = 6;
    for (i = 0; cases[i].values; i++) {
        const gputune_param params[] = { { "P", cases[i].values, NULL }, { NULL, NULL, NULL } };
        gputune_space_desc desc;
        gputune_space *space;
        gputune_result result;
        char text[1024] = "", pair[64];
        memset(&desc, 0, sizeof desc);
        desc.params = params;
        desc.limits = &limits;
        desc.numbers = " n=12 third=2^40\td=-3\nreal=0.75 big=9223372036854775807";
        space = gputune_space_create(&desc);
        result = gputune_space_error(space)->result;
        if (cases[i].expected[0] == '!') {
            CHECK(result != GPUTUNE_OK);
            CHECK_HAS(gputune_space_error(space)->text, "'P'");
            CHECK_HAS(gputune_space_error(space)->text, cases[i].expected + 1);
            CHECK(!gputune_space_param(space, 0));
            CHECK_INT(gputune_space_count(space), 0);
        } else {
            CHECK_OR(!result, "%s: %s", cases[i].values, gputune_space_error(space)->text);
            CHECK_TEXT(gputune_space_param(space, 0)->values, cases[i].values);
            for (j = 0; !result && j < parts_value_count(space, 0); j++) {
                gputune_config config;
                size_t length = strlen(text);
                memset(&config, 0, sizeof config);
                config.space = space;
                config.choice[0] = (uint16_t)j;
                gputune_config_text(&config, pair, sizeof pair); // P=VALUE
                snprintf(text + length, sizeof text - length, "%s%s", j ? " " : "", pair + 2);
            }
            CHECK_TEXT(text, cases[i].expected);
        }
        gputune_space_destroy(space);
    }
}

// Creates a space of the parts and expects this of it.
static gputune_space *space_expect(space_parts *p, gputune_result expected, const char *part)
{
    gputune_space *space = parts_space(p);
    CHECK_INT(gputune_space_error(space)->result, expected);
    CHECK_HAS(gputune_space_error(space)->text, part);
    CHECK(gputune_space_count(space) > 0 || expected);
    CHECK(gputune_space_count(space) == 0 || !expected);
    return space;
}

static void test_space_definition_errors(void)
{
    static const struct {
        gputune_param param;
        const char *require, *numbers;
        gputune_result result;
        const char *part;
    } rows[] = {
        { { "A", "set 1,2,4", "3" }, NULL, NULL, GPUTUNE_ERROR_ARGUMENT,
          "default '3' is none of its values" },
        { { "A", "set 1,2,4", "n * 3" }, NULL, "n=1", GPUTUNE_ERROR_ARGUMENT,
          "default 'n * 3' is none of its values" },
        { { "A", "set 1,2,4", "m * 2" }, NULL, "n=1", GPUTUNE_ERROR_SYMBOL,
          "'m * 2' is no number: unknown symbol 'm' at column 1" },
        { { "A", "set 1,2,4", " \"x\"" }, NULL, NULL, GPUTUNE_ERROR_SYNTAX, "it is text" },
        { { "A", "set 1,2,4", "2" }, NULL, NULL, GPUTUNE_OK, "" },
        { { "A", "set 1,2,4", "n * 2" }, NULL, "n=1", GPUTUNE_OK, "" },
        { { "M", "bool", NULL }, NULL, NULL, GPUTUNE_ERROR_ARGUMENT, "'M' exists" },
        { { "1A", "bool", NULL }, NULL, NULL, GPUTUNE_ERROR_SYNTAX, "'1A'" },
        { { "", "bool", NULL }, NULL, NULL, GPUTUNE_ERROR_SYNTAX, "''" },
        { { "true", "bool", NULL }, NULL, NULL, GPUTUNE_ERROR_SYNTAX, "'true'" },
        { { "A", "bool", NULL }, NULL, "n", GPUTUNE_ERROR_SYNTAX, "is not NAME=NUMBER" },
        { { "A", "bool", NULL }, NULL, "n=", GPUTUNE_ERROR_SYNTAX, "is not NAME=NUMBER" },
        { { "A", "bool", NULL }, NULL, "k=1 n=x*2", GPUTUNE_ERROR_SYNTAX, "\"n=x*2\"" },
        { { "A", "bool", NULL }, NULL, "k=1 2n=3", GPUTUNE_ERROR_SYNTAX, "'2n'" },
        { { "A", "bool", NULL }, NULL, "n=1e999", GPUTUNE_ERROR_SYNTAX, "n=1e999" },
        { { "A", "set 1,2,4", "2" }, "A <", NULL, GPUTUNE_ERROR_SYNTAX, "column 4" },
    };
    gputune_space *space;
    gputune_config config;
    space_parts p;
    char name[16];
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        parts_begin(&p);
        p.desc.numbers = rows[i].numbers;
        parts_param(&p, "R", "set 0.5,0.25", "0.250");
        parts_param(&p, "M", "set x,y", "y");
        parts_param(&p, rows[i].param.name, rows[i].param.values, rows[i].param.value_default);
        if (rows[i].require) parts_require(&p, rows[i].require);
        space = space_expect(&p, rows[i].result, rows[i].part);
        if (!rows[i].result) {
            config = gputune_space_default(space);
            CHECK_INT(gputune_space_count(space), 12);
            CHECK_INT(gputune_config_int(&config, "A"), 2);
            CHECK_NEAR(gputune_config_real(&config, "R"), 0.25, 0.0);
            CHECK_TEXT(gputune_config_name(&config, "M"), "y");
            CHECK_TEXT(gputune_space_param(space, 2)->name, "A");
            CHECK_TEXT(gputune_space_param(space, 2)->values, "set 1,2,4");
            CHECK_TEXT(gputune_space_param(space, 2)->value_default, rows[i].param.value_default);
            CHECK(!gputune_space_param(space, 3));
            CHECK_INT(parts_value_count(space, 2), 3);
            CHECK_TEXT(gputune_space_value(space, 0, 1, name, sizeof name), "0.25");
            CHECK_TEXT(gputune_space_value(space, 1, 0, name, sizeof name), "x");
            CHECK_TEXT(gputune_space_value(space, 2, 2, name, sizeof name), "4");
            CHECK_TEXT(gputune_space_value(space, 0, 1, name, 3), "0.");
            CHECK(!gputune_space_value(space, 2, -1, name, sizeof name));
            CHECK(!gputune_space_value(space, 2, 3, name, sizeof name));
            CHECK(!gputune_space_value(space, 3, 0, name, sizeof name));
        }
        gputune_space_destroy(space);
    }
    parts_begin(&p);
    for (i = 0; i < GPUTUNE_MAX_PARAMETERS; i++) {
        snprintf(name, sizeof name, "P%d", (int)i);
        parts_param(&p, name, "set 7", NULL);
    }
    space = space_expect(&p, GPUTUNE_OK, "");
    CHECK_INT(gputune_space_count(space), 1);
    CHECK(!gputune_space_param(space, 0)->value_default);
    gputune_space_destroy(space);
    parts_param(&p, "LAST", "bool", NULL);
    gputune_space_destroy(space_expect(&p, GPUTUNE_ERROR_TOO_LARGE, "LAST"));
    gputune_space_destroy(NULL);
    CHECK_INT(gputune_space_error(NULL)->result, GPUTUNE_ERROR_MEMORY);
}

// A space that cannot be answers like one without configurations.
static void test_space_broken(void)
{
    uint64_t state = 1, index;
    gputune_config config;
    gputune_space *space;
    space_parts p;
    parts_begin(&p);
    parts_param(&p, "A", "bool", NULL);
    parts_require(&p, "A > 1");
    space = space_expect(&p, GPUTUNE_ERROR_EMPTY_SPACE, "never holds");
    config = gputune_space_default(space);
    CHECK(!config.space);
    CHECK(gputune_config_parse(space, "A=1", &config));
    CHECK(!gputune_space_index(space, &config, &index));
    CHECK_INT(gputune_space_sample(space, &state, true, &index, 1), GPUTUNE_ERROR_EMPTY_SPACE);
    CHECK_HAS(gputune_space_error(space)->text, "never holds");
    gputune_space_destroy(space);
}

// A 1..4, B 0..3, M x|y, the number N = 12, with up to two restrictions.
static void space_error_case(const char *first, const char *second, gputune_result expected,
                             const char *part)
{
    space_parts p;
    gputune_space *space;
    parts_begin(&p);
    p.desc.numbers = "N=12";
    parts_param(&p, "A", "range 1,4", NULL);
    parts_param(&p, "B", "range 0,3", NULL);
    parts_param(&p, "M", "set x,y", NULL);
    parts_require(&p, first);
    if (second) parts_require(&p, second);
    space = parts_space(&p);
    CHECK_OR(gputune_space_error(space)->result == expected, "%s, %s: %s", first,
             second ? second : "-", gputune_space_error(space)->text);
    CHECK_HAS(gputune_space_error(space)->text, part);
    gputune_space_destroy(space);
}

// What B may not be is not what a fault of A's restriction is blamed on.
static void space_fault_of_another(void)
{
    space_parts p;
    parts_begin(&p);
    p.desc.numbers = "N=12";
    parts_param(&p, "A", "range 1,4", NULL);
    parts_param(&p, "B", "range 0,3", NULL);
    parts_require(&p, "N % B >= 0");
    parts_require(&p, "B > 0");
    parts_require(&p, "N % (A - 2) >= 0");
    gputune_space_destroy(space_expect(&p, GPUTUNE_ERROR_ARITHMETIC,
                                       "\"N % (A - 2) >= 0\" with N=12 A=2"));
}

static void test_space_build_errors(void)
{
    space_fault_of_another();
    space_error_case("A * C < 3", NULL, GPUTUNE_ERROR_SYMBOL, "'C' at column 5 of \"A * C < 3\"");
    space_error_case("A > 4", NULL, GPUTUNE_ERROR_EMPTY_SPACE, "\"A > 4\" never holds");
    space_error_case("A + B > 7", NULL, GPUTUNE_ERROR_EMPTY_SPACE, "\"A + B > 7\" never holds");
    space_error_case("A < 4", "A * B % 2 == 3", GPUTUNE_ERROR_EMPTY_SPACE,
                     ": \"A * B % 2 == 3\" never");
    space_error_case("N > 12", NULL, GPUTUNE_ERROR_EMPTY_SPACE, "\"N > 12\" never holds");
    space_error_case("A > 2", "A < 2", GPUTUNE_ERROR_EMPTY_SPACE,
                     "contradict each other: \"A > 2\", \"A < 2\"");
    space_error_case("A + B > 5", "A + B < 3", GPUTUNE_ERROR_EMPTY_SPACE,
                     "\"A + B > 5\", \"A + B < 3\"");
    space_error_case("N % B == 0", NULL, GPUTUNE_ERROR_ARITHMETIC,
                     "division by zero at column 3 of \"N % B == 0\" with N=12 B=0");
    space_error_case("N % B == 0 && A", "B", GPUTUNE_OK, "");
    space_error_case("N % (A - B) == 0", NULL, GPUTUNE_ERROR_ARITHMETIC, "division by zero");
    space_error_case("N % (A - B) == 0", "A > B", GPUTUNE_OK, "");
    space_error_case("A > B", "N % (A - B) == 0", GPUTUNE_OK, "");
    space_error_case("N % (A - B) == 0", "A >= B", GPUTUNE_ERROR_ARITHMETIC, "column 3");
    space_error_case("N % (A - B) == 0", "A == 7", GPUTUNE_ERROR_EMPTY_SPACE, "A == 7");
    space_error_case("B == 0 || N % B == 0", NULL, GPUTUNE_OK, "");
    space_error_case("A * 9223372036854775807 > B", NULL, GPUTUNE_ERROR_ARITHMETIC, "overflow");
    space_error_case("M + A > 1", NULL, GPUTUNE_ERROR_ARITHMETIC, "name");
    space_error_case("M == A", NULL, GPUTUNE_ERROR_ARITHMETIC, "name");
    space_error_case("M", NULL, GPUTUNE_ERROR_ARITHMETIC, "name");
    space_error_case("N / 0", NULL, GPUTUNE_ERROR_ARITHMETIC, "division by zero");
    space_error_case("M == \"z\"", NULL, GPUTUNE_ERROR_EMPTY_SPACE, "never holds");
}

// A parameter hides a number of its name, and a number a limit.
static void test_space_hide(void)
{
    static const int expected[] = { 4, 2, 3, 5 };
    gputune_limits limits;
    gputune_space *space;
    space_parts p;
    int i;
    memset(&limits, 0, sizeof limits);
    limits.warp_size = 32;
    parts_begin(&p);
    space = space_expect(&p, GPUTUNE_OK, "");
    CHECK_INT(gputune_space_count(space), 1);
    gputune_space_destroy(space);
    p.desc.limits = &limits;
    parts_param(&p, "A", "range 1,4", NULL);
    parts_require(&p, "A <= warp_size");
    for (i = 0; i < 4; i++) {
        if (i) p.desc.numbers = i > 1 ? "warp_size=3" : "warp_size=1 warp_size=2";
        if (i == 3) parts_param(&p, "warp_size", "set 4,1", NULL);
        space = space_expect(&p, GPUTUNE_OK, "");
        CHECK_INT(gputune_space_count(space), expected[i]);
        CHECK(gt__space_uses(space, "warp_size") == (i < 3));
        CHECK(!gt__space_uses(space, "A"));
        gputune_space_destroy(space);
    }
}

// The ends of the 64-bit integers, by restrictions and by a configuration's text.
static void test_space_wide(void)
{
    static const char *const params[] = {
        "A", "set -9223372036854775808,-9223372036854775807,0,9223372036854775806,"
             "9223372036854775807", NULL
    };
    static const char *const only[][2] = {
        { "A == -9223372036854775808", NULL }, { "A < - 9223372036854775807", NULL },
        { "A == 9223372036854775807", NULL },  { "A > 9223372036854775806", NULL },
        { "A == -9223372036854775807-1", NULL }, { "-9223372036854775808 >= A", NULL },
        { "A == low", NULL },                  { "A == high", NULL },
    };
    const int64_t values[] = { INT64_MIN, INT64_MIN + 1, 0, INT64_MAX - 1, INT64_MAX };
    gputune_space *space = space_make(params, NULL, GPUTUNE_OK);
    gputune_config config, back;
    char text[64];
    int i;
    CHECK_INT(gputune_space_count(space), 5);
    for (i = 0; i < 5; i++) {
        config = gputune_space_at(space, (uint64_t)i);
        CHECK_INT(gputune_config_int(&config, "A"), values[i]);
        CHECK(gputune_config_parse(space, gputune_config_text(&config, text, sizeof text), &back));
        CHECK_INT(gputune_config_int(&back, "A"), values[i]);
    }
    CHECK(!gputune_config_parse(space, "A=9223372036854775808", &back));
    gputune_space_destroy(space);
    for (i = 0; i < 8; i++) {
        bool low = i < 6 ? strchr(only[i][0], '-') != NULL : i == 6;
        space_parts p;
        parts_begin(&p);
        p.desc.numbers = "low=-9223372036854775808 high=9223372036854775807";
        parts_param(&p, params[0], params[1], NULL);
        parts_require(&p, only[i][0]);
        space = space_expect(&p, GPUTUNE_OK, "");
        CHECK_INT(gputune_space_count(space), 1);
        config = gputune_space_at(space, 0);
        CHECK_INT(gputune_config_int(&config, "A"), low ? INT64_MIN : INT64_MAX);
        gputune_space_destroy(space);
    }
}

static void test_space_definitions(void)
{
    int i;
    for (i = 0; definitions[i].name; i++) {
        space_parts p;
        gputune_space *space;
        uint64_t valid;
        CHECK(definitions_read(definitions[i].text, &p, &valid));
        space = space_expect(&p, GPUTUNE_OK, "");
        CHECK(valid > 0);
        CHECK_INT(gputune_space_count(space), valid);
        gputune_space_destroy(space);
    }
}

static void test_space_convert(void)
{
    char text[256];
    CHECK_TEXT(definitions_convert("1 <= a*b <= 4", text, sizeof text), "(1 <= a*b  &&  a*b <= 4)");
    CHECK_TEXT(definitions_convert("not (a == 1 and b / 2 > c // d)", text, sizeof text),
               "!(((a == 1 )&& (b *1.0/ 2 > c / d)))");
}

static void test_space_huge(void)
{
    gputune_space *space;
    space_parts p;
    char name[16];
    int i;
    uint64_t index, state = 1, drawn[3];
    parts_begin(&p);
    for (i = 0; i < 63; i++) {
        snprintf(name, sizeof name, "P%d", i);
        parts_param(&p, name, "bool", NULL);
    }
    space = space_expect(&p, GPUTUNE_OK, "");
    CHECK(gputune_space_count(space) == UINT64_C(1) << 63);
    CHECK_INT(gputune_space_sample(space, &state, false, drawn, 3), GPUTUNE_OK);
    for (i = 0; i < 3; i++) {
        gputune_config config = gputune_space_at(space, drawn[i]);
        CHECK(gputune_space_index(space, &config, &index) && index == drawn[i]);
    }
    gputune_space_destroy(space);
    parts_param(&p, "LAST", "bool", NULL);
    gputune_space_destroy(space_expect(&p, GPUTUNE_ERROR_TOO_LARGE, "2^64"));
    parts_require(&p, "P1 + P2 + P3 < 3"); // 7/8 of 2^64
    space = space_expect(&p, GPUTUNE_OK, "");
    CHECK(gputune_space_count(space) == UINT64_C(7) << 61);
    CHECK_INT(gputune_space_sample(space, &state, true, drawn, 3), GPUTUNE_OK);
    gputune_space_destroy(space);
}

// 2^64 in one group: only (1, 1, ...) is excluded, so the count is 2^64 - 1.
static void test_space_huge_group(void)
{
    gputune_space *space;
    space_parts p;
    char name[16], text[1024] = "P0";
    uint64_t index;
    gputune_config config;
    int i;
    parts_begin(&p);
    for (i = 0; i < 64; i++) {
        snprintf(name, sizeof name, "P%d", i);
        parts_param(&p, name, "bool", NULL);
        if (i) snprintf(text + strlen(text), sizeof text - strlen(text), " + P%d", i);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), " < 64");
    parts_require(&p, text);
    space = space_expect(&p, GPUTUNE_OK, "");
    CHECK(gputune_space_count(space) == UINT64_MAX);
    config = gputune_space_at(space, UINT64_MAX - 1);
    CHECK(gputune_space_index(space, &config, &index) && index == UINT64_MAX - 1);
    gputune_space_destroy(space);
    p.params[0].values = "range 0,2"; // the same with three values for P0
    gputune_space_destroy(space_expect(&p, GPUTUNE_ERROR_TOO_LARGE, "2^64"));
}

// A diagram beyond its budget is given up, and the message names the restrictions.
static void test_space_complex(void)
{
    static const char *const params[] = { "A", "range 1,40", "B", "range 1,40", "C", "range 1,40",
                                          "D", "range 1,40", "E", "bool", NULL };
    static const char *const require[] = { "A * B < C * D", "A + E > 1", NULL };
    static const char *const wide[] = { "A", "range 1,200", "B", "range 1,200", "C", "range 1,200",
                                        "D", "range 1,200", NULL };
    static const char *const products[] = { "A * B + C * D != 77777", NULL };
    gputune_space *space = space_make(params, require, GPUTUNE_OK);
    gt__solver s;
    CHECK_INT(gt__solve(&s, space, NULL, 500), GPUTUNE_ERROR_TOO_LARGE);
    CHECK_HAS(gputune_space_error(space)->text, "\"A * B < C * D\"");
    gt__solver_close(&s);
    gputune_space_destroy(space);
    space = space_make(wide, products, GPUTUNE_ERROR_TOO_LARGE); // within a second, not ten
    CHECK_INT(gt__solve(&s, space, NULL, GT__SPACE_STATES), GPUTUNE_ERROR_TOO_LARGE);
    CHECK(s.work < 10000000);
    gt__solver_close(&s);
    gputune_space_destroy(space);
}

// Tables written as nested ?: of conditions on one expression: what it is worth is enough.
static void test_space_table(void)
{
    static const char *const params[] = { "A", "range 0,7", "B", "range 0,7", "C", "range 0,7",
                                          NULL };
    static const char *const ats[] = { "((A*8+B)*8+C)", "(A && B*C)", "(C > 3 || A/B)",
                                       "(A ? B : C)" };
    size_t i;
    for (i = 0; i < sizeof ats / sizeof *ats; i++) {
        char text[2048];
        const char *require[] = { text, "B > 0", NULL };
        gputune_space *space;
        int a, b, c;
        uint64_t count = 0;
        snprintf(text, sizeof text,
                 "(%s < 64 ? (%s < 3 ? (%s < 1 ? 5 : 2) : 9) : (%s < 300 ? 7 : 1)) >> %s %% 3 & 1",
                 ats[i], ats[i], ats[i], ats[i], ats[i]);
        space = space_make(params, require, GPUTUNE_OK);
        for (a = 0; a < 8; a++)
            for (b = 1; b < 8; b++)
                for (c = 0; c < 8; c++) {
                    int at = i == 0   ? (a * 8 + b) * 8 + c
                             : i == 1 ? a != 0 && b * c != 0
                             : i == 2 ? c > 3 || a / b
                                      : (a ? b : c);
                    int word = at < 64 ? (at < 3 ? (at < 1 ? 5 : 2) : 9) : at < 300 ? 7 : 1;
                    count += (uint64_t)(word >> at % 3 & 1);
                }
        CHECK(gputune_space_count(space) == count);
        gputune_space_destroy(space);
    }
}

// --- random spaces

enum { SPACE_RULES = 5 };

// A random space: parameters P0, P1 ..., and its restrictions once more by themselves.
typedef struct space_oracle {
    gputune_space *space;
    int params, rules;
    char text[SPACE_RULES][600];
    gt__base base;
    gt__expr *exprs[SPACE_RULES];
    gputune_config *valid; // all of them, by walking the product
    size_t count;
    bool fault; // some configuration is excluded by nothing, but something fails
} space_oracle;

static void space_random_operand(char *text, size_t size, int params, int depth);

// Appends a random expression.
static void space_random_expression(char *text, size_t size, int params, int depth)
{
    static const char *const binary[] = { "+", "-", "*", "*", "+", "/", "%", "<", "<=", "==",
                                          "!=", ">", ">=", "&&", "||", "&", "|", "^", "<<", ">>" };
    static const char *const functions[] = { "min", "max", "ceil_div", "pow" };
    static const char *const unary[] = { "!", "-", "~", "abs", "is_pow2", "log2", "sqrt" };
    char a[600], b[600], c[600];
    int form = space_random(12);
    if (depth <= 0 || form == 0) {
        space_random_operand(text, size, params, depth);
        return;
    }
    space_random_expression(a, sizeof a, params, depth - 1);
    space_random_expression(b, sizeof b, params, depth - 1);
    if (form == 1) {
        space_random_expression(c, sizeof c, params, depth - 1);
        snprintf(text, size, "((%.180s) ? (%.180s) : (%.180s))", a, b, c);
    } else if (form == 2) {
        snprintf(text, size, "%s((%.250s), (%.250s))", functions[space_random(4)], a, b);
    } else if (form == 3) {
        snprintf(text, size, "%s(%.500s)", unary[space_random(7)], a);
    } else {
        snprintf(text, size, "((%.250s) %s (%.250s))", a, binary[space_random(20)], b);
    }
}

static void space_random_operand(char *text, size_t size, int params, int depth)
{
    (void)depth;
    if (space_random(12) == 0)
        snprintf(text, size, "(P%d == \"x\")", space_random(params));
    else if (space_random(4) == 0)
        snprintf(text, size, "%d%s", space_random(7), space_random(5) ? "" : ".5");
    else
        snprintf(text, size, "P%d", space_random(params));
}

// Restrictions of the kind that kernels have.
static void space_random_usual(char *text, size_t size, int params)
{
    int form = space_random(10), a = space_random(params), b = space_random(params),
        c = space_random(params), n = space_random(14);
    switch (form) {
    case 0: snprintf(text, size, "P%d * P%d <= %d", a, b, n); break;
    case 1: snprintf(text, size, "P%d * P%d * 2 + P%d >= %d", a, b, c, n); break;
    case 2: snprintf(text, size, "P%d %% P%d == 0 || P%d > %d", a, b, c, n / 4); break;
    case 3: snprintf(text, size, "P%d == 0 || %d %% P%d == P%d", a, n, a, b); break;
    case 4: snprintf(text, size, "(P%d + P%d) * (P%d + 1) <= %d", a, b, c, 2 * n); break;
    case 5: snprintf(text, size, "P%d - P%d + 2 * P%d < %d", a, b, c, n); break;
    case 6: snprintf(text, size, "P%d > 1 ? P%d <= P%d : P%d != %d", a, b, c, a, n / 5); break;
    case 7:
        snprintf(text, size, "max(P%d, P%d, P%d) - min(P%d, P%d) <= %d", a, b, c, a, b, n / 3);
        break;
    case 8: snprintf(text, size, "1 <= P%d && P%d + P%d <= 2 * %d", a, b, c, n); break;
    default: snprintf(text, size, "(P%d << P%d) + P%d <= 4 * %d", a, b, c, n); break;
    }
}

static void space_random_make(space_oracle *oracle, int kind)
{
    static const char *const values[] = {
        "range 1,4",  "range 0,3",     "bool",        "set 1,2,4,8", "set 3",
        "range -2,2", "set 0.5,1,2.5", "set 8,1,3,0", "erange 1,16,4", "set 7,2",
        "set x,y",
    };
    char names[6][16];
    const char *list[6];
    gputune_error error;
    space_parts p;
    int i;
    memset(oracle, 0, sizeof *oracle);
    gt__base_init(&oracle->base, NULL);
    parts_begin(&p);
    oracle->params = 2 + space_random(5);
    oracle->rules = space_random(5);
    for (i = 0; i < oracle->params; i++) {
        snprintf(names[i], sizeof names[i], "P%d", i);
        list[i] = names[i];
        parts_param(&p, names[i], values[space_random(kind == 2 ? 11 : kind ? 10 : 4)], NULL);
    }
    for (i = 0; i < oracle->rules; i++) {
        if (kind == 2)
            space_random_expression(oracle->text[i], sizeof oracle->text[i], oracle->params, 3);
        else
            space_random_usual(oracle->text[i], sizeof oracle->text[i], oracle->params);
        parts_require(&p, oracle->text[i]);
        CHECK_INT(gt__expr_compile(&oracle->base, oracle->text[i], list, oracle->params,
                                   &oracle->exprs[i], &error),
                  GPUTUNE_OK);
    }
    oracle->space = parts_space(&p);
}

static void space_random_free(space_oracle *oracle)
{
    int i;
    for (i = 0; i < oracle->rules; i++) gt__expr_free(&oracle->base, oracle->exprs[i]);
    free(oracle->valid);
    gputune_space_destroy(oracle->space);
}

// 1: all restrictions hold; 0: one does not; -1: neither, something fails.
static int space_valid(const space_oracle *oracle, const gputune_config *config)
{
    gt__num values[6], value;
    int i, all = 1;
    for (i = 0; i < oracle->params; i++)
        values[i] = gt__space_value(oracle->space, i, config->choice[i]);
    for (i = 0; i < oracle->rules; i++) {
        if (gt__expr_eval(oracle->exprs[i], values, &value, NULL) ||
            value.kind == GT__NAME)
            all = -1;
        else if (gt__num_truth(value) == 0)
            return 0;
    }
    return all;
}

static bool space_step(const gputune_space *space, gputune_config *config)
{
    int i;
    for (i = 0; gputune_space_param(space, i); i++) {
        if (++config->choice[i] < parts_value_count(space, i)) return true;
        config->choice[i] = 0;
    }
    return false;
}

static void space_walk(space_oracle *oracle)
{
    gputune_config config;
    int valid;
    memset(&config, 0, sizeof config);
    config.space = oracle->space;
    oracle->valid = (gputune_config *)malloc(
        sizeof *oracle->valid * (size_t)parts_combinations(oracle->space));
    do {
        valid = space_valid(oracle, &config);
        if (valid > 0) oracle->valid[oracle->count++] = config;
        if (valid < 0) oracle->fault = true;
    } while (space_step(oracle->space, &config));
}

static void space_describe(const space_oracle *oracle)
{
    int i;
    for (i = 0; i < oracle->params; i++)
        printf("      P%d: %d values\n", i, parts_value_count(oracle->space, i));
    for (i = 0; i < oracle->rules; i++) printf("      %s\n", oracle->text[i]);
}

// Changed parameters first, then steps.
static uint64_t space_cost(const gputune_config *a, const gputune_config *b, int params)
{
    uint64_t cost = 0;
    int i;
    for (i = 0; i < params; i++) {
        int steps = abs(a->choice[i] - b->choice[i]);
        cost += steps ? 1000000U + (unsigned)steps : 0U;
    }
    return cost;
}

// All indices in turn: each gives a valid configuration, each of these its index.
static void space_check_indices(const space_oracle *oracle)
{
    uint64_t i, index;
    char *seen = (char *)calloc(oracle->count, 1);
    for (i = 0; i < oracle->count; i++) {
        gputune_config config = gputune_space_at(oracle->space, i);
        CHECK(space_valid(oracle, &config) == 1);
        CHECK(gputune_space_index(oracle->space, &config, &index) && index == i);
        CHECK(gputune_space_index(oracle->space, &oracle->valid[i], &index));
        CHECK(index < oracle->count && !seen[index]);
        if (index < oracle->count) seen[index] = 1;
    }
    free(seen);
}

static bool space_is_neighbour(const space_oracle *oracle, const gputune_config *from,
                               const gputune_config *to, bool adjacent)
{
    int i, param = -1, params = oracle->params, at;
    for (i = 0; i < params; i++) {
        if (from->choice[i] == to->choice[i]) continue;
        if (param >= 0) return false;
        param = i;
    }
    if (param < 0) return false;
    if (!adjacent) return true;
    for (at = from->choice[param];;) { // nothing valid on the way
        gputune_config between = *from;
        at += at < to->choice[param] ? 1 : -1;
        if (at == to->choice[param]) return true;
        between.choice[param] = (uint16_t)at;
        if (space_valid(oracle, &between) == 1) return false;
    }
}

static void space_check_around(const space_oracle *oracle, const gputune_config *from)
{
    gputune_config *near_by = (gputune_config *)malloc(1000 * sizeof *near_by), nearest;
    size_t i, j, count, expected;
    uint64_t cost, least = UINT64_MAX;
    int params = oracle->params, kind;
    bool valid = gputune_space_index(oracle->space, from, NULL);
    CHECK(valid == (space_valid(oracle, from) == 1));
    for (i = 0; i < oracle->count; i++) {
        cost = space_cost(from, &oracle->valid[i], params);
        if (cost < least) least = cost;
    }
    nearest = gt__space_nearest(oracle->space, from);
    CHECK(space_valid(oracle, &nearest) == 1);
    CHECK(space_cost(from, &nearest, params) == least);
    for (kind = 0; kind < 2 && valid; kind++) {
        count = gputune_space_neighbours(oracle->space, from, kind == 1, near_by, 1000);
        expected = 0;
        for (i = 0; i < oracle->count; i++)
            expected += space_is_neighbour(oracle, from, &oracle->valid[i], kind == 1);
        CHECK_INT(count, expected);
        CHECK_INT(gputune_space_neighbours(oracle->space, from, kind == 1, NULL, 0), expected);
        for (i = 0; i < count; i++) {
            CHECK(space_is_neighbour(oracle, from, &near_by[i], kind == 1));
            CHECK(space_valid(oracle, &near_by[i]) == 1);
            for (j = 0; j < i; j++) CHECK(space_cost(&near_by[i], &near_by[j], params) > 0);
        }
    }
    free(near_by);
}

static void space_check_built(const space_oracle *oracle)
{
    gputune_config config = gputune_space_default(oracle->space), start = config;
    int i, p;
    CHECK_INT(gputune_space_count(oracle->space), oracle->count);
    if (gputune_space_count(oracle->space) != oracle->count) return;
    memset(start.choice, 0, sizeof start.choice); // the defaults
    for (i = 0; i < (int)oracle->count; i++)
        CHECK(space_cost(&start, &config, oracle->params) <=
              space_cost(&start, &oracle->valid[i], oracle->params));
    space_check_indices(oracle);
    for (i = 0; i < 3; i++) {
        for (p = 0; p < oracle->params; p++)
            config.choice[p] =
                (uint16_t)space_random(parts_value_count(oracle->space, p));
        space_check_around(oracle, &config);
        space_check_around(oracle, &oracle->valid[space_random((int)oracle->count)]);
    }
}

static void space_check_random(int kind, int rounds, int *usable, int *faults)
{
    int round;
    for (round = 0; round < rounds; round++) {
        space_oracle oracle;
        gputune_result result, expected = GPUTUNE_OK;
        int before = test_failures;
        space_random_make(&oracle, kind);
        space_walk(&oracle);
        if (oracle.fault)
            expected = GPUTUNE_ERROR_ARITHMETIC;
        else if (!oracle.count)
            expected = GPUTUNE_ERROR_EMPTY_SPACE;
        result = gputune_space_error(oracle.space)->result;
        CHECK_INT(result, expected);
        if (result == GPUTUNE_OK && expected == GPUTUNE_OK) space_check_built(&oracle);
        *usable += result == GPUTUNE_OK;
        *faults += expected == GPUTUNE_ERROR_ARITHMETIC;
        if (test_failures > before) {
            printf("      kind %d, round %d: %s\n", kind, round,
                   gputune_space_error(oracle.space)->text);
            space_describe(&oracle);
        }
        space_random_free(&oracle);
        if (test_failures > 20) return;
    }
}

static void test_space_random(void)
{
    int usable = 0, faults = 0;
    space_random_state = 11;
    space_check_random(0, 500, &usable, &faults);
    space_check_random(1, 700, &usable, &faults);
    space_check_random(2, 1500, &usable, &faults);
    CHECK(usable > 800);
    CHECK(faults > 100);
}

// --- sampling

// Chi-square of counts against a uniform distribution, as a standard normal (Wilson, Hilferty).
static double space_chi_square(const int *counts, int cells, double expected)
{
    double sum = 0.0, k = cells - 1.0;
    int i;
    for (i = 0; i < cells; i++)
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    return (pow(sum / k, 1.0 / 3.0) - (1.0 - 2.0 / (9.0 * k))) / sqrt(2.0 / (9.0 * k));
}

static void test_space_sampling(void)
{
    static const char *const params[] = { "A", "range 1,8", "B", "range 1,8", "C", "bool", NULL };
    static const char *const require[] = { "A * B <= 16", "A % B == 0 || C", NULL };
    gputune_space *space = space_make(params, require, GPUTUNE_OK);
    int cells = (int)gputune_space_count(space), i, j, drawn = 0;
    int *counts = (int *)calloc((size_t)cells, sizeof *counts);
    int *places = (int *)calloc((size_t)cells, sizeof *places);
    uint64_t *indices = (uint64_t *)malloc(100000 * sizeof *indices), state = 5;
    CHECK(cells > 30);
    CHECK_INT(gputune_space_sample(space, &state, true, indices, 100000), GPUTUNE_OK);
    for (i = 0; i < 100000; i++) counts[indices[i]]++;
    CHECK(fabs(space_chi_square(counts, cells, 100000.0 / cells)) < 4.0);
    memset(counts, 0, (size_t)cells * sizeof *counts);
    for (i = 0; i < 10000; i++) { // which ones are drawn, and which comes first
        CHECK_INT(gputune_space_sample(space, &state, false, indices, 7), GPUTUNE_OK);
        places[indices[0]]++;
        for (j = 0; j < 7; j++, drawn++) counts[indices[j]]++;
    }
    CHECK(space_chi_square(counts, cells, (double)drawn / cells) < 4.0);
    CHECK(fabs(space_chi_square(places, cells, 10000.0 / cells)) < 4.0);
    for (i = 0; i < 50; i++) { // the whole space, each once
        memset(counts, 0, (size_t)cells * sizeof *counts);
        CHECK_INT(gputune_space_sample(space, &state, false, indices, (size_t)cells), GPUTUNE_OK);
        for (j = 0; j < cells; j++) counts[indices[j]]++;
        for (j = 0; j < cells; j++) CHECK_INT(counts[j], 1);
    }
    CHECK_INT(gputune_space_sample(space, &state, false, indices, (size_t)cells + 1),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_space_sample(space, &state, false, NULL, 0), GPUTUNE_OK);
    free(counts);
    free(places);
    free(indices);
    gputune_space_destroy(space);
}

// --- texts

static void test_space_texts(void)
{
    static const char *const params[] = { "BLOCK", "erange 32,128,2", "R", "set 0.5,2",
                                          "MODE", "set naive,tiled", NULL };
    gputune_space *space = space_make(params, NULL, GPUTUNE_OK);
    gputune_config config = gputune_space_default(space), back;
    char text[200];
    uint64_t i;
    CHECK_TEXT(gputune_config_text(&config, text, sizeof text), "BLOCK=32 R=0.5 MODE=naive");
    CHECK_TEXT(gputune_config_defines(&config, text, sizeof text),
               "#define BLOCK 32\n#define R 0.5\n#define MODE naive\n");
    CHECK_TEXT(gputune_config_text(&config, text, 8), "BLOCK=3");
    for (i = 0; i < gputune_space_count(space); i++) {
        config = gputune_space_at(space, i);
        CHECK(gputune_config_parse(space, gputune_config_text(&config, text, sizeof text), &back));
        CHECK(memcmp(config.choice, back.choice, sizeof back.choice) == 0);
    }
    CHECK(gputune_config_parse(space, " MODE=tiled\tBLOCK=64 ", &back));
    CHECK_TEXT(gputune_config_text(&back, text, sizeof text), "BLOCK=64 R=0.5 MODE=tiled");
    CHECK(gputune_config_parse(space, "", &back));
    CHECK(!gputune_config_parse(space, "BLOCK=33", &back));
    CHECK(!gputune_config_parse(space, "BLOK=32", &back));
    CHECK(!gputune_config_parse(space, "BLOCK", &back));
    CHECK(!gputune_config_parse(space, "MODE=tile", &back));
    CHECK(!gputune_config_parse(space, "R=", &back));
    CHECK_INT(gputune_config_choice(&config, "MODE"), 1);
    CHECK_INT(gputune_config_choice(&config, "MOD"), -1);
    gputune_space_destroy(space);
}

// A configuration that was never filled in, or is none, reads as nothing.
static void test_space_no_config(void)
{
    gputune_config zero;
    const gputune_config *const none[] = { NULL, &zero };
    char text[8] = "x";
    int i;
    memset(&zero, 0, sizeof zero);
    for (i = 0; i < 2; i++) {
        CHECK_INT(gputune_config_int(none[i], "A"), 0);
        CHECK_NEAR(gputune_config_real(none[i], "A"), 0, 0.0);
        CHECK(!gputune_config_name(none[i], "A"));
        CHECK_INT(gputune_config_choice(none[i], "A"), -1);
        CHECK_TEXT(gputune_config_text(none[i], text, sizeof text), "");
        CHECK_TEXT(gputune_config_defines(none[i], text, sizeof text), "");
    }
}

static uint64_t space_hash_of(const char *values, const char *value_default, const char *require)
{
    uint64_t hash[2];
    space_parts p;
    int i;
    parts_begin(&p);
    parts_param(&p, "A", values, value_default);
    if (require) parts_require(&p, require);
    for (i = 0; i < 2; i++) {
        gputune_space *space;
        p.desc.numbers = i ? "N=3" : NULL; // no part of it
        space = space_expect(&p, GPUTUNE_OK, "");
        hash[i] = gt__space_hash(space);
        gputune_space_destroy(space);
    }
    CHECK(hash[0] == hash[1]);
    return hash[0];
}

static void test_space_hash(void)
{
    uint64_t hash = space_hash_of("range 1,3", NULL, NULL);
    CHECK(hash == space_hash_of("set 1,2,3", "1", NULL));
    CHECK(hash != space_hash_of("set 1,2,3", "2", NULL));
    CHECK(hash != space_hash_of("set 1,2,4", NULL, NULL));
    CHECK(hash != space_hash_of("set 1,3,2", NULL, NULL));
    CHECK(hash != space_hash_of("set 1,2,3", NULL, "A > 1"));
}

// --- memory

typedef struct space_heap {
    int until, live;
} space_heap;

static void *space_reallocate(void *user, void *memory, size_t bytes)
{
    space_heap *heap = (space_heap *)user;
    if (!bytes) {
        heap->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (heap->until == 0) return NULL;
    if (heap->until > 0) heap->until--;
    heap->live += memory == NULL;
    return realloc(memory, bytes);
}

static void space_memory_define(space_parts *p)
{
    static const char *const require[] = {
        "A * B + C <= 14", "A + B + C + D <= 12 && A * D >= 2",
        "M != \"x\" || B > 1", "D == 0 || A % D == 0", "(A / 2.0) * B <= 3.5 * C",
    };
    size_t i;
    parts_begin(p);
    p->desc.numbers = "N=4 M=2^10";
    parts_param(p, "A", "range 1,6", "N");
    parts_param(p, "B", "set 1,N/2,4,N * 2", NULL);
    parts_param(p, "C", "range 0,4,0.5", NULL);
    parts_param(p, "D", "range 0,3", NULL);
    parts_param(p, "M", "set x,y", NULL);
    for (i = 0; i < 5; i++) parts_require(p, require[i]);
}

// Every allocation fails in turn, for a space that can be built and, with `more`, one that cannot.
static void space_check_memory(const char *more, gputune_result expected)
{
    space_heap heap;
    uint64_t count = 0, state = 1, drawn[5];
    int fail;
    bool done = false;
    space_parts p;
    space_memory_define(&p);
    if (more) parts_require(&p, more);
    p.desc.options.reallocate = space_reallocate;
    p.desc.options.user = &heap;
    for (fail = -1; !done && fail < 3000; fail++) {
        gputune_space *space;
        gputune_result result;
        heap.until = fail;
        heap.live = 0;
        space = parts_space(&p);
        if (!space) {
            CHECK_INT(heap.live, 0);
            continue;
        }
        result = gputune_space_error(space)->result;
        done = result != GPUTUNE_ERROR_MEMORY && fail >= 0;
        if (result == GPUTUNE_ERROR_MEMORY) {
            CHECK_HAS(gputune_space_error(space)->text, "memory");
            CHECK_INT(gputune_space_count(space), 0);
        } else {
            CHECK_INT(result, expected);
        }
        if (!result) {
            if (fail < 0) count = gputune_space_count(space);
            CHECK_INT(gputune_space_count(space), count);
            CHECK_INT(gputune_space_sample(space, &state, false, drawn, 5), GPUTUNE_OK);
        }
        gputune_space_destroy(space);
        CHECK_INT(heap.live, 0);
    }
    CHECK(done && fail > 50);
}

static void test_space_memory(void)
{
    space_check_memory(NULL, GPUTUNE_OK);
    space_check_memory("A * B * C > 1000", GPUTUNE_ERROR_EMPTY_SPACE);
    space_check_memory("N / (A - B) < 100", GPUTUNE_ERROR_ARITHMETIC);
}

// A thousand numbers and a thousand names in a restriction, no more.
static void test_space_many_names(void)
{
    static char numbers[20000], restriction[20000];
    static space_parts p;
    size_t at = 0, end = 0;
    int i, more;
    for (i = 0; i < 1000; i++) {
        at += (size_t)snprintf(numbers + at, sizeof numbers - at, "n%d=%d ", i, i);
        end += (size_t)snprintf(restriction + end, sizeof restriction - end, "n%d +", i);
    }
    for (more = 0; more < 3; more++) {
        parts_begin(&p);
        parts_param(&p, "A", "set 1,2", NULL);
        snprintf(restriction + end, sizeof restriction - end, more == 2 ? "A > 0" : "n7 > 0");
        snprintf(numbers + at, sizeof numbers - at, more == 1 ? "m=1" : "n0=1");
        parts_require(&p, restriction);
        p.desc.numbers = numbers;
        gputune_space_destroy(space_expect(&p, more ? GPUTUNE_ERROR_TOO_LARGE : GPUTUNE_OK,
                                           more == 1   ? "over 1000 numbers"
                                           : more == 2 ? "over 1000 names"
                                                       : ""));
    }
}

// A configuration of a space that could not be made has no values; its text says why.
static void test_space_failed(void)
{
    static const char *const params[][5] = { { "A", "set 1,2", "B", "range 1,", NULL },
                                             { "A", "set 1,2", "B", "set 1,2", NULL } };
    static const char *const require[] = { "A > 2", NULL };
    int i;
    for (i = 0; i < 2; i++) {
        gputune_space *space = space_make(params[i], require,
                                          i ? GPUTUNE_ERROR_EMPTY_SPACE : GPUTUNE_ERROR_SYNTAX);
        const gputune_config config = gputune_space_at(space, 0);
        char text[sizeof gputune_space_error(space)->text], part[8];
        CHECK_TEXT(gputune_config_text(&config, text, sizeof text),
                   gputune_space_error(space)->text);
        CHECK(*text != 0);
        CHECK_INT(strlen(gputune_config_text(&config, part, sizeof part)), 7);
        CHECK_INT(gputune_config_int(&config, "A"), 0);
        CHECK(gputune_config_real(&config, "B") == 0);
        gputune_space_destroy(space);
    }
}

// Parts that say the same are found out once, those behind ?: && || only where C would look.
static void test_space_parts(void)
{
    static const char *const params[] = { "A", "range 0,9", "B", "range 0,9", NULL };
    static const char *const require[] = {
        "1 ? A*10+B < 5 || A*10+B == 50 : A*10+B > 77", NULL
    };
    gputune_space *space = space_make(params, require, GPUTUNE_OK);
    gt__solver s;
    int i, apart = 0, never = 0;
    CHECK_INT(gputune_space_count(space), 6);
    CHECK_INT(gt__solve(&s, space, NULL, 500), GPUTUNE_OK);
    for (i = 0; i < gt__len(space->requires_[0]->nodes); i++) {
        apart += s.parts[i].as == i;
        never += s.parts[i].as == i && s.parts[i].when == 0;
    }
    gt__solver_close(&s);
    CHECK_INT(apart, 14); // 1 A 10 A*10 B + 5 < 50 == || 77 > ?:
    CHECK_INT(never, 2);  // 77 >
    gputune_space_destroy(space);
}

static const test_case space_cases[] = {
    { "parts", test_space_parts },
    { "failed", test_space_failed },
    { "many_names", test_space_many_names },
    { "words", test_space_words },
    { "definition_errors", test_space_definition_errors },
    { "build_errors", test_space_build_errors },
    { "broken", test_space_broken },
    { "hide", test_space_hide },
    { "wide", test_space_wide },
    { "definitions", test_space_definitions },
    { "convert", test_space_convert },
    { "huge", test_space_huge },
    { "huge_group", test_space_huge_group },
    { "complex", test_space_complex },
    { "table", test_space_table },
    { "random", test_space_random },
    { "sampling", test_space_sampling },
    { "texts", test_space_texts },
    { "no_config", test_space_no_config },
    { "hash", test_space_hash },
    { "memory", test_space_memory },
    { NULL, NULL },
};
