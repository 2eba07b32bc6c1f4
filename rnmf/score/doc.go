// Package score tells how good a factorisation is where the truth is known:
//
//   - AgreementOf, Accuracy, Purity, NMI, AdjustedRand: of clusters against classes, with
//     the Confusion table that all of them come from, and the best Assignment of
//     clusters to classes;
//   - Detect and AveragePrecision: of flags and of weights against the true outliers,
//     entries or (DetectSamples, AveragePrecisionSamples) whole samples;
//   - Hoyer: the sparsity of factors.
//
// The relative error is a method of rnmf.Result. The errors are those of package rnmf.
// How to choose a model without the truth is the subject of package choose.
package score
