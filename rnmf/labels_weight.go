package rnmf

// Against sets the weight to a number of times the loss of a sample in a fit
// without labels, plain: its objective over its samples. So it does not depend on
// the units of X, on how many entries a sample has, nor on the loss and its scale,
// as a number of your own would. The term of a labelled sample is at most half the
// weight: 1 hardly moves a fit, at 100 the rows of its labelled coefficients point
// where (9) of the RSS-NMF paper wants them, and more changes little. Where nothing
// is lost the weight is 1.
func (l Labels) Against(plain *Result, times float64) Labels {
	_, n := plain.H.Dims()
	l.Weight = times * plain.Objective / float64(n)
	return l
}
