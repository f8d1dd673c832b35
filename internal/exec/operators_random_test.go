package exec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/testgraph"
	"github.com/motifql/motif/internal/value"
)

// TestOperatorsRandom compares grouping, DISTINCT and ORDER BY over batches of several sizes with loops over a table of rows: groups are
// found by comparing each row with each group, and numbers are added as rationals. MOTIF_QUERIES sets how many queries there are, MOTIF_SEED
// which is the first.
func TestOperatorsRandom(t *testing.T) {
	count, seed := uint64(1500), rand.Uint64()>>32
	if testing.Short() {
		count = 300
	}
	if n, err := strconv.ParseUint(os.Getenv("MOTIF_QUERIES"), 10, 64); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("MOTIF_SEED"), 10, 64); err == nil {
		seed = n
	}
	defer countKeysOfNodes()()
	defer hurryLanes()()
	failed, rows, numbered, lanes := 0, 0, uint64(0), 0
	for i := range count {
		rng := rand.New(rand.NewPCG(seed, i))
		g := newOperatorGraph(t, rng)
		q := g.query(rng)
		minKeyRows = []float64{-1, 1e18, 3}[rng.IntN(3)]
		want, wantErr := q.answer(g)
		if wantErr != nil {
			if failed++; q.limit == 0 { // nothing is computed
				continue
			}
		}
		rows += len(want)
		for _, size := range append([]int{0}, batchSizes...) {
			for _, device := range []pattern.Device{testgraph.Brute{}, onCPU{}} {
				inOrder := device == pattern.Device(testgraph.Brute{})
				if !inOrder && q.needsOrder {
					continue
				}
				laneDelay, singleRows = time.Duration(1e18), rng.IntN(3)
				if !q.needsOrder && rng.IntN(2) == 0 {
					laneDelay, maxLaneRows = 0, rng.IntN(8)
				}
				run := &query{s: g.s, device: device, batch: size, env: &pattern.Env{Workers: 1 + rng.IntN(2), Memory: new(pattern.Memory), Tally: new(pattern.Tally)}}
				var got []string
				err := run.each(t, q.text, func(row []value.Value) (bool, error) {
					got = append(got, q.show(row))
					return true, nil
				})
				if (err != nil) != (wantErr != nil) || err == nil && !slices.Equal(q.arranged(got), q.arranged(want)) {
					t.Fatalf("MOTIF_SEED=%d, query %d, batches of %d: %s\n got %q %v\nwant %q %v", seed, i, size, q.text, q.arranged(got), err, q.arranged(want), wantErr)
				}
				if used := run.env.Memory.Used(); used != 0 {
					t.Fatalf("MOTIF_SEED=%d, query %d: %s: %d bytes are still charged", seed, i, q.text, used)
				}
				lanes += run.lanes
				numbered += run.env.Tally.Taken[pattern.VertexKeys].Load()
			}
		}
	}
	t.Logf("MOTIF_SEED=%d: %d queries, %d fail, %d rows", seed, count, failed, rows)
	if count >= 300 && (failed < 5 || failed > int(count)/2 || rows < int(count) || numbered == 0 || lanes == 0) {
		t.Errorf("%d of %d queries fail, %d rows, %d operators number nodes, %d lanes: the test tests too little", failed, count, rows, numbered, lanes)
	}
}

// hurryLanes returns a function that puts the limits of lanes back.
func hurryLanes() func() {
	delay, rows, most, single := laneDelay, laneRows, maxLaneRows, singleRows
	return func() { laneDelay, laneRows, maxLaneRows, singleRows = delay, rows, most, single }
}

// countKeysOfNodes returns a function that puts the limits of vertexKeys back.
func countKeysOfNodes() func() {
	a, b := minKeyRows, nodesPerKeyRow
	nodesPerKeyRow = math.Inf(1)
	return func() { minKeyRows, nodesPerKeyRow = a, b }
}

// operatorGraph is a graph with properties of all kinds, and its rows: the nodes, or the relationships with their nodes.
type operatorGraph struct {
	s       *csr.Snapshot
	pattern string
	vars    []string // of the pattern
	rows    []map[string]value.Value
}

// newOperatorGraph draws a graph. Most properties have few kinds of values.
func newOperatorGraph(t testing.TB, rng *rand.Rand) *operatorGraph {
	b := csr.NewBuilder()
	n := 1 + rng.IntN(30)
	draw := [2][3]func() value.Value{}
	for i := range draw {
		for j := range draw[i] {
			if draw[i][j] = scalars(rng); j == 2 {
				draw[i][j] = numbers(rng)
			}
		}
	}
	keys := []csr.KeyID{b.Key("k"), b.Key("v"), b.Key("w")}
	fill := func(kind int, name string, row map[string]value.Value, set func(csr.KeyID, csr.Cell)) {
		for j, key := range keys {
			v := draw[kind][j]()
			if c, err := v.Cell(); err == nil {
				set(key, c)
			}
			row[name+"."+[]string{"k", "v", "w"}[j]] = v
		}
	}
	nodes := make([]map[string]value.Value, n)
	for i := range nodes {
		b.AddVertex()
		nodes[i] = map[string]value.Value{"id(n)": value.OfInt(int64(i))}
		fill(0, "n", nodes[i], func(k csr.KeyID, c csr.Cell) { b.SetVertex(uint32(i), k, c) })
	}
	g := &operatorGraph{pattern: "(n)", vars: []string{"n"}, rows: nodes}
	var edges []map[string]value.Value
	if rng.IntN(3) > 0 {
		for i := range rng.IntN(60) {
			u, v := rng.IntN(n), rng.IntN(n)
			at := b.AddEdge(uint32(u), uint32(v), b.Type("R"))
			b.SetEdge(at, b.Key("i"), csr.IntCell(int64(i)))
			row := map[string]value.Value{}
			fill(1, "r", row, func(k csr.KeyID, c csr.Cell) { b.SetEdge(at, k, c) })
			for name, x := range nodes[u] {
				row[name] = x
			}
			for name, x := range nodes[v] {
				row[strings.ReplaceAll(strings.ReplaceAll(name, "(n)", "(m)"), "n.", "m.")] = x
			}
			edges = append(edges, row)
		}
		g.pattern, g.vars = "(n)-[r]->(m)", []string{"n", "r", "m"}
	}
	var err error
	if g.s, _, err = b.Build(context.Background(), 1); err != nil {
		t.Fatal(err)
	}
	if len(g.vars) > 1 {
		g.rows = nil
		ids, err := (&query{s: g.s}).rows(t, "MATCH (n)-[r]->(m) RETURN id(r), r.i") // in the order of the device
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range ids {
			var id, i int
			if _, err := fmt.Sscanf(line, "%d | %d", &id, &i); err != nil {
				t.Fatal(err)
			}
			edges[i]["id(r)"] = value.OfInt(int64(id))
			g.rows = append(g.rows, edges[i])
		}
	}
	return g
}

// scalars returns a function that draws values: of one kind, of two kinds with nulls, or of any.
func scalars(rng *rand.Rand) func() value.Value {
	kinds := []func() value.Value{
		func() value.Value { return value.OfInt(int64(rng.IntN(7) - 3)) },
		func() value.Value {
			return value.OfInt([]int64{math.MaxInt64, math.MinInt64, 1<<53 + 1, 1 << 53, 1 << 40}[rng.IntN(5)])
		},
		func() value.Value {
			return value.OfFloat([]float64{0.5, 1, 2, -1.5, 0.1, 0.3, math.Copysign(0, -1), 0, 1 << 53}[rng.IntN(9)])
		},
		func() value.Value {
			return value.OfFloat([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e17, 1e308, -1e308, 0x1p-1074}[rng.IntN(7)])
		},
		func() value.Value {
			return value.OfString([]string{"", "a", "b", "1234567", "a string of more than a word"}[rng.IntN(5)])
		},
		func() value.Value { return value.OfBool(rng.IntN(2) == 0) },
		func() value.Value { return value.OfList([]value.Value{value.OfInt(int64(rng.IntN(2)))}) },
	}
	rng.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	n, nulls := []int{1, 1, 2, 2, len(kinds)}[rng.IntN(5)], rng.IntN(2) == 0
	return func() value.Value {
		if nulls && rng.IntN(4) == 0 {
			return value.Value{}
		}
		return kinds[rng.IntN(n)]()
	}
}

// numbers returns a function that draws numbers and nulls.
func numbers(rng *rand.Rand) func() value.Value {
	n := []int{4, 8, 9, 10}[rng.IntN(4)]
	return func() value.Value {
		switch i := rng.IntN(n); {
		case i == 8:
			return value.OfInt(math.MaxInt64)
		case i == 9:
			return value.OfInt(math.MinInt64)
		case i > 4:
			return value.OfFloat([]float64{0.5, 0.1, math.NaN(), -3}[rng.IntN(4)])
		case i > 0:
			return value.OfInt(int64(i) - 2)
		}
		return value.Value{}
	}
}

// naiveArithmetic computes a op b of numbers. It panics if the result is too large.
func naiveArithmetic(op string, a, b value.Value) value.Value {
	if a.IsNull() || b.IsNull() {
		return value.Value{}
	}
	if a.Kind() == value.Int && b.Kind() == value.Int {
		x, y := big.NewInt(a.Int()), big.NewInt(b.Int())
		switch n := new(big.Int); op {
		case "+":
			x = n.Add(x, y)
		case "-":
			x = n.Sub(x, y)
		default:
			x = n.Mul(x, y)
		}
		if !x.IsInt64() {
			panic(errTooLarge)
		}
		return value.OfInt(x.Int64())
	}
	float := func(v value.Value) float64 {
		if v.Kind() == value.Int {
			return float64(v.Int())
		}
		return v.Float()
	}
	switch x, y := float(a), float(b); op {
	case "+":
		return value.OfFloat(x + y)
	case "-":
		return value.OfFloat(x - y)
	default:
		return value.OfFloat(x * y)
	}
}

var errTooLarge = errors.New("too large")

// operatorExpr is an expression: its text and its value in a row.
type operatorExpr struct {
	text string
	of   func(row map[string]value.Value) value.Value
}

func (g *operatorGraph) expr(rng *rand.Rand) operatorExpr {
	x := g.vars[rng.IntN(len(g.vars))]
	name := x + "." + []string{"k", "v"}[rng.IntN(2)]
	get := func(name string) func(map[string]value.Value) value.Value {
		return func(row map[string]value.Value) value.Value { return row[name] }
	}
	switch rng.IntN(10) {
	case 9:
		op, other := []string{"+", "-", "*"}[rng.IntN(3)], g.vars[rng.IntN(len(g.vars))]+".w"
		if n := rng.IntN(6); n < 3 {
			return operatorExpr{fmt.Sprintf("%s.w %s %d", x, op, n), func(row map[string]value.Value) value.Value {
				return naiveArithmetic(op, row[x+".w"], value.OfInt(int64(n)))
			}}
		}
		return operatorExpr{fmt.Sprintf("%s.w %s %s", x, op, other), func(row map[string]value.Value) value.Value { return naiveArithmetic(op, row[x+".w"], row[other]) }}
	case 0:
		return operatorExpr{"id(" + x + ")", get("id(" + x + ")")}
	case 1:
		return operatorExpr{"[" + name + "]", func(row map[string]value.Value) value.Value { return value.OfList([]value.Value{row[name]}) }}
	case 2:
		return operatorExpr{"coalesce(" + name + ", 7)", func(row map[string]value.Value) value.Value {
			if row[name].IsNull() {
				return value.OfInt(7)
			}
			return row[name]
		}}
	case 3:
		return operatorExpr{x + ".none", get("none")}
	}
	return operatorExpr{name, get(name)}
}

// operatorQuery is a query over the rows of an operatorGraph.
type operatorQuery struct {
	text       string
	keys       []operatorExpr
	aggregates []operatorExpr // of "count", "sum" and so on in functions; the expression of a count(*) has no text
	functions  []string
	distinct   []bool // by aggregate
	filter     bool   // only rows whose id does not divide by 3
	dedupe     bool   // WITH DISTINCT of all expressions before grouping
	sort       []bool // by key: whether it falls; nil: no ORDER BY
	skip       int    // with a sort
	limit      int    // -1: none
	needsOrder bool   // the answer depends on the order of rows
	loose      []bool // by column: numbers that are equal are written alike
	id         string // what the filter reads
}

// query draws a query.
func (g *operatorGraph) query(rng *rand.Rand) *operatorQuery {
	q := &operatorQuery{limit: -1, id: "id(" + g.vars[len(g.vars)/2] + ")"}
	text := "MATCH " + g.pattern
	if q.filter = rng.IntN(3) == 0; q.filter {
		text += " WITH * WHERE " + q.id + " % 3 <> 0"
	}
	for range rng.IntN(4) {
		q.keys = append(q.keys, g.expr(rng))
	}
	kind := rng.IntN(4)
	if kind > 1 && len(q.keys) == 0 {
		q.keys = append(q.keys, g.expr(rng))
	}
	items := []string{}
	for i, k := range q.keys {
		items = append(items, fmt.Sprintf("%s AS k%d", k.text, i))
		q.loose = append(q.loose, true)
	}
	switch kind {
	case 0, 1:
		q.group(g, rng, &text, items)
	case 2:
		q.dedupe = true
		text += " RETURN DISTINCT " + strings.Join(items, ", ")
	default:
		text += " RETURN " + strings.Join(items, ", ")
	}
	if kind > 2 || len(q.functions) > 0 && len(q.keys) > 0 && rng.IntN(2) == 0 {
		text += " ORDER BY "
		for i := range q.keys {
			q.sort = append(q.sort, rng.IntN(2) == 0)
			text += fmt.Sprintf("k%d%s%s", i, map[bool]string{true: " DESC"}[q.sort[i]], map[bool]string{true: ", "}[i < len(q.keys)-1])
		}
		if rng.IntN(2) == 0 {
			q.skip, q.limit = rng.IntN(4), rng.IntN(20)
			text += fmt.Sprintf(" SKIP %d LIMIT %d", q.skip, q.limit)
		}
	}
	q.text = text
	return q
}

// group draws aggregates.
func (q *operatorQuery) group(g *operatorGraph, rng *rand.Rand, text *string, items []string) {
	if q.dedupe = rng.IntN(4) == 0; q.dedupe { // then the arguments are among what is distinct
		with := slices.Clone(items)
		for i := range items {
			items[i] = fmt.Sprintf("k%d", i)
		}
		x := g.expr(rng)
		*text += " WITH DISTINCT " + strings.Join(append(with, x.text+" AS x"), ", ")
		q.aggregates = append(q.aggregates, x)
	}
	for i := range 1 + rng.IntN(3) {
		x := g.expr(rng)
		if q.dedupe {
			x = operatorExpr{"x", q.aggregates[0].of}
		}
		f := []string{"count", "count(*)", "sum", "sum", "avg", "min", "max", "collect"}[rng.IntN(8)]
		if f == "count(*)" && !q.dedupe {
			x.of = func(map[string]value.Value) value.Value { return value.Value{} }
		}
		distinct := f != "count(*)" && rng.IntN(3) == 0
		item := f
		if f != "count(*)" {
			item = fmt.Sprintf("%s(%s%s)", f, map[bool]string{true: "DISTINCT "}[distinct], x.text)
		}
		items = append(items, fmt.Sprintf("%s AS a%d", item, i))
		if q.dedupe && i == 0 {
			q.aggregates[0] = x
		} else {
			q.aggregates = append(q.aggregates, x)
		}
		q.functions, q.distinct = append(q.functions, f), append(q.distinct, distinct)
		summed := f == "sum" || f == "avg"
		q.needsOrder = q.needsOrder || f == "collect" || summed && (distinct || q.dedupe) // 1 or 1.0 comes first
		q.loose = append(q.loose, !summed)
	}
	*text += " RETURN " + strings.Join(items, ", ")
}

// answer computes the rows by definition.
func (q *operatorQuery) answer(g *operatorGraph) (rows []string, err error) {
	defer func() {
		if r := recover(); r == errTooLarge {
			rows, err = nil, errTooLarge
		} else if r != nil {
			panic(r)
		}
	}()
	var tuples [][]value.Value
	for _, row := range g.rows {
		if q.filter && row[q.id].Int()%3 == 0 {
			continue
		}
		var tuple []value.Value
		for _, e := range slices.Concat(q.keys, q.aggregates) {
			tuple = append(tuple, e.of(row))
		}
		if q.dedupe && slices.ContainsFunc(tuples, func(other []value.Value) bool { return sameValues(other, tuple) }) {
			continue
		}
		tuples = append(tuples, tuple)
	}
	if len(q.functions) == 0 {
		return q.cut(tuples), nil
	}
	var groups [][][]value.Value
	if len(q.keys) == 0 {
		groups = append(groups, nil)
	}
	for _, tuple := range tuples {
		at := slices.IndexFunc(groups, func(of [][]value.Value) bool {
			return len(q.keys) == 0 || sameValues(of[0][:len(q.keys)], tuple[:len(q.keys)])
		})
		if at < 0 {
			at = len(groups)
			groups = append(groups, nil)
		}
		groups[at] = append(groups[at], tuple)
	}
	tuples = nil
	for _, of := range groups {
		row := []value.Value{}
		if len(q.keys) > 0 {
			row = append(row, of[0][:len(q.keys)]...)
		}
		for i, f := range q.functions {
			var column []value.Value
			for _, tuple := range of {
				column = append(column, tuple[len(q.keys)+i])
			}
			v, err := naiveAggregate(f, q.distinct[i], column)
			if err != nil {
				return nil, err
			}
			row = append(row, v)
		}
		tuples = append(tuples, row)
	}
	return q.cut(tuples), nil
}

// cut sorts rows as the query asks for, skips some, and writes as many as there may be.
func (q *operatorQuery) cut(tuples [][]value.Value) (rows []string) {
	if q.sort != nil {
		slices.SortStableFunc(tuples, func(a, b []value.Value) int {
			for i, falls := range q.sort {
				if c := value.Compare(a[i], b[i]); c != 0 {
					return map[bool]int{true: -c, false: c}[falls]
				}
			}
			return 0
		})
		tuples = tuples[min(q.skip, len(tuples)):]
		if q.limit >= 0 {
			tuples = tuples[:min(q.limit, len(tuples))]
		}
	}
	for _, tuple := range tuples {
		rows = append(rows, q.show(tuple))
	}
	return rows
}

func sameValues(a, b []value.Value) bool {
	return slices.EqualFunc(a, b, func(x, y value.Value) bool { return value.Compare(x, y) == 0 })
}

// naiveAggregate computes an aggregate of values.
func naiveAggregate(f string, distinct bool, vs []value.Value) (value.Value, error) {
	if f == "count(*)" {
		return value.OfInt(int64(len(vs))), nil
	}
	var kept []value.Value
	for _, v := range vs {
		if !v.IsNull() && !(distinct && slices.ContainsFunc(kept, func(k value.Value) bool { return value.Compare(k, v) == 0 })) {
			kept = append(kept, v)
		}
	}
	switch f {
	case "count":
		return value.OfInt(int64(len(kept))), nil
	case "collect":
		return value.OfList(kept), nil
	case "sum", "avg":
		return naiveSum(f, kept)
	}
	if len(kept) == 0 {
		return value.Value{}, nil
	}
	if f == "min" {
		return slices.MinFunc(kept, value.Compare), nil
	}
	return slices.MaxFunc(kept, value.Compare), nil
}

// naiveSum adds rationals.
func naiveSum(f string, vs []value.Value) (value.Value, error) {
	exact, special, floats := new(big.Rat), 0.0, false
	for _, v := range vs {
		switch {
		case v.Kind() == value.Int:
			exact.Add(exact, new(big.Rat).SetInt64(v.Int()))
		case v.Kind() != value.Float:
			return v, errors.New("no number")
		default:
			floats = true
			if x := v.Float(); math.IsNaN(x) || math.IsInf(x, 0) {
				special += x
			} else {
				exact.Add(exact, new(big.Rat).SetFloat64(x))
			}
		}
	}
	sum, _ := exact.Float64()
	switch {
	case f == "avg" && len(vs) == 0:
		return value.Value{}, nil
	case special != 0:
		return value.OfFloat(special), nil
	case f == "avg" && floats && !math.IsInf(sum, 0):
		return value.OfFloat(sum / float64(len(vs))), nil
	case f == "avg":
		mean, _ := exact.Quo(exact, new(big.Rat).SetInt64(int64(len(vs)))).Float64()
		return value.OfFloat(mean), nil
	case floats:
		return value.OfFloat(sum), nil
	case !exact.Num().IsInt64():
		return value.Value{}, errors.New("overflow")
	}
	return value.OfInt(exact.Num().Int64()), nil
}

func (q *operatorQuery) show(row []value.Value) string {
	cells := make([]string, len(row))
	for i, v := range row {
		if cells[i] = v.String(); q.loose[i] {
			cells[i] = naiveKey(v)
		}
	}
	return strings.Join(cells, " | ")
}

// arranged returns rows in an order for comparing: their own where the query asks for one.
func (q *operatorQuery) arranged(rows []string) []string {
	if q.sort != nil {
		return rows
	}
	return sorted(rows)
}
