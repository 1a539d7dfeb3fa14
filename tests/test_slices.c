// .tune.slice: a tuning in parts, one in each call of gputune_run.
#include "test.h"

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

// y = factor * x + what was there. B=4 is wrong where x[3] is 3, as it is in the first call.
static void slices_kernel(HOST_KERNEL)
{
    const slices_struct *by = (const slices_struct *)args[0];
    const int *x = (const int *)args[1];
    int *y = (int *)args[2];
    const int64_t b = gputune_config_int(config, "B");
    size_t i;
    for (i = range->begin[0]; i < range->end[0] && i < 64; i++)
        y[i] += by->factor * x[i] + (b == 4 && i == 3 && x[3] == 3);
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

// In a class of calls that is another than the first call's the default runs, until all is over.
static void test_slices_classes(void)
{
    slices_host h;
    int calls, wrong = 0, others = 0;
    memset(&h, 0, sizeof h);
    h.desc.tune.slice = 1e-9;
    slices_host_open(&h);
    CHECK(slices_host_call(&h, 0, 0));
    CHECK(gputune_kernel_outcome(h.kernel)->goes_on);
    for (calls = 1; gputune_kernel_outcome(h.kernel)->goes_on && calls < SLICES_MOST; calls++) {
        wrong += !slices_host_call(&h, calls, calls % 2 ? 4 : 0);
        others += calls % 2 && gputune_kernel_outcome(h.kernel)->goes_on &&
                  gputune_config_int(&gputune_kernel_outcome(h.kernel)->config, "B") != 1;
    }
    CHECK_INT(wrong, 0);
    CHECK_INT(others, 0);
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

static const test_case slices_cases[] = {
    { "same", test_slices_same },
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
    { NULL, NULL },
};
