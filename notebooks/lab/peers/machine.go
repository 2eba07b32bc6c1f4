package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// facts describes the machine and the programs, as a Markdown list.
func (b *bench) facts() string {
	cpu, _ := os.ReadFile("/proc/cpuinfo")
	load, _ := os.ReadFile("/proc/loadavg")
	b.level = "unknown"
	// The level is internal, but a test of the kernels tells it.
	out, _ := goTest("-count=1", "-run=^TestLevel$", "-v").CombinedOutput()
	if m := regexp.MustCompile(`in use: (\S+)`).FindSubmatch(out); m != nil {
		b.level = string(m[1])
	}
	busy, _, _ := strings.Cut(string(load), " ")
	return fmt.Sprintf("- Machine: %s, %d cores, %s/%s, load at the start %s\n- Ours: %s, kernels: %s\n- Peers: %s\n",
		field(string(cpu), "model name"), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, busy,
		runtime.Version(), b.level, b.numpy.ask(request{Op: "facts"}).Facts)
}

// field returns the first value of a name in /proc/cpuinfo.
func field(text, name string) string {
	for line := range strings.Lines(text) {
		if k, v, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(k) == name {
			return strings.TrimSpace(v)
		}
	}
	return "unknown"
}

// goTest runs a test or a benchmark of the kernels.
func goTest(args ...string) *exec.Cmd {
	args = append([]string{"test"}, args...)
	cmd := exec.Command("go", append(args, "github.com/robustnmf/robustnmf/rnmf/internal/kernel")...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "RNMF_KERNEL=") })
	return cmd
}

// products compares the kernels' products with the FMA peak of a core, both in their
// fastest calls: on a machine with other work, the average tells of that.
func (b *bench) products() {
	const work = "products at the tiles of these shapes, one core, the slowest: "
	if !b.want.MatchString(work) {
		return
	}
	out, err := goTest("-count=5", "-benchtime=30ms", "-run=^$",
		"-bench=^(BenchmarkPeak|BenchmarkKernels)$/^"+b.level+"$/^(one|Sub|Add|GramOf)$").CombinedOutput()
	rates := map[string][]float64{} // kernel/shape: of each run
	line := regexp.MustCompile(`(?m)^Benchmark\w+/\w+/(\S+?)(?:-\d+)?\s.*?([0-9.]+) best-GFLOP/s`)
	for _, m := range line.FindAllStringSubmatch(string(out), -1) {
		rate, _ := strconv.ParseFloat(m[2], 64)
		rates[m[1]] = append(rates[m[1]], rate)
	}
	if err != nil || rates["one"] == nil {
		b.note("Products: `go test -bench 'Peak|Kernels' ./rnmf/internal/kernel` gave no peak here.")
		return
	}
	peak := slices.Max(rates["one"])
	for _, k := range []struct{ name, is string }{{"Sub", "WH"}, {"Add", "WᵀA and AHᵀ"}, {"GramOf", "WᵀW and HHᵀ"}} {
		var of []float64
		for name, r := range rates {
			if strings.HasPrefix(name, k.name+"/") {
				of = append(of, slices.Max(r))
			}
		}
		if of != nil {
			least := slices.Min(of)
			b.add(row{work + k.is, fmt.Sprintf("%.1f to %.1f GFLOP/s", least, slices.Max(of)), fmt.Sprintf("FMA peak %.1f GFLOP/s", peak), least / peak, 0.8, false})
		}
	}
}
