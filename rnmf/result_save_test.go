package rnmf

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"go/ast"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// steep is a loss that this package does not know.
type steep struct{ A float64 }

func (l steep) Rho(s float64) (value, slope float64) {
	return l.A * math.Log1p(s), l.A / (1 + s)
}

// grown is one with a scale.
type grown struct{ A float64 }

func (l grown) Rho(s float64) (value, slope float64) { return steep(l).Rho(s) }
func (l grown) ScaleNow() float64                    { return l.A }

func (l grown) Tuning() Tuning {
	if l.A > 0 {
		return nil
	}
	return func(s *Residuals) (Loss, bool) { return grown{1 + s.Mean()}, false }
}

func TestSaveLoad(t *testing.T) {
	gob.Register(steep{})
	gob.Register(grown{})
	x := mat.NewDense(4, 5, []float64{1, 2, 3, 4, 5, 2, 1, 0, 3, 2, 6, 5, 4, 3, 9, 1, 0, 0, 1, 1})
	for _, m := range []Model{
		NMF(2), L21NMF(2), TruncatedCauchyNMF(2), CappedNMF(2, 0), RNMFL1(2, .1),
		{Rank: 2, Loss: steep{2}, OnH: []Penalty{Sparse{.1}}, Solver: MU{}},
		{Rank: 2, Loss: grown{}}, {Rank: 2, Loss: ByColumn{grown{}}}, {Rank: 2, Loss: Truncated{Loss: grown{}}},
	} {
		a, err := m.Fit(context.Background(), x)
		if err != nil {
			t.Fatal(err)
		}
		if a.KKT <= 0 || a.Trace[1].Objective <= 0 || a.Trace[1].Seconds <= 0 {
			t.Errorf("%T: KKT %g, trace %+v: zeros would not be missed", m.Loss, a.KKT, a.Trace)
		}
		var buf bytes.Buffer
		if err := a.Save(&buf); err != nil {
			t.Fatalf("%T: %v", m.Loss, err)
		}
		whole := buf.Bytes()
		b, err := Load(bytes.NewReader(whole))
		if err != nil {
			t.Fatalf("%T: %v", m.Loss, err)
		}
		if !mat.Equal(a.W, b.W) || !mat.Equal(a.H, b.H) || a.Loss != b.Loss || a.Objective != b.Objective ||
			a.KKT != b.KKT || a.Reason != b.Reason || !reflect.DeepEqual(a.Trace, b.Trace) {
			t.Errorf("%T: loaded %+v, saved %+v", m.Loss, b, a)
		}
		ha, err := a.Transform(context.Background(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		hb, err := b.Transform(context.Background(), x, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !mat.Equal(ha, hb) {
			t.Errorf("%T: the loaded result transforms differently", m.Loss)
		}
		for _, cut := range []int{0, 3, 5, 6, len(whole) / 2, len(whole) - 1} {
			if _, err := Load(bytes.NewReader(whole[:cut])); !errors.Is(err, ErrFormat) {
				t.Errorf("first %d bytes: %v", cut, err)
			}
		}
		later := bytes.Clone(whole)
		later[5]++
		if _, err := Load(bytes.NewReader(later)); !errors.Is(err, ErrFormat) {
			t.Errorf("later version: %v", err)
		}
	}
}

// FuzzLoad takes the bytes for a whole file, and for the gob of either version,
// with the checksum that it needs.
func FuzzLoad(f *testing.F) {
	names, err := filepath.Glob("testdata/saved/*-v1.rnmf")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[6:])
	}
	r, err := NMF(1).Fit(context.Background(), mat.NewDense(2, 2, []float64{1, 2, 3, 4}))
	if err != nil {
		f.Fatal(err)
	}
	var buf bytes.Buffer
	if err := r.Save(&buf); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<13 {
			return // gob takes its time for long lists of types
		}
		second := append([]byte("rnmf\x00\x02"), data...)
		second = binary.BigEndian.AppendUint32(second, crc32.ChecksumIEEE(data))
		for _, file := range [][]byte{data, append([]byte("rnmf\x00\x01"), data...), second} {
			r, err := Load(bytes.NewReader(file))
			if err != nil {
				if !errors.Is(err, ErrFormat) {
					t.Fatal(err)
				}
				continue
			}
			if v := mat.Sum(r.W) + mat.Sum(r.H); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatal("not finite")
			}
			// Whatever was read can be used and written.
			var b bytes.Buffer
			if err := r.Save(&b); err != nil {
				t.Fatal(err)
			}
			if _, err := Load(&b); err != nil {
				t.Fatal(err)
			}
			m, _ := r.W.Dims()
			if k, _ := r.H.Dims(); m*k < 1e4 {
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
				r.Transform(ctx, uniform(m, 3, 1), nil)
				cancel()
			}
		}
	})
}

// Factors may grow beyond what is accepted of data, and are read again.
func TestLargeFactorsCanBeSaved(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1e50, 2e50, 2e50, 4e50})
	m := NMF(1)
	m.Init = Factors{W: mat.NewDense(2, 1, []float64{1e-60, 1e-60}), H: mat.NewDense(1, 2, []float64{1, 1})}
	r := mustFit(t, m, x)
	if mat.Max(r.H) <= maxEntry {
		t.Fatalf("H is %g at most: this tests nothing", mat.Max(r.H))
	}
	var file bytes.Buffer
	if err := r.Save(&file); err != nil {
		t.Fatal(err)
	}
	again, err := Load(&file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Transform(context.Background(), x, nil); err != nil {
		t.Error(err)
	}
}

// savedData and savedModels are what the files in testdata/saved were fitted on.
func savedData() *mat.Dense {
	x, _ := planted(6, 8, 2, 0.05, 0.1, 7)
	return x
}

func savedModels(t *testing.T) map[string]Model {
	g := neighbors(savedData(), 2, nil)
	labels := Labels{Class: []int{0, 1, -1, -1, 0, 1, -1, -1}, Names: []string{"a", "b"}, Weight: 2}
	return map[string]Model{
		"truncated": {Rank: 2, Loss: Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}, Solver: OGM{Steps: 7}, OnH: []Penalty{labels, Sparse{0.01}}, MaxIter: 5},
		// Saved with the solver FreeW{Additive{}}, which is now two solvers.
		"semi":  {Rank: 2, Loss: Frobenius{}, SolverW: LeastSquares{}, Solver: Additive{}, MaxIter: 5},
		"graph": {Rank: 2, Loss: ByColumn{L1{Eps: 1e-3}}, Solver: HALS{Sweeps: 2}, OnH: []Penalty{Laplacian{g, 0.5}, Ridge{0.1}}, MaxIter: 5},
	}
}

// Files that earlier versions of this package wrote are read, with all that was
// in them. A change of the format adds files here and takes none away.
func TestEarlierFiles(t *testing.T) {
	names, err := filepath.Glob("testdata/saved/*.rnmf")
	if err != nil || len(names) != 2*saveVersion+1 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		model, _, _ := strings.Cut(filepath.Base(name), "-")
		m := savedModels(t)[model]
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Load(bytes.NewReader(data))
		if err != nil {
			t.Fatal(name, err)
		}
		x := savedData()
		if model == "semi" {
			x.Set(0, 0, -1)
			x.Set(3, 2, -2)
		}
		if got := naiveObjective(Model{OnH: r.OnH}, r.Loss, x, r.W, r.H); !near(got, r.Objective, 1e-9) {
			t.Errorf("%s: objective %g, the factors have %g", name, r.Objective, got)
		}
		want := map[string][2]float64{"truncated": {7.580583647032338, 8.792855143105506}, "graph": {13.681163666361146, 5.735669307444736}, "semi": {7.046750289030468, 10.58487435848749}}[model]
		if mat.Sum(r.W) != want[0] || mat.Sum(r.H) != want[1] {
			t.Errorf("%s: sums %v and %v, want %v", name, mat.Sum(r.W), mat.Sum(r.H), want)
		}
		if r.Reason != MaxIter || len(r.Trace) != 6 || r.Trace[5].Objective != r.Objective && !near(r.Trace[5].Objective, r.Objective, 1e-9) || r.KKT <= 0 {
			t.Errorf("%s: %v, %+v, KKT %g", name, r.Reason, r.Trace, r.KKT)
		}
		if fmt.Sprintf("%T%+v", r.Solver, r.Solver) != fmt.Sprintf("%T%+v", m.Solver, m.Solver) || fmt.Sprintf("%T", r.Loss) != fmt.Sprintf("%T", m.Loss) || len(r.OnH) != len(m.OnH) {
			t.Errorf("%s: %T %+v, %T, %v", name, r.Solver, r.Solver, r.Loss, r.OnH)
		}
		if model == "semi" {
			continue
		}
		if l, ok := r.OnH[0].(Labels); ok && (l.Weight != 2 || l.Names[1] != "b" || l.Class[5] != 1) {
			t.Errorf("%s: %+v", name, l)
		}
		if l, ok := r.OnH[0].(Laplacian); ok && !mat.Equal(l.Graph, m.OnH[0].(Laplacian).Graph) {
			t.Errorf("%s: another graph", name)
		}
		if _, err := r.Transform(t.Context(), x, nil); err != nil {
			t.Error(name, err)
		}
	}
}

// Whatever can be in a Result can be saved: the exported types of this package
// that are losses, solvers or penalties are known to gob.
func TestAllCanBeSaved(t *testing.T) {
	known := map[string]bool{}
	for _, file := range sources(t, ".") {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
				ast.Inspect(f, func(n ast.Node) bool {
					if c, ok := n.(*ast.CompositeLit); ok {
						if id, ok := c.Type.(*ast.Ident); ok {
							known[id.Name] = true
						}
					}
					return true
				})
			}
		}
	}
	for _, name := range slices.Concat(partsOf(t, "Rho"), partsOf(t, "Improve"), partsOf(t, "Majorize"), []string{"ByColumn"}) {
		if !known[name] {
			t.Errorf("no init registers %s with gob", name)
		}
	}
	x := uniform(4, 5, 1)
	for _, solver := range allSolvers {
		r := mustFit(t, Model{Rank: 2, Solver: solver, MaxIter: 2, OnH: []Penalty{Ridge{0.1}, Sparse{0.1}}}, x)
		var b bytes.Buffer
		if err := r.Save(&b); err != nil {
			t.Errorf("%T: %v", solver, err)
		} else if back, err := Load(&b); err != nil || back.Solver != solver {
			t.Errorf("%T: %v", solver, err)
		}
	}
}
