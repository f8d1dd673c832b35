package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// A snapshot is a blob, its manifest, which names the files of a store and the blocks that they consist of. Blocks and manifests have their
// SHA-256 as names, so they never change, and snapshots share the blocks that are equal. The blob "latest" names the last snapshot.
const (
	latestName   = "latest"
	format       = 1
	blockSize    = 4 << 20  // bytes of a block, at most
	maxManifest  = 64 << 20 // bytes; a store of 2 TB has a manifest of that size
	maxLatest    = 100
	maxLogBlocks = 1000
)

func blockName(hash string) string    { return "blocks/" + hash }
func manifestName(hash string) string { return "snapshots/" + hash + ".json" }

// manifest lists what a snapshot has.
type manifest struct {
	Format   int               `json:"format"`
	Contents map[string][]byte `json:"contents"` // small files, by name
	Files    []file            `json:"files"`
}

// file is a file of the store. Zeros follow its blocks up to its size.
type file struct {
	Name   string  `json:"name"` // within the store, with slashes
	Fixed  bool    `json:"fixed"`
	Size   int64   `json:"size"`
	Blocks []block `json:"blocks"`

	// Of a flat file whose parts can be fetched one by one:
	Content string `json:"content,omitempty"` // storage.FlatFile.Content; "": what is in the log is not in the file
	Parts   []part `json:"parts,omitempty"`   // in order; together they are the file
}

// part is some blocks of a flat file: a storage.FlatPart.
type part struct {
	Name   string `json:"name"`
	Blocks int    `json:"blocks"`
}

// block is a piece of a file.
type block struct {
	Hash string `json:"sha256"`
	Size int64  `json:"size"`
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// isHash reports whether a text is a SHA-256 as hashOf writes it.
func isHash(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}

// latestText is what the blob "latest" holds: the name of a snapshot, and a part of that name's own hash.
func latestText(hash string) string { return hash + " " + hashOf([]byte(hash))[:16] }

// latest returns the name of the last snapshot of a bucket.
func (b *Bucket) latest(ctx context.Context) (string, error) {
	text, err := b.Get(ctx, latestName, maxLatest, func(data []byte) error {
		if hash, _, _ := strings.Cut(string(data), " "); !isHash(hash) || string(data) != latestText(hash) {
			return fmt.Errorf("%w: it does not name a snapshot", ErrDamaged)
		}
		return nil
	})
	if errors.Is(err, ErrMissing) {
		return "", fmt.Errorf("%w at %s: snapshot push makes one: %w", ErrNoSnapshot, b.url, err)
	}
	hash, _, _ := strings.Cut(string(text), " ")
	return hash, err
}

// manifest reads the manifest of a snapshot, and returns its text, too.
func (b *Bucket) manifest(ctx context.Context, hash string) (*manifest, []byte, error) {
	text, err := b.Get(ctx, manifestName(hash), maxManifest, func(data []byte) error { return matches(data, hash) })
	if err != nil {
		return nil, nil, err
	}
	m, err := readManifest(text, hash)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", b.url, err)
	}
	return m, text, nil
}

// readManifest reads the text of a manifest.
func readManifest(text []byte, hash string) (*manifest, error) {
	if err := matches(text, hash); err != nil {
		return nil, err
	}
	m := new(manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", manifestName(hash), ErrDamaged, err)
	}
	if m.Format != format {
		return nil, fmt.Errorf("%s has format %d, and this program reads format %d: use the program that wrote it", manifestName(hash), m.Format, format)
	}
	return m, m.check(manifestName(hash))
}

// matches tells whether data is what its name says.
func matches(data []byte, hash string) error {
	if got := hashOf(data); got != hash {
		return fmt.Errorf("%w: its %d bytes have another hash than its name (%.12s)", ErrDamaged, len(data), got)
	}
	return nil
}

// check sees that names stay within a folder and that sizes can be right.
func (m *manifest) check(name string) error {
	for small := range m.Contents {
		if small != filepath.Base(small) || !filepath.IsLocal(small) {
			return fmt.Errorf("%s: %w: a file cannot be named %q", name, ErrDamaged, small)
		}
	}
	for _, f := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(f.Name)) {
			return fmt.Errorf("%s: %w: a file cannot be named %q", name, ErrDamaged, f.Name)
		}
		room := f.Size
		for _, b := range f.Blocks {
			if b.Size <= 0 || b.Size > blockSize || b.Size > room || !isHash(b.Hash) {
				return fmt.Errorf("%s: %w: the blocks of %s are not those of a file of %d bytes", name, ErrDamaged, f.Name, f.Size)
			}
			room -= b.Size
		}
		if !f.partsFit() {
			return fmt.Errorf("%s: %w: the parts of %s are not its blocks", name, ErrDamaged, f.Name)
		}
	}
	return nil
}

// partsFit reports whether the parts, if there are any, are all blocks of the file.
func (f *file) partsFit() bool {
	if f.Parts == nil {
		return f.Content == ""
	}
	left := len(f.Blocks)
	for _, p := range f.Parts {
		if p.Blocks < 0 || p.Blocks > left {
			return false
		}
		left -= p.Blocks
	}
	return left == 0 && (f.Content == "" || isHash(f.Content))
}

// flat returns the flat file that can be fetched in parts; nil: there is none.
func (m *manifest) flat() *file {
	if m == nil {
		return nil
	}
	for i := range m.Files {
		if m.Files[i].Content != "" {
			return &m.Files[i]
		}
	}
	return nil
}

// file returns the file of a name; nil: there is none.
func (m *manifest) file(name string) *file {
	if m == nil {
		return nil
	}
	for i := range m.Files {
		if m.Files[i].Name == name {
			return &m.Files[i]
		}
	}
	return nil
}

// bytes is the size of all blocks.
func (m *manifest) bytes() (n int64) {
	for i := range m.Files {
		n += m.Files[i].bytes()
	}
	return n
}

func (f *file) bytes() (n int64) {
	for _, b := range f.Blocks {
		n += b.Size
	}
	return n
}
