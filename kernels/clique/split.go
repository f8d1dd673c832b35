package clique

import (
	"sync/atomic"

	"github.com/motifql/motif/internal/pattern"
)

// branches is a task that several workers share: it has a branch for each first vertex. Nobody changes its lists any more.
type branches struct {
	lists *subgraphLists
	need  int
	next  atomic.Int64
}

// branch counts the cliques of a task branch by branch, on lists. Each branch is a task of the next level. It shares a large task with
// other workers, and the task of a root with idle ones.
func (w *counter) branch(l *subgraphLists, need, level int) {
	if level > 1 || !w.split || w.workers == 1 {
		for i := range l.n() {
			if w.stop.Load() {
				return
			}
			w.countBranch(l, i, need, level)
		}
		return
	}
	b := &branches{lists: l, need: need}
	opened := false
	for {
		if !opened && (l.n() > largeTask || w.idle.Load() > 0) {
			opened = true
			w.lists[0] = new(subgraphLists) // b keeps the old one
			w.publish(b)
		}
		if !w.take(b) {
			return
		}
	}
}

// take counts the next branch of b. It returns false if b has none.
func (w *counter) take(b *branches) bool {
	i := int(b.next.Add(1)) - 1
	if i >= b.lists.n() || w.stop.Load() {
		return false
	}
	w.countBranch(b.lists, i, b.need, 1)
	return true
}

func (w *counter) countBranch(l *subgraphLists, i, need, level int) {
	n := len(l.out(i))
	if n < need-1 {
		return
	}
	if len(w.small) < l.n() {
		w.small = make([]uint32, 2*l.n())
	}
	if n <= 64 && w.words && w.levels[min(level+1, 3)] && need > 2 {
		l.subWord(&w.word, i, w.small)
		w.countWord(need-1, level+1)
		return
	}
	sub := w.listsAt(level)
	sub.sub(l, i, w.small)
	w.countLists(sub, need-1, level+1)
}

func (q *cliqueSearch) publish(b *branches) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.tasks = append(q.tasks, b)
	q.wake.Broadcast()
}

// help takes branches of shared tasks until no worker has any work.
func (w *counter) help() {
	for b := w.await(); b != nil; b = w.await() {
		for w.take(b) {
			w.uses[pattern.CliqueSplit]++
		}
	}
}

// await returns a shared task, or nil when all workers are idle.
func (q *cliqueSearch) await() *branches {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.idle.Add(1)
	for {
		for n := len(q.tasks); n > 0; n = len(q.tasks) {
			b := q.tasks[n-1]
			if int(b.next.Load()) < b.lists.n() {
				q.idle.Add(-1)
				return b
			}
			q.tasks = q.tasks[:n-1]
		}
		if int(q.idle.Load()) == q.workers || q.stop.Load() {
			q.wake.Broadcast()
			return nil
		}
		q.wake.Wait()
	}
}
