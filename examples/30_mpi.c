// Several machines, one search: MPI's rank 0 asks and tells, the others measure, each on a device
// of its own. Here that is the processor, which counts how often 60,000 numbers collide in a hash
// table; the search is for the hash function. Alone, without mpirun, rank 0 measures, too.
//
//     mpicc -std=gnu99 -O2 -I. examples/30_mpi.c -o mpi -lm
//     mpirun -n 4 --enable-recovery ./mpi [MILLISECONDS that each trial takes at least]
//
// It prints:
//     20196 collisions with FACTOR=2654435761 SHIFT=31: 93 trials, 0 failed, in 0.22 s
//
// A rank that dies or is silent for 5 s costs its trial. What MPI does not let live: without
// --enable-recovery Open MPI 4 ends all with the first; who dies in MPI_Init stops all; as
// MPI_Finalize would wait for the dead nobody calls it; rank 0 is the search (named, it resumes).
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <mpi.h>

enum { RANKS = 1024, SILENT = 5, END = -1, QUIT = -2 }; // END, QUIT: in place of a question
static const gputune_param params[] = { { "FACTOR", "set 69069,16777619,2654435761", "69069" },
                                        { "SHIFT", "range 1,31", "1" },
                                        { 0 } };

// The work of one trial: numbers that meet another one in their place.
static double measure(const gputune_config *config, double seconds)
{
    int used[1 << 16] = { 0 };
    int count = 0;
    for (uint32_t i = 0; i < 60000; i++) {
        const uint32_t key = i * i, mixed = key ^ key >> gputune_config_int(config, "SHIFT");
        const uint32_t place = mixed * (uint32_t)gputune_config_int(config, "FACTOR") >> 16;
        count += used[place]++ > 0;
    }
    return gputune_sleep(seconds), count;
}

// All other ranks: questions are indices in the space that everybody has. Returns the last one.
static int64_t work(double seconds)
{
    const gputune_space *space = gputune_space_create(&(gputune_space_desc){ .params = params });
    int64_t index = END;
    MPI_Status s;
    while (!MPI_Recv(&index, 1, MPI_INT64_T, 0, 0, MPI_COMM_WORLD, &s) && index >= 0) {
        const gputune_config config = gputune_space_at(space, (uint64_t)index);
        const double value = measure(&config, seconds);
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    return index;
}

// Rank 0: who is free is asked, who is silent is lost. Returns whether anybody is.
static bool lead(gputune_tuner *tuner, int ranks)
{
    static struct { gputune_config config; double since; bool open, lost; } of[RANKS];
    int64_t end = END;
    double value;
    int open, come, r;
    MPI_Status s;
    do {
        for (open = 0, r = 1; r < ranks; open += of[r++].open) {
            if (of[r].open && MPI_Wtime() - of[r].since > SILENT) {
                gputune_tell_failed(tuner, &of[r].config, GPUTUNE_ERROR_CRASHED, "a lost rank");
                of[r].open = false, of[r].lost = true, end = QUIT;
            }
            if (of[r].open || of[r].lost || gputune_ask(tuner, &of[r].config) != GPUTUNE_ASK_CONFIG)
                continue;
            uint64_t index;
            gputune_space_index(gputune_tuner_space(tuner), &of[r].config, &index);
            MPI_Send(&index, 1, MPI_UINT64_T, r, 0, MPI_COMM_WORLD);
            of[r].since = MPI_Wtime(), of[r].open = true;
        }
        while (!MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &come, &s) && come) {
            MPI_Recv(&value, 1, MPI_DOUBLE, r = s.MPI_SOURCE, 0, MPI_COMM_WORLD, &s);
            if (of[r].open) gputune_tell(tuner, &of[r].config, value); // else it is too late
            of[r].open = false;
        }
        gputune_sleep(2e-4);
    } while (open);
    for (r = 1; r < ranks; r++)
        if (!of[r].lost) MPI_Send(&end, 1, MPI_INT64_T, r, 0, MPI_COMM_WORLD);
    return end == QUIT;
}

int main(int argc, char **argv)
{
    const double seconds = argc > 1 ? 1e-3 * atof(argv[1]) : 0;
    int rank, ranks, trials = 0, failed = 0;
    char text[64];
    gputune_config best;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (rank > 0) return work(seconds) == QUIT ? (_exit(0), 0) : MPI_Finalize();
    gputune_tuner *tuner = gputune_tuner_create(&(gputune_tuner_desc){
        .space.params = params, .tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE, .race = -1 });
    const double begin = MPI_Wtime();
    const bool lost = lead(tuner, ranks);
    while (gputune_ask(tuner, &best) == GPUTUNE_ASK_CONFIG) // alone, or all others are lost
        gputune_tell(tuner, &best, measure(&best, seconds));
    const double took = MPI_Wtime() - begin;
    for (const gputune_trial *t; (t = gputune_tuner_trial(tuner, trials)); trials++)
        failed += t->result != GPUTUNE_OK;
    if (gputune_tuner_best(tuner, &best) == GPUTUNE_OK)
        printf("%.0f collisions with %s: %d trials, %d failed, in %.2f s\n", measure(&best, 0),
               gputune_config_text(&best, text, sizeof text), trials, failed, took);
    gputune_tuner_destroy(tuner);
    fflush(stdout);
    return lost ? (_exit(0), 0) : MPI_Finalize();
}
