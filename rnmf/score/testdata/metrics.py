"""Writes metrics.json and match.json beside itself: scores of scikit-learn
1.2.1 and assignments of SciPy 1.10.1 on small random problems.

    /usr/bin/python3 rnmf/score/testdata/metrics.py     (Debian 12: python3-sklearn)
"""
import json, pathlib
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn import metrics

here = pathlib.Path(__file__).resolve().parent
source = "scikit-learn 1.2.1, SciPy 1.10.1; rnmf/score/testdata/metrics.py"
rng = np.random.default_rng(20111)


def scores(t, f):
    # rows of the table are classes
    c = metrics.cluster.contingency_matrix(t, f)
    i, j = linear_sum_assignment(-c)
    nmi = lambda how: metrics.normalized_mutual_info_score(t, f, average_method=how)
    return {
        "truth": [int(v) for v in t], "found": [int(v) for v in f],
        "counts": c.tolist(),
        "accuracy": c[i, j].sum() / c.sum(),
        "purity": c.max(axis=0).sum() / c.sum(),
        "nmi": [nmi("arithmetic"), nmi("geometric"), nmi("max")],
        "ari": metrics.adjusted_rand_score(t, f),
    }


cases = []
for n, k, l, noise in [(12, 3, 3, .2), (30, 4, 4, .3), (40, 3, 6, .4), (40, 7, 3, .2), (60, 5, 5, 1.0), (25, 1, 4, 1), (25, 4, 1, 1), (9, 9, 9, 0)]:
    t = rng.integers(0, k, n)
    f = np.where(rng.random(n) < noise, rng.integers(0, l, n), rng.permutation(max(k, l))[t] % l)
    cases.append(scores(t * 3, f * 2 + 1))
cases.append(scores(np.zeros(5, int), np.ones(5, int)))
cases.append(scores(np.arange(6), np.arange(6)[::-1]))
cases.append(scores(np.arange(6), np.zeros(6, int)))

ap = []
for n in [5, 20, 50]:
    truth = rng.random(n) < .3
    truth[0] = True
    weights = np.round(rng.permutation(n) / n - .2 * truth, 6) + np.arange(n) * 1e-7  # no ties
    ap.append({"weights": weights.tolist(), "truth": truth.tolist(),
               "ap": metrics.average_precision_score(truth, -weights)})

detect = []
for n in [10, 40]:
    truth, flags = rng.random(n) < .4, rng.random(n) < .5
    p, r, f, _ = metrics.precision_recall_fscore_support(truth, flags, average="binary")
    detect.append({"flags": flags.tolist(), "truth": truth.tolist(), "precision": p, "recall": r, "f1": f})

(here / "metrics.json").write_text(json.dumps({"source": source, "scores": cases, "average_precision": ap, "detect": detect}) + "\n")

match = []
for a, b in [(1, 1), (2, 2), (3, 5), (5, 3), (6, 6), (12, 12), (9, 20), (20, 9)]:
    c = np.round(rng.normal(size=(a, b)) * 10, 3)
    i, j = linear_sum_assignment(c)
    pi = [-1] * a
    for u, v in zip(i, j):
        pi[u] = int(v)
    match.append({"cost": c.tolist(), "pi": pi, "total": c[i, j].sum()})
(here / "match.json").write_text(json.dumps({"source": source, "cases": match}) + "\n")
