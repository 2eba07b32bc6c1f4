package counts

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// Every experiment runs on its small problem, a run that goes on computes nothing again, and all that
// Experiments names is stored, with finite scores.
func TestStore(t *testing.T) {
	run := stored.Trials{Count: 1, Out: filepath.Join(t.TempDir(), "small.csv")}
	want := regexp.MustCompile(`^(planted, mean 2, 10|photons, 1 photon, clean|programs|topics, TDT2, 2 %).*Poisson`)
	if err := store(t.Context(), run, want, 10); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(run.Out)
	if err != nil {
		t.Fatal(err)
	}
	if rows := stored.Parse(string(first)); len(rows) != 2*5 {
		t.Errorf("%d rows: %s", len(rows), first)
	}
	if err := store(t.Context(), run, want, 10); err != nil {
		t.Fatal(err)
	}
	if again, _ := os.ReadFile(run.Out); string(again) != string(first) {
		t.Errorf("the second run changed the file: %s", again)
	}
	for _, e := range Experiments() {
		for _, of := range e.Cases {
			for _, damage := range e.Damages {
				for _, model := range e.Models {
					rows := Results().Where("experiment", e.Name, "case", of, "damage", damage, "model", model)
					if len(rows) != int(e.Trials) {
						t.Errorf("%s, %s, %s, %s has %d rows, want %d", e.Name, of, damage, model, len(rows), e.Trials)
					}
					for _, r := range rows {
						if v := r.Number("score"); !(v > 0) || math.IsInf(v, 0) {
							t.Errorf("%v", r)
						}
					}
				}
			}
		}
	}
}

// A burst adds to one word, and a foreign document keeps its counts and gets other words.
func TestDamage(t *testing.T) {
	x := invented().X
	burst, chosen := Bursts(x, 0.1, 1)
	if sum := total(burst.Value) - total(x.Value); len(chosen) != 5 || sum < 5*200 || sum > 5*800 {
		t.Errorf("%d bursts add %g", len(chosen), sum)
	}
	foreign, chosen := Foreign(x, 0.1, 1)
	if err := foreign.Check(); err != nil || len(chosen) != 5 || total(foreign.Value) != total(x.Value) {
		t.Errorf("%v, %d documents, %g counts", err, len(chosen), total(foreign.Value))
	}
}

func total(v []float64) (sum float64) {
	for _, x := range v {
		sum += x
	}
	return sum
}

// A burst is doubted most, and a count as the model expects it is trusted.
func TestDoubts(t *testing.T) {
	x := &sparse.Matrix{Rows: 2, Cols: 2, Start: []int{0, 2, 3}, Row: []int32{0, 1, 1}, Value: []float64{1, 500, 3}}
	r := &panel.Result{Result: &rnmf.Result{W: mat.NewDense(2, 1, []float64{1, 2}), H: mat.NewDense(1, 2, []float64{1, 1}), Family: rnmf.SparsePoisson, Loss: rnmf.CauchyTail{Cut: 2.5}}}
	all := Doubts(x, r, 2)
	if len(all) != 2 || all[0].Row != 1 || all[0].Column != 0 || all[0].Count != 500 || all[0].Mean != 2 || all[0].Weight > 0.1*all[1].Weight {
		t.Errorf("%+v", all)
	}
}

func TestOverBest(t *testing.T) {
	rows := stored.Parse("case,model,score\na,x,2\na,x,4\na,y,2\nb,x,1\nb,y,5\n")
	if got, want := OverBest(rows, "case", "x"), []float64{1.5, 1}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Dark are the pixels below a quarter of the mean of 4.
func TestErrorInDark(t *testing.T) {
	expected, y := mat.NewDense(2, 2, []float64{0, 0.5, 10, 5.5}), mat.NewDense(2, 2, []float64{1, 0, 0, 0})
	if e := ErrorInDark(y, expected); e != 0.75 {
		t.Errorf("the error is %g", e)
	}
}

// Programs that are found in another order and at another scale are the same, and can be drawn.
func TestPrograms(t *testing.T) {
	truth, found := mat.NewDense(3, 2, []float64{1, 0, 2, 1, 0, 3}), mat.NewDense(3, 2, []float64{0, 2, 5, 4, 15, 0})
	match, cosine, err := Programs(truth, found)
	if err != nil || !slices.Equal(match, []int{1, 0}) || math.Abs(cosine-1) > 1e-12 {
		t.Errorf("%v, %g, %v", match, cosine, err)
	}
	c, err := OneProgram("found", 1, 0, truth, found)
	if err != nil || c.Title.Text != "found: 1.000" {
		t.Errorf("%+v, %v", c, err)
	}
}

// FewPhotons draws both rows of pictures.
func TestFewPhotons(t *testing.T) {
	s := datasets.Fashion()
	x, expected := Photons(s.X, 3, true, 1)
	m, n := x.Dims()
	w, h := mat.NewDense(m, 1, nil), mat.NewDense(1, n, nil)
	r := &rnmf.Result{W: w, H: h, Loss: rnmf.CauchyTail{Cut: 2.5}, Family: rnmf.Poisson}
	if p, err := FewPhotons("zeros", s, x, expected, []int{0, 1}, []string{"zeros"}, r); err != nil || p.Image().Bounds().Empty() {
		t.Error(err)
	}
}
