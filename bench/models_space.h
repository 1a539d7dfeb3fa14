// For bench_models.c, behind models_kernels.h: configurations of three spaces that are tried,
// ranked by the models and searched again in their order.
#ifndef BENCH_MODELS_SPACE_H
#define BENCH_MODELS_SPACE_H

// --- spaces: ranking configurations ---

enum { RANKED = 200, LEARNED_FROM = 100, COMPILERS = 16 };

// One configuration that was tried.
typedef struct sample {
    gputune_config config;
    double seconds; // infinite: it failed
    gputune_usage usage;
    char *text; // to be compiled for its counts
    ptx_known known;
    models_job job;
} sample;

typedef struct measured_space {
    bench *b;
    const char *name, *function; // the kernel's
    case_data data;
    gputune_kernel *kernel;
    const gputune_space *space;
    sample *samples;
    int count, valid;
    double deadline; // of compiling
    double compile_seconds, compile_wall; // of all that were counted: of processors, of the clock
    double trial_seconds;                 // of one trial
    int compiled, next; // of the samples: counted; the next to be
    pthread_mutex_t lock;
    // Of a configuration: the job by the source but for its instructions, and what is known of its
    // loops.
    void (*describe)(const struct measured_space *s, const gputune_config *c, models_job *j,
                     ptx_known *known);
} measured_space;

static double value_of(const gputune_config *config, const char *name)
{
    return (double)gputune_config_int(config, name);
}

// C = A B of n^3: tiles and vectors as examples/kernels/sgemm.cl has them. Of vectors and wide
// loads from local memory each 4 bytes of a work-item count as an access.
static void describe_sgemm(const measured_space *s, const gputune_config *c, models_job *j,
                           ptx_known *known)
{
    const double n = s->data.size[0], square = n * n;
    const double tm = value_of(c, "TILE_M"), tn = value_of(c, "TILE_N"), tk = value_of(c, "TILE_K");
    const double im = value_of(c, "ITEMS_M"), in = value_of(c, "ITEMS_N");
    const double vector = value_of(c, "VECTOR"), wide = tn / in;  // work-items side by side
    const double across = fmax(1, 32 / wide);                     // of a warp, one below the other
    const double run = fmax(1, fmin(wide, 32) * vector * 4 / 32); // sectors of a row of these
    j->groups = ceil(n / tm) * ceil(n / tn);
    j->group_size = tm / im * wide;
    j->unique = 12 * square;
    known->anchor = PTX_FMA;
    known->count = im * in * n;
    if (gputune_config_int(c, "LOCAL_MEMORY")) {
        const double loads =
            ceil(tm * tk / vector / j->group_size) + ceil(tk * tn / vector / j->group_size);
        known->around = ceil(n / tk);
        known->loads = loads * known->around;
        j->barriers = 2 * known->around;
        j->sectors = 4 * vector;
        job_block(j, IDIOM_STREAM, n / tm * square + n / tn * square + 2 * square, 12 * square);
    } else {
        j->sectors = (im * across + in / vector * run) / (im + in / vector);
        j->scattered = (across > 4 ? im : 0) / (im + in / vector);
        j->lines = across;
        job_block(j, IDIOM_STREAM, square * n / in + square * n / im + 2 * square, 12 * square);
    }
    // as a product with square tiles of the same reuse
    j->memory = job_product_bytes(&s->b->f, j, n, 2 / (1 / tm + 1 / tn));
}

static void describe_convolution(const measured_space *s, const gputune_config *c, models_job *j,
                                 ptx_known *known)
{
    const double width = s->data.size[0], height = s->data.size[1], size = s->data.size[2];
    const double gx = value_of(c, "GROUP_X"), gy = value_of(c, "GROUP_Y");
    const double ix = value_of(c, "ITEMS_X"), iy = value_of(c, "ITEMS_Y"), pixels = width * height;
    const double rows = fmax(1, 32 / gx), run = fmax(1, fmin(gx, 32) * 4 / 32);
    const bool image = gputune_config_int(c, "LOCAL_IMAGE") != 0;
    const bool filter = gputune_config_int(c, "LOCAL_FILTER") != 0;
    const double tile = (gx * ix + size - 1) * (gy * iy + size - 1);
    j->groups = ceil(width / ix / gx) * ceil(height / iy / gy);
    j->group_size = gx * gy;
    j->unique = 8 * pixels;
    j->reuse = 4 * width * (gy * iy + size) * 2;
    j->sectors = rows * (run + 0.5); // half of the rows begin within a sector
    j->scattered = rows > 4;
    j->lines = rows;
    j->barriers = image || filter;
    known->anchor = PTX_FMA;
    known->count = ix * iy * size * size;
    known->around = size;
    if (image) {
        known->rows = ceil((gy * iy + size - 1) / gy);
        known->loads = known->rows * ceil((gx * ix + size - 1) / gx);
    }
    if (filter) known->loads += ceil(size * size / j->group_size);
    job_block(j, IDIOM_STENCIL,
              pixels + (image ? j->groups * tile : pixels * size * size * (1 + 1 / ix / iy)),
              4 * pixels);
}

static void describe_stencil(const measured_space *s, const gputune_config *c, models_job *j,
                             ptx_known *known)
{
    const double n = s->data.size[0];
    const double gx = value_of(c, "GROUP_X"), gy = value_of(c, "GROUP_Y");
    const double ix = value_of(c, "ITEMS_X"), iy = value_of(c, "ITEMS_Y");
    const double rows = fmax(1, 32 / gx), run = fmax(1, fmin(gx, 32) * 4 / 32);
    const bool tile = gputune_config_int(c, "LOCAL_TILE") != 0;
    const double tile_x = gx * ix + 2, tile_y = gy * iy + 2;
    j->groups = n / ix / gx * (n / iy / gy);
    j->group_size = gx * gy;
    j->unique = 8 * n * n;
    j->reuse = 4 * n * (gy * iy + 2) * 2;
    j->sectors = rows * (tile ? run + 0.5 : run + 1.0 / 3);
    j->scattered = rows > 4;
    j->lines = rows;
    j->barriers = tile;
    if (tile) {
        known->rows = ceil(tile_y / gy);
        known->loads = known->rows * ceil(tile_x / gx);
    }
    job_block(j, IDIOM_STENCIL, n * n + (tile ? j->groups * tile_x * tile_y : 5 * n * n),
              4 * n * n);
}

// Ends where the race would begin.
static bool only_search(void *user, const gputune_progress *progress)
{
    (void)user;
    return strcmp(progress->phase, "race") != 0;
}

// Tries configurations at random, as tuning does: the default first, each output compared with its.
static void measure_space(measured_space *s, double seconds, int configurations)
{
    const gputune_trial *t;
    const double begin = now();
    double best = HUGE_VAL;
    gputune_result result = gputune_tune(s->kernel, s->data.args, s->data.arg_count);
    if (result != GPUTUNE_OK && result != GPUTUNE_CANCELLED)
        fail(s->name, gputune_kernel_error(s->kernel)->text);
    s->space = gputune_kernel_space(s->kernel, s->data.args, s->data.arg_count);
    if (!s->space) fail(s->name, gputune_kernel_error(s->kernel)->text);
    while (gputune_kernel_trial(s->kernel, s->count)) s->count++;
    s->samples = (sample *)calloc((size_t)s->count + 1, sizeof *s->samples);
    if (!s->samples || s->count < 4) fail(s->name, "too few trials");
    for (int i = 0; (t = gputune_kernel_trial(s->kernel, i)) != NULL; i++) {
        sample *to = &s->samples[i];
        to->config = t->config;
        to->usage = t->usage;
        to->seconds = t->result == GPUTUNE_OK && t->value > 0 ? t->value : HUGE_VAL;
        s->valid += to->seconds < HUGE_VAL;
        best = fmin(best, to->seconds);
    }
    s->trial_seconds = (now() - begin) / s->count;
    row(1e3 * s->trial_seconds, "ms", "trial_ms_%s", s->name);
    row(1e6 * s->samples[0].seconds, "us", "default_us_%s", s->name);
    row(1e6 * best, "us", "best_us_%s", s->name);
    row((double)gputune_space_count(s->space), "configurations", "configurations_%s", s->name);
    row(s->count, "of the space", "trials_%s", s->name);
    row(s->valid, "of the space", "valid_%s", s->name);
    if (s->count < configurations)
        fprintf(stderr, "%s: %d of %d configurations in %.0f s\n", s->name, s->count,
                configurations, seconds);
}

// --- counts of all configurations, compiled by several threads ---

// Of this thread's own: compilers may wait for each other.
static double thread_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *compile_samples(void *argument)
{
    measured_space *s = (measured_space *)argument;
    for (;;) {
        static const double once[PTX_LOOPS] = { 1.0 };
        const double begin = thread_now();
        sample *to = NULL;
        ptx_kernel *read;
        ptx_work counted;
        pthread_mutex_lock(&s->lock);
        while (s->next < s->count && !s->samples[s->next].text) s->next++;
        if (s->next < s->count && now() < s->deadline) to = &s->samples[s->next++];
        pthread_mutex_unlock(&s->lock);
        if (!to) return NULL;
        read = (ptx_kernel *)need(sizeof *read);
        *read = read_kernel(s->b, to->text, s->function);
        counted = to->known.count > 0 || to->known.loads > 0 ? ptx_fit(read, &to->known)
                                                             : ptx_sum(read, once);
        free(read);
        to->job.missing = counted.missing;
        if (!counted.missing) count_into(&to->job, &counted);
        pthread_mutex_lock(&s->lock);
        s->compiled++;
        s->compile_seconds += thread_now() - begin;
        pthread_mutex_unlock(&s->lock);
    }
}

static void count_samples(measured_space *s, double seconds)
{
    pthread_t threads[COMPILERS];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int started = 0;
    const double begin = now();
    s->deadline = begin + seconds;
    pthread_mutex_init(&s->lock, NULL);
    for (int i = 0; i < COMPILERS && i < cores; i++)
        started += pthread_create(&threads[started], NULL, compile_samples, s) == 0;
    if (started == 0) compile_samples(s);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&s->lock);
    s->compile_wall = now() - begin;
    if (s->compiled > 0) {
        row(1e3 * s->compile_seconds / s->compiled, "ms", "predict_ms_%s", s->name);
        row(1e3 * s->compile_wall / s->compiled, "ms", "predict_wall_ms_%s", s->name);
    }
    fprintf(stderr, "%s: %d of %d counted in %.1f s\n", s->name, s->compiled, s->valid,
            s->compile_wall);
}

// Where the driver does not tell: as the occupancy calculation has it, of 32 registers unless more
// are known; 0: it cannot say.
static double active_by_geometry(const measured_space *s, const sample *of)
{
    gputune_geometry g;
    const int registers = of->usage.registers > 0 ? of->usage.registers : 32;
    const double local = of->usage.local_memory > 0 ? (double)of->usage.local_memory : 0;
    if (gputune_kernel_geometry(s->kernel, &of->config, s->data.args, s->data.arg_count, &g) !=
        GPUTUNE_OK)
        return 0;
    return active_groups(s->b, (double)(g.local[0] * g.local[1] * g.local[2]), registers, local);
}

// What the formulas say of every configuration that ran.
static void predict_space(measured_space *s, double seconds)
{
    for (int i = 0; i < s->count; i++) {
        sample *to = &s->samples[i];
        for (int m = 0; m < MODELS; m++) to->job.predicted[m] = NAN;
        if (!(to->seconds < HUGE_VAL)) continue;
        to->job.measured = to->seconds;
        to->job.active =
            to->usage.active_groups > 0 ? to->usage.active_groups : active_by_geometry(s, to);
        s->describe(s, &to->config, &to->job, &to->known);
        to->job.missing = s->b->has_ptx ? "counts: not compiled" : s->b->ptx_missing;
        if (s->b->has_ptx) to->text = text_of(s->b, s->kernel, &to->config);
    }
    if (s->b->has_ptx) count_samples(s, seconds);
    for (int i = 0; i < s->count; i++)
        if (s->samples[i].seconds < HUGE_VAL) ask_formulas(&s->b->f, &s->samples[i].job);
}

// What the two that learn say of a space: the first component of Eiger's formula by its metrics,
// and what each of Stargazer's terms explains more than those before.
static void print_hints(const measured_space *s, const eiger_model *e, const stargazer_model *g)
{
    char text[400];
    double before = 0.0;
    if (!e->missing && e->terms > 0) {
        printf("# hint %s eiger: log2 ns = %s; u%d is", s->name, eiger_text(e, text, sizeof text),
               e->term[0].a);
        for (int m = 0; m < e->metrics; m++)
            if (fabs(e->rotated[m][e->term[0].a]) > 0.6)
                printf(" %s%s", e->rotated[m][e->term[0].a] < 0 ? "-" : "", job_metric_names[m]);
        printf("\n");
    }
    if (g->missing) return;
    printf("# hint %s stargazer:", s->name);
    for (int t = 0; t < g->terms; t++) {
        printf(" %s", gputune_space_param(s->space, g->term[t].a)->name);
        if (g->term[t].b >= 0) printf(":%s", gputune_space_param(s->space, g->term[t].b)->name);
        printf(" %.2f", g->term[t].r2 - before);
        before = g->term[t].r2;
    }
    printf("\n");
}

// Both learn from the first of those that ran, by their number; returns how many those are.
static int learn_space(measured_space *s, int *ran, int count)
{
    static double x[LEARNED_FROM][JOB_METRICS], y[LEARNED_FROM];
    static double values[LEARNED_FROM * STARGAZER_PARAMS]; // rows of as many as there are
    static eiger_mixture two;
    double of_it[STARGAZER_PARAMS];
    const int from = count / 2 < LEARNED_FROM ? count / 2 : LEARNED_FROM;
    eiger_model eiger;
    stargazer_model stargazer;
    int params = 0, with_counts = 0;
    while (params < STARGAZER_PARAMS && gputune_space_param(s->space, params)) params++;
    for (int i = 0; i < from; i++) {
        const sample *at = &s->samples[ran[i]];
        for (int p = 0; p < params; p++)
            values[i * params + p] =
                value_of(&at->config, gputune_space_param(s->space, p)->name);
        y[i] = log2(1e9 * at->seconds);
    }
    stargazer = stargazer_fit(values, y, from, params, false);
    for (int i = 0; i < from; i++) {
        const sample *at = &s->samples[ran[i]];
        if (job_lacks(&at->job)) continue;
        job_metrics(&s->b->f, &at->job, x[with_counts]);
        y[with_counts++] = log2(1e9 * at->seconds);
    }
    eiger = eiger_fit(&x[0][0], y, with_counts, JOB_METRICS, 0, 0);
    eiger_fit_clusters(&x[0][0], y, with_counts, JOB_METRICS, 0, 0, 2, 1, &two);
    for (int i = from; i < count; i++) {
        sample *at = &s->samples[ran[i]];
        for (int p = 0; p < params; p++)
            of_it[p] = value_of(&at->config, gputune_space_param(s->space, p)->name);
        at->job.predicted[STARGAZER] = 1e-9 * exp2(stargazer_predict(&stargazer, of_it));
        at->job.refused[STARGAZER] = stargazer.missing;
        if (stargazer_outside_log2(&stargazer, of_it)) {
            at->job.predicted[STARGAZER] = NAN;
            at->job.refused[STARGAZER] = "samples around this one";
        }
        at->job.refused[EIGER] = job_lacks(&at->job) ? job_lacks(&at->job) : eiger.missing;
        at->job.refused[EIGER_TWO] = job_lacks(&at->job) ? job_lacks(&at->job) : two.missing;
        if (job_lacks(&at->job)) continue;
        job_metrics(&s->b->f, &at->job, of_it);
        at->job.predicted[EIGER] = 1e-9 * eiger_predict_log2(&eiger, of_it);
        at->job.predicted[EIGER_TWO] = 1e-9 * eiger_predict_clusters_log2(&two, of_it);
        if (!eiger_outside(&eiger, of_it)) continue;
        at->job.predicted[EIGER] = at->job.predicted[EIGER_TWO] = NAN;
        at->job.refused[EIGER] = at->job.refused[EIGER_TWO] = "trials like this one";
    }
    print_hints(s, &eiger, &stargazer);
    return from;
}

static void rank_space(measured_space *s)
{
    int ran[RANKED], count = 0, from;
    for (int i = 0; i < s->count && count < RANKED; i++)
        if (s->samples[i].seconds < HUGE_VAL) ran[count++] = i;
    from = learn_space(s, ran, count);
    for (int m = 0; m <= STARGAZER; m++) {
        const char *name = model_texts[m].name, *why = NULL;
        double predicted[RANKED], measured[RANKED];
        const int first = m >= FORMULAS ? from : 0;
        models_score score;
        int rows = 0;
        for (int i = first; i < count; i++) {
            const models_job *j = &s->samples[ran[i]].job;
            if (!(j->predicted[m] > 0 && j->predicted[m] < 1e9)) {
                why = j->refused[m] ? j->refused[m] : "number";
                continue;
            }
            predicted[rows] = j->predicted[m];
            measured[rows++] = j->measured;
        }
        if (why)
            printf("# %s %s: %d of %d not predicted: it has no %s\n", s->name, name,
                   count - first - rows, count - first, why);
        row(1.0 * rows / (count - first), "of all", "coverage_%s_%s", s->name, name);
        if (rows < 2) continue;
        score = models_score_of(predicted, measured, rows);
        row(score.tau, "rank correlation", "tau_%s_%s", s->name, name);
        row(score.regret, "of the best", "regret_%s_%s", s->name, name);
        row(score.error, "of measured", "mape_%s_%s", s->name, name);
        row(score.bias, "x", "bias_%s_%s", s->name, name);
    }
}

// --- spaces: does a model's order help a search? ---

enum { POOL = 100 };

static void print_spread(replay_spread r, const char *name)
{
    row(r.median, "trials", "order_%s", name);
    row(r.q1, "trials", "order_%s_q1", name);
    row(r.q3, "trials", "order_%s_q3", name);
}

// One model's order. Says what it saves of a search, and what it takes.
static void order_by(const measured_space *s, const models_replayed *r, int m,
                     const double *seconds, double usual)
{
    const int pool = POOL < s->count ? POOL : s->count;
    double *predicted = (double *)need((size_t)s->count * sizeof *predicted);
    const char *name = model_texts[m].name;
    replay_spread pooled;
    char key[100];
    int count = 0;
    for (int i = 0; i < s->count; i++) {
        predicted[i] = s->samples[i].job.predicted[m];
        count += order_predicted(predicted[i]);
    }
    row(count, "of all trials", "predicted_%s_%s", s->name, name);
    row(order_distinct(predicted, s->count), "numbers", "distinct_%s_%s", s->name, name);
    if (count < REPLAY_FIRST) {
        printf("# %s %s: no order, it predicts %d of %d\n", s->name, name, count, s->count);
        free(predicted);
        return;
    }
    snprintf(key, sizeof key, "pool_%s_%s", s->name, name);
    pooled = replay_seeds(r, GPUTUNE_STRATEGY_AUTO, predicted, pool);
    print_spread(pooled, key);
    row(order_trials(predicted, seconds, s->count, 1.05 * r->best), "trials", "order_only_%s_%s",
        s->name, name);
    printf("# order  %s %s: begun with the best ten of %d predictions a search takes %+g trials, "
           "%+.1f s; these predictions take %.1f s; both of this machine's %ld cores\n",
           s->name, name, pool, pooled.median - usual, (pooled.median - usual) * s->trial_seconds,
           m == PMAC || s->compiled == 0 ? 0.0 : pool * s->compile_wall / s->compiled,
           sysconf(_SC_NPROCESSORS_ONLN));
    free(predicted);
}

static void order_space(const measured_space *s)
{
    models_replayed r;
    gputune_config *configs = (gputune_config *)need((size_t)s->count * sizeof *configs);
    double *seconds = (double *)need((size_t)s->count * sizeof *seconds);
    const char *wrong;
    char key[100];
    replay_spread usual;
    int within = 0;
    for (int i = 0; i < s->count; i++) {
        configs[i] = s->samples[i].config;
        seconds[i] = s->samples[i].seconds;
    }
    wrong = replay_create(&r, s->space, configs, seconds, s->count); // the first is the default
    if (wrong) fail(s->name, wrong);
    for (int i = 0; i < s->count; i++) within += seconds[i] <= 1.05 * r.best;
    row(within, "of all trials", "within_5_%s", s->name);
    snprintf(key, sizeof key, "random_%s", s->name);
    print_spread(replay_seeds(&r, GPUTUNE_STRATEGY_RANDOM, NULL, 0), key);
    snprintf(key, sizeof key, "default_%s", s->name);
    usual = replay_seeds(&r, GPUTUNE_STRATEGY_AUTO, NULL, 0);
    print_spread(usual, key);
    snprintf(key, sizeof key, "control_%s", s->name);
    print_spread(replay_seeds(&r, GPUTUNE_STRATEGY_AUTO, NULL, REPLAY_FIRST), key);
    for (int m = 0; m < FORMULAS; m++) order_by(s, &r, m, seconds, usual.median);
    replay_free(&r);
    free(configs);
    free(seconds);
}

// The samples as they are, for other questions: see the top of bench_models.c.
static void print_samples(const measured_space *s)
{
    FILE *to = s->b->samples;
    fprintf(to, "sample\tspace\tindex\tseconds");
    for (int m = 0; m <= STARGAZER; m++) fprintf(to, "\t%s", model_texts[m].name);
    fprintf(to, "\tconfiguration\n");
    for (int i = 0; i < s->count; i++) {
        const sample *at = &s->samples[i];
        char text[400];
        fprintf(to, "sample\t%s\t%d", s->name, i);
        if (at->seconds < HUGE_VAL)
            fprintf(to, "\t%.6g", at->seconds);
        else
            fprintf(to, "\t-");
        for (int m = 0; m <= STARGAZER; m++)
            if (order_predicted(at->job.predicted[m]))
                fprintf(to, "\t%.6g", at->job.predicted[m]);
            else
                fprintf(to, "\t-");
        fprintf(to, "\t%s\n", gputune_config_text(&at->config, text, sizeof text));
    }
    fflush(to);
}

// --- the three spaces ---

static void make_space_stencil(case_data *data)
{
    const size_t n = (size_t)data->size[0];
    case_add_random(data, n * n);
    case_add_output(data, n * n);
    case_upload(data);
    case_arg(data, gputune_int(data->size[0]));
    case_arg(data, case_in(data, 0));
    case_arg(data, case_out(data, 1));
    data->work = (double)n * (double)n;
}

static double expected_stencil(const case_data *data, size_t i, double *magnitude)
{
    work w;
    memset(&w, 0, sizeof w);
    w.n = data->size[0];
    w.host[0] = data->buffers[0].host;
    return expect_stencil(&w, i, magnitude);
}

static const example_case stencil_case = {
    "stencil",      stencil_file,       "model_stencil", NULL, "Gpoints/s", 1e-6, { 512, 0, 0 },
    { 4096, 0, 0 }, make_space_stencil, expected_stencil
};

typedef struct space_kind {
    const char *name;
    int small[3], large[3];
    void (*describe)(const measured_space *, const gputune_config *, models_job *, ptx_known *);
} space_kind;

static const space_kind spaces[] = {
    { "sgemm", { 128, 128, 128 }, { 2048, 2048, 2048 }, describe_sgemm },
    { "convolution", { 128, 128, 7 }, { 4096, 4096, 7 }, describe_convolution },
    { "stencil", { 256, 0, 0 }, { 4096, 0, 0 }, describe_stencil },
};

static void bench_space(bench *b, const space_kind *kind, double seconds, int configurations)
{
    const example_case *known = case_find(kind->name);
    gputune_kernel_desc desc;
    char why[256] = "";
    measured_space s;
    memset(&s, 0, sizeof s);
    if (!known) known = &stencil_case;
    s.b = b;
    s.name = kind->name;
    s.function = known->kernel;
    s.describe = kind->describe;
    if (!case_make(&s.data, known, b->device, b->f.is_gpu ? kind->large : kind->small, 1))
        fail(kind->name, gputune_device_error(b->device)->text);
    desc = case_desc(known);
    desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    desc.tune.seed = 1;
    desc.tune.budget.trials = configurations;
    desc.tune.budget.all = true;
    desc.tune.budget.seconds = seconds;
    desc.tune.progress = only_search;
    s.kernel = gputune_kernel_create(b->device, &desc);
    measure_space(&s, seconds, configurations);
    if (!case_reset(&s.data) || gputune_kernel_launch(s.kernel, &s.samples[0].config, s.data.args,
                                                      s.data.arg_count) != GPUTUNE_OK)
        fail(kind->name, gputune_kernel_error(s.kernel)->text);
    if (!case_check(&s.data, 2000, why, sizeof why)) fail("wrong output", why);
    predict_space(&s, seconds / 2); // at most
    rank_space(&s);
    order_space(&s);
    print_samples(&s);
    for (int i = 0; i < s.count; i++) free(s.samples[i].text);
    free(s.samples);
    gputune_kernel_destroy(s.kernel);
    case_free(&s.data);
}

#endif
