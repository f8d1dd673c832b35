package exporter

import (
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/parquet"
	"github.com/motifql/motif/internal/value"
)

// parquetTable writes one Parquet file: the ids, a column a property, and labels or the type.
type parquetTable struct {
	out   *output
	t     *table
	w     *parquet.Writer
	row   parquet.Row
	names value.Value // labels or type, the last column of every row
}

// parquetTypes are the types of columns; those of lists are their elements'.
var parquetTypes = [...]parquet.Type{kindLong: parquet.Int, kindDouble: parquet.Float, kindBoolean: parquet.Bool, kindString: parquet.String,
	kindLongs: parquet.Int, kindDoubles: parquet.Float, kindBooleans: parquet.Bool, kindStrings: parquet.String, kindJSON: parquet.JSON,
	kindDate: parquet.String, kindLocalTime: parquet.String, kindTime: parquet.String, kindLocalDateTime: parquet.String, kindDateTime: parquet.String, kindDuration: parquet.String}

func newParquetTable(x *export, t *table, name string) (tableWriter, error) {
	out, err := x.target.create(name)
	if err != nil {
		return nil, err
	}
	p := &parquetTable{out: out, t: t, names: value.OfString(t.typ)}
	id := func(name string) parquet.Column { return parquet.Column{Name: name, Type: parquet.Int, Required: true} }
	var columns []parquet.Column
	if t.isRel {
		columns = append(columns, id(":START_ID(motif)"), id(":END_ID(motif)"), id("motif.id:IGNORE"))
	} else {
		columns = append(columns, id(":ID(motif)"))
	}
	for _, col := range slices.Concat(t.spaces, t.columns) {
		columns = append(columns, parquet.Column{Name: t.parquetTitle(col), Type: parquetTypes[col.kind], List: col.kind >= kindLongs && col.kind <= kindStrings})
	}
	if t.isRel {
		columns = append(columns, parquet.Column{Name: ":TYPE", Type: parquet.String, Required: true})
	} else {
		columns = append(columns, parquet.Column{Name: ":LABEL", Type: parquet.String, List: true, Required: true})
		labels := make([]value.Value, len(t.labels))
		for i, l := range t.labels {
			labels[i] = value.OfString(l)
		}
		p.names = value.OfList(labels)
	}
	p.w, err = parquet.NewWriter(out, columns)
	return p, err
}

// parquetTitle is the name of a column: the property's where that says enough, since the file has the types.
func (t *table) parquetTitle(col *column) string {
	if slices.Contains(t.spaces, col) || !col.single || col.kind >= kindJSON || !plainName(col.name) || strings.Contains(col.name, ":") {
		return t.title(col)
	}
	return col.name
}

func (p *parquetTable) node(id csr.NodeID, cells []csr.Cell) error {
	p.row = append(p.row[:0], value.OfInt(int64(id)))
	return p.finish(cells)
}

func (p *parquetTable) rel(id csr.RelID, from, to csr.NodeID, cells []csr.Cell) error {
	p.row = append(p.row[:0], value.OfInt(int64(from)), value.OfInt(int64(to)), value.OfInt(int64(id)))
	return p.finish(cells)
}

func (p *parquetTable) finish(cells []csr.Cell) error {
	for i, c := range cells {
		if c.Kind == 0 {
			p.row = append(p.row, value.Value{})
			continue
		}
		v := value.OfCell(c)
		if i -= len(p.t.spaces); i >= 0 && p.t.columns[i].kind == kindJSON {
			text, err := value.AppendJSON(nil, v)
			if err != nil {
				return err
			}
			v = value.OfString(string(text))
		} else if v.Kind() == value.Temporal {
			v = value.OfString(v.TemporalText())
		}
		p.row = append(p.row, v)
	}
	return p.w.Row(append(p.row, p.names))
}

func (p *parquetTable) close() error {
	if err := p.w.Close(); err != nil {
		return err
	}
	return p.out.close()
}
