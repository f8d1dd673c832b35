package suite

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/motifql/motif/internal/figures"
)

// writeUser writes a table of queries, with the peers' times, and one of rates, between the marks of group user.
func (r *Report) writeUser(b *bufio.Writer) {
	m, list := r.Machine, r.gather(User)
	fmt.Fprintf(b, "%s\n\nMeasured on %s: %s, %d cores, %s/%s, %s.%s\n\n", userMarks.begin, time.Now().Format(time.DateOnly),
		m.CPU, m.Cores, m.OS, m.Arch, m.GoVers, r.versions(list))
	r.userTables(b, list)
	r.endMarkdown(b, userMarks.end)
}

// versions names the peers with their versions.
func (r *Report) versions(list []mdRow) string {
	var names []string
	for _, name := range r.peerNames(list) {
		i := slices.IndexFunc(r.peers, func(p Peer) bool { return p.Name == name })
		names = append(names, strings.TrimSpace(name+" "+r.peers[i].Version))
	}
	if len(names) == 0 {
		return ""
	}
	return " Peers, one thread each: " + strings.Join(names, ", ") + "."
}

func (r *Report) userTables(b *bufio.Writer, list []mdRow) {
	rated := slices.DeleteFunc(slices.Clone(list), func(m mdRow) bool { return !m.best().rated })
	list = slices.DeleteFunc(list, func(m mdRow) bool { return m.best().rated })
	if len(list) > 0 {
		r.userQueries(b, list)
	}
	if len(rated) == 0 {
		return
	}
	fmt.Fprint(b, "\nRows and statements a second:\n\n")
	names := r.peerNames(rated)
	r.tableHead(b, rated, []string{"row", "of one run"}, names)
	for _, m := range rated {
		cells := []string{m.name, m.best().Answer}
		for _, res := range m.by {
			cells = append(cells, rate(res.Rate()))
		}
		for _, name := range names {
			cell := "-"
			if p := r.peer(m.name, name); p.Seconds > 0 {
				cell = rate(m.best().matches / p.Seconds)
			}
			cells = append(cells, cell)
		}
		writeCells(b, cells)
	}
}

// userQueries compares the best warm run with the best peer's, and the first with each peer's.
func (r *Report) userQueries(b *bufio.Writer, list []mdRow) {
	names := r.peerNames(list)
	after := names
	if len(names) > 0 {
		after = append(slices.Clone(names), "ratio to the best", "first run")
		for _, name := range names {
			after = append(after, name+", first run")
		}
	} else {
		after = []string{"first run"}
	}
	r.tableHead(b, list, []string{"query"}, after)
	var warm geometric
	first := make([]geometric, len(names))
	for _, m := range list {
		res, best := m.best(), 0.0
		cells := append([]string{m.name}, m.times()...)
		var firsts []string
		for i, name := range names {
			p := r.peer(m.name, name)
			cells, firsts = append(cells, figures.Seconds(p.Seconds)), append(firsts, figures.Seconds(p.First))
			if p.Seconds > 0 && (best == 0 || p.Seconds < best) {
				best = p.Seconds
			}
			first[i].add(res, res.First, p.First)
		}
		if len(names) > 0 {
			warm.add(res, res.Best(), best)
			cells = append(cells, ratio(res, best))
		}
		writeCells(b, append(append(cells, show(res.First)), firsts...))
	}
	writeScaling(b, list)
	if warm.n == 0 {
		return
	}
	fmt.Fprintf(b, "\nWith one thread, the geometric mean of the ratios to the best is %s, over %d queries. Motif is faster in %d.\n", factor(warm.mean()), warm.n, warm.faster)
	for i, name := range names {
		if first[i].n > 0 {
			fmt.Fprintf(b, "For first runs, the mean ratio to %s is %s.\n", name, factor(first[i].mean()))
		}
	}
}

// writeScaling tells how much more threads gain where the time is long enough to share.
func writeScaling(b *bufio.Writer, list []mdRow) {
	const share = 50 * time.Millisecond
	for i := 1; i < len(list[0].by); i++ {
		var gain geometric
		least, at := math.Inf(1), ""
		for _, m := range list {
			if m.best().Best() < share || m.by[i].Status != OK {
				continue
			}
			gain.add(m.best(), m.best().Best(), m.by[i].Best().Seconds())
			if x := m.best().Best().Seconds() / m.by[i].Best().Seconds(); x < least {
				least, at = x, m.name
			}
		}
		if gain.n > 0 {
			fmt.Fprintf(b, "\nOf %d queries over 50 ms, %s are %s times as fast in geometric mean, and %s times in %s, the least.\n", gain.n,
				plural(list[0].by[i].Workers, "thread"), factor(gain.mean()), factor(least), at)
		}
	}
}

// geometric is a geometric mean of ratios.
type geometric struct {
	logs      float64
	n, faster int
}

func (g *geometric) add(res *Result, ours time.Duration, theirs float64) {
	if res.Status != OK || ours <= 0 || theirs <= 0 {
		return
	}
	g.logs += math.Log(ours.Seconds() / theirs)
	g.n++
	if ours.Seconds() < theirs {
		g.faster++
	}
}

func (g *geometric) mean() float64 { return math.Exp(g.logs / float64(g.n)) }

// peerNames are the peers that were measured on one of the rows, in the order of their file.
func (r *Report) peerNames(list []mdRow) (names []string) {
	for _, p := range r.peers {
		if !slices.Contains(names, p.Name) && slices.ContainsFunc(list, func(m mdRow) bool { return m.name == p.Row }) {
			names = append(names, p.Name)
		}
	}
	return names
}

// peer is what a peer took for a row; zero if that was not measured.
func (r *Report) peer(row, name string) Peer {
	for _, p := range r.peers {
		if p.Row == row && p.Name == name {
			return p
		}
	}
	return Peer{}
}
