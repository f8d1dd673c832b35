package main

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"
	"os"
	"strconv"

	"github.com/motifql/motif/internal/testgraph"
)

// genCmd writes generated graphs as edge lists, one pair a line, below a comment with the command that made them.
type genCmd struct {
	RMAT    genRMAT    `cmd:"" name:"rmat" help:"Skewed degrees: the recursive matrix model with Graph500's parameters. Loops and repeats occur; load drops them."`
	ER      genER      `cmd:"" name:"er" help:"Erdős-Rényi: M pairs of nodes; every set of M pairs is equally likely."`
	Grid    genGrid    `cmd:"" help:"A grid: each node is joined to its right and lower neighbour."`
	Cliques genCliques `cmd:"" help:"Cliques that share no node."`
}

type genOutput struct {
	Output string `short:"o" default:"-" placeholder:"FILE" help:"File to write; - is standard output."`
}

// write writes the edges below a comment.
func (g *genOutput) write(comment string, edges iter.Seq2[uint32, uint32]) error {
	var out io.Writer = os.Stdout
	if g.Output != "-" {
		f, err := os.Create(g.Output)
		if err != nil {
			return err
		}
		defer f.Close()
		out = f
	}
	w := bufio.NewWriterSize(out, 1<<16)
	fmt.Fprintf(w, "# motif gen %s\n", comment)
	var line []byte
	for u, v := range edges {
		line = strconv.AppendUint(line[:0], uint64(u), 10)
		line = strconv.AppendUint(append(line, ' '), uint64(v), 10)
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if f, ok := out.(*os.File); ok && g.Output != "-" {
		return f.Close() // reports a full disk
	}
	return nil
}

type genRMAT struct {
	Scale      int    `default:"16" help:"Make 2^scale nodes."`
	EdgeFactor int    `default:"16" help:"Edges for each node."`
	Seed       uint64 `default:"1" help:"Seed of the random numbers."`
	genOutput
}

func (g *genRMAT) Run() error {
	if g.Scale < 0 || g.Scale > 32 || g.EdgeFactor < 0 {
		return usageError("--scale must be from 0 to 32 and --edge-factor not negative")
	}
	return g.write(fmt.Sprintf("rmat --scale %d --edge-factor %d --seed %d", g.Scale, g.EdgeFactor, g.Seed),
		testgraph.RMAT(g.Scale, g.EdgeFactor, g.Seed))
}

type genER struct {
	Nodes uint32 `required:"" placeholder:"N" help:"Number of nodes."`
	Edges uint64 `required:"" placeholder:"M" help:"Number of edges."`
	Seed  uint64 `default:"1" help:"Seed of the random numbers."`
	genOutput
}

func (g *genER) Run() error {
	return g.write(fmt.Sprintf("er --nodes %d --edges %d --seed %d", g.Nodes, g.Edges, g.Seed), testgraph.ER(g.Nodes, g.Edges, g.Seed))
}

type genGrid struct {
	Width  uint32 `required:"" placeholder:"N" help:"Nodes in a row."`
	Height uint32 `required:"" placeholder:"N" help:"Number of rows."`
	genOutput
}

func (g *genGrid) Run() error {
	if uint64(g.Width)*uint64(g.Height) > math.MaxUint32 {
		return usageError("a grid has at most 2^32 - 1 nodes")
	}
	return g.write(fmt.Sprintf("grid --width %d --height %d", g.Width, g.Height), testgraph.Grid(g.Width, g.Height))
}

type genCliques struct {
	Number int   `name:"count" required:"" placeholder:"N" help:"Number of cliques."`
	Size   []int `required:"" placeholder:"K,..." help:"Their sizes, used in turn."`
	genOutput
}

func (g *genCliques) Run() error {
	total := uint64(0)
	comment := fmt.Sprintf("cliques --count %d", g.Number)
	for _, k := range g.Size {
		if k < 1 || k > math.MaxUint32 {
			return usageError("--size must be 1 or more")
		}
		comment += fmt.Sprintf(" --size %d", k)
		total = max(total, uint64(k))
	}
	if g.Number < 0 || total > 0 && uint64(g.Number) > math.MaxUint32/total {
		return usageError("too many nodes: there may be 2^32 - 1")
	}
	return g.write(comment, testgraph.Cliques(g.Number, g.Size...))
}
