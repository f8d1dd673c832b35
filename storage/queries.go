package storage

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/dgraph-io/badger/v4"
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

// SaveQuery keeps a query under its name, in place of the one that had it.
func (s *Store) SaveQuery(ctx context.Context, q SavedQuery) error {
	if q.Name == "" || len(q.Name) > maxQueryName {
		return fmt.Errorf("the name of a query has 1 to %d bytes", maxQueryName)
	}
	payload, err := json.Marshal(q)
	if err != nil {
		return err
	}
	return s.changeQueries(ctx, func() error { return s.commit(queryKey(q.Name), payload) })
}

// DropQuery forgets a saved query; it reports whether there was one.
func (s *Store) DropQuery(ctx context.Context, name string) (there bool, err error) {
	err = s.changeQueries(ctx, func() error {
		err := s.db.Update(func(txn *badger.Txn) error {
			if _, err := txn.Get(queryKey(name)); err == badger.ErrKeyNotFound {
				return nil
			} else if err != nil {
				return err
			}
			there = true
			return txn.Delete(queryKey(name))
		})
		if err != nil {
			return err
		}
		return s.syncLogs()
	})
	return there, err
}

// changeQueries runs fn as the only writer.
func (s *Store) changeQueries(ctx context.Context, fn func() error) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := s.lockWriter(ctx); err != nil {
		return err
	}
	defer s.unlockWriter()
	if err := s.acquire(ctx); err != nil {
		return err
	}
	defer s.release()
	if err := s.upgrade(); err != nil {
		return err
	}
	return wrap(s.dir, "saving a query", fn())
}

// Queries lists the saved queries by name.
func (s *Store) Queries(ctx context.Context) (list []SavedQuery, err error) {
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	err = s.eachQuery(func(key, value []byte) error {
		q, err := readQuery(key, value)
		list = append(list, q)
		return err
	})
	return list, wrap(s.dir, "reading the saved queries", err)
}

// eachQuery calls fn for the key and value of every saved query.
func (s *Store) eachQuery(fn func(key, value []byte) error) error {
	return s.db.View(func(txn *badger.Txn) error {
		prefix := queryKey("")
		it := txn.NewIterator(badger.IteratorOptions{Prefix: prefix, PrefetchValues: true, PrefetchSize: 100})
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			value, err := it.Item().ValueCopy(nil)
			if err == nil {
				err = fn(it.Item().KeyCopy(nil), value)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
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
