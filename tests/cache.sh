#!/bin/sh
# Files that gputune_kernel_write writes beside Kernel Tuner, which is installed from PyPI in a
# folder of the test's own: T4 against its schema, the cache through its simulation mode, what that
# says as T4 again, each repeated by the replay device. The last line is "kernel_tuner: N passed, N
# failed, N skipped"; skipped where there is no network or no Python. Installs what is missing.
. "$(dirname "$0")/setup.sh"
setup_basics
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG

skip() {
    echo "  skipped kernel_tuner: $1"
    echo "kernel_tuner: 0 passed, 0 failed, 1 skipped"
    exit 0
}

have python3 && python3 -m venv "$tmp/python" >/dev/null 2>&1 || skip "no python3 with venv"
"$tmp/python/bin/pip" -q --disable-pip-version-check install 'kernel_tuner>=1.3,<2' \
    >"$tmp/log" 2>&1 || skip "pip cannot install it: $(tail -n 1 "$tmp/log")"

"$CC" -O1 -w -I. tests/cache_ours.c -o "$tmp/ours" -lm
mkdir "$tmp/files"
failed=0
"$tmp/ours" write "$tmp/files" >"$tmp/expected" || failed=1
"$tmp/python/bin/python" tests/cache_theirs.py "$tmp/files" >"$tmp/log" || failed=1
tail -n 1 "$tmp/log" >"$tmp/said"
cat "$tmp/said"
diff "$tmp/expected" "$tmp/said" || failed=1
for file in x.csv x.json x.cache.json theirs.json; do
    "$tmp/ours" read "$tmp/files/$file" >"$tmp/said" || failed=1
    diff "$tmp/expected" "$tmp/said" || { echo "$file: FAILED"; failed=1; }
done
echo "kernel_tuner: $((1 - failed)) passed, $failed failed, 0 skipped"
exit $failed
