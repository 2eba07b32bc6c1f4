// Package score measures how good a factorisation is where the truth is known:
//
//   - NewAgreement, Accuracy, Purity, NMI and AdjustedRand compare clusters with classes.
//     All are computed from the Confusion table; Assignment finds the best assignment of
//     clusters to classes.
//   - Detect and AveragePrecision compare flags and weights with the true outliers, entry
//     by entry; DetectSamples and AveragePrecisionSamples do so for whole samples.
//   - Hoyer is the sparsity of factors.
//
// The relative error is a method of rnmf.Result. The errors are those of package rnmf.
// Package choose is for choosing a model where the truth is not known.
package score
