package exec

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
)

// projecting is a projection in the making. Its nodes are numbered in the order in which they come.
type projecting struct {
	c      *gdsCall
	b      *csr.Builder
	note   map[string]pattern.ProjectedBy
	at     []uint32       // by vertex of the stored graph: its number + 1; 0: it is not in the projection
	stored []csr.VertexID // by number
	origin []csr.RelID    // by relationship
	cypher bool           // its relationships are not stored ones
	mutual map[string]bool
	scores map[string][]float64 // by property and number
	whole  map[string]bool
}

// budget charges what a builder holds to the account of a call. Build charges from several goroutines, and an account is for one.
type budget struct {
	mu      sync.Mutex
	account *eval.Account
}

func (b *budget) Charge(n int64) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.account.Charge(n)
}

// newProjecting begins a projection. The others count, too: what a DB keeps is within the budget of the query that adds to it.
func (c *gdsCall) newProjecting() (*projecting, error) {
	if err := c.account.Charge(c.x.pattern.Projections.Bytes() + 4*int64(c.x.s.N())); err != nil {
		return nil, err
	}
	p := &projecting{c: c, b: csr.NewBuilder(), at: make([]uint32, c.x.s.N()), mutual: map[string]bool{},
		scores: map[string][]float64{}, whole: map[string]bool{}, note: map[string]pattern.ProjectedBy{}}
	p.b.SetBudget(&budget{account: c.account})
	return p, nil
}

// node adds a node of the stored graph, once, and a label.
func (p *projecting) node(v csr.VertexID, labels ...string) (uint32, error) {
	if p.at[v] == 0 {
		n := p.b.AddVertex()
		p.b.SetNodeID(n, p.c.x.s.NodeID(v))
		var err error
		if p.stored, err = eval.Append(p.c.account, p.stored, v); err != nil {
			return 0, err
		}
		p.at[v] = n + 1
	}
	n := p.at[v] - 1
	for _, l := range labels {
		if id := p.b.Label(l); !slices.Contains(p.b.LabelsOf(n), id) {
			p.b.SetLabels(n, append(slices.Clone(p.b.LabelsOf(n)), id)...)
		}
	}
	return n, p.b.Err()
}

// number gives node n a property, which is a number or null.
func (p *projecting) number(n uint32, key string, v value.Value) error {
	x := math.NaN()
	switch v.Kind() {
	case value.Null:
	case value.Int:
		x = float64(v.Int())
	case value.Float:
		x, p.whole[key] = v.Float(), false
	default:
		return &eval.Error{Code: eval.CodeArgumentType, Pos: p.c.plan.Pos, Msg: fmt.Sprintf("the property `%s` of a projection is a number, not %s", key, eval.Describe(v))}
	}
	if p.scores[key] == nil {
		p.scores[key] = []float64{}
		if v.Kind() != value.Float {
			p.whole[key] = true
		}
	}
	for len(p.scores[key]) <= int(n) {
		list, err := eval.Append(p.c.account, p.scores[key], math.NaN())
		if err != nil {
			return err
		}
		p.scores[key] = list
	}
	p.scores[key][n] = x
	return nil
}

// arrows are relationships of one type in the making.
type arrows struct {
	name     string
	src, dst []uint32
	origin   []csr.RelID
	keys     []string
	merge    []string    // by key: how values of parallel relationships become one
	values   [][]float64 // by key and relationship; NaN: none
	single   bool        // parallel relationships become one
}

// add adds a relationship.
func (a *arrows) add(h *eval.Account, src, dst uint32, origin csr.RelID, values []float64) (err error) {
	if a.src, err = eval.Append(h, a.src, src); err != nil {
		return err
	}
	if a.dst, err = eval.Append(h, a.dst, dst); err != nil {
		return err
	}
	if a.origin, err = eval.Append(h, a.origin, origin); err != nil {
		return err
	}
	for k, x := range values {
		if a.values[k], err = eval.Append(h, a.values[k], x); err != nil {
			return err
		}
	}
	return nil
}

// relationships adds a to the projection.
func (p *projecting) relationships(a *arrows) error {
	order := make([]int, len(a.src))
	if err := p.c.account.Charge(8 * int64(len(order))); err != nil {
		return err
	}
	for i := range order {
		order[i] = i
	}
	if a.single {
		slices.SortStableFunc(order, func(i, j int) int {
			if a.src[i] != a.src[j] {
				return int(a.src[i]) - int(a.src[j])
			}
			return int(a.dst[i]) - int(a.dst[j])
		})
	}
	t := p.b.Type(a.name)
	keys := make([]csr.KeyID, len(a.keys))
	for k, name := range a.keys {
		keys[k] = p.b.Key(name)
	}
	for lo, hi := 0, 0; lo < len(order); lo = hi {
		if lo%4096 == 0 && p.c.x.ctx.Err() != nil {
			return p.c.x.ctx.Err()
		}
		i := order[lo]
		for hi = lo + 1; a.single && hi < len(order) && a.src[order[hi]] == a.src[i] && a.dst[order[hi]] == a.dst[i]; hi++ {
		}
		e := p.b.AddEdge(a.src[i], a.dst[i], t)
		var err error
		if p.origin, err = eval.Append(p.c.account, p.origin, a.origin[i]); err != nil {
			return err
		}
		for k, key := range keys {
			if x := a.merged(k, order[lo:hi]); !math.IsNaN(x) {
				p.b.SetEdge(e, key, csr.Cell{Kind: csr.KindFloat, Num: math.Float64bits(x)})
			}
		}
		if err := p.b.Err(); err != nil {
			return err
		}
	}
	return nil
}

// merged is the value of key k of some parallel relationships.
func (a *arrows) merged(k int, of []int) float64 {
	x := a.values[k][of[0]]
	switch a.merge[k] {
	case "COUNT":
		return float64(len(of))
	case "SUM":
		for _, i := range of[1:] {
			x += a.values[k][i]
		}
	case "MIN":
		for _, i := range of[1:] {
			x = math.Min(x, a.values[k][i])
		}
	case "MAX":
		for _, i := range of[1:] {
			x = math.Max(x, a.values[k][i])
		}
	}
	return x
}

// done builds the projection.
func (p *projecting) done(name string) (*pattern.Projection, error) {
	s, _, err := p.b.Build(p.c.x.ctx, p.c.env.Workers)
	if err != nil {
		return nil, err
	}
	g := &pattern.Projection{Name: name, Snapshot: s, Origin: p.origin, Undirected: p.mutual, Scores: map[string][]float64{}, Whole: p.whole, Notes: p.note, Created: time.Now()}
	if p.cypher {
		g.Origin = nil
	}
	g.Bytes = int64(s.Bytes()) + 8*int64(len(g.Origin))
	for key, of := range p.scores {
		if err := p.c.account.Charge(8 * int64(s.N())); err != nil {
			return nil, err
		}
		list := slices.Repeat([]float64{math.NaN()}, int(s.N()))
		for n, x := range of {
			if v, ok := s.VertexByNodeID(p.c.x.s.NodeID(p.stored[n])); ok {
				list[v] = x
			}
		}
		g.Scores[key] = list
		g.Bytes += 8 * int64(len(list))
	}
	return g, nil
}

// part is the graph of some relationships of s, with the same vertices and ids of nodes.
func (c *gdsCall) part(s *csr.Snapshot, keep func(e csr.EdgeID) (bool, error)) (*csr.Snapshot, error) {
	b := c.copyOf(s)
	n := 0
	for e := range s.AllEdges() {
		if n++; n%4096 == 0 && c.x.ctx.Err() != nil {
			return nil, c.x.ctx.Err()
		}
		ok, err := keep(e)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		copyEdge(b, s, e)
	}
	t, _, err := b.Build(c.x.ctx, c.env.Workers)
	return t, err
}

// copyOf begins a graph with the vertices, types and keys of s.
func (c *gdsCall) copyOf(s *csr.Snapshot) *csr.Builder {
	b := csr.NewBuilder()
	b.SetBudget(&budget{account: c.account})
	for _, name := range s.Labels.Names() {
		b.Label(name)
	}
	for v := range csr.VertexID(s.N()) {
		b.SetNodeID(b.AddVertex(s.LabelsOf(v)...), s.NodeID(v))
	}
	for _, name := range s.Types.Names() {
		b.Type(name)
	}
	for _, name := range s.Keys.Names() {
		b.Key(name)
	}
	return b
}

// copyEdge adds a relationship of s, whose vertices, types and keys have the same numbers in b.
func copyEdge(b *csr.Builder, s *csr.Snapshot, e csr.EdgeID) {
	from, to := s.Endpoints(e)
	i := b.AddEdge(uint32(from), uint32(to), s.TypeOf(e))
	b.SetRelID(i, s.RelID(e))
	for k := range s.Keys.Len() {
		if cell, ok := s.EdgeProp(e, csr.KeyID(k)); ok {
			b.SetEdge(i, csr.KeyID(k), cell)
		}
	}
}
