package planner

import (
	"fmt"

	"github.com/motifql/motif/lang"
)

// Command is a command about the schema, which is a plan of its own.
type Command struct{ Command lang.Command }

func (c *Command) Inputs() []Node    { return nil }
func (c *Command) Notes() []string   { return nil }
func (c *Command) Estimate() float64 { return 1 }

// Describe shows the command as it was written.
func (c *Command) Describe() (op, detail string) { return "Command", fmt.Sprint(c.Command) }

// Sets lists the slots that the operator fills: none.
func (c *Command) Sets() []int { return nil }

// command plans a command.
func command(c lang.Command) *Plan { return &Plan{Root: &Discard{Input: &Command{Command: c}}} }
