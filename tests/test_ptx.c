// bench/ptx.h: instructions of small texts, counted by hand; texts that end anywhere.
#include "test.h"

#include "../bench/ptx.h"

// Two loops, one in the other, as nvcc writes them; what looks like instructions in comments,
// strings and directives; a name that begins like another's.
static const char ptx_product[] =
    "// bra nowhere; .entry mm( {\n"
    ".version 9.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry mm2(.param .u64 mm2_0)\n{\n"
    "    ret;\n"
    "}\n"
    "/* .entry mm { add.f32 %f1, %f1, %f1; } */\n"
    ".visible .entry mm(\n    .param .u64 mm_0,\n    .param .u32 mm_1\n)\n"
    ".maxntid 256, 1, 1\n{\n"
    "    .reg .pred %p<4>;\n    .reg .f32 %f<23>;\n"
    "    .shared .align 4 .b8 tile[1024];\n"
    "    .loc 1 12 5\n"
    "    ld.param.u64 %rd1, [mm_0]; ld.param.u32 %r1, [mm_1];\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    setp.lt.s32 %p1, %r1, 1;\n"
    "    @%p1 bra $L__BB0_5;\n"
    "\n"
    "$L__BB0_2: // of tiles\n"
    "    mul.wide.s32 %rd6, %r35, 4;\n"
    "    ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd6+16];\n"
    "    st.shared.v2.f32 [%r6], {%f1, %f2};\n"
    "    bar.sync 0;\n"
    "$L__BB0_3:\n"
    "    .pragma \"nounroll; add.f32\";\n"
    "    ld.shared.f32 %f9, [%r41+-128];\n"
    "    ld.shared::cta.f32 %f10, [%r40+-8];\n"
    "    fma.rn.f32 %f21, %f10, %f9, %f21; /* ; } */ fma.rn.f32 %f20, %f10, %f9, %f20;\n"
    "    add.s32 %r41, %r41, 256;\n"
    "    setp.ne.s32 %p2, %r42, 1152;\n"
    "    @%p2 bra $L__BB0_3;\n"
    "\n"
    "    barrier.sync 0;\n"
    "    @!%p3 bra.uni $L__BB0_2;\n"
    "$L__BB0_5:\n"
    "    { // a scope of its own, as inline assembly has it\n"
    "        .reg .b32 temp;\n"
    "        add.f32 %f1, %f1, %f2;\n"
    "    }\n"
    "    st.global.f32 [%rd12], %f21;\n"
    "    st.f64 [%rd13], %fd1;\n"
    "    ret;\n"
    "}\n"
    ".entry after() { mul.f32 %f1, %f1, %f1; }\n";

static void test_ptx_loops(void)
{
    // fma add mul fp64 integer special, loads stores of global and shared, atomic branch barrier
    static const double expected[3][PTX_CLASSES] = {
        { 0, 1, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 4 },
        { 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 0, 1, 2, 0, 0, 0 },
        { 2, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0 },
    };
    static const double trips[2] = { 10, 4 }, never[2] = { 0, 4 };
    ptx_kernel k = ptx_read(ptx_product, "mm");
    ptx_work w;
    CHECK(!k.missing);
    CHECK_INT(k.loops, 3);
    CHECK_INT(k.loop[1].parent, 0);
    CHECK_INT(k.loop[2].parent, 1);
    CHECK_INT(k.calls, 0);
    for (int l = 0; l < 3; l++)
        for (int c = 0; c < PTX_CLASSES; c++)
            CHECK_OR(k.loop[l].work.count[c] == expected[l][c], "loop %d, class %d: %g", l, c,
                     k.loop[l].work.count[c]);
    w = ptx_count(&k, trips);
    CHECK(!w.missing);
    for (int c = 0; c < PTX_CLASSES; c++)
        CHECK_NEAR(w.count[c], expected[0][c] + 10 * expected[1][c] + 40 * expected[2][c], 0);
    CHECK_NEAR(w.load_bytes, 10 * 16, 0);
    CHECK_NEAR(w.store_bytes, 4 + 8, 0);
    CHECK_NEAR(w.shared_load_bytes, 40 * 8, 0);
    CHECK_NEAR(w.shared_store_bytes, 10 * 8, 0);
    w = ptx_count(&k, never);
    CHECK_NEAR(w.count[PTX_FMA], 0, 0);
    CHECK_NEAR(w.count[PTX_ADD], 1, 0);
}

static void test_ptx_names(void)
{
    ptx_kernel k = ptx_read(ptx_product, NULL); // the first, which has no loop: no trips are read
    CHECK(!k.missing);
    CHECK_INT(k.loops, 1);
    CHECK_NEAR(ptx_count(&k, NULL).count[PTX_OTHER], 1, 0);
    k = ptx_read(ptx_product, "after");
    CHECK(!k.missing);
    CHECK_NEAR(ptx_count(&k, NULL).count[PTX_MUL], 1, 0);
    CHECK_TEXT(ptx_read(ptx_product, "m").missing, "kernel");
    CHECK_TEXT(ptx_read(ptx_product, "mm3").missing, "kernel");
    CHECK_TEXT(ptx_read("", NULL).missing, "kernel");
    CHECK_TEXT(ptx_read(".entry k()", NULL).missing, "kernel");
    CHECK_TEXT(ptx_read(NULL, NULL).missing, "text");
    k = ptx_read("no text of this kind {", NULL);
    CHECK_TEXT(ptx_count(&k, NULL).missing, "kernel");
}

static void test_ptx_classes(void)
{
    static const struct {
        const char *op;
        ptx_class what;
    } rows[] = {
        { "fma.rn.f32", PTX_FMA },
        { "mad.f32", PTX_FMA },
        { "fma.rn.f16x2", PTX_FMA },
        { "sub.ftz.f32", PTX_ADD },
        { "mul.f32", PTX_MUL },
        { "mul.lo.s32", PTX_INTEGER },
        { "mul.wide.u32", PTX_INTEGER },
        { "mad.lo.s32", PTX_INTEGER },
        { "add.s64", PTX_INTEGER },
        { "and.b32", PTX_INTEGER },
        { "lop3.b32", PTX_INTEGER },
        { "shl.b32", PTX_INTEGER },
        { "setp.lt.f32", PTX_INTEGER },
        { "max.f32", PTX_INTEGER },
        { "selp.f32", PTX_INTEGER },
        { "div.s32", PTX_INTEGER },
        { "setp.lt.f64", PTX_FP64 },
        { "fma.rn.f64", PTX_FP64 },
        { "sqrt.rn.f64", PTX_FP64 },
        { "sqrt.approx.ftz.f32", PTX_SPECIAL },
        { "div.rn.f32", PTX_SPECIAL },
        { "sin.approx.f32", PTX_SPECIAL },
        { "ex2.approx.ftz.f32", PTX_SPECIAL },
        { "tanh.approx.f16", PTX_SPECIAL },
        { "ld.global.cg.v2.f64", PTX_GLOBAL_LOAD },
        { "ld.volatile.f32", PTX_GLOBAL_LOAD },
        { "ld.volatile.shared.f32", PTX_SHARED_LOAD },
        { "ld.param.u64", PTX_OTHER },
        { "ld.const.f32", PTX_OTHER },
        { "ld.local.f32", PTX_OTHER },
        { "st.local.f32", PTX_OTHER },
        { "st.release.gpu.global.u32", PTX_GLOBAL_STORE },
        { "st.shared::cluster.u32", PTX_SHARED_STORE },
        { "atom.global.add.f32", PTX_ATOMIC },
        { "red.global.add.u32", PTX_ATOMIC },
        { "redux.sync.add.s32", PTX_OTHER },
        { "atom.shared.add.u32", PTX_ATOMIC },
        { "bar.sync", PTX_BARRIER },
        { "barrier.cluster.arrive", PTX_BARRIER },
        { "bar.warp.sync", PTX_OTHER },
        { "membar.gl", PTX_OTHER },
        { "brx.idx", PTX_BRANCH },
        { "call.uni", PTX_BRANCH },
        { "cp.async.cg.shared.global", PTX_ASYNC },
        { "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", PTX_TENSOR },
        { "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", PTX_TENSOR },
        { "mov.f32", PTX_OTHER },
        { "cvt.rn.f32.s32", PTX_OTHER },
        { "shfl.sync.bfly.b32", PTX_OTHER },
        { "ret", PTX_OTHER },
        { "", PTX_OTHER },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *op = rows[i].op;
        const ptx_class what = ptx_class_of(op, (int)strlen(op));
        CHECK_OR(what == rows[i].what, "%s is of class %d", op, (int)what);
    }
    CHECK_NEAR(ptx_bytes("ld.global.v4.f32", 16), 16, 0);
    CHECK_NEAR(ptx_bytes("ld.global.v2.u8", 15), 2, 0);
    CHECK_NEAR(ptx_bytes("st.f64", 6), 8, 0);
    CHECK_NEAR(ptx_bytes("ld.global.b128", 14), 16, 0);
}

static void test_ptx_calls(void)
{
    ptx_kernel k = ptx_read(".entry k()\n{\n{ // callseq 0, 0\n.param .b64 param0;\n"
                            "st.param.b64 [param0+0], %fd1;\n"
                            "call.uni (retval0),\nslow,\n(param0);\n}\nret;\n}\n",
                            "k");
    CHECK(!k.missing);
    CHECK_INT(k.calls, 1);
    CHECK_NEAR(ptx_count(&k, NULL).count[PTX_BRANCH], 1, 0);
    CHECK_NEAR(ptx_count(&k, NULL).count[PTX_OTHER], 2, 0);
}

// Loops that share a label, and one behind the other.
static void test_ptx_shared_labels(void)
{
    static const double trips[3] = { 2, 3, 5 };
    ptx_kernel k = ptx_read(".entry k() { A: add.f32 a, a, a; @p bra A; B: mul.f32 a, a, a; bra C;"
                            "C: sub.f32 a, a, a; @q bra B; @p bra A; fma.rn.f32 a, a, a; ret; }",
                            "k");
    ptx_work w = ptx_count(&k, trips);
    CHECK(!k.missing);
    CHECK_INT(k.loops, 3); // A: to its last branch; B in it; C, which is not branched back to
    CHECK_INT(k.loop[2].parent, 1);
    CHECK_NEAR(w.count[PTX_ADD], 2 + 2 * 3, 0);
    CHECK_NEAR(w.count[PTX_MUL], 2 * 3, 0);
    CHECK_NEAR(w.count[PTX_FMA], 1, 0);
}

// Every beginning of the text, and of every character one less: no crash, and never a kernel where
// the body does not end.
static void test_ptx_truncated(void)
{
    const size_t length = strlen(ptx_product);
    const size_t whole = (size_t)(strstr(ptx_product, ".entry after") - ptx_product);
    const double trips[PTX_LOOPS] = { 1, 1, 1 };
    for (size_t n = 0; n < length; n++) {
        char *text = (char *)malloc(n + 1);
        ptx_kernel k;
        memcpy(text, ptx_product, n);
        text[n] = '\0';
        k = ptx_read(text, "mm");
        CHECK_OR((k.missing == NULL) == (n >= whole - 1), "%d of %d: %s", (int)n, (int)length,
                 k.missing ? k.missing : "a kernel");
        free(text);
    }
    for (size_t n = 0; n < length; n++) {
        char *text = (char *)malloc(length);
        ptx_kernel k;
        ptx_work w;
        memcpy(text, ptx_product, n);
        memcpy(text + n, ptx_product + n + 1, length - n);
        k = ptx_read(text, "mm");
        w = ptx_count(&k, trips);
        for (int c = 0; c < PTX_CLASSES; c++) CHECK(w.count[c] >= 0);
        free(text);
    }
}

static void test_ptx_limits(void)
{
    const double bad[3] = { -1, NAN, INFINITY };
    double trips[2] = { 1, 1 };
    ptx_kernel k = ptx_read(ptx_product, "mm");
    char text[4000] = ".entry k() {";
    for (int i = 0; i < 3; i++) {
        trips[1] = bad[i];
        CHECK_TEXT(ptx_count(&k, trips).missing, "trips");
    }
    for (int i = 0; i < PTX_LOOPS; i++)
        snprintf(text + strlen(text), 60, "L%d: add.f32 a, b, c; bra L%d;\n", i, i);
    strcat(text, "}");
    CHECK_TEXT(ptx_read(text, "k").missing, "loops");
    *strstr(text, "L0:") = 'l'; // one less
    k = ptx_read(text, "k");
    CHECK(!k.missing);
    CHECK_INT(k.loops, PTX_LOOPS);
}

// A product in tiles as compilers make it: copies in a loop within a loop and in a loop of its own,
// the product's loop unrolled by 4, and one that does the rest.
static const char ptx_tiles[] =
    ".entry k() {\n"
    "add.s32 a, a, 1;\n"
    "T: add.s32 a, a, 1;\n"
    "R: add.s32 a, a, 1; add.s32 a, a, 1;\n"
    "C: ld.global.f32 f, [a]; st.shared.f32 [b], f; @p bra C;\n"
    "@p bra R;\n"
    "D: ld.global.f32 f, [a]; ld.global.f32 f, [a]; st.shared.f32 [b], f; st.shared.f32 [b], f;\n"
    "@p bra D;\n"
    "bar.sync 0;\n"
    "P: fma.rn.f32 f, f, f, f; fma.rn.f32 f, f, f, f; fma.rn.f32 f, f, f, f;\n"
    "fma.rn.f32 f, f, f, f; ld.shared.f32 f, [b]; @p bra P;\n"
    "Q: fma.rn.f32 f, f, f, f; ld.global.f32 f, [a]; @p bra Q;\n"
    "W: mul.f32 f, f, f; @p bra W;\n"
    "@p bra T;\n"
    "st.global.f32 [a], f;\n"
    "}\n";

static void test_ptx_fit(void)
{
    // 320 products in 10 tiles; a tile is copied by 6 loads, in 2 rows where there are rows
    const ptx_known known = { PTX_FMA, 320, 10, 60, 20 }, twice = { PTX_FMA, 960, 10, 60, 20 };
    const ptx_known roots = { PTX_SPECIAL, 1, 0, 0, 0 }, none = { PTX_SPECIAL, 0, 10, 60, 20 };
    const ptx_known straight = { PTX_GLOBAL_STORE, 1, 0, 0, 0 }, few = { PTX_FMA, 1, 10, 0, 0 };
    const ptx_kernel k = ptx_read(ptx_tiles, "k");
    ptx_work w = ptx_fit(&k, &known);
    double times[PTX_LOOPS] = { 1, 10, 20, 20, 20, 80 };
    CHECK(!w.missing);
    CHECK_INT(k.loops, 8);
    CHECK_NEAR(w.count[PTX_FMA], 320, 0);
    CHECK_NEAR(w.count[PTX_SHARED_LOAD], 80, 0);
    CHECK_NEAR(w.count[PTX_GLOBAL_LOAD], 60, 0);
    CHECK_NEAR(w.count[PTX_SHARED_STORE], 60, 0);
    CHECK_NEAR(w.count[PTX_INTEGER], 1 + 10 + 2 * 20, 0);
    CHECK_NEAR(w.count[PTX_BARRIER], 10, 0);
    CHECK_NEAR(w.count[PTX_MUL], 0, 0); // nobody knows of it
    CHECK_NEAR(w.count[PTX_GLOBAL_STORE], 1, 0);
    CHECK_NEAR(w.count[PTX_BRANCH], 10 + 20 + 20 + 20 + 80, 0);
    CHECK_NEAR(w.load_bytes, 240, 0);
    w = ptx_sum(&k, times);
    CHECK(!w.missing);
    CHECK_NEAR(w.count[PTX_FMA], 320, 0);
    CHECK_NEAR(w.count[PTX_GLOBAL_LOAD], 60, 0);
    CHECK_NEAR(w.shared_store_bytes, 240, 0);
    times[3] = NAN;
    CHECK_TEXT(ptx_sum(&k, times).missing, "trips");
    CHECK(!ptx_fit(&k, &twice).missing);
    CHECK_NEAR(ptx_fit(&k, &twice).count[PTX_SHARED_LOAD], 240, 0);
    CHECK(!ptx_fit(&k, &few).missing);
    CHECK_NEAR(ptx_fit(&k, &few).count[PTX_GLOBAL_LOAD], 0, 0);
    CHECK_TEXT(ptx_fit(&k, &roots).missing, "anchor");
    CHECK(!ptx_fit(&k, &straight).missing); // outside of loops: the copies are not known, nor run
    CHECK_NEAR(ptx_fit(&k, &straight).count[PTX_GLOBAL_STORE], 1, 0);
    w = ptx_fit(&k, &none); // only copies: the loop around all of them is one around copies, too
    CHECK(!w.missing);
    CHECK_NEAR(w.count[PTX_GLOBAL_LOAD], 60, 1e-12);
    CHECK_NEAR(w.count[PTX_BARRIER], 10, 0);
    CHECK_TEXT(ptx_fit(&(ptx_kernel){ .missing = "kernel" }, &known).missing, "kernel");
}

static void test_ptx_target(void)
{
    CHECK_INT(ptx_read(ptx_product, "mm").target, 90);
    CHECK_INT(ptx_read(ptx_product, "none").target, 90); // without the kernel, too
    CHECK_INT(ptx_read(NULL, NULL).target, 0);
    CHECK_INT(ptx_target(""), 0);
    CHECK_INT(ptx_target("// .target sm_80\n.file 1 \".target sm_70\"\n.targets sm_60"), 0);
    CHECK_INT(ptx_target("/* .target sm_80 */ .target\tsm_100a, texmode_independent"), 100);
    CHECK_INT(ptx_target(".target abc75"), 0);
    CHECK_INT(ptx_target(".targets sm_60 .target sm_90"), 90);
    CHECK_INT(ptx_target(".target sm_"), 0);
    CHECK_INT(ptx_target(".target sm_99999999999"), 9999);
    CHECK_INT(ptx_target(".target"), 0);
    CHECK_INT(ptx_target("\"unended"), 0);
}

static const test_case bench_ptx_cases[] = {
    { "loops", test_ptx_loops },
    { "names", test_ptx_names },
    { "classes", test_ptx_classes },
    { "calls", test_ptx_calls },
    { "shared_labels", test_ptx_shared_labels },
    { "truncated", test_ptx_truncated },
    { "limits", test_ptx_limits },
    { "fit", test_ptx_fit },
    { "target", test_ptx_target },
    { NULL, NULL },
};
