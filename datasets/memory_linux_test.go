package datasets

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/image/tiff"
)

// memoryLimit returns the number of values that the readers may keep in TestMemory; with
// RNMF_LONG it is what they may keep anywhere.
func memoryLimit() int {
	switch {
	case os.Getenv("RNMF_LONG") != "":
		return MaxValues
	case testing.Short():
		return 1 << 20
	}
	return 1 << 22
}

// A memoryCase is a small file that takes as much memory as its format allows.
type memoryCase struct {
	name  string
	write func(w io.Writer) // makes all it needs, as the other process has this list too
	read  func(f *os.File) error
	want  error
	// atWork is what one picture or one line may take besides what is kept.
	atWork bool
}

// What a reader takes is bounded, whatever the file: three times what it may keep, and
// half a GiB at work. The peak is that of a process of its own, so that nothing is left
// out: garbage, growing slices, the decoders of other packages.
func TestMemory(t *testing.T) {
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector takes memory of its own")
	}
	if name := os.Getenv("RNMF_MEMORY"); name != "" {
		for _, c := range memoryCases() {
			if c.name != name {
				continue
			}
			f, err := os.Open(os.Getenv("RNMF_MEMORY_FILE"))
			if err != nil {
				t.Fatal(err)
			}
			before := peakMemory(t)
			if err := c.read(f); !errors.Is(err, c.want) {
				t.Errorf("%v, want %v", err, c.want)
			}
			fmt.Printf("peak: %d before, %d after\n", before, peakMemory(t))
		}
		return
	}
	for i, c := range memoryCases() {
		t.Run(c.name, func(t *testing.T) {
			if os.Getenv("RNMF_CI") == "" && c.atWork {
				t.Skip("large pictures and lines: RNMF_CI=1")
			}
			if testing.Short() && i > 0 {
				t.Skip("a process for the first case alone with -short")
			}
			name := filepath.Join(t.TempDir(), "file")
			f, err := os.Create(name)
			if err != nil {
				t.Fatal(err)
			}
			out := bufio.NewWriter(f)
			c.write(out)
			if err := errors.Join(out.Flush(), f.Close()); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(context.Background(), os.Args[0], "-test.run=^TestMemory$", "-test.v", fmt.Sprintf("-test.short=%t", testing.Short()))
			cmd.Env = append(os.Environ(), "RNMF_MEMORY="+c.name, "RNMF_MEMORY_FILE="+name, "GOGC=100", "GOMEMLIMIT=off")
			said, err := cmd.CombinedOutput()
			peak := regexp.MustCompile(`peak: (\d+) before, (\d+) after`).FindSubmatch(said)
			if err != nil || peak == nil {
				t.Fatalf("%v\n%s", err, said)
			}
			before, _ := strconv.Atoi(string(peak[1]))
			after, _ := strconv.Atoi(string(peak[2]))
			allowed := 3*8*memoryLimit() + 8<<20 // of which the runtime takes some
			if c.atWork {
				allowed += 1 << 29
			}
			info, _ := os.Stat(name)
			t.Logf("a file of %.1f kB takes %.1f MiB", float64(info.Size())/1e3, float64(after-before)/(1<<20))
			if after-before > allowed {
				t.Errorf("more than %d MiB", allowed>>20)
			}
		})
	}
}

// peakMemory returns the largest number of bytes that the process had in memory. That of
// rusage would count its parent.
func peakMemory(t *testing.T) int {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	m := regexp.MustCompile(`VmHWM:\s*(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Skip("no VmHWM here")
	}
	n, _ := strconv.Atoi(string(m[1]))
	return n << 10
}

func memoryCases() []memoryCase {
	limit := memoryLimit()
	rows, most := limit, limit
	repeat := func(w io.Writer, n int, what string) {
		many := strings.Repeat(what, 1<<10)
		for ; n >= 1<<10; n -= 1 << 10 {
			io.WriteString(w, many)
		}
		io.WriteString(w, strings.Repeat(what, n))
	}
	packed := func(write func(w io.Writer)) func(io.Writer) {
		return func(w io.Writer) {
			z := gzip.NewWriter(w)
			write(z)
			z.Close()
		}
	}
	numbered := func(n int, format string) func(io.Writer) {
		return func(w io.Writer) {
			for i := range n {
				fmt.Fprintf(w, format, i)
			}
		}
	}
	csv := func(l CSVLayout) func(*os.File) error {
		return func(f *os.File) error { _, err := readCSV(context.Background(), f, l, limit); return err }
	}
	arff := func(f *os.File) error { _, err := readARFF(context.Background(), f, CSVLayout{}, limit); return err }
	npy := func(kind string, fortran string, rows, cols, bytes int) func(io.Writer) {
		return packed(func(w io.Writer) {
			w.Write(npyFile(fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%d, %d), }\n", kind, fortran, rows, cols), ""))
			repeat(w, rows*cols, strings.Repeat("\x00", bytes))
		})
	}
	readNPY := func(f *os.File) error { _, err := readNPY(context.Background(), f, NPYLayout{}, limit); return err }
	readMAT := func(f *os.File) error {
		m, err := readMAT(context.Background(), f, limit)
		if err == nil && strings.HasPrefix(m.Vars[0].Name, "fea") {
			_, err = m.Set(MATLayout{})
		}
		return err
	}
	idxFile := func(kind byte, dims []int, bytes int) func(io.Writer) {
		return packed(func(w io.Writer) {
			w.Write(idx(kind, dims))
			repeat(w, product(math.MaxInt, dims...), strings.Repeat("\x00", bytes))
		})
	}
	mtx := func(f *os.File) error { _, err := readMTX(context.Background(), f, limit); return err }
	npz := func(f *os.File) error {
		info, err := f.Stat()
		if err == nil {
			_, err = readNPZ(context.Background(), f, info.Size(), NPYLayout{}, limit)
		}
		return err
	}
	h5 := func(f *os.File) error {
		info, err := f.Stat()
		if err == nil {
			l := HDF5Layout{X: "X"}
			if data := make([]byte, 4096); err == nil {
				if n, _ := f.ReadAt(data, 0); bytes.Contains(data[:n], []byte("words")) {
					l.Samples = "words"
				}
			}
			_, err = readHDF5(context.Background(), f, info.Size(), l, limit)
		}
		return err
	}
	packedZeros := func(n int) []byte {
		return encodedAs(func(w io.Writer) error {
			z, _ := zlib.NewWriterLevel(w, zlib.BestSpeed)
			io.CopyN(z, zeros{}, int64(n))
			return z.Close()
		})
	}
	// arrays are the files of an archive: a name, a type, a shape and bytes of zeros.
	arrays := func(all ...any) func(io.Writer) {
		return func(w io.Writer) {
			z := zip.NewWriter(w)
			for k := 0; k < len(all); k += 4 {
				f, _ := z.Create(all[k].(string) + ".npy")
				f.Write(npyFile(fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n", all[k+1], all[k+2]), ""))
				if text, ok := all[k+3].(string); ok {
					io.WriteString(f, text)
				} else {
					repeat(f, all[k+3].(int), "\x00")
				}
			}
			z.Close()
		}
	}
	readIDX := func(f *os.File) error { _, err := readIDXSet(context.Background(), f, nil, limit); return err }
	b := matBytes{binary.LittleEndian}
	mat := func(arrays ...[]byte) func(io.Writer) {
		return func(w io.Writer) {
			w.Write(b.file())
			for _, a := range arrays {
				w.Write(b.compressed(a))
			}
		}
	}
	// cells are many of one array.
	cells := func(n int, one []byte) []byte {
		return b.array(1, "a", []int32{1, int32(n)}, bytes.Repeat(one, n))
	}
	doubles := func(name string, rows, cols int, at func(i int) float64) []byte {
		data := make([]byte, 8*rows*cols)
		if at != nil {
			for i := range rows * cols {
				binary.LittleEndian.PutUint64(data[8*i:], math.Float64bits(at(i)))
			}
		}
		return b.array(6, name, []int32{int32(rows), int32(cols)}, b.element(miDOUBLE, data))
	}
	bytesArray := func(class uint32, name string, rows, cols int) []byte {
		return b.array(class, name, []int32{int32(rows), int32(cols)}, b.element(miUINT8, bytes.Repeat([]byte("a"), rows*cols)))
	}
	empty := b.element(miMATRIX, nil)
	zipped := func(files int, name string, body []byte) func(io.Writer) {
		return func(w io.Writer) {
			z := zip.NewWriter(w)
			for i := range files {
				// Packed already: a zip of many files is written soon.
				f, _ := z.CreateHeader(&zip.FileHeader{Name: fmt.Sprintf(name, i), Method: zip.Store})
				f.Write(body)
			}
			z.Close()
		}
	}
	tarred := func(files int, name string, body []byte, links int) func(io.Writer) {
		return packed(func(w io.Writer) {
			out := tar.NewWriter(w)
			for i := range files {
				out.WriteHeader(&tar.Header{Name: fmt.Sprintf(name, i), Size: int64(len(body)), Typeflag: tar.TypeReg})
				out.Write(body)
			}
			for i := range links {
				out.WriteHeader(&tar.Header{Name: fmt.Sprintf("link"+name, i), Linkname: fmt.Sprintf(name, 0), Typeflag: tar.TypeLink})
			}
			out.Close()
		})
	}
	readTar := func(f *os.File) error {
		_, err := readTar(context.Background(), f, ImageLayout{}, limit)
		return err
	}
	unzip := func(l ImageLayout) func(f *os.File) error {
		return func(f *os.File) error {
			info, err := f.Stat()
			if err == nil {
				_, err = readZip(context.Background(), f, info.Size(), l, limit)
			}
			return err
		}
	}
	dot := []byte("P5 1 1 255\n.")
	sheet := func(side int) []byte {
		return append(fmt.Appendf(nil, "P5 %d %d 255\n", side, side), make([]byte, side*side)...)
	}
	small := ImageLayout{Height: 8, Width: 8}
	return []memoryCase{
		{"CSV, a column", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows, "0\n") })(w) }, csv(CSVLayout{}), nil, false},
		{"ARFF, a column", func(w io.Writer) {
			packed(func(w io.Writer) { io.WriteString(w, "@attribute a real\n@data\n"); repeat(w, rows-64, "0\n") })(w)
		}, arff, nil, false},
		{"ARFF, attributes", func(w io.Writer) {
			packed(func(w io.Writer) {
				numbered(rows/(20+64+502), "@attribute a%0500d real\n")(w)
				io.WriteString(w, "@data\n")
			})(w)
		}, arff, ErrFormat, false},
		{"ARFF, blank lines", func(w io.Writer) {
			packed(func(w io.Writer) {
				io.WriteString(w, "@attribute a real\n")
				repeat(w, 16*rows, "\n")
				io.WriteString(w, "@data\n0\n")
			})(w)
		}, arff, ErrTooLarge, false},
		{"CSV, rows", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows/8, "0,0,0,0,0,0,0,0\n") })(w) }, csv(CSVLayout{}), nil, false},
		{"CSV, long values", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows/4, "0.0000000000000000000000\n") })(w) }, csv(CSVLayout{}), nil, false},
		{"CSV, blanks", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows/8, "0 0 0 0 0 0 0 0\n") })(w) }, csv(CSVLayout{}), nil, false},
		{"CSV, labels", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows/4-8, "0,a\n") })(w) }, csv(CSVLayout{Label: "2"}), nil, false},
		{"CSV, classes", func(w io.Writer) { packed(numbered(min(rows/20-8, maxClasses), "0,%d\n"))(w) }, csv(CSVLayout{Label: "2"}), nil, false},
		{"CSV, long classes", func(w io.Writer) { packed(numbered(rows/(20+4096/8)-8, "0,%04096d\n"))(w) }, csv(CSVLayout{Label: "2"}), nil, false},
		{"CSV, names", func(w io.Writer) { packed(numbered(rows/9-8, "%020d,0,0\n"))(w) }, csv(CSVLayout{ID: "1"}), nil, false},
		{"CSV, one name for all", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows/5-8, "a,0\n") })(w) }, csv(CSVLayout{ID: "1"}), ErrFormat, false},
		{"CSV, columns", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows/8, "0,0,0,0,0,0,0,0\n") })(w) }, csv(CSVLayout{Columns: true}), nil, false},
		{"CSV, codes", func(w io.Writer) {
			packed(func(w io.Writer) {
				for i := range rows / 64 {
					fmt.Fprintf(w, "0,%d\n", i%60)
				}
			})(w)
		}, csv(CSVLayout{Encode: []string{"2"}}), nil, false},
		{"CSV, a header", func(w io.Writer) {
			packed(func(w io.Writer) {
				repeat(w, min(maxFields, rows/6)-9, "x,")
				io.WriteString(w, "x\n")
				repeat(w, min(maxFields, rows/6)-9, "0,")
				io.WriteString(w, "0\n")
			})(w)
		}, csv(CSVLayout{}), nil, true},
		{"CSV, too many", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, 4*rows, "0\n") })(w) }, csv(CSVLayout{}), ErrTooLarge, false},
		{"CSV, a line", func(w io.Writer) {
			packed(func(w io.Writer) { repeat(w, maxFields-1, "0.0000000000000000000000000000,") })(w)
		}, csv(CSVLayout{Missing: []string{""}}), nil, true},
		{"CSV, a line of blanks", func(w io.Writer) {
			packed(func(w io.Writer) { repeat(w, maxFields-1, "0.0000000000000000000000000000\t") })(w)
		}, csv(CSVLayout{Separator: ' '}), nil, true},
		{"UCI, Wine", func(w io.Writer) { packed(func(w io.Writer) { repeat(w, rows/14, strings.Repeat("0,", 13)+"0\n") })(w) }, func(f *os.File) error {
			_, err := (&Set{}).fromTable(context.Background(), f, limit, 14, 0)
			return err
		}, nil, false},
		{"UCI, Semeion", func(w io.Writer) {
			packed(func(w io.Writer) { repeat(w, rows/266, strings.Repeat("0 ", 265)+"1\n") })(w)
		}, func(f *os.File) error {
			_, err := readSemeion(context.Background(), f, limit)
			return err
		}, nil, false},
		{"NPY, doubles", func(w io.Writer) { npy("<f8", "False", rows/64, 64, 8)(w) }, readNPY, nil, false},
		{"NPY, doubles of Fortran", func(w io.Writer) { npy("<f8", "True", rows/64, 64, 8)(w) }, readNPY, nil, false},
		{"NPY, bytes", func(w io.Writer) { npy("|u1", "False", rows, 1, 1)(w) }, readNPY, nil, false},
		{"MTX, entries", func(w io.Writer) {
			packed(func(w io.Writer) {
				n := int(math.Sqrt(float64(rows / 4)))
				fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate pattern general\n%d %d %d\n", n, n, n*n)
				for i := range n * n {
					fmt.Fprintln(w, i/n+1, i%n+1)
				}
			})(w)
		}, mtx, nil, false},
		{"MTX, half of it", func(w io.Writer) {
			packed(func(w io.Writer) {
				n := int(math.Sqrt(float64(rows / 4)))
				fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate pattern symmetric\n%d %d %d\n", n, n, n*(n+1)/2)
				for i := range n * n {
					if i/n >= i%n {
						fmt.Fprintln(w, i/n+1, i%n+1)
					}
				}
			})(w)
		}, mtx, nil, false},
		{"MTX, columns of nothing", func(w io.Writer) {
			fmt.Fprintf(w, "%%%%MatrixMarket matrix coordinate real general\n%d %d 0\n", rows/8, rows/5)
		}, mtx, nil, false},
		{"MTX, names", func(w io.Writer) { packed(numbered(rows/7-8, "%020d\n"))(w) }, func(f *os.File) error { _, err := readNames(context.Background(), f, 0, limit); return err }, nil, false},
		{"NPZ, doubles", arrays("X", "<f8", fmt.Sprintf("(%d, 64)", rows/64), 8*(rows/64*64)), npz, nil, false},
		{"NPZ, text", arrays("X", "|u1", "(1, 1)", 1, "sample_names", "<U1", fmt.Sprintf("(%d,)", rows/6), 4*(rows/6)), npz, ErrSize, false},
		{"NPZ, labels", arrays("X", "|u1", fmt.Sprintf("(%d, 1)", rows/12), rows/12, "y", "<U1", fmt.Sprintf("(%d,)", rows/12), 4*(rows/12)), npz, nil, false},
		{"NPZ, entries", func(w io.Writer) {
			n := int(math.Sqrt(float64(rows / 8)))
			var start, index strings.Builder
			for i := range n + 1 {
				start.Write(binary.LittleEndian.AppendUint32(nil, uint32(i*n)))
			}
			for i := range n * n {
				index.Write(binary.LittleEndian.AppendUint32(nil, uint32(i%n)))
			}
			arrays("format", "|S3", "()", "csr", "shape", "<i8", "(2,)", string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(n)), uint64(n))),
				"data", "|u1", fmt.Sprintf("(%d,)", n*n), n*n, "indptr", "<i4", fmt.Sprintf("(%d,)", n+1), start.String(), "indices", "<i4", fmt.Sprintf("(%d,)", n*n), index.String())(w)
		}, npz, nil, false},
		{"NPZ, zeros", func(w io.Writer) {
			n := int(math.Sqrt(float64(rows))) - 1
			arrays("format", "|S3", "()", "csr", "shape", "<i8", "(2,)", string(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(n)), uint64(n))),
				"data", "|u1", "(0,)", 0, "indptr", "<i4", fmt.Sprintf("(%d,)", n+1), 4*(n+1), "indices", "<i4", "(0,)", 0)(w)
		}, npz, nil, false},
		{"MAT, entries", func(w io.Writer) {
			n := int(math.Sqrt(float64(rows/2))) - 8
			index, start := []byte{}, []byte{}
			for i := range n * n {
				index = binary.LittleEndian.AppendUint16(index, uint16(i%n))
			}
			for i := range n + 1 {
				start = binary.LittleEndian.AppendUint32(start, uint32(i*n))
			}
			mat(b.array(5, "fea", []int32{int32(n), int32(n)}, b.element(miUINT16, index), b.element(miUINT32, start), b.element(miUINT8, make([]byte, n*n))))(w)
		}, readMAT, nil, false},
		{"MAT, columns of nothing", func(w io.Writer) {
			mat(b.array(5, "a", []int32{1, int32(rows/2 - 64)}, b.element(miUINT8, nil), b.element(miUINT8, make([]byte, rows/2-63))))(w)
		}, readMAT, nil, false},
		{"HDF5, nothing", func(w io.Writer) { w.Write(h5Tiny(map[string]h5Part{"X": {[]int{rows/64 - 2, 64}, 8, false, nil}})) }, h5, nil, false},
		{"HDF5, bytes", func(w io.Writer) {
			w.Write(h5Tiny(map[string]h5Part{"X": {[]int{rows - 64, 1}, 1, false, packedZeros(rows - 64)}}))
		}, h5, nil, true},
		{"HDF5, words", func(w io.Writer) {
			w.Write(h5Tiny(map[string]h5Part{"X": {[]int{1, 1}, 8, false, nil}, "words": {[]int{rows/6 - 8}, 1, true, nil}}))
		}, h5, ErrSize, false},
		{"HDF5, too much", func(w io.Writer) { w.Write(h5Tiny(map[string]h5Part{"X": {[]int{rows, 2}, 8, false, nil}})) }, h5, ErrTooLarge, false},
		{"HDF5, a chunk too large", func(w io.Writer) {
			w.Write(h5Tiny(map[string]h5Part{"X": {[]int{rows - 64, 1}, 8, false, packedZeros(h5MaxChunk)}}))
		}, h5, ErrFormat, true},
		{"IDX, bytes", func(w io.Writer) { idxFile(0x08, []int{rows, 1}, 1)(w) }, readIDX, nil, false},
		{"IDX, doubles", func(w io.Writer) { idxFile(0x0e, []int{rows / 64, 64}, 8)(w) }, readIDX, nil, false},
		{"IDX, labels", func(w io.Writer) { idxFile(0x0e, []int{rows / 3}, 8)(w) }, func(f *os.File) error {
			samples := io.MultiReader(bytes.NewReader(idx(0x0e, []int{rows / 3, 1})), io.LimitReader(zeros{}, int64(8*(rows/3))))
			_, err := readIDXSet(context.Background(), samples, f, limit)
			return err
		}, nil, false},
		{"MAT, bytes", func(w io.Writer) { mat(bytesArray(9, "fea", rows-2*matCellCost, 1))(w) }, readMAT, nil, false},
		{"MAT, doubles", func(w io.Writer) { mat(doubles("fea", rows/64-64, 64, nil))(w) }, readMAT, nil, false},
		{"MAT, classes", func(w io.Writer) {
			mat(doubles("fea", min(limit/16, maxClasses), 1, nil), doubles("gnd", min(limit/16, maxClasses), 1, func(i int) float64 { return float64(i) / 7 }))(w)
		}, readMAT, nil, false},
		{"MAT, empty cells", func(w io.Writer) { mat(cells(most/(matCellCost+1)-8, empty))(w) }, readMAT, nil, false},
		{"MAT, cells with names", func(w io.Writer) {
			mat(cells(most/(matCellCost+1+2+4096/8)-8, doubles(strings.Repeat("n", 4096), 0, 0, nil)))(w)
		}, readMAT, nil, false},
		{"MAT, cells with indices", func(w io.Writer) { mat(cells(most/(matCellCost+1+32)-8, b.array(6, "", make([]int32, 32))))(w) }, readMAT, nil, false},
		{"MAT, too many names", func(w io.Writer) { mat(cells(most/matCellCost, doubles(strings.Repeat("n", 4096), 0, 0, nil)))(w) }, readMAT, ErrTooLarge, false},
		{"MAT, cells of a number", func(w io.Writer) { mat(cells(most/(matCellCost+1+3)-8, doubles("", 1, 1, nil)))(w) }, readMAT, nil, false},
		{"MAT, cells of cells", func(w io.Writer) { mat(cells(most/(2*matCellCost+4)-8, b.array(1, "", []int32{1, 1}, empty)))(w) }, readMAT, nil, false},
		{"MAT, cells not read", func(w io.Writer) { mat(cells(most/(matCellCost+4)-8, b.array(2, "", []int32{1, 1})))(w) }, readMAT, nil, false},
		{"MAT, images in cells", func(w io.Writer) {
			mat(b.array(1, "fea", []int32{1, int32(limit>>16 - 1)}, bytes.Repeat(bytesArray(9, "", 1<<8, 1<<8), limit>>16-1)))(w)
		}, readMAT, nil, false},
		{"MAT, text", func(w io.Writer) { mat(bytesArray(4, "a", 1, most/matCharCost-64))(w) }, readMAT, nil, false},
		{"MAT, letters", func(w io.Writer) { mat(bytesArray(4, "a", most/matCharCost-64, 1))(w) }, readMAT, nil, false},
		{"MAT, wide text", func(w io.Writer) {
			mat(b.array(4, "a", []int32{int32(most/matCharCost - 64), 1}, b.element(miUTF32, bytes.Repeat([]byte{0xff, 0xff, 0, 0}, most/matCharCost-64))))(w)
		}, readMAT, nil, false},
		{"zip, dots", func(w io.Writer) { zipped(most/(1+imageCost)/2, "%d.pgm", dot)(w) }, unzip(ImageLayout{}), nil, false},
		{"tar, dots", func(w io.Writer) { tarred(most/(2+imageCost)/2, "%d.pgm", dot, 0)(w) }, readTar, nil, false},
		{"tar, long names", func(w io.Writer) { tarred(most/(1+imageCost+1<<10)/2, strings.Repeat("n", 1<<13)+"%d.pgm", dot, 0)(w) }, readTar, nil, false},
		{"tar, links", func(w io.Writer) { tarred(1, "%d.pgm", sheet(1<<8), limit>>16-2)(w) }, readTar, nil, false},
		{"tar, too many links", func(w io.Writer) { tarred(1, "%d.pgm", dot, most/imageCost)(w) }, readTar, ErrTooLarge, false},
		{"tar, images", func(w io.Writer) { tarred(limit>>16-1, "%d.pgm", sheet(1<<8), 0)(w) }, readTar, nil, false},
		{"zip, images", func(w io.Writer) {
			zipped(limit>>16-1, "%d.png", encoded("a.png", image.NewGray(image.Rect(0, 0, 256, 256))))(w)
		}, unzip(ImageLayout{}), nil, false},
		{"PNG", func(w io.Writer) {
			zipped(4, "%d.png", encodedAs(func(w io.Writer) error {
				return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(w, image.NewNRGBA64(image.Rect(0, 0, 4096, 4096)))
			}))(w)
		}, unzip(small), nil, true},
		{"JPEG", func(w io.Writer) {
			zipped(4, "%d.jpg", encodedAs(func(w io.Writer) error {
				return jpeg.Encode(w, image.NewRGBA(image.Rect(0, 0, 4096, 4096)), nil)
			}))(w)
		}, unzip(small), nil, true},
		{"GIF", func(w io.Writer) {
			zipped(4, "%d.gif", encoded("a.gif", image.NewPaletted(image.Rect(0, 0, 4096, 4096), color.Palette{color.White})))(w)
		}, unzip(small), nil, true},
		{"BMP", func(w io.Writer) {
			zipped(2, "%d.bmp", encoded("a.bmp", image.NewGray(image.Rect(0, 0, 4096, 4096))))(w)
		}, unzip(small), nil, true},
		{"WebP", func(w io.Writer) {
			white, err := os.ReadFile("testdata/others/white.webp") // 4096×4096 in 706 bytes
			if err != nil {
				panic(err)
			}
			zipped(4, "%d.webp", white)(w)
		}, unzip(small), nil, true},
		{"TIFF", func(w io.Writer) {
			zipped(4, "%d.tif", encodedAs(func(w io.Writer) error {
				return tiff.Encode(w, image.NewNRGBA64(image.Rect(0, 0, 2896, 2896)), &tiff.Options{Compression: tiff.Deflate})
			}))(w)
		}, unzip(small), nil, true},
		{"PGM", func(w io.Writer) {
			zipped(4, "%d.pgm", append([]byte("P5 4096 4096 255\n"), make([]byte, 1<<24)...))(w)
		}, unzip(small), nil, true},
		{"PPM as text", func(w io.Writer) {
			zipped(4, "%d.ppm", append([]byte("P3 3300 3300 65535\n"), bytes.Repeat([]byte("0 "), 3300*3300*3)...))(w)
		}, unzip(small), nil, true},
		{"TIFF, a strip beyond the image", func(w io.Writer) { zipped(1, "%d.tif", stripBeyond(1<<30))(w) }, unzip(ImageLayout{}), nil, true},
		{"TIFF, a tile beyond the image", func(w io.Writer) {
			zipped(1, "%d.tif", tiffFile([][3]uint32{{256, 1, 8}, {257, 1, 8}, {258, 1, 8}, {259, 1, 8},
				{262, 1, 1}, {322, 1, 1 << 20}, {323, 1, 1 << 20}, {324, 1, 8}, {325, 1, 8}}, 0))(w)
		}, unzip(ImageLayout{}), ErrTooLarge, true},
		{"TIFF, many numbers", func(w io.Writer) {
			zipped(1, "%d.tif", append(tiffFile([][3]uint32{{256, 1, 8}, {257, 1, 8}, {273, 1 << 23, 8}, {279, 1 << 23, 8}}, 0),
				make([]byte, 1<<25)...))(w)
		}, unzip(ImageLayout{}), ErrTooLarge, true},
	}
}

// zeros has no end.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// stripBeyond is an image of 8×8 pixels whose only strip unpacks to n bytes.
func stripBeyond(n int64) []byte {
	strip := encodedAs(func(w io.Writer) error {
		z, _ := zlib.NewWriterLevel(w, zlib.BestSpeed)
		io.CopyN(z, zeros{}, n)
		return z.Close()
	})
	return append(tiffFile([][3]uint32{{256, 1, 8}, {257, 1, 8}, {258, 1, 8}, {259, 1, 8}, {262, 1, 1},
		{273, 1, 8 + 2 + 9*12 + 4}, {277, 1, 1}, {278, 1, 1<<32 - 1}, {279, 1, uint32(len(strip))}}, 0), strip...)
}
