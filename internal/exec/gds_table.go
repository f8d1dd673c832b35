package exec

import (
	"maps"
	"slices"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// gdsCall is a call of a procedure that knows projections.
type gdsCall struct{ *callStage }

// gdsAlgorithms are the algorithms of projections by name.
var gdsAlgorithms = map[string]gdsAlgorithm{
	"pageRank": ranks(pattern.KindPageRank), "articleRank": ranks(pattern.KindArticleRank), "eigenvector": ranks(pattern.KindEigenvector),
	"degree": degrees, "betweenness": between, "wcc": wcc, "louvain": divides(pattern.KindLouvain), "labelPropagation": divides(pattern.KindLabels),
	"triangleCount": trianglesOf, "localClusteringCoefficient": clusteringOf, "nodeSimilarity": similarPairs,
}

// gdsProcedures holds the code of every procedure in lang.GdsProcedures.
var gdsProcedures map[string]procedure

func init() { // some of them run queries, which may call them
	all := map[string]func(c *gdsCall) (source, error){
		"gds.graph.project": makeProjection, "gds.graph.project.cypher": makeProjection, "gds.graph.create": makeProjection, "gds.graph.create.cypher": makeProjection,
		"gds.graph.list": listProjections, "gds.graph.exists": projectionExists, "gds.graph.drop": dropProjection, "gds.graph.writeRelationship": writeProjected,
		"gds.list": listGds, "apoc.cypher.run": runQuery, "gds.shortestPath.dijkstra.stream": lightestPaths, "gds.shortestPath.yens.stream": lightestPaths,
	}
	for name, run := range gdsAlgorithms {
		for mode, then := range map[string]func(c *gdsCall, f *gdsResult) (source, error){"stream": streamed, "stats": summarised, "write": stored, "mutate": mutated} {
			all["gds."+name+"."+mode] = func(c *gdsCall) (source, error) { return c.project(run, then) }
		}
	}
	gdsProcedures = map[string]procedure{}
	for name, run := range all {
		gdsProcedures[name] = func(c *callStage) (source, error) { return run(&gdsCall{c}) }
	}
}

// project runs an algorithm, and makes of what it finds what the procedure is for.
func (c *gdsCall) project(run gdsAlgorithm, then func(c *gdsCall, f *gdsResult) (source, error)) (source, error) {
	start := time.Now()
	g, err := c.projected()
	if err != nil {
		return nil, err
	}
	f, err := run(g)
	if err != nil {
		return nil, err
	}
	f.about["computeMillis"] = value.OfInt(time.Since(start).Milliseconds())
	if err := c.charge(len(f.values), 24*int64(len(f.values))); err != nil {
		return nil, err
	}
	return then(c, f)
}

// one gives one row: the values of the columns.
func (c *gdsCall) one(of map[string]value.Value) source {
	row := make([]value.Value, len(c.plan.Procedure.Columns))
	for i, col := range c.plan.Procedure.Columns {
		row[i] = of[col.Name]
	}
	return func() (bool, error) { return c.give(row...) }
}

// each calls row for every result: a vertex of the projection, and for pairs another one.
func (f *gdsResult) each(row func(i int, v, w csr.VertexID) (bool, error)) (bool, error) {
	return each(len(f.values), func(i int) (bool, error) {
		if f.source != nil {
			return row(i, f.source[i], f.target[i])
		}
		if v := csr.VertexID(i); f.of.has(v) && (f.kept == nil || f.kept(v)) {
			return row(i, v, v)
		}
		return true, nil
	})
}

func (f *gdsResult) value(i int) value.Value {
	if f.whole {
		return value.OfInt(int64(f.values[i]))
	}
	return value.OfFloat(f.values[i])
}

func (f *gdsResult) id(v csr.VertexID) value.Value { return value.OfInt(int64(f.of.s.NodeID(v))) }

// streamed gives a row for every result.
func streamed(c *gdsCall, f *gdsResult) (source, error) {
	return func() (bool, error) {
		return f.each(func(i int, v, w csr.VertexID) (bool, error) {
			if f.source != nil {
				return c.give(f.id(v), f.id(w), f.value(i))
			}
			return c.give(f.id(v), f.value(i))
		})
	}, nil
}

// summarised gives a row about all results.
func summarised(c *gdsCall, f *gdsResult) (source, error) { return c.one(f.about), nil }

// text returns an option that is a string.
func (c *gdsCall) text(name string) (string, error) {
	o := c.option(name)
	if o == nil {
		return "", c.bad("the option `"+name+"` is missing", "")
	}
	if o.value.Kind() != value.String {
		return "", o.wrong("a string", o.value)
	}
	return o.value.Str(), nil
}

// stored writes the results into the stored graph: a property of each node, or a relationship for each pair.
func stored(c *gdsCall, f *gdsResult) (source, error) {
	key, err := c.text("writeProperty")
	typ := ""
	if err == nil && f.pairs() {
		typ, err = c.text("writeRelationshipType")
	}
	if err != nil {
		return nil, err
	}
	n := int64(0)
	_, err = f.each(func(i int, v, w csr.VertexID) (bool, error) {
		if n++; n%4096 == 0 && c.x.ctx.Err() != nil {
			return false, c.x.ctx.Err()
		}
		cell, err := f.value(i).Cell()
		if err != nil {
			return false, err
		}
		return true, c.store(f, v, w, typ, csr.Prop{Key: key, Value: cell})
	})
	f.about["nodePropertiesWritten"], f.about["relationshipsWritten"] = value.OfInt(n), value.OfInt(n)
	return c.one(f.about), eval.At(c.plan.Pos, c.x.writes.explain(err))
}

// pairs reports whether the results are pairs.
func (f *gdsResult) pairs() bool {
	return f.source != nil || f.of.c.plan.Procedure.Column("relationshipsWritten") >= 0
}

// store writes one result. A node that has been deleted since it was projected gets nothing.
func (c *gdsCall) store(f *gdsResult, v, w csr.VertexID, typ string, p csr.Prop) error {
	from, ok := c.x.s.VertexByNodeID(f.of.s.NodeID(v))
	if !ok {
		return nil
	}
	t := target{w: c.x.writes, v: from}
	if f.source == nil {
		return t.set(p)
	}
	to, ok := c.x.s.VertexByNodeID(f.of.s.NodeID(w))
	if !ok {
		return nil
	}
	return c.createRelationship(typ, from, to, p)
}

func (c *gdsCall) createRelationship(typ string, from, to csr.VertexID, props ...csr.Prop) error {
	w := c.x.writes
	_, err := w.draft.CreateRel(typ, from, to, props)
	w.changes.RelsCreated++
	w.changes.PropertiesSet += uint64(len(props))
	return w.charge(err)
}

// mutated adds the results to the projection.
func mutated(c *gdsCall, f *gdsResult) (source, error) {
	if len(c.values) == 0 {
		return nil, c.bad("only a projection with a name can be changed", "CALL gds.graph.project('name', 'Label', 'TYPE') makes one")
	}
	key, err := c.text("mutateProperty")
	if err != nil {
		return nil, err
	}
	g := *f.of.p
	n := int64(0)
	if f.pairs() {
		err = f.addRelationships(&g, key)
		n = int64(len(f.values))
	} else {
		list := slices.Repeat([]float64{isNone}, int(f.of.s.N()))
		_, err = f.each(func(i int, v, _ csr.VertexID) (bool, error) {
			list[v] = f.values[i]
			n++
			return true, nil
		})
		g.Scores, g.Whole = maps.Clone(g.Scores), maps.Clone(g.Whole)
		if g.Scores[key] == nil {
			g.Bytes += 8 * int64(len(list))
		}
		g.Scores[key], g.Whole[key] = list, f.whole
	}
	if err == nil {
		err = c.account.Charge(c.x.pattern.Projections.Bytes() + g.Bytes - f.of.p.Bytes)
	}
	if err == nil && !c.x.pattern.Projections.Put(&g, f.of.p) {
		err = c.bad("the projection has changed meanwhile", "run the call again")
	}
	f.about["nodePropertiesWritten"], f.about["relationshipsWritten"] = value.OfInt(n), value.OfInt(n)
	return c.one(f.about), err
}

// addRelationships adds a relationship for each pair.
func (f *gdsResult) addRelationships(g *pattern.Projection, key string) error {
	c, s := f.of.c, f.of.p.Snapshot
	typ, err := c.text("mutateRelationshipType")
	if err != nil {
		return err
	}
	if _, ok := s.Types.Lookup(typ); ok {
		return c.bad("the projection has relationships of the type "+lang.QuoteKey(typ), "give `mutateRelationshipType` another name")
	}
	b := c.copyOf(s)
	for e := range s.AllEdges() {
		copyEdge(b, s, e)
	}
	t, k, next := b.Type(typ), b.Key(key), uint64(s.NextRel)
	for i, v := range f.source {
		from, _ := s.VertexByNodeID(f.of.s.NodeID(v))
		to, _ := s.VertexByNodeID(f.of.s.NodeID(f.target[i]))
		e := b.AddEdge(uint32(from), uint32(to), t)
		b.SetRelID(e, csr.RelID(next))
		next++
		cell, err := f.value(i).Cell()
		if err != nil {
			return err
		}
		b.SetEdge(e, k, cell)
	}
	if g.Snapshot, _, err = b.Build(c.x.ctx, c.env.Workers); err != nil {
		return err
	}
	g.Bytes += int64(g.Snapshot.Bytes()) - int64(s.Bytes())
	g.Scores = map[string][]float64{}
	for name, list := range f.of.p.Scores {
		moved := make([]float64, len(list))
		for v, x := range list {
			w, _ := g.Snapshot.VertexByNodeID(s.NodeID(csr.VertexID(v)))
			moved[w] = x
		}
		g.Scores[name] = moved
	}
	return nil
}
