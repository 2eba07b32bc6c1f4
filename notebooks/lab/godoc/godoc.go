// Package godoc makes a term matrix of the documentation of Go's standard library, read from the
// Go that is installed: the data of notebook 10. It measures fits by the clock and by memory, too.
package godoc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/datasets/sparse"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// A Corpus is a matrix of words and documents.
type Corpus struct {
	// X has a row for each term and a column for each document: log(1 + count) · log(n / documents
	// that have the term), each column scaled to length 1.
	X      *sparse.Matrix
	Counts *sparse.Matrix // how often a document has a term
	Terms  []string
	Names  []string // of the documents: "strings.Cut"
}

// Library reads the documentation of all packages of the standard library, without internal ones.
// A document is the comment of a package or of an exported function, method or type; its terms are
// words that at least few documents have, and at most a tenth of all. The error says what is missing
// where no Go is installed.
func Library(few int) (*Corpus, error) {
	root, err := goroot()
	if err != nil {
		return nil, err
	}
	return read(filepath.Join(root, "src"), few)
}

// goroot asks the go command, as a program does not know where its Go lies when it was built with
// -trimpath.
func goroot() (string, error) {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if root := string(bytes.TrimSpace(out)); err == nil && root != "" {
		return root, nil
	}
	return "", fmt.Errorf("godoc: the command go env GOROOT does not say where Go lies: %w", errors.Join(err, fs.ErrNotExist))
}

// read makes a corpus of the packages below a folder.
func read(src string, few int) (*Corpus, error) {
	var names []string
	var counts []map[string]int
	err := filepath.WalkDir(src, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		switch e.Name() {
		case "internal", "vendor", "testdata", "cmd":
			return filepath.SkipDir
		}
		return documents(src, path, func(name, text string) {
			if count := wordsOf(text); len(count) >= 5 {
				names, counts = append(names, name), append(counts, count)
			}
		})
	})
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("godoc: no documented package below %s", src)
	}
	return matrix(names, counts, few)
}

// documents hands over the comments of one package.
func documents(src, dir string, add func(name, text string)) error {
	pkg, err := build.Default.ImportDir(dir, 0)
	if none := new(build.NoGoError); errors.As(err, &none) {
		return nil
	}
	if err != nil {
		return err
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range append(pkg.GoFiles, pkg.CgoFiles...) {
		f, err := parser.ParseFile(set, filepath.Join(dir, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	path, err := filepath.Rel(src, dir)
	if err != nil {
		return err
	}
	path = filepath.ToSlash(path)
	p, err := doc.NewFromFiles(set, files, path)
	if err != nil {
		return err
	}
	add(path, p.Doc)
	functions := func(prefix string, list []*doc.Func) {
		for _, f := range list {
			add(prefix+f.Name, f.Doc)
		}
	}
	functions(path+".", p.Funcs)
	for _, t := range p.Types {
		add(path+"."+t.Name, t.Doc)
		functions(path+".", t.Funcs)
		functions(path+"."+t.Name+".", t.Methods)
	}
	return nil
}

var word = regexp.MustCompile(`[A-Za-z]{3,}`)

// common are words of English, and of documentation, that say nothing of a subject.
var common = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for that are was not with this from its has have been but can may will which when then than
		they there their these those such any all each other into only also must should would does did was were one two more most some same
		returns return returned returning see use used uses using use like call called calls calling value values function method type types
		if otherwise whether where what how because given before after first last next new non nil true false error errors set sets package
		example argument arguments result results default specified following note however instead without within between about over under`) {
		m[w] = true
	}
	return m
}()

func wordsOf(text string) map[string]int {
	count := map[string]int{}
	for _, w := range word.FindAllString(text, -1) {
		if w = strings.ToLower(w); !common[w] {
			count[w]++
		}
	}
	return count
}

// matrix weights counts, and leaves out documents of which no term is left.
func matrix(names []string, counts []map[string]int, few int) (*Corpus, error) {
	documents := map[string]int{}
	for _, c := range counts {
		for w := range c {
			documents[w]++
		}
	}
	c := &Corpus{}
	row := map[string]int32{}
	for _, w := range slices.Sorted(maps.Keys(documents)) {
		if d := documents[w]; d >= few && (10*d <= len(names) || len(names) < 100) {
			row[w] = int32(len(c.Terms))
			c.Terms = append(c.Terms, w)
		}
	}
	c.X = &sparse.Matrix{Rows: len(c.Terms), Start: []int{0}}
	var raw []float64
	for j, count := range counts {
		first, squares := len(c.X.Value), 0.0
		for _, w := range slices.Sorted(maps.Keys(count)) {
			i, known := row[w]
			v := math.Log1p(float64(count[w])) * math.Log(float64(len(names))/float64(documents[w]))
			if !known || v == 0 {
				continue
			}
			c.X.Row, c.X.Value = append(c.X.Row, i), append(c.X.Value, v)
			raw = append(raw, float64(count[w]))
			squares += v * v
		}
		if squares == 0 {
			continue
		}
		for k := first; k < len(c.X.Value); k++ {
			c.X.Value[k] /= math.Sqrt(squares)
		}
		c.Names = append(c.Names, names[j])
		c.X.Start = append(c.X.Start, len(c.X.Value))
	}
	c.X.Cols = len(c.Names)
	if c.X.Cols == 0 {
		return nil, fmt.Errorf("godoc: no word is in %d documents or more", few)
	}
	c.Counts = &sparse.Matrix{Rows: c.X.Rows, Cols: c.X.Cols, Row: c.X.Row, Value: raw, Start: c.X.Start}
	return c, errors.Join(c.X.Check(), c.Counts.Check())
}

// Top returns the n terms with the largest weights of a topic or a document, joined by spaces; those
// without weight are left out.
func (c *Corpus) Top(weights []float64, n int) string {
	var top []string
	for _, k := range Largest(weights, n) {
		if weights[k] > 0 {
			top = append(top, c.Terms[k])
		}
	}
	return strings.Join(top, " ")
}

// Largest returns the places of the n largest numbers, the largest first; equal ones in their order.
func Largest(x []float64, n int) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case x[a] > x[b]:
			return -1
		case x[a] < x[b]:
			return 1
		}
		return 0
	})
	return order[:min(n, len(x))]
}

// A Run is what Measure or Path saw.
type Run struct {
	Rounds             []int     // of Path
	Seconds, Objective []float64 // after each round, or pass
	Megabytes          float64   // of Measure: of heap at most, more than before
}

// Reached returns the seconds until the objective was no larger than a target, NaN if it never was.
func (r Run) Reached(target float64) float64 {
	for k, v := range r.Objective {
		if v <= target {
			return r.Seconds[k]
		}
	}
	return math.NaN()
}

// Measure fits, and notes the objective of every round by the clock and the heap at its largest. The
// clock starts with the call, and again where the fit calls start: once its data are ready. The fit
// gives watch to its model. The garbage collector runs early meanwhile, so that the heap is hardly more
// than what is in use: the fit takes a little longer than without.
func Measure(fit func(ctx context.Context, watch func(rnmf.Point), start func()) error) (Run, error) {
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	most, done, ended := before.HeapAlloc, make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for last := false; !last; { // the last time after the fit, which can end before the first tick
			select {
			case <-done:
				last = true
			case <-tick.C:
			}
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			most = max(most, s.HeapAlloc)
		}
	}()
	var r Run
	begin := time.Now()
	err := fit(context.Background(), func(p rnmf.Point) {
		r.Seconds, r.Objective = append(r.Seconds, time.Since(begin).Seconds()), append(r.Objective, p.Objective)
	}, func() { begin = time.Now() })
	close(done)
	<-ended
	r.Megabytes = float64(most-before.HeapAlloc) / 1e6
	return r, err
}

// Path notes the seconds of processors that whole fits take, with so many rounds each, and the objectives that they end with, until one is no
// larger than a target. Each fit is done three times, of which the least time counts.
func Path(target float64, rounds []int, fit func(rounds int) (objective float64)) (r Run) {
	for _, k := range rounds {
		least, objective := math.Inf(1), 0.0
		for range 3 {
			begin := cpu()
			objective = fit(k)
			least = min(least, cpu()-begin)
		}
		r.Rounds, r.Seconds, r.Objective = append(r.Rounds, k), append(r.Seconds, least), append(r.Objective, objective)
		if objective <= target {
			break
		}
	}
	return r
}

// TDT2 reads the collection of that name, sparse: news of 1998 (Cai, He, Han: Document clustering
// using locality preserving indexing, TKDE 2005), and the topic of each, 0 and up. The file is TDT2.mat in
// the folder named by RNMF_DATA; the error is fs.ErrNotExist where it is not at hand. Columns are scaled to
// length 1.
func TDT2() (*sparse.Matrix, []int, error) {
	f, err := os.Open(filepath.Join(os.Getenv("RNMF_DATA"), "TDT2.mat"))
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	vars, err := datasets.ReadMAT(context.Background(), f)
	if err != nil {
		return nil, nil, err
	}
	fea, err := vars.Var("fea")
	if err != nil {
		return nil, nil, err
	}
	gnd, err := vars.Var("gnd")
	if err != nil {
		return nil, nil, err
	}
	if fea.Sparse == nil {
		return nil, nil, fmt.Errorf("godoc: fea of %s is not sparse", f.Name())
	}
	x := fea.Sparse.Transposed()
	for j := range x.Cols {
		column := x.Value[x.Start[j]:x.Start[j+1]]
		if norm := floats.Norm(column, 2); norm > 0 {
			floats.Scale(1/norm, column)
		}
	}
	labels := make([]int, x.Cols)
	for j := range labels {
		labels[j] = int(gnd.Data[j]) - 1
	}
	return x, labels, nil
}

// Begin returns the driver of a fit of x and, for each panel, the coefficients of which it has to know, by their
// generation: those of the start.
func Begin(b panel.Batch, x panel.Source) (*panel.Driver, []map[int]*panel.Coefficients, error) {
	all := new(panel.DataSummary)
	for p := range x.Panels() {
		from, _ := x.Columns(p)
		data, err := x.Load(p)
		if err != nil {
			return nil, nil, err
		}
		s, err := panel.NewDataSummary(data, from)
		if err != nil {
			return nil, nil, err
		}
		if err := all.Merge(s); err != nil {
			return nil, nil, err
		}
	}
	m, _ := x.Dims()
	d, err := panel.NewDriver(b, all, m)
	if err != nil {
		return nil, nil, err
	}
	h := make([]map[int]*panel.Coefficients, x.Panels())
	for p := range h {
		h[p] = map[int]*panel.Coefficients{0: d.Start(x.Columns(p))}
	}
	return d, h, nil
}
