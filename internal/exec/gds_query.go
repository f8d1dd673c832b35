package exec

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// query runs a query that the arguments of the call hold, and returns its columns. It may only read. yield gets each row, valid during the call.
func (c *gdsCall) query(text string, params *value.MapValue, yield func(columns []string, row []value.Value) (bool, error)) (columns []string, err error) {
	plan, err := c.planned(text, params)
	if err != nil {
		return nil, err
	}
	given := map[string]value.Value{}
	for i, name := range params.Keys {
		given[name] = params.Values[i]
	}
	env := c.env
	env.Tally = new(pattern.Tally)
	_, err = Run(c.x.ctx, plan, c.x.s, c.x.device, &env, given, func(row []value.Value) (bool, error) { return yield(plan.Columns, row) })
	c.x.pattern.Tally.Partial.Add(env.Tally.Partial.Load())
	return plan.Columns, c.within(text, err)
}

// planned checks and plans a query in the arguments.
func (c *gdsCall) planned(text string, params *value.MapValue) (*planner.Plan, error) {
	script, err := lang.ParseContext(c.x.ctx, text, 0)
	if err != nil {
		return nil, c.within(text, err)
	}
	if n := len(script.Statements); n != 1 {
		return nil, c.bad(fmt.Sprintf("%s runs one query, not %d", c.plan.Procedure.Name, n), "")
	}
	stmt := script.Statements[0]
	if stmt.Writes() || stmt.Explain != lang.Run {
		return nil, c.bad(c.plan.Procedure.Name+" runs queries that read, and neither EXPLAIN nor PROFILE", "write the clauses themselves, in CALL { }")
	}
	info, err := lang.CheckContext(c.x.ctx, stmt, planner.Names{Snapshot: c.x.s})
	if err != nil {
		return nil, c.within(text, err)
	}
	for _, name := range info.Parameters {
		if !slices.Contains(params.Keys, name.Text) {
			return nil, &eval.Error{Code: eval.CodeParameter, Pos: c.plan.Pos, Msg: "the query in the arguments lacks its parameter $" + name.Text, Hint: "give it in the map of parameters"}
		}
	}
	plan, err := planner.New(c.x.ctx, stmt, c.x.s, planner.Options{Order: c.env.Order})
	return plan, c.within(text, err)
}

// within says of an error that it lies in a query of the arguments.
func (c *gdsCall) within(text string, err error) error {
	var of *lang.Error
	var met *eval.Error
	inner := func(code, msg, hint string, pos lang.Pos, err error) error {
		return &eval.Error{Code: code, Pos: c.plan.Pos, Hint: hint, Err: err, Msg: fmt.Sprintf("in the query of the arguments, line %d, column %d: %s", pos.Line, pos.Column, msg)}
	}
	switch {
	case errors.As(err, &of):
		return inner(of.Code, of.Msg, of.Hint, of.Pos, nil)
	case errors.As(err, &met) && met.Code != eval.CodeMemory:
		return inner(met.Code, met.Msg, met.Hint, met.Pos, met.Err)
	}
	return err
}

// runQuery is apoc.cypher.run.
func runQuery(c *gdsCall) (source, error) {
	text, params, err := c.textAndParameters()
	return func() (more bool, _ error) {
		more = true
		_, err := c.query(text, params, func(columns []string, row []value.Value) (bool, error) {
			var err error
			more, err = c.give(value.OfMap(&value.MapValue{Keys: columns, Values: slices.Clone(row)}))
			return more, err
		})
		return more, err
	}, err
}

// textAndParameters reads the arguments of apoc.cypher.run.
func (c *gdsCall) textAndParameters() (string, *value.MapValue, error) {
	if c.values[0].Kind() != value.String {
		return "", nil, c.bad("the query is a string, not "+eval.Describe(c.values[0]), "")
	}
	switch v := c.values[1]; v.Kind() {
	case value.Null:
		return c.values[0].Str(), &value.MapValue{}, nil
	case value.Map:
		return c.values[0].Str(), v.Map(), nil
	default:
		return "", nil, c.bad("the parameters of the query are a map, not "+eval.Describe(v), "")
	}
}

// projectQueries makes a projection of the rows of two queries.
func projectQueries(c *gdsCall, name, nodes, rels string) (*pattern.Projection, error) {
	p, err := c.newProjecting()
	if err != nil {
		return nil, err
	}
	params := &value.MapValue{}
	if o := c.option("parameters"); o != nil {
		if o.value.Kind() != value.Map {
			return nil, o.wrong("a map", o.value)
		}
		params = o.value.Map()
	}
	p.cypher = true
	p.note["nodes"], p.note["relationships"] = pattern.ProjectedBy{Query: nodes}, pattern.ProjectedBy{Query: rels}
	_, err = c.query(nodes, params, func(columns []string, row []value.Value) (bool, error) {
		return true, p.queriedNode(columns, row)
	})
	if err != nil {
		return nil, err
	}
	byType := map[string]*arrows{}
	columns, err := c.query(rels, params, func(columns []string, row []value.Value) (bool, error) {
		return true, p.queriedRelationship(byType, columns, row)
	})
	if err != nil {
		return nil, err
	}
	for _, name := range columns {
		if name != "source" && name != "target" && name != "type" {
			p.b.Key(name) // even if no row came
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byType)) {
		if err := p.relationships(byType[name]); err != nil {
			return nil, err
		}
	}
	return p.done(name)
}

// vertexOf reads the id of a stored node.
func (p *projecting) vertexOf(column string, v value.Value) (csr.VertexID, error) {
	if v.Kind() == value.Node {
		return v.Node(), nil
	}
	if v.Kind() != value.Int {
		return 0, p.c.bad(fmt.Sprintf("the column `%s` of a projection is the id of a node, not %s", column, eval.Describe(v)), "RETURN id(n) AS "+column)
	}
	w, ok := p.c.x.s.VertexByNodeID(csr.NodeID(v.Int()))
	if !ok || v.Int() < 0 {
		return 0, p.c.bad(fmt.Sprintf("there is no node with the id %d, which the column `%s` gives", v.Int(), column), "")
	}
	return w, nil
}

// queriedNode adds a node of a row.
func (p *projecting) queriedNode(columns []string, row []value.Value) error {
	at := slices.Index(columns, "id")
	if at < 0 {
		return p.c.bad("the query of nodes has no column `id`", "RETURN id(n) AS id")
	}
	v, err := p.vertexOf("id", row[at])
	if err != nil {
		return err
	}
	var labels []string
	if i := slices.Index(columns, "labels"); i >= 0 && row[i].Kind() == value.List {
		for _, l := range row[i].List() {
			if l.Kind() != value.String {
				return p.c.bad("a label of a projection is a string, not "+eval.Describe(l), "RETURN id(n) AS id, labels(n) AS labels")
			}
			labels = append(labels, l.Str())
		}
	}
	n, err := p.node(v, labels...)
	for i, column := range columns {
		if err == nil && column != "id" && column != "labels" {
			err = p.number(n, column, row[i])
		}
	}
	return err
}

// queriedRelationship adds a relationship of a row.
func (p *projecting) queriedRelationship(byType map[string]*arrows, columns []string, row []value.Value) error {
	name := wholeGraph
	var ends [2]csr.VertexID
	for i, column := range []string{"source", "target"} {
		at := slices.Index(columns, column)
		if at < 0 {
			return p.c.bad("the query of relationships has no column `"+column+"`", "RETURN id(a) AS source, id(b) AS target")
		}
		v, err := p.vertexOf(column, row[at])
		if err != nil {
			return err
		}
		if ends[i] = v; p.at[v] == 0 {
			if o := p.c.option("validateRelationships"); o != nil && o.value.Kind() == value.Bool && !o.value.Bool() {
				return nil
			}
			return p.c.bad(fmt.Sprintf("the query of nodes does not give node %d, at which a relationship ends", p.c.x.s.NodeID(v)), "validateRelationships: false leaves such relationships out")
		}
	}
	var keys []string
	var values []float64
	for i, column := range columns {
		switch column {
		case "source", "target":
		case "type":
			if row[i].Kind() != value.String {
				return p.c.bad("the type of a projected relationship is a string, not "+eval.Describe(row[i]), "")
			}
			name = row[i].Str()
		default:
			x, err := p.c.asNumber("the property `"+column+"`", row[i])
			if err != nil {
				return err
			}
			keys, values = append(keys, column), append(values, x)
		}
	}
	a := byType[name]
	if a == nil {
		a = &arrows{name: name, keys: keys, merge: make([]string, len(keys)), values: make([][]float64, len(keys))}
		byType[name] = a
	}
	return a.add(p.c.account, p.at[ends[0]]-1, p.at[ends[1]]-1, 0, values)
}
