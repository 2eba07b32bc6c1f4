"""The peers of main.go: NumPy and scikit-learn, at their best.

Reads one request a line from stdin and answers with one line on stdout, both
JSON. Matrices come and go in files of raw float64, row by row.
"""
import concurrent.futures, ctypes, gc, itertools, json, os, sys, time, traceback, warnings
import numpy as np

warnings.simplefilter("ignore")  # scikit-learn's, that it has not converged
cores = len(os.sched_getaffinity(0))
sets = {}  # name: (X, W, H)


# Each turns a residual into something proportional to 1/weight, in place; the
# factor cancels in a multiplicative update.
def root(e, scale):  # hypersurface, L1
    np.multiply(e, e, out=e)
    np.add(e, scale * scale, out=e)
    np.sqrt(e, out=e)


def cauchy(e, scale):
    np.multiply(e, e, out=e)
    np.add(e, scale * scale, out=e)


def huber(e, scale):
    np.abs(e, out=e)
    np.maximum(e, scale, out=e)


WEIGHTS = {"hypersurface": root, "l1": root, "cauchy": cauchy, "huber": huber}


def multiply(v, num, den):
    np.maximum(den, 1e-300, out=den)  # a row of X that is 0
    np.divide(num, den, out=num)
    np.multiply(v, num, out=v)


class Block:
    """Updates some rows of V in X ≈ VU, V ← V ∘ (Ω∘X)Uᵀ / (Ω∘VU)Uᵀ."""

    def __init__(self, x, v, buffers):
        self.x, self.v, (self.y, self.a) = x, v, buffers
        self.num, self.den = np.empty_like(v), np.empty_like(v)

    def update(self, u, weight, scale, reciprocal):
        x, y, a = self.x, self.y, self.a
        np.matmul(self.v, u, out=y)
        np.subtract(x, y, out=a)
        weight(a, scale)
        if reciprocal:
            np.reciprocal(a, out=a)
            np.multiply(y, a, out=y)
            np.multiply(x, a, out=a)
        else:
            np.divide(y, a, out=y)
            np.divide(x, a, out=a)
        np.matmul(a, u.T, out=self.num)
        np.matmul(y, u.T, out=self.den)
        multiply(self.v, self.num, self.den)


class Entrywise:
    """Multiplicative updates with a weight for each entry.

    rows is the height of a block, 0 for all; copy keeps a transposed copy of X
    for the update of H; threads handles as many blocks at once, each with BLAS
    on one core.
    """

    def __init__(self, x, w, h, loss, scale, rows, copy, reciprocal, threads):
        self.w, self.ht = w.copy(), (h.T.copy() if copy else h.copy().T)
        self.weight, self.scale, self.reciprocal, self.threads = WEIGHTS[loss], scale, reciprocal, threads
        self.ofw = self.blocks(x, self.w, rows)
        self.ofh = self.blocks(x.T.copy() if copy else x.T, self.ht, rows)

    def blocks(self, x, v, rows):
        rows = rows or len(x)
        spare = [(np.empty_like(x[:rows]), np.empty_like(x[:rows])) for _ in range(self.threads)]
        out = []
        for k, i in enumerate(range(0, len(x), rows)):
            b = x[i:i + rows]
            out.append(Block(b, v[i:i + rows], [s[:len(b)] for s in spare[k % self.threads]]))
        return out

    def half(self, blocks, u):
        def lane(k):
            for b in blocks[k::self.threads]:
                b.update(u, self.weight, self.scale, self.reciprocal)
        if self.threads == 1:
            lane(0)
        else:
            list(workers.map(lane, range(self.threads)))

    def round(self):
        self.half(self.ofh, self.w.T)
        self.half(self.ofw, self.ht.T)

    def factors(self):
        return self.w, self.ht.T


class L21:
    """(16)-(17) of the L2,1 paper; the weights cancel in the update of H.

    gram takes ‖x_j − Wh_j‖² from products that are there already, instead of
    from the residual.
    """

    def __init__(self, x, w, h, scale, gram):
        m, n = x.shape
        r = len(h)
        self.x, self.w, self.h, self.scale, self.gram = x, w.copy(), h.copy(), scale, gram
        self.gw, self.gh = np.empty((r, r)), np.empty((r, r))
        self.numh, self.denh, self.hd = np.empty((r, n)), np.empty((r, n)), np.empty((r, n))
        self.numw, self.denw = np.empty((m, r)), np.empty((m, r))
        self.s, self.xx = np.empty(n), np.einsum("ij,ij->j", x, x)
        self.e = None if gram else np.empty_like(x)

    def round(self):
        w, h, s = self.w, self.h, self.s
        np.matmul(w.T, self.x, out=self.numh)
        np.matmul(w.T, w, out=self.gw)
        np.matmul(self.gw, h, out=self.denh)
        if self.gram:  # numh is overwritten by the update; hd keeps it
            np.copyto(self.hd, self.numh)
        multiply(h, self.numh, self.denh)
        if self.gram:
            np.matmul(self.gw, h, out=self.denh)
            np.subtract(self.denh, self.hd, out=self.denh)
            np.subtract(self.denh, self.hd, out=self.denh)
            np.einsum("ij,ij->j", h, self.denh, out=s)
            np.add(s, self.xx, out=s)
            np.maximum(s, 0, out=s)
        else:
            np.matmul(w, h, out=self.e)
            np.subtract(self.x, self.e, out=self.e)
            np.einsum("ij,ij->j", self.e, self.e, out=s)
        np.add(s, self.scale * self.scale, out=s)
        np.sqrt(s, out=s)
        np.divide(h, s, out=self.hd)
        np.matmul(self.x, self.hd.T, out=self.numw)
        np.matmul(h, self.hd.T, out=self.gh)
        np.matmul(w, self.gh, out=self.denw)
        multiply(w, self.numw, self.denw)

    def factors(self):
        return self.w, self.h


def variants(q):
    """The ways to write it, of the kind asked for."""
    x, w, h = sets[q["data"]]
    if q["loss"] == "l21":
        name = "norms from Gram matrices" if q["kind"] == "blocks" else "residual"
        return {name: lambda: L21(x, w, h, q["scale"], q["kind"] == "blocks")}
    ways = itertools.product([0], (False, True), (False, True), [1])
    if q["kind"] == "blocks":
        ways = itertools.product([64, 256], [True], [False], sorted({1, cores}))
    out = {}
    for rows, copy, reciprocal, t in ways:
        parts = ["blocks of %d" % rows] if rows else []
        parts += ["Xᵀ copied"] * copy + ["reciprocal"] * reciprocal + ["%d threads" % t] * (t > 1)
        out[", ".join(parts) or "plain"] = lambda a=(rows, copy, reciprocal, t): Entrywise(x, w, h, q["loss"], q["scale"], *a)
    return out


def blas_threads(n):
    for lib in blas:
        lib.openblas_set_num_threads(n)


def timed(solver, rounds):
    blas_threads(1 if getattr(solver, "threads", 1) > 1 else cores)
    start = time.perf_counter()
    for _ in range(rounds):
        solver.round()
    seconds = time.perf_counter() - start
    blas_threads(cores)
    return seconds


chosen = {}  # the fastest way


def rounds(q):
    key = q["data"], q["loss"], q["kind"]
    ways = variants(q)
    if key not in chosen and "variant" not in q:
        best = {}
        for _ in range(q["tries"]):
            for name, make in ways.items():
                solver = make()
                timed(solver, 1)
                best[name] = min(best.get(name, 1e9), timed(solver, 2))
                del solver
        chosen[key] = min(best, key=best.get)
    name = q.get("variant") or chosen[key]
    solver = ways[name]()
    if not q.get("cold"):
        timed(solver, 1)  # touches the memory
    seconds = timed(solver, q["rounds"])
    w, h = solver.factors()
    if "out" in q:
        np.ascontiguousarray(w).tofile(q["out"] + ".w")
        np.ascontiguousarray(h).tofile(q["out"] + ".h")
    return {"seconds": seconds, "variant": name}


def correntropy(e, scale):
    np.multiply(e, e, out=e)
    np.multiply(e, 0.5 / (scale * scale), out=e)
    np.minimum(e, 600, out=e)
    np.exp(e, out=e)


def estimated(q):
    """Multiplicative updates whose scale is renewed in each round, from a sample of the
    entries, until the error against the clean data is the target."""
    x, w, h = sets[q["data"]]
    clean = np.fromfile(q["path"] + ".clean").reshape(x.shape)
    scale, size = q["share"], np.linalg.norm(clean)
    cut = [0.0]

    def truncated(e, scale):
        far = np.abs(e) > cut[0]
        cauchy(e, scale)
        e[far] = 1e300

    weight = {**WEIGHTS, "correntropy": correntropy, "truncated": truncated}[q["loss"]]
    solver = Entrywise(x, w, h, "cauchy", 1, 256, True, False, cores)
    solver.weight = weight
    rows, columns = np.nonzero(x)
    pick = np.random.default_rng(1).choice(len(rows), min(100000, len(rows)), replace=False)
    rows, columns = rows[pick], columns[pick]
    blas_threads(1)
    begin, seconds, checked, n = time.perf_counter(), 0.0, 0.0, 0
    while True:
        if n == 0 or q["loss"] != "l1":
            e = np.abs(x[rows, columns] - np.einsum("ij,ij->i", solver.w[rows], solver.ht[columns]))
            solver.scale = scale * np.median(e)
            if q["loss"] == "truncated":  # the rule of the paper
                inner = e[e <= np.median(e)]
                cut[0] = inner.mean() + 3 * inner.std()
        solver.round()
        n += 1
        if n % 5 == 0:
            before = time.perf_counter()
            seconds = before - begin - checked
            off = np.linalg.norm(clean - solver.w @ solver.ht.T) / size
            checked += time.perf_counter() - before
            if off <= q["target"] or seconds > q["limit"]:
                break
    blas_threads(cores)
    return {"seconds": seconds, "rounds": n, "off": float(off)}


def load(q):
    m, n, r, path = q["m"], q["n"], q["rank"], q["path"]
    read = lambda ending, *shape: np.fromfile(path + ending).reshape(shape)
    sets[q["data"]] = read(".x", m, n), read(".w", m, r), read(".h", r, n)
    return {}


def drop(q):
    del sets[q["data"]]
    gc.collect()
    return {}


def sklearn_fit(q):
    """One call with max_iter rounds, from the start; or as many as reach a target."""
    from sklearn.decomposition import non_negative_factorization as nmf
    x, w, h = sets[q["data"]]
    # scikit-learn has a sample in a row: Xᵀ ≈ HᵀWᵀ.
    x, a, b = np.ascontiguousarray(x.T), np.ascontiguousarray(h.T), np.ascontiguousarray(w.T)
    kwargs = dict(n_components=len(h), init="custom", solver=q["solver"], tol=0)
    if q.get("loss") == "Poisson":
        kwargs["beta_loss"] = "kullback-leibler"

    def objective():
        e = a @ b
        if q.get("loss") == "Poisson":  # twice the divergence
            return float(2 * (np.sum(x[x > 0] * np.log(x[x > 0] / e[x > 0])) - x.sum() + e.sum()))
        np.subtract(x, e, out=e)
        return float(np.vdot(e, e))

    if q.get("rounds"):
        a, b = a.copy(), b.copy()
        start = time.perf_counter()
        a, b, _ = nmf(x, a, b, max_iter=q["rounds"], **kwargs)
        seconds = time.perf_counter() - start
        return {"seconds": seconds, "objective": objective(), "rounds": q["rounds"]}
    # A call continues where the last one ended: without shuffling or tolerance
    # there is no other state.
    trace, start = [objective()], time.perf_counter()
    while len(trace) <= q["most"] and time.perf_counter() - start < q["limit"] and trace[-1] > q.get("target", 0):
        a, b, _ = nmf(x, a, b, max_iter=1, **kwargs)
        trace.append(objective())
    return {"objective": trace[-1], "rounds": len(trace) - 1, "trace": trace}


def peak(_):
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return {"bytes": 1024 * int(line.split()[1])}


def facts(_):
    import sklearn
    text = "NumPy %s, scikit-learn %s, Python %s" % (np.__version__, sklearn.__version__, sys.version.split()[0])
    for lib in blas:
        text += "; %s, core type %s, %d threads" % (
            lib.openblas_get_config().decode().strip(), lib.openblas_get_corename().decode(), lib.openblas_get_num_threads())
    return {"facts": text}


def find_blas():
    paths = {l.split()[-1] for l in open("/proc/self/maps") if "openblas" in l and ".so" in l}
    libs = [ctypes.CDLL(p) for p in sorted(paths)]
    libs = [l for l in libs if hasattr(l, "openblas_get_corename")]
    for l in libs:
        l.openblas_get_config.restype = l.openblas_get_corename.restype = ctypes.c_char_p
    return libs[:1]


blas = find_blas()
workers = concurrent.futures.ThreadPoolExecutor(cores)
OPS = {"load": load, "drop": drop, "rounds": rounds, "sklearn": sklearn_fit, "estimated": estimated, "peak": peak, "facts": facts}

for line in sys.stdin:
    try:
        q = json.loads(line)
        answer = OPS[q["op"]](q)
    except Exception:
        answer = {"error": traceback.format_exc()}
    print(json.dumps(answer), flush=True)
