package csr

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// check returns the first fault of d, or nil; the error of ctx once that has ended.
func (d *Data) check(ctx context.Context) error {
	if d.Vertices > MaxVertices {
		return fmt.Errorf("%d vertices; a graph holds at most %d", d.Vertices, MaxVertices)
	}
	for _, step := range []func() error{d.checkDicts, d.checkClasses, d.checkStats, func() error { return d.checkRels(ctx) }, func() error { return d.checkIDs(ctx) },
		func() error { return d.checkColumns(ctx) }, d.Schema.check} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (d *Data) checkDicts() error {
	for _, dict := range []**Dict{&d.Labels, &d.Types, &d.Keys} {
		if *dict == nil {
			*dict = NewDict()
		}
		if len((*dict).ids) != len((*dict).names) {
			return errors.New("dictionary with a repeated name")
		}
	}
	return nil
}

func (d *Data) checkClasses() error {
	next := VertexID(0)
	for i, c := range d.Classes {
		if c.Lo != next || c.Hi <= c.Lo || uint64(c.Hi) > d.Vertices {
			return fmt.Errorf("label class %d covers [%d, %d) of %d vertices after %d", i, c.Lo, c.Hi, d.Vertices, next)
		}
		next = c.Hi
		for j, l := range c.Labels {
			if int(l) >= d.Labels.Len() || j > 0 && c.Labels[j-1] >= l {
				return fmt.Errorf("label class %d has an unknown or unsorted label", i)
			}
		}
		if i > 0 && slices.Equal(d.Classes[i-1].Labels, c.Labels) {
			return fmt.Errorf("label classes %d and %d carry the same labels", i-1, i)
		}
	}
	if uint64(next) != d.Vertices {
		return fmt.Errorf("label classes cover %d of %d vertices", next, d.Vertices)
	}
	return nil
}

func (d *Data) checkRels(ctx context.Context) error {
	if len(d.Rels) != d.Types.Len() {
		return fmt.Errorf("%d relationship types but adjacency for %d", d.Types.Len(), len(d.Rels))
	}
	first := uint64(0)
	for t := range d.Rels {
		r := &d.Rels[t]
		if uint64(r.First) != first {
			return fmt.Errorf("relationships of type %d start at %d, not %d", t, r.First, first)
		}
		first += r.Len()
		if r.late != nil {
			d.checkLater(t)
			continue
		}
		found, err := r.check(ctx, d.Vertices)
		if err == nil && d.Stats != nil {
			err = d.Stats.Types[t].check(found, d.Vertices)
		}
		if err != nil {
			return fmt.Errorf("relationships of type %d: %w", t, err)
		}
	}
	if first != d.Edges {
		return fmt.Errorf("%d relationships where %d were announced", first, d.Edges)
	}
	return nil
}

// relsShape is what a pass over all relationships of a type finds out beside faults.
type relsShape struct {
	edges, loops uint64
	parallel     bool
	products     uint64 // of the ends plus 1, added up over packed rows: the same by source and by target
}

func (x *relsShape) add(part relsShape) {
	x.edges += part.edges
	x.loops += part.loops
	x.parallel = x.parallel || part.parallel
	x.products += part.products
}

func (r *Rels) check(ctx context.Context, n uint64) (relsShape, error) {
	found := relsShape{edges: uint64(len(r.Targets))}
	if len(r.Offsets) == 0 {
		if len(r.Targets) != 0 {
			return found, errors.New("targets without sources")
		}
		return found, nil
	}
	if uint64(r.Lo)+uint64(len(r.Offsets)-1) > n {
		return found, fmt.Errorf("sources up to %d of %d vertices", uint64(r.Lo)+uint64(len(r.Offsets)-1), n)
	}
	if r.Offsets[0] != 0 || r.Offsets[len(r.Offsets)-1] != uint64(len(r.Targets)) || !slices.IsSorted(r.Offsets) {
		return found, errors.New("bad offsets")
	}
	workers := defaultWorkers()
	cuts := rows(r.Offsets, min(4*workers, 1+len(r.Targets)>>16))
	parts, errs := make([]relsShape, len(cuts)-1), make([]error, len(cuts)-1)
	dynamic(workers, len(parts), func(i int) { parts[i], errs[i] = r.checkRows(ctx, cuts[i], cuts[i+1], n) })
	for i := range parts {
		if errs[i] != nil {
			return found, errs[i]
		}
		found.loops += parts[i].loops
		found.parallel = found.parallel || parts[i].parallel
	}
	return found, nil
}

// checkRows checks the rows [a, b).
func (r *Rels) checkRows(ctx context.Context, a, b int, n uint64) (found relsShape, err error) {
	for i := a; i < b; i++ {
		if i%rowBlock == 0 && ctx.Err() != nil {
			return found, ctx.Err()
		}
		row := r.Targets[r.Offsets[i]:r.Offsets[i+1]]
		if len(row) == 0 {
			continue
		}
		last, v := row[0], r.Lo+VertexID(i)
		for _, w := range row[1:] {
			if w <= last {
				if w < last {
					return found, fmt.Errorf("unsorted target %d of source %d", w, v)
				}
				found.parallel = true
			}
			last = w
		}
		if uint64(last) >= n {
			return found, fmt.Errorf("unknown target %d of source %d", last, v)
		}
		if row[0] <= v && v <= last {
			found.loops += uint64(count(row, v))
		}
	}
	return found, nil
}

func (d *Data) checkIDs(ctx context.Context) error {
	if err := checkIDs(ctx, d.NodeIDs, d.Vertices, uint64(d.NextNode)); err != nil {
		return fmt.Errorf("node ids: %w", err)
	}
	if err := checkIDs(ctx, d.RelIDs, d.Edges, uint64(d.NextRel)); err != nil {
		return fmt.Errorf("relationship ids: %w", err)
	}
	return nil
}

// idBlock is after how many ids checkIDs looks at its context.
const idBlock = 1 << 16

// checkIDs returns an error unless n ids, or 0..n-1 for nil, are distinct and below next.
func checkIDs[T ~uint64](ctx context.Context, ids []T, n, next uint64) error {
	if ids == nil {
		if n > next {
			return fmt.Errorf("%d elements but ids up to %d", n, next)
		}
		return nil
	}
	if uint64(len(ids)) != n {
		return fmt.Errorf("%d ids for %d elements", len(ids), n)
	}
	for i, id := range ids {
		if i%idBlock == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if uint64(id) >= next {
			return fmt.Errorf("id %d was never given out (next is %d)", id, next)
		}
	}
	if next <= 64*n+ChunkLen {
		return checkDistinctDense(ctx, ids, next)
	}
	sorted := slices.Clone(ids)
	slices.Sort(sorted)
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			return fmt.Errorf("id %d occurs twice", sorted[i])
		}
	}
	return nil
}

func checkDistinctDense[T ~uint64](ctx context.Context, ids []T, next uint64) error {
	seen := make([]uint64, next/64+1)
	for i, id := range ids {
		if i%idBlock == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if seen[id/64]>>(id%64)&1 != 0 {
			return fmt.Errorf("id %d occurs twice", id)
		}
		seen[id/64] |= 1 << (id % 64)
	}
	return nil
}

func (d *Data) checkColumns(ctx context.Context) error {
	if len(d.VertexProps) > d.Keys.Len() || len(d.EdgeProps) > d.Keys.Len() {
		return errors.New("more property columns than property keys")
	}
	for k, c := range d.VertexProps {
		if err := c.check(ctx, d.Vertices); err != nil {
			return fmt.Errorf("node property %q: %w", d.Keys.Name(uint32(k)), err)
		}
	}
	for k, c := range d.EdgeProps {
		if err := c.check(ctx, d.Edges); err != nil {
			return fmt.Errorf("relationship property %q: %w", d.Keys.Name(uint32(k)), err)
		}
	}
	for _, x := range d.External {
		if err := x.IDs.check(ctx, d.Vertices); err != nil {
			return fmt.Errorf("external ids %q: %w", x.Name, err)
		}
	}
	return nil
}

// checkStats checks the statistics as far as that is cheap. Counts of nodes and the lists are right or refused, and so is what
// TypeStat.check covers. Nothing but computing them again finds out whether the rest is right.
func (d *Data) checkStats() error {
	s := d.Stats
	if s == nil {
		return nil
	}
	if len(s.LabelCount) != d.Labels.Len() || len(s.Types) != d.Types.Len() {
		return errors.New("statistics of other labels or types")
	}
	if !slices.Equal(s.LabelCount, labelCounts(d)) || uint64(s.Degeneracy) > d.Vertices {
		return errors.New("statistics of other nodes")
	}
	for _, p := range s.Shared {
		if p[0] >= p[1] || int(p[1]) >= len(s.Types) {
			return errors.New("statistics name an unknown pair of types")
		}
	}
	known := func(l LabelID) bool { return l == NoLabel || int(l) < len(s.LabelCount) }
	for i, t := range s.Triples {
		if int(t.Type) >= len(s.Types) || !known(t.Src) || !known(t.Dst) {
			return errors.New("statistics name an unknown label or type")
		}
		if t.Count == 0 || t.Count > s.Types[t.Type].Edges || i > 0 && s.Triples[i-1].compare(t) >= 0 {
			return errors.New("statistics count relationships by label out of order, or more than there are")
		}
	}
	return nil
}

// check compares the figures of a type of n vertices with what a pass over its relationships has found. Counts have to be
// right, and adjacency that is called simple has no parallel relationships. The other figures have to be possible.
func (st *TypeStat) check(found relsShape, n uint64) error {
	most := float64(found.edges) * float64(found.edges)
	possible := func(wedges float64) bool { return wedges >= 0 && wedges <= most*1.001 } // false for NaN
	switch {
	case st.Edges != found.edges || st.Loops != found.loops || found.parallel && !st.Parallel:
		return errors.New("statistics of other relationships")
	case max(st.Sources, st.Targets, st.MaxOut, st.MaxIn) > st.Edges || max(st.Sources, st.Targets) > n,
		!possible(st.OutOut), !possible(st.InIn), !possible(st.InOut):
		return errors.New("statistics that are impossible")
	}
	return nil
}

// check returns an error unless CreateRule can have made every rule.
func (s *Schema) check() error {
	names := make(map[string]bool, len(s.Indexes)+len(s.Constraints))
	for _, list := range [][]Rule{s.Indexes, s.Constraints} {
		for i := range list {
			r := &list[i]
			if !r.wellFormed() || (r.Kind == RuleIndex) != (len(names) < len(s.Indexes)) {
				return fmt.Errorf("%w %q of unknown form", ErrRule, r.Name)
			}
			if names[r.Name] {
				return fmt.Errorf("%w %q occurs twice", ErrRule, r.Name)
			}
			names[r.Name] = true
		}
	}
	return nil
}
