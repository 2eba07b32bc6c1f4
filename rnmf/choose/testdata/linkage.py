"""Writes linkage.json beside itself: cophenetic distances and correlations of average
linkage by SciPy 1.10.1, on random distances and on a consensus matrix.

    /usr/bin/python3 rnmf/choose/testdata/linkage.py     (Debian 12: python3-scipy)
"""
import json, pathlib
import numpy as np
from scipy.cluster.hierarchy import average, cophenet
from scipy.spatial.distance import squareform

here = pathlib.Path(__file__).resolve().parent
rng = np.random.default_rng(2004)
cases = []


def case(name, d):
    c, h = cophenet(average(d), d)
    cases.append({"name": name, "n": len(squareform(d)), "d": d.tolist(), "h": h.tolist(), "c": float(c)})


for n in (2, 3, 4, 7, 12, 25):
    if n > 2:  # of one pair there is no correlation
        case(f"random {n}", rng.random(n * (n - 1) // 2))
points = np.concatenate([rng.normal(c, 1, (6, 3)) for c in (0, 4, 9)])
case("points", squareform(np.linalg.norm(points[:, None] - points[None], axis=2), checks=False))
# Soft consensus: weights make all entries differ, so that the dendrogram is unique.
labels = np.array([[rng.integers(3) if rng.random() < 0.3 else j // 6 for j in range(18)] for _ in range(9)])
w = rng.random(9)
w /= w.sum()
same = (labels[:, :, None] == labels[:, None, :]) * w[:, None, None]
case("consensus", squareform(1 - same.sum(0), checks=False))
out = {"source": "SciPy 1.10.1; rnmf/choose/testdata/linkage.py", "cases": cases}
(here / "linkage.json").write_text(json.dumps(out) + "\n")
