// What the trials say about the space: a regression tree. Its first splits are the parameters that
// matter most, each in the part of the space where it does. As text, as a picture, and as C that a
// program can compile in.
//
//     cc -std=c99 -O2 -I. examples/19_tree.c -o tree -lm
//     ./tree [FOLDER]   FOLDER: where transpose_tree.dot and .c go (/tmp). Again: GPUTUNE=force
//
// On two processor cores (PoCL) it prints:
//     milliseconds
//     all: 6.587 (72 samples, 100 %)
//       TILE <= 24: 8.83 (24 samples, 33.3 %)
//         LOCAL_MEMORY <= 0.5: 7.486 (12 samples, 16.7 %)
//         LOCAL_MEMORY > 0.5: 10.41 (12 samples, 16.7 %)
//           TILE <= 12: 14.75 (4 samples, 5.56 %)
//           TILE > 12: 8.751 (8 samples, 11.1 %)
//       TILE > 24: 5.689 (48 samples, 66.7 %)
//     1. TILE > 24 is 1.55 times as fast as the other side.
//     2. TILE <= 24 and LOCAL_MEMORY <= 0.5 is 1.39 times as fast as the other side.
//     3. TILE <= 24 and LOCAL_MEMORY > 0.5 and TILE > 12 is 1.69 times as fast as the other side.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "cases.h"

// One sentence about a split: where the faster side is, and by how much it is that.
static void explain(gputune_tree *tree, int number, int at)
{
    const gputune_tree_node node = gputune_tree_at(tree, at);
    const double left = gputune_tree_at(tree, node.left).value;
    const double right = gputune_tree_at(tree, node.right).value;
    printf("%d. %s is %.2f times as fast as the other side.\n", number,
           gputune_tree_place(tree, left < right ? node.left : node.right),
           left < right ? right / left : left / right);
}

static bool save(const char *folder, const char *name, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = text ? fopen(path, "w") : NULL;
    if (!file) return fprintf(stderr, "%s cannot be written\n", path), false;
    fputs(text, file);
    return fclose(file) == 0;
}

static bool show(gputune_tree *tree, const char *folder)
{
    if (gputune_tree_error(tree)->result != GPUTUNE_OK)
        return fprintf(stderr, "%s\n", gputune_tree_error(tree)->text), false;
    printf("milliseconds\n%s", gputune_tree_text(tree, 0));
    for (int i = 0, number = 1; i < gputune_tree_node_count(tree); i++)
        if (gputune_tree_at(tree, i).feature >= 0) explain(tree, number++, i);
    return save(folder, "transpose_tree.dot", gputune_tree_dot(tree, 0)) &&
           save(folder, "transpose_tree.c",
                gputune_tree_source(tree, "milliseconds", GPUTUNE_SOURCE_VALUE));
}

int main(int argc, char **argv)
{
    const example_case *kind = case_find("transpose");
    gputune_device *device = gputune_cl_device(NULL);
    case_data data;
    if (!case_make(&data, kind, device, case_size(kind, device), 1))
        return fprintf(stderr, "%s\n", gputune_device_error(device)->text), 1;
    gputune_kernel_desc desc = { .file = kind->file, .name = "transpose",
                                 .tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE };
    gputune_kernel *kernel = gputune_kernel_create(device, &desc);
    const gputune_space *space;
    bool ok = gputune_tune(kernel, data.args, data.arg_count, NULL) == GPUTUNE_OK &&
              gputune_kernel_space(kernel, data.args, data.arg_count, &space) == GPUTUNE_OK;
    if (!ok) return fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text), 1;

    gputune_dataset *trials = gputune_dataset_create(space, NULL, 0, NULL);
    for (int i = 0; i < gputune_kernel_trial_count(kernel); i++)
        gputune_dataset_add(trials, NULL, &gputune_kernel_trial(kernel, i)->config,
                            gputune_kernel_trial(kernel, i)->value * 1e3);
    gputune_tree *tree = gputune_tree_create( // three splits: those that explain most
        &(gputune_tree_desc){ .samples = gputune_dataset_works(trials), .log = true, .leaves = 4,
                              .min_leaf = 3 });
    ok = show(tree, argc > 1 ? argv[1] : "/tmp");
    gputune_tree_destroy(tree);
    gputune_dataset_destroy(trials);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    gputune_device_destroy(device);
    return !ok;
}
