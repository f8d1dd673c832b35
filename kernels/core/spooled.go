package core

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/spool"
)

// SpooledDegeneracy returns the degeneracy of a simple graph of n vertices whose edges are words u<<32 | v in a list, each once. It takes 4
// bytes a vertex, and 8 an edge of a core that has at most most edges.
//
// It removes vertices of low degree, one pass over the remaining edges after the other, until the rest fits in memory. A graph of n'
// vertices and m' edges has a degeneracy of at least m'/n', so vertices of lower degree are outside of the innermost core.
// Where all have that degree, the least degree is a lower bound itself, and vertices of exactly that degree go next.
// The error is that of ctx or of the spool.
func SpooledDegeneracy(ctx context.Context, s *spool.Spool, edges *spool.List, n, most uint64) (uint32, error) {
	p := &spooledPeel{ctx: ctx, spool: s, edges: edges, degree: make([]uint32, n)}
	err := p.each(func(u, v uint32) error {
		p.degree[u]++
		p.degree[v]++
		return nil
	})
	level := uint32(0) // the degeneracy is this at least
	for err == nil && p.edges.Len() > most {
		vertices, least := uint64(0), ^uint32(0)
		for _, d := range p.degree {
			if d > 0 {
				vertices, least = vertices+1, min(least, d)
			}
		}
		level = max(level, least)
		below := max(level, uint32((p.edges.Len()+vertices-1)/vertices))
		if least >= below {
			below = least + 1
		}
		var rest *spool.List
		rest, err = p.strip(below)
		if p.edges != edges {
			p.edges.Drop()
		}
		p.edges = rest
	}
	if err != nil {
		return 0, err
	}
	rest, err := p.inMemory()
	if p.edges != edges {
		p.edges.Drop()
	}
	return max(level, rest), err
}

// spooledPeel is the graph that is left.
type spooledPeel struct {
	ctx    context.Context
	spool  *spool.Spool
	edges  *spool.List
	degree []uint32
}

func (p *spooledPeel) each(fn func(u, v uint32) error) error {
	return p.edges.Each(p.ctx, func(words []uint64) error {
		for _, w := range words {
			if err := fn(uint32(w>>32), uint32(w)); err != nil {
				return err
			}
		}
		return nil
	})
}

// strip returns the edges between vertices of degree below or more. Degrees fall meanwhile, so much of what falls with them goes in the same pass.
func (p *spooledPeel) strip(below uint32) (*spool.List, error) {
	rest := p.spool.NewList()
	err := p.each(func(u, v uint32) error {
		if p.degree[u] >= below && p.degree[v] >= below {
			return rest.Put(uint64(u)<<32 | uint64(v))
		}
		p.degree[u]--
		p.degree[v]--
		return nil
	})
	return rest, err
}

// inMemory returns the degeneracy of what is left.
func (p *spooledPeel) inMemory() (uint32, error) {
	number, n := p.degree, uint32(0) // of the vertices that are left
	offsets := []uint64{0}
	for v, d := range p.degree {
		if d > 0 {
			offsets, number[v] = append(offsets, offsets[n]+uint64(d)), n
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	next, targets := offsets[:n:n], make([]csr.VertexID, offsets[n])
	err := p.each(func(u, v uint32) error {
		u, v = number[u], number[v]
		targets[next[u]], targets[next[v]] = csr.VertexID(v), csr.VertexID(u)
		next[u]++
		next[v]++
		return nil
	})
	if err != nil {
		return 0, err
	}
	copy(offsets[1:], offsets[:n]) // each is where its row ends now
	offsets[0] = 0
	_, _, degeneracy, err := ByBins(p.ctx, &csr.Adjacency{Offsets: offsets, Targets: targets}, uint64(n))
	return degeneracy, err
}
