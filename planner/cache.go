package planner

import (
	"container/list"
	"sync"
)

// The bounds of a Cache: entries, the bytes that they may take by CacheBytes, and the longest text that is worth an entry.
const (
	mostCached      = 1024
	mostCachedBytes = 16 << 20
	MostCachedText  = 16 << 10
)

// cachedBytes returns about what a plan takes with its syntax tree.
func cachedBytes(text string) int { return 4096 + 100*len(text) }

// CacheKey names a plan: the text of a statement, and the options that it is planned with.
type CacheKey struct {
	Text    string
	Options Options
}

// Cache keeps what was planned for statements, and drops what was not used for longest. It is safe for concurrent use. Its zero value
// is empty.
type Cache[V any] struct {
	mu      sync.Mutex
	entries map[CacheKey]*list.Element
	recent  list.List // of *cacheEntry[V], the one used last first
	bytes   int
}

type cacheEntry[V any] struct {
	key   CacheKey
	value V
}

// Get returns the value of a key, or the zero value.
func (c *Cache[V]) Get(key CacheKey) (value V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[key]
	if e == nil {
		return value
	}
	c.recent.MoveToFront(e)
	return e.Value.(*cacheEntry[V]).value
}

// Put sets the value of a key. A long text gets no entry.
func (c *Cache[V]) Put(key CacheKey, value V) {
	if len(key.Text) > MostCachedText {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.entries[key]; e != nil {
		e.Value.(*cacheEntry[V]).value = value
		c.recent.MoveToFront(e)
		return
	}
	if c.entries == nil {
		c.entries = make(map[CacheKey]*list.Element)
	}
	c.entries[key] = c.recent.PushFront(&cacheEntry[V]{key, value})
	c.bytes += cachedBytes(key.Text)
	for c.recent.Len() > mostCached || c.bytes > mostCachedBytes {
		old := c.recent.Remove(c.recent.Back()).(*cacheEntry[V])
		delete(c.entries, old.key)
		c.bytes -= cachedBytes(old.key.Text)
	}
}

// Portable reports whether the plan holds for every snapshot of one shape. A plan does not if it has a formula or a clique route, or
// breaks symmetry: these rely on the classes of a snapshot. It does not, either, if it has warnings: these name what the graph lacks.
func (p *Plan) Portable() bool {
	if len(p.Warnings) > 0 {
		return false
	}
	for _, sub := range p.Subs {
		if sub != nil && !p.portable(sub.Root) {
			return false
		}
	}
	return p.portable(p.Root)
}

func (p *Plan) portable(n Node) bool {
	if n == nil {
		return true
	}
	if m, ok := n.(*Match); ok {
		if m.Formula != nil || m.Clique != nil {
			return false
		}
		for i := range m.Pattern.Scopes {
			if s := &m.Pattern.Scopes[i]; s.Distinct || s.Induced {
				return false
			}
		}
	}
	for _, in := range n.Inputs() {
		if !p.portable(in) {
			return false
		}
	}
	return true
}
