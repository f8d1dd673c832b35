package suite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/storage/importer"
)

// queries is an asker of statements in the query language, run one after another.
type queries struct {
	texts []string
	read  func(files string) ([]string, error) // gives texts for an archive unpacked into files
	apart bool                                 // the result is each count, not their sum
}

// count asks for the number of matches of one pattern.
func count(match string) asker { return queries{texts: []string{match + " RETURN count(*) AS n"}} }

func (q queries) prepare(ctx context.Context, o *opened) (question, error) {
	db, err := o.database()
	if err != nil {
		return nil, err
	}
	if q.read != nil {
		if q.texts, err = q.read(o.files); err != nil {
			return nil, err
		}
	}
	p := &preparedQueries{o: o, apart: q.apart}
	for _, text := range q.texts {
		start := time.Now()
		stmt, err := db.Prepare(ctx, text)
		p.prepared += time.Since(start)
		if err != nil {
			return nil, err
		}
		p.list = append(p.list, stmt)
	}
	return p, nil
}

type preparedQueries struct {
	o     *opened
	list  []*motif.Stmt
	apart bool

	prepared time.Duration // for all of list, once
}

// run adds up the queries: a row of one integer counts for so many matches, any other row for one.
func (p *preparedQueries) run(ctx context.Context) (answer, error) {
	var a answer
	var total int64
	var each []string
	for _, stmt := range p.list {
		n, sum, err := ask(ctx, stmt, p.o)
		if err != nil {
			return a, err
		}
		total += n
		each = append(each, strconv.FormatInt(n, 10))
		a.candidates += sum.Candidates
		a.charged = max(a.charged, sum.PeakMemory)
		a.prepared += sum.Parse + sum.Planning
	}
	a.prepared = max(a.prepared, p.prepared)
	a.result, a.matches = strconv.FormatInt(total, 10), float64(total)
	if p.apart {
		a.result = strings.Join(each, " ")
	}
	return a, nil
}

func ask(ctx context.Context, stmt *motif.Stmt, o *opened) (n int64, sum motif.Summary, err error) {
	rows, err := stmt.Query(ctx, nil, motif.WithTimeout(o.timeout))
	if err != nil {
		return 0, sum, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return 0, sum, err
		}
		if count, ok := row.At(0).(int64); ok && row.Len() == 1 {
			n += count
		} else {
			n++
		}
	}
	return n, rows.Summary(), nil
}

// writePattern writes a pattern of undirected edges between the vertices v0, v1, ..., with labels L0, L1, ... if labelled.
func writePattern(edges [][2]int, labelled bool) string {
	var b strings.Builder
	seen := make(map[int]bool)
	node := func(v int) string {
		name := fmt.Sprintf("v%d", v)
		if labelled && !seen[v] {
			name += fmt.Sprintf(":L%d", v)
		}
		seen[v] = true
		return "(" + name + ")"
	}
	for i, e := range edges {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(node(e[0]) + "--" + node(e[1]))
	}
	return b.String()
}

// labelled counts the matches of a pattern whose vertices ask for a label each.
func labelled(edges [][2]int) asker {
	return count("MATCH DIFFERENT NODES " + writePattern(edges, true))
}

// distinct counts the subgraphs of a shape.
func distinct(edges [][2]int) asker {
	return count("MATCH DISTINCT SUBGRAPHS " + writePattern(edges, false))
}

// induced counts the induced subgraphs of several shapes, each apart.
func induced(shapes ...[][2]int) asker {
	q := queries{apart: true}
	for _, edges := range shapes {
		q.texts = append(q.texts, "MATCH DISTINCT INDUCED SUBGRAPHS "+writePattern(edges, false)+" RETURN count(*) AS n")
	}
	return q
}

// patternFiles asks for query graphs in t/v/e format: those that the format gives for 1 to most, which the archive has to hold. Of each,
// limit matches are found, or all counted if it is 0.
func patternFiles(format string, most, limit int) asker {
	return queries{read: func(files string) ([]string, error) {
		var texts []string
		for i := 1; i <= most; i++ {
			g, err := importer.ReadPattern(filepath.Join(files, filepath.FromSlash(fmt.Sprintf(format, i))))
			if err != nil {
				return nil, err
			}
			text := g.Query() + " RETURN count(*) AS n"
			if limit > 0 {
				text = g.Query() + fmt.Sprintf(" RETURN true LIMIT %d", limit)
			}
			texts = append(texts, text)
		}
		return texts, nil
	}}
}

// textFile asks what stands in a file of the archive.
func textFile(name string) asker {
	return queries{read: func(files string) ([]string, error) {
		text, err := os.ReadFile(filepath.Join(files, name))
		return []string{string(text)}, err
	}}
}
