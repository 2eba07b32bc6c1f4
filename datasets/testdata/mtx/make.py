"""Writes the .mtx files of this folder with SciPy: /usr/bin/python3 make.py"""
import numpy as np
from scipy import io, sparse

x = np.array([[0, 1.5, 0, 0], [2, 0, 0, 1e-3], [0, 0, -3, 0]])
io.mmwrite("real.mtx", sparse.coo_matrix(x), comment="features × samples")
io.mmwrite("integer.mtx", sparse.coo_matrix((10 * x).astype(int)))
io.mmwrite("unsigned.mtx", sparse.coo_matrix(np.abs(10 * x).astype(np.uint16)))
io.mmwrite("pattern.mtx", sparse.coo_matrix(x), field="pattern")
io.mmwrite("array.mtx", x)
s = np.array([[1, 2, 0], [2, 0, -3], [0, -3, 4.0]])
io.mmwrite("symmetric.mtx", sparse.coo_matrix(s), symmetry="symmetric")
io.mmwrite("array-symmetric.mtx", s, symmetry="symmetric")
k = np.triu(s, 1)
io.mmwrite("skew.mtx", sparse.coo_matrix(k - k.T), symmetry="skew-symmetric")
io.mmwrite("complex.mtx", sparse.coo_matrix(1j * x))
