package temporal

import (
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/cmd/motif-cluster/blobs"
)

// What a job will cost. One worker runs some units, drawn at random, and takes the others to be like them. Units that are expected to be equal
// differ by much where a graph has hubs. So the sample is of small units, since there are many of them.

// estimateTime is about how long the sample takes.
const estimateTime = 5 * time.Second

// estimateText makes a row of an estimate.
const estimateText = "RETURN $units AS units, $bytes AS bytes, $seconds AS core_seconds, $seconds / 3600 AS core_hours"

// Estimate writes a row with the units that a job begins with, the bytes that a worker fetches, and the time of a core that all units take.
func (a *activities) Estimate(ctx context.Context, r Request) (*Answer, error) {
	return attend(ctx, func(ctx context.Context) (*Answer, error) {
		d, err := a.divide(ctx, r)
		if err != nil {
			return nil, err
		}
		defer d.leave()
		size, err := blobs.Named(ctx, d.snapshot, r.Query)
		if err != nil {
			return nil, err
		}
		s := newSampler(d, a.sample)
		units, err := s.units(ctx, r)
		if err != nil {
			return nil, asFinal(ctx, err)
		}
		db, err := a.graphs.db(ctx, d.snapshot)
		if err != nil {
			return nil, err
		}
		rows, err := db.Query(ctx, estimateText, motif.Params{"units": units, "bytes": size, "seconds": s.work.Seconds()})
		if err != nil {
			return nil, asFinal(ctx, err)
		}
		text, err := textOf(ctx, rows, r.Format)
		if err != nil {
			return nil, err
		}
		answer := &Answer{Blobs: r.Blobs, Rows: Piece{Data: text}}
		if s.atLeast {
			answer.Warnings = []string{"a unit of the sample could neither be ended nor cut in time: the job takes longer than that"}
		}
		return answer, nil
	})
}

// sampler runs units to find out how long all of them take.
type sampler struct {
	job     *motif.Job
	r       *rand.Rand
	time    time.Duration // about how long the sample takes
	work    time.Duration // of all units
	atLeast bool          // work is too low
	total   motif.Part    // of the units that ran
}

// newSampler draws the same sample for the same job.
func newSampler(d *divided, limit time.Duration) *sampler {
	seed := fnv.New64a()
	seed.Write(d.spec)
	return &sampler{job: d.job, r: rand.New(rand.NewPCG(seed.Sum64(), 1)), time: limit}
}

// units guesses the work of the job, and returns how many units it begins with.
func (s *sampler) units(ctx context.Context, r Request) (int, error) {
	if r.Units == 0 {
		began := startClock()
		_, done, err := trial(ctx, s.job)
		if s.work = began.took(); done || err != nil {
			return 1, err
		}
	}
	return len(s.job.Units(r.unitCount())), s.all(ctx)
}

// The sample is of so many units or more. They are made smaller by this factor until they are short.
const (
	sampleUnits = 64
	mostUnits   = sampleUnits << 12
	finer       = 8
)

// all guesses the work of all units.
func (s *sampler) all(ctx context.Context) error {
	for n := sampleUnits; ; n *= finer {
		units := s.job.Units(n)
		last := len(units) < n/2 || n >= mostUnits // a finer cut would be the same
		again, err := s.some(ctx, units, last)
		if !again || err != nil {
			return err
		}
	}
}

// some runs units in random order until the time of the sample is over. again says that the first ones took so long that units should be
// smaller.
func (s *sampler) some(ctx context.Context, units []motif.Unit, last bool) (again bool, err error) {
	const probes = 8
	began, sum, runs := time.Now(), time.Duration(0), 0
	s.atLeast, s.total = false, motif.Part{}
	for _, i := range s.r.Perm(len(units)) {
		limit, picks := s.time/16, 4
		switch {
		case runs >= probes: // most units are short: the others may take longer
			limit = s.time / 4
		case !last:
			picks = 0
		}
		cost, whole, err := s.run(ctx, units[i], limit, picks)
		if err != nil {
			return false, err
		}
		if !whole && picks == 0 {
			return true, nil
		}
		sum += cost
		if runs++; time.Since(began) > s.time {
			break
		}
	}
	s.work = time.Duration(float64(sum) / float64(runs) * float64(len(units)))
	return false, nil
}

// run runs a unit for a while, and guesses how long all of it takes: some of its pieces, drawn at random, stand for the others. whole says that
// nothing had to be guessed.
func (s *sampler) run(ctx context.Context, u motif.Unit, limit time.Duration, picks int) (cost time.Duration, whole bool, err error) {
	const pieces, patience = 16, 8 // for what cannot be cut at any moment
	parts := s.job.Cut(u, pieces)
	if parts == nil {
		limit = max(limit, s.time)
	}
	short, stop := context.WithTimeout(ctx, patience*limit)
	defer stop()
	clock := startClock()
	part, rest, err := s.job.Run(short, u, motif.Budget{Time: limit})
	if err == nil && len(rest) == 0 {
		err = s.carry(short, part)
	}
	cost = clock.took()
	switch ended := short.Err() != nil && ctx.Err() == nil; {
	case err == nil && len(rest) == 0:
		return cost, true, nil
	case err != nil && !ended && (parts == nil || !errors.Is(err, motif.ErrMemory)):
		return 0, false, err
	case picks == 0:
		return 0, false, nil
	case parts == nil:
		s.atLeast = true
		return cost, false, nil
	}
	some := s.r.Perm(len(parts))[:min(picks, len(parts))]
	cost = 0
	for _, i := range some {
		c, _, err := s.run(ctx, parts[i], limit, 1)
		if err != nil {
			return 0, false, err
		}
		cost += c
	}
	return cost * time.Duration(len(parts)) / time.Duration(len(some)), false, nil
}

// carry does with a part what a job does with it after its unit has run.
func (s *sampler) carry(ctx context.Context, part motif.Part) error {
	text, err := part.MarshalBinary()
	if err != nil {
		return err
	}
	var arrived motif.Part
	if err := arrived.UnmarshalBinary(text); err != nil {
		return err
	}
	return s.job.Merge(ctx, &s.total, arrived)
}
