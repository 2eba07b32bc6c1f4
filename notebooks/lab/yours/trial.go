package yours

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/internal/newfile"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// A tried file is one of a format that a person may have, with what is true of it. Of public data the
// file lies in the folder that RNMF_DATA names.
type tried struct {
	format, file      string
	features, samples int
	classes           int
	height, width     int
	kind              explore.DataKind
	sideways          bool // images lie so without OpenOptions.Sideways
	path              string
	refused           string // what the error says
	write             func(path string) error
	options           datasets.OpenOptions
	rank              int
	cure              string // what a note says of the option that mends a wrong guess
}

// files returns those of the trial; what is written goes into a folder.
func files(folder string) []tried {
	public := func(name string) string { return filepath.Join(os.Getenv(datasets.FolderEnv), name) }
	digits := func(path string) error {
		f, err := os.Create(path)
		if err != nil {
			return err
		}
		return cmp.Or(datasets.Digits().WriteNPZ(f), f.Close())
	}
	_, clothes := datasets.Fashion().Dims()
	return []tried{
		{format: "CSV without names", path: public("wine.data"), features: 13, samples: 178, classes: 3, kind: explore.Measurements},
		{format: "CSV", path: public("vehicle.csv"), features: 18, samples: 846, classes: 4, kind: explore.Measurements},
		{format: "text with blanks", path: public("german.data-numeric"), features: 24, samples: 1000, classes: 2, kind: explore.Measurements, cure: `Label: "25"`},
		{format: "folder of images", file: "photos", features: 14 * 14, samples: 400, classes: 10, height: 14, width: 14, kind: explore.Images},
		{format: "archive of images", path: public("ORL_faces.tar.gz"), features: 64 * 53, samples: 400, classes: 40, height: 64, width: 53, kind: explore.Images},
		{format: "folder of .mtx", file: "words", features: 565, samples: 137, kind: explore.Counts},
		{format: ".h5ad", path: filepath.Join("datasets", "testdata", "hdf5", "csr.h5ad"), features: 3, samples: 4, classes: 4, kind: explore.Measurements, rank: 1},
		{format: ".npz", file: "digits.npz", write: digits, features: 64, samples: 1797, classes: 10, height: 8, width: 8, kind: explore.Images, cure: "Height"},
		{format: ".mat", path: public("COIL20.mat"), features: 1024, samples: 1440, classes: 20, height: 32, width: 32, kind: explore.Images, cure: "Height"},
		{format: ".mat", path: public("JAFFE_32x32.mat"), features: 1024, samples: 213, classes: 10, height: 32, width: 32, kind: explore.Images, sideways: true, cure: "Sideways"},
		{format: "IDX", path: filepath.Join("datasets", "embed", "fashion-images-idx3-ubyte.gz"), features: 784, samples: clothes, classes: 10, height: 28, width: 28, kind: explore.Images},
		{format: "Parquet", file: "table.parquet", write: func(path string) error { return os.WriteFile(path, []byte("PAR1"), 0o600) }, refused: "datasets/columnar"},
	}
}

// Trial opens a file of each format as a person does who knows nothing of this package, explores it, and
// writes what was guessed right and wrong, and the seconds from the path to the report. The program is
//
//	s, err := datasets.Open(ctx, path, datasets.OpenOptions{})
//	a, err := explore.Run(ctx, s)
//	err = a.Save("report")
func Trial(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("trial", flag.ContinueOnError)
	out := f.String("out", "notebooks/lab/yours/trial.txt", "new `file` to write")
	if err := f.Parse(args); err != nil {
		return err
	}
	return newfile.Write(*out, func(w io.Writer) error { return trial(ctx, io.MultiWriter(w, os.Stdout), files) })
}

func trial(ctx context.Context, w io.Writer, files func(folder string) []tried) error {
	folder, err := Folder()
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	fmt.Fprintf(w, "Three lines of Go, or one command: from a file to report.html\n%-18s %-26s %8s  %-44s %s\n", "format", "file", "seconds", "found", "guessed wrong (and whether a note names the cure)")
	for _, c := range files(folder) {
		switch {
		case c.file == "photos" || c.file == "words":
			e, err := Photos()
			if c.file == "words" {
				e, err = Words()
			}
			if err != nil {
				return err
			}
			c.path = e.Path
			defer os.RemoveAll(filepath.Dir(e.Path))
		case c.write != nil:
			c.path = filepath.Join(folder, c.file)
			if err := c.write(c.path); err != nil {
				return err
			}
		}
		begin := time.Now()
		s, err := datasets.Open(ctx, c.path, c.options)
		if c.refused != "" {
			verdict := "refused, with the cure"
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				verdict = fmt.Sprintf("refused without the cure: %v", err)
			}
			fmt.Fprintf(w, "%-18s %-26s %8s  %s\n", c.format, filepath.Base(c.path), "–", verdict)
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		a, err := explore.Study{Rank: c.rank}.Run(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		if err := a.Save(filepath.Join(folder, strings.ReplaceAll(c.format+" "+s.Name, " ", "-"))); err != nil {
			return fmt.Errorf("%s: %w", c.path, err)
		}
		_, n := s.Dims()
		found := fmt.Sprintf("%d parts, %d of %d samples and %d values wrong", a.Rank, len(a.BadSamples()), n, len(a.BadEntries()))
		fmt.Fprintf(w, "%-18s %-26s %8.1f  %-44s %s\n", c.format, filepath.Base(c.path), time.Since(begin).Seconds(), found, cmp.Or(c.wrong(s, a.Kind), "nothing"))
	}
	return nil
}

// wrong tells what was guessed wrong.
func (c tried) wrong(s *datasets.Set, kind explore.DataKind) string {
	var wrong []string
	differs := func(what string, is, want int) {
		if is != want && c.features > 0 {
			wrong = append(wrong, fmt.Sprintf("%s %d for %d", what, is, want))
		}
	}
	m, n := s.Dims()
	differs("features", m, c.features)
	differs("samples", n, c.samples)
	differs("classes", len(s.Classes), c.classes)
	differs("height", s.Height, c.height)
	differs("width", s.Width, c.width)
	if kind != c.kind {
		wrong = append(wrong, fmt.Sprintf("%v for %v", kind, c.kind))
	}
	if c.sideways {
		wrong = append(wrong, "the images lie on their side")
	}
	if wrong == nil {
		return ""
	}
	said := "no note"
	if c.cure != "" && strings.Contains(s.String(), c.cure) {
		said = "a note"
	}
	return strings.Join(wrong, ", ") + " (" + said + ")"
}
