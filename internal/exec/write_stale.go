package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner"
)

// staleStage drops the matches with a node or a relationship that statements before have deleted. The snapshot that they share still has
// it.
type staleStage struct {
	next        stage
	x           *execution
	nodes, rels []int // slots
}

// mayBeStale reports whether a pattern may have matches with what statements before have deleted.
func (w *writing) mayBeStale(p *pattern.Pattern) bool {
	return w != nil && (w.lostNodes || w.lostRels && len(p.Edges) > 0)
}

// dropStale puts a staleStage on top of m, and has m tell what that reads.
func dropStale(m *matchStage) error {
	vertices, edges, ok := m.plan.Parts()
	if !ok {
		return &eval.Error{Code: eval.CodeInternal, Msg: "the pattern needs a snapshot of what was deleted"}
	}
	s := &staleStage{next: m.next, x: m.x}
	for _, u := range vertices {
		s.nodes = append(s.nodes, placeOf(m, &m.vertices, u))
	}
	for _, e := range edges {
		s.rels = append(s.rels, placeOf(m, &m.edges, e))
	}
	m.next = s
	return nil
}

// placeOf returns the slot of an element. If no stage above reads it, the element gets a place behind the slots of the plan.
func placeOf(m *matchStage, places *[]place, element int) int {
	if i := slices.IndexFunc(*places, func(p place) bool { return p.element == element }); i >= 0 {
		return (*places)[i].slot
	}
	slot := len(m.x.plan.Slots) + m.x.writes.told
	m.x.writes.told++
	*places = append(*places, place{element, slot})
	return slot
}

// stalePlaces is how many places of a row dropStale may take, for all patterns of a plan.
func stalePlaces(n planner.Node) (places int) {
	for _, op := range allNodes(n) {
		if m, ok := op.(*planner.Match); ok {
			places += len(m.Pattern.Vertices) + len(m.Pattern.Edges)
		}
	}
	return places
}

func (s *staleStage) push(mult uint64) (bool, error) {
	w := s.x.writes
	for _, slot := range s.rels {
		if csr.LostRel(w.draft, s.x.row[slot].Rel(), w.began) {
			csr.Stale(w.draft)
			return true, nil
		}
	}
	for _, slot := range s.nodes {
		if csr.LostNode(w.draft, s.x.row[slot].Node(), w.began) {
			csr.Stale(w.draft)
			return true, nil
		}
	}
	return s.next.push(mult)
}

func (s *staleStage) flush() (bool, error) { return s.next.flush() }
