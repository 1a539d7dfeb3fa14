"""Opens pages in headless Chromium as a reader would, and says what is wrong with how they look.

    check.py CHROMIUM PAGE.html ...                      says what is wrong
    check.py CHROMIUM --pictures FOLDER PAGE.html ...    leaves pictures of them, to be looked at

Each page is shown in a frame of 1200 and one of 400 pixels, on light and on dark, after its script
has run. Wrong are: an error on the console; whatever is wider than the page; a text of a drawing
outside of its figure, or over another one; a text that can hardly be told from what is behind it; a
trial without a dot that tells its configuration; a table that is not sorted by a click, or does not
mark the winner; a map of two parameters that stays when another one is chosen; a page that says
nothing without its script, or not what it is to say.
"""
import concurrent.futures
import html
import json
import os
import re
import subprocess
import sys
import tempfile

# What pages of these names say, and do not.
SAYS = {
    "overruled": ["The race overruled the search, which had measured ",
                  " in the race. The speed of the device changed"],
    "lucky": ["The best took 1.2", " ms in the race. The least of many times is often a lucky one"],
    "noisy": ["Launched in turn, the differences are within the spread",
              "spread over 100 %: do not trust this time"],
    "twins": ["space changed", "What the store knows of it"],
    "stored": ["No trials were made", "What the store knows of it"],
    "search": ["1000 of 13.8k configurations were tried", "359 failed", "What bounds it",
               "Which parameters matter", "[BLOCK 52 %]", "[LOAD 31 %]"],
    "msp": ["Throughput over size", "The default is saturated from", "[saturation point ",
            "[time at the real size]"],
    "energy": ["Time against energy", "[fastest "],
    "failed": ["What failed, and why", "does not compile"],
    "index": ["another product", "product", "NVIDIA H200"],
    "told": ["The search", "? \u00d7", "What failed, and why"],
    "equal": ["The search", "Two parameters"], "names": ["</script><!--&_the_second"],
    "pool": ["The variants", "plain & <simple>", "[rate]"],
}
NEVER = {"told": ["NaN", "undefined", "Infinity"],
         "equal": ["Which parameters matter", "NaN"],
         "noisy": ["The speed of the device changed"],  # it is within the spread
         "lucky": ["overruled", "The default took"],
         "search": ["overruled", "lucky", "do not trust", "undefined", "NaN", "[object"],
         "stored": ["differs in", " changed", "The search"], "failed": ["The search"],
         "pool": ["undefined", "NaN", "[object"], "msp": ["overruled", "undefined", "NaN"]}

FRAME = """<!DOCTYPE html><meta charset="utf-8"><style>body{margin:0}iframe{border:0;display:block}
</style><body><script>
const page = %s, widths = %s, look = %s;
const frames = widths.map(width => {
    const f = document.createElement('iframe');
    f.style.width = width + 'px';
    f.style.height = look ? '900px' : '9000px';
    if (width < 0) f.sandbox = 'allow-same-origin'; // without scripts
    f.srcdoc = page;
    document.body.append(f);
    return f;
});
</script>"""

SCRIPT = """<script>
const said = [], near = 1.5, says = %s, never = %s;
let ms = 0;
const light = c => {
    const p = c.match(/[\\d.]+/g).slice(0, 3).map(v => {
        v /= 255;
        return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
    });
    return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
};
function boxes(doc, width, say) {
    const style = e => doc.defaultView.getComputedStyle(e);
    const paper = light(style(doc.body).backgroundColor);
    const faint = c => {
        const l = light(c);
        return (Math.max(l, paper) + 0.05) / (Math.min(l, paper) + 0.05) < 4;
    };
    for (const e of doc.body.querySelectorAll('*')) {
        const b = e.getBoundingClientRect();
        if (!e.closest('svg') && b.width && (b.right > width + near || b.left < -near))
            say('wider than the page', e);
        if (!e.closest('svg') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth &&
            style(e).overflowX !== 'visible') say('cut', e);
        if (e.matches('p, td, th, h1, h2, b, span, button, label, div') && e.textContent.trim() &&
            faint(style(e).color)) say('faint', e);
    }
    if (doc.documentElement.scrollWidth > width) say('scrolls sideways', doc.body);
    const texts = [...doc.querySelectorAll('svg text')].map(
        t => ({ t, b: t.getBoundingClientRect(), figure: t.closest('figure') })).filter(
        x => x.b.width > 0);
    texts.forEach((x, i) => {
        const f = x.figure.getBoundingClientRect(), b = x.b;
        if (b.left < f.left - near || b.right > f.right + near || b.top < f.top - near ||
            b.bottom > f.bottom + near) say('outside of its figure', x.t);
        if (faint(style(x.t).fill)) say('faint', x.t);
        for (const { t, b: a, figure } of texts.slice(0, i))
            if (figure === x.figure && a.left < b.right - near && b.left < a.right - near &&
                a.top < b.bottom - 2 * near && b.top < a.bottom - 2 * near)
                say('over ' + t.textContent.slice(0, 60), x.t);
    });
    const dark = doc.defaultView.matchMedia('(prefers-color-scheme: dark)').matches;
    if (dark === (paper > 0.5)) said.push('not dark where it should be, or else');
    return texts.length;
}
function sorts(doc, say) {
    for (const table of doc.querySelectorAll('main table'))
        for (const button of table.querySelectorAll('th button'))
            for (const sign of [1, -1]) {
                const column = button.parentNode.cellIndex;
                button.click();
                const keys = [...table.tBodies[0].rows].map(r => r.cells[column].dataset.k);
                keys.forEach((k, i) => {
                    const before = keys[i - 1], numbers = before !== '' && k !== '' &&
                        isFinite(before) && isFinite(k);
                    const words = isNaN(k) && isNaN(before);
                    if (i && (numbers ? sign * (k - before) < 0 : words && k !== before &&
                              (k < before) === (sign > 0))) say('not sorted', button);
                });
            }
}
function words(doc, say) {
    const text = doc.body.innerText + [...doc.querySelectorAll('svg text, th')].map(
        t => '[' + t.textContent + ']').join(' ');
    for (const s of says) if (!text.includes(s)) say('does not say ' + s, doc.body);
    for (const s of never) if (text.includes(s)) say('says ' + s, doc.body);
    for (const table of doc.querySelectorAll('main table')) {
        const title = table.closest('section')?.querySelector('h2').textContent;
        const keys = [...table.tBodies[0].rows].map(r => +r.cells[0].dataset.k);
        const winners = table.querySelectorAll('tr.best').length;
        if (/race|store|variants/.test(title) && winners !== 1) say('no winner', table);
        if (/race/.test(title) && keys.some((k, i) => k < keys[i - 1])) say('not sorted', table);
    }
}
function dots(doc, say) {
    if (!doc.querySelector('#data')) return;
    const data = JSON.parse(doc.querySelector('#data').text);
    const figure = [...doc.querySelectorAll('h2')].find(h => h.textContent === 'The search');
    const worked = data.trials.some(t => t[1] !== null);
    if (!figure !== !worked) say('a search is drawn, or is not', doc.querySelector('main'));
    if (!figure) return;
    const titles = [...figure.parentNode.querySelectorAll('circle title')].map(t => t.textContent);
    if (titles.length !== data.trials.length) say(titles.length + ' dots', figure);
    data.trials.forEach(([c], i) => {
        const words = data.params.map((p, k) => c[k] === data.default[k] ? '' : p + '=' + c[k]);
        const all = words.filter(w => w).join(' ') || 'the default';
        if (!(titles[i] || '').startsWith(all + ': ')) say('no dot of ' + all, figure);
    });
    figure.parentNode.querySelector('circle').dispatchEvent(new doc.defaultView.MouseEvent(
        'click', { bubbles: true }));
    if (doc.querySelector('output').textContent !== titles[0]) say('a click says nothing', figure);
    figure.parentNode.querySelector('svg').dispatchEvent(new doc.defaultView.MouseEvent(
        'click', { bubbles: true }));
    if (doc.querySelector('output').textContent) say('a click beside the dots says some', figure);
}
function maps(doc, say) {
    const [columns, rows] = doc.querySelectorAll('select');
    if (!rows) return;
    const data = JSON.parse(doc.querySelector('#data').text), seen = new Set();
    for (const select of [columns, rows])
        for (let i = 0; i < select.options.length; i++) {
            const a = () => columns.selectedIndex, b = () => rows.selectedIndex;
            select.selectedIndex = i;
            select.dispatchEvent(new Event('change'));
            const titles = [...columns.closest('section').querySelectorAll('rect title')];
            for (const t of titles) {
                const begin = data.params[a()] + '=';
                const row = ' ' + data.params[b()] + '=';
                if (!t.textContent.startsWith(begin) || !t.textContent.includes(row))
                    say('a wrong map', select);
            }
            seen.add(titles.map(t => t.textContent).join());
            boxes(doc, 400, say);
        }
    if (seen.size < data.params.length) say('a map stays', columns);
}
window.addEventListener('load', () => setTimeout(() => {
    let seen = 0;
    frames.forEach((f, i) => {
        const width = widths[i], doc = f.contentDocument;
        const say = (what, e) => said.push(width + ': ' + what + ': ' +
            e.textContent.trim().slice(0, 60));
        if (width < 0) {
            if (!page.includes("id='data'")) return; // a list
            const text = doc.body.innerText;
            if (!/ x: |No answer: |from the store|rounds: /.test(text) ||
                !text.includes('A script draws all else') || !text.includes('To have it again') ||
                (/ x: /.test(text) && !text.includes('#define')))
                say('nothing without a script', doc.body);
            return;
        }
        ms = Math.max(ms, f.contentWindow.drawn || 0);
        seen += boxes(doc, width, say);
        words(doc, say);
        dots(doc, say);
        if (width > 400) return;
        sorts(doc, say);
        maps(doc, say);
    });
    said.push('seen ' + seen + ' ms ' + Math.round(ms));
    document.documentElement.setAttribute('data-said', said.join('\\n'));
}));
</script>"""

BEGIN = "<script>window.drawn = performance.now();</script>"
END = "<script>document.body.offsetHeight; drawn = performance.now() - drawn;</script>"


def run(chromium, target, scheme, own, width, height, *more):
    return subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--user-data-dir=" + os.path.join(own, "profile"), "--enable-logging=stderr",
         "--blink-settings=preferredColorScheme=%d" % (scheme == "light"),
         "--window-size=%d,%d" % (width, height), *more, "file://" + target],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, encoding="utf-8",
        errors="replace")


def framed(page, own, widths, extra):
    """A page that shows this one in frames; no window of Chromium's is 400 pixels wide."""
    with open(page, encoding="utf-8") as f:
        text = f.read()
    if extra and "<script>" in text:
        text = text.replace("<script>", BEGIN + "<script>", 1).replace("</body>", END + "</body>")
    text = json.dumps(text).replace("<", "\\u003c")
    target = os.path.join(own, "frames.html")
    with open(target, "w", encoding="utf-8") as f:
        f.write(FRAME % (text, json.dumps(widths), json.dumps(bool(extra))) + extra)
    return target


def look(chromium, page, scheme):
    name = os.path.basename(page)[:-5]
    script = SCRIPT
    for words in SAYS, NEVER:
        script = script.replace("%s", json.dumps(words.get(name, [])).replace("<", "\\u003c"), 1)
    with tempfile.TemporaryDirectory() as own:
        done = run(chromium, framed(page, own, [1200, 400, -1], script), scheme, own, 1200, 1000,
                   "--dump-dom")
    wrong = [line for line in done.stderr.splitlines() if "CONSOLE" in line
             and "Blocked script" not in line]  # those of the frame without scripts
    said = re.search(r'data-said="([^"]*)"', done.stdout)
    said = html.unescape(said.group(1)).split("\n") if said else ["the script did not run"]
    drawn = said.pop() if said[-1].startswith("seen ") else ""
    return "%s, %s" % (os.path.basename(page), scheme), wrong + said, drawn


def picture(chromium, page, scheme, width, folder):
    name = "%s-%d-%s.png" % (os.path.basename(page)[:-5], width, scheme)
    with tempfile.TemporaryDirectory() as own:
        run(chromium, framed(page, own, [width], ""), scheme, own, max(width, 500),
            6400 if width < 1000 else 4800, "--screenshot=" + os.path.join(folder, name))


def main():
    chromium, pages = sys.argv[1], sys.argv[2:]
    schemes = ("light", "dark")
    if pages[0] == "--pictures":
        for page in pages[2:]:
            for scheme in schemes:
                for width in (1200, 400):
                    picture(chromium, page, scheme, width, pages[1])
        return 0
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, wrong, drawn in pool.map(lambda job: look(chromium, *job),
                                           [(page, scheme) for page in pages
                                            for scheme in schemes]):
            print("%s: %s" % (name, drawn))
            for line in wrong:
                print("%s: %s" % (name, line))
            failed += bool(wrong)
    print("%d pages, each on light and dark, %d of these wrong" % (len(pages), failed))
    return failed > 0 or not pages


if __name__ == "__main__":
    sys.exit(main())
