// Building and sampling spaces: exact count, index and 10,000 uniform samples, each turned into a
// configuration and back. Rows: result, name, value, unit.
//     cc -O2 -I.. bench_space.c -o bench_space -lm && ./bench_space [folder of definitions]
// Fails when a count is not the one that the definition states.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#include "../tests/definitions.h"

#if !defined(_WIN32)
#include <dirent.h>
#include <sys/resource.h>
#endif

enum { SAMPLES = 10000 };

// Everything from the definition on; seconds, or negative on failure. The space is the caller's.
static double bench_build(space_parts *p, uint64_t valid, gputune_space **out)
{
    static uint64_t indices[SAMPLES];
    double start = gputune_now();
    uint64_t state = 1, back;
    gputune_space *space = *out = parts_space(p);
    int i;
    if (!gputune_space_count(space)) {
        fprintf(stderr, "%s\n", gputune_space_error(space)->text);
        return -1.0;
    }
    if (valid && gputune_space_count(space) != valid) {
        fprintf(stderr, "%llu configurations, expected %llu\n",
                (unsigned long long)gputune_space_count(space), (unsigned long long)valid);
        return -1.0;
    }
    if (gputune_space_sample(space, &state, true, indices, SAMPLES)) return -1.0;
    for (i = 0; i < SAMPLES; i++) {
        gputune_config config = gputune_space_at(space, indices[i]);
        if (!gputune_space_index(space, &config, &back) || back != indices[i]) return -1.0;
    }
    return gputune_now() - start;
}

// The median of several runs, so that one disturbance does not show.
static bool bench_definition(const char *name, const char *text)
{
    double seconds[5];
    space_parts p;
    int i;
    for (i = 0; i < 5; i++) {
        gputune_space *space = NULL;
        uint64_t valid = 0;
        seconds[i] = definitions_read(text, &p, &valid) ? bench_build(&p, valid, &space) : -1.0;
        if (seconds[i] < 0.0) fprintf(stderr, "%s: fails\n", name);
        gputune_space_destroy(space);
        if (seconds[i] < 0.0) return false;
    }
    printf("result\tspace_%s_ms\t%.3f\tms\n", name, 1e3 * gputune_stats_of(seconds, 5).median);
    return true;
}

#if !defined(_WIN32)
static bool bench_folder(const char *path, int *found)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    bool fine = true;
    while (folder && (entry = readdir(folder)) != NULL) {
        char file[1024], name[256], text[16384];
        size_t length = strlen(entry->d_name);
        FILE *stream;
        if (length < 5 || length > 255 || strcmp(entry->d_name + length - 4, ".txt") != 0) continue;
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        snprintf(name, sizeof name, "%.*s", (int)length - 4, entry->d_name);
        stream = fopen(file, "rb");
        if (!stream) continue;
        length = fread(text, 1, sizeof text - 1, stream);
        text[length] = 0;
        fclose(stream);
        fine = bench_definition(name, text) && fine;
        ++*found;
    }
    if (folder) closedir(folder);
    return fine;
}
#endif

// 20 parameters as a large kernel has them, 12 restrictions that tie all together: work-group and
// tile products, local memory sums, divisibility, conditions.
static void bench_large(space_parts *p)
{
    static const char *const params[][2] = {
        { "WGX", "set 1,2,4,8,16,32,64,128" },  { "WGY", "set 1,2,4,8,16,32" },
        { "WGZ", "set 1,2,4" },                 { "TX", "range 1,8" },
        { "TY", "range 1,8" },                  { "TZ", "range 1,4" },
        { "KB", "set 8,16,32,64" },             { "KU", "set 1,2,4,8,16" },
        { "VX", "set 1,2,4,8" },                { "VY", "set 1,2,4,8" },
        { "LA", "bool" },                       { "LB", "bool" },
        { "PAD", "range 0,2" },                 { "STAGES", "range 1,4" },
        { "PREFETCH", "range 0,3" },            { "ORDER", "set xyz,zyx,morton" },
        { "SPLIT", "set 1,2,4,8" },             { "CACHE", "range 0,2" },
        { "REGS", "set 32,64,96,128,168,255" }, { "OCC", "range 1,8" },
    };
    static const char *const require[] = {
        "32 <= WGX * WGY * WGZ && WGX * WGY * WGZ <= 1024",
        "TX % VX == 0 || VX == 1",
        "TY % VY == 0 && VX * VY <= 16",
        "KB % KU == 0",
        "LA == 0 || (WGX * TX + PAD) * KB * 4 * STAGES <= 49152",
        "LB == 0 || (WGY * TY + PAD) * KB * 4 <= 32768",
        "TX * TY * TZ <= 64",
        "TX * TY * TZ * 2 + KU * VX + 16 <= REGS",
        "REGS * WGX * WGY * OCC <= 65536 * 2",
        "PREFETCH < STAGES || PREFETCH == 0",
        "ORDER != \"morton\" || (is_pow2(WGX * TX) && SPLIT <= 2)",
        "CACHE == 0 ? SPLIT * STAGES <= 16 : KB * SPLIT >= 16 * CACHE",
    };
    size_t i;
    parts_begin(p);
    for (i = 0; i < sizeof params / sizeof *params; i++)
        parts_param(p, params[i][0], params[i][1], NULL);
    for (i = 0; i < sizeof require / sizeof *require; i++) parts_require(p, require[i]);
}

// 20 parameters and 12 restrictions over overlapping pairs and triples, drawn at random.
static void bench_random(space_parts *p, uint64_t seed)
{
    static const char *const forms[] = {
        "%s * %s <= 24",     "%s + %s + %s <= 14",          "(%s * %s) %% %s == 0",
        "%s %% %s == 0",     "%s <= 2 || %s * %s >= 6",     "%s * %s + %s >= 5",
        "%s > 2 ? %s < 6 : %s != 3", "max(%s, %s) <= 6",
    };
    char text[128], names[3][8];
    int i, j;
    parts_begin(p);
    for (i = 0; i < 20; i++) {
        snprintf(text, sizeof text, "P%d", i);
        parts_param(p, text, i % 3 ? "set 1,2,3,4,6,8" : "set 1,2,4,8", NULL);
    }
    for (i = 0; i < 12; i++) {
        int at = (int)gt__random_below(&seed, 20);
        for (j = 0; j < 3; j++) {
            snprintf(names[j], sizeof names[j], "P%d", at % 20);
            at += 1 + (int)gt__random_below(&seed, 6);
        }
        // every form takes two or three names; what it does not take is ignored
        switch (gt__random_below(&seed, 8)) {
        case 0: snprintf(text, sizeof text, forms[0], names[0], names[1]); break;
        case 1: snprintf(text, sizeof text, forms[1], names[0], names[1], names[2]); break;
        case 2: snprintf(text, sizeof text, forms[2], names[0], names[1], names[2]); break;
        case 3: snprintf(text, sizeof text, forms[3], names[0], names[1]); break;
        case 4: snprintf(text, sizeof text, forms[4], names[0], names[1], names[2]); break;
        case 5: snprintf(text, sizeof text, forms[5], names[0], names[1], names[2]); break;
        case 6: snprintf(text, sizeof text, forms[6], names[0], names[1], names[2]); break;
        default: snprintf(text, sizeof text, forms[7], names[0], names[1]); break;
        }
        parts_require(p, text);
    }
}

static bool bench_one(const char *name, space_parts *p)
{
    gputune_space *space;
    double seconds = bench_build(p, 0, &space);
    if (seconds >= 0.0)
        fprintf(stderr, "%s: %.3g combinations, %llu valid, %u words of the diagram\n", name,
                parts_combinations(space),
                (unsigned long long)gputune_space_count(space), (unsigned)space->size);
    gputune_space_destroy(space);
    if (seconds < 0.0) return false;
    printf("result\t%s\t%.3f\tms\n", name, 1e3 * seconds);
    return true;
}

int main(int argc, char **argv)
{
    int found = 0, i;
    bool fine = true;
    char name[64];
    static space_parts p;
#if !defined(_WIN32)
    if (argc > 1) fine = bench_folder(argv[1], &found);
#endif
    (void)argc;
    (void)argv;
    for (i = 0; !found && definitions[i].name; i++)
        fine = bench_definition(definitions[i].name, definitions[i].text) && fine;
    bench_large(&p);
    fine = bench_one("space_1e12_ms", &p) && fine;
#if !defined(_WIN32)
    {
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        printf("result\tspace_1e12_mb\t%.1f\tMB\n", (double)usage.ru_maxrss / 1024.0);
    }
#endif
    for (i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "space_random_%d_ms", i);
        bench_random(&p, (uint64_t)i);
        fine = bench_one(name, &p) && fine;
    }
    return fine ? 0 : 1;
}
