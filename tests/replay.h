// The replay device as a GPU is: queues on which launches are under way at once, what a timed
// launch costs beside its own time, kernels that do a part of their grid, compiling in two steps.
#ifndef REPLAY_H
#define REPLAY_H

#include "gputune.h"

enum { RIG_QUEUES = 2 }; // beside the program's own

typedef struct rig_ticket {
    struct rig_ticket *next;
    gputune_span span;
    bool loses; // the device is lost when it ends
} rig_ticket;

typedef struct rig_gpu {
    gt__replay replay; // all that the device itself is
    void (*trial)(void *user, const gputune_config *config, gputune_replay_trial *trial);
    void *user;
    double overhead;              // s of each launch that is timed
    double ready[RIG_QUEUES + 1]; // when each queue has done all that is on it
    rig_ticket *tickets;
    gputune_result flaw; // of the last launch
} rig_gpu;

static const gputune_driver_launch *test_launch(const gputune_replay_trial *trial)
{
    return ((const gt__replay_asked *)(const void *)trial)->launch;
}

static void rig_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    rig_gpu *gpu = (rig_gpu *)user;
    gpu->trial(gpu->user, config, trial);
    if (test_launch(trial)) gpu->flaw = trial->result; // other threads only compile
}

// --- parts of grids ---

// What the device writes, over and over: (i * 31 + 7) & 0x3f.
static const unsigned char rig_bytes[64] = {
    7, 38, 5, 36, 3, 34, 1, 32, 63, 30, 61, 28, 59, 26, 57, 24, 55, 22, 53, 20, 51, 18, 49, 16,
    47, 14, 45, 12, 43, 10, 41, 8, 39, 6, 37, 4, 35, 2, 33, 0, 31, 62, 29, 60, 27, 58, 25, 56, 23,
    54, 21, 52, 19, 50, 17, 48, 15, 46, 13, 44, 11, 42, 9, 40
};

// Bytes [from, to) of an output, as the device writes them in one go.
static void rig_fill(const gputune_bound_arg *arg, size_t from, size_t to)
{
    unsigned char *bytes = (unsigned char *)arg->handle;
    size_t i, next;
    if (arg->kind == GPUTUNE_ARG_OUT)
        for (i = from; i < to; i = next) {
            next = i / 64 * 64 + 64 < to ? i / 64 * 64 + 64 : to;
            memcpy(bytes + i, rig_bytes + i % 64, next - i);
        }
    else
        for (i = (from + 7) / 8 * 8; i < to; i += 8) bytes[i] ^= 1;
}

// What work-groups [begin, end) of a grid write of an output, counted through: together all write
// each byte once. A power of two of work-items has a byte, or one of bytes each, so that kernels
// with other work-groups share them in the same way; the last has what is left. Returns the last
// byte that was written, of a whole float if there is one (little-endian: its exponent);
// arg->bytes: none.
static size_t rig_share(const gputune_bound_arg *arg, const gputune_grid *grid, uint64_t begin,
                        uint64_t end, uint64_t total)
{
    uint64_t items = grid->size[0] * grid->size[1] * grid->size[2];
    uint64_t each = grid->local[0] * grid->local[1] * grid->local[2];
    size_t from, to = arg->bytes;
    int up = 0, down = 0;
    while (arg->bytes << up < items) up++;
    while (arg->bytes >> (down + 1) >= items) down++;
    from = (size_t)(begin * each >> up << down);
    if (end < total) to = (size_t)(end * each >> up << down);
    if (to > arg->bytes) to = arg->bytes;
    if (from >= to) return arg->bytes;
    rig_fill(arg, from, to);
    return to / 4 * 4 > from ? to / 4 * 4 - 1 : to - 1;
}

// The shares of a part's work-groups, row by row. A kernel that misbehaves spoils the last byte, or
// one behind the buffer.
static void rig_write(const gputune_bound_arg *arg, const gputune_grid *grid, gputune_result flaw)
{
    unsigned char *bytes = (unsigned char *)arg->handle;
    uint64_t groups[3], total = 1, y, z;
    size_t last = arg->bytes, written;
    int d;
    if (!gt__is_output(arg->kind) || !arg->bytes) return;
    for (d = 0; d < 3; d++) {
        groups[d] = (grid->size[d] + grid->local[d] - 1) / grid->local[d];
        total *= groups[d];
    }
    for (z = grid->begin[2]; z < grid->end[2]; z++)
        for (y = grid->begin[1]; y < grid->end[1] && grid->begin[0] < grid->end[0]; y++) {
            uint64_t row = (z * groups[1] + y) * groups[0];
            written = rig_share(arg, grid, row + grid->begin[0], row + grid->end[0], total);
            if (written < arg->bytes) last = written;
        }
    if (flaw == GPUTUNE_ERROR_WRONG_OUTPUT && last < arg->bytes) bytes[last] ^= 0x40;
    if (flaw == GPUTUNE_ERROR_OUT_OF_BOUNDS) bytes[arg->bytes] = 0x11;
}

// The device itself does whole grids: of a part it is shown no arguments.
static gputune_driver_launch rig_shown(const gputune_driver_launch *launch)
{
    gputune_driver_launch shown = *launch;
    if (launch->grid) shown.arg_count = 0;
    return shown;
}

static void rig_write_part(const rig_gpu *gpu, const gputune_driver_launch *launch)
{
    int i;
    for (i = 0; launch->grid && i < launch->arg_count; i++)
        rig_write(&launch->args[i], launch->grid, gpu->flaw);
}

static gputune_result rig_time(void *self, void *code, const gputune_driver_launch *launch,
                               int batch, double time_limit, double hang_limit, double *seconds,
                               gputune_error *error)
{
    rig_gpu *gpu = (rig_gpu *)self;
    const gputune_driver_launch shown = rig_shown(launch);
    gputune_result result;
    int i;
    if (gpu->ready[1] > gpu->replay.clock) gpu->replay.clock = gpu->ready[1]; // the trials' queue
    if (launch->series) {
        const double begin = gpu->replay.clock;
        result = GPUTUNE_OK;
        for (i = 0; i < batch && result == GPUTUNE_OK; i++)
            result = launch->series->run(launch->series->user, 1, gpu, error);
        if (gpu->ready[1] > gpu->replay.clock) gpu->replay.clock = gpu->ready[1];
        *seconds = gpu->replay.clock - begin;
        return result;
    }
    result = gt__replay_time(self, code, &shown, batch, time_limit, hang_limit, seconds,
                             error);
    if (result != GPUTUNE_OK && result != GPUTUNE_ERROR_TIMEOUT) return result;
    for (i = 0; i < batch; i++) rig_write_part(gpu, launch);
    gpu->replay.clock += gpu->overhead;
    return result;
}

// --- queues: they do not slow each other down ---

static void rig_drop(rig_gpu *gpu, rig_ticket *ticket)
{
    rig_ticket **at = &gpu->tickets;
    while (*at != ticket) at = &(*at)->next;
    *at = ticket->next;
    gt__free(&gpu->replay.base, ticket);
}

static double rig_noisy(gt__replay *replay, double seconds)
{
    if (!(replay->desc.noise > 0)) return seconds;
    return seconds * fmax(0.1, 1.0 + replay->desc.noise * gt__random_normal(&replay->random));
}

static gputune_result rig_submit(void *self, void *code, const gputune_driver_launch *launch,
                                 int queue, void **ticket, gputune_error *error)
{
    rig_gpu *gpu = (rig_gpu *)self;
    gt__replay *replay = &gpu->replay;
    const gputune_driver_launch shown = rig_shown(launch);
    rig_ticket *made = NULL;
    gputune_replay_trial trial;
    gputune_result result;
    double begin;
    assert(queue >= 0 && queue <= RIG_QUEUES);
    if (ticket) *ticket = NULL;
    if (ticket && !(made = (rig_ticket *)gt__alloc(&replay->base, 1, sizeof *made)))
        return gt__oom(error);
    result = gt__replay_do(replay, code, &shown, &trial, error);
    if (result != GPUTUNE_OK) {
        gt__free(&replay->base, made);
        return result;
    }
    if (trial.result != GPUTUNE_ERROR_DEVICE_LOST) rig_write_part(gpu, launch);
    if (made) replay->clock += gpu->overhead;
    begin = gpu->ready[queue] > replay->clock ? gpu->ready[queue] : replay->clock;
    gpu->ready[queue] = begin + rig_noisy(replay, trial.seconds);
    if (made) // shows when somebody asks
        made->loses = trial.result == GPUTUNE_ERROR_DEVICE_LOST;
    else if (trial.result == GPUTUNE_ERROR_DEVICE_LOST)
        replay->lost = HUGE_VAL;
    if (!made) return GPUTUNE_OK;
    made->span.begin = begin;
    made->span.end = gpu->ready[queue];
    made->next = gpu->tickets;
    *ticket = gpu->tickets = made;
    return GPUTUNE_OK;
}

static gputune_result rig_launch(void *self, void *code, const gputune_driver_launch *launch,
                                 gputune_error *error)
{
    const gputune_result result =
        launch->series ? launch->series->run(launch->series->user, 0, self, error)
                       : rig_submit(self, code, launch, 0, NULL, error);
    return result == GPUTUNE_OK ? gt__replay_lost((gt__replay *)self, error) : result;
}

// A look that finds the launch running takes 0.1 us of the virtual clock: who looks again and again
// comes to its end.
static gputune_result rig_poll(void *self, void *ticket, double patience, bool *done,
                               gputune_span *span, gputune_error *error)
{
    rig_gpu *gpu = (rig_gpu *)self;
    gt__replay *replay = &gpu->replay;
    rig_ticket *t = (rig_ticket *)ticket;
    double until = replay->clock + fabs(patience);
    bool over = t->span.end <= until, loses = t->loses;
    *span = t->span;
    *done = false;
    if (!over && replay->clock >= replay->lost && patience >= 0) {
        replay->clock = patience > 1e-7 ? until : replay->clock + 1e-7;
        return GPUTUNE_OK;
    }
    rig_drop(gpu, t);
    if (gt__replay_lost(replay, error)) return GPUTUNE_ERROR_DEVICE_LOST;
    if (over) until = span->end > replay->clock ? span->end : replay->clock;
    replay->clock = until;
    replay->lost = loses || !over ? HUGE_VAL : 0;
    *done = !(loses || !over);
    return *done  ? GPUTUNE_OK
           : over ? gt__replay_lost(replay, error)
                  : gt__error(error, GPUTUNE_ERROR_DEVICE_LOST,
                              "replay: still running after %.3g s", -patience);
}

static gputune_result rig_order(rig_gpu *gpu, int first, int then, gputune_error *error)
{
    if (gt__replay_lost(&gpu->replay, error)) return GPUTUNE_ERROR_DEVICE_LOST;
    if (gpu->ready[then] < gpu->ready[first]) gpu->ready[then] = gpu->ready[first];
    return GPUTUNE_OK;
}

static gputune_result rig_fork(void *self, int queue, gputune_error *error)
{
    return rig_order((rig_gpu *)self, 0, queue, error);
}

static gputune_result rig_join(void *self, int queue, gputune_error *error)
{
    return rig_order((rig_gpu *)self, queue, 0, error);
}

static gputune_result rig_wait(void *self, gputune_error *error)
{
    rig_gpu *gpu = (rig_gpu *)self;
    int i;
    (void)error;
    for (i = 0; i <= RIG_QUEUES; i++)
        if (gpu->ready[i] > gpu->replay.clock) gpu->replay.clock = gpu->ready[i];
    return GPUTUNE_OK;
}

// --- compiling in two steps: translating is done ahead, and costs no time on the clock ---

typedef struct rig_binary {
    char word[16];
    uint16_t choice[GPUTUNE_MAX_PARAMETERS];
} rig_binary;

static rig_binary rig_binary_of(const gputune_config *config)
{
    rig_binary binary;
    memset(&binary, 0, sizeof binary);
    snprintf(binary.word, sizeof binary.word, "%s", "replay binary 1");
    memcpy(binary.choice, config->choice, sizeof binary.choice);
    return binary;
}

// Touches neither the clock nor anything else of the driver's: other threads call it.
static gputune_result rig_translate(void *self, const gputune_build *build, gputune_binary *binary,
                                    gputune_error *error)
{
    gt__replay *replay = (gt__replay *)self;
    const gputune_replay_trial trial = gt__replay_ask(replay, build->config, NULL);
    const rig_binary made = rig_binary_of(build->config);
    binary->seconds = trial.compile_seconds;
    if (trial.result == GPUTUNE_ERROR_COMPILE)
        return gt__error(error, GPUTUNE_ERROR_COMPILE, "replay: \"%s\" does not compile",
                         build->name);
    binary->bytes = sizeof made;
    binary->data = gt__alloc(&replay->base, 1, binary->bytes);
    if (!binary->data) return gt__oom(error);
    memcpy(binary->data, &made, sizeof made);
    return GPUTUNE_OK;
}

static gputune_result rig_compile(void *self, const gputune_build *build, void **code,
                                  gputune_error *error)
{
    gt__replay *replay = (gt__replay *)self;
    const double clock = replay->clock;
    const rig_binary right = rig_binary_of(build->config);
    gputune_result result;
    if (build->binary && (build->binary->bytes != sizeof right ||
                          memcmp(build->binary->data, &right, sizeof right) != 0))
        return gt__error(error, GPUTUNE_ERROR_DRIVER, "replay: not a binary of \"%s\"",
                         build->name);
    result = gt__replay_compile(self, build, code, error);
    if (build->binary) replay->clock = clock;
    return result;
}

// --- the device ---

static void rig_destroy(void *self)
{
    rig_gpu *gpu = (rig_gpu *)self;
    while (gpu->tickets) rig_drop(gpu, gpu->tickets);
    free(gpu);
}

static gputune_device *rig_replay(const gputune_replay_desc *desc, double overhead, bool translates)
{
    gputune_device *device = gputune_replay_device_create(desc);
    gputune_driver *d;
    rig_gpu *gpu;
    if (!device || device->failed) return device;
    gpu = (rig_gpu *)calloc(1, sizeof *gpu);
    gpu->replay = *(gt__replay *)device->self;
    gt__free(&device->base, device->self);
    device->self = gpu;
    gpu->trial = desc->trial;
    gpu->user = desc->user;
    gpu->overhead = overhead;
    gpu->replay.desc.trial = rig_trial;
    gpu->replay.desc.user = gpu;
    d = &device->driver;
    d->destroy = rig_destroy;
    d->launch = rig_launch;
    d->time = rig_time;
    d->submit = rig_submit;
    d->poll = rig_poll;
    d->fork = rig_fork;
    d->join = rig_join;
    d->wait = rig_wait;
    d->queues = RIG_QUEUES;
    if (!translates) return device;
    d->translate = rig_translate;
    d->compile = rig_compile;
    snprintf(d->translator, sizeof d->translator, "%s", "replay 1");
    return device;
}

#endif
