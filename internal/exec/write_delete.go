package exec

import (
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// deleteStage is DELETE and DETACH DELETE. Relationships go at once. Nodes wait for the last row, because a later row may
// delete their relationships.
type deleteStage struct {
	*outlet
	plan      *planner.Delete
	fns       []eval.Func
	victims   []victim
	victimSet map[csr.VertexID]bool
}

// victim is a node to delete, and the expression that names it.
type victim struct {
	v   csr.VertexID
	pos lang.Pos
}

// victimBytes is roughly what a node to delete takes.
const victimBytes = 64

func (x *execution) newDelete(n *planner.Delete, out *outlet) (stage, error) {
	c := x.writes.compiler()
	fns, _, err := c.CompileAll(n.Exprs)
	x.writes.takeOver(c)
	x.newAccount("DELETE", out)
	return &deleteStage{outlet: out, plan: n, fns: fns, victimSet: map[csr.VertexID]bool{}}, err
}

func (d *deleteStage) push(mult uint64) (bool, error) {
	for i, fn := range d.fns {
		v, err := fn(&d.x.input)
		if err == nil {
			err = d.delete(v, d.plan.Exprs[i].Position())
		}
		if err != nil {
			return false, eval.At(d.plan.Exprs[i].Position(), d.x.writes.explain(err))
		}
	}
	return d.emitSampled(mult)
}

func (d *deleteStage) delete(v value.Value, pos lang.Pos) error {
	w := d.x.writes
	switch v.Kind() {
	case value.Null, value.Deleted:
		return nil
	case value.Node:
		return d.node(v.Node(), pos)
	case value.Rel:
		return w.deleteRel(v.Rel())
	case value.Path:
		for _, e := range v.Path().Rels {
			if err := w.deleteRel(e); err != nil {
				return err
			}
		}
		for _, n := range v.Path().Nodes {
			if err := d.node(n, pos); err != nil {
				return err
			}
		}
		return nil
	}
	return eval.Errorf(codeNoElement, "nodes, relationships and paths can be deleted, %s cannot", eval.Describe(v))
}

func (d *deleteStage) node(v csr.VertexID, pos lang.Pos) error {
	w := d.x.writes
	if d.plan.Detach {
		return w.detachDelete(v)
	}
	if !d.victimSet[v] && w.draft.HasNode(v) {
		d.victimSet[v] = true
		d.victims = append(d.victims, victim{v, pos})
		d.account.Rows++
		return d.account.Charge(victimBytes)
	}
	return nil
}

func (w *writing) detachDelete(v csr.VertexID) error {
	if !w.draft.HasNode(v) {
		return nil
	}
	for _, e := range w.draft.Rels(nil, v, csr.Both, nil) {
		if err := w.deleteRel(e); err != nil {
			return err
		}
	}
	return w.deleteNode(v)
}

func (w *writing) deleteNode(v csr.VertexID) error {
	id := w.draft.NodeID(v)
	if err := w.draft.DeleteNode(v); err != nil {
		return err
	}
	if w.deadNodes == nil {
		w.deadNodes = make(map[csr.VertexID]csr.NodeID)
	}
	w.deadNodes[v] = id
	w.changes.NodesDeleted++
	return w.charge(nil)
}

func (w *writing) deleteRel(e csr.EdgeID) error {
	if !w.draft.HasRel(e) {
		return nil
	}
	if w.deadRels == nil {
		w.deadRels = make(map[csr.EdgeID]value.DeletedValue)
	}
	w.deadRels[e] = value.DeletedValue{Rel: true, ID: uint64(w.draft.RelID(e)), Type: w.draft.RelType(e)}
	w.changes.RelsDeleted++
	return w.charge(w.draft.DeleteRel(e))
}

func (d *deleteStage) flush() (bool, error) {
	w := d.x.writes
	for i, n := range d.victims {
		if i%1024 == 0 && d.x.ctx.Err() != nil {
			return false, d.x.ctx.Err()
		}
		if !w.draft.HasNode(n.v) {
			continue
		}
		err := w.deleteNode(n.v)
		if errors.Is(err, csr.ErrHasRels) {
			left := w.draft.Degree(n.v, csr.Both)
			return false, &eval.Error{Code: codeConnected, Pos: n.pos, Hint: "delete them too, or use DETACH DELETE",
				Msg: fmt.Sprintf("node %d cannot be deleted: it still has %d relationship%s", w.draft.NodeID(n.v), left, plural(left))}
		}
		if err != nil {
			return false, eval.At(n.pos, w.explain(err))
		}
	}
	d.victims, d.victimSet = nil, map[csr.VertexID]bool{}
	d.account.Release()
	return d.outlet.flush()
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
