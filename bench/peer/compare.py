"""Makes rows of the logs of bench_peer and kernel_tuner_run.py.

    compare.py LOGS              rows: result<TAB>name<TAB>value<TAB>unit
    compare.py LOGS --good K     only writes LOGS/K.good: the configurations within 5 % of the best

The yardstick: a configuration's time is the lower of those that the two tools' exhaustive searches
measured, the same for both; the best is the lowest of all. A tool's answer at a moment is the
configuration with the lowest time that it has itself measured in that run. What counts is when
that answer is first one within 5 % of the best by the yardstick.
"""
import glob
import math
import os
import statistics
import sys

WITHIN = 1.05
TOOLS = ("gputune", "base", "kernel_tuner")


class Log:
    def __init__(self, path):
        self.kernel, self.tool, self.run, self.seed, _ = os.path.basename(path).rsplit(".", 4)
        self.meta, self.rows, columns = {}, [], None
        with open(path, encoding="utf-8") as file:
            for line in file.read().splitlines():
                cells = line.split("\t")
                if line.startswith("# "):
                    self.meta[cells[0][2:]] = cells[1]
                elif columns is None:
                    columns = cells
                else:
                    self.rows.append(dict(zip(columns, cells)))
        for row in self.rows:
            for key in columns[:-2]:
                row[key] = float(row[key])

    def number(self, key):
        return float(self.meta.get(key, "nan"))

    def ok_times(self):
        return {row["config"]: row["value"] for row in self.rows if row["result"] == "ok"}

    def total(self, key):
        return math.fsum(row[key] for row in self.rows)

    def reached(self, good):
        """(seconds, trials) until the answer is good; infinite if it never is."""
        best = math.inf
        for trials, row in enumerate(self.rows, 1):
            if row["result"] == "ok" and row["value"] <= best:
                best = row["value"]
                if row["config"] in good:
                    return row["elapsed"], trials
        return math.inf, math.inf


def read_logs(folder):
    logs = [Log(path) for path in sorted(glob.glob(os.path.join(folder, "*.*.*.*.tsv")))]
    return [log for log in logs if "total_seconds" in log.meta]  # others were cut off


def yardstick(logs, kernel):
    table = {}
    for log in logs:
        if log.kernel == kernel and log.run == "exhaustive":
            for config, value in log.ok_times().items():
                table[config] = min(value, table.get(config, math.inf))
    return table


def good_of(table):
    least = min(table.values()) * WITHIN
    return {config for config, value in table.items() if value <= least}


def row(name, value, unit=""):
    print(f"result\tpeer_{name}\t{value:.6g}\t{unit}")


def exhaustive_rows(log):
    name, trials = f"{log.tool}_exhaustive", len(log.rows)
    failed = sum(r["result"] != "ok" for r in log.rows)
    row(f"space_{log.tool}_{log.kernel}", log.number("space"))
    row(f"{name}_trials_{log.kernel}", trials)
    row(f"{name}_failed_{log.kernel}", failed)
    row(f"{name}_seconds_{log.kernel}", log.number("total_seconds"), "s")
    row(f"{name}_best_ms_{log.kernel}", 1e3 * min(log.ok_times().values()), "ms")
    cost_rows(name, [log])


def cost_rows(name, logs):
    """Where the time of a configuration goes. The rest is neither compiling nor a timed launch:
    search, verification, copies, warm-up, journal, waiting, the final race. It is told only where
    compiling and measuring take turns: not of gputune's auto runs and exhaustive search."""
    trials = sum(len(log.rows) for log in logs)
    if not trials:
        return
    total = sum(log.number("total_seconds") for log in logs)
    compiling = sum(log.total("compile") for log in logs)
    kernel = sum(log.total("kernel") for log in logs)
    suffix = "ms_a_configuration_" + logs[0].kernel
    row(f"{name}_total_{suffix}", 1e3 * total / trials, "ms")
    row(f"{name}_compile_{suffix}", 1e3 * compiling / trials, "ms")
    row(f"{name}_launches_{suffix}", 1e3 * kernel / trials, "ms")
    if logs[0].tool == "kernel_tuner" or logs[0].run == "serial":
        row(f"{name}_rest_{suffix}", 1e3 * (total - compiling - kernel) / trials, "ms")
    if logs[0].run == "exhaustive" and "framework_seconds" in logs[0].meta:
        for key in ("framework_seconds", "strategy_seconds"):
            row(f"{name}_{key[:-8]}_{suffix}", 1e3 * logs[0].number(key) / trials, "ms")


def spread_rows(name, kernel, values, unit):
    """Median, least and most; a run that missed counts as infinite, and rows that would be so are
    left out."""
    for word, value in (("", statistics.median(values)), ("_min", min(values)),
                        ("_max", max(values))):
        if value < math.inf:
            row(f"{name}{word}_{kernel}", value, unit)


def search_rows(logs, good):
    """Rows of one tool's runs of one kind; returns the median seconds."""
    name = f"{logs[0].tool}_{logs[0].run}".replace("-", "_")
    kernel = logs[0].kernel
    reached = [log.reached(good) for log in logs]
    seconds, trials = zip(*reached)
    spread_rows(f"{name}_seconds", kernel, seconds, "s")
    spread_rows(f"{name}_trials", kernel, trials, "")
    row(f"{name}_runs_{kernel}", len(logs))
    row(f"{name}_missed_{kernel}", sum(s == math.inf for s in seconds))
    if not logs[0].run.endswith("-simulated"):
        cost_rows(name, logs)
    return statistics.median(seconds)


def ratio_rows(kernel, medians, startups):
    """gputune's median over that of the peer's best runs, and over an older gputune's; runs in
    simulation do not count."""
    peer = {run: seconds for (tool, run), seconds in medians.items()
            if tool == "kernel_tuner" and not run.endswith("-simulated")}
    ours = medians.get(("gputune", "auto"), math.inf)
    base = medians.get(("base", "auto"), math.inf)
    if ours < math.inf and base < math.inf:
        row(f"seconds_ratio_base_{kernel}", ours / base, "x")
    defaults = [seconds for run, seconds in peer.items() if run.endswith("-7")]
    if ours == math.inf or min(peer.values(), default=math.inf) == math.inf:
        print(f"{kernel}: no ratio: too many runs missed, or there are none", file=sys.stderr)
        return
    row(f"seconds_ratio_{kernel}", ours / min(peer.values()), "x")
    if min(defaults, default=math.inf) < math.inf:
        row(f"seconds_ratio_7_iterations_{kernel}", ours / min(defaults), "x")
    row(f"seconds_ratio_with_startup_{kernel}",
        (ours + startups["gputune"]) / (min(peer.values()) + startups["kernel_tuner"]), "x")
    best = min(peer, key=peer.get)
    print(f"{kernel}: the peer's fastest runs are {best}", file=sys.stderr)


def check_spaces(logs, kernel):
    counts = {log.meta["space"] for log in logs if log.kernel == kernel}
    if len(counts) > 1 and not any(log.meta.get("device") == "replay" for log in logs):
        sys.exit(f"compare: {kernel}: the tools count {' and '.join(sorted(counts))} "
                 "configurations: their spaces differ")


def kernel_rows(logs, kernel):
    check_spaces(logs, kernel)
    table = yardstick(logs, kernel)
    if not table:
        print(f"{kernel}: no exhaustive search, nothing to compare by", file=sys.stderr)
        return
    good, groups, medians, startups = good_of(table), {}, {}, dict.fromkeys(TOOLS, math.nan)
    row(f"best_ms_{kernel}", 1e3 * min(table.values()), "ms")
    row(f"within_5_percent_{kernel}", len(good))
    for log in logs:
        if log.kernel == kernel:
            groups.setdefault((log.tool, log.run), []).append(log)
    for (tool, run), group in sorted(groups.items()):
        if run == "exhaustive":
            exhaustive_rows(group[0])
            startups[tool] = group[0].number("startup_seconds")
            row(f"{tool}_startup_seconds_{kernel}", startups[tool], "s")
        else:
            medians[tool, run] = search_rows(group, good)
    ratio_rows(kernel, medians, startups)


def main():
    folder, logs = sys.argv[1], read_logs(sys.argv[1])
    if len(sys.argv) == 4 and sys.argv[2] == "--good":
        table = yardstick(logs, sys.argv[3])
        if table:
            path = os.path.join(folder, sys.argv[3] + ".good")
            with open(path, "w", encoding="utf-8") as file:
                file.write("\n".join(sorted(good_of(table))) + "\n")
        return
    devices = {log.meta.get("device", "") for log in logs} - {"none", "replay"}
    print("logs of " + (", ".join(sorted(devices)) or "no device: invented times"),
          file=sys.stderr)
    for compiler in sorted({f"{log.tool}: {log.meta['nvrtc']}" for log in logs
                            if log.meta.get("nvrtc")}):
        print("compiler of " + compiler, file=sys.stderr)
    for kernel in sorted({log.kernel for log in logs}):
        kernel_rows(logs, kernel)


main()
