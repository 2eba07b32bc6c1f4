"""Writes the .npy files of this folder with NumPy: python3 npy.py"""
import numpy as np

m = 10 * np.arange(3)[:, None] + np.arange(4)
for kind in "u1 i1 <u2 >u2 <i2 <u4 <i4 >i4 <u8 <i8 <f2 >f2 <f4 >f4 >f8".split():
    name = kind.replace("<", "").replace(">", "big-")
    np.save(f"matrix-{name}.npy", m.astype(kind))
np.save("matrix-f8.npy", m.astype("<f8"))
np.save("matrix-fortran.npy", np.asfortranarray(m.astype("<f8")))
np.save("matrix-columns.npy", np.ascontiguousarray(m.T.astype("<f8")))
np.save("matrix-columns-fortran.npy", np.asfortranarray(m.T.astype("<f8")))
with open("matrix-version2.npy", "wb") as f:
    np.lib.format.write_array(f, m.astype("<f8"), version=(2, 0))
np.save("images.npy", np.arange(12, dtype="u1").reshape(2, 2, 3))
