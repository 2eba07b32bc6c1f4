package beam

import (
	"context"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// BenchmarkFit compares a round on Beam with one of panel.Batch, for panels of several sizes: the table
// in the documentation.
func BenchmarkFit(b *testing.B) {
	for _, width := range []int{64, 1024, 8192} {
		dir := b.TempDir()
		x := planted(b, filepath.Join(dir, "x"), 1024, 8*width, width)
		fit := panel.Batch{Model: rnmf.Model{Rank: 20, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, Seed: 2, MaxIter: 30, Tol: -1}}
		for _, how := range []string{"batch", "beam"} {
			b.Run(filepath.Join(how, sizeOf(x)), func(b *testing.B) {
				for b.Loop() {
					fit.State = b.TempDir()
					var err error
					if how == "beam" {
						_, err = Fit(context.Background(), fit, filepath.Join(dir, "x"))
					} else {
						_, err = fit.Fit(context.Background(), x)
					}
					if err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N*(fit.Model.MaxIter+1)), "ms/round")
			})
		}
	}
}

// sizeOf is the size of X in MB.
func sizeOf(x *panel.Folder) string {
	m, n := x.Dims()
	return strconv.Itoa(8*m*n>>20) + "MB"
}
