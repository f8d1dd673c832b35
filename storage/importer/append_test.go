package importer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/pattern"
)

// appended loads first, then adds second.
func appended(t *testing.T, first, second Spec) (*csr.Snapshot, *Report, error) {
	t.Helper()
	old, _, err := Load(t.Context(), first, nil)
	if err != nil {
		t.Fatal(err)
	}
	return appendTo(t, old, second)
}

// appendTo adds spec to old.
func appendTo(t *testing.T, old *csr.Snapshot, spec Spec) (*csr.Snapshot, *Report, error) {
	t.Helper()
	part, r, err := LoadPart(t.Context(), spec, old, nil)
	if err != nil {
		return nil, nil, err
	}
	next, err := part.AddTo(t.Context(), old, r, 0)
	return next, r, err
}

// TestRandomAppend compares a load and an append with one load of everything: nodes, and relationships of which some have unknown ends.
func TestRandomAppend(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 400 {
		name := func(i int) string { return fmt.Sprint(i) }
		if rng.IntN(2) == 0 {
			name = func(i int) string { return fmt.Sprintf("n%d", i) }
		}
		n, cut := 1+rng.IntN(8), 0
		cut = 1 + rng.IntN(n)
		var nodes, rels [2]strings.Builder
		for i := range n {
			fmt.Fprintf(&nodes[btoi(i >= cut)], "%s,v%d\n", name(i), i)
		}
		for part := range 2 {
			for range rng.IntN(6) {
				most := []int{cut, n}[part]
				end := func() string {
					switch rng.IntN(18) {
					case 0, 1:
						return name(100)
					case 2:
						return ""
					}
					return name(rng.IntN(most))
				}
				fmt.Fprintf(&rels[part], "%s,%s,%d\n", end(), end(), rng.IntN(3))
			}
		}
		header, ends := "id:ID,x\n", ":START_ID,:END_ID,w:int\n"
		files := memory(map[string]string{"n0": header + nodes[0].String(), "n1": header + nodes[1].String(), "r0": ends + rels[0].String(), "r1": ends + rels[1].String()})
		part := func(i string) Spec {
			return Spec{Nodes: nodeFiles("N=n" + i), Relationships: relFiles("R=r" + i), FS: files, SkipBad: true, ListBad: true}
		}
		old, first, err := Load(t.Context(), part("0"), nil)
		if onlyBadRows(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		all, whole, err := Load(t.Context(), Spec{Nodes: nodeFiles("N=n0,n1"), Relationships: relFiles("R=r0,r1"), FS: files, SkipBad: true, ListBad: true}, nil)
		if err != nil && !onlyBadRows(err) {
			t.Fatal(err)
		}
		next, second, err := appendTo(t, old, part("1"))
		if onlyBadRows(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, want := badRows(first.BadRows)+badRows(second.BadRows), badRows(whole.BadRows); got != want || first.Skipped+second.Skipped != whole.Skipped {
			t.Fatalf("bad rows\n%swant\n%s", got, want)
		}
		if dump(next) != dump(all) || externals(next) != externals(all) {
			t.Fatalf("appended\n%s%swant\n%s%s", dump(next), externals(next), dump(all), externals(all))
		}
		if next.NextNode != all.NextNode || next.NextRel != all.NextRel {
			t.Fatalf("next ids %d, %d; want %d, %d", next.NextNode, next.NextRel, all.NextNode, all.NextRel)
		}
	}
}

// onlyBadRows reports whether a load failed because it left out all relationships of a file.
func onlyBadRows(err error) bool {
	return err != nil && strings.Contains(err.Error(), "no row could be loaded")
}

// badRows lists what is wrong with rows, without their places and the word on stores.
func badRows(rows []BadRow) string {
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&b, "%s: %d: %s: %s\n", row.Error.File, row.Error.Line, strings.TrimSuffix(row.Error.Msg, ", neither in the files nor in the store"), row.Row)
	}
	return b.String()
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestAppend adds to a graph what it knows, what it does not know, and both.
func TestAppend(t *testing.T) {
	files := memory(map[string]string{
		"people.csv": "id:ID,name,age:int\n1,Ann,36\n2,Bob,41\n", "more.csv": "id:ID,age:int,city\n2,42,Rome\n7,5,Oslo\n", "knows.csv": ":START_ID,:END_ID\n1,7\n2,1\n",
		"texts.csv": "id:ID,name\nx,Xi\n1,Eve\n", "away.csv": ":START_ID,:END_ID\n1,9\n", "cities.csv": ":ID(City),name\nr,Rome\n", "in.csv": ":START_ID(City),:END_ID\nr,1\n",
		"a.txt": "1 2\n2 3\n", "b.txt": "3 2\n3 4\n", "c.txt": "x 1\n", "g.jsonl": `{"type":"node","id":0,"properties":{"a":1}}`, "h.jsonl": `{"type":"node","id":0,"properties":{"b":2}}` + "\n" + `{"type":"node","id":5}` + "\n" + `{"type":"relationship","label":"T","start":5,"end":0}`,
		"away.jsonl": `{"type":"relationship","label":"T","start":5,"end":0}`, "stored.jsonl": `{"type":"relationship","label":"T","start":0,"end":0}`,
	})
	people := Spec{Nodes: nodeFiles("Person=people.csv"), FS: files}
	for name, test := range map[string]struct {
		first, second Spec
		want          string
		matched       uint64
	}{
		"update and add": {people, Spec{Nodes: nodeFiles("Citizen=more.csv"), Relationships: relFiles("KNOWS=knows.csv"), FS: files},
			"(0:Person {age: 36, id: 1, name: 'Ann'})\n(1:Citizen:Person {age: 42, city: 'Rome', id: 2, name: 'Bob'})\n(2:Citizen {age: 5, city: 'Oslo', id: 7})\n(0)-[:KNOWS]->(2)\n(1)-[:KNOWS]->(0)\n", 1},
		"text among integers": {people, Spec{Nodes: nodeFiles("texts.csv"), FS: files},
			"(0:Person {age: 36, id: 1, name: 'Eve'})\n(1:Person {age: 41, id: 2, name: 'Bob'})\n(2 {id: 'x', name: 'Xi'})\n", 1},
		"integers among text": {Spec{Nodes: nodeFiles("texts.csv"), FS: files}, Spec{Nodes: nodeFiles("more.csv"), FS: files},
			"(0 {id: 'x', name: 'Xi'})\n(1 {id: '1', name: 'Eve'})\n(2 {age: 42, city: 'Rome', id: '2'})\n(3 {age: 5, city: 'Oslo', id: '7'})\n", 0},
		"edges": {Spec{Files: []string{"a.txt"}, FS: files}, Spec{Files: []string{"b.txt"}, FS: files},
			"(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(3 {id: 4})\n(0)-[:EDGE]->(1)\n(1)-[:EDGE]->(2)\n(2)-[:EDGE]->(3)\n", 2},
		"text edges": {Spec{Files: []string{"a.txt"}, FS: files}, Spec{Files: []string{"c.txt"}, FS: files},
			"(0 {id: 1})\n(1 {id: 2})\n(2 {id: 3})\n(3 {id: 'x'})\n(0)-[:EDGE]->(1)\n(0)-[:EDGE]->(3)\n(1)-[:EDGE]->(2)\n", 1},
		"stable ids": {Spec{Files: []string{"g.jsonl"}, FS: files}, Spec{Files: []string{"h.jsonl"}, FS: files}, "(0 {a: 1, b: 2})\n(5)\n(5)-[:T]->(0)\n", 1},
		"stored":     {Spec{Files: []string{"g.jsonl"}, FS: files}, Spec{Files: []string{"stored.jsonl"}, FS: files}, "(0 {a: 1})\n(0)-[:T]->(0)\n", 0},
	} {
		s, r, err := appended(t, test.first, test.second)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if got := dump(s); got != test.want || r.Matched != test.matched {
			t.Errorf("%s gives %d matched and\n%swant %d and\n%s", name, r.Matched, got, test.matched, test.want)
		}
	}
	for _, test := range []struct {
		first, second Spec
		want          string
	}{
		{people, Spec{Relationships: relFiles("R=away.csv"), FS: files}, `away.csv:2:3: found id "9", which no node has, neither in the files nor in the store`},
		{Spec{Files: []string{"g.jsonl"}, FS: files}, Spec{Files: []string{"away.jsonl"}, FS: files}, `away.jsonl:1: found id "5" at the end of a relationship, which neither the files nor the store have`},
		{Spec{Files: []string{"g.jsonl"}, FS: files}, Spec{Files: []string{"a.txt"}, FS: files}, "the nodes of the store have no ids in the id space without a name, by which the files could add to them; name an id space in the headers, or write the rows with LOAD CSV and MERGE"},
	} {
		if _, _, err := appended(t, test.first, test.second); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// TestAppendTables charges the tables that an append makes of the store's ids and pairs, and ends with the context while it makes them.
func TestAppendTables(t *testing.T) {
	const n = 20_000
	var edges strings.Builder
	for i := range n {
		fmt.Fprintf(&edges, "a%d a%d\n", i, i+1)
	}
	spec := Spec{Files: []string{"e"}, FS: memory(map[string]string{"e": edges.String()})}
	old, _, err := Load(t.Context(), spec, nil)
	if err != nil {
		t.Fatal(err)
	}
	part, r, err := LoadPart(t.Context(), spec, old, nil)
	if err != nil {
		t.Fatal(err)
	}
	table := func(ctx context.Context, memory int64, fill func(*appending) error) (*appending, error) {
		a := &appending{ctx: ctx, old: old, add: part.graph, given: part.given, report: r, b: csr.NewBuilder(), ids: newStoreIDs(old), at: make([]uint32, part.graph.N()), mem: budgetOf(memory)}
		return a, fill(a)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	for name, fill := range map[string]func(*appending) error{"ids": (*appending).checkIDs, "pairs": (*appending).newRels} {
		if a, err := table(t.Context(), 1<<40, fill); err != nil || a.mem.Used() < n*mapEntry*9/10 {
			t.Errorf("%s: %d bytes are charged (%v)", name, a.mem.Used(), err)
		}
		if _, err := table(t.Context(), n*mapEntry/2, fill); err != pattern.ErrMemory {
			t.Errorf("%s, with too little memory: %v", name, err)
		}
		if _, err := table(ended, 0, fill); err != context.Canceled {
			t.Errorf("%s, with an ended context: %v", name, err)
		}
	}
}

// TestAppendTable adds plain tables that nobody named as nodes or relationships to a graph of people, books and loans.
func TestAppendTable(t *testing.T) {
	files := map[string]string{
		"people.csv": "no,name\np1,Ann\np2,Bob\np3,Cleo\n", "books.csv": "isbn,title\n101,Sea\n102,Sun\n", "loans.csv": "person,book,taken\np1,101,1/2/2020\n",
		"loans2.csv": "person,book,taken\np2,101,1/3/2020\np1,102,2/3/2020\np2,102,3/3/2020\n", "texts.csv": "taken,a,b\n1/2/2020,p1,p3\n", "pairs.csv": "a,b\np1,p2\n",
		"people2.csv": "id,name,age\np4,Dan,7\n", "people3.csv": "id,name,age\np4,Dan,7\np3,Cleo,8\n", "scores.csv": "person,score\np3,8\np4,9\n", "twice.csv": "name,score\nEve,8\nFay,9\nEve,9\n",
		"new.csv": "a,b\nx,y\ny,x\n",
	}
	library := Spec{Nodes: nodeFiles("Person=people.csv", "Book=books.csv"), Relationships: relFiles("BORROWED=loans.csv"), FS: memory(files)}
	for file, want := range map[string]string{
		"loans2.csv": `loans2.csv:1: found columns "person" and "book", whose values are ids of nodes that the store has; --rels BORROWED=loans2.csv makes a relationship of each line; --nodes Loans=loans2.csv changes or adds a node for each line`,
		"texts.csv":  `texts.csv:1: found columns "a" and "b", whose values are ids of nodes that the store has; --rels BORROWED=texts.csv makes a relationship of each line; --nodes Texts=texts.csv changes or adds a node for each line`,
		"pairs.csv": `pairs.csv:1: found columns "a" and "b", whose values are ids of nodes that the store has; --rels BORROWED=pairs.csv makes a relationship of each line; --nodes Pairs=pairs.csv changes or adds a node for each line; ` +
			`--format csv reads the first two columns as pairs, and leaves the others out`,
		"people2.csv": "",
		"people3.csv": `people3.csv:3:1: found id "p3", which a node of the store has, in a table that was not named as one of nodes; --nodes People=people3.csv changes the nodes that the store has; --rels TYPE=people3.csv makes a relationship of each line`,
		"scores.csv":  `scores.csv:2:1: found id "p3", which a node of the store has, in a table that was not named as one of nodes; --nodes Scores=scores.csv changes the nodes that the store has; --rels TYPE=scores.csv makes a relationship of each line`,
		"twice.csv": `twice.csv:4:1: found id "Eve" a second time in the id space without a name; Motif made a node of each line, as its first two columns hold values of different types; ` +
			`if each line is a relationship, write --rels TWICE=twice.csv; if it is a node, write --nodes Twice=twice.csv and --skip-bad, which keeps the first row of each id`,
		"new.csv": "",
	} {
		for _, skip := range []bool{false, want != ""} {
			spec := Spec{Files: []string{file}, FS: memory(files), SkipBad: skip}
			old, _, err := Load(t.Context(), library, nil)
			if err != nil {
				t.Fatal(err)
			}
			part, _, err := LoadPart(t.Context(), spec, old, nil)
			if e, ok := errors.AsType[*Error](err); ok {
				err = fmt.Errorf("%w; %s", err, e.Hint)
			}
			if got := fmt.Sprint(err); got != want && (want != "" || err != nil || part == nil) {
				t.Errorf("%s gives\n%s\nwant\n%s", file, got, want)
			}
		}
	}
}

// TestAppendReport says what an append added, what is new, and what may be a mistake.
func TestAppendReport(t *testing.T) {
	files := memory(map[string]string{
		"p.csv": "id,born\n1,2000-01-02\n2,2001-03-04\n", "k.csv": "from,to,day\n1,2,13/02/2020\n2,1,11/02/2020\n2,1,11/02/2020\n",
		"p2.csv": "id,born\n3,02/03/2001\n", "k2.csv": "from,to,day\n1,2,01/02/2020\n2,1,11/02/2020\n",
	})
	first := Spec{Nodes: nodeFiles("P=p.csv"), Relationships: relFiles("K=k.csv"), FS: files}
	_, r, err := appended(t, first, Spec{Nodes: nodeFiles("Q=p2.csv"), Relationships: relFiles("K=k2.csv"), FS: files})
	if err != nil {
		t.Fatal(err)
	}
	if r.Nodes != 3 || r.OldNodes != 2 || r.Relationships != 5 || r.OldRelationships != 3 || r.Repeated != 1 || fmt.Sprint(r.NewLabels, r.NewTypes) != "[Q] []" {
		t.Errorf("%+v", r)
	}
	if all := strings.Join(r.Warnings, "\n"); !strings.Contains(all, "day: toInteger(split(r.day, '/')[0])") || strings.Contains(all, "r.day, '/')[0]), or") {
		t.Error(all)
	}
	_, r, err = appended(t, first, Spec{Nodes: nodeFiles("P=p2.csv"), FS: files})
	if want := `property "born" of P is of type string in the files, and of type date in the store; a comparison finds only one of them`; err != nil || r.Warnings[len(r.Warnings)-1] != want {
		t.Error(r.Warnings, err)
	}
}
