"""cellcase.py: the objective of CellCase{Huber}, and two rounds of multiplicative updates, in NumPy.

    python3 cellcase.py > golden.csv

A row for each of start, round 1 and round 2: the objective, then W row by row, then H row by row."""
import numpy as np

m, n, r, cut, eps = 5, 6, 2, 0.25, 0.05
x = np.array([[(7 * i + 3 * j + i * j) % 11 / 10 for j in range(n)] for i in range(m)])
mask = np.array([[0 if (2 * i + 5 * j) % 9 == 0 else 1 + (i + j) % 2 for j in range(n)] for i in range(m)], float)
w = np.array([[0.3 + (3 * i + 2 * k) % 5 / 5 for k in range(r)] for i in range(m)])
h = np.array([[0.2 + (k + 4 * j) % 7 / 7 for j in range(n)] for k in range(r)])


def parts():
    e = np.abs(x - w @ h)
    rho = np.where(e <= cut, e**2, 2 * cut * e - cut**2)
    root = np.sqrt(eps**2 + (mask * rho).sum(0))
    return root.sum(), mask * np.minimum(1, cut / np.maximum(e, 1e-300)) / (2 * root)


def line():
    print(",".join(repr(float(v)) for v in [parts()[0], *w.ravel(), *h.ravel()]))


line()
for _ in range(2):
    omega = parts()[1]
    h *= (w.T @ (omega * x)) / (w.T @ (omega * (w @ h)))
    omega = parts()[1]
    w *= ((omega * x) @ h.T) / ((omega * (w @ h)) @ h.T)
    line()
