package exec

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// vertexKeys tells rows apart by columns that read one node each, without a key of bytes for each row. It computes the columns of a node
// when the node first comes up, and numbers their values: an array has the number for each node. A row is then a tuple of
// numbers, and tables of pairs number the tuples.
type vertexKeys struct {
	x       *execution
	account *eval.Account
	nodes   []vertexKey
	pairs   []eval.PairTable // one for each node but the first: the numbers of the tuples up to there
	ids     []uint32         // scratch of numberBatch
	codes   []uint32
}

// vertexKey is what vertexKeys knows of the node in one slot.
type vertexKey struct {
	slot    int
	columns []int // those that read the node
	fns     []eval.Func
	late    lateColumn        // the column, if there is one
	unique  bool              // it has another value for each node, and those that have numbers came with their nodes
	codes   []uint32          // by node, and null behind them: 1 more than the number of its values; 0: not known yet
	single  eval.Dictionary   // of the values of one column
	byKey   map[string]uint32 // the number by the key of the values of several columns
	values  []value.Value     // of several columns, by number
	scratch []value.Value
	key     []byte
}

// Rows that must be expected for vertexKeys to pay: so many, and one for so many nodes.
var minKeyRows, nodesPerKeyRow = 8e3, 8.0

// newVertexKeys returns vertexKeys for columns whose values fns compute, ready for rows. It returns nil if they do not pay, or a column reads
// something else than one node.
func newVertexKeys(x *execution, exprs []lang.Expr, fns []eval.Func, input planner.Node, account *eval.Account) (*vertexKeys, error) {
	if input == nil || !payVertexKeys(x, input.Estimate()) {
		return nil, nil
	}
	k := planVertexKeys(x, exprs, fns, account)
	if k == nil {
		return nil, nil
	}
	if keys := newDistinctKeys(x, exprs, input); keys != nil {
		for i := range k.nodes {
			n := &k.nodes[i]
			n.unique = len(n.columns) == 1 && keys.differs(n.slot)
		}
	}
	return k, k.start()
}

// payVertexKeys reports whether so many rows are worth an array over all nodes.
func payVertexKeys(x *execution, rows float64) bool {
	return rows >= minKeyRows && rows*nodesPerKeyRow >= float64(x.s.N())
}

// planVertexKeys is newVertexKeys without the arrays: see start.
func planVertexKeys(x *execution, exprs []lang.Expr, fns []eval.Func, account *eval.Account) *vertexKeys {
	if x.depth > 0 || x.inBranch || x.lane || x.plan.Again != nil || x.plan.Brute || len(exprs) == 0 || !x.pattern.Uses(pattern.VertexKeys) {
		return nil
	}
	k := &vertexKeys{x: x, account: account}
	for i, e := range exprs {
		slot := nodeOf(x, e)
		if slot < 0 {
			return nil
		}
		at := slices.IndexFunc(k.nodes, func(n vertexKey) bool { return n.slot == slot })
		if at < 0 {
			at = len(k.nodes)
			k.nodes = append(k.nodes, vertexKey{slot: slot, single: eval.NewDictionary(account), byKey: map[string]uint32{}})
		}
		n := &k.nodes[at]
		n.columns, n.fns = append(n.columns, i), append(n.fns, fns[i])
	}
	for i := range k.nodes {
		if n := &k.nodes[i]; len(n.columns) == 1 {
			n.late = lateOf(x, exprs[n.columns[0]])
			n.late.memoise(x, exprs[n.columns[0]], n.fns[0], account)
		}
	}
	for range k.nodes[1:] {
		k.pairs = append(k.pairs, eval.NewPairTable(account))
	}
	return k
}

// start makes the arrays.
func (k *vertexKeys) start() error {
	k.x.pattern.Took(pattern.VertexKeys, 1)
	for i := range k.nodes {
		n := &k.nodes[i]
		if err := k.account.Charge(4 * int64(k.x.s.N()+1)); err != nil {
			return err
		}
		n.codes, n.scratch = k.x.codes.take(int(k.x.s.N()+1)), make([]value.Value, len(n.columns))
	}
	return nil
}

// codeArrays are arrays of codes by node. A unit leaves them to the next one, since new memory may cost more than the unit does.
type codeArrays struct{ used, free [][]uint32 }

// take returns an array of n zeros.
func (a *codeArrays) take(n int) (codes []uint32) {
	if k := len(a.free) - 1; k >= 0 {
		codes, a.free = a.free[k], a.free[:k]
		clear(codes)
	} else {
		codes = make([]uint32, n)
	}
	a.used = append(a.used, codes)
	return codes
}

// leave ends the use of all arrays.
func (a *codeArrays) leave() { a.used, a.free = nil, append(a.free, a.used...) }

func (k *vertexKeys) add(values []value.Value) (id uint32, fresh bool, err error) {
	for i := range k.nodes {
		n := &k.nodes[i]
		n.unique = false // codes does not know whose value this is
		for j, column := range n.columns {
			n.scratch[j] = values[column]
		}
		code, added, err := k.intern(n)
		if err != nil {
			return 0, false, err
		}
		if i == 0 {
			id, fresh = code-1, added
		} else if id, fresh, err = k.pairs[i-1].Put(id, code-1); err != nil {
			return 0, false, err
		}
	}
	return id, fresh, nil
}

// nodeOf returns the slot of the one node that e reads; -1 if e reads something else, or may give different values for one node.
func nodeOf(x *execution, e lang.Expr) int {
	slot := -1
	lang.Walk(e, func(e lang.Expr) bool {
		switch e := e.(type) {
		case *lang.Var:
			at := slices.IndexFunc(x.plan.Slots, func(s planner.Slot) bool { return s.Name == e.Name })
			if at < 0 || x.plan.Slots[at].Kind != planner.NodeSlot || slot >= 0 && slot != at {
				at = -2
			}
			if slot != -2 {
				slot = at
			}
		case *lang.Call:
			if slices.ContainsFunc(lang.Functions, func(f lang.Function) bool { return f.Volatile && strings.EqualFold(f.Name, e.Name) }) {
				slot = -2
			}
		}
		if x.plan.Subs[e] != nil {
			slot = -2
		}
		return slot != -2
	})
	return max(slot, -1)
}

// number returns the number of the current row's values, and whether no row before had them. Numbers rise from 0 in order of appearance.
func (k *vertexKeys) number() (id uint32, fresh bool, err error) {
	for i := range k.nodes {
		n := &k.nodes[i]
		at := len(n.codes) - 1
		if v := k.x.row[n.slot]; v.Kind() == value.Node {
			at = int(v.Node())
		}
		code := n.codes[at]
		added := false
		if code == 0 {
			if code, added, err = k.evaluate(n); err != nil {
				return 0, false, err
			}
			n.codes[at] = code
		}
		if i == 0 {
			id, fresh = code-1, added
		} else if id, fresh, err = k.pairs[i-1].Put(id, code-1); err != nil {
			return 0, false, err
		}
	}
	return id, fresh, nil
}

// numberBatch is number for n rows of the batch. Before an error, it numbers the rows of done.
func (k *vertexKeys) numberBatch(n int) (done []uint32, err error) {
	k.ids = slices.Grow(k.ids[:0], n)[:n]
	if n, err = k.nodes[0].codesOf(k, n, k.ids); len(k.nodes) == 1 {
		return k.ids[:n], err
	}
	k.codes = slices.Grow(k.codes[:0], n)[:n]
	for i := range k.pairs {
		some, failed := k.nodes[i+1].codesOf(k, n, k.codes)
		if failed != nil {
			n, err = some, failed
		}
		if failed := k.pairs[i].PutBatch(k.ids[:n], k.codes[:n]); failed != nil {
			return nil, failed
		}
	}
	return k.ids[:n], err
}

// codesOf writes the numbers of the node's values into codes, less 1, for n rows of the batch. Before an error, it does so for done rows.
func (n *vertexKey) codesOf(k *vertexKeys, rows int, codes []uint32) (done int, err error) {
	c := &k.x.columns[n.slot]
	var late Column
	plain := len(n.columns) == 1 && n.late.from >= 0
	if plain {
		late, plain = n.late.of(*c)
	}
	for i := range rows {
		at := len(n.codes) - 1
		if c.Kind == NodeColumn {
			at = int(c.Vertices[i])
		} else {
			k.x.load(i)
			if v := k.x.row[n.slot]; v.Kind() == value.Node {
				at = int(v.Node())
			}
		}
		code := n.codes[at]
		if code == 0 {
			switch {
			case plain && n.unique:
				code, err = n.single.Next(late.Value(k.x.s, i))
				code++
			case plain:
				code, err = n.single.Number(late.Value(k.x.s, i))
				code++
			default:
				code, err = k.evaluateRow(n, i)
			}
			if err != nil {
				return i, err
			}
			n.codes[at] = code
		}
		codes[i] = code - 1
	}
	return rows, nil
}

// evaluateRow computes the columns of the node in row i of the batch.
func (k *vertexKeys) evaluateRow(n *vertexKey, i int) (code uint32, err error) {
	if n.late.memo != nil {
		if v, ok := n.late.memo.at(k.x, i); ok {
			code, err = n.single.Number(v)
			return code + 1, err
		}
	}
	k.x.load(i)
	mark := k.x.input.Mark()
	code, _, err = k.evaluate(n)
	k.x.compiler.Settle(&k.x.input, mark)
	return code, err
}

// evaluate computes the columns of a node.
func (k *vertexKeys) evaluate(n *vertexKey) (code uint32, added bool, err error) {
	for i, fn := range n.fns {
		if n.scratch[i], err = fn(&k.x.input); err != nil {
			return 0, false, err
		}
	}
	return k.intern(n)
}

// intern returns the number of the values in n.scratch, and whether they are new.
func (k *vertexKeys) intern(n *vertexKey) (code uint32, added bool, err error) {
	if len(n.scratch) == 1 {
		before := n.single.Len()
		code, err = n.single.Number(n.scratch[0])
		return code + 1, int(code) == before, err
	}
	if n.key, err = eval.AppendKeys(k.account, n.key[:0], n.scratch); err != nil {
		return 0, false, err
	}
	code, known := n.byKey[string(n.key)]
	if known {
		return code, false, nil
	}
	bytes := int64(eval.EntryBytes + len(n.key))
	for _, v := range n.scratch {
		bytes += v.Bytes()
	}
	code = uint32(len(n.byKey)) + 1
	n.byKey[string(n.key)] = code
	n.values = append(n.values, n.scratch...)
	return code, true, k.account.Charge(bytes)
}

// set passes the value of each column of a number on.
func (k *vertexKeys) set(id uint32, set func(column int, v value.Value)) {
	for i := len(k.nodes) - 1; i >= 0; i-- {
		code := id
		if i > 0 {
			id, code = k.pairs[i-1].Pair(id)
		}
		n := &k.nodes[i]
		if len(n.columns) == 1 {
			set(n.columns[0], n.single.Value(code))
			continue
		}
		for j, column := range n.columns {
			set(column, n.values[int(code)*len(n.columns)+j])
		}
	}
}
