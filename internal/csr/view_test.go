package csr

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// polled is a context that ends when it has been asked so many times.
type polled struct {
	context.Context
	left atomic.Int64
}

func (p *polled) Err() error {
	if p.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

// TestViewCancelled ends the context at every moment that the building of a view looks at it: there is no view then, and
// the next that asks gets a whole one.
func TestViewCancelled(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	build := func() *Snapshot {
		rng := rand.New(rand.NewPCG(seed, 2))
		b := NewBuilder()
		b.AddVertices(300)
		types := []TypeID{b.Type("A"), b.Type("B")}
		for range 3000 {
			b.AddEdge(uint32(rng.IntN(300)), uint32(rng.IntN(300)), types[rng.IntN(2)])
		}
		s, _, err := b.Build(context.Background(), 2)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	whole := build()
	for _, types := range []TypeSet{nil, {0}} {
		for _, dir := range []Direction{Out, In, Both} {
			want := whole.Adjacency(types, dir)
			s := build()
			ended := 0
			for polls := int64(0); ; polls++ {
				ctx := &polled{Context: context.Background()}
				ctx.left.Store(polls)
				a, err := s.View(ctx, types, dir)
				if err == nil {
					if !slices.Equal(a.Offsets, want.Offsets) || !slices.Equal(a.Targets, want.Targets) || !slices.Equal(a.Counts, want.Counts) || a.Loops != want.Loops {
						t.Fatalf("seed %d: the view %v of %v after %d polls is not whole", seed, dir, types, polls)
					}
					break
				}
				if !errors.Is(err, context.Canceled) || a != nil {
					t.Fatalf("seed %d: %v, %v", seed, a, err)
				}
				ended++
			}
			if ended < 3 {
				t.Errorf("the view %v of %v looked at its context %d times", dir, types, ended)
			}
		}
	}
}

// TestViewWaits leaves one that waits for another's view.
func TestViewWaits(t *testing.T) {
	b := NewBuilder()
	b.AddVertices(3)
	b.AddEdge(0, 1, b.Type("A"))
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	v := &view{turn: make(chan struct{}, 1)}
	v.turn <- struct{}{} // somebody builds
	s.views[viewKey{"\x00\x00\x00\x00", Both}] = v
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if a, err := s.View(ctx, nil, Both); a != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", a, err)
	}
	<-v.turn
	if a, err := s.View(context.Background(), nil, Both); err != nil || len(a.Targets) != 2 {
		t.Errorf("%v, %v", a, err)
	}
}

// TestCountFrom compares CountFrom with Count, with vertices asked for in any order and in rising order.
func TestCountFrom(t *testing.T) {
	first := draftSeed(t)
	for seed := first; seed < first+60; seed++ {
		rng := rand.New(rand.NewPCG(seed, 11))
		_, s := randomPlain(t, rng)
		if s.N() == 0 {
			continue
		}
		a := s.Adjacency(randomTypes(rng), Direction(rng.IntN(3)))
		var p Place
		v, w := VertexID(0), VertexID(0)
		for range 400 {
			switch rng.IntN(6) {
			case 0:
				v = VertexID(rng.Uint64N(s.N()))
			case 1:
				w = VertexID(rng.Uint64N(s.N() + 1))
			default:
				w += VertexID(rng.IntN(3))
			}
			if got, want := a.CountFrom(&p, v, w), a.Count(v, w); got != want {
				t.Fatalf("MOTIF_SEED=%d: %d relationships between %d and %d, want %d", seed, got, v, w, want)
			}
		}
	}
}
