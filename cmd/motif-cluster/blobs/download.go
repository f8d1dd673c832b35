package blobs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sync/errgroup"
)

// download writes files of a snapshot.
type download struct {
	bucket   *Bucket
	progress Progress

	mu    sync.Mutex
	done  int64
	total int64
}

func newDownload(b *Bucket, m *manifest, progress Progress) *download {
	return &download{bucket: b, progress: progress, total: m.bytes()}
}

// file writes a file and makes it durable. Blocks that are there from an earlier attempt are kept if they are right. On a full disk the file is removed.
func (d *download) file(ctx context.Context, f *file, path string) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	to, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, to.Close()); errors.Is(named(err), ErrCacheFull) {
			err = errors.Join(err, os.Remove(path))
		}
	}()
	before, err := to.Stat()
	if err != nil {
		return err
	}
	group, groupCtx := errgroup.WithContext(ctx)
	group.SetLimit(transfers)
	at := int64(0)
	for _, b := range f.Blocks {
		from := at
		at += b.Size
		group.Go(func() error { return d.block(groupCtx, to, from, b, from+b.Size <= before.Size()) })
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("%s: %w", f.Name, err)
	}
	if err := to.Truncate(f.Size); err != nil {
		return err
	}
	return to.Sync()
}

// block writes a block unless the file has it.
func (d *download) block(ctx context.Context, to *os.File, at int64, b block, there bool) error {
	if err := done(ctx); err != nil {
		return err
	}
	if there {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(to, at, b.Size)); err != nil {
			return err
		}
		there = hex.EncodeToString(sum.Sum(nil)) == b.Hash
	}
	if !there {
		data, err := d.bucket.Get(ctx, blockName(b.Hash), b.Size, func(data []byte) error { return matches(data, b.Hash) })
		if err != nil {
			return err
		}
		if _, err := to.WriteAt(data, at); err != nil {
			return err
		}
	}
	d.add(b.Size)
	return nil
}

// skip counts a file that is there.
func (d *download) skip(f *file) {
	for _, b := range f.Blocks {
		d.add(b.Size)
	}
}

func (d *download) add(n int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done += n
	if d.progress != nil {
		d.progress(d.done, d.total)
	}
}

// hash names what a file holds.
func (f *file) hash() string {
	sum := sha256.New()
	for _, b := range f.Blocks {
		fmt.Fprintf(sum, "%s %d\n", b.Hash, b.Size)
	}
	fmt.Fprintln(sum, f.Size)
	return hex.EncodeToString(sum.Sum(nil))
}

// small writes the small files, and makes them durable.
func (m *manifest) small(dir string) error {
	for name, contents := range m.Contents {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		_, err = f.Write(contents)
		if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
			return err
		}
	}
	return nil
}
