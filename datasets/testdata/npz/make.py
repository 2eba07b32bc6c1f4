"""Writes the files of this folder with NumPy and SciPy: /usr/bin/python3 make.py"""
import numpy as np
from scipy import sparse

x = np.array([[0, 1.5, 0], [2, 0, 0], [0, 0, 3], [0, 4, 5]])  # 4 samples of 3 features
np.savez("named.npz", X=x, y=np.array(["b", "a", "b", "ü"]), sample_names=np.array(["s1", "s2", "s3", "s10"]),
         feature_names=np.array([b"f", b"gg", b"hhh"]), other=np.zeros((2, 2)))
np.savez_compressed("packed.npz", x.T)
np.savez("numbers.npz", data=x.astype("u1"), target=np.array([[7], [-1], [7], [7]]))
np.savez("objects.npz", X=np.array([["a", 1]], dtype=object))
for kind in "csr", "csc", "coo":
    sparse.save_npz(f"{kind}.npz", sparse.csr_matrix(x).asformat(kind))
sparse.save_npz("bsr.npz", sparse.bsr_matrix(x))
