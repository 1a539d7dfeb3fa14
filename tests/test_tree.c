// [tree]: splits against brute force and scikit-learn, what is refused, texts, memory.

#include "table.h"
#include "tree_vectors.h"

static const char tree_names[] = "set ash,birch,cedar,dogwood,elm";
static const gputune_param tree_numbers[] = {
    { "a", NULL, NULL }, { "b", NULL, NULL }, { "c", NULL, NULL }, { "d", NULL, NULL }
};

// The next of a reproducible row of numbers in 0 .. n - 1.
static int tree_random(uint64_t *state, int n)
{
    return (int)gt__random_below(state, (uint64_t)n);
}

static gputune_tree_desc tree_desc(const gputune_param *features, int feature_count, size_t count,
                                   const double *x, const double *y)
{
    gputune_tree_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.table.columns = columns_of(features, feature_count);
    desc.table.count = count;
    desc.table.x = x;
    desc.table.y = y;
    return desc;
}

static gputune_tree *tree_make(const gputune_tree_desc *desc)
{
    gputune_tree *tree = gputune_tree_create(desc);
    CHECK_OR(!gputune_tree_error(tree)->result, "%s", gputune_tree_error(tree)->text);
    return tree;
}

// With thresholds that are drawn.
static gputune_tree *tree_drawn(const gputune_tree_desc *desc)
{
    gputune_tree *tree = tree_make(desc);
    gt__grower g;
    int t;
    memset(&g, 0, sizeof g);
    gt__tree_clear(tree);
    tree->drawn = true;
    g.tree = tree;
    g.table = desc->table;
    CHECK(gt__grower_init(&g));
    for (t = 0; t < tree->desc.trees; t++) CHECK(gt__grow(&g));
    tree->desc.trees = 1; // they are in no groups
    gt__grower_free(&g);
    return tree;
}

// Whether two trees have the same nodes in the same order.
static bool tree_same(const gputune_tree *a, const gputune_tree *b)
{
    return gt__len(a->nodes) == gt__len(b->nodes) &&
           gt__len(a->groups) == gt__len(b->groups) &&
           gt__len(a->roots) == gt__len(b->roots) &&
           memcmp(a->nodes, b->nodes, stbds_arrlenu(a->nodes) * sizeof *a->nodes) == 0 &&
           memcmp(a->roots, b->roots, stbds_arrlenu(a->roots) * sizeof *a->roots) == 0 &&
           (!a->groups ||
            memcmp(a->groups, b->groups, stbds_arrlenu(a->groups) * sizeof *a->groups) == 0);
}

// --- splits

// Squared error about the mean of the rows whose bit in `side` is `which`.
static double tree_error_of(const double *y, const int *side, int count, int which)
{
    double mean = 0, rows = 0, error = 0;
    int i;
    for (i = 0; i < count; i++)
        if (side[i] == which) mean += y[i], rows++;
    if (rows <= 0) return 0;
    mean /= rows;
    for (i = 0; i < count; i++)
        if (side[i] == which) error += (y[i] - mean) * (y[i] - mean);
    return error;
}

// The greatest reduction of any split: all thresholds, all groupings of five names.
static double tree_brute(const double *x, const double *y, int count, int min_leaf,
                         const gputune_param *features)
{
    int side[64], f, i, cut, left;
    double best = -1, whole;
    memset(side, 0, sizeof side);
    whole = tree_error_of(y, side, count, 0);
    for (f = 0; f < 3; f++) {
        for (cut = 0; cut < 32; cut++) {
            double gain;
            for (left = 0, i = 0; i < count; i++) {
                int value = (int)x[i * 3 + f];
                side[i] = features[f].values ? cut >> value & 1 : value > cut;
                left += side[i] == 0;
            }
            if (left < min_leaf || count - left < min_leaf) continue;
            gain = whole - tree_error_of(y, side, count, 0) - tree_error_of(y, side, count, 1);
            if (gain > best) best = gain;
        }
    }
    return best;
}

static void test_tree_splits(void)
{
    gputune_param features[3] = { { "n", NULL, NULL },
                                  { "wood", tree_names, NULL },
                                  { "m", NULL, NULL } };
    static double x[64 * 3], y[64];
    uint64_t state = 1;
    int round, i, f;
    for (round = 0; round < 400; round++) {
        int count = 2 + tree_random(&state, round % 4 ? 20 : 60);
        gputune_tree_desc desc;
        gputune_tree *tree;
        double best;
        features[1].values = round % 5 ? tree_names : NULL;
        desc = tree_desc(features, 3, (size_t)count, x, y);
        // With a least size of leaves only numbers are certain to find the best.
        desc.min_leaf = round % 5 ? 1 : 1 + tree_random(&state, 3);
        for (i = 0; i < count; i++) {
            for (f = 0; f < 3; f++) x[i * 3 + f] = tree_random(&state, f == 1 ? 5 : 9);
            y[i] = tree_random(&state, 50) * 0.1 + (round % 2 ? x[i * 3 + 1] : x[i * 3]);
        }
        tree = tree_make(&desc);
        best = tree_brute(x, y, count, desc.min_leaf, features);
        if (node_of(tree, 0, 0).column < 0)
            CHECK(best <= 0 || tree->nodes[0].error <= 0);
        else
            CHECK_NEAR(tree->nodes[0].gain, best, 1e-9 * (1 + best));
        gputune_tree_destroy(tree);
    }
}

// --- scikit-learn

typedef struct tree_vector {
    const double *x, *y, *query;
    size_t count;
    int features;
    const double *expected[3]; // of each setting
} tree_vector;

#define TREE_VECTOR(kind, features)                                                               \
    {                                                                                             \
        kind##_x, kind##_y, kind##_query, sizeof kind##_y / sizeof *kind##_y, features,           \
        {                                                                                         \
            kind##_plain, kind##_min_leaf, kind##_leaves                                          \
        }                                                                                         \
    }

static const tree_vector tree_vectors[] = { TREE_VECTOR(reals, 3), TREE_VECTOR(whole, 4),
                                            TREE_VECTOR(large, 3) };

static void test_tree_sklearn(void)
{
    size_t v, q;
    int s;
    for (v = 0; v < 3; v++) {
        const tree_vector *vector = &tree_vectors[v];
        for (s = 0; s < 3; s++) {
            gputune_tree_desc desc = tree_desc(tree_numbers, vector->features, vector->count,
                                               vector->x, vector->y);
            gputune_tree *tree;
            int known = 0;
            if (s == 1) desc.min_leaf = 3;
            if (s == 2) desc.leaves = 7;
            tree = tree_make(&desc);
            for (q = 0; q < 60; q++) {
                double expected = vector->expected[s][q];
                if (gt__is_nan(expected)) continue; // a tie
                known++;
                CHECK_NEAR(gputune_tree_predict(tree, vector->query + q * (size_t)vector->features,
                                                NULL),
                           expected, 1e-12 * (1 + fabs(expected)));
            }
            CHECK(known >= 5 && (s == 0 || known >= 20));
            gputune_tree_destroy(tree);
        }
    }
}


// --- what must not matter

enum { TREE_ROWS = 700 };

// Rows with ties, equal rows, a named feature: 3 columns.
static void tree_fill(double *x, double *y, int count, uint64_t state)
{
    int i;
    for (i = 0; i < count; i++) {
        x[i * 3] = tree_random(&state, 8);
        x[i * 3 + 1] = tree_random(&state, 5);
        x[i * 3 + 2] = 1 + gt__random_unit(&state) * 4;
        y[i] = 1 + x[i * 3] * (x[i * 3 + 1] == 2 ? 2 : 1) + tree_random(&state, 3);
    }
}

static void tree_swap_rows(double *x, double *y, int a, int b)
{
    double row[3], value;
    memcpy(row, x + 3 * a, sizeof row);
    memcpy(x + 3 * a, x + 3 * b, sizeof row);
    memcpy(x + 3 * b, row, sizeof row);
    value = y[a], y[a] = y[b], y[b] = value;
}

// Whatever is asked for, the order of rows changes nothing.
static void test_tree_order(void)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS];
    gputune_param features[3] = { { "n", NULL, NULL },
                                  { "wood", tree_names, NULL },
                                  { "m", NULL, NULL } };
    uint64_t state = 5;
    int kind, i;
    tree_fill(x, y, TREE_ROWS, 9);
    for (i = 0; i < TREE_ROWS; i += 2) x[3 * i + 2] = 1.1; // equal rows that differ in y
    for (i = 0; i < TREE_ROWS; i++) y[i] += 0.1 * gt__random_unit(&state);
    for (kind = 0; kind < 5; kind++) {
        gputune_tree_desc desc = tree_desc(features, 3, TREE_ROWS, x, y);
        gputune_tree *one, *two;
        desc.trees = kind == 1 ? 3 : kind == 2;
        desc.log = kind == 2;
        desc.leaves = kind == 3 ? 20 : 0;
        desc.min_leaf = kind == 4 ? 20 : 1;
        one = tree_make(&desc);
        CHECK(nodes_of(one, 0) > 10);
        for (i = TREE_ROWS - 1; i > 0; i--)
            tree_swap_rows(x, y, i, tree_random(&state, i + 1));
        two = tree_make(&desc);
        CHECK(tree_same(one, two));
        gputune_tree_destroy(one);
        gputune_tree_destroy(two);
    }
}

static void test_tree_constant(void)
{
    double x[5 * 2] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, y[5] = { 0.1, 0.1, 0.1, 0.1, 0.1 }, spread;
    gputune_tree_desc desc = tree_desc(tree_numbers, 2, 5, x, y);
    gputune_tree *tree = tree_make(&desc);
    CHECK_INT(nodes_of(tree, 0), 1);
    CHECK(gputune_tree_predict(tree, x, &spread) == 0.1 && spread == 0);
    gputune_tree_destroy(tree);
    desc.table.count = 1; // one sample, all kinds of trees
    y[0] = 3;
    tree = tree_drawn(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, x + 2, NULL), 3, 1e-15);
    gputune_tree_destroy(tree);
    desc.trees = 100;
    tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, x + 2, &spread), 3, 1e-15);
    CHECK_NEAR(spread, 0, 1e-15);
    gputune_tree_destroy(tree);
    desc = tree_desc(tree_numbers, 2, 5, x, y); // equal features: nothing to split by
    for (int i = 0; i < 10; i++) x[i] = 1;
    tree = tree_make(&desc);
    CHECK_INT(nodes_of(tree, 0), 1);
    CHECK_NEAR(gputune_tree_predict(tree, x, NULL), 0.68, 1e-15);
    gputune_tree_destroy(tree);
}

static void tree_refused(const gputune_tree_desc *desc, const char *part)
{
    gputune_tree *tree = gputune_tree_create(desc);
    double x[4] = { 0, 0, 0, 0 }, spread = 0;
    CHECK(gputune_tree_error(tree)->result == GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_tree_error(tree)->text, part);
    CHECK(gt__is_nan(gputune_tree_predict(tree, x, &spread)) && gt__is_nan(spread));
    CHECK(gputune_tree_text(tree, GPUTUNE_TREE_TEXT, NULL) == NULL);
    CHECK(gputune_tree_text(tree, GPUTUNE_TREE_C, "f") == NULL);
    gputune_tree_destroy(tree);
}

static void test_tree_refused(void)
{
    const double bad[] = { NAN, INFINITY, -INFINITY };
    double x[4 * 2] = { 1, 2, 3, 4, 0, 1, 2, 3 }, y[4] = { 1, 2, 3, 4 };
    gputune_param features[2] = { { "n", NULL, NULL }, { "wood", tree_names, NULL } };
    gputune_param many[GPUTUNE_MAX_COLUMNS + 1];
    gputune_tree_desc desc = tree_desc(features, 2, 4, x, y);
    int i;
    for (i = 0; i < 3; i++) {
        y[2] = bad[i];
        tree_refused(&desc, "row 2");
        y[2] = 3;
        x[2 * 3] = bad[i];
        tree_refused(&desc, "row 3, column 0 (n)");
        x[2 * 3] = 2;
    }
    x[2 * 1 + 1] = 5;
    tree_refused(&desc, "row 1, column 1 (wood): 5 is none of its 5 names");
    x[2 * 1 + 1] = 1.5;
    tree_refused(&desc, "1.5 is none");
    x[2 * 1 + 1] = 1;
    desc.log = true;
    y[0] = 0;
    tree_refused(&desc, "row 0: the metric is 0, not above 0 (log)");
    y[0] = 1;
    desc.table.count = 0;
    tree_refused(&desc, ".table.count is 0");
    desc.table.count = 4;
    desc.table.columns = columns_of(NULL, 0);
    tree_refused(&desc, "columns is 0;");
    for (i = 0; i <= GPUTUNE_MAX_COLUMNS; i++) many[i] = features[0];
    desc.table.columns = columns_of(many, GPUTUNE_MAX_COLUMNS + 1);
    tree_refused(&desc, "columns is 65;");
    desc.table.columns = columns_of(features, 2);
    desc.leaves = -1;
    tree_refused(&desc, ".leaves is -1");
}

static void test_tree_million(void)
{
    enum { COUNT = 1000000 };
    double *x = (double *)calloc(COUNT, 2 * sizeof *x), *y = (double *)calloc(COUNT, sizeof *y);
    gputune_tree_desc desc = tree_desc(tree_numbers, 2, COUNT, x, y);
    gputune_tree *tree;
    gputune_tree_node root;
    int i;
    for (i = 0; i < COUNT; i++) {
        x[2 * i] = i % 16;
        x[2 * i + 1] = i % 7;
        y[i] = (i % 16 > 10 ? 5 : 0) + (i % 7 > 2 ? 1 : 0);
    }
    tree = tree_make(&desc);
    root = node_of(tree, 0, 0);
    CHECK_INT(nodes_of(tree, 0), 7);
    CHECK(root.column == 0 && root.threshold == 10.5 && root.samples == COUNT);
    for (i = 0; i < 112; i++) CHECK_NEAR(gputune_tree_predict(tree, x + 2 * i, NULL), y[i], 1e-12);
    gputune_tree_destroy(tree);
    free(x);
    free(y);
}

// Counted and sorted columns find what one of them alone finds.
static void test_tree_engines(void)
{
    static double x[3000 * 3], y[3000];
    gputune_param features[3] = { { "n", NULL, NULL },
                                  { "wood", tree_names, NULL },
                                  { "m", NULL, NULL } };
    gputune_tree_desc desc = tree_desc(features, 3, 3000, x, y);
    gputune_tree *tree;
    gputune_tree_node n;
    uint64_t state = 4;
    int i, node, f, splits = 0;
    for (i = 0; i < 3000; i++) {
        x[3 * i] = tree_random(&state, 12);
        x[3 * i + 1] = tree_random(&state, 5);
        x[3 * i + 2] = gt__random_unit(&state);
        y[i] = x[3 * i] * x[3 * i + 2] + (x[3 * i + 1] == 3) + 0.2 * gt__random_unit(&state);
    }
    tree = tree_make(&desc);
    for (i = 0; i < 3000; i++) CHECK(gputune_tree_predict(tree, x + 3 * i, NULL) == y[i]);
    for (node = 0; gputune_tree_at(tree, 0, node, &n); node++) { // each is a tree of its own
        gputune_tree_node root;
        static double sub_x[3000 * 3], sub_y[3000];
        gputune_tree_desc small = tree_desc(features, 3, 0, sub_x, sub_y);
        gputune_tree *sub;
        if (n.column < 0 || n.samples < 3 || (node % 16 && n.samples < 200)) continue;
        for (i = 0; i < 3000; i++) {
            int at = 0;
            while (at < node) {
                gputune_tree_node above = node_of(tree, 0, at);
                if (above.column < 0) break;
                at = child_of(&above, x + 3 * i);
            }
            if (at != node) continue;
            for (f = 0; f < 3; f++) sub_x[3 * small.table.count + (size_t)f] = x[3 * i + f];
            sub_y[small.table.count++] = y[i];
        }
        CHECK_INT(small.table.count, n.samples);
        small.leaves = 2;
        sub = tree_make(&small);
        root = node_of(sub, 0, 0);
        CHECK_INT(root.column, n.column);
        CHECK_NEAR(sub->nodes[0].gain, tree->nodes[node].gain,
                   1e-9 * (1 + tree->nodes[node].gain));
        if (!n.group) CHECK(root.threshold == n.threshold);
        gputune_tree_destroy(sub);
        splits++;
    }
    CHECK(splits > 100);
    gputune_tree_destroy(tree);
}

// A node's best split in whole numbers, by the documented rule of ties.
typedef struct tree_cut {
    int feature;
    double threshold;
    int64_t up, down; // the reduction is up / down
} tree_cut;

static double tree_above(const double *x, const int *rows, int count, int f, double low)
{
    double next = INFINITY;
    int i;
    for (i = 0; i < count; i++)
        if (x[3 * rows[i] + f] > low && x[3 * rows[i] + f] < next) next = x[3 * rows[i] + f];
    return next;
}

static tree_cut tree_exact(const double *x, const double *y, const int *rows, int count, int least)
{
    tree_cut best = { -1, 0, 0, 1 };
    int64_t all = 0;
    int f, i;
    for (i = 0; i < count; i++) all += (int64_t)y[rows[i]];
    for (f = 0; f < 3; f++) {
        double at = tree_above(x, rows, count, f, -1), next;
        for (; (next = tree_above(x, rows, count, f, at)) < INFINITY; at = next) {
            int64_t sum = 0, lefts = 0, up, down;
            for (i = 0; i < count; i++) {
                if (x[3 * rows[i] + f] > at) continue;
                sum += (int64_t)y[rows[i]];
                lefts++;
            }
            if (lefts < least || count - lefts < least) continue;
            up = (sum * count - all * lefts) * (sum * count - all * lefts);
            down = lefts * (count - lefts);
            if (best.feature >= 0 && up * best.down <= best.up * down) continue;
            best.feature = f;
            best.threshold = (at + next) / 2;
            best.up = up;
            best.down = down;
        }
    }
    return best;
}

static void tree_exact_check(const gputune_tree *tree, int node, const double *x, const double *y,
                             int *rows, int count, int least)
{
    gputune_tree_node n = node_of(tree, 0, node);
    int spare[150], i, lefts = 0, rights = 0, same = 1;
    tree_cut cut;
    for (i = 1; i < count; i++) same += y[rows[i]] == y[rows[0]];
    cut = tree_exact(x, y, rows, count, least);
    if (same == count) cut.feature = -1;
    CHECK_INT(n.samples, count);
    CHECK_INT(n.column, cut.feature);
    if (n.column < 0 || n.column != cut.feature) return;
    CHECK(n.threshold == cut.threshold);
    for (i = 0; i < count; i++) {
        if (x[3 * rows[i] + n.column] <= n.threshold)
            rows[lefts++] = rows[i];
        else
            spare[rights++] = rows[i];
    }
    memcpy(rows + lefts, spare, (size_t)rights * sizeof *rows);
    tree_exact_check(tree, n.left, x, y, rows, lefts, least);
    tree_exact_check(tree, n.right, x, y, rows + lefts, rights, least);
}

// Whole trees of few metrics, with many ties: each split is the one that whole numbers choose.
static void test_tree_ties(void)
{
    static double x[150 * 3], y[150];
    uint64_t state = 8;
    int round, i, f, rows[150];
    for (round = 0; round < 300; round++) {
        int count = 2 + tree_random(&state, round % 3 ? 30 : 149), kinds = 2 + round % 4;
        gputune_tree_desc desc = tree_desc(tree_numbers, 3, (size_t)count, x, y);
        gputune_tree *tree;
        desc.min_leaf = 1 + (round % 5 == 0) * tree_random(&state, 4);
        for (i = 0; i < count; i++) { // the last feature is sorted once it has over 64 values
            for (f = 0; f < 3; f++) x[3 * i + f] = tree_random(&state, f == 2 ? 1000 : kinds + f);
            y[i] = tree_random(&state, 2 + round % 7);
            rows[i] = i;
        }
        tree = tree_make(&desc);
        tree_exact_check(tree, 0, x, y, rows, count, desc.min_leaf);
        gputune_tree_destroy(tree);
    }
}

// --- leaves, forests

static void test_tree_leaf(void)
{
    double x[9] = { 0, 0, 0, 0, 0, 1, 1, 1, 1 }, y[9] = { 1, 9, 2, 3, 2.5, 20, 10, 40, 30 };
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 9, x, y);
    gputune_tree *tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, &x[0], NULL), 3.5, 0);
    CHECK_NEAR(gputune_tree_predict(tree, &x[8], NULL), 25, 0);
    gputune_tree_destroy(tree);
}

static void test_tree_forest(void)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS];
    gputune_param features[3] = { { "n", NULL, NULL },
                                  { "wood", tree_names, NULL },
                                  { "m", NULL, NULL } };
    gputune_tree_desc desc = tree_desc(features, 3, TREE_ROWS, x, y);
    gputune_tree *tree;
    gputune_tree_node root;
    double spread, value, error = 0;
    int i;
    tree_fill(x, y, TREE_ROWS, 9);
    desc.trees = 20;
    desc.seed = 3;
    tree = tree_drawn(&desc); // sees all rows: right on them, whatever the thresholds
    CHECK_INT(trees_of(tree), 20);
    for (i = 0; i < TREE_ROWS; i++) {
        value = gputune_tree_predict(tree, x + 3 * i, &spread);
        CHECK_NEAR(value, y[i], 1e-12 * y[i]);
        CHECK_NEAR(spread, 0, 1e-6);
    }
    gputune_tree_destroy(tree);
    tree = tree_make(&desc);
    for (i = 0; i < TREE_ROWS; i++) {
        value = gputune_tree_predict(tree, x + 3 * i, &spread);
        error += fabs(value - y[i]) / TREE_ROWS;
        CHECK(spread >= 0 && value >= 1 && value <= 17);
    }
    CHECK(error > 0.05 && error < 0.6); // noise is up to 2
    for (i = 0; i < TREE_ROWS; i += 50) { // mean and spread from the trees' own leaves
        double mean = 0, squares = 0;
        int t;
        for (t = 0; t < 20; t++)
            mean += leaf_of(tree, t, x + 3 * i).value / 20;
        for (t = 0; t < 20; t++) {
            value = leaf_of(tree, t, x + 3 * i).value - mean;
            squares += value * value / 20;
        }
        CHECK_NEAR(gputune_tree_predict(tree, x + 3 * i, &spread), mean, 1e-12 * mean);
        CHECK_NEAR(spread, sqrt(squares), 1e-6);
    }
    for (i = 0; i < 20; i++) // nine tenths of the rows, each tree other ones
        CHECK_INT(node_of(tree, i, 0).samples, TREE_ROWS / 10 * 9);
    CHECK(!gputune_tree_at(tree, 20, 0, &root) && !gputune_tree_at(tree, -1, 0, &root));
    CHECK(!gputune_tree_at(tree, 7, -1, &root));
    for (i = 0; gputune_tree_at(tree, 7, i, &root); i++) // children are of the same tree
        CHECK(root.column < 0 || (root.left > i && root.right < nodes_of(tree, 7)));
    root = node_of(tree, 7, 0);
    gputune_tree_destroy(tree);
}

// Groups of trees tell parameters apart that each have an effect of their own: their error for what
// was not learned is less than that of trees that know nothing of each other. What does not fill a
// group joins the last one. A limit of leaves holds in each tree. A parameter that explains nearly
// all has nearly all of the importance. Without .log there are no groups: eight failed samples do
// not take the digits of all others.
static void test_tree_groups(void)
{
    enum { LEARNED = 200 };
    static double x[2 * LEARNED * 4], y[2 * LEARNED];
    double errors[3] = { 0, 0, 0 }, sums[2] = { 0, 0 }, shares[4], mean, spread;
    uint64_t state = 4;
    gputune_tree_desc desc = tree_desc(tree_numbers, 4, LEARNED, x, y);
    gputune_tree *tree;
    int i, f, k;
    for (i = 0; i < 2 * LEARNED; i++) {
        double sum = 0;
        for (f = 0; f < 4; f++) sum += (f + 1) * (x[4 * i + f] = tree_random(&state, 8)) / 10;
        y[i] = exp(sum);
    }
    desc.log = true;
    for (k = 0; k < 3; k++) {
        desc.trees = 19 + k;
        tree = tree_make(&desc);
        for (i = LEARNED; i < 2 * LEARNED; i++)
            errors[k] += fabs(log(gputune_tree_predict(tree, x + 4 * i, NULL) / y[i])) / LEARNED;
        if (k < 2) gputune_tree_destroy(tree);
    }
    CHECK(errors[1] < 0.8 * errors[0]);
    CHECK(errors[2] < 1.1 * errors[1]);
    for (k = 0; k < 21; k++) sums[k >= 10] += log(leaf_of(tree, k, x).value);
    mean = exp((sums[0] + sums[1]) / 2);
    CHECK_NEAR(gputune_tree_predict(tree, x, &spread), mean, 1e-12 * mean);
    CHECK_NEAR(spread, mean * fabs(sums[0] - sums[1]) / 2, 1e-6 * mean);
    CHECK_INT(node_of(tree, 20, 0).samples, LEARNED / 20 * 19);
    gputune_tree_destroy(tree);
    desc.leaves = 3;
    tree = tree_make(&desc);
    for (i = 0; i < desc.trees; i++) CHECK_INT(nodes_of(tree, i), 5);
    gputune_tree_destroy(tree);
    for (i = 0; i < LEARNED; i++) y[i] = exp(x[4 * i] + 0.01 * x[4 * i + 1]);
    desc.leaves = 0;
    tree = tree_make(&desc);
    gputune_tree_importance(tree, shares);
    CHECK(shares[0] > 0.98);
    gputune_tree_destroy(tree);
    desc.log = false;
    for (i = 3; i < LEARNED; i += 25) y[i] = 1e20;
    tree = tree_make(&desc);
    for (i = k = 0; i < LEARNED; i++)
        k += fabs(gputune_tree_predict(tree, x + 4 * i, NULL) / y[i] - 1) < 0.5;
    CHECK(k > LEARNED * 3 / 4);
    gputune_tree_destroy(tree);
}

static void test_tree_importance(void)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS];
    gputune_tree_desc desc = tree_desc(tree_numbers, 3, TREE_ROWS, x, y);
    gputune_tree *tree;
    double shares[3];
    int i;
    tree_fill(x, y, TREE_ROWS, 12);
    for (i = 0; i < TREE_ROWS; i++) y[i] = 10 * x[3 * i] + x[3 * i + 1];
    tree = tree_make(&desc);
    gputune_tree_importance(tree, shares);
    CHECK_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-12);
    CHECK(shares[0] > 0.98 && shares[1] > 1e-4 && shares[2] == 0);
    gputune_tree_destroy(tree);
}

// --- texts

static gputune_tree *tree_small(void)
{
    static const double x[] = { 1, 0, 2, 0, 3, 1, 4, 2, 5, 0, 6, 2 }, y[] = { 1, 1, 2, 8, 1, 8 };
    static const gputune_param features[2] = { { "TILE", NULL, NULL },
                                               { "wood", tree_names, NULL } };
    gputune_tree_desc desc = tree_desc(features, 2, 6, x, y);
    return tree_make(&desc);
}

static void test_tree_text(void)
{
    gputune_tree *tree = tree_small();
    const char *text;
    CHECK_TEXT(gputune_tree_text(tree, GPUTUNE_TREE_TEXT, NULL), "all: 3.5 (6 samples, 100 %)\n"
                                           "  wood is ash, birch, dogwood, elm: 1.25 (4 samples, "
                                           "66.7 %)\n"
                                           "    wood is ash, cedar, dogwood, elm: 1 (3 samples, "
                                           "50 %)\n"
                                           "    wood is birch: 2 (1 sample, 16.7 %)\n"
                                           "  wood is cedar: 8 (2 samples, 33.3 %)\n");
    text = gputune_tree_text(tree, GPUTUNE_TREE_C, "choose");
    CHECK_HAS(text,
              "/* wood_1: 0 ash, 1 birch, 2 cedar, 3 dogwood, 4 elm */\n"
              "static double choose_tree0(double TILE_0, double wood_1)\n{\n");
    CHECK_HAS(text, "static double choose(double TILE_0, double wood_1)\n{\n");
    CHECK(strstr(text, "math.h") == NULL);
    gputune_tree_destroy(tree);
}

// In all texts a value at a threshold belongs to the left; of logarithms the metric is shown.
static void test_tree_threshold(void)
{
    static const double x[4] = { 1, 1, 3, 3 }, y[4] = { 2, 2, 8, 8 }, at = 2;
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 4, x, y);
    int log;
    for (log = 0; log < 2; log++) {
        gputune_tree *tree;
        desc.log = log;
        tree = tree_make(&desc);
        CHECK_NEAR(gputune_tree_predict(tree, &at, NULL), 2, 1e-12);
        CHECK_HAS(gputune_tree_text(tree, GPUTUNE_TREE_C, "f"), "    if (a_0 <= 2) {\n");
        CHECK_TEXT(gputune_tree_text(tree, GPUTUNE_TREE_TEXT, NULL),
                   log ? "all: 4 (4 samples, 100 %)\n"
                         "  a <= 2: 2 (2 samples, 50 %)\n"
                         "  a > 2: 8 (2 samples, 50 %)\n"
                       : "all: 5 (4 samples, 100 %)\n"
                         "  a <= 2: 2 (2 samples, 50 %)\n"
                         "  a > 2: 8 (2 samples, 50 %)\n");
        gputune_tree_destroy(tree);
    }
}

// Awkward names; compiled as C89 by the compiler of the tests.
static const gputune_param tree_awkward[] = {
    { "int", NULL, NULL }, { "2 (two)", NULL, NULL },
    { "wood */ \\", tree_names, NULL }, { "2 [two]", NULL, NULL }
};

static void tree_write_main(FILE *file, int count, int forms)
{
    int f;
    fprintf(file, "#include <stdio.h>\nint main(void)\n{\n    double x[4];\n"
                  "    while (scanf(\"%%lf %%lf %%lf %%lf\", x, x + 1, x + 2, x + 3) == 4) {\n");
    for (f = 0; f < count; f++)
        fprintf(file, "        printf(\"%%.17g\\n\", (double)f%d(x[0], x[1], x[2], x[3]));\n", f);
    fprintf(file, "    }\n    return %d - %d;\n}\n", forms, forms);
}

static void test_tree_source(void)
{
    static double x[120 * 4], y[120];
    enum { KINDS = 5 };
    gputune_tree *trees[KINDS];
    char folder[] = "/tmp/gputune_tree_XXXXXX", path[128], command[640];
    const char *cc = getenv("CC");
    uint64_t state = 2;
    FILE *file, *pipe;
    int i, k;
    CHECK(mkdtemp(folder) != NULL);
    for (i = 0; i < 120; i++) {
        x[4 * i] = tree_random(&state, 9) / 3.0 - 1;
        x[4 * i + 1] = 1 << tree_random(&state, 6);
        x[4 * i + 2] = tree_random(&state, 5);
        x[4 * i + 3] = gt__random_unit(&state);
        y[i] = 0.2 + x[4 * i + 1] * (x[4 * i + 2] == 1) + 0.3 * x[4 * i + 3];
        y[i] += tree_random(&state, 3);
    }
    snprintf(path, sizeof path, "%s/tree.c", folder);
    file = fopen(path, "w");
    for (k = 0; k < KINDS; k++) {
        char name[16];
        gputune_tree_desc desc = tree_desc(tree_awkward, 4, 120, x, y);
        desc.min_leaf = k ? 4 : 1;
        desc.log = k == 2 || k == 3 || k == 4;
        desc.trees = k == 4 ? 24 : 1;
        trees[k] = tree_make(&desc);
        snprintf(name, sizeof name, "f%d", k);
        fprintf(file, "%s\n", gputune_tree_text(trees[k], GPUTUNE_TREE_C, name));
    }
    tree_write_main(file, KINDS, KINDS);
    fclose(file);
    snprintf(path, sizeof path, "%s/rows.txt", folder);
    file = fopen(path, "w");
    for (i = 0; i < 120; i++)
        fprintf(file, "%.17g %.17g %.17g %.17g\n", x[4 * i] + (i % 2) * 9.01, x[4 * i + 1],
                x[4 * i + 2], x[4 * i + 3]);
    fclose(file);
    snprintf(command, sizeof command,
             "%s -std=c89 -pedantic -Wall -Wextra -Wshadow -Wno-overlength-strings -Werror -O0 "
             "-ffp-contract=off %s/tree.c -o %s/tree -lm && %s/tree <%s/rows.txt",
             cc && *cc ? cc : "cc", folder, folder, folder, folder);
    pipe = popen(command, "r");
    for (i = 0; pipe && i < 120; i++) {
        double row[4], value;
        memcpy(row, x + 4 * i, sizeof row);
        row[0] += (i % 2) * 9.01; // beyond the samples, too
        for (k = 0; k < KINDS; k++) {
            double expected = gputune_tree_predict(trees[k], row, NULL);
            if (fscanf(pipe, "%lf", &value) != 1) value = NAN;
            CHECK_NEAR(value, expected, k == 0 ? 0 : 1e-12 * (1 + fabs(expected)));
        }
    }
    CHECK(pipe && pclose(pipe) == 0);
    for (k = 0; k < KINDS; k++) gputune_tree_destroy(trees[k]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}

// Finite numbers whose sums are not.
static void test_tree_sums(void)
{
    static const double x[] = { 1, 2, 3, 4 }, y[] = { 1e308, -1e308, 1e308, -1e308 };
    static const double large[] = { 1e200, 2e200, 3e200, 4e200 };
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 4, x, y);
    gputune_tree *tree = gputune_tree_create(&desc);
    CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_TOO_LARGE);
    gputune_tree_destroy(tree);
    desc.table.y = large; // whose squares are infinite
    tree = gputune_tree_create(&desc);
    CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_TOO_LARGE);
    gputune_tree_destroy(tree);
}

// --- a space's samples

static void test_tree_dataset(void)
{
    static const gputune_param params[] = { { "TILE", "set 1,2,4,8", NULL },
                                            { "FORM", "set naive,tiled,vector", NULL },
                                            { "SCALE", "range 0,1,0.5", NULL },
                                            { NULL, NULL, NULL } };
    gputune_space_desc whole;
    gputune_space *space;
    gputune_param own[2] = { { "size", NULL, NULL }, { "wood", tree_names, NULL } };
    gputune_samples *data, *valid;
    gputune_tree_desc desc;
    gputune_tree *time, *works;
    double size[2] = { 1, 3 }, x[5];
    uint64_t i;
    memset(&whole, 0, sizeof whole);
    whole.params = params;
    space = gputune_space_create(&whole);
    CHECK_TEXT(gputune_space_error(space)->text, "");
    data = samples_of(space, own, 2, NULL);
    valid = samples_of(space, own, 2, NULL); // does it run?
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        bool fails = gputune_config_int(&config, "TILE") == 8 &&
                     strcmp(gputune_config_name(&config, "FORM"), "tiled") == 0;
        double y = (double)gputune_config_int(&config, "TILE") +
                   gputune_config_real(&config, "SCALE");
        CHECK_INT(gputune_samples_add(data, size, &config, fails ? INFINITY : y), GPUTUNE_OK);
        CHECK_INT(gputune_samples_add(valid, size, &config, !fails), GPUTUNE_OK);
    }
    memset(&desc, 0, sizeof desc);
    desc.table = worked(data);
    CHECK_INT(desc.table.count, 33);
    CHECK_INT(table_width(&desc.table), 5);
    CHECK_TEXT(desc.table.columns[1].values, tree_names);
    CHECK_TEXT(desc.table.columns[3].values, "set naive,tiled,vector");
    CHECK(desc.table.columns[4].values == NULL);
    time = tree_make(&desc);
    desc.table = worked(valid);
    CHECK_INT(desc.table.count, 36);
    works = tree_make(&desc);
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        gputune_samples_row(data, size, &config, x);
        CHECK(x[0] == 1 && x[1] == 3 && x[3] == config.choice[1]);
        if (x[2] == 8 && x[3] == 1) {
            CHECK(gputune_tree_predict(works, x, NULL) == 0);
        } else {
            CHECK(gputune_tree_predict(works, x, NULL) == 1);
            CHECK_NEAR(gputune_tree_predict(time, x, NULL), x[2] + x[4], 1e-12);
        }
    }
    gputune_tree_destroy(time);
    gputune_tree_destroy(works);
    gputune_samples_destroy(data);
    gputune_samples_destroy(valid);
    gputune_space_destroy(space);
}

// Values that are a list of words are names, others numbers; one number more or less says nothing.
static void test_tree_words(void)
{
    static const gputune_param columns[] = { { "width", NULL, NULL },
                                             { "height", "set 1,2,4", NULL },
                                             { "device", "set old, 2080", NULL },
                                             { "way", "kernel row,column", NULL },
                                             { NULL, NULL, NULL } };
    double x[40 * 4], y[40];
    gputune_tree_desc desc;
    gputune_tree *tree;
    const char *text;
    int i;
    for (i = 0; i < 40; i++) {
        x[4 * i] = i % 5;
        x[4 * i + 1] = 1 << i % 3;
        x[4 * i + 2] = i % 2;
        x[4 * i + 3] = i / 2 % 2;
        y[i] = (i % 2 ? 10 : 1) * (i / 2 % 2 ? 3 : 1);
    }
    memset(&desc, 0, sizeof desc);
    desc.table.columns = columns;
    desc.table.x = x;
    desc.table.y = y;
    desc.table.count = 40;
    desc.leaves = 3;
    tree = tree_make(&desc);
    text = gputune_tree_text(tree, GPUTUNE_TREE_TEXT, NULL);
    CHECK_HAS(text, "  device is old: 2 (20 samples, 50 %)\n");
    CHECK_HAS(text, "  device is 2080: 20 (20 samples, 50 %)\n");
    CHECK_HAS(text, "    way is column: 30 (10 samples, 25 %)\n");
    gputune_tree_destroy(tree);
    x[2] = 0.5;
    tree_refused(&desc, "column 2 (device): 0.5 is none of its 2 names");
    x[2] = 0;
    x[1] = 0.5; // is fine as a number
    tree = tree_make(&desc);
    gputune_tree_destroy(tree);
}

// --- memory

typedef struct tree_memory {
    long left, alive;
} tree_memory;

static void *tree_reallocate(void *user, void *memory, size_t bytes)
{
    tree_memory *m = (tree_memory *)user;
    if (bytes && m->left-- <= 0) return NULL;
    m->alive += bytes ? !memory : -(memory != NULL);
    if (bytes) return realloc(memory, bytes);
    free(memory);
    return NULL;
}

// Everything a tree can do, with so many allocations; true when none was refused.
static bool tree_starved(int kind, long allowed)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS];
    gputune_param features[3] = { { "n", NULL, NULL },
                                  { "wood", tree_names, NULL },
                                  { "m", NULL, NULL } };
    gputune_tree_desc desc = tree_desc(features, 3, kind == 3 ? TREE_ROWS : 60, x, y);
    tree_memory memory = { 0, 0 };
    gputune_tree *tree;
    const char *text = NULL, *source = NULL;
    bool whole;
    tree_fill(x, y, TREE_ROWS, 9);
    memory.left = allowed;
    desc.options.reallocate = tree_reallocate;
    desc.options.user = &memory;
    desc.leaves = kind == 0 ? 20 : 0;
    desc.trees = kind == 2 ? 2 : 1;
    tree = gputune_tree_create(&desc);
    if (tree && !gputune_tree_error(tree)->result) {
        source = gputune_tree_text(tree, GPUTUNE_TREE_C, "f");
        text = gputune_tree_text(tree, GPUTUNE_TREE_TEXT, NULL);
        CHECK(gt__is_finite(gputune_tree_predict(tree, x, NULL)));
    } else if (tree) {
        CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_MEMORY);
    }
    whole = memory.left >= 0;
    CHECK(!whole || (source && text));
    gputune_tree_destroy(tree);
    CHECK_INT(memory.alive, 0);
    return whole;
}

static void test_tree_memory(void)
{
    int kind;
    for (kind = 0; kind < 4; kind++) {
        long allowed = 0;
        while (!tree_starved(kind, allowed) && allowed < 1000) allowed++;
        CHECK(allowed >= 30 && allowed < 1000);
    }
}

// One row that failed and was given a time of 1e20 hides nothing: neither what decides the others
// nor, in a full tree, their own values.
static void test_tree_penalty(void)
{
    enum { COUNT = 1000 };
    static double x[2 * COUNT], y[COUNT];
    uint64_t state = 9;
    gputune_tree_desc desc = tree_desc(tree_numbers, 2, COUNT, x, y);
    gputune_tree *tree;
    int i;
    for (i = 0; i < COUNT; i++) {
        x[2 * i] = gt__random_unit(&state);
        x[2 * i + 1] = tree_random(&state, 8);
        y[i] = i == 5 ? 1e20 : 1e-3 * (1 + x[2 * i + 1]);
    }
    x[10] = 2;
    tree = tree_make(&desc);
    CHECK_INT(node_of(tree, 0, 0).column, 0); // the penalty, and then eight values of b
    CHECK_INT(nodes_of(tree, 0), 17);
    for (i = 0; i < COUNT; i++)
        CHECK_NEAR(gputune_tree_predict(tree, x + 2 * i, NULL), y[i], 1e-15 * y[i]);
    gputune_tree_destroy(tree);
}

// Equal splits stay equal where a node's metrics lie far from all others': the first feature, of it
// the lowest threshold. b and -b mirror each other, and so do metrics along them.
static void test_tree_mirrors(void)
{
    enum { HALF = 20 };
    double x[6 * HALF], y[2 * HALF];
    int i, k;
    for (k = 0; k < 200; k++) {
        uint64_t state = (uint64_t)k + 1;
        gputune_tree_desc desc = tree_desc(tree_numbers, 3, 2 * HALF, x, y);
        gputune_tree_node low, high;
        gputune_tree *tree;
        for (i = 0; i < 2 * HALF; i++) {
            x[3 * i] = i >= HALF;
            x[3 * i + 1] = i % HALF;
            x[3 * i + 2] = -(i % HALF);
        }
        for (i = 0; i < HALF / 2; i++) {
            y[i] = y[HALF - 1 - i] = tree_random(&state, 50);
            y[HALF + i] = y[2 * HALF - 1 - i] = 1e7 + y[i];
        }
        tree = tree_make(&desc);
        low = node_of(tree, 0, 1);
        high = node_of(tree, 0, 2);
        CHECK_INT(node_of(tree, 0, 0).column, 0);
        CHECK_INT(low.column, 1);
        CHECK_INT(high.column, 1);
        CHECK(low.threshold < HALF / 2.0 && low.threshold == high.threshold);
        gputune_tree_destroy(tree);
    }
}

// A tree is flat where samples end: 0 ("off"), negative and huge values get what the nearest one
// gets, from C source, too (see source).
static void test_tree_beyond(void)
{
    static const double beyond[] = { 0, -1, 0.5, 1e9 };
    static const double within[] = { 1, 1, 1, 8 };
    double x[64], y[32], spread;
    int i, forest;
    for (i = 0; i < 32; i++) {
        x[2 * i] = 1 << i % 4;
        x[2 * i + 1] = 1 << i / 4;
        y[i] = 1e-3 * (1 + 1 / x[2 * i]) / sqrt(x[2 * i + 1]);
    }
    for (forest = 0; forest < 2; forest++) {
        gputune_table samples = { columns_of(tree_numbers, 2), x, y, 32 };
        gputune_tree_desc desc;
        gputune_tree *tree;
        memset(&desc, 0, sizeof desc);
        desc.table = samples;
        desc.log = true;
        desc.trees = forest ? 100 : 0;
        tree = tree_make(&desc);
        for (i = 0; i < 4; i++) {
            double at[2] = { beyond[i], 8 }, edge[2] = { within[i], 8 };
            double expected = gputune_tree_predict(tree, edge, NULL);
            CHECK_NEAR(gputune_tree_predict(tree, at, &spread), expected, 1e-12 * expected);
            CHECK(spread >= 0 && spread < expected);
        }
        gputune_tree_destroy(tree);
    }
}

// Some trees split nothing; a forest's importance adds up to 1 all the same.
static void test_tree_stumps(void)
{
    const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, y[] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 };
    double share = 0;
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 10, x, y);
    gputune_tree *tree;
    int t, stumps = 0;
    desc.trees = 40;
    tree = tree_make(&desc);
    for (t = 0; t < 40; t++)
        stumps += node_of(tree, t, 0).column < 0;
    CHECK(stumps > 0 && stumps < 40);
    gputune_tree_importance(tree, &share);
    CHECK_NEAR(share, 1, 1e-12);
    gputune_tree_destroy(tree);
}

// Names that meet those of the function's parts, of macros, or of each other.
static void test_tree_names(void)
{
    static const gputune_param taken[] = { { "f_0", NULL, NULL }, { "f-within", NULL, NULL },
                                             { "linux", NULL, NULL }, { "NAN", NULL, NULL } };
    double x[80], y[20];
    char command[128];
    const char *cc = getenv("CC");
    FILE *pipe;
    gputune_tree_desc desc = tree_desc(taken, 4, 20, x, y);
    gputune_tree *tree;
    int i;
    for (i = 0; i < 80; i++) x[i] = i * i % 7 + 1;
    for (i = 0; i < 20; i++) y[i] = i + 1;
    desc.trees = 2;
    desc.log = true;
    tree = tree_make(&desc);
    snprintf(command, sizeof command, "%s -std=gnu89 -Wall -Wshadow -Werror -fsyntax-only -x c -",
             cc && *cc ? cc : "cc");
    pipe = popen(command, "w");
    if (pipe)
        fprintf(pipe, "%s\nint main(void) { return f(1, 2, 3, 4) < 0; }\n",
                gputune_tree_text(tree, GPUTUNE_TREE_C, "f"));
    CHECK(pipe && pclose(pipe) == 0);
    gputune_tree_destroy(tree);
}

// Cuts that are drawn, one a node, see all rows and predict what they have not seen; memory that
// is refused is an error.
static void test_tree_drawn(void)
{
    static double x[400 * 5], y[400];
    gputune_tree_desc desc = tree_desc(tree_numbers, 4, 400, x, y);
    static const gputune_param features[5] = { { "a", NULL, NULL }, { "b", NULL, NULL },
                                                 { "c", NULL, NULL },
                                                 { "d", NULL, NULL }, { "e", NULL, NULL } };
    uint64_t state = 11;
    gputune_tree *tree;
    double error = 0;
    int i, f;
    for (i = 0; i < 400; i++) {
        for (f = 0; f < 4; f++) x[5 * i + f] = tree_random(&state, 20);
        x[5 * i + 4] = i; // so that no two rows are equal
        y[i] = x[5 * i] * 3 + x[5 * i + 1] + gt__random_unit(&state);
    }
    desc.table.columns = columns_of(features, 5);
    desc.trees = 1;
    tree = tree_drawn(&desc);
    for (i = 0; i < 400; i++) CHECK(gputune_tree_predict(tree, x + 5 * i, NULL) == y[i]);
    CHECK_INT(nodes_of(tree, 0), 2 * 400 - 1);
    gputune_tree_destroy(tree);
    desc.table.count = 200;
    desc.trees = 30;
    tree = tree_drawn(&desc);
    for (i = 200; i < 400; i++)
        error += fabs(gputune_tree_predict(tree, x + 5 * i, NULL) - y[i]) / 200;
    CHECK(error > 0.01 && error < 8); // of 76; of the mean 15.5
    gputune_tree_destroy(tree);
}

static const test_case tree_cases[] = {
    { "splits", test_tree_splits },
    { "sklearn", test_tree_sklearn },
    { "order", test_tree_order },
    { "constant", test_tree_constant },
    { "refused", test_tree_refused },
    { "million", test_tree_million },
    { "engines", test_tree_engines },
    { "ties", test_tree_ties },
    { "leaf", test_tree_leaf },
    { "forest", test_tree_forest },
    { "groups", test_tree_groups },
    { "importance", test_tree_importance },
    { "text", test_tree_text },
    { "threshold", test_tree_threshold },
    { "source", test_tree_source },
    { "sums", test_tree_sums },
    { "dataset", test_tree_dataset },
    { "words", test_tree_words },
    { "memory", test_tree_memory },
    { "drawn", test_tree_drawn },
    { "penalty", test_tree_penalty },
    { "mirrors", test_tree_mirrors },
    { "beyond", test_tree_beyond },
    { "stumps", test_tree_stumps },
    { "names", test_tree_names },
    { NULL, NULL }
};
