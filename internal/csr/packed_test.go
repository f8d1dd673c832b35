package csr

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// randomRows are rows in a graph of n vertices: empty ones, hubs, repeats and loops among them.
func randomRows(rng *rand.Rand, n int) *Rels {
	rows := rng.IntN(n + 1)
	r := &Rels{Lo: VertexID(rng.IntN(n - rows + 1)), Offsets: make([]uint64, 1, rows+1)}
	most := 1 + rng.IntN(n)
	for len(r.Offsets) <= rows {
		k := 0
		switch rng.IntN(5) {
		case 0:
			k = rng.IntN(4)
		case 1:
			k = rng.IntN(40)
		case 2:
			if rng.IntN(rows) == 0 {
				k = rng.IntN(50000)
			}
		}
		row := make([]VertexID, k)
		for i := range row {
			row[i] = VertexID(rng.IntN(most))
		}
		slices.Sort(row)
		r.Targets = append(r.Targets, row...)
		r.Offsets = append(r.Offsets, uint64(len(r.Targets)))
	}
	return r
}

// pack returns the rows as PackedWriter has them.
func pack(t testing.TB, r *Rels) []byte {
	t.Helper()
	var b bytes.Buffer
	w := NewPackedWriter(&b, r.Lo)
	for i := range max(1, len(r.Offsets)) - 1 {
		if err := w.Row(r.Targets[r.Offsets[i]:r.Offsets[i+1]]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Packed rows are those that were written, and decoding finds out what a pass over plain rows does.
func TestPacked(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 10))
	for i := range 60 {
		n := 1 + rng.IntN([]int{3, 100, 70000, 20 << 20}[i%4])
		if i%4 == 3 {
			n = 1 + rng.IntN(200000)
		}
		r := randomRows(rng, n)
		p, err := NewPacked(pack(t, r), uint64(n), unchecked)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if lo, rows, edges := p.Shape(); lo != r.Lo || rows != uint64(len(r.Offsets)-1) || edges != uint64(len(r.Targets)) {
			t.Fatalf("seed %d: the shape is %d, %d, %d", seed, lo, rows, edges)
		}
		got, found, err := p.decode(t.Context(), 1+i%3)
		if err != nil || !slices.Equal(got.Offsets, r.Offsets) || !slices.Equal(got.Targets, r.Targets) {
			t.Fatalf("seed %d: other rows, %v", seed, err)
		}
		want, err := r.check(t.Context(), uint64(n))
		for k := range len(r.Offsets) - 1 {
			for _, w := range r.Targets[r.Offsets[k]:r.Offsets[k+1]] {
				want.products += (uint64(w) + 1) * (uint64(r.Lo) + uint64(k) + 1)
			}
		}
		if err != nil || found != want {
			t.Fatalf("seed %d: found %+v, want %+v, %v", seed, found, want, err)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	p, err := NewPacked(pack(t, randomRows(rng, 100)), 100, unchecked)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.decode(stopped, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped context: %v", err)
	}
}

// Values of every length stand at every place of a group of four.
func TestPackedLengths(t *testing.T) {
	var row []VertexID
	for _, x := range []VertexID{0, 255, 256, 511, 65791, 131327, 16908542, 33685758, 33685759, 50462975, 50528511, 1 << 31, 1<<32 - 3} {
		row = append(row, x)
		for shift := range 4 {
			r := &Rels{Offsets: []uint64{0, uint64(shift), uint64(shift + len(row))}, Targets: append(make([]VertexID, shift), row...)}
			p, err := NewPacked(pack(t, r), MaxVertices, unchecked)
			if err != nil {
				t.Fatal(err)
			}
			if got, _, err := p.decode(t.Context(), 1); err != nil || !slices.Equal(got.Targets, r.Targets) {
				t.Errorf("%v behind %d: %v, %v", row, shift, got.Targets, err)
			}
		}
	}
}

// Whatever bytes say that they are rows, decoding ends with an error or with rows of the graph.
func TestPackedNonsense(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 11))
	failed := 0
	for range 3000 {
		n := 1 + rng.IntN(300)
		b := pack(t, randomRows(rng, n))
		if len(b) > 1<<16 {
			continue
		}
		for range 1 + rng.IntN(3) {
			switch at := rng.IntN(len(b)); rng.IntN(4) {
			case 0:
				b[at] ^= 1 << rng.IntN(8)
			case 1:
				b[at] = byte(rng.Uint32())
			case 2: // a number of the table or the tail
				at = max(0, len(b)-8*(1+rng.IntN(8)))
				if at+8 <= len(b) {
					binary.LittleEndian.PutUint64(b[at:], []uint64{0, 1, uint64(n), 1 << 32, 1<<64 - 1, rng.Uint64()}[rng.IntN(6)])
				}
			case 3:
				b = append(b[:at:at], b[at+rng.IntN(len(b)-at):]...)
			}
			if len(b) == 0 {
				break
			}
		}
		p, err := NewPacked(b, uint64(n), unchecked)
		var got *Rels
		var found relsShape
		if err == nil {
			got, found, err = p.decode(t.Context(), 1+rng.IntN(2))
		}
		if err != nil {
			failed++
			continue
		}
		want, err := got.check(t.Context(), uint64(n))
		if want.products = found.products; err != nil || found != want {
			t.Fatalf("seed %d: rows of %+v and not %+v: %v", seed, found, want, err)
		}
	}
	if failed < 1000 {
		t.Errorf("seed %d: only %d of 3000 failed", seed, failed)
	}
}

// packedSnapshot is s with packed rows. spoil may change those by target.
func packedSnapshot(t *testing.T, s *Snapshot, spoil func(in *Rels)) *Snapshot {
	t.Helper()
	d := s.Data
	d.Rels = slices.Clone(d.Rels)
	for i := range d.Rels {
		r := d.Rels[i]
		if len(r.Targets) == 0 {
			continue
		}
		in, _, err := transpose(t.Context(), &r, targetRange(&r), nil, 1)
		if err != nil {
			t.Fatal(err)
		}
		if spoil != nil {
			spoil(in)
		}
		open := func(b []byte) func() (*Packed, error) {
			return func() (*Packed, error) { return NewPacked(b, d.Vertices, unchecked) }
		}
		rows := PackedRows{Out: open(pack(t, &r)), In: open(pack(t, in))}
		d.Rels[i] = LatePacked(r.First, r.Lo, r.Len(), rows, func(err error) error { return err })
	}
	packed, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// Views of packed rows are those of plain ones, in whatever order they are made.
func TestPackedViews(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 12))
	for range 60 {
		_, s := randomPlain(t, rng)
		s, err := s.Compact(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		packed := packedSnapshot(t, s, nil)
		for _, dir := range [][]Direction{{Out, In, Both}, {In, Both, Out}, {Both, Out, In}}[rng.IntN(3)] {
			for typ := range TypeID(s.Types.Len()) {
				a, b := s.Adjacency(TypeSet{typ}, dir), packed.Adjacency(TypeSet{typ}, dir)
				if a.Loops != b.Loops || a.Len() != b.Len() || (a.Counts == nil) != (b.Counts == nil) {
					t.Fatalf("seed %d: %d loops and %d neighbours %v, want %d and %d", seed, b.Loops, b.Len(), dir, a.Loops, a.Len())
				}
				for v := range VertexID(s.N()) {
					if !slices.Equal(a.Neighbours(v), b.Neighbours(v)) {
						t.Fatalf("seed %d: %v has the neighbours %v, want %v", seed, v, b.Neighbours(v), a.Neighbours(v))
					}
					for _, w := range a.Neighbours(v) {
						if a.Count(v, w) != b.Count(v, w) {
							t.Fatalf("seed %d: other counts of %d and %d", seed, v, w)
						}
					}
				}
			}
		}
		sameRels(t, seed, s, packed)
	}
}

// Rows by target that do not belong to those by source are a fault of the view that meets them.
func TestPackedOther(t *testing.T) {
	b := NewBuilder()
	typ := b.Type("T")
	for range 6 {
		b.AddVertex()
	}
	for v := range uint32(5) {
		b.AddEdge(v, v+1, typ)
		b.AddEdge(v, (v+3)%6, typ)
	}
	s, _, err := b.Build(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dir   Direction
		spoil func(in *Rels)
	}{
		"another source": {Both, func(in *Rels) { in.Targets[0] = (in.Targets[0] + 1) % 6; slices.Sort(in.Targets[:in.Offsets[1]]) }},
		"a loop":         {In, func(in *Rels) { in.Targets[0] = in.Lo; slices.Sort(in.Targets[:in.Offsets[1]]) }},
		"a source less":  {In, func(in *Rels) { in.Targets = in.Targets[:9]; in.Offsets[len(in.Offsets)-1] = 9 }},
		"no such source": {In, func(in *Rels) { in.Targets[in.Offsets[1]-1] = 6 }},
		"the same, both": {Both, func(in *Rels) { in.Targets[in.Offsets[1]-1] = 6 }},
	} {
		packed := packedSnapshot(t, s, c.spoil)
		for range 2 {
			func() {
				defer func() {
					if _, ok := recover().(*Fault); !ok {
						t.Errorf("%s: no fault", name)
					}
				}()
				packed.Adjacency(nil, c.dir)
			}()
		}
		if !slices.Equal(packed.Rels(0).Targets, s.Rels(0).Targets) {
			t.Errorf("%s: other relationships", name)
		}
	}
}

// unchecked is for bytes in memory.
func unchecked(_, _ uint64) error { return nil }
