//go:build cuda && cgo && linux

package cuda

import (
	"fmt"
	"slices"

	"github.com/motifql/motif/filter"
	"github.com/motifql/motif/internal/csr"
)

// Operations of filter.cu.
const (
	opStage uint64 = iota
	opAdmit
	opHas
	opDegree
	opLoop
	opCover
	opDeep
	opAround
	opWords = 8
)

// program is the tests of some query vertices as filter.cu reads them.
type program struct {
	*sift
	ops     []uint64
	starts  []uint32
	small   []uint64 // what operations refer to: tables, queries, ranges
	refer   []int    // words of ops that are indices into small, to become addresses
	counted [][filter.Stages]bool
}

// op appends an operation: what, two numbers, addresses.
func (p *program) op(words ...uint64) {
	p.ops = append(p.ops, append(words, make([]uint64, opWords-len(words))...)...)
}

// note puts data where the operation appended last can refer to it, by its word i.
func (p *program) note(i int, data ...uint64) {
	at := len(p.ops) - opWords + i
	p.ops[at] = uint64(len(p.small))
	p.refer = append(p.refer, at)
	p.small = append(p.small, data...)
}

// add appends the tests of a query vertex, stage by stage; a stage without tests is not counted.
func (p *program) add(u int) error {
	if len(p.starts) == 0 {
		p.starts = []uint32{0}
	}
	p.counted = append(p.counted, [filter.Stages]bool{})
	t := &p.r.Vertices[u]
	if err := p.start(t); err != nil {
		return err
	}
	p.stage(filter.StageLabel)
	if err := p.degrees(t); err != nil {
		return err
	}
	for i, queries := range t.Signatures {
		if err := p.cover(i, queries); err != nil {
			return err
		}
	}
	for i, tests := range t.Depths {
		for _, x := range tests {
			b, err := keep(p.task, p.r.Snapshot, fmt.Sprint([]string{"core ", "truss "}[i], typesName(x.Types)), func(up *task) (buffer, error) {
				return upload(up, x.Values)
			})
			if err != nil {
				return err
			}
			p.op(opDeep, uint64(x.Least), 0, b.arg())
		}
		if len(tests) > 0 {
			p.stage(filter.StageCore + filter.Stage(i))
		}
	}
	if err := p.neighbours(t); err != nil {
		return err
	}
	p.starts = append(p.starts, uint32(len(p.ops)/opWords))
	return nil
}

func (p *program) stage(s filter.Stage) {
	p.op(opStage, uint64(s))
	p.counted[len(p.counted)-1][s] = true
}

// start appends the test that gives the candidates to begin with.
func (p *program) start(t *filter.Tests) error {
	if t.Set != nil {
		b, err := upload(p.task, t.Set.Bits())
		p.op(opHas, 0, 0, b.arg())
		return err
	}
	classes := p.r.Snapshot.Classes
	admitted := make([]uint64, len(classes)/64+1) // with a bit for no class
	for i := range classes {
		if t.Labels.Admits(classes[i].Labels) {
			admitted[i/64] |= 1 << (i % 64)
		}
	}
	p.op(opAdmit)
	p.note(3, admitted...)
	return nil
}

func (p *program) degrees(t *filter.Tests) error {
	for i := range t.Degrees {
		d := &t.Degrees[i]
		g, counts, err := p.view(d)
		if err != nil {
			return err
		}
		p.op(opDegree, uint64(d.Count), 0, g.offsets.arg(), counts.arg())
	}
	for _, types := range t.Loops {
		g, err := adjacencyOf(p.task, p.r.Snapshot, types, csr.Out)
		if err != nil {
			return err
		}
		p.op(opLoop, 0, 0, g.offsets.arg(), g.targets.arg())
	}
	if len(t.Degrees)+len(t.Loops) > 0 {
		p.stage(filter.StageDegree)
	}
	return nil
}

func (p *program) neighbours(t *filter.Tests) error {
	for i := range t.Neighbours {
		d := &t.Neighbours[i]
		g, counts, err := p.view(d)
		if err != nil {
			return err
		}
		ranges := make([]uint64, len(d.Ranges))
		for i, r := range d.Ranges {
			ranges[i] = uint64(r.Lo) | uint64(r.Hi)<<32
		}
		p.op(opAround, uint64(d.Count), uint64(len(ranges)), g.offsets.arg(), g.targets.arg(), counts.arg())
		p.note(6, ranges...)
	}
	if len(t.Neighbours) > 0 {
		p.stage(filter.StageNeighbours)
	}
	return nil
}

// view is the graph that a demand speaks of, and how many relationships stand behind each neighbour where they count.
func (p *program) view(d *filter.Demand) (g *adjacent, counts buffer, err error) {
	if g, err = adjacencyOf(p.task, p.r.Snapshot, d.Types, d.Direction); err != nil || d.Distinct {
		return g, counts, err
	}
	counts, err = countsOf(p.task, p.r.Snapshot, d.Types, d.Direction)
	return g, counts, err
}

// cover appends the test of a part of signatures.
func (p *program) cover(part int, queries [][]uint64) error {
	if len(queries) == 0 {
		return nil
	}
	words, err := signatureOf(p.ctx, p.task, p.r.Snapshot, p.r.Env, p.r.Parts[part], part)
	if err != nil {
		return err
	}
	p.op(opCover, uint64(p.r.Parts[part].Words()), uint64(len(queries)), words.arg())
	var all []uint64
	for _, q := range queries {
		all = append(all, q...)
	}
	p.note(4, all...)
	p.stage(filter.StageQuantity + filter.Stage(part))
	return nil
}

// upload sends the program to the device: all of it at once.
func (p *program) upload() (ops, starts buffer, err error) {
	n := len(p.small) + len(p.ops)
	all, err := p.alloc(8 * int64(n+(len(p.starts)+1)/2))
	if err != nil {
		return ops, starts, err
	}
	for _, at := range p.refer {
		p.ops[at] = all.arg() + 8*p.ops[at]
	}
	words := slices.Concat(p.small, p.ops, make([]uint64, (len(p.starts)+1)/2))
	for i, at := range p.starts {
		words[n+i/2] |= uint64(at) << (i % 2 * 32)
	}
	ops, starts = all.part(8*int64(len(p.small)), 8*int64(len(p.ops))), all.part(8*int64(n), 4*int64(len(p.starts)))
	return ops, starts, uploadTo(all, words)
}

// classesOf keeps the class of every vertex on the device.
func classesOf(t *task, s *csr.Snapshot) (buffer, error) {
	return keep(t, s, "classes", func(up *task) (buffer, error) {
		from, to := make([]uint32, len(s.Classes)), make([]uint32, len(s.Classes))
		for i := range s.Classes {
			from[i], to[i] = uint32(s.Classes[i].Lo), uint32(s.Classes[i].Hi)
		}
		of, err := up.alloc(4 * int64(s.N()))
		if err != nil {
			return of, err
		}
		a, err := upload(t, from)
		if err != nil {
			return of, err
		}
		b, err := upload(t, to)
		if err != nil {
			return of, err
		}
		return of, t.d.launch("filter_classes", t.d.grid(int(s.N()), 256), 256, 0, a.arg(), b.arg(), uint64(len(from)), s.N(), of.arg())
	})
}

// countsOf keeps how many relationships stand behind each target of a view.
func countsOf(t *task, s *csr.Snapshot, types csr.TypeSet, dir csr.Direction) (buffer, error) {
	return keep(t, s, "counts "+dir.String()+" "+typesName(types), func(up *task) (buffer, error) {
		return upload(up, s.Adjacency(types, dir).Flat().Counts)
	})
}
