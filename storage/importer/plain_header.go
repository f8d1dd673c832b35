package importer

import (
	"slices"
	"strings"
)

// endNames are pairs of names that columns of a relationship's start and end have in plain tables.
var endNames = [][2]string{{"source", "target"}, {"src", "dst"}, {"src", "dest"}, {"from", "to"}, {"start", "end"}, {"head", "tail"},
	{"source_id", "target_id"}, {"from_id", "to_id"}, {"start_id", "end_id"}, {"src_id", "dst_id"}, {"sourceid", "targetid"}, {"fromid", "toid"},
	{"fromnode", "tonode"}, {"from_node", "to_node"}, {"fromnodeid", "tonodeid"}}

// assume finds the columns of ids in a header that does not say which they are: those whose names say so. A plain header has no
// type at all; the first column of nodes, and the first two of relationships, are then the ids if no name says otherwise.
func (h *header) assume(nodes, plain bool) {
	h.plain = plain
	if nodes {
		h.assumeID()
		return
	}
	start, end := h.find(roleStart), h.find(roleEnd)
	if start >= 0 || end >= 0 {
		h.told = start >= 0 && end >= 0
		return
	}
	if start, end = h.ends(); start >= 0 {
		h.told = true
	} else if plain && len(h.columns) >= 2 {
		start, end = 0, 1
	}
	if start >= 0 {
		h.columns[start].role, h.columns[end].role = roleStart, roleEnd
		h.columns[start].name, h.columns[end].name = "", ""
	}
}

func (h *header) assumeID() {
	id := h.find(roleID)
	if h.told = id >= 0; h.told {
		return
	}
	id = slices.IndexFunc(h.columns, func(col column) bool { return col.untyped() && isIDName(col.name) })
	if h.told = id >= 0; h.told || h.plain {
		h.columns[max(id, 0)].role = roleID
	}
}

// untyped reports whether the column is a property without a type.
func (col *column) untyped() bool { return col.role == roleProperty && col.typ == "" }

// ends finds the columns whose names say that they are the start and the end of a relationship.
func (h *header) ends() (start, end int) {
	at := make(map[string]int)
	for i, col := range h.columns {
		if col.untyped() {
			at[strings.ToLower(col.name)] = i + 1
		}
	}
	for _, names := range endNames {
		if start, end = at[names[0]], at[names[1]]; start > 0 && end > 0 {
			return start - 1, end - 1
		}
	}
	return -1, -1
}

// isIDName reports whether a column's name alone says that it holds the id of a row.
func isIDName(name string) bool {
	name = strings.ToLower(name)
	return name == "id" || name == "_id"
}
