package storage

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// The tests here run a scenario on a disk of which a call fails, for each call in turn. A random sample is the default:
// MOTIF_FAULTS is how many cases to run, or "all", and MOTIF_FAULTS_SEED the seed of the sample and of the scenario.

// everything is a scenario of all that writes to a store.
func (r *faultRun) everything() {
	for i := range 12 {
		pad := 10
		if i%5 == 3 {
			pad = 2*maxLogPart + 1000
		}
		r.commit(Durability(i%2), pad)
	}
	r.saveQuery("first")
	r.load()
	r.commit(Relaxed, 3*maxLogPart)
	r.commit(Sync, 10)
	r.compact()
	r.commit(Sync, maxLogPart)
	r.saveQuery("second")
	r.saveBackup()
	r.close()
	r.commit(Relaxed, 10)
	r.close()
	checkRestored := r.restore()
	r.disk.mu.Lock()
	failed := len(r.disk.failed) > 0
	r.disk.mu.Unlock()
	r.disk.heal()
	if r.close(); failed && len(r.errs) == 0 && r.said.String() == "" {
		r.errorf("nobody heard of it")
	}
	r.finish()
	checkRestored()
}

// TestFaultsInBackground lets calls fail at random while transactions run and the log is compacted in the background.
func TestFaultsInBackground(t *testing.T) {
	seed := faultSeed(t)
	root := faultRoot(t)
	for i := range faultCount(8, 400) {
		d := newFaultDisk(seed + uint64(i))
		d.err, d.odds = faultErrors[i%len(faultErrors)], 30+d.rng.IntN(300)
		name := fmt.Sprintf("case %d", i)
		r := newFaultRun(t, name, filepath.Join(root, name), seed+uint64(i), d)
		r.opt.CompactAt, r.opt.Workers = 1500, 2
		if err := os.Mkdir(filepath.Dir(r.dir), 0o700); err != nil {
			t.Fatal(err)
		}
		r.run(func() {
			for range 60 {
				r.commit(Durability(r.rng.IntN(2)), r.rng.IntN(300))
				switch r.rng.IntN(20) {
				case 0:
					r.load()
				case 1:
					r.compact()
				case 2:
					r.saveQuery(fmt.Sprint("q", r.rng.IntN(5)))
				case 3:
					r.saveBackup()
				case 4:
					r.close()
				case 5:
					r.commit(Relaxed, 2*maxLogPart)
				}
			}
			d.heal()
			r.finish()
		})
		os.RemoveAll(filepath.Dir(r.dir))
	}
}

// faultCase is a failure: which call, how, and for how long.
type faultCase struct {
	at   int
	err  int // of faultErrors
	mode faultMode
}

// TestFaults runs the scenario once for each call of the disk, kind of error and duration, or a sample of them.
func TestFaults(t *testing.T) {
	seed := faultSeed(t)
	root := faultRoot(t)
	runCase := func(name string, c faultCase) *faultDisk {
		d := newFaultDisk(seed + uint64(c.at))
		d.at, d.err, d.mode = c.at, faultErrors[c.err], c.mode
		dir := filepath.Join(root, name)
		r := newFaultRun(t, name, dir, seed, d)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		r.run(r.everything)
		os.RemoveAll(dir)
		return d
	}
	healthy := runCase("healthy", faultCase{})
	if len(healthy.failed) > 0 || t.Failed() {
		t.Fatal("the scenario fails on a healthy disk", healthy.failed)
	}
	t.Logf("%d calls: %v", healthy.calls, healthy.kinds)
	var cases []faultCase
	for at := range healthy.calls {
		for e := range faultErrors {
			for mode := range faultModes {
				cases = append(cases, faultCase{at + 1, e, mode})
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, 4))
	rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	cases = cases[:faultCount(40, len(cases))]
	for i, c := range cases {
		runCase(fmt.Sprintf("%d: call %d, %s %v", i, c.at, []string{"EIO", "ENOSPC", "EMFILE"}[c.err], c.mode), c)
	}
	t.Logf("%d cases", len(cases))
}
