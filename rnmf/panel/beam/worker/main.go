// Command worker is a pool of workers for package beam: a runner of Beam that is told
// --environment_type=EXTERNAL and --environment_config=HOST:PORT starts its workers here.
//
// usage: worker [-port 50000]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx" // file systems, and the flags of workers in containers

	_ "github.com/robustnmf/robustnmf/rnmf/panel/beam" // what they work on
)

func main() {
	port := flag.Int("port", 50000, "port of this machine that the runner speaks to")
	flag.Parse()
	beam.Init() // does not return where a runner has started this program as a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	pool, err := extworker.StartLoopback(ctx, *port)
	if err != nil {
		fmt.Fprintln(os.Stderr, "worker:", err)
		os.Exit(1)
	}
	fmt.Println("workers at", pool.EnvironmentConfig(ctx))
	<-ctx.Done()
}
