package kernel

import (
	"os"
	"regexp"
	"testing"
)

// The family is what the operating system says, where it does.
func TestFamily(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	m := regexp.MustCompile(`(?s)vendor_id\s*: (\w+).*?cpu family\s*: (\d+)`).FindSubmatch(text)
	if err != nil || m == nil {
		t.Skip("no /proc/cpuinfo")
	}
	if got, want := family(), string(m[1])+" "+string(m[2]); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
