package exec

import (
	"cmp"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/planner"
)

// differentStage keeps rows whose parts have nothing in common.
type differentStage struct {
	*outlet
	plan  *planner.Different
	rels  []ownedRel
	edges []csr.EdgeID
	nodes []csr.VertexID
}

// ownedRel is a relationship and the part it belongs to.
type ownedRel struct {
	e    csr.EdgeID
	part int
}

func (d *differentStage) push(mult uint64) (bool, error) {
	d.rels, d.nodes = d.rels[:0], d.nodes[:0]
	for part, slots := range d.plan.Rels {
		d.edges = d.edges[:0]
		for _, slot := range slots {
			d.edges = appendRels(d.edges, d.x.row[slot])
		}
		for _, e := range d.edges {
			d.rels = append(d.rels, ownedRel{e, part})
		}
	}
	for _, slot := range d.plan.Nodes {
		d.nodes = appendNodes(d.nodes, d.x.row[slot])
	}
	slices.SortFunc(d.rels, func(a, b ownedRel) int { return cmp.Compare(a.e, b.e) })
	for i := 1; i < len(d.rels); i++ {
		if d.rels[i].e == d.rels[i-1].e && d.rels[i].part != d.rels[i-1].part {
			return true, nil
		}
	}
	slices.Sort(d.nodes)
	if len(slices.Compact(d.nodes)) < len(d.nodes) {
		return true, nil
	}
	return d.emit(mult)
}
