package exec

import (
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/planner"
)

// foreachStage runs writing operators for each element of a list.
type foreachStage struct {
	*outlet
	plan *planner.Foreach
	list eval.Loop
	body stage
}

func (x *execution) newForeach(n *planner.Foreach, out *outlet) (stage, error) {
	f := &foreachStage{outlet: out, plan: n, body: discard{}}
	for node := n.Body; node != nil; {
		st, err := x.writingStage(node, &outlet{x: x, node: node, next: f.body})
		if err != nil {
			return nil, err
		}
		f.body = st
		inputs := node.Inputs()
		if len(inputs) == 0 {
			break
		}
		node = inputs[0]
	}
	delete(x.compiler.Live, n.Slot)
	c := x.writes.compiler()
	var err error
	f.list, err = c.Loop(n.List)
	x.writes.takeOver(c)
	return f, err
}

func (f *foreachStage) push(mult uint64) (bool, error) {
	for range mult {
		if err := f.run(); err != nil {
			return false, err
		}
		if more, err := f.emitSampled(1); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

func (f *foreachStage) run() error {
	v, of, err := f.list(&f.x.input)
	if err != nil || v.IsNull() {
		return err
	}
	mark := f.x.input.Mark()
	for i := range of.Len() {
		if i%64 == 63 && f.x.ctx.Err() != nil {
			return f.x.ctx.Err()
		}
		f.x.row[f.plan.Slot] = of.At(i)
		if _, err := f.body.push(1); err != nil {
			return err
		}
		f.x.compiler.Settle(&f.x.input, mark)
	}
	return nil
}

func (f *foreachStage) flush() (bool, error) {
	if _, err := f.body.flush(); err != nil {
		return false, err
	}
	return f.outlet.flush()
}
