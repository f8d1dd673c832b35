package csr

import "strings"

// Dict numbers names from 0 in order of addition. It is safe for concurrent reading once nothing is added.
type Dict struct {
	names []string
	ids   map[string]uint32
}

// NewDict returns a dictionary of names; a repeated name keeps its first number.
func NewDict(names ...string) *Dict {
	d := &Dict{ids: make(map[string]uint32, len(names))}
	for _, name := range names {
		d.Add(name)
	}
	return d
}

// Len is the number of names. A nil dictionary has none.
func (d *Dict) Len() int {
	if d == nil {
		return 0
	}
	return len(d.names)
}

// Name is the name numbered i, which must be below Len.
func (d *Dict) Name(i uint32) string { return d.names[i] }

// Lookup returns the number of name.
func (d *Dict) Lookup(name string) (uint32, bool) {
	if d == nil {
		return 0, false
	}
	i, ok := d.ids[name]
	return i, ok
}

// Add returns the number of name, giving it the next one if it is new.
func (d *Dict) Add(name string) uint32 {
	if i, ok := d.ids[name]; ok {
		return i
	}
	i, name := uint32(len(d.names)), strings.Clone(name) // name may be a part of a long text
	d.names = append(d.names, name)
	d.ids[name] = i
	return i
}

// Names lists the names by number; callers must not change it.
func (d *Dict) Names() []string {
	if d == nil {
		return nil
	}
	return d.names
}
