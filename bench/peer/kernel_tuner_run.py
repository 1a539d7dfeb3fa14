"""Drives Kernel Tuner (CuPy backend) on bench/peer/*.cu; see bench/run.sh and compare.py.

Parameters, values and restrictions are read from the kernels' own annotations, so that both tools
search the same space. Every tuning leaves a log, LOGS/KERNEL.kernel_tuner.RUN.SEED.tsv: lines
"# key<TAB>value", then a row a configuration in the order in which they were tried.
"""
import argparse
import os
import random
import re
import sys
import tempfile
import time
import warnings

HERE = os.path.dirname(os.path.abspath(__file__))
START = float(os.environ.get("PEER_STARTED", time.time()))  # of the process, by its caller

# CuPy takes its cache's folder when it is imported, which importing Kernel Tuner may do.
CUPY_CACHE = os.environ["CUPY_CACHE_DIR"] = tempfile.mkdtemp(prefix="cupy-cache-")

COLUMNS = "elapsed value compile verify benchmark kernel result config".split()  # seconds

KERNELS = {  # sizes as in bench_peer.c
    "sgemm": dict(size=(2048, 2048, 2048), blocks=["BLOCK_X", "BLOCK_Y"],
                  problem=lambda s: (s[1], s[0]),
                  divide=(["BLOCK_X", "ITEMS_X"], ["BLOCK_Y", "ITEMS_Y"])),
    "convolution": dict(size=(4096, 2048), blocks=["BLOCK_X", "BLOCK_Y"], problem=lambda s: s,
                        divide=(["BLOCK_X", "ITEMS_X"], ["BLOCK_Y", "ITEMS_Y"])),
    "reduction": dict(size=(8192, 32768), blocks=["BLOCK"], problem=lambda s: (s[0],),
                      divide=([], [])),
}


def give_up(text):
    sys.exit("kernel_tuner_run: " + text)


try:
    import numpy
    import kernel_tuner
    from kernel_tuner import util
    from kernel_tuner.runners import sequential
    from kernel_tuner.searchspace import Searchspace
except ImportError as error:
    give_up(f"{error}. Install Kernel Tuner (pip install kernel_tuner), or unpack its wheels and "
            "those that it needs into a folder and name that in PEER_PYTHONPATH")


# About block_size_z, which no kernel has, and about the arguments that a simulation has not.
warnings.filterwarnings("ignore", category=UserWarning, module="kernel_tuner")


# --- the annotations

def values_of(words):
    kind, _, rest = words.partition(" ")
    numbers = [int(n) for n in re.findall(r"-?\d+", rest)]
    if kind == "set":
        return numbers
    if kind == "bool":
        return [0, 1]
    if kind == "range":
        return list(range(numbers[0], numbers[1] + 1, (numbers + [1])[2]))
    values = []
    while numbers[0] <= numbers[1]:
        values.append(numbers[0])
        numbers[0] *= numbers[2]
    return values


def read_kernel(name):
    """The source, {parameter: values}, {parameter: default} and restrictions, as Python."""
    with open(os.path.join(HERE, name + ".cu"), encoding="utf-8") as file:
        source = file.read()
    params, defaults, restrictions, values = {}, {}, [], None
    for line in source.replace("\\\n", " ").splitlines():
        pragma = re.match(r"#pragma gputune (\w+) ?(.*)", line)
        define = re.match(r"#define (\w+) (\d+)", line)
        if pragma and pragma[1] == "require":
            text = pragma[2].replace("&&", " and ").replace("||", " or ").replace("/", "//")
            restrictions.append(" ".join(re.sub(r"!(?!=)", " not ", text).split()))
        elif pragma and pragma[1] in ("set", "bool", "range", "erange"):
            values = values_of(pragma[1] + " " + pragma[2])
        elif define and values:
            params[define[1]], defaults[define[1]], values = values, int(define[2]), None
    return source, params, defaults, restrictions


def text_of(config, params):
    return " ".join(f"{name}={config[name]}" for name in params)


# --- data and references

def uniform(generator, *shape):
    """Numbers in [-1, 1): a million random ones, repeated, since gigabytes take seconds."""
    some = generator.random(1 << 20, dtype=numpy.float32) * 2 - 1
    return numpy.resize(some, shape)


def make_arguments(name):
    """Arguments in the kernel's order, and a function that checks its output."""
    generator = numpy.random.default_rng(1)
    n32, f32 = numpy.int32, numpy.float32
    if name == "sgemm":
        m, n, k = KERNELS[name]["size"]
        a, b = uniform(generator, m, k), uniform(generator, k, n)
        c = numpy.zeros((m, n), f32)

        def check(out):
            return numpy.abs(out.reshape(m, n) - a @ b).max() < 2e-2
        return [n32(m), n32(n), n32(k), f32(1), a, b, f32(0), c], check
    if name == "convolution":
        width, height = KERNELS[name]["size"]
        image, weights = uniform(generator, height + 16, width + 16), uniform(generator, 17, 17)
        out = numpy.zeros((height, width), f32)

        def check(got):
            got = got.reshape(height, width)
            for _ in range(500):
                x, y = random.randrange(width), random.randrange(height)
                if abs(got[y, x] - (image[y:y + 17, x:x + 17] * weights).sum()) > 1e-3:
                    return False
            return True
        return [n32(width), n32(height), image, weights, out], check
    rows, length = KERNELS[name]["size"]
    x, sums = uniform(generator, rows, length), numpy.zeros(rows, f32)

    def check(out):
        return numpy.abs(out - x.sum(axis=1, dtype=numpy.float64)).max() < 0.05
    return [n32(rows), n32(length), x, sums], check


# --- the log of one run

class Log:
    def __init__(self, options, name, params, run, seed, stop):
        self.path = os.path.join(options.logs, f"{name}.kernel_tuner.{run}.{seed}.tsv")
        self.params, self.rows, self.meta = params, [], {}
        self.best, self.started, self.recorded = float("inf"), 0.0, 0.0
        self.good, self.simulated = good_configurations(options, name) if stop else (), False

    def begin(self):
        self.started = time.perf_counter()

    def elapsed(self):
        return time.perf_counter() - self.started + self.recorded

    def add(self, _tune_params, result, *_rest):
        """Called by Kernel Tuner for each configuration measured, in place of its print."""
        parts = [result.get(key, 0) * 1e-3
                 for key in ("compile_time", "verification_time", "benchmark_time")]
        if self.simulated:
            self.recorded += sum(parts)
        failed = "__error__" in result
        value = float("inf") if failed else float(result["time"]) * 1e-3
        text = text_of(result, self.params)
        word = str(result["__error__"]) if failed else "ok"
        kernel = sum(result.get("times", [])) * 1e-3
        self.rows.append([self.elapsed(), value, *parts, kernel, word, text])
        self.best = min(self.best, value)
        if value == self.best and text in self.good:
            raise util.StopCriterionReached("within 5 % of the best")

    def write(self):
        self.meta["total_seconds"] = self.elapsed()
        with open(self.path, "w", encoding="utf-8") as file:
            for key, value in self.meta.items():
                file.write(f"# {key}\t{value}\n")
            file.write("\t".join(COLUMNS) + "\n")
            for row in self.rows:
                file.write("\t".join(f"{c:.9g}" if isinstance(c, float) else str(c) for c in row))
                file.write("\n")
        trials = len(self.rows)
        print(f"  {os.path.basename(self.path)}: {trials} configurations, best "
              f"{1e3 * self.best:.4f} ms, {self.meta['total_seconds']:.1f} s", file=sys.stderr)


def good_configurations(options, name):
    """Those within 5 % of the best, which compare.py wrote; none: runs do not end early."""
    path = os.path.join(options.logs, name + ".good")
    if not os.path.exists(path):
        return frozenset()
    with open(path, encoding="utf-8") as file:
        return frozenset(file.read().split("\n"))


# --- running Kernel Tuner

class Bench:
    def __init__(self, options, name):
        self.options, self.name, self.kind = options, name, KERNELS[name]
        self.meta = dict(kernel=name, kernel_tuner=version(), device="none", startup_seconds=0)
        self.arguments, self.check = None, None
        if not options.no_device:
            self.open_device()
        self.source, self.params, self.defaults, self.restrictions = read_kernel(name)
        self.space = Searchspace(self.params, self.restrictions, 1024)
        self.meta["space"] = self.space.size

    def open_device(self):
        """What happens once in a process: context, the compiler's first use, data."""
        import cupy
        cupy.RawModule(code='extern "C" __global__ void f() {}').get_function("f")
        cupy.cuda.Device().synchronize()
        startup = time.time() - START
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        self.meta.update(startup_seconds=startup, device=properties["name"].decode(),
                         cupy=cupy.__version__, nvrtc=loaded_library("libnvrtc.so"))
        self.arguments, self.check = make_arguments(self.name)

    def common(self):
        return dict(kernel_name=self.name, kernel_source=self.source, lang="CUPY",
                    problem_size=self.kind["problem"](self.kind["size"]),
                    block_size_names=list(self.kind["blocks"]), grid_div_x=self.kind["divide"][0],
                    grid_div_y=self.kind["divide"][1], quiet=True)

    def forget(self, seed):
        """No run may profit from what another one compiled, in memory or on the disk."""
        random.seed(seed)
        numpy.random.seed(seed)
        if not self.options.no_device:
            import cupy
            cupy.clear_memo()
            cupy.get_default_memory_pool().free_all_blocks()
            for name in os.listdir(CUPY_CACHE):
                os.unlink(os.path.join(CUPY_CACHE, name))

    def tune(self, run, seed, strategy, strategy_options, iterations=7, stop=False, cache=None):
        log = Log(self.options, self.name, self.params, run, seed, stop)
        log.meta = dict(self.meta, run=run, seed=seed, strategy=strategy or "brute_force",
                        iterations=iterations)
        log.simulated = bool(cache)
        sequential.print_config_output = util.print_config_output = log.add
        self.forget(seed)
        arguments = self.arguments if not cache else [numpy.int32(1)] * 4
        log.begin()
        try:
            results, _environment = kernel_tuner.tune_kernel(
                **self.common(), arguments=arguments, tune_params=self.params,
                restrictions=self.restrictions, iterations=iterations, strategy=strategy,
                strategy_options=strategy_options, cache=cache, simulation_mode=bool(cache))
            for key in ("framework_time", "strategy_time"):
                log.meta[key[:-5] + "_seconds"] = 1e-3 * sum(r.get(key, 0) for r in results)
        except util.StopCriterionReached:  # not every strategy catches it
            pass
        log.write()

    def exhaustive(self):
        if self.options.no_device:
            return self.pretend()
        if self.options.part < 1:  # a random part, each configuration once
            return self.tune("exhaustive", 0, "random_sample", dict(fraction=self.options.part))
        return self.tune("exhaustive", 0, None, None)

    def pretend(self):
        """An invented table instead of a measured one, to try the scripts without a GPU."""
        log = Log(self.options, self.name, self.params, "exhaustive", 0, False)
        log.meta = dict(self.meta, run="exhaustive", seed=0, strategy="pretend", iterations=7)
        log.begin()
        log.simulated = True
        for values in self.space.sorted_list():
            config = dict(zip(self.params, values))
            seconds = pretended_seconds(text_of(config, self.params))
            log.add(None, dict(config, time=1e3 * seconds, times=[1e3 * seconds] * 7,
                               compile_time=100.0, benchmark_time=8e3 * seconds))
        log.write()

    def search(self):
        for iterations in self.options.iterations:
            for strategy in self.options.strategies:
                for seed in range(1, self.options.seeds + 1):
                    limits = dict(max_fevals=self.space.size, time_limit=self.options.cap)
                    if strategy == "random_sample":
                        limits["fraction"] = 1.0
                    self.tune(f"{strategy}-{iterations}", seed, strategy, limits, iterations, True)

    def simulate(self):
        """Kernel Tuner's own simulation mode, over what its exhaustive search recorded."""
        cache = write_cache(self)
        if not cache:
            return
        for strategy in self.options.simulate:
            for seed in range(1, self.options.seeds + 1):
                limits = dict(max_fevals=self.space.size)
                if strategy == "random_sample":
                    limits["fraction"] = 1.0
                self.tune(f"{strategy}-simulated", seed, strategy, limits, 7, True, cache)

    def verify(self):
        """The outputs of the default and of a few random configurations, against NumPy's."""
        random.seed(1)
        chosen = [self.defaults] + [dict(zip(self.params, values))
                                    for values in self.space.get_random_sample(5)]
        for config in chosen:
            outputs = kernel_tuner.run_kernel(**self.common(), arguments=self.arguments,
                                              params=config)
            if not self.check(outputs[-1]):
                give_up(f"{self.name}: wrong output with {text_of(config, self.params)}")
        print(f"result\tpeer_kernel_tuner_verified_{self.name}\t{len(chosen)}\t")


def loaded_library(name):
    """The path under which this process has a library; Linux only."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            paths = {line.split()[-1] for line in file if "/" + name in line}
    except OSError:
        paths = ()
    return " ".join(sorted(paths))


def version():
    from importlib.metadata import PackageNotFoundError, version as installed
    try:
        return installed("kernel_tuner")
    except PackageNotFoundError:
        return "unknown"


def pretended_seconds(text):
    """FNV-1a, as in bench_peer.c."""
    number = 0x811C9DC5
    for byte in text.encode():
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    return 1e-3 * (1 + number % 1000 / 100)


def write_cache(bench):
    """The log of the exhaustive search as a cache file of Kernel Tuner's."""
    import json
    path = os.path.join(bench.options.logs, f"{bench.name}.kernel_tuner.exhaustive.0.tsv")
    if not os.path.exists(path):
        give_up(path + " is missing: make an exhaustive search first")
    entries = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            cells = line.rstrip("\n").split("\t")
            if line.startswith("#") or cells[0] == "elapsed":
                continue
            row = dict(zip(COLUMNS, cells))
            entry = {k: int(v) for k, v in (word.split("=") for word in row["config"].split())}
            key = ",".join(str(value) for value in entry.values())
            milliseconds = {k: 1e3 * float(row[k]) for k in ("compile", "verify", "benchmark")}
            entry.update(compile_time=milliseconds["compile"], framework_time=0, strategy_time=0,
                         verification_time=milliseconds["verify"],
                         benchmark_time=milliseconds["benchmark"])
            if row["result"] == "ok":
                entry["time"] = 1e3 * float(row["value"])
                entry["times"] = [entry["time"]]
            else:
                entry["time"] = entry["__error__"] = row["result"]
            entries[key] = entry
    if len(entries) < bench.space.size:
        print(f"{bench.name}: no simulation: the exhaustive search was cut", file=sys.stderr)
        return None
    out = os.path.join(bench.options.scratch, bench.name + ".json")
    content = dict(device_name=str(bench.meta["device"]), kernel_name=bench.name,
                   problem_size=bench.kind["problem"](bench.kind["size"]),
                   tune_params_keys=list(bench.params), tune_params=bench.params,
                   objective="time", cache=entries)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=0)
    return out


def words(text):
    return [word for word in text.split(",") if word]


def parse_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--do", type=words, default=[])
    parser.add_argument("--logs", required=True)
    parser.add_argument("--scratch", required=True)
    parser.add_argument("--kernel", required=True, choices=list(KERNELS))
    parser.add_argument("--strategies", type=words, default=[])
    parser.add_argument("--simulate", type=words, default=[])
    parser.add_argument("--iterations", type=lambda t: [int(w) for w in words(t)], default=[7])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--part", type=float, default=1.0)
    parser.add_argument("--cap", type=float, default=40)
    parser.add_argument("--no-device", action="store_true")
    return parser.parse_args()


def need_device():
    try:
        import cupy
    except ImportError as error:
        give_up(f"{error}. Install CuPy for your CUDA version, e.g. pip install cupy-cuda13x")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # CuPy has many
        give_up(f"no NVIDIA GPU that CUDA can use: {error}")
    mend_uuid(cupy.cuda.runtime)


def mend_uuid(runtime):
    """CuPy 14 ends a device's uuid at its first zero byte; Kernel Tuner 1.5 needs all 16."""
    told = runtime.getDeviceProperties

    def properties(device):
        mended = told(device)
        mended["uuid"] = mended["uuid"].ljust(16, b"\0")[:16]
        return mended

    runtime.getDeviceProperties = properties


def main():
    options = parse_options()
    if not options.no_device:
        need_device()
    bench = Bench(options, options.kernel)
    steps = dict(exhaustive=bench.exhaustive, search=bench.search, simulate=bench.simulate,
                 verify=bench.verify)
    for step in options.do:
        steps[step]()


main()
