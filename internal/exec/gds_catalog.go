package exec

import (
	"math"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/temporal"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// isNone stands for a number that is not there.
var isNone = math.NaN()

// makeProjection makes a projection and keeps it under a name that no other has.
func makeProjection(c *gdsCall) (source, error) {
	start, name := time.Now(), c.values[0]
	if name.Kind() != value.String || name.Str() == "" {
		return nil, c.bad("the name of a projection is a string, not "+eval.Describe(name), "")
	}
	taken := func() error {
		return c.bad("there is a projection "+name.String(), "CALL gds.graph.drop("+name.String()+") drops it")
	}
	if c.x.pattern.Projections.Find(name.Str()) != nil {
		return nil, taken()
	}
	var g *pattern.Projection
	var err error
	if nodes, rels := c.values[1], c.values[2]; c.plan.Procedure.Column("nodeQuery") < 0 {
		g, err = projectStored(c, name.Str(), nodes, rels)
	} else if nodes.Kind() != value.String || rels.Kind() != value.String {
		err = c.bad("the queries of a projection are strings", "")
	} else {
		g, err = projectQueries(c, name.Str(), nodes.Str(), rels.Str())
	}
	if err != nil {
		return nil, err
	}
	if !c.x.pattern.Projections.Put(g, nil) {
		return nil, taken()
	}
	row := aboutProjection(g)
	row["nodeProjection"], row["nodeQuery"] = c.values[1], c.values[1]
	row["relationshipProjection"], row["relationshipQuery"] = c.values[2], c.values[2]
	row["projectMillis"] = value.OfInt(time.Since(start).Milliseconds())
	return c.one(row), nil
}

// aboutProjection is what the columns of lists say of a projection.
func aboutProjection(g *pattern.Projection) map[string]value.Value {
	created, _ := temporal.FromTime(g.Created.UTC())
	return map[string]value.Value{
		"graphName": value.OfString(g.Name), "nodeCount": value.OfInt(int64(g.Snapshot.N())), "relationshipCount": value.OfInt(int64(g.Snapshot.M())),
		"sizeInBytes":  value.OfInt(g.Bytes),
		"creationTime": value.OfPoint(created), "database": value.OfString("motif"),
	}
}

// listProjections gives a row for every projection, or for the one of a name, if there is one.
func listProjections(c *gdsCall) (source, error) {
	list := c.x.pattern.Projections.List()
	if len(c.values) > 0 {
		if c.values[0].Kind() != value.String {
			return nil, c.bad("the name of a projection is a string, not "+eval.Describe(c.values[0]), "")
		}
		list = nil
		if g := c.x.pattern.Projections.Find(c.values[0].Str()); g != nil {
			list = []*pattern.Projection{g}
		}
	}
	return func() (bool, error) {
		return each(len(list), func(i int) (bool, error) { return c.one(aboutProjection(list[i]))() })
	}, nil
}

func projectionExists(c *gdsCall) (source, error) {
	name := c.values[0]
	there := name.Kind() == value.String && c.x.pattern.Projections.Find(name.Str()) != nil
	return func() (bool, error) { return c.give(name, value.OfBool(there)) }, nil
}

// dropProjection drops a projection and gives a row about it.
func dropProjection(c *gdsCall) (source, error) {
	if len(c.values) > 1 && c.values[1].Kind() == value.Bool && !c.values[1].Bool() && c.values[0].Kind() == value.String &&
		c.x.pattern.Projections.Find(c.values[0].Str()) == nil {
		return func() (bool, error) { return true, nil }, nil
	}
	g, err := c.named(c.values[0])
	if err != nil {
		return nil, err
	}
	c.x.pattern.Projections.Drop(g.Name)
	return c.one(aboutProjection(g)), nil
}

// writeProjected creates the relationships of one type of a projection in the stored graph.
func writeProjected(c *gdsCall) (source, error) {
	g, err := c.named(c.values[0])
	if err != nil {
		return nil, err
	}
	s, key := g.Snapshot, ""
	if c.values[1].Kind() != value.String {
		return nil, c.bad("the type of relationships is a string, not "+eval.Describe(c.values[1]), "")
	}
	t, ok := s.Types.Lookup(c.values[1].Str())
	if !ok {
		return nil, c.bad("the projection has no relationships of the type "+lang.QuoteKey(c.values[1].Str()), "")
	}
	keyID, property := uint32(0), value.Value{}
	if len(c.values) > 2 && c.values[2].Kind() == value.String {
		property, key = c.values[2], c.values[2].Str()
		if keyID, ok = s.Keys.Lookup(key); !ok {
			return nil, c.bad("the relationships of the projection have no property "+lang.QuoteKey(key), "")
		}
	}
	n, props := int64(0), int64(0)
	for e := range s.AllEdges() {
		if s.TypeOf(e) != csr.TypeID(t) {
			continue
		}
		if n%4096 == 0 && c.x.ctx.Err() != nil {
			return nil, c.x.ctx.Err()
		}
		a, b := s.Endpoints(e)
		from, ok := c.x.s.VertexByNodeID(s.NodeID(a))
		to, there := c.x.s.VertexByNodeID(s.NodeID(b))
		if !ok || !there {
			continue
		}
		var list []csr.Prop
		if key != "" {
			if cell, ok := s.EdgeProp(e, csr.KeyID(keyID)); ok {
				list = append(list, csr.Prop{Key: key, Value: cell})
			}
		}
		n, props = n+1, props+int64(len(list))
		if err := c.createRelationship(c.values[1].Str(), from, to, list...); err != nil {
			return nil, eval.At(c.plan.Pos, c.x.writes.explain(err))
		}
	}
	return c.one(map[string]value.Value{"graphName": c.values[0], "relationshipType": c.values[1], "relationshipProperty": property,
		"relationshipsWritten": value.OfInt(n), "propertiesWritten": value.OfInt(props)}), nil
}

// listGds lists the procedures of projections.
func listGds(c *gdsCall) (source, error) {
	return func() (bool, error) {
		return each(len(lang.GdsProcedures), func(i int) (bool, error) {
			p := &lang.GdsProcedures[i]
			return c.give(value.OfString(p.Name), value.OfString(p.Help), value.OfString(p.Signature()), value.OfString("procedure"))
		})
	}, nil
}

// lightestPaths finds the paths of least weight between two nodes of a projection.
func lightestPaths(c *gdsCall) (source, error) {
	g, err := c.projected()
	if err != nil {
		return nil, err
	}
	r := new(pattern.WeightedPathRequest)
	if r.Network, err = g.network(); err != nil {
		return nil, err
	}
	lengths(&r.Network, false)
	k, err := c.number("k", 1, 1)
	if err != nil {
		return nil, err
	}
	r.K = int(min(k, math.MaxInt32))
	var ends [2]csr.VertexID
	for i, name := range []string{"sourceNode", "targetNode"} {
		o := c.option(name)
		if o == nil {
			return nil, c.bad("the option `"+name+"` is null", "")
		}
		list, err := g.vertices(o)
		if err != nil {
			return nil, err
		}
		if len(list) != 1 {
			return nil, o.wrong("one node", o.value)
		}
		ends[i] = list[0]
	}
	r.Sources, r.Target = ends[:1], ends[1]
	a, err := g.ask(&pattern.Request{Kind: pattern.KindWeightedPaths, WeightedPath: r})
	if err != nil {
		return nil, err
	}
	return func() (bool, error) {
		return each(len(a.WeightedPaths), func(i int) (bool, error) {
			row, err := g.pathRow(&a.WeightedPaths[i], &r.Network)
			if err != nil {
				return false, err
			}
			return c.give(append([]value.Value{value.OfInt(int64(i))}, row...)...)
		})
	}, c.charge(len(a.WeightedPaths), 64*int64(len(a.WeightedPaths)))
}

// pathRow is what a row says of a path, behind its number.
func (g *projected) pathRow(p *pattern.WeightedPath, n *pattern.Network) ([]value.Value, error) {
	on, err := lightest(g.s, p.Vertices, n)
	if err != nil {
		return nil, err
	}
	ids, costs, sum := make([]value.Value, len(p.Vertices)), make([]value.Value, len(p.Vertices)), 0.0
	for i, v := range p.Vertices {
		if i > 0 {
			x, err := n.Weight.Of(g.s, on.Path().Rels[i-1])
			if err != nil {
				return nil, err
			}
			sum += x
		}
		ids[i], costs[i] = value.OfInt(int64(g.s.NodeID(v))), value.OfFloat(sum)
	}
	path, err := g.storedPath(on.Path())
	return []value.Value{ids[0], ids[len(ids)-1], value.OfFloat(p.Cost), value.OfList(ids), value.OfList(costs), path}, err
}

// storedPath is a path of the projection in the stored graph.
func (g *projected) storedPath(p *value.PathValue) (value.Value, error) {
	c := g.c
	if column := c.plan.Procedure.Column("path"); c.slots[column] < 0 { // nobody reads it
		return value.Value{}, nil
	}
	q := &value.PathValue{}
	for _, v := range p.Nodes {
		w, ok := c.x.s.VertexByNodeID(g.s.NodeID(v))
		if !ok {
			return value.Value{}, c.bad("a node of the path is no longer there", "YIELD nodeIds in place of path")
		}
		q.Nodes = append(q.Nodes, w)
	}
	for _, e := range p.Rels {
		id := g.s.RelID(e)
		if g.p.Origin == nil || int(id) >= len(g.p.Origin) {
			return value.Value{}, c.bad("the relationships of the path are not stored: a query made the projection", "YIELD nodeIds in place of path")
		}
		w, ok := c.x.s.EdgeByRelID(g.p.Origin[id])
		if !ok {
			return value.Value{}, c.bad("a relationship of the path is no longer there", "YIELD nodeIds in place of path")
		}
		q.Rels = append(q.Rels, w)
	}
	return value.OfPath(q), nil
}
