package filter

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// queries returns what the pattern asks of u in a part: one signature for each scope that asks for anything.
func (g *signatures) queries(p *pattern.Pattern, u int, kind partKind) [][]uint64 {
	var out [][]uint64
	for scope := range p.Scopes {
		near, ok := nearby(g.s, p, scope)
		if !ok {
			continue
		}
		sig := make([]uint64, g.parts[kind].words)
		switch kind {
		case quantity:
			for _, x := range near[u] {
				g.ask(sig, kind, keysOf(g.required(p, x)))
			}
		case path:
			for _, x := range near[u] {
				for _, y := range near[x] {
					if y != u {
						g.ask(sig, kind, g.pairKeys(g.required(p, x), g.required(p, y)))
					}
				}
			}
		case triangle:
			for i, x := range near[u] {
				for _, y := range near[u][:i] {
					if slices.Contains(near[x], y) {
						g.ask(sig, kind, triangleKeys(g.required(p, x), g.required(p, y)))
					}
				}
			}
		}
		if slices.ContainsFunc(sig, func(w uint64) bool { return w != 0 }) {
			out = append(out, sig)
		}
	}
	return out
}

// nearby lists, for a scope in which signatures are sound, the different neighbours of every query vertex.
func nearby(s *csr.Snapshot, p *pattern.Pattern, scope int) ([][]int, bool) {
	near := make([][]int, len(p.Vertices))
	for _, u := range p.Scopes[scope].Vertices {
		at, distinct := around(s, p, scope, u)
		if !distinct {
			return nil, false
		}
		for _, x := range at {
			if x.to != u && !slices.Contains(near[u], x.to) {
				near[u] = append(near[u], x.to)
			}
		}
	}
	return near, true
}

// ask adds one to each bucket that the keys fall into.
func (g *signatures) ask(sig []uint64, kind partKind, keys []uint64) {
	p := &g.parts[kind]
	var buckets []int
	for _, k := range keys {
		buckets = append(buckets, p.bucket(k))
	}
	slices.Sort(buckets)
	for _, b := range slices.Compact(buckets) {
		p.add(sig, b, 1)
	}
}

func (g *signatures) required(p *pattern.Pattern, u int) []csr.LabelID {
	return p.Vertices[u].Labels.Required()
}

func keysOf(labels []csr.LabelID) []uint64 {
	var keys []uint64
	for _, l := range labels {
		keys = append(keys, uint64(l))
	}
	return keys
}

// pairKeys numbers the ordered pairs of labels.
func (g *signatures) pairKeys(xs, ys []csr.LabelID) []uint64 {
	var keys []uint64
	for _, x := range xs {
		for _, y := range ys {
			keys = append(keys, uint64(x)*g.labels+uint64(y))
		}
	}
	return keys
}

// triangleKeys numbers the unordered pairs of labels.
func triangleKeys(xs, ys []csr.LabelID) []uint64 {
	var keys []uint64
	for _, x := range xs {
		for _, y := range ys {
			keys = append(keys, triangleKey(x, y))
		}
	}
	return keys
}

func triangleKey(x, y csr.LabelID) uint64 {
	a, b := uint64(min(x, y)), uint64(max(x, y))
	return b*(b+1)/2 + a
}
