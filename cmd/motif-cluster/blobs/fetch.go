// Package blobs keeps snapshots of stores in object storage, and fetches them into a folder of the machine.
package blobs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/motifql/motif/storage"
)

// Fetch returns the folder of a store that holds the graph of url, to be opened for reading. A folder of a store is returned as it is. Else url names a
// snapshot (see Open), as Push returned it, or the last one at a place. Fetch brings what the folder cacheDir lacks of it. Processes may share
// that folder; one of them fetches, and the others wait. "" is a folder of the user's. A killed Fetch is taken up where it ended. Nothing is removed
// from cacheDir but what is not complete.
//
// What was fetched is what was pushed, else the error is ErrMissing or ErrDamaged. ErrNoSnapshot and ErrCacheFull are others. Errors that may pass are
// retried for some seconds.
func Fetch(ctx context.Context, url, cacheDir string) (storeDir string, err error) {
	return FetchWith(ctx, url, cacheDir, nil)
}

// FetchWith is Fetch with a report of its progress.
func FetchWith(ctx context.Context, url, cacheDir string, progress Progress) (storeDir string, err error) {
	if !strings.Contains(url, "://") {
		if _, err := os.Stat(url); err != nil {
			_, err = storage.ReadLiveFiles(url) // which says what is wrong
			return "", err
		}
		return url, nil
	}
	pinned, err := Pin(ctx, url)
	if err != nil {
		return "", err
	}
	c, err := newCache(cacheDir, progress)
	if err != nil {
		return "", err
	}
	_, hash, _ := strings.Cut(pinned, "#")
	if c.has(hash) {
		return c.store(hash), nil
	}
	b, err := Open(ctx, pinned, false)
	if err != nil {
		return "", err
	}
	defer b.Close()
	return c.store(hash), named(c.fetch(ctx, b, hash))
}

// Pin returns the URL of the snapshot that is the last one at url now, and a folder's absolute path. Whoever fetches that gets the same graph, whatever
// is pushed meanwhile.
func Pin(ctx context.Context, url string) (string, error) {
	if !strings.Contains(url, "://") {
		return filepath.Abs(url)
	}
	_, hash, err := parse(url)
	if err != nil || hash != "" {
		return url, err
	}
	b, err := Open(ctx, url, false)
	if err != nil {
		return "", err
	}
	defer b.Close()
	if hash, err = b.latest(ctx); err != nil {
		return "", err
	}
	return b.url + "#" + hash, nil
}

// Pull makes a store in the folder dir, which must not exist, of the snapshot that url names. The store is like the one that was pushed, and may be
// written to.
func Pull(ctx context.Context, url, dir string, progress Progress) (err error) {
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s exists already: name a folder that does not", dir), err)
	}
	if !strings.Contains(url, "://") {
		return fmt.Errorf("%s is no URL of a snapshot", url)
	}
	if url, err = Pin(ctx, url); err != nil {
		return err
	}
	b, err := Open(ctx, url, false)
	if err != nil {
		return err
	}
	defer b.Close()
	_, hash, _ := strings.Cut(url, "#")
	m, _, err := b.manifest(ctx, hash)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp(filepath.Dir(dir), filepath.Base(dir)+".part-*")
	if err != nil {
		return named(err)
	}
	defer os.RemoveAll(temp) // fails to find it once it has its name
	d := newDownload(b, m, progress)
	for i := range m.Files {
		if err := d.file(ctx, &m.Files[i], filepath.Join(temp, filepath.FromSlash(m.Files[i].Name))); err != nil {
			return named(err)
		}
	}
	if err := m.small(temp); err != nil {
		return named(err)
	}
	return named(os.Rename(temp, dir))
}

// cache is a folder with stores, which share the files that never change:
//
//	snapshots/HASH   the store of a snapshot, complete
//	files/HASH       a file that never changes, complete
//	parts/HASH       the store of a snapshot with holes in its flat file; see partial
//	partial/         what is being made; the holder of the lock may remove it
//	lock
type cache struct {
	dir      string
	progress Progress
}

// newCache returns the cache in a folder; "" is a folder of the user's.
func newCache(dir string, progress Progress) (*cache, error) {
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no folder is known for what is fetched: %w", err)
		}
		dir = filepath.Join(user, "motif-cluster")
	}
	return &cache{dir: dir, progress: progress}, nil
}

// locked calls fn while no other process changes the cache.
func (c *cache) locked(ctx context.Context, fn func() error) error {
	for _, folder := range []string{"snapshots", "files", "parts", "partial"} {
		if err := os.MkdirAll(filepath.Join(c.dir, folder), 0o700); err != nil {
			return err
		}
	}
	lock := flock.New(filepath.Join(c.dir, "lock"))
	if ok, err := lock.TryLockContext(ctx, 50*time.Millisecond); !ok {
		return errors.Join(fmt.Errorf("waiting for the lock of %s", c.dir), err)
	}
	defer lock.Close()
	return fn()
}

func (c *cache) store(hash string) string     { return filepath.Join(c.dir, "snapshots", hash) }
func (c *cache) partial(name string) string   { return filepath.Join(c.dir, "partial", name) }
func (c *cache) fixedFile(hash string) string { return filepath.Join(c.dir, "files", hash) }

func (c *cache) has(hash string) bool {
	_, err := os.Stat(c.store(hash))
	return err == nil
}

// fetch makes the store of a snapshot, unless another process does.
func (c *cache) fetch(ctx context.Context, b *Bucket, hash string) error {
	return c.locked(ctx, func() error { return c.fill(ctx, b, hash) })
}

// fill is fetch for who has the lock.
func (c *cache) fill(ctx context.Context, b *Bucket, hash string) error {
	if c.has(hash) {
		return nil
	}
	m, _, err := b.manifest(ctx, hash)
	if err != nil {
		return err
	}
	d := newDownload(b, m, c.progress)
	at := c.partial(hash)
	if err := os.RemoveAll(at); err != nil {
		return err
	}
	if err := os.Mkdir(at, 0o700); err != nil {
		return err
	}
	for i := range m.Files {
		if err := c.file(ctx, d, &m.Files[i], filepath.Join(at, filepath.FromSlash(m.Files[i].Name))); err != nil {
			return err
		}
	}
	if err := m.small(at); err != nil {
		return err
	}
	return os.Rename(at, c.store(hash))
}

// file puts a file in its place. One that never changes is kept for other snapshots, too.
func (c *cache) file(ctx context.Context, d *download, f *file, path string) error {
	if !f.Fixed {
		return d.file(ctx, f, path)
	}
	kept := c.fixedFile(f.hash())
	if info, err := os.Stat(kept); err != nil || info.Size() != f.Size {
		part := c.partial(f.hash())
		if err := d.file(ctx, f, part); err != nil {
			return err
		}
		if err := os.Rename(part, kept); err != nil {
			return err
		}
	} else {
		d.skip(f)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.Link(kept, path)
}
