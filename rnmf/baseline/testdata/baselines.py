"""Writes baselines.json beside itself: PCA, NNDSVD and k-means of scikit-learn 1.2.1
on small matrices, and their figures on scikit-learn's digits (1797×64).

    /usr/bin/python3 rnmf/baseline/testdata/baselines.py   (Debian 12: python3-sklearn)

Matrices are features × samples, as in this module, and are stored by rows.
The k-means inertia is the lowest of 300 starts.
"""
import json, pathlib, warnings
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.decomposition._nmf import _initialize_nmf

warnings.simplefilter("ignore")
here = pathlib.Path(__file__).resolve().parent
rng = np.random.default_rng(20112)


def r(a, digits=12):
    a = np.asarray(a, float)
    return [[float(f"%.{digits}g" % v) for v in row] for row in a] if a.ndim == 2 else [float(f"%.{digits}g" % v) for v in a]


def pca(x, k):  # x: features × samples
    p = PCA(k, svd_solver="full").fit(x.T)
    c = p.components_.copy()
    for row in c:
        if row[np.argmax(np.abs(row))] < 0:
            row *= -1
    return {"r": k, "components": r(c.T), "variance": r(p.explained_variance_),
            "total": float(x.var(axis=1, ddof=1).sum())}


small = []
for m, n, k in [(5, 9, 3), (9, 5, 4), (6, 6, 2)]:
    x = np.round(rng.gamma(1.0, 2.0, size=(m, n)), 3)
    # randomized_svd draws k+10 ≥ min(m, n) vectors here, and so is exact
    w, h = _initialize_nmf(x, k, init="nndsvd", random_state=0)
    wa, ha = _initialize_nmf(x, k, init="nndsvda", random_state=0)
    small.append({"x": x.tolist(), "r": k, "pca": pca(x, k), "w": r(w), "h": r(h), "wa": r(wa), "ha": r(ha)})

blobs = np.round(np.concatenate([rng.normal(c, 1.2, size=(20, 2)) for c in ([0, 0], [4, 1], [1, 5], [5, 6])]).T, 3)
km = [{"x": blobs.tolist(), "k": k, "inertia": KMeans(k, n_init=300, random_state=0, tol=0, algorithm="lloyd").fit(blobs.T).inertia_} for k in (1, 2, 4, 6)]

d = load_digits().data
p = PCA(20, svd_solver="full").fit(d)
digits = {"variance": r(p.explained_variance_), "total": float(d.var(axis=0, ddof=1).sum()),
          "inertia": {str(k): KMeans(k, n_init=300, random_state=0, tol=0).fit(d).inertia_ for k in (3, 10, 20)}}

(here / "baselines.json").write_text(json.dumps(
    {"source": "scikit-learn 1.2.1; rnmf/baseline/testdata/baselines.py", "small": small, "kmeans": km, "digits": digits}) + "\n")
