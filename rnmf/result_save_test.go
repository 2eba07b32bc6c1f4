package rnmf_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	. "github.com/robustnmf/robustnmf/rnmf"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest"
	. "github.com/robustnmf/robustnmf/rnmf/internal/fittest/parts"
	. "github.com/robustnmf/robustnmf/rnmf/papers"
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
		{Rank: 2, Loss: steep{2}, OnH: []Penalty{Lasso{.1}}, Solver: MU{}},
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

// FuzzLoad takes the bytes for a whole file, and for the gob of one, with the checksum that it needs.
func FuzzLoad(f *testing.F) {
	names, err := filepath.Glob("testdata/saved/*.rnmf")
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(data[6 : len(data)-4])
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
		whole := append([]byte("rnmf\x00\x01"), data...)
		whole = binary.BigEndian.AppendUint32(whole, crc32.ChecksumIEEE(data))
		for _, file := range [][]byte{data, whole} {
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
				r.Transform(ctx, Uniform(m, 3, 1), nil)
				cancel()
			}
		}
	})
}

// Factors may grow beyond what is accepted of data, and are read again.
func TestLargeFactorsCanBeSaved(t *testing.T) {
	x := mat.NewDense(2, 2, []float64{1e50, 2e50, 2e50, 4e50})
	m := NMF(1)
	m.Init = WarmStart{W: mat.NewDense(2, 1, []float64{1e-60, 1e-60}), H: mat.NewDense(1, 2, []float64{1, 1})}
	r := MustFit(t, m, x)
	if mat.Max(r.H) <= MaxEntry {
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
	x, _ := Planted(6, 8, 2, 0.05, 0.1, 7)
	return x
}

func savedModels(t *testing.T) map[string]Model {
	g := Neighbors(savedData(), 2, nil)
	labels := Labels{Class: []int{0, 1, -1, -1, 0, 1, -1, -1}, Names: []string{"a", "b"}, Weight: 2}
	return map[string]Model{
		"truncated": {Rank: 2, Loss: Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}, Solver: OGM{Steps: 7}, OnH: []Penalty{labels, Lasso{0.01}}, MaxIter: 5},
		"semi":      {Rank: 2, Loss: Frobenius{}, SolverW: NormalEquations{}, Solver: Additive{}, MaxIter: 5},
		"graph":     {Rank: 2, Loss: ByColumn{L1{Eps: 1e-3}}, Solver: HALS{Sweeps: 2}, OnH: []Penalty{Laplacian{g, 0.5}, Ridge{0.1}}, MaxIter: 5},
	}
}

// The files in testdata/saved, of the first version of the format, are read with all that was in them. A
// change of the format adds files here and takes none away; -update-saved writes those of the present one.
func TestSavedFiles(t *testing.T) {
	models := savedModels(t)
	data := func(model string) *mat.Dense {
		x := savedData()
		if model == "semi" {
			x.Set(0, 0, -1)
			x.Set(3, 2, -2)
		}
		return x
	}
	for model, m := range models {
		name := filepath.Join("testdata", "saved", model+"-v1.rnmf")
		if *updateSaved {
			m.Signed = model == "semi"
			var b bytes.Buffer
			if err := MustFit(t, m, data(model)).Save(&b); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, b.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Load(file)
		file.Close()
		if err != nil {
			t.Fatal(name, err)
		}
		x := data(model)
		if got := NaiveObjective(Model{OnH: r.OnH}, r.Loss, x, r.W, r.H); !Near(got, r.Objective, 1e-9) {
			t.Errorf("%s: objective %g, the factors have %g", name, r.Objective, got)
		}
		want := map[string][2]float64{"truncated": {8.299837254114077, 8.442508645330728}, "graph": {17.51325424149666, 4.86656170786248}, "semi": {7.046750289030468, 10.58487435848749}}[model]
		if mat.Sum(r.W) != want[0] || mat.Sum(r.H) != want[1] {
			t.Errorf("%s: sums %v and %v, want %v", name, mat.Sum(r.W), mat.Sum(r.H), want)
		}
		if r.Reason != MaxIter || len(r.Trace) != 6 || r.Trace[5].Objective != r.Objective && !Near(r.Trace[5].Objective, r.Objective, 1e-9) || r.KKT <= 0 {
			t.Errorf("%s: %v, %+v, KKT %g", name, r.Reason, r.Trace, r.KKT)
		}
		if !reflect.DeepEqual(r.Solver, m.Solver) || fmt.Sprintf("%T", r.Loss) != fmt.Sprintf("%T", m.Loss) || len(r.OnH) != len(m.OnH) {
			t.Errorf("%s: %T %+v, %T, %v", name, r.Solver, r.Solver, r.Loss, r.OnH)
		}
		for i, p := range r.OnH {
			if l, ok := p.(Laplacian); ok {
				if !mat.Equal(l.Graph, m.OnH[i].(Laplacian).Graph) || l.Lambda != m.OnH[i].(Laplacian).Lambda {
					t.Errorf("%s: another graph", name)
				}
			} else if !reflect.DeepEqual(p, m.OnH[i]) {
				t.Errorf("%s: %+v, want %+v", name, p, m.OnH[i])
			}
		}
		if _, err := r.Transform(t.Context(), x, nil); err != nil {
			t.Error(name, err)
		}
	}
}

var updateSaved = flag.Bool("update-saved", false, "write testdata/saved anew")

// Whatever can be in a Result can be saved: all losses, solvers and penalties are known to gob.
func TestAllCanBeSaved(t *testing.T) {
	gob.Register(RootLoss{}) // of the tests
	x := Uniform(7, 9, 1)
	save := func(m Model) (*Result, error) {
		var b bytes.Buffer
		if err := MustFit(t, m, x).Save(&b); err != nil {
			return nil, err
		}
		return Load(&b)
	}
	for _, loss := range slices.Concat(FixedLosses, TunedLosses) {
		if _, err := save(Model{Rank: 2, Loss: loss, MaxIter: 2}); err != nil {
			t.Errorf("%s: %v", LossName(loss), err)
		}
	}
	for k, p := range PenaltiesFor(7, 9, 4) {
		if _, err := save(Model{Rank: 4, OnW: p.OnW, OnH: p.OnH, MaxIter: 2}); err != nil {
			t.Errorf("penalties %d: %v", k, err)
		}
	}
	for _, solver := range AllSolvers {
		back, err := save(Model{Rank: 2, Solver: solver, MaxIter: 2, OnH: []Penalty{Ridge{0.1}, Lasso{0.1}}})
		if err != nil || back.Solver != solver {
			t.Errorf("%T: %v", solver, err)
		}
	}
}

// A part that nobody has registered is an error that names the package to import.
func TestUnregistered(t *testing.T) {
	file, err := os.ReadFile("testdata/saved/truncated-v1.rnmf") // which has an OGM
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, pkg string }{
		{"github.com/robustnmf/robustnmf/rnmf/elsewh.OGM", "github.com/robustnmf/robustnmf/rnmf/elsewh"},
		{"github.com/robustnmf/robustnmf/rnmf.papersOGM", "github.com/robustnmf/robustnmf/rnmf"},
	} {
		body := bytes.ReplaceAll(file[6:len(file)-4], []byte("github.com/robustnmf/robustnmf/rnmf/papers.OGM"), []byte(c.name))
		strange := append(bytes.Clone(file[:6]), body...)
		strange = binary.BigEndian.AppendUint32(strange, crc32.ChecksumIEEE(body))
		_, err := Load(bytes.NewReader(strange))
		if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), fmt.Sprintf("import package %q", c.pkg)) {
			t.Errorf("%v, want an error that names %s", err, c.pkg)
		}
	}
}

// Whatever a fit has found is read again, of data over four hundred orders of magnitude too: there
// extrapolation once took H beyond what Load accepts.
func TestManyOrdersCanBeSaved(t *testing.T) {
	for _, seed := range []uint64{0, 105, 179, 337} {
		rng := rand.New(rand.NewPCG(seed, 1))
		x := mat.NewDense(6, 9, nil)
		x.Apply(func(int, int, float64) float64 { return math.Pow(10, -300+400*rng.Float64()) }, x)
		m := L21NMF(2)
		m.Tol, m.Seed, m.MaxIter = -1, seed, 300
		var b bytes.Buffer
		if err := MustFit(t, m, x).Save(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(&b); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
}
