// Several questions at once: three workers try configurations at the same time, and answer in
// whatever order they like. Here the workers are processes of this very program, which count how
// often 60,000 words collide in a hash table; the search is for the hash function.
//
//     cc -std=c99 -O2 -I. examples/25_workers.c -o workers -lm
//     ./workers
//
// It prints:
//     default  23155 collisions with FACTOR=31 SHIFT=16
//     best     14191 collisions with FACTOR=16777619 SHIFT=31, up to 3 at once
#define _POSIX_C_SOURCE 200809L
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORKERS = 3, WORDS = 60000, TABLE = 1 << 16 };

// The work of one trial: words that meet another one in their place.
static int collisions(uint32_t factor, int shift)
{
    static unsigned char used[TABLE];
    int count = 0;
    for (int i = 0; i < WORDS; i++) {
        char word[16];
        snprintf(word, sizeof word, "word%d", i);
        uint32_t hash = 1;
        for (const char *at = word; *at; at++) hash = hash * factor + (unsigned char)*at;
        hash = (hash ^ hash >> shift) % TABLE;
        count += used[hash];
        used[hash] = 1;
    }
    return count;
}

// Starts a worker, which may as well be a machine far away.
static FILE *start(const char *program, const gputune_config *config)
{
    char command[512];
    snprintf(command, sizeof command, "'%s' %lld %lld", program,
             (long long)gputune_config_int(config, "FACTOR"),
             (long long)gputune_config_int(config, "SHIFT"));
    return popen(command, "r");
}

// Waits for its answer. No answer is one, too.
static gputune_result tell(gputune_tuner *tuner, const gputune_config *config, FILE *worker)
{
    int count = 0;
    const bool answered = worker && fscanf(worker, "%d", &count) == 1;
    if (worker) pclose(worker);
    if (answered) return gputune_tell(tuner, config, count);
    return gputune_tell_failed(tuner, config, GPUTUNE_ERROR_LAUNCH, "the worker did not answer");
}

int main(int argc, char **argv)
{
    if (argc == 3) return printf("%d\n", collisions((uint32_t)atoi(argv[1]), atoi(argv[2]))) < 0;

    static const gputune_param params[] = { { "FACTOR", "set 31,33,37,131,16777619", "31" },
                                            { "SHIFT", "range 1,31", "16" },
                                            { 0 } };
    gputune_tuner *tuner = gputune_tuner_create(
        &(gputune_tuner_desc){ .space = { .params = params }, .tune.budget.trials = 60,
                               .race = -1 }); // a count is exact: nothing is asked again
    gputune_config asked[WORKERS], best;
    FILE *worker[WORKERS];
    int open = 0, next = 0, most = 0; // in use: `open` of them, the last one before `next`
    for (;;) {
        if (open < WORKERS && gputune_ask(tuner, &asked[next]) == GPUTUNE_ASK_CONFIG) {
            worker[next] = start(argv[0], &asked[next]);
            next = (next + 1) % WORKERS;
            most = ++open > most ? open : most;
        } else if (open) { // all are busy, or the search waits for an answer, or it is over
            const int oldest = (next + WORKERS - open--) % WORKERS;
            tell(tuner, &asked[oldest], worker[oldest]);
        } else {
            break; // nothing is asked and all is told
        }
    }
    char text[64];
    const bool ok = gputune_tuner_best(tuner, &best) == GPUTUNE_OK;
    for (int i = 0; ok && gputune_tuner_trial(tuner, i); i++) {
        const gputune_trial *trial = gputune_tuner_trial(tuner, i);
        gputune_config_text(&trial->config, text, sizeof text);
        if (i == 0) printf("default  %5.0f collisions with %s\n", trial->value, text);
        if (memcmp(&trial->config, &best, sizeof best) == 0)
            printf("best     %5.0f collisions with %s, up to %d at once\n", trial->value, text,
                   most);
    }
    if (!ok) fprintf(stderr, "%s\n", gputune_tuner_error(tuner)->text);
    gputune_tuner_destroy(tuner);
    return !ok;
}
