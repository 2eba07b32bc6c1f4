"""GNMF in NumPy, for results.go: multiplicative updates (6)-(7), and Algorithm 1 of the
RRA paper as it stands, with its residual matrix and with (17).

    peers.py FOLDER mur|rra EPS TARGET SECONDS ROUNDS

FOLDER has x, w, h (raw float64, row by row), shape (m n r beta energy) and edges
(i j weight a line). A line of output is the seconds so far, which are those of the
updates alone, and the objective; the first is the start. It ends where rule (18)
holds with EPS > 0, or at TARGET, or after SECONDS or ROUNDS.
"""
import sys, time
import numpy as np
from scipy import linalg, sparse

folder, solver, eps, target, limit, most = sys.argv[1], sys.argv[2], *map(float, sys.argv[3:7])
m, n, r, beta, energy = np.loadtxt(folder + "/shape")
m, n, r = int(m), int(n), int(r)
X = np.fromfile(folder + "/x").reshape(m, n)
U = np.fromfile(folder + "/w").reshape(m, r)
V = np.ascontiguousarray(np.fromfile(folder + "/h").reshape(r, n).T)
i, j, weight = np.loadtxt(folder + "/edges", ndmin=2).T
W = sparse.coo_matrix((np.r_[weight, weight], (np.r_[i, j].astype(int), np.r_[j, i].astype(int))), (n, n)).tocsr()
d = np.asarray(W.sum(axis=1)).ravel()


def roughness(V):
    return np.sum(V * (d[:, None] * V - W @ V))


def mur():
    global U, V
    square, tiny = np.sum(X * X), 1e-300
    yield lambda: square - 2 * np.sum((X @ V) * U) + np.sum((U.T @ U) * (V.T @ V)) + beta * roughness(V)
    while True:
        V *= (X.T @ U + beta * (W @ V)) / np.maximum(V @ (U.T @ U) + beta * d[:, None] * V, tiny)  # (7)
        XV, VV = X @ V, V.T @ V
        U *= XV / np.maximum(U @ VV, tiny)  # (6)
        yield lambda: square - 2 * np.sum(XV * U) + np.sum((U.T @ U) * VV) + beta * roughness(V)


def rra():
    try:
        kept = np.load(folder + "/eigen.npz")
        sigma, theta = kept["sigma"], kept["theta"]
    except FileNotFoundError:
        sigma, theta = np.linalg.eigh(np.diag(d) - W.toarray())
        sigma, theta = sigma[::-1], theta[:, ::-1]
        np.savez(folder + "/eigen.npz", sigma=sigma, theta=theta)
    p = int(np.searchsorted(np.cumsum(sigma), energy * np.sum(d) * (1 - 1e-12))) + 1
    p = min(p, int(np.sum(sigma > 1e-9 * sigma[0])))
    sigma, theta = sigma[:p], np.asfortranarray(theta[:, :p])
    R = np.asfortranarray(X - U @ V.T)
    u_all, v_all = np.asfortranarray(U), np.asfortranarray(V)
    yield lambda: np.sum(R * R) + beta * roughness(v_all)
    add = lambda sign, u, v: linalg.blas.dger(sign, u, v, a=R, overwrite_a=1, overwrite_x=0, overwrite_y=0)
    while True:
        for k in range(r):
            u, v = u_all[:, k].copy(), v_all[:, k].copy()
            R = add(1.0, u, v)  # line 5
            if v @ v > 0:
                u = np.maximum(R @ v, 0) / (v @ v)  # line 6
            if u @ u > 0:
                g, b = u @ u, R.T @ u
                v = np.maximum(b / g - theta @ (beta / g**2 / (1 / sigma + beta / g) * (theta.T @ b)), 0)  # 7, 8
            R = add(-1.0, u, v)  # line 9
            u_all[:, k], v_all[:, k] = u, v
        yield lambda: np.sum(R * R) + beta * roughness(v_all)


objectives, spent, rounds, steps = [], 0.0, 0, {"mur": mur, "rra": rra}[solver]()
objective = next(steps)
while True:
    objectives.append(objective())
    print(f"{spent:.6f} {objectives[-1]:.12g}", flush=True)
    f = objectives
    if (eps > 0 and len(f) > 2 and abs(f[-1] - f[-2]) <= eps * abs(f[1] - f[0])) or f[-1] <= target or spent > limit or rounds >= most or not np.isfinite(f[-1]):
        break
    begin = time.perf_counter()
    objective = next(steps)
    spent, rounds = spent + time.perf_counter() - begin, rounds + 1
