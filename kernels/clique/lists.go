package clique

import "github.com/motifql/motif/kernels/core"

// subgraphLists is the subgraph induced by a few vertices, numbered by rising rank, as the list of later neighbours of each.
type subgraphLists struct {
	start []uint32 // one more than vertices
	to    []uint32
	mark  []uint32 // 1 + number by number, for sub
}

func (l *subgraphLists) n() int { return len(l.start) - 1 }

func (l *subgraphLists) ones() int { return len(l.to) }

func (l *subgraphLists) out(i int) []uint32 { return l.to[l.start[i]:l.start[i+1]] }

// reset empties l, with room for n vertices to be marked.
func (l *subgraphLists) reset(n int) {
	l.start, l.to = append(l.start[:0], 0), l.to[:0]
	if len(l.mark) < n {
		l.mark = make([]uint32, n+n/2)
	}
}

// add adds the next vertex. Its neighbours are the marked ones in list.
func (l *subgraphLists) add(list []uint32, m []uint32) {
	n := len(l.to)
	if cap(l.to) < n+len(list) {
		l.to = append(make([]uint32, 0, 2*(n+len(list))), l.to...)
	}
	to := l.to[:n+len(list)]
	for _, x := range list {
		j := m[x]
		to[n] = j - 1
		if j != 0 {
			n++
		}
	}
	l.to = to[:n]
	l.start = append(l.start, uint32(n))
}

// build makes l the subgraph of g induced by hood, a list of rising ranks.
func (l *subgraphLists) build(g *core.Oriented, hood []uint32, m marks) {
	l.reset(len(hood))
	m.set(hood)
	for _, r := range hood {
		l.add(g.Out(r), m)
	}
	m.clear(hood)
}

// sub makes l the subgraph of whole induced by the later neighbours of i. mark must have room for whole's vertices and be clear.
func (l *subgraphLists) sub(whole *subgraphLists, i int, mark []uint32) {
	hood := whole.out(i)
	l.reset(len(hood))
	for j, v := range hood {
		mark[v] = uint32(j) + 1
	}
	for _, v := range hood {
		l.add(whole.out(int(v)), mark)
	}
	for _, v := range hood {
		mark[v] = 0
	}
}

// thin removes vertices with fewer than least neighbours, for a few rounds, and returns how many it removed. degree is
// scratch.
func (l *subgraphLists) thin(least int, degree []uint32) (gone int, scratch []uint32) {
	for {
		n := l.n()
		if cap(degree) < n {
			degree = make([]uint32, 2*n)
		}
		degree = degree[:n]
		clear(degree)
		for i := range n {
			out := l.out(i)
			degree[i] += uint32(len(out))
			for _, j := range out {
				degree[j]++
			}
		}
		kept := uint32(0)
		for i, d := range degree {
			degree[i] = 0
			if int(d) >= least {
				kept++
				degree[i] = kept
			}
		}
		if int(kept) == n {
			return gone, degree
		}
		gone += n - int(kept)
		l.keep(degree)
		if 8*(n-int(kept)) < n {
			return gone, degree
		}
	}
}

// keep keeps the vertices that have a new number: number holds 1 + the new number, or 0.
func (l *subgraphLists) keep(number []uint32) {
	at, n := uint32(0), 0
	for i, x := range number {
		from, to := l.start[i], l.start[i+1]
		if x == 0 {
			continue
		}
		l.start[n] = at
		n++
		for _, j := range l.to[from:to] {
			if number[j] != 0 {
				l.to[at] = number[j] - 1
				at++
			}
		}
	}
	l.start[n] = at
	l.start, l.to = l.start[:n+1], l.to[:at]
}

// word copies l, of at most 64 vertices, to g.
func (l *subgraphLists) word(g *wordGraph) {
	g.n, g.hasRows = l.n(), false
	for i := range g.n {
		up := uint64(0)
		for _, j := range l.out(i) {
			up |= 1 << (j & 63)
		}
		g.upper[i] = up
	}
}

// subWord makes g the subgraph induced by the later neighbours of vertex i, at most 64. mark is as for sub.
func (l *subgraphLists) subWord(g *wordGraph, i int, mark []uint32) {
	hood := l.out(i)
	g.n, g.hasRows = len(hood), false
	for j, v := range hood {
		mark[v] = uint32(j) + 1
	}
	for j, v := range hood {
		up := uint64(0)
		for _, x := range l.out(int(v)) {
			up |= 1 << (mark[x] - 1) // no bit for an unmarked one
		}
		g.upper[j] = up
	}
	for _, v := range hood {
		mark[v] = 0
	}
}

// bitmap copies l to g.
func (l *subgraphLists) bitmap(g *inducedSubgraph) {
	g.reset(l.n())
	for i := range g.n {
		for _, j := range l.out(i) {
			g.join(i, int(j))
		}
	}
}
