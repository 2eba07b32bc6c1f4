package lesson

import (
	"context"
	"os"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// Explore explores a set as a study says, with lines of progress. In the quick setting it fits two
// starts, and three parts if the study does not say how many.
func Explore(st explore.Study, s *datasets.Set) *explore.Analysis {
	st.Progress = explore.Lines(os.Stdout)
	if Quick() {
		if st.Starts = 2; st.Rank == 0 {
			st.Rank = 3
		}
	}
	return Must(st.Run(context.Background(), s))
}
