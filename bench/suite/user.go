package suite

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif"
)

//go:embed user.json
var userJSON []byte

// userFile is the content of user.json: graphs as tables, and the queries on them. bench/peers reads the same file.
type userFile struct {
	Graphs  []userGraph
	Queries []struct {
		Name   string // graph/question
		Want   string // the answer as answerOf writes it
		Cypher string
	}
}

// addUser adds queries as people type them: a pattern, and then groups, joins on properties, distances or rows.
func addUser(add adder, wikiVote *graph) {
	var file userFile
	if err := json.Unmarshal(userJSON, &file); err != nil {
		panic(fmt.Sprintf("user.json: %v", err))
	}
	graphs := make(map[string]*graph)
	for _, g := range file.Graphs {
		graphs[g.Name] = &graph{name: g.Name, file: g.Archive, build: g.build}
	}
	for _, q := range file.Queries {
		graph, name, _ := strings.Cut(q.Name, "/")
		add(User, graphs[graph], graph, row{name: name, ask: userQuery(q.Cypher), ref: Reference{Want: q.Want}})
	}
	addOutput(add, wikiVote, graphs["slashdot-directed"])
	addWrites(add)
}

// userQuery is an asker of one text. The store is opened anew for it, so that its first run is a first query, and every run parses
// and plans the text.
type userQuery string

func (q userQuery) prepare(_ context.Context, o *opened) (question, error) {
	db, err := o.reopen(o.store, motif.WithReadOnly())
	if err != nil {
		return nil, err
	}
	return typed{db, string(q), o}, nil
}

// typed is a text that is asked of a database as it stands.
type typed struct {
	db   *motif.DB
	text string
	o    *opened
}

func (t typed) run(ctx context.Context) (a answer, err error) {
	rows, err := t.db.Query(ctx, t.text, nil, motif.WithTimeout(t.o.timeout))
	if err != nil {
		return a, err
	}
	var lines []string
	for row, err := range rows.All() {
		if err != nil {
			return a, err
		}
		lines = append(lines, lineOf(row.Values()))
	}
	sum := rows.Summary()
	return answer{result: answerOf(lines), matches: float64(len(lines)), candidates: sum.Candidates, charged: sum.PeakMemory,
		prepared: sum.Parse + sum.Planning}, nil
}

// answerOf is the number of rows and a checksum that does not depend on their order. bench/peers/common.js computes the same.
func answerOf(lines []string) string {
	sum := sha256.Sum256([]byte(strings.Join(slices.Sorted(slices.Values(lines)), "\n")))
	return fmt.Sprintf("%d rows %x", len(lines), sum[:6])
}

// lineOf writes a row. It rounds fractions to ten digits, because programs add them up in different orders.
func lineOf(values []any) string {
	cells := make([]string, len(values))
	for i, v := range values {
		cells[i] = cellOf(v)
	}
	return strings.Join(cells, "|")
}

func cellOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		if v != math.Trunc(v) {
			v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 10, 64), 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(v)
}
