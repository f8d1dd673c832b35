package exec

import (
	"time"

	"github.com/motifql/motif/internal/pattern"
)

// LIMIT often wants a few matches of many. To find them, a search of a moment needs no candidate sets, which cost a look at every node, and no views
// of all relationships. It walks from the first nodes that have the right labels. If it does not find enough soon, nothing has gone up: the filter
// runs, and the device searches.

// mostEarly is how many matches LIMIT lets through at most for this, and mostEarlyTime how long it may take. More than mostEarlyRows nodes
// that need no test come faster in batches.
const (
	mostEarly     = 4096
	mostEarlyRows = 256
	mostEarlyTime = 200 * time.Millisecond
)

// early finds and emits the matches for the only row of m before anything is filtered. If done is false, they have to be found in another way.
func early(m *matchStage, mult uint64) (done, more bool, err error) {
	wanted := fewWanted(m, mostEarly)
	if wanted == 0 || !mayBeEarly(m) {
		return false, true, nil
	}
	p := m.job.Pattern
	if len(p.Edges)+len(p.Predicates) == 0 && wanted > mostEarlyRows {
		return false, true, nil
	}
	cands := &pattern.Candidates{Sets: make([]*pattern.CandidateSet, len(p.Vertices))}
	sizes := make([]int, len(p.Vertices))
	for u := range p.Vertices {
		cands.Sets[u] = pattern.Admitted(m.x.s, p.Vertices[u].Labels)
		sizes[u] = cands.Sets[u].Len()
	}
	cands.Tiers = []pattern.Tier{{Name: "label", Sizes: sizes}}
	for i := range p.Predicates {
		if _, single := p.Predicates[i].Single(); single {
			cands.Deferred = append(cands.Deferred, i)
		}
	}
	m.job.Candidates, m.job.Order = cands, m.plan.Order
	held := &heldMatches{most: wanted, steps: mostSmallSteps + 4*wanted, blocks: mostEarlyBlocks, until: time.Now().Add(mostEarlyTime)}
	q, err := planAnchored(m, held)
	if err != nil || q == nil {
		return false, true, err
	}
	held.before = q.decoded()
	if done, more, err = q.small(mult); done {
		m.profile.Tiers, m.profile.Sizes, m.profile.Order = cands.Tiers, sizes, m.job.Order
	}
	return done, more, err
}

// mayBeEarly reports whether a search may walk from any nodes with the right labels: nothing but LIMIT says how many matches there are, and the rows
// of the graph can be decoded one by one, or none are needed.
func mayBeEarly(m *matchStage) bool {
	p := m.job.Pattern
	if m.inner || m.plan.Optional || m.plan.Count || m.lanes != nil || m.x.division != nil || m.x.plan.Brute || len(m.plan.Seeks) > 0 ||
		len(m.plan.Order.Steps) == 0 || m.env.Order != pattern.OrderAuto || m.env.Filter != pattern.FilterAuto || !m.env.Uses(pattern.RowProbe) {
		return false
	}
	for u := range p.Vertices {
		if p.Vertices[u].Bound {
			return false
		}
	}
	for e := range p.Edges {
		if p.Edges[e].Bound {
			return false
		}
	}
	return rowsApart(m)
}
