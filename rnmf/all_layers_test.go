package rnmf

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers are the files of the package from the bottom up: a file may use those of its own layer
// and of the layers before it.
var layers = [][]string{
	{"errors", "trace", "loss", "loss_residuals", "loss_scale", "loss_weigh", "loss_twostage", "loss_manhattan", "loss_logshrink"},
	{"init", "penalty", "solver", "model"},
	{"quadratic", "quadratic_tile", "quadratic_workspace", "survey"},
	{"graph", "penalty_logsparse", "penalty_labels", "penalty_labels_graph", "penalty_laplacian", "penalty_unitlaplacian", "penalty_units"},
	{"solver_whole", "solver_mu", "solver_hals", "solver_hals_groups", "solver_hals_graph", "solver_ogm", "solver_ogm_graph", "solver_fgd",
		"solver_leastsquares", "solver_orthogonal", "solver_proxlinear", "solver_rra", "solver_rra_spectrum"},
	{"validate"},
	{"fit", "fit_scale", "fit_stop", "fit_kkt", "fit_objective", "fit_start", "fit_momentum", "fit_watch"},
	{"result", "result_error", "result_outliers", "result_predict", "result_save"},
	{"model_fit"},
	{"init_clusters", "init_labels", "init_nndsvd"},
	{"model_papers", "model_cnmf", "model_contiguous", "model_contiguous_passes", "model_convex", "model_ssnmf"},
}

// Few files use one of a layer above theirs.
func TestLayers(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// What other packages declare is not wanted, and so neither imported nor missed.
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: noImports{}, Error: func(error) {}}
	pkg, _ := config.Check("rnmf", fset, files, info)

	layer := map[string]int{"doc.go": 0}
	for i, names := range layers {
		for _, name := range names {
			layer[name+".go"] = i
		}
	}
	type use struct{ from, of string }
	uses, up := map[use]bool{}, map[use][]string{}
	for id, object := range info.Uses {
		v, variable := object.(*types.Var)
		f, function := object.(*types.Func)
		method := function && f.Type().(*types.Signature).Recv() != nil
		if object.Pkg() != pkg || variable && v.IsField() || object.Parent() != pkg.Scope() && !method {
			continue
		}
		u := use{fset.Position(id.Pos()).Filename, fset.Position(object.Pos()).Filename}
		for _, name := range []string{u.from, u.of} {
			if _, known := layer[name]; !known {
				t.Fatalf("%s has no layer", name)
			}
		}
		if u.from == u.of {
			continue
		}
		if uses[u] = true; layer[u.of] > layer[u.from] && !slices.Contains(up[u], object.Name()) {
			up[u] = append(up[u], object.Name())
		}
	}
	t.Logf("%d uses, %d of them against the layers", len(uses), len(up))
	if len(uses) < 250 || len(up) > 50 {
		t.Errorf("%d uses, and %d against the layers: at most 50 were wanted", len(uses), len(up))
		for u, names := range up {
			t.Logf("%s uses %s: %s", u.from, u.of, strings.Join(names, ", "))
		}
	}
}

// noImports knows no package.
type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not wanted") }
