package datasets

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var allPublicSets = []*PublicSet{
	ORL, ORLOriginal, Yale, ExtendedYaleB, COIL20, COIL100, Semeion, Pendigits, BinaryAlphadigits,
	UMIST, UMISTSmall, MNIST, MNISTTest, GeorgiaTech, CMUPIE, AR, AR10P, JAFFE, Palm, German, Vehicle, AutoMPG,
}

// realData sets RNMF_DATA to the folder with the real files, and skips the test
// where there is none.
func realData(t *testing.T) {
	t.Helper()
	own := os.Getenv(FolderEnv)
	emptyCache(t)
	if own == "" {
		own = filepath.Join("..", "..", "shared", "data")
	}
	if _, err := os.Stat(own); err != nil {
		t.Skipf("no real data: set %s (%v)", FolderEnv, err)
	}
	t.Setenv(FolderEnv, own)
}

func TestRealPublicSets(t *testing.T) {
	realData(t)
	for _, c := range []struct {
		s          *PublicSet
		name       string
		m, n       int
		height     int
		classes    int
		lo, hi     float64
		top        float64
		first, end string
	}{
		{ORL, "ORL 32×32", 1024, 400, 32, 40, 2, 235, 255, "1", "40"},
		{ORLOriginal, "ORL 112×92", 10304, 400, 112, 40, 0, 251, 255, "s1", "s40"},
		{Yale, "Yale 32×32", 1024, 165, 32, 15, 0, 255, 255, "1", "15"},
		{COIL20, "COIL-20 32×32", 1024, 1440, 32, 20, 0, 1, 1, "1", "20"},
		{Semeion, "Semeion", 256, 1593, 16, 10, 0, 1, 1, "0", "9"},
		{Pendigits, "Pendigits", 16, 10992, 0, 10, 0, 100, 100, "0", "9"},
		{BinaryAlphadigits, "Binary Alphadigits", 320, 1404, 20, 36, 0, 1, 1, "0", "Z"},
		{ExtendedYaleB, "Extended Yale B 32×32", 1024, 2414, 32, 38, 0, 255, 255, "1", "38"},
		{UMIST, "UMIST 32×32", 1024, 575, 32, 20, 4, 242, 255, "1", "20"},
		{UMISTSmall, "UMIST 28×23", 644, 575, 28, 20, 5, 239, 255, "1", "20"},
		{GeorgiaTech, "Georgia Tech 40×30", 1200, 750, 40, 50, 0, 253.56332088722792, 255, "1", "50"},
		{MNISTTest, "MNIST, test", 784, 10000, 28, 10, 0, 255, 255, "0", "9"},
		{CMUPIE, "CMU PIE 32×32, pose 27", 1024, 2856, 32, 68, 0, 255, 255, "1", "68"},
		{AR10P, "AR 60×40, ten persons", 2400, 130, 60, 10, 6, 255, 255, "1", "10"},
		{JAFFE, "JAFFE 32×32", 1024, 213, 32, 10, 0, 255, 255, "0", "9"},
		{Palm, "Palm 16×16", 256, 2000, 16, 100, 0, 255, 255, "1", "100"},
		{German, "German credit", 24, 1000, 0, 2, 0, 184, 0, "1", "2"},
		{Vehicle, "Vehicle", 18, 846, 0, 4, 0, 1018, 0, "bus", "van"},
	} {
		t.Run(c.s.Name, func(t *testing.T) {
			s, err := c.s.Load(t.Context())
			if errors.Is(err, ErrNotFound) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Log(s)
			m, n := s.X.Dims()
			if s.Name != c.name || m != c.m || n != c.n || s.Height != c.height || len(s.Classes) != c.classes || s.Max != c.top {
				t.Errorf("%v, Max %g", s, s.Max)
			}
			if lo, hi := mat.Min(s.X), mat.Max(s.X); lo != c.lo || hi != c.hi {
				t.Errorf("values %g..%g, want %g..%g", lo, hi, c.lo, c.hi)
			}
			if s.Classes[0] != c.first || s.Classes[c.classes-1] != c.end {
				t.Errorf("classes %v", s.Classes)
			}
			if s.Credit != c.s.Credit {
				t.Errorf("credit %q", s.Credit)
			}
			count := make([]int, c.classes)
			for _, l := range s.Labels {
				count[l]++
			}
			t.Log(count)
			sheet(t, s)
		})
	}
}

// The two files of Binary Alphadigits hold the same images; the two of ORL and
// of COIL-20 do not.
func TestRealForms(t *testing.T) {
	realData(t)
	own := os.Getenv(FolderEnv)
	load := func(s *PublicSet, file, as string) *Set {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(own, file))
		if err != nil {
			t.Skip(err)
		}
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, as), data, 0o644); err != nil {
			t.Fatal(err)
		}
		t.Setenv(FolderEnv, dir)
		set, err := s.Load(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		sheet(t, set)
		return set
	}
	a := load(BinaryAlphadigits, "binaryalphadigs.mat", "binaryalphadigs.mat")
	b := load(BinaryAlphadigits, "binaryalphadigs_fea.mat", "binaryalphadigs.mat")
	if !mat.Equal(a.X, b.X) || strings.Join(a.Classes, "") != strings.Join(b.Classes, "") {
		t.Error("the two forms of Binary Alphadigits differ")
	}
	if s := load(ORL, "ORL_faces.tar.gz", "ORL_faces.tar.gz"); s.Name != "ORL, shrunk from 112×92" || s.Height != 32 || s.Width != 32 {
		t.Errorf("%v", s)
	}
	if s := load(COIL20, "COIL20_uint8.mat", "COIL20.mat"); s.Max != 255 {
		t.Errorf("%v, Max %g", s, s.Max)
	}
	// A file under the name of another set.
	data, err := os.ReadFile(filepath.Join(own, "Yale_32x32.mat"))
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	os.WriteFile(filepath.Join(dir, "ORL_32x32.mat"), data, 0o644)
	t.Setenv(FolderEnv, dir)
	if _, err := ORL.Load(t.Context()); !errors.Is(err, ErrContent) {
		t.Errorf("Yale for ORL: %v", err)
	}
}

func TestPublicSetsMissing(t *testing.T) {
	emptyCache(t)
	for _, own := range []string{"", t.TempDir()} {
		t.Setenv(FolderEnv, own)
		for _, s := range allPublicSets {
			_, err := s.Load(t.Context())
			if !errors.Is(err, ErrNotFound) {
				t.Errorf("%v: %v", s, err)
				continue
			}
			for _, want := range []string{s.Name, s.forms[0].files[0][0], FolderEnv, own} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v: %q is not in %q", s, want, err)
				}
			}
			t.Log(err)
			if s.Credit == "" || !strings.HasPrefix(s.Home, "http") {
				t.Errorf("%v: credit %q, home %q", s, s.Credit, s.Home)
			}
		}
	}
}

func TestPublicSetsAsk(t *testing.T) {
	emptyCache(t)
	for _, s := range allPublicSets {
		switch s {
		case CMUPIE, AR, AR10P, JAFFE, Palm:
			err := s.Download(t.Context(), nil)
			if !errors.Is(err, ErrAsk) || !strings.Contains(err.Error(), s.Home) {
				t.Errorf("%v: %v", s, err)
			}
			t.Log(err)
		default:
			ctx, cancel := context.WithCancel(t.Context())
			cancel() // before anything is sent
			if err := s.Download(ctx, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("%v: %v", s, err)
			}
		}
		for _, r := range s.remote {
			if r.limit == 0 && r.size == 0 || len(r.urls) == 0 || r.sha256 != "" && len(r.sha256) != 64 {
				t.Errorf("%v: %+v", s, r)
			}
			if strings.ContainsAny(r.name, `/\`) {
				t.Errorf("%v: file name %q", s, r.name)
			}
		}
	}
}

// The six cars without horsepower are NaN there and nowhere else, and cars have names.
func TestAutoMPG(t *testing.T) {
	realData(t)
	s, err := AutoMPG.Load(t.Context())
	if errors.Is(err, ErrNotFound) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, n := s.X.Dims()
	missing, count := 0, make([]int, 3)
	for j := range n {
		for i := range m {
			if math.IsNaN(s.X.At(i, j)) {
				missing++
				if i != 3 {
					t.Errorf("%s of sample %d is NaN", s.Features[i], j)
				}
			}
		}
		count[s.Labels[j]]++
	}
	if m != 7 || n != 398 || missing != 6 || !slices.Equal(count, []int{249, 70, 79}) {
		t.Errorf("%v, %d missing, classes %v", s, missing, count)
	}
	if s.X.At(0, 0) != 18 || s.X.At(6, 397) != 82 || s.Samples[0] != "chevrolet chevelle malibu" {
		t.Errorf("%g, %g, %q", s.X.At(0, 0), s.X.At(6, 397), s.Samples[0])
	}
}

// Tables made up in the other forms: nine files of Vehicle, the last lines of which do
// not end; and a table of Auto MPG that holds too few cars.
func TestTableForms(t *testing.T) {
	emptyCache(t)
	dir := t.TempDir()
	t.Setenv(FolderEnv, dir)
	total := 0
	for i, files := range vehicleFiles() {
		var lines []string
		for range 94 {
			lines = append(lines, fmt.Sprint(strings.Repeat("3 ", 17), total, " ", []string{"bus", "opel", "saab", "van"}[total%4]))
			total++
		}
		text := strings.Join(lines, "\n")
		if i == 0 {
			text += "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, files[0]), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Vehicle.Load(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m, n := s.X.Dims(); m != 18 || n != 846 || s.X.At(17, 845) != 845 || s.Classes[s.Labels[845]] != "opel" {
		t.Errorf("%v", s)
	}
	few := "18.0 8 307.0 130.0 3504. 12.0 70 1\t\"a\"\n25.0 4 98.00 ? 2046. 19.0 71 2\t\"b\"\n"
	if err := os.WriteFile(filepath.Join(dir, "auto-mpg.data"), []byte(few), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := AutoMPG.Load(t.Context()); !errors.Is(err, ErrContent) {
		t.Errorf("two cars: %v", err)
	}
}
