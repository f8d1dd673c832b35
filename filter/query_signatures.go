package filter

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// queries returns what the pattern asks of u in a part: one signature for each scope that asks for anything. A scope in which signatures are
// not sound has no neighbours in around.
func (g *signatures) queries(around *vicinity, u int, kind partKind) [][]uint64 {
	var out [][]uint64
	for _, near := range around.near {
		if near == nil || len(near[u]) == 0 {
			continue
		}
		sig := make([]uint64, g.parts[kind].words)
		for i, x := range near[u] {
			switch xs := around.labels[x]; kind {
			case quantity:
				g.askLabels(sig, xs)
			case path:
				for _, y := range near[x] {
					if y != u {
						g.askPair(sig, kind, xs, around.labels[y])
					}
				}
			case triangle:
				for _, y := range near[u][:i] {
					if slices.Contains(near[x], y) {
						g.askPair(sig, kind, xs, around.labels[y])
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

// asksOf reports whether a part of the signatures can exclude candidates of u: whether queries returns anything.
func (x *vicinity) asksOf(u int, kind partKind) bool {
	for _, near := range x.near {
		if near == nil {
			continue
		}
		for i, y := range near[u] {
			if len(x.labels[y]) == 0 {
				continue
			}
			switch labelled := func(z int) bool { return z != u && len(x.labels[z]) > 0 }; kind {
			case quantity:
				return true
			case path:
				if slices.ContainsFunc(near[y], labelled) {
					return true
				}
			case triangle:
				if slices.ContainsFunc(near[u][:i], func(z int) bool { return labelled(z) && slices.Contains(near[y], z) }) {
					return true
				}
			}
		}
	}
	return false
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

// askLabels asks for a neighbour with the labels.
func (g *signatures) askLabels(sig []uint64, labels []csr.LabelID) {
	if len(labels) == 1 {
		p := &g.parts[quantity]
		p.add(sig, p.bucket(uint64(labels[0])), 1)
		return
	}
	g.ask(sig, quantity, keysOf(labels))
}

// askPair asks for a walk, or a triangle, over vertices with these labels.
func (g *signatures) askPair(sig []uint64, kind partKind, xs, ys []csr.LabelID) {
	p := &g.parts[kind]
	switch {
	case len(xs) == 0 || len(ys) == 0:
	case len(xs) > 1 || len(ys) > 1:
		keys := g.pairKeys(xs, ys)
		if kind == triangle {
			keys = triangleKeys(xs, ys)
		}
		g.ask(sig, kind, keys)
	case kind == path:
		p.add(sig, p.bucket(uint64(xs[0])*g.labels+uint64(ys[0])), 1)
	default:
		p.add(sig, p.bucket(triangleKey(xs[0], ys[0])), 1)
	}
}

// keysOf numbers the labels.
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

// triangleKey numbers the unordered pair of two labels.
func triangleKey(x, y csr.LabelID) uint64 {
	a, b := uint64(min(x, y)), uint64(max(x, y))
	return b*(b+1)/2 + a
}
