// Package papers has what the papers behind package rnmf bring and an everyday fit does not need: their
// solvers, two losses, penalties, and models that are more than a loss, penalties and a solver.
//
//	RNMFL1      rnmf.Huber{Cut: λ/2}, Solver Additive{}                 Zhang et al. 2011
//	MahNMF      Loss: SmoothL1{}, Solver: OGM{}                         Guan et al. 2012
//	LSNMF       OnW, OnH: LogSparse; OnH: rnmf.Laplacian                RLS-NMF paper (5)
//	RLSNMF      rnmf.ByColumn{LogShrink{}}, the same penalties          RLS-NMF paper (35)
//	ONMF        SolverH: Orthogonal{}                                   Ding et al. 2006; Pompili et al. 2014
//	RMNMF       rnmf.ByColumn{rnmf.L1{}}, OnH: UnitLaplacian, as ONMF   Huang et al. 2014
//	SemiGNMF    OnH: rnmf.Laplacian of rnmf.Labels.Graph                Cai et al. 2011
//	(NeNMF)     Solver: OGM{}                                           Guan et al. 2012
//	ConvexNMF   a type with a Model                                     Ding, Li, Jordan 2010
//	SSNMF, CNMF types with a Model and rnmf.Labels                      RSS-NMF paper (5); (6), (7)
//	OcclusionNMF a type with a Model                                    Zhou, Yang, Yu 2013, with WH
//
// The solvers are OGM (Nesterov's method, of NeNMF and of the Truncated Cauchy paper), FGD (of the RSS-NMF
// paper), RRA (of the RRA paper), ProxLinear, Orthogonal and Additive. rnmf.HALS, the default, is faster
// than all of them; they are here to be taught and compared with.
//
// It needs nothing of package rnmf that is not exported: whatever is here can be written in a module of
// your own, and each file is an example of how. Import it, if only for its types, where rnmf.Load is to
// read a result that has one of them.
package papers
