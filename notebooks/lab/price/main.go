// Command price measures what robustness costs: seconds of whole fits with default settings, next
// to plain NMF of scikit-learn with its defaults until it has converged, and to RcppML, each on
// the same matrix in the same run.
//
//	go run ./notebooks/lab/price > testdata/peers/price.md
//	go run ./notebooks/lab/price -sizes > testdata/peers/sizes.md
//
// The first takes about a quarter of an hour on two idle cores, the second ten minutes: seconds and
// memory by the size of made-up data, which notebook 09 shows. They need Debian's python3-sklearn, and
// the first RNMF_DATA; it takes r-cran-rcppml, too, if it is there.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	_ "embed"

	"gonum.org/v1/gonum/mat"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/choose"
)

//go:embed peer.py
var sklearn string

//go:embed peer.R
var rcppml string

// A fit is what one program says of one fit.
type fit struct {
	Seconds float64 `json:"seconds"`
	Rounds  int     `json:"rounds"`
	Error   float64 `json:"error"` // ‖X − WH‖ / ‖X‖
	MB      float64 `json:"mb"`    // at most, more than before the fit
	Facts   string  `json:"facts"`
	Problem string  `json:"problem"`
}

// A peer is a process that answers a request in a line by a fit in a line.
type peer struct {
	in  io.WriteCloser
	out *bufio.Reader
}

type request struct {
	Path    string  `json:"path"`    // m×n numbers of 64 bits, column by column: a column is a sample
	M       int     `json:"m"`       // features
	N       int     `json:"n"`       // samples
	Rank    int     `json:"rank"`    // parts
	Seed    int     `json:"seed"`    // of the start
	MaxIter int     `json:"maxiter"` // rounds
	Tol     float64 `json:"tol"`     // of the peer's own rule; 0: as many rounds as MaxIter
}

func start(name string, args ...string) (*peer, error) {
	cmd := exec.Command(name, args...)
	// A wrong core type would make OpenBLAS slower than it is.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "OPENBLAS_") })
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &peer{in: in, out: bufio.NewReader(out)}, cmd.Start()
}

func (p *peer) ask(q request) fit {
	line, err := json.Marshal(q)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		log.Fatal(err)
	}
	answer, err := p.out.ReadBytes('\n')
	if err != nil {
		log.Fatal(err)
	}
	var f fit
	if err := json.Unmarshal(answer, &f); err != nil {
		log.Fatalf("%v in %q", err, answer)
	}
	if f.Problem != "" {
		log.Fatal(f.Problem)
	}
	time.Sleep(100 * time.Millisecond) // threads of OpenBLAS that spin fall asleep
	return f
}

// models are the fits of ours, with defaults: nothing is given but rank and seed.
var models = []struct {
	name string
	fit  func(ctx context.Context, x mat.Matrix, rank int, seed uint64) (*rnmf.Result, error)
}{
	{"NMF", single(rnmf.NMF)},
	{"HuberNMF", single(rnmf.HuberNMF)},
	{"CellCaseNMF", single(rnmf.CellCaseNMF)},
	{"RobustNMF", single(rnmf.RobustNMF)},
	{"choose.Auto", func(ctx context.Context, x mat.Matrix, rank int, seed uint64) (*rnmf.Result, error) {
		race := choose.Auto(rank)
		race.Model.Seed = seed
		r, err := race.Fit(ctx, x)
		if err != nil {
			return nil, err
		}
		return r.Result, nil
	}},
}

func single(model func(rank int) rnmf.Model) func(ctx context.Context, x mat.Matrix, rank int, seed uint64) (*rnmf.Result, error) {
	return func(ctx context.Context, x mat.Matrix, rank int, seed uint64) (*rnmf.Result, error) {
		m := model(rank)
		m.Seed = seed
		return m.Fit(ctx, x)
	}
}

// sets are those that no rule and no constant of a model was chosen on, and two of the papers'.
var sets = []struct {
	source *datasets.PublicSet
	most   int // samples, the first of the set
	rank   int
}{
	{datasets.JAFFE, 0, 10},
	{datasets.Palm, 0, 20},
	{datasets.MNISTTest, 2000, 10},
	{datasets.ORL, 0, 40},
	{datasets.COIL20, 0, 20},
}

func main() {
	log.SetFlags(0)
	runs := flag.Int("runs", 5, "pairs of fits, each with a seed of its own")
	only := flag.String("only", "", "a regular expression: the sets to measure")
	sizes := flag.Bool("sizes", false, "measure seconds and memory by size instead")
	one := flag.String("one", "", "a model, size and rank to measure in this process (used by -sizes)")
	flag.Parse()
	want, err := regexp.Compile(*only)
	switch {
	case err != nil:
		log.Fatal(err)
	case *one != "":
		oneSize(*one)
	case *sizes:
		bySize(want)
	default:
		prices(*runs, want)
	}
}

func prices(runs int, want *regexp.Regexp) {
	dir, err := os.MkdirTemp("", "price-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	python, err := start("/usr/bin/python3", "-c", sklearn)
	if err != nil {
		log.Fatal(err)
	}
	r := rPeer(dir)

	fmt.Printf("# The price of robustness\n\nMeasured on %s by `go run ./notebooks/lab/price` on %d cores (%s). Peers: %s", time.Now().Format("2 January 2006"), runtime.NumCPU(), processor(), python.ask(request{}).Facts)
	if r != nil {
		fmt.Printf("; %s", r.ask(request{}).Facts)
	}
	fmt.Printf(".\n\nAll fits have default settings and end by their own rule; only the limit of rounds of scikit-learn is raised. Ratios are medians of %d pairs, each pair with a start of its own, in turn; below a ratio of 1 ours is faster. Errors are ‖X − WH‖ / ‖X‖ on the data as they are, the median of the pairs: the robust fits do not minimise it.\n\n", runs)
	fmt.Println("| set | model | seconds | error | scikit-learn's NMF | error | ratio (least to most) |\n|---|---|---|---|---|---|---|")
	ratios := map[string][]float64{}
	var fromR []string
	for _, c := range sets {
		if !want.MatchString(c.source.Name) {
			continue
		}
		s, err := c.source.Load(context.Background())
		if err != nil {
			log.Printf("%s is left out: %v", c.source.Name, err)
			continue
		}
		s = s.Scaled()
		x := mat.DenseCopyOf(s.X)
		if c.most > 0 {
			m, _ := x.Dims()
			x = mat.DenseCopyOf(x.Slice(0, m, 0, c.most))
		}
		m, n := x.Dims()
		q := request{Path: filepath.Join(dir, "x"), M: m, N: n, Rank: c.rank, MaxIter: 100000, Tol: 1e-4}
		write(q.Path, x)
		ours := make([][]fit, len(models))
		var theirs []fit
		for seed := range runs + 1 {
			q.Seed = seed
			peer := python.ask(q)
			for i, model := range models {
				f := measure(func() (*rnmf.Result, error) { return model.fit(context.Background(), x, c.rank, uint64(seed)) }, x)
				if seed > 0 { // the first fits warm both sides up
					ours[i] = append(ours[i], f)
				}
			}
			if seed > 0 {
				theirs = append(theirs, peer)
			}
		}
		for i, model := range models {
			var q []float64
			for k, f := range ours[i] {
				q = append(q, f.Seconds/theirs[k].Seconds)
			}
			slices.Sort(q)
			ratios[model.name] = append(ratios[model.name], q[len(q)/2])
			fmt.Printf("| %s, %d×%d, r = %d | %s | %.3f | %.4f | %.3f | %.4f | %.2f (%.2f to %.2f) |\n", s.Name, m, n, c.rank, model.name,
				middle(ours[i], seconds), middle(ours[i], relative), middle(theirs, seconds), middle(theirs, relative), q[len(q)/2], q[0], q[len(q)-1])
		}
		if r != nil {
			fromR = append(fromR, against(r, q, s.Name, x, runs)...)
		}
	}
	fmt.Println("\nGeometric means of the ratios over these sets:")
	fmt.Println()
	for _, model := range models {
		var sum float64
		for _, v := range ratios[model.name] {
			sum += math.Log(v)
		}
		fmt.Printf("- %s: %.2f\n", model.name, math.Exp(sum/float64(len(ratios[model.name]))))
	}
	if fromR != nil {
		fmt.Println("\n## RcppML\n\nPlain NMF on both sides. RcppML stops after the given rounds; ours is timed until it has the same error, in pairs as above.\n\n| set | RcppML's rounds | its error | its seconds | ours | ratio (least to most) |\n|---|---|---|---|---|---|")
		for _, row := range fromR {
			fmt.Println(row)
		}
	}
}

// against times RcppML for some numbers of rounds, and plain NMF of ours until it has its error.
func against(r *peer, q request, name string, x *mat.Dense, runs int) (rows []string) {
	for _, rounds := range []int{20, 100, 500} {
		q.MaxIter, q.Tol = rounds, 0
		var theirs, ours []fit
		var ratios []float64
		for seed := range runs {
			q.Seed = seed + 1
			f := r.ask(q)
			theirs = append(theirs, f)
			o := until(x, q.Rank, uint64(seed+1), f.Error)
			ours = append(ours, o)
			ratios = append(ratios, o.Seconds/f.Seconds)
		}
		slices.Sort(ratios)
		mark := ""
		if k := slices.IndexFunc(ours, func(f fit) bool { return f.Problem != "" }); k >= 0 {
			mark = "not reached: "
		}
		rows = append(rows, fmt.Sprintf("| %s, r = %d | %d | %.4f | %.3f | %s%.3f | %.3f (%.3f to %.3f) |", name, q.Rank, rounds,
			middle(theirs, relative), middle(theirs, seconds), mark, middle(ours, seconds), ratios[len(ratios)/2], ratios[0], ratios[len(ratios)-1]))
	}
	return rows
}

// until times plain NMF until its relative error is at most the given one.
func until(x *mat.Dense, rank int, seed uint64, target float64) fit {
	m := rnmf.NMF(rank)
	m.Seed, m.Tol, m.MaxIter = seed, 1e-12, 5000
	goal := math.Pow(target*mat.Norm(x, 2), 2)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var f fit
	reached := false
	m.Watch = func(p rnmf.Point) {
		if p.Objective <= goal && !reached {
			reached = true
			stop()
		}
	}
	begin := time.Now()
	r, err := m.Fit(ctx, x)
	f.Seconds = time.Since(begin).Seconds()
	if r == nil {
		log.Fatal(err)
	}
	if !reached {
		f.Problem = "not reached"
	}
	f.Rounds = r.Rounds()
	return f
}

func measure(run func() (*rnmf.Result, error), x *mat.Dense) fit {
	runtime.GC()
	begin := time.Now()
	r, err := run()
	f := fit{Seconds: time.Since(begin).Seconds()}
	if err != nil {
		log.Fatal(err)
	}
	f.Rounds = r.Rounds()
	if f.Error, err = r.RelativeError(x); err != nil {
		log.Fatal(err)
	}
	return f
}

func seconds(f fit) float64  { return f.Seconds }
func relative(f fit) float64 { return f.Error }

func middle(of []fit, value func(fit) float64) float64 {
	v := make([]float64, len(of))
	for i, f := range of {
		v[i] = value(f)
	}
	slices.Sort(v)
	return v[len(v)/2]
}

// rPeer starts R, or returns nil where it or RcppML is not there.
func rPeer(dir string) *peer {
	if err := exec.Command("Rscript", "-e", "library(RcppML); library(jsonlite)").Run(); err != nil {
		log.Print("RcppML is left out: ", err)
		return nil
	}
	script := filepath.Join(dir, "peer.R")
	if err := os.WriteFile(script, []byte(rcppml), 0o644); err != nil {
		log.Fatal(err)
	}
	p, err := start("Rscript", "--vanilla", script)
	if err != nil {
		log.Fatal(err)
	}
	return p
}

func write(path string, x *mat.Dense) {
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, mat.DenseCopyOf(x.T()).RawMatrix().Data); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	if m := regexp.MustCompile(`model name\s*: (.*)`).FindSubmatch(text); m != nil {
		return string(m[1])
	}
	return runtime.GOARCH
}
