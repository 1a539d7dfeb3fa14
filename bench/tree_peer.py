#!/usr/bin/env python3
"""scikit-learn's part of `sh bench/run.sh tree`: the tasks that bench_tree.c wrote down.

    python3 bench/tree_peer.py TASKS    (TASKS.ours: what gputune's trees predict)
"""
import sys
import time
import warnings
import numpy
from sklearn.ensemble import RandomForestRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.tree import DecisionTreeRegressor


def result(name, value, unit=""):
    print(f"result\t{name}\t{value:.6g}\t{unit}", flush=True)


def tasks(path):
    with open(path, "rb") as file:
        while line := file.readline():
            name, count, width, queries = line.decode().split()
            count, width, queries = int(count), int(width), int(queries)
            x = numpy.fromfile(file, count=count * width).reshape(count, width)
            y = numpy.fromfile(file, count=count)
            yield name, x, y, numpy.fromfile(file, count=queries * width).reshape(queries, width)


def seconds(call, rounds):
    best = numpy.inf
    for _ in range(rounds):
        begin = time.thread_time()
        call()
        best = min(best, time.thread_time() - begin)
    return best


def speed(name, x, y, query, ours):
    """Times of fitting and of one prediction; how many predictions are the same. Where they are
    not, it must be a tie: scikit-learn itself differs from seed to seed there."""
    rounds = 2 if len(y) > 10000 else 100
    took = seconds(lambda: DecisionTreeRegressor().fit(x, y), rounds)
    result("sklearn_" + name, took * 1e3, "ms")
    tree = DecisionTreeRegressor().fit(x, y)
    if len(y) == 200 and name.endswith("whole"):
        one = x[:1]
        result("sklearn_predict_200x6", seconds(lambda: tree.predict(one), 2000) * 1e9, "ns")
    theirs = numpy.array([DecisionTreeRegressor(min_samples_leaf=5, random_state=s).fit(x, y)
                          .predict(query) for s in range(2 if len(y) > 10000 else 10)])
    agreed = numpy.ptp(theirs, axis=0) < 1e-9
    same = numpy.abs(theirs[0] - ours) < 1e-9 * (1 + numpy.abs(ours))
    result("same_" + name, same[agreed].mean(), f"of {agreed.sum()} predictions without a tie")


ERRORS = {}


def columns(x, train):
    """What a Gaussian process sees: logarithms of what is above 0, mean 0 and variance 1."""
    x = numpy.where((x > 0).all(axis=0), numpy.log(numpy.maximum(x, 1e-300)), x)
    scale = x[train].std(axis=0)
    return (x - x[train].mean(axis=0)) / numpy.where(scale > 0, scale, 1)


def process(width):
    """A Matern kernel with a length for each parameter, and noise; maximum likelihood."""
    kernel = (ConstantKernel(1, (1e-3, 1e3)) * Matern(numpy.ones(width), (1e-2, 1e3), nu=2.5) +
              WhiteKernel(1e-2, (1e-6, 1e1)))
    return GaussianProcessRegressor(kernel, normalize_y=True, random_state=0)


def accuracy(name, x, y):
    """Errors as in bench_tree.c: a single tree as it is and on log time, a forest of 100 trees and
    a Gaussian process on log time."""
    _, space, learned = name.split(":")
    n = int(learned)
    train, test = slice(0, n), slice(n, None)
    models = (("sklearn_tree", DecisionTreeRegressor(random_state=0), False),
              ("sklearn_tree_log", DecisionTreeRegressor(random_state=0), True),
              ("sklearn_forest", RandomForestRegressor(100, random_state=0), True),
              ("sklearn_process", process(x.shape[1]), True))
    for model, fit, log in models:
        data = columns(x, train) if model == "sklearn_process" else x
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            fit.fit(data[train], numpy.log(y[train]) if log else y[train])
        predicted = fit.predict(data[test])
        predicted = numpy.exp(predicted) if log else predicted
        error = numpy.median(numpy.abs(predicted - y[test]) / y[test])
        ERRORS.setdefault(model, {}).setdefault(space, []).append(error)


ours = numpy.fromfile(sys.argv[1] + ".ours")
for name, x, y, query in tasks(sys.argv[1]):
    if name.startswith("space:"):
        accuracy(name, x, y)
    else:
        speed(name, x, y, query, ours[:len(query)])
        ours = ours[len(query):]
for model, spaces in ERRORS.items():
    for space, errors in spaces.items():
        result(f"error_{model}:{space}", numpy.median(errors))
    result(f"error_{model}", numpy.median([numpy.median(e) for e in spaces.values()]),
           "median over spaces")
