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
	b.blocks = &writer{store: s, epoch: 1, progress: func(string, uint64, uint64) {}, to: b.value}
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

func (b *backupWriter) value(v stored) error {
	for _, part := range [][]byte{v.key, v.value} {
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
	return s.eachQuery(func(key, value []byte) error { return b.value(stored{key: key, value: value}) })
}

// Restore fills an empty store with the graph of a backup: whole, or not at all.
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
	err := s.restore(ctx, r)
	s.release()
	if err != nil {
		return Info{}, wrap(s.dir, "restoring the backup", err)
	}
	if _, err := s.Snapshot(ctx); err != nil { // which sees that it is a graph
		return Info{}, err
	}
	return s.Info()
}

func (s *Store) restore(ctx context.Context, r io.Reader) error {
	if !s.Empty() || len(epochs(s.db)) > 0 {
		return &Error{Reason: ErrNotEmpty, Path: showPath(s.dir), What: "the store holds a graph already", Do: "restore into a new directory"}
	}
	if err := s.upgrade(); err != nil {
		return err
	}
	in := &backupReader{from: bufio.NewReaderSize(r, 1<<20), sum: crc32.New(castagnoli)}
	h, err := s.readBackup(ctx, in)
	if err == nil {
		err = s.settled(ctx, h, in.keys)
	}
	if err == nil {
		if err = verify(ctx, s, h); err != nil && ctx.Err() == nil {
			err = backupError(s.dir, err)
		}
	}
	if err == nil {
		err = wrap(s.dir, "publishing the graph", s.setHead(h))
	}
	if err != nil {
		return errors.Join(err, s.abandon(new(head)))
	}
	s.head.Store(h)
	s.cached.Store(nil)
	return nil
}

// backupReader reads a backup and sums up what it reads.
type backupReader struct {
	from *bufio.Reader
	sum  hash.Hash32
	keys uint64
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

// readBackup writes the blocks of a backup to the store and returns its head. What is wrong with the file is found before.
func (s *Store) readBackup(ctx context.Context, in *backupReader) (*head, error) {
	magic := make([]byte, len(backupMagic))
	if _, err := io.ReadFull(in.from, magic); err != nil || string(magic) != backupMagic {
		return nil, backupError(s.dir, errors.New("it does not begin like one"))
	}
	in.sum.Write(magic)
	batch := s.db.NewWriteBatch()
	defer batch.Cancel()
	size := uint64(0)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key, err := in.bytes(maxKey)
		if err != nil {
			return nil, backupError(s.dir, err)
		}
		if len(key) == 0 {
			break
		}
		value, err := in.bytes(maxValue)
		if err == nil {
			err = checkBackupBlock(key, value)
		}
		if err != nil {
			return nil, backupError(s.dir, err)
		}
		if in.keys%64 == 0 {
			if err := s.roomToWrite(size); err != nil {
				return nil, err
			}
		}
		if key[0] != kindQuery {
			in.keys++
			size += uint64(len(key) + len(value))
		}
		if err := batch.Set(key, value); err != nil {
			return nil, err
		}
	}
	h, err := in.end(size)
	if err != nil {
		return nil, backupError(s.dir, err)
	}
	return h, s.guard("writing the graph", batch.Flush)
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
func (b *backupReader) end(size uint64) (*head, error) {
	keys, err := binary.ReadUvarint(b)
	if err != nil {
		return nil, err
	}
	payload, err := b.bytes(maxKey)
	if err != nil {
		return nil, err
	}
	h, err := decodeHead(payload)
	if err != nil {
		return nil, err
	}
	want := b.sum.Sum32()
	var sum [4]byte
	if _, err := io.ReadFull(b.from, sum[:]); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(sum[:]) != want {
		return nil, errChecksum
	}
	if keys != b.keys || h.epoch != 1 || h.bytes != size || h.vertices > math.MaxUint32 {
		return nil, errors.New("it ends otherwise than it began")
	}
	if _, err := b.from.ReadByte(); err != io.EOF {
		return nil, errTrailing
	}
	return h, nil
}

func backupError(dir string, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("it ends too early")
	}
	return &Error{Reason: ErrCorrupt, Path: showPath(dir), What: "nothing was restored: " + errBackup.Error(), Err: err,
		Do: "use another backup"}
}
