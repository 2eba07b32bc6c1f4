package lesson

import (
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

// Each claim is a line, and the table is there in full.
func TestVerdicts(t *testing.T) {
	table, err := viz.NewTable([]string{"in the paper", "claim", "rule", "verdict", "because"}, [][]any{
		{"Fig. 1", "a < b", "at all points", "partly", "at 3 of 4"}, {"Fig. 2", "it ends", "in 100 rounds", "not", "200"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := verdicts(table)
	if want := "<summary><b>partly</b> · Fig. 1: a &lt; b<br><b>not</b> · Fig. 2: it ends</summary>"; !strings.Contains(got, want) {
		t.Errorf("%s\nis without %s", got, want)
	}
	if !strings.Contains(got, table.HTML()) {
		t.Errorf("%s\nis without the table", got)
	}
}
