package gpu

import (
	"context"
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/clique"
)

// kcminer counts cliques one by one, as KCMiner does, which is what the device does without pivots: what each of the paper's techniques
// is worth (its figure 7), how many lanes of a warp have work with lane scheduling and without (figure 8), and how the time
// depends on the sparsity up to which bitmaps wait for the next level (figure 9).
func kcminer(c *course) error {
	if !c.g.largest {
		return nil
	}
	most := 6
	if c.g.kind == rmat && c.g.scale > 16 {
		most = 5
	}
	var works []*work
	for k := 4; k <= most; k++ {
		works = append(works, c.oneByOne(k, ""))
		works[len(works)-1].ablate = k > 4
	}
	for k := 5; k <= most; k++ { // smaller ones have no third level
		works = append(works, c.lanes(k, false), c.lanes(k, true))
	}
	for _, lambda := range []float64{0, 0.1, 0.25, 0.5, 1} {
		w := c.oneByOne(most, fmt.Sprintf(", lambda %.2f", lambda))
		count := w.gpu
		w.gpu = func(ctx context.Context, env *pattern.Env) (func() answer, error) {
			c.d.SetLambda(lambda, lambda)
			defer c.d.SetLambda(-1, -1)
			return count(ctx, env)
		}
		works = append(works, w)
	}
	return c.each(works)
}

func (c *course) oneByOne(k int, name string) *work {
	q := (&pattern.Subgraph{}).Clique(k)
	return &work{variant: fmt.Sprintf("%d vertices%s", k, name), key: cliquesKey(k), gpu: c.countOn(c.d.CountCliques, q), cpu: c.countOn(clique.Count, q),
		unit: "cliques/s", bytes: c.g.orientedBytes(), without: pattern.Techniques{}.With(pattern.CliquePivot)}
}

// rings are the techniques that keep lanes busy.
const rings = "gpu-ring-"

// lanes measures how many lanes of a warp have work on average, with the rings or without them.
func (c *course) lanes(k int, without bool) *work {
	w := c.oneByOne(k, "")
	if without {
		w.off = rings + "*"
		for m := range pattern.AllTechniques() {
			if strings.HasPrefix(m.String(), rings) {
				w.without = w.without.With(m)
			}
		}
	}
	count := w.gpu
	w.figure, w.unit, w.bytes = true, "lanes", 0
	w.gpu = func(ctx context.Context, env *pattern.Env) (func() answer, error) {
		before := c.d.Active()
		give, err := count(ctx, env)
		after := c.d.Active()
		after.Lanes -= before.Lanes
		after.Slots -= before.Slots
		return func() answer {
			a := give()
			a.amount = after.PerWarp()
			return a
		}, err
	}
	return w
}
