package main

import "github.com/motifql/motif/storage/importer"

// csvFlags are the flags of motif load that say how to read tables.
type csvFlags struct {
	Types map[string]string `mapsep:"," placeholder:"COLUMN=TYPE,..." help:"Types of columns in CSV files: int, float, boolean, string, date, ... (default: what all values of the column fit)."`
}

// set copies the flags to a Spec.
func (f *csvFlags) set(spec *importer.Spec) {
	spec.Types = f.Types
}
