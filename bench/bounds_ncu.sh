# Sourced by bench/run.sh behind bench_bounds.c: what Nsight Compute says of the same winners.
have ncu || { say "Nsight Compute (ncu) is not here"; return 0; }
[ "${1:-}" = cuda ] || return 0
for kernel in saxpy sgemm transpose convolution reduction spmv triad powers walk; do
    case ${2:-all} in all | *"$kernel"*) ;; *) continue ;; esac
    metrics=dram__throughput.avg.pct_of_peak_sustained_elapsed
    metrics=$metrics,gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed
    metrics=$metrics,sm__throughput.avg.pct_of_peak_sustained_elapsed
    ncu --csv --metrics "$metrics" "$tmp/bench" launch cuda "$kernel" >"$tmp/ncu" 2>&1 || true
    if ! grep -q dram__throughput "$tmp/ncu"; then
        echo "# ncu: $(grep -m 1 '==ERROR==' "$tmp/ncu" || tail -n 1 "$tmp/ncu")"
        return 0
    fi
    # The last launch of the kernel itself; what stands before it fills and checks buffers.
    ours=$(sed -n "s/^result.verdict_$kernel.\([a-z]*\).*/\1/p" "$tmp/rows")
    awk -F '","' -v kernel="$kernel" -v ours="$ours" '
        /__throughput|memory_throughput/ {
            value = $NF
            gsub(/[",]/, "", value)
            for (i = 1; i <= NF; i++) if ($i ~ /__.*throughput/) seen[$i] = value
        }
        END {
            for (m in seen) {
                if (m ~ /^dram/) dram = seen[m]
                if (m ~ /^gpu/) memory = seen[m]
                if (m ~ /^sm/) compute = seen[m]
            }
            print "result\tncu_dram_percent_" kernel "\t" dram "\t%"
            print "result\tncu_memory_percent_" kernel "\t" memory "\t%"
            print "result\tncu_compute_percent_" kernel "\t" compute "\t%"
            most = memory + 0 > compute + 0 ? memory + 0 : compute + 0
            theirs = most < 60 ? "latency" : memory + 0 > compute + 0 ? "memory" : "arithmetic"
            print "result\tncu_verdict_" kernel "\t" theirs "\tbound"
            same = ours == theirs || (ours == "overhead" && most >= 60) || \
                   (ours == "cache" && theirs == "memory") || \
                   (ours == "launch" && theirs == "latency")
            print "result\tagrees_" kernel "\t" same "\t"
        }' "$tmp/ncu"
done
