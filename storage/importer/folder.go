package importer

import (
	"bytes"
	"fmt"

	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/klauspost/compress/zip"
)

// content is what a file holds as far as its name and first line tell.
type content uint8

const (
	contentOther content = iota
	contentNodes         // a table whose header has :ID
	contentRels          // a table whose header has :START_ID
	contentGraph         // a graph of another format
	contentTable         // a table without such a header
	contentScript
)

// expand replaces a folder or an archive by the files in it. It makes node and relationship files of tables whose headers
// say so.
func (l *loader) expand() error {
	if len(l.Files) == 0 || len(l.Nodes)+len(l.Relationships) > 0 || l.Format != "" && l.Format != FormatCSV {
		return nil
	}
	files, from, err := l.members()
	if err != nil {
		return err
	}
	found := make(map[content][]string)
	for _, f := range files {
		if err := l.ctx.Err(); err != nil {
			return err
		}
		c, err := l.contentOf(f)
		if err != nil {
			return err
		}
		found[c] = append(found[c], f)
	}
	if len(found[contentScript]) > 0 && from == "" {
		return &Error{File: files[0], Msg: "this is a script of statements; motif run DB FILE runs it"}
	}
	typed := slices.Concat(found[contentNodes], found[contentRels])
	switch {
	case from == "" && l.Format == "" && len(typed) > 0 && len(typed)+len(found[contentTable]) < len(files):
		return &Error{File: firstOther(found), Msg: fmt.Sprintf("this is no node or relationship file, but %s is one; load them one after the other, the second with --append", typed[0])}
	case len(typed) > 0 && (from != "" || l.Format == "" || len(typed) == len(files)):
		return headedTables(l, found, from)
	case from == "" && len(found[contentTable]) == len(files):
		return plainTables(l, files)
	case from == "":
		return nil
	case len(found[contentGraph]) == 1:
		l.Files = found[contentGraph]
		return nil
	case len(found[contentGraph]) == 0 && len(found[contentTable]) > 0:
		warnLeftOut(l, slices.Concat(found[contentOther], found[contentScript]))
		l.Files = found[contentTable]
		return plainTables(l, l.Files)
	}
	return &Error{File: from, Msg: fmt.Sprintf("found no node file (its header has :ID), no relationship file (:START_ID, :END_ID) and not one graph file among %s (%s); name what to load: one graph file, or node and relationship files",
		plural(uint64(len(files)), "file", "files"), listed(files))}
}

// firstOther is the first file that is no table.
func firstOther(found map[content][]string) string {
	return slices.Min(slices.Concat(found[contentOther], found[contentGraph], found[contentScript]))
}

func warnLeftOut(l *loader, files []string) {
	for _, f := range files {
		l.warn("%s: left out; it is no node or relationship file", f)
	}
}

// headedTables makes node and relationship files of tables whose headers say so. Tables beside them, which have plain headers, count
// if they were named one by one. Those of a folder are left out.
func headedTables(l *loader, found map[content][]string, from string) error {
	for _, f := range found[contentNodes] {
		var paths []string
		paths, found[contentTable] = headerParts(f, found[contentTable])
		l.Nodes = append(l.Nodes, NodeFile{Paths: paths})
	}
	for _, f := range found[contentRels] {
		var paths []string
		paths, found[contentTable] = headerParts(f, found[contentTable])
		l.Relationships = append(l.Relationships, RelationshipFile{Paths: paths})
	}
	if from == "" {
		t, err := tableFiles(l, found[contentTable])
		if err != nil {
			return err
		}
		l.Nodes, l.Relationships = append(l.Nodes, t.nodes...), append(l.Relationships, t.rels...)
		l.report.Detected = strings.Join(t.why, "; ")
	} else {
		for _, c := range []content{contentOther, contentTable, contentGraph, contentScript} {
			warnLeftOut(l, found[c])
		}
	}
	l.Files, l.Format = nil, ""
	if l.Type == EdgeType {
		l.Type = ""
	}
	return nil
}

// members lists the files of the folder or archive that Files names, from, or else Files.
func (l *loader) members() (files []string, from string, err error) {
	if len(l.Files) != 1 {
		return l.Files, "", nil
	}
	from = l.Files[0]
	if l.FS != nil {
		info, err := fs.Stat(l.FS, from)
		if err != nil || !info.IsDir() {
			return l.Files, "", nil
		}
		entries, err := fs.ReadDir(l.FS, from)
		return filesOf(entries, func(name string) string { return path.Join(from, name) }), from, err
	}
	if info, err := os.Stat(from); err == nil && info.IsDir() {
		entries, err := os.ReadDir(from)
		return filesOf(entries, func(name string) string { return filepath.Join(from, name) }), from, err
	}
	if !strings.HasSuffix(strings.ToLower(from), ".zip") || !isFile(from) {
		return l.Files, "", nil
	}
	z, err := zip.OpenReader(from)
	if err != nil {
		return nil, from, fileError(from, err)
	}
	defer z.Close()
	for _, f := range z.File {
		if !strings.HasSuffix(f.Name, "/") && !strings.HasPrefix(path.Base(f.Name), ".") && !strings.HasPrefix(f.Name, "__MACOSX/") {
			files = append(files, from+"/"+f.Name)
		}
	}
	if len(files) == 1 {
		return l.Files, "", nil
	}
	slices.Sort(files)
	return files, from, nil
}

// filesOf are the files of a folder that are not hidden.
func filesOf(entries []fs.DirEntry, full func(string) string) (files []string) {
	for _, e := range entries {
		if !e.IsDir() && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, full(e.Name()))
		}
	}
	return files
}

// contentOf looks at a file's name and, of a table, its header. What cannot be read is left to who reads it.
func (l *loader) contentOf(file string) (content, error) {
	base := baseName(file)
	for i := range Formats {
		f := &Formats[i]
		if _, ok := suffixOf(base, slices.Concat(f.Suffixes, f.Shared)); !ok {
			continue
		}
		if f.Name == FormatCSV {
			return l.csvContent(file)
		}
		return contentGraph, nil
	}
	switch filepath.Ext(base) {
	case ".parquet":
		return l.parquetContent(file)
	case ".cypher", ".cql":
		return contentScript, nil
	}
	return contentOther, nil
}

func (l *loader) csvContent(file string) (content, error) {
	src, err := l.openSource(file)
	if err != nil {
		return contentTable, nil
	}
	defer src.Close()
	t, err := newText(src, sample, nil)
	if err != nil {
		return contentTable, nil
	}
	line := bytes.TrimLeft(t.rest[leadingComments(t.rest):], "\r\n")
	line = line[:lineEnd(line, 0)]
	return headerContent(string(line)), nil
}

// parquetContent tells by the names of columns.
func (l *loader) parquetContent(file string) (content, error) {
	probe := newLoader(Spec{FS: l.FS}, l.open, nil)
	f, err := probe.openParquet(file, true)
	if err == nil {
		defer f.close()
		if f.h.find(roleID) >= 0 && !f.h.plain {
			return contentNodes, nil
		}
		return contentTable, nil
	}
	if f, err = probe.openParquet(file, false); err != nil {
		return contentTable, nil
	}
	defer f.close()
	if f.h.plain {
		return contentTable, nil
	}
	return contentRels, nil
}

// headerContent tells a node file from a relationship file by its header.
func headerContent(line string) content {
	if strings.Contains(line, ":START_ID") || strings.Contains(line, ":END_ID") {
		return contentRels
	}
	for rest := line; ; {
		_, after, ok := strings.Cut(rest, ":ID")
		if !ok {
			return contentTable
		}
		if after == "" || strings.IndexByte(",;|\t\"\r ({", after[0]) >= 0 {
			return contentNodes
		}
		rest = after
	}
}

// headerFile matches the name of a file that holds a header alone, as neo4j-admin has it: persons_header.csv.
var headerFile = regexp.MustCompile(`^(.*?)[-_.]?headers?\.[ct]sv$`)

// partFile matches what follows the stem of a header file in the names of its parts: persons.csv, persons_1.csv, persons-part-1.csv.
var partFile = regexp.MustCompile(`^[-_.]?(part)?[-_.]?[0-9]*\.[ct]sv$`)

// headerParts returns a file with the tables below it, if its name says that it is a header alone, and the other tables.
func headerParts(file string, tables []string) (paths, rest []string) {
	paths = []string{file}
	stem := headerFile.FindStringSubmatch(baseName(file))
	if stem == nil || stem[1] == "" {
		return paths, tables
	}
	for _, t := range tables {
		if end, ok := strings.CutPrefix(baseName(t), stem[1]); ok && partFile.MatchString(end) {
			paths = append(paths, t)
		} else {
			rest = append(rest, t)
		}
	}
	return paths, rest
}
