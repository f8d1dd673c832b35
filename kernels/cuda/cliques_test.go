//go:build cuda && cgo && linux

package cuda

import (
	"testing"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels"
)

// Counts of cliques are the CPU's, whatever techniques are off.
func TestCliques(t *testing.T) {
	d, r := device(t), seeds(t)
	taken := new(pattern.Tally)
	for name, s := range graphs(r) {
		for _, k := range []int{3, 4, 5, 3 + r.IntN(8)} {
			c := (&pattern.Subgraph{Within: someVertices(r, s)}).Clique(k)
			want, err := kernels.CountCliques(background, s, c, env())
			if err != nil {
				continue // more than 128 bits hold
			}
			if want.Hi > 0 || want.Lo > 20_000_000 {
				continue // the devices count one by one
			}
			d.leastGroup = 1 << r.IntN(6)
			e := without(r, pattern.GPULanes, pattern.GPUWarp, pattern.GPUShared)
			got, err := d.CountCliques(background, s, c, e)
			if err != nil || got != want {
				t.Fatalf("%s: %d-cliques: %v, %v; want %v (off: %v)", name, k, got, err, want, e.Without)
			}
			taken.TakeOver(e.Tally)
		}
	}
	driven(t, taken, pattern.GPULanes, pattern.GPUWarp, pattern.GPUShared)
}
