// Package choose helps to choose the loss, the rank and the parameters of a model.
//
// Auto is a fit that chooses its loss itself, and the default where nobody knows what is wrong with the
// data. HeldOut.CompareLosses shows the evidence for a kind of loss, RankSearch suggests a rank, and OutlierSearch tells
// which samples several models agree to be outliers, ConsensusParts which parts several starts agree on.
//
// A Grid tries all combinations of parameter values, several at once. It stores each result in a
// file as soon as it is known, so that a search that was stopped or killed can be resumed. A Scorer
// gives each combination scores. Some scores need the true labels. Most papers choose by these, but
// labels are rarely known for data of your own. The other scores do not need them:
//
//   - HeldOut: how well entries that the fit has not seen are predicted;
//   - Consensus: whether fits from other starts find the same clusters (Brunet et al. 2004);
//   - Silhouette: whether the samples of a cluster are alike in the data themselves.
//
// Table.Choices shows which setting each of the scores would have chosen, and how good that setting
// is by the labels. The rank is a parameter like others:
//
//	table, err := choose.Grid{
//		Parameters: []choose.Parameter{{Name: "rank", Values: choose.Range(2, 12)}},
//		Score: choose.Scorer{X: x, Fit: func(p choose.Setting) choose.FitFunc {
//			return choose.NewFitFunc(rnmf.NMF(int(p.Value("rank"))))
//		}}.Score,
//	}.Run(ctx)
//
// The results depend neither on how many combinations are tried at once, nor on how often a
// search was interrupted.
package choose
