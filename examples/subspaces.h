// The parts of a space that meet goals, read off regression trees (Starchart: Jia, Shaw, Martonosi
// 2013). For example 21, bench/bench_starchart.c and the tests.
//
// Do this, after including gputune.h:
//     subspace_goal goals[] = { { tree, table, "<= 2e-3", true }, { 0 } };
//     subspaces *all = subspaces_find(goals, "device == \"new\"");
//     if (!all || all->result) puts(all ? all->error : "out of memory"), exit(1);
//     for (int i = 0; i < all->count; i++) puts(subspaces_at(all, i, 0)->text);
//     subspaces_free(all);
//
// Expect 50 to 200 samples where a few parameters decide, and thousands where many do. Draw them
// with gputune_tune, GPUTUNE_STRATEGY_RANDOM and .budget.error, which ends the search when a tree
// predicts well enough. Trees of the logarithm (.log) treat 10 % alike everywhere. Devices and
// input sizes are columns beside the parameters (see gputune_samples_desc). For a limit that must
// hold set .worst, and look at .count: one or two samples show little.
//
// A subspace is a box in the space of the columns. Restrictions cut pieces out of the box, and the
// text does not name them. A table with an input's size as a column needs time over work as the
// metric. With plain times the tree would see the size alone.
#ifndef EXAMPLES_SUBSPACES_H
#define EXAMPLES_SUBSPACES_H

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUBSPACES_MOST = 262144,  // more are ERROR_TOO_LARGE
    SUBSPACES_MERGED = 4096   // more are not merged
};

// A request for one metric.
typedef struct subspace_goal {
    const gputune_tree *tree; // of the metric; a single tree, no forest
    gputune_table table;      // with the tree's columns; .least, .mean and .most are of its rows
    const char *want; // "least" (NULL, too) and "most" have no bound and say what is good; "<= 150"
                      // and ">= 3" are bounds
    bool worst; // a leaf is judged by its worst sample within the condition (VII.D), not by its
                // prediction; a leaf without a sample does not pass
} subspace_goal;

// One subspace, and one goal's metric in it.
typedef struct subspace {
    const char *text; // "TPP >= 9 && CONSEC == 1 && (ALGO == \"a\" || ALGO == \"b\")", as a space's
                      // .require takes it; "everywhere" has no condition
    double value;     // the tree's prediction: its mean over the samples inside, or that at one
                      // point inside where there is no sample
    double least, mean, most; // of the samples inside; NaN without a sample
    size_t count;             // samples inside
} subspace;

typedef struct subspaces {
    gputune_result result;
    char error[320];  // "" after GPUTUNE_OK
    int count, goals; // subspaces, and goals of each
    subspace *values; // goals of them for each subspace; see subspaces_at
} subspaces;

// ---------------------------------------------------------------------------------------------
// Boxes
// ---------------------------------------------------------------------------------------------

// A box is an array of bool. Each value that the samples have of a column has its place there, and
// the columns stand one behind the other. Nothing is known between two values, so a box needs
// nothing more, and the intersection of two boxes is their `and`.
typedef struct subspace_boxes {
    bool *of; // boxes one behind the other
    size_t count, room;
} subspace_boxes;

typedef struct subspace_asked {
    subspace_goal goal;
    bool bounded, large; // it has a bound; large values are good
    double bound;
} subspace_asked;

// The state of one search for subspaces.
typedef struct subspace_search {
    subspaces *to;
    subspace_asked *asked;
    const gputune_param *columns; // of the first table
    char **names[GPUTUNE_MAX_COLUMNS]; // of a column with names, up to NULL; else NULL
    int features;
    size_t width; // of a box
    double *seen; // each column's values, ascending, each once; of names their positions
    int first[GPUTUNE_MAX_COLUMNS + 1]; // where a column's values begin in .seen
    bool *within, *box; // what the condition allows; one box to work in
    subspace_boxes boxes;
} subspace_search;

static inline gputune_result subspaces_fail(subspace_search *s, gputune_result result,
                                            const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(s->to->error, sizeof s->to->error, format, args);
    va_end(args);
    return s->to->result = result;
}

static inline gputune_result subspaces_no_memory(subspace_search *s)
{
    return subspaces_fail(s, GPUTUNE_ERROR_MEMORY, "out of memory");
}

// Appends a copy of a box. False without memory.
static inline bool subspace_add(const subspace_search *s, subspace_boxes *to, const bool *box)
{
    if (to->count == to->room) {
        const size_t room = 2 * to->room + 16;
        bool *grown = (bool *)realloc(to->of, room * s->width);
        if (!grown) return false;
        to->of = grown;
        to->room = room;
    }
    memcpy(to->of + to->count++ * s->width, box, s->width);
    return true;
}

// The first and the last value of a column inside a box. False: there is none.
static inline bool subspace_ends(const subspace_search *s, const bool *box, int f, int *first,
                                 int *last)
{
    *last = s->first[f + 1] - 1;
    for (*first = s->first[f]; *first <= *last && !box[*first]; ++*first) continue;
    while (*last > *first && !box[*last]) --*last;
    return *first <= *last;
}

static inline bool subspace_empty(const subspace_search *s, const bool *box)
{
    int f = 0, first, last;
    while (f < s->features && subspace_ends(s, box, f, &first, &last)) f++;
    return f < s->features;
}

// Makes box a the union of both if they differ in one column and touch there. Boxes do not overlap,
// so that nothing else lies between the two.
static inline bool subspace_join(const subspace_search *s, bool *a, const bool *b)
{
    int at = -1, a_first, a_last, b_first, b_last;
    for (int f = 0; f < s->features; f++) {
        const size_t count = (size_t)(s->first[f + 1] - s->first[f]);
        if (!memcmp(a + s->first[f], b + s->first[f], count)) continue;
        if (at >= 0) return false;
        at = f;
    }
    if (at < 0 || !subspace_ends(s, a, at, &a_first, &a_last) ||
        !subspace_ends(s, b, at, &b_first, &b_last))
        return false;
    if (!s->names[at] && a_last + 1 != b_first && b_last + 1 != a_first) return false;
    for (int v = s->first[at]; v < s->first[at + 1]; v++) a[v] = a[v] || b[v];
    return true;
}

static inline void subspaces_merge(const subspace_search *s, subspace_boxes *boxes)
{
    const size_t width = s->width;
    bool again = boxes->count <= SUBSPACES_MERGED;
    while (again) {
        again = false;
        for (size_t i = 0; i < boxes->count; i++)
            for (size_t k = boxes->count - 1; k > i; k--)
                if (subspace_join(s, boxes->of + i * width, boxes->of + k * width)) {
                    again = true;
                    boxes->count--;
                    memmove(boxes->of + k * width, boxes->of + boxes->count * width, width);
                }
    }
}

// ---------------------------------------------------------------------------------------------
// Goals
// ---------------------------------------------------------------------------------------------

// Whether a row lies in a box. A column of numbers has all between its two ends.
static inline bool subspace_holds(const subspace_search *s, const bool *box, const int *first,
                                  const int *last, const double *row)
{
    int f = 0;
    while (f < s->features && row[f] >= s->seen[first[f]] && row[f] <= s->seen[last[f]] &&
           (!s->names[f] || box[s->first[f] + (int)row[f]]))
        f++;
    return f == s->features;
}

// A goal's metric in a box that is not empty. Each sample moves the mean a little, so that the mean
// of equal predictions is exactly that prediction.
static inline subspace subspace_value(const subspace_search *s, const subspace_asked *asked,
                                      const bool *box)
{
    const gputune_table *t = &asked->goal.table;
    subspace value = { NULL, 0, HUGE_VAL, 0, -HUGE_VAL, 0 };
    double x[GPUTUNE_MAX_COLUMNS];
    int first[GPUTUNE_MAX_COLUMNS], last[GPUTUNE_MAX_COLUMNS];
    for (int f = 0; f < s->features; f++) subspace_ends(s, box, f, &first[f], &last[f]);
    for (size_t i = 0; i < t->count; i++) {
        const double *row = t->x + i * (size_t)s->features;
        if (!subspace_holds(s, box, first, last, row)) continue;
        value.count++;
        value.value += (gputune_tree_predict(asked->goal.tree, row, NULL) - value.value) /
                       (double)value.count;
        value.mean += (t->y[i] - value.mean) / (double)value.count;
        value.least = fmin(value.least, t->y[i]);
        value.most = fmax(value.most, t->y[i]);
    }
    if (value.count > 0) return value;
    for (int f = 0; f < s->features; f++) x[f] = s->seen[first[f]];
    value.value = gputune_tree_predict(asked->goal.tree, x, NULL);
    value.least = value.mean = value.most = (double)NAN;
    return value;
}

static inline bool subspace_meets(const subspace_asked *asked, const subspace *leaf)
{
    double value = leaf->value;
    if (!asked->bounded) return true;
    if (asked->goal.worst && leaf->count == 0) return false; // -ffast-math compares no NaN
    if (asked->goal.worst) value = asked->large ? leaf->least : leaf->most;
    return asked->large ? value >= asked->bound : value <= asked->bound;
}

// Divides a node's box among its children.
static inline void subspace_split(const subspace_search *s, const gputune_tree_node *node,
                                  const bool *box, bool *left, bool *right)
{
    const int begin = s->first[node->column], end = s->first[node->column + 1];
    memcpy(left, box, s->width);
    memcpy(right, box, s->width);
    for (int v = begin; v < end; v++) {
        const int name = v - begin;
        const bool goes = node->group ? (node->group[name / 32] >> name % 32 & 1u) != 0
                                      : s->seen[v] <= node->threshold;
        (goes ? right : left)[v] = false;
    }
}

// The leaves of a goal's tree that meet the goal, as far as the condition allows them.
static inline bool subspace_leaves(const subspace_search *s, const subspace_asked *asked,
                                   subspace_boxes *leaves)
{
    const size_t width = s->width;
    gputune_tree_node node;
    size_t count = 0;
    while (gputune_tree_at(asked->goal.tree, 0, (int)count, &node)) count++;
    bool *nodes = (bool *)malloc(count * width), ok = nodes != NULL;
    if (ok) memcpy(nodes, s->within, width);
    for (size_t i = 0; ok && gputune_tree_at(asked->goal.tree, 0, (int)i, &node); i++) {
        const bool *box = nodes + i * width;
        if (node.column >= 0) {
            subspace_split(s, &node, box, nodes + (size_t)node.left * width,
                           nodes + (size_t)node.right * width);
        } else if (!subspace_empty(s, box)) {
            const subspace leaf = subspace_value(s, asked, box);
            if (subspace_meets(asked, &leaf)) ok = subspace_add(s, leaves, box);
        }
    }
    free(nodes);
    return ok;
}

// Intersects all boxes with all leaves that meet one more goal. The leaves of a goal with a bound
// are merged first, which saves most of the work and shortens the answer: two trees of 3,200
// samples of 7 columns gave 54,000 boxes in 3.4 s, and give 480 in 0.17 s.
static inline gputune_result subspaces_meet(subspace_search *s, const subspace_asked *asked)
{
    subspace_boxes leaves = { NULL, 0, 0 }, met = { NULL, 0, 0 };
    bool ok = subspace_leaves(s, asked, &leaves);
    if (asked->bounded) subspaces_merge(s, &leaves);
    for (size_t i = 0; i < s->boxes.count; i++)
        for (size_t k = 0; k < leaves.count && ok && met.count <= SUBSPACES_MOST; k++) {
            const bool *a = s->boxes.of + i * s->width, *b = leaves.of + k * s->width;
            for (size_t v = 0; v < s->width; v++) s->box[v] = a[v] && b[v];
            if (!subspace_empty(s, s->box)) ok = subspace_add(s, &met, s->box);
        }
    free(leaves.of);
    free(s->boxes.of);
    s->boxes = met;
    if (!ok) return subspaces_no_memory(s);
    if (met.count <= SUBSPACES_MOST) return GPUTUNE_OK;
    return subspaces_fail(s, GPUTUNE_ERROR_TOO_LARGE,
                          "over %d subspaces; give the goals bounds, or the trees fewer leaves",
                          (int)SUBSPACES_MOST);
}

// ---------------------------------------------------------------------------------------------
// Text
// ---------------------------------------------------------------------------------------------

typedef struct subspace_text {
    char *text; // "" until the first subspace_say, then allocated
    size_t length;
    bool ok; // there was memory
} subspace_text;

static inline void subspace_say(subspace_text *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int more = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *grown = to->ok ? (char *)realloc(to->text, to->length + (size_t)more + 1) : NULL;
    to->ok = grown != NULL;
    if (!grown) return;
    to->text = grown;
    va_start(args, format);
    vsnprintf(grown + to->length, (size_t)more + 1, format, args);
    va_end(args);
    to->length += (size_t)more;
}

// As few digits as give the number back: 15 to 17. Returns text.
static inline const char *subspace_number(double value, char text[40])
{
    int digits = 15;
    do snprintf(text, 40, "%.*g", digits, value);
    while (digits++ < 17 && strtod(text, NULL) != value);
    return text;
}

static inline void subspace_say_names(const subspace_search *s, const bool *box, int f,
                                      const char *before, subspace_text *to)
{
    int first, last;
    subspace_ends(s, box, f, &first, &last);
    subspace_say(to, "%s%s", before, first < last ? "(" : "");
    for (int v = first; v <= last; v++)
        if (box[v])
            subspace_say(to, "%s%s == \"%s\"", v > first ? " || " : "", s->columns[f].name,
                         s->names[f][v - s->first[f]]);
    if (first < last) subspace_say(to, ")");
}

static inline void subspace_say_column(const subspace_search *s, const bool *box, int f,
                                       subspace_text *to)
{
    const char *before = to->length ? " && " : "", *name = s->columns[f].name;
    const int begin = s->first[f], end = s->first[f + 1];
    int first, last;
    char number[40];
    subspace_ends(s, box, f, &first, &last);
    if (!memchr(box + begin, 0, (size_t)(end - begin))) return; // all of it
    if (s->names[f]) {
        subspace_say_names(s, box, f, before, to);
        return;
    }
    if (first > begin || first == last)
        subspace_say(to, "%s%s %s %s", before, name, first == last ? "==" : ">=",
                     subspace_number(s->seen[first], number));
    if (first < last && last < end - 1)
        subspace_say(to, "%s%s <= %s", first > begin ? " && " : before, name,
                     subspace_number(s->seen[last], number));
}

// The text of a box; the caller frees it. NULL without memory.
static inline char *subspace_text_of(const subspace_search *s, const bool *box)
{
    subspace_text to = { NULL, 0, true };
    for (int f = 0; f < s->features; f++) subspace_say_column(s, box, f, &to);
    if (to.ok && to.length == 0) subspace_say(&to, "everywhere");
    if (to.ok) return to.text;
    free(to.text);
    return NULL;
}

// ---------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------

static inline int subspaces_width(const gputune_param *columns)
{
    int count = 0;
    while (columns && columns[count].name) count++;
    return count;
}

// Whether a word is a number, as a space reads one.
static inline bool subspace_is_number(const char *word)
{
    char *end;
    if (word[strspn(word, "+-.0123456789eE")] || !strpbrk(word, "0123456789")) return false;
    (void)strtod(word, &end);
    return !*end;
}

// The names of "set old, new" in one allocation, up to NULL. Sets *numbers where the values are
// numbers, and returns NULL then. NULL without memory, too.
static inline char **subspace_names(const char *values, bool *numbers)
{
    const size_t room = values ? strlen(values) + 1 : 0;
    const char *at = values ? values + strspn(values, " \t") : "";
    int count = 0;
    *numbers = true;
    if (strncmp(at, "set", 3) && strncmp(at, "kernel", 6)) return NULL;
    at += strcspn(at, " \t");
    char **names = (char **)malloc((room + 1) * sizeof *names + room), *to;
    if (!names) {
        *numbers = false;
        return NULL;
    }
    to = (char *)(names + room + 1);
    for (; *at; at += *at == ',') {
        at += strspn(at, " \t");
        size_t length = strcspn(at, ",");
        const char *next = at + length;
        while (length > 0 && (at[length - 1] == ' ' || at[length - 1] == '\t')) length--;
        memcpy(to, at, length);
        to[length] = 0;
        *numbers = *numbers && subspace_is_number(to);
        names[count++] = to;
        to += length + 1;
        at = next;
    }
    names[count] = NULL;
    if (!*numbers) return names;
    free(names);
    return NULL;
}

// Whether a table has the columns of the search: the same names, with the same named values. False
// without memory, too, which is then the search's error.
static inline bool subspaces_same(subspace_search *s, const gputune_param *columns)
{
    bool same = subspaces_width(columns) == s->features;
    for (int f = 0; f < s->features && same; f++) {
        bool numbers;
        char **names = subspace_names(columns[f].values, &numbers);
        int n = 0;
        if (!names && !numbers) subspaces_no_memory(s);
        same = !strcmp(columns[f].name, s->columns[f].name) && !names == !s->names[f];
        for (; same && names && names[n] && s->names[f][n]; n++)
            same = !strcmp(names[n], s->names[f][n]);
        same = same && (!names || (!names[n] && !s->names[f][n]));
        free(names);
    }
    return same;
}

// Whether every split of a tree asks for a column that the tables have, for a name where the column
// has names, for a number where it has none.
static inline bool subspaces_fits(const subspace_search *s, const gputune_tree *tree)
{
    gputune_tree_node node;
    for (int i = 0; gputune_tree_at(tree, 0, i, &node); i++)
        if (node.column >= s->features ||
            (node.column >= 0 && (node.group != NULL) != (s->names[node.column] != NULL)))
            return false;
    return true;
}

static inline gputune_result subspace_check(subspace_search *s, const subspace_goal *goal, int g)
{
    const char *why = NULL;
    gputune_tree_node node;
    gputune_result result = GPUTUNE_ERROR_ARGUMENT;
    if (gputune_tree_at(goal->tree, 1, 0, &node)) {
        why = "a forest has no subspaces; fit a single tree";
        result = GPUTUNE_ERROR_UNSUPPORTED;
    } else if (!gputune_tree_at(goal->tree, 0, 0, &node)) {
        why = "its tree could not be made; gputune_tree_error has the reason";
    } else if (goal->table.count == 0) {
        why = "its table has no rows";
    } else if (!subspaces_same(s, goal->table.columns)) {
        why = "its table has other columns than the first goal's";
    } else if (!subspaces_fits(s, goal->tree)) {
        why = "its tree has other columns than its table";
    }
    if (why && !s->to->result) subspaces_fail(s, result, "goal %d: %s", g, why);
    return s->to->result;
}

static inline gputune_result subspace_read_want(subspace_search *s, int g)
{
    subspace_asked *a = &s->asked[g];
    const char *want = a->goal.want ? a->goal.want : "least";
    char *end = NULL;
    want += strspn(want, " ");
    a->bounded = (*want == '<' || *want == '>') && want[1] == '=';
    a->large = *want == '>' || strcmp(want, "most") == 0;
    if (a->bounded) a->bound = strtod(want + 2, &end);
    if (a->bounded ? end > want + 2 && !*end : a->large || strcmp(want, "least") == 0)
        return GPUTUNE_OK;
    return subspaces_fail(s, GPUTUNE_ERROR_SYNTAX,
                          "goal %d: \"%.100s\" is none of \"least\", \"most\", \"<= 150\", "
                          "\">= 3\"",
                          g, want);
}

static inline int subspaces_compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Puts a column's values into .seen: those of all tables, or the positions of all names.
static inline void subspaces_see(subspace_search *s, int f)
{
    double *seen = s->seen + s->first[f];
    int count = 0, left = 0;
    while (s->names[f] && s->names[f][count]) {
        seen[count] = count;
        count++;
    }
    for (int g = 0; g < s->to->goals && !s->names[f]; g++) {
        const gputune_table *t = &s->asked[g].goal.table;
        for (size_t i = 0; i < t->count; i++)
            seen[count++] = t->x[i * (size_t)s->features + (size_t)f];
    }
    qsort(seen, (size_t)count, sizeof *seen, subspaces_compare_doubles);
    for (int n = 0; n < count; n++)
        if (n == 0 || seen[n] > seen[left - 1]) seen[left++] = seen[n];
    s->first[f + 1] = s->first[f] + left;
}

// The first word of an expression that is neither a number nor within quotes; its length goes to
// *length. NULL: there is none.
static inline const char *subspaces_word(const char *text, int *length)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "_0123456789.";
    for (const char *at = text; *at; at++) {
        if (*at == '"') {
            at = strchr(at + 1, '"');
            if (!at) break;
            continue;
        }
        *length = (int)strspn(at, letters);
        if (*length == 0) continue;
        if (!strchr("0123456789.", *at)) return at;
        at += *length - 1;
    }
    return NULL;
}

// A space whose only parameter is a column, with the condition as its restriction. A space reads
// conditions, so nothing here has to. The caller frees *values. NULL without memory.
static inline gputune_space *subspaces_space(const subspace_search *s, int f, const char *text)
{
    const char *const require[] = { text, NULL };
    subspace_text values = { NULL, 0, true };
    char number[40];
    gputune_param params[2];
    gputune_space_desc desc;
    gputune_space *space = NULL;
    for (int v = s->first[f]; v < s->first[f + 1] && !s->names[f]; v++)
        subspace_say(&values, v > s->first[f] ? ",%s" : "set %s",
                     subspace_number(s->seen[v], number));
    memset(params, 0, sizeof params);
    memset(&desc, 0, sizeof desc);
    params[0].name = s->columns[f].name;
    params[0].values = s->names[f] ? s->columns[f].values : values.text;
    desc.params = params;
    desc.require = require;
    if (values.ok) space = gputune_space_create(&desc);
    free(values.text);
    return space;
}

// Takes what a condition on one column forbids out of .within.
static inline gputune_result subspaces_condition(subspace_search *s, const char *text)
{
    int length, f = 0;
    const char *word = subspaces_word(text, &length);
    gputune_result result = GPUTUNE_OK;
    if (!word)
        return subspaces_fail(s, GPUTUNE_ERROR_SYMBOL, "the condition \"%s\" names no column",
                              text);
    while (f < s->features && (strncmp(s->columns[f].name, word, (size_t)length) ||
                               s->columns[f].name[length]))
        f++;
    if (f == s->features)
        return subspaces_fail(s, GPUTUNE_ERROR_SYMBOL, "\"%.*s\" is no column", length, word);
    gputune_space *space = subspaces_space(s, f, text);
    if (!space) return subspaces_no_memory(s);
    if (gputune_space_error(space)->result == GPUTUNE_ERROR_EMPTY_SPACE)
        result = subspaces_fail(s, GPUTUNE_ERROR_ARGUMENT, "\"%s\" holds for no value of %s", text,
                                s->columns[f].name);
    else if (gputune_space_error(space)->result)
        result = subspaces_fail(s, gputune_space_error(space)->result, "%s",
                                gputune_space_error(space)->text);
    memset(s->box, 0, s->width);
    for (uint64_t i = 0; i < gputune_space_count(space); i++) {
        const gputune_config config = gputune_space_at(space, i);
        s->box[s->first[f] + config.choice[0]] = true;
    }
    for (int v = s->first[f]; v < s->first[f + 1]; v++) s->within[v] = s->within[v] && s->box[v];
    gputune_space_destroy(space);
    return result;
}

// Reads conditions with && between them.
static inline gputune_result subspaces_within(subspace_search *s, const char *within)
{
    gputune_result result = GPUTUNE_OK;
    char *text = (char *)malloc(strlen(within) + 1), *end;
    if (!text) return subspaces_no_memory(s);
    strcpy(text, within);
    for (char *at = text; at && !result; at = end) {
        end = strstr(at, "&&");
        if (end) {
            *end = 0;
            end += 2;
        }
        result = subspaces_condition(s, at);
    }
    free(text);
    return result;
}

// Copies and checks the description.
static inline gputune_result subspaces_setup(subspace_search *s, const subspace_goal *goals,
                                             const char *within)
{
    const int count = s->to->goals;
    size_t rows = 0, values = 1;
    bool numbers;
    s->asked = (subspace_asked *)calloc((size_t)count, sizeof *s->asked);
    if (!s->asked) return subspaces_no_memory(s);
    s->columns = goals[0].table.columns;
    s->features = subspaces_width(s->columns);
    if (s->features < 1 || s->features > GPUTUNE_MAX_COLUMNS)
        return subspaces_fail(s, GPUTUNE_ERROR_ARGUMENT, "goal 0: its table has %d columns",
                              s->features);
    for (int f = 0; f < s->features; f++) {
        s->names[f] = subspace_names(s->columns[f].values, &numbers);
        if (!s->names[f] && !numbers) return subspaces_no_memory(s);
    }
    for (int g = 0; g < count; g++) {
        s->asked[g].goal = goals[g];
        if (subspace_check(s, &goals[g], g) || subspace_read_want(s, g)) return s->to->result;
        rows += goals[g].table.count;
    }
    for (int f = 0; f < s->features; f++)
        values += rows + (s->columns[f].values ? strlen(s->columns[f].values) : 0);
    if (values > INT_MAX)
        return subspaces_fail(s, GPUTUNE_ERROR_TOO_LARGE, "over %d numbers in the tables", INT_MAX);
    s->seen = (double *)malloc(values * sizeof *s->seen);
    if (!s->seen) return subspaces_no_memory(s);
    for (int f = 0; f < s->features; f++) subspaces_see(s, f);
    s->width = (size_t)s->first[s->features];
    s->within = (bool *)malloc(2 * s->width);
    if (!s->within) return subspaces_no_memory(s);
    s->box = s->within + s->width;
    memset(s->within, 1, s->width);
    return within ? subspaces_within(s, within) : GPUTUNE_OK;
}

// ---------------------------------------------------------------------------------------------
// For programs
// ---------------------------------------------------------------------------------------------

// By the first goal's value, small ones first. Subspaces without a sample come last.
static inline int subspaces_compare(const void *a, const void *b)
{
    const subspace *x = (const subspace *)a, *y = (const subspace *)b;
    const bool full = x->count > 0;
    if (full != (y->count > 0)) return full ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value ? 1 : strcmp(x->text, y->text);
}

// One subspace as one of the goals sees it, 0 the first. NULL: there are not so many.
static inline const subspace *subspaces_at(const subspaces *all, int which, int goal)
{
    return which >= 0 && which < all->count && goal >= 0 && goal < all->goals
               ? &all->values[which * all->goals + goal]
               : NULL;
}

static inline void subspaces_clear(subspaces *all)
{
    while (all->count > 0) {
        all->count--;
        free((char *)all->values[all->count * all->goals].text);
    }
    free(all->values);
    all->values = NULL;
}

static inline void subspaces_free(subspaces *all) // NULL is fine
{
    if (all) subspaces_clear(all);
    free(all);
}

// Finds all boxes that meet all goals, and ranks them by the first goal.
static inline gputune_result subspaces_rank(subspace_search *s)
{
    subspaces *to = s->to;
    const size_t goals = (size_t)to->goals;
    const int sign = s->asked->large ? -1 : 1;
    bool bounded = true;
    if (!subspace_add(s, &s->boxes, s->within)) return subspaces_no_memory(s);
    for (int g = 0; g < to->goals; g++) {
        if (subspaces_meet(s, &s->asked[g])) return to->result;
        bounded = bounded && s->asked[g].bounded;
    }
    if (bounded) subspaces_merge(s, &s->boxes);
    if (s->boxes.count == 0) return GPUTUNE_OK;
    to->values = (subspace *)malloc(s->boxes.count * goals * sizeof *to->values);
    if (!to->values) return subspaces_no_memory(s);
    for (size_t i = 0; i < s->boxes.count; i++) {
        const bool *box = s->boxes.of + i * s->width;
        const char *text = subspace_text_of(s, box);
        if (!text) return subspaces_no_memory(s);
        for (size_t g = 0; g < goals; g++) {
            to->values[i * goals + g] = subspace_value(s, &s->asked[g], box);
            to->values[i * goals + g].text = text;
        }
        to->values[i * goals].value *= sign;
        to->count++;
    }
    qsort(to->values, s->boxes.count, goals * sizeof *to->values, subspaces_compare);
    for (size_t i = 0; i < s->boxes.count; i++) to->values[i * goals].value *= sign;
    return GPUTUNE_OK;
}

// Finds the parts of the space that meet all goals, best first by the first goal's prediction. One
// tree gives its leaves, several trees give the intersections of their leaves (VII.D, figure 10).
// One goal without a bound gives all leaves, and number 0 is the best subspace (figure 8 asks for
// the best of one device, with the device in `within`). Subspaces do not overlap. Up to 4,096 are
// merged where they differ in one column and touch. Leaves of a goal without a bound stay apart.
// What lies wholly between two values of the samples is left out.
//
// goals: up to one without a tree. All trees and tables have the same columns.
// within: conditions with && between them, each of one column, as a space's .require takes them:
// "device == \"new\" && n <= 9". A subspace's text is such a text. NULL: the whole space.
//
// No subspace at all is no error. .result and .error have the reason of an error: ERROR_ARGUMENT
// (no goal, no samples, other columns, a condition that no value meets), ERROR_UNSUPPORTED (a
// forest), ERROR_SYNTAX, ERROR_SYMBOL and ERROR_ARITHMETIC (a condition, .want), ERROR_TOO_LARGE
// (over 262,144 subspaces, a condition on a column with over 65,535 values), ERROR_MEMORY. NULL
// only without memory. subspaces_free frees the answer. Takes time in proportion to leaves times
// samples: bound the leaves of a tree of more than some thousand samples.
static inline subspaces *subspaces_find(const subspace_goal *goals, const char *within)
{
    subspace_search s;
    memset(&s, 0, sizeof s);
    s.to = (subspaces *)calloc(1, sizeof *s.to);
    if (!s.to) return NULL;
    while (goals && goals[s.to->goals].tree) s.to->goals++;
    if (s.to->goals == 0)
        subspaces_fail(&s, GPUTUNE_ERROR_ARGUMENT, "no goal has a tree");
    else if (subspaces_setup(&s, goals, within) || subspaces_rank(&s))
        subspaces_clear(s.to);
    for (int f = 0; f < s.features && f < GPUTUNE_MAX_COLUMNS; f++) free(s.names[f]);
    free(s.asked);
    free(s.seen);
    free(s.within);
    free(s.boxes.of);
    return s.to;
}

#endif
