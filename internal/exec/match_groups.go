package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/planner/match"
)

// maxParts is how many different values a vertex may be read by for its groups to be counted one by one.
const maxParts = 256

// groups says which vertices the operator above tells apart, if it only reads some of their properties.
func (m *matchStage) groups(cost float64) *pattern.Groups {
	if m.plan.ReadKeys == nil || len(m.edges) > 0 || m.plan.Optional || m.env.Order != pattern.OrderAuto || !m.env.Uses(pattern.GroupSums) {
		return nil
	}
	g := &pattern.Groups{Read: elements(m.vertices), Cost: cost}
	var keys [][]csr.KeyID
	whole := false
	for _, u := range g.Read {
		if whole = m.plan.ReadKeys[u] == nil; whole && len(g.Read) > 1 {
			return nil
		}
		keys = append(keys, nil)
		for _, name := range m.plan.ReadKeys[u] {
			if key, ok := m.x.s.Keys.Lookup(name); ok {
				keys[len(keys)-1] = append(keys[len(keys)-1], csr.KeyID(key))
			}
		}
	}
	if g.Formula, _ = match.GroupFormula(m.job.Pattern, m.job.Snapshot, g.Read, cost); g.Formula == nil {
		return nil
	}
	if whole {
		return g
	}
	made := make([][]*pattern.CandidateSet, len(g.Read))
	g.Parts = func(i int) (_ []*pattern.CandidateSet, err error) {
		for j := range i { // both ends of a path, say, often have the same candidates and are read by the same property
			if made[j] != nil && slices.Equal(keys[i], keys[j]) && slices.Equal(m.job.Candidates.Sets[g.Read[i]].List(), m.job.Candidates.Sets[g.Read[j]].List()) {
				return made[j], nil
			}
		}
		made[i], err = m.parts(g.Read[i], keys[i])
		return made[i], err
	}
	return g
}

// parts divides the candidates of vertex u by their values of some properties. It returns nil if there are more than maxParts.
func (m *matchStage) parts(u int, keys []csr.KeyID) ([]*pattern.CandidateSet, error) {
	list := m.job.Candidates.Sets[u].List()
	bytes := 4 * int64(len(list))
	defer m.env.Memory.Release(bytes)
	if err := m.env.Memory.Charge(bytes); err != nil {
		return nil, err
	}
	of, n := make([]uint32, len(list)), 1
	for _, key := range keys {
		if n = m.refine(of, list, key); n > maxParts {
			return nil, m.x.ctx.Err()
		}
	}
	lists := make([][]csr.VertexID, n)
	for i, v := range list {
		lists[of[i]] = append(lists[of[i]], v)
	}
	lists = slices.DeleteFunc(lists, func(l []csr.VertexID) bool { return len(l) == 0 })
	parts := make([]*pattern.CandidateSet, len(lists))
	for i, l := range lists {
		parts[i] = pattern.NewCandidateSet(m.x.s.N(), l)
	}
	return parts, m.x.ctx.Err()
}

// refine divides parts further by the values of one more property. of has the part of each candidate; the result is how many parts there
// are now, and more than maxParts where it gave up.
func (m *matchStage) refine(of []uint32, list []csr.VertexID, key csr.KeyID) int {
	type cellOf struct {
		part uint32
		cell csr.Cell
	}
	parts := map[cellOf]uint32{}
	var last cellOf
	part := uint32(0)
	for i, v := range list {
		if i%4096 == 0 && m.x.ctx.Err() != nil {
			return maxParts + 1
		}
		cell, _ := m.x.s.VertexProp(v, key)
		if at := (cellOf{of[i], cell}); i == 0 || at != last {
			known := false
			if part, known = parts[at]; !known {
				part = uint32(len(parts))
				parts[at] = part
			}
			if last = at; len(parts) > maxParts {
				return len(parts)
			}
		}
		of[i] = part
	}
	return len(parts)
}
