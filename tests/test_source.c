// [source]: annotations, values into the text, signatures. Pure text; the drivers' tests compile.
#include "test.h"

// --- a device that takes sources and only remembers what it was asked for ---

typedef struct source_driver {
    char *source; // of the last build, freed with the device
    bool converted;
    gputune_bound_arg args[16]; // of the last launch
    unsigned char scalars[16][16];
    int arg_count;
} source_driver;

static gputune_result source_compile(void *self, const gputune_build *build, void **code,
                                     gputune_error *error)
{
    source_driver *d = (source_driver *)self;
    (void)error;
    free(d->source);
    d->source = strcpy((char *)malloc(strlen(build->source) + 1), build->source);
    d->converted = build->converted;
    *code = d;
    return GPUTUNE_OK;
}

static void source_discard(void *self, void *code)
{
    (void)self;
    (void)code;
}

static gputune_result source_launch(void *self, void *code, const gputune_driver_launch *launch,
                                    gputune_error *error)
{
    source_driver *d = (source_driver *)self;
    int i;
    (void)code;
    (void)error;
    d->arg_count = launch->arg_count;
    for (i = 0; i < launch->arg_count && i < 16; i++) {
        d->args[i] = launch->args[i];
        if (launch->args[i].kind == GPUTUNE_ARG_SCALAR && launch->args[i].bytes <= 16)
            d->args[i].data =
                memcpy(d->scalars[i], launch->args[i].data, launch->args[i].bytes);
    }
    return GPUTUNE_OK;
}

static gputune_result source_allocate(void *self, size_t bytes, size_t guard,
                                      gputune_memory *memory, gputune_error *error)
{
    (void)self;
    memset(memory, 0, sizeof *memory);
    memory->guard = guard;
    memory->bytes = bytes;
    memory->whole = calloc(1, bytes + 2 * guard + 1);
    memory->handle = memory->whole ? (char *)memory->whole + guard : NULL;
    return memory->whole ? GPUTUNE_OK : gputune_error_set(error, GPUTUNE_ERROR_MEMORY, "no room");
}

static void source_release(void *self, gputune_memory *memory)
{
    (void)self;
    free(memory->whole);
}

static gputune_result source_write(void *self, void *to, size_t offset, const void *host,
                                   size_t bytes, gputune_error *error)
{
    (void)self;
    (void)error;
    memcpy((char *)to + offset, host, bytes);
    return GPUTUNE_OK;
}

static gputune_result source_wait(void *self, gputune_error *error)
{
    (void)self;
    (void)error;
    return GPUTUNE_OK;
}

static void source_close(void *self)
{
    free(((source_driver *)self)->source);
    free(self);
}

static const char *source_macros; // of the devices that are made
static int source_asked;          // so often for what the loaded compiler defines

static const char *source_compiler_macros(void *self)
{
    CHECK(self != NULL);
    source_asked++;
    return " -DCUDART_VERSION=12040 -D__CUDACC_VER_MAJOR__=12";
}

// prelude: not NULL, it wants CUDA C. options NULL: none.
static gputune_device *source_device(const char *prelude, const gputune_options *options)
{
    gputune_driver driver;
    gputune_limits limits;
    gputune_options usual;
    memset(&driver, 0, sizeof driver);
    memset(&limits, 0, sizeof limits);
    memset(&usual, 0, sizeof usual);
    if (options) usual = *options;
    usual.mode = GPUTUNE_MODE_OFF;
    usual.store = "";
    driver.api = "source";
    driver.destroy = source_close;
    driver.compile = source_compile;
    driver.discard = source_discard;
    driver.launch = source_launch;
    driver.allocate = source_allocate;
    driver.release = source_release;
    driver.write = source_write;
    driver.wait = source_wait;
    driver.takes_source = true;
    driver.prelude = prelude;
    driver.macros = source_macros;
    driver.compiler_macros = source_compiler_macros;
    limits.max_group_size = limits.max_group_x = limits.max_group_y = 1024;
    limits.max_group_z = 64;
    limits.local_memory = 49152;
    limits.warp_size = 32;
    limits.compute_capability = 90;
    limits.is_gpu = 1;
    return gputune_device_create(&driver, calloc(1, sizeof(source_driver)), &limits, &usual);
}

// global NULL: the text's own.
static gputune_kernel *source_kernel(gputune_device *device, const char *text, const char *name,
                                     const char *global)
{
    gputune_kernel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    desc.name = name;
    desc.global = global;
    return gputune_kernel_create(device, &desc);
}

// --- annotations ---

typedef struct source_expectation {
    const char *what, *text;
    const char *values, *standard; // of the first parameter; NULL: there is none
} source_expectation;

static const source_expectation source_good[] = {
    { "of the device", "#pragma gputune set 1, warp_size * 4 // threads\n#define B 128\n",
      "set 1,128", "128" },
    { "to the device's",
      "#pragma gputune range 30, min(warp_size, \\\n max_group_z)\n#define B 31\n", "range 30,32",
      "31" },
    { "plain", "#pragma gputune erange 32,1024,2\n#define BLOCK 128\n", "erange 32,1024,2", "128" },
    { "spaces", "  #  pragma   gputune   set 1, 2\n # define  B  2\n", "set 1, 2", "2" },
    { "comment after", "#pragma gputune set 1,2 // which\n#define B 2 // two\n", "set 1,2", "2" },
    { "comments inside", "#pragma /* a */ gputune set /* b */ 1,2\n#define B /* c */ 2 /* d */\n",
      "set 1,2", "2" },
    { "comment over lines", "#pragma gputune set 1,2 /* one\n two */\n#define B /*\n*/ 2\n",
      "set 1,2", "2" },
    { "continuation", "#pragma gputune set \\\n 1,2\n#define B \\\n 2\n", "set 1,2", "2" },
    { "CRLF", "#pragma gputune set 1,2\r\n#define B 2\r\n", "set 1,2", "2" },
    { "CRLF continuation", "#pragma gputune set \\\r\n1,2\r\n#define B \\\r\n2\r\n", "set 1,2",
      "2" },
    { "no newline at the end", "#pragma gputune bool\n#define B 1", "bool", "1" },
    { "byte order mark", "\xef\xbb\xbf#pragma gputune bool\n#define B 1\n", "bool", "1" },
    { "guard", "#pragma gputune bool\n#ifndef B\n#define B 1\n#endif\n", "bool", "1" },
    { "guard by if", "#pragma gputune bool\n#if !defined(B)\n#define B 1\n#endif\n", "bool", "1" },
    { "pragma inside guard", "#ifndef B\n#pragma gputune bool\n#define B 0\n#endif\n", "bool",
      "0" },
    { "blank lines between", "#pragma gputune bool\n\n// text\n/* text */\n#define B 0\n", "bool",
      "0" },
    { "require between", "#pragma gputune bool\n#pragma gputune require 1\n#define B 0\n", "bool",
      "0" },
    { "brackets", "#pragma gputune set 1,-2\n#define B ((-2))\n", "set 1,-2", "-2" },
    { "hexadecimal", "#pragma gputune set 16,32\n#define B 0x20u\n", "set 16,32", "32" },
    { "suffix", "#pragma gputune set 0.5,1.5\n#define B 1.5f\n", "set 0.5,1.5", "1.5" },
    { "half", "#pragma gputune set 0.5,1.5\n#define B 1.5h\n", "set 0.5,1.5", "1.5" },
    { "sign", "#pragma gputune range -4,4\n#define B - 2\n", "range -4,4", "-2" },
    { "true", "#pragma gputune bool\n#define B true\n", "bool", "1" },
    { "undef between", "#pragma gputune bool\n#undef B\n#define B 1\n", "bool", "1" },
    { "name", "#pragma gputune set fast,slow\n#define B slow\n", "set fast,slow", "slow" },
    { "under #ifdef", "#ifdef X\n#pragma gputune bool\n#define B 1\n#endif\n", "bool", "1" },
    { "else of #if 0", "#if 0\n#define B 3\n#else\n#pragma gputune bool\n#define B 1\n#endif\n",
      "bool", "1" },
    { "two branches",
      "#ifdef X\n#pragma gputune bool\n#define B 1\n#else\n#pragma gputune bool\n"
      "#define B 1\n#endif\n",
      "bool", "1" },
    { "none", "int x;\n", NULL, NULL },
    { "under #if 0", "#if 0\n#pragma gputune bool\n#define B 1\n#endif\n", NULL, NULL },
    { "nested under #if 0", "#if 0\n#if 1\n#pragma gputune bool\n#define B 1\n#endif\n#endif\n",
      NULL, NULL },
    { "else of #if 1", "#if 1\n#else\n#pragma gputune bool\n#define B 1\n#endif\n", NULL, NULL },
    { "elif of #if 1", "#if 1\n#elif 1\n#pragma gputune bool\n#define B 1\n#endif\n", NULL, NULL },
    { "in a comment", "/*\n#pragma gputune bool\n#define B 1\n*/\n", NULL, NULL },
    { "in a line comment", "// \\\n#pragma gputune bool\n#define B 1\n", NULL, NULL },
    { "in a string", "__constant char s[] = \"#pragma gputune bool\\n\";\n", NULL, NULL },
    { "after a quote in a string",
      "__constant char s[] = \"\\\"/*\";\n#pragma gputune bool\n#define B 1\n", "bool", "1" },
    { "no blank before the value", "#pragma gputune range -2,2\n#define B-1\n", "range -2,2",
      "-1" },
    { "directives over lines", "#pragma \\\n gputune\\\r\n bool\n#define \\\nB 1\n", "bool", "1" },
    { "backslash and blanks", "#pragma gputune set \\ \t\n 1,2\n#define B \\ \n 2\n", "set 1,2",
      "2" },
    { "default is a value, and a macro",
      "#define fast 1\n#pragma gputune set fast,slow\n#define B fast\n", "set fast,slow", "fast" },
    { "under #elif 0", "#ifdef A\n#elif 0\n#pragma gputune bool\n#define B 1\n#endif\n", NULL,
      NULL },
    { "else of #elif 1", "#ifdef A\n#elif 1\n#else\n#pragma gputune bool\n#define B 1\n#endif\n",
      NULL, NULL },
    { "else of #elif 0", "#ifdef A\n#elif 0\n#else\n#pragma gputune bool\n#define B 1\n#endif\n",
      "bool", "1" },
    { "other pragma", "#pragma unroll\nint x;\n#pragma OPENCL EXTENSION x : enable\n", NULL, NULL },
};

// The same values in the same order, and the same default.
static void source_check_param(const char *what, const gputune_space *space, const char *values,
                               const char *standard)
{
    const gputune_param params[] = { { gputune_space_param(space, 0)->name, values, standard },
                                     { NULL, NULL, NULL } };
    gputune_space_desc desc;
    gputune_space *expected;
    gputune_config got, wanted;
    char one[64], other[64];
    int i, count = parts_value_count(space, 0);
    memset(&desc, 0, sizeof desc);
    desc.params = params;
    expected = gputune_space_create(&desc);
    CHECK_TEXT(gputune_space_error(expected)->text, "");
    got = gputune_space_default(space);
    wanted = gputune_space_default(expected);
    CHECK_OR(count == parts_value_count(expected, 0), "%s: %d values", what, count);
    for (i = -1; i < count && i < parts_value_count(expected, 0); i++) {
        if (i >= 0) got.choice[0] = wanted.choice[0] = (uint16_t)i;
        gputune_config_text(&got, one, sizeof one);
        gputune_config_text(&wanted, other, sizeof other);
        CHECK_OR(strcmp(one, other) == 0, "%s: %s, expected %s", what, one, other);
    }
    gputune_space_destroy(expected);
}

static void test_source_annotations(void)
{
    gputune_device *device = source_device(NULL, NULL);
    size_t i;
    for (i = 0; i < sizeof source_good / sizeof *source_good; i++) {
        const source_expectation *e = &source_good[i];
        gputune_kernel *k = source_kernel(device, e->text, "f", "1");
        const gputune_space *space = NULL;
        int count;
        if (test_space_of(k, NULL, 0, &space) != GPUTUNE_OK) {
            TEST_FAIL("%s: %s", e->what, gputune_kernel_error(k)->text);
            gputune_kernel_destroy(k);
            continue;
        }
        count = space_param_count(space);
        CHECK_OR(count == (e->values ? 1 : 0), "%s: %d parameters", e->what, count);
        if (e->values && count == 1) {
            const char *name = gputune_space_param(space, 0)->name;
            CHECK_OR(!strcmp(name, "B") || !strcmp(name, "BLOCK"), "%s: name %s", e->what, name);
            source_check_param(e->what, space, e->values, e->standard);
        }
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
}

// Parameters of the description, too, may mention the device's limits, in values and default.
static void test_source_param_limits(void)
{
    static const gputune_param params[] = { { "B", "erange warp_size, 1024 / 8", "warp_size * 2" },
                                            { NULL, NULL, NULL } };
    gputune_device *device = source_device(NULL, NULL);
    gputune_kernel_desc desc;
    gputune_kernel *k;
    const gputune_space *space = NULL;
    memset(&desc, 0, sizeof desc);
    desc.source = "__kernel void f(void) {}\n";
    desc.name = "f";
    desc.global = "1";
    desc.params = params;
    k = gputune_kernel_create(device, &desc);
    CHECK_INT(test_space_of(k, NULL, 0, &space), GPUTUNE_OK);
    if (space) source_check_param("limits", space, "set 32,64,128", "64");
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

static const struct {
    const char *text, *culprit;
} source_bad[] = {
    { "\n#pragma gputune bool\nint x;\n#define B 1\n", "line 3" },
    { "#pragma gputune bool\n#include <x>\n#define B 1\n", "line 2" },
    { "#pragma gputune bool\n", "line 1" },
    { "#pragma gputune bool\n#pragma gputune bool\n#define B 1\n", "line 1" },
    { "#pragma gputune bool\n#define B(x) 1\n", "macro with arguments" },
    { "\n__kernel void f(int na\\\nme) {}\n", "line 2: a line ends within this word" },
    { "#pragma gpu\\\ntune bool\n#define B 1\n", "line 1: a line ends within this word" },
    { "#pragma gputune bool\n#define B 1 + 1\n", "one number" },
    { "#pragma gputune set 8,10\n#define B -010\n", "octal numbers are not supported" },
    { "#pragma gputune bool\n#define B\n", "one number" },
    { "#pragma gputune bool\n#define B 1\n#pragma gputune bool\n#define B 1\n", "twice" },
    { "#ifdef X\n#pragma gputune bool\n#define B 1\n#else\n#pragma gputune set 1,2\n#define B "
      "1\n#endif\n",
      "other values" },
    { "#pragma gputune renge 1,2\n#define B 1\n", "erange" },
    { "#pragma gputune\n#define B 1\n", "erange" },
    { "#pragma gputune require\n", "require" },
    { "#pragma gputune bool\n#ifndef C\n#define B 1\n#endif\n", "guard" },
    { "#pragma gputune global n\nint x;\n", "no kernel" },
    { "#ifdef X\n#pragma gputune bool\n#define B 1\n#else\n#pragma gputune bool\n#define B 0\n"
      "#endif\n", "another default" },
    { "__kernel void f(int n) {\n#pragma gputune local 8\n}\n", "above its kernel" },
    { "#pragma gputune kernel f,g\n#define K f\n__kernel void f(int n) {}\n", "kernel functions" },
};

static void test_source_errors(void)
{
    gputune_device *device = source_device(NULL, NULL);
    gputune_config config;
    gputune_kernel *k;
    size_t i;
    memset(&config, 0, sizeof config);
    for (i = 0; i < sizeof source_bad / sizeof *source_bad; i++) {
        k = source_kernel(device, source_bad[i].text, "f", NULL);
        CHECK_INT(gputune_kernel_error(k)->result, GPUTUNE_ERROR_SYNTAX);
        CHECK_HAS(gputune_kernel_error(k)->text, "line ");
        CHECK_HAS(gputune_kernel_error(k)->text, source_bad[i].culprit);
        CHECK(gputune_kernel_source(k, &config) == NULL);
        gputune_kernel_destroy(k);
    }
    k = source_kernel(device, "#define D 1\n#pragma gputune set 1,2\n#define B D\n", "f", NULL);
    CHECK_INT(gputune_kernel_error(k)->result, GPUTUNE_ERROR_SYMBOL); // macros are not looked into
    CHECK_HAS(gputune_kernel_error(k)->text, "parameter 'B': 'D' is no number");
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

// --- values into the text ---

// Puts the configuration `values` into the text and compares. extra: a parameter of the host.
static void source_check_inject(const char *text, const char *extra, const char *values,
                                const char *expected)
{
    const gputune_param params[] = { { extra, "set 7,8", "7" }, { NULL, NULL, NULL } };
    gputune_device *device = source_device(NULL, NULL);
    gputune_kernel_desc desc;
    gputune_kernel *k;
    const gputune_space *space = NULL;
    gputune_config config;
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    desc.name = "f";
    desc.global = "1";
    desc.params = params;
    k = gputune_kernel_create(device, &desc);
    CHECK_INT(test_space_of(k, NULL, 0, &space), GPUTUNE_OK);
    if (space) {
        CHECK(gputune_config_parse(space, values, &config));
        CHECK_TEXT(gputune_kernel_source(k, &config), expected);
    }
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

static void test_source_inject(void)
{
    char name[201], text[512], values[256], expected[512];
    source_check_inject("#pragma gputune set 1,256\n#define B 1 // one\nB\n", NULL, "B=256",
                        "   \n#define B 256 // one\nB\n");
    source_check_inject("#pragma gputune set 1,2\r\n#define B 1\r\n", NULL, "B=2",
                        "   \r\n#define B 2\r\n");
    source_check_inject("a\n#pragma gputune set \\\n 1,2\n#define B \\\n (1)\nb\n", NULL, "B=2",
                        "a\n   \\\n \n#define B \\\n 2\nb\n");
    source_check_inject("#pragma gputune set 0.5,2\n#define B 0.5f\n", NULL, "B=2",
                        "   \n#define B 2.0f\n");
    // Errors of the compiler keep their lines.
    source_check_inject("#pragma gputune set 1,2\n#define B (\\\n1)\nb\n", NULL, "B=2",
                        "   \n#define B 2\\\n\nb\n");
    source_check_inject("#pragma gputune set 1,2\n#define B (/*\n*/1)\nb\n", NULL, "B=2",
                        "   \n#define B 2/*\n*/\nb\n");
    // The literal's type stays.
    source_check_inject("#pragma gputune set 2,3\n#define B 2u\n", NULL, "B=3",
                        "   \n#define B 3u\n");
    source_check_inject("#pragma gputune set 1,0.5\n#define B 1u\n", NULL, "B=0.5",
                        "   \n#define B 0.5\n");
    source_check_inject("#pragma gputune set 16,32\n#define B 0x10UL\n", NULL, "B=16",
                        "   \n#define B 16UL\n");
    source_check_inject("#pragma gputune set 16,32\n#define B 0x10UL\n", NULL, "B=32",
                        "   \n#define B 32UL\n");
    source_check_inject("#pragma gputune bool\n#ifndef B\n#define B 0\n#endif\n", NULL, "B=1",
                        "#define B 1\n#line 1\n  \n#ifndef B\n#define B 1\n#endif\n");
    // Both branches, but not what is under #if 0.
    source_check_inject(
        "#if 0\n#define B 3\n#endif\n#ifdef X\n#pragma gputune bool\n#define B 0\n#else\n"
        "#define B 5\n#endif\n",
        NULL, "B=1",
        "#if 0\n#define B 3\n#endif\n#ifdef X\n  \n#define B 1\n#else\n"
        "#define B 5\n#endif\n");
    // Where the branch may be switched off the value stands in front, too, spelled the same.
    source_check_inject("#ifdef X\n#pragma gputune set 2,3\n#define B 2u\n#else\n"
                        "#pragma gputune set 2,3\n#define B 2\n#endif\n",
                        NULL, "B=3",
                        "#define B 3u\n#line 1\n#ifdef X\n   \n#define B 3u\n"
                        "#else\n   \n#define B 3u\n#endif\n");
    source_check_inject("#if X\n#pragma gputune set 2,3\n#define B \\\n 2u\n#endif\n", NULL, "B=2",
                        "#define B 2u\n#line 1\n#if X\n   \n"
                        "#define B \\\n 2u\n#endif\n");
    source_check_inject("#ifndef X\n#ifndef T\n#define T 3\n#endif\n#else\n#define T 4\n#endif\n",
                        "T", "T=8",
                        "#define T 8\n#line 1\n#ifndef X\n#ifndef T\n#define T 8\n#endif\n#else\n"
                        "#define T 8\n#endif\n");
    source_check_inject("#ifndef T\n#ifdef X\n#endif\n#define T 3\n#endif\n", "T", "T=8",
                        "#define T 8\n#line 1\n#ifndef T\n#ifdef X\n#endif\n#define T 8\n#endif\n");
    source_check_inject("#ifndef T\n#else\n#define T 3\n#endif\n", "T", "T=8",
                        "#define T 8\n#line 1\n#ifndef T\n#else\n#define T 8\n#endif\n");
    source_check_inject("#ifdef X\n#define T 3\n#endif\n#define T 3\n", "T", "T=8",
                        "#ifdef X\n#define T 8\n#endif\n#define T 8\n");
    source_check_inject("#pragma gputune range -2,2\n#define B-1\n", NULL, "B=2",
                        "   \n#define B 2\n");
    source_check_inject("#pragma gputune set 8,16\n#define\\\n BLOCK 8\nB\n", NULL, "BLOCK=16",
                        "   \n#define\\\n BLOCK 16\nB\n");
    // A parameter of the host: a plain #define, or one in front.
    source_check_inject("#define T 3\nT\n", "T", "T=8", "#define T 8\nT\n");
    source_check_inject("T\n", "T", "T=8", "#define T 8\n#line 1\nT\n");
    // An included file that defines it again does not go unseen.
    source_check_inject("#include <t.h>\nT\n", "T", "T=8",
                        "#define T 8\n#line 1\n#include <t.h>\nT\n\n#if defined T && T != 8\n"
                        "#error gputune: T is defined again, in a file that is included\n"
                        "#endif\n");
    source_check_inject("#define TT 3\n// #define T 4\nT\n", "T", "T=8",
                        "#define T 8\n#line 1\n#define TT 3\n// #define T 4\nT\n");
    // A long name comes whole.
    memset(name, 'x', 200);
    name[200] = 0;
    snprintf(text, sizeof text, "#pragma gputune set a,%s\n#define B a\n", name);
    snprintf(values, sizeof values, "B=%s", name);
    snprintf(expected, sizeof expected, "   \n#define B %s\n", name);
    source_check_inject(text, NULL, values, expected);
}

// geometry NULL: there is none, and the error says so.
static void source_check_geometry(gputune_kernel *k, const gputune_arg *args, int count,
                                  gputune_geometry *geometry)
{
    gputune_geometry none;
    gputune_config config;
    const gputune_space_desc nothing = { 0 };
    gputune_space *empty = gputune_space_create(&nothing);
    CHECK_INT(gputune_space_count(empty), 1);
    config = gputune_space_default(empty);
    if (geometry) {
        CHECK_INT(gputune_kernel_geometry(k, &config, args, count, geometry), GPUTUNE_OK);
    } else {
        CHECK_INT(gputune_kernel_geometry(k, &config, args, count, &none), GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_kernel_error(k)->text, "global");
    }
    gputune_space_destroy(empty);
}

static void test_source_require_and_geometry(void)
{
    static const char text[] =
        "#pragma gputune require B * 2 <= \\\n max_group_size // both\n"
        "#pragma gputune global ceil_div(n, 2), m\n#pragma gputune local 8, 4\n"
        "__kernel void f(int n, int m) {}\n"
        "__kernel void g(int n) {}\n"
        "#pragma gputune global n\n__attribute__((reqd_work_group_size(8, 1, 1)))\n"
        "kernel void h(int n) {}\n";
    static const char *const others[] = { "g", "g<float, 4>", "g <4>" };
    static const char *const missing[] = { "i", "<4>", "<float, 4>" };
    gputune_device *device = source_device(NULL, NULL);
    gputune_arg args[2];
    gputune_geometry geometry;
    const gputune_space *space;
    gputune_kernel *k;
    size_t i;
    args[0] = gputune_int(17);
    args[1] = gputune_int(5);
    k = source_kernel(device, text, "f", NULL); // B is unknown: the error quotes the restriction
    CHECK_INT(test_space_of(k, args, 2, &space), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_kernel_error(k)->text, "B * 2 <= max_group_size");
    CHECK(!strstr(gputune_kernel_error(k)->text, "both"));
    source_check_geometry(k, args, 2, &geometry);
    CHECK_INT(geometry.dimensions, 2);
    CHECK(geometry.global[0] == 16 && geometry.global[1] == 8); // 9 and 5, in whole groups
    CHECK(geometry.local[0] == 8 && geometry.local[1] == 4);
    gputune_kernel_destroy(k);
    for (i = 0; i < sizeof others / sizeof *others; i++) { // no global of their own
        k = source_kernel(device, text, others[i], NULL);
        CHECK_INT(gputune_kernel_error(k)->result, GPUTUNE_OK);
        source_check_geometry(k, args, 1, NULL);
        gputune_kernel_destroy(k);
    }
    k = source_kernel(device, text, "h", NULL);
    source_check_geometry(k, args, 1, &geometry);
    CHECK(geometry.dimensions == 1 && geometry.global[0] == 24 && geometry.local[0] == 8);
    gputune_kernel_destroy(k);
    for (i = 0; i < sizeof missing / sizeof *missing; i++) {
        k = source_kernel(device, text, missing[i], NULL);
        CHECK_INT(gputune_kernel_error(k)->result, GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_kernel_error(k)->text, "there are: f, g, h");
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
}

// Reads the heads again, in all configurations.
static bool source_heads(const gt__base *b, gt__source *s)
{
    gputune_space *space = gt__space_new(NULL);
    gputune_limits limits;
    bool ok;
    memset(&limits, 0, sizeof limits);
    CHECK_INT(gt__source_describe(s, &limits, space), GPUTUNE_OK);
    ok = gt__source_heads(b, s, space, NULL);
    gputune_space_destroy(space);
    return ok;
}

// Heads that #if and macros make are those of the default configuration. What a pointer points to
// is left open where it depends on parameters.
static void test_source_made_heads(void)
{
    static const char text[] =
        "#pragma gputune set 1,2\n#define WIDE 1\n#pragma gputune global n\n__kernel void f(\n"
        "#if WIDE == 1\n__global float *x\n#else\n__global float4 *x\n#endif\n, int n,\n"
        "#if WIDE == 3\n__global int *y\n#else\n__global uint *y\n#endif\n) {}\n"
        "#define MAKE(T) __kernel void g_##T(__global T *x, T n) {}\nMAKE(int)\n"
        "#if WIDE == 2\n__kernel void h(__global float *x) {}\n#endif\n";
    gt__base b;
    gt__source s;
    memset(&b, 0, sizeof b);
    CHECK_INT(gt__source_parse(&b, text, &s, NULL), GPUTUNE_OK);
    CHECK(gt__len(s.kernels) == 2 && !s.kernels[0].known && s.kernels[1].known);
    CHECK(source_heads(&b, &s));
    CHECK(gt__len(s.kernels) == 3);
    if (gt__len(s.kernels) == 3) {
        CHECK(s.kernels[0].known && s.kernels[1].known && s.kernels[2].known);
        CHECK_TEXT(s.kernels[0].global, "n");
        CHECK_TEXT(s.kernels[0].args[0].name, "x");
        CHECK(s.kernels[0].args[0].pointer && s.kernels[0].args[0].type == GPUTUNE_FLOAT);
        CHECK_INT(s.kernels[0].args[0].elements, 0); // float and float4
        CHECK_INT(s.kernels[0].args[1].type, GPUTUNE_INT32);
        CHECK_INT(s.kernels[0].args[2].type, GPUTUNE_UINT32);
        CHECK_INT(s.kernels[1].args[0].type, GPUTUNE_FLOAT);
        CHECK_TEXT(s.kernels[2].name, "g_int");
        CHECK_TEXT(s.kernels[2].args[1].name, "n");
    }
    gt__source_free(&b, &s);
}

// What the preprocessor cannot change is not read again; what it can is, for one reason at a time.
static void test_source_read_twice(void)
{
    static const struct {
        const char *text, *name; // of the first kernel's first argument
        bool change;
    } cases[] = {
        { "#pragma gputune set 1,2\n#define A 1\n__kernel void f(int n) { A; }\n", "n", false },
        { "__kernel void f(\n#if 1\nint n\n#else\nfloat m\n#endif\n) {}\n", "n", true },
        { "#define V(T) __global__ void g_##T(T n) {}\nextern \"C\" {\nV(int)\n}\n", "n", true },
        { "#define M n\n__kernel void f(int M) {}\n", NULL, true },
        { "#include \"missing.h\"\n__kernel void f(int n) {}\n", "n", true },
        { "#pragma push_macro(\"A\")\n#if 1\n#endif\n__kernel void f(int n) {}\n", "n", true },
    };
    gt__base b;
    size_t i;
    memset(&b, 0, sizeof b);
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt__source s;
        CHECK_INT(gt__source_parse(&b, cases[i].text, &s, NULL), GPUTUNE_OK);
        CHECK_INT(gt__source_heads_change(&s), cases[i].change);
        CHECK(source_heads(&b, &s));
        CHECK(gt__len(s.kernels) == 1 && s.kernels[0].known);
        if (cases[i].name && gt__len(s.kernels) == 1 && s.kernels[0].args)
            CHECK_TEXT(s.kernels[0].args[0].name, cases[i].name);
        gt__source_free(&b, &s);
    }
}

// The description's signature wins over what the source shows.
static void test_source_own_signature(void)
{
    static const char text[] =
        "#define ARGS int n, __global bf16 *x\n#pragma gputune global n\n"
        "__kernel void f(ARGS) {}\n#pragma gputune global items\n"
        "__kernel void g(int n, __global float *x) {}\n";
    gputune_device *device = source_device("", NULL);
    const source_driver *call = (const source_driver *)gputune_device_self(device, "source");
    gputune_kernel_desc desc;
    gputune_kernel *k;
    gputune_arg args[2];
    float x[4];
    int own;
    memset(&desc, 0, sizeof desc);
    desc.source = text;
    args[0] = gputune_int(7);
    args[1] = gputune_in(x, sizeof x);
    for (own = 0; own < 4; own++) {
        desc.name = own & 1 ? "f" : "g";
        desc.signature = own < 2   ? NULL
                         : own & 1 ? "unsigned char n, const bf16 *x"
                                   : "short items, const float *x";
        k = gputune_kernel_create(device, &desc);
        CHECK_INT(gputune_kernel_error(k)->result, GPUTUNE_OK);
        if (own < 2) { // "g" has no items
            CHECK_INT(gputune_run(k, args, 2), own ? GPUTUNE_OK : GPUTUNE_ERROR_SYMBOL);
            gputune_kernel_destroy(k);
            continue;
        }
        CHECK_INT(gputune_run(k, args, 2), GPUTUNE_OK);
        CHECK_INT(call->args[0].bytes, own & 1 ? 1 : 2);
        CHECK_INT(k->targets[0]->signature->args[1].type,
                  own & 1 ? GPUTUNE_BF16 : GPUTUNE_FLOAT);
        args[0] = gputune_int(70000);
        CHECK_INT(gputune_run(k, args, 2), GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_kernel_error(k)->text, "70000 given");
        args[0] = gputune_int(7);
        args[1] = gputune_out(x, sizeof x);
        CHECK_INT(gputune_run(k, args, 2), GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_kernel_error(k)->text, "(x) is a pointer to const");
        args[1] = gputune_in(x, sizeof x);
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
}

// --- signatures ---

// Writes "name: arg arg ..." with *: pointer, c: const, l: local, and elements.
static void source_describe(const gt__signature *k, char *text, size_t size)
{
    size_t used = 0;
    int i;
    if (!k->known) {
        snprintf(text, size, "unknown");
        return;
    }
    text[0] = 0;
    for (i = 0; i < gt__len(k->args) && used < size; i++) {
        const gt__signature_arg *a = &k->args[i];
        used += (size_t)snprintf(text + used, size - used, "%s%s %d%s%s%s %s", i ? ", " : "",
                                 gt__type_name(a->type), a->elements, a->pointer ? "*" : "",
                                 a->constant ? "c" : "", a->local ? "l" : "", a->name);
    }
}

static const struct {
    const char *text, *expected; // of kernel f; NULL: there is none
} source_signatures[] = {
    { "__kernel void f(int n, float a) {}", "int 1 n, float 1 a" },
    { "kernel void f(void) {}", "" },
    { "void kernel f(uint n) {}", "uint 1 n" },
    { "__kernel void f() {}", "" },
    { "__kernel void f(__global const float *restrict x, __global float4 *y) {}",
      "float 1*c x, float 4* y" },
    { "__kernel void f(const __global float *x, float __global const *y, __global float *const z) "
      "{}",
      "float 1*c x, float 1*c y, float 1* z" },
    { "__kernel void f(__local int *t, __constant double *c, __global uchar x[]) {}",
      "int 1*l t, double 1*c c, uchar 1* x" },
    { "__kernel void f(unsigned n, unsigned long m, long long k, unsigned char c, size_t s) {}",
      "uint 1 n, ulong 1 m, long 1 k, uchar 1 c, ulong 1 s" },
    { "__kernel void f(float3 a, half b, bool c, int16 d) {}",
      "float 3 a, half 1 b, uchar 1 c, int 16 d" },
    { "__kernel void f(struct thing t, thing2 u, __global thing2 *v) {}",
      "struct 0 t, struct 0 u, struct 0* v" },
    { "__kernel void f(read_only image2d_t i, sampler_t s) {}", "struct 0 i, struct 0 s" },
    { "__kernel __attribute__((reqd_work_group_size(8, 8, 1))) void f(int n) {}", "int 1 n" },
    { "__attribute__((vec_type_hint(float4))) __kernel void __attribute__((x)) f(int n) {}",
      "int 1 n" },
    { "__kernel void f(int n) __attribute__((work_group_size_hint(1, 1, 1))) {}", "int 1 n" },
    { "extern \"C\" __global__ void f(int n, const float *x, float2 *y) {}",
      "int 1 n, float 1*c x, float 2* y" },
    { "extern \"C\" {\n__global__ void __launch_bounds__(256, 2) f(int32_t n, float *__restrict__ "
      "x) {}\n}",
      "int 1 n, float 1* x" },
    { "template <typename T, int N> __global__ void f(T *x, int n) {}", "struct 0* x, int 1 n" },
    { "__kernel void f(int n);\n__kernel void f(int n) {}", "int 1 n" },
    { "__kernel void f(int n);", NULL },
    { "// __kernel void f(int n) {}\n/* __kernel void f(int n) {} */", NULL },
    { "#if 0\n__kernel void f(int n) {}\n#endif", NULL },
    { "#ifdef __A\n__kernel void f(int n) {}\n#endif", "int 1 n" },
    { "#ifdef __A\n__kernel void f(int n)\n#else\n__kernel void f(int n, int m)\n#endif\n{}",
      "unknown" },
    { "#ifdef __A\n__kernel void f(int n)\n#else\n__kernel void f(int n)\n#endif\n{}", "int 1 n" },
    { "__kernel void f(int n\n#ifdef __A\n, int m\n#endif\n) {}", "unknown" },
    { "__kernel void f(COMMON_ARGS, int n) {}", "unknown" },
    { "__kernel void f(PTR(float) x, int n) {}", "unknown" },
    { "#define REAL float\n__kernel void f(REAL a, __global REAL *x) {}", "float 1 a, float 1* x" },
    { "typedef unsigned int number;\n__kernel void f(number n) {}", "uint 1 n" },
    { "#if __X\ntypedef float v;\n#else\ntypedef float4 v;\n#endif\n__kernel void f(__global v *x) "
      "{}",
      "float 0* x" },
    { "#if __X\n#define REAL double\n#else\n#define REAL float\n#endif\n__kernel void f(REAL x) {}",
      "struct 0 x" },
    { "#pragma gputune set float,double\n#define REAL float\n__kernel void f(__global REAL *x) {}",
      "struct 0* x" },
    { "__kernel void f(int /* how many */ n, // and\n float \\\n a) {}", "int 1 n, float 1 a" },
    { "__kernel void f(int, float *) {}", "int 1 , float 1* " },
    { "__kernel void f(int n) {\n#ifdef __A\nif (n) {\n#else\nif (!n) {\n#endif\n} }\n"
      "__kernel void g(int n) {}", "int 1 n" },
    { "#ifdef __A\nvoid h(int x) {\n#else\nvoid h(void) {\n#endif\n}\n__kernel void f(int n) {}",
      "int 1 n" },
    { "#define KERNEL __kernel\nKERNEL void f(int n) {}", "int 1 n" },
    { "namespace a { namespace b {\n__global__ void f(int n) {}\n} }", "int 1 n" },
    { "__device__ float kernel(float x) { return x; }\n__global__ void f(int n) {}", "int 1 n" },
    { "__kernel void f(int n) __attribute((x)) {}", "int 1 n" },
    { "#define LOCAL __local\n#define CONST constant const\n#define GLOBAL LOCAL\n"
      "__kernel void f(LOCAL unsigned *t, GLOBAL float *u, CONST float *c) {}",
      "uint 1*l t, float 1*l u, float 1*c c" },
    { "#define SPACE global\nkernel void f(SPACE float4 *x, local int *y) {}",
      "float 4* x, int 1*l y" },
    { "__global__ void f(float *local, const int *constant, int global, float kernel[4]) {}",
      "float 1* local, int 1*c constant, int 1 global, float 1* kernel" },
    { "__global__ void kernel(int n) {}\n__global__ void f(int n) { kernel<<<1, 1>>>(n); }",
      "int 1 n" },
    { "template<class T>\n__global__ void __launch_bounds__(256) f(const T *__restrict__ x,\n"
      "size_t n, long long m, unsigned k, T a) {}",
      "struct 0*c x, ulong 1 n, long 1 m, uint 1 k, struct 0 a" },
    { "__global__\\\n void \\\nf(unsigned\\\n name) {}", "uint 1 name" },
    { "void helper(int kernel) { if (kernel) { } }\n__kernel void f(int n) {}", "int 1 n" },
    // A head that a macro makes, and a condition that only the compiler decides.
    { "#ifdef __A\n#endif\n#define KERNEL(f) __kernel void f(int n, __global int *x)\n"
      "KERNEL(f) {}", "int 1 n, int 1* x" },
    { "#define KERNEL(f) __kernel void f\n#ifdef __A\nKERNEL(f)(int n) {}\n#else\n"
      "KERNEL(f)(float n) {}\n#endif", "struct 0 n" },
    { "#define KERNEL(f) __kernel void f\n#ifdef __A\nKERNEL(f)(int n) {}\n#else\n"
      "KERNEL(f)(__global int *n) {}\n#endif", "unknown" },
    { "#ifndef __A\n#define __A int\n#endif\n#define KERNEL(f) __kernel void f(__A n)\n"
      "KERNEL(f) {}", "int 1 n" },
};

static void test_source_signatures(void)
{
    size_t i;
    for (i = 0; i < sizeof source_signatures / sizeof *source_signatures; i++) {
        const char *text = source_signatures[i].text, *expected = source_signatures[i].expected;
        gt__base b;
        gt__source s;
        gputune_error error;
        const gt__signature *k;
        char got[512];
        gt__base_init(&b, NULL);
        if (gt__source_parse(&b, text, &s, &error) != GPUTUNE_OK) {
            TEST_FAIL("%s: %s", text, error.text);
            continue;
        }
        CHECK(source_heads(&b, &s));
        k = gt__source_find(&s, "f");
        CHECK_OR(!k == !expected, "%s: %s", text, k ? "found" : "not found");
        if (k && expected) {
            source_describe(k, got, sizeof got);
            CHECK_OR(strcmp(got, expected) == 0, "%s\n        gives    %s\n        expected %s",
                     text, got, expected);
        }
        gt__source_free(&b, &s);
    }
}

// A -D of a parameter is its default, however it is written, and the compiler does not get it: the
// value stands in the text. Other options stay.
static void test_source_options(void)
{
    static const char text[] = "#pragma gputune set 1,2,16\n#define BLOCK 2\n";
    static const gputune_param params[] = { { "MODE", "set slow,fast", "slow" },
                                            { NULL, NULL, NULL } };
    static const struct {
        const char *options, *config, *left; // left NULL: an error
    } cases[] = { { "-DBLOCKS=4 -cl-fast-relaxed-math -I x-DBLOCK", "BLOCK=2 MODE=slow",
                    "-DBLOCKS=4 -cl-fast-relaxed-math -I x-DBLOCK" },
                  { "-DBLOCK=16 -Iinc", "BLOCK=16 MODE=slow", "           -Iinc" },
                  { "-w -D BLOCK", "BLOCK=1 MODE=slow", "-w         " },
                  { "-w \"-DBLOCK=16\" -x", "BLOCK=16 MODE=slow", "-w              -x" },
                  { "-D'MODE=fast' -D BLOCK=16 -DMODES", "BLOCK=16 MODE=fast",
                    "                          -DMODES" },
                  { "-w -DBLOCK=4", "-DBLOCK=4", NULL },
                  { "-DMODE=medium", "'MODE'", NULL },
                  { "", "BLOCK=2 MODE=slow", "" } };
    gputune_device *device = source_device(NULL, NULL);
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        gputune_kernel_desc desc;
        gputune_kernel *k;
        char now[64];
        memset(&desc, 0, sizeof desc);
        desc.source = text;
        desc.name = "f";
        desc.params = params;
        desc.compiler_options = cases[i].options;
        k = gputune_kernel_create(device, &desc);
        CHECK_INT(gputune_kernel_error(k)->result,
                  cases[i].left ? GPUTUNE_OK : GPUTUNE_ERROR_ARGUMENT);
        if (k->space && cases[i].left) {
            const gputune_config config = gt__space_defaults(k->space);
            CHECK_TEXT(gputune_config_text(&config, now, sizeof now), cases[i].config);
            CHECK_TEXT(k->options, cases[i].left);
        } else {
            CHECK_HAS(gputune_kernel_error(k)->text, cases[i].config);
        }
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
}

// --- robustness ---

static int source_newlines(const char *text)
{
    int count = 0;
    for (; *text; text++) count += *text == '\n';
    return count;
}

// Random damage to every text above: no crash, no leak (the sanitizers watch), and values put into
// the text keep its lines.
static void test_source_fuzz(void)
{
    static const char probe[] = "\n__kernel void probe() {}";
    gputune_device *device = source_device(NULL, NULL);
    uint64_t state = 42;
    int round, injected = 0;
    for (round = 0; round < 20000; round++) {
        static const char bytes[] = "(){}[]#\\\n\r\"'/*,;<> \t\xef";
        char text[600];
        const bool good = test_random_below(&state, 2) != 0;
        size_t length, changes = (size_t)test_random_below(&state, 4);
        const char *from =
            good ? source_good[test_random_below(&state, sizeof source_good / sizeof *source_good)]
                       .text
                 : source_signatures[test_random_below(&state, sizeof source_signatures /
                                                                   sizeof *source_signatures)]
                       .text;
        gputune_kernel *k;
        const gputune_space *space = NULL;
        snprintf(text, sizeof text - sizeof probe, "%s%s",
                 round % 3 ? "" : "#pragma gputune bool\n#define Q 1\n", from);
        length = strlen(text);
        while (changes-- && length)
            text[test_random_below(&state, length)] =
                bytes[test_random_below(&state, sizeof bytes - 1)];
        k = source_kernel(device, text, "f", "1");
        if (!good) { // its kernel takes arguments: one that takes none has a space without them
            gputune_kernel_destroy(k);
            k = source_kernel(device, strcat(text, probe), "probe", "1");
        }
        if (test_space_of(k, NULL, 0, &space) == GPUTUNE_OK &&
            gputune_space_param(space, 0)) {
            const gputune_config config = gputune_space_default(space);
            const char *out = gputune_kernel_source(k, &config), *front;
            CHECK_OR(out, "%s: %s", gputune_kernel_error(k)->text, text);
            front = out ? strstr(out, "\n#line 1\n") : NULL;
            if (front) out = front + 9;
            if (out)
                CHECK_OR(source_newlines(out) == source_newlines(text),
                         "lines change: %s\n-----\n%s", text, out);
            injected++;
        }
        gputune_kernel_destroy(k);
    }
    CHECK(injected > 4000);
    gputune_device_destroy(device);
}

typedef struct source_memory {
    long until, blocks;
} source_memory;

static void *source_reallocate(void *user, void *memory, size_t bytes)
{
    source_memory *m = (source_memory *)user;
    void *result;
    if (!bytes) {
        m->blocks -= memory != NULL;
        free(memory);
        return NULL;
    }
    if (m->until-- <= 0) return NULL;
    result = realloc(memory, bytes);
    m->blocks += !memory && result;
    return result;
}

static void test_source_no_memory(void)
{
    static const char text[] =
        "#pragma gputune set 1,2\n#define B 1\n#pragma gputune require B > 0\n"
        "#pragma gputune global n\n#pragma gputune local B\n"
        "__kernel void f(int n, __global float *x) {}\n"
        "__kernel void g() {}\n";
    const gputune_param params[] = { { "EXTRA", "set 7,8", "7" }, { NULL, NULL, NULL } };
    long n;
    bool done = false;
    for (n = 0; n < 1000 && !done; n++) {
        source_memory memory = { 1000, 0 };
        gputune_options options;
        gputune_device *device;
        gputune_kernel_desc desc;
        gputune_kernel *k;
        const gputune_space *space = NULL;
        gputune_config config;
        memset(&options, 0, sizeof options);
        options.reallocate = source_reallocate;
        options.user = &memory;
        device = source_device(NULL, &options);
        memset(&desc, 0, sizeof desc);
        desc.source = text;
        desc.name = "g";
        desc.global = "1";
        desc.params = params;
        memory.until = n;
        k = gputune_kernel_create(device, &desc);
        if (k && test_space_of(k, NULL, 0, &space) == GPUTUNE_OK) {
            config = gputune_space_default(space);
            done = gputune_kernel_source(k, &config) != NULL;
        }
        CHECK(done || !k || gputune_kernel_error(k)->result == GPUTUNE_ERROR_MEMORY);
        gputune_kernel_destroy(k);
        gputune_device_destroy(device);
        CHECK_INT(memory.blocks, 0);
    }
    CHECK(done && n > 20);
}

// --- what is said, and what an attribute asks for ---

// The work-group that an attribute asks for, if nothing else says it.
static void test_source_required_group(void)
{
    static const struct {
        const char *head, *local;
        size_t expected; // 0: not known
    } heads[] = {
        { "#define W 32u\n__kernel __attribute__((reqd_work_group_size(W, 2, 1))) void", NULL, 32 },
        { "__attribute__((__reqd_work_group_size__(0x10, 2, 1))) kernel void", NULL, 16 },
        { "__kernel __attribute__((reqd_work_group_size(B * 2, 2, 1))) void", NULL, 16 },
        { "__kernel __attribute__((reqd_work_group_size(64, 2, 1))) void", "4, 2", 4 },
        { "#pragma gputune local 4, 2\n"
          "__kernel __attribute__((reqd_work_group_size(64, 2, 1))) void",
          NULL, 4 },
        { "__kernel __attribute__((reqd_work_group_size(FROM_OPTIONS, 2, 1))) void", NULL, 0 },
        { "#define W (a, b)\n__kernel __attribute__((reqd_work_group_size(W, 2, 1))) void", NULL,
          0 },
        { "__kernel __attribute__((reqd_work_group_size(64, 2, 1))) void g(int n) {} __kernel void",
          NULL, 0 },
    };
    static const gputune_param params[] = { { "B", "set 8,16", "8" }, { NULL, NULL, NULL } };
    gputune_device *device = source_device(NULL, NULL);
    size_t i;
    for (i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[300];
        gputune_geometry geometry;
        gputune_kernel_desc desc;
        gputune_config config;
        gputune_kernel *k;
        const gputune_space *space = NULL;
        memset(&desc, 0, sizeof desc);
        snprintf(text, sizeof text, "%s f(void) {}", heads[i].head);
        desc.source = text;
        desc.name = "f";
        desc.params = params;
        desc.global = "max(B, 1), 4";
        desc.local = heads[i].local;
        k = gputune_kernel_create(device, &desc);
        CHECK_INT(test_space_of(k, NULL, 0, &space), GPUTUNE_OK);
        config = gputune_space_default(space);
        CHECK_OR(gputune_kernel_geometry(k, &config, NULL, 0, &geometry) == GPUTUNE_OK, "%s: %s",
                 text, gputune_kernel_error(k)->text);
        CHECK_OR(geometry.local[0] == heads[i].expected &&
                     geometry.local[1] == (heads[i].expected ? 2 : 0),
                 "%s: %d", text, (int)geometry.local[0]);
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
}

static void source_heard(void *user, gputune_log_level level, const char *message)
{
    (void)level;
    snprintf((char *)user, 300, "%s", message);
}

// Memory that moves whenever it grows, and says nothing any more where it was.
static void *source_moves(void *user, void *memory, size_t bytes)
{
    size_t *at = bytes ? (size_t *)malloc(16 + bytes) : NULL, *was = (size_t *)memory;
    (void)user;
    if (at) *at = bytes;
    if (was) {
        was = (size_t *)(uintptr_t)((char *)memory - 16);
        if (at) memcpy((char *)at + 16, memory, *was < bytes ? *was : bytes);
        memset(memory, 'Z', *was);
        free(was);
    }
    return at ? (char *)at + 16 : NULL;
}

// Of a long text not every value of a parameter is looked at. What a pointer points to is unknown
// then.
static void test_source_heads_long(void)
{
    enum { SIZE = 120000 };
    static const char head[] =
        "#if T < 8\n#define R float\n#else\n#define R double\n#endif\n"
        "__kernel void k(__global R *a, int n) { a[get_global_id(0)] = n; }\n"
        "__constant int pad[] = {\n";
    static const gputune_param params[] = { { "T", "set 1,2,3,4,5,6,7,8", "1" },
                                            { NULL, NULL, NULL } };
    static const gt__base b;
    gputune_space_desc desc;
    gputune_space *space;
    gputune_error error;
    int i;
    memset(&desc, 0, sizeof desc);
    desc.params = params;
    space = gputune_space_create(&desc);
    for (i = 0; i < 2; i++) {
        char *text = (char *)calloc(1, SIZE + 1000);
        gt__source s;
        memset(&s, 0, sizeof s);
        if (!text) break;
        strcpy(text, head);
        while (i && strlen(text) < SIZE) strcpy(text + strlen(text), "1, 2, 3, 4, 5, 6, 7, 8,\n");
        strcpy(text + strlen(text), "0 };\n");
        CHECK_INT(gt__source_parse(&b, text, &s, &error), GPUTUNE_OK);
        CHECK(gt__source_heads(&b, &s, space, ""));
        CHECK_INT(gt__len(s.kernels), 1);
        CHECK_INT(s.kernels[0].args[0].type, GPUTUNE_BYTES);
        CHECK_INT(s.kernels[0].args[1].type, GPUTUNE_INT32);
        gt__source_free(&b, &s);
        free(text);
    }
    gputune_space_destroy(space);
}

// What the driver knows of its compiler decides an #if, for heads and rewritten texts, and the
// program's options come behind it.
static void test_source_macros(void)
{
    static const char text[] =
        "#ifdef cl_khr_fp64\n#define STORE(to, x) { to = x; }\n#else\n"
        "#define STORE(to, x) to = x;\n#endif\n#if __OPENCL_VERSION__ >= 300\n"
        "#define HEAD __global double *a\n#else\n"
        "#define HEAD __global float *a\n#endif\n#pragma gputune set 1,2\n#define N 1\n"
        "__kernel void f(HEAD) { STORE(a[get_global_id(0)], N * M) }\n";
    static double room[1024];
    int i;
    for (i = 0; i < 3; i++) {
        gputune_kernel_desc desc;
        gputune_kernel *k;
        gputune_device *device;
        const gputune_space *space = NULL;
        gputune_config config;
        source_macros = i == 1 ? "-D__OPENCL_VERSION__=300 -Dcl_khr_fp64 -DM=5"
                        : i    ? "-D__OPENCL_VERSION__=120"
                               : NULL;
        device = source_device(NULL, NULL);
        memset(&desc, 0, sizeof desc);
        desc.source = text;
        desc.name = "f";
        desc.global = "1024";
        desc.compiler_options = "-DM=7 -DN=2";
        desc.coarsen.form = GPUTUNE_COARSEN_THREAD;
        k = gputune_kernel_create(device, &desc);
        if (!i) {
            CHECK_HAS(gputune_kernel_error(k)->text,
                      "line 1: only the compiler knows cl_khr_fp64: give -D");
        } else {
            const gt__signature *head = gt__source_find(&k->source, "f");
            const gputune_arg arg = gputune_inout(room, sizeof room);
            CHECK_INT(test_space_of(k, &arg, 1, &space), GPUTUNE_OK);
            CHECK_TEXT(gputune_kernel_error(k)->text, "");
            CHECK_INT(head->args[0].type, i == 1 ? GPUTUNE_DOUBLE : GPUTUNE_FLOAT);
            CHECK(space && gputune_config_parse(space, "N=2 FACTOR_X=2 STRIDE_X=1 GROUP_X=64 "
                                                       "COARSEN_FORM=loop", &config));
            CHECK_HAS(gputune_kernel_source(k, &config),
                      i == 1 ? "{ { a[get_global_id(0)] = 2 * 7; }"
                             : "{ a[get_global_id(0)] = 2 * 7;");
        }
        gputune_kernel_destroy(k);
        gputune_device_destroy(device);
    }
    source_macros = NULL;
}

// What only the loaded compiler knows is asked for by texts that name it, and by no others.
static void test_source_compiler_macros(void)
{
    static const char *const texts[] = {
        "__global__ void f(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n",
        "#if CUDART_VERSION >= 12000 && CUDART_VERSION < 12050\n#define HEAD double *a\n#else\n"
        "#define HEAD float *a\n#endif\n__global__ void f(HEAD) { *a = 1; }\n",
        "#if __CUDACC_VER_MAJOR__ == 12\n#define HEAD double *a\n#else\n"
        "#define HEAD float *a\n#endif\n__global__ void f(HEAD) { *a = 1; }\n"
    };
    gputune_device *device;
    int i;
    source_macros = "-D__CUDACC__ -D__CUDACC_RTC__ -D__CUDA_ARCH__=900";
    device = source_device("", NULL);
    for (i = 0; i < 3; i++) {
        gputune_kernel_desc desc;
        gputune_kernel *k;
        memset(&desc, 0, sizeof desc);
        desc.source = texts[i];
        desc.name = "f";
        desc.global = "1024";
        desc.local = "64";
        desc.compiler_options = "-DM=7";
        desc.coarsen.form = GPUTUNE_COARSEN_THREAD;
        source_asked = 0;
        k = gputune_kernel_create(device, &desc);
        CHECK_TEXT(gputune_kernel_error(k)->text, "");
        CHECK_INT(gt__source_find(&k->source, "f")->args[0].type,
                  i ? GPUTUNE_DOUBLE : GPUTUNE_FLOAT);
        CHECK_INT(source_asked, i > 0);
        CHECK_TEXT(k->options, "-DM=7");
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
    source_macros = NULL;
}

// Functions that the source itself does not have, since it includes them, are coarsened by what
// each allows.
static void test_source_coarsened_includes(void)
{
    static const gputune_param params[] = { { "which", "set k0,k1,k2,k3,k4,k5,k6,k7,k8", NULL },
                                            { NULL, NULL, NULL } };
    char folder[] = "/tmp/gputune-XXXXXX", path[64], options[64];
    gputune_options device_options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    FILE *file;
    int i;
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/all.cl", folder);
    file = fopen(path, "w");
    CHECK(file != NULL);
    if (!file) return;
    for (i = 0; i < 9; i++)
        fprintf(file, "__kernel void k%d(__global int *a) { a[get_global_id(0)] = 1; }\n", i);
    fclose(file);
    snprintf(options, sizeof options, "-I%s", folder);
    memset(&device_options, 0, sizeof device_options);
    device_options.reallocate = source_moves;
    device = source_device(NULL, &device_options);
    memset(&desc, 0, sizeof desc);
    desc.source = "#include <all.cl>\n";
    desc.name = "which";
    desc.params = params;
    desc.signature = "int *a";
    desc.global = "1024";
    desc.local = "64";
    desc.compiler_options = options;
    desc.coarsen.form = GPUTUNE_COARSEN_AUTO;
    kernel = gputune_kernel_create(device, &desc);
    CHECK_TEXT(gputune_kernel_error(kernel)->text, "");
    CHECK_INT(kernel->coarsened.form, GPUTUNE_COARSEN_THREAD);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    remove(path);
    remove(folder);
}

static int source_allocations;

static void *source_counted(void *user, void *memory, size_t bytes)
{
    source_allocations += bytes > 0;
    return source_moves(user, memory, bytes);
}

// Kernels of one text have it converted once. A text that includes files is read anew.
static void test_source_made_once(void)
{
    static const char *const names[] = { "k0", "k1", "k0" };
    char folder[] = "/tmp/gputune-XXXXXX", path[64], options[64], text[4000] = "", first[4000] = "";
    gputune_options device_options;
    gputune_kernel_desc desc;
    gputune_device *device;
    gputune_kernel *kernel;
    const gputune_space *space = NULL;
    gputune_config config;
    gputune_arg arg;
    FILE *file;
    int i, counts[3], a[1];
    memset(&device_options, 0, sizeof device_options);
    device_options.reallocate = source_counted;
    device = source_device("PRELUDE", &device_options);
    arg = gputune_inout(a, sizeof a);
    for (i = 0; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 "__kernel void k%d(__global int *a) { a[get_global_id(0)] = 1; }\n", i);
    for (i = 0; i < 3; i++) {
        kernel = source_kernel(device, text, names[i], "64");
        CHECK_INT(test_space_of(kernel, &arg, 1, &space), GPUTUNE_OK);
        config = gputune_space_default(space);
        source_allocations = 0;
        if (!*first) snprintf(first, sizeof first, "%s", gputune_kernel_source(kernel, &config));
        else CHECK_TEXT(gputune_kernel_source(kernel, &config), first);
        counts[i] = source_allocations;
        gputune_kernel_destroy(kernel);
    }
    CHECK_HAS(first, "__global__ void k0(");
    CHECK_OR(4 * counts[1] < counts[0] && 4 * counts[2] < counts[0], "%d, %d and %d allocations",
             counts[0], counts[1], counts[2]);
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/v.h", folder);
    snprintf(options, sizeof options, "-I%s", folder);
    memset(&desc, 0, sizeof desc);
    desc.source = "#include <v.h>\n__kernel void f(__global int *a) { a[0] = V; }\n";
    desc.name = "f";
    desc.global = "64";
    desc.compiler_options = options;
    kernel = gputune_kernel_create(device, &desc);
    for (i = 1; i < 4; i++) {
        file = fopen(path, "w");
        CHECK(file != NULL);
        if (!file) break;
        fprintf(file, "#define V %d\n", i);
        fclose(file);
        if (i == 1) CHECK_INT(test_space_of(kernel, &arg, 1, &space), GPUTUNE_OK);
        config = gputune_space_default(space);
        snprintf(first, sizeof first, "a[0] = %d;", i);
        CHECK_HAS(gputune_kernel_source(kernel, &config), first);
    }
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    remove(path);
    remove(folder);
}

// What is wrong, where, and what to do.
static void test_source_messages(void)
{
    static const char image[] = "__kernel void f(__global float *x, read_only image2d_t im) {}";
    static const char plain[] = "__kernel void f(__global float *x, int n) {}";
    gputune_device *device = source_device(NULL, NULL);
    gputune_geometry geometry;
    gputune_config config;
    gputune_kernel *k;
    gputune_arg args[2];
    float x[4];
    const gputune_space *space = NULL;
    args[0] = gputune_inout(x, sizeof x);
    args[1] = gputune_in(x, sizeof x);
    k = source_kernel(device, " \n\t", "f", "1");
    CHECK_TEXT(gputune_kernel_error(k)->text, "kernel f: the source is empty");
    gputune_kernel_destroy(k);
    k = source_kernel(device, image, "f", "1");
    CHECK_INT(gputune_run(k, args, 2), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(k)->text, "argument 1 (im) is of a type that cannot be read: "
                                            "a struct, an image");
    args[1] = gputune_int(1);
    CHECK_INT(gputune_run(k, args, 2), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(k)->text, "gputune_bytes");
    gputune_kernel_destroy(k);
    k = source_kernel(device, plain, "f", "m"); // x has no value, and is not among what is known
    CHECK_INT(gputune_run(k, args, 2), GPUTUNE_ERROR_SYMBOL);
    CHECK_HAS(gputune_kernel_error(k)->text, "(known: n max_group_size");
    gputune_kernel_destroy(k);
    k = source_kernel(device, plain, "f", "n - 65");
    CHECK_INT(test_space_of(k, args, 2, &space), GPUTUNE_OK);
    config = gputune_space_default(space);
    CHECK_INT(gputune_kernel_geometry(k, &config, args, 2, &geometry), GPUTUNE_ERROR_LAUNCH);
    CHECK_TEXT(gputune_kernel_error(k)->text,
               "global \"n - 65\" is -64 for these arguments, not 0 or more");
    gputune_kernel_destroy(k);
    gputune_device_destroy(device);
}

// Sizes of a launch that no size_t holds, alone, rounded up to a multiple of the work-group, as
// product or as sum, are errors. On a machine of 32 bits that is sooner.
static void test_source_sizes(void)
{
    static const char text[] = "__kernel void f(__global float *x, int n, __local float *a, "
                               "__local float *b, __local float *c, __local float *d) {}";
    static const struct {
        const char *global, *local, *bytes, *part;
        uint64_t expected; // work-items of the first dimension; 0: an error with that part
    } rows[] = {
        { "n * 1e30", NULL, "4", "global \"n * 1e30\" is ", 0 },
        { "n / 0.0", NULL, "4", "", 0 },
        { "2147483648", "64", "4", NULL, 2147483648u },
        { "4294967295", NULL, "4", NULL, 4294967295u },
        { "4294967232", "64", "4", NULL, 4294967232u },
        { "4294967233", "64", "4", "not 4294967232 or less", 4294967296u },
        { "4294967296", NULL, "4", "not 4294967295 or less", 4294967296u },
        { "9223372036854775807", "1", "4", "not 4294967295 or less", INT64_MAX },
        { "64", "4294967297", "4", "local \"", 4294967297u },
        { "1", "4194304, 4194304, 1048576", "4", "the device allows 1024", 0 },
        { "1", "65536, 65536", "4", "a work-group of 4294967296 work-items", 0 },
        { "64", NULL, "4611686018427387904", "local memory", 0 },
        { "64", NULL, "1073741824", "4294967296 bytes of local memory", 0 },
    };
    gputune_device *device = source_device(NULL, NULL);
    float x[4];
    size_t i;
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        const gputune_space *space = NULL;
        const bool groups = !rows[i].expected && rows[i].local;
        gputune_kernel_desc desc;
        gputune_geometry geometry;
        gputune_config config;
        gputune_kernel *k;
        gputune_arg args[6];
        int a;
        args[0] = gputune_inout(x, sizeof x);
        args[1] = gputune_int(1);
        for (a = 2; a < 6; a++) args[a] = gputune_local(rows[i].bytes);
        device->limits.max_group_size = groups ? 1024 : 0;
        device->limits.max_group_x = device->limits.max_group_y = device->limits.max_group_z = 0;
        memset(&desc, 0, sizeof desc);
        desc.source = text;
        desc.name = "f";
        desc.global = groups ? "1, 1, 1" : rows[i].global;
        desc.local = rows[i].local;
        if (groups && !strchr(strchr(desc.local, ',') + 1, ',')) desc.global = "1, 1";
        k = gputune_kernel_create(device, &desc);
        CHECK_INT(test_space_of(k, args, 6, &space), GPUTUNE_OK);
        if (!space) break;
        config = gputune_space_default(space);
        if (rows[i].expected && (!rows[i].part || sizeof(size_t) > 4)) {
            CHECK_INT(gputune_kernel_geometry(k, &config, args, 6, &geometry), GPUTUNE_OK);
            CHECK_OR(geometry.global[0] == rows[i].expected, "%s: %llu", rows[i].global,
                     (unsigned long long)geometry.global[0]);
        } else {
            CHECK(gputune_kernel_geometry(k, &config, args, 6, &geometry) != GPUTUNE_OK);
            CHECK_HAS(gputune_kernel_error(k)->text, sizeof(size_t) > 4 || rows[i].expected ||
                                                             i < 2
                                                         ? rows[i].part
                                                         : "");
        }
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
}

// Arguments in another order: which one, what the kernel has there, and the function for it.
static void test_source_swapped(void)
{
    static const char text[] = "__kernel void f(int n, __global const float *x, float a) {}";
    static const char *const parts[] = {
        "argument 0 (n) is int in the kernel, a buffer given; pass gputune_int(n)",
        "argument 1 (x) is a pointer to const in the kernel, 7 given; pass gputune_in(7)",
        "argument 2 (a) is float in the kernel, an output given; pass gputune_float(a)",
        "argument 1 (x) is a pointer to const in the kernel, an output given; pass gputune_in(x)",
        "argument 0 (n) is int in the kernel, 7 given; pass gputune_int(7)"
    };
    gputune_device *device = source_device(NULL, NULL);
    float x[4];
    size_t i;
    for (i = 0; i < sizeof parts / sizeof *parts; i++) {
        gputune_kernel *k = source_kernel(device, text, "f", "ceil_div(n, 4)");
        gputune_arg args[3];
        args[0] = i == 0   ? gputune_in(x, sizeof x)
                  : i == 4 ? gputune_float(7) : gputune_int(7);
        args[1] = i == 1   ? gputune_int(7)
                  : i == 3 ? gputune_out(x, sizeof x) : gputune_in(x, sizeof x);
        args[2] = i == 2 ? gputune_out(x, sizeof x) : gputune_float(2);
        CHECK_INT(gputune_run(k, args, 3), GPUTUNE_ERROR_ARGUMENT);
        CHECK_HAS(gputune_kernel_error(k)->text, parts[i]);
        gputune_kernel_destroy(k);
    }
    gputune_device_destroy(device);
}

// A pragma that is nearly ours is named, with its line; others are not.
static void test_source_near_pragma(void)
{
    static const char *const near_[] = { "gputun", "GPUTUNE", "gpputune", "gputnue", "gptune",
                                         "gpu_tune", "hputune", "pgutune" };
    static const char *const far_[] = { "unroll", "gputune", "OPENCL", "once", "omp", "acc",
                                        "tune", "clang" };
    char heard[300], text[300];
    gputune_options options;
    gputune_device *device;
    int i;
    memset(&options, 0, sizeof options);
    options.log = source_heard;
    options.user = heard;
    device = source_device(NULL, &options);
    for (i = 0; i < 16; i++) {
        const char *word = i < 8 ? near_[i] : far_[i - 8];
        heard[0] = 0;
        snprintf(text, sizeof text, "\n#pragma %s set 1,2\n#define A 1\n__kernel void f(void) {}",
                 word);
        gputune_kernel_destroy(source_kernel(device, text, "f", "1"));
        if (i < 8)
            CHECK_HAS(heard, "f: line 2: not read: is #pragma gputune meant?: #pragma ");
        else
            CHECK_TEXT(heard, "");
        if (i < 8) CHECK_HAS(heard, word);
    }
    gputune_device_destroy(device);
}

static const test_case source_cases[] = {
    { "annotations", test_source_annotations },
    { "param_limits", test_source_param_limits },
    { "errors", test_source_errors },
    { "inject", test_source_inject },
    { "required_group", test_source_required_group },
    { "macros", test_source_macros },
    { "compiler_macros", test_source_compiler_macros },
    { "heads_long", test_source_heads_long },
    { "coarsened_includes", test_source_coarsened_includes },
    { "made_once", test_source_made_once },
    { "messages", test_source_messages },
    { "sizes", test_source_sizes },
    { "swapped", test_source_swapped },
    { "near_pragma", test_source_near_pragma },
    { "require_and_geometry", test_source_require_and_geometry },
    { "signatures", test_source_signatures },
    { "own_signature", test_source_own_signature },
    { "made_heads", test_source_made_heads },
    { "read_twice", test_source_read_twice },
    { "options", test_source_options },
    { "fuzz", test_source_fuzz },
    { "no_memory", test_source_no_memory },
    { NULL, NULL },
};
