// Command notebooks sets up Jupyter with the Go kernel, opens notebooks, and runs
// and exports them without a browser.
//
//	go run ./notebooks                     set up, open the list of notebooks in the browser
//	go run ./notebooks FOLDER              the same for the notebooks of another folder
//	go run ./notebooks -explore FILE       explore a file or folder of yours: a report, tables and a notebook
//	go run ./notebooks -run [names]        execute, in place; names as 01, 01-l21-nmf or a path; default all
//	go run ./notebooks -check [names]      execute copies, with RNMF_QUICK=1
//	go run ./notebooks -html DIR [names]   export pages that work offline, from the saved outputs
//	go run ./notebooks -site DIR           make the documents and notebooks of a clone a site, from the saved outputs
//	go run ./notebooks -install            set up, and make the kernel known to every Jupyter of yours
//	go run ./notebooks -test [arguments]   set up, then go test with these arguments
//
// Without a checkout, go run github.com/robustnmf/robustnmf/notebooks@latest does
// the same for the notebooks of the present folder, which import that version.
//
// The first run installs what is missing: Jupyter, the kernel (GoNB) and
// goimports, the latter two at the versions pinned in go.mod. Only Jupyter from
// apt, and with -install the kernel, are installed outside the user's cache
// folder, and no Jupyter configuration of the user's is changed. A Jupyter is
// looked for in the active environment of Python or conda, in PATH, with uv, pipx,
// conda, Homebrew and the system, and in Python's own folders; the first that works
// is taken, and named.
//
// It is tested on Linux. On macOS everything should work. On Windows the kernel needs WSL;
// there -site works, and -html where PATH has Jupyter.
//
// Environment: RNMF_DATA is the folder of data sets, relative to where the
// command is started; RNMF_QUICK=1 asks the notebooks for a quick setting
// (-check sets it, -run does not); RNMF_NO_INSTALL=1 forbids installing Jupyter;
// RNMF_CI=1 asks tests that take long for all their cases, as CI does.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

const module = "github.com/robustnmf/robustnmf"

var errNoKernel = errors.New("the Go kernel does not run on Windows: use WSL (wsl --install), and run this there")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // so that a second signal ends what does not heed the first
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case err == errTests: // go test has said why
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "notebooks:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("notebooks", flag.ContinueOnError)
	doRun := fs.Bool("run", false, "execute notebooks in place: numbers, names, or paths of your own; default all")
	doCheck := fs.Bool("check", false, "execute copies of the notebooks in the quick setting")
	html := fs.String("html", "", "export the notebooks as new pages into this `folder`")
	site := fs.String("site", "", "make the documents and notebooks a site in this new `folder`, for which no Jupyter is needed")
	doInstall := fs.Bool("install", false, "make the Go kernel known to every Jupyter of yours, for notebooks in any folder")
	noBrowser := fs.Bool("no-browser", false, "serve and print the address, but open no browser")
	port := fs.Int("port", 0, "serve at this port of the machine; default a free one")
	var file exploration
	file.flags(fs)
	fs.Bool("test", false, "set up, then go test; what follows are its arguments")
	fs.Usage = func() {
		fmt.Fprint(fs.Output(), `usage: go run ./notebooks [-no-browser] [-port number] [folder] [-- arguments of Jupyter's]
       go run ./notebooks -explore file [-id column] [-label column] [-missing values] [-skip columns] [-transpose] [-size HEIGHTxWIDTH] [-sideways] [-data array] [-rank number]
       go run ./notebooks -run|-check|-html folder [notebooks]
       go run ./notebooks -install
       go run ./notebooks -site folder
       go run ./notebooks -test [arguments]
A notebook is the number or name of one of ours (01, 01-l21-nmf), or the path of one of
your own (../work/my.ipynb), which can import this module.
`)
		fs.PrintDefaults()
	}
	// What follows -test is for go test, so our flags must not see it.
	test := len(args) > 0 && (args[0] == "-test" || args[0] == "--test")
	if test {
		args = args[1:]
	} else {
		if err := fs.Parse(args); err != nil {
			return err
		}
		args = fs.Args()
		if err := file.check(fs); err != nil {
			return err
		}
		if file.path != "" && len(args) > 0 {
			return fmt.Errorf("-explore takes one file, and %q is too much: give the flags before it, or the name in quotes", args)
		}
		if err := checkModes(fs); err != nil {
			return err
		}
	}
	if file.path != "" {
		s, err := newSetup(ctx, os.Stdout)
		if err != nil {
			return err
		}
		return s.exploreFile(ctx, file)
	}
	headless := *doRun || *doCheck || *html != ""
	needKernel := *html == "" && *site == "" || *doRun || *doCheck
	if needKernel && runtime.GOOS == "windows" {
		return errNoKernel
	}
	start := time.Now()
	s, err := newSetup(ctx, os.Stdout)
	if err != nil {
		return err
	}
	if *site != "" {
		return s.makeSite(ctx, *site)
	}
	if err := s.jupyter(ctx, !headless && !test && !*doInstall, true); err != nil {
		return s.explain(ctx, err)
	}
	if *doInstall {
		return s.explain(ctx, s.install(ctx))
	}
	if needKernel {
		if err := s.kernel(ctx); err != nil {
			return s.explain(ctx, err)
		}
	}
	if test {
		return s.goTest(ctx, args)
	}
	if !headless {
		return s.serve(ctx, start, *port, !*noBrowser, args)
	}
	files, err := s.notebooks(args)
	if err != nil {
		return err
	}
	if *doRun || *doCheck {
		if err := s.runAll(ctx, files, *doCheck, !*doCheck); err != nil {
			return err
		}
	}
	if *html != "" {
		return s.exportAll(ctx, files, *html)
	}
	return nil
}

// checkModes finds flags without which, or with which, others would do nothing.
func checkModes(fs *flag.FlagSet) error {
	given := map[string]bool{}
	fs.Visit(func(f *flag.Flag) {
		if value := f.Value.String(); value != "false" {
			given[f.Name] = true
		}
	})
	if given["test"] {
		return errors.New("-test comes first: what follows are the arguments of go test")
	}
	for _, name := range []string{"html", "site"} {
		if given[name] && fs.Lookup(name).Value.String() == "" {
			return fmt.Errorf(`-%s "": want the path of a folder`, name)
		}
	}
	var modes []string
	for _, name := range []string{"run", "check", "site", "install", "html"} {
		if given[name] {
			modes = append(modes, name)
		}
	}
	switch {
	case len(modes) == 0:
		return nil
	case len(modes) > 2 || len(modes) == 2 && (modes[1] != "html" || modes[0] != "run" && modes[0] != "check"):
		return fmt.Errorf("-%s does not go with -%s", modes[1], modes[0])
	}
	for _, name := range []string{"no-browser", "port"} {
		if given[name] {
			return fmt.Errorf("-%s does not go with -%s, which serves nothing", name, modes[0])
		}
	}
	if mode := modes[0]; fs.NArg() > 0 && (mode == "site" || mode == "install") {
		return fmt.Errorf("-%s is about all notebooks, and %q is too much", mode, fs.Args())
	}
	return nil
}

// notebooks finds the files meant by names, all of them when there are none.
func (s *setup) notebooks(names []string) ([]string, error) {
	all, err := filepath.Glob(filepath.Join(s.folder, "*.ipynb"))
	if err != nil || len(names) == 0 {
		if len(all) == 0 {
			err = errors.Join(err, fmt.Errorf("there are no notebooks in %s", s.folder))
		}
		return all, err
	}
	var files []string
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && !info.IsDir() {
			files = append(files, name)
			continue
		}
		i := slices.IndexFunc(all, func(file string) bool {
			base := strings.TrimSuffix(filepath.Base(file), ".ipynb")
			return base == strings.TrimSuffix(filepath.Base(name), ".ipynb") || strings.HasPrefix(base, name+"-")
		})
		if i < 0 {
			return nil, fmt.Errorf("there is no notebook %q, neither as a path nor in %s", name, s.folder)
		}
		files = append(files, all[i])
	}
	return files, nil
}

// makeSite runs the program of the module internal/site, which a release does not have.
func (s *setup) makeSite(ctx context.Context, folder string) error {
	program := filepath.Join(s.root, "internal", "site")
	if _, err := os.Stat(filepath.Join(program, "go.mod")); err != nil {
		return errors.New("the site is made from a clone of the repository: git clone https://" + module)
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return err
	}
	cmd := s.command(ctx, s.goCmd, "-C", program, "run", ".", folder)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}
