package blobs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/motifql/motif/storage"
)

const (
	transfers = 16  // blocks at a time
	pushTries = 100 // while other processes publish graphs in the store
)

// Progress is told how many bytes are done, and of how many. One goroutine calls it at a time.
type Progress func(done, total int64)

// Pushed tells what Push did.
type Pushed struct {
	URL      string // of this very snapshot
	Blocks   int    // of the snapshot
	Bytes    int64  // of the blocks of the snapshot
	New      int    // blocks that were not there
	NewBytes int64
}

// Push stores the graph of the store in dir as a snapshot at a URL (see Open), and makes it the last one there. It writes only blocks that are not
// there yet, then the manifest. Other processes may use the store, and others may push or fetch meanwhile. If Push fails, or its process dies, the
// last snapshot stays the last.
func Push(ctx context.Context, dir, url string, progress Progress) (Pushed, error) {
	if _, err := storage.ReadLiveFiles(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Pushed{}, err // before anything is made at the URL
	}
	b, err := Open(ctx, url, true)
	if err != nil {
		return Pushed{}, err
	}
	defer b.Close()
	before, err := b.before(ctx)
	if err != nil {
		return Pushed{}, err
	}
	for try := range pushTries {
		p := &pusher{bucket: b, dir: dir, before: before, sent: make(map[string]bool), progress: progress}
		whole, err := p.state(ctx)
		if err != nil && (!errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrMissing)) {
			return Pushed{}, err
		}
		if whole {
			return p.publish(ctx)
		}
		select {
		case <-ctx.Done():
			return Pushed{}, done(ctx)
		case <-time.After(time.Duration(try) * time.Millisecond):
		}
	}
	return Pushed{}, fmt.Errorf("%s: another process publishes graphs all the time; push when it is done", dir)
}

// before returns the manifest of the last snapshot; nil: there is none that can be read.
func (b *Bucket) before(ctx context.Context) (*manifest, error) {
	hash, err := b.latest(ctx)
	if err == nil {
		var m *manifest
		if m, _, err = b.manifest(ctx, hash); err == nil {
			return m, nil
		}
	}
	if errors.Is(err, ErrNoSnapshot) || errors.Is(err, ErrMissing) || errors.Is(err, ErrDamaged) {
		return nil, nil
	}
	return nil, err
}

// pusher stores one state of a store.
type pusher struct {
	bucket   *Bucket
	dir      string
	before   *manifest // of the last snapshot; nil: there is none
	made     manifest
	log      *os.File
	start    []byte // of the log
	progress Progress

	mu    sync.Mutex
	sent  map[string]bool // hashes of blocks that are there, or on their way
	done  int64
	total int64
	told  Pushed
}

// state stores the blocks of the store, and reports whether the store was the same all the time.
func (p *pusher) state(ctx context.Context) (whole bool, err error) {
	live, err := storage.ReadLiveFiles(p.dir)
	if err != nil {
		return false, err
	}
	p.made = manifest{Format: format, Contents: live.Replaced}
	for _, name := range live.Fixed {
		info, err := os.Stat(p.path(name))
		if err != nil {
			return false, err
		}
		p.made.Files = append(p.made.Files, file{Name: name, Fixed: true, Size: info.Size(), Blocks: cut(info.Size(), nil)})
	}
	if p.log, err = os.Open(p.path(live.Log)); err != nil { // once: another file may take its place
		return false, err
	}
	defer p.log.Close()
	if err := p.cutLog(live); err != nil {
		return false, err
	}
	if err := p.cutFlat(ctx); err != nil {
		return false, err
	}
	if err := p.blocks(ctx); err != nil {
		return false, err
	}
	now, err := storage.ReadLiveFiles(p.dir)
	return err == nil && maps.EqualFunc(live.Replaced, now.Replaced, bytes.Equal), err
}

func (p *pusher) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

// blocks stores the blocks of all files.
func (p *pusher) blocks(ctx context.Context) error {
	p.total = p.made.bytes()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for i := range p.made.Files {
		f := &p.made.Files[i]
		at := int64(0)
		for j := range f.Blocks {
			from := at
			at += f.Blocks[j].Size
			group.Go(func() error { return p.block(ctx, f, from, &f.Blocks[j]) })
		}
	}
	return group.Wait()
}

// cutLog adds the log. Its beginning is read before its end is looked for: it says how far the log reached when it was closed.
func (p *pusher) cutLog(live *storage.LiveFiles) error {
	p.start = make([]byte, live.Restated)
	if _, err := p.log.ReadAt(p.start, 0); err != nil {
		return err
	}
	info, err := p.log.Stat()
	if err != nil {
		return err
	}
	end, err := withoutZeros(p.log, info.Size())
	if err != nil {
		return err
	}
	end = max(end, live.Restated)
	p.made.Files = append(p.made.Files, file{Name: live.Log, Size: info.Size(), Blocks: cut(end, p.logEnds(live))})
	return nil
}

// cutFlat cuts the flat file, if there is one, so that a block belongs to one part of it. If the log has no transactions, the file is the graph, and
// its content is noted.
func (p *pusher) cutFlat(ctx context.Context) error {
	var known *[sha256.Size]byte
	whole := len(p.made.Files[len(p.made.Files)-1].Blocks) == 1 // the log's only block is its header
	if !whole {
		known = new([sha256.Size]byte)
	} else if old := p.before.flat(); old != nil && maps.EqualFunc(p.before.Contents, p.made.Contents, bytes.Equal) {
		sum, _ := hex.DecodeString(old.Content)
		known = (*[sha256.Size]byte)(sum)
	}
	described, err := storage.ReadFlatFile(ctx, p.dir, known)
	if err != nil || described == nil {
		return err
	}
	f := p.made.file(described.Name)
	if f == nil { // it was made just now
		return nil
	}
	if whole {
		f.Content = hex.EncodeToString(described.Content[:])
	}
	f.Parts, f.Blocks = nil, nil
	for _, d := range described.Parts {
		blocks := cut(d.Size, nil)
		f.Parts, f.Blocks = append(f.Parts, part{d.Name, len(blocks)}), append(f.Blocks, blocks...)
	}
	return nil
}

// logEnds says where blocks of the log end: where they ended before, so that these stay what they are while the log grows.
func (p *pusher) logEnds(live *storage.LiveFiles) (ends []int64) {
	ends = []int64{live.Restated}
	old := p.before.file(live.Log)
	if old == nil || len(old.Blocks) > maxLogBlocks {
		return ends
	}
	at := int64(0)
	for _, b := range old.Blocks {
		if at += b.Size; at > live.Restated {
			ends = append(ends, at)
		}
	}
	return ends
}

// cut makes blocks without hashes of so many bytes. Some of them end at the given places.
func cut(size int64, ends []int64) (blocks []block) {
	for at := int64(0); at < size; {
		for len(ends) > 0 && ends[0] <= at {
			ends = ends[1:]
		}
		next := min(at+blockSize, size)
		if len(ends) > 0 {
			next = min(next, ends[0])
		}
		blocks = append(blocks, block{Size: next - at})
		at = next
	}
	return blocks
}

// withoutZeros returns the length of a file without the zeros at its end.
func withoutZeros(f io.ReaderAt, size int64) (int64, error) {
	buf := make([]byte, 256<<10)
	for size > 0 {
		part := buf[:min(size, int64(len(buf)))]
		if _, err := f.ReadAt(part, size-int64(len(part))); err != nil {
			return 0, err
		}
		if rest := bytes.TrimRight(part, "\x00"); len(rest) > 0 {
			return size - int64(len(part)-len(rest)), nil
		}
		size -= int64(len(part))
	}
	return 0, nil
}

// block reads a block of a file, and stores it unless it is there.
func (p *pusher) block(ctx context.Context, f *file, at int64, to *block) error {
	data, err := p.read(f, at, to.Size)
	if err != nil {
		return err
	}
	to.Hash = hashOf(data)
	if !p.first(to.Hash) {
		p.finished(to.Size, false)
		return nil
	}
	name := blockName(to.Hash)
	has, err := p.bucket.Has(ctx, name, to.Size)
	if err == nil && !has {
		err = p.bucket.Put(ctx, name, data)
	}
	if err == nil {
		p.finished(to.Size, !has)
	}
	return err
}

// read reads a block.
func (p *pusher) read(f *file, at, size int64) ([]byte, error) {
	if !f.Fixed && at == 0 {
		return p.start, nil
	}
	data, from := make([]byte, size), p.log
	if f.Fixed {
		var err error
		if from, err = os.Open(p.path(f.Name)); err != nil {
			return nil, err
		}
		defer from.Close()
	}
	if _, err := from.ReadAt(data, at); err != nil {
		return nil, fmt.Errorf("%s: %w", from.Name(), err)
	}
	return data, nil
}

// first reports whether a hash was not seen before.
func (p *pusher) first(hash string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	seen := p.sent[hash]
	p.sent[hash] = true
	return !seen
}

// finished counts a block.
func (p *pusher) finished(size int64, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += size
	p.told.Blocks++
	p.told.Bytes += size
	if fresh {
		p.told.New++
		p.told.NewBytes += size
	}
	if p.progress != nil {
		p.progress(p.done, p.total)
	}
}

// publish stores the manifest, then what names it.
func (p *pusher) publish(ctx context.Context) (Pushed, error) {
	text, err := json.Marshal(&p.made)
	if err != nil {
		return Pushed{}, err
	}
	hash := hashOf(text)
	if err := p.bucket.Put(ctx, manifestName(hash), text); err != nil {
		return Pushed{}, err
	}
	p.told.URL = p.bucket.url + "#" + hash
	return p.told, p.bucket.Put(ctx, latestName, []byte(latestText(hash)))
}
