//go:build unix

package beam

import (
	"context"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/robustnmf/robustnmf/rnmf"
	"github.com/robustnmf/robustnmf/rnmf/panel"
)

// BenchmarkFit compares a round on Beam with one of panel.Batch, for panels of several sizes: the table
// in the documentation. The two take turns, because the machine may have other work; what is reported
// are medians over the turns, of seconds of the clock and of processors.
func BenchmarkFit(b *testing.B) {
	for _, width := range []int{64, 1024, 8192} {
		dir := b.TempDir()
		x := planted(b, filepath.Join(dir, "x"), 1024, 8*width, width)
		fit := panel.Batch{Model: rnmf.Model{Rank: 20, Loss: rnmf.ByColumn{Loss: rnmf.L1{Eps: 1e-2}}, Seed: 2, MaxIter: 30, Tol: -1}}
		ways := map[string]func() error{
			"batch": func() error { _, err := fit.Fit(context.Background(), x); return err },
			"beam":  func() error { _, err := Fit(context.Background(), fit, filepath.Join(dir, "x")); return err },
		}
		b.Run(sizeOf(x), func(b *testing.B) {
			took := map[string][]float64{}
			for b.Loop() {
				for way, f := range ways {
					fit.State = b.TempDir()
					begin, busy := time.Now(), processors(b)
					if err := f(); err != nil {
						b.Fatal(err)
					}
					rounds := float64(fit.Model.MaxIter + 1)
					took[way] = append(took[way], 1e3*time.Since(begin).Seconds()/rounds)
					took[way+"-cpu"] = append(took[way+"-cpu"], 1e3*(processors(b)-busy)/rounds)
				}
			}
			b.ReportMetric(0, "ns/op")
			for what, v := range took {
				b.ReportMetric(median(v), "ms/round-"+what)
			}
		})
	}
}

// processors is the time that the processors have spent on this process, in seconds.
func processors(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// sizeOf is the size of X in MB.
func sizeOf(x *panel.DiskSource) string {
	m, n := x.Dims()
	return strconv.Itoa(8*m*n>>20) + "MB"
}
