// [samples] and [subspaces]: adaptive sampling, and what trees say of parts of a space, against
// brute force.
#include "test.h"

// --- samples to learn from: two numbers, a boolean, a named one ---

enum { SUB_FEATURES = 4, SUB_NAMES = 4 };

static const char *const sub_names[] = { "naive", "tiled", "vector", "blocked", NULL };
static const gputune_feature sub_features[SUB_FEATURES] = {
    { "A", NULL }, { "B", NULL }, { "FLAG", NULL }, { "ALGO", sub_names }
};

typedef struct sub_data {
    gputune_dataset *table[2]; // time, power
    gputune_tree *tree[2];
    gputune_goal goals[2];
} sub_data;

// A row of values that occur: A 1 .. 12, B powers of two, FLAG, ALGO.
static void sub_row(uint64_t *random, double *row)
{
    row[0] = 1.0 + (double)gputune__random_below(random, 12);
    row[1] = (double)(1u << gputune__random_below(random, 6));
    row[2] = (double)gputune__random_below(random, 2);
    row[3] = (double)gputune__random_below(random, SUB_NAMES);
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

static gputune_tree *sub_tree(gputune_samples samples, int min_leaf, gputune_forest forest)
{
    gputune_tree_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.samples = samples;
    desc.min_leaf = min_leaf;
    desc.forest = forest;
    desc.trees = 3;
    return gputune_tree_create(&desc);
}

static void sub_make(sub_data *d, uint64_t seed, int count, int min_leaf)
{
    uint64_t random = seed;
    int i, t;
    memset(d, 0, sizeof *d);
    for (t = 0; t < 2; t++)
        d->table[t] = gputune_dataset_create(NULL, sub_features, SUB_FEATURES, NULL);
    for (i = 0; i < count; i++) {
        double row[SUB_FEATURES], noise = 1 + 0.02 * gputune__random_normal(&random);
        sub_row(&random, row);
        CHECK_INT(gputune_dataset_add_row(d->table[0], row, noise * sub_time(row)), GPUTUNE_OK);
        CHECK_INT(gputune_dataset_add_row(d->table[1], row, noise * sub_power(row)), GPUTUNE_OK);
    }
    for (t = 0; t < 2; t++) {
        d->goals[t].samples = gputune_dataset_works(d->table[t]);
        d->goals[t].tree = d->tree[t] =
            sub_tree(d->goals[t].samples, min_leaf, GPUTUNE_FOREST_NONE);
        CHECK_TEXT(gputune_tree_error(d->tree[t])->text, "");
    }
}

static void sub_free(sub_data *d)
{
    int t;
    for (t = 0; t < 2; t++) {
        gputune_tree_destroy(d->tree[t]);
        gputune_dataset_destroy(d->table[t]);
    }
}

static gputune_subspaces *sub_query(const gputune_goal *goals, int count,
                                    const gputune_condition *within, bool merge)
{
    gputune_subspaces_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.goals = goals;
    desc.goal_count = count;
    desc.within = within;
    desc.merge = merge;
    return gputune_subspaces_create(&desc);
}

// Written from the contract alone.
static bool sub_inside(const gputune_subspace *s, const double *row)
{
    int f;
    for (f = 0; f < SUB_FEATURES; f++) {
        if (s->bounds[f].names && !s->bounds[f].names[(int)row[f]]) return false;
        if (!s->bounds[f].names && !(s->bounds[f].low < row[f] && row[f] <= s->bounds[f].high))
            return false;
    }
    return true;
}

// The subspace of a row by looking at all; -1: none, -2: several.
static int sub_find(const gputune_subspaces *all, const double *row)
{
    int i, found = -1;
    for (i = 0; i < gputune_subspaces_count(all); i++)
        if (sub_inside(gputune_subspaces_at(all, i), row)) found = found < 0 ? i : -2;
    return found;
}

// --- one tree ---

static void test_sub_partition(void)
{
    sub_data d;
    gputune_subspaces *all;
    uint64_t random = 99;
    int i, wrong = 0;
    sub_make(&d, 1, 300, 2);
    all = sub_query(d.goals, 1, NULL, false);
    CHECK_TEXT(gputune_subspaces_error(all)->text, "");
    CHECK(gputune_subspaces_count(all) > 20);
    CHECK_TEXT(gputune_tree_feature(d.tree[0], 3).names[3], "blocked");
    CHECK(gputune_tree_feature(d.tree[0], 3).names[4] == NULL);
    for (i = 0; i < 5000; i++) {
        double row[SUB_FEATURES];
        int at;
        sub_row(&random, row);
        row[0] += gputune__random_unit(&random) - 0.5; // between the values, too
        row[1] *= 1 + gputune__random_unit(&random);
        at = sub_find(all, row);
        wrong += at < 0 || at != gputune_subspaces_find(all, row);
        if (at < 0) continue;
        wrong += fabs(gputune_subspaces_at(all, at)->values[0].value -
                      gputune_tree_predict(d.tree[0], row, NULL)) > 1e-12;
    }
    CHECK_INT(wrong, 0);
    for (i = 1; i < gputune_subspaces_count(all); i++)
        CHECK(gputune_subspaces_at(all, i - 1)->values[0].value <=
              gputune_subspaces_at(all, i)->values[0].value);
    gputune_subspaces_destroy(all);
    d.goals[0].kind = GPUTUNE_GOAL_MOST;
    all = sub_query(d.goals, 1, NULL, false);
    for (i = 1; i < gputune_subspaces_count(all); i++)
        CHECK(gputune_subspaces_at(all, i - 1)->values[0].value >=
              gputune_subspaces_at(all, i)->values[0].value);
    gputune_subspaces_destroy(all);
    sub_free(&d);
}

// Least, mean, most and count of every leaf, both trees' samples in one query.
static void sub_check_values(const gputune_subspaces *all, const sub_data *d)
{
    int i, t;
    size_t n, inside[2] = { 0, 0 };
    for (i = 0; i < gputune_subspaces_count(all); i++)
        for (t = 0; t < 2; t++) {
            const gputune_subspace *s = gputune_subspaces_at(all, i);
            const gputune_samples *samples = &d->goals[t].samples;
            double least = HUGE_VAL, most = -HUGE_VAL, sum = 0;
            size_t count = 0;
            for (n = 0; n < samples->count; n++) {
                if (!sub_inside(s, samples->x + n * SUB_FEATURES)) continue;
                least = fmin(least, samples->y[n]);
                most = fmax(most, samples->y[n]);
                sum += samples->y[n];
                count++;
            }
            CHECK_INT(s->values[t].count, count);
            inside[t] += count;
            if (count == 0) {
                CHECK(isnan(s->values[t].least) && isnan(s->values[t].most));
                continue;
            }
            CHECK_NEAR(s->values[t].least, least, 0);
            CHECK_NEAR(s->values[t].most, most, 0);
            CHECK_NEAR(s->values[t].mean, sum / (double)count, 1e-9);
        }
    for (t = 0; t < 2; t++) CHECK_INT(inside[t], d->goals[t].samples.count);
}

// Best first, but what no sample is in comes last.
static void sub_check_order(const gputune_subspaces *all)
{
    int i;
    CHECK(gputune_subspaces_count(all) > 2);
    for (i = 1; i < gputune_subspaces_count(all); i++) {
        const gputune_subspace_value *a = gputune_subspaces_at(all, i - 1)->values;
        const gputune_subspace_value *b = gputune_subspaces_at(all, i)->values;
        CHECK(a->count > 0 || b->count == 0);
        if ((a->count > 0) == (b->count > 0)) CHECK(a->value <= b->value);
    }
}

static void test_sub_values(void)
{
    sub_data d;
    gputune_subspaces *all;
    sub_make(&d, 2, 200, 3);
    all = sub_query(d.goals, 2, NULL, false);
    CHECK(gputune_subspaces_count(all) > 100);
    sub_check_values(all, &d);
    sub_check_order(all);
    gputune_subspaces_destroy(all);
    sub_free(&d);
}

// Leaves whose prediction varies: the mean over the samples inside, of the whole and of one name.
static void test_sub_linear(void)
{
    static const gputune_condition within[] = { { "ALGO", 0, 0, "blocked" }, { NULL, 0, 0, NULL } };
    sub_data d;
    gputune_subspaces *all;
    gputune_tree_desc desc;
    gputune_tree *tree;
    int i, asked;
    size_t n;
    sub_make(&d, 6, 300, 2);
    memset(&desc, 0, sizeof desc);
    desc.samples = d.goals[0].samples;
    desc.leaf = GPUTUNE_LEAF_LINEAR;
    desc.trend = 1;
    desc.min_leaf = 20;
    tree = gputune_tree_create(&desc);
    d.goals[0].tree = tree;
    for (asked = 0; asked < 2; asked++) {
        int filled = 0;
        all = sub_query(d.goals, 1, asked ? within : NULL, false);
        CHECK(gputune_subspaces_count(all) > 2);
        for (i = 0; i < gputune_subspaces_count(all); i++) {
            const gputune_subspace *s = gputune_subspaces_at(all, i);
            double sum = 0, count = 0;
            for (n = 0; n < desc.samples.count; n++) {
                const double *row = desc.samples.x + n * SUB_FEATURES;
                if (!sub_inside(s, row)) continue;
                sum += gputune_tree_predict(tree, row, NULL);
                count++;
            }
            if (count > 0) CHECK_NEAR(s->values[0].value, sum / count, 1e-9);
            filled += count > 0;
            CHECK(isfinite(s->values[0].value));
        }
        CHECK(filled > 2);
        sub_check_order(all);
        gputune_subspaces_destroy(all);
    }
    gputune_tree_destroy(tree);
    sub_free(&d);
}

// --- several goals ---

// The worst that a tree's leaf of a row has seen; NaN: nothing, or it is outside.
static double sub_worst(const gputune_subspaces *leaves, const double *row)
{
    const int at = sub_find(leaves, row);
    return at < 0 ? (double)NAN : gputune_subspaces_at(leaves, at)->values[0].most;
}

// Every combination of values that samples have is in a subspace if and only if both goals are met.
static void sub_check_goals(const sub_data *d, const gputune_condition *within, bool merge,
                            bool (*allowed)(const double *row))
{
    gputune_subspaces *met = sub_query(d->goals, 2, within, merge), *leaves[2];
    int a, b, t, wrong = 0, found = 0;
    CHECK_TEXT(gputune_subspaces_error(met)->text, "");
    for (t = 0; t < 2; t++) {
        gputune_goal goal = d->goals[t];
        goal.kind = GPUTUNE_GOAL_LEAST;
        leaves[t] = sub_query(&goal, 1, within, false); // what is worst counts inside
    }
    for (a = 1; a <= 12; a++)
        for (b = 0; b < 6 * 2 * SUB_NAMES; b++) {
            const double row[SUB_FEATURES] = { a, (double)(1 << b % 6), b / 6 % 2, b / 12 };
            bool good = !allowed || allowed(row);
            int at = sub_find(met, row);
            for (t = 0; t < 2; t++) {
                double value = d->goals[t].worst ? sub_worst(leaves[t], row)
                                                 : gputune_tree_predict(d->tree[t], row, NULL);
                good = good && value <= d->goals[t].bound;
            }
            wrong += at == -2 || (at >= 0) != good || at != gputune_subspaces_find(met, row);
            found += good;
        }
    CHECK_INT(wrong, 0);
    CHECK(found > 0);
    for (t = 0; t < 2; t++) gputune_subspaces_destroy(leaves[t]);
    gputune_subspaces_destroy(met);
}

static bool sub_allowed(const double *row)
{
    return row[0] >= 3 && row[0] <= 9 && (int)row[3] == 1;
}

static void test_sub_goals(void)
{
    static const gputune_condition within[] = { { "ALGO", 0, 0, "tiled" },
                                                { "A", 3, 9, NULL },
                                                { NULL, 0, 0, NULL } };
    sub_data d;
    int merge, worst;
    uint64_t seed;
    for (seed = 10; seed < 14; seed++) {
        sub_make(&d, seed, 250, 4);
        d.goals[0].kind = d.goals[1].kind = GPUTUNE_GOAL_BELOW;
        d.goals[0].bound = 6;
        d.goals[1].bound = 165;
        for (merge = 0; merge < 2; merge++)
            for (worst = 0; worst < 2; worst++) {
                d.goals[0].worst = d.goals[1].worst = worst;
                sub_check_goals(&d, NULL, merge, NULL);
                sub_check_goals(&d, within, merge, sub_allowed);
            }
        sub_free(&d);
    }
}

// At most and at least: what is just at a goal's bound meets it.
static void test_sub_bounds(void)
{
    static const double x[4] = { 1, 1, 3, 3 }, y[4] = { 1, 1, 4, 4 };
    static const gputune_feature feature = { "A", NULL };
    gputune_goal goal;
    int worst, above, off;
    memset(&goal, 0, sizeof goal);
    goal.samples.features = &feature;
    goal.samples.feature_count = 1;
    goal.samples.count = 4;
    goal.samples.x = x;
    goal.samples.y = y;
    goal.tree = sub_tree(goal.samples, 0, GPUTUNE_FOREST_NONE);
    for (worst = 0; worst < 2; worst++)
        for (above = 0; above < 2; above++)
            for (off = 0; off < 2; off++) {
                gputune_subspaces *met;
                goal.worst = worst;
                goal.kind = above ? GPUTUNE_GOAL_ABOVE : GPUTUNE_GOAL_BELOW;
                goal.bound = (above ? 4 : 1) + off * (above ? 1e-9 : -1e-9);
                met = sub_query(&goal, 1, NULL, false);
                CHECK_INT(gputune_subspaces_count(met), !off);
                gputune_subspaces_destroy(met);
            }
    gputune_tree_destroy((gputune_tree *)(uintptr_t)goal.tree);
}

// The fastest within a limit of power: merging leaves the leaves of what is ranked apart.
static void test_sub_ranked(void)
{
    sub_data d;
    gputune_subspaces *met;
    int a, b, wrong = 0, found = 0;
    sub_make(&d, 15, 250, 4);
    d.goals[1].kind = GPUTUNE_GOAL_BELOW;
    d.goals[1].bound = 150;
    met = sub_query(d.goals, 2, NULL, true);
    sub_check_order(met);
    for (a = 1; a <= 12; a++)
        for (b = 0; b < 6 * 2 * SUB_NAMES; b++) {
            const double row[SUB_FEATURES] = { a, (double)(1 << b % 6), b / 6 % 2, b / 12 };
            const bool good = gputune_tree_predict(d.tree[1], row, NULL) <= 150;
            const int at = sub_find(met, row);
            found += good;
            wrong += (at >= 0) != good;
            if (at >= 0)
                wrong += fabs(gputune_subspaces_at(met, at)->values[0].value -
                              gputune_tree_predict(d.tree[0], row, NULL)) > 1e-12;
        }
    CHECK_INT(wrong, 0);
    CHECK(found > 20);
    gputune_subspaces_destroy(met);
    sub_free(&d);
}

static void test_sub_above(void)
{
    sub_data d;
    gputune_subspaces *met;
    uint64_t random = 5;
    int i, wrong = 0, inside = 0;
    sub_make(&d, 3, 200, 2);
    d.goals[0].kind = GPUTUNE_GOAL_ABOVE;
    d.goals[0].bound = 9;
    met = sub_query(d.goals, 1, NULL, true);
    for (i = 0; i < 2000; i++) {
        double row[SUB_FEATURES];
        bool good;
        sub_row(&random, row);
        good = gputune_tree_predict(d.tree[0], row, NULL) >= 9;
        inside += good;
        wrong += (gputune_subspaces_find(met, row) >= 0) != good;
    }
    CHECK_INT(wrong, 0);
    CHECK(inside > 100);
    d.goals[0].bound = 1e9; // none is no error
    gputune_subspaces_destroy(met);
    met = sub_query(d.goals, 1, NULL, true);
    CHECK_INT(gputune_subspaces_count(met), 0);
    CHECK_TEXT(gputune_subspaces_error(met)->text, "");
    gputune_subspaces_destroy(met);
    sub_free(&d);
}

// --- text, and merging where the answer is plain ---

// Time 1 where A is 4 to 8 or the algorithm is vector, else 5 where FLAG, else 9.
static gputune_dataset *sub_plain(void)
{
    gputune_dataset *table = gputune_dataset_create(NULL, sub_features, SUB_FEATURES, NULL);
    int a, b;
    for (a = 1; a <= 10; a++)
        for (b = 0; b < 2 * SUB_NAMES; b++) {
            const double row[SUB_FEATURES] = { a, 7, b % 2, b / 2 };
            const double y = (a >= 4 && a <= 8) || b / 2 == 2 ? 1 : b % 2 ? 5 : 9;
            CHECK_INT(gputune_dataset_add_row(table, row, y), GPUTUNE_OK);
        }
    return table;
}

static bool sub_has(const gputune_subspaces *all, const char *text)
{
    int i;
    for (i = 0; i < gputune_subspaces_count(all); i++)
        if (strcmp(gputune_subspaces_at(all, i)->text, text) == 0) return true;
    return false;
}

static void test_sub_text(void)
{
    static const gputune_condition within[] = { { "A", 1, 8, NULL }, { NULL, 0, 0, NULL } };
    gputune_dataset *table = sub_plain();
    gputune_tree *tree = sub_tree(gputune_dataset_works(table), 1, GPUTUNE_FOREST_NONE);
    gputune_goal goal;
    gputune_subspaces *all;
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.samples = gputune_dataset_works(table);
    goal.kind = GPUTUNE_GOAL_BELOW;
    goal.bound = 2;
    all = sub_query(&goal, 1, NULL, true);
    CHECK(sub_has(all, "4 <= A <= 8") ||
          (sub_has(all, "ALGO = vector") &&
           sub_has(all, "4 <= A <= 8 && ALGO in {naive, tiled, blocked}")));
    gputune_subspaces_destroy(all);
    goal.bound = 6;
    goal.kind = GPUTUNE_GOAL_ABOVE;
    all = sub_query(&goal, 1, NULL, true);
    CHECK_INT(gputune_subspaces_count(all), 2);
    CHECK(sub_has(all, "A <= 3 && FLAG = 0 && ALGO in {naive, tiled, blocked}"));
    CHECK(sub_has(all, "A >= 9 && FLAG = 0 && ALGO in {naive, tiled, blocked}"));
    gputune_subspaces_destroy(all);
    goal.bound = 0;
    all = sub_query(&goal, 1, NULL, true);
    CHECK_INT(gputune_subspaces_count(all), 1);
    CHECK_TEXT(gputune_subspaces_at(all, 0)->text, "everywhere");
    gputune_subspaces_destroy(all);
    memset(&goal.samples, 0, sizeof goal.samples); // thresholds then
    goal.bound = 6;
    all = sub_query(&goal, 1, NULL, true);
    CHECK(sub_has(all, "A <= 3.5 && FLAG <= 0.5 && ALGO in {naive, tiled, blocked}"));
    CHECK_INT(gputune_subspaces_at(all, 0)->values[0].count, 0);
    CHECK_NEAR(gputune_subspaces_at(all, 0)->values[0].value, 9, 0);
    CHECK(isnan(gputune_subspaces_at(all, 0)->values[0].most));
    gputune_subspaces_destroy(all);
    all = sub_query(&goal, 1, within, true); // and both ends of what is asked for
    CHECK(sub_has(all, "1 < A <= 3.5 && FLAG <= 0.5 && ALGO in {naive, tiled, blocked}"));
    gputune_subspaces_destroy(all);
    gputune_tree_destroy(tree);
    gputune_dataset_destroy(table);
}

// --- sensitivity ---

static void sub_check_sensitivity(const sub_data *d, gputune_subspaces *all, int subspace, int goal,
                                  int feature)
{
    const gputune_samples *s = &d->goals[goal].samples;
    double least = HUGE_VAL, most = -HUGE_VAL, sum = 0, v;
    gputune_sensitivity got;
    size_t i, total = 0;
    int values = 0;
    for (v = 0; v < 64; v++) {
        double m = 0;
        size_t inside = 0, own = 0;
        for (i = 0; i < s->count; i++) {
            double row[SUB_FEATURES];
            memcpy(row, s->x + i * SUB_FEATURES, sizeof row);
            if (subspace >= 0 && !sub_inside(gputune_subspaces_at(all, subspace), row)) continue;
            own += row[feature] == v;
            row[feature] = v;
            m += gputune_tree_predict(d->tree[goal], row, NULL);
            inside++;
        }
        if (own == 0) continue;
        m /= (double)inside;
        least = fmin(least, m);
        most = fmax(most, m);
        sum += (double)own * m;
        total += own;
        values++;
    }
    CHECK_INT(gputune_subspaces_sensitivity(all, subspace, goal, feature, &got), GPUTUNE_OK);
    CHECK_INT(got.values, values);
    CHECK_NEAR(got.least, least, 1e-9);
    CHECK_NEAR(got.most, most, 1e-9);
    CHECK_NEAR(got.spread, (most - least) / (sum / (double)total), 1e-9);
}

static void test_sub_sensitivity(void)
{
    sub_data d;
    gputune_subspaces *all;
    gputune_condition nowhere[] = { { "A", 2.2, 2.8, NULL }, { NULL, 0, 0, NULL } };
    gputune_sensitivity s;
    int i, f, g;
    sub_make(&d, 4, 200, 8);
    all = sub_query(d.goals, 2, NULL, false);
    for (i = -1; i < 12; i++)
        for (g = 0; g < 2; g++)
            for (f = 0; f < SUB_FEATURES; f++)
                if (i < 0 || gputune_subspaces_at(all, i)->values[g].count > 0)
                    sub_check_sensitivity(&d, all, i, g, f);
    gputune_subspaces_destroy(all);
    all = sub_query(d.goals, 1, nowhere, false);
    CHECK_INT(gputune_subspaces_count(all), 0);
    CHECK_INT(gputune_subspaces_sensitivity(all, -1, 0, 0, &s), GPUTUNE_ERROR_EMPTY_SPACE);
    gputune_subspaces_destroy(all);
    sub_free(&d);
}

// y = 10 a + b on a grid that a tree can tell apart: m(a) = 10 a + the mean of b.
static void test_sub_sensitivity_known(void)
{
    static const gputune_feature features[] = { { "a", NULL }, { "b", NULL } };
    gputune_dataset *table = gputune_dataset_create(NULL, features, 2, NULL);
    gputune_sensitivity s;
    gputune_goal goal;
    gputune_subspaces *all;
    gputune_tree *tree;
    int i;
    for (i = 0; i < 20; i++) {
        const double row[2] = { i / 5, i % 5 };
        gputune_dataset_add_row(table, row, 10 * row[0] + row[1]);
    }
    tree = sub_tree(gputune_dataset_works(table), 1, GPUTUNE_FOREST_NONE);
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.samples = gputune_dataset_works(table);
    all = sub_query(&goal, 1, NULL, false);
    CHECK_INT(gputune_subspaces_count(all), 20);
    CHECK_INT(gputune_subspaces_sensitivity(all, -1, 0, 0, &s), GPUTUNE_OK);
    CHECK_NEAR(s.least, 2, 1e-12);
    CHECK_NEAR(s.most, 32, 1e-12);
    CHECK_NEAR(s.least_at, 0, 0);
    CHECK_NEAR(s.most_at, 3, 0);
    CHECK_NEAR(s.spread, 30.0 / 17.0, 1e-12);
    CHECK_INT(gputune_subspaces_sensitivity(all, 0, 0, 0, &s), GPUTUNE_OK); // one value inside
    CHECK_INT(s.values, 1);
    CHECK_NEAR(s.spread, 0, 0);
    gputune_subspaces_destroy(all);
    gputune_tree_destroy(tree);
    gputune_dataset_destroy(table);
}

// --- what cannot be asked ---

static void sub_expect(const gputune_goal *goals, int count, const gputune_condition *within,
                       gputune_result result, const char *part)
{
    gputune_subspaces *all = sub_query(goals, count, within, false);
    CHECK_INT(gputune_subspaces_error(all)->result, result);
    CHECK_HAS(gputune_subspaces_error(all)->text, part);
    CHECK_INT(gputune_subspaces_count(all), 0);
    gputune_subspaces_destroy(all);
}

static void test_sub_errors(void)
{
    static const gputune_condition bad[][2] = {
        { { "C", 1, 2, NULL }, { NULL, 0, 0, NULL } },
        { { "A", 2, 1, NULL }, { NULL, 0, 0, NULL } },
        { { "A", 1, 2, "tiled" }, { NULL, 0, 0, NULL } },
        { { "ALGO", 0, 0, "fast" }, { NULL, 0, 0, NULL } },
        { { "ALGO", 0, 1, NULL }, { NULL, 0, 0, NULL } },
    };
    static const char *const parts[] = { "C is no", "A is a number", "A is a number", "fast",
                                         "without a name" };
    static const gputune_feature other[] = {
        { "A", NULL }, { "B", NULL }, { "FLAG", NULL }, { "ALGO", NULL }
    };
    const double row[SUB_FEATURES] = { 1, 1, 1, 1 };
    sub_data d;
    gputune_tree *forest, *trees[2];
    gputune_samples nothing;
    gputune_dataset *table = gputune_dataset_create(NULL, other, SUB_FEATURES, NULL);
    int i;
    sub_make(&d, 5, 50, 1);
    for (i = 0; i < 5; i++) sub_expect(d.goals, 2, bad[i], GPUTUNE_ERROR_ARGUMENT, parts[i]);
    forest = sub_tree(d.goals[0].samples, 1, GPUTUNE_FOREST_BAGGED);
    d.goals[1].tree = forest;
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_UNSUPPORTED, "goal 1");
    gputune_dataset_add_row(table, row, 1);
    trees[0] = sub_tree(gputune_dataset_works(table), 1, GPUTUNE_FOREST_NONE);
    d.goals[1].tree = trees[0];
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 1: its tree");
    d.goals[1].tree = d.tree[1];
    d.goals[1].samples = gputune_dataset_works(table);
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 1: its samples");
    memset(&d.goals[1].samples, 0, sizeof d.goals[1].samples);
    d.goals[1].worst = true;
    sub_expect(d.goals, 2, NULL, GPUTUNE_ERROR_ARGUMENT, "without samples");
    nothing = gputune_dataset_works(table);
    nothing.count = 0;
    trees[1] = sub_tree(nothing, 1, GPUTUNE_FOREST_NONE);
    d.goals[0].tree = trees[1];
    sub_expect(d.goals, 1, NULL, GPUTUNE_ERROR_ARGUMENT, "goal 0: no tree");
    for (i = 0; i < 2; i++) gputune_tree_destroy(trees[i]);
    gputune_tree_destroy(forest);
    gputune_dataset_destroy(table);
    sub_free(&d);
}

// Rows without weight are not there, for values and for what is worst.
static void test_sub_weights(void)
{
    static const gputune_feature feature = { "a", NULL };
    static const double x[] = { 1, 1, 2, 2 }, y[] = { 1, 100, 5, 7 }, weight[] = { 1, 0, 1, 3 };
    gputune_samples samples;
    gputune_goal goal;
    gputune_subspaces *all;
    gputune_tree *tree;
    memset(&samples, 0, sizeof samples);
    samples.features = &feature;
    samples.feature_count = 1;
    samples.count = 4;
    samples.x = x;
    samples.y = y;
    samples.weight = weight;
    tree = sub_tree(samples, 1, GPUTUNE_FOREST_NONE);
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.samples = samples;
    all = sub_query(&goal, 1, NULL, false);
    CHECK_INT(gputune_subspaces_count(all), 2);
    CHECK_TEXT(gputune_subspaces_at(all, 0)->text, "a = 1");
    CHECK_INT(gputune_subspaces_at(all, 0)->values[0].count, 1);
    CHECK_NEAR(gputune_subspaces_at(all, 0)->values[0].most, 1, 0);
    CHECK_NEAR(gputune_subspaces_at(all, 1)->values[0].mean, 6.5, 1e-12);
    gputune_subspaces_destroy(all);
    gputune_tree_destroy(tree);
}

// --- datasets ---

static gputune_space *sub_space(const gputune_options *options)
{
    gputune_space *space = gputune_space_create(options);
    gputune_result result;
    if (!space) return NULL;
    result = gputune_space_param(space, "TPP", "range 1,32", NULL);
    if (!result) result = gputune_space_param(space, "ALGO", "set tiled,naive,vector", NULL);
    if (!result) result = gputune_space_param(space, "SCALE", "set 0.5,1.5", NULL);
    if (!result) result = gputune_space_require(space, "ALGO != \"vector\" || TPP % 4 == 0");
    if (!result) result = gputune_space_build(space);
    if (!result) return space;
    gputune_space_destroy(space);
    return NULL;
}

static void test_sub_dataset(void)
{
    static const char *const devices[] = { "amd", "nvidia", NULL };
    static const gputune_feature own[] = { { "device", devices }, { "n", NULL } };
    static const double expected[] = { 1, 4096, 12, 2, 1.5 };
    const double values[2] = { 1, 4096 };
    gputune_space *space = sub_space(NULL), *other;
    gputune_dataset *data = gputune_dataset_create(space, own, 2, NULL);
    gputune_samples samples;
    gputune_config config;
    double row[5];
    int i;
    CHECK_TEXT(gputune_dataset_error(data)->text, "");
    gputune_space_destroy(space); // not used any more
    space = sub_space(NULL);
    CHECK(gputune_config_parse(space, "TPP=12 ALGO=vector SCALE=1.5", &config));
    CHECK_INT(gputune_dataset_add(data, values, &config, 2.5), GPUTUNE_OK);
    samples = gputune_dataset_works(data);
    CHECK_INT(samples.feature_count, 5);
    CHECK_INT(samples.count, 1);
    CHECK(samples.weight == NULL);
    CHECK_TEXT(samples.features[3].names[2], "vector");
    CHECK(samples.features[3].names[3] == NULL && samples.features[2].names == NULL);
    CHECK_TEXT(samples.features[0].names[1], "nvidia");
    for (i = 0; i < 5; i++) CHECK_NEAR(samples.x[i], expected[i], 0);
    CHECK_NEAR(samples.y[0], 2.5, 0);
    CHECK_INT(gputune_dataset_feature(data, "n"), 1);
    CHECK_INT(gputune_dataset_feature(data, "m"), -1);
    CHECK_INT(gputune_dataset_row(data, NULL, &config, row), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_dataset_error(data)->text, "device");
    CHECK_INT(gputune_dataset_row(data, values, &config, row), GPUTUNE_OK);
    row[3] = 3;
    CHECK_INT(gputune_dataset_add_row(data, row, 1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_dataset_error(data)->text, "ALGO is 3");
    row[3] = 0.5;
    CHECK_INT(gputune_dataset_add_row(data, row, 1), GPUTUNE_ERROR_ARGUMENT);
    row[3] = 0;
    row[4] = NAN;
    CHECK_INT(gputune_dataset_add_row(data, row, 1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_dataset_valid(data).count, 1);
    CHECK_INT(gputune_dataset_add(data, values, &config, NAN), GPUTUNE_OK); // it failed
    CHECK_INT(gputune_dataset_add(data, values, &config, HUGE_VAL), GPUTUNE_OK);
    CHECK_INT(gputune_dataset_works(data).count, 1);
    samples = gputune_dataset_valid(data);
    CHECK_INT(samples.count, 3);
    for (i = 0; i < 3; i++) CHECK_NEAR(samples.y[i], i == 0, 0);
    for (i = 0; i < 15; i++) CHECK_NEAR(samples.x[i], expected[i % 5], 0);
    other = gputune_space_create(NULL); // its names are in another order, and one is new
    gputune_space_param(other, "ALGO", "set fast,vector", NULL);
    CHECK_INT(gputune_space_build(other), GPUTUNE_OK);
    config = gputune_space_default(other);
    memcpy(row, expected, sizeof row);
    CHECK_INT(gputune_dataset_row(data, row, &config, row), GPUTUNE_ERROR_SYMBOL);
    CHECK(gputune_config_parse(other, "ALGO=vector", &config));
    CHECK_INT(gputune_dataset_add(data, expected, &config, 1), GPUTUNE_OK);
    CHECK_NEAR(gputune_dataset_works(data).x[5 + 3], 2, 0);
    samples = gputune_dataset_valid(data); // those that failed are behind
    CHECK_INT(samples.count, 4);
    for (i = 0; i < 4; i++) CHECK_NEAR(samples.y[i], i < 2, 0);
    for (i = 10; i < 20; i++) CHECK_NEAR(samples.x[i], expected[i % 5], 0);
    gputune_space_destroy(other);
    gputune_dataset_destroy(data);
    gputune_space_destroy(space);
}

// A set whose features and names come in another order, with weights; one that does not fit.
static void test_sub_append(void)
{
    static const char *const names[] = { "naive", "vector", "tiled", NULL };
    static const char *const devices[] = { "amd", "nvidia", NULL };
    static const char *const wrong_names[] = { "fast", "naive", NULL };
    static const gputune_feature set[] = { { "ALGO", names }, { "SCALE", NULL }, { "TPP", NULL } };
    static const gputune_feature wrong[] = { { "ALGO", wrong_names },
                                             { "SCALE", NULL },
                                             { "TPP", NULL } };
    static const gputune_feature device = { "device", devices };
    static const double x[] = { 1, 0.5, 8, 0, 1.5, 3 }, y[] = { 7, 8 }, weight[] = { 2, 0.5 };
    const double nvidia = 1;
    gputune_space *space = sub_space(NULL);
    gputune_dataset *table = gputune_dataset_create(space, &device, 1, NULL);
    gputune_samples got;
    gputune_samples samples;
    static const double expected[] = { 1, 8, 2, 0.5, 1, 3, 1, 1.5 };
    int i;
    memset(&samples, 0, sizeof samples);
    samples.features = set;
    samples.feature_count = 3;
    samples.count = 2;
    samples.x = x;
    samples.y = y;
    samples.weight = weight;
    CHECK_INT(gputune_dataset_append(table, &samples, &nvidia), GPUTUNE_OK);
    got = gputune_dataset_works(table);
    CHECK_INT(got.count, 2);
    for (i = 0; i < 8; i++) CHECK_NEAR(got.x[i], expected[i], 0);
    for (i = 0; i < 2; i++) {
        CHECK_NEAR(got.y[i], y[i], 0);
        CHECK_NEAR(got.weight[i], weight[i], 0);
    }
    samples.features = wrong; // the first row's name is there, the second one's is not
    CHECK_INT(gputune_dataset_append(table, &samples, &nvidia), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_dataset_valid(table).count, 2);
    CHECK_INT(gputune_dataset_append(table, &samples, NULL), GPUTUNE_ERROR_ARGUMENT);
    samples.features = sub_features; // A, B, FLAG, ALGO
    samples.feature_count = 4;
    samples.count = 1;
    CHECK_INT(gputune_dataset_append(table, &samples, &nvidia), GPUTUNE_ERROR_SYMBOL);
    CHECK_INT(gputune_dataset_valid(table).count, 2);
    CHECK_INT(gputune_dataset_add_row(table, expected, NAN), GPUTUNE_OK);
    samples.features = set;
    samples.feature_count = 3;
    samples.count = 2;
    CHECK_INT(gputune_dataset_append(table, &samples, &nvidia), GPUTUNE_OK);
    got = gputune_dataset_valid(table);
    CHECK_INT(got.count, 5);
    for (i = 0; i < 4; i++) CHECK_NEAR(got.weight[i], weight[i % 2], 0);
    CHECK_NEAR(got.weight[4], 1, 0);
    CHECK_NEAR(got.y[4], 0, 0);
    gputune_dataset_destroy(table);
    gputune_space_destroy(space);
}

static void test_sub_dataset_errors(void)
{
    static const gputune_feature twice[] = { { "a", NULL }, { "a", NULL } };
    gputune_feature many[GPUTUNE_MAX_FEATURES + 1];
    const double row[2] = { 1, 2 };
    gputune_space *space = sub_space(NULL);
    gputune_config config = gputune_space_default(space);
    gputune_dataset *table = gputune_dataset_create(NULL, twice, 2, NULL);
    double out[6];
    int i;
    CHECK_INT(gputune_dataset_error(table)->result, GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_dataset_add_row(table, row, 1), GPUTUNE_ERROR_ARGUMENT);
    gputune_dataset_destroy(table);
    table = gputune_dataset_create(NULL, NULL, 0, NULL);
    CHECK_INT(gputune_dataset_error(table)->result, GPUTUNE_ERROR_ARGUMENT);
    gputune_dataset_destroy(table);
    for (i = 0; i <= GPUTUNE_MAX_FEATURES; i++) many[i] = twice[0];
    table = gputune_dataset_create(NULL, many, GPUTUNE_MAX_FEATURES + 1, NULL);
    CHECK_INT(gputune_dataset_error(table)->result, GPUTUNE_ERROR_TOO_LARGE);
    gputune_dataset_destroy(table);
    table = gputune_dataset_create(NULL, twice, 1, NULL); // TPP is none of its features
    CHECK_INT(gputune_dataset_row(table, row, &config, out), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_dataset_error(table)->text, "TPP");
    gputune_dataset_destroy(table);
    table = gputune_dataset_create(space, sub_features, 3, NULL);
    CHECK_INT(gputune_dataset_row(table, NULL, &config, out), GPUTUNE_ERROR_ARGUMENT);
    gputune_dataset_destroy(table);
    gputune_space_destroy(space);
}

// Two devices in one tree, the device as a parameter (figure 8): the best of each, and of both.
static void test_sub_devices(void)
{
    static const char *const devices[] = { "amd", "nvidia", NULL };
    static const gputune_feature device = { "device", devices };
    gputune_space *space = sub_space(NULL);
    gputune_dataset *table = gputune_dataset_create(space, &device, 1, NULL);
    double best[2] = { HUGE_VAL, HUGE_VAL };
    gputune_config fast[2];
    gputune_goal goal;
    gputune_tree *tree;
    uint64_t i;
    int d;
    for (i = 0; i < gputune_space_count(space); i++)
        for (d = 0; d < 2; d++) {
            gputune_config config = gputune_space_at(space, i);
            double tpp = (double)gputune_get_int(&config, "TPP"), which = d;
            double y = d ? fabs(tpp - 20) + 3 : fabs(tpp - 5) + 2;
            y += strcmp(gputune_get_name(&config, "ALGO"), d ? "vector" : "naive") ? 1 : 0;
            CHECK_INT(gputune_dataset_add(table, &which, &config, y), GPUTUNE_OK);
            if (y < best[d]) {
                best[d] = y;
                fast[d] = config;
            }
        }
    tree = sub_tree(gputune_dataset_works(table), 1, GPUTUNE_FOREST_NONE);
    memset(&goal, 0, sizeof goal);
    goal.tree = tree;
    goal.samples = gputune_dataset_works(table);
    for (d = 0; d < 2; d++) {
        gputune_condition within[] = { { "device", 0, 0, NULL }, { NULL, 0, 0, NULL } };
        gputune_subspaces *all;
        double row[4], which = d;
        within[0].name = devices[d];
        all = sub_query(&goal, 1, within, false);
        CHECK_NEAR(gputune_subspaces_at(all, 0)->values[0].value, best[d], 1e-12);
        gputune_dataset_row(table, &which, &fast[d], row);
        CHECK_INT(gputune_subspaces_find(all, row), 0);
        row[0] = 1 - d; // the other device
        CHECK_INT(gputune_subspaces_find(all, row), -1);
        CHECK_HAS(gputune_subspaces_at(all, 0)->text, d ? "device = nvidia" : "device = amd");
        gputune_subspaces_destroy(all);
    }
    gputune_tree_destroy(tree);
    gputune_dataset_destroy(table);
    gputune_space_destroy(space);
}

// --- adaptive sampling ---

// Some configurations fail; the others' times have structure and a little noise of their own.
static double sub_measure(const gputune_config *config, double noise)
{
    const int64_t a = gputune_get_int(config, "A"), b = gputune_get_int(config, "B");
    uint64_t random = (uint64_t)(a * 1000 + b);
    double unit = gputune__random_unit(&random);
    if ((a + b) % 11 == 0) return HUGE_VAL;
    return (1.0 + 40.0 / (double)a + (b > 20 ? 8.0 : 0.0)) * (1.0 + noise * (unit - 0.5));
}

static gputune_space *sub_grid(const gputune_options *options, const char *a)
{
    gputune_space *space = gputune_space_create(options);
    gputune_result result;
    if (!space) return NULL;
    result = gputune_space_param(space, "A", a, NULL);
    if (!result) result = gputune_space_param(space, "B", "range 1,40", NULL);
    if (!result) result = gputune_space_require(space, "A * B <= 900");
    if (!result) result = gputune_space_build(space);
    if (!result) return space;
    gputune_space_destroy(space);
    return NULL;
}

// Samples until it is over; returns how many were asked. None comes twice, all are valid.
static int sub_run(gputune_sampler *sampler, const gputune_space *space, double noise)
{
    gputune_config config;
    unsigned char *asked = (unsigned char *)calloc((size_t)gputune_space_count(space), 1);
    int count = 0;
    while (gputune_sampler_next(sampler, &config)) {
        uint64_t index;
        CHECK(gputune_space_index(space, &config, &index));
        CHECK(asked[index]++ == 0);
        gputune_sampler_tell(sampler, &config, sub_measure(&config, noise));
        if (count++ % 7 == 0) gputune_sampler_tell(sampler, &config, 1e9); // told twice: ignored
    }
    free(asked);
    return count;
}

// Every point of the curve once more, from the samples alone.
static void sub_check_curve(const gputune_sampler *sampler, const gputune_space *space)
{
    const gputune_samples all = gputune_sampler_samples(sampler);
    const gputune_samples v = gputune_sampler_validation(sampler);
    double *errors = (double *)malloc(v.count * sizeof *errors);
    int count, i;
    const gputune_sampler_point *curve = gputune_sampler_curve(sampler, &count);
    for (i = 0; i < count; i++) {
        gputune_samples some = all;
        gputune_tree *tree;
        size_t k;
        some.count = (size_t)curve[i].samples;
        CHECK(some.count <= all.count);
        tree = sub_tree(some, 0, GPUTUNE_FOREST_NONE);
        for (k = 0; k < v.count; k++)
            errors[k] = fabs(gputune_tree_predict(tree, v.x + k * 2, NULL) / v.y[k] - 1);
        qsort(errors, v.count, sizeof *errors, gputune__compare_doubles);
        CHECK_NEAR(curve[i].median, (errors[(v.count - 1) / 2] + errors[v.count / 2]) / 2, 1e-12);
        CHECK(curve[i].q1 <= curve[i].median && curve[i].median <= curve[i].q3);
        CHECK_NEAR(curve[i].share, curve[i].samples / (double)gputune_space_count(space), 1e-15);
        gputune_tree_destroy(tree);
    }
    free(errors);
}

static gputune_sampler *sub_sampler(const gputune_space *space, double error, int most, int reserve)
{
    gputune_sampler_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.space = space;
    desc.error = error;
    desc.most = most;
    desc.validation = reserve;
    desc.seed = 3;
    return gputune_sampler_create(&desc);
}

static void test_sub_sampler_good(void)
{
    gputune_space *space = sub_grid(NULL, "range 1,100");
    gputune_sampler *sampler = sub_sampler(space, 0.015, 0, 0);
    int count, asked, i;
    const gputune_sampler_point *curve;
    asked = sub_run(sampler, space, 0.02);
    CHECK_TEXT(gputune_sampler_error(sampler)->text, "");
    CHECK(gputune_sampler_good(sampler));
    CHECK_INT(gputune_sampler_validation(sampler).count, 200);
    curve = gputune_sampler_curve(sampler, &count);
    CHECK(count > 1 && curve[count - 1].median <= 0.015);
    for (i = 0; i < count; i++) CHECK_INT(curve[i].samples, 20 << i);
    for (i = 0; i + 1 < count; i++) CHECK(curve[i].median > 0.015);
    CHECK_INT(gputune_sampler_samples(sampler).count, curve[count - 1].samples);
    CHECK(gputune_sampler_failed(sampler) > 0); // they are not counted:
    CHECK_INT(asked, 200 + curve[count - 1].samples + gputune_sampler_failed(sampler));
    CHECK(gputune_sampler_tree(sampler) != NULL);
    sub_check_curve(sampler, space);
    gputune_sampler_destroy(sampler);
    gputune_space_destroy(space);
}

// The samples that a tree was made of, and what was asked for, times .growth, rounded up.
static void test_sub_sampler_growth(void)
{
    static const int wanted[] = { 7, 11, 17, 26, 39, 59, 60 };
    gputune_space *space = sub_grid(NULL, "range 1,100");
    gputune_sampler_desc desc;
    gputune_sampler *sampler;
    const gputune_sampler_point *curve;
    int count, i;
    memset(&desc, 0, sizeof desc);
    desc.space = space;
    desc.error = 1e-6;
    desc.first = 7;
    desc.growth = 1.5;
    desc.most = 60;
    sampler = gputune_sampler_create(&desc);
    sub_run(sampler, space, 0.3);
    curve = gputune_sampler_curve(sampler, &count);
    CHECK_INT(count, 7);
    for (i = 0; i < count && i < 7; i++) CHECK_INT(curve[i].samples, wanted[i]);
    gputune_sampler_destroy(sampler);
    gputune_space_destroy(space);
}

static void test_sub_sampler_budget(void)
{
    gputune_space *space = sub_grid(NULL, "range 1,100");
    gputune_sampler *sampler = sub_sampler(space, 1e-6, 150, 50);
    int count;
    const gputune_sampler_point *curve;
    sub_run(sampler, space, 0.3);
    CHECK(!gputune_sampler_good(sampler));
    curve = gputune_sampler_curve(sampler, &count);
    CHECK_INT(count, 4); // 20 40 80 150
    CHECK_INT(curve[3].samples, 150);
    sub_check_curve(sampler, space);
    gputune_sampler_destroy(sampler);
    gputune_space_destroy(space);
}

// A space that is smaller than the budget: all of it, a third reserved.
static void test_sub_sampler_all(void)
{
    gputune_space *space = sub_grid(NULL, "range 1,3");
    gputune_sampler *sampler = sub_sampler(space, 1e-6, 0, 0);
    int count, asked = sub_run(sampler, space, 0.3);
    const gputune_sampler_point *curve = gputune_sampler_curve(sampler, &count);
    CHECK_INT(asked, 120);
    CHECK_INT(gputune_sampler_validation(sampler).count, 40);
    CHECK_INT(gputune_sampler_samples(sampler).count, 80 - gputune_sampler_failed(sampler));
    CHECK_INT(curve[count - 1].samples, gputune_sampler_samples(sampler).count);
    sub_check_curve(sampler, space);
    gputune_sampler_destroy(sampler);
    gputune_space_destroy(space);
}

// The trials of a tuner; those told are not asked for afterwards.
static void test_sub_sampler_told(void)
{
    gputune_space *space = sub_grid(NULL, "range 1,100");
    gputune_sampler *sampler = sub_sampler(space, 1e-6, 40, 30);
    gputune_config config;
    uint64_t i, index;
    int count;
    for (i = 0; i < 50; i++) {
        config = gputune_space_at(space, i * 7);
        gputune_sampler_tell(sampler, &config, sub_measure(&config, 0));
    }
    CHECK_INT(gputune_sampler_validation(sampler).count, 30);
    CHECK_INT(gputune_sampler_samples(sampler).count, 20 - gputune_sampler_failed(sampler));
    while (gputune_sampler_next(sampler, &config)) {
        CHECK(gputune_space_index(space, &config, &index));
        CHECK(index % 7 != 0 || index >= 350);
        gputune_sampler_tell(sampler, &config, sub_measure(&config, 0));
    }
    CHECK_INT(gputune_sampler_samples(sampler).count, 40);
    gputune_sampler_curve(sampler, &count);
    CHECK_INT(count, 2);
    gputune_sampler_tell(sampler, &config, 1); // it is over
    CHECK_INT(gputune_sampler_samples(sampler).count, 40);
    gputune_sampler_destroy(sampler);
    gputune_space_destroy(space);
}

static void test_sub_sampler_errors(void)
{
    gputune_space *space = sub_grid(NULL, "range 1,100");
    gputune_sampler_desc desc;
    gputune_sampler *sampler;
    gputune_config config;
    int i, count = 0;
    for (i = 0; i < 4; i++) {
        memset(&desc, 0, sizeof desc);
        desc.space = space;
        if (i == 0) desc.growth = 1;
        if (i == 1) desc.most = -1;
        if (i == 2) desc.error = NAN;
        if (i == 3) desc.validation = -1;
        sampler = gputune_sampler_create(&desc);
        CHECK_INT(gputune_sampler_error(sampler)->result, GPUTUNE_ERROR_ARGUMENT);
        CHECK(!gputune_sampler_next(sampler, &config));
        gputune_sampler_destroy(sampler);
    }
    memset(&desc, 0, sizeof desc);
    desc.space = space;
    desc.tree.log = true; // of negative numbers
    sampler = gputune_sampler_create(&desc);
    while (count++ < 1000 && gputune_sampler_next(sampler, &config))
        gputune_sampler_tell(sampler, &config, -1);
    CHECK_INT(count, 221);
    CHECK_INT(gputune_sampler_error(sampler)->result, GPUTUNE_ERROR_ARGUMENT);
    gputune_sampler_destroy(sampler);
    gputune_space_destroy(space);
}

// --- memory ---

// All of it in turn with an allocator that fails; true when nothing did.
static bool sub_memory_run(const gputune_options *options, space_heap *heap)
{
    gputune_space *space = sub_space(options);
    gputune_sampler *sampler = NULL;
    gputune_subspaces *all = NULL;
    gputune_sampler_desc desc;
    gputune_subspaces_desc query;
    gputune_sensitivity sensitivity;
    gputune_goal goal;
    gputune_config config;
    bool ok = space != NULL;
    memset(&desc, 0, sizeof desc);
    memset(&query, 0, sizeof query);
    memset(&goal, 0, sizeof goal);
    desc.options = query.options = *options;
    desc.space = space;
    desc.most = 40;
    desc.error = 1e-9;
    if (ok) sampler = gputune_sampler_create(&desc);
    while (sampler && gputune_sampler_next(sampler, &config))
        gputune_sampler_tell(sampler, &config, (double)gputune_get_int(&config, "TPP"));
    ok = sampler && gputune_sampler_error(sampler)->result == GPUTUNE_OK;
    if (sampler && !ok) CHECK_INT(gputune_sampler_error(sampler)->result, GPUTUNE_ERROR_MEMORY);
    if (ok) {
        goal.tree = gputune_sampler_tree(sampler);
        goal.samples = gputune_sampler_samples(sampler);
        query.goals = &goal;
        query.goal_count = 1;
        query.merge = true;
        all = gputune_subspaces_create(&query);
        ok = all && gputune_subspaces_error(all)->result == GPUTUNE_OK;
        if (all && !ok) CHECK_INT(gputune_subspaces_error(all)->result, GPUTUNE_ERROR_MEMORY);
        if (ok) {
            gputune_result result = gputune_subspaces_sensitivity(all, -1, 0, 0, &sensitivity);
            ok = result == GPUTUNE_OK;
            if (!ok) CHECK_INT(result, GPUTUNE_ERROR_MEMORY);
        }
    }
    gputune_subspaces_destroy(all);
    gputune_sampler_destroy(sampler);
    gputune_space_destroy(space);
    CHECK_INT(heap->live, 0);
    return ok;
}

static void test_sub_memory(void)
{
    space_heap heap;
    gputune_options options;
    int fail;
    bool done = false;
    memset(&options, 0, sizeof options);
    options.allocator.reallocate = space_reallocate;
    options.allocator.user = &heap;
    for (fail = 0; !done && fail < 5000; fail++) {
        heap.until = fail;
        heap.live = 0;
        done = sub_memory_run(&options, &heap);
    }
    CHECK(done && fail > 100);
}

// A dataset whose rows cannot be added keeps those it has.
static void test_sub_dataset_memory(void)
{
    const double row[SUB_FEATURES] = { 1, 2, 1, 3 };
    space_heap heap = { -1, 0 };
    gputune_options options;
    gputune_dataset *table;
    int i, added = 0;
    memset(&options, 0, sizeof options);
    options.allocator.reallocate = space_reallocate;
    options.allocator.user = &heap;
    table = gputune_dataset_create(NULL, sub_features, SUB_FEATURES, &options);
    for (i = 0; i < 200; i++) {
        gputune_result result;
        heap.until = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : -1;
        result = gputune_dataset_add_row(table, row, i);
        CHECK(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY);
        added += result == GPUTUNE_OK;
        CHECK_INT(gputune_dataset_works(table).count, added);
    }
    CHECK(added < 200 && added > 60);
    heap.until = -1;
    gputune_dataset_destroy(table);
    CHECK_INT(heap.live, 0);
}

static const test_case subspaces_cases[] = {
    { "partition", test_sub_partition },
    { "values", test_sub_values },
    { "linear", test_sub_linear },
    { "goals", test_sub_goals },
    { "bounds", test_sub_bounds },
    { "ranked", test_sub_ranked },
    { "above", test_sub_above },
    { "text", test_sub_text },
    { "sensitivity", test_sub_sensitivity },
    { "sensitivity_known", test_sub_sensitivity_known },
    { "errors", test_sub_errors },
    { "weights", test_sub_weights },
    { "dataset", test_sub_dataset },
    { "append", test_sub_append },
    { "dataset_errors", test_sub_dataset_errors },
    { "devices", test_sub_devices },
    { "sampler_good", test_sub_sampler_good },
    { "sampler_growth", test_sub_sampler_growth },
    { "sampler_budget", test_sub_sampler_budget },
    { "sampler_all", test_sub_sampler_all },
    { "sampler_told", test_sub_sampler_told },
    { "sampler_errors", test_sub_sampler_errors },
    { "memory", test_sub_memory },
    { "dataset_memory", test_sub_dataset_memory },
    { NULL, NULL },
};
