#!/bin/sh
# Ten seconds of kill -9 over one store: the suite `storm`, which tests/run.sh leaves out. The last
# line is its "storm: N passed, ..."; the exit status is non-zero if it failed.
set -eu
cd "$(dirname "$0")/.."
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG
"${CC:-cc}" -std=gnu99 -O0 -w -I. -Itests tests/main.c -o "$TMPDIR/tests" -lm -ldl -lpthread
timeout 120 "$TMPDIR/tests" --suite storm
