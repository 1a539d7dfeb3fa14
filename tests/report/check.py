"""Opens pages in headless Chromium as a reader would, and says what is wrong with how they look.

    check.py CHROMIUM PAGE.html ...                      says what is wrong
    check.py CHROMIUM --pictures FOLDER PAGE.html ...    leaves pictures of them, to be looked at

Each page is shown 1200 and 400 pixels wide, on light and on dark. Wrong are: an error on the
console; a page that is wider; a text of a drawing outside of its figure, or over another one; a
text that can hardly be told from what is behind it. A script in a copy of the page finds that out.
"""
import concurrent.futures
import html
import os
import re
import subprocess
import sys
import tempfile

SCRIPT = """<script>
window.addEventListener('load', () => {
    const said = [], near = 1.5;
    const root = document.documentElement;
    const light = c => {
        const p = c.match(/[\\d.]+/g).slice(0, 3).map(v => {
            v /= 255;
            return v <= 0.03928 ? v / 12.92 : Math.pow((v + 0.055) / 1.055, 2.4);
        });
        return 0.2126 * p[0] + 0.7152 * p[1] + 0.0722 * p[2];
    };
    const paper = light(getComputedStyle(document.body).backgroundColor);
    const faint = c => {
        const l = light(c);
        return (Math.max(l, paper) + 0.05) / (Math.min(l, paper) + 0.05) < 4;
    };
    let seen = 0;
    for (const width of [1200, 400]) { // no window of Chromium's is so narrow
        root.style.width = width + 'px';
        const say = (what, t) => said.push(width + ': ' + what + ': ' + t.textContent.slice(0, 60));
        for (const e of document.body.querySelectorAll(':scope > *'))
            if (e.getBoundingClientRect().right > width) say('wider than the page', e);
        const texts = [...document.querySelectorAll('svg text')].map(
            t => ({ t, b: t.getBoundingClientRect(), figure: t.closest('figure') })).filter(
            x => x.b.width > 0);
        seen += texts.length;
        texts.forEach((x, i) => {
            const f = x.figure.getBoundingClientRect(), b = x.b;
            if (b.left < f.left - near || b.right > f.right + near || b.top < f.top - near ||
                b.bottom > f.bottom + near) say('outside of its figure', x.t);
            if (faint(getComputedStyle(x.t).fill)) say('faint', x.t);
            for (const { t, b: a, figure } of texts.slice(0, i))
                if (figure === x.figure && a.left < b.right - near && b.left < a.right - near &&
                    a.top < b.bottom - 2 * near && b.top < a.bottom - 2 * near)
                    say('over ' + t.textContent.slice(0, 60), x.t);
        });
    }
    for (const e of document.querySelectorAll('p, td, th, h1, h2, b, span'))
        if (e.textContent && faint(getComputedStyle(e).color))
            said.push('faint: ' + e.textContent.slice(0, 60));
    const dark = matchMedia('(prefers-color-scheme: dark)').matches;
    if (dark === (paper > 0.5)) said.push('not dark where it should be, or else');
    said.push('seen ' + (dark ? 'dark ' : 'light ') + seen);
    root.setAttribute('data-said', said.join('\\n'));
});
</script>"""


def run(chromium, target, scheme, own, width, height, *more):
    return subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
         "--user-data-dir=" + os.path.join(own, "profile"), "--enable-logging=stderr",
         "--blink-settings=preferredColorScheme=%d" % (scheme == "light"),
         "--window-size=%d,%d" % (width, height), *more, "file://" + target],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, encoding="utf-8",
        errors="replace")


def copy_of(page, own, extra):
    copy = os.path.join(own, os.path.basename(page))
    with open(page, encoding="utf-8") as f:
        text = f.read()
    with open(copy, "w", encoding="utf-8") as f:
        f.write(text.replace("</body>", extra + "</body>"))
    return copy


def look(chromium, page, scheme):
    with tempfile.TemporaryDirectory() as own:
        done = run(chromium, copy_of(page, own, SCRIPT), scheme, own, 1200, 1000, "--dump-dom")
    wrong = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    said = re.search(r'data-said="([^"]*)"', done.stdout)
    said = html.unescape(said.group(1)).split("\n") if said else ["the script did not run"]
    if said[-1].startswith("seen " + scheme):
        said.pop()
    return "%s, %s" % (os.path.basename(page), scheme), wrong + said


def picture(chromium, page, scheme, width, folder):
    name = "%s-%d-%s.png" % (os.path.basename(page)[:-5], width, scheme)
    with tempfile.TemporaryDirectory() as own:
        copy = copy_of(page, own, "<style>html{width:%dpx}</style>" % width)
        run(chromium, copy, scheme, own, max(width, 500), 6400 if width < 1000 else 4800,
            "--screenshot=" + os.path.join(folder, name))


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
        for name, wrong in pool.map(lambda job: look(chromium, *job),
                                    [(page, scheme) for page in pages for scheme in schemes]):
            for line in wrong:
                print("%s: %s" % (name, line))
            failed += bool(wrong)
    print("%d pages, each on light and dark, %d of these wrong" % (len(pages), failed))
    return failed > 0 or not pages


if __name__ == "__main__":
    sys.exit(main())
