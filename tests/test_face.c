// The public face at its edges: objects made of nothing, errors of no object, values of enums that
// there are not. The answer is what the declaration says, or ERROR_ARGUMENT that names the field.
#include "test.h"

#include <sys/wait.h>
#include <unistd.h>

// One object: how its error is asked for and how it ends, without its type.
#define FACE_OBJECTS(X)                                                                           \
    X(device) X(space) X(tree) X(samples) X(predictor) X(tuner) X(kernel) X(pool)

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
    gputune_predictor_desc predictor;
    gputune_coarsen_space_desc coarsen;
    gputune_saturation_desc curve;
    struct {
        int compute_capability, group_size, registers;
        int64_t local_memory;
    } occupancy;
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
    size_t i;
    memset(&own, 0, sizeof own);
    own.columns = face_columns;
    f->samples = gputune_samples_create(&own);
    for (i = 0; i < table.count; i++)
        CHECK_INT(gputune_samples_add(f->samples, table.x + 2 * i, NULL, table.y[i]), GPUTUNE_OK);
    f->tree.table = table;
    f->grown = gputune_tree_create(&f->tree);
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
static void *face_make_samples(face_parts *f)
{
    gputune_samples_desc zero;
    (void)f;
    memset(&zero, 0, sizeof zero);
    return gputune_samples_create(&zero);
}
static void *face_make_predictor(face_parts *f) { return gputune_predictor_create(&f->predictor); }
static void *face_make_coarsen(face_parts *f) { return gputune_coarsen_space(&f->coarsen); }

static void face_zero_replay(face_parts *f) { memset(&f->replay, 0, sizeof f->replay); }
static void face_zero_kernel(face_parts *f) { memset(&f->kernel, 0, sizeof f->kernel); }
static void face_zero_pool(face_parts *f) { memset(&f->pool, 0, sizeof f->pool); }
static void face_zero_tuner(face_parts *f) { memset(&f->tuner, 0, sizeof f->tuner); }
static void face_zero_tree(face_parts *f) { memset(&f->tree, 0, sizeof f->tree); }
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
      "columns is 0;" },
    { "samples, zero", &face_samples, face_make_samples, NULL, GPUTUNE_ERROR_ARGUMENT,
      "columns is 0;" },
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
    if (error.result == GPUTUNE_ERROR_NO_DEVICE || // of no such type
        error.result == GPUTUNE_ERROR_LIBRARY)     // another machine's tests (tests/machines.sh)
        error.result = GPUTUNE_OK;
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
    while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG && asked < 20)
        gputune_tell(tuner, &config, ++asked);
    CHECK_INT(asked > 0, error.result == GPUTUNE_OK);
    CHECK(asked <= 9); // three configurations, three times
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
    const gputune_occupancy o = gputune_occupancy_of(
        f->occupancy.compute_capability, f->occupancy.group_size, f->occupancy.registers,
        f->occupancy.local_memory);
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
    { ".min_leaf", FACE_AT(tree.min_leaf), FACE_INT, face_use_tree, "0M" },
    { ".leaves", FACE_AT(tree.leaves), FACE_INT, face_use_tree, "0M" },
    { ".trees", FACE_AT(tree.trees), FACE_INT, face_use_tree, "0" },
    { "seed", FACE_AT(tree.seed), FACE_LONG, face_use_tree, "-0ML" },
    { ".table.count", FACE_AT(tree.table.count), FACE_SIZE, face_use_tree, "" },
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
#define GT__X(name)                                                                               \
    { #name, FACE_AT(replay.limits.name), FACE_LONG, face_use_replay, "-0ML" },
    GPUTUNE_LIMITS(GT__X)
#undef GT__X
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

// --- configurations and arguments that are none ---

static void test_face_no_config(void)
{
    static face_parts f;
    gputune_config none, near;
    gputune_geometry geometry;
    gputune_stats stats;
    gputune_kernel *kernel;
    gputune_tuner *tuner;
    gputune_space *space;
    gputune_curve curve;
    const gputune_space *own;
    uint64_t index = 7;
    double x[2] = { 1, 1 };
    char text[16] = "x";
    memset(&none, 0, sizeof none);
    face_start(&f);
    own = f.config.space;
    CHECK_INT(gputune_config_int(&none, "A"), 0);
    CHECK_NEAR(gputune_config_real(&none, "A"), 0, 0);
    CHECK(gputune_config_name(&none, "A") == NULL);
    CHECK_INT(gputune_config_choice(&none, "A"), -1);
    CHECK_TEXT(gputune_config_text(&none, text, sizeof text), "");
    CHECK_TEXT(gputune_config_defines(&none, text, sizeof text), "");
    CHECK(!gputune_space_index(own, &none, &index) && index == 7);
    CHECK_INT(gputune_space_neighbours(own, &none, false, &near, 1), 0);
    CHECK(!gputune_config_parse(own, "B=1", &none) && gputune_config_parse(own, "", &none));
    memset(&none, 0, sizeof none);
    CHECK_INT(gputune_samples_add(f.samples, x, &none, 1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_samples_error(f.samples)->text, "all zero");
    CHECK_INT(gputune_samples_row(f.samples, x, &none, x), GPUTUNE_ERROR_ARGUMENT);
    tuner = gputune_tuner_create(&f.tuner);
    CHECK_INT(gputune_tell(tuner, &none, 1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_tell_failed(tuner, &none, GPUTUNE_OK, "x"), GPUTUNE_ERROR_ARGUMENT);
    gputune_tuner_destroy(tuner);
    space = gputune_coarsen_space(&f.coarsen);
    CHECK(gputune_coarsen_text(space, &none) == NULL);
    CHECK(!gputune_coarsen_geometry(space, &none, &geometry));
    CHECK_INT(gputune_space_error(space)->result, GPUTUNE_ERROR_ARGUMENT);
    gputune_space_destroy(space);
    f.kernel.source = "__kernel void f(int n, __global int *y) { y[get_global_id(0)] = A * n; }";
    kernel = gputune_kernel_create(f.device, &f.kernel);
    CHECK(gputune_kernel_source(kernel, &none) == NULL);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "all zero");
    CHECK_INT(gputune_kernel_launch(kernel, &none, f.args, 2), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_kernel_time(kernel, &none, f.args, 2, 3, &stats), GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_kernel_geometry(kernel, &none, f.args, 2, &geometry),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_INT(gputune_kernel_curve(kernel, &f.curve, &none, f.args, 2, &curve),
              GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "all zero");
    // Nor are arguments that point nowhere, or fewer than none.
    f.args[1] = gputune_out(NULL, 256);
    CHECK_INT(gputune_run(kernel, f.args, 2), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "NULL");
    f.args[1] = gputune_bytes(NULL, 4);
    CHECK_INT(gputune_run(kernel, f.args, 2), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "NULL");
    CHECK_INT(gputune_run(kernel, f.args, -1), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(kernel)->text, "arg_count");
    CHECK_INT(gputune_run(kernel, f.args, INT_MAX), GPUTUNE_ERROR_ARGUMENT);
    gputune_kernel_destroy(kernel);
    face_stop(&f);
}

static void face_no_local(void) { (void)gputune_local(NULL); }
static void face_long_part(void)
{
    static int x[4];
    (void)gputune_part(gputune_in(x, sizeof x), 8, 9);
}
static void face_late_part(void)
{
    static int x[4];
    (void)gputune_part(gputune_in(x, sizeof x), 17, 0);
}
static void face_no_buffer(void) { (void)gputune_part(gputune_int(1), 0, 0); }
static void face_low_type(void) { (void)gputune_scalar((gputune_type)-1, "1234567"); }
static void face_high_type(void) { (void)gputune_scalar((gputune_type)99, "1234567"); }
static void face_no_type(void) { (void)gputune_scalar(GPUTUNE_BYTES, "1234567"); }

// What only a mistake of the program can be ends it where it is made.
static void test_face_asserts(void)
{
    static void (*const mistakes[])(void) = { face_no_local,  face_long_part, face_late_part,
                                              face_no_buffer, face_low_type,  face_high_type,
                                              face_no_type };
    size_t i;
    for (i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        int status = 0;
        pid_t child;
        fflush(NULL);
        child = fork();
        if (child == 0) {
            signal(SIGABRT, SIG_DFL);
            close(2);
            mistakes[i]();
            _exit(0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        CHECK_OR(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "mistake %d: status %d",
                 (int)i, status);
    }
}

// --- integers of 64 bits ---

static int64_t face_seen;

static void face_wide(HOST_KERNEL)
{
    face_seen = *(const int64_t *)args[0];
    *(int64_t *)args[1] = face_seen;
}

static void face_wide_space(int64_t n, const char *numbers, const char *rule)
{
    static face_parts f;
    const char *const require[] = { rule, NULL };
    char values[96];
    gputune_param params[] = { { "A", NULL, NULL }, { NULL, NULL, NULL } };
    gputune_space *space;
    gputune_config config;
    snprintf(values, sizeof values, "set %lld,5", (long long)n);
    params[0].values = values;
    face_start(&f);
    f.tuner.space.params = params;
    f.tuner.space.numbers = numbers;
    f.tuner.space.require = require;
    space = gputune_space_create(&f.tuner.space);
    CHECK_INT(gputune_space_count(space), 2);
    config = gputune_space_default(space);
    CHECK_INT(gputune_config_int(&config, "A"), n);
    gputune_config_text(&config, values, sizeof values);
    CHECK(gputune_config_parse(space, values, &config));
    CHECK_INT(gputune_config_int(&config, "A"), n);
    gputune_space_destroy(space);
    face_stop(&f);
}

// One run: by argument, from the store, or by a number that the kernel does not take.
static void face_wide_run(int64_t n, const char *problem, const char *rule, int how)
{
    static const gputune_function functions[] = { { "f", face_wide, NULL }, { NULL, NULL, NULL } };
    static face_parts f;
    const char *const require[] = { rule, NULL };
    gputune_arg args[3];
    gputune_device *device;
    gputune_kernel *kernel;
    int64_t out = 0;
    face_start(&f);
    f.options.store = tune_store;
    device = gputune_host_device_create(&f.options);
    f.kernel.signature = how == 2 ? "long m, long *y" : "long n, long *y";
    f.kernel.functions = functions;
    f.kernel.require = require;
    f.kernel.global = f.kernel.local = "1";
    f.kernel.tune.problem = "exact";
    f.kernel.tune.budget.trials = 2;
    args[0] = gputune_int(n);
    args[1] = gputune_out(&out, sizeof out);
    args[2] = gputune_number("n", n);
    kernel = gputune_kernel_create(device, &f.kernel);
    CHECK_OR(gputune_run(kernel, args, how == 2 ? 3 : 2) == GPUTUNE_OK, "%s",
             gputune_kernel_error(kernel)->text);
    CHECK_INT(face_seen, n);
    CHECK_INT(out, n);
    CHECK_HAS(gputune_kernel_outcome(kernel)->problem, problem);
    CHECK_INT(gputune_kernel_outcome(kernel)->origin == GPUTUNE_FROM_STORE, how == 1);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    face_stop(&f);
}

// The outermost ones by argument, restriction, value of a parameter, number and store.
static void test_face_wide(void)
{
    static const int64_t ends[] = { INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1, -1 };
    size_t i;
    int how;
    tune_temp();
    for (i = 0; i < sizeof ends / sizeof *ends; i++) {
        const int64_t n = ends[i];
        char numbers[64], rule[96];
        snprintf(numbers, sizeof numbers, "n=%lld", (long long)n);
        // In C -2^63 is no number but an expression.
        snprintf(rule, sizeof rule, n < 0 ? "n == %lld - 1" : "n == %lld",
                 (long long)(n < 0 ? n + 1 : n));
        face_wide_space(n, numbers, rule);
        for (how = 0; how < 3; how++) face_wide_run(n, numbers, rule, how);
    }
    tune_clean();
}

// --- texts ---

#define FACE_TEXT(text) CHECK_OR((text) != NULL, "%s: %s is NULL", what, #text)

static void face_kernel_texts(gputune_kernel *kernel, const char *what)
{
    const gputune_outcome *o = gputune_kernel_outcome(kernel);
    FACE_TEXT(gputune_kernel_error(kernel)->text);
    FACE_TEXT(o->text);
    FACE_TEXT(o->problem);
    FACE_TEXT(o->note);
}

static void face_pool_texts(gputune_pool *pool, const char *what)
{
    const gputune_pool_report *o = gputune_pool_outcome(pool);
    int i;
    FACE_TEXT(gputune_pool_error(pool)->text);
    FACE_TEXT(o->text);
    CHECK(o->variants != NULL);
    for (i = 0; o->variants[i].name; i++) FACE_TEXT(o->variants[i].reason);
}

// A text is NULL only where its declaration says so: fresh, after work, in error.
static void test_face_texts(void)
{
    static face_parts f;
    const char *what = "a name of no value";
    gputune_kernel *kernel;
    gputune_pool *pool;
    gputune_predictor *predictor;
    gputune_predictor_desc nothing;
    gputune_tree *tree;
    gputune_tuner *tuner;
    gputune_config config;
    int broken;
    FACE_TEXT(gputune_result_name(GPUTUNE_RESULT_COUNT));
    FACE_TEXT(gputune_result_text(GPUTUNE_RESULT_COUNT));
    FACE_TEXT(gputune_strategy_name(GPUTUNE_STRATEGY_COUNT));
    for (broken = 0; broken < 2; broken++) {
        face_start(&f);
        what = broken ? "in error" : "fresh";
        if (broken) f.kernel.name = NULL, f.pool.mode = (gputune_profile_mode)99;
        kernel = gputune_kernel_create(f.device, &f.kernel);
        face_kernel_texts(kernel, what);
        CHECK(gputune_kernel_trial(kernel, 0) == NULL);
        CHECK_INT(gputune_tune(kernel, f.args, 2) != GPUTUNE_OK, broken);
        face_kernel_texts(kernel, broken ? "used in error" : "tuned");
        if (!broken) FACE_TEXT(gputune_kernel_trial(kernel, 0)->reason);
        gputune_kernel_destroy(kernel);
        pool = gputune_pool_create(f.device, &f.pool);
        face_pool_texts(pool, what);
        CHECK_INT(gputune_pool_run(pool, f.args, 2) != GPUTUNE_OK, broken);
        face_pool_texts(pool, broken ? "used in error" : "run");
        gputune_pool_destroy(pool);
        memset(&nothing, 0, sizeof nothing);
        predictor = gputune_predictor_create(broken ? &nothing : &f.predictor);
        FACE_TEXT(gputune_predictor_error(predictor)->text);
        FACE_TEXT(gputune_predictor_score(predictor).text);
        gputune_predictor_destroy(predictor);
        if (broken) f.tree.leaves = -1;
        tree = gputune_tree_create(&f.tree);
        FACE_TEXT(gputune_tree_error(tree)->text);
        CHECK_INT(gputune_tree_text(tree, GPUTUNE_TREE_C, "f") == NULL, broken);
        gputune_tree_destroy(tree);
        if (broken) f.tuner.tune.budget.trials = -1;
        tuner = gputune_tuner_create(&f.tuner);
        FACE_TEXT(gputune_tuner_error(tuner)->text);
        CHECK_INT(gputune_ask(tuner, &config), broken ? GPUTUNE_ASK_OVER : GPUTUNE_ASK_CONFIG);
        CHECK_INT(gputune_tell_failed(tuner, &config, GPUTUNE_ERROR_LAUNCH, NULL) != GPUTUNE_OK,
                  broken);
        if (!broken) FACE_TEXT(gputune_tuner_trial(tuner, 0)->reason);
        FACE_TEXT(gputune_saturation_of(NULL, NULL, NULL, 0, 0).text);
        gputune_tuner_destroy(tuner);
        face_stop(&f);
    }
}

// --- every allocation failing in turn ---

// What the declarations promise for want of memory, over whole programs.
typedef gputune_result (*face_program)(face_parts *f);

static int face_reached; // times that a program came to what it is for

static gputune_result face_program_time(face_parts *f)
{
    gputune_kernel *kernel = gputune_kernel_create(f->device, &f->kernel);
    const gputune_space *space = gputune_kernel_space(kernel, f->args, 2);
    gputune_config config = gputune_space_default(space);
    gputune_stats stats;
    gputune_result result = gputune_kernel_error(kernel)->result;
    if (space) result = gputune_kernel_time(kernel, &config, f->args, 2, 3, &stats);
    if (space) CHECK_INT(stats.count, result ? 0 : 3);
    face_reached += !result;
    gputune_kernel_destroy(kernel);
    return result;
}

// Three problems are tuned; of the fourth the others' answers predict a configuration.
static gputune_result face_program_predict(face_parts *f)
{
    static const gputune_param slow[] = { { "A", "set 1,2,3", "3" }, { NULL, NULL, NULL } };
    static const int64_t n[] = { 256, 1024, 4096, 512 };
    gputune_kernel *kernel;
    gputune_result result = GPUTUNE_OK;
    int i;
    f->kernel.params = slow;
    f->kernel.tune.refine = INT_MAX;
    kernel = gputune_kernel_create(f->device, &f->kernel);
    for (i = 0; i < 4 && !result; i++) {
        f->args[0] = gputune_int(n[i]);
        result = gputune_run(kernel, f->args, 2);
    }
    face_reached += i == 4 && !result && kernel->last->tuner && *kernel->last->tuner->prediction;
    gputune_kernel_destroy(kernel);
    return result;
}

// A tuning with a bound, and what bounds its default.
static gputune_result face_program_explain(face_parts *f)
{
    gt__answers *answers = f->device ? gt__device_answers(f->device) : NULL;
    gputune_kernel *kernel;
    gputune_config config;
    gputune_result result;
    if (!answers) return GPUTUNE_ERROR_MEMORY;
    answers->figures.memory_bandwidth = 1e15;
    answers->figures.launch = 1e-9;
    f->kernel.work = "bytes = 4.0 * n; flops = 1.0 * n";
    kernel = gputune_kernel_create(f->device, &f->kernel);
    result = gputune_tune(kernel, f->args, 2);
    if (!result) {
        config = gputune_space_default(gputune_kernel_space(kernel, f->args, 2));
        if (!gputune_kernel_explain(kernel, f->args, 2, &config))
            result = gputune_kernel_error(kernel)->result;
        face_reached += !result && gputune_kernel_outcome(kernel)->bounds;
    }
    gputune_kernel_destroy(kernel);
    return result;
}

// Forty configurations at random, until a tree predicts them.
static gputune_result face_program_sample(face_parts *f)
{
    static const gputune_param params[] = { { "A", "range 1,40", NULL }, { NULL, NULL, NULL } };
    gputune_tuner *tuner;
    gputune_config config;
    gputune_result result;
    f->tuner.space.params = params;
    f->tuner.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    f->tuner.tune.budget.error = 1e-3;
    tuner = gputune_tuner_create(&f->tuner);
    result = gputune_tuner_error(tuner)->result;
    while (!result && gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG)
        result = gputune_tell(tuner, &config, (double)(gputune_config_int(&config, "A") / 20 + 1));
    if (!result) result = gputune_tuner_error(tuner)->result;
    if (!result) face_reached += gputune_tuner_trial(tuner, 38) == NULL;
    gputune_tuner_destroy(tuner);
    return result;
}

// True when no allocation was refused. How many fail: one, or all behind it, too.
static bool face_starved(face_program program, long until, bool once, long *most)
{
    static face_parts f;
    tune_memory memory;
    gputune_result result;
    memset(&memory, 0, sizeof memory);
    memory.until = until;
    memory.once = once;
    face_start(&f);
    gputune_device_destroy(f.device);
    f.replay.options.reallocate = f.tuner.space.options.reallocate = tune_reallocate;
    f.replay.options.user = f.tuner.space.options.user = &memory;
    f.replay.options.store = f.tuner.space.options.store = tune_store;
    f.tuner.name = "sampled";
    f.args[1] = gputune_out(f.written, 1024); // every trial writes and compares all of it
    f.device = gputune_replay_device_create(&f.replay);
    result = program(&f);
    CHECK_OR(result == GPUTUNE_OK || result == GPUTUNE_ERROR_MEMORY, "after %ld allocations: %s",
             until, gputune_result_name(result));
    face_stop(&f);
    CHECK_INT(memory.blocks, 0);
    if (until > *most) *most = until;
    return memory.until > 0;
}

static void test_face_memory(void)
{
    static const face_program all[] = { face_program_time, face_program_predict,
                                        face_program_explain, face_program_sample };
    size_t i;
    int once;
    for (i = 0; i < sizeof all / sizeof *all; i++)
        for (once = 0; once < 2; once++) {
            long until = 0, most = 0;
            bool whole = false;
            face_reached = 0;
            for (until = 0; !whole && until < 20000 && test_failures < 5;
                 until += until < 300 ? 1 : 7) {
                tune_temp();
                whole = face_starved(all[i], until, once, &most);
                tune_clean();
            }
            CHECK_OR(whole && most > 50 && face_reached > 0, "program %d: %ld allocations", (int)i,
                     most);
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
        f.tuner.race = -1;
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
    { "no_config", test_face_no_config },
    { "asserts", test_face_asserts },
    { "wide", test_face_wide },
    { "texts", test_face_texts },
    { "memory", test_face_memory },
    { NULL, NULL },
};
