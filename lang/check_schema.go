package lang

func (c *checker) command(cmd Command) {
	c.info.Writes = true
	if p := nameParam(cmd); p != nil {
		c.parameter(p)
	}
	warnOfCommand(c, cmd)
}

// nameParam is the parameter that names the index or the constraint of cmd, or nil.
func nameParam(cmd Command) *Param {
	switch cmd := cmd.(type) {
	case *CreateIndex:
		return cmd.NameParam
	case *CreateConstraint:
		return cmd.NameParam
	case *Drop:
		return cmd.NameParam
	}
	return nil
}

// warnOfNoEffect warns of words that are read and do nothing here.
func warnOfNoEffect(c *checker, pos Pos, msg, hint string) {
	w := c.stmt.errorAt(pos, "Warning.NoEffect", msg)
	w.Hint = hint
	c.info.Warnings = append(c.info.Warnings, w)
}

// warnOfCommand warns of words of a command that do nothing here.
func warnOfCommand(c *checker, cmd Command) {
	warn := func(pos Pos, msg, hint string) { warnOfNoEffect(c, pos, msg, hint) }
	options := func(m *MapLit) {
		if m != nil {
			warn(m.Pos, "OPTIONS has no effect", "leave it out: there is one kind of index")
		}
	}
	switch cmd := cmd.(type) {
	case *CreateIndex:
		switch cmd.Form.Text {
		case "TEXT":
			warn(cmd.Form.Pos, "a TEXT index is an ordinary index here: it answers =, ranges and STARTS WITH", "CONTAINS and ENDS WITH read every value")
		case "POINT":
			warn(cmd.Form.Pos, "a POINT index is an ordinary index here: it answers =", "distances and boxes read every point; an index on a coordinate of its own answers ranges")
		case "LOOKUP":
			warn(cmd.Form.Pos, "a LOOKUP index has no effect: Motif always knows the nodes of each label and the relationships of each type", "leave it out")
			return
		}
		if cmd.Rel {
			warn(cmd.Of.Pos, "an index on relationships is kept, but no query uses it", "Motif finds relationships from their nodes; index those")
		}
		options(cmd.Options)
	case *CreateConstraint:
		options(cmd.Options)
	}
}
