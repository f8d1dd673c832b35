package eval

import (
	"context"
	"errors"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync/atomic"

	"github.com/motifql/motif/internal/value"
)

// What a regular expression may cost. Its parts are what it takes to match a character: a{1000} has 1000.
const (
	maxParts  = 1 << 19 // compiled in less than a second
	partBytes = 400     // about what a part takes
	longMatch = 1 << 22 // characters times parts from which on a match looks at the context
)

// compiledPattern is a regular expression for whole strings.
type compiledPattern struct {
	text  string
	re    *regexp.Regexp
	parts int
}

// matches builds the operator =~. It keeps the last pattern compiled, because most queries have one.
func matches(rt *Runtime) func(a, b value.Value) (value.Value, error) {
	var last atomic.Pointer[compiledPattern]
	return func(x, y value.Value) (value.Value, error) {
		if x.Kind() != value.String || y.Kind() != value.String {
			return value.Value{}, nil
		}
		p := last.Load()
		if p == nil || p.text != y.Str() {
			var err error
			if p, err = compileWhole(rt, y.Str()); errors.As(err, new(*Error)) {
				return value.Value{}, err
			}
			if err != nil {
				return value.Value{}, Errorf(codeRegexp, "%v is not a regular expression: %v", y, err)
			}
			last.Store(p)
		}
		return p.match(rt.Ctx, x.Str())
	}
}

// compileWhole compiles pattern so that it matches whole strings only. It first parses the pattern alone: the pattern must
// not reach the anchors, and errors must quote its own text.
func compileWhole(rt *Runtime, pattern string) (*compiledPattern, error) {
	if err := rt.room(int64(len(pattern)) * partBytes); err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	parts := partsOf(parsed)
	if parts > maxParts {
		return nil, &syntax.Error{Code: syntax.ErrLarge, Expr: pattern}
	}
	if err := rt.room(int64(parts) * partBytes); err != nil {
		return nil, err
	}
	re, err := regexp.Compile(`\A(?:` + parsed.String() + `)\z`)
	var e *syntax.Error
	if errors.As(err, &e) { // the anchors made it too large or too deep
		return nil, &syntax.Error{Code: e.Code, Expr: pattern}
	}
	return &compiledPattern{pattern, re, parts}, err
}

// partsOf counts the parts of a pattern, up to maxParts+1.
func partsOf(re *syntax.Regexp) int {
	n := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		n = min(n+partsOf(sub), maxParts+1)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(re.Min, re.Max, 1)
	}
	return min(n, maxParts+1)
}

// match reports whether the whole of s matches.
func (p *compiledPattern) match(ctx context.Context, s string) (value.Value, error) {
	if ctx == nil || len(s)*p.parts < longMatch {
		return value.OfBool(p.re.MatchString(s)), nil
	}
	r := &runes{ctx: ctx, text: strings.NewReader(s), every: max(1, longMatch/4/p.parts)}
	found := p.re.MatchReader(r)
	return value.OfBool(found), r.err
}

// runes gives the characters of a text until the context ends.
type runes struct {
	ctx   context.Context
	text  *strings.Reader
	every int // characters between two looks at the context
	read  int
	err   error
}

func (r *runes) ReadRune() (ch rune, size int, err error) {
	if r.read++; r.read%r.every == 0 && r.ctx.Err() != nil {
		r.err = context.Cause(r.ctx)
		return 0, 0, io.EOF
	}
	return r.text.ReadRune()
}
