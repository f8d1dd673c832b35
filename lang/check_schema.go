package lang

func (c *checker) command(cmd Command) {
	if _, ok := cmd.(*Show); !ok {
		c.info.Writes = true
		warnOfNoEffect(c, cmd)
		return
	}
	for _, col := range ShowColumns(cmd.(*Show).What) {
		c.info.Columns = append(c.info.Columns, Column{Name: col, Kind: ValueVar})
	}
}

// ShowColumns is the columns of SHOW with a word of Show.
func ShowColumns(what string) []string {
	switch what {
	case "INDEXES":
		return []string{"name", "entity", "labelOrType", "properties", "owningConstraint"}
	case "CONSTRAINTS":
		return []string{"name", "type", "entity", "labelOrType", "properties"}
	}
	return []string{"name", "signature", "description", "aggregating"}
}

// warnOfNoEffect warns of words of a command that do nothing here.
func warnOfNoEffect(c *checker, cmd Command) {
	warn := func(pos Pos, msg, hint string) {
		w := c.stmt.errorAt(pos, "Warning.NoEffect", msg)
		w.Hint = hint
		c.info.Warnings = append(c.info.Warnings, w)
	}
	options := func(m *MapLit) {
		if m != nil {
			warn(m.Pos, "OPTIONS has no effect", "leave it out: there is one kind of index")
		}
	}
	switch cmd := cmd.(type) {
	case *CreateIndex:
		if cmd.Form.Text == "TEXT" {
			warn(cmd.Form.Pos, "a TEXT index is an ordinary index here: it answers =, ranges and STARTS WITH", "CONTAINS and ENDS WITH read every value")
		}
		options(cmd.Options)
	case *CreateConstraint:
		options(cmd.Options)
	}
}
