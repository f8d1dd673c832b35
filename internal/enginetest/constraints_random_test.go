package enginetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/motifql/motif"
)

// A demand is a constraint as the oracle sees it.
type demand struct {
	text string // without CREATE CONSTRAINT
	rel  bool
	on   string
	keys []string
	what string // "UNIQUE", "KEY", "NOT NULL", ":: INTEGER | BOOLEAN" or ":: LIST<STRING NOT NULL>"
}

func randomDemand(rng *rand.Rand) demand {
	d := demand{rel: rng.IntN(3) == 0, on: []string{"A", "B"}[rng.IntN(2)]}
	d.what = []string{"UNIQUE", "UNIQUE", "KEY", "NOT NULL", ":: INTEGER | BOOLEAN", ":: LIST<STRING NOT NULL>"}[rng.IntN(6)]
	d.keys = []string{[]string{"x", "y", "z"}[rng.IntN(3)]}
	if (d.what == "UNIQUE" || d.what == "KEY") && rng.IntN(2) == 0 {
		d.keys = [][]string{{"x", "y"}, {"y", "z"}, {"z", "x"}, {"x", "y", "z"}}[rng.IntN(4)]
	}
	element, variable := "(n:"+d.on+")", "n"
	if d.rel {
		element, variable = "()-[r:"+d.on+"]-()", "r"
	}
	for i, k := range d.keys {
		if i > 0 {
			d.text += ", "
		}
		d.text += variable + "." + k
	}
	if len(d.keys) > 1 {
		d.text = "(" + d.text + ")"
	}
	words := [][2]string{{"FOR", "REQUIRE"}, {"ON", "ASSERT"}}[rng.IntN(2)]
	d.text = words[0] + " " + element + " " + words[1] + " " + d.text + " IS " + d.what
	return d
}

// element is a node or a relationship: its labels or type, and its properties.
type element struct {
	rel   bool
	on    []string
	props map[string]any
}

// elements are all nodes and relationships that a query sees.
func elements(t *testing.T, tx *motif.Tx) (all []element) {
	t.Helper()
	for i, query := range []string{"MATCH (n) RETURN labels(n) AS l, properties(n) AS p", "MATCH ()-[r]->() RETURN [type(r)] AS l, properties(r) AS p"} {
		rows, err := tx.Query(t.Context(), query, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var labels []string
			var props map[string]any
			if err := rows.Scan(&labels, &props); err != nil {
				t.Fatal(err)
			}
			all = append(all, element{i == 1, labels, props})
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// holds is the definition: whether a constraint holds in a graph.
func (d *demand) holds(all []element) bool {
	seen := map[string]bool{}
	for _, e := range all {
		if e.rel != d.rel || !slices.Contains(e.on, d.on) {
			continue
		}
		key, missing := "", false
		for _, k := range d.keys {
			v, ok := e.props[k]
			if f, isFloat := v.(float64); isFloat && f == float64(int64(f)) { // 1.0 equals 1
				key += fmt.Sprintf("%v;", int64(f))
			} else {
				key += fmt.Sprintf("%#v;", v)
			}
			missing = missing || !ok
			switch v := v.(type) {
			case int64, bool:
				if d.what == ":: LIST<STRING NOT NULL>" {
					return false
				}
			case []any:
				strings := !slices.ContainsFunc(v, func(x any) bool { _, is := x.(string); return !is })
				if strings && d.what == ":: LIST<STRING NOT NULL>" {
					break
				}
				if d.what[0] == ':' {
					return false
				}
			case nil:
			default:
				if d.what[0] == ':' {
					return false
				}
			}
		}
		if missing && (d.what == "KEY" || d.what == "NOT NULL") {
			return false
		}
		if !missing && (d.what == "KEY" || d.what == "UNIQUE") {
			if seen[key] {
				return false
			}
			seen[key] = true
		}
	}
	return true
}

func constantNear(rng *rand.Rand) string {
	return []string{"1", "2", "3", "1.0", "true", "'a'", "['a', 'b']", "['a']", "[1]", "null", "1.5"}[rng.IntN(11)]
}

// writeNear is a statement that changes nodes and relationships of few labels, types, properties and values.
func writeNear(rng *rand.Rand) string {
	label := func() string { return []string{"A", "B"}[rng.IntN(2)] }
	key := func() string { return []string{"x", "y", "z"}[rng.IntN(3)] }
	props := func() string {
		var list []string
		for _, k := range []string{"x", "y", "z"} {
			if rng.IntN(3) > 0 {
				list = append(list, k+": "+constantNear(rng))
			}
		}
		return "{" + strings.Join(list, ", ") + "}"
	}
	switch rng.IntN(12) {
	case 0, 1, 2:
		return fmt.Sprintf("CREATE (:%s %s)", label(), props())
	case 3:
		return fmt.Sprintf("CREATE (:%s:C %s)-[:%s %s]->(:%s %s)", label(), props(), label(), props(), label(), props())
	case 4:
		return fmt.Sprintf("MATCH (n:%s) WITH n ORDER BY id(n) LIMIT 2 SET n.%s = %s", label(), key(), constantNear(rng))
	case 5:
		return fmt.Sprintf("MATCH (n:%s) WITH n ORDER BY id(n) LIMIT 1 SET n = %s", label(), props())
	case 6:
		return fmt.Sprintf("MATCH (n:%s) WITH n ORDER BY id(n) LIMIT 1 SET n:%s", label(), label())
	case 7:
		return fmt.Sprintf("MERGE (n:%s {%s: %d}) ON CREATE SET n += %s ON MATCH SET n.%s = %s", label(), key(), rng.IntN(3), props(), key(), constantNear(rng))
	case 8:
		return fmt.Sprintf("MATCH (a:%s), (b:%s) WITH a, b ORDER BY id(a), id(b) LIMIT 1 MERGE (a)-[r:%s]->(b) SET r += %s", label(), label(), label(), props())
	case 9:
		return fmt.Sprintf("MATCH ()-[r:%s]->() WITH r ORDER BY id(r) LIMIT 2 SET r.%s = %s", label(), key(), constantNear(rng))
	case 10:
		return fmt.Sprintf("MATCH (n:%s) WITH n ORDER BY id(n) LIMIT 1 DETACH DELETE n CREATE (:%s %s)", label(), label(), props())
	}
	return fmt.Sprintf("LOAD CSV WITH HEADERS FROM 'rows.csv' AS row CREATE (:%s {x: toInteger(row.x) + %d, y: row.y})", label(), rng.IntN(5))
}

var errUndo = errors.New("undo")

// TestRandomConstraints runs random statements on a store with constraints, and on one without where the oracle looks at the whole
// graph after every statement. It also reopens the store, and restores a backup of it.
func TestRandomConstraints(t *testing.T) {
	refused, kept := 0, 0
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 77))
		files := motif.WithFiles(fstest.MapFS{"rows.csv": {Data: []byte("x,y\n1,a\n2,b\n")}})
		path := filepath.Join(t.TempDir(), "db")
		db, err := motif.Open(path, motif.WithCreate(), files)
		if err != nil {
			t.Fatal(err)
		}
		free, err := motif.Open(":memory:", files)
		if err != nil {
			t.Fatal(err)
		}
		var demands []demand
		for step := range 120 {
			if step%30 == 29 {
				db, path = reopened(t, rng, db, path, files)
			}
			if rng.IntN(12) == 0 && len(demands) < 5 {
				d := randomDemand(rng)
				_, err := db.Exec(t.Context(), "CREATE CONSTRAINT "+d.text, nil)
				there := slices.ContainsFunc(demands, func(o demand) bool {
					return o.rel == d.rel && o.on == d.on && o.what == d.what && slices.Equal(o.keys, d.keys)
				})
				var holds bool
				if err := free.View(t.Context(), func(tx *motif.Tx) error { holds = d.holds(elements(t, tx)); return nil }); err != nil {
					t.Fatal(err)
				}
				if (err == nil) != (holds && !there) {
					t.Fatalf("seed %d, step %d: %s: %v, and the graph keeps it: %v", seed, step, d.text, err, holds)
				}
				if err == nil {
					demands = append(demands, d)
				}
				continue
			}
			text := writeNear(rng)
			_, err := db.Exec(t.Context(), text, nil)
			broken := ""
			undone := free.Update(t.Context(), func(tx *motif.Tx) error {
				if _, err := tx.Exec(t.Context(), text, nil); err != nil {
					return err
				}
				all := elements(t, tx)
				for _, d := range demands {
					if !d.holds(all) {
						broken = d.text
						return errUndo
					}
				}
				return nil
			})
			var q *motif.QueryError
			switch {
			case errors.Is(undone, errUndo):
				if refused++; !errors.As(err, &q) || !strings.HasPrefix(q.Code, "ConstraintValidationFailed.") {
					t.Fatalf("seed %d, step %d: %s breaks %s: %v", seed, step, text, broken, err)
				}
			case (err == nil) != (undone == nil):
				t.Fatalf("seed %d, step %d: %s: %v, without constraints %v; %v", seed, step, text, err, undone, demands)
			default:
				kept++
			}
		}
		if err := errors.Join(db.Close(), free.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if refused < 100 || kept < 300 {
		t.Errorf("%d statements refused, %d kept", refused, kept)
	}
}

// reopened is the store opened again, or restored from a backup, and its path.
func reopened(t *testing.T, rng *rand.Rand, db *motif.DB, path string, files motif.Option) (*motif.DB, string) {
	t.Helper()
	var backup bytes.Buffer
	if _, err := db.Backup(t.Context(), &backup); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	restored := rng.IntN(2) == 0
	if restored {
		path = filepath.Join(t.TempDir(), "db")
	}
	db, err := motif.Open(path, motif.WithCreate(), files)
	if err == nil && restored {
		_, err = db.Restore(t.Context(), &backup)
	}
	if err != nil {
		t.Fatal(err)
	}
	return db, path
}
