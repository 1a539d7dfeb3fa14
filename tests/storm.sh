#!/bin/sh
# Ten seconds of kill -9 over one store: the suite `storm`, which tests/run.sh leaves out. The last
# line is its "storm: N passed, ..."; the exit status is non-zero if it failed. Installs what is
# missing.
. "$(dirname "$0")/setup.sh"
setup_basics
setup_cuda_headers
unset GPUTUNE GPUTUNE_STORE GPUTUNE_LOG
export TMPDIR="$tmp"
$CC -std=gnu99 -O0 -w -I. -Itests tests/main.c -o "$tmp/tests" -lm -ldl -lpthread || exit 1
timeout 120 "$tmp/tests" --suite storm
