// Several launches as one: what a program's launcher sees, what it may do wrong, what is compared
// of outputs and with what. Uses tune_reallocate and the stores of test_tune.c and test_store.c.
#include "test.h"

enum { COMPOSITE_N = 1000, COMPOSITE_PARTS = 8 };

// What a configuration does beside adding up.
enum {
    COMPOSITE_RIGHT,
    COMPOSITE_WRONG,   // the second pass counts one too many
    COMPOSITE_FAILS,   // the launcher says so
    COMPOSITE_NOTHING, // is launched
    COMPOSITE_UNKNOWN, // a kernel that is not there, and the launcher says OK
    COMPOSITE_HALF,    // the first pass is forgotten
    COMPOSITE_STRAYS,  // the first pass writes behind its scratch
    COMPOSITE_INPUT,   // or to the input
    COMPOSITE_WAYS,
    COMPOSITE_OWN      // the second pass asks for scratch that nobody gives it
};

typedef struct composite_rig {
    tune_memory memory; // first: its functions get this
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    gputune_arg args[4];
    int x[COMPOSITE_N], sum[4]; // of sum the second counts
    int real, trial, strange; // calls of the launcher with the program's buffers, copies, others
    int groups[2];            // of the passes' last launches
    bool late;                // the second pass of eight parts fails
    bool again;               // the first pass is launched twice
    char size[32];            // its own expression of the first pass's size; "": "parts"
    bool least; // the second pass takes the least: HALF does not begin with INT_MAX, STRAYS begins
                // its scratch with what is there
} composite_rig;

static void composite_first(HOST_KERNEL)
{
    composite_rig *r = (composite_rig *)user;
    const int n = *(const int *)args[0], parts = (int)gputune_config_int(config, "PARTS");
    const int how = (int)gputune_config_int(config, "HOW");
    int *x = (int *)args[1], *part = (int *)args[2], g, i;
    r->groups[0] = (int)range->size[0];
    for (g = (int)range->begin[0]; g < (int)range->end[0]; g++) {
        const int before = part[g];
        for (part[g] = 0, i = g; i < n; i += parts) part[g] += x[i];
        if (r->least && how == COMPOSITE_STRAYS && before < part[g]) part[g] = before;
    }
    if (how == COMPOSITE_STRAYS && !r->least) part[COMPOSITE_PARTS] = 1;
    if (how == COMPOSITE_INPUT) x[3] = 4;
}

static void composite_second(HOST_KERNEL)
{
    composite_rig *r = (composite_rig *)user;
    const int parts = *(const int *)args[0], *part = (const int *)args[1];
    int *sum = (int *)args[2], i;
    r->groups[1] = (int)range->size[0];
    for (i = 0; i < parts && r->least; i++) sum[0] = part[i] < sum[0] ? part[i] : sum[0];
    for (i = 0; i < parts && !r->least; i++) // poison, too
        sum[0] = (int)((unsigned)sum[0] + (unsigned)part[i]);
    sum[0] += gputune_config_int(config, "HOW") == COMPOSITE_WRONG;
}

// Zero is how the sum begins, if it is no inout argument.
static void composite_clear(HOST_KERNEL)
{
    *(int *)args[0] = ((const composite_rig *)user)->least ? INT_MAX : 0;
}

static gputune_result composite_launch(void *user, gputune_kernel *kernel,
                                       const gputune_config *config, const gputune_arg *args,
                                       int count, void *queue)
{
    composite_rig *r = (composite_rig *)user;
    const int parts = (int)gputune_config_int(config, "PARTS");
    const int how = (int)gputune_config_int(config, "HOW");
    const gputune_arg first[4] = { args[0], args[1], args[3], gputune_number("parts", parts) };
    const gputune_arg own = gputune_scratch(COMPOSITE_PARTS * sizeof(int));
    const gputune_arg second[3] = { gputune_int(parts), how == COMPOSITE_OWN ? own : args[3],
                                    args[2] };
    gputune_kernel_desc one, two, none;
    memset(&one, 0, sizeof one);
    two = none = one;
    one.name = "first";
    one.global = *r->size ? r->size : "parts";
    one.local = "1";
    two.name = "second";
    two.global = "1";
    two.signature = "int parts, const int *part, int *sum"; // gputune_int's type
    none.name = "clear";
    none.global = "1";
    if (count != 4 || queue || kernel != r->kernel) r->strange++;
    if (args[1].pointer == r->x && args[2].pointer == &r->sum[1])
        r->real++;
    else if (args[1].pointer == r->x || args[2].pointer == &r->sum[1] || !args[3].pointer)
        r->strange++;
    else
        r->trial++;
    if (how == COMPOSITE_FAILS) return GPUTUNE_ERROR_LIBRARY;
    if (how == COMPOSITE_NOTHING) return GPUTUNE_OK;
    if (how == COMPOSITE_UNKNOWN) one.name = "third";
    if (r->args[2].kind == GPUTUNE_ARG_OUT && !(r->least && how == COMPOSITE_HALF))
        gputune_launch(kernel, config, &none, &args[2], 1);
    if (r->least || how != COMPOSITE_HALF) gputune_launch(kernel, config, &one, first, 4);
    if (r->again) gputune_launch(kernel, config, &one, first, 4);
    if (r->late && parts == 8) return GPUTUNE_ERROR_LIBRARY;
    gputune_launch(kernel, config, &two, second, 3);
    return GPUTUNE_OK;
}

static const gputune_param composite_params[] = { { "PARTS", "set 1,2,4,8", "2" },
                                                  { "HOW", "range 0,7,1", "0" },
                                                  { NULL, NULL, NULL } };

static void composite_init(composite_rig *r, const char *store)
{
    int i;
    memset(r, 0, sizeof *r);
    r->memory.until = -1;
    r->options.mode = GPUTUNE_MODE_ON;
    r->options.store = store;
    r->options.threads = -1;
    r->options.log = tune_logger;
    r->options.user = &r->memory;
    r->options.reallocate = tune_reallocate;
    r->desc.name = "sum";
    r->desc.params = composite_params;
    r->desc.launch = composite_launch;
    r->desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    r->desc.tune.user = r;
    for (i = 0; i < COMPOSITE_N; i++) r->x[i] = i % 7;
    for (i = 0; i < 4; i++) r->sum[i] = 100;
    r->args[0] = arg_int32(COMPOSITE_N);
    r->args[1] = gputune_in(r->x, sizeof r->x);
    r->args[2] = gputune_out(&r->sum[1], sizeof r->sum[1]);
    r->args[3] = gputune_scratch(COMPOSITE_PARTS * sizeof(int));
}

static void composite_open(composite_rig *r)
{
    gputune_function functions[] = { { "first", composite_first, NULL },
                                     { "second", composite_second, NULL },
                                     { "clear", composite_clear, NULL },
                                     { NULL, NULL, NULL } };
    functions[0].user = functions[1].user = functions[2].user = r;
    r->desc.functions = functions;
    r->device = test_steady(gputune_host_device_create(&r->options));
    r->kernel = gputune_kernel_create(r->device, &r->desc);
}

static void composite_close(composite_rig *r)
{
    gputune_kernel_destroy(r->kernel);
    gputune_device_destroy(r->device);
    CHECK_INT(r->memory.blocks, 0);
}

static int composite_total(void)
{
    int i, total = 0;
    for (i = 0; i < COMPOSITE_N; i++) total += i % 7;
    return total;
}

// Trials are on private copies, one launch is on the program's buffers, and what is wrong is found
// out, whichever pass it is in.
static void composite_trials(void)
{
    static const gputune_result expected[COMPOSITE_WAYS] = {
        GPUTUNE_OK,
        GPUTUNE_ERROR_WRONG_OUTPUT,
        GPUTUNE_ERROR_LIBRARY,
        GPUTUNE_ERROR_WRONG_OUTPUT,
        GPUTUNE_ERROR_ARGUMENT,
        GPUTUNE_ERROR_WRONG_OUTPUT,
        GPUTUNE_ERROR_OUT_OF_BOUNDS,
        GPUTUNE_ERROR_WRONG_OUTPUT,
    };
    static const gputune_param half[] = { { "PARTS", "set 2", "2" },
                                          { "HOW", "set 0,5", "0" },
                                          { NULL, NULL, NULL } };
    composite_rig r;
    const gputune_trial *trial;
    int i;
    composite_init(&r, "");
    composite_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_TEXT(gputune_kernel_error(r.kernel)->text, "");
    CHECK_INT(r.real, 1);
    CHECK_INT(r.strange, 0);
    CHECK(r.trial > 4 * COMPOSITE_WAYS);
    CHECK_INT(r.sum[1], composite_total());
    CHECK(r.sum[0] == 100 && r.sum[2] == 100);
    CHECK_INT(r.groups[1], 1);
    CHECK_INT(r.groups[0],
              gputune_config_int(&gputune_kernel_outcome(r.kernel)->config, "PARTS"));
    CHECK_INT(test_trials(r.kernel), 4 * COMPOSITE_WAYS);
    for (i = 0; (trial = gputune_kernel_trial(r.kernel, i)) != NULL; i++) {
        const int how = (int)gputune_config_int(&trial->config, "HOW");
        CHECK_OR(trial->result == expected[how], "way %d: %s: %s", how,
                 gputune_result_name(trial->result), trial->reason);
    }
    CHECK(i == 4 * COMPOSITE_WAYS);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(r.real, 2);
    composite_close(&r);
    composite_init(&r, ""); // HALF after one of as many parts
    r.desc.params = half;
    composite_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(test_trials(r.kernel), 2);
    CHECK_INT(gputune_kernel_trial(r.kernel, 1)->result, GPUTUNE_ERROR_WRONG_OUTPUT);
    composite_close(&r);
}

// Without its first pass the least is one of poison, too, be that in the output or in scratch: it
// is below it or above it.
static void composite_poisons(void)
{
    static const gputune_param params[] = { { "PARTS", "set 2", "2" },
                                            { "HOW", "set 0,5,6", "0" },
                                            { NULL, NULL, NULL } };
    composite_rig r;
    int i;
    composite_init(&r, "");
    r.least = true;
    r.desc.params = params;
    composite_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK(r.sum[1] > 0 && r.sum[1] <= composite_total() / 2);
    CHECK_INT(test_trials(r.kernel), 3);
    for (i = 1; i < 3; i++) {
        CHECK_INT(gputune_kernel_trial(r.kernel, i)->result, GPUTUNE_ERROR_WRONG_OUTPUT);
        CHECK_HAS(gputune_kernel_trial(r.kernel, i)->reason, "[0] is 132, ");
    }
    composite_close(&r);
}

// Scratch is the whole's: one of its launches has none of its own, which would be nowhere.
static void composite_own(void)
{
    static const gputune_param params[] = { { "PARTS", "set 2", "2" },
                                            { "HOW", "set 0,9", "0" },
                                            { NULL, NULL, NULL } };
    composite_rig r;
    composite_init(&r, "");
    r.desc.params = params;
    composite_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(r.sum[1], composite_total());
    CHECK_INT(test_trials(r.kernel), 2);
    CHECK_INT(gputune_kernel_trial(r.kernel, 1)->result, GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_trial(r.kernel, 1)->reason, "NULL given");
    composite_close(&r);
}

// What is read and written starts anew each time.
static void composite_restores(void)
{
    composite_rig r;
    composite_init(&r, "");
    r.args[2] = gputune_inout(&r.sum[1], sizeof r.sum[1]);
    composite_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(r.sum[1], 100 + composite_total());
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK_INT(r.sum[1], 100 + 2 * composite_total());
    CHECK_INT(r.real, 2);
    composite_close(&r);
}

static void composite_remembers(void)
{
    composite_rig r;
    int i;
    tune_temp();
    for (i = 0; i < 2; i++) {
        composite_init(&r, tune_store);
        composite_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
        CHECK_INT(gputune_kernel_outcome(r.kernel)->origin,
                  i ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        CHECK((r.trial == 0) == (i == 1));
        CHECK_INT(r.real, 1);
        CHECK_INT(r.sum[1], composite_total());
        composite_close(&r);
    }
    tune_clean();
}

// A default that cannot be launched, or that launches nothing, ends the tuning: the default runs,
// whose failure is the result.
static void composite_default(void)
{
    static const struct {
        const char *how, *why;
        gputune_result result;
    } rows[] = { { "2", "the program's launch: ", GPUTUNE_ERROR_LIBRARY },
                 { "3", "has written nothing", GPUTUNE_ERROR_LAUNCH },
                 { "4", "there is no kernel \"third\"", GPUTUNE_ERROR_ARGUMENT } };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        gputune_param params[3];
        composite_rig r;
        composite_init(&r, "");
        memcpy(params, composite_params, sizeof params);
        params[1].value_default = rows[i].how;
        r.desc.params = params;
        composite_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), rows[i].result);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text, rows[i].why);
        CHECK_INT(r.real, 0);
        composite_close(&r);
    }
}

// The second pass of the winner fails on the program's own buffers: with an inout argument nothing
// runs after it, else the default does.
static void composite_late(void)
{
    static const gputune_param params[] = { { "PARTS", "set 2,8", "2" },
                                            { "HOW", "set 0", "0" },
                                            { NULL, NULL, NULL } };
    int inout;
    for (inout = 0; inout < 2; inout++) {
        composite_rig r;
        composite_init(&r, "");
        r.desc.params = params;
        r.desc.tune.objective = "9 - PARTS";
        if (inout) r.args[2] = gputune_inout(&r.sum[1], sizeof r.sum[1]);
        composite_open(&r);
        CHECK_INT(gputune_tune(r.kernel, r.args, 4), GPUTUNE_OK);
        r.late = true;
        CHECK_INT(gputune_run(r.kernel, r.args, 4), inout ? GPUTUNE_ERROR_LIBRARY : GPUTUNE_OK);
        CHECK_INT(r.real, inout ? 1 : 2);
        CHECK_INT(r.sum[1], inout ? 100 : composite_total());
        composite_close(&r);
    }
}

static void composite_refused(void)
{
    composite_rig r;
    gputune_pool_desc pool;
    gputune_pool *p;
    gputune_kernel_desc ways[2];
    int row;
    for (row = 0; row < 4; row++) {
        composite_init(&r, "");
        if (row == 0) r.desc.global = "1";
        if (row == 1) r.desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
        if (row == 2) r.desc.name = "second";
        composite_open(&r);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), row < 3 ? GPUTUNE_ERROR_ARGUMENT : GPUTUNE_OK);
        CHECK_HAS(gputune_kernel_error(r.kernel)->text,
                  row < 2    ? "without .global"
                  : row == 2 ? "\"second\" is a kernel's"
                             : "");
        if (row == 3) {
            gputune_config config = gputune_kernel_outcome(r.kernel)->config;
            gputune_kernel_desc one = r.desc;
            one.name = "second";
            CHECK_INT(gputune_launch(r.kernel, &config, &one, r.args, 3), GPUTUNE_ERROR_ARGUMENT);
            CHECK_HAS(gputune_kernel_error(r.kernel)->text, "outside of");
        }
        composite_close(&r);
    }
    composite_init(&r, "");
    composite_open(&r);
    memset(&pool, 0, sizeof pool);
    memset(ways, 0, sizeof ways);
    ways[0] = r.desc;
    ways[0].functions = NULL;
    r.args[3].kind = GPUTUNE_ARG_IN; // or that would be told first
    r.args[3].pointer = r.x;
    pool.kernels = ways;
    for (row = 0; row < 2; row++) {
        if (row) {
            r.args[3] = gputune_scratch(4);
            ways[0].launch = NULL;
            ways[0].global = "1";
        }
        p = gputune_pool_create(r.device, &pool);
        CHECK_INT(gputune_pool_run(p, r.args, 4), GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_HAS(gputune_pool_error(p)->text,
                  row ? "gputune_scratch is not for pools" : ".launch is not for pools");
        gputune_pool_destroy(p);
    }
    composite_close(&r);
}

// Every allocation that fails ends in an error or without its comfort, never in a crash or a leak.
static void composite_memory(void)
{
    static const gputune_param params[] = { { "PARTS", "set 2,8", "2" },
                                            { "HOW", "set 0", "0" },
                                            { NULL, NULL, NULL } };
    composite_rig r;
    long n = 0;
    bool survived = false;
    for (n = 0; n < 10000 && !survived && test_failures < 5; n++) {
        gputune_result result;
        tune_temp();
        composite_init(&r, n % 3 ? "" : tune_store);
        r.desc.params = params;
        r.memory.until = n;
        composite_open(&r);
        result = gputune_run(r.kernel, r.args, 4);
        CHECK_OR(result == GPUTUNE_ERROR_MEMORY ||
                     (result == GPUTUNE_OK && r.sum[1] == composite_total()),
                 "after %ld allocations: %s: %s; %d", n, gputune_result_name(result),
                 gputune_kernel_error(r.kernel)->text, r.sum[1]);
        survived = r.memory.until > 0 && n % 3 == 0;
        composite_close(&r);
        tune_clean();
    }
    CHECK(survived);
}

// --- with several devices, at another size ---

typedef struct composite_replay {
    sat_rig r; // first: its functions get this
    gputune_device *last; // of the calls of the launcher
    int devices;          // that they were on
    int small, real;      // calls for fewer elements; on the program's own buffers
} composite_replay;

// The same kernel twice, the second time on a part of the output of the first.
static gputune_result composite_twice(void *user, gputune_kernel *kernel,
                                      const gputune_config *config, const gputune_arg *args,
                                      int count, void *queue)
{
    composite_replay *c = (composite_replay *)user;
    gputune_arg own[5];
    gputune_kernel_desc desc;
    gputune_error *error;
    gputune_device *device = gputune_kernel_device(kernel, &error);
    gputune_result result = GPUTUNE_OK;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.name = "one";
    desc.global = "ceil_div(n, U)";
    desc.local = "B";
    memcpy(own, args, 4 * sizeof *own);
    own[4] = gputune_number("n", args[0].value.i);
    if (count != 4 || !queue) return GPUTUNE_ERROR_ARGUMENT;
    TEST_ADD(c->small, args[0].value.i < SAT_N);
    TEST_ADD(c->real, args[2].pointer == c->r.t.out);
    if (!c->last) c->last = device; // the kernel's own is the first
    if (device != c->last) TEST_SET(c->devices, 1);
    for (i = 0; i < 2 && result == GPUTUNE_OK; i++)
        result = gputune_launch(kernel, config, &desc, own, 5);
    return result;
}

static void composite_elsewhere(void)
{
    static const unsigned char right[16] = { 0xff };
    gputune_device *more[2];
    int row;
    for (row = 0; row < 4; row++) { // 1, 3: MSP-tuning; 2, 3: two devices
        composite_replay c;
        sat_rig *r = &c.r;
        gputune_outcome o;
        memset(&c, 0, sizeof c);
        sat_init(r, "");
        if (row % 2 == 0) r->t.desc.tune.msp = NULL;
        r->t.desc.global = r->t.desc.local = NULL;
        r->t.desc.launch = composite_twice;
        r->t.desc.tune.user = &c;
        r->t.replay.options.threads = -1;
        more[0] = row > 1 ? rig_replay(&r->t.replay, 1e-5, false) : NULL;
        more[1] = NULL;
        r->t.desc.tune.devices = row > 1 ? more : NULL;
        tune_open(&r->t);
        CHECK_INT(test_tunes(r->t.kernel, r->t.args, 4, &o), GPUTUNE_OK);
        tune_expect(&o, "B=64 U=4");
        CHECK_INT(o.trials, 52);
        CHECK_INT(test_seen.failed, 0);
        CHECK_INT(c.devices, row > 1);
        CHECK((c.small > 0) == (row % 2 == 1));
        CHECK((o.search_size > 0 && o.search_size < SAT_N) == (row % 2 == 1));
        CHECK_INT(c.real, 0);
        CHECK(tune_untouched(&r->t));
        CHECK_INT(gputune_run(r->t.kernel, r->t.args, 4), GPUTUNE_OK);
        CHECK_INT(c.real, 1);
        if (row == 1) { // what is right is so at the real size alone, where it is noticed
            r->t.args[2] = gputune_compared(r->t.args[2], 0, sizeof right, right);
            gputune_kernel_destroy(r->t.kernel);
            r->t.kernel = gputune_kernel_create(r->t.device, &r->t.desc);
            c.small = r->curves = 0;
            CHECK_INT(gputune_tune(r->t.kernel, r->t.args, 4), GPUTUNE_ERROR_WRONG_OUTPUT);
            CHECK_HAS(gputune_kernel_error(r->t.kernel)->text, "out[0]");
            CHECK(c.small > 0);
            r->msp.resize = NULL;
            gputune_kernel_destroy(r->t.kernel);
            r->t.kernel = gputune_kernel_create(r->t.device, &r->t.desc);
            CHECK_INT(gputune_tune(r->t.kernel, r->t.args, 4), GPUTUNE_ERROR_UNSUPPORTED);
            CHECK_HAS(gputune_kernel_error(r->t.kernel)->text, "several launches cannot");
        }
        tune_close(&r->t);
        gputune_device_destroy(more[0]);
    }
}

// --- what is compared, and with what ---

typedef struct compared_case {
    size_t offset, bytes; // of 4 ints; of the argument, which begins at the second
    const char *values;   // right: "0 1 2 3", NULL: the default's
    const char *wrong;    // configurations that fail: "1 3"
} compared_case;

// The last configuration writes what the default does; n changes the n-th element.
static void compared_write(HOST_KERNEL)
{
    const int n = (int)gputune_config_int(config, "N");
    int *out = (int *)args[0], i;
    for (i = 0; i < 4; i++) out[i] = i + 10 * (i == n);
}

static gputune_result compared_reference(void *user, gputune_kernel *kernel,
                                         const gputune_config *config, const gputune_arg *args,
                                         int count, void *queue)
{
    gputune_kernel_desc one;
    gputune_arg own = args[0];
    memset(&one, 0, sizeof one);
    one.name = "other";
    one.global = "1";
    (void)user, (void)queue;
    CHECK_INT(count, 1);
    return gputune_launch(kernel, config, &one, &own, 1);
}

static void compared_other(HOST_KERNEL)
{
    int i;
    for (i = 0; i < 4; i++) ((int *)args[0])[i] = i + 10 * (i == 2);
}

static void compared_check(const compared_case *c, bool launched)
{
    static const gputune_param params[] = { { "N", "set 0,1,2,3,4", "4" }, { NULL, NULL, NULL } };
    static const gputune_function functions[] = { { "write", compared_write, NULL },
                                                  { "other", compared_other, NULL },
                                                  { NULL, NULL, NULL } };
    gputune_options options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *k;
    gputune_arg arg;
    const gputune_trial *trial;
    int data[6] = { 0 }, right[4] = { -1, -1, -1, -1 }, i;
    char bad[64] = "";
    bool failed[5] = { false };
    gputune_result result;
    memset(&options, 0, sizeof options);
    memset(&desc, 0, sizeof desc);
    options.mode = GPUTUNE_MODE_ON;
    options.store = "";
    device = test_steady(gputune_host_device_create(&options));
    desc.name = "write";
    desc.functions = functions;
    desc.signature = "int *out";
    desc.params = params;
    desc.global = desc.local = "1";
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    if (launched) desc.tune.reference_launch = compared_reference;
    k = gputune_kernel_create(device, &desc);
    for (i = 0; c->values && i < (int)(c->bytes / sizeof *right); i++)
        right[i] = c->values[2 * i] - '0';
    arg = gputune_compared(gputune_part(gputune_out(data, sizeof data), 4, 16), c->offset, c->bytes,
                           c->values ? right : NULL);
    result = gputune_tune(k, &arg, 1);
    if (result) {
        snprintf(bad, sizeof bad, "%.60s", strstr(gputune_kernel_error(k)->text, "out["));
    } else
        for (i = 0; (trial = gputune_kernel_trial(k, i)) != NULL; i++)
            failed[trial->config.choice[0]] = trial->result != GPUTUNE_OK;
    for (i = 0; i < 5; i++)
        if (failed[i]) gt__append(bad, sizeof bad, " %d", i);
    CHECK_TEXT(bad, c->wrong);
    for (i = 0; i < 6; i++) CHECK_INT(data[i], 0);
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

static void composite_compared(void)
{
    static const compared_case rows[] = {
        { 0, 16, NULL, " 0 1 2 3" },
        { 4, 8, NULL, " 1 2" },
        { 12, 4, NULL, " 3" },
        { 0, 0, NULL, "" },
        { 3, 2, NULL, " 1" }, // compared as bytes
        { 0, 16, "0 1 2 3", " 0 1 2 3" },
        { 4, 8, "1 2", " 1 2" },
        { 4, 8, "1 7", "out[2] is 2, expected 7; 1 of 2 elements differ" },
    };
    static const compared_case other = { 0, 8, NULL, " 0 1" },
                               same = { 0, 16, NULL,
                                        "out[2] is 2, expected 12; 1 of 4 elements differ" };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) compared_check(&rows[i], false);
    compared_check(&other, true);
    compared_check(&same, true); // the default is not what the other launch says is right
}

// --- on a device ---

// Two kernels of one text, with geometry of their own: that of the second stands in the call.
static const char composite_source[] =
    "#pragma gputune set 16,32,64\n"
    "#define PARTS 32\n"
    "#pragma gputune set 8,16\n"
    "#define WIDTH 16\n"
    "#pragma gputune bool\n"
    "#define WRONG 0\n"
    "#pragma gputune global PARTS\n"
    "#pragma gputune local 8\n"
    "__kernel void partial(int n, __global const int *x, __global int *part)\n"
    "{\n"
    "    int i, sum = 0;\n"
    "    for (i = get_global_id(0); i < n; i += get_global_size(0)) sum += x[i];\n"
    "    part[get_global_id(0)] = sum;\n"
    "}\n"
    "__kernel void total(int parts, __global const int *part, __global int *sum)\n"
    "{\n"
    "    __local int s[WIDTH];\n"
    "    int i, l = get_local_id(0), own = WRONG;\n"
    "    for (i = l; i < parts; i += WIDTH) own += part[i];\n"
    "    s[l] = own;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (i = 1; i < WIDTH && l == 0; i++) own += s[i];\n"
    "    if (l == 0) sum[0] = own;\n"
    "}\n";

typedef struct composite_device_rig {
    gputune_device *device;
    void *sum;   // the program's
    bool waits;  // the host reads what the first pass made
    int real, launches;
} composite_device_rig;

// How many programs of this text OpenCL has built: a GPU may build the kernel that compares, too.
static cl_int(CL_API_CALL *composite_builder)(cl_program, cl_uint, const cl_device_id *,
                                              const char *,
                                              void(CL_CALLBACK *)(cl_program, void *), void *);
static cl_int(CL_API_CALL *composite_tell)(cl_program, cl_program_info, size_t, void *, size_t *);
static int composite_built;

// What the last event with a list of its own waits for: nothing is all that came before.
static cl_int(CL_API_CALL *composite_marker)(cl_command_queue, cl_uint, const cl_event *,
                                             cl_event *);
static int composite_awaited = -1;

static cl_int CL_API_CALL composite_mark(cl_command_queue queue, cl_uint count,
                                         const cl_event *list, cl_event *event)
{
    composite_awaited = (int)count;
    return composite_marker(queue, count, list, event);
}

static cl_int CL_API_CALL composite_build(cl_program program, cl_uint count,
                                          const cl_device_id *ids, const char *options,
                                          void(CL_CALLBACK *done)(cl_program, void *), void *user)
{
    char text[4000] = "";
    composite_tell(program, CL_PROGRAM_SOURCE, sizeof text, text, NULL);
    composite_built += strstr(text, "__kernel void partial(") != NULL;
    return composite_builder(program, count, ids, options, done, user);
}

static void composite_count_builds(gputune_device *device)
{
    gt_cl__device *cl = gt_cl__self(device);
    composite_built = 0;
    if (!cl) return;
    composite_builder = cl->call.clBuildProgram;
    composite_tell = cl->call.clGetProgramInfo;
    cl->call.clBuildProgram = composite_build;
}

static gputune_result composite_device_launch(void *user, gputune_kernel *kernel,
                                              const gputune_config *config, const gputune_arg *args,
                                              int count, void *queue)
{
    composite_device_rig *r = (composite_device_rig *)user;
    const int parts = (int)gputune_config_int(config, "PARTS");
    const gputune_arg first[3] = { args[0], args[1], args[3] };
    const gputune_arg second[3] = { gputune_int(parts), args[3], args[2] };
    gputune_kernel_desc one, two;
    (void)count;
    memset(&one, 0, sizeof one);
    two = one;
    one.name = "partial";
    two.name = "total";
    two.global = two.local = "WIDTH";
    r->real += args[2].pointer == r->sum;
    r->launches++;
    gputune_launch(kernel, config, &one, first, 3);
    if (r->waits && strcmp(rig_now->api, "opencl") == 0) {
        const gt_cl__device *cl = gt_cl__self(r->device);
        int part[64];
        const cl_int code =
            cl->call.clEnqueueReadBuffer((cl_command_queue)queue, (cl_mem)args[3].pointer, CL_TRUE,
                                         (size_t)args[3].value.i, (size_t)parts * sizeof *part,
                                         part, 0, NULL, NULL);
        if (code != CL_SUCCESS || part[0] <= 0) return GPUTUNE_ERROR_DRIVER;
    }
    return gputune_launch(kernel, config, &two, second, 3);
}

// A kernel of 10,000 numbers and its arguments, the program's buffers anew.
static gputune_kernel *composite_device_open(composite_device_rig *r, const char *name,
                                             gputune_arg args[4], void **x, int *total)
{
    enum { N = 10000 };
    gputune_kernel_desc desc;
    int *values = (int *)calloc(N, sizeof *values), got[2] = { 7, 7 }, i;
    for (i = *total = 0; i < N; i++) *total += values[i] = 1 + i % 5;
    *x = gputune_buffer_create(r->device, N * sizeof *values, values);
    r->sum = gputune_buffer_create(r->device, sizeof got, got);
    free(values);
    memset(&desc, 0, sizeof desc);
    desc.source = composite_source;
    desc.name = name;
    desc.signature = "int n, const int *x, int *sum, int *part";
    desc.launch = composite_device_launch;
    desc.tune.strategy = GPUTUNE_STRATEGY_EXHAUSTIVE;
    desc.tune.budget.seconds = -1;
    desc.tune.user = r;
    args[0] = gputune_int(N);
    args[1] = gputune_in(*x, N * sizeof *values);
    args[2] = gputune_out(r->sum, sizeof *got);
    args[3] = gputune_scratch(64 * sizeof(int));
    return gputune_kernel_create(r->device, &desc);
}

static void composite_device_close(composite_device_rig *r, gputune_kernel *k, void *x)
{
    gputune_kernel_destroy(k);
    gputune_buffer_destroy(r->device, x);
    gputune_buffer_destroy(r->device, r->sum);
    gputune_device_destroy(r->device);
}

static void composite_on_device(void)
{
    composite_device_rig r;
    gputune_kernel *k;
    gputune_arg args[4];
    const gputune_trial *trial;
    void *x;
    int total = 0, got[2] = { 7, 7 }, i, run;
    tune_temp();
    for (run = 0; run < 3; run++) {
        memset(&r, 0, sizeof r);
        r.device = test_steady(rig_device(tune_store));
        if (!r.device) break;
        r.waits = run == 2;
        composite_count_builds(r.device);
        k = composite_device_open(&r, r.waits ? "sum with a look" : "sum", args, &x, &total);
        CHECK_INT(gputune_run(k, args, 4), GPUTUNE_OK);
        CHECK_TEXT(gputune_kernel_error(k)->text, "");
        CHECK_INT(gputune_buffer_read(r.device, r.sum, 0, got, sizeof got), GPUTUNE_OK);
        CHECK_INT(got[0], total);
        CHECK_INT(got[1], 7);
        CHECK_INT(r.real, 1);
        if (strcmp(rig_now->api, "opencl") == 0) {
            gputune_cl_order order;
            cl_event event = NULL;
            memset(&order, 0, sizeof order);
            order.event = &event;
            CHECK_INT(gputune_cl_run(k, args, 4, &order), GPUTUNE_OK);
            order.wait_count = 1;
            order.wait_list = &event;
            order.event = NULL;
            CHECK(event != NULL);
            CHECK_INT(gputune_cl_run(k, args, 4, &order), GPUTUNE_OK);
            CHECK_INT(gt_cl__self(r.device)->call.clReleaseEvent(event), CL_SUCCESS);
            CHECK_INT(gputune_buffer_read(r.device, r.sum, 0, got, sizeof got), GPUTUNE_OK);
            CHECK_INT(got[0], total);
            CHECK_INT(r.real, 3);
            r.launches -= 2;
        }
        CHECK_INT(gputune_kernel_outcome(k)->origin,
                  run == 1 ? GPUTUNE_FROM_STORE : GPUTUNE_FROM_TUNING);
        CHECK_TEXT(gputune_kernel_outcome(k)->problem, "n=2^14");
        CHECK((r.launches == 1) == (run == 1));
        CHECK_INT(test_trials(k), run == 1 ? 0 : 12);
        for (i = 0; (trial = gputune_kernel_trial(k, i)) != NULL; i++) {
            const bool wrong = gputune_config_int(&trial->config, "WRONG") != 0;
            CHECK_INT(trial->result, wrong ? GPUTUNE_ERROR_WRONG_OUTPUT : GPUTUNE_OK);
            CHECK(trial->compile_seconds > 0);
        }
        // Both kernels of a configuration are of one program.
        if (strcmp(rig_now->api, "opencl") == 0) CHECK_INT(composite_built, run == 1 ? 1 : 12);
        composite_device_close(&r, k, x);
        got[0] = got[1] = 7;
    }
    tune_clean();
}

// In a queue that is out of order the event is that of all that was launched, whatever that waited
// for (PoCL keeps to the order anyway). An offset belongs to none of the launches.
static void composite_order(void)
{
    composite_device_rig r, own;
    gputune_cl_desc desc = cl_quiet();
    gputune_kernel *k;
    gputune_arg args[4];
    gputune_cl_order order;
    gt_cl__device *cl;
    const size_t offset = 1;
    cl_event first, done = NULL;
    cl_events e;
    cl_int code;
    void *x;
    int total, got = 0;
    if (strcmp(rig_now->api, "opencl") != 0) SKIP("OpenCL's alone");
    memset(&r, 0, sizeof r);
    memset(&own, 0, sizeof own);
    own.device = rig_device(NULL);
    cl = gt_cl__self(own.device);
    if (!cl || !cl_load_events(&e)) {
        TEST_FAIL("%s", gputune_device_error(own.device)->text);
        return;
    }
    desc.queue = cl->call.clCreateCommandQueue(cl->context, cl->id,
                                               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    desc.options.mode = GPUTUNE_MODE_OFF;
    r.device = gputune_cl_device_create(&desc);
    composite_marker = cl->call.clEnqueueMarkerWithWaitList;
    gt_cl__self(r.device)->call.clEnqueueMarkerWithWaitList = composite_mark;
    k = composite_device_open(&r, "sum", args, &x, &total);
    first = e.make(cl->context, &code);
    memset(&order, 0, sizeof order);
    order.wait_count = 1;
    order.wait_list = &first;
    order.event = &done;
    CHECK_INT(gputune_cl_run(k, args, 4, &order), GPUTUNE_OK);
    CHECK(done != NULL);
    CHECK_INT(composite_awaited, 0);
    CHECK_INT(e.set(first, CL_COMPLETE), CL_SUCCESS);
    cl->call.clEnqueueReadBuffer(desc.queue, (cl_mem)r.sum, CL_TRUE, 0, sizeof got, &got,
                                 done != NULL, done ? &done : NULL, NULL);
    CHECK_INT(got, total);
    if (done) cl->call.clReleaseEvent(done);
    order.offset = &offset;
    order.event = NULL;
    CHECK_INT(gputune_cl_run(k, args, 4, &order), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(k)->text, "no offset in common");
    cl->call.clReleaseEvent(first);
    composite_device_close(&r, k, x);
    cl->call.clReleaseCommandQueue(desc.queue);
    gputune_device_destroy(own.device);
}

static const test_case composite_device_cases[] = {
    { "passes", composite_on_device },
    { "order", composite_order },
    { NULL, NULL },
};

// What is shown of the text is that of its kernels, whatever the whole is called.
static void composite_text(void)
{
    gputune_device *device = source_device("/* prelude */", NULL);
    gputune_kernel_desc desc;
    gputune_kernel *k;
    gputune_config config;
    const gputune_arg args[2] = { gputune_int(1), gputune_scratch(4) };
    const gputune_space *space;
    memset(&desc, 0, sizeof desc);
    desc.source = composite_source;
    desc.name = "part by part";
    desc.launch = composite_launch;
    k = gputune_kernel_create(device, &desc);
    space = gputune_kernel_space(k, args, 2);
    CHECK(space != NULL);
    if (space) {
        const char *text;
        config = gputune_space_default(space);
        text = gputune_kernel_source(k, &config);
        CHECK_HAS(text, "extern \"C\" __global__ void partial(");
        CHECK(text && !strstr(text, "part by"));
    }
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

// Of a part of an output in turn.
static void composite_arguments(void)
{
    int data[8] = { 0 };
    gputune_arg arg = gputune_part(gputune_inout(data, sizeof data), 4, 20);
    arg = gputune_compared(arg, 8, 4, data);
    CHECK(arg.skip == 8 && arg.drop == 8 && arg.right == data && arg.bytes == 20);
    arg = gputune_scratch(12);
    CHECK(arg.kind == GPUTUNE_ARG_SCRATCH && arg.bytes == 12 && !arg.pointer);
}

// One kernel may have scratch, too; it grows with the calls.
static void scratch_write(HOST_KERNEL)
{
    const int n = *(const int *)args[0];
    int *scratch = (int *)args[1], i;
    for (i = 0; i < n; i++) scratch[i] = i + 1;
    *(int *)args[2] = scratch[n - 1];
}

static void composite_scratch(void)
{
    static const gputune_param params[] = { { "A", "set 1,2", NULL }, { NULL, NULL, NULL } };
    static const gputune_function functions[] = { { "write", scratch_write, NULL },
                                                  { NULL, NULL, NULL } };
    composite_rig r;
    int n, out;
    composite_init(&r, "");
    composite_open(&r);
    gputune_kernel_destroy(r.kernel);
    memset(&r.desc, 0, sizeof r.desc);
    r.desc.name = "write";
    r.desc.functions = functions;
    r.desc.params = params;
    r.desc.global = r.desc.local = "1";
    r.kernel = gputune_kernel_create(r.device, &r.desc);
    for (n = 4; n <= 4000; n *= 10) {
        const gputune_arg args[3] = { arg_int32(n), gputune_scratch((size_t)n * sizeof n),
                                      gputune_out(&out, sizeof out) };
        out = 0;
        CHECK_INT(gputune_run(r.kernel, args, 3), GPUTUNE_OK);
        CHECK_INT(out, n);
        CHECK_INT(test_kernel_seen(r.kernel).failed, 0);
        CHECK_INT(r.kernel->scratch[1].bytes, (size_t)n * sizeof n);
    }
    composite_close(&r);
}

// The kernels that a series consists of count once each, however often it launches them.
static void composite_typed(void)
{
    static composite_rig r;
    uint64_t series;
    int i;
    composite_init(&r, "");
    composite_open(&r);
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    series = r.kernel->series_hash;
    CHECK_INT(gt__len(r.kernel->targets), 4); // the whole and three kernels
    r.again = true;
    CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    CHECK(series && r.kernel->series_hash == series);
    CHECK_INT(gt__len(r.kernel->targets), 4);
    CHECK_INT(gt__len(r.kernel->codes), 4); // the answer's: nobody keeps what lost
    for (i = 0; i < 2 * GT__TARGETS_MOST; i++) { // sizes written for each call
        snprintf(r.size, sizeof r.size, "parts + 0 * %d", i);
        CHECK_INT(gputune_run(r.kernel, r.args, 4), GPUTUNE_OK);
    }
    CHECK_INT(gt__len(r.kernel->targets), GT__TARGETS_MOST);
    composite_close(&r);
}

static const test_case composite_cases[] = {
    { "trials", composite_trials },
    { "poisons", composite_poisons },       { "own", composite_own },
    { "restores", composite_restores },
    { "remembers", composite_remembers }, { "default", composite_default },
    { "late", composite_late },           { "refused", composite_refused },
    { "memory", composite_memory },       { "compared", composite_compared },
    { "elsewhere", composite_elsewhere }, { "arguments", composite_arguments },
    { "scratch", composite_scratch },     { "text", composite_text },
    { "typed", composite_typed },
    { NULL, NULL },
};
