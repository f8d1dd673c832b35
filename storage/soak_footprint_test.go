//go:build soak

package storage

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"
)

// footprint is what a round of the soak leaves: in the process, and on the disk.
type footprint struct {
	goroutines, descriptors int
	heap                    uint64   // after a collection
	files                   []string // with # for numbers
	bytes                   uint64   // that they take
	sizes                   []string // by file: the bytes that it takes, and its length
}

func (f footprint) String() string {
	return fmt.Sprintf("%d goroutines, %d descriptors, %d KiB heap, %d files, %d KiB on disk", f.goroutines, f.descriptors, f.heap>>10, len(f.files), f.bytes>>10)
}

// settled measures the footprint when the last goroutines have had time to end.
func (k *soak) settled(rounds []footprint) footprint {
	f := k.measure()
	for range 50 {
		if len(rounds) > 0 && f.goroutines <= rounds[0].goroutines && f.descriptors <= rounds[0].descriptors {
			break
		}
		time.Sleep(20 * time.Millisecond)
		f = k.measure()
	}
	return f
}

var digits = regexp.MustCompile(`[0-9]+`)

func (k *soak) measure() (f footprint) {
	runtime.GC()
	runtime.GC() // empties what the first one has left in pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	f.heap, f.goroutines = m.HeapAlloc, runtime.NumGoroutine()
	open, _ := os.ReadDir("/proc/self/fd") // where there is no such folder, none
	f.descriptors = len(open)
	err := filepath.WalkDir(k.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && path != k.root {
			name, _ := filepath.Rel(k.root, path)
			f.files = append(f.files, digits.ReplaceAllString(name, "#"))
			if info, err := e.Info(); err == nil && !e.IsDir() {
				f.bytes += allocated(info)
				f.sizes = append(f.sizes, fmt.Sprintf("%s %d of %d", name, allocated(info), info.Size()))
			}
		}
		return err
	})
	if err != nil {
		k.t.Error(err)
	}
	return f
}

// compare sees that no round leaves more than the first one did, within the tolerance, and that the heap does not grow.
func (k *soak) compare(rounds []footprint) {
	first := rounds[0]
	for i, f := range rounds[1:] {
		if f.goroutines > first.goroutines || f.descriptors > first.descriptors || f.heap > first.heap+soakHeap ||
			f.bytes > first.bytes+soakDisk || !slices.Equal(f.files, first.files) {
			k.t.Errorf("round %d leaves %v %q; the first one left %v %q", i+1, f, f.sizes, first, first.sizes)
		}
	}
	if third := len(rounds) / 3; third > 1 {
		early, late := medianHeap(rounds[:third]), medianHeap(rounds[len(rounds)-third:])
		if late > early+soakGrowth {
			k.t.Errorf("the heap grows from %d KiB to %d KiB", early>>10, late>>10)
		}
	}
}

func medianHeap(rounds []footprint) uint64 {
	var heaps []uint64
	for _, f := range rounds {
		heaps = append(heaps, f.heap)
	}
	slices.Sort(heaps)
	return heaps[len(heaps)/2]
}
