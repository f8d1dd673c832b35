//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"fmt"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Filter finds the candidates that the CPU finds. Labels, degrees, signatures, depths and neighbours by label are tested on all
// vertices in one pass, then arcs are revised in the CPU's order; predicates are tested on the host.
func (d *Device) Filter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error) {
	if s.N() == 0 {
		return nil, ErrDeclined
	}
	v := &sifter{d: d}
	c, err := filter.RunOn(ctx, s, p, env, v)
	if err == nil && !v.used {
		return nil, fmt.Errorf("%w: nothing to test but labels and predicates", ErrDeclined)
	}
	return c, err
}

// sifter answers what the filter asks of a device.
type sifter struct {
	d    *Device
	used bool
}

// Sift tests, revises and downloads what has changed.
func (v *sifter) Sift(ctx context.Context, r *filter.Request) (out *filter.Sifted, err error) {
	v.used = true
	err = v.d.run(ctx, func(t *task) error {
		x := &sift{task: t, ctx: ctx, r: r, n: int(r.Snapshot.N()), row: make([]int, len(r.Vertices)), sizes: make([]int, len(r.Vertices)),
			out: &filter.Sifted{Left: make([][filter.Stages]int, len(r.Vertices)), Sets: make([]*pattern.CandidateSet, len(r.Vertices))}}
		if err := x.verify(); err != nil {
			return err
		}
		if err := x.refine(); err != nil {
			return err
		}
		out = x.out
		return x.download()
	})
	return out, err
}

// sift is a request at work.
type sift struct {
	*task
	ctx    context.Context
	r      *filter.Request
	n      int // vertices of the graph
	out    *filter.Sifted
	words  int    // of 32 bits a set, an even number
	sets   buffer // of the query vertices that are not skipped, one after the other
	row    []int  // by query vertex: which one is its own
	sizes  []int  // by query vertex
	counts counts
	marks  buffer // of a revision
}

func (x *sift) set(u int) buffer {
	bytes := 4 * int64(x.words)
	return buffer{at: x.sets.at + cuPtr(int64(x.row[u])*bytes), bytes: bytes}
}

// mostQueries is how many query vertices one launch tests.
const mostQueries = 32

// verify makes the sets and counts what each stage leaves.
func (x *sift) verify() error {
	open := []int{}
	for u := range x.r.Vertices {
		if !x.r.Vertices[u].Skip {
			x.row[u] = len(open)
			open = append(open, u)
		}
	}
	x.words = (x.n + 63) / 64 * 2
	var err error
	if x.sets, err = x.alloc(4 * int64(x.words) * int64(len(open))); err != nil {
		return err
	}
	if x.counts, err = newCounts(x.task); err != nil {
		return err
	}
	for len(open) > 0 {
		most := mostQueries
		if !x.r.Env.Uses(pattern.GPUFilterPass) {
			most = 1
		}
		some := open[:min(len(open), most)]
		open = open[len(some):]
		if err := x.verifySome(some); err != nil {
			return err
		}
	}
	return nil
}

func (x *sift) verifySome(us []int) error {
	p := &program{sift: x}
	for _, u := range us {
		if err := p.add(u); err != nil {
			return err
		}
	}
	ops, err := p.upload()
	if err != nil {
		return err
	}
	starts, err := upload(x.task, p.starts)
	if err != nil {
		return err
	}
	classes, err := classesOf(x.task, x.r.Snapshot)
	if err != nil {
		return err
	}
	left, err := x.zeros(int64(len(us) * int(filter.Stages)))
	if err != nil {
		return err
	}
	err = x.d.launch("filter_verify", x.d.grid(x.words*32, 256), 256, 0, ops.arg(), starts.arg(), uint64(len(us)), uint64(x.n), classes.arg(),
		x.set(us[0]).arg(), uint64(x.words), left.arg())
	if err != nil {
		return err
	}
	counted := make([]uint32, len(us)*int(filter.Stages))
	if err := download(left, counted); err != nil {
		return err
	}
	for i, u := range us {
		last := 0
		for s := range filter.Stages {
			if p.counted[i][s] {
				last = int(counted[i*int(filter.Stages)+int(s)])
			}
			x.out.Left[u][s] = last
		}
		x.sizes[u] = last
	}
	if len(us) > 1 {
		x.r.Env.Took(pattern.GPUFilterPass, uint64(len(us)))
	}
	return x.ctx.Err()
}

// alone is how many neighbours a lane looks at before the warp helps.
const alone = 8

// refine revises the sets along arcs.
func (x *sift) refine() error {
	if x.r.Arcs == nil {
		return nil
	}
	for {
		a, ok := x.r.Arcs.Next(x.sizes)
		if !ok {
			return nil
		}
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if x.sizes[a.U] == 0 { // it may have no place on the device, if it began so
			continue
		}
		if x.sizes[a.W] == 0 {
			if err := fill(x.set(a.U), int64(x.words), 0); err != nil {
				return err
			}
			x.sizes[a.U] = 0
			continue
		}
		if err := x.revise(&a); err != nil {
			return err
		}
		counts, err := x.counts.read()
		if err != nil {
			return err
		}
		x.sizes[a.U] = int(counts[0])
		x.r.Env.Took(pattern.GPUFilterRows, uint64(^counts[1]))
	}
}

func (x *sift) revise(a *filter.Arc) error {
	if err := x.counts.clear(); err != nil {
		return err
	}
	s, differ, words := x.r.Snapshot, uint64(0), uint64(x.words)
	if a.Differ {
		differ = 1
	}
	grid := x.d.grid(x.words*32, 256)
	if a.Scan || !x.r.Env.Uses(pattern.GPUFilterMark) {
		g, err := adjacencyOf(x.task, s, a.Types, a.Dir)
		if err != nil {
			return err
		}
		few := uint64(alone)
		if !x.r.Env.Uses(pattern.GPUFilterRows) {
			few = 1<<32 - 1
		}
		return x.d.launch("filter_look", grid, 256, 0, x.set(a.U).arg(), x.set(a.W).arg(), words, g.offsets.arg(), g.targets.arg(), differ, few, x.counts.arg())
	}
	g, err := adjacencyOf(x.task, s, a.Types, a.Back)
	if err != nil {
		return err
	}
	if x.marks.at == 0 {
		if x.marks, err = x.alloc(4 * int64(x.words)); err != nil {
			return err
		}
	}
	if err := fill(x.marks, int64(x.words), 0); err != nil {
		return err
	}
	x.r.Env.Took(pattern.GPUFilterMark, 1)
	err = x.d.launch("filter_mark", grid, 256, 0, x.set(a.W).arg(), words, g.offsets.arg(), g.targets.arg(), differ, min(1024, x.d.hubDegree),
		x.marks.arg())
	if err != nil {
		return err
	}
	return x.d.launch("filter_and", x.d.grid(x.words, 256), 256, 0, x.set(a.U).arg(), x.marks.arg(), words, x.counts.arg())
}

// download takes over the sets that are not what they began as.
func (x *sift) download() error {
	var lists *scanner
	var before, list buffer
	for u := range x.r.Vertices {
		t := &x.r.Vertices[u]
		if t.Skip || x.sizes[u] == x.out.Left[u][filter.StageLabel] {
			continue
		}
		bitmap, members := make([]uint64, x.words/2), make([]csr.VertexID, x.sizes[u])
		if err := download(x.set(u), bitmap); err != nil {
			return err
		}
		if !x.r.Env.Uses(pattern.GPUFilterLists) {
			x.out.Sets[u] = pattern.CandidateSetOf(bitmap)
			continue
		}
		if lists == nil {
			var err error
			if lists, err = newScan(x.task, int64(x.words)); err != nil {
				return err
			}
			if before, err = x.alloc(4 * int64(x.words+1)); err != nil {
				return err
			}
			if list, err = x.alloc(4 * int64(x.n)); err != nil {
				return err
			}
		}
		if err := lists.sum(x.set(u), int64(x.words), true, buffer{}, before); err != nil {
			return err
		}
		err := x.d.launch("filter_list", x.d.grid(x.words*32, 256), 256, 0, x.set(u).arg(), uint64(x.words), before.arg(), list.arg())
		if err != nil {
			return err
		}
		if err := download(list, members); err != nil {
			return err
		}
		x.out.Sets[u] = pattern.CandidateSetFrom(members, bitmap)
		x.r.Env.Took(pattern.GPUFilterLists, 1)
	}
	return nil
}
