#!/usr/bin/env python3
"""Kernel Tuner's strategies on recorded spaces: `sh bench/run.sh search_peer FOLDER [SEEDS
[STRATEGY ...]]`, the rows of bench_search.c for them.

Its simulation mode replays each space; strategies have their defaults. Valid are exactly the rows
of the file, those that failed among them: a failure costs an evaluation, as with gputune. A
strategy that asks for something again gets it free. One that ends before its evaluations are used
up is counted on with what it had found (kt.STRATEGY_ended: the share of such runs). What one
prepares for a space (the list of its configurations, the parsed cache) is made once for all its
runs, and not counted. Neighbours are looked up anew in each run: the part of them that a run has
seen would lead the next ones.

    search_peer.py FOLDER [SEEDS [STRATEGY ...]]    search_SPACE_kt.STRATEGY_T and so on
    search_peer.py --beside OURS THEIRS [STRATEGY]  a table from such rows of gputune (surrogate, or
                                                    STRATEGY) and of Kernel Tuner, a row a space:
                                                    medians, ours and the best of theirs
"""
import csv
import glob
import gzip
import json
import os
import random
import sys
import tempfile
import time
import warnings

MARKS = (25, 50, 100, 200)
STRATEGIES = """adaptive_tabu_greywolf genetic_algorithm dual_annealing random_sample diff_evo
greedy_ils simulated_annealing pso greedy_mls mls basinhopping firefly_algorithm
hybrid_vndx""".split()


def number(text):
    value = float(text)
    return int(value) if value == int(value) else value


class Space:
    """A recorded space as Kernel Tuner takes it."""

    def __init__(self, path, folder):
        self.name = os.path.basename(path)[:-len(".csv.gz")]
        with gzip.open(path, "rt", encoding="ascii") as file:
            header, *rows = csv.reader(file)
        self.times = {tuple(map(number, row[:-1])): float(row[-1] or "inf") for row in rows}
        self.best = min(self.times.values())
        columns = zip(*self.times)
        self.params = {name: sorted(set(column)) for name, column in zip(header, columns)}
        self.path = os.path.join(folder, self.name + ".json")
        self.searchspace = self.cache = None
        self.write()

    def write(self):
        cache = {}
        for values, milliseconds in self.times.items():
            entry = dict(zip(self.params, values), compile_time=0, verification_time=0,
                         benchmark_time=0, framework_time=0, strategy_time=0)
            if milliseconds == float("inf"):
                entry.update(time="RuntimeFailedConfig", __error__="RuntimeFailedConfig")
            else:
                entry.update(time=milliseconds, times=[milliseconds])
            cache[",".join(map(str, values))] = entry
        with open(self.path, "w", encoding="ascii") as file:
            json.dump(dict(device_name="recorded", kernel_name="k", problem_size=[1],
                           tune_params_keys=list(self.params), tune_params=self.params,
                           objective="time", cache=cache), file)


def forget_neighbours(searchspace):
    for name in ("_Searchspace__neighbor_cache", "_Searchspace__neighbor_partial_cache"):
        for table in getattr(searchspace, name).values():
            table.clear()


def once(space, attribute, make):
    """make, but for each space only the first time."""
    def made(*arguments, **options):
        if getattr(space, attribute) is None:
            setattr(space, attribute, make(*arguments, **options))
        return getattr(space, attribute)
    return made


def run(space, strategy, seed):
    """Best / optimum after each evaluation, and the seconds that all took."""
    import numpy
    from constraint import FunctionConstraint
    from kernel_tuner import interface, searchspace, tune_kernel, util
    from kernel_tuner.util import StopCriterionReached
    random.seed(seed)
    numpy.random.seed(seed)
    found, best = [], float("inf")

    def told(_params, result, *_rest):
        nonlocal best
        best = min(best, float("inf") if "__error__" in result else result["time"])
        found.append(best / space.best)

    util.print_config_output = told
    interface.Searchspace = once(space, "searchspace", searchspace.Searchspace)
    util.process_cache = once(space, "cache", ORIGINAL_PROCESS_CACHE)
    if space.searchspace is not None:
        forget_neighbours(space.searchspace)
    valid = FunctionConstraint(lambda *values: values in space.times)
    limits = dict(max_fevals=min(MARKS[-1], len(space.times)))
    if strategy == "random_sample":
        limits["fraction"] = 1.0
    started = time.perf_counter()
    try:
        tune_kernel("k", "", (1,), [], space.params, restrictions=[valid], lang="C", quiet=True,
                    strategy=strategy, strategy_options=limits, cache=space.path,
                    simulation_mode=True)
    except StopCriterionReached:  # not every strategy catches it
        pass
    seconds = time.perf_counter() - started
    trials = len(found)
    return found + [best / space.best] * (MARKS[-1] - trials), seconds, trials


def figures(runs, mark):
    """Median, mean and 90th percentile, 10 at most."""
    import numpy
    at = numpy.minimum([found[mark - 1] for found in runs], 10.0)
    return numpy.median(at), at.mean(), numpy.quantile(at, 0.9)


def row(name, value, unit="x"):
    print(f"result\tsearch_{name}\t{value:.4f}\t{unit}", flush=True)


def measure(folder, seeds, strategies):
    import numpy
    with tempfile.TemporaryDirectory() as scratch:
        files = sorted(glob.glob(os.path.join(folder, "*.csv.gz")))
        spaces = [Space(path, scratch) for path in files]
        for space in spaces:
            run(space, "random_sample", 0)  # makes what is made once
        for strategy in strategies:
            logs, seconds, trials, ended = [], 0.0, 0, 0
            for space in spaces:
                runs = [run(space, strategy, seed) for seed in range(1, seeds + 1)]
                seconds += sum(r[1] for r in runs)
                trials += sum(r[2] for r in runs)
                ended += sum(r[2] < min(MARKS[-1], len(space.times)) for r in runs)
                here = [figures([r[0] for r in runs], mark) for mark in MARKS]
                logs.append(numpy.log(here))
                for mark, values in zip(MARKS, here):
                    for kind, value in zip(("", "mean_", "p90_"), values):
                        row(f"{space.name}_kt.{strategy}_{kind}{mark}", value)
            for mark, values in zip(MARKS, numpy.exp(numpy.mean(logs, axis=0))):
                for kind, value in zip(("", "mean_", "p90_"), values):
                    row(f"kt.{strategy}_{kind}{mark}", value)
            row(f"kt.{strategy}_ms", 1e3 * seconds / max(trials, 1), "ms")
            row(f"kt.{strategy}_ended", ended / (seeds * len(spaces)), "of the runs")


# --- the table

def medians(path, strategies=None):
    """{(space, strategy, mark): median}; "" is the geometric mean of the spaces."""
    found = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if len(cells) != 4 or not cells[1].startswith("search_"):
                continue
            words = cells[1][len("search_"):].rsplit("_", 1)
            if not words[1].isdigit() or words[0].endswith(("_mean", "_p90")):
                continue
            space, peer, strategy = ("_" + words[0]).rpartition("_kt.")
            space, strategy = space[1:], strategy if peer else None
            for name in strategies or ():
                if words[0] == name or words[0].endswith("_" + name):
                    space, strategy = words[0][:-len(name) - 1], name
            if strategy:
                found[space, strategy, int(words[1])] = float(cells[2])
    return found


def beside(ours_path, theirs_path, strategy):
    ours, theirs = medians(ours_path, (strategy,)), medians(theirs_path)
    names = sorted({name for _, name, _ in theirs})
    print("| space | " + " | ".join(f"{m}: {strategy}, best of theirs" for m in MARKS[1:]) + " |")
    print("| --- |" + " --- |" * len(MARKS[1:]))
    for space in sorted({space for space, _, _ in theirs}, key=lambda s: (not s, s)):
        cells = []
        for mark in MARKS[1:]:
            best = min(names, key=lambda name: theirs.get((space, name, mark), 99.0))
            mine = ours.get((space, strategy, mark), float("nan"))
            worse = " (!)" if mine > theirs[space, best, mark] + 5e-5 else ""
            cells.append(f"{mine:.3f}, {theirs[space, best, mark]:.3f} {best}{worse}")
        print(f"| {space or 'geometric mean'} | " + " | ".join(cells) + " |")


def main():
    global ORIGINAL_PROCESS_CACHE
    if len(sys.argv) in (4, 5) and sys.argv[1] == "--beside":
        return beside(sys.argv[2], sys.argv[3], (sys.argv + ["surrogate"])[4])
    if len(sys.argv) < 2 or not os.path.isdir(sys.argv[1]):
        sys.exit(__doc__)
    try:
        from kernel_tuner import util
    except ImportError as error:
        sys.exit(f"search_peer: {error}: pip install kernel_tuner")
    warnings.filterwarnings("ignore", category=UserWarning, module="kernel_tuner")
    ORIGINAL_PROCESS_CACHE = util.process_cache
    measure(sys.argv[1], int((sys.argv + ["25"])[2]), sys.argv[3:] or STRATEGIES)


main()
