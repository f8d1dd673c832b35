package repl

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/motifql/motif"
)

var testCompleter = newCompleter(nil, &motif.Schema{
	Labels:   []motif.NameCount{{Name: "Person"}, {Name: "Place"}, {Name: "Big City"}},
	Types:    []motif.NameCount{{Name: "KNOWS"}, {Name: "LIKES"}},
	NodeKeys: []string{"name", "born"}, RelationshipKeys: []string{"since", "name"},
}, motif.Params{"min": 1})

// at completes a text in which ‸ stands for the cursor.
func at(c *completer, text string) candidates {
	cursor := strings.Index(text, "‸")
	return c.complete(strings.Replace(text, "‸", "", 1), cursor)
}

func texts(c candidates) []string {
	var list []string
	for _, x := range c.list {
		list = append(list, x.Text)
	}
	return list
}

func TestComplete(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // exactly these, or with a + in front these among others
		not  string
	}{
		{"‸", "+MATCH,CREATE,MERGE,CALL,EXPLAIN,PROFILE", "WHERE"},
		{"cre‸", "create", ""},
		{"retu‸", "return", ""},
		{"FORE‸", "FOREACH", ""},
		{"optional‸", "optional match", ""},
		{"BEG‸", "BEGIN", ""},
		{"roll‸", "rollback", ""},
		{"MATCH (a) RETURN a; COM‸", "COMMIT", ""},
		{"LOAD CS‸", "CSV", ""},
		{"MATCH (a) RETURN a ORDER ‸", "+BY", ""},
		{"MATCH (a) DETACH DEL‸", "DELETE", ""},
		{"MATCH (a) WHERE a.x is no‸", "+not null,not", "null"},
		{"MATCH (a) RETURN a UNION A‸", "+ALL", ""},
		{"MATCH (a) REM‸", "REMOVE", ""},
		{"CREATE (a:‸", "Person,Place,`Big City`", ""},
		{"MATCH (a) SET a.na‸", "name", ""},
		{"MATCH (a) RETURN exi‸", "exists {,exists(", ""},
		{"MATCH (a) RETURN shorte‸", "+shortestPath(", ""},
		{"mat‸", "match", ""},
		{"MATCH (a) RETURN a; MA‸", "+MATCH", "Person"},
		{":set f‸", "filter", ""},
		{":set kernel ‸", "auto,join,clique", ""},
		{":set without complete,signature-p‸", "signature-path", ""},
		{"MATCH (a:‸", "Person,Place,`Big City`", ""},
		{"MATCH (a:P‸", "Person,Place", ""},
		{"MATCH (a:p‸) RETURN a", "Person,Place", ""},
		{"MATCH (a:`Big‸", "`Big City`", ""},
		{"MATCH (:Person|‸", "Person,Place,`Big City`", ""},
		{"MATCH (:Person&!(Pl‸", "Place", ""},
		{"MATCH (a)-[:‸", "KNOWS,LIKES", ""},
		{"MATCH (a)<-[r:KNOWS|L‸", "LIKES", ""},
		{"MATCH (a)-[r {‸", "born,name,since", ""},
		{"MATCH (a {name: 'x', b‸", "born", ""},
		{"MATCH (a) WHERE a.‸", "born,name,since", ""},
		{"MATCH (a) WHERE a.na‸ = 1", "name", ""},
		{"MATCH (a) WHERE a:Per‸", "Person", ""},
		{"MATCH (alf)--(bob)--(‸", "alf,bob,WHERE", ""},
		{"MATCH (alf)--(bob)--(al‸", "alf", "ALL_DIFFERENT("},
		{"MATCH (alf)--(bob) RETURN alf, b‸", "+bob", "Person"},
		{"MATCH (alf)--(bob) WHERE al‸ RETURN bob", "+alf,ALL_DIFFERENT(", ""},
		{"MATCH (alf) RETURN ‸ ; MATCH (zoe) RETURN zoe", "+alf,ORDER BY", "zoe"},
		{"MATCH (a) RETURN coll‸", "collect {,collect(", ""},
		{"MATCH (a) RETURN a.name ord‸", "order by", ""},
		{"MATCH (a) RETURN a AS ‸", "", ""},
		{"MATCH ‸", "DIFFERENT NODES,DIFFERENT RELATIONSHIPS,REPEATABLE ELEMENTS,DISTINCT SUBGRAPHS,INDUCED SUBGRAPHS,DISTINCT INDUCED SUBGRAPHS,ANY SHORTEST,ALL SHORTEST,SHORTEST,TRAIL,ACYCLIC", ""},
		{"MATCH DIS‸", "DISTINCT SUBGRAPHS,DISTINCT INDUCED SUBGRAPHS", ""},
		{"MATCH (a) WHERE a.age > $‸", "min", ""},
		{"MATCH (a {name: 'Per‸", "", ""},
		{"MATCH (a) // Per‸", "", ""},
		{"MATCH (a) /* Per‸", "", ""},
		{"MATCH (a) LIMIT 1‸", "", ""},
		{"MATCH (a)\nWHERE a.‸", "born,name,since", ""},
		{"CALL ‸", "+db.labels(,algo.kcore(,algo.bfs(", "MATCH"},
		{"CALL alg‸", "+algo.kcore(,algo.cliques(", "db.labels("},
		{"CALL algo.‸", "+algo.kcore(,algo.ktruss(,algo.bfs(,algo.cliqueCount(,algo.cliques(,algo.shortestPath(", ""},
		{"CALL ALGO.KC‸", "algo.kcore(", ""},
		{"MATCH (a) CALL db.prop‸", "db.propertyKeys(", ""},
		{"CALL algo.cliques({‸", "+size,label,type,types", "core"},
		{"CALL algo.cliques({size: 3, ty‸", "type,types", ""},
		{"CALL algo.bfs(a, {maxDepth: 3, d‸", "direction", ""},
		{"CALL algo.kcore({types: ['A', ‸", "+", "types"},
		{"CALL algo.kcore({variant: ‸", "'auto','bz','park','rlcore','escore'", ""},
		{"CALL algo.kcore({k: 2, variant: 'b‸", "'bz'", ""},
		{"CALL algo.triangleCount({perNode: t‸", "true", ""},
		{"CALL algo.kcore({label: 'P‸", "+'Person'", "Place"},
		{"CALL algo.kcore({type: 'A'}) WHERE x = 'P‸", "", ""},
		{"CALL algo.kcore({type: 'A'}) yi‸", "yield", ""},
		{"CALL algo.kcore() YIELD ‸", "node,core", ""},
		{"CALL algo.kcore() YIELD node, c‸", "core", ""},
		{"CALL algo.kcore() YIELD node AS ‸", "", ""},
		{"CALL algo.kcore() YIELD node, core WHERE co‸", "+core,coalesce(", ""},
		{"CALL algo.kcore() YIELD node, core RETURN node.‸", "born,name,since", ""},
		{"CALL algo.kcore() YIELD node, core MATCH (node:Pl‸", "Place", ""},
		{":‸", "+:help,:schema,:quit", ""},
		{":ti‸", ":timing", ""},
		{":mode j‸", "json,jsonl", ""},
		{":help mo‸", "modes", ""},
		{":timing ‸", "on,off", ""},
		{":param ‸", "min", ""},
		{":explain MATCH (a:Pl‸", "Place", ""},
		{":quit ‸", "", ""},
	} {
		got := at(testCompleter, c.text)
		list := texts(got)
		want, some := strings.CutPrefix(c.want, "+")
		for _, w := range strings.FieldsFunc(want, func(r rune) bool { return r == ',' }) {
			if !some || w == "" {
				continue
			}
			if !slices.Contains(list, w) {
				t.Errorf("%s: %s is missing in %q", c.text, w, list)
			}
		}
		if !some && strings.Join(list, ",") != want {
			t.Errorf("%s: %q, want %q", c.text, list, want)
		}
		if c.not != "" && slices.Contains(list, c.not) {
			t.Errorf("%s offers %s", c.text, c.not)
		}
		if len(list) > 0 && got.before+got.word != c.text[:strings.Index(c.text, "‸")] {
			t.Errorf("%s: before %q and word %q are not the text up to the cursor", c.text, got.before, got.word)
		}
	}
}

func TestCompleteFiles(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"one.cypher", "other.cypher", ".hidden"} {
		if err := os.WriteFile(filepath.Join(dir, f), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "ogre"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := dir + string(filepath.Separator)
	want := []string{p + "ogre" + string(filepath.Separator), p + "one.cypher", p + "other.cypher"}
	for _, word := range []string{p, p + "o"} {
		if got := texts(at(testCompleter, ":read "+word+"‸")); !slices.Equal(got, want) {
			t.Errorf(":read %s: %q, want %q", word, got, want)
		}
	}
	if got := texts(at(testCompleter, ":read "+p+"nowhere/‸")); got != nil {
		t.Errorf("%q", got)
	}
}

// Nothing that can be typed upsets completion or highlighting, and colours leave the text as it is.
func FuzzComplete(f *testing.F) {
	for _, s := range []string{"MATCH (a:P)-[r:K]->(b {x: 'é'}) WHERE a.n =~ \"x\" RETURN *;", ":mode ", "/*", "`", "$`a", "日本(:", "\xff(", "{[(;"} {
		f.Add(s, len(s))
	}
	f.Fuzz(func(t *testing.T, text string, cursor int) {
		if cursor < 0 || cursor > len(text) || strings.Contains(text, "\x1b") {
			return
		}
		got := testCompleter.complete(text, cursor)
		if len(got.list) > 0 && got.before+got.word != text[:cursor] {
			t.Errorf("%q at %d: %q + %q", text, cursor, got.before, got.word)
		}
		plain := highlight(text)
		for _, c := range append(slices.Collect(maps.Values(colours)), noColour) {
			plain = strings.ReplaceAll(plain, c, "")
		}
		if plain != text {
			t.Errorf("%q became %q", text, plain)
		}
		for s := range split(text) {
			if text[s.offset:s.offset+len(s.text)] != s.text {
				t.Errorf("%q: statement %q is not at %d", text, s.text, s.offset)
			}
		}
		complete(text)
	})
}
