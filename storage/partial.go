package storage

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/flat"
)

// CanMap reports whether this build maps flat files.
const CanMap = flat.Supported

// Partial is a store of which the folder has HEAD, MANIFEST, a log without transactions, and a flat file with holes.
type Partial struct {
	Content [sha256.Size]byte // as FlatFile has it

	// Fetch writes the bytes [from, to) of the flat file to it, unless they are there. It is called before a part of the graph is read for the
	// first time, and again after an error, which becomes the error of the query. Several goroutines may call it.
	Fetch func(from, to uint64) error
}

// FlatFile describes the flat file of a store.
type FlatFile struct {
	Name    string            // in the folder of the store
	Content [sha256.Size]byte // a hash of the graph, which tells other processes that they have the same
	Parts   []FlatPart        // in order; together they are the file
}

// FlatPart is a stretch of a flat file that belongs to one thing: see TypePart and the functions after it. The parts named "" are what Open reads.
type FlatPart struct {
	Name string
	Size int64
}

// The parts with stable ids, where these are not the numbers of nodes or relationships.
const (
	NodeIDsPart         = flatNodeIDs
	RelationshipIDsPart = flatRelIDs
)

// TypePart, NodePropertyPart and RelationshipPropertyPart name the parts with the relationships of a type, and with the values of a property.
func TypePart(name string) string                 { return "type " + name }
func NodePropertyPart(name string) string         { return "node property " + name }
func RelationshipPropertyPart(name string) string { return "relationship property " + name }

// ReadFlatFile describes the flat file of the live graph in a folder; nil: there is none that can be used. It reads all of the file unless content is known:
// the Content of an earlier call, while the store has the same HEAD.
func ReadFlatFile(ctx context.Context, dir string, known *[sha256.Size]byte) (*FlatFile, error) {
	h, err := readHead(realDisk{}, dir)
	if err != nil || h == nil || h.epoch == 0 || !CanMap {
		return nil, err
	}
	s := newStore(dir, Options{ReadOnly: true, Flat: true})
	file, err := flat.Open(filepath.Join(dir, flatName(h.epoch)), flatOwner(h), s.opt.Workers)
	if err != nil {
		return nil, ctx.Err() // the store does without it, too
	}
	r := &flatReader{store: s, epoch: h.epoch, file: file}
	if err := r.records(); err != nil {
		return nil, r.fault(blockKey{kind: kindMeta, record: recordDict}, err)
	}
	f := &FlatFile{Name: flatName(h.epoch), Parts: r.parts()}
	if known != nil {
		f.Content = *known
		return f, ctx.Err()
	}
	snap, err := mapFlat(ctx, s, h)
	if err != nil {
		return nil, err
	}
	err = guardedRead(func() (err error) {
		f.Content, err = csr.ContentHash(ctx, snap)
		return err
	})
	return f, err
}

// parts lists the parts of the file.
func (r *flatReader) parts() (parts []FlatPart) {
	type section struct {
		at, length uint64
		name       string
	}
	sections := []section{{0, 1, ""}, {r.file.Index(), 1, ""}}
	_ = r.file.Each(func(name string, _ byte, length uint64) error {
		sections = append(sections, section{r.file.Place(name), length, r.part(name)})
		return nil
	})
	slices.SortFunc(sections, func(a, b section) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.length, b.length)) // those without bytes share their place with the next
	})
	for i, s := range sections {
		end := r.file.Size()
		if i+1 < len(sections) {
			end = sections[i+1].at
		}
		switch n := len(parts); {
		case n > 0 && parts[n-1].Name == s.name:
			parts[n-1].Size += int64(end - s.at)
		case end > s.at:
			parts = append(parts, FlatPart{s.name, int64(end - s.at)})
		}
	}
	return parts
}

// part names the part that a section belongs to.
func (r *flatReader) part(section string) string {
	var typ uint32
	for _, format := range []string{flatRowsFormat, flatIntoFormat} {
		if n, _ := fmt.Sscanf(section, format, &typ); n == 1 && uint64(typ) < uint64(len(r.names.types)) {
			return TypePart(r.names.types[typ])
		}
	}
	k, known := parseKey([]byte(section))
	switch {
	case !known:
		return section // node ids, relationship ids
	case k.kind == kindExternal && uint64(k.group) < uint64(len(r.names.spaces)):
		return "ids " + r.names.spaces[k.group]
	case k.kind != kindColumn || uint64(k.group) >= uint64(len(r.names.keys)):
		return ""
	case k.column == columnVertex:
		return NodePropertyPart(r.names.keys[k.group])
	}
	return RelationshipPropertyPart(r.names.keys[k.group])
}

// loadPartial maps the flat file of a partial store. There is no other way to read it.
func loadPartial(ctx context.Context, s *Store, h *head) (*csr.Snapshot, error) {
	if !s.opt.Flat || !s.opt.ReadOnly || !CanMap {
		return nil, errors.ErrUnsupported
	}
	snap, err := mapFlat(ctx, s, h)
	var unfetched *flat.Unfetched
	if errors.As(err, &unfetched) {
		return nil, &Error{Reason: ErrIO, Path: showPath(s.dir), What: "a part of the graph could not be fetched", Do: "try again", Err: err}
	}
	if err != nil {
		return nil, err
	}
	csr.KnowContentHash(snap, s.opt.Partial.Content)
	return snap, nil
}

// guardedRead returns the error of fn, also where reading a mapped file or a part of a graph has failed in it.
func guardedRead(fn func() error) error {
	return flat.Guarded(func() (err error) {
		defer func() {
			if v := recover(); v != nil {
				fault, ok := v.(*csr.Fault)
				if !ok {
					panic(v)
				}
				err = fault.Err
			}
		}()
		return fn()
	})
}
