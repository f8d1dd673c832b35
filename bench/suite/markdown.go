package suite

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/motifql/motif/internal/figures"
)

// WriteMarkdown writes the results as tables, a group each, between the marks of WriteFile. Group user has its own marks.
func (r *Report) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	rest, user := *r, *r
	rest.Results = slices.DeleteFunc(slices.Clone(r.Results), func(res *Result) bool { return res.Group == User })
	user.Results = slices.DeleteFunc(slices.Clone(r.Results), func(res *Result) bool { return res.Group != User })
	if len(rest.Results) > 0 || len(user.Results) == 0 {
		rest.writeGroups(b)
		user.LeftOut = nil
	}
	if len(user.Results) > 0 {
		user.writeUser(b)
	}
	return b.Flush()
}

func (r *Report) writeGroups(b *bufio.Writer) {
	m := r.Machine
	fmt.Fprintf(b, "%s\n\nMeasured on: %s, %d cores, %s/%s, %s. Columns marked (reference) have times measured elsewhere. A ratio is Motif's time in\n"+
		"the first column of times, divided by the other program's time.\n", suiteMarks.begin, m.CPU, m.Cores, m.OS, m.Arch, m.GoVers)
	for _, part := range []struct {
		title  string
		groups []string
		write  func(b *bufio.Writer, rows []mdRow)
	}{
		{"Patterns", []string{Labelled, Sets, Unlabelled}, r.patterns},
		{"Kernels", []string{Kernels}, r.kernels},
		{"Growth", []string{Growth}, r.growth},
		{"LSQB", []string{LSQB}, r.lsqb},
	} {
		var list []mdRow
		for _, g := range part.groups {
			list = append(list, r.gather(g)...)
		}
		if len(list) > 0 {
			fmt.Fprintf(b, "\n### %s\n\n", part.title)
			part.write(b, list)
		}
	}
	r.endMarkdown(b, suiteMarks.end)
}

func (r *Report) endMarkdown(b *bufio.Writer, mark string) {
	if lines := r.remarks(); len(lines) > 0 {
		fmt.Fprintf(b, "\n- %s\n", strings.Join(lines, "\n- "))
	}
	fmt.Fprintf(b, "\n%s\n", mark)
}

// mdRow is a row with its result for each number of workers.
type mdRow struct {
	name string
	by   []*Result
}

// best is the result with one worker, or the first there is.
func (m mdRow) best() *Result { return m.by[0] }

func (r *Report) gather(group string) (list []mdRow) {
	at := make(map[string]int)
	for _, res := range r.Results {
		if res.Group != group {
			continue
		}
		i, ok := at[res.Row]
		if !ok {
			i = len(list)
			at[res.Row] = i
			list = append(list, mdRow{name: res.Row})
		}
		list[i].by = append(list[i].by, res)
	}
	return list
}

// tableHead begins a table: name and result at the left, the rest to the right.
func (r *Report) tableHead(b *bufio.Writer, list []mdRow, before, after []string) {
	cells := before
	for _, res := range list[0].by {
		cells = append(cells, plural(res.Workers, "thread"))
	}
	cells = append(cells, after...)
	writeCells(b, cells)
	for i := range cells {
		cells[i] = "---:"
	}
	cells[0] = ":---"
	writeCells(b, cells)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func writeCells(b *bufio.Writer, cells []string) {
	fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
}

// times are the best times, or why there is none.
func (m mdRow) times() (cells []string) {
	for _, res := range m.by {
		if res.Status == OK {
			cells = append(cells, show(res.Best()))
		} else {
			cells = append(cells, string(res.Status))
		}
	}
	return cells
}

// code is a reference's time with the code's name.
func (ref Reference) code() string {
	if ref.Code == "" || ref.Seconds == 0 {
		return figures.Seconds(ref.Seconds)
	}
	return figures.Seconds(ref.Seconds) + " " + ref.Code
}

func (r *Report) patterns(b *bufio.Writer, list []mdRow) {
	after := []string{"best research code (reference)", "ratio", "Kùzu 0.11.3 (reference)", "ratio"}
	measured := r.anyPeers(list)
	if measured {
		after = append(after, "side by side on this machine")
	}
	r.tableHead(b, list, []string{"row", "result", "candidates"}, after)
	for _, m := range list {
		res := m.best()
		ref := res.Reference
		cells := append([]string{m.name, result(res), dash(res.Candidates)}, m.times()...)
		cells = append(cells, ref.code(), ratio(res, ref.Seconds), ref.kuzu(), ref.kuzuRatio(res))
		if measured {
			cells = append(cells, strings.Join(r.besides(res), ", "))
		}
		writeCells(b, cells)
	}
}

// anyPeers reports whether a peer was measured on one of the rows.
func (r *Report) anyPeers(list []mdRow) bool {
	for _, m := range list {
		if len(r.besides(m.best())) > 0 {
			return true
		}
	}
	return false
}

// result leaves out the separate results of several questions: they would need a table of their own.
func result(res *Result) string {
	if n := strings.Count(res.Answer, " "); n > 0 {
		return fmt.Sprintf("%d counts", n+1)
	}
	return res.Answer
}

func (r *Report) kernels(b *bufio.Writer, list []mdRow) {
	r.tableHead(b, list, []string{"kernel", "result"}, []string{"best research code (reference)", "ratio", "peak memory"})
	for _, m := range list {
		res := m.best()
		cells := append([]string{m.name, result(res)}, m.times()...)
		writeCells(b, append(cells, res.Reference.code(), ratio(res, res.Reference.Seconds), bytesOf(res.Peak)))
	}
}

func (r *Report) growth(b *bufio.Writer, list []mdRow) {
	r.tableHead(b, list, []string{"pattern, scale", "edges", "result"}, []string{"peak memory", "of it charged to the query"})
	for _, m := range list {
		res := m.best()
		cells := append([]string{strings.TrimPrefix(m.name, "growth/"), number(res.Graph.Edges), result(res)}, m.times()...)
		writeCells(b, append(cells, bytesOf(res.Peak), bytesOf(res.Charged)))
	}
}

func (r *Report) lsqb(b *bufio.Writer, list []mdRow) {
	r.tableHead(b, list, []string{"query", "result"}, []string{"parse and plan", "note"})
	for _, m := range list {
		res := m.best()
		cells := append([]string{m.name, result(res)}, m.times()...)
		writeCells(b, append(cells, show(res.Prepare), res.Note))
	}
}
