package choose

import (
	"fmt"
	"math"
	"slices"
)

// A Table has the scores of the settings of a search, in the order of the grid.
type Table struct {
	Names []string // of the parameters
	Rows  []Row
}

// A Row is a setting and its scores.
type Row struct {
	Setting Setting
	Scores  Scores
}

// Where returns the rows for which keep returns true, in order.
func (t *Table) Where(keep func(Row) bool) *Table {
	part := &Table{Names: t.Names}
	for _, r := range t.Rows {
		if keep(r) {
			part.Rows = append(part.Rows, r)
		}
	}
	return part
}

// A Criterion is a score to choose by.
type Criterion struct {
	Score   string
	Smaller bool // is better
	// Error names a score that is the standard error of this one. Then the first row within one
	// such error of the best is chosen, as smaller differences may be due to chance. Let the
	// simplest models come first in the grid.
	Error string
}

// Best returns the row that a criterion chooses, the first of equals. Rows without
// the score are passed over; ok is false if there is no other, or if the best one
// lacks the Error.
func (t *Table) Best(c Criterion) (best Row, ok bool) {
	sign := 1.0
	if c.Smaller {
		sign = -1
	}
	for _, r := range t.Rows {
		if v, has := r.Scores[c.Score]; has && (!ok || sign*v > sign*best.Scores[c.Score]) {
			best, ok = r, true
		}
	}
	if !ok || c.Error == "" {
		return best, ok
	}
	if _, has := best.Scores[c.Error]; !has {
		return Row{}, false
	}
	limit := sign*best.Scores[c.Score] - best.Scores[c.Error]
	for _, r := range t.Rows {
		if v, has := r.Scores[c.Score]; has && sign*v >= limit {
			return r, true
		}
	}
	return best, ok
}

// A Choice is what a criterion chooses, and what the labels say about it.
type Choice struct {
	Criterion Criterion
	Row       Row
	Label     float64 // the label score of the row
	Regret    float64 // how far Label is below the best of the grid
	// Better is the share of the other rows whose label score is higher: 0 is the best row, ½ what
	// a row drawn by chance has on average. It is NaN for a row without that score, and so is
	// Label.
	Better float64
}

// Choices returns what each criterion would choose, judged by a score that uses the labels and of
// which more is better. The first choice is the one by that score itself, as papers choose; without
// labels nobody can.
func (t *Table) Choices(label string, criteria ...Criterion) ([]Choice, error) {
	by := Criterion{Score: label}
	best, ok := t.Best(by)
	if !ok {
		return nil, fmt.Errorf("%w: no row has the score %q", ErrParameter, label)
	}
	var all []float64
	for _, r := range t.Rows {
		if v, has := r.Scores[label]; has {
			all = append(all, v)
		}
	}
	var choices []Choice
	for _, c := range slices.Concat([]Criterion{by}, criteria) {
		row, ok := t.Best(c)
		if _, scored := t.Best(Criterion{Score: c.Score}); scored && !ok {
			return nil, fmt.Errorf("%w: the best row by %q has no score %q, its Error", ErrParameter, c.Score, c.Error)
		} else if !ok {
			return nil, fmt.Errorf("%w: no row has the score %q", ErrParameter, c.Score)
		}
		v, has := row.Scores[label]
		if !has {
			v = math.NaN()
		}
		better := 0.0
		for _, a := range all {
			if a > v {
				better++
			}
		}
		better /= float64(max(len(all)-1, 1))
		if !has {
			better = math.NaN()
		}
		choices = append(choices, Choice{c, row, v, best.Scores[label] - v, better})
	}
	return choices, nil
}

// Quantile returns the score below which a share p of the rows lie: at ½ the median,
// what a choice by chance would give.
func (t *Table) Quantile(score string, p float64) (float64, error) {
	var all []float64
	for _, r := range t.Rows {
		if v, has := r.Scores[score]; has {
			all = append(all, v)
		}
	}
	if len(all) == 0 || !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("%w: the quantile %g of %d values of %q, want 0 to 1 of one value or more", ErrParameter, p, len(all), score)
	}
	slices.Sort(all)
	at := p * float64(len(all)-1)
	i := min(int(at), max(len(all)-2, 0))
	if i+1 >= len(all) {
		return all[i], nil
	}
	return all[i] + (at-float64(i))*(all[i+1]-all[i]), nil
}

// BeforeFall returns the last row before a score falls for the first time: the rule of
// Brunet et al. (2004) for the rank, with ScoreCophenetic.
func (t *Table) BeforeFall(score string) (row Row, ok bool) {
	for _, r := range t.Rows {
		v, has := r.Scores[score]
		if !has {
			continue
		}
		if ok && v < row.Scores[score] {
			return row, true
		}
		row, ok = r, true
	}
	return row, ok
}

// Column returns the values of a parameter or the scores of a name, one for each row: NaN where
// a row lacks it.
func (t *Table) Column(name string) []float64 {
	values := make([]float64, len(t.Rows))
	for i, r := range t.Rows {
		v, has := r.Scores[name]
		if k := slices.Index(t.Names, name); k >= 0 {
			v, has = r.Setting.Values[k], true
		}
		if values[i] = v; !has {
			values[i] = math.NaN()
		}
	}
	return values
}
