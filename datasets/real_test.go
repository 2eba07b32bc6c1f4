package datasets

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// realFile opens a file of the folder RNMF_DATA, or of the folder where the
// makers of this project have it. These files may not be redistributed; the
// test is skipped where they are not.
func realFile(t *testing.T, name string) *os.File {
	t.Helper()
	dir := os.Getenv("RNMF_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Skipf("set RNMF_DATA to a folder with %s to run this test: %v", name, err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func realMAT(t *testing.T, name string) *MATFile {
	t.Helper()
	f, err := ReadMAT(t.Context(), realFile(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// facts are what is known of a file; see below for where from.
type facts struct {
	rows, cols, height, width int
	lo, hi, sum, at           float64 // at: element (333, 100), or (5, 100) of sets with few rows
	counts                    []int   // samples of each class
}

func (want facts) check(t *testing.T, s *Set) {
	t.Helper()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	m, n := s.X.Dims()
	i := 333
	if m <= i {
		i = 5
	}
	got := facts{m, n, s.Height, s.Width, mat.Min(s.X), mat.Max(s.X), mat.Sum(s.X), s.X.At(i, 100), make([]int, len(s.Classes))}
	for _, l := range s.Labels {
		got.counts[l]++
	}
	if math.Abs(got.sum-want.sum) > 1e-9*want.sum {
		t.Errorf("sum %.17g, want %.17g", got.sum, want.sum)
	}
	got.sum = want.sum
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func each(classes, count int) []int { return slices.Repeat([]int{count}, classes) }

// The facts were computed with NumPy and SciPy 1.10.1.
func TestRealMAT(t *testing.T) {
	im := MATLayout{Height: 32, Width: 32}
	for _, c := range []struct {
		file   string
		layout MATLayout
		facts
	}{
		{"ORL_32x32.mat", im, facts{1024, 400, 32, 32, 2, 235, 54429100, 177, each(40, 10)}},
		{"COIL20.mat", im, facts{1024, 1440, 32, 32, 0, 1, 444661.992892157, 0.17450980392156862, each(20, 72)}},
		{"COIL20_uint8.mat", im, facts{1024, 1440, 32, 32, 0, 255, 113592839, 15, each(20, 72)}},
		{"Yale_32x32.mat", im, facts{1024, 165, 32, 32, 0, 255, 16640447, 74, each(15, 11)}},
		{"binaryalphadigs_fea.mat", MATLayout{Height: 20, Width: 16}, facts{320, 1404, 20, 16, 0, 1, 185346, 1, each(36, 39)}},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := realMAT(t, c.file).Set(c.layout)
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, s)
			if !slices.IsSorted(s.Labels) {
				t.Error("classes are not sorted")
			}
		})
	}
}

func TestRealAlphadigits(t *testing.T) {
	cells := realMAT(t, "binaryalphadigs.mat")
	dat, err := cells.Var("dat")
	if err != nil || !reflect.DeepEqual(dat.Dims, []int{36, 39}) {
		t.Fatal(dat.Dims, err)
	}
	fea, err := realMAT(t, "binaryalphadigs_fea.mat").Var("fea")
	if err != nil || fea.Class != "uint8" {
		t.Fatal(fea.Class, err)
	}
	rows, err := fea.Matrix()
	if err != nil {
		t.Fatal(err)
	}
	for i := range 36 {
		for j := range 39 {
			if !slices.Equal(rows.RawRowView(i*39+j), dat.Cells[j*36+i].Data) {
				t.Fatalf("row %d is not cell (%d, %d)", i*39+j, i+1, j+1)
			}
		}
	}
	a, err := cells.Set(MATLayout{X: "dat", Labels: "classlabels", Max: 1})
	if err != nil {
		t.Fatal(err)
	}
	b, err := realMAT(t, "binaryalphadigs_fea.mat").Set(MATLayout{Height: 20, Width: 16, Max: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(a.X, b.X) || !slices.Equal(a.Labels, b.Labels) || a.Height != 20 || a.Width != 16 {
		t.Error("cells and rows make different sets")
	}
	if a.Classes[0] != "0" || a.Classes[9] != "9" || a.Classes[10] != "A" || a.Classes[35] != "Z" {
		t.Errorf("classes %v", a.Classes)
	}
}

func TestRealText(t *testing.T) {
	for _, c := range []struct {
		file string
		read func(f *os.File) (*Set, error)
		facts
	}{
		{"semeion.data", func(f *os.File) (*Set, error) { return ReadSemeion(t.Context(), f) }, facts{256, 1593, 16, 16, 0, 1, 134016, 1, []int{161, 162, 159, 159, 161, 159, 161, 158, 155, 158}}},
		{"pendigits.tra", func(f *os.File) (*Set, error) { return ReadPendigits(t.Context(), f) }, facts{16, 7494, 0, 0, 0, 100, 6079367, 10, []int{780, 779, 780, 719, 780, 720, 720, 778, 719, 719}}},
		{"pendigits.tes", func(f *os.File) (*Set, error) { return ReadPendigits(t.Context(), f) }, facts{16, 3498, 0, 0, 0, 100, 2839286, 54, []int{363, 364, 364, 336, 364, 335, 336, 364, 336, 336}}},
		{"wine.data", func(f *os.File) (*Set, error) { return ReadWine(t.Context(), f) }, facts{13, 178, 0, 0, 0.13, 1680, 159975.295999, 2.23, []int{59, 71, 48}}},
		{"wine.data", func(f *os.File) (*Set, error) { return ReadCSV(t.Context(), f, CSVLayout{Label: "1"}) }, facts{13, 178, 0, 0, 0.13, 1680, 159975.295999, 2.23, []int{59, 71, 48}}},
		{"embed/wine_data.csv", func(f *os.File) (*Set, error) {
			return ReadCSV(t.Context(), f, CSVLayout{Label: "-1", Header: WithHeader})
		}, facts{13, 178, 0, 0, 0.13, 1680, 159975.295999, 2.23, []int{59, 71, 48}}},
		{"embed/digits.csv.gz", func(f *os.File) (*Set, error) {
			return ReadCSV(t.Context(), f, CSVLayout{Label: "-1", Height: 8, Width: 8})
		}, facts{64, 1797, 8, 8, 0, 16, 561718, 0, []int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}}},
	} {
		t.Run(c.file, func(t *testing.T) {
			s, err := c.read(realFile(t, c.file))
			if err != nil {
				t.Fatal(err)
			}
			c.check(t, s)
		})
	}
}

func TestRealORL(t *testing.T) {
	s, err := ReadTar(t.Context(), realFile(t, "ORL_faces.tar.gz"), ImageLayout{})
	if err != nil {
		t.Fatal(err)
	}
	// 150 of these files had their line ends changed to CR LF, pixels of value
	// 10 too; this is the sum of what they were before.
	facts{10304, 400, 112, 92, 0, 251, 464220078, 24, each(40, 10)}.check(t, s)
	for k, class := range s.Classes {
		if class != fmt.Sprintf("s%d", k+1) {
			t.Errorf("class %d is %s", k, class)
		}
	}
	half, err := s.Shrink(56, 46)
	if err != nil {
		t.Fatal(err)
	}
	small, err := ReadTar(t.Context(), realFile(t, "ORL_faces.tar.gz"), ImageLayout{Height: 56, Width: 46})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(half.X, small.X) || math.Abs(4*mat.Sum(half.X)-mat.Sum(s.X)) > 1e-3 {
		t.Error("resized when read and after differ")
	}
}

// The images of ORL_32x32.mat are cut out of the PGM files, about 68×68 pixels
// of them: upright they look alike, and turned they do not.
func TestRealUpright(t *testing.T) {
	pgm, err := ReadTar(t.Context(), realFile(t, "ORL_faces.tar.gz"), ImageLayout{})
	if err != nil {
		t.Fatal(err)
	}
	cut := &Set{X: mat.NewDense(68*68, 400, nil), Height: 68, Width: 68, Max: 255}
	for r := range 68 {
		for c := range 68 {
			cut.X.SetRow(r*68+c, pgm.X.RawRowView((r+36)*92+c+12))
		}
	}
	if cut, err = cut.Shrink(32, 32); err != nil {
		t.Fatal(err)
	}
	cai := realMAT(t, "ORL_32x32.mat")
	for _, c := range []struct {
		turned bool
		lo, hi float64
	}{{false, 0.85, 1}, {true, 0, 0.5}} {
		s, err := cai.Set(MATLayout{Height: 32, Width: 32, Raster: c.turned})
		if err != nil {
			t.Fatal(err)
		}
		if got := cosine(meanSample(cut), meanSample(s)); got < c.lo || got > c.hi {
			t.Errorf("turned %v: the mean faces correlate %.3f", c.turned, got)
		}
	}
}

func meanSample(s *Set) []float64 {
	m, n := s.X.Dims()
	mean := make([]float64, m)
	for i := range mean {
		mean[i] = mat.Sum(s.X.RowView(i)) / float64(n)
	}
	return mean
}

// cosine is the correlation of two vectors.
func cosine(a, b []float64) float64 {
	va, vb := mat.NewVecDense(len(a), slices.Clone(a)), mat.NewVecDense(len(b), slices.Clone(b))
	for _, v := range []*mat.VecDense{va, vb} {
		mean := mat.Sum(v) / float64(v.Len())
		for i := range v.Len() {
			v.SetVec(i, v.AtVec(i)-mean)
		}
	}
	return mat.Dot(va, vb) / mat.Norm(va, 2) / mat.Norm(vb, 2)
}

func TestRealIDX(t *testing.T) {
	s, err := ReadIDXSet(t.Context(), realFile(t, filepath.Join("embed", "fashion-t10k-images-idx3-ubyte.gz")),
		realFile(t, filepath.Join("embed", "fashion-t10k-labels-idx1-ubyte.gz")))
	if err != nil {
		t.Fatal(err)
	}
	facts{784, 10000, 28, 28, 0, 255, 573469082, 0, each(10, 1000)}.check(t, s)
}

// Every real file, cut off in many places, is an error and no panic.
func TestRealCutOff(t *testing.T) {
	for _, name := range []string{"ORL_32x32.mat", "Yale_32x32.mat", "binaryalphadigs.mat", "binaryalphadigs_fea.mat"} {
		data, err := os.ReadFile(realFile(t, name).Name())
		if err != nil {
			t.Fatal(err)
		}
		for k := range 20 {
			file, err := ReadMAT(t.Context(), bytes.NewReader(data[:1+len(data)*k/20]))
			if err == nil && (len(file.Vars) == 0 || len(file.Vars) >= 4) {
				t.Errorf("%s: no error when cut off at %d of 20", name, k)
			}
		}
	}
}
