package storage

import (
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
)

const powerPage = 4 << 10

// powerDisk is a disk whose power goes off at some call. It remembers what was durable. What was not may survive or not: each page
// of a file, each length, each name on its own. After a sync that failed the system takes pages for written that are not: only
// another write to them helps.
type powerDisk struct {
	under *faultDisk // which may fail before
	dir   string     // of the store
	at    int        // the call at which the power goes off

	mu    sync.Mutex
	rng   *rand.Rand
	calls int
	root  *powerInode
	image string // where to put what the loss of power leaves
	off   bool
	keep  int // in percent, how likely what is not durable survives
}

// powerInode is a file or a folder.
type powerInode struct {
	names map[string]*powerName // of a folder, else nil

	now, safe []byte // as written, and as made durable
	dirty     map[int]bool
	lost      map[int]bool // pages that a failed sync has left behind
}

// powerName is an entry of a folder.
type powerName struct {
	safe *powerInode   // as made durable; nil: not there
	past []*powerInode // what it has been since
}

func (n *powerName) now() *powerInode {
	if len(n.past) > 0 {
		return n.past[len(n.past)-1]
	}
	return n.safe
}

func newPowerInode(folder bool) *powerInode {
	if folder {
		return &powerInode{names: make(map[string]*powerName)}
	}
	return &powerInode{dirty: make(map[int]bool), lost: make(map[int]bool)}
}

// newPowerDisk is a disk on which all of a directory is durable.
func newPowerDisk(under *faultDisk, dir, image string, at int, seed uint64) (*powerDisk, error) {
	d := &powerDisk{under: under, dir: dir, image: image, at: at, rng: rand.New(rand.NewPCG(seed, 13))}
	d.keep = []int{0, 20, 50, 80, 100}[d.rng.IntN(5)]
	var err error
	d.root, err = powerTree(dir)
	return d, err
}

func powerTree(dir string) (*powerInode, error) {
	folder := newPowerInode(true)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		var node *powerInode
		if e.IsDir() {
			node, err = powerTree(path)
		} else {
			node = newPowerInode(false)
			node.safe, err = os.ReadFile(path)
			node.now = slices.Clone(node.safe)
		}
		if err != nil {
			return nil, err
		}
		folder.names[e.Name()] = &powerName{safe: node}
	}
	return folder, err
}

// do makes a call, unless the power is off or goes off before it. Where it goes off behind, nobody hears of the call.
func (d *powerDisk) do(call func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.off {
		return &fs.PathError{Op: "power", Path: d.dir, Err: syscall.EIO}
	}
	d.calls++
	goes := d.calls == d.at
	before := goes && d.rng.IntN(2) == 0
	var err error
	if !before {
		err = call()
	}
	if !goes {
		return err
	}
	d.off = true
	if err := d.leave(d.root, d.image); err != nil {
		return err
	}
	return &fs.PathError{Op: "power", Path: d.dir, Err: syscall.EIO}
}

// turnOff turns the power off between two calls.
func (d *powerDisk) turnOff() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.off = true
	return d.leave(d.root, d.image)
}

// leave writes what the loss of power leaves of a folder.
func (d *powerDisk) leave(folder *powerInode, to string) error {
	if err := os.Mkdir(to, 0o700); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(folder.names)) {
		entry := folder.names[name]
		node := entry.safe
		if len(entry.past) > 0 && d.survives() {
			node = entry.past[d.rng.IntN(len(entry.past))]
		}
		var err error
		switch path := filepath.Join(to, name); {
		case node == nil:
		case node.names != nil:
			err = d.leave(node, path)
		default:
			err = os.WriteFile(path, d.contents(node), 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *powerDisk) survives() bool { return d.rng.IntN(100) < d.keep }

// contents is what the loss of power leaves of a file.
func (d *powerDisk) contents(node *powerInode) []byte {
	data := slices.Clone(node.safe)
	if d.survives() {
		data = resized(data, len(node.now))
	}
	for page := range (len(data) + powerPage - 1) / powerPage {
		if lo := page * powerPage; (node.dirty[page] || node.lost[page]) && d.survives() && lo < len(node.now) {
			copy(data[lo:min(lo+powerPage, len(data))], node.now[lo:])
		}
	}
	return data
}

func resized(data []byte, n int) []byte {
	if n <= len(data) {
		return data[:n]
	}
	return append(data, make([]byte, n-len(data))...)
}

// entry is the name of a path, in the folder that is there now. It is nil if there is no such folder.
func (d *powerDisk) entry(path string) *powerName {
	rest, err := filepath.Rel(d.dir, path)
	if err != nil || strings.HasPrefix(rest, "..") || rest == "." {
		return nil
	}
	folder := d.root
	parts := strings.Split(rest, string(filepath.Separator))
	for _, name := range parts[:len(parts)-1] {
		entry := folder.names[name]
		if entry == nil || entry.now() == nil {
			return nil
		}
		folder = entry.now()
	}
	name := parts[len(parts)-1]
	if folder.names[name] == nil {
		folder.names[name] = new(powerName)
	}
	return folder.names[name]
}

func (d *powerDisk) bind(path string, node *powerInode) {
	if entry := d.entry(path); entry != nil {
		entry.past = append(entry.past, node)
	}
}

func (d *powerDisk) Create(path string) (f file, err error) {
	err = d.do(func() error {
		under, err := d.under.Create(path)
		if err != nil {
			return err
		}
		node := d.entry(path).now()
		if node == nil {
			node = newPowerInode(false)
			d.bind(path, node)
		}
		for page := range (max(len(node.now), len(node.safe)) + powerPage - 1) / powerPage {
			node.dirty[page] = true
			delete(node.lost, page)
		}
		node.now = nil
		f = &powerFile{under, d, node}
		return nil
	})
	return opened(f, err)
}

func (d *powerDisk) Open(path string, write bool) (f file, err error) {
	err = d.do(func() error {
		under, err := d.under.Open(path, write)
		if err == nil {
			f = &powerFile{under, d, d.entry(path).now()}
		}
		return err
	})
	return opened(f, err)
}

// opened closes a file of whose opening nobody hears.
func opened(f file, err error) (file, error) {
	if f != nil && err != nil {
		f.Close()
		return nil, err
	}
	return f, err
}

func (d *powerDisk) ReadFile(path string) (data []byte, err error) {
	err = d.do(func() error { data, err = d.under.ReadFile(path); return err })
	return data, err
}

func (d *powerDisk) ReadDir(path string) (list []fs.DirEntry, err error) {
	err = d.do(func() error { list, err = d.under.ReadDir(path); return err })
	return list, err
}

func (d *powerDisk) Mkdir(path string) error {
	return d.do(func() error {
		err := d.under.Mkdir(path)
		if err == nil {
			d.bind(path, newPowerInode(true))
		}
		return err
	})
}

func (d *powerDisk) Rename(from, to string) error {
	return d.do(func() error {
		err := d.under.Rename(from, to)
		if err == nil {
			d.bind(to, d.entry(from).now())
			d.bind(from, nil)
		}
		return err
	})
}

func (d *powerDisk) Remove(path string) error {
	return d.do(func() error {
		err := d.under.Remove(path)
		if err == nil {
			d.bind(path, nil)
		}
		return err
	})
}

func (d *powerDisk) SyncDir(path string) error {
	return d.do(func() error {
		if err := d.under.SyncDir(path); err != nil {
			return err
		}
		folder := d.root
		if path != d.dir {
			entry := d.entry(path)
			if entry == nil {
				return nil // the folder around the store
			}
			folder = entry.now()
		}
		for _, entry := range folder.names {
			entry.safe, entry.past = entry.now(), nil
		}
		return nil
	})
}

// write writes to a file as the system sees it.
func (n *powerInode) write(p []byte, off int64) {
	if end := int(off) + len(p); end > len(n.now) {
		n.now = resized(n.now, end)
	}
	copy(n.now[off:], p)
	for page := int(off) / powerPage; len(p) > 0 && page <= (int(off)+len(p)-1)/powerPage; page++ {
		n.dirty[page] = true
		delete(n.lost, page)
	}
}

// sync makes a file durable.
func (n *powerInode) sync() {
	n.safe = resized(n.safe, len(n.now))
	for page := range n.dirty {
		if lo := page * powerPage; lo < len(n.now) {
			copy(n.safe[lo:min(lo+powerPage, len(n.safe))], n.now[lo:])
		}
	}
	clear(n.dirty)
}

type powerFile struct {
	file
	disk *powerDisk
	node *powerInode
}

func (f *powerFile) ReadAt(p []byte, off int64) (n int, err error) {
	err = f.disk.do(func() error { n, err = f.file.ReadAt(p, off); return err })
	return n, err
}

func (f *powerFile) WriteAt(p []byte, off int64) (n int, err error) {
	err = f.disk.do(func() error {
		n, err = f.file.WriteAt(p, off)
		f.node.write(p[:n], off)
		return err
	})
	return n, err
}

func (f *powerFile) Size() (n int64, err error) {
	err = f.disk.do(func() error { n, err = f.file.Size(); return err })
	return n, err
}

func (f *powerFile) Allocate(from, to int64) error {
	return f.disk.do(func() error {
		err := f.file.Allocate(from, to)
		if err == nil && int(to) > len(f.node.now) {
			f.node.now = resized(f.node.now, int(to))
		}
		return err
	})
}

func (f *powerFile) Truncate(size int64) error {
	return f.disk.do(func() error {
		err := f.file.Truncate(size)
		if err == nil {
			f.node.now = resized(f.node.now, int(size))
		}
		return err
	})
}

func (f *powerFile) Sync() error {
	return f.disk.do(func() error {
		err := f.file.Sync()
		if err == nil {
			f.node.sync()
			return nil
		}
		maps.Copy(f.node.lost, f.node.dirty)
		clear(f.node.dirty)
		return err
	})
}

// Close closes the file also without power.
func (f *powerFile) Close() error {
	err := f.file.Close()
	if power := f.disk.do(func() error { return err }); power != nil {
		return power
	}
	return err
}
