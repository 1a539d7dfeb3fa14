// Expressions: a table of texts and what they must give.
#include "test.h"

typedef struct expr_case {
    const char *text, *result; // a value as gt__value_text writes it, or "!" and words of the
                               // error
} expr_case;

// Symbols: a = 5, b = 3, z = 0, r = 2.5, big = INT64_MAX, low = INT64_MIN, mode = naive, n = -7
static const char *const expr_names[] = { "a", "b", "z", "r", "big", "low", "mode", "n", "BLOCK" };
enum { EXPR_NAMES = sizeof expr_names / sizeof *expr_names };

static void expr_values(gt__num *values)
{
    static const int64_t integers[EXPR_NAMES] = { 5, 3, 0, 0, INT64_MAX, INT64_MIN, 0, -7, 128 };
    int i;
    for (i = 0; i < EXPR_NAMES; i++) values[i] = gt__num_int(integers[i]);
    values[3] = gt__num_real(2.5);
    values[6] = gt__num_text(GT__NAME, "naive");
}

// The value's text, or "!" and the error's.
static void expr_evaluate(const char *text, char *out, size_t size)
{
    gt__base b;
    gt__expr *expr;
    gputune_error error;
    gt__num values[EXPR_NAMES], value;
    gputune_result result;
    char number[GT__VALUE_TEXT];
    gt__base_init(&b, NULL);
    memset(&error, 0, sizeof error);
    expr_values(values);
    result = gt__expr_compile(&b, text, expr_names, EXPR_NAMES, &expr, &error);
    if (!result) result = gt__expr_eval(expr, values, &value, &error);
    if (result)
        snprintf(out, size, "!%s %s", gputune_result_name(result), error.text);
    else
        snprintf(out, size, "%s", gt__value_text(&value, number));
    gt__expr_free(&b, expr);
}

static void expr_check(const expr_case *c)
{
    char out[2048], rest[256], *part;
    for (; c->text; c++) {
        expr_evaluate(c->text, out, sizeof out);
        if (c->result[0] != '!') {
            CHECK_OR(strcmp(out, c->result) == 0, "%s is %s, expected %s", c->text, out, c->result);
            continue;
        }
        snprintf(rest, sizeof rest, "%s", c->result + 1); // parts are separated by '|'
        CHECK_OR(out[0] == '!', "%s is %s, expected an error", c->text, out);
        for (part = strtok(rest, "|"); part; part = strtok(NULL, "|"))
            CHECK_OR(strstr(out, part), "%s: \"%s\" lacks \"%s\"", c->text, out, part);
    }
}

static void test_expr_precedence(void)
{
    static const expr_case cases[] = {
        { "1 + 2 * 3", "7" },           { "(1 + 2) * 3", "9" },       { "10 - 4 - 3", "3" },
        { "10 - (4 - 3)", "9" },        { "100 / 10 / 5", "2" },      { "100 / (10 / 5)", "50" },
        { "7 % 4 * 2", "6" },           { "2 * 7 % 4", "2" },         { "1 << 2 + 1", "8" },
        { "16 >> 1 << 2", "32" },       { "1 < 2 == 1", "!syntax|chained" },
        { "(1 < 2) == 1", "1" },        { "5 & 3 == 3", "1" },        { "(5 & 3) == 3", "0" },
        { "1 | 2 ^ 3 & 2", "1" },       { "6 ^ 3 | 8", "13" },        { "1 || 0 && 0", "1" },
        { "(1 || 0) && 0", "0" },       { "1 ? 2 : 0 ? 3 : 4", "2" }, { "0 ? 2 : 0 ? 3 : 4", "4" },
        { "1 ? 0 ? 5 : 6 : 7", "6" },   { "!1 + 1", "1" },            { "!(1 + 1)", "0" },
        { "~0", "-1" },                 { "-2 * -3", "6" },           { "- - 2", "2" },
        { "!!7", "1" },                 { "+a", "5" },                { "-a % b", "-2" },
        { "2 + 3 < 6 && 4 > 3", "1" },  { "a - -b", "8" },            { "1 - 2 + 3", "2" },
        { "2 - (3 - 4) - 5", "-2" },    { "a*b + a*b*2 - 1", "44" },  { "~5 & 7", "2" },
        { "a != b && b != z || 0", "1" }, { "1 == 1 && 2 != 2", "0" }, { "\t a\n+\rb ", "8" },
        { NULL, NULL },
    };
    expr_check(cases);
}

static void test_expr_arithmetic(void)
{
    static const expr_case cases[] = {
        { "-7 / 2", "-3" },        { "n % 2", "-1" },          { "7 / -2", "-3" },
        { "7 % -2", "1" },         { "7.0 / 2", "3.5" },       { "7.5 % 2", "1.5" },
        { "a / r", "2.0" },        { "r * 2", "5.0" },         { "-1 >> 1", "-1" },
        { "n >> 1", "-4" },        { "-1 << 63", "-9223372036854775808" },
        { "1 << 62", "4611686018427387904" }, { "0 << 63", "0" }, { "min(3, 1, 2)", "1" },
        { "max(3, 1, 7, 2)", "7" }, { "min(1, 0.5)", "0.5" },  { "max(1, 0.5)", "1.0" },
        { "ceil_div(7, 2)", "4" }, { "ceil_div(8, 2)", "4" },  { "ceil_div(n, 2)", "-3" },
        { "ceil_div(7, -2)", "-3" }, { "ceil_div(-7, -2)", "4" }, { "ceil_div(7.5, 2)", "4.0" },
        { "is_pow2(64)", "1" },    { "is_pow2(0)", "0" },      { "is_pow2(-4)", "0" },
        { "is_pow2(96)", "0" },    { "is_pow2(0.25)", "1" },   { "is_pow2(0.75)", "0" },
        { "log2(1)", "0" },        { "log2(1023)", "9" },      { "log2(1024)", "10" },
        { "sqrt(2)", "1.4142135623730951" }, { "sqrt(16)", "4.0" }, { "sqrt(0.25)", "0.5" },
        { "pow(2, 10)", "1024.0" }, { "pow(r, 2)", "6.25" },   { "pow(n, 3)", "-343.0" },
        { "pow(0, 0)", "1.0" },    { "pow(8, 1.0 / 3)", "2.0" }, { "pow(2, -2)", "0.25" },
        { "sqrt(a * a) == a", "1" }, { "sqrt(sqrt(81))", "3.0" },
        { "log2(0.5)", "-1.0" },   { "abs(n)", "7" },          { "abs(-2.5)", "2.5" },
        { "0x1F", "31" },          { "0XfFu", "255" },         { "10UL", "10" },
        { "1'000 + 1'0", "1010" }, { "-2'500.5", "-2500.5" },
        { "1.5f", "1.5" },         { "2f", "2.0" },            { "1e3", "1000.0" },
        { ".5", "0.5" },           { "5.", "5.0" },            { "1.5e-1", "0.15" },
        { "true + true", "2" },    { "false", "0" },           { "big", "9223372036854775807" },
        { "-9223372036854775807 - 1", "-9223372036854775808" },
        { "-4294967296 * 2147483648", "-9223372036854775808" },
        { "4294967296 * -2147483648", "-9223372036854775808" },
        { "0.1 + 0.2", "0.30000000000000004" },
        { "r == 2.5", "1" },       { "a == 5.0", "1" },        { "!0.0", "1" },
        { "mode == \"naive\"", "1" }, { "mode != \"naive\"", "0" }, { "\"x\" == \"y\"", "0" },
        { "1 ? mode : 0", "naive" }, { "0x7fffffffffffffff", "9223372036854775807" },
        { NULL, NULL },
    };
    expr_check(cases);
}

static void test_expr_faults(void)
{
    static const expr_case cases[] = {
        { "big + 1", "!arithmetic|overflow|column 5" },
        { "low - 1", "!arithmetic|overflow" },
        { "low + -1", "!arithmetic|overflow" },
        { "big - -1", "!arithmetic|overflow" },
        { "big * 2", "!arithmetic|overflow" },
        { "low * -1", "!arithmetic|overflow" },
        { "-1 * low", "!arithmetic|overflow" },
        { "-3037000500 * 3037000500", "!arithmetic|overflow" },
        { "3037000500 * -3037000500", "!arithmetic|overflow" },
        { "-3037000500 * -3037000500", "!arithmetic|overflow" },
        { "-4294967296 * 2147483649", "!arithmetic|overflow" },
        { "4294967296 * 4294967296", "!arithmetic|overflow" },
        { "4294967296 * -4294967296", "!arithmetic|overflow" },
        { "2147483648 * 4294967296", "!arithmetic|overflow" },
        { "4611686018427387904 * 5", "!arithmetic|overflow" },
        { "4611686018427387904 * -5", "!arithmetic|overflow" },
        { "low / -1", "!arithmetic|overflow|column 5" },
        { "low % -1", "!arithmetic|overflow" },
        { "ceil_div(low, -1)", "!arithmetic|overflow" },
        { "-low", "!arithmetic|overflow|column 1" },
        { "abs(low)", "!arithmetic|overflow" },
        { "1 << 63", "!arithmetic|overflow" },
        { "a << 62", "!arithmetic|overflow" },
        { "sqrt(n)", "!arithmetic|sqrt of a negative|column 1" },
        { "1 + pow(n, 0.5)", "!arithmetic|pow of a negative|column" },
        { "pow(z, -1)", "!arithmetic|zero to a negative" },
        { "pow(10, 400)", "!arithmetic|overflow" },
        { "sqrt(mode)", "!arithmetic|name" },
        { "pow(mode, 2)", "!arithmetic|name" },
        { "pow(2)", "!syntax|pow takes 2" },
        { "sqrt()", "!syntax" },
        { "1 << 64", "!arithmetic|shift" },
        { "1 >> -1", "!arithmetic|shift" },
        { "1 << -1", "!arithmetic|shift" },
        { "a / z", "!arithmetic|division by zero|column 3|\"a / z\"" },
        { "a % z", "!arithmetic|division by zero" },
        { "1 + a / (b - 3)", "!arithmetic|division by zero|column 7" },
        { "1.5 / 0", "!arithmetic|division by zero" },
        { "1.5 % 0.0", "!arithmetic|division by zero" },
        { "ceil_div(1, z)", "!arithmetic|division by zero" },
        { "1e308 * 10", "!arithmetic|overflow" },
        { "log2(0)", "!arithmetic|log2" },
        { "log2(-1.5)", "!arithmetic|log2" },
        { "1.5 & 1", "!arithmetic|integer" },
        { "1.5 << 1", "!arithmetic|integer" },
        { "~1.5", "!arithmetic|integer" },
        { "mode + 1", "!arithmetic|name" },
        { "mode == 1", "!arithmetic|name compared" },
        { "mode && 1", "!arithmetic|name" },
        { "mode < \"x\"", "!arithmetic|a name where a number is needed|column 6" },
        { "a * b * big * 0", "!arithmetic|overflow|column 7" },
        { "z == 0 || a % z == 0", "1" },
        { "z != 0 && a % z == 0", "0" },
        { "z ? a / z : 9", "9" },
        { "1 ? 9 : a / z", "9" },
        { "a % z == 0 || z == 0", "!arithmetic|division" },
        { "1 && 1 && a / z", "!arithmetic|division|column 13" },
        { NULL, NULL },
    };
    expr_check(cases);
}

static void test_expr_syntax(void)
{
    static const expr_case cases[] = {
        { "", "!syntax|operand|column 1" },
        { "a +", "!syntax|operand|column 4" },
        { "a + * b", "!syntax|'*'|column 5" },
        { "(a + b", "!syntax|')'|column 7" },
        { "a + b)", "!syntax|')'|column 6" },
        { "a b", "!syntax|operator|column 3" },
        { "a = 3", "!syntax|==|column 3" },
        { "a and b", "!syntax|'and'|column 3" },
        { "not a", "!syntax|'a'|column 5" },
        { "a ? b", "!syntax|':'|column 6" },
        { "32 <= a <= 64", "!syntax|&&|column 9" },
        { "a == b == 3", "!syntax|&&|column 8" },
        { "a == b < 3", "!syntax|&&|column 3" },
        { "(32 <= a) <= 64", "1" },
        { "\"open", "!syntax|quote|column 1" },
        { "\"text\" + 1", "!arithmetic|a name where a number is needed|column 8" },
        { "12ab", "!syntax|malformed|column 1" },
        { "0x", "!syntax|malformed" },
        { "017", "!syntax|octal" },
        { "1.2.3", "!syntax|malformed" },
        { "9223372036854775808", "!syntax|too large" },
        { "99999999999999999999", "!syntax|too large" },
        { "0x10000000000000000", "!syntax|too large" },
        { "min(a)", "!syntax|min takes 2" },
        { "abs(a, b)", "!syntax|abs takes 1" },
        { "min(a, )", "!syntax|operand|column 8" },
        { "min(a, b", "!syntax|column 9" },
        { "cbrt(a)", "!symbol|cbrt|column 1" },
        { "a + BLOK", "!symbol|'BLOK'|column 5|\"a + BLOK\"|BLOCK" },
        { "block", "!symbol|'block'|BLOCK" },
        { "quite_unlike", "!symbol|'quite_unlike'" },
        { "a $ b", "!syntax|'$'|column 3" },
        { "a , b", "!syntax|','|column 3" },
        { NULL, NULL },
    };
    expr_check(cases);
}

static void test_expr_nesting(void)
{
    static char text[400000], out[2048];
    int i;
    memset(text, '(', 300);
    strcpy(text + 300, "1");
    memset(text + 301, ')', 300);
    text[601] = 0;
    expr_evaluate(text, out, sizeof out);
    CHECK_TEXT(out, "1");
    memset(text, '(', 100000);
    text[100000] = 0;
    expr_evaluate(text, out, sizeof out);
    CHECK_HAS(out, "deep");
    memset(text, '!', 100000);
    expr_evaluate(text, out, sizeof out);
    CHECK_HAS(out, "deep");
    for (text[0] = 0, i = 0; i < 60000; i++) memcpy(text + 2 * i, "1+", 3);
    strcpy(text + 2 * i, "1"); // long is not deep
    expr_evaluate(text, out, sizeof out);
    CHECK_TEXT(out, "60001");
    for (text[0] = 0, i = 0; i < 60000; i++) memcpy(text + 2 * i, "1%", 3);
    strcpy(text + 2 * i, "1");
    expr_evaluate(text, out, sizeof out);
    CHECK_TEXT(out, "0");
    for (text[0] = 0, i = 0; i < 300; i++) memcpy(text + 3 * i, "1+(", 4);
    strcpy(text + 3 * i, "1"); // as many operands wait
    memset(text + 3 * i + 1, ')', 300);
    text[3 * i + 301] = 0;
    expr_evaluate(text, out, sizeof out);
    CHECK_HAS(out, "deep");
    for (text[0] = 0, i = 0; i < 60000; i++) memcpy(text + 4 * i, "1?2:", 5);
    strcpy(text + 4 * i, "1");
    expr_evaluate(text, out, sizeof out);
    CHECK_HAS(out, "deep");
}

static void test_expr_list(void)
{
    gt__base b;
    gt__expr *exprs[3];
    gputune_error error;
    gt__num values[EXPR_NAMES], value;
    int count = -1;
    gt__base_init(&b, NULL);
    expr_values(values);
    CHECK_INT(gt__expr_compile_list(&b, "ceil_div(a, b), max(a, b), 1", expr_names,
                                    EXPR_NAMES, exprs, 3, &count, &error),
              GPUTUNE_OK);
    CHECK_INT(count, 3);
    CHECK(gt__expr_uses(exprs[0], 1) && !gt__expr_uses(exprs[2], 1));
    CHECK_INT(gt__expr_eval(exprs[1], values, &value, NULL), GPUTUNE_OK);
    CHECK_INT(value.u.i, 5);
    while (count > 0) gt__expr_free(&b, exprs[--count]);
    CHECK_INT(gt__expr_compile_list(&b, "1,2,3,4", expr_names, EXPR_NAMES, exprs, 3, &count,
                                    &error),
              GPUTUNE_ERROR_SYNTAX);
    CHECK_INT(count, 0);
    CHECK_INT(gt__expr_compile_list(&b, "1, 2 +, 3", expr_names, EXPR_NAMES, exprs, 3,
                                    &count, &error),
              GPUTUNE_ERROR_SYNTAX);
    CHECK_HAS(error.text, "column 7");
    CHECK_INT(gt__expr_compile_list(&b, "1,", expr_names, EXPR_NAMES, exprs, 3, &count,
                                    &error),
              GPUTUNE_ERROR_SYNTAX);
}

static void test_expr_real_text(void)
{
    static const char *const texts[] = { "0.5",  "1.0",         "0.1",   "1e+100", "0.3125",
                                         "-2.0", "123456789.0", "1e-05", "1.25",   "1.25e+23" };
    static const expr_case cases[] = { { "1.5x", "!malformed" },
                                       { "1e999", "!too large" },
                                       { "1e", "!malformed" },
                                       { "1.5e2x", "!malformed" },
                                       { "1.5.", "!malformed" },
                                       { "1..5", "!malformed" },
                                       { "1e+", "!malformed" },
                                       { NULL, NULL } };
    char text[2048], third[GT__VALUE_TEXT];
    const gt__num value = gt__num_real(1.0 / 3.0);
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        expr_evaluate(texts[i], text, sizeof text);
        CHECK_TEXT(text, texts[i]);
    }
    CHECK_NEAR(strtod(gt__value_text(&value, third), NULL), 1.0 / 3.0, 0.0);
    expr_check(cases);
}

typedef struct expr_heap {
    int until; // allocations that succeed before one fails; -1: all
    int live;
} expr_heap;

static void *expr_reallocate(void *user, void *memory, size_t bytes)
{
    expr_heap *heap = (expr_heap *)user;
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

static void test_expr_memory(void)
{
    expr_heap heap;
    gputune_options options;
    gt__base b;
    gputune_error error;
    gt__expr *expr;
    int fail;
    gputune_result result = GPUTUNE_ERROR_MEMORY;
    memset(&options, 0, sizeof options);
    options.reallocate = expr_reallocate;
    options.user = &heap;
    for (fail = 0; result == GPUTUNE_ERROR_MEMORY && fail < 100; fail++) {
        heap.until = fail;
        heap.live = 0;
        gt__base_init(&b, &options);
        result = gt__expr_compile(
            &b, "min(a, b) + a*b*r - (mode == \"x\" || z < 3) + 1 + 2 + 3 + 4", expr_names,
            EXPR_NAMES, &expr, &error);
        if (result) CHECK(expr == NULL);
        gt__expr_free(&b, expr);
        CHECK_INT(heap.live, 0);
    }
    CHECK_INT(result, GPUTUNE_OK);
    CHECK(fail > 4);
}

static const test_case expr_cases[] = {
    { "precedence", test_expr_precedence }, { "arithmetic", test_expr_arithmetic },
    { "faults", test_expr_faults },         { "syntax", test_expr_syntax },
    { "nesting", test_expr_nesting },       { "list", test_expr_list },
    { "real_text", test_expr_real_text },   { "memory", test_expr_memory },
    { NULL, NULL },
};
