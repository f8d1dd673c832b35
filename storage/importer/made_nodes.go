package importer

import (
	"context"
	"slices"

	"github.com/motifql/motif/internal/value"
)

// endKeys are the ids at the ends of a chunk's relationships, two by two.
type endKeys []key

func (k endKeys) bytes() int64 { return keyBytes * int64(cap(k)) }

// madeNodes collects the ids of a load without node files. It reads every relationship file once for its ends alone.
type madeNodes struct {
	*properties
	ids    map[*space][]key
	made   []madeNode // of a Part
	file   string
	spaces [2]*space // of the two ends in the file being read
}

// makeNodes makes a node for each id at an end of a relationship, with the id as property id.
func makeNodes(ctx context.Context, p *properties) error {
	before, done, types := p.report, p.done, p.types
	before.Warnings = slices.Clone(before.Warnings)
	p.stage = stageNodes
	defer func() { p.stage = stageRead }()
	m := &madeNodes{properties: p, ids: make(map[*space][]key)}
	for _, f := range p.Relationships {
		if err := m.read(ctx, f); err != nil {
			return err
		}
	}
	p.report, p.done, p.types = before, done, types
	p.given.made = m.made
	made := uint64(0)
	for _, s := range p.spaces {
		first := p.b.AddVertices(len(m.ids[s]))
		for i, k := range m.ids[s] {
			if err := p.fitsAt(i); err != nil {
				return err
			}
			if k.isText() {
				s.texts[k.text] = first + uint32(i)
			} else {
				s.ints[k.n] = first + uint32(i)
			}
		}
		col := column{role: roleID, name: "id", space: s.name, key: p.b.Key("id")}
		if p.part { // they are nodes of the store, which have their properties
			col.name = ""
		}
		p.groups = append(p.groups, idGroup{space: s, col: col, first: first, ids: m.ids[s]})
		made += uint64(len(m.ids[s]))
	}
	if p.part {
		return p.fits(p.firstFile(), 0)
	}
	p.warn("no node files: made %s of the ends of relationships", plural(made, "node", "nodes"))
	return p.fits(p.firstFile(), 0)
}

func (m *madeNodes) read(ctx context.Context, rf RelationshipFile) error {
	var at [2]int
	m.file = rf.Paths[0]
	var h *header
	start := func(first *header) error {
		h = first
		for i, r := range []role{roleStart, roleEnd} {
			at[i] = h.find(r)
			m.spaces[i] = m.space(&h.columns[at[i]])
		}
		return nil
	}
	if isParquet(rf.Paths[0]) {
		return m.parquet(ctx, rf.Paths, start, &at)
	}
	return readGroup(ctx, m.properties, rf.Paths, false, start, func(r *records) (keys endKeys, err error) {
		for {
			ok, err := r.next()
			if err != nil || !ok {
				return keys, err
			}
			if len(r.fields) != len(h.columns) {
				if m.SkipBad {
					continue
				}
				return keys, nil // the second reading says what is wrong
			}
			before := len(keys)
			for _, i := range at {
				b, err := r.idOf(i)
				if err != nil && m.part {
					keys = append(keys, noKey)
					continue
				}
				if err != nil && m.SkipBad {
					keys = keys[:before]
					break
				}
				if err != nil {
					return keys, err
				}
				keys = append(keys, keyOf(b))
			}
		}
	}, func(_ *chunk, keys endKeys) error {
		m.add(keys)
		return nil
	})
}

// parquet reads the ends of a group of Parquet files.
func (m *madeNodes) parquet(ctx context.Context, paths []string, start func(*header) error, at *[2]int) error {
	for _, path := range paths {
		f, err := m.openParquet(path, false)
		if err != nil {
			return err
		}
		if err = start(f.h); err == nil {
			err = f.each(ctx, func(columns [][]value.Value, n int) error {
				var keys endKeys
				for row := range n {
					for _, i := range at {
						k, err := f.id(columns, i, row)
						if err != nil {
							return err
						}
						keys = append(keys, k)
					}
				}
				m.add(keys)
				return m.fits(path, 0)
			})
		}
		f.close()
		if err != nil {
			return err
		}
	}
	return nil
}

// noKey stands for an end without an id, of which the second reading says what is wrong.
var noKey = key{text: "\x00"}

// add notes the ids that are new. Of a Part, it notes those that the store has: no other node is made.
func (m *madeNodes) add(keys endKeys) {
	for i, k := range keys {
		s := m.spaces[i%2]
		if m.part && !m.inStore(s.name, k) || !s.put(k, 0) {
			continue
		}
		m.ids[s] = append(m.ids[s], k)
		if m.part {
			m.made = append(m.made, madeNode{space: s.name, id: k, file: m.file})
		}
		m.take(keyBytes * 3 / 2)
	}
}

// inStore reports whether the store has a node with an id, or leaves the refusal to AddTo.
func (m *madeNodes) inStore(space string, k key) bool {
	if m.store.lacks(space) {
		return true
	}
	_, ok := m.store.find(space, k)
	return ok
}
