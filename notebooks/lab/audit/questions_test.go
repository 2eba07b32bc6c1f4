package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
)

// Each question has an outcome with numbers, and they are those of the claims.
func TestQuestions(t *testing.T) {
	for _, part := range []string{"start", "01", "02", "03", "04", "05", "cost"} {
		q := QuestionOf(part)
		if text := q.HTML(); !regexp.MustCompile(`\d`).MatchString(q.Here) || regexp.MustCompile(`%!|NaN|Inf`).MatchString(text) || !strings.HasSuffix(q.Ask, "?") {
			t.Errorf("%s: %s", part, text)
		} else {
			t.Log(part, text)
		}
	}
	most := regexp.MustCompile(`at best \+([\d.]+) over`)
	_, why := claims.Of("04").Only("table1")[0].Judge()
	if lead := most.FindStringSubmatch(why); lead == nil || !strings.HasSuffix(QuestionOf("04").Here, " is "+lead[1]+" points.") {
		t.Errorf("%q: the claim says %q", QuestionOf("04").Here, why)
	}
	_, why = claims.Of("02").Only("laplace-rounds")[0].Judge()
	var error16, least, rounds float64
	_, text, _ := strings.Cut(why, "as in Table 2 ")
	if _, err := fmt.Sscanf(text, "%f (by rule (16) %f, after %f rounds", &least, &error16, &rounds); err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("after %.0f, at %.0f %%", rounds, 100*error16); !strings.Contains(QuestionOf("02").Here, want) {
		t.Errorf("%q: the claim says %q", QuestionOf("02").Here, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a question of no part")
		}
	}()
	QuestionOf("06")
}

func TestOneSided(t *testing.T) {
	gaps := [][]float64{{4, 5}, {4, -5}, {-4, -5}, {3, 9}}
	if got := oneSided([]string{"a", "b", "c", "d"}, func(i int) []float64 { return gaps[i] }, 3); !slices.Equal(got, []string{"a", "c"}) {
		t.Errorf("%v", got)
	}
}
