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
// (panel.Driver.Take). Numbers of panels are all that passes through Beam. Data, coefficients and
// statistics lie in files, written so that a worker which was thought dead does no harm. As Beam
// has no loops, a job has several rounds, the more the longer a runner takes to begin and end a
// job: Fit aims at a tenth of its time for that. Between jobs the state folder is one of panel.Batch,
// which can lead the fit on, and the other way round.
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
// L2,1 at rank 20, for eight panels of 1,024 rows, on two cores that other programs kept busy at the
// same time (go test -run XXX -bench Fit -benchtime 1x):
//
//	X        panel.Batch   Fit, Prism in the process
//	4 MB              30                         355
//	64 MB            122                         688
//	512 MB         1,063                       3,398
//
// So the overhead is a third of a second and more. On several machines, among which the time of a
// round is divided, Beam can be ahead once a round of panel.Batch takes some seconds, and is needed
// where one machine cannot hold the data.
package beam
