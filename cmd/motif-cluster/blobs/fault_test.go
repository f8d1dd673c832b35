package blobs

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
)

// proxy stands before an S3 server and spoils answers.
type proxy struct {
	to    http.Handler
	fault atomic.Pointer[fault]
}

// fault is what happens to answers for blobs whose path has a word in it.
type fault struct {
	word  string
	times atomic.Int64 // so many answers are spoiled
	spoil func(w http.ResponseWriter, r *http.Request, status int, header http.Header, body []byte)
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f := p.fault.Load()
	if f == nil || r.Method != http.MethodGet || !strings.Contains(r.URL.Path, f.word) || f.times.Add(-1) < 0 {
		p.to.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	p.to.ServeHTTP(answer, r)
	f.spoil(w, r, answer.Code, answer.Header(), answer.Body.Bytes())
}

// send sends an answer.
func send(w http.ResponseWriter, status int, header http.Header, body []byte) {
	for name, values := range header {
		if !strings.HasPrefix(strings.ToLower(name), "x-amz-checksum") { // else the client of S3 finds the damage
			w.Header()[name] = values
		}
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}

// newS3 starts an S3 server in memory behind a proxy, and returns a URL at it.
func newS3(t *testing.T) (*proxy, string) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_MAX_ATTEMPTS", "1")
	backend := s3mem.New()
	if err := backend.CreateBucket("graphs"); err != nil {
		t.Fatal(err)
	}
	p := &proxy{to: gofakes3.New(backend).Server()}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, "s3://graphs/some/web?region=us-east-1&use_path_style=true&disable_https=true&endpoint=" + server.URL
}

var spoils = map[string]func(w http.ResponseWriter, r *http.Request, status int, header http.Header, body []byte){
	"cut": func(w http.ResponseWriter, _ *http.Request, status int, header http.Header, body []byte) {
		send(w, status, header, body[:len(body)/2])
	},
	"connection cut": func(w http.ResponseWriter, _ *http.Request, _ int, header http.Header, body []byte) {
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		w.Write(body[:len(body)/2])
		http.NewResponseController(w).Flush() // else the client of S3 tries again by itself, and waits
		panic(http.ErrAbortHandler)
	},
	"a bit flipped": func(w http.ResponseWriter, _ *http.Request, status int, header http.Header, body []byte) {
		body = bytes.Clone(body)
		body[len(body)/3] ^= 4
		send(w, status, header, body)
	},
	"longer": func(w http.ResponseWriter, _ *http.Request, status int, header http.Header, body []byte) {
		send(w, status, header, append(bytes.Clone(body), "more"...))
	},
	"an error of the server": func(w http.ResponseWriter, _ *http.Request, _ int, _ http.Header, _ []byte) {
		http.Error(w, "no", http.StatusServiceUnavailable)
	},
	"slow": func(w http.ResponseWriter, r *http.Request, status int, header http.Header, body []byte) {
		select {
		case <-time.After(5 * time.Second):
		case <-r.Context().Done():
		}
	},
}

// TestFaultsThatPass spoils two answers for each kind of blob. Fetch asks again.
func TestFaultsThatPass(t *testing.T) {
	p, url := newS3(t)
	at := newStore(t, random(t), 100, 500)
	want := answers(t, at)
	push(t, at, url)
	for name, spoil := range spoils {
		for _, word := range []string{"latest", "snapshots/", "blocks/"} {
			f := &fault{word: word, spoil: spoil}
			f.times.Store(2)
			p.fault.Store(f)
			restore := setStall(name, time.Second)
			dir, err := Fetch(t.Context(), url, t.TempDir())
			restore()
			if err != nil {
				t.Errorf("%s of %s: %v", name, word, err)
				continue
			}
			if f.times.Load() > 0 {
				t.Errorf("%s of %s: the answers were not spoiled", name, word)
			}
			if answers(t, dir) != want {
				t.Errorf("%s of %s: other answers", name, word)
			}
		}
	}
}

// TestFaultsThatLast spoils all answers. Fetch names the error and leaves no store behind. Then it succeeds.
func TestFaultsThatLast(t *testing.T) {
	p, url := newS3(t)
	at := newStore(t, random(t), 100, 500)
	push(t, at, url)
	wants := map[string]error{"cut": ErrDamaged, "a bit flipped": ErrDamaged, "longer": ErrDamaged, "slow": ErrStalled}
	for name, spoil := range spoils {
		for _, word := range []string{"latest", "snapshots/", "blocks/"} {
			cache := t.TempDir()
			f := &fault{word: word, spoil: spoil}
			f.times.Store(1 << 40)
			p.fault.Store(f)
			restore := setStall(name, 50*time.Millisecond)
			dir, err := Fetch(t.Context(), url, cache)
			restore()
			if err == nil || wants[name] != nil && !errors.Is(err, wants[name]) {
				t.Errorf("%s of %s: %q, %v", name, word, dir, err)
			}
			if kept, _ := filepath.Glob(filepath.Join(cache, "snapshots", "*")); len(kept) > 0 {
				t.Errorf("%s of %s: there is a store: %v", name, word, kept)
			}
			p.fault.Store(nil)
			if _, err := Fetch(t.Context(), url, cache); err != nil {
				t.Errorf("after %s of %s: %v", name, word, err)
			}
		}
	}
}

// setStall makes it d after which an answer counts as stalled, for the faults that take long: the client of S3 waits after an error of the server.
func setStall(name string, d time.Duration) (restore func()) {
	before := stallAfter
	if name == "slow" || name == "an error of the server" {
		stallAfter = d
	}
	return func() { stallAfter = before }
}

// TestMissingBlock removes a block. Fetch says so, and the next push brings the block back, as it does with one that was cut.
func TestMissingBlock(t *testing.T) {
	folder := t.TempDir()
	url := "file://" + folder
	at := newStore(t, random(t), 100, 500)
	p := push(t, at, url)
	blocks, err := filepath.Glob(filepath.Join(folder, "blocks", "*"))
	if err != nil || len(blocks) != p.Blocks {
		t.Fatalf("%d blocks, %v; pushed %+v", len(blocks), err, p)
	}
	for _, spoil := range []func(string) error{os.Remove, func(name string) error { return os.Truncate(name, 5) }} {
		for _, name := range blocks {
			if err := spoil(name); err != nil {
				t.Fatal(err)
			}
			if _, err := Fetch(t.Context(), url, t.TempDir()); !errors.Is(err, ErrMissing) && !errors.Is(err, ErrDamaged) {
				t.Errorf("%s is spoiled: %v", name, err)
			}
			if again := push(t, at, url); again.New != 1 {
				t.Errorf("%s is spoiled, and the push wrote %d blocks", name, again.New)
			}
			fetch(t, url, t.TempDir())
		}
	}
}

// TestInterrupted fetches until a random moment, again and again, in one cache. In the end the store is there, and nothing was fetched twice that was
// complete.
func TestInterrupted(t *testing.T) {
	rng := random(t)
	at := newStore(t, rng, 2000, 20000)
	folder, cache := t.TempDir(), t.TempDir()
	url := "file://" + folder
	push(t, at, url)
	for range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rng.IntN(3000))*time.Microsecond)
		_, err := Fetch(ctx, url, cache)
		cancel()
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
	}
	if answers(t, fetch(t, url, cache)) != answers(t, at) {
		t.Error("other answers")
	}
	if left, _ := filepath.Glob(filepath.Join(cache, "partial", "*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestWhatAKillLeft has files of an earlier attempt in the cache, with blocks that are right, wrong or missing.
func TestWhatAKillLeft(t *testing.T) {
	at := newStore(t, random(t), 30_000, 300_000)
	url, folder := "file://"+t.TempDir(), t.TempDir()
	push(t, at, url)
	whole := fetch(t, url, t.TempDir())
	b, err := Open(t.Context(), url, false)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	m, _, err := b.manifest(t.Context(), filepath.Base(whole))
	if err != nil {
		t.Fatal(err)
	}
	c := &cache{dir: folder}
	if err := os.MkdirAll(c.partial(filepath.Base(whole)+"/epoch-000001"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, f := range m.Files {
		data, err := os.ReadFile(filepath.Join(whole, filepath.FromSlash(f.Name)))
		if err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 0:
			data = data[:len(data)*2/3]
		case 1:
			data[len(data)/2] ^= 1
		case 2:
			data = append(data, "more"...)
		}
		if err := os.WriteFile(c.partial(f.hash()), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if answers(t, fetch(t, url, folder)) != answers(t, at) {
		t.Error("other answers")
	}
}
