//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The emulator shows that a fence is missing where lanes of different blocks tell each other something by atomic functions, and that
// two are enough; plain stores are a race. MOTIF_MUTANTS names its folder, as for TestMutants.
func TestWeakMemory(t *testing.T) {
	emulator := os.Getenv("MOTIF_MUTANTS")
	if emulator == "" || strings.Contains(os.Getenv("SANITIZE"), "address") {
		t.Skip("MOTIF_MUTANTS does not name the folder of the emulator")
	}
	program := filepath.Join(t.TempDir(), "weak")
	if log, err := exec.Command("clang++-19", "-std=c++20", "-O1", "-fsanitize=thread", "-Isrc", "-c", "testdata/weak.cpp", "-o", program+".o").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	if log, err := exec.Command("clang++-19", program+".o", filepath.Join(emulator, "simt.o"), "-o", program).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, log)
	}
	seed := *seedFlag%1000 + 1
	for _, c := range []struct {
		way    int
		name   string
		missed bool
	}{{0, "no fence", true}, {1, "the writer's fence", true}, {2, "the reader's fence", true}, {3, "both fences", false}, {4, "the fence of another lane, behind a barrier", true}, {6, "that and the reader's", false}} {
		log, err := exec.Command(program, fmt.Sprint(seed), fmt.Sprint(c.way)).CombinedOutput()
		var told, missed int
		if n, _ := fmt.Sscan(string(log), &told, &missed); err != nil || n != 2 || told < 50 || (missed >= 20) != c.missed || missed > 0 && !c.missed {
			t.Errorf("%s, seed %d: told %d times, missed %d times, %v: %s", c.name, seed, told, missed, err, log)
		}
	}
	if log, err := exec.Command(program, fmt.Sprint(seed), "11").CombinedOutput(); err == nil || !strings.Contains(string(log), "race: read of a word") {
		t.Errorf("plain stores: %v: %s", err, log)
	}
}
