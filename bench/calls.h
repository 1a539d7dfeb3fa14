// Calls of a kernel whose problem is known, on the host device, for bench_overhead.c and
// bench_calls.c: eight calls of one problem and one class, which differ in two arguments.
#ifndef CALLS_H
#define CALLS_H

static void fail(const char *what, const gputune_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error ? error->text : "");
    exit(1);
}

static const char signature_3[] = "int n, float a, float *x";
static const char signature_30[] =
    "const float *pool, ulong offset0, ulong offset1, ulong offsetd, int ne00, int n, int ne02, "
    "int ne03, ulong nb00, ulong nb01, ulong nb02, ulong nb03, int ne10, int ne11, int ne12, "
    "int ne13, ulong nb10, ulong nb11, ulong nb12, ulong nb13, int ne0, int ne1, ulong nb0, "
    "ulong nb1, int r2, int r3, float scale, int past, int mask, float *out";
static const char signature_text[] = "int n, float4 a, __local float *fast, float *x";

// Does nothing, but takes longer with the default.
static void nothing(const gputune_grid *range, void *const *args, const gputune_config *config,
                    void *user)
{
    volatile int i = 0;
    (void)range, (void)args, (void)user;
    while (!config->choice[0] && i < 500) i++;
}

// Arguments of one of eight calls; returns how many.
static int call_args(const char *signature, int which, gputune_arg *args)
{
    static float x[4096], y[4096], four[4] = { 1, 2, 3, 4 };
    const int n = 40 + which % 8 * 2;
    int i, count = 3;
    args[0] = gputune_int(n);
    args[1] = gputune_float(0.5 + which % 8);
    args[2] = gputune_out(x, sizeof x);
    if (signature == signature_text) {
        args[1] = gputune_bytes(four, sizeof four);
        args[2] = gputune_local("4*n");
        args[3] = gputune_out(x, sizeof x);
        count = 4;
    }
    if (signature != signature_30) return count;
    for (i = 1; i < 29; i++) args[i] = gputune_int(i == 5 ? n : i);
    args[0] = gputune_in(y, sizeof y);
    args[26] = gputune_float(0.5 + which % 8);
    args[29] = gputune_out(x, sizeof x);
    return 30;
}

// A kernel with that signature that is tuned and has made all eight calls; returns how many
// arguments it takes.
static int calls_open(const char *signature, gputune_device **device, gputune_kernel **kernel,
                      gputune_arg (*args)[30])
{
    static const gputune_param params[] = { { "A", "set 1,2", "1" }, { NULL, NULL, NULL } };
    static const gputune_function functions[] = { { "work", nothing, NULL },
                                                  { NULL, NULL, NULL } };
    gputune_options options;
    gputune_kernel_desc desc;
    int i, count = 0;
    memset(&options, 0, sizeof options);
    memset(&desc, 0, sizeof desc);
    options.store = "";
    options.mode = GPUTUNE_MODE_ON;
    options.threads = 1;
    *device = gputune_host_device_create(&options);
    if (!*device) fail("device", NULL);
    desc.functions = functions;
    desc.params = params;
    desc.signature = signature;
    desc.name = "work";
    desc.global = "ceil_div(n, 64)"; // one group
    desc.local = "1";
    *kernel = gputune_kernel_create(*device, &desc);
    for (i = 0; i < 24; i++) { // known, and launched
        count = call_args(signature, i, args[i % 8]);
        if (gputune_run(*kernel, args[i % 8], count)) fail("run", gputune_kernel_error(*kernel));
    }
    if (gputune_config_int(&gputune_kernel_outcome(*kernel)->config, "A") != 2)
        fail("the default won", NULL);
    return count;
}

#endif // CALLS_H
