# Sourced by bench/run.sh: the picture in the README, examples/report.png.
#
#     sh bench/run.sh report [--cuda] [NAME [PICTURE.png]]
#                                  of an example's last report (02_sgemm) on this machine; the
#                                  README's is of an H200, with --cuda
#
# Needs Chromium; on a machine without it the page is left beside where the picture would be, and
# where there is one
#
#     sh bench/run.sh report PAGE.html [PICTURE.png]
#
# makes the picture of it.
report_flag=
[ "${1:-}" != --cuda ] || { report_flag=--cuda; shift; }
report_page=${1:-02_sgemm}
report_picture=${2:-examples/report.png}
case $report_page in
*.html) ;;
*)
    GPUTUNE=force GPUTUNE_STORE="$tmp/store.txt" GPUTUNE_REPORT="$tmp/page.html" \
        sh examples/run.sh $report_flag "$report_page" >&2
    report_page=$tmp/page.html
    ;;
esac
want chromium have chromium
install_missing || true
if ! have chromium; then
    cp "$report_page" "${report_picture%.png}.html"
    say "there is no chromium: the page is ${report_picture%.png}.html"
    exit 1
fi
report_folder=$(cd "$(dirname "$report_page")" && pwd)
chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1080,1500 \
    --user-data-dir="$tmp/profile" --blink-settings=preferredColorScheme=1 \
    --screenshot="$tmp/picture.png" "file://$report_folder/${report_page##*/}" 2>/dev/null
[ -s "$tmp/picture.png" ] || { say "chromium made no picture"; exit 1; }
cp "$tmp/picture.png" "$report_picture"
say "$report_picture: $(wc -c <"$report_picture") bytes"
