package storage

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
	"math"

	"github.com/motifql/motif/internal/csr"
)

// A backup is one file. It begins with backupMagic. Then come key and value of every block of the graph, as a store would
// hold them under epoch 1, and of the saved queries, each after its length (uvarint). A key of length 0 ends them. Then come
// the number of blocks, the head after its length, and the CRC32C of all before (4 bytes, little-endian).
const backupMagic = "motif backup 1\n"

var errBackup = errors.New("this is no whole backup")

// Backup writes the live graph to w. It neither waits for transactions nor makes them wait.
func (s *Store) Backup(ctx context.Context, w io.Writer) (Info, error) {
	snap, err := s.Snapshot(ctx)
	if err != nil {
		return Info{}, err
	}
	if snap, err = flatten(ctx, snap); err != nil {
		return Info{}, err
	}
	out := &backupWriter{sum: crc32.New(castagnoli)}
	out.to = bufio.NewWriterSize(io.MultiWriter(w, out.sum), 1<<20)
	if err := out.write(ctx, s, snap); err != nil {
		return Info{}, wrap(s.dir, "writing the backup", err)
	}
	_, err = w.Write(binary.LittleEndian.AppendUint32(nil, out.sum.Sum32()))
	return Info{Epoch: 1, Nodes: snap.N(), Relationships: snap.M(), GraphBytes: out.blocks.bytes}, wrap(s.dir, "writing the backup", err)
}

type backupWriter struct {
	to     *bufio.Writer
	sum    hash.Hash32
	blocks *writer
}

func (b *backupWriter) write(ctx context.Context, s *Store, snap *csr.Snapshot) error {
	if _, err := b.to.WriteString(backupMagic); err != nil {
		return err
	}
	b.blocks = &writer{epoch: 1, workers: s.opt.Workers, progress: noProgress, put: b.value}
	if err := b.blocks.run(ctx, &snap.Data); err != nil {
		return err
	}
	if err := s.backupQueries(ctx, b); err != nil {
		return err
	}
	h := &head{epoch: 1, vertices: snap.N(), edges: snap.M(), bytes: b.blocks.bytes}
	end := binary.AppendUvarint([]byte{0}, b.blocks.keys)
	end = appendString(end, string(h.encode()))
	if _, err := b.to.Write(end); err != nil {
		return err
	}
	return b.to.Flush()
}

func (b *backupWriter) value(key, value []byte) error {
	for _, part := range [][]byte{key, value} {
		if _, err := b.to.Write(binary.AppendUvarint(b.to.AvailableBuffer(), uint64(len(part)))); err != nil {
			return err
		}
		if _, err := b.to.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// backupQueries writes the saved queries, which neither the head nor the number of blocks counts.
func (s *Store) backupQueries(ctx context.Context, b *backupWriter) error {
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	queries, err := s.storedQueries()
	for _, q := range queries {
		if err == nil {
			err = b.value(q.key, q.value)
		}
	}
	return err
}

// Restore fills an empty store with the graph of a backup: whole, or not at all. It decodes every value, and writes the graph
// anew as a load does. The saved queries come first, and an error takes them back.
func (s *Store) Restore(ctx context.Context, r io.Reader) (Info, error) {
	if err := s.writable(); err != nil {
		return Info{}, err
	}
	if err := s.lockWriter(ctx); err != nil {
		return Info{}, err
	}
	defer s.unlockWriter()
	s.fold.stop()
	if err := s.acquire(ctx); err != nil {
		return Info{}, err
	}
	defer s.release()
	if err := s.restore(ctx, r); err != nil {
		return Info{}, wrap(s.dir, "restoring the backup", err)
	}
	return infoAfter(s), nil
}

func (s *Store) restore(ctx context.Context, r io.Reader) error {
	if !s.Empty() {
		return &Error{Reason: ErrNotEmpty, Path: showPath(s.dir), What: "the store holds a graph already", Do: "restore into a new directory"}
	}
	in := &backupReader{from: bufio.NewReaderSize(r, 1<<20), sum: crc32.New(castagnoli)}
	if err := in.read(ctx); err != nil {
		if ctx.Err() != nil || isSystemError(err) {
			return err
		}
		return backupError(s.dir, err)
	}
	snap, err := in.graph(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return backupError(s.dir, err)
	}
	if len(in.queries) == 0 {
		return s.publish(ctx, snap, noProgress)
	}
	before, err := s.storedQueries()
	if err != nil {
		return err
	}
	if err = s.writeQueries(in.queries); err == nil {
		err = s.publish(ctx, snap, noProgress)
	}
	if err != nil && s.usable() == nil { // else the graph may be there
		if undone := s.writeQueries(before); undone != nil {
			err = fmt.Errorf("%w (and the saved queries of the backup stay: %v)", err, undone)
		}
	}
	return err
}

// backupReader reads a backup and sums up what it reads.
type backupReader struct {
	from *bufio.Reader
	sum  hash.Hash32

	blocks, queries []storedPart
	head            *head
}

func (b *backupReader) ReadByte() (byte, error) {
	x, err := b.from.ReadByte()
	if err == nil {
		b.sum.Write([]byte{x})
	}
	return x, err
}

func (b *backupReader) bytes(limit uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(b)
	if err == nil && n > limit {
		err = fmt.Errorf("a length of %d", n)
	}
	if err != nil {
		return nil, err
	}
	data := make([]byte, n)
	_, err = io.ReadFull(b.from, data)
	b.sum.Write(data)
	return data, err
}

const maxKey = 1 << 10

// read reads all of a backup, and sees that its checksums are right.
func (b *backupReader) read(ctx context.Context) error {
	magic := make([]byte, len(backupMagic))
	if _, err := io.ReadFull(b.from, magic); err != nil || string(magic) != backupMagic {
		return errors.New("it does not begin like one")
	}
	b.sum.Write(magic)
	size := uint64(0)
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		key, err := b.bytes(maxKey)
		if err != nil {
			return err
		}
		if len(key) == 0 {
			break
		}
		value, err := b.bytes(maxValue)
		if err == nil {
			err = checkBackupBlock(key, value)
		}
		if err != nil {
			return err
		}
		if key[0] == kindQuery {
			b.queries = append(b.queries, storedPart{key, value})
			continue
		}
		b.blocks = append(b.blocks, storedPart{key, value})
		size += uint64(len(key) + len(value))
	}
	return b.end(size)
}

// graph decodes the blocks, and checks them as Check does.
func (b *backupReader) graph(ctx context.Context, s *Store) (*csr.Snapshot, error) {
	blocks, err := newMemoryBlocks(b.blocks)
	if err != nil {
		return nil, err
	}
	if err := verify(ctx, s, b.head, blocks); err != nil {
		return nil, err
	}
	snap, n, err := new(loader).loadBlocks(ctx, blocks, 1, s.opt.Workers)
	var block *blockError
	if errors.As(err, &block) {
		if n == nil {
			n = new(names)
		}
		err = fmt.Errorf("%s: %w", n.describe(block.key), block.err)
	}
	return snap, err
}

// checkBackupBlock sees that a value belongs to epoch 1 and is sound.
func checkBackupBlock(key, value []byte) error {
	if key[0] == kindQuery {
		_, err := readQuery(key, value)
		return err
	}
	logical, _, ok := splitPart(key)
	k, known := parseKey(logical)
	if !ok || !known || k.epoch != 1 {
		return fmt.Errorf("unknown key %x", key)
	}
	_, _, err := unseal(key, value)
	if err != nil {
		return fmt.Errorf("%s: %w", new(names).describe(key), err)
	}
	return nil
}

// end reads what follows the last block.
func (b *backupReader) end(size uint64) error {
	keys, err := binary.ReadUvarint(b)
	if err != nil {
		return err
	}
	payload, err := b.bytes(maxKey)
	if err != nil {
		return err
	}
	if b.head, err = decodeHead(payload); err != nil {
		return err
	}
	want := b.sum.Sum32()
	var sum [4]byte
	if _, err := io.ReadFull(b.from, sum[:]); err != nil {
		return err
	}
	if binary.LittleEndian.Uint32(sum[:]) != want {
		return errChecksum
	}
	if keys != uint64(len(b.blocks)) || b.head.epoch != 1 || b.head.bytes != size || b.head.vertices > math.MaxUint32 {
		return errors.New("it ends otherwise than it began")
	}
	if _, err := b.from.ReadByte(); err != io.EOF {
		return errTrailing
	}
	return nil
}

func backupError(dir string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return &Error{Reason: ErrCorrupt, Path: showPath(dir), What: "nothing was restored: " + errBackup.Error(), Err: err,
		Do: "use another backup"}
}
