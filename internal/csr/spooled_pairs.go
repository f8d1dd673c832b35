package csr

import "fmt"

// resolve sorts the relationships by their pair of vertices and leaves out repeats and loops where DropRepeats asks for it. It counts degrees, and
// finds reciprocal types, parallel types and the simple graph.
func (j *spooledAssembly) resolve() error {
	if err := j.take(8 * j.n); err != nil {
		return err
	}
	low := make([]uint64, j.n) // by vertex: relationships of which it is the smaller end
	falling, err := j.countLow(low)
	if err != nil {
		return err
	}
	b, err := j.newBuckets(low)
	if err != nil {
		return err
	}
	defer j.drop(b)
	clear(low)
	j.degree = low // is counted from here on
	for t := range j.rels {
		j.kept = append(j.kept, j.spool.NewList())
		if j.rels[t].spilled.Len() == 0 {
			continue
		}
		if err := j.pairUp(TypeID(t), b); err != nil {
			return err
		}
		j.only, j.simple = TypeID(t), j.width == 1 && j.rels[t].simple && !falling
		if j.simple {
			j.g.Simple = j.kept[t]
		}
	}
	if !j.simple {
		j.g.Simple = j.spool.NewList()
	}
	j.data.Stats = &Stats{Types: make([]TypeStat, len(j.rels))}
	j.pairs = newTypePairs(len(j.rels), maxShared)
	walk := j.walkPairs
	if j.width == 1 {
		walk = j.walkPlainPairs
	}
	if err := j.eachSorted(b, walk); err != nil {
		return err
	}
	j.data.Stats.Shared, err = j.pairs.list()
	return err
}

// countLow counts the relationships of each vertex that is their smaller end. falling says that some source is the larger end.
func (j *spooledAssembly) countLow(low []uint64) (falling bool, err error) {
	for t := range j.rels {
		err := j.rels[t].spilled.Each(j.ctx, func(words []uint64) error {
			for _, w := range words {
				u, v := uint32(w>>32), uint32(w)
				if top := max(u, v); uint64(top) >= j.n {
					return fmt.Errorf("relationship of type %s to vertex %d of %d", j.types.Name(uint32(t)), top, j.n)
				}
				falling = falling || u > v
				low[min(u, v)]++
			}
			return nil
		})
		if err != nil {
			return false, err
		}
	}
	return falling, nil
}

// pairUp moves the relationships of a type to the buckets.
func (j *spooledAssembly) pairUp(t TypeID, b *buckets) error {
	r := &j.rels[t]
	index, err := newIndices(r.marks)
	if err != nil {
		return err
	}
	err = r.spilled.Each(j.ctx, func(words []uint64) error {
		j.tick(len(words) * j.width)
		for _, w := range words {
			u, v, turned := w>>32, w&(1<<32-1), uint64(0)
			if u > v {
				u, v, turned = v, u, 1
			}
			list := b.lists[b.of[u]]
			if j.width == 1 {
				if err := list.Put(u<<32 | v<<1 | turned); err != nil {
					return err
				}
				continue
			}
			at, err := index.take()
			if err == nil {
				err = list.Append(u<<32|v, uint64(t)<<typeShift|at<<1|turned)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	r.spilled.Drop()
	r.marks.Drop()
	return err
}

// keep passes on a relationship that stays.
func (j *spooledAssembly) keep(t TypeID, u, v uint64, turned uint64, index uint64) error {
	j.degree[u]++
	j.degree[v]++
	if turned == 1 {
		u, v = v, u
	}
	if j.width == 1 {
		return j.kept[t].Put(u<<32 | v)
	}
	return j.kept[t].Append(u<<32|v, index)
}

// walkPlainPairs takes the sorted words of a bucket, where there is one type and no index.
func (j *spooledAssembly) walkPlainPairs(words []uint64) error {
	t := j.only
	drop, st := j.rels[t].simple, &j.data.Stats.Types[t]
	last, seen := ^uint64(0), [2]bool{} // the pair before, and its directions
	for _, w := range words {
		u, v, turned := w>>32, w>>1&(1<<31-1), w&1
		if w>>1 != last {
			last, seen = w>>1, [2]bool{}
		}
		if drop && u == v {
			j.dropped.Loops++
			continue
		}
		if drop && seen[turned] {
			j.dropped.Duplicates++
			continue
		}
		if u != v {
			st.Reciprocal = st.Reciprocal || seen[1-turned]
			if !j.simple && !seen[0] && !seen[1] {
				if err := j.g.Simple.Put(u<<32 | v); err != nil {
					return err
				}
			}
		}
		seen[turned] = true
		if err := j.keep(t, u, v, turned, 0); err != nil {
			return err
		}
	}
	return nil
}

// walkPairs takes the sorted words of a bucket.
func (j *spooledAssembly) walkPairs(words []uint64) error {
	for lo := 0; lo < len(words); {
		hi := lo + 2
		for hi < len(words) && words[hi] == words[lo] {
			hi += 2
		}
		if err := j.pair(words[lo:hi]); err != nil {
			return err
		}
		lo = hi
	}
	return nil
}

// pair takes the relationships of one pair of vertices, by type and then in order of addition.
func (j *spooledAssembly) pair(words []uint64) error {
	u, v := words[0]>>32, words[0]&(1<<32-1)
	var types []uint64 // of those that stay
	last, seen, first := ^uint64(0), [2]bool{}, [2]uint64{}
	for i := 1; i < len(words); i += 2 {
		t, index, turned := words[i]>>typeShift, words[i]>>1&(maxSpilledEdges-1), words[i]&1
		if t != last {
			last, seen = t, [2]bool{}
		}
		if drop := j.rels[t].simple; drop && u == v {
			j.dropped.Loops++
			continue
		} else if drop && seen[turned] {
			j.dropped.Duplicates++
			if j.ordered && (&keeper{assembly: j.assembly}).differ(first[turned], index) {
				j.dropped.Differing++
			}
			continue
		}
		if u != v {
			if st := &j.data.Stats.Types[t]; seen[1-turned] {
				st.Reciprocal = true
			}
			if !seen[0] && !seen[1] {
				types = append(types, t)
			}
		}
		if !seen[turned] {
			seen[turned], first[turned] = true, index
		}
		if err := j.keep(TypeID(t), u, v, turned, index); err != nil {
			return err
		}
	}
	if len(types) > 1 {
		j.pairs.add(types)
	}
	if len(types) > 0 {
		return j.g.Simple.Put(u<<32 | v)
	}
	return nil
}
