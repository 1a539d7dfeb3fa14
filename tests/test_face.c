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

// What objects are made of here: descriptions that work.
typedef struct face_parts {
    gputune_device *device;
    gputune_samples *samples;
    gputune_tree *grown;
    gputune_options options;
    gputune_replay_desc replay;
    gputune_kernel_desc kernel;
    gputune_kernel_desc kernels[3];
    gputune_pool_desc pool;
    gputune_tuner_desc tuner;
    gputune_tree_desc tree;
    gputune_goal goals[2];
    gputune_subspaces_desc subspaces;
    gputune_predictor_desc predictor;
    gputune_coarsen_space_desc coarsen;
    gputune_saturation_desc curve;
    gputune_occupancy_desc occupancy;
    gputune_cl_desc cl;
    gputune_cuda_desc cuda;
    gputune_config config; // the default of the predictor's space
    double threshold;      // of a curve of numbers
    int points, samples_wanted;
    gputune_arg args[2];
    int written[4096];
} face_parts;

static const gputune_param face_params[] = { { "A", "set 1,2,3", NULL }, { NULL, NULL, NULL } };
static const gputune_param face_columns[] = { { "n", NULL, NULL },
                                              { "A", NULL, NULL },
                                              { NULL, NULL, NULL } };
static const double face_x[] = { 1, 1, 1, 2, 1, 3, 2, 1, 2, 2, 2, 3, 4, 1, 4, 2, 4, 3 };
static const double face_y[] = { 3, 2, 4, 5, 3, 6, 9, 7, 12 };

static void face_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user;
    trial->seconds = 1e-3 * (double)gputune_config_int(config, "A");
}

static void face_start_learning(face_parts *f)
{
    gputune_samples_desc own;
    gputune_table table = { face_columns, face_x, face_y, 9 };
    memset(&own, 0, sizeof own);
    own.columns = face_columns;
    f->samples = gputune_samples_create(&own);
    CHECK_INT(gputune_samples_merge(f->samples, &table, NULL), GPUTUNE_OK);
    f->tree.table = f->goals[0].table = table;
    f->goals[0].tree = f->grown = gputune_tree_create(&f->tree);
    f->subspaces.goals = f->goals;
    f->predictor.samples = f->samples;
}

static void face_start(face_parts *f)
{
    memset(f, 0, sizeof *f);
    f->options.store = "";
    f->replay.trial = face_trial;
    f->replay.options.store = "";
    f->kernel.name = "f";
    f->kernel.signature = "int n, int *y";
    f->kernel.global = "n";
    f->kernel.local = "64";
    f->kernel.params = face_params;
    f->kernels[0] = f->kernels[1] = f->kernel;
    f->kernels[0].config = "A=3";
    f->kernels[1].config = "A=1";
    f->pool.kernels = f->kernels;
    f->pool.when = GPUTUNE_PROFILE_ALWAYS;
    f->tuner.space.params = face_params;
    f->tuner.space.options.store = "";
    f->coarsen.source = "__kernel void f(int n, __global int *y) { y[get_global_id(0)] = n; }";
    f->coarsen.name = "f";
    f->coarsen.global[0] = 4096;
    f->coarsen.local[0] = 64;
    f->curve.resize = "n = size";
    f->occupancy.compute_capability = 90;
    f->occupancy.group_size = 128;
    f->cl.options.store = f->cuda.options.store = "";
    f->points = 9;
    f->samples_wanted = 3;
    f->args[0] = gputune_int(4096);
    f->args[1] = gputune_out(f->written, sizeof f->written);
    face_start_learning(f);
    f->predictor.space = gputune_space_create(&f->tuner.space);
    f->config = gputune_space_default(f->predictor.space);
    f->device = gputune_replay_device_create(&f->replay);
}

static void face_stop(face_parts *f)
{
    gputune_device_destroy(f->device);
    gputune_space_destroy((gputune_space *)(uintptr_t)f->config.space);
    gputune_samples_destroy(f->samples);
    gputune_tree_destroy(f->grown);
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
static void *face_make_samples(face_parts *f)
{
    gputune_samples_desc zero;
    (void)f;
    memset(&zero, 0, sizeof zero);
    return gputune_samples_create(&zero);
}
static void *face_make_subspaces(face_parts *f) { return gputune_subspaces_create(&f->subspaces); }
static void *face_make_predictor(face_parts *f) { return gputune_predictor_create(&f->predictor); }
static void *face_make_coarsen(face_parts *f) { return gputune_coarsen_space(&f->coarsen); }

static void face_zero_replay(face_parts *f) { memset(&f->replay, 0, sizeof f->replay); }
static void face_zero_kernel(face_parts *f) { memset(&f->kernel, 0, sizeof f->kernel); }
static void face_zero_pool(face_parts *f) { memset(&f->pool, 0, sizeof f->pool); }
static void face_zero_tuner(face_parts *f) { memset(&f->tuner, 0, sizeof f->tuner); }
static void face_zero_tree(face_parts *f) { memset(&f->tree, 0, sizeof f->tree); }
static void face_zero_subspaces(face_parts *f) { memset(&f->subspaces, 0, sizeof f->subspaces); }
static void face_no_goals(face_parts *f) { f->goals[0].tree = NULL; }
static void face_zero_predictor(face_parts *f) { memset(&f->predictor, 0, sizeof f->predictor); }
static void face_no_samples(face_parts *f) { f->predictor.samples = NULL; }
static void face_zero_coarsen(face_parts *f) { memset(&f->coarsen, 0, sizeof f->coarsen); }

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
    { "pool", &face_pool, face_make_pool, NULL, GPUTUNE_OK, "" },
    { "pool, zero", &face_pool, face_make_pool, face_zero_pool, GPUTUNE_OK, "" },
    { "pool, no device", &face_pool, face_make_lost_pool, NULL, GPUTUNE_ERROR_MEMORY, "memory" },
    { "tuner", &face_tuner, face_make_tuner, NULL, GPUTUNE_OK, "" },
    { "tuner, zero", &face_tuner, face_make_tuner, face_zero_tuner, GPUTUNE_OK, "" },
    { "tree", &face_tree, face_make_tree, NULL, GPUTUNE_OK, "" },
    { "tree, zero", &face_tree, face_make_tree, face_zero_tree, GPUTUNE_ERROR_ARGUMENT,
      "0 columns" },
    { "tree of no text", &face_tree, face_load_tree, NULL, GPUTUNE_ERROR_FORMAT, "line 1" },
    { "samples, zero", &face_samples, face_make_samples, NULL, GPUTUNE_ERROR_ARGUMENT,
      "0 columns" },
    { "subspaces", &face_subspaces, face_make_subspaces, NULL, GPUTUNE_OK, "" },
    { "subspaces, zero", &face_subspaces, face_make_subspaces, face_zero_subspaces,
      GPUTUNE_ERROR_ARGUMENT, "gputune_subspaces_desc.goals" },
    { "subspaces, no goals", &face_subspaces, face_make_subspaces, face_no_goals,
      GPUTUNE_ERROR_ARGUMENT, "gputune_subspaces_desc.goals" },
    { "predictor", &face_predictor, face_make_predictor, NULL, GPUTUNE_OK, "" },
    { "predictor, zero", &face_predictor, face_make_predictor, face_zero_predictor,
      GPUTUNE_ERROR_ARGUMENT, "gputune_predictor_desc.space" },
    { "predictor, no samples", &face_predictor, face_make_predictor, face_no_samples,
      GPUTUNE_ERROR_ARGUMENT, ".samples" },
    { "coarsening", &face_space, face_make_coarsen, NULL, GPUTUNE_OK, "" },
    { "coarsening, zero", &face_space, face_make_coarsen, face_zero_coarsen,
      GPUTUNE_ERROR_ARGUMENT, "gputune_coarsen_space_desc.source" },
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

// --- every number of every description ---

// What an object says after it was made, used and ended.
typedef gputune_error (*face_use)(face_parts *);

static gputune_error face_use_device(gputune_device *device, face_parts *f)
{
    gputune_error error = *gputune_device_error(device);
    gputune_kernel *kernel = gputune_kernel_create(device, &f->kernel);
    if (!error.result && gputune_tune(kernel, f->args, 2)) error = *gputune_kernel_error(kernel);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return error;
}

static gputune_error face_use_replay(face_parts *f)
{
    return face_use_device(gputune_replay_device_create(&f->replay), f);
}

static void face_host(HOST_KERNEL)
{
    int *y = (int *)args[1];
    size_t i;
    for (i = range->begin[0]; i < range->end[0]; i++) y[i] = 7;
}

static gputune_error face_use_host(face_parts *f)
{
    static const gputune_function functions[] = { { "f", face_host, NULL }, { NULL, NULL, NULL } };
    f->kernel.functions = functions;
    f->kernel.tune.budget.trials = 2;
    return face_use_device(gputune_host_device_create(&f->options), f);
}

static gputune_error face_use_opened(gputune_device *device)
{
    const gputune_error error = *gputune_device_error(device);
    gputune_device_destroy(device);
    return error;
}

static gputune_error face_use_cl(face_parts *f)
{
    gputune_error error = face_use_opened(gputune_cl_device_create(&f->cl));
    if (error.result == GPUTUNE_ERROR_NO_DEVICE) error.result = GPUTUNE_OK; // of no such type
    return error;
}

// Only the first device may be there.
static gputune_error face_use_cuda(face_parts *f)
{
    gputune_error error = face_use_opened(gputune_cuda_device_create(&f->cuda));
    CHECK(error.result || !f->cuda.device);
    error.result = GPUTUNE_OK;
    return error;
}

static gputune_error face_use_kernel(face_parts *f)
{
    gputune_kernel *kernel = gputune_kernel_create(f->device, &f->kernel);
    gputune_error error;
    gputune_tune(kernel, f->args, 2);
    error = *gputune_kernel_error(kernel);
    CHECK_INT(gputune_run(kernel, f->args, 2) != GPUTUNE_OK, error.result != GPUTUNE_OK);
    CHECK(gputune_kernel_outcome(kernel)->text != NULL);
    gputune_kernel_destroy(kernel);
    return error;
}

static gputune_error face_use_msp(face_parts *f)
{
    f->kernel.tune.msp = &f->curve;
    return face_use_kernel(f);
}

static gputune_error face_use_curve(face_parts *f)
{
    gputune_kernel *kernel = gputune_kernel_create(f->device, &f->kernel);
    gputune_curve curve;
    gputune_error error;
    gputune_kernel_curve(kernel, &f->curve, NULL, f->args, 2, &curve);
    error = *gputune_kernel_error(kernel);
    CHECK(curve.count >= 0 && curve.count <= GPUTUNE_CURVE_POINTS);
    gputune_kernel_destroy(kernel);
    return error;
}

static gputune_error face_use_time(face_parts *f)
{
    gputune_kernel *kernel = gputune_kernel_create(f->device, &f->kernel);
    const gputune_space *space = gputune_kernel_space(kernel, f->args, 2);
    gputune_config config = gputune_space_default(space);
    gputune_stats stats;
    gputune_error error;
    gputune_kernel_time(kernel, &config, f->args, 2, f->samples_wanted, &stats);
    error = *gputune_kernel_error(kernel);
    CHECK_INT(stats.count, error.result ? 0 : f->samples_wanted);
    gputune_kernel_destroy(kernel);
    return error;
}

static gputune_error face_use_pool(face_parts *f)
{
    gputune_pool *pool = gputune_pool_create(f->device, &f->pool);
    gputune_error error;
    int i;
    for (i = 0; i < 3; i++) gputune_pool_run(pool, f->args, 2);
    error = *gputune_pool_error(pool);
    CHECK(gputune_pool_outcome(pool)->text != NULL);
    gputune_pool_destroy(pool);
    return error;
}

static gputune_error face_use_tuner(face_parts *f)
{
    gputune_tuner *tuner = gputune_tuner_create(&f->tuner);
    gputune_config config;
    gputune_error error = *gputune_tuner_error(tuner);
    int asked = 0;
    while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG && asked < 9)
        gputune_tell(tuner, &config, ++asked);
    CHECK_INT(asked > 0, error.result == GPUTUNE_OK);
    CHECK(asked <= 3);
    gputune_tuner_destroy(tuner);
    return error;
}

static gputune_error face_use_tree(face_parts *f)
{
    gputune_tree *tree = gputune_tree_create(&f->tree);
    gputune_error error = *gputune_tree_error(tree);
    const double value = gputune_tree_predict(tree, face_x, NULL);
    CHECK_INT(value > 0, error.result == GPUTUNE_OK);
    CHECK_INT(gputune_tree_text(tree, GPUTUNE_TREE_TEXT, NULL) != NULL, !error.result);
    gputune_tree_destroy(tree);
    return error;
}

static gputune_error face_use_subspaces(face_parts *f)
{
    gputune_subspaces *all = gputune_subspaces_create(&f->subspaces);
    gputune_error error = *gputune_subspaces_error(all);
    CHECK_INT(gputune_subspaces_at(all, 0, 0) != NULL, error.result == GPUTUNE_OK);
    gputune_subspaces_destroy(all);
    return error;
}

static gputune_error face_use_coarsen(face_parts *f)
{
    gputune_space *space = gputune_coarsen_space(&f->coarsen);
    gputune_error error = *gputune_space_error(space);
    gputune_geometry geometry;
    gputune_config config;
    uint64_t i;
    for (i = 0; i < gputune_space_count(space) && i < 99; i++) {
        config = gputune_space_at(space, i);
        CHECK(gputune_coarsen_text(space, &config) != NULL);
        CHECK(gputune_coarsen_geometry(space, &config, &geometry) && geometry.global[0] > 0);
    }
    gputune_space_destroy(space);
    return error;
}

// Their errors are texts of what they return.
static gputune_error face_use_occupancy(face_parts *f)
{
    const gputune_occupancy o = gputune_occupancy_of(&f->occupancy);
    gputune_error error;
    memset(&error, 0, sizeof error);
    if (o.active_groups < 0) gputune_error_set(&error, GPUTUNE_ERROR_ARGUMENT, "%s", o.text);
    return error;
}

static gputune_error face_use_saturation(face_parts *f)
{
    static const double size[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
    const gputune_saturation s =
        gputune_saturation_of(size, NULL, face_y, f->points, f->threshold);
    gputune_error error;
    memset(&error, 0, sizeof error);
    if (s.msp < 0) gputune_error_set(&error, GPUTUNE_ERROR_ARGUMENT, "%s", s.text);
    return error;
}

typedef enum face_kind { FACE_INT, FACE_ENUM, FACE_LONG, FACE_SIZE, FACE_REAL } face_kind;

// Values of a kind, a letter each: minus one, zero, Most, Least, a number beyond an enum's (9),
// Not a number, Infinity and (J) that below zero.
static const char *const face_letters[] = { "-0ML", "-9", "-0ML", "0M", "-0MLNIJ" };

static void face_put(void *field, face_kind kind, char letter)
{
    const int least = letter == 'L', most = letter == 'M', minus = -(letter == '-');
    int i = letter == '9' ? 99 : most ? INT_MAX : least ? INT_MIN : minus;
    int64_t l = most ? INT64_MAX : least ? INT64_MIN : minus;
    size_t s = most ? (size_t)-1 : 0;
    double r = letter == 'N'   ? (double)NAN
               : letter == 'I' ? HUGE_VAL
               : letter == 'J' ? -HUGE_VAL
               : most          ? DBL_MAX
               : least         ? -DBL_MAX
                               : minus;
    memcpy(field, kind == FACE_LONG   ? (const void *)&l
                  : kind == FACE_SIZE ? (const void *)&s
                  : kind == FACE_REAL ? (const void *)&r
                                      : (const void *)&i,
           kind == FACE_LONG   ? sizeof l
           : kind == FACE_SIZE ? sizeof s
           : kind == FACE_REAL ? sizeof r
                               : sizeof i);
}

#define FACE_AT(member) offsetof(face_parts, member)
// fine: what has a meaning; all else is refused.
#define FACE_OPTIONS(of, use)                                                                     \
    { "threads", FACE_AT(of.threads), FACE_INT, use, "-0ML" },                                    \
        { "log_level", FACE_AT(of.log_level), FACE_ENUM, use, "-9" },                             \
        { "mode", FACE_AT(of.mode), FACE_ENUM, use, "-9" },
#define FACE_TUNE(of, use, also)                                                                  \
    { ".strategy", FACE_AT(of.strategy), FACE_ENUM, use, "" },                                    \
        { ".budget.trials", FACE_AT(of.budget.trials), FACE_INT, use, "0M" },                     \
        { ".budget.seconds", FACE_AT(of.budget.seconds), FACE_REAL, use, "-0ML" },                \
        { ".budget.patience", FACE_AT(of.budget.patience), FACE_INT, use, "0M" },                 \
        { ".budget.error", FACE_AT(of.budget.error), FACE_REAL, use, "0M" },                      \
        { "seed", FACE_AT(of.seed), FACE_LONG, use, "-0ML" },                                     \
        { ".tolerance", FACE_AT(of.tolerance), FACE_REAL, use, "0" also },                        \
        { ".absolute_tolerance", FACE_AT(of.absolute_tolerance), FACE_REAL, use, "0" also },      \
        { ".time_limit", FACE_AT(of.time_limit), FACE_REAL, use, "0" also },                      \
        { ".hang_limit", FACE_AT(of.hang_limit), FACE_REAL, use, "0" also },

static const struct face_field {
    const char *name;
    size_t at;
    face_kind kind;
    face_use use;
    const char *fine;
} face_fields[] = {
    FACE_OPTIONS(options, face_use_host)
    FACE_OPTIONS(replay.options, face_use_replay)
    FACE_OPTIONS(tuner.space.options, face_use_tuner)
    FACE_OPTIONS(tree.options, face_use_tree)
    FACE_OPTIONS(coarsen.space.options, face_use_coarsen)
    { "type", FACE_AT(cl.type), FACE_LONG, face_use_cl, "-0ML" },
    FACE_OPTIONS(cl.options, face_use_cl)
    { "device", FACE_AT(cuda.device), FACE_INT, face_use_cuda, "-0ML" },
    { ".noise", FACE_AT(replay.noise), FACE_REAL, face_use_replay, "0" },
    { ".overhead", FACE_AT(replay.overhead), FACE_REAL, face_use_replay, "0M" },
    { ".energy_seconds", FACE_AT(replay.energy_seconds), FACE_REAL, face_use_replay, "0M" },
    FACE_TUNE(kernel.tune, face_use_kernel, "M")
    FACE_TUNE(kernels[0].tune, face_use_pool, "M")
    FACE_TUNE(tuner.tune, face_use_tuner, "")
    { "refine", FACE_AT(kernel.tune.refine), FACE_INT, face_use_kernel, "-0ML" },
    { "refine", FACE_AT(tuner.tune.refine), FACE_INT, face_use_tuner, "0" },
    { ".coarsen.form", FACE_AT(kernel.coarsen.form), FACE_ENUM, face_use_kernel, "" },
    { ".smallest", FACE_AT(curve.smallest), FACE_REAL, face_use_curve, "0" },
    { ".largest", FACE_AT(curve.largest), FACE_REAL, face_use_curve, "0" },
    { ".threshold", FACE_AT(curve.threshold), FACE_REAL, face_use_curve, "-0L" },
    { ".smallest", FACE_AT(curve.smallest), FACE_REAL, face_use_msp, "0M" },
    { ".largest", FACE_AT(curve.largest), FACE_REAL, face_use_msp, "0M" },
    { ".threshold", FACE_AT(curve.threshold), FACE_REAL, face_use_msp, "-0L" },
    { "samples", FACE_AT(samples_wanted), FACE_INT, face_use_time, "" },
    { ".mode", FACE_AT(pool.mode), FACE_ENUM, face_use_pool, "" },
    { ".when", FACE_AT(pool.when), FACE_ENUM, face_use_pool, "" },
    { ".part", FACE_AT(pool.part), FACE_REAL, face_use_pool, "0" },
    { ".ceiling", FACE_AT(pool.ceiling), FACE_REAL, face_use_pool, "0M" },
    { ".trend", FACE_AT(tree.trend), FACE_INT, face_use_tree, "-0" },
    { ".min_leaf", FACE_AT(tree.min_leaf), FACE_INT, face_use_tree, "0M" },
    { ".leaves", FACE_AT(tree.leaves), FACE_INT, face_use_tree, "0M" },
    { ".trees", FACE_AT(tree.trees), FACE_INT, face_use_tree, "0" },
    { "seed", FACE_AT(tree.seed), FACE_LONG, face_use_tree, "-0ML" },
    { ".table.count", FACE_AT(tree.table.count), FACE_SIZE, face_use_tree, "" },
    { ".table.count", FACE_AT(goals[0].table.count), FACE_SIZE, face_use_subspaces, "" },
    { ".coarsen.form", FACE_AT(coarsen.coarsen.form), FACE_ENUM, face_use_coarsen, "" },
    { ".global", FACE_AT(coarsen.global[0]), FACE_SIZE, face_use_coarsen, "" },
    { ".global", FACE_AT(coarsen.global[1]), FACE_SIZE, face_use_coarsen, "0" },
    { ".local", FACE_AT(coarsen.local[0]), FACE_SIZE, face_use_coarsen, "0" },
    { "compute_capability", FACE_AT(occupancy.compute_capability), FACE_INT, face_use_occupancy,
      "" },
    { "group_size", FACE_AT(occupancy.group_size), FACE_INT, face_use_occupancy, "M" },
    { "registers", FACE_AT(occupancy.registers), FACE_INT, face_use_occupancy, "0M" },
    { "local_memory", FACE_AT(occupancy.local_memory), FACE_LONG, face_use_occupancy, "0" },
    { "point", FACE_AT(points), FACE_INT, face_use_saturation, "" },
    { "threshold", FACE_AT(threshold), FACE_REAL, face_use_saturation, "-0MLNIJ" },
#define GPUTUNE__X(name)                                                                          \
    { #name, FACE_AT(replay.limits.name), FACE_LONG, face_use_replay, "-0ML" },
    GPUTUNE_LIMITS(GPUTUNE__X)
#undef GPUTUNE__X
};

static void test_face_fields(void)
{
    static face_parts f;
    size_t i;
    const char *letter;
    for (i = 0; i < sizeof face_fields / sizeof *face_fields; i++) {
        const struct face_field *field = &face_fields[i];
        for (letter = face_letters[field->kind]; *letter; letter++) {
            const bool fine = strchr(field->fine, *letter) != NULL;
            gputune_error error;
            face_start(&f);
            face_put((char *)&f + field->at, field->kind, *letter);
            error = field->use(&f);
            CHECK_OR(fine ? error.result == GPUTUNE_OK
                          : error.result == GPUTUNE_ERROR_ARGUMENT &&
                                strstr(error.text, field->name) != NULL,
                     "field %d, %s, value %c: %s: %s", (int)i, field->name, *letter,
                     gputune_result_name(error.result), error.text);
            face_stop(&f);
        }
    }
}

// A mode that there is not is that of tuning, as its declaration says; other enums have no names.
static void test_face_values(void)
{
    static const int none[] = { -1, 99 };
    int i;
    for (i = 0; i < 2; i++) {
        static face_parts f;
        gputune_tuner *tuner;
        gputune_config config;
        int asked = 0;
        face_start(&f);
        f.tuner.space.options.mode = (gputune_mode)none[i];
        tuner = gputune_tuner_create(&f.tuner);
        CHECK_INT(tuner->base.mode, GPUTUNE_MODE_ON);
        while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG)
            CHECK_INT(gputune_tell(tuner, &config, ++asked), GPUTUNE_OK);
        CHECK_INT(asked, 3);
        gputune_tuner_destroy(tuner);
        CHECK_TEXT(gputune_strategy_name((gputune_strategy)none[i]), "unknown");
        CHECK_TEXT(gputune_result_name((gputune_result)none[i]), "unknown");
        CHECK(gputune_tree_text(f.grown, (gputune_tree_form)none[i], "f") == NULL);
        CHECK_INT(gputune_tree_error(f.grown)->result, GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_tree_error(f.grown)->text, "form");
        face_stop(&f);
    }
}

static const test_case face_cases[] = {
    { "nothing", test_face_nothing },
    { "made", test_face_made },
    { "fields", test_face_fields },
    { "values", test_face_values },
    { NULL, NULL },
};
