package lesson

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

var loads int

type kept struct {
	Set    *datasets.Set
	Result *rnmf.Result
}

func loadKept() kept {
	loads++
	s := datasets.TenPoints()
	s.X.Set(0, 0, math.NaN())
	r, err := rnmf.Model{Rank: 1, Loss: rnmf.Huber{}, Mask: datasets.Known(s.X)}.Fit(context.Background(), s.X)
	Check(err)
	return kept{s, r}
}

// What is kept comes back with its names and its loss, without being made again.
func TestKeep(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	loads = 0
	first, second := Keep(loadKept), Keep(loadKept)
	if loads != 1 {
		t.Errorf("it was loaded %d times", loads)
	}
	if !math.IsNaN(second.Set.X.At(0, 0)) || second.Set.String() != first.Set.String() || second.Result.Loss != first.Result.Loss {
		t.Errorf("%v came back as %v", first, second)
	}
	// A file that is damaged is made anew.
	files, err := filepath.Glob(filepath.Join(os.TempDir(), "rnmf-kept-*", "*"))
	if err != nil || len(files) != 1 || !strings.Contains(files[0], "lesson.loadKept-") {
		t.Fatalf("%v, %v", files, err)
	}
	if err := os.WriteFile(files[0], []byte("no gob"), 0o600); err != nil {
		t.Fatal(err)
	}
	if third := Keep(loadKept); loads != 2 || third.Set == nil {
		t.Errorf("it was loaded %d times", loads)
	}
	if _, err := keptAs(func() int { return 1 }); err == nil || !strings.Contains(err.Error(), "no name") {
		t.Error(err)
	}
}
