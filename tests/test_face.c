// The public face at its edges: objects made of nothing, errors of no object, values of enums that
// there are not. The answer is what the declaration says, or ERROR_ARGUMENT that names the field.
#include "test.h"

// One object: how its error is asked for and how it ends, without its type.
#define FACE_OBJECTS(X)                                                                           \
    X(device) X(space) X(tree) X(samples) X(subspaces) X(predictor) X(tuner) X(kernel) X(pool)

typedef struct face_object {
    const char *name;
    const gputune_error *(*error)(const void *);
    void (*destroy)(void *);
} face_object;

#define FACE_FUNCTIONS(object)                                                                    \
    static const gputune_error *face_##object##_error(const void *x)                              \
    {                                                                                             \
        return gputune_##object##_error((const gputune_##object *)x);                             \
    }                                                                                             \
    static void face_##object##_destroy(void *x)                                                  \
    {                                                                                             \
        gputune_##object##_destroy((gputune_##object *)x);                                        \
    }
FACE_OBJECTS(FACE_FUNCTIONS)

#define FACE_TABLE(object)                                                                        \
    static const face_object face_##object = { #object, face_##object##_error,                    \
                                               face_##object##_destroy };
FACE_OBJECTS(FACE_TABLE)

#define FACE_ADDRESS(object) &face_##object,
static const face_object *const face_objects[] = { FACE_OBJECTS(FACE_ADDRESS) };

// No object: out of memory. To end none is fine.
static void test_face_nothing(void)
{
    size_t i;
    for (i = 0; i < sizeof face_objects / sizeof *face_objects; i++) {
        const gputune_error *error = face_objects[i]->error(NULL);
        CHECK_OR(error && error->result == GPUTUNE_ERROR_MEMORY &&
                     strcmp(error->text, "out of memory") == 0,
                 "%s: %s", face_objects[i]->name, error ? error->text : "no error");
        face_objects[i]->destroy(NULL);
    }
}

// What objects are made of here: a device and descriptions that are zero but for what they need.
typedef struct face_parts {
    gputune_device *device;
    gputune_kernel *plain; // that works
    gputune_replay_desc replay;
    gputune_kernel_desc kernel;
    gputune_kernel_desc kernels[2];
    gputune_pool_desc pool;
    gputune_tuner_desc tuner;
    gputune_tree_desc tree;
} face_parts;

static const gputune_param face_params[] = { { "A", "set 1,2,3", NULL }, { NULL, NULL, NULL } };

static void face_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user, (void)config;
    trial->seconds = 1e-3;
}

static void face_start(face_parts *f)
{
    memset(f, 0, sizeof *f);
    f->replay.trial = face_trial;
    f->replay.options.store = "";
    f->device = gputune_replay_device_create(&f->replay);
    f->kernel.name = "f";
    f->kernel.global = "64";
    f->kernel.params = face_params;
    f->plain = gputune_kernel_create(f->device, &f->kernel);
    f->kernels[0] = f->kernel;
    f->pool.kernels = f->kernels;
    f->tuner.space.params = face_params;
    f->tuner.space.options.store = "";
}

static void face_stop(face_parts *f)
{
    gputune_kernel_destroy(f->plain);
    gputune_device_destroy(f->device);
}

static void *face_make_host(face_parts *f)
{
    (void)f;
    return gputune_host_device_create(NULL);
}
static void *face_make_replay(face_parts *f) { return gputune_replay_device_create(&f->replay); }
static void *face_make_space(face_parts *f)
{
    gputune_space_desc zero;
    (void)f;
    memset(&zero, 0, sizeof zero);
    return gputune_space_create(&zero);
}
static void *face_make_kernel(face_parts *f)
{
    return gputune_kernel_create(f->device, &f->kernel);
}
static void *face_make_orphan(face_parts *f) { return gputune_kernel_create(NULL, &f->kernel); }
static void *face_make_pool(face_parts *f) { return gputune_pool_create(f->device, &f->pool); }
static void *face_make_lost_pool(face_parts *f) { return gputune_pool_create(NULL, &f->pool); }
static void *face_make_tuner(face_parts *f) { return gputune_tuner_create(&f->tuner); }
static void *face_make_tree(face_parts *f) { return gputune_tree_create(&f->tree); }
static void *face_load_tree(face_parts *f)
{
    (void)f;
    return gputune_tree_load("", NULL);
}

static void face_zero_replay(face_parts *f) { memset(&f->replay, 0, sizeof f->replay); }
static void face_zero_kernel(face_parts *f) { memset(&f->kernel, 0, sizeof f->kernel); }
static void face_zero_pool(face_parts *f) { memset(&f->pool, 0, sizeof f->pool); }
static void face_zero_tuner(face_parts *f) { memset(&f->tuner, 0, sizeof f->tuner); }
static void face_low_strategy(face_parts *f) { f->tuner.tune.strategy = (gputune_strategy)-1; }
static void face_high_strategy(face_parts *f) { f->tuner.tune.strategy = (gputune_strategy)99; }
static void face_low_form(face_parts *f) { f->kernel.coarsen.form = (gputune_coarsening)-1; }
static void face_high_form(face_parts *f) { f->kernel.coarsen.form = (gputune_coarsening)99; }
static void face_low_mode(face_parts *f) { f->pool.mode = (gputune_profile_mode)-1; }
static void face_high_mode(face_parts *f) { f->pool.mode = (gputune_profile_mode)99; }

static const struct {
    const char *name;
    const face_object *object;
    void *(*make)(face_parts *);
    void (*change)(face_parts *); // of what works, or NULL
    gputune_result result;
    const char *culprit; // in the text
} face_made[] = {
    { "host, no options", &face_device, face_make_host, NULL, GPUTUNE_OK, "" },
    { "replay", &face_device, face_make_replay, NULL, GPUTUNE_OK, "" },
    { "replay, zero", &face_device, face_make_replay, face_zero_replay, GPUTUNE_ERROR_ARGUMENT,
      "gputune_replay_desc.trial" },
    { "space, no options", &face_space, face_make_space, NULL, GPUTUNE_OK, "" },
    { "kernel", &face_kernel, face_make_kernel, NULL, GPUTUNE_OK, "" },
    { "kernel, zero", &face_kernel, face_make_kernel, face_zero_kernel, GPUTUNE_ERROR_ARGUMENT,
      "gputune_kernel_desc.name" },
    { "kernel, no device", &face_kernel, face_make_orphan, NULL, GPUTUNE_ERROR_MEMORY, "memory" },
    { "kernel, form -1", &face_kernel, face_make_kernel, face_low_form, GPUTUNE_ERROR_ARGUMENT,
      ".coarsen.form -1" },
    { "kernel, form 99", &face_kernel, face_make_kernel, face_high_form, GPUTUNE_ERROR_ARGUMENT,
      ".coarsen.form 99" },
    { "pool", &face_pool, face_make_pool, NULL, GPUTUNE_OK, "" },
    { "pool, zero", &face_pool, face_make_pool, face_zero_pool, GPUTUNE_OK, "" },
    { "pool, no device", &face_pool, face_make_lost_pool, NULL, GPUTUNE_ERROR_MEMORY, "memory" },
    { "pool, mode -1", &face_pool, face_make_pool, face_low_mode, GPUTUNE_ERROR_ARGUMENT,
      ".mode -1" },
    { "pool, mode 99", &face_pool, face_make_pool, face_high_mode, GPUTUNE_ERROR_ARGUMENT,
      ".mode 99" },
    { "tuner", &face_tuner, face_make_tuner, NULL, GPUTUNE_OK, "" },
    { "tuner, zero", &face_tuner, face_make_tuner, face_zero_tuner, GPUTUNE_OK, "" },
    { "tuner, strategy -1", &face_tuner, face_make_tuner, face_low_strategy,
      GPUTUNE_ERROR_ARGUMENT, "strategy -1" },
    { "tuner, strategy 99", &face_tuner, face_make_tuner, face_high_strategy,
      GPUTUNE_ERROR_ARGUMENT, "strategy 99" },
    { "tree, zero", &face_tree, face_make_tree, NULL, GPUTUNE_ERROR_ARGUMENT, "0 columns" },
    { "tree of no text", &face_tree, face_load_tree, NULL, GPUTUNE_ERROR_FORMAT, "line 1" },
};

static void test_face_made(void)
{
    size_t i;
    for (i = 0; i < sizeof face_made / sizeof *face_made; i++) {
        face_parts f;
        const gputune_error *error;
        void *object;
        face_start(&f);
        if (face_made[i].change) face_made[i].change(&f);
        object = face_made[i].make(&f);
        error = face_made[i].object->error(object);
        CHECK_OR(error->result == face_made[i].result && strstr(error->text, face_made[i].culprit),
                 "%s: %s: %s", face_made[i].name, gputune_result_name(error->result), error->text);
        face_made[i].object->destroy(object);
        face_stop(&f);
    }
}

// A strategy that there is not fails the tuning of a kernel, too; a mode that there is not is
// that of tuning, as its declaration says.
static void test_face_values(void)
{
    static const int none[] = { -1, 99 };
    int i;
    for (i = 0; i < 2; i++) {
        face_parts f;
        gputune_kernel *kernel;
        gputune_tuner *tuner;
        gputune_config config;
        gputune_arg out;
        int asked = 0, written[64];
        face_start(&f);
        f.kernel.tune.strategy = (gputune_strategy)none[i];
        kernel = gputune_kernel_create(f.device, &f.kernel);
        out = gputune_out(written, sizeof written);
        CHECK_INT(gputune_tune(kernel, &out, 1), GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_kernel_error(kernel)->text, i ? "strategy 99" : "strategy -1");
        gputune_kernel_destroy(kernel);
        f.tuner.space.options.mode = (gputune_mode)none[i];
        tuner = gputune_tuner_create(&f.tuner);
        CHECK_INT(tuner->base.mode, GPUTUNE_MODE_ON);
        while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG)
            CHECK_INT(gputune_tell(tuner, &config, ++asked), GPUTUNE_OK);
        CHECK_INT(asked, 3);
        gputune_tuner_destroy(tuner);
        CHECK_TEXT(gputune_strategy_name((gputune_strategy)none[i]), "unknown");
        CHECK_TEXT(gputune_result_name((gputune_result)none[i]), "unknown");
        face_stop(&f);
    }
}

static const test_case face_cases[] = {
    { "nothing", test_face_nothing },
    { "made", test_face_made },
    { "values", test_face_values },
    { NULL, NULL },
};
