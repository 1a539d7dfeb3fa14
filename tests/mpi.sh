#!/bin/sh
# MPI's ranks share a search (examples/30_mpi.c): the answer that one alone finds, no configuration
# measured twice, and a rank that is killed costs one trial. The last line is "mpi: N passed, N
# failed, N skipped"; it is skipped where Open MPI cannot be installed. Installs what is missing.
. "$(dirname "$0")/setup.sh"
setup_basics
(setup_mpi) || { echo "mpi: 0 passed, 0 failed, 1 skipped"; exit 0; }
setup_mpi
unset GPUTUNE
export GPUTUNE_STORE= GPUTUNE_LOG=debug

mpicc -std=gnu99 -O1 -w -I. examples/30_mpi.c -o "$tmp/mpi" -lm
passed=0
failed=0
check() { # WHAT COMMAND ...
    what=$1
    shift
    if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "    $what: FAILED"; fi
}

# Prints the configurations that a log tells of, a line each.
trials() { sed -n 's/.*debug: trial: \(.*\): \([a-z_]* \).*/\1/p' "$1" | sort; }

same_trials() {
    trials "$tmp/alone.log" >"$tmp/alone.trials"
    trials "$1" >"$tmp/trials"
    [ -s "$tmp/trials" ] && cmp "$tmp/alone.trials" "$tmp/trials"
}

# The answer, and how many trials failed.
answer() { sed -n 's/, in .* s$//p' "$1"; }

# shellcheck disable=SC2086 # words
run() { timeout 120 mpirun $mpi_flags -n 4 "$@"; }

"$tmp/mpi" >"$tmp/alone" 2>"$tmp/alone.log" || failed=1
answer "$tmp/alone"
check "alone" grep -q ': 93 trials, 0 failed' "$tmp/alone"
check "no configuration twice" test -z "$(trials "$tmp/alone.log" | uniq -d)"

run "$tmp/mpi" 5 >"$tmp/four" 2>"$tmp/four.log" || failed=1
check "four ranks: the same answer" test "$(answer "$tmp/four")" = "$(answer "$tmp/alone")"
check "four ranks: the same trials, each once" same_trials "$tmp/four.log"

# Rank 2 says which process it is and is killed when ten trials are told.
cat >"$tmp/ranked" <<'END'
#!/bin/sh
[ "$OMPI_COMM_WORLD_RANK" != 2 ] || echo $$ >"$0.pid"
exec "$@"
END
chmod +x "$tmp/ranked"
: >"$tmp/dead.log"
run --enable-recovery "$tmp/ranked" "$tmp/mpi" 50 >"$tmp/dead" 2>"$tmp/dead.log" &
job=$!
tries=0
while [ "$(trials "$tmp/dead.log" | wc -l)" -lt 10 ] && [ $tries -lt 600 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
kill -9 "$(cat "$tmp/ranked.pid")"
check "a dead rank does not end the job" wait $job
check "a dead rank costs one trial" grep -q ': 93 trials, 1 failed' "$tmp/dead"
check "a dead rank: the same trials, each once" same_trials "$tmp/dead.log"
check "a dead rank is what failed" test "$(grep -c ': crashed inf a lost rank' "$tmp/dead.log")" = 1

[ $failed = 0 ] || tail -n 5 "$tmp"/*.log
echo "mpi: $passed passed, $failed failed, 0 skipped"
exit $failed
