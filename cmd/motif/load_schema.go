package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/repl"
	"github.com/motifql/motif/storage/importer"
)

// What a report of a load lists of a schema at most.
const (
	mostElements = 20 // lines
	mostKeys     = 20 // properties in a line
)

// describeSchema prints a line for each label, and for each type with the labels of its ends: how many there are, and their properties.
func describeSchema(w io.Writer, s *importer.Schema) {
	var rows [][3]string
	for i := range s.Labels {
		e := &s.Labels[i]
		rows = append(rows, [3]string{fmt.Sprint(e.Count), nodePattern(e.Name), describeProperties(e)})
	}
	for i := range s.Types {
		e := &s.Types[i]
		if e.Count == 0 {
			continue
		}
		for j, ends := range e.Ends {
			row := [3]string{fmt.Sprint(ends.Count), nodePattern(ends.From) + "-[:" + repl.Name(e.Name) + "]->" + nodePattern(ends.To)}
			if j == 0 {
				row[2] = describeProperties(e)
			}
			rows = append(rows, row)
		}
	}
	more := max(0, len(rows)-mostElements)
	rows = rows[:len(rows)-more]
	var widths [2]int
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	for _, row := range rows {
		pattern := row[1] + strings.Repeat(" ", widths[1]-utf8.RuneCountInString(row[1]))
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("  %*s %s  %s", widths[0], row[0], pattern, row[2]), " "))
	}
	if more > 0 {
		fmt.Fprintf(w, "  and %d more; :schema in the shell lists all\n", more)
	}
}

func nodePattern(label string) string {
	if label == "" {
		return "()"
	}
	return "(:" + repl.Visible(repl.Name(label)) + ")"
}

// describeProperties lists the properties of an element with their types, and how many have them if not all do.
func describeProperties(e *importer.ElementSchema) string {
	var b strings.Builder
	for i, p := range e.Properties {
		if i == mostKeys {
			fmt.Fprintf(&b, " and %d more", len(e.Properties)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: %s", repl.Visible(repl.Name(p.Key)), strings.Join(p.Types, " or "))
		if p.Count < e.Count {
			fmt.Fprintf(&b, " (%s)", fill(p.Count, e.Count))
		}
	}
	return b.String()
}

// fill is a share in per cent, which is never rounded to 0 or 100.
func fill(n, of uint64) string {
	share := 100 * float64(n) / float64(of)
	switch {
	case share < 1:
		return "<1 %"
	case share > 99:
		return ">99 %"
	}
	return fmt.Sprintf("%.0f %%", share)
}

// warnAppended warns of names that differ slightly from those that the store had, and of relationships that it had already.
func warnAppended(w io.Writer, r *motif.LoadReport) {
	for _, kind := range []struct {
		what  string
		fresh []string
		all   []importer.ElementSchema
	}{{"label", r.NewLabels, r.Schema.Labels}, {"type", r.NewTypes, r.Schema.Types}} {
		var names []string
		for i := range kind.all {
			if e := &kind.all[i]; e.Count > 0 && !slices.Contains(kind.fresh, e.Name) {
				names = append(names, e.Name)
			}
		}
		for _, name := range kind.fresh {
			if hint := repl.DidYouMean(name, names); hint != ";" {
				fmt.Fprintf(w, "warning: the %s %s is new in this store%s\n", kind.what, repl.Visible(repl.Name(name)), repl.Visible(hint))
			}
		}
	}
	if r.Repeated > 0 {
		fmt.Fprintf(w, "warning: %d of the relationships added repeat some that the store had: same ends, type and properties\n", r.Repeated)
	}
}
