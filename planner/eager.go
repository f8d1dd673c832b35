package planner

import (
	"context"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/lang"
)

// eagerness is what the operators of a frame since the last Eager do with the graph.
type eagerness struct {
	reads, writes bool
	blind         bool // all that write do so blindly
}

// add puts the operator of a step on top, behind an Eager where the step must not see half of what is done below it, or below
// must not see what it does.
//
// What reads the graph stands on a snapshot, and a write would have to advance it. So reading and writing operators
// always have an Eager between them. Blind ones (CREATE) neither look for anything nor change what is there, and may follow
// each other.
func (f *frame) add(s step) {
	switch s := s.(type) {
	case *writeStep:
		f.fence(s.blind, s.looks, s.source)
	case *applyStep:
		if s.writes {
			f.fence(false, true, false)
		} else {
			f.advance()
		}
		f.eager.reads = true
	case *callStep:
		if s.proc.Writes {
			f.fence(false, true, false)
		} else {
			f.advance()
		}
		f.eager.reads = true
	case *unwindStep, *computeStep, filterStep:
		f.advance()
	default:
		f.advance()
		f.eager.reads = true
	}
	f.top = s.node(f.top)
}

// fence is for a step that writes, blindly or not; one that looks reads the graph for its expressions, too.
func (f *frame) fence(blind, looks, source bool) {
	switch {
	case looks || source:
		f.advance()
	case f.eager.writes && !(blind && f.eager.blind):
		f.hold(false)
	}
	if source {
		return
	}
	if f.eager.reads {
		f.hold(false)
	}
	f.eager.writes, f.eager.blind = true, blind
}

// advance has what follows see all that was written.
func (f *frame) advance() {
	if f.eager.writes {
		f.hold(true)
	}
}

func (f *frame) hold(advance bool) {
	f.eager = eagerness{}
	f.top = &Eager{Input: f.top, Advance: advance}
}

// Points lists the operators of a plan at which an execution may stop to have those above made anew: Eagers, Applies and
// Unions. Planned for another snapshot of the same graph, a statement has the same.
func (p *Plan) Points() (list []Node) {
	var visit func(n Node)
	visit = func(n Node) {
		switch n.(type) {
		case nil:
			return
		case *Eager, *Apply, *Union:
			list = append(list, n)
		}
		for _, in := range n.Inputs() {
			visit(in)
		}
	}
	visit(p.Root)
	return list
}

// again makes the function that plans a writing statement anew.
func again(stmt *lang.Statement, opt Options) func(context.Context, *csr.Snapshot) (*Plan, error) {
	if !stmt.Query.Writes() {
		return nil
	}
	return func(ctx context.Context, s *csr.Snapshot) (*Plan, error) { return New(ctx, stmt, s, opt) }
}
