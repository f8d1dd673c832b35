package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// SavedQuery is a query that is kept in the store beside the graph.
type SavedQuery struct {
	Name   string       `json:"name"`
	Text   string       `json:"text"`
	Params []SavedParam `json:"params,omitempty"`
}

// SavedParam is a parameter of a saved query. Type is "string", "integer", "float", "boolean", "list" or "map", or "" for any.
type SavedParam struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
}

// maxQueryName bounds the names of saved queries, in bytes.
const maxQueryName = 200

func queryKey(name string) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{kindQuery}, graphID), name...)
}

// The file QUERIES holds the saved queries, and is replaced when one of them changes: the number of the store, and for each the length of its key, the key, the
// length of its value, and the value as it is in a backup.
const queriesName = "QUERIES"

var queriesKey = []byte("\x00queries")

func encodeQueries(id storeID, list []storedPart) []byte {
	dst := id[:]
	for _, q := range list {
		dst = appendString(appendString(dst, string(q.key)), string(q.value))
	}
	return sealAs(plainFormat, queriesKey, dst, true)
}

func decodeQueries(id storeID, contents []byte) (list []storedPart, err error) {
	payload, _, err := unseal(queriesKey, contents)
	if err != nil {
		return nil, err
	}
	c := cursor{b: payload}
	if string(c.take(uint64(len(id)))) != string(id[:]) {
		return nil, errors.New("it belongs to another store")
	}
	for len(c.b) > 0 && c.err == nil {
		key := c.take(c.uvarint())
		list = append(list, storedPart{key, c.take(c.uvarint())})
	}
	return list, c.end()
}

// storedQueries reads the saved queries as they are stored. The caller has the store's token.
func (s *Store) storedQueries() ([]storedPart, error) {
	if s.inMemory() {
		return s.saved, nil
	}
	if s.old != nil {
		return s.old.queries()
	}
	contents, err := s.disk.ReadFile(filepath.Join(s.dir, queriesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := decodeQueries(s.head.Load().store, contents)
	if err != nil {
		return nil, corrupt(s.dir, "the file "+queriesName, err)
	}
	return list, nil
}

// SaveQuery keeps a query under its name, in place of the one that had it.
func (s *Store) SaveQuery(ctx context.Context, q SavedQuery) error {
	if q.Name == "" || len(q.Name) > maxQueryName {
		return fmt.Errorf("the name of a query has 1 to %d bytes", maxQueryName)
	}
	payload, err := json.Marshal(q)
	if err != nil {
		return err
	}
	key := queryKey(q.Name)
	return s.changeQueries(ctx, func(list []storedPart) []storedPart {
		at, there := findQuery(list, key)
		if !there {
			list = slices.Insert(list, at, storedPart{})
		}
		list[at] = storedPart{key, seal(key, payload, true)}
		return list
	})
}

// DropQuery forgets a saved query; it reports whether there was one.
func (s *Store) DropQuery(ctx context.Context, name string) (there bool, err error) {
	err = s.changeQueries(ctx, func(list []storedPart) []storedPart {
		at, found := findQuery(list, queryKey(name))
		if there = found; found {
			list = slices.Delete(list, at, at+1)
		}
		return list
	})
	return there, err
}

// findQuery is where a key stands in a list, or would.
func findQuery(list []storedPart, key []byte) (at int, there bool) {
	return slices.BinarySearchFunc(list, key, func(q storedPart, key []byte) int { return bytes.Compare(q.key, key) })
}

// changeQueries replaces the saved queries by what change makes of them, as the only writer.
func (s *Store) changeQueries(ctx context.Context, change func([]storedPart) []storedPart) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.lockWriter(ctx); err != nil {
		return err
	}
	defer s.unlockWriter()
	if err := s.upgrade(ctx); err != nil {
		return err
	}
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	list, err := s.storedQueries()
	if err != nil {
		return wrap(s.dir, "reading the saved queries", err)
	}
	return wrap(s.dir, "saving a query", s.writeQueries(change(slices.Clone(list))))
}

// writeQueries replaces the saved queries. After an error of the last steps nobody knows which a loss of power would leave.
func (s *Store) writeQueries(list []storedPart) error {
	if s.inMemory() {
		s.saved = list
		return nil
	}
	unsure, err := replaceFile(s.disk, s.dir, queriesName, encodeQueries(s.head.Load().store, list))
	if err != nil && unsure {
		return &Error{Reason: ErrIO, Path: showPath(s.dir), Err: err,
			What: "it is not known whether the saved queries were replaced", Do: "list them and look"}
	}
	return err
}

// Queries lists the saved queries by name.
func (s *Store) Queries(ctx context.Context) (list []SavedQuery, err error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if s.opt.Shared {
		if err := s.sharing.catchUp(ctx); err != nil {
			return nil, err
		}
	}
	stored, err := s.storedQueries()
	for _, p := range stored {
		var q SavedQuery
		if q, err = readQuery(p.key, p.value); err != nil {
			break
		}
		list = append(list, q)
	}
	return list, wrap(s.dir, "reading the saved queries", err)
}

func readQuery(key, value []byte) (q SavedQuery, err error) {
	payload, _, err := unseal(key, value)
	if err == nil {
		err = json.Unmarshal(payload, &q)
	}
	if err == nil && string(queryKey(q.Name)) != string(key) {
		err = fmt.Errorf("the query %q stands under another name", q.Name)
	}
	return q, err
}
