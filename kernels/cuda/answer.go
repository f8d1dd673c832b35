//go:build cuda && cgo && linux

package cuda

import (
	"context"

	"github.com/motifql/motif/internal/pattern"
)

// Answer answers a request that HasKernel and Declines leave to a GPU.
func (d *Device) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (pattern.Answer, error) {
	return NewGroup(d).Answer(ctx, r, env)
}

// Answer answers a request on all devices if they can share it, else on the first one. It returns ErrDeclined for what it leaves to
// the CPU; then it has sent nothing.
func (g *Group) Answer(ctx context.Context, r *pattern.Request, env *pattern.Env) (a pattern.Answer, err error) {
	if !HasKernel(r.Kind) || Declines(r) {
		return a, ErrDeclined
	}
	d, s := g.devices[0], r.Snapshot
	switch r.Kind {
	case pattern.KindFilter:
		a.Candidates, err = d.Filter(ctx, s, r.Pattern, env)
	case pattern.KindCount:
		a.Count, err = d.Count(ctx, r.Job, env)
	case pattern.KindMatch:
		err = d.Match(ctx, r.Job, env, r.Sink)
	case pattern.KindCliqueCount:
		if r.Clique.AllTriangles() && r.Clique.Ranks == nil {
			var n uint64
			n, _, err = g.Triangles(ctx, s, r.Clique.Types, false, env)
			return pattern.Answer{Count: pattern.Count(n)}, err
		}
		a.Count, err = g.CountCliques(ctx, s, r.Clique, env)
	case pattern.KindCliqueList:
		err = d.ListCliques(ctx, s, r.Clique, env, r.Emit)
	case pattern.KindTriangles:
		var n uint64
		n, a.ByVertex, err = g.Triangles(ctx, s, r.Triangles.Types, r.Triangles.PerNode, env)
		a.Count = pattern.Count(n)
	case pattern.KindCores:
		a.Cores, err = d.Cores(ctx, s, r.Cores, env)
	case pattern.KindTrusses:
		a.Trusses, err = d.Trusses(ctx, s, r.Trusses, env)
	case pattern.KindBFS:
		a.Levels, err = d.BFS(ctx, s, r.Traversal, env)
	case pattern.KindComponents:
		a.Components, err = d.Components(ctx, s, r.Components, env)
	case pattern.KindDiameter:
		a.Diameter, err = d.Diameter(ctx, s, r.Diameter, env)
	default:
		err = ErrDeclined
	}
	return a, err
}
