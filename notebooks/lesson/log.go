package lesson

import "github.com/robustnmf/robustnmf/viz"

// LogY gives a chart of positive numbers a logarithmic vertical axis, and returns it.
func LogY(c *viz.Chart) *viz.Chart {
	like := Must(viz.Lines([]viz.Series{{Y: []float64{1, 10}}}, viz.LinesOptions{LogY: true}))
	c.Y.Scale, c.Y.Tick.Marker = like.Y.Scale, like.Y.Tick.Marker
	return c
}
