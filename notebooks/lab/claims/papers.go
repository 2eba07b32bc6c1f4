package claims

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/l21"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// Data are the stored results that claims are judged by.
type Data struct {
	Clusters, Convergence, Traces    stored.Table // of l21
	Cauchy, Disguise, Ablation       stored.Table
	Occlusion                        stored.Table // of cauchy, on AR
	RSS, Further, Chosen, PrintedRSS stored.Table
	Heats, Deep                      stored.Table // of rss: FGD next to MUR, and the deep rivals
	RLS, AsPrinted, Times            stored.Table
	Race, Energy, Graph, Algorithm1  stored.Table // of rra; Graph is clusters.csv
	Costs                            stored.Table
}

// Stored returns what the packages of the lab have stored.
func Stored() Data {
	return Data{
		l21.Clusters(), l21.Convergence(), l21.Traces(),
		cauchy.Results(), cauchy.DisguiseResults(), cauchy.AblationResults(), cauchy.OcclusionResults(),
		rss.Results(), rss.Further(), rss.Chosen(), rss.Paper(),
		rss.Race(), rss.Deep(),
		rls.Table(), rls.AsPrintedTable(), rls.Times(),
		rra.Results("race.csv"), rra.Results("energy.csv"), rra.Results("clusters.csv"), rra.Results("algorithm1.csv"),
		Costs(),
	}
}

// Papers are the claims of each paper's notebook, by its number. Each is judged once.
var Papers = map[string]func(Data) List{"01": once(L21), "02": once(Cauchy), "03": once(RSS), "04": once(RLS), "05": once(RRA)}

func once(claims func(Data) List) func(Data) List {
	return func(d Data) List {
		all := claims(d)
		for i, c := range all {
			all[i].Judge = sync.OnceValues(c.Judge)
		}
		return all
	}
}

// Of returns the claims of the paper of a notebook, such as "01", judged by what is stored, once.
func Of(notebook string) List { return slices.Clone(ledger()[notebook]) }

// ledger has the claims of all papers.
var ledger = sync.OnceValue(func() Ledger {
	all, data := Ledger{}, Stored()
	for notebook, claims := range Papers {
		all[notebook] = claims(data)
	}
	return all
})

// From returns claims of the paper of a notebook, as Only does, for a list of several papers: Where begins with the
// number of the notebook.
func From(notebook string, keys ...string) List {
	some := Of(notebook).Only(keys...)
	for i := range some {
		some[i].Where = notebook + ", " + some[i].Where
	}
	return some
}

// AllOpen returns the open claims of all papers, as From does.
func AllOpen() (open List) {
	for _, notebook := range []string{"01", "02", "03", "04", "05"} {
		for _, c := range Of(notebook) {
			if v, _ := c.Judge(); v == Open {
				open = append(open, From(notebook, c.Key)...)
			}
		}
	}
	return open
}

// printedTable reads a table as lesson.Printed does: rows and columns by their names.
func printedTable(text string) (rows, columns []string, at map[[2]string]float64) {
	at = map[[2]string]float64{}
	for i, line := range strings.Split(strings.TrimSpace(text), "\n") {
		fields := strings.Split(line, "|")
		for k, f := range fields {
			fields[k] = strings.TrimSpace(f)
		}
		if i == 0 {
			columns = fields[1:]
			continue
		}
		rows = append(rows, fields[0])
		for k, f := range fields[1:] {
			v, err := strconv.ParseFloat(f, 64)
			if err != nil {
				v = math.NaN()
			}
			at[[2]string{fields[0], columns[k]}] = v
		}
	}
	return rows, columns, at
}

// mean is that of a column, NaN if it has no numbers.
func mean(t stored.Table, column string) float64 {
	v := t.Numbers(column)
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// cells collects the cells that there are.
func cells(names []string, cell func(name string) (Cell, bool)) (all []Cell) {
	for _, name := range names {
		if c, ok := cell(name); ok {
			all = append(all, c)
		}
	}
	return all
}

// plural is "1 row" or "3 rows".
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprint(n, " ", what, "s")
}
