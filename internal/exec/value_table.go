package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// valueTable finds the candidates of a query vertex whose property equals a value from the row or the match so far. The
// first requests go through all candidates; further ones get a table. The condition is still tested afterwards.
type valueTable struct {
	of       eval.Func // the property of a candidate
	is       eval.Func // the value it must equal
	requests int
	rows     map[string][]csr.VertexID // by the key of the property; nil: not built yet
	noRoom   bool                      // the memory budget has no room for the table, or a candidate has no value
	account  *eval.Account
	key      []byte
}

// tableScans is how often requests go through all candidates before a table is built.
const tableScans = 2

// newTable returns a table for query vertex u, if a condition compares a property of u with something known once the
// vertices in placed are; else nil.
func (q *anchoredMatch) newTable(u int, placed []bool) (*valueTable, error) {
	name := q.p.Vertices[u].Name
	for i := range q.p.Predicates {
		t := &q.p.Predicates[i]
		others := slices.DeleteFunc(slices.Clone(t.Vertices), func(w int) bool { return w == u })
		b, ok := q.m.plan.Exprs[i].(*lang.Binary)
		if !ok || b.Op != "=" || len(t.Edges) > 0 || len(others) == len(t.Vertices) || !all(placed, others) || !t.Given && len(others) == 0 {
			continue
		}
		for _, sides := range [][2]lang.Expr{{b.L, b.R}, {b.R, b.L}} {
			prop, ok := sides[0].(*lang.Property)
			if !ok {
				continue
			}
			if v, ok := prop.Of.(*lang.Var); !ok || v.Name != name || readsName(sides[1], name) {
				continue
			}
			c := q.m.x.compiler.OfPattern(q.p)
			of, err := c.Compile(prop)
			if err != nil {
				return nil, err
			}
			is, err := c.Compile(sides[1])
			return &valueTable{of: of.Fn, is: is.Fn, account: q.m.x.newAccount("looking up "+name+"."+prop.Key, q.m.outlet)}, err
		}
	}
	return nil, nil
}

func readsName(x lang.Expr, name string) bool {
	found := false
	lang.Walk(x, func(x lang.Expr) bool {
		v, ok := x.(*lang.Var)
		found = found || ok && v.Name == name
		return true
	})
	return found
}

// candidates returns the candidates of the move that may pass.
func (k *valueTable) candidates(q *anchoredMatch, v *move) ([]csr.VertexID, error) {
	e := &eval.Input{Row: q.m.x.row, Vertices: q.vertices, Edges: q.edges}
	is, err := k.is(e)
	if err != nil {
		return v.list, nil // the condition reports the error where a match meets it
	}
	if is.IsNull() {
		return nil, nil
	}
	if k.requests++; k.requests <= tableScans || k.noRoom {
		return v.list, nil
	}
	if k.rows == nil {
		if err := k.build(q, v, e); err != nil {
			return nil, err
		}
		if k.noRoom {
			return v.list, nil
		}
	}
	k.key, err = eval.AppendKeys(k.account, k.key[:0], []value.Value{is})
	q.m.x.compiler.Settle(e, 0)
	if err != nil {
		return nil, err
	}
	return k.rows[string(k.key)], nil
}

// build builds the table.
func (k *valueTable) build(q *anchoredMatch, v *move, e *eval.Input) error {
	k.rows = make(map[string][]csr.VertexID, len(v.list))
	c := q.m.x.compiler
	for _, w := range v.list {
		e.Vertices[v.to] = w
		x, err := k.of(e)
		if err != nil {
			k.account.Release()
			k.rows, k.noRoom = nil, true
			return nil
		}
		c.Settle(e, 0)
		if x.IsNull() {
			continue
		}
		k.key = value.AppendKey(k.key[:0], x)
		list, there := k.rows[string(k.key)]
		bytes := int64(4)
		if !there {
			bytes += eval.EntryBytes + 24 + int64(len(k.key))
		}
		if k.account.Charge(bytes) != nil {
			k.account.Release()
			k.rows, k.noRoom = nil, true
			return nil
		}
		k.rows[string(k.key)] = append(list, w)
	}
	return nil
}
