package csr

import (
	"context"
	"fmt"
)

// Replay applies changes to s, in order, and returns the snapshot after them. Whatever the changes are, it returns an
// error rather than panic: they may come from a damaged log.
func Replay(ctx context.Context, s *Snapshot, changes []Change) (*Snapshot, error) {
	d := s.Draft()
	for i := range changes {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := d.Apply(&changes[i]); err != nil {
			return nil, fmt.Errorf("change %d: %w", i, err)
		}
	}
	d.changes = nil
	return d.Snapshot(ctx)
}

// Apply makes a change that another draft has noted.
func (d *Draft) Apply(c *Change) error {
	if err := d.apply(c); err != nil {
		return fmt.Errorf("%v %d: %w", c.Kind, c.ID, err)
	}
	return nil
}

func (d *Draft) apply(c *Change) error {
	switch c.Kind {
	case CreateNode:
		_, err := d.createNode(NodeID(c.ID), c.Labels, c.Props)
		return err
	case CreateRel:
		from, ok := d.NodeByID(c.From)
		to, ok2 := d.NodeByID(c.To)
		if !ok || !ok2 {
			return fmt.Errorf("an end %w", ErrNotThere)
		}
		_, err := d.createRel(RelID(c.ID), c.Name, from, to, c.Props)
		return err
	case DeleteRel, SetRelProps:
		e, ok := d.RelByID(RelID(c.ID))
		if !ok {
			return ErrNotThere
		}
		if c.Kind == DeleteRel {
			return d.DeleteRel(e)
		}
		return d.SetRelProps(e, c.Props...)
	case DeleteNode, SetNodeProps, AddLabel, RemoveLabel:
		v, ok := d.NodeByID(NodeID(c.ID))
		if !ok {
			return ErrNotThere
		}
		return d.applyToNode(v, c)
	}
	return d.applyRule(c)
}

func (d *Draft) applyToNode(v VertexID, c *Change) (err error) {
	switch c.Kind {
	case DeleteNode:
		return d.DeleteNode(v)
	case SetNodeProps:
		return d.SetNodeProps(v, c.Props...)
	case AddLabel:
		_, err = d.AddLabel(v, c.Name)
	default:
		_, err = d.RemoveLabel(v, c.Name)
	}
	return err
}

func (d *Draft) applyRule(c *Change) error {
	switch c.Kind {
	case CreateIndex, CreateConstraint:
		if c.Rule == nil || (c.Rule.Kind == RuleIndex) != (c.Kind == CreateIndex) {
			return fmt.Errorf("%w of unknown form", ErrRule)
		}
		return d.CreateRule(*c.Rule)
	case DropIndex:
		return d.DropIndex(c.Name)
	case DropConstraint:
		return d.DropConstraint(c.Name)
	}
	return fmt.Errorf("a change of unknown kind %d", uint8(c.Kind))
}
