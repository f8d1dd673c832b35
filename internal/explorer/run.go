package explorer

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/motifql/motif"
)

// runIn is a query of the page.
type runIn struct {
	Text   string         `json:"text"`
	Params map[string]any `json:"params"`
	Match  bool           `json:"match"` // give the elements of the pattern for each row
}

// params returns the parameters as values of the language: whole numbers as integers.
func (in *runIn) params() motif.Params {
	out := motif.Params{}
	for k, v := range in.Params {
		out[k] = number(v)
	}
	return out
}

// number replaces the numbers in a value of JSON.
func number(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = number(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = number(v[k])
		}
	}
	return v
}

// flushEvery is how long a row waits for others.
const flushEvery = 50 * time.Millisecond

// run runs a query and streams its answer as JSON Lines.
func (s *server) run(w http.ResponseWriter, r *http.Request) {
	in := new(runIn)
	if err := read(w, r, in); err != nil {
		fail(w, failureOf("", err))
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	out := &stream{w: w, flusher: http.NewResponseController(w), nodes: map[uint64]bool{}, rels: map[uint64]bool{}}
	sum, err := s.stream(r.Context(), in, out)
	if err == nil || sum.Limit != nil {
		out.line(map[string]any{"type": "end", "summary": sum})
		return
	}
	out.line(map[string]any{"type": "error", "error": failureOf(in.Text, err), "summary": sum})
}

// stream runs a query and writes its rows.
func (s *server) stream(ctx context.Context, in *runIn, out *stream) (sum *summary, err error) {
	sum = summaryOf(motif.Summary{}, nil)
	script, err := s.allowed(ctx, in.Text, s.opt.Write)
	if err != nil {
		return sum, err
	}
	end, err := s.begin()
	if err != nil {
		return sum, err
	}
	defer end()
	if script.Statements[0].Writes() {
		defer s.helper.Forget()
	}
	params, opts := in.params(), s.limits(motif.WithMaxRows(s.opt.Rows), motif.WithProfile())
	b := &bindings{text: in.Text}
	if in.Match {
		b = s.bind(ctx, in.Text)
	}
	rows, err := s.db.Query(ctx, b.text, params, opts...)
	if err != nil && b.pattern != nil { // the mistake has a place in the text that was typed
		b = &bindings{text: in.Text}
		rows, err = s.db.Query(ctx, b.text, params, opts...)
	}
	if err != nil {
		sum.Limit = s.limitOf(err)
		return sum, err
	}
	defer rows.Close()
	head := map[string]any{"type": "columns", "columns": append([]string{}, b.visible(rows.Columns())...), "pattern": b.pattern}
	if b.reason != "" {
		head["reason"] = b.reason
	}
	out.line(head)
	stop := out.flushRegularly()
	for row, rowErr := range rows.All() {
		if err = rowErr; err == nil {
			err = out.row(row, b)
		}
		if err != nil {
			break
		}
	}
	stop()
	rows.Close()
	sum = summaryOf(rows.Summary(), s.limitOf(err))
	b.hide(sum.Plan)
	return sum, errors.Join(err, out.flush())
}

// stream writes lines of JSON. Its methods may be called at the same time.
type stream struct {
	w           http.ResponseWriter
	flusher     *http.ResponseController
	mu          sync.Mutex
	nodes, rels map[uint64]bool // that were sent; a node that only its id was sent of is false
	newNodes    []byte          // elements that wait, each behind a comma
	newRels     []byte
	rows        []byte // that wait, each behind a comma
	err         error  // of w
}

// line writes a line.
func (o *stream) line(v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte(`{"type":"error","error":{"message":"the answer has no JSON"}}`)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
	o.write(append(data, '\n'))
	o.push()
}

func (o *stream) write(data []byte) {
	if o.err == nil {
		_, o.err = o.w.Write(data)
	}
}

// push passes on what was written to the page.
func (o *stream) push() {
	if err := o.flusher.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) && o.err == nil {
		o.err = err
	}
}

// flushRegularly passes on waiting rows until the returned function is called.
func (o *stream) flushRegularly() (stop func()) {
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(flushEvery)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				_ = o.flush() // the next row reports the error
			}
		}
	}()
	return func() {
		close(quit)
		<-gone
	}
}

// flush passes on waiting rows, their elements first.
func (o *stream) flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.flushLocked()
	o.push()
	return o.err
}

func (o *stream) flushLocked() {
	if len(o.newNodes)+len(o.newRels) > 0 {
		o.write([]byte(`{"type":"elements","nodes":[`))
		o.write(tail(o.newNodes))
		o.write([]byte(`],"relationships":[`))
		o.write(tail(o.newRels))
		o.write([]byte("]}\n"))
	}
	if len(o.rows) > 0 {
		o.write([]byte(`{"type":"rows","rows":[`))
		o.write(tail(o.rows))
		o.write([]byte("]}\n"))
	}
	o.newNodes, o.newRels, o.rows = o.newNodes[:0], o.newRels[:0], o.rows[:0]
}

// tail returns a list without the comma before its first entry.
func tail(list []byte) []byte { return list[min(1, len(list)):] }

// largeBatch is how many bytes of rows are passed on at once.
const largeBatch = 1 << 16

// row adds a row.
func (o *stream) row(row motif.Row, b *bindings) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var nodes, rels []uint64
	o.rows = append(o.rows, `,{"values":[`...)
	for k, i := range b.columns(row.Len()) {
		if k > 0 {
			o.rows = append(o.rows, ',')
		}
		o.rows = row.AppendJSON(o.rows, i)
		nodes, rels = o.cell(row, i, nodes, rels)
	}
	o.rows = appendIDs(append(o.rows, `],"nodes":`...), unique(nodes))
	o.rows = appendIDs(append(o.rows, `,"relationships":`...), unique(rels))
	if b.pattern != nil {
		o.rows = append(o.rows, `,"match":{"nodes":`...)
		o.rows = o.bound(append(o.rows, '['), row, b.nodes)
		o.rows = o.bound(append(o.rows, `],"relationships":[`...), row, b.edges)
		o.rows = append(o.rows, "]}"...)
	}
	o.rows = append(o.rows, '}')
	if len(o.rows)+len(o.newNodes)+len(o.newRels) > largeBatch {
		o.flushLocked()
		o.push()
	}
	return o.err
}

// bound appends the ids that columns hold: an id, a list of ids, or null.
func (o *stream) bound(b []byte, row motif.Row, columns []int) []byte {
	for k, i := range columns {
		if k > 0 {
			b = append(b, ',')
		}
		nodes, rels := o.cell(row, i, nil, nil)
		switch row.Kind(i) {
		case motif.KindNode:
			b = strconv.AppendUint(b, nodes[0], 10)
		case motif.KindRelationship:
			b = strconv.AppendUint(b, rels[0], 10)
		case motif.KindList:
			b = appendIDs(b, rels)
		default:
			b = append(b, "null"...)
		}
	}
	return b
}

func appendIDs(b []byte, ids []uint64) []byte {
	b = append(b, '[')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendUint(b, id, 10)
	}
	return append(b, ']')
}

// cell adds the ids of the elements that a column holds. It takes the elements that the page does not know.
func (o *stream) cell(row motif.Row, i int, nodes, rels []uint64) (_, _ []uint64) {
	switch row.Kind(i) {
	case motif.KindNode:
		id, _ := row.NodeID(i)
		if o.nodes[id] {
			return append(nodes, id), rels
		}
	case motif.KindRelationship:
		id, _ := row.RelationshipID(i)
		if o.rels[id] {
			return nodes, append(rels, id)
		}
	case motif.KindList, motif.KindMap, motif.KindPath:
	default:
		return nodes, rels
	}
	return o.value(row.At(i), nodes, rels)
}

// unique drops the ids that a list has had before.
func unique(list []uint64) []uint64 {
	if len(list) < 2 {
		return list
	}
	seen := make(map[uint64]bool, len(list))
	return slices.DeleteFunc(list, func(id uint64) bool {
		had := seen[id]
		seen[id] = true
		return had
	})
}

// value adds the elements of a value.
func (o *stream) value(v any, nodes, rels []uint64) (_, _ []uint64) {
	switch v := v.(type) {
	case motif.Node:
		o.node(v)
		return append(nodes, v.ID), rels
	case motif.Relationship:
		o.relationship(v)
		return nodes, append(rels, v.ID)
	case motif.Path:
		for _, n := range v.Nodes {
			nodes, rels = o.value(n, nodes, rels)
		}
		for _, r := range v.Relationships {
			nodes, rels = o.value(r, nodes, rels)
		}
	case []any:
		for _, x := range v {
			nodes, rels = o.value(x, nodes, rels)
		}
	case map[string]any:
		for _, x := range v {
			nodes, rels = o.value(x, nodes, rels)
		}
	}
	return nodes, rels
}

func (o *stream) node(n motif.Node) {
	if !o.nodes[n.ID] {
		o.nodes[n.ID] = true
		o.newNodes = motif.AppendJSON(append(o.newNodes, ','), n)
	}
}

func (o *stream) relationship(r motif.Relationship) {
	if o.rels[r.ID] {
		return
	}
	o.rels[r.ID] = true
	o.newRels = motif.AppendJSON(append(o.newRels, ','), r)
	for _, id := range []uint64{r.Start, r.End} {
		if _, ok := o.nodes[id]; !ok {
			o.nodes[id] = false
			o.newNodes = append(strconv.AppendUint(append(o.newNodes, `,{"id":`...), id, 10), `,"bare":true}`...)
		}
	}
}
