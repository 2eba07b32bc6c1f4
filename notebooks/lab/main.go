// Command lab runs the experiments behind the notebooks at full length, and what else
// is not run every day. It runs in the root of the repository:
//
//	go run ./notebooks/lab arena      # every model on every corruption: notebook 06
//	go run ./notebooks/lab defaults   # one default for data of which nothing is known: notebook 06
//	go run ./notebooks/lab l21        # Tables 2 and 3 and Fig. 5 of notebook 01
//	go run ./notebooks/lab cauchy     # the tables of notebook 02
//	go run ./notebooks/lab disguise   # its faces with scarves and sunglasses
//	go run ./notebooks/lab occlusion  # what truncated Cauchy makes of real sunglasses and scarves
//	go run ./notebooks/lab laplace    # what makes its error under Laplace noise
//	go run ./notebooks/lab rss        # those of notebook 03
//	go run ./notebooks/lab rivals     # more rows of these, which tell causes apart
//	go run ./notebooks/lab chosen     # parameters that no label of the set has chosen
//	go run ./notebooks/lab fgd        # its two algorithms, in seconds
//	go run ./notebooks/lab rls        # those of notebook 04; -only time: its Fig. 8
//	go run ./notebooks/lab rra        # the races of notebook 05
//	go run ./notebooks/lab cost       # the costs of a round, next to the papers'
//	go run ./notebooks/lab counts     # counts with bursts and foreign samples: notebook 11
//	go run ./notebooks/lab criteria   # how well parameters are chosen
//	go run ./notebooks/lab diagnose   # how well losses are
//	go run ./notebooks/lab parts      # how near consensus parts come to planted ones
//	go run ./notebooks/lab suspects   # which samples are flagged, clean and foreign
//	go run ./notebooks/lab trial      # files of all formats, as a person has them: what is guessed wrong
//	go run ./notebooks/lab picture    # draws the picture of the README
//	go run ./notebooks/lab pack       # makes the pictures of executed notebooks smaller
//	go run ./notebooks/lab fuzz       # runs all fuzz targets
//	go run ./notebooks/lab stale      # lists stored rows of older versions
//
// Each has a package or a file of that name, which tells more, and flags, which -h
// lists. Results are stored next to the code and become part of its package, so that
// notebooks read them without a path. Most of these runs take from minutes to hours,
// and go on where they were stopped. A stored row has a version, which
// changes when its results can: a run computes rows of older versions again, and says
// which values have changed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/robustnmf/robustnmf/notebooks/lab/arena"
	"github.com/robustnmf/robustnmf/notebooks/lab/cauchy"
	"github.com/robustnmf/robustnmf/notebooks/lab/choosing"
	"github.com/robustnmf/robustnmf/notebooks/lab/claims"
	"github.com/robustnmf/robustnmf/notebooks/lab/counts"
	"github.com/robustnmf/robustnmf/notebooks/lab/l21"
	"github.com/robustnmf/robustnmf/notebooks/lab/rls"
	"github.com/robustnmf/robustnmf/notebooks/lab/rra"
	"github.com/robustnmf/robustnmf/notebooks/lab/rss"
	"github.com/robustnmf/robustnmf/notebooks/lab/yours"
)

var commands = []struct {
	name string
	run  func(ctx context.Context, args []string) error
}{
	{"arena", arena.Command},
	{"defaults", arena.DefaultsCommand},
	{"l21", l21.Command},
	{"cauchy", cauchy.Command},
	{"disguise", cauchy.DisguiseCommand},
	{"occlusion", cauchy.OcclusionCommand},
	{"laplace", cauchy.AblationCommand},
	{"rss", rss.Command},
	{"rivals", rss.FurtherCommand},
	{"chosen", rss.ChosenCommand},
	{"fgd", rss.RaceCommand},
	{"rls", rls.Command},
	{"rra", rra.Command},
	{"cost", claims.CostCommand},
	{"counts", counts.Command},
	{"criteria", choosing.Criteria},
	{"diagnose", choosing.Diagnose},
	{"parts", choosing.Parts},
	{"suspects", choosing.Suspects},
	{"trial", yours.Trial},
	{"picture", picture},
	{"pack", pack},
	{"fuzz", fuzz},
	{"stale", stale},
}

func main() {
	log.SetFlags(0)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal("lab: ", err)
	}
}

func run(ctx context.Context, args []string) error {
	var names []string
	for _, c := range commands {
		if len(args) > 0 && c.name == args[0] {
			return c.run(ctx, args[1:])
		}
		names = append(names, c.name)
	}
	return fmt.Errorf("the first argument must be one of %q, the arguments are %q", names, args)
}
