package temporal

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"
)

// inline limits the bytes that go through the engine, which takes payloads of up to 2 MB.
const inline = 256 << 10

// Piece is bytes that travel through the engine, or beside it as a blob.
type Piece struct {
	Data []byte `json:",omitempty"`
	Blob string `json:",omitempty"` // its name in the bucket of the job
	Sum  []byte `json:",omitempty"` // SHA-256 of a blob
}

// errNoBucket is the error of a part that is too large for the engine.
var errNoBucket = errors.New("a part of the answer has more than 256 KiB, and the job has no place for it: name a bucket, or a folder that all workers see, by --blobs")

// putPiece stores bytes under a name if there are too many for the engine. A name is written once: it holds the attempt.
func putPiece(ctx context.Context, bucket, name string, data []byte) (Piece, error) {
	if len(data) <= inline {
		return Piece{Data: data}, nil
	}
	if bucket == "" {
		return Piece{}, final(errNoBucket)
	}
	b, err := openBucket(ctx, bucket)
	if err != nil {
		return Piece{}, err
	}
	defer b.Close()
	if err := b.WriteAll(ctx, name, data, nil); err != nil {
		return Piece{}, fmt.Errorf("writing a part to %s: %w", bucket, err)
	}
	sum := sha256.Sum256(data)
	return Piece{Blob: name, Sum: sum[:]}, nil
}

// bytes returns the bytes of a piece. It fails if the blob is not the one that putPiece has written.
func (p Piece) bytes(ctx context.Context, bucket string) ([]byte, error) {
	if p.Blob == "" {
		return p.Data, nil
	}
	b, err := openBucket(ctx, bucket)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	data, err := b.ReadAll(ctx, p.Blob)
	if err != nil {
		return nil, fmt.Errorf("reading a part from %s: %w", bucket, err)
	}
	if sum := sha256.Sum256(data); string(sum[:]) != string(p.Sum) {
		return nil, fmt.Errorf("the blob %s in %s is not what the job has written", p.Blob, bucket)
	}
	return data, nil
}

// openBucket opens a bucket by its URL, or a folder.
func openBucket(ctx context.Context, name string) (*blob.Bucket, error) {
	if strings.Contains(name, "://") {
		b, err := blob.OpenBucket(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("the bucket %s: %w", name, err)
		}
		return b, nil
	}
	b, err := fileblob.OpenBucket(name, &fileblob.Options{CreateDir: true, NoTempDir: true, Metadata: fileblob.MetadataDontWrite, DirFileMode: 0o700})
	if err != nil {
		return nil, fmt.Errorf("the folder %s: %w", name, err)
	}
	return b, nil
}

// removePieces removes all blobs of a job.
func removePieces(ctx context.Context, bucket, id string) error {
	if bucket == "" {
		return nil
	}
	if _, err := os.Stat(bucket); !strings.Contains(bucket, "://") && os.IsNotExist(err) {
		return nil
	}
	b, err := openBucket(ctx, bucket)
	if err != nil {
		return err
	}
	defer b.Close()
	list := b.List(&blob.ListOptions{Prefix: id + "/"})
	for {
		o, err := list.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := b.Delete(ctx, o.Key); err != nil {
			return err
		}
	}
}

// absolute makes the name of a folder one that other processes of this machine understand. URLs stay.
func absolute(name string) (string, error) {
	if name == "" || strings.Contains(name, "://") {
		if u, err := url.Parse(name); err != nil || u.Scheme == "" && name != "" {
			return "", fmt.Errorf("%s is no URL", name)
		}
		return name, nil
	}
	return filepath.Abs(name)
}
