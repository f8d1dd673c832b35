package motif

import (
	"fmt"

	"github.com/motifql/motif/internal/exec"
)

// Changes counts what a statement has changed. A property that is set counts whatever value it had; one that is removed
// counts if it was there.
type Changes struct {
	NodesCreated, NodesDeleted                 uint64
	RelationshipsCreated, RelationshipsDeleted uint64
	PropertiesSet                              uint64
	LabelsAdded, LabelsRemoved                 uint64
	IndexesAdded, IndexesRemoved               uint64
	ConstraintsAdded, ConstraintsRemoved       uint64
}

// Add adds what another statement has changed.
func (c *Changes) Add(o Changes) {
	for _, f := range [...][2]*uint64{{&c.NodesCreated, &o.NodesCreated}, {&c.NodesDeleted, &o.NodesDeleted},
		{&c.RelationshipsCreated, &o.RelationshipsCreated}, {&c.RelationshipsDeleted, &o.RelationshipsDeleted},
		{&c.PropertiesSet, &o.PropertiesSet}, {&c.LabelsAdded, &o.LabelsAdded}, {&c.LabelsRemoved, &o.LabelsRemoved},
		{&c.IndexesAdded, &o.IndexesAdded}, {&c.IndexesRemoved, &o.IndexesRemoved},
		{&c.ConstraintsAdded, &o.ConstraintsAdded}, {&c.ConstraintsRemoved, &o.ConstraintsRemoved}} {
		*f[0] += *f[1]
	}
}

// Any reports whether anything was changed.
func (c Changes) Any() bool { return c != Changes{} }

// String lists what was changed, such as "2 nodes created, 1 property set"; "no changes" if nothing was.
func (c Changes) String() string {
	text := ""
	for _, part := range []struct {
		n         uint64
		one, many string
		what      string
	}{
		{c.NodesCreated, "node", "nodes", "created"}, {c.NodesDeleted, "node", "nodes", "deleted"},
		{c.RelationshipsCreated, "relationship", "relationships", "created"},
		{c.RelationshipsDeleted, "relationship", "relationships", "deleted"},
		{c.PropertiesSet, "property", "properties", "set"},
		{c.LabelsAdded, "label", "labels", "added"}, {c.LabelsRemoved, "label", "labels", "removed"},
		{c.IndexesAdded, "index", "indexes", "created"}, {c.IndexesRemoved, "index", "indexes", "dropped"},
		{c.ConstraintsAdded, "constraint", "constraints", "created"}, {c.ConstraintsRemoved, "constraint", "constraints", "dropped"},
	} {
		if part.n == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		name := part.many
		if part.n == 1 {
			name = part.one
		}
		text += fmt.Sprintf("%d %s %s", part.n, name, part.what)
	}
	if text == "" {
		return "no changes"
	}
	return text
}

func changesOf(c *exec.Changes) Changes {
	if c == nil {
		return Changes{}
	}
	return Changes{NodesCreated: c.NodesCreated, NodesDeleted: c.NodesDeleted, RelationshipsCreated: c.RelsCreated,
		RelationshipsDeleted: c.RelsDeleted, PropertiesSet: c.PropertiesSet, LabelsAdded: c.LabelsAdded, LabelsRemoved: c.LabelsRemoved,
		IndexesAdded: c.IndexesAdded, IndexesRemoved: c.IndexesRemoved, ConstraintsAdded: c.ConstraintsAdded, ConstraintsRemoved: c.ConstraintsRemoved}
}
