package datasets

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// spoil damages a file in one of the ways in which files are damaged, or made to do harm.
func spoil(rnd *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) == 0 {
		return b
	}
	at := func() int { return rnd.IntN(len(b)) }
	if rnd.IntN(3) == 0 { // most of what matters is near the beginning
		at = func() int { return rnd.IntN(min(len(b), 600)) }
	}
	numbers := []uint64{0, 1, 0x7f, 0xff, 0x7fff, 0xffff, math.MaxInt32, math.MaxUint32, math.MaxInt64, math.MaxUint64, 1 << 20, 1 << 31, 1 << 40, 1 << 62}
	switch rnd.IntN(7) {
	case 0:
		return b[:at()]
	case 1:
		for range 1 + rnd.IntN(4) {
			b[at()] ^= 1 << rnd.IntN(8)
		}
	case 2:
		for range 1 + rnd.IntN(4) {
			b[at()] = byte(rnd.Uint32())
		}
	case 3: // a number of 1 to 8 bytes
		v, k, big := numbers[rnd.IntN(len(numbers))], at(), rnd.IntN(2) == 0
		width := 1 << rnd.IntN(4)
		for i := range min(width, len(b)-k) {
			shift := 8 * i
			if big {
				shift = 8 * (width - 1 - i)
			}
			b[k+i] = byte(v >> shift)
		}
	case 4: // what is there comes twice, or not at all
		k := at()
		n := min(len(b)-k, 1+rnd.IntN(64))
		if rnd.IntN(2) == 0 {
			return append(b[:k:k], b[k+n:]...)
		}
		return append(b[:k+n:k+n], b[k:]...)
	case 5: // in another place
		k, to := at(), at()
		copy(b[to:], bytes.Clone(b[k:min(len(b), k+1+rnd.IntN(16))]))
	case 6:
		clear(b[at():][:1])
		k := at()
		clear(b[k:min(len(b), k+rnd.IntN(256))])
	}
	return b
}

// Whatever is damaged of a file of any format, Open returns an error of this package or a set that fits
// together, soon, and without taking more memory than the limit says. RNMF_LONG is the number of tries of each
// file, and then those of RNMF_DATA are damaged, too.
func TestOpenDamaged(t *testing.T) {
	tries := 30
	if long, err := strconv.Atoi(os.Getenv("RNMF_LONG")); err == nil {
		tries = long
	}
	roots := []string{"testdata"}
	if own := os.Getenv(FolderEnv); tries > 30 && own != "" {
		roots = append(roots, own)
	}
	before := SetMaxValues(1 << 21)
	defer SetMaxValues(before)
	folder := t.TempDir()
	options := []OpenOptions{{}, {}, {}, {Transposed: true}, {Sparse: true}, {Data: "X"}, {Height: 4, Width: 4}, {ID: "-", Label: "-"}, {Missing: []string{"?", "<0"}}}
	count, sets, slowest, most := 0, 0, time.Duration(0), uint64(0)
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && d.Name() == "fuzz" {
				return filepath.SkipDir
			}
			switch filepath.Ext(path) {
			case ".py", ".R", ".m", ".md":
				return nil
			}
			info, err := d.Info()
			if err != nil || !info.Mode().IsRegular() || info.Size() > 4<<20 {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			rnd := rand.New(rand.NewPCG(uint64(len(path)), uint64(len(data))))
			for k := range tries {
				name := filepath.Join(folder, "x"+filepath.Ext(path))
				if strings.HasSuffix(path, ".tsv.gz") {
					name = filepath.Join(folder, "x.tsv.gz")
				}
				spoiled := spoil(rnd, data)
				if rnd.IntN(4) == 0 {
					spoiled = spoil(rnd, spoiled)
				}
				if err := os.WriteFile(name, spoiled, 0o600); err != nil {
					return err
				}
				o := options[rnd.IntN(len(options))]
				what := fmt.Sprintf("%s, try %d, %+v", path, k, o)
				func() {
					defer func() {
						if p := recover(); p != nil {
							t.Errorf("%s: panic: %v", what, p)
						}
					}()
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					var was, is runtime.MemStats
					runtime.ReadMemStats(&was)
					began := time.Now()
					s, err := Open(ctx, name, o)
					took := time.Since(began)
					runtime.ReadMemStats(&is)
					count++
					slowest, most = max(slowest, took), max(most, is.TotalAlloc-was.TotalAlloc)
					switch {
					case ctx.Err() != nil:
						t.Errorf("%s: it took %v", what, took)
					case is.TotalAlloc-was.TotalAlloc > 2<<30:
						t.Errorf("%s: %d MB", what, (is.TotalAlloc-was.TotalAlloc)>>20)
					case err == nil && s.Check() != nil:
						t.Errorf("%s: %v", what, s.Check())
					case err == nil:
						sets++
					case !ours(err) && !strings.Contains(err.Error(), "datasets: "):
						t.Errorf("%s: an error of nobody: %v", what, err)
					}
				}()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d files, of which %d were read; the slowest in %v, at most %d MB of memory in all", count, sets, slowest, most>>20)
}

// Of a file that is cut off the error says so, whatever the format.
func TestOpenCutOff(t *testing.T) {
	var picture bytes.Buffer
	if err := png.Encode(&picture, randomImage(90, 70)); err != nil {
		t.Fatal(err)
	}
	pictures := fstest.MapFS{"a.png": {Data: picture.Bytes()}, "b.png": {Data: picture.Bytes()}}
	part := fstest.MapFS{"a.png": {Data: picture.Bytes()[:20]}}
	files := map[string][]byte{"p.zip": zipFile(pictures), "p.tar": tarFile(pictures), "p.tar.gz": gzipped(tarFile(pictures)), "part.zip": zipFile(part)}
	for _, of := range []string{"npz/*.npz", "npy/*.npy", "mat/*.mat", "hdf5/*.h5", "hdf5/*.h5ad", "hdf5/*.loom", "hdf5/*.mat"} {
		paths, err := filepath.Glob("testdata/" + of)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: %q, %v", of, paths, err)
		}
		for _, path := range paths {
			if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, data := range files {
		for _, percent := range []int{60, 90} {
			path, n := filepath.Join(t.TempDir(), name), len(data)*percent/100
			if name == "part.zip" {
				n = len(data)
			}
			if err := os.WriteFile(path, data[:n], 0o600); err != nil {
				t.Fatal(err)
			}
			if s, err := Open(t.Context(), path, OpenOptions{}); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "cut off") || !strings.Contains(err.Error(), name) {
				t.Errorf("%d %% of %s: %v, %v", percent, name, s, err)
			}
		}
	}
}

// randomImage is grey noise, which cannot be packed.
func randomImage(width, height int) image.Image {
	m, rnd := image.NewGray(image.Rect(0, 0, width, height)), rand.New(rand.NewPCG(1, 1))
	for i := range m.Pix {
		m.Pix[i] = byte(rnd.Uint32())
	}
	return m
}
