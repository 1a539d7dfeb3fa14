// [coarsening]: what is generated, what is refused and where. Pure text; the corpus runs it.
#include "test.h"

static char *rewrite_text(const char *source, const char *kernel, gputune_coarsening form,
                          gputune_error *error)
{
    gt__coarsen_plan plan;
    char *text = NULL;
    int d;
    memset(&plan, 0, sizeof plan);
    memset(error, 0, sizeof *error);
    plan.form = form;
    for (d = 0; d < 3; d++) plan.factor[d] = plan.stride[d] = 1;
    plan.factor[0] = 4;
    plan.stride[0] = 2;
    gt__coarsen_source(source, kernel, NULL, &plan, NULL, NULL, &text, error);
    return text;
}

// --- what is generated ---

typedef struct rewrite_expectation {
    const char *source;
    gputune_coarsening form;
    const char *parts[3];
} rewrite_expectation;

static const rewrite_expectation rewrite_made[] = {
    { "__kernel void f(int n, __global float *x) { x[get_global_id(0)] = n; }",
      GPUTUNE_COARSEN_THREAD,
      { "__kernel void f(int n, __global float *x, gputune_grid gt__grid) {",
        " gt__typeof(n) gt__o_n = n; gt__typeof(x) gt__o_x = x;",
        "gt__typeof(n) n = gt__o_n; gt__typeof(x) x = gt__o_x;\n#line 1\n{ x["
        "get_global_id(0)] = n; }" } },
    { "__kernel void f(int n, __global float *x) { x[get_global_id(0)] = n; }",
      GPUTUNE_COARSEN_THREAD,
      { "if (gt__at.gt__i0 + 6u < gt__at.gt__e0 && ",
        "if (gt__n0 < gt__at.gt__e0 && gt__n1 < gt__at.gt__e1 && "
        "gt__n2 < gt__at.gt__e2) {",
        "gt__at.gt__i0 + gt__k0 * 2;\n" } },
    { "__kernel void f(int n, __global int *x)\n"
      "{ __attribute__((opencl_unroll_hint(4))) for (int i = 0; i < n; i++) x[i] = n; }",
      GPUTUNE_COARSEN_THREAD,
      { "{ __attribute__((opencl_unroll_hint(4))) for", NULL, NULL } },
    { "struct stack { int n; __device__ void pop() { n--; } };\n"
      "__global__ void f(int a) { stack s = { a }; while (s.n > 0) { s.pop(); } }",
      GPUTUNE_COARSEN_THREAD,
      { "while (s.n > 0) { s.pop(); }", NULL, NULL } },
    { "uint draw(uint *s) { *s = *s * 5 + 1; return *s; }\n"
      "__kernel void f(uint n, __global uint *x)\n"
      "{ uint v; do { v = draw(&n); } while (v > 9); x[0] = v; }",
      GPUTUNE_COARSEN_THREAD,
      { "do { v = draw(&n); } while (v > 9); x[0] = v;", NULL, NULL } },
    { "__kernel void f(void) { abs(1); }",
      GPUTUNE_COARSEN_THREAD,
      { "void f(gputune_grid gt__grid)", "{ abs(1); }", NULL } },
    { "__kernel void f(int a\n#ifdef X\n, int b\n#endif\n) { a = b; }",
      GPUTUNE_COARSEN_THREAD,
      { "void f(int a\n \n  \n\n, gputune_grid", "gt__o_a = a;if", NULL } },
    { "#define X\n__kernel void f(int a\n#ifdef X\n, int b\n#endif\n) { a = b; }",
      GPUTUNE_COARSEN_THREAD,
      { "gt__o_a = a; gt__typeof(b) gt__o_b = b;if", NULL, NULL } },
    { "#define ARGS __global int *a, int b\n__kernel void f(ARGS, int c) { c = a[b]; }",
      GPUTUNE_COARSEN_THREAD,
      { " a = gt__o_a;", " b = gt__o_b;", " c = gt__o_c;" } },
    { "#define LEAVE if (a) return\n__kernel void f(int a) { LEAVE; if (a < 3) return; }",
      GPUTUNE_COARSEN_THREAD,
      { "#define gt__return goto gt__end\n",
        "{ if (a) gt__return; if (a < 3) gt__return; } gt__end:;", NULL } },
    { "__global__ void f(int a) { auto g = [=] { return a; }; if (g()) return; }",
      GPUTUNE_COARSEN_THREAD,
      { "{ auto g = [=] { return a; }; if (g()) gt__return; }", NULL, NULL } },
    { "__kernel void f(read_only image2d_t i, int a) { abs(a); goto end; end:; }",
      GPUTUNE_COARSEN_THREAD,
      { "gt__at = gt__begin(gt__grid);\n gt__typeof(a) gt__o_a = a;\nfor",
        "gt__n2 < gt__at.gt__e2) { gt__set ", "goto end; end:; } } }}" } },
    { "int h(int a) { return a + get_local_id(0); }\n#define H(x) h(x)\n"
      "__kernel void f(__global int *a) { a[0] = h(1) + H(2); }",
      GPUTUNE_COARSEN_THREAD,
      { "int h(gt__p, int a)", "= h(gt__a, 1) + h(gt__a, 2)", NULL } },
    { "__attribute__((reqd_work_group_size(8, 1, 1))) __kernel void f(int a) { }",
      GPUTUNE_COARSEN_THREAD,
      { "\n   __kernel void f(int a, gputune_grid", NULL, NULL } },
    { "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(int a) { }",
      GPUTUNE_COARSEN_GROUP,
      { "__kernel __attribute__((reqd_work_group_size(8, 1, 1))) void f(", "gt__k0 < 4 && ",
        NULL } },
    { "__kernel void f(int a) { __local float t[4][5], s; s = t[0][1]; q.s = sizeof(t); }",
      GPUTUNE_COARSEN_GROUP,
      { "{\n\n__local float t[4][5], s;\n", "s = t[0][1]; q.s = sizeof(t); }", NULL } },
    { "__kernel void f(__local float *p) { __local float *q = p; barrier(1); }",
      GPUTUNE_COARSEN_GROUP,
      { "{ __local float *q = p; barrier(1); }", "gt__next();", NULL } },

    { "#include <x.h>\n__global__ void f(int *a) { if (a[0]) return; __syncthreads(); a[1] = 2; }",
      GPUTUNE_COARSEN_GROUP,
      { "#include <x.h>\n#define blockIdx gt__blockIdx\n#define gridDim gt__gridDim\n"
        "#define __syncthreads() ((void)gt__any(1))\n#line 2",
        "if (a[0]) gt__return; __sync", "gt__gone(); goto gt__end;" } },
    { "__global__ void f(int *a)\n"
      "{ if (a[0]) { __syncthreads(); if (a[1]) { __syncthreads(); } } }",
      GPUTUNE_COARSEN_GROUP,
      { "__syncthreads(); } else { gt__return; } } else { gt__return; } }",
        "gt__done(); gt__end:;", NULL } },
    { "template <class T, int N = 2> __global__ void f(T *a) { a[0] = N; }\n"
      "template __global__ void f<int, 2>(int *);",
      GPUTUNE_COARSEN_GROUP,
      { "void f(T *a, gputune_grid gt__grid)", "f<int, 2>(int *, gputune_grid)", NULL } }
};

static void rewrite_generated(void)
{
    size_t i, p;
    for (i = 0; i < sizeof rewrite_made / sizeof *rewrite_made; i++) {
        const rewrite_expectation *e = &rewrite_made[i];
        gputune_error error;
        char *text = rewrite_text(e->source, "f", e->form, &error);
        CHECK_OR(text, "%s: %s", e->source, error.text);
        for (p = 0; p < 3 && text && e->parts[p]; p++) CHECK_HAS(text, e->parts[p]);
        gputune_reallocate(NULL, text, 0);
    }
}

// --- what is refused ---

static const struct rewrite_refusal {
    const char *source;
    gputune_coarsening form;
    const char *line, *why;
} rewrite_refused[] = {
    { "__kernel void f(int a)\n{\nbarrier(1);\n}", GPUTUNE_COARSEN_THREAD, "line 3:", "barrier" },
    { "void h(void) { barrier(1); }\n__kernel void f(int a) { h(); }", GPUTUNE_COARSEN_THREAD,
      "line 1:", "barrier" },
    { "__kernel void f(__local int *a) { }", GPUTUNE_COARSEN_THREAD, "line 1:", "local memory" },
    { "extern __shared__ int s[];\n__global__ void f(int *a)\n{ a[0] = s[1]; }",
      GPUTUNE_COARSEN_THREAD, "line 3:", "local memory" },
    { "#define DEFINE(T) T h_##T(T a) { barrier(1); return a; }\n"
      "DEFINE(int)\n__kernel void f(int a) { h_int(a); }",
      GPUTUNE_COARSEN_THREAD, "line 2:", "a barrier" },
    { "__global__ void f(int *a) { a[0] = __shfl_sync(~0u, 1, 2); }", GPUTUNE_COARSEN_THREAD,
      "line 1:", "warp" },
    { "__global__ void f(int *a) { asm(\"mov.u32 %0, %ctaid.x;\" : \"=r\"(a[0])); }",
      GPUTUNE_COARSEN_GROUP, "line 1:", "assembler" },
    { "__global__ void f(int *a)\n{ if (a[0]) asm volatile(\"exit;\"); }", GPUTUNE_COARSEN_GROUP,
      "line 2:", "ends items" },
    { "__kernel void f(int a)\n{ { enum { N = 4 }; }\n__local int s[4]; }", GPUTUNE_COARSEN_GROUP,
      "line 2:", "a type that the body declares" },
    { "#define WAIT while (a[1] == 0) {\n__kernel void f(__global int *a) { WAIT } }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "waits" },
    { "__kernel void f(__global int *a)\n{ while (a[1] == 0) { } }", GPUTUNE_COARSEN_GROUP,
      "line 2:", "waits" },
    { "uint look(__global uint *s) { return *s; }\n__kernel void f(__global uint *x)\n"
      "{ uint v; do { v = look(&x[1]); } while (v > 9); x[0] = v; }",
      GPUTUNE_COARSEN_GROUP, "line 3:", "waits" },
    { "__kernel void f(global volatile int *x)\n"
      "{ for (int i = 0;; i++) { if (x[0] != 0 && i > 3) break; } }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "waits" },
    { "__kernel void f(global volatile int *x)\n"
      "{ for (int i = 0;; i++) { int v = x[0]; if (v && i > 3) break; } }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "waits" },
    { "__kernel void f(__global int *a)\n{ while (atomic_cmpxchg(a, 0, 1)); }",
      GPUTUNE_COARSEN_THREAD, "line 2:", "waits" },
    { "__kernel void g(int a) { __local int b; }\n__kernel void f(int a) { g(a); }",
      GPUTUNE_COARSEN_THREAD, "line 1:", "kernel that is called" },
    { "__kernel void f(int a)\n{ if (a) f(a - 1); }", GPUTUNE_COARSEN_THREAD, "line 2:", "called" },
    { "#define get_global_id(d) 0\n#include <none.h>\n__kernel void f(int a) { }",
      GPUTUNE_COARSEN_THREAD, "line 3:", "redefines" },
    { "__kernel void f(int gt__v) { }", GPUTUNE_COARSEN_THREAD, "line 1:", "taken" },
    { "__kernel void f(int a) {\nfloat s; { __local int s; s = 1; } }", GPUTUNE_COARSEN_GROUP,
      "line 2:", "local memory elsewhere" },
    { "__kernel void f(int a)\n{ { __local int s; s = 1; } { __local int s; s = 2; } }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "local memory elsewhere" },
    { "__constant int N = 8;\n__kernel void f(int a) { const int N = 4;\n__local int s[N]; }",
      GPUTUNE_COARSEN_GROUP, "line 3:", "a variable in the declaration" },
    { "__kernel void f(int a) {\n#ifdef M_PI\n__local int t[4];\n#else\n__local int t[8];\n"
      "#endif\nt[0] = 1; }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "knows M_PI: give -DM_PI or write #undef M_PI" },
    { "__kernel void f(__global int *a)\n{ for (int i = 0; i < 9; i++)\n#if __X > 1\na[i] = 1;\n"
      "#else\na[i] = 2;\n#endif\n}",
      GPUTUNE_COARSEN_RANGE, "line 3:", "knows __X: give -D__X or write #undef __X" },
    { "#include <n.h>\n#if N\n#endif\n__kernel void f(int a) { }", GPUTUNE_COARSEN_RANGE,
      "line 2:", "knows N" },
    { "#pragma push_macro(\"P\")\n__kernel void f(int b) { b = 2; }", GPUTUNE_COARSEN_THREAD,
      "line 1:", "put aside" },
    { "#define P(a) a\n__kernel void f(int b) { P(1\n; b = 2; }", GPUTUNE_COARSEN_THREAD, "line ",
      "brackets of a macro do not end" },
    { "#define A(x) x x\n#define B(x) A(A(A(A(x))))\n#define C(x) B(B(B(B(x))))\n"
      "__kernel void f(int b)\n{ C(C(b;)) }",
      GPUTUNE_COARSEN_THREAD, "line 5:", "too much" },
    { "__kernel void f(int a, ...) { a = 1; }", GPUTUNE_COARSEN_THREAD,
      "line 1:", "parameters that cannot be read" },
    { "__global__ void f(int *a, int n)\n{ auto g = [&] {\nif (n) return; a[0] = 1; }; g(); }",
      GPUTUNE_COARSEN_THREAD, "line 3:", "lambda" },
    { "__global__ void f(int *a, int x)\n{ if (a[x]) return;\n"
      "a[0] = __shfl_down_sync(~0u, a[1], 1); }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "warp" },
    { "__global__ void f(int *a, int n) { int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;\n"
      "if (row >= n) return; a[row] = __shfl_down_sync(~0u, a[1], 1); }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "warp" },
    { "__global__ void f(int *a, int n)\n{ if (threadIdx.x >= n) return;\n"
      "a[0] = __shfl_down_sync(~0u, a[1], 1); }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "warp" },
    { "__global__ void f(int *a)\n{ for (int k = 0;; k++) { __syncthreads();\n"
      "if (threadIdx.x < k) return; } }",
      GPUTUNE_COARSEN_GROUP, "line 3:", "loop, branch" },
    { "__device__ void h(int n) { for (int i = 0; i < n; i++) __syncthreads(); }\n"
      "struct S { int k; __device__ void g() { h(k); } };\n"
      "__global__ void f(int n) { h(n); S s; s.g(); }",
      GPUTUNE_COARSEN_GROUP, "line 2:", "a method in which work-items meet" },
    { "struct S { int a, b; };\n__global__ void f(int n)\n{ S s{1, unk(n)}; n = s.b; }",
      GPUTUNE_COARSEN_THREAD, "line 3:", "not known here (unk)" },
    { "struct S {\n__device__ void g() { __syncthreads(); } };\n"
      "__global__ void f(int n) { S s; if (n) s.g(); }",
      GPUTUNE_COARSEN_GROUP, "line 1:", "a method in which work-items meet" },
    { "__global__ void f(int *a,\nint n = 4)\n{ }", GPUTUNE_COARSEN_GROUP, "line 2:", "default" },
    { "__global__ void f(int *a) { f<<<1, 1>>>(a); }", GPUTUNE_COARSEN_GROUP,
      "line 1:", "launches" }
};

static void rewrite_refusals(void)
{
    size_t i;
    for (i = 0; i < sizeof rewrite_refused / sizeof *rewrite_refused; i++) {
        const struct rewrite_refusal *r = &rewrite_refused[i];
        gputune_error error;
        char *text = rewrite_text(r->source, "f", r->form, &error);
        CHECK(!text);
        CHECK_INT(error.result, GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_HAS(error.text, r->line);
        CHECK_HAS(error.text, r->why);
        gputune_reallocate(NULL, text, 0);
    }
}

// Barriers that all of a group reach for sure stay as they are; where there are others, all vote.
static void rewrite_votes(void)
{
    static const struct {
        bool votes;
        const char *source;
    } rows[] = {
        { false, "__global__ void f(int n) { __syncthreads(); if (n) return; }" },
        { false, "__global__ void f(int n) { if (n) return; __syncthreads(); }" },
        { false, "__global__ void f(int n) { for (int i = 0; i < n; i++) { __syncthreads(); } }" },
        { false, "#define T 4\n__global__ void f(int n)\n"
                 "{ const int t = n / T + 1, b = blockIdx.x;\n"
                 "for (int i = b, k = 4 * b; i < min(t, (int)gridDim.x); i += T, k++) {\n"
                 "for (int s = i / 2; s > 0; s >>= 1) __syncthreads(); } }" },
        { false, "template <int N> __global__ void f(int n)\n"
                 "{ if (N > 32) { __syncthreads(); } else if (n) __syncthreads(); }" },
        { false, "__global__ void f(int n)\n"
                "{ n++; for (int i = 0; i < n; i++) { __syncthreads(); } }" },
        { true, "__global__ void f(int n)\n"
                "{ n += threadIdx.x; for (int i = 0; i < n; i++) { __syncthreads(); } }" },
        { false, "__global__ void f(int n)\n"
                "{ for (int i = 0; i < n; i++) { __syncthreads(); i++; } }" },
        { true, "__global__ void f(int n)\n"
                "{ for (int i = 0; i < n; i++) { __syncthreads(); if (threadIdx.x) i++; } }" },
        { true, "__global__ void f(int n)\n"
                "{ for (int i = 0; i < n; i++) { __syncthreads(); i += threadIdx.x; } }" },
        { false, "__global__ void f(int n)\n"
                "{ for (int i = 0; i < n; i++) { __syncthreads(); if (i + n > 9) break; } }" },
        { true, "__global__ void f(int n)\n"
                "{ for (int i = 0; i < n; i++) { __syncthreads(); if (threadIdx.x) break; } }" },
        { true, "__global__ void f(int n)\n"
                "{ for (int i = 0; i < n; i++) { if (threadIdx.x) continue; __syncthreads(); } }" },
        { true, "__global__ void f(int n) { switch (n) { case 1: if (threadIdx.x) break;\n"
                "__syncthreads(); } }" },
        { false, "__global__ void f(int n) { switch (n) { case 1: if (n < 4) break;\n"
                 "__syncthreads(); } for (;;) { if (n > 9) return; __syncthreads(); n++; } }" },
        { true, "__global__ void f(int n, int m) { (threadIdx.x ? n : m)++;\n"
                "for (int i = 0; i < n; i++) { __syncthreads(); } }" },
        { true, "__global__ void f(int n) { size_t p = (size_t)&n;\n"
                "for (int i = 0; i < n; i++) { __syncthreads(); } }" },
        { true, "struct S { int *n; };\n__global__ void f(S s)\n"
                "{ for (int i = 0; i < *s.n; i++) { __syncthreads(); } }" },
        { true, "__global__ void f(int n) { int a0 = n, a1 = n, a2 = n, a3 = n, a4 = n,\n"
                "a5 = n, a6 = n, a7 = n, a8 = n, a9 = n, a10 = n, a11 = n, a12 = n, a13\n"
                "= n, a14 = n, a15 = n, a16 = n, a17 = n, a18 = n, a19 = n, a20 = n,\n"
                "a21 = n, a22 = n, a23 = n, a24 = n; for (;;) { if (a0) {\n"
                "__syncthreads(); } a0 = a1; a1 = a2; a2 = a3; a3 = a4; a4 = a5; a5 =\n"
                "a6; a6 = a7; a7 = a8; a8 = a9; a9 = a10; a10 = a11; a11 = a12; a12 =\n"
                "a13; a13 = a14; a14 = a15; a15 = a16; a16 = a17; a17 = a18; a18 = a19;\n"
                "a19 = a20; a20 = a21; a21 = a22; a22 = a23; a23 = a24; a24 =\n"
                "threadIdx.x; } }" },
        { true, "__global__ void f(int n) { __shared__ int m; m = n;\n"
                "for (int i = 0; i < m; i++) { __syncthreads(); } }" },
        { true, "__global__ void f(int n) { int m = n, k = n; for (int i = 0; i < n; i++) {\n"
                "if (m) { __syncthreads(); } m = k; k = threadIdx.x; } }" },
        { true, "__global__ void f(int *n)\n"
                "{ for (int i = 0; i < n[0]; i++) { __syncthreads(); } }" },
        { true, "__global__ void f(int n)\n"
                "{ int t = threadIdx.x; for (int i = 0; i < t; i++) { __syncthreads(); } }" },
        { false, "template <int N> __global__ void f(int n)\n"
                 "{ if constexpr (N > 32) { __syncthreads(); } if (n) return; }" },
        { true, "__device__ void g(int &x) { x += threadIdx.x; }\n__global__ void f(int n)\n"
                "{ g(n); for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "__global__ void f(int n)\n"
                "{ int &r = n; r += threadIdx.x; for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "__global__ void f(int n) { int t; if (threadIdx.x) a(), t = 4;\n"
                "for (int i = 0; i < t; i++) __syncthreads(); }\n__device__ void a();" },
        { false, "__global__ void f(int n) { while (n-- > 0) { __syncthreads(); } }" },
        { true, "__global__ void f(int n) { if (threadIdx.x < 4) { __syncthreads(); } n = 1; }" },
        { true, "__global__ void f(int n) { threadIdx.x < 4 && (__syncthreads(), n); }" },
        { true, "#define S(x) if (x) __syncthreads()\n"
                "__global__ void f(int n) { S(threadIdx.x < n); }" },
        { false, "#define S(x) if (x) __syncthreads()\n__global__ void f(int n) { S(n); }" },
        { true, "__global__ void f(int n) { auto g = [&] { __syncthreads(); }; if (n) g(); }" },
        { false, "__device__ void h(int n) { __syncthreads(); }\n"
                 "__global__ void f(int n) { h(n); }" },
        { false, "__device__ void h(int n) { for (int i = 0; i < n; i++) __syncthreads(); }\n"
                "__global__ void f(int n) { h(n); }" },
        { true, "__device__ void h(int n) { for (int i = 0; i < n; i++) __syncthreads(); }\n"
                "__global__ void f(int n) { h(n); h(threadIdx.x); }" },
        { true, "__device__ void h(int a, int n)\n"
                "{ for (int i = 0; i < n; i++) __syncthreads(); }\n"
                "template <int N, int M> __device__ int g(int n) { return n; }\n"
                "__global__ void f(int n) { h(g<4, 2>(3), threadIdx.x); }" },
        { true, "__device__ int M;\n__device__ void h(int n = M)\n"
                "{ for (int i = 0; i < n; i++) __syncthreads(); }\n"
                "__global__ void f(int n) { h(n); h(); }" },
        { false, "__device__ void h(int n); __global__ void f(int n) { h(n); }\n"
                "__device__ void h(int n) { if (n) { __syncthreads(); } n = 0; }" },
        { true, "__global__ void f(int n) { again: __syncthreads(); if (n--) goto again; }" },
        // What may change the bound of a loop of barriers, and what only has its name.
        { true, "__global__ void f(int n) { asm(\"mov.s32 %0, %%tid.x;\" : \"=r\"(n));\n"
                "for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "__global__ void f(int n) { int m = threadIdx.x; swap(n, m);\n"
                "for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "__global__ void f(int n, int m) { int &r = threadIdx.x ? n : m; r++;\n"
                "for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "__global__ void f(int n) { (int &)n = threadIdx.x;\n"
                "for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "template <class T> __device__ void g(T &x) { x = threadIdx.x; }\n"
                "__global__ void f(int n) { g<int>(n);\n"
                "for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "struct S { int n; __device__ void set() { n = 4; } };\n__global__ void f(S s)\n"
                "{ s.set(); for (int i = 0; i < s.n; i++) __syncthreads(); }" },
        { true, "struct S { int n; __device__ void operator()() { n = 4; } };\n"
                "__global__ void f(S s)\n"
                "{ s(); for (int i = 0; i < s.n; i++) __syncthreads(); }" },
        { true, "union U { int n; float x; };\n__global__ void f(U u)\n"
                "{ float *p = &u.x; *p = threadIdx.x;\n"
                "for (int i = 0; i < u.n; i++) __syncthreads(); }" },
        { true, "struct S { int n; };\n__global__ void f(S s) { int S::*p = &S::n;\n"
                "s.*p = threadIdx.x; for (int i = 0; i < s.n; i++) __syncthreads(); }" },
        { false, "struct S { int n; };\n__global__ void f(S s)\n"
                 "{ for (int i = 0; i < s.n; i++) __syncthreads(); }" },
        { false, "__global__ void f(int n, int *a) { { int n = threadIdx.x; n++; a[n] = 1; }\n"
                 "for (int i = 0; i < n; i++) __syncthreads(); }" },
        { true, "__global__ void f(int n) { { int n = threadIdx.x;\n"
                "for (int i = 0; i < n; i++) __syncthreads(); } }" },
        { false, "constexpr int N = 4, M = N / 2;\n__global__ void f()\n"
                 "{ for (int i = 0; i < M; i++) __syncthreads(); }" },
        { true, "__device__ int N = 4;\n__global__ void f()\n"
                "{ for (int i = 0; i < N; i++) __syncthreads(); }" },
        // Members behind brackets, captures, classes' own code.
        { true, "struct P { int k; };\n__global__ void f()\n"
                "{ P a; (a).k = threadIdx.x; if (a.k > 3) return; __syncthreads(); }" },
        { true, "struct P { int k; };\n__global__ void f(P a)\n"
                "{ (a).k = threadIdx.x; if (a.k > 3) return; __syncthreads(); }" },
        { true, "struct P { int k; }; struct Q { P in; };\n__global__ void f(Q a)\n"
                "{ (a.in).k = threadIdx.x; if (a.in.k > 3) return; __syncthreads(); }" },
        { true, "__global__ void f()\n"
                "{ int2 w; (w).x = threadIdx.x; if (w.x > 3) return; __syncthreads(); }" },
        { true, "__global__ void f() { int x = 0; auto g = [&y = x](int v) { y = v; };\n"
                "g(threadIdx.x); if (x > 3) return; __syncthreads(); }" },
        { true, "__global__ void f() { int x = 0; struct R { int &r; } q = { x };\n"
                "q.r = threadIdx.x; if (x > 3) return; __syncthreads(); }" },
        { true, "struct H { H(int &x) { x = atomicAdd(&n, 1); } };\n__global__ void f()\n"
                "{ int x = 0; H h = x; if (x > 3) return; __syncthreads(); }" },
        { true, "struct S { int k; S() { k = atomicAdd(&n, 1); } };\n__global__ void f()\n"
                "{ S s; if (s.k > 3) return; __syncthreads(); }" },
        { true, "__global__ void f(S s) { int x = 0; s.take(x);\n"
                "if (x > 3) return; __syncthreads(); }" },
    };
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        gputune_error error;
        char *text = rewrite_text(rows[i].source, "f", GPUTUNE_COARSEN_GROUP, &error);
        CHECK_OR(text, "%s: %s", rows[i].source, error.text);
        if (text)
            CHECK_OR((strstr(text, "#define __syncthreads() ((void)gt__any(1))") != NULL) ==
                         rows[i].votes,
                     "%s: votes or not", rows[i].source);
        gputune_reallocate(NULL, text, 0);
    }
}

// A group that leaves before a barrier sets a flag, leaves all loops, and passes by what follows.
static void rewrite_leaves(void)
{
    gputune_error error;
    char *text = rewrite_text("__kernel void f(int n)\n"
                              "{ if (n) { if (n > 4) return; n++; } barrier(1);\n"
                              "for (;; n++) for (;; n++) { barrier(1); if (n) return; } }",
                              "f", GPUTUNE_COARSEN_GROUP, &error);
    CHECK_OR(text, "%s", error.text);
    if (!text) return;
    CHECK_HAS(text, "if (n > 4) gt__leave; gt__rest n++; gt__over } gt__rest barrier(1);");
    CHECK_HAS(text, "for (;; n++) { for (;; n++) { barrier(1); if (n) { gt__leave; break; } } "
                    "if (!gt__go) break; }");
    gputune_reallocate(NULL, text, 0);
    text = rewrite_text("__kernel void f(global int *x, int n)\n"
                        "{ for (int i = 0;; i++) if ((x[0] && n) || (n && i > 3)) return;\n"
                        "for (int i = 0;; i++) if (x[0] && n || n && i > 3) break; }",
                        "f", GPUTUNE_COARSEN_GROUP, &error);
    CHECK_OR(text, "%s", error.text); // what does not change, and n, do not keep it waiting
    gputune_reallocate(NULL, text, 0);
}

static void rewrite_errors(void)
{
    gt__coarsen_forms forms;
    gputune_error error;
    CHECK_INT(gt__coarsen_analyse("__kernel void g() { }", "f", NULL, NULL, NULL, &forms, &error),
              GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(error.text, "f");
    CHECK_INT(gt__coarsen_analyse("__kernel void f(int a) { barrier(1); }", "f", NULL, NULL,
                                      NULL, &forms, NULL),
              GPUTUNE_OK);
    CHECK(!forms.allowed[0] && forms.allowed[1]);
    CHECK_HAS(forms.why[0], "barrier");
    CHECK_TEXT(forms.why[1], "");
    CHECK_INT(gt__coarsen_analyse("__kernel void f(__global int *a) { SYNC; }", "f",
                                      "-O2 -D 'SYNC=barrier(1)'", NULL, NULL, &forms, NULL),
              GPUTUNE_OK);
    CHECK(!forms.allowed[0] && forms.allowed[1]);
}

static void rewrite_reads_group(void)
{
    gt__coarsen_forms forms;
    gt__coarsen_analyse("__kernel void f(__global int *a) { a[get_global_id(0)] = 1; }", "f",
                            NULL, NULL, NULL, &forms, NULL);
    CHECK(forms.allowed[0] && !forms.reads_group);
    gt__coarsen_analyse("__kernel void f(__global int *a) { a[get_group_id(0) * "
                            "get_local_size(0) + get_local_id(0)] = 1; }",
                            "f", NULL, NULL, NULL, &forms, NULL);
    CHECK(forms.allowed[0] && forms.reads_group);
    gt__coarsen_analyse("__kernel void f(__global int *a) { a[get_local_id(0)] = 1; }", "f",
                            NULL, NULL, NULL, &forms, NULL);
    CHECK(forms.allowed[0] && forms.reads_group);
}

// --- line numbers, memory, launches ---

static void rewrite_lines(void)
{
    const char *source = "// one\n__kernel void f(\n    int a)\n{\n    int b;\n}\nint last;\n";
    gputune_error error;
    char *text = rewrite_text(source, "f", GPUTUNE_COARSEN_THREAD, &error), *at;
    CHECK_HAS(text, "#line 1\n// one\n");
    CHECK_HAS(text, "\n#line 4\n{\n    int b;\n}");
    at = text ? strstr(text, "#line 6\n") : NULL; // the rest of the brace's line
    CHECK_TEXT(at, "#line 6\n\nint last;\n");
    gputune_reallocate(NULL, text, 0);
}

// --- includes ---

static void rewrite_write(const char *folder, const char *name, const char *text)
{
    char path[300];
    FILE *file;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    CHECK_OR(file, "cannot write %s", path);
    if (file) fputs(text, file), fclose(file);
}

// A folder with files that include each other; its name, to be removed with rewrite_remove.
static char *rewrite_folder(void)
{
    static char folder[] = "/tmp/gputune_include_XXXXXX";
    char sub[300];
    memcpy(folder + sizeof folder - 7, "XXXXXX", 6);
    CHECK_OR(mkdtemp(folder), "no temporary folder");
    snprintf(sub, sizeof sub, "%s/sub", folder);
    mkdir(sub, 0700);
    rewrite_write(folder, "ids.h",
                  "#define ID get_global_id(0)\n\nint h(int a)\n{ return a + ID; }");
    rewrite_write(folder, "once.h", "int before;\n#pragma once\nint once(void) { return 1; }\n");
    rewrite_write(folder, "kernel.h",
                  "// a comment\n#include \"sub/in.h\" // of it\nint last;\n"
                  "__kernel void f(__global int *a) { a[0] = inner(); }\n");
    rewrite_write(folder, "sub/in.h", "#include \"beside.h\"\n");
    rewrite_write(folder, "sub/beside.h", "int inner(void) { return get_local_id(0); }\n");
    rewrite_write(folder, "bars.h", "\n#define WAIT barrier(CLK_LOCAL_MEM_FENCE)\n");
    rewrite_write(folder, "self.h", "int again;\n#include \"self.h\"\n");
    return folder;
}

static void rewrite_remove(const char *folder)
{
    static const char *const names[] = { "ids.h", "once.h", "kernel.h", "sub/in.h", "sub/beside.h",
                                         "sub",   "bars.h", "self.h",   "" };
    char path[300];
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK_OR(remove(path) == 0, "cannot remove %s", path);
    }
}

static char *rewrite_with(const char *source, const char *folder, gputune_coarsening form,
                          gputune_error *error)
{
    gt__coarsen_plan plan = { GPUTUNE_COARSEN_THREAD, { 4, 1, 1 }, { 8, 1, 1 }, false,
                              false, NULL };
    char options[400], *text = NULL;
    plan.form = form;
    snprintf(options, sizeof options, "-Inowhere -DX -I '%s'", folder);
    error->text[0] = 0;
    gt__coarsen_source(source, "f", options, &plan, NULL, NULL, &text, error);
    return text;
}

static void rewrite_includes(void)
{
    const char *folder = rewrite_folder();
    gputune_error error;
    char line[400], many[400] = "#define H <once.h>\n", *text;
    int i;
    text = rewrite_with("int first;\n#include \"ids.h\" // for h\n"
                        "__kernel void f(__global int *a) { a[ID] = h(1); }\n",
                        folder, GPUTUNE_COARSEN_THREAD, &error);
    CHECK_TEXT(error.text, "");
    CHECK_HAS(text, "int h(gt__p, int a)\n");
    CHECK_HAS(text, "= h(gt__a, 1);");
    snprintf(line, sizeof line, "int first;\n\n#line 1 \"%s/ids.h\"\n  \n\nint h(gt__p",
             folder);
    CHECK_HAS(text, line);
    CHECK_HAS(text, "a[get_global_id(0)] = h");
    CHECK_HAS(text, "}\n#line 2 \"<kernel>\"\n // for h\n");
    gputune_reallocate(NULL, text, 0);
    text = rewrite_with("#include <kernel.h>\n", folder, GPUTUNE_COARSEN_THREAD, &error);
    CHECK_TEXT(error.text, "");
    CHECK_HAS(text, "int inner(gt__p) {");
    CHECK_HAS(text, "void f(__global int *a, gputune_grid");
    snprintf(line, sizeof line, "#line 2 \"%s/kernel.h\"\n // of it\nint last;\n", folder);
    CHECK_HAS(text, line);
    gputune_reallocate(NULL, text, 0);
    text =
        rewrite_with("#include \"once.h\"\n#include \"once.h\"\n__kernel void f(void) { once(); }",
                     folder, GPUTUNE_COARSEN_THREAD, &error);
    CHECK_HAS(text, "int before;\n\nint once(void) { return 1; }\n\n\n#line 1 ");
    CHECK(!strstr(strstr(text, "int before;") + 1, "int before;"));
    gputune_reallocate(NULL, text, 0);
    text = rewrite_with("#include \"self.h\"\n__kernel void f(void) { }", folder,
                        GPUTUNE_COARSEN_GROUP, &error);
    CHECK_HAS(text, "#include \"self.h\"\n"); // the 17th
    gputune_reallocate(NULL, text, 0);
    text = rewrite_with("#if 0\n#include \"ids.h\"\n#endif\n__kernel void f(void) { }", folder,
                        GPUTUNE_COARSEN_THREAD, &error);
    CHECK(!strstr(text, "ids.h"));
    gputune_reallocate(NULL, text, 0);
    // Names that macros make.
    text = rewrite_with("#define TEXT(x) #x\n#define PATH(x, y) TEXT(x/y.h)\n#define PART none\n"
                        "#undef PART\n#ifdef X\n#define PART sub\n#endif\n#include PATH(PART, in)\n"
                        "__kernel void f(__global int *a) { a[0] = inner(); }\n",
                        folder, GPUTUNE_COARSEN_THREAD, &error);
    CHECK_TEXT(error.text, "");
    CHECK_HAS(text, "int inner(gt__p) {");
    snprintf(line, sizeof line, "#line 1 \"%s/sub/in.h\"\n", folder);
    CHECK_HAS(text, line);
    gputune_reallocate(NULL, text, 0);
    for (i = 0; i < 17; i++) strcat(many, "#include H\n");
    text = rewrite_with(strcat(many, "__kernel void f(void) { }"), folder, GPUTUNE_COARSEN_GROUP,
                        &error);
    CHECK_HAS(text, "\n#line 18\n#include H\n__kernel"); // one too many
    gputune_reallocate(NULL, text, 0);
    rewrite_remove(folder);
}

static void rewrite_includes_refused(void)
{
    const char *folder = rewrite_folder();
    gputune_error error;
    char line[400], *text;
    text = rewrite_with("\n#include \"bars.h\"\n__kernel void f(void) { WAIT; }", folder,
                        GPUTUNE_COARSEN_THREAD, &error);
    CHECK(!text);
    CHECK_HAS(error.text, "line 3: a barrier");
    text = rewrite_with("#include \"bars.h\"\n\n__kernel void f(__local int *a) { }", folder,
                        GPUTUNE_COARSEN_THREAD, &error);
    CHECK(!text);
    CHECK_HAS(error.text, "line 3: local memory");
    text = rewrite_with("#include \"none.h\"\n__kernel void f(void) { }", folder,
                        GPUTUNE_COARSEN_THREAD, &error);
    CHECK(!text);
    CHECK_HAS(error.text, "line 1: an include that was not found");
    text = rewrite_with("#include \"none.h\"\n__kernel void f(void) { }", folder,
                        GPUTUNE_COARSEN_GROUP, &error);
    CHECK_HAS(text, "#include \"none.h\"\n");
    CHECK_HAS(text, "gt__next();"); // it may have barriers
    gputune_reallocate(NULL, text, 0);
    text = rewrite_with("#define N(x) #x\n#include N(none.h)\n", folder, GPUTUNE_COARSEN_GROUP,
                        &error);
    CHECK(!text);
    CHECK_HAS(error.text, "line 2: no kernel function, but an include that was not found (N)");
    rewrite_write(folder, "cuda_runtime.h", "int runtime;\n");
    text = rewrite_with("#include <ids.h>\n#include \"ids.h\"\n__global__ void f() { }", folder,
                        GPUTUNE_COARSEN_GROUP, &error);
    CHECK_HAS(text, "#include <ids.h>\n");
    CHECK_HAS(text, "#include \"ids.h\"\n"); // CUDA's own folder
    gputune_reallocate(NULL, text, 0);
    snprintf(line, sizeof line, "%s/cuda_runtime.h", folder);
    remove(line);
    rewrite_remove(folder);
}

typedef struct rewrite_memory {
    int left, live;
} rewrite_memory;

static void *rewrite_reallocate(void *user, void *memory, size_t bytes)
{
    rewrite_memory *m = (rewrite_memory *)user;
    void *made;
    if (!bytes) {
        m->live -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (m->left-- <= 0) return NULL;
    made = realloc(memory, bytes);
    m->live += !memory && made;
    return made;
}

static void rewrite_out_of_memory(void)
{
    const char *source = "int h(int a) { return get_local_id(a); }\n#define H h(1)\n"
                         "#define N(x) #x\n#define B(x) barrier(x)\n#include \"once.h\"\n"
                         "#include N(sub/in.h)\n"
                         "__kernel void f(int a, __global int *b) { __local int t[4], s; s = 1; "
                         "if (a) return; t[0] = H; b[0] = s; B(\n#if X\n1\n#endif\n); }";
    const char *folder = rewrite_folder();
    char build[400];
    gt__coarsen_plan plan = { GPUTUNE_COARSEN_GROUP, { 2, 1, 1 }, { 1, 1, 1 }, false,
                              false, NULL };
    gputune_result result = GPUTUNE_ERROR_MEMORY;
    int n;
    snprintf(build, sizeof build, "-DX=1 -I%s", folder);
    for (n = 0; result != GPUTUNE_OK && n < 5000; n++) {
        rewrite_memory memory = { 0, 0 };
        gputune_options options;
        char *text = NULL;
        memory.left = n;
        memset(&options, 0, sizeof options);
        options.reallocate = rewrite_reallocate;
        options.user = &memory;
        result = gt__coarsen_source(source, "f", build, &plan, &options, NULL, &text, NULL);
        if (result != GPUTUNE_OK) CHECK_INT(result, GPUTUNE_ERROR_MEMORY);
        CHECK(!text == (result != GPUTUNE_OK));
        gputune_reallocate(&options, text, 0);
        CHECK_INT(memory.live, 0);
    }
    CHECK_INT(result, GPUTUNE_OK);
    CHECK(n > 50);
    rewrite_remove(folder);
}

// --- the preprocessor ---

// Texts, and what they become: blanks are those of the text, lines stay.
static const struct rewrite_plain {
    const char *text, *options, *plain;
} rewrite_plains[] = {
    { "#define N 4\na[N] = -N;", NULL, "\n\na[4] = -4;" },
    { "#define NEG -1\n-NEG NEG-1", NULL, "\n\n- -1 -1-1" },
    { "#define F(x, y) x*y\n#define G F\nG(F(1, 2), (3, 4)) F", NULL, "\n\n\n1*2*(3, 4) F" },
    { "#define f(x) x f\nf(1)(2); f(\nf)(1)", NULL, "\n\n1 f(2); f f\n(1)" },
    { "#define A B\n#define B A\nA B", NULL, "\n\n\nA B" },
    { "#define x p.x\nx->x", NULL, "\n\np.x->p.x" },
    { "#define C(a, b) a##b\n#define X(a, b) C(a, b)\n#define N 2\nC(N, N) X(N, N) C(, 1) C(x,)",
      NULL, "\n\n\n\nNN 22 1 x" },
    { "#define S(x) #x\n#define T(x) S(x)\n#define N \"a\"\nS(N  + \"\\n\") T(N)", NULL,
      "\n\n\n\n\"N + \\\"\\\\n\\\"\" \"\\\"a\\\"\"" },
    { "#define P(a, ...) p(a, ##__VA_ARGS__)\nP(1) P(1, 2, 3)", NULL, "\n\np(1) p(1,2, 3)" },
    { "#define P(a, ...) p(a, ##__VA_ARGS__)\n#define Q(...) q(a, ##__VA_ARGS__)\nP(1,) Q() Q(1)",
      NULL, "\n\n\np(1,) q(a) q(a,1)" },
    { "#define F(a, ...) f(a __VA_OPT__(,) __VA_ARGS__)\n#define E\nF(1) F(1,) F(1, E) F(1, 2, 3)",
      NULL, "\n\n\nf(1) f(1) f(1) f(1, 2, 3)" },
    { "#define G(a, ...) g##__VA_OPT__(a)__VA_OPT__(x##a) a __VA_OPT__(z)##y\nG(1) G(1, 2)", NULL,
      "\n\ng 1 y g1 x1 1 zy" },
    { "#if defined(A) && A > 2 || B\n1\n#elif !defined B && A == 2\n2\n#else\n3\n#endif",
      "-DA=2", "#undef A\n\n\n\n\n2\n\n\n" },
    { "#if 0x10 == 16 && 7 / 2 == 3 && 10L > 9 && (1 ? 2 : 0) && ~0 < 0\n1\n#endif", NULL,
      "\n\n1\n" },
    { "#if 1\n1\n#elif __X\n2\n#else\n3\n#endif\n#if 0 && __X\n#elif 1 || __X\n4\n#endif", NULL,
      "\n\n1\n\n\n\n\n\n\n\n4\n" },
    { "#if 017 == 15 && 3u > 2U && 0x7fffffffffffffff > 1UL\n1\n#endif", NULL, "\n\n1\n" },
    { "#define A 1\n#include \"none.h\"\n#define Z\n#ifdef Z\nA\n#endif", NULL,
      "\n\n\n#define A 1\n#line 2\n#include \"none.h\"\n\n\n1\n" },
    { "#ifdef M_PI_F\n1\n#endif\n#ifdef M_PI\n2\n#endif\n#ifndef FLT_MAX\n3\n#endif\n__kernel",
      "-Dcl_khr_fp64", "\n\n\n1\n\n\n2\n\n\n\n\n__kernel" },
    { "#ifdef __cplusplus\n1\n#endif\n#ifdef NULL\n2\n#endif\n__kernel", NULL,
      "\n\n\n\n\n2\n\n__kernel" },
    { "#ifdef __cplusplus\n1\n#endif\n#ifdef __HIPCC__\n2\n#endif\n__global__", NULL,
      "\n\n1\n\n\n\n\n__global__" },
    { "#ifndef __X\n#define __X 3\n#endif\n__X", NULL, "\n\n\n\n3" },
    { "#if defined M_TILE || defined(HALF_SUPPORT) || M_F\n1\n#endif\n__kernel", NULL,
      "\n\n\n\n__kernel" },
    { "#ifdef M_PI_F\n1\n#endif\n#ifdef M_PI\n2\n#endif\n__kernel", "-Ucl_khr_fp64",
      "\n\n\n1\n\n\n\n\n__kernel" },
    { "#ifdef cl_khr_fp64\n1\n#endif\n#if __OPENCL_VERSION__ == 120\n2\n#endif\n__kernel",
      "-D__OPENCL_VERSION__=120 -Dcl_khr_fp64", "\n\n\n\n1\n\n\n2\n\n__kernel" },
    { "#define N 1\n__OPENCL_VERSION__ cl_khr_fp64 N __global__",
      "-D__OPENCL_VERSION__=120 -Dcl_khr_fp64",
      "\n\n\n\n__OPENCL_VERSION__ cl_khr_fp64 1 __global__" },
    { "#if __CUDA_ARCH__ == 900\n1\n#endif\n__global__", "-D__CUDA_ARCH__=700 -arch=sm_90a",
      "\n\n\n\n1\n\n__global__" },
    { "#include <cuda_fp16.h>\n#ifdef Z\nA\n#endif", NULL, "\n#include <cuda_fp16.h>\n\n\n" },
    { "#define N 4\nR\"x(N \" N)\" )x\" R\"(N)\" N R \"N\"\n#pragma other N", NULL,
      "\n\nR\"x(N \" N)\" )x\" R\"(N)\" 4 R \"N\"\n#pragma other 4" },
    { "#define B\n#define A defined(B) && !defined C\n#if A\n1\n#endif\n#undef B\n#if A\n2\n"
      "#endif", NULL, "\n\n\n\n1\n\n\n\n\n" },
    { "#define H defined(__X)\n#if H\n1\n#endif", "-D__X", "\n\n\n\n1\n" },
    { "#define P(a, b...) p(a, ## b)\nP(1) P(1, 2, 3)", NULL, "\n\np(1) p(1, 2, 3)" },
    { "#define S(x) #x\nS(@\\n \"\\n\")", NULL, "\n\n\"@\\n \\\"\\\\n\\\"\"" },
    { "#define __X 1\n#ifdef __X\n1\n#endif\n#undef __X\n#ifdef __X\n2\n#endif\n", NULL,
      "\n\n\n1\n\n#undef __X\n\n\n\n" },
    { "#define L(x) L#x\nL(1)", NULL, "\n\nL \"1\"" },
    { "#ifndef __A_H__\n#define __A_H__\n1\n#endif\n#pragma unroll 4", NULL,
      "\n\n\n1\n\n#pragma unroll 4" },
    { "#ifdef cl_khr_fp64\n1\n#endif\n#if defined(cl_khr_fp16) || defined(__CUDACC__)\n2\n#elif "
      "__OPENCL_VERSION__ >= 200 && X == 2\n3\n#endif\n__kernel",
      "-D__OPENCL_VERSION__=300 -U __CUDACC__ -D cl_khr_fp64 -DX -UX -D X=2",
      "\n\n\n#undef X\n#undef X\n#undef X\n\n\n1\n\n\n\n\n3\n\n__kernel" },
    { "#include \"none.h\"\n#undef A\nA\n#undef B\n#define B 1\n#undef B\nB", NULL,
      "\n#include \"none.h\"\n#undef A\nA\n#undef B\n\n#undef B\nB" },
    { "#undef A\n#if A\n#endif\n#undef M_X\n#ifdef M_X\n#endif", NULL, "\n\n\n\n#undef M_X\n\n" },
    { "#define F(a, ...) a(__VA_ARGS__)\n#define N 2\nF(1,\n#if N == 1\n#define N 7\nF(\n#elif "
      "F(defined, N) && 1\n N,\n#if 0\n#endif\n4\n#else\n5,\n#endif\n  N) N", NULL,
      "\n\n\n1(2, 4 2)\n\n\n\n\n\n\n\n\n\n\n\n2" },
    { "#define F(a) a\nF(\n#if 1\n2)\n#else\n3)\n#endif\nF(4)", NULL, "\n\n2\n\n\n\n\n\n4" },
    { "#define CUDA_L(x) f(x)\n#ifdef NDEBUG\n1\n#elif defined(CUB_X) || __NVCC__\n2\n#endif\n"
      "__kernel CUDA_L(3)", "-DTHRUST_Y=1", "#undef THRUST_Y\n\n\n\n\n\n\n\n__kernel f(3)" },
    { "#define NDEBUG\n#define CUDA_L(x) f(x)\n#include <assert.h>\n#ifdef NDEBUG\nCUDA_L(3)\n"
      "#endif\n__global__", "-DTHRUST_Y=1",
      "#define THRUST_Y 1\n\n#define NDEBUG\n#define CUDA_L(x) f(x)\n#include <assert.h>\n\nf(3)\n"
      "\n__global__" },
};

static void rewrite_preprocessed(void)
{
    size_t i;
    for (i = 0; i < sizeof rewrite_plains / sizeof *rewrite_plains; i++) {
        gt__base b;
        gputune_error error;
        char *text = NULL, *to, *from;
        memset(&b, 0, sizeof b);
        CHECK_INT(gt__preprocess(&b, rewrite_plains[i].text, rewrite_plains[i].options, NULL,
                                 &text, &error),
                  GPUTUNE_OK);
        to = text ? strstr(text, "#line 1\n") : NULL;
        CHECK(to != NULL);
        if (!to) continue;
        memmove(to, to + 7, strlen(to + 7) + 1);
        for (from = to = text; *from; from++) // no blanks at the ends of lines
            if (*from != ' ' ||
                (from[1] && !strchr(" \n", from[1]) && to > text && to[-1] != '\n'))
                *to++ = *from;
        *to = 0;
        CHECK_TEXT(text, rewrite_plains[i].plain);
        gt__arr_free(&b, text);
    }
}

// What is not preprocessed, with the first line of the reason.
static void rewrite_preprocessed_refusals(void)
{
    static const char *const texts[][2] = {
        { "#define F(a) a\nF(\n#ifdef __X\n1\n#endif\n)", "line 3: only the compiler knows __X" },
        { "\n#ifdef cl_khr_fp64\n#endif", "line 2: only the compiler knows cl_khr_fp64: give "
                                           "-Dcl_khr_fp64 or write #undef cl_khr_fp64 (ifdef)" },
        { "#if 0\n#elif A || (__X & 1)\n#endif", "line 2: only the compiler knows __X: give -D" },
        { "#ifdef M_PI\n#endif\n__kernel", "line 1: only the compiler knows M_PI" },
        { "#ifdef CUDA_V\n#endif\n__global__", "line 1: only the compiler knows CUDA_V" },
        { "#if\n#endif", "line 1: a condition that cannot be read (if)" },
        { "#if 1 < 'a'\n#endif", "line 1: a condition that cannot be read (if)" },
        { "#if -1 < 1u\n#endif", "line 1: a condition that cannot be read (if)" },
        { "#if 1 +\n#endif", "line 1: a condition that cannot be read (if)" },
        { "#define F(a) a\nF(\n#define G\n1)", "line 3: a directive among" },
        { "#define F(a) a\nF(\n#undef F\n1)", "line 3: a directive among" },
        { "#define F(a) a\nF(1\n#include \"none.h\"\n)", "line 3: a directive among" },
        { "#define F(a) a\nF(1\n#if 0\n)\n#endif", "the brackets of a macro do not end" },
        { "#define F(a) a\nF(1\n#", "line 3: a directive among" },
        { "#define CUDA_f(x) g(CUDA_f(x))\n__global__ CUDA_f(1)", "line 1: a macro that names" },
        { "#define F(x) g(F(x))\n#include <n.h>\nF(1)", "line 1: a macro that names" },
        { "#define CUDA_f CUDA_f + 1\n__global__ CUDA_f", "line 1: a macro that names" },
        { "#pragma push_macro(\"A\")", "line 1: macros that are put aside" },
    };
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        gt__base b;
        gputune_error error;
        char *text = NULL;
        memset(&b, 0, sizeof b);
        CHECK_INT(gt__preprocess(&b, texts[i][0], NULL, NULL, &text, &error),
                  GPUTUNE_ERROR_UNSUPPORTED);
        CHECK_HAS(error.text, texts[i][1]);
        gt__arr_free(&b, text);
    }
}

// --- merging ---

static const gt__coarsen_plan rewrite_merging = {
    GPUTUNE_COARSEN_THREAD, { 4, 1, 1 }, { 1, 1, 1 }, true, false, NULL
};

// A body's statements, and what the merged text must have in it, or, behind "!", must not. A loop
// whose body stands for all items once has a brace that the text given does not have.
typedef struct rewrite_merge {
    const char *body, *has[4];
} rewrite_merge;

static const rewrite_merge rewrite_merges[] = {
    { "int s = 0; for (int k = 0; k < n; k++) s += in[k]; out[i] = s;",
      { "k++) {", "int s[4];", "gt__value(out[i[gt__q]]) gt__w0[4];",
        "s[gt__q] += in[k];" } },
    { "int k, s = 0; for (k = n; k > 0; k -= 2) s += k; out[i] = s;", { "k -= 2) {", "!k[4]" } },
    { "__global const int * OF_A_HEADER p = in; out[i] = p[i] + 1;", { "gt__q" } },
    { "int k, s = 0; for (k = 0; k < n; k++) s += k; out[i] = s + k;", { "!k++) {", "k[4]" } },
    { "int s = 0; for (int k = 0; k < in[0]; k++) s++; out[i] = s;", { "!k++) {", "s[4]" } },
    { "int s = 0; for (int k = 0; k < i; k++) s++; out[i] = s;", { "!k++) {", "s[4]" } },
    { "int m = n; m += 1; int s = 0; for (int k = 0; k < m; k++) s++; out[i] = s;",
      { "!k++) {", "s[4]" } },
    { "const int m = 2 * n + WIDTH; int s = 0; for (int k = 0; k < m; k++) s++; out[i] = s;",
      { "k++) {", "!m[4]" } },
    { "int s = 0; for (int k = 0; k < WIDTH; k++) { s++; if (s == in[i]) break; } out[i] = s;",
      { "!k++) {\n", "s[4]" } },
    { "int s = 0; for (int k = 0; k < n; k++) { if (in[i] == k) continue; s++; } out[i] = s;",
      { "!k++) {\n", "s[4]" } },
    { "int s = 0; for (int k = 0; k < n; k++) { s++; k += s; } out[i] = s;", { "!k++) {\n" } },
    { "int s = 0; for (int k = 0; k < n; k++) for (int j = 0; j < k; j++) s++; out[i] = s;",
      { "k++) {", "j++) {" } },
    { "int s = 0; for (int k = 0; k < min((uint)n, 4u); k++) s++; out[i] = s;", { "k++) {" } },
    { "int a = in[i]; if (n) a = 3; else a -= 2; a++; if (a > n) return; out[i] = a;",
      { "int a[4];", "gt__all = 0;" } },
    { "int a = in[i]; a++; out[i] = a;", { "a[gt__q]++", "int a[4]" } },
    { "int a = in[i]; a++; int b = a; b += n; out[i] = 3;", { "!a[4]", "!b[4]", "int a = in[i" } },
    { "thing half = n; out[i] = 3;", { "thing half[4]" } }, // which may hold pointers
    { "if (i > n) return; int h = n / 3; out[i] = h;", { "gt__all = 0; continue;", "!h[4]" } },
    { "if (n == 0) return; const int h = 9 / n; if (i > h) return; out[i] = h;",
      { "h[gt__q] = 9 / n;" } }, // not before the guard
    { "if (i < n) { int v = in[i]; out[i] = v; }",
      { "if (! (i[gt__q] < n)) { gt__all = 0; continue; }" } },
    { "int m = in[0], s = 0; for (int k = 0; k < m; k++) s++; out[i] = s;", { "!k++) {\n" } },
    { "int v = n; int *p = &v; int s = 0; for (int k = 0; k < n; k++) s += *p; out[i] = s;",
      { "v[4]", "p[gt__q] = &v[gt__q]" } },
    { "int v = n; *(int *)&v += i; for (int k = 0; k < n; k++) out[i] += v;", { "v[4]" } },
    { "out[i] = in[i] * 2, out[i + n] = out[i];", { "!gt__w0" } },
    { "const int *p = in + i, *const q = p; int v[2]; v[0] = *p; out[i] = v[0] + *q;",
      { "const int* p[4]", "* q[4];", "v[4][2];" } },
    { "int a = 0; out[i] = RAW(a); out[i] += a;", { "a[4];", "&(a[gt__q]))" } },
    { "STORE(1); out[i] += 1;", { "gt__w0[gt__q] = 1;" } },
    { "int v = 1, w = NAMED; out[i] = w; out[i] = v;", { "(v[gt__q] + 1);" } },
    { "\n#if WIDTH > 5\nout[i] = 1;\n#endif\nout[i] = 2;",
      { "!] = 1", "gt__w0[gt__q] = 2;" } },
    // A parameter that is changed has an element for each item.
    { "n++; out[i] = n;", { "gt__typeof(gt__o_n) n[4];", "n[gt__q] = gt__o_n;", "n[gt__q]++" } },
    { "while (n-- > 0) out[i]++;", { "n[4]", "n[gt__q]-- > 0" } },
    { "call((n = 4)); out[i] = n;", { "n[4]" } },
    { "*(int *)&n += i; out[i] = n;", { "n[4]" } },
    { "(n) = i; out[i] = n;", { "n[4]" } },
    { "int b = *(int *)&n; out[i] = b;", { "n[4]" } },
    { "WIDE(n) = i; out[i] = n;", { "n[4]" } },
    { "in += i; out[i] = *in;", { "in[4]", "! n[4]", "!out[4]", "in[gt__q] += i[gt__q]" } },
    { "n += i; if (n > 9) return; n--; out[i] = n;", { "n[4]", "gt__all = 0; continue;" } },
    { "switch (n) { default: out[i] = 1; }", { "switch (n) {" } },
    { "if (i > n) { out[i] = 1; } else { out[i] = 2; }", { "} else {" } },
    // Scopes: each name has its own meaning.
    { "int t = in[i]; out[i] = t; { int t = 2; out[i] += t; } out[i] += t;",
      { "int t[4];", "int t = 2;", "+= t;", "t[gt__q];" } },
    { "int t = in[i], s = 0; for (int k = 0; k < n; k++) { s += t; int t = in[k]; s -= t; out[k] = "
      "i; s += t; } out[i] = s;",
      { "k++) {", "s[gt__q] += t[gt__q];}", "int t[4];\n" } },
    { "int k = in[i]; for (int k = 0; k < n; k++) out[k] = i; out[i] = k;",
      { "k++) {", "out[k]", "= k[gt__q];" } },
    { "typedef int row; row r = in[i]; out[i] = 1; out[i] = r;",
      { "typedef int row;", "row r[4];" } },
    { "int v[2] = { 1, i }; out[i] = 1; out[i] = v[0];",
      { "{int gt__m[2] = { 1, i[gt__q] }", "v[gt__q][gt__c] = gt__m[gt__c];" } },
    { "const int v[2] = { 1, n }; out[i] = 1; out[i] = v[0];", { "const int v[2]", "!v[4]" } },
    { "const int v[2] = { 1, i }; out[i] = 1; out[i] = v[0];",
      { "int v[4][2];", "!const int v[4]" } },
    { "int a[3][2]; a[1][1] = i; int (*p)[2] = a + 1; n += p[0][1]; out[i] = n;",
      { "p)[2] = a[gt__q] + 1;", "int a[4][3][2];" } },
    { "int barrier = in[i]; out[i] = 1; out[i] = barrier;", { "barrier[4]" } },
    { "const sampler_t v = CLK_FILTER_NEAREST; out[i] = 1; out[i] = v;",
      { "!v[4]", "sampler_t v" } },
    { "int s = 0; for (int k = 0; k < 4; k++) s += k; if (s > in[i]) return; out[i] = s;",
      { "gt__all = 0; continue;" } },
};

// What forbids merging, and is said.
static const char *const rewrite_merge_refusals[][2] = {
    { "__attribute__((aligned(8))) int a[2]; a[0] = 1; out[i] = a[0];",
      "a statement that is not merged (__attribute__)" },
    { "const int *p = in, a = 3; out[i] = a; out[i] += *p;", "a constant and a pointer" },
    { "out[i] = 1; if (i > n) return; out[i] = 2;", "must not be done twice" },
    { "if (out[i]++) return; out[i] = 2;", "must not be done twice" },
    { "if (call(i)) return; out[i] = 2;", "must not be done twice" },
    { "if (get_next(i)) return; out[i] = 2;", "must not be done twice" },
    { "int m = (out[i] = 3); if (m) return; out[i] = 2;", "must not be done twice" },
    { "__global int *p = out + i; *(__global int *)p = 5; if (n) return; out[i] = 2;",
      "must not be done twice" },
    { "__global int *p = out + i; *p += 5; if (n) return; out[i] = 2;", "must not be done twice" },
    { "int m = out[i]++; if (m) return; out[i] = 2;", "must not be done twice" },
    { "if (n) { ++out[i]; } if (n > 3) return; out[i] = 2;", "must not be done twice" },
    { "out[i] = (int)__kernel void f(n + 1; out[i]++;", "" }, // a bracket too many
    { "again: out[i]--; if (out[i] > 0) goto again;", "line 7" },
    { "int t = in[i]; for (int k = 0; k < 4; k++) { int s = t, t = k; out[i] += t + s; }",
      "a name that is declared twice (int)" },
    { "int max = max(i, n); if (max > 9) return; out[i] = max;", "" },
    { "for (int k = 0; k < n; k++) if (in[k] == i) return; out[i] = 1;",
      "a return in a loop (for)" },
    { "struct { int a; } s = { 4 }; s.a += i; out[i] = 1; out[i] = s.a;",
      "a struct within the declaration ({)" },
    { "int a = 3; struct b { int a; }; out[i] = a;", "a type that is made of variables (a)" },
    { "int a[3][2], (*p)[2] = a; out[i] = 1;", "a declaration that is not understood" },
    { "int a[3][2]; int (*p)[2] = a; out[i] = 1; out[i] = p[0][0];",
      "a pointer to an array that is used later (p)" },
    { "call(*p)[2] = a;", "a declaration that is not understood (call)" },
    { "int v[2][1] = { { 1 }, { 2 } }; out[i] = 1; out[i] = v[0][0];", "a list of values (v)" },
    { "typedef int w[2]; w v = { 1, 2 }; out[i] = 1; out[i] = v[0];", "a list of values (v)" },
    { "int v[] = { 1, 2 }; out[i] = 1; out[i] = v[0];", "a list of values (v)" },
    { "\n#pragma omp simd\nout[i] = 1;\n", "a directive in the body" },
};

static char *rewrite_merge_text(const char *body, const gputune_options *options,
                                gputune_error *error)
{
    char source[1024], *text = NULL;
    snprintf(source, sizeof source,
             "#define WIDTH (4 + 1)\n#define STORE(x) out[i] = x;\n#define NAMED (v + 1)\n"
             "#define WIDE(x) (x)\n#define RAW(x) (*(int *)&(x))\n"
             "int call(int x), get_next(int x);\n"
             "__kernel void f(__global int *out, __global const int *in, int n) { int i = "
             "get_global_id(0); %s }\n",
             body);
    memset(error, 0, sizeof *error);
    (void)gt__coarsen_source(source, "f", NULL, &rewrite_merging, options, NULL, &text, error);
    return text;
}

// Nothing stands before what guards the whole body.
static void rewrite_merged_guard(void)
{
    gputune_error error;
    char *text = NULL;
    CHECK_INT(gt__coarsen_source("__kernel void f(__global int *o, int n) { if "
                                 "(get_global_id(0) < n) { o[get_global_id(0)] = n; } }",
                                 "f", NULL, &rewrite_merging, NULL, NULL, &text, &error),
              GPUTUNE_OK);
    CHECK_HAS(text, "gt__set if (!(");
    gputune_reallocate(NULL, text, 0);
}

static void rewrite_merged(void)
{
    size_t m, i;
    for (m = 0; m < sizeof rewrite_merges / sizeof *rewrite_merges; m++) {
        const rewrite_merge *r = &rewrite_merges[m];
        gputune_error error;
        char *text = rewrite_merge_text(r->body, NULL, &error), *end;
        CHECK_OR(text != NULL, "%s: %s", r->body, error.text);
        if (!text) continue;
        end = strstr(text, "if (!gt__all)"); // there the plain loop begins
        if (end) *end = 0;
        for (i = 0; i < 4 && r->has[i]; i++) {
            const bool wanted = *r->has[i] != '!';
            CHECK_OR((strstr(text, r->has[i] + !wanted) != NULL) == wanted, "%s: %s", r->body,
                     r->has[i]);
        }
        gputune_reallocate(NULL, text, 0);
    }
    for (m = 0; m < sizeof rewrite_merge_refusals / sizeof *rewrite_merge_refusals; m++) {
        gputune_error error;
        char *text = rewrite_merge_text(rewrite_merge_refusals[m][0], NULL, &error);
        CHECK_OR(!text && error.result == GPUTUNE_ERROR_UNSUPPORTED, "%s",
                 rewrite_merge_refusals[m][0]);
        CHECK_HAS(error.text, rewrite_merge_refusals[m][1]);
        gputune_reallocate(NULL, text, 0);
    }
    rewrite_merged_guard();
}

// What CUDA C++ may change by a name is each item's own: the texts that say so.
static void rewrite_merged_changes(void)
{
    static const char source[] =
        "struct S { int v, a[2]; __device__ void push(int &x); %s };\n"
        "template <class T> __device__ void add(T &x) { x++; }\n"
        "__global__ void f(int *out, const int *in, int n, int m, S s, const S c,\n"
        "int (*t)[4])\n"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; %s out[i] = n + s.v; }\n";
    static const char *const cases[][2] = {
        { "swap(n, m);", " n[4]" },
        { "swap(n, m);", " m[4]" },
        { "add<int>(n);", " n[4]" },
        { "add(n);", " n[4]" },
        { "add((n));", " n[4]" },
        { "add(((n)));", " n[4]" },
        { "int &r = i > 4 ? n : m; r = i;", " n[4]" },
        { "int &r = i > 4 ? n : m; r = i;", " m[4]" },
        { "int &r = (int &)m; r = i;", " m[4]" },
        { "(int &)n = i;", " n[4]" },
        { "int S::*p = &S::v; s.*p = i;", " s[4]" },
        { "s.push(m);", " m[4]" },
        { "s.push(m);", " s[4]" },
        { "m = s(2);", " s[4]" },
        { "s.v = i;", " s[4]" },
        { "int *p = s.a; p[1] = i;", " s[4]" },
        { "int *p = &s.v; *p = i;", " s[4]" },
        { "t += i;", " t[4]" },
        { "m = t[1][2];", "! t[4]" },
        { "m = c.v;", "! c[4]" },
        { "m = c.a[1];", "! c[4]" },
        { "m = min(n, 4);", "! n[4]" },
        { "m = (n) + int(n);", "! n[4]" },
        { "if (n) m = 1; for (int k = n; k > 0; k--) if (n) break;", "! n[4]" },
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool wanted = *cases[i][1] != '!';
        char text[1024], *made = NULL;
        gputune_error error;
        snprintf(text, sizeof text, source, // where there are operators all counts as changed
                 strstr(cases[i][0], "s(") ? "__device__ int operator()(int x);" : "", cases[i][0]);
        memset(&error, 0, sizeof error);
        (void)gt__coarsen_source(text, "f", NULL, &rewrite_merging, NULL, NULL, &made, &error);
        CHECK_OR(made != NULL, "%s: %s", cases[i][0], error.text);
        if (made && strstr(made, "if (!gt__all)")) *strstr(made, "if (!gt__all)") = 0;
        CHECK_OR(made && (strstr(made, cases[i][1] + !wanted) != NULL) == wanted, "%s: %s",
                 cases[i][0], cases[i][1]);
        gputune_reallocate(NULL, made, 0);
    }
}

static const char *rewrite_name; // the @ of a text below

// The text with that name in it, merged, or NULL: refused.
static char *rewrite_merge_named(const char *source, gputune_error *error)
{
    char named[1024], *text = NULL;
    size_t used = 0;
    for (; *source && used < 900; source++)
        if (*source == '@')
            used += (size_t)snprintf(named + used, 100, "%s", rewrite_name);
        else
            named[used++] = *source;
    named[used] = 0;
    memset(error, 0, sizeof *error);
    (void)gt__coarsen_source(named, "f", NULL, &rewrite_merging, NULL, NULL, &text, error);
    if (text && strstr(text, "if (!gt__all)")) *strstr(text, "if (!gt__all)") = 0;
    return text;
}

// A local variable of a built-in's name has an element for each item. A function of the text's of
// that name may return another value for each item.
static void rewrite_merged_name(const char *kind)
{
    static const char local[] =
        "__kernel void f(__global int *out, __global const int *in, int n) { int i = "
        "get_global_id(0); int @ = in[i], s = 0; for (int k = 0; k < @; k++) s++; out[i] = s; int "
        "twice = @ * 2; out[i + n] = twice; }\n";
    static const char function[] =
        "int @(int a, int b) { return a + b + get_global_id(0); }\n"
        "__kernel void f(__global int *out, int n) { int i = get_global_id(0); int s = 0; "
        "for (int k = 0; k < @(n, 2); k++) s++; out[i] = s; }\n";
    char element[64];
    gputune_error error;
    char *text = rewrite_merge_named(local, &error);
    CHECK_OR(text != NULL, "%s %s: %s", kind, rewrite_name, error.text);
    snprintf(element, sizeof element, "int %s[4], s[4];", rewrite_name);
    CHECK_OR(!text || strstr(text, element), "%s %s: one for all items", kind, rewrite_name);
    CHECK_OR(!text || !strstr(text, "k++) {"), "%s %s: bounds a loop", kind, rewrite_name);
    CHECK_OR(!text || strstr(text, "twice[4]"), "%s %s: a value", kind, rewrite_name);
    gputune_reallocate(NULL, text, 0);
    if (strcmp(kind, "type") == 0) return;
    text = rewrite_merge_named(function, &error);
    CHECK_OR(!text || !strstr(text, "k++) {"), "%s %s: a function", kind, rewrite_name);
    gputune_reallocate(NULL, text, 0);
}

// What decides whether an item leaves is not done twice where it may store, whatever its name.
static void rewrite_merged_guards(void)
{
    static const char *const sources[] = {
        "int @(__global int *p, int v) { return p[v]++; }\n"
        "__kernel void f(__global int *out, int n) { int i = get_global_id(0); "
        "if (@(out + i, n)) return; out[i] = 2; }\n",
        "struct F { int a; __device__ int operator()(int *p) const { return (*p)++; } };\n"
        "__global__ void f(int *out, F @) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "if (@(out + i)) return; out[i] = 2; }\n",
        "static __device__ int c = 0;\n__global__ void f(int *out, int n)\n"
        "{ int i = blockIdx.x * blockDim.x + threadIdx.x; c++; if (i > n) return; out[i] = 2; }\n",
        "struct F { __device__ int @(int *p) const { return (*p)++; } };\n"
        "__global__ void f(int *out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; "
        "F g; if (g.@(out + i)) return; out[i] = 2; }\n",
    };
    size_t i;
    for (i = 0; i < sizeof sources / sizeof *sources; i++) {
        gputune_error error;
        char *text = rewrite_merge_named(sources[i], &error);
        // A function that is named like an id is refused for that.
        CHECK_OR(!text && (strstr(error.text, "must not be done twice") ||
                           (!i && strstr(error.text, "ids are used outside"))),
                 "%s, source %d: %s", rewrite_name, (int)i, error.text);
        gputune_reallocate(NULL, text, 0);
    }
}

// What is declared is no built-in: for every name that merging knows.
static void rewrite_merged_names(void)
{
    static const char types[] = "half uint uchar ulong float4 int2 uint16_t size_t bool";
    const char *const lists[] = { gt__merge_shared_words, gt__merge_pure_words, types,
                                  strstr(gt__coarsen_known, "printf"), gt__coarsen_opencl_known };
    static char words[5][1200];
    char *word;
    int list, names = 0;
    for (list = 0; list < 5; list++) {
        snprintf(words[list], sizeof words[list], "%s", lists[list]);
        for (word = strtok(words[list], " *"); word; word = strtok(NULL, " *")) {
            // The language's own words, and what the kernels above need.
            if (strstr(" if for while switch return sizeof get_global_id ", word)) continue;
            rewrite_name = word;
            rewrite_merged_name(list > 1 ? "type" : list ? "function" : "value");
            if (list == 1) rewrite_merged_guards();
            names++;
        }
    }
    CHECK(names >= 150);
}

static void rewrite_merged_memory(void)
{
    char *text = NULL;
    int n;
    for (n = 0; !text && n < 2000; n++) {
        rewrite_memory memory = { 0, 0 };
        gputune_options options;
        gputune_error error;
        memory.left = n;
        memset(&options, 0, sizeof options);
        options.reallocate = rewrite_reallocate;
        options.user = &memory;
        text = rewrite_merge_text(rewrite_merges[0].body, &options, &error);
        if (!text) CHECK_INT(error.result, GPUTUNE_ERROR_MEMORY);
        if (text) gputune_reallocate(&options, text, 0);
        CHECK_INT(memory.live, 0);
    }
    CHECK(text != NULL);
    CHECK(n > 50);
}

static void rewrite_launches(void)
{
    gt__coarsen_plan plan = { GPUTUNE_COARSEN_THREAD, { 4, 1, 1 }, { 8, 1, 1 }, false,
                              false, NULL };
    gputune_grid grid;
    size_t group[3] = { 16, 2, 1 }, global[3];
    memset(&grid, 0, sizeof grid);
    grid.end[0] = 33;
    grid.end[1] = 3;
    gt__coarsen_launch(&plan, &grid, group, global);
    CHECK_INT(global[0], 16); // 2 tiles of 32 items, 8 work-items each
    CHECK_INT(global[1], 4);
    CHECK_INT(global[2], 1); // nothing to do: one group
    plan.form = GPUTUNE_COARSEN_GROUP;
    gt__coarsen_launch(&plan, &grid, group, global);
    CHECK_INT(global[0], 16 * 16);
    CHECK_INT(global[1], 6);
    grid.end[0] = UINT64_MAX;
    plan.factor[0] = plan.stride[0] = 1;
    gt__coarsen_launch(&plan, &grid, group, global);
    CHECK(global[0] == (size_t)-1);
}

// --- the space of a kernel without a device ---

static const char rewrite_line[] =
    "__kernel void f(int n, __global float *x) { x[get_global_id(0)] = n; }";
static const char rewrite_turn[] =
    "__kernel void f(int n, __global float *x)\n"
    "{ __local float t[16]; t[get_local_id(0)] = n; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "x[get_global_id(0)] = t[15 - get_local_id(0)]; }";
static const char rewrite_own[] =
    "#pragma gputune set 1,2,4\n"
    "#define ITEMS 1\n"
    "#pragma gputune require ITEMS * FACTOR_X <= 8 && FACTOR_X != 16 && compute_units == 3\n"
    "__kernel void f(int n, __global float *x) { x[get_global_id(0) * ITEMS] = n; }";

typedef struct rewrite_place {
    const char *source;
    size_t global[3], local[3];
    gputune_coarsening form;
    const char *factors;
    const char *require, *end; // a list of one, or NULL
    uint64_t count; // of configurations, by hand where it is small; 0: as tuning has them
} rewrite_place;

static const rewrite_place rewrite_places[] = {
    { rewrite_line, { 1000, 0, 0 }, { 0, 0, 0 }, GPUTUNE_COARSEN_OFF, NULL, NULL, NULL, 0 },
    { rewrite_line, { 1000, 0, 0 }, { 64, 0, 0 }, GPUTUNE_COARSEN_THREAD, "set 1,4,8",
      "FACTOR_X <= 4", NULL, 0 },
    { rewrite_line, { 300, 70, 0 }, { 32, 4, 0 }, GPUTUNE_COARSEN_AUTO, NULL, NULL, NULL, 0 },
    { rewrite_line, { 33, 9, 5 }, { 0, 0, 0 }, GPUTUNE_COARSEN_AUTO, NULL,
      "FACTOR_X * FACTOR_Y * FACTOR_Z <= 4", NULL, 0 },
    { rewrite_turn, { 100, 0, 0 }, { 16, 0, 0 }, GPUTUNE_COARSEN_AUTO, NULL, NULL, NULL, 4 },
    // 8 groups: factor 1 with stride 1, 2 with 1, 2, 4; more leave one of 3 units without a group
    { rewrite_own, { 5000, 0, 0 }, { 128, 0, 0 }, GPUTUNE_COARSEN_AUTO, "set 1,16", NULL, NULL, 0 },
};

// What gputune_tune would search for the same kernel and launch: a replayed device compiles it.
static gputune_kernel *rewrite_tuned(gputune_device *device, const rewrite_place *p)
{
    const char *const require[] = { p->require, NULL };
    char global[80], local[80];
    gputune_kernel_desc desc;
    size_t g = 0, l = 0;
    int d;
    memset(&desc, 0, sizeof desc);
    for (d = 0; d < 3 && p->global[d]; d++) {
        g += (size_t)snprintf(global + g, sizeof global - g, "%s%zu", d ? ", " : "", p->global[d]);
        l += (size_t)snprintf(local + l, sizeof local - l, "%s%zu", d ? ", " : "", p->local[d]);
    }
    desc.source = p->source;
    desc.name = "f";
    desc.global = global;
    desc.local = p->local[0] ? local : NULL;
    desc.coarsen.form = p->form == GPUTUNE_COARSEN_OFF ? GPUTUNE_COARSEN_AUTO : p->form;
    desc.coarsen.factors = p->factors;
    if (p->require) desc.require = require;
    return gputune_kernel_create(device, &desc);
}

static const gputune_limits *rewrite_limits(void)
{
    static gputune_limits limits;
    limits.warp_size = 32;
    limits.max_group_size = 256;
    limits.max_group_z = 2;
    limits.compute_units = 3;
    return &limits;
}

static gputune_coarsen_space_desc rewrite_space_desc(const rewrite_place *p)
{
    gputune_coarsen_space_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.source = p->source;
    desc.name = "f";
    memcpy(desc.global, p->global, sizeof desc.global);
    memcpy(desc.local, p->local, sizeof desc.local);
    desc.coarsen.form = p->form;
    desc.coarsen.factors = p->factors;
    if (p->require) desc.space.require = &p->require;
    desc.space.limits = rewrite_limits();
    return desc;
}

static void rewrite_trial(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user, (void)config;
    trial->seconds = 1e-3;
}

// One configuration: text and launch are those that tuning would use.
static void rewrite_space_same(gputune_space *space, gputune_kernel *kernel,
                               const gputune_config *config, const gputune_config *same)
{
    float x[4];
    gputune_arg args[2];
    gputune_geometry a, b;
    int d;
    args[0] = gputune_int(7);
    args[1] = gputune_out(x, sizeof x);
    CHECK_TEXT(gputune_coarsen_text(space, config), gputune_kernel_source(kernel, same));
    CHECK_INT(gputune_kernel_geometry(kernel, same, args, 2, &b), GPUTUNE_OK);
    CHECK(gputune_coarsen_geometry(space, config, &a));
    CHECK_INT(a.dimensions, b.dimensions);
    CHECK_INT(a.grid.size[0], b.grid.size[0]);
    for (d = 0; d < a.dimensions; d++) {
        CHECK_INT(a.global[d], b.global[d]);
        CHECK_INT(a.local[d], b.local[d]);
    }
    CHECK_INT(memcmp(&a.grid, &b.grid, sizeof a.grid), 0);
}

static void rewrite_space(void)
{
    size_t p;
    for (p = 0; p < sizeof rewrite_places / sizeof *rewrite_places; p++) {
        gputune_coarsen_space_desc desc = rewrite_space_desc(&rewrite_places[p]);
        gputune_replay_desc replay;
        gputune_device *device;
        gputune_kernel *kernel;
        float x[4];
        gputune_arg args[2];
        const gputune_space *tuned = NULL;
        gputune_space *space = gputune_coarsen_space(&desc);
        uint64_t i;
        memset(&replay, 0, sizeof replay);
        replay.options.store = "";
        replay.limits = *desc.space.limits;
        replay.trial = rewrite_trial;
        device = gputune_replay_device_create(&replay);
        kernel = rewrite_tuned(device, &rewrite_places[p]);
        args[0] = gputune_int(7);
        args[1] = gputune_out(x, sizeof x);
        CHECK_TEXT(gputune_space_error(space)->text, "");
        CHECK_INT(test_space_of(kernel, args, 2, &tuned), GPUTUNE_OK);
        if (tuned && gputune_space_error(space)->result == GPUTUNE_OK) {
            CHECK(gputune_space_count(space) >= 4);
            CHECK_INT(gputune_space_count(space), gputune_space_count(tuned));
            if (rewrite_places[p].count)
                CHECK_INT(gputune_space_count(space), rewrite_places[p].count);
            for (i = 0; i < gputune_space_count(space); i += 1 + i / 16) {
                gputune_config config = gputune_space_at(space, i), same;
                char text[256];
                gputune_config_text(&config, text, sizeof text);
                CHECK(gputune_config_parse(tuned, text, &same) &&
                      gputune_space_index(tuned, &same, &(uint64_t){ 0 }));
                rewrite_space_same(space, kernel, &config, &same);
            }
        }
        gputune_kernel_destroy(kernel);
        gputune_device_destroy(device);
        gputune_space_destroy(space);
    }
}

static void rewrite_space_refused(void)
{
    static const struct {
        const char *source, *kernel;
        size_t global, local;
        gputune_coarsening form;
        const char *factors;
        gputune_result result;
        const char *part;
    } rows[] = {
        { rewrite_line, "g", 9, 0, GPUTUNE_COARSEN_AUTO, NULL, GPUTUNE_ERROR_SYMBOL, "g" },
        { rewrite_line, "f", 0, 0, GPUTUNE_COARSEN_AUTO, NULL, GPUTUNE_ERROR_ARGUMENT, ".global" },
        { rewrite_line, "f", 9, 0, GPUTUNE_COARSEN_GROUP, NULL, GPUTUNE_ERROR_ARGUMENT, ".local" },
        { rewrite_line, "f", 9, 0, GPUTUNE_COARSEN_RANGE, NULL, GPUTUNE_ERROR_ARGUMENT, ".local" },
        { "__kernel void f(int n) { asm(\"%ctaid\"); }", "f", 9, 3, GPUTUNE_COARSEN_RANGE, NULL,
          GPUTUNE_ERROR_UNSUPPORTED, "parts: line 1" },
        { rewrite_line, "f", 9, 3, GPUTUNE_COARSEN_AUTO, "set 1,0.5", GPUTUNE_ERROR_ARGUMENT,
          "FACTOR_X" },
        { rewrite_turn, "f", 9, 3, GPUTUNE_COARSEN_THREAD, NULL, GPUTUNE_ERROR_UNSUPPORTED,
          "line 2" },
        { rewrite_turn, "f", 9, 0, GPUTUNE_COARSEN_AUTO, NULL, GPUTUNE_ERROR_ARGUMENT, ".local" },
        { "__kernel void f(int n) { while (n) barrier(1); asm(\"%ctaid\"); f(n); }", "f", 9, 3,
          GPUTUNE_COARSEN_AUTO, NULL, GPUTUNE_ERROR_UNSUPPORTED, "group level" },
        { "#pragma gputune set 4,8\n#define B 4\n#pragma gputune global (n + B - 1) / B * B\n"
          "__kernel void f(int n) { }",
          "f", 9, 3, GPUTUNE_COARSEN_AUTO, NULL, GPUTUNE_ERROR_UNSUPPORTED, "launch is annotated" },
        { "#pragma gputune bool\n__kernel void f(int n) { }", "f", 9, 3, GPUTUNE_COARSEN_AUTO,
          NULL, GPUTUNE_ERROR_SYNTAX, "line 2" },
        { "#pragma gputune bool\n#define STRIDE_X 1\n__kernel void f(int n) { }", "f", 9, 3,
          GPUTUNE_COARSEN_AUTO, NULL, GPUTUNE_ERROR_ARGUMENT, "rename" },
    };
    static const char asks[] = "#pragma gputune require n > 4 && FACTOR_X < n\n"
                               "__kernel void f(int n, __global int *x)\n"
                               "{ x[get_global_id(0)] = 1; }";
    gputune_coarsen_space_desc desc;
    gputune_space *space;
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        memset(&desc, 0, sizeof desc);
        desc.source = rows[i].source;
        desc.name = rows[i].kernel;
        desc.global[0] = rows[i].global;
        desc.local[0] = rows[i].local;
        desc.coarsen.form = rows[i].form;
        desc.coarsen.factors = rows[i].factors;
        space = gputune_coarsen_space(&desc);
        CHECK_INT(gputune_space_error(space)->result, rows[i].result);
        CHECK_HAS(gputune_space_error(space)->text, rows[i].part);
        gputune_space_destroy(space);
    }
    memset(&desc, 0, sizeof desc); // nothing at all, and no name
    for (i = 0; i < 2; i++) {
        desc.source = i ? rewrite_line : NULL;
        space = gputune_coarsen_space(&desc);
        CHECK_INT(gputune_space_error(space)->result, GPUTUNE_ERROR_ARGUMENT);
        CHECK_TEXT(gputune_space_error(space)->text,
                   i ? "gputune_coarsen_space_desc.name is missing"
                     : "gputune_coarsen_space_desc.source is missing");
        CHECK_INT(gputune_space_count(space), 0);
        gputune_space_destroy(space);
    }
    memset(&desc, 0, sizeof desc); // an argument that a restriction mentions
    desc.source = asks;
    desc.name = "f";
    desc.global[0] = 64;
    space = gputune_coarsen_space(&desc);
    CHECK_INT(gputune_space_error(space)->result, GPUTUNE_ERROR_SYMBOL);
    gputune_space_destroy(space);
    desc.space.numbers = "n=8";
    space = gputune_coarsen_space(&desc);
    CHECK_TEXT(gputune_space_error(space)->text, "");
    CHECK(gputune_space_count(space) > 0);
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        CHECK(gputune_config_int(&config, "FACTOR_X") < 8);
    }
    gputune_space_destroy(space);
}

// The program's own parameters and restrictions join, and the text has their values.
static void rewrite_space_joins(void)
{
    static const gputune_param params[] = { { "ADD", "set 1,2,3", "2" }, { NULL, NULL, NULL } };
    static const char *const require[] = { "FACTOR_X <= ADD", NULL };
    gputune_coarsen_space_desc desc = rewrite_space_desc(&rewrite_places[0]);
    gputune_space *space;
    uint64_t i;
    desc.source = "__kernel void f(int n, __global float *x) { x[get_global_id(0)] = ADD; }";
    desc.space.params = params;
    desc.space.require = require;
    space = gputune_coarsen_space(&desc);
    CHECK_TEXT(gputune_space_error(space)->text, "");
    CHECK(gputune_space_count(space) > 4);
    for (i = 0; i < gputune_space_count(space); i++) {
        gputune_config config = gputune_space_at(space, i);
        char line[32];
        snprintf(line, sizeof line, "= %d;", (int)gputune_config_int(&config, "ADD"));
        CHECK(gputune_config_int(&config, "FACTOR_X") <= gputune_config_int(&config, "ADD"));
        if (gputune_config_int(&config, "FACTOR_X") > 1)
            CHECK_HAS(gputune_coarsen_text(space, &config), line);
    }
    gputune_space_destroy(space);
}

// Whose configuration it must be; an error of one call is not there after the next that succeeds;
// the text is the space's, and the desc need not live.
// What a parameter chooses is there in the configurations that choose it: a head, a pointer's type,
// local memory, ids. The form is the first that all of them have, else the default's.
static const struct rewrite_choice {
    const char *source;
    bool thread;         // FACTOR_X comes with GROUP_X
    const char *one, *two; // in the text where A is 1 and 2; "!": why there is none
} rewrite_choices[] = {
    { "#pragma gputune set 1,2\n#define A 1\n#if A == 1\n__kernel void f(__global float *x)\n"
      "#else\n__kernel void f(__global float2 *x, int n)\n#endif\n{ x[get_global_id(0)] = A; }",
      true, "f(__global float *x, gputune_grid", "f(__global float2 *x, int n, gputune_grid" },
    { "#pragma gputune set 1,2\n#define A 1\n__kernel void f(\n#if A == 1\n__global float *x\n"
      "#else\n__global float2 *x\n#endif\n, int n) { x[get_global_id(0)] = n; }",
      true, "__global float *x\n", "__global float2 *x\n" },
    { "#pragma gputune set 1,2\n#define A 1\n__kernel void f(__global int *x)\n{\n#if A > 1\n"
      "__local int box[8]; box[0] = 1; x[0] = box[0];\n#endif\nx[1] = A; }",
      false, "x[1] = 1;", "__local int box[8];\nconst" },
    { "#pragma gputune set 1,2\n#define A 1\n#if A > 1\n#define F(x) __local int box[8]; x[A]\n"
      "#else\n#define F(x) x[A]\n#endif\n__kernel void f(__global int *x)\n{ F(x) = 0; }",
      false, "x[1] = 0;", "__local int box[8];\nconst" },
    { "#pragma gputune set 1,2\n#define A 1\n#if A > 1\n#define F(x) { x[get_local_id(0)] = A; }\n"
      "#else\n#define F(x) { x[A] = 0; }\n#endif\n__kernel void f(__global int *x) { F(x) }",
      true, "x[1] = 0;", "!its work-group must be known" },
};

static void rewrite_space_choices(void)
{
    size_t r;
    uint64_t i;
    for (r = 0; r < sizeof rewrite_choices / sizeof *rewrite_choices; r++) {
        const struct rewrite_choice *row = &rewrite_choices[r];
        gputune_coarsen_space_desc desc = rewrite_space_desc(&rewrite_places[0]);
        gputune_space *space;
        char line[200];
        desc.source = row->source;
        desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
        desc.local[0] = r + 1 < sizeof rewrite_choices / sizeof *rewrite_choices ? 10 : 0;
        space = gputune_coarsen_space(&desc);
        CHECK_TEXT(gputune_space_error(space)->text, "");
        CHECK(gputune_space_count(space) > 4);
        for (i = 0; i < gputune_space_count(space); i++) {
            gputune_config config = gputune_space_at(space, i);
            const char *has = gputune_config_int(&config, "A") == 1 ? row->one : row->two, *text;
            CHECK((strstr(gputune_config_text(&config, line, sizeof line), "GROUP_X") != NULL) ==
                  row->thread);
            if (gputune_config_int(&config, "FACTOR_X") == 1) continue;
            text = gputune_coarsen_text(space, &config);
            CHECK((text != NULL) == (*has != '!'));
            CHECK_HAS(text ? text : gputune_space_error(space)->text, has + (*has == '!'));
        }
        gputune_space_destroy(space);
    }
}

static void rewrite_space_calls(void)
{
    char source[400];
    gputune_coarsen_space_desc desc = rewrite_space_desc(&rewrite_places[1]);
    const gputune_param params[] = { { "FACTOR_X", "set 1,2", NULL }, { NULL, NULL, NULL } };
    gputune_space_desc own = { .params = params };
    gputune_space *space, *plain = gputune_space_create(&own);
    gputune_config config, none;
    gputune_geometry geometry;
    const char *text;
    snprintf(source, sizeof source, "%s", rewrite_line);
    desc.source = source;
    space = gputune_coarsen_space(&desc);
    memset(source, 0, sizeof source);
    memset(&desc, 0, sizeof desc);
    memset(&none, 0, sizeof none);
    config = gputune_space_default(plain);
    CHECK(!gputune_coarsen_text(plain, &config));
    CHECK_INT(gputune_space_error(plain)->result, GPUTUNE_ERROR_ARGUMENT);
    CHECK(!gputune_coarsen_geometry(plain, &config, &geometry));
    CHECK(!gputune_coarsen_text(space, &config));
    CHECK_INT(gputune_space_error(space)->result, GPUTUNE_ERROR_ARGUMENT);
    CHECK(!gputune_coarsen_text(space, NULL) && !gputune_coarsen_text(space, &none));
    CHECK(!gputune_coarsen_geometry(space, &none, &geometry));
    config = gputune_space_at(space, gputune_space_count(space) - 1);
    text = gputune_coarsen_text(space, &config);
    CHECK_HAS(text, "void f(int n, __global float *x, gputune_grid");
    CHECK_TEXT(gputune_space_error(space)->text, "");
    gputune_space_destroy(plain);
    gputune_space_destroy(space);
    desc = rewrite_space_desc(&rewrite_places[1]); // a macro of the options counts
    desc.source = "__kernel void f(int n, __global float *x) { x[get_global_id(0)] = n; SYNC; }";
    desc.compiler_options = "-DSYNC=barrier(1)";
    space = gputune_coarsen_space(&desc);
    CHECK_INT(gputune_space_error(space)->result, GPUTUNE_ERROR_UNSUPPORTED);
    CHECK_HAS(gputune_space_error(space)->text, "a barrier");
    gputune_space_destroy(space);
}

// One configuration, always rewritten, that is launched as the kernel would be.
static void rewrite_space_range(void)
{
    gputune_coarsen_space_desc desc = rewrite_space_desc(&rewrite_places[4]);
    gputune_space *space;
    gputune_config config;
    gputune_geometry launch;
    desc.coarsen.form = GPUTUNE_COARSEN_RANGE;
    space = gputune_coarsen_space(&desc);
    CHECK_INT(gputune_space_count(space), 1);
    config = gputune_space_at(space, 0);
    CHECK_HAS(gputune_coarsen_text(space, &config), "gt__range(gt__grid)");
    CHECK(gputune_coarsen_geometry(space, &config, &launch));
    CHECK_INT(launch.global[0], 112);
    CHECK_INT(launch.local[0], 16);
    CHECK_INT(launch.grid.size[0], 112);
    CHECK_INT(launch.grid.end[0], 7);
    CHECK_INT(launch.grid.end[1], 1);
    gputune_space_destroy(space);
}

// Each allocation in turn fails: the error says so, and nothing is left behind.
static void rewrite_space_memory(void)
{
    gputune_coarsen_space_desc desc = rewrite_space_desc(&rewrite_places[5]);
    bool done = false;
    int n;
    desc.space.options.reallocate = rewrite_reallocate;
    for (n = 0; !done && n < 5000; n++) {
        rewrite_memory memory = { 0, 0 };
        gputune_space *space;
        memory.left = n;
        desc.space.options.user = &memory;
        space = gputune_coarsen_space(&desc);
        if (space && gputune_space_error(space)->result == GPUTUNE_OK) {
            gputune_config config = gputune_space_at(space, gputune_space_count(space) - 1);
            done = gputune_coarsen_text(space, &config) != NULL;
            CHECK(done || gputune_space_error(space)->result == GPUTUNE_ERROR_MEMORY);
        } else {
            CHECK(!space || gputune_space_error(space)->result == GPUTUNE_ERROR_MEMORY);
        }
        gputune_space_destroy(space);
        CHECK_INT(memory.live, 0);
    }
    CHECK(done);
    CHECK(n > 50);
}

static const test_case coarsening_cases[] = { { "generated", rewrite_generated },
                                              { "refusals", rewrite_refusals },
                                              { "votes", rewrite_votes },
    { "leaves", rewrite_leaves },
                                              { "errors", rewrite_errors },
                                              { "reads group", rewrite_reads_group },
                                              { "lines", rewrite_lines },
                                              { "includes", rewrite_includes },
                                              { "includes refused", rewrite_includes_refused },
                                              { "out of memory", rewrite_out_of_memory },
                                              { "launches", rewrite_launches },
                                              { "space", rewrite_space },
                                              { "space_refused", rewrite_space_refused },
                                              { "space_joins", rewrite_space_joins },
                                              { "preprocessed", rewrite_preprocessed },
                                              { "preprocessed_refusals",
                                                rewrite_preprocessed_refusals },
                                              { "merged", rewrite_merged },
                                              { "merged_changes", rewrite_merged_changes },
                                              { "merged_names", rewrite_merged_names },
                                              { "merged_memory", rewrite_merged_memory },
                                              { "space_choices", rewrite_space_choices },
                                              { "space_calls", rewrite_space_calls },
                                              { "space_range", rewrite_space_range },
                                              { "space_memory", rewrite_space_memory },
                                              { NULL, NULL } };
