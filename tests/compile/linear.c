// Counts steps: what long texts take of them grows with their length, not with its square. A step
// is a branch of ours or eight bytes that the C library looks at. With an argument it prints the
// counts of what has it in its name. LINEAR_STORE is a file for a store.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__clang__)
#define UNCOUNTED __attribute__((no_sanitize("coverage")))
#else
#define UNCOUNTED __attribute__((no_sanitize_coverage))
#endif

static uint64_t counted_steps;

void __sanitizer_cov_trace_pc(void);
UNCOUNTED void __sanitizer_cov_trace_pc(void)
{
    counted_steps++;
}

UNCOUNTED static size_t counted(size_t bytes)
{
    counted_steps += bytes / 8;
    return bytes;
}

UNCOUNTED static size_t same_bytes(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i]) i++;
    return i;
}

#define strlen(a) counted((strlen)(a))
#define strcmp(a, b) (counted(same_bytes(a, b)), (strcmp)(a, b))
#define memcpy(a, b, n) (memcpy)(a, b, counted(n))
#define memmove(a, b, n) (memmove)(a, b, counted(n))
#define memset(a, b, n) (memset)(a, b, counted(n))

#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#undef strlen

enum { LENGTH = 12500 };

static char text[4 * LENGTH + 64];
static gputune_result said;

typedef struct kind {
    const char *name, *first, *format, *last; // the format gets a counter
    void (*use)(const char *text);
} kind;

static void write_text(const kind *k, size_t length)
{
    size_t at = (size_t)sprintf(text, "%s", k->first), i;
    for (i = 1; at < length; i++) at += (size_t)sprintf(text + at, k->format, (int)i, (int)i);
    sprintf(text + at, "%s", k->last);
}

static void use_space(const char *values, const char *restriction, const char *numbers)
{
    gputune_param params[] = { { "A", "set 1,2,3,4", "1" }, { "B", "set x,y", NULL },
                               { "C", values, NULL }, { NULL, NULL, NULL } };
    const char *require[] = { restriction, NULL };
    gputune_space_desc desc;
    gputune_space *space;
    memset(&desc, 0, sizeof desc);
    desc.params = params;
    desc.require = restriction ? require : NULL;
    desc.numbers = numbers;
    space = gputune_space_create(&desc);
    said = gputune_space_error(space)->result;
    gputune_space_destroy(space);
}

static void use_restriction(const char *restriction)
{
    use_space("set 0", restriction, NULL);
}

static void use_values(const char *values)
{
    use_space(values, NULL, NULL);
}

static void use_numbers(const char *numbers)
{
    use_space("set 0", NULL, numbers);
}

static void trial(void *user, const gputune_config *config, gputune_replay_trial *answer)
{
    (void)user, (void)config;
    answer->seconds = 1e-3;
}

static void use_kernel(const char *source, const char *global, const char *objective)
{
    static const gputune_param params[] = { { "B", "set 1,2,4", "1" }, { NULL, NULL, NULL } };
    static float out[16];
    const gputune_arg arg = gputune_out(out, sizeof out);
    gputune_replay_desc replay;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    memset(&replay, 0, sizeof replay);
    replay.trial = trial;
    replay.options.store = "";
    device = gputune_replay_device_create(&replay);
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    desc.name = "k";
    desc.global = global;
    desc.tune.objective = objective;
    if (!source) desc.params = params;
    kernel = gputune_kernel_create(device, &desc);
    if (!source) gputune_tune(kernel, &arg, 1);
    said = gputune_kernel_error(kernel)->result;
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
}

static void use_source(const char *source)
{
    use_kernel(source, NULL, NULL);
}

static void use_global(const char *global)
{
    use_kernel(NULL, global, NULL);
}

static void use_objective(const char *objective)
{
    use_kernel(NULL, "1", objective);
}

static void use_problem(const char *problem)
{
    static const gputune_param params[] = { { "B", "set 1,2,4", "1" }, { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.space.options.store = getenv("LINEAR_STORE");
    desc.space.params = params;
    desc.name = "linear";
    desc.tune.problem = problem;
    for (i = 0; i < 2; i++) {
        tuner = gputune_tuner_create(&desc);
        while (gputune_ask(tuner, &config) == GPUTUNE_ASK_CONFIG) gputune_tell(tuner, &config, 1);
        said = gputune_tuner_error(tuner)->result;
        gputune_tuner_destroy(tuner);
    }
}

static void use_coarsening(const char *source)
{
    gputune_coarsen_space_desc desc;
    gputune_space *space;
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    desc.name = "k";
    desc.global[0] = 1024;
    desc.local[0] = 64;
    space = gputune_coarsen_space(&desc);
    said = gputune_space_error(space)->result;
    gputune_space_destroy(space);
}

#define KERNEL "\nvoid k(void) { }\n"
// A kernel whose body the counted text is.
#define BODY "__kernel void k(__global float4 *x, float4 y, int n) { int i = get_global_id(0); "
#define CL "__kernel void k(__global int *a, int n)\n{"
#define CU "__global__ void k(int *a, int n)\n{"

static const kind kinds[] = {
    { "restriction: a sum", "1", "+%d", " > A", use_restriction },
    { "restriction: one name", "A", "+A", "> 0", use_restriction },
    { "restriction: names", "A", "+n%d", "> 0", use_restriction },
    { "restriction: texts", "B==\"\"", "||B==\"t%d\"", "", use_restriction },
    { "restriction: an open text", "B==\"x", "|| %d", "", use_restriction },
    { "restriction: signs", "A > ", "-", "1", use_restriction },
    { "restriction: brackets", "A > ", "(", "1", use_restriction },
    { "restriction: choices", "A", "? %d : A", "?1:1", use_restriction },
    { "restriction: min", "min(A", ",%d", ") > 0", use_restriction },
    { "restriction: blanks", "A", "        ", "> 0", use_restriction },
    { "restriction: digits", "A<", "1", "", use_restriction },
    { "restriction: and", "A>0", " && A+B%%3 > %d", "", use_restriction },
    { "values: integers", "set 0", ",%d", "", use_values },
    { "values: integers downwards", "set 0", ",-%d", "", use_values },
    { "values: the same", "set 0", ",1", "", use_values },
    { "values: names", "set a", ",a%d", "", use_values },
    { "values: reals", "set 0.5", ",%d.25", "", use_values },
    { "values: sums", "set 0", ",1+%d", "", use_values },
    { "values: brackets", "set (", "(", "1", use_values },
    { "values: open brackets", "set (1", ",(%d", "", use_values },
    { "values: quotes", "set \"a\"", ",\"a%d\"", "", use_values },
    { "values: range", "range 1,2,1", ",%d", "", use_values },
    { "values: a word", "set", "x", "", use_values },
    { "values: unknown word", "x", " set %d", "", use_values },
    { "global: parts", "1", ",%d", "", use_global },
    { "global: names", "1", "+n%d", "", use_global },
    { "annotation: values", "#pragma gputune set 0", ",%d", "\n#define A 0" KERNEL, use_source },
    { "annotation: names", "#pragma gputune set a", ",a%d", "\n#define A a" KERNEL, use_source },
    { "annotation: parameters", "",
      "#pragma gputune set 0,1\n#define A%d 0\n", KERNEL, use_source },
    { "annotation: one parameter", "",
      "#pragma gputune set 0,1\n#define A 0\n", KERNEL, use_source },
    { "annotation: restrictions", "#pragma gputune set 0,1\n#define A 0\n",
      "#pragma gputune require A > -%d\n", KERNEL, use_source },
    { "annotation: global", "", "#pragma gputune global %d\n", KERNEL, use_source },
    { "annotation: kernels", "", "#pragma gputune kernel k%d\n", KERNEL, use_source },
    { "annotation: a kernel's list", "#pragma gputune kernel k", " k%d", KERNEL, use_source },
    { "annotation: lines", "#pragma gputune set 0,1", "\\\n", "\n#define A 0" KERNEL, use_source },
    { "annotation: unknown", "", "#pragma gputune x%d\n", KERNEL, use_source },
    { "source: kernels", "", "__kernel void k%d(int n) { }\n", KERNEL, use_source },
    { "source: defines", "", "#define D%d %d\n", KERNEL, use_source },
    { "source: conditions", "#pragma gputune set 0,1\n#define A 0\n",
      "#if A == %d\n#endif\n", KERNEL, use_source },
    { "source: nested conditions", "#pragma gputune set 0,1\n#define A 0\n",
      "#if A == %d\n", KERNEL, use_source },
    { "source: uses",
      "#pragma gputune set 0,1\n#define A 0\nvoid f(void) { int i = 0", "+A", ";}" KERNEL,
      use_source },
    { "objective: a sum", "time", "+%d", "", use_objective },
    { "objective: names", "time", "+n%d", "", use_objective },
    { "numbers: many", "n=1", " n%d=%d", "", use_numbers },
    { "problem: words", "a=1", " n%d=%d", "", use_problem },
    { "problem: one word", "a=", "x", "", use_problem },
    { "problem: blanks", "a=1", "      ", "b=1", use_problem },
    { "coarsening: statements", BODY, "float a%d = n; if (a%d > 3) x[i].x += 1;\n", "}",
      use_coarsening },
    { "coarsening: counters", BODY "int a = 0, b;", "for (b = 0; b < n; b++) a += b;\n",
      "x[i].x = a; }", use_coarsening },
    { "coarsening: declarators", BODY "int a = 1", ", b%d = a + %d", "; x[i].x = a; }",
      use_coarsening },
    { "coarsening: a sum", BODY "x[i].x = i", " + %d", "; }", use_coarsening },
    { "coarsening: a bracket without an end", BODY "int a = [ * i", " + %d", "; x[i].x = a; }",
      use_coarsening },
    { "coarsening: brackets", BODY "x[i].x = ", "(", "1; }", use_coarsening },
    { "coarsening: choices", BODY "x[i].x = n", " ? %d : n", " ? 1 : 2; }", use_coarsening },
    { "coarsening: blocks", BODY, "{ int a%d = n; x[i].x += a%d; }\n", "}", use_coarsening },
    { "coarsening: cases", BODY "switch (n) {", "case %d: x[i].x += %d; break;\n", "} }",
      use_coarsening },
    { "coarsening: hidden names", BODY "int a = i;", "{ int b = a, a = b; x[i].x += a; }\n", "}",
      use_coarsening },
    { "coarsening: constants", "", "const int c%d = %d;\n", BODY "x[i].x = c1; }", use_coarsening },
    { "coarsening: conditions", BODY, "if (n > %d) ", "x[i].x = 1; }", use_coarsening },
    { "coarsening: loops in loops", BODY, "for (;;) ", "x[i].x = 1; }", use_coarsening },
    { "coarsening: uses of macros", "#define D(a) ((a) + 1)\n" BODY "x[i].x = 1", "+ D(%d)", "; }",
      use_coarsening },
    { "coarsening: returns", BODY, "if (i == %d) return;\n", "x[i].x = 1; }", use_coarsening },
    { "coarsening: helpers", "", "int f%d(int a) { return a + get_local_id(0); }\n",
      BODY "x[i].x = f1(n); }", use_coarsening },
    { "coarsening: texts", BODY "x[i].x = 1", "; \"a\"", "; }", use_coarsening },
    { "coarsening: local memory", BODY, "__local int a%d[4];\n", "}", use_coarsening },
    { "coarsening: barriers", CL, "barrier(1);", "}", use_coarsening },
    { "coarsening: barriers in a loop", CL "for (int i = 0; i < n; i++) {", "barrier(1);", "}}",
      use_coarsening },
    { "coarsening: loops of barriers", CL, "for (int i = 0; i < n; i++) { barrier(1); }", "}",
      use_coarsening },
    { "coarsening: guards", CU, "if (n) return;", "__syncthreads(); }", use_coarsening },
    { "coarsening: ends", CU, "if (n) return; a[0]++; ", "}", use_coarsening },
    { "coarsening: loops", CL, "while (a[n] < 4) { n++; }", "}", use_coarsening },
    { "coarsening: braces", CL, "{ ", "", use_coarsening },
    { "coarsening: else if", CL, "if (n) barrier(1); else ", ";}", use_coarsening },
    { "coarsening: macros", "", "#define M%d M + 1\n", CL "n = M1; }", use_coarsening },
    { "coarsening: quotes", CL, "\"", "}", use_coarsening },
    { "coarsening: members", CL, "x.s0123 = y.xyzw;", "}", use_coarsening },
    { "coarsening: names", CL, "n%d = a + a%d;", "}", use_coarsening },
    { "coarsening: structs", "", "struct s%d { int a; };\n", CL "}", use_coarsening },
    { "coarsening: calls", "int g(int x) { return x; }\n" CL, "n = g(n);", "}", use_coarsening },
    { "coarsening: branches that stay", "", "#ifdef __X\n#define A%d B%d\n#endif\n", CL "}",
      use_coarsening },
    { "coarsening: other kernels", "", "__kernel void k%d(__global int *a) { a[0] = 1; }\n", CL "}",
      use_coarsening },
    { "coarsening: #if among arguments", "#define F(a) a\n" CL "n = F(0", "\n#if %d\n+ 1\n#endif\n",
      ");}", use_coarsening },
    { "coarsening: includes that macros name", "#define N(x) #x\n", "#include N(f%d.h)\n", CL "}",
      use_coarsening },
    { "coarsening: macros in macros", "#define D(x) (x)\n" CL "n = ", "D(", "1;}", use_coarsening },
    { "coarsening: raw strings", CU, "R\"(", "}", use_coarsening },
    { "coarsening: unknown", CL, "n = g%d(n);", "}", use_coarsening },
    { NULL, NULL, NULL, NULL, NULL },
};

int main(int argc, char **argv)
{
    const kind *k;
    int wrong = 0;
    for (k = kinds; k->name; k++) {
        uint64_t taken[2];
        int i;
        if (argc > 1 && !strstr(k->name, argv[1])) continue;
        for (i = 0; i < 2; i++) {
            write_text(k, (size_t)(i + 1) * LENGTH);
            counted_steps = 0;
            k->use(text);
            taken[i] = counted_steps;
        }
        if (argc > 1)
            printf("%s: %.0f, %.0f steps, %s\n", k->name, (double)taken[0], (double)taken[1],
                   gputune_result_name(said));
        if (taken[0] > LENGTH / 8 && taken[1] <= 2 * taken[0] + taken[0] / 2) continue;
        printf("%s: %.0f steps, of twice the length %.0f\n", k->name, (double)taken[0],
               (double)taken[1]);
        wrong++;
    }
    return wrong > 0;
}
