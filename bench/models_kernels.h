// For bench_models.c: eight kernels with their data, plain C for their results, what their source
// says of a work-item, and the rows of what the models predict of them.
#ifndef BENCH_MODELS_KERNELS_H
#define BENCH_MODELS_KERNELS_H

// --- kernels that the models are asked about ---

enum { WORK_BUFFERS = 6, WORK_ARGS = 8, FAMILY_SIZES = 3 };

// A launch with its data; a kernel's first buffer that is written is the last one.
typedef struct work {
    bench *b;
    const char *file, *kernel;
    gputune_arg args[WORK_ARGS];
    int arg_count;
    void *host[WORK_BUFFERS], *buffer[WORK_BUFFERS];
    size_t bytes[WORK_BUFFERS], outputs; // outputs: numbers of the last
    int buffers, n;
    uint64_t random;
    ptx_known known; // count 0: there is no loop
} work;

static void *work_add(work *w, size_t count)
{
    w->bytes[w->buffers] = 4 * count;
    return w->host[w->buffers++] = need(4 * count);
}

static float *work_random(work *w, size_t count, float low, float high)
{
    float *values = (float *)work_add(w, count);
    for (size_t i = 0; i < count; i++)
        values[i] = low + (high - low) * (float)case_draw(&w->random, 1u << 20) / (1 << 20);
    return values;
}

static void work_arg(work *w, gputune_arg arg)
{
    w->args[w->arg_count++] = arg;
}

// Copies the buffers to the device; they become arguments behind the numbers.
static void work_upload(work *w)
{
    for (int i = 0; i < w->buffers; i++) {
        w->buffer[i] = gputune_buffer_create(w->b->device, w->bytes[i], w->host[i]);
        if (!w->buffer[i]) fail(w->kernel, gputune_device_error(w->b->device)->text);
        work_arg(w, i < w->buffers - 1 ? gputune_in(w->buffer[i], w->bytes[i])
                                       : gputune_out(w->buffer[i], w->bytes[i]));
    }
    w->outputs = w->bytes[w->buffers - 1] / 4;
}

static void work_free(work *w)
{
    for (int i = 0; i < w->buffers; i++) {
        gputune_buffer_destroy(w->b->device, w->buffer[i]);
        free(w->host[i]);
    }
}

// A 5-point stencil, n x n.
static void make_stencil(work *w, models_job *j)
{
    const size_t n = (size_t)w->n;
    work_random(w, n * n, -1, 1);
    work_add(w, n * n);
    work_arg(w, gputune_int(w->n));
    work_upload(w);
    j->groups = (double)n / 32 * ((double)n / 8);
    j->real = 5;
    j->integer = 20;
    j->loads = 5;
    j->stores = 1;
    j->sectors = (4 * 4 + 2 * 5) / 6.0;
    j->unique = 8.0 * (double)n * (double)n;
    j->reuse = 4.0 * 10 * (double)n; // the rows that groups side by side read
    job_block(j, IDIOM_STENCIL, 6.0 * (double)n * (double)n, 4.0 * (double)n * (double)n);
}

static double expect_stencil(const work *w, size_t i, double *magnitude)
{
    const size_t n = (size_t)w->n, x = i % n, y = i / n;
    const float *in = (const float *)w->host[0] + i;
    *magnitude = 1;
    if (x == 0 || y == 0 || x == n - 1 || y == n - 1) return (double)in[0];
    return 0.2 *
           ((double)in[0] + (double)in[1] + (double)in[-1] + (double)in[n] + (double)*(in - n));
}

enum { SUM_COUNT = 16 };

static void make_sum(work *w, models_job *j)
{
    const size_t n = (size_t)w->n;
    work_random(w, n, 0, 1);
    work_add(w, n / 256 / SUM_COUNT);
    work_arg(w, gputune_int(w->n));
    work_arg(w, gputune_int(SUM_COUNT));
    work_upload(w);
    j->groups = (double)n / SUM_COUNT / 256;
    j->real = SUM_COUNT + 1.5;
    j->integer = 2 * SUM_COUNT + 24;
    j->loads = SUM_COUNT;
    j->stores = 1 / 8.0;
    j->local_loads = 3; // 2 for each of 4, 2, 1, 1, 1, 1, 1, 1 of the group's 8 warps
    j->local_stores = 2.5;
    j->barriers = 9;
    j->sectors = 4;
    j->unique = j->reuse = 4.0 * (double)n;
    w->known.anchor = PTX_GLOBAL_LOAD;
    w->known.count = SUM_COUNT;
    job_block(j, IDIOM_REDUCTION, (double)n, 4.0 * (double)n);
}

static double expect_sum(const work *w, size_t i, double *magnitude)
{
    double sum = 0.0;
    for (size_t k = 0; k < 256 * SUM_COUNT; k++)
        sum += (double)((const float *)w->host[0])[i * 256 * SUM_COUNT + k];
    *magnitude = sum;
    return sum;
}

// Lengths of rows: 0 to 31; one in 64 four times as long.
static size_t make_rows(work *w, int *start, size_t rows)
{
    start[0] = 0;
    for (size_t r = 0; r < rows; r++)
        start[r + 1] = start[r] + (int)case_draw(&w->random, 32) * (r % 64 == 63 ? 4 : 1);
    return (size_t)start[rows];
}

enum { WARPS_LOOKED_AT = 256 };

static void make_spmv(work *w, models_job *j)
{
    const size_t n = (size_t)w->n, warps = n / 32;
    int *start = (int *)work_add(w, n + 1), *column;
    const size_t entries = make_rows(w, start, n);
    touched t = { 0, 0, 0, 0 };
    double longest = 0.0, looked = 0.0;
    column = (int *)work_add(w, entries);
    for (size_t i = 0; i < entries; i++) column[i] = (int)case_draw(&w->random, (uint32_t)n);
    work_random(w, entries, -1, 1);
    work_random(w, n, -1, 1);
    work_add(w, n);
    work_arg(w, gputune_int(w->n));
    work_upload(w);
    for (size_t k = 0; k < WARPS_LOOKED_AT && k < warps; k++, looked++) {
        const size_t first = k * (warps / (warps < WARPS_LOOKED_AT ? warps : WARPS_LOOKED_AT)) * 32;
        int lanes = 1;
        for (int i = 0; lanes > 0; i++, longest += lanes > 0) { // until the longest row ends
            size_t at[32], x[32];
            lanes = 0;
            for (size_t r = first; r < first + 32; r++)
                if (start[r] + i < start[r + 1]) {
                    at[lanes] = (size_t)(start[r] + i);
                    x[lanes++] = (size_t)column[start[r] + i];
                }
            touch(&t, at, lanes); // of columns and values
            touch(&t, at, lanes);
            touch(&t, x, lanes);
        }
        touch_row(&t, 0); // starts, ends, results
        touch_row(&t, 1);
        touch_row(&t, 0);
    }
    longest /= looked;
    j->groups = (double)n / 256;
    j->real = longest;
    j->integer = 5 * longest + 8;
    j->loads = 2 + 3 * longest;
    j->stores = 1;
    touched_into(j, &t);
    j->unique = 8.0 * (double)entries + 12.0 * (double)n;
    j->reuse = 4.0 * (double)n; // x; of the rows, what a warp reads next
    w->known.anchor = PTX_FMA;
    w->known.count = longest;
    job_block(j, IDIOM_STREAM, 2.0 * (double)entries + 3.0 * (double)n, 8.0 * (double)entries);
    job_block(j, IDIOM_GATHER, (double)entries, 4.0 * (double)n);
}

static double expect_spmv(const work *w, size_t row, double *magnitude)
{
    const int *start = (const int *)w->host[0], *column = (const int *)w->host[1];
    const float *value = (const float *)w->host[2], *x = (const float *)w->host[3];
    double sum = *magnitude = 0.0;
    for (int i = start[row]; i < start[row + 1]; i++) {
        const double term = (double)value[i] * (double)x[column[i]];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

static void make_nbody(work *w, models_job *j)
{
    const size_t n = (size_t)w->n;
    const double tiles = (double)n / 256;
    work_random(w, 4 * n, 0, 1);
    work_add(w, 4 * n);
    work_arg(w, gputune_int(w->n));
    work_upload(w);
    j->groups = (double)n / 256;
    j->real = 13 * (double)n;
    j->integer = (double)n / 2;
    j->special = (double)n;
    j->loads = 1 + tiles;
    j->stores = 1;
    j->local_loads = (double)n; // all lanes read the same 16 bytes
    j->local_stores = 4 * tiles;
    j->barriers = 2 * tiles;
    j->sectors = 16;
    j->unique = 32.0 * (double)n;
    j->reuse = 16.0 * (double)n;
    w->known.anchor = PTX_SPECIAL;
    w->known.count = (double)n;
    w->known.around = tiles;
    job_block(j, IDIOM_STREAM, 4.0 * (double)n * (tiles + 2), 16.0 * (double)n);
}

static double expect_nbody(const work *w, size_t i, double *magnitude)
{
    const float *body = (const float *)w->host[0], *me = body + i / 4 * 4;
    double sum = *magnitude = 0.0;
    if (i % 4 == 3) return 0.0;
    for (const float *other = body; other < body + 4 * (size_t)w->n; other += 4) {
        double d[3], r = 0.01f;
        for (int k = 0; k < 3; k++) {
            d[k] = (double)other[k] - (double)me[k];
            r += d[k] * d[k];
        }
        r = (double)other[3] / (r * sqrt(r)) * d[i % 4];
        sum += r;
        *magnitude += fabs(r);
    }
    return sum;
}

static void make_sort(work *w, models_job *j)
{
    const size_t n = (size_t)w->n;
    work_random(w, n, 0, 1);
    work_add(w, n);
    work_arg(w, gputune_int(w->n));
    work_arg(w, gputune_int(1024)); // pairs so far apart,
    work_arg(w, gputune_int(4096)); // in runs of that many
    work_upload(w);
    j->groups = (double)n / 256;
    j->integer = 14;
    j->loads = 2;
    j->stores = 1;
    j->sectors = 4;
    j->unique = 8.0 * (double)n;
    j->reuse = 4.0 * 4096 * 132;
    job_block(j, IDIOM_STREAM, 3.0 * (double)n, 4.0 * (double)n);
}

static double expect_sort(const work *w, size_t i, double *magnitude)
{
    const float *in = (const float *)w->host[0];
    const size_t other = i ^ 1024;
    const bool least = (i < other) == ((i & 4096) == 0);
    *magnitude = 0;
    return (double)((in[i] < in[other]) == least ? in[i] : in[other]);
}

enum { SEARCH_DEPTH = 5 };

static int search_level(const work *w, size_t v)
{
    return ((const int *)w->host[2])[v];
}

// The entry of a vertex's row at which its search ends, or the row's end.
static int search_end(const work *w, size_t v)
{
    const int *start = (const int *)w->host[0], *edge = (const int *)w->host[1];
    int i = start[v];
    while (i < start[v + 1] && search_level(w, (size_t)edge[i]) != SEARCH_DEPTH) i++;
    return i < start[v + 1] ? i + 1 : i;
}

// What the warp of 32 vertices from `first` on asks for; returns how often its loop runs.
static int search_warp(const work *w, size_t first, touched *t)
{
    const int *start = (const int *)w->host[0], *edge = (const int *)w->host[1];
    size_t open[32], at[32], to[32];
    int opens = 0, lanes, i = 0;
    for (size_t v = first; v < first + 32; v++)
        if (search_level(w, v) < 0) open[opens++] = v;
    touch_row(t, first);
    touch(t, open, opens); // starts and ends
    touch(t, open, opens);
    do {
        lanes = 0;
        for (int o = 0; o < opens; o++)
            if (start[open[o]] + i < search_end(w, open[o])) {
                at[lanes] = (size_t)(start[open[o]] + i);
                to[lanes++] = (size_t)edge[start[open[o]] + i];
            }
        touch(t, at, lanes);
        touch(t, to, lanes);
        i++;
    } while (lanes > 0);
    touch_row(t, first);
    return i - 1;
}

static void make_search(work *w, models_job *j)
{
    const size_t n = (size_t)w->n, warps = n / 32;
    int *start = (int *)work_add(w, n + 1), *edge, *level;
    const size_t edges = make_rows(w, start, n);
    touched t = { 0, 0, 0, 0 };
    double loops = 0.0, looked = 0.0;
    edge = (int *)work_add(w, edges);
    for (size_t i = 0; i < edges; i++) edge[i] = (int)case_draw(&w->random, (uint32_t)n);
    level = (int *)work_add(w, n);
    for (size_t v = 0; v < n; v++) { // half have none
        const int drawn = (int)case_draw(&w->random, 2 * SEARCH_DEPTH + 2);
        level[v] = drawn <= SEARCH_DEPTH ? drawn : -1;
    }
    work_add(w, n);
    work_arg(w, gputune_int(w->n));
    work_arg(w, gputune_int(SEARCH_DEPTH));
    work_upload(w);
    for (size_t k = 0; k < WARPS_LOOKED_AT && k < warps; k++, looked++)
        loops += search_warp(
            w, k * (warps / (warps < WARPS_LOOKED_AT ? warps : WARPS_LOOKED_AT)) * 32, &t);
    loops /= looked;
    j->groups = (double)n / 256;
    j->integer = 6 * loops + 8;
    j->loads = 3 + 2 * loops;
    j->stores = 1;
    touched_into(j, &t);
    j->unique = 4.0 * (double)edges + 12.0 * (double)n;
    j->reuse = 4.0 * (double)n; // levels
    w->known.anchor = PTX_GLOBAL_LOAD;
    w->known.count = 2 * loops;
    job_block(j, IDIOM_STREAM, 4.0 * (double)n, 4.0 * (double)n);
    job_block(j, IDIOM_GATHER, 2.0 * t.requests / looked / 2 * (double)n / 4, 4.0 * (double)n);
}

static double expect_search(const work *w, size_t v, double *magnitude)
{
    const int *start = (const int *)w->host[0];
    const int end = search_end(w, v);
    *magnitude = 0;
    if (search_level(w, v) >= 0) return search_level(w, v);
    if (end == start[v]) return -1;
    return search_level(w, (size_t)((const int *)w->host[1])[end - 1]) == SEARCH_DEPTH
               ? SEARCH_DEPTH + 1
               : -1;
}

typedef struct family_kind {
    const char *name, *file, *kernel;
    bool whole; // its results are whole numbers
    // Data, arguments behind the numbers, the job by the source.
    void (*make)(work *w, models_job *j);
    double (*expected)(const work *w, size_t i, double *magnitude); // plain C
    int small[FAMILY_SIZES], large[FAMILY_SIZES];
} family_kind;

static const family_kind families[] = {
    { "stencil", stencil_file, "model_stencil", false, make_stencil, expect_stencil,
      { 128, 256, 512 }, { 1024, 4096, 8192 } },
    { "reduction", models_file, "model_sum", false, make_sum, expect_sum,
      { 1 << 14, 1 << 16, 1 << 18 }, { 1 << 20, 1 << 23, 1 << 26 } },
    { "spmv", models_file, "model_spmv", false, make_spmv, expect_spmv,
      { 1 << 10, 1 << 12, 1 << 14 }, { 1 << 14, 1 << 17, 1 << 20 } },
    { "nbody", models_file, "model_nbody", false, make_nbody, expect_nbody,
      { 256, 512, 1024 }, { 1 << 12, 1 << 14, 1 << 16 } },
    { "sort", models_file, "model_sort", false, make_sort, expect_sort,
      { 1 << 13, 1 << 15, 1 << 17 }, { 1 << 20, 1 << 23, 1 << 26 } },
    { "search", models_file, "model_search", true, make_search, expect_search,
      { 1 << 10, 1 << 12, 1 << 14 }, { 1 << 16, 1 << 19, 1 << 22 } },
};

enum { FAMILIES = sizeof families / sizeof families[0] };
enum { ROWS = SIZES * TILES * 2 + FAMILIES * FAMILY_SIZES };

// Results of one launch: all, or 2,000 of more, drawn at random.
static void check_work(work *w, const family_kind *kind)
{
    const size_t most = 2000, count = w->outputs;
    float *out = (float *)need(4 * count);
    launch(w->b, w->file, w->kernel, "", w->args, w->arg_count);
    if (gputune_buffer_read(w->b->device, w->buffer[w->buffers - 1], 0, out, 4 * count) !=
        GPUTUNE_OK)
        fail(kind->name, gputune_device_error(w->b->device)->text);
    for (size_t k = 0; k < count && k < most; k++) {
        const size_t i = count <= most ? k : case_draw(&w->random, (uint32_t)count);
        double magnitude, expected = kind->expected(w, i, &magnitude);
        const double got = kind->whole ? ((const int *)(const void *)out)[i] : (double)out[i];
        if (!(fabs(got - expected) <= 2e-5 * magnitude)) fail(kind->name, "wrong output");
    }
    free(out);
}

enum { WARMING_LAUNCHES = 3, MEASURED_LAUNCHES = 21 };

// After some launches that only warm up caches and clock.
static void measure_job(bench *b, models_job *j, const char *file, const char *name,
                        const char *config, const gputune_arg *args, int count)
{
    gputune_config values;
    gputune_stats stats;
    gputune_kernel *kernel = configure(b, file, name, config, args, count, &values);
    for (int i = 0; i < 2; i++)
        if (gputune_kernel_time(kernel, &values, args, count,
                                i ? MEASURED_LAUNCHES : WARMING_LAUNCHES, &stats) != GPUTUNE_OK)
            fail(name, gputune_kernel_error(kernel)->text);
    j->measured = stats.min;
    j->spread = stats.median / stats.min - 1;
}

// 0: unknown, or none has room.
static double active_groups(const bench *b, double group_size, int registers, double local_bytes)
{
    gputune_occupancy o;
    if (!b->f.is_gpu) return 1;
    o = gputune_occupancy_of(b->capability, (int)group_size, registers, (int64_t)local_bytes);
    return o.active_groups < 1 ? 0 : o.active_groups;
}

// A configuration's PTX, counted with what is known of its loops. Where it is not understood, a
// line says so; the counts stay the source's then.
static ptx_work count_kernel(bench *b, gputune_kernel *kernel, const gputune_config *config,
                             const char *name, const ptx_known *known)
{
    static const double once[PTX_LOOPS] = { 1.0 };
    char *text = text_of(b, kernel, config);
    ptx_kernel read;
    ptx_work counted;
    if (!text) fail(name, gputune_kernel_error(kernel)->text);
    read = read_kernel(b, text, name);
    free(text);
    counted = known->count > 0 ? ptx_fit(&read, known) : ptx_sum(&read, once);
    if (counted.missing)
        printf("# %s: the PTX is not understood (%s): counts are the source's\n", name,
               counted.missing);
    return counted;
}

static models_job make_job(bench *b, int which, int size)
{
    const family_kind *kind = &families[which];
    models_job j;
    work w;
    memset(&w, 0, sizeof w);
    memset(&j, 0, sizeof j);
    w.b = b;
    w.file = kind->file;
    w.kernel = kind->kernel;
    w.random = 88172645463325252u;
    w.n = b->f.is_gpu ? kind->large[size] : kind->small[size];
    j.kernel = kind->name;
    j.family = 2 + which;
    j.size = size;
    j.n = w.n;
    j.shown = true;
    j.group_size = 256;
    kind->make(&w, &j);
    check_work(&w, kind);
    j.active = active_groups(b, 256, 32, which == 1 ? 1024 : which == 3 ? 4096 : 0);
    if (b->has_ptx) {
        const double local_loads = j.local_loads, local_stores = j.local_stores;
        gputune_config values;
        gputune_kernel *kernel = configure(b, w.file, w.kernel, "", w.args, w.arg_count, &values);
        const ptx_work counted = count_kernel(b, kernel, &values, w.kernel, &w.known);
        if (!counted.missing) count_into(&j, &counted);
        if (!counted.missing && size == 1) print_ptx(kind->name, &counted);
        j.local_loads = local_loads; // of the reduction's tree nothing is derived from the PTX, and
        j.local_stores = local_stores; // nbody's lanes all read the same
    }
    measure_job(b, &j, w.file, w.kernel, "", w.args, w.arg_count);
    work_free(&w);
    return j;
}

// --- matrix products ---

static void product_args(bench *b, int n, gputune_arg *args)
{
    const size_t bytes = 4 * (size_t)n * (size_t)n;
    args[0] = gputune_int(n);
    args[1] = gputune_in(b->in, bytes);
    args[2] = gputune_in(b->in, bytes);
    args[3] = gputune_out(b->out, bytes);
}

static ptx_work count_product(bench *b, bool tiled, int n, int tile)
{
    const char *name = tiled ? "mm_tiled" : "mm_naive";
    ptx_known known;
    gputune_arg args[4];
    gputune_config values;
    char config[32];
    memset(&known, 0, sizeof known);
    known.anchor = PTX_FMA;
    known.count = n;
    known.around = (double)n / tile;
    product_args(b, n, args);
    snprintf(config, sizeof config, "TILE=%d", tile);
    return count_kernel(b, configure(b, models_file, name, config, args, 4, &values), &values, name,
                        &known);
}

static models_job make_product(bench *b, bool tiled, int size, int n, int tile)
{
    const double rows = fmax(1, 32.0 / tile), wide = fmax(32, 4.0 * fmin(tile, 32));
    const double tiles = (double)n / tile, square = (double)n * n;
    gputune_arg args[4];
    char config[32];
    models_job j;
    memset(&j, 0, sizeof j);
    j.kernel = tiled ? "tiled" : "naive";
    j.family = tiled;
    j.size = size;
    j.n = n;
    j.product = true;
    j.shown = tile == 16;
    j.groups = tiles * tiles;
    j.group_size = (double)tile * tile;
    j.active = active_groups(b, j.group_size, 32, tiled ? 8.0 * tile * tile : 0);
    j.real = n;
    j.stores = 1;
    j.lines = rows;
    j.unique = 12 * square;
    j.memory = job_product_bytes(&b->f, &j, n, tile);
    if (tiled) {
        j.integer = 8 * tiles;
        j.loads = j.local_stores = 2 * tiles;
        j.local_loads = 2.0 * n;
        j.barriers = 2 * tiles;
        j.sectors = rows * wide / 32;
        j.scattered = rows > 4;
    } else {
        j.integer = n;
        j.loads = 2.0 * n;
        j.sectors = (rows + wide / 32) / 2; // a number of A for each row, of B the same for all
        j.scattered = rows > 4 ? 0.5 : 0;
    }
    job_block(&j, IDIOM_STREAM, 2 * square * (tiled ? tiles : n) + square, 12 * square);
    if (b->has_ptx) {
        const ptx_work counted = count_product(b, tiled, n, tile);
        if (!counted.missing) count_into(&j, &counted);
    }
    product_args(b, n, args);
    snprintf(config, sizeof config, "TILE=%d", tile);
    measure_job(b, &j, models_file, tiled ? "mm_tiled" : "mm_naive", config, args, 4);
    return j;
}

// Both kernels with all tiles against plain C, at a size of 64.
static void check_products(bench *b, const float *numbers)
{
    enum { N = 64 };
    static float product[N * N];
    for (int tiled = 0; tiled < 2; tiled++)
        for (int tile = 4; tile <= 32; tile *= 2) {
            const char *name = tiled ? "mm_tiled" : "mm_naive";
            gputune_arg args[4];
            char config[32];
            product_args(b, N, args);
            snprintf(config, sizeof config, "TILE=%d", tile);
            memset(product, 0, sizeof product);
            launch(b, models_file, name, config, args, 4);
            if (gputune_buffer_read(b->device, b->out, 0, product, sizeof product) != GPUTUNE_OK)
                fail(name, gputune_device_error(b->device)->text);
            for (int i = 0; i < N * N; i++) {
                double sum = 0.0;
                for (int k = 0; k < N; k++)
                    sum += (double)numbers[i / N * N + k] * (double)numbers[k * N + i % N];
                if (!(fabs((double)product[i] - sum) <= 1e-5 * sum)) fail(name, "wrong output");
            }
        }
}

// --- learning, each time without what is asked ---

// Both learn log2 of nanoseconds: times differ by a factor of thousands.
static void learn(const bench *b, models_job *jobs, int count, int family, int size,
                  models_which eiger_to, models_which stargazer_to)
{
    static double x[ROWS][JOB_METRICS], few[ROWS][JOB_FEW], y[ROWS];
    static eiger_mixture two;
    double asked_of_it[JOB_METRICS], few_of_it[JOB_FEW];
    eiger_model eiger;
    stargazer_model stargazer;
    int rows = 0;
    for (int i = 0; i < count; i++) {
        if (jobs[i].family == family && (size < 0 || jobs[i].size == size)) continue;
        if (job_lacks(&jobs[i])) continue;
        job_metrics(&b->f, &jobs[i], x[rows]);
        job_few(x[rows], few[rows]);
        y[rows++] = log2(1e9 * jobs[i].measured);
    }
    eiger = eiger_fit(&x[0][0], y, rows, JOB_METRICS, 0, 0);
    if (eiger_to == EIGER) eiger_fit_clusters(&x[0][0], y, rows, JOB_METRICS, 0, 0, 2, 1, &two);
    stargazer = stargazer_fit(&few[0][0], y, rows, JOB_FEW, false);
    for (int i = 0; i < count; i++) {
        models_job *j = &jobs[i];
        if (!(j->family == family && (size < 0 || j->size == size))) continue;
        job_metrics(&b->f, j, asked_of_it);
        job_few(asked_of_it, few_of_it);
        j->predicted[eiger_to] = 1e-9 * eiger_predict_log2(&eiger, asked_of_it);
        j->predicted[stargazer_to] = 1e-9 * exp2(stargazer_predict(&stargazer, few_of_it));
        if (eiger_to == EIGER) {
            j->predicted[EIGER_TWO] = 1e-9 * eiger_predict_clusters_log2(&two, asked_of_it);
            j->refused[EIGER_TWO] = two.missing;
            j->bound[EIGER_TWO] = "";
        }
        j->refused[eiger_to] = eiger.missing;
        if (eiger_outside(&eiger, asked_of_it)) {
            j->predicted[eiger_to] = NAN;
            j->refused[eiger_to] = "trials like this one";
            if (eiger_to == EIGER) {
                j->predicted[EIGER_TWO] = NAN;
                j->refused[EIGER_TWO] = "trials like this one";
            }
        }
        j->refused[stargazer_to] = stargazer.missing;
        if (stargazer_outside_log2(&stargazer, few_of_it)) {
            j->predicted[stargazer_to] = NAN;
            j->refused[stargazer_to] = "samples around this one";
        }
        j->bound[eiger_to] = j->bound[stargazer_to] = "";
        if (!job_lacks(j)) continue;
        j->predicted[eiger_to] = j->predicted[stargazer_to] = NAN;
        j->refused[eiger_to] = j->refused[stargazer_to] = job_lacks(j);
        if (eiger_to != EIGER) continue;
        j->predicted[EIGER_TWO] = NAN;
        j->refused[EIGER_TWO] = job_lacks(j);
    }
}

static void learn_all(const bench *b, models_job *jobs, int count)
{
    for (int f = 0; f < 2 + FAMILIES; f++) {
        for (int s = 0; s < SIZES; s++) {
            bool any = false;
            for (int i = 0; i < count; i++) any = any || (jobs[i].family == f && jobs[i].size == s);
            if (any) learn(b, jobs, count, f, s, EIGER, STARGAZER);
        }
        learn(b, jobs, count, f, -1, EIGER_NEW, STARGAZER_NEW);
    }
}

// --- rows ---

static void print_job(const models_job *j)
{
    row(1e6 * j->measured, "us", "measured_us_%s_%g", j->kernel, j->n);
    row(j->spread, "of measured", "spread_%s_%g", j->kernel, j->n);
    for (int m = 0; m < MODELS; m++) {
        const char *name = model_texts[m].name;
        if (!(j->predicted[m] > 0 && j->predicted[m] < 1e9)) {
            printf("# %s has no prediction for %s %g: it has no %s\n", name, j->kernel, j->n,
                   j->refused[m] ? j->refused[m] : "number");
            continue;
        }
        row(1e6 * j->predicted[m], "us", "predicted_us_%s_%s_%g", name, j->kernel, j->n);
        row(j->predicted[m] / j->measured - 1, "of measured", "error_%s_%s_%g", name, j->kernel,
            j->n);
        if (*j->bound[m])
            printf("result\tbound_%s_%s_%g\t%s\tbound\n", name, j->kernel, j->n, j->bound[m]);
    }
    if (j->gain > 0) row(j->gain, "x at most", "gain_quantitative_%s_%g", j->kernel, j->n);
    if (j->sum > 0) row(1e6 * j->sum, "us", "sum_us_qrqw_%s_%g", j->kernel, j->n);
}

typedef struct chosen { // jobs that a score is of; -1: all
    int family, size;
    bool products, published;
} chosen;

// Returns how many were predicted. If not NULL, *median: of their errors; *asked_for: how many
// there are in all.
static int score_of_jobs(const models_job *jobs, int count, chosen c, int m, models_score *score,
                         double *median, int *asked_for)
{
    double predicted[ROWS], measured[ROWS];
    int rows = 0, all = 0;
    for (int i = 0; i < count; i++) {
        const double value = c.published ? jobs[i].published[m] : jobs[i].predicted[m];
        if ((c.family >= 0 && jobs[i].family != c.family) || (c.products && !jobs[i].product) ||
            (c.size >= 0 && jobs[i].size != c.size))
            continue;
        all++;
        if (!(value > 0 && value < 1e9)) continue;
        predicted[rows] = value;
        measured[rows++] = jobs[i].measured;
    }
    *score = models_score_of(predicted, measured, rows);
    if (median && rows > 0) {
        for (int i = 0; i < rows; i++) predicted[i] = fabs(predicted[i] / measured[i] - 1);
        *median = gputune_stats_of(predicted, rows).median;
    }
    if (asked_for) *asked_for = all;
    return rows;
}

static void print_scores(const models_job *jobs, int count)
{
    for (int m = 0; m < MODELS; m++) {
        const char *name = model_texts[m].name;
        const chosen all = { -1, -1, false, false }, published = { -1, -1, false, true };
        models_score score, one;
        double tau = 0.0, regret = 0.0, covered = 0.0, median = 0.0;
        int asked_for, rows = score_of_jobs(jobs, count, all, m, &score, &median, &asked_for);
        row(1.0 * rows / asked_for, "of all", "coverage_%s", name);
        if (rows == 0) continue;
        row(score.error, "of measured", "mape_%s", name);
        row(median, "of measured", "mdape_%s", name);
        row(score.bias, "x", "bias_%s", name);
        for (int s = 0; s < SIZES; s++) {
            const chosen size = { -1, s, true, false };
            if (score_of_jobs(jobs, count, size, m, &one, NULL, NULL) == 0) continue;
            covered++;
            regret += one.regret;
            if (one.tau >= -1) tau += one.tau; // else it has all alike, which is no order
        }
        row(covered > 0 ? tau / covered : 0, "rank correlation", "tau_%s", name);
        row(covered > 0 ? regret / covered : 0, "of the best", "regret_%s", name);
        for (int f = 0; f < 2 + FAMILIES; f++) {
            const chosen one_family = { f, -1, false, false };
            if (score_of_jobs(jobs, count, one_family, m, &one, NULL, NULL) > 0)
                row(one.error, "of measured", "mape_%s_%s", name,
                    f < 2 ? f ? "tiled" : "naive" : families[f - 2].name);
        }
        if (m >= FORMULAS || score_of_jobs(jobs, count, published, m, &one, NULL, NULL) == 0)
            continue;
        row(one.error, "of measured", "mape_published_%s", name);
        row(one.bias, "x", "bias_published_%s", name);
    }
}

// Tables I and II: words, then what was found.
static void print_tables(const models_job *jobs, int count)
{
    for (int m = 0; m < MODELS; m++) {
        const model_words *t = &model_texts[m];
        printf("# table I  %s\n#     needs: %s\n#     cannot: %s\n#     hint: %s\n", t->name,
               t->inputs, t->cannot, t->hint);
    }
    for (int m = 0; m < MODELS; m++) {
        const chosen all = { -1, -1, false, false };
        models_score score;
        double median = NAN;
        int asked_for, within = 0, hints = 0;
        const int rows = score_of_jobs(jobs, count, all, m, &score, &median, &asked_for);
        for (int i = 0; i < count; i++) {
            within += fabs(jobs[i].predicted[m] / jobs[i].measured - 1) <= 0.3;
            hints += jobs[i].bound[m] && *jobs[i].bound[m];
        }
        printf("# table II  %-13s  predicted %2d of %d; within 30 %%: %2d; median error %5.0f "
               "%%; predicted / measured %6.2f; hints for %2d\n",
               model_texts[m].name, rows, asked_for, within, 100 * median, score.bias, hints);
    }
}

// Where a model is known not to fit a GPU with caches and thousands of threads: by how much here.
static void print_misfits(const models_figures *f, const models_job *jobs, int count)
{
    double threads = 0.0, barriers = 0.0, other = 0.0;
    int cached = 0;
    for (int i = 0; i < count; i++) {
        const models_job *j = &jobs[i];
        const models_asked a = asked_of(f, j, false);
        const mwp_cwp_out out = ask_mwp_cwp_whole(&a, j);
        threads = fmax(threads, j->active * 32 * job_warps(j));
        cached += a.miss < 0.5;
        if (!(j->barriers > 0 && out.prediction.seconds > 0)) continue;
        barriers += out.synchronisation / (out.execution + out.synchronisation);
        other++;
    }
    printf("# misfit  qrqw: latency hides behind lanes x depth = %.0f threads of a multiprocessor; "
           "%.0f are there\n",
           32 * f->peak * f->fma_latency, threads);
    printf("# misfit  mwp_cwp: of a kernel with barriers these are %.0f %% of the time it "
           "predicts, the mean of %.0f launches\n",
           100 * barriers / fmax(1, other), other);
    for (int m = 0; m < FORMULAS; m++) {
        const chosen all = { -1, -1, false, false }, published = { -1, -1, false, true };
        models_score score;
        double with = NAN, without = NAN;
        if (m == PMAC) continue;
        score_of_jobs(jobs, count, all, m, &score, &with, NULL);
        score_of_jobs(jobs, count, published, m, &score, &without, NULL);
        printf("# misfit  %s: knows no caches, which serve most of %d of %d launches; median error "
               "%.0f %% as published, %.0f %% with the mean over caches handed in\n",
               model_texts[m].name, cached, count, 100 * without, 100 * with);
    }
    printf("# misfit  quantitative: adds what floating-point and whole-number units, which issue "
           "side by side, take\n");
    printf("# misfit  pmac: a product's reads from local memory, the bound of most of its tiles, "
           "are none of its references\n");
}

static void bench_kernels(bench *b)
{
    static models_job jobs[ROWS];
    const int *sizes = b->f.is_gpu ? large_sizes : small_sizes;
    int count = 0;
    if (b->has_ptx)
        for (int tiled = 0; tiled < 2; tiled++) {
            const ptx_work counted = count_product(b, tiled, 256, 16);
            if (!counted.missing) print_ptx(tiled ? "tiled" : "naive", &counted);
        }
    for (int s = 0; s < SIZES; s++)
        for (int tiled = 0; tiled < 2; tiled++)
            for (int tile = 4; tile <= 32; tile *= 2)
                jobs[count++] = make_product(b, tiled, s, sizes[s], tile);
    for (int f = 0; f < FAMILIES; f++)
        for (int s = 0; s < FAMILY_SIZES; s++) jobs[count++] = make_job(b, f, s);
    for (int i = 0; i < count; i++) ask_formulas(&b->f, &jobs[i]);
    learn_all(b, jobs, count);
    for (int i = 0; i < count; i++)
        if (jobs[i].shown) print_job(&jobs[i]);
    print_scores(jobs, count);
    print_tables(jobs, count);
    print_misfits(&b->f, jobs, count);
}

#endif
