package datasets

import (
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/draw"
	"gonum.org/v1/gonum/mat"
)

func TestEmbedded(t *testing.T) {
	for _, c := range []struct {
		get        func() *Set
		m, n       int
		size       int
		lo, hi     float64
		classes    []int
		sum, first float64
	}{
		// The sums were computed from the same files in Python.
		{Digits, 64, 1797, 8, 0, 16, []int{178, 182, 177, 183, 181, 182, 181, 179, 174, 180}, 561718, 294},
		{Wine, 13, 178, 0, 0.13, 1680, []int{59, 71, 48}, 159975.296, 1245},
		{Fashion, 784, 1500, 28, 0, 255, []int{150, 150, 150, 150, 150, 150, 150, 150, 150, 150}, 85623938, 33456},
	} {
		s := c.get()
		t.Run(s.Name, func(t *testing.T) {
			t.Log(s)
			if err := s.Check(); err != nil {
				t.Fatal(err)
			}
			if m, n := s.X.Dims(); m != c.m || n != c.n || s.Height != c.size || s.Width != c.size {
				t.Errorf("%d×%d, images of %d×%d", m, n, s.Height, s.Width)
			}
			if lo, hi := mat.Min(s.X), mat.Max(s.X); lo != c.lo || hi != c.hi || s.Max != 0 && s.Max != hi {
				t.Errorf("values %g..%g, Max %g", lo, hi, s.Max)
			}
			count := make([]int, len(s.Classes))
			for _, l := range s.Labels {
				count[l]++
			}
			for l := range count {
				if count[l] != c.classes[l] {
					t.Errorf("%d samples of class %q, want %d", count[l], s.Classes[l], c.classes[l])
				}
			}
			if sum, first := mat.Sum(s.X), mat.Sum(s.X.ColView(0)); abs(sum-c.sum) > 1e-3 || abs(first-c.first) > 1e-9 {
				t.Errorf("sums %g and %g, want %g and %g", sum, first, c.sum, c.first)
			}
			if !strings.Contains(s.Credit, "CC BY 4.0") && !strings.Contains(s.Credit, "MIT") {
				t.Errorf("no licence in %q", s.Credit)
			}
			s.X.Set(0, 0, -1)
			s.Classes[0] = "spoiled"
			if again := c.get(); again.X.At(0, 0) == -1 || again.Classes[0] == "spoiled" {
				t.Error("two calls share memory")
			}
		})
	}
}

func abs(v float64) float64 { return max(v, -v) }

// A trouser is narrow, upright and parted at the foot; digit 7 has its weight
// at the top: this fails if images are transposed or upside down.
func TestEmbeddedUpright(t *testing.T) {
	mean := func(s *Set, class string) *mat.Dense {
		img := mat.NewDense(s.Height, s.Width, nil)
		for j, l := range s.Labels {
			if s.Classes[l] == class {
				for i := range s.Height * s.Width {
					img.Set(i/s.Width, i%s.Width, img.At(i/s.Width, i%s.Width)+s.X.At(i, j))
				}
			}
		}
		return img
	}
	f := mean(Fashion(), "Trouser")
	if waist, gap := f.At(3, 13), f.At(25, 13); gap > waist/2 || f.At(14, 2) > waist/10 {
		t.Errorf("trousers: waist %g, gap at the foot %g, left side %g", waist, gap, f.At(14, 2))
	}
	d := mean(Digits(), "7")
	if top, bottom := mat.Sum(d.Slice(0, 2, 0, 8)), mat.Sum(d.Slice(6, 8, 0, 8)); top < 1.2*bottom {
		t.Errorf("digit 7: top %g, bottom %g", top, bottom)
	}
	left, right := mat.Sum(d.Slice(4, 8, 0, 3)), mat.Sum(d.Slice(0, 4, 5, 8))
	if right < 2*left {
		t.Errorf("digit 7: lower left %g, upper right %g", left, right)
	}
}

var sheets = flag.String("sheets", "", "folder to write contact sheets of the image sets to, to look at")

// sheet writes images spread over the set as one picture.
func sheet(t *testing.T, s *Set) {
	t.Helper()
	if *sheets == "" || s.Height == 0 {
		return
	}
	const rows, columns = 6, 12
	_, n := s.X.Dims()
	to := image.NewGray(image.Rect(0, 0, columns*(s.Width+2), rows*(s.Height+2)))
	draw.Draw(to, to.Bounds(), image.NewUniform(color.Gray{Y: 90}), image.Point{}, draw.Src)
	for k := range rows * columns {
		at := image.Pt(k%columns*(s.Width+2)+1, k/columns*(s.Height+2)+1)
		draw.Draw(to, image.Rectangle{at, at.Add(image.Pt(s.Width, s.Height))}, s.Image(k*n/(rows*columns)), image.Point{}, draw.Src)
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" /,", r) {
			return '-'
		}
		return r
	}, s.Name)
	f, err := os.Create(filepath.Join(*sheets, name+".png"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	k := max(1, 64/s.Width)
	big := image.NewGray(image.Rect(0, 0, k*to.Rect.Dx(), k*to.Rect.Dy()))
	draw.NearestNeighbor.Scale(big, big.Rect, to, to.Rect, draw.Src, nil)
	if err := png.Encode(f, big); err != nil {
		t.Fatal(err)
	}
}

func TestEmbeddedSheets(t *testing.T) {
	if *sheets == "" {
		t.Skip("no -sheets folder to write to")
	}
	sheet(t, Digits())
	sheet(t, Fashion())
}
