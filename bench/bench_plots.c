// The plots of bench/README.md, of the rows in bench/results:
//
//   search.svg       found / optimum over trials: ours, chance, and Kernel Tuner's strategies
//   curves.svg       throughput over size, and where it is saturated
//   coarsening.svg   sixteen programs over their defaults: the best work-group, the best coarsening
//
// sh bench/run.sh plots [FOLDER] writes them to a folder; by default to bench/results.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include <stdio.h>

#include "plots.h"

static gt__base base;

// What stands in a file of bench/results; it is never freed.
static const char *results(const char *name)
{
    char path[200];
    char *text = NULL;
    size_t size;
    gputune_error error;
    snprintf(path, sizeof path, "bench/results/%s", name);
    const gt__place place = gt__place_here(path);
    if (gt__file_text(&base, &place, NULL, false, &text, &size, &error))
        fprintf(stderr, "%s\n", error.text), exit(1);
    return text;
}

// The value of a row; not a number: there is none.
static double row(const char *text, const char *name, const char *after)
{
    char line[200];
    snprintf(line, sizeof line, "result\t%s%s\t", name, after);
    const char *at = strstr(text, line);
    return at ? atof(at + strlen(line)) : (double)NAN;
}

static plot_page page_new(void)
{
    plot_page w;
    memset(&w, 0, sizeof w);
    w.base = w.sheet.b = &base;
    w.sheet.ok = true;
    return w;
}

// The figure of a page as a file of its own, with so much room on its left.
static void page_save(plot_page *w, const char *folder, const char *name, int left, int height)
{
    char path[600];
    const char *from = w->sheet.ok ? strstr(w->sheet.text, "<svg ") : NULL;
    const char *to = from ? strstr(from, "</figure>") : NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = to ? fopen(path, "w") : NULL;
    if (!file) fprintf(stderr, "%s cannot be written\n", path), exit(1);
    fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 720 %d' "
                  "font-family='system-ui,sans-serif' font-size='12'><style>%s</style>"
                  "<rect width='100%%' height='100%%' style='fill:var(--paper)'/>\n"
                  "<svg x='%d' y='36' width='%d' %.*s</svg>\n", height, plot_style, left,
            690 - left, (int)(to - from - 5), from + 5);
    if (fclose(file)) fprintf(stderr, "%s cannot be written\n", path), exit(1);
    printf("result\tplots_%s\t%ld\tbytes\n", name, (long)(to - from));
}

// A strategy's medians, of Kernel Tuner's too, as a line; a mark with a name at one of them.
static void line(plot_page *w, const char *text, const char *strategy, const char *class,
                 const char *name, int at)
{
    static const int trials[] = { 25, 50, 100, 200 };
    for (int i = 0; i < 4; i++) {
        char what[100], after[8];
        snprintf(what, sizeof what, "search_%s", strategy);
        snprintf(after, sizeof after, "_%d", trials[i]);
        const double y = row(text, what, after);
        if (!gt__is_finite(y)) continue;
        plot_add(w, trials[i], y, class, NULL);
        if (name && trials[i] == at) plot_add(w, trials[i], y, class, name);
    }
}

static void plot_search(const char *folder)
{
    static const char *const theirs[] = { "adaptive_tabu_greywolf", "firefly_algorithm", "pso",
                                          "hybrid_vndx", "genetic_algorithm", "dual_annealing" };
    const char *ours = results("search_recorded.txt"), *peer = results("search_peer.txt");
    plot_page w = page_new();
    plot_begin(&w, "#", "trials, failures counted", "", "found / optimum");
    for (int i = 0; i < 6; i++) { // a blank more: lines of their own
        char name[64];
        snprintf(name, sizeof name, "kt.%s", theirs[i]);
        line(&w, peer, name, i % 2 ? "soft " : "soft",
             i == 2 ? "Kernel Tuner, six ways: pso" : NULL, 25);
    }
    line(&w, ours, "random", "old", "random", 200);
    line(&w, ours, "surrogate", "best", "gputune", 100);
    plot_draw(&w);
    page_save(&w, folder, "search.svg", 72, 352);
}

// A kernel's curve of curves_h200.csv, and its saturation point.
static void curve(plot_page *w, const char *text, const char *kernel, const char *class)
{
    double size[64], seconds[64];
    char name[64];
    int count = 0, used;
    for (; count < 64 && text; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (sscanf(text, "%63[^,],%lf,%lf%n", name, &size[count], &seconds[count], &used) == 3 &&
            strcmp(name, kernel) == 0)
            count++;
        if (!*text) break;
    }
    for (int i = 0; i < count; i++) {
        plot_add(w, size[i], size[i] / seconds[i], NULL, NULL);
        plot_add(w, size[i], size[i] / seconds[i], class, NULL);
    }
    const int at = count ? gputune_saturation_of(size, NULL, seconds, count, 0).msp : -1;
    if (at >= 0) plot_add(w, size[at], size[at] / seconds[at], class, kernel);
}

static void plot_curves(const char *folder)
{
    const char *text = results("curves_h200.csv");
    plot_page w = page_new();
    plot_begin(&w, "#", "numbers", "#/s", "numbers a second");
    curve(&w, text, "memory", "best");
    curve(&w, text, "arithmetic", "old");
    plot_draw(&w);
    page_save(&w, folder, "curves.svg", 72, 352);
}

static void plot_coarsening(const char *folder)
{
    enum { HIGH = 20 };
    const char *const text = results("msp_h200_cuda.txt"), *at, *tail = ".group_speedup\t";
    plot_page w = page_new();
    int y = 0, programs = 0;
    plot_begin(&w, "", "", "", "");
    plot_axis_show(&w.x, 0);
    for (at = text; (at = strstr(at, tail)) != NULL; at++, programs++) {
        char name[64];
        const char *from = at;
        while (from[-1] != '\t') from--;
        snprintf(name, sizeof name, "%.*s", (int)(at - from), from);
        plot_axis_show(&w.x, row(text, name, ".max_speedup"));
    }
    w.x.most += 0.1;
    plot_figure(&w, HIGH * programs, "speed-up over the default");
    gt__put(&w, "<text class='soft' x='0' y='-14'>over the default: best work-group (bar), "
                "with coarsening (dot)</text>");
    for (at = text; (at = strstr(at, tail)) != NULL; at++, y += HIGH) {
        char name[64];
        const char *from = at;
        while (from[-1] != '\t') from--;
        snprintf(name, sizeof name, "%.*s", (int)(at - from), from);
        gt__put(&w, "<text class='e' x='-8' y='%d'>%s</text><rect width='%r' y='%d' "
                    "height='10'/><circle class='best' cx='%r' cy='%d'/>\n", y + 14,
                strcmp(name, "mean") == 0 ? "geometric mean" : name,
                plot_percent(plot_axis_at(&w.x, row(text, name, ".group_speedup"))), y + 5,
                plot_percent(plot_axis_at(&w.x, row(text, name, ".max_speedup"))), y + 10);
    }
    plot_axis_below(&w, y, 5);
    gt__put(&w, "</svg></figure>");
    page_save(&w, folder, "coarsening.svg", 130, 36 + HIGH * programs + 30);
}

int main(int argc, char **argv)
{
    const char *folder = argc > 1 ? argv[1] : "bench/results";
    gt__base_init(&base, NULL);
    plot_search(folder);
    plot_curves(folder);
    plot_coarsening(folder);
    return 0;
}
