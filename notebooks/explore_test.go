package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
)

// ownFiles writes the same small set in many formats into a folder, and returns the paths with what is
// to be said about each.
func ownFiles(t *testing.T, folder string) map[string]exploration {
	t.Helper()
	s, err := datasets.Digits().Sample(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	for j := range s.Labels {
		s.Samples = append(s.Samples, fmt.Sprintf("figure %02d", j))
	}
	table := *s
	table.Height, table.Width = 0, 0
	write := func(name string, to func(io.Writer) error) string {
		path := filepath.Join(folder, name)
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(to(f), f.Close()); err != nil {
			t.Fatal(name, err)
		}
		return path
	}
	transposed := func(w io.Writer) error { // genes in rows
		z := gzip.NewWriter(w)
		var b bytes.Buffer
		if err := datasets.WriteNamedCSV(&b, s.X, featureNames(s), append([]string{"gene"}, s.Samples...)...); err != nil {
			return err
		}
		io.WriteString(z, strings.ReplaceAll(b.String(), ",", "\t"))
		return z.Close()
	}
	m, n := s.X.Dims()
	idx := func(w io.Writer) error {
		var b []byte
		b = append(b, 0, 0, 8, 3)
		for _, d := range []int{n, 8, 8} {
			b = binary.BigEndian.AppendUint32(b, uint32(d))
		}
		for j := range n {
			for i := range m {
				b = append(b, byte(s.X.At(i, j)))
			}
		}
		_, err := w.Write(b)
		return err
	}
	labels := func(w io.Writer) error {
		b := binary.BigEndian.AppendUint32([]byte{0, 0, 8, 1}, uint32(n))
		for _, l := range s.Labels {
			b = append(b, byte(l))
		}
		_, err := w.Write(b)
		return err
	}
	cells, err := os.ReadFile("../datasets/testdata/hdf5/csr.h5ad")
	if err != nil {
		t.Fatal(err)
	}
	write("digits-labels-idx1-ubyte", labels)
	if err := errors.Join(s.SaveImages(filepath.Join(folder, "pictures")), table.SaveMTX(filepath.Join(folder, "counts"))); err != nil {
		t.Fatal(err)
	}
	vars := []datasets.MATVar{{Name: "X", M: s.X.T()}}
	return map[string]exploration{
		"csv":    {path: write("clinic.csv", table.WriteCSV), options: datasets.OpenOptions{Label: "class"}},
		"tsv.gz": {path: write("genes.tsv.gz", transposed)},
		"npz":    {path: write("arrays.npz", func(w io.Writer) error { return datasets.WriteNPZ(w, vars...) })},
		"npy":    {path: write("array.npy", func(w io.Writer) error { return datasets.WriteNPY(w, s.X) }), options: datasets.OpenOptions{Transposed: true}},
		"mat":    {path: write("matlab.mat", func(w io.Writer) error { return datasets.WriteMAT(w, vars...) })},
		"mtx":    {path: filepath.Join(folder, "counts")},
		"h5ad":   {path: write("cells.h5ad", func(w io.Writer) error { _, err := w.Write(cells); return err }), rank: 1},
		"IDX":    {path: write("digits-images-idx3-ubyte", idx)},
		"images": {path: filepath.Join(folder, "pictures")},
	}
}

func featureNames(s *datasets.Set) (names []string) {
	m, _ := s.X.Dims()
	for i := range m {
		names = append(names, fmt.Sprintf("g%d", i))
	}
	return names
}

// contents reads all files below a folder.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var b []byte
			b, err = os.ReadFile(path)
			all[path] = string(b)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A file of any format becomes a folder beside where the command is run, with a report and a notebook;
// the data stay as they are, and so does a folder of the same name.
func TestExplore(t *testing.T) {
	data := t.TempDir()
	files := ownFiles(t, data)
	before := contents(t, data)
	here := t.TempDir()
	t.Chdir(here)
	for format, e := range files {
		if testing.Short() && format != "csv" && format != "mtx" && format != "images" {
			continue
		}
		if e.rank == 0 {
			e.rank = 3
		}
		var out bytes.Buffer
		s := &setup{out: &out}
		folder, err := s.explore(t.Context(), e)
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		for _, name := range []string{"report.html", "parts.csv", "coefficients.csv", "samples.csv", "entries.csv", "factors.npz", "factors.mat", "model.rnmf"} {
			if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
				t.Errorf("%s: %s: %v", format, name, err)
			}
		}
		if want := fmt.Sprintf("Read %s first", filepath.Join(folder, "report.html")); !strings.Contains(out.String(), want) || !strings.Contains(out.String(), "loss: ") || !strings.Contains(out.String(), "The parts, the most stable first:") {
			t.Errorf("%s: the output is\n%s", format, out.String())
		}
		found, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%s: notebooks %q, %v", format, found, err)
		}
		text, err := os.ReadFile(found[0])
		if err != nil {
			t.Fatal(err)
		}
		nb, err := parseNotebook(text)
		if err != nil || len(nb.cells()) < 12 {
			t.Errorf("%s: %d cells, %v", format, len(nb.cells()), err)
		}
		for i, c := range nb.cells() {
			if lines := strings.Count(c.source(), "\n"); lines > 28 {
				t.Errorf("%s: cell %d has %d lines", format, i, lines)
			}
		}
		for path, text := range contents(t, data) {
			if before[path] != text {
				t.Errorf("%s: %s has changed", format, path)
			}
		}
	}
	// The present folder has the name that its path ends with.
	t.Chdir(filepath.Join(data, "pictures"))
	folder, err := (&setup{out: io.Discard}).explore(t.Context(), exploration{path: ".", rank: 2})
	if err != nil || folder != "pictures-explored" {
		t.Errorf("%q, %v", folder, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "pictures.ipynb")); err != nil {
		t.Error(err)
	}
	t.Chdir(here)
	// Once more: the first folder stays as it was.
	first := contents(t, "clinic-explored")
	e := files["csv"]
	e.rank = 2
	folder, err = (&setup{out: io.Discard}).explore(t.Context(), e)
	if err != nil || folder != "clinic-explored-2" {
		t.Errorf("%q, %v", folder, err)
	}
	for path, text := range contents(t, "clinic-explored") {
		if first[path] != text {
			t.Errorf("%s has changed", path)
		}
	}
}

// What goes wrong is told in terms of the flags.
func TestExploreErrors(t *testing.T) {
	folder := t.TempDir()
	h5ad, err := filepath.Abs("../datasets/testdata/hdf5/csr.h5ad")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder)
	if err := os.WriteFile("t.csv", []byte("a,b,c,d\n1,2,3,x\n4,x1,6,y\n7,8,9,x\n1,5,3,y\n1,5,7,x\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cells, err := os.ReadFile(h5ad)
	if err != nil {
		t.Fatal(err)
	}
	var npz bytes.Buffer
	if err := errors.Join(datasets.Digits().WriteNPZ(&npz), os.WriteFile("t.npz", npz.Bytes(), 0o600), os.WriteFile("cells.h5ad", cells, 0o600), os.WriteFile("days.csv", []byte("gene,2020-01-01,2020-01-02\nA,1,2\nB,3,4\n"), 0o600), os.WriteFile("t.parquet", []byte("PAR1 and more"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-explore", "none.csv"}, "-explore: there is no such file"},
		{[]string{"-explore", "t.csv", "-label", "kind"}, "-label"},
		{[]string{"-explore", "t.csv"}, "-missing"},
		{[]string{"-explore", "t.csv", "-missing", "<z"}, "-missing"},
		{[]string{"-explore", "t.csv"}, `say so by -missing "x1"; -skip leaves the column out`},
		{[]string{"-explore", "days.csv"}, `the name of a column; if the first line names the columns, say so by -id gene`},
		{[]string{"-explore", "t.csv", "-missing", "?, <0,60"}, `write "<0,60;" for one, and "<0;60" for two`},
		{[]string{"-explore", "t.csv", "-missing", "<0,60;x1"}, `"<0,60" in Missing is neither a range`},
		{[]string{"-explore", "t.csv", "-missing", "x1", "-rank", "9"}, "-rank"},
		{[]string{"-explore", "t.csv", "-rank", "-1"}, "-rank -1"},
		{[]string{"-explore", "t.csv", "more"}, "takes one file"},
		{[]string{"-label", "kind"}, "-label is for -explore"},
		{[]string{"-explore", ""}, `-explore "": want the path`},
		{[]string{"-explore", "", "-label", "kind"}, `-explore "": want the path`},
		{[]string{"-explore", "t.csv", "-check"}, "-check does not go with -explore"},
		{[]string{"-explore", "t.csv", "-size", "32"}, "-size 32"},
		{[]string{"-explore", "t.csv", "-size", "5x5", "-missing", "x1"}, "-size"},
		{[]string{"-explore", "t.parquet"}, "save the table as CSV"},
		{[]string{"-explore", "t.csv", "-id", "nobody"}, "-id"},
		{[]string{"-explore", "t.csv", "-skip", "nothing"}, "-skip"},
		{[]string{"-explore", "t.npz", "-data", "none"}, "-data"},
		{[]string{"-explore", "cells.h5ad", "-label", "none"}, "-label"},
		{[]string{"-explore", "."}, "give the path of one file"},
		{[]string{"-explore", "t.csv", "-missing", "x1", "-sideways"}, "-sideways"},
	} {
		var e exploration
		flags := flag.NewFlagSet("notebooks", flag.ContinueOnError)
		flags.SetOutput(io.Discard)
		flags.Bool("check", false, "another command")
		e.flags(flags)
		err := flags.Parse(c.args)
		if err == nil {
			err = e.check(flags)
		}
		if err == nil && flags.NArg() == 0 {
			_, err = (&setup{out: io.Discard}).explore(t.Context(), e)
		} else if err == nil {
			err = run(t.Context(), c.args)
		}
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	if found, _ := filepath.Glob("*explored*"); found != nil {
		t.Errorf("%q were written", found)
	}
}

// Flags that would be ignored, and folders that are empty, as an unset variable is, are errors.
func TestModes(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-site", ""}, `-site "": want the path of a folder`},
		{[]string{"-html", "", "01"}, `-html "": want the path of a folder`},
		{[]string{"-run", "-html", ""}, `-html "": want`},
		{[]string{"-no-browser", "-test"}, "-test comes first"},
		{[]string{"-run", "-check"}, "-check does not go with -run"},
		{[]string{"-install", "-run", "01"}, "-install does not go with -run"},
		{[]string{"-site", "d", "-html", "e"}, "-html does not go with -site"},
		{[]string{"-run", "-check", "-html", "e"}, "-check does not go with -run"},
		{[]string{"-run", "-port", "80"}, "-port does not go with -run"},
		{[]string{"-html", "d", "-no-browser"}, "-no-browser does not go with -html"},
		{[]string{"-install", "nosuch", "-run"}, `["nosuch" "-run"] is too much`},
		{[]string{"-site", "d", "01"}, `["01"] is too much`},
	} {
		if err := run(t.Context(), c.args); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.args, err)
		}
	}
	flags := flag.NewFlagSet("notebooks", flag.ContinueOnError)
	for _, name := range []string{"run", "check", "install", "no-browser", "test"} {
		flags.Bool(name, false, "")
	}
	flags.String("html", "", "")
	if err := flags.Parse([]string{"-check", "-html", "d", "-install=false", "01"}); err != nil || checkModes(flags) != nil {
		t.Error(err, checkModes(flags))
	}
}

// The notebook of a file runs without an error, in folders that are named as people name them.
func TestExploreExecuted(t *testing.T) {
	if testing.Short() {
		t.Skip("no kernel is started with -short")
	}
	s := ready(t)
	data, here := filepath.Join(t.TempDir(), "Daten & mehr"), filepath.Join(t.TempDir(), "Übung 1, it's mine")
	if err := errors.Join(os.Mkdir(data, 0o700), os.Mkdir(here, 0o700)); err != nil {
		t.Fatal(err)
	}
	e := ownFiles(t, data)["csv"]
	e.rank = 3
	t.Chdir(here)
	folder, err := s.explore(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	bad, err := s.execute(t.Context(), filepath.Join(folder, "clinic.ipynb"), false, true)
	if err != nil || bad != nil {
		t.Fatalf("%v\n%s", err, strings.Join(bad, "\n"))
	}
	text, err := os.ReadFile(filepath.Join(folder, "clinic.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if pictures := strings.Count(string(text), `"image/png"`); pictures < 4 {
		t.Errorf("%d pictures", pictures)
	}
}

// Values that mean missing stand between commas, or between semicolons where commas belong to them; the flag may be
// repeated, as may -skip.
func TestExploreMissing(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-skip", "a, b", "-missing", "x", "-skip", "c"}, `["x" "a" "b" "c"]`},
		{[]string{"-missing", "?, -1,>=9999"}, `["?" "-1" ">=9999"]`},
		{[]string{"-missing", "<0,60;NA; >=1,5"}, `["<0,60" "NA" ">=1,5"]`},
		{[]string{"-missing", "<0,60;"}, `["<0,60"]`},
		{[]string{"-missing", "<0,60;", "-missing", "-9,99"}, `["<0,60" "-9" "99"]`},
		{[]string{"-missing", "<0, 60"}, `["<0" "60"]`},
		{[]string{"-missing", ""}, `[]`},
	} {
		var e exploration
		flags := flag.NewFlagSet("notebooks", flag.ContinueOnError)
		e.flags(flags)
		err := flags.Parse(append([]string{"-explore", "t.csv"}, c.args...))
		if err = errors.Join(err, e.check(flags)); err != nil || fmt.Sprintf("%q", append(e.options.Missing, e.options.Skip...)) != c.want {
			t.Errorf("%q: %q and %q, %v", c.args, e.options.Missing, e.options.Skip, err)
		}
	}
}

// Notes name flags and no fields.
func TestExploreNotes(t *testing.T) {
	for text, want := range map[string]string{
		`"kind" is the class (OpenOptions{Label: "-"} says that it is none)`:                       `"kind" is the class (-label - says that it is none)`,
		`(OpenOptions{ID: "Land"} says that it names them)`:                                        `(-id Land says that it names them)`,
		`if they are classes, say OpenOptions{Label: "17"}`:                                        `if they are classes, say -label 17`,
		`is missing, say so by OpenOptions{Missing: []string{"-1"}}`:                               `is missing, say so by -missing "-1"`,
		`is missing, say so by OpenOptions{Missing: []string{"<0,6"}}`:                             `is missing, say so by -missing "<0,6;"`,
		`OpenOptions.ID does nothing for pictures`:                                                 `-id does nothing for pictures`,
		`13 features (OpenOptions.Transposed takes the columns)`:                                   `13 features (-transpose takes the columns)`,
		`column by column (OpenOptions.Sideways turns images that lie on their side)`:              `column by column (-sideways turns images that lie on their side)`,
		`the images of 112×92 became 64×53 (OpenOptions.Height and Width)`:                         `the images of 112×92 became 64×53 (-size)`,
		`a.png (3×4): take them out, or let ImageLayout.Class of OpenImages do it`:                 `a.png (3×4): take them out`,
		`left out: column 9 (OpenCSV with CSVLayout.Encode makes features of text), as Study.Rank`: `left out: column 9, as -rank`,
	} {
		if got := inNotes(text); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
