package csr

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestIndexes looks up in graphs that change, and compares with a scan.
func TestIndexes(t *testing.T) {
	first := draftSeed(t)
	found, long := 0, 0
	for seed := first; seed < first+60; seed++ {
		rng := rand.New(rand.NewPCG(seed, 6))
		p, s := randomPlain(t, rng)
		d := s.Draft()
		for i, on := range plainLabels {
			for _, key := range plainKeys[:2] {
				r := Rule{Kind: RuleIndex + RuleKind(i%2), Name: on + key, On: on, Keys: []string{key}}
				if err := d.CreateRule(r); err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 6 {
			for range rng.IntN(12) {
				p.change(t, rng, d)
			}
			var err error
			if s, err = d.Snapshot(t.Context()); err != nil {
				t.Fatal(err)
			}
			if rng.IntN(4) == 0 {
				if s, _, err = s.Draft().rebuild(t.Context()); err != nil {
					t.Fatal(err)
				}
				d = s.Draft()
			}
			n, err := compareLookups(s, rng)
			if err != nil {
				t.Fatalf("MOTIF_SEED=%d: %v", seed, err)
			}
			found += n
			for _, x := range s.indexes {
				long = max(long, len(x.parts))
			}
		}
	}
	if found < 100 || long < 2 {
		t.Errorf("MOTIF_SEED=%d: %d found, at most %d parts", first, found, long)
	}
}

func compareLookups(s *Snapshot, rng *rand.Rand) (found int, err error) {
	for range 20 {
		label, key := LabelID(rng.IntN(5)), KeyID(rng.IntN(4))
		op, c := LookupEqual+LookupOp(rng.IntN(4)), randomCell(rng)
		if rng.IntN(5) == 0 {
			c = FloatCell([]float64{math.NaN(), math.Inf(1), float64(rng.IntN(20))}[rng.IntN(3)])
		}
		got, ok := s.Lookup(label, key, op, c, 1000)
		if !ok {
			if s.Indexed(label, key) && c.answerable(op) {
				return 0, fmt.Errorf("no answer for %v", c)
			}
			continue
		}
		var want []VertexID
		for v := range VertexID(s.N()) {
			if x, has := s.VertexProp(v, key); has && s.HasLabel(v, label) && compares(op, x, c) {
				want = append(want, v)
			}
		}
		if !slices.Equal(got, want) {
			return 0, fmt.Errorf("%d %d %d %v: %v, want %v", label, key, op, c, got, want)
		}
		found += len(got)
	}
	return found, nil
}

// compares is the condition of a look-up, written apart.
func compares(op LookupOp, x, c Cell) bool {
	text := x.Kind == KindString && c.Kind == KindString
	number := (x.Kind == KindInt || x.Kind == KindFloat) && (c.Kind == KindInt || c.Kind == KindFloat)
	order := 2
	switch {
	case text:
		order = strings.Compare(x.Str, c.Str)
	case number:
		for i, less := range []bool{x.number() < c.number(), x.number() == c.number(), x.number() > c.number()} {
			if less {
				order = i - 1
			}
		}
	case x.Kind == KindBool && c.Kind == KindBool:
		return x.Num == c.Num && op == LookupEqual
	}
	switch op {
	case LookupEqual:
		return order == 0
	case LookupLess:
		return order <= 0
	case LookupGreater:
		return order == 0 || order == 1
	}
	return text && strings.HasPrefix(x.Str, c.Str)
}

// TestLookupLimit gives up where too much is found.
func TestLookupLimit(t *testing.T) {
	b := NewBuilder()
	l, k := b.Label("L"), b.Key("k")
	for range 100 {
		b.SetVertex(b.AddVertex(l), k, IntCell(7))
	}
	s, _, err := b.Build(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	d := s.Draft()
	if err := d.CreateRule(Rule{Kind: RuleIndex, Name: "i", On: "L", Keys: []string{"k"}}); err != nil {
		t.Fatal(err)
	}
	if s, err = d.Snapshot(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, ok := s.Lookup(l, k, LookupEqual, IntCell(7), 99); ok {
		t.Errorf("%d found", len(list))
	}
	if list, ok := s.Lookup(l, k, LookupEqual, IntCell(7), 100); !ok || len(list) != 100 {
		t.Errorf("%d found", len(list))
	}
}
