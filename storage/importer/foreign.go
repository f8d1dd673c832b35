package importer

import (
	"bytes"
	"fmt"
	"slices"
)

// foreign are formats that no reader knows. A file of one could be taken for another format: an RDF file for an edge list.
var foreign = []struct {
	name     string
	suffixes []string
	begins   []string // how the text begins, after blanks and comments
	advice   string
}{
	{"a workbook of Excel", []string{".xlsx", ".xls", ".xlsm"}, nil, "save its sheets as CSV"},
	{"a spreadsheet of OpenDocument", []string{".ods"}, nil, "save its sheets as CSV"},
	{"a database of SQLite", []string{".sqlite", ".sqlite3"}, []string{"SQLite format 3\x00"}, "write its tables as CSV: sqlite3 -header -csv FILE 'SELECT ...'"},
	{"a PDF document", []string{".pdf"}, []string{"%PDF-"}, "write its tables as CSV"},
	{"a graph of LEDA", []string{".lgr", ".gw", ".leda"}, []string{"LEDA.GRAPH"}, "write it as an edge list or GML"},
	{"a graph6 or sparse6 file", []string{".g6", ".s6"}, []string{">>graph6<<", ">>sparse6<<"}, "write it as an edge list: showg -e or networkx"},
	{"an RDF file", []string{".ttl", ".nt", ".nq", ".rdf", ".trig", ".n3"}, []string{"@prefix", "@base", "<http://", "<https://", "<urn:", "_:"}, "write its triples as relationships in CSV"},
	{"a UCINET file", []string{".dl", ".##h"}, []string{"dl n=", "DL n=", "dl N=", "DL N="}, "write it as an edge list"},
	{"a GUESS file", []string{".gdf"}, []string{"nodedef>"}, "write it as GEXF or CSV"},
	{"a Tulip file", []string{".tlp"}, []string{"(tlp "}, "write it as GML"},
	{"a pickle of Python", []string{".pickle", ".pkl", ".gpickle"}, []string{"\x80\x02", "\x80\x03", "\x80\x04", "\x80\x05"}, "write it with networkx.write_graphml"},
	{"an HDF5 file", []string{".h5", ".hdf5"}, []string{"\x89HDF"}, "write its tables as CSV or Parquet"},
	{"an Arrow or Feather file", []string{".arrow", ".feather"}, []string{"ARROW1"}, "write it as Parquet"},
	{"an ORC file", []string{".orc"}, nil, "write it as Parquet"},
	{"an Avro file", []string{".avro"}, []string{"Obj\x01"}, "write it as Parquet"},
	{"an array of NumPy", []string{".npy", ".npz"}, []string{"\x93NUMPY"}, "write it as text: numpy.savetxt"},
	{"a MATLAB file", []string{".mat"}, []string{"MATLAB 5.0"}, "write its matrix as Matrix Market: scipy.io.mmwrite"},
	{"a dump of Neo4j", []string{".dump"}, nil, "export it from Neo4j: apoc.export.graphml.all"},
	{"a script of Cypher", []string{".cypher", ".cql"}, []string{":begin", ":BEGIN", "CREATE (", "CREATE CONSTRAINT", "MATCH (", "MERGE ("}, "motif run DB FILE runs it"},
	{"a script of SQL", []string{".sql"}, []string{"CREATE TABLE", "INSERT INTO", "PRAGMA "}, "write its tables as CSV"},
	{"an HTML page", []string{".html", ".htm"}, []string{"<!DOCTYPE html", "<!doctype html", "<html"}, "download the file itself"},
	{"an archive of tar", []string{".tar", ".tgz"}, nil, "unpack it first"},
	{"an archive of 7-Zip", []string{".7z"}, []string{"7z\xbc\xaf"}, "unpack it first"},
	{"an archive of RAR", []string{".rar"}, []string{"Rar!"}, "unpack it first"},
	{"a picture", []string{".png", ".jpg", ".jpeg", ".svg"}, []string{"\x89PNG", "\xff\xd8\xff", "<svg"}, "load the data that it shows"},
}

// refuseForeign gives an error about a file that no reader knows, told by its name or the beginning of its text.
func refuseForeign(file string, head []byte) error {
	base := baseName(file)
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return &Error{File: file, Msg: "this is an archive of tar; unpack it first"}
	}
	for _, f := range foreign {
		_, named := suffixOf(base, f.suffixes)
		if named || slices.ContainsFunc(f.begins, func(s string) bool { return bytes.HasPrefix(text, []byte(s)) }) {
			return &Error{File: file, Msg: fmt.Sprintf("this is %s, which load does not read; %s", f.name, f.advice)}
		}
	}
	return nil
}
