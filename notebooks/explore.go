package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/viz/explore"
)

// An exploration is what -explore and the flags beside it say.
type exploration struct {
	path    string
	size    string
	options datasets.OpenOptions
	rank    int
}

func (e *exploration) flags(fs *flag.FlagSet) {
	fs.StringVar(&e.path, "explore", "", "explore this `file` or folder of yours: write a report, tables and a notebook into a new folder")
	fs.StringVar(&e.options.ID, "id", "", "with -explore: the `column` (or array) that names the samples; - is none")
	fs.StringVar(&e.options.Label, "label", "", "with -explore: the `column` (or array) of the classes; - is none")
	fs.StringVar(&e.options.Data, "data", "", "with -explore: the `array` or variable of the data, in files of several")
	fs.Func("skip", "with -explore: `columns` to leave out, with commas between", func(text string) error {
		e.options.Skip = append(e.options.Skip, listed(text)...)
		return nil
	})
	fs.Func("missing", "with -explore: `values` that mean missing, with commas between: ?,-1,>=9999; with semicolons, commas belong to them: <0,60;NA", e.takeMissing)
	fs.StringVar(&e.size, "size", "", "with -explore: `HEIGHTxWIDTH` that pictures are made smaller to, or that the rows of a matrix have: 32x24")
	fs.BoolVar(&e.options.Transposed, "transpose", false, "with -explore: what is taken for a feature is a sample")
	fs.BoolVar(&e.options.Sideways, "sideways", false, "with -explore: turn images that lie on their side")
	fs.IntVar(&e.rank, "rank", 0, "with -explore: the `number` of parts; 0 finds it")
}

// check finds flags that mean nothing without -explore, and those that mean nothing with it.
func (e *exploration) check(fs *flag.FlagSet) error {
	var others, ours []string
	explores := false
	fs.Visit(func(f *flag.Flag) {
		switch {
		case f.Name == "explore":
			explores = true
		case strings.HasPrefix(f.Usage, "with -explore"):
			ours = append(ours, f.Name)
		default:
			others = append(others, f.Name)
		}
	})
	switch {
	case explores && e.path == "":
		return errors.New(`-explore "": want the path of a file or folder`)
	case explores && others != nil:
		return fmt.Errorf("-%s does not go with -explore", others[0])
	case !explores && ours != nil:
		return fmt.Errorf("-%s is for -explore, which is not there", ours[0])
	}
	if e.rank < 0 {
		return fmt.Errorf("-rank %d: want 1 or more, or 0 to find it", e.rank)
	}
	if m := sizeForm.FindStringSubmatch(e.size); m != nil {
		e.options.Height, _ = strconv.Atoi(m[1])
		e.options.Width, _ = strconv.Atoi(m[2])
	} else if e.size != "" {
		return fmt.Errorf("-size %s: want two numbers of 1 to 9999, as in 32x24, height first", e.size)
	}
	return nil
}

var sizeForm = regexp.MustCompile(`^([1-9][0-9]{0,3})[x×]([1-9][0-9]{0,3})$`)

// inNotes says what a set or an analysis notes in terms of flags.
func inNotes(text string) string {
	text = inOptions.ReplaceAllStringFunc(text, func(option string) string {
		m := inOptions.FindStringSubmatch(option)
		if strings.Contains(m[3], ",") {
			m[3] = strings.TrimSuffix(m[3], `"`) + `;"`
		}
		return "-" + strings.ToLower(m[1]) + " " + cmp.Or(m[2], m[3])
	})
	return fieldNotes.Replace(text)
}

var (
	inOptions  = regexp.MustCompile(`OpenOptions\{(ID|Label|Missing): (?:"([^"]*)"|\[\]string\{("[^"]*")\})\}`)
	fieldNotes = strings.NewReplacer("OpenOptions.Transposed", "-transpose", "OpenOptions.Missing", "-missing", "OpenOptions.Skip", "-skip", "OpenOptions.Data", "-data", "OpenOptions.ID", "-id", "OpenOptions.Label", "-label", "OpenOptions.Height and Width", "-size", "OpenOptions.Sideways", "-sideways",
		"MATLayout.Height and Width", "-size", "Study.Rank", "-rank", " (OpenCSV with CSVLayout.Encode makes features of text)", "", " (Columns of the layout)", "", ": set Header to NoHeader or WithHeader in the CSVLayout of OpenCSV", "", ", or let ImageLayout.Class of OpenImages do it", "")
)

// takeMissing takes values between semicolons, if there are any, or else between commas.
func (e *exploration) takeMissing(text string) error {
	if strings.Contains(text, ";") {
		for value := range strings.SplitSeq(strings.TrimSuffix(text, ";"), ";") {
			e.options.Missing = append(e.options.Missing, strings.TrimSpace(value))
		}
		return nil
	}
	if m := limitWithComma.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%[1]s,%[2]s may be one value or two: write \"%[1]s,%[2]s;\" for one, and \"%[1]s;%[2]s\" for two", m[1], m[2])
	}
	e.options.Missing = append(e.options.Missing, listed(text)...)
	return nil
}

// limitWithComma is a limit of detection with a decimal comma, or a range and a number.
var limitWithComma = regexp.MustCompile(`(?:^|,)\s*([<>]=?\s*\d+),(\d+)`)

// listed returns what stands between commas.
func listed(text string) (all []string) {
	for value := range strings.SplitSeq(text, ",") {
		if text != "" {
			all = append(all, strings.TrimSpace(value))
		}
	}
	return all
}

// explore reads a file, explores it and writes all that it found into a new folder of the present one,
// whose path it returns. The file is only read.
func (s *setup) explore(ctx context.Context, e exploration) (folder string, err error) {
	start := time.Now()
	set, err := datasets.Open(ctx, e.path, e.options)
	if err != nil {
		return "", e.inFlags(err)
	}
	if strings.Trim(set.Name, ".") == "" { // as of the present folder, which has another name
		if path, err := filepath.Abs(e.path); err == nil {
			set.Name = filepath.Base(path)
		}
	}
	for i, note := range set.Notes { // the report has them, too
		set.Notes[i] = inNotes(note)
	}
	fmt.Fprintln(s.out, inNotes(set.String()))
	a, err := explore.Study{Rank: e.rank, Progress: explore.Lines(s.out)}.Run(ctx, set)
	if err != nil {
		return "", e.inFlags(err)
	}
	if folder, err = e.save(a); err != nil {
		return "", err
	}
	_, page, _ := strings.Cut(inNotes(a.String()), "\n\n") // behind what was said of the set
	fmt.Fprintf(s.out, "\n%s\nRead %s first: it was written after %.0f s.\n", page, filepath.Join(folder, "report.html"), time.Since(start).Seconds())
	return folder, nil
}

// save writes the analysis and the notebook of it, not executed yet, into the first folder of its name
// that is not there.
func (e *exploration) save(a *explore.Analysis) (folder string, err error) {
	name := plainName.ReplaceAllString(a.Set.Name, "-")
	for k := 1; ; k++ {
		if folder = name + "-explored"; k > 1 {
			folder = fmt.Sprintf("%s-explored-%d", name, k)
		}
		if err = a.Save(folder); !errors.Is(err, os.ErrExist) || k == 1000 {
			break
		}
	}
	if err != nil {
		return "", err
	}
	nb, err := e.notebook(a, folder)
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(filepath.Join(folder, name+".ipynb"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return "", err
	}
	_, err = f.Write(nb)
	return folder, errors.Join(err, f.Close())
}

var plainName = regexp.MustCompile(`[^\p{L}\p{N}._-]+`)

// A flagError is an error that was put in terms of the flags.
type flagError struct {
	error
	text string
}

func (e flagError) Error() string { return e.text }
func (e flagError) Unwrap() error { return e.error }

// inFlags tells which flags the fields and values are that an error names.
func (e *exploration) inFlags(err error) error {
	text := inNotes(err.Error())
	err = flagError{err, text}
	var hints []string
	if errors.Is(err, datasets.ErrNoVariable) {
		for _, of := range append([][2]string{{"-id", e.options.ID}, {"-label", e.options.Label}, {"-data", e.options.Data}}, named("-skip", e.options.Skip)...) {
			if of[1] != "" && strings.Contains(text, strconv.Quote(of[1])) {
				hints = append(hints, fmt.Sprintf("%q is what %s says", of[1], of[0]))
			}
		}
	}
	if strings.Contains(text, "images of ") && e.options.Height > 0 {
		hints = append(hints, "-size says how large images are")
	}
	for _, of := range []struct{ field, flag string }{
		{"Missing", "-missing"}, {"ID", "-id"}, {"Label", "-label"}, {"Skip", "-skip"}, {"Data", "-data"}, {"Height", "-size"}, {"Width", "-size"}, {"Columns", "-transpose"}, {"Transposed", "-transpose"}, {"Sideways", "-sideways"}, {"Rank", "-rank"}, {"rank", "-rank"},
	} {
		if regexp.MustCompile(`\b`+of.field+`\b`).MatchString(text) && !slices.Contains(hints, of.field+" is "+of.flag) {
			hints = append(hints, of.field+" is "+of.flag)
		}
	}
	if errors.Is(err, datasets.ErrNoVariable) && hints == nil {
		hints = []string{"a column or array is named by -label, -id or -data"}
	}
	if errors.Is(err, datasets.ErrUnsupported) && strings.Contains(text, "datasets/columnar") {
		return fmt.Errorf("-explore: the command reads no Parquet and no Arrow, as that takes a library larger than all others together: save the table as CSV, which pandas, R, Polars and DuckDB do: %w", err)
	}
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("-explore: there is no such file or folder: %w", err)
	}
	if hints == nil {
		return fmt.Errorf("-explore: %w", err)
	}
	return fmt.Errorf("-explore: %w\n\tHere %s", err, strings.Join(hints, ", "))
}

// named returns pairs of a flag and each of its values.
func named(flag string, values []string) (pairs [][2]string) {
	for _, v := range values {
		pairs = append(pairs, [2]string{flag, v})
	}
	return pairs
}

// options writes the options as Go.
func (e *exploration) code() string {
	o := e.options
	var fields []string
	for _, f := range []struct {
		name, value string
	}{{"ID", o.ID}, {"Label", o.Label}, {"Data", o.Data}} {
		if f.value != "" {
			fields = append(fields, fmt.Sprintf("%s: %q", f.name, f.value))
		}
	}
	if o.Skip != nil {
		fields = append(fields, fmt.Sprintf("Skip: %#v", o.Skip))
	}
	if o.Missing != nil {
		fields = append(fields, fmt.Sprintf("Missing: %#v", o.Missing))
	}
	if o.Height > 0 {
		fields = append(fields, fmt.Sprintf("Height: %d, Width: %d", o.Height, o.Width))
	}
	if o.Transposed {
		fields = append(fields, "Transposed: true")
	}
	if o.Sideways {
		fields = append(fields, "Sideways: true")
	}
	return "datasets.OpenOptions{" + strings.Join(fields, ", ") + "}"
}

// notebook returns the notebook that tells the story of a file: short cells, each of which a reader can
// change.
func (e *exploration) notebook(a *explore.Analysis, folder string) ([]byte, error) {
	path := e.path
	if from, err := filepath.Abs(folder); err == nil {
		if to, err := filepath.Abs(path); err == nil {
			if rel, err := filepath.Rel(from, to); err == nil {
				path = rel
			}
		}
	}
	m, n := a.Set.Dims()
	var cells []any
	text := func(lines ...string) {
		cells = append(cells, map[string]any{"cell_type": "markdown", "metadata": map[string]any{}, "source": strings.Join(lines, "\n\n")})
	}
	code := func(source string) {
		cells = append(cells, map[string]any{"cell_type": "code", "execution_count": nil, "metadata": map[string]any{}, "outputs": []any{}, "source": strings.TrimSpace(source)})
	}
	text("# "+plainText(a.Set.Name),
		fmt.Sprintf("*%d features of %d samples, written as sums of the parts below, %d in number.*", m, n, a.Rank),
		"This notebook was made by `go run ./notebooks -explore`. The folder that it lies in has [report.html](report.html), which says the same on one page, the parts and coefficients as tables, the lists of what does not fit, and both factors for NumPy and MATLAB. The data themselves were only read.",
		"The first cell holds declarations, which all later cells know. A cell that begins with `%%` is run as a program of its own.")
	code(fmt.Sprintf(`import (
	"github.com/robustnmf/robustnmf/datasets"
	"github.com/robustnmf/robustnmf/notebooks/lesson"
	"github.com/robustnmf/robustnmf/viz"
	"github.com/robustnmf/robustnmf/viz/explore"
)

var ctx = context.Background()

// read reads the file, as the command did.
func read() *datasets.Set {
	return lesson.Must(datasets.Open(ctx, %q, %s))
}

// again explores the file anew. To decide otherwise set a field of Study, such as Rank, Loss or Kind,
// and return again() from found.
func again() *explore.Analysis {
	return lesson.Must(explore.Study{Rank: %d}.Run(ctx, read()))
}

// found is what the command has found.
func found() *explore.Analysis { return lesson.Must(explore.Load(".")) }
`, path, e.code(), e.rank))
	text("## What the file holds", "The lines below the first say what was guessed. Where a guess is wrong, run the command again with the flags that they name.")
	code("%%\nfmt.Println(found().Set)")
	text("## What was decided, and why")
	code("%%\nfor _, d := range found().Decisions {\n\tfmt.Printf(\"%s: %s\\n    %s\\n\", d.About, d.Choice, d.Reason)\n}\nfor _, w := range found().Warnings {\n\tfmt.Println(\"warning:\", w)\n}")
	var parts []string
	for _, p := range a.Parts {
		parts = append(parts, fmt.Sprintf("- **%s**, %.0f %% of all, the largest part of %d of the samples, stability %.2f", plainText(p.Name), 100*p.Share, p.Samples, p.Stability))
	}
	text("## The parts", "Each sample is a sum of these, with coefficients of 0 or more. The names are of features that a part has more of than any other part; a stability of 1 says that each of the starts has found it.", strings.Join(parts, "\n"))
	code("%%\nlesson.Show(found().DrawParts())")
	what := "A column that is bright in one row alone is a sample of one part; one that is bright in several is a mixture."
	if a.Set.Labels != nil {
		what += " The track above has the classes, which the fit has not seen."
	}
	text("## The samples", what)
	code("%%\nlesson.Show(found().DrawSamples())")
	if a.Set.Labels != nil && a.Rank*len(a.Set.Classes) <= 60 {
		code("%%\na := found()\n_, h := a.Result.Normalized(2)\nlesson.Show(viz.Doses(h, a.Set.Labels, viz.DosesOptions{Names: a.Set.Classes, YLabel: \"coefficient\"}))")
	}
	if a.Robust != nil {
		text("## What does not fit", fmt.Sprintf("Samples as a whole: %d. Single values: %d. Samples that are rare: %d. A list of suspects is where the work of looking begins: what is rare can be right.", len(a.BadSamples()), len(a.BadEntries()), len(a.RareSamples())))
		code("%%\na := found()\nfor k, e := range a.BadEntries() {\n\tif k < 20 {\n\t\tfmt.Printf(\"%s of %s is %.4g, where the parts make %.4g\\n\", e.FeatureName, e.SampleName, e.Value, e.Expected)\n\t}\n}\nfor _, s := range append(a.BadSamples(), a.RareSamples()...) {\n\tfmt.Println(s.Name, s.Worst)\n}\nlesson.Show(a.DrawSuspects(6))")
	}
	text("## How sure is it?", "Dark squares along the diagonal are parts that many starts have found.")
	if a.RankChoice != nil && len(a.RankChoice.Table.Rows) > 1 {
		code("%%\na := found()\nlesson.Show(a.DrawRanks())\nlesson.Show(a.DrawConsensus())")
	} else {
		code("%%\nlesson.Show(found().DrawConsensus())")
	}
	text("## Go on", fmt.Sprintf("1. Set `Rank: %d` in `again`, and let `found` return it. Which part splits?\n2. Leave the suspects out: `a := found()`, `c := lesson.Must(a.Without(ctx, a.BadSamples()))`, and `lesson.Show(c.Draw())`. Which parts stay?\n3. Explain a second file by these parts: `found().Apply(ctx, lesson.Must(datasets.Open(ctx, \"other.csv\", datasets.OpenOptions{})))`.\n4. Each decision is a function of package `choose` that can be called alone: `go doc ./rnmf/choose`.", a.Rank+1))
	nb := map[string]any{"cells": cells, "nbformat": 4, "nbformat_minor": 4, "metadata": map[string]any{
		"kernelspec": map[string]any{"display_name": "Go (gonb)", "language": "go", "name": "gonb"}, "language_info": map[string]any{"name": "go"}}}
	return json.MarshalIndent(nb, "", " ")
}

// plainText makes a name of a file or a feature harmless in Markdown.
func plainText(s string) string {
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", "*", `\*`, "_", `\_`, "`", "'", "[", `\[`, "$", `\$`, "\n", " ").Replace(s)
}

// exploreFile is the command: it explores, and executes the notebook of the result.
func (s *setup) exploreFile(ctx context.Context, e exploration) error {
	folder, err := s.explore(ctx, e)
	if err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(folder, "*.ipynb"))
	if err != nil || len(files) != 1 {
		return errors.Join(err, fmt.Errorf("no notebook in %s", folder))
	}
	if runtime.GOOS == "windows" {
		fmt.Fprintf(s.out, "%s is not executed: %v.\n", files[0], errNoKernel)
		return nil
	}
	err = s.jupyter(ctx, false, true)
	if err == nil {
		err = s.kernel(ctx)
	}
	if err == nil {
		err = s.runAll(ctx, files, false, true)
	}
	if err != nil {
		return fmt.Errorf("all results are in %s, but its notebook could not be executed: %w", folder, s.explain(ctx, err))
	}
	fmt.Fprintf(s.out, "Open it with: go run ./notebooks %s\n", folder)
	return nil
}
