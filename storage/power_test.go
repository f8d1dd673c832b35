package storage

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestLossOfPower lets the power go off at random moments of random scenarios, often during the recovery from the time before. In half
// of the rounds calls of the disk fail before. All that was synced is there afterwards, and of the rest a prefix.
// MOTIF_POWER_ROUNDS and MOTIF_FAULTS_SEED are the number of rounds and the seed of the first.
func TestLossOfPower(t *testing.T) {
	seed, rounds := faultSeed(t), 40
	fmt.Sscan(os.Getenv("MOTIF_POWER_ROUNDS"), &rounds)
	root := faultRoot(t)
	for i := range rounds {
		powerRound(t, filepath.Join(root, fmt.Sprint(i)), seed+uint64(i))
	}
}

// TestFaultThenLossOfPower lets one call fail, and the power go off after some later step. So a failure must not leave anything behind that
// looks durable and is not.
func TestFaultThenLossOfPower(t *testing.T) {
	seed := faultSeed(t)
	root := faultRoot(t)
	steps := []func(r *faultRun){
		func(r *faultRun) {},
		func(r *faultRun) { r.commit(Relaxed, 10) },
		func(r *faultRun) { r.load() },
		func(r *faultRun) { r.close() },
		func(r *faultRun) { r.compact() },
		func(r *faultRun) { r.saveQuery("a") },
		func(r *faultRun) { r.load(); r.close() },
	}
	var cases [][3]int // the step after which the power goes off, the call that fails, and how likely what is not durable survives
	for last := range steps {
		calls := faultThenPower(t, root, seed, steps[:last+1], 0, 0)
		for at := range calls {
			cases = append(cases, [3]int{last, at + 1, 0}, [3]int{last, at + 1, 50})
		}
	}
	rng := rand.New(rand.NewPCG(seed, 4))
	rng.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	all := len(cases)
	cases = cases[:faultCount(50, all)]
	for _, c := range cases {
		faultThenPower(t, root, seed, steps[:c[0]+1], c[1], c[2])
	}
	t.Logf("%d of %d cases", len(cases), all)
}

// faultThenPower runs steps on a disk of which the call at fails, and turns the power off. It returns how many calls there were.
func faultThenPower(t *testing.T, root string, seed uint64, steps []func(*faultRun), at, keep int) int {
	root = filepath.Join(root, fmt.Sprintf("%d steps, call %d, keep %d", len(steps), at, keep))
	d := newFaultDisk(seed)
	d.tidy, d.err, d.at = true, syscall.EIO, at
	r := newFaultRun(t, filepath.Base(root), root, seed, d)
	image := filepath.Join(root, "image")
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r.run(func() {
		power, err := newPowerDisk(d, r.dir, image, 0, seed)
		if err != nil {
			t.Fatal(err)
		}
		power.keep, r.on = keep, power
		for _, step := range steps {
			step(r)
			r.commit(Sync, 10)
			r.commit(Sync, 10) // the first may have found the store unusable
		}
		if err := power.turnOff(); err != nil {
			t.Fatal(err)
		}
		r.wake(image)
		r.finish()
	})
	os.RemoveAll(root)
	return d.calls
}

// wake goes on with what a loss of power has left.
func (r *faultRun) wake(image string) {
	older, olderQueries := r.older, r.olderQueries
	r.close() // without power, for the memory
	r.dir = image
	r.graphs, r.older = append(r.graphs, older...), nil
	r.queries, r.olderQueries = append(r.queries, olderQueries...), nil
}

// powerRound is one round: a few lives of a store, each ended by the loss of power.
func powerRound(t *testing.T, root string, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 17))
	d := newFaultDisk(seed)
	d.tidy, d.err = true, syscall.EIO
	r := newFaultRun(t, fmt.Sprintf("seed %d", seed), root, seed, d)
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	faults := rng.IntN(2) * (20 + rng.IntN(100))
	if rng.IntN(4) == 0 {
		r.opt.CompactAt = 2000
	}
	r.run(func() {
		for life := range 1 + rng.IntN(4) {
			image := filepath.Join(root, fmt.Sprint("life-", life))
			power, err := newPowerDisk(d, r.dir, image, 1+rng.IntN([]int{20, 60, 200}[rng.IntN(3)]), rng.Uint64())
			if err != nil {
				t.Fatal(err)
			}
			r.on, d.odds = power, faults
			r.until(power)
			d.heal() // a compaction may still close its files
			r.wake(image)
		}
		r.finish()
	})
	os.RemoveAll(root)
}

// until takes random steps until the power goes off.
func (r *faultRun) until(power *powerDisk) {
	for step := 0; !power.isOff() && step < 1000; step++ {
		switch n := r.rng.IntN(30); {
		case n < 11:
			r.commit(Relaxed, 10)
		case n < 13:
			r.commit(Relaxed, r.rng.IntN(20_000))
		case n < 20:
			r.commit(Sync, 10)
		case n < 21:
			r.commit(Durability(r.rng.IntN(2)), r.rng.IntN(3*maxLogPart))
		case n < 23:
			r.load()
		case n < 25:
			r.compact()
		case n < 27:
			r.saveQuery(fmt.Sprint("q", r.rng.IntN(5)))
		default:
			r.close()
		}
	}
}

func (d *powerDisk) isOff() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.off
}

// TestLossOfPowerAfterFailedClose lets the last sync of closing fail, where the entry of closing lies on two pages. The page
// cache has it, so that the next open finds a closed log; the disk gets but the second page, with the next transaction.
func TestLossOfPowerAfterFailedClose(t *testing.T) {
	root := faultRoot(t)
	length := func(r *faultRun) int { return int(r.s.wal.end) }
	pad := 0
	for try := range 2 {
		d := newFaultDisk(1)
		d.tidy, d.err = true, syscall.EIO
		r := newFaultRun(t, fmt.Sprint("pad ", pad), filepath.Join(root, fmt.Sprint(try)), 1, d)
		image := filepath.Join(root, fmt.Sprint("image-", try))
		if err := os.MkdirAll(r.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		r.run(func() {
			power, err := newPowerDisk(d, r.dir, image, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			r.on = power
			r.commit(Sync, 4000+pad)
			pad += (2*powerPage - 20 - length(r)%powerPage) / 4 * 4
			d.at = d.calls + 3 // sync, write, sync
			r.close()
			d.heal()
			if failed := d.failures(); len(failed) != 1 || len(r.errs) != 1 {
				t.Fatal(failed, r.errs)
			}
			r.commit(Sync, 10)
			if err := power.turnOff(); err != nil {
				t.Fatal(err)
			}
			r.wake(image)
			r.finish()
		})
	}
}
