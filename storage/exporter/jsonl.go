package exporter

import (
	"strconv"

	"github.com/motifql/motif/internal/value"
)

// writeJSONL writes a node or a relationship a line.
func (x *export) writeJSONL() error {
	out, err := x.target.create("")
	if err != nil {
		return err
	}
	var row []byte
	err = x.eachNode(func(n *node) error {
		row = strconv.AppendUint(append(row[:0], `{"type":"node","id":`...), uint64(n.id), 10)
		if len(n.labels) > 0 {
			row = append(row, `,"labels":[`...)
			for i, l := range n.labels {
				if i > 0 {
					row = append(row, ',')
				}
				if row, err = value.AppendJSONString(row, l); err != nil {
					return err
				}
			}
			row = append(row, ']')
		}
		if row, err = appendProps(row, "properties", n.props); err != nil {
			return err
		}
		if row, err = appendProps(row, "external", n.external); err != nil {
			return err
		}
		_, err := out.Write(append(row, "}\n"...))
		return err
	})
	if err != nil {
		return err
	}
	err = x.eachRel(func(r *rel) error {
		row = strconv.AppendUint(append(row[:0], `{"type":"relationship","id":`...), uint64(r.id), 10)
		if row, err = value.AppendJSONString(append(row, `,"label":`...), r.typ); err != nil {
			return err
		}
		row = strconv.AppendUint(append(row, `,"start":`...), uint64(r.from), 10)
		row = strconv.AppendUint(append(row, `,"end":`...), uint64(r.to), 10)
		if row, err = appendProps(row, "properties", r.props); err != nil {
			return err
		}
		_, err := out.Write(append(row, "}\n"...))
		return err
	})
	if err != nil {
		return err
	}
	return out.close()
}

// appendProps appends ,"name":{...} unless there is nothing to say.
func appendProps(dst []byte, name string, props []prop) ([]byte, error) {
	if len(props) == 0 {
		return dst, nil
	}
	m := &value.MapValue{Keys: make([]string, len(props)), Values: make([]value.Value, len(props))}
	for i, p := range props {
		m.Keys[i], m.Values[i] = p.name, value.OfCell(p.cell)
	}
	return value.AppendJSON(append(append(append(dst, `,"`...), name...), `":`...), value.OfMap(m))
}
