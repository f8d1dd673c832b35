package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/motifql/motif"
	"github.com/motifql/motif/storage"
)

// Graph is a graph that is open for reading. Of a snapshot with a flat file, the cache has what the jobs so far needed. Distribute and OpenJob fetch
// what their query names. What it needs beside that, such as parts that a plan reads, is fetched when it is read. Nothing is read that was not fetched: if that
// fails, the error is ErrUnfetched.
type Graph struct {
	*motif.DB
	partial *partial // nil: all of the graph is here
}

// OpenGraph opens the graph of url, which Fetch describes. Snapshots without a flat file, or with transactions behind it, are fetched as a whole.
func OpenGraph(ctx context.Context, url, cacheDir string, progress Progress, opts ...motif.Option) (*Graph, error) {
	opts = append(opts, motif.WithReadOnly(), motif.WithMapping())
	p, err := newPartial(ctx, url, cacheDir, progress)
	if err != nil {
		return nil, named(err)
	}
	if p != nil {
		g, err := p.graph(ctx, opts)
		if err == nil || ctx.Err() != nil || errors.Is(err, ErrUnfetched) {
			return g, err
		}
		url = p.url // this machine cannot map it: no memory, say
	}
	dir, err := FetchWith(ctx, url, cacheDir, progress)
	if err != nil {
		return nil, err
	}
	db, err := motif.Open(dir, opts...)
	if err != nil {
		return nil, err
	}
	return &Graph{DB: db}, nil
}

// graph opens what the cache has.
func (p *partial) graph(ctx context.Context, opts []motif.Option) (*Graph, error) {
	if err := p.want(ctx, (&names{}).names); err != nil { // what opening reads
		return nil, err
	}
	sum, err := hex.DecodeString(p.file.Content)
	if err != nil {
		return nil, err
	}
	content := storage.Partial{Content: [sha256.Size]byte(sum), Fetch: p.bytes}
	db, err := motif.Open(p.store(), append(opts, motif.WithPartial(content))...)
	if err != nil {
		return nil, err
	}
	if _, err := db.Schema(ctx); err != nil { // which maps the file
		return nil, errors.Join(err, db.Close())
	}
	return &Graph{db, p}, nil
}

// Close closes the graph. Fetches for a query end.
func (g *Graph) Close() error {
	if g.partial != nil {
		g.partial.stop()
	}
	return g.DB.Close()
}

// Distribute is motif.DB.Distribute.
func (g *Graph) Distribute(ctx context.Context, text string, params motif.Params, opts ...motif.QueryOption) (*motif.Job, error) {
	if err := g.want(ctx, text); err != nil {
		return nil, err
	}
	return g.DB.Distribute(ctx, text, params, opts...)
}

// OpenJob is motif.DB.OpenJob.
func (g *Graph) OpenJob(ctx context.Context, spec []byte, opts ...motif.QueryOption) (*motif.Job, error) {
	var of struct{ Query string }
	if err := json.Unmarshal(spec, &of); err == nil { // else OpenJob says what is wrong
		if err := g.want(ctx, of.Query); err != nil {
			return nil, err
		}
	}
	return g.DB.OpenJob(ctx, spec, opts...)
}

// want fetches what a query names.
func (g *Graph) want(ctx context.Context, query string) error {
	if g.partial == nil {
		return nil
	}
	return g.partial.want(ctx, namesOf(query).names)
}

// Named returns how many bytes a machine without a cache fetches to run units of a query on the snapshot that url names: the parts of the flat file that
// the query names and those that opening reads, or the whole snapshot where there are no parts. For the folder of a store, it is how many bytes are
// there to be read.
func Named(ctx context.Context, url, query string) (bytes int64, err error) {
	if !strings.Contains(url, "://") {
		return folderSize(url)
	}
	if url, err = Pin(ctx, url); err != nil {
		return 0, err
	}
	b, err := Open(ctx, url, false)
	if err != nil {
		return 0, err
	}
	defer b.Close()
	_, hash, _ := strings.Cut(url, "#")
	m, _, err := b.manifest(ctx, hash)
	if err != nil {
		return 0, err
	}
	f := m.flat()
	if f == nil || !storage.CanMap {
		return m.bytes(), nil
	}
	wanted := namesOf(query)
	for i := range m.Files {
		if other := &m.Files[i]; !other.Fixed {
			bytes += other.bytes()
		}
	}
	for i := range f.wanted(wanted.names) {
		bytes += f.Blocks[i].Size
	}
	return bytes, nil
}

// errDamagedCache says what to do about a cache that does not hold what was written to it.
func errDamagedCache(dir string, err error) error {
	return fmt.Errorf("the cache is damaged; delete the folder %s: %w", dir, err)
}
