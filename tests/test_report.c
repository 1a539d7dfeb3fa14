// [report]: what a page says and holds as JSON, that it is well-formed whatever stands in it, files
// and folders, what fails. What its script draws is for tests/report/check.py.
#include "test.h"

#include <unistd.h>

// Pages are long: only what they lack is said.
#define REPORT_HAS(page, part) CHECK_OR(strstr(page, part) != NULL, "no \"%s\"", part)

// --- reading pages ---

static char *report_text; // of the last page read; freed by the next reading

static const char *report_read(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t size = 0;
    free(report_text);
    report_text = (char *)calloc(1, 4000000);
    if (!f || !report_text) {
        if (f) fclose(f);
        return "";
    }
    size = fread(report_text, 1, 3999999, f);
    fclose(f);
    report_text[size] = 0;
    return report_text;
}

// Past a value of JSON and the blanks behind it, or NULL.
static const char *report_json(const char *s)
{
    static const char *const words[] = { "null", "true", "false" };
    const char end = *s == '[' ? ']' : '}';
    char *number;
    int i;
    if (*s == '"') {
        for (s++; *s != '"'; s++) {
            if ((unsigned char)*s < 0x20) return NULL;
            if (*s == '\\' && !strchr("\"\\nu", *++s)) return NULL;
            if (*s == 'u' && s[-1] == '\\' && strspn(s + 1, "0123456789abcdef") < 4) return NULL;
        }
        return s + 1 + strspn(s + 1, "\n");
    }
    if (*s == '[' || *s == '{') {
        s++;
        if (*s == end) return s + 1 + strspn(s + 1, "\n");
        for (;; s++) {
            s += strspn(s, "\n");
            if (end == '}' && (*s != '"' || !(s = report_json(s)) || *s++ != ':')) return NULL;
            if (!(s = report_json(s))) return NULL;
            if (*s == end) return s + 1 + strspn(s + 1, "\n");
            if (*s != ',') return NULL;
        }
    }
    for (i = 0; i < 3; i++)
        if (strncmp(s, words[i], strlen(words[i])) == 0) return s + strlen(words[i]);
    if (*s != '-' && !(*s >= '0' && *s <= '9')) return NULL;
    (void)strtod(s, &number);
    return number;
}

// The array of this name in a page's JSON; NULL: there is none.
static const char *report_array(const char *page, const char *name)
{
    char key[40];
    const char *at = strstr(page, "id='data'>");
    snprintf(key, sizeof key, "\"%s\":[", name);
    at = at ? strstr(at, key) : NULL;
    return at ? at + strlen(key) - 1 : NULL;
}

// How many such texts an array holds; NULL: its elements; -1: there is no such array.
static int report_count(const char *page, const char *name, const char *part)
{
    const char *at = report_array(page, name), *end = at ? report_json(at) : NULL, *s;
    int count = 0;
    if (!end) return -1;
    if (at[1] == ']') return 0;
    for (s = at; part && (s = strstr(s, part)) != NULL && s < end; s++) count++;
    for (s = at; !part && *s != ']'; count++) s = report_json(s + 1 + strspn(s + 1, "\n"));
    return count;
}

static int report_texts(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)) != NULL; text += strlen(part)) count++;
    return count;
}

// Past the attributes of a tag, or NULL.
static const char *report_attributes(const char *s)
{
    while (*s && *s != '>' && *s != '/') {
        s += strspn(s, " \n");
        if (*s == '>' || *s == '/') break;
        s += strcspn(s, "= />");
        if (s[0] != '=' || s[1] != '\'') return NULL;
        s += 2;
        s += strcspn(s, "'<&");
        if (*s != '\'') return NULL;
        s++;
    }
    return *s ? s : NULL;
}

// Is a text XML but for its first line and its scripts? NULL, or where it is not.
static const char *report_broken(const char *text)
{
    char open[64][24];
    int depth = 0;
    const char *s = strchr(text, '\n'), *end;
    if (strncmp(text, "<!DOCTYPE html>\n", 16) != 0) return text;
    for (s++; *s; s++) {
        if ((unsigned char)*s < 0x20 && *s != '\n') return s;
        if (*s == '&') {
            end = strchr(s, ';');
            if (!end || end - s > 6) return s;
            if (s[1] != '#' || (int)strspn(s + 2, "0123456789") != end - s - 2) return s;
        } else if (*s == '<' && s[1] == '/') {
            const size_t length = strcspn(s + 2, ">");
            if (!depth-- || strlen(open[depth]) != length ||
                strncmp(open[depth], s + 2, length) != 0)
                return s;
            s += 2 + length;
        } else if (*s == '<') {
            const size_t length = strcspn(s + 1, " />");
            if (length >= sizeof open[0] || depth == 64) return s;
            memcpy(open[depth], s + 1, length);
            open[depth][length] = 0;
            end = report_attributes(s + 1 + length);
            if (!end) return s;
            depth += *end == '>';
            s = *end == '/' ? end + 1 : end;
            if (*s != '>') return s;
            if (strcmp(open[depth - 1], "script") == 0) s = strstr(s, "</script>") - 1;
        }
    }
    return depth ? s : NULL;
}

// It stands alone, in every sense.
static void report_whole(const char *text)
{
    const char *broken = report_broken(text), *data = strstr(text, "id='data'>"), *end;
    CHECK_OR(!test_not_utf8(text), "not UTF-8: %.80s", test_not_utf8(text));
    CHECK_OR(!broken, "not well-formed: %.80s", broken);
    CHECK(!strstr(text, "http") && !strstr(text, "url(") && !strstr(text, "@import"));
    CHECK(!strstr(text, " src=") && !strstr(text, "nan") && !strstr(text, "(null)"));
    if (!data) return;
    data += 10;
    end = report_json(data);
    CHECK_OR(end && strncmp(end, "</script>", 9) == 0, "no JSON: %.80s", data);
    if (end) CHECK_INT(memchr(data, '<', (size_t)(end - data)) == NULL, true);
    data = strstr(data, "\xe2\x80\xa8"); // U+2028
    CHECK(!end || !data || data > end);
}

static char report_path[160];

static const char *report_page(gputune_kernel *kernel)
{
    snprintf(report_path, sizeof report_path, "%s/page.html", tune_folder);
    CHECK_OR(!gputune_kernel_write(kernel, report_path), "%s", gputune_kernel_error(kernel)->text);
    report_whole(report_read(report_path));
    return report_text;
}

// --- what it says ---

static void test_report_page(void)
{
    tune_rig r;
    gputune_outcome o;
    const char *page;
    tune_temp();
    tune_rig_init(&r, "");
    r.world.bad_word = "B=512";
    r.world.bad = GPUTUNE_ERROR_RESOURCES;
    r.desc.compiler_options = "-DFAST=1";
    r.desc.tune.seed = 12345;
    snprintf(r.replay.limits.name, sizeof r.replay.limits.name, "a device");
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    r.kernel->failed = true; // as by a launch after the tuning
    page = report_page(r.kernel);
    REPORT_HAS(page, "<h1>kernel</h1>");
    REPORT_HAS(page, "<b>n=2^12 -DFAST=1</b> a device, replay 1, gputune " GPUTUNE_VERSION
                    ", 20");
    REPORT_HAS(page, " x: B=64 U=4 (1"); // without the script, too
    CHECK(r.kernel->failed);
    REPORT_HAS(page, "52 trials in ");
    REPORT_HAS(page, "4 failed.</p>");
    REPORT_HAS(page, "#define B 64&#10;#define U 4&#10;");
    REPORT_HAS(page, "seed 12345");
    REPORT_HAS(page, "compiler options -DFAST=1</p>");
    REPORT_HAS(page, "{\"unit\":\"s\",\"objective\":\"time of a launch\",");
    REPORT_HAS(page, "\"params\":[\"B\",\"U\"],");
    REPORT_HAS(page, "\"default\":[32,1],\"best\":[64,4],\"head\":[[0.00207");
    REPORT_HAS(page, "\"all\":52,");
    CHECK_INT(report_count(page, "trials", NULL), 52);
    CHECK_INT(report_count(page, "trials", ",null,"), 4);
    CHECK_INT(report_count(page, "trials", "[512,2],null,"), 1);
    CHECK_INT(report_count(page, "reasons", NULL), 2); // and others
    CHECK_INT(report_count(page, "reasons", "[\"resources\",\"replay: "), 1);
    CHECK_INT(report_count(page, "race", NULL), 4);
    CHECK_INT(report_count(page, "race", "[[32,1],0.002"), 1);
    CHECK_INT(report_count(page, "store", NULL), 0);
    CHECK(!report_array(page, "curve") && !report_array(page, "roof"));
    CHECK(!report_array(page, "variants"));
    tune_close(&r);
    tune_clean();
}

static void report_constant(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    (void)user, (void)config;
    trial->seconds = 1e-3;
}

static void report_watts(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    tune_trial(user, config, trial);
    trial->watts = 100 + 400 / (double)gputune_config_int(config, "U");
}

// A kernel without parameters, of which there is little to say.
static void test_report_plain(void)
{
    static const gputune_param none[] = { { NULL, NULL, NULL } };
    tune_rig r;
    gputune_outcome o;
    const char *page;
    tune_temp();
    tune_rig_init(&r, "");
    r.desc.params = none;
    r.desc.require = NULL;
    r.desc.global = "n";
    r.desc.local = "32";
    r.replay.trial = report_constant;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    page = report_page(r.kernel);
    REPORT_HAS(page, "1 trial in ");
    REPORT_HAS(page, "only the default was tried.</p>");
    REPORT_HAS(page, "\"params\":[],\"default\":[],\"best\":[],");
    CHECK_INT(report_count(page, "trials", NULL), 1);
    tune_close(&r);
    tune_clean();
}

static void test_report_escaped(void)
{
    static const gputune_param params[] = { { "B", "erange 8,512,2", "32" },
                                            { "U", "range 1,8", "1" },
                                            { "WAY", "set plain,</script><!--", NULL },
                                            { NULL, NULL, NULL } };
    tune_rig r;
    gputune_outcome o;
    const char *page;
    tune_temp();
    tune_rig_init(&r, "");
    r.desc.name = "a<b & \"c\">\x01\xc3\xa9</script><!--\xe2\x80\xa8\xe2\x80\xa9\\";
    r.desc.params = params;
    r.desc.compiler_options = "-DX='<&\">'";
    r.desc.tune.budget.trials = 40;
    snprintf(r.replay.limits.name, sizeof r.replay.limits.name, "<i>&amp;");
    r.world.bad_word = "B=64";
    r.world.bad = GPUTUNE_ERROR_COMPILE;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    page = report_page(r.kernel);
    REPORT_HAS(page, "<title>a&#60;b &#38; &#34;c&#34;&#62; \xc3\xa9&#60;/script&#62;&#60;!--");
    REPORT_HAS(page, "[\"compile\",\"replay: \\\"a\\u003cb & \\\"c\\\"> \xc3\xa9\\u003c/script>"
                     "\\u003c!--\\u2028\\u2029\\\\\\\" does not compile\"]");
    REPORT_HAS(page, "\"\\u003c/script>\\u003c!--\"]");
    REPORT_HAS(page, "&#60;i&#62;&#38;amp;");
    REPORT_HAS(page, "-DX=&#39;&#60;&#38;&#34;&#62;&#39;");
    tune_close(&r);
    tune_clean();
}

// Texts are cut between characters; numbers have three digits and a unit.
static void test_report_writing(void)
{
    static const struct { double value; const char *unit, *text; } numbers[] = {
        { 4.13e12, "B/s", "4.13 TB/s" }, { 999.4, "B", "999 B" },  { 999.6, "B", "1 kB" },
        { 0.5, "flop", "0.5 flop" },     { 2e16, "B", "20 PB" },   { 3e18, "B", "3e+03 PB" },
    };
    gt__page page;
    gt__base base;
    char text[48];
    size_t i;
    memset(&page, 0, sizeof page);
    memset(&base, 0, sizeof base);
    page.base = &base;
    page.sheet.b = &base;
    page.sheet.ok = true;
    for (i = 0; i < sizeof numbers / sizeof *numbers; i++)
        CHECK_TEXT(gt__quantity(numbers[i].value, numbers[i].unit, text), numbers[i].text);
    gt__put(&page, "%3s|%3s|%r|%d|%g|%g|%2n|100%'|100%%", "\xc3\xa9\xc3\xa8\xc3\xa0\xc3\xb9",
            "<&>", "<b>", -7, 0.1234567, (double)NAN, 12.34);
    gt__put(&page, "|%t", "\xe2\x80\xa8<\n\xe2\x80\xaa\xe2\x80\xa9\"");
    CHECK_TEXT(page.sheet.text, "\xc3\xa9\xc3\xa8\xc3\xa0\xe2\x80\xa6|&#60;&#38;&#62;|<b>|-7|"
                                "0.12346|null|12|100%'|100%|"
                                "\"\\u2028\\u003c\\n\xe2\x80\xaa\\u2029\\\"\"");
    gt__arr_free(&base, page.sheet.text);
}

// Every text that comes from elsewhere may hold any bytes.
static void test_report_bytes(void)
{
    tune_rig r;
    gputune_outcome o;
    const char *page;
    FILE *index;
    int i;
    tune_temp();
    snprintf(report_path, sizeof report_path, "%s/pages", tune_folder);
    setenv("GPUTUNE_REPORT", report_path, 1);
    snprintf(report_path, sizeof report_path, "%s/pages/index.html", tune_folder);
    for (i = 0; i < 2; i++) {
        tune_rig_init(&r, "");
        r.desc.name = i ? "other" : "k" TEST_BYTES;
        r.desc.compiler_options = "-DX=" TEST_BYTES;
        snprintf(r.replay.limits.name, sizeof r.replay.limits.name, "gpu " TEST_BYTES);
        r.world.bad_word = "B=64";
        r.world.bad = GPUTUNE_ERROR_COMPILE; // its reason has the kernel's name
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        page = report_page(r.kernel);
        if (!i) REPORT_HAS(page, "<title>k" TEST_BYTES_SHOWN "</title>");
        if (!i) REPORT_HAS(page, "\\\"k" TEST_BYTES_SHOWN "\\\" does not compile");
        REPORT_HAS(page, "gpu " TEST_BYTES_SHOWN);
        REPORT_HAS(page, "options -DX=" TEST_BYTES_SHOWN);
        tune_close(&r);
        snprintf(report_path, sizeof report_path, "%s/pages/index.html", tune_folder);
        report_whole(report_read(report_path));
        REPORT_HAS(report_text, "'>k" TEST_BYTES_SHOWN "</a>");
        index = fopen(report_path, "a"); // as an older version wrote it
        CHECK_OR(index && fputs("<tr><td><a href='x.html'>\xff</a></td></tr>\n", index) >= 0 &&
                     fclose(index) == 0, "%s", report_path);
    }
    REPORT_HAS(report_text, "'x.html'>" TEST_WRONG "</a>");
    unsetenv("GPUTUNE_REPORT");
    tune_clean();
}

static void test_report_failed(void)
{
    tune_rig r;
    gputune_outcome o;
    const char *page;
    tune_temp();
    tune_rig_init(&r, "");
    r.world.bad_word = "B=";
    r.world.bad = GPUTUNE_ERROR_COMPILE;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_ERROR_COMPILE);
    page = report_page(r.kernel);
    REPORT_HAS(page, "No answer:</b> kernel kernel, B=32 U=1: replay: ");
    CHECK_INT(report_count(page, "trials", "[[32,1],null,"), 1);
    CHECK_INT(report_count(page, "reasons", "[\"compile\",\"replay: "), 1);
    CHECK(!report_array(page, "best") && !report_array(page, "head") && !strstr(page, "#define"));
    tune_close(&r);
    tune_clean();
}

static void test_report_stored(void)
{
    tune_rig r;
    gputune_outcome o;
    const char *page;
    int run;
    tune_temp();
    for (run = 0; run < 2; run++) {
        tune_rig_init(&r, tune_store);
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        if (run) tune_args(&r, 9);
        if (run) CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        if (run) tune_args(&r, 4096);
        if (run) CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        page = report_page(r.kernel);
        CHECK_INT(report_count(page, "store", "[1,\"n=2^12\",\""), 1);
        if (!run) tune_close(&r);
    }
    REPORT_HAS(page, " x: B=64 U=4 (1");
    REPORT_HAS(page, ", from the store.</p>");
    CHECK_INT(report_count(page, "trials", NULL), 0);
    CHECK_INT(report_count(page, "store", NULL), 2);
    CHECK_INT(report_count(page, "store", "[0,\"n=2^4\",\""), 1);
    CHECK_INT(report_count(page, "store", ",52,\"B=64 U=4\",\"\"]"), 2);
    tune_close(&r);
    tune_rig_init(&r, tune_store);
    r.desc.compiler_options = "-O9"; // answers look alike, and say why they are none for it
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    page = report_page(r.kernel);
    CHECK_INT(report_count(page, "store", ",\"B=64 U=4\",\"options changed\"]"), 2);
    CHECK_INT(report_count(page, "store", ",\"B=64 U=4\",\"\"]"), 1);
    tune_close(&r);
    tune_clean();
}

// A page that is passed on names no folder of the machine's.
static void test_report_passed(void)
{
    tune_rig r;
    gputune_outcome o;
    const char *page;
    char store[200], options[300], own[200], *home = getenv("HOME"), kept[400];
    // JSON has \ twice, HTML no '.
    static const char *const homes[] = { "C:\\Users\\jo", "\\\\srv\\O'Neil" };
    char name[60];
    int elsewhere, i;
    snprintf(kept, sizeof kept, "%s", home ? home : "");
    tune_temp();
    snprintf(store, sizeof store, "%s/a/store.txt", tune_folder);
    snprintf(options, sizeof options, "-I%s/inc -I%s:/x -I%sb", tune_folder, tune_folder,
             tune_folder);
    snprintf(own, sizeof own, "%s/", tune_folder);
    for (elsewhere = 0; elsewhere < 2; elsewhere++) {
        setenv("HOME", elsewhere ? "/nowhere" : own, 1);
        tune_rig_init(&r, store);
        r.desc.compiler_options = elsewhere ? NULL : options;
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        page = report_page(r.kernel);
        REPORT_HAS(page, elsewhere ? "; store store.txt</p>" : "; store ~/a/store.txt</p>");
        if (!elsewhere) REPORT_HAS(page, "; compiler options -I~/inc -I~:/x -I/");
        CHECK_INT(report_texts(page, own), 0);
        tune_close(&r);
    }
    for (i = 0; i < 2; i++) {
        setenv("HOME", homes[i], 1);
        tune_rig_init(&r, store);
        snprintf(name, sizeof name, "%s\\k", homes[i]); // reasons have it
        snprintf(options, sizeof options, "-I%s\\inc -I%se in %s", homes[i], homes[i], homes[i]);
        r.desc.name = name;
        r.desc.compiler_options = options;
        r.world.bad_word = "B=64";
        r.world.bad = GPUTUNE_ERROR_COMPILE;
        tune_open(&r);
        CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
        page = report_page(r.kernel);
        REPORT_HAS(page, "<title>~\\k</title>");
        REPORT_HAS(page, "options -I~\\inc -I");
        REPORT_HAS(page, "e in ~;");
        REPORT_HAS(page, "\\\"~\\\\k\\\" does not compile");
        tune_close(&r);
    }
    setenv("HOME", kept, 1);
    tune_clean();
}

// Reasons are written once, and a hundred of them at most.
static void report_reasons(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    tune_trial(user, config, trial);
    if (gputune_config_int(config, "V") > 1) trial->result = GPUTUNE_ERROR_WRONG_OUTPUT;
}

static void test_report_reasons(void)
{
    static const gputune_param params[] = { { "B", "erange 8,512,2", "32" },
                                            { "U", "range 1,8", "1" },
                                            { "V", "range 1,9", NULL }, { NULL, NULL, NULL } };
    tune_rig r;
    gputune_outcome o;
    const char *page;
    int i, failed = 0;
    tune_temp();
    tune_rig_init(&r, "");
    r.desc.params = params;
    r.desc.require = NULL;
    r.replay.trial = report_reasons;
    r.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.desc.tune.budget.trials = 160;
    r.desc.tune.budget.seconds = -1;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    for (i = 0; i < o.trials; i++) {
        gputune_trial *t = (gputune_trial *)(uintptr_t)gputune_kernel_trial(r.kernel, i);
        if (!t->result || ++failed > 104) continue;
        snprintf((char *)(uintptr_t)t->reason, strlen(t->reason) + 1, "%d",
                 failed < 3 ? 1 : failed);
    }
    CHECK(failed > 104);
    page = report_page(r.kernel);
    CHECK_INT(report_count(page, "reasons", NULL), 101);
    CHECK_INT(report_count(page, "reasons", "[\"wrong_output\",\"1\"]"), 1);
    CHECK_INT(report_count(page, "reasons", "[\"wrong_output\",\"101\"]"), 1);
    CHECK_INT(report_count(page, "reasons", "[\"others\",\"\"]"), 1);
    CHECK_INT(report_count(page, "trials", ",99]"), 1);
    CHECK_INT(report_count(page, "trials", ",100]"), failed - 101);
    tune_close(&r);
    tune_clean();
}

static void test_report_msp(void)
{
    sat_rig r;
    gputune_outcome o;
    const char *page;
    char saturation[64];
    tune_temp();
    sat_init(&r, "");
    tune_open(&r.t);
    CHECK_INT(test_tunes(r.t.kernel, r.t.args, 4, &o), GPUTUNE_OK);
    CHECK(o.curve != NULL);
    page = report_page(r.t.kernel);
    REPORT_HAS(page, "\"objective\":\"time at the size searched on\"");
    CHECK_INT(report_count(page, "curve", NULL), o.curve->count);
    snprintf(saturation, sizeof saturation, "[%d,\"saturated from ", o.curve->saturation.msp);
    CHECK_HAS(report_array(page, "msp"), saturation);
    tune_close(&r.t);
    tune_clean();
}

static void test_report_energy(void)
{
    tune_rig r;
    gputune_outcome o;
    const char *page, *at;
    double n[6] = { 0 };
    tune_temp();
    tune_rig_init(&r, "");
    r.replay.trial = report_watts;
    r.desc.tune.objective = "energy";
    r.desc.tune.budget.trials = 20;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    page = report_page(r.kernel);
    REPORT_HAS(page, "\"unit\":\"\",\"objective\":\"energy\"");
    at = report_array(page, "trials"); // [[32,1],value,when,samples,spread,time,energy]
    CHECK_INT(at ? sscanf(at, "[ [[32,1],%lf,%lf,%lf,%lf,%lf,%lf]", &n[0], &n[1], &n[2], &n[3],
                          &n[4], &n[5]) : 0, 6);
    CHECK(fabs(n[5] / (500 * n[4]) - 1) < 0.01 && fabs(n[0] / n[5] - 1) < 0.01); // of 500 W
    tune_close(&r);
    tune_clean();
}

static void test_report_roofline(void)
{
    tune_rig r;
    gputune_outcome o;
    gputune_figures figures = { 4e12, 64e6, 8e12, 6e13, 3e13, 4e-6 };
    const char *page, *at;
    double n[4] = { 0 };
    tune_temp();
    tune_rig_init(&r, "");
    r.desc.work = "flops = 5e6 * n; bytes = 1e4 * n";
    tune_open(&r);
    r.kernel->answers->figures = figures;
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK(o.bounds != NULL);
    page = report_page(r.kernel);
    at = report_array(page, "roof");
    CHECK_INT(at ? sscanf(at, "[%lf,%lf,%lf,%lf]", &n[0], &n[1], &n[2], &n[3]) : 0, 4);
    CHECK(fabs(n[0] / o.bounds->flops - 1) < 1e-4 && fabs(n[1] / o.bounds->bytes - 1) < 1e-4);
    CHECK(fabs(n[2] / 6e13 - 1) < 1e-4 && n[3] > 3.9e12);
    REPORT_HAS(page, "34 % of what multiply-adds reach");
    tune_close(&r);
    tune_clean();
}

// Each trial is a row.
static void report_size(int trials, size_t most)
{
    static const gputune_param params[] = { { "B", "erange 8,512,2", "32" },
                                            { "U", "range 1,500", "1" },
                                            { "V", "range 1,9", NULL },
                                            { NULL, NULL, NULL } };
    tune_rig r;
    gputune_outcome o;
    tune_temp();
    tune_rig_init(&r, "");
    r.desc.params = params;
    r.desc.require = NULL;
    r.desc.tune.strategy = GPUTUNE_STRATEGY_RANDOM;
    r.desc.tune.budget.trials = trials;
    r.desc.tune.budget.seconds = -1;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(o.trials, trials);
    report_page(r.kernel);
    CHECK_OR(strlen(report_text) < most, "%d trials make %d bytes", trials,
             (int)strlen(report_text));
    CHECK_INT(report_count(report_text, "trials", NULL), trials);
    CHECK_INT(report_count(report_text, "trials", ",0,1,"), 0); // they follow one another
    tune_close(&r);
    tune_clean();
}

static void test_report_sizes(void)
{
    report_size(1, 20000);
    report_size(1000, 75000);
    report_size(5000, 300000);
}

// --- files ---

static void test_report_errors(void)
{
    tune_rig r;
    gputune_outcome o;
    char path[200];
    CHECK_INT(gputune_kernel_write(NULL, "a.html"), GPUTUNE_ERROR_MEMORY);
    tune_temp();
    tune_rig_init(&r, "");
    tune_open(&r);
    CHECK_INT(gputune_kernel_write(r.kernel, "a.html"), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "it has not been tuned");
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_INT(gputune_kernel_write(r.kernel, "page.htm"), GPUTUNE_ERROR_ARGUMENT);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, "page.htm");
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, ".html");
    CHECK_INT(gputune_kernel_write(r.kernel, ""), GPUTUNE_ERROR_ARGUMENT);
    snprintf(path, sizeof path, "%s/none/page.html", tune_folder);
    CHECK_INT(gputune_kernel_write(r.kernel, path), GPUTUNE_ERROR_FILE);
    CHECK_HAS(gputune_kernel_error(r.kernel)->text, path);
    report_page(r.kernel);
    fault_arm(FAULT_WRITE, 1, ENOSPC); // and what is there stays
    CHECK_INT(gputune_kernel_write(r.kernel, report_path), GPUTUNE_ERROR_FILE);
    CHECK(fault_done);
    report_whole(report_read(report_path));
    CHECK_INT(gputune_kernel_launch(r.kernel, &o.config, r.args, 4), GPUTUNE_OK);
    tune_close(&r);
    tune_clean();
}

// Whatever allocation fails, there is an error and the old page, or a whole new one.
static void test_report_memory(void)
{
    tune_rig r;
    gputune_outcome o;
    tune_memory memory;
    long n;
    int written = 0;
    memset(&memory, 0, sizeof memory);
    memory.until = -1;
    tune_temp();
    tune_rig_init(&r, tune_store);
    r.replay.options.log = NULL;
    r.replay.options.reallocate = tune_reallocate;
    r.replay.options.user = &memory;
    tune_open(&r);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    report_page(r.kernel);
    for (n = 0; n < 100000 && !written; n++) {
        const long blocks = memory.blocks;
        gputune_result result;
        memory.until = n;
        result = gputune_kernel_write(r.kernel, report_path);
        memory.until = -1;
        written = result == GPUTUNE_OK;
        CHECK_OR(written || result == GPUTUNE_ERROR_MEMORY, "after %ld allocations: %s", n,
                 gputune_kernel_error(r.kernel)->text);
        CHECK_INT(memory.blocks, blocks);
        report_whole(report_read(report_path));
    }
    CHECK(written && n > 5);
    snprintf(report_path, sizeof report_path, "%s/index.html", tune_folder);
    setenv("GPUTUNE_REPORT", tune_folder, 1); // the folder's list, too
    for (n = written = 0; n < 100000 && !written; n++) {
        const long blocks = memory.blocks;
        memory.until = n;
        CHECK_INT(gt__problem_report(r.kernel, r.kernel->last, NULL, &r.kernel->base.error),
                  GPUTUNE_OK);
        memory.until = -1;
        CHECK_INT(memory.blocks, blocks);
        written = *report_read(report_path) != 0;
        if (written) report_whole(report_text);
    }
    CHECK(written && n > 10);
    unsetenv("GPUTUNE_REPORT");
    tune_close(&r);
    CHECK_INT(memory.blocks, 0);
    tune_clean();
}

static void report_tune(int n, const char *store, gputune_mode mode, const char *expected)
{
    tune_rig r;
    gputune_outcome o;
    tune_rig_init(&r, store);
    r.replay.options.mode = mode;
    tune_open(&r);
    tune_args(&r, n);
    CHECK_INT(test_tunes(r.kernel, r.args, 4, &o), GPUTUNE_OK);
    CHECK_OR(!strstr(r.log.text, "no report") == !expected, "%s", r.log.text);
    if (expected) CHECK_HAS(r.log.text, expected);
    tune_close(&r);
}

static const char *report_index(void)
{
    char path[200];
    snprintf(path, sizeof path, "%s/new/er/index.html", tune_folder);
    report_whole(report_read(path));
    return report_text;
}

// The environment's file, and its folder with a list.
static void test_report_environment(void)
{
    char path[160], page[200];
    const char *index, *name;
    tune_temp();
    snprintf(path, sizeof path, "%s/own.html", tune_folder);
    setenv("GPUTUNE_REPORT", path, 1);
    report_tune(4096, tune_store, GPUTUNE_MODE_OFF, NULL);
    CHECK_TEXT(report_read(path), ""); // nothing was tuned
    report_tune(4096, tune_store, GPUTUNE_MODE_ON, NULL);
    report_whole(report_read(path));
    CHECK_INT(report_count(report_text, "trials", NULL), 52);
    report_tune(4096, tune_store, GPUTUNE_MODE_ON, NULL);
    REPORT_HAS(report_read(path), ", from the store.</p>");
    snprintf(path, sizeof path, "%s/new/er", tune_folder);
    setenv("GPUTUNE_REPORT", path, 1);
    report_tune(4096, tune_store, GPUTUNE_MODE_FORCE, NULL);
    report_tune(100, tune_store, GPUTUNE_MODE_ON, NULL);
    report_tune(4096, tune_store, GPUTUNE_MODE_FORCE, NULL); // on top again
    index = report_index();
    CHECK_INT(report_texts(index, "<tr><td><a href="), 2);
    CHECK_INT(report_texts(index, "<td>n=2^12</td>"), 1);
    CHECK_INT(report_texts(index, "<td>n=2^7</td>"), 1);
    CHECK(strstr(index, "n=2^12") < strstr(index, "n=2^7"));
    REPORT_HAS(index, " \xc3\x97</td>");
    name = strstr(index, "<a href='");
    if (name) {
        snprintf(page, sizeof page, "%s/%.*s", path, (int)strcspn(name + 9, "'"), name + 9);
        report_whole(report_read(page));
        REPORT_HAS(report_text, "<b>n=2^12</b>");
    }
    setenv("GPUTUNE_REPORT", "/proc/none/page.html", 1);
    report_tune(50, tune_store, GPUTUNE_MODE_ON, "no report: cannot write /proc/none/page.html");
    setenv("GPUTUNE_REPORT", "/proc/none/folder", 1);
    report_tune(20, tune_store, GPUTUNE_MODE_ON, "no report: cannot make /proc/none/folder");
    setenv("GPUTUNE_REPORT", "", 1);
    report_tune(10, tune_store, GPUTUNE_MODE_ON, NULL);
    unsetenv("GPUTUNE_REPORT");
    tune_clean();
}

// Ask/tell has a page, too, of numbers without a unit, and one for a search, not for each look.
static void test_report_ask_tell(void)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    int i;
    tune_temp();
    snprintf(report_path, sizeof report_path, "%s/ask.html", tune_folder);
    setenv("GPUTUNE_REPORT", report_path, 1);
    memset(&desc, 0, sizeof desc);
    desc.space.params = tune_params;
    desc.space.options.store = tune_store;
    desc.name = "a loop";
    tuner = gputune_tuner_create(&desc);
    while (test_asks(tuner, &config))
        CHECK_INT(gputune_tell(tuner, &config, 1e3 * tune_formula(&config)), GPUTUNE_OK);
    for (i = 0; i < 2; i++) {
        CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
        report_read(report_path);
        if (i) CHECK_TEXT(report_text, "");
        if (!i) report_whole(report_text);
        if (!i) REPORT_HAS(report_text, "<h1>a loop</h1>");
        if (!i) REPORT_HAS(report_text, "\"best\":[64,4],\"head\":[[2.07");
        unlink(report_path);
    }
    gputune_tuner_destroy(tuner);
    unsetenv("GPUTUNE_REPORT");
    tune_clean();
}

// Whatever numbers are told, there is a page, and it says what can be said.
static void test_report_told(void)
{
    static const struct {
        double values[3]; // in turn, NaN: it fails; the first is the default's
        const char *name, *said, *head; // in words; default, best and speed-up in JSON
    } told[] = {
        // Their spread is a number where arithmetic is x87's, and none elsewhere.
        { { 1e308, -1e308, 5 }, "huge", " (-1e+308, default 1e+308), 12 trials in ", ",3],1]" },
        // Subnormal numbers are 0 with -ffast-math.
        { { 1e308, 5e-308, 3e-308 }, "far apart", " (3e-308, default 1e+308)", "[3e-308," },
        { { 1e200, 1e200, 1e200 }, "beyond", "1.00 x: A=1 (1e+200, default 1e+200)",
          "[[1e+200,0,3],[1e+200,0,3],1]" },
        { { -10, -20, -30 }, "negative", " (-30, default -10)", ",3],3]" },
        { { 1, 0, -2 }, "both", " (-2, default 1)", ",3],1]" },
        { { 0, 0, 0 }, "nothing", "1.00 x: A=1 (0, default 0)", "[[0,0,3],[0,0,3],1]" },
        { { 3e-12, 2e-12, 1e-12 }, "small", " (1e-12, default 3e-12)", ",3],3]" },
        { { (double)NAN, 2, 1 }, "a failed default", " (1, the default failed)", "[[null," },
        { { (double)NAN, (double)NAN, (double)NAN }, "failures",
          "<b class='bad'>No answer:</b> no configuration has succeeded (12 of 12 trials failed).",
          NULL },
        { { 2, 1, 1 }, NULL, "<h1>A search</h1>", ",2]" },
    };
    static const gputune_param params[] = { { "A", "range 1,12", "1" }, { NULL, NULL, NULL } };
    gputune_tuner_desc desc;
    size_t i;
    tune_temp();
    snprintf(report_path, sizeof report_path, "%s/told.html", tune_folder);
    for (i = 0; i < sizeof told / sizeof *told; i++) {
        gputune_tuner *tuner;
        gputune_config config;
        const char *head;
        int n = 0;
        memset(&desc, 0, sizeof desc);
        desc.space.params = params;
        desc.space.options.store = "";
        desc.name = told[i].name;
        tuner = gputune_tuner_create(&desc);
        for (; test_asks(tuner, &config); n++) {
            const double value = told[i].values[n % 3];
            CHECK_INT(value == value ? gputune_tell(tuner, &config, value)
                                     : gputune_tell_failed(tuner, &config,
                                                           GPUTUNE_ERROR_COMPILE, NULL),
                      GPUTUNE_OK);
        }
        CHECK_INT(gputune_tuner_write(tuner, report_path), GPUTUNE_OK);
        report_whole(report_read(report_path));
        REPORT_HAS(report_text, told[i].said);
        head = report_array(report_text, "head");
        if (told[i].head)
            CHECK_OR(report_count(report_text, "head", told[i].head) == 1, "%.60s", head);
        CHECK(!head == !told[i].head);
        CHECK(!strstr(report_text, "#define") == !told[i].head);
        gputune_tuner_destroy(tuner);
    }
    tune_clean();
}

// Ask/tell from the store: the page has the answer, and no trials.
static void test_report_known(void)
{
    gputune_tuner_desc desc;
    gputune_tuner *tuner;
    gputune_config config;
    int run;
    tune_temp();
    snprintf(report_path, sizeof report_path, "%s/known.html", tune_folder);
    memset(&desc, 0, sizeof desc);
    desc.space.params = tune_params;
    desc.space.options.store = tune_store;
    desc.name = "a loop";
    for (run = 0; run < 2; run++) {
        tuner = gputune_tuner_create(&desc);
        while (test_asks(tuner, &config))
            CHECK_INT(gputune_tell(tuner, &config, 1e3 * tune_formula(&config)), GPUTUNE_OK);
        CHECK_INT(gputune_tuner_best(tuner, &config), GPUTUNE_OK);
        CHECK_INT(gputune_tuner_write(tuner, report_path), GPUTUNE_OK);
        report_whole(report_read(report_path));
        CHECK_INT(report_count(report_text, "store", "[1,\""), 1);
        CHECK(!report_count(report_text, "trials", NULL) == !!run);
        CHECK(!strstr(report_text, "from the store.</p>") == !run);
        REPORT_HAS(report_text, " x: B=64 U=4 (1, default 2.07), ");
        REPORT_HAS(report_text, "#define B 64&#10;#define U 4");
        gputune_tuner_destroy(tuner);
    }
    tune_clean();
}

static void report_right(HOST_KERNEL)
{
    float *y = (float *)args[1];
    size_t i, n = (size_t)*(const int *)args[0];
    for (i = range->begin[0]; i < range->end[0] && i < n; i++) y[i] = (float)i;
}

// On the rig's clock it takes half the time of the others.
static void report_wrong(HOST_KERNEL)
{
    float *y = (float *)args[1];
    size_t i, n = (size_t)*(const int *)args[0];
    for (i = range->begin[0]; i < range->end[0] && i < n; i++) y[i] = -1;
    pool_took /= 2;
}

// A fast variant is wrong, and the page shows it beside the two others.
static void test_report_pool(void)
{
    enum { N = 100003 };
    static float y[N];
    static const char *const names[] = { "slow <one>", "wrong", "quick" };
    gputune_pool_desc desc;
    gputune_pool *pool;
    gputune_arg args[2];
    pool_rig r;
    int i;
    tune_temp();
    snprintf(report_path, sizeof report_path, "%s/pool.html", tune_folder);
    setenv("GPUTUNE_REPORT", report_path, 1);
    pool_host(&r);
    for (i = 0; i < 3; i++)
        pool_add_function(&r, names[i], i == 1 ? report_wrong : report_right, "64")->signature =
            "int n, float *y";
    pool_clock(&r);
    desc = pool_in_parts(&r, GPUTUNE_PROFILE_FULLY);
    desc.name = "variants";
    pool = gputune_pool_create(r.device, &desc);
    args[0] = arg_int32(N);
    args[1] = gputune_out(y, sizeof y);
    CHECK_INT(gputune_pool_run(pool, args, 2), GPUTUNE_OK);
    CHECK(gputune_pool_outcome(pool)->profiled);
    CHECK_NEAR(gputune_pool_outcome(pool)->variants[2].rate, 64e3, 1e3); // a group takes 1 ms
    report_whole(report_read(report_path));
    REPORT_HAS(report_text, "<h1>variants</h1>");
    REPORT_HAS(report_text, "<p>quick: ");
    CHECK_INT(report_count(report_text, "variants", NULL), 3);
    CHECK_INT(report_count(report_text, "variants", "[\"quick\",1,"), 1);
    CHECK_INT(report_count(report_text, "variants", "[\"slow \\u003cone>\",0,"), 1);
    CHECK_INT(report_count(report_text, "variants", "[\"wrong\",0,"), 1);
    REPORT_HAS(report_text, "\"wrong_output\"");
    unlink(report_path);
    CHECK_INT(gputune_pool_run(pool, args, 2), GPUTUNE_OK); // by who is known: nothing to tell
    CHECK_TEXT(report_read(report_path), "");
    gputune_pool_destroy(pool);
    pool_end(&r);
    unsetenv("GPUTUNE_REPORT");
    tune_clean();
}

static const test_case report_cases[] = {
    { "page", test_report_page },
    { "plain", test_report_plain },
    { "escaped", test_report_escaped },
    { "bytes", test_report_bytes },
    { "writing", test_report_writing },
    { "failed", test_report_failed },
    { "stored", test_report_stored },
    { "passed", test_report_passed },
    { "reasons", test_report_reasons },
    { "msp", test_report_msp },
    { "energy", test_report_energy },
    { "roofline", test_report_roofline },
    { "sizes", test_report_sizes },
    { "errors", test_report_errors },
    { "memory", test_report_memory },
    { "environment", test_report_environment },
    { "ask_tell", test_report_ask_tell },
    { "told", test_report_told },
    { "known", test_report_known },
    { "pool", test_report_pool },
    { NULL, NULL },
};
