package rnmf_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"os"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets/sparse"
	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
)

// Bad input to everything but Fit, which TestErrors has.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	ended, end := context.WithCancel(ctx)
	end()
	nan, inf := math.NaN(), math.Inf(1)
	ones, x := ConstantOnes(4, 5), Uniform(4, 5, 1)
	broken := &sparse.Matrix{Rows: 4, Cols: 5} // its parts do not fit together
	var none *mat.Dense                        // no matrix, though not nil as a mat.Matrix
	fitted := MustFit(t, NMF(2), x)
	square, err := NewGraph(5, []Edge{{0, 1, 1}})
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewGraph(4, nil)
	if err != nil {
		t.Fatal(err)
	}
	labels := Labels{Class: []int{0, 1, -1, 0, 1}}
	fit := func(m Model) error { _, err := m.Fit(ctx, ones); return err }
	onH := func(p ...Penalty) error { return fit(Model{Rank: 2, OnH: p}) }
	load := func(data string) error { _, err := Load(strings.NewReader(data)); return err }
	graph := func(n int, e ...Edge) error { _, err := NewGraph(n, e); return err }
	graphOf := func(a mat.Matrix) error { _, err := NewGraphFromMatrix(a); return err }
	ss := func(s SSNMF, x mat.Matrix) error { _, err := s.Fit(ctx, x); return err }
	cn := func(s CNMF, x mat.Matrix) error { _, err := s.Fit(ctx, x); return err }
	transform := func(r *Result, ctx context.Context, x mat.Matrix) error {
		_, err := r.Transform(ctx, x, nil)
		return err
	}
	outliers := func(r *Result, x mat.Matrix) error { _, err := r.Outliers(x, nil); return err }
	predict := func(r *Result, h mat.Matrix) error { _, err := r.Predict(h); return err }
	init := func(i Init) error { return fit(Model{Rank: 2, Init: i}) }
	pixels := func(c OcclusionNMF) error { _, err := c.Fit(ctx, x); return err }
	convex := func(m Model) error { _, err := ConvexNMF{Model: m}.Fit(ctx, x); return err }
	whole200 := Ring(200, 3)
	saved := func(r *Result) string {
		var b bytes.Buffer
		if err := r.Save(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := saved(fitted)
	version := func(v byte) string { return whole[:5] + string([]byte{v}) + whole[6:] }
	changed := func(change func(r *Result)) string {
		r := *fitted
		r.W, r.H = mat.DenseCopyOf(r.W), mat.DenseCopyOf(r.H)
		change(&r)
		return saved(&r)
	}
	full, fullErr := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if fullErr == nil {
		defer full.Close()
	}

	for _, c := range []struct {
		name string
		got  func() error
		want error
		says string // a part of the message
	}{
		// Fit, what TestErrors has not.
		{"a matrix that is none", func() error { _, err := NMF(2).Fit(ctx, none); return err }, ErrEmpty, "X is nil"},
		{"a mask that is none", func() error { return fit(Model{Rank: 2, Mask: none}) }, ErrEmpty, "Mask is nil"},
		{"mask too large", func() error { return fit(Model{Rank: 2, Mask: with(1, 1, 1e101)}) }, ErrTooLarge, "Mask[1,1]"},
		{"W that is none", func() error { return init(WarmStart{W: none, H: ConstantOnes(2, 5)}) }, ErrShape, "lacks W or H"},
		{"H that is none", func() error { return init(WarmStart{W: ConstantOnes(4, 2), H: none}) }, ErrShape, "lacks W or H"},
		{"SmoothL1", func() error { return fit(Model{Rank: 2, Loss: SmoothL1{Mu: -1}}) }, ErrParameter, "SmoothL1.Mu is -1"},
		{"rule", func() error { return fit(Model{Rank: 2, Loss: Truncated{Loss: L1{}, Rule: 7}}) }, ErrParameter, "Truncated.Rule is 7"},
		{"first stage", func() error { return fit(Model{Rank: 2, Loss: MMEstimator{First: ByColumn{L1{}}}}) }, ErrParameter, "MMEstimator.First"},
		{"second stage", func() error { return fit(Model{Rank: 2, Loss: MMEstimator{Then: Huber{Cut: -2}}}) }, ErrParameter, "Huber.Cut is -2"},
		{"gradient steps", func() error { return fit(Model{Rank: 2, Solver: OGM{Steps: -1}}) }, ErrParameter, "OGM.Steps is -1"},
		{"gradient tolerance", func() error { return fit(Model{Rank: 2, Solver: Additive{Solver: OGM{Tol: nan}}}) }, ErrParameter, "OGM.Tol is NaN"},
		{"energy", func() error { return fit(Model{Rank: 2, Solver: RRA{Energy: 1.5}}) }, ErrParameter, "RRA.Energy is 1.5"},
		{"shift", func() error { return init(KMeansInit{Shift: nan}) }, ErrParameter, "KMeansInit.Shift is NaN"},
		{"shift too large", func() error { return init(KMeansInit{Shift: 1e200}) }, ErrParameter, "Shift"},
		{"labels of a start", func() error { return init(LabelInit{Labels: Labels{Class: []int{0}}}) }, ErrLabels, "1 labels for 5 samples"},
		{"penalty too large", func() error { return onH(Lasso{1e101}) }, ErrParameter, "Lasso.Lambda is 1e+101"},
		{"cancelled", func() error { _, err := NMF(2).Fit(ended, ones); return err }, context.Canceled, ""},
		{"log-norm's scale", func() error { return onH(LogSparse{Lambda: 1, Scale: -1}) }, ErrParameter, "LogSparse.Scale is -1"},
		{"log-norm's λ", func() error { return onH(LogSparse{Lambda: nan}) }, ErrParameter, "LogSparse.Lambda is NaN"},
		{"shrinkage", func() error { return fit(Model{Rank: 2, Loss: LogShrink{Gamma: -1}}) }, ErrParameter, "LogShrink.Gamma is -1"},
		{"solver of H with a free W", func() error { return fit(Model{Rank: 2, SolverW: NormalEquations{}, SolverH: RRA{}}) }, ErrParameter, "the solver of H"},
		{"penalty on a free W", func() error { return fit(Model{Rank: 2, SolverW: NormalEquations{}, OnW: []Penalty{Lasso{1}}}) }, ErrParameter, "OnW"},
		{"images of another shape", func() error { return pixels(OcclusionNMF{Model: NMF(2), Height: 3, Width: 2}) }, ErrShape, "X has 4 rows, want those of images of 3×2"},
		{"contiguous β", func() error { return pixels(OcclusionNMF{Model: NMF(2), Height: 2, Width: 2, Beta: nan}) }, ErrParameter, "OcclusionNMF.Beta is NaN"},
		{"a mask of convex NMF", func() error { return convex(Model{Rank: 2, Mask: ones}) }, ErrParameter, "ConvexNMF.Model"},
		{"convex NMF's rank", func() error { return convex(NMF(0)) }, ErrRank, "0, want 1 to 4"},
		{"graph of no unit", func() error { return onH(UnitLaplacian{Lambda: 1}) }, ErrParameter, "UnitLaplacian.Graph"},
		{"another unit graph", func() error { return onH(UnitLaplacian{Graph: other, Lambda: 1}) }, ErrShape, "4 vertices, want 5"},
		{"units of no rank", func() error { _, err := NewPenaltyUnits(x, 0); return err }, ErrParameter, "rank is 0"},

		// Contexts that have ended.
		{"SSNMF, cancelled", func() error { _, err := SSNMF{Model: NMF(2), Labels: labels}.Fit(ended, x); return err }, context.Canceled, ""},
		{"CNMF, cancelled", func() error { _, err := CNMF{Model: NMF(2), Labels: labels}.Fit(ended, x); return err }, context.Canceled, ""},
		{"convex NMF, cancelled", func() error { _, err := ConvexNMF{Model: NMF(2)}.Fit(ended, x); return err }, context.Canceled, ""},
		{"contiguous, cancelled", func() error {
			_, err := OcclusionNMF{Model: NMF(2), Height: 2, Width: 2}.Fit(ended, x)
			return err
		}, context.Canceled, ""},
		{"energy of eigenvectors", func() error { _, err := RRA{Energy: 2}.Prepare(ctx, whole200); return err }, ErrParameter, "RRA.Energy is 2"},
		{"eigenvectors of no graph", func() error { _, err := RRA{}.Prepare(ctx, nil); return err }, ErrParameter, "RRA.Prepare"},
		{"eigenvectors of a graph, cancelled", func() error { _, err := RRA{}.Prepare(ended, whole200); return err }, context.Canceled, ""},
		{"transform with a mask of another shape", func() error { _, err := fitted.Transform(ctx, x, x.T()); return err }, ErrShape, "Mask is 5×4, want 4×5"},
		{"transform with a negative mask", func() error { _, err := fitted.Transform(ctx, x, with(2, 1, -1)); return err }, ErrNegative, "Mask[2,1] = -1"},

		// Labels.
		{"too few labels", func() error { return onH(Labels{Class: []int{0, 1}}) }, ErrLabels, "2 labels for 5 samples"},
		{"class below -1", func() error { return onH(Labels{Class: []int{0, 1, -2, 0, 0}}) }, ErrLabels, "sample 2 is of class -2"},
		{"class without a name", func() error { return onH(Labels{Class: []int{0, 1, 2, 0, 0}, Names: []string{"a", "b"}}) }, ErrLabels, "sample 2 is of class 2"},
		{"class without a component", func() error { return onH(Labels{Class: []int{0, 1, 0, 4, 0}}) }, ErrLabels, "sample 3 is of class 4, but there are only 2 components"},
		{"label weight", func() error { return onH(Labels{Class: labels.Class, Weight: -1}) }, ErrParameter, "Labels.Weight is -1"},
		{"no labels to predict", func() error { return predict(fitted, fitted.H) }, ErrLabels, "has no Labels"},
		{"no coefficients", func() error { return predict(MustFit(t, Model{Rank: 2, OnH: []Penalty{labels}}, x), nil) }, ErrEmpty, "H is nil"},
		{"coefficients of another rank", func() error { return predict(MustFit(t, Model{Rank: 2, OnH: []Penalty{labels}}, x), Uniform(3, 5, 1)) }, ErrShape, "H is 3×5, want 2×5"},
		{"graph of labels", func() error { _, err := labels.Graph(other); return err }, ErrLabels, "5 labels for 4 samples"},
		{"graph of no labels", func() error { _, err := Labels{}.Graph(nil); return err }, ErrEmpty, "no samples"},
		{"semi-supervised graph", func() error { _, err := SemiGNMF(2, nil, labels, -1); return err }, ErrParameter, "lambda is -1"},
		{"SSNMF without data", func() error { return ss(SSNMF{Model: NMF(2), Labels: labels}, nil) }, ErrEmpty, "X is nil"},
		{"SSNMF without a matrix", func() error { return ss(SSNMF{Model: NMF(2), Labels: labels}, none) }, ErrEmpty, "X is nil"},
		{"SSNMF's λ", func() error { return ss(SSNMF{Model: NMF(2), Labels: labels, Lambda: nan}, x) }, ErrParameter, "SSNMF.Lambda is NaN"},
		{"SSNMF's mask", func() error { return ss(SSNMF{Model: Model{Rank: 2, Mask: x.T()}, Labels: labels}, x) }, ErrShape, "Mask is 5×4, want 4×5"},
		{"SSNMF's rank", func() error { return ss(SSNMF{Model: NMF(9), Labels: labels}, x) }, ErrRank, "9"},
		{"SSNMF without a label", func() error {
			return ss(SSNMF{Model: NMF(2), Labels: Labels{Class: []int{-1, -1, -1, -1, -1}}}, x)
		}, ErrLabels, "no sample has a label"},
		{"CNMF without data", func() error { return cn(CNMF{Model: NMF(2), Labels: labels}, nil) }, ErrEmpty, "X is nil"},
		{"SSNMF's broken matrix", func() error { return ss(SSNMF{Model: NMF(2), Labels: labels}, broken.T().T()) }, ErrShape, "X: datasets: "},
		{"SSNMF's broken mask", func() error { return ss(SSNMF{Model: Model{Rank: 2, Mask: broken}, Labels: labels}, x) }, ErrShape, "Mask: datasets: "},
		{"units of a broken matrix", func() error { _, err := NewPenaltyUnits(broken, 2); return err }, ErrShape, "X: datasets: "},
		{"CNMF without a matrix", func() error { return cn(CNMF{Model: NMF(2), Labels: labels}, none) }, ErrEmpty, "X is nil"},
		{"CNMF's loss", func() error { return cn(CNMF{Model: L1NMF(2), Labels: labels}, x) }, ErrParameter, "CNMF.Model"},
		{"CNMF of no samples", func() error { return cn(CNMF{Model: NMF(2)}, &mat.Dense{}) }, ErrEmpty, "X is 0×0"},
		{"CNMF's labels", func() error { return cn(CNMF{Model: NMF(2), Labels: Labels{Class: []int{1}}}, x) }, ErrLabels, "1 labels for 5"},
		{"CNMF's data", func() error { return cn(CNMF{Model: NMF(2), Labels: labels}, with(2, 2, -1)) }, ErrNegative, "X[2,2] = -1"},

		// Graphs.
		{"no vertices", func() error { return graph(0) }, ErrEmpty, "0 vertices"},
		{"an edge out of range", func() error { return graph(3, Edge{0, 1, 1}, Edge{2, 3, 1}) }, ErrShape, "edge 1 joins 2 and 3, want 0 to 2"},
		{"an edge of weight NaN", func() error { return graph(3, Edge{0, 1, nan}) }, ErrNotFinite, "G[0,1] = NaN"},
		{"an edge of weight -1", func() error { return graph(3, Edge{0, 1, -1}) }, ErrNegative, "G[0,1] = -1"},
		{"an edge that is too heavy", func() error { return graph(3, Edge{2, 1, 1e101}) }, ErrTooLarge, "G[2,1] = 1e+101"},
		{"two weights", func() error { return graph(3, Edge{0, 1, 1}, Edge{1, 0, 2}) }, ErrParameter, "G[0,1] is given as 1 and as 2"},
		{"graph of nil", func() error { return graphOf(nil) }, ErrEmpty, "G is nil"},
		{"graph of no matrix", func() error { return graphOf(none) }, ErrEmpty, "G is nil"},
		{"graph of 4×5", func() error { return graphOf(ones) }, ErrShape, "4×5"},
		{"asymmetric", func() error { return graphOf(mat.NewDense(2, 2, []float64{0, 1, 2, 0})) }, ErrParameter, "G[0,1] is 1 and G[1,0] is 2"},
		{"NaN in a graph", func() error { return graphOf(mat.NewDense(2, 2, []float64{0, 1, nan, 0})) }, ErrNotFinite, "G[1,0] = NaN"},
		{"no graph", func() error { return onH(Laplacian{Lambda: 1}) }, ErrParameter, "Laplacian.Graph"},
		{"another graph", func() error { return onH(Laplacian{other, 1}) }, ErrShape, "4 vertices, want 5"},
		{"graph of samples on W", func() error { return fit(Model{Rank: 2, OnW: []Penalty{Laplacian{square, 1}}}) }, ErrShape, "5 vertices, want 4"},
		{"Laplacian's λ", func() error { return onH(Laplacian{square, inf}) }, ErrParameter, "Laplacian.Lambda is +Inf"},

		// Results.
		{"outliers of no matrix", func() error { return outliers(fitted, none) }, ErrEmpty, "X is nil"},
		{"outliers of another shape", func() error { return outliers(fitted, x.T()) }, ErrShape, "X is 5×4, want 4×5"},
		{"outliers by an empty result", func() error { return outliers(&Result{}, x) }, ErrEmpty, "no W or H"},
		{"outliers without a loss", func() error { return outliers(&Result{W: fitted.W, H: fitted.H}, x) }, nil, ""},
		{"transform no matrix", func() error { return transform(fitted, ctx, none) }, ErrEmpty, "X is nil"},
		{"transform no samples", func() error { return transform(fitted, ctx, &mat.Dense{}) }, ErrShape, "X is 0×0, want 4×0"},
		{"transform with an empty result", func() error { return transform(&Result{}, ctx, x) }, ErrEmpty, "no W"},
		{"transform without a loss", func() error { return transform(&Result{W: fitted.W, H: fitted.H}, ctx, x) }, nil, ""},
		{"transform Inf", func() error { return transform(fitted, ctx, with(0, 1, inf)) }, ErrNotFinite, "X[0,1] = +Inf"},
		{"transform too large", func() error { return transform(fitted, ctx, with(0, 1, -1e101)) }, ErrTooLarge, "X[0,1]"},
		{"transform, cancelled", func() error { return transform(fitted, ended, x) }, context.Canceled, ""},

		// Save and Load.
		{"nothing to load", func() error { return load("") }, ErrFormat, "EOF"},
		{"another file", func() error { return load("GIF89a, or so") }, ErrFormat, `it starts with "GIF8"`},
		{"version 0", func() error { return load(version(0)) }, ErrFormat, "version 0"},
		{"a later version", func() error { return load(version(200)) }, ErrFormat, "version 200, this package reads version 1"},
		{"cut off", func() error { return load(whole[:len(whole)-9]) }, ErrFormat, ""},
		{"damaged", func() error { return load(whole[:len(whole)/2] + "\x00" + whole[len(whole)/2+1:]) }, ErrFormat, "checksum"},
		{"saved with NaN", func() error { return load(changed(func(r *Result) { r.W.Set(1, 1, nan) })) }, ErrFormat, "W[1,1] = NaN"},
		{"saved with -1", func() error { return load(changed(func(r *Result) { r.H.Set(0, 3, -1) })) }, ErrNegative, "H[0,3] = -1"},
		{"saved with a bad scale", func() error { return load(changed(func(r *Result) { r.Loss = Huber{Cut: -1} })) }, ErrParameter, "Huber.Cut is -1"},
		{"saved with a bad penalty", func() error { return load(changed(func(r *Result) { r.OnH = []Penalty{Ridge{-1}} })) }, ErrParameter, "Ridge.Lambda is -1"},
		{"saved with a bad solver", func() error { return load(changed(func(r *Result) { r.Solver = HALS{Sweeps: -1} })) }, ErrParameter, "HALS.Sweeps is -1"},
		{"saved with no reason", func() error { return load(changed(func(r *Result) { r.Reason = 77 })) }, ErrFormat, "reason 77"},
		{"save nothing", func() error { return (&Result{}).Save(io.Discard) }, ErrEmpty, "no W or H"},
		{"save what gob does not know", func() error { r := *fitted; r.Loss = unknownLoss{1}; return r.Save(io.Discard) }, nil, "gob"},
		{"save without room", func() error {
			if fullErr != nil {
				return syscall.ENOSPC // a system without /dev/full
			}
			return fitted.Save(full)
		}, syscall.ENOSPC, ""},
		{"save and lose the disk", func() error { return fitted.Save(&failing{after: 100}) }, errDisk, "disk"},
		{"load and lose the disk", func() error {
			_, err := Load(io.MultiReader(strings.NewReader(whole[:100]), brokenReader{}))
			return err
		}, errDisk, "disk"},

		// Clustering, principal components, classification, assignment.

		// Scores and checks.
		{"error relative to 0", func() error { _, err := fitted.RelativeError(mat.NewDense(4, 5, nil)); return err }, ErrEmpty, "all 0"},
		{"error of another shape", func() error { _, err := fitted.RelativeError(x.T()); return err }, ErrShape, "clean is 5×4, want 4×5"},
		{"a convex loss", func() error { return CheckLoss(squareLoss{}, 1) }, ErrParameter, "squareLoss"},
		{"size of residuals", func() error { return CheckLoss(L1{}, -1) }, ErrParameter, "size is -1"},
		{"no loss", func() error { return CheckLoss(nil, 1) }, ErrParameter, "a loss"},
		{"a loss with a bad scale", func() error { return CheckLoss(Huber{Cut: nan}, 1) }, ErrParameter, "Huber.Cut is NaN"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.got()
			switch {
			case c.want != nil && !errors.Is(err, c.want), c.want == nil && (err != nil) != (c.says != ""):
				t.Errorf("%v, want %v", err, c.want)
			case err != nil && !strings.Contains(err.Error(), c.says):
				t.Errorf("%q does not say %q", err, c.says)
			}
		})
	}
}

// unknownLoss is not known to gob.
type unknownLoss struct{ A float64 }

func (unknownLoss) Rho(s float64) (value, slope float64) { return s, 1 }

// squareLoss is no loss: it is convex in s.
type squareLoss struct{}

func (squareLoss) Rho(s float64) (value, slope float64) { return s * s, 2 * s }

var errDisk = errors.New("the disk is gone")

// failing takes some bytes, then none.
type failing struct{ after int }

func (f *failing) Write(p []byte) (int, error) {
	n := min(len(p), f.after)
	if f.after -= n; n < len(p) {
		return n, errDisk
	}
	return n, nil
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errDisk }
