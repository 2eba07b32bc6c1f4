"""Plain NMF of scikit-learn with its defaults: a request in a line, a fit in a line."""
import json
import sys
import time
import warnings

import numpy as np
import sklearn
from sklearn.decomposition import NMF

warnings.simplefilter("ignore")


def peak():
    """The largest memory of this process so far, in MB. ru_maxrss would have that of its parent, too."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) / 976.5625


for line in sys.stdin:
    q = json.loads(line)
    if not q["path"]:
        blas = ""
        try:
            from threadpoolctl import threadpool_info
            blas = "".join(", %s %s on %d threads" % (i["internal_api"], i["version"], i["num_threads"]) for i in threadpool_info() if i["user_api"] == "blas")
        except ImportError:
            pass
        print(json.dumps({"facts": "scikit-learn %s, NumPy %s%s" % (sklearn.__version__, np.__version__, blas)}), flush=True)
        continue
    # Samples are rows here, and in the file samples follow each other.
    x = np.fromfile(q["path"]).reshape(q["n"], q["m"])
    model = NMF(n_components=q["rank"], random_state=q["seed"], tol=q["tol"], max_iter=q["maxiter"])
    before = peak()
    begin = time.perf_counter()
    w = model.fit_transform(x)
    seconds = time.perf_counter() - begin
    mb = peak() - before
    error = np.linalg.norm(x - w @ model.components_) / np.linalg.norm(x)
    print(json.dumps({"seconds": seconds, "rounds": int(model.n_iter_), "error": float(error), "mb": mb}), flush=True)
