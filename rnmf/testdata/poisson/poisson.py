"""poisson.py: the divergence and the multiplicative updates of scikit-learn's NMF.

    python3 poisson.py > golden.csv

A row for each of start, round 1, 2 and 10: 2·KL, then W row by row, then H row by row. scikit-learn
updates its W first: it gets the transposed data, so that its W is our Hᵀ."""
import warnings

import numpy as np
import sklearn
from sklearn.decomposition import _nmf

warnings.filterwarnings("ignore")
m, n, r = 5, 6, 2
x = np.array([[float((7 * i + 3 * j + i * j) % 11) for j in range(n)] for i in range(m)])
w = np.array([[0.3 + (3 * i + 2 * k) % 5 / 5 for k in range(r)] for i in range(m)])
h = np.array([[2.2 + (k + 4 * j) % 7 / 7 for j in range(n)] for k in range(r)])


def row(w, h):
    d = 2 * _nmf._beta_divergence(x, w, h, "kullback-leibler")
    print(",".join(repr(float(v)) for v in [d, *w.ravel(), *h.ravel()]))


row(w, h)
for rounds in 1, 2, 10:
    ht, wt, _ = _nmf._fit_multiplicative_update(
        x.T.copy(), h.T.copy(), w.T.copy(), beta_loss="kullback-leibler", max_iter=rounds, tol=0
    )
    row(wt.T, ht.T)
