// What measured samples say: a regression tree, of plain arrays. Its first splits are what matters
// most, each in the part of the table where it does. The samples are times of a loop nest, a matrix
// transposed in blocks of some width and height, each block row by row or column by column.
//
//     cc -std=c99 -O2 -I. examples/19_tree.c -o tree -lm
//     ./tree; ./tree c      as text; as a function in C
//
// On two processor cores it prints:
//     all: 14.26 (50 samples, 100 %)
//       WIDTH <= 20: 10.27 (20 samples, 40 %)
//         HEIGHT <= 5: 23.15 (4 samples, 8 %)
//         HEIGHT > 5: 8.378 (16 samples, 32 %)
//       WIDTH > 20: 17.75 (30 samples, 60 %)
//         ORDER is columns: 11.33 (15 samples, 30 %)
//         ORDER is rows: 27.78 (15 samples, 30 %)
#define GPUTUNE_TREE_IMPLEMENTATION
#include "gputune.h"
#include <stdio.h>
#include <time.h>

enum { N = 2048, SIZES = 5, ROWS = SIZES * SIZES * 2 };
float from[N * N], to[N * N]; // not static, or the compiler drops what nobody reads

static double milliseconds(int width, int height, int columns)
{
    const clock_t start = clock();
    for (int y0 = 0; y0 < N; y0 += height)
        for (int x0 = 0; x0 < N; x0 += width)
            for (int i = 0; i < (columns ? width : height); i++)
                for (int j = 0; j < (columns ? height : width); j++) {
                    const int x = x0 + (columns ? i : j), y = y0 + (columns ? j : i);
                    to[x * N + y] = from[y * N + x];
                }
    return 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
}

int main(int argc, char **argv)
{
    static const gputune_param columns[] = { { .name = "WIDTH" }, { .name = "HEIGHT" },
                                             { .name = "ORDER", .values = "set rows,columns" },
                                             { 0 } };
    double x[ROWS][3], y[ROWS];
    milliseconds(N, N, 0); // the first touch of memory is no sample
    for (int i = 0; i < ROWS; i++) {
        const int width = 2 << i % SIZES * 2, height = 2 << i / SIZES % SIZES * 2;
        x[i][0] = width;
        x[i][1] = height;
        x[i][2] = i / SIZES / SIZES; // of a name its position
        y[i] = milliseconds(width, height, i / SIZES / SIZES);
    }
    const gputune_tree_desc desc = { .table = { columns, x[0], y, ROWS },
                                     .log = true, .leaves = 4, .min_leaf = 3 };
    gputune_tree *tree = gputune_tree_create(&desc); // three splits: those that explain most
    int wrong = gputune_tree_error(tree)->result != GPUTUNE_OK;
    if (wrong) puts(gputune_tree_error(tree)->text);
    else puts(gputune_tree_text(tree, argc > 1 && *argv[1] == 'c' ? GPUTUNE_TREE_C
                                                                  : GPUTUNE_TREE_TEXT, "ms"));
    gputune_tree_destroy(tree);
    return wrong;
}
