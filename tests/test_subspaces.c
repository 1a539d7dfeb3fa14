// [samples], and examples/subspaces.h against brute force: what trees say of parts of a space.
#include "table.h"
#include "test.h"

#include <stdlib.h>

// The allocator of examples/subspaces.h: fails after so many calls, and counts what is not freed.
static int sub_until = -1, sub_live;

static void *sub_realloc(void *block, size_t size)
{
    void *to = sub_until == 0 ? NULL : realloc(block, size);
    if (sub_until > 0) sub_until--;
    sub_live += to && !block;
    return to;
}

static void *sub_calloc(size_t count, size_t size)
{
    void *to = sub_realloc(NULL, count * size);
    if (to) memset(to, 0, count * size);
    return to;
}

static void sub_release(void *block)
{
    sub_live -= block != NULL;
    free(block);
}

#define malloc(size) sub_realloc(NULL, size)
#define calloc sub_calloc
#define realloc sub_realloc
#define free sub_release
#include "examples/subspaces.h"
#undef malloc
#undef calloc
#undef realloc
#undef free

// --- samples to learn from: two numbers, a boolean, a named one ---

enum { SUB_FEATURES = 4, SUB_NAMES = 4 };

static const char *const sub_names[] = { "naive", "tiled", "vector", "blocked", NULL };
static const gputune_param sub_features[SUB_FEATURES] = {
    { "A", NULL, NULL }, { "B", NULL, NULL }, { "FLAG", NULL, NULL },
    { "ALGO", "set naive,tiled,vector,blocked", NULL }
};

typedef struct sub_data {
    gputune_samples *table[2]; // time, power
    gputune_tree *tree[2];
    subspace_goal goals[2];
} sub_data;

// A row of values that occur: A 1 .. 12, B powers of two, FLAG, ALGO.
static void sub_row(uint64_t *random, double *row)
{
    row[0] = 1.0 + (double)gt__random_below(random, 12);
    row[1] = (double)(1u << gt__random_below(random, 6));
    row[2] = (double)gt__random_below(random, 2);
    row[3] = (double)gt__random_below(random, SUB_NAMES);
}

static double sub_time(const double *row)
{
    static const double slow[SUB_NAMES] = { 3, 1, 2, 1.5 };
    return slow[(int)row[3]] * (row[0] > 4 ? 10 / row[0] : 4) + (row[2] > 0.5 ? 0.3 * row[1] : 2);
}

static double sub_power(const double *row)
{
    return 100 + 8 * row[0] + (row[3] > 1.5 ? 25 : 0) - (row[2] > 0.5 ? 12 : 0) + row[1] / 4;
}

static gputune_tree *sub_tree(gputune_table samples, int min_leaf, int trees)
{
    gputune_tree_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.table = samples;
    desc.min_leaf = min_leaf;
    desc.trees = trees;
    return gputune_tree_create(&desc);
}

static void sub_make(sub_data *d, uint64_t seed, int count, int min_leaf)
{
    uint64_t random = seed;
    int i, t;
    memset(d, 0, sizeof *d);
    for (t = 0; t < 2; t++)
        d->table[t] = samples_of(NULL, sub_features, SUB_FEATURES, NULL);
    for (i = 0; i < count; i++) {
        double row[SUB_FEATURES], noise = 1 + 0.02 * gt__random_normal(&random);
        sub_row(&random, row);
        CHECK_INT(gputune_samples_add(d->table[0], row, NULL, noise * sub_time(row)), GPUTUNE_OK);
        CHECK_INT(gputune_samples_add(d->table[1], row, NULL, noise * sub_power(row)), GPUTUNE_OK);
    }
    for (t = 0; t < 2; t++) {
        d->goals[t].table = worked(d->table[t]);
        d->goals[t].tree = d->tree[t] =
            sub_tree(d->goals[t].table, min_leaf, 1);
        CHECK_TEXT(gputune_tree_error(d->tree[t])->text, "");
    }
}

static void sub_free(sub_data *d)
{
    int t;
    for (t = 0; t < 2; t++) {
        gputune_tree_destroy(d->tree[t]);
        gputune_samples_destroy(d->table[t]);
    }
}

static subspaces *sub_query(const subspace_goal *goals, int count, const char *within)
{
    subspace_goal asked[3];
    memset(asked, 0, sizeof asked);
    memcpy(asked, goals, (size_t)count * sizeof *asked);
    return subspaces_find(asked, within);
}

// "A >= 3", "A == 3", "ALGO == \"tiled\"", "(ALGO == \"naive\" || ALGO == \"tiled\")"
static bool sub_term(const char *term, const double *row)
{
    const char *word = term + (*term == '(');
    char quoted[40];
    double x, v;
    int f = 0;
    while (f < SUB_FEATURES && (strncmp(sub_features[f].name, word, strlen(sub_features[f].name)) ||
                                word[strlen(sub_features[f].name)] != ' '))
        f++;
    if (f == SUB_FEATURES) {
        TEST_FAIL("no term: %s", term);
        return false;
    }
    word += strlen(sub_features[f].name) + 1;
    x = row[f];
    v = atof(word + 3);
    snprintf(quoted, sizeof quoted, "%s == \"%s\"", sub_features[f].name,
             f == 3 ? sub_names[(int)x] : "");
    if (f == 3) return strstr(term, quoted) != NULL;
    if (strncmp(word, "== ", 3) == 0) return x == v;
    return strncmp(word, ">= ", 3) == 0 ? x >= v : strncmp(word, "<= ", 3) == 0 && x <= v;
}

// By its text, of a row of values that samples have.
static bool sub_inside(const subspace *s, const double *row)
{
    const char *at = s->text, *end;
    bool inside = true;
    if (strcmp(at, "everywhere") == 0) return true;
    for (; at && inside; at = end ? end + 4 : NULL) {
        char term[200];
        end = strstr(at, " && ");
        snprintf(term, sizeof term, "%.*s", end ? (int)(end - at) : (int)strlen(at), at);
        inside = sub_term(term, row);
    }
    return inside;
}

// The subspace of a row by looking at all; -1: none, -2: several.
static int sub_find(const subspaces *all, const double *row)
{
    int i, found = -1;
    for (i = 0; i < all->count; i++)
        if (sub_inside(subspaces_at(all, i, 0), row)) found = found < 0 ? i : -2;
    return found;
}

// --- one tree ---

static void test_sub_partition(void)
{
    sub_data d;
    subspaces *all;
    uint64_t random = 99;
    int i, wrong = 0;
    sub_make(&d, 1, 300, 2);
    all = sub_query(d.goals, 1, NULL);
    CHECK_TEXT(all->error, "");
    CHECK(all->count > 20);
    for (i = 0; i < 5000; i++) {
        double row[SUB_FEATURES];
        int at;
        sub_row(&random, row);
        at = sub_find(all, row);
        wrong += at < 0;
        if (at < 0) continue;
        wrong += fabs(subspaces_at(all, at, 0)->value -
                      gputune_tree_predict(d.tree[0], row, NULL)) > 1e-12;
    }
    CHECK_INT(wrong, 0);
    for (i = 1; i < all->count; i++)
        CHECK(subspaces_at(all, i - 1, 0)->value <=
              subspaces_at(all, i, 0)->value);
    subspaces_free(all);
    d.goals[0].want = "most";
    all = sub_query(d.goals, 1, NULL);
    for (i = 1; i < all->count; i++)
        CHECK(subspaces_at(all, i - 1, 0)->value >=
              subspaces_at(all, i, 0)->value);
    subspaces_free(all);
    sub_free(&d);
}

// Least, mean, most and count of every leaf, both trees' samples in one query.
static void sub_check_values(const subspaces *all, const sub_data *d)
{
    int i, t;
    size_t n, inside[2] = { 0, 0 };
    for (i = 0; i < all->count; i++)
        for (t = 0; t < 2; t++) {
            const subspace *s = subspaces_at(all, i, t);
            const gputune_table *samples = &d->goals[t].table;
            double least = HUGE_VAL, most = -HUGE_VAL, sum = 0;
            size_t count = 0;
            for (n = 0; n < samples->count; n++) {
                if (!sub_inside(s, samples->x + n * SUB_FEATURES)) continue;
                least = fmin(least, samples->y[n]);
                most = fmax(most, samples->y[n]);
                sum += samples->y[n];
                count++;
            }
            CHECK_INT(s->count, count);
            inside[t] += count;
            if (count == 0) {
                CHECK(gt__is_nan(s->least) && gt__is_nan(s->most));
                continue;
            }
            CHECK_NEAR(s->least, least, 0);
            CHECK_NEAR(s->most, most, 0);
            CHECK_NEAR(s->mean, sum / (double)count, 1e-9);
        }
    for (t = 0; t < 2; t++) CHECK_INT(inside[t], d->goals[t].table.count);
}

// Best first, but what no sample is in comes last.
static void sub_check_order(const subspaces *all)
{
    int i;
    CHECK(all->count > 2);
    for (i = 1; i < all->count; i++) {
        const subspace *a = subspaces_at(all, i - 1, 0);
        const subspace *b = subspaces_at(all, i, 0);
        CHECK(a->count > 0 || b->count == 0);
        if ((a->count > 0) == (b->count > 0)) CHECK(a->value <= b->value);
    }
}

static void test_sub_values(void)
{
    sub_data d;
    subspaces *all;
    sub_make(&d, 2, 200, 3);
    all = sub_query(d.goals, 2, NULL);
    CHECK(all->count > 100);
    sub_check_values(all, &d);
    sub_check_order(all);
    subspaces_free(all);
    sub_free(&d);
}

// --- several goals ---

// The worst that a tree's leaf of a row has seen; NaN: nothing, or it is outside.
static double sub_worst(const subspaces *leaves, const double *row)
{
    const int at = sub_find(leaves, row);
    return at < 0 ? (double)NAN : subspaces_at(leaves, at, 0)->most;
}

// Every combination of values that samples have is in a subspace if and only if both goals are met.
static void sub_check_goals(const sub_data *d, const char *within,
                            bool (*allowed)(const double *row))
{
    subspaces *met = sub_query(d->goals, 2, within), *leaves[2];
    int a, b, t, wrong = 0, found = 0;
    CHECK_TEXT(met->error, "");
    for (t = 0; t < 2; t++) {
        subspace_goal goal = d->goals[t];
        goal.want = "least";
        leaves[t] = sub_query(&goal, 1, within); // what is worst counts inside
    }
    for (a = 1; a <= 12; a++)
        for (b = 0; b < 6 * 2 * SUB_NAMES; b++) {
            const double row[SUB_FEATURES] = { a, (double)(1 << b % 6), b / 6 % 2, b / 12 };
            bool good = !allowed || allowed(row);
            int at = sub_find(met, row);
            for (t = 0; t < 2; t++) {
                double value = d->goals[t].worst ? sub_worst(leaves[t], row)
                                                 : gputune_tree_predict(d->tree[t], row, NULL);
                good = good && gt__is_finite(value) && value <= (t ? 165 : 6);
            }
            wrong += at == -2 || (at >= 0) != good;
            found += good;
        }
    CHECK_INT(wrong, 0);
    CHECK(found > 0);
    for (t = 0; t < 2; t++) subspaces_free(leaves[t]);
    subspaces_free(met);
}

static bool sub_allowed(const double *row)
{
    return row[0] >= 3 && row[0] <= 9 && (int)row[3] == 1;
}

static void test_sub_goals(void)
{
    sub_data d;
    int worst;
    uint64_t seed;
    for (seed = 10; seed < 14; seed++) {
        sub_make(&d, seed, 250, 4);
        d.goals[0].want = "<= 6";
        d.goals[1].want = "<=165";
        for (worst = 0; worst < 2; worst++) {
            d.goals[0].worst = d.goals[1].worst = worst;
            sub_check_goals(&d, NULL, NULL);
            sub_check_goals(&d, "ALGO == \"tiled\" && A >= 3 && A <= 9", sub_allowed);
            sub_check_goals(&d, " A<=9&&A>=3 &&(ALGO == \"tiled\" || 0) ", sub_allowed);
        }
        sub_free(&d);
    }
}

// At most and at least: what is just at a goal's bound meets it.
static void test_sub_bounds(void)
{
    static const double x[4] = { 1, 1, 3, 3 }, y[4] = { 1, 1, 4, 4 };
    static const gputune_param feature = { "A", NULL, NULL };
    subspace_goal goal;
    char want[40];
    int worst, above, off;
    memset(&goal, 0, sizeof goal);
    goal.table.columns = columns_of(&feature, 1);
    goal.table.count = 4;
    goal.table.x = x;
    goal.table.y = y;
    goal.tree = sub_tree(goal.table, 0, 1);
    for (worst = 0; worst < 2; worst++)
        for (above = 0; above < 2; above++)
            for (off = 0; off < 2; off++) {
                subspaces *met;
                goal.worst = worst;
                snprintf(want, sizeof want, "%s %.12g", above ? ">=" : "<=",
                         (above ? 4 : 1) + off * (above ? 1e-9 : -1e-9));
                goal.want = want;
                met = sub_query(&goal, 1, NULL);
                CHECK_INT(met->count, !off);
                subspaces_free(met);
            }
    gputune_tree_destroy((gputune_tree *)(uintptr_t)goal.tree);
}

// The fastest within a limit of power: merging leaves the leaves of what is ranked apart.
static void test_sub_ranked(void)
{
    sub_data d;
    subspaces *met;
    int a, b, wrong = 0, found = 0;
    sub_make(&d, 15, 250, 4);
    d.goals[1].want = "<= 150";
    met = sub_query(d.goals, 2, NULL);
    sub_check_order(met);
    for (a = 1; a <= 12; a++)
        for (b = 0; b < 6 * 2 * SUB_NAMES; b++) {
            const double row[SUB_FEATURES] = { a, (double)(1 << b % 6), b / 6 % 2, b / 12 };
            const bool good = gputune_tree_predict(d.tree[1], row, NULL) <= 150;
            const int at = sub_find(met, row);
            found += good;
            wrong += (at >= 0) != good;
            if (at >= 0)
                wrong += fabs(subspaces_at(met, at, 0)->value -
                              gputune_tree_predict(d.tree[0], row, NULL)) > 1e-12;
        }
    CHECK_INT(wrong, 0);
    CHECK(found > 20);
    subspaces_free(met);
    sub_free(&d);
}

static void test_sub_above(void)
{
    sub_data d;
    subspaces *met;
    uint64_t random = 5;
    int i, wrong = 0, inside = 0;
    sub_make(&d, 3, 200, 2);
    d.goals[0].want = ">= 9";
    met = sub_query(d.goals, 1, NULL);
    for (i = 0; i < 2000; i++) {
        double row[SUB_FEATURES];
        bool good;
        sub_row(&random, row);
        good = gputune_tree_predict(d.tree[0], row, NULL) >= 9;
        inside += good;
        wrong += (sub_find(met, row) >= 0) != good;
    }
    CHECK_INT(wrong, 0);
    CHECK(inside > 100);
    d.goals[0].want = ">= 1e9"; // none is no error
    subspaces_free(met);
    met = sub_query(d.goals, 1, NULL);
    CHECK_INT(met->count, 0);
    CHECK_TEXT(met->error, "");
    subspaces_free(met);
    sub_free(&d);
}

// --- text, and merging where the answer is plain ---

// Time 1 where A is 4 to 8 or the algorithm is vector, else 5 where FLAG, else 9.
static gputune_samples *sub_plain(void)
{
    gputune_samples *table = samples_of(NULL, sub_features, SUB_FEATURES, NULL);
    int a, b;
    for (a = 1; a <= 10; a++)
        for (b = 0; b < 2 * SUB_NAMES; b++) {
            const double row[SUB_FEATURES] = { a, 7, b % 2, b / 2 };
            const double y = (a >= 4 && a <= 8) || b / 2 == 2 ? 1 : b % 2 ? 5 : 9;
            CHECK_INT(gputune_samples_add(table, row, NULL, y), GPUTUNE_OK);
        }
    return table;
}

static bool sub_has(const subspaces *all, const char *text)
{
    int i;
    for (i = 0; i < all->count; i++)
        if (strcmp(subspaces_at(all, i, 0)->text, text) == 0) return true;
    return false;
}

#define SUB_OTHERS "(ALGO == \"naive\" || ALGO == \"tiled\" || ALGO == \"blocked\")"

static void test_sub_text(void)
{
    gputune_samples *table = sub_plain();
    gputune_tree *tree = sub_tree(worked(table), 1, 1);
    subspace_goal goal;
    subspaces *all;
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.table = worked(table);
    goal.want = "<= 2";
    all = sub_query(&goal, 1, NULL);
    CHECK(sub_has(all, "A >= 4 && A <= 8") ||
          (sub_has(all, "ALGO == \"vector\"") &&
           sub_has(all, "A >= 4 && A <= 8 && " SUB_OTHERS)));
    subspaces_free(all);
    goal.want = ">= 6";
    all = sub_query(&goal, 1, NULL);
    CHECK_INT(all->count, 2);
    CHECK(sub_has(all, "A <= 3 && FLAG == 0 && " SUB_OTHERS));
    CHECK(sub_has(all, "A >= 9 && FLAG == 0 && " SUB_OTHERS));
    subspaces_free(all);
    goal.want = ">= 0";
    all = sub_query(&goal, 1, NULL);
    CHECK_INT(all->count, 1);
    CHECK_TEXT(subspaces_at(all, 0, 0)->text, "everywhere");
    CHECK(!subspaces_at(all, 0, 1) && !subspaces_at(all, 0, -1));
    subspaces_free(all);
    goal.want = ">= 6";
    all = sub_query(&goal, 1, "A >= 1 && A <= 8"); // both ends of what is asked for
    CHECK(sub_has(all, "A <= 3 && FLAG == 0 && " SUB_OTHERS));
    CHECK_INT(all->count, 1);
    CHECK_NEAR(subspaces_at(all, 0, 0)->value, 9, 0);
    subspaces_free(all);
    all = sub_query(&goal, 1, "A >= 9 && FLAG == 0 && " SUB_OTHERS);
    CHECK_INT(all->count, 1);
    CHECK_TEXT(subspaces_at(all, 0, 0)->text,
               "A >= 9 && FLAG == 0 && " SUB_OTHERS);
    subspaces_free(all);
    all = sub_query(&goal, 1, "FLAG == 1");
    CHECK_INT(all->count, 0);
    subspaces_free(all);
    gputune_tree_destroy(tree);
    gputune_samples_destroy(table);
}

// --- what cannot be asked ---

static void sub_expect(const subspace_goal *goals, int count, const char *within,
                       gputune_result result, const char *part)
{
    subspaces *all = sub_query(goals, count, within);
    CHECK_INT(all->result, result);
    CHECK_HAS(all->error, part);
    CHECK_INT(all->count, 0);
    subspaces_free(all);
}

static void test_sub_errors(void)
{
    static const struct {
        const char *within, *part;
        gputune_result result;
    } bad[] = { { "C <= 2", "\"C\" is no column", GPUTUNE_ERROR_SYMBOL },
                { "3", "\"3\" names no column", GPUTUNE_ERROR_SYMBOL },
                { "\"tiled\" == x", "\"x\" is no column", GPUTUNE_ERROR_SYMBOL },
                { "1e3 <= 0x.A", "\"1e3 <= 0x.A\" names no column", GPUTUNE_ERROR_SYMBOL },
                { "ALGO == \"fast\"", "holds for no value of ALGO", GPUTUNE_ERROR_ARGUMENT },
                { "A >= 9 && A < 0 && B", "\" A < 0 \" holds for no", GPUTUNE_ERROR_ARGUMENT },
                { "A <= B", "unknown symbol 'B'", GPUTUNE_ERROR_SYMBOL },
                { "A == \"tiled\"", "a name compared with a number", GPUTUNE_ERROR_ARITHMETIC },
                { "ALGO <= 1", "", GPUTUNE_ERROR_ARITHMETIC },
                { "1 <= A <= 3", "chained comparison", GPUTUNE_ERROR_SYNTAX },
                { "A = 3", "write ==", GPUTUNE_ERROR_SYNTAX },
                { "A <= 3 &&", "\"\" names no column", GPUTUNE_ERROR_SYMBOL },
                { "A <= ", "expected an operand", GPUTUNE_ERROR_SYNTAX },
                { "", "\"\" names no column", GPUTUNE_ERROR_SYMBOL } };
    static const char *const wants[] = { "fast", "", "< 3", "<= x", ">=", "mos", "least 3" };
    static const gputune_param other[] = {
        { "A", NULL, NULL }, { "B", NULL, NULL }, { "FLAG", NULL, NULL }, { "ALGO", NULL, NULL }
    };
    static const gputune_param renamed[] = {
        { "A", NULL, NULL }, { "B", NULL, NULL }, { "FLAG", NULL, NULL },
        { "ALGO", "set naive, tiled, vector, other", NULL }
    };
    const double row[2][SUB_FEATURES] = { { 1, 1, 1, 1 }, { 1, 1, 1, 2 } };
    sub_data d;
    gputune_tree *forest, *trees[2];
    gputune_table nothing, all;
    gputune_samples *table = samples_of(NULL, other, SUB_FEATURES, NULL);
    const size_t conditions = sizeof bad / sizeof *bad;
    size_t i;
    sub_make(&d, 5, 50, 1);
    for (i = 0; i < conditions; i++)
        sub_expect(d.goals, 2, bad[i].within, bad[i].result, bad[i].part);
    for (i = 0; i < 7; i++) {
        d.goals[1].want = wants[i];
        sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_SYNTAX, "goal 1: \"");
    }
    d.goals[1].want = NULL;
    forest = sub_tree(d.goals[0].table, 1, 3);
    d.goals[1].tree = forest;
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_UNSUPPORTED, "goal 1");
    for (i = 0; i < 2; i++) gputune_samples_add(table, row[i], NULL, (double)i);
    all = d.goals[1].table;
    trees[0] = sub_tree(worked(table), 1, 1); // ALGO is a number to it
    d.goals[1].tree = trees[0];
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 1: its tree");
    d.goals[1].tree = d.tree[1];
    d.goals[1].table = worked(table);
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 1: its table has other");
    all.columns = columns_of(renamed, SUB_FEATURES);
    d.goals[1].table = all;
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 1: its table has other");
    all.columns = columns_of(sub_features, SUB_FEATURES - 1);
    d.goals[0].table = d.goals[1].table = all;
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 0: its tree");
    memset(&d.goals[1].table, 0, sizeof d.goals[1].table);
    d.goals[0].table = worked(d.table[0]);
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 1: its table has no rows");
    memset(&d.goals[0].table, 0, sizeof d.goals[0].table);
    sub_expect(d.goals, 1, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 0: its table has 0 columns");
    nothing = worked(table);
    nothing.count = 0;
    trees[1] = sub_tree(nothing, 1, 1);
    d.goals[0].tree = trees[1];
    d.goals[0].table = worked(table);
    sub_expect(d.goals, 1, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 0: its tree could not be made");
    d.goals[0].tree = NULL;
    sub_expect(d.goals, 1, NULL, GPUTUNE_ERROR_ARGUMENT, "no goal");
    for (i = 0; i < 2; i++) gputune_tree_destroy(trees[i]);
    gputune_tree_destroy(forest);
    gputune_samples_destroy(table);
    sub_free(&d);
}

// --- datasets ---

static gputune_space *sub_space(const gputune_options *options)
{
    static const gputune_param params[] = { { "TPP", "range 1,32", NULL },
                                            { "ALGO", "set tiled,naive,vector", NULL },
                                            { "SCALE", "set 0.5,1.5", NULL },
                                            { NULL, NULL, NULL } };
    static const char *const require[] = { "ALGO != \"vector\" || TPP % 4 == 0", NULL };
    gputune_space_desc desc;
    gputune_space *space;
    memset(&desc, 0, sizeof desc);
    if (options) desc.options = *options;
    desc.params = params;
    desc.require = require;
    space = gputune_space_create(&desc);
    if (gputune_space_count(space)) return space;
    gputune_space_destroy(space);
    return NULL;
}

static void test_sub_dataset(void)
{
    static const gputune_param own[] = { { "device", "set amd, nvidia", NULL },
                                         { "n", NULL, NULL } };
    static const double expected[] = { 1, 4096, 12, 2, 1.5 };
    const double values[2] = { 1, 4096 };
    gputune_space *space = sub_space(NULL), *other;
    gputune_samples *data = samples_of(space, own, 2, NULL);
    gputune_table samples;
    gputune_config config;
    double row[5];
    space_parts p;
    int i;
    CHECK_TEXT(gputune_samples_error(data)->text, "");
    gputune_space_destroy(space); // not used any more
    space = sub_space(NULL);
    CHECK(gputune_config_parse(space, "TPP=12 ALGO=vector SCALE=1.5", &config));
    CHECK_INT(gputune_samples_add(data, values, &config, 2.5), GPUTUNE_OK);
    samples = worked(data);
    CHECK_INT(table_width(&samples), 5);
    CHECK_INT(samples.count, 1);
    CHECK_TEXT(samples.columns[3].values, "set tiled,naive,vector");
    CHECK(samples.columns[2].values == NULL);
    CHECK_TEXT(samples.columns[0].values, "set amd, nvidia");
    for (i = 0; i < 5; i++) CHECK_NEAR(samples.x[i], expected[i], 0);
    CHECK_NEAR(samples.y[0], 2.5, 0);
    CHECK_INT(gputune_samples_row(data, NULL, &config, row), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_samples_error(data)->text, "device");
    CHECK_INT(gputune_samples_row(data, values, &config, row), GPUTUNE_OK);
    row[3] = 3;
    CHECK_INT(gputune_samples_add(data, row, NULL, 1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_samples_error(data)->text, "(ALGO): 3 is none of its");
    row[3] = 0.5;
    CHECK_INT(gputune_samples_add(data, row, NULL, 1), GPUTUNE_ERROR_ARGUMENT);
    row[3] = 0;
    row[4] = NAN;
    CHECK_INT(gputune_samples_add(data, row, NULL, 1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_samples_add(data, values, &config, NAN), GPUTUNE_OK); // it failed
    CHECK_INT(gputune_samples_add(data, values, &config, HUGE_VAL), GPUTUNE_OK);
    CHECK_INT(worked(data).count, 1);
    CHECK_INT(stbds_arrlen(data->y), 3); // they are kept behind it
    for (i = 0; i < 3; i++) CHECK_INT(gt__is_finite(data->y[i]), i == 0);
    for (i = 0; i < 15; i++) CHECK_NEAR(data->x[i], expected[i % 5], 0);
    parts_begin(&p); // its names are in another order, and one is new
    parts_param(&p, "ALGO", "set fast,vector", NULL);
    other = parts_space(&p);
    config = gputune_space_default(other);
    memcpy(row, expected, sizeof row);
    CHECK_INT(gputune_samples_row(data, row, &config, row), GPUTUNE_ERROR_SYMBOL);
    CHECK(gputune_config_parse(other, "ALGO=vector", &config));
    CHECK_INT(gputune_samples_add(data, expected, &config, 1), GPUTUNE_OK);
    CHECK_NEAR(worked(data).x[5 + 3], 2, 0);
    CHECK_INT(stbds_arrlen(data->y), 4);
    for (i = 0; i < 4; i++) CHECK_INT(gt__is_finite(data->y[i]), i < 2);
    for (i = 10; i < 20; i++) CHECK_NEAR(data->x[i], expected[i % 5], 0);
    gputune_space_destroy(other);
    gputune_samples_destroy(data);
    gputune_space_destroy(space);
}

static void test_sub_dataset_errors(void)
{
    static const gputune_param twice[] = { { "a", NULL, NULL }, { "a", NULL, NULL } };
    gputune_param many[GPUTUNE_MAX_COLUMNS + 1];
    const double row[2] = { 1, 2 };
    gputune_space *space = sub_space(NULL);
    gputune_config config = gputune_space_default(space);
    gputune_samples *table = samples_of(NULL, twice, 2, NULL);
    double out[6];
    int i;
    CHECK_INT(gputune_samples_error(table)->result, GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_samples_add(table, row, NULL, 1), GPUTUNE_ERROR_ARGUMENT);
    gputune_samples_destroy(table);
    table = samples_of(NULL, NULL, 0, NULL);
    CHECK_INT(gputune_samples_error(table)->result, GPUTUNE_ERROR_ARGUMENT);
    gputune_samples_destroy(table);
    for (i = 0; i <= GPUTUNE_MAX_COLUMNS; i++) many[i] = twice[0];
    table = samples_of(NULL, many, GPUTUNE_MAX_COLUMNS + 1, NULL);
    CHECK_INT(gputune_samples_error(table)->result, GPUTUNE_ERROR_ARGUMENT);
    gputune_samples_destroy(table);
    table = samples_of(NULL, twice, 1, NULL); // TPP is none of its features
    CHECK_INT(gputune_samples_row(table, row, &config, out), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_samples_error(table)->text, "TPP");
    gputune_samples_destroy(table);
    table = samples_of(space, sub_features, 3, NULL);
    CHECK_INT(gputune_samples_row(table, NULL, &config, out), GPUTUNE_ERROR_ARGUMENT);
    gputune_samples_destroy(table);
    gputune_space_destroy(space);
}

// Two devices in one tree, the device as a parameter (figure 8): the best of each, and of both.
static void test_sub_devices(void)
{
    static const char *const devices[] = { "amd", "nvidia", NULL };
    static const gputune_param device = { "device", "set amd,nvidia", NULL };
    gputune_space *space = sub_space(NULL);
    gputune_samples *table = samples_of(space, &device, 1, NULL);
    double best[2] = { HUGE_VAL, HUGE_VAL };
    gputune_config fast[2];
    subspace_goal goal;
    gputune_tree *tree;
    uint64_t i;
    int d;
    for (i = 0; i < gputune_space_count(space); i++)
        for (d = 0; d < 2; d++) {
            gputune_config config = gputune_space_at(space, i);
            double tpp = (double)gputune_config_int(&config, "TPP"), which = d;
            double y = d ? fabs(tpp - 20) + 3 : fabs(tpp - 5) + 2;
            y += strcmp(gputune_config_name(&config, "ALGO"), d ? "vector" : "naive") ? 1 : 0;
            CHECK_INT(gputune_samples_add(table, &which, &config, y), GPUTUNE_OK);
            if (y < best[d]) {
                best[d] = y;
                fast[d] = config;
            }
        }
    tree = sub_tree(worked(table), 1, 1);
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.table = worked(table);
    for (d = 0; d < 2; d++) {
        subspaces *all;
        double row[4], which = d;
        all = sub_query(&goal, 1, d ? "device == \"nvidia\"" : "device == \"amd\"");
        CHECK_NEAR(subspaces_at(all, 0, 0)->value, best[d], 1e-12);
        CHECK_INT(gputune_samples_row(table, &which, &fast[d], row), GPUTUNE_OK);
        CHECK_NEAR(row[0], d, 0);
        CHECK_NEAR(gputune_tree_predict(tree, row, NULL), best[d], 1e-12);
        for (i = 0; i < (uint64_t)all->count; i++) // not the other device
            CHECK(!strstr(subspaces_at(all, (int)i, 0)->text, devices[1 - d]));
        CHECK_HAS(subspaces_at(all, 0, 0)->text, d ? "device == \"nvidia\""
                                                        : "device == \"amd\"");
        subspaces_free(all);
    }
    gputune_tree_destroy(tree);
    gputune_samples_destroy(table);
    gputune_space_destroy(space);
}

// --- how far a tree is off ---

// Once more by hand: the last fifth of the rows is predicted by a tree of the others.
static void test_sub_validate(void)
{
    sub_data d;
    gputune_tree_desc desc;
    gputune_samples *most = samples_of(NULL, sub_features, SUB_FEATURES, NULL);
    gputune_table s;
    double errors[40];
    gputune_tree *tree;
    size_t i;
    sub_make(&d, 8, 203, 1);
    memset(&desc, 0, sizeof desc);
    s = desc.table = d.goals[0].table;
    desc.log = true;
    for (i = 0; i < s.count; i++)
        if (i < s.count - 40) gputune_samples_add(most, s.x + i * SUB_FEATURES, NULL, s.y[i]);
    desc.table = worked(most);
    tree = gputune_tree_create(&desc);
    for (i = 0; i < 40; i++) {
        const size_t row = s.count - 40 + i;
        errors[i] = fabs(gputune_tree_predict(tree, s.x + row * SUB_FEATURES, NULL) / s.y[row] - 1);
    }
    desc.table = s;
    CHECK_NEAR(gt__tree_validate(&desc), gputune_stats_of(errors, 40).median, 1e-12);
    CHECK(gt__tree_validate(&desc) > 0 && gt__tree_validate(&desc) < 0.2);
    desc.table.count = 9;
    CHECK(gt__is_nan(gt__tree_validate(&desc)));
    gputune_tree_destroy(tree);
    gputune_samples_destroy(most);
    sub_free(&d);
}

// Some configurations fail; the others' times have structure, and noise if asked for.
static double sub_measure(const gputune_config *config, double noise)
{
    const int64_t a = gputune_config_int(config, "A"), b = gputune_config_int(config, "B");
    uint64_t random = (uint64_t)(a * 1000 + b);
    double unit = gt__random_unit(&random);
    if ((a + b) % 11 == 0) return HUGE_VAL;
    return (1.0 + 40.0 / (double)a + (b > 20 ? 8.0 : 0.0)) * exp(noise * (unit - 0.5));
}

static bool sub_progress(void *user, const gputune_progress *progress)
{
    *(double *)user = progress->error;
    return true;
}

// Sampling ends as soon as a tree of the samples is good enough: what the same trials say.
static int sub_enough(double error, double noise, double *off)
{
    static const gputune_param params[] = { { "A", "range 1,100", "1" },
                                            { "B", "range 1,40", "1" },
                                            { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    gputune_tuner *t;
    gputune_config config;
    gputune_tree_desc tree;
    gputune_samples *data;
    double told = NAN;
    int trials = 0, good = 0, due = 20;
    memset(&desc, 0, sizeof desc);
    desc.race = -1;
    memset(&tree, 0, sizeof tree);
    tree.log = true;
    desc.space.options.store = "";
    desc.space.params = params;
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.seed = 3;
    desc.tune.budget.seconds = -1;
    desc.tune.budget.trials = 600;
    desc.tune.budget.error = error;
    desc.tune.progress = sub_progress;
    desc.tune.user = &told;
    t = gputune_tuner_create(&desc);
    *off = NAN;
    for (data = NULL; test_asks(t, &config); trials++) {
        const double value = sub_measure(&config, noise);
        if (!data) data = samples_of(config.space, NULL, 0, NULL);
        CHECK(!(*off <= error));
        gputune_tell(t, &config, value);
        CHECK_INT(gputune_samples_add(data, NULL, &config, value), GPUTUNE_OK);
        tree.table = worked(data);
        good += value < HUGE_VAL;
        if (good == due && value < HUGE_VAL) {
            *off = gt__tree_validate(&tree);
            due += due / 4;
        }
        CHECK(gt__is_nan(*off) ? gt__is_nan(told) : told == *off);
    }
    gputune_tuner_destroy(t);
    gputune_samples_destroy(data);
    return trials;
}

static void test_sub_enough(void)
{
    double off;
    int trials = sub_enough(0.03, 0, &off);
    CHECK(trials >= 20 && off <= 0.03);
    CHECK(sub_enough(0.005, 0, &off) > trials);
    CHECK(off <= 0.005);
    CHECK_INT(sub_enough(0.06, 2, &off), 600); // it cannot be foretold
    CHECK(off > 0.06);
}

// --- memory ---

// All of it in turn with an allocator that fails; true when nothing did.
static bool sub_memory_run(const gputune_options *options, space_heap *heap)
{
    gputune_samples *data = samples_of(NULL, sub_features, SUB_FEATURES, options);
    gputune_tree *tree = NULL;
    gputune_tree_desc desc;
    uint64_t random = 3;
    double row[SUB_FEATURES];
    gputune_result result = data ? gputune_samples_error(data)->result : GPUTUNE_ERROR_MEMORY;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.options = *options;
    for (i = 0; i < 40 && !result; i++) {
        sub_row(&random, row);
        result = gputune_samples_add(data, row, NULL, sub_time(row));
    }
    if (!result) {
        desc.table = worked(data);
        tree = gputune_tree_create(&desc);
        result = tree ? gputune_tree_error(tree)->result : GPUTUNE_ERROR_MEMORY;
    }
    if (!result && gt__is_nan(gt__tree_validate(&desc))) result = GPUTUNE_ERROR_MEMORY;
    CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
    gputune_tree_destroy(tree);
    gputune_samples_destroy(data);
    CHECK_INT(heap->live, 0);
    return result == GPUTUNE_OK;
}

static void test_sub_memory(void)
{
    space_heap heap;
    gputune_options options;
    int fail;
    bool done = false;
    memset(&options, 0, sizeof options);
    options.reallocate = space_reallocate;
    options.user = &heap;
    for (fail = 0; !done && fail < 5000; fail++) {
        heap.until = fail;
        heap.live = 0;
        done = sub_memory_run(&options, &heap);
    }
    CHECK(done && fail > 40);
}

// Without memory subspaces are an error, or NULL, and nothing is left behind.
static void test_sub_heap(void)
{
    static const char within[] = "A >= 1 && ALGO != \"fast\"";
    sub_data d;
    subspaces *all, *expected;
    int i, fail, failed = 0;
    bool done = false;
    sub_make(&d, 6, 40, 1);
    d.goals[1].want = "<= 165";
    CHECK_INT(sub_live, 0);
    expected = sub_query(d.goals, 2, within);
    CHECK(expected->count > 5);
    for (fail = 0; !done && fail < 5000; fail++) {
        const int live = sub_live;
        sub_until = fail;
        all = sub_query(d.goals, 2, within);
        sub_until = -1;
        done = all && all->result == GPUTUNE_OK;
        failed += !done;
        if (all && !done) {
            CHECK_INT(all->result, GPUTUNE_ERROR_MEMORY);
            CHECK_INT(all->count, 0);
        }
        for (i = 0; done && i < expected->count; i++)
            CHECK_TEXT(subspaces_at(all, i, 0)->text, subspaces_at(expected, i, 0)->text);
        subspaces_free(all);
        CHECK_INT(sub_live, live);
    }
    CHECK(done && failed > 100);
    subspaces_free(expected);
    CHECK_INT(sub_live, 0);
    sub_free(&d);
}

// A dataset whose rows cannot be added keeps those it has.
static void test_sub_dataset_memory(void)
{
    const double row[SUB_FEATURES] = { 1, 2, 1, 3 };
    space_heap heap = { -1, 0 };
    gputune_options options;
    gputune_samples *table;
    int i, added = 0;
    memset(&options, 0, sizeof options);
    options.reallocate = space_reallocate;
    options.user = &heap;
    table = samples_of(NULL, sub_features, SUB_FEATURES, &options);
    for (i = 0; i < 200; i++) {
        gputune_result result;
        heap.until = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : -1;
        result = gputune_samples_add(table, row, NULL, i);
        CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
        added += result == GPUTUNE_OK;
        CHECK_INT(worked(table).count, added);
    }
    CHECK(added < 200 && added > 60);
    heap.until = -1;
    gputune_samples_destroy(table);
    CHECK_INT(heap.live, 0);
}

static const test_case subspaces_cases[] = {
    { "partition", test_sub_partition },
    { "values", test_sub_values },
    { "goals", test_sub_goals },
    { "bounds", test_sub_bounds },
    { "ranked", test_sub_ranked },
    { "above", test_sub_above },
    { "text", test_sub_text },
    { "errors", test_sub_errors },
    { "dataset", test_sub_dataset },
    { "dataset_errors", test_sub_dataset_errors },
    { "devices", test_sub_devices },
    { "validate", test_sub_validate },
    { "enough", test_sub_enough },
    { "memory", test_sub_memory },
    { "heap", test_sub_heap },
    { "dataset_memory", test_sub_dataset_memory },
    { NULL, NULL },
};
