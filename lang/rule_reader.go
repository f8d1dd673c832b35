package lang

import (
	"context"
	"reflect"

	"github.com/alecthomas/participle/v2/lexer"
)

// ruleReader reads tokens by rules.
type ruleReader struct {
	toks    []lexer.Token
	symbols []symbol // of toks, and of the end
	at      int
	made    reflect.Value // a pointer to the last struct that was read
	refusal *Error        // of a hook
	tooMany bool          // maxRepetitions
	steps   int
	ctx     context.Context // nil: reading does not stop
}

// outcome is whether a rule matched.
type outcome uint8

const (
	unmatched outcome = iota // no token was taken, so another rule may match
	matched
	failed // in a text that is not of the language
)

// ruleStop is where the reader stopped.
type ruleStop struct {
	at      int    // the token that it could not take; -1 if a hook refused one, or at maxRepetitions
	refusal *Error // of a hook
}

// maxRepetitions is how often a part repeats at most.
const maxRepetitions = 1_000_000

// readByRules reads a G that toks are. It returns nil if they are not a G, or if ctx ends.
func readByRules[G any](ctx context.Context, toks []lexer.Token) (*G, ruleStop) {
	book := rules()
	m := ruleReader{toks: toks, symbols: book.symbols(toks), ctx: ctx}
	switch o := m.read(book.structs[reflect.TypeFor[G]()], reflect.Value{}); {
	case o == matched && m.at == len(toks):
		return m.made.Interface().(*G), ruleStop{at: len(toks)}
	case m.refusal != nil || m.tooMany:
		return nil, ruleStop{-1, m.refusal}
	}
	return nil, ruleStop{at: m.at}
}

// read reads a rule. The struct that the rule is of is to.
func (m *ruleReader) read(r *rule, to reflect.Value) outcome {
	next := m.symbols[m.at]
	if !r.empty && !r.starts.has(next) {
		return unmatched
	}
	switch r.op {
	case ruleToken:
		m.at++
		return matched
	case ruleTyped:
		if next != r.typed {
			return unmatched
		}
		m.at++
		return matched
	case ruleSequence:
		return m.sequence(r, to)
	case ruleChoice:
		for _, p := range r.parts {
			if o := m.read(p, to); o != unmatched {
				return o
			}
		}
		return unmatched
	case ruleOptional:
		if m.read(r.parts[0], to) == failed {
			return failed
		}
		return matched
	case ruleMany, ruleSome:
		return m.repeated(r, to)
	case ruleCapture:
		return m.captured(r, to)
	case ruleStruct:
		return m.structure(r)
	case ruleHook:
		if m.refusal = r.hook.refusal(m.toks[m.at:]); m.refusal != nil {
			return failed
		}
		return unmatched
	}
	start := m.at // ruleAhead and ruleNotAhead
	found := m.read(r.parts[0], to) == matched
	m.at = start
	if found == (r.op == ruleAhead) {
		return matched
	}
	return unmatched
}

func (m *ruleReader) sequence(r *rule, to reflect.Value) outcome {
	start := m.at
	for _, p := range r.parts {
		switch o := m.read(p, to); {
		case o == matched:
		case m.at > start:
			return failed
		default:
			return o
		}
	}
	return matched
}

func (m *ruleReader) repeated(r *rule, to reflect.Value) outcome {
	for n := 0; ; n++ {
		switch o := m.read(r.parts[0], to); {
		case o == failed:
			return failed
		case n == maxRepetitions:
			m.tooMany = true
			return failed
		case o == unmatched && n == 0 && r.op == ruleSome:
			return unmatched
		case o == unmatched:
			return matched
		}
	}
}

// structure reads a struct into m.made.
func (m *ruleReader) structure(r *rule) outcome {
	if m.steps++; m.steps%pollEvery == 0 && m.ctx != nil && m.ctx.Err() != nil {
		return failed
	}
	start, made := m.at, reflect.New(r.typ)
	to := made.Elem()
	o := m.read(r.parts[0], to)
	if o == matched {
		if r.tokens >= 0 {
			*to.Field(r.tokens).Addr().Interface().(*[]lexer.Token) = m.toks[start:m.at:m.at]
		}
		m.made = made
	}
	return o
}

// captured reads what a field takes.
func (m *ruleReader) captured(r *rule, to reflect.Value) outcome {
	start := m.at
	if o := m.read(r.parts[0], to); o != matched {
		return o
	}
	switch f := to.Field(r.into); r.capture {
	case captureToken:
		*f.Addr().Interface().(*lexer.Token) = m.toks[start]
	case captureTokens:
		*f.Addr().Interface().(*[]lexer.Token) = m.toks[start:m.at:m.at]
	case captureBool:
		f.SetBool(true)
	case captureOne:
		f.Set(m.made)
	case captureList:
		n := f.Len()
		f.Grow(1)
		f.SetLen(n + 1)
		f.Index(n).Set(m.made)
	}
	return matched
}
