package testgraph

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/motifql/motif/internal/csr"
)

// Changed returns a graph like s except for the stable ids. Drafts reach it from s by changes of every kind and undo each
// change: what they take away they put back, what they add they take away. Additions are near existing elements unless
// apart is set. So labels, types, properties and joined pairs are those of s, and the graph is an overlay.
func Changed(seed uint64, s *csr.Snapshot, apart bool) *csr.Snapshot {
	d := s.Draft()
	Change(seed, d, apart)
	return must(d.Snapshot(context.Background()))
}

// Change does to a draft what Changed does to a snapshot, and takes snapshots on the way.
func Change(seed uint64, d *csr.Draft, apart bool) {
	c := &changer{rng: rand.New(rand.NewPCG(seed, 11)), d: d, apart: apart}
	for range 1 + c.rng.IntN(3) {
		for range 1 + c.rng.IntN(4) {
			c.takeNode()
			c.takeRel()
			c.junk()
			c.relabel()
		}
		c.sometimes()
		for _, undo := range slices.Backward(c.undo) {
			undo()
		}
		c.undo = nil
		c.sometimes()
	}
}

type changer struct {
	rng     *rand.Rand
	d       *csr.Draft
	apart   bool
	undo    []func()
	renamed map[csr.NodeID]*csr.NodeID
	rels    map[csr.RelID]*csr.RelID
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// sometimes takes a snapshot amid the changes. Undoing goes by stable ids, which survive a snapshot.
func (c *changer) sometimes() {
	if c.rng.IntN(2) == 0 {
		must(c.d.Snapshot(context.Background()))
	}
}

// node draws a node that the draft began with or has made since.
func (c *changer) node() (csr.VertexID, bool) {
	n := c.d.Base().N()
	for range 10 {
		if n == 0 {
			break
		}
		if v := csr.VertexID(c.rng.Uint64N(n)); c.d.HasNode(v) {
			return v, true
		}
	}
	return csr.NoVertex, false
}

func (c *changer) takeRel() {
	v, ok := c.node()
	if !ok {
		return
	}
	if rels := c.d.Rels(nil, v, csr.Both, nil); len(rels) > 0 {
		c.take(rels[c.rng.IntN(len(rels))])
	}
}

// take deletes a relationship that a later change creates again.
func (c *changer) take(e csr.EdgeID) {
	src, dst := c.d.Endpoints(e)
	typ, from, to, props := c.d.RelType(e), c.idOf(src), c.idOf(dst), c.d.RelProps(e)
	if err := c.d.DeleteRel(e); err != nil {
		panic(err)
	}
	id := c.relID(e)
	c.undo = append(c.undo, func() {
		*id = c.d.RelID(must(c.d.CreateRel(typ, c.at(from), c.at(to), props)))
		c.rels[*id] = id
	})
}

// relID does the work of idOf for relationships.
func (c *changer) relID(e csr.EdgeID) *csr.RelID {
	id := c.d.RelID(e)
	if c.rels == nil {
		c.rels = map[csr.RelID]*csr.RelID{}
	}
	if c.rels[id] == nil {
		c.rels[id] = &id
	}
	return c.rels[id]
}

// idOf returns a variable with the stable id of a node. It changes when the node is created again.
func (c *changer) idOf(v csr.VertexID) *csr.NodeID {
	id := c.d.NodeID(v)
	if c.renamed == nil {
		c.renamed = map[csr.NodeID]*csr.NodeID{}
	}
	if c.renamed[id] == nil {
		c.renamed[id] = &id
	}
	return c.renamed[id]
}

func (c *changer) at(id *csr.NodeID) csr.VertexID {
	v, ok := c.d.NodeByID(*id)
	if !ok {
		panic("a node is gone")
	}
	return v
}

// takeNode deletes a node with its relationships. Later changes create all of them again.
func (c *changer) takeNode() {
	v, ok := c.node()
	if !ok {
		return
	}
	for _, e := range c.d.Rels(nil, v, csr.Both, nil) {
		c.take(e)
	}
	id, labels, props := c.idOf(v), c.d.Labels(v), c.d.NodeProps(v)
	if err := c.d.DeleteNode(v); err != nil {
		panic(err)
	}
	c.undo = append(c.undo, func() {
		v := must(c.d.CreateNode(labels, props))
		*id = c.d.NodeID(v)
		c.renamed[*id] = id
	})
}

// junk creates a node and a relationship that later changes delete.
func (c *changer) junk() {
	v, ok := c.node()
	if !ok {
		return
	}
	labels := c.d.Labels(v)
	id := c.idOf(must(c.d.CreateNode(labels, c.d.NodeProps(v))))
	c.undo = append(c.undo, func() {
		if _, err := c.d.DetachDelete(c.at(id)); err != nil {
			panic(err)
		}
	})
	types := c.d.Base().Types.Names()
	w, ok := c.node()
	if len(types) == 0 || c.apart || !ok {
		return
	}
	typ := types[c.rng.IntN(len(types))]
	must(c.d.CreateRel(typ, v, c.at(id), nil))
	rel := c.relID(must(c.d.CreateRel(typ, v, w, c.d.NodeProps(v))))
	c.undo = append(c.undo, func() {
		e, ok := c.d.RelByID(*rel)
		if !ok {
			panic("a relationship is gone")
		}
		if err := c.d.DeleteRel(e); err != nil {
			panic(err)
		}
	})
}

// relabel takes labels and properties from a node, or adds some, for a while.
func (c *changer) relabel() {
	v, ok := c.node()
	names := c.d.Base().Labels.Names()
	if !ok || len(names) == 0 {
		return
	}
	id, label, props := c.idOf(v), names[c.rng.IntN(len(names))], c.d.NodeProps(v)
	for _, p := range props {
		if err := c.d.SetNodeProps(v, csr.Prop{Key: p.Key}); err != nil {
			panic(err)
		}
	}
	had := !must(c.d.AddLabel(v, label))
	if had {
		must(c.d.RemoveLabel(v, label))
	}
	c.undo = append(c.undo, func() {
		v := c.at(id)
		if err := c.d.SetNodeProps(v, props...); err != nil {
			panic(err)
		}
		if had {
			must(c.d.AddLabel(v, label))
		} else {
			must(c.d.RemoveLabel(v, label))
		}
	})
}

// Churn changes some vertices of a draft and leaves the graph the same except for stable ids. Most vertices lose one
// relationship and get it anew. Some are created anew with all of theirs, and some have another label for a while.
func Churn(ctx context.Context, seed uint64, d *csr.Draft, vertices uint64) error {
	c := &changer{rng: rand.New(rand.NewPCG(seed, 13)), d: d, apart: true}
	for _, step := range []struct {
		share uint64
		take  func()
	}{{6, c.takeRel}, {2, c.takeNode}, {2, c.relabel}} {
		for range vertices * step.share / 10 {
			step.take()
		}
		if _, err := d.Snapshot(ctx); err != nil {
			return err
		}
		for _, undo := range slices.Backward(c.undo) {
			undo()
		}
		c.undo = nil
	}
	_, err := d.Snapshot(ctx)
	return err
}
