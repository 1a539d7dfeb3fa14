// What everybody stands on: the hash table, the solver, statistics, lines and their fields, a queue
// of jobs. Numbers as text are in test_store.c.
#include "test.h"

// Items are found whatever their number and however many share a hash.
static void test_base_table(void)
{
    enum { COUNT = 3000 };
    static uint64_t hashes[COUNT];
    gt__base b;
    gt__lookup table;
    uint64_t state = 1;
    int i;
    memset(&b, 0, sizeof b);
    memset(&table, 0, sizeof table);
    CHECK(gt__lookup_next(&table, 5, NULL) == NULL);
    for (i = 0; i < COUNT; i++) {
        hashes[i] = gt__random(&state);
        if (i % 10 == 0) hashes[i] = 77; // 300 of one hash
        if (i % 10 == 1 || i % 10 == 2) // whose place is the last
            hashes[i] = UINT64_MAX - (i % 10 == 1 ? 0 : UINT32_C(1) << 31);
        CHECK(gt__lookup_room(&b, &table, 1));
        gt__lookup_put(&table, hashes[i], (uint32_t)i);
    }
    CHECK(2 * table.used <= table.size);
    for (i = 0; i < COUNT; i++) {
        const gt__lookup_slot *at = gt__lookup_next(&table, hashes[i], NULL);
        int found = 0;
        for (; at; at = gt__lookup_next(&table, hashes[i], at))
            found += at->item == (uint32_t)i;
        CHECK_INT(found, 1);
    }
    CHECK(gt__lookup_next(&table, 78, NULL) == NULL);
    CHECK(!gt__lookup_room(&b, &table, (size_t)-1));
    gt__free(&b, table.slots);
}

// A line through points, by normal equations, and what cannot be solved.
static void test_base_cholesky(void)
{
    double a[4] = { 0, 0, 0, 0 }, b[2] = { 0, 0 }, singular[4] = { 1, 0, 1, 1 }, c[2] = { 1, 1 };
    double hilbert[36], ones[6];
    int i, j;
    for (i = 0; i < 5; i++) { // y = 3 + 2 x
        a[0] += 1;
        a[2] += i;
        a[3] += i * i;
        b[0] += 3 + 2 * i;
        b[1] += i * (3 + 2 * i);
    }
    a[1] = NAN; // not read
    CHECK(gt__cholesky(a, b, 2));
    CHECK_NEAR(b[0], 3, 1e-12);
    CHECK_NEAR(b[1], 2, 1e-12);
    CHECK(!gt__cholesky(singular, c, 2)); // two columns that are one
    for (i = 0; i < 6; i++)
        for (j = 0, ones[i] = 0; j < 6; j++) ones[i] += hilbert[i * 6 + j] = 1.0 / (i + j + 1);
    CHECK(gt__cholesky(hilbert, ones, 6));
    for (i = 0; i < 6; i++) CHECK_NEAR(ones[i], 1, 1e-6);
}

// Not-a-number is no number that the others are compared with: it comes last.
static void test_base_nan(void)
{
    double samples[5] = { 3, NAN, 1, 2, -HUGE_VAL };
    CHECK(gt__is_nan(NAN) && gt__is_nan(-(double)NAN));
    CHECK(!gt__is_nan(HUGE_VAL) && !gt__is_nan(0.0) && !gt__is_nan(DBL_MAX));
    qsort(samples, 5, sizeof *samples, gt__compare_doubles);
    CHECK(samples[0] < 0 && samples[1] == 1 && samples[2] == 2 && samples[3] == 3);
    CHECK(gt__is_nan(samples[4]));
}

typedef struct base_thing {
    const char *text;
    double number;
    int count;
    uint64_t hash;
    gputune_result result;
} base_thing;

static const gt__field base_fields[] = {
    { "text", GT__FIELD_TEXT, offsetof(base_thing, text) },
    { "number", GT__FIELD_NUMBER, offsetof(base_thing, number) },
    { "count", GT__FIELD_COUNT, offsetof(base_thing, count) },
    { "hash", GT__FIELD_HASH, offsetof(base_thing, hash) },
    { "result", GT__FIELD_RESULT, offsetof(base_thing, result) },
    { NULL, GT__FIELD_TEXT, 0 }
};

// Reads the line of these words, with a right check.
static uint32_t base_read(const char *words, base_thing *thing, char **text)
{
    gt__base b;
    gt__line line;
    memset(&b, 0, sizeof b);
    memset(thing, 0, sizeof *thing);
    gt__line_clear(*text);
    CHECK(gt__text_put(&b, text, words, strlen(words)) && gt__put_check(&b, text, 0));
    line = gt__line_at(*text, 0, (size_t)stbds_arrlen(*text));
    CHECK(line.sound && line.newline && gt__line_is(*text, &line, "thing"));
    return gt__get_line(*text, &line, base_fields, thing);
}

// A struct goes into a line and comes back; fields in any order; what is unknown or impossible.
static void test_base_lines(void)
{
    static const char *const bad[] = { "thing\tnumber=1,5", "thing\tnumber=", "thing\thash=12",
                                       "thing\thash=0123456789abcdeg", "thing\tresult=good",
                                       "thing\tnumber" };
    base_thing in = { "a\tb%\n\x7f=", -1.0 / 3, 7, UINT64_C(0xfedcba9876543210),
                      GPUTUNE_ERROR_TIMEOUT }, out;
    gt__base b;
    gt__line line;
    char *text = NULL;
    uint32_t which;
    size_t i;
    memset(&b, 0, sizeof b);
    for (which = 0; which < 32; which++) {
        gt__line_clear(text);
        CHECK(gt__put_line(&b, &text, "thing", base_fields, which, &in));
        line = gt__line_at(text, 0, (size_t)stbds_arrlen(text));
        memset(&out, 0, sizeof out);
        CHECK_INT(gt__get_line(text, &line, base_fields, &out) & 31, which);
        CHECK_TEXT(out.text ? out.text : "none", which & 1 ? in.text : "none");
        CHECK(out.number == (which & 2 ? in.number : 0));
        CHECK_INT(out.count, which & 4 ? 7 : 0);
        CHECK(out.hash == (which & 8 ? in.hash : 0));
        CHECK_INT(out.result, which & 16 ? GPUTUNE_ERROR_TIMEOUT : GPUTUNE_OK);
    }
    CHECK_INT(base_read("thing\tcount=-4\tlater=9\ttext=x\tcount=3\ttext=%4", &out, &text) & 31,
              5);
    CHECK_INT(out.count, 3);
    CHECK_TEXT(out.text, "%4");
    CHECK(base_read("thing", &out, &text) != 0);
    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_OR(base_read(bad[i], &out, &text) == 0, "%s is understood", bad[i]);
    gt__arr_free(&b, text);
}

static const test_case base_cases[] = {
    { "table", test_base_table }, { "cholesky", test_base_cholesky }, { "nan", test_base_nan },
    { "lines", test_base_lines }, { NULL, NULL },
};
