package arena

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/viz"
)

// faces are the sets of faces among those of the defaults.
var faces = []string{"ORL", "UMIST", "Extended Yale B", "Georgia Tech", "PIE", "AR10P", "JAFFE"}

// Covered returns the geometric mean of a default's error over that of the best of five losses where white squares
// cover parts of images: of faces, and of other images.
func Covered(rows []Stored, model string) (onFaces, onOthers float64) {
	factors := Factors(rows, model)
	var others []string
	for _, b := range Bouts(rows) {
		if !slices.Contains(faces, b.Set) {
			others = append(others, b.Set)
		}
	}
	return meanFactor(rows, factors, faces, "white squares"), meanFactor(rows, factors, others, "white squares")
}

// A DamageTable has the error of each default over that of the best of five losses, by kinds of damage:
// the geometric mean over all sets and strengths that every default was fitted to.
type DamageTable struct {
	Kinds, Models []string // rows and columns, by their names in the stored results
	Sets          int      // how many there are
	Times         *mat.Dense
}

// Damages makes the table from results of the defaults.
func Damages(rows []Stored) DamageTable {
	d := DamageTable{Models: []string{"least squares", "L2,1", "Huber", "CellCase", "two stages", "auto"}}
	for _, k := range Kinds() {
		d.Kinds = append(d.Kinds, k[0])
	}
	d.Times = mat.NewDense(len(d.Kinds), len(d.Models), nil)
	cases, sets := make([]float64, len(d.Kinds)), map[string]bool{}
	for bout, errs := range Means(rows, Error) {
		i := slices.Index(d.Kinds, bout.Kind)
		if math.IsNaN(Factor(errs, "auto")) {
			continue
		}
		sets[bout.Set] = true
		cases[i]++
		for j, model := range d.Models {
			d.Times.Set(i, j, d.Times.At(i, j)+math.Log(Factor(errs, model)))
		}
	}
	d.Sets = len(sets)
	for i, n := range cases {
		for j := range d.Models {
			// Sums in the order of a map differ in their last bits, which are not to be seen.
			d.Times.Set(i, j, math.Round(1e6*math.Exp(d.Times.At(i, j)/n))/1e6)
		}
	}
	return d
}

// Most returns the largest error of a model over all kinds of damage.
func (d DamageTable) Most(model string) float64 {
	return slices.Max(mat.Col(nil, slices.Index(d.Models, model), d.Times))
}

// Draw draws the table under a title, models by their names in Go.
func (d DamageTable) Draw(title string) (*viz.Picture, error) {
	damage := map[string]string{"none": "nothing is wrong", "Gaussian noise": "normal noise everywhere", "Laplace noise": "noise with heavy tails", "salt & pepper": "entries are 0 or white",
		"dead pixels": "entries are 0", "white squares": "images are covered", "alien images": "foreign samples"}
	inGo := map[string]string{"least squares": "NMF", "L2,1": "L21NMF", "Huber": "HuberNMF", "CellCase": "CellCaseNMF", "two stages": "RobustNMF", "auto": "choose.Auto"}
	named := func(keys []string, names map[string]string) (all []string) {
		for _, k := range keys {
			all = append(all, names[k])
		}
		return all
	}
	return viz.Heatmap(d.Times, viz.HeatmapOptions{Title: title, RowNames: named(d.Kinds, damage), ColumnNames: named(d.Models, inGo),
		Map: orange, Min: 1, Max: 1.3, Values: true, BarLabel: "error / best"})
}

// orange goes from white to a dark orange.
func orange(v float64) color.RGBA {
	v = min(max(v, 0), 1)
	return color.RGBA{uint8(255 - 75*v), uint8(255 - 155*v), uint8(255 - 235*v), 255}
}
