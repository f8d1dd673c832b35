package blobs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob://
	_ "gocloud.dev/blob/fileblob"  // file://
	_ "gocloud.dev/blob/gcsblob"   // gs://
	_ "gocloud.dev/blob/s3blob"    // s3://
	"gocloud.dev/gcerrors"
)

// How reading is repeated. Variables, so that tests need not wait.
var (
	attempts   = 9
	firstPause = 100 * time.Millisecond // it doubles with every attempt
	mostPause  = 5 * time.Second
	stallAfter = 30 * time.Second
)

const s3Checksums = "response_checksum_validation"

// Bucket is a place for blobs: the part of an object store that a URL names.
type Bucket struct {
	blobs *blob.Bucket
	url   string // as people know it, without a snapshot
}

// Open opens the place that a URL names: s3://BUCKET/PATH, gs://BUCKET/PATH, azblob://CONTAINER/PATH or file:///FOLDER. Options of the
// drivers of gocloud.dev/blob follow a question mark. create says that the folder of a file URL is made if it is missing.
func Open(ctx context.Context, text string, create bool) (*Bucket, error) {
	u, _, err := parse(text)
	if err != nil {
		return nil, err
	}
	prefix := ""
	if u.Scheme == "file" {
		options := u.Query()
		options.Set("metadata", "skip")
		options.Set("no_tmp_dir", "true") // a blob appears by a rename, which needs one file system
		if create {
			options.Set("create_dir", "true")
		}
		u.RawQuery = options.Encode()
	} else if prefix = strings.Trim(u.Path, "/"); prefix != "" {
		u.Path, u.RawPath = "", ""
	}
	if options := u.Query(); u.Scheme == "s3" && !options.Has(s3Checksums) {
		options.Set(s3Checksums, "when_required") // the names of blobs are checksums; the client warns of each answer without one
		u.RawQuery = options.Encode()
	}
	b, err := blob.OpenBucket(ctx, u.String())
	if err != nil {
		return nil, fmt.Errorf("opening %s: %w", text, err)
	}
	if prefix != "" {
		b = blob.PrefixedBucket(b, prefix+"/")
	}
	text, _, _ = strings.Cut(text, "#")
	return &Bucket{b, text}, nil
}

// parse reads a URL. Behind a # stands the name of a snapshot, or nothing.
func parse(text string) (u *url.URL, snapshot string, err error) {
	u, err = url.Parse(text)
	if err != nil {
		return nil, "", fmt.Errorf("%q is no URL: %w", text, err)
	}
	if snapshot = u.Fragment; snapshot != "" && !isHash(snapshot) {
		return nil, "", fmt.Errorf("%s: %q is not the name of a snapshot, which has 64 hexadecimal digits", text, snapshot)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, snapshot, nil
}

// Close releases the bucket.
func (b *Bucket) Close() error { return b.blobs.Close() }

// Put writes a blob as a whole. A reader sees all of it or nothing.
func (b *Bucket) Put(ctx context.Context, name string, data []byte) error {
	return b.again(ctx, "writing", name, func(ctx context.Context) error {
		return b.blobs.Upload(ctx, name, bytes.NewReader(data), &blob.WriterOptions{ContentType: "application/octet-stream"})
	})
}

// Get reads a blob of at most limit bytes. What check does not accept is read again. A blob that is not there is ErrMissing.
func (b *Bucket) Get(ctx context.Context, name string, limit int64, check func([]byte) error) (data []byte, err error) {
	err = b.again(ctx, "reading", name, func(ctx context.Context) error {
		if data, err = b.read(ctx, name, limit); err != nil {
			return err
		}
		return check(data)
	})
	return data, err
}

// Has reports whether a blob of this size is there.
func (b *Bucket) Has(ctx context.Context, name string, size int64) (has bool, err error) {
	err = b.again(ctx, "looking for", name, func(ctx context.Context) error {
		about, err := b.blobs.Attributes(ctx, name)
		if gcerrors.Code(err) == gcerrors.NotFound {
			return nil
		}
		has = err == nil && about.Size == size
		return err
	})
	return has, err
}

// again calls try until it succeeds, with pauses in between, unless the error would come again.
func (b *Bucket) again(ctx context.Context, doing, name string, try func(context.Context) error) error {
	pause := firstPause
	for attempt := 1; ; attempt++ {
		err := try(ctx)
		if err == nil {
			return nil
		}
		if stopped := done(ctx); stopped != nil {
			return stopped
		}
		if gcerrors.Code(err) == gcerrors.NotFound || errors.Is(err, os.ErrNotExist) {
			err = fmt.Errorf("%w: %w", ErrMissing, err)
		}
		if lasting(err) || attempt == attempts {
			return fmt.Errorf("%s %s of %s: %w", doing, name, b.url, err)
		}
		select {
		case <-ctx.Done():
			return done(ctx)
		case <-time.After(pause):
			pause = min(2*pause, mostPause)
		}
	}
}

// read reads a blob, unless it stalls.
func (b *Bucket) read(ctx context.Context, name string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(stallAfter, func() { cancel(ErrStalled) })
	defer timer.Stop()
	r, err := b.blobs.NewReader(ctx, name, nil)
	if err == nil {
		var data bytes.Buffer
		data.Grow(int(min(max(r.Size(), 0), limit)) + bytes.MinRead)
		_, err = data.ReadFrom(io.LimitReader(&watched{r, timer}, limit+1))
		if err = errors.Join(err, r.Close()); err == nil && int64(data.Len()) > limit {
			err = fmt.Errorf("%w: it has more than %d bytes", ErrDamaged, limit)
		}
		if err == nil {
			return data.Bytes(), nil
		}
	}
	if errors.Is(context.Cause(ctx), ErrStalled) {
		err = fmt.Errorf("%w: %w", ErrStalled, err)
	}
	return nil, err
}

// watched puts a timer off whenever something was read.
type watched struct {
	io.Reader
	timer *time.Timer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.timer.Reset(stallAfter)
	}
	return n, err
}
