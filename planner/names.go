package planner

import (
	"github.com/motifql/motif/internal/csr"
)

// Names lists the names of a graph for the checker of queries.
type Names struct{ Snapshot *csr.Snapshot }

// Labels lists the labels that nodes have or had.
func (n Names) Labels() []string { return n.Snapshot.Labels.Names() }

// Types lists the types that relationships have or had.
func (n Names) Types() []string { return n.Snapshot.Types.Names() }

// Keys lists the keys that properties have or had.
func (n Names) Keys() []string { return n.Snapshot.Keys.Names() }

// HasLabel tells whether nodes have or had a label.
func (n Names) HasLabel(name string) bool { return has(n.Snapshot.Labels, name) }

// HasType tells whether relationships have or had a type.
func (n Names) HasType(name string) bool { return has(n.Snapshot.Types, name) }

// HasKey tells whether properties have or had a key.
func (n Names) HasKey(name string) bool { return has(n.Snapshot.Keys, name) }

func has(d *csr.Dict, name string) bool {
	_, known := d.Lookup(name)
	return known
}
