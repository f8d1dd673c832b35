package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// seeks fills in the Seek of every predicate that an index helps with. The pattern belongs to this execution, and c has compiled
// its predicates.
func (x *execution) seeks(p *pattern.Pattern, list []planner.Seek, c *eval.Predicates) error {
	if len(list) == 0 || !x.pattern.Uses(pattern.IndexSeek) {
		return nil
	}
	for _, k := range list {
		val, err := c.Compile(k.Value)
		if err != nil {
			return err
		}
		s := x.s
		p.Predicates[k.Predicate].Seek = func(atMost int) (found []csr.VertexID, ok bool) {
			e := &eval.Input{Row: x.row}
			v, err := val.Fn(e)
			c.Settle(e, 0)
			if err != nil {
				return nil, false // the predicate reports the error where a row reaches it
			}
			wanted := []value.Value{v}
			if k.In && v.Kind() == value.List {
				wanted = v.List()
			} else if k.In && !v.IsNull() {
				return nil, false
			}
			for _, w := range wanted {
				if w.IsNull() {
					continue // null equals nothing
				}
				cell, err := w.Cell()
				if err != nil {
					return nil, false
				}
				list, ok := s.Lookup(k.Label, k.Key, k.Op, cell, atMost-len(found))
				if !ok {
					return nil, false
				}
				found = append(found, list...)
			}
			if len(wanted) > 1 {
				slices.Sort(found)
				found = slices.Compact(found)
			}
			return found, true
		}
	}
	return nil
}

// seek returns the candidates of v that indexes find for the current row; all candidates where no index does.
func (q *anchoredMatch) seek(v *move) []csr.VertexID {
	list := v.list
	for _, i := range v.seeks {
		found, ok := q.p.Predicates[i].Seek(len(list) / 2)
		if !ok {
			continue
		}
		set := q.m.job.Candidates.Sets[v.to]
		list = slices.DeleteFunc(found, func(w csr.VertexID) bool { return !set.Has(w) })
		q.m.env.Took(pattern.IndexSeek, 1)
	}
	return list
}
