package speed

import (
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/viz"
)

func TestPeers(t *testing.T) {
	machine, all, err := Peers("../../../testdata/peers/results.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(machine, "Machine: ") || !strings.Contains(machine, "OpenBLAS") {
		t.Errorf("the machine is %q", machine)
	}
	for _, c := range [][]string{ // what notebook 09 looks for
		{"kind", "H + W update", "what", "Cauchy", "on", "1024×400", "variant", ""},
		{"kind", "H + W update", "what", "hypersurface", "on", "1024×1440", "variant", "portable Go"},
		{"kind", "to the objective of 400 multiplicative rounds", "what", "L1 (0.005)", "on", "COIL20", "variant", ""},
		{"kind", "NMF to 1 % above the best", "what", "", "on", "COIL20"},
		{"kind", "memory beyond X", "on", "multiplicative, 2576×7200"},
		{"kind", "memory beyond X", "on", "default solver, 2576×7200"},
	} {
		rows := all.Where(c...)
		if len(rows) != 1 {
			t.Fatalf("%d rows of %q", len(rows), c)
		}
		if v := rows[0].Number("ratio"); !(v > 0) {
			t.Errorf("%q: the ratio is %g", c, v)
		}
	}
	if _, _, err := Peers("speed.go"); err == nil || !strings.Contains(err.Error(), "no table") {
		t.Errorf("a file without a table: %v", err)
	}
}

func TestSizes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sizes.md")
	text := "# Sizes\n\nMeasured on a day.\n\nThe memory of it later.\n\n| features × samples | parts | model | seconds | rounds | MB beyond X |\n|---|---|---|---|---|---|\n| 1000×500 | 10 | NMF | 0.25 | 30 | 4 |\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	about, rows, err := Sizes(file)
	if err != nil || about != "Measured on a day. The memory of it later." || len(rows) != 1 {
		t.Fatalf("%q, %v, %v", about, rows, err)
	}
	if r := rows[0]; r.Text("fit") != "1000×500, 10 parts" || r.Number("millions") != 0.5 || r.Number("features") != 1000 || r.Number("samples") != 500 || r.Text("model") != "NMF" || r.Number("seconds") != 0.25 || r.Number("plain") != 1 || r.Number("MB") != 4 {
		t.Errorf("%v", r)
	}
	if s, mb := Guess(rows, "NMF", 2000, 500, 30); math.Abs(s[0]-1.5) > 1e-12 || s[1] != s[0] || mb != [2]float64{8, 8} {
		t.Errorf("twice the entries and three times the parts take %g s and %g MB", s, mb)
	}
	if s, mb := Guess(rows, "NMF", 333, 500, 10); s[0] != 0.083 || mb[0] != 1.3 {
		t.Errorf("a third of the features takes %g s and %g MB", s, mb)
	}
	if table := WithRounds(rows, ""); len(table.Rows) != 1 || table.Rows[0][1].Text != "0.25 (30)" {
		t.Errorf("with rounds: %v", table.Rows)
	}
	twice := append(rows, maps.Clone(rows[0])) // as large, four times as slow
	twice[1]["seconds"] = "1.00"
	if s, _ := Guess(twice, "NMF", 1000, 500, 10); s != [2]float64{0.063, 1} && s != [2]float64{0.062, 1} {
		t.Errorf("a guess that is wrong by a factor of four: %g s", s)
	}
	for _, bad := range []string{"no table", "| 3×4 | 10 | NMF |"} {
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Sizes(file); err == nil {
			t.Errorf("no error for %q", bad)
		}
	}
}

func TestPrices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "price.md")
	text := "| set | model | seconds | error | scikit-learn's NMF | error | ratio (least to most) |\n|---|---|---|---|---|---|---|\n" +
		"| A, 3×4, r = 2 | NMF | 0.50 | 0.202 | 1.00 | 0.200 | 0.50 (0.4 to 0.6) |\n| A, 3×4, r = 2 | HuberNMF | 2.00 | 0.210 | 1.00 | 0.200 | 2.00 (1 to 3) |\n\n| A | other |\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := Prices(file)
	if err != nil || len(rows) != 3 || rows[0].Text("model") != Library || rows[0].Number("seconds") != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	if r := rows[1]; r.Text("set") != "A" || r.Number("ratio") != 0.5 || r.Number("more") != 1 || rows[2].Number("plain") != 4 {
		t.Errorf("%v", rows)
	}
	for text, want := range map[string]float64{"98.1 ms, 4 rounds": 0.0981, "PoissonNMF 4.22 s, 182 rounds": 4.22} {
		if s := Seconds(text); math.Abs(s-want) > 1e-12 {
			t.Errorf("%q is %g s", text, s)
		}
	}
	if s := Seconds("FMA peak 58.6 GFLOP/s"); !math.IsNaN(s) {
		t.Errorf("a rate is %g s", s)
	}
	if s := Span(rows, "ratio"); s != "0.5 to 2.0" {
		t.Errorf("the ratios go from %s", s)
	}
	if _, err := Prices("speed.go"); err == nil {
		t.Error("a file without a table is no error")
	}
}

func TestOnce(t *testing.T) {
	var got []float64
	for v, n := range Once([]float64{3, 1, 1, 2}) {
		if n != 1 || v == 2 {
			break
		}
		got = append(got, v)
	}
	if !slices.Equal(got, []float64{3, 1, 1}) {
		t.Errorf("%g before 2", got)
	}
}

func TestStep(t *testing.T) {
	m := mat.NewDense(2, 2, []float64{2, 1, 1, 3})
	g, h := mat.NewDense(2, 1, []float64{3, 4}), mat.NewDense(2, 1, []float64{0.5, 0.5})
	delta, way := Sweeps(100, m, g, h)
	var left mat.Dense
	left.Mul(m, delta)
	left.Sub(&left, g)
	if mat.Norm(&left, 2) > 0.05 || len(way) < 5 {
		t.Errorf("δ = %v after %d steps, Mδ − g = %v", delta, len(way)-1, left)
	}
	_, exact := Sweeps(1, m, g, h)
	if c, sweep, step := DrawStep(m, g, h, exact, way, 1); c == nil || !(sweep > 0 && sweep < step && step <= 1) {
		t.Errorf("the shares of the way down are %g and %g", sweep, step)
	}
	if delta, _ := Sweeps(1, m, mat.NewDense(2, 1, []float64{-9, 0}), h); delta.At(0, 0) != -0.5 {
		t.Errorf("a component falls by %g, want 0.5 to 0", delta.At(0, 0))
	}
}

func TestDraw(t *testing.T) {
	_, rows, err := Peers("../../../testdata/peers/results.md")
	if err != nil {
		t.Fatal(err)
	}
	if size := DrawPeers(rows).Image().Bounds(); size.Dx() < 100 {
		t.Errorf("the peers are drawn on %v", size)
	}
	if w := WholeMatrices(rows); !(w.Rate[0] > 1 && w.Rate[0] < 100) || len(rows.Where("side", NoVectors)) != 2 {
		t.Errorf("%+v, and %d rows without vectors", w, len(rows.Where("side", NoVectors)))
	}
	ways := make([]Way, 7)
	for i := range ways {
		ways[i] = Way{"way", 10 + i, 0.001 * float64(1+i)}
	}
	if c := DrawWays("", ways...); c.X.Max < 7 {
		t.Errorf("milliseconds end at %g", c.X.Max)
	}
	if c := DrawCopies("", viz.Series{X: []float64{0.01, 1}, Y: []float64{100, 10}}); c.Y.Max < 100 {
		t.Errorf("rates end at %g", c.Y.Max)
	}
	if n := cores("0-3,8"); n != 5 {
		t.Errorf("%d cores, want 5", n)
	}
}

func TestReadLoops(t *testing.T) {
	l, err := readLoops("    level_test.go:30: in use: avx2\n" +
		"BenchmarkPeak/portable/one-2   10  3 ns/op  99 best-GFLOP/s\n" +
		"BenchmarkPeak/avx2/one-2   10  3 ns/op  51.9 best-GFLOP/s\n" +
		"BenchmarkKernels/avx2/Sub/m=1024,r=40,b=8-2  9  5 ns/op  44.5 best-GFLOP/s\n" +
		"BenchmarkKernels/portable/Sub/m=1024,r=40,b=8-2  9  5 ns/op  4.5 best-GFLOP/s\n")
	if err != nil || l.Level != "avx2" || l.Peak != 51.9 || l.Rates["Sub"] != 44.5 || len(l.Rates) != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := readLoops("PASS"); err == nil {
		t.Error("no rates are no error")
	}
}

func TestClock(t *testing.T) {
	x := mat.NewDense(6, 5, nil)
	x.Apply(func(i, j int, _ float64) float64 { return math.Abs(math.Sin(float64(3*i + j))) }, x)
	m := rnmf.NMF(2)
	r, err := For(0, m, x)
	if err != nil || len(r.Trace) != 2 {
		t.Fatalf("%v, %v", r, err)
	}
	p, err := To(r.Trace[1].Objective, 10, m, x)
	if err != nil || p.Round != 1 {
		t.Errorf("the objective of round 1 in round %d, %v", p.Round, err)
	}
	if s, err := PerRound(3, m, x); err != nil || !(s > 0 && s < 10) {
		t.Errorf("%g s, %v", s, err)
	}
	if s, err := Mean(2, 3, m, x); err != nil || !(s > 0 && s < 10) {
		t.Errorf("%g s on average, %v", s, err)
	}
	if ms := Median(rnmf.Trace{{}, {Seconds: 1}, {Seconds: 1.5}, {Seconds: 4}}); ms != 1000 {
		t.Errorf("the median is %g ms", ms)
	}
	if s := Products(1, x, mat.NewDense(6, 2, nil), mat.NewDense(2, 5, nil)); !(s > 0) {
		t.Errorf("the products take %g s", s)
	}
	for _, c := range Caches() {
		if c.Level < 1 || !(c.MB > 0) {
			t.Errorf("a cache of %g MB at level %d", c.MB, c.Level)
		}
	}
	if v := Bandwidth(1<<12, 1); !(v > 0) {
		t.Errorf("%g GB/s", v)
	}
}
