package blobs

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/motifql/motif/storage"
)

// partial is a snapshot of which the cache has some blocks of the flat file. Processes share its folder:
//
//	manifest   of the snapshot, as it is in the bucket
//	store/     the store, without the database of its blocks: the flat file is as long as it will be, and has holes
//	present    a byte for each block of the flat file; 1: it is there, and its hash was right
//
// Who writes a block holds the lock of the cache. The byte of present follows once the block is on the disk.
type partial struct {
	cache *cache
	dir   string
	url   string // of this very snapshot
	m     *manifest
	file  *file
	ends  []int64 // of its blocks
	ctx   context.Context
	stop  context.CancelFunc // of fetches for a query

	mu   sync.Mutex
	here []bool // blocks known to be there
}

// newPartial makes the folder of a snapshot, unless it is there. It returns nil if the snapshot cannot be fetched in parts, or is there as a whole.
func newPartial(ctx context.Context, url, cacheDir string, progress Progress) (*partial, error) {
	if !strings.Contains(url, "://") || !storage.CanMap {
		return nil, nil
	}
	url, err := Pin(ctx, url)
	if err != nil {
		return nil, err
	}
	c, err := newCache(cacheDir, progress)
	if err != nil {
		return nil, err
	}
	_, hash, _ := strings.Cut(url, "#")
	if c.has(hash) {
		return nil, nil
	}
	p := &partial{cache: c, dir: filepath.Join(c.dir, "parts", hash), url: url}
	if err := p.open(ctx, hash); err != nil || p.file == nil {
		return nil, err
	}
	at := int64(0)
	for _, b := range p.file.Blocks {
		at += b.Size
		p.ends = append(p.ends, at)
	}
	p.here = make([]bool, len(p.ends))
	p.ctx, p.stop = context.WithCancel(context.Background())
	return p, nil
}

func (p *partial) store() string    { return filepath.Join(p.dir, "store") }
func (p *partial) flat() string     { return filepath.Join(p.store(), filepath.FromSlash(p.file.Name)) }
func (p *partial) present() string  { return filepath.Join(p.dir, "present") }
func (p *partial) manifest() string { return filepath.Join(p.dir, "manifest") }

// open reads the manifest, from the folder if that is there, and makes the folder else. p.file stays nil if there is no flat file with parts.
func (p *partial) open(ctx context.Context, hash string) error {
	text, err := os.ReadFile(p.manifest())
	if err == nil {
		if p.m, err = readManifest(text, hash); err != nil {
			return errDamagedCache(p.dir, err)
		}
		p.file = p.m.flat()
		return nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	b, err := Open(ctx, p.url, false)
	if err != nil {
		return err
	}
	defer b.Close()
	if p.m, text, err = b.manifest(ctx, hash); err != nil || p.m.flat() == nil {
		return err
	}
	p.file = p.m.flat()
	return p.cache.locked(ctx, func() error { return p.make(ctx, b, text) })
}

// make makes the folder: all of the store but the blocks of the flat file. It appears when it is complete.
func (p *partial) make(ctx context.Context, b *Bucket, manifest []byte) error {
	if _, err := os.Stat(p.dir); err == nil {
		return nil
	}
	made := &partial{dir: p.cache.partial(filepath.Base(p.dir)), m: p.m, file: p.file}
	if err := errors.Join(os.RemoveAll(made.dir), os.MkdirAll(made.store(), 0o700)); err != nil {
		return err
	}
	d := newDownload(b, p.m, nil)
	for i := range p.m.Files {
		if f := &p.m.Files[i]; !f.Fixed {
			if err := d.file(ctx, f, filepath.Join(made.store(), filepath.FromSlash(f.Name))); err != nil {
				return err
			}
		}
	}
	if err := p.m.small(made.store()); err != nil {
		return err
	}
	for _, path := range []string{made.flat(), made.present()} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			return err
		}
	}
	if err := errors.Join(os.Truncate(made.flat(), p.file.Size), os.WriteFile(made.manifest(), manifest, 0o600)); err != nil {
		return err
	}
	return os.Rename(made.dir, p.dir)
}

// wanted yields the numbers of the blocks in parts that a function wants, and in those that opening reads.
func (f *file) wanted(want func(part string) bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		at := 0
		for _, part := range f.Parts {
			for i := range part.Blocks {
				if (part.Name == "" || want(part.Name)) && !yield(at+i) {
					return
				}
			}
			at += part.Blocks
		}
	}
}

// want fetches parts of the flat file.
func (p *partial) want(ctx context.Context, want func(part string) bool) error {
	return p.fetch(ctx, p.file.wanted(want))
}

// bytes fetches the blocks that the bytes [from, to) of the flat file belong to, for a query that reads them now.
func (p *partial) bytes(from, to uint64) error {
	return p.fetch(p.ctx, func(yield func(int) bool) {
		start := int64(0)
		for i, end := range p.ends {
			if start < int64(to) && end > int64(from) && !yield(i) {
				return
			}
			start = end
		}
	})
}

// fetch fetches those blocks that are not there. Its error is ErrUnfetched, or that of ctx.
func (p *partial) fetch(ctx context.Context, blocks iter.Seq[int]) error {
	missing, err := p.missing(blocks)
	if err == nil && len(missing) > 0 {
		err = p.cache.locked(ctx, func() error {
			missing, err := p.missing(blocks) // another process may have brought them
			if err != nil || len(missing) == 0 {
				return err
			}
			return p.bring(ctx, missing)
		})
	}
	if err == nil {
		return nil
	}
	if stopped := done(ctx); stopped != nil {
		return stopped
	}
	return fmt.Errorf("%w: %w", ErrUnfetched, named(err))
}

// missing returns those of some blocks that are not there.
func (p *partial) missing(blocks iter.Seq[int]) (missing []int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var present []byte
	for i := range blocks {
		if p.here[i] {
			continue
		}
		if present == nil {
			if present, err = os.ReadFile(p.present()); err != nil {
				return nil, errDamagedCache(p.dir, err)
			}
			present = append(present, 0)
		}
		if p.here[i] = i < len(present) && present[i] == 1; !p.here[i] {
			missing = append(missing, i)
		}
	}
	return missing, nil
}

// bring fetches blocks, makes them durable and notes that they are there.
func (p *partial) bring(ctx context.Context, missing []int) (err error) {
	b, err := Open(ctx, p.url, false)
	if err != nil {
		return err
	}
	defer b.Close()
	to, err := os.OpenFile(p.flat(), os.O_RDWR, 0)
	if err != nil {
		return errDamagedCache(p.dir, err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	d := &download{bucket: b, progress: p.cache.progress}
	for _, i := range missing {
		d.total += p.file.Blocks[i].Size
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	for _, i := range missing {
		block := p.file.Blocks[i]
		group.Go(func() error { return d.block(groupCtx, to, p.ends[i]-block.Size, block, false) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("%s: %w", p.file.Name, err)
	}
	if err := to.Sync(); err != nil {
		return err
	}
	return p.note(missing)
}

// note notes that blocks are there.
func (p *partial) note(blocks []int) (err error) {
	f, err := os.OpenFile(p.present(), os.O_RDWR, 0)
	if err != nil {
		return errDamagedCache(p.dir, err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	for _, i := range blocks {
		if _, err := f.WriteAt([]byte{1}, int64(i)); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, i := range blocks {
		p.here[i] = true
	}
	return nil
}
