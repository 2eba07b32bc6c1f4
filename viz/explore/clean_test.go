package explore

import (
	"errors"
	"os"
	"testing"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/rnmf"
)

// On sets that nobody has spoiled few entries and few samples are called bad: the mean share is below 2 %. What
// is shown of each set is the share of entries, of samples, and of those that are rare.
func TestCleanSets(t *testing.T) {
	if testing.Short() {
		t.Skip("explores up to sixteen sets")
	}
	if os.Getenv(datasets.FolderEnv) == "" {
		t.Setenv(datasets.FolderEnv, "../../../shared/data")
	}
	var entries, samples float64
	sets := 0
	run := func(s *datasets.Set, rank int) {
		m, n := s.Dims()
		a, err := Study{Rank: rank, Loss: rnmf.HuberNMF(1).Loss, Starts: 2}.Run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		e, b := float64(len(a.BadEntries()))/float64(m*n), float64(len(a.BadSamples()))/float64(n)
		t.Logf("%-28s %4d×%-4d far %5.1f: %.2f %% of entries, %.2f %% of samples, %.2f %% rare", s.Name, m, n, a.Far, 100*e, 100*b, 100*float64(len(a.RareSamples()))/float64(n))
		entries, samples, sets = entries+e, samples+b, sets+1
	}
	some := func(s *datasets.Set, n int) *datasets.Set {
		_, all := s.Dims()
		var columns []int
		for j := range min(n, all) {
			columns = append(columns, j*all/min(n, all))
		}
		t2, err := s.Pick(columns)
		if err != nil {
			t.Fatal(err)
		}
		return t2
	}
	run(some(datasets.Digits(), 200), 8)
	run(datasets.Wine(), 3)
	run(some(datasets.Fashion(), 150), 10)
	for _, c := range []struct {
		source *datasets.PublicSet
		rank   int
	}{{datasets.ORL, 15}, {datasets.Yale, 10}, {datasets.Semeion, 10}, {datasets.UMISTSmall, 10}, {datasets.COIL20, 15}, {datasets.Pendigits, 6}, {datasets.Vehicle, 4}, {datasets.German, 6}, {datasets.BinaryAlphadigits, 15}, {datasets.CMUPIE, 10}, {datasets.MNISTTest, 10}, {datasets.JAFFE, 10}, {datasets.Palm, 10}} {
		if os.Getenv("RNMF_CI") == "" {
			break
		}
		s, err := c.source.Load(t.Context())
		if errors.Is(err, datasets.ErrNotFound) {
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		run(some(s, 150), c.rank)
	}
	t.Logf("%d sets: %.2f %% of entries, %.2f %% of samples", sets, 100*entries/float64(sets), 100*samples/float64(sets))
	if entries > 0.02*float64(sets) || samples > 0.02*float64(sets) {
		t.Errorf("more than 2 %% of clean data are flagged")
	}
}
