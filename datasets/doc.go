// Package datasets reads, downloads, generates and corrupts data for robust NMF.
//
// A Set is a matrix whose columns are samples, with what is known besides:
//
//	s := datasets.Digits().Scaled()                                // embedded: Digits, Wine, Fashion
//	s, err := datasets.ORL.Load(ctx)                               // a Source: from the folder RNMF_DATA, or after Download
//	s, err := datasets.ReadCSV(f, datasets.CSVLayout{Label: "kind"}) // a file of yours: also MATLAB, NumPy, HDF5, Matrix Market, IDX
//	s, err := datasets.OpenImages(ctx, "photos", datasets.ImageLayout{Height: 32, Width: 32}) // a folder or archive of images
//	x, w, h := datasets.LowRank(60, 200, 4, 1)                     // made up, with known factors
//
// A Corruption spoils a matrix and says where: salt and pepper, noise, blocks,
// removed entries, alien samples.
//
//	x, where, err := datasets.SaltPepper{Share: 0.25, High: 1}.Apply(s.X, 1)
//
// What is done to data before a factorisation is recorded, so that new data get the same,
// and parts are shown in the original units.
//
//	u, p, err := datasets.Prepare(s, datasets.MostVariable{Count: 2000}, datasets.Log1p{})
//	parts, err := p.Parts(r.W)
//
// Whose the data are, and on what terms, is in README.md of this folder, in
// Source.Credit, and in embed/README.md for what comes with the package.
package datasets
