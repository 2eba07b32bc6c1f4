package audit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
)

// Labels are all stored trials of the third paper's experiment on a set, accuracies or NMI, and what the paper
// prints for it, by the number of classes. RSS-NMF with a weight and as printed stand next to the same numbers.
func Labels(set, value string) Table {
	t := newTable(map[string]string{"accuracy": "accuracy, %", "nmi": "NMI, %"}[value], "RSS-NMF, printed", "RSS-NMF")
	for _, row := range slices.Concat(rss.Results().Where("kind", "tables", "set", set), rss.Further().Where("kind", "rows", "set", set)) {
		t.Ours.Add(row.Text("model"), set+" "+row.Text("level"), 100*row.Number(value))
	}
	for _, rival := range slices.Concat(rss.Rivals(), rss.FurtherRivals()) {
		as := rival.Paper
		if rival.Name == "RSS-NMF" {
			as = "RSS-NMF"
		}
		for _, row := range rss.Paper().Where("set", set, "model", as) {
			t.Paper.Add(rival.Name, set+" "+row.Text("k"), row.Number(value))
		}
	}
	return t
}

// Deep are the printed and the stored numbers of the deep rivals on a set, in percent, by the number of classes, and
// those of RSS-NMF on the same trials.
func Deep(printed, results stored.Table, set, value string) *lesson.Results {
	all := &lesson.Results{Digits: 1}
	for _, row := range printed.Where("set", set) {
		all.Add(row.Text("method")+", printed", row.Text("k"), row.Number(value))
	}
	for _, row := range results.Where("set", set) {
		all.Add(row.Text("method"), row.Text("k"), 100*row.Number(value))
		if row.Text("method") != "IDEC" { // one row of each trial
			continue
		}
		for _, own := range rss.Results().Where("kind", "tables", "set", set, "model", "RSS-NMF", "level", row.Text("k"), "trial", row.Text("trial")) {
			all.Add("RSS-NMF, same trials", row.Text("k"), 100*own.Number(value))
		}
	}
	return all
}

// DeepGaps are differences in points of accuracy, a column for each set and number of classes. The title has the mean leads of
// MSAEClust, on images of half the size, over RSS-NMF.
func DeepGaps(printed, results stored.Table) (title string, gaps *lesson.Results) {
	const half = "MSAEClust ½"
	pairs := [][2]string{{half, "RSS-NMF, same trials"}, {half, "MSAEClust, printed"}, {"IDEC", "IDEC, printed"}, {"IDEC", "autoencoder"}}
	gaps = &lesson.Results{Digits: 1}
	var leads []string
	for _, set := range []string{"Yale", "UMIST", "GT"} {
		accuracy := Deep(printed, results, set, "accuracy")
		lead := new(lesson.Results)
		for _, k := range accuracy.Columns {
			for _, pair := range pairs {
				gaps.Add(pair[0]+" − "+pair[1], set+" "+k, accuracy.Mean(pair[0], k)-accuracy.Mean(pair[1], k))
			}
			lead.Add("", "", accuracy.Mean(half, k)-accuracy.Mean("RSS-NMF, same trials", k))
		}
		if len(accuracy.Columns) > 0 {
			leads = append(leads, fmt.Sprintf("%+.1f on %s", lead.Mean("", ""), set))
		}
	}
	return half + " − RSS-NMF: " + strings.ReplaceAll(strings.Join(leads, ", "), "-", "−"), gaps
}
