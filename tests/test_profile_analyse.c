// [profiler]: which mode a kernel needs, and the line that says so. Pure text.
#include "test.h"

static gputune_result analyse_text(const char *source, const char *kernel,
                                   gputune_profile_advice *advice, gputune_error *error)
{
    memset(error, 0, sizeof *error);
    return gputune_profile_analyse(source, kernel, NULL, NULL, advice, error);
}

// --- kernels as they are written ---

static const struct analyse_file {
    const char *path, *kernel;
    gputune_profile_mode mode;
    int line;
} analyse_files[] = {
    // A work-item whose segment cannot hold the key ends at once.
    { "bench/kernels/binarySearch.cl", "binarySearch", GPUTUNE_PROFILE_HYBRID, 14 },
    { "bench/kernels/blackscholes.cl", "blackscholes", GPUTUNE_PROFILE_FULLY, 0 },
    // The mask is cut at the image's edges; how much of the image that is cannot be seen.
    { "bench/kernels/convolution.cl", "convolution", GPUTUNE_PROFILE_HYBRID, 17 },
    { "bench/kernels/dwtHaar1D.cl", "dwtHaar1D", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/fastWalshTransform.cl", "fastWalshTransform", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/floydWarshall.cl", "floydWarshall", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/mriQ.cl", "mriQ", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/mt.cl", "mt", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/mtLocal.cl", "mtLocal", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/mvCoal.cl", "mvCoal", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/mvUncoal.cl", "mvUncoal", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/nbody.cl", "nbody", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/reduce.cl", "reduce", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/sgemm.cl", "sgemm", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/sobel.cl", "sobel", GPUTUNE_PROFILE_FULLY, 0 },
    { "bench/kernels/stencil.cl", "stencil", GPUTUNE_PROFILE_FULLY, 0 },
    { "examples/kernels/convolution.cl", "convolution", GPUTUNE_PROFILE_FULLY, 0 },
    { "examples/kernels/heat.cu", "heat", GPUTUNE_PROFILE_FULLY, 0 },
    // A segment's length is worked out from the group's id, for the last one's sake.
    { "examples/kernels/reduction.cl", "reduction", GPUTUNE_PROFILE_HYBRID, 54 },
    { "examples/kernels/saxpy.cl", "saxpy", GPUTUNE_PROFILE_FULLY, 0 },
    { "examples/kernels/sgemm.cl", "sgemm", GPUTUNE_PROFILE_FULLY, 0 },
    { "examples/kernels/spmv.cl", "spmv_scalar", GPUTUNE_PROFILE_HYBRID, 27 },
    { "examples/kernels/spmv.cl", "spmv_vector", GPUTUNE_PROFILE_HYBRID, 27 },
    { "examples/kernels/transpose.cl", "transpose", GPUTUNE_PROFILE_FULLY, 0 },
    { "tests/corpus/histogram.cl", "histogram", GPUTUNE_PROFILE_SWAP, 22 },
    { "tests/corpus/histogram.cl", "histogram_global", GPUTUNE_PROFILE_SWAP, 29 },
    { "tests/corpus/histogram.cu", "compact", GPUTUNE_PROFILE_SWAP, 26 },
    { "tests/corpus/sparse.cl", "csr_scalar", GPUTUNE_PROFILE_HYBRID, 22 },
    { "tests/corpus/bfs.cl", "bfs_frontier", GPUTUNE_PROFILE_HYBRID, 21 },
    { "tests/corpus/grid_stride.cl", "grid_stride", GPUTUNE_PROFILE_FULLY, 0 },
    { "tests/corpus/grid_stride.cu", "grid_stride", GPUTUNE_PROFILE_FULLY, 0 },
    { "tests/corpus/refuse_cooperative.cu", "parent", GPUTUNE_PROFILE_HYBRID, 31 },
    { "tests/corpus/refuse_spin.cl", "flags", GPUTUNE_PROFILE_HYBRID, 36 },
    { "tests/corpus/hidden_return.cl", "hidden", GPUTUNE_PROFILE_HYBRID, 23 }
};

static char *analyse_read(const char *path)
{
    gputune__base b;
    gputune_error error;
    char *text = NULL;
    memset(&b, 0, sizeof b);
    CHECK_OR(!gputune__read_file(&b, path, &text, &error), "%s", error.text);
    return text;
}

static void analyse_of_files(void)
{
    gputune__base b;
    size_t i;
    memset(&b, 0, sizeof b);
    for (i = 0; i < sizeof analyse_files / sizeof *analyse_files; i++) {
        const struct analyse_file *e = &analyse_files[i];
        gputune_profile_advice advice;
        gputune_error error;
        char *text = analyse_read(e->path);
        if (!text) continue;
        if (analyse_text(text, e->kernel, &advice, &error))
            TEST_FAIL("%s: %s", e->path, error.text);
        else
            CHECK_OR(advice.mode == e->mode && advice.line == e->line, "%s, %s: %s, %s", e->path,
                     e->kernel, gputune_profile_mode_name(advice.mode), advice.why);
        gputune__arr_free(&b, text);
    }
}

// --- verdicts ---

#define FULLY GPUTUNE_PROFILE_FULLY
#define HYBRID GPUTUNE_PROFILE_HYBRID
#define SWAP GPUTUNE_PROFILE_SWAP
#define CL "__kernel void f(__global int *x, __global const int *p, int n)\n"
#define CU "__global__ void f(int *x, const int *p, int n)\n"
#define GID "int i = get_global_id(0);\n"

static const struct analyse_case {
    const char *source;
    gputune_profile_mode mode;
    int line;
    const char *why;
} analyse_cases[] = {
    // Uniform.
    { CL "{ for (int k = 0; k < n; k++) x[k] = 1; }", FULLY, 0, "no global atomics" },
    { CL "{ " GID "if (i >= n) return;\nfor (int k = 0; k < n; k++) x[i] += p[k]; }", FULLY, 0,
      "" },
    { CL "{ " GID "if (i < n) {\nfor (int k = 0; k < n; k++) x[i] += p[k]; } }", FULLY, 0, "" },
    { CL "{ for (int s = get_local_size(0) / 2; s > 0; s >>= 1)\n"
         "if (get_local_id(0) < s) x[0]++; }",
      FULLY, 0, "" },
    { CL "{ for (int i = get_global_id(0); i < n; i += get_global_size(0)) x[i] = 1; }", FULLY, 0,
      "" },
    { CL "{ for (int i = get_local_id(0); i < n; i += get_local_size(0)) x[i] = 1; }", FULLY, 0,
      "" },
    { CL "{ int i = get_group_id(0);\nwhile (i < n) { x[i] = 1; i += get_num_groups(0); } }", FULLY,
      0, "" },
    { CU "{ int stride = blockDim.x * gridDim.x;\n"
         "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i = i + stride) x[i] = 1; }",
      FULLY, 0, "" },
    { CL "{ " GID "if (p[i] > 3) x[i] = 1; else x[i] = 2; }", FULLY, 0, "" },
    { CL "{ int lo = 0, step = n / 2;\nwhile (step > 0) { if (p[lo + step] < 7) lo += step;\n"
         "step /= 2; } x[0] = lo; }",
      FULLY, 0, "" },
    { "typedef struct { int n; } s;\n__kernel void f(__global int *x, s q)\n"
      "{ for (int k = 0; k < q.n; k++) x[k] = 1; }",
      FULLY, 0, "" },
    { "enum { steps = 4 };\n__constant int width = 3;\n" CL
      "{ for (int k = 0; k < steps * width; k++) x[k] = 1; }",
      FULLY, 0, "" },
    { "template <int N> __global__ void f(float *x)\n{ for (int k = 0; k < N; k++) x[k] = N; }",
      FULLY, 0, "" },
    { CL "{ do { if (n) break;\nx[0] = 1; } while (0); }", FULLY, 0, "" },
    { CL "{ // for (k = 0; k < p[0]; k++) atomic_add(x, 1)\n/* while (p[0]) atomic_add(x, 1); */\n"
         "printf(\"while (p[0]) atomic_add(x)\"); }",
      FULLY, 0, "" },
    { CL "{\n#if 0\natomic_add(x, 1);\n#endif\nx[0] = 1; }", FULLY, 0, "" },
    { CL "{ int k = p[0];\n{ int k = 0; for (; k < n; k++) x[k] = 1; } }", FULLY, 0, "" },
    { CL "{ " GID "switch (n) { case 1: x[i] = 1; break; default: x[i] = 2; } }", FULLY, 0, "" },
    // From a start that depends on ids, as far as everywhere.
    { CL "{ int row = get_global_id(0), first = row * n;\n"
         "for (int k = first; k < (row + 1) * n; k++) x[k] = 1; }",
      FULLY, 0, "" },
    { CU "{ int begin = n * 16 * blockIdx.y, end = begin + n - 1;\n"
         "for (int a = begin, b = 0; a <= end; a += 16, b += 2) x[a] = b; }",
      FULLY, 0, "" },
    { CL "{ " GID "int s = p[i];\nfor (int k = s; k != s + 4; k++) x[k] = 1; }", FULLY, 0, "" },
    { CL "{ " GID "for (int k = i * n; k < i * 2 * n; k++)\nx[k] = 1; }", HYBRID, 3, "ids" },
    { CL "{ " GID "int s = p[i];\nfor (int k = s; k < p[i + 1]; k++) x[k] = 1; }", HYBRID, 4,
      "data" },
    { CL "{ " GID "int e = i + 4;\nif (n) e = p[i];\nfor (int k = i; k < e; k++) x[k] = 1; }",
      HYBRID, 5, "" },
    { CL "{ " GID "for (int k = i; k < i + n; k += p[k])\nx[k] = 1; }", HYBRID, 3, "data" },
    { CL "{ for (int k = get_global_id(0); k < get_global_id(1) + n; k++)\nx[k] = 1; }", HYBRID, 2,
      "ids" },
    { "__device__ void g(int &e, int m) { e += m; }\n" CU
      "{ int i = blockIdx.x, e = i + 4; g(e, p[i]);\nfor (int k = i; k < e; k++) x[k] = 1; }",
      HYBRID, 4, "data" },
    // Loops by data and ids.
    { CL "{ " GID "for (int k = 0; k < p[i]; k++)\nx[i]++; }", HYBRID, 3, "steps depend on data" },
    { CL "{ " GID "int end = p[i];\nint e2 = end + 1;\nwhile (n < e2) n++; }", HYBRID, 5, "data" },
    { CL "{ " GID "int end = 4;\nif (p[i]) end = 9;\nfor (int k = 0; k < end; k++) x[k]++; }",
      HYBRID, 5, "data" },
    { CL "{ " GID "for (int k = 0; k < i; k++)\nx[i]++; }", HYBRID, 3, "steps depend on ids" },
    { CL "{ " GID "for (int k = i; k < n; k++)\nx[i]++; }", HYBRID, 3, "ids" },
    { CL "{ for (int k = 0; k < get_local_id(0); k++)\nx[k]++; }", HYBRID, 2, "ids" },
    { CL "{ int k = 0;\ndo { k++; }\nwhile (x[k]); }", HYBRID, 3, "data" },
    { CL "{ for (int k = 0; k < n; k += p[k])\nx[k]++; }", HYBRID, 2, "data" },
    { CL "{ for (;;) {\nif (p[n++] == 3)\nbreak; } }", HYBRID, 4, "exit that depends on data" },
    { CL "{ for (int k = 0; k < n; k++) {\nif (k > get_global_id(0)) return;\nx[k]++; } }", HYBRID,
      3, "exit that depends on ids" },
    { CL "{ " GID "if (p[i] == 0) return;\nx[i] = 1; }", HYBRID, 3, "return that depends on data" },
    { CL "{ " GID "if (i % 2) return;\nx[i] = 1; }", HYBRID, 3, "return that depends on ids" },
    { CL "{ " GID "if (p[i])\nfor (int k = 0; k < n; k++) x[k]++; }", HYBRID, 4,
      "under a condition that depends on data" },
    { CL "{ for (int j = 0; j < n; j++) {\nif (p[j]) continue;\n"
         "for (int k = 0; k < n; k++) x[k]++; } }",
      HYBRID, 4, "data" },
    { CL "{ int k = 0;\nagain: k++;\nif (p[k]) goto again; }", HYBRID, 4, "goto" },
    { "typedef struct { int n; } s;\n__kernel void f(__global int *x, __global s *q)\n"
      "{ for (int k = 0; k < q->n; k++) x[k] = 1; }",
      HYBRID, 3, "data" },
    { CL "{ __local int m;\nif (!get_local_id(0)) m = p[0];\nwhile (n < m) n++; }", HYBRID, 4,
      "data" },
    { CU "{ int k;\nasm(\"ld.global.u32 %0, [%1];\" : \"=r\"(k) : \"l\"(p));\n"
         "while (n < k) n++; }",
      HYBRID, 4, "data" },
    { CL "{ int m[2] = { 1, 2 }, *q = m;\nq[0] = p[0];\nfor (int k = 0; k < m[0]; k++) x[k]++; }",
      HYBRID, 4, "data" },
    { CL "{ int m[2] = { 1, 2 };\nfor (int k = 0; k < m[0]; k++) x[k]++; }", FULLY, 0, "" },
    // Functions and macros.
    { "int g(int m) {\nint s = 0; for (int k = 0; k < m; k++) s += k; return s; }\n"
      "int h(int m) { return g(m + 1); }\n" CL "{ x[0] = h(h(p[0])); }",
      HYBRID, 2, "data" },
    { "int g(int m) {\nint s = 0; for (int k = 0; k < m; k++) s += k; return s; }\n"
      "int h(int m) { return g(m + 1); }\n" CL "{ x[0] = h(h(n)); }",
      FULLY, 0, "" },
    { "int g(__global const int *q) { return q[0]; }\n" CL
      "{ int m = g(p);\nfor (int k = 0; k < m; k++) x[k]++; }",
      HYBRID, 4, "data" },
    { "int g(int m) { return m > 1 ? m * g(m - 1) : 1; }\n" CL "{ x[0] = g(n); }", HYBRID, 1,
      "again from within" },
    { "void g(int *m, __global const int *p) { *m = p[0]; }\n" CL
      "{ int m = 1; g(&m, p);\nfor (int k = 0; k < m; k++) x[k]++; }",
      HYBRID, 4, "data" },
    { "void g(__global int *x, int n) { for (int k = 0; k < n; k++) x[k]++; }\n" CL
      "{ " GID "if (p[i]) g(x, n); }",
      HYBRID, 1, "under a condition" },
    { CL "{ elsewhere(x); }", HYBRID, 2, "elsewhere, a function that is not known" },
    { CL "{ enqueue_kernel(0); }", HYBRID, 2, "enqueue_kernel" },
    { "__global__ void g(int *x) { }\n" CU "{\ng<<<1, 2>>>(x); }", HYBRID, 4, "launches" },
    { "#define EACH(k, n) for (int k = 0; k < (n); k++)\n" CL
      "{\nEACH(j, n) EACH(k, p[j]) x[k]++; }",
      HYBRID, 4, "data" },
    { "#define EACH(k, n) for (int k = 0; k < (n); k++)\n" CL "{\nEACH(j, n) EACH(k, n) x[k]++; }",
      FULLY, 0, "" },
    { "#define MAX(a, b) ((a) > (b) ? (a) : (b))\n" CL
      "{ for (int k = 0; k < MAX(n, MAX(2, 3)); k++) x[k]++; }",
      FULLY, 0, "" },
    { "#define FIRST p[0]\n" CL "{\nwhile (n < FIRST) n++; }", HYBRID, 4, "data" },
    { "#ifdef A\n#define END n\n#else\n#define END p[0]\n#endif\n" CL "{\nwhile (n < END) n++; }",
      HYBRID, 8, "data" },
    { CL "{\n#ifdef A\nfor (int k = 0; k < n; k++) {\n#else\nfor (int k = 0; k < p[0]; k++) {\n"
         "#endif\nx[k]++; } }",
      HYBRID, 6, "data" },
    { CL "{\n#ifdef A\nint end = p[0];\n#else\nint end = n;\n#endif\nwhile (n < end) n++; }",
      HYBRID, 8, "data" },
    { "template <class T> __device__ T g(T m) { T s = 0; while (s < m) s++; return s; }\n" CU
      "{ x[0] = g<int>(p[0]); }",
      HYBRID, 1, "data" },
    // Atomics.
    { CL "{\natomic_add(&x[p[0]], 1); }", SWAP, 3, "line 3: atomic_add on global memory" },
    { CL "{\natom_inc(x + 3); }", SWAP, 3, "atom_inc" },
    { CL "{ atomic_fetch_add_explicit((volatile __global atomic_int *)x, 1, 0, 1); }", SWAP, 2,
      "" },
    { CL "{ while (n < p[0]) n++;\natomic_max(x, 1); }", SWAP, 3, "atomic_max" },
    { CL "{ __local int h[4];\natomic_add(&h[p[0]], 1); x[0] = h[0]; }", FULLY, 0, "" },
    { CL "{ __local int h[4];\natomic_add(&h[0], 1);\natomic_add(&x[h[0]], 1); }", SWAP, 4, "" },
    { "__kernel void f(__local int *h, __global int *x)\n{ __local int *q = h + 2;\n"
      "atomic_inc(q); x[0] = *q; }",
      FULLY, 0, "" },
    { "void g(volatile __local int *q) { atomic_add(q, 1); }\n" CL
      "{ __local int h[4]; g(h + 1); }",
      FULLY, 0, "" },
    { "__device__ void g(int *q) { atomicAdd(q, 1); }\n" CU "{ __shared__ int h[4]; g(&h[1]); }",
      FULLY, 0, "" },
    { "__device__ void g(int *q) { atomicAdd(q, 1); }\n" CU
      "{ __shared__ int h[4]; g(&h[1]); g(x); }",
      SWAP, 1, "atomicAdd" },
    { CU "{ __shared__ int *q;\nq = x; atomicAdd(q, 1); }", SWAP, 3, "atomicAdd" },
    { CU "{ __shared__ struct { int n; int *q; } s;\natomicAdd(&s.n, 1);\natomicAdd(s.q, 1); }",
      SWAP, 4, "atomicAdd" },
    { "__device__ int total;\n" CU "{\natomicAdd(&total, 1); }", SWAP, 4, "atomicAdd" },
    { "extern __shared__ int h[];\n" CU "{\natomicAdd(h + n, 1); }", FULLY, 0, "" },
    { "#define COUNT(q) atomicAdd(q, 1)\n" CU "{\nCOUNT(x); }", SWAP, 4, "atomicAdd" },
    { "#define OP(name) atomic_##name\n" CL "{\nOP(add)(x, 1); }", SWAP, 4, "atomic_add" },
    { "#define LOCK while (atomic_xchg(x, 1));\n" CL "{\nLOCK }", SWAP, 4, "atomic_xchg" },
    { CU "{ asm volatile(\"red.global.add.u32 [%0], 1;\" :: \"l\"(x)); }", SWAP, 2, "instruction" },
    { CU "{ asm volatile(\"ld.shared.u32 %0, [%1];\" : \"=r\"(n) : \"r\"(n)); }", FULLY, 0, "" },
    { "#include <cuda/atomic>\n" CU "{ cuda::atomic_ref<int> r(x[0]);\nr.fetch_add(1); }", SWAP, 4,
      "fetch_add" },
    { "struct s { int *q;\n__device__ void add() { atomicAdd(q, 1); } };\n" CU
      "{ s y; y.q = x; y.add(); }",
      SWAP, 2, "atomicAdd" },
    { "__device__ void atomic_add(int *x) { x[0]++; }\n" CU "{ atomic_add(x); }", FULLY, 0, "" },
    { CL "{\n#ifdef A\nx[0]++;\n#else\natomic_inc(x);\n#endif\n}", SWAP, 6, "atomic_inc" }
};

static void analyse_verdicts(void)
{
    size_t i;
    for (i = 0; i < sizeof analyse_cases / sizeof *analyse_cases; i++) {
        const struct analyse_case *e = &analyse_cases[i];
        gputune_profile_advice advice;
        gputune_error error;
        if (analyse_text(e->source, "f", &advice, &error))
            TEST_FAIL("%s\n    %s", e->source, error.text);
        else
            CHECK_OR(advice.mode == e->mode && advice.line == e->line && strstr(advice.why, e->why),
                     "%s\n    %s, %s", e->source, gputune_profile_mode_name(advice.mode),
                     advice.why);
    }
}

static void analyse_errors(void)
{
    gputune_profile_advice advice;
    gputune_error error;
    CHECK_INT(analyse_text("__kernel void g(int n) { }", "f", &advice, &error),
              GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(error.text, "f");
    CHECK(analyse_text("__kernel void f(int n) { ", "f", &advice, &error) != GPUTUNE_OK);
    CHECK_INT(gputune_profile_analyse("__kernel void g(int n) { }", "f", NULL, NULL, &advice, NULL),
              GPUTUNE_ERROR_SYMBOL);
    CHECK_INT(gputune_profile_analyse("__kernel void f(__global int *x) { DO; }", "f",
                                      "-DDO=atomic_inc(x)", NULL, &advice, &error),
              GPUTUNE_OK);
    CHECK_INT(advice.mode, GPUTUNE_PROFILE_SWAP);
    CHECK_INT(advice.line, 1);
}

// --- sources that are none ---

static void analyse_damaged(const char *text, const char *kernel)
{
    gputune_profile_advice advice;
    gputune_error error;
    gputune_result result = analyse_text(text, kernel, &advice, &error);
    // Whatever is read of it, the answer is complete.
    if (result)
        CHECK(error.text[0] != 0);
    else
        CHECK(advice.why[0] != 0 && advice.mode != GPUTUNE_PROFILE_AUTO &&
              (advice.mode == GPUTUNE_PROFILE_FULLY) == (advice.line == 0));
}

static void analyse_robust(void)
{
    static const char *const files[][2] = { { "examples/kernels/spmv.cl", "spmv_vector" },
                                            { "examples/kernels/heat.cu", "heat" },
                                            { "tests/corpus/histogram.cu", "histogram" },
                                            { "tests/corpus/hostile_lambda.cu", "id_lambda" } };
    gputune__base b;
    uint64_t random = 12345;
    size_t i, k, length;
    int round;
    memset(&b, 0, sizeof b);
    for (i = 0; i < sizeof files / sizeof *files; i++) {
        char *text = analyse_read(files[i][0]), *copy;
        if (!text) continue;
        length = strlen(text);
        copy = (char *)malloc(length + 1);
        for (k = 0; k < length && copy; k++) { // every prefix
            memcpy(copy, text, k);
            copy[k] = 0;
            analyse_damaged(copy, files[i][1]);
        }
        for (round = 0; round < 300 && copy; round++) { // some characters less
            size_t to = 0;
            for (k = 0; k < length; k++) {
                random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
                if ((random >> 33) % 150) copy[to++] = text[k];
            }
            copy[to] = 0;
            analyse_damaged(copy, files[i][1]);
        }
        free(copy);
        gputune__arr_free(&b, text);
    }
    for (i = 0; i < sizeof analyse_cases / sizeof *analyse_cases; i++) {
        char text[600];
        snprintf(text, sizeof text, "%s", analyse_cases[i].source);
        for (k = strlen(text); k > 0; k--) { // every prefix, and every one with an end
            text[k - 1] = '}';
            text[k] = 0;
            analyse_damaged(text, "f");
            text[k - 1] = 0;
            analyse_damaged(text, "f");
        }
    }
}

typedef struct analyse_memory {
    int left, live;
} analyse_memory;

static void *analyse_reallocate(void *user, void *memory, size_t bytes)
{
    analyse_memory *m = (analyse_memory *)user;
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

static void analyse_out_of_memory(void)
{
    static const char source[] =
        "#define ADD(op, q) atomic_##op(q, 1)\n#define TWICE(x) do { x; x; } while (0)\n"
        "struct s { int n; };\n"
        "int g(int m) {\nfor (int k = 0; k < m; k++) if (k > 3) break; return m; }\n" CL
        "{\n#ifdef A\nfor (;;) {\n#else\n{\n#endif\n__local int h[4]; g(n); g(p[0]); "
        "TWICE(ADD(add, h)); } }";
    gputune_result result = GPUTUNE_ERROR_MEMORY;
    int n;
    for (n = 0; result != GPUTUNE_OK && n < 5000; n++) {
        analyse_memory memory = { 0, 0 };
        gputune_profile_advice advice;
        gputune_options options;
        memory.left = n;
        memset(&options, 0, sizeof options);
        options.allocator.reallocate = analyse_reallocate;
        options.allocator.user = &memory;
        result = gputune_profile_analyse(source, "f", "-DX=1", &options, &advice, NULL);
        if (result != GPUTUNE_OK) CHECK_INT(result, GPUTUNE_ERROR_MEMORY);
        if (result == GPUTUNE_OK) CHECK_INT(advice.line, 5);
        CHECK_INT(memory.live, 0);
    }
    CHECK_INT(result, GPUTUNE_OK);
    CHECK(n > 50);
}

#undef FULLY
#undef HYBRID
#undef SWAP
#undef CL
#undef CU
#undef GID

static const test_case profile_analyse_cases[] = { { "files", analyse_of_files },
                                                   { "verdicts", analyse_verdicts },
                                                   { "errors", analyse_errors },
                                                   { "robust", analyse_robust },
                                                   { "out of memory", analyse_out_of_memory },
                                                   { NULL, NULL } };
