// One device beside several, and one process beside as many: for bench_answer.c, which explains the
// rows. Every run is in a process of its own: CUDA does not survive a fork.
#ifndef BENCH_ANSWER_DEVICES_H
#define BENCH_ANSWER_DEVICES_H

#include "answer.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEVICES_MOST = 32 };

// In memory of all processes; each writes what is its own.
typedef struct devices_told {
    volatile int ready;
    int trials;     // tried by this process
    double seconds; // of the answer, timed again
} devices_told;

typedef struct devices_case {
    const char *api;
    const example_case *kind;
    const char *name;
    int size[3];    // 0: the example's own
    double seconds; // of the budget
} devices_case;

static devices_told *devices_told_by;

static void devices_log(void *user, gputune_log_level level, const char *message)
{
    (void)user;
    if (level <= GPUTUNE_LOG_WARN) fprintf(stderr, "  %s\n", message);
}

// Through OpenCL for bench_answer.c itself: a part of the processor, and a board of that number.
static gputune_device *devices_part(int number, const char *store)
{
    cl_device_partition_property equal[] = { CL_DEVICE_PARTITION_EQUALLY, 1, 0 };
    cl_device_id parts[DEVICES_MOST];
    cl_uint count = 0;
    cl_context context;
    cl_int status;
    gputune_device *whole = bench_device("pocl");
    gputune_cl_desc desc;
    gputune_device *device;
    if (gputune_device_error(whole)->result) return whole;
    memset(&desc, 0, sizeof desc);
    desc.options.store = store;
    desc.options.mode = GPUTUNE_MODE_ON;
    desc.options.tuning_seconds = 1e6; // further tunings do not wait
    desc.options.log = devices_log;
    if (clCreateSubDevices(gputune_cl_device_id(whole), equal, DEVICES_MOST, parts, &count) ||
        (int)count <= number) {
        gputune_error error;
        memset(&error, 0, sizeof error);
        gputune_error_set(&error, GPUTUNE_ERROR_NO_DEVICE, "no part %d of the processor", number);
        gputune_device_destroy(whole);
        return gputune_device_create_failed(NULL, &error);
    }
    context = clCreateContext(NULL, 1, &parts[number], NULL, NULL, &status);
    if (!status)
        desc.queue = clCreateCommandQueue(context, parts[number], CL_QUEUE_PROFILING_ENABLE,
                                          &status);
    device = gputune_cl_device_create(&desc);
    snprintf(device->limits.board, sizeof device->limits.board, "part %d", number);
    gputune_device_destroy(whole);
    return device;
}

static gputune_device *devices_open(const char *api, int number, const char *store)
{
    gputune_cuda_desc desc;
    if (strcmp(api, "cuda") != 0) return devices_part(number, store);
    memset(&desc, 0, sizeof desc);
    desc.options.store = store;
    desc.options.mode = GPUTUNE_MODE_ON;
    desc.options.tuning_seconds = 1e6; // further tunings do not wait
    desc.options.log = devices_log;
    desc.device = number;
    return gputune_cuda_device_create(&desc);
}

// Ends with how many devices there are that are like the first; 0: none, and says why.
static void devices_count(const char *api)
{
    gputune_device *first = devices_open(api, 0, ""), *next;
    int count = 0;
    if (gputune_device_error(first)->result) {
        fprintf(stderr, "bench_answer: no device: %s\n", gputune_device_error(first)->text);
        _exit(0);
    }
    fprintf(stderr, "  %s\n", gputune_device_limits(first)->name);
    while (++count < DEVICES_MOST) {
        next = devices_open(api, count, "");
        if (gputune_device_error(next)->result ||
            strcmp(gputune_device_limits(next)->name, gputune_device_limits(first)->name) != 0)
            break;
    }
    _exit(count);
}

static bool devices_progress(void *user, const gputune_progress *p)
{
    devices_told *told = (devices_told *)user;
    told->trials += strcmp(p->phase, "search") == 0 && p->last;
    return true;
}

// One first run, of `processes` that begin together, on the device of its number; with more than
// one of `devices` on so many from there on.
static void devices_tune(const devices_case *c, int number, int processes, int devices,
                         const char *store)
{
    gputune_device *device = devices_open(c->api, number, store), *more[DEVICES_MOST] = { NULL };
    devices_told *told = &devices_told_by[number];
    gputune_kernel_desc desc = case_desc(c->kind);
    const gputune_outcome *o;
    gputune_kernel *kernel;
    gputune_stats stats;
    case_data data;
    char why[256], text[512];
    int i, ready = 0;
    if (gputune_device_error(device)->result)
        answer_fail(c->api, gputune_device_error(device)->text);
    if (!case_make(&data, c->kind, device, c->size[0] ? c->size : case_size(c->kind, device), 1))
        answer_fail(c->name, gputune_device_error(device)->text);
    for (i = 1; i < devices; i++) more[i - 1] = devices_open(c->api, number + i, "");
    desc.tune.devices = devices > 1 ? more : NULL;
    desc.tune.budget.seconds = c->seconds;
    desc.tune.budget.all = true;
    desc.tune.progress = devices_progress;
    desc.tune.user = told;
    told->ready = 1;
    while (ready < processes) {
        gputune_sleep(1e-3);
        for (i = ready = 0; i < processes; i++) ready += devices_told_by[i].ready != 0;
    }
    kernel = gputune_kernel_create(device, &desc);
    if (gputune_run(kernel, data.args, data.arg_count) != GPUTUNE_OK)
        answer_fail(c->name, gputune_kernel_error(kernel)->text);
    if (!case_check(&data, 500, why, sizeof why)) answer_fail("wrong output", why);
    o = gputune_kernel_outcome(kernel);
    gputune_config_text(&o->config, text, sizeof text);
    if (o->origin == GPUTUNE_FROM_DEFAULT) answer_fail(c->name, "no answer: it runs the default");
    if (gputune_kernel_time(kernel, &o->config, data.args, data.arg_count, 31, &stats))
        answer_fail(c->name, gputune_kernel_error(kernel)->text);
    told->seconds = stats.median;
    fprintf(stderr, "  %s, %d of %d, %d devices: %d trials, %.3f us: %s\n", c->name, number + 1,
            processes, devices, told->trials, 1e6 * told->seconds, text);
    gputune_kernel_destroy(kernel);
    case_free(&data);
    for (i = 0; more[i]; i++) gputune_device_destroy(more[i]);
    gputune_device_destroy(device);
}

// All trials of such a run; what each process has found is in devices_told_by.
static int devices_run(const devices_case *c, int processes, int devices)
{
    char folder[] = "/tmp/gputune-answer-XXXXXX", store[64], command[96];
    pid_t children[DEVICES_MOST], ended;
    int i, status, failed = 0, trials = 0;
    if (!mkdtemp(folder)) answer_fail(folder, "cannot be made");
    snprintf(store, sizeof store, "%s/store.txt", folder);
    memset(devices_told_by, 0, DEVICES_MOST * sizeof *devices_told_by);
    fflush(stdout);
    for (i = 0; i < processes; i++) {
        children[i] = fork();
        if (children[i] != 0) continue;
        devices_tune(c, i, processes, devices, store);
        exit(0);
    }
    while ((ended = wait(&status)) > 0) { // where one fails nobody waits for it
        failed = failed || status != 0;
        for (i = 0; i < processes; i++) {
            if (children[i] == ended) children[i] = 0;
            if (failed && children[i] > 0) kill(children[i], SIGKILL);
        }
    }
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    if (system(command) != 0 || failed) answer_fail(c->name, "a run has failed");
    for (i = 0; i < processes; i++) trials += devices_told_by[i].trials;
    return trials;
}

static void devices_kernel(const devices_case *c, int count)
{
    devices_case longer = *c;
    double one, all, best, each[DEVICES_MOST];
    char what[32];
    int trials[3], i;
    longer.seconds *= 3;
    devices_run(&longer, 1, count);
    best = devices_told_by->seconds;
    trials[0] = devices_run(c, 1, 1);
    one = devices_told_by->seconds;
    trials[1] = devices_run(c, 1, count);
    all = devices_told_by->seconds;
    trials[2] = devices_run(c, count, 1);
    best = fmin(best, fmin(one, all));
    for (i = 0; i < count; i++) best = fmin(best, each[i] = devices_told_by[i].seconds);
    answer_row("one_trials", c->name, trials[0], "trials");
    answer_row("devices_trials", c->name, trials[1], "trials");
    answer_row("processes_trials", c->name, trials[2], "trials");
    answer_row("devices_ratio", c->name, (double)trials[1] / trials[0], "x");
    answer_row("processes_ratio", c->name, (double)trials[2] / trials[0], "x");
    answer_row("best_us", c->name, 1e6 * best, "us");
    answer_row("one_loss", c->name, one / best - 1, "");
    answer_row("devices_loss", c->name, all / best - 1, "");
    for (i = 0; i < count; i++) {
        snprintf(what, sizeof what, "process_%d_loss", i + 1);
        answer_row(what, c->name, each[i] / best - 1, "");
    }
}

static int answer_devices(const char *api, double seconds)
{
    devices_case sgemm = { api, case_find("sgemm"), "sgemm", { 0, 0, 0 }, seconds };
    devices_case filter = { api, case_find("convolution"), "convolution31", { 0, 0, 31 }, seconds };
    int status = 0, count, i;
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child == 0) devices_count(api);
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
        answer_fail("devices", "they could not be counted");
    count = WEXITSTATUS(status);
    if (count < 2) {
        fprintf(stderr, "bench_answer: devices needs two of one kind through %s; there %s %d\n",
                api, count ? "is" : "are", count);
        return 1;
    }
    devices_told_by = (devices_told *)mmap(NULL, DEVICES_MOST * sizeof *devices_told_by,
                                           PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                                           0);
    if (devices_told_by == MAP_FAILED) answer_fail("devices", "no memory to share");
    printf("result\tdevices\t%d\tdevices\n", count);
    for (i = 0; i < 2; i++)
        filter.size[i] = strcmp(api, "cuda") ? filter.kind->small[i] : filter.kind->large[i];
    devices_kernel(&sgemm, count);
    devices_kernel(&filter, count);
    return 0;
}

#endif
