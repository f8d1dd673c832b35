package importer

import "bytes"

// scan reads the next token.
func (x *dot) scan() error {
	b, err := x.blanks()
	if err == nil {
		err = x.begin()
	}
	if err != nil {
		return err
	}
	x.quoted = false
	switch {
	case b == 0:
		x.mark = 0
		return nil
	case b == '"':
		x.mark, x.quoted = 'i', true
		err = x.strings()
	case b == '<':
		x.mark, x.quoted = 'i', true
		err = x.html()
	case isWordByte(b) || b == '.':
		x.mark = 'i'
		err = x.while(func(b byte) bool { return isWordByte(b) || b == '.' })
	case b == '-':
		return x.dash()
	case bytes.IndexByte([]byte("{}[]=;,:"), b) >= 0:
		x.mark = b
		x.skip()
		return x.keep(b)
	default:
		_ = x.keep(b)
		return x.errorAtToken("found %s, expected a statement of GraphViz", shown(x.token))
	}
	if err == nil {
		_, err = x.text()
	}
	return err
}

// dash reads an arrow or a negative number.
func (x *dot) dash() error {
	x.skip()
	if err := x.keep('-'); err != nil {
		return err
	}
	b, err := x.peek()
	if err != nil {
		return err
	}
	if b == '-' || b == '>' {
		x.mark = '>'
		x.skip()
		return x.keep(b)
	}
	x.mark = 'i'
	return x.while(func(b byte) bool { return isWordByte(b) || b == '.' })
}

// strings reads a quoted text, and what + joins to it. A backslash stands before a quote or a line end.
func (x *dot) strings() error {
	for {
		if err := x.quotedText(); err != nil {
			return err
		}
		b, err := x.blanks()
		if err != nil || b != '+' {
			return err
		}
		x.skip()
		if b, err = x.blanks(); err != nil {
			return err
		}
		if b != '"' {
			return x.errorHere("expected a text in quotes after +")
		}
	}
}

func (x *dot) quotedText() error {
	x.skip()
	for {
		b, err := x.peek()
		if err != nil {
			return err
		}
		switch b {
		case 0:
			return x.errorAtToken("found a text without its closing quote")
		case '"':
			x.skip()
			return nil
		case '\\':
			x.skip()
			next, err := x.peek()
			if err != nil {
				return err
			}
			if next == '"' {
				b = next
				x.skip()
			} else if next == '\n' {
				x.skip()
				continue
			} else if next == '\\' {
				x.skip()
				if err := x.keep('\\'); err != nil {
					return err
				}
			}
		default:
			x.skip()
		}
		if err := x.keep(b); err != nil {
			return err
		}
	}
}

// html reads a text between angle brackets, which may nest.
func (x *dot) html() error {
	for depth := 0; ; {
		b, err := x.peek()
		if err != nil {
			return err
		}
		switch b {
		case 0:
			return x.errorAtToken("found a text without its closing >")
		case '<':
			depth++
		case '>':
			depth--
		}
		x.skip()
		if err := x.keep(b); err != nil || depth == 0 {
			return err
		}
	}
}

// blanks passes blanks and comments and returns the next byte; 0 at the end of the file.
func (x *dot) blanks() (byte, error) {
	for {
		b, err := x.peek()
		if err != nil || b == 0 {
			return 0, err
		}
		switch {
		case b == '\n' || blank[b]:
			x.skip()
		case b == '#' && x.column == 1:
			err = x.comment(false)
		case b == '/':
			x.skip()
			next, err := x.peek()
			if err != nil {
				return 0, err
			}
			if next != '/' && next != '*' {
				return 0, x.errorHere("found /, expected a comment: // or /*")
			}
			if err := x.comment(next == '*'); err != nil {
				return 0, err
			}
		default:
			return b, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// comment passes a comment up to its end: the end of the line, or */.
func (x *dot) comment(long bool) error {
	x.skip()
	for last := byte(0); ; {
		b, err := x.peek()
		if err != nil || b == 0 || !long && b == '\n' {
			return err
		}
		x.skip()
		if long && last == '*' && b == '/' {
			return nil
		}
		last = b
	}
}
