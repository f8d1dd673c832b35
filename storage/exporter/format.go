package exporter

import (
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
