// Trees and forests: how long fitting and predicting take, and how near predictions of recorded
// spaces come, beside scikit-learn and rpart on the same data.
//
//     sh bench/run.sh tree [FOLDER]    FOLDER: recorded spaces (*.csv.gz), for the accuracy
//
// FOLDER's files have parameters' names and time_ms in their first line, then one configuration a
// row; those without a time failed and are left out. Of each space 200 rows are learned (half of
// smaller ones), drawn with 5 seeds; the error is the median of |predicted - measured| / measured
// over all other rows, of which the median over seeds counts. A parameter with words for values is
// a named one. scikit-learn and rpart (bench/tree_peer.py, bench/tree_peer.R, installed by
// bench/run.sh if they can be) get the same rows.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>
#include <time.h>

enum { SEEDS = 5, LEARNED = 200, MOST_SPACES = 256 };

static void result(const char *name, double value, const char *unit)
{
    printf("result\t%s\t%.6g\t%s\n", name, value, unit);
    fflush(stdout);
}

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);
    if (memory) return memory;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

// --- what is learned is also written down, for scikit-learn ---

// bench/tree_peer.py reads: task, count, features, then x and y, then as many for queries.
static void write_task(FILE *file, const char *task, const gputune_table *s, const double *query,
                       size_t queries)
{
    int width = 0;
    while (s->columns[width].name) width++;
    fprintf(file, "%s %zu %d %zu\n", task, s->count, width, queries);
    fwrite(s->x, sizeof *s->x, s->count * (size_t)width, file);
    fwrite(s->y, sizeof *s->y, s->count, file);
    fwrite(query, sizeof *query, queries * (size_t)width, file);
}

// --- speed ---

// Seconds of this thread's own: others use the machine, too.
static double thread_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

typedef struct size_case {
    size_t count;
    int features, values, rounds; // values: of each feature; 0: reals
} size_case;

static const size_case sizes[] = { { 200, 6, 8, 2000 },   { 3200, 7, 8, 200 },
                                   { 100000, 10, 8, 20 }, { 200, 6, 0, 1000 },
                                   { 3200, 7, 0, 100 },   { 100000, 10, 0, 5 } };

static void fill(const size_case *c, double *x, double *y)
{
    uint64_t state = 1;
    size_t i;
    int f;
    for (i = 0; i < c->count; i++) {
        double *row = x + i * (size_t)c->features;
        for (f = 0; f < c->features; f++)
            row[f] = c->values ? (double)gt__random_below(&state, (uint64_t)c->values)
                               : (double)(float)gt__random_unit(&state) * 8;
        y[i] = row[0] * row[1] + 10 * sin(row[2]) + row[3] * row[3] +
               gt__random_normal(&state);
    }
}

static void speed_predict(const gputune_tree *tree, const size_case *c, const double *x)
{
    double sum = 0, least = 1e9;
    int round, again;
    size_t i;
    for (round = 0; round < 200; round++) {
        double begin = thread_now(), seconds;
        for (again = 0; again < 10; again++)
            for (i = 0; i < c->count; i++)
                sum += gputune_tree_predict(tree, x + i * (size_t)c->features, NULL);
        seconds = (thread_now() - begin) / 10;
        if (seconds < least) least = seconds;
    }
    if (!isfinite(sum)) fprintf(stderr, "a prediction is not finite\n");
    result("predict_200x6", least / (double)c->count * 1e9, "ns");
}

// The least of several rounds.
static void speed(const size_case *c, FILE *peer, FILE *ours)
{
    double *x = (double *)need(c->count * (size_t)c->features, sizeof *x), least = 1e9;
    double *y = (double *)need(c->count, sizeof *y);
    gputune_param features[17];
    gputune_tree_desc desc;
    gputune_tree *tree = NULL;
    char name[64];
    int i;
    size_t q, queries = c->count < 2000 ? c->count : 2000;
    memset(&desc, 0, sizeof desc);
    memset(features, 0, sizeof features);
    for (i = 0; i < c->features; i++) features[i].name = "x";
    fill(c, x, y);
    desc.table.columns = features;
    desc.table.count = c->count;
    desc.table.x = x;
    desc.table.y = y;
    for (i = 0; i < c->rounds; i++) {
        double begin = thread_now(), seconds;
        gputune_tree_destroy(tree);
        tree = gputune_tree_create(&desc);
        seconds = thread_now() - begin;
        if (seconds < least) least = seconds;
    }
    snprintf(name, sizeof name, "fit_%zux%d_%s", c->count, c->features,
             c->values ? "whole" : "reals");
    result(name, least * 1e3, "ms");
    if (c == sizes) speed_predict(tree, c, x);
    gputune_tree_destroy(tree);
    // The same splits: leaves of at least 5, where ties are rare, and rows that were learned.
    desc.min_leaf = 5;
    tree = gputune_tree_create(&desc);
    for (q = 0; q < queries; q++) {
        double value = gputune_tree_predict(tree, x + q * (size_t)c->features, NULL);
        fwrite(&value, sizeof value, 1, ours);
    }
    if (peer) write_task(peer, name, &desc.table, x, queries);
    gputune_tree_destroy(tree);
    free(x);
    free(y);
}

// --- accuracy ---

typedef struct space {
    char name[128];
    gputune_param columns[GPUTUNE_MAX_COLUMNS + 1];
    int width;
    size_t count;
    double *x, *y;
} space;

typedef struct words {
    char *list[256];
    int count;
} words;

static int word_of(words *w, const char *text)
{
    int i;
    for (i = 0; i < w->count; i++)
        if (strcmp(w->list[i], text) == 0) return i;
    if (w->count == 255) return 254;
    w->list[w->count] = (char *)need(strlen(text) + 1, 1);
    strcpy(w->list[w->count], text);
    return w->count++;
}

// The values of a column of words; NULL: it has none.
static const char *values_of(const words *w)
{
    char *text;
    size_t length = 8;
    int i;
    for (i = 0; i < w->count; i++) length += strlen(w->list[i]) + 1;
    text = (char *)need(length, 1);
    strcpy(text, "set ");
    for (i = 0; i < w->count; i++) {
        strcat(text, i ? "," : "");
        strcat(text, w->list[i]);
    }
    return w->count ? text : NULL;
}

// Cuts a line into its cells; returns how many.
static int cells_of(char *line, char **cells)
{
    int count = 0;
    char *p = line;
    line[strcspn(line, "\r\n")] = 0;
    while (count < GPUTUNE_MAX_COLUMNS + 1) {
        cells[count++] = p;
        p = strchr(p, ',');
        if (!p) break;
        *p++ = 0;
    }
    return count;
}

static bool space_read(const char *folder, const char *file, space *s)
{
    char command[1024], line[8192], *cells[GPUTUNE_MAX_COLUMNS + 1], *end;
    words *kinds = (words *)need(GPUTUNE_MAX_COLUMNS, sizeof *kinds);
    FILE *pipe;
    int f;
    size_t room = 0;
    memset(s, 0, sizeof *s);
    snprintf(s->name, sizeof s->name, "%.*s", (int)strcspn(file, "."), file);
    snprintf(command, sizeof command, "gzip -dc '%s/%s'", folder, file);
    pipe = popen(command, "r");
    if (!pipe || !fgets(line, sizeof line, pipe)) return false;
    s->width = cells_of(line, cells) - 1;
    for (f = 0; f < s->width; f++) {
        char *name = (char *)need(strlen(cells[f]) + 1, 1);
        strcpy(name, cells[f]);
        s->columns[f].name = name;
    }
    while (fgets(line, sizeof line, pipe)) {
        if (cells_of(line, cells) != s->width + 1 || !*cells[s->width]) continue;
        if (s->count == room) {
            room = room ? 2 * room : 4096;
            s->x = (double *)realloc(s->x, room * (size_t)s->width * sizeof *s->x);
            s->y = (double *)realloc(s->y, room * sizeof *s->y);
            if (!s->x || !s->y) return false;
        }
        for (f = 0; f < s->width; f++) {
            double value = strtod(cells[f], &end);
            if (end == cells[f] || *end) {
                value = word_of(&kinds[f], cells[f]);
            }
            s->x[s->count * (size_t)s->width + (size_t)f] = value;
        }
        s->y[s->count] = strtod(cells[s->width], NULL);
        s->count += s->y[s->count] > 0;
    }
    pclose(pipe);
    for (f = 0; f < s->width; f++) s->columns[f].values = values_of(&kinds[f]);
    return s->count > 20;
}

static double median(double *values, int count) { return gputune_stats_of(values, count).median; }

// In a median of spaces what one of them loses does not show.
static double geometric_mean(const double *values, int count)
{
    double sum = 0;
    int i;
    for (i = 0; i < count; i++) sum += log(values[i]);
    return exp(sum / count);
}

// The median relative error of a tree or forest on what it has not learned: rows from `learned` on.
static double error_of(const space *s, size_t learned, int trees, double *errors)
{
    gputune_table samples;
    gputune_tree_desc desc;
    gputune_tree *tree;
    size_t i;
    memset(&samples, 0, sizeof samples);
    samples.columns = s->columns;
    samples.count = learned;
    samples.x = s->x;
    samples.y = s->y;
    memset(&desc, 0, sizeof desc);
    desc.table = samples;
    desc.log = true;
    desc.trees = trees;
    tree = gputune_tree_create(&desc);
    for (i = learned; i < s->count; i++)
        errors[i - learned] =
            fabs(gputune_tree_predict(tree, s->x + i * (size_t)s->width, NULL) - s->y[i]) / s->y[i];
    gputune_tree_destroy(tree);
    return median(errors, (int)(s->count - learned));
}

static void shuffle(space *s, uint64_t seed)
{
    size_t i;
    int f;
    for (i = s->count; i > 1; i--) {
        size_t at = (size_t)gt__random_below(&seed, i);
        double swap = s->y[at];
        s->y[at] = s->y[i - 1];
        s->y[i - 1] = swap;
        for (f = 0; f < s->width; f++) {
            double *a = &s->x[at * (size_t)s->width + (size_t)f];
            double *b = &s->x[(i - 1) * (size_t)s->width + (size_t)f];
            swap = *a;
            *a = *b;
            *b = swap;
        }
    }
}

static void accuracy(space *s, FILE *peer, double *tree, double *forest)
{
    double trees[SEEDS], forests[SEEDS], *errors = (double *)need(s->count, sizeof *errors);
    size_t learned = s->count < 2 * LEARNED ? s->count / 2 : LEARNED;
    char name[256];
    int seed;
    for (seed = 0; seed < SEEDS; seed++) {
        gputune_table samples;
        memset(&samples, 0, sizeof samples);
        shuffle(s, (uint64_t)seed + 1);
        trees[seed] = error_of(s, learned, 1, errors);
        forests[seed] = error_of(s, learned, 100, errors);
        samples.columns = s->columns;
        samples.count = s->count;
        samples.x = s->x;
        samples.y = s->y;
        snprintf(name, sizeof name, "space:%s:%zu", s->name, learned);
        if (peer) write_task(peer, name, &samples, s->x, 0);
    }
    *tree = median(trees, SEEDS);
    *forest = median(forests, SEEDS);
    snprintf(name, sizeof name, "error_tree:%s", s->name);
    result(name, *tree, "");
    snprintf(name, sizeof name, "error_forest:%s", s->name);
    result(name, *forest, "");
    free(errors);
}

static void folder_run(const char *folder, FILE *peer)
{
    double trees[MOST_SPACES], forests[MOST_SPACES];
    char command[600], file[256];
    int count = 0;
    FILE *list;
    snprintf(command, sizeof command, "ls '%s' | grep '\\.csv\\.gz$'", folder);
    list = popen(command, "r");
    while (list && count < MOST_SPACES && fgets(file, sizeof file, list)) {
        space s;
        file[strcspn(file, "\n")] = 0;
        if (!space_read(folder, file, &s)) {
            fprintf(stderr, "%s: cannot be read\n", file);
            continue;
        }
        accuracy(&s, peer, &trees[count], &forests[count]);
        count++;
        free(s.x);
        free(s.y);
    }
    if (list) pclose(list);
    if (!count) return;
    result("error_tree", median(trees, count), "median over spaces");
    result("error_forest", median(forests, count), "median over spaces");
    result("error_tree_mean", geometric_mean(trees, count), "geometric mean over spaces");
    result("error_forest_mean", geometric_mean(forests, count), "geometric mean over spaces");
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : NULL, *tasks = getenv("GPUTUNE_TREE_TASKS");
    char path[512];
    FILE *peer = NULL, *ours;
    size_t i;
    snprintf(path, sizeof path, "%s.ours", tasks ? tasks : "/dev/null");
    ours = fopen(tasks ? path : "/dev/null", "wb");
    if (tasks) peer = fopen(tasks, "wb");
    if (!ours || (tasks && !peer)) return 1;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) speed(&sizes[i], peer, ours);
    if (folder) folder_run(folder, peer);
    fclose(ours);
    if (peer) fclose(peer);
    return 0;
}
