//go:build cuda && cgo && linux

package cuda

import (
	"context"
	"fmt"
	"slices"

	"gorgonia.org/cu"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Filter finds the candidates that the CPU finds. Labels, degrees, signatures, depths and neighbours by label are tested on all
// vertices in one pass, then arcs are revised in the CPU's order; predicates are tested on the host.
func (d *Device) Filter(ctx context.Context, s *csr.Snapshot, p *pattern.Pattern, env *pattern.Env) (*pattern.Candidates, error) {
	nothing := fmt.Errorf("%w: nothing to test but labels and predicates", ErrDeclined)
	if s.N() == 0 || !filter.HasTests(p, env) {
		return nil, nothing
	}
	v := &sifter{d: d, workers: env.Workers}
	c, err := filter.RunOn(ctx, s, p, env, v)
	if err == nil && !v.used {
		return nil, nothing
	}
	return c, err
}

// sifter answers what the filter asks of a device.
type sifter struct {
	d       *Device
	workers int
	used    bool
}

// Filter tests, revises and downloads what has changed.
func (v *sifter) Filter(ctx context.Context, r *filter.TestRequest) (out *filter.Survivors, err error) {
	v.used = true
	err = v.d.run(ctx, func(t *task) error {
		x := &sift{task: t, ctx: ctx, r: r, n: int(r.Snapshot.N()), row: make([]int, len(r.Vertices)), sizes: make([]int, len(r.Vertices)),
			out: &filter.Survivors{Left: make([][filter.Stages]int, len(r.Vertices)), Sets: make([]*pattern.CandidateSet, len(r.Vertices))}}
		if err := x.prepare(); err != nil {
			return err
		}
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

// Trusses peels on the device. Whatever keeps the device from that, the CPU may do it.
func (v *sifter) Trusses(ctx context.Context, s *csr.Snapshot, types csr.TypeSet) *pattern.Trusses {
	t, err := v.d.Trusses(ctx, s, &pattern.TrussRequest{Types: types}, &pattern.Env{Workers: v.workers, Tally: new(pattern.Tally)})
	if err != nil {
		return nil
	}
	return t
}

// sift is a request at work.
type sift struct {
	*task
	ctx    context.Context
	r      *filter.TestRequest
	n      int // vertices of the graph
	out    *filter.Survivors
	words  int    // of 32 bits a set, an even number
	sets   buffer // of the query vertices that are not skipped, one after the other
	marks  buffer // of a revision; then the places of sets' words in their list
	zeros  buffer // for kernels to count in: by query vertex and stage, then two a revision
	row    []int  // by query vertex: which set is its own
	sizes  []int  // by query vertex
	open   []int  // query vertices that are not skipped
	turn   int    // revisions since the zeros were made
	ranges []csr.Range
}

// turns is for how many revisions there are zeros.
const turns = 64

func (x *sift) set(u int) buffer {
	return x.sets.part(4*int64(x.row[u])*int64(x.words), 4*int64(x.words))
}

// part is a part of a buffer.
func (b buffer) part(at, bytes int64) buffer {
	return buffer{at: b.at + cu.DevicePtr(at), bytes: bytes}
}

// prepare takes all memory at once, for the driver takes its time.
func (x *sift) prepare() error {
	x.ranges = make([]csr.Range, len(x.r.Vertices))
	for u := range x.r.Vertices {
		if t := &x.r.Vertices[u]; !t.Skip {
			x.row[u] = len(x.open)
			x.open = append(x.open, u)
			x.ranges[u] = x.rangeOf(t)
		}
	}
	x.words = (x.n + 63) / 64 * 2
	set, counted := 4*int64(x.words), 4*int64(len(x.open)*int(filter.Stages)+2*turns)
	all, err := x.alloc(set*int64(len(x.open)) + set + 8 + counted)
	if err != nil {
		return err
	}
	x.sets = all.part(0, set*int64(len(x.open)))
	x.marks = all.part(x.sets.bytes, set+8)
	x.zeros = all.part(x.sets.bytes+x.marks.bytes, counted)
	return fill(x.zeros, counted/4, 0)
}

// rangeOf is one that all candidates lie in.
func (x *sift) rangeOf(t *filter.Tests) csr.Range {
	if t.Set != nil {
		list := t.Set.List()
		if len(list) == 0 {
			return csr.Range{}
		}
		return csr.Range{Lo: list[0], Hi: list[len(list)-1] + 1}
	}
	var all csr.Range
	classes := x.r.Snapshot.Classes
	for i := range classes {
		if c := &classes[i]; c.Lo < c.Hi && t.Labels.Admits(c.Labels) {
			if all.Hi == 0 {
				all.Lo = c.Lo
			}
			all.Hi = c.Hi
		}
	}
	return all
}

// mostQueries is how many query vertices one launch tests.
const mostQueries = 32

// verify makes the sets and counts what each stage leaves.
func (x *sift) verify() error {
	most := mostQueries
	if !x.r.Env.Uses(pattern.GPUFilterPass) {
		most = 1
	}
	for us := range slices.Chunk(x.open, most) {
		if err := x.verifySome(us); err != nil {
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
	ops, starts, err := p.upload()
	if err != nil {
		return err
	}
	classes, err := classesOf(x.task, x.r.Snapshot)
	if err != nil {
		return err
	}
	counted := make([]uint32, len(us)*int(filter.Stages))
	left := x.zeros.part(4*int64(x.row[us[0]]*int(filter.Stages)), 4*int64(len(counted)))
	err = x.d.launch("filter_verify", x.d.grid(x.words*32, 256), 256, 0, ops.arg(), starts.arg(), uint64(len(us)), uint64(x.n), classes.arg(),
		x.set(us[0]).arg(), uint64(x.words), left.arg())
	if err != nil {
		return err
	}
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

// markGain is how many times smaller the other set must be for marking to pay: looking ends at the first hit, mostly at once, while
// marks are atomic and the rows of what is left are long. Tests change it.
var markGain = 16

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
		counts, err := x.revise(&a)
		if err != nil {
			return err
		}
		x.sizes[a.U] = int(counts[0])
		x.r.Env.Took(pattern.GPUFilterRows, uint64(counts[1]))
	}
}

// revise returns how many candidates are left, and how many rows warps have gone through.
func (x *sift) revise(a *filter.Arc) (counts [2]uint32, err error) {
	if x.turn == turns {
		if err := fill(x.zeros, x.zeros.bytes/4, 0); err != nil {
			return counts, err
		}
		x.turn = 0
	}
	count := x.zeros.part(x.zeros.bytes-8*int64(x.turn+1), 8)
	x.turn++
	if markGain*x.sizes[a.W] >= x.sizes[a.U] || !x.r.Env.Uses(pattern.GPUFilterMark) {
		err = x.look(a, count)
	} else {
		x.r.Env.Took(pattern.GPUFilterMark, 1)
		err = x.mark(a, count)
	}
	if err != nil {
		return counts, err
	}
	return counts, download(count, counts[:])
}

func differ(a *filter.Arc) uint64 {
	if a.Differ {
		return 1
	}
	return 0
}

func (x *sift) look(a *filter.Arc, count buffer) error {
	g, err := adjacencyOf(x.task, x.r.Snapshot, a.Types, a.Dir)
	if err != nil {
		return err
	}
	few, by := uint64(alone), x.ranges[a.W]
	if !x.r.Env.Uses(pattern.GPUFilterRows) {
		few = 1<<32 - 1
	}
	return x.d.launch("filter_look", x.d.grid(x.words*32, 256), 256, 0, x.set(a.U).arg(), x.set(a.W).arg(), uint64(x.words), g.offsets.arg(), g.targets.arg(),
		differ(a), uint64(by.Lo), uint64(by.Hi), few, count.arg())
}

func (x *sift) mark(a *filter.Arc, count buffer) error {
	g, err := adjacencyOf(x.task, x.r.Snapshot, a.Types, a.Back)
	if err != nil {
		return err
	}
	if err := fill(x.marks, int64(x.words), 0); err != nil {
		return err
	}
	of, pieces := x.ranges[a.U], 2
	if x.words > 1024 {
		pieces = 16
	}
	err = x.d.launch("filter_mark", pieces*x.d.grid(x.words*32, 256), 256, 0, x.set(a.W).arg(), uint64(x.words), g.offsets.arg(), g.targets.arg(), differ(a),
		uint64(of.Lo), uint64(of.Hi), min(1024, x.d.hubDegree), uint64(pieces), x.marks.arg())
	if err != nil {
		return err
	}
	return x.d.launch("filter_and", x.d.grid(x.words, 256), 256, 0, x.set(a.U).arg(), x.marks.arg(), uint64(x.words), count.arg())
}

// download takes over the sets that are not what they began as.
func (x *sift) download() error {
	var lists *scanner
	var list buffer
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
			if list, err = x.alloc(4 * int64(slices.Max(x.sizes))); err != nil {
				return err
			}
		}
		if err := lists.sum(x.set(u), int64(x.words), true, buffer{}, x.marks); err != nil {
			return err
		}
		err := x.d.launch("filter_list", x.d.grid(x.words*32, 256), 256, 0, x.set(u).arg(), uint64(x.words), x.marks.arg(), list.arg())
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
