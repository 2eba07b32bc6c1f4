// Package choose helps to choose the parameters, the rank and the loss of a model.
//
// A Grid tries all combinations of parameter values, several at once, and keeps each
// in a file as soon as it is known, so that a search can be stopped, killed and gone
// on with. A Judge gives each setting scores: those that need true labels, which most
// papers choose by and which nobody has for data of his own, and those that do not:
//
//   - HeldOut: entries that the fit has not seen, and how far off they are;
//   - Consensus: whether other starts find the same clusters (Brunet et al. 2004);
//   - Silhouette: whether samples of a cluster are alike in the data themselves.
//
// Table.Choices shows side by side what each of them would have chosen, and what the
// labels say about it. The rank is a parameter like others:
//
//	table, err := choose.Grid{
//		Parameters: []choose.Parameter{{Name: "rank", Values: choose.Range(2, 12)}},
//		Score: choose.Judge{X: x, Fit: func(p choose.Setting) choose.Fitter {
//			return choose.FitterOf(rnmf.NMF(int(p.Value("rank"))))
//		}}.Score,
//	}.Run(ctx)
//
// Results do not depend on how many settings are tried at once, nor on how often a
// search was interrupted.
package choose
