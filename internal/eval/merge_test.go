package eval

import (
	"bytes"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/planner"
)

// TestMergeDistinct deals values to several aggregates over distinct values, merges them in between and in the end, and compares with one
// aggregate of all values.
func TestMergeDistinct(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	for round := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, round))
		agg := &planner.Agg{Func: []string{"count", "sum", "avg", "min", "max"}[rng.IntN(5)], Distinct: true}
		budget := &pattern.Memory{Limit: 1 << 30}
		fresh := func() GroupedAggregator {
			g, err := NewGroupedAggregator(agg, nil, NewAccount(budget, "aggregation"))
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		groups, spread := 1+rng.IntN(5), 1+rng.IntN(40)
		all, parts := fresh(), make([]GroupedAggregator, 1+rng.IntN(4))
		for i := range parts {
			parts[i] = fresh()
			for range groups {
				must(t, parts[i].AddGroup())
			}
		}
		into := rng.Perm(groups) // the groups of a part, as the first part counts them
		for range groups {
			must(t, all.AddGroup())
		}
		add := func(part, group int) {
			v := value.OfInt(rng.Int64N(int64(spread)))
			if rng.IntN(3) == 0 {
				v = value.OfFloat(float64(v.Int()))
			}
			mine := group
			if part > 0 {
				for mine = range into {
					if into[mine] == group {
						break
					}
				}
			}
			must(t, parts[part].Add(uint32(mine), v, 1))
			must(t, all.Add(uint32(group), v, 1))
		}
		alone := rng.IntN(2) == 0 // each group belongs to one part
		for range rng.IntN(200) {
			group := rng.IntN(groups)
			part := rng.IntN(len(parts))
			if alone {
				part = group % len(parts)
			}
			add(part, group)
		}
		to := make([]uint32, groups)
		for i, group := range into {
			to[i] = uint32(group)
		}
		for i, other := range parts[1:] {
			must(t, Merge(parts[0], other, to))
			if parts[i+1] = nil; rng.IntN(2) == 0 {
				add(0, rng.IntN(groups))
			}
		}
		for group := range uint32(groups) {
			want, err := all.Result(group)
			must(t, err)
			got, err := parts[0].Result(group)
			must(t, err)
			if !bytes.Equal(value.AppendKey(nil, got), value.AppendKey(nil, want)) {
				t.Fatalf("seed %d, round %d, %s of group %d: %v, want %v", seed, round, agg.Func, group, got, want)
			}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
