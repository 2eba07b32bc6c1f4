package beam

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// BenchmarkFit compares a round on Beam with one of panel.Batch, for panels of several sizes: the table
// in the documentation. The two take turns, because the machine may have other work; what is reported
// are medians over the turns.
func BenchmarkFit(b *testing.B) {
	for _, width := range []int{64, 1024, 8192} {
		dir := b.TempDir()
		x := planted(b, filepath.Join(dir, "x"), 1024, 8*width, width)
		fit := panel.Batch{Model: rnmf.Model{Rank: 20, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, Seed: 2, MaxIter: 30, Tol: -1}}
		b.Run(sizeOf(x), func(b *testing.B) {
			var batch, beam []float64
			for b.Loop() {
				begin := time.Now()
				fit.State = b.TempDir()
				if _, err := fit.Fit(context.Background(), x); err != nil {
					b.Fatal(err)
				}
				between := time.Now()
				fit.State = b.TempDir()
				if _, err := Fit(context.Background(), fit, filepath.Join(dir, "x")); err != nil {
					b.Fatal(err)
				}
				rounds := float64(fit.Model.MaxIter + 1)
				batch, beam = append(batch, 1e3*between.Sub(begin).Seconds()/rounds), append(beam, 1e3*time.Since(between).Seconds()/rounds)
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(batch), "ms/round-batch")
			b.ReportMetric(median(beam), "ms/round-beam")
		})
	}
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// sizeOf is the size of X in MB.
func sizeOf(x *panel.Folder) string {
	m, n := x.Dims()
	return strconv.Itoa(8*m*n>>20) + "MB"
}
