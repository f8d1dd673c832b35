package flat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/motifql/motif/internal/workgroup"
)

// File is a mapped file. It is safe for concurrent use. What it hands out stays valid for as long as somebody refers to it: nothing needs to
// be closed.
type File struct {
	path     string
	workers  int
	memory   []byte // the mapping
	index    uint64 // where the index begins
	sections map[string]*section
	fetch    func(from, to uint64) error // nil: all of the file is there
	mu       sync.Mutex
	parts    map[*section]*Part // those asked for
}

// Number is what arrays hold.
type Number interface{ ~uint32 | ~uint64 }

// Damage is the error of a file that is not what was written.
type Damage struct {
	Path string
	What string
	Err  error
}

func (d *Damage) Error() string {
	if d.Err == nil {
		return fmt.Sprintf("%s: %s", d.Path, d.What)
	}
	return fmt.Sprintf("%s: %s: %v", d.Path, d.What, d.Err)
}

// Unwrap returns the cause.
func (d *Damage) Unwrap() error { return d.Err }

// Unfetched is the error of a section that FetchBy's function could not bring.
type Unfetched struct {
	Path    string
	Section string
	Err     error
}

func (u *Unfetched) Error() string {
	return fmt.Sprintf("%s: the section %q could not be fetched: %v", u.Path, u.Section, u.Err)
}

// Unwrap returns the cause.
func (u *Unfetched) Unwrap() error { return u.Err }

// Open maps a file of an owner. workers is how many goroutines read a section. Errors are those of the system, ErrOther, ErrUnsupported or a *Damage.
func Open(path string, owner Owner, workers int) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	file, err := open(f, owner)
	if file != nil {
		file.workers = max(1, workers)
	}
	return file, errors.Join(err, f.Close())
}

func open(f *os.File, owner Owner) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	index, err := readIndex(f, info.Size())
	if err != nil {
		var system *os.PathError
		if errors.As(err, &system) {
			return nil, err
		}
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, &Damage{f.Name(), "it is no whole flat file", err}
	}
	sections, err := parse(index, owner, uint64(info.Size())-uint64(len(index)))
	if err == ErrOther {
		return nil, err
	}
	if err != nil {
		return nil, &Damage{f.Name(), "it is no whole flat file", err}
	}
	memory, err := mapFile(f, info.Size())
	if err != nil {
		return nil, err
	}
	return &File{path: f.Name(), memory: memory, index: uint64(info.Size()) - uint64(len(index)), sections: sections, parts: make(map[*section]*Part)}, nil
}

// FetchBy says that only header and index are sure to be in the file. Section calls fetch before it reads a section, until a call succeeds: fetch
// writes the bytes [from, to) to the file. A section that was not fetched is an *Unfetched. FetchBy comes before any use of a section.
func (f *File) FetchBy(fetch func(from, to uint64) error) { f.fetch = fetch }

// Place is where a section that the file has begins.
func (f *File) Place(name string) uint64 { return f.sections[name].at }

// Size is the length of the file, and Index where its index begins, which reaches up to its end.
func (f *File) Size() uint64  { return uint64(len(f.memory)) }
func (f *File) Index() uint64 { return f.index }

// Each calls fn for every section, in no order. It reads nothing of them.
func (f *File) Each(fn func(name string, tag byte, length uint64) error) error {
	for name, s := range f.sections {
		if err := fn(name, s.tag, s.length); err != nil {
			return err
		}
	}
	return nil
}

// Has reports whether there is a section.
func (f *File) Has(name string) bool { return f.sections[name] != nil }

// Part is the bytes of a section and what is known of their checksums.
type Part struct {
	Bytes  []byte // nobody may write to them, or read what Check has not seen
	file   *File
	of     *section
	name   string
	blocks []checkedBlock
	whole  atomic.Bool
}

// checkedBlock is a block whose checksum is compared when somebody first needs it.
type checkedBlock struct {
	once workgroup.Once
	bad  bool
}

// Part returns a section for callers that need only some of its bytes. The error is a *Damage, if there is no such section, or an *Unfetched.
func (f *File) Part(name string) (*Part, error) {
	s := f.sections[name]
	if s == nil {
		return nil, &Damage{f.path, fmt.Sprintf("the section %q is missing", name), nil}
	}
	f.mu.Lock()
	part := f.parts[s]
	f.mu.Unlock()
	if part != nil {
		return part, nil
	}
	if f.fetch != nil {
		if err := f.fetch(s.at, s.at+s.length); err != nil {
			return nil, &Unfetched{f.path, name, err}
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.parts[s] == nil { // else somebody was faster
		f.parts[s] = &Part{Bytes: f.memory[s.at : s.at+s.length : s.at+s.length], file: f, of: s, name: name, blocks: make([]checkedBlock, blocks(s.length))}
	}
	return f.parts[s], nil
}

// Check compares the checksums of the blocks that hold the bytes [from, to), each once. The error is a *Damage or a *Fault.
func (p *Part) Check(from, to uint64) error {
	if p.whole.Load() {
		return nil
	}
	return Guarded(func() error {
		for i := from / BlockLen; i < blocks(to); i++ {
			if !p.sound(int64(i)) {
				return p.damage(int64(i))
			}
		}
		return nil
	})
}

func (p *Part) damage(block int64) error {
	return &Damage{p.file.path, fmt.Sprintf("the checksum of block %d of section %q differs", block, p.name), nil}
}

// sound reports whether a block has its checksum.
func (p *Part) sound(i int64) bool {
	b := &p.blocks[i]
	b.once.Do(func() {
		block := p.Bytes[i*BlockLen : min((i+1)*BlockLen, int64(len(p.Bytes)))]
		b.bad = crc32.Checksum(block, castagnoli) != binary.LittleEndian.Uint32(p.of.sums[i*crc32.Size:])
	})
	return !b.bad
}

// Section returns the bytes of a section once their checksums have been compared. The error is a *Damage, a *Fault or an *Unfetched. Nobody may write to the bytes.
func (f *File) Section(name string) ([]byte, error) {
	p, err := f.Part(name)
	if err != nil {
		return nil, err
	}
	if p.whole.Load() {
		return p.Bytes, nil
	}
	var bad atomic.Int64
	if err := Guarded(func() error { p.compare(&bad); return nil }); err != nil {
		return nil, err
	}
	if at := bad.Load(); at > 0 {
		return nil, p.damage(at - 1)
	}
	p.whole.Store(true)
	return p.Bytes, nil
}

// compare compares the checksums of a section. bad becomes the number of a damaged block, from 1 on.
func (p *Part) compare(bad *atomic.Int64) {
	var next atomic.Int64
	n := int64(len(p.blocks))
	work := func() {
		for i := next.Add(1) - 1; i < n && bad.Load() == 0; i = next.Add(1) - 1 {
			if !p.sound(i) {
				bad.Store(i + 1)
			}
		}
	}
	if n <= 1 {
		work()
		return
	}
	var all workgroup.Group
	for range min(int64(p.file.workers), n) {
		all.Go(work)
	}
	all.Wait()
}

// Array is Section for a section of n numbers.
func Array[T Number](f *File, name string, n uint64) ([]T, error) {
	if err := hasNumbers[T](f, name, n); err != nil {
		return nil, err
	}
	b, err := f.Section(name)
	if err != nil || n == 0 {
		return nil, err
	}
	return numbers[T](b, n), nil
}

// At returns the i-th number of a section of n. It compares one checksum. The errors are those of Section.
func At[T Number](f *File, name string, n, i uint64) (x T, err error) {
	if err := hasNumbers[T](f, name, n); err != nil {
		return 0, err
	}
	p, err := f.Part(name)
	if err != nil {
		return 0, err
	}
	size := uint64(unsafe.Sizeof(x))
	if err := p.Check(i*size, (i+1)*size); err != nil {
		return 0, err
	}
	return x, Guarded(func() error { x = numbers[T](p.Bytes, n)[i]; return nil })
}

// hasNumbers returns an error unless a section has the length of n numbers. A section that is missing is for the caller to find.
func hasNumbers[T Number](f *File, name string, n uint64) error {
	size := uint64(unsafe.Sizeof(T(0)))
	if s := f.sections[name]; s != nil && (s.length/size != n || s.length%size != 0) {
		return &Damage{f.path, fmt.Sprintf("section %q has %d bytes, not %d numbers", name, s.length, n), nil}
	}
	return nil
}

func numbers[T Number](b []byte, n uint64) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), n)
}

// Bytes returns the memory of numbers as a section holds them, on a machine that can map a file.
func Bytes[T Number](list []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), uintptr(len(list))*unsafe.Sizeof(T(0)))
}
