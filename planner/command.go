package planner

import (
	"fmt"

	"github.com/motifql/motif/lang"
)

// Command is a command about the schema, which is a plan of its own.
type Command struct {
	Command lang.Command
	Slots   []int // the columns of a SHOW
}

func (c *Command) Inputs() []Node    { return nil }
func (c *Command) Notes() []string   { return nil }
func (c *Command) Estimate() float64 { return 1 }

// Describe shows the command as it was written.
func (c *Command) Describe() (op, detail string) { return "Command", fmt.Sprint(c.Command) }

// Sets lists the slots that the operator fills.
func (c *Command) Sets() []int { return c.Slots }

// command plans a command.
func command(c lang.Command) *Plan {
	node := &Command{Command: c}
	p := &Plan{Root: node}
	show, ok := c.(*lang.Show)
	if !ok {
		p.Root = &Discard{Input: node}
		return p
	}
	for i, name := range lang.ShowColumns(show.What) {
		p.Slots = append(p.Slots, Slot{Name: name, Kind: ValueSlot})
		p.Columns, p.Out, node.Slots = append(p.Columns, name), append(p.Out, i), append(node.Slots, i)
	}
	return p
}
