// [source]: OpenCL C as CUDA C, CUDA C of its own, and the prelude through NVRTC. No GPU needed:
// what the kernels compute is for the suite `kernels` and for `check.sh prelude`.
#include "test.h"

#include "gputune_cuda.h"

static const char dialect_head[] = "/* prelude */\n#line 1 \"kernel.cl\"\n#line 1\n";

// The OpenCL C with that kernel as CUDA C behind this prelude, or NULL and the error. Freed by the
// caller.
static char *dialect_convert_behind(const char *prelude, const char *text, const char *name,
                                    gputune_error *error)
{
    gputune_device *device = source_device(prelude, NULL);
    gputune_kernel_desc desc;
    gputune_kernel *k;
    const gputune_space_desc nothing = { 0 };
    gputune_space *none = gputune_space_create(&nothing);
    gputune_config config;
    const char *out;
    char *copy = NULL;
    memset(&desc, 0, sizeof desc);
    CHECK_INT(gputune_space_count(none), 1);
    config = gputune_space_default(none);
    desc.source = text;
    desc.name = name;
    k = gputune_kernel_create(device, &desc);
    out = gputune_kernel_source(k, &config);
    if (out) copy = strcpy((char *)malloc(strlen(out) + 1), out);
    *error = *gputune_kernel_error(k);
    gputune_kernel_destroy(k);
    gputune_space_destroy(none);
    gputune_device_destroy(device);
    return copy;
}

// Any text with one more kernel behind it, which makes it OpenCL C, as CUDA C without what stands
// in front. NULL: not converted.
static char *dialect_convert(const char *text, gputune_error *error)
{
    char whole[1200], *out;
    snprintf(whole, sizeof whole, "%s\n__kernel void Q() {}", text);
    out = dialect_convert_behind("/* prelude */", whole, "Q", error);
    if (!out) return NULL;
    if (strncmp(out, dialect_head, sizeof dialect_head - 1) != 0) {
        free(out);
        gputune_error_set(error, GPUTUNE_ERROR_UNSUPPORTED, "taken for CUDA C");
        return NULL;
    }
    memmove(out, out + sizeof dialect_head - 1, strlen(out) + 1 - (sizeof dialect_head - 1));
    return out;
}

// --- rules ---

#define DIALECT_UNUSED "__attribute__((unused)) "

static const struct {
    const char *text, *expected; // blanks in a row count as one, and none at a bracket
} dialect_rules[] = {
    { "__kernel void f(int n) {}", "extern \"C\" __global__ void f(int n) {}" },
    { "kernel void f(int n) {}", "extern \"C\" __global__ void f(int n) {}" },
    { "__attribute__((vec_type_hint(int))) __attribute((x)) __kernel void f(int n) {}",
      "extern \"C\" __attribute__((vec_type_hint(int))) __attribute((x)) __global__ void "
      "f(int n) {}" },
    { "#define KERNEL __kernel\nKERNEL void f(int n) {}",
      "\nextern \"C\" __global__ void f(int n) {}" },
    // Address spaces.
    { "void f(__global float *x, global const int *y, __private int z, float global *w) {}",
      "void f( float *x, const int *y, int z, float *w) {}" },
    { "void f(void) { __local float a[4], b; __local float *p = a, *q; }",
      "void f(void) { __shared__ float a[4], b; float *p = a, *q; }" },
    { "void f(void) { local float4 tile[8][9]; __local const float *row[4]; }",
      "void f(void) { __shared__ float4 tile[8][9]; const float *row[4]; }" },
    { "void f(void) { __local float (*p)[4]; __local struct s t; __local VEC(float, 4) v; }",
      "void f(void) { float (*p)[4]; __shared__ struct s t; __shared__ VEC(float, 4) v; }" },
    { "void f(__local float *p, __local int t[], float __local *q) { g((__local int *)p); }",
      "void f( float *p, int t[], float *q) { g(( int *)p); }" },
    { "typedef __local float *lp; struct s { __global int *p; };",
      "typedef float *lp; struct s { int *p; };" },
    { "__constant float a[2] = { 1, 2 }; static constant int b = 1; __constant const int c[] = "
      "{3};",
      "__constant__ float a[2] = { 1, 2 }; static __constant__ int b = 1; __constant__ const int "
      "c[] = {3};" },
    { "void f(__constant float *p, constant const float *q, const __constant int r[]) {}",
      "void f(const float *p, const float *q, const int r[]) {}" },
    { "void f(void) { __constant float a[] = { 1 }; static __constant int b = 2; __constant float "
      "*p = a; }",
      "void f(void) { static const float a[] = { 1 }; static const int b = 2; const float "
      "*p = a; }" },
    { "__kernel void f(__constant float *a, constant int *restrict b, __constant int c[]) {}",
      "extern \"C\" __global__ void f(const float *__restrict__ a, const int *restrict b, const "
      "int c[]) {}" },
    { "int local = 1; float *constant; x = local * 2 + a.global + b->local; return private;",
      "int local = 1; float *constant; x = local * 2 + a.global + b->local; return private;" },
    { "#define LOCAL __local\n#define LV volatile LOCAL\nvoid f(LOCAL int *p) { LOCAL int a[2]; "
      "LV int b; }",
      "\n\nvoid f( int *p) { __shared__ int a[2]; volatile __shared__ int b; }" },
    { "#define TABLE constant\nTABLE int a[] = { 1 };",
      "\n__constant__ int a[] = { 1 };" },
    { "#define PTR(T) __local T *\n#define TILE(n) __local float n[4]\nvoid f(PTR(int) p) { "
      "TILE(a); }", "\n\nvoid f( int * p) { __shared__ float a[4]; }" },
    // Kernels with local memory.
    { "__kernel void f(int n, __local float *t)\n{\n}",
      "extern \"C\" __global__ void f(int n, unsigned gputune_at_t )\n{ auto *t " DIALECT_UNUSED
      "= (float *)(gputune_shared + gputune_at_t);\n}" },
    { "kernel void f(local volatile int a[], const __local float4 *restrict b) { int x; }",
      "extern \"C\" __global__ void f(unsigned gputune_at_a , unsigned gputune_at_b ) { auto *a "
      DIALECT_UNUSED "= (volatile int *)(gputune_shared + gputune_at_a); auto *b " DIALECT_UNUSED
      "= (const float4 *)(gputune_shared + gputune_at_b); int x; }" },
    { "__kernel void f(__local float *);\n__kernel void f(__local float *t);",
      "extern \"C\" __global__ void f(unsigned );\nextern \"C\" __global__ void f(unsigned "
      "gputune_at_t );" },
    { "#define LOCAL __local\n__kernel void f(LOCAL float *t\n, int n) {}",
      "\nextern \"C\" __global__ void f(unsigned gputune_at_t\n, int n) { auto *t "
      DIALECT_UNUSED "= (float *)(gputune_shared + gputune_at_t);}" },
    { "kernel void f(local int t[2 * 4]) {}",
      "extern \"C\" __global__ void f(unsigned gputune_at_t ) { auto *t " DIALECT_UNUSED
      "= (int *)(gputune_shared + gputune_at_t);}" },
    { "kernel void f(local const float (*const t)[4][2], global uchar (*x)[6]) {}",
      "extern \"C\" __global__ void f(unsigned gputune_at_t , uchar (*x)[6]) { auto *t "
      DIALECT_UNUSED "= (const float ( *)[4 ][2 ])(gputune_shared + gputune_at_t);}" },
    { "a(not, and, xor_eq) | b", "a(gputune_not, gputune_and, gputune_xor_eq) | b" },
    { "__kernel void f(__local\\\n float *t) {}",
      "extern \"C\" __global__ void f(unsigned gputune_at_t\\\n  ) { auto *t " DIALECT_UNUSED
      "= (float *)(gputune_shared + gputune_at_t);}" },
    // Vector literals.
    { "x = (float4)(1, 2, 3, 4); y = (vector)(a, b); z = (vector)(a); w = (float2)(f(a, b));",
      "x = float4 (1, 2, 3, 4); y = vector (a, b); z = (vector)(a); w = float2 (f(a, b));" },
    { "return(int2)(a, b); x = (const uint4)(a, (int2)(1, 2), 3); y = (VEC(float, 2))(a, b);",
      "return int2 (a, b); x = uint4 (a, int2 (1, 2), 3); y = VEC(float, 2) (a, b);" },
    { "typedef float4 real4; x = (real4)(REST); y = (float)(a, b); z = (void)(a, b);",
      "typedef float4 real4; x = real4 (REST); y = (float)(a, b); z = (void)(a, b);" },
    { "f(NAME(sum)(a, b), g(a, b), (min)(a, b), h[2](a, b)); if (x) (y)(a, b);",
      "f(NAME(sum)(a, b), g(a, b), min (a, b), h[2](a, b)); if (x) y (a, b);" },
    { "#define F(x)(float2)(x, x)\nif (x)(a, b); F(1)", "\nif (x)(a, b); float2 (1, 1)" },
    { "x = (float4){ 1, 2, 3, 4 }; s = (struct pair){ 1, 2 }; t = sizeof(float4);",
      "x = float4 { 1, 2, 3, 4 }; s = pair { 1, 2 }; t = sizeof(float4);" },
    { "#define V4(T, a) (T##4)(a, a, a, a)\n#define F(A) (float4)A\n#define G(A) (real)A\n"
      "V4(int, 1) F((1, 2)) G((1)) G((1, 2))",
      "\n\n\nint4 (1, 1, 1, 1) float4 (1, 2) (real)(1) real (1, 2)" },
    { "#define WHITE (1, 2, 3, 4)\n#define ARGS 1, 2\n#define L(T, ...) (T)(__VA_ARGS__)\n"
      "x = (float4)WHITE; y = (real4)WHITE; z = (V(float))(ARGS); w = (float4)other;",
      "\n\n\nx = float4 (1, 2, 3, 4); y = real4 (1, 2, 3, 4); z = V(float) (1, 2); w = "
      "(float4)other;" },
    // Structs.
    { "typedef struct { int n; } __attribute__((packed)) D; union U { int n; } "
      "__attribute__((aligned(16))) __attribute((packed)); struct { int n; } d;",
      "typedef struct __attribute__ ((packed)) { int n; } D; union __attribute__ ((aligned (16)))"
      "__attribute ((packed)) U { int n; } ; struct { int n; } d;" },
    { "#define PACKED __attribute__((packed))\n#define ALIGNED(n) __attribute__((aligned(n)))\n"
      "struct D { int n; }\nPACKED d; struct PACKED E { int n; } ALIGNED(8), e; struct D f(void);",
      "\n\nstruct __attribute__ ((packed)) D { int n; }\n d; struct __attribute__ ((aligned (8))) "
      "__attribute__((packed)) E { int n; }, e; struct D f(void);" },
    // Components.
    { "a = v.xyz + p->s31 + v.wzyx.x + v.hi.xy; b = v.x + v.s0 + v.lo.y + v.hi.lo.x + 1.x;",
      "a = v.gputune_get<0,1,2>() + p->gputune_get<3,1>() + v.gputune_get<3,2,1,0>().x + "
      "v.hi.gputune_get<0,1>(); b = v.x + v.s0 + v.lo.y + v.hi.lo.x + 1.x;" },
    { "v.xy = a; v.s10 += b; v.zw == a; v.zw / b; p->yx *= c; v.sA = v.S3 + v.sF01e.x; v.xy %= c; "
      "v.xy <<= d; v.yx >>= d; v.xy << d; v.zw <= d; v.xy ^= d;",
      "v.gputune_ref<0,1>() = a; v.gputune_ref<1,0>() += b; v.gputune_get<2,3>() == a; "
      "v.gputune_get<2,3>() / b; p->gputune_ref<1,0>() *= c; v.sa = v.s3 + "
      "v.gputune_get<15,0,1,14>().x; v.gputune_ref<0,1>() %= c; v.gputune_ref<0,1>() <<= d; "
      "v.gputune_ref<1,0>() >>= d; v.gputune_get<0,1>() << d; v.gputune_get<2,3>() <= d; "
      "v.gputune_ref<0,1>() ^= d;" },
    { "struct s { float xy; union { int zw; } u; }; a = b.xy + c.zw + d.xz;",
      "struct s { float xy; union { int zw; } u; }; a = b.xy + c.zw + d.gputune_get<0,2>();" },
    { "struct __attribute__((aligned(8))) { float xy; } b; a = b.xy + d.xz;",
      "struct __attribute__((aligned(8))) { float xy; } b; a = b.xy + d.gputune_get<0,2>();" },
    { "struct s { int n; }; struct s f(struct s t, float4 v) { v.xy = v.yx; return t; }",
      "struct s { int n; }; struct s f(struct s t, float4 v) { v.gputune_ref<0,1>() = "
      "v.gputune_get<1,0>(); return t; }" },
    { "#define FLIP(v) (v).yx\nint xy = 1, s01; a = xy + s01 + b.size + b.sum; FLIP(c) = FLIP(d);",
      "\nint xy = 1, s01; a = xy + s01 + b.size + b.sum; (c).gputune_ref<1,0>() = "
      "(d).gputune_get<1,0>();" },
    // Conversions.
    { "a = convert_int(x) + convert_float4_rte(y) + convert_uchar16_sat(z) + "
      "convert_short2_sat_rtz(w);",
      "a = gputune_convert<int, gputune_any>(x) + gputune_convert<float4, gputune_rte>(y) + "
      "gputune_convert<uchar16, gputune_sat>(z) + gputune_convert<short2, gputune_sat_rtz>(w);" },
    { "a = as_float(x) + as_uint4(y) + as_fast(z) + convert_me(w) + b.as_int;",
      "a = gputune_as<float>(x) + gputune_as<uint4>(y) + as_fast(z) + convert_me(w) + b.as_int;" },
    // The rest.
    { "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#pragma unroll 4\nint x;",
      "\n#pragma unroll 4\nint x;" },
    { "#pragma OPENCL FP_CONTRACT OFF\nint x;", "/* gputune: -fmad=false */\nint x;" },
    { "__attribute__((opencl_unroll_hint(N))) for (;;); __attribute__((opencl_unroll_hint)) x; "
      "__attribute__((packed)) y;",
      "_Pragma(\"unroll N\") for (;;); _Pragma(\"unroll\") x; __attribute__((packed)) y;" },
    { "int new = class + a.this; // new __kernel\nchar *s = \"new __global\";",
      "int gputune_new = gputune_class + a.gputune_this; // new __kernel\nchar *s = \"new "
      "__global\";" },
    { "#if 0\n__kernel (a)(b, c)\n#endif\n#if local\n#endif",
      "\n\n\n\n" },
    { "#if 0\n\"a\\\nb\" c\\\nd\n#endif\nint x;", // lines of what is dropped
      "\n\\\n\\\n\n\nint x;" },
    { "#pragma OPENCL 'a\\\nb\nint x;", "\\\n\nint x;" },
    { "#define\nint x;", "#define\nint x;" }, // without a name
    { "\xef\xbb\xbfx /* a */ \\ \n y \\\r\n z", "x /* a */ \\\n y \\\n z" },
};

// Blanks in a row become one; none stay beside brackets, commas and line ends.
static void dialect_squeeze(char *text)
{
    char *to = text, *from;
    for (from = text; *from; from++) {
        if (*from == ' ' && (to == text || strchr(" ([\n", to[-1]) || strchr(" )],\n", from[1])))
            continue;
        while (*from == '\n' && to > text && to[-1] == ' ') to--;
        *to++ = *from;
    }
    *to = 0;
}

static void test_dialect_rules(void)
{
    size_t i;
    for (i = 0; i < sizeof dialect_rules / sizeof *dialect_rules; i++) {
        char expected[1024], *got;
        gputune_error error;
        got = dialect_convert(dialect_rules[i].text, &error);
        if (!got) {
            TEST_FAIL("%s: %s", dialect_rules[i].text, error.text);
            continue;
        }
        snprintf(expected, sizeof expected, "%s\nextern \"C\" __global__ void Q() {}",
                 dialect_rules[i].expected);
        dialect_squeeze(expected);
        dialect_squeeze(got);
        CHECK_OR(strcmp(got, expected) == 0, "%s\n        gives    %s\n        expected %s",
                 dialect_rules[i].text, got, expected);
        free(got);
    }
}

// What would silently mean something else is refused, with its line.
static void test_dialect_refused(void)
{
    static const char *const texts[] = {
        "\nvoid f(void) { __local float a[2], *p; }",
        "\nvoid f(void) { __local float *p, a[2]; }",
        "\n#ifdef __X\n#define L __local\n#endif",
        "\n__kernel void f(__local float *) { }",
        "\n#include \"helpers.h\"\n",
        "\n#include <helpers.h>\n",
        "\n#include __X\n",
        "\n#pragma push_macro(\"A\")",
        "\n__kernel void f(__local float (*t)(int)) {}",
        "\n__kernel void f(__local float *t\"a\\\nb\", int n) {}", // a line would be lost
        "struct s { int n; }\n#pragma omp\n__attribute__((packed))\n;",
    };
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        gputune_error error;
        char *got = dialect_convert(texts[i], &error);
        CHECK_OR(!got, "%s\n        gives %s", texts[i], got);
        if (!got) CHECK_INT(error.result, GPUTUNE_ERROR_COMPILE);
        if (!got) CHECK_HAS(error.text, "line 2");
        free(got);
    }
}

static void test_dialect_which(void)
{
    static const struct {
        const char *text, *name;
        enum { OPENCL, CUDA, REFUSED } is;
    } texts[] = {
        { "__kernel void f(int n) {}", "f", OPENCL },
        { "kernel void f(int n) {}", "f", OPENCL },
        { "#define K __kernel\nK void f(int n) {}", "f", OPENCL },
        { "__global__ void f(int n) {}", "f", CUDA },
        { "__global__ void kernel(float *kernel) {}", "kernel", CUDA },
        { "#ifdef X\n#define K __kernel\n#else\n#define K __global__\n#endif\nK void f(int n) {}",
          "f", CUDA },
        { "#pragma gputune kernel f,f2\n#define K f\nvoid f(void) {} ", "f", REFUSED },
        { "// __kernel\n#if 0\n__kernel\n#endif\nint kernel;", "f", CUDA },
    };
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        gputune_error error;
        char *out = dialect_convert_behind("/* prelude */", texts[i].text, texts[i].name, &error);
        CHECK_OR(!out == (texts[i].is == REFUSED), "%s: %s", texts[i].text, error.text);
        if (out)
            CHECK_OR(!strncmp(out, "/* prelude */", 13) == (texts[i].is == OPENCL), "%s",
                     texts[i].text);
        free(out);
    }
}

// Damaged texts: no crash, no leak, and lines stay where they are.
static void test_dialect_fuzz(void)
{
    uint64_t state = 7;
    int round, converted = 0;
    for (round = 0; round < 20000; round++) {
        static const char bytes[] = "(){}[]#\\\n\r\"'/*,;<>. \t_R";
        char text[600], *out = NULL;
        const char *line, *from = dialect_rules[test_random_below(
                                      &state, sizeof dialect_rules / sizeof *dialect_rules)].text;
        size_t length, changes = (size_t)test_random_below(&state, 4);
        int before = 0, after = 0;
        gputune_error error;
        snprintf(text, sizeof text, "%s", from);
        length = strlen(text);
        while (changes-- && length) {
            const char byte = bytes[test_random_below(&state, sizeof bytes - 1)];
            text[test_random_below(&state, length)] = byte;
        }
        out = dialect_convert(text, &error);
        if (!out) continue;
        converted++;
        for (line = text; *line; line++) before += *line == '\n';
        before++; // that of Q
        for (line = out; *line; line++) after += *line == '\n';
        CHECK_OR(before == after, "lines change: %s\n-----\n%s", text, out);
        free(out);
    }
    CHECK(converted > 10000);
}

static void test_dialect_no_memory(void)
{
    static const char text[] =
        "#pragma OPENCL x\n#define LOCAL __local\n__constant int new = 1;\n__kernel void f(__local "
        "float *t, __constant int *c) { LOCAL int u; v.xy = (float2)(1, as_float(2)); }";
    gputune_arg args[2];
    float c[1] = { 0 };
    long n;
    bool done = false;
    args[0] = gputune_local("4");
    args[1] = gputune_in(c, sizeof c);
    for (n = 0; n < 1000 && !done; n++) {
        source_memory memory = { 1000, 0 };
        gputune_options options;
        gputune_device *device;
        gputune_kernel *k;
        gputune_config config;
        const gputune_space *space = NULL;
        memset(&options, 0, sizeof options);
        options.reallocate = source_reallocate;
        options.user = &memory;
        device = source_device("", &options);
        k = source_kernel(device, text, "f", "1");
        CHECK_INT(test_space_of(k, args, 2, &space), GPUTUNE_OK);
        config = gputune_space_default(space);
        memory.until = n;
        done = gputune_kernel_source(k, &config) != NULL;
        CHECK(done || gputune_kernel_error(k)->result == GPUTUNE_ERROR_MEMORY);
        memory.until = 1000;
        gputune_kernel_destroy(k);
        gputune_device_destroy(device);
        CHECK_INT(memory.blocks, 0);
    }
    CHECK(done && n > 20);
}

// --- through the kernel ---

static gputune_kernel *dialect_kernel(gputune_device *device, const char *source, const char *name)
{
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.source = source;
    desc.name = name;
    desc.global = "64";
    desc.local = "64";
    return gputune_kernel_create(device, &desc);
}

// The driver gets the converted text, and gputune_kernel_source shows the same.
static void test_dialect_kernel(void)
{
    static const char opencl[] =
        "#pragma gputune set 1,2\n#define B 1\nkernel void f(global float *x, local float *t) {}";
    static const char cuda[] =
        "#pragma gputune set 1,2\n#define B 1\n__global__ void f(float *global) {}";
    gputune_device *device = source_device("PRELUDE", NULL), *plain = source_device(NULL, NULL);
    const source_driver *driver = (const source_driver *)gputune_device_self(device, "source");
    gputune_kernel *k = dialect_kernel(device, opencl, "f");
    gputune_config config;
    const gputune_space *space = NULL;
    gputune_arg args[2];
    float x[1];
    const char *text;
    args[0] = gputune_inout(x, sizeof x);
    args[1] = gputune_local("256");
    CHECK_INT(test_space_of(k, args, 2, &space), GPUTUNE_OK);
    CHECK(gputune_config_parse(space, "B=2", &config));
    text = gputune_kernel_source(k, &config);
    CHECK_HAS(text, "PRELUDE\n#line 1 \"kernel.cl\"\n#line 1\n");
    CHECK_HAS(text, "\nextern \"C\" __global__ void f(");
    CHECK_INT(gputune_kernel_launch(k, &config, args, 2), GPUTUNE_OK);
    CHECK(driver->converted);
    CHECK_TEXT(driver->source, gputune_kernel_source(k, &config));
    gputune_kernel_destroy(k);
    k = dialect_kernel(device, cuda, "f");
    CHECK_INT(gputune_run(k, args, 1), GPUTUNE_OK);
    CHECK(!driver->converted);
    CHECK_TEXT(driver->source,
               "   \n#define B 1\n__global__ void f(float *global) {}");
    gputune_kernel_destroy(k);
    k = dialect_kernel(plain, opencl, "f"); // OpenCL: the text as it is
    CHECK_INT(test_space_of(k, args, 2, &space), GPUTUNE_OK);
    config = gputune_space_default(space);
    CHECK_HAS(gputune_kernel_source(k, &config), "\nkernel void f(");
    gputune_kernel_destroy(k);
    gputune_device_destroy(plain);
    gputune_device_destroy(device);
}

// Launches; the error's text, or "" on success.
static const char *dialect_launch(gputune_kernel *k, const gputune_arg *args, int count)
{
    const gputune_space *space = NULL;
    gputune_config config;
    if (test_space_of(k, args, count, &space) != GPUTUNE_OK)
        return gputune_kernel_error(k)->text;
    config = gputune_space_default(space);
    if (gputune_kernel_launch(k, &config, args, count) == GPUTUNE_OK) return "";
    return gputune_kernel_error(k)->text;
}

// Local memory is no parameter of a CUDA C kernel, wherever it stands among the arguments.
static void test_dialect_arguments(void)
{
    static const char text[] =
        "template <class T, int N> __global__ void f(size_t n, const T *x, T *y, float3 v, float4 "
        "w) {}\nextern \"C\" __global__ void g(unsigned n, long long m) {}";
    gputune_device *device = source_device("", NULL);
    gputune_kernel *k = dialect_kernel(device, text, "f<float, 4>"),
                   *g = dialect_kernel(device, text, "g");
    const source_driver *call = (const source_driver *)gputune_device_self(device, "source");
    static const uint64_t most = UINT64_MAX;
    float x[4] = { 0, 0, 0, 0 }, y[4];
    gputune_arg args[6];
    args[0] = gputune_int(5);
    args[1] = gputune_local("64 * n");
    args[2] = gputune_in(x, sizeof x);
    args[3] = gputune_out(y, sizeof y);
    args[4] = gputune_bytes(x, 12);
    args[5] = gputune_bytes(x, 16);
    CHECK_INT(gputune_kernel_error(k)->result, GPUTUNE_OK);
    CHECK_TEXT(dialect_launch(k, args, 6), "");
    CHECK_INT(call->arg_count, 6);
    CHECK_INT(call->args[0].bytes, 8); // size_t
    CHECK_INT(call->args[1].kind, GPUTUNE_ARG_LOCAL);
    CHECK_INT(call->args[1].bytes, 64 * 5);
    CHECK(call->args[2].handle == x && call->args[3].handle == y);
    CHECK(k->targets[0]->takes[2]->constant);
    CHECK(!k->targets[0]->takes[3]->constant);
    CHECK_INT(gputune_run(k, args, 6), GPUTUNE_OK);
    args[4] = gputune_bytes(x, 16); // OpenCL's float3
    CHECK_HAS(dialect_launch(k, args, 6), "(v) is a vector");
    args[4] = gputune_bytes(x, 12);
    args[5] = gputune_bytes(x, 12);
    CHECK_HAS(dialect_launch(k, args, 6), "argument 5 (w) is a vector");
    args[5] = gputune_bytes(x, 16);
    args[2] = gputune_out(x, sizeof x);
    CHECK_HAS(dialect_launch(k, args, 6), "(x) is a pointer to const");
    CHECK_HAS(dialect_launch(k, args, 5), "takes 5 arguments, 4 given");
    args[1] = gputune_int(1);
    CHECK_TEXT(dialect_launch(g, args, 2), "");
    CHECK_INT(call->args[0].bytes, 4);
    CHECK_INT(call->args[1].bytes, 8);
    args[0] = gputune_int(INT64_C(1) << 32); // no value is changed silently
    CHECK_HAS(dialect_launch(g, args, 2), "(n) is uint");
    args[0] = gputune_int(-1);
    CHECK_HAS(dialect_launch(g, args, 2), "(n) is uint");
    args[0] = gputune_int(UINT32_MAX);
    CHECK_TEXT(dialect_launch(g, args, 2), "");
    args[1] = gputune_scalar(GPUTUNE_UINT64, &most);
    CHECK_HAS(dialect_launch(g, args, 2), "(m) is long");
    args[1] = gputune_int(INT64_MIN + 5);
    CHECK_TEXT(dialect_launch(g, args, 2), "");
    CHECK(memcmp(call->args[1].data, &args[1].value.i, 8) == 0);
    args[1] = gputune_in(x, sizeof x);
    CHECK_HAS(dialect_launch(g, args, 2), "(m) is long in the kernel, a buffer given");
    args[1] = gputune_local("64 * n");
    args[0] = args[2] = gputune_int(1);
    CHECK_HAS(dialect_launch(k, args, 6), "(x) is a pointer");
    gputune_kernel_destroy(k);
    gputune_kernel_destroy(g);
    k = dialect_kernel(device, text, "h<float>");
    CHECK_HAS(gputune_kernel_error(k)->text, "no kernel \"h<float>\"");
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

// --- NVRTC ---

typedef struct dialect_nvrtc {
    void *library;
    int (*create)(void **, const char *, const char *, int, const char *const *,
                  const char *const *);
    int (*compile)(void *, int, const char *const *);
    int (*destroy)(void **);
    int (*log_size)(void *, size_t *);
    int (*log)(void *, char *);
    int (*ptx_size)(void *, size_t *);
    int (*ptx)(void *, char *);
    char *prelude;
} dialect_nvrtc;

static bool dialect_open(dialect_nvrtc *n, char *why, size_t size)
{
    static const char *const names[] = { "libnvrtc.so.13",
                                         "libnvrtc.so.12",
                                         "libnvrtc.so.11.2",
                                         "libnvrtc.so",
                                         "/usr/local/cuda/lib64/libnvrtc.so",
                                         NULL };
    gputune_error error;
    bool whole;
    memset(n, 0, sizeof *n);
    n->library = gputune_library_open(names, &error);
    if (!n->library) {
        snprintf(why, size, "%s", error.text);
        return false;
    }
    n->prelude = gt_cuda__prelude(NULL);
    snprintf(why, size, "this NVRTC lacks a function");
    whole = gputune_library_symbol(n->library, "nvrtcCreateProgram", &n->create) &&
            gputune_library_symbol(n->library, "nvrtcCompileProgram", &n->compile) &&
            gputune_library_symbol(n->library, "nvrtcDestroyProgram", &n->destroy) &&
            gputune_library_symbol(n->library, "nvrtcGetProgramLogSize", &n->log_size) &&
            gputune_library_symbol(n->library, "nvrtcGetProgramLog", &n->log) &&
            gputune_library_symbol(n->library, "nvrtcGetPTXSize", &n->ptx_size) &&
            gputune_library_symbol(n->library, "nvrtcGetPTX", &n->ptx) && n->prelude;
    CHECK(whole);
    return whole;
}

static void dialect_close(dialect_nvrtc *n)
{
    gputune_reallocate(NULL, n->prelude, 0);
    // The library stays loaded, as in the driver: unloading it loses memory that it holds.
}

// The PTX of a converted text, or NULL; *log is then the compiler's, else its warnings. Both are
// freed by the caller.
static char *dialect_ptx(const dialect_nvrtc *n, const char *text, char **log)
{
    static const char *const options[] = { "--gpu-architecture=compute_80",
                                           "--device-as-default-execution-space",
                                           "-std=c++14" };
    void *program = NULL;
    size_t size = 1;
    char *ptx = NULL;
    int result = n->create(&program, text, "prelude", 0, NULL, NULL);
    *log = NULL;
    if (result) return NULL;
    result = n->compile(program, 3, options);
    n->log_size(program, &size);
    *log = (char *)calloc(1, size + 1);
    n->log(program, *log);
    if (!result && n->ptx_size(program, &size) == 0) {
        ptx = (char *)calloc(1, size + 1);
        n->ptx(program, ptx);
    }
    n->destroy(&program);
    return ptx;
}

// Converts OpenCL C with that kernel and compiles it. NULL when either fails; *log says why, freed
// by the caller.
static char *dialect_compile_text(const dialect_nvrtc *n, const char *text, const char *name,
                                  char **log)
{
    gputune_error error;
    char *out = dialect_convert_behind(n->prelude, text, name, &error), *ptx = NULL;
    *log = NULL;
    if (out)
        ptx = dialect_ptx(n, out, log);
    else
        *log = strcpy((char *)malloc(strlen(error.text) + 1), error.text);
    free(out);
    return ptx;
}

enum { DIALECT_DRAWN = 8 };

// The default and some configurations of a kernel of examples/kernels: no error, no warning.
static void dialect_check_example(const dialect_nvrtc *n, const example_case *kind)
{
    gputune_device *device = source_device(n->prelude, NULL);
    const gputune_kernel_desc desc = case_desc(kind);
    gputune_kernel *k = gputune_kernel_create(device, &desc);
    const gputune_space *space = NULL;
    uint64_t state = 3;
    case_data data;
    int i;
    CHECK(case_make(&data, kind, device, kind->small, 1));
    CHECK_INT(test_space_of(k, data.args, data.arg_count, &space), GPUTUNE_OK);
    for (i = 0; i <= DIALECT_DRAWN && space; i++) {
        gputune_config config = gputune_space_default(space);
        char *log = NULL, *ptx, text[512];
        const char *source;
        if (i) config = gputune_space_at(space, test_random_below(&state,
                                                                      gputune_space_count(space)));
        source = gputune_kernel_source(k, &config);
        ptx = source ? dialect_ptx(n, source, &log) : NULL;
        CHECK_OR(ptx && !(log && strstr(log, "warning")), "%s %s: %.1500s", kind->name,
                 gputune_config_text(&config, text, sizeof text),
                 log ? log : gputune_kernel_error(k)->text);
        CHECK_OR(!ptx || !strstr(ptx, ".local"), "%s: arrays in memory", kind->name);
        free(log);
        free(ptx);
    }
    case_free(&data);
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

static void test_dialect_examples(void)
{
    static char why[1600];
    dialect_nvrtc n;
    size_t i;
    if (!dialect_open(&n, why, sizeof why)) SKIP(why);
    for (i = 0; i < CASE_COUNT; i++) dialect_check_example(&n, &example_cases[i]);
    dialect_close(&n);
}

// One construct each, as the body of a kernel over these:
static const char dialect_frame[] =
    "__constant float4 corner = (float4)(1, 2, 3, 4);\n"
    "__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void f(int n, float a, __global "
    "float *x, __global int *i, __global uint *u, __global long *l, __global ulong *ul, __global "
    "half *h, __global float4 *v, __global int4 *iv, __global float8 *w, __global double *d, "
    "__local float *t, __constant float *c, __global uchar *b, float3 v3, float16 v16)\n{\n"
    "%s;\n}\n";

static const char *const dialect_good[] = {
    "x[get_global_id(0)] = get_local_id(1) + get_group_id(2) + get_local_size(n) + "
    "get_num_groups(0) + get_global_size(1) + get_work_dim() + get_global_offset(0)",
    "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); mem_fence(CLK_GLOBAL_MEM_FENCE); "
    "read_mem_fence(CLK_LOCAL_MEM_FENCE); work_group_barrier(CLK_LOCAL_MEM_FENCE)",
    "float4 q = v[0] + v[1] * 2 - 3.0f * v[2] / a; q += v[3]; q *= 2; q -= a; q /= 2; v[0] = -q",
    "int4 q = iv[0] % 3 & iv[1] | ~iv[2] ^ 5; q <<= 2; q = q >> iv[1] << 1; q++; --q; iv[0] = !q",
    "int4 m = v[0] < v[1]; m = m && (v[0] == 2.0f) || (1.0f >= v[2]); i[0] = any(m) + all(m)",
    "v[0] = (float4)(v[1].xy, v[2].hi); v[1] = (float4)(a, v[2].xyz); v[2] = (float4)(a)",
    "v[0] = (float4)(v[1].s0, (float2)(1, 2), x[3]); v[1] = (float4)(v3, 1); w[0] = "
    "(float8)(v[0], v[1].lo, 1, 2)",
    "float4 q = { 1, a, 3, 4 }, r[2] = { { 1, 2, 3, 4 }, (float4)(0) }; v[0] = q + r[n] + corner",
    "v[0].xy = v[1].yx; v[0].s321 = v[1].xyz; v[0].zw += v[1].xy; v[0].yz *= 2.0f; v[0].lo.y = 1",
    "w[0].s7 = v16.sa + v16.sF + w[0].lo.hi.x; w[1].hi = v16.lo.lo; x[0] = w[1].s76543210.s3",
    "v[0] = vload4(1, x); vstore4(v[0] * 2, 3, x); vstore3(vload3(0, x), 1, x); "
    "vstore16(vload16(0, x), 1, x); iv[0] = vload4(0, i)",
    "x[0] = vload_half(0, h); vstore_half(a, 1, h); v[0] = vload_half4(0, h); "
    "vstore_half4(v[1], 2, h); h[0] = h[1] * h[2] + 2.0f",
    "v[0] = convert_float4(iv[0]); iv[0] = convert_int4_rte(v[1]); b[0] = "
    "convert_uchar_sat_rte(a); i[0] = convert_int_rtz(d[0]); d[1] = convert_double(l[0])",
    "i[0] = as_int(a); x[0] = as_float(u[0]); iv[0] = as_int4(v[0]); v[1] = as_float4(v3); "
    "ul[0] = as_ulong(d[0]) + as_ulong((float2)(1, 2))",
    "x[0] = mad(a, 2.0f, x[1]) + fma(a, a, a) + clamp(a, 0.0f, 1.0f) + mix(a, x[1], 0.5f) + "
    "step(a, x[2]) + smoothstep(0.0f, 1.0f, a) + sign(a) + degrees(a) + radians(a)",
    "v[0] = mad(v[1], v[2], v[3]) + fma(v[1], v[2], v[3]) + clamp(v[0], 0.0f, 1.0f) + mix(v[0], "
    "v[1], 0.5f) + sqrt(v[1]) + fmax(v[1], 0.0f) + min(v[1], v[2]) + pow(v[1], v[2])",
    "x[0] = native_sin(a) + native_exp(a) + native_divide(a, x[1]) + native_sqrt(a) + "
    "native_rsqrt(a) + native_recip(a) + half_cos(a) + half_log2(a) + native_powr(a, x[1])",
    "x[0] = sin(a) + exp2(a) + rsqrt(a) + powr(a, x[1]) + pown(a, n) + hypot(a, x[1]) + fabs(a) + "
    "floor(a) + fmod(a, x[1]) + tanh(a) + log2(a) + cbrt(a) + sinpi(a)",
    "x[0] = dot(v[0], v[1]) + length(v3) + distance(v[0], v[1]) + fast_length(v[0]) + "
    "normalize(v[1]).x + cross(v3, v3).y",
    "i[0] = min(n, 3) + max(n, i[1]) + clamp(n, 0, 7) + abs(n) + mul24(n, 3) + mad24(n, 3, 4) + "
    "mul_hi(n, 5) + popcount(n) + clz(n) + (int)rotate(u[0], 3u) + rotate(n, 5)",
    "iv[0] = min(iv[1], iv[2]) + clamp(iv[1], 0, 9) + rotate(iv[1], iv[2]) + popcount(iv[3]) + "
    "mad24(iv[0], iv[1], iv[2]) + convert_int4(abs(iv[4]))",
    "iv[0].xy <<= iv[1].zw; iv[0].zyx %= 3; iv[0].xw ^= 1; iv[0] >>= 2; u[0] = abs_diff(n, 3)",
    "u[0] = abs(u[1]); b[0] = convert_uchar(u[1]) + convert_char_sat(u[2])",
    "struct s { char c; int n; } __attribute__((packed)); static_assert(sizeof(struct s) == 5, "
    "\"\")",
    "typedef struct { int n; } __attribute__((aligned(32))) s; static_assert(sizeof(s) == 32, "
    "\"\")",
    "union s { char c; int n[2]; } __attribute__((aligned(16), packed)); "
    "static_assert(sizeof(union "
    "s) == 16, \"\"); struct t { char c; union s s; }; static_assert(sizeof(struct t) == 32, \"\")",
    "v[0] = step(0.5f, v[1]) + smoothstep(0.0f, a, v[2]) + fract(v[3], &v[4]); iv[0] = isnan(v[1]) "
    "+ "
    "isinf(v[2]) + isfinite(v[2]) + signbit(v[3])",
    "size_t z = n; i[0] = mul24(z, 3) + mad24(n, (short)2, z) + clamp(n, 0, 3u) + clamp(z, 0, 5) + "
    "popcount(n > 2)",
    "iv[0] = add_sat(iv[1], iv[2]) + sub_sat(iv[1], iv[2]) + hadd(iv[1], 3) + rhadd(iv[1], iv[2]) "
    "+ "
    "ctz(iv[2]) + bitselect(iv[0], iv[1], iv[2]); x[0] = bitselect(a, 1.0f, a); d[0] = M_LOG2E",
    "v[0] = rootn(v[1], iv[0]) + ldexp(v[1], 2) + maxmag(v[0], 1.0f) + remquo(v[0], v[1], iv + 1) "
    "+ lgamma_r(v[2], iv); iv[2] = isgreater(v[0], 0.5f) + isnormal(v[1]) + ilogb(v[2]); i[0] = "
    "isordered(a, 1) + isunordered(a, 2.0f); x[0] = tanpi(a) + atan2pi(a, 1.0f) + nan(3u)",
    "u[0] = upsample((ushort)1, (ushort)2) + mad_sat(u[1], u[2], 3u); iv[0] = mad_hi(iv[1], iv[2], "
    "iv[3]); v[0] = shuffle2(v[1], v[2], (uint4)(7, 0, 5, 2)); cl_mem_fence_flags m = 1; "
    "barrier(m)",
    "vstore_half_rtz(a, 1, h); vstore_half4_rtp(v[0], 0, h); vstorea_half3_rtn(v3, 1, h); d[0] = "
    "bitselect(d[1], 1.0, d[2]); vstorea_half2_rte((double2)(1, 2), 1, h); v[1] = "
    "vloada_half4(1, h)",
    "__constant float4 r = -(float4)(1, 1, 3, 2); v[0] = r; uintptr_t p = (uintptr_t)x; "
    "i[0] = (int)p + UCHAR_MAX + SHRT_MIN",
    "work_group_barrier(CLK_LOCAL_MEM_FENCE, 0)",
    "\n#define CV(T, n) convert_##T##n(iv[1]) + as_##T##n(iv[2])\nv[0] = CV(float, 4)",
    "static_assert(CL_VERSION_1_2 == 120 && CL_VERSION_3_0 == 300 && __OPENCL_VERSION__ == 120 && "
    "__OPENCL_C_VERSION__ == 120 && __ENDIAN_LITTLE__, \"\")",
    "x[0] = length(a) + distance(a, 2.0f) + normalize(a) + fast_length(a) + fast_distance(a, 1.0f)",
    "i[0] = select(n, 3, n > 2); iv[0] = select(iv[1], iv[2], v[0] < v[1]); x[0] = select(a, 2.0f, "
    "isnan(a)) + isinf(a)",
    "atomic_add(i, 2); atomic_sub(u, 1u); atomic_inc(i); atomic_dec(u); atomic_min(i, n); "
    "atomic_max(u, 3); atomic_and(i, 1); atomic_or(u, 2); atomic_xor(i, 3); atomic_xchg(x, a)",
    "i[0] = atomic_cmpxchg(i + 1, 2, 3); l[0] = atom_add(l + 1, 2) + atom_min(l, 3) + "
    "atom_cmpxchg(l, 1, 2); ul[0] = atom_max(ul, 3) + atom_inc(ul) + atom_xchg(ul, 4)",
    "__local int k; __local volatile uint m[4]; atomic_inc(&k); atomic_add(&m[n], 3u)",
    "x[0] = M_PI_F + FLT_MAX - MAXFLOAT + FLT_EPSILON + INFINITY + NAN + nan(0u) + HUGE_VALF; "
    "d[0] = M_PI + DBL_MAX; i[0] = INT_MAX + INT_MIN; l[0] = LONG_MAX; b[0] = CHAR_BIT",
    "uchar p = 1; ushort q = 2; uint r = 3; ulong s = 4; size_t z = p + q + r + s; i[0] = (int)z",
    "__local float8 tile[64]; tile[n] = w[n]; barrier(CLK_LOCAL_MEM_FENCE); w[n] = tile[63 - n]",
    "__constant float table[] = { 1, 2, 3 }; x[0] = table[n] + c[n] + t[n]",
    "__attribute__((opencl_unroll_hint(4))) for (int k = 0; k < 16; k++) x[k] *= 2",
    "char4 q = (char4)(1, 2, 3, 4); uchar16 r = (uchar16)(n); short8 s = (short8)(3); double2 e = "
    "(double2)(1, 2); b[0] = q.x + r.sf + s.s7; d[0] = e.y; long2 f = (long2)(1); l[0] = f.x",
    "x[0] = sincos(a, x + 1); prefetch(x, 16); printf(\"%d\\n\", n)",
    "register int new = 3; i[0] = new",
};

// Errors for the compiler, never other results.
static const char *const dialect_bad[] = {
    "v[0] = (float4)(1, 2, 3)",
    "v[0] = (float4)(v[1], 2)",
    "v[0].xy %= v[1].xy",
    "iv[0] = iv[1] * 0.5f",
    "iv[0] = 0.5 + iv[1]",
    "iv[0] *= a",
    "iv[0] = iv[1] < a",
    "x[0] = abs(a)",
    "v[0] = (a, 1, 2, 3)",
    "struct s { char c; int n; } s __attribute__((packed)); i[0] = sizeof s",
    "__attribute__((packed)) struct s { char c; int n; } s; i[0] = sizeof s",
    "(v[0] + v[1]).xy = v[2].xy",
    "v[0].xz.x = 1",
    "v[0] = v[1] < v[2] ? v[3] : v[4]",
    "if (v[0] == v[1]) x[0] = 1",
    "v[0] = iv[0]",
    "v[0] = (float4)iv[0]",
    "v[0] = v[1] + v3",
    "x[0] = v[0].even.x",
    "x[0] = v[0].rgb.x",
    "x[0] = v[0].s4",
    "x[0] = convert_float_rtz(d[0])",
    "iv[0] = select(iv[1], iv[2], (short4)(1))",
    "i[0] = as_int(d[0])",
    "atomic_inc(b)",
    "image2d_t image",
    "event_t e = 0",
    "typedef __local float lf; lf q",
    "typedef const __constant int table[2]; table q = { 1, 2 }; i[0] = q[n & 1]",
};

static void test_dialect_constructs(void)
{
    static char why[1600], text[4096];
    dialect_nvrtc n;
    char *log, *ptx;
    size_t i;
    if (!dialect_open(&n, why, sizeof why)) SKIP(why);
    for (i = 0; i < sizeof dialect_good / sizeof *dialect_good; i++) {
        snprintf(text, sizeof text, dialect_frame, dialect_good[i]);
        ptx = dialect_compile_text(&n, text, "f", &log);
        CHECK_OR(ptx && !strstr(log, "warning"), "%s: %.1500s", dialect_good[i], log ? log : "?");
        free(ptx);
        free(log);
    }
    for (i = 0; i < sizeof dialect_bad / sizeof *dialect_bad; i++) {
        snprintf(text, sizeof text, dialect_frame, dialect_bad[i]);
        ptx = dialect_compile_text(&n, text, "f", &log);
        CHECK_OR(!ptx, "%s: compiles", dialect_bad[i]);
        if (!ptx && !strstr(log, "kernel.cl(4)")) CHECK_HAS(log, "line 4");
        free(ptx);
        free(log);
    }
    dialect_close(&n);
}

static int dialect_count(const char *text, const char *part)
{
    int count = 0;
    while ((text = strstr(text, part)) != NULL) {
        count++;
        text += strlen(part);
    }
    return count;
}

// What CUDA has built in, but for words of C++: names that kernels in OpenCL C may have.
static const char dialect_builtins[] =
    "abs acos acosf acosh acoshf asin asinf asinh asinhf atan atan2 atan2f atanf atanh atanhf "
    "cbrt cbrtf ceil ceilf copysign copysignf cos cosf cosh coshf cospi cospif cyl_bessel_i0 "
    "cyl_bessel_i0f cyl_bessel_i1 cyl_bessel_i1f erf erfc erfcf erfcinv erfcinvf erfcx erfcxf "
    "erff erfinv erfinvf exp exp10 exp10f exp2 exp2f expf expm1 expm1f fabs fabsf fdim fdimf "
    "floor floorf fma fmaf fmax fmaxf fmin fminf fmod fmodf frexp frexpf hypot hypotf ilogb "
    "ilogbf isfinite isinf isnan j0 j0f j1 j1f jn jnf labs ldexp ldexpf lgamma lgammaf llabs "
    "llmax llmin llrint llrintf llround llroundf log log10 log10f log1p log1pf log2 log2f logb "
    "logbf logf lrint lrintf lround lroundf max min modf modff nan nanf nearbyint nearbyintf "
    "nextafter nextafterf norm norm3d norm3df norm4d norm4df normcdf normcdff normcdfinv "
    "normcdfinvf normf pow powf powi powif rcbrt rcbrtf remainder remainderf remquo remquof "
    "rhypot rhypotf rint rintf rnorm rnorm3d rnorm3df rnorm4d rnorm4df rnormf round roundf rsqrt "
    "rsqrtf scalbln scalblnf scalbn scalbnf signbit sin sincos sincosf sincospi sincospif sinf "
    "sinh sinhf sinpi sinpif sqrt sqrtf tan tanf tanh tanhf tgamma tgammaf trunc truncf ullmax "
    "ullmin umax umin y0 y0f y1 y1f yn ynf all any atomicAdd atomicAdd_block atomicAdd_system "
    "atomicAnd atomicCAS atomicDec atomicExch atomicInc atomicMax atomicMin atomicOr atomicSub "
    "atomicXor ballot clock clock64 dadd dmul double2int double2ll double2uint double2ull dsub "
    "fdivide fdividef float2double free int2double ll2double malloc memcpy memset printf saturate "
    "syncthreads_and syncthreads_count syncthreads_or uint2double ull2double mul24 umul24 mulhi "
    "umulhi int2float float2int tex1D surf2Dread threadIdx blockDim warpSize rootn tanpi isgreater "
    "isnormal upsample shuffle vstore_half vload_half2 mad_sat lgamma_r";

// A kernel of each of these names compiles, may be called, and is found by its own name.
static void test_dialect_builtins(void)
{
    static const char *const options[] = { "-arch=compute_80", "-default-device", "-std=c++14" };
    static char text[65536], why[1600], words[sizeof dialect_builtins];
    int (*expression)(void *, const char *);
    int (*lowered)(void *, const char *, const char **);
    dialect_nvrtc n;
    gputune_error error;
    void *program = NULL;
    const char *last = "Q", *name;
    char *converted, *word, *log;
    size_t used = 0, size = 1;
    if (!dialect_open(&n, why, sizeof why)) SKIP(why);
    CHECK(gputune_library_symbol(n.library, "nvrtcAddNameExpression", &expression) &&
          gputune_library_symbol(n.library, "nvrtcGetLoweredName", &lowered));
    used += (size_t)snprintf(text, sizeof text, "__kernel void Q(int n, __global float *x) {}\n");
    strcpy(words, dialect_builtins);
    for (word = strtok(words, " "); word; last = word, word = strtok(NULL, " "))
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "__kernel void %s(int n, __global float *x) { %s(n, x); }\n", word,
                                 last);
    converted = dialect_convert_behind(n.prelude, text, last, &error);
    CHECK_OR(converted, "%s", error.text);
    if (!converted) return;
    CHECK_INT(n.create(&program, converted, "prelude", 0, NULL, NULL), 0);
    strcpy(words, dialect_builtins);
    for (word = strtok(words, " "); word; word = strtok(NULL, " "))
        CHECK_INT(expression(program, word), 0);
    if (n.compile(program, 3, options) != 0) {
        n.log_size(program, &size);
        log = (char *)calloc(1, size + 1);
        n.log(program, log);
        TEST_FAIL("%.3000s", log);
        free(log);
    } else {
        strcpy(words, dialect_builtins);
        for (word = strtok(words, " "); word; word = strtok(NULL, " ")) {
            CHECK_OR(lowered(program, word, &name) == 0 && strlen(name) > strlen(word), "%s", word);
        }
    }
    n.destroy(&program);
    free(converted);
    // One whose head a macro makes.
    snprintf(text, sizeof text, "#define K(name) __kernel void name(int n) {}\nK(norm)");
    converted = dialect_convert_behind(n.prelude, text, "norm", &error);
    word = converted ? dialect_ptx(&n, converted, &log) : NULL;
    CHECK_OR(word, "%s", converted ? log : error.text);
    free(word);
    free(log);
    free(converted);
    dialect_close(&n);
}

// Accesses of 16 bytes stay whole, an index is one multiplication, the group's size is a bound.
static void test_dialect_quality(void)
{
    static const char text[] =
        "__kernel __attribute__((reqd_work_group_size(16, 4, 1)))\n"
        "void f(float a, __global const float4 *x, __global float8 *y, __local float4 *t,\n"
        "       __constant float4 *c)\n{\n"
        "    const size_t i = get_global_id(0);\n"
        "    t[get_local_id(0)] = x[i];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "    y[i] += a * (float8)(t[get_local_id(0) ^ 1], c[i]);\n}\n";
    static char why[1600];
    dialect_nvrtc n;
    char *log, *ptx;
    if (!dialect_open(&n, why, sizeof why)) SKIP(why);
    ptx = dialect_compile_text(&n, text, "f", &log);
    CHECK_OR(ptx, "%s", log ? log : "?");
    if (ptx) {
        CHECK_INT(dialect_count(ptx, "ld.global.v2.u64") + dialect_count(ptx, "ld.global.v4"), 3);
        CHECK_INT(dialect_count(ptx, "ld.global.nc.v"), 1);
        CHECK_INT(dialect_count(ptx, "st.global.v"), 2);
        CHECK_INT(dialect_count(ptx, "ld.shared.v"), 1);
        CHECK_INT(dialect_count(ptx, "st.shared.v"), 1);
        CHECK_INT(dialect_count(ptx, "ld.global.f32"), 0);
        CHECK_INT(dialect_count(ptx, "fma.rn.f32"), 8);
        CHECK_INT(dialect_count(ptx, ".maxntid 64, 1, 1"), 1);
        CHECK_INT(dialect_count(ptx, "setp"), 0);
        CHECK_INT(dialect_count(ptx, ".local"), 0);
    }
    free(ptx);
    free(log);
    dialect_close(&n);
}

static const test_case dialect_cases[] = {
    { "rules", test_dialect_rules },
    { "refused", test_dialect_refused },
    { "which", test_dialect_which },
    { "fuzz", test_dialect_fuzz },
    { "no_memory", test_dialect_no_memory },
    { "kernel", test_dialect_kernel },
    { "arguments", test_dialect_arguments },
    { NULL, NULL },
};

static const test_case dialect_compiled_cases[] = {
    { "examples", test_dialect_examples },
    { "constructs", test_dialect_constructs },
    { "builtins", test_dialect_builtins },
    { "quality", test_dialect_quality },
    { NULL, NULL },
};
