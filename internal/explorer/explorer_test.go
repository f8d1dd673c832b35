package explorer

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/motifql/motif"
)

// page is a browser that has opened the link.
type page struct {
	*testing.T
	srv    *httptest.Server
	client *http.Client
	db     *motif.DB
}

var testFiles = fstest.MapFS{"index.html": {Data: []byte("<title>Motif</title>")}, "app.js": {Data: []byte("1")}}

const testToken = "test-token"

// serve starts an explorer of a graph. Nobody has opened its link.
func serve(t *testing.T, db *motif.DB, opt Options) *page {
	t.Helper()
	opt.Token, opt.Page = testToken, testFiles
	srv := httptest.NewServer(New(db, opt))
	t.Cleanup(srv.Close)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &page{t, srv, &http.Client{Jar: jar}, db}
}

// open starts an explorer of the sample graph and opens its link.
func open(t *testing.T, opt Options) *page {
	t.Helper()
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p := serve(t, db, opt)
	if status, body := p.get("/?token=" + testToken); status != 200 || !strings.Contains(body, "<title>") {
		t.Fatalf("the link gives %d %s", status, body)
	}
	return p
}

func (p *page) get(path string) (status int, body string) {
	p.Helper()
	resp, err := p.client.Get(p.srv.URL + path)
	return p.read(resp, err)
}

func (p *page) read(resp *http.Response, err error) (int, string) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		p.Fatal(err)
	}
	return resp.StatusCode, string(data)
}

// post sends a request, and reads the answer into out.
func (p *page) post(path string, in, out any) (status int, body string) {
	p.Helper()
	data, err := json.Marshal(in)
	if err != nil {
		p.Fatal(err)
	}
	resp, err := p.client.Post(p.srv.URL+path, "application/json", bytes.NewReader(data))
	status, body = p.read(resp, err)
	if out != nil {
		if err := json.Unmarshal([]byte(body), out); err != nil {
			p.Fatalf("%s: %v\n%s", path, err, body)
		}
	}
	return status, body
}

type object = map[string]any

// lines is an answer of /api/run.
type lines struct {
	head   object
	nodes  map[float64]object
	rels   map[float64]object
	rows   []object
	end    object
	failed object
}

// run runs a query.
func (p *page) run(text string, more object) (out lines) {
	p.Helper()
	in := object{"text": text}
	for k, v := range more {
		in[k] = v
	}
	status, body := p.post("/api/run", in, nil)
	if status != 200 {
		p.Fatalf("%s: %d %s", text, status, body)
	}
	out.nodes, out.rels = map[float64]object{}, map[float64]object{}
	for line := range strings.Lines(body) {
		var o object
		if err := json.Unmarshal([]byte(line), &o); err != nil {
			p.Fatalf("%s: %v\n%s", text, err, line)
		}
		switch o["type"] {
		case "columns":
			out.head = o
		case "elements":
			for _, n := range o["nodes"].([]any) {
				out.nodes[n.(object)["id"].(float64)] = n.(object)
			}
			for _, r := range o["relationships"].([]any) {
				out.rels[r.(object)["id"].(float64)] = r.(object)
			}
		case "rows":
			for _, r := range o["rows"].([]any) {
				row := r.(object)
				for _, id := range row["nodes"].([]any) {
					if out.nodes[id.(float64)] == nil {
						p.Errorf("%s: a row names node %v, which was not sent", text, id)
					}
				}
				for _, id := range row["relationships"].([]any) {
					if out.rels[id.(float64)] == nil {
						p.Errorf("%s: a row names relationship %v, which was not sent", text, id)
					}
				}
				out.rows = append(out.rows, row)
			}
		case "end":
			out.end = o["summary"].(object)
		case "error":
			out.failed = o["error"].(object)
		default:
			p.Fatalf("%s: %s", text, line)
		}
	}
	return out
}

// A query gives its columns, its rows with their elements, and at the end what was done.
func TestRun(t *testing.T) {
	p := open(t, Options{})
	got := p.run("MATCH (a:Person {name: $name})-[k:KNOWS]-(b:Person) RETURN a, k, b.name AS friend", object{"params": object{"name": "Jose Alonso"}})
	if got.failed != nil || len(got.rows) == 0 || got.end["rows"].(float64) != float64(len(got.rows)) || got.end["limit"] != nil {
		t.Fatalf("%v %v", got.failed, got.end)
	}
	if columns := got.head["columns"].([]any); !slices.Equal(columns, []any{"a", "k", "friend"}) {
		t.Errorf("columns %v", columns)
	}
	row := got.rows[0]
	values := row["values"].([]any)
	rel := values[1].(object)
	if len(values) != 3 || values[0].(object)["properties"].(object)["name"] != "Jose Alonso" || row["nodes"].([]any)[0] != values[0].(object)["id"] || row["relationships"].([]any)[0] != rel["id"] {
		t.Errorf("%v", row)
	}
	for _, id := range []any{rel["start"], rel["end"]} {
		if n := got.nodes[id.(float64)]; n == nil || id != values[0].(object)["id"] && n["bare"] != true {
			t.Errorf("the end %v of a relationship is %v", id, n)
		}
	}
	plan := got.end["plan"].(object)
	for len(plan["children"].([]any)) > 0 {
		plan = plan["children"].([]any)[0].(object)
	}
	m, _ := plan["match"].(object)
	if m == nil || m["kernel"] != "join" || len(m["order"].([]any)) != 2 {
		t.Fatalf("the match of the plan: %v", plan)
	}
	tiers := m["nodes"].([]any)[0].(object)["tiers"].([]any)
	if len(tiers) == 0 || tiers[0].(object)["name"] != "label" || tiers[0].(object)["candidates"].(float64) <= 0 {
		t.Errorf("tiers %v", tiers)
	}
}

// With match, a row has all elements of the pattern, those without a name too, and the rows stay as they are.
func TestRunMatch(t *testing.T) {
	p := open(t, Options{})
	for _, text := range []string{
		"MATCH (a:Person)-[:KNOWS]->(:Person)<-[k:KNOWS]-(b) RETURN a.name AS n, b.name ORDER BY n, b.name, id(k) LIMIT 30",
		"MATCH (a:Person)-[:WORK_AT]->() RETURN *",
		"MATCH (a:Person)-[:WORK_AT]->(c) RETURN *, a.name AS `x y`",
		"MATCH DISTINCT SUBGRAPHS (a:Person)-[:KNOWS]-()-[:KNOWS]-(c)-[:KNOWS]-(a) RETURN a.name ORDER BY a.name LIMIT 20",
		"MATCH (a:Person) OPTIONAL MATCH (a)-[:WORK_AT]->(:Company) RETURN a.name ORDER BY a.name LIMIT 40",
		"MATCH p = (a:Person)-[:KNOWS*1..2]->(b) RETURN a.name, length(p) ORDER BY a.name, id(b), length(p) LIMIT 20",
		"UNWIND [1, 2] AS x MATCH (a:Person)-->(:Company) RETURN x, a.name AS m0_1 ORDER BY x, m0_1 LIMIT 10",
	} {
		plain, got := p.run(text, nil), p.run(text, object{"match": true})
		pattern, _ := got.head["pattern"].(object)
		if got.failed != nil || pattern == nil {
			t.Errorf("%s: %v %v", text, got.failed, got.head)
			continue
		}
		if plan := marshal(t, got.end["plan"]); strings.Contains(plan, "m1_") || strings.Contains(plan, "m0_") && !strings.Contains(text, "m0_") {
			t.Errorf("%s: the plan has names that were made up: %s", text, plan)
		}
		if !slices.Equal(plain.head["columns"].([]any), got.head["columns"].([]any)) {
			t.Errorf("%s: columns %v", text, got.head["columns"])
		}
		var a, b []string
		for _, r := range plain.rows {
			a = append(a, text+marshal(t, r["values"]))
		}
		nodes, edges := pattern["nodes"].([]any), pattern["edges"].([]any)
		for _, r := range got.rows {
			b = append(b, text+marshal(t, r["values"]))
			m := r["match"].(object)
			ids, rels := m["nodes"].([]any), m["relationships"].([]any)
			if len(ids) != len(nodes) || len(rels) != len(edges) {
				t.Fatalf("%s: %v", text, m)
			}
			for i, e := range edges {
				id, one := rels[i].(float64)
				if !one {
					continue
				}
				from, to := int(e.(object)["from"].(float64)), int(e.(object)["to"].(float64))
				r := got.rels[id]
				if straight, back := r["start"] == ids[from] && r["end"] == ids[to], r["start"] == ids[to] && r["end"] == ids[from]; !straight && (!back || e.(object)["directed"] == true) {
					t.Errorf("%s: %v is not between %v and %v", text, r, ids[from], ids[to])
				}
			}
			for i := range ids {
				if id, some := ids[i].(float64); some && got.nodes[id] == nil {
					t.Errorf("%s: node %v was not sent", text, id)
				}
			}
		}
		slices.Sort(a)
		slices.Sort(b)
		if !strings.Contains(text, "LIMIT") || strings.Contains(text, "ORDER") {
			if !slices.Equal(a, b) {
				t.Errorf("%s: %d rows %v, with match %d rows %v", text, len(a), a, len(b), b)
			}
		}
	}
	for text, want := range map[string]string{
		"MATCH (a:Person) RETURN count(*)": "groups", "MATCH (a:Person) RETURN DISTINCT a.name": "DISTINCT", "RETURN 1": "no MATCH",
		"MATCH (a:Person) WITH a MATCH (a)--(b) RETURN b": "MATCH, WHERE", "MATCH (a:Person) RETURN a UNION MATCH (a:Tag) RETURN a": "UNION",
	} {
		got := p.run(text, object{"match": true})
		if reason, _ := got.head["reason"].(string); got.head["pattern"] != nil || !strings.Contains(reason, want) || got.failed != nil {
			t.Errorf("%s: %v %v", text, got.head, got.failed)
		}
	}
}

func marshal(t *testing.T, v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// An error has its place in UTF-16 units.
func TestRunErrors(t *testing.T) {
	p := open(t, Options{})
	for text, want := range map[string]string{
		"RETURN '😀', q": "q", "RETURN '😀é' +": "", "MATCH (a) RETURN b": "b", "LOAD CSV FROM 'x' AS r RETURN r": "LOAD CSV", "CREATE (n)": "", "RETURN 1; RETURN 2": "",
	} {
		for _, match := range []bool{false, true} {
			e := p.run(text, object{"match": match}).failed
			if e == nil || e["message"] == "" {
				t.Fatalf("%s: %v", text, e)
			}
			if from, ok := e["from"].(float64); ok && want != "" {
				to := e["to"].(float64)
				if got := slice16(text, int(from), int(to)); got != want {
					t.Errorf("%s: the place is %q", text, got)
				}
			} else if want != "" {
				t.Errorf("%s: no place: %v", text, e)
			}
		}
	}
}

// slice16 cuts a text at UTF-16 units.
func slice16(text string, from, to int) string { return text[bytesOf(text, from):bytesOf(text, to)] }

// The page's checks have places in UTF-16 units, and draw the pattern at the cursor.
func TestCheck(t *testing.T) {
	p := open(t, Options{})
	const text = "MATCH (x {n: '😀'}) RETURN x; MATCH (a:Person)-[:KNOWS]->(:Persn) WHERE a.name = $n RETURN q"
	var got checkOut
	p.post("/api/check", object{"text": text, "cursor": 60}, &got)
	if len(got.Diagnostics) == 0 || got.Pattern == nil || !got.Pattern.Whole || got.Pattern.Clause != 1 || got.Mode != "run" || !slices.Equal(got.Params, []string{"n"}) {
		t.Fatalf("%+v", got)
	}
	last := got.Diagnostics[len(got.Diagnostics)-1]
	if slice16(text, last.From, last.To) != "q" || last.Severity != "error" {
		t.Errorf("%+v", last)
	}
	if drawn := slice16(text, got.Pattern.From, got.Pattern.To); drawn != "(a:Person)-[:KNOWS]->(:Persn)" {
		t.Errorf("the pattern is %q", drawn)
	}
	got.Pattern.Nodes[1].Labels, got.Pattern.Mode = "Person", "DIFFERENT NODES"
	var c change
	p.post("/api/text", object{"text": text, "cursor": 60, "pattern": got.Pattern}, &c)
	if again := slice16(text, 0, c.From) + c.Insert + text[bytesOf(text, c.To):]; again != strings.Replace(strings.Replace(text, "Persn", "Person", 1), "MATCH (a", "MATCH DIFFERENT NODES (a", 1) {
		t.Error(again)
	}
	var done struct {
		From, To int
		Options  []option
	}
	p.post("/api/complete", object{"text": "RETURN '😀'; MATCH (a:Pers", "cursor": 26}, &done)
	if done.From != 22 || done.To != 26 || len(done.Options) != 1 || done.Options[0].Text != "Person" {
		t.Errorf("%+v", done)
	}
	for _, text := range []string{"", "MATCH (", "RETURN 1"} {
		var got checkOut
		if p.post("/api/check", object{"text": text}, &got); got.Pattern != nil || got.Reason == "" {
			t.Errorf("%s: %+v", text, got)
		}
	}
	if status, body := p.post("/api/text", object{"text": "MATCH (a) RETURN a", "pattern": object{"nodes": []object{{"name": "a", "labels": ") DELETE (a"}}}}, nil); status != 422 {
		t.Errorf("%d %s", status, body)
	}
}

// The answers about the graph as a whole, and about parts of it.
func TestGraph(t *testing.T) {
	p := open(t, Options{Name: "sample", Sample: true})
	status, body := p.get("/api/schema")
	var schema struct {
		Name                 string
		Nodes, Relationships int
		Labels, Types        []nameCount
		Limits               map[string]float64
	}
	if err := json.Unmarshal([]byte(body), &schema); err != nil || status != 200 || schema.Name != "sample" || schema.Nodes == 0 || schema.Relationships == 0 || len(schema.Labels) == 0 || schema.Limits["rows"] != DefaultRows {
		t.Errorf("%d %s %v", status, body, err)
	}
	var places struct{ Places [][2]float64 }
	if p.post("/api/layout", object{"n": 3, "edges": [][2]int{{0, 1}, {1, 2}}}, &places); len(places.Places) != 3 || places.Places[0] == places.Places[1] {
		t.Errorf("%v", places)
	}
	for _, in := range []object{{"n": 20_001}, {"n": -1}, {"n": 1, "edges": [][2]int{{0, 1}}}} {
		if status, body := p.post("/api/layout", in, nil); status < 400 {
			t.Errorf("%v: %d %s", in, status, body)
		}
	}
	hub := p.run("MATCH (n)--() RETURN n, count(*) AS c ORDER BY c DESC LIMIT 1", nil).rows[0]
	id, degree := hub["nodes"].([]any)[0], int(hub["values"].([]any)[1].(float64))
	seen := map[uint64]bool{}
	for skip := 0; ; skip += 50 {
		var got struct {
			elements
			More []float64
		}
		p.post("/api/neighbours", object{"nodes": []any{id}, "skip": skip, "limit": 50}, &got)
		for _, r := range got.Relationships {
			if seen[r.ID] {
				t.Errorf("relationship %d comes twice", r.ID)
			}
			seen[r.ID] = true
		}
		if len(got.More) == 0 {
			break
		}
	}
	if len(seen) != degree {
		t.Errorf("%d of %d relationships of node %v", len(seen), degree, id)
	}
	if status, _ := p.post("/api/neighbours", object{"nodes": []any{id}, "limit": 51}, nil); status != 422 {
		t.Errorf("more neighbours than the limit: %d", status)
	}
	for _, kind := range []string{"core", "truss"} {
		var got struct {
			Levels        []level
			Nodes         []shellNode
			Relationships []motif.Relationship
			Shown, Total  int
		}
		p.post("/api/shells", object{"kind": kind}, &got)
		sum := int64(0)
		for i, l := range got.Levels {
			if sum += l.Nodes; i > 0 && l.Level >= got.Levels[i-1].Level {
				t.Errorf("%s: levels %v", kind, got.Levels)
			}
		}
		if len(got.Levels) == 0 || int(sum) != got.Total || got.Shown != len(got.Nodes) || got.Nodes[0].Level != got.Levels[0].Level || len(got.Relationships) == 0 || got.Shown > mostShell {
			t.Errorf("%s: %d of %d, levels %v", kind, got.Shown, got.Total, got.Levels)
		}
	}
	if status, _ := p.post("/api/shells", object{"kind": "egg"}, nil); status != 422 {
		t.Errorf("an unknown kind of shells: %d", status)
	}
}

// Files of an answer.
func TestExport(t *testing.T) {
	p := open(t, Options{Rows: 5})
	const text = "MATCH (a:Person)-[k:KNOWS]->(b) RETURN a, k, b"
	for format, want := range map[string]string{"svg": "<svg", "png": "\x89PNG", "html": "<!doctype html", "dot": "digraph", "gexf": "<gexf", "csv": "\"a\",\"k\",\"b\"\n", "json": "[\n {\"a\":"} {
		status, body := p.post("/api/export", object{"text": text, "format": format}, nil)
		if head := body[:min(len(body), 200)]; status != 200 || !strings.Contains(strings.ToLower(head), strings.ToLower(want)) {
			t.Errorf("%s: %d %s", format, status, head)
		}
	}
	resp, err := p.client.Post(p.srv.URL+"/api/export", "application/json", strings.NewReader(`{"format":"csv","text":"`+text+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	notes := resp.Header.Get("X-Motif-Notes")
	if _, body := p.read(resp, nil); strings.Count(body, "\n") != 6 || !strings.Contains(notes, "more than 5 rows") {
		t.Errorf("%s\n%s", notes, body)
	}
	for _, in := range []object{{"format": "exe", "text": text}, {"format": "svg", "text": "CREATE (n) RETURN n"}, {"format": "csv", "text": "RETURN q"}} {
		if status, body := p.post("/api/export", in, nil); status < 400 {
			t.Errorf("%v: %d %s", in, status, body)
		}
	}
}

// Saved queries are kept in the store, if the page may write.
func TestSaved(t *testing.T) {
	save := object{"name": "friends", "text": "MATCH (a {name: $n}) RETURN a", "params": object{"n": "Ann"}}
	if status, body := open(t, Options{}).post("/api/save", save, nil); status != 403 || !strings.Contains(body, "--write") {
		t.Errorf("%d %s", status, body)
	}
	p := open(t, Options{Write: true})
	if status, body := p.post("/api/save", save, nil); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	if _, body := p.get("/api/saved"); body != `{"queries":[{"name":"friends","text":"MATCH (a {name: $n}) RETURN a","params":[{"name":"n","type":"string"}]}]}` {
		t.Error(body)
	}
	if status, _ := p.post("/api/save", object{"name": " ", "text": "RETURN 1"}, nil); status != 422 {
		t.Errorf("a query without a name: %d", status)
	}
	p.post("/api/forget", object{"name": "friends"}, nil)
	if _, body := p.get("/api/saved"); body != `{"queries":[]}` {
		t.Error(body)
	}
}

// A request that ends cancels its query.
func TestCancel(t *testing.T) {
	p := open(t, Options{Rows: 1 << 40})
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	const endless = `{"text":"UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN x, y"}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.srv.URL+"/api/run", strings.NewReader(endless))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := p.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<24)
	for range 3 {
		if !lines.Scan() {
			t.Fatal("the answer ends")
		}
	}
	stop()
	for began := time.Now(); p.db.Close() != nil; { // which waits for queries
		if time.Since(began) > 20*time.Second {
			t.Fatal("the query runs on")
		}
	}
}

// A search that gives no row, a picture for a file and a layout end with their requests: otherwise the places for running queries would fill up, and
// the last request would be refused.
func TestCancelSearch(t *testing.T) {
	p := open(t, Options{})
	const search = `MATCH REPEATABLE ELEMENTS (a)--(b)--(c)--(d)--(e)--(f)--(g) WHERE a.name + c.name + e.name + g.name = b.name RETURN `
	for i := range 2 * atOnce {
		ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
		path, in := "/api/run", object{"text": search + "count(*)"}
		if i%2 == 1 {
			path, in = "/api/export", object{"text": search + "a", "format": "svg"}
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.srv.URL+path, strings.NewReader(marshal(t, in)))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := p.client.Do(req)
		if err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		if err == nil {
			t.Fatal("the search has ended before its request")
		}
		stop()
		time.Sleep(20 * time.Millisecond)
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		out := p.run("RETURN 1 AS one", nil)
		if len(out.rows) == 1 {
			return
		}
		if time.Since(began) > 20*time.Second {
			t.Fatal("the searches run on")
		}
	}
}
