#!/usr/bin/env python3
"""Writes tests/tree_vectors.h: what scikit-learn's regression tree makes of small data.

    pip install scikit-learn numpy; python3 tests/tree_vectors.py >tests/tree_vectors.h

Numbers are multiples of 1/64, so that scikit-learn's float32 holds features exactly, and its sums
of the metric do not round: ties are ties. It breaks them at random, so every tree is fitted with
20 seeds, and predictions are kept only where all of them agree.
"""
import numpy
import sklearn
from sklearn.tree import DecisionTreeRegressor

random = numpy.random.default_rng(7)


def data(count, features, values):
    x = random.integers(0, values, (count, features)) / 64
    y = 3 * numpy.sin(5 * x[:, 0]) + x[:, 1] * x[:, -1] + random.normal(0, 0.3, count)
    return x, numpy.round(64 * y) / 64


def agreed(x, y, query, **settings):
    trees = [DecisionTreeRegressor(random_state=s, **settings).fit(x, y) for s in range(20)]
    all_ = numpy.array([t.predict(query) for t in trees])
    return numpy.where(numpy.ptp(all_, axis=0) < 1e-9, all_[0], numpy.nan)


def array(name, values):
    print(f"static const double {name}[] = {{")
    texts = ["NAN" if v != v else repr(float(v)) for v in numpy.asarray(values).ravel()]
    line = "   "
    for text in texts:
        if len(line) + len(text) > 97:
            print(line)
            line = "   "
        line += " " + text + ","
    print(line + "\n};")


SETTINGS = [("plain", {}), ("min_leaf", {"min_samples_leaf": 3}), ("leaves", {"max_leaf_nodes": 7})]
print(f"// Made by tests/tree_vectors.py with scikit-learn {sklearn.__version__}: do not edit.")
KINDS = ("reals", 60, 3, 640), ("whole", 80, 4, 6), ("large", 400, 3, 640)
for kind, count, features, values in KINDS:
    x, y = data(count, features, values)
    query = random.integers(0, values, (60, features)) / 64
    random.integers(1, 5, count)  # the kinds that follow were drawn after these
    array(f"{kind}_x", x)
    array(f"{kind}_y", y)
    array(f"{kind}_query", query)
    for name, settings in SETTINGS:
        array(f"{kind}_{name}", agreed(x, y, query, **settings))
