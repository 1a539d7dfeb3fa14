#!/bin/sh
# Reports in headless Chromium: writes pages of every kind and has check.py look at them.
#
#     sh tests/report/run.sh             exit status 0 passed, 77 skipped, else failed
#     sh tests/report/run.sh FOLDER      leaves the pages and pictures of them in a folder instead
#
# tests/run.sh runs it, after it has installed chromium.
set -eu
cd "$(dirname "$0")/../.."
chromium=
for name in chromium chromium-browser google-chrome; do
    [ -n "$chromium" ] || chromium=$(command -v "$name" || true)
done
for need in "${chromium:-chromium}" python3; do
    command -v "$need" >/dev/null 2>&1 && continue
    echo "needs $need, which is not installed"
    exit 77
done
work=$(mktemp -d "${TMPDIR:-/tmp}/gputune.XXXXXX")
trap 'rm -rf "$work"' EXIT
pages=${1:-$work/pages}
mkdir -p "$pages"
unset GPUTUNE GPUTUNE_STORE GPUTUNE_REPORT
"${CC:-gcc}" -std=gnu99 -O1 -w -I. tests/report/pages.c -o "$work/write" -lm
"$work/write" "$pages"
if [ $# -gt 0 ]; then
    python3 tests/report/check.py "$chromium" --pictures "$pages" "$pages"/*.html
else
    python3 tests/report/check.py "$chromium" "$pages"/*.html
fi
