package rls

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
)

// The gains of a set add up to what the last method is ahead of the first, also where a term is not printed.
func TestGains(t *testing.T) {
	ours, theirs := Terms()
	gains := Gains(ours, theirs)
	for i, accuracy := range []*lesson.Results{ours, theirs} {
		row, last := gains.Rows[i], accuracy.Columns[len(accuracy.Columns)-1]
		for k, set := range accuracy.Rows {
			sum := accuracy.Mean(set, accuracy.Columns[0]) - accuracy.Mean(set, last)
			for _, term := range gains.Columns {
				if v := gains.Values(row, term); len(v) == len(accuracy.Rows) {
					sum += v[k]
				} else if len(v) > 0 || i == 0 {
					t.Errorf("%s, %s: %d values for %d sets", row, term, len(v), len(accuracy.Rows))
				}
			}
			if !(math.Abs(sum) < 1e-9) {
				t.Errorf("%s: the gains miss the end by %g", set, sum)
			}
		}
	}
	// The means of ours are 2 and 4 points, that of the paper 3.
	few := new(lesson.Results)
	for i, v := range []float64{1, 3} {
		few.Add("ours", "graph (GNMF)", v)
		few.Add("ours", "S (RLS-NMF)", 4)
		few.Add("the paper", "graph (GNMF)", 2+2*float64(i))
	}
	for row, want := range map[string]string{"ours": "[+ graph + S] [2 4]", "the paper": "[+ graph] [3]"} {
		if terms, v := steps(few, row); fmt.Sprint(terms, v.RawRowView(2)) != want {
			t.Errorf("%s: %v %v", row, terms, v)
		}
	}
}

// An image has a frame, and its pixels from black to white; the samples of five classes have five colours, and a picture few.
func TestDrawClasses(t *testing.T) {
	set := &datasets.Set{X: mat.NewDense(2, 10, nil), Height: 1, Width: 2, Labels: []int{0, 1, 2, 3, 4, 5, 0, 1, 2, 3}}
	for j := range 10 {
		set.X.SetCol(j, []float64{0, 1 + float64(j)})
	}
	p := &Problem{Set: set, X: set.X}
	if img := thumbnail(p, 3, viz.Color(1)); img.At(-1, -1) != viz.Color(1) || img.At(0, 1) != (color.RGBA{A: 255}) || img.At(3, 0) != (color.RGBA{255, 255, 255, 255}) {
		t.Errorf("%v %v %v", img.At(-1, -1), img.At(0, 1), img.At(3, 0))
	}
	h := mat.NewDense(2, 10, nil)
	h.Apply(func(i, j int, _ float64) float64 { return float64(j * (1 + i*j)) }, h)
	pictures := DrawClasses(p, []string{"five", "once more"}, h, h)
	img, seen := pictures[1].Image(), map[color.Color]bool{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			seen[color.RGBAModel.Convert(img.At(x, y))] = true
		}
	}
	for class := range 6 {
		if seen[viz.Color(class)] != (class < 5) {
			t.Errorf("class %d: %v", class, seen[viz.Color(class)])
		}
	}
	if len(pictures) != 2 || len(seen) > 13 {
		t.Errorf("%d pictures, %d colours", len(pictures), len(seen))
	}
}

// The points of Fig. 4 without a component are as a verdict of notebook 04 names them.
func TestEmptied(t *testing.T) {
	if got := Emptied(); fmt.Sprint(got.X) != "[0.001 0.001 0.01]" || len(got.Y) != 3 {
		t.Errorf("%v", got)
	}
}

func TestLeadsOf(t *testing.T) {
	table := new(lesson.Results)
	for i, column := range []string{"A", "B", "C"} {
		table.Add("mine", column, 5)
		table.Add("yours", column, []float64{4, 2, 7}[i])
	}
	leads, got := LeadsOf(table, "mine", "yours"), []float64(nil)
	for _, column := range []string{"A", "B", "C", "mean", "mean without C"} {
		got = append(got, leads.Mean("over yours", column))
	}
	if !floats.EqualApprox(got, []float64{1, 3, -2, 2.0 / 3, 2}, 1e-12) {
		t.Error(got)
	}
}

func TestCompared(t *testing.T) {
	all := new(lesson.Results)
	for i, set := range []string{"Yale", "ORL"} {
		all.Add(set, "k-means on the pixels", 50)
		all.Add(set, "NMF", []float64{40, 52}[i])
		all.Add(set, "+ graph (GNMF)", 51)
	}
	table := Compared(all)
	if table.Rows[0][2].Value != -4 || table.Rows[1][2].Value != 1 || !strings.HasSuffix(table.Caption, "on 1") {
		t.Errorf("%v, %q", table.Rows, table.Caption)
	}
}

// The signs are counted in the title: of the leads by the labels, those at a point of LS-NMF.
func TestDrawLeads(t *testing.T) {
	leads := Leads()
	ahead, without := 0, 0
	for _, set := range leads.Columns {
		if leads.Mean("chosen by the labels", set) > 0 {
			ahead++
			if Best(1, set, 0, "LS-NMF", "accuracy", "accuracy") == Best(1, set, 0, "RLS-NMF", "accuracy", "accuracy") {
				without++
			}
		}
	}
	want := fmt.Sprintf("RLS-NMF is ahead on %d of %d sets by the labels (%d with S = 0)", ahead, len(Sets), without)
	if got := DrawLeads(leads).Title.Text; !strings.HasPrefix(got, want) || without == 0 {
		t.Errorf("%q, want %q", got, want)
	}
}

// Without the graph LS-NMF loses more than without the logarithm, as notebook 04 says.
func TestTakenLast(t *testing.T) {
	if logarithm, graph := TakenLast(); !(logarithm > 0 && logarithm < graph && graph < 100) {
		t.Error(logarithm, graph)
	}
}

// Of a matrix of ones u and v are constant: σ = √(mn), and the norms are √m and √n.
func TestPrice(t *testing.T) {
	x := mat.NewDense(4, 9, nil)
	x.Apply(func(_, _ int, _ float64) float64 { return 1 }, x)
	if got, err := Price(x); err != nil || math.Abs(got-64.0/6) > 1e-9 { // (2·6/3)³/(2·3)
		t.Error(got, err)
	}
}

func TestUpTo(t *testing.T) {
	f := Finds{new(lesson.Results), new(lesson.Results)}
	for i, v := range []float64{0.95, 0.91, 0.2, 0.92} {
		gamma := []string{"1", "2", "3", "4"}[i]
		f.Precision.Add("a", gamma, v)
		f.Precision.Add("b", gamma, v-0.1)
		f.Flagged.Add("a", gamma, 10*float64(i))
	}
	if gamma, flagged := f.UpTo("a", 0.9); gamma != "2" || flagged != 10 {
		t.Error(gamma, flagged)
	}
	if gamma, flagged := f.UpTo("b", 0.9); gamma != "0" || flagged != 0 {
		t.Error(gamma, flagged)
	}
}

// What is dead elsewhere, and alive at the best accuracy, does not count.
func TestBestDead(t *testing.T) {
	g := Grids{Accuracy: mat.NewDense(2, 2, []float64{0.9, 0.3, 0.2, 0.5}), Live: mat.NewDense(2, 2, []float64{3, 0, 0, 1})}
	if got := g.BestDead(); got != 0.3 {
		t.Error(got)
	}
}

// The sign stands above the bar of its value, and nothing is drawn without signs.
func TestWriteSigns(t *testing.T) {
	bars := new(lesson.Results)
	for i, row := range []string{"a", "b"} {
		bars.Add(row, "one", float64(i))
	}
	asked := map[string]string{}
	draw := func(sign func(row, column string, value float64) string) []byte {
		c := bars.Bars("", "", viz.BarsOptions{})
		WriteSigns(c, bars, sign)
		var b bytes.Buffer
		if err := viz.WritePNG(&b, c); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	level := draw(func(row, column string, value float64) string {
		asked[row] = Leveled(row, column, value)
		return asked[row]
	})
	none := draw(func(_, _ string, _ float64) string { return "" })
	if asked["a"] != "level" || asked["b"] != "" || bytes.Equal(level, none) {
		t.Error(asked, len(level), len(none))
	}
}

// A start that only grew has the cosine 1 with what was fitted.
func TestDrawPart(t *testing.T) {
	s := &datasets.Set{Height: 1, Width: 2}
	w := mat.NewDense(2, 1, []float64{1, 3})
	grown := mat.NewDense(2, 1, []float64{2, 6})
	if f := DrawPart(s, 0, w, grown); f.Image().Bounds().Empty() {
		t.Error("no picture")
	}
}
