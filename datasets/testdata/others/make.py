# Writes files as other programs do. Debian 12: python3 with numpy 1.24, pandas 1.5, scipy 1.10, h5py 3.7,
# Pillow 9.4 and tifffile 2023.2; make.R and make.m write those of R 4.2 and Octave 7.3.
import gzip, os
import h5py, numpy as np, pandas as pd, tifffile
from PIL import Image

rng = np.random.default_rng(1)
table = pd.DataFrame(rng.gamma(2, 1, (6, 2)).round(3), columns=['Sepal length', 'Sepal width'], index=[f'flower {i}' for i in range(6)])
table['species'] = ['b', 'a'] * 3
table.iloc[3, 1] = np.nan
table.to_csv('pandas.csv')
excel = table.rename_axis('Name').reset_index()
excel['species'] = ['Süd', 'Nord'] * 3
open('excel.csv', 'wb').write(excel.to_csv(sep=';', decimal=',', index=False).replace('\n', '\r\n').encode('utf-8-sig'))
open('excel1252.csv', 'wb').write(excel.to_csv(sep=';', decimal=',', index=False).replace('\n', '\r\n').encode('cp1252'))
x = table[['Sepal length', 'Sepal width']].fillna(1).to_numpy()
np.savez_compressed('objects.npz', X=x, feature_names=np.array(list(table.columns[:2]), dtype=object))
with open('genes.tsv.gz', 'wb') as raw, gzip.GzipFile(fileobj=raw, mode='wb', mtime=0) as f:
    rows = ['gene\tcell1\tcell2\tcell3'] + [f'ENSG{i}\t' + '\t'.join(map(str, rng.poisson(2, 3))) for i in range(5)]
    f.write(('\n'.join(rows) + '\n').encode())
with h5py.File('spectra.h5', 'w') as f: # an instrument's: groups, names apart, packed
    f.create_dataset('run1/spectra', data=x.astype('f4'), compression='gzip', shuffle=True, chunks=(4, 2))
    f['run1/wavelength'] = np.arange(2.)
    f['ids'] = np.array(list(table.index), dtype=h5py.string_dtype())
for folder in 'photos/cats', 'photos/dogs', 'scans':
    os.makedirs(folder, exist_ok=True)
draw = lambda *shape: (np.indices(shape[:2]).sum(0)[..., None] * np.arange(2, 2 + shape[2]) % 256).astype('u1')
Image.fromarray(draw(24, 20, 4), 'RGBA').save('photos/cats/alpha.png')
Image.fromarray(draw(30, 25, 3), 'RGB').save('photos/cats/IMG_7.JPG')
Image.fromarray(draw(30, 25, 3), 'RGB').save('photos/cats/lossless.webp', lossless=True)
Image.fromarray(draw(30, 25, 3), 'RGB').save('photos/cats/lossy.webp')
Image.fromarray(draw(30, 25, 4), 'RGBA').save('photos/cats/lossy alpha.webp')
Image.fromarray(draw(26, 22, 1)[..., 0]).convert('P').save('photos/dogs/palette.gif')
Image.fromarray((draw(26, 22, 1)[..., 0].astype('i4') * 257)).save('photos/dogs/sixteen.png')
open('photos/.DS_Store', 'wb').write(b'x')
open('photos/dogs/phone.heic', 'wb').write(b'x')
ramp = (np.arange(60, dtype='u2') * 1000).reshape(1, 6, 10)
tifffile.imwrite('scans/stack.tif', np.concatenate([ramp, ramp[:, ::-1]]))
Image.fromarray(ramp[0]).save('scans/lzw.tiff', compression='tiff_lzw')
Image.new('RGB', (4096, 4096), (255, 255, 255)).save('white.webp', lossless=True)
tifffile.imwrite('float.tif', ramp[0].astype('f4'))
