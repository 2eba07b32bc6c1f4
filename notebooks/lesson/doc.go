// Package lesson does what a notebook needs apart from the mathematics, so that its cells hold
// little else:
//
//	s := lesson.Load(datasets.ORL, datasets.Fashion)   // ORL, or what is embedded, in 0..1
//	r := lesson.Fit(rnmf.L21NMF(40), s.X)              // *rnmf.Result
//	lesson.Show(lesson.Basis("L2,1-NMF", s, r.W))      // its parts, as images
//
// # Errors
//
// No function of this package returns an error. What goes wrong ends the cell with the
// error and the line of the cell that met it, instead of a stack trace:
//
//	rnmf: rank out of range: 50, want 1 to 40 for X of 60×40 (a column must be a sample: is X transposed?)
//	    in the line  r := lesson.Fit(rnmf.NMF(50), x)
//
// Check does so for the errors of other packages, Must for a value with an error, and
// Show takes what a function of package viz returns as it is:
//
//	y, mask, err := datasets.SaltPepper{Share: 0.1}.Apply(x, 1)
//	lesson.Check(err)
//	lesson.Show(viz.Heatmap(mask, viz.HeatmapOptions{}))
//
// # The quick setting
//
// With the environment variable RNMF_QUICK, which the tests of the notebooks set, all is shorter,
// and no cell needs to know of it: Fit, Watch and Film run a twentieth of the rounds (at least 3),
// and Trials yields at most 2 seeds.
//
// # Pictures that move
//
// Film yields the rounds of an algorithm that a cell spells out, and shows the columns
// of a matrix as images while they form; Watch does so for a model of this module, and
// Move shows a figure that follows sliders. What is left in the saved notebook is a
// picture, too: the rounds below each other, or the figure at several positions of the
// first slider.
//
// # Tables
//
// Results collects the outcome of many trials, by row and column, and makes tables of
// mean ± deviation, curves with error bars, plots of every single trial and heat maps
// "ours − paper". Stored reads it from the results of the long experiments in
// notebooks/lab, Printed from the text of a paper's table.
//
// Outside a notebook nothing is displayed; all else is the same.
package lesson
