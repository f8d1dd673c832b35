package exec

import (
	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// endWeights gathers walks of which nobody reads more than the end: one row stands for all that end at one node. The first walks become
// rows at once; later ones wait in ever larger groups.
type endWeights struct {
	weight map[csr.VertexID]uint64
	order  []csr.VertexID // in which the ends were found
	walks  int            // since the last rows
	limit  int            // of walks, for one group
}

// maxGather is how many ends may wait, and gatherBytes how much memory one of them takes.
const (
	maxGather   = 1 << 14
	gatherBytes = 48
)

// worksPerRow reports whether a stage, or the one behind filters, does much work for every row, or counts rows.
func worksPerRow(next stage) bool {
	for {
		switch s := next.(type) {
		case *filter:
			next = s.next
		case *aggregate:
			return true
		default:
			return worksLong(next)
		}
	}
}

// collect takes a walk.
func (p *pathStage) collect(w *pattern.Walk) (more bool, err error) {
	g := p.gather
	end := csr.NoVertex
	if len(w.Nodes) > 0 {
		end = w.Nodes[len(w.Nodes)-1]
	}
	was, there := g.weight[end]
	if !there {
		g.order = append(g.order, end)
	}
	g.weight[end] = addSaturated(was, w.Weight)
	if g.walks++; g.walks < g.limit && len(g.order) < maxGather {
		return true, nil
	}
	return p.giveEnds()
}

// giveEnds emits a row for each end.
func (p *pathStage) giveEnds() (more bool, err error) {
	g := p.gather
	nodes := p.job.Path.Nodes
	end := nodes[len(nodes)-1].Var
	outer := p.mult
	for _, v := range g.order {
		if p.vertices[end] {
			p.x.row[p.plan.Vertices[end].Slot] = value.OfNode(v)
		}
		var n uint64
		if n, err = times(outer, g.weight[v]); err != nil {
			return false, err
		}
		p.more, err = p.emitSampled(n)
		p.mult = outer
		if err != nil || !p.more {
			break
		}
	}
	return p.more, p.nextGroup(err)
}

// nextGroup makes room for the next group, which may be larger.
func (p *pathStage) nextGroup(err error) error {
	g := p.gather
	clear(g.weight)
	g.order, g.walks = g.order[:0], 0
	if err == nil && g.limit < maxGather {
		err = p.account.Charge(4 * int64(g.limit) * gatherBytes)
	}
	g.limit = min(4*g.limit, 1<<40)
	return err
}
