// A space with restrictions, counted, listed and sampled without walking through all combinations:
// that of CLBlast's matrix product, as Kernel Tuner's collection has it.
//
//     cc -std=c99 -O2 -I. examples/24_space.c -o space -lm
//     ./space; ./space all
//
// It prints:
//     116928 combinations are valid:
//          0  MWG=16 NWG=16 KWG=16 MDIMC=8 NDIMC=8 MDIMA=8 NDIMB=8 VWM=1 VWN=1 STRM=0 STRN=0 ...
//          1  MWG=16 NWG=16 KWG=16 MDIMC=8 NDIMC=8 MDIMA=8 NDIMB=8 VWM=1 VWN=2 STRM=0 STRN=0 ...
//     two, drawn uniformly:
//      47730  MWG=64 NWG=32 KWG=32 MDIMC=16 NDIMC=16 MDIMA=32 NDIMB=16 VWM=2 VWN=1 STRM=0 ...
//      29804  MWG=16 NWG=128 KWG=32 MDIMC=16 NDIMC=16 MDIMA=16 NDIMB=16 VWM=1 VWN=4 STRM=0 ...
#define GPUTUNE_SPACE_IMPLEMENTATION
#include "gputune.h"
#include <stdio.h>

static const gputune_param params[] = {
    { "MWG", "erange 16,128,2", NULL }, { "NWG", "erange 16,128,2", NULL }, // tile of a work-group
    { "KWG", "set 16,32", NULL },
    { "MDIMC", "erange 8,32,2", NULL }, { "NDIMC", "erange 8,32,2", NULL }, // work-group
    { "MDIMA", "erange 8,32,2", NULL }, { "NDIMB", "erange 8,32,2", NULL }, // as it loads
    { "VWM", "erange 1,8,2", NULL },    { "VWN", "erange 1,8,2", NULL },    // width of vectors
    { "STRM", "bool", NULL },           { "STRN", "bool", NULL },           // strided access
    { "SA", "bool", NULL },             { "SB", "bool", NULL },             // local memory
    { NULL, NULL, NULL }
};
static const char *const restrictions[] = {
    "MWG % (MDIMC * VWM) == 0",          "NWG % (NDIMC * VWN) == 0",
    "MWG % (MDIMA * VWM) == 0",          "NWG % (NDIMB * VWN) == 0",
    "KWG % (MDIMC * NDIMC / MDIMA) == 0", "KWG % (MDIMC * NDIMC / NDIMB) == 0",
    "!(MWG == 128 && NWG == 128 && MDIMC == 8 && NDIMC == 8)", NULL
};

static void print(const gputune_space *space, uint64_t index)
{
    const gputune_config config = gputune_space_at(space, index);
    char text[256];
    printf("%6d  %s\n", (int)index, gputune_config_text(&config, text, sizeof text));
}

int main(int argc, char **argv)
{
    const gputune_space_desc desc = { .params = params, .require = restrictions };
    gputune_space *space = gputune_space_create(&desc);
    const uint64_t count = gputune_space_count(space), most = argc > 1 && *argv[1] ? count : 2;
    if (!count) return fprintf(stderr, "%s\n", gputune_space_error(space)->text), 1;
    printf("%d combinations are valid:\n", (int)count);
    for (uint64_t i = 0; i < most; i++) print(space, i);
    uint64_t state = 1, drawn[2]; // any seed
    gputune_space_sample(space, &state, false, drawn, 2);
    puts("two, drawn uniformly:");
    for (int i = 0; i < 2; i++) print(space, drawn[i]);
    gputune_space_destroy(space);
    return 0;
}
