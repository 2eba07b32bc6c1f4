package trial

import (
	"context"
	"maps"
	"math"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

func digits(t *testing.T) *Problem {
	t.Helper()
	s, err := datasets.Digits().Sample(6, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s, 0, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func method(t *testing.T, name string) Method {
	t.Helper()
	for _, m := range Methods() {
		if m.Name == name {
			return m
		}
	}
	t.Fatal(name)
	return Method{}
}

// Samples of length 1 have residuals below 1, and S is 0 for γ ≥ 2: those points of
// the grid are left out. For γ = 1 it is not 0.
func TestLargeGammaIsLSNMF(t *testing.T) {
	p := digits(t)
	for _, v := range []Setting{{0.001, 0.001, 0, 0.001}, {0.1, 0.1, 0, 1}, {1, 0.01, 0, 1000}, {1000, 1000, 0, 1}} {
		ls, err := method(t, "LS-NMF").Fit(context.Background(), p, v, 1, 30)
		if err != nil {
			t.Fatal(err)
		}
		for _, gamma := range []float64{2, 10, 100, 1000} {
			v.Gamma = gamma
			rls, err := method(t, "RLS-NMF").Fit(context.Background(), p, v, 1, 30)
			if err != nil {
				t.Fatal(err)
			}
			if !mat.Equal(ls.W, rls.W) || !mat.Equal(ls.H, rls.H) {
				t.Errorf("%+v is not LS-NMF", v)
			}
		}
	}
	v := Setting{0.001, 0.001, 0.5, 0.1}
	ls, err := method(t, "LS-NMF").Fit(context.Background(), p, v, 1, 30)
	if err != nil {
		t.Fatal(err)
	}
	rls, err := method(t, "RLS-NMF").Fit(context.Background(), p, v, 1, 30)
	if err != nil {
		t.Fatal(err)
	}
	if mat.Equal(ls.W, rls.W) {
		t.Error("γ = 0.5 is LS-NMF")
	}
}

func TestAt(t *testing.T) {
	names := []string{"alpha", "gamma", "lambda", "beta"}
	values := []float64{1, 2, 3, 4}
	if v := At(choose.Setting{Names: names[:3], Values: values[:3]}); v != (Setting{1, 1, 2, 3}) {
		t.Error(v)
	}
	if v := At(choose.Setting{Names: names, Values: values}); v != (Setting{1, 4, 2, 3}) {
		t.Error(v)
	}
}

// Purity is never below accuracy, and both are multiples of 1/n if they are of one run:
// what a slip of ours in printed.csv would break, and where the paper breaks it.
func TestPrinted(t *testing.T) {
	number := func(table int, set string, level float64, metric, method string) float64 {
		v, err := strconv.ParseFloat(Printed(table, set, level, metric, method), 64)
		if err != nil || v <= 0 || v >= 100 {
			t.Fatalf("table %d, %s, %g, %s, %s: %v, %v", table, set, level, metric, method, v, err)
		}
		return v
	}
	samples := map[string]float64{"Semeion": 1593, "ExtendedYaleB": 2414, "ORL": 400, "AR": 2600, "JAFFE": 213, "Yale": 165, "COIL20": 1440, "Pendigits": 10992}
	below, broken := map[string]int{}, map[string]int{}
	look := func(table int, set string, level float64) {
		for _, m := range Methods() {
			if m.Name == "L1" {
				continue
			}
			number(table, set, level, "nmi", m.Name)
			accuracy, purity := number(table, set, level, "accuracy", m.Name), number(table, set, level, "purity", m.Name)
			if purity < accuracy {
				below[m.Name]++
			}
			for _, v := range []float64{accuracy, purity} {
				n := samples[set]
				if math.Abs(100*math.Round(v/100*n)/n-v) > 0.0051 {
					broken[m.Name]++
				}
			}
		}
	}
	for set := range samples {
		look(1, set, 0)
	}
	for i, set := range []string{"JAFFE", "Yale", "COIL20", "ORL", "Yale", "COIL20"} {
		levels := []float64{0.2, 0.4, 0.6}
		if i >= 3 {
			levels = []float64{0.005, 0.01, 0.015}
		}
		for _, level := range levels {
			look(2+i, set, level)
		}
	}
	if want := map[string]int{"ONMF": 5}; !maps.Equal(below, want) {
		t.Errorf("purities below accuracies: %v, want %v", below, want)
	}
	// Of RMNMF all are in Tables 5 to 7, 14 of its 18 there.
	if want := map[string]int{"RMNMF": 14, "GNMF": 2, "CNMF": 1, "ONMF": 1, "Semi-NMF": 1, "RLS-NMF": 1}; !maps.Equal(broken, want) {
		t.Errorf("no multiples of 1/n: %v, want %v", broken, want)
	}
	if Printed(1, "Yale", 0, "accuracy", "L1") != "–" {
		t.Error("L1 is not in the paper's tables")
	}
}
