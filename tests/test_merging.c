// [merge] on kernels that a generator writes: declarations, names that hide others, assignments, to
// a parameter, too, stores to an item's own memory, conditions, choices, loops of all kinds, early
// returns. What the merged text does on the
// processor, item by item of the coarsened launch, must be what the kernel itself does. One program
// of plain C holds both of all kernels. MERGE_SEED: another seed than 1; MERGE_KERNELS: how many.
#include "test.h"

#include <stdarg.h>
#include <unistd.h>

typedef struct merge_writer {
    uint64_t state;
    char text[16384];
    size_t used;
    char values[64][16], places[64][16], arrays[16][16]; // names in scope
    int value_count, place_count, array_count, names;
    int block;    // how many values the scopes outside of the block have
    bool changes; // the parameter n
} merge_writer;

static int merge_draw(merge_writer *w, int below)
{
    w->state = w->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((w->state >> 33) % (uint64_t)below);
}

static void merge_put(merge_writer *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->used += (size_t)vsnprintf(w->text + w->used, sizeof w->text - w->used, format, list);
    va_end(list);
    if (w->used >= sizeof w->text) w->used = sizeof w->text - 1;
}

static void merge_expression(merge_writer *w, int depth);

static void merge_condition(merge_writer *w, int depth)
{
    static const char *const signs[] = { "<", ">", "==", "!=", "<=", ">=" };
    merge_expression(w, depth);
    merge_put(w, " %s ", signs[merge_draw(w, 6)]);
    merge_expression(w, depth);
}

static void merge_expression(merge_writer *w, int depth)
{
    const int kind = merge_draw(w, depth > 2 ? 3 : 9);
    if (kind == 0) {
        merge_put(w, "%d", merge_draw(w, 10));
    } else if (kind < 3) {
        const int value = merge_draw(w, w->value_count + 2);
        merge_put(w, "%s", value < 2 ? value ? "n" : "i" : w->values[value - 2]);
    } else if (kind == 3) {
        merge_put(w, "in[(uint)(");
        merge_expression(w, depth + 1);
        merge_put(w, ") %% 1000u]");
    } else if (kind == 4) {
        merge_put(w, "(");
        merge_condition(w, depth + 1);
        merge_put(w, " ? ");
        merge_expression(w, depth + 1);
        merge_put(w, " : ");
        merge_expression(w, depth + 1);
        merge_put(w, ")");
    } else {
        merge_put(w, kind == 5 ? "HELP(" : kind == 6 ? "help(" : "(");
        merge_expression(w, depth + 1);
        merge_put(w, kind < 7 ? "," : kind == 7 ? " + " : " * ");
        merge_expression(w, depth + 1);
        merge_put(w, ")");
    }
}

static const char *merge_name(merge_writer *w, char (*list)[16], int *count)
{
    snprintf(list[*count], 16, "v%d", w->names++);
    return list[(*count)++];
}

// Memory that is the item's alone.
static void merge_place(merge_writer *w)
{
    static const char *const places[] = { "out[i * 8 + %d]", "*(out + i * 8 + %d)", "mine[%d]" };
    merge_put(w, places[merge_draw(w, 3)], merge_draw(w, 8));
}

static void merge_statements(merge_writer *w, int count, int depth, bool loop);

// Another variable of the name of one of an outer scope. False: there is none.
static bool merge_hide(merge_writer *w)
{
    char name[16];
    int i;
    if (!w->block) return false;
    memcpy(name, w->values[merge_draw(w, w->block)], 16);
    for (i = w->block; i < w->value_count; i++)
        if (strcmp(w->values[i], name) == 0) return false;
    merge_put(w, "int %s = in[i] %% 9 + %d;", name, merge_draw(w, 9));
    memcpy(w->values[w->value_count++], name, 16);
    memcpy(w->places[w->place_count++], name, 16);
    return true;
}

static void merge_declare(merge_writer *w)
{
    const char *name;
    if (merge_draw(w, 4) == 0 && merge_hide(w)) return;
    switch (merge_draw(w, 5)) {
    case 0: // of which a value for all items may be made
        merge_put(w, "const int %s = n / 4 + %d;", merge_name(w, w->values, &w->value_count),
                  merge_draw(w, 4));
        break;
    case 1:
        name = merge_name(w, w->arrays, &w->array_count);
        merge_put(w, "int %s[4]; %s[0] = %s[1] = %s[2] = %s[3] = ", name, name, name, name, name);
        merge_expression(w, 0);
        merge_put(w, ";");
        break;
    default:
        snprintf(w->values[w->value_count], 16, "v%d", w->names);
        merge_put(w, "int v%d = ", w->names++);
        merge_expression(w, 0);
        memcpy(w->places[w->place_count++], w->values[w->value_count++], 16);
        if (merge_draw(w, 3) == 0) {
            merge_put(w, ", v%d = ", w->names);
            merge_expression(w, 1);
            snprintf(w->values[w->value_count++], 16, "v%d", w->names);
            snprintf(w->places[w->place_count++], 16, "v%d", w->names++);
        }
        merge_put(w, ";");
    }
}

static void merge_loop(merge_writer *w, int depth)
{
    static const char *const bounds[] = { "n", "4", "n / 3", "in[i] % 5", "n - 2", "i % 4 + 1" };
    const char *bound = w->changes ? "(n & 7)" : bounds[merge_draw(w, 6)], *name;
    char counter[16];
    const int kind = merge_draw(w, 5), values = w->value_count;
    if (kind == 0) { // counts down to its end, whatever the bound
        name = merge_name(w, w->values, &w->value_count);
        merge_put(w, "{ int %s = %d; while (%s-- > 0) { ", name, 1 + merge_draw(w, 4), name);
        merge_statements(w, 1 + merge_draw(w, 2), depth + 1, true);
        merge_put(w, "} }");
        w->value_count = values;
        return;
    }
    if (kind == 1) { // declared at the beginning
        snprintf(counter, sizeof counter, "k%d", depth);
        merge_put(w, "for (%s = 0; %s < %s; ++%s) {", counter, counter, bound, counter);
        snprintf(w->values[w->value_count++], 16, "%s", counter);
    } else {
        name = merge_name(w, w->values, &w->value_count);
        if (kind == 2)
            merge_put(w, "for (int %s = 7; %s > 0; %s -= 2) {", name, name, name);
        else
            merge_put(w, "for (int %s = 0; %s < %s; %s++) {", name, name, bound, name);
    }
    merge_statements(w, 1 + merge_draw(w, 3), depth + 1, true);
    merge_put(w, "}");
    w->value_count = values;
}

static void merge_statement(merge_writer *w, int depth, bool loop)
{
    static const char *const signs[] = { "=", "+=", "-=", "^=", "|=" };
    const int kind = merge_draw(w, 16);
    if (w->place_count && kind < 4) {
        merge_put(w, "%s %s ", w->places[merge_draw(w, w->place_count)], signs[merge_draw(w, 5)]);
        if (kind == 0) merge_place(w);
        else merge_expression(w, 0);
        merge_put(w, ";");
    } else if (w->place_count && kind == 4) {
        merge_put(w, merge_draw(w, 2) ? "%s++;" : "--%s;",
                  w->places[merge_draw(w, w->place_count)]);
    } else if (kind < 8) {
        merge_place(w);
        merge_put(w, " %s ", signs[merge_draw(w, 3)]);
        merge_expression(w, 0);
        merge_put(w, ";");
    } else if (w->array_count && w->place_count && kind == 8) {
        merge_put(w, "%s[%s & 3] = ", w->arrays[merge_draw(w, w->array_count)],
                  w->places[merge_draw(w, w->place_count)]);
        merge_expression(w, 0);
        merge_put(w, "; %s += %s[i & 3];", w->places[merge_draw(w, w->place_count)],
                  w->arrays[merge_draw(w, w->array_count)]);
    } else if (depth > 2 || (kind < 11 && w->value_count < 40 && w->array_count < 10)) {
        if (depth > 2) merge_put(w, ";");
        else merge_declare(w);
    } else if (kind < 13) {
        merge_put(w, "if (");
        merge_condition(w, 0);
        merge_put(w, ") ");
        if (loop && merge_draw(w, 4) == 0) {
            merge_put(w, merge_draw(w, 2) ? "break;" : "continue;");
            return;
        }
        merge_put(w, "{");
        merge_statements(w, 1 + merge_draw(w, 3), depth + 1, loop);
        merge_put(w, "}");
        if (merge_draw(w, 3)) return;
        if (merge_draw(w, 2)) {
            merge_put(w, " else switch (i & 3) { case 0: case 2: {");
            merge_statements(w, 1, depth + 1, loop);
            merge_put(w, "} default: {");
            merge_statements(w, 1, depth + 1, loop);
            merge_put(w, "} break; case 1:; }");
            return;
        }
        merge_put(w, " else {");
        merge_statements(w, 1 + merge_draw(w, 2), depth + 1, loop);
        merge_put(w, "}");
    } else {
        merge_loop(w, depth);
    }
}

// Names end with their block.
static void merge_statements(merge_writer *w, int count, int depth, bool loop)
{
    const int values = w->value_count, places = w->place_count, arrays = w->array_count;
    const int block = w->block;
    if (depth) w->block = values;
    while (count-- > 0 && w->value_count < 50) {
        merge_statement(w, depth, loop);
        merge_put(w, "\n    ");
    }
    w->block = block;
    if (!depth) return;
    w->value_count = values;
    w->place_count = places;
    w->array_count = arrays;
}

// The kernel, named k.
static void merge_write(merge_writer *w)
{
    const int leaves = merge_draw(w, 4);
    w->used = 0;
    w->value_count = w->place_count = w->array_count = w->names = w->block = 0;
    w->changes = merge_draw(w, 3) == 0;
    if (w->changes) snprintf(w->places[w->place_count++], 16, "n");
    merge_put(w, "#define HELP(x, y) ((x) - 3 * (y))\n"
                 "int help(int x, int y);\n"
                 "__kernel void k(__global int *out, __global const int *in, int n)\n{\n"
                 "    int i = get_global_id(0), k0, k1, k2;\n"
                 "    __global int *mine = out + i * 8;\n    ");
    if (merge_draw(w, 2)) merge_declare(w);
    if (leaves == 1) merge_put(w, "if (i >= %d) return;\n    ", 3 + merge_draw(w, 60));
    if (leaves == 2) merge_put(w, "if (in[i] > 90) return; else if (i < 2) return;\n    ");
    if (leaves == 3) merge_put(w, "if (i < %d) {\n    ", 40 + merge_draw(w, 30));
    merge_statements(w, 3 + merge_draw(w, 6), 0, false);
    if (leaves == 3) merge_put(w, "}");
    merge_put(w, "%s\n}\n#undef HELP\n", leaves < 2 && merge_draw(w, 3) == 0 ? "return;" : "");
}

static const char merge_begin[] =
    "#include <stddef.h>\n#include <stdio.h>\n#include <string.h>\n"
    "typedef unsigned long ulong; typedef unsigned uint;\n"
    "#define __kernel static\n#define __global\n"
    "enum { ITEMS = 61 };\n"
    "static size_t at, count;\n"
    "static int in[1000], out[ITEMS * 8], right[ITEMS * 8];\n"
    "static size_t get_global_id(uint d) { return d ? 0 : at; }\n"
    "static size_t get_global_offset(uint d) { return 0 * d; }\n"
    "static size_t get_global_size(uint d) { return d ? 1 : count; }\n"
    "static size_t get_local_size(uint d) { return 1 + 0 * d; }\n"
    "static size_t get_local_id(uint d) { return 0 * d; }\n"
    "static size_t get_group_id(uint d) { return d ? 0 : at; }\n"
    "static size_t get_num_groups(uint d) { return d ? 1 : count; }\n"
    "static uint get_work_dim(void) { return 1; }\n"
    "static int clz(uint x) { int n = 32; while (x) { x >>= 1; n--; } return n; }\n"
    "int help(int x, int y) { return x > y ? x - 2 * y : x + y; }\n"
    "static void fill(int *x) { for (int i = 0; i < ITEMS * 8; i++) x[i] = i * 31 % 17; }\n";

// The text, with names that no other text has.
static void merge_copy(FILE *out, const char *text, int number)
{
    while (*text) {
        const char *ours = strstr(text, "gputune_"), *own = strstr(text, "gt__");
        const bool private_ = own && (!ours || own < ours);
        const char *first = private_ ? own : ours;
        fwrite(text, 1, first ? (size_t)(first - text) : strlen(text), out);
        if (!first) return;
        fprintf(out, private_ ? "g%dt__" : "g%d_", number);
        text = first + (private_ ? 4 : 8);
    }
}

// And without its macros for what follows.
static void merge_undefine(FILE *out, const char *text)
{
    while ((text = strstr(text, "#define ")) != NULL) {
        char name[64];
        text += 8;
        snprintf(name, sizeof name, "\n#undef %.*s", (int)strcspn(text, " (\n"), text);
        fputs(strstr(name, "gputune_") || strstr(name, "gt__") ? "" : name, out);
    }
    fputc('\n', out);
}

// The plain kernel and the merged one, with a function that compares them. False: it is not merged.
static bool merge_emit(FILE *out, const char *source, int number, int factor, int stride)
{
    gputune_coarsen_space_desc desc;
    gputune_space *space;
    gputune_config config;
    gputune_geometry g;
    char values[64];
    const char *text = NULL;
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    desc.name = "k";
    desc.global[0] = 61;
    space = gputune_coarsen_space(&desc);
    snprintf(values, sizeof values, "FACTOR_X=%d STRIDE_X=%d COARSEN_FORM=merge", factor, stride);
    if (!gputune_space_error(space)->result && gputune_config_parse(space, values, &config))
        text = gputune_coarsen_text(space, &config);
    if (text) {
        gputune_coarsen_geometry(space, &config, &g);
        fprintf(out, "#line 1 \"plain%d\"\n#define k plain%d\n%s#undef k\n", number, number,
                source);
        fprintf(out, "#define k merged%d\n#line 1 \"merged%d\"\n", number, number);
        merge_copy(out, text, number);
        merge_undefine(out, text);
        fprintf(out,
                "\nstatic int check%d(void)\n{\n"
                "    g%d_grid g = { { 61, 1, 1 }, { 1, 1, 1 }, { 0, 0, 0 }, { 61, 1, 1 } };\n"
                "    fill(out); count = %d;\n"
                "    for (at = 0; at < count; at++) k(out, in, 13, g);\n"
                "    fill(right); count = ITEMS;\n"
                "    for (at = 0; at < ITEMS; at++) plain%d(right, in, 13);\n"
                "    return memcmp(out, right, sizeof out) != 0;\n}\n#undef k\n",
                number, number, (int)g.global[0], number);
    }
    gputune_space_destroy(space);
    return text != NULL;
}

// Compiles and runs the program, which says the numbers of those that differ.
static void merge_run(const char *folder, int count)
{
    char command[256], line[256];
    int seen = 0;
    FILE *pipe;
    snprintf(command, sizeof command,
             "cd %s && cc -std=gnu99 -O0 -w -fwrapv program.c -o program 2>&1 && ./program",
             folder);
    pipe = popen(command, "r");
    CHECK(pipe != NULL);
    while (pipe && fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "checked %d", &seen) != 1) TEST_FAIL("%s/program.c: %s", folder, line);
    }
    if (pipe) CHECK_INT(pclose(pipe), 0);
    CHECK_INT(seen, count);
}

static void test_merging_generated(void)
{
    const char *seed = getenv("MERGE_SEED"), *kernels = getenv("MERGE_KERNELS");
    const int wanted = kernels ? atoi(kernels) : 60;
    char folder[] = "/tmp/gputune-test-XXXXXX", path[64], command[96];
    merge_writer *w = (merge_writer *)calloc(1, sizeof *w);
    FILE *out;
    int i, count = 0, refused = 0;
    CHECK(w && mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/program.c", folder);
    out = fopen(path, "w");
    if (!w || !out) {
        TEST_FAIL("%s cannot be written", path);
        free(w);
        return;
    }
    fputs(merge_begin, out);
    w->state = seed ? strtoull(seed, NULL, 10) : 1;
    while (count < wanted && refused < 10 * wanted) {
        merge_write(w);
        if (merge_emit(out, w->text, count, count % 3 ? 4 : 2, count % 2 ? 1 : 8))
            count++;
        else
            refused++;
    }
    fprintf(out, "int main(void)\n{\n    for (int i = 0; i < 1000; i++) in[i] = (i * 7919 + 13) %% "
                 "101;\n");
    for (i = 0; i < count; i++)
        fprintf(out, "    if (check%d()) printf(\"kernel %d differs\\n\");\n", i, i);
    fprintf(out, "    printf(\"checked %%d\\n\", %d);\n    return 0;\n}\n", count);
    fclose(out);
    CHECK(count == wanted && refused < wanted);
    if (seed) printf("    seed %s: %d merged, %d refused\n", seed, count, refused);
    merge_run(folder, count);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (!getenv("MERGE_KEEP")) CHECK_INT(system(command), 0);
    free(w);
}

static const test_case merging_cases[] = { { "generated", test_merging_generated },
                                           { NULL, NULL } };
