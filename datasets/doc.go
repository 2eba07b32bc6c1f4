// Package datasets reads, downloads, generates and corrupts data for robust NMF.
//
// A Set is a matrix whose columns are samples, with what else is known of them: names,
// labels, units.
//
//	s := datasets.Digits().Scaled()                                // embedded: Digits, Wine, Fashion
//	s, err := datasets.ORL.Load(ctx)                               // a Source: from the folder RNMF_DATA, or after Download
//	s, err := datasets.OpenCSV("table.csv", datasets.CSVLayout{Label: "kind"}) // a file of yours: also OpenMAT, OpenNPY, OpenHDF5, OpenMTX, ReadIDX
//	s, err := datasets.OpenImages(ctx, "photos", datasets.ImageLayout{Height: 32, Width: 32}) // a folder or archive of images
//	x, w, h := datasets.LowRank(60, 200, 4, 1)                     // generated, with known factors
//
// A Corruption changes a matrix and records where: salt and pepper, noise, blocks, removed
// entries, samples from elsewhere.
//
//	x, where, err := datasets.SaltPepper{Share: 0.25, High: 1}.Apply(s.X, 1)
//
// Prepare records what is done to data before a factorisation, so that new data can be
// treated in the same way, and parts can be shown in the original units.
//
//	u, p, err := datasets.Prepare(s, datasets.MostVariable{Count: 2000}, datasets.Log1p{})
//	parts, err := p.Parts(r.W)
//
// The file README.md of this folder and Source.Credit say who owns the data, and on what
// terms they may be used; embed/README.md says it for those that come with the package.
package datasets
