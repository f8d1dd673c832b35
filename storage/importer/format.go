package importer

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Names of the formats, as Spec.Format takes them.
const (
	FormatEdges   = "edges"
	FormatCSV     = "csv"
	FormatTVE     = "tve"
	FormatLAW     = "law"
	FormatMETIS   = "metis"
	FormatJSONL   = "jsonl"
	FormatGraphML = "graphml"
	FormatMTX     = "mtx"
	FormatGML     = "gml"
	FormatGEXF    = "gexf"
	FormatPajek   = "pajek"
	FormatTGF     = "tgf"
	FormatJSON    = "json"
	FormatDOT     = "dot"
)

// Format is one kind of graph file. To add one, write its reader and put an entry into Formats, behind the formats that are more
// general: detection, the command's help and the errors that list formats read the table.
type Format struct {
	Name     string
	Help     string   // what a file of the format holds, in one line
	Suffixes []string // endings of file names that choose the format alone
	Shared   []string // endings that files of other formats have too, so that their text decides

	pairs      bool // each line is a relationship: several files share their ids, and a delimiter may be chosen
	complete   bool // a file says all of a property graph: labels, types, directions, properties
	undirected bool // its graphs have no directions
	empty      bool // an empty file is a graph without nodes

	detect func(*opening) (why string) // says why the text is of this format; "" if it is not, nil if only names tell
	read   func(*loader, context.Context) error
}

// Formats lists what Spec.Files can hold. Detection asks the last entry first, so the most general stands first.
// The files of Spec.Nodes and Spec.Relationships are not in it: node_file.go and relationship_file.go choose CSV or Parquet.
var Formats = []Format{
	{Name: FormatEdges, Help: "two ids a line, separated by blanks; lines that start with # or % are comments",
		pairs: true, detect: detectEdges, read: (*loader).readEdges},
	{Name: FormatCSV, Help: "two ids a line, separated by commas, vertical bars, semicolons or tabs, below a header line", Suffixes: []string{".csv"}, Shared: []string{".tsv"},
		pairs: true, detect: detectCSV, read: (*loader).readEdges},
	{Name: FormatTVE, Help: `t/v/e files, the labelled graphs of matching papers: lines "t N M", "v id label degree", "e u v"`, Shared: []string{".graph"},
		undirected: true, detect: detectTVE, read: (*loader).readTVE},
	{Name: FormatLAW, Help: "ASCIIGraph of the Laboratory for Web Algorithmics: the number of nodes, then the successors of each", Suffixes: []string{".graph-txt"},
		detect: detectLAW, read: (*loader).readLAW},
	{Name: FormatMETIS, Help: "METIS: the numbers of nodes and edges, then the neighbours of each node", Suffixes: []string{".metis"}, Shared: []string{".graph"},
		undirected: true, detect: detectMETIS, read: (*loader).readMETIS},
	{Name: FormatJSONL, Help: "JSON Lines: a node or a relationship a line", Suffixes: []string{".jsonl", ".ndjson"},
		complete: true, empty: true, detect: detectJSONL, read: (*loader).readJSONL},
	{Name: FormatGraphML, Help: "GraphML, with labels and types as Neo4j writes them", Suffixes: []string{".graphml"},
		complete: true, detect: detectGraphML, read: (*loader).readGraphML},
	{Name: FormatMTX, Help: "Matrix Market: a square matrix of coordinates; the values of entries are weights", Suffixes: []string{".mtx"},
		detect: detectMatrixMarket, read: readMatrixMarket},
	{Name: FormatGML, Help: "GML: graph [ node [ id 1 ] edge [ source 1 target 2 ] ]", Suffixes: []string{".gml"},
		complete: true, detect: detectGML, read: readGML},
	{Name: FormatGEXF, Help: "GEXF of Gephi", Suffixes: []string{".gexf"},
		complete: true, detect: detectGEXF, read: readGEXF},
	{Name: FormatPajek, Help: "Pajek networks: *Vertices, *Arcs, *Edges", Suffixes: []string{".net", ".paj"},
		complete: true, detect: detectPajek, read: readPajek},
	{Name: FormatTGF, Help: `Trivial Graph Format: a node a line, a line "#", a relationship a line`, Suffixes: []string{".tgf"},
		complete: true, read: readTGF},
	{Name: FormatJSON, Help: "one JSON object: node-link or adjacency data of NetworkX, JSON Graph Format, Cytoscape", Suffixes: []string{".json"},
		complete: true, detect: detectJSONGraph, read: readJSONGraph},
	{Name: FormatDOT, Help: "graphs of GraphViz: nodes, edges and their attributes", Suffixes: []string{".dot", ".gv"},
		complete: true, detect: detectDOT, read: readDOT},
}

// FormatNames lists the names of Formats.
func FormatNames() []string {
	names := make([]string, len(Formats))
	for i := range Formats {
		names[i] = Formats[i].Name
	}
	return names
}

// formatOf finds a format by its name.
func formatOf(name string) *Format {
	if i := slices.IndexFunc(Formats, func(f Format) bool { return f.Name == name }); i >= 0 {
		return &Formats[i]
	}
	return nil
}

// formatHint ends errors about files whose format is in doubt.
func formatHint() string { return "name the format: " + strings.Join(FormatNames(), ", ") }

// baseName is the name of a file in lower case, without its folder and without the suffix of a compression.
func baseName(path string) string {
	base := strings.ToLower(filepath.Base(path))
	for _, suffix := range []string{".gz", ".zst", ".zstd"} {
		base = strings.TrimSuffix(base, suffix)
	}
	return base
}

// suffixOf returns the suffix among list that base ends in.
func suffixOf(base string, list []string) (suffix string, ok bool) {
	i := slices.IndexFunc(list, func(s string) bool { return strings.HasSuffix(base, s) })
	if i < 0 {
		return "", false
	}
	return list[i], true
}

// byName finds the format that a file's name alone chooses; nil if it chooses none.
func byName(path string) (f *Format, why string) {
	base := baseName(path)
	for i := range Formats {
		if suffix, ok := suffixOf(base, Formats[i].Suffixes); ok {
			return &Formats[i], "its name ends in " + suffix
		}
	}
	return nil, ""
}

// opening is the beginning of a file, as detection sees it.
type opening struct {
	base  string   // the file's name, see baseName
	head  []byte   // the text
	rows  [][]byte // lines without comments
	first []byte   // the first of rows that is not blank
	words [][]byte // of first
	whole bool     // rows are the whole file
}

// second reports whether the second line that is not blank begins with text.
func (o *opening) second(text string) bool {
	lines := 0
	for _, row := range o.rows {
		if len(row) == 0 {
			continue
		}
		if lines++; lines == 2 {
			return bytes.HasPrefix(row, []byte(text))
		}
	}
	return false
}

// detect chooses the format of a file from its name and the beginning of its text; whole says that head is all of
// it. The rules stand in the package comment.
func detect(name string, head []byte, whole bool) (f *Format, why string, err error) {
	if f, why := byName(name); f != nil {
		if f.Name == FormatJSON && severalObjects(head) {
			return formatOf(FormatJSONL), "each of its lines is a JSON object", nil
		}
		return f, why, nil
	}
	if err := refuseForeign(name, head); err != nil {
		return nil, "", err
	}
	if bytes.IndexByte(head, 0) >= 0 {
		return nil, "", &Error{File: name, Msg: "this is binary data (or UTF-16 text), which load does not read; export it as text first"}
	}
	o := opening{base: baseName(name), head: head, rows: sampleRows(slices.Clone(head), whole), whole: whole}
	first, ok := firstRow(o.rows)
	if why := detectMatrixMarket(&o); why != "" { // its first line looks like a comment
		return formatOf(FormatMTX), why, nil
	}
	if !ok {
		return nil, "", &Error{File: name, Msg: "no line but comments and blank ones, so the format cannot be told; " + formatHint()}
	}
	o.first, o.words = first, bytes.Fields(first)
	if isOtherXML(first) && detectGraphML(&o) == "" && detectGEXF(&o) == "" {
		return nil, "", (&Error{File: name, Line: 1, Column: 1, Msg: "found XML that is neither GraphML nor GEXF, which load does not read"}).hint("write its records as CSV")
	}
	for i := len(Formats) - 1; i >= 0; i-- {
		if f := &Formats[i]; f.detect != nil {
			if why := f.detect(&o); why != "" {
				return f, why, nil
			}
		}
	}
	return nil, "", &Error{File: name, Msg: fmt.Sprintf("found %s as first line, which no format starts with; %s", shown(first), formatHint())}
}
