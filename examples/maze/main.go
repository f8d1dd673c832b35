// Maze routes the nets of a chip on a grid of cells: each net joins its pins by shortest wires around the components and
// around the wires of the nets before it. It is the application of breadth-first search in chapter 15 of Programming
// Massively Parallel Processors, done with Motif inside a Go program.
//
//	go run ./examples/maze            # writes maze.svg
//	go run ./examples/maze my.txt     # the same for a chip of your own
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"
	"os"
)

//go:embed chip.txt
var sample string

func main() {
	text := sample
	if len(os.Args) > 1 {
		data, err := os.ReadFile(os.Args[1])
		if err != nil {
			log.Fatal(err)
		}
		text = string(data)
	}
	svg, err := run(context.Background(), text)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("maze.svg", []byte(svg), 0o666); err != nil {
		log.Fatal(err)
	}
	fmt.Println("maze.svg shows the routes")
}

// run routes the nets of a chip and draws them.
func run(ctx context.Context, text string) (svg string, err error) {
	c, err := parseChip(text)
	if err != nil {
		return "", err
	}
	r, err := newRouter(ctx, c)
	if err != nil {
		return "", err
	}
	defer r.db.Close()
	if err := r.route(ctx); err != nil {
		return "", err
	}
	for _, n := range c.nets {
		fmt.Printf("net %s: %d pins, %d steps\n", n.name, len(n.pins), n.length())
	}
	last := c.nets[len(c.nets)-1]
	depth, err := r.wave(ctx, last)
	if err != nil {
		return "", err
	}
	return draw(c, last, depth), nil
}
