package viz_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

func ExampleTable() {
	t, err := viz.NewTable([]string{"data", "L2,1-NMF", "NMF"}, [][]any{
		{"ORL", viz.MeanDev(0.712, 0.021, 2), viz.MeanDev(0.674, 0.03, 2)},
		{"Wine", viz.Summary([]float64{0.70, 0.71, 0.72}, 2), viz.Number(0.706, 2)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	t.BoldRows(viz.Larger)
	fmt.Print(t.Markdown())
	// Output:
	// | data | L2,1-NMF | NMF |
	// | :--- | ---: | ---: |
	// | ORL | **0.71 ± 0.02** | 0.67 ± 0.03 |
	// | Wine | **0.71 ± 0.01** | **0.71** |
}

func ExampleTable_HTML() {
	t, err := viz.NewTable([]string{"model", "seconds"}, [][]any{{"NMF", 1.5}, {"r < 3", 2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	t.BoldColumn(1, viz.Smaller)
	fmt.Print(t.HTML())
	// Output:
	// <table>
	// <thead>
	// <tr><th style="text-align: left">model</th><th style="text-align: right">seconds</th></tr>
	// </thead>
	// <tbody>
	// <tr><td style="text-align: left">NMF</td><td style="text-align: right"><b>1.500</b></td></tr>
	// <tr><td style="text-align: left">r &lt; 3</td><td style="text-align: right">2</td></tr>
	// </tbody>
	// </table>
}

func TestTableEscapes(t *testing.T) {
	evil := "<script>|a|</script>&\"'$x$ *b* _c_ `d` [e](f)\\\nnext"
	tab := viz.Must(viz.NewTable([]string{evil, "n"}, [][]any{{evil, 1}}))
	tab.Caption = evil
	h := tab.HTML()
	if strings.Contains(h, "<script") || strings.Count(h, "<tr>") != 2 {
		t.Errorf("HTML is not escaped:\n%s", h)
	}
	m := tab.Markdown()
	want := `&lt;script&gt;\|a\|&lt;/script&gt;&amp;"'\$x\$ \*b\* \_c\_ \` + "`d\\`" + ` \[e\](f)\\ next`
	if !strings.Contains(m, "| "+want+" | 1 |\n") {
		t.Errorf("Markdown is not escaped:\n%s\nwant %s", m, want)
	}
	if n := strings.Count(m, "\n"); n != 5 {
		t.Errorf("%d lines:\n%s", n, m)
	}
}

func TestCells(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		cell viz.Cell
		want string
	}{
		{viz.Number(1.005, 1), "1.0"},
		{viz.Number(-0.25, 1), "−0.2"},
		{viz.Number(-0.001, 2), "0.00"},
		{viz.Number(nan, 2), "–"},
		{viz.Number(-inf, 2), "−∞"},
		{viz.Number(2.6, -3), "3"},
		{viz.MeanDev(1, nan, 1), "1.0"},
		{viz.MeanDev(nan, 1, 1), "–"},
		{viz.Summary(nil, 2), "–"},
		{viz.Summary([]float64{3}, 2), "3.00"},
		{viz.Summary([]float64{1, 2, 3, 4}, 3), "2.500 ± 1.291"},
	} {
		if c.cell.Text != c.want {
			t.Errorf("%q, want %q", c.cell.Text, c.want)
		}
	}
	tab := viz.Must(viz.NewTable([]string{"a", "b", "c", "d", "e", "f", "g"}, [][]any{{0.0, 123456.7, 1e-9, -2.5e12, nan, true, float32(0.5)}}))
	var got []string
	for _, c := range tab.Rows[0] {
		got = append(got, c.Text)
	}
	if s := strings.Join(got, " "); s != "0 123457 1.000e−9 −2.500e12 – true 0.5000" {
		t.Error(s)
	}
}

func TestBold(t *testing.T) {
	tab := viz.Must(viz.NewTable([]string{"m", "a", "b", "c"}, [][]any{
		{"x", viz.Number(0.701, 2), viz.Number(0.704, 2), viz.Number(math.NaN(), 2)},
		{"y", "no", "number", "here"},
	}))
	tab.BoldRows(viz.Larger)
	tab.BoldColumn(9, viz.Larger)
	tab.BoldRow(-1, viz.Larger)
	var bold []bool
	for _, c := range append(tab.Rows[0], tab.Rows[1]...) {
		bold = append(bold, c.Bold)
	}
	if fmt.Sprint(bold) != "[false true true false false false false false]" {
		t.Error(bold)
	}
	tab.Rows = append(tab.Rows, []viz.Cell{viz.Text("short")}) // by hand, and too short
	if strings.Count(tab.HTML(), "<td") != 12 || !strings.Contains(tab.Markdown(), "| short |  |  |  |\n") {
		t.Error("a short row is not filled up")
	}
}
