// Package datasets reads, downloads, generates and corrupts data for robust NMF.
//
// A Set is a matrix whose columns are samples, with what else is known of them: names,
// labels, units. What is missing is NaN in X, and Mask makes what Model.Mask takes of it.
//
//	s := datasets.Digits().Scaled()                                // embedded: Digits, Wine, Fashion
//	s, err := datasets.ORL.Load(ctx)                               // a PublicSet: from the folder RNMF_DATA, or after Download
//	s, err := datasets.Open(ctx, "table.csv", datasets.OpenOptions{}) // a file of yours, of any kind, or a folder of images: fmt.Println(s) tells what was guessed
//	s, err := datasets.OpenCSV(ctx, "table.csv", datasets.CSVLayout{Label: "kind"}) // the same with all to be said: also OpenMAT, OpenNPY, OpenHDF5, OpenMTX, OpenImages
//	x, w, h := datasets.LowRank(60, 200, 4, 1)                     // generated, with known factors
//
// Each reader takes a context first, and ends with it: it then reads no more of the file, and its error is that of
// the context. What a file may take is bounded in memory (see MaxValues), and, where a few packed bytes
// unpack to many, in work: gzip of text, or of a tar, to a hundred times what was read of it and 32 MiB more.
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
// The file README.md of this folder and PublicSet.Credit say who owns the data, and on what
// terms they may be used; embed/README.md says it for those that come with the package.
package datasets
