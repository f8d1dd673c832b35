package exporter

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names of the formats, as Options.Format takes them.
const (
	CSV     = "csv"
	Parquet = "parquet"
	Cypher  = "cypher"
	GraphML = "graphml"
	JSONL   = "jsonl"
	DOT     = "dot"
)

// Format is one kind of files that Write makes. To add one, write its writer and append an entry to Formats: the command's
// help and the errors that list formats read the table.
type Format struct {
	Name     string
	Help     string   // what an export of the format is, in one line
	Suffixes []string // endings of file names that choose the format
	Folder   bool     // an export is a folder of files; else it is one file

	rules    bool // it has indexes and constraints
	external bool // it has the ids that loaded files gave nodes, beside properties
	write    func(*export) error
}

// Formats lists what Write can make. The first is the one that a path without a known ending gets.
var Formats = []Format{
	{Name: CSV, Help: "a folder: a file for each label set and each relationship type, with neo4j-admin's headers", Folder: true, external: true,
		write: func(x *export) error { return x.writeTables(newCSVTable) }},
	{Name: Parquet, Help: "a folder of the same tables", Folder: true, external: true,
		write: func(x *export) error { return x.writeTables(newParquetTable) }},
	{Name: Cypher, Help: "a script of CREATE statements", Suffixes: []string{".cypher", ".cql"}, rules: true, write: (*export).writeScript},
	{Name: GraphML, Help: "one file", Suffixes: []string{".graphml"}, external: true, write: (*export).writeGraphML},
	{Name: JSONL, Help: "one file: a node or a relationship a line", Suffixes: []string{".jsonl", ".ndjson"}, external: true, write: (*export).writeJSONL},
	{Name: DOT, Help: "a picture for GraphViz: captions of nodes and types of relationships", Suffixes: []string{".dot", ".gv"}, external: true, rules: true, write: (*export).writeDOT},
}

// FormatNames lists the names of the formats for which keep is true; all if keep is nil.
func FormatNames(keep func(Format) bool) (names []string) {
	for _, f := range Formats {
		if keep == nil || keep(f) {
			names = append(names, f.Name)
		}
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

// pictures are endings of files that GraphViz draws.
var pictures = []string{".svg", ".png", ".pdf", ".jpg", ".gif"}

// pathFormat returns the format that a path chooses: by its ending, which may be the name of a
// folder's format, or csv for a path without ending.
func pathFormat(path string) (string, error) {
	if name := FormatOf(path); name != "" {
		return name, nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return Formats[0].Name, nil
	}
	base := strings.TrimLeft(filepath.Base(path), ".")
	for _, suffix := range []string{".gz", ".zst"} {
		if cut, ok := strings.CutSuffix(base, suffix); ok && filepath.Ext(cut) != "" {
			base = cut
		}
	}
	ending := filepath.Ext(base)
	if ending == "" || ending == "." {
		return Formats[0].Name, nil
	}
	if f := formatOf(strings.ToLower(ending[1:])); f != nil && f.Folder {
		return f.Name, nil
	}
	if slices.Contains(pictures, strings.ToLower(ending)) {
		name := path[:strings.LastIndex(path, ending)]
		return "", fmt.Errorf("%s: no format has the ending %s; write %s.dot, then: dot -T%s %s.dot -o %s%s (GraphViz)",
			path, ending, name, strings.ToLower(ending[1:]), name, name, ending)
	}
	var known []string
	for _, f := range Formats {
		if known = append(known, f.Suffixes...); f.Folder {
			known = append(known, "."+f.Name)
		}
	}
	return "", fmt.Errorf("%s: no format has the ending %s; there are %s; a folder of tables needs no ending, or give its format",
		path, ending, strings.Join(known, ", "))
}

// FormatOf returns the name of the format that the ending of a path chooses, "" if it chooses none.
func FormatOf(path string) string {
	base := strings.ToLower(path)
	for _, suffix := range []string{".gz", ".zst"} {
		base = strings.TrimSuffix(base, suffix)
	}
	for _, f := range Formats {
		if slices.ContainsFunc(f.Suffixes, func(s string) bool { return strings.HasSuffix(base, s) }) {
			return f.Name
		}
	}
	return ""
}
