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
// (panel.Round.Do); one worker adds these in the order of panels and finds the next W
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
// L2,1 at rank 20, for eight panels of 1,024 rows, on two processors with nothing else to do; medians of
// five turns (go test -run XXX -bench Fit -benchtime 5x):
//
//	           by the clock              of the processors
//	X       panel.Batch   Fit, Prism     panel.Batch   Fit, Prism
//	4 MB             10           31              13           43
//	64 MB            52           66              84          107
//	512 MB          263          262             455          478
//
// Another run had 8 and 26 ms at 4 MB, 50 and 64 at 64 MB, 246 and 253 at 512 MB. So the overhead is 15
// to 20 ms of a round by the clock at 4 and 64 MB, and no more than the runs differ at 512 MB. Next to
// programs that keep the processors busy it was up to 50 ms.
//
// Two machines, which halve a round, can be ahead of panel.Batch once a round takes more than twice the
// overhead, here from 64 MB on. That is an estimate for Prism, as there was one machine; a network, and
// runners that take longer to begin a step, move it up. Where one machine cannot hold the data, Beam is
// needed.
package beam
