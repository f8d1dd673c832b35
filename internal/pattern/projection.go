package pattern

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/motifql/motif/internal/csr"
)

// Projection is a graph that a query made of a part of the stored graph, or of rows of queries. It is a snapshot of its own: later
// changes of the stored graph do not reach it. Nobody changes a projection; a query that adds to one puts another in its place.
type Projection struct {
	Name       string
	Snapshot   *csr.Snapshot          // the ids of its nodes are those of the stored nodes
	Origin     []csr.RelID            // by id of its relationships, the stored relationship; nil: its relationships are not stored
	Undirected map[string]bool        // types of which each relationship is there in both directions
	Scores     map[string][]float64   // by property and vertex: what algorithms have added; NaN: nothing
	Whole      map[string]bool        // the properties in Scores that are integers
	Notes      map[string]ProjectedBy // by "nodes" and "relationships"
	Created    time.Time
	Bytes      int64 // about what it holds
}

// ProjectedBy says how a query asked for the nodes or the relationships of a projection: by a text, or by names.
type ProjectedBy struct {
	Query string
	Names []string
}

// Projections are the projections of a DB by name. It is safe for concurrent use. A nil *Projections holds none and keeps none.
type Projections struct {
	mu     sync.RWMutex
	byName map[string]*Projection
}

// Find returns the projection of a name, nil if there is none.
func (p *Projections) Find(name string) *Projection {
	if p == nil {
		return nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byName[name]
}

// Put keeps g in place of old, which is nil for a name that must be new. It reports false if that is no longer so.
func (p *Projections) Put(g, old *Projection) bool {
	if p == nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.byName[g.Name] != old {
		return false
	}
	if p.byName == nil {
		p.byName = map[string]*Projection{}
	}
	p.byName[g.Name] = g
	return true
}

// Drop removes the projection of a name and returns it, nil if there was none.
func (p *Projections) Drop(name string) *Projection {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	g := p.byName[name]
	delete(p.byName, name)
	return g
}

// List returns the projections by name.
func (p *Projections) List() (list []*Projection) {
	if p == nil {
		return nil
	}
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, name := range slices.Sorted(maps.Keys(p.byName)) {
		list = append(list, p.byName[name])
	}
	return list
}

// Bytes returns what all projections hold.
func (p *Projections) Bytes() (n int64) {
	for _, g := range p.List() {
		n += g.Bytes
	}
	return n
}
