# Made plain.mat and compressed.mat with SciPy 1.10.1: small synthetic arrays of
# the classes that MATLAB has. Run: /usr/bin/python3 make.py
import numpy as np
from scipy import sparse
from scipy.io import savemat

cell = np.empty((2, 2), dtype=object)
cell[0, 0] = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.uint8)
cell[0, 1] = "text"
inner = np.empty((1, 1), dtype=object)
inner[0, 0] = np.array([[0.5]])
cell[1, 0] = inner
cell[1, 1] = np.zeros((0, 0))

vars = {
    "d": np.array([[1.5, -2, 3], [4, 5e300, 6]]),
    "s": np.array([[0.25, -1]], dtype=np.float32),
    "i8": np.array([[-128, 127]], dtype=np.int8),
    "u8": np.array([[0], [255]], dtype=np.uint8),
    "i16": np.array([[-32768, 32767]], dtype=np.int16),
    "u16": np.array([[65535]], dtype=np.uint16),
    "i32": np.array([[-2**31, 2**31 - 1]], dtype=np.int32),
    "u32": np.array([[2**32 - 1]], dtype=np.uint32),
    "i64": np.array([[-2**53, 2**53]], dtype=np.int64),
    "u64": np.array([[2**60]], dtype=np.uint64),
    "flag": np.array([[True, False, True]]),
    "chars": np.array(["ab ", "cde"]),
    "greek": "αβγ 𝄞",
    "none": np.zeros((0, 3)),
    "cube": np.arange(24, dtype=np.uint8).reshape(2, 3, 4, order="F"),
    "cells": cell,
    "z": np.array([[1 + 2j]]),
    "st": {"a": 1.0, "b": "x"},
    "sp": sparse.csc_matrix(np.eye(3)),
    "last": np.array([[42.0]]),
}
for name, packed in ("plain.mat", False), ("compressed.mat", True):
    savemat(name, vars, do_compression=packed)
