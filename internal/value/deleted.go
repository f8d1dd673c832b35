package value

// DeletedValue is what remains of a node or a relationship that the query itself has deleted: the rows that held it hold
// this, whose only readable parts are the stable id and a relationship's type.
type DeletedValue struct {
	Rel  bool
	ID   uint64
	Type string // of a relationship
}

// OfDeleted makes a value of a deleted element. Two of the same element are equal.
func OfDeleted(d DeletedValue) Value {
	num := d.ID << 1
	if d.Rel {
		num |= 1
	}
	return Value{num, &d}
}

// Deleted is the element of a value of that kind.
func (v Value) Deleted() *DeletedValue { return v.ref.(*DeletedValue) }
