package kernel

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// The committed assembly is what the generators write.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generators")
	}
	run := func(dir string, args ...string) error {
		cmd := exec.Command("go", append([]string{args[0], "-C", dir}, args[1:]...)...)
		cmd.Env = append(os.Environ(), "GOOS=", "GOARCH=", "GOFLAGS=", "GOWORK=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("%v: %v\n%s", cmd, err, out)
		}
		return err
	}
	if run("gen", "mod", "download") != nil {
		t.Skip("the generators need go and the module avo")
	}
	dir := t.TempDir() // the generators write next to the folder that they run in
	if err := os.CopyFS(filepath.Join(dir, "gen"), os.DirFS("gen")); err != nil {
		t.Fatal(err)
	}
	for program, name := range map[string]string{".": "kernel_amd64", "./elementwise": "elementwise_amd64", "./tiles": "tiles_amd64"} {
		if run(filepath.Join(dir, "gen"), "run", program, "-out", "../"+name+".s", "-stubs", "../"+name+".go", "-pkg", "kernel") != nil {
			t.Errorf("cannot run the generator of %s", name)
			continue
		}
		for _, file := range []string{name + ".s", name + ".go"} {
			got, err := os.ReadFile(filepath.Join(dir, file))
			if err != nil {
				t.Error(err)
				continue
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s is not what the generator writes: run go generate (%v)", file, err)
			}
		}
	}
}
