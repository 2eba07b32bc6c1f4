package rss

import (
	_ "embed"
	"sync"

	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

//go:embed printed.csv
var paper string

// Paper returns the numbers of the paper's Tables 2 to 5: of each table, set, number of classes
// k and model the accuracy and the nmi, in percent.
var Paper = sync.OnceValue(func() stored.Table { return stored.Parse(paper) })
