// Command store runs the deep rivals on the sets of the RSS-NMF paper's tables and stores
// what comes out, for notebook 03. It runs in the folder of the module, and goes on where
// it was stopped:
//
//	RNMF_DATA=folder GOEXPERIMENT=simd go run ./store
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"os"
	"os/signal"

	"github.com/robustnmf/robustnmf/notebooks/lab/deep"
)

func main() {
	log.SetFlags(log.Ltime)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := deep.Command(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		log.Fatal("store: ", err)
	}
}
