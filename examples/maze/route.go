package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/motifql/motif"
)

// cell is a place on the chip.
type cell struct{ x, y int }

// chip is a grid of cells. Walls are taken by components; the pins of a net are to be joined by wires.
type chip struct {
	width, height int
	walls         map[cell]bool
	nets          []*net // by falling need: those that have the least room to choose come first
}

// net is a set of pins, and the wires that join them.
type net struct {
	name string
	pins []cell
	legs [][]cell // each from a cell that the net has already to one more pin, both included
}

// cells are the pins of n and what its wires go over.
func (n *net) cells() []cell {
	all := slices.Clone(n.pins)
	for _, l := range n.legs {
		all = append(all, l...)
	}
	return all
}

// parseChip reads a map: # is a wall, a letter a pin of the net of that name, and a point a free cell.
func parseChip(text string) (*chip, error) {
	c := &chip{walls: map[cell]bool{}}
	byName := map[string]*net{}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if c.width > 0 && len(line) != c.width {
			return nil, fmt.Errorf("row %d has %d cells, not %d", c.height+1, len(line), c.width)
		}
		c.width = len(line)
		for x, r := range line {
			at := cell{x, c.height}
			switch {
			case r == '#':
				c.walls[at] = true
			case r >= 'a' && r <= 'z':
				n := byName[string(r)]
				if n == nil {
					n = &net{name: string(r)}
					byName[n.name], c.nets = n, append(c.nets, n)
				}
				n.pins = append(n.pins, at)
			case r != '.':
				return nil, fmt.Errorf("row %d, cell %d is a %q", c.height+1, x+1, r)
			}
		}
		c.height++
	}
	slices.SortStableFunc(c.nets, func(a, b *net) int { return a.span() - b.span() })
	return c, nil
}

// span is how far apart the pins of n are: half the border of the rectangle around them.
func (n *net) span() int {
	lo, hi := n.pins[0], n.pins[0]
	for _, p := range n.pins {
		lo, hi = cell{min(lo.x, p.x), min(lo.y, p.y)}, cell{max(hi.x, p.x), max(hi.y, p.y)}
	}
	return hi.x - lo.x + hi.y - lo.y
}

// router asks a graph of the cells for routes.
type router struct {
	chip *chip
	db   *motif.DB
	id   map[cell]int64
	at   map[uint64]cell
}

// newRouter loads the cells as a graph: nodes (:Free {x, y}) and (:Wall {x, y}), with a relationship between neighbours.
func newRouter(ctx context.Context, c *chip) (*router, error) {
	dir, err := os.MkdirTemp("", "maze")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	spec, err := c.files(dir)
	if err != nil {
		return nil, err
	}
	r := &router{chip: c, id: map[cell]int64{}, at: map[uint64]cell{}}
	if r.db, err = motif.Open(":memory:"); err != nil {
		return nil, err
	}
	if _, err = r.db.Load(ctx, spec, motif.LoadOptions{}); err == nil {
		err = r.number(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, r.db.Close())
	}
	return r, nil
}

// files writes the graph as CSV.
func (c *chip) files(dir string) (motif.LoadSpec, error) {
	nodes, rels := "key:ID,x:int,y:int,:LABEL\n", ":START_ID,:END_ID\n"
	for y := range c.height {
		for x := range c.width {
			label := "Free"
			if c.walls[cell{x, y}] {
				label = "Wall"
			}
			nodes += fmt.Sprintf("%d,%d,%d,%s\n", y*c.width+x, x, y, label)
			if x > 0 {
				rels += fmt.Sprintf("%d,%d\n", y*c.width+x-1, y*c.width+x)
			}
			if y > 0 {
				rels += fmt.Sprintf("%d,%d\n", (y-1)*c.width+x, y*c.width+x)
			}
		}
	}
	n, r := filepath.Join(dir, "cells.csv"), filepath.Join(dir, "next.csv")
	err := errors.Join(os.WriteFile(n, []byte(nodes), 0o600), os.WriteFile(r, []byte(rels), 0o600))
	return motif.LoadSpec{Nodes: []motif.NodeFile{{Paths: []string{n}}}, Relationships: []motif.RelationshipFile{{Type: "NEXT", Paths: []string{r}}}}, err
}

// number learns which node is which cell.
func (r *router) number(ctx context.Context) error {
	rows, err := r.db.Query(ctx, "MATCH (c) RETURN id(c) AS id, c.x AS x, c.y AS y", nil)
	if err != nil {
		return err
	}
	for n, err := range motif.Into[struct {
		ID   int64
		X, Y int
	}](rows) {
		if err != nil {
			return err
		}
		r.id[cell{n.X, n.Y}], r.at[uint64(n.ID)] = n.ID, cell{n.X, n.Y}
	}
	return nil
}

func (r *router) ids(cells []cell) []int64 {
	list := make([]int64, len(cells))
	for i, c := range cells {
		list[i] = r.id[c]
	}
	return list
}

// leg asks for a shortest way from any of some cells to the nearest of others.
const leg = `
	CALL algo.shortestPath($from, $to, {label: 'Free', avoid: $taken, direction: 'BOTH'}) YIELD path
	RETURN path`

// errNoWay says that a net cannot be routed around what is there.
var errNoWay = errors.New("there is no way left")

// route joins the pins of the nets, one net after the other. A wire is in the way of all nets that come later, and the
// pins of a net are in the way of all others. If a net finds no way, all wires are taken out and it comes first, at most
// so many times as there are pairs of nets.
func (r *router) route(ctx context.Context) error {
	tries := len(r.chip.nets) * len(r.chip.nets)
	for i := 0; i < len(r.chip.nets); i++ {
		n := r.chip.nets[i]
		err := r.routeNet(ctx, n)
		switch {
		case errors.Is(err, errNoWay) && tries > 0:
			tries--
			copy(r.chip.nets[1:i+1], r.chip.nets[:i])
			r.chip.nets[0], i = n, -1
			for _, other := range r.chip.nets {
				other.legs = nil
			}
		case err != nil:
			return fmt.Errorf("net %s: %w", n.name, err)
		}
	}
	return nil
}

// taken are the cells of all nets but n.
func (r *router) taken(n *net) (cells []cell) {
	for _, other := range r.chip.nets {
		if other != n {
			cells = append(cells, other.cells()...)
		}
	}
	return cells
}

// routeNet begins at the first pin and goes from what the net has to the nearest pin that it has not, until it has all.
func (r *router) routeNet(ctx context.Context, n *net) error {
	taken := r.ids(r.taken(n))
	have, want := []cell{n.pins[0]}, slices.Clone(n.pins[1:])
	for len(want) > 0 {
		rows, err := r.db.Query(ctx, leg, motif.Params{"from": r.ids(have), "to": r.ids(want), "taken": taken})
		if err != nil {
			return err
		}
		path, err := motif.One[motif.Path](rows)
		if errors.Is(err, motif.ErrNoRows) {
			return errNoWay
		}
		if err != nil {
			return err
		}
		var cells []cell
		for _, v := range path.Nodes {
			cells = append(cells, r.at[v.ID])
		}
		n.legs, have = append(n.legs, cells), append(have, cells...)
		want = slices.DeleteFunc(want, func(p cell) bool { return slices.Contains(cells, p) })
	}
	return nil
}

// wave is how far each cell is from the first pin of n, with the wires of the other nets in the way.
func (r *router) wave(ctx context.Context, n *net) (map[cell]int, error) {
	rows, err := r.db.Query(ctx, `
		CALL algo.bfs($from, {label: 'Free', avoid: $taken, direction: 'BOTH'}) YIELD node, depth
		RETURN node.x AS x, node.y AS y, depth`, motif.Params{"from": r.id[n.pins[0]], "taken": r.ids(r.taken(n))})
	if err != nil {
		return nil, err
	}
	depth := map[cell]int{}
	for c, err := range motif.Into[struct{ X, Y, Depth int }](rows) {
		if err != nil {
			return nil, err
		}
		depth[cell{c.X, c.Y}] = c.Depth
	}
	return depth, nil
}
