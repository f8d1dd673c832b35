package exec

import (
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// maxGraphlet is the most nodes of a graphlet that can be counted.
const maxGraphlet = 5

// graphletSize reads the option size.
func graphletSize(c *callStage) (int, error) {
	n, err := c.number("size", 3, 0)
	switch {
	case err != nil:
		return 0, err
	case n == 0:
		return 0, c.needs("size")
	case n > maxGraphlet:
		return 0, eval.At(c.option("size").pos, eval.Errorf(eval.CodeArgumentValue, "the option `size` is 3, 4 or 5, not %d", n))
	}
	return int(n), nil
}

// flag returns an option that is true or false.
func (c *callStage) flag(name string, missing bool) (bool, error) {
	o := c.option(name)
	switch {
	case o == nil:
		return missing, nil
	case o.value.Kind() != value.Bool:
		return false, o.wrong("true or false", o.value)
	}
	return o.value.Bool(), nil
}

// motifs counts the subgraphs of each shape.
func motifs(c *callStage) (source, error) {
	size, err := graphletSize(c)
	if err != nil {
		return nil, err
	}
	induced, err := c.flag("induced", true)
	if err != nil {
		return nil, err
	}
	directed, err := c.flag("directed", false)
	if err != nil {
		return nil, err
	}
	if directed {
		return triads(c, size, induced)
	}
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindMotifs, Snapshot: g.s, Subgraph: &g.Subgraph, Size: size, Induced: induced})
	if err != nil {
		return nil, err
	}
	var rows [][2]string
	for i := range pattern.Graphlets {
		if x := &pattern.Graphlets[i]; x.Size() == size {
			rows = append(rows, [2]string{x.Name, patternText(x.Edges, size, "--")})
		}
	}
	return motifRows(c, rows, a.Counts)
}

// triads counts the directed graphs on three nodes.
func triads(c *callStage, size int, induced bool) (source, error) {
	wrong := func(option, why string) error {
		return eval.At(c.option(option).pos, eval.Errorf(eval.CodeArgumentValue, "with `directed`, the option `%s` is %s", option, why))
	}
	switch {
	case size != 3:
		return nil, wrong("size", fmt.Sprintf("3, not %d", size))
	case !induced:
		return nil, wrong("induced", "true: triads are induced")
	case c.option("direction") != nil:
		return nil, wrong("direction", "missing: triads tell directions apart")
	}
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindTriads, Snapshot: g.s, Subgraph: &g.Subgraph})
	if err != nil {
		return nil, err
	}
	var rows [][2]string
	for i := range pattern.Triads {
		x := &pattern.Triads[i]
		rows = append(rows, [2]string{x.Name, patternText(x.Edges, 3, "-->")})
	}
	return motifRows(c, rows, a.Counts)
}

// patternText writes a graph as a pattern. Nodes without relationships stand alone.
func patternText(edges [][2]int, size int, arrow string) string {
	name := func(v int) string { return "(" + string(rune('a'+v)) + ")" }
	var parts []string
	seen := make([]bool, size)
	for _, e := range edges {
		parts = append(parts, name(e[0])+arrow+name(e[1]))
		seen[e[0]], seen[e[1]] = true, true
	}
	for v, ok := range seen {
		if !ok {
			parts = append(parts, name(v))
		}
	}
	return strings.Join(parts, ", ")
}

// motifRows gives a row for each motif: its name, its pattern and its number.
func motifRows(c *callStage, rows [][2]string, counts []pattern.Count128) (source, error) {
	return func() (bool, error) {
		return each(len(rows), func(i int) (bool, error) {
			n, err := c.count("subgraphs", counts[i])
			if err != nil {
				return false, err
			}
			return c.give(value.OfString(rows[i][0]), value.OfString(rows[i][1]), n)
		})
	}, c.charge(len(rows), 64*int64(len(rows)))
}

// orbits counts how often each node stands on each orbit.
func orbits(c *callStage) (source, error) {
	size, err := graphletSize(c)
	if err != nil {
		return nil, err
	}
	g, err := c.graph()
	if err != nil {
		return nil, err
	}
	a, err := c.ask(&pattern.Request{Kind: pattern.KindOrbits, Snapshot: g.s, Subgraph: &g.Subgraph, Size: size})
	if err != nil {
		return nil, err
	}
	return func() (bool, error) {
		return g.each(func(v csr.VertexID) (bool, error) {
			list := make([]value.Value, len(a.Orbits))
			for o, by := range a.Orbits {
				var err error
				if list[o], err = c.count("subgraphs", pattern.Count(by[v])); err != nil {
					return false, err
				}
			}
			return c.give(value.OfNode(v), value.OfList(list))
		})
	}, c.charge(int(g.s.N()), 8*int64(len(a.Orbits))*int64(g.s.N()))
}
