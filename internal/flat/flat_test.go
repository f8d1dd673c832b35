package flat

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"github.com/motifql/motif/internal/workgroup"
)

// randomFile writes a file of random sections and returns its path and the sections.
func randomFile(t testing.TB, rng *rand.Rand, most int) (string, map[string][]byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flat")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, sections := NewWriter(f, Owner{1}), make(map[string][]byte)
	var open []*SectionWriter
	for i := range 1 + rng.IntN(6) {
		b := make([]byte, 8*rng.IntN(most))
		for j := range b {
			b[j] = byte(rng.Uint32())
		}
		name := fmt.Sprint("section ", i)
		sections[name] = b
		if rng.IntN(3) == 0 {
			s := w.Growing(name, byte(i))
			_, err := s.Write(b[:len(b)/3])
			if _, again := s.Write(b[len(b)/3:]); err != nil || again != nil || s.Close() != nil {
				t.Fatal(err, again)
			}
			continue
		}
		if rng.IntN(3) == 0 {
			if err := w.Add(name, byte(i), b); err != nil {
				t.Fatal(err)
			}
			continue
		}
		s := w.Section(name, byte(i), uint64(len(b))) // closed behind others
		for at := 0; at < len(b); {
			n := 1 + rng.IntN(len(b)-at)
			if _, err := s.Write(b[at : at+n]); err != nil {
				t.Fatal(err)
			}
			at += n
		}
		open = append(open, s)
	}
	for _, s := range open {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Finish(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return path, sections
}

func seed(t testing.TB) uint64 {
	s := uint64(time.Now().UnixNano())
	t.Logf("seed %d", s)
	return s
}

func supported(t testing.TB) {
	if !Supported {
		t.Skip("this build maps no files")
	}
}

// compareAll returns an error unless all sections are as written.
func compareAll(path string, sections map[string][]byte) error {
	f, err := Open(path, Owner{1}, 2)
	if err != nil {
		return err
	}
	for name, want := range sections {
		for n, i := uint64(len(want)/4), uint64(0); len(want)%4 == 0 && i < n; i += 1 + n/7 {
			x, err := At[uint32](f, name, n, i)
			if err != nil {
				return err
			}
			if x != binary.NativeEndian.Uint32(want[4*i:]) {
				return errWrong
			}
		}
		got, err := f.Section(name)
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return errWrong
		}
	}
	return nil
}

var errWrong = errors.New("a section differs, and nobody says so")

// A file holds what was written.
func TestSections(t *testing.T) {
	supported(t)
	rng := rand.New(rand.NewPCG(seed(t), 1))
	for i := range 12 {
		most := []int{3, 100, 5000, 3 * BlockLen / 8}[i%4]
		path, sections := randomFile(t, rng, most)
		if err := compareAll(path, sections); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path, Owner{2}, 1); !errors.Is(err, ErrOther) {
			t.Errorf("the file opens for another owner: %v", err)
		}
		f, err := Open(path, Owner{1}, 1)
		if err != nil {
			t.Fatal(err)
		}
		var damage *Damage
		if _, err := f.Section("none"); !errors.As(err, &damage) {
			t.Errorf("a missing section: %v", err)
		}
		found := 0
		err = f.Each(func(name string, tag byte, length uint64) error {
			found++
			if name != fmt.Sprint("section ", tag) || length != uint64(len(sections[name])) {
				return fmt.Errorf("%q has tag %d and length %d", name, tag, length)
			}
			return nil
		})
		if err != nil || found != len(sections) {
			t.Errorf("%d of %d sections, %v", found, len(sections), err)
		}
		name := "section 0"
		if _, err := Array[uint64](f, name, uint64(len(sections[name]))/8+1); !errors.As(err, &damage) {
			t.Errorf("an array of another length: %v", err)
		}
		if _, err := At[uint64](f, name, uint64(len(sections[name]))/8+1, 0); !errors.As(err, &damage) {
			t.Errorf("a number of an array of another length: %v", err)
		}
		list, err := Array[uint64](f, name, uint64(len(sections[name]))/8)
		if err != nil || !bytes.Equal(Bytes(list), sections[name]) {
			t.Errorf("the array differs: %v", err)
		}
	}
}

// A section of another length than announced is an error of the writer.
func TestSectionLength(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "flat"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := NewWriter(f, Owner{})
	s := w.Section("a", 0, 5)
	if _, err := s.Write(make([]byte, 6)); err == nil {
		t.Error("6 bytes of 5")
	}
	if _, err := s.Write(make([]byte, 4)); err != nil {
		t.Error(err)
	}
	if err := s.Close(); err == nil {
		t.Error("4 bytes of 5")
	}
	s = w.Growing("b", 0)
	if err := w.Add("c", 0, []byte("c")); err == nil {
		t.Error("a section behind one that grows")
	}
	if _, err := s.Write(make([]byte, 6)); err != nil {
		t.Error(err)
	}
}

// Each flipped bit and each lost end is reported, or harms nothing.
func TestDamage(t *testing.T) {
	supported(t)
	rng := rand.New(rand.NewPCG(seed(t), 2))
	for range 5 {
		path, sections := randomFile(t, rng, 60)
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		reported, cases := 0, 0
		try := func(what string, contents []byte) {
			cases++
			if err := os.WriteFile(path, contents, 0o600); err != nil {
				t.Fatal(err)
			}
			err := compareAll(path, sections)
			if err == errWrong {
				t.Errorf("%s: %v", what, err)
			}
			if err != nil {
				reported++
			}
		}
		for range 100 {
			bit := rng.IntN(8 * len(whole))
			flipped := bytes.Clone(whole)
			flipped[bit/8] ^= 1 << (bit % 8)
			try(fmt.Sprintf("bit %d of %d", bit, 8*len(whole)), flipped)
		}
		for range 20 {
			n := rng.IntN(len(whole))
			try(fmt.Sprintf("%d of %d bytes", n, len(whole)), whole[:n])
		}
		if reported < cases/4 { // the rest hits the room between sections
			t.Errorf("only %d of %d faults are reported", reported, cases)
		}
	}
}

// A file whose index fits its hash may still be made up. Nothing it says ends the program.
func TestMadeUpIndex(t *testing.T) {
	supported(t)
	rng := rand.New(rand.NewPCG(seed(t), 3))
	path, _ := randomFile(t, rng, 60)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := int(uint64(whole[16]) | uint64(whole[17])<<8)
	for range 400 {
		index := bytes.Clone(whole[at:])
		for range 1 + rng.IntN(3) {
			index[rng.IntN(len(index))] = []byte{0, 1, 0x7f, 0x80, 0xff, byte(rng.Uint32())}[rng.IntN(6)]
		}
		changed := append(bytes.Clone(whole[:at]), index...)
		copy(changed, header(uint64(at), index))
		if err := os.WriteFile(path, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, Owner{1}, 1)
		if err != nil {
			continue
		}
		_ = f.Each(func(name string, _ byte, length uint64) error {
			b, err := f.Section(name)
			if err == nil && uint64(len(b)) != length {
				t.Errorf("%d bytes of %d", len(b), length)
			}
			return nil
		})
	}
}

// A file that gets shorter, or goes, while it is mapped is an error of who reads it, in every kind of goroutine.
func TestFaults(t *testing.T) {
	supported(t)
	path := filepath.Join(t.TempDir(), "flat")
	want := make([]byte, 3*BlockLen)
	write := func() *File {
		to, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		w := NewWriter(to, Owner{1})
		if err := errors.Join(w.Add("a", 0, want), w.Finish(), to.Close()); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path, Owner{1}, 2)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	var fault *Fault
	f := write()
	if err := os.Truncate(path, 5000); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Section("a"); !errors.As(err, &fault) || fault.Path != path {
		t.Errorf("the first look at a file cut off: %v", err)
	}
	f = write()
	b, err := f.Section("a")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 5000); err != nil {
		t.Fatal(err)
	}
	sum := func() error {
		if sha256.Sum256(b) == sha256.Sum256(nil) || bytes.Equal(bytes.Clone(b), want[1:]) {
			t.Error("it was read")
		}
		return nil
	}
	if err := Guarded(sum); !errors.As(err, &fault) {
		t.Errorf("a later look at a file cut off: %v", err)
	}
	var all workgroup.Group
	all.Go(func() { _ = sum() })
	p := workgroup.Catch(all.Wait)
	if p == nil || AsFault(p.Value) == nil {
		t.Errorf("a goroutine panics with %v", p)
	}
	f = write()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if b, err := f.Section("a"); err != nil || !bytes.Equal(b, want) {
		t.Errorf("a removed file stays readable while it is mapped: %v", err)
	}
	if AsFault(errors.New("another")) != nil || AsFault(nil) != nil {
		t.Error("any panic is a fault")
	}
	p = workgroup.Catch(func() { var none *File; _ = none.path })
	if p == nil || AsFault(p.Value) != nil {
		t.Errorf("a nil pointer is a fault of a file: %v", p)
	}
}

// The memory of a mapping is the collector's: a slice keeps the file mapped, and it goes with the last one. Then the heap uses the memory again.
func TestCollected(t *testing.T) {
	supported(t)
	mapped := func() int {
		ranges.Lock()
		defer ranges.Unlock()
		return len(ranges.list)
	}
	collect := func(want int) bool {
		for range 200 {
			runtime.GC()
			if mapped() <= want {
				return true
			}
			time.Sleep(time.Millisecond)
		}
		return false
	}
	rng := rand.New(rand.NewPCG(seed(t), 4))
	collect(0) // what the tests before have left
	before := mapped()
	for range 6 {
		path, sections := randomFile(t, rng, 20000)
		f, err := Open(path, Owner{1}, 2)
		if err != nil {
			t.Fatal(err)
		}
		kept := make(map[string][]byte)
		for name := range sections {
			b, err := f.Section(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(b) > 0 {
				kept[name] = b[len(b)-1:]
			}
		}
		f = nil
		for range 4 {
			runtime.GC()
			fill(rng)
		}
		for name, b := range kept {
			if b[0] != sections[name][len(sections[name])-1] {
				t.Fatal("memory of a mapped file was used again")
			}
		}
	}
	if !collect(before) {
		t.Errorf("%d files are still mapped, not %d", mapped(), before)
	}
	debug.FreeOSMemory()
	for range 20 {
		fill(rng)
	}
}

// fill takes memory of the heap and writes to it.
func fill(rng *rand.Rand) {
	var all [][]byte
	for range 8 {
		b := bytes.Repeat([]byte{byte(rng.Uint32())}, 1+rng.IntN(2<<20))
		all = append(all, b)
	}
	runtime.KeepAlive(all)
}
