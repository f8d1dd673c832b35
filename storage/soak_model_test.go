//go:build soak

package storage

import (
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// soakProp reads a property of node 0.
func soakProp(snap *csr.Snapshot, key string) int64 {
	v, ok := snap.VertexByNodeID(0)
	id, known := snap.Keys.Lookup(key)
	if !ok || !known {
		return -1
	}
	c, _ := snap.VertexProp(v, csr.KeyID(id))
	return int64(c.Num)
}

// soakPad is a text that makes some transactions large.
func soakPad(i int64) string {
	switch {
	case i%197 == 1:
		return strings.Repeat("large. ", 2*maxLogPart/7+int(i%1000))
	case i%19 == 1:
		return strings.Repeat("pad.", int(i%2000))
	}
	return ""
}

func soakProps(base, i int64) []csr.Prop {
	return []csr.Prop{{Key: "base", Value: csr.IntCell(base)}, {Key: "count", Value: csr.IntCell(i)}, {Key: "pad", Value: csr.StringCell(soakPad(i))}}
}

// soakModel is the graph after the load with the number base and the transactions up to count.
func soakModel(base, count int64) *model {
	m := newModel()
	m.apply(&csr.Change{Kind: csr.CreateNode, Labels: []string{"Counter"}, Props: soakProps(base, count)})
	for i := base + 1; i <= count; i++ {
		id := uint64(i - base)
		m.apply(&csr.Change{Kind: csr.CreateNode, ID: id, Labels: []string{"N"}, Props: []csr.Prop{{Key: "i", Value: csr.IntCell(i)}}})
		m.apply(&csr.Change{Kind: csr.CreateRel, ID: id - 1, Name: "NEXT", From: csr.NodeID(id - 1), To: csr.NodeID(id)})
	}
	return m
}
