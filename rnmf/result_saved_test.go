package rnmf

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// savedData and savedModels are what the files in testdata/saved were fitted on.
func savedData() *mat.Dense {
	x, _ := planted(6, 8, 2, 0.05, 0.1, 7)
	return x
}

func savedModels(t *testing.T) map[string]Model {
	g := neighbors(savedData(), 2, nil)
	labels := Labels{Class: []int{0, 1, -1, -1, 0, 1, -1, -1}, Names: []string{"a", "b"}, Weight: 2}
	return map[string]Model{
		"truncated": {Rank: 2, Loss: Truncated{Loss: Cauchy{}, Rule: NormalThreeSigma}, Solver: OGM{Steps: 7}, OnH: []Penalty{labels, Sparse{0.01}}, MaxIter: 5},
		// Saved with the solver FreeW{Additive{}}, which is now two solvers.
		"semi":  {Rank: 2, Loss: Frobenius{}, SolverW: LeastSquares{}, Solver: Additive{}, MaxIter: 5},
		"graph": {Rank: 2, Loss: ByColumn{L1{Eps: 1e-3}}, Solver: HALS{Sweeps: 2}, OnH: []Penalty{Laplacian{g, 0.5}, Ridge{0.1}}, MaxIter: 5},
	}
}

// Files that earlier versions of this package wrote are read, with all that was
// in them. A change of the format adds files here and takes none away.
func TestEarlierFiles(t *testing.T) {
	names, err := filepath.Glob("testdata/saved/*.rnmf")
	if err != nil || len(names) != 2*saveVersion+1 {
		t.Fatalf("%v, %v", names, err)
	}
	for _, name := range names {
		model, _, _ := strings.Cut(filepath.Base(name), "-")
		m := savedModels(t)[model]
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Load(bytes.NewReader(data))
		if err != nil {
			t.Fatal(name, err)
		}
		x := savedData()
		if model == "semi" {
			x.Set(0, 0, -1)
			x.Set(3, 2, -2)
		}
		if got := naiveObjective(Model{OnH: r.OnH}, r.Loss, x, r.W, r.H); !near(got, r.Objective, 1e-9) {
			t.Errorf("%s: objective %g, the factors have %g", name, r.Objective, got)
		}
		want := map[string][2]float64{"truncated": {7.580583647032338, 8.792855143105506}, "graph": {13.681163666361146, 5.735669307444736}, "semi": {7.046750289030468, 10.58487435848749}}[model]
		if mat.Sum(r.W) != want[0] || mat.Sum(r.H) != want[1] {
			t.Errorf("%s: sums %v and %v, want %v", name, mat.Sum(r.W), mat.Sum(r.H), want)
		}
		if r.Reason != MaxIter || len(r.Trace) != 6 || r.Trace[5].Objective != r.Objective && !near(r.Trace[5].Objective, r.Objective, 1e-9) || r.KKT <= 0 {
			t.Errorf("%s: %v, %+v, KKT %g", name, r.Reason, r.Trace, r.KKT)
		}
		if fmt.Sprintf("%T%+v", r.Solver, r.Solver) != fmt.Sprintf("%T%+v", m.Solver, m.Solver) || fmt.Sprintf("%T", r.Loss) != fmt.Sprintf("%T", m.Loss) || len(r.OnH) != len(m.OnH) {
			t.Errorf("%s: %T %+v, %T, %v", name, r.Solver, r.Solver, r.Loss, r.OnH)
		}
		if model == "semi" {
			continue
		}
		if l, ok := r.OnH[0].(Labels); ok && (l.Weight != 2 || l.Names[1] != "b" || l.Class[5] != 1) {
			t.Errorf("%s: %+v", name, l)
		}
		if l, ok := r.OnH[0].(Laplacian); ok && !mat.Equal(l.Graph, m.OnH[0].(Laplacian).Graph) {
			t.Errorf("%s: another graph", name)
		}
		if _, err := r.Transform(t.Context(), x, nil); err != nil {
			t.Error(name, err)
		}
	}
}

// Whatever can be in a Result can be saved: the exported types of this package
// that are losses, solvers or penalties are known to gob.
func TestAllCanBeSaved(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	known, types := map[string]bool{}, map[string]bool{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if f.Recv != nil && slices.Contains([]string{"Rho", "Improve", "Majorize"}, f.Name.Name) {
				receiver := f.Recv.List[0].Type
				if star, ok := receiver.(*ast.StarExpr); ok {
					receiver = star.X
				}
				if id, ok := receiver.(*ast.Ident); ok && id.IsExported() {
					types[id.Name] = true
				}
			}
			if f.Recv == nil && f.Name.Name == "init" {
				ast.Inspect(f, func(n ast.Node) bool {
					if c, ok := n.(*ast.CompositeLit); ok {
						if id, ok := c.Type.(*ast.Ident); ok {
							known[id.Name] = true
						}
					}
					return true
				})
			}
		}
	}
	if len(types) < 18 {
		t.Errorf("found only %v", types)
	}
	for name := range types {
		if !known[name] {
			t.Errorf("%s is not known to gob: see init in save.go", name)
		}
	}
	x := uniform(4, 5, 1)
	for _, solver := range allSolvers {
		r := mustFit(t, Model{Rank: 2, Solver: solver, MaxIter: 2, OnH: []Penalty{Ridge{0.1}, Sparse{0.1}}}, x)
		var b bytes.Buffer
		if err := r.Save(&b); err != nil {
			t.Errorf("%T: %v", solver, err)
		} else if back, err := Load(&b); err != nil || back.Solver != solver {
			t.Errorf("%T: %v", solver, err)
		}
	}
}
