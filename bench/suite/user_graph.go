package suite

import (
	"archive/zip"
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/archive"
	"github.com/motifql/motif/storage/importer"
)

// userGraph says how the tables of a graph come out of its archive.
type userGraph struct {
	Name, Archive string
	Zip           string // a file of the archive that holds the tables; "": the archive itself
	Prefix        string // of the tables' files
	Separator     string
	Tables        []userTable
}

// userTable is a table of nodes, or of relationships if Type is set. The first line of every file is a header.
type userTable struct {
	Label          string
	Type, From, To string
	Files          []string
	Columns        []userColumn
}

// userColumn is a property, the number of the column that it comes from, and int, string or length. A length is a number below 200 that
// a hash of the column gives.
type userColumn struct {
	name string
	from int
	kind string
}

// UnmarshalJSON reads [name, number, kind].
func (c *userColumn) UnmarshalJSON(text []byte) error {
	var kind string
	_, err := fmt.Sscanf(strings.NewReplacer("[", "", "]", "", `"`, "", ",", "").Replace(string(text)), "%s %d %s", &c.name, &c.from, &kind)
	c.kind = kind
	return err
}

// build unpacks the archive of the folder of real graphs into dir and writes the tables for the importer there.
func (g userGraph) build(data, dir string) (spec importer.Spec, err error) {
	file := filepath.Join(data, g.Archive)
	if strings.HasSuffix(file, ".tar.zst") {
		err = archive.Unpack(file, dir)
	} else {
		err = writeScored(file, dir)
	}
	if err == nil && g.Zip != "" {
		err = unzip(filepath.Join(dir, filepath.FromSlash(g.Zip)), dir)
	}
	if err != nil {
		return spec, err
	}
	ids := make(map[string]map[string]bool) // of each label
	for _, t := range g.Tables {
		path := filepath.Join(dir, "table-"+t.Label+t.Type+".csv")
		if err := g.table(t, dir, path, ids); err != nil {
			return spec, fmt.Errorf("table %s%s: %w", t.Label, t.Type, err)
		}
		if t.Type == "" {
			spec.Nodes = append(spec.Nodes, importer.NodeFile{Labels: []string{t.Label}, Paths: []string{path}})
		} else {
			spec.Relationships = append(spec.Relationships, importer.RelationshipFile{Type: t.Type, Paths: []string{path}})
		}
	}
	return spec, nil
}

// table writes one table. Relationships to nodes that the archive lacks are left out.
func (g userGraph) table(t userTable, dir, path string, ids map[string]map[string]bool) error {
	var head []string
	if t.Type != "" {
		head = []string{":START_ID(" + t.From + ")", ":END_ID(" + t.To + ")"}
	} else {
		ids[t.Label] = make(map[string]bool)
	}
	for _, c := range t.Columns {
		switch {
		case c.name == "id":
			head = append(head, "id:ID("+t.Label+")")
		case c.kind == "string":
			head = append(head, c.name)
		default:
			head = append(head, c.name+":long")
		}
	}
	return writeFile(path, func(b *bufio.Writer) error {
		w := csv.NewWriter(b)
		if err := w.Write(head); err != nil {
			return err
		}
		for _, name := range t.Files {
			err := readTable(filepath.Join(dir, filepath.FromSlash(g.Prefix)+name+".csv"), g.Separator, func(cells []string) error {
				var out []string
				if t.Type == "" {
					ids[t.Label][cells[0]] = true
				} else if !ids[t.From][cells[0]] || !ids[t.To][cells[1]] {
					return nil
				} else {
					out = append(out, cells[:2]...)
				}
				for _, c := range t.Columns {
					out = append(out, c.value(cells[c.from]))
				}
				return w.Write(out)
			})
			if err != nil {
				return err
			}
		}
		w.Flush()
		return w.Error()
	})
}

// oneLine keeps text on one line and free of quotes, because not every program reads them alike.
var oneLine = strings.NewReplacer("\n", " ", "\r", " ", `"`, "'", `\`, "/")

func (c userColumn) value(cell string) string {
	if c.kind != "length" {
		return oneLine.Replace(cell)
	}
	id, _ := strconv.ParseUint(cell, 10, 64)
	hi, lo := bits.Mul64(id, 2654435761)
	return strconv.FormatUint(bits.Rem64(hi>>7, hi<<57|lo>>7, 200), 10)
}

// readTable gives each line of a file but the first. Only files with commas quote their cells.
func readTable(path, separator string, give func(cells []string) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if separator == "," {
		r := csv.NewReader(f)
		r.FieldsPerRecord = -1
		for first := true; ; first = false {
			cells, err := r.Read()
			if err == io.EOF {
				return nil
			}
			if err == nil && !first {
				err = give(cells)
			}
			if err != nil {
				return err
			}
		}
	}
	lines := bufio.NewScanner(f)
	for first := true; lines.Scan(); first = false {
		if first {
			continue
		}
		if err := give(strings.Split(lines.Text(), separator)); err != nil {
			return err
		}
	}
	return lines.Err()
}

// unzip writes the CSV files of an archive to dir.
func unzip(path, dir string) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if filepath.Ext(f.Name) != ".csv" || filepath.Base(f.Name) != f.Name {
			continue
		}
		in, err := f.Open()
		if err != nil {
			return err
		}
		err = writeFile(filepath.Join(dir, f.Name), func(w *bufio.Writer) error {
			_, err := io.Copy(w, in)
			return err
		})
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// writeScored writes an edge list as directed relationships, each pair once and no loops, and gives nodes and relationships numbers by
// hashes: a label below 5, a score below 1,000, a weight below 100.
func writeScored(path, dir string) error {
	list, err := readEdges(path)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(e [2]uint32) bool { return e[0] == e[1] })
	slices.SortFunc(list, func(a, b [2]uint32) int { return slices.Compare(a[:], b[:]) })
	list = slices.Compact(list)
	nodes := make([]uint32, 0, 2*len(list))
	for _, e := range list {
		nodes = append(nodes, e[0], e[1])
	}
	slices.Sort(nodes)
	err = writeFile(filepath.Join(dir, "nodes.csv"), func(w *bufio.Writer) error {
		fmt.Fprintln(w, "id,lab,score")
		for _, v := range slices.Compact(nodes) {
			fmt.Fprintf(w, "%d,%d,%d\n", v, splitmix(uint64(v)^77)%5, splitmix(uint64(v)^5)%1000)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, "edges.csv"), func(w *bufio.Writer) error {
		fmt.Fprintln(w, "from,to,w")
		for _, e := range list {
			fmt.Fprintf(w, "%d,%d,%d\n", e[0], e[1], splitmix(uint64(e[0])*1000003+uint64(e[1]))%100)
		}
		return nil
	})
}
