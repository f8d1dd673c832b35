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
	refusal *Error // of a hook
	tooMany bool   // maxRepetitions
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
	g := new(G)
	switch o := m.read(book.structs[reflect.TypeFor[G]()], reflect.ValueOf(g).Elem()); {
	case o == matched && m.at == len(toks):
		return g, ruleStop{at: len(toks)}
	case m.refusal != nil || m.tooMany:
		return nil, ruleStop{-1, m.refusal}
	}
	return nil, ruleStop{at: m.at}
}

// read reads a rule into the struct that has it in its tags, or that it is the rule of.
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
			if !p.starts.has(next) {
				continue
			}
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
		return m.structure(r, to)
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
		if p.skippable && !p.starts.has(m.symbols[m.at]) {
			continue
		}
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

// structure reads a struct into to.
func (m *ruleReader) structure(r *rule, to reflect.Value) outcome {
	if m.steps++; m.steps%pollEvery == 0 && m.ctx != nil && m.ctx.Err() != nil {
		return failed
	}
	start := m.at
	o := m.read(r.parts[0], to)
	if o == matched && r.tokens >= 0 {
		*to.Field(r.tokens).Addr().Interface().(*[]lexer.Token) = m.toks[start:m.at:m.at]
	}
	return o
}

// captured reads what a field takes.
func (m *ruleReader) captured(r *rule, to reflect.Value) outcome {
	start, f, part := m.at, to.Field(r.into), r.parts[0]
	switch r.capture {
	case captureValue:
		return m.read(part, f)
	case captureValues:
		n := f.Len()
		f.Grow(1)
		f.SetLen(n + 1)
		o := m.read(part, f.Index(n))
		if o != matched {
			f.SetLen(n)
		}
		return o
	case capturePointer, capturePointers:
		p := reflect.New(part.typ)
		o := m.read(part, p.Elem())
		if o != matched {
			return o
		}
		if r.capture == capturePointer {
			f.Set(p)
			return matched
		}
		n := f.Len()
		f.Grow(1)
		f.SetLen(n + 1)
		f.Index(n).Set(p)
		return matched
	}
	o := m.read(part, to)
	if o != matched {
		return o
	}
	switch r.capture {
	case captureToken:
		*f.Addr().Interface().(*lexer.Token) = m.toks[start]
	case captureTokens:
		*f.Addr().Interface().(*[]lexer.Token) = m.toks[start:m.at:m.at]
	case captureBool:
		f.SetBool(true)
	}
	return matched
}
