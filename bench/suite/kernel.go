package suite

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/kernels/bfs"
	"github.com/motifql/motif/kernels/clique"
	"github.com/motifql/motif/kernels/core"
	"github.com/motifql/motif/kernels/triangle"
	"github.com/motifql/motif/kernels/truss"
)

// kernel is an asker of a kernel by itself, without the engine around it.
type kernel func(ctx context.Context, s *csr.Snapshot, env *pattern.Env) (answer, error)

func (k kernel) prepare(ctx context.Context, o *opened) (question, error) {
	s, err := o.graph(ctx)
	if err != nil {
		return nil, err
	}
	return kernelRun{k, s, o}, nil
}

type kernelRun struct {
	kernel kernel
	s      *csr.Snapshot
	o      *opened
}

func (k kernelRun) run(ctx context.Context) (answer, error) {
	ctx, stop := context.WithTimeout(ctx, k.o.timeout)
	defer stop()
	env := &pattern.Env{Workers: k.o.workers, Memory: &pattern.Memory{}, Tally: &pattern.Tally{}}
	a, err := k.kernel(ctx, k.s, env)
	a.charged = env.Memory.Peak()
	return a, err
}

// cliques counts k-cliques.
func cliques(k int) asker {
	return kernel(func(ctx context.Context, s *csr.Snapshot, env *pattern.Env) (answer, error) {
		n, err := clique.Count(ctx, s, &pattern.Clique{K: k, Sets: []*pattern.CandidateSet{nil}, Sizes: []int{k}}, env)
		if err != nil {
			return answer{}, err
		}
		return answer{result: n.String(), matches: n.Float64()}, nil
	})
}

// triangles counts triangles.
var triangles = kernel(func(ctx context.Context, s *csr.Snapshot, env *pattern.Env) (answer, error) {
	n, _, err := triangle.Count(ctx, s, nil, false, env)
	return answer{result: strconv.FormatUint(n, 10), matches: float64(n)}, err
})

// cores decomposes into cores and gives the degeneracy.
var cores = kernel(func(ctx context.Context, s *csr.Snapshot, env *pattern.Env) (answer, error) {
	c, err := core.Decompose(ctx, s, &pattern.CoreRequest{Direction: csr.Both}, env)
	if err != nil {
		return answer{}, err
	}
	return answer{result: fmt.Sprint(c.Degeneracy)}, nil
})

// trusses decomposes into trusses and gives the largest k.
var trusses = kernel(func(ctx context.Context, s *csr.Snapshot, env *pattern.Env) (answer, error) {
	t, err := truss.Decompose(ctx, s, &pattern.TrussRequest{}, env)
	if err != nil {
		return answer{}, err
	}
	return answer{result: fmt.Sprint(t.KMax)}, nil
})

// searches searches from 64 vertices with neighbours, drawn by their stable ids, one search after another. Its time is that of one search,
// its result how many vertices they reached together.
var searches = kernel(func(ctx context.Context, s *csr.Snapshot, env *pattern.Env) (answer, error) {
	const searches = 64
	adj := s.Adjacency(nil, csr.Both)
	rng := rand.New(rand.NewPCG(1, 1))
	reached := 0
	var took time.Duration
	for range searches {
		v, err := source(rng, s, adj)
		if err != nil {
			return answer{}, err
		}
		start := time.Now()
		l, err := bfs.Search(ctx, s, &pattern.Traversal{Sources: []csr.VertexID{v}, Direction: csr.Both, MaxDepth: -1}, env)
		if err != nil {
			return answer{}, err
		}
		took += time.Since(start)
		for _, depth := range l.Depth {
			if depth >= 0 {
				reached++
			}
		}
	}
	return answer{result: strconv.Itoa(reached), took: took / searches}, nil
})

// source draws a vertex with neighbours.
func source(rng *rand.Rand, s *csr.Snapshot, adj *csr.Adjacency) (csr.VertexID, error) {
	for range 1000 {
		v, ok := s.VertexByNodeID(csr.NodeID(rng.Uint64N(s.N())))
		if ok && adj.Degree(v) > 0 {
			return v, nil
		}
	}
	return 0, errors.New("no vertex with neighbours was drawn")
}
