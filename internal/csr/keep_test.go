package csr

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"
)

// block is derived data of some size.
type block struct{ bytes uint64 }

func (b *block) Bytes() uint64 { return b.bytes }

// blockKey is its key.
type blockKey int

func (k blockKey) String() string { return fmt.Sprintf("block %d", int(k)) }

func keepGraph(t *testing.T) *Snapshot {
	b := NewBuilder()
	b.AddVertices(4)
	b.AddEdge(0, 1, b.Type("A"))
	b.AddEdge(1, 2, b.Type("B"))
	s, _, err := b.Build(context.Background(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestTrim compares what is left with a list of the blocks in order of their last use. Blocks that were used between the same two ends of queries are
// dropped by size.
func TestTrim(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	for round := range 300 {
		s := keepGraph(t)
		last, sizes := map[blockKey]int{}, map[blockKey]uint64{}
		for query := range 12 {
			for range rng.IntN(4) {
				key := blockKey(rng.IntN(8))
				made := false
				s.Derived(key, func() any { made = true; return &block{1 + uint64(rng.IntN(100))<<8 + uint64(key)} })
				if _, there := last[key]; there == made {
					t.Fatalf("seed %d round %d: block %d is made again or was not made", seed, round, key)
				}
				last[key], sizes[key] = query, FindDerived(s, key).(*block).bytes
			}
			most := uint64(rng.IntN(40000))
			grew := s.grown.Load()
			Trim(s, most)
			if !grew {
				continue
			}
			keys, total := []blockKey{}, uint64(0)
			for key := range last {
				keys, total = append(keys, key), total+sizes[key]
			}
			slices.SortFunc(keys, func(a, b blockKey) int {
				if last[a] != last[b] {
					return last[a] - last[b]
				}
				return int(sizes[b]) - int(sizes[a])
			})
			for _, key := range keys {
				if total > most {
					total -= sizes[key]
					delete(last, key)
				}
			}
			for key := range blockKey(8) {
				if _, want := last[key]; want != (FindDerived(s, key) != nil) {
					t.Fatalf("seed %d round %d: block %d: kept %v, want %v", seed, round, key, !want, want)
				}
			}
			for key := range last {
				last[key] = max(last[key], query+1) // the look above was a use
			}
		}
	}
}

// TestTrimViews drops views that others read, and finds them whole when they are asked for again.
func TestTrimViews(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 2))
	b := NewBuilder()
	b.AddVertices(200)
	types := []TypeID{b.Type("A"), b.Type("B")}
	for range 2000 {
		b.AddEdge(uint32(rng.IntN(200)), uint32(rng.IntN(200)), types[rng.IntN(2)])
	}
	s, _, err := b.Build(context.Background(), 2)
	if err != nil {
		t.Fatal(err)
	}
	type question struct {
		types TypeSet
		dir   Direction
	}
	var asked []question
	var want []*Adjacency
	for _, set := range []TypeSet{nil, {0}, {1}} {
		for _, dir := range []Direction{Out, In, Both} {
			asked, want = append(asked, question{set, dir}), append(want, s.Adjacency(set, dir))
		}
	}
	if KeptBytes(s) == 0 {
		t.Fatal("the views take no memory")
	}
	if Trim(s, 0); KeptBytes(s) != 0 {
		t.Fatalf("seed %d: %d bytes are kept of none", seed, KeptBytes(s))
	}
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(g)))
			for range 200 {
				i := rng.IntN(len(asked))
				a := s.Adjacency(asked[i].types, asked[i].dir)
				if !slices.Equal(a.Offsets, want[i].Offsets) || !slices.Equal(a.Targets, want[i].Targets) || !slices.Equal(a.Counts, want[i].Counts) {
					t.Errorf("seed %d: another view %v of %v", seed, asked[i].dir, asked[i].types)
				}
				Trim(s, uint64(rng.IntN(20000)))
			}
		})
	}
	all.Wait()
}
