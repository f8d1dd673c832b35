package explorer

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/motifql/motif"
)

// endpoints are all requests that the page makes.
var endpoints = []struct{ method, path string }{
	{"GET", "/"}, {"GET", "/app.js"}, {"GET", "/api/schema"}, {"GET", "/api/saved"}, {"POST", "/api/check"}, {"POST", "/api/text"}, {"POST", "/api/complete"}, {"POST", "/api/layout"},
	{"POST", "/api/run"}, {"POST", "/api/neighbours"}, {"POST", "/api/shells"}, {"POST", "/api/save"}, {"POST", "/api/forget"}, {"POST", "/api/export"}, {"GET", "/nothing/here"},
}

// send sends a request with the page's cookie, changed by f.
func (p *page) send(method, path string, f func(*http.Request)) (status int, body string, header http.Header) {
	p.Helper()
	req, err := http.NewRequest(method, p.srv.URL+path, strings.NewReader(`{"text":"RETURN 1","format":"csv","kind":"core","name":"x"}`))
	if err != nil {
		p.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if f != nil {
		f(req)
	}
	resp, err := p.client.Do(req)
	status, body = p.read(resp, err)
	return status, body, resp.Header
}

// Foreign names of the host and foreign origins are refused at every endpoint, with the cookie of the page.
func TestForeign(t *testing.T) {
	p := open(t, Options{Write: true})
	port := p.srv.URL[strings.LastIndexByte(p.srv.URL, ':'):]
	for _, e := range endpoints {
		for _, host := range []string{"evil.example" + port, "evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example" + port, "127.0.0.1.nip.io" + port, "[::2]" + port} {
			if status, body, _ := p.send(e.method, e.path, func(r *http.Request) { r.Host = host }); status != http.StatusForbidden {
				t.Errorf("%s as host %s: %d %s", e.path, host, status, body)
			}
		}
		for _, origin := range []string{"http://evil.example", "null", "https://127.0.0.1" + port, "http://127.0.0.1:1", "http://localhost" + port, ""} {
			if status, body, _ := p.send(e.method, e.path, func(r *http.Request) { r.Header["Origin"] = []string{origin} }); status != http.StatusForbidden {
				t.Errorf("%s from %q: %d %s", e.path, origin, status, body)
			}
		}
		if strings.HasPrefix(e.path, "/api/") {
			if status, _, _ := p.send(e.method, e.path, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }); status != http.StatusForbidden {
				t.Errorf("%s from another site: %d", e.path, status)
			}
		}
		status, body, header := p.send(e.method, e.path, func(r *http.Request) {
			r.Header.Set("Origin", p.srv.URL)
			r.Header.Set("Sec-Fetch-Site", "same-origin")
		})
		if status == http.StatusForbidden || status == http.StatusUnauthorized {
			t.Errorf("%s from our own page: %d %s", e.path, status, body)
		}
		if header.Get("Content-Security-Policy") != policy || !strings.Contains(policy, "default-src 'self'") || strings.Contains(policy, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", e.path, header)
		}
	}
}

// Another machine gets no answer, even with the right names and the cookie.
func TestOtherMachine(t *testing.T) {
	for remote, want := range map[string]int{"192.168.1.7:4000": 403, "[2001:db8::1]:4000": 403, "nonsense": 403, "127.0.0.1:4000": 303, "[::1]:4000": 303, "[::ffff:127.0.0.1]:4000": 303} {
		g := newGuard(testToken, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }))
		r := httptest.NewRequest("GET", "http://localhost/?token="+testToken, nil)
		r.RemoteAddr = remote
		r = r.WithContext(withPort(r, 80))
		w := httptest.NewRecorder()
		if g.ServeHTTP(w, r); w.Code != want {
			t.Errorf("from %s: %d, want %d", remote, w.Code, want)
		}
	}
}

// withPort returns the context of a request that has come in at a port.
func withPort(r *http.Request, port int) context.Context {
	return context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}))
}

// Without the token no endpoint answers. The token opens the page once.
func TestToken(t *testing.T) {
	db, err := motif.OpenSample()
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := serve(t, db, Options{})
	refused := func(q *page) {
		t.Helper()
		for _, e := range endpoints {
			if status, body, _ := q.send(e.method, e.path, nil); status != http.StatusUnauthorized || strings.Contains(body, "title") {
				t.Errorf("%s without a token: %d %s", e.path, status, body)
			}
		}
		for _, path := range []string{"/?token=", "/?token=wrong", "/?token=" + testToken + "x"} {
			if status, body := q.get(path); status != http.StatusUnauthorized {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
	}
	refused(p)
	if status, _ := p.get("/?token=" + testToken); status != 200 {
		t.Fatalf("the link gives %d", status)
	}
	if status, _ := p.get("/?token=" + testToken); status != 200 {
		t.Errorf("the same browser, again: %d", status)
	}
	other := &page{t, p.srv, &http.Client{}, db}
	if status, _ := other.get("/?token=" + testToken); status != http.StatusUnauthorized {
		t.Errorf("another browser with the same link: %d", status)
	}
	refused(other)
	if a, b := NewToken(), NewToken(); a == b || len(a) < 40 {
		t.Errorf("tokens %s and %s", a, b)
	}
}

// Without Write nothing changes the graph, whatever the endpoint.
func TestReadOnly(t *testing.T) {
	p := open(t, Options{})
	before := p.run("MATCH (n) RETURN count(*)", nil).rows[0]["values"]
	for _, text := range []string{"CREATE (n)", "MATCH (n) SET n.x = 1", "MATCH (n) DETACH DELETE n", "MERGE (n:X)", "PROFILE CREATE (n)", "CREATE INDEX FOR (n:Person) ON (n.name)",
		"UNWIND [1] AS x CALL (x) { CREATE (n) } RETURN x", "FOREACH (x IN [1] | CREATE (n))"} {
		if e := p.run(text, nil).failed; e == nil || e["code"] != "read-only" || !strings.Contains(e["hint"].(string), "--write") {
			t.Errorf("%s: %v", text, e)
		}
		if status, body := p.post("/api/export", object{"text": text, "format": "csv"}, nil); status != http.StatusForbidden {
			t.Errorf("export of %s: %d %s", text, status, body)
		}
	}
	if after := p.run("MATCH (n) RETURN count(*)", nil).rows[0]["values"]; marshal(t, after) != marshal(t, before) {
		t.Errorf("%v nodes, before %v", after, before)
	}
	if e := p.run("EXPLAIN CREATE (n)", nil); e.failed != nil {
		t.Errorf("EXPLAIN writes nothing: %v", e.failed)
	}
	w := open(t, Options{Write: true})
	if got := w.run("CREATE (n:New) RETURN n", nil); got.failed != nil || got.end["changes"] != "1 node created, 1 label added" || len(got.rows) != 1 {
		t.Errorf("%v %v", got.failed, got.end)
	}
}

// No file is read: neither by a query, nor by the name of a file of the page.
func TestNoFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret.csv"), []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	files, err := motif.Folder(dir)
	if err != nil {
		t.Fatal(err)
	}
	db, err := motif.OpenSample(motif.WithFiles(files)) // even if the program lets its queries read
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := serve(t, db, Options{Write: true})
	p.get("/?token=" + testToken)
	for _, text := range []string{"LOAD CSV FROM 'secret.csv' AS r RETURN r", "load /* x */ csv WITH HEADERS FROM 'secret.csv' AS r RETURN r", "UNWIND [1] AS x CALL (x) { LOAD CSV FROM 'secret.csv' AS r RETURN r } RETURN r",
		"PROFILE LOAD CSV FROM 'secret.csv' AS r RETURN r"} {
		if e := p.run(text, nil); e.failed == nil || e.failed["code"] != "no-files" || len(e.rows) > 0 {
			t.Errorf("%s: %v", text, e.failed)
		}
		if status, body := p.post("/api/export", object{"text": text, "format": "csv"}, nil); status != http.StatusForbidden || strings.Contains(body, "secret\n") {
			t.Errorf("export of %s: %d %s", text, status, body)
		}
	}
	for _, path := range []string{"/../guard.go", "/..%2fguard.go", "/%2e%2e/guard.go", "/dist/", "/guard.go", "/.", "/etc/passwd"} {
		if status, body := p.get(path); status != http.StatusNotFound && !strings.Contains(body, "<title>") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// The limits of rows, time and memory cut an answer, and the answer says so.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		what, text string
		opt        Options
		rows       int
	}{
		{"rows", "UNWIND range(1, 1000) AS x RETURN x", Options{Rows: 17}, 17},
		{"rows", "MATCH (a)-->(b) RETURN a", Options{Rows: 3}, 3},
		{"time", "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y WITH x, y WHERE x + y < 0 RETURN x", Options{Time: 100 * time.Millisecond}, 0},
		{"memory", "UNWIND range(1, 10000000) AS x RETURN collect(x)", Options{Memory: 1 << 20}, 0},
	} {
		p := open(t, c.opt)
		for _, match := range []bool{false, true} {
			got := p.run(c.text, object{"match": match})
			cut, _ := got.end["limit"].(object)
			if cut == nil || cut["what"] != c.what || cut["message"] == "" || cut["hint"] == "" || len(got.rows) != c.rows {
				t.Errorf("%s: %d rows, %v, %v", c.text, len(got.rows), got.end, got.failed)
			}
		}
	}
}

// A request is JSON, and not too long.
func TestRequests(t *testing.T) {
	p := open(t, Options{})
	for body, want := range map[string]int{`{"text":"RETURN 1"}`: 200, `{"text":`: 400, `[]`: 400, `{} {}`: 400, `{"text":"` + strings.Repeat("x", mostBody) + `"}`: 413} {
		resp, err := p.client.Post(p.srv.URL+"/api/check", "application/json", strings.NewReader(body))
		if status, answer := p.read(resp, err); status != want {
			t.Errorf("%.40s: %d, want %d %.200s", body, status, want, answer)
		}
	}
	resp, err := p.client.Post(p.srv.URL+"/api/check", "text/plain", strings.NewReader(`{"text":"RETURN 1"}`))
	if status, _ := p.read(resp, err); status != http.StatusUnsupportedMediaType {
		t.Errorf("text/plain: %d", status)
	}
}
