// Tables and samples of the tests, from arrays of columns without an end.
#ifndef TABLE_H
#define TABLE_H

#include "gputune.h"

// The first of some columns. They live until 16 more have been asked for.
static inline const gputune_param *columns_of(const gputune_param *columns, int count)
{
    static gputune_param rooms[16][2 * GPUTUNE_MAX_COLUMNS];
    static int next;
    gputune_param *room = rooms[next++ % 16];
    memset(room, 0, sizeof rooms[0]);
    if (count) memcpy(room, columns, (size_t)count * sizeof *room);
    return room;
}

static inline int table_width(const gputune_table *table)
{
    int count = 0;
    while (table->columns[count].name) count++;
    return count;
}

static inline gputune_samples *samples_of(const gputune_space *space, const gputune_param *columns,
                                   int count, const gputune_options *options)
{
    gputune_samples_desc desc;
    memset(&desc, 0, sizeof desc);
    if (options) desc.options = *options;
    desc.space = space;
    desc.columns = columns_of(columns, count);
    return gputune_samples_create(&desc);
}

static inline gputune_table worked(const gputune_samples *samples)
{
    return gputune_samples_table(samples);
}

static inline gputune_tree_node node_of(const gputune_tree *tree, int which, int node)
{
    gputune_tree_node to;
    (void)gputune_tree_at(tree, which, node, &to);
    return to;
}

// How many nodes one of the trees has.
static inline int nodes_of(const gputune_tree *tree, int which)
{
    gputune_tree_node to;
    int count = 0;
    while (gputune_tree_at(tree, which, count, &to)) count++;
    return count;
}

static inline int trees_of(const gputune_tree *tree)
{
    gputune_tree_node to;
    int count = 0;
    while (gputune_tree_at(tree, count, 0, &to)) count++;
    return count;
}

// The child to which a row goes.
static inline int child_of(const gputune_tree_node *n, const double *x)
{
    int value = (int)x[n->column];
    bool left = n->group ? n->group[value / 32] >> value % 32 & 1 : x[n->column] <= n->threshold;
    return left ? n->left : n->right;
}

// The leaf of a row.
static inline gputune_tree_node leaf_of(const gputune_tree *tree, int which, const double *x)
{
    gputune_tree_node n = node_of(tree, which, 0);
    while (n.column >= 0) n = node_of(tree, which, child_of(&n, x));
    return n;
}

#endif
