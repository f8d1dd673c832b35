package csr

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/motifql/motif/internal/workgroup"
)

// manyRows builds a graph whose type T has some 25 blocks of packed rows. Type U has few relationships.
func manyRows(t *testing.T, rng *rand.Rand, repeats bool) *Snapshot {
	const n = 50_000
	b := NewBuilder()
	many, few := b.Type("T"), b.Type("U")
	for range n {
		b.AddVertex()
	}
	var pairs [][2]uint32
	for range 400_000 {
		u := rng.Uint32N(n)
		w := rng.Uint32N(n)
		if rng.IntN(3) == 0 {
			u, w = rng.Uint32N(50), u // hubs at either end
			if rng.IntN(2) == 0 {
				u, w = w, u
			}
		}
		pairs = append(pairs, [2]uint32{u, w})
	}
	for v := range uint32(20) {
		pairs = append(pairs, [2]uint32{v, v})
	}
	slices.SortFunc(pairs, func(x, y [2]uint32) int { return slices.Compare(x[:], y[:]) })
	for _, p := range slices.Compact(pairs) {
		b.AddEdge(p[0], p[1], many)
		for repeats && (p[0] == p[1] || rng.IntN(5) == 0) && rng.IntN(3) > 0 {
			b.AddEdge(p[0], p[1], many)
		}
	}
	b.AddEdge(0, 1, few)
	s, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Rows that are decoded one by one are those of the view, for several readers at once, and after the view has become whole.
func TestRowsView(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 14))
	s := manyRows(t, rng, false)
	packed := packedSnapshot(t, s, nil)
	for _, types := range []TypeSet{nil, {1}, {0, 1}, {}} {
		if RowsOf(t.Context(), packed, types, Out) != nil {
			t.Errorf("types %v have rows of their own", types)
		}
	}
	if RowsOf(t.Context(), packed, TypeSet{0}, Both) != nil || RowsOf(t.Context(), s, TypeSet{0}, Out) != nil {
		t.Error("both directions, or plain rows, have rows of their own")
	}
	for _, dir := range []Direction{Out, In} {
		x, want, all := RowsOf(t.Context(), packed, TypeSet{0}, dir), s.Adjacency(TypeSet{0}, dir), s.Rels(0)
		if x == nil || x != RowsOf(t.Context(), packed, TypeSet{0}, dir) || x.Degrees().Loops != want.Loops {
			t.Fatalf("seed %d: no rows, others at the second call, or other loops", seed)
		}
		ask := func(v VertexID) {
			got := x.Neighbours(v)
			if !slices.Equal(got, want.Neighbours(v)) || x.Degrees().Degree(v) != want.Degree(v) {
				t.Errorf("seed %d: vertex %d has other neighbours %v", seed, v, dir)
			}
			if w := VertexID(v * 7 % 50_000); x.Has(v, w) != want.Has(v, w) || x.Has(v, v) != want.Has(v, v) {
				t.Errorf("seed %d: vertex %d is joined to others %v", seed, v, dir)
			}
			if dir != Out {
				return
			}
			row, other := x.Outgoing(v), all.Outgoing(v)
			for i := range got {
				if row.Ends[i] != other.Ends[i] || row.ID(i) != other.ID(i) {
					t.Errorf("seed %d: vertex %d has other relationships", seed, v)
				}
			}
		}
		ask(VertexID(rng.IntN(50_000)))
		if x.whole.Load() != nil {
			t.Error("the view is whole after one row")
		}
		var group workgroup.Group
		for i := range uint64(4) {
			group.Go(func() {
				own := rand.New(rand.NewPCG(seed, i))
				for range 2000 {
					ask(VertexID(own.IntN(50_000)))
				}
			})
		}
		group.Wait()
		if x.whole.Load() == nil || RowsOf(t.Context(), packed, TypeSet{0}, dir) != nil {
			t.Error("the view is not whole after many rows, or is not used then")
		}
	}
}

// Rows of several types and of both directions have the neighbours, the ends and the relationships of the views.
func TestRowsByType(t *testing.T) {
	for _, repeats := range []bool{false, true} {
		for _, share := range []int{1, fewestLateBlocks} { // all blocks are decoded one by one, or few until views are whole
			was := fewestLateBlocks
			fewestLateBlocks = share
			checkRowsByType(t, repeats)
			fewestLateBlocks = was
		}
	}
}

func checkRowsByType(t *testing.T, repeats bool) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 16))
	s := manyRows(t, rng, repeats)
	packed := packedSnapshot(t, s, nil)
	if x := RowsOf(t.Context(), packed, TypeSet{0}, Out); (x == nil) != repeats {
		t.Errorf("rows without repeats for a type that repeats, or none: %v", x)
	}
	if RowsByType(t.Context(), s, TypeSet{0}, Out) != nil || RowsByType(t.Context(), packed, TypeSet{}, Out) != nil {
		t.Error("plain rows, or those of no type, are rows by type")
	}
	for _, types := range []TypeSet{nil, {0}, {1}, {0, 1}} {
		out := RowsByType(t.Context(), packed, types, Out)
		for _, dir := range []Direction{Out, In, Both} {
			views, want := RowsByType(t.Context(), packed, types, dir), s.Adjacency(types, dir)
			if views == nil || out == nil {
				t.Fatalf("seed %d: no rows of types %v, %v", seed, types, dir)
			}
			for range 200 {
				v := VertexID(rng.IntN(50_000))
				if rng.IntN(3) == 0 {
					v = VertexID(rng.IntN(50)) // hubs, and loops
				}
				near := Neighbours(nil, views, v)
				if !slices.Equal(near, want.Neighbours(v)) {
					t.Errorf("seed %d: vertex %d has other neighbours of types %v, %v", seed, v, types, dir)
				}
				var ends []VertexID
				for _, w := range near {
					for range want.Count(v, w) {
						ends = append(ends, w)
					}
				}
				for _, x := range views {
					one, w := s.Adjacency(TypeSet{x.t}, x.dir), VertexID(rng.IntN(50))
					if x.Count(v, w) != one.Count(v, w) || x.Has(v, w) != one.Has(v, w) || x.Count(v, v) != one.Count(v, v) {
						t.Errorf("seed %d: %d relationships of vertices %d and %d, want %d, of type %d, %v", seed, x.Count(v, w), v, w, one.Count(v, w), x.t, x.dir)
					}
					if x.dir != Out {
						continue
					}
					row, want := x.Outgoing(v), s.Rels(x.t).Outgoing(v)
					if !slices.Equal(row.Ends, want.Ends) || !slices.Equal(row.AppendIDs(nil, 0, len(row.Ends)), want.AppendIDs(nil, 0, len(row.Ends))) {
						t.Errorf("seed %d: vertex %d has other relationships of type %d", seed, v, x.t)
					}
				}
				if got := Ends(views, dir, v); !slices.Equal(got, ends) {
					t.Errorf("seed %d: vertex %d has relationships to %v, want %v, of types %v, %v", seed, v, got, ends, types, dir)
				}
			}
		}
		for range 200 {
			v, w := VertexID(rng.IntN(50)), VertexID(rng.IntN(100))
			var found []EdgeID
			for _, x := range out {
				found = x.AppendBetween(found, v, w)
			}
			if want := s.Relationships(nil, v, w, types, Out); !slices.Equal(found, want) {
				t.Errorf("seed %d: relationships %v from %d to %d, want %v", seed, found, v, w, want)
			}
		}
	}
}

// The ends of single relationships are right, of few and of so many that all are decoded.
func TestEndsApart(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 17))
	for i, most := range []int{1, 20_000, 1, 20_000} {
		s := manyRows(t, rng, i < 2)
		packed := packedSnapshot(t, s, nil)
		for range most {
			e := EdgeID(rng.Uint64N(s.M()))
			if rng.IntN(10) == 0 {
				e = EdgeID([]uint64{0, s.M() - 1, s.M() - 2}[rng.IntN(3)])
			}
			src, dst := packed.Endpoints(e)
			if u, w := s.Endpoints(e); src != u || dst != w {
				t.Fatalf("seed %d: relationship %d leads from %d to %d, want %d and %d", seed, e, src, dst, u, w)
			}
		}
		if decoded := packed.Data.Rels[0].late.rels.Load() != nil; decoded != (most > mostSingleIDs) {
			t.Errorf("seed %d: after %d relationships all are decoded: %v", seed, most, decoded)
		}
	}
}

// A row whose bytes are damaged is a fault, and others are answered.
func TestRowsViewDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 15))
	s := manyRows(t, rng, false)
	packed := packedSnapshot(t, s, nil)
	damage := errors.New("damage")
	late := packed.Data.Rels[0].late
	open := late.packed.Out
	late.packed.Out = func() (*Packed, error) {
		p, err := open()
		if err == nil {
			middle := p.blocks[len(p.blocks)/2].at
			p.check = func(from, to uint64) error {
				if from <= middle && middle < to {
					return damage
				}
				return nil
			}
		}
		return p, err
	}
	x := RowsOf(t.Context(), packed, TypeSet{0}, Out)
	last := VertexID(s.N() - 1)
	if want := s.Adjacency(TypeSet{0}, Out); !slices.Equal(x.Neighbours(last), want.Neighbours(last)) {
		t.Error("other neighbours of the last vertex")
	}
	block := x.packed.blocks[len(x.packed.blocks)/2]
	for v := VertexID(block.row) + x.packed.lo; ; v++ {
		if x.Degrees().Degree(v) == 0 {
			continue
		}
		defer func() {
			if fault, ok := recover().(*Fault); !ok || !errors.Is(fault.Err, damage) {
				t.Error("no fault")
			}
		}()
		x.Neighbours(v)
		return
	}
}
