package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"

	"github.com/robustnmf/robustnmf/notebooks/lab/arena"
	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/counts"
	"github.com/robustnmf/robustnmf/notebooks/lab/l21"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/stored"
)

// stale lists the stored rows that are of an older version, by what has a version.
func stale(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("stale", flag.ContinueOnError)
	all := f.Bool("all", false, "list what is current, too")
	rivals := f.Bool("deep", true, "also those of the deep rivals, whose build may take minutes")
	if err := f.Parse(args); err != nil {
		return err
	}
	if err := stored.ListStale(os.Stdout, *all, slices.Concat(l21.Files(ctx), cauchy.Files(ctx), rss.Files(ctx), rls.Files(ctx), rra.Files(ctx), claims.Files(ctx), arena.Files(ctx), counts.Files(ctx))...); err != nil {
		return err
	}
	if !*rivals {
		return nil
	}
	// The deep rivals are in a module of their own, and their rows are of a build of their own.
	deep := exec.CommandContext(ctx, "go", "-C", "notebooks/lab/deep", "run", "./store", "-stale")
	deep.Env = append(os.Environ(), "GOEXPERIMENT=simd")
	deep.Stdout, deep.Stderr = os.Stdout, os.Stderr
	if err := deep.Run(); err != nil {
		return fmt.Errorf("the deep rivals, in notebooks/lab/deep: %w", err)
	}
	return nil
}
