package viz_test

import (
	"bytes"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

// BenchmarkConvergence is what a live curve costs at each tick.
func BenchmarkConvergence(b *testing.B) {
	t := trace(500)
	for b.Loop() {
		c := viz.Must(viz.Convergence([]viz.Curve{{Name: "a", Trace: t}}, viz.ConvergenceOptions{LogY: true}))
		var out bytes.Buffer
		if err := viz.WritePNG(&out, c); err != nil {
			b.Fatal(err)
		}
	}
}
