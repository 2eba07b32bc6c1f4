package claims

import (
	"regexp"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/viz"
)

// The titles of the pictures say what the rules return.
func TestSurprises(t *testing.T) {
	title := map[string]string{}
	for i, paper := range []string{"01", "02", "04", "05"} {
		title[paper] = Surprises(Stored())[i].(*viz.Chart).Title.Text
		if !strings.HasPrefix(title[paper], paper) || regexp.MustCompile("NaN|Inf").MatchString(title[paper]) {
			t.Errorf("%q is the title of paper %s", title[paper], paper)
		}
	}
	number := regexp.MustCompile(`[\d.]+`)
	for paper, says := range map[string]string{"04": " is ahead in N,", "05": "N becomes "} {
		_, why := Of(paper).Only(Surprising[paper])[0].Judge()
		numbers := number.FindAllString(title[paper], -1)
		n := map[string]string{"04": numbers[len(numbers)-1], "05": numbers[1]}[paper]
		if says = strings.Replace(says, "N", n, 1); !strings.Contains(why, says) {
			t.Errorf("the picture %q: the claim says %q, without %q", title[paper], why, says)
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
