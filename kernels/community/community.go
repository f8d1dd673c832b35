package community

import (
	"context"
	"sync/atomic"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/network"
)

// Labels divides by label propagation. It charges its scratch to env.Memory. It fails with pattern.ErrMemory, a
// *pattern.WeightError, a *pattern.NotConvergedError or the context's error.
func Labels(ctx context.Context, s *csr.Snapshot, r *pattern.CommunityRequest, env *pattern.Env) (*pattern.Communities, error) {
	return divide(ctx, s, r, env, 20, (*division).propagate)
}

// Louvain divides by modularity. It fails like Labels, but always converges.
func Louvain(ctx context.Context, s *csr.Snapshot, r *pattern.CommunityRequest, env *pattern.Env) (*pattern.Communities, error) {
	return divide(ctx, s, r, env, 80, (*division).louvain)
}

// divide runs an algorithm that needs so many bytes for a vertex.
func divide(ctx context.Context, s *csr.Snapshot, r *pattern.CommunityRequest, env *pattern.Env, bytes int64,
	by func(*division) ([]uint32, error)) (*pattern.Communities, error) {
	n := r.Network
	n.Direction = csr.Both
	g, err := network.New(ctx, s, &n, network.Out, env)
	if err != nil {
		return nil, err
	}
	defer g.Release()
	d := &division{CommunityRequest: r, ctx: ctx, env: env, n: g.N, level: levelOf(g)}
	d.charges = (bytes + 16) * int64(g.N)
	defer func() { env.Memory.Release(d.charges) }()
	if err := env.Memory.Charge(d.charges); err != nil {
		return nil, err
	}
	defer context.AfterFunc(ctx, func() { d.stop.Store(true) })()
	of, err := by(d)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	out := &pattern.Communities{Modularity: d.level.modularity(of, r.Resolution), Iterations: d.iterations, Converged: d.converged}
	out.Of, out.Size = number(of)
	if g.Vertices != nil {
		all := make([]uint32, s.N())
		for v := range all {
			all[v] = pattern.NoComponent
		}
		for i, v := range g.Vertices {
			all[v] = out.Of[i]
		}
		out.Of = all
	}
	return out, nil
}

// division is what both algorithms share.
type division struct {
	*pattern.CommunityRequest
	ctx        context.Context
	env        *pattern.Env
	n          int
	level      *level
	charges    int64
	iterations int
	converged  bool
	cycles     int            // of Louvain
	rows       []network.Rows // of Louvain, by depth: those of the last cycle
	stop       atomic.Bool
}

func (d *division) units(all, done int) {
	if t := d.env.Tally; t != nil {
		t.Units.Add(uint64(all))
		t.UnitsDone.Add(uint64(done))
	}
}

// number numbers communities by their smallest members.
func number(of []uint32) (numbers, size []uint32) {
	numbers = make([]uint32, len(of))
	by := make([]uint32, len(of)) // 1 + the number
	for v, c := range of {
		if by[c] == 0 {
			size = append(size, 0)
			by[c] = uint32(len(size))
		}
		numbers[v] = by[c] - 1
		size[numbers[v]]++
	}
	return numbers, size
}

// level is a graph of communities, or the graph itself. Edges stand in the rows of both ends.
type level struct {
	rows     network.Rows
	inner    []float64 // by vertex: twice the weight inside of it
	strength []float64 // by vertex: the weight of its edges, with inner
	total    float64   // of strength
}

func levelOf(g *network.Graph) *level {
	l := &level{rows: g.Out, strength: make([]float64, g.N)}
	for v := range l.strength {
		l.strength[v] = g.Out.Strength(v)
		l.total += l.strength[v]
	}
	return l
}

func (l *level) weight(p uint64) float64 {
	if l.rows.Weights == nil {
		return 1
	}
	return l.rows.Weights[p]
}

// modularity is the share of weight inside of communities, less the share expected of random edges times resolution.
func (l *level) modularity(of []uint32, resolution float64) float64 {
	if l.total == 0 {
		return 0
	}
	in, tot := make([]float64, len(of)), make([]float64, len(of))
	for v, c := range of {
		tot[c] += l.strength[v]
		if l.inner != nil {
			in[c] += l.inner[v]
		}
		for p := l.rows.Offsets[v]; p < l.rows.Offsets[v+1]; p++ {
			if of[l.rows.Targets[p]] == c {
				in[c] += l.weight(p)
			}
		}
	}
	sum := 0.0
	for c := range in {
		share := tot[c] / l.total
		sum += in[c]/l.total - resolution*share*share
	}
	return sum
}
