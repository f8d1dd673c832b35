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
	var column *csr.Column
	if int(key) < len(m.x.s.VertexProps) {
		column = m.x.s.VertexProps[key]
	}
	p := refinement{parts: map[partCell]uint32{}}
	var kinds [1024]csr.Kind
	var nums [1024]uint64
	for at := 0; at < len(list); at += len(kinds) {
		block := list[at:min(at+len(kinds), len(list))]
		csr.Gather(column, block, kinds[:], nums[:])
		for i, v := range block {
			cell := csr.Cell{Kind: kinds[i], Num: nums[i]}
			switch cell.Kind {
			case 0:
				cell.Num = 0
			case csr.KindString, csr.KindEncoded:
				cell, _ = column.Get(uint64(v))
			}
			of[at+i] = p.part(partCell{of[at+i], cell})
		}
		if m.x.ctx.Err() != nil {
			return maxParts + 1
		}
		if len(p.parts) > maxParts {
			break
		}
	}
	return len(p.parts)
}

// partCell is a part and a value by which it is divided.
type partCell struct {
	part uint32
	cell csr.Cell
}

// refinement numbers the parts that a division makes. Most candidates have one of a few values, which recent finds without a hash.
type refinement struct {
	parts  map[partCell]uint32
	recent [64]struct {
		of   partCell
		part uint32
		used bool
	}
}

func (r *refinement) part(of partCell) uint32 {
	last := &r.recent[(of.cell.Num+31*uint64(of.part))%uint64(len(r.recent))]
	if last.used && last.of == of {
		return last.part
	}
	part, known := r.parts[of]
	if !known {
		part = uint32(len(r.parts))
		r.parts[of] = part
	}
	last.of, last.part, last.used = of, part, true
	return part
}
