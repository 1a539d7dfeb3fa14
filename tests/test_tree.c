// [tree]: splits against brute force and scikit-learn, what is refused, texts, memory.

#include "tree_vectors.h"

static const char *const tree_names[] = { "ash", "birch", "cedar", "dogwood", "elm", NULL };
static const gputune_feature tree_numbers[] = {
    { "a", NULL }, { "b", NULL }, { "c", NULL }, { "d", NULL }
};

// The next of a reproducible row of numbers in 0 .. n - 1.
static int tree_random(uint64_t *state, int n)
{
    return (int)gputune__random_below(state, (uint64_t)n);
}

static gputune_tree_desc tree_desc(const gputune_feature *features, int feature_count, size_t count,
                                   const double *x, const double *y)
{
    gputune_tree_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.samples.features = features;
    desc.samples.feature_count = feature_count;
    desc.samples.count = count;
    desc.samples.x = x;
    desc.samples.y = y;
    return desc;
}

static gputune_tree *tree_make(const gputune_tree_desc *desc)
{
    gputune_tree *tree = gputune_tree_create(desc);
    CHECK_OR(!gputune_tree_error(tree)->result, "%s", gputune_tree_error(tree)->text);
    return tree;
}

// --- splits

// Squared error about the mean of the rows whose bit in `side` is `which`.
static double tree_error_of(const double *y, const double *w, const int *side, int count, int which)
{
    double mean = 0, weight = 0, error = 0;
    int i;
    for (i = 0; i < count; i++)
        if (side[i] == which) mean += w[i] * y[i], weight += w[i];
    if (weight <= 0) return 0;
    mean /= weight;
    for (i = 0; i < count; i++)
        if (side[i] == which) error += w[i] * (y[i] - mean) * (y[i] - mean);
    return error;
}

// The greatest reduction of any split: all thresholds, all groupings of five names.
static double tree_brute(const double *x, const double *y, const double *w, int count,
                         int min_leaf, const gputune_feature *features)
{
    int side[64], f, i, cut, left;
    double best = -1, whole;
    memset(side, 0, sizeof side);
    whole = tree_error_of(y, w, side, count, 0);
    for (f = 0; f < 3; f++) {
        for (cut = 0; cut < 32; cut++) {
            double gain;
            for (left = 0, i = 0; i < count; i++) {
                int value = (int)x[i * 3 + f];
                side[i] = features[f].names ? cut >> value & 1 : value > cut;
                left += side[i] == 0;
            }
            if (left < min_leaf || count - left < min_leaf) continue;
            gain = whole - tree_error_of(y, w, side, count, 0) -
                   tree_error_of(y, w, side, count, 1);
            if (gain > best) best = gain;
        }
    }
    return best;
}

static void test_tree_splits(void)
{
    gputune_feature features[3] = { { "n", NULL }, { "wood", tree_names }, { "m", NULL } };
    static double x[64 * 3], y[64], w[64];
    uint64_t state = 1;
    int round, i, f;
    for (round = 0; round < 400; round++) {
        int count = 2 + tree_random(&state, round % 4 ? 20 : 60);
        gputune_tree_desc desc = tree_desc(features, 3, (size_t)count, x, y);
        gputune_tree *tree;
        gputune_tree_node root;
        double best;
        desc.depth = 1;
        // With a least size of leaves only numbers are certain to find the best.
        desc.min_leaf = round % 5 ? 1 : 1 + tree_random(&state, 3);
        features[1].names = round % 5 ? tree_names : NULL;
        for (i = 0; i < count; i++) {
            for (f = 0; f < 3; f++) x[i * 3 + f] = tree_random(&state, f == 1 ? 5 : 9);
            y[i] = tree_random(&state, 50) * 0.1 + (round % 2 ? x[i * 3 + 1] : x[i * 3]);
            w[i] = round % 3 == 0 ? 1 : round % 3 == 1 ? 1 + tree_random(&state, 4)
                                                       : 0.1 + tree_random(&state, 100) * 0.013;
        }
        desc.samples.weight = w;
        tree = tree_make(&desc);
        root = gputune_tree_at(tree, gputune_tree_root(tree, 0));
        best = tree_brute(x, y, w, count, desc.min_leaf, features);
        if (root.feature < 0)
            CHECK(best <= 0 || root.error <= 0);
        else
            CHECK_NEAR(root.gain, best, 1e-9 * (1 + best));
        gputune_tree_destroy(tree);
    }
}

// --- scikit-learn

typedef struct tree_vector {
    const double *x, *y, *weight, *query, *alphas;
    size_t count, alpha_count;
    int features;
    const double *expected[10]; // two a setting: equal weights, others
} tree_vector;

#define TREE_VECTOR(kind, features)                                                               \
    {                                                                                             \
        kind##_x, kind##_y, kind##_weight, kind##_query, kind##_alphas,                           \
            sizeof kind##_y / sizeof *kind##_y, sizeof kind##_alphas / sizeof *kind##_alphas,     \
            features,                                                                             \
        {                                                                                         \
            kind##_plain, kind##_plain_weighed, kind##_min_leaf, kind##_min_leaf_weighed,         \
                kind##_depth, kind##_depth_weighed, kind##_leaves, kind##_leaves_weighed,         \
                kind##_min_split, kind##_min_split_weighed                                        \
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
        for (s = 0; s < 10; s++) {
            gputune_tree_desc desc = tree_desc(tree_numbers, vector->features, vector->count,
                                               vector->x, vector->y);
            gputune_tree *tree;
            int known = 0;
            if (s % 2) desc.samples.weight = vector->weight;
            if (s / 2 == 1) desc.min_leaf = 3;
            if (s / 2 == 2) desc.depth = 3;
            if (s / 2 == 3) desc.leaves = 7;
            if (s / 2 == 4) desc.min_split = 9;
            tree = tree_make(&desc);
            for (q = 0; q < 60; q++) {
                double expected = vector->expected[s][q];
                if (isnan(expected)) continue; // a tie
                known++;
                CHECK_NEAR(gputune_tree_predict(tree, vector->query + q * (size_t)vector->features,
                                                NULL),
                           expected, 1e-12 * (1 + fabs(expected)));
            }
            CHECK(known >= 5 && (s / 2 == 0 || known >= 20));
            gputune_tree_destroy(tree);
        }
    }
}


// The complexities at which branches go, one after the other, are scikit-learn's. What folds choose
// between is nowhere to be seen from outside.
static void test_tree_pruning(void)
{
    size_t v, k;
    for (v = 0; v < 3; v++) {
        const tree_vector *vector = &tree_vectors[v];
        gputune_tree_desc desc = tree_desc(tree_numbers, vector->features, vector->count,
                                           vector->x, vector->y);
        gputune_tree *tree;
        gputune__limb *limbs;
        double *keys;
        size_t nodes, count = 0, at = 0;
        int i;
        desc.min_leaf = 3;
        tree = tree_make(&desc);
        nodes = (size_t)gputune_tree_node_count(tree);
        limbs = (gputune__limb *)calloc(nodes, sizeof *limbs);
        keys = (double *)calloc(nodes, sizeof *keys);
        gputune__limbs_of(tree, 0, limbs);
        for (i = 0; i < (int)nodes; i++)
            if (limbs[i].leaves > 0) keys[count++] = limbs[i].key;
        qsort(keys, count, sizeof *keys, gputune__compare_doubles);
        for (k = 1; k < vector->alpha_count; k++) { // theirs begins with 0
            CHECK(at < count);
            for (i = 0; at < count && keys[at] <= vector->alphas[k] * (1 + 1e-9); at++) {
                CHECK_NEAR(keys[at], vector->alphas[k], 1e-9 * vector->alphas[k]);
                i++;
            }
            CHECK(i > 0);
        }
        CHECK_INT(at, count);
        free(keys);
        free(limbs);
        gputune_tree_destroy(tree);
    }
}

// Steps with noise: cross-validation keeps the steps and not the noise.
static void test_tree_folds(void)
{
    static double x[300], y[300];
    uint64_t state = 3;
    int i;
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 300, x, y);
    gputune_tree *tree;
    for (i = 0; i < 300; i++) {
        x[i] = i;
        y[i] = (i < 100 ? 0 : i < 180 ? 10 : 4) + gputune__random_normal(&state);
    }
    desc.folds = 10;
    desc.min_leaf = 5;
    tree = tree_make(&desc);
    CHECK(gputune_tree_node_count(tree) >= 5 && gputune_tree_node_count(tree) <= 9);
    CHECK_NEAR(gputune_tree_predict(tree, &x[50], NULL), 0, 0.7);
    CHECK_NEAR(gputune_tree_predict(tree, &x[150], NULL), 10, 0.7);
    CHECK_NEAR(gputune_tree_predict(tree, &x[250], NULL), 4, 0.7);
    gputune_tree_destroy(tree);
    for (i = 0; i < 300; i++) y[i] = gputune__random_normal(&state);
    tree = tree_make(&desc);
    CHECK(gputune_tree_node_count(tree) <= 3);
    gputune_tree_destroy(tree);
    // One row is apart, and no median is the better for it: of what is equally good the smallest.
    for (i = 0; i < 300; i++) {
        x[i] = i == 299 ? 2 : i % 2;
        y[i] = i == 299 ? 5 : 3.0 * (i % 2);
    }
    desc.min_leaf = 0;
    desc.leaf = GPUTUNE_LEAF_MEDIAN;
    tree = tree_make(&desc);
    CHECK_INT(gputune_tree_node_count(tree), 3);
    gputune_tree_destroy(tree);
    desc.folds = 1;
    tree = gputune_tree_create(&desc);
    CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_ARGUMENT);
    gputune_tree_destroy(tree);
}

// What counts is what leaves predict: a line needs no steps, and a median sees a step that means do
// not see among outliers.
static void test_tree_folds_leaves(void)
{
    static double x[300], y[300];
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 300, x, y);
    gputune_tree *tree;
    uint64_t state = 6;
    int i;
    for (i = 0; i < 300; i++) {
        x[i] = i;
        y[i] = 0.1 * i + gputune__random_normal(&state);
    }
    desc.folds = 10;
    desc.min_leaf = 10;
    tree = tree_make(&desc);
    CHECK(gputune_tree_node_count(tree) >= 11);
    gputune_tree_destroy(tree);
    desc.leaf = GPUTUNE_LEAF_LINEAR;
    tree = tree_make(&desc);
    CHECK(gputune_tree_node_count(tree) <= 3);
    CHECK_NEAR(gputune_tree_predict(tree, &x[100], NULL), 10, 0.5);
    gputune_tree_destroy(tree);
    for (i = 0; i < 300; i++) {
        y[i] = (i < 150 ? 0 : 10) + gputune__random_normal(&state);
        if (i % 7 == 3) y[i] += tree_random(&state, 2) ? 2000 : -2000;
    }
    desc.leaf = GPUTUNE_LEAF_MEDIAN;
    desc.min_leaf = 30;
    tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, &x[75], NULL), 0, 1);
    CHECK_NEAR(gputune_tree_predict(tree, &x[225], NULL), 10, 1);
    gputune_tree_destroy(tree);
}

// --- what must not matter

enum { TREE_ROWS = 700 };

// Rows with ties, equal rows, a named feature: 3 columns.
static void tree_fill(double *x, double *y, double *w, int count, uint64_t state)
{
    int i;
    for (i = 0; i < count; i++) {
        x[i * 3] = tree_random(&state, 8);
        x[i * 3 + 1] = tree_random(&state, 5);
        x[i * 3 + 2] = 1 + gputune__random_unit(&state) * 4;
        y[i] = 1 + x[i * 3] * (x[i * 3 + 1] == 2 ? 2 : 1) + tree_random(&state, 3);
        w[i] = 1 + tree_random(&state, 3);
    }
}

static void tree_swap_rows(double *x, double *y, double *w, int a, int b)
{
    double row[3], value;
    memcpy(row, x + 3 * a, sizeof row);
    memcpy(x + 3 * a, x + 3 * b, sizeof row);
    memcpy(x + 3 * b, row, sizeof row);
    value = y[a], y[a] = y[b], y[b] = value;
    value = w[a], w[a] = w[b], w[b] = value;
}

// Whatever is asked for, the order of rows changes nothing.
static void test_tree_order(void)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS], w[TREE_ROWS];
    gputune_feature features[3] = { { "n", NULL }, { "wood", tree_names }, { "m", NULL } };
    uint64_t state = 5;
    int kind, i;
    tree_fill(x, y, w, TREE_ROWS, 9);
    for (i = 0; i < TREE_ROWS; i += 2) x[3 * i + 2] = 1.1; // equal rows that differ in y
    for (i = 0; i < TREE_ROWS; i++) y[i] += 0.1 * gputune__random_unit(&state);
    for (kind = 0; kind < 7; kind++) {
        gputune_tree_desc desc = tree_desc(features, 3, TREE_ROWS, x, y);
        gputune_tree *one, *two;
        const char *saved;
        desc.samples.weight = w;
        desc.forest = kind == 1   ? GPUTUNE_FOREST_BAGGED
                      : kind == 2 ? GPUTUNE_FOREST_EXTRA
                                  : GPUTUNE_FOREST_NONE;
        desc.trees = 3;
        desc.log = kind == 3;
        desc.trend = kind == 3 ? -1 : 0;
        desc.folds = kind == 4 ? 5 : 0;
        desc.leaf = kind == 5   ? GPUTUNE_LEAF_LINEAR
                    : kind == 6 ? GPUTUNE_LEAF_MEDIAN
                                : GPUTUNE_LEAF_MEAN;
        desc.min_leaf = kind >= 5 ? 20 : 1;
        one = tree_make(&desc);
        saved = gputune_tree_save(one);
        CHECK(saved != NULL);
        for (i = TREE_ROWS - 1; i > 0; i--)
            tree_swap_rows(x, y, w, i, tree_random(&state, i + 1));
        two = tree_make(&desc);
        CHECK_TEXT(gputune_tree_save(two), saved);
        gputune_tree_destroy(one);
        gputune_tree_destroy(two);
    }
}

// A whole weight is a row repeated; a weight of 0 is none.
static void test_tree_weights(void)
{
    static double x[40 * 3], y[40], w[40], x2[160 * 3], y2[160], w2[160];
    gputune_feature features[3] = { { "n", NULL }, { "wood", tree_names }, { "m", NULL } };
    gputune_tree_desc desc = tree_desc(features, 3, 40, x, y);
    gputune_tree *one, *two;
    int i, k, count = 0;
    tree_fill(x, y, w, 40, 2);
    w[7] = w[30] = 0;
    desc.samples.weight = w;
    one = tree_make(&desc);
    for (i = 0; i < 40; i++) {
        for (k = 0; k < (int)w[i]; k++, count++) {
            memcpy(x2 + 3 * count, x + 3 * i, 3 * sizeof *x);
            y2[count] = y[i];
            w2[count] = 0.3;
        }
    }
    desc = tree_desc(features, 3, (size_t)count, x2, y2);
    for (k = 0; k < 2; k++) { // without weights, then all the same
        two = tree_make(&desc);
        for (i = 0; i < 40; i++)
            CHECK_NEAR(gputune_tree_predict(two, x + 3 * i, NULL),
                       gputune_tree_predict(one, x + 3 * i, NULL), 1e-12);
        CHECK_INT(gputune_tree_node_count(two), gputune_tree_node_count(one));
        gputune_tree_destroy(two);
        desc.samples.weight = w2;
    }
    gputune_tree_destroy(one);
}

static void test_tree_constant(void)
{
    double x[5 * 2] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }, y[5] = { 0.1, 0.1, 0.1, 0.1, 0.1 }, spread;
    gputune_tree_desc desc = tree_desc(tree_numbers, 2, 5, x, y);
    gputune_tree *tree = tree_make(&desc);
    CHECK_INT(gputune_tree_node_count(tree), 1);
    CHECK(gputune_tree_predict(tree, x, &spread) == 0.1 && spread == 0);
    gputune_tree_destroy(tree);
    desc.samples.count = 1; // one sample, all kinds of trees
    y[0] = 3;
    desc.folds = 5;
    desc.trend = -1;
    desc.leaf = GPUTUNE_LEAF_LINEAR;
    tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, x + 2, NULL), 3, 1e-15);
    gputune_tree_destroy(tree);
    desc.forest = GPUTUNE_FOREST_BAGGED;
    tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, x + 2, &spread), 3, 1e-15);
    CHECK_NEAR(spread, 0, 1e-15);
    gputune_tree_destroy(tree);
    desc = tree_desc(tree_numbers, 2, 5, x, y); // equal features: nothing to split by
    for (int i = 0; i < 10; i++) x[i] = 1;
    tree = tree_make(&desc);
    CHECK_INT(gputune_tree_node_count(tree), 1);
    CHECK_NEAR(gputune_tree_predict(tree, x, NULL), 0.68, 1e-15);
    gputune_tree_destroy(tree);
}

static void tree_refused(const gputune_tree_desc *desc, const char *part)
{
    gputune_tree *tree = gputune_tree_create(desc);
    double x[4] = { 0, 0, 0, 0 }, spread = 0;
    CHECK(gputune_tree_error(tree)->result == GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_tree_error(tree)->text, part);
    CHECK(isnan(gputune_tree_predict(tree, x, &spread)) && isnan(spread));
    CHECK(gputune_tree_text(tree, 0) == NULL && gputune_tree_save(tree) == NULL);
    gputune_tree_destroy(tree);
}

static void test_tree_refused(void)
{
    const double bad[] = { NAN, INFINITY, -INFINITY };
    double x[4 * 2] = { 1, 2, 3, 4, 0, 1, 2, 3 }, y[4] = { 1, 2, 3, 4 }, w[4] = { 1, 1, 1, 1 };
    gputune_feature features[2] = { { "n", NULL }, { "wood", tree_names } };
    gputune_tree_desc desc = tree_desc(features, 2, 4, x, y);
    int i;
    for (i = 0; i < 3; i++) {
        y[2] = bad[i];
        tree_refused(&desc, "row 2");
        y[2] = 3;
        x[2 * 3] = bad[i];
        tree_refused(&desc, "row 3, column 0 (n)");
        x[2 * 3] = 2;
        desc.samples.weight = w;
        w[1] = bad[i];
        tree_refused(&desc, "row 1: the weight");
        w[1] = 1;
        desc.samples.weight = NULL;
    }
    desc.samples.weight = w;
    w[1] = -1;
    tree_refused(&desc, "row 1: the weight is -1");
    memset(w, 0, sizeof w);
    tree_refused(&desc, "weight above 0");
    desc.samples.weight = NULL;
    x[2 * 1 + 1] = 5;
    tree_refused(&desc, "row 1, column 1 (wood): 5 is none of its 5 names");
    x[2 * 1 + 1] = 1.5;
    tree_refused(&desc, "1.5 is none");
    x[2 * 1 + 1] = 1;
    desc.log = true;
    y[0] = 0;
    tree_refused(&desc, "row 0: the metric is 0, not above 0 (log)");
    y[0] = 1;
    desc.samples.count = 0;
    tree_refused(&desc, "no samples");
    desc.samples.count = 4;
    desc.samples.feature_count = 0;
    tree_refused(&desc, "0 features");
    desc.samples.feature_count = GPUTUNE_MAX_FEATURES + 1;
    tree_refused(&desc, "65 features");
    desc.samples.feature_count = 2;
    desc.depth = -1;
    tree_refused(&desc, "negative");
    desc.depth = 0;
    desc.trend = 2;
    tree_refused(&desc, "a trend of 2");
    desc.trend = NAN;
    tree_refused(&desc, "a trend of");
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
    root = gputune_tree_at(tree, 0);
    CHECK_INT(gputune_tree_node_count(tree), 7);
    CHECK(root.feature == 0 && root.threshold == 10.5 && root.samples == COUNT);
    for (i = 0; i < 112; i++) CHECK_NEAR(gputune_tree_predict(tree, x + 2 * i, NULL), y[i], 1e-12);
    gputune_tree_destroy(tree);
    free(x);
    free(y);
}

// The child of a node to which a row goes.
static int tree_child(const gputune_tree *tree, int node, const double *x)
{
    gputune_tree_node n = gputune_tree_at(tree, node);
    int value = (int)x[n.feature];
    bool left = n.group ? n.group[value / 32] >> value % 32 & 1 : x[n.feature] <= n.threshold;
    return left ? n.left : n.right;
}

// Counted, sorted and small nodes find what one of them alone finds.
static void test_tree_engines(void)
{
    static double x[3000 * 3], y[3000];
    gputune_feature features[3] = { { "n", NULL }, { "wood", tree_names }, { "m", NULL } };
    gputune_tree_desc desc = tree_desc(features, 3, 3000, x, y);
    gputune_tree *tree;
    uint64_t state = 4;
    int i, node, f, splits = 0;
    for (i = 0; i < 3000; i++) {
        x[3 * i] = tree_random(&state, 12);
        x[3 * i + 1] = tree_random(&state, 5);
        x[3 * i + 2] = gputune__random_unit(&state);
        y[i] = x[3 * i] * x[3 * i + 2] + (x[3 * i + 1] == 3) + 0.2 * gputune__random_unit(&state);
    }
    tree = tree_make(&desc);
    for (i = 0; i < 3000; i++) CHECK(gputune_tree_predict(tree, x + 3 * i, NULL) == y[i]);
    for (node = 0; node < gputune_tree_node_count(tree); node++) { // each is a tree of its own
        gputune_tree_node n = gputune_tree_at(tree, node), root;
        static double sub_x[3000 * 3], sub_y[3000];
        gputune_tree_desc small = tree_desc(features, 3, 0, sub_x, sub_y);
        gputune_tree *sub;
        if (n.feature < 0 || n.samples < 3 || (node % 16 && n.samples < 200)) continue;
        for (i = 0; i < 3000; i++) {
            int at = 0;
            while (at != node && at < node && gputune_tree_at(tree, at).feature >= 0)
                at = tree_child(tree, at, x + 3 * i);
            if (at != node) continue;
            for (f = 0; f < 3; f++) sub_x[3 * small.samples.count + (size_t)f] = x[3 * i + f];
            sub_y[small.samples.count++] = y[i];
        }
        CHECK_INT(small.samples.count, n.samples);
        small.depth = 1;
        sub = tree_make(&small);
        root = gputune_tree_at(sub, 0);
        CHECK_INT(root.feature, n.feature);
        CHECK_NEAR(root.gain, n.gain, 1e-9 * (1 + n.gain));
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
    gputune_tree_node n = gputune_tree_at(tree, node);
    int spare[150], i, lefts = 0, rights = 0, same = 1;
    tree_cut cut;
    for (i = 1; i < count; i++) same += y[rows[i]] == y[rows[0]];
    cut = tree_exact(x, y, rows, count, least);
    if (same == count) cut.feature = -1;
    CHECK_INT(n.samples, count);
    CHECK_INT(n.feature, cut.feature);
    if (n.feature < 0 || n.feature != cut.feature) return;
    CHECK(n.threshold == cut.threshold);
    for (i = 0; i < count; i++) {
        if (x[3 * rows[i] + n.feature] <= n.threshold)
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

// --- leaves, trend, forests

static void test_tree_median(void)
{
    double x[9] = { 0, 0, 0, 0, 0, 1, 1, 1, 1 }, y[9] = { 1, 9, 2, 3, 2.5, 20, 10, 40, 30 };
    double w[9] = { 1, 1, 1, 1, 1, 1, 1, 1, 4 };
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 9, x, y);
    gputune_tree *tree;
    desc.leaf = GPUTUNE_LEAF_MEDIAN;
    tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, &x[0], NULL), 2.5, 0);
    CHECK_NEAR(gputune_tree_predict(tree, &x[8], NULL), 25, 0);
    gputune_tree_destroy(tree);
    desc.samples.weight = w;
    tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, &x[8], NULL), 30, 0);
    gputune_tree_destroy(tree);
}

// Two planes, and a column that repeats another: slopes are found all the same.
static void test_tree_linear(void)
{
    static double x[200 * 4], y[200];
    double at[4] = { 0.3, 0.6, 0.4, 1 }, far[4] = { 50, 100, 0.4, 1 };
    gputune_feature features[4] = { { "p", NULL }, { "twice p", NULL }, { "q", NULL },
                                    { "wood", tree_names } };
    gputune_tree_desc desc = tree_desc(features, 4, 200, x, y);
    gputune_tree *tree;
    uint64_t state = 8;
    int i;
    for (i = 0; i < 200; i++) {
        x[4 * i] = gputune__random_unit(&state);
        x[4 * i + 1] = 2 * x[4 * i];
        x[4 * i + 2] = gputune__random_unit(&state);
        x[4 * i + 3] = i % 2 ? 3 : 1;
        y[i] = i % 2 ? 100 + 3 * x[4 * i] - x[4 * i + 2] : 2 - 4 * x[4 * i] + x[4 * i + 2];
    }
    desc.leaf = GPUTUNE_LEAF_LINEAR;
    desc.depth = 1;
    tree = tree_make(&desc);
    CHECK_NEAR(gputune_tree_predict(tree, at, NULL), 2 - 4 * 0.3 + 0.4, 1e-6);
    at[3] = 3;
    CHECK_NEAR(gputune_tree_predict(tree, at, NULL), 100 + 3 * 0.3 - 0.4, 1e-6);
    CHECK(gputune_tree_predict(tree, far, NULL) >= -2 && gputune_tree_predict(tree, far, NULL) < 3);
    gputune_tree_destroy(tree);
}

// A power law is a trend in logarithms; steps are not.
static void test_tree_trend(void)
{
    static double x[100 * 2], y[100];
    double at[2] = { 24, 3 };
    gputune_tree_desc desc = tree_desc(tree_numbers, 2, 100, x, y);
    gputune_tree *tree;
    uint64_t state = 6;
    int i;
    for (i = 0; i < 100; i++) {
        x[2 * i] = 1 << tree_random(&state, 8);
        x[2 * i + 1] = 1 + tree_random(&state, 6);
        y[i] = 5 * x[2 * i] * x[2 * i] / x[2 * i + 1];
    }
    desc.log = true;
    desc.trend = -1;
    tree = tree_make(&desc);
    CHECK_HAS(gputune_tree_save(tree), "root\tnode=0\ttrend=1\t");
    CHECK_NEAR(gputune_tree_predict(tree, at, NULL) / (5.0 * 24 * 24 / 3), 1, 0.2);
    for (i = 0; i < 100; i++)
        CHECK_NEAR(gputune_tree_predict(tree, x + 2 * i, NULL), y[i], 1e-9 * y[i]);
    gputune_tree_destroy(tree);
    for (i = 0; i < 100; i++)
        y[i] = x[2 * i] == 8 && x[2 * i + 1] > 3 ? 1 : x[2 * i + 1] == 2 ? 50 : 7;
    tree = tree_make(&desc);
    CHECK_HAS(gputune_tree_save(tree), "root\tnode=0\ttrend=0\t");
    gputune_tree_destroy(tree);
}

static void test_tree_forest(void)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS], w[TREE_ROWS];
    gputune_feature features[3] = { { "n", NULL }, { "wood", tree_names }, { "m", NULL } };
    gputune_tree_desc desc = tree_desc(features, 3, TREE_ROWS, x, y);
    gputune_tree *tree, *single;
    double spread, value, error = 0;
    int i;
    tree_fill(x, y, w, TREE_ROWS, 9);
    single = tree_make(&desc);
    desc.trees = 20;
    desc.seed = 3;
    desc.forest = GPUTUNE_FOREST_EXTRA; // sees all rows: right on them, whatever the thresholds
    tree = tree_make(&desc);
    CHECK_INT(gputune_tree_trees(tree), 20);
    for (i = 0; i < TREE_ROWS; i++) {
        value = gputune_tree_predict(tree, x + 3 * i, &spread);
        CHECK_NEAR(value, y[i], 1e-12 * y[i]);
        CHECK_NEAR(spread, 0, 1e-6);
    }
    gputune_tree_destroy(tree);
    desc.forest = GPUTUNE_FOREST_BAGGED;
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
            mean += gputune_tree_at(tree, gputune_tree_leaf(tree, t, x + 3 * i)).value / 20;
        for (t = 0; t < 20; t++) {
            value = gputune_tree_at(tree, gputune_tree_leaf(tree, t, x + 3 * i)).value - mean;
            squares += value * value / 20;
        }
        CHECK_NEAR(gputune_tree_predict(tree, x + 3 * i, &spread), mean, 1e-12 * mean);
        CHECK_NEAR(spread, sqrt(squares), 1e-6);
    }
    gputune_tree_destroy(tree);
    desc.trend = 0.5; // every other tree over the trend: all of them right where they have seen
    desc.share = 1;
    tree = tree_make(&desc);
    for (i = 0; i < 20; i++) {
        char root[64];
        snprintf(root, sizeof root, "root\tnode=%d\ttrend=%d\t", gputune_tree_root(tree, i), i % 2);
        CHECK_HAS(gputune_tree_save(tree), root);
    }
    for (i = 0; i < TREE_ROWS; i++)
        CHECK_NEAR(gputune_tree_predict(tree, x + 3 * i, NULL), y[i], 1e-9);
    gputune_tree_destroy(tree);
    desc.trend = 0;
    desc.share = 1; // all rows without replacement: the single tree, again and again
    tree = tree_make(&desc);
    for (i = 0; i < TREE_ROWS; i++) {
        value = gputune_tree_predict(tree, x + 3 * i, &spread);
        CHECK_NEAR(value, gputune_tree_predict(single, x + 3 * i, NULL), 1e-12 * value);
        CHECK_NEAR(spread, 0, 1e-6);
    }
    gputune_tree_destroy(tree);
    gputune_tree_destroy(single);
}

static void test_tree_importance(void)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS], w[TREE_ROWS];
    gputune_tree_desc desc = tree_desc(tree_numbers, 3, TREE_ROWS, x, y);
    gputune_tree *tree;
    double shares[3];
    int i;
    tree_fill(x, y, w, TREE_ROWS, 12);
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
    static const gputune_feature features[2] = { { "TILE", NULL }, { "wood", tree_names } };
    gputune_tree_desc desc = tree_desc(features, 2, 6, x, y);
    return tree_make(&desc);
}

static void test_tree_text(void)
{
    gputune_tree *tree = tree_small();
    const char *text;
    CHECK_TEXT(gputune_tree_text(tree, 0), "all: 3.5 (6 samples, 100 %)\n"
                                           "  wood is ash, birch, dogwood, elm: 1.25 (4 samples, "
                                           "66.7 %)\n"
                                           "    wood is ash, cedar, dogwood, elm: 1 (3 samples, "
                                           "50 %)\n"
                                           "    wood is birch: 2 (1 sample, 16.7 %)\n"
                                           "  wood is cedar: 8 (2 samples, 33.3 %)\n");
    CHECK_TEXT(gputune_tree_place(tree, 0), "all");
    CHECK_TEXT(gputune_tree_place(tree, 4), "wood is ash, birch, dogwood, elm and wood is birch");
    text = gputune_tree_dot(tree, 0);
    CHECK_HAS(text, "digraph tree {\n");
    CHECK_HAS(text, "n0 [label=\"wood is ash, birch, dogwood, elm\\n3.5 (6 samples, 100 %)"
                          "\"];\n    n0 -> n1 [label=\"yes\"];\n    n0 -> n2 [label=\"no\"];\n");
    text = gputune_tree_source(tree, "choose", GPUTUNE_SOURCE_VALUE);
    CHECK_HAS(text,
              "/* wood: 0 ash, 1 birch, 2 cedar, 3 dogwood, 4 elm */\n"
              "static double choose(double TILE, double wood)\n{\n");
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
        CHECK_HAS(gputune_tree_source(tree, "f", GPUTUNE_SOURCE_VALUE), "    if (a <= 2) {\n");
        CHECK_TEXT(gputune_tree_text(tree, 0), log ? "all: 4 (4 samples, 100 %)\n"
                                                     "  a <= 2: 2 (2 samples, 50 %)\n"
                                                     "  a > 2: 8 (2 samples, 50 %)\n"
                                                   : "all: 5 (4 samples, 100 %)\n"
                                                     "  a <= 2: 2 (2 samples, 50 %)\n"
                                                     "  a > 2: 8 (2 samples, 50 %)\n");
        gputune_tree_destroy(tree);
    }
}

// Awkward names; compiled as C89 by the compiler of the tests.
static const gputune_feature tree_awkward[] = {
    { "int", NULL }, { "2 (two)", NULL }, { "wood */ \\", tree_names }, { "2 [two]", NULL }
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
    enum { KINDS = 6 };
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
        x[4 * i + 3] = gputune__random_unit(&state);
        y[i] = 0.2 + x[4 * i + 1] * (x[4 * i + 2] == 1) + 0.3 * x[4 * i + 3];
        y[i] += tree_random(&state, 3);
    }
    snprintf(path, sizeof path, "%s/tree.c", folder);
    file = fopen(path, "w");
    for (k = 0; k < KINDS; k++) {
        char name[8];
        gputune_tree_desc desc = tree_desc(tree_awkward, 4, 120, x, y);
        desc.leaf = k == 1 || k == 2 ? GPUTUNE_LEAF_LINEAR : GPUTUNE_LEAF_MEAN;
        desc.min_leaf = k ? 4 : 1;
        desc.log = k == 2 || k == 3 || k == 4;
        desc.trend = k == 3 || k == 5 ? 0.5 : 0;
        desc.forest = k >= 4 ? GPUTUNE_FOREST_BAGGED : GPUTUNE_FOREST_NONE;
        desc.trees = 4;
        trees[k] = tree_make(&desc);
        snprintf(name, sizeof name, "f%d", k);
        fprintf(file, "%s\n", gputune_tree_source(trees[k], name, k == 5 ? GPUTUNE_SOURCE_INDEX
                                                                         : GPUTUNE_SOURCE_VALUE));
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
            if (k == 5) expected = floor(expected + 0.5);
            CHECK_NEAR(value, expected, k == 0 ? 0 : 1e-12 * (1 + fabs(expected)));
        }
    }
    CHECK(pipe && pclose(pipe) == 0);
    for (k = 0; k < KINDS; k++) gputune_tree_destroy(trees[k]);
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK_INT(system(command), 0);
}

static void test_tree_save(void)
{
    static double x[TREE_ROWS * 3], y[TREE_ROWS], w[TREE_ROWS];
    gputune_feature features[3] = { { "n%\t", NULL }, { "wood", tree_names }, { "m", NULL } };
    int kind, i;
    tree_fill(x, y, w, TREE_ROWS, 9);
    for (kind = 0; kind < 4; kind++) {
        gputune_tree_desc desc = tree_desc(features, 3, TREE_ROWS, x, y);
        gputune_tree *tree, *copy;
        const char *saved;
        double spread, again, shares[3], read[3];
        desc.log = kind == 1;
        desc.trend = kind == 1 ? 0.5 : 0;
        desc.leaf = kind == 2 ? GPUTUNE_LEAF_LINEAR : GPUTUNE_LEAF_MEAN;
        desc.min_leaf = kind == 2 ? 30 : 1;
        desc.forest = kind == 3 ? GPUTUNE_FOREST_BAGGED : GPUTUNE_FOREST_NONE;
        desc.trees = 3;
        tree = tree_make(&desc);
        saved = gputune_tree_save(tree);
        copy = gputune_tree_load(saved, NULL);
        CHECK_TEXT(gputune_tree_error(copy)->text, "");
        for (i = 0; i < TREE_ROWS; i++) {
            CHECK(gputune_tree_predict(tree, x + 3 * i, &spread) ==
                  gputune_tree_predict(copy, x + 3 * i, &again));
            CHECK(spread == again);
        }
        gputune_tree_importance(tree, shares);
        gputune_tree_importance(copy, read);
        CHECK(shares[0] > 0 && memcmp(shares, read, sizeof shares) == 0);
        CHECK_TEXT(gputune_tree_save(copy), saved);
        CHECK_TEXT(gputune_tree_feature(copy, 0).name, "n%\t");
        CHECK_TEXT(gputune_tree_feature(copy, 1).names[4], "elm");
        gputune_tree_destroy(copy);
        gputune_tree_destroy(tree);
    }
}

// A changed byte anywhere, a lost line, a cut: an error that names a line, and no crash.
static void test_tree_damaged(void)
{
    gputune_tree *tree = tree_small(), *copy;
    char *text = strdup(gputune_tree_save(tree)), *line, *next;
    size_t i, length = strlen(text);
    for (i = 0; i < length; i++) {
        char was = text[i];
        text[i] = was == '7' ? '8' : '7';
        copy = gputune_tree_load(text, NULL);
        CHECK_INT(gputune_tree_error(copy)->result, GPUTUNE_ERROR_FORMAT);
        CHECK_HAS(gputune_tree_error(copy)->text, "line ");
        gputune_tree_destroy(copy);
        text[i] = 0;
        copy = gputune_tree_load(text, NULL);
        if (i + 1 < length) CHECK_INT(gputune_tree_error(copy)->result, GPUTUNE_ERROR_FORMAT);
        gputune_tree_destroy(copy);
        text[i] = was;
    }
    for (line = text; (next = strchr(line, '\n')) != NULL; line = next + 1) {
        char *without = (char *)malloc(length + 1);
        memcpy(without, text, (size_t)(line - text));
        strcpy(without + (line - text), next + 1);
        copy = gputune_tree_load(without, NULL);
        CHECK_INT(gputune_tree_error(copy)->result, GPUTUNE_ERROR_FORMAT);
        gputune_tree_destroy(copy);
        free(without);
    }
    free(text);
    gputune_tree_destroy(tree);
}

// Lines with right checks whose content does not fit.
// Nodes with two parents, or none, are no tree: a walk would take them again and again.
static void test_tree_shared(void)
{
    static const char *const nodes[][5] = {
        { "feature=0\tleft=1", "feature=0\tleft=2", "", "", NULL },
        { "feature=0\tleft=1", "feature=0\tleft=3", "", "", NULL },
        { "feature=0\tleft=1", "", "", "", NULL },
    };
    size_t k;
    int i;
    for (k = 0; k < sizeof nodes / sizeof *nodes; k++) {
        gputune__base b;
        char *text = NULL, head[96], line[192];
        gputune_tree *tree;
        const char *lines[16];
        static char made[4][256];
        int count = 0, n = 0;
        while (nodes[k][n]) n++;
        snprintf(head, sizeof head,
                 "tree\tfeatures=1\ttrees=1\tnodes=%d\tlog=0\tforest=0\tconstant=0", n);
        lines[count++] = head;
        lines[count++] = "feature\tname=n\tvalues=-1";
        lines[count++] = "root\tnode=0\ttrend=0";
        for (i = 0; i < n; i++) {
            snprintf(line, sizeof line, "%s%s", *nodes[k][i] ? "\tat=1\t" : "", nodes[k][i]);
            snprintf(made[i], sizeof made[i],
                     "node%s\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1",
                     *nodes[k][i] ? line : "\tat=0");
            lines[count++] = made[i];
        }
        gputune__base_init(&b, NULL);
        CHECK(gputune__text_add(&b, &text, "gputune tree 1\n"));
        for (i = 0; i < count; i++) {
            size_t begin = (size_t)stbds_arrlen(text);
            CHECK(gputune__text_add(&b, &text, "%s", lines[i]) &&
                  gputune__put_check(&b, &text, begin));
        }
        tree = gputune_tree_load(text, NULL);
        CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_FORMAT);
        gputune_tree_destroy(tree);
        gputune__arr_free(&b, text);
    }
}

// Forests take no notice of folds.
static void test_tree_folds_forest(void)
{
    double x[200], y[200];
    uint64_t random = 3;
    int i, kind, leaf;
    for (i = 0; i < 200; i++) {
        x[i] = tree_random(&random, 50);
        y[i] = x[i] + tree_random(&random, 10);
    }
    for (kind = GPUTUNE_FOREST_BAGGED; kind <= (int)GPUTUNE_FOREST_EXTRA; kind++)
        for (leaf = 0; leaf <= (int)GPUTUNE_LEAF_LINEAR; leaf++) {
            gputune_tree_desc desc = tree_desc(tree_numbers, 1, 200, x, y);
            gputune_tree *plain, *folded;
            desc.forest = (gputune_forest)kind;
            desc.leaf = (gputune_leaf)leaf;
            desc.trees = 10;
            plain = tree_make(&desc);
            desc.folds = 5;
            folded = tree_make(&desc);
            for (i = 0; i < 200; i++) {
                double one = gputune_tree_predict(plain, &x[i], NULL);
                double two = gputune_tree_predict(folded, &x[i], NULL);
                CHECK_OR(memcmp(&one, &two, sizeof one) == 0, "%g, not %g", two, one);
            }
            gputune_tree_destroy(plain);
            gputune_tree_destroy(folded);
        }
}

// Finite numbers whose sums are not.
static void test_tree_sums(void)
{
    static const double x[] = { 1, 2, 3, 4 }, y[] = { 1e308, -1e308, 1e308, -1e308 };
    static const double large[] = { 1e200, 2e200, 3e200, 4e200 };
    static const double heavy[] = { 1e308, 1e308, 1e308, 1e308 };
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 4, x, y);
    gputune_tree *tree = gputune_tree_create(&desc);
    CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_TOO_LARGE);
    gputune_tree_destroy(tree);
    desc.samples.y = large; // whose squares are infinite
    tree = gputune_tree_create(&desc);
    CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_TOO_LARGE);
    gputune_tree_destroy(tree);
    desc.samples.y = x;
    desc.samples.weight = heavy;
    tree = gputune_tree_create(&desc);
    CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_TOO_LARGE);
    gputune_tree_destroy(tree);
}

// A node of a forest's first tree with children in its second.
static void tree_forged_forest(void)
{
    static const char *const lines[] = {
        "tree\tfeatures=1\ttrees=2\tnodes=4\tlog=0\tforest=2\tconstant=0",
        "feature\tname=n\tvalues=-1", "root\tnode=0\ttrend=0", "root\tnode=1\ttrend=0",
        "node\tat=1\tvalue=1\tweight=2\terror=0\tgain=0\tsamples=2\tfeature=0\tleft=2",
        "node\tat=1\tvalue=1\tweight=2\terror=0\tgain=0\tsamples=2",
        "node\tat=1\tvalue=1\tweight=2\terror=0\tgain=0\tsamples=2",
        "node\tat=1\tvalue=1\tweight=2\terror=0\tgain=0\tsamples=2"
    };
    gputune__base b;
    gputune_tree *tree;
    char *text = NULL;
    size_t i;
    gputune__base_init(&b, NULL);
    CHECK(gputune__text_add(&b, &text, "gputune tree 1\n"));
    for (i = 0; i < sizeof lines / sizeof *lines; i++) {
        size_t begin = (size_t)stbds_arrlen(text);
        CHECK(gputune__text_add(&b, &text, "%s", lines[i]) && gputune__put_check(&b, &text, begin));
    }
    tree = gputune_tree_load(text, NULL);
    CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_FORMAT);
    gputune_tree_destroy(tree);
    gputune__arr_free(&b, text);
}

static void test_tree_forged(void)
{
    static const char *const nodes[] = {
        "node\tat=1\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1\tfeature=0\tleft=0",
        "node\tat=1\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1\tfeature=0\tleft=2",
        "node\tat=1\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1\tfeature=1\tleft=1",
        "node\tat=1\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1\tline=3",
        "node\tat=x\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1",
        "node\tat=1\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=0",
        "node\tat=1\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1\tfeature=0\tleft=1\tgroup=01",
        "nod\tat=1\tvalue=1\tweight=1\terror=0\tgain=0\tsamples=1"
    };
    size_t k;
    tree_forged_forest();
    for (k = 0; k < sizeof nodes / sizeof *nodes; k++) {
        gputune__base b;
        char *text = NULL;
        size_t begin, i;
        gputune_tree *tree;
        const char *lines[] = { "tree\tfeatures=1\ttrees=1\tnodes=3\tlog=0\tforest=0\tconstant=0",
                                "feature\tname=n\tvalues=-1", "root\tnode=0\ttrend=0", NULL };
        lines[3] = nodes[k];
        gputune__base_init(&b, NULL);
        CHECK(gputune__text_add(&b, &text, "gputune tree 1\n"));
        for (i = 0; i < 4; i++) {
            begin = (size_t)stbds_arrlen(text);
            CHECK(gputune__text_add(&b, &text, "%s", lines[i]) &&
                  gputune__put_check(&b, &text, begin));
        }
        tree = gputune_tree_load(text, NULL);
        CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_FORMAT);
        CHECK_HAS(gputune_tree_error(tree)->text, "line 5");
        gputune_tree_destroy(tree);
        gputune__arr_free(&b, text);
    }
}

// --- a space's samples

static void test_tree_dataset(void)
{
    gputune_space *space = gputune_space_create(NULL);
    gputune_feature own[2] = { { "size", NULL }, { "wood", tree_names } };
    gputune_dataset *data;
    gputune_tree_desc desc;
    gputune_tree *time, *works;
    double size[2] = { 1, 3 }, x[5];
    uint64_t i;
    CHECK_INT(gputune_space_param(space, "TILE", "set 1,2,4,8", NULL), GPUTUNE_OK);
    CHECK_INT(gputune_space_param(space, "FORM", "set naive,tiled,vector", NULL), GPUTUNE_OK);
    CHECK_INT(gputune_space_param(space, "SCALE", "range 0,1,0.5", NULL), GPUTUNE_OK);
    CHECK_INT(gputune_space_build(space), GPUTUNE_OK);
    data = gputune_dataset_create(space, own, 2, NULL);
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        bool fails = gputune_get_int(&config, "TILE") == 8 &&
                     strcmp(gputune_get_name(&config, "FORM"), "tiled") == 0;
        double y = (double)gputune_get_int(&config, "TILE") + gputune_get_real(&config, "SCALE");
        CHECK_INT(gputune_dataset_add(data, size, &config, fails ? INFINITY : y), GPUTUNE_OK);
    }
    memset(&desc, 0, sizeof desc);
    desc.samples = gputune_dataset_works(data);
    CHECK_INT(desc.samples.count, 33);
    CHECK_INT(desc.samples.feature_count, 5);
    CHECK_TEXT(desc.samples.features[3].names[2], "vector");
    CHECK(desc.samples.features[4].names == NULL);
    time = tree_make(&desc);
    desc.samples = gputune_dataset_valid(data);
    CHECK_INT(desc.samples.count, 36);
    works = tree_make(&desc);
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        gputune_dataset_row(data, size, &config, x);
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
    gputune_dataset_destroy(data);
    gputune_space_destroy(space);
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
    static double x[TREE_ROWS * 3], y[TREE_ROWS], w[TREE_ROWS];
    gputune_feature features[3] = { { "n", NULL }, { "wood", tree_names }, { "m", NULL } };
    gputune_tree_desc desc = tree_desc(features, 3, kind == 3 ? TREE_ROWS : 60, x, y);
    tree_memory memory = { 0, 0 };
    gputune_tree *tree, *copy = NULL;
    const char *text = NULL;
    bool whole;
    tree_fill(x, y, w, TREE_ROWS, 9);
    memory.left = allowed;
    desc.options.allocator.reallocate = tree_reallocate;
    desc.options.allocator.user = &memory;
    desc.folds = kind <= 1 ? 3 : 0;
    desc.leaves = kind == 0 ? 20 : 0;
    desc.trend = kind == 1 ? -1 : 0;
    desc.leaf = kind == 1 ? GPUTUNE_LEAF_LINEAR : GPUTUNE_LEAF_MEAN;
    desc.forest = kind == 2 ? GPUTUNE_FOREST_BAGGED : GPUTUNE_FOREST_NONE;
    desc.trees = 2;
    tree = gputune_tree_create(&desc);
    if (tree && !gputune_tree_error(tree)->result) {
        text = gputune_tree_save(tree);
        if (text) copy = gputune_tree_load(text, &desc.options);
        if (copy && gputune_tree_error(copy)->result)
            CHECK_INT(gputune_tree_error(copy)->result, GPUTUNE_ERROR_MEMORY);
        text = gputune_tree_source(tree, "f", GPUTUNE_SOURCE_VALUE);
        text = gputune_tree_dot(tree, 0);
        text = gputune_tree_text(tree, 0);
        CHECK(isfinite(gputune_tree_predict(tree, x, NULL)));
    } else if (tree) {
        CHECK_INT(gputune_tree_error(tree)->result, GPUTUNE_ERROR_MEMORY);
    }
    whole = memory.left >= 0;
    CHECK(!whole || (text && copy && !gputune_tree_error(copy)->result));
    gputune_tree_destroy(copy);
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
    int i, depth;
    for (i = 0; i < COUNT; i++) {
        x[2 * i] = gputune__random_unit(&state);
        x[2 * i + 1] = tree_random(&state, 8);
        y[i] = i == 5 ? 1e20 : 1e-3 * (1 + x[2 * i + 1]);
    }
    x[10] = 2;
    for (depth = 4; depth >= 0; depth -= 4) {
        gputune_tree_desc desc = tree_desc(tree_numbers, 2, COUNT, x, y);
        gputune_tree *tree;
        desc.depth = depth;
        tree = tree_make(&desc);
        CHECK_INT(gputune_tree_at(tree, 0).feature, 0); // the penalty, and then eight values of b
        CHECK_INT(gputune_tree_node_count(tree), 17);
        for (i = 0; i < COUNT; i++)
            CHECK_NEAR(gputune_tree_predict(tree, x + 2 * i, NULL), y[i], 1e-15 * y[i]);
        gputune_tree_destroy(tree);
    }
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
        desc.depth = 2;
        tree = tree_make(&desc);
        low = gputune_tree_at(tree, 1);
        high = gputune_tree_at(tree, 2);
        CHECK_INT(gputune_tree_at(tree, 0).feature, 0);
        CHECK_INT(low.feature, 1);
        CHECK_INT(high.feature, 1);
        CHECK(low.threshold < HALF / 2.0 && low.threshold == high.threshold);
        gputune_tree_destroy(tree);
    }
}

// A trend ends where samples end: 0 ("off"), negative and huge values get what the nearest one
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
        gputune_samples samples = { tree_numbers, 2, 32, x, y, NULL };
        gputune_tree_desc desc = gputune_tree_for_times(
            &samples, forest ? GPUTUNE_FOREST_BAGGED : GPUTUNE_FOREST_NONE);
        gputune_tree *tree;
        desc.trend = 1;
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

// Trees that split nothing have no say in a forest's importance; what remains adds up to 1.
static void test_tree_stumps(void)
{
    const double x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 0, 0, 0, 0, 0, 1 };
    double share = 0;
    gputune_tree_desc desc = tree_desc(tree_numbers, 1, 6, x, y);
    gputune_tree *tree;
    int t, stumps = 0;
    desc.forest = GPUTUNE_FOREST_BAGGED;
    desc.trees = 10;
    tree = tree_make(&desc);
    for (t = 0; t < 10; t++)
        stumps += gputune_tree_at(tree, gputune_tree_root(tree, t)).feature < 0;
    CHECK(stumps > 0 && stumps < 10);
    gputune_tree_importance(tree, &share);
    CHECK_NEAR(share, 1, 1e-12);
    gputune_tree_destroy(tree);
}

// Names that meet those of the function's parts, of macros, or of each other.
static void test_tree_names(void)
{
    static const gputune_feature taken[] = { { "f_0", NULL }, { "f-within", NULL },
                                             { "linux", NULL }, { "NAN", NULL } };
    double x[80], y[20];
    char command[128];
    const char *cc = getenv("CC");
    FILE *pipe;
    gputune_tree_desc desc = tree_desc(taken, 4, 20, x, y);
    gputune_tree *tree;
    int i;
    for (i = 0; i < 80; i++) x[i] = i * i % 7 + 1;
    for (i = 0; i < 20; i++) y[i] = i + 1;
    desc.forest = GPUTUNE_FOREST_BAGGED;
    desc.trees = 2;
    desc.log = true;
    desc.trend = 1;
    tree = tree_make(&desc);
    snprintf(command, sizeof command, "%s -std=gnu89 -Wall -Wshadow -Werror -fsyntax-only -x c -",
             cc && *cc ? cc : "cc");
    pipe = popen(command, "w");
    if (pipe)
        fprintf(pipe, "%s\nint main(void) { return f(1, 2, 3, 4) < 0; }\n",
                gputune_tree_source(tree, "f", GPUTUNE_SOURCE_VALUE));
    CHECK(pipe && pclose(pipe) == 0);
    gputune_tree_destroy(tree);
}

// Cuts that are drawn, one a node, see all rows and predict what they have not seen; memory that
// is refused is an error.
static void test_tree_drawn(void)
{
    static double x[400 * 5], y[400];
    gputune_tree_desc desc = tree_desc(tree_numbers, 4, 400, x, y);
    static const gputune_feature features[5] = { { "a", NULL }, { "b", NULL }, { "c", NULL },
                                                 { "d", NULL }, { "e", NULL } };
    uint64_t state = 11;
    gputune_tree *tree;
    double error = 0;
    int i, f;
    for (i = 0; i < 400; i++) {
        for (f = 0; f < 4; f++) x[5 * i + f] = tree_random(&state, 20);
        x[5 * i + 4] = i; // so that no two rows are equal
        y[i] = x[5 * i] * 3 + x[5 * i + 1] + gputune__random_unit(&state);
    }
    desc.samples.features = features;
    desc.samples.feature_count = 5;
    desc.forest = GPUTUNE_FOREST_EXTRA;
    desc.tried = 1;
    desc.trees = 1;
    tree = tree_make(&desc);
    for (i = 0; i < 400; i++) CHECK(gputune_tree_predict(tree, x + 5 * i, NULL) == y[i]);
    CHECK_INT(gputune_tree_node_count(tree), 2 * 400 - 1);
    gputune_tree_destroy(tree);
    desc.samples.count = 200;
    desc.trees = 30;
    tree = tree_make(&desc);
    for (i = 200; i < 400; i++)
        error += fabs(gputune_tree_predict(tree, x + 5 * i, NULL) - y[i]) / 200;
    CHECK(error > 0.01 && error < 8); // of 76; of the mean 15.5
    gputune_tree_destroy(tree);
}

static const test_case tree_cases[] = {
    { "splits", test_tree_splits },
    { "sklearn", test_tree_sklearn },
    { "pruning", test_tree_pruning },
    { "folds", test_tree_folds },
    { "folds of leaves", test_tree_folds_leaves },
    { "order", test_tree_order },
    { "weights", test_tree_weights },
    { "constant", test_tree_constant },
    { "refused", test_tree_refused },
    { "million", test_tree_million },
    { "engines", test_tree_engines },
    { "ties", test_tree_ties },
    { "median", test_tree_median },
    { "linear", test_tree_linear },
    { "trend", test_tree_trend },
    { "forest", test_tree_forest },
    { "importance", test_tree_importance },
    { "text", test_tree_text },
    { "threshold", test_tree_threshold },
    { "source", test_tree_source },
    { "save", test_tree_save },
    { "damaged", test_tree_damaged },
    { "forged", test_tree_forged },
    { "shared nodes", test_tree_shared },
    { "folds and forests", test_tree_folds_forest },
    { "sums", test_tree_sums },
    { "dataset", test_tree_dataset },
    { "memory", test_tree_memory },
    { "drawn", test_tree_drawn },
    { "penalty", test_tree_penalty },
    { "mirrors", test_tree_mirrors },
    { "beyond", test_tree_beyond },
    { "stumps", test_tree_stumps },
    { "names", test_tree_names },
    { NULL, NULL }
};
