package exec

import (
	"cmp"
	"context"
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

// Codes of errors that only writing statements meet.
const (
	codeConnected    = "ConstraintVerificationFailed.DeleteConnectedNode"
	codePropertyType = "TypeError.InvalidPropertyType"
	codeMergeNull    = "SemanticError.MergeReadOwnWrites"
	codeNoElement    = "TypeError.InvalidArgumentType"
	codeLimit        = "ResourceError.GraphLimit"
)

// ChangeCounts counts what a statement changed. Setting a property counts even if it had that value; removing one counts
// only if it existed.
type ChangeCounts struct {
	NodesCreated, NodesDeleted uint64
	RelsCreated, RelsDeleted   uint64
	PropertiesSet              uint64
	LabelsAdded, LabelsRemoved uint64

	IndexesAdded, IndexesRemoved         uint64
	ConstraintsAdded, ConstraintsRemoved uint64
}

// Target is what a statement writes to.
type Target struct {
	Draft *csr.Draft

	// Commit stores the changes of a batch and has the draft forget them. It is nil in a transaction that others end.
	Commit func(context.Context) error
}

// Write executes plan, which was made for the snapshot draft.Base(), and leaves its changes in to.Draft, but for those of batches that it
// commits. The plan reads nothing that has changed since that snapshot, see csr.Current. In all else Write is like Run. Profile.Changes counts the changes. Profile.Snapshot is
// the snapshot that the rows' nodes and relationships belong to, set before the first row.
func Write(ctx context.Context, plan *planner.Plan, to Target, d pattern.Device, env *pattern.Env,
	params map[string]value.Value, yield func(row []value.Value) (bool, error)) (*Profile, error) {
	draft := to.Draft
	x := newExecution(ctx, plan, draft.Base(), d, env, params)
	if csr.LostNodes(draft) || csr.LostRels(draft) {
		x.row = make([]value.Value, len(x.row)+stalePlaces(plan.Root))
		x.input.Row, x.compiler.Runtime.Row = x.row, x.row
	}
	x.writes = &writing{x: x, draft: draft, mark: csr.Mark(draft), began: len(draft.Changes()), commit: to.Commit, lostNodes: csr.LostNodes(draft), lostRels: csr.LostRels(draft)}
	x.writes.account = eval.NewAccount(x.pattern.Memory, "the transaction")
	x.writes.account.Unit = "changes"
	defer x.writes.account.Release()
	stats, err := x.run(plan, yield)
	if err == nil {
		err = x.writes.checkConstraints(x.writes.began)
	}
	stats.Changes, stats.Snapshot, stats.Plan = &x.writes.changes, x.s, x.plan
	return stats, Tell(err, x.writes.batches, x.writes.batchRows)
}

// writing holds what the stages of a writing statement share.
type writing struct {
	x         *execution
	draft     *csr.Draft
	changes   ChangeCounts
	account   *eval.Account               // for the draft
	charged   int64                       // bytes of the draft that are charged
	deadNodes map[csr.VertexID]csr.NodeID // deleted since the draft's base
	deadRels  map[csr.EdgeID]value.DeletedValue
	mark      int                         // the number of changes in the draft's base
	lookedUp  int64                       // bytes of the draft's lookups that are charged
	began     int                         // the number of changes before the statement
	commit    func(context.Context) error // of a batch; nil: batches are not committed
	batches   int                         // committed
	batchRows int                         // that they had
	lostNodes bool                        // some of these deleted nodes that x.s has
	lostRels  bool                        // likewise, relationships
	told      int                         // places of the row that dropStale has taken
	holders   []rowKeeper                 // the stages that hold rows now
}

// charge takes what the draft has grown by since the last call from the memory budget. It returns err, if there is one.
func (w *writing) charge(err error) error {
	n := w.draft.Bytes() - w.charged
	if err != nil || n == 0 {
		return err
	}
	w.charged += n
	w.account.Rows = uint64(len(w.draft.Changes()))
	return w.account.Charge(n)
}

// advance makes a snapshot of everything written so far, and renumbers the rows that are held.
func (w *writing) advance() error {
	x := w.x
	s, err := w.draft.Snapshot(x.ctx)
	if err != nil {
		return w.explain(err)
	}
	x.s, w.mark, w.lostNodes, w.lostRels = s, len(w.draft.Changes()), false, false
	r := &renumbering{remap: w.draft.Remap(), nodes: w.deadNodes, rels: w.deadRels}
	if r.remap.Same() && len(r.nodes) == 0 && len(r.rels) == 0 {
		return nil
	}
	w.deadNodes, w.deadRels = nil, nil
	for i, v := range x.row {
		x.row[i] = r.value(v)
	}
	for _, h := range w.holders {
		if err := h.renumber(r.value); err != nil {
			return err
		}
	}
	return nil
}

// rowKeeper is a stage that holds rows while others change the graph.
type rowKeeper interface {
	renumber(f func(value.Value) value.Value) error // passes the rows through f
	keep() (end func(undo bool))                    // has a later renumber work on a copy, until end; end(true) brings the rows back as they are now
}

// explain gives an error of a draft a code.
func (w *writing) explain(err error) error {
	var e *eval.Error
	switch {
	case err == nil, errors.As(err, &e), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, csr.ErrNotThere):
		return eval.Gone("a change")
	}
	return &eval.Error{Code: codeLimit, Msg: err.Error(), Err: err}
}

// renumbering translates elements in rows to the numbers of a new snapshot.
type renumbering struct {
	remap *csr.Remap
	nodes map[csr.VertexID]csr.NodeID
	rels  map[csr.EdgeID]value.DeletedValue
}

func (r *renumbering) value(v value.Value) value.Value {
	switch v.Kind() {
	case value.Node:
		return r.node(v.Node())
	case value.Rel:
		return r.rel(v.Rel())
	case value.List:
		return value.OfList(r.list(v.List()))
	case value.Map:
		m := v.Map()
		return value.OfMap(&value.MapValue{Keys: m.Keys, Values: r.list(m.Values)})
	case value.Path:
		return r.path(v.Path())
	}
	return v
}

func (r *renumbering) node(v csr.VertexID) value.Value {
	id, dead := r.nodes[v]
	if n, ok := r.remap.Vertex(v); ok && !dead {
		return value.OfNode(n)
	}
	return value.OfDeleted(value.DeletedValue{ID: uint64(id)})
}

func (r *renumbering) rel(e csr.EdgeID) value.Value {
	d, dead := r.rels[e]
	if n, ok := r.remap.Edge(e); ok && !dead {
		return value.OfRel(n)
	}
	d.Rel = true
	return value.OfDeleted(d)
}

func (r *renumbering) list(l []value.Value) []value.Value {
	out := make([]value.Value, len(l))
	for i, v := range l {
		out[i] = r.value(v)
	}
	return out
}

// path translates a path. A path that lost an element counts as deleted.
func (r *renumbering) path(p *value.PathValue) value.Value {
	out := &value.PathValue{Nodes: make([]csr.VertexID, len(p.Nodes)), Rels: make([]csr.EdgeID, len(p.Rels))}
	for i, v := range p.Nodes {
		n := r.node(v)
		if n.Kind() == value.Deleted {
			return n
		}
		out.Nodes[i] = n.Node()
	}
	for i, e := range p.Rels {
		n := r.rel(e)
		if n.Kind() == value.Deleted {
			return n
		}
		out.Rels[i] = n.Rel()
	}
	return value.OfPath(out)
}

// compiler returns a compiler for expressions of a writing clause, which read the draft. Call takeOver when it is done.
func (w *writing) compiler() *eval.Compiler {
	rt := *w.x.compiler.Runtime
	rt.Reader = drafted{w.draft}
	return w.x.compiler.On(&rt)
}

// takeOver marks as live the slots that closures of c read.
func (w *writing) takeOver(c *eval.Compiler) { maps.Copy(w.x.compiler.Live, c.Live) }

// drafted reads elements of a draft.
type drafted struct{ d *csr.Draft }

func (r drafted) NodeID(v csr.VertexID) csr.NodeID               { return r.d.NodeID(v) }
func (r drafted) RelID(e csr.EdgeID) csr.RelID                   { return r.d.RelID(e) }
func (r drafted) NodeByID(id csr.NodeID) (csr.VertexID, bool)    { return r.d.NodeByID(id) }
func (r drafted) TypeName(e csr.EdgeID) string                   { return r.d.RelType(e) }
func (r drafted) Endpoints(e csr.EdgeID) (from, to csr.VertexID) { return r.d.Endpoints(e) }

func (r drafted) Labels(v csr.VertexID) ([]string, error) {
	if !r.d.HasNode(v) {
		return nil, eval.Gone("the labels")
	}
	return r.d.Labels(v), nil
}

func (r drafted) NodeProp(v csr.VertexID, key string) (csr.Cell, error) {
	if !r.d.HasNode(v) {
		return csr.Cell{}, eval.Gone("the property " + key)
	}
	c, _ := r.d.NodeProp(v, key)
	return c, nil
}

func (r drafted) RelProp(e csr.EdgeID, key string) (csr.Cell, error) {
	if !r.d.HasRel(e) {
		return csr.Cell{}, eval.Gone("the property " + key)
	}
	c, _ := r.d.RelProp(e, key)
	return c, nil
}

func (r drafted) NodeProps(v csr.VertexID) ([]csr.Prop, error) {
	if !r.d.HasNode(v) {
		return nil, eval.Gone("the properties")
	}
	return r.d.NodeProps(v), nil
}

func (r drafted) RelProps(e csr.EdgeID) ([]csr.Prop, error) {
	if !r.d.HasRel(e) {
		return nil, eval.Gone("the properties")
	}
	return r.d.RelProps(e), nil
}

// cell returns v as the value of a property; null gives the zero Cell. The draft keeps the cell and is charged for it; before that
// there has to be room for it.
func (w *writing) cell(key string, v value.Value, pos lang.Pos) (csr.Cell, error) {
	if v.IsNull() {
		return csr.Cell{}, nil
	}
	if bad := unstorable(v); bad != "" {
		return csr.Cell{}, &eval.Error{Code: codePropertyType, Msg: fmt.Sprintf("the property %s cannot be %s", key, bad), Pos: pos,
			Hint: "properties are booleans, numbers, strings, dates and times, and lists of these"}
	}
	if v.Kind() == value.List {
		n := int64(value.EncodedBytes(v))
		err := w.account.Charge(n)
		if err = cmp.Or(err, w.account.Charge(-n)); err != nil {
			return csr.Cell{}, err
		}
	}
	c, err := v.Cell()
	if err != nil {
		return c, &eval.Error{Code: codePropertyType, Msg: fmt.Sprintf("the property %s cannot be stored: %v", key, err), Pos: pos}
	}
	return c, nil
}

// unstorable describes the part of v that no property can hold, "" if v can be one.
func unstorable(v value.Value) string {
	switch v.Kind() {
	case value.Map, value.Node, value.Rel, value.Path, value.Deleted:
		return eval.Describe(v)
	case value.List:
		if i := slices.IndexFunc(v.List(), func(e value.Value) bool { return unstorable(e) != "" }); i >= 0 {
			return "a list with " + unstorable(v.List()[i])
		}
	}
	return ""
}
