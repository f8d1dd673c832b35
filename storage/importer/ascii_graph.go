package importer

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/motifql/motif/internal/csr"
)

// readLAW reads ASCIIGraph: a line with the number of nodes n, then n lines with the successors of the nodes
// 0, 1, ..., n-1, each line's number saying which node it is.
func (l *loader) readLAW(ctx context.Context) error {
	f, err := l.oneGraph()
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := lawHeader(f)
	if err != nil {
		return err
	}
	var all []ends
	rows := rowCounter{n: n}
	err = inOrder(ctx, l, l.Workers, f.next, func(c *chunk) (ends, error) {
		return parseLAW(c, n, l.Directed)
	}, func(c *chunk, e ends) error {
		f.count(c)
		all = append(all, e)
		l.take(e.bytes())
		rows.add(c, c.lines)
		return nil
	})
	if err != nil {
		return err
	}
	if err := rows.check(f); err != nil {
		return err
	}
	if err := l.addVertices(countedIDs{0, int(n)}); err != nil {
		return err
	}
	return l.addEnds(len(all), func(i int) int { return len(all[i].src) }, func(i int, to ends) error {
		copy(to.src, all[i].src)
		copy(to.dst, all[i].dst)
		l.take(-all[i].bytes())
		all[i] = ends{}
		return nil
	})
}

// oneGraph opens the only file of a format that has one.
func (l *loader) oneGraph() (*file, error) {
	f, err := l.openFile(l.Files[0])
	if err == nil && len(f.rest) == 0 {
		f.Close()
		return nil, emptyFile(l.Files[0])
	}
	return f, err
}

func lawHeader(f *file) (n int64, err error) {
	c, err := f.takeLine()
	if err == io.EOF {
		return 0, emptyFile(f.src.file)
	}
	if err != nil {
		return 0, err
	}
	f.count(c)
	row := lines{c: c}
	row.next()
	if len(row.words) != 1 {
		return 0, c.errorAt(0, "found %s, expected the number of nodes alone on the first line", plural(uint64(len(row.words)), "word", "words"))
	}
	return row.int(0, 0, int64(csr.MaxVertices), fmt.Sprintf("the number of nodes (at most %d)", csr.MaxVertices))
}

// parseLAW reads a chunk; the line number is the node.
func parseLAW(c *chunk, n int64, directed bool) (ends, error) {
	data, u := c.data, int64(c.line)-2
	e := ends{make([]uint32, 0, len(data)/5), make([]uint32, 0, len(data)/5)}
	for i := 0; i < len(data); {
		switch b := data[i]; {
		case b == '\n':
			u++
			i++
		case blank[b]:
			i++
		case u >= n:
			return e, c.errorAt(i, "found %s, expected the end of the file: the first line says %s", shown(data[i:wordEnd(data, i)]), plural(uint64(n), "node", "nodes"))
		default:
			v, end := successor(data, i)
			if v < 0 || v >= n {
				end = wordEnd(data, i)
				return e, c.errorAt(i, "found %s as successor of node %d, expected a node from 0 to %d", shown(data[i:end]), u, n-1)
			}
			e.add(uint32(u), uint32(v), directed)
			i = end
		}
	}
	return e, nil
}

// successor reads the number at i, up to a blank or line end; -1 if there is none or it has more than 10 digits.
func successor(data []byte, i int) (v int64, end int) {
	start := i
	for ; i < len(data); i++ {
		d := data[i] - '0'
		if d > 9 {
			break
		}
		v = v*10 + int64(d)
	}
	if i == start || i-start > 10 || i < len(data) && data[i] != '\n' && !blank[data[i]] {
		return -1, i
	}
	return v, i
}

// rowCounter checks that a file has a line for every node. A blank last line may be missing: a file without a
// final line end looks so.
type rowCounter struct {
	n, rows int64
	strict  bool // no line can be blank
	open    bool // the last line has no line end
}

func (r *rowCounter) add(c *chunk, rows int) {
	r.rows += int64(rows)
	r.open = !bytes.HasSuffix(c.data, []byte{'\n'})
}

func (r *rowCounter) check(f *file) error {
	have := r.rows
	if !r.open && !r.strict {
		have++
	}
	if have >= r.n {
		return nil
	}
	return &Error{File: f.src.file, Line: f.line, Msg: fmt.Sprintf("found the end of the file after the lines of %s, expected %d as the first line says", plural(uint64(r.rows), "node", "nodes"), r.n)}
}
