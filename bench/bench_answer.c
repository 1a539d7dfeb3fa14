// How soon the answer is there.
//
//     sh bench/run.sh answer processes [PROCESSES]
//     sh bench/run.sh answer devices [SECONDS]
//     sh bench/run.sh answer [--base FOLDER] [relatives] cuda|opencl|pocl [KERNEL|all [SEEDS
//         [SECONDS]]]
//
// --base: an older gputune's sources (see bench/README.md), which then searches for SECONDS, too;
// rows base_..., by the lower of both versions' best_us_K.
// KERNEL (a part of the name) is one of the examples' sgemm, convolution, reduction, transpose and
// spmv, and through CUDA nbody, polygon, layernorm and dedisperse, too: searches of SECONDS (10)
// with seeds 1 to SEEDS (3), one three times as long, and one with the default budget, each of a
// kernel made anew, with a store in memory. Outputs are compared with plain C.
//     compiles_N_K         programs a second with N threads, drawn at random, nothing else running
//     best_us_K            the best winner of all these searches, by its race
//     seconds_5_K, _1_K    until a trial is within 5 %, 1 % of it, medians; a run that never is
//                          counts as SECONDS:  missed_5_K, missed_1_K
//     trials_5_K, _1_K     the same in trials, the default's and that one counted; all of a run
//                          that never is
//     trials_rate_K        trials a second of the search;   loss_K  of the winner to the best
//     first_run_K, first_trials_K, first_loss_K             the default budget's
//
// relatives: first a search of each kernel at half of the size (of each extent over 100), with the
// default budget. Its answer is in a store that teaches searches of the size itself, with seeds 1
// to SEEDS. As many others know nothing, and a further one of these has the default budget (seed
// 0). The best is the best of all. A taught search ends with a trial within 2 % of what the others
// found. The rows above are of the others; there are none of compilers.
//     relative_starts_K    configurations that a taught search was to begin with, and how many it
//     relative_tried_K     tried, in the search that tried least. None: the bench fails at last,
//                          unless the default ended it
//     relative_seconds_5_K, relative_trials_5_K, relative_missed_5_K      of the taught searches
//     stop_R_trials_K      until R (40, 80) trials without a gain of 1 %: mean over the others. A
//                          search that ended before counts whole
//     stop_R_met_K         searches that did not end before
//     stop_R_seconds_K     until then, without a race
//     stop_R_loss_K        of the best trial by then to the best of all
//     stop_R_cost_K        these seconds, and what 1,000 launches lose;   stop_sum_R: all kernels'
//     seed_I_WHAT_K        of the other search with seed I, until its last trial; WHAT:
//         trials, rate         configurations tried; those a second
//         waiting              seconds in which the calling thread waits for compilers
//         launches, data       in which it launches and waits; copies, fills and compares
//         loading, rest        in which it loads what was compiled; of all else: questions
//         longest              most seconds of a trial, from the end of the one before
//         threads              that compile, mean
//         compile, compile_most     seconds of a program, median and most
//         failed, dropped      shares of the trials. Dropped: the first launch took over twice the
//                              best's time, and there was no other
//         dropped_launches     seconds of these launches
// The environment variable ANSWER_LOG names a file that gets a line for each trial: kernel, alone
// or taught, seed, number, seconds at its end and since the one before; of these waiting, launches,
// data; seconds of compiling; value, result, configuration.
//
// processes: one kernel on replayed devices that are told apart, tuned at the same time by so many
// processes (4) that share a store, against one alone. Compiling takes 10 ms of the machine's time,
// nothing else takes any: on few processors the rate is that of the trial log, not of a compiler.
//
// Rows: result<TAB>processes.name<TAB>value<TAB>unit
//   trials_N      configurations tried by N processes together, the default once for each
//   rate_N        those a second, from the first's start to the last's end
//   rate          times one's
//   repeated      configurations tried more than once, the default and the race apart
//
// devices: sgemm and a convolution with a filter of 31 x 31 (convolution31) through CUDA, default
// strategy, SECONDS (10): one device beside all of the machine that are like it, through
// .tune.devices, and one process beside as many as there are devices, which share a store. Needs
// two. A third word, pocl, has cores of the processor in place of GPUs: to try this bench itself.
//   devices                             of one kind
//   one_trials_K, devices_trials_K, processes_trials_K     configurations tried (each process's
//                                       default counts); devices_ratio_K, processes_ratio_K: times
//                                       one's
//   best_us_K                           the best answer of these and of all devices in three times
//                                       the seconds, each timed again, 31 launches
//   one_loss_K, devices_loss_K, process_I_loss_K           of the answer to that, in each process
#define _GNU_SOURCE
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "answer_devices.h"
#include "answer_relatives.h"

#include <stdio.h>
#include <stdlib.h>

enum { VALUES = 32, PROCESSES_MOST = 32 };

typedef struct shared {
    volatile int ready[PROCESSES_MOST], tried[PROCESSES_MOST][VALUES * VALUES];
    volatile int failed;
} shared;

static shared *board;
static int self, processes;

static bool racing;

static void trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    const int a = (int)gputune_config_int(config, "A"), b = (int)gputune_config_int(config, "B");
    (void)user;
    trial->seconds = 1e-3 * (1 + 0.01 * abs(a - 20) + 0.02 * abs(b - 11));
    if (trial->items > 0) return;
    if (!racing) board->tried[self][VALUES * (a - 1) + b - 1]++;
    gputune_sleep(0.01);
}

static bool progress(void *user, const gputune_progress *p)
{
    int i, ready = 0;
    (void)user;
    racing = strcmp(p->phase, "race") == 0;
    if (board->ready[self] || strcmp(p->phase, "search") != 0) return true;
    board->ready[self] = 1; // the default is measured: all begin together
    while (ready < processes) {
        gputune_sleep(1e-4);
        for (i = ready = 0; i < processes; i++) ready += board->ready[i];
    }
    return true;
}

static int work(const char *store)
{
    static const gputune_param params[] = { { "A", "range 1,32", "1" },
                                            { "B", "range 1,32", "1" },
                                            { NULL, NULL, NULL } };
    float out[64];
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[1];
    gputune_result result;
    memset(&replay, 0, sizeof replay);
    memset(&desc, 0, sizeof desc);
    memset(out, 0, sizeof out);
    snprintf(replay.limits.board, sizeof replay.limits.board, "%d", self);
    replay.options.store = store;
    replay.trial = trial;
    device = gputune_replay_device_create(&replay);
    desc.name = "answer";
    desc.params = params;
    desc.global = "64";
    desc.local = "1";
    desc.signature = "float *out";
    desc.tune.progress = progress;
    desc.tune.budget.trials = 200;
    desc.tune.budget.seconds = -1;
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    kernel = gputune_kernel_create(device, &desc);
    args[0] = gputune_out(out, sizeof out);
    result = gputune_tune(kernel, args, 1);
    if (result) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return result != GPUTUNE_OK;
}

static bool run(int count, double *rate, int *repeated)
{
    char folder[] = "/tmp/gputune-answer-XXXXXX", store[64], command[96];
    double begin;
    int i, k, status, trials = 0;
    if (!mkdtemp(folder)) return false;
    snprintf(store, sizeof store, "%s/store.txt", folder);
    memset(board, 0, sizeof *board);
    processes = count;
    begin = gputune_now();
    for (i = 0; i < count; i++) {
        self = i;
        if (fork() == 0) _exit(work(store));
    }
    while (wait(&status) > 0) board->failed += status != 0;
    *rate = gputune_now() - begin;
    for (*repeated = k = 0; k < VALUES * VALUES; k++) {
        int times = 0;
        for (i = 0; i < count; i++) times += board->tried[i][k];
        trials += times > 0 ? 1 : 0;
        *repeated += k && times > 1;
    }
    trials += count - 1; // each one's default
    *rate = trials / *rate;
    printf("result\tprocesses.trials_%d\t%d\ttrials\n", count, trials);
    printf("result\tprocesses.rate_%d\t%.1f\ttrials/s\n", count, *rate);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command) == 0 && !board->failed;
}

static int answer_processes(int count)
{
    double alone, together;
    int repeated;
    board = (shared *)mmap(NULL, sizeof *board, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                           -1, 0);
    if (board == MAP_FAILED || !run(1, &alone, &repeated) || !run(count, &together, &repeated))
        return 1;
    printf("result\tprocesses.rate\t%.2f\tx\n", together / alone);
    printf("result\tprocesses.repeated\t%d\tconfigurations\n", repeated);
    return 0;
}

int main(int argc, char **argv)
{
    const bool relatives = argc > 2 && strcmp(argv[1], "relatives") == 0;
    if (relatives) argc--, argv++;
    const char *what = argc > 1 ? argv[1] : "", *kernel = argc > 2 ? argv[2] : "all";
    const int count = argc > 2 ? atoi(argv[2]) : 4, seeds = argc > 3 ? atoi(argv[3]) : 3;
    const double seconds = argc > 4 ? atof(argv[4]) : 10;
    if (strcmp(what, "processes") == 0 && count > 0 && count <= PROCESSES_MOST)
        return answer_processes(count);
    if (strcmp(what, "devices") == 0 && (argc < 3 || atof(argv[2]) > 0))
        return answer_devices(argc > 3 ? argv[3] : "cuda", argc > 2 ? atof(argv[2]) : 10);
    if ((strcmp(what, "cuda") && strcmp(what, "opencl") && strcmp(what, "pocl")) || seeds < 1 ||
        seeds > ANSWER_SEEDS || !(seconds > 0)) {
        fprintf(stderr, "usage: sh bench/run.sh answer processes [PROCESSES]\n"
                        "       sh bench/run.sh answer devices [SECONDS]\n"
                        "       sh bench/run.sh answer [relatives] cuda|opencl|pocl [KERNEL|all "
                        "[SEEDS [SECONDS]]]\n");
        return 2;
    }
    setenv("POCL_KERNEL_CACHE", "0", 0); // else a search would find what the one before compiled
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    if (relatives)
        answer_relatives(what, strcmp(kernel, "all") ? kernel : "", seeds, seconds);
    else
        answer_kernels(answer_kernel, what, strcmp(kernel, "all") ? kernel : "", seeds, seconds);
    return 0;
}
