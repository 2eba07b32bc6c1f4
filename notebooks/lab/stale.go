package main

import (
	"context"
	"flag"
	"fmt"
	"slices"

	"github.com/robustnmf/robustnmf/notebooks/lab/arena"
	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/counts"
	"github.com/robustnmf/robustnmf/notebooks/lab/l21"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
)

// stale lists the stored rows that are of an older version, by what has a version.
func stale(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("stale", flag.ContinueOnError)
	all := f.Bool("all", false, "list what is current, too")
	if err := f.Parse(args); err != nil {
		return err
	}
	older, rows := 0, 0
	for _, file := range slices.Concat(l21.Files(ctx), cauchy.Files(ctx), rss.Files(ctx), rls.Files(ctx), rra.Files(ctx), claims.Files(ctx), arena.Files(ctx), counts.Files(ctx)) {
		names, err := file.Stale()
		if err != nil {
			return err
		}
		for _, n := range names {
			older, rows = older+n.Stale, rows+n.All
			if n.Stale > 0 || *all {
				fmt.Printf("%5d of %5d  %s\n", n.Stale, n.All, n.Name)
			}
		}
	}
	fmt.Printf("%d of %d stored rows are of an older version, or of none that is known\n", older, rows)
	return nil
}
