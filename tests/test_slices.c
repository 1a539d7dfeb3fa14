// .tune.slice: a tuning in parts, one in each call of gputune_run.
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SLICES_MOST = 20000, SLICES_BYTES = 256 };

// Every call of gputune_run has buffers and values of its own, which are gone before the next call.
// Returns how many calls the tuning took; 0: it did not end. *longest: device seconds of a call.
static int slices_calls(tune_rig *r, double *longest)
{
    int calls = 0, failed = 0;
    bool goes_on = true;
    for (*longest = 0; goes_on && calls < SLICES_MOST; calls++) {
        float *in = (float *)aligned_alloc(64, SLICES_BYTES);
        float *out = (float *)aligned_alloc(64, SLICES_BYTES);
        float *inout = (float *)aligned_alloc(64, SLICES_BYTES);
        gputune_arg args[4];
        double begin = gt__device_now(r->device);
        int i;
        for (i = 0; i < 64; i++) in[i] = inout[i] = (float)(i * calls);
        args[0] = arg_int32(r->n);
        args[1] = gputune_in(in, SLICES_BYTES);
        args[2] = gputune_out(out, SLICES_BYTES);
        args[3] = gputune_inout(inout, SLICES_BYTES);
        failed += gputune_run(r->kernel, args, 4) != GPUTUNE_OK;
        goes_on = gputune_kernel_outcome(r->kernel)->goes_on;
        *longest = fmax(*longest, gt__device_now(r->device) - begin);
        memset(in, 0x5a, SLICES_BYTES);
        memset(inout, 0x5a, SLICES_BYTES);
        free(in);
        free(out);
        free(inout);
    }
    CHECK_INT(failed, 0);
    return goes_on ? 0 : calls;
}

// The trials, one a line.
static char *slices_trials(const gputune_kernel *kernel)
{
    char *text = (char *)calloc(1, 1 << 16);
    const gputune_trial *trial;
    size_t at = 0;
    int i;
    for (i = 0; (trial = gputune_kernel_trial(kernel, i)) != NULL; i++) {
        gputune_config_text(&trial->config, text + at, 200);
        at += strlen(text + at);
        at += (size_t)sprintf(text + at, " %.9g\n", trial->value);
    }
    return text;
}

// Parts find the answer, by the very trials, that one call finds. A call takes no longer than its
// slice, one trial and one launch. All take at most 1.5 times as long.
static void test_slices_same(void)
{
    static const double slices[] = { 1e-9, 0.01, 0.1, 1, 1e6 };
    tune_rig r;
    gputune_outcome once;
    char *trials, *parts;
    double whole, longest, begin;
    size_t i;
    tune_rig_init(&r, "");
    r.desc.tune.seed = 5;
    tune_open(&r);
    begin = gt__device_now(r.device);
    CHECK_INT(slices_calls(&r, &longest), 1);
    whole = gt__device_now(r.device) - begin;
    once = *gputune_kernel_outcome(r.kernel);
    trials = slices_trials(r.kernel);
    CHECK_INT(once.trials, 52);
    for (i = 0; i < sizeof slices / sizeof *slices; i++) {
        tune_rig s;
        const gputune_outcome *o;
        int calls;
        tune_rig_init(&s, "");
        s.desc.tune.seed = 5;
        s.desc.tune.slice = slices[i];
        tune_open(&s);
        begin = gt__device_now(s.device);
        calls = slices_calls(&s, &longest);
        o = gputune_kernel_outcome(s.kernel);
        CHECK_OR(slices[i] < 1e6 ? calls > 1 : calls == 1, "%d calls of %g s", calls, slices[i]);
        CHECK_OR(gt__same_choice(&o->config, &once.config), "%g s: %s", slices[i], o->text);
        CHECK_INT(o->origin, GPUTUNE_FROM_TUNING);
        CHECK_INT(o->trials, once.trials);
        parts = slices_trials(s.kernel);
        CHECK_TEXT(parts, trials);
        free(parts);
        CHECK_OR(longest <= slices[i] + 0.2, "%g s in a call of %g s", longest, slices[i]);
        CHECK_OR(gt__device_now(s.device) - begin <= 1.5 * whole, "%g s, and %g at once",
                 gt__device_now(s.device) - begin, whole);
        tune_close(&s);
    }
    free(trials);
    tune_close(&r);
}


// --- a C function, whose inputs change between the calls ---

typedef struct slices_struct {
    int factor, pad[3];
} slices_struct;

// y = factor * x + what was there.
static void slices_line(HOST_KERNEL)
{
    const slices_struct *by = (const slices_struct *)args[0];
    const int *x = (const int *)args[1];
    int *y = (int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && i < 64; i++) y[i] += by->factor * x[i];
}

// B=4 is wrong where x[3] is 3, as it is in the first call.
static void slices_kernel(HOST_KERNEL)
{
    const int *x = (const int *)args[1];
    slices_line(range, args, config, user);
    if (gputune_config_int(config, "B") == 4 && range->begin[0] <= 3 && range->end[0] > 3)
        ((int *)args[2])[3] += x[3] == 3;
}

typedef struct slices_host {
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_kernel_desc desc;
    gputune_options options;
    gputune_function functions[2];
    tune_log log;
} slices_host;

static void slices_host_open(slices_host *h)
{
    static const gputune_param params[] = { { "B", "set 1,2,4,8", "1" }, { NULL, NULL, NULL } };
    h->options.log = tune_logger;
    h->options.user = &h->log;
    if (!h->options.store) h->options.store = "";
    h->functions[0].name = h->desc.name = "slices";
    h->functions[0].function = slices_kernel;
    h->desc.functions = h->functions;
    h->desc.params = params;
    h->desc.global = "64";
    h->desc.local = "B";
    h->desc.signature = "slices_struct by, int *x, int *y";
    h->desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    h->desc.tune.budget.seconds = -1;
    h->device = test_steady(gputune_host_device_create(&h->options));
    h->kernel = gputune_kernel_create(h->device, &h->desc);
}

static void slices_host_close(slices_host *h)
{
    gputune_kernel_destroy(h->kernel);
    gputune_device_destroy(h->device);
}

// One call, on memory that begins `shift` bytes behind a multiple of 64 and is overwritten at once.
// False: its result is wrong.
static bool slices_host_call(slices_host *h, int call, int shift)
{
    slices_struct *by = (slices_struct *)calloc(1, sizeof *by);
    char *memory = (char *)aligned_alloc(64, 1024);
    int *x = (int *)(void *)(memory + shift), *y = x + 128, i;
    bool right;
    gputune_arg args[3];
    by->factor = 2 + call;
    for (i = 0; i < 64; i++) x[i] = i * (1 + call), y[i] = call;
    args[0] = gputune_bytes(by, sizeof *by);
    args[1] = gputune_in(x, 64 * sizeof *x);
    args[2] = gputune_inout(y, 64 * sizeof *y);
    right = gputune_run(h->kernel, args, 3) == GPUTUNE_OK;
    for (i = 0; i < 64; i++) right = right && y[i] == by->factor * x[i] + call;
    memset(memory, 0x77, 1024);
    memset(by, 0x77, sizeof *by);
    free(memory);
    free(by);
    return right;
}

// Every call's own result is right, no trial sees what the program has changed meanwhile, and what
// is wrong for the first call fails.
static void test_slices_inputs(void)
{
    slices_host h;
    const gputune_outcome *o;
    int calls = 0, wrong = 0;
    memset(&h, 0, sizeof h);
    h.desc.tune.slice = 1e-9;
    slices_host_open(&h);
    do wrong += !slices_host_call(&h, calls, 0);
    while (gputune_kernel_outcome(h.kernel)->goes_on && ++calls < SLICES_MOST);
    o = gputune_kernel_outcome(h.kernel);
    CHECK_INT(wrong, 0);
    CHECK(calls >= 3);
    CHECK_INT(o->trials, 4);
    CHECK_INT(test_kernel_seen(h.kernel).failed, 1);
    CHECK(gputune_config_int(&o->config, "B") != 4);
    slices_host_close(&h);
}

// Calls of two classes in turn: the result of each is right. classes_best has what runs for which.
static void test_slices_classes(void)
{
    slices_host h;
    int calls, wrong = 0;
    memset(&h, 0, sizeof h);
    h.desc.tune.slice = 1e-9;
    slices_host_open(&h);
    CHECK(slices_host_call(&h, 0, 0));
    CHECK(gputune_kernel_outcome(h.kernel)->goes_on);
    for (calls = 1; gputune_kernel_outcome(h.kernel)->goes_on && calls < SLICES_MOST; calls++)
        wrong += !slices_host_call(&h, calls, calls % 2 ? 4 : 0);
    CHECK_INT(wrong, 0);
    CHECK(calls < SLICES_MOST);
    slices_host_close(&h);
}

// --- ways in and out ---

// gputune_tune goes on to the end. So does a slice that the environment takes away.
static void test_slices_tune(void)
{
    tune_rig r;
    double longest;
    int i;
    for (i = 0; i < 3; i++) {
        tune_rig_init(&r, "");
        if (i != 2) r.desc.tune.slice = 0.01;
        if (i) setenv("GPUTUNE_SLICE", i == 1 ? "0" : "0.01", 1);
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(r.kernel)->goes_on, i != 1);
        if (i == 0) {
            CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
            CHECK_INT(gputune_kernel_outcome(r.kernel)->goes_on, false);
        } else {
            CHECK(slices_calls(&r, &longest) > (i == 2));
        }
        tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
        CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 52);
        tune_close(&r);
        unsetenv("GPUTUNE_SLICE");
    }
    setenv("GPUTUNE_SLICE", "soon", 1);
    tune_rig_init(&r, "");
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_HAS(r.log.text, "GPUTUNE_SLICE=soon");
    tune_close(&r);
    unsetenv("GPUTUNE_SLICE");
}

static bool slices_check(void *user, const void *const *outputs, char *why, size_t size)
{
    (void)user, (void)outputs, (void)why, (void)size;
    return true;
}

// What the program itself judges is of one call.
static void test_slices_check(void)
{
    tune_rig r;
    tune_rig_init(&r, "");
    r.desc.tune.slice = 0.01;
    r.desc.tune.check = slices_check;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->goes_on, false);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 52);
    tune_close(&r);
}

// A kernel that is destroyed, or a process that ends, between two calls: the next one resumes.
static void test_slices_resumed(void)
{
    tune_rig r;
    double longest;
    int i, before = 0;
    tune_temp();
    for (i = 0; i < 3; i++) {
        tune_rig_init(&r, tune_store);
        r.desc.tune.slice = 0.3;
        tune_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        if (i < 2) CHECK(gputune_kernel_outcome(r.kernel)->goes_on);
        if (i < 2) CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK(gputune_kernel_outcome(r.kernel)->trials > before);
        before = gputune_kernel_outcome(r.kernel)->trials;
        if (i == 2) CHECK(slices_calls(&r, &longest) > 0);
        if (i == 2) CHECK(test_kernel_seen(r.kernel).resumed > 0);
        if (i == 2) tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
        tune_close(&r);
    }
    tune_rig_init(&r, tune_store);
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_STORE);
    tune_close(&r);
    tune_clean();
}

// Another problem of the kernel has the default meanwhile, and its own tuning afterwards;
// gputune_tune does not wait, and the first one begins again with what it knows.
static void test_slices_other(void)
{
    tune_rig r;
    double longest;
    tune_rig_init(&r, "");
    r.replay.options.tuning_seconds = 1e6;
    r.desc.tune.slice = 0.01;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    tune_args(&r, 1 << 20);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_DEFAULT);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->note, "another problem is being tuned");
    CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 0);
    tune_args(&r, 4096);
    CHECK(slices_calls(&r, &longest) > 1);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    tune_args(&r, 1 << 20);
    gputune_sleep(0.2); // it is not asked all the time whether it may
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK(gputune_kernel_outcome(r.kernel)->goes_on);
    tune_args(&r, 1 << 16);
    CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    tune_args(&r, 1 << 20);
    CHECK(slices_calls(&r, &longest) > 1);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    tune_close(&r);
}

// What fails in the race, after it was the best: it is not launched on the program's buffers again.
static void test_slices_fails_late(void)
{
    tune_rig r;
    const gputune_outcome *o;
    int calls = 0, errors = 0, wrong = 0; // calls that run it after its failure
    bool ran = false, failed = false;
    tune_rig_init(&r, "");
    r.desc.tune.slice = 0.01;
    r.desc.tune.progress = tune_follow;
    r.desc.tune.user = &r.world;
    r.world.bad_phase = "race";
    r.world.bad_word = "B=64 U=4";
    r.world.bad = GPUTUNE_ERROR_WRONG_OUTPUT;
    tune_open(&r);
    do {
        const gputune_trial *trial;
        char text[64];
        int i;
        errors += gputune_run(r.kernel, r.args, 4) != GPUTUNE_OK;
        o = gputune_kernel_outcome(r.kernel);
        gputune_config_text(&o->config, text, sizeof text);
        for (i = 0; (trial = gputune_kernel_trial(r.kernel, i)) != NULL; i++)
            failed = failed || trial->result;
        ran = ran || strcmp(text, "B=64 U=4") == 0;
        wrong += failed && strcmp(text, "B=64 U=4") == 0;
    } while (o->goes_on && ++calls < SLICES_MOST);
    CHECK(ran && failed);
    CHECK_INT(errors + wrong, 0);
    CHECK_INT(test_kernel_seen(r.kernel).failed, 1);
    tune_close(&r);
}

// --- MSP-tuning, further devices, a child process ---

static void test_slices_msp(void)
{
    sat_rig r;
    gputune_outcome o;
    double longest;
    sat_init(&r, "");
    r.msp.resize = "n = size";
    r.t.desc.tune.slice = 0.01;
    tune_open(&r.t);
    CHECK(slices_calls(&r.t, &longest) > 5);
    o = *gputune_kernel_outcome(r.t.kernel);
    tune_expect(&o, "B=64 U=4");
    CHECK_INT(o.trials, 52);
    CHECK(o.curve && o.curve->count > 3);
    CHECK_NEAR(o.search_size, 131072, 0);
    tune_close(&r.t);
}

static void test_slices_devices(void)
{
    gputune_device *more[3];
    tune_rig r;
    double longest;
    int i;
    tune_rig_init(&r, "");
    for (i = 0; i < 2; i++) more[i] = rig_replay(&r.replay, 1e-5, false);
    more[2] = NULL;
    r.desc.tune.devices = more;
    r.desc.tune.slice = 0.01;
    r.replay.options.threads = -1;
    tune_open(&r);
    CHECK(slices_calls(&r, &longest) > 2);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 52);
    CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
    tune_close(&r);
    for (i = 0; i < 2; i++) gputune_device_destroy(more[i]);
}

// Each call has a child of its own, which ends with it.
static void test_slices_isolated(void)
{
    isolate_program *p;
    int calls = 0, failed = 0;
    SKIP_LACKING("restart");
    p = isolate_begin();
    setenv("GPUTUNE_SLICE", "0.001", 1);
    isolate_make(p, "two");
    do failed += gputune_run(p->kernel, p->args, 3) != GPUTUNE_OK;
    while (gputune_kernel_outcome(p->kernel)->goes_on && ++calls < 200);
    unsetenv("GPUTUNE_SLICE");
    CHECK_INT(failed, 0);
    CHECK(calls > 2);
    CHECK(isolate_children() > 3);
    CHECK_INT(p->out[999], 1000);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 5);
    CHECK_INT(test_kernel_seen(p->kernel).failed, 2);
    CHECK_HAS(gputune_kernel_outcome(p->kernel)->note, "2 configurations ended the child process");
    isolate_end(p);
}

// --- several problems, several kernels ---

// A problem whose job has ended does not go on with another's.
static void test_slices_other_job(void)
{
    tune_rig r;
    double longest;
    int i, errors = 0, going = 0;
    tune_rig_init(&r, "");
    r.replay.options.tuning_seconds = 1e6;
    r.desc.tune.slice = 0.01;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    tune_args(&r, 1 << 16);
    CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK); // ends the first one's
    tune_args(&r, 1 << 20);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK(gputune_kernel_outcome(r.kernel)->goes_on);
    tune_args(&r, 4096);
    for (i = 0; i < 8; i++) {
        errors += gputune_run(r.kernel, r.args, 4) != GPUTUNE_OK;
        going += gputune_kernel_outcome(r.kernel)->goes_on;
    }
    CHECK_INT(errors + going, 0);
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->note, "another problem is being tuned");
    CHECK_TEXT(gputune_kernel_outcome(r.kernel)->problem, "n=2^12");
    for (i = 0; i < 2; i++) {
        tune_args(&r, i ? 4096 : 1 << 20);
        if (i) gputune_sleep(0.2); // it is not asked all the time whether it may
        CHECK(slices_calls(&r, &longest) > 1);
        CHECK_TEXT(gputune_kernel_outcome(r.kernel)->problem, i ? "n=2^12" : "n=2^20");
        CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 52);
        tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    }
    tune_close(&r);
}

// A problem that waits says nothing in the log, however often it is called.
static void test_slices_waiting(void)
{
    tune_rig r;
    int i;
    tune_rig_init(&r, "");
    r.desc.tune.slice = 0.001;
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK(gputune_kernel_outcome(r.kernel)->goes_on);
    r.log.used = 0;
    r.log.text[0] = 0;
    tune_args(&r, 1 << 20);
    for (i = 0; i < 4; i++) CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_TEXT(r.log.text, "");
    CHECK_HAS(gputune_kernel_outcome(r.kernel)->note, "another problem is being tuned");
    tune_close(&r);
}

// A value that means nothing is told once for a kernel, not once for each call.
static void test_slices_env(void)
{
    tune_rig r;
    const char *at;
    int i, told = 0;
    tune_rig_init(&r, "");
    setenv("GPUTUNE_SLICE", "soon", 1);
    tune_open(&r);
    for (i = 0; i < 6; i++) {
        r.in[0] = (float)i;
        tune_args(&r, 4096 << i % 2);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    }
    unsetenv("GPUTUNE_SLICE");
    for (at = r.log.text; (at = strstr(at, "GPUTUNE_SLICE=soon")) != NULL; at++) told++;
    CHECK_INT(told, 1);
    tune_close(&r);
}

// What a device's first tuning has taken while it rests is not what further ones take: another
// kernel's stored answer is verified for a new class of calls.
static void test_slices_shares(void)
{
    sizes_world w;
    tune_rig first;
    gputune_kernel *other;
    int i;
    tune_temp();
    sizes_init(&w, tune_store);
    tune_open(&w.rig);
    sizes_tune(&w, 1000, 0);
    tune_close(&w.rig);
    w.rig.replay.options.tuning_seconds = 0;
    tune_open(&w.rig);
    tune_rig_init(&first, "");
    first.desc.name = "first";
    first.desc.tune.slice = 0.5;
    w.compiling = 0.5;
    other = gputune_kernel_create(w.rig.device, &first.desc);
    for (i = 0; i < 12; i++) CHECK_INT(gputune_run(other, first.args, 4), GPUTUNE_OK);
    CHECK(gputune_kernel_outcome(other)->goes_on);
    CHECK(gputune_kernel_outcome(other)->seconds > 5);
    w.compiling = 0;
    for (i = 0; i < 2; i++) {
        sizes_args(&w, 1000, i ? 8 : 0, 64);
        CHECK_INT(gputune_run(w.rig.kernel, w.args, w.count), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(w.rig.kernel)->origin, GPUTUNE_FROM_STORE);
        tune_expect(gputune_kernel_outcome(w.rig.kernel), "B=64 U=4");
    }
    gputune_kernel_destroy(other);
    tune_close(&w.rig);
    tune_clean();
}

// All of a device's kernels begin at once: only one is the first.
static void test_slices_many(void)
{
    tune_rig r;
    gputune_kernel *kernels[6];
    char names[6][8];
    double first = 0;
    int i, call, errors = 0;
    tune_rig_init(&r, "");
    r.desc.tune.slice = 0.05;
    tune_open(&r);
    for (i = 0; i < 6; i++) {
        snprintf(names[i], sizeof names[i], "k%d", i);
        r.desc.name = names[i];
        kernels[i] = gputune_kernel_create(r.device, &r.desc);
    }
    for (call = 0; call < 60; call++)
        for (i = 0; i < 6; i++) {
            const double begin = gt__device_now(r.device);
            errors += gputune_run(kernels[i], r.args, 4) != GPUTUNE_OK;
            if (!i) first += gt__device_now(r.device) - begin;
        }
    CHECK_INT(errors, 0);
    CHECK_INT(gputune_kernel_outcome(kernels[0])->goes_on, false);
    tune_expect(gputune_kernel_outcome(kernels[0]), "B=64 U=4");
    CHECK(r.kernel->answers->first <= first);
    CHECK(r.kernel->answers->spent > 1.5 * first);
    for (i = 0; i < 6; i++) gputune_kernel_destroy(kernels[i]);
    tune_close(&r);
}

typedef struct slices_inner {
    tune_rig r;
    int asked, result;
} slices_inner;

static bool slices_tune_other(void *user, const gputune_progress *p)
{
    slices_inner *w = (slices_inner *)user;
    gputune_arg args[4];
    (void)p;
    if (w->asked++ != 5) return true;
    memcpy(args, w->r.args, sizeof args);
    args[0] = arg_int32(1 << 20);
    w->result = (int)gputune_tune(w->r.kernel, args, 4);
    return true;
}

// A function of the program tunes another problem of the kernel meanwhile, in MSP-tuning's curve,
// too.
static void test_slices_reenter(void)
{
    static const gputune_saturation_desc msp = { .resize = "n = size" };
    static slices_inner w;
    double longest;
    int i;
    for (i = 0; i < 4; i++) {
        memset(&w, 0, sizeof w);
        tune_rig_init(&w.r, "");
        w.r.replay.options.tuning_seconds = 1e6;
        w.r.desc.tune.progress = slices_tune_other;
        w.r.desc.tune.user = &w;
        if (i % 2) w.r.desc.tune.slice = 0.01;
        if (i / 2) w.r.desc.tune.msp = &msp;
        w.result = -1;
        tune_open(&w.r);
        CHECK(slices_calls(&w.r, &longest) > 5 * (i % 2));
        CHECK_INT(w.result, GPUTUNE_OK);
        CHECK_TEXT(gputune_kernel_outcome(w.r.kernel)->problem, "n=2^12");
        CHECK_INT(gputune_kernel_outcome(w.r.kernel)->trials, 52);
        tune_expect(gputune_kernel_outcome(w.r.kernel), "B=64 U=4");
        CHECK(w.r.kernel->job == NULL);
        tune_args(&w.r, 1 << 20);
        CHECK_INT(gputune_run(w.r.kernel, w.r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(w.r.kernel)->goes_on, false);
        tune_expect(gputune_kernel_outcome(w.r.kernel), "B=64 U=4");
        tune_close(&w.r);
    }
}

static float slices_others[3][64];

static bool slices_run_other(void *user, const gputune_progress *p)
{
    slices_inner *w = (slices_inner *)user;
    gputune_arg args[4];
    (void)p;
    if (w->asked++ != 5) return true;
    args[0] = arg_int32(1 << 20);
    args[1] = gputune_in(slices_others[0], sizeof *slices_others);
    args[2] = gputune_out(slices_others[1], sizeof *slices_others);
    args[3] = gputune_inout(slices_others[2], sizeof *slices_others);
    w->result = (int)gputune_run(w->r.kernel, args, 4);
    memset(args, 0, sizeof args);
    return true;
}

// A function of the program runs the kernel meanwhile: each call writes its own buffers, once.
static void test_slices_inner_run(void)
{
    static slices_inner w;
    int run;
    for (run = 0; run < 2; run++) {
        memset(&w, 0, sizeof w);
        tune_rig_init(&w.r, "");
        w.r.replay.options.tuning_seconds = 1e6;
        w.r.desc.tune.progress = slices_run_other;
        w.r.desc.tune.user = &w;
        if (run) w.r.desc.tune.slice = 0.5;
        w.result = -1;
        tune_open(&w.r);
        slices_others[1][3] = 77;
        CHECK_INT(gputune_run(w.r.kernel, w.r.args, 4), GPUTUNE_OK);
        CHECK(w.asked > 5);
        CHECK_INT(w.result, GPUTUNE_OK);
        CHECK(w.r.out[3] != -1 && slices_others[1][3] != 77);
        CHECK_TEXT(gputune_kernel_outcome(w.r.kernel)->problem, "n=2^12");
        CHECK_INT(gputune_kernel_outcome(w.r.kernel)->goes_on, run);
        if (run) CHECK_TEXT(w.r.kernel->job->p->text, "n=2^12");
        tune_close(&w.r);
    }
}

// --- the driver's calls ---

static gputune_driver slices_plain;
static bool slices_busy; // a launch of the program is under way
static int slices_timed, slices_overlaps, slices_refused;

static gputune_result slices_launch(void *self, void *code, const gputune_driver_launch *launch,
                                    gputune_error *error)
{
    slices_busy = true;
    return slices_plain.launch(self, code, launch, error);
}

static gputune_result slices_wait(void *self, gputune_error *error)
{
    slices_busy = false;
    return slices_plain.wait(self, error);
}

static gputune_result slices_time(void *self, void *code, const gputune_driver_launch *launch,
                                  int batch, double time_limit, double hang_limit, double *seconds,
                                  gputune_error *error)
{
    slices_timed++;
    slices_overlaps += slices_busy;
    return slices_plain.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

// What the program has launched between two calls ends before trials go on.
static void test_slices_overlap(void)
{
    tune_rig r;
    double longest;
    tune_rig_init(&r, "");
    r.desc.tune.slice = 0.01;
    tune_open(&r);
    slices_plain = r.device->driver;
    slices_busy = false;
    slices_timed = slices_overlaps = 0;
    r.device->driver.launch = slices_launch;
    r.device->driver.wait = slices_wait;
    r.device->driver.time = slices_time;
    CHECK(slices_calls(&r, &longest) > 5);
    CHECK(slices_timed > 52);
    CHECK_INT(slices_overlaps, 0);
    tune_close(&r);
}

static gputune_result slices_refuse(void *self, size_t bytes, size_t guard, gputune_memory *memory,
                                    gputune_error *error)
{
    if (slices_refused++ == 0)
        return gt__error(error, GPUTUNE_ERROR_RESOURCES, "no room for %d bytes", (int)bytes);
    return slices_plain.allocate(self, bytes, guard, memory, error);
}

// No room for the copies of a call: it tunes at once, and says so.
static void test_slices_no_room(void)
{
    tune_rig r;
    tune_rig_init(&r, "");
    r.desc.tune.slice = 0.01;
    tune_open(&r);
    slices_plain = r.device->driver;
    slices_refused = 0;
    r.device->driver.allocate = slices_refuse;
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK(slices_refused > 1);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->goes_on, false);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->origin, GPUTUNE_FROM_TUNING);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 52);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    CHECK_HAS(r.log.text, "tuned by one call: ");
    CHECK_TEXT(gputune_kernel_error(r.kernel)->text, "");
    tune_close(&r);
}

// Others' answer that fails in taking it over is not launched on the program's buffers again.
static void test_slices_take_wrong(void)
{
    sizes_world w;
    const gputune_outcome *o;
    int calls = 0, errors = 0, after = 0;
    tune_temp();
    sizes_init(&w, tune_store);
    w.rig.desc.tune.slice = 0.001;
    tune_open(&w.rig);
    for (calls = 0; calls < 3; calls++) sizes_tune(&w, 1000 << calls, 0);
    sizes_plain = w.rig.device->driver;
    w.rig.device->driver.time = sizes_time_zeros;
    sizes_args(&w, 1000 << 7, 0, 64);
    w.rig.log.used = 0;
    w.rig.log.text[0] = 0;
    calls = 0;
    do { // its log is full before all is over
        const bool known = strstr(w.rig.log.text, "fails in the race") != NULL;
        errors += gputune_run(w.rig.kernel, w.args, w.count) != GPUTUNE_OK;
        after += known && strcmp(w.launched, "B=64 U=4") == 0;
        o = gputune_kernel_outcome(w.rig.kernel);
    } while (o->goes_on && ++calls < SLICES_MOST);
    CHECK(calls > 5);
    CHECK_HAS(w.rig.log.text, "others' answer first");
    CHECK_HAS(w.rig.log.text, "B=64 U=4 fails in the race");
    CHECK_INT(errors + after, 0);
    CHECK_INT(gputune_config_int(&o->config, "B"), 64);
    CHECK_INT(abs((int)gputune_config_int(&o->config, "U") - 4), 1); // 3 and 5 take the same time
    tune_close(&w.rig);
    tune_clean();
}

// --- threads and processes ---

// Threads translate while the job rests.
static void test_slices_translates(void)
{
    tune_rig r;
    double longest;
    tune_rig_init(&r, "");
    r.translates = true;
    r.replay.options.threads = 4;
    r.desc.tune.slice = 0.01;
    tune_open(&r);
    CHECK(slices_calls(&r, &longest) > 5);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 52);
    CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    tune_close(&r);
}

static double slices_pause;
static bool slices_full; // they have no memory

static gputune_result slices_slowly(void *self, size_t bytes, size_t guard, gputune_memory *memory,
                                    gputune_error *error)
{
    gputune_sleep(slices_pause);
    if (slices_full) return gt__error(error, GPUTUNE_ERROR_RESOURCES, "no memory");
    return slices_plain.allocate(self, bytes, guard, memory, error);
}

static gputune_result slices_slow_time(void *self, void *code, const gputune_driver_launch *launch,
                                       int batch, double time_limit, double hang_limit,
                                       double *seconds, gputune_error *error)
{
    gputune_sleep(slices_pause);
    return slices_plain.time(self, code, launch, batch, time_limit, hang_limit, seconds, error);
}

// So many further devices, whose every allocation and launch takes so many seconds. more: one more,
// NULL.
static void slices_further(tune_rig *r, gputune_device **more, int count, double pause)
{
    int i;
    slices_pause = pause;
    for (i = 0; i < count; i++) {
        more[i] = rig_replay(&r->replay, 1e-5, r->translates);
        slices_plain = more[i]->driver;
        if (pause > 0) more[i]->driver.allocate = slices_slowly;
        if (pause > 0) more[i]->driver.time = slices_slow_time;
    }
    more[count] = NULL;
    r->desc.tune.devices = more;
}

// No call returns while a further device prepares, whose messages are the program's again; nor
// where there is nothing left for it to try.
static void test_slices_prepares(void)
{
    int run;
    for (run = 0; run < 2; run++) {
        gputune_device *more[3];
        tune_rig r;
        int i, n, preparing = 0, asked = 0;
        tune_rig_init(&r, "");
        slices_further(&r, more, 2, 0.02);
        if (run) r.desc.tune.budget.trials = 2;
        r.desc.tune.slice = 1e-9;
        tune_open(&r);
        for (i = 0; i < 4 - 2 * run; i++) {
            CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
            CHECK(gputune_kernel_outcome(r.kernel)->goes_on);
            for (n = 0; r.kernel->job && n < r.kernel->job->device_count; n++) {
                const gt__session *s = &r.kernel->job->device_threads[n];
                preparing += s->started && !s->ready && !s->over;
            }
            asked += r.kernel->job ? r.kernel->job->open : 0;
            r.log.used = 0;
            gt__log(&more[0]->base, GPUTUNE_LOG_WARN, "a word of the program's own");
            CHECK_TEXT(r.log.text, "a word of the program's own\n");
        }
        CHECK_INT(preparing, 0);
        CHECK_INT(asked, 0);
        tune_close(&r);
        for (i = 0; i < 2; i++) gputune_device_destroy(more[i]);
    }
}

static void slices_blame_open(tune_rig *r, gputune_device **more)
{
    tune_rig_init(r, tune_store);
    slices_further(r, more, 2, 5e-3);
    r->desc.tune.slice = 0.001;
    tune_open(r);
}

// A process that ends between two calls: nobody is blamed for it, and the next one resumes.
static void test_slices_blame(void)
{
    gputune_device *more[3];
    tune_rig r;
    double longest;
    pid_t child;
    int i, status = -1;
    tune_temp();
    fflush(stdout);
    child = fork();
    if (child == 0) {
        slices_blame_open(&r, more);
        for (i = 0; i < 3 && !gputune_run(r.kernel, r.args, 4);) i++;
        _exit(i == 3 && gputune_kernel_outcome(r.kernel)->goes_on ? 3 : 1);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK_INT(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 3);
    slices_blame_open(&r, more);
    for (i = 0; i < 2; i++) CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(gt__len(r.kernel->last->tuner->late), 0); // what a program has ended in comes last
    CHECK(slices_calls(&r, &longest) > 2);
    CHECK(test_kernel_seen(r.kernel).resumed > 0);
    CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 52);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    tune_close(&r);
    for (i = 0; i < 2; i++) gputune_device_destroy(more[i]);
    tune_clean();
}

// What further devices give back that cannot prepare has room among the questions.
static void test_slices_overflow(void)
{
    static const gputune_param params[] = { { "B", "erange 8,512,2", "32" },
                                            { "U", "range 1,64", "1" },
                                            { NULL, NULL, NULL } };
    gputune_device *more[9];
    tune_rig r;
    int i, most = 0, errors = 0;
    tune_rig_init(&r, "");
    r.desc.params = params;
    r.desc.require = NULL;
    r.desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    r.replay.options.threads = 32;
    r.translates = true;
    slices_further(&r, more, 8, 0.01);
    r.desc.tune.slice = 0.001;
    tune_open(&r);
    slices_full = true;
    for (i = 0; i < SLICES_MOST; i++) {
        errors += gputune_run(r.kernel, r.args, 4) != GPUTUNE_OK;
        if (r.kernel->job && r.kernel->job->asking_count > most)
            most = r.kernel->job->asking_count;
        if (!gputune_kernel_outcome(r.kernel)->goes_on) break;
    }
    slices_full = false;
    CHECK_INT(errors, 0);
    CHECK_OR(most > 8 && most <= GT__ASKED_MOST, "%d questions", most);
    CHECK_INT(gputune_kernel_outcome(r.kernel)->trials, 448); // what was given back, too
    CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
    tune_close(&r);
    for (i = 0; i < 8; i++) gputune_device_destroy(more[i]);
}

// With further devices, too, a call of the least slice makes one trial on each.
static void test_slices_devices_least(void)
{
    gputune_device *more[3];
    tune_rig r;
    int i, last = 0, most = 0, errors = 0;
    tune_rig_init(&r, "");
    slices_further(&r, more, 2, 0);
    r.desc.tune.slice = 1e-9;
    r.replay.options.threads = -1;
    tune_open(&r);
    for (i = 0; i < SLICES_MOST; i++) {
        int told;
        errors += gputune_run(r.kernel, r.args, 4) != GPUTUNE_OK;
        told = test_trials(r.kernel);
        if (told - last > most) most = told - last;
        last = told;
        if (!gputune_kernel_outcome(r.kernel)->goes_on) break;
    }
    CHECK_INT(errors, 0);
    CHECK_INT(last, 52);
    CHECK_OR(most <= 3, "%d trials in a call", most);
    tune_close(&r);
    for (i = 0; i < 2; i++) gputune_device_destroy(more[i]);
}

// Two devices share a search: who has nothing to try does not wait in its call. Called in turn,
// both come to the end, with one answer.
static void test_slices_shared(void)
{
    tune_rig r[2];
    int i, calls, errors = 0, going = 2;
    tune_temp();
    for (i = 0; i < 2; i++) {
        tune_rig_init(&r[i], tune_store);
        r[i].desc.tune.slice = 0.001;
        r[i].translates = true;
        r[i].replay.options.threads = 4;
        strcpy(r[i].replay.limits.board, i ? "B" : "A");
        tune_open(&r[i]);
    }
    for (calls = 0; calls < 12; calls++) errors += gputune_run(r[0].kernel, r[0].args, 4) != 0;
    CHECK(gputune_kernel_outcome(r[0].kernel)->goes_on);
    for (calls = 0; calls < 60; calls++) errors += gputune_run(r[1].kernel, r[1].args, 4) != 0;
    for (calls = 0; going && calls < SLICES_MOST; calls++) {
        for (going = i = 0; i < 2; i++) {
            errors += gputune_run(r[i].kernel, r[i].args, 4) != GPUTUNE_OK;
            going += gputune_kernel_outcome(r[i].kernel)->goes_on;
        }
        gputune_sleep(1e-3);
    }
    CHECK_INT(errors + going, 0);
    for (i = 0; i < 2; i++) {
        CHECK_INT(test_kernel_seen(r[i].kernel).failed, 0);
        tune_expect(gputune_kernel_outcome(r[i].kernel), "B=64 U=4");
        tune_close(&r[i]);
    }
    tune_clean();
}

// Who began without a child process goes on without one.
static void test_slices_isolate_env(void)
{
    isolate_program *p;
    int calls = 0, errors = 0;
    SKIP_LACKING("restart");
    p = isolate_begin();
    setenv("GPUTUNE_SLICE", "0.0001", 1);
    setenv("GPUTUNE_ISOLATE", "0", 1);
    isolate_make(p, "plain");
    do errors += gputune_run(p->kernel, p->args, 3) != GPUTUNE_OK;
    while (gputune_kernel_outcome(p->kernel)->goes_on && ++calls < SLICES_MOST);
    unsetenv("GPUTUNE_SLICE");
    unsetenv("GPUTUNE_ISOLATE");
    CHECK_INT(errors, 0);
    CHECK(calls > 2);
    CHECK_INT(isolate_children(), 0);
    CHECK_INT(gputune_kernel_outcome(p->kernel)->trials, 5);
    isolate_end(p);
}

// --- what is right ---

static void slices_copy(HOST_KERNEL)
{
    const int n = *(const int *)args[0];
    const int *x = (const int *)args[1];
    int *y = (int *)args[2];
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && i < (size_t)n; i++) y[i] = x[i];
}

// What the program says is right counts at the call's size, with MSP and in parts, too: all are
// wrong here.
static void test_slices_right(void)
{
    static const gputune_saturation_desc msp = { .resize = "n = size" };
    static const gputune_param params[] = { { "B", "set 1,2,4,8", "1" }, { NULL, NULL, NULL } };
    static int x[1 << 16], y[1 << 16], right[1 << 16];
    int run, i;
    for (i = 0; i < 1 << 16; i++) x[i] = i, right[i] = i + (i == 65000);
    for (run = 0; run < 4; run++) {
        slices_host h;
        gputune_arg args[3];
        int calls = 0, errors = 0;
        memset(&h, 0, sizeof h);
        if (run % 2) h.desc.tune.slice = 1e-4;
        if (run / 2) h.desc.tune.msp = &msp;
        slices_host_open(&h);
        gputune_kernel_destroy(h.kernel);
        h.functions[0].function = slices_copy;
        h.desc.params = params;
        h.desc.global = "n";
        h.desc.signature = "int n, int *x, int *y";
        h.kernel = gputune_kernel_create(h.device, &h.desc);
        args[0] = arg_int32(1 << 16);
        args[1] = gputune_in(x, sizeof x);
        args[2] = gputune_compared(gputune_out(y, sizeof y), 0, sizeof y, right);
        do errors += gputune_run(h.kernel, args, 3) != GPUTUNE_OK;
        while (gputune_kernel_outcome(h.kernel)->goes_on && ++calls < SLICES_MOST);
        CHECK_INT(errors, 0);
        CHECK_HAS(gputune_kernel_outcome(h.kernel)->note, "y[65000] is 65000, expected 65001");
        CHECK_INT(gputune_kernel_outcome(h.kernel)->origin, GPUTUNE_FROM_DEFAULT);
        CHECK_INT(memcmp(x, y, sizeof x), 0); // the default's
        slices_host_close(&h);
    }
}

// One call on memory that begins `shift` bytes behind a multiple of 64 and is gone afterwards.
static gputune_result slices_rig_call(tune_rig *r, int shift, bool *right)
{
    char *memory = (char *)aligned_alloc(64, 4096);
    char *out = memory + 1024 + shift;
    gputune_arg args[4];
    gputune_result result;
    memset(memory, 0, 4096);
    args[0] = arg_int32(r->n);
    args[1] = gputune_in(memory + shift, 256);
    args[2] = gputune_out(out, 256);
    args[3] = gputune_inout(memory + 2048 + shift, 256);
    result = gputune_run(r->kernel, args, 4);
    *right = (unsigned char)out[255] == ((255 * 31 + 7) & 0x3f);
    memset(memory, 0x77, 4096);
    free(memory);
    return result;
}

// slices/classes_best: the best runs in the first call's class alone (slices/classes has a default
// that nothing beats, so it cannot fail).
static void test_slices_classes_best(void)
{
    tune_rig r;
    int calls, others = 0, best = 0, wrong = 0;
    bool right, goes_on = true;
    tune_rig_init(&r, "");
    r.desc.tune.slice = 0.01;
    tune_open(&r);
    for (calls = 0; goes_on && calls < SLICES_MOST; calls++) {
        const bool other = calls % 2;
        const gputune_outcome *o;
        char text[64];
        wrong += slices_rig_call(&r, other ? 4 : 0, &right) != GPUTUNE_OK || !right;
        o = gputune_kernel_outcome(r.kernel);
        goes_on = o->goes_on;
        gputune_config_text(&o->config, text, sizeof text);
        others += goes_on && other && strcmp(text, "B=32 U=1") != 0;
        best += goes_on && !other && strcmp(text, "B=32 U=1") != 0;
    }
    CHECK_INT(others + wrong, 0);
    CHECK(best > 3);
    tune_close(&r);
}

// B=4 is wrong by what the first call's struct holds.
static void slices_values_kernel(HOST_KERNEL)
{
    const slices_struct *by = (const slices_struct *)args[0];
    size_t i;
    slices_line(range, args, config, user);
    if (gputune_config_int(config, "B") != 4 || by->factor != 2) return;
    for (i = range->begin[0]; i < range->end[0] && i < 64; i++) ((int *)args[2])[i]++;
}

static void test_slices_values(void)
{
    slices_host h;
    int calls = 0, wrong = 0;
    memset(&h, 0, sizeof h);
    h.desc.tune.slice = 1e-9;
    slices_host_open(&h);
    gputune_kernel_destroy(h.kernel);
    h.functions[0].function = slices_values_kernel;
    h.kernel = gputune_kernel_create(h.device, &h.desc);
    do wrong += !slices_host_call(&h, calls, 0);
    while (gputune_kernel_outcome(h.kernel)->goes_on && ++calls < SLICES_MOST);
    CHECK_INT(wrong, 0);
    CHECK_INT(test_kernel_seen(h.kernel).failed, 1);
    slices_host_close(&h);
}

// A process that ends between two calls of a race, three times: nobody is to blame.
static void test_slices_killed(void)
{
    tune_rig r;
    bool right;
    int run, i, status;
    tune_temp();
    for (run = 0; run < 3; run++) {
        const pid_t child = fork();
        if (child == 0) {
            tune_rig_init(&r, tune_store);
            r.desc.tune.slice = 1e-9;
            r.desc.tune.progress = tune_follow;
            r.desc.tune.user = &r.world;
            tune_open(&r);
            do slices_rig_call(&r, 0, &right);
            while (gputune_kernel_outcome(r.kernel)->goes_on &&
                   (!r.world.phase || strcmp(r.world.phase, "race") != 0));
            for (i = 0; i < 20; i++) slices_rig_call(&r, 0, &right);
            _exit(77);
        }
        CHECK(child > 0 && waitpid(child, &status, 0) == child);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 77);
    }
    tune_rig_init(&r, tune_store);
    tune_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
    tune_expect(gputune_kernel_outcome(r.kernel), "B=64 U=4");
    tune_close(&r);
    tune_clean();
}

static const test_case slices_cases[] = {
    { "same", test_slices_same },
    { "classes_best", test_slices_classes_best },
    { "values", test_slices_values },
    { "killed", test_slices_killed },
    { "inputs", test_slices_inputs },
    { "classes", test_slices_classes },
    { "tune", test_slices_tune },
    { "check", test_slices_check },
    { "resumed", test_slices_resumed },
    { "other", test_slices_other },
    { "fails_late", test_slices_fails_late },
    { "msp", test_slices_msp },
    { "devices", test_slices_devices },
    { "isolated", test_slices_isolated },
    { "other_job", test_slices_other_job },
    { "waiting", test_slices_waiting },
    { "env", test_slices_env },
    { "shares", test_slices_shares },
    { "many", test_slices_many },
    { "reenter", test_slices_reenter },
    { "inner_run", test_slices_inner_run },
    { "overlap", test_slices_overlap },
    { "no_room", test_slices_no_room },
    { "take_wrong", test_slices_take_wrong },
    { "translates", test_slices_translates },
    { "prepares", test_slices_prepares },
    { "blame", test_slices_blame },
    { "overflow", test_slices_overflow },
    { "devices_least", test_slices_devices_least },
    { "shared", test_slices_shared },
    { "isolate_env", test_slices_isolate_env },
    { "right", test_slices_right },
    { NULL, NULL },
};
