package claims

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

// The titles of the pictures say what the rules return.
func TestSurprises(t *testing.T) {
	title, pictures := map[string]string{}, Surprises(Stored())
	for i, paper := range []string{"01", "02", "03", "04"} {
		title[paper] = pictures[i].(*viz.Chart).Title.Text
		if !strings.HasPrefix(title[paper], paper) || regexp.MustCompile("NaN|Inf").MatchString(title[paper]) {
			t.Errorf("%q is the title of paper %s", title[paper], paper)
		}
	}
	judged := regexp.MustCompile(`ahead in (\d+), .* of (\d+),`)
	for paper, titled := range map[string]string{"03": `in (\d+) of (\d+) cells`, "04": `of (\d+) by labels, on (\d+)`} {
		_, why := Of(paper).Only(Surprising[paper])[0].Judge()
		numbers, want := regexp.MustCompile(titled).FindStringSubmatch(title[paper])[1:], judged.FindStringSubmatch(why)[1:]
		slices.Sort(numbers)
		if slices.Sort(want); !slices.Equal(numbers, want) {
			t.Errorf("the picture %q: the claim says %q", title[paper], why)
		}
	}
}

// A list of several papers says where each claim is from, and leaves the papers' own lists as they are.
func TestFrom(t *testing.T) {
	open, count := AllOpen(), 0
	for paper := range Papers {
		count += Of(paper).Tally()[Open]
	}
	if len(open) != count || len(open) == 0 {
		t.Errorf("%d open claims, want %d", len(open), count)
	}
	for _, c := range open {
		if v, _ := c.Judge(); v != Open || !regexp.MustCompile("^0[1-5], ").MatchString(c.Where) {
			t.Errorf("%s, %q: %s", c.Key, c.Where, v)
		}
	}
	if where := Of("01").Only("german")[0].Where; where != "Table 3" || From("01", "german")[0].Where != "01, Table 3" {
		t.Errorf("German is in %q and %q", where, From("01", "german")[0].Where)
	}
}
