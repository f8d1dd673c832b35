package exec

import (
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/eval"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// setStage is SET and REMOVE.
type setStage struct {
	*outlet
	items []*setItem
}

func (s *setStage) push(mult uint64) (bool, error) {
	for range mult {
		if err := applyItems(s.items, &s.x.input); err != nil {
			return false, err
		}
		if more, err := s.emitSampled(1); err != nil || !more {
			return more, err
		}
	}
	return true, nil
}

// setItem changes one element.
type setItem struct {
	w        *writing
	plan     *planner.SetItem
	of       eval.Func
	key      eval.Func // nil where the item names no single property
	value    eval.Func // nil to remove
	onChange func(target)
}

// target is a node or a relationship to change.
type target struct {
	w     *writing
	isRel bool
	v     csr.VertexID
	e     csr.EdgeID
}

func (x *execution) setItems(plan []planner.SetItem) ([]*setItem, error) {
	c := x.writes.compiler()
	items := make([]*setItem, len(plan))
	for i := range plan {
		it := &setItem{w: x.writes, plan: &plan[i]}
		for _, part := range []struct {
			x  lang.Expr
			fn *eval.Func
		}{{plan[i].Of, &it.of}, {plan[i].Key, &it.key}, {plan[i].Value, &it.value}} {
			if part.x == nil {
				continue
			}
			k, err := c.Compile(part.x)
			if err != nil {
				return nil, err
			}
			*part.fn = k.Fn
		}
		items[i] = it
	}
	x.writes.takeOver(c)
	return items, nil
}

// applyItems applies the items in turn; each sees what earlier ones did.
func applyItems(items []*setItem, e *eval.Input) error {
	for _, it := range items {
		if err := it.apply(e); err != nil {
			return eval.At(it.plan.Pos, it.w.explain(err))
		}
	}
	return nil
}

func (it *setItem) apply(e *eval.Input) error {
	of, err := it.of(e)
	if err != nil || of.IsNull() {
		return err
	}
	el, err := it.w.element(of)
	if err != nil {
		return err
	}
	switch it.plan.Kind {
	case lang.SetLabels:
		err = it.labels(el, e)
	case lang.SetMap, lang.AddMap:
		err = it.maps(el, e)
	default:
		err = it.property(el, e)
	}
	if err == nil && it.onChange != nil {
		it.onChange(el)
	}
	return err
}

// element returns v as something that can change.
func (w *writing) element(v value.Value) (target, error) {
	el := target{w: w}
	switch v.Kind() {
	case value.Node:
		el.v = v.Node()
		if !w.draft.HasNode(el.v) {
			return el, eval.Gone("a property")
		}
	case value.Rel:
		el.isRel, el.e = true, v.Rel()
		if !w.draft.HasRel(el.e) {
			return el, eval.Gone("a property")
		}
	case value.Deleted:
		return el, eval.Gone("a property")
	default:
		return el, eval.Errorf(codeNoElement, "nodes and relationships can be changed, %s cannot", eval.Describe(v))
	}
	return el, nil
}

func (it *setItem) property(el target, e *eval.Input) error {
	k, err := it.key(e)
	if err != nil {
		return err
	}
	if k.Kind() != value.String {
		return eval.Errorf(eval.CodeMapKey, "the key of a property is a string, not %s", eval.Describe(k))
	}
	var c csr.Cell
	if it.value != nil {
		v, err := it.value(e)
		if err != nil {
			return err
		}
		if c, err = it.w.cell(k.Str(), v, it.plan.Value.Position()); err != nil {
			return err
		}
	}
	return el.set(csr.Prop{Key: k.Str(), Value: c})
}

// maps applies e = {...} and e += {...}.
func (it *setItem) maps(el target, e *eval.Input) error {
	v, err := it.value(e)
	if err != nil {
		return err
	}
	if v.IsNull() {
		return nil
	}
	props, err := it.w.mapOf(v, it.plan.Value.Position())
	if err != nil {
		return err
	}
	if it.plan.Kind == lang.SetMap {
		kept := make(map[string]bool, len(props))
		for _, p := range props {
			kept[p.Key] = true
		}
		for _, p := range el.props() {
			if !kept[p.Key] {
				props = append(props, csr.Prop{Key: p.Key})
			}
		}
	}
	return el.set(props...)
}

// mapOf returns what an element is set to: the entries of a map, those that are null among them, or the properties of another element.
func (w *writing) mapOf(v value.Value, pos lang.Pos) ([]csr.Prop, error) {
	switch v.Kind() {
	case value.Map:
		var props []csr.Prop
		for i, key := range v.Map().Keys {
			c, err := w.cell(key, v.Map().Values[i], pos)
			if err != nil {
				return nil, err
			}
			props = append(props, csr.Prop{Key: key, Value: c})
		}
		return props, nil
	case value.Node:
		return drafted{w.draft}.NodeProps(v.Node())
	case value.Rel:
		return drafted{w.draft}.RelProps(v.Rel())
	case value.Deleted:
		return nil, eval.Gone("the properties")
	}
	return nil, &eval.Error{Code: eval.CodeArgumentType, Msg: "properties are given as a map, a node or a relationship, not as " + eval.Describe(v), Pos: pos}
}

func (el target) props() []csr.Prop {
	if el.isRel {
		return el.w.draft.RelProps(el.e)
	}
	return el.w.draft.NodeProps(el.v)
}

func (el target) prop(key string) (csr.Cell, bool) {
	if el.isRel {
		return el.w.draft.RelProp(el.e, key)
	}
	return el.w.draft.NodeProp(el.v, key)
}

// set sets properties, and removes those without a value. Removing what is missing counts as no change.
func (el target) set(props ...csr.Prop) error {
	effective := props[:0]
	for _, p := range props {
		if p.Value.Kind == 0 {
			if _, there := el.prop(p.Key); !there {
				continue
			}
		}
		effective = append(effective, p)
	}
	if len(effective) == 0 {
		return nil
	}
	el.w.changes.PropertiesSet += uint64(len(effective))
	if el.isRel {
		return el.w.charge(el.w.draft.SetRelProps(el.e, effective...))
	}
	return el.w.charge(el.w.draft.SetNodeProps(el.v, effective...))
}

// labels adds or removes the labels of the item, and those that its expression gives.
func (it *setItem) labels(el target, e *eval.Input) error {
	names := it.plan.Labels
	if it.value != nil {
		v, err := it.value(e)
		if err != nil {
			return err
		}
		if names, err = labelTexts(slices.Clone(names), v); err != nil {
			return err
		}
	}
	return el.labels(names, it.plan.Remove)
}

// labelTexts appends the strings in v.
func labelTexts(names []string, v value.Value) (_ []string, err error) {
	switch v.Kind() {
	case value.String:
		if v.Str() == "" {
			return nil, eval.Errorf(eval.CodeArgumentValue, "a label has a name, but $() gives an empty string")
		}
		return append(names, v.Str()), nil
	case value.List:
		for _, part := range v.List() {
			if names, err = labelTexts(names, part); err != nil {
				return nil, err
			}
		}
		return names, nil
	}
	return nil, eval.Errorf(eval.CodeArgumentType, "$() takes a string or a list of strings, not %s", eval.Describe(v))
}

func (el target) labels(names []string, remove bool) error {
	if el.isRel {
		return eval.Errorf(codeNoElement, "a relationship has no labels to change; its type stays")
	}
	for _, l := range names {
		if remove {
			removed, err := el.w.draft.RemoveLabel(el.v, l)
			if err != nil {
				return err
			}
			if removed {
				el.w.changes.LabelsRemoved++
			}
			continue
		}
		added, err := el.w.draft.AddLabel(el.v, l)
		if err != nil {
			return err
		}
		if added {
			el.w.changes.LabelsAdded++
		}
	}
	return el.w.charge(nil)
}
