package join

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// Equal values. A condition such as a.city = b.city relates vertices like an edge does. If no edge leads to b, the search looks b up by
// the value of a: the candidates of b are sorted into lists, one a value. This is a hash join, made before the search.

// valueLists holds, for each candidate of one query vertex, the candidates of another that have an equal value.
type valueLists struct {
	lo    csr.VertexID // the vertex of list[0]
	list  []uint32     // by vertex: its list; 0 is the empty one
	start []uint32     // by list: where it begins in targets; one more than there are lists
	// Vertices, rising within each list.
	targets []csr.VertexID
	exact   bool // equal keys always meant equal values
}

func (l *valueLists) of(v csr.VertexID) []csr.VertexID {
	i := l.list[v-l.lo]
	return l.targets[l.start[i]:l.start[i+1]]
}

// valueListsKey names the lists of a predicate as seen from a query vertex.
type valueListsKey struct{ predicate, from int }

// valueGain is how many times less work the lists must promise than going through all pairs.
var valueGain = 8.0

// valueJoin makes the lists of one search.
type valueJoin struct {
	ctx   context.Context
	env   *pattern.Env
	lists map[valueListsKey]*valueLists // made so far; nil: they could not be made
	exact map[int]bool                  // predicates for which a source stands, and whether they need a test no more
	bytes int64                         // taken from the memory budget
}

// values makes a list by equal values the source of step k, if it has no other.
func (c *compiler) values(k int) {
	st := &c.steps[k]
	if len(st.sources) > 0 || st.bound || c.root > 0 || !c.byValue.env.Uses(pattern.ValueLists) {
		return
	}
	for i := range c.p.Predicates {
		q := c.p.Predicates[i].Equal
		if q == nil || q.Keys[0] == nil {
			continue
		}
		w := q.Other(st.u)
		if w < 0 || c.pos[w] >= k {
			continue
		}
		from := c.steps[c.pos[w]].set
		a, b := float64(from.Len()), float64(st.set.Len())
		if from.Len() == 0 || a*b < valueGain*(a+b) {
			continue
		}
		if l := c.byValue.of(valueListsKey{i, w}, q, from, st); l != nil {
			st.sources = append(st.sources, source{from: w, edge: -1, values: l, candidatesOnly: true})
			c.byValue.exact[i] = l.exact
			return
		}
	}
}

// of returns the lists that key names, which are made once for all orders that are weighed.
func (j *valueJoin) of(key valueListsKey, q *pattern.Equality, from *pattern.CandidateSet, st *step) *valueLists {
	l, known := j.lists[key]
	if known {
		return l
	}
	l = &valueLists{exact: true}
	before := j.bytes
	if !j.fill(l, q, key.from, from.List(), st) {
		j.env.Memory.Release(j.bytes - before)
		l, j.bytes = nil, before
	} else {
		j.env.Took(pattern.ValueLists, 1)
	}
	if j.lists == nil {
		j.lists, j.exact = map[valueListsKey]*valueLists{}, map[int]bool{}
	}
	j.lists[key] = l
	return l
}

// fill sorts the candidates of st by value and looks up those of w. It reports false if the memory budget has no room, the context has
// ended, or a value cannot be computed: then the search tests pair by pair, and fails only if it comes to such a value.
func (j *valueJoin) fill(l *valueLists, q *pattern.Equality, w int, sources []csr.VertexID, st *step) bool {
	targets := st.set.List()
	l.lo = sources[0]
	l.list = make([]uint32, sources[len(sources)-1]-l.lo+1)
	b := valueBuilder{lists: l, numbers: map[[9]byte]uint32{}, texts: map[string]uint32{}}
	if !j.charge(4 * int64(len(l.list)+3*len(targets))) {
		return false
	}
	place, counts := make([]uint32, len(targets)), []uint32{0}
	for n, v := range targets {
		i, ok := b.find(q.KeyOf(st.u), v, true)
		if !ok || n%1024 == 0 && (j.ctx.Err() != nil || !j.charge(b.grown())) {
			return false
		}
		if int(i) == len(counts) {
			counts = append(counts, 0)
		}
		if place[n] = i; i > 0 {
			counts[i]++
		}
	}
	l.sort(targets, place, counts)
	for n, v := range sources {
		i, ok := b.find(q.KeyOf(w), v, false)
		if !ok || n%1024 == 0 && j.ctx.Err() != nil {
			return false
		}
		l.list[v-l.lo] = i
	}
	return true
}

// sort puts each target into its list. place is the number of its list, and counts are their lengths.
func (l *valueLists) sort(targets []csr.VertexID, place, counts []uint32) {
	l.start = make([]uint32, len(counts)+1)
	for i, n := range counts {
		l.start[i+1] = l.start[i] + n
	}
	l.targets = make([]csr.VertexID, l.start[len(counts)])
	next := slices.Clone(l.start)
	for n, v := range targets {
		if i := place[n]; i > 0 {
			l.targets[next[i]] = v
			next[i]++
		}
	}
}

// charge takes n bytes from the memory budget until the search ends.
func (j *valueJoin) charge(n int64) bool {
	if j.env.Memory.Charge(n) != nil {
		j.env.Memory.Release(n)
		return false
	}
	j.bytes += n
	return true
}

// release gives back what the lists took from the memory budget.
func (j *valueJoin) release() {
	j.env.Memory.Release(j.bytes)
}

// valueBuilder gives numbers to keys.
type valueBuilder struct {
	lists   *valueLists
	numbers map[[9]byte]uint32
	texts   map[string]uint32
	key     []byte
	size    int64 // of the keys, in bytes
	charged int64
}

// valueBytes is roughly what a key takes beside its text.
const valueBytes = 48

// grown is by how many bytes the keys have grown since the last call.
func (b *valueBuilder) grown() int64 {
	n := b.size - b.charged
	b.charged = b.size
	return n
}

// find returns the number of v's key, or 0 if no value equals v's, or none did that was added. ok is false if there is an error.
func (b *valueBuilder) find(of pattern.Key, v csr.VertexID, add bool) (number uint32, ok bool) {
	key, exact, some, err := of(b.key[:0], v)
	b.key = key
	if err != nil || !some {
		return 0, err == nil
	}
	b.lists.exact = b.lists.exact && exact
	if len(key) == 9 {
		k := [9]byte(key)
		if number = b.numbers[k]; number == 0 && add {
			number = b.next()
			b.numbers[k] = number
			b.size += valueBytes
		}
		return number, true
	}
	if number = b.texts[string(key)]; number == 0 && add {
		number = b.next()
		b.texts[string(key)] = number
		b.size += valueBytes + int64(len(key))
	}
	return number, true
}

func (b *valueBuilder) next() uint32 { return uint32(len(b.numbers) + len(b.texts) + 1) }
