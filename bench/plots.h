// Plots as SVG, by what gputune.h has for texts: axes, dots, lines and marks with labels.

enum { PLOT_HIGH = 270, PLOT_TICKS = 8 };

typedef struct plot_axis {
    double least, most; // of what is shown; then the ends
    bool log;
    const char *unit, *title;
} plot_axis;

typedef struct plot_point {
    double x, y;
    const char *what; // NULL: a dot. Else the class of a mark, or of a line from the one before
    const char *name; // of a mark; NULL: none
} plot_point;

typedef struct plot_page {
    const gt__base *base;
    gt__sheet sheet;
    plot_axis x, y;     // of this plot
    plot_point *points; // its, an stb_ds array
} plot_page;

// A part of the width, as "12.3%", until seven more are asked for.
static const char *plot_percent(double part)
{
    static char texts[8][16];
    static int next;
    const int parts = (int)(1000 * fmin(fmax(part, 0), 1) + 0.5);
    char *text = texts[next++ % 8];
    snprintf(text, sizeof texts[0], "%d.%d%%", parts / 10, parts % 10);
    return text;
}

// Classes choose the colour --c; without one texts have ink, lines and marks paler ones.
static const char plot_style[] =
    ":root{color-scheme:light dark;--paper:#fff;--ink:#1c1e21;--soft:#666b73;--line:#dfe2e6;"
    "--best:#0b62c4;--old:#b4540a;--bad:#c0202c;--dot:#8a94a3}"
    "@media screen and (prefers-color-scheme:dark){:root{--paper:#15171a;--ink:#e4e6e9;"
    "--soft:#9aa1ab;--line:#33373d;--best:#6cb0ff;--old:#f0a35e;--bad:#ff7a80;--dot:#7d8795}}"
    ".mid{--c:var(--ink)}.best{--c:var(--best)}.old{--c:var(--old)}.bad{--c:var(--bad)}"
    ".soft,th,tspan{--c:var(--soft)}[class],th{color:var(--c,inherit)}"
    "body{margin:0 auto;padding:24px 16px;max-width:1080px;box-sizing:border-box;"
    "background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif;"
    "overflow-wrap:break-word;font-variant-numeric:tabular-nums}"
    "h1,pre,.c{overflow-wrap:anywhere}h1{line-height:1.2;margin:0}"
    "h2{font-size:18px;margin:36px 0 2px;break-after:avoid}p{margin:0 0 14px;max-width:44em}"
    "pre{font:13px/1.5 monospace;white-space:pre-wrap}"
    "table{display:block;overflow-x:auto;margin:14px 0;border-spacing:0;font-size:14px}"
    "td,th{padding:3px 14px 3px 0;border-bottom:1px solid var(--line);vertical-align:top;"
    "font-weight:400;text-align:left}.n{text-align:right}.n,.big{white-space:nowrap}"
    ".c{min-width:9em}.big{font-size:28px}.b{min-width:90px}"
    "i{display:block;height:6px;margin-top:8px}"
    ".grid{display:grid;gap:0 40px;"
    "grid-template-columns:repeat(auto-fill,minmax(min(100%,320px),1fr))}"
    "figure{display:flow-root;margin:18px 0 14px;break-inside:avoid}"
    "svg{overflow:visible}"
    "figure>svg{font-size:12px;width:calc(100% - 98px);margin:36px 26px 44px 72px}"
    ".e{text-anchor:end}.m{text-anchor:middle}text,tspan{fill:var(--c,var(--ink))}"
    "i,circle,rect{background:var(--c,var(--dot));fill:var(--c,var(--dot))}circle{r:2.5px}"
    ".mid,circle.best,circle.old{r:4px}line{stroke:var(--c,var(--line))}line.best{stroke-width:2}"
    "line.old{stroke-dasharray:4 3}"
    "path{stroke:var(--dot);opacity:.55;vector-effect:non-scaling-stroke}";

static void plot_axis_show(plot_axis *a, double value)
{
    if (!(fabs(value) < 1e150)) return; // a ratio of two others would be no number
    a->least = fmin(a->least, value);
    a->most = fmax(a->most, value);
}

// Logarithms where the most is five times the least, else from 0 on if that is not far. There is
// room for a line of text below what is least.
static void plot_axis_end(plot_axis *a)
{
    double room;
    if (!(a->least <= a->most)) a->least = a->most = 0; // nothing is shown
    room = fmax(a->most - a->least, 0.01 * fabs(a->most));
    if (!(room > 0)) room = 1;
    a->log = a->least > 1e-150 && a->most >= 5 * a->least;
    if (a->log) {
        room = pow(a->most / a->least, 0.05);
        a->least /= room * room;
        a->most *= room;
        return;
    }
    a->least = a->least >= 0 && a->least < room ? 0 : a->least - 0.1 * room;
    a->most += 0.05 * room;
}

// From 0 to 1, the ends for what is beyond.
static double plot_axis_at(const plot_axis *a, double value)
{
    const double at = a->log ? log(fmax(value, 1e-300) / a->least) / log(a->most / a->least)
                             : (value - a->least) / (a->most - a->least);
    return fmin(fmax(at, 0), 1);
}

// Number n of those that are 1, 2 or 5 times a power of ten.
static double plot_axis_nice(int n)
{
    const double power = pow(10, floor(n / 3.0));
    return power * (n % 3 == 0 ? 1 : (n + 300) % 3 == 1 ? 2 : 5);
}

// Multiples of such a number, at most so many; on logarithmic axes each of them, or every other,
// third, sixth and so on.
static int plot_axis_ticks(const plot_axis *a, int most, double *ticks)
{
    int count = most + 1, n, step;
    double at, by;
    if (!a->log) {
        for (n = -90; (a->most - a->least) / plot_axis_nice(n) > most;) n++;
        by = plot_axis_nice(n);
        for (count = 0, at = ceil(a->least / by - 1e-9); at * by <= a->most && count <= most; at++)
            ticks[count++] = at * by + 0.0; // no -0
        return count;
    }
    for (step = 1; count > most; step += step < 3 ? 1 : 3) {
        n = step * (int)floor(3 * log10(a->least) / step);
        for (count = 0; (at = plot_axis_nice(n)) <= a->most && count <= most; n += step)
            if (at >= a->least) ticks[count++] = at;
    }
    return count;
}

static void plot_axis_below(plot_page *w, int y, int most)
{
    double ticks[PLOT_TICKS];
    int i, count = plot_axis_ticks(&w->x, most, ticks);
    for (i = 0; i < count; i++) {
        const char *at = plot_percent(plot_axis_at(&w->x, ticks[i]));
        gt__put(w, "<line x1='%r' x2='%r' y1='%d' y2='%d'/><text class='m soft' x='%r' y='%d'>"
                   "%4q</text>", at, at, y, y + 4, at, y + 18, ticks[i], w->x.unit);
    }
}

// Texts keep their size whatever the width is: x is in per cent, y in pixels.
static void plot_figure(plot_page *w, int height, const char *label)
{
    gt__put(w, "<figure><svg height='%d' role='img' aria-label='%s'>", height, label);
}

static void plot_begin(plot_page *w, const char *x_unit, const char *x_title,
                           const char *y_unit, const char *y_title)
{
    const plot_axis x = { HUGE_VAL, -HUGE_VAL, false, x_unit, x_title };
    const plot_axis y = { HUGE_VAL, -HUGE_VAL, false, y_unit, y_title };
    w->x = x;
    w->y = y;
}

static void plot_add(plot_page *w, double x, double y, const char *what,
                         const char *name)
{
    const plot_point point = { x, y, what, name };
    plot_axis_show(&w->x, x);
    plot_axis_show(&w->y, y);
    w->sheet.ok = w->sheet.ok && gt__push(w->base, w->points, point);
}

static int plot_y(const plot_page *w, double y)
{
    return (int)((int)PLOT_HIGH * (1 - plot_axis_at(&w->y, y)) + 0.5);
}

// What was added.
static void plot_draw(plot_page *w)
{
    const plot_point *q = w->points, *end = q ? q + gt__len(q) : q, *line = NULL;
    double ticks[PLOT_TICKS];
    int i, count, marks = 0;
    plot_axis_end(&w->x);
    plot_axis_end(&w->y);
    plot_figure(w, PLOT_HIGH, w->y.title);
    gt__put(w, "<text class='soft' x='-68' y='-18'>%s</text><text class='e soft' x='100%' "
               "y='%d'>%s</text>\n", w->y.title, PLOT_HIGH + 36, w->x.title);
    count = plot_axis_ticks(&w->y, 6, ticks);
    for (i = 0; i < count; i++) {
        const int y = plot_y(w, ticks[i]);
        gt__put(w, "<line x2='100%' y1='%d' y2='%d'/><text class='e soft' x='-8' y='%d'>%4q"
                   "</text>", y, y, y + 4, ticks[i], w->y.unit);
    }
    plot_axis_below(w, PLOT_HIGH, 5);
    for (; q < end; q++) {
        const double at = plot_axis_at(&w->x, q->x);
        const int y = plot_y(w, q->y);
        if (!q->what) {
            gt__put(w, "<circle cx='%r' cy='%d'/>", plot_percent(at), y);
        } else if (q->name) { // to the side where there is more room: the first above, then below
            gt__put(w, "<circle class='%r' cx='%r' cy='%d'/><text class='%r%r' x='%r' dx='%d' "
                       "y='%d'>%r %q</text>", q->what, plot_percent(at), y, q->what,
                    at > 0.5 ? " e" : "", plot_percent(at), at > 0.5 ? -8 : 8,
                    y + (marks++ ? 16 : -6), q->name, q->y, w->y.unit);
        } else {
            if (line && strcmp(line->what, q->what) == 0)
                gt__put(w, "<line class='%r' x1='%r' x2='%r' y1='%d' y2='%d'/>", q->what,
                        plot_percent(plot_axis_at(&w->x, line->x)), plot_percent(at),
                        plot_y(w, line->y), y);
            line = q;
        }
    }
    gt__put(w, "</svg></figure>\n");
    gt__arr_free(w->base, w->points);
}
