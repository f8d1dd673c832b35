// Package exporter writes a csr.Snapshot to files that package importer reads back as the same graph: labels, types,
// properties of every kind, parallel relationships, loops, and the ids that id() shows. (The format dot is a picture instead.) A snapshot goes in, files and a
// report come out.
//
// An export appears under its final name when it is whole, and not at all if it fails or is cancelled. It writes nodes by
// rising id and relationships by type. Beside the snapshot it holds four bytes a node.
package exporter

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/csr"
)

// Options say where an export goes and how.
type Options struct {
	// Path is a folder for csv and parquet, which must not exist or be empty, and a file for the others. A file whose name
	// ends in .gz or .zst is compressed.
	Path string
	// Format is the name of one of Formats; "" goes by the ending of Path; a path without ending is csv.
	Format string
	// Writer takes the file of a format that is one file; Path is then not used.
	Writer io.Writer
	// Replace lets the export take the place of a file.
	Replace bool
	// CSVSafe puts ' before text of a CSV file that a spreadsheet would run as a formula: text that begins with = + - @, a
	// tab or a line break. Loading the file keeps the '.
	CSVSafe bool
	// Progress, if set, is called from time to time. Stages are "scan", "nodes" and "relationships"; DB.Export begins with "open".
	Progress func(stage string, done, total uint64)
}

// Report is what an export wrote.
type Report struct {
	Format        string
	Nodes         uint64
	Relationships uint64
	Files         int
	Bytes         uint64 // before compression
	Warnings      []string
}

// Write exports the graph.
func Write(ctx context.Context, s *csr.Snapshot, opt Options) (*Report, error) {
	if ctx == nil || s == nil {
		return nil, errors.New("the context or the graph is nil")
	}
	if opt.Format == "" {
		var err error
		if opt.Format, err = pathFormat(opt.Path); err != nil {
			return nil, err
		}
	}
	format := formatOf(opt.Format)
	if format == nil {
		return nil, fmt.Errorf("unknown export format %q; there are %s", opt.Format, strings.Join(FormatNames(nil), ", "))
	}
	if opt.Progress == nil {
		opt.Progress = func(string, uint64, uint64) {}
	}
	if opt.CSVSafe && format.Name != "csv" {
		return nil, fmt.Errorf("format %s has no formulas to make safe; the option is for csv", opt.Format)
	}
	if format.Folder && opt.Writer != nil {
		return nil, fmt.Errorf("format %s is a folder of files and cannot go to one stream; name a folder", opt.Format)
	}
	if format.Folder && FormatOf(opt.Path) != "" {
		return nil, fmt.Errorf("format %s writes a folder, but %s is named like a file of format %s", opt.Format, opt.Path, FormatOf(opt.Path))
	}
	t, err := newTarget(opt, format.Folder)
	if err != nil {
		return nil, err
	}
	x := &export{ctx: ctx, g: &graph{s: s}, opt: opt, format: format, target: t, report: &Report{Format: opt.Format}}
	err = x.run()
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, errors.Join(err, t.abort())
	}
	if err := t.commit(); err != nil {
		return nil, errors.Join(err, t.abort())
	}
	x.report.Files, x.report.Bytes = t.files, t.bytes
	return x.report, nil
}

// export is the state of one Write.
type export struct {
	ctx    context.Context
	g      *graph
	opt    Options
	format *Format
	target *target
	report *Report
	nodes  []*table
	rels   []*table
	steps  uint64 // rows of this stage
	total  uint64
	stage  string
}

func (x *export) run() error {
	if err := x.scan(); err != nil {
		return err
	}
	if n := len(x.g.s.Schema.Indexes) + len(x.g.s.Schema.Constraints); n > 0 && !x.format.rules {
		x.report.Warnings = append(x.report.Warnings, fmt.Sprintf("%d indexes and constraints are not part of this format; the cypher format has them", n))
	}
	if !x.format.external && slices.ContainsFunc(x.nodes, func(t *table) bool { return len(t.spaces) > 0 }) {
		x.report.Warnings = append(x.report.Warnings, "the ids that loaded files gave nodes, beside properties, are not part of a script; the other formats have them")
	}
	return x.format.write(x)
}

// begin starts a stage of total rows.
func (x *export) begin(stage string, total uint64) {
	x.stage, x.steps, x.total = stage, 0, total
	x.opt.Progress(stage, 0, total)
}

// step counts a row, and now and then shows progress and looks whether the export is to stop.
func (x *export) step() error {
	x.steps++
	if x.steps%1024 != 0 {
		return nil
	}
	x.opt.Progress(x.stage, x.steps, x.total)
	return x.ctx.Err()
}

// eachNode calls fn for the nodes by rising id. The node is valid during the call.
func (x *export) eachNode(fn func(*node) error) error {
	x.begin("nodes", x.g.s.N())
	var n node
	for _, v := range x.g.order {
		if err := x.step(); err != nil {
			return err
		}
		x.g.node(v, &n)
		if err := fn(&n); err != nil {
			return err
		}
		x.report.Nodes++
	}
	return nil
}

// eachRel calls fn for the relationships by type. The relationship is valid during the call.
func (x *export) eachRel(fn func(*rel) error) error {
	x.begin("relationships", x.g.s.M())
	var r rel
	for _, t := range x.rels {
		for e := range t.edges() {
			if err := x.step(); err != nil {
				return err
			}
			x.g.rel(e, t, &r)
			if err := fn(&r); err != nil {
				return err
			}
			x.report.Relationships++
		}
	}
	return nil
}
