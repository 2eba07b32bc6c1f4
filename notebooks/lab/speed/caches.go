package speed

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Cache is a cache of the first core for data, as Linux describes it.
type Cache struct {
	Level  int
	MB     float64
	Shared int // by so many cores
}

// Name is its level and size, and how many cores share it.
func (c Cache) Name() string {
	size := fmt.Sprintf("%g MB", c.MB)
	if c.MB < 1 {
		size = fmt.Sprintf("%g KB", 1024*c.MB)
	}
	if c.Shared > 1 {
		size += fmt.Sprintf(" for %d cores", c.Shared)
	}
	return fmt.Sprintf("level %d, %s", c.Level, size)
}

// Caches returns those of the first core from the smallest on, none where the system does not say.
func Caches() (all []Cache) {
	folders, err := filepath.Glob("/sys/devices/system/cpu/cpu0/cache/index*")
	if err != nil {
		return nil
	}
	for _, f := range folders {
		read := func(name string) string {
			text, err := os.ReadFile(filepath.Join(f, name))
			if err != nil {
				return ""
			}
			return strings.TrimSpace(string(text))
		}
		level, err1 := strconv.Atoi(read("level"))
		kb, err2 := strconv.Atoi(strings.TrimSuffix(read("size"), "K"))
		if err1 == nil && err2 == nil && read("type") != "Instruction" {
			all = append(all, Cache{level, float64(kb) / 1024, cores(read("shared_cpu_list"))})
		}
	}
	slices.SortFunc(all, func(a, b Cache) int { return a.Level - b.Level })
	return all
}

// cores counts those of a list such as 0-3,8.
func cores(list string) (n int) {
	for part := range strings.SplitSeq(list, ",") {
		from, to, found := strings.Cut(part, "-")
		n++
		if found {
			a, err1 := strconv.Atoi(from)
			b, err2 := strconv.Atoi(to)
			if err1 == nil && err2 == nil {
				n += b - a
			}
		}
	}
	return n
}
