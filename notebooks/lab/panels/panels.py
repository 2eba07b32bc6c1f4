"""scikit-learn, at the tasks of main.go. Writes one line of JSON."""
import json, sys, time, warnings
import numpy as np
from scipy import io, sparse
from sklearn.decomposition import NMF, MiniBatchNMF

warnings.simplefilter("ignore")


def floats(name, rows, columns):
    return np.fromfile(name).reshape(rows, columns)


def objective(x, w, h):
    """‖X − WH‖², X dense or sparse."""
    if sparse.issparse(x):
        cross = x.T @ w  # features × r
        return float((x.data ** 2).sum() - 2 * (cross * h.T).sum() + ((w.T @ w) * (h @ h.T)).sum())
    return float(sum(((x[i:i + 4096] - w[i:i + 4096] @ h) ** 2).sum() for i in range(0, len(x), 4096)))


def deviance(x, w, h):
    """Σ 2(x ln(x/y) − x + y) with y of WH, X sparse: where x is 0 it is 2y."""
    x = x.tocoo()
    y = np.concatenate([(w[x.row[i:i + 65536]] * h.T[x.col[i:i + 65536]]).sum(1) for i in range(0, x.nnz, 65536)])
    return float(2 * ((x.data * np.log(x.data / y) - x.data).sum() + w.sum(0) @ h.sum(1)))


def main():
    a = json.loads(sys.argv[1])
    r = a["rank"]
    if a["task"] == "sparse":
        x = sparse.csr_matrix(io.loadmat(a["file"])["fea"]).astype(np.float64)
    else:
        x = np.fromfile(a["file"]).reshape(a["n"], a["m"])  # a row is a sample
    n, m = x.shape
    w, h = floats(a["start"] + ".h", r, n).T.copy(), floats(a["start"] + ".w", m, r).T.copy()
    if a["task"] in ("sparse", "batch"):
        rule = {"solver": "mu", "beta_loss": "kullback-leibler"} if a.get("counts") else {"solver": "cd"}
        model = NMF(n_components=r, init="custom", tol=0, max_iter=a["rounds"], **rule)
    else:
        model = MiniBatchNMF(n_components=r, init="custom", batch_size=a["batch"], tol=0, max_no_improvement=None,
                             max_iter=a["rounds"], forget_factor=a.get("forget", 0.7))
    begin, busy = time.perf_counter(), time.process_time()
    w = model.fit_transform(x, W=w, H=h)
    seconds, busy = time.perf_counter() - begin, time.process_time() - busy
    value = deviance if a.get("counts") else objective
    print(json.dumps({"seconds": seconds, "cpu": busy, "objective": value(x, w, model.components_)}))


main()
