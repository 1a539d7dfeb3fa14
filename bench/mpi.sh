# Sourced by run.sh: trials of 50 ms a second when MPI's ranks share a search (examples/30_mpi.c),
# with one, two and three that measure beside the one that asks.
setup_basics
setup_mpi
mpicc -std=gnu99 -O2 -I. examples/30_mpi.c -o "$tmp/mpi" -lm
export GPUTUNE_STORE=
one=
for workers in 1 2 3; do
    # shellcheck disable=SC2086 # words
    mpirun $mpi_flags -n $((workers + 1)) "$tmp/mpi" 50 >"$tmp/said"
    cat "$tmp/said" >&2
    rate=$(sed -n 's/.*: \([0-9]*\) trials, 0 failed, in \([0-9.]*\) s$/\1 \2/p' "$tmp/said" |
        awk '{ printf "%.2f", $1 / $2 }')
    printf 'result\tmpi_workers_%s\t%s\ttrials/s\n' "$workers" "$rate"
    one=${one:-$rate}
done
echo "$rate $one" | awk '{ printf "result\tmpi_workers_3_over_1\t%.2f\tx\n", $1 / $2 }'
