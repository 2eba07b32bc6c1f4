"""Writes the files of this folder with h5py, PyTables, AnnData, loompy and hdf5storage
of Debian: /usr/bin/python3 make.py (python3-h5py python3-tables python3-anndata
python3-loompy python3-hdf5storage)"""
import anndata, h5py, hdf5storage, loompy, pandas as pd, numpy as np, tables
from scipy import sparse

x = np.arange(12, dtype="f8").reshape(4, 3) / 2  # 4 samples of 3 features
for low in "earliest", "v110":
    with h5py.File(f"plain-{low}.h5", "w", libver=(low, "latest")) as f:
        f["X"] = x
        f["y"] = np.array([1, 0, 1, 1])
        f["words"] = np.array(["b", "a", "b", "ü"], dtype=object)
        f["fixed"] = np.array([b"b", b"a", b"b", "ü".encode()])
        old = low == "earliest"
        # Groups of more than eight links are not read where they are of the newest kind.
        for kind in "<i1 >i2 <u2 <i4 <f2 >f8 <u1 >u4 <i8 <u8 >f4 <f4".split()[: 12 if old else 6]:
            f["kinds/" + kind.replace("<", "le-").replace(">", "be-")] = (2 * x).astype(kind)
        f["kinds/bool"] = x > 2
        f["kinds/enum"] = f["kinds/le-i1"][...].astype(h5py.enum_dtype({chr(97 + k): k for k in range(12)}, "i1"))
        one = {"chunks": (4, 3)} if low != "earliest" else {"chunks": (3, 2)}
        for name, how in {"chunk": {}, "gzip": {"compression": "gzip"}, "shuffle": {"compression": "gzip", "shuffle": True},
                          "fletcher": {"fletcher32": True}, "lzf": {"compression": "lzf"}, "all": {"compression": 9, "shuffle": True, "fletcher32": True}}.items():
            f.create_dataset("packed/" + name, data=x, **one, **how)
        f.create_dataset("packed/words", data=f["words"][...], chunks=(4,) if low != "earliest" else (3,), compression="gzip")
        f.create_dataset("cube", data=np.arange(24, dtype="u1").reshape(2, 3, 4))
        if not old:
            f.create_dataset("odd/filled", shape=(4, 3), fillvalue=7.0)
            f["odd/soft"] = h5py.SoftLink("/X")
            f["odd/type"] = np.dtype("<f8")
            f.create_dataset("odd/named", data=x, dtype=f["odd/type"])
            continue
        f.create_dataset("odd/filled", shape=(4, 3), fillvalue=7.0)
        some = f.create_dataset("odd/some", shape=(4, 3), chunks=(2, 3), fillvalue=-1.0)
        some[0, 0] = 5
        f["odd/empty"] = np.zeros((0, 3))
        f["odd/scalar"] = 3.5
        f["odd/complex"] = np.array([[1 + 2j]])
        f["odd/records"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
        f["odd/soft"] = h5py.SoftLink("/X")
        f["odd/circle"] = h5py.SoftLink("/odd/circle")
        f["away/gone"] = h5py.ExternalLink("other.h5", "/X")
        f["odd/type"] = np.dtype("<f8")
        f.create_dataset("odd/named", data=x, dtype=f["odd/type"])
        f.create_dataset("odd/szip-like", data=x, chunks=(4, 3), scaleoffset=2)
with h5py.File("newest.h5", "w", libver="latest") as f:
    f["X"] = x
    f.create_dataset("fixed", data=x, chunks=(2, 2))
    f.create_dataset("growing", data=x, chunks=(2, 2), maxshape=(None, 3))
    for k in range(20):
        f[f"many/a{k}"] = k
with h5py.File("wide.h5", "w") as f:  # trees of several levels
    f.create_dataset("X", data=np.arange(700.0).reshape(350, 2), chunks=(1, 2))
    for k in range(300):
        f[f"many/a{k}"] = k
with tables.open_file("pytables.h5", "w") as f:
    f.create_carray("/", "X", obj=x, chunkshape=(3, 2), filters=tables.Filters(complevel=5, complib="zlib", shuffle=True, fletcher32=True))
    f.create_carray("/", "blosc", obj=x, filters=tables.Filters(complevel=5, complib="blosc"))

obs = pd.DataFrame({"kind": pd.Categorical(["b", "a", "b", None], categories=["a", "b", "none"]), "words": ["q", "p", "q", "q"], "count": [3, 1, 3, 3]},
                   index=["cell1", "cell2", "cell3", "cell4"])
var = pd.DataFrame({"length": [10, 20, 30]}, index=["TP53", "MYC", "ACTB"])
for name, m in {"dense": x.astype("f4"), "csr": sparse.csr_matrix(x.astype("f4")), "csc": sparse.csc_matrix(x.astype("f4"))}.items():
    anndata.AnnData(m, obs=obs, var=var, dtype="f4").write_h5ad(f"{name}.h5ad", compression="gzip" if name == "csr" else None)
loompy.create("cells.loom", x.T, {"Gene": var.index.values}, {"CellID": obs.index.values, "kind": np.array(["b", "a", "b", "b"])})
with h5py.File("tenx.h5", "w") as f:  # as Cell Ranger lays it out
    m = sparse.csc_matrix(x.T.astype("i4"))
    g = f.create_group("matrix")
    for k, v in {"data": m.data, "indices": m.indices.astype("i8"), "indptr": m.indptr.astype("i8"), "shape": np.array(m.shape, dtype="i4")}.items():
        g.create_dataset(k, data=v, chunks=True, compression="gzip", shuffle=True)
    g["barcodes"] = np.array([b"AAA-1", b"AAC-1", b"AAG-1", b"AAT-1"])
    g["features/name"] = np.array([b"TP53", b"MYC", b"ACTB"])

cell = np.empty((1, 3), dtype=object)
cell[0, :] = ["ann", "bob", "ü"]
inner = np.empty((2, 2), dtype=object)
inner[0, 0], inner[0, 1], inner[1, 0], inner[1, 1] = x, np.zeros((0, 3)), cell, "a"
hdf5storage.savemat("v73.mat", {"fea": x, "gnd": np.array([[3.0], [1], [3], [3]]), "u8": x.astype("u1"), "flag": x > 2, "names": cell, "cells": inner,
                                "none": np.zeros((0, 3)), "cube": np.arange(24, dtype="u1").reshape(2, 3, 4), "st": {"a": 1.0},
                                "z": np.array([[1 + 2j]])}, format="7.3", oned_as="row", matlab_compatible=True, truncate_existing=True)
# hdf5storage writes no sparse arrays: as MATLAB lays them out.
with h5py.File("v73.mat", "a") as f:
    f["chars"] = np.array([[ord(c) for c in row] for row in ("ac", "bd", " e")], dtype="u2")
    f["chars"].attrs["MATLAB_class"] = np.bytes_("char")
    f["chars"].attrs["MATLAB_int_decode"] = np.int32(2)
    m = sparse.csc_matrix(x)
    for name, (data, ir, jc) in {"sp": (m.data, m.indices, m.indptr), "spnone": (None, None, np.zeros(4))}.items():
        g = f.create_group(name)
        g.attrs["MATLAB_class"] = np.bytes_("double")
        g.attrs["MATLAB_sparse"] = np.uint64(4)
        g["jc"] = np.asarray(jc, dtype="u8")
        if data is not None:
            g["data"], g["ir"] = data, ir.astype("u8")
