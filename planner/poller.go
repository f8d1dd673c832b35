package planner

import "context"

// poller ends a planning whose context has ended.
type poller struct {
	ctx   context.Context
	polls int
}

// pollEvery is after how many calls poll looks at the context.
const pollEvery = 64

// ended is what poll panics with; New recovers it.
type ended struct{ err error }

// poll leaves New if the context has ended.
func (p *poller) poll() {
	if p.polls++; p.polls%pollEvery == 0 && p.ctx.Err() != nil {
		panic(ended{p.ctx.Err()})
	}
}
