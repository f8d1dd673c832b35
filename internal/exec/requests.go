package exec

import (
	"context"
	"errors"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Requests lists what an operator of a plan would ask of a device, as far as the plan tells: EXPLAIN shows where each would be
// answered. Nothing is asked.
func Requests(plan *planner.Plan, s *csr.Snapshot, n planner.Node) []*pattern.Request {
	switch n := n.(type) {
	case *planner.Match:
		return matchRequests(s, n)
	case *planner.Call:
		return callRequests(plan, s, n)
	}
	return nil
}

// matchRequests are the filter, and the cliques or the matches. Expected sizes stand in for the candidates.
func matchRequests(s *csr.Snapshot, m *planner.Match) []*pattern.Request {
	p := m.Pattern
	list := []*pattern.Request{{Kind: pattern.KindFilter, Snapshot: s, Pattern: p}}
	switch {
	case m.Clique != nil:
		r := &pattern.Request{Kind: pattern.KindCliqueList, Snapshot: s, Clique: &pattern.Clique{K: len(p.Vertices), Types: p.Edges[0].Types}}
		for _, group := range m.Clique.Groups {
			r.Clique.Sets, r.Clique.Sizes = append(r.Clique.Sets, nil), append(r.Clique.Sizes, len(group))
			if group[0] < len(m.EstSets) {
				r.Expected = append(r.Expected, m.EstSets[group[0]])
			}
		}
		switch {
		case m.Count:
			r.Kind = pattern.KindCliqueCount
		case m.CliquesByNode():
			r.Kind = pattern.KindCliquesPerVertex
		}
		return append(list, r)
	case len(p.Vertices) > 1:
		j := &pattern.Job{Snapshot: s, Pattern: p, Order: m.Order, Formula: m.Formula}
		r := &pattern.Request{Kind: pattern.KindMatch, Snapshot: s, Job: j, Expected: m.EstSets}
		if m.Count {
			r.Kind = pattern.KindCount
		}
		return append(list, r)
	}
	return list
}

// callRequests runs a procedure on a device that only notes what it is asked. Options that are not written out are missing, and
// so are the arguments.
func callRequests(plan *planner.Plan, s *csr.Snapshot, n *planner.Call) []*pattern.Request {
	run, places := procedures[n.Procedure.Name], min(n.Procedure.Places(), len(n.Args))
	if run == nil {
		return nil
	}
	d := new(recorder)
	x := newExecution(context.Background(), plan, s, d, new(pattern.Env), nil)
	c := &callStage{outlet: &outlet{x: x}, plan: n, env: x.pattern, slots: make([]int, len(n.Procedure.Columns)), recording: true}
	c.values = make([]value.Value, places)
	x.newAccount(n.Procedure.Name, c.outlet)
	for _, arg := range n.Args[places:] {
		m, ok := arg.(*lang.MapLit)
		if !ok {
			continue
		}
		for i, key := range m.Keys {
			f, err := x.compiler.Compile(m.Values[i])
			if err != nil || !f.Constant {
				continue
			}
			v, err := f.Fn(&x.input)
			if err != nil {
				continue
			}
			c.options = append(c.options, option{name: key.Text, pos: m.Values[i].Position(), value: v})
		}
	}
	_, _ = run(c)
	return d.asked
}

// recorder is a device that notes what it is asked, and answers nothing.
type recorder struct{ asked []*pattern.Request }

var errRecorded = errors.New("noted, not answered")

func (*recorder) Name() string { return "EXPLAIN" }

func (d *recorder) Answer(_ context.Context, r *pattern.Request, _ *pattern.Env) (pattern.Answer, error) {
	d.asked = append(d.asked, r)
	return pattern.Answer{}, errRecorded
}
