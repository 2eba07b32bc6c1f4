// Package beam fits panels of data (package panel) on many machines, with Apache Beam. It is a module
// of its own because of the libraries that this needs.
//
//	err := panel.Write("x", samples, 4096, false)            // in a folder that all workers see
//	b := panel.Batch{Model: rnmf.L21NMF(20), State: "fit"}   // and so is this one
//	r, err := beam.Fit(ctx, b, "x")
//
// The result has the same bits as that of b.Fit, wherever the workers are. By default they are in this
// process, led by Beam's runner Prism, and nothing has to be started.
//
// # How it works
//
// A round is two steps of a pipeline: every panel does its half-step and writes its statistics
// (panel.Round.Step); one worker adds these in the order of panels and finds the next W
// (panel.Driver.Take), and the next round begins with what that worker returns. Numbers of panels are
// all that passes through Beam. Data, coefficients and statistics lie in files, written so that a
// worker which was thought dead does no harm. As Beam has no loops, a job has several rounds, the
// more the longer a runner takes to begin and end a job: Fit aims at a tenth of its time for that.
// Between jobs the state folder is one of panel.Batch, which can lead the fit on, and the other way
// round.
//
// Folders are local, or on a disk that all workers mount, or in an object store by the scheme of
// their names ("gs://bucket/x"), with the file systems of Beam; of these Google's is linked in, and
// Amazon's with an import of github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3 in your
// program. A process works on two panels at once and has up to four in memory. One worker reads the
// statistics of all panels in each round, m×r numbers each.
//
// Beam writes a log by package log/slog; slog.SetDefault(slog.New(slog.DiscardHandler)) silences it.
//
// # Workers on other machines
//
// Where the workers are is said by Beam's own flags: call flag.Parse and then Beam's Init in your main
// function, or flag.Set in a notebook. Tested is a job server, a pool of workers and a program as
// three processes:
//
//	go run github.com/apache/beam/sdks/v2/go/cmd/prism@v2.77.0
//	go run github.com/robustnmf/robustnmf/rnmf/panel/beam/worker@latest -port 50000
//	yours --runner=universal --endpoint=localhost:8073 --environment_type=EXTERNAL --environment_config=localhost:50000
//
// Not tried are the following runners, for lack of a cluster. Their flags are those of Beam's
// documentation (https://beam.apache.org/get-started/quickstart-go); each starts a copy of your
// program as its workers, in a container, unless --environment_type=EXTERNAL says otherwise:
//
//	yours --runner=flink --endpoint=localhost:8099       # a job server of Flink
//	yours --runner=spark --endpoint=localhost:8099       # a job server of Spark
//	yours --runner=dataflow --project=PROJECT --region=REGION \
//	    --temp_location=gs://BUCKET/tmp/ --staging_location=gs://BUCKET/binaries/
//
// # When it pays
//
// On one machine, never: panel.Batch does the same without the overhead. Milliseconds of a round of
// L2,1 at rank 20, for eight panels of 1,024 rows, on two processors that other programs kept busy at
// the same time; medians of five turns (go test -run XXX -bench Fit -benchtime 5x):
//
//	           by the clock              of the processors
//	X       panel.Batch   Fit, Prism     panel.Batch   Fit, Prism
//	4 MB             22           72              14           40
//	64 MB           170          210              76           97
//	512 MB          814          761             411          454
//
// Five more runs under changing load, three or five turns each, had medians of 56 to 116 ms for Fit and
// 19 to 36 ms for panel.Batch at 4 MB by the clock, and of 41 to 53 ms and 12 to 20 ms of the
// processors. So the overhead is 20 to 45 ms of the processors a round, a tenth of a round at 512 MB.
//
// On several machines, which divide a round, Fit can be ahead of panel.Batch once a round of that takes
// some tenths of a second, here at a few hundred MB. That is an estimate for Prism, as there was one
// machine; runners that take longer to begin a step move it up. Where one machine cannot hold the
// data, Beam is needed.
package beam
